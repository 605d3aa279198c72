//! Why a contact problem has no solution: a case distinction whose every end is a contradiction, checked in exact
//! arithmetic against W, b and the laws.
//!
//! Each end is a combination of equations and inequalities that hold in its case, a Farkas vector: the coefficients of all Λ and ξ
//! cancel, or have a sign that their bounds allow, and what is left says that a negative number is not negative. Floating-point
//! numbers are integers times powers of two, and so are the multipliers, so that the sums are exact.
//!
//! The cells of planar contacts, contacts without friction and connections have the coefficients ±1, μ and a: a proof about them
//! is one about the problem as given. Faces of other polyhedra, semi-axes and sectors of smooth sets have coefficients
//! that were rounded: a proof that uses them is one about a friction set that differs from F by some units in the last place.
//! Nothing is taken from friction sets of a user's own: a proof about a problem with one holds for any friction there.

pub(crate) mod cells;
mod faces;
mod leaf;
mod ray;
mod search;

pub(crate) use leaf::bound;
pub(crate) use ray::Ray;
pub(crate) use search::{Search, decide};

use crate::{ContactProblem, Delassus, Kind};
use cells::{Cell, Factor, factors};
use complementarity::exact::{Dyadic, Flaw};
use leaf::Leaf;

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// The case distinction.
    pub cases: Cases,
}

/// A case distinction. Parts are numbered contact by contact: the normal of a contact, then the factors of its friction set.
#[derive(Clone, Debug, PartialEq)]
pub enum Cases<T = Dyadic> {
    /// The part is in one of its cells. They are: closed and open for a normal; stick, then the friction on each facet, edge
    /// and corner of a polyhedral set; stick and the 2 d sectors of a smooth set in d dimensions; the two halves of
    /// a sector that was chosen before.
    Split {
        /// The part of a contact that is decided.
        part: usize,
        /// One for each cell.
        cases: Vec<Cases<T>>,
    },
    /// What holds in this case contradicts itself.
    Contradiction {
        /// The combination.
        terms: Vec<Term<T>>,
    },
}

/// A row and its multiplier.
#[derive(Clone, Debug, PartialEq)]
pub struct Term<T = Dyadic> {
    /// Which equation or inequality.
    pub row: Source,
    /// Its multiplier: at least 0 for an inequality.
    pub multiplier: T,
}

/// An equation or inequality that holds in a case. Beside these there are the bounds Λ_N ≥ 0 and ξ_N ≥ 0, one of which is 0 where the
/// normal is decided, and ξ = 0 of connections.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Source {
    /// (W Λ + b − ξ) = 0 in a row of W.
    Velocity {
        /// The row.
        row: usize,
    },
    /// Λ_t ≤ (μ Λ_N + a) h_F(e_t) of a tangential component, counted from 0.
    Bound {
        /// The contact.
        contact: usize,
        /// The component.
        component: usize,
    },
    /// Λ_t ≥ −(μ Λ_N + a) h_F(−e_t).
    LowerBound {
        /// The contact.
        contact: usize,
        /// The component.
        component: usize,
    },
    /// Λ_t = (μ Λ_N + a) f_t of a contact that slides; Λ_t = 0 of one without friction.
    Known {
        /// The contact.
        contact: usize,
        /// The component.
        component: usize,
    },
    /// A row of the cell that the friction of a part is in.
    Cell {
        /// The part.
        part: usize,
        /// The number of the row.
        index: usize,
    },
    /// (μ Λ_N + a) ≥ uᵀΛ_T for a smooth part, in units in which its set is a ball; u is the direction.
    Tangent {
        /// The part.
        part: usize,
        /// The direction; its length does not matter.
        direction: [f64; 3],
    },
}

/// Why a proof does not hold.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// A row that does not exist in its case.
    #[error("{row:?} does not exist in its case")]
    Malformed {
        /// The row.
        row: Source,
    },
    /// A split that does not have one case for each cell.
    #[error("the split of part {part} has {found} cases where {expected} are needed")]
    Cover {
        /// The part.
        part: usize,
        /// The number of cells.
        expected: usize,
        /// The number of cases.
        found: usize,
    },
    /// A combination that is no contradiction. Rows are numbered as in the list of terms, unknowns are Λ, then ξ.
    #[error("a combination is no contradiction: {0}")]
    Combination(Flaw),
    /// The problem has the convexified law, which no proof is about.
    #[error("the problem has the convexified law; proofs are about Coulomb's")]
    Associated,
    /// A number of the problem is not finite.
    #[error("a number of the problem is not finite")]
    NotFinite,
}

impl Proof {
    /// Checks the proof in exact arithmetic: that the cases cover the laws, and that each ends in a contradiction.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, problem: &ContactProblem) -> Result<(), ProofError> {
        if problem.is_associated() {
            return Err(ProofError::Associated);
        }
        Walk::new(problem).check(&self.cases)
    }

    /// The proof that needs no search: a row of W is zero, so that nothing moves the contact there, and yet b asks it to be moved.
    pub(crate) fn immovable(problem: &ContactProblem) -> Option<Self> {
        if problem.is_associated() {
            return None;
        }
        let zero_row = |row: usize| match problem.delassus() {
            Delassus::Dense(w) => w.row(row).iter().all(|w| *w == 0.0),
            Delassus::Sparse(w) => {
                w.scalar_row(row).all(|(_, entries)| entries.iter().all(|w| *w == 0.0))
            }
            Delassus::Bodies(w) => w.is_zero(row),
        };
        for (contact, law) in problem.laws().iter().enumerate() {
            let rows = problem.rows(contact);
            let fixed = matches!(law.kind, Kind::Bilateral(_));
            let rows = if fixed { rows } else { rows.start..rows.start + law.kind.normals() };
            for row in rows {
                let b = problem.bias()[row];
                if (b < 0.0 || fixed && b != 0.0) && zero_row(row) {
                    let multiplier = Dyadic::from_f64(-b.signum())?;
                    let terms = vec![Term { row: Source::Velocity { row }, multiplier }];
                    return Some(Self { cases: Cases::Contradiction { terms } });
                }
            }
        }
        None
    }

    /// The number of contradictions.
    #[must_use]
    pub fn contradictions(&self) -> usize {
        fn count(cases: &Cases) -> usize {
            match cases {
                Cases::Split { cases, .. } => cases.iter().map(count).sum(),
                Cases::Contradiction { .. } => 1,
            }
        }
        count(&self.cases)
    }

    /// The exact proof near to one that was found in floating point; `None` if there is none, or it takes more than so many
    /// operations on words of 64 bits for one of its contradictions.
    pub(crate) fn near(problem: &ContactProblem, draft: &Cases<f64>, work: u64) -> Option<Self> {
        let cases = Walk::new(problem).repair(draft, work)?;
        Some(Self { cases })
    }
}

/// A way through a case distinction.
struct Walk<'a> {
    problem: &'a ContactProblem,
    factors: Vec<Factor>,
    cells: Vec<Cell>,
}

impl<'a> Walk<'a> {
    fn new(problem: &'a ContactProblem) -> Self {
        let factors = factors(problem);
        let cells = vec![Cell::Undecided; factors.len()];
        Self { problem, factors, cells }
    }

    fn leaf(&self) -> Leaf<'_> {
        let Self { problem, factors, cells } = self;
        Leaf { problem, factors, cells }
    }

    fn check(&mut self, cases: &Cases) -> Result<(), ProofError> {
        let (part, cases) = match cases {
            Cases::Contradiction { terms } => return self.leaf().check(terms),
            Cases::Split { part, cases } => (*part, cases),
        };
        let (before, cells) = self.split(part, cases.len())?;
        for (cell, cases) in cells.into_iter().zip(cases) {
            self.cells[part] = cell;
            self.check(cases)?;
        }
        self.cells[part] = before;
        Ok(())
    }

    fn repair(&mut self, draft: &Cases<f64>, work: u64) -> Option<Cases> {
        let (part, cases) = match draft {
            Cases::Contradiction { terms } => return self.leaf().repair(terms, work),
            Cases::Split { part, cases } => (*part, cases),
        };
        let (before, cells) = self.split(part, cases.len()).ok()?;
        let mut repaired = Vec::with_capacity(cases.len());
        for (cell, cases) in cells.into_iter().zip(cases) {
            self.cells[part] = cell;
            repaired.push(self.repair(cases, work)?);
        }
        self.cells[part] = before;
        Some(Cases::Split { part, cases: repaired })
    }

    /// The cell of a part, and those that it is split into.
    fn split(&self, part: usize, found: usize) -> Result<(Cell, Vec<Cell>), ProofError> {
        let before = self.cells.get(part).copied().unwrap_or(Cell::Undecided);
        let cells = match (before, self.factors.get(part)) {
            (cell @ (Cell::Undecided | Cell::Sector(_)), Some(f)) => f.split(cell),
            _ => Vec::new(),
        };
        let expected = cells.len();
        if expected != found || cells.is_empty() {
            return Err(ProofError::Cover { part, expected, found });
        }
        Ok((before, cells))
    }
}
