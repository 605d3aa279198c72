//! Free rotation by Taylor series of a high order: a second reference, which shares nothing with elliptic functions.

use glam::{DQuat, DVec3};

const ORDER: usize = 24;

/// Rotation and angular velocity in body axes at time t, from principal moments and the motion at the beginning.
///
/// The right-hand sides of Ω' = J⁻¹(J Ω × Ω) and q' = ½ q Ω are products, whose series are sums of
/// products of coefficients. A step turns the body by about a fifth of a radian, and what the series leaves is rounding.
pub fn taylor(moments: DVec3, rotation: DQuat, velocity: DVec3, t: f64) -> (DQuat, DVec3) {
    let (mut r, mut w) = (rotation, velocity);
    let steps = (5.0 * velocity.length() * t.abs()).ceil().max(1.0);
    let h = t / steps;
    for _ in 0..steps as usize {
        (r, w) = step(moments, r, w, h);
    }
    (r, w)
}

fn step(moments: DVec3, r: DQuat, w: DVec3, h: f64) -> (DQuat, DVec3) {
    let mut ws = [DVec3::ZERO; ORDER + 1];
    let mut rs = [DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0); ORDER + 1];
    (ws[0], rs[0]) = (w, r);
    for n in 0..ORDER {
        let (mut torque, mut spin) = (DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
        for i in 0..=n {
            let b = ws[n - i];
            torque += (moments * ws[i]).cross(b);
            spin += hamilton(rs[i], b);
        }
        let share = 1.0 / (n + 1) as f64;
        ws[n + 1] = share * torque / moments;
        rs[n + 1] = spin * (0.5 * share);
    }
    // Horner.
    let (mut w, mut r) = (ws[ORDER], rs[ORDER]);
    for n in (0..ORDER).rev() {
        (w, r) = (ws[n] + h * w, rs[n] + r * h);
    }
    (r.normalize(), w)
}

/// The product of a quaternion, of any length, and a vector.
fn hamilton(a: DQuat, b: DVec3) -> DQuat {
    let v = DVec3::new(a.x, a.y, a.z);
    let out = a.w * b + v.cross(b);
    DQuat::from_xyzw(out.x, out.y, out.z, -v.dot(b))
}
