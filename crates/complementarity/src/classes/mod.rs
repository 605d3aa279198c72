//! Which classes a matrix belongs to, and what follows for its complementarity problems.
//!
//! ```
//! use complementarity::{Matrix, classes};
//!
//! // Not positive semidefinite, but all principal minors are positive.
//! let m = Matrix::from_rows(&[[1.0, -3.0], [0.0, 1.0]])?;
//! let found = classes::classify(&m, &classes::Settings::default())?;
//! assert!(found.p.is_yes());
//! let witness = found.positive_semidefinite.witness().expect("xᵀMx < 0 for some x");
//! assert!(witness.check(&m));
//! println!("{found}");
//! # Ok::<(), complementarity::Error>(())
//! ```
//!
//! # How much an answer is worth
//! Signs decide, and they are computed in exact integers where the entries are short enough or the
//! matrix is small (any floating-point number is an integer times a power of two), in intervals
//! that round outwards elsewhere, and for the definite classes of large matrices by a factorisation
//! with a bound on its rounding.
//!
//! A *no* comes with a [`Witness`] whose check encloses every product in an interval: it is a proof.
//! A *yes* is a proof too unless [`Reason::within`] is positive: then a matrix that close to M
//! (relative to its diagonal) is in the class, as for a Gram matrix that rounding has moved off
//! the boundary of the semidefinite ones. What is neither is [`Verdict::Undecided`].

mod copositive;
mod forms;
mod minors;
#[cfg(test)]
mod properties;
mod r0;
mod report;
mod rules;
mod sufficient;
#[cfg(test)]
mod tests;
mod witness;

pub use report::Consequence;
pub use witness::{Evidence, Witness};

use crate::solvers::check_setting;
use crate::{Error, Matrix};
use rules::Board;
use std::fmt;

/// A class of square matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Class {
    /// M = Mᵀ.
    Symmetric,
    /// No positive entry off the diagonal.
    Z,
    /// Z and P: the non-singular M-matrices, also called class K.
    M,
    /// xᵀMx > 0 for x ≠ 0; M need not be symmetric.
    PositiveDefinite,
    /// xᵀMx ≥ 0 for all x.
    PositiveSemidefinite,
    /// All principal minors are positive: M reverses the signs of no x ≠ 0.
    P,
    /// All principal minors are non-negative.
    P0,
    /// xᵀMx > 0 for x ≥ 0, x ≠ 0.
    StrictlyCopositive,
    /// Copositive, and xᵀMx = 0 with x ≥ 0 only where (M + Mᵀ)x = 0.
    CopositivePlus,
    /// xᵀMx ≥ 0 for x ≥ 0.
    Copositive,
    /// The problem with q = 0 has no solution but zero.
    R0,
    /// Mᵀ is column sufficient.
    RowSufficient,
    /// x_i (Mx)_i ≤ 0 for all i only where x_i (Mx)_i = 0 for all i.
    ColumnSufficient,
    /// Row and column sufficient.
    Sufficient,
}

impl Class {
    /// All classes, in the order of reports.
    pub const ALL: [Self; 14] = [
        Self::Symmetric,
        Self::Z,
        Self::M,
        Self::PositiveDefinite,
        Self::PositiveSemidefinite,
        Self::P,
        Self::P0,
        Self::StrictlyCopositive,
        Self::CopositivePlus,
        Self::Copositive,
        Self::R0,
        Self::RowSufficient,
        Self::ColumnSufficient,
        Self::Sufficient,
    ];

    /// The name of the class in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Symmetric => "symmetric",
            Self::Z => "Z",
            Self::M => "M",
            Self::PositiveDefinite => "positive definite",
            Self::PositiveSemidefinite => "positive semidefinite",
            Self::P => "P",
            Self::P0 => "P0",
            Self::StrictlyCopositive => "strictly copositive",
            Self::CopositivePlus => "copositive-plus",
            Self::Copositive => "copositive",
            Self::R0 => "R0",
            Self::RowSufficient => "row sufficient",
            Self::ColumnSufficient => "column sufficient",
            Self::Sufficient => "sufficient",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whether a matrix is in a class.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is, and this is how it is known.
    Yes(Reason),
    /// It is not, and this proves it.
    No(Witness),
    /// Not known.
    Undecided(Undecided),
}

impl Verdict {
    /// Whether the matrix is in the class, at least to rounding.
    #[must_use]
    pub fn is_yes(&self) -> bool {
        matches!(self, Self::Yes(_))
    }

    /// Whether the matrix is proved to be outside of the class.
    #[must_use]
    pub fn is_no(&self) -> bool {
        matches!(self, Self::No(_))
    }

    /// Whether the question is open.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        matches!(self, Self::Undecided(_))
    }

    /// The proof of a no.
    #[must_use]
    pub fn witness(&self) -> Option<&Witness> {
        match self {
            Self::No(witness) => Some(witness),
            _ => None,
        }
    }
}

/// Why a matrix is in a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reason {
    /// The test that was passed, or the class that is contained in this one.
    pub basis: Basis,
    /// Zero if the answer is proved for M itself. Else a matrix whose diagonal differs from that of
    /// M by this relative amount is in the class, and M is too close to its boundary to tell.
    pub within: f64,
}

/// What a yes rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A test, in words.
    Test(&'static str),
    /// Another class that M belongs to.
    Class(Class),
}

/// Why a question is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecided {
    /// Too large at this size: the cheap tests do not decide, and the search has more than
    /// [`Settings::max_unknowns`] unknowns or would take more than [`Settings::max_work`].
    TooLarge,
    /// Too close to call in floating point: some sum that decides is zero to rounding.
    TooClose,
}

/// How much work may be spent, and what counts as rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Searches of exponential cost (P, P0, the copositive classes, R0, sufficiency) are tried up
    /// to this number of unknowns. Default 20.
    pub max_unknowns: usize,
    /// Scalar operations that each of these searches may take, each of 10 to 100 ns. Default 10⁷.
    /// All principal minors take about 6·2^n if they are positive, n³ 2^n at worst; copositivity n³ 2^n
    /// at worst, R0 and sufficiency that many pivots or more, but the searches leave out most of
    /// their tree for most matrices.
    pub max_work: u64,
    /// Relative distance from the boundary of a class that counts as rounding. Default 10⁻¹².
    pub rounding: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_unknowns: 20, max_work: 10_000_000, rounding: 1e-12 }
    }
}

impl Settings {
    /// Refuses a rounding that is not in (0, 10⁻³].
    pub fn validate(&self) -> Result<(), Error> {
        let range = (0.0, 1e-3);
        check_setting("classify", "rounding", self.rounding, range, "in (0, 1e-3]")
    }
}

/// The classes of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    /// See [`Class::Symmetric`].
    pub symmetric: Verdict,
    /// See [`Class::Z`].
    pub z: Verdict,
    /// See [`Class::M`].
    pub m: Verdict,
    /// See [`Class::PositiveDefinite`].
    pub positive_definite: Verdict,
    /// See [`Class::PositiveSemidefinite`].
    pub positive_semidefinite: Verdict,
    /// See [`Class::P`].
    pub p: Verdict,
    /// See [`Class::P0`].
    pub p0: Verdict,
    /// See [`Class::StrictlyCopositive`].
    pub strictly_copositive: Verdict,
    /// See [`Class::CopositivePlus`].
    pub copositive_plus: Verdict,
    /// See [`Class::Copositive`].
    pub copositive: Verdict,
    /// See [`Class::R0`].
    pub r0: Verdict,
    /// See [`Class::RowSufficient`].
    pub row_sufficient: Verdict,
    /// See [`Class::ColumnSufficient`].
    pub column_sufficient: Verdict,
    /// See [`Class::Sufficient`].
    pub sufficient: Verdict,
}

impl Classes {
    /// The verdict on one class.
    #[must_use]
    pub fn get(&self, class: Class) -> &Verdict {
        match class {
            Class::Symmetric => &self.symmetric,
            Class::Z => &self.z,
            Class::M => &self.m,
            Class::PositiveDefinite => &self.positive_definite,
            Class::PositiveSemidefinite => &self.positive_semidefinite,
            Class::P => &self.p,
            Class::P0 => &self.p0,
            Class::StrictlyCopositive => &self.strictly_copositive,
            Class::CopositivePlus => &self.copositive_plus,
            Class::Copositive => &self.copositive,
            Class::R0 => &self.r0,
            Class::RowSufficient => &self.row_sufficient,
            Class::ColumnSufficient => &self.column_sufficient,
            Class::Sufficient => &self.sufficient,
        }
    }

    /// All verdicts, in the order of reports.
    pub fn iter(&self) -> impl Iterator<Item = (Class, &Verdict)> {
        Class::ALL.into_iter().map(|c| (c, self.get(c)))
    }
}

/// Finds the classes of a square matrix.
///
/// Cheap tests first, and what follows from their answers; the searches of exponential cost only
/// for what is then open, within the limits of the settings. A few O(n³) factorisations at least,
/// in the order of a second or two at worst with the default settings and up to some hundred
/// unknowns.
///
/// # Errors
/// If the matrix is not square or has an entry that is not finite, or if a setting is out of range.
pub fn classify(m: &Matrix, settings: &Settings) -> Result<Classes, Error> {
    settings.validate()?;
    if m.rows() != m.cols() {
        return Err(Error::NotSquare { rows: m.rows(), cols: m.cols() });
    }
    m.check_finite()?;
    let mut board = Board::new(m);
    board.record(Class::Symmetric, symmetric(m));
    board.record(Class::Z, z(m));
    let forms = forms::definite(m, settings);
    board.record(Class::PositiveDefinite, forms.strict);
    board.record(Class::PositiveSemidefinite, forms.weak);
    if board.any_open(&[Class::P, Class::P0]) {
        let minors = minors::minors(m, settings);
        board.record(Class::P, minors.strict);
        board.record(Class::P0, minors.weak);
    }
    if board.any_open(&[Class::StrictlyCopositive, Class::CopositivePlus, Class::Copositive]) {
        let found = copositive::copositive(m, settings);
        board.record(Class::Copositive, found.weak);
        board.record(Class::StrictlyCopositive, found.strict);
        board.record(Class::CopositivePlus, found.plus);
    }
    if board.any_open(&[Class::R0]) {
        board.record(Class::R0, r0::r0(m, settings));
    }
    for (class, transposed) in [(Class::ColumnSufficient, false), (Class::RowSufficient, true)] {
        if board.any_open(&[class]) {
            let reversal = board.reversal_of_transpose(transposed);
            let search = || sufficient::column_sufficient(m, transposed, settings);
            board.record(class, reversal.map_or_else(search, Finding::No));
        }
    }
    Ok(board.finish())
}

fn symmetric(m: &Matrix) -> Finding {
    first_entry(m, |i, j| i > j && m[(i, j)] != m[(j, i)])
}

fn z(m: &Matrix) -> Finding {
    first_entry(m, |i, j| i != j && m[(i, j)] > 0.0)
}

fn first_entry(m: &Matrix, wrong: impl Fn(usize, usize) -> bool) -> Finding {
    let n = m.rows();
    let mut places = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    match places.find(|&(i, j)| wrong(i, j)) {
        Some((row, col)) => Finding::No(Evidence::Entry { row, col }),
        None => Finding::yes("entries"),
    }
}

/// What a test came to.
#[derive(Clone, Debug)]
enum Finding {
    Yes { by: &'static str, within: f64 },
    No(Evidence),
    TooLarge,
    TooClose,
}

impl Finding {
    fn yes(by: &'static str) -> Self {
        Self::Yes { by, within: 0.0 }
    }

    fn is_open(&self) -> bool {
        matches!(self, Self::TooLarge | Self::TooClose)
    }

    /// No, if the evidence passes its check.
    fn checked(m: &Matrix, class: Class, evidence: Evidence) -> Self {
        let witness = Witness { class, evidence };
        if witness.check(m) { Self::No(witness.evidence) } else { Self::TooClose }
    }
}
