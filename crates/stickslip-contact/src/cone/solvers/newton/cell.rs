//! What a step knows of a block: its part of the map, and the columns of its derivative.
//!
//! Notation as in the solver.

use super::super::local::{eigen, round_axes};
use crate::cone::{ConvexSet, Law, MAX_BLOCK, MAX_TANGENTS};
use crate::projection::{FrictionCone, set_jacobian};
use std::array::from_fn;

pub(super) const N: usize = MAX_BLOCK;

/// How the map of a block is made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Bilateral,
    /// Frictionless, or a friction set that is a ball in its units.
    Ball {
        mu: f64,
        radius: f64,
    },
    /// Any other friction set.
    Set,
    Sliding,
    /// Friction without De Saxcé's correction.
    Associated,
}

/// What a step knows of a block.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) n: usize,
    kind: Kind,
    /// Units: Λ = `axes` x.
    pub(super) axes: [f64; N],
    /// R of each row.
    pub(super) steps: [f64; N],
    /// Columns of P and Q.
    pub(super) columns: usize,
    pub(super) p: [[f64; N]; N],
    pub(super) q: [[f64; N]; N],
    /// The diagonal of D, and what is below it in its first column; the rest is zero.
    pub(super) d: [f64; N],
    pub(super) coupling: [f64; N],
    /// Of three rows: Qᵀ and P (with a column of zeros) in the units of Λ, and whether both are 1.
    pub(super) left: [[f64; 3]; 3],
    pub(super) right: [[f64; 4]; 3],
    pub(super) plain: bool,
}

impl Cell {
    pub(super) fn new(law: &Law, w: &[f64], associated: bool) -> Option<Self> {
        let n = law.dimension();
        let mut axes = [1.0; N];
        let kind = match law {
            Law::Frictionless => Kind::Ball { mu: 0.0, radius: 0.0 },
            Law::Bilateral(_) => Kind::Bilateral,
            Law::Sliding { .. } => Kind::Sliding,
            Law::Friction { .. } if associated => Kind::Associated,
            Law::Friction { mu, radius, set } => match round_axes(set) {
                Some(round) => {
                    axes[1..n].copy_from_slice(&round[..n - 1]);
                    Kind::Ball { mu: *mu, radius: *radius }
                }
                None => Kind::Set,
            },
        };
        let entry = |r: usize| axes[r] * axes[r] * w[r * (n + 1)];
        let largest = |from: usize| (from..n).fold(0.0, |m: f64, r| m.max(entry(r)));
        let mut steps = [0.0; N];
        for (r, step) in steps[..n].iter_mut().enumerate() {
            let scale = match (kind, r) {
                (Kind::Associated, _) => largest(0),
                (Kind::Bilateral, _) | (_, 0) => entry(r),
                _ => largest(1),
            };
            *step = 1.0 / if scale > 0.0 { scale } else { largest(0) };
            if !(*step > 0.0 && step.is_finite()) {
                return None;
            }
        }
        let (zero, d) = ([[0.0; N]; N], [0.0; N]);
        let (left, right, plain) = ([[0.0; 3]; 3], [[0.0; 4]; 3], false);
        let (p, q, coupling) = (zero, zero, d);
        Some(Self { n, kind, axes, steps, columns: 0, p, q, d, coupling, left, right, plain })
    }

    /// x and y.
    pub(super) fn shift(&self, impulse: &[f64], xi: &[f64]) -> ([f64; N], [f64; N]) {
        let (mut x, mut y) = ([0.0; N], [0.0; N]);
        for r in 0..self.n {
            x[r] = impulse[r] / self.axes[r];
            y[r] = x[r] - self.steps[r] * self.axes[r] * xi[r];
        }
        (x, y)
    }

    /// G(y).
    pub(super) fn map(&self, law: &Law, y: &[f64; N]) -> [f64; N] {
        let n = self.n;
        let mut g = *y;
        if self.kind == Kind::Bilateral {
            return g;
        }
        g[0] = y[0].max(0.0);
        match (self.kind, law) {
            (Kind::Ball { mu, radius }, _) => {
                let (r, size) = (mu * g[0] + radius, tangential(&y[..n]));
                if size > r {
                    g[1..n].iter_mut().for_each(|g| *g *= r / size);
                }
            }
            (Kind::Associated, Law::Friction { mu, radius, set }) => {
                FrictionCone { set, mu: *mu, radius: *radius }.project(&y[..n], &mut g[..n]);
            }
            (_, Law::Friction { mu, radius, set }) => {
                set.project(mu * g[0] + radius, &y[1..n], &mut g[1..n]);
            }
            (_, Law::Sliding { mu, radius, friction, .. }) => {
                let r = mu * g[0] + radius;
                g[1..n].iter_mut().zip(friction).for_each(|(g, f)| *g = r * f);
            }
            _ => {}
        }
        g
    }

    /// P, Q and D at this point.
    pub(super) fn linearise(&mut self, law: &Law, impulse: &[f64], xi: &[f64]) {
        let (_, y) = self.shift(impulse, xi);
        for columns in [&mut self.p, &mut self.q] {
            columns[..self.n].fill([0.0; N]);
        }
        self.d = [0.0; N];
        self.coupling = [0.0; N];
        self.columns = 0;
        self.plain = false;
        match (self.kind, law) {
            (Kind::Bilateral, _) => (0..self.n).for_each(|row| self.add_unit(row)),
            (Kind::Ball { mu, radius }, _) => self.ball(mu, radius, &y),
            (Kind::Associated, Law::Friction { mu, radius, set }) => {
                self.associated(&FrictionCone { set, mu: *mu, radius: *radius }, &y);
            }
            (_, Law::Friction { mu, radius, set }) => self.any_set(*mu, *radius, set, &y),
            (_, Law::Sliding { mu, friction, .. }) if y[0] > 0.0 => {
                self.add_unit(0);
                self.p[0][1..self.n].iter_mut().zip(friction).for_each(|(p, f)| *p = mu * f);
            }
            _ => {}
        }
        if self.n == 3 && !self.plain {
            self.left = from_fn(|c| from_fn(|r| self.axes[r] * self.q[c][r]));
            for (r, row) in self.right.iter_mut().enumerate() {
                *row = from_fn(|c| if c < 3 { self.axes[r] * self.p[c][r] } else { 0.0 });
            }
        }
    }

    fn ball(&mut self, mu: f64, radius: f64, y: &[f64; N]) {
        let n = self.n;
        let (r, size) = (mu * y[0].max(0.0) + radius, tangential(&y[..n]));
        let pressed = y[0] > 0.0;
        if pressed {
            self.add_unit(0);
        }
        if !(r > 0.0) {
            return;
        }
        if size <= r {
            (1..n).for_each(|row| self.add_unit(row));
            self.plain = self.columns == n && self.axes[..n].iter().all(|&x| x == 1.0);
            return;
        }
        let mut t = [0.0; N];
        (1..n).for_each(|row| t[row] = y[row] / size);
        if pressed {
            (1..n).for_each(|row| self.p[0][row] = mu * t[row]);
        }
        let kappa = r / size;
        for direction in across(&t, n).iter().take(n - 2) {
            self.add_symmetric(kappa, direction);
        }
    }

    fn any_set(&mut self, mu: f64, radius: f64, set: &ConvexSet, y: &[f64; N]) {
        let n = self.n;
        let r = mu * y[0].max(0.0) + radius;
        let pressed = y[0] > 0.0;
        if pressed {
            self.add_unit(0);
        }
        if !(r > 0.0) {
            return;
        }
        let mut x = [0.0; MAX_TANGENTS];
        x[..n - 1].copy_from_slice(&y[1..n]);
        let j = set_jacobian(set, r, &x);
        if pressed {
            let mut f = [0.0; MAX_TANGENTS];
            set.project(r, &x[..n - 1], &mut f[..n - 1]);
            for row in 1..n {
                let bent: f64 = (0..n - 1).map(|c| j[row - 1][c] * f[c]).sum();
                self.p[0][row] = mu * (f[row - 1] - bent) / r;
            }
        }
        let (kappa, v) = eigen(j, n - 1);
        for (k, &kappa) in kappa[..n - 1].iter().enumerate() {
            let mut direction = [0.0; N];
            (1..n).for_each(|row| direction[row] = v[row - 1][k]);
            self.add_symmetric(kappa, &direction);
        }
        if pressed {
            for c in 1..self.columns {
                let inner: f64 = (1..n).map(|row| self.q[c][row] * self.p[0][row]).sum();
                self.coupling[c] = -inner / self.steps[1];
            }
        }
    }

    fn associated(&mut self, cone: &FrictionCone, y: &[f64; N]) {
        const S: usize = 1 + MAX_TANGENTS;
        let n = self.n;
        let (mut flat, mut j) = ([0.0; S * S], [[0.0; S]; S]);
        if !cone.jacobian(&y[..n], &mut flat) {
            return;
        }
        for (r, line) in flat.chunks_exact(n).take(n).enumerate() {
            j[r][..n].copy_from_slice(line);
        }
        let (kappa, v) = eigen(j, n);
        for (k, &kappa) in kappa[..n].iter().enumerate() {
            let mut direction = [0.0; N];
            (0..n).for_each(|row| direction[row] = v[row][k]);
            self.add_symmetric(kappa, &direction);
        }
    }

    /// A direction of its own for this row.
    fn add_unit(&mut self, row: usize) {
        self.p[self.columns][row] = 1.0;
        self.q[self.columns][row] = 1.0;
        self.columns += 1;
    }

    /// √κ p against itself, with D = (1 − κ)/R, where rows of p have one R. No projection
    /// stretches: κ beyond [0, 1] is rounding.
    fn add_symmetric(&mut self, kappa: f64, direction: &[f64; N]) {
        let kappa = kappa.min(1.0);
        if !(kappa > f64::EPSILON) {
            return;
        }
        let (c, column) = (self.columns, direction.map(|x| kappa.sqrt() * x));
        self.p[c] = column;
        self.q[c] = column;
        self.d[c] = (1.0 - kappa) / self.steps[self.n - 1];
        self.columns += 1;
    }
}

fn tangential(y: &[f64]) -> f64 {
    y[1..].iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Unit vectors across t among the tangents, of which there are up to three.
fn across(t: &[f64; N], n: usize) -> [[f64; N]; 2] {
    let mut out = [[0.0; N]; 2];
    if n == 3 {
        out[0][1] = -t[2];
        out[0][2] = t[1];
    } else if n == 4 {
        let small = (1..4).min_by(|&a, &b| t[a].abs().total_cmp(&t[b].abs())).unwrap_or(1);
        let mut e = [0.0; N];
        e[small] = 1.0;
        let first = cross(t, &e);
        let length = tangential(&first[..4]);
        out[0] = first.map(|x| x / length);
        out[1] = cross(t, &out[0]);
    }
    out
}

fn cross(a: &[f64; N], b: &[f64; N]) -> [f64; N] {
    let mut c = [0.0; N];
    c[1] = a[2] * b[3] - a[3] * b[2];
    c[2] = a[3] * b[1] - a[1] * b[3];
    c[3] = a[1] * b[2] - a[2] * b[1];
    c
}
