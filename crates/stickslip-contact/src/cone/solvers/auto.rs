//! The default: a few steps of Newton's method if the problem is small; sweeps while they pay, then interior points and
//! Newton's method for the last digits, then the path of an interior point round its turns, then ADMM, other paths, more sweeps. Each answer is judged, the first that meets the tolerance ends
//! the search, and the way is told.
//!
//! Whether sweeps pay is told by how fast their changes fall, against what the factorisations of an
//! interior point would cost; both are counted in operations, never by a clock.

use super::admm::{self, Admm};
use super::interior_point::{self, InteriorPoint};
use super::newton::{self, Newton};
use super::nsgs::{self, Nsgs};
use super::split_point::{self, SplitPoint};
use super::{ConeSolution, ConeSolver, cone_solver};
use crate::Error;
use crate::block::Tree;
use crate::cone::ConeProblem;
use crate::error::check_setting;
use complementarity::Failure;
use complementarity::auto::Attempt;

/// Settings of [`Auto`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual that counts as solved. Default 10⁻⁹.
    pub tolerance: f64,
    /// Sweeps that are made before it is asked whether they pay. Default 40.
    pub first_sweeps: usize,
    /// Sweeps of the last resort. Default 20 000.
    pub last_sweeps: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-9, first_sweeps: 40, last_sweeps: 20_000 }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        let wanted = "greater than 0 and at most 0.1";
        check_setting("auto", "tolerance", self.tolerance, (0.0, 0.1), wanted)
    }
}

/// Operations of one block of W in a sweep, and of one contact, in units of an operation of a
/// factorisation; measured.
const BLOCK_WORK: f64 = 40.0;
const CONTACT_WORK: f64 = 300.0;
/// Factorisations that an interior point takes, about.
const FACTORISATIONS: f64 = 20.0;

/// Problems with more blocks than this are not given to Newton's method at once, and fewer than 40
/// sweeps say nothing about them.
const SMALL: usize = 500;
/// With so few blocks a step of Newton's method costs no more than a few sweeps.
const TINY: usize = 16;
/// The share of the cost of an interior point below which sweeps go on though their changes do not fall:
/// they do not fall evenly, and in large piles a factorisation costs thousands of sweeps.
const PATIENCE: f64 = 0.05;

/// Smoothing, coupling and boundary of the interior points that are tried, the fastest first.
const VARIANTS: [(f64, f64, f64); 5] =
    [(0.1, 1.0, 0.95), (0.0, 1.0, 0.8), (0.1, 1.0, 0.7), (0.1, 0.7, 0.6), (0.0, 0.0, 0.9)];

/// Centring and boundary of the interior points for any set that are tried, the fastest first.
const SPLIT_VARIANTS: [(f64, f64); 3] = [(0.05, 0.95), (0.1, 0.8), (0.3, 0.6)];

/// Paths that are followed where the first leads nowhere.
const OTHER_PATHS: [u32; 3] = [4, 3, 5];
/// The most factorisations along a path, and the most operations in them.
const MOST_TRACED: f64 = 2500.0;
const TRACE_WORK: f64 = 1e10;

/// The default solver; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Auto {
    settings: Settings,
    nsgs: Nsgs,
    newton: Newton,
    interior: InteriorPoint,
    attempts: Vec<Attempt>,
    pub(crate) solution: ConeSolution,
}

impl Auto {
    /// A solver with these settings.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        let tolerance = settings.tolerance;
        let nsgs = Nsgs::new(nsgs::Settings { tolerance, ..Default::default() })?;
        Ok(Self { settings, nsgs, ..Self::default() })
    }

    /// The way to the last answer: every method that was tried, in order.
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// The solution of the last solve.
    pub fn solution(&self) -> &ConeSolution {
        &self.solution
    }

    fn run(&mut self, problem: &ConeProblem, guess: Option<&[f64]>) {
        self.attempts.clear();
        self.solution.reset(problem.len(), guess);
        let tolerance = self.settings.tolerance;
        let _ = self.quick_newton(problem)
            || self.sweep_while_it_pays(problem)
            || problem.laws().iter().all(interior_point::takes)
                && VARIANTS.iter().any(|&v| self.interior(problem, v) || self.polish(problem))
            || problem.laws().iter().all(split_point::takes)
                && (SPLIT_VARIANTS.iter().any(|&v| self.split(problem, v) || self.polish(problem))
                    || self.trace(problem, 0))
            || self.newton("newton", problem, newton::Settings { tolerance, ..Default::default() })
            || problem.laws().iter().all(admm::takes)
                && self.method("admm", |guess| {
                    let settings = admm::Settings { tolerance, ..Default::default() };
                    Admm::new(settings)?.solve_from(problem, guess).cloned()
                })
            || self.polish(problem)
            || problem.laws().iter().all(split_point::takes)
                && OTHER_PATHS.iter().any(|&path| self.trace(problem, path))
            || self.last_sweeps(problem)
            || self.polish(problem);
    }

    /// Newton's method after very few sweeps. Where contacts stick or slide as they first seem to, as in
    /// most small problems and in large ones at rest, it is done in a few steps; where it is not,
    /// its first steps tell.
    fn quick_newton(&mut self, problem: &ConeProblem) -> bool {
        let (tolerance, k) = (self.settings.tolerance, problem.blocks());
        if k > SMALL {
            return false;
        }
        let (first_sweeps, max_steps) = (3, 12);
        let patience = Some(if k > TINY { 1 } else { 3 });
        self.newton(
            "newton",
            problem,
            newton::Settings { tolerance, first_sweeps, max_steps, patience, ..Default::default() },
        )
    }

    fn sweep_while_it_pays(&mut self, problem: &ConeProblem) -> bool {
        let Settings { tolerance, first_sweeps, .. } = self.settings;
        let (w, k) = (problem.w(), problem.blocks());
        let first_sweeps = if k > SMALL { first_sweeps } else { first_sweeps.div_ceil(4) };
        let sweep = BLOCK_WORK * w.stored_blocks() as f64 + CONTACT_WORK * k as f64;
        let mut budget = f64::INFINITY;
        self.nsgs.start(problem, &self.solution.impulse);
        let (mut before, mut done) = (f64::INFINITY, 0);
        for chunk in 0.. {
            let Some(change) = self.nsgs.chunk(problem, first_sweeps) else { break };
            done += first_sweeps;
            if change <= tolerance
                && self.nsgs.solution.certify(problem, tolerance, Failure::Stalled)
            {
                break;
            }
            if chunk == 1 {
                let tree = self.newton.tree(w);
                budget = FACTORISATIONS * tree.work(|i| w.size(i)) / sweep;
            }
            // Changes fall like a geometric series; the factor is taken from the last two chunks.
            let factor = (change / before).max(1e-3);
            before = change;
            let needed = first_sweeps as f64 * (0.1 * tolerance / change).ln() / factor.ln();
            let patient = (done as f64) < PATIENCE * budget;
            let hopeless = !patient && (factor >= 1.0 || needed > budget);
            let most = self.settings.last_sweeps;
            if chunk > 1 && (hopeless || done as f64 > 2.0 * budget || done >= most) {
                break;
            }
        }
        let reason = Failure::Stalled;
        self.nsgs.solution.certify(problem, tolerance, reason);
        let found = std::mem::take(&mut self.nsgs.solution);
        let solved = self.consider("nsgs", &found);
        self.nsgs.solution = found;
        solved
    }

    fn interior(
        &mut self,
        problem: &ConeProblem,
        (smoothing, coupling, boundary): (f64, f64, f64),
    ) -> bool {
        let tolerance = self.settings.tolerance;
        let settings = interior_point::Settings {
            tolerance,
            smoothing,
            coupling,
            boundary,
            ..Default::default()
        };
        if self.interior.set(settings).is_err() {
            return false;
        }
        self.interior.solve(problem);
        let found = std::mem::take(&mut self.interior.solution);
        let solved = self.consider("interior_point", &found);
        self.interior.solution = found;
        solved
    }

    fn split(&mut self, problem: &ConeProblem, (centring, boundary): (f64, f64)) -> bool {
        let tolerance = self.settings.tolerance;
        self.method("split_point", |_| {
            let settings =
                split_point::Settings { tolerance, centring, boundary, ..Default::default() };
            Ok(SplitPoint::new(settings)?.solve(problem).clone())
        })
    }

    /// An interior point that follows the path round its turns, and Newton's method from where it ends, near
    /// or not.
    fn trace(&mut self, problem: &ConeProblem, path: u32) -> bool {
        let (tolerance, w) = (self.settings.tolerance, problem.w());
        let tree = Tree::new(problem.blocks(), |i| w.row_arrays(i).0);
        let affordable = TRACE_WORK / tree.work(|i| w.size(i)).max(1.0);
        let max_steps = affordable.min(MOST_TRACED) as usize;
        let mut end = Vec::new();
        self.method("split_point, path", |_| {
            let settings = split_point::Settings {
                tolerance,
                max_steps,
                trace: true,
                path,
                ..Default::default()
            };
            let found = SplitPoint::new(settings)?.solve(problem).clone();
            end.extend_from_slice(&found.impulse);
            Ok(found)
        }) || !end.is_empty()
            && self.method("newton, polish", |_| {
                let (first_sweeps, max_steps) = (0, 20);
                let settings =
                    newton::Settings { tolerance, first_sweeps, max_steps, ..Default::default() };
                Newton::new(settings)?.solve_from(problem, &end).cloned()
            })
    }

    /// Newton's method from the best point, without sweeps.
    fn polish(&mut self, problem: &ConeProblem) -> bool {
        let tolerance = self.settings.tolerance;
        if !(self.solution.residual.scaled.value < 1e-3) {
            return false;
        }
        let (first_sweeps, max_steps) = (0, 20);
        let settings =
            newton::Settings { tolerance, first_sweeps, max_steps, ..Default::default() };
        self.newton("newton, polish", problem, settings)
    }

    /// Newton's method from the best point, on storage that is kept.
    fn newton(
        &mut self,
        name: &'static str,
        problem: &ConeProblem,
        settings: newton::Settings,
    ) -> bool {
        if self.newton.set(settings).is_err()
            || self.newton.solve_from(problem, &self.solution.impulse).is_err()
        {
            return false;
        }
        let found = std::mem::take(&mut self.newton.solution);
        let solved = self.consider(name, &found);
        self.newton.solution = found;
        solved
    }

    fn last_sweeps(&mut self, problem: &ConeProblem) -> bool {
        let (tolerance, max_sweeps) = (self.settings.tolerance, self.settings.last_sweeps);
        self.method("nsgs", |guess| {
            let settings = nsgs::Settings { tolerance, max_sweeps, ..Default::default() };
            Nsgs::new(settings)?.solve_from(problem, guess).cloned()
        })
    }

    fn method(
        &mut self,
        name: &'static str,
        solve: impl FnOnce(&[f64]) -> Result<ConeSolution, Error>,
    ) -> bool {
        let Ok(found) = solve(&self.solution.impulse) else { return false };
        self.consider(name, &found)
    }

    /// Notes an attempt, and keeps it if it is the best so far.
    fn consider(&mut self, method: &'static str, found: &ConeSolution) -> bool {
        let residual = found.residual.scaled.value;
        let iterations = found.statistics.iterations;
        self.attempts.push(Attempt { method, status: found.status, residual, iterations });
        let mut statistics = self.solution.statistics;
        statistics.iterations += iterations;
        statistics.factorizations += found.statistics.factorizations;
        if !(residual >= self.solution.residual.scaled.value) {
            self.solution.assign(found);
        }
        self.solution.statistics = statistics;
        found.is_solved()
    }
}

cone_solver!(Auto, "auto");
