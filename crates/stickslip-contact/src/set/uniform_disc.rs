//! The exact limit surface of a disc that presses evenly: an example of a user's set.
//!
//! A disc of radius R slides with velocity v and spins with ω. Each point r of it rubs with direction and
//! strength of its own, and the support function is the mean rubbing speed, h(v, ω) = mean |v + ω × r|.
//! That is |ω| times the mean distance of the disc's points from the centre of rotation, at distance
//! ρ R with ρ = |v| / (R |ω|): complete elliptic integrals.
//!
//! Notation: v = |v|, w = R |ω|, k = min(v/w, w/v); K, E the complete elliptic integrals of modulus k;
//! J = (K − E)/k², L = (2 J − K)/k². With these no formula below cancels for small k, and near k = 1
//! only logarithms do.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use super::ellipsoid::{LARGEST, SMALLEST};
use super::vector::{Vector, load, store};
use super::{SetError, UserSet};
use crate::Error;

/// The friction set of a disc under uniform pressure: components (t, o, r), two forces and the moment.
///
/// Forces are in units of μ times the normal force: the surface passes through force 1 without moment and
/// moment ⅔ R without force. Unlike every ellipsoid it has a universal final ratio: a disc that slides
/// and spins comes to rest with v/(Rω) → 0.6530, whatever its start.
///
/// Support in closed form (to 10⁻¹⁴), gauge and projection by one scalar equation on the surface.
///
/// ```
/// use stickslip_contact::set::{ConvexSet, UniformDisc};
/// use std::sync::Arc;
///
/// let set = ConvexSet::Custom(Arc::new(UniformDisc::new(0.5)?));
/// assert!((set.support(&[0.0, 0.0, 1.0]) - 1.0 / 3.0).abs() < 1e-15);
/// assert!((set.gauge(&[0.0, 0.0, 1.0]) - 3.0).abs() < 1e-14);
/// # Ok::<(), stickslip_contact::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformDisc {
    radius: f64,
}

impl UniformDisc {
    /// A disc of this radius (between 10⁻¹⁰⁰ and 10¹⁰⁰).
    pub fn new(radius: f64) -> Result<UniformDisc, Error> {
        if (SMALLEST..=LARGEST).contains(&radius) {
            Ok(UniformDisc { radius })
        } else {
            Err(SetError::Axis { index: 0, value: radius }.into())
        }
    }

    /// The radius R.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// |x_T| and |x_r| of a vector in units of `big`.
    fn radial(x: &Vector, big: f64) -> (f64, f64) {
        ((x[0] / big).hypot(x[1] / big), (x[2] / big).abs())
    }
}

impl UserSet for UniformDisc {
    fn dimension(&self) -> usize {
        3
    }

    fn support(&self, x: &[f64]) -> f64 {
        let x = load(x);
        let (v, w) = (x[0].hypot(x[1]), self.radius * x[2].abs());
        Normal::new(v, w).support
    }

    fn support_point(&self, x: &[f64], out: &mut [f64]) {
        let x = load(x);
        let big = x[0].abs().max(x[1].abs()).max(x[2].abs());
        if big == 0.0 {
            out.fill(0.0);
            return;
        }
        let (v, spin) = UniformDisc::radial(&x, big);
        let normal = Normal::new(v, self.radius * spin);
        store(&self.turned(&x, big, normal.force, normal.moment), out);
    }

    /// The root ψ of (x − r p(ψ)) × n(ψ) = 0, where p is the point of the surface with normal n = (cos ψ, sin ψ / R).
    ///
    /// In the quadrant of x there is one normal that meets x from outside; where none does, x·n ≤ r h(n) at the root
    /// and x is in the set.
    fn project(&self, radius: f64, x: &[f64], out: &mut [f64]) {
        let v = load(x);
        let big = v[0].abs().max(v[1].abs()).max(v[2].abs());
        if !(big > 0.0) || !(radius > 0.0) {
            out.fill(if radius >= 0.0 { 0.0 * big } else { f64::NAN });
            return;
        }
        let (r, ratio) = (radius / big, self.radius);
        let (xv, spin) = UniformDisc::radial(&v, big);
        let xw = spin / ratio;
        // The hull of the disc of forces and of the two moments without force is inside of the set.
        if xv + 1.5 * xw <= r {
            store(&v, out);
            return;
        }
        let rr = ratio * ratio;
        let normal = root(|n| {
            let (left_v, left_w) = (xv - r * n.force, rr * (xw - r * n.moment));
            let value = left_v * n.w - left_w * n.v;
            let slope = left_v * n.v + left_w * n.w + r * n.bend * (n.w * n.w + rr * n.v * n.v);
            (value, slope)
        });
        if xv * normal.v + xw * normal.w <= r * normal.support {
            store(&v, out);
            return;
        }
        let p = self.turned(&v, big, normal.force, normal.moment);
        store(&p.map(|c| radius * c), out);
    }

    /// x·n / h(n), at its maximum over the normals n: where the surface is met by the ray through x.
    fn gauge(&self, x: &[f64]) -> f64 {
        let x = load(x);
        let big = x[0].abs().max(x[1].abs()).max(x[2].abs());
        if !(big > 0.0) {
            return big;
        }
        let (xv, spin) = UniformDisc::radial(&x, big);
        let xw = spin / self.radius;
        let normal = root(|n| (xv * n.moment - xw * n.force, n.bend * (xv * n.v + xw * n.w)));
        big * ((xv * normal.v + xw * normal.w) / normal.support)
    }

    fn stretched(&self, factor: f64) -> Option<Arc<dyn UserSet>> {
        let disc = Self::new(self.radius * factor).ok()?;
        Some(Arc::new(disc))
    }
}

impl UniformDisc {
    /// Force along the first two components of x, moment along the third.
    fn turned(&self, x: &Vector, big: f64, force: f64, moment: f64) -> Vector {
        let (a, b) = (x[0] / big, x[1] / big);
        let length = a.hypot(b);
        let (a, b) = if length > 0.0 { (a / length, b / length) } else { (0.0, 0.0) };
        let turn = if x[2] == 0.0 { 0.0 } else { x[2].signum() };
        [force * a, force * b, self.radius * moment * turn]
    }
}

/// The support function of the unit disc at (v, w) with its derivatives.
struct Normal {
    v: f64,
    w: f64,
    /// h.
    support: f64,
    /// ∂h/∂v.
    force: f64,
    /// ∂h/∂w.
    moment: f64,
    /// Q, where the second derivatives are Q (w, −v)(w, −v)ᵀ.
    bend: f64,
}

impl Normal {
    fn new(v: f64, w: f64) -> Normal {
        if !(v > 0.0 || w > 0.0) {
            return Normal { v, w, support: v + w, force: 0.0, moment: 0.0, bend: 0.0 };
        }
        let k = if v <= w { v / w } else { w / v };
        let Elliptic { first, j, l } = Elliptic::new(k);
        let k2 = k * k;
        let common = 4.0 / (3.0 * PI) * (2.0 * first - (1.0 + k2) * j);
        if v <= w {
            // Mean distance from a point in the disc: (4/9π) ((3 + 5k²) K − (7 + k²) k² J).
            let mean = 4.0 / (9.0 * PI) * ((3.0 + 5.0 * k2) * first - (7.0 + k2) * k2 * j);
            let moment = 4.0 / (9.0 * PI) * ((3.0 - k2) * first - k2 * (4.0 - 2.0 * k2) * j);
            let bend =
                4.0 / (3.0 * PI) * (2.0 * first - (1.0 + 2.0 * k2) * j + k2 * l) / (w * w * w);
            Normal { v, w, support: w * mean, force: k * common, moment, bend }
        } else {
            // And from a point outside, over its distance: (4/9π) ((5 + 3k²) K − (1 + 7k²) J).
            let mean = 4.0 / (9.0 * PI) * ((5.0 + 3.0 * k2) * first - (1.0 + 7.0 * k2) * j);
            let moment = 4.0 / (9.0 * PI) * k * (first + l - 2.0 * k2 * l);
            let bend = 4.0 / (3.0 * PI) * (j - l) / (v * v * v);
            Normal { v, w, support: v * mean, force: common, moment, bend }
        }
    }
}

/// K, J and L of a modulus.
struct Elliptic {
    first: f64,
    j: f64,
    l: f64,
}

impl Elliptic {
    /// By the arithmetic-geometric mean: 2 J − K = K Σ_{n ≥ 1} 2ⁿ c_n² / k², with c_n / k² kept instead of c_n.
    fn new(k: f64) -> Elliptic {
        // At k = 1 all three are infinite and every formula above needs differences of them, which a complement of
        // 10⁻⁹ gives to 10⁻¹⁷.
        let complement = ((1.0 - k) * (1.0 + k)).sqrt().max(1e-9);
        let (mut a, mut b) = (1.0, complement);
        let mut c = 0.5 / (1.0 + complement);
        let (mut sum, mut power) = (0.0, 2.0);
        for _ in 0..12 {
            (a, b) = (0.5 * (a + b), (a * b).sqrt());
            let term = power * c * c;
            sum += term;
            if !(term > 0.25 * f64::EPSILON * sum) {
                break;
            }
            power *= 2.0;
            c = k * k * c * c / (2.0 * (a + b));
        }
        let first = PI / (a + b);
        let l = first * sum;
        Elliptic { first, j: 0.5 * (first + k * k * l), l }
    }
}

/// The normal (cos ψ, sin ψ) at which a function that rises through zero on [0, π/2] does so, from its value
/// and slope: Newton's method, kept in a bracket.
fn root(function: impl Fn(&Normal) -> (f64, f64)) -> Normal {
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    let mut angle = 0.5 * FRAC_PI_2;
    for _ in 0..100 {
        let normal = at_angle(angle);
        let (value, slope) = function(&normal);
        if value == 0.0 {
            break;
        }
        if value < 0.0 {
            low = angle;
        } else {
            high = angle;
        }
        let newton = angle - value / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - angle).abs() <= 0.5 * f64::EPSILON * angle || !(high - low > f64::EPSILON * low)
        {
            angle = next;
            break;
        }
        angle = next;
    }
    at_angle(angle)
}

fn at_angle(angle: f64) -> Normal {
    let (sin, cos) = angle.sin_cos();
    Normal::new(cos, sin)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean distance from a point at distance rho to the points of the unit disc, in polar coordinates
    /// about that point; the trapezoidal rule converges geometrically on these periodic functions.
    fn mean_distance(rho: f64) -> f64 {
        let count = 2_000;
        let mut sum = 0.0;
        for i in 0..count {
            let t = PI * (2 * i + 1) as f64 / count as f64;
            if rho <= 1.0 {
                let s = (1.0 - (rho * t.sin()).powi(2)).sqrt() - rho * t.cos();
                sum += s.powi(3) / 3.0;
            } else {
                // sin φ = sin t / ρ; the chord is cut at ρ cos φ ± cos t.
                let cos = (1.0 - (t.sin() / rho).powi(2)).sqrt();
                let (near, far) = (rho * cos - t.cos(), rho * cos + t.cos());
                sum += 0.5 * (far.powi(3) - near.powi(3)) / 3.0 * t.cos() / (rho * cos);
            }
        }
        sum * 2.0 / count as f64
    }

    #[test]
    fn support_is_the_mean_rubbing_speed() {
        for rho in [0.0, 1e-3, 0.1, 0.5, 0.9, 0.99, 1.01, 1.1, 2.0, 10.0, 1e3] {
            let expected = mean_distance(rho);
            let found = Normal::new(rho, 1.0).support;
            assert!((found - expected).abs() < 2e-13 * expected, "{rho}: {found} {expected}");
        }
        // On the rim: 32/9π.
        assert!((Normal::new(1.0, 1.0).support - 32.0 / (9.0 * PI)).abs() < 1e-14);
    }

    #[test]
    fn gradient_and_bend_are_the_derivatives_of_the_support() {
        for (v, w) in [(0.3, 1.0), (1e-4, 0.5), (0.95, 1.0), (1.0, 0.95), (1.0, 0.2), (2.0, 1e-4)] {
            let n = Normal::new(v, w);
            assert!((n.force * v + n.moment * w - n.support).abs() < 1e-14, "Euler");
            let d = 1e-5;
            let dv = (Normal::new(v + d * v, w).support - Normal::new(v - d * v, w).support)
                / (2.0 * d * v);
            assert!((dv - n.force).abs() < 1e-7, "{v} {w} {dv} {}", n.force);
            let dd = (Normal::new(v, w + d * w).moment - Normal::new(v, w - d * w).moment)
                / (2.0 * d * w);
            assert!(
                (dd - n.bend * v * v).abs() < 1e-6 * dd.abs() + 1e-10,
                "{v} {w} {dd} {}",
                n.bend * v * v
            );
        }
    }

    /// A solid disc has J = ½ m R²: v′ = −∂h/∂v and (Rω)′ = −2 ∂h/∂w, so that v/(Rω) stays where
    /// ∂h/∂v = 2 ρ ∂h/∂w.
    #[test]
    fn final_ratio_of_a_sliding_and_spinning_disc_is_0_6530() {
        let (mut low, mut high) = (0.1, 1.0);
        for _ in 0..60 {
            let rho = 0.5 * (low + high);
            let n = Normal::new(rho, 1.0);
            if n.force > 2.0 * rho * n.moment { high = rho } else { low = rho }
        }
        assert!((low - 0.6530).abs() < 5e-5, "{low}");
    }

    #[test]
    fn projection_agrees_with_the_generic_method() {
        let set = UniformDisc::new(0.7).unwrap();
        for x in [
            [1.5, 0.2, 0.1],
            [0.1, -0.2, 2.0],
            [-0.9, 0.3, -0.5],
            [0.3, 0.1, 0.1],
            [1e3, 2.0, -900.0],
        ] {
            let (mut p, mut q) = ([0.0; 3], [0.0; 3]);
            set.project(0.8, &x, &mut p);
            super::super::project_by_support_point(
                |y, out| set.support_point(y, out),
                0.8,
                &x,
                &mut q,
            );
            let size = x.iter().fold(1.0_f64, |m, c| m.max(c.abs()));
            for i in 0..3 {
                assert!((p[i] - q[i]).abs() < 1e-12 * size, "{x:?}: {p:?} {q:?}");
            }
        }
    }
}
