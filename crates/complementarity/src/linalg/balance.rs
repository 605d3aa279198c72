//! Units in which the entries of a matrix are as equal as they can be.
//!
//! Notation: ρ and γ minimise Σ (log₂|m_ij| + ρ_i + γ_j)² over the entries that are not zero. A change
//! of units, r_i m_ij c_j, shifts ρ and γ and leaves the balanced entries 2^ρ_i m_ij 2^γ_j as they
//! are, so that what is decided in these units does not depend on the given ones.

use crate::{Matrix, SparseMatrix};

/// The exponents ρ and γ.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    pub(crate) row: Vec<f64>,
    pub(crate) column: Vec<f64>,
    sum: Vec<f64>,
    count: Vec<f64>,
}

/// Calls the function it is given for each entry (row, column, value) of a matrix.
pub(crate) trait Entries {
    fn each(&self, f: impl FnMut(usize, usize, f64));
}

impl Balance {
    /// Makes room for n rows and columns.
    pub(crate) fn reserve(&mut self, n: usize) {
        for v in [&mut self.row, &mut self.column, &mut self.sum, &mut self.count] {
            v.clear();
            v.reserve(n);
        }
    }

    /// Alternating minimisation; one sweep is exact for a full matrix.
    pub(crate) fn compute(&mut self, m: &impl Entries, n: usize) {
        const SWEEPS: usize = 100;
        const CLOSE: f64 = 0.02;
        for v in [&mut self.row, &mut self.column] {
            v.clear();
            v.resize(n, 0.0);
        }
        for _ in 0..SWEEPS {
            let Self { row, column, sum, count } = self;
            mean(m, n, sum, count, |i, j| (i, column[j]));
            row.iter_mut().zip(&*sum).for_each(|(r, s)| *r = -s);
            mean(m, n, sum, count, |i, j| (j, row[i]));
            let mut change = 0.0_f64;
            for (c, s) in column.iter_mut().zip(&*sum) {
                change = change.max((*c + s).abs());
                *c = -s;
            }
            if change <= CLOSE {
                break;
            }
        }
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

/// Fills `sum` with the mean of log₂|m_ij| plus a term over the entries that belong to each index;
/// `pick(i, j)` is that index and that term.
fn mean(
    m: &impl Entries,
    n: usize,
    sum: &mut Vec<f64>,
    count: &mut Vec<f64>,
    pick: impl Fn(usize, usize) -> (usize, f64),
) {
    for v in [&mut *sum, &mut *count] {
        v.clear();
        v.resize(n, 0.0);
    }
    m.each(|i, j, v| {
        if v != 0.0 {
            let (at, term) = pick(i, j);
            sum[at] += log2(v) + term;
            count[at] += 1.0;
        }
    });
    for (s, c) in sum.iter_mut().zip(count) {
        *s /= c.max(1.0);
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
}
