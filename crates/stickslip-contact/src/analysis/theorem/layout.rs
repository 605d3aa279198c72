//! The rows of a contact problem by what they do, and W scaled to a diagonal of ones.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | a | W scaled: A_ij = W_ij / (s_i s_j) |
//! | s | s_i = √W_ii, 1 where that is 0: scaled forces are s_i times forces |
//! | mu | one coefficient per contact; the bounds multiply them by a common factor |

use super::outer::Shape;
use crate::{ContactProblem, Kind};
use nalgebra::DMatrix;
use std::ops::Range;

/// A contact, as the theorem sees it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The row of the normal.
    pub(super) normal: Option<usize>,
    /// The rows of friction.
    pub(super) tangents: Range<usize>,
    /// The rows of a connection.
    pub(super) fixed: Range<usize>,
    /// The friction at the limit 1, where the contact slides.
    pub(super) slides: Option<[f64; 3]>,
    /// Whether there is friction without load.
    pub(super) constant: bool,
    /// F, or something around it.
    pub(super) shape: Option<Shape>,
    /// h_F(−1) and h_F(1) with their signs, if F is an interval.
    pub(super) interval: Option<[f64; 2]>,
}

impl Part {
    /// Whether a coefficient of friction means something here.
    pub(super) fn has_friction(&self) -> bool {
        self.normal.is_some() && self.shape.is_some()
    }
}

/// The rows of all contacts.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) a: DMatrix<f64>,
    pub(super) s: Vec<f64>,
    pub(super) parts: Vec<Part>,
}

impl Layout {
    pub(super) fn of(problem: &ContactProblem) -> Self {
        let w = problem.delassus().to_dense();
        let n = w.rows();
        let unit = |v: f64| if v > 0.0 { v.sqrt() } else { 1.0 };
        let s: Vec<f64> = (0..n).map(|i| unit(w.row(i)[i])).collect();
        let a =
            DMatrix::from_fn(n, n, |i, j| (0.5 * w.row(i)[j] + 0.5 * w.row(j)[i]) / s[i] / s[j]);
        let parts = problem.laws().iter().enumerate().map(|(i, law)| {
            let rows = problem.rows(i);
            let fixed = matches!(law.kind, Kind::Bilateral(_));
            let first = rows.start + law.kind.normals();
            let set = law.kind.set();
            let interval = set
                .filter(|set| set.dimension() == 1)
                .map(|set| [-set.support(&[-1.0]), set.support(&[1.0])]);
            Part {
                normal: (law.kind.normals() == 1).then_some(rows.start),
                tangents: if fixed { rows.end..rows.end } else { first..rows.end },
                fixed: if fixed { rows.clone() } else { rows.end..rows.end },
                slides: law.sliding_friction(),
                constant: law.radius > 0.0,
                shape: set.map(Shape::around),
                interval,
            }
        });
        Self { a, s, parts: parts.collect() }
    }

    /// Normals, one after the other, then the rows of connections.
    pub(super) fn base(&self) -> Vec<usize> {
        let normals = self.parts.iter().filter_map(|p| p.normal);
        normals.chain(self.parts.iter().flat_map(|p| p.fixed.clone())).collect()
    }

    /// The block of A with these rows and columns.
    pub(super) fn block(&self, rows: &[usize], cols: &[usize]) -> DMatrix<f64> {
        DMatrix::from_fn(rows.len(), cols.len(), |i, j| self.a[(rows[i], cols[j])])
    }

    /// A unit of normal force at contact i (scaled) with the friction f of a limit of 1, in scaled forces: the column of
    /// friction alone, by rows.
    pub(super) fn friction(&self, part: &Part, f: &[f64]) -> Vec<(usize, f64)> {
        let Some(n) = part.normal else { return Vec::new() };
        let rows = part.tangents.clone().zip(f);
        rows.map(|(row, f)| (row, f * self.s[row] / self.s[n])).collect()
    }
}
