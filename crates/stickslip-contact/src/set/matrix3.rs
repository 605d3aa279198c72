//! Three equations in three unknowns.

use super::vector::{Vector, cross, dot, scale};

/// The solution of m y = b by Cramer's rule; nothing if m is singular.
pub(crate) fn solve(m: &[Vector; 3], b: &Vector) -> Option<Vector> {
    // Rows r: y = (b₀ r₁×r₂ + b₁ r₂×r₀ + b₂ r₀×r₁) / det.
    let faces = [cross(&m[1], &m[2]), cross(&m[2], &m[0]), cross(&m[0], &m[1])];
    let det = dot(&m[0], &faces[0]);
    let mut y = [0.0; 3];
    for (face, b) in faces.iter().zip(b) {
        for i in 0..3 {
            y[i] += b * face[i];
        }
    }
    let y = scale(1.0 / det, &y);
    y.iter().all(|c| c.is_finite()).then_some(y)
}
