//! The methods of the table, each as the default solver calls it.

use super::super::admm::{self, Admm};
use super::super::interior_point;
use super::super::meter::sweep_work;
use super::super::newton::{self, ConeNewton};
use super::super::nsgs::{self, Nsgs};
use super::super::reduced::Reduced;
use super::super::split_point::{self, SplitInteriorPoint};
use super::super::table::is_few_between_bodies;
use super::super::{BlockForm, Method, clusters, sweeps};
use super::{Cascade, FACTORISATIONS, SMALL, Settings, TINY, is_swept};
use crate::solve::{ContactSolution, Effort};
use crate::{Error, redundancy};
use complementarity::auto::Attempt;
use complementarity::{Failure, Status};

/// The share of the cost of an interior point below which sweeps go on though their changes do not fall:
/// they do not fall evenly, and in large piles a factorisation costs thousands of sweeps.
const PATIENCE: f64 = 0.05;

/// Pairs of sweeps over bodies after each interior point that found no answer.
const POLISH_PAIRS: usize = 1000;

/// Weights of slip with which Newton's method polishes a point that is near: contacts that bodies force to slip, at 10⁻⁸ of the
/// velocities that theirs are made of, have a direction of slip that the usual weight does not see.
const SLIP_WEIGHTS: [f64; 6] = [1.0, 1e4, 1e6, 1e7, 1e8, 1e9];
/// The certificate of such a point.
const NEAR: f64 = 1e-6;

/// The most factorisations along a path, and the share of what work is left that may go into them.
const MOST_TRACED: f64 = 2500.0;
const TRACE_SHARE: f64 = 0.2;

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

impl Cascade {
    /// A few steps of Newton's method. Where an interior point comes next, a step that does not get nearer by a third is the last: it costs a
    /// quarter of that, and the next mostly gets no nearer either.
    pub(super) fn quick_newton(&mut self, problem: &BlockForm) -> bool {
        let tolerance = self.settings.tolerance;
        let (first_sweeps, max_steps) = (3, 12);
        let patience = Some(match problem.contacts() {
            ..=TINY => 3,
            _ if is_few_between_bodies(problem) => 0,
            _ => 1,
        });
        self.newton(
            "newton",
            problem,
            newton::Settings { tolerance, first_sweeps, max_steps, patience, ..Default::default() },
        )
    }

    /// Sweeps over bodies from the best point; they end where an interior point costs less, or after so many pairs if it was tried.
    pub(super) fn sweep_bodies(&mut self, problem: &BlockForm, most: Option<usize>) -> bool {
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

    pub(super) fn sweep_while_it_pays(&mut self, problem: &BlockForm) -> bool {
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
    pub(super) fn reduced(&mut self, problem: &BlockForm) -> bool {
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
    pub(super) fn held(&mut self, problem: &BlockForm) -> bool {
        let Some(impulse) = redundancy::held(problem.problem()) else { return false };
        let mut found = ContactSolution::default();
        found.reset(problem.len(), Some(&impulse));
        found.certify(problem, self.settings.tolerance, Failure::Stalled);
        found.factorisations = 1;
        self.consider("held", &found)
    }

    /// Some contacts after the other, where most are right.
    pub(super) fn clusters(&mut self, problem: &BlockForm) -> bool {
        if self.is_cluster || !clusters::takes(problem) {
            return false;
        }
        let tolerance = self.settings.tolerance;
        let found = clusters::solve(problem.problem(), tolerance, &self.solution);
        found.is_some_and(|found| self.consider("clusters", &found))
    }

    /// Interior points for round sets, one variant after the other.
    pub(super) fn interiors(&mut self, problem: &BlockForm) -> bool {
        VARIANTS
            .iter()
            .any(|&v| self.meter.left > 0.0 && (self.interior(problem, v) || self.polish(problem)))
    }

    /// Those for any set.
    pub(super) fn splits(&mut self, problem: &BlockForm) -> bool {
        SPLIT_VARIANTS
            .iter()
            .any(|&v| self.meter.left > 0.0 && (self.split(problem, v) || self.polish(problem)))
    }

    /// Newton's method from a start by sweeps, with one weight of slip after the other.
    pub(super) fn patient_newton(&mut self, problem: &BlockForm) -> bool {
        let tolerance = self.settings.tolerance;
        let defaults = newton::Settings::default();
        let (sweeps, most) = (defaults.rescue_sweeps, defaults.max_steps);
        let max_steps = self.meter.most(1.0, sweeps as f64, most);
        SLIP_WEIGHTS.iter().any(|&slip_weight| {
            let settings = newton::Settings { tolerance, max_steps, slip_weight, ..defaults };
            self.newton("newton", problem, settings)
        })
    }

    pub(super) fn admm(&mut self, problem: &BlockForm) -> bool {
        let tolerance = self.settings.tolerance;
        let defaults = admm::Settings::default();
        let max_steps = self.meter.most(0.0, 1.0, defaults.max_steps);
        self.method("admm", |guess| {
            let settings = admm::Settings { tolerance, max_steps, ..defaults };
            let mut admm = Admm::new(settings)?;
            admm.run(problem, Some(guess));
            Ok(admm.solution)
        })
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
    pub(super) fn trace(&mut self, problem: &BlockForm, path: u32) -> bool {
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
    pub(super) fn polish(&mut self, problem: &BlockForm) -> bool {
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
    pub(super) fn newton(
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

    pub(super) fn last_sweeps(&mut self, problem: &BlockForm) -> bool {
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
    pub(super) fn consider(&mut self, method: &'static str, found: &ContactSolution) -> bool {
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
