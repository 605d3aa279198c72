//! A linear objective over a section of a cone: the simplex method on the multipliers of half-spaces around the cone,
//! which are made where the forces are outside.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | y | unknowns; the forces are c = `columns` · y |
//! | g, h | objective gᵀy, section hᵀy = 1 |
//! | d | a half-space dᵀc ≥ 0; a = columnsᵀ d |
//! | v, λ | multipliers of the section and of the half-spaces: g = v h + Σ λ_j a_j, λ ≥ 0, v the value |
//!
//! min gᵀy has the dual max v over v and λ, with as many rows as y has entries. Its simplex multipliers are y, and a
//! half-space that y violates is a column that enters.

use super::cone::Cone;
use crate::tolerance::CONE_MET;
use crate::tolerance::NO_FORCE;
use nalgebra::{DMatrix, DVector};

/// Pivots at most.
const PIVOTS: usize = 3000;
/// After so many pivots the first candidate enters, not the most violated one: no cycles.
const BLAND: usize = 1500;
/// Half-spaces that are made at most.
const CUTS: usize = 3000;

/// An optimum over half-spaces around the cone.
pub(super) struct Optimum {
    pub(super) y: DVector<f64>,
    /// The multiplier v.
    pub(super) value: f64,
    /// Σ λ_j d_j, in the dual cone.
    pub(super) dual: DVector<f64>,
}

/// min gᵀy over `columns` y in the cone, hᵀy = 1; of all optima over half-spaces on the way the one that is least outside.
/// None if there is none: the section is empty, or numbers fail. Ends early at an optimum that is `enough`.
pub(super) fn minimise(
    cone: &Cone<'_>,
    columns: &DMatrix<f64>,
    g: &DVector<f64>,
    h: &DVector<f64>,
    enough: impl Fn(&Optimum) -> bool,
) -> Option<Optimum> {
    let mut simplex = Simplex::new(columns, g, h);
    simplex.add(cone.first_cuts());
    let mut best: Option<(f64, Optimum)> = None;
    for pivot in 0..PIVOTS {
        let Some(state) = simplex.state() else { break };
        if let Some(entering) = simplex.entering(&state, pivot > BLAND) {
            if simplex.pivot(&state, entering).is_none() {
                break;
            }
            continue;
        }
        if !state.feasible {
            break;
        }
        let optimum = simplex.optimum(&state);
        let c = columns * &optimum.y;
        let (outside, done) = (cone.outside(&c), enough(&optimum));
        if best.as_ref().is_none_or(|(o, _)| outside < *o) || done {
            best = Some((outside, optimum));
        }
        let new = cone.violated(&c, CONE_MET);
        if done || new.is_empty() || simplex.cuts.len() + new.len() > CUTS {
            break;
        }
        simplex.add(new);
    }
    best.map(|(_, optimum)| optimum)
}

/// A column of the basis.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Basic {
    /// v, of either sign.
    Section,
    /// λ of a half-space.
    Cut(usize),
    /// What a row lacks before enough half-spaces are in: sign and row.
    Spare(f64, usize),
}

struct Simplex<'a> {
    columns: &'a DMatrix<f64>,
    g: &'a DVector<f64>,
    h: &'a DVector<f64>,
    cuts: Vec<DVector<f64>>,
    /// columnsᵀ d of each, and the length that it is divided by.
    rows: Vec<(DVector<f64>, f64)>,
    basis: Vec<Basic>,
}

/// The numbers that belong to a basis.
struct State {
    matrix: DMatrix<f64>,
    x: DVector<f64>,
    y: DVector<f64>,
    /// Whether nothing is lacking.
    feasible: bool,
}

impl<'a> Simplex<'a> {
    fn new(columns: &'a DMatrix<f64>, g: &'a DVector<f64>, h: &'a DVector<f64>) -> Self {
        let section = h.iamax();
        let v = g[section] / h[section];
        let spare = |i: usize| {
            let lacks = g[i] - v * h[i];
            if i == section { Basic::Section } else { Basic::Spare(lacks.signum(), i) }
        };
        let basis = (0..g.len()).map(spare).collect();
        Self { columns, g, h, cuts: Vec::new(), rows: Vec::new(), basis }
    }

    fn add(&mut self, cuts: Vec<DVector<f64>>) {
        for d in cuts {
            let a = self.columns.tr_mul(&d);
            let length = a.norm();
            if length > 0.0 {
                self.rows.push((a / length, length));
                self.cuts.push(d);
            }
        }
    }

    fn column(&self, basic: Basic) -> DVector<f64> {
        match basic {
            Basic::Section => self.h.clone(),
            Basic::Cut(j) => self.rows[j].0.clone(),
            Basic::Spare(sign, i) => {
                let mut e = DVector::zeros(self.g.len());
                e[i] = sign;
                e
            }
        }
    }

    fn state(&self) -> Option<State> {
        let columns: Vec<DVector<f64>> = self.basis.iter().map(|b| self.column(*b)).collect();
        let matrix = DMatrix::from_columns(&columns);
        let x = matrix.clone().lu().solve(self.g)?;
        let size = self.g.amax().max(f64::MIN_POSITIVE);
        let lacking =
            |(b, x): (&Basic, &f64)| matches!(b, Basic::Spare(..)) && *x > NO_FORCE * size;
        let feasible = !self.basis.iter().zip(x.iter()).any(lacking);
        // First what is lacking is brought to zero, then v is raised.
        let cost = DVector::from_fn(self.basis.len(), |i, _| match (self.basis[i], feasible) {
            (Basic::Section, true) => 1.0,
            (Basic::Spare(..), false) => -1.0,
            _ => 0.0,
        });
        let y = matrix.transpose().lu().solve(&cost)?;
        y.iter().chain(x.iter()).all(|v| v.is_finite()).then_some(State { matrix, x, y, feasible })
    }

    /// The half-space that y violates most, or the first one.
    fn entering(&self, state: &State, first: bool) -> Option<usize> {
        let least = -NO_FORCE * state.y.norm();
        let mut best = (least, None);
        for (j, (a, _)) in self.rows.iter().enumerate() {
            let value = a.dot(&state.y);
            if value < best.0 && !self.basis.contains(&Basic::Cut(j)) {
                best = (value, Some(j));
                if first {
                    break;
                }
            }
        }
        best.1
    }

    /// Exchanges a column of the basis; none if v has no end.
    fn pivot(&mut self, state: &State, entering: usize) -> Option<()> {
        let d = state.matrix.clone().lu().solve(&self.rows[entering].0)?;
        let large = NO_FORCE * d.amax();
        let mut leaving: Option<(f64, usize)> = None;
        for (i, basic) in self.basis.iter().enumerate() {
            let stays_zero = state.feasible && matches!(basic, Basic::Spare(..));
            let ratio = match basic {
                Basic::Section => continue,
                _ if stays_zero && d[i].abs() > large => 0.0,
                _ if d[i] > large => (state.x[i] / d[i]).max(0.0),
                _ => continue,
            };
            let better = leaving.is_none_or(|(least, at)| {
                ratio < least || ratio == least && d[i].abs() > d[at].abs()
            });
            if better {
                leaving = Some((ratio, i));
            }
        }
        self.basis[leaving?.1] = Basic::Cut(entering);
        Some(())
    }

    fn optimum(&self, state: &State) -> Optimum {
        let mut dual = DVector::zeros(self.columns.nrows());
        let mut value = 0.0;
        for (basic, x) in self.basis.iter().zip(state.x.iter()) {
            match basic {
                Basic::Section => value = *x,
                Basic::Cut(j) => dual += &self.cuts[*j] * (x.max(0.0) / self.rows[*j].1),
                Basic::Spare(..) => {}
            }
        }
        Optimum { y: state.y.clone(), value, dual }
    }
}
