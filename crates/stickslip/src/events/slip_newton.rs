//! Newton's method for the directions of slip in space.
//!
//! Friction across a slow slip answers the velocity across it with (μ Λ_N + a) / |γ_T|, which is beyond all bounds where a slip
//! begins or ends, so that stages found by iteration alone would diverge. The directions d at the stages are therefore
//! unknowns of their own, by their angles, with the equations e_jᵀ γ_j = 0 where e is across d. A change τ of the angles changes
//! accelerations by δ_j = r_j + p_j τ_j and velocities by h Σ_l a_jl δ_l, so that
//!
//! ```text
//! h Σ_l a_jl e_jᵀ p_l τ_l − (d_jᵀ γ_j) τ_j = −e_jᵀ γ_j − h Σ_l a_jl e_jᵀ r_l,
//! ```
//!
//! which is regular at γ = 0 too.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | m | contacts that slide in space | |
//! | r | what evaluations say less the accelerations at hand | S × f |
//! | e, p | rows of the slips across, and derivatives of accelerations by the angles | S m × f |
//! | slips | d·γ_T and e·γ_T | S m |

use super::gauss::{Gauss, STAGES};
use super::linear::{Small, Solved};
use super::motion::Motion;
use crate::dynamics::dot;
use complementarity::Matrix;

/// The largest change of a direction in one iteration, in radians: equations are linear in less.
const LARGEST_TURN: f64 = 0.5;

/// A slip in space at a stage: the direction d that friction was against, and d·γ_T and e·γ_T.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slip {
    pub(super) heading: [f64; 2],
    pub(super) along: f64,
    pub(super) across: f64,
}

/// The directions at the stages, and storage of the method.
#[derive(Clone, Debug, Default)]
pub(super) struct SlipNewton {
    /// None before the first sweep.
    headings: Vec<Option<[f64; 2]>>,
    r: Vec<f64>,
    e: Vec<f64>,
    p: Vec<f64>,
    slips: Vec<Slip>,
    matrix: Matrix,
    tau: Vec<f64>,
    small: Small,
}

impl SlipNewton {
    /// Begins with the directions at the start of the step at all stages.
    pub(super) fn start(&mut self, motion: &Motion) {
        self.headings.clear();
        self.headings.resize(STAGES * motion.followers().count(), None);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.headings.is_empty()
    }

    /// The directions at a stage.
    pub(super) fn at(&self, stage: usize) -> &[Option<[f64; 2]>] {
        let m = self.headings.len() / STAGES;
        &self.headings[stage * m..(stage + 1) * m]
    }

    pub(super) fn begin(&mut self) {
        self.r.clear();
        self.e.clear();
        self.p.clear();
        self.slips.clear();
    }

    /// Takes the next stage, with what was found there less the accelerations at hand.
    pub(super) fn take(&mut self, motion: &mut Motion, off: impl Iterator<Item = f64>) {
        self.r.extend(off);
        motion.slip_derivatives(&mut self.e, &mut self.p, &mut self.slips);
    }

    /// The change of the accelerations at a stage, after [`solve`](Self::solve).
    pub(super) fn change(&self, stage: usize, f: usize) -> &[f64] {
        &self.r[stage * f..(stage + 1) * f]
    }

    /// Turns r into δ and the directions with it, for a step of length `h`.
    pub(super) fn solve(&mut self, gauss: &Gauss, f: usize, h: f64) {
        let n = self.headings.len();
        let m = n / STAGES;
        self.matrix.reshape(n, n);
        self.tau.clear();
        for i in 0..n {
            let (j, e) = (i / m, &self.e[i * f..(i + 1) * f]);
            let moved: f64 =
                (0..STAGES).map(|l| gauss.a[j][l] * dot(e, &self.r[l * f..(l + 1) * f])).sum();
            let mut largest = 0.0_f64;
            for c in 0..n {
                let own = if c == i { self.slips[i].along } else { 0.0 };
                let entry = h * gauss.a[j][c / m] * dot(e, &self.p[c * f..(c + 1) * f]) - own;
                largest = largest.max(entry.abs());
                self.matrix[(i, c)] = entry;
            }
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            self.matrix.row_mut(i).iter_mut().for_each(|x| *x *= scale);
            self.tau.push(-scale * (self.slips[i].across + h * moved));
        }
        if self.small.solve(&self.matrix, &mut self.tau) == Solved::No {
            return;
        }
        let farthest = self.tau.iter().fold(0.0_f64, |m, t| m.max(t.abs()));
        let share = if farthest > LARGEST_TURN { LARGEST_TURN / farthest } else { 1.0 };
        for (i, tau) in self.tau.iter().enumerate() {
            let (stage, tau) = (i / m, share * tau);
            let to = &mut self.r[stage * f..(stage + 1) * f];
            to.iter_mut().zip(&self.p[i * f..]).for_each(|(r, p)| *r += tau * p);
            let ([x, y], (s, c)) = (self.slips[i].heading, tau.sin_cos());
            self.headings[i] = Some([c * x - s * y, s * x + c * y]);
        }
    }
}
