//! Samples at equal distances in time, from the polynomials of the steps.

use super::flow::EventDriven;
use super::step::CHANNELS;
use crate::run::{Event, Flow, Observer, Sample};
use crate::system::System;

/// Where the samples stand, and storage for one.
#[derive(Clone, Debug)]
pub(super) struct Sampling {
    start: f64,
    every: f64,
    /// The number of the next sample; 0 before the first.
    next: usize,
    last: f64,
    /// Impulses since the last sample, and how much of the current step is in them.
    since: Vec<f64>,
    taken: Vec<f64>,
    q: Vec<f64>,
    u: Vec<f64>,
    pub(super) acc: Vec<f64>,
    gaps: Vec<f64>,
}

impl Sampling {
    pub(super) fn new(start: f64, every: f64, dof: usize, contacts: usize) -> Self {
        Self {
            start,
            every,
            next: 0,
            last: start,
            since: vec![0.0; 2 * contacts],
            taken: vec![0.0; 2 * contacts],
            q: vec![0.0; dof],
            u: vec![0.0; dof],
            acc: vec![0.0; dof],
            gaps: vec![0.0; contacts],
        }
    }

    pub(super) fn reset(&mut self, start: f64) {
        (self.start, self.last, self.next) = (start, start, 0);
        self.since.fill(0.0);
        self.taken.fill(0.0);
    }

    /// Adds the impulse of an impact.
    pub(super) fn add(&mut self, contact: usize, impulse: [f64; 2]) {
        self.since[2 * contact] += impulse[0];
        self.since[2 * contact + 1] += impulse[1];
    }

    fn due(&self) -> f64 {
        if self.every > 0.0 { self.start + self.next as f64 * self.every } else { f64::INFINITY }
    }
}

impl<S: System + ?Sized> EventDriven<'_, S> {
    pub(super) fn first_sample<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Flow {
        if self.sampling.next > 0 {
            return Flow::Continue;
        }
        self.sampling.next = 1;
        self.sample_here(observer)
    }

    pub(super) fn last_sample<O: Observer + ?Sized>(&mut self, observer: &mut O) {
        if self.sampling.last < self.state.t {
            self.sample_here(observer);
        }
    }

    fn sample_here<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Flow {
        self.sampling.q.copy_from_slice(&self.state.q);
        self.sampling.u.copy_from_slice(&self.state.u);
        self.emit(self.state.t, observer)
    }

    /// The samples inside the step that was accepted.
    pub(super) fn step_samples<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Flow {
        let (t, h) = (self.step.t, self.step.h);
        while h > 0.0 && self.sampling.due() < t + h {
            let tau = ((self.sampling.due() - t) / h).clamp(0.0, 1.0);
            self.step.at(tau, &mut self.sampling.q, &mut self.sampling.u);
            self.collect_impulses(tau);
            let due = self.sampling.due();
            self.sampling.next += 1;
            if self.emit(due, observer) == Flow::Stop {
                return Flow::Stop;
            }
        }
        if h > 0.0 {
            self.collect_impulses(1.0);
            self.sampling.taken.fill(0.0);
        }
        Flow::Continue
    }

    fn collect_impulses(&mut self, tau: f64) {
        let s = &mut self.sampling;
        for (i, &contact) in self.motion.closed.iter().enumerate() {
            for c in 0..2 {
                let (sum, r) = (self.step.integral(CHANNELS * i + c, tau), 2 * contact + c);
                s.since[r] += sum - s.taken[r];
                s.taken[r] = sum;
            }
        }
    }

    fn emit<O: Observer + ?Sized>(&mut self, t: f64, observer: &mut O) -> Flow {
        let s = &mut self.sampling;
        self.system.gaps(&s.q, t, &mut s.gaps);
        let energy = self.system.energy(&s.q, &s.u, t);
        let sample = Sample {
            t,
            q: &s.q,
            u: &s.u,
            gaps: &s.gaps,
            impulses: &s.since,
            modes: &self.modes,
            energy,
        };
        let flow = observer.sample(&sample);
        s.since.fill(0.0);
        s.last = t;
        flow
    }

    /// Shows an event.
    pub(super) fn show<O: Observer + ?Sized>(&mut self, event: Event, observer: &mut O) {
        self.counts.events += 1;
        observer.event(&event);
    }
}
