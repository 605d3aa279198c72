//! Semismooth Newton on the natural map (Alart and Curnier 1991), started by block Gauss-Seidel.
//!
//! Notation, per block: x = (Λ_N, Λ_T), for round sets in units in which the set is a ball; y = x − R ξ with
//! R = 1/W_NN and 1/max W_TT; G(y) = (max(0, y_N), P_r(y_T)), P_r the projection on r F,
//! r = μ max(0, y_N) + a; F = x − G(y). F = 0 is the law, De Saxcé's correction included. J is the derivative of P_r,
//! κ its eigenvalues and p its eigenvectors, f = P_r(y_T)/r.
//!
//! The derivative of G has the form P Qᵀ with few columns: none if the contact is open; (1, μ (1 − J) f) against
//! (1, 0), and √κ p against itself. A ball has (1 − J) f = y_T/|y_T| and κ = r/|y_T| across it if it slides, and
//! κ = 1 if it sticks. A contact that slides on has (1, μ f) against (1, 0). Without the
//! correction G is the projection on the cone, with one R, and P = Q = √κ p of its derivative. With
//! dx = P z − F the linear system F + dx − G'(dx − R W dx) = 0 becomes
//!
//! ```text
//! (D + Qᵀ W P) z = Qᵀ (W F − R⁻¹ F),     D = R⁻¹ (1 − Qᵀ P),
//! ```
//!
//! of the size of what sticks and slides. W + ε diag W takes the place of W on the left, so that
//! redundant contacts leave it regular; ε falls with the residual, and no answer depends on it.

use super::nsgs::{self, Nsgs};
use super::{BlockForm, FormBuffer, method};
use crate::Error;
use crate::block::{BlockLu, BlockMatrix, FrontTree, FrontTrees};
use crate::error::check_setting;
use crate::solve::ContactSolution;
use complementarity::Failure;

mod cell;
mod system;

use cell::Cell;
use system::System;

/// Settings of [`ConeNewton`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual that counts as solved. Default 10⁻⁹.
    pub tolerance: f64,
    /// The most steps. Default 200.
    pub max_steps: usize,
    /// Sweeps of block Gauss-Seidel before the first step. Default 100.
    pub first_sweeps: usize,
    /// Sweeps where a step fails to reduce the natural map. Default 20.
    pub rescue_sweeps: usize,
    /// Steps that may fail to reduce the natural map by a third; at the next one it gives up. Default
    /// none ever: it goes on.
    pub patience: Option<usize>,
    /// The least ε that is added to the diagonal, relative to it. Default 10⁻¹⁰.
    pub regularisation: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            max_steps: 200,
            first_sweeps: 100,
            rescue_sweeps: 20,
            patience: None,
            regularisation: 1e-10,
        }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        let wanted = "greater than 0 and at most 0.1";
        check_setting("newton", "tolerance", self.tolerance, (0.0, 0.1), wanted)?;
        check_setting("newton", "regularisation", self.regularisation, (0.0, 0.1), wanted)
    }
}

/// A step is poor if it leaves more of the natural map than this.
const POOR: f64 = 0.7;

/// Semismooth Newton; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct ConeNewton {
    settings: Settings,
    nsgs: Nsgs,
    cells: Vec<Cell>,
    offsets: Vec<usize>,
    trees: FrontTrees,
    lu: BlockLu,
    xi: Vec<f64>,
    trial: Vec<f64>,
    map: Vec<f64>,
    product: Vec<f64>,
    rhs: Vec<f64>,
    zero: Vec<f64>,
    reference: f64,
    buffer: FormBuffer,
    pub(crate) solution: ContactSolution,
}

impl ConeNewton {
    /// A solver with these settings.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        let Settings { tolerance, .. } = settings;
        let nsgs = Nsgs::new(nsgs::Settings { tolerance, ..Default::default() })?;
        Ok(Self { settings, nsgs, ..Self::default() })
    }

    /// The tree of fronts of a matrix.
    pub(super) fn tree(&mut self, w: &BlockMatrix) -> &FrontTree {
        self.trees.choose(w);
        self.trees.chosen()
    }

    /// Takes other settings and keeps the storage.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn set(&mut self, settings: Settings) -> Result<(), Error> {
        settings.validate()?;
        if settings.tolerance != self.settings.tolerance {
            let tolerance = settings.tolerance;
            self.nsgs = Nsgs::new(nsgs::Settings { tolerance, ..Default::default() })?;
        }
        self.settings = settings;
        Ok(())
    }

    /// The solution of the last solve.
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    pub(super) fn run(&mut self, problem: &BlockForm, guess: Option<&[f64]>) {
        self.solution.reset(problem.len(), guess);
        let reason =
            if self.prepare(problem) { self.iterate(problem) } else { Some(Failure::WrongClass) };
        if let Some(reason) = reason {
            self.solution.certify(problem, self.settings.tolerance, reason);
        }
    }

    /// Steps until the judge is content, or there is a reason to stop.
    fn iterate(&mut self, problem: &BlockForm) -> Option<Failure> {
        let settings = self.settings;
        self.sweep(problem, settings.first_sweeps);
        let mut merit = self.evaluate(problem);
        let (mut regularisation, mut poor) = (1e-6, 0);
        for _ in 0..settings.max_steps {
            if merit <= 10.0 * settings.tolerance
                && self.solution.certify(problem, settings.tolerance, Failure::IterationLimit)
            {
                return None;
            }
            self.solution.iterations += 1;
            let found = self.direction(problem, regularisation);
            let new = if found { self.search(problem, merit) } else { None };
            poor += usize::from(new.is_none_or(|new| new > POOR * merit));
            if settings.patience.is_some_and(|most| poor > most) {
                return Some(Failure::Stalled);
            }
            match new {
                Some(new) => {
                    if new < 0.5 * merit {
                        regularisation = (0.1 * regularisation).max(settings.regularisation);
                    }
                    merit = new;
                }
                None => {
                    regularisation = (10.0 * regularisation).min(1e-2);
                    self.sweep(problem, settings.rescue_sweeps);
                    merit = self.evaluate(problem);
                }
            }
        }
        Some(Failure::IterationLimit)
    }

    fn sweep(&mut self, problem: &BlockForm, sweeps: usize) {
        std::mem::swap(&mut self.nsgs.solution.impulse, &mut self.solution.impulse);
        // A change that overflows shows in the natural map.
        let _ = self.nsgs.chunk(problem, sweeps);
        std::mem::swap(&mut self.nsgs.solution.impulse, &mut self.solution.impulse);
    }

    /// Units, scales, the tree of fronts. False if a block has no diagonal to take units from.
    fn prepare(&mut self, problem: &BlockForm) -> bool {
        let n = problem.len();
        self.nsgs.prepare(problem);
        self.reference = problem.reference();
        self.cells.clear();
        for (i, law) in problem.laws().iter().enumerate() {
            let w = problem.w().diagonal(i);
            let Some(cell) = Cell::new(law, w, problem.is_associated()) else { return false };
            self.cells.push(cell);
        }
        for v in [&mut self.xi, &mut self.trial, &mut self.map, &mut self.product, &mut self.zero] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.trees.choose(problem.w());
        true
    }

    /// ξ, F and its size at the impulses of the solution.
    fn evaluate(&mut self, problem: &BlockForm) -> f64 {
        problem.w().multiply_add(&self.solution.impulse, problem.b(), &mut self.xi);
        natural_map(problem, &self.cells, &self.solution.impulse, &self.xi, &mut self.map)
            / self.reference
    }

    /// The step dΛ, left in `product`.
    fn direction(&mut self, problem: &BlockForm, regularisation: f64) -> bool {
        let w = problem.w();
        self.offsets.clear();
        self.offsets.push(0);
        for (i, cell) in self.cells.iter_mut().enumerate() {
            let rows = problem.rows(i);
            let law = &problem.laws()[i];
            cell.linearise(law, &self.solution.impulse[rows.clone()], &self.xi[rows]);
            self.offsets.push(self.offsets[i] + cell.columns);
        }
        // Right side: Qᵀ (W F − R⁻¹ F), where F is in impulse units for the product.
        for (i, cell) in self.cells.iter().enumerate() {
            let rows = problem.rows(i);
            for (r, at) in rows.enumerate() {
                self.trial[at] = self.map[at] * cell.axes[r];
            }
        }
        w.multiply_add(&self.trial, &self.zero, &mut self.product);
        self.rhs.clear();
        for (i, cell) in self.cells.iter().enumerate() {
            let rows = problem.rows(i);
            for c in 0..cell.columns {
                let q = &cell.q[c];
                let sum = rows.clone().enumerate().map(|(r, at)| {
                    q[r] * (cell.axes[r] * self.product[at] - self.map[at] / cell.steps[r])
                });
                self.rhs.push(sum.sum());
            }
        }
        let system = System { w, cells: &self.cells, regularisation };
        let done = self.lu.factorise(self.trees.chosen(), &self.offsets, &system);
        if !done {
            return false;
        }
        self.solution.factorisations += 1;
        self.lu.solve(&mut self.rhs);
        for (i, cell) in self.cells.iter().enumerate() {
            let z = &self.rhs[self.offsets[i]..self.offsets[i + 1]];
            for (r, at) in problem.rows(i).enumerate() {
                let sum: f64 = z.iter().enumerate().map(|(c, z)| cell.p[c][r] * z).sum();
                self.product[at] = cell.axes[r] * (sum - self.map[at]);
            }
        }
        self.product.iter().all(|x| x.is_finite())
    }

    /// Goes along the step as far as the natural map falls; `None` if it does not.
    fn search(&mut self, problem: &BlockForm, merit: f64) -> Option<f64> {
        let mut length = 1.0;
        for _ in 0..6 {
            for ((t, x), d) in self.trial.iter_mut().zip(&self.solution.impulse).zip(&self.product)
            {
                *t = x + length * d;
            }
            problem.w().multiply_add(&self.trial, problem.b(), &mut self.xi);
            let new = natural_map(problem, &self.cells, &self.trial, &self.xi, &mut self.map)
                / self.reference;
            if new < (1.0 - 0.1 * length) * merit {
                std::mem::swap(&mut self.solution.impulse, &mut self.trial);
                return Some(new);
            }
            length *= 0.5;
        }
        None
    }
}

/// F in the units of x; returns its size as a velocity: the root of the mean square.
fn natural_map(
    problem: &BlockForm,
    cells: &[Cell],
    impulse: &[f64],
    xi: &[f64],
    map: &mut [f64],
) -> f64 {
    let mut sum = 0.0;
    for ((i, cell), law) in cells.iter().enumerate().zip(problem.laws()) {
        let rows = problem.rows(i);
        let (x, y) = cell.shift(&impulse[rows.clone()], &xi[rows.clone()]);
        let g = cell.map(law, &y);
        for (r, map) in map[rows].iter_mut().enumerate() {
            *map = x[r] - g[r];
            sum += (*map / cell.steps[r]).powi(2);
        }
    }
    (sum / problem.len().max(1) as f64).sqrt()
}

method!(ConeNewton, "newton");
