//! The event-driven motion itself: steps, events, totals.

use super::accumulation::Accumulation;
use super::motion::{Motion, Trouble};
use super::sampling::Sampling;
use super::step::{CHANNELS, Step};
use super::watch::{Scene, Section, Sight, Subject, Watch};
use super::{Settings, gauss::STAGES};
use crate::contact::{Certificate, Mode};
use crate::dynamics::Assembly;
use crate::error::Error;
use crate::impact::Impact;
use crate::run::{Drift, End, Flow, Observer, Report};
use crate::solve::ContactSolver;
use crate::system::{Energy, State, System, SystemInfo};

/// Attempts at one step, and corrections of an event's time.
const ATTEMPTS: usize = 60;
const CORRECTIONS: usize = 4;

/// A step is not shortened below this share of its first length to see how functions leave zero.
const SHORTEST: f64 = 1e-8;

/// Forces inside a step may be this much less accurate than velocities: at its ends they are exact.
const FORCES: f64 = 1e3;

/// Where an advance ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Reached {
    /// At the time asked for.
    Time,
    /// On the section.
    Section,
    /// The observer stopped it.
    Stopped,
    /// It cannot go on, for this reason; the state is the last good one.
    Failed(String),
}

/// Impulses and works since the start, per contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Impulses of forces and impacts, N and T in turn.
    pub impulse: Vec<f64>,
    /// Work of friction forces, ∫ Λ_T γ_T dt: not positive.
    pub friction: Vec<f64>,
    /// Energy added by impacts, ½ Λᵀ(γ⁺ + γ⁻).
    pub impacts: Vec<f64>,
    /// Work of moving walls and tables, −∫ Λᵀŵ dt, impacts included.
    pub drive: Vec<f64>,
}

/// A motion that is advanced from event to event. The lower level of
/// [`run_event_driven`](super::run_event_driven).
pub struct EventDriven<'s, S: System + ?Sized> {
    pub(super) system: &'s mut S,
    pub(super) info: SystemInfo,
    pub(super) settings: Settings,
    pub(super) state: State,
    pub(super) modes: Vec<Mode>,
    pub(super) motion: Motion,
    pub(super) step: Step,
    pub(super) watch: Watch,
    pub(super) solver: ContactSolver,
    pub(super) impact: Impact,
    pub(super) accumulation: Accumulation,
    pub(super) sampling: Sampling,
    pub(super) totals: Totals,
    pub(super) counts: Counts,
    pub(super) gaps: Vec<f64>,
    /// Contacts touch at the start; what they do is yet to be found.
    pub(super) touches: bool,
    /// The mode was chosen at this state and no step was made yet.
    fresh: bool,
    h: f64,
    energy_start: Energy,
}

/// What a report counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) steps: usize,
    pub(super) impacts: usize,
    pub(super) events: usize,
    pub(super) transitions: usize,
    pub(super) iterations: usize,
    pub(super) certificate: Certificate,
    pub(super) certificate_t: f64,
    pub(super) created: (usize, f64),
    pub(super) drift: Drift,
    /// Transitions in a row without progress in time.
    pub(super) idle: usize,
}

/// What one step came to.
enum Progress {
    Smooth,
    Event,
    Failed(String),
}

impl<'s, S: System + ?Sized> EventDriven<'s, S> {
    /// Begins at a state. Contacts with a gap of zero or less are closed.
    ///
    /// # Errors
    /// If the start, the system or a setting is refused, or the model returns what is not finite.
    pub fn new(system: &'s mut S, start: &State, settings: &Settings) -> Result<Self, Error> {
        let info = system.info().clone();
        info.validate()?;
        start.validate(&info)?;
        settings.validate()?;
        settings.impact.validate(&info)?;
        let (dof, n) = (info.dof(), info.contacts.len());
        let totals = Totals {
            impulse: vec![0.0; 2 * n],
            friction: vec![0.0; n],
            impacts: vec![0.0; n],
            drive: vec![0.0; n],
        };
        let mut motion = Self {
            motion: Motion::new(Assembly::new(&info), dof),
            step: Step::new(dof),
            watch: Watch::new(dof, n),
            solver: ContactSolver::new(settings.solver.clone())?,
            impact: Impact::default(),
            accumulation: Accumulation::new(n),
            sampling: Sampling::new(start.t, settings.sample_every, dof, n),
            settings: settings.clone(),
            state: start.clone(),
            modes: vec![Mode::Open; n],
            gaps: vec![0.0; n],
            counts: Counts::default(),
            touches: false,
            fresh: true,
            h: 0.0,
            system,
            info,
            totals,
            energy_start: Energy::default(),
        };
        motion.touching()?;
        motion.energy_start = motion.energy();
        Ok(motion)
    }

    /// Goes on from another state in given modes, as a new start with zero totals: closed contacts are put
    /// on g = 0 and γ_N = 0, sticking ones on γ_T = 0, by the smallest change in the norm of the mass matrix.
    ///
    /// # Errors
    /// If the state or the number of modes is refused.
    pub fn restart(&mut self, start: &State, modes: &[Mode]) -> Result<(), Error> {
        start.validate(&self.info)?;
        if modes.len() != self.modes.len() {
            let (expected, found) = (self.modes.len(), modes.len());
            return Err(Error::Size { what: "the list of modes", expected, found });
        }
        self.state.clone_from(start);
        self.modes.copy_from_slice(modes);
        self.touches = false;
        let t = &mut self.totals;
        for list in [&mut t.impulse, &mut t.friction, &mut t.impacts, &mut t.drive] {
            list.fill(0.0);
        }
        self.counts = Counts::default();
        self.accumulation.reset();
        self.sampling.reset(start.t);
        self.enter_modes()?;
        self.energy_start = self.system.energy(&self.state.q, &self.state.u, self.state.t);
        self.mode_chosen();
        Ok(())
    }

    /// The state now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What every contact does now.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// Impulses and works since the start.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Energy now.
    pub fn energy(&mut self) -> Energy {
        self.system.energy(&self.state.q, &self.state.u, self.state.t)
    }

    /// Evaluations of accelerations so far: a measure of cost.
    pub fn evaluations(&self) -> usize {
        self.motion.evaluations
    }

    /// Advances to a time, or to where the section is next crossed.
    ///
    /// # Errors
    /// If the model returns what is not finite.
    pub fn advance<O: Observer + ?Sized>(
        &mut self,
        until: f64,
        mut section: Option<&mut dyn Section>,
        observer: &mut O,
    ) -> Result<Reached, Error> {
        if self.first_sample(observer) == Flow::Stop {
            return Ok(Reached::Stopped);
        }
        if std::mem::take(&mut self.touches)
            && let Err(why) = self.transition(observer)?
        {
            return Ok(Reached::Failed(why));
        }
        self.fresh = true;
        loop {
            if let Some(stop) = self.over_limits() {
                return Ok(Reached::Failed(stop));
            }
            self.settle_accumulation(observer);
            if !(self.state.t < until) {
                self.last_sample(observer);
                return Ok(Reached::Time);
            }
            let limit = until.min(self.accumulation.pending());
            match self.smooth(limit, &mut section)? {
                Progress::Smooth => {}
                Progress::Event if self.watch.fired.contains(&Subject::Section) => {
                    self.accept();
                    let flow = self.step_samples(observer);
                    return Ok(if flow == Flow::Stop {
                        Reached::Stopped
                    } else {
                        Reached::Section
                    });
                }
                Progress::Event => {
                    self.accept();
                    if self.step_samples(observer) == Flow::Stop {
                        return Ok(Reached::Stopped);
                    }
                    let before = self.section_value(&mut section);
                    if let Err(why) = self.transition(observer)? {
                        return Ok(Reached::Failed(why));
                    }
                    if before < 0.0 && self.section_value(&mut section) >= 0.0 {
                        return Ok(Reached::Section);
                    }
                    continue;
                }
                Progress::Failed(why) => return Ok(Reached::Failed(why)),
            }
            self.accept();
            if self.step_samples(observer) == Flow::Stop {
                return Ok(Reached::Stopped);
            }
        }
    }

    fn section_value(&self, section: &mut Option<&mut dyn Section>) -> f64 {
        let State { t, q, u } = &self.state;
        section.as_mut().map_or(0.0, |s| s.value(q, u, *t))
    }

    fn over_limits(&self) -> Option<String> {
        let (s, c, t) = (&self.settings, &self.counts, self.state.t);
        if c.transitions > s.max_events {
            return Some(format!("more than {} events before t = {t}", s.max_events));
        }
        if c.steps > s.max_steps {
            return Some(format!("more than {} steps before t = {t}", s.max_steps));
        }
        (c.idle > 20).then(|| format!("events follow each other without progress at t = {t}"))
    }

    /// One step towards `limit`, or to the first event before it. On return the step is solved and its end
    /// is to be accepted.
    fn smooth(
        &mut self,
        limit: f64,
        section: &mut Option<&mut dyn Section>,
    ) -> Result<Progress, Error> {
        let mut guess = self.begin_step(section)?;
        let room = limit - self.step.t;
        let mut h = if self.h > 0.0 { self.h } else { 1e-3 * room };
        h = h.min(self.settings.max_step);
        let shortest = (SHORTEST * h).max(8.0 * f64::EPSILON * self.step.t.abs());
        let mut sight = Sight::TooLong;
        for _ in 0..ATTEMPTS {
            // A last crumb would be a step of its own.
            let length = if 1.1 * h > room { room } else { h };
            let (next, seen) = self.attempt(length, guess, section)?;
            sight = seen;
            match sight {
                Sight::Nothing => {
                    self.h = next.max(if length < h { self.h } else { 0.0 });
                    return Ok(Progress::Smooth);
                }
                Sight::Event(tau) => {
                    self.h = next.min(h.max(self.h));
                    if self.locate(tau, section)? {
                        self.counts.idle = 0;
                        return Ok(Progress::Event);
                    }
                    h = 0.5 * length;
                }
                Sight::TooLong => h = next,
                Sight::AtOnce if length <= shortest => {
                    self.stay();
                    return Ok(Progress::Event);
                }
                Sight::AtOnce => h = 0.05 * length,
            }
            if h < 0.01 * shortest {
                break;
            }
            guess = (0.0, 0.0);
        }
        Ok(Progress::Failed(self.stuck(sight)))
    }

    fn stuck(&self, sight: Sight) -> String {
        let t = self.step.t;
        match sight {
            Sight::AtOnce => format!("the motion leaves every mode at once at t = {t}"),
            _ => format!(
                "the step size vanishes at t = {t}: forces grow without bound there (a Painlevé \
                 singularity or a stiff force)"
            ),
        }
    }

    /// Puts the step at the state; returns where the series of accelerations at hand belongs.
    fn begin_step(&mut self, section: &mut Option<&mut dyn Section>) -> Result<(f64, f64), Error> {
        if !self.fresh {
            let length = self.step.h;
            self.step.follow();
            self.watch.follow();
            return Ok((-length, length));
        }
        let State { t, q, u } = &self.state;
        let acc = &mut self.sampling.acc;
        match self.motion.evaluate(self.system, q, u, *t, acc) {
            Ok(()) => {}
            Err(Trouble::Model(error)) => return Err(error),
            Err(Trouble::Singular) => acc.fill(0.0),
        }
        self.motion.keep_sizes();
        self.step.restart(*t, q, u, acc);
        let (system, motion, step) = (&mut *self.system, &mut self.motion, &self.step);
        let section = reborrow(section);
        self.watch.start(&mut Scene { system, motion, step, section });
        self.fresh = false;
        Ok((0.0, 0.0))
    }

    /// Tries a step: the length to go on with, and what it shows.
    fn attempt(
        &mut self,
        h: f64,
        guess: (f64, f64),
        section: &mut Option<&mut dyn Section>,
    ) -> Result<(f64, Sight), Error> {
        let shorter = 0.3 * h;
        match self.step.attempt(self.system, &mut self.motion, h, guess) {
            Ok(true) => {}
            // A trial that runs out of the model's domain is a step too long, unless it is at its start.
            Err(Trouble::Model(error)) if h <= 1e-12 * self.step.t.abs() => return Err(error),
            Ok(false) | Err(_) => return Ok((shorter, Sight::TooLong)),
        }
        let (velocity, forces) = self.step.error(&self.motion);
        let error = velocity.max(forces / FORCES) / self.settings.tolerance;
        let factor = 0.9 * error.max(1e-30).powf(-1.0 / STAGES as f64);
        if error > 1.0 {
            return Ok((h * factor.clamp(0.2, 0.9), Sight::TooLong));
        }
        // Many sweeps say that a longer step would not converge.
        let growth = if self.step.sweeps > 16 { 1.0 } else { 4.0 };
        let next = h * factor.clamp(0.5, growth);
        let (system, motion, step) = (&mut *self.system, &mut self.motion, &self.step);
        let section = reborrow(section);
        match self.watch.look(&mut Scene { system, motion, step, section }) {
            Ok(Sight::TooLong) => Ok((shorter, Sight::TooLong)),
            Ok(sight) => Ok((next, sight)),
            Err(_) => Ok((shorter, Sight::TooLong)),
        }
    }

    /// Makes the step end at the event: the polynomial's zero is corrected by steps of just that length.
    fn locate(&mut self, tau: f64, section: &mut Option<&mut dyn Section>) -> Result<bool, Error> {
        let Some(&subject) = self.watch.fired.first() else { return Ok(false) };
        let Some(slope) = self.slope(subject, tau, section) else { return Ok(false) };
        let whole = self.step.h;
        let (mut h, mut guess) = (tau * whole, (0.0, whole));
        for _ in 0..CORRECTIONS {
            let solved = self.step.attempt(self.system, &mut self.motion, h, guess);
            if !matches!(solved, Ok(true)) {
                return Ok(false);
            }
            let (system, motion, step) = (&mut *self.system, &mut self.motion, &self.step);
            let section = reborrow(section);
            let mut scene = Scene { system, motion, step, section };
            let Ok(value) = self.watch.value_at_end(&mut scene, subject) else { return Ok(false) };
            let correction = value / slope;
            let rounding = 2.0 * f64::EPSILON * self.step.t.abs().max(h);
            // At a grazing zero the slope vanishes and the polynomial's zero is as good as any.
            if !(correction.abs() > rounding) || correction.abs() > 1e-6 * whole {
                return Ok(true);
            }
            guess = (0.0, h);
            h = (h - correction).clamp(0.0, whole);
        }
        Ok(matches!(self.step.attempt(self.system, &mut self.motion, h, guess), Ok(true)))
    }

    /// The rate of a function in time near the share τ of the step.
    fn slope(
        &mut self,
        subject: Subject,
        tau: f64,
        section: &mut Option<&mut dyn Section>,
    ) -> Option<f64> {
        let (system, motion, step) = (&mut *self.system, &mut self.motion, &self.step);
        let mut scene = Scene { system, motion, step, section: reborrow(section) };
        let (left, right) = ((tau - 1e-4).max(0.0), (tau + 1e-4).min(1.0));
        let low = self.watch.value_at(&mut scene, subject, left).ok()?;
        let high = self.watch.value_at(&mut scene, subject, right).ok()?;
        Some((high - low) / ((right - left) * self.step.h))
    }

    /// An event at the start of the step.
    fn stay(&mut self) {
        self.step.h = 0.0;
        self.step.q1.copy_from_slice(&self.step.q0);
        self.step.u1.copy_from_slice(&self.step.u0);
        self.counts.idle += 1;
    }

    /// Takes the end of the step as the state and adds up what its forces did.
    fn accept(&mut self) {
        let step = &self.step;
        self.state.q.copy_from_slice(&step.q1);
        self.state.u.copy_from_slice(&step.u1);
        self.state.t = step.t + step.h;
        if step.h == 0.0 {
            return;
        }
        self.counts.steps += 1;
        self.motion.keep_sizes();
        for (i, &contact) in self.motion.closed.iter().enumerate() {
            let part = |c: usize| step.integral(CHANNELS * i + c, 1.0);
            self.totals.impulse[2 * contact] += part(0);
            self.totals.impulse[2 * contact + 1] += part(1);
            self.totals.friction[contact] += part(2);
            self.totals.drive[contact] += part(3);
        }
        if !self.motion.closed.is_empty() {
            let certificate = self.motion.problem.certificate(&self.motion.lam);
            self.certify(certificate.unwrap_or_default());
        }
    }

    /// Keeps the worst certificate.
    pub(super) fn certify(&mut self, certificate: Certificate) {
        if certificate.worst > self.counts.certificate.worst {
            self.counts.certificate = certificate;
            self.counts.certificate_t = self.state.t;
        }
    }

    /// Prepares the parts for the modes just chosen.
    pub(super) fn mode_chosen(&mut self) {
        self.motion.set_modes(&self.modes);
        let contacts = &self.info.contacts;
        self.watch.set_modes(&self.modes, |c| contacts[c].law.has_free_friction());
        self.fresh = true;
    }

    /// The report of the motion so far.
    pub fn report(&mut self, end: End) -> Report {
        let (c, t) = (&self.counts, &self.totals);
        let work = [&t.friction, &t.impacts, &t.drive].into_iter().flatten().sum();
        Report {
            end,
            steps: c.steps,
            contact_steps: self.motion.contact_evaluations,
            impacts: c.impacts,
            events: c.events,
            iterations: c.iterations,
            certificate: c.certificate,
            certificate_t: c.certificate_t,
            energy_start: self.energy_start,
            contact_work: work,
            energy_created: c.created,
            drift: c.drift,
            state: self.state.clone(),
            energy_end: self.system.energy(&self.state.q, &self.state.u, self.state.t),
        }
    }
}

/// Lends a section for a while.
fn reborrow<'a>(section: &'a mut Option<&mut dyn Section>) -> Option<&'a mut dyn Section> {
    match section {
        Some(s) => Some(&mut **s),
        None => None,
    }
}
