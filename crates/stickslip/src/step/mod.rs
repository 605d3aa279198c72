//! One stepper for all models: from a state to the next, in the eight stages of a step.
//!
//! `midpoint` is Moreau's rule, `theta` are the methods with the forces of both ends of a step, `paoli_schatzman` is the
//! scheme of two steps, `contact` poses and solves the contact problem, `jam` poses it again where friction jams bodies, `patience` says what is not tried in every step, `retry` what a step without an answer is tried again with, `loads` poses it again for load-dependent friction,
//! `activation` says which contacts take part, `sweep` makes steps in parts in which fast bodies meet, `refinement` takes rounding
//! out of velocities, `sleep` leaves out what has been still for long, and `correction` moves a configuration out of contacts.

mod activation;
mod contact;
mod correction;
mod jam;
mod loads;
mod memory;
mod midpoint;
mod paoli_schatzman;
mod patience;
mod refinement;
mod retry;
mod settings;
mod sleep;
mod sweep;
mod theta;

pub(crate) use memory::StepMemory;
pub use settings::{Integrator, Settings, exact};
pub use sleep::{AsleepContact, Sleep};

use crate::contact::solve::{ContactSolver, Formulation};
use crate::contact::solvers::anderson::Anderson;
use crate::contact::{Certificate, ContactProblem, Law, Mode};
use crate::dynamics::{copy, largest};
use crate::error::{Error, check};
use crate::impact::{Impact, ImpactLaw};
use crate::model::{Candidate, FrictionLimit, Model, Span};
use crate::run::{Stage, Stopwatch};
use crate::system::State;
use activation::Resting;
use complementarity::{Failure, Status};
use correction::Correction;
use patience::Patience;
use refinement::Refinement;
use retry::Retry;
use sleep::Sleeping;
use std::fmt;

/// What the last step did.
#[derive(Clone, Debug, Default)]
pub struct StepOutcome {
    /// The candidates at the midpoint, or at the beginning by `gap_level` and `paoli_schatzman`.
    pub candidates: Vec<Candidate>,
    /// Which of them took part.
    pub active: Vec<usize>,
    /// Λ, the components of each active one in turn.
    pub impulse: Vec<f64>,
    /// γ at the beginning of the step, or in its middle before forces and impulses where these act there at once.
    pub before: Vec<f64>,
    /// γ at its end, or after forces and impulses where these act at once: in the middle of steps in halves ([`Model::first_half`]), and at the beginning by
    /// `gap_level` and `paoli_schatzman`.
    pub after: Vec<f64>,
    /// What the motion of contact points and normals added to `before` since the beginning of the step, about; empty where they stay.
    pub bend: Vec<f64>,
    /// What of γ does not come from u: walls that move, belts that run.
    pub drive: Vec<f64>,
    /// What each active one does.
    pub modes: Vec<Mode>,
    /// How far the step is from the laws that its formulation stands for.
    pub certificate: Certificate,
    /// How far it is from the laws themselves, where these are others.
    pub model: Option<Certificate>,
    /// How far the coordinates were off the constraints of the model before they were put back.
    pub drift: f64,
    /// How far the velocity at the end of the step, on the constraints of the model, is from the one that the laws were
    /// solved for: the largest difference as a share of the largest velocity. 0 without contacts. Of the θ-method also the
    /// last change of its iteration, where the tolerance of the contact problem keeps it from getting smaller.
    pub settling: f64,
    /// Pivots or iterations of the solver.
    pub iterations: usize,
    /// How far limits of load-dependent friction are from what their loads allow, as a share; 0 without such friction.
    pub load_error: f64,
    /// The number of motions that joints or loops exclude twice: [`Model::redundancy`].
    pub redundancy: usize,
    /// Whether contacts were without restitution, because bodies are jammed: by Newton's law the step has no answer that was found, or one that
    /// makes more than half of the energy that there was.
    pub plastic: bool,
    /// Whether the certificate misses the tolerance: [`Settings::accept`].
    pub missed: bool,
    /// The contacts that hold bodies asleep, which took no part.
    pub asleep: Vec<AsleepContact>,
    /// Their impulses in this step, if the forces of their last step awake go on.
    pub asleep_impulse: Vec<f64>,
    /// How many bodies are asleep at the end of the step.
    pub asleep_bodies: usize,
    /// How many islands woke in the step.
    pub woken: usize,
    /// The kinetic energy that was taken from the bodies that fell asleep at its end.
    pub sleep_energy: f64,
}

/// A step without an answer that meets the tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unsolved {
    /// How the solve ended.
    pub status: Status,
    /// The worst measure of the certificate that the best answer reached.
    pub worst: f64,
    /// How many times larger than the velocities of the problem without impulses the largest is that a single impulse of that answer makes.
    pub response: f64,
}

/// Where single impulses make this many times the velocities that are left of all of them, few of the 16 digits of a number are left for the
/// tolerance of 10⁻⁹, and the certificate asks for more digits still.
const FAR_APART: f64 = 1e9;

/// Joints that change velocities by more than this share after the laws were met make energy of impacts: bodies turn too far in the step.
const UNSETTLED: f64 = 1e-3;
/// The turn of a body in a step, in radians, from which on its joints may need the step in parts because of it.
const WHIPS: f64 = 0.1;
/// The number of parts of a step from which on they are not made shorter because of that.
const SHORTEST: f64 = 32.0;

impl Unsolved {
    /// A step that ended for another reason than its contact problem.
    fn new(status: Status, worst: f64) -> Self {
        Self { status, worst, response: 1.0 }
    }

    /// Whether the best answer is this near to the laws, counted in the velocities of the problem, and no proof says that there is none.
    fn is_near(&self, share: f64) -> bool {
        matches!(self.status, Status::Failed(_)) && self.worst * self.response.max(1.0) <= share
    }

    /// A step that was given up.
    #[cold]
    fn given_up() -> Self {
        Self::new(Status::Failed(Failure::IterationLimit), f64::INFINITY)
    }

    /// A contact problem with the best answer that was found.
    #[cold]
    fn of(problem: &ContactProblem, impulse: &[f64], (status, worst): (Status, f64)) -> Self {
        let largest = |m: f64, x: f64| m.max(x.abs());
        let bias = problem.bias().iter().copied().fold(0.0, largest);
        let own = problem.delassus().diagonal_entries();
        let made = own.zip(impulse).map(|(w, lam)| w * lam).fold(0.0, largest);
        Self { status, worst, response: if bias > 0.0 { made / bias } else { 1.0 } }
    }

    /// What a person should know of a step from this time, and do about it.
    #[must_use]
    pub fn at(&self, t: f64) -> String {
        let Self { status, worst, response } = self;
        let step = format!(
            "the step from t = {t} has no certified answer: {status} (worst measure {worst:.1e})"
        );
        if *response >= FAR_APART {
            return format!(
                "{step}; a single impulse changes velocities {response:.0e} times as much as all of them together: the masses of bodies \
                 that touch are too far apart for numbers of 16 digits"
            );
        }
        format!("{step}; try a smaller dt, another formulation or solver")
    }
}

/// How a step ended.
#[must_use = "a step without an answer leaves the state as it was"]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepStatus {
    /// The state is that of the end of the step.
    Done,
    /// There is no answer; the state is unchanged.
    Unsolved(Unsolved),
}

impl StepStatus {
    /// The same as a result, for those that take a step without an answer as an error.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn done(self) -> Result<(), Unsolved> {
        match self {
            Self::Done => Ok(()),
            Self::Unsolved(unsolved) => Err(unsolved),
        }
    }
}

/// Why the stages of a step are not gone through to their end.
#[derive(Debug)]
enum Stop {
    Unsolved(Unsolved),
    Refused(Error),
    /// Fast bodies meet: a step of this length is to be made first.
    Meets(f64),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<stickslip_contact::Error> for Stop {
    fn from(error: stickslip_contact::Error) -> Self {
        Self::Refused(error.into())
    }
}

/// Moves a [`Model`] step by step, on storage that it keeps.
///
/// A contact takes part in a step if its gap is not positive where contacts are detected, but for rounding. One that took part in the last step and
/// came to rest there takes part for longer, as rounding lifts gaps above zero: while its gap is less than half the way that the
/// velocities of the contact problem cover in a step. A contact that takes part but does not approach transmits nothing, so
/// this changes nothing where gaps are open.
pub struct Stepper<M: Model> {
    settings: Settings,
    /// The model where its contacts are.
    place: M::Place,
    /// Of contact problems, and of the impacts of Poisson's law.
    solver: ContactSolver,
    impact_solver: Option<ContactSolver>,
    formulation: Formulation,
    tolerance: f64,
    /// Whether the method does not take every law.
    picky: bool,
    /// Whether contacts start at the impulses of the last step.
    warm: bool,
    problem: ContactProblem,
    outcome: StepOutcome,
    resting: Resting,
    sleeping: Sleeping,
    /// Whether a step has been made.
    begun: bool,
    impact: Impact,
    refinement: Refinement,
    retry: Retry,
    /// For each active contact whether restitution is left out of this step; none of them while empty.
    plastic: Vec<bool>,
    /// With problems that jammed contacts leave without an answer, and with long searches among many contacts.
    patience: Patience,
    searches: Patience,
    /// The island of each contact, and the energy that impulses make there.
    islands: Vec<usize>,
    made: Vec<f64>,
    /// If fast bodies are looked for that meet in a step, the length of the whole of which it is a part.
    sweeps: Option<f64>,
    /// The model where contacts are looked for that are not those of the step: ahead of it, where fast bodies meet, and where positions are corrected.
    elsewhere: M::Place,
    /// The length of the step of which this is a part, where shorter parts can be made.
    whole: Option<f64>,
    /// Whether `gap_level` pushes bodies out of contacts.
    push_out: bool,
    /// An impact of Poisson's law came before the step; the velocity without contact, and with it.
    impacted: bool,
    struck: Vec<f64>,
    correction: Option<Correction>,
    /// The coordinates where contacts are detected.
    at: Vec<f64>,
    /// The velocity there before forces and impulses act, where it is not that of the beginning: [`Model::first_half`].
    middle: Vec<f64>,
    free: Vec<f64>,
    free_before: Vec<f64>,
    end: Vec<f64>,
    q: Vec<f64>,
    /// Of the iteration before, or the velocity of the displacement.
    last: Vec<f64>,
    /// Of iterations that converge slowly.
    anderson: Anderson,
    change: Vec<f64>,
    /// The candidates at the end of the motion without contact, in the order of their identities.
    ahead: Vec<Candidate>,
    bias: Vec<f64>,
    /// What the motion of contact points and normals adds to γ from the midpoint to the end of the step, at the velocity of its
    /// beginning and at the one predicted for its end; empty where they stay.
    shift_before: Vec<f64>,
    shift_after: Vec<f64>,
    /// γ of a velocity.
    gamma: Vec<f64>,
    laws: Vec<Law>,
    /// Of load-dependent friction: those of the last solve of the step, and those that follow from it.
    limits: Vec<Option<FrictionLimit>>,
    next_limits: Vec<Option<FrictionLimit>>,
    /// Limits of the problem before, and those that its answer allowed.
    secants: Vec<[f64; 2]>,
    identities: Vec<u64>,
}

impl<M: Model> fmt::Debug for Stepper<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = f.debug_struct("Stepper");
        f.field("settings", &self.settings).field("outcome", &self.outcome).finish_non_exhaustive()
    }
}

impl<M: Model> Stepper<M> {
    /// A stepper for models of this size.
    ///
    /// # Errors
    /// If a setting is out of range, or does not go together with the model.
    pub fn new(model: &M, settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        settings.fits(model)?;
        let (n, f) = (model.coordinates(), model.velocities());
        let solve = settings.solve_for(model);
        // On the level of gaps there is no restitution but that of positions, and with it no second phase: both laws are one.
        let poisson = settings.impact == ImpactLaw::Poisson && !settings.integrator.at_positions();
        Ok(Self {
            impact_solver: poisson.then(|| ContactSolver::new(solve.clone())).transpose()?,
            correction: settings.correction.then(|| Correction::new(&solve)).transpose()?,
            warm: settings.warm_start
                && !(model.is_planar() && Formulation::PLANAR.contains(&solve.formulation)),
            formulation: solve.formulation,
            tolerance: solve.tolerance,
            picky: settings.integrator.at_positions()
                || settings.impact == ImpactLaw::Poisson
                || solve.formulation == Formulation::AnitescuPotra,
            solver: ContactSolver::new(solve)?,
            settings,
            place: M::Place::default(),
            problem: ContactProblem::default(),
            outcome: StepOutcome::default(),
            resting: Resting::default(),
            sleeping: Sleeping::default(),
            begun: false,
            impact: Impact::default(),
            refinement: Refinement::default(),
            retry: Retry::default(),
            patience: Patience::default(),
            searches: Patience::default(),
            plastic: Vec::new(),
            islands: Vec::new(),
            made: Vec::new(),
            sweeps: None,
            elsewhere: M::Place::default(),
            whole: None,
            push_out: true,
            impacted: false,
            struck: Vec::new(),
            at: vec![0.0; n],
            middle: Vec::new(),
            free: vec![0.0; f],
            free_before: vec![0.0; f],
            end: vec![0.0; f],
            q: vec![0.0; n],
            last: vec![0.0; f],
            anderson: Anderson::default(),
            change: Vec::new(),
            ahead: Vec::new(),
            bias: Vec::new(),
            shift_before: Vec::new(),
            shift_after: Vec::new(),
            gamma: Vec::new(),
            laws: Vec::new(),
            limits: Vec::new(),
            next_limits: Vec::new(),
            secants: Vec::new(),
            identities: Vec::new(),
        })
    }

    /// What the last step did.
    #[must_use]
    pub fn outcome(&self) -> &StepOutcome {
        &self.outcome
    }

    /// The model where the contacts of the last step were.
    #[must_use]
    pub fn place(&self) -> &M::Place {
        &self.place
    }

    /// The contact problem of the last step with contacts.
    #[must_use]
    pub fn problem(&self) -> &ContactProblem {
        &self.problem
    }

    /// One step of length `dt`. If there is no answer, the state is unchanged. Bodies that move by more than their thickness in it may pass
    /// through each other: [`step_within`](Self::step_within) does not let them.
    ///
    /// # Errors
    /// If the step is not positive, the state or the model is not of the size that the stepper was made for, or the model returns a
    /// number that is not finite, or refuses.
    pub fn step<W: Stopwatch>(
        &mut self,
        model: &M,
        state: &mut State,
        dt: f64,
        watch: &mut W,
    ) -> Result<StepStatus, Error> {
        self.check_step(model, state, dt)?;
        (self.sweeps, self.whole) = (None, None);
        match self.stages(model, state, dt, watch) {
            Ok(()) => Ok(StepStatus::Done),
            Err(Stop::Unsolved(unsolved)) => Ok(StepStatus::Unsolved(unsolved)),
            Err(Stop::Refused(error)) => Err(error),
            // Nothing is swept.
            Err(Stop::Meets(_)) => Ok(StepStatus::Unsolved(Unsolved::given_up())),
        }
    }

    /// The eight stages: detect, activate, free, pose, encode, solve, decode, advance. The five in the middle are gone through once by
    /// an explicit method, and until the velocity at the end is found by an implicit one.
    fn stages<W: Stopwatch>(
        &mut self,
        model: &M,
        state: &mut State,
        dt: f64,
        watch: &mut W,
    ) -> Result<(), Stop> {
        let span = Span { q: &state.q, u: &state.u, t: state.t, dt };
        self.outcome.settling = 0.0;
        self.plastic.clear();
        self.detect(model, &span)?;
        if let Some(whole) = self.sweeps {
            self.sweep(model, &span, whole)?;
        }
        self.activate(model, &span)?;
        self.wake(model, &span);
        watch.lap(Stage::Detect);
        if matches!(self.settings.integrator, Integrator::MoreauMidpoint) {
            self.midpoint(model, &span, watch)?;
        } else {
            self.theta(model, &span, watch)?;
        }
        self.keep_asleep(model, &span);
        if let Some(whole) = self.sweeps {
            self.sweep_end(model, &span, whole)?;
        }
        self.compare_ends(model, dt)?;
        self.retry = Retry::default();
        self.outcome.plastic = !self.plastic.is_empty();
        self.fall_asleep(model, &span);
        self.remember(dt);
        std::mem::swap(&mut state.q, &mut self.q);
        copy(&mut state.u, &self.end);
        state.t += dt;
        self.correct(model, state)?;
        self.outcome.redundancy = model.redundancy(&self.place);
        watch.lap(Stage::Advance);
        Ok(())
    }

    fn check_step(&self, model: &M, state: &State, dt: f64) -> Result<(), Error> {
        check(|| "the length of a step".into(), dt, dt > 0.0, "a finite number > 0")?;
        check(|| "the time of a state".into(), state.t, true, "a finite number")?;
        let same = model.coordinates() == self.q.len()
            && model.velocities() == self.end.len()
            && state.q.len() == self.q.len()
            && state.u.len() == self.end.len();
        if same { Ok(()) } else { Err(self.wrong_size(model, state)) }
    }

    #[cold]
    fn wrong_size(&self, model: &M, state: &State) -> Error {
        let (n, f) = (self.q.len(), self.end.len());
        let (what, expected, found) = if model.coordinates() != n {
            ("the coordinates of a model that a stepper was not made for", n, model.coordinates())
        } else if model.velocities() != f {
            ("the velocities of a model that a stepper was not made for", f, model.velocities())
        } else if state.q.len() != n {
            ("the coordinates q of a state", n, state.q.len())
        } else {
            ("the velocities u of a state", f, state.u.len())
        };
        Error::Size { what, expected, found }
    }

    /// What putting the velocity on the constraints of the model changed of the contacts. Stops a part of a step in which that is much.
    fn compare_ends(&mut self, model: &M, dt: f64) -> Result<(), Stop> {
        if self.outcome.active.is_empty() {
            return Ok(());
        }
        // Laws are those of the velocity before the free motion that follows it.
        if !self.middle.is_empty() {
            return Ok(());
        }
        if !self.settings.integrator.at_positions() {
            model.relative_velocity(&self.place, &self.end, &mut self.outcome.after);
        }
        if self.last == self.end {
            return Ok(());
        }
        // At rest both are rounding of the velocity that contacts take away.
        let mut size = largest(&self.free);
        let mut change = 0.0_f64;
        for (a, b) in self.last.iter().zip(&self.end) {
            size = size.max(a.abs()).max(b.abs());
            change = change.max((a - b).abs());
        }
        let share = if size > 0.0 { change / size } else { 0.0 };
        let midpoint = matches!(self.settings.integrator, Integrator::MoreauMidpoint);
        let long = self.whole.is_some_and(|whole| dt * SHORTEST > whole);
        if midpoint && long && (share > UNSETTLED || self.whips(model, dt)) {
            return Err(Stop::Unsolved(Unsolved::new(Status::Failed(Failure::Stalled), share)));
        }
        self.outcome.settling = self.outcome.settling.max(share);
        Ok(())
    }

    /// Whether bodies turn so far in the step that their joints need it in parts: then they meet the ground elsewhere than in its middle.
    fn whips(&self, model: &M, dt: f64) -> bool {
        if model.parts(&self.place) <= 1 {
            return false;
        }
        dt * model.turn(&self.end) > WHIPS
    }

    fn no_contact(&mut self) {
        let o = &mut self.outcome;
        o.impulse.clear();
        o.before.clear();
        o.after.clear();
        o.drive.clear();
        o.modes.clear();
        (o.certificate, o.model, o.iterations) = (Certificate::default(), None, 0);
        (o.load_error, o.settling, o.missed) = (0.0, 0.0, false);
    }
}
