//! One system: no counter-example below its bounds, and how sharp they are.

use super::{Count, Draft, Family, count};
use complementarity::Matrix;
use stickslip::contact::analysis::Theorem;
use stickslip::contact::analysis::theorem::Bounds;
use stickslip_studies::Draw;

/// What the bounds are called in tables, in the order of [`Report::factors`].
pub const BOUNDS: [&str; 6] = [
    "one, any velocity",
    "some, any velocity",
    "some, as it slides",
    "one, as it slides",
    "some, by modes",
    "one, by modes",
];
/// Problems are posed at this share of a bound.
const BELOW: f64 = 0.999;

/// What came out for one system.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The bounds on the factor of friction: 0 for none, infinite, or a number.
    pub factors: [f64; 6],
    /// Problems posed below each.
    pub posed: [usize; 6],
    /// Problems without a solution, or with several where one is promised: the theorem or the program would be wrong.
    pub counter_examples: [usize; 6],
    /// Problems of which the number of solutions was not found.
    pub unknown: [usize; 6],
    /// Whether at the last bound uniqueness is proved to fail.
    pub sharp: bool,
}

/// Poses `tries` problems below each bound of the system and counts their solutions.
pub fn verify(family: Family, contacts: usize, seed: u64, tries: usize) -> Report {
    let (draft, mut draw) = Draft::new(family, contacts, seed);
    let bounds = bounds_of(&draft, 1.0);
    let mut report = Report { factors: factors(&bounds), ..Report::default() };
    report.sharp = bounds.modes.is_some_and(|m| m.sharp);
    for k in 0..6 {
        let bound = report.factors[k];
        if bound == 0.0 {
            continue;
        }
        for _ in 0..tries {
            let factor = if bound.is_finite() { BELOW * bound } else { draw.log_between(1.0, 1e3) };
            let other = draft.with_other_slips(&mut draw);
            let posed = if k < 2 { &other } else { &draft };
            let found = solutions(posed, factor, &mut draw);
            report.posed[k] += 1;
            let only = matches!(k, 0 | 3 | 5);
            let wrong = found == Count::None || only && found == Count::Several;
            report.counter_examples[k] += usize::from(wrong);
            report.unknown[k] += usize::from(found == Count::Unknown);
            if wrong {
                eprintln!(
                    "{} at {factor}: {family:?}, {contacts} contacts, seed {seed}",
                    BOUNDS[k]
                );
            }
        }
    }
    report
}

fn factors(b: &Bounds) -> [f64; 6] {
    let modes = b.modes.map_or([0.0; 2], |m| [m.existence.factor, m.uniqueness.factor]);
    [
        b.at_any_velocity.factor,
        b.existence_at_any_velocity.factor,
        b.existence.factor,
        b.uniqueness.factor,
        modes[0],
        modes[1],
    ]
}

fn bounds_of(draft: &Draft, factor: f64) -> Bounds {
    let zero = vec![0.0; draft.w.rows()];
    Theorem::of(&draft.problem(factor, zero)).expect("a small system").bounds
}

fn solutions(draft: &Draft, factor: f64, draw: &mut Draw) -> Count {
    let bias = draft.bias(factor, draw);
    count(&draft.problem(factor, bias), effective(draft, factor).as_ref())
}

/// The matrix of a system of which all contacts slide, if they are not all planar.
fn effective(draft: &Draft, factor: f64) -> Option<Matrix> {
    if draft.family == Family::Planar || draft.laws.iter().any(|l| l.has_free_friction()) {
        return None;
    }
    bounds_of(draft, factor).effective.map(|e| e.matrix)
}

/// How a search just above the bounds by modes ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sharpness {
    /// A b with several solutions was looked for, and found.
    pub several: Option<bool>,
    /// A b without a solution was looked for, and found.
    pub none: Option<bool>,
}

/// Looks for problems with several solutions, and with none, at 1.02 times the bounds by modes.
pub fn sharpness(family: Family, contacts: usize, seed: u64, tries: usize) -> Sharpness {
    let (draft, mut draw) = Draft::new(family, contacts, seed);
    let Some(modes) = bounds_of(&draft, 1.0).modes else { return Sharpness::default() };
    let mut search = |bound: f64, wanted: Count| {
        let factor = 1.02 * bound;
        let matrix = bound.is_finite().then(|| effective(&draft, factor))?;
        Some((0..tries).any(|_| {
            let bias = draft.bias(factor, &mut draw);
            count(&draft.problem(factor, bias), matrix.as_ref()) == wanted
        }))
    };
    let several = search(modes.uniqueness.factor, Count::Several);
    Sharpness { several, none: search(modes.existence.factor, Count::None) }
}
