//! What holds in one case, as a system of linear equations and inequalities with the numbers of the problem.
//!
//! Unknowns are Λ and then ξ, so that the coefficients are entries of W, b and the laws and no products of them, which would be
//! rounded.

use super::cells::{Cell, Factor, Row, Shape, known_share, reach};
use super::{Cases, ProofError, Source, Term};
use crate::{ContactProblem, Kind, Law};
use complementarity::Matrix;
use complementarity::exact::{Decision, Dyadic, ExactSystem};
use std::cmp::Ordering;

/// A choice of cells.
pub(super) struct Leaf<'a> {
    pub(super) problem: &'a ContactProblem,
    pub(super) factors: &'a [Factor],
    pub(super) cells: &'a [Cell],
}

/// The rows of a system.
struct Rows {
    a: Matrix,
    b: Vec<f64>,
    equations: Vec<bool>,
}

impl Leaf<'_> {
    /// Whether a combination is a contradiction.
    pub(super) fn check(&self, terms: &[Term]) -> Result<(), ProofError> {
        let sources: Vec<Source> = terms.iter().map(|t| t.row).collect();
        let y: Vec<Dyadic> = terms.iter().map(|t| t.multiplier.clone()).collect();
        let rows = self.rows(&sources).map_err(|row| ProofError::Malformed { row })?;
        let system = self.system(&rows).ok_or(ProofError::NotFinite)?;
        system.check(&y).map_err(ProofError::Combination)
    }

    /// Looks for a point or a contradiction.
    pub(super) fn decide(&self, work: &mut u64) -> LeafDecision {
        let sources = self.sources();
        let Ok(rows) = self.rows(&sources) else { return LeafDecision::Unknown };
        let Some(system) = self.system(&rows) else { return LeafDecision::Unknown };
        match system.decide(work) {
            Decision::Feasible(point) => {
                let mut x = point.to_f64();
                x.truncate(self.problem.bias().len());
                LeafDecision::Impulse(x)
            }
            Decision::Infeasible(y) => LeafDecision::Contradiction(combination(&sources, y)),
            Decision::WorkLimit => LeafDecision::Unknown,
        }
    }

    /// The contradiction near to one that was found in floating point.
    pub(super) fn repair(&self, draft: &[Term<f64>], work: u64) -> Option<Cases> {
        let mut sources = self.sources();
        let tangents = draft.iter().map(|t| t.row);
        sources.extend(tangents.filter(|r| matches!(r, Source::Tangent { .. })));
        let rows = self.rows(&sources).ok()?;
        let system = self.system(&rows)?;
        let y = system.farkas_near(&self.multipliers(&sources, draft)?, work);
        y.map(|y| combination(&sources, y))
    }

    /// All rows of the case but tangents.
    fn sources(&self) -> Vec<Source> {
        let n = self.problem.bias().len();
        let mut list: Vec<Source> = (0..n).map(|row| Source::Velocity { row }).collect();
        for (contact, law) in self.problem.laws().iter().enumerate() {
            for component in 0..law.tangents() {
                if law.has_user_set() && law.has_free_friction() {
                    continue;
                }
                if law.has_free_friction() {
                    list.push(Source::Bound { contact, component });
                    list.push(Source::LowerBound { contact, component });
                } else {
                    list.push(Source::Known { contact, component });
                }
            }
        }
        let mut rows = Vec::new();
        for (part, factor) in self.factors.iter().enumerate() {
            if !matches!(factor.shape, Shape::Normal) {
                factor.rows(&self.cells[part], &mut rows);
                list.extend((0..rows.len()).map(|index| Source::Cell { part, index }));
            }
        }
        list
    }

    fn rows(&self, sources: &[Source]) -> Result<Rows, Source> {
        let n = self.problem.bias().len();
        let mut a = Matrix::zeros(sources.len(), 2 * n);
        let (mut b, mut equations) = (vec![0.0; sources.len()], vec![true; sources.len()]);
        for (i, &source) in sources.iter().enumerate() {
            let out = a.row_mut(i);
            if let Source::Velocity { row } = source {
                if row >= n {
                    return Err(source);
                }
                self.problem.delassus().copy_row(row, &mut out[..n]);
                out[n + row] = -1.0;
                b[i] = self.problem.bias()[row];
                continue;
            }
            let (first, row) = self.row(source).ok_or(source)?;
            for c in (0..4).filter(|c| first + c < n) {
                out[first + c] = row.lam[c];
                out[n + first + c] = row.xi[c];
            }
            (b[i], equations[i]) = (row.constant, row.equation);
        }
        Ok(Rows { a, b, equations })
    }

    /// A row in the components of its contact, which begin at the first number.
    fn row(&self, source: Source) -> Option<(usize, Row)> {
        let law_of = |contact: usize, component: usize, free: bool| {
            let law = self.problem.laws().get(contact)?;
            let exists = law.has_free_friction() == free
                && component < law.tangents()
                && !(free && law.has_user_set());
            exists.then(|| (self.problem.rows(contact).start, law))
        };
        match source {
            Source::Velocity { .. } => None,
            Source::Bound { contact, component } => {
                let (first, law) = law_of(contact, component, true)?;
                Some((first, bound(law, component)))
            }
            Source::LowerBound { contact, component } => {
                let (first, law) = law_of(contact, component, true)?;
                Some((first, limited(law, component, 1.0, reach(law, component)[1])))
            }
            Source::Known { contact, component } => {
                let (first, law) = law_of(contact, component, false)?;
                let row = limited(law, component, 1.0, -known_share(law, component));
                Some((first, Row { equation: true, ..row }))
            }
            Source::Cell { part, index } => {
                let friction = |f: &&Factor| !matches!(f.shape, Shape::Normal);
                let factor = self.factors.get(part).filter(friction)?;
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

    /// The rows with the bounds of the unknowns in this case; `None` if a number is not finite.
    fn system<'r>(&self, rows: &'r Rows) -> Option<ExactSystem<'r>> {
        let n = self.problem.bias().len();
        let mut system = ExactSystem::new(&rows.a, &rows.b).ok()?;
        for (i, _) in rows.equations.iter().enumerate().filter(|(_, e)| **e) {
            system.fix_row(i);
        }
        for (contact, law) in self.problem.laws().iter().enumerate() {
            let range = self.problem.rows(contact);
            let fixed = matches!(law.kind, Kind::Bilateral(_));
            for r in range.clone().skip(law.kind.normals()) {
                system.set_bounds(r, f64::NEG_INFINITY, f64::INFINITY);
                if fixed {
                    system.fix_variable(n + r);
                } else {
                    system.set_bounds(n + r, f64::NEG_INFINITY, f64::INFINITY);
                }
            }
        }
        for (factor, cell) in self.factors.iter().zip(self.cells) {
            let normal = self.problem.rows(factor.contact).start;
            match cell {
                Cell::Closed => system.fix_variable(n + normal),
                Cell::Open => system.fix_variable(normal),
                _ => {}
            }
        }
        Some(system)
    }

    /// The multipliers of all rows from those of a draft, which leaves out what eliminates ξ and known parts of Λ.
    fn multipliers(&self, sources: &[Source], draft: &[Term<f64>]) -> Option<Vec<f64>> {
        let n = self.problem.bias().len();
        let (mut lam, mut xi) = (vec![0.0; n], vec![0.0; n]);
        let mut y = vec![0.0; sources.len()];
        for term in draft {
            if let Source::Velocity { row } = term.row {
                *xi.get_mut(row)? += term.multiplier;
            }
            // Decided normals are bounds here: their rows need no multiplier.
            let Some((first, row)) = self.row(term.row).or_else(|| self.normal_row(term.row))
            else {
                continue;
            };
            for c in (0..4).filter(|c| first + c < n) {
                lam[first + c] += term.multiplier * row.lam[c];
                xi[first + c] += term.multiplier * row.xi[c];
            }
            if let Some(i) = sources.iter().position(|s| *s == term.row) {
                y[i] += term.multiplier;
            }
        }
        let mut w = vec![0.0; n];
        for (r, &x) in xi.iter().enumerate() {
            // The velocity rows come first.
            y[r] = x;
            self.problem.delassus().copy_row(r, &mut w);
            lam.iter_mut().zip(&w).for_each(|(l, w)| *l += x * w);
        }
        for (i, source) in sources.iter().enumerate() {
            let component = |contact: usize, t: usize| {
                self.problem.rows(contact).start + self.problem.laws()[contact].kind.normals() + t
            };
            match *source {
                Source::LowerBound { contact, component: t } => {
                    y[i] = (-lam[component(contact, t)]).max(0.0);
                }
                Source::Known { contact, component: t } => y[i] = -lam[component(contact, t)],
                _ => {}
            }
        }
        Some(y)
    }

    /// A row of the cell of a normal.
    fn normal_row(&self, source: Source) -> Option<(usize, Row)> {
        let Source::Cell { part, index } = source else { return None };
        let factor = self.factors.get(part)?;
        let mut rows = Vec::new();
        factor.rows(self.cells.get(part)?, &mut rows);
        Some((self.problem.rows(factor.contact).start, *rows.get(index)?))
    }
}

/// What a case turned out to hold.
pub(super) enum LeafDecision {
    /// A point, rounded.
    Impulse(Vec<f64>),
    Contradiction(Cases),
    /// The bound on work was reached, or a number is not finite.
    Unknown,
}

fn combination(sources: &[Source], y: Vec<Dyadic>) -> Cases {
    let terms = sources.iter().zip(y).filter(|(_, y)| y.sign() != Ordering::Equal);
    let terms = terms.map(|(&row, multiplier)| Term { row, multiplier });
    Cases::Contradiction { terms: terms.collect() }
}

/// (μ Λ_N + a) h_F(e_t) − Λ_t ≥ 0.
pub(crate) fn bound(law: &Law, t: usize) -> Row {
    limited(law, t, -1.0, reach(law, t)[0])
}

/// side Λ_t + share (μ Λ_N + a) ≥ 0.
fn limited(law: &Law, t: usize, side: f64, share: f64) -> Row {
    let normals = law.kind.normals();
    let mut row = Row { constant: law.radius * share, ..Row::default() };
    row.lam[normals + t] = side;
    if normals == 1 {
        row.lam[0] = law.mu * share;
    }
    row
}
