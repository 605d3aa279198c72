//! Block Gauss-Seidel with an exact solver per block (Jean and Moreau; Jourdan, Alart, Jean 1998).
//!
//! Blocks are solved in turn, each for the velocities that the others leave it. ξ is kept up to date:
//! a block that moves adds its column of W, so that a sweep costs the blocks that are not zero,
//! and a block at rest costs nothing but a look.
//!
//! It needs no factorisation and minds no redundancy. It converges linearly, and slowly where
//! impulses have to travel far: tall stacks, large mass ratios.

use super::super::{ConeProblem, residual};
use super::local::Local;
use super::{ConeSolution, cone_solver};
use crate::solvers::check_setting;
use crate::{Error, Failure};

/// Settings of [`Nsgs`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual that counts as solved. Default 10⁻⁹.
    pub tolerance: f64,
    /// The most sweeps over all blocks. Default 10 000.
    pub max_sweeps: usize,
    /// Whether every second sweep runs backwards. Default true: in a stack impulses then travel both ways.
    pub symmetric: bool,
    /// Sweeps from one evaluation of ξ from scratch to the next, which keeps rounding from adding
    /// up. Default 100.
    pub refresh_every: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-9, max_sweeps: 10_000, symmetric: true, refresh_every: 100 }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        let wanted = "greater than 0 and at most 0.1";
        check_setting("nsgs", "tolerance", self.tolerance, (0.0, 0.1), wanted)?;
        let (every, most) = (self.refresh_every as f64, f64::INFINITY);
        check_setting("nsgs", "refresh_every", every, (0.0, most), "at least 1")
    }
}

/// Block Gauss-Seidel; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Nsgs {
    settings: Settings,
    locals: Vec<Local>,
    /// What turns an impulse of a block into a velocity, over the reference velocity.
    scale: Vec<f64>,
    xi: Vec<f64>,
    pub(crate) solution: ConeSolution,
}

impl Nsgs {
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
        let reason = self.sweep_until_done(problem);
        self.solution.certify(problem, self.settings.tolerance, reason);
    }

    /// Sweeps until the judge is content, or there is a reason to stop.
    fn sweep_until_done(&mut self, problem: &ConeProblem) -> Failure {
        let tolerance = self.settings.tolerance;
        // The change of a sweep at which the judge is asked; the two measures differ by a factor.
        let mut ask_at = tolerance;
        for sweep in 0..self.settings.max_sweeps {
            if sweep % self.settings.refresh_every == 0 {
                problem.w().multiply_add(&self.solution.impulse, problem.b(), &mut self.xi);
            }
            let backwards = self.settings.symmetric && sweep % 2 == 1;
            let Some(change) = self.sweep(problem, backwards) else { return Failure::Numerical };
            self.solution.statistics.iterations += 1;
            if change <= ask_at {
                if self.solution.certify(problem, tolerance, Failure::IterationLimit) {
                    break;
                }
                if change <= f64::EPSILON * tolerance.min(1e-3) {
                    return Failure::Stalled;
                }
                ask_at = 0.5 * change;
            }
        }
        Failure::IterationLimit
    }

    /// Starts to sweep from these impulses.
    pub(crate) fn start(&mut self, problem: &ConeProblem, impulse: &[f64]) {
        self.solution.reset(problem.len(), Some(impulse));
        self.prepare(problem);
    }

    /// A number of sweeps, with ξ from scratch; returns the last change, `None` if a number
    /// overflowed.
    pub(crate) fn chunk(&mut self, problem: &ConeProblem, sweeps: usize) -> Option<f64> {
        problem.w().multiply_add(&self.solution.impulse, problem.b(), &mut self.xi);
        let mut change = 0.0;
        for sweep in 0..sweeps {
            let backwards = self.settings.symmetric && sweep % 2 == 1;
            change = self.sweep(problem, backwards)?;
            self.solution.statistics.iterations += 1;
            if change <= f64::EPSILON {
                break;
            }
        }
        Some(change)
    }

    /// Makes ready to sweep over this problem, with the impulses in the solution.
    pub(crate) fn prepare(&mut self, problem: &ConeProblem) {
        self.locals.clear();
        self.scale.clear();
        let reference = residual::reference_velocity(problem, problem.b());
        for (i, law) in problem.laws().iter().enumerate() {
            let w = problem.w().diagonal(i);
            self.locals.push(Local::new(law, w, problem.is_associated()));
            self.scale.push(residual::local_scale(w, law.dimension()) / reference);
        }
        self.xi.clear();
        self.xi.resize(problem.len(), 0.0);
    }

    /// One sweep; returns the largest change of a block as a velocity over the reference. `None` if a
    /// number overflowed.
    fn sweep(&mut self, problem: &ConeProblem, backwards: bool) -> Option<f64> {
        let k = problem.blocks();
        let (w, laws) = (problem.w(), problem.laws());
        let mut largest: f64 = 0.0;
        for c in 0..k {
            let i = if backwards { k - 1 - c } else { c };
            let rows = problem.rows(i);
            let lam = &mut self.solution.impulse[rows.clone()];
            let mut change = [0.0; super::super::MAX_BLOCK];
            let n = lam.len();
            change[..n].copy_from_slice(lam);
            if !self.locals[i].solve(&laws[i], w.diagonal(i), &self.xi[rows], lam) {
                continue;
            }
            let mut size: f64 = 0.0;
            for (c, l) in change.iter_mut().zip(&*lam) {
                *c = l - *c;
                size = size.max(c.abs());
            }
            if size > 0.0 {
                w.add_column(i, &change[..n], &mut self.xi);
                largest = largest.max(size * self.scale[i]);
            }
            if !size.is_finite() {
                return None;
            }
        }
        largest.is_finite().then_some(largest)
    }
}

cone_solver!(Nsgs, "nsgs");
