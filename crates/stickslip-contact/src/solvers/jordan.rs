//! The Jordan algebra of Lorentz's cone L = { x_0 ≥ |x_1| }, for the interior points.
//!
//! Notation: x∘y its product, e its unit, J = diag(1, −1, …); S the scaling of Nesterov and Todd,
//! S x = S⁻¹ z = λ, S = η [w_0, w_1ᵀ; w_1, 1 + w_1 w_1ᵀ/(1 + w_0)]. The first n numbers of a vector count.

use super::MAX_ROWS;

const N: usize = MAX_ROWS;
pub(super) type Vector = [f64; N];

/// S of Nesterov and Todd.
#[derive(Clone, Debug, Default)]
pub(super) struct Scaling {
    eta: f64,
    w: Vector,
    pub(super) lambda: Vector,
}

impl Scaling {
    pub(super) fn new(x: &Vector, z: &Vector, n: usize) -> Self {
        let (dx, dz) = (det(x, n).sqrt(), det(z, n).sqrt());
        let inner = dot(x, z, n) / (dx * dz);
        let gamma = (0.5 * (1.0 + inner)).sqrt();
        let mut w = [0.0; N];
        for r in 0..n {
            let mirrored = if r == 0 { x[0] } else { -x[r] };
            w[r] = (z[r] / dz + mirrored / dx) / (2.0 * gamma);
        }
        let mut out = Self { eta: (dz / dx).sqrt(), w, lambda: [0.0; N] };
        out.lambda = out.apply(x, n);
        out
    }

    pub(super) fn apply(&self, v: &Vector, n: usize) -> Vector {
        self.map(v, n, 1.0, self.eta)
    }

    pub(super) fn invert(&self, v: &Vector, n: usize) -> Vector {
        self.map(v, n, -1.0, 1.0 / self.eta)
    }

    fn map(&self, v: &Vector, n: usize, sign: f64, eta: f64) -> Vector {
        let w = &self.w;
        let inner: f64 = (1..n).map(|r| w[r] * v[r]).sum();
        let mut out = [0.0; N];
        out[0] = eta * (w[0] * v[0] + sign * inner);
        let factor = sign * v[0] + inner / (1.0 + w[0]);
        (1..n).for_each(|r| out[r] = eta * (v[r] + factor * w[r]));
        out
    }

    /// S² v = η² (2 w (w·v) − J v).
    pub(super) fn square(&self, v: &Vector, n: usize) -> Vector {
        let inner = 2.0 * dot(&self.w, v, n);
        let e = self.eta * self.eta;
        let mut out = [0.0; N];
        for r in 0..n {
            out[r] = e * (inner * self.w[r] + if r == 0 { -v[0] } else { v[r] });
        }
        out
    }
}

pub(super) fn dot(a: &Vector, b: &Vector, n: usize) -> f64 {
    (0..n).map(|r| a[r] * b[r]).sum()
}

pub(super) fn tail(v: &Vector, n: usize) -> f64 {
    (1..n).map(|r| v[r] * v[r]).sum::<f64>().sqrt()
}

/// x_0² − |x_1|² as a product, which keeps its digits near the boundary.
pub(super) fn det(v: &Vector, n: usize) -> f64 {
    let t = tail(v, n);
    (v[0] - t) * (v[0] + t)
}

pub(super) fn product(a: &Vector, b: &Vector, n: usize) -> Vector {
    let mut out = [0.0; N];
    out[0] = dot(a, b, n);
    (1..n).for_each(|r| out[r] = a[0] * b[r] + b[0] * a[r]);
    out
}

/// y with λ∘y = c.
pub(super) fn divide(l: &Vector, c: &Vector, n: usize) -> Vector {
    let inner: f64 = (1..n).map(|r| l[r] * c[r]).sum();
    let mut out = [0.0; N];
    out[0] = (l[0] * c[0] - inner) / det(l, n);
    (1..n).for_each(|r| out[r] = (c[r] - l[r] * out[0]) / l[0]);
    out
}

/// The largest step for which v + step d stays in the cone.
pub(super) fn to_boundary(v: &Vector, d: &Vector, n: usize) -> f64 {
    let a = d[0] * d[0] - (1..n).map(|r| d[r] * d[r]).sum::<f64>();
    let b = v[0] * d[0] - (1..n).map(|r| v[r] * d[r]).sum::<f64>();
    let c = det(v, n);
    // Rounding may hide the double root of a step along the axis.
    let axis = if d[0] < 0.0 { -v[0] / d[0] } else { f64::INFINITY };
    let inside = b * b - a * c;
    if inside < 0.0 {
        return axis;
    }
    let below = inside.sqrt() - b;
    if below > 0.0 { (c / below).min(axis) } else { axis }
}
