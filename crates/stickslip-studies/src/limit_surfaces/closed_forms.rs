//! What is known of sliding and spinning on paper. None of this uses a contact problem, a solver, or a friction set.

use super::GRAVITY;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// The multiple of a load (t, o, r) at which a patch with an ellipsoidal limit surface begins to slip: the load then lies on
/// the surface, \[2\] eq. (1), whatever the mass matrix.
pub fn onset(axes: [f64; 3], limit: f64, load: [f64; 3]) -> f64 {
    limit / load.iter().zip(axes).map(|(l, e)| (l / e).powi(2)).sum::<f64>().sqrt()
}

/// The relative acceleration a of a patch that leaves rest: a = b − (r/s) W E² a with s = |E a|, one equation for
/// s, solved by bisection. Zero if the patch stays.
pub fn sliding_acceleration(w: [[f64; 3]; 3], b: [f64; 3], axes: [f64; 3], limit: f64) -> [f64; 3] {
    let at = |s: f64| {
        let mut m = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                // s (a/s) = a: the unknown is a/s, so that s = 0 is no exception.
                m[i][j] = limit * w[i][j] * axes[j].powi(2) + if i == j { s } else { 0.0 };
            }
        }
        let x = cramer(m, b);
        let size = x.iter().zip(axes).map(|(x, e)| (x * e).powi(2)).sum::<f64>().sqrt();
        (size, x.map(|x| s * x))
    };
    // The size of E a / s falls as s grows, and is 1 at the solution.
    let (mut low, mut high) = (0.0, 1.0);
    if at(0.0).0 <= 1.0 {
        return [0.0; 3];
    }
    for _ in 0..200 {
        if at(high).0 <= 1.0 {
            break;
        }
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if at(middle).0 > 1.0 { low = middle } else { high = middle }
    }
    at(0.5 * (low + high)).1
}

fn cramer(m: [[f64; 3]; 3], b: [f64; 3]) -> [f64; 3] {
    let det = |m: &[[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
            - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let whole = det(&m);
    std::array::from_fn(|k| {
        let mut part = m;
        for i in 0..3 {
            part[i][k] = b[i];
        }
        det(&part) / whole
    })
}

/// A disc on an ellipsoidal limit surface with e_t = e_o: m v̇ = −μ m g e_t² v/s and J ω̇ = −μ m g e_r² ω/s with
/// s² = (e_t v)² + (e_r ω)².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoidal {
    /// m, kg.
    pub mass: f64,
    /// J, kg m².
    pub inertia: f64,
    /// μ.
    pub mu: f64,
    /// e_t.
    pub slide: f64,
    /// e_r, m.
    pub spin: f64,
}

impl Ellipsoidal {
    /// p with v ∝ ω^p: dividing the two equations, d ln v / d ln ω = J e_t² / (m e_r²).
    pub fn exponent(&self) -> f64 {
        self.inertia * self.slide.powi(2) / (self.mass * self.spin.powi(2))
    }

    /// When both vanish, from v and ω. With ω = ω₀ x and v = v₀ x^p, J ω̇ = … is
    /// T = J / (μ m g e_r²) ∫₀¹ √(e_t² v₀² x^(2p−2) + e_r² ω₀²) dx.
    pub fn stop(&self, v: f64, omega: f64) -> f64 {
        let p = self.exponent();
        let (a, b) = ((self.slide * v).powi(2), (self.spin * omega).powi(2));
        let (mass, g) = (self.mass, GRAVITY);
        if p >= 1.0 {
            let rate = self.inertia / (self.mu * mass * g * self.spin.powi(2));
            rate * integral(|x| (a * x.powf(2.0 * p - 2.0) + b).sqrt())
        } else {
            // By v instead, whose power of ω is larger than 1.
            let rate = 1.0 / (self.mu * g * self.slide.powi(2));
            rate * integral(|x| (a + b * x.powf(2.0 / p - 2.0)).sqrt())
        }
    }
}

/// When sliding and spinning end on the mixed set with radius e_t and e_r: each has its own friction, and its own time.
pub fn mixed_stops(disc: &Ellipsoidal, v: f64, omega: f64) -> [f64; 2] {
    let deceleration = disc.mu * GRAVITY;
    let spinning = deceleration * disc.mass * disc.spin / disc.inertia;
    [v / (deceleration * disc.slide), omega / spinning]
}

/// ∫₀¹ f by the rule of Takahasi and Mori, which does not mind what f does at the ends.
pub fn integral(f: impl Fn(f64) -> f64) -> f64 {
    let h = 1.0 / 64.0;
    (-256..=256)
        .map(|k| {
            let t = h * f64::from(k);
            let u = FRAC_PI_2 * t.sinh();
            // x = ½ (1 + tanh u), without cancellation near 0.
            let x = 1.0 / (1.0 + (-2.0 * u).exp());
            let weight = 0.5 * FRAC_PI_2 * t.cosh() / u.cosh().powi(2);
            if x > 0.0 && x < 1.0 && weight > 0.0 { h * weight * f(x) } else { 0.0 }
        })
        .sum()
}

/// The final v/(Rω) of a disc under uniform pressure with J = share · m R²: the ratio ρ that does not change, where
/// F(ρ) = ρ G(ρ) / share with F the friction force and G R the moment, in units of μ N. For ρ < 1 the centre of rotation is
/// inside of the disc and both are sums over the rays from it.
pub fn final_ratio(share: f64) -> f64 {
    let gain = |rho: f64| {
        let n = 4000;
        let (mut force, mut moment) = (0.0, 0.0);
        for k in 0..n {
            let phi = TAU * f64::from(k) / f64::from(n);
            let (sin, cos) = phi.sin_cos();
            // The ray ends on the rim; the friction on it is of size 1 and normal to it.
            let ray = (1.0 - (rho * sin).powi(2)).sqrt() - rho * cos;
            force -= cos * ray * ray / 2.0;
            moment += rho * cos * ray * ray / 2.0 + ray.powi(3) / 3.0;
        }
        let area = PI * f64::from(n) / TAU;
        (force / area, moment / area)
    };
    let (mut low, mut high) = (1e-6, 1.0 - 1e-9);
    for _ in 0..60 {
        let rho = 0.5 * (low + high);
        let (force, moment) = gain(rho);
        // Below the final ratio the force is too weak to bring v down as fast as ω.
        if force * share < rho * moment { low = rho } else { high = rho }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrals_with_roots_at_the_ends_are_exact_to_rounding() {
        assert!((integral(|x| x.powf(-0.5)) - 2.0).abs() < 1e-7);
        assert!((integral(f64::sqrt) - 2.0 / 3.0).abs() < 1e-14);
        assert!((integral(|x| x.powf(0.1)) - 1.0 / 1.1).abs() < 1e-13);
    }

    #[test]
    fn equal_rates_stop_like_a_particle() {
        // J = m e_r²: p = 1, s falls with μ g, T = s₀ / (μ g).
        let disc = Ellipsoidal { mass: 2.0, inertia: 0.5, mu: 0.3, slide: 1.0, spin: 0.5 };
        assert_eq!(disc.exponent(), 1.0);
        assert!((disc.stop(3.0, 8.0) - 5.0 / (0.3 * GRAVITY)).abs() < 1e-13);
    }

    #[test]
    fn both_forms_of_the_stop_agree_near_one() {
        let disc = |spin| Ellipsoidal { mass: 1.0, inertia: 0.25, mu: 0.3, slide: 1.0, spin };
        let (below, above) = (disc(0.5 + 1e-9).stop(1.0, 2.0), disc(0.5 - 1e-9).stop(1.0, 2.0));
        assert!((below - above).abs() < 1e-8);
    }

    #[test]
    fn a_homogeneous_disc_ends_at_0_6530() {
        assert!((final_ratio(0.5) - 0.653).abs() < 1e-4, "{}", final_ratio(0.5));
    }

    #[test]
    fn the_acceleration_solves_its_equation() {
        let w = [[1.0, 0.0, -0.2], [0.0, 1.2, 0.1], [-0.2, 0.1, 3.0]];
        let (b, axes, limit) = ([3.0, -1.0, 2.0], [1.0, 0.8, 0.3], 1.5);
        let a = sliding_acceleration(w, b, axes, limit);
        let s = a.iter().zip(axes).map(|(a, e)| (a * e).powi(2)).sum::<f64>().sqrt();
        for i in 0..3 {
            let pull: f64 = (0..3).map(|j| w[i][j] * limit * axes[j].powi(2) * a[j] / s).sum();
            assert!((a[i] + pull - b[i]).abs() < 1e-13);
        }
        assert_eq!(sliding_acceleration(w, [0.1, 0.0, 0.0], axes, limit), [0.0; 3]);
    }
}
