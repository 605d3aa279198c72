//! Positive semidefinite matrices: solvable if and only if feasible (CPS theorem 3.1.2).

use crate::Expected;
use crate::dense::{add, add_diagonal, normal_matrix, permute, put, skew, transposed_product};
use crate::instance::Plain;
use complementarity::Matrix;
use stickslip_studies::Draw;

/// Symmetric, rank about n/2, built around a solution.
pub(super) fn symmetric(d: &mut Draw, n: usize) -> Plain {
    let m = deficient(d, n);
    planted(d, m, 0.0)
}

/// Rank-deficient plus skew, built around a solution; some of it degenerate.
pub(super) fn unsymmetric(d: &mut Draw, n: usize) -> Plain {
    let mut m = deficient(d, n);
    add(&mut m, &skew(d, n, 1.0));
    planted(d, m, 0.1)
}

/// The optimality conditions of min ½xᵀQx + cᵀx, Ax ≥ b, x ≥ 0: M = [[Q, −Aᵀ], [A, 0]].
///
/// Q is positive definite and x0 ≥ 0 is feasible, so a minimum exists and with it multipliers.
pub(super) fn quadratic_program(d: &mut Draw, n: usize) -> Plain {
    let rows = n / 3;
    let x = n - rows;
    let mut m = Matrix::zeros(n, n);
    let g = normal_matrix(d, x, x);
    let mut quadratic = transposed_product(&g, &g);
    add_diagonal(&mut quadratic, 0.1);
    put(&mut m, 0, 0, &quadratic);
    let a = normal_matrix(d, rows, x);
    put_program(&mut m, &a);
    let x0: Vec<f64> = (0..x).map(|_| d.unit()).collect();
    let mut q = d.normals(x);
    q.extend(a.mul_vec(&x0).iter().map(|ax| d.unit() - ax));
    Plain::new(m, q, Expected::Solvable)
}

/// A weighted graph's Laplacian plus circulations, whole numbers: M is positive semidefinite with
/// Mᵀ1 = 0, and 1ᵀq < 0 makes 1 a Farkas vector. There is no feasible point.
pub(super) fn laplacian(d: &mut Draw, n: usize) -> Plain {
    let mut m = Matrix::zeros(n, n);
    let edges = if n > 1 { 3 * n } else { 0 };
    for _ in 0..edges {
        let (i, j, weight) = (d.index(n), d.index(n), d.whole(1, 5) as f64);
        if i != j {
            m[(i, i)] += weight;
            m[(j, j)] += weight;
            m[(i, j)] -= weight;
            m[(j, i)] -= weight;
        }
    }
    for _ in 0..n {
        let (i, j, k) = (d.index(n), d.index(n), d.index(n));
        if i != j && j != k && i != k {
            let weight = d.whole(1, 3) as f64;
            for (a, b) in [(i, j), (j, k), (k, i)] {
                m[(a, b)] += weight;
                m[(b, a)] -= weight;
            }
        }
    }
    let mut q: Vec<f64> = (0..n).map(|_| d.whole(-5, 5) as f64).collect();
    q[0] -= q.iter().sum::<f64>() + d.whole(1, 5) as f64;
    Plain::new(m, q, Expected::Unsolvable)
}

/// A program without a feasible point: with y ≥ 0 on the constraint rows, Aᵀy < 0 but bᵀy > 0.
pub(super) fn infeasible_program(d: &mut Draw, n: usize) -> Plain {
    let rows = (n / 2).max(1);
    let x = n - rows;
    let mut m = Matrix::zeros(n, n);
    let g = normal_matrix(d, (x / 2).max(1), x);
    put(&mut m, 0, 0, &transposed_product(&g, &g));
    // Two rows that contradict each other (one if there is no other): their sum is negative in
    // every entry while the sum of their q is as well.
    let mut a = normal_matrix(d, rows, x);
    let mut q = d.normals(n);
    let pair = if rows > 1 { 1 } else { 0 };
    for j in 0..x {
        let below = -d.unit() - if pair == 1 { a[(0, j)] } else { 0.0 };
        a[(pair, j)] = below;
    }
    q[x + pair] = -(1.0 + d.unit()) - if pair == 1 { q[x] } else { 0.0 };
    put_program(&mut m, &a);
    let (m, q) = permute(&d.permutation(n), &m, &q);
    Plain::new(m, q, Expected::Unsolvable)
}

/// Writes A below and −Aᵀ beside the leading block.
pub(super) fn put_program(m: &mut Matrix, a: &Matrix) {
    for i in 0..a.rows() {
        for j in 0..a.cols() {
            m[(a.cols() + i, j)] = a[(i, j)];
            m[(j, a.cols() + i)] = -a[(i, j)];
        }
    }
}

/// GᵀG with about half as many rows as columns.
fn deficient(d: &mut Draw, n: usize) -> Matrix {
    let g = normal_matrix(d, n.div_ceil(2), n);
    transposed_product(&g, &g)
}

/// A complementary pair, with z_i = w_i = 0 with probability `degenerate`, and q from it.
fn planted(d: &mut Draw, m: Matrix, degenerate: f64) -> Plain {
    let (z, w) = complementary_pair(d, m.rows(), degenerate);
    Plain::planted(m, z, &w)
}

/// Two non-negative vectors of which at most one is positive at each index.
pub(super) fn complementary_pair(d: &mut Draw, n: usize, degenerate: f64) -> (Vec<f64>, Vec<f64>) {
    let (mut z, mut w) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        if !d.chance(degenerate) {
            let value = d.between(0.1, 2.0);
            if d.chance(0.5) {
                z[i] = value;
            } else {
                w[i] = value;
            }
        }
    }
    (z, w)
}
