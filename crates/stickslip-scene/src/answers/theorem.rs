//! Theorem 1 as fields.

use serde::Serialize;
use stickslip::contact::analysis::theorem::{Bounds, Limit, Meaning, Modes, Program, Theorem};

/// What theorem 1 says of a contact problem.
#[derive(Debug, Serialize)]
pub struct TheoremFacts {
    definiteness: DefinitenessFacts,
    /// Exactly one solution for every b, whichever contacts slide.
    unique_at_any_velocity: LimitFacts,
    exists_at_any_velocity: LimitFacts,
    /// A solution for every b, for the contacts that slide as they do.
    exists: LimitFacts,
    unique: LimitFacts,
    /// By going through all modes; null where that does not apply.
    modes: Option<ModesFacts>,
    /// Part (B); null if a contact slides.
    self_stress: Option<ProgramFacts>,
    /// The same in sentences.
    pub text: Vec<String>,
}

#[derive(Debug, Serialize)]
struct DefinitenessFacts {
    definite: bool,
    singular: bool,
    smallest_eigenvalue: f64,
    error: f64,
    rows: usize,
    rank: usize,
}

/// A bound on friction: null where no friction is too large, 0 where nothing is guaranteed.
#[derive(Debug, Serialize)]
struct LimitFacts {
    /// On a coefficient that is the same for all contacts.
    common: Option<f64>,
    /// On a factor of the coefficients as given.
    factor: Option<f64>,
    /// The coefficients as given are within the bound.
    holds: bool,
}

#[derive(Debug, Serialize)]
struct ModesFacts {
    exists: LimitFacts,
    unique: LimitFacts,
    sharp: bool,
}

#[derive(Debug, Serialize)]
struct ProgramFacts {
    /// `no_self_stress`, `exists`, `edge`, `no_conclusion`, `contradiction` or `undecided`.
    meaning: &'static str,
    /// Between these lies the least work of a self-stress; null where infinite.
    lower: Option<f64>,
    upper: Option<f64>,
    dimension: usize,
    minimiser: Option<Vec<f64>>,
}

impl TheoremFacts {
    pub(super) fn new(theorem: &Theorem) -> Self {
        let Bounds { definiteness: d, .. } = &theorem.bounds;
        let b = &theorem.bounds;
        Self {
            definiteness: DefinitenessFacts {
                definite: d.is_definite(),
                singular: d.is_singular(),
                smallest_eigenvalue: d.smallest,
                error: d.error,
                rows: d.rows,
                rank: d.rank,
            },
            unique_at_any_velocity: limit(b.at_any_velocity),
            exists_at_any_velocity: limit(b.existence_at_any_velocity),
            exists: limit(b.existence),
            unique: limit(b.uniqueness),
            modes: b.modes.map(|Modes { existence, uniqueness, sharp }| ModesFacts {
                exists: limit(existence),
                unique: limit(uniqueness),
                sharp,
            }),
            self_stress: theorem.program.as_ref().map(program),
            text: theorem.to_string().lines().map(str::to_owned).collect(),
        }
    }
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

fn limit(l: Limit) -> LimitFacts {
    LimitFacts { common: finite(l.common), factor: finite(l.factor), holds: l.holds() }
}

fn program(p: &Program) -> ProgramFacts {
    ProgramFacts {
        meaning: match p.meaning {
            Meaning::NoSelfStress => "no_self_stress",
            Meaning::Exists => "exists",
            Meaning::Edge => "edge",
            Meaning::NoConclusion => "no_conclusion",
            Meaning::Contradiction => "contradiction",
            Meaning::Undecided => "undecided",
        },
        lower: finite(p.lower),
        upper: finite(p.upper),
        dimension: p.dimension,
        minimiser: p.minimiser.clone(),
    }
}
