//! Part (B) on random systems whose contacts are redundant and roll.

use super::{Count, Draft, Family, count};
use stickslip::contact::analysis::Theorem;
use stickslip::contact::analysis::theorem::Meaning;

/// What the program can say, in the order of tables.
pub const MEANINGS: [(Meaning, &str); 5] = [
    (Meaning::NoSelfStress, "no self-stress: a solution exists"),
    (Meaning::Exists, "positive: a solution exists"),
    (Meaning::Edge, "zero to rounding: a solution exists"),
    (Meaning::NoConclusion, "negative: no conclusion"),
    (Meaning::Undecided, "not decided"),
];

/// What the program says of a problem, and how many solutions it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// What the program says.
    pub meaning: Meaning,
    /// What was found.
    pub count: Count,
    /// The gap between the two ends of the value, over the size of the minimiser; 0 without one.
    pub gap: f64,
}

impl Outcome {
    /// Whether the theorem promises a solution where there is none.
    pub fn is_wrong(&self) -> bool {
        let promised =
            matches!(self.meaning, Meaning::NoSelfStress | Meaning::Exists | Meaning::Edge);
        promised && self.count == Count::None
    }
}

/// The program of a random problem, against its solutions. With `at_rest` b comes from forces alone, as for a system
/// at rest: no self-stress does work with it.
pub fn self_stress(family: Family, contacts: usize, seed: u64, at_rest: bool) -> Outcome {
    let (draft, h, mut draw) = Draft::redundant(family, contacts, seed);
    let bias = if at_rest {
        let pull = draw.normals(h.first().map_or(0, Vec::len));
        h.iter().map(|row| row.iter().zip(&pull).map(|(h, p)| h * p).sum()).collect()
    } else {
        draft.bias(1.0, &mut draw)
    };
    let problem = draft.problem(1.0, bias);
    let program = Theorem::of(&problem).expect("a small system").program.expect("nothing slides");
    let size = program.minimiser.iter().flatten().fold(0.0_f64, |m, c| m.max(c.abs()));
    let gap = if size > 0.0 { (program.upper - program.lower) / size } else { 0.0 };
    Outcome { meaning: program.meaning, count: count(&problem, None), gap }
}
