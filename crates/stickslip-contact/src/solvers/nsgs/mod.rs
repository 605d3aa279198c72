//! Block Gauss-Seidel with an exact solver per block (Jean and Moreau; Jourdan, Alart, Jean 1998).
//!
//! Blocks are solved in turn, each for the velocities that the others leave it. In the given order ξ is
//! kept up to date: a block that moves adds its column of W, so that a sweep costs the blocks that are
//! not zero, and a block at rest costs nothing but a look. In the order of colours a block sums up its
//! row of W instead, and those of one colour may be solved at the same time: the answer is the same
//! to the last bit for any number of threads.
//!
//! It needs no factorisation and tolerates redundancy. It converges linearly, and slowly where
//! impulses have to travel far: tall stacks, large mass ratios. Extrapolation over the last sweeps
//! (Anderson) is what helps there; a constant over-relaxation does not.

mod colours;

use super::anderson::{self, Anderson};
use super::local::Local;
use super::team::{Team, check_threads};
use super::{BlockForm, FormBuffer, MAX_ROWS, check_tolerance, method};
use crate::Error;
use crate::error::check_setting;
use crate::solve::ContactSolution;
use colours::{Colours, Fresh};
use complementarity::Failure;

/// In which order the blocks are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// As the problem has them, and back again in every second sweep.
    #[default]
    Given,
    /// Colour by colour, where blocks that share an entry of W have different colours. Mostly more sweeps
    /// than the given order, but several threads may share the work.
    Coloured,
}

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
    /// The order of the blocks. Default [`Order::Given`].
    pub order: Order,
    /// Threads that share the blocks of a colour. Default 1; more need [`Order::Coloured`] and the feature
    /// `parallel` of this crate. The answer does not depend on it.
    pub threads: usize,
    /// The factor ω by which a block moves towards its new impulse: below 1 damps, above 1 goes
    /// beyond. Default 1.
    pub relaxation: f64,
    /// Differences of sweeps that are kept to extrapolate from; 0 for none, at most 20. Default 0.
    pub memory: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            max_sweeps: 10_000,
            symmetric: true,
            refresh_every: 100,
            order: Order::Given,
            threads: 1,
            relaxation: 1.0,
            memory: 0,
        }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        check_tolerance("nsgs", self.tolerance)?;
        let (every, most) = (self.refresh_every as f64, f64::INFINITY);
        check_setting("nsgs", "refresh_every", every, (0.0, most), "at least 1")?;
        let wanted = "greater than 0 and less than 2";
        check_setting("nsgs", "relaxation", self.relaxation, (0.0, 2.0_f64.next_down()), wanted)?;
        let memory = (self.memory as f64, (-1.0, anderson::MAX_MEMORY as f64));
        check_setting("nsgs", "memory", memory.0, memory.1, "from 0 to 20")?;
        if self.order == Order::Coloured {
            return check_threads("nsgs", self.threads);
        }
        let wanted = "1 in the given order; more need `Order::Coloured`";
        check_setting("nsgs", "threads", self.threads as f64, (0.0, 1.0), wanted)
    }
}

/// Block Gauss-Seidel; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Nsgs {
    settings: Settings,
    team: Team,
    colours: Colours,
    /// What is prepared of each block, in the order of `colours`.
    locals: Vec<Local>,
    fresh: Vec<Fresh>,
    anderson: Anderson,
    /// Impulses at the last extrapolation, and what the sweeps since then added, in units in which each
    /// block of W is about 1.
    point: Vec<f64>,
    added: Vec<f64>,
    /// What turns an impulse of a block into a velocity, over the reference velocity.
    scale: Vec<f64>,
    xi: Vec<f64>,
    buffer: FormBuffer,
    pub(crate) solution: ContactSolution,
}

impl Nsgs {
    /// A solver with these settings.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        Ok(Self { settings, team: Team::new(settings.threads)?, ..Self::default() })
    }

    /// The solution of the last solve.
    #[must_use]
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    pub(super) fn run(&mut self, problem: &BlockForm, guess: Option<&[f64]>) {
        self.solution.reset(problem.len(), guess);
        self.prepare(problem);
        let reason = self.sweep_until_done(problem);
        self.solution.certify(problem, self.settings.tolerance, reason);
    }

    /// Sweeps until the judge is content, or there is a reason to stop.
    fn sweep_until_done(&mut self, problem: &BlockForm) -> Failure {
        let tolerance = self.settings.tolerance;
        // The change of a sweep at which the judge is asked; the two measures differ by a factor.
        let mut ask_at = tolerance;
        for sweep in 0..self.settings.max_sweeps {
            if sweep % self.settings.refresh_every == 0 {
                self.refresh(problem);
            }
            let Some(change) = self.sweep(problem, sweep) else { return Failure::Numerical };
            self.solution.iterations += 1;
            if change <= ask_at {
                if self.solution.certify(problem, tolerance, Failure::IterationLimit) {
                    break;
                }
                if change <= f64::EPSILON * tolerance.min(1e-3) {
                    return Failure::Stalled;
                }
                ask_at = 0.5 * change;
            }
            if self.settings.memory > 0 && sweep % 2 == 1 {
                self.extrapolate(problem);
            }
        }
        Failure::IterationLimit
    }

    /// ξ from scratch.
    fn refresh(&mut self, problem: &BlockForm) {
        if self.settings.order == Order::Given {
            problem.w().multiply_add(&self.solution.impulse, problem.b(), &mut self.xi);
        }
    }

    /// Starts to sweep from these impulses.
    pub(crate) fn start(&mut self, problem: &BlockForm, impulse: &[f64]) {
        self.solution.reset(problem.len(), Some(impulse));
        self.prepare(problem);
    }

    /// A number of sweeps, with ξ from scratch; returns the last change, `None` if a number
    /// overflowed.
    pub(crate) fn chunk(&mut self, problem: &BlockForm, sweeps: usize) -> Option<f64> {
        self.refresh(problem);
        let mut change = 0.0;
        for sweep in 0..sweeps {
            change = self.sweep(problem, sweep)?;
            self.solution.iterations += 1;
            if change <= f64::EPSILON {
                break;
            }
        }
        Some(change)
    }

    /// Takes another tolerance, which must be a valid one, and keeps the storage.
    pub(super) fn set_tolerance(&mut self, tolerance: f64) {
        self.settings.tolerance = tolerance;
    }

    /// Makes ready to sweep over this problem, with the impulses in the solution.
    pub(crate) fn prepare(&mut self, problem: &BlockForm) {
        let k = problem.contacts();
        match self.settings.order {
            Order::Given => self.colours.give(k),
            Order::Coloured => self.colours = Colours::greedy(problem.w()),
        }
        self.locals.clear();
        self.scale.clear();
        let reference = problem.reference();
        for &i in &self.colours.order {
            let (law, w) = (&problem.laws()[i], problem.w().diagonal(i));
            self.locals.push(Local::new(law, w, problem.is_associated()));
        }
        self.scale.extend((0..k).map(|i| problem.scale(i) / reference));
        self.fresh.clear();
        if self.settings.order == Order::Coloured {
            self.fresh.resize(k, Default::default());
        }
        self.xi.clear();
        self.xi.resize(problem.len(), 0.0);
        self.prepare_extrapolation(problem);
    }

    /// One sweep; returns the largest change of a block as a velocity over the reference. `None` if a
    /// number overflowed.
    fn sweep(&mut self, problem: &BlockForm, sweep: usize) -> Option<f64> {
        let backwards = self.settings.symmetric && sweep % 2 == 1;
        let colours = self.colours.len();
        let mut largest: f64 = 0.0;
        for c in 0..colours {
            let c = if backwards { colours - 1 - c } else { c };
            let change = match self.settings.order {
                Order::Given => self.solve_block(problem, c)?,
                Order::Coloured => self.solve_colour(problem, c)?,
            };
            largest = largest.max(change);
        }
        largest.is_finite().then_some(largest)
    }

    /// Solves block i from the ξ that is kept, and adds its column.
    #[inline]
    fn solve_block(&mut self, problem: &BlockForm, i: usize) -> Option<f64> {
        let (w, rows) = (problem.w(), problem.rows(i));
        let lam = &mut self.solution.impulse[rows.clone()];
        let mut change = [0.0; MAX_ROWS];
        let n = lam.len();
        change[..n].copy_from_slice(lam);
        if !self.locals[i].solve(&problem.laws()[i], w.diagonal(i), &self.xi[rows], lam) {
            return Some(0.0);
        }
        let mut size: f64 = 0.0;
        for (c, l) in change.iter_mut().zip(lam) {
            let step = self.settings.relaxation * (*l - *c);
            if self.settings.relaxation != 1.0 {
                *l = *c + step;
            }
            *c = step;
            size = size.max(step.abs());
        }
        if size > 0.0 {
            w.add_column(i, &change[..n], &mut self.xi);
        }
        let change = size * self.scale[i];
        change.is_finite().then_some(change)
    }

    /// Solves the blocks of colour c, each from its row of W.
    fn solve_colour(&mut self, problem: &BlockForm, c: usize) -> Option<f64> {
        let range = self.colours.starts[c]..self.colours.starts[c + 1];
        let blocks = &self.colours.order[range.clone()];
        let fresh = &mut self.fresh[range.clone()];
        let locals = &mut self.locals[range];
        let (team, impulse) = (&self.team, &self.solution.impulse);
        team.work(|| solve_all(problem, (blocks, locals), impulse, fresh, team));
        let mut largest: f64 = 0.0;
        for (&i, (new, change)) in blocks.iter().zip(&*fresh) {
            if !change.is_finite() {
                return None;
            }
            let rows = problem.rows(i);
            for (l, new) in self.solution.impulse[rows].iter_mut().zip(new) {
                *l = if self.settings.relaxation == 1.0 {
                    *new
                } else {
                    *l + self.settings.relaxation * (new - *l)
                };
            }
            largest = largest.max(change * self.scale[i]);
        }
        Some(largest)
    }

    fn prepare_extrapolation(&mut self, problem: &BlockForm) {
        let memory = self.settings.memory;
        if memory == 0 {
            return;
        }
        let n = problem.len();
        self.anderson.reset(n, memory);
        self.added.clear();
        self.added.resize(n, 0.0);
        self.point.clear();
        self.point.extend_from_slice(&self.solution.impulse);
        for (i, scale) in self.scale.iter().enumerate() {
            self.point[problem.rows(i)].iter_mut().for_each(|p| *p *= scale.sqrt());
        }
    }

    /// Goes on from the point that the last sweeps point to.
    fn extrapolate(&mut self, problem: &BlockForm) {
        for (i, scale) in self.scale.iter().enumerate() {
            for r in problem.rows(i) {
                self.added[r] = scale.sqrt() * self.solution.impulse[r] - self.point[r];
            }
        }
        self.anderson.advance(&mut self.point, &self.added);
        for (i, scale) in self.scale.iter().enumerate() {
            for r in problem.rows(i) {
                self.solution.impulse[r] = self.point[r] / scale.sqrt();
            }
        }
        self.refresh(problem);
    }
}

/// Blocks of a colour that one thread takes at least; fewer cost more to hand out than to solve.
const SHARE: usize = 64;

/// The new impulses of blocks of one colour. What a block gets does not depend on who solves it.
fn solve_all(
    problem: &BlockForm,
    (blocks, locals): (&[usize], &mut [Local]),
    impulse: &[f64],
    out: &mut [Fresh],
    team: &Team,
) {
    if !team.is_one() && blocks.len() >= 2 * SHARE {
        let half = blocks.len() / 2;
        let (a, b) = blocks.split_at(half);
        let (first, second) = locals.split_at_mut(half);
        let (to, other) = out.split_at_mut(half);
        team.join(
            || solve_all(problem, (a, first), impulse, to, team),
            || solve_all(problem, (b, second), impulse, other, team),
        );
        return;
    }
    for ((local, out), &i) in locals.iter_mut().zip(out).zip(blocks) {
        *out = colours::fresh(problem, i, local, impulse);
    }
}

method!(Nsgs, "nsgs");

#[cfg(test)]
mod tests;
