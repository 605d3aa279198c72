//! The alternating iteration of Panagiotopoulos 1975, \[3\] ref. \[16\]: one problem of all normals with the friction as it is, one of all
//! tangents with the normal impulses as they are, in turn until both agree.
//!
//! ```text
//! Λ_N:  0 ≤ W_NN Λ_N + (b_N + W_NT Λ_T) ⊥ Λ_N ≥ 0                          a problem without friction
//! Λ_T:  Λ_T ∈ r F,  −(W_TT Λ_T + b_T + W_TN Λ_N) normal to r F there       r = μ Λ_N + a fixed: a problem of dry friction
//! ```
//!
//! Both are problems of laws that the crate has, and convex where W is symmetric; they are solved by [`Cascade`]. Connections belong to
//! both. A fixed point is a solution of Coulomb's law. The iteration contracts where μ times the coupling of normals and tangents is small:
//! with one planar contact that slides its factor is μ |W_NT| / W_NN, and beyond 1 it diverges or goes round between two points, though there is
//! a solution. It is here for comparison.

use super::{BlockForm, Cascade, FormBuffer, Method, cascade, check_tolerance, method};
use crate::block::BlockList;
use crate::error::check_setting;
use crate::law::Rule;
use crate::solve::ContactSolution;
use crate::{Certificate, ContactProblem, Error, Law};
use complementarity::{Failure, Status};
use std::ops::Range;
use std::sync::Arc;

/// Settings of [`Alternating`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The certificate that counts as solved. Default 10⁻⁹.
    pub tolerance: f64,
    /// The most rounds of one normal and one tangential problem each. Default 1000.
    pub max_rounds: usize,
    /// The certificate of these two, as a share of the tolerance. Default 0.1.
    pub inner: f64,
    /// The rounds in which the best certificate has to fall by a tenth; if it does not, the iteration has stalled. Default 50.
    pub patience: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-9, max_rounds: 1000, inner: 0.1, patience: 50 }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    ///
    /// # Errors
    /// Names the setting.
    pub fn validate(&self) -> Result<(), Error> {
        check_tolerance("alternating", self.tolerance)?;
        let check = |setting, value, range, wanted| {
            check_setting("alternating", setting, value, range, wanted)
        };
        check("inner", self.inner, (0.0, 1.0), "greater than 0 and at most 1")?;
        check("max_rounds", self.max_rounds as f64, (0.0, f64::INFINITY), "at least 1")?;
        check("patience", self.patience as f64, (0.0, f64::INFINITY), "at least 1")
    }
}

/// What the best certificate has to fall to within the rounds of the patience.
const PROGRESS: f64 = 0.9;

/// Whether a law has a normal and a tangential problem: not where friction is known up to its size, which couples both.
pub(crate) fn takes(law: &Law) -> bool {
    law.sliding.is_none()
}

/// The alternating iteration; see the [module](self). Iterations are rounds.
#[derive(Clone, Debug, Default)]
pub struct Alternating {
    settings: Settings,
    normal: Half,
    tangential: Half,
    /// The impulses outside of a half, and the velocities that they make.
    others: Vec<f64>,
    velocity: Vec<f64>,
    best: Vec<f64>,
    buffer: FormBuffer,
    pub(crate) solution: ContactSolution,
}

/// The problem of all normals or of all tangents, with the connections.
#[derive(Clone, Debug, Default)]
struct Half {
    problem: ContactProblem,
    /// The contacts that have rows in it, and these rows of the whole problem.
    contacts: Vec<usize>,
    rows: Vec<Range<usize>>,
    place: Vec<usize>,
    sizes: Vec<usize>,
    list: BlockList,
    bias: Vec<f64>,
    laws: Vec<Law>,
    guess: Vec<f64>,
    solver: Cascade,
}

impl Alternating {
    /// A solver with these settings.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        let inner = || {
            let tolerance = settings.inner * settings.tolerance;
            let solver = Cascade::new(cascade::Settings { tolerance, ..Default::default() })?;
            Ok::<_, Error>(Half { solver, ..Half::default() })
        };
        let (normal, tangential) = (inner()?, inner()?);
        Ok(Self { settings, normal, tangential, ..Self::default() })
    }

    /// The solution of the last solve.
    #[must_use]
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    fn run(&mut self, problem: &BlockForm, guess: Option<&[f64]>) {
        self.solution.reset(problem.len(), guess);
        let taken = problem.laws().iter().all(takes) && !problem.is_associated();
        let reason = if taken { self.iterate(problem) } else { Failure::WrongClass };
        if self.solution.status.is_solved() {
            return;
        }
        if taken {
            self.solution.impulse.copy_from_slice(&self.best);
        }
        self.solution.certify(problem, self.settings.tolerance, reason);
    }

    /// Rounds until the certificate is met; else why it is not, with the best point in store.
    fn iterate(&mut self, problem: &BlockForm) -> Failure {
        let Settings { tolerance, max_rounds, patience, .. } = self.settings;
        self.best.clone_from(&self.solution.impulse);
        if self.prepare(problem).is_err() {
            return Failure::Numerical;
        }
        let (mut best, mut wanted, mut left) = (f64::INFINITY, f64::INFINITY, patience);
        for round in 1..=max_rounds {
            self.solution.iterations = round;
            if let Err(failure) = self.round(problem) {
                return failure;
            }
            if self.solution.certify(problem, tolerance, Failure::IterationLimit) {
                return Failure::IterationLimit;
            }
            let Certificate { worst, .. } = self.solution.certificate;
            if worst < best {
                best = worst;
                self.best.copy_from_slice(&self.solution.impulse);
            }
            left -= 1;
            if best < wanted {
                (wanted, left) = (PROGRESS * best, patience);
            }
            if left == 0 {
                return Failure::Stalled;
            }
        }
        Failure::IterationLimit
    }

    fn prepare(&mut self, problem: &BlockForm) -> Result<(), Error> {
        let n = problem.len();
        self.others.resize(n, 0.0);
        self.velocity.resize(n, 0.0);
        self.normal.fill(problem, |law| match law.rule() {
            Rule::Bilateral => Some((0..law.components(), law.clone())),
            _ => (law.kind.normals() == 1).then(|| (0..1, Law::frictionless())),
        })?;
        self.tangential.fill(problem, |law| match law.rule() {
            Rule::Bilateral => Some((0..law.components(), law.clone())),
            Rule::Friction(f) if law.has_free_friction() => {
                let set = match &law.kind {
                    crate::Kind::Set(set) | crate::Kind::Dry(set) => Arc::clone(set),
                    _ => Arc::new(f.set.clone()),
                };
                let kind = crate::Kind::Dry(set);
                Some((f.normals..law.components(), Law { kind, ..Law::default() }))
            }
            _ => None,
        })?;
        // Contacts without friction have none in a guess either.
        self.others.fill(0.0);
        let halves = self.normal.rows.iter().chain(&self.tangential.rows);
        for rows in halves {
            self.others[rows.clone()].copy_from_slice(&self.solution.impulse[rows.clone()]);
        }
        self.solution.impulse.copy_from_slice(&self.others);
        Ok(())
    }

    /// Λ_N with Λ_T as it is, then Λ_T with Λ_N as it is.
    fn round(&mut self, problem: &BlockForm) -> Result<(), Failure> {
        let tolerance = self.settings.tolerance;
        let (others, velocity) = (&mut self.others, &mut self.velocity);
        self.normal.solve(problem, tolerance, &mut self.solution, (others, velocity))?;
        for (k, &i) in self.tangential.contacts.iter().enumerate() {
            if let Rule::Friction(f) = problem.laws()[i].rule() {
                let normal = self.solution.impulse[problem.rows(i).start] * f.normals as f64;
                self.tangential.laws[k].radius = f.mu * normal.max(0.0) + f.radius;
            }
        }
        self.tangential.solve(problem, tolerance, &mut self.solution, (others, velocity))
    }
}

impl Half {
    /// Takes the rows and laws that `part` says of the contacts, and their blocks of W.
    fn fill(
        &mut self,
        problem: &BlockForm,
        part: impl Fn(&Law) -> Option<(Range<usize>, Law)>,
    ) -> Result<(), Error> {
        self.contacts.clear();
        self.rows.clear();
        self.laws.clear();
        self.sizes.clear();
        self.place.clear();
        for (i, law) in problem.laws().iter().enumerate() {
            let found = part(law);
            self.place.push(if found.is_some() { self.contacts.len() } else { usize::MAX });
            let Some((rows, law)) = found else { continue };
            let first = problem.rows(i).start;
            self.contacts.push(i);
            self.sizes.push(rows.len());
            self.rows.push(first + rows.start..first + rows.end);
            self.laws.push(law);
        }
        self.list.clear();
        for (k, &i) in self.contacts.iter().enumerate() {
            let own = shifted(&self.rows[k], problem.rows(i).start);
            for (j, block) in problem.w().row(i).filter(|(j, _)| self.place[*j] != usize::MAX) {
                let (l, width) = (self.place[j], problem.w().size(j));
                let other = shifted(&self.rows[l], problem.rows(j).start);
                let rows = block.chunks_exact(width).skip(own.start).take(own.len());
                self.list.push(k, l, rows.flat_map(|row| row[other.clone()].iter().copied()));
            }
        }
        self.bias.clear();
        self.bias.resize(self.sizes.iter().sum(), 0.0);
        let (sizes, list) = (&self.sizes, &mut self.list);
        self.problem
            .refill(&self.bias, &self.laws, |w| w.sparse_mut().refill_both_triangles(sizes, list))
    }

    /// Solves it beside the impulses of all other rows, from those that it has, and puts its answer in their place.
    fn solve(
        &mut self,
        problem: &BlockForm,
        tolerance: f64,
        whole: &mut ContactSolution,
        (others, velocity): (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        if self.contacts.is_empty() {
            return Ok(());
        }
        self.guess.clear();
        others.copy_from_slice(&whole.impulse);
        for rows in &self.rows {
            self.guess.extend_from_slice(&whole.impulse[rows.clone()]);
            others[rows.clone()].fill(0.0);
        }
        problem.w().multiply_add(others, problem.b(), velocity);
        self.bias.clear();
        self.rows.iter().for_each(|rows| self.bias.extend_from_slice(&velocity[rows.clone()]));
        let filled = self.problem.refill(&self.bias, &self.laws, |_| Ok(()));
        let answer = filled.and_then(|()| self.solver.solve_from(&self.problem, &self.guess));
        let Ok(answer) = answer else { return Err(Failure::Numerical) };
        whole.factorisations += answer.factorisations;
        let mut first = 0;
        for rows in &self.rows {
            let end = first + rows.len();
            whole.impulse[rows.clone()].copy_from_slice(&answer.impulse[first..end]);
            first = end;
        }
        match answer.status {
            _ if answer.certificate.worst <= tolerance => Ok(()),
            Status::Failed(failure) => Err(failure),
            _ => Err(Failure::Stalled),
        }
    }
}

/// Rows of the whole problem as rows of their contact, which begins at `first`.
fn shifted(rows: &Range<usize>, first: usize) -> Range<usize> {
    rows.start - first..rows.end - first
}

method!(Alternating, "alternating");
