//! A generalised derivative of the projection.
//!
//! Notation as in the projection; rows and columns are (n, t).
//!
//! For any set, with J the derivative of P_r at x, f = p/r and c = (1 − J) f: P_r(x + f dr) grows by f dr with r, so
//! that dP_r/dr = c; h(x − p) has the derivative f by its argument. The scalar equation gives
//! dn = (dm + μ c·dx) / (1 + μ² f·c), and dp = J dx + μ c dn.

use super::Slice;
use super::ellipsoid::{Multiplier, Region, padded, region};
use super::slice::{cylinder, set_jacobian};
use crate::set::vector::{Vector, dot, norm, unit};
use crate::set::{ConvexSet, ellipsoid_multiplier, ellipsoid_shrunk};

type Square = [[f64; 4]; 4];

impl Slice<'_> {
    pub(super) fn jacobian(&self, m: f64, x: &Vector) -> Option<Square> {
        match self.set {
            ConvexSet::Interval => Some(self.round(m, &[x[0], 0.0, 0.0])),
            ConvexSet::Disc => Some(self.round(m, &[x[0], x[1], 0.0])),
            ConvexSet::Ellipsoid(axes) => self.elliptic(axes, m, x),
            _ => self.any(m, x),
        }
    }

    fn any(&self, m: f64, x: &Vector) -> Option<Square> {
        let d = self.dimension;
        if self.set.dimension() != d {
            return None;
        }
        let inside = m >= 0.0 && self.set.gauge(&x[..d]) <= self.mu * m + self.radius;
        let j = if inside {
            identity(1.0)
        } else if self.mu == 0.0 {
            embed(if m > 0.0 { 1.0 } else { 0.0 }, &set_jacobian(self.set, self.radius, x))
        } else {
            let (n, p) = self.project(m, x);
            let r = self.mu * n + self.radius;
            match n > 0.0 {
                true => self.lateral(x, &p, r),
                false => embed(0.0, &set_jacobian(self.set, self.radius, x)),
            }
        };
        j.iter().flatten().all(|c| c.is_finite()).then_some(j)
    }

    fn lateral(&self, x: &Vector, p: &Vector, r: f64) -> Square {
        let tangent = set_jacobian(self.set, r, x);
        let f = p.map(|p| p / r);
        let c: Vector = std::array::from_fn(|i| f[i] - dot(&tangent[i], &f));
        let mut j = embed(0.0, &tangent);
        let weight = 1.0 / (1.0 + self.mu * self.mu * dot(&f, &c));
        let direction = [1.0, self.mu * c[0], self.mu * c[1], self.mu * c[2]];
        for (row, a) in j.iter_mut().zip(direction) {
            for (entry, b) in row.iter_mut().zip(direction) {
                *entry += weight * a * b;
            }
        }
        j
    }

    fn round(&self, m: f64, x: &Vector) -> Square {
        let length = norm(x);
        if m >= 0.0 && length <= self.mu * m + self.radius {
            return identity(1.0);
        }
        let n = self.on_line(m, length);
        let e = unit(x);
        if n <= 0.0 {
            return if length <= self.radius {
                identity(0.0)
            } else {
                sphere(0.0, &e, self.radius / length)
            };
        }
        if length <= self.mu * n + self.radius {
            // μ = 0 and a normal component that was kept.
            return identity(1.0);
        }
        // dn = (dm + μ e·dx) / (1 + μ²), dp = μ e dn + (r/|x|)(1 − e eᵀ) dx
        let mut j = sphere(0.0, &e, (self.mu * n + self.radius) / length);
        let weight = 1.0 / (1.0 + self.mu * self.mu);
        let direction = [1.0, self.mu * e[0], self.mu * e[1], self.mu * e[2]];
        for (row, a) in j.iter_mut().zip(direction) {
            for (entry, b) in row.iter_mut().zip(direction) {
                *entry += weight * a * b;
            }
        }
        j
    }

    fn elliptic(&self, axes: &[f64], m: f64, x: &Vector) -> Option<Square> {
        let e = padded(axes);
        let j = if self.mu == 0.0 {
            let mut j = self.base(axes, x);
            j[0][0] = if m > 0.0 { 1.0 } else { 0.0 };
            j
        } else {
            match region(self, axes, m, x)? {
                Region::Inside => identity(1.0),
                Region::Base => self.base(axes, x),
                Region::Side(Multiplier::Plain(nu)) => self.side(&e, x, nu),
                Region::Side(Multiplier::Reciprocal(s)) => self.side(&e, x, 1.0 / s),
            }
        };
        j.iter().flatten().all(|c| c.is_finite()).then_some(j)
    }

    /// The projection onto a times the ellipsoid at n = 0; nothing moves at the apex of a cone.
    fn base(&self, axes: &[f64], x: &Vector) -> Square {
        if self.radius == 0.0 {
            [[0.0; 4]; 4]
        } else if norm(&ellipsoid_shrunk(axes, x)) <= self.radius {
            identity(0.0)
        } else {
            embed(0.0, &cylinder(&padded(axes), x, ellipsoid_multiplier(axes, self.radius, x)))
        }
    }

    /// From g² = Σ w_i² x_i² and g (1 − μ² ν) = μ m + a, with w_i = e_i / (e_i² + ν):
    /// dν = ((1 − μ² ν) Σ w_i² x_i dx_i / g − μ dm) / (μ² g + (1 − μ² ν) S / g), S = Σ w_i² x_i² / (e_i² + ν);
    /// dg = (Σ w_i² x_i dx_i − S dν) / g, dn = dm + μ (g dν + ν dg), dp_i = (e_i² dx_i − p_i dν) / (e_i² + ν).
    fn side(&self, e: &Vector, x: &Vector, nu: f64) -> Square {
        let (mut wx, mut s) = ([0.0; 3], 0.0);
        for i in 0..3 {
            wx[i] = e[i] * x[i] / (e[i] * e[i] + nu);
            s += wx[i] * wx[i] / (e[i] * e[i] + nu);
        }
        let g = norm(&wx);
        let rest = 1.0 - self.mu * self.mu * nu;
        let bottom = self.mu * self.mu * g + rest * s / g;
        let mut j = [[0.0; 4]; 4];
        for column in 0..4 {
            // B = Σ w_i² x_i dx_i of the unit change of this column.
            let (dm, b) = match column {
                0 => (1.0, 0.0),
                i => (0.0, wx[i - 1] * e[i - 1] / (e[i - 1] * e[i - 1] + nu)),
            };
            let dnu = (rest * b / g - self.mu * dm) / bottom;
            let dg = (b - s * dnu) / g;
            j[0][column] = dm + self.mu * (g * dnu + nu * dg);
            for i in 0..3 {
                let whole = e[i] * e[i] + nu;
                let own = if column == i + 1 { e[i] * e[i] / whole } else { 0.0 };
                j[i + 1][column] = own - e[i] * wx[i] / whole * dnu;
            }
        }
        j
    }
}

/// diag(first, J).
fn embed(first: f64, tangent: &[Vector; 3]) -> Square {
    let mut j = [[0.0; 4]; 4];
    j[0][0] = first;
    for (row, line) in j[1..].iter_mut().zip(tangent) {
        row[1..].copy_from_slice(line);
    }
    j
}

/// diag(first, 1, 1, 1).
fn identity(first: f64) -> Square {
    let mut j = [[0.0; 4]; 4];
    for (i, row) in j.iter_mut().enumerate() {
        row[i] = if i == 0 { first } else { 1.0 };
    }
    j
}

/// diag(first, s (1 − e eᵀ)).
fn sphere(first: f64, e: &Vector, s: f64) -> Square {
    let mut j = [[0.0; 4]; 4];
    j[0][0] = first;
    for a in 0..3 {
        for b in 0..3 {
            let own = if a == b { 1.0 } else { 0.0 };
            j[a + 1][b + 1] = s * (own - e[a] * e[b]);
        }
    }
    j
}
