//! A semismooth Newton method on the Fischer-Burmeister equation, globalised.
//!
//! De Luca, Facchinei, Kanzow 1996; the penalised function is Chen, Chen, Kanzow 2000; boxes by
//! the composition of Billups 1995; non-monotone line search by Grippo, Lampariello, Lucidi 1986.
//!
//! Notation: φ(a, b) = a + b − √(a² + b²) vanishes iff 0 ≤ a ⊥ b ≥ 0. Φ_i(z) is φ(z_i − l_i, w_i)
//! or its composition for a box, J = D_z + D_w M its generalised Jacobian, θ = ½ ‖Φ‖² the merit,
//! d the step. All in the scaled units of `view.rs`.

mod fischer;

use self::fischer::fischer;
use super::check_setting;
use super::farkas::prove_infeasible;
use super::polish::Polisher;
use super::view::{Scaled, View, solve_by_view};
use crate::linalg::Lu;
use crate::matrix::{axpy, dot};
use crate::residual::Scratch;
use crate::tolerance::{POLISH_TIGHT, SOLVED};
use crate::{Error, Failure, Solution, Status};

/// The equation that takes the place of complementarity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NcpFunction {
    /// a + b − √(a² + b²).
    FischerBurmeister,
    /// Fischer-Burmeister plus a share of the product of the positive parts, which keeps large
    /// complementary pairs from hiding behind small ones.
    #[default]
    Penalised,
    /// min(a, b): steps are solves with an active set. A step that does not lower the merit
    /// function of [`Penalised`](Self::Penalised) is replaced by one of that function.
    Min,
}

/// Settings of [`Newton`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual at which a problem counts as solved. Default 10⁻¹⁰.
    pub tolerance: f64,
    /// The most steps from one starting point. Default 100.
    pub max_steps: usize,
    /// The equation to solve. Default [`NcpFunction::Penalised`].
    pub function: NcpFunction,
    /// How many other starting points are tried after a failure. Default 2.
    pub restarts: usize,
    /// A vector that meets the tolerance only because it is huge is no solution if the problem is
    /// infeasible; up to this many unknowns that is looked into, with an interior-point solve of
    /// twice the size. Default 200; 0 for never.
    pub prove_up_to: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: SOLVED,
            max_steps: 100,
            function: NcpFunction::default(),
            restarts: 2,
            prove_up_to: 200,
        }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    ///
    /// # Errors
    /// If the tolerance is not in (0, 1] or no step is allowed.
    pub fn validate(&self) -> Result<(), Error> {
        check_setting(
            "newton",
            "tolerance",
            self.tolerance,
            (0.0, 1e-2),
            "greater than 0 and at most 0.01",
        )?;
        let steps = self.max_steps as f64;
        check_setting("newton", "max_steps", steps, (0.0, f64::INFINITY), "at least 1")
    }
}

/// Semismooth Newton: few steps of n³ work each, for any matrix, at its best for P₀ matrices.
///
/// It looks for no proof after a failure; it ends as [`Status::NoSolution`] only if its answer lies
/// so far out that infeasibility was suspected and could be proved.
///
/// ```
/// use complementarity::{Lcp, Matrix, Newton, Solver};
///
/// let m = Matrix::from_rows(&[[2.0, -3.0], [1.0, 2.0]])?;
/// let problem = Lcp::new(m, vec![1.0, -4.0])?;
/// let mut newton = Newton::default();
/// let solution = newton.solve(&problem);
/// assert!(solution.is_solved() && solution.residual.scaled < 1e-14);
/// # Ok::<(), complementarity::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Newton {
    settings: Settings,
    solution: Solution,
    scratch: Scratch,
    polisher: Polisher,
    scaled: Scaled,
    lu: Lu,
    z: Vec<f64>,
    w: Vec<f64>,
    phi: Vec<f64>,
    d_z: Vec<f64>,
    d_w: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    /// M d.
    image: Vec<f64>,
    /// Scratch of the line search and of a polish.
    trial: Vec<f64>,
    jacobian: Vec<f64>,
    best: f64,
}

/// Merits that the line search remembers: a step may rise to the largest of them.
const MEMORY: usize = 5;
/// Halvings of a step.
const BACKTRACKS: i32 = 24;
/// Armijo's share of the predicted decrease.
const ARMIJO: f64 = 1e-4;

impl Newton {
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
        let n = view.len();
        self.reset(view);
        let mut reason = Failure::Numerical;
        if self.scaled.load(view, false) {
            if let Some(guess) = guess {
                for i in 0..n {
                    let (l, u) = view.bounds(i);
                    self.solution.z[i] = guess[i].clamp(l, u);
                }
            }
            self.best = view.residual(&self.solution.z, &mut self.scratch).scaled;
            for attempt in 0..=self.settings.restarts {
                self.start(attempt);
                match self.descend(view) {
                    None => break,
                    Some(why) => reason = why,
                }
            }
        }
        let work = self.polisher.statistics;
        self.solution.statistics.factorizations += work.factorizations;
        self.solution.statistics.refinements += work.refinements;
        let tolerance = self.settings.tolerance;
        view.certify(tolerance, reason, &mut self.solution, &mut self.scratch);
        if self.solution.is_solved()
            && n <= self.settings.prove_up_to
            && self.scaled.is_remote(&self.solution.z)
            && let Some(proof) = prove_infeasible(view)
        {
            self.solution.status = Status::NoSolution;
            self.solution.proof = Some(proof);
        }
    }

    /// Steps from `self.z` until a polished iterate meets the tolerance (`None`) or there is a
    /// reason to give up; the best polished iterate ends up in the solution.
    fn descend(&mut self, view: View<'_>) -> Option<Failure> {
        let mut recent = [0.0; MEMORY];
        let mut polish_below = 1e-3;
        let mut reason = Failure::IterationLimit;
        for k in 0..self.settings.max_steps {
            let merit = self.evaluate();
            if !merit.is_finite() {
                reason = Failure::Numerical;
                break;
            }
            let worst = self.phi.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
            if worst <= polish_below {
                if self.polish(view) {
                    return None;
                }
                polish_below = 0.01 * worst;
                if worst <= f64::EPSILON {
                    return Some(Failure::Stalled);
                }
            }
            if k == 0 {
                recent = [merit; MEMORY];
            }
            recent[k % MEMORY] = merit;
            let reference = recent.into_iter().fold(0.0, f64::max);
            self.solution.statistics.iterations += 1;
            let moved = self.settings.function == NcpFunction::Min && self.min_step(merit)
                || self.newton_step(merit, reference)
                || self.levenberg_step(merit);
            if !moved {
                reason = Failure::Stalled;
                break;
            }
        }
        if self.polish(view) { None } else { Some(reason) }
    }

    fn reset(&mut self, view: View<'_>) {
        let n = view.len();
        self.solution.reset(n);
        self.polisher.statistics = Default::default();
        self.polisher.reserve(n);
        self.lu.reserve(n);
        self.jacobian.resize(2 * n * n, 0.0);
        for v in [
            &mut self.z,
            &mut self.w,
            &mut self.phi,
            &mut self.d_z,
            &mut self.d_w,
            &mut self.gradient,
            &mut self.step,
            &mut self.image,
            &mut self.trial,
        ] {
            v.clear();
            v.resize(n, 0.0);
        }
        for i in 0..n {
            let (l, u) = view.bounds(i);
            self.solution.z[i] = 0.0_f64.clamp(l, u);
        }
    }

    /// The guess or zero first, then ones, then the solution of the diagonal problem.
    fn start(&mut self, attempt: usize) {
        if attempt == 0 {
            self.scaled.to_scaled(&self.solution.z, &mut self.z);
            return;
        }
        let Scaled { m, q, lower, upper, .. } = &self.scaled;
        for i in 0..self.z.len() {
            let diagonal = -q[i] / m[(i, i)].abs().max(1e-3);
            let size = (attempt / 2) as f64;
            let from = if attempt % 2 == 1 { 1.0 + size } else { diagonal * size };
            self.z[i] = from.clamp(lower[i], upper[i]);
        }
    }

    /// Fills w, Φ, D and the gradient of θ at `self.z`; returns θ.
    fn evaluate(&mut self) -> f64 {
        let Scaled { m, q, .. } = &self.scaled;
        let n = self.z.len();
        let mut merit = 0.0;
        for i in 0..n {
            self.w[i] = q[i] + dot(m.row(i), &self.z);
            let (phi, d_z, d_w) = self.element(NcpFunction::Penalised, i, self.z[i], self.w[i]);
            (self.phi[i], self.d_z[i], self.d_w[i]) = (phi, d_z, d_w);
            self.gradient[i] = d_z * phi;
            merit += 0.5 * phi * phi;
        }
        for i in 0..n {
            axpy(self.d_w[i] * self.phi[i], m.row(i), &mut self.gradient);
        }
        merit
    }

    /// Φ_i and its derivatives by z_i and w_i.
    fn element(&self, function: NcpFunction, i: usize, z: f64, w: f64) -> (f64, f64, f64) {
        let (l, u) = (self.scaled.lower[i], self.scaled.upper[i]);
        let pair = |a, b| match (function, self.settings.function) {
            (NcpFunction::Min, _) if a < b => (a, 1.0, 0.0),
            (NcpFunction::Min, _) => (b, 0.0, 1.0),
            (_, NcpFunction::FischerBurmeister) => fischer(a, b, 1.0),
            _ => fischer(a, b, 0.95),
        };
        let (inner, inner_z, inner_w) = if u == f64::INFINITY {
            (w, 0.0, 1.0)
        } else {
            let (phi, by_a, by_b) = pair(u - z, -w);
            (-phi, by_a, by_b)
        };
        if l == f64::NEG_INFINITY {
            return (inner, inner_z, inner_w);
        }
        let (phi, by_a, by_b) = pair(z - l, inner);
        (phi, by_a + by_b * inner_z, by_b * inner_w)
    }

    /// A whole step of the min map, taken if it halves the merit.
    fn min_step(&mut self, merit: f64) -> bool {
        let n = self.z.len();
        for i in 0..n {
            let (phi, d_z, d_w) = self.element(NcpFunction::Min, i, self.z[i], self.w[i]);
            (self.trial[i], self.d_z[i], self.d_w[i]) = (-phi, d_z, d_w);
        }
        self.step.copy_from_slice(&self.trial);
        let good = self.solve_jacobian() && {
            self.scaled.m.mul_vec_into(&self.step, &mut self.image);
            self.merit_at(1.0) <= 0.5 * merit
        };
        if good {
            axpy(1.0, &self.step, &mut self.z);
        } else {
            self.evaluate();
        }
        good
    }

    /// A damped Newton step; false if J is singular or the step no descent.
    fn newton_step(&mut self, merit: f64, reference: f64) -> bool {
        for (d, phi) in self.step.iter_mut().zip(&self.phi) {
            *d = -phi;
        }
        self.solve_jacobian() && self.search(merit, reference, 1e-3)
    }

    /// Levenberg-Marquardt: (JᵀJ + ν I) d = −Jᵀ Φ, with ν from small to so large that d is a short
    /// step down the gradient.
    fn levenberg_step(&mut self, merit: f64) -> bool {
        let n = self.z.len();
        let (jacobian, normal) = self.jacobian.split_at_mut(n * n);
        for i in 0..n {
            let row = &mut jacobian[i * n..(i + 1) * n];
            row.fill(0.0);
            axpy(self.d_w[i], self.scaled.m.row(i), row);
            row[i] += self.d_z[i];
        }
        normal.fill(0.0);
        for row in jacobian.chunks_exact(n) {
            for (i, &v) in row.iter().enumerate() {
                if v != 0.0 {
                    axpy(v, row, &mut normal[i * n..(i + 1) * n]);
                }
            }
        }
        for exponent in [-8, -6, -4, -2, 0, 3] {
            let nu = 10f64.powi(exponent);
            let normal = &self.jacobian[n * n..];
            self.solution.statistics.factorizations += 1;
            let regular = self.lu.factor(n, 1e-15, |i, row| {
                row.copy_from_slice(&normal[i * n..(i + 1) * n]);
                row[i] += nu;
            });
            for (d, g) in self.step.iter_mut().zip(&self.gradient) {
                *d = -g;
            }
            if regular {
                self.lu.solve(&mut self.step);
                if self.search(merit, merit, 1e-2) {
                    return true;
                }
            }
        }
        false
    }

    /// Overwrites `step` (the right side) with J⁻¹ step.
    fn solve_jacobian(&mut self) -> bool {
        let (m, d_z, d_w) = (&self.scaled.m, &self.d_z, &self.d_w);
        self.solution.statistics.factorizations += 1;
        let regular = self.lu.factor(self.z.len(), 1e-14, |i, row| {
            axpy(d_w[i], m.row(i), row);
            row[i] += d_z[i];
        });
        if regular {
            self.lu.solve(&mut self.step);
        }
        regular && self.step.iter().all(|d| d.is_finite())
    }

    /// Halves the step until the merit falls below `reference` by Armijo's share, and takes it;
    /// false if it would be shorter than `shortest`.
    fn search(&mut self, merit: f64, reference: f64, shortest: f64) -> bool {
        let slope = dot(&self.gradient, &self.step);
        if slope.is_nan() || slope >= 0.0 {
            return false;
        }
        self.scaled.m.mul_vec_into(&self.step, &mut self.image);
        let mut t = 1.0;
        for _ in 0..BACKTRACKS {
            let trial = self.merit_at(t);
            if trial <= reference + ARMIJO * t * slope && trial != merit {
                axpy(t, &self.step, &mut self.z);
                return true;
            }
            t *= 0.5;
            if t < shortest {
                break;
            }
        }
        false
    }

    /// θ(z + t d), from w + t M d.
    fn merit_at(&self, t: f64) -> f64 {
        let mut merit = 0.0;
        for i in 0..self.z.len() {
            let (z, w) = (self.z[i] + t * self.step[i], self.w[i] + t * self.image[i]);
            let (phi, ..) = self.element(NcpFunction::Penalised, i, z, w);
            merit += 0.5 * phi * phi;
        }
        merit
    }

    /// Polishes the iterate in the units of the problem and keeps it if it is the best so far;
    /// true if the tolerance is met.
    fn polish(&mut self, view: View<'_>) -> bool {
        self.scaled.to_original(view, &self.z, &mut self.trial);
        for i in 0..self.trial.len() {
            let (above, below) =
                (self.z[i] - self.scaled.lower[i], self.scaled.upper[i] - self.z[i]);
            let (l, u) = view.bounds(i);
            if above < POLISH_TIGHT * self.w[i] {
                self.trial[i] = l;
            } else if below < -POLISH_TIGHT * self.w[i] {
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
}

solve_by_view!(Newton, "newton");
