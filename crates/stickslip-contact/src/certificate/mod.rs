//! The certificate: how far impulses are from the laws of a contact problem. No solver uses this code, and it uses none of theirs.
//!
//! Each contact is judged in its own scale, by the two natural maps of its law,
//!
//! ```text
//! normal      Λ_N/l_N − max(0, Λ_N/l_N − ξ_N/v)
//! friction    Λ_T/l_T − P(Λ_T/l_T − ξ_T/v),   P the projection on (μ max(0, Λ_N) + a)/l_T F
//! ```
//!
//! both of which vanish exactly at a solution. Velocities are counted in units of v, the largest sum Σ|W_rc Λ_c| + |b_r| of a
//! row of the contact: what its velocities are made of. Impulses are counted in units of l, the larger of the impulse itself
//! and of what gives the contact the velocity v, v over the diagonal of W (the mean one for the tangents; where that is zero, the limit of friction at l_N). A few units in the last
//! place of v are taken off: rounding makes them unavoidable. So a value is a backward error of one contact, whatever the
//! others bear: a light contact apart from a heavy one is judged as if it were alone, one that hardly bears load
//! beside loaded neighbours is not judged by its own nothing, and no rounding is multiplied by μ.
//!
//! Impulses so large that b, or constant friction, is a small share of W Λ at every contact of the problem would do for any other b. Below a share of 10⁻⁴
//! all measures grow by as much, the last digit of W Λ counts as one of them, and where b is hardly more than the rounding of W Λ the impulses
//! answer nothing, and are refused.
//!
//! Tangential components are counted in units of the extents of F over the larger one of the two directions of slip, so that
//! sliding and spin have one unit, an ellipsoid is a ball, and it does not matter how a law is shared between μ and F. A contact that slides
//! has the map Λ_T − (μ max(0, Λ_N) + a) f over l_T; a bilateral row has ξ over its own sum of
//! terms t, or over what the largest t²/W of its connection, an energy, makes of it.
//!
//! With a static coefficient μ_s the law is the union of two, and the friction map is the smaller of the one above and of stick: the
//! larger of ‖ξ_T‖/v and of the distance of Λ_T from (μ_s max(0, Λ_N) + a) F over l_T. Where μ depends on the slip speed it is μ(|ξ_T|), with
//! the ξ_T of the impulses that are judged.

mod contact;
mod planar;
mod polyhedron;
mod set;
#[cfg(test)]
mod tests;

use crate::{ContactProblem, Delassus};

/// One measure, and the contact where it is worst.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
        let value = or_infinite(value);
        let worse = value > self.value;
        self.contact = if worse { Some(contact) } else { self.contact };
        self.value = if worse { value } else { self.value };
    }
}

/// Not a number is the worst of all. One instruction where `is_nan` is three.
#[inline(always)]
fn or_infinite(value: f64) -> f64 {
    if value < f64::INFINITY { value } else { f64::INFINITY }
}

/// How far impulses Λ are from the laws, computed from W, b, the laws and Λ alone. Every measure is that of one contact, over
/// the scale of that contact; see the book's page on contact problems for what a value means in N s and m/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Certificate {
    /// −ξ_N where it is positive: the contact approaches.
    pub penetration: Measure,
    /// −Λ_N where it is positive: the contact pulls.
    pub tension: Measure,
    /// The smaller of Λ_N and ξ_N, each in its unit, where both are positive: a contact that separates pushes.
    pub complementarity: Measure,
    /// How far Λ_T is outside of (μ Λ_N + a) F; for a sliding contact how far it is from its value.
    pub cone: Measure,
    /// The friction map where it is more than that: friction that does not oppose the slip.
    pub dissipation: Measure,
    /// |ξ| of bilateral rows.
    pub bilateral: Measure,
    /// ‖M (u⁺ − u_f) − H Λ‖ as a share of the momenta of the step; 0 for a problem alone.
    pub momentum: f64,
    /// The largest of them.
    pub worst: f64,
}

impl Certificate {
    /// The certificate of no answer at all.
    pub const INFINITE: Self = {
        let m = Measure { value: f64::INFINITY, contact: None };
        let (penetration, tension, complementarity) = (m, m, m);
        let (cone, dissipation, bilateral) = (m, m, m);
        let (momentum, worst) = (0.0, f64::INFINITY);
        Self {
            penetration,
            tension,
            complementarity,
            cone,
            dissipation,
            bilateral,
            momentum,
            worst,
        }
    };

    /// The contact of the largest measure, if there is one.
    #[must_use]
    pub fn worst_contact(&self) -> Option<usize> {
        let measures = self.measures();
        let worst = measures.iter().max_by(|a, b| a.1.value.total_cmp(&b.1.value));
        worst.and_then(|(_, m)| m.contact).map(|c| c as usize)
    }

    /// The same with other numbers of contacts: those of a model whose contacts with these numbers are in the problem.
    #[must_use]
    pub fn numbered(mut self, numbers: &[usize]) -> Self {
        let Self { penetration, tension, complementarity, cone, dissipation, bilateral, .. } =
            &mut self;
        for measure in [penetration, tension, complementarity, cone, dissipation, bilateral] {
            let number = measure.contact.and_then(|c| numbers.get(c as usize));
            measure.contact = number.and_then(|&n| u32::try_from(n).ok());
        }
        self
    }

    /// How far Λ is from the laws of a problem whose bias was summed from terms as large as `terms`: an answer cannot be better
    /// than the rounding of what it was made from. Leaves ξ in `velocity`, whose storage is kept.
    ///
    /// # Panics
    /// If `impulse` does not have as many entries as b.
    pub fn with_terms(
        problem: &ContactProblem,
        impulse: &[f64],
        terms: f64,
        velocity: &mut Vec<f64>,
    ) -> Self {
        velocity.clear();
        velocity.resize(impulse.len(), 0.0);
        Self::evaluate(problem, impulse, velocity, terms)
    }

    pub(crate) fn of(problem: &ContactProblem, impulse: &[f64]) -> Self {
        Self::with_terms(problem, impulse, 0.0, &mut Vec::new())
    }

    /// Judges Λ, and leaves ξ = W Λ + b in `velocity`: the one evaluation of it. Allocates nothing.
    #[inline]
    pub(crate) fn judge(problem: &ContactProblem, impulse: &[f64], velocity: &mut [f64]) -> Self {
        Self::evaluate(problem, impulse, velocity, 0.0)
    }

    #[inline]
    fn evaluate(
        problem: &ContactProblem,
        impulse: &[f64],
        velocity: &mut [f64],
        terms: f64,
    ) -> Self {
        let mut c = Self::default();
        let bias = match problem.delassus() {
            Delassus::Dense(w) if problem.is_planar() && !problem.is_associated() => {
                planar::judge(&mut c, problem, w, impulse, velocity, terms)
            }
            _ => contact::judge(&mut c, problem, impulse, velocity, terms),
        };
        c.worst = c.largest();
        if bias < LEAST_BIAS && problem.bias().iter().any(|b| *b != 0.0) {
            c.magnify(bias);
        }
        c
    }

    /// The largest measure; none is NaN.
    #[inline(always)]
    fn largest(&self) -> f64 {
        let larger = |a: f64, b: Measure| if b.value > a { b.value } else { a };
        let normal = larger(larger(self.penetration.value, self.tension), self.complementarity);
        larger(larger(larger(normal, self.cone), self.dissipation), self.bilateral)
    }

    /// Measures of impulses beside which b nearly vanishes in every row of the problem.
    #[cold]
    fn magnify(&mut self, bias: f64) {
        let factor = LEAST_BIAS / bias.max(f64::MIN_POSITIVE);
        for m in [
            &mut self.penetration,
            &mut self.tension,
            &mut self.complementarity,
            &mut self.cone,
            &mut self.dissipation,
            &mut self.bilateral,
        ] {
            m.value = if m.value > 0.0 { m.value * factor } else { 0.0 };
        }
        // The last digit of W Λ hides as much of b, though rounding was taken off.
        let hidden = factor * f64::EPSILON;
        self.penetration.take(if bias <= NO_BIAS { f64::INFINITY } else { hidden }, 0);
        self.worst = self.largest();
    }

    /// Takes in the momentum balance of a step.
    #[inline]
    pub fn set_momentum(&mut self, momentum: f64) {
        self.momentum = or_infinite(momentum);
        self.worst = self.worst.max(self.momentum);
    }

    /// The measures by name, for reports.
    #[inline(always)]
    #[must_use]
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

/// What rounding makes of a row, as a share of the sum of the sizes of its terms: a sum of products of rounded numbers, and the
/// rounding of the answer itself.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Where b is less than this share of the terms of every contact, an answer is measured by as much more: impulses of 10¹² times
/// what b asks for would otherwise meet any tolerance with any b.
const LEAST_BIAS: f64 = 1e-4;
/// The share at which nothing is left of b but some bits.
const NO_BIAS: f64 = 16.0 * ROUNDING;

/// The unit l of impulses of rows whose largest impulse is `largest`, with mean diagonal entry `w`, where velocities have unit v.
#[inline(always)]
fn impulse_unit(largest: f64, w: f64, v: f64) -> f64 {
    let asked = if w > 0.0 { v / w } else { 0.0 };
    let unit = if asked > largest { asked } else { largest };
    // Nothing acts, and nothing answers: any unit will do.
    if unit >= f64::MIN_POSITIVE { unit } else { 1.0 }
}

/// The size of friction that `largest` is counted beside. Where friction moves nothing, as on a body that is guided along the normal, that is the limit of
/// friction at the unit of the normal impulse: beside itself what rounding leaves of it would be all of it.
#[inline(always)]
fn friction_size(largest: f64, w: f64, limit: impl Fn() -> f64) -> f64 {
    if w > 0.0 { largest } else { largest.max(limit()) }
}

/// Whether friction of constant size explains the impulses of a contact: a drive and a brake that press against each other are in
/// balance whatever b is, and what they give the contact counts as b does.
#[inline(always)]
fn is_bounded(law: &crate::Law, lam: [f64; 2]) -> bool {
    /// Impulses beyond this many times the constant part are not made by it.
    const MOST: f64 = 1e6;
    law.radius > 0.0 && lam[0].abs().max(lam[1].abs()) <= MOST * law.radius
}

/// μ at a slip speed; not a number where it is negative, as no impulse obeys such a law.
fn coefficient(curve: &crate::FrictionCurve, speed: f64) -> f64 {
    let mu = curve.coefficient(speed);
    if mu >= 0.0 { mu } else { f64::NAN }
}

/// The share of a part in the unit of velocities of its contact; all of it where nothing moves there.
fn share_of(part: f64, unit: f64) -> f64 {
    if unit >= f64::MIN_POSITIVE { part / unit } else { 1.0 }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// One over a unit, 0 for a unit that is zero or has no inverse: then all that is counted in it is nothing too.
#[inline(always)]
fn per(unit: f64) -> f64 {
    if unit >= f64::MIN_POSITIVE { 1.0 / unit } else { 0.0 }
}
