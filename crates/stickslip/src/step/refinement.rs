//! Rounding taken out of the velocities of contacts that stay closed.
//!
//! The velocity of a light body between heavy ones is a small difference of large parts, one from each impulse. Impulses that meet the
//! laws to rounding leave it with the rounding of these parts, the same in every step while nothing moves, and the contacts
//! creep by it. What is left of the velocities that the laws hold at zero is seen at the velocities themselves, to their own
//! rounding, and is taken away by further impulses. These are too small beside the others to show in their sum, so they act on
//! the velocities directly: iterative refinement.
//!
//! Notation: r = ξ in the rows that the laws hold at zero, 0 in the others; P keeps those rows; D = diag W; d solves P W P d = −r. In units
//! in which D is 1, x = D^½ d, and A x = D^−½ P W P D^−½ x = −D^−½ r.

use super::Stepper;
use crate::contact::{ContactProblem, Delassus, Mode};
use crate::dynamics::{dot, largest};
use crate::model::Model;

/// Velocities are refined where a single impulse makes this many times the velocities of the problem: 10⁻¹² of it, to which warm starts
/// are exact, is then 10⁻⁶ of them.
const RESPONSE: f64 = 1e6;
/// Friction that has this share of its limit at most holds its contact: impulses are known to some 10⁻⁹ of themselves.
const INSIDE: f64 = 1.0 - 1e-6;
/// Most refinements; one that does not halve what is left was the last.
const ROUNDS: usize = 6;
/// Conjugate residuals end at this share of what they began with, or after so many steps. Masses far apart make few clusters of
/// eigenvalues, for each of which they need few.
const SHARE: f64 = 1e-6;
const MOST_STEPS: usize = 100;

/// The storage of refinements.
#[derive(Debug, Default)]
pub(super) struct Refinement {
    /// D^−½.
    units: Vec<f64>,
    /// ξ less γ⁺: restitution, gaps and the motion of contact points.
    rest: Vec<f64>,
    /// Whether the law of its contact holds a row at zero.
    held: Vec<bool>,
    residual: Vec<f64>,
    /// d.
    impulse: Vec<f64>,
    total: Vec<f64>,
    before: Vec<f64>,
    direction: Vec<f64>,
    /// A times the residual, and A times the direction.
    moved: Vec<f64>,
    along: Vec<f64>,
    scratch: Vec<f64>,
    zero: Vec<f64>,
}

impl<M: Model> Stepper<M> {
    /// Refines the velocity at the end of the step, and the impulses by what of it shows in them. Impulses that would not meet the laws any
    /// more leave both as they are. Returns what is left of the velocities that the laws hold at zero, as a share of those of the problem; 0 where
    /// single impulses make so little of them that the tolerance leaves none open.
    pub(super) fn refine(&mut self, model: &M) -> f64 {
        let (r, o) = (&mut self.refinement, &mut self.outcome);
        self.problem.delassus().diagonal_into(&mut r.units);
        r.reserve(o.impulse.len(), self.end.len());
        let own = r.units.iter().zip(&o.impulse);
        let made = own.fold(0.0_f64, |m, (w, lam)| m.max((w * lam).abs()));
        let bias = largest(self.problem.bias());
        let large = made >= RESPONSE * bias;
        // Load-dependent friction is solved for from nothing in every step, and only to the tolerance: it is refined to rounding.
        if !large && self.limits.is_empty() {
            return 0.0;
        }
        let enough = if large { 0.0 } else { f64::EPSILON * bias };
        r.begin(&self.problem, &o.impulse, &mut o.modes);
        model.relative_velocity(&self.place, &self.free, &mut r.rest);
        r.rest.iter_mut().zip(self.problem.bias()).for_each(|(x, b)| *x = b - *x);
        r.before.clone_from(&self.end);
        let (mut first, mut left) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ROUNDS {
            model.relative_velocity(&self.place, &self.end, &mut self.gamma);
            let size = r.residual(&self.gamma);
            first = if left.is_finite() { first } else { size };
            if !(size < 0.5 * left && size > enough) {
                break;
            }
            left = size;
            r.solve(self.problem.delassus());
            model.apply(&self.place, &r.impulse, &mut self.end);
            r.total.iter_mut().zip(&r.impulse).for_each(|(sum, d)| *sum += d);
        }
        r.total.iter_mut().zip(&o.impulse).for_each(|(sum, lam)| *sum += lam);
        match self.problem.certificate_into(&r.total, &mut r.scratch) {
            Ok(new) if new.worst <= self.tolerance.max(o.certificate.worst) => {
                o.certificate = new;
                o.impulse.copy_from_slice(&r.total);
            }
            _ => {
                self.end.copy_from_slice(&r.before);
                left = first;
            }
        }
        if large && bias > 0.0 { left / bias } else { 0.0 }
    }
}

impl Refinement {
    /// Makes room before there is anything to refine, so that the step that needs it allocates no more than others.
    fn reserve(&mut self, rows: usize, velocities: usize) {
        if self.total.capacity() >= rows && self.before.capacity() >= velocities {
            return;
        }
        let Self { rest, residual, impulse, total, direction, moved, along, scratch, zero, .. } =
            self;
        for v in [rest, residual, impulse, total, direction, moved, along, scratch, zero] {
            v.reserve(rows.saturating_sub(v.len()));
        }
        self.held.reserve(rows.saturating_sub(self.held.len()));
        self.before.reserve(velocities.saturating_sub(self.before.len()));
    }

    /// Which rows the laws hold at these impulses. A contact whose friction is inside of its limit sticks, whatever rounding makes of its
    /// velocity.
    fn begin(&mut self, problem: &ContactProblem, impulse: &[f64], modes: &mut [Mode]) {
        self.held.clear();
        for (i, (law, mode)) in problem.laws().iter().zip(modes).enumerate() {
            let lam = &impulse[problem.rows(i)];
            let normals = law.kind.normals();
            let closed = !matches!(mode, Mode::Open);
            let sticks = closed && law.holds(lam, INSIDE);
            if sticks && matches!(mode, Mode::Slip | Mode::Slide(_)) {
                *mode = Mode::Stick;
            }
            self.held.extend((0..lam.len()).map(|row| if row < normals { closed } else { sticks }));
        }
        self.units.iter_mut().for_each(|w| *w = if *w > 0.0 { w.sqrt().recip() } else { 0.0 });
        let n = impulse.len();
        for v in [&mut self.impulse, &mut self.total, &mut self.zero, &mut self.scratch] {
            v.clear();
            v.resize(n, 0.0);
        }
    }

    /// −D^−½ r of these velocities at the end of the step; returns the size of r.
    fn residual(&mut self, gamma: &[f64]) -> f64 {
        self.residual.clear();
        let mut size = 0.0_f64;
        for (r, held) in self.held.iter().enumerate() {
            let xi = if *held { gamma[r] + self.rest[r] } else { 0.0 };
            size = size.max(xi.abs());
            self.residual.push(-self.units[r] * xi);
        }
        size
    }

    /// d by conjugate residuals, whose residual never grows, whatever rounding leaves of it that no impulse can take away.
    fn solve(&mut self, w: &Delassus) {
        self.impulse.fill(0.0);
        self.direction.clone_from(&self.residual);
        self.product(w);
        self.along.clone_from(&self.moved);
        let mut power = dot(&self.residual, &self.moved);
        let enough = SHARE * SHARE * dot(&self.residual, &self.residual);
        for _ in 0..MOST_STEPS {
            let square = dot(&self.along, &self.along);
            if !(power > 0.0 && square > 0.0) || dot(&self.residual, &self.residual) <= enough {
                break;
            }
            let length = power / square;
            self.impulse.iter_mut().zip(&self.direction).for_each(|(x, p)| *x += length * p);
            self.residual.iter_mut().zip(&self.along).for_each(|(r, p)| *r -= length * p);
            self.product(w);
            let next = dot(&self.residual, &self.moved);
            let turn = next / power;
            power = next;
            self.direction.iter_mut().zip(&self.residual).for_each(|(p, r)| *p = r + turn * *p);
            self.along.iter_mut().zip(&self.moved).for_each(|(p, r)| *p = r + turn * *p);
        }
        self.impulse.iter_mut().zip(&self.units).for_each(|(x, unit)| *x *= unit);
    }

    /// A times the residual.
    fn product(&mut self, w: &Delassus) {
        let scaled = self.residual.iter().zip(&self.units);
        self.scratch.iter_mut().zip(scaled).for_each(|(y, (r, unit))| *y = r * unit);
        self.moved.resize(self.scratch.len(), 0.0);
        w.multiply_add(&self.scratch, &self.zero, &mut self.moved);
        let rows = self.moved.iter_mut().zip(&self.held).zip(&self.units);
        rows.for_each(|((y, held), unit)| *y = if *held { *y * unit } else { 0.0 });
    }
}
