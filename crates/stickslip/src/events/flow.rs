//! The event-driven motion itself: steps, events, totals.

use super::Settings;
use super::accumulation::Accumulation;
use super::motion::Motion;
use super::projection::Constraints;
use super::sampling::Sampling;
use super::smooth::Progress;
use super::step::Step;
use super::tolerance::ROUNDING;
use super::watch::{Section, Subject, Watch};
use crate::contact::solve::ContactSolver;
use crate::contact::{Certificate, ContactProblem, Kind, Law, Mode};
use crate::error::Error;
use crate::impact::Impact;
use crate::model::{Accelerations, Candidate, Model, Span, check_sizes};
use crate::run::{Drift, End, Flow, Observer, Report, StartMoved};
use crate::system::{Energy, State};

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
    /// Impulses of forces and impacts, the components of each contact in turn: N and T in the plane.
    pub impulse: Vec<f64>,
    /// Work of friction forces, ∫ Λᵀγ dt: not positive but for rounding.
    pub friction: Vec<f64>,
    /// Energy added by impacts, ½ Λᵀ(γ⁺ + γ⁻).
    pub impacts: Vec<f64>,
    /// Work of moving walls and tables, −∫ Λᵀŵ dt, impacts included.
    pub drive: Vec<f64>,
    /// Work of forces that have no potential, as [`Model::power`] has it.
    pub forces: f64,
}

/// A mode and when it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Time.
    pub t: f64,
    /// What every contact does from then on.
    pub modes: Vec<Mode>,
}

/// A motion that is advanced from event to event. The lower level of
/// [`run_event_driven`](super::run_event_driven).
pub struct EventDriven<'a, M: Model> {
    pub(super) model: &'a M,
    pub(super) place: M::Place,
    pub(super) settings: Settings,
    pub(super) state: State,
    pub(super) modes: Vec<Mode>,
    /// Contacts that slide without load, on friction alone.
    pub(super) skims: Vec<bool>,
    /// The directions of slip in space, of contacts that slide.
    pub(super) slips: Vec<[f64; 3]>,
    /// All contacts but connections, which act inside the model; and where the components of each candidate begin.
    pub(super) all: Vec<usize>,
    pub(super) starts: Vec<usize>,
    /// The equations at the state, for the contacts that an event is about.
    pub(super) local: Accelerations,
    pub(super) problem: ContactProblem,
    pub(super) seen: Vec<Candidate>,
    pub(super) motion: Motion,
    pub(super) step: Step,
    pub(super) watch: Watch,
    pub(super) solver: ContactSolver,
    pub(super) impact: Impact,
    /// γ⁻ of an impact.
    pub(super) before: Vec<f64>,
    pub(super) accumulation: Accumulation,
    pub(super) sampling: Sampling,
    pub(super) totals: Totals,
    pub(super) counts: Counts,
    pub(super) gaps: Vec<f64>,
    pub(super) constraints: Constraints,
    /// The modes since the start, if they are to be written down.
    phases: Option<Vec<Phase>>,
    /// Contacts touch at the start; what they do is yet to be found.
    pub(super) touches: bool,
    /// The mode was chosen at this state and no step was made yet.
    pub(super) fresh: bool,
    /// How often in this mode a function at zero was looked at more closely.
    pub(super) at_once: usize,
    pub(super) h: f64,
    pub(super) energy_start: Energy,
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
    /// The worst certificate since the last sample.
    pub(super) worst: f64,
    pub(super) created: (usize, f64),
    pub(super) drift: Drift,
    pub(super) constraint_drift: f64,
    pub(super) redundancy: usize,
    pub(super) start_moved: Option<StartMoved>,
    /// Transitions in a row without progress in time.
    pub(super) idle: usize,
}

impl<'a, M: Model> EventDriven<'a, M> {
    /// Begins at a state of any model. Contacts with a gap of zero or less touch: the start is moved onto them and onto the joints, loops
    /// and bars that the model keeps itself, and the report says by how much.
    ///
    /// # Errors
    /// If the start, the model or a setting is refused, the start lies deeper inside a contact or farther off joints than rounding to
    /// two digits explains (a hundredth of the coordinates), or the model returns what is not finite.
    pub fn new(model: &'a M, start: &State, settings: &Settings) -> Result<Self, Error> {
        let mut motion = Self::at(model, start, settings)?;
        motion.hold_constraints(ROUNDING)?;
        motion.check_start_on_constraints(start)?;
        motion.touching()?;
        motion.counts.start_moved = StartMoved::between(start, &motion.state);
        motion.step.begin_run(model, &motion.state.q);
        motion.energy_start = motion.energy();
        Ok(motion)
    }

    /// At a state, as if nothing touched.
    pub(super) fn at(model: &'a M, start: &State, settings: &Settings) -> Result<Self, Error> {
        model.validate(&start.q, &start.u)?;
        if !start.t.is_finite() {
            return Err(Error::NotFinite { what: "the state", t: start.t });
        }
        settings.validate()?;
        let (nq, dof) = (model.coordinates(), model.velocities());
        if dof == 0 {
            return Err(Error::Size { what: "the list of coordinates", expected: 1, found: 0 });
        }
        let (mut place, mut seen) = (M::Place::default(), Vec::new());
        model.detect(&mut place, &Span::still(start), &mut seen)?;
        let laws: Vec<Law> = (0..seen.len()).map(|i| model.law(&place, i).clone()).collect();
        laws.iter().try_for_each(|law| takes(law, settings))?;
        if model.finds_contacts() {
            return Err(Error::Combination {
                part: "integrator event_driven",
                other: "contacts that collision detection finds",
                reason: "it follows contacts that are known from the start; give the pairs that touch one by one, or take a \
                         time-stepping integrator",
            });
        }
        if model.laws_vary() {
            return Err(Error::Combination {
                part: "integrator event_driven",
                other: "friction that depends on the configuration or on time",
                reason: "it locates the end of stick by the coefficient at rest, which must not move; let mu depend on slip \
                         alone, or take a time-stepping integrator",
            });
        }
        let (n, mut starts, mut rows) = (laws.len(), Vec::new(), 0);
        for law in &laws {
            starts.push(rows);
            rows += law.components();
        }
        let totals = Totals {
            impulse: vec![0.0; rows],
            friction: vec![0.0; n],
            impacts: vec![0.0; n],
            drive: vec![0.0; n],
            forces: 0.0,
        };
        let connects = |i: &usize| matches!(laws[*i].kind, Kind::Bilateral(_));
        let all: Vec<usize> = (0..n).filter(|i| !connects(i)).collect();
        let mode = |i: usize| if connects(&i) { Mode::Fixed } else { Mode::Open };
        let modes: Vec<Mode> = (0..n).map(mode).collect();
        Ok(Self {
            motion: Motion::new(laws, dof),
            step: Step::new(model),
            watch: Watch::new(nq, dof, n),
            solver: ContactSolver::new(settings.solver.clone())?,
            impact: Impact::default(),
            before: Vec::new(),
            accumulation: Accumulation::new(n),
            sampling: Sampling::new(start.t, settings.sample_every, [nq, dof, n, rows]),
            settings: settings.clone(),
            state: start.clone(),
            modes,
            skims: vec![false; n],
            slips: vec![[0.0; 3]; n],
            all,
            starts,
            local: Accelerations::default(),
            problem: ContactProblem::default(),
            seen,
            gaps: vec![0.0; n],
            constraints: Constraints::new(nq, dof),
            counts: Counts::default(),
            phases: None,
            touches: false,
            fresh: true,
            at_once: 0,
            h: 0.0,
            model,
            place,
            totals,
            energy_start: Energy::default(),
        })
    }

    /// Goes on from another state in given modes, as a new start with zero totals: bodies are put on their joints, closed contacts
    /// on g = 0 and γ_N = 0, sticking ones on γ_T = 0, by the smallest change in the norm of the mass matrix.
    ///
    /// # Errors
    /// If the state or the number of modes is refused.
    pub fn restart(&mut self, start: &State, modes: &[Mode]) -> Result<(), Error> {
        check_sizes(self.model, &start.q, &start.u)?;
        if modes.len() != self.modes.len() {
            let (expected, found) = (self.modes.len(), modes.len());
            return Err(Error::Size { what: "the list of modes", expected, found });
        }
        self.state.clone_from(start);
        self.hold_constraints(ROUNDING)?;
        self.model.validate(&self.state.q, &self.state.u)?;
        self.modes.copy_from_slice(modes);
        self.skims.fill(false);
        self.touches = false;
        let t = &mut self.totals;
        for list in [&mut t.impulse, &mut t.friction, &mut t.impacts, &mut t.drive] {
            list.fill(0.0);
        }
        t.forces = 0.0;
        self.counts = Counts::default();
        if let Some(phases) = &mut self.phases {
            phases.clear();
        }
        self.step.begin_run(self.model, &self.state.q);
        self.accumulation.reset();
        self.sampling.reset(start.t);
        self.enter_modes()?;
        self.counts.start_moved = StartMoved::between(start, &self.state);
        for c in self.closed()? {
            self.slips[c.contact] = c.slip.unwrap_or_default();
        }
        self.energy_start = self.energy();
        self.mode_chosen();
        self.find_skims()
    }

    /// Sets the clock back by one period of a system that is driven with that period, to the time given.
    pub(crate) fn rewind(&mut self, to: f64) {
        let by = self.state.t - to;
        self.accumulation.shift(-by);
        self.state.t = to;
        self.sampling.reset(to);
        self.fresh = true;
    }

    /// The state now.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What every contact does now.
    #[must_use]
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// Impulses and works since the start.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Writes down the modes from now on.
    pub fn record_phases(&mut self) {
        self.phases = Some(vec![Phase { t: self.state.t, modes: self.modes.clone() }]);
    }

    /// The modes written down, in order of time.
    #[must_use]
    pub fn phases(&self) -> &[Phase] {
        self.phases.as_deref().unwrap_or_default()
    }

    /// The largest size of each velocity so far.
    #[must_use]
    pub fn velocity_sizes(&self) -> &[f64] {
        &self.step.size_u
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'a M {
        self.model
    }

    /// Energy now.
    pub fn energy(&mut self) -> Energy {
        self.model.energy(&self.state.q, &self.state.u, self.state.t)
    }

    /// Evaluations of accelerations so far: a measure of cost.
    #[must_use]
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
        loop {
            if let Some(reached) = self.advance_leg(until, usize::MAX, &mut section, observer)? {
                return Ok(reached);
            }
        }
    }

    /// The same, by a number of steps at most; none if it has not come to an end then.
    pub(super) fn advance_leg<O: Observer + ?Sized>(
        &mut self,
        until: f64,
        steps: usize,
        section: &mut Option<&mut dyn Section>,
        observer: &mut O,
    ) -> Result<Option<Reached>, Error> {
        if self.first_sample(observer)? == Flow::Stop {
            return Ok(Some(Reached::Stopped));
        }
        if std::mem::take(&mut self.touches)
            && let Err(why) = self.transition(observer)?
        {
            return Ok(Some(Reached::Failed(why)));
        }
        self.fresh = true;
        let last = self.counts.steps.saturating_add(steps);
        let reached = loop {
            if std::mem::take(&mut self.sampling.stopped) {
                break Reached::Stopped;
            }
            if let Some(stop) = self.over_limits() {
                break Reached::Failed(stop);
            }
            self.settle_accumulation(observer);
            if !(self.state.t < until) {
                break Reached::Time;
            }
            if self.counts.steps >= last {
                return Ok(None);
            }
            let limit = until.min(self.accumulation.pending());
            let progress = self.smooth(limit, section)?;
            if let Some(reached) = self.follow(progress, section, observer)? {
                break reached;
            }
        };
        if matches!(reached, Reached::Time | Reached::Failed(_)) {
            self.last_sample(observer)?;
        }
        Ok(Some(reached))
    }

    /// Takes a step over and does what it calls for; where the advance ends, if it does.
    fn follow<O: Observer + ?Sized>(
        &mut self,
        progress: Progress,
        section: &mut Option<&mut dyn Section>,
        observer: &mut O,
    ) -> Result<Option<Reached>, Error> {
        if let Progress::Failed(why) = progress {
            let before = self.section_value(section);
            if !self.rescue(observer)? {
                return Ok(Some(Reached::Failed(why)));
            }
            return Ok(self.has_crossed(before, section));
        }
        self.accept()?;
        if self.step_samples(observer)? == Flow::Stop {
            return Ok(Some(Reached::Stopped));
        }
        if matches!(progress, Progress::Smooth) && !self.watch.fade(&self.motion.laws) {
            self.fresh = self.correct_drift()?;
            return Ok(None);
        }
        if self.watch.fired.contains(&Subject::Section) {
            return Ok(Some(Reached::Section));
        }
        let before = self.section_value(section);
        if let Err(why) = self.transition(observer)? {
            return Ok(Some(Reached::Failed(why)));
        }
        Ok(self.has_crossed(before, section))
    }

    /// Whether an event has taken the section over zero from this value.
    fn has_crossed(&self, before: f64, section: &mut Option<&mut dyn Section>) -> Option<Reached> {
        (before < 0.0 && self.section_value(section) >= 0.0).then_some(Reached::Section)
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

    /// Keeps the worst certificate.
    pub(super) fn certify(&mut self, certificate: Certificate) {
        self.counts.worst = self.counts.worst.max(certificate.worst);
        if certificate.worst > self.counts.certificate.worst {
            self.counts.certificate = certificate;
            self.counts.certificate_t = self.state.t;
        }
    }

    /// Prepares the parts for the modes just chosen.
    pub(super) fn mode_chosen(&mut self) {
        let noise = &self.watch.slip_noise;
        self.motion.set_modes(&self.modes, &self.skims, &self.slips, noise);
        self.watch.set_modes(&self.modes, &self.skims, &self.motion.laws);
        (self.fresh, self.at_once) = (true, 0);
        let t = self.state.t;
        if let Some(phases) = &mut self.phases {
            match phases.last_mut() {
                Some(last) if last.modes == self.modes => {}
                Some(last) if last.t == t => last.modes.copy_from_slice(&self.modes),
                _ => phases.push(Phase { t, modes: self.modes.clone() }),
            }
        }
    }

    /// The report of the motion so far.
    pub fn report(&mut self, end: End) -> Report {
        let (c, t) = (&self.counts, &self.totals);
        let work = [&t.friction, &t.impacts, &t.drive].into_iter().flatten().sum();
        Report {
            end,
            steps: c.steps,
            split_steps: 0,
            plastic_steps: 0,
            missed_steps: 0,
            swept_steps: 0,
            contact_steps: self.motion.contact_evaluations,
            asleep: 0,
            woken: 0,
            sleep_energy: 0.0,
            impacts: c.impacts,
            events: c.events,
            iterations: c.iterations,
            certificate: c.certificate,
            certificate_t: c.certificate_t,
            certificate_bodies: None,
            energy_start: self.energy_start,
            contact_work: work,
            force_work: t.forces,
            energy_created: c.created,
            drift: c.drift,
            constraint_drift: c.constraint_drift,
            settling: 0.0,
            redundancy: c.redundancy,
            start_moved: c.start_moved,
            state: self.state.clone(),
            energy_end: self.model.energy(&self.state.q, &self.state.u, self.state.t),
        }
    }
}

/// Refuses laws that events are not known for, or that the settings exclude.
fn takes(law: &Law, settings: &Settings) -> Result<(), Error> {
    let refuse =
        |other, reason| Err(Error::Combination { part: "integrator event_driven", other, reason });
    match law.kind {
        Kind::Frictionless | Kind::Planar | Kind::Disc => {}
        // Connections act inside of the model, and have no phases.
        Kind::Bilateral(_) => return Ok(()),
        Kind::Dry(_) => {
            return refuse(
                "dry friction or a motor of a joint",
                "it knows friction of contacts alone; put it into a joint force, or take a time-stepping integrator",
            );
        }
        _ => {
            return refuse(
                "a friction set that is not the disc",
                "it knows isotropic friction, and none of spin; choose a disc as the friction set, or a time-stepping integrator (moreau_midpoint, moreau_jean or gap_level)",
            );
        }
    }
    // Stick ends where the friction of slip is reached, so that one coefficient of friction is all that can be had.
    if law.distinct_static().is_some() {
        return refuse(
            "mu_static > mu",
            "it locates the end of stick by one coefficient of friction; take a time-stepping integrator, or leave \
             mu_static out",
        );
    }
    settings.impact.takes(settings.solver.formulation, law)
}
