//! From a contact system to a complementarity problem: the matrices of each formulation.

use super::System;
use crate::Expected;
use crate::dense::{cholesky, cholesky_solve, product, put, transposed_product};
use crate::instance::{Mixed, Plain};
use complementarity::Matrix;

/// W and b cut into N and T parts, joints left out.
struct Parts {
    nn: Matrix,
    nt: Matrix,
    tn: Matrix,
    tt: Matrix,
    bn: Vec<f64>,
    bt: Vec<f64>,
}

fn parts(s: &System) -> Parts {
    let (j, k, t) = (s.joints, s.contacts, s.contacts * s.tangents);
    let cut = |r: usize, c: usize, rows, cols| {
        Matrix::from_fn(rows, cols, |i, l| s.w[(j + r + i, j + c + l)])
    };
    Parts {
        nn: cut(0, 0, k, k),
        nt: cut(0, k, k, t),
        tn: cut(k, 0, t, k),
        tt: cut(k, k, t, t),
        bn: s.b[j..j + k].to_vec(),
        bt: s.b[j + k..].to_vec(),
    }
}

/// Glocker and Studer 2005, eq. (33): x = (Λ_N, Λ_R, ξ_L), planar.
///
/// It has the same solutions (Λ, ξ) as the slip-slack form, so it is solvable when that is.
pub(crate) fn glocker_studer(s: &System) -> Plain {
    let p = parts(s);
    let k = s.contacts;
    let mut a = Matrix::zeros(3 * k, 3 * k);
    let less_friction =
        |nn: &Matrix, nt: &Matrix| Matrix::from_fn(k, k, |i, j| nn[(i, j)] - nt[(i, j)] * s.mu[j]);
    put(&mut a, 0, 0, &less_friction(&p.nn, &p.nt));
    put(&mut a, 0, k, &p.nt);
    put(&mut a, k, 0, &less_friction(&p.tn, &p.tt));
    put(&mut a, k, k, &p.tt);
    for i in 0..k {
        a[(k + i, 2 * k + i)] = 1.0;
        a[(2 * k + i, i)] = 2.0 * s.mu[i];
        a[(2 * k + i, k + i)] = -1.0;
    }
    let q = [p.bn, p.bt, vec![0.0; k]].concat();
    Plain::new(a, q, s.expected())
}

/// The directions of one contact, as columns: ±1 in the plane, m evenly spaced ones in space.
fn directions(tangents: usize, m: usize) -> Matrix {
    if tangents == 1 {
        return Matrix::from_fn(1, 2, |_, j| if j == 0 { 1.0 } else { -1.0 });
    }
    Matrix::from_fn(2, m, |i, j| {
        let angle = std::f64::consts::TAU * j as f64 / m as f64;
        if i == 0 { angle.cos() } else { angle.sin() }
    })
}

/// `block` once per contact along the diagonal.
fn per_contact(block: &Matrix, contacts: usize) -> Matrix {
    let mut all = Matrix::zeros(block.rows() * contacts, block.cols() * contacts);
    for c in 0..contacts {
        put(&mut all, c * block.rows(), c * block.cols(), block);
    }
    all
}

/// The slip-slack form, z = (Λ_N, β, s): copositive. See the module above for existence.
pub(crate) fn stewart_trinkle(s: &System, m: usize) -> Plain {
    let mixed = stewart_trinkle_mixed(s, m);
    Plain::new(mixed.m, mixed.q, mixed.expected)
}

/// The slip-slack form with the joints' impulses before it as free unknowns.
pub(crate) fn stewart_trinkle_mixed(s: &System, m: usize) -> Mixed {
    let (k, j) = (s.contacts, s.joints);
    let block = directions(s.tangents, m);
    let m = block.cols();
    let d = per_contact(&block, k);
    // The joints and normals pass as they are, the tangents as Dβ.
    let mut wide = Matrix::zeros(s.w.rows(), j + k + m * k);
    put(&mut wide, 0, 0, &Matrix::identity(j + k));
    put(&mut wide, j + k, j + k, &d);
    let core = transposed_product(&wide, &product(&s.w, &wide));
    let n = j + k * (2 + m);
    let mut a = Matrix::zeros(n, n);
    put(&mut a, 0, 0, &core);
    for c in 0..k {
        let slip = j + k + m * k + c;
        a[(slip, j + c)] = s.mu[c];
        for l in 0..m {
            let beta = j + k + c * m + l;
            a[(beta, slip)] = 1.0;
            a[(slip, beta)] = -1.0;
        }
    }
    let mut q = wide.transposed().mul_vec(&s.b);
    q.resize(n, 0.0);
    let mut lower = vec![0.0; n];
    lower[..j].fill(f64::NEG_INFINITY);
    Mixed { m: a, q, lower, upper: vec![f64::INFINITY; n], expected: s.expected() }
}

/// Phantom inertia: z = (λ_n, κ₊, κ₋) with `lines` directions per contact, spatial.
///
/// The friction polygon is circumscribed to the disc; the set of (λ, ξ) is that of the slip-slack
/// form with the polygon's corners as directions, so a solution exists if W is positive definite.
///
/// # Panics
/// If W_TT is not positive definite: the elimination is then impossible.
pub(crate) fn phantom_inertia(s: &System, lines: usize, rho: f64) -> Plain {
    let p = parts(s);
    let (k, kl) = (s.contacts, s.contacts * lines);
    let block = Matrix::from_fn(2, lines, |i, j| {
        let angle = std::f64::consts::PI * j as f64 / lines as f64;
        if i == 0 { angle.cos() } else { angle.sin() }
    });
    let e = per_contact(&block, k);
    let l = cholesky(&p.tt, 1e-12).expect("phantom inertia needs a definite W_TT");
    let (s_tn, s_e) = (cholesky_solve(&l, &p.tn), cholesky_solve(&l, &e));
    let bt = Matrix::from_vec(p.bt.len(), 1, p.bt.clone()).expect("a column");
    let s_bt = cholesky_solve(&l, &bt);
    let ese = transposed_product(&e, &s_e);
    let (nt_s_e, et_s_tn) = (product(&p.nt, &s_e), transposed_product(&e, &s_tn));
    let (nt_s_tn, nt_s_bt) = (product(&p.nt, &s_tn), product(&p.nt, &s_bt));
    let et_s_bt = transposed_product(&e, &s_bt);

    let schur = Matrix::from_fn(k, k, |i, j| p.nn[(i, j)] - nt_s_tn[(i, j)]);
    let a = phantom_matrix(s, rho, [&schur, &nt_s_e, &et_s_tn, &ese]);
    let q = (0..k)
        .map(|i| p.bn[i] - nt_s_bt[(i, 0)])
        .chain((0..kl).map(|i| -et_s_bt[(i, 0)]))
        .chain((0..kl).map(|i| et_s_bt[(i, 0)]))
        .collect();
    Plain::new(a, q, Expected::solvable_if(s.is_definite()))
}

/// The matrix of phantom inertia from its blocks: W_NN − W_NT S W_TN, W_NT S E, EᵀS W_TN, EᵀS E.
fn phantom_matrix(s: &System, rho: f64, [nn, ne, en, ee]: [&Matrix; 4]) -> Matrix {
    let (k, kl) = (nn.rows(), ee.rows());
    let lines = kl / k;
    let mut a = Matrix::zeros(k + 2 * kl, k + 2 * kl);
    let (plus, minus) = (k, k + kl);
    put(&mut a, 0, 0, nn);
    for i in 0..k {
        for j in 0..kl {
            a[(i, plus + j)] = ne[(i, j)];
            a[(i, minus + j)] = -ne[(i, j)];
        }
    }
    for i in 0..kl {
        for j in 0..k {
            let mu = if i / lines == j { s.mu[j] } else { 0.0 };
            a[(plus + i, j)] = mu - en[(i, j)];
            a[(minus + i, j)] = mu + en[(i, j)];
        }
        for j in 0..kl {
            let phantom = if i == j { rho } else { 0.0 };
            a[(plus + i, plus + j)] = ee[(i, j)];
            a[(minus + i, minus + j)] = ee[(i, j)];
            a[(plus + i, minus + j)] = phantom - ee[(i, j)];
            a[(minus + i, plus + j)] = phantom - ee[(i, j)];
        }
    }
    a
}

/// Joints free, normals ≥ 0, tangents within given bounds: friction that does not depend on Λ_N.
///
/// These are the optimality conditions of min ½ΛᵀWΛ + bᵀΛ over a polyhedron with W positive
/// semidefinite. With b = Hᵀv the objective is bounded below by −½vᵀMv, so a minimum is attained
/// (Frank and Wolfe 1956).
pub(crate) fn box_friction(s: &System, bound: f64) -> Mixed {
    let n = s.w.rows();
    let (j, k) = (s.joints, s.contacts);
    let mut lower = vec![-bound; n];
    let mut upper = vec![bound; n];
    lower[..j].fill(f64::NEG_INFINITY);
    upper[..j + k].fill(f64::INFINITY);
    lower[j..j + k].fill(0.0);
    Mixed {
        m: s.w.clone(),
        q: s.b.clone(),
        lower,
        upper,
        expected: Expected::solvable_if(s.in_range || s.is_definite()),
    }
}
