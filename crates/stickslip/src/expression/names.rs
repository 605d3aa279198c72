//! What the names in an expression stand for.

use super::arena::{Arena, depends};
use super::ops::FUNCTIONS;
use super::parser::Term;
use super::units::{Dim, Dimension};
use std::collections::BTreeMap;

/// What a name was introduced as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Coordinate,
    Velocity,
    Parameter,
    Definition,
    Function,
    Table,
    Time,
    Pi,
    /// What a run adds to the names of a scene: energies, gaps, forces.
    Result,
    SlipSpeed,
}

impl Kind {
    /// With its article.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Coordinate => "a coordinate",
            Self::Velocity => "a velocity",
            Self::Parameter => "a parameter",
            Self::Definition => "a definition",
            Self::Function => "a function",
            Self::Table => "a table",
            Self::Result => "a result of the run",
            Self::Time => "time",
            Self::Pi => "the constant π",
            Self::SlipSpeed => "the slip speed",
        }
    }

    /// Whether parentheses stand behind it.
    pub(super) fn is_called(self) -> bool {
        matches!(self, Self::Function | Self::Table)
    }
}

/// What a call of a scene's own name stands for.
#[derive(Clone, Debug)]
pub(super) enum Called {
    /// The names of its arguments, and its body.
    Function(Vec<String>, String),
    /// Its place among the tables.
    Table(u32),
}

/// What a text may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allow {
    /// Parameters.
    Constants,
    /// Parameters, coordinates and time.
    Configuration,
    /// The same and the slip speed.
    Friction,
    /// Parameters, coordinates, velocities and time.
    State,
    /// Also the forces of contacts.
    Results,
}

impl Allow {
    pub(super) fn mask(self) -> u8 {
        match self {
            Self::Constants => 0,
            Self::Configuration => depends::COORDINATES | depends::TIME,
            Self::Friction => depends::COORDINATES | depends::TIME | depends::OTHERS,
            Self::State => depends::COORDINATES | depends::VELOCITIES | depends::TIME,
            Self::Results => u8::MAX,
        }
    }

    /// As the end of a message.
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::Constants => "only numbers and parameters can be used here",
            Self::Configuration => "only coordinates, parameters and time `t` can be used here",
            Self::Friction => {
                "only coordinates, parameters, time `t` and the slip speed `slip` can be used here"
            }
            Self::State => "only the state, parameters and time `t` can be used here",
            Self::Results => "every name can be used here",
        }
    }
}

/// The names of a system.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    known: BTreeMap<String, (Kind, Option<Term>)>,
    called: BTreeMap<String, Called>,
    /// Whether names have units, so that dimensions are checked.
    units: bool,
}

impl Names {
    /// With `pi` and `t`.
    pub(super) fn new(arena: &mut Arena, units: bool) -> Self {
        let mut names = Self { units, ..Self::default() };
        let pi = Term::number(arena.constant(std::f64::consts::PI));
        let dim = if units { Dim::Known(Dimension::TIME) } else { Dim::Unknown };
        let t = Term { id: arena.time(), dim };
        names.known.insert("pi".into(), (Kind::Pi, Some(pi)));
        names.known.insert("t".into(), (Kind::Time, Some(t)));
        names
    }

    /// Introduces a name; its kind so far if it is taken.
    pub(super) fn introduce(
        &mut self,
        name: &str,
        kind: Kind,
        term: Option<Term>,
    ) -> Result<(), Kind> {
        match self.known.get(name) {
            Some(&(taken, _)) => Err(taken),
            None => {
                self.known.insert(name.to_owned(), (kind, term));
                Ok(())
            }
        }
    }

    /// Gives a value to a name that has been introduced.
    pub(super) fn set(&mut self, name: &str, term: Term) {
        if let Some(entry) = self.known.get_mut(name) {
            entry.1 = Some(term);
        }
    }

    /// Says what a call of a name means that has been introduced.
    pub(super) fn set_called(&mut self, name: &str, called: Called) {
        self.called.insert(name.to_owned(), called);
    }

    pub(super) fn called(&self, name: &str) -> Option<Called> {
        self.called.get(name).cloned()
    }

    /// The dimension of a pure number, if dimensions are checked.
    pub(super) fn pure(&self) -> Dim {
        if self.units { Dim::Known(Dimension::NONE) } else { Dim::Unknown }
    }

    pub(super) fn get(&self, name: &str) -> Option<(Kind, Option<Term>)> {
        self.known.get(name).copied()
    }

    /// The known name most like an unknown one.
    pub(super) fn nearest(&self, name: &str) -> Option<&str> {
        let functions = FUNCTIONS.iter().map(|(known, _)| *known);
        nearest(name, self.known.keys().map(String::as_str).chain(functions))
    }
}

/// The name that a person who typed `name` most likely meant: the one with the fewest typing mistakes
/// (a letter too many, missing, wrong, or exchanged with its neighbour), if these are few.
///
/// ```
/// use stickslip::expression::nearest;
///
/// assert_eq!(nearest("phi_m", ["phi_M", "phi_S"]), Some("phi_M"));
/// assert_eq!(nearest("mass", ["mu", "radius"]), None);
/// ```
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Of one or two letters only the case can be guessed.
    let letters = name.chars().count();
    let most = if letters < 3 { letters } else { 2 + letters / 4 * 2 };
    let rated = known.into_iter().map(|k| (mistakes(name, k), k)).filter(|(n, _)| *n <= most);
    rated.min_by_key(|&(n, k)| (n, k.len(), k)).map(|(_, k)| k)
}

/// Twice the distance of Damerau and Levenshtein, where a wrong case counts half. Names that share
/// no letter are infinitely far apart.
fn mistakes(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len() < 3 && a.len() != b.len() {
        return usize::MAX;
    }
    if a.len().abs_diff(b.len()) > 8
        || a.len() > 64
        || !a.iter().any(|c| b.iter().any(|d| same_letter(*c, *d)))
    {
        return usize::MAX;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).map(|j| 2 * j).collect()];
    for i in 1..=a.len() {
        let mut row = vec![2 * i];
        for j in 1..=b.len() {
            let wrong = match () {
                () if a[i - 1] == b[j - 1] => 0,
                () if same_letter(a[i - 1], b[j - 1]) => 1,
                () => 2,
            };
            let mut best = (rows[i - 1][j - 1] + wrong).min(rows[i - 1][j] + 2).min(row[j - 1] + 2);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 2);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

fn same_letter(a: char, b: char) -> bool {
    a == b || a.to_lowercase().eq(b.to_lowercase())
}
