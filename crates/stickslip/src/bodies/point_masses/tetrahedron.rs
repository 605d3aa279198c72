//! One body as four point masses, and the six bars between them.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | q, v | places and velocities of the masses | 4 × 3 |
//! | c | centre of the masses | 3 |
//! | e | unit vectors of the bars: the rows A of \[5\] eq. (1) hold e and −e | 6 × 3 |
//! | g | A Aᵀ, since all masses are the same, and its Cholesky factor | 6 × 6 |
//! | φ | length of a bar less what it should be | 6 |

use super::super::inertia::principal_moments;
use super::super::{MassProperties, Pose, Twist};
use crate::error::{Error, check};
use glam::{DMat3, DQuat, DVec3};

pub(crate) type Quad = [DVec3; 4];

/// Alternate corners of a cube: their sum is 0, and Σ t tᵀ = 4.
pub(crate) const CORNERS: Quad = [
    DVec3::new(1.0, 1.0, 1.0),
    DVec3::new(1.0, -1.0, -1.0),
    DVec3::new(-1.0, 1.0, -1.0),
    DVec3::new(-1.0, -1.0, 1.0),
];

const BARS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];

/// The least second moment of a body as a share of its largest, below which it counts as flat.
const FLAT: f64 = 1e-8;

/// Most iterations of SHAKE and of the projection; the ratio of the former is the angle per step.
const MOST_ITERATIONS: usize = 60;

/// Four masses m/4 at L t_i in the axes of the body, with t_i alternate corners of the cube and
/// L Lᵀ = (½ tr(I) 1 − I)/m: mass, centre and inertia of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tetrahedron {
    properties: MassProperties,
    local: Quad,
    /// L⁻¹.
    inverse: DMat3,
    lengths: [f64; 6],
}

impl Tetrahedron {
    /// The masses of a body.
    ///
    /// # Errors
    /// If the body is flat (a thin disc or plate, a rod): the masses would lie in a plane, where the six distances depend on
    /// each other and cannot hold the body.
    pub fn new(properties: MassProperties) -> Result<Self, Error> {
        let (mass, inertia) = (properties.mass(), properties.inertia());
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let second = (DMat3::from_diagonal(DVec3::splat(0.5 * trace)) - inertia) * (1.0 / mass);
        let [a, b, c] = principal_moments(second);
        let (least, largest) = (a.min(b).min(c), a.max(b).max(c));
        let place = || "the least second moment of a body of point masses".to_owned();
        let wanted = "above 1e-8 of the largest: four masses of a flat body lie in a plane; use the rigid model for it";
        check(place, least, least > FLAT * largest, wanted)?;
        let l = cholesky(second);
        let local = CORNERS.map(|t| l * t);
        let lengths = BARS.map(|(i, j)| (local[i] - local[j]).length());
        Ok(Self { properties, local, inverse: l.inverse(), lengths })
    }

    /// The body that the masses stand for.
    #[must_use]
    pub fn properties(&self) -> &MassProperties {
        &self.properties
    }

    /// Places of the masses in the axes of the body.
    #[must_use]
    pub fn local(&self) -> [DVec3; 4] {
        self.local
    }

    /// Places and velocities of the masses of a body with this motion.
    #[must_use]
    pub fn masses(&self, pose: &Pose, twist: &Twist) -> ([DVec3; 4], [DVec3; 4]) {
        let levers = self.local.map(|x| pose.rotation * x);
        (levers.map(|x| pose.position + x), levers.map(|x| twist.at(x)))
    }

    /// The motion of the rigid body that is nearest to these masses and has their momentum and angular momentum.
    #[must_use]
    pub fn motion(&self, q: &[DVec3; 4], v: &[DVec3; 4]) -> (Pose, Twist) {
        (self.pose(q), self.twist(q, v))
    }

    pub(crate) fn pose(&self, q: &Quad) -> Pose {
        let stretch = corner_map(q) * self.inverse;
        Pose { position: centre(q), rotation: nearest_rotation(stretch) }
    }

    pub(crate) fn twist(&self, q: &Quad, v: &Quad) -> Twist {
        let angular = unit_inertia(q).inverse() * unit_momentum(q, v);
        Twist { linear: centre(v), angular }
    }

    /// What each mass gets of a force and a torque about the centre, as an acceleration.
    pub(crate) fn acceleration(&self, q: &Quad, (force, torque): (DVec3, DVec3)) -> Quad {
        let each = 0.25 * self.properties.mass();
        let turn = if torque == DVec3::ZERO {
            DVec3::ZERO
        } else {
            unit_inertia(q).inverse() * torque / each
        };
        let (c, along) = (centre(q), force / self.properties.mass());
        q.map(|x| along + turn.cross(x - c))
    }

    /// φ of each bar.
    pub(crate) fn excess(&self, q: &Quad) -> [f64; 6] {
        let mut out = self.lengths;
        for (k, (i, j)) in BARS.into_iter().enumerate() {
            let between = q[i] - q[j];
            let l = self.lengths[k];
            out[k] = (between.length_squared() - l * l) / (between.length() + l);
        }
        out
    }

    pub(crate) fn longest(&self) -> f64 {
        self.lengths.into_iter().fold(0.0, f64::max)
    }

    /// A φ that is rounding.
    pub(crate) fn rounding(&self, q: &Quad) -> f64 {
        let size = q.iter().fold(self.longest(), |m, x| m.max(x.abs().max_element()));
        16.0 * f64::EPSILON * size
    }

    /// SHAKE: the impulses of the bars at q, added to v, so that q + Δt v has the right distances. False if it finds
    /// none.
    pub(crate) fn shake(&self, bars: &Bars, q: &Quad, v: &mut Quad, dt: f64) -> bool {
        let enough = self.rounding(q);
        for _ in 0..MOST_ITERATIONS {
            let off = self.excess(&moved(q, v, dt));
            if largest(&off) <= enough {
                return true;
            }
            bars.push(v, &bars.solve(off.map(|x| -x / dt)));
        }
        false
    }

    /// Puts the masses back to their distances by the shortest way; None if there is none.
    pub(crate) fn restore(&self, q: &mut Quad) -> Option<()> {
        let enough = self.rounding(q);
        for _ in 0..MOST_ITERATIONS {
            let off = self.excess(q);
            if largest(&off) <= enough {
                return Some(());
            }
            let bars = Bars::new(q)?;
            bars.push(q, &bars.solve(off.map(|x| -x)));
        }
        None
    }
}

/// The six bars at a configuration: A, and A Aᵀ factorised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bars {
    e: [DVec3; 6],
    inverse_lengths: [f64; 6],
    factor: [[f64; 6]; 6],
}

impl Bars {
    /// None if the masses lie in a plane, or a number is not finite.
    pub(crate) fn new(q: &Quad) -> Option<Self> {
        let mut e = [DVec3::ZERO; 6];
        let mut inverse_lengths = [0.0; 6];
        for (k, (i, j)) in BARS.into_iter().enumerate() {
            let between = q[i] - q[j];
            inverse_lengths[k] = 1.0 / between.length();
            e[k] = between * inverse_lengths[k];
        }
        let mut g = [[0.0; 6]; 6];
        for (k, (a, b)) in BARS.into_iter().enumerate() {
            for (l, (c, d)) in BARS.into_iter().enumerate().take(k + 1) {
                let same = f64::from(a == c) + f64::from(b == d);
                g[k][l] = (same - f64::from(a == d) - f64::from(b == c)) * e[k].dot(e[l]);
            }
        }
        for k in 0..6 {
            for l in 0..=k {
                let sum = (0..l).fold(g[k][l], |s, m| s - g[k][m] * g[l][m]);
                if k > l {
                    g[k][l] = sum / g[l][l];
                } else if sum > 1e-14 {
                    g[k][k] = sum.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Self { e, inverse_lengths, factor: g })
    }

    /// A v.
    pub(crate) fn stretching(&self, v: &Quad) -> [f64; 6] {
        let mut out = [0.0; 6];
        for (k, (i, j)) in BARS.into_iter().enumerate() {
            out[k] = self.e[k].dot(v[i] - v[j]);
        }
        out
    }

    /// Ȧ v: how fast bars would stretch more if the masses went straight on.
    pub(crate) fn centrifugal(&self, v: &Quad) -> [f64; 6] {
        let mut out = [0.0; 6];
        for (k, (i, j)) in BARS.into_iter().enumerate() {
            let w = v[i] - v[j];
            let across = w - self.e[k] * self.e[k].dot(w);
            out[k] = across.length_squared() * self.inverse_lengths[k];
        }
        out
    }

    /// (A Aᵀ)⁻¹ b.
    pub(crate) fn solve(&self, mut b: [f64; 6]) -> [f64; 6] {
        let f = &self.factor;
        for k in 0..6 {
            b[k] = (0..k).fold(b[k], |s, m| s - f[k][m] * b[m]) / f[k][k];
        }
        for k in (0..6).rev() {
            b[k] = (k + 1..6).fold(b[k], |s, m| s - f[m][k] * b[m]) / f[k][k];
        }
        b
    }

    /// v += Aᵀ λ.
    pub(crate) fn push(&self, v: &mut Quad, lambda: &[f64; 6]) {
        for (k, (i, j)) in BARS.into_iter().enumerate() {
            let push = lambda[k] * self.e[k];
            v[i] += push;
            v[j] -= push;
        }
    }

    /// Adds what the bars do so that A v is the target.
    pub(crate) fn hold(&self, v: &mut Quad, target: [f64; 6]) {
        let is = self.stretching(v);
        let mut missing = target;
        missing.iter_mut().zip(is).for_each(|(m, x)| *m -= x);
        self.push(v, &self.solve(missing));
    }
}

pub(crate) fn largest(values: &[f64; 6]) -> f64 {
    // NaN must not pass as small.
    values.iter().fold(0.0, |m, x| if x.abs() <= m { m } else { x.abs() })
}

/// q + dt v.
pub(crate) fn moved(q: &Quad, v: &Quad, dt: f64) -> Quad {
    std::array::from_fn(|i| q[i] + dt * v[i])
}

pub(crate) fn centre(q: &Quad) -> DVec3 {
    0.25 * ((q[0] + q[1]) + (q[2] + q[3]))
}

/// ¼ Σ (q_i − c) t_iᵀ, which is R L of a rigid body.
pub(crate) fn corner_map(q: &Quad) -> DMat3 {
    let [a, b, c, d] = *q;
    0.25 * DMat3::from_cols((a + b) - (c + d), (a + c) - (b + d), (a + d) - (b + c))
}

/// Σ (|x|² 1 − x xᵀ) about the centre.
pub(crate) fn unit_inertia(q: &Quad) -> DMat3 {
    let c = centre(q);
    q.iter().fold(DMat3::ZERO, |sum, x| {
        let x = *x - c;
        let outer = DMat3::from_cols(x.x * x, x.y * x, x.z * x);
        sum + (DMat3::from_diagonal(DVec3::splat(x.length_squared())) - outer)
    })
}

/// Σ x × v about the centre.
pub(crate) fn unit_momentum(q: &Quad, v: &Quad) -> DVec3 {
    let c = centre(q);
    q.iter().zip(v).fold(DVec3::ZERO, |sum, (x, v)| sum + (*x - c).cross(*v))
}

fn cholesky(m: DMat3) -> DMat3 {
    let a = m.x_axis.x.sqrt();
    let (b, c) = (m.x_axis.y / a, m.x_axis.z / a);
    let d = (m.y_axis.y - b * b).sqrt();
    let e = (m.y_axis.z - b * c) / d;
    let f = (m.z_axis.z - c * c - e * e).sqrt();
    DMat3::from_cols(DVec3::new(a, b, c), DVec3::new(0.0, d, e), DVec3::new(0.0, 0.0, f))
}

/// The rotation nearest to a matrix near one, by Newton's iteration for the polar decomposition.
fn nearest_rotation(mut m: DMat3) -> DQuat {
    for _ in 0..MOST_ITERATIONS {
        let next = 0.5 * (m + m.inverse().transpose());
        let change = (next - m).to_cols_array().into_iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        m = next;
        if !(change > 1e-12) {
            break;
        }
    }
    DQuat::from_mat3(&m).normalize()
}
