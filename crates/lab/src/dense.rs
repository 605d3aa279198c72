//! The little linear algebra that the families need; apart from the solvers' own.

use complementarity::Matrix;
use stickslip_studies::Draw;

/// A matrix of independent normal numbers.
pub(crate) fn normal_matrix(d: &mut Draw, rows: usize, cols: usize) -> Matrix {
    Matrix::from_fn(rows, cols, |_, _| d.normal())
}

/// AᵀB.
pub(crate) fn transposed_product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut c = Matrix::zeros(a.cols(), b.cols());
    for k in 0..a.rows() {
        for (i, &x) in a.row(k).iter().enumerate() {
            if x != 0.0 {
                for (c, y) in c.row_mut(i).iter_mut().zip(b.row(k)) {
                    *c += x * y;
                }
            }
        }
    }
    c
}

/// AB.
pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    transposed_product(&a.transposed(), b)
}

/// A skew matrix with entries of size `scale`.
pub(crate) fn skew(d: &mut Draw, n: usize, scale: f64) -> Matrix {
    let mut k = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..i {
            let v = scale * d.normal();
            k[(i, j)] = v;
            k[(j, i)] = -v;
        }
    }
    k
}

/// A += B.
pub(crate) fn add(a: &mut Matrix, b: &Matrix) {
    for (x, y) in a.as_mut_slice().iter_mut().zip(b.as_slice()) {
        *x += y;
    }
}

/// A += s I.
pub(crate) fn add_diagonal(a: &mut Matrix, s: f64) {
    for i in 0..a.rows() {
        a[(i, i)] += s;
    }
}

/// Writes `block` into `a` with its corner at (row, col).
pub(crate) fn put(a: &mut Matrix, row: usize, col: usize, block: &Matrix) {
    for i in 0..block.rows() {
        a.row_mut(row + i)[col..col + block.cols()].copy_from_slice(block.row(i));
    }
}

/// PᵀAP and Pᵀq for the permutation that sends place i to `p[i]`.
pub(crate) fn permute(p: &[usize], a: &Matrix, q: &[f64]) -> (Matrix, Vec<f64>) {
    let m = Matrix::from_fn(p.len(), p.len(), |i, j| a[(p[i], p[j])]);
    (m, p.iter().map(|&i| q[i]).collect())
}

/// The Cholesky factor L (lower triangle) of a symmetric matrix, or `None` where a pivot is below
/// `margin` times its diagonal entry: not safely positive definite.
pub(crate) fn cholesky(a: &Matrix, margin: f64) -> Option<Matrix> {
    let n = a.rows();
    let mut l = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let (li, lj) = (&l.row(i)[..j], &l.row(j)[..j]);
            let s = a[(i, j)] - li.iter().zip(lj).map(|(x, y)| x * y).sum::<f64>();
            if i == j {
                if s.is_nan() || s <= margin * a[(i, i)] || s <= 0.0 {
                    return None;
                }
                l[(i, i)] = s.sqrt();
            } else {
                l[(i, j)] = s / l[(j, j)];
            }
        }
    }
    Some(l)
}

/// A⁻¹B for symmetric positive definite A, given its Cholesky factor.
pub(crate) fn cholesky_solve(l: &Matrix, b: &Matrix) -> Matrix {
    let n = l.rows();
    let mut x = b.clone();
    for c in 0..b.cols() {
        for i in 0..n {
            let s: f64 = (0..i).map(|j| l[(i, j)] * x[(j, c)]).sum();
            x[(i, c)] = (x[(i, c)] - s) / l[(i, i)];
        }
        for i in (0..n).rev() {
            let s: f64 = (i + 1..n).map(|j| l[(j, i)] * x[(j, c)]).sum();
            x[(i, c)] = (x[(i, c)] - s) / l[(i, i)];
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cholesky_solves_a_definite_system_and_refuses_a_singular_one() {
        let mut d = Draw::new("cholesky", 5, 1);
        let g = normal_matrix(&mut d, 7, 5);
        let a = transposed_product(&g, &g);
        let x = normal_matrix(&mut d, 5, 2);
        let l = cholesky(&a, 1e-12).unwrap();
        let found = cholesky_solve(&l, &product(&a, &x));
        for (f, x) in found.as_slice().iter().zip(x.as_slice()) {
            assert!((f - x).abs() < 1e-10);
        }
        let thin = normal_matrix(&mut d, 3, 5);
        assert!(cholesky(&transposed_product(&thin, &thin), 1e-12).is_none());
    }
}
