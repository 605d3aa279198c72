//! One planar contact with Coulomb friction, solved by its cases: open, stick, and the two directions of slip.
//! Most steps of most runs have just one.
//!
//! # Notation
//! W = [[a, c], [c, d]], b = (n, t), μ: unknowns Λ_N, Λ_T with ξ = W Λ + b.

use crate::ContactProblem;

/// Impulses that obey the law but for rounding, and how many cases were looked at; none where the cases are told
/// apart by rounding alone, or where friction has a part that does not depend on the load.
///
/// If several cases are possible, the first of open, stick, slip is taken.
pub(super) fn solve(problem: &ContactProblem) -> Option<([f64; 2], usize)> {
    let [law] = problem.laws() else { return None };
    if law.radius != 0.0 || law.sliding.is_some() {
        return None;
    }
    let w = problem.delassus().as_dense()?.as_slice();
    let (a, c, e, d) = (w[0], w[1], w[2], w[3]);
    let (n, t) = (problem.bias()[0], problem.bias()[1]);
    if n >= 0.0 {
        return Some(([0.0, 0.0], 1));
    }
    let mu = law.mu;
    // Stick: W Λ = −b, inside of the cone.
    let det = a * d - c * e;
    if mu > 0.0 && det > 1e-9 * a * d {
        let (lam_n, lam_t) = ((c * t - d * n) / det, (e * n - a * t) / det);
        if lam_t.abs() <= mu * lam_n {
            return Some(([lam_n, lam_t], 2));
        }
    }
    // Slip with sign s: Λ_T = −s μ Λ_N, ξ_N = 0, and s ξ_T ≥ 0.
    for s in [1.0, -1.0] {
        let factor = a - s * mu * c;
        if factor > 1e-9 * a {
            let lam_n = -n / factor;
            let slip = (e - s * mu * d) * lam_n + t;
            if s * slip >= 0.0 || mu == 0.0 {
                return Some(([lam_n, -s * mu * lam_n], 3));
            }
        }
    }
    None
}
