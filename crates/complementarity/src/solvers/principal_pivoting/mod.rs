//! Principal pivoting: complementary bases only, no covering variable.
//!
//! Three rules. `Block` exchanges every pair that has the wrong sign at once and falls back to one pair
//! at a time when that does not help (Kostreva 1978; Júdice and Pires 1994): a handful of rounds
//! where it works, certain for P-matrices. `LeastIndex` exchanges the first pair of wrong sign
//! (Murty 1974): certain for P-matrices. `CottleDantzig` raises one negative w at a time
//! and keeps what is non-negative so (Cottle and Dantzig 1968): certain for P-matrices
//! and positive semidefinite ones but for degeneracy, and a ray there proves that there
//! is no solution.
//!
//! ```
//! use complementarity::{Lcp, Matrix, PrincipalPivoting, Solver};
//!
//! let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
//! let problem = Lcp::new(m, vec![-5.0, -6.0])?;
//! let mut solver = PrincipalPivoting::default();
//! assert!(solver.solve(&problem).residual.scaled < 1e-15);
//! # Ok::<(), complementarity::Error>(())
//! ```

mod block;
mod dictionary;
pub(crate) mod small;

use super::{Solver, certify, check_guess, check_setting};
use crate::exact::Dyadic;
use crate::linalg::Scaling;
use crate::proof::prove;
use crate::residual::Scratch;
use crate::tolerance::{ROUNDING, SOLVED};
use crate::{Error, Failure, Lcp, Proof, Solution, Status};
use block::Block;
use dictionary::{Dictionary, End};

/// Settings of [`PrincipalPivoting`].
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual that counts as solved. Default 1e-10.
    pub tolerance: f64,
    /// Which pairs are exchanged. Default `Block`.
    pub rule: Rule,
    /// Whether `CottleDantzig` is tried where `rule` fails. Default true.
    pub fall_back: bool,
    /// An entry can be a pivot if it exceeds this times the largest one beside it. Default 1e-10.
    pub pivot_tolerance: f64,
    /// The most pivots of all tries together, a round of `Block` counting as one; `None` for
    /// 200 + 20 n. Default `None`.
    pub max_pivots: Option<usize>,
}

/// Which pairs a round exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// All pairs of wrong sign, while that reduces their number.
    Block,
    /// The first pair of wrong sign.
    LeastIndex,
    /// A path that raises one negative variable to zero. Makes no use of a guess.
    CottleDantzig,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: SOLVED,
            rule: Rule::Block,
            fall_back: true,
            pivot_tolerance: SOLVED,
            max_pivots: None,
        }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        let range = (0.0, 1e-2);
        let wanted = "greater than 0 and at most 0.01";
        check_setting("principal_pivoting", "tolerance", self.tolerance, range, wanted)?;
        let pivot = self.pivot_tolerance;
        check_setting("principal_pivoting", "pivot_tolerance", pivot, range, wanted)
    }
}

impl Settings {
    fn limit(&self, n: usize) -> usize {
        self.max_pivots.unwrap_or(200 + 20 * n)
    }
}

/// Principal pivoting; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct PrincipalPivoting {
    settings: Settings,
    block: Block,
    dictionary: Dictionary,
    scratch: Scratch,
    scale: Scaling,
    equilibrated: Lcp,
    before: Solution,
    direction: Vec<f64>,
    /// Pivots of the tries so far.
    spent: usize,
    solution: Solution,
}

impl PrincipalPivoting {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        Ok(Self { settings, ..Self::default() })
    }

    /// The solution of the last solve.
    #[must_use]
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    fn run(&mut self, problem: &Lcp, guess: Option<&[f64]>) -> &Solution {
        self.reserve(problem.len());
        self.solution.reset(problem.len());
        self.spent = 0;
        self.follow(problem, guess);
        if matches!(self.solution.status, Status::Failed(_)) {
            self.run_equilibrated(problem);
        }
        &self.solution
    }

    /// What fails in the given units may work in better ones; pivots have the same signs in both.
    fn run_equilibrated(&mut self, problem: &Lcp) {
        let n = problem.len();
        self.scale.equilibrate(n, 10, false, |i, j| problem.m()[(i, j)]);
        let mut scaled = std::mem::take(&mut self.equilibrated);
        if !scaled.refill(problem, &self.scale.row, &self.scale.col) {
            return;
        }
        std::mem::swap(&mut self.solution, &mut self.before);
        self.solution.reset(n);
        self.follow(&scaled, None);
        self.equilibrated = scaled;
        let Self { scale, before, solution, scratch, settings, .. } = self;
        for (z, c) in solution.z.iter_mut().zip(&scale.col) {
            *z *= c;
        }
        let proof = solution.proof.take().and_then(|p| in_given_rows(p, &scale.row, problem));
        let reason = match solution.status {
            Status::Failed(reason) => reason,
            _ => Failure::Numerical,
        };
        solution.statistics.iterations += before.statistics.iterations;
        certify(problem, settings.tolerance, reason, solution, scratch);
        if let Some(proof) = proof {
            solution.status = Status::NoSolution;
            solution.proof = Some(proof);
        } else if !solution.is_solved() && before.residual.scaled < solution.residual.scaled {
            std::mem::swap(&mut self.solution, &mut self.before);
        }
    }

    /// Makes room for n unknowns, so that no second solve of that size allocates.
    fn reserve(&mut self, n: usize) {
        if self.solution.z.len() != n || self.before.z.capacity() < n {
            self.block.reserve(n);
            self.dictionary.reserve(n);
            self.scale.reserve(n);
            self.before.reset(n);
            self.direction.resize(n, 0.0);
            self.equilibrated.reserve(n);
        }
    }

    fn follow(&mut self, problem: &Lcp, guess: Option<&[f64]>) {
        match self.settings.rule {
            Rule::CottleDantzig => self.run_dictionary(problem),
            Rule::Block | Rule::LeastIndex => {
                self.run_block(problem, guess);
                if self.settings.fall_back && !self.solution.is_solved() {
                    self.run_dictionary(problem);
                }
            }
        }
    }

    fn run_block(&mut self, problem: &Lcp, guess: Option<&[f64]>) {
        let Self { block, solution, scratch, settings, spent, .. } = self;
        let start = |i: usize| guess.map_or(problem.q()[i] < 0.0, |g| g[i] > 0.0);
        let limit = settings.limit(problem.len()).saturating_sub(*spent);
        let reason = block.follow(problem, start, settings, limit, &mut solution.z);
        *spent += block.rounds;
        solution.statistics.iterations += block.rounds;
        solution.statistics.factorizations += block.rounds;
        solution.statistics.refinements += 1;
        certify(problem, settings.tolerance, reason, solution, scratch);
    }

    fn run_dictionary(&mut self, problem: &Lcp) {
        let n = problem.len();
        let Self { dictionary, solution, scratch, settings, spent, .. } = self;
        dictionary.load(problem.m(), problem.q());
        let limit = settings.limit(n).saturating_sub(*spent);
        let largest = problem.q().iter().fold(0.0_f64, |a, q| a.max(q.abs()));
        let end = dictionary.follow(settings.pivot_tolerance, ROUNDING * largest, limit);
        solution.statistics.iterations += dictionary.pivots;
        *spent += dictionary.pivots;
        dictionary.values(&mut solution.z);
        let reason = match end {
            End::Solution => Failure::Numerical,
            End::Ray { .. } => Failure::Ray,
            End::PivotLimit => Failure::IterationLimit,
        };
        certify(problem, settings.tolerance, reason, solution, scratch);
        if end == End::Solution && solution.residual.scaled > 1e-14 {
            let before = solution.residual.scaled;
            self.block.resolve(problem, &mut solution.z);
            solution.statistics.refinements += 1;
            certify(problem, settings.tolerance, reason, solution, scratch);
            if solution.residual.scaled > before {
                dictionary.values(&mut solution.z);
                certify(problem, settings.tolerance, reason, solution, scratch);
            }
        }
        if let End::Ray { driving } = end {
            self.prove_by_ray(problem, driving);
        }
    }

    /// For positive semidefinite matrices the direction of the ray is a Farkas vector.
    fn prove_by_ray(&mut self, problem: &Lcp, driving: usize) {
        let y = &mut self.direction;
        y.resize(problem.len(), 0.0);
        self.dictionary.direction(driving, y);
        let size = y.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
        for y in y.iter_mut() {
            *y = (*y / size).max(0.0);
        }
        self.solution.proof = prove(problem, y);
        if self.solution.proof.is_some() {
            self.solution.status = Status::NoSolution;
        }
    }
}

/// A Farkas vector of the equilibrated problem as one of the given problem, if it still holds.
fn in_given_rows(proof: Proof, rows: &[f64], problem: &Lcp) -> Option<Proof> {
    let Proof::Infeasible { y } = proof else {
        return None;
    };
    let given = |(y, &r): (&Dyadic, &f64)| Some(y * &Dyadic::from_f64(r)?);
    let y = y.iter().zip(rows).map(given).collect::<Option<_>>()?;
    Some(Proof::Infeasible { y }).filter(|proof| proof.check(problem).is_ok())
}

impl Solver for PrincipalPivoting {
    fn name(&self) -> &'static str {
        "principal_pivoting"
    }

    fn solve(&mut self, problem: &Lcp) -> &Solution {
        self.run(problem, None)
    }

    fn solve_from(&mut self, problem: &Lcp, guess: &[f64]) -> Result<&Solution, Error> {
        check_guess(problem.len(), guess)?;
        Ok(self.run(problem, Some(guess)))
    }
}
