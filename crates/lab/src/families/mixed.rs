//! Mixed problems: free, boxed, fixed unknowns.

use crate::Expected;
use crate::contact::{self, box_friction as constant_friction, stewart_trinkle_mixed};
use crate::dense::{add, add_diagonal, normal_matrix, put, skew, transposed_product};
use crate::instance::Mixed;
use complementarity::Matrix;
use stickslip_studies::Draw;

const INF: f64 = f64::INFINITY;

/// Frictionless contacts and joints, some of the latter twice.
///
/// The optimality conditions of min ½‖v − v_free‖² in the mass metric over the velocities that
/// joints and contacts allow, which include v = 0: a projection, so multipliers exist.
pub(super) fn joints(d: &mut Draw, n: usize) -> Mixed {
    let tangents = 1 + d.index(2);
    let redundant = d.chance(0.5);
    let count = (n / 3).max(1);
    let system =
        contact::with_joints(d, tangents, n.saturating_sub(count).max(1), count, redundant);
    let keep = system.joints + system.contacts;
    let m = Matrix::from_fn(keep, keep, |i, j| system.w[(i, j)]);
    let mut lower = vec![0.0; keep];
    lower[..system.joints].fill(-INF);
    Mixed {
        m,
        q: system.b[..keep].to_vec(),
        lower,
        upper: vec![INF; keep],
        expected: Expected::Solvable,
    }
}

/// Friction and joints in the slip-slack form.
///
/// Joint impulses are eliminated by projecting M⁻¹ on the motions that the joints allow (those of
/// dependent joints are set to zero), which leaves a system of the same form with b = Hᵀv.
pub(super) fn joints_friction(d: &mut Draw, n: usize) -> Mixed {
    let tangents = 1 + d.index(2);
    let directions = if tangents == 1 { 2 } else { 4 };
    let joints = (n / 5).max(1);
    let contacts = (n.saturating_sub(joints) / (directions + 2)).max(1);
    let redundant = d.chance(0.5);
    let system = contact::with_joints(d, tangents, contacts, joints, redundant);
    stewart_trinkle_mixed(&system, directions)
}

/// A chain of bars on the ground; pinned at both ends, once too often, in half of the cases.
pub(super) fn chain(d: &mut Draw, n: usize) -> Mixed {
    let loops = d.chance(0.5);
    let system = contact::jointed_chain(d, (n / 6).max(1), loops);
    stewart_trinkle_mixed(&system, 2)
}

/// Positive definite, possibly unsymmetric; each unknown free, bounded on one side or both, or
/// fixed. A strongly monotone variational inequality: exactly one solution.
pub(super) fn box_definite(d: &mut Draw, n: usize) -> Mixed {
    let g = normal_matrix(d, n, n);
    let mut m = transposed_product(&g, &g);
    add_diagonal(&mut m, 0.1);
    if d.chance(0.5) {
        add(&mut m, &skew(d, n, 1.0));
    }
    let (mut lower, mut upper) = (vec![-INF; n], vec![INF; n]);
    for i in 0..n {
        let (a, width) = (d.normal(), d.unit());
        match d.index(6) {
            0 => {}
            1 => lower[i] = a,
            2 => upper[i] = a,
            3 => (lower[i], upper[i]) = (a, a),
            4 => lower[i] = 0.0,
            _ => (lower[i], upper[i]) = (a, a + width),
        }
    }
    Mixed { m, q: d.normals(n), lower, upper, expected: Expected::Solvable }
}

/// Friction of constant size, with and without joints; redundant contacts as well.
pub(super) fn box_friction(d: &mut Draw, n: usize) -> Mixed {
    let bound = if d.chance(0.1) { 0.0 } else { d.log_between(0.01, 10.0) };
    let system = match d.index(4) {
        0 => contact::planar_stack(d, (n / 2).max(1)),
        1 => contact::box_stack(d, (n / 3).max(1)),
        2 => contact::jointed_chain(d, (n / 4).max(1), true),
        _ => {
            let tangents = 1 + d.index(2);
            contact::with_joints(d, tangents, (n / (2 + tangents)).max(1), (n / 5).max(1), false)
        }
    };
    constant_friction(&system, bound)
}

/// min ½xᵀQx + cᵀx with equations, inequalities and bounds on x; the multipliers of the equations
/// are free and have a zero block.
///
/// Q is positive definite and x0 within the bounds meets all constraints, so a minimum exists,
/// and its linear constraints give multipliers.
pub(super) fn quadratic_program(d: &mut Draw, n: usize) -> Mixed {
    let (equations, inequalities) = (n / 4, n / 4);
    let x = n - equations - inequalities;
    let rows = equations + inequalities;
    let mut m = Matrix::zeros(n, n);
    let g = normal_matrix(d, x, x);
    let mut quadratic = transposed_product(&g, &g);
    add_diagonal(&mut quadratic, 0.1);
    put(&mut m, 0, 0, &quadratic);
    let a = normal_matrix(d, rows, x);
    super::semidefinite::put_program(&mut m, &a);
    let x0 = d.normals(x);
    let (mut lower, mut upper) = (vec![-INF; n], vec![INF; n]);
    for i in 0..x {
        match d.index(3) {
            0 => {}
            1 => lower[i] = x0[i] - d.unit(),
            _ => (lower[i], upper[i]) = (x0[i] - d.unit(), x0[i] + d.unit()),
        }
    }
    lower[x + equations..].fill(0.0);
    let mut q = d.normals(x);
    for (i, ax) in a.mul_vec(&x0).iter().enumerate() {
        q.push(if i < equations { -ax } else { d.unit() - ax });
    }
    Mixed { m, q, lower, upper, expected: Expected::Solvable }
}

/// A program with the same equation twice and two right sides: no solution, and the difference of
/// the two rows shows it.
pub(super) fn inconsistent(d: &mut Draw, n: usize) -> Mixed {
    let x = n.saturating_sub(2).max(1);
    let mut m = Matrix::zeros(x + 2, x + 2);
    let g = normal_matrix(d, x, x);
    put(&mut m, 0, 0, &transposed_product(&g, &g));
    let row = normal_matrix(d, 1, x);
    let a = Matrix::from_fn(2, x, |_, j| row[(0, j)]);
    super::semidefinite::put_program(&mut m, &a);
    let mut q = d.normals(x);
    q.extend([1.0, 1.0 + d.between(0.1, 1.0)]);
    let mut lower = vec![-INF; x + 2];
    for l in &mut lower[..x] {
        *l = if d.chance(0.5) { 0.0 } else { -INF };
    }
    Mixed { m, q, lower, upper: vec![INF; x + 2], expected: Expected::Unsolvable }
}

/// Any matrix, every unknown between finite bounds: solvable since a continuous map on a compact
/// convex set has a variational solution (Hartman and Stampacchia 1966), but hard to find.
pub(super) fn box_any(d: &mut Draw, n: usize) -> Mixed {
    Mixed {
        m: normal_matrix(d, n, n),
        q: d.normals(n),
        lower: (0..n).map(|_| -d.unit()).collect(),
        upper: (0..n).map(|_| d.unit()).collect(),
        expected: Expected::Solvable,
    }
}
