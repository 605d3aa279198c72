//! Free rotation over a step, by three updates.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | j, inv | inertia and its inverse in body axes |
//! | r | rotation from body to world |
//! | w, big_w | angular velocity in world and in body axes |
//! | l | angular momentum in world axes |

use super::MassProperties;
use super::pose::exponential;
use crate::error::Error;
use crate::solve::choose;
use glam::{DMat3, DQuat, DVec3};
use std::fmt;
use std::str::FromStr;

/// How the angular velocity of a body without contact is taken over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpinUpdate {
    /// ω⁺ = ω + Δt I⁻¹(τ − ω × I ω) at the beginning: first order, the cheapest.
    SemiImplicit,
    /// Euler's equations in body axes at the midpoint, solved by Newton's method: second order, keeps the energy of free
    /// rotation to rounding.
    ImplicitMidpoint,
    /// The momentum is moved, not the velocity: L⁺ = L + Δt τ in world axes, and the turn of the step is the one whose
    /// mean velocity fits both momenta. Second order, keeps the momentum of free rotation to rounding.
    #[default]
    Variational,
}

impl SpinUpdate {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::SemiImplicit, Self::ImplicitMidpoint, Self::Variational];

    /// The name in files.
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
                let (j, inv) = (in_world(body.inertia(), r), in_world(body.inverse_inertia(), r));
                Some(w + dt * (inv * (torque - w.cross(j * w))))
            }
            Self::ImplicitMidpoint => implicit_midpoint(body, r, w, torque, dt),
            Self::Variational => variational(body, r, w, torque, dt),
        }
    }

    /// The rotation at the end of a step, from the angular velocities at its ends.
    pub fn turn(self, r: DQuat, before: DVec3, after: DVec3, dt: f64) -> DQuat {
        let turned = match self {
            // Symplectic: with the new velocity alone.
            Self::SemiImplicit => exponential(dt * after) * r,
            Self::ImplicitMidpoint | Self::Variational => {
                exponential(0.5 * dt * after) * (exponential(0.5 * dt * before) * r)
            }
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
        choose("spin update", s, &Self::ALL, Self::name)
    }
}

/// R A Rᵀ.
pub(crate) fn in_world(a: DMat3, r: DQuat) -> DMat3 {
    let r = DMat3::from_quat(r);
    r * a * r.transpose()
}

/// J (Ω⁺ − Ω) = Δt (τ − Ω̄ × J Ω̄) in body axes with Ω̄ the mean; the torque is turned into the axes of the midpoint.
fn implicit_midpoint(
    body: &MassProperties,
    r: DQuat,
    w: DVec3,
    torque: DVec3,
    dt: f64,
) -> Option<DVec3> {
    let j = body.inertia();
    let start = r.conjugate() * w;
    let mut end = start;
    for _ in 0..20 {
        let mean = 0.5 * (start + end);
        let middle = r * exponential(0.5 * dt * mean);
        let t = middle.conjugate() * torque;
        let residual = j * (end - start) - dt * (t - mean.cross(j * mean));
        // ∂/∂Ω⁺ of Ω̄ × J Ω̄ is ½ ([Ω̄]× J − [J Ω̄]×); the turn of the torque is left out.
        let jacobian = j + 0.5 * dt * (skew(mean) * j - skew(j * mean));
        let change = jacobian.inverse() * residual;
        end -= change;
        if change.length() <= 4.0 * f64::EPSILON * (end.length() + start.length()) {
            return world_at_end(r, start, end, dt);
        }
    }
    None
}

fn world_at_end(r: DQuat, start: DVec3, end: DVec3, dt: f64) -> Option<DVec3> {
    // The same turn that `SpinUpdate::turn` makes, so that body axes are the ones of the new rotation.
    let before = r * start;
    let mut after = before;
    for _ in 0..60 {
        let turned = SpinUpdate::ImplicitMidpoint.turn(r, before, after, dt);
        let next = turned * end;
        let change = (next - after).length();
        after = next;
        if change <= 4.0 * f64::EPSILON * end.length() {
            return after.is_finite().then_some(after);
        }
    }
    None
}

/// L⁺ = L + Δt τ, and R⁺ J R⁺ᵀ ω⁺ = L⁺ at the rotation that the two velocities lead to, by Newton's method: a fixed point
/// of ω⁺ = R⁺ J⁻¹ R⁺ᵀ L⁺ is lost for slender bodies at a fraction of a radian per step.
fn variational(body: &MassProperties, r: DQuat, w: DVec3, torque: DVec3, dt: f64) -> Option<DVec3> {
    let l = in_world(body.inertia(), r) * w + dt * torque;
    let (mut after, mut last) = (w, f64::INFINITY);
    for _ in 0..60 {
        let turned = SpinUpdate::Variational.turn(r, w, after, dt);
        let j = in_world(body.inertia(), turned);
        let jacobian = j + 0.5 * dt * (j * skew(after) - skew(j * after));
        let change = jacobian.inverse() * (j * after - l);
        after -= change;
        let (change, size) = (change.length(), after.length() + w.length());
        let settled = change <= 4.0 * f64::EPSILON * size;
        if settled || (change >= 0.5 * last && change <= 1e-10 * size) {
            return after.is_finite().then_some(after);
        }
        last = change;
    }
    None
}

fn skew(a: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, a.z, -a.y),
        DVec3::new(-a.z, 0.0, a.x),
        DVec3::new(a.y, -a.x, 0.0),
    )
}
