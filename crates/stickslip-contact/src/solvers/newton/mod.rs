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
    /// none ever: it goes on, measures each contact in its own scale instead of all in one, and may go uphill for some steps.
    pub patience: Option<usize>,
    /// The least ε that is added to the diagonal, relative to it. Default 10⁻¹⁰.
    pub regularisation: f64,
    /// R of the tangential rows, as a multiple of 1/max W_TT. The solutions do not depend on it; a large one sees the direction of a slip
    /// that is slow beside what velocities are made of. Default 1.
    pub slip_weight: f64,
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
            slip_weight: 1.0,
        }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        let wanted = "greater than 0 and at most 0.1";
        check_setting("newton", "tolerance", self.tolerance, (0.0, 0.1), wanted)?;
        check_setting("newton", "regularisation", self.regularisation, (0.0, 0.1), wanted)?;
        let wanted = "greater than 0 and at most 1e15";
        check_setting("newton", "slip_weight", self.slip_weight, (0.0, 1e15), wanted)
    }
}

/// A step is poor if it leaves more of the natural map than this.
const POOR: f64 = 0.7;
/// The first ε, and the largest.
const FIRST: f64 = 1e-6;
const MOST: f64 = 1e-2;
/// Where the natural map is smaller than this, ε falls to [`SHARP`] before anything else is tried.
const NEAR: f64 = 1e-3;
const SHARP: f64 = 1e-15;
/// The most steps in a row along which the natural map may rise.
const BOLD: usize = 5;

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
    best: Vec<f64>,
    /// Sweeps of the last solve, at most.
    pub(super) sweeps: usize,
    /// What velocities of each contact are compared with.
    scales: Vec<f64>,
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
        self.nsgs.set_tolerance(settings.tolerance);
        self.settings = settings;
        Ok(())
    }

    /// The solution of the last solve.
    #[must_use]
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    pub(super) fn run(&mut self, problem: &BlockForm, guess: Option<&[f64]>) {
        self.solution.reset(problem.len(), guess);
        self.sweeps = 0;
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
        let mut course = Course::new(&settings);
        self.best.clone_from(&self.solution.impulse);
        let mut poor = 0;
        for _ in 0..settings.max_steps {
            if merit <= 10.0 * settings.tolerance
                && self.solution.certify(problem, settings.tolerance, Failure::IterationLimit)
            {
                return None;
            }
            if merit < course.least {
                course.least = merit;
                self.best.clone_from(&self.solution.impulse);
            }
            self.solution.iterations += 1;
            let found = self.direction(problem, course.regularisation);
            let new = if found { self.search(problem, merit) } else { None };
            poor += usize::from(new.is_none_or(|new| new > POOR * merit));
            if settings.patience.is_some_and(|most| poor > most) {
                return Some(Failure::Stalled);
            }
            merit = match new {
                Some(new) => {
                    course.descended(merit, new);
                    new
                }
                None => self.without_descent(problem, found, merit, &mut course),
            };
        }
        if course.least < merit {
            self.solution.impulse.copy_from_slice(&self.best);
        }
        Some(Failure::IterationLimit)
    }

    /// What is done where the natural map does not fall along the step; returns its size then.
    fn without_descent(
        &mut self,
        problem: &BlockForm,
        found: bool,
        merit: f64,
        course: &mut Course,
    ) -> f64 {
        // Who is impatient has other methods to try.
        let patient = self.settings.patience.is_none();
        if patient && merit < NEAR && !course.sharp {
            // Near a solution the regularisation is what is in the way, unless contacts are redundant.
            (course.sharp, course.regularisation) = (true, SHARP);
        } else if patient && found && course.bold < BOLD {
            // The natural map of friction is no convex function: it may have to rise before it falls.
            course.bold += 1;
            self.solution.impulse.iter_mut().zip(&self.product).for_each(|(x, d)| *x += d);
        } else {
            self.solution.impulse.copy_from_slice(&self.best);
            course.retreated();
            self.sweep(problem, self.settings.rescue_sweeps);
        }
        self.evaluate(problem)
    }

    fn sweep(&mut self, problem: &BlockForm, sweeps: usize) {
        std::mem::swap(&mut self.nsgs.solution.impulse, &mut self.solution.impulse);
        // A change that overflows shows in the natural map.
        let _ = self.nsgs.chunk(problem, sweeps);
        self.sweeps += sweeps;
        std::mem::swap(&mut self.nsgs.solution.impulse, &mut self.solution.impulse);
    }

    /// Units, scales, the tree of fronts. False if a block has no diagonal to take units from.
    fn prepare(&mut self, problem: &BlockForm) -> bool {
        let n = problem.len();
        self.nsgs.prepare(problem);
        self.cells.clear();
        for (i, law) in problem.laws().iter().enumerate() {
            let w = problem.w().diagonal(i);
            let weight = self.settings.slip_weight;
            let cell = Cell::new(law, w, problem.is_associated(), weight);
            let Some(cell) = cell else { return false };
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
        self.measure(problem);
        let parts = Parts { cells: &self.cells, scales: &self.scales };
        parts.natural_map(problem, &self.solution.impulse, &self.xi, &mut self.map)
    }

    /// The scale of each contact at the impulses of the solution: the size of the terms of its velocity, which cancel to what
    /// may be much smaller. One scale for all does where contacts are alike, and is what the impatient try first.
    fn measure(&mut self, problem: &BlockForm) {
        self.scales.clear();
        if self.settings.patience.is_some() {
            self.scales.resize(self.cells.len(), problem.reference());
            return;
        }
        problem.w().sizes(&self.solution.impulse, problem.b(), &mut self.trial);
        for (i, cell) in self.cells.iter().enumerate() {
            let rows = self.trial[problem.rows(i)].iter().zip(&cell.axes);
            let size = rows.fold(0.0, |m: f64, (v, axis)| m.max(v * axis));
            self.scales.push(if size > 0.0 { size } else { problem.reference() });
        }
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
            let parts = Parts { cells: &self.cells, scales: &self.scales };
            let new = parts.natural_map(problem, &self.trial, &self.xi, &mut self.map);
            if new < (1.0 - 0.1 * length) * merit {
                std::mem::swap(&mut self.solution.impulse, &mut self.trial);
                return Some(self.evaluate(problem));
            }
            length *= 0.5;
        }
        None
    }
}

/// How the steps are taken, by what became of those before.
struct Course {
    /// ε.
    regularisation: f64,
    floor: f64,
    /// Whether the regularisation was left out since the last sweeps.
    sharp: bool,
    /// Steps since the least natural map that were taken though it rose.
    bold: usize,
    /// The least size of the natural map.
    least: f64,
}

impl Course {
    fn new(settings: &Settings) -> Self {
        let (floor, least) = (settings.regularisation, f64::INFINITY);
        Self { regularisation: FIRST, floor, sharp: false, bold: 0, least }
    }

    /// The natural map fell from one size to another.
    fn descended(&mut self, from: f64, to: f64) {
        if to < self.least {
            self.bold = 0;
        }
        if to < 0.5 * from && !self.sharp {
            self.regularisation = (0.1 * self.regularisation).max(self.floor);
        }
    }

    /// Sweeps begin at the best point.
    fn retreated(&mut self) {
        (self.sharp, self.bold) = (false, 0);
        self.regularisation = (10.0 * self.regularisation).clamp(self.floor, MOST);
    }
}

/// The blocks and their scales.
struct Parts<'a> {
    cells: &'a [Cell],
    scales: &'a [f64],
}

impl Parts<'_> {
    /// F in the units of x; returns its size as a velocity over the scale of each contact: the root of the mean square.
    fn natural_map(
        &self,
        problem: &BlockForm,
        impulse: &[f64],
        xi: &[f64],
        map: &mut [f64],
    ) -> f64 {
        let mut sum = 0.0;
        for ((i, cell), law) in self.cells.iter().enumerate().zip(problem.laws()) {
            let rows = problem.rows(i);
            let (x, y) = cell.shift(&impulse[rows.clone()], &xi[rows.clone()]);
            let g = cell.map(law, &y);
            for (r, map) in map[rows].iter_mut().enumerate() {
                *map = x[r] - g[r];
                sum += (*map / (cell.units[r] * self.scales[i])).powi(2);
            }
        }
        (sum / problem.len().max(1) as f64).sqrt()
    }
}

method!(ConeNewton, "newton");
