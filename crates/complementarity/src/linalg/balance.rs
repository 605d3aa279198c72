//! Units in which the entries of a matrix are as equal as they can be.
//!
//! Notation: ρ and γ minimise Σ (log₂|m_ij| + ρ_i + γ_j)² over the entries that are not zero. A change
//! of units, r_i m_ij c_j, shifts ρ and γ and leaves the balanced entries 2^ρ_i m_ij 2^γ_j as they
//! are, so that what is decided in these units does not depend on the given ones.

use super::Scaling;
use crate::matrix::axpy;
use crate::tolerance::{BALANCE_CLOSE, BALANCE_NEGLIGIBLE};
use crate::{Matrix, SparseMatrix};

/// The exponents ρ and γ.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    pub(crate) row: Vec<f64>,
    pub(crate) column: Vec<f64>,
    // Of the method of conjugate gradients, rows first and then columns: the unknowns, the residual,
    // the search direction, its image, and the number of entries, which is the diagonal.
    x: Vec<f64>,
    r: Vec<f64>,
    p: Vec<f64>,
    image: Vec<f64>,
    count: Vec<f64>,
}

/// Calls the function it is given for each entry (row, column, value) of a matrix.
pub(crate) trait Entries {
    fn each(&self, f: impl FnMut(usize, usize, f64));
}

/// The entries of (M q) that are not negligible, that is, rounding in the given units: those tell nothing
/// about the units of their rows and columns.
struct Large<'a> {
    m: &'a Matrix,
    q: &'a [f64],
    units: &'a Scaling,
}

impl Entries for Large<'_> {
    fn each(&self, mut f: impl FnMut(usize, usize, f64)) {
        let Scaling { row, col, .. } = self.units;
        let mut pass = |i: usize, j: usize, v: f64| {
            if (v * row[i] * col[j]).abs() > BALANCE_NEGLIGIBLE {
                f(i, j, v);
            }
        };
        for (i, q) in self.q.iter().enumerate() {
            for (j, v) in self.m.row(i).iter().enumerate() {
                pass(i, j, *v);
            }
            pass(i, self.q.len(), *q);
        }
    }
}

impl Balance {
    /// Units in which the entries of (M q) that are not negligible are as equal as they can be.
    ///
    /// Crumbs, with logarithms of −50 and below, would pull the units of their rows and columns along.
    /// q is there because M alone says nothing about the units of parts that no entry connects.
    /// Which entries are negligible shows first in equilibrated units, and more clearly in better
    /// ones: it takes a few rounds, of the work of [`compute`](Self::compute) each.
    pub(crate) fn units_of(&mut self, m: &Matrix, q: &[f64], passes: usize, units: &mut Scaling) {
        const ROUNDS: usize = 3;
        let n = q.len();
        // (M q) with a row of zeros.
        units.equilibrate(n + 1, passes, false, |i, j| match (i < n, j < n) {
            (true, true) => m[(i, j)],
            (true, false) => q[i],
            _ => 0.0,
        });
        let mut counted = 0;
        for _ in 0..ROUNDS {
            let large = Large { m, q, units };
            let before = counted;
            counted = 0;
            large.each(|_, _, _| counted += 1);
            if counted == before {
                break;
            }
            self.compute(&large, n + 1);
            units.take(self);
        }
        units.row.truncate(n);
        units.col.truncate(n);
    }

    /// Makes room for n rows and columns.
    pub(crate) fn reserve(&mut self, n: usize) {
        let Self { row, column, x, r, p, image, count } = self;
        for v in [row, column, x, r, p, image, count] {
            v.clear();
            v.reserve(2 * n);
        }
    }

    /// The normal equations, N_i ρ_i + Σ_j γ_j = −Σ_j log₂|m_ij| and likewise for columns, by
    /// conjugate gradients scaled by the diagonal N: two steps for a full matrix, and as many as
    /// unknowns at most.
    pub(crate) fn compute(&mut self, m: &impl Entries, n: usize) {
        let Self { row, column, x, r, p, image, count } = self;
        for v in [&mut *x, &mut *r, &mut *p, &mut *image, &mut *count] {
            v.clear();
            v.resize(2 * n, 0.0);
        }
        m.each(|i, j, v| {
            if v != 0.0 {
                for at in [i, n + j] {
                    r[at] -= log2(v);
                    count[at] += 1.0;
                }
            }
        });
        count.iter_mut().for_each(|c| *c = c.max(1.0));
        let mut old = 0.0;
        for _ in 0..4 * n + 20 {
            let error = r.iter().zip(&*count).fold(0.0_f64, |a, (r, c)| a.max((r / c).abs()));
            if error <= BALANCE_CLOSE {
                break;
            }
            let new: f64 = r.iter().zip(&*count).map(|(r, c)| r * r / c).sum();
            let beta = if old > 0.0 { new / old } else { 0.0 };
            for ((p, r), c) in p.iter_mut().zip(&*r).zip(&*count) {
                *p = r / c + beta * *p;
            }
            image.fill(0.0);
            m.each(|i, j, v| {
                if v != 0.0 {
                    let sum = p[i] + p[n + j];
                    image[i] += sum;
                    image[n + j] += sum;
                }
            });
            let curvature: f64 = p.iter().zip(&*image).map(|(p, a)| p * a).sum();
            if curvature <= 0.0 {
                break;
            }
            let step = new / curvature;
            axpy(step, p, x);
            axpy(-step, image, r);
            old = new;
        }
        row.clear();
        row.extend_from_slice(&x[..n]);
        column.clear();
        column.extend_from_slice(&x[n..]);
    }
}

impl Entries for Matrix {
    fn each(&self, mut f: impl FnMut(usize, usize, f64)) {
        for i in 0..self.rows() {
            for (j, &v) in self.row(i).iter().enumerate() {
                f(i, j, v);
            }
        }
    }
}

impl Entries for SparseMatrix {
    fn each(&self, mut f: impl FnMut(usize, usize, f64)) {
        for i in 0..self.rows() {
            for (j, v) in self.row(i) {
                f(i, j, v);
            }
        }
    }
}

/// log₂|v| of a v that is not zero to within 0.09, exactly additive for powers of two.
fn log2(v: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = v.abs().to_bits();
    let fraction = (bits & MANTISSA) as f64 / (MANTISSA + 1) as f64;
    (bits >> 52) as f64 - 1023.0 + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_units_leaves_the_balanced_entries_as_they_are() {
        let given =
            Matrix::from_fn(
                5,
                5,
                |i, j| if (i * j) % 3 == 2 { 0.0 } else { 1.5 + (i + 2 * j) as f64 },
            );
        let two = |i: usize| 2f64.powi((i * i * 7) as i32 % 41 - 20);
        let changed = Matrix::from_fn(5, 5, |i, j| given[(i, j)] * two(i) * two(7 * j + 3));
        let balanced = |m: &Matrix| {
            let mut b = Balance::default();
            b.compute(m, 5);
            Matrix::from_fn(5, 5, |i, j| m[(i, j)] * (b.row[i] + b.column[j]).exp2())
        };
        let (a, b) = (balanced(&given), balanced(&changed));
        for (a, b) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((a - b).abs() <= 0.1 * a.abs(), "{a} {b}");
        }
    }

    fn units(m: &Matrix, q: &[f64]) -> Scaling {
        let mut units = Scaling::default();
        Balance::default().units_of(m, q, 10, &mut units);
        units
    }

    #[test]
    fn negligible_entries_do_not_change_the_units() {
        let clean = Matrix::from_fn(6, 6, |i, j| if i / 2 == j / 2 { 1.0 } else { 0.0 });
        // Every other entry is what a cancellation left behind.
        let noisy =
            Matrix::from_fn(6, 6, |i, j| if i / 2 == j / 2 { 1.0 } else { f64::EPSILON / 4.0 });
        let (a, b) = (units(&clean, &[1.0; 6]), units(&noisy, &[1.0; 6]));
        assert_eq!(a.row, b.row);
        assert_eq!(a.col, b.col);
    }

    #[test]
    fn parts_that_no_entry_connects_get_common_units_from_q() {
        // w₂ = z₂ − 1 in units of 2⁻⁴⁰, and z₂ in units of 2⁻³⁰.
        let (r, c) = (2f64.powi(40), 2f64.powi(30));
        let m = Matrix::from_rows(&[[1.0, 0.0], [0.0, r * c]]).unwrap();
        let units = units(&m, &[-1.0, -r]);
        assert_eq!(units.row[0], r * units.row[1]);
        assert_eq!(units.col[0], c * units.col[1]);
    }
}
