//! Solvers over instances, and what to think of their answers.

use crate::{Expected, Instance, MixedInstance};
use complementarity::{
    Failure, Matrix, MixedSolver, Proof, ProofError, Residual, Solution, Solver, Status,
};
use std::fmt;
use std::time::{Duration, Instant};

/// The scaled residual up to which a problem counts as solved.
pub const TOLERANCE: f64 = 1e-10;

/// What an answer is worth.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Solved, and the residual agrees.
    Solved,
    /// No solution, and the proof holds.
    Proved,
    /// The solver gave up and said so.
    Failed(Failure),
    /// Solved within the tolerance although no solution exists: z is so large that a relative change
    /// of M below the tolerance makes it one.
    Mirage,
    /// The answer is wrong, and the solver did not say so.
    Lie(Lie),
}

/// A wrong answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Lie {
    /// Called solved, with a residual above the tolerance.
    Residual(f64),
    /// Called unsolvable although a solution exists.
    RefutedSolvable,
    /// The proof does not hold.
    Proof(ProofError),
    /// No proof where one is due, or one where none is.
    ProofMisplaced,
    /// The reported residual or w is not that of z, or z has the wrong size.
    Report,
}

impl fmt::Display for Lie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Residual(r) => write!(f, "called solved with a residual of {r:.1e}"),
            Self::RefutedSolvable => f.write_str("refuted a problem with a solution"),
            Self::Proof(e) => write!(f, "the proof does not hold: {e}"),
            Self::ProofMisplaced => f.write_str("status and proof do not fit together"),
            Self::Report => f.write_str("z, w and residual do not fit together"),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Solved => f.write_str("solved"),
            Self::Proved => f.write_str("no solution, proved"),
            Self::Failed(why) => write!(f, "{}", Status::Failed(*why)),
            Self::Mirage => f.write_str("a mirage: solved a problem without solution"),
            Self::Lie(lie) => write!(f, "LIE: {lie}"),
        }
    }
}

impl Verdict {
    /// Whether the answer is a wrong one.
    pub fn is_lie(&self) -> bool {
        matches!(self, Self::Lie(_))
    }

    /// Whether the answer settles the problem.
    pub fn is_settled(&self) -> bool {
        matches!(self, Self::Solved | Self::Proved)
    }
}

/// One solve.
#[derive(Clone, Debug)]
pub struct Record {
    /// Name of the solver.
    pub solver: &'static str,
    /// Name of the family.
    pub family: &'static str,
    /// The size asked for.
    pub n: usize,
    /// The seed.
    pub seed: u64,
    /// What was known beforehand.
    pub expected: Expected,
    /// What the answer is worth.
    pub verdict: Verdict,
    /// The scaled residual of the answer, computed here.
    pub residual: f64,
    /// Iterations that the solver reports.
    pub iterations: usize,
    /// Wall time.
    pub time: Duration,
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} on {} n={} seed={} ({:?}): {}, residual {:.1e}, {} iterations",
            self.solver,
            self.family,
            self.n,
            self.seed,
            self.expected,
            self.verdict,
            self.residual,
            self.iterations
        )
    }
}

/// Solves a plain instance and judges the answer.
pub fn run(solver: &mut dyn Solver, instance: &Instance) -> Record {
    let start = Instant::now();
    let solution = solver.solve(&instance.problem);
    let time = start.elapsed();
    let p = &instance.problem;
    let facts = Facts {
        residual: p.residual(&solution.z),
        w: w_of(p.m(), p.q(), &solution.z),
        expected: instance.expected,
    };
    let verdict = facts.judge(solution, |proof| proof.check(p));
    Record {
        residual: facts.residual.scaled,
        iterations: solution.statistics.iterations,
        solver: solver.name(),
        family: instance.family,
        n: instance.n,
        seed: instance.seed,
        expected: instance.expected,
        verdict,
        time,
    }
}

/// Solves a mixed instance and judges the answer.
pub fn run_mixed(
    name: &'static str,
    solver: &mut dyn MixedSolver,
    instance: &MixedInstance,
) -> Record {
    let start = Instant::now();
    let solution = solver.solve_mixed(&instance.problem);
    let time = start.elapsed();
    let p = &instance.problem;
    let facts = Facts {
        residual: p.residual(&solution.z),
        w: w_of(p.m(), p.q(), &solution.z),
        expected: instance.expected,
    };
    Record {
        residual: facts.residual.scaled,
        iterations: solution.statistics.iterations,
        solver: name,
        family: instance.family,
        n: instance.n,
        seed: instance.seed,
        expected: instance.expected,
        verdict: facts.judge(solution, |proof| proof.check_mixed(p)),
        time,
    }
}

/// What is true, found apart from the solver.
struct Facts {
    residual: Residual,
    w: Option<Vec<Row>>,
    expected: Expected,
}

impl Facts {
    fn judge(
        &self,
        solution: &Solution,
        check: impl Fn(&Proof) -> Result<(), ProofError>,
    ) -> Verdict {
        if solution.proof.is_some() != (solution.status == Status::NoSolution) {
            return Verdict::Lie(Lie::ProofMisplaced);
        }
        if let Some(lie) = self.misreported(solution) {
            return Verdict::Lie(lie);
        }
        match (solution.status, &solution.proof) {
            (Status::Solved, _) if self.expected == Expected::Unsolvable => Verdict::Mirage,
            (Status::Solved, _) => Verdict::Solved,
            (Status::Failed(why), _) => Verdict::Failed(why),
            (Status::NoSolution, Some(proof)) => match check(proof) {
                Err(e) => Verdict::Lie(Lie::Proof(e)),
                Ok(()) if self.expected == Expected::Solvable => Verdict::Lie(Lie::RefutedSolvable),
                Ok(()) => Verdict::Proved,
            },
            (Status::NoSolution, None) => Verdict::Lie(Lie::ProofMisplaced),
        }
    }

    /// Whether what the solver says about its own vector is not so.
    fn misreported(&self, solution: &Solution) -> Option<Lie> {
        let true_size = self.residual.scaled;
        if solution.is_solved() && (true_size.is_nan() || true_size > TOLERANCE) {
            return Some(Lie::Residual(true_size));
        }
        let w_fits = self.w.as_ref().is_some_and(|rows| {
            rows.len() == solution.w.len() && rows.iter().zip(&solution.w).all(|(r, w)| r.is(*w))
        });
        let reported = solution.residual.scaled;
        let residual_fits = reported == true_size || (reported - true_size).abs() <= 1e-12;
        (!w_fits || !residual_fits).then_some(Lie::Report)
    }
}

/// One component of w, and the sum of the absolute values of its terms.
struct Row {
    w: f64,
    size: f64,
}

impl Row {
    /// Whether `w` is this component up to rounding; anything is, where it overflows.
    fn is(&self, w: f64) -> bool {
        !self.size.is_finite() || (w - self.w).abs() <= 1e-12 * self.size
    }
}

/// M z + q row by row, or `None` if z does not fit.
fn w_of(m: &Matrix, q: &[f64], z: &[f64]) -> Option<Vec<Row>> {
    let row = |i: usize| {
        let terms = m.row(i).iter().zip(z).map(|(m, z)| m * z);
        let start = Row { w: q[i], size: q[i].abs() };
        terms.fold(start, |row, t| Row { w: row.w + t, size: row.size + t.abs() })
    };
    (z.len() == q.len()).then(|| (0..q.len()).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain_family;
    use complementarity::{Error, Lcp};

    /// Says what it is asked to say.
    struct Parrot(Solution);

    impl Solver for Parrot {
        fn name(&self) -> &'static str {
            "parrot"
        }
        fn solve(&mut self, problem: &Lcp) -> &Solution {
            let rows = w_of(problem.m(), problem.q(), &self.0.z).unwrap_or_default();
            self.0.w = rows.iter().map(|row| row.w).collect();
            self.0.residual = problem.residual(&self.0.z);
            &self.0
        }
        fn solve_from(&mut self, problem: &Lcp, _: &[f64]) -> Result<&Solution, Error> {
            Ok(self.solve(problem))
        }
    }

    fn verdict(family: &str, z: Vec<f64>, status: Status, proof: Option<Proof>) -> Verdict {
        let instance = plain_family(family).unwrap().instance(z.len(), 1);
        let solution = Solution { z, status, proof, ..Solution::default() };
        run(&mut Parrot(solution), &instance).verdict
    }

    #[test]
    fn every_kind_of_lie_is_caught() {
        let wrong = vec![7.0; 3];
        let proof = |y: f64| Some(Proof::infeasible(&[y; 3]).unwrap());
        let solved = verdict("pd_symmetric", wrong.clone(), Status::Solved, None);
        assert!(matches!(solved, Verdict::Lie(Lie::Residual(_))));
        let misplaced = verdict("pd_symmetric", wrong.clone(), Status::Solved, proof(1.0));
        assert_eq!(misplaced, Verdict::Lie(Lie::ProofMisplaced));
        let refuted = verdict("pd_symmetric", wrong.clone(), Status::NoSolution, proof(1.0));
        assert!(matches!(refuted, Verdict::Lie(Lie::Proof(_))));
        let no_proof = verdict("pd_symmetric", wrong.clone(), Status::NoSolution, None);
        assert_eq!(no_proof, Verdict::Lie(Lie::ProofMisplaced));
    }

    #[test]
    fn an_honest_answer_is_believed() {
        let instance = plain_family("degenerate_identity").unwrap().instance(3, 1);
        let z = instance.solution.unwrap();
        assert_eq!(verdict("degenerate_identity", z, Status::Solved, None), Verdict::Solved);
        // The Laplacian's Farkas vector is 1.
        let proof = Some(Proof::infeasible(&[1.0; 3]).unwrap());
        assert_eq!(
            verdict("psd_laplacian_infeasible", vec![0.0; 3], Status::NoSolution, proof),
            Verdict::Proved
        );
    }
}
