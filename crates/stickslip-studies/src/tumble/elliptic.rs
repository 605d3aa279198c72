//! Free rotation in closed form: Jacobi's elliptic functions for the angular velocity, one quadrature for the
//! rotation.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | a, b, c | the principal axes: b the middle one, c the one that the momentum goes around in the body |
//! | m, m1 | the square of the modulus, and 1 less it |
//! | γ | the direction of the momentum in the body |

use glam::{DMat3, DQuat, DVec3};

/// sn, cn, dn at u, from m = k² and 1 − m, by descending Landen transformations (the arithmetic-geometric mean).
pub fn jacobi(u: f64, m: f64, m1: f64) -> [f64; 3] {
    let (mut a, mut b) = ([1.0; 24], m1.sqrt());
    let mut c = [m.sqrt(); 24];
    let mut n = 0;
    while n < 23 && c[n].abs() > f64::EPSILON * a[n] {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = (a[n] * b).sqrt();
        n += 1;
    }
    let mut phi = f64::from(1_u32 << n) * a[n] * u;
    for i in (1..=n).rev() {
        phi = 0.5 * (phi + (c[i] / a[i] * phi.sin()).asin());
    }
    let (sn, cn) = phi.sin_cos();
    // m1 + m cn² has no cancellation.
    [sn, cn, (m1 + m * cn * cn).sqrt()]
}

/// Carlson's R_F by duplication.
fn carlson(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    for _ in 0..60 {
        let l = (x * y).sqrt() + (y * z).sqrt() + (z * x).sqrt();
        (x, y, z) = (0.25 * (x + l), 0.25 * (y + l), 0.25 * (z + l));
        let mean = (x + y + z) / 3.0;
        if (x - mean).abs().max((y - mean).abs()).max((z - mean).abs()) < 1e-16 * mean {
            break;
        }
    }
    (3.0 / (x + y + z)).sqrt()
}

/// The amplitude's inverse: F(φ) for φ in [−π, π].
fn first_kind(phi: f64, m: f64, m1: f64) -> f64 {
    let quarter = |p: f64| {
        let (s, c) = p.sin_cos();
        s * carlson(c * c, m1 + m * c * c, 1.0)
    };
    let half = std::f64::consts::FRAC_PI_2;
    if phi.abs() <= half {
        return quarter(phi);
    }
    let whole = 2.0 * carlson(0.0, m1, 1.0);
    phi.signum() * (whole - quarter(std::f64::consts::PI - phi.abs()))
}

/// A body that turns freely, given in its principal axes.
#[derive(Clone, Copy, Debug)]
pub struct FreeRotor {
    moments: [f64; 3],
    /// Which axes are a, b, c.
    axes: [usize; 3],
    amplitudes: [f64; 3],
    rate: f64,
    phase: f64,
    m: f64,
    m1: f64,
    momentum: f64,
    /// Rotation from (γ, towards c, across) at the beginning to the world.
    world: DMat3,
}

impl FreeRotor {
    /// From principal moments, which must differ, and the motion at the beginning; the angular velocity in body
    /// axes must not be one of steady rotation.
    pub fn new(moments: DVec3, rotation: DQuat, velocity: DVec3) -> Self {
        let (i, w) = (moments.to_array(), velocity.to_array());
        let mut axes = [0, 1, 2];
        axes.sort_by(|x, y| i[*x].total_cmp(&i[*y]));
        let twice_energy: f64 = (0..3).map(|k| i[k] * w[k] * w[k]).sum();
        let square: f64 = (0..3).map(|k| (i[k] * w[k]).powi(2)).sum();
        let around_largest = square >= twice_energy * i[axes[1]];
        if !around_largest {
            axes.swap(0, 2);
        }
        let [a, b, c] = axes;
        // Sums without cancellation of L² − 2 E I_a and 2 E I_c − L².
        let less = |x: usize| (0..3).map(|k| i[k] * (i[k] - i[x]) * w[k] * w[k]).sum::<f64>();
        let (over_a, under_c) = (less(a), -less(c));
        let even = matches!(axes, [0, 1, 2] | [1, 2, 0] | [2, 0, 1]);
        let product = if even == around_largest { 1.0 } else { -1.0 };
        let sign_c = w[c].signum();
        let amplitudes = [
            product * sign_c * (under_c / (i[a] * (i[c] - i[a]))).sqrt(),
            (under_c / (i[b] * (i[c] - i[b]))).sqrt(),
            sign_c * (over_a / (i[c] * (i[c] - i[a]))).sqrt(),
        ];
        let rate = ((i[c] - i[b]) * over_a / (i[a] * i[b] * i[c])).sqrt();
        let m = (i[b] - i[a]) * under_c / ((i[c] - i[b]) * over_a);
        // 1 − m = (I_c − I_a)(L² − 2 E I_b) / ((I_c − I_b)(L² − 2 E I_a)).
        let m1 = (i[c] - i[a]) * less(b) / ((i[c] - i[b]) * over_a);
        let phase = first_kind((w[b] / amplitudes[1]).atan2(w[a] / amplitudes[0]), m, m1);
        let momentum = square.sqrt();
        let mut rotor = Self {
            moments: i,
            axes,
            amplitudes,
            rate,
            phase,
            m,
            m1,
            momentum,
            world: DMat3::IDENTITY,
        };
        rotor.world = DMat3::from_quat(rotation) * rotor.triad(velocity);
        rotor
    }

    /// The angular velocity in body axes.
    pub fn velocity(&self, t: f64) -> DVec3 {
        let [sn, cn, dn] = jacobi(self.phase + self.rate * t, self.m, self.m1);
        let mut w = [0.0; 3];
        for (axis, x) in [cn, sn, dn].into_iter().enumerate() {
            w[self.axes[axis]] = self.amplitudes[axis] * x;
        }
        DVec3::from(w)
    }

    /// The rotation from body to world axes. The precession of the axis c around the momentum is a quadrature
    /// of a smooth function, which Gauss' rule gives to rounding.
    pub fn rotation(&self, t: f64) -> DQuat {
        let panels = (8.0 * self.momentum * t.abs() / self.least()).ceil().max(1.0);
        let h = t / panels;
        let mut angle = 0.0;
        for p in 0..panels as usize {
            let middle = (p as f64 + 0.5) * h;
            for (x, weight) in GAUSS {
                for side in [-1.0, 1.0] {
                    angle += 0.5 * h * weight * self.precession(middle + side * 0.5 * h * x);
                }
            }
        }
        let (s, c) = angle.sin_cos();
        let turn = DMat3::from_cols(DVec3::X, DVec3::new(0.0, c, s), DVec3::new(0.0, -s, c));
        let r = self.world * turn * self.triad(self.velocity(t)).transpose();
        DQuat::from_mat3(&r).normalize()
    }

    fn least(&self) -> f64 {
        self.moments.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// How fast the axis c goes around the momentum: L (I_a ω_a² + I_b ω_b²) / (I_a² ω_a² + I_b² ω_b²).
    fn precession(&self, t: f64) -> f64 {
        let w = self.velocity(t).to_array();
        let [a, b, _] = self.axes;
        let i = &self.moments;
        let top = i[a] * w[a] * w[a] + i[b] * w[b] * w[b];
        self.momentum * top / ((i[a] * w[a]).powi(2) + (i[b] * w[b]).powi(2))
    }

    /// γ, the part of the axis c across γ, and what makes them a right-handed triad; in body axes.
    fn triad(&self, velocity: DVec3) -> DMat3 {
        let along = (DVec3::from(self.moments) * velocity).normalize();
        let c = DVec3::AXES[self.axes[2]];
        let across = (c - along * along.dot(c)).normalize();
        DMat3::from_cols(along, across, along.cross(across))
    }
}

/// Gauss' rule with eight points on [−1, 1]: the positive points and their weights.
const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];
