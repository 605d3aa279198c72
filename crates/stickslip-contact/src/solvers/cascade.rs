//! The default: one method after the other, by a table, until an answer is certified.
//!
//! Whether sweeps pay is estimated from how fast their changes fall, against what the factorisations of an interior point would cost;
//! both are counted in operations, never by a clock. `guess` looks at impulses that there are before.

mod guess;

pub(super) use guess::GUESS;

use super::admm::{self, Admm};
use super::clusters;
use super::interior_point::{self, ConeInteriorPoint};
use super::islands::Islands;
use super::meter::{Meter, sweep_work};
use super::newton::{self, ConeNewton};
use super::nsgs::{self, Nsgs};
use super::reduced::Reduced;
use super::rest::Rest;
use super::split_point::{self, SplitInteriorPoint};
use super::sweeps::{self, Sweeps};
use super::table::{Step, TABLE};
use super::team::{Team, check_threads};
use super::{BlockForm, FormBuffer, Method, check_tolerance, method};
use crate::error::check_setting;
use crate::solve::{ContactSolution, Effort};
use crate::{BodyRows, Error, redundancy};
use complementarity::auto::Attempt;
use complementarity::{Failure, Status};

/// Settings of [`Cascade`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The certificate that counts as solved. Default 10⁻⁹.
    pub tolerance: f64,
    /// Sweeps that are made before it is asked whether they pay. Default 40.
    pub first_sweeps: usize,
    /// Sweeps of the last resort. Default 20 000.
    pub last_sweeps: usize,
    /// The most operations after the first sweeps, about; beyond them the search ends with
    /// [`Failure::WorkLimit`]. `None`, the default, for 3·10⁸ and those of 2 000 factorisations of W and 20 000 sweeps, of which
    /// 4 000 project on sets of a user's own; 10⁸, 50, 2 000 and 400 where sweeps over bodies came first.
    pub work: Option<f64>,
    /// How many threads share the islands, and the sweeps over many contacts, with the feature `parallel`. The answer is the same to the
    /// last bit for any number of them. Default 1.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-9, first_sweeps: 40, last_sweeps: 20_000, work: None, threads: 1 }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    ///
    /// # Errors
    /// Names the setting.
    pub fn validate(&self) -> Result<(), Error> {
        check_tolerance("auto", self.tolerance)?;
        check_threads("auto", self.threads)?;
        let Some(work) = self.work else { return Ok(()) };
        check_setting("auto", "work", work, (0.0, f64::MAX), "greater than 0")
    }
}

/// Factorisations that an interior point takes, about.
pub(super) const FACTORISATIONS: f64 = 20.0;

/// Problems with more contacts than this are not given to Newton's method at once, and fewer than 40
/// sweeps say nothing about them.
pub(super) const SMALL: usize = BodyRows::MANY;
/// With so few contacts a step of Newton's method costs no more than a few sweeps.
const TINY: usize = 16;
/// The share of the cost of an interior point below which sweeps go on though their changes do not fall:
/// they do not fall evenly, and in large piles a factorisation costs thousands of sweeps.
const PATIENCE: f64 = 0.05;

/// Pairs of sweeps over bodies after each interior point that found no answer.
const POLISH_PAIRS: usize = 1000;

/// Smoothing, coupling and boundary of the interior points that are tried, the fastest first.
const VARIANTS: [(f64, f64, f64); 5] =
    [(0.1, 1.0, 0.95), (0.0, 1.0, 0.8), (0.1, 1.0, 0.7), (0.1, 0.7, 0.6), (0.0, 0.0, 0.9)];

/// Centring and boundary of the interior points for any set that are tried, the fastest first.
const SPLIT_VARIANTS: [(f64, f64, bool); 5] = [
    (0.05, 0.95, true),
    (0.3, 0.6, true),
    (0.05, 0.95, false),
    (0.1, 0.8, false),
    (0.3, 0.6, false),
];

/// Weights of slip with which Newton's method polishes a point that is near: contacts that bodies force to slip, at 10⁻⁸ of the
/// velocities that theirs are made of, have a direction of slip that the usual weight does not see.
const SLIP_WEIGHTS: [f64; 6] = [1.0, 1e4, 1e6, 1e7, 1e8, 1e9];
/// The certificate of such a point.
const NEAR: f64 = 1e-6;

/// The most factorisations along a path, and the share of what work is left that may go into them.
const MOST_TRACED: f64 = 2500.0;
const TRACE_SHARE: f64 = 0.2;

/// The default solver; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Cascade {
    settings: Settings,
    nsgs: Nsgs,
    sweeps: Sweeps,
    newton: ConeNewton,
    interior: ConeInteriorPoint,
    islands: Islands,
    team: Team,
    rest: Rest,
    attempts: Vec<Attempt>,
    meter: Meter,
    /// The certificate of a guess that was good enough for an answer and was sharpened.
    sharpened: Option<f64>,
    /// That of the point that Newton's method went on from last: from the same one it does not get further.
    polished: f64,
    /// Whether the problems are reduced ones.
    is_reduced: bool,
    /// Whether they are clusters of a larger one.
    is_cluster: bool,
    effort: Effort,
    buffer: FormBuffer,
    sharp: ContactSolution,
    pub(crate) solution: ContactSolution,
}

impl Cascade {
    /// A solver with these settings.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        Self::with_team(settings, &Team::new(settings.threads)?)
    }

    /// A solver whose work these threads share.
    pub(super) fn with_team(settings: Settings, team: &Team) -> Result<Self, Error> {
        let Settings { tolerance, threads, .. } = settings;
        let nsgs = Nsgs::new(nsgs::Settings { tolerance, ..Default::default() })?;
        let of_bodies = sweeps::Settings { tolerance, threads, ..Default::default() };
        let sweeps = Sweeps::with_team(of_bodies, team)?;
        Ok(Self { settings, nsgs, sweeps, team: team.clone(), ..Self::default() })
    }

    /// A solver of clusters, which are not taken apart into clusters again.
    pub(crate) fn of_clusters(settings: Settings) -> Result<Self, Error> {
        Ok(Self { is_cluster: true, ..Self::new(settings)? })
    }

    /// Searches so long from now on.
    pub(crate) fn set_effort(&mut self, effort: Effort) {
        self.effort = effort;
    }

    /// Every method that was tried in the last solve, in order.
    #[must_use]
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// The solution of the last solve.
    #[must_use]
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    /// The certificate of the guess of the last solve, if it was within the tolerance and was sharpened.
    pub(crate) fn sharpened(&self) -> Option<f64> {
        self.sharpened
    }

    fn run(&mut self, problem: &BlockForm, guess: Option<&[f64]>) {
        self.attempts.clear();
        self.sharpened = None;
        self.meter = Meter::default();
        self.polished = f64::INFINITY;
        self.solution.reset(problem.len(), guess);
        if self.islands.find(problem) {
            return self.solve_islands(problem);
        }
        if guess.is_some() && self.guess_is_answer(problem) {
            return;
        }
        let solved = self.walk(problem);
        // A guess may lead every method astray: once more from zero. Among many contacts it leads sweeps alone, and that takes long.
        let guessed = guess.is_some_and(|g| g.iter().any(|x| *x != 0.0));
        if !solved && guessed && self.effort == Effort::Full && !is_swept(problem) {
            let warm = self.solution.clone();
            self.solution.reset(problem.len(), None);
            self.meter = Meter::default();
            let solved = self.walk(problem);
            if !solved && warm.certificate.worst < self.solution.certificate.worst {
                self.solution.assign(&warm);
            }
            self.solution.iterations += warm.iterations;
            self.solution.factorisations += warm.factorisations;
        }
    }

    /// One island after the other. That each is solved is judged for all of them together.
    fn solve_islands(&mut self, problem: &BlockForm) {
        let Settings { tolerance, .. } = self.settings;
        let Self { islands, settings, effort, team, solution, .. } = self;
        let went = islands.solve(problem, (*settings, *effort, team), &mut solution.impulse);
        let reason = match went {
            Ok(went) => {
                self.solution.iterations = went.iterations;
                self.solution.factorisations = went.factorisations;
                went.failure().unwrap_or(Failure::Numerical)
            }
            Err(_) => Failure::Numerical,
        };
        self.solution.certify(problem, tolerance, reason);
        let (status, iterations) = (self.solution.status, self.solution.iterations);
        let residual = self.solution.certificate.worst;
        self.attempts.push(Attempt { method: "islands", status, residual, iterations });
    }

    /// Goes down the table until an answer is certified or the work is done.
    fn walk(&mut self, problem: &BlockForm) -> bool {
        let effort = self.effort;
        let rows = TABLE.iter().filter(|row| row.step.is_worth(effort, problem));
        for row in rows.filter(|row| (row.when)(problem)) {
            if !matches!(row.step, Step::QuickNewton | Step::BodySweeps | Step::Sweeps) {
                let tree = self.newton.tree(problem.w());
                self.meter.start(problem, tree, self.settings.work);
                if self.meter.left <= 0.0 {
                    self.solution.status = Status::Failed(Failure::WorkLimit);
                    return false;
                }
            }
            let before = self.attempts.len();
            if self.step(problem, row.step) {
                return true;
            }
            // What the easier problem did not give, the harder one will not, if there was an easier one.
            if matches!(row.step, Step::Reduced) && self.attempts.len() > before {
                if self.meter.left <= 0.0 {
                    self.solution.status = Status::Failed(Failure::WorkLimit);
                }
                return false;
            }
        }
        false
    }

    fn step(&mut self, problem: &BlockForm, step: Step) -> bool {
        let tolerance = self.settings.tolerance;
        match step {
            Step::QuickNewton => self.quick_newton(problem),
            Step::BodySweeps => self.sweep_bodies(problem, None),
            Step::Sweeps => self.sweep_while_it_pays(problem),
            Step::Reduced => self.reduced(problem),
            Step::Interior => VARIANTS.iter().any(|&v| {
                self.meter.left > 0.0 && (self.interior(problem, v) || self.polish(problem))
            }),
            Step::Split => SPLIT_VARIANTS.iter().any(|&v| {
                self.meter.left > 0.0 && (self.split(problem, v) || self.polish(problem))
            }),
            Step::Held => self.held(problem),
            Step::Clusters => self.clusters(problem),
            Step::Path(path) => self.trace(problem, path),
            Step::Newton => {
                let defaults = newton::Settings::default();
                let (sweeps, most) = (defaults.rescue_sweeps, defaults.max_steps);
                let max_steps = self.meter.most(1.0, sweeps as f64, most);
                SLIP_WEIGHTS.iter().any(|&slip_weight| {
                    let settings =
                        newton::Settings { tolerance, max_steps, slip_weight, ..defaults };
                    self.newton("newton", problem, settings)
                })
            }
            Step::Admm => {
                let defaults = admm::Settings::default();
                let max_steps = self.meter.most(0.0, 1.0, defaults.max_steps);
                self.method("admm", |guess| {
                    let settings = admm::Settings { tolerance, max_steps, ..defaults };
                    let mut admm = Admm::new(settings)?;
                    admm.run(problem, Some(guess));
                    Ok(admm.solution)
                }) || self.polish(problem)
            }
            Step::LastSweeps => self.last_sweeps(problem) || self.polish(problem),
        }
    }

    fn quick_newton(&mut self, problem: &BlockForm) -> bool {
        let tolerance = self.settings.tolerance;
        let (first_sweeps, max_steps) = (3, 12);
        let patience = Some(if problem.contacts() > TINY { 1 } else { 3 });
        self.newton(
            "newton",
            problem,
            newton::Settings { tolerance, first_sweeps, max_steps, patience, ..Default::default() },
        )
    }

    /// Sweeps over bodies from the best point; they end where an interior point costs less, or after so many pairs if it was tried.
    fn sweep_bodies(&mut self, problem: &BlockForm, most: Option<usize>) -> bool {
        let Settings { tolerance, last_sweeps, .. } = self.settings;
        let max_pairs = most.unwrap_or(last_sweeps.div_ceil(2));
        let gives_up = most.is_none();
        let threads = self.settings.threads;
        let settings = sweeps::Settings { tolerance, max_pairs, gives_up, threads, regions: true };
        self.sweeps.set(settings);
        self.sweeps.run(problem, Some(&self.solution.impulse));
        let found = std::mem::take(&mut self.sweeps.solution);
        let solved = self.consider("sweeps", &found);
        self.sweeps.solution = found;
        solved
    }

    fn sweep_while_it_pays(&mut self, problem: &BlockForm) -> bool {
        let Settings { tolerance, first_sweeps, .. } = self.settings;
        let (w, k) = (problem.w(), problem.contacts());
        let first_sweeps = if k > SMALL { first_sweeps } else { first_sweeps.div_ceil(4) };
        let sweep = sweep_work(problem);
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

    /// The table for the easier problem.
    fn reduced(&mut self, problem: &BlockForm) -> bool {
        if self.is_reduced {
            return false;
        }
        let Some(reduced) = Reduced::new(problem) else { return false };
        let settings = Settings { work: Some(self.meter.left), threads: 1, ..self.settings };
        let Ok(mut cascade) = Self::new(settings) else { return false };
        (cascade.is_reduced, cascade.is_cluster, cascade.effort) =
            (true, self.is_cluster, self.effort);
        let mut found = cascade.solve(&reduced.problem).clone();
        let limited = found.status == Status::Failed(Failure::WorkLimit);
        self.attempts.append(&mut cascade.attempts);
        let x = std::mem::take(&mut found.impulse);
        found.impulse.resize(problem.len(), 0.0);
        found.velocity.resize(problem.len(), 0.0);
        reduced.expand(problem, &x, &mut found.impulse);
        found.certify(problem, settings.tolerance, Failure::Stalled);
        let solved = self.consider("reduced", &found);
        if limited {
            self.meter.left = 0.0;
        }
        solved || self.polish(problem) || self.effort == Effort::Full && self.clusters(problem)
    }

    /// Impulses that hold every contact.
    fn held(&mut self, problem: &BlockForm) -> bool {
        let Some(impulse) = redundancy::held(problem.problem()) else { return false };
        let mut found = ContactSolution::default();
        found.reset(problem.len(), Some(&impulse));
        found.certify(problem, self.settings.tolerance, Failure::Stalled);
        found.factorisations = 1;
        self.consider("held", &found)
    }

    /// Some contacts after the other, where most are right.
    fn clusters(&mut self, problem: &BlockForm) -> bool {
        if self.is_cluster || !clusters::takes(problem) {
            return false;
        }
        let tolerance = self.settings.tolerance;
        let found = clusters::solve(problem.problem(), tolerance, &self.solution);
        found.is_some_and(|found| self.consider("clusters", &found))
    }

    fn interior(
        &mut self,
        problem: &BlockForm,
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
        self.interior.run(problem, None);
        let found = std::mem::take(&mut self.interior.solution);
        let solved = self.consider("interior_point", &found);
        self.interior.solution = found;
        solved
    }

    fn split(
        &mut self,
        problem: &BlockForm,
        (centring, boundary, own_scales): (f64, f64, bool),
    ) -> bool {
        let tolerance = self.settings.tolerance;
        self.method("split_point", |_| {
            let settings = split_point::Settings {
                tolerance,
                centring,
                boundary,
                own_scales,
                ..Default::default()
            };
            let mut split = SplitInteriorPoint::new(settings)?;
            split.run(problem, None);
            Ok(split.solution)
        })
    }

    /// An interior point that follows the path through its folds, and Newton's method from where it ends, near
    /// or not.
    fn trace(&mut self, problem: &BlockForm, path: u32) -> bool {
        let tolerance = self.settings.tolerance;
        let affordable = TRACE_SHARE * self.meter.left / self.meter.factorisation;
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
            let mut split = SplitInteriorPoint::new(settings)?;
            split.run(problem, None);
            end.extend_from_slice(&split.solution.impulse);
            Ok(split.solution)
        }) || !end.is_empty()
            && self.method("newton, polish", |_| {
                let (first_sweeps, max_steps) = (0, 20);
                let settings =
                    newton::Settings { tolerance, first_sweeps, max_steps, ..Default::default() };
                let mut newton = ConeNewton::new(settings)?;
                newton.run(problem, Some(&end));
                Ok(newton.solution)
            })
    }

    /// Newton's method from the best point, without sweeps; among many contacts sweeps, which cost less and fail less.
    fn polish(&mut self, problem: &BlockForm) -> bool {
        let tolerance = self.settings.tolerance;
        if !self.solution.certificate.worst.is_finite() {
            return false;
        }
        if is_swept(problem) {
            return self.sweep_bodies(problem, Some(POLISH_PAIRS));
        }
        let worst = self.solution.certificate.worst;
        if worst == std::mem::replace(&mut self.polished, worst) {
            return false;
        }
        let near = worst < NEAR;
        let weights = if near { &SLIP_WEIGHTS[..] } else { &SLIP_WEIGHTS[..1] };
        weights.iter().any(|&slip_weight| {
            let (first_sweeps, max_steps) = (0, if slip_weight > 1.0 { 40 } else { 20 });
            let settings = newton::Settings {
                tolerance,
                first_sweeps,
                max_steps,
                slip_weight,
                ..Default::default()
            };
            self.newton("newton, polish", problem, settings)
        })
    }

    /// Newton's method from the best point, on storage that is kept.
    fn newton(
        &mut self,
        name: &'static str,
        problem: &BlockForm,
        settings: newton::Settings,
    ) -> bool {
        if self.newton.set(settings).is_err() {
            return false;
        }
        self.newton.run(problem, Some(&self.solution.impulse));
        self.meter.left -= self.newton.sweeps as f64 * self.meter.sweep;
        let found = std::mem::take(&mut self.newton.solution);
        let solved = self.consider(name, &found);
        self.newton.solution = found;
        solved
    }

    fn last_sweeps(&mut self, problem: &BlockForm) -> bool {
        let tolerance = self.settings.tolerance;
        let max_sweeps = self.meter.most(0.0, 1.0, self.settings.last_sweeps);
        self.method("nsgs", |guess| {
            let settings = nsgs::Settings { tolerance, max_sweeps, ..Default::default() };
            let mut nsgs = Nsgs::new(settings)?;
            nsgs.run(problem, Some(guess));
            Ok(nsgs.solution)
        })
    }

    fn method(
        &mut self,
        name: &'static str,
        solve: impl FnOnce(&[f64]) -> Result<ContactSolution, Error>,
    ) -> bool {
        let Ok(found) = solve(&self.solution.impulse) else { return false };
        self.consider(name, &found)
    }

    /// Notes an attempt, and keeps it if it is the best so far.
    fn consider(&mut self, method: &'static str, found: &ContactSolution) -> bool {
        let (residual, iterations) = (found.certificate.worst, found.iterations);
        self.attempts.push(Attempt { method, status: found.status, residual, iterations });
        self.meter.left -= iterations as f64 * self.meter.sweep;
        self.meter.left -= found.factorisations as f64 * self.meter.factorisation;
        let iterations = self.solution.iterations + iterations;
        let factorisations = self.solution.factorisations + found.factorisations;
        if !(residual >= self.solution.certificate.worst) {
            self.solution.assign(found);
        }
        (self.solution.iterations, self.solution.factorisations) = (iterations, factorisations);
        found.is_solved()
    }
}

/// Whether sweeps over bodies come before an interior point.
pub(super) fn takes_sweeps(problem: &BlockForm) -> bool {
    problem.contacts() > BodyRows::FEW && sweeps::takes(problem)
}

/// Whether there are so many contacts that little else than sweeps over bodies finds an answer.
pub(super) fn is_swept(problem: &BlockForm) -> bool {
    problem.contacts() > SMALL && sweeps::takes(problem)
}

method!(Cascade, "auto");
