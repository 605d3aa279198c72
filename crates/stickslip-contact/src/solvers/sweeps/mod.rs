//! Sweeps over contacts in the velocities of bodies, with Nesterov's extrapolation: for many contacts.
//!
//! Block Gauss-Seidel with an exact solver per contact, as [`Nsgs`](super::Nsgs), but in place of ξ at all contacts the velocities
//! u = A Λ of the bodies are kept (W = AᵀA): a contact reads and writes two bodies, however many others touch them, and W is not
//! needed. One sweep forth and one back are a step g towards the solution, and steps are extrapolated as Nesterov's (1983) are:
//!
//! y = Λ + β (Λ − Λ₋), Λ₊ = y + g(y), β = (t − 1)/t₊, t₊ = (1 + √(1 + 4t²))/2,
//!
//! anew from t = 1 where g goes against Λ₊ − Λ (O'Donoghue and Candès 2015), in the norm that weighs each contact with its W_NN. Since u is
//! linear in Λ, the extrapolation of Λ is that of u. The contacts are swept in an order of which threads can share the
//! parts.

mod drift;
mod order;
mod packed;
mod regions;
mod slide;
mod walk;

use super::body_matrix::BodyGraph;
use super::cascade::{FACTORISATIONS, GUESS};
use super::meter::CONTACT_WORK;
use super::team::{Team, check_threads};
use super::{BlockForm, FormBuffer, check_tolerance, method};
use crate::Error;
use crate::body_rows::BodyRows;
use crate::solve::ContactSolution;
use complementarity::Failure;
use drift::Drift;
use packed::{Packed, Vector, Wide};
use regions::Regions;

/// Settings of [`Sweeps`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The certificate that counts as solved. Default 10⁻⁹.
    pub tolerance: f64,
    /// The most pairs of sweeps, forth and back. Default 10 000.
    pub max_pairs: usize,
    /// Whether regions around the worst contacts are solved by themselves where sweeps come to a halt. Default true.
    pub regions: bool,
    /// Whether they end where an interior point costs less than the sweeps that are still needed, about. Default true.
    pub gives_up: bool,
    /// How many threads share a sweep, with the feature `parallel`. The answer is the same to the last bit for any number of them. Default 1.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-9, max_pairs: 10_000, regions: true, gives_up: true, threads: 1 }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    ///
    /// # Errors
    /// Names the setting.
    pub fn validate(&self) -> Result<(), Error> {
        check_tolerance("sweeps", self.tolerance)?;
        check_threads("sweeps", self.threads)
    }
}

/// Pairs of sweeps from one look at how far contacts are from their laws to the next; it costs half a sweep.
const LOOK_AFTER: usize = 5;
/// Looks after which it is found out anew what velocities are made of, doubled from time to time.
const FIRST_MEASURED: usize = 2;
/// Pairs of sweeps before it is asked whether they come to a halt.
const FIRST_PAIRS: usize = 30;
/// Pairs after a round of regions.
const CHUNK: usize = 10;
/// The most pairs from one round of regions to the next.
const MOST_PAIRS: usize = 200;
/// Sweeps come to a halt where for so many pairs the worst contact is not better than this share of the best before.
const HALT: f64 = 0.7;
const HALT_AFTER: usize = 20;
/// The most that t of the extrapolation may be, one after the other where sweeps come to a halt: the map of a pair of sweeps is none of a
/// minimum where contacts slide, and leads into cycles where it is extrapolated far. Without a bound piles took a quarter more sweeps.
const REACHES: [f64; 2] = [10.0, 5.0];
/// How many times as far off as the best impulses those are that have gone astray.
const ASTRAY: f64 = 30.0;
/// Operations with which a contact takes part in a step of an interior point, beside the factorisation.
const ASSEMBLY_WORK: f64 = 5e3;
/// How many times the cost of an interior point sweeps may cost before they are given up, and the share of that after which it is asked
/// whether they pay: among bodies that fall an interior point takes twice as many factorisations as elsewhere, and mostly ends no nearer to
/// the solution than the sweeps before it. Of 170 steps of 1,000 spheres that fall 16 miss 10⁻⁶ by sweeps alone with half as much, 4 with
/// this, and 2 with twice as much, which takes twice as long where nothing helps.
const MOST_COST: f64 = 4.0;
const TRUST_AFTER: f64 = 0.25;
/// Pairs without extrapolation after which changes are those of sweeps alone.
const PLAIN: usize = 3;
/// Pairs from one computation of u from scratch to the next, which keeps rounding from adding up; both u that the extrapolation goes
/// by, else it would multiply the rounding of one by β/(1 − β) each time.
const REFRESH_EVERY: usize = 100;

/// Sweeps in the velocities of bodies; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Sweeps {
    settings: Settings,
    packed: Packed,
    extrapolation: Extrapolation,
    best: Best,
    drift: Drift,
    team: Team,
    regions: Option<Box<Regions>>,
    graph: BodyGraph,
    /// Operations of a factorisation in an interior point; 0 before it is asked.
    factorisation: f64,
    /// By how many times the certificate was worse than the worst contact seemed, where it was asked; 1 before.
    ratio: f64,
    buffer: FormBuffer,
    pub(crate) solution: ContactSolution,
}

/// What a round of regions came to.
enum Round {
    /// The problem is solved, or an interior point costs less than what sweeps would need.
    Ended,
    SolvedRegions,
    /// What is wrong is not in small regions: more sweeps.
    NothingLocal,
}

/// Pairs of sweeps that were made, and those that may still be.
#[derive(Clone, Copy, Debug, Default)]
struct Pairs {
    done: usize,
    left: usize,
}

/// How far the next pair of sweeps is extrapolated.
#[derive(Clone, Debug, Default)]
struct Extrapolation {
    t: f64,
    beta: f64,
    /// The most that t may be.
    reach: f64,
    /// u after the pair before the last.
    velocity: Vec<Wide>,
}

/// The best impulses at a look, how far they are off, and how far the best were at the last halt.
#[derive(Clone, Debug, Default)]
struct Best {
    worst: f64,
    before: f64,
    impulse: Vec<Vector>,
}

impl Best {
    fn start(&mut self) {
        (self.worst, self.before) = (f64::INFINITY, f64::INFINITY);
    }

    fn see(&mut self, worst: f64, packed: &Packed) {
        if worst < self.worst {
            self.worst = worst;
            self.impulse.clear();
            self.impulse.extend(packed.impulse.iter().map(|lam| lam.now));
        }
    }
}

/// Whether sweeps over bodies take a problem.
pub(crate) fn takes(problem: &BlockForm) -> bool {
    problem.bodies().is_some()
        && !problem.is_associated()
        && problem.laws().iter().all(packed::takes)
}

impl Sweeps {
    /// A solver with these settings.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        Self::with_team(settings, &Team::new(settings.threads)?)
    }

    /// A solver whose sweeps these threads share.
    pub(super) fn with_team(settings: Settings, team: &Team) -> Result<Self, Error> {
        settings.validate()?;
        Ok(Self { settings, team: team.clone(), ..Self::default() })
    }

    /// Takes other settings, which must be valid ones, and keeps the storage and the threads.
    pub(super) fn set(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// The solution of the last solve.
    #[must_use]
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    pub(super) fn run(&mut self, problem: &BlockForm, guess: Option<&[f64]>) {
        self.solution.reset(problem.len(), guess);
        (self.factorisation, self.ratio) = (0.0, 1.0);
        self.extrapolation.reach = REACHES[0];
        self.best.start();
        let Some(worst) = self.start(problem) else {
            self.solution.certify(problem, self.settings.tolerance, Failure::WrongClass);
            return;
        };
        if worst <= GUESS * self.settings.tolerance && self.certify(problem) {
            return;
        }
        let team = self.team.clone();
        let reason = team.work(|| self.sweep_until_done(problem));
        if !self.solution.is_solved() {
            if self.best.worst < f64::INFINITY && !(self.packed.judge() <= self.best.worst) {
                self.packed.set_impulses(&self.best.impulse);
            }
            self.packed.store(problem, &mut self.solution.impulse);
            self.solution.certify(problem, self.settings.tolerance, reason);
        }
    }

    /// Makes ready to sweep from the impulses in the solution; returns how far they are from the laws, about. `None` for a problem of
    /// another form.
    fn start(&mut self, problem: &BlockForm) -> Option<f64> {
        let rows = problem.bodies().filter(|_| takes(problem))?;
        self.packed.fill(problem, rows, &self.solution.impulse);
        self.packed.measure();
        self.extrapolation.start(&self.packed);
        Some(self.packed.judge())
    }

    fn sweep_until_done(&mut self, problem: &BlockForm) -> Failure {
        let mut pairs = Pairs { left: self.settings.max_pairs, ..Pairs::default() };
        if !self.settings.regions {
            return self.sweep(problem, &mut pairs, usize::MAX).unwrap_or(Failure::IterationLimit);
        }
        let mut regions = self.regions.take().unwrap_or_default();
        regions.start();
        let mut first = FIRST_PAIRS;
        let reason = loop {
            if let Some(reason) = self.sweep(problem, &mut pairs, first) {
                break reason;
            }
            self.calm_down();
            match self.round(problem, &mut regions) {
                Round::Ended => break Failure::Stalled,
                Round::SolvedRegions => first = CHUNK,
                Round::NothingLocal if self.jump(problem, &mut regions, &mut pairs) => {
                    first = CHUNK
                }
                Round::NothingLocal => first = (2 * first).min(MOST_PAIRS),
            }
        };
        self.regions = Some(regions);
        reason
    }

    /// Sweeps at least `first` pairs, and on while the worst contact gets better. `None` where they come to a halt, else why it ends.
    fn sweep(&mut self, problem: &BlockForm, pairs: &mut Pairs, first: usize) -> Option<Failure> {
        let tolerance = self.settings.tolerance;
        // The pair at which the worst contact was best, and how far off it was there.
        let mut best = (0, f64::INFINITY);
        for pair in 1.. {
            if pairs.left == 0 {
                return Some(Failure::IterationLimit);
            }
            pairs.left -= 1;
            if !self.pair(problem) {
                return Some(Failure::Numerical);
            }
            pairs.done += 1;
            if pair % LOOK_AFTER == 0 {
                let looks = pairs.done / LOOK_AFTER;
                if looks >= FIRST_MEASURED && looks.is_power_of_two() {
                    self.packed.measure();
                }
                let worst = self.packed.judge();
                if self.ratio * worst <= tolerance {
                    if self.certify(problem) {
                        return Some(Failure::Stalled);
                    }
                    self.packed.measure();
                    let seemed = worst.max(GUESS * tolerance);
                    self.ratio = self.solution.certificate.worst / (0.9 * seemed);
                }
                if worst < HALT * best.1 {
                    best = (pair, worst);
                    self.best.see(worst, &self.packed);
                }
                if pair >= first && pair - best.0 >= HALT_AFTER {
                    return None;
                }
            }
            if pairs.done.is_multiple_of(REFRESH_EVERY) {
                self.packed.refresh();
                self.packed.last_velocities(&mut self.extrapolation.velocity);
            }
        }
        None
    }

    /// Where sweeps came to a halt and have not come nearer since the last halt: extrapolates less far, from the best impulses if those
    /// that there are have gone far off.
    fn calm_down(&mut self) {
        let Best { worst, before, .. } = self.best;
        self.best.before = worst;
        if worst < before {
            return;
        }
        let reach = &mut self.extrapolation.reach;
        *reach = REACHES.into_iter().find(|x| x < reach).unwrap_or(*reach);
        if !(self.packed.judge() <= ASTRAY * worst) {
            self.packed.set_impulses(&self.best.impulse);
        }
        self.extrapolation.start(&self.packed);
    }

    /// Where sweeps came to a halt: solves regions around the worst contacts if there are small ones.
    fn round(&mut self, problem: &BlockForm, regions: &mut Regions) -> Round {
        let tolerance = self.settings.tolerance;
        let Some(rows) = problem.bodies() else { return Round::Ended };
        self.packed.measure();
        let worst = self.packed.judge();
        if self.ratio * worst <= tolerance && self.certify(problem) {
            return Round::Ended;
        }
        self.packed.store(problem, &mut self.solution.impulse);
        regions.see(&self.packed.wrong);
        let needed = regions.needed_sweeps(worst, tolerance, self.solution.iterations);
        let local = regions.find(rows, (worst, tolerance)) && !regions.are_stuck();
        let needed = needed.filter(|_| !local);
        if self.settings.gives_up && self.interior_point_pays(rows, regions, needed) {
            return Round::Ended;
        }
        if !local {
            return Round::NothingLocal;
        }
        regions.solve_all(problem, rows, &mut self.packed, (worst, tolerance));
        self.packed.refresh();
        self.extrapolation.start(&self.packed);
        if self.certify(problem) { Round::Ended } else { Round::SolvedRegions }
    }

    /// Moves impulses that drift, region by region; false if none does.
    fn jump(&mut self, problem: &BlockForm, regions: &mut Regions, pairs: &mut Pairs) -> bool {
        let Some(rows) = problem.bodies().filter(|_| pairs.left > PLAIN) else { return false };
        self.extrapolation.start(&self.packed);
        for _ in 0..PLAIN {
            self.extrapolation.beta = 0.0;
            self.drift.see(&self.packed);
            if !self.pair(problem) {
                return false;
            }
        }
        pairs.left -= PLAIN;
        pairs.done += PLAIN;
        self.packed.measure();
        let worst = self.packed.judge();
        regions.see(&self.packed.wrong);
        regions.find_all(rows, (worst, self.settings.tolerance));
        let last = &self.extrapolation.velocity;
        let mut drifts = false;
        for at in 0..regions.len() {
            drifts |= self.drift.jump(&mut self.packed, regions.region(at), last) > 0.0;
        }
        self.extrapolation.start(&self.packed);
        drifts
    }

    /// Whether an interior point costs less than the sweeps that are still needed, about. It is not asked before some of its cost is
    /// spent on sweeps: their certificate does not fall evenly.
    fn interior_point_pays(
        &mut self,
        rows: &BodyRows,
        regions: &Regions,
        needed: Option<f64>,
    ) -> bool {
        let sweep = CONTACT_WORK * rows.len() as f64;
        let spent = sweep * self.solution.iterations as f64 + regions.work;
        let assembly = FACTORISATIONS * ASSEMBLY_WORK * rows.len() as f64;
        // The order of elimination takes its time to find.
        if spent < TRUST_AFTER * MOST_COST * assembly {
            return false;
        }
        if self.factorisation == 0.0 {
            self.graph.fill(rows);
            self.factorisation = self.graph.work();
        }
        let cost = MOST_COST * (FACTORISATIONS * self.factorisation + assembly);
        let needed = needed.unwrap_or(0.0) * sweep;
        spent > cost || (spent > TRUST_AFTER * cost && needed > cost)
    }

    /// Has the impulses after a pair of sweeps judged.
    fn certify(&mut self, problem: &BlockForm) -> bool {
        self.packed.store(problem, &mut self.solution.impulse);
        self.solution.certify(problem, self.settings.tolerance, Failure::IterationLimit)
    }

    /// One sweep forth and one back. False if a number overflowed.
    fn pair(&mut self, problem: &BlockForm) -> bool {
        let Extrapolation { beta, velocity, .. } = &mut self.extrapolation;
        let along =
            self.packed.extrapolate_and_sweep(problem.laws(), &self.team, (*beta, velocity));
        self.extrapolation.next(along);
        self.solution.iterations += 2;
        along.is_finite()
    }
}

impl Extrapolation {
    fn start(&mut self, packed: &Packed) {
        (self.t, self.beta) = (1.0, 0.0);
        self.velocity.clone_from(&packed.velocity);
    }

    /// After a pair of sweeps, whose step went so far along the change of the impulses.
    fn next(&mut self, along: f64) {
        if !(along >= 0.0) {
            self.t = 1.0;
        }
        let t = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        self.beta = (self.t - 1.0) / t;
        self.t = t.min(self.reach);
    }
}

method!(Sweeps, "sweeps");

#[cfg(test)]
pub(super) mod tests;
