//! Why a contact problem has no solution: a case distinction whose every end is a contradiction, checked by products alone.
//!
//! Each end is a combination of equations and inequalities that hold in its case: its coefficients of all Λ cancel, and what
//! is left says that a negative number is not negative. The check forms the rows from W, b and the laws, and never uses
//! what the search used: no reduced unknowns, no linear program.

use super::cells::{Cell, Factor, Row, factors, reach};
use super::space::known_share;
use crate::{ContactProblem, Kind};
use complementarity::Matrix;

/// A coefficient that cancels to less than this times the sum of its terms' absolute values is rounding.
pub const PROOF_ROUNDING: f64 = 1e-11;

/// A proof excludes every solution up to this times the size that b calls for: beyond it the rounding of
/// its sums could let one escape.
const PROOF_REACH: f64 = 1e9;

/// The decisive negative value must be at least this times the sum of its terms' absolute values.
const PROOF_MARGIN: f64 = 1e-9;

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// The case distinction.
    pub cases: Cases,
}

/// A case distinction. Parts are numbered contact by contact: the normal of a contact, then the factors of its friction set.
#[derive(Clone, Debug, PartialEq)]
pub enum Cases {
    /// The part is in one of its cells. They are: closed and open for a normal; stick, then the friction on each facet, edge
    /// and corner of a polyhedral set; stick and the 2 d sectors of a smooth set in d dimensions; the two halves of
    /// a sector that was chosen before.
    Split {
        /// The part of a contact that is decided.
        part: usize,
        /// One for each cell.
        cases: Vec<Cases>,
    },
    /// What holds in this case contradicts itself.
    Contradiction {
        /// The combination.
        terms: Vec<Term>,
    },
}

/// A row and its multiplier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Which equation or inequality.
    pub row: Source,
    /// Its multiplier: at least 0 for an inequality.
    pub multiplier: f64,
}

/// An equation or inequality that holds in a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// ξ_N ≥ 0 of a contact.
    Approach {
        /// The contact.
        contact: usize,
    },
    /// Λ_t ≤ (μ Λ_N + a) h_F(e_t) of a tangential component, counted from 0.
    Bound {
        /// The contact.
        contact: usize,
        /// The component.
        component: usize,
    },
    /// ξ = 0 of a bilateral component, as a row of W.
    Bilateral {
        /// The row.
        row: usize,
    },
    /// A row of the cell that a part is in.
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
    /// A friction set without structure: nothing can be said about its cells.
    #[error(
        "contact {contact} has a friction set of the user's own, for which there are no proofs"
    )]
    UserSet {
        /// The contact.
        contact: usize,
    },
    /// A row that does not exist in its case, or a multiplier that is no number.
    #[error("{row:?} does not exist in its case, or its multiplier is not finite")]
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
    /// An inequality with a negative multiplier.
    #[error("the inequality {row:?} has the negative multiplier {multiplier}")]
    Sign {
        /// The row.
        row: Source,
        /// The multiplier.
        multiplier: f64,
    },
    /// The coefficient of an impulse component does not cancel.
    #[error(
        "the coefficient of impulse component {component} is {relative:.1e} of its terms' size"
    )]
    Product {
        /// The component.
        component: usize,
        /// The coefficient over the sum of the absolute values of its terms.
        relative: f64,
    },
    /// The constant is not clearly negative.
    #[error("the constant that must be negative is {relative:.1e} of its terms' size")]
    Value {
        /// The constant over the sum of the absolute values of its terms.
        relative: f64,
    },
}

impl Proof {
    /// Checks the proof: that the cases cover the laws, and that each ends in a contradiction. Cost: a product with W per
    /// case.
    ///
    /// Sums are in floating point: coefficients may be off by rounding (1e-11 of their terms), and a solution with impulses
    /// beyond 10⁹ times those that b calls for is not excluded.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, problem: &ContactProblem) -> Result<(), ProofError> {
        let factors = factors(problem).map_err(|contact| ProofError::UserSet { contact })?;
        let cells = vec![Cell::Undecided; factors.len()];
        let w = problem.delassus().to_dense();
        Checker { problem, w, factors, cells }.check(&self.cases)
    }

    /// The number of contradictions.
    pub fn contradictions(&self) -> usize {
        fn count(cases: &Cases) -> usize {
            match cases {
                Cases::Split { cases, .. } => cases.iter().map(count).sum(),
                Cases::Contradiction { .. } => 1,
            }
        }
        count(&self.cases)
    }
}

struct Checker<'a> {
    problem: &'a ContactProblem,
    w: Matrix,
    factors: Vec<Factor>,
    cells: Vec<Cell>,
}

impl Checker<'_> {
    fn check(&mut self, cases: &Cases) -> Result<(), ProofError> {
        match cases {
            Cases::Contradiction { terms } => self.contradiction(terms),
            Cases::Split { part, cases } => {
                let before = self.cells.get(*part).copied();
                let cells = match (before, self.factors.get(*part)) {
                    (Some(cell @ (Cell::Undecided | Cell::Sector(_))), Some(f)) => f.split(cell),
                    _ => Vec::new(),
                };
                if cells.len() != cases.len() || cells.is_empty() {
                    let (part, expected, found) = (*part, cells.len(), cases.len());
                    return Err(ProofError::Cover { part, expected, found });
                }
                for (cell, cases) in cells.into_iter().zip(cases) {
                    self.cells[*part] = cell;
                    self.check(cases)?;
                }
                self.cells[*part] = before.unwrap_or(Cell::Undecided);
                Ok(())
            }
        }
    }

    fn contradiction(&self, terms: &[Term]) -> Result<(), ProofError> {
        let n = self.problem.bias().len();
        let mut sum = Sum { value: vec![0.0; n + 1], size: vec![0.0; n + 1] };
        for term in terms {
            let malformed = ProofError::Malformed { row: term.row };
            let Some((first, row)) = self.row(term.row).filter(|_| term.multiplier.is_finite())
            else {
                return Err(malformed);
            };
            if term.multiplier < 0.0 && !row.equation {
                return Err(ProofError::Sign { row: term.row, multiplier: term.multiplier });
            }
            self.add(&mut sum, first, &row, term.multiplier);
        }
        self.conclude(sum)
    }

    fn row(&self, source: Source) -> Option<(usize, Row)> {
        let contacts = self.problem.contacts();
        match source {
            Source::Approach { contact } => {
                let law = self.problem.laws().get(contact)?;
                let row = Row { xi: [1.0, 0.0, 0.0, 0.0], ..Row::default() };
                (law.kind.normals() == 1).then(|| (self.problem.rows(contact).start, row))
            }
            Source::Bound { contact, component } => {
                let law = self.problem.laws().get(contact)?;
                let free = law.has_free_friction() && component < law.tangents();
                free.then(|| (self.problem.rows(contact).start, bound(law, component)))
            }
            Source::Bilateral { row } => {
                let is_row = |&c: &usize| {
                    matches!(self.problem.laws()[c].kind, Kind::Bilateral(_))
                        && self.problem.rows(c).contains(&row)
                };
                let xi = [1.0, 0.0, 0.0, 0.0];
                (0..contacts).find(is_row)?;
                Some((row, Row { xi, equation: true, ..Row::default() }))
            }
            Source::Cell { part, index } => {
                let factor = self.factors.get(part)?;
                let mut rows = Vec::new();
                factor.rows(self.cells.get(part)?, &mut rows);
                Some((self.problem.rows(factor.contact).start, *rows.get(index)?))
            }
            Source::Tangent { part, direction } => {
                let factor = self.factors.get(part).filter(|f| f.is_smooth())?;
                Some((self.problem.rows(factor.contact).start, factor.tangent(direction)))
            }
        }
    }

    fn add(&self, sum: &mut Sum, first: usize, row: &Row, y: f64) {
        let n = self.problem.bias().len();
        sum.add(n, y * row.constant);
        for c in 0..4 {
            if row.lam[c] != 0.0 {
                sum.add(first + c, y * row.lam[c]);
            }
            if row.xi[c] != 0.0 {
                let factor = y * row.xi[c];
                for j in 0..n {
                    sum.add(j, factor * self.w.row(first + c)[j]);
                }
                sum.add(n, factor * self.problem.bias()[first + c]);
            }
        }
    }

    /// Takes out of the sum what holds of Λ in any case, Λ_t = share (μ Λ_N + a) + x_t with x_t ≥ 0 (none where friction is
    /// known) and Λ_N ≥ 0, and looks at what is left.
    fn conclude(&self, mut sum: Sum) -> Result<(), ProofError> {
        let n = self.problem.bias().len();
        let mut slack = 0.0;
        for (i, law) in self.problem.laws().iter().enumerate() {
            let rows = self.problem.rows(i);
            if let Kind::Bilateral(_) = law.kind {
                for r in rows {
                    slack += self.excess(&sum, r, sum.value[r].abs())?;
                }
                continue;
            }
            let normals = law.kind.normals();
            for (t, r) in (rows.start + normals..rows.end).enumerate() {
                if law.has_free_friction() {
                    slack += self.excess(&sum, r, sum.value[r].max(0.0))?;
                }
                let share = known_share(law, t);
                let (value, size) = (sum.value[r], sum.size[r]);
                if normals == 1 {
                    sum.value[rows.start] += value * share * law.mu;
                    sum.size[rows.start] += (size * share * law.mu).abs();
                }
                sum.add(n, value * share * law.radius);
            }
            if normals == 1 {
                slack += self.excess(&sum, rows.start, sum.value[rows.start].max(0.0))?;
            }
        }
        let (value, size) = (sum.value[n], sum.size[n]);
        if size.is_finite() && value < -(PROOF_MARGIN * size + PROOF_REACH * slack) {
            return Ok(());
        }
        Err(ProofError::Value { relative: if size > 0.0 { value / size } else { 0.0 } })
    }

    /// What an excess in a coefficient, which must be rounding, can add to the constant at the impulse that b calls for.
    fn excess(&self, sum: &Sum, r: usize, excess: f64) -> Result<f64, ProofError> {
        let size = sum.size[r];
        if !(excess <= PROOF_ROUNDING * size) || !size.is_finite() {
            return Err(ProofError::Product { component: r, relative: excess / size });
        }
        let n = self.problem.bias().len();
        if excess <= 16.0 * f64::EPSILON * n as f64 * size {
            return Ok(0.0);
        }
        Ok(excess * self.impulse_scale(r))
    }

    /// The impulse in component r whose energy is the largest that b calls for.
    fn impulse_scale(&self, r: usize) -> f64 {
        let diagonal = |i: usize| self.w.row(i)[i];
        let rows = (0..self.problem.bias().len()).filter(|&i| diagonal(i) > 0.0);
        let energy = rows.map(|i| self.problem.bias()[i].powi(2) / diagonal(i)).fold(0.0, f64::max);
        if diagonal(r) > 0.0 { (energy / diagonal(r)).sqrt() } else { f64::INFINITY }
    }
}

/// (μ Λ_N + a) h_F(e_t) − Λ_t ≥ 0.
pub(super) fn bound(law: &crate::Law, t: usize) -> Row {
    let normals = law.kind.normals();
    let most = reach(law, t)[0];
    let mut row = Row { constant: law.radius * most, ..Row::default() };
    row.lam[normals + t] = -1.0;
    if normals == 1 {
        row.lam[0] = law.mu * most;
    }
    row
}

/// Coefficients of Λ and, last, the constant; with the sums of their terms' absolute values.
struct Sum {
    value: Vec<f64>,
    size: Vec<f64>,
}

impl Sum {
    fn add(&mut self, i: usize, term: f64) {
        self.value[i] += term;
        self.size[i] += term.abs();
    }
}
