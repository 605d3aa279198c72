//! Positive definite matrices: exactly one solution for every q (CPS theorem 3.1.6).

use crate::Expected;
use crate::dense::{add, add_diagonal, normal_matrix, skew, transposed_product};
use crate::instance::Plain;
use complementarity::Matrix;
use stickslip_studies::Draw;

/// GᵀG/n + I/10.
pub(super) fn symmetric(d: &mut Draw, n: usize) -> Plain {
    let m = gram(d, n, n);
    Plain::new(m, d.normals(n), Expected::Solvable)
}

/// The same with a skew part of its size added, which leaves xᵀMx as it is.
pub(super) fn unsymmetric(d: &mut Draw, n: usize) -> Plain {
    let mut m = gram(d, n, n);
    add(&mut m, &skew(d, n, 1.0 / (n as f64).sqrt()));
    Plain::new(m, d.normals(n), Expected::Solvable)
}

/// Eigenvalues log-uniform from 1e-8 to 1, both attained, in random axes.
pub(super) fn ill_conditioned(d: &mut Draw, n: usize) -> Plain {
    let mut m = Matrix::zeros(n, n);
    for i in 0..n {
        m[(i, i)] = match i {
            0 => 1.0,
            1 => 1e-8,
            _ => d.log_between(1e-8, 1.0),
        };
    }
    for _ in 0..3.min(n) {
        let axis = d.normals(n);
        reflect(&mut m, &axis);
    }
    // A q of the size of M times something: solutions of size 1, and some of size 1e8.
    let q = m.mul_vec(&d.normals(n));
    let kick = if d.chance(0.5) { 1.0 } else { 1e-6 };
    let q = q.iter().map(|q| q + kick * d.normal()).collect();
    Plain::new(m, q, Expected::Solvable)
}

/// GᵀG/n + I/10 with `rows` rows in G.
fn gram(d: &mut Draw, rows: usize, n: usize) -> Matrix {
    let g = normal_matrix(d, rows, n);
    let mut m = transposed_product(&g, &g);
    for v in m.as_mut_slice() {
        *v /= n as f64;
    }
    add_diagonal(&mut m, 0.1);
    m
}

/// RMR with the reflection R = I − 2aaᵀ/aᵀa, symmetric to the last bit.
fn reflect(m: &mut Matrix, a: &[f64]) {
    let n = a.len();
    let s: f64 = a.iter().map(|x| x * x).sum();
    let ma = m.mul_vec(a);
    let ama: f64 = a.iter().zip(&ma).map(|(x, y)| x * y).sum();
    for i in 0..n {
        for j in 0..=i {
            let v = m[(i, j)] - 2.0 / s * (a[i] * ma[j] + ma[i] * a[j])
                + 4.0 * ama / (s * s) * a[i] * a[j];
            m[(i, j)] = v;
            m[(j, i)] = v;
        }
    }
}
