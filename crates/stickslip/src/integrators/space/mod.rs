//! Time stepping for bodies in space. Moreau's midpoint rule is here, the other methods are in `weighted`.

mod loads;
mod settings;
mod weighted;

pub use settings::{SpaceMethod, SpaceSettings};

use crate::contact::solve::ContactSolver;
use crate::contact::{Certificate, ContactProblem, Kind, Law, Mode};
use crate::error::{Error, check};
use crate::integrators::Unsolved;
use crate::mechanism::{Candidate, FrictionLimit, Mechanism};
use crate::run::{Stage, Stopwatch};
use crate::system::State;

/// No more passes are made once velocities change by less than this share.
const SETTLED: f64 = 4.0 * f64::EPSILON;
/// Most further passes for a model that ends steps with settled velocities, until these meet the laws to the tolerance.
const MORE_PASSES: usize = 10;

/// What the last step did.
#[derive(Clone, Debug, Default)]
pub struct SpaceOutcome {
    /// The candidates at the midpoint, or at the beginning by Stewart and Trinkle's method.
    pub candidates: Vec<Candidate>,
    /// Which of them took part.
    pub active: Vec<usize>,
    /// Λ, the components of each active one in turn.
    pub impulse: Vec<f64>,
    /// γ at the beginning of the step.
    pub before: Vec<f64>,
    /// γ at its end.
    pub after: Vec<f64>,
    /// What each active one does.
    pub modes: Vec<Mode>,
    /// How far the step is from the laws that its formulation stands for.
    pub certificate: Certificate,
    /// How far it is from the laws themselves, where these are others.
    pub model: Option<Certificate>,
    /// How far the coordinates were off the constraints of the model before they were put back.
    pub drift: f64,
    /// How far the velocity at the end of the step, on the constraints of the model, is from the one that the laws were
    /// solved for: the largest difference as a share of the largest velocity. 0 without contacts.
    pub settling: f64,
    /// Iterations of the solver.
    pub iterations: usize,
    /// How far limits of load-dependent friction are from what their loads allow, as a share; 0 without such friction.
    pub load_error: f64,
}

/// Moves any [`Mechanism`] step by step, on storage that it keeps.
#[derive(Debug)]
pub struct SpaceStepper {
    settings: SpaceSettings,
    solver: ContactSolver,
    problem: ContactProblem,
    outcome: SpaceOutcome,
    middle: Vec<f64>,
    free: Vec<f64>,
    end: Vec<f64>,
    q: Vec<f64>,
    /// Of the iteration before, or the velocity of the displacement.
    last: Vec<f64>,
    /// Of all candidates at the end of the motion without contact.
    gaps: Vec<Option<f64>>,
    bias: Vec<f64>,
    /// γ of the velocity at the beginning, at the predicted end of the step.
    moved: Vec<f64>,
    laws: Vec<Law>,
    /// Of load-dependent friction: those of the last solve of the step, and those that follow from it.
    limits: Vec<Option<FrictionLimit>>,
    next_limits: Vec<Option<FrictionLimit>>,
    /// Limits of the problem before, and those that its answer allowed.
    secants: Vec<[f64; 2]>,
    identities: Vec<u64>,
}

impl SpaceStepper {
    /// A stepper for mechanisms of this size.
    ///
    /// # Errors
    /// If a setting is out of range, or does not go together with the model.
    pub fn new<M: Mechanism + ?Sized>(
        mechanism: &M,
        settings: SpaceSettings,
    ) -> Result<Self, Error> {
        settings.validate()?;
        settings.fits(mechanism)?;
        let (n, f) = (mechanism.coordinates(), mechanism.velocities());
        Ok(Self {
            solver: ContactSolver::new(settings.solve.clone())?,
            settings,
            problem: ContactProblem::default(),
            outcome: SpaceOutcome::default(),
            middle: vec![0.0; n],
            free: vec![0.0; f],
            end: vec![0.0; f],
            q: vec![0.0; n],
            last: Vec::new(),
            gaps: Vec::new(),
            bias: Vec::new(),
            moved: Vec::new(),
            laws: Vec::new(),
            limits: Vec::new(),
            next_limits: Vec::new(),
            secants: Vec::new(),
            identities: Vec::new(),
        })
    }

    /// What the last step did.
    #[must_use]
    pub fn outcome(&self) -> &SpaceOutcome {
        &self.outcome
    }

    /// The contact problem of the last step with contacts.
    #[must_use]
    pub fn problem(&self) -> &ContactProblem {
        &self.problem
    }

    /// One step of length `dt`. If there is no answer, the state is unchanged.
    ///
    /// # Errors
    /// If the step is not positive, the state or the model is not of the size that the stepper was made for, or the model returns a
    /// number that is not finite, or refuses.
    pub fn step<M: Mechanism + ?Sized, W: Stopwatch>(
        &mut self,
        mechanism: &mut M,
        state: &mut State,
        dt: f64,
        watch: &mut W,
    ) -> Result<Result<(), Unsolved>, Error> {
        self.check_step(mechanism, state, dt)?;
        if self.settings.method != SpaceMethod::MoreauMidpoint {
            return self.weighted(mechanism, state, dt, watch);
        }
        let State { t, q, u } = &*state;
        mechanism.advance(q, u, u, 0.5 * dt, &mut self.middle);
        self.detect(mechanism, *t + 0.5 * dt)?;
        watch.lap(Stage::Detect);
        mechanism.free(q, u, *t, dt, &mut self.free)?;
        watch.lap(Stage::Free);
        self.end.copy_from_slice(&self.free);
        if self.outcome.active.is_empty() {
            self.no_contact();
        } else if let Err(unsolved) = self.contacts(mechanism, (q, u, *t), dt, watch)? {
            return Ok(Err(unsolved));
        }
        self.last.clear();
        self.last.extend_from_slice(&self.end);
        let (impulse, stabilise) = (&self.outcome.impulse, self.settings.stabilise);
        let (end, there) = (&mut self.end, &mut self.q);
        self.outcome.drift = mechanism.conclude((q, u, *t), dt, impulse, stabilise, end, there)?;
        self.compare_ends(mechanism);
        self.end_step(state, dt);
        watch.lap(Stage::Advance);
        Ok(Ok(()))
    }

    fn check_step<M: Mechanism + ?Sized>(
        &self,
        mechanism: &M,
        state: &State,
        dt: f64,
    ) -> Result<(), Error> {
        check(|| "the length of a step".into(), dt, dt > 0.0, "a finite number > 0")?;
        check(|| "the time of a state".into(), state.t, true, "a finite number")?;
        for (what, expected, found) in [
            (
                "the coordinates of a model that a stepper was not made for",
                self.q.len(),
                mechanism.coordinates(),
            ),
            (
                "the velocities of a model that a stepper was not made for",
                self.end.len(),
                mechanism.velocities(),
            ),
            ("the coordinates q of a state", self.q.len(), state.q.len()),
            ("the velocities u of a state", self.end.len(), state.u.len()),
        ] {
            if expected != found {
                return Err(Error::Size { what, expected, found });
            }
        }
        Ok(())
    }

    /// What putting the velocity on the constraints of the model changed of the contacts.
    fn compare_ends<M: Mechanism + ?Sized>(&mut self, mechanism: &M) {
        if self.outcome.active.is_empty() {
            return;
        }
        mechanism.relative_velocity(&self.end, &mut self.outcome.after);
        let ends = || self.last.iter().zip(&self.end);
        let size = ends().fold(0.0_f64, |m, (a, b)| m.max(a.abs()).max(b.abs()));
        let change = ends().fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        self.outcome.settling = if size > 0.0 { change / size } else { 0.0 };
    }

    /// Makes the end of the step the state.
    fn end_step(&self, state: &mut State, dt: f64) {
        state.q.copy_from_slice(&self.q);
        state.u.copy_from_slice(&self.end);
        state.t += dt;
    }

    fn detect<M: Mechanism + ?Sized>(&mut self, mechanism: &mut M, t: f64) -> Result<(), Error> {
        let o = &mut self.outcome;
        o.candidates.clear();
        mechanism.detect(&self.middle, t, &mut o.candidates)?;
        o.active.clear();
        for (i, c) in o.candidates.iter().enumerate() {
            if c.gap.is_some_and(|g| !g.is_finite()) {
                return Err(Error::NotFinite { what: "a gap", t });
            }
            if c.gap.is_none_or(|g| g <= self.settings.margin) {
                o.active.push(i);
            }
        }
        Ok(())
    }

    /// Poses and solves the contact problem until rotation answers its impulses.
    fn contacts<M: Mechanism + ?Sized, W: Stopwatch>(
        &mut self,
        mechanism: &mut M,
        (q, u, t): (&[f64], &[f64], f64),
        dt: f64,
        watch: &mut W,
    ) -> Result<Result<(), Unsolved>, Error> {
        mechanism.collect(&self.outcome.active);
        self.look(mechanism, (q, u, t), dt);
        let (passes, tolerance) = (self.settings.passes, self.settings.solve.tolerance);
        let more = if mechanism.ends_settled() { MORE_PASSES } else { 0 };
        let mut last = f64::INFINITY;
        for pass in 1..=passes + more {
            if let Err(unsolved) = self.contact(mechanism, dt, watch)? {
                return Ok(Err(unsolved));
            }
            if pass == passes + more {
                break;
            }
            let change = mechanism.settle(q, u, t, dt, &self.end, &mut self.free)?;
            let met = pass >= passes && (change <= tolerance || change >= 0.5 * last);
            if change <= SETTLED || met {
                break;
            }
            last = change;
        }
        watch.lap(Stage::Certify);
        Ok(Ok(()))
    }

    /// γ of the velocity at the beginning, at the contacts collected and where they are predicted to end.
    fn look<M: Mechanism + ?Sized>(
        &mut self,
        mechanism: &mut M,
        (q, u, t): (&[f64], &[f64], f64),
        dt: f64,
    ) {
        mechanism.relative_velocity(u, &mut self.outcome.before);
        self.limits.clear();
        self.moved.clear();
        if self.settings.follow && self.settings.method != SpaceMethod::StewartTrinkle {
            mechanism.advance(q, u, u, dt, &mut self.q);
            mechanism.relative_velocity_at(&self.q, t + dt, u, &mut self.moved);
        }
    }

    /// The contact problem of the laws as they are.
    fn solve<M: Mechanism + ?Sized, W: Stopwatch>(
        &mut self,
        mechanism: &mut M,
        watch: &mut W,
    ) -> Result<Result<(), Unsolved>, Error> {
        mechanism.pose(&self.bias, &self.laws, &mut self.problem)?;
        watch.lap(Stage::Pose);
        let answer = if self.settings.warm_start {
            self.solver.solve_identified(&self.problem, &self.identities)?
        } else {
            self.solver.solve(&self.problem)
        };
        watch.lap(Stage::Solve);
        if !answer.is_solved() {
            let (status, worst) = (answer.status, answer.certificate.worst);
            return Ok(Err(Unsolved { status, worst }));
        }
        self.end.copy_from_slice(&self.free);
        mechanism.apply(&answer.impulse, &mut self.end);
        let o = &mut self.outcome;
        (o.certificate, o.model, o.iterations) =
            (answer.certificate, answer.model, answer.iterations);
        let momentum = mechanism.momentum_error(&self.free, &self.end, &answer.impulse);
        o.certificate.set_momentum(momentum);
        o.impulse.clear();
        o.impulse.extend_from_slice(&answer.impulse);
        o.modes.clear();
        o.modes.extend((0..self.problem.contacts()).map(|i| answer.mode(&self.problem, i)));
        Ok(Ok(()))
    }

    /// The laws over a step, and ε γ⁻ in the bias. With γ⁻ and γ⁺ at the ends of the step rather than at its midpoint,
    /// from which they differ by −δ and δ, γ⁺ + ε γ⁻ has (1 − ε) δ more. Connections with ε = 1 exclude motions of the
    /// velocity θ u⁺ + (1 − θ) u of the displacement, so ε is (1 − θ) / θ. Gaps of Stewart and Trinkle's method add g / Δt.
    fn add_restitution(&mut self, dt: f64) {
        let method = self.settings.method;
        let past = (1.0 - method.motion()) / method.motion();
        let o = &self.outcome;
        self.laws.clear();
        self.identities.clear();
        let mut row = 0;
        for &i in &o.active {
            let c = &o.candidates[i];
            self.identities.push(c.identity);
            let law = Law { radius: c.law.radius * dt, ..c.law.clone() };
            let normals = row + law.kind.normals();
            let share = if matches!(law.kind, Kind::Bilateral(_)) { past } else { 1.0 };
            if let Some(gap) = c.gap
                && method == SpaceMethod::StewartTrinkle
            {
                self.bias[row] += gap / dt;
            }
            for r in row..row + law.components() {
                let eps = share * if r < normals { law.eps_n } else { law.eps_t };
                let delta = self.moved.get(r).map_or(0.0, |moved| moved - o.before[r]);
                self.bias[r] += eps * o.before[r] + (1.0 - eps) * delta;
            }
            row += law.components();
            self.laws.push(law);
        }
    }

    fn no_contact(&mut self) {
        let o = &mut self.outcome;
        o.impulse.clear();
        o.before.clear();
        o.after.clear();
        o.modes.clear();
        (o.certificate, o.model, o.iterations) = (Certificate::default(), None, 0);
        (o.load_error, o.settling) = (0.0, 0.0);
    }
}
