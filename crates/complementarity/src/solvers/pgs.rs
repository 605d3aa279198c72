//! Projected Gauss-Seidel with relaxation (projected SOR).
//!
//! Cryer 1971; Cottle, Pang, Stone, "The Linear Complementarity Problem", section 5.2: for a
//! symmetric positive definite M the sweeps converge for every relaxation ω in (0, 2); for an
//! unsymmetric one with a dominant diagonal for ω up to one.
//!
//! Notation: each unknown in turn moves by −ω w_i / M_ii, then back into its bounds.

use super::polish::Polisher;
use super::view::{View, solve_by_view};
use super::{certify_sparse, check_guess, check_setting};
use crate::matrix::dot;
use crate::residual::{self, Scratch};
use crate::{Error, Failure, Residual, Solution, SparseLcp, Status};

/// Settings of [`Pgs`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual at which a problem counts as solved. Default 10⁻¹⁰.
    pub tolerance: f64,
    /// The most sweeps over all unknowns. Default 5000.
    pub max_sweeps: usize,
    /// The relaxation ω, between 0 and 2, both excluded. Default 1, plain Gauss-Seidel.
    pub relaxation: f64,
    /// Whether every second sweep runs backwards. Default false.
    pub symmetric: bool,
    /// Sweeps from one evaluation of the residual to the next. Default 8.
    pub check_every: usize,
    /// Sweeps without a smaller residual after which the solve ends as stalled. Default 400.
    pub stall_after: usize,
    /// Dense problems with at most this many unknowns end with an active-set solve, which takes
    /// the residual down to rounding, or saves a solve that converges slowly. Default 100; 0 for
    /// never.
    pub polish_up_to: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            max_sweeps: 5000,
            relaxation: 1.0,
            symmetric: false,
            check_every: 8,
            stall_after: 400,
            polish_up_to: 100,
        }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    ///
    /// # Errors
    /// If the tolerance is not in (0, 1], the relaxation not in (0, 2), or a count is zero.
    pub fn validate(&self) -> Result<(), Error> {
        let check = |setting, value, range, requirement| {
            check_setting("pgs", setting, value, range, requirement)
        };
        let positive = (0.0, f64::INFINITY);
        check("tolerance", self.tolerance, (0.0, 1e-2), "greater than 0 and at most 0.01")?;
        let below_two = 2.0_f64.next_down();
        check("relaxation", self.relaxation, (0.0, below_two), "in (0, 2)")?;
        check("max_sweeps", self.max_sweeps as f64, positive, "at least 1")?;
        check("check_every", self.check_every as f64, positive, "at least 1")?;
        check("stall_after", self.stall_after as f64, positive, "at least 1")
    }
}

/// Projected Gauss-Seidel: cheap sweeps, for diagonally dominant and positive definite problems.
///
/// A sweep costs one product with M, so that a sparse problem of many unknowns is well served.
/// Every diagonal entry must be positive (for a free unknown: not zero); a solve that fails
/// although a row with another diagonal wants to move ends as [`Failure::WrongClass`].
///
/// ```
/// use complementarity::{Lcp, Matrix, Pgs, Solver};
///
/// let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
/// let problem = Lcp::new(m, vec![-5.0, -6.0])?;
/// let mut pgs = Pgs::default();
/// let solution = pgs.solve(&problem);
/// assert!(solution.is_solved());
/// assert!((solution.z[0] - 4.0 / 3.0).abs() < 1e-10);
/// # Ok::<(), complementarity::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pgs {
    settings: Settings,
    solution: Solution,
    scratch: Scratch,
    polisher: Polisher,
    diagonal: Vec<f64>,
    /// The iterate; `solution.z` holds the best one seen at a check.
    z: Vec<f64>,
}

impl Pgs {
    /// The solution of the last solve.
    #[must_use]
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// A solver with these settings.
    ///
    /// # Errors
    /// If a setting is outside of its range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        Ok(Self { settings, ..Self::default() })
    }

    /// Solves a sparse problem; each sweep costs as much as there are entries.
    ///
    /// ```
    /// use complementarity::{Pgs, SparseLcp, SparseMatrix};
    ///
    /// let m = SparseMatrix::from_triplets(2, 2, &[(0, 0, 2.0), (1, 0, 1.0), (1, 1, 4.0)])?;
    /// let problem = SparseLcp::new(m, vec![-2.0, -3.0])?;
    /// assert_eq!(Pgs::default().solve_sparse(&problem).z, [1.0, 0.5]);
    /// # Ok::<(), complementarity::Error>(())
    /// ```
    pub fn solve_sparse(&mut self, problem: &SparseLcp) -> &Solution {
        self.run_sparse(problem, None);
        &self.solution
    }

    /// Solves a sparse problem, starting from the projection of `guess`.
    ///
    /// # Errors
    /// If the guess has the wrong size or a number that is not finite.
    pub fn solve_sparse_from(
        &mut self,
        problem: &SparseLcp,
        guess: &[f64],
    ) -> Result<&Solution, Error> {
        check_guess(problem.len(), guess)?;
        self.run_sparse(problem, Some(guess));
        Ok(&self.solution)
    }

    fn run(&mut self, view: View<'_>, guess: Option<&[f64]>) {
        let reason = self.sweep_until_done(&view, guess);
        if view.len() <= self.settings.polish_up_to {
            self.polisher.reserve(view.len());
            self.polisher.statistics = Default::default();
            self.polisher.polish(view, &mut self.solution.z);
            let work = self.polisher.statistics;
            self.solution.statistics.factorizations += work.factorizations;
            self.solution.statistics.refinements += work.refinements;
        }
        let tolerance = self.settings.tolerance;
        view.certify(tolerance, reason, &mut self.solution, &mut self.scratch);
        self.blame_diagonal(&view);
    }

    fn run_sparse(&mut self, problem: &SparseLcp, guess: Option<&[f64]>) {
        let reason = self.sweep_until_done(problem, guess);
        let Self { solution, scratch, settings, .. } = self;
        certify_sparse(problem, settings.tolerance, reason, solution, scratch);
        self.blame_diagonal(problem);
    }

    /// Sweeps until the residual is small or there is a reason to stop; the best iterate ends up
    /// in the solution.
    fn sweep_until_done(&mut self, rows: &impl Rows, guess: Option<&[f64]>) -> Failure {
        let settings = self.settings;
        self.start(rows, guess);
        let mut best = rows.measure(&self.z, &mut self.scratch).scaled;
        let mut improved = 0;
        for sweep in 1..=settings.max_sweeps {
            if best <= settings.tolerance {
                break;
            }
            let change = self.sweep(rows, settings.symmetric && sweep % 2 == 0);
            self.solution.statistics.iterations = sweep;
            if !change.is_finite() {
                return Failure::Numerical;
            }
            let due = sweep % settings.check_every == 0 || sweep == settings.max_sweeps;
            if !due && change > settings.tolerance {
                continue;
            }
            let scaled = rows.measure(&self.z, &mut self.scratch).scaled;
            if scaled < 0.999 * best {
                improved = sweep;
            }
            if scaled < best {
                best = scaled;
                self.solution.z.copy_from_slice(&self.z);
            }
            let at_rest = change <= 2.0 * f64::EPSILON && scaled > settings.tolerance;
            if at_rest || sweep - improved >= settings.stall_after {
                return Failure::Stalled;
            }
        }
        Failure::IterationLimit
    }

    fn start(&mut self, rows: &impl Rows, guess: Option<&[f64]>) {
        let n = rows.count();
        self.solution.reset(n);
        self.diagonal.clear();
        self.z.clear();
        for i in 0..n {
            let (l, u) = rows.bounds_of(i);
            self.diagonal.push(rows.diagonal(i));
            self.z.push(guess.map_or(0.0, |g| g[i]).clamp(l, u));
        }
        self.solution.z.copy_from_slice(&self.z);
    }

    /// One sweep; returns the largest change of an unknown, relative to the terms of its row that
    /// are at hand. Infinite if a number overflowed.
    fn sweep(&mut self, rows: &impl Rows, backwards: bool) -> f64 {
        let n = self.z.len();
        let mut largest: f64 = 0.0;
        for k in 0..n {
            let i = if backwards { n - 1 - k } else { k };
            let (old, d) = (self.z[i], self.diagonal[i]);
            let new = self.relaxed(rows, i);
            if !new.is_finite() {
                return f64::INFINITY;
            }
            if new != old {
                self.z[i] = new;
                let size = rows.constant(i).abs() + (d * new).abs().max((d * old).abs());
                largest = largest.max(((new - old) * d).abs() / size);
            }
        }
        largest
    }

    fn relaxed(&self, rows: &impl Rows, i: usize) -> f64 {
        let (l, u) = rows.bounds_of(i);
        let w = rows.product(i, &self.z);
        let (old, d) = (self.z[i], self.diagonal[i]);
        if usable(d, l, u) {
            return (old - self.settings.relaxation * w / d).clamp(l, u);
        }
        // The limit of a vanishing positive diagonal: all the way to the bound, if there is one.
        if w > 0.0 && l.is_finite() {
            l
        } else if w < 0.0 && u.is_finite() {
            u
        } else {
            old
        }
    }

    /// A failure of rows that the method cannot move is a failure of the class, not of the effort.
    fn blame_diagonal(&mut self, rows: &impl Rows) {
        if self.solution.is_solved() {
            return;
        }
        let blocked = |i: usize| {
            let (l, u) = rows.bounds_of(i);
            let (d, w) = (self.diagonal[i], self.solution.w[i]);
            let no_bound = if w > 0.0 { l } else { u };
            l < u && !usable(d, l, u) && (d < 0.0 || w != 0.0 && no_bound.is_infinite())
        };
        if (0..rows.count()).any(blocked) {
            self.solution.status = Status::Failed(Failure::WrongClass);
        }
    }
}

/// Whether a step −w / d makes the row smaller: for a free unknown the sign of d is no matter.
fn usable(d: f64, l: f64, u: f64) -> bool {
    d > 0.0 || d < 0.0 && l == f64::NEG_INFINITY && u == f64::INFINITY
}

/// What a sweep needs of a problem.
trait Rows {
    fn count(&self) -> usize;
    /// q_i.
    fn constant(&self, i: usize) -> f64;
    /// w_i = M_i z + q_i.
    fn product(&self, i: usize, z: &[f64]) -> f64;
    fn diagonal(&self, i: usize) -> f64;
    fn bounds_of(&self, i: usize) -> (f64, f64);
    fn measure(&self, z: &[f64], scratch: &mut Scratch) -> Residual;
}

impl Rows for View<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    fn constant(&self, i: usize) -> f64 {
        self.q()[i]
    }

    #[inline]
    fn product(&self, i: usize, z: &[f64]) -> f64 {
        self.q()[i] + dot(self.m().row(i), z)
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.m()[(i, i)]
    }

    fn bounds_of(&self, i: usize) -> (f64, f64) {
        self.bounds(i)
    }

    fn measure(&self, z: &[f64], scratch: &mut Scratch) -> Residual {
        self.residual(z, scratch)
    }
}

impl Rows for SparseLcp {
    fn count(&self) -> usize {
        self.len()
    }

    fn constant(&self, i: usize) -> f64 {
        self.q()[i]
    }

    #[inline]
    fn product(&self, i: usize, z: &[f64]) -> f64 {
        self.m().row(i).fold(self.q()[i], |w, (j, v)| w + v * z[j])
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.m().row(i).find(|e| e.0 == i).map_or(0.0, |e| e.1)
    }

    fn bounds_of(&self, _: usize) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn measure(&self, z: &[f64], scratch: &mut Scratch) -> Residual {
        residual::sparse_lcp_into(self.m(), self.q(), z, scratch)
    }
}

solve_by_view!(Pgs, "pgs");
