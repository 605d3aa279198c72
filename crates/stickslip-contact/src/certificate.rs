//! The certificate: how far impulses are from the laws of a contact problem. No solver uses this code.
//!
//! Every measure is without unit: velocities over the reference velocity max |b|, impulses over the
//! reference impulse, the larger of max |Λ| and of the impulse that b asks for. Where b is what is left of larger
//! terms, their size can be given: an answer cannot be better than the rounding of what it was made from.
//! Problems with contacts in space are measured in `general`, where F carries the units of each component.

mod general;

use super::ContactProblem;
use complementarity::Matrix;
use serde::Serialize;

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

/// How far impulses Λ are from the laws, computed from W, b, the laws and Λ alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Certificate {
    /// −ξ_N where it is negative: contacts approach.
    pub penetration: Measure,
    /// −Λ_N where it is negative: contacts pull.
    pub tension: Measure,
    /// |ξ_N Λ_N|: contacts that separate push.
    pub complementarity: Measure,
    /// How far Λ_T is outside of (μ Λ_N + a) F; for a sliding contact how far it is from its value.
    pub cone: Measure,
    /// (μ Λ_N + a) h_F(−ξ_T) + ξ_Tᵀ Λ_T: what the friction fails to dissipate. In the plane h_F(−ξ_T) = |ξ_T|. Where a
    /// static coefficient of friction holds the contact, h_F(−ξ_T): its slip.
    pub dissipation: Measure,
    /// |ξ| of bilateral components, as a share of the terms that make it up; terms that are rounding beside the energies of the
    /// problem count as a little more than that.
    pub bilateral: Measure,
    /// ‖M (u⁺ − u_f) − H Λ‖ as a share of the momenta of the step; 0 for a problem alone.
    pub momentum: f64,
    /// The largest of them.
    pub worst: f64,
}

impl Certificate {
    #[inline]
    pub(crate) fn of(problem: &ContactProblem, impulse: &[f64]) -> Self {
        Self::with_terms(problem, impulse, 0.0)
    }

    /// As [`of`](Self::of), for a bias that was summed from terms as large as `terms`.
    #[inline]
    pub fn with_terms(problem: &ContactProblem, impulse: &[f64], terms: f64) -> Self {
        match problem.delassus().as_dense() {
            Some(w) if problem.is_planar() => Self::planar(problem, w, impulse, terms),
            _ => general::certificate(problem, impulse, terms, false),
        }
    }

    /// As [`of`](Self::of), against the convexified law K ∋ Λ ⊥ ξ ∈ K*, which lifts ξ_N by μ h_F(−ξ_T).
    pub(crate) fn convexified(problem: &ContactProblem, impulse: &[f64]) -> Self {
        general::certificate(problem, impulse, 0.0, true)
    }

    /// That of a problem whose velocities ξ = W Λ + b are known, of either law; allocates nothing.
    pub(crate) fn at(
        problem: &ContactProblem,
        [impulse, xi]: [&[f64]; 2],
        convexified: bool,
    ) -> Self {
        match problem.delassus().as_dense() {
            Some(_) if problem.is_planar() && !convexified => Self::of(problem, impulse),
            _ => general::certificate_at(problem, [impulse, xi], 0.0, convexified),
        }
    }

    #[inline(always)]
    fn planar(problem: &ContactProblem, w: &Matrix, impulse: &[f64], terms: f64) -> Self {
        let b = problem.bias();
        let (mut v_ref, mut lam_ref) = (terms, 0.0_f64);
        for (i, (b, lam)) in b.iter().zip(impulse).enumerate() {
            v_ref = v_ref.max(b.abs());
            lam_ref = lam_ref.max(lam.abs());
            let d = w.row(i)[i];
            let asked = b.abs().max(terms);
            if lam_ref * d < asked && d > 0.0 {
                lam_ref = asked / d;
            }
        }
        let (per_v, per_lam) = (per(v_ref), per(lam_ref));

        let mut c = Self::default();
        for (i, law) in (0_u32..).zip(problem.laws()) {
            let (n, t) = (2 * i as usize, 2 * i as usize + 1);
            let (xi_n, xi_t) =
                ((dot(w.row(n), impulse) + b[n]) * per_v, (dot(w.row(t), impulse) + b[t]) * per_v);
            let (lam_n, lam_t) = (impulse[n] * per_lam, impulse[t] * per_lam);
            c.penetration.take(-xi_n, i);
            c.tension.take(-lam_n, i);
            c.complementarity.take((xi_n * lam_n).abs(), i);
            let limit = law.mu * lam_n.max(0.0) + law.radius * per_lam;
            if let Some(slip) = law.slip() {
                c.cone.take((lam_t + slip.sign() * limit).abs(), i);
            } else {
                let static_limit =
                    law.distinct_static().map(|mu| mu * lam_n.max(0.0) + law.radius * per_lam);
                let slip = [lam_t.abs() - limit, (limit * xi_t.abs() + xi_t * lam_t).abs()];
                c.take_friction(slip, static_limit.map(|l| [lam_t.abs() - l, xi_t.abs()]), i);
            }
        }
        c.settle();
        c
    }

    /// The measures of cone and dissipation: those of the law of slip, or where there is a static coefficient of friction
    /// those of stick (Λ_T within the static limit, ξ_T = 0) if these are smaller.
    #[inline(always)]
    fn take_friction(&mut self, slip: [f64; 2], stick: Option<[f64; 2]>, contact: u32) {
        let larger = |[a, b]: [f64; 2]| a.max(b);
        let [cone, dissipation] = match stick {
            Some(stick) if larger(stick) < larger(slip) => stick,
            _ => slip,
        };
        self.cone.take(cone, contact);
        self.dissipation.take(dissipation, contact);
    }

    /// Takes in the momentum balance of a step.
    #[inline]
    pub fn set_momentum(&mut self, momentum: f64) {
        self.momentum = if momentum.is_nan() { f64::INFINITY } else { momentum };
        self.worst = self.worst.max(self.momentum);
    }

    #[inline(always)]
    fn settle(&mut self) {
        self.worst = self.measures().iter().fold(self.momentum, |m, (_, x)| m.max(x.value));
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
}

/// One over a scale: where there is nothing to compare with, numbers count as they are.
fn per(largest: f64) -> f64 {
    let inverse = largest.recip();
    if inverse.is_finite() { inverse } else { 1.0 }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
