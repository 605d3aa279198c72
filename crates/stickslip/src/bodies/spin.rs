//! Free rotation over a step, by three updates.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | j, inv | inertia and its inverse in body axes |
//! | r | rotation from body to world |
//! | w | angular velocity in world axes; `start` and `end` in body axes |
//! | l, l_mean | angular momentum in world axes, and its mean over the step |
//! | f | the turn of a step in body axes as a vector: tan(angle / 2) times the axis |

use super::MassProperties;
use super::pose::exponential;
use crate::contact::solve::choose;
use crate::error::Error;
use glam::{DMat3, DQuat, DVec3};
use std::fmt;
use std::str::FromStr;

/// Most iterations of an implicit update. Newton's method needs three to five; the turn of a step from given
/// velocities converges with the angle per step as its ratio.
const MOST_ITERATIONS: usize = 60;
/// Half the turn of a step, in radians: below the first tan x / x is 1, and what is of second order in the turn is rounding of what is of first order; beyond the
/// second there is no turn.
const SMALL_HALF: f64 = 1e-9;
const LARGEST_HALF: f64 = 1.5;

/// How the angular velocity of a body without contact is taken over a step, and how the velocities at the ends of
/// a step turn the body, by `moreau_midpoint` and in the free motion of `gap_level`. `moreau_jean` always takes
/// [`ImplicitMidpoint`](Self::ImplicitMidpoint), with θ in place of one half: above ½ that keeps the momentum of free rotation and loses energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpinUpdate {
    /// ω⁺ = ω + Δt I⁻¹(τ − ω × I ω) at the beginning, and a turn by Δt ω⁺: first order, the cheapest.
    SemiImplicit,
    /// Euler's equations in body axes at the midpoint, solved by Newton's method: second order, keeps energy and momentum of free
    /// rotation to rounding, and has no error for a body that spins about a principal axis. The least
    /// cost for a given error of the rotation.
    #[default]
    ImplicitMidpoint,
    /// The discrete Moser-Veselov equations: half of the torque's impulse, a turn F with
    /// Δt \[RᵀL\]× = F J_d − J_d Fᵀ, J_d = ½ tr(J) 1 − J, and the other half. Second order, symplectic, keeps the momentum of free
    /// rotation and its energy to rounding; what it misses is the phase, by some five times more than
    /// [`ImplicitMidpoint`](Self::ImplicitMidpoint).
    Variational,
}

impl SpinUpdate {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::SemiImplicit, Self::ImplicitMidpoint, Self::Variational];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SemiImplicit => "semi_implicit",
            Self::ImplicitMidpoint => "implicit_midpoint",
            Self::Variational => "variational",
        }
    }

    /// The angular velocity at the end of a step without contact, in world axes.
    ///
    /// None if the equations of an implicit update have no solution that Newton's method finds, which tells that the
    /// body turns by more than about a radian in the step.
    #[must_use]
    pub fn free(
        self,
        body: &MassProperties,
        r: DQuat,
        w: DVec3,
        torque: DVec3,
        dt: f64,
    ) -> Option<DVec3> {
        match self {
            Self::SemiImplicit => {
                let (j, inv, own) = (body.inertia(), body.inverse_inertia(), r.conjugate() * w);
                let change = inv * (r.conjugate() * torque - own.cross(j * own));
                Some(w + dt * (r * change))
            }
            Self::ImplicitMidpoint => implicit(body, r, w, torque, (dt, 0.5)),
            Self::Variational => variational(body, r, w, torque, dt),
        }
    }

    /// The rotation at the end of a step, from the angular velocities at its ends.
    ///
    /// With [`Variational`](Self::Variational), velocities that turn the body by more than about a radian have
    /// no turn that fits; the rotation is then that of their mean, and the next [`free`](Self::free) is None.
    #[must_use]
    pub fn turn(
        self,
        body: &MassProperties,
        r: DQuat,
        before: DVec3,
        after: DVec3,
        dt: f64,
    ) -> DQuat {
        let mean = || implicit_turn(r, before, after, (dt, 0.5));
        let turned = match self {
            Self::SemiImplicit => exponential(dt * after) * r,
            Self::ImplicitMidpoint => mean(),
            Self::Variational => variational_turn(body, r, before, after, dt).unwrap_or_else(mean),
        };
        turned.normalize()
    }
}

impl fmt::Display for SpinUpdate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SpinUpdate {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self, Error> {
        Ok(choose("spin update", s, &Self::ALL, Self::name)?)
    }
}

/// R A Rᵀ.
pub(crate) fn in_world(a: DMat3, r: DQuat) -> DMat3 {
    let r = DMat3::from_quat(r);
    r * a * r.transpose()
}

/// R v with the length of the quaternion divided out to far below rounding.
///
/// A normalised quaternion has a length of 1 ± ε, and not by chance: the error has a bias of about ε/2. Going to the
/// body's axes and back in every step would add it up to a drift of 2 ε per step in energy and momentum.
fn to_world(r: DQuat, v: DVec3) -> DVec3 {
    let turned = r * v;
    turned - excess(r) * turned
}

/// Rᵀ v.
fn to_body(r: DQuat, v: DVec3) -> DVec3 {
    to_world(r.conjugate(), v)
}

/// |r|² − 1 of a quaternion whose length is 1 to rounding, with all the digits that it has: sums and products with
/// their rounding errors.
fn excess(r: DQuat) -> f64 {
    let (mut sum, mut lost) = (-1.0, 0.0);
    for x in [r.w, r.x, r.y, r.z] {
        let square = x * x;
        let next = sum + square;
        let part = next - sum;
        lost += x.mul_add(x, -square) + ((sum - (next - part)) + (square - part));
        sum = next;
    }
    sum + lost
}

/// R J Rᵀ ω.
fn momentum(body: &MassProperties, r: DQuat, w: DVec3) -> DVec3 {
    to_world(r, body.inertia() * to_body(r, w))
}

/// R J⁻¹ Rᵀ L. The inverse is a rounded one, always to the same side: what it misses is added.
fn velocity(body: &MassProperties, r: DQuat, l: DVec3) -> DVec3 {
    let (j, inv, l) = (body.inertia(), body.inverse_inertia(), to_body(r, l));
    let w = inv * l;
    to_world(r, w + inv * (l - j * w))
}

/// J (Ω⁺ − Ω) = Δt (1 − [f]×) Rᵀτ − f × J (Ω + Ω⁺) in body axes, where the turn of the step is exp(Δt Ω̂) with
/// Ω̂ = θ Ω⁺ + (1 − θ) Ω, which is the rotation (1 + [f]×)(1 − [f]×)⁻¹ of f = tan(½ Δt |Ω̂|) Ω̂/|Ω̂|. Multiplied by (1 − [f]×)⁻¹, this says that the
/// momentum in world axes grows by Δt τ, whatever the length of f. As f is along Ω̂, free rotation has Ω̂ · J (Ω⁺ − Ω) = 0: its energy
/// changes by (½ − θ) (Ω⁺ − Ω) · J (Ω⁺ − Ω), which is nothing at θ = ½ and a loss above it.
pub(super) fn implicit(
    body: &MassProperties,
    r: DQuat,
    w: DVec3,
    torque: DVec3,
    (dt, theta): (f64, f64),
) -> Option<DVec3> {
    let j = body.inertia();
    let (start, torque) = (to_body(r, w), to_body(r, torque));
    if torque == DVec3::ZERO && 0.5 * dt.abs() * start.length() <= SMALL_HALF {
        // Newton's first step, which has all digits of so small a turn.
        let end = start - dt * (body.inverse_inertia() * start.cross(j * start));
        return turned_to_world(r, [start, end], (dt, theta));
    }
    let (mut end, mut last) = (start, f64::INFINITY);
    for _ in 0..MOST_ITERATIONS {
        let (mean, turning) = (0.5 * (start + end), start.lerp(end, theta));
        let half = 0.5 * dt.abs() * turning.length();
        if half >= LARGEST_HALF {
            return None;
        }
        // 2 f = time · Ω̂.
        let time = if half > SMALL_HALF { dt * half.tan() / half } else { dt };
        let t = torque - 0.5 * time * turning.cross(torque);
        let residual = j * (end - start) - dt * t + time * turning.cross(j * mean);
        // ∂/∂Ω⁺ of Ω̂ × J Ω̄ is ½ [Ω̂]× J − θ [J Ω̄]×; what the time and the torque change by is left out.
        let jacobian = j + time * (0.5 * skew(turning) * j - theta * skew(j * mean));
        let change = jacobian.inverse() * residual;
        end -= change;
        if settled(change, &mut last, end.length() + start.length()) {
            return turned_to_world(r, [start, end], (dt, theta));
        }
    }
    None
}

/// Ω⁺ in world axes, after the turn of a step with these velocities at its ends.
fn turned_to_world(r: DQuat, [start, end]: [DVec3; 2], (dt, theta): (f64, f64)) -> Option<DVec3> {
    let turned = (r * exponential(dt * start.lerp(end, theta))).normalize();
    let after = to_world(turned, end);
    after.is_finite().then_some(after)
}

/// exp(φ) R in world axes with φ = Δt ((1 − θ) exp(½ φ) ω + θ exp(−½ φ) ω⁺): Δt times Ω̂ of the velocities at the ends, each in the
/// axes of the body, turned to the midpoint. Where the velocities are alike it converges at once.
pub(super) fn implicit_turn(
    r: DQuat,
    before: DVec3,
    after: DVec3,
    (dt, theta): (f64, f64),
) -> DQuat {
    let mut turn = dt * before.lerp(after, theta);
    if turn.length() <= SMALL_HALF {
        return exponential(turn) * r;
    }
    let mut last = f64::INFINITY;
    for _ in 0..MOST_ITERATIONS {
        let half = exponential(0.5 * turn);
        let next = dt * (half * before).lerp(half.conjugate() * after, theta);
        let change = next - turn;
        turn = next;
        if settled(change, &mut last, turn.length()) || !turn.is_finite() {
            break;
        }
    }
    exponential(turn) * r
}

/// L⁺ = L + Δt τ, and the turn that belongs to their mean.
fn variational(body: &MassProperties, r: DQuat, w: DVec3, torque: DVec3, dt: f64) -> Option<DVec3> {
    let l = momentum(body, r, w);
    let impulse = dt * to_body(r, l + 0.5 * dt * torque);
    let (mut f, mut last) = (0.5 * (body.inverse_inertia() * impulse), f64::INFINITY);
    for _ in 0..MOST_ITERATIONS {
        let change = moser_veselov(body.inertia(), impulse, f);
        f -= change;
        if settled(change, &mut last, f.length()) {
            let turned = (r * cayley(f)).normalize();
            let after = velocity(body, turned, l + dt * torque);
            return after.is_finite().then_some(after);
        }
    }
    None
}

/// The turn of the mean of the momenta at the ends, the second of which depends on it: with a jump of the velocity
/// inside of the step, half of its impulse acts before and half after the turn.
fn variational_turn(
    body: &MassProperties,
    r: DQuat,
    before: DVec3,
    after: DVec3,
    dt: f64,
) -> Option<DQuat> {
    let l = momentum(body, r, before);
    let mut f = 0.25 * dt * to_body(r, before + after);
    let (mut turned, mut last) = (r * cayley(f), f64::INFINITY);
    for _ in 0..MOST_ITERATIONS {
        let back = (turned.conjugate() * after) / turned.length_squared();
        let l_end = (turned * (body.inertia() * back)) / turned.length_squared();
        let l_mean = 0.5 * (l + l_end);
        let change = moser_veselov(body.inertia(), dt * to_body(r, l_mean), f);
        f -= change;
        turned = r * cayley(f);
        if settled(change, &mut last, f.length()) {
            return turned.is_finite().then_some(turned);
        }
    }
    None
}

/// Whether an iteration is at rounding: its changes have no more digits, or have ceased to fall where few are left.
fn settled(change: DVec3, last: &mut f64, size: f64) -> bool {
    let share = change.length() / size.max(f64::MIN_POSITIVE);
    let stalled = share <= 1e-13 && share >= 0.5 * *last;
    *last = share;
    share <= 2.0 * f64::EPSILON || stalled
}

/// Newton's change of f for F J_d − J_d Fᵀ = \[p\]×, F = (1 + \[f\]×)(1 − \[f\]×)⁻¹, which is 2 J f = p + p × f + (p·f) f.
fn moser_veselov(j: DMat3, p: DVec3, f: DVec3) -> DVec3 {
    let residual = p + p.cross(f) + p.dot(f) * f - 2.0 * (j * f);
    let outer = DMat3::from_cols(p.x * f, p.y * f, p.z * f);
    let jacobian = skew(p) + DMat3::from_diagonal(DVec3::splat(p.dot(f))) + outer - 2.0 * j;
    jacobian.inverse() * residual
}

/// The rotation (1 + \[f\]×)(1 − \[f\]×)⁻¹, not normalised.
fn cayley(f: DVec3) -> DQuat {
    DQuat::from_xyzw(f.x, f.y, f.z, 1.0)
}

fn skew(a: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, a.z, -a.y),
        DVec3::new(-a.z, 0.0, a.x),
        DVec3::new(a.y, -a.x, 0.0),
    )
}
