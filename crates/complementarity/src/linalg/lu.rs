//! Dense LU with partial pivoting, on storage that is kept.

use crate::matrix::{axpy, dot};

/// P A = L U of a square matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lu {
    n: usize,
    /// U on and above the diagonal, L (unit diagonal left out) below; row-major.
    a: Vec<f64>,
    /// Row i of P A is row `perm[i]` of A.
    perm: Vec<usize>,
    scratch: Vec<f64>,
}

impl Lu {
    /// Makes room for an n x n matrix, so that smaller ones allocate nothing.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.a.reserve((n * n).saturating_sub(self.a.len()));
        self.perm.reserve(n.saturating_sub(self.perm.len()));
        self.scratch.reserve(n.saturating_sub(self.scratch.len()));
    }

    /// Factorises the n x n matrix whose row i is written by `fill(i, row)`; the row comes zeroed.
    ///
    /// Returns false if a pivot is not larger than `relative_pivot` times the largest entry of its
    /// column before elimination: the matrix is singular to working precision, or not finite.
    pub(crate) fn factor(
        &mut self,
        n: usize,
        relative_pivot: f64,
        mut fill: impl FnMut(usize, &mut [f64]),
    ) -> bool {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
        self.perm.clear();
        self.perm.extend(0..n);
        self.scratch.clear();
        self.scratch.resize(n, 0.0);
        for i in 0..n {
            let row = &mut self.a[i * n..(i + 1) * n];
            fill(i, row);
            for (s, v) in self.scratch.iter_mut().zip(&*row) {
                *s = s.max(v.abs());
            }
        }
        for k in 0..n {
            if !self.eliminate(k, relative_pivot * self.scratch[k]) {
                return false;
            }
        }
        true
    }

    fn eliminate(&mut self, k: usize, smallest: f64) -> bool {
        let n = self.n;
        let (mut p, mut largest) = (k, self.a[k * n + k].abs());
        for i in k + 1..n {
            let v = self.a[i * n + k].abs();
            if v > largest {
                (p, largest) = (i, v);
            }
        }
        if !(largest > smallest && largest.is_finite()) {
            return false;
        }
        if p != k {
            let (top, bottom) = self.a.split_at_mut(p * n);
            top[k * n..(k + 1) * n].swap_with_slice(&mut bottom[..n]);
            self.perm.swap(k, p);
        }
        let (top, bottom) = self.a.split_at_mut((k + 1) * n);
        let pivot_row = &top[k * n + k..];
        let inverse = 1.0 / pivot_row[0];
        for row in bottom.chunks_exact_mut(n) {
            if row[k] != 0.0 {
                row[k] *= inverse;
                let l = row[k];
                axpy(-l, &pivot_row[1..], &mut row[k + 1..]);
            }
        }
        true
    }

    /// Overwrites `x` (the right side) with A⁻¹ x.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            self.scratch[i] = x[self.perm[i]];
        }
        for i in 0..n {
            let (done, rest) = self.scratch.split_at_mut(i);
            rest[0] -= dot(&self.a[i * n..i * n + i], done);
        }
        for i in (0..n).rev() {
            let (head, done) = self.scratch.split_at_mut(i + 1);
            head[i] =
                (head[i] - dot(&self.a[i * n + i + 1..(i + 1) * n], done)) / self.a[i * n + i];
        }
        x[..n].copy_from_slice(&self.scratch);
    }

    /// Overwrites `x` (the right side) with A⁻ᵀ x.
    pub(crate) fn solve_transposed(&mut self, x: &mut [f64]) {
        let n = self.n;
        self.scratch.copy_from_slice(&x[..n]);
        for i in 0..n {
            let (head, rest) = self.scratch.split_at_mut(i + 1);
            head[i] /= self.a[i * n + i];
            axpy(-head[i], &self.a[i * n + i + 1..(i + 1) * n], rest);
        }
        for i in (0..n).rev() {
            let (done, rest) = self.scratch.split_at_mut(i);
            axpy(-rest[0], &self.a[i * n..i * n + i], done);
        }
        for i in 0..n {
            x[self.perm[i]] = self.scratch[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;

    #[test]
    fn both_solves_reproduce_the_right_side() {
        let n = 7;
        let a = Matrix::from_fn(n, n, |i, j| (1.7 * (i * j) as f64 + i as f64 + 1.0).sin());
        let b: Vec<f64> = (0..n).map(|i| i as f64 - 2.5).collect();
        let mut lu = Lu::default();
        assert!(lu.factor(n, 1e-13, |i, row| row.copy_from_slice(a.row(i))));
        for (transposed, matrix) in [(false, a.clone()), (true, a.transposed())] {
            let mut x = b.clone();
            if transposed {
                lu.solve_transposed(&mut x)
            } else {
                lu.solve(&mut x)
            }
            for (r, b) in matrix.mul_vec(&x).iter().zip(&b) {
                assert!((r - b).abs() < 1e-12, "{r} {b}");
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_told() {
        let a = Matrix::from_rows(&[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]]).unwrap();
        assert!(!Lu::default().factor(3, 1e-13, |i, row| row.copy_from_slice(a.row(i))));
        assert!(!Lu::default().factor(1, 1e-13, |_, row| row[0] = f64::NAN));
    }
}
