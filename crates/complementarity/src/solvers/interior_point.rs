//! An infeasible primal-dual interior-point method for monotone problems.
//!
//! Mehrotra 1992 for the predictor and corrector; Wright, "Primal-Dual Interior-Point Methods",
//! chapter 8, for the monotone problem, where both sides take the same step length.
//!
//! Notation: a = z − l > 0 with multiplier x, b = u − z > 0 with multiplier y where these bounds
//! exist; r = M z + q − x + y must vanish, as must all a_i x_i and b_i y_i, whose mean is μ.
//! d… are steps, σ the centring. All in the scaled units of `view.rs` with equal row and column
//! factors, which keeps the problem monotone.

mod side;

use self::side::Side;
use super::check_setting;
use super::farkas::prove_infeasible;
use super::polish::Polisher;
use super::view::{Scaled, View, solve_by_view};
use crate::linalg::Lu;
use crate::matrix::dot;
use crate::residual::Scratch;
use crate::tolerance::{DEFINITE_PIVOT, SOLVED};
use crate::{Error, Failure, Solution, Status};

/// Settings of [`InteriorPoint`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual at which a problem counts as solved. Default 10⁻¹⁰.
    pub tolerance: f64,
    /// The most steps. Default 100.
    pub max_steps: usize,
    /// The share of the way to the boundary that a step may go. Default 0.995.
    pub step_share: f64,
    /// After a failure, problems with at most this many unknowns are searched for a proof that
    /// there is no solution, which costs a solve of twice the size. Default 200; 0 for never.
    pub prove_up_to: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: SOLVED, max_steps: 100, step_share: 0.995, prove_up_to: 200 }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    ///
    /// # Errors
    /// If the tolerance is not in (0, 1], the share not in (0, 1), or no step is allowed.
    pub fn validate(&self) -> Result<(), Error> {
        let check = |setting, value, range, requirement| {
            check_setting("interior_point", setting, value, range, requirement)
        };
        check("tolerance", self.tolerance, (0.0, 1e-2), "greater than 0 and at most 0.01")?;
        let below_one = 1.0_f64.next_down();
        check("step_share", self.step_share, (0.0, below_one), "in (0, 1)")?;
        let steps = self.max_steps as f64;
        check("max_steps", steps, (0.0, f64::INFINITY), "at least 1")
    }
}

/// Interior point: about 5 to 20 steps of n³ work each, for monotone problems (M + Mᵀ semidefinite).
///
/// Convex quadratic programs are of this kind. A problem that is not monotone may fail, as
/// [`Failure::WrongClass`]; one that is infeasible ends as [`Status::NoSolution`] if a Farkas
/// vector was found that passes [`Proof::check`](crate::Proof::check).
///
/// ```
/// use complementarity::{InteriorPoint, Lcp, Matrix, Solver, Status};
///
/// let m = Matrix::from_rows(&[[1.0, 1.0], [1.0, 1.0]])?;
/// let mut interior_point = InteriorPoint::default();
/// let solution = interior_point.solve(&Lcp::new(m, vec![-1.0, -1.0])?);
/// assert!(solution.is_solved());
/// assert!((solution.z[0] + solution.z[1] - 1.0).abs() < 1e-10);
///
/// // w = −z₂ − 1 ≥ 0 cannot be.
/// let m = Matrix::from_rows(&[[0.0, -1.0], [1.0, 0.0]])?;
/// let solution = interior_point.solve(&Lcp::new(m, vec![-1.0, 1.0])?);
/// assert_eq!(solution.status, Status::NoSolution);
/// # Ok::<(), complementarity::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct InteriorPoint {
    settings: Settings,
    solution: Solution,
    scratch: Scratch,
    polisher: Polisher,
    scaled: Scaled,
    lu: Lu,
    z: Vec<f64>,
    residual: Vec<f64>,
    step: Vec<f64>,
    lower: Side,
    upper: Side,
    trial: Vec<f64>,
    best: f64,
}

/// The least centring: products that differ too much make the next steps short.
const SMALLEST_CENTRING: f64 = 1e-8;
/// Steps shorter than this, three in a row, end the solve.
const SHORT: f64 = 1e-6;
/// Iterates beyond this, in scaled units, have no limit to reach.
const DIVERGED: f64 = 1e13;

impl InteriorPoint {
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

    fn run(&mut self, view: View<'_>, guess: Option<&[f64]>) {
        self.solution.reset(view.len());
        self.polisher.statistics = Default::default();
        self.polisher.reserve(view.len());
        for i in 0..view.len() {
            let (l, u) = view.bounds(i);
            self.solution.z[i] = guess.map_or(0.0, |g| g[i]).clamp(l, u);
        }
        let reason = self.follow_path(view, guess.is_some());
        let work = self.polisher.statistics;
        self.solution.statistics.factorizations += work.factorizations;
        self.solution.statistics.refinements += work.refinements;
        let tolerance = self.settings.tolerance;
        view.certify(tolerance, reason, &mut self.solution, &mut self.scratch);
        let solved = self.solution.is_solved();
        if solved && !self.scaled.is_remote(&self.solution.z) {
            return;
        }
        if view.len() <= self.settings.prove_up_to
            && let Some(proof) = prove_infeasible(view)
        {
            self.solution.status = Status::NoSolution;
            self.solution.proof = Some(proof);
        } else if !solved && !self.is_monotone() {
            self.solution.status = Status::Failed(Failure::WrongClass);
        }
    }

    /// Follows the central path until a polished iterate meets the tolerance or there is a reason
    /// to stop; the best polished iterate ends up in the solution.
    fn follow_path(&mut self, view: View<'_>, warm: bool) -> Failure {
        self.best = f64::INFINITY;
        if !self.scaled.load(view, true) {
            return Failure::Numerical;
        }
        self.start(warm);
        if warm && self.polish_guess(view) {
            return Failure::Stalled;
        }
        let (mut polish_below, mut short) = (1e-5, 0);
        for _ in 0..self.settings.max_steps {
            let mu = self.mean_product();
            let error = self.fill_residual().max(mu);
            if !error.is_finite() {
                return Failure::Numerical;
            }
            if error <= polish_below {
                if self.polish(view) {
                    break;
                }
                polish_below = 0.01 * error;
            }
            if error <= 1e-20 || short >= 3 || self.largest() > DIVERGED {
                self.polish(view);
                return Failure::Stalled;
            }
            if !self.factor() {
                self.polish(view);
                return Failure::Numerical;
            }
            self.solution.statistics.iterations += 1;
            let taken = self.predict_and_correct(mu);
            short = if taken < SHORT { short + 1 } else { 0 };
        }
        self.polish(view);
        Failure::IterationLimit
    }

    /// One step; returns its length as a share of the Newton step.
    fn predict_and_correct(&mut self, mu: f64) -> f64 {
        self.lower.aim(0.0);
        self.upper.aim(0.0);
        self.solve();
        let affine = self.longest().min(1.0);
        let after = self.mean_product_after(affine);
        let sigma = if mu > 0.0 { (after / mu).powi(3).clamp(SMALLEST_CENTRING, 1.0) } else { 0.0 };
        for side in [&mut self.lower, &mut self.upper] {
            side.correct(sigma * mu, &self.step);
        }
        self.solve();
        let mut t = (self.settings.step_share * self.longest()).min(1.0);
        if t < 0.1 {
            // The second-order term can mislead far from the path: centre instead.
            self.lower.aim(0.5 * mu);
            self.upper.aim(0.5 * mu);
            self.solve();
            t = (self.settings.step_share * self.longest()).min(1.0);
        }
        if t == 0.0 {
            return t;
        }
        for i in 0..self.z.len() {
            self.z[i] += t * self.step[i];
        }
        self.lower.advance(t, &self.step);
        self.upper.advance(t, &self.step);
        t
    }

    /// Strictly inside of the box, at least 1 (1/100 if warm) from each bound where there is room.
    fn start(&mut self, warm: bool) {
        let Scaled { m, q, lower, upper, .. } = &self.scaled;
        let n = q.len();
        for v in [&mut self.z, &mut self.residual, &mut self.step, &mut self.trial] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.lower.reset(1.0, n);
        self.upper.reset(-1.0, n);
        self.scaled.to_scaled(&self.solution.z, &mut self.z);
        let room = if warm { 0.01 } else { 1.0 };
        for i in 0..n {
            let (l, u) = (lower[i], upper[i]);
            if l == u {
                self.z[i] = l;
                continue;
            }
            let h = (0.5 * (u - l)).min(room);
            self.z[i] = self.z[i].max(l + h).min(u - h);
            self.lower.place(i, l.is_finite(), (self.z[i] - l).max(h));
            self.upper.place(i, u.is_finite(), (u - self.z[i]).max(h));
        }
        for i in 0..n {
            let w = q[i] + dot(m.row(i), &self.z);
            self.lower.dual[i] = w.max(room);
            self.upper.dual[i] = (-w).max(room);
        }
    }

    /// Whether unknown i can move at all.
    fn moves(&self, i: usize) -> bool {
        self.scaled.lower[i] < self.scaled.upper[i]
    }

    /// r at the iterate; returns its largest entry.
    fn fill_residual(&mut self) -> f64 {
        let mut largest: f64 = 0.0;
        for i in 0..self.z.len() {
            self.residual[i] = 0.0;
            if self.moves(i) {
                let w = self.scaled.q[i] + dot(self.scaled.m.row(i), &self.z);
                self.residual[i] = w - self.lower.force(i) - self.upper.force(i);
                if self.residual[i].is_nan() {
                    return f64::NAN;
                }
                largest = largest.max(self.residual[i].abs());
            }
        }
        largest
    }

    /// Factorises M + X/A + Y/B, each row over its diagonal; an unknown that cannot move has a
    /// row of the identity. A singular matrix is tried again with a little more on its diagonal.
    fn factor(&mut self) -> bool {
        for extra in [0.0, 1e-10, 1e-6] {
            self.solution.statistics.factorizations += 1;
            let (m, lower, upper) = (&self.scaled.m, &self.lower, &self.upper);
            let bounds = (&self.scaled.lower, &self.scaled.upper);
            let done = self.lu.factor(self.z.len(), 1e-18, |i, row| {
                if bounds.0[i] == bounds.1[i] {
                    row[i] = 1.0;
                    return;
                }
                let d = lower.stiffness(i) + upper.stiffness(i) + extra;
                row.copy_from_slice(m.row(i));
                row[i] += d;
                row.iter_mut().for_each(|v| *v /= 1.0 + d);
            });
            if done {
                return true;
            }
        }
        false
    }

    /// dz and the duals' steps for the targets that are set.
    fn solve(&mut self) {
        for i in 0..self.z.len() {
            let d = self.lower.stiffness(i) + self.upper.stiffness(i);
            let push = self.lower.push(i) + self.upper.push(i);
            self.step[i] = if self.moves(i) { (push - self.residual[i]) / (1.0 + d) } else { 0.0 };
        }
        self.lu.solve(&mut self.step);
        self.lower.fill_d_dual(&self.step);
        self.upper.fill_d_dual(&self.step);
    }

    /// The longest step that keeps gaps and duals non-negative.
    fn longest(&self) -> f64 {
        let t = self.lower.longest(&self.step).min(self.upper.longest(&self.step));
        if self.step.iter().all(|d| d.is_finite()) { t } else { 0.0 }
    }

    fn mean_product(&self) -> f64 {
        self.mean_product_after(0.0)
    }

    fn mean_product_after(&self, t: f64) -> f64 {
        let (a, n) = self.lower.product_after(t, &self.step);
        let (b, m) = self.upper.product_after(t, &self.step);
        if n + m == 0 { 0.0 } else { (a + b) / (n + m) as f64 }
    }

    fn largest(&self) -> f64 {
        let of = |v: &[f64]| v.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        of(&self.z).max(of(&self.lower.dual)).max(of(&self.upper.dual))
    }

    /// Polishes the guess as it is; true if the tolerance is met.
    fn polish_guess(&mut self, view: View<'_>) -> bool {
        self.best = self.polisher.polish(view, &mut self.solution.z).scaled;
        self.best <= self.settings.tolerance
    }

    /// Polishes the iterate in the units of the problem and keeps it if it is the best so far;
    /// true if the tolerance is met.
    fn polish(&mut self, view: View<'_>) -> bool {
        self.scaled.to_original(view, &self.z, &mut self.trial);
        for i in 0..self.trial.len() {
            let (l, u) = view.bounds(i);
            if self.lower.is_tight(i) {
                self.trial[i] = l;
            } else if self.upper.is_tight(i) {
                self.trial[i] = u;
            }
        }
        let r = self.polisher.polish(view, &mut self.trial).scaled;
        if r < self.best {
            self.best = r;
            self.solution.z.copy_from_slice(&self.trial);
        }
        self.best <= self.settings.tolerance
    }

    /// Whether symmetric elimination of M + Mᵀ meets no pivot that is negative beyond rounding.
    fn is_monotone(&self) -> bool {
        let (m, n) = (&self.scaled.m, self.z.len());
        if m.rows() != n {
            return true;
        }
        let mut s = crate::Matrix::from_fn(n, n, |i, j| 0.5 * (m[(i, j)] + m[(j, i)]));
        for k in 0..n {
            let pivot = s[(k, k)];
            if pivot < -DEFINITE_PIVOT {
                return false;
            }
            for i in k + 1..n {
                if pivot > DEFINITE_PIVOT {
                    let l = s[(i, k)] / pivot;
                    for j in k + 1..n {
                        s[(i, j)] -= l * s[(k, j)];
                    }
                } else if s[(i, k)].abs() > 1e-4 {
                    return false;
                }
            }
        }
        true
    }
}

solve_by_view!(InteriorPoint, "interior_point");
