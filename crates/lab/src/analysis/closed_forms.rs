//! What is known of the examples on paper. The pages of the book have the derivations.

/// The friction above which a uniform rod that slides on its end at an angle θ, the end ahead, is Painlevé's: (4 + tan²θ)/(3 tan θ).
pub fn rod_limit(theta: f64) -> f64 {
    let t = theta.tan();
    (4.0 + t * t) / (3.0 * t)
}

/// The number of accelerations of the rod; `lift` is ω² l sin θ/g.
pub fn rod_count(theta: f64, mu: f64, lift: f64) -> usize {
    match (mu > rod_limit(theta), lift > 1.0) {
        (false, _) => 1,
        (true, false) => 0,
        (true, true) => 2,
    }
}

/// The friction from which a peg of width d, its corner at the depth l, is wedged: tan θ + l/(d cos θ).
pub fn peg_limit(tilt: f64, l: f64, d: f64) -> f64 {
    tilt.tan() + l / (d * tilt.cos())
}

/// The work per unit of force, d γ_rim + D γ_corner, of the peg's self-stress on the velocities with which its contacts open, where the
/// peg of the scene turns with ω and its centre moves with u across the hole.
pub fn peg_work(omega: f64, u: f64) -> f64 {
    let [across, turning] = peg_work_factors();
    across * u + turning * omega
}

/// The factors of u and ω in [`peg_work`].
pub fn peg_work_factors() -> [f64; 2] {
    let (tilt, l, d, b) = (0.02_f64, 0.02, 0.04, 0.08);
    let (s, c) = tilt.sin_cos();
    let hole = (d + l * s) / c;
    // The corner moves with (u + ω x', ω y').
    let (x, y) = (0.5 * (b * c - d * s), 0.5 * (d * c + b * s));
    [d * c - hole, (d * c - hole) * x + d * s * y - d * (hole * s + l * c)]
}

/// A bar that slides on two feet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// The feet ahead of the centre, hind and front.
    pub x: [f64; 2],
    /// The centre above the feet.
    pub h: f64,
    /// Mass over moment of inertia.
    pub k: f64,
    /// Weight.
    pub weight: f64,
    /// Friction of both.
    pub mu: [f64; 2],
}

impl Bar {
    /// That of the scene, with other friction.
    pub fn of_scene(mu: [f64; 2]) -> Self {
        Self { x: [0.2, 0.4], h: 0.5, k: 3.0, weight: 9.81, mu }
    }

    /// The levers x_1 − μ_1 h and μ_2 h − x_2 of the forces about the centre.
    pub fn levers(&self) -> [f64; 2] {
        [self.x[0] - self.mu[0] * self.h, self.mu[1] * self.h - self.x[1]]
    }

    /// The normal forces of all solutions: flat, tipping back, tipping forward, as far as they exist.
    pub fn forces(&self) -> Vec<[f64; 2]> {
        let [p, q] = self.levers();
        let mut all = Vec::new();
        if p * q > 0.0 {
            all.push([self.weight * q / (p + q), self.weight * p / (p + q)]);
        }
        if p > 0.0 {
            all.push([self.weight / (1.0 + self.k * self.x[0] * p), 0.0]);
        }
        let share = 1.0 - self.k * self.x[1] * q;
        if q > 0.0 && share > 0.0 {
            all.push([0.0, self.weight / share]);
        }
        all
    }
}

/// The friction that holds a weight between `fingers` that press with the force F each.
pub fn grasp_limit(weight: f64, fingers: usize, force: f64) -> f64 {
    weight / (fingers as f64 * force)
}

/// How fast, over its speed, a tip with the friction radius e_r must spin for a rod beyond [`rod_limit`] to have a solution again:
/// e_r ω/v > √((μ/μ_P)² − 1).
pub fn tip_limit(theta: f64, spin: f64) -> f64 {
    rod_limit(theta) * (1.0 + spin * spin).sqrt()
}

/// Friction force and torque on a disc that is pushed from rest: the forces on an ellipsoid of semi-axes (1, e) times `limit` that
/// oppose their own accelerations, for accelerations `b` without friction and inverse masses `w`.
pub fn disc_friction(b: [f64; 2], w: [f64; 2], e: f64, limit: f64) -> [f64; 2] {
    let stick = [-b[0] / w[0], -b[1] / w[1]];
    if stick[0].hypot(stick[1] / e) <= limit {
        return stick;
    }
    // λ_i = −k e_i² a_i with a_i = b_i + w_i λ_i: the size of λ grows with k.
    let at = |k: f64| [-k * b[0] / (1.0 + w[0] * k), -k * e * e * b[1] / (1.0 + w[1] * k * e * e)];
    let size = |k: f64| at(k)[0].hypot(at(k)[1] / e);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        if size(high) < limit {
            high *= 2.0;
        }
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if size(middle) < limit { low = middle } else { high = middle }
    }
    at(low)
}
