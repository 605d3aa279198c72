//! The velocity of a point of the body as a linear function of the velocities of the masses.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | q | places of the four masses |
//! | d | ¼ Σ (q_i − c) t_iᵀ: the map from the axes of the corners t_i to the world |
//! | a, b | q₂ − q₁ and q₃ − q₁ |

use super::tetrahedron::{CORNERS, Quad, centre, corner_map};
use glam::{DMat3, DVec3};

/// How the rows of contacts are made. Both give the same on rigid motions, and the same contact problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactRows {
    /// v_P = Σ w_i v_i with the barycentric weights of P: on a fixed plane the rows do not change while the body moves.
    #[default]
    Barycentric,
    /// From the first three masses alone, as paper 5 has it: v_P = v₁ + α ȧ + β ḃ + γ (ȧ × b + a × ḃ) with
    /// P − q₁ = α a + β b + γ a × b.
    ThreePoint,
}

/// Coefficients of the velocities of the four masses.
pub type PointRow = [DVec3; 4];

impl ContactRows {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Barycentric, Self::ThreePoint];

    /// The row whose product with the velocities is the velocity along `direction` of the point of the body that is at
    /// `point`. The masses must not lie in a plane.
    #[must_use]
    pub fn along(self, q: &[DVec3; 4], point: DVec3, direction: DVec3) -> PointRow {
        match self {
            Self::Barycentric => weights(q, point).map(|w| w * direction),
            Self::ThreePoint => three_point(q, point, direction),
        }
    }
}

/// The row whose product with the velocities is the angular velocity along `axis`: half of the curl of the
/// velocity that is linear between the masses.
pub(crate) fn about(q: &Quad, axis: DVec3) -> PointRow {
    let back = corner_map(q).inverse().transpose();
    CORNERS.map(|t| 0.125 * axis.cross(back * t))
}

/// The weights w with Σ w_i = 1 and Σ w_i q_i = P.
fn weights(q: &Quad, point: DVec3) -> [f64; 4] {
    let s = corner_map(q).inverse() * (point - centre(q));
    CORNERS.map(|t| 0.25 * (1.0 + t.dot(s)))
}

/// \[5\] page 2: v_P = v_i + ω × (P − q_i) for three masses, with ω eliminated by
/// ω × (a × b) = ȧ × b + a × ḃ.
fn three_point(q: &Quad, point: DVec3, direction: DVec3) -> PointRow {
    let (a, b) = (q[1] - q[0], q[2] - q[0]);
    let share = DMat3::from_cols(a, b, a.cross(b)).inverse() * (point - q[0]);
    let on_a = share.x * direction + share.z * b.cross(direction);
    let on_b = share.y * direction + share.z * direction.cross(a);
    [direction - on_a - on_b, on_a, on_b, DVec3::ZERO]
}

/// The row whose product with the velocities is force · v + moment · ω of the body: what a row of a rigid body is for the
/// masses, exact where they move as one.
pub(crate) fn pull_back(q: &Quad, row: &[f64; 6]) -> PointRow {
    let (force, moment) = (DVec3::from_slice(&row[..3]), DVec3::from_slice(&row[3..]));
    about(q, moment).map(|x| 0.25 * force + x)
}
