//! Proximal ADMM with De Saxcé's correction and a spectral penalty (Carpentier, Le Lidec, Montaut 2024).
//!
//! Notation, in units in which every block of W has 1 as its normal diagonal entry: x and y copies
//! of the impulse, y ∈ K; z the velocity; s = μ h_F(−z_T) e_N; ρ the penalty, η the proximal weight.
//!
//! ```text
//! (W + (ρ + η) 1) x⁺ = ρ y + η x + z − b − s,    y⁺ = P_K(x⁺ − z/ρ),    z⁺ = z − ρ (x⁺ − y⁺)
//! ```
//!
//! W + (ρ + η) 1 is regular whatever W, and is factorised once per ρ. Every law is served for which the
//! projection on K and h_F are enough: all but sliding contacts.

use super::super::projection::FrictionCone;
use super::super::sparse::{BlockLu, Tree};
use super::super::{ConeProblem, Law, MAX_BLOCK, residual};
use super::{ConeSolution, cone_solver};
use crate::solvers::check_setting;
use crate::{Error, Failure};

/// Settings of [`Admm`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual that counts as solved. Default 10⁻⁹.
    pub tolerance: f64,
    /// The most steps. Default 5000.
    pub max_steps: usize,
    /// The proximal weight η over the largest eigenvalue of W. Default 10⁻⁶.
    pub proximal: f64,
    /// How far apart the two residuals may be before ρ is changed, as a factor. Default 10.
    pub imbalance: f64,
    /// The most factorisations. Default 30.
    pub max_factorisations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            max_steps: 5000,
            proximal: 1e-6,
            imbalance: 10.0,
            max_factorisations: 30,
        }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        let wanted = "greater than 0 and at most 0.1";
        check_setting("admm", "tolerance", self.tolerance, (0.0, 0.1), wanted)?;
        check_setting("admm", "proximal", self.proximal, (0.0, 0.1), wanted)?;
        let (value, range) = (self.imbalance, (1.0, 1e6));
        check_setting("admm", "imbalance", value, range, "greater than 1 and at most 1e6")
    }
}

/// Steps between two looks at the penalty.
const LOOK_EVERY: usize = 20;
/// By which power of the condition number the penalty changes.
const POWER_STEP: f64 = 0.05;

/// Whether a law is one of a cone and its dual.
pub(crate) fn takes(law: &Law) -> bool {
    !matches!(law, Law::Sliding { .. })
}

/// Proximal ADMM; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Admm {
    settings: Settings,
    /// Per block, Λ = unit x.
    units: Vec<f64>,
    offsets: Vec<usize>,
    tree: Tree,
    lu: BlockLu,
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    rhs: Vec<f64>,
    best: Vec<f64>,
    pub(crate) solution: ConeSolution,
}

impl Admm {
    /// A solver with these settings.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        Ok(Self { settings, ..Self::default() })
    }

    /// The solution of the last solve.
    pub fn solution(&self) -> &ConeSolution {
        &self.solution
    }

    fn run(&mut self, problem: &ConeProblem, guess: Option<&[f64]>) {
        self.solution.reset(problem.len(), guess);
        self.prepare(problem);
        let reason = if problem.laws().iter().all(takes) {
            self.iterate(problem)
        } else {
            Failure::WrongClass
        };
        self.solution.certify(problem, self.settings.tolerance, reason);
        if !self.solution.is_solved() {
            self.solution.impulse.copy_from_slice(&self.best);
            self.solution.certify(problem, self.settings.tolerance, reason);
        }
    }

    fn iterate(&mut self, problem: &ConeProblem) -> Failure {
        let settings = self.settings;
        let largest = self.largest_eigenvalue(problem);
        let least = settings.proximal * largest;
        let mut power = 0.5;
        let penalty = |power: f64| least * (largest / least).powf(power);
        let mut rho = penalty(power);
        if !self.factorise(problem, rho + least) {
            return Failure::Numerical;
        }
        let (mut ask_at, mut best) = (settings.tolerance, f64::INFINITY);
        for step in 1..=settings.max_steps {
            self.solution.statistics.iterations = step;
            let (primal, dual) = self.step(problem, rho, least);
            let error = primal.max(dual);
            if !error.is_finite() {
                return Failure::Numerical;
            }
            if error < best {
                best = error;
                self.best.copy_from_slice(&self.y);
                scale_by(problem, &self.units, &mut self.best);
            }
            if error <= ask_at {
                self.solution.impulse.copy_from_slice(&self.best);
                if self.solution.certify(problem, settings.tolerance, Failure::IterationLimit) {
                    break;
                }
                ask_at = 0.3 * error;
            }
            let more = self.solution.statistics.factorizations < settings.max_factorisations;
            if step % LOOK_EVERY == 0 && more {
                let before = power;
                if primal > settings.imbalance * dual {
                    power = (power + POWER_STEP).min(1.0);
                } else if dual > settings.imbalance * primal {
                    power = (power - POWER_STEP).max(0.0);
                }
                if power != before {
                    rho = penalty(power);
                    if !self.factorise(problem, rho + least) {
                        return Failure::Numerical;
                    }
                }
            }
        }
        Failure::IterationLimit
    }

    fn prepare(&mut self, problem: &ConeProblem) {
        let n = problem.len();
        self.units.clear();
        self.offsets.clear();
        for i in 0..problem.blocks() {
            let w = residual::local_scale(problem.w().diagonal(i), problem.w().size(i));
            self.units.push(1.0 / w.sqrt());
            self.offsets.push(problem.w().offset(i));
        }
        self.offsets.push(n);
        for v in [&mut self.x, &mut self.y, &mut self.z, &mut self.rhs, &mut self.best] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.tree = Tree::new(problem.blocks(), |i| problem.w().row_arrays(i).0);
        // x, y and z from the guess.
        self.best.copy_from_slice(&self.solution.impulse);
        problem.w().multiply_add(&self.solution.impulse, problem.b(), &mut self.z);
        scale_by(problem, &self.units, &mut self.z);
        for (i, unit) in self.units.iter().enumerate() {
            for r in problem.rows(i) {
                self.x[r] = self.solution.impulse[r] / unit;
            }
        }
        self.y.copy_from_slice(&self.x);
    }

    /// By the power method, from a start that no eigenvector is likely to be orthogonal to.
    fn largest_eigenvalue(&mut self, problem: &ConeProblem) -> f64 {
        let n = problem.len();
        let mut v: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * ((i * 7919) % 101) as f64).collect();
        let zero = vec![0.0; n];
        let mut size = 1.0;
        for _ in 0..30 {
            let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(norm > 0.0 && norm.is_finite()) {
                return 1.0;
            }
            v.iter_mut().for_each(|x| *x /= norm);
            scale_by(problem, &self.units, &mut v);
            problem.w().multiply_add(&v, &zero, &mut self.rhs);
            std::mem::swap(&mut v, &mut self.rhs);
            scale_by(problem, &self.units, &mut v);
            size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        }
        if size > 0.0 && size.is_finite() { size } else { 1.0 }
    }

    fn factorise(&mut self, problem: &ConeProblem, shift: f64) -> bool {
        self.solution.statistics.factorizations += 1;
        let (w, units) = (problem.w(), &self.units);
        self.lu.factorise(&self.tree, &self.offsets, |i, give| {
            for (j, block) in w.row(i) {
                let (mut a_ij, mut a_ji) =
                    ([0.0; MAX_BLOCK * MAX_BLOCK], [0.0; MAX_BLOCK * MAX_BLOCK]);
                let (rows, cols, unit) = (w.size(i), w.size(j), units[i] * units[j]);
                for r in 0..rows {
                    for c in 0..cols {
                        let own = if i == j && r == c { shift } else { 0.0 };
                        let x = unit * block[r * cols + c] + own;
                        a_ij[r * cols + c] = x;
                        a_ji[c * rows + r] = x;
                    }
                }
                give(j, &a_ij[..rows * cols], &a_ji[..rows * cols]);
            }
        })
    }

    /// One step; returns |x − y| and ρ |y⁺ − y| as velocities over the reference.
    fn step(&mut self, problem: &ConeProblem, rho: f64, eta: f64) -> (f64, f64) {
        for (i, law) in problem.laws().iter().enumerate() {
            let (rows, unit) = (problem.rows(i), self.units[i]);
            for r in rows.clone() {
                let own = rho * self.y[r] + eta * self.x[r];
                self.rhs[r] = own + self.z[r] - unit * problem.b()[r];
            }
            if let (Law::Friction { mu, set, .. }, false) = (law, problem.is_associated()) {
                let mut back = [0.0; MAX_BLOCK];
                let z = &self.z[rows.start + 1..rows.end];
                back.iter_mut().zip(z).for_each(|(b, z)| *b = -z);
                self.rhs[rows.start] -= mu * set.support(&back[..z.len()]);
            }
        }
        self.lu.solve(&mut self.rhs);
        std::mem::swap(&mut self.x, &mut self.rhs);
        let reference = residual::reference_velocity(problem, problem.b());
        let (mut primal, mut dual): (f64, f64) = (0.0, 0.0);
        for (i, law) in problem.laws().iter().enumerate() {
            let rows = problem.rows(i);
            let (mut v, mut p) = ([0.0; MAX_BLOCK], [0.0; MAX_BLOCK]);
            let n = rows.len();
            for (v, r) in v.iter_mut().zip(rows.clone()) {
                *v = self.x[r] - self.z[r] / rho;
            }
            match law {
                Law::Frictionless => p[0] = v[0].max(0.0),
                Law::Bilateral(_) | Law::Sliding { .. } => p = v,
                Law::Friction { mu, radius, set } => {
                    let cone = FrictionCone { set, mu: *mu, radius: radius / self.units[i] };
                    cone.project(&v[..n], &mut p[..n]);
                }
            }
            let velocity = 1.0 / (self.units[i] * reference);
            for (k, r) in rows.enumerate() {
                primal = primal.max((self.x[r] - p[k]).abs() * velocity);
                dual = dual.max(rho * (p[k] - self.y[r]).abs() * velocity);
                self.z[r] = rho * (p[k] - v[k]);
                self.y[r] = p[k];
            }
        }
        (primal, dual)
    }
}

/// Multiplies each block of v by its unit.
fn scale_by(problem: &ConeProblem, units: &[f64], v: &mut [f64]) {
    for (i, unit) in units.iter().enumerate() {
        v[problem.rows(i)].iter_mut().for_each(|x| *x *= unit);
    }
}

cone_solver!(Admm, "admm");
