//! A contact that neither sticks nor opens, where the diagonal block of W is not diagonal.
//!
//! Notation as in [`Local`]: q = ξ − W_ii Λ; S = W_TT − W_TN W_NT / W_NN has the eigenvectors V and the eigenvalues s; t = Vᵀ W_TN;
//! p = Vᵀ (q_T − W_TN q_N / W_NN); slide is u_j = −p_j / (s_j + α) with α ≥ 0 such that |u| = μ Λ_N, Λ_N = −(q_N + t·u) / W_NN.

use super::packed::{Contact, ROWS, Vector};
use crate::law::Law;
use crate::solvers::local::{Local, eigen};

type Pair = [f64; 2];

/// What is prepared of a contact when it first slides.
#[expect(clippy::large_enum_variant, reason = "a sweep does not allocate")]
#[derive(Clone, Debug)]
pub(super) enum LocalSolver {
    /// Two tangents and a regular block.
    Slide(Slide),
    Any(Local),
}

/// The eigenvectors and eigenvalues of S, and the α of the last slide.
#[derive(Clone, Debug)]
pub(super) struct Slide {
    v: [Pair; 2],
    s: Pair,
    t: Pair,
    alpha: f64,
}

/// The least eigenvalue of S that is no rounding, as a share of W_TT.
const REGULAR: f64 = 1e-12;
/// Steps of Newton's method end at changes of this share: a sweep goes on from where the last one ended, so that all of them together
/// find α to rounding.
const CHANGE: f64 = 1e-2;
const MOST_STEPS: usize = 8;

impl LocalSolver {
    pub(super) fn new(law: &Law, w: &[f64; ROWS * ROWS], n: usize) -> Self {
        let slide = if n == ROWS { Slide::new(w) } else { None };
        slide.map_or_else(|| Self::Any(Local::new(law, &w[..n * n], false)), Self::Slide)
    }

    /// The impulse of the contact, given the one that it has and ξ with it.
    pub(super) fn solve(
        &mut self,
        (law, w): (&Law, &[f64; ROWS * ROWS]),
        contact: &Contact,
        old: &Vector,
        xi: &Vector,
    ) -> Vector {
        let n = contact.rows();
        if let Self::Slide(slide) = self {
            if let Some(lam) = slide.solve(w, contact.mu, old, xi) {
                return lam;
            }
            *self = Self::Any(Local::new(law, &w[..n * n], false));
        }
        let mut lam = *old;
        if let Self::Any(local) = self {
            local.solve(law, &w[..n * n], &xi[..n], &mut lam[..n]);
        }
        lam
    }
}

impl Slide {
    fn new(w: &[f64; ROWS * ROWS]) -> Option<Self> {
        let coupling = [w[3], w[6]];
        let schur = |i: usize, j: usize| w[3 * i + j + 4] - coupling[i] * coupling[j] / w[0];
        let (s, v) = eigen([[schur(0, 0), schur(0, 1)], [schur(1, 0), schur(1, 1)]], 2);
        let least = REGULAR * (w[4] + w[8]);
        let t = std::array::from_fn(|j| v[0][j] * coupling[0] + v[1][j] * coupling[1]);
        let regular = w[0] > 0.0 && s[0] > least && s[1] > least;
        regular.then_some(Self { v, s, t, alpha: 0.1 * s[0].max(s[1]) })
    }

    /// The impulse that slides; `None` where Newton's method does not find it.
    fn solve(
        &mut self,
        w: &[f64; ROWS * ROWS],
        mu: f64,
        old: &Vector,
        xi: &Vector,
    ) -> Option<Vector> {
        let q: Vector = std::array::from_fn(|r| {
            xi[r] - (w[3 * r] * old[0] + w[3 * r + 1] * old[1] + w[3 * r + 2] * old[2])
        });
        let part = 1.0 / w[0];
        let p: Pair = std::array::from_fn(|j| {
            self.v[0][j] * q[1] + self.v[1][j] * q[2] - self.t[j] * q[0] * part
        });
        let (mut alpha, mut found) = (self.alpha, false);
        for _ in 0..MOST_STEPS {
            let (size, bound, slope) = self.at(alpha, mu, q[0] * part, part, &p);
            if !(bound > 0.0 && slope < 0.0) {
                return None;
            }
            // |u| behaves as 1/(s + α): Newton's step on 1/|u| − 1/bound is nearly exact.
            let newton = alpha - (size - bound) / slope * (size / bound);
            let next = if newton > 0.0 { newton } else { 0.25 * alpha };
            found = (next - alpha).abs() <= CHANGE * next;
            alpha = next;
            if found {
                break;
            }
        }
        if !found {
            return None;
        }
        self.alpha = alpha;
        let u: Pair = std::array::from_fn(|j| -p[j] / (self.s[j] + alpha));
        let normal = -(q[0] + self.t[0] * u[0] + self.t[1] * u[1]) * part;
        let size = (u[0] * u[0] + u[1] * u[1]).sqrt();
        // On the boundary to the last digit.
        let kept = mu * normal / size;
        (normal >= 0.0 && kept.is_finite()).then(|| {
            let [a, b] = [0, 1].map(|i| kept * (self.v[i][0] * u[0] + self.v[i][1] * u[1]));
            [normal, a, b]
        })
    }

    /// |u|, μ Λ_N, and the slope of their difference over α.
    #[inline(always)]
    fn at(&self, alpha: f64, mu: f64, normal: f64, part: f64, p: &Pair) -> (f64, f64, f64) {
        let (a, b) = (self.s[0] + alpha, self.s[1] + alpha);
        let both = 1.0 / (a * b);
        let inverse = [b * both, a * both];
        let u: Pair = std::array::from_fn(|j| -p[j] * inverse[j]);
        let size = (u[0] * u[0] + u[1] * u[1]).sqrt();
        let (share, turn) = (mu * part, 1.0 / size);
        let bound = -mu * normal - share * (self.t[0] * u[0] + self.t[1] * u[1]);
        let rate = |j: usize| -u[j] * inverse[j] * (u[j] * turn + share * self.t[j]);
        (size, bound, rate(0) + rate(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slides_that_go_on_from_the_last_one_find_what_the_exact_search_finds() {
        let law = Law::disc(0.5);
        let w = [2.0, 0.3, -0.4, 0.3, 3.0, 0.5, -0.4, 0.5, 2.5];
        let slide = Slide::new(&w).unwrap();
        for turn in 0..12 {
            let (sine, cosine) = (0.5 * f64::from(turn)).sin_cos();
            // The velocities of a contact that approaches and slips, without its own impulse.
            let free = [-1.0, 4.0 * cosine, 4.0 * sine];
            let mut exact = [0.0; ROWS];
            assert!(Local::new(&law, &w, false).solve(&law, &w, &free, &mut exact));
            let (mut slide, mut lam) = (slide.clone(), [0.0; ROWS]);
            for _ in 0..4 {
                let xi = std::array::from_fn(|r| {
                    free[r] + (0..ROWS).map(|c| w[3 * r + c] * lam[c]).sum::<f64>()
                });
                lam = slide.solve(&w, 0.5, &lam, &xi).unwrap();
            }
            for r in 0..ROWS {
                assert!((lam[r] - exact[r]).abs() < 1e-12, "{turn}: {lam:?} {exact:?}");
            }
        }
    }
}
