//! The judge: how far a vector of impulses is from obeying all laws, from W, b, laws and Λ alone.
//!
//! Notation: ξ = W Λ + b; w the first diagonal entry of the block, so that w Λ is a velocity;
//! V the reference velocity, the largest of |b_N| and h_F(±b_T) over the unilateral blocks;
//! r = μ max(0, Λ_N) + a the bound of friction; |x|_F the gauge of F.
//!
//! Every part is a velocity over V. Multiplying W, Λ, b by factors that leave the problem the same
//! (other units of mass, length, time) leaves all parts the same; for blocks with rows of
//! different units, gauge and support carry the units of F, and only the direction of the
//! projection depends on them.

use super::{ConeProblem, Law};

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
    /// max(0, −ξ_N).
    pub penetration: Part,
    /// w max(0, −Λ_N).
    pub tension: Part,
    /// min(ξ_N, w Λ_N) where both are positive.
    pub complementarity: Part,
    /// w max(0, |Λ_T|_F − r).
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
                normal(&mut out, i, w, reference, lam[0], xi[0]);
                let r = mu * lam[0].max(0.0) + radius;
                let w_t = tangential_scale(problem.w().diagonal(i), lam.len());
                let mut work = [[0.0; super::MAX_TANGENTS]; 2];
                let d = lam.len() - 1;
                let [moved, landed] = &mut work;
                for ((m, l), x) in moved.iter_mut().zip(&lam[1..]).zip(&xi[1..]) {
                    *m = l - x / w_t;
                }
                set.project(r, &moved[..d], &mut landed[..d]);
                for ((m, l), p) in moved.iter_mut().zip(&lam[1..]).zip(&*landed) {
                    *m = l - p;
                }
                out.scaled.raise(w * set.gauge(&moved[..d]) / reference, i);
                out.cone.raise(w * (set.gauge(&lam[1..]) - r).max(0.0) / reference, i);
                for (m, x) in moved.iter_mut().zip(&xi[1..]) {
                    *m = -x;
                }
                let power: f64 = lam[1..].iter().zip(&xi[1..]).map(|(l, x)| l * x).sum();
                let lost = (r * set.support(&moved[..d]) + power).max(0.0);
                out.dissipation.raise(w * lost / (w * r + reference) / reference, i);
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
                Law::Frictionless => reference = reference.max(v[0].abs()),
                Law::Friction { set, .. } => {
                    let mut back = [0.0; super::MAX_TANGENTS];
                    let d = v.len() - 1;
                    back.iter_mut().zip(&v[1..]).for_each(|(b, v)| *b = -v);
                    let t = set.support(&v[1..]).max(set.support(&back[..d]));
                    reference = reference.max(v[0].abs()).max(t);
                }
            }
        }
        reference
    };
    [largest(problem.b()), largest(velocity), 1.0].into_iter().find(|&v| v > 0.0).unwrap_or(1.0)
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
