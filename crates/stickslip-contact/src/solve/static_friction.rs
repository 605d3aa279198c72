//! Contacts with a static and a kinetic coefficient of friction, on top of any formulation and solver.
//!
//! All such contacts begin with μ_s. Those that slip in the answer get μ, and the problem is solved again, until no contact at
//! μ_s slips: at most one round more than there are such contacts. The last answer obeys the law: contacts at μ_s stick within
//! μ_s Λ_N F, contacts at μ obey the law of μ, slipping or not.

use super::{ContactSolution, ContactSolver};
use crate::ContactProblem;
use complementarity::{Failure, Status};

/// A contact slips only if its friction is at the limit to this share of it; a velocity at a contact well inside of its limit is
/// what the tolerance left.
const AT_LIMIT: f64 = 1e-6;

impl ContactSolver {
    pub(super) fn solve_static(&mut self, problem: &ContactProblem, identities: Option<&[u64]>) {
        let asked = self.settings.formulation;
        // The formulation that the law allows; the rounds below hide from it that there are two coefficients.
        if asked.takes_laws(problem.laws()).is_err() {
            let Some(other) = self.formulation_for(problem) else {
                return self.solve_general(problem, None);
            };
            self.settings.formulation = other;
        }
        self.solve_in_rounds(problem, identities);
        self.settings.formulation = asked;
    }

    fn solve_in_rounds(&mut self, problem: &ContactProblem, identities: Option<&[u64]>) {
        let mut working = problem.clone();
        for law in working.laws_mut() {
            law.mu = law.distinct_static().unwrap_or(law.mu);
            law.mu_static = None;
        }
        let mut iterations = 0;
        loop {
            // There are as many identities as contacts, or `solve_identified` would have said so.
            let _ = match identities {
                Some(identities) => self.solve_identified(&working, identities).is_ok(),
                None => self.solve(&working).is_solved(),
            };
            iterations += self.solution.iterations;
            let found = &self.solution;
            if !found.is_solved() || !release(problem, found, self.settings.tolerance, &mut working)
            {
                break;
            }
        }
        self.solution.iterations = iterations;
        self.judge_static(problem);
    }

    /// Judges against the law with both coefficients. That a round has no solution proves nothing for another choice of
    /// coefficients.
    fn judge_static(&mut self, problem: &ContactProblem) {
        let s = &mut self.solution;
        if s.status == Status::NoSolution {
            (s.status, s.proof) = (Status::Failed(Failure::Stalled), None);
        }
        let formulation = s.formulation;
        let Ok(model) = self.model(problem, formulation) else { return };
        let own = model.as_ref().unwrap_or(problem);
        let s = &mut self.solution;
        s.certificate = crate::Certificate::of(own, &s.impulse);
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
