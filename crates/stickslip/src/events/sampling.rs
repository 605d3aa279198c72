//! Samples at equal distances in time, from the polynomials of the steps, and just before and just after impacts.

use super::flow::EventDriven;
use super::step::channel;
use super::watch::read_gaps;
use crate::error::Error;
use crate::model::{Candidate, ContactPoint, Model};
use crate::run::{Event, Flow, Observer, Sample};

/// Where the samples stand, and storage for one.
#[derive(Clone, Debug)]
pub(super) struct Sampling {
    pub(super) start: f64,
    every: f64,
    /// The number of the next sample; 0 before the first.
    pub(super) next: usize,
    pub(super) last: f64,
    /// Impulses have changed the velocities since the last sample, in no time.
    pub(super) struck: bool,
    /// The observer asked to stop at a sample of an impact.
    pub(super) stopped: bool,
    /// Impulses since the last sample, and how much of the current step is in them.
    pub(super) since: Vec<f64>,
    pub(super) taken: Vec<f64>,
    q: Vec<f64>,
    u: Vec<f64>,
    xi: Vec<f64>,
    pub(super) acc: Vec<f64>,
    seen: Vec<Candidate>,
    gaps: Vec<f64>,
    points: Vec<Option<ContactPoint>>,
}

impl Sampling {
    /// From `start` on, for coordinates, velocities, contacts and their components.
    pub(super) fn new(start: f64, every: f64, [nq, dof, contacts, rows]: [usize; 4]) -> Self {
        Self {
            start,
            every,
            next: 0,
            last: start,
            struck: false,
            stopped: false,
            since: vec![0.0; rows],
            taken: vec![0.0; rows],
            q: vec![0.0; nq],
            u: vec![0.0; dof],
            xi: vec![0.0; dof],
            seen: Vec::with_capacity(contacts),
            acc: vec![0.0; dof],
            gaps: vec![0.0; contacts],
            points: Vec::new(),
        }
    }

    pub(super) fn reset(&mut self, start: f64) {
        (self.start, self.last, self.next) = (start, start, 0);
        (self.struck, self.stopped) = (false, false);
        self.since.fill(0.0);
        self.taken.fill(0.0);
    }

    /// Adds the impulse of an impact, to the components from `start` on.
    pub(super) fn add(&mut self, start: usize, impulse: &[f64]) {
        self.since[start..].iter_mut().zip(impulse).for_each(|(s, i)| *s += i);
        self.struck = true;
    }

    fn due(&self) -> f64 {
        if self.every > 0.0 { self.start + self.next as f64 * self.every } else { f64::INFINITY }
    }
}

impl<M: Model> EventDriven<'_, M> {
    pub(super) fn first_sample<O: Observer + ?Sized>(
        &mut self,
        observer: &mut O,
    ) -> Result<Flow, Error> {
        if self.sampling.next > 0 {
            return Ok(Flow::Continue);
        }
        self.sampling.next = 1;
        self.sample_here(observer)
    }

    pub(super) fn last_sample<O: Observer + ?Sized>(
        &mut self,
        observer: &mut O,
    ) -> Result<(), Error> {
        if self.sampling.last < self.state.t || self.sampling.struck {
            self.sample_here(observer)?;
        }
        Ok(())
    }

    /// The sample just before an impact, unless the state was shown already.
    pub(super) fn sample_before_impact<O: Observer + ?Sized>(
        &mut self,
        observer: &mut O,
    ) -> Result<(), Error> {
        if self.sampling.every > 0.0 && self.sampling.last < self.state.t {
            let flow = self.sample_here(observer)?;
            self.sampling.stopped |= flow == Flow::Stop;
        }
        Ok(())
    }

    /// The sample just after an impact, if there was one: at the same time as the one before, so that velocities jump.
    pub(super) fn sample_after_impact<O: Observer + ?Sized>(
        &mut self,
        observer: &mut O,
    ) -> Result<(), Error> {
        if self.sampling.every > 0.0 && self.sampling.struck {
            let flow = self.sample_here(observer)?;
            self.sampling.stopped |= flow == Flow::Stop;
        }
        Ok(())
    }

    fn sample_here<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Result<Flow, Error> {
        self.sampling.q.copy_from_slice(&self.state.q);
        self.sampling.u.copy_from_slice(&self.state.u);
        self.emit(self.state.t, observer)
    }

    /// The samples inside the step that was accepted.
    pub(super) fn step_samples<O: Observer + ?Sized>(
        &mut self,
        observer: &mut O,
    ) -> Result<Flow, Error> {
        let (t, h) = (self.step.t, self.step.h);
        while h > 0.0 && self.sampling.due() < t + h {
            let tau = ((self.sampling.due() - t) / h).clamp(0.0, 1.0);
            let s = &mut self.sampling;
            self.step.at(self.model, tau, (&mut s.q, &mut s.u), &mut s.xi);
            self.collect_impulses(tau);
            let due = self.sampling.due();
            self.sampling.next += 1;
            if self.emit(due, observer)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        if h > 0.0 {
            self.collect_impulses(1.0);
            self.sampling.taken.fill(0.0);
        }
        Ok(Flow::Continue)
    }

    fn collect_impulses(&mut self, tau: f64) {
        let s = &mut self.sampling;
        for (i, c) in self.motion.closed.iter().enumerate() {
            for k in 0..c.rows {
                let (sum, r) =
                    (self.step.integral(channel(c, i) + k, tau), self.starts[c.contact] + k);
                s.since[r] += sum - s.taken[r];
                s.taken[r] = sum;
            }
        }
        let first = self.step.reaction_channel(&self.motion);
        for (i, &candidate) in self.motion.at.inside.candidates.iter().enumerate() {
            let (sum, r) = (self.step.integral(first + 2 * i, tau), self.starts[candidate]);
            s.since[r] += sum - s.taken[r];
            s.taken[r] = sum;
        }
    }

    fn emit<O: Observer + ?Sized>(&mut self, t: f64, observer: &mut O) -> Result<Flow, Error> {
        let s = &mut self.sampling;
        read_gaps((self.model, &mut self.place), (&s.q, t), &mut s.seen, &mut s.gaps)?;
        let energy = self.model.energy(&s.q, &s.u, t);
        s.points.clear();
        let (model, place) = (self.model, &self.place);
        s.points.extend((0..s.gaps.len()).map(|c| model.contact_point(place, c)));
        let sample = Sample {
            t,
            q: &s.q,
            u: &s.u,
            gaps: &s.gaps,
            impulses: &s.since,
            modes: &self.modes,
            points: &s.points,
            energy,
            certificate: std::mem::take(&mut self.counts.worst),
        };
        let flow = observer.sample(&sample);
        s.since.fill(0.0);
        (s.last, s.struck) = (t, false);
        Ok(flow)
    }

    /// Shows an event.
    pub(super) fn show<O: Observer + ?Sized>(&mut self, event: Event, observer: &mut O) {
        self.counts.events += 1;
        observer.event(&event);
    }
}
