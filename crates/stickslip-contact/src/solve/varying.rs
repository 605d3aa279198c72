//! Contacts whose coefficient of friction depends on slip, on top of any formulation and solver: rounds of problems with a number for each.
//!
//! All begin with the coefficient at rest. Contacts with a static coefficient that slip in the answer get μ, and the problem is solved
//! again, until no contact at μ_s slips: at most one round more than there are such contacts. Contacts with a curve get μ at the slip
//! speed of the answer, by the secant of the last two rounds where μ(s) rises or falls so little that it is safe, until that is the
//! coefficient that they had. For a curve that falls, coefficients fall from round to round and speeds rise, so that the slowest slip is
//! found. The last answer obeys the law: the certificate says so, with the coefficients at the speeds of the answer.
//!
//! One planar contact with a curve alone is solved by intervals, which miss no solution (`slip_roots`).
//!
//! # Notation
//! r: the coefficient of a round; g: that at the speed of its answer; s: the slope of g over r, by the last two.

use super::{ContactSolution, ContactSolver, SolverChoice, judge};
use crate::planar::slip_roots;
use crate::{ContactProblem, Law, SlipDependence};
use complementarity::{Failure, Status};

/// A contact slips only if its friction is at the limit to this share of it; a velocity at a contact well inside of its limit is
/// what the tolerance left.
const AT_LIMIT: f64 = 1e-6;
/// Rounds beside those that static coefficients need.
const ROUNDS: usize = 200;
/// A coefficient that changes by less than this share of itself is found.
const FOUND: f64 = 1e-14;
/// The secant is taken below this slope.
const STEEP: f64 = 0.9;

/// What rounds keep.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    working: ContactProblem,
    /// r and g of the last round, for each contact.
    secants: Vec<[f64; 2]>,
}

impl ContactSolver {
    pub(super) fn solve_varying(&mut self, problem: &ContactProblem, identities: Option<&[u64]>) {
        let asked = self.settings.formulation;
        // The formulation that the law allows; the rounds below hide from it that coefficients vary.
        if asked.takes_laws(problem.laws()).is_err() {
            let Some(other) = self.formulation_for(problem) else {
                return self.solve_general(problem, None);
            };
            self.settings.formulation = other;
        }
        if !self.by_slip_roots(problem) {
            let mut rounds = self.rounds.take().unwrap_or_default();
            self.solve_in_rounds(problem, identities, &mut rounds);
            self.rounds = Some(rounds);
        }
        self.settings.formulation = asked;
    }

    /// One planar contact with a curve; true if the certificate is met.
    fn by_slip_roots(&mut self, problem: &ContactProblem) -> bool {
        let settings = &self.settings;
        let exact = super::Formulation::PLANAR.contains(&settings.formulation);
        if !(exact && settings.cases && settings.solver == SolverChoice::Auto)
            || settings.relaxation != 0.0
        {
            return false;
        }
        let s = &mut self.solution;
        let Some(intervals) = slip_roots::solve(problem, &mut s.impulse) else { return false };
        s.formulation = self.settings.formulation;
        s.velocity.resize(s.impulse.len(), 0.0);
        (s.model, s.proof, s.factorisations) = (None, None, 0);
        (s.status, s.method, s.iterations) =
            (Status::Failed(Failure::Stalled), "slip roots", intervals);
        judge(problem, self.settings.tolerance, s);
        s.is_solved()
    }

    fn solve_in_rounds(
        &mut self,
        problem: &ContactProblem,
        identities: Option<&[u64]>,
        rounds: &mut Rounds,
    ) {
        let Rounds { working, secants } = rounds;
        working.copy_from(problem);
        secants.clear();
        for law in working.laws_mut() {
            law.mu = law.distinct_static().unwrap_or(law.mu);
            law.slip_dependence = SlipDependence::None;
        }
        let (mut iterations, mut last) = (0, f64::INFINITY);
        let mut settled = false;
        for _ in 0..ROUNDS + problem.contacts() {
            // There are as many identities as contacts, or `solve_identified` would have said so.
            let _ = match identities {
                Some(identities) => self.solve_identified(working, identities).is_ok(),
                None => self.solve(working).is_solved(),
            };
            iterations += self.solution.iterations;
            let found = &self.solution;
            if !found.is_solved() {
                break;
            }
            let tolerance = self.settings.tolerance;
            let released = release(problem, found, tolerance, working);
            let off = follow(problem, found, last, working, secants);
            // What the tolerance of a round leaves open keeps coefficients from settling to rounding.
            let stalled = off <= tolerance && off >= 0.5 * last;
            if !released && (off <= FOUND || stalled) {
                settled = true;
                break;
            }
            last = off;
        }
        self.solution.iterations = iterations;
        if !settled && self.solution.is_solved() {
            self.solution.status = Status::Failed(Failure::IterationLimit);
        }
        self.judge_varying(problem);
    }

    /// Judges against the law itself. That a round has no solution proves nothing for another choice of coefficients.
    fn judge_varying(&mut self, problem: &ContactProblem) {
        let s = &mut self.solution;
        if s.status == Status::NoSolution {
            (s.status, s.proof) = (Status::Failed(Failure::Stalled), None);
        }
        let formulation = s.formulation;
        let Ok(model) = self.model(problem, formulation) else { return };
        let own = model.as_ref().unwrap_or(problem);
        let s = &mut self.solution;
        s.velocity.resize(s.impulse.len(), 0.0);
        s.certificate = crate::Certificate::judge(own, &s.impulse, &mut s.velocity);
        s.model = model.is_some().then(|| crate::Certificate::of(problem, &s.impulse));
        super::conclude(s, self.settings.tolerance);
    }
}

/// Gives the kinetic coefficient to the contacts that slip at the static one; whether there were any.
fn release(
    problem: &ContactProblem,
    found: &ContactSolution,
    tolerance: f64,
    working: &mut ContactProblem,
) -> bool {
    let mut any = false;
    for (i, law) in problem.laws().iter().enumerate() {
        let (Some(mu_static), Some(set)) = (law.distinct_static(), law.kind.set()) else {
            continue;
        };
        let held = working.laws()[i].mu > law.mu;
        let rows = problem.rows(i);
        let first = rows.start;
        let (lam, xi, b) =
            (&found.impulse[rows.clone()], &found.velocity[rows.clone()], &problem.bias()[rows]);
        let limit = mu_static * lam[0].max(0.0) + law.radius;
        let at_limit = limit > 0.0 && set.gauge(&lam[1..]) >= (1.0 - AT_LIMIT) * limit;
        // The velocities of this contact alone, below the scale of its certificate: what is not released sticks by that.
        let own = problem.delassus().entry(first, first, (i, i)) * lam[0];
        let scale = own.abs().max(b[0].abs()).max(set.support(&b[1..]));
        if held && at_limit && set.support(&xi[1..]) > tolerance * scale {
            working.laws_mut()[i].mu = law.mu;
            any = true;
        }
    }
    any
}

/// Gives contacts with a curve their next coefficient; returns the largest share by which one is off.
fn follow(
    problem: &ContactProblem,
    found: &ContactSolution,
    last: f64,
    working: &mut ContactProblem,
    secants: &mut Vec<[f64; 2]>,
) -> f64 {
    let first = secants.is_empty();
    secants.resize(problem.contacts(), [0.0; 2]);
    let mut worst = 0.0_f64;
    for i in 0..problem.contacts() {
        let Some(curve) = problem.laws()[i].curve() else { continue };
        let rows = problem.rows(i);
        let (lam, xi) = (found.impulse[rows.start], &found.velocity[rows.start + 1..rows.end]);
        if !(lam > 0.0) {
            continue;
        }
        let (r, g) = (working.laws()[i].mu, curve.coefficient(Law::slip_speed(xi)));
        let off = (g - r).abs() / r.abs().max(g.abs()).max(f64::MIN_POSITIVE);
        // NaN must not pass as small.
        worst = if off <= worst { worst } else { off };
        let s = (g - secants[i][1]) / (r - secants[i][0]);
        secants[i] = [r, g];
        let next = match () {
            // The secant of a coefficient that is found is one of its rounding.
            () if off <= FOUND => g,
            () if !first && s < STEEP => ((g - s * r) / (1.0 - s)).max(0.0),
            () if off > last => 0.5 * (r + g),
            () => g,
        };
        working.laws_mut()[i].mu = if next.is_finite() { next } else { g };
    }
    if worst.is_nan() { f64::INFINITY } else { worst }
}
