//! The default: one method after the other, by a table, until an answer is certified.
//!
//! Whether sweeps pay is estimated from how fast their changes fall, against what the factorisations of an interior point would cost;
//! both are counted in operations, never by a clock. `guess` looks at impulses that there are before, and `methods` has each method as the
//! table calls it.

mod guess;
mod methods;

pub(super) use guess::GUESS;

use super::interior_point::ConeInteriorPoint;
use super::islands::Islands;
use super::meter::Meter;
use super::newton::ConeNewton;
use super::nsgs::{self, Nsgs};
use super::rest::Rest;
use super::sweeps::{self, Sweeps};
use super::table::{Step, TABLE};
use super::team::{Team, check_threads};
use super::{BlockForm, FormBuffer, check_tolerance, method};
use crate::error::check_setting;
use crate::solve::{ContactSolution, Effort};
use crate::{BodyRows, Error};
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
pub(super) const TINY: usize = 16;
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
            if !row.step.is_cheap() {
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
        match step {
            Step::QuickNewton => self.quick_newton(problem),
            Step::BodySweeps => self.sweep_bodies(problem, None),
            Step::Sweeps => self.sweep_while_it_pays(problem),
            Step::Reduced => self.reduced(problem),
            Step::Interior => self.interiors(problem),
            Step::Split => self.splits(problem),
            Step::Held => self.held(problem),
            Step::Clusters => self.clusters(problem),
            Step::Path(path) => self.trace(problem, path),
            Step::Newton => self.patient_newton(problem),
            Step::Admm => self.admm(problem) || self.polish(problem),
            Step::LastSweeps => self.last_sweeps(problem) || self.polish(problem),
        }
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
