//! A campaign against the contact solver: random problems of every law, masses over twelve decades, speeds of very different
//! size in one problem, coefficients of friction to 10¹⁴, redundant contacts, and problems without a solution.
//!
//! Of each problem with a solution one is known: impulses and velocities are chosen by the laws, and b is made from them in
//! extended precision. An answer is judged again by a definition of the certificate in extended precision that shares no code
//! with the library.

mod extended;
mod problems;
mod reference;
#[cfg(test)]
mod tests;

use complementarity::{Matrix, Status};
use problems::{Known, Random};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;
use stickslip_contact::solve::ContactSolver;
use stickslip_contact::{ContactProblem, Law};

/// Certificates up to here count as solved; the default of the solver.
const TOLERANCE: f64 = 1e-10;
/// What the two evaluations of the certificate may differ by: rounding of the fast one, and of b.
const SLACK: f64 = 1e-13;

/// A contradiction that is less than this share of what moves its contacts is rounding of W Λ: the impulses that the other contacts
/// happen to have decide whether it is one.
const ROUNDED: f64 = 1e-12;

/// What became of the problems.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Problems by kind.
    pub problems: BTreeMap<&'static str, u64>,
    /// Solved problems by kind.
    pub solved: BTreeMap<&'static str, u64>,
    /// Problems proved to have no solution, by kind.
    pub proved: BTreeMap<&'static str, u64>,
    /// Neither, by kind and reason.
    pub not_solved: BTreeMap<(&'static str, String), u64>,
    /// Seeds of answers that are called solved and are not by the reference.
    pub false_solved: Vec<u64>,
    /// Seeds of contradictions that are rounding beside the impulses of the answer, which meets the laws of the contacts concerned to 10⁻¹².
    pub rounded: Vec<u64>,
    /// Seeds of proofs that do not check, or of problems with a known solution.
    pub false_proved: Vec<u64>,
    /// Seeds of known solutions that the certificate refuses.
    pub refused: Vec<u64>,
    /// Seeds that were not solved although a solution is known.
    pub unsolved: Vec<u64>,
    /// The longest solve in seconds, and its seed.
    pub longest: (f64, u64),
}

impl Tally {
    /// Both together.
    pub fn merge(&mut self, other: Self) {
        for (mine, theirs) in [
            (&mut self.problems, other.problems),
            (&mut self.solved, other.solved),
            (&mut self.proved, other.proved),
        ] {
            theirs.into_iter().for_each(|(k, n)| *mine.entry(k).or_default() += n);
        }
        for (k, n) in other.not_solved {
            *self.not_solved.entry(k).or_default() += n;
        }
        self.false_solved.extend(other.false_solved);
        self.rounded.extend(other.rounded);
        self.false_proved.extend(other.false_proved);
        self.refused.extend(other.refused);
        self.unsolved.extend(other.unsolved);
        if other.longest.0 > self.longest.0 {
            self.longest = other.longest;
        }
    }

    /// No answer, proof or refusal was false.
    pub fn is_honest(&self) -> bool {
        self.false_solved.is_empty() && self.false_proved.is_empty() && self.refused.is_empty()
    }
}

/// Runs the problems of these seeds, with up to this many contacts each.
pub fn campaign(seeds: Range<u64>, most: usize) -> Tally {
    let mut tally = Tally::default();
    let mut solver = ContactSolver::default();
    for seed in seeds {
        run(seed, most, &mut solver, &mut tally);
    }
    tally
}

/// The kinds of problems, by the last digit of the seed.
fn draw(seed: u64, most: usize) -> (&'static str, Known, bool) {
    let mut r = Random(seed);
    let contacts = 1 + r.below(most);
    match seed % 10 {
        0..=4 => ("every law", Known::random(&mut r, contacts), true),
        5 | 6 => ("one or two planar contacts", planar(&mut r, 2), true),
        7 => ("planar contacts", planar(&mut r, most), true),
        8 => ("redundant", twice(Known::random(&mut r, contacts)), true),
        _ => ("without a solution", Known::random(&mut r, contacts), false),
    }
}

/// Planar contacts with coefficients of friction to 10¹⁴.
fn planar(r: &mut Random, most: usize) -> Known {
    let contacts = 1 + r.below(most);
    let law = |r: &mut Random| match r.below(6) {
        0 => Law::coulomb(0.0),
        1 => Law::coulomb(1.0).sliding_with([r.signed(), 0.0, 0.0]),
        2 => Law { radius: r.decades(-6.0, 0.0), ..Law::coulomb(r.decades(-3.0, 2.0)) },
        _ => Law::coulomb(r.decades(-3.0, 14.0)),
    };
    let laws = (0..contacts).map(|_| law(r)).collect();
    Known::with_laws(r, laws)
}

/// Every contact twice, at the same place: each bears half, also of a constant friction.
fn twice(known: Known) -> Known {
    let first: Vec<usize> = (0..known.w.rows()).collect();
    let rows: Vec<usize> = first.iter().chain(&first).copied().collect();
    let w = Matrix::from_fn(rows.len(), rows.len(), |i, j| known.w[(rows[i], rows[j])]);
    let half: Vec<Vec<f64>> =
        known.lam.iter().map(|l| l.iter().map(|x| 0.5 * x).collect()).collect();
    let law = |l: &Law| Law { radius: 0.5 * l.radius, ..l.clone() };
    let double = |laws: &[Law]| laws.iter().chain(laws).map(law).collect();
    Known {
        laws: double(&known.laws),
        w,
        states: [known.states.clone(), known.states.clone()].concat(),
        lam: [half.clone(), half].concat(),
        xi: [known.xi.clone(), known.xi].concat(),
    }
}

/// The problem with contacts that contradict each other: one that nothing moves and that approaches; or two on the two sides of
/// a body, both of which approach; or a connection that is there twice, at two speeds.
fn with_a_contradiction(known: &Known, which: u64) -> (Matrix, Vec<f64>, Vec<Law>) {
    let n = known.w.rows();
    let (added, law): (&[(f64, f64)], _) = match which % 3 {
        0 => (&[(0.0, -1.0)], Law::frictionless()),
        1 => (&[(1.0, -1.0), (-1.0, -1.0)], Law::frictionless()),
        _ => (&[(1.0, 0.5), (1.0, -0.5)], Law::bilateral(1)),
    };
    // The rows that are added are multiples of the last one.
    let of = |i: usize| if i < n { (i, 1.0) } else { (n - 1, added[i - n].0) };
    let all = n + added.len();
    let w = Matrix::from_fn(all, all, |i, j| {
        let ((i, a), (j, b)) = (of(i), of(j));
        a * b * known.w[(i, j)]
    });
    let mut b = known.bias();
    // The contradiction is as large as what the velocity of that row is made of.
    let row = known.w.row(n - 1).iter().zip(known.impulse());
    let size = row.fold(b[n - 1].abs(), |sum, (w, l)| sum + (w * l).abs());
    let unit = if size > 0.0 { size } else { 1.0 };
    b.extend(added.iter().map(|(_, speed)| speed * unit));
    let mut laws = known.laws.clone();
    laws.extend(added.iter().map(|_| law.clone()));
    (w, b, laws)
}

fn run(seed: u64, most: usize, solver: &mut ContactSolver, tally: &mut Tally) {
    let (kind, known, solvable) = draw(seed, most);
    *tally.problems.entry(kind).or_default() += 1;
    let (w, b, laws) = if solvable {
        (known.w.clone(), known.bias(), known.laws.clone())
    } else {
        with_a_contradiction(&known, seed / 10)
    };
    let Ok(problem) = ContactProblem::new(w.clone(), b.clone(), laws.clone()) else {
        tally.refused.push(seed);
        return;
    };
    if solvable && !problem.certificate(&known.impulse()).is_ok_and(|c| c.worst <= TOLERANCE) {
        tally.refused.push(seed);
    }
    let start = Instant::now();
    let answer = solver.solve(&problem);
    let seconds = start.elapsed().as_secs_f64();
    if seconds > tally.longest.0 {
        tally.longest = (seconds, seed);
    }
    match answer.status {
        Status::Solved => {
            *tally.solved.entry(kind).or_default() += 1;
            let judged = reference::Data { w: &w, b: &b, laws: &laws }.judge(&answer.impulse);
            let within = |judged: &[reference::Judged], most: f64| {
                judged.iter().all(|j| j.worst.is_none_or(|worst| worst <= most + j.rounding))
            };
            let contradicting = &judged[known.laws.len()..];
            if !within(&judged, TOLERANCE + SLACK) || !within(contradicting, ROUNDED) {
                tally.false_solved.push(seed);
            } else if !solvable {
                tally.rounded.push(seed);
            }
        }
        Status::NoSolution => {
            *tally.proved.entry(kind).or_default() += 1;
            let checks = answer.proof.as_ref().is_some_and(|p| p.check(&problem).is_ok());
            if solvable || !checks {
                tally.false_proved.push(seed);
            }
        }
        status => {
            let reason = format!("{status} ({})", answer.method);
            *tally.not_solved.entry((kind, reason)).or_default() += 1;
            if solvable {
                tally.unsolved.push(seed);
            }
        }
    }
}
