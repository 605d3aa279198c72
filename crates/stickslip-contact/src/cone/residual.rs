//! The judge: how far a vector of impulses is from obeying all laws, from W, b, laws and Λ alone.
//!
//! Notation: ξ = W Λ + b; w the first diagonal entry of the block, so that w Λ is a velocity;
//! V the reference velocity, the largest of |b_N| and h_F(±b_T) over the unilateral blocks;
//! r = μ max(0, Λ_N) + a the bound of friction; |x|_F the gauge of F; f the point of F of a contact that slides.
//!
//! Without De Saxcé's correction the law is the exact one with ξ_N − μ h_F(−ξ_T) in place of ξ_N: for a given
//! Λ_N the least of ξᵀΛ over K is ξ_N Λ_N − (μ Λ_N + a) h_F(−ξ_T), whose slope in Λ_N is that. All parts are
//! then taken of it.
//!
//! Every part is a velocity over V. Multiplying W, Λ, b by factors that leave the problem the same
//! (other units of mass, length, time) leaves all parts the same; for blocks with rows of
//! different units, gauge and support carry the units of F, and only the direction of the
//! projection depends on them.

use super::{ConeProblem, ConvexSet, Law, MAX_TANGENTS};
use crate::projection::FrictionCone;

/// One way in which a vector misses the laws: by how much at the worst block.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Part {
    /// The size, a velocity over the reference velocity.
    pub value: f64,
    /// The block where it is largest.
    pub block: usize,
}

impl Part {
    fn raise(&mut self, value: f64, block: usize) {
        // Not a number counts as worst.
        if !(value <= self.value) {
            *self = Self { value, block };
        }
    }
}

/// How far impulses are from a solution, without units.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ConeResidual {
    /// What decides: the largest part of the natural map Λ − P(Λ − ξ/w), with its block. It is linear
    /// in the distance to a solution.
    pub scaled: Part,
    /// max(0, −ξ_N), where ξ_N − μ h_F(−ξ_T) stands for ξ_N if the problem is
    /// [associated](ConeProblem::associated).
    pub penetration: Part,
    /// w max(0, −Λ_N).
    pub tension: Part,
    /// min(ξ_N, w Λ_N) where both are positive.
    pub complementarity: Part,
    /// w max(0, |Λ_T|_F − r), and of a contact that slides w |Λ_T − r f|.
    pub cone: Part,
    /// (r h_F(−ξ_T) + ξ_TᵀΛ_T) / (r + V/w): the power that friction fails to dissipate.
    pub dissipation: Part,
    /// |ξ| of bilateral rows, over V or the terms of the row, whichever is larger.
    pub bilateral: Part,
}

impl ConeResidual {
    /// The residual of no answer at all.
    pub const INFINITE: Self = {
        let p = Part { value: f64::INFINITY, block: 0 };
        let (penetration, tension, complementarity) = (p, p, p);
        Self {
            scaled: p,
            penetration,
            tension,
            complementarity,
            cone: p,
            dissipation: p,
            bilateral: p,
        }
    };

    /// The parts by name, in the order of the fields.
    pub fn parts(&self) -> [(&'static str, Part); 6] {
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

/// Judges Λ; leaves ξ in `velocity`. Cost: one product with W and one projection per block.
pub(crate) fn judge(problem: &ConeProblem, impulse: &[f64], velocity: &mut [f64]) -> ConeResidual {
    problem.w().multiply_add(impulse, problem.b(), velocity);
    let finite = |v: &[f64]| v.iter().all(|x| x.is_finite());
    if !finite(impulse) || !finite(velocity) {
        return ConeResidual::INFINITE;
    }
    let reference = reference_velocity(problem, velocity);
    let mut out = ConeResidual::default();
    for (i, law) in problem.laws().iter().enumerate() {
        let rows = problem.rows(i);
        let (lam, xi) = (&impulse[rows.clone()], &velocity[rows]);
        let w = local_scale(problem.w().diagonal(i), lam.len());
        match law {
            Law::Frictionless => normal(&mut out, i, w, reference, lam[0], xi[0]),
            Law::Bilateral(_) => bilateral(&mut out, problem, i, impulse, xi, reference),
            Law::Friction { mu, radius, set } => {
                let w_t = tangential_scale(problem.w().diagonal(i), lam.len());
                let cone = FrictionCone { set, mu: *mu, radius: *radius };
                let slip = slip(set, &xi[1..]);
                let lift = if problem.is_associated() { mu * slip } else { 0.0 };
                normal(&mut out, i, w, reference, lam[0], xi[0] - lift);
                let [scaled, outside, lost] = tangential(&cone, (w, w_t), reference, slip, lam, xi);
                out.scaled.raise(scaled, i);
                out.cone.raise(outside, i);
                out.dissipation.raise(lost, i);
            }
            Law::Sliding { mu, radius, friction, .. } => {
                normal(&mut out, i, w, reference, lam[0], xi[0]);
                let r = mu * lam[0].max(0.0) + radius;
                let off = lam[1..].iter().zip(friction).map(|(l, f)| (l - r * f).powi(2));
                let off = w * off.sum::<f64>().sqrt() / reference;
                out.cone.raise(off, i);
                out.scaled.raise(off, i);
            }
        }
    }
    out
}

fn normal(out: &mut ConeResidual, i: usize, w: f64, reference: f64, lam: f64, xi: f64) {
    let impulse = w * lam / reference;
    let xi = xi / reference;
    out.penetration.raise((-xi).max(0.0), i);
    out.tension.raise((-impulse).max(0.0), i);
    out.complementarity.raise(impulse.max(0.0).min(xi.max(0.0)), i);
    out.scaled.raise((impulse - (impulse - xi).max(0.0)).abs(), i);
}

/// h_F(−ξ_T).
fn slip(set: &ConvexSet, xi_t: &[f64]) -> f64 {
    let mut back = [0.0; MAX_TANGENTS];
    back.iter_mut().zip(xi_t).for_each(|(b, x)| *b = -x);
    set.support(&back[..xi_t.len()])
}

/// The tangential part of the natural map, how far Λ_T is outside, and the power that is not dissipated.
fn tangential(
    cone: &FrictionCone,
    (w, w_t): (f64, f64),
    reference: f64,
    slip: f64,
    lam: &[f64],
    xi: &[f64],
) -> [f64; 3] {
    let (d, set) = (lam.len() - 1, cone.set);
    let r = cone.mu * lam[0].max(0.0) + cone.radius;
    let (mut moved, mut landed) = ([0.0; MAX_TANGENTS], [0.0; MAX_TANGENTS]);
    for ((m, l), x) in moved.iter_mut().zip(&lam[1..]).zip(&xi[1..]) {
        *m = l - x / w_t;
    }
    set.project(r, &moved[..d], &mut landed[..d]);
    for ((m, l), p) in moved.iter_mut().zip(&lam[1..]).zip(&landed) {
        *m = l - p;
    }
    let power: f64 = lam[1..].iter().zip(&xi[1..]).map(|(l, x)| l * x).sum();
    let lost = (r * slip + power).max(0.0);
    [
        w * set.gauge(&moved[..d]) / reference,
        w * (set.gauge(&lam[1..]) - r).max(0.0) / reference,
        w * lost / (w * r + reference) / reference,
    ]
}

fn bilateral(
    out: &mut ConeResidual,
    problem: &ConeProblem,
    i: usize,
    impulse: &[f64],
    xi: &[f64],
    reference: f64,
) {
    for (r, xi) in xi.iter().enumerate() {
        let mut terms = problem.b()[problem.w().offset(i) + r].abs();
        for (j, block) in problem.w().row(i) {
            let lam = &impulse[problem.rows(j)];
            let row = &block[r * lam.len()..(r + 1) * lam.len()];
            terms = row.iter().zip(lam).fold(terms, |t, (a, x)| t.max((a * x).abs()));
        }
        if xi.abs() > 0.0 {
            let value = xi.abs() / terms.max(reference.min(terms.max(xi.abs())));
            out.bilateral.raise(value, i);
            out.scaled.raise(value, i);
        }
    }
}

/// The largest bias of a unilateral block, or where there is none the largest velocity, or 1.
pub(crate) fn reference_velocity(problem: &ConeProblem, velocity: &[f64]) -> f64 {
    let largest = |v: &[f64]| {
        let mut reference: f64 = 0.0;
        for (i, law) in problem.laws().iter().enumerate() {
            let v = &v[problem.rows(i)];
            match law {
                Law::Bilateral(_) => {}
                // What slides on is not restricted in its tangents.
                Law::Frictionless | Law::Sliding { .. } => reference = reference.max(v[0].abs()),
                Law::Friction { set, .. } => {
                    let back = if is_even(set) { 0.0 } else { slip(set, &v[1..]) };
                    let t = set.support(&v[1..]).max(back);
                    reference = reference.max(v[0].abs()).max(t);
                }
            }
        }
        reference
    };
    let positive = |v: &f64| *v > 0.0;
    let bias = Some(largest(problem.b())).filter(positive);
    bias.or_else(|| Some(largest(velocity)).filter(positive)).unwrap_or(1.0)
}

/// Whether h_F(x) = h_F(−x) is known without a look at F's points.
fn is_even(set: &ConvexSet) -> bool {
    matches!(set, ConvexSet::Interval | ConvexSet::Disc | ConvexSet::Ellipsoid(_))
}

/// What turns a normal impulse into a velocity: the normal entry, or where that is zero the largest.
pub(crate) fn local_scale(diagonal: &[f64], n: usize) -> f64 {
    positive_or(diagonal[0], diagonal, n)
}

/// The same for tangential impulses: the largest tangential entry.
pub(crate) fn tangential_scale(diagonal: &[f64], n: usize) -> f64 {
    let largest = (1..n).fold(0.0, |m: f64, r| m.max(diagonal[r * (n + 1)]));
    positive_or(largest, diagonal, n)
}

fn positive_or(value: f64, diagonal: &[f64], n: usize) -> f64 {
    if value > 0.0 {
        return value;
    }
    let largest = (0..n).fold(0.0, |m: f64, r| m.max(diagonal[r * (n + 1)].abs()));
    if largest > 0.0 { largest } else { 1.0 }
}
