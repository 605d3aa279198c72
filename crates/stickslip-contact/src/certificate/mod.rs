//! The certificate: how far impulses are from the laws of a contact problem. No solver uses this code, and it uses none of
//! theirs.
//!
//! # Definition
//! Each contact i is judged in its own scale, from ξ = W Λ + b and two natural maps, which vanish exactly where the law holds:
//!
//! ```text
//!   normal      Λ_N − max(0, Λ_N − ρ ξ_N)
//!   friction    Λ_T − P(Λ_T − ρ ξ_T),   P the nearest point of (μ max(0, Λ_N) + a) F
//!   scale       max(‖Λ_i‖, ρ (‖b_i‖ + Σ_j ‖W_ij Λ_j‖)),        ρ = d / tr W_ii,   d the rows of the contact
//! ```
//!
//! - Tangential components may differ in unit (sliding and spin). They are measured by the extents of F, e_t = h_F(± axis):
//!   Λ_t / s_t and s_t ξ_t with s_t = e_t over the larger extent of the two directions of slip. That makes an ellipsoid a ball
//!   ([2]) and leaves nothing to the unit of length, the size of a contact patch, or how a law is shared between μ and F.
//! - A contact that slides has Λ_T − (μ max(0, Λ_N) + a) f in place of the friction map, with the f of its direction. Friction
//!   without a normal has the friction map alone. A connection has ρ ξ, row by row, with ρ = 1 / W_rr.
//! - With a static coefficient of friction μ_s the law is the union of two, and the friction map is the smaller of the one above
//!   and of stick: the larger of ρ ‖ξ_T‖ and of the distance of Λ_T from (μ_s max(0, Λ_N) + a) F.
//! - Against the convexified law, ξ_N − μ h_F(−ξ_T) stands for ξ_N.
//! - What the rounding of a row makes unavoidable, [`ROUNDING`] (|W||Λ| + |b|) times ρ, is subtracted before the map is divided
//!   by the scale. The maps do not expand, so neither does it.
//! - Where the trace is not positive (nothing moves the contact), ρ is the ratio of the contact's impulses to the terms of its
//!   velocities, or 1 where one of them is 0: what breaks the law then measures about 1.
//!
//! - Impulses so large that in every row the rounding of W Λ exceeds b would do for any other b: they answer nothing, and are
//!   refused.
//!
//! A number is thus a backward error: the relative change of the contact's own impulses, bias and matrix rows that would make it
//! right. NaN and infinity, anywhere in a contact, measure infinity.

mod general;
mod planar;
mod polyhedron;
mod set;
#[cfg(test)]
mod tests;

use super::ContactProblem;
use serde::Serialize;

/// Rounding of a row of W Λ + b, over |W||Λ| + |b|: the answer is rounded, so are the products and their sum.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// One measure, and the contact where it is worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Measure {
    /// The size, without unit; 0 where the law is met.
    pub value: f64,
    /// The contact where it is worst; none if it is 0 everywhere.
    pub contact: Option<u32>,
}

impl Measure {
    /// Without a branch: whether rounding is above or below zero cannot be predicted.
    #[inline(always)]
    fn take(&mut self, value: f64, contact: u32) {
        // Not a number is the worst of all.
        let value = if value.is_nan() { f64::INFINITY } else { value };
        let worse = value > self.value;
        self.contact = if worse { Some(contact) } else { self.contact };
        self.value = if worse { value } else { self.value };
    }
}

/// How far impulses Λ are from the laws, computed from W, b, the laws and Λ alone. Every measure is taken of one contact at a
/// time, over the scale of that contact: of 1e-10, an impulse is wrong by 1e-10 of the scale, or a velocity by 1e-10 of the
/// scale over ρ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Certificate {
    /// −ρ ξ_N where it is positive: contacts approach.
    pub penetration: Measure,
    /// −Λ_N where it is positive: contacts pull.
    pub tension: Measure,
    /// min(Λ_N, ρ ξ_N) where it is positive: contacts push while they separate.
    pub complementarity: Measure,
    /// How far Λ_T is outside of (μ Λ_N + a) F; for a sliding contact how far it is from its value.
    pub cone: Measure,
    /// What is left of the friction map: friction that does not oppose slip with all it has.
    pub dissipation: Measure,
    /// ρ |ξ| of the rows of connections.
    pub bilateral: Measure,
    /// ‖M (u⁺ − u_f) − H Λ‖ as a share of the momenta of the step; 0 for a problem alone.
    pub momentum: f64,
    /// The largest map of a contact, or the momentum. The friction map of a contact that fails both in `cone` and in `dissipation`
    /// is at most their sum.
    pub worst: f64,
}

impl Certificate {
    /// Judges Λ and leaves ξ = W Λ + b in `velocity`: one pass over W, no allocation. `convexified` selects the law
    /// K ∋ Λ ⊥ ξ ∈ K* without De Saxcé's correction.
    ///
    /// # Panics
    /// If a slice does not have as many entries as b.
    #[inline]
    pub fn judge(
        problem: &ContactProblem,
        convexified: bool,
        impulse: &[f64],
        velocity: &mut [f64],
    ) -> Self {
        let n = problem.bias().len();
        assert_eq!((impulse.len(), velocity.len()), (n, n), "lengths of impulse and velocity");
        Self::evaluate(problem, convexified, impulse, 0.0, |row, xi| {
            velocity[row..row + xi.len()].copy_from_slice(xi);
        })
    }

    #[inline]
    pub(crate) fn of(problem: &ContactProblem, impulse: &[f64]) -> Self {
        Self::with_terms(problem, impulse, 0.0)
    }

    /// For a bias that was summed from terms as large as `terms`, which take the place of smaller |b| in rounding and scale: an
    /// answer cannot be better than the rounding of what it was made from.
    #[inline]
    pub fn with_terms(problem: &ContactProblem, impulse: &[f64], terms: f64) -> Self {
        Self::evaluate(problem, false, impulse, terms, |_, _| ())
    }

    /// As [`of`](Self::of), against the convexified law.
    pub(crate) fn convexified(problem: &ContactProblem, impulse: &[f64]) -> Self {
        Self::evaluate(problem, true, impulse, 0.0, |_, _| ())
    }

    /// Hands the first row of each contact and its ξ to `store`.
    #[inline(always)]
    fn evaluate(
        problem: &ContactProblem,
        convexified: bool,
        impulse: &[f64],
        terms: f64,
        store: impl FnMut(usize, &[f64]),
    ) -> Self {
        match problem.delassus().as_dense() {
            Some(w) if problem.is_planar() && !convexified => {
                planar::certificate(problem, w, impulse, terms, store)
            }
            _ => general::certificate(problem, convexified, impulse, terms, store),
        }
    }

    /// Takes in the momentum balance of a step.
    #[inline]
    pub fn set_momentum(&mut self, momentum: f64) {
        self.momentum = if momentum.is_nan() { f64::INFINITY } else { momentum };
        self.worst = self.worst.max(self.momentum);
    }

    /// The measures by name, for reports.
    #[inline(always)]
    pub fn measures(&self) -> [(&'static str, Measure); 6] {
        [
            ("penetration", self.penetration),
            ("tension", self.tension),
            ("complementarity", self.complementarity),
            ("cone", self.cone),
            ("dissipation", self.dissipation),
            ("bilateral", self.bilateral),
        ]
    }

    /// The normal map of a contact, min(Λ_N, ρ ξ_N), in its three cases; `noise` is the rounding of ξ_N.
    #[inline(always)]
    fn take_normal(&mut self, scale: &Scale, lam: f64, [xi, noise]: [f64; 2], i: u32) {
        let Scale { rho, per } = *scale;
        self.penetration.take((-xi - noise) * rho * per, i);
        self.tension.take(-lam * per, i);
        self.complementarity.take(lam.min((xi - noise) * rho) * per, i);
    }

    /// The friction map of a contact: its size without rounding, and how much of it is distance from the friction set.
    #[inline(always)]
    fn take_friction(&mut self, scale: &Scale, map: f64, outside: f64, i: u32) {
        self.cone.take(outside * scale.per, i);
        self.dissipation.take((map - outside) * scale.per, i);
        self.worst = self.worst.max(map * scale.per);
    }

    /// A contact with numbers that are not finite, or a negative limit of friction.
    #[cold]
    fn refuse(&mut self, i: u32) {
        let Self { penetration, tension, complementarity, cone, dissipation, .. } = self;
        for measure in [penetration, tension, complementarity, cone, dissipation] {
            measure.take(f64::INFINITY, i);
        }
    }

    /// The certificate with `worst` in place.
    #[inline(always)]
    fn finished(mut self, bias: BiasCheck) -> Self {
        if let BiasCheck { counts: false, contact: Some(i) } = bias {
            self.refuse(i);
        }
        self.worst = self.measures().iter().fold(self.worst, |m, (_, x)| m.max(x.value));
        self
    }
}

/// Whether the bias of a problem counts beside the rounding of W Λ in any row.
#[derive(Default)]
struct BiasCheck {
    counts: bool,
    /// A contact with a bias.
    contact: Option<u32>,
}

impl BiasCheck {
    /// From |b| and |W||Λ| + |b| of one row.
    #[inline(always)]
    fn take(&mut self, bias: f64, size: f64, i: u32) {
        self.counts |= bias > ROUNDING * size;
        self.contact = if bias > 0.0 { Some(i) } else { self.contact };
    }
}

/// What makes an impulse of a velocity at one contact, and one over the scale of its impulses.
struct Scale {
    rho: f64,
    per: f64,
}

impl Scale {
    /// From ‖Λ_i‖ and the terms of ξ_i: ‖b_i‖ + Σ_j ‖W_ij Λ_j‖.
    #[inline(always)]
    fn new(rows: f64, trace: f64, lam: f64, terms: f64) -> Self {
        let mut rho = rows / trace;
        if !(rho > 0.0 && rho < f64::INFINITY) {
            rho = ratio_found(lam, terms);
        }
        // Where there is nothing, all maps are 0 and so are the measures.
        Self { rho, per: lam.max(rho * terms).max(f64::MIN_POSITIVE).recip() }
    }

    #[inline(always)]
    fn is_sound(&self) -> bool {
        self.per > 0.0 && self.rho < f64::INFINITY
    }
}

#[cold]
fn ratio_found(lam: f64, terms: f64) -> f64 {
    let ratio = lam / terms;
    if ratio > 0.0 && ratio < f64::INFINITY { ratio } else { 1.0 }
}

/// The Euclidean norm, right wherever it is representable; NaN of NaN.
#[inline(always)]
fn norm(v: &[f64]) -> f64 {
    let squares: f64 = v.iter().map(|x| x * x).sum();
    // In this range squares neither overflow nor lose digits to underflow.
    if squares > 1e-280 && squares < 1e280 { squares.sqrt() } else { norm_out_of_range(v) }
}

#[cold]
fn norm_out_of_range(v: &[f64]) -> f64 {
    let larger = |m: f64, x: &f64| if x.is_nan() || x.abs() > m { x.abs() } else { m };
    let big = v.iter().fold(0.0, larger);
    if big == 0.0 || !big.is_finite() {
        return if v.iter().any(|x| x.is_nan()) { f64::NAN } else { big };
    }
    big * v.iter().map(|x| (x / big) * (x / big)).sum::<f64>().sqrt()
}
