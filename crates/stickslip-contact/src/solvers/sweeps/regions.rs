//! Where sweeps come to a halt few contacts are wrong: regions around them are solved by themselves, beside the impulses of all
//! others.
//!
//! The contacts whose certificate is at least some share of the worst are the seeds. They are grown by rings: contacts that share a body with
//! one that is in already. What hangs together is a region. A large one is not cut, since as much would be left at the cut as is gained
//! inside: there are then regions around fewer contacts, or none.

use super::super::interior_point::{self, ConeInteriorPoint};
use super::super::meter::CONTACT_WORK;
use super::super::newton::{self, ConeNewton};
use super::super::split_point::{self, SplitInteriorPoint};
use super::super::{BlockForm, Method};
use super::packed::Packed;
use super::{Settings, Sweeps};
use crate::ContactProblem;
use crate::body_rows::{BodyRows, NONE};
use crate::law::Law;
use crate::solve::ContactSolution;

/// Seeds are contacts with this share of the worst certificate, or twice as much while regions are large, up to the most.
const SEED: f64 = 0.05;
const MOST_SEED: f64 = 0.5;
/// Rings around the seeds, and the most of them.
const RINGS: usize = 2;
const MOST_RINGS: usize = 4;
/// A round that leaves more than this share of the worst certificate brings little.
const LITTLE: f64 = 0.5;
/// Pairs of sweeps on a region, before it is given to Newton's method.
const PAIRS: usize = 100;
/// Regions with more contacts are large: they are left to sweeps over all.
const EXACT: usize = 300;
/// Regions that hold more than this share of all contacts together are large too.
const SHARE: f64 = 0.3;
/// The share of the tolerance to which regions are solved, and that of the worst certificate if that is more.
const SHARP: f64 = 0.1;
const ENOUGH: f64 = 1e-3;
/// Operations of a factorisation for each contact of a region, about.
const FACTOR_WORK: f64 = 2e4;
/// Interior points for regions, in the order in which they are tried, one of each kind in turn: centring, boundary and scales of the one that keeps
/// normals and friction apart; smoothing, coupling and boundary of the other. Of 13 regions of spheres that fall, with 50 to 286 contacts, at
/// which sweeps and Newton's method fail, the first alone solves ten, in a third of the time of the other; that solves some of the rest.
const SPLIT_VARIANTS: [(f64, f64, bool); 3] =
    [(0.05, 0.95, true), (0.3, 0.6, true), (0.05, 0.95, false)];
const CONE_VARIANTS: [(f64, f64, f64); 3] = [(0.1, 1.0, 0.95), (0.0, 1.0, 0.8), (0.1, 1.0, 0.7)];
/// The most steps of an interior point, and of Newton's method.
const INTERIOR_STEPS: usize = 60;
const NEWTON_STEPS: usize = 20;
/// The certificate from which Newton's method may find the answer.
const NEAR: f64 = 1e-2;

/// Regions of a problem and what solves them.
#[derive(Clone, Debug, Default)]
pub(super) struct Regions {
    /// The largest measure of each contact.
    wrong: Vec<f64>,
    /// Which contacts are to be in a region, and those that are not yet in one.
    open: Vec<bool>,
    front: Vec<u32>,
    next: Vec<u32>,
    /// The contacts of all regions, one after the other, and where each ends.
    members: Vec<u32>,
    ends: Vec<usize>,
    region: Vec<u32>,
    /// The number of a body in the region, or [`NONE`].
    local: Vec<u32>,
    bodies: Vec<u32>,
    bias: Vec<f64>,
    laws: Vec<Law>,
    guess: Vec<f64>,
    best: Vec<f64>,
    problem: ContactProblem,
    sweeps: Option<Box<Sweeps>>,
    /// Where an interior point ended.
    end: Vec<f64>,
    newton: ConeNewton,
    split: SplitInteriorPoint,
    cone: ConeInteriorPoint,
    /// Rounds in a row that brought little, and sweeps and the worst certificate of the last.
    stuck: usize,
    last: Option<(usize, f64)>,
    /// Operations of all rounds.
    pub(super) work: f64,
}

impl Regions {
    pub(super) fn start(&mut self) {
        (self.stuck, self.last, self.work) = (0, None, 0.0);
    }

    /// Whether rounds bring little.
    pub(super) fn are_stuck(&self) -> bool {
        /// Rounds that bring little before it is enough.
        const ROUNDS: usize = 4;
        self.stuck >= ROUNDS
    }

    /// Sweeps that are still needed if the certificate goes on to fall as since the last round; infinite if it does not fall, `None`
    /// in the first round.
    pub(super) fn needed_sweeps(&mut self, worst: f64, tolerance: f64, done: usize) -> Option<f64> {
        let last = self.last.replace((done, worst));
        let (before, from) = last?;
        self.stuck = if worst > LITTLE * from { self.stuck + 1 } else { 0 };
        let rate = (from / worst).ln() / (done - before).max(1) as f64;
        Some(if rate > 0.0 { (worst / tolerance).ln() / rate } else { f64::INFINITY })
    }

    /// Takes over how far each contact is from its law.
    pub(super) fn see(&mut self, wrong: &[f64]) {
        self.wrong.clear();
        self.wrong.extend_from_slice(wrong);
    }

    /// Finds the regions around the contacts that were judged worst. Where they are large, those around fewer contacts; false if
    /// these are large too.
    pub(super) fn find(&mut self, rows: &BodyRows, (worst, tolerance): (f64, f64)) -> bool {
        let rings = (RINGS + self.stuck / 2).min(MOST_RINGS);
        let mut seed = SEED;
        while seed <= MOST_SEED {
            self.grow(rows, (seed * worst).max(0.5 * tolerance), rings);
            if self.collect_all(rows, EXACT)
                && self.members.len() as f64 <= SHARE * rows.len() as f64
            {
                return true;
            }
            seed *= 2.0;
        }
        false
    }

    /// Finds the regions around the contacts that were judged worst, however large they are.
    pub(super) fn find_all(&mut self, rows: &BodyRows, (worst, tolerance): (f64, f64)) {
        self.grow(rows, (SEED * worst).max(0.5 * tolerance), RINGS);
        self.collect_all(rows, usize::MAX);
    }

    /// How many regions were found.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The contacts of one of them.
    pub(super) fn region(&self, at: usize) -> &[u32] {
        let begin = if at > 0 { self.ends[at - 1] } else { 0 };
        &self.members[begin..self.ends[at]]
    }

    /// All regions of what is marked; false if one of them has more contacts than `most`.
    fn collect_all(&mut self, rows: &BodyRows, most: usize) -> bool {
        self.members.clear();
        self.ends.clear();
        for seed in 0..rows.len() {
            if !self.open[seed] {
                continue;
            }
            self.collect(rows, seed);
            if self.region.len() > most {
                return false;
            }
            self.members.extend_from_slice(&self.region);
            self.ends.push(self.members.len());
        }
        true
    }

    /// Solves the regions that were found, one after the other.
    pub(super) fn solve_all(
        &mut self,
        problem: &BlockForm,
        rows: &BodyRows,
        packed: &mut Packed,
        (worst, tolerance): (f64, f64),
    ) {
        let sharp = (SHARP * tolerance).max(ENOUGH * worst).clamp(1e-13, 0.1);
        let mut begin = 0;
        for at in 0..self.ends.len() {
            let end = self.ends[at];
            self.region.clear();
            self.region.extend_from_slice(&self.members[begin..end]);
            begin = end;
            if self.pose(problem, rows, packed) && self.solve(sharp) {
                self.take(packed);
            }
        }
    }

    /// Marks the seeds and the rings around them.
    fn grow(&mut self, rows: &BodyRows, level: f64, rings: usize) {
        self.open.clear();
        self.open.extend(self.wrong.iter().map(|x| *x > level));
        self.front.clear();
        self.front.extend((0..rows.len() as u32).filter(|&i| self.open[i as usize]));
        for _ in 0..rings {
            self.next.clear();
            for &i in &self.front {
                for &body in rows.link(i as usize).iter().filter(|b| **b != NONE) {
                    for &(j, _) in rows.at(body) {
                        if !std::mem::replace(&mut self.open[j as usize], true) {
                            self.next.push(j);
                        }
                    }
                }
            }
            std::mem::swap(&mut self.front, &mut self.next);
        }
    }

    /// The region of a contact: the marked ones that hang together with it over bodies. They are no longer marked then.
    fn collect(&mut self, rows: &BodyRows, seed: usize) {
        self.region.clear();
        self.region.push(seed as u32);
        self.open[seed] = false;
        let mut at = 0;
        while let Some(&i) = self.region.get(at) {
            at += 1;
            for &body in rows.link(i as usize).iter().filter(|b| **b != NONE) {
                for &(j, _) in rows.at(body) {
                    if std::mem::replace(&mut self.open[j as usize], false) {
                        self.region.push(j);
                    }
                }
            }
        }
        self.region.sort_unstable();
    }

    /// The problem of the region: its own contacts, and in the bias what all others do. False if it is not one.
    fn pose(&mut self, problem: &BlockForm, rows: &BodyRows, packed: &Packed) -> bool {
        let Self { region, local, bodies, bias, laws, guess, .. } = self;
        local.resize(rows.bodies(), NONE);
        bodies.clear();
        bias.clear();
        laws.clear();
        guess.clear();
        for &i in &*region {
            let i = i as usize;
            for &body in rows.link(i).iter().filter(|b| **b != NONE) {
                if local[body as usize] == NONE {
                    local[body as usize] = bodies.len() as u32;
                    bodies.push(body);
                }
            }
            let n = rows.range(i).len();
            let (contact, impulse) = packed.contact(i);
            bias.extend_from_slice(&contact.velocity(&packed.velocity)[..n]);
            guess.extend_from_slice(&impulse[..n]);
            laws.push(problem.laws()[i].clone());
        }
        let made = self.problem.refill(bias, laws, |w| {
            let w = w.bodies_mut();
            w.start(bodies.len());
            for &i in &*region {
                let link = rows.link(i as usize);
                let own = link.map(|b| (b != NONE).then(|| local[b as usize] as usize));
                w.push(own, rows.contact(i as usize).iter().copied());
            }
            w.finish()
        });
        bodies.iter().for_each(|&b| local[b as usize] = NONE);
        if made.is_err() {
            return false;
        }
        // The impulses that the region has are not part of what others do to it.
        self.best.clear();
        self.best.extend(self.guess.iter().map(|x| -x));
        self.problem.velocity_into(&self.best, &mut self.bias);
        self.problem.set_bias(&self.bias)
    }

    /// Solves the region; true if the impulses in `best` are better than those it had.
    fn solve(&mut self, tolerance: f64) -> bool {
        let k = self.problem.contacts();
        let Ok(start) = self.problem.certificate(&self.guess) else { return false };
        let mut least = start.worst;
        self.best.clone_from(&self.guess);
        let sweeps = self.sweeps.get_or_insert_default();
        sweeps.settings = Settings {
            tolerance,
            max_pairs: PAIRS * (1 + self.stuck),
            regions: false,
            gives_up: false,
            threads: 1,
        };
        let Ok(found) = sweeps.solve_from(&self.problem, &self.guess) else { return false };
        self.work += CONTACT_WORK * (found.iterations * k) as f64;
        if keep(found, &mut least, &mut self.best) {
            return true;
        }
        self.end.clone_from(&self.best);
        let variants = SPLIT_VARIANTS.into_iter().zip(CONE_VARIANTS);
        self.newton(tolerance, &mut least)
            || variants
                .take(1 + self.stuck)
                .any(|(split, cone)| self.interior_points(tolerance, split, cone, &mut least))
            || least < LITTLE * start.worst
    }

    /// One interior point, then the other.
    fn interior_points(
        &mut self,
        tolerance: f64,
        (centring, within, own_scales): (f64, f64, bool),
        (smoothing, coupling, boundary): (f64, f64, f64),
        least: &mut f64,
    ) -> bool {
        let max_steps = INTERIOR_STEPS;
        let split = split_point::Settings {
            tolerance,
            max_steps,
            centring,
            boundary: within,
            own_scales,
            ..split_point::Settings::default()
        };
        let cone = interior_point::Settings { tolerance, max_steps, smoothing, coupling, boundary };
        self.split.set(split).is_ok() && self.interior(true, tolerance, least)
            || self.cone.set(cone).is_ok() && self.interior(false, tolerance, least)
    }

    /// An interior point, and Newton's method from where it ends: that is near to an answer even where the impulses of the region are nearer
    /// to the laws.
    fn interior(&mut self, split: bool, tolerance: f64, least: &mut f64) -> bool {
        let method: &mut dyn Method = if split { &mut self.split } else { &mut self.cone };
        let found = method.solve(&self.problem);
        self.work += FACTOR_WORK * (found.factorisations * self.problem.contacts()) as f64;
        if keep(found, least, &mut self.best) {
            return true;
        }
        self.end.clone_from(&found.impulse);
        found.certificate.worst < NEAR && self.newton(tolerance, least)
    }

    /// Newton's method from the impulses in `end`. It goes on where its merit does not fall: with few contacts its steps cost no more than the
    /// sweeps before, and of the regions at which it would be given up soon it solves a third.
    fn newton(&mut self, tolerance: f64, least: &mut f64) -> bool {
        let settings = newton::Settings {
            tolerance,
            first_sweeps: 0,
            max_steps: NEWTON_STEPS,
            ..newton::Settings::default()
        };
        if self.newton.set(settings).is_err() {
            return false;
        }
        let Ok(found) = self.newton.solve_from(&self.problem, &self.end) else { return false };
        self.work += FACTOR_WORK * (found.factorisations * self.problem.contacts()) as f64;
        keep(found, least, &mut self.best)
    }

    /// Takes the impulses of the region over.
    fn take(&mut self, packed: &mut Packed) {
        let mut at = 0;
        for &i in &self.region {
            let i = i as usize;
            let n = packed.contact(i).0.rows();
            packed.set_impulse(i, &self.best[at..at + n]);
            at += n;
        }
    }
}

/// Keeps an answer that is better than the best; true if it is solved.
fn keep(found: &ContactSolution, least: &mut f64, best: &mut Vec<f64>) -> bool {
    if found.certificate.worst < *least {
        *least = found.certificate.worst;
        best.clone_from(&found.impulse);
    }
    found.is_solved()
}
