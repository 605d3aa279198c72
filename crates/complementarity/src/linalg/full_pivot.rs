//! Gaussian elimination with complete pivoting, which stops where the rank ends.

use crate::matrix::axpy;

/// P A Q = L U of a square matrix, up to its numerical rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct FullPivot {
    n: usize,
    rank: usize,
    a: Vec<f64>,
    rows: Vec<usize>,
    cols: Vec<usize>,
    scratch: Vec<f64>,
}

impl FullPivot {
    /// Makes room for an n x n matrix, so that smaller ones allocate nothing.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.a.reserve((n * n).saturating_sub(self.a.len()));
        self.scratch.reserve(n.saturating_sub(self.scratch.len()));
        for order in [&mut self.rows, &mut self.cols] {
            order.reserve(n.saturating_sub(order.len()));
        }
    }

    /// Factorises the n x n matrix whose row i is written by `fill(i, row)`; the row comes zeroed.
    ///
    /// Elimination ends when all that is left is smaller than `drop` times the largest entry of
    /// the matrix. Returns the rank. About n³ operations and comparisons.
    pub(crate) fn factor(
        &mut self,
        n: usize,
        drop: f64,
        mut fill: impl FnMut(usize, &mut [f64]),
    ) -> usize {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
        self.scratch.clear();
        self.scratch.resize(n, 0.0);
        for order in [&mut self.rows, &mut self.cols] {
            order.clear();
            order.extend(0..n);
        }
        for i in 0..n {
            fill(i, &mut self.a[i * n..(i + 1) * n]);
        }
        let mut smallest = 0.0;
        for k in 0..n {
            self.rank = k;
            let (i, j, largest) = self.largest_from(k);
            if k == 0 {
                smallest = drop * largest;
            }
            if !(largest > smallest && largest.is_finite()) {
                return k;
            }
            self.eliminate(k, i, j);
        }
        self.rank = n;
        n
    }

    fn largest_from(&self, k: usize) -> (usize, usize, f64) {
        let mut found = (k, k, 0.0);
        for i in k..self.n {
            for j in k..self.n {
                let v = self.a[i * self.n + j].abs();
                if v > found.2 {
                    found = (i, j, v);
                }
            }
        }
        found
    }

    fn eliminate(&mut self, k: usize, p: usize, c: usize) {
        let n = self.n;
        if p != k {
            let (top, bottom) = self.a.split_at_mut(p * n);
            top[k * n..(k + 1) * n].swap_with_slice(&mut bottom[..n]);
            self.rows.swap(k, p);
        }
        if c != k {
            for i in 0..n {
                self.a.swap(i * n + k, i * n + c);
            }
            self.cols.swap(k, c);
        }
        let (top, bottom) = self.a.split_at_mut((k + 1) * n);
        let pivot_row = &top[k * n + k..];
        for row in bottom.chunks_exact_mut(n) {
            let l = row[k] / pivot_row[0];
            row[k] = l;
            axpy(-l, &pivot_row[1..], &mut row[k + 1..]);
        }
    }

    /// Overwrites `x` (the right side) with a solution that is zero in the dropped columns.
    ///
    /// It satisfies the kept rows; the dropped ones too if the system is consistent.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let n = self.n;
        for k in 0..self.rank {
            let known: f64 = (0..k).map(|j| self.a[k * n + j] * self.scratch[j]).sum();
            self.scratch[k] = x[self.rows[k]] - known;
        }
        for k in (0..self.rank).rev() {
            let known = (k + 1..self.rank).map(|j| self.a[k * n + j] * self.scratch[j]);
            self.scratch[k] = (self.scratch[k] - known.sum::<f64>()) / self.a[k * n + k];
        }
        x.fill(0.0);
        for k in 0..self.rank {
            x[self.cols[k]] = self.scratch[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;

    #[test]
    fn a_consistent_singular_system_is_solved_and_its_rank_found() {
        let (n, rank) = (6, 4);
        let b = Matrix::from_fn(n, rank, |i, j| (1.3 * (i * j + i) as f64 + j as f64).cos());
        let a = Matrix::from_fn(n, n, |i, j| (0..rank).map(|k| b[(i, k)] * b[(j, k)]).sum());
        let right = a.mul_vec(&[1.0, -2.0, 0.5, 3.0, 0.0, 1.0]);
        let mut f = FullPivot::default();
        assert_eq!(f.factor(n, 1e-12, |i, row| row.copy_from_slice(a.row(i))), rank);
        let mut x = right.clone();
        f.solve(&mut x);
        for (r, b) in a.mul_vec(&x).iter().zip(&right) {
            assert!((r - b).abs() < 1e-12, "{r} {b}");
        }
    }

    #[test]
    fn zeros_have_rank_zero_and_solve_to_zero() {
        let mut f = FullPivot::default();
        assert_eq!(f.factor(2, 1e-12, |_, _| {}), 0);
        let mut x = [1.0, 2.0];
        f.solve(&mut x);
        assert_eq!(x, [0.0, 0.0]);
    }
}
