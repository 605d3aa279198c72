//! One block without De Saxcé's correction: min ½ ΛᵀwΛ + qᵀΛ over its cone K.
//!
//! Notation: ρ a bound on the largest eigenvalue of the block w; y = Λ − ξ/ρ; F = Λ − P(y) the natural map, P the
//! projection on K, J a generalised derivative of it. Newton's equation is (1 − J (1 − w/ρ)) dΛ = −F. A step
//! that does not lower |F| gives way to P(y), a step of projected gradients, which always nears the answer.

use super::MAX_TANGENTS;
use crate::law::Friction;
use crate::projection::FrictionCone;

const N: usize = 1 + MAX_TANGENTS;
/// Most steps; a few are usual.
const MAX_STEPS: usize = 100;

/// What is prepared of a block once per solve.
#[derive(Clone, Debug)]
pub(crate) struct Convex {
    n: usize,
    rho: f64,
}

impl Convex {
    pub(crate) fn new(w: &[f64], n: usize) -> Self {
        // Gershgorin's bound.
        let row = |r: &[f64]| r.iter().map(|x| x.abs()).sum::<f64>();
        Self { n, rho: w.chunks_exact(n).map(row).fold(0.0, f64::max) }
    }

    /// The impulse of the block, given the one it has and ξ with it.
    pub(crate) fn solve(&self, law: &Friction, w: &[f64], xi: &[f64], lam: &mut [f64]) -> bool {
        let n = self.n;
        if !(self.rho > 0.0) || n > N || lam.len() != n {
            return false;
        }
        let cone = FrictionCone { set: law.set, mu: law.mu, radius: law.radius };
        let mut start = [0.0; N];
        start[..n].copy_from_slice(lam);
        let mut at = self.evaluate(&cone, w, xi, &start, &start);
        for _ in 0..MAX_STEPS {
            let largest = at.lam.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            if !(at.size > f64::EPSILON * largest) {
                break;
            }
            let plain = || self.evaluate(&cone, w, xi, &start, &at.landed);
            let newton = self.direction(&cone, w, &at).map(|step| {
                let trial = std::array::from_fn(|r| at.lam[r] + step[r]);
                self.evaluate(&cone, w, xi, &start, &trial)
            });
            let next = match newton {
                Some(next) if next.size <= 0.5 * at.size => next,
                // Rounding alone is left once Newton's step no longer moves the point.
                Some(next) if next.size < at.size && at.size <= 1e-14 * largest => next,
                _ => plain(),
            };
            if !next.size.is_finite() || at.size <= 1e-14 * largest && next.size >= at.size {
                break;
            }
            at = next;
        }
        lam.copy_from_slice(&at.landed[..n]);
        true
    }

    fn evaluate(
        &self,
        cone: &FrictionCone,
        w: &[f64],
        xi: &[f64],
        start: &[f64; N],
        lam: &[f64; N],
    ) -> Point {
        let n = self.n;
        let mut point = Point { lam: *lam, from: *lam, landed: [0.0; N], size: 0.0 };
        for (r, line) in w.chunks_exact(n).enumerate() {
            let moved: f64 = (0..n).map(|c| line[c] * (lam[c] - start[c])).sum();
            point.from[r] -= (xi[r] + moved) / self.rho;
        }
        cone.project(&point.from[..n], &mut point.landed[..n]);
        point.size = (0..n).map(|r| (lam[r] - point.landed[r]).powi(2)).sum::<f64>().sqrt();
        point
    }

    /// Newton's step, where the derivative is known and the matrix regular.
    fn direction(&self, cone: &FrictionCone, w: &[f64], at: &Point) -> Option<[f64; N]> {
        let n = self.n;
        let mut j = [0.0; N * N];
        if !cone.jacobian(&at.from[..n], &mut j) {
            return None;
        }
        let mut a = [[0.0; N + 1]; N];
        for r in 0..n {
            for c in 0..n {
                let own = |r: usize| if r == c { 1.0 } else { 0.0 };
                let bent: f64 =
                    (0..n).map(|k| j[r * n + k] * (own(k) - w[k * n + c] / self.rho)).sum();
                a[r][c] = own(r) - bent;
            }
            a[r][N] = at.landed[r] - at.lam[r];
        }
        eliminate(&mut a, n)
    }
}

/// A point with its natural map.
struct Point {
    lam: [f64; N],
    from: [f64; N],
    landed: [f64; N],
    size: f64,
}

/// Solves a x = right side, which is the last column, with row pivots.
fn eliminate(a: &mut [[f64; N + 1]; N], n: usize) -> Option<[f64; N]> {
    for k in 0..n {
        let pivot = (k..n).max_by(|&p, &q| a[p][k].abs().total_cmp(&a[q][k].abs()))?;
        a.swap(k, pivot);
        let top = a[k];
        if !(top[k].abs() > 1e-14) {
            return None;
        }
        for row in &mut a[k + 1..n] {
            let factor = row[k] / top[k];
            row.iter_mut().zip(&top).for_each(|(x, t)| *x -= factor * t);
        }
    }
    let mut x = [0.0; N];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|c| a[k][c] * x[c]).sum();
        x[k] = (a[k][N] - known) / a[k][k];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}
