//! Time stepping for bodies in space: Moreau's midpoint rule with the contacts of the predicted midpoint.

use crate::contact::{Certificate, ContactProblem, Law, Mode};
use crate::error::{Error, check};
use crate::integrators::Unsolved;
use crate::mechanism::{Candidate, Mechanism};
use crate::run::{Stage, Stopwatch};
use crate::solve::{self, ContactSolver};
use crate::system::State;

/// Settings of a [`SpaceStepper`].
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceSettings {
    /// Formulation, solver, tolerance. Default: the exact cone, `auto`, 1e-9.
    pub solve: solve::Settings,
    /// Whether contacts start at the impulses of the last step. Default true.
    pub warm_start: bool,
    /// A contact takes part while its gap is at most this. Default 0.
    pub margin: f64,
    /// Whether contact laws ask for the velocity at the end of the step, with contact points and normals where they are then,
    /// rather than where they are at the midpoint. Second order for contacts that stay and move; false is Moreau's rule as
    /// it stands. Default true.
    pub follow: bool,
    /// How often the contact problem of a step is posed: again with the gyroscopic answer to the impulses of the last time.
    /// At least 1; 2 keeps second order. Default 2.
    pub passes: usize,
    /// Whether coordinates and velocities are put back on the constraints of the model after each step. Default true.
    pub stabilise: bool,
}

impl Default for SpaceSettings {
    fn default() -> Self {
        let solve = solve::Settings {
            formulation: solve::Formulation::Cone,
            tolerance: 1e-9,
            ..solve::Settings::default()
        };
        Self { solve, warm_start: true, margin: 0.0, follow: true, passes: 2, stabilise: true }
    }
}

impl SpaceSettings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        self.solve.validate()?;
        let (m, passes) = (self.margin, self.passes);
        check(|| "passes".into(), passes as f64, passes >= 1, "a whole number >= 1")?;
        check(|| "margin".into(), m, m >= 0.0, "a finite number >= 0")
    }
}

/// No more passes are made once velocities change by less than this share.
const SETTLED: f64 = 4.0 * f64::EPSILON;

/// What the last step did.
#[derive(Clone, Debug, Default)]
pub struct SpaceOutcome {
    /// The candidates at the midpoint.
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
    /// Iterations of the solver.
    pub iterations: usize,
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
    bias: Vec<f64>,
    /// γ of the velocity at the beginning, at the predicted end of the step.
    moved: Vec<f64>,
    laws: Vec<Law>,
    identities: Vec<u64>,
}

impl SpaceStepper {
    /// A stepper for mechanisms of this size.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new<M: Mechanism + ?Sized>(
        mechanism: &M,
        settings: SpaceSettings,
    ) -> Result<Self, Error> {
        settings.validate()?;
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
            bias: Vec::new(),
            moved: Vec::new(),
            laws: Vec::new(),
            identities: Vec::new(),
        })
    }

    /// What the last step did.
    pub fn outcome(&self) -> &SpaceOutcome {
        &self.outcome
    }

    /// The contact problem of the last step with contacts.
    pub fn problem(&self) -> &ContactProblem {
        &self.problem
    }

    /// One step of length `dt`. If there is no answer, the state is unchanged.
    ///
    /// # Errors
    /// If the model returns a number that is not finite, or refuses.
    pub fn step<M: Mechanism + ?Sized, W: Stopwatch>(
        &mut self,
        mechanism: &mut M,
        state: &mut State,
        dt: f64,
        watch: &mut W,
    ) -> Result<Result<(), Unsolved>, Error> {
        let State { t, q, u } = state;
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
        let (impulse, stabilise) = (&self.outcome.impulse, self.settings.stabilise);
        let (end, there) = (&mut self.end, &mut self.q);
        self.outcome.drift = mechanism.conclude((q, u, *t), dt, impulse, stabilise, end, there)?;
        q.copy_from_slice(&self.q);
        u.copy_from_slice(&self.end);
        *t += dt;
        watch.lap(Stage::Advance);
        Ok(Ok(()))
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
        mechanism.relative_velocity(u, &mut self.outcome.before);
        self.moved.clear();
        if self.settings.follow {
            mechanism.advance(q, u, u, dt, &mut self.q);
            mechanism.relative_velocity_at(&self.q, t + dt, u, &mut self.moved);
        }
        for pass in 1..=self.settings.passes {
            if let Err(unsolved) = self.contact(mechanism, dt, watch)? {
                return Ok(Err(unsolved));
            }
            if pass < self.settings.passes
                && mechanism.settle(q, u, t, dt, &self.end, &mut self.free)? <= SETTLED
            {
                break;
            }
        }
        mechanism.relative_velocity(&self.end, &mut self.outcome.after);
        watch.lap(Stage::Certify);
        Ok(Ok(()))
    }

    fn contact<M: Mechanism + ?Sized, W: Stopwatch>(
        &mut self,
        mechanism: &mut M,
        dt: f64,
        watch: &mut W,
    ) -> Result<Result<(), Unsolved>, Error> {
        mechanism.relative_velocity(&self.free, &mut self.bias);
        self.add_restitution(dt);
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
    /// from which they differ by −δ and δ, γ⁺ + ε γ⁻ has (1 − ε) δ more.
    fn add_restitution(&mut self, dt: f64) {
        let o = &self.outcome;
        self.laws.clear();
        self.identities.clear();
        let mut row = 0;
        for &i in &o.active {
            let c = &o.candidates[i];
            self.identities.push(c.identity);
            let law = Law { radius: c.law.radius * dt, ..c.law.clone() };
            let normals = row + law.kind.normals();
            for r in row..row + law.components() {
                let eps = if r < normals { law.eps_n } else { law.eps_t };
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
    }
}
