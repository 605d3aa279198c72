//! What a step knows of a block: its part of the map, and the columns of its derivative.
//!
//! Notation as in the solver.

use super::super::local::{eigen, round_axes};
use super::super::{MAX_ROWS, MAX_TANGENTS};
use crate::law::{Friction, Law, Rule, Sliding};
use crate::projection::{FrictionCone, set_jacobian};
use std::array::from_fn;

pub(super) const N: usize = MAX_ROWS;
const D: usize = MAX_TANGENTS;

/// How the map of a block is made.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Bilateral,
    /// Without friction, or a friction set that is a ball in its units.
    Ball {
        mu: f64,
        radius: f64,
    },
    /// Any other friction set.
    Set,
    Sliding(Sliding),
    /// Friction without De Saxcé's correction.
    Associated,
}

/// What a step knows of a block.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) n: usize,
    /// Rows before the tangential ones: 1, or 0 for dry friction.
    normals: usize,
    kind: Kind,
    /// Units: Λ = `axes` x.
    pub(super) axes: [f64; N],
    /// R of each row, and what it is without the weight of slip: the unit of impulses over that of velocities.
    pub(super) steps: [f64; N],
    pub(super) units: [f64; N],
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
    pub(super) fn new(law: &Law, w: &[f64], associated: bool, slip_weight: f64) -> Option<Self> {
        let (n, normals) = (law.components(), law.kind.normals());
        let mut axes = [1.0; N];
        let kind = match law.rule() {
            Rule::Normal => Kind::Ball { mu: 0.0, radius: 0.0 },
            Rule::Bilateral => Kind::Bilateral,
            Rule::Sliding(law) => Kind::Sliding(law),
            Rule::Friction(_) if associated && normals == 1 => Kind::Associated,
            Rule::Friction(Friction { mu, radius, set, .. }) => match round_axes(set) {
                Some(round) => {
                    axes[normals..n].copy_from_slice(&round[..n - normals]);
                    Kind::Ball { mu, radius }
                }
                None => Kind::Set,
            },
        };
        let entry = |r: usize| axes[r] * axes[r] * w[r * (n + 1)];
        let largest = |from: usize| (from..n).fold(0.0, |m: f64, r| m.max(entry(r)));
        let mut steps = [0.0; N];
        for (r, step) in steps[..n].iter_mut().enumerate() {
            let scale = match kind {
                Kind::Associated => largest(0),
                Kind::Bilateral => entry(r),
                _ if r < normals => entry(r),
                _ => largest(normals),
            };
            *step = 1.0 / if scale > 0.0 { scale } else { largest(0) };
            if !(*step > 0.0 && step.is_finite()) {
                return None;
            }
        }
        let units = steps;
        if !matches!(kind, Kind::Associated | Kind::Bilateral) {
            steps[normals..n].iter_mut().for_each(|step| *step *= slip_weight);
        }
        let (zero, d) = ([[0.0; N]; N], [0.0; N]);
        let (left, right, plain) = ([[0.0; 3]; 3], [[0.0; 4]; 3], false);
        let (p, q, coupling, columns) = (zero, zero, d, 0);
        Some(Self {
            n,
            normals,
            kind,
            axes,
            steps,
            units,
            columns,
            p,
            q,
            d,
            coupling,
            left,
            right,
            plain,
        })
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

    /// max(0, y_N), or 0 where there is no normal.
    fn pressure(&self, y: &[f64; N]) -> f64 {
        if self.normals == 1 { y[0].max(0.0) } else { 0.0 }
    }

    /// G(y).
    pub(super) fn map(&self, law: &Law, y: &[f64; N]) -> [f64; N] {
        let (n, first) = (self.n, self.normals);
        let mut g = *y;
        if let Kind::Bilateral = self.kind {
            return g;
        }
        let pressure = self.pressure(y);
        if first == 1 {
            g[0] = pressure;
        }
        match (self.kind, law.rule()) {
            (Kind::Ball { mu, radius }, _) => {
                let (r, size) = (mu * pressure + radius, length(&y[first..n]));
                if size > r {
                    g[first..n].iter_mut().for_each(|g| *g *= r / size);
                }
            }
            (Kind::Associated, Rule::Friction(Friction { mu, radius, set, .. })) => {
                FrictionCone { set, mu, radius }.project(&y[..n], &mut g[..n]);
            }
            (Kind::Sliding(Sliding { mu, radius, f, .. }), _) => {
                let r = mu * pressure + radius;
                g[first..n].iter_mut().zip(f).for_each(|(g, f)| *g = r * f);
            }
            (_, Rule::Friction(Friction { mu, radius, set, .. })) => {
                set.project(mu * pressure + radius, &y[first..n], &mut g[first..n]);
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
        match (self.kind, law.rule()) {
            (Kind::Bilateral, _) => (0..self.n).for_each(|row| self.add_unit(row)),
            (Kind::Ball { mu, radius }, _) => self.ball(mu, radius, &y),
            (Kind::Sliding(Sliding { mu, f, .. }), _) if self.pressure(&y) > 0.0 => {
                self.add_unit(0);
                self.p[0][1..self.n].iter_mut().zip(f).for_each(|(p, f)| *p = mu * f);
            }
            (Kind::Sliding(_), _) => {}
            (Kind::Associated, Rule::Friction(Friction { mu, radius, set, .. })) => {
                self.associated(&FrictionCone { set, mu, radius }, &y);
            }
            (_, Rule::Friction(law)) => self.any_set(&law, &y),
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
        let (n, first) = (self.n, self.normals);
        let pressure = self.pressure(y);
        let (r, size) = (mu * pressure + radius, length(&y[first..n]));
        if pressure > 0.0 {
            self.add_unit(0);
        }
        if !(r > 0.0) {
            return;
        }
        if size <= r {
            (first..n).for_each(|row| self.add_unit(row));
            self.plain = self.columns == n && self.axes[..n].iter().all(|&x| x == 1.0);
            return;
        }
        let d = n - first;
        let mut t = [0.0; D];
        (0..d).for_each(|k| t[k] = y[first + k] / size);
        if pressure > 0.0 {
            (0..d).for_each(|k| self.p[0][first + k] = mu * t[k]);
        }
        let kappa = r / size;
        for direction in across(&t, d).iter().take(d - 1) {
            self.add_symmetric(kappa, &self.placed(direction));
        }
    }

    /// Tangential components in the rows of the block.
    fn placed(&self, tangential: &[f64; D]) -> [f64; N] {
        let mut out = [0.0; N];
        out[self.normals..self.n].copy_from_slice(&tangential[..self.n - self.normals]);
        out
    }

    fn any_set(&mut self, law: &Friction, y: &[f64; N]) {
        let (n, first) = (self.n, self.normals);
        let d = n - first;
        let pressure = self.pressure(y);
        let (r, pressed) = (law.mu * pressure + law.radius, pressure > 0.0);
        if pressed {
            self.add_unit(0);
        }
        if !(r > 0.0) {
            return;
        }
        let mut x = [0.0; D];
        x[..d].copy_from_slice(&y[first..n]);
        let j = set_jacobian(law.set, r, &x);
        if pressed {
            let mut f = [0.0; D];
            law.set.project(r, &x[..d], &mut f[..d]);
            for row in 0..d {
                let bent: f64 = (0..d).map(|c| j[row][c] * f[c]).sum();
                self.p[0][first + row] = law.mu * (f[row] - bent) / r;
            }
        }
        let (kappa, v) = eigen(j, d);
        for (k, &kappa) in kappa[..d].iter().enumerate() {
            let direction = from_fn(|row| if row < d { v[row][k] } else { 0.0 });
            self.add_symmetric(kappa, &self.placed(&direction));
        }
        if pressed {
            for c in 1..self.columns {
                let inner: f64 = (first..n).map(|row| self.q[c][row] * self.p[0][row]).sum();
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

fn length(y: &[f64]) -> f64 {
    y.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Unit vectors across the unit vector t of d tangents.
fn across(t: &[f64; D], d: usize) -> [[f64; D]; 2] {
    let mut out = [[0.0; D]; 2];
    if d == 2 {
        out[0] = [-t[1], t[0], 0.0];
    } else if d == 3 {
        let small = (0..3).min_by(|&a, &b| t[a].abs().total_cmp(&t[b].abs())).unwrap_or(0);
        let mut e = [0.0; D];
        e[small] = 1.0;
        let first = cross(t, &e);
        let size = length(&first);
        out[0] = first.map(|x| x / size);
        out[1] = cross(t, &out[0]);
    }
    out
}

fn cross(a: &[f64; D], b: &[f64; D]) -> [f64; D] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
