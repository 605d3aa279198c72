//! One block solved exactly, all others held: what a sweep of block Gauss-Seidel does.
//!
//! Notation, for a block with friction on an interval, disc or ellipsoid with semi-axes E:
//! q = ξ − W_ii Λ the velocity without the block's own impulse; Λ_T = E V u, where V holds the
//! eigenvectors of the Schur complement S = E (W_TT − W_TN W_NT / W_NN) E and s its eigenvalues;
//! t = Vᵀ E W_TN; p = Vᵀ E (q_T − W_TN q_N / W_NN). In these coordinates the friction set is the unit
//! ball and
//!
//! - stick: u_j = −p_j / s_j,
//! - slide: u_j = −p_j / (s_j + α), with α ≥ 0 such that |u| = μ Λ_N + a,
//! - in both: Λ_N = −(q_N + t·u) / W_NN.

use super::{MAX_ROWS, MAX_TANGENTS};
use crate::block::SYMMETRIC;
use crate::law::{Friction, Law, Rule, Sliding};
use crate::set::ConvexSet;
use crate::tolerance::LOCAL_ROUNDING;
use associated::Convex;

mod associated;

const D: usize = MAX_TANGENTS;
type Vector = [f64; D];

/// What is prepared of a block once per solve.
#[derive(Clone, Debug)]
pub(crate) enum Local {
    Normal {
        w: f64,
    },
    Bilateral {
        n: usize,
        inverse: [f64; MAX_ROWS * MAX_ROWS],
    },
    Round(Round),
    /// Any other set, by a prox iteration.
    General {
        w_n: f64,
        w_t: f64,
    },
    /// Round friction without a normal.
    Dry(Round),
    /// Any other set without a normal: the step of a prox iteration.
    DryGeneral {
        w_t: f64,
    },
    /// The law, W_NN, and W_NT f.
    Sliding {
        law: Sliding,
        w_n: f64,
        w_f: f64,
    },
    /// Friction without De Saxcé's correction.
    Convex(Convex),
}

/// A block whose friction set is an interval, a disc or an ellipsoid.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    d: usize,
    mu: f64,
    radius: f64,
    w_nn: f64,
    /// E V, by rows: maps u to Λ_T.
    turn: [Vector; D],
    s: Vector,
    t: Vector,
    /// α of the last slide, where the next search begins.
    alpha: f64,
    /// The same block without its normal row, where friction does not end with the normal impulse.
    open: Option<Box<Round>>,
}

/// Most steps of the search for α; bisection alone would need as many.
const MAX_STEPS: usize = 80;
/// Most steps of a prox iteration on one block.
const MAX_PROX: usize = 200;
/// The same for a user's set, whose projections may be slow; sweeps come back to the block.
const MAX_PROX_USER: usize = 20;

impl Local {
    /// Prepares the block with diagonal block `w` of W.
    pub(crate) fn new(law: &Law, w: &[f64], associated: bool) -> Self {
        let n = law.components();
        match law.rule() {
            Rule::Normal => Self::Normal { w: w[0] },
            Rule::Bilateral => Self::Bilateral { n, inverse: pseudo_inverse(w, n) },
            Rule::Sliding(law) => {
                let coupling = w[1..n].iter().zip(&law.f).map(|(w, f)| w * f);
                Self::Sliding { law, w_n: w[0], w_f: coupling.sum() }
            }
            Rule::Friction(law) if law.normals == 0 => Self::dry(&law, w, n),
            Rule::Friction(_) if associated => Self::Convex(Convex::new(w, n)),
            Rule::Friction(Friction { mu, radius, set, .. }) => match round_axes(set) {
                Some(axes) if w[0] > 0.0 && mirrors(w, n) => {
                    let mut round = Round::new(mu, radius, &axes[..n - 1], w);
                    if radius > 0.0 {
                        let tangential = without_normal(w, n);
                        let open = Round::new(0.0, radius, &axes[..n - 1], &tangential[..n * n]);
                        round.open = Some(Box::new(open));
                    }
                    Self::Round(round)
                }
                _ => Self::General { w_n: w[0], w_t: (1..n).map(|r| w[r * (n + 1)]).sum() },
            },
        }
    }

    fn dry(law: &Friction, w: &[f64], d: usize) -> Self {
        match round_axes(law.set) {
            Some(axes) if mirrors(w, d) => {
                let with_normal = beside_a_normal(w, d);
                let n = d + 1;
                Self::Dry(Round::new(0.0, law.radius, &axes[..d], &with_normal[..n * n]))
            }
            _ => Self::DryGeneral { w_t: (0..d).map(|r| w[r * (d + 1)]).sum() },
        }
    }

    /// The impulse of the block, given the one it has, `lam`, and ξ with it. False if the block has no
    /// diagonal to move on.
    #[inline]
    pub(crate) fn solve(&mut self, law: &Law, w: &[f64], xi: &[f64], lam: &mut [f64]) -> bool {
        match self {
            Self::Round(round) => round.solve(w, xi, lam),
            Self::Normal { w } => {
                if !(*w > 0.0) {
                    return false;
                }
                lam[0] = (lam[0] - xi[0] / *w).max(0.0);
                true
            }
            Self::Bilateral { n, inverse } => {
                for (l, row) in lam.iter_mut().zip(inverse.chunks_exact(*n)) {
                    *l -= row.iter().zip(xi).map(|(a, x)| a * x).sum::<f64>();
                }
                true
            }
            Self::Dry(round) => round.solve_dry(w, xi, lam),
            Self::Sliding { law, w_n, w_f } => slide_on(law, w, (*w_n, *w_f), xi, lam),
            Self::General { w_n, w_t } => match law.rule() {
                Rule::Friction(law) => prox(&law, w, (*w_n, *w_t), xi, lam),
                _ => false,
            },
            Self::DryGeneral { w_t } => match law.rule() {
                Rule::Friction(law) => prox_dry(&law, w, *w_t, xi, lam),
                _ => false,
            },
            Self::Convex(convex) => match law.rule() {
                Rule::Friction(law) => convex.solve(&law, w, xi, lam),
                _ => false,
            },
        }
    }
}

/// Whether a diagonal block is symmetric but for rounding; the eigenvectors of [`Round`] need it, a prox iteration does not.
fn mirrors(w: &[f64], n: usize) -> bool {
    let off = |r: usize, c: usize| (w[r * n + c] - w[c * n + r]).abs();
    let size = |r: usize, c: usize| w[r * (n + 1)].abs().max(w[c * (n + 1)].abs());
    (0..n).all(|r| (0..r).all(|c| off(r, c) <= SYMMETRIC * size(r, c)))
}

/// The semi-axes of a set that a change of units makes a ball.
pub(crate) fn round_axes(set: &ConvexSet) -> Option<[f64; D]> {
    let mut axes = [1.0; D];
    match set {
        ConvexSet::Interval | ConvexSet::Disc => Some(axes),
        ConvexSet::Ellipsoid(e) if e.len() <= D => {
            axes[..e.len()].copy_from_slice(e);
            Some(axes)
        }
        _ => None,
    }
}

impl Round {
    fn new(mu: f64, radius: f64, axes: &[f64], w: &[f64]) -> Self {
        let (d, n, w_nn) = (axes.len(), axes.len() + 1, w[0]);
        let mut w_tn = [0.0; D];
        for j in 0..d {
            w_tn[j] = axes[j] * w[(j + 1) * n];
        }
        let mut schur = [[0.0; D]; D];
        for i in 0..d {
            for j in 0..d {
                schur[i][j] = axes[i] * w[(i + 1) * n + j + 1] * axes[j] - w_tn[i] * w_tn[j] / w_nn;
            }
        }
        let (mut s, v) = eigen(schur, d);
        let (mut turn, mut t) = ([[0.0; D]; D], [0.0; D]);
        for i in 0..d {
            for j in 0..d {
                turn[i][j] = axes[i] * v[i][j];
                t[j] += v[i][j] * w_tn[i];
            }
        }
        // What is left of W_TT after the subtraction may be rounding alone.
        let floor = LOCAL_ROUNDING
            * (0..d).map(|i| axes[i].powi(2) * w[(i + 1) * (n + 1)].abs()).sum::<f64>();
        for (j, s) in s.iter_mut().enumerate() {
            *s = if j >= d {
                1.0
            } else if *s > floor {
                *s
            } else {
                0.0
            };
        }
        Self { d, mu, radius, w_nn, turn, s, t, alpha: 0.0, open: None }
    }

    fn solve(&mut self, w: &[f64], xi: &[f64], lam: &mut [f64]) -> bool {
        let (d, n) = (self.d, self.d + 1);
        let mut q = [0.0; D + 1];
        for (r, q) in q[..n].iter_mut().enumerate() {
            let own: f64 = w[r * n..(r + 1) * n].iter().zip(&*lam).map(|(a, x)| a * x).sum();
            *q = xi[r] - own;
        }
        if q[0] >= 0.0 && self.radius == 0.0 {
            lam.fill(0.0);
            return true;
        }
        // turn = E V, so p = turnᵀ (q_T − W_TN q_N / W_NN).
        let mut p = [0.0; D];
        for j in 0..d {
            let tangential: f64 = (0..d).map(|i| self.turn[i][j] * q[i + 1]).sum();
            p[j] = tangential - self.t[j] * q[0] / self.w_nn;
        }
        if self.s[..d].contains(&0.0) {
            self.drop_rounding(w, (xi, lam), q[0], &mut p);
        }
        let Some((normal, u)) = self.stick_or_slide(q[0], &p) else {
            self.solve_open(&q, lam);
            return true;
        };
        lam[0] = normal;
        for i in 0..d {
            lam[i + 1] = (0..d).map(|j| self.turn[i][j] * u[j]).sum();
        }
        true
    }

    /// Friction alone, for a block that has no normal row.
    fn solve_dry(&mut self, w: &[f64], xi: &[f64], lam: &mut [f64]) -> bool {
        let d = self.d;
        let (mut q, mut terms) = ([0.0; D], [0.0; D]);
        for r in 0..d {
            let own = w[r * d..(r + 1) * d].iter().zip(&*lam).map(|(a, x)| a * x);
            let (sum, size) = own.fold((0.0, 0.0), |(s, t), x| (s + x, t + f64::abs(x)));
            (q[r], terms[r]) = (xi[r] - sum, xi[r].abs() + size);
        }
        let p: Vector = std::array::from_fn(|j| {
            let along = |x: &Vector| (0..d).map(|i| self.turn[i][j] * x[i]).sum::<f64>();
            let size: f64 = (0..d).map(|i| self.turn[i][j].abs() * terms[i]).sum();
            let p = if j < d { along(&q) } else { 0.0 };
            if j < d && self.s[j] == 0.0 && p.abs() <= LOCAL_ROUNDING * size { 0.0 } else { p }
        });
        let Some((_, u)) = self.stick_or_slide(0.0, &p) else { return false };
        for i in 0..d {
            lam[i] = (0..d).map(|j| self.turn[i][j] * u[j]).sum();
        }
        true
    }

    /// Sets to zero what is rounding in the directions in which the block has no mass: there a velocity,
    /// however small, would ask for an impulse without bound.
    fn drop_rounding(&self, w: &[f64], (xi, lam): (&[f64], &[f64]), q_n: f64, p: &mut Vector) {
        let n = self.d + 1;
        let terms = |r: usize| {
            let own = w[r * n..(r + 1) * n].iter().zip(lam).map(|(a, x)| (a * x).abs());
            xi[r].abs() + own.sum::<f64>()
        };
        let normal = (terms(0) + q_n.abs()) / self.w_nn;
        for j in (0..self.d).filter(|&j| self.s[j] == 0.0) {
            let tangential: f64 = (0..self.d).map(|i| self.turn[i][j].abs() * terms(i + 1)).sum();
            if p[j].abs() <= LOCAL_ROUNDING * (tangential + self.t[j].abs() * normal) {
                p[j] = 0.0;
            }
        }
    }

    fn normal(&self, q_n: f64, u: &Vector) -> f64 {
        -(q_n + self.t.iter().zip(u).map(|(t, u)| t * u).sum::<f64>()) / self.w_nn
    }

    /// The answer with ξ_N = 0, if there is one with Λ_N ≥ 0.
    fn stick_or_slide(&mut self, q_n: f64, p: &Vector) -> Option<(f64, Vector)> {
        if self.mu == 0.0 && self.radius == 0.0 {
            return Some((-q_n / self.w_nn, [0.0; D])).filter(|x| x.0 >= 0.0);
        }
        let holds = p.iter().zip(&self.s).all(|(p, s)| *s > 0.0 || *p == 0.0);
        if holds {
            let u = self.at(0.0, p);
            let normal = self.normal(q_n, &u);
            if normal >= 0.0 && norm(&u) <= self.mu * normal + self.radius {
                return Some((normal, u));
            }
        }
        let u = self.slide(q_n, p)?;
        let normal = self.normal(q_n, &u);
        (normal >= 0.0).then_some((normal, u))
    }

    fn at(&self, alpha: f64, p: &Vector) -> Vector {
        std::array::from_fn(|j| {
            let s = self.s[j] + alpha;
            if p[j] == 0.0 { 0.0 } else { -p[j] / s }
        })
    }

    /// The root of φ(α) = |u(α)| − μ Λ_N(α) − a by Newton's method, kept in a bracket.
    fn slide(&mut self, q_n: f64, p: &Vector) -> Option<Vector> {
        let largest = self.s.iter().fold(0.0, |m: f64, s| m.max(*s));
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut alpha = if self.alpha > 0.0 {
            self.alpha
        } else if largest > 0.0 {
            0.1 * largest
        } else {
            norm(p) / (self.mu * (-q_n).max(0.0) / self.w_nn + self.radius)
        };
        let mut u = self.at(alpha, p);
        for _ in 0..MAX_STEPS {
            let size = norm(&u);
            let bound = self.mu * self.normal(q_n, &u) + self.radius;
            let phi = size - bound;
            if phi == 0.0 {
                break;
            }
            if phi > 0.0 {
                low = alpha
            } else {
                high = alpha
            }
            let slope: f64 = (0..D)
                .map(|j| {
                    let rate = -u[j] / (self.s[j] + alpha);
                    rate * (if size > 0.0 { u[j] / size } else { 0.0 }
                        + self.mu * self.t[j] / self.w_nn)
                })
                .sum();
            // |u| behaves as 1/(s + α): Newton's step on 1/|u| − 1/bound is nearly exact.
            let newton = if bound > 0.0 && slope < 0.0 {
                alpha - phi / slope * (size / bound)
            } else {
                f64::NAN
            };
            let next = if newton > low && newton < high {
                newton
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                4.0 * alpha
            };
            let done = (next - alpha).abs() <= 1e-15 * alpha || high - low <= 1e-15 * low;
            alpha = next;
            u = self.at(alpha, p);
            if done {
                break;
            }
        }
        if !(alpha > 0.0 && alpha.is_finite()) {
            return None;
        }
        self.alpha = alpha;
        // On the boundary to the last digit.
        let size = norm(&u);
        let bound = self.mu * self.normal(q_n, &u) + self.radius;
        if !(bound >= 0.0) {
            return None;
        }
        if size > bound && size > 0.0 {
            u = u.map(|x| x * (bound / size));
        }
        Some(u)
    }

    /// The answer with Λ_N = 0: friction of constant radius alone, if there is any.
    fn solve_open(&mut self, q: &[f64], lam: &mut [f64]) {
        lam.fill(0.0);
        let Some(open) = &mut self.open else { return };
        let d = open.d;
        let p: Vector = std::array::from_fn(|j| {
            if j < d { (0..d).map(|i| open.turn[i][j] * q[i + 1]).sum() } else { 0.0 }
        });
        let Some((_, u)) = open.stick_or_slide(0.0, &p) else { return };
        for i in 0..d {
            lam[i + 1] = (0..d).map(|j| open.turn[i][j] * u[j]).sum();
        }
    }
}

/// A contact that slides: 0 ≤ c + D Λ_N ⊥ Λ_N ≥ 0 with D = W_NN + μ W_NT f.
///
/// For D ≤ 0 (Painlevé) there are two answers if c > 0, of which the open contact is taken, and none if
/// c < 0: then Λ_N stays, and the judge tells.
fn slide_on(law: &Sliding, w: &[f64], (w_n, w_f): (f64, f64), xi: &[f64], lam: &mut [f64]) -> bool {
    let Sliding { mu, radius, f: friction, normals } = law;
    if *normals == 0 {
        lam.iter_mut().zip(friction).for_each(|(l, f)| *l = radius * f);
        return true;
    }
    let own: f64 = w.iter().zip(&*lam).map(|(w, l)| w * l).sum();
    let c = xi[0] - own + radius * w_f;
    let d = w_n + mu * w_f;
    let normal = if d > 0.0 {
        (-c / d).max(0.0)
    } else if c >= 0.0 {
        0.0
    } else {
        lam[0].max(0.0)
    };
    lam[0] = normal;
    lam[1..].iter_mut().zip(friction).for_each(|(l, f)| *l = (mu * normal + radius) * f);
    true
}

/// Projection of normal and tangential part in turn, until neither moves.
fn prox(law: &Friction, w: &[f64], (w_n, w_t): (f64, f64), xi: &[f64], lam: &mut [f64]) -> bool {
    let Friction { mu, radius, set, .. } = law;
    if !(w_n > 0.0 && w_t > 0.0) {
        return false;
    }
    let n = lam.len();
    let mut v = [0.0; D + 1];
    v[..n].copy_from_slice(xi);
    let mut from = [0.0; D];
    let mut to = [0.0; D];
    for _ in 0..most_prox(set) {
        let new = (lam[0] - v[0] / w_n).max(0.0);
        let mut change = (new - lam[0]).abs();
        for r in 0..n {
            v[r] += w[r * n] * (new - lam[0]);
        }
        lam[0] = new;
        for j in 1..n {
            from[j - 1] = lam[j] - v[j] / w_t;
        }
        set.project(mu * new + radius, &from[..n - 1], &mut to[..n - 1]);
        for j in 1..n {
            let move_by = to[j - 1] - lam[j];
            change = change.max(move_by.abs());
            for r in 0..n {
                v[r] += w[r * n + j] * move_by;
            }
            lam[j] = to[j - 1];
        }
        let size = lam.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if change <= 1e-15 * size {
            break;
        }
    }
    true
}

fn most_prox(set: &ConvexSet) -> usize {
    if matches!(set, ConvexSet::Custom(_)) { MAX_PROX_USER } else { MAX_PROX }
}

/// The same without a normal.
fn prox_dry(law: &Friction, w: &[f64], w_t: f64, xi: &[f64], lam: &mut [f64]) -> bool {
    if !(w_t > 0.0) {
        return false;
    }
    let d = lam.len();
    let mut v = [0.0; D];
    v[..d].copy_from_slice(xi);
    let (mut from, mut to) = ([0.0; D], [0.0; D]);
    for _ in 0..most_prox(law.set) {
        for j in 0..d {
            from[j] = lam[j] - v[j] / w_t;
        }
        law.set.project(law.radius, &from[..d], &mut to[..d]);
        let mut change = 0.0_f64;
        for j in 0..d {
            let move_by = to[j] - lam[j];
            change = change.max(move_by.abs());
            for r in 0..d {
                v[r] += w[r * d + j] * move_by;
            }
            lam[j] = to[j];
        }
        if change <= 1e-15 * law.radius {
            break;
        }
    }
    true
}

/// The tangential block `w` of d rows beside a normal that it does not know of.
fn beside_a_normal(w: &[f64], d: usize) -> [f64; MAX_ROWS * MAX_ROWS] {
    let mut out = [0.0; MAX_ROWS * MAX_ROWS];
    out[0] = 1.0;
    for r in 0..d {
        let at = (r + 1) * (d + 1) + 1;
        out[at..at + d].copy_from_slice(&w[r * d..(r + 1) * d]);
    }
    out
}

/// The block with 1 and zeros in its normal row and column.
fn without_normal(w: &[f64], n: usize) -> [f64; MAX_ROWS * MAX_ROWS] {
    let mut out = [0.0; MAX_ROWS * MAX_ROWS];
    out[0] = 1.0;
    for r in 1..n {
        out[r * n + 1..(r + 1) * n].copy_from_slice(&w[r * n + 1..(r + 1) * n]);
    }
    out
}

fn norm(u: &Vector) -> f64 {
    u.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Eigenvalues and eigenvectors (columns) of the leading d × d part, by Jacobi's rotations.
pub(crate) fn eigen<const S: usize>(mut a: [[f64; S]; S], d: usize) -> ([f64; S], [[f64; S]; S]) {
    let mut v = [[0.0; S]; S];
    (0..S).for_each(|i| v[i][i] = 1.0);
    for _ in 0..30 {
        let mut off = 0.0;
        for p in 0..d {
            for q in p + 1..d {
                off += a[p][q].abs();
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..d {
                    (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
                }
                for k in 0..d {
                    (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                    (v[k][p], v[k][q]) = (c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]);
                }
            }
        }
        if off <= f64::MIN_POSITIVE {
            break;
        }
    }
    (std::array::from_fn(|i| a[i][i]), v)
}

/// The inverse of a symmetric semidefinite block on the directions it has, by pivoted elimination: rows
/// that depend on others get none.
fn pseudo_inverse(w: &[f64], n: usize) -> [f64; MAX_ROWS * MAX_ROWS] {
    let mut out = [0.0; MAX_ROWS * MAX_ROWS];
    let mut a: [f64; MAX_ROWS * MAX_ROWS] = [0.0; _];
    a[..n * n].copy_from_slice(w);
    let largest = (0..n).fold(0.0, |m: f64, r| m.max(a[r * (n + 1)]));
    let mut taken = [false; MAX_ROWS];
    // Symmetric sweeps (Goodnight 1979): what was swept holds −W⁻¹ of the swept part.
    for _ in 0..n {
        let pivot = (0..n)
            .filter(|&r| !taken[r])
            .max_by(|&x, &y| a[x * (n + 1)].total_cmp(&a[y * (n + 1)]));
        let Some(k) = pivot.filter(|&k| a[k * (n + 1)] > 1e-12 * largest) else { break };
        taken[k] = true;
        let d = a[k * (n + 1)];
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[i * n + k] / d;
            for j in (0..n).filter(|&j| j != k) {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
        for i in (0..n).filter(|&i| i != k) {
            a[i * n + k] /= d;
            a[k * n + i] /= d;
        }
        a[k * (n + 1)] = -1.0 / d;
    }
    for i in (0..n).filter(|&i| taken[i]) {
        for j in (0..n).filter(|&j| taken[j]) {
            out[i * n + j] = -a[i * n + j];
        }
    }
    out
}

#[cfg(test)]
mod tests;
