//! Lemke's method with lexicographic degeneracy resolution.
//!
//! Adds a cover t to the problem, w = M z + q + d t, and follows the path of almost complementary
//! bases from t = ∞ until t leaves (a solution) or nothing does (a ray). For copositive-plus matrices,
//! which include the positive semidefinite ones, a ray proves that there is no solution; the proof
//! is then part of the answer. For any other matrix it proves nothing and the status says so.
//!
//! Small problems go through a dense dictionary (`tableau.rs`), larger ones and those in a box
//! through a factorised basis (`path.rs`): a pivot costs O(n²) either way. Of a mixed problem the free
//! unknowns are eliminated first.
//!
//! ```
//! use complementarity::{Lcp, Lemke, Matrix, Solver};
//!
//! let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
//! let problem = Lcp::new(m, vec![-5.0, -6.0])?;
//! let mut lemke = Lemke::default();
//! let solution = lemke.solve(&problem);
//! assert!(solution.is_solved());
//! assert!((solution.z[0] - 4.0 / 3.0).abs() < 1e-15);
//! assert_eq!(solution.statistics.iterations, 3);
//! # Ok::<(), complementarity::Error>(())
//! ```
//!
//! Sources: Lemke 1965; Cottle, Pang, Stone, *The Linear Complementarity Problem*, sections 4.4, 4.9.

mod basis;
mod mixed;
mod path;
mod tableau;

use super::{Solver, certify, certify_if_clean, check_guess, check_setting};
use crate::linalg::{Balance, Scaling};
use crate::proof::prove;
use crate::residual::Scratch;
use crate::solvers::polish::Polisher;
use crate::solvers::reduction::Reduction;
use crate::tolerance::ROUNDING;
use crate::{Error, Failure, Lcp, Matrix, Ray, Solution, Status};
use path::{Guess, Path};
use tableau::Tableau;

/// Settings of [`Lemke`].
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual that counts as solved. Default 1e-10.
    pub tolerance: f64,
    /// Two ratios are tied if they differ by less than this times themselves. Default 1e-10.
    pub tie_tolerance: f64,
    /// A value below this times the largest entry of q is rounding when ties are decided.
    /// Default 1e-14.
    pub rounding: f64,
    /// An entry can be a pivot if it exceeds this times the largest one of its column.
    /// Default 1e-10.
    pub pivot_tolerance: f64,
    /// The most pivots; `None` for 1000 + 20 n. Default `None`.
    pub max_pivots: Option<usize>,
    /// Problems with at most this many unknowns use the dense dictionary. Default, and the most, 30.
    pub tableau_limit: usize,
    /// The cover d.
    pub cover: CoveringVector,
    /// The units in which the factorised basis works. Default `Equilibrated`.
    pub units: Units,
}

/// Units in which a problem is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// The largest entry of each row and column is near one: the quicker choice.
    Equilibrated,
    /// All entries, of q as well, but those that are rounding, are as equal as they can be: the path
    /// then hardly depends on the given units.
    Balanced,
}

/// The vector d of w = M z + q + d t, in the equilibrated problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoveringVector {
    /// All ones.
    Ones,
    /// Numbers between 1 and 2 that depend on the seed alone. Another cover is another path: where
    /// one ends on a ray or in rounding, the next may not.
    Spread(u64),
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            tie_tolerance: 1e-10,
            rounding: 1e-14,
            pivot_tolerance: 1e-10,
            max_pivots: None,
            tableau_limit: 30,
            cover: CoveringVector::Ones,
            units: Units::Equilibrated,
        }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        let range = (0.0, 1e-2);
        let wanted = "greater than 0 and at most 0.01";
        check_setting("lemke", "tolerance", self.tolerance, range, wanted)?;
        check_setting("lemke", "tie_tolerance", self.tie_tolerance, range, wanted)?;
        check_setting("lemke", "rounding", self.rounding, range, wanted)?;
        check_setting("lemke", "pivot_tolerance", self.pivot_tolerance, range, wanted)?;
        let limit = self.tableau_limit as f64;
        check_setting("lemke", "tableau_limit", limit, (-1.0, 30.0), "at most 30")
    }
}

/// Lemke's method; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    settings: Settings,
    small: Tableau<8>,
    medium: Tableau<16>,
    large: Tableau<32>,
    path: Path,
    scale: Scaling,
    balance: Balance,
    reduction: Reduction,
    polisher: Polisher,
    scratch: Scratch,
    scaled: Vec<f64>,
    /// Direction of z on the last ray.
    direction: Vec<f64>,
    solution: Solution,
}

/// How a path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathEnd {
    Solution,
    Ray { entering: usize },
    PivotLimit,
    Singular,
}

/// Tolerances in the units of the path's own data.
struct Tolerances {
    /// Relative to the values of basic variables that are compared.
    tie: f64,
    /// Absolute, on values of basic variables.
    rounding: f64,
    /// Relative to the largest entry of the entering column.
    pivot: f64,
}

impl Lemke {
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

    /// By how much the terms of the last solution dwarf q.
    pub(crate) fn growth(&self) -> f64 {
        self.scratch.growth
    }

    /// The solution of the last solve, to be taken away.
    pub(crate) fn solution_mut(&mut self) -> &mut Solution {
        &mut self.solution
    }

    /// Makes room for n unknowns, so that no second solve of that size allocates.
    fn reserve(&mut self, n: usize) {
        if self.solution.z.len() != n || self.direction.capacity() < n {
            self.path.reserve(n);
            self.scale.reserve(n + 1);
            self.balance.reserve(n + 1);
            self.scaled.clear();
            self.scaled.reserve(n);
            self.direction.clear();
            self.direction.reserve(n);
        }
    }

    fn run(&mut self, problem: &Lcp, guess: Option<&[f64]>) -> &Solution {
        self.reserve(problem.len());
        self.solution.reset(problem.len());
        let small = problem.len() <= self.settings.tableau_limit.min(Tableau::<32>::CAPACITY);
        let plain = self.settings.cover == CoveringVector::Ones
            && self.settings.units == Units::Equilibrated;
        if small && plain {
            self.run_tableau(problem, guess);
        }
        // The dictionary works on the data as they are; what it could not solve may be a matter of
        // scaling.
        if matches!(self.solution.status, Status::Failed(_)) {
            self.run_path(problem, guess);
        }
        &self.solution
    }

    fn run_tableau(&mut self, problem: &Lcp, guess: Option<&[f64]>) {
        let n = problem.len();
        let Self { small, medium, large, settings, solution, scratch, direction, .. } = self;
        let end = if n <= Tableau::<8>::CAPACITY {
            follow_tableau(small, problem, guess, settings, solution, scratch, direction)
        } else if n <= Tableau::<16>::CAPACITY {
            follow_tableau(medium, problem, guess, settings, solution, scratch, direction)
        } else {
            follow_tableau(large, problem, guess, settings, solution, scratch, direction)
        };
        if let PathEnd::Ray { entering } = end {
            self.prove_by_ray(problem);
            // Without a proof the factorised basis tries again, and its ray is kept instead.
            if self.solution.status == Status::NoSolution {
                let Self { small, medium, large, .. } = self;
                self.solution.ray = Some(if n <= Tableau::<8>::CAPACITY {
                    small.ray(entering, problem.m())
                } else if n <= Tableau::<16>::CAPACITY {
                    medium.ray(entering, problem.m())
                } else {
                    large.ray(entering, problem.m())
                });
            }
        }
    }

    fn run_path(&mut self, problem: &Lcp, guess: Option<&[f64]>) {
        let n = problem.len();
        choose_units(&self.settings, problem.m(), problem.q(), &mut self.scale, &mut self.balance);
        let Self { path, scale, solution, settings, .. } = self;
        path.load(problem.m(), problem.q(), None, &scale.row, &scale.col);
        if let Some(guess) = guess {
            path.warm(|i| if guess[i] > 0.0 { Guess::Between } else { Guess::Lower });
        }
        let largest = problem.q().iter().zip(&scale.row).map(|(q, r)| (q * r).abs());
        let tol = settings.tolerances_for(largest.fold(0.0, f64::max));
        let end = path.follow(&tol, settings.limit(n), |i| settings.cover.entry(i));
        solution.statistics.iterations += path.pivots;
        self.scaled.clear();
        self.scaled.resize(n, 0.0);
        let cover = self.path.values(&mut self.scaled);
        self.unscale();
        if end == PathEnd::Solution {
            self.refine_path(problem);
        } else {
            let Self { solution, scratch, settings, .. } = self;
            certify(problem, settings.tolerance, failure(end), solution, scratch);
        }
        self.solution.statistics.factorizations += self.path.basis.factorizations;
        if let PathEnd::Ray { entering } = end {
            let mut direction = vec![0.0; n];
            let direction_cover = self.path.direction(entering, &mut direction);
            for (d, c) in direction.iter_mut().zip(&self.scale.col) {
                *d *= c;
            }
            self.direction.clone_from(&direction);
            self.prove_by_ray(problem);
            let origin = self.solution.z.clone();
            let origin_cover = cover;
            let d = self.path.basis.cover.iter().zip(&self.scale.row).map(|(d, r)| d / r);
            let cover = d.collect();
            self.solution.ray =
                Some(Ray { origin, origin_cover, direction, direction_cover, cover });
        }
    }

    /// Iterative refinement of the final basis, first with its factors as they are, then afresh, until
    /// the residual is rounding.
    fn refine_path(&mut self, problem: &Lcp) {
        const ROUNDS: usize = 3;
        let tolerance = self.settings.tolerance;
        for round in 0..ROUNDS {
            let Self { solution, scratch, .. } = self;
            if certify_if_clean(problem, tolerance, solution, scratch) {
                return;
            }
            if round == 1 && !self.path.refactor() {
                break;
            }
            for (w, r) in self.scratch.w.iter_mut().zip(&self.scale.row) {
                *w *= r;
            }
            self.path.refine(&self.scratch.w, &mut self.scaled);
            self.unscale();
            self.solution.statistics.refinements += 1;
        }
        let Self { solution, scratch, .. } = self;
        certify(problem, tolerance, Failure::Numerical, solution, scratch);
    }

    fn unscale(&mut self) {
        let scaled = self.scaled.iter().zip(&self.scale.col);
        for (z, (s, c)) in self.solution.z.iter_mut().zip(scaled) {
            *z = s * c;
        }
    }

    /// If the direction of the ray is a Farkas vector there is no solution.
    ///
    /// For copositive-plus matrices it is one (Cottle, Pang, Stone, theorem 4.4.12), but for
    /// rounding, which may leave it slightly negative in places or not quite zero.
    fn prove_by_ray(&mut self, problem: &Lcp) {
        let size = self.direction.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
        for y in &mut self.direction {
            *y = if *y > ROUNDING * size { *y / size } else { 0.0 };
        }
        self.solution.proof = prove(problem, &self.direction);
        if self.solution.proof.is_some() {
            self.solution.status = Status::NoSolution;
        }
    }
}

/// Solves by the dictionary; the direction of a ray that it ends on is left in `direction`.
fn follow_tableau<const S: usize>(
    tableau: &mut Tableau<S>,
    problem: &Lcp,
    guess: Option<&[f64]>,
    settings: &Settings,
    solution: &mut Solution,
    scratch: &mut Scratch,
    direction: &mut Vec<f64>,
) -> PathEnd {
    tableau.load(problem.m(), problem.q());
    if let Some(guess) = guess {
        let support = (0..guess.len()).filter(|&i| guess[i] > 0.0);
        tableau.warm(support, settings.pivot_tolerance);
    }
    let tol = settings.tolerances(problem.q());
    let end = tableau.follow(&tol, settings.limit(problem.len()));
    solution.statistics.iterations = tableau.pivots;
    tableau.values(&mut solution.z);
    if end == PathEnd::Solution {
        if !certify_if_clean(problem, settings.tolerance, solution, scratch) {
            tableau.refine(&scratch.w, &mut solution.z);
            solution.statistics.refinements += 1;
            certify(problem, settings.tolerance, Failure::Numerical, solution, scratch);
        }
    } else {
        certify(problem, settings.tolerance, failure(end), solution, scratch);
    }
    if let PathEnd::Ray { entering } = end {
        direction.resize(problem.len(), 0.0);
        tableau.direction(entering, direction);
    }
    end
}

/// Passes of equilibration; a well scaled problem takes one.
const PASSES: usize = 10;

fn choose_units(
    settings: &Settings,
    m: &Matrix,
    q: &[f64],
    scale: &mut Scaling,
    balance: &mut Balance,
) {
    match settings.units {
        Units::Equilibrated => scale.equilibrate(m.rows(), PASSES, false, |i, j| m[(i, j)]),
        Units::Balanced => balance.units_of(m, q, PASSES, scale),
    }
}

fn failure(end: PathEnd) -> Failure {
    match end {
        PathEnd::Ray { .. } => Failure::Ray,
        PathEnd::PivotLimit => Failure::IterationLimit,
        PathEnd::Solution | PathEnd::Singular => Failure::Numerical,
    }
}

impl Settings {
    fn limit(&self, n: usize) -> usize {
        self.max_pivots.unwrap_or(1000 + 20 * n)
    }

    fn tolerances(&self, q: &[f64]) -> Tolerances {
        self.tolerances_for(q.iter().fold(0.0, |a, q| if q.abs() > a { q.abs() } else { a }))
    }

    fn tolerances_for(&self, largest: f64) -> Tolerances {
        Tolerances {
            tie: self.tie_tolerance,
            rounding: self.rounding * largest,
            pivot: self.pivot_tolerance,
        }
    }
}

impl CoveringVector {
    fn entry(self, i: usize) -> f64 {
        match self {
            Self::Ones => 1.0,
            Self::Spread(seed) => {
                // SplitMix64, one draw per index.
                let mut x =
                    seed.wrapping_add((i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64));
                x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9_u64);
                x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb_u64);
                1.0 + ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
            }
        }
    }
}

impl Solver for Lemke {
    fn name(&self) -> &'static str {
        "lemke"
    }

    fn solve(&mut self, problem: &Lcp) -> &Solution {
        self.run(problem, None)
    }

    fn solve_from(&mut self, problem: &Lcp, guess: &[f64]) -> Result<&Solution, Error> {
        check_guess(problem.len(), guess)?;
        Ok(self.run(problem, Some(guess)))
    }
}
