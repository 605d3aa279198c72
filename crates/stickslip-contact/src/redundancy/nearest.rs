//! The nearest point to p of the impulses that the laws allow and that give the same velocities.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | C | the product of the cones of the contacts |
//! | x₀ | the answer; x − x₀ has to stay in the null space, A (x − x₀) = 0 |
//! | A, Z | orthonormal rows, orthonormal columns: A Z = 0, AᵀA + Z Zᵀ = 1 |
//! | ν | multipliers of A (x − x₀) = 0 |
//!
//! min ½|x − p|² over x ∈ C with A (x − x₀) = 0 has the dual min φ(ν), φ(ν) = ½|y|² − ½|y − P_C(y)|² − νᵀA x₀ with
//! y = p + Aᵀν, which is convex with the gradient F(ν) = A (P_C(y) − x₀). At its minimum x = P_C(y) is the nearest
//! point. Newton's method on F with a derivative of the projection (Qi and Sun 2006, for correlation matrices), a
//! little of the identity added, and a line search on φ.

use super::admissible::Admissible;
use nalgebra::{Cholesky, DMatrix, DVector};

/// Steps of Newton's method.
const STEPS: usize = 200;
/// Halvings in the line search.
const HALVINGS: i32 = 40;
/// F as a share of the size of impulses, at which a point counts as found.
pub(super) const FOUND: f64 = 1e-12;

/// Impulses that give no velocity and that the equations of the laws do not bind, and those that are bound.
#[derive(Clone, Debug)]
pub(super) struct Space {
    pub(super) a: DMatrix<f64>,
    pub(super) z: DMatrix<f64>,
}

/// A point, and how it was found.
#[derive(Clone, Debug)]
pub(super) struct Nearest {
    pub(super) x: DVector<f64>,
    /// |F| over the size of impulses.
    pub(super) residual: f64,
    pub(super) steps: usize,
}

struct At {
    y: DVector<f64>,
    x: DVector<f64>,
    f: DVector<f64>,
    value: f64,
}

/// The nearest point to p; `residual` tells how well it was found. None where the numbers overflow.
pub(super) fn nearest(set: &Admissible, space: &Space, p: &DVector<f64>) -> Option<Nearest> {
    let x0 = DVector::from_column_slice(&set.start);
    let bound = &space.a * &x0;
    // Without cones this is the answer.
    let mut nu = &bound - &space.a * p;
    let mut at = evaluate(set, space, p, &bound, &nu)?;
    let mut steps = 0;
    while steps < STEPS && at.f.amax() > f64::EPSILON * set.reference {
        steps += 1;
        let step = newton_step(set, space, &at)?;
        let slope = at.f.dot(&step);
        let better = (0..HALVINGS).map(|i| 0.5_f64.powi(i)).find_map(|t| {
            let trial = &nu + &step * t;
            let next = evaluate(set, space, p, &bound, &trial)?;
            let falls = next.value <= at.value + 1e-4 * t * slope;
            // Where φ is flat to rounding its gradient is not.
            (falls || next.f.amax() < 0.5 * at.f.amax()).then_some((trial, next))
        });
        let Some((trial, next)) = better else { break };
        let stalled = next.f.amax() >= at.f.amax() && at.f.amax() <= FOUND * set.reference;
        if stalled {
            break;
        }
        (nu, at) = (trial, next);
    }
    let residual = at.f.amax() / set.reference;
    Some(Nearest { x: at.x, residual, steps })
}

fn evaluate(
    set: &Admissible,
    space: &Space,
    p: &DVector<f64>,
    bound: &DVector<f64>,
    nu: &DVector<f64>,
) -> Option<At> {
    let y = p + space.a.tr_mul(nu);
    let mut x = y.clone();
    for cone in &set.cones {
        let rows = cone.rows.clone();
        cone.project(&y.as_slice()[rows.clone()], &mut x.as_mut_slice()[rows]);
    }
    let f = &space.a * &x - bound;
    let value = 0.5 * (y.norm_squared() - (&y - &x).norm_squared()) - nu.dot(bound);
    (value.is_finite() && f.iter().all(|f| f.is_finite())).then_some(At { y, x, f, value })
}

/// −(A J Aᵀ + ε)⁻¹ F with J the derivative of the projection.
fn newton_step(set: &Admissible, space: &Space, at: &At) -> Option<DVector<f64>> {
    let (m, n) = space.a.shape();
    let mut ja = DMatrix::zeros(n, m);
    let mut block = [0.0; 36];
    for cone in &set.cones {
        let (first, k) = (cone.rows.start, cone.rows.len());
        let block = &mut block[..k * k];
        cone.derivative(&at.y.as_slice()[cone.rows.clone()], block);
        for (i, row) in block.chunks_exact(k).enumerate() {
            for (j, &d) in row.iter().enumerate().filter(|(_, d)| **d != 0.0) {
                for c in 0..m {
                    ja[(first + i, c)] += d * space.a[(c, first + j)];
                }
            }
        }
    }
    let mut matrix = &space.a * ja;
    let share = (at.f.amax() / set.reference).min(1e-2);
    let (mut damping, mut step) = (1e-3 * share + 1e-13, None);
    for _ in 0..30 {
        for i in 0..m {
            matrix[(i, i)] += damping;
        }
        step = Cholesky::new(matrix.clone()).map(|c| c.solve(&-&at.f));
        if step.as_ref().is_some_and(|s| s.iter().all(|s| s.is_finite())) {
            break;
        }
        damping *= 10.0;
    }
    step
}
