//! A mechanical system in generalised coordinates: M(q, t) du = h(q, u, t) dt + dR with q̇ = u,
//! \[3\] eq. (6), and planar contacts with gaps and relative velocities, \[3\] eqs. (7) to (10).
//!
//! Write a model by implementing [`System`], or describe it by expressions
//! ([`expression`](crate::expression)). Gaps and directions may depend on time: a wall that moves, a
//! table that shakes.

use crate::contact::{Kind, Law};
use crate::error::Error;
use complementarity::Matrix;
use std::fmt;
use std::sync::Arc;

/// A contact of a system, or a constraint between its coordinates: its name in files and reports, and its law.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactInfo {
    /// The name, e.g. `beak`.
    pub name: String,
    /// The law. Its radius is a force.
    pub law: Law,
}

/// What stays the same while a system moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemInfo {
    /// The names of the coordinates q.
    pub coordinates: Vec<String>,
    /// The names of the velocities u.
    pub velocities: Vec<String>,
    /// The contacts; after them the bilateral constraints φ(q, t) = 0, with the law [`SystemInfo::constraint`].
    pub contacts: Vec<ContactInfo>,
    /// The names of bodies by their numbers in [`ContactPoint`](crate::model::ContactPoint), the ground first; empty where there are none.
    pub bodies: Vec<String>,
    /// The mass matrix depends neither on q nor on t, so that it is factorised once.
    pub constant_mass: bool,
}

impl SystemInfo {
    /// What a contact is called in reports: its name, or for one that the model has found itself those of its bodies.
    #[must_use]
    pub fn contact_name(&self, contact: usize, bodies: Option<[usize; 2]>) -> String {
        if let Some(known) = self.contacts.get(contact) {
            return known.name.clone();
        }
        let names = bodies.map(|both| both.map(|b| self.bodies.get(b)));
        match names {
            Some([Some(first), Some(second)]) => format!("{first}-{second}"),
            _ => format!("contact {contact}"),
        }
    }

    /// The number of coordinates f.
    #[must_use]
    pub fn dof(&self) -> usize {
        self.coordinates.len()
    }

    /// The law of a constraint between coordinates: one component that is excluded of the mean velocity of a step, so that its force
    /// does no work and the coordinates, which move by that velocity, stay on the constraint to second order.
    #[must_use]
    pub fn constraint() -> Law {
        Law::bilateral(1).with_restitution(1.0, 1.0)
    }

    /// The number of contacts, which is the index of the first constraint.
    #[must_use]
    pub fn first_constraint(&self) -> usize {
        let bilateral = |c: &ContactInfo| matches!(c.law.kind, Kind::Bilateral(_));
        self.contacts.iter().position(bilateral).unwrap_or(self.contacts.len())
    }

    /// Refuses names that do not fit and laws out of range.
    pub fn validate(&self) -> Result<(), Error> {
        let (expected, found) = (self.coordinates.len(), self.velocities.len());
        if expected == 0 {
            return Err(Error::Size { what: "the list of coordinates", expected: 1, found: 0 });
        }
        if expected != found {
            return Err(Error::Size { what: "the list of velocity names", expected, found });
        }
        let (contacts, constraints) = self.contacts.split_at(self.first_constraint());
        if let Some(c) = contacts.iter().find(|c| c.law.kind != Kind::Planar) {
            let found = c.law.components();
            return Err(Error::Size { what: "a contact of a planar system", expected: 2, found });
        }
        if constraints.iter().any(|c| c.law != Self::constraint()) {
            return Err(Error::Combination {
                part: "a constraint between coordinates",
                other: "contacts after it, or a law of its own",
                reason: "constraints stand after all contacts, with the law SystemInfo::constraint()",
            });
        }
        Ok(self.contacts.iter().enumerate().try_for_each(|(i, c)| c.law.validate(i))?)
    }
}

/// Configuration and velocity at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Time.
    pub t: f64,
    /// Coordinates, f.
    pub q: Vec<f64>,
    /// Velocities, f.
    pub u: Vec<f64>,
}

impl State {
    /// A state at t = 0.
    #[must_use]
    pub fn new(q: Vec<f64>, u: Vec<f64>) -> Self {
        Self { t: 0.0, q, u }
    }

    /// Refuses sizes that do not fit the system, and numbers that are not finite.
    pub fn validate(&self, info: &SystemInfo) -> Result<(), Error> {
        for (what, x) in [("the coordinates q", &self.q), ("the velocities u", &self.u)] {
            if x.len() != info.dof() {
                return Err(Error::Size { what, expected: info.dof(), found: x.len() });
            }
        }
        let finite = self.q.iter().chain(&self.u).all(|v| v.is_finite()) && self.t.is_finite();
        if finite { Ok(()) } else { Err(Error::NotFinite { what: "the state", t: self.t }) }
    }
}

/// The directions of one contact: γ_N = w_Nᵀ u + ŵ_N and γ_T = w_Tᵀ u + ŵ_T, \[3\] eq. (10).
#[derive(Debug)]
pub struct Directions<'a> {
    /// w_N, f.
    pub normal: &'a mut [f64],
    /// w_T, f.
    pub tangent: &'a mut [f64],
    /// ŵ_N: the velocity of the gap that does not come from u.
    pub normal_drive: f64,
    /// ŵ_T.
    pub tangent_drive: f64,
}

/// Energies of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Energy {
    /// Kinetic energy T.
    pub kinetic: f64,
    /// Potential energy V.
    pub potential: f64,
}

impl Energy {
    /// T + V.
    #[must_use]
    pub fn total(self) -> f64 {
        self.kinetic + self.potential
    }
}

/// A coefficient of friction that depends on the configuration or on time, and perhaps on the slip speed. It is evaluated where the
/// geometry of the contact is: at the predicted midpoint of a step, by `gap_level` at its beginning. The slip speed is that of the end.
///
/// Between bodies the configuration q is the poses of all bodies of the model, the ground first: of each its position x, y, z and its
/// rotation as a quaternion w, x, y, z.
pub trait PlacedFriction: fmt::Debug + Send + Sync {
    /// μ at the slip speed s ≥ 0.
    fn coefficient(&self, q: &[f64], t: f64, speed: f64) -> f64;

    /// Whether it depends on the slip speed.
    fn by_speed(&self) -> bool;
}

/// A system in generalised coordinates with planar contacts.
///
/// What the methods return depends on the system and on their arguments alone. Slices have the sizes that
/// [`SystemInfo`] implies, and outputs must be filled completely. Numbers that are not finite are refused by the integrators.
pub trait System {
    /// Names, contacts and laws.
    fn info(&self) -> &SystemInfo;

    /// M(q, t), f × f, symmetric and positive definite.
    fn mass(&self, q: &[f64], t: f64, m: &mut Matrix);

    /// h(q, u, t): all forces but those of contacts, gyroscopic terms included.
    fn forces(&self, q: &[f64], u: &[f64], t: f64, h: &mut [f64]);

    /// g_N(q, t) of every contact, and φ(q, t) of every constraint.
    fn gaps(&self, q: &[f64], t: f64, gaps: &mut [f64]);

    /// The directions of one contact. Of a constraint they are ∂φ/∂q and ∂φ/∂t in the place of the normal; the tangent is not looked at.
    fn directions(&self, contact: usize, q: &[f64], t: f64, out: &mut Directions<'_>);

    /// The coefficient of friction of a contact, if it depends on the configuration or on time; it takes the place of the law's. By
    /// default none does.
    fn friction(&self, _contact: usize) -> Option<&Arc<dyn PlacedFriction>> {
        None
    }

    /// What is left of γ̇_N and γ̇_T at u̇ = 0: d/dt of γ = wᵀ u + ŵ along the motion is wᵀ u̇ plus
    /// these two numbers, of which a constraint has the first alone. For the level of accelerations.
    fn convective(&self, contact: usize, q: &[f64], u: &[f64], t: f64) -> [f64; 2];

    /// ∂h/∂q and ∂h/∂u, f × f each. For implicit methods.
    fn force_jacobians(&self, q: &[f64], u: &[f64], t: f64, dq: &mut Matrix, du: &mut Matrix);

    /// Kinetic and potential energy.
    fn energy(&self, q: &[f64], u: &[f64], t: f64) -> Energy;

    /// The power of forces that have no potential, and of a potential that changes with time: with that of contacts it accounts for the
    /// change of the energy. By default 0.
    fn power(&self, _q: &[f64], _u: &[f64], _t: f64) -> f64 {
        0.0
    }
}

/// A system that is lent is a system.
impl<S: System + ?Sized> System for &S {
    fn info(&self) -> &SystemInfo {
        (**self).info()
    }

    fn mass(&self, q: &[f64], t: f64, m: &mut Matrix) {
        (**self).mass(q, t, m);
    }

    fn forces(&self, q: &[f64], u: &[f64], t: f64, h: &mut [f64]) {
        (**self).forces(q, u, t, h);
    }

    fn gaps(&self, q: &[f64], t: f64, gaps: &mut [f64]) {
        (**self).gaps(q, t, gaps);
    }

    fn directions(&self, contact: usize, q: &[f64], t: f64, out: &mut Directions<'_>) {
        (**self).directions(contact, q, t, out);
    }

    fn friction(&self, contact: usize) -> Option<&Arc<dyn PlacedFriction>> {
        (**self).friction(contact)
    }

    fn convective(&self, contact: usize, q: &[f64], u: &[f64], t: f64) -> [f64; 2] {
        (**self).convective(contact, q, u, t)
    }

    fn force_jacobians(&self, q: &[f64], u: &[f64], t: f64, dq: &mut Matrix, du: &mut Matrix) {
        (**self).force_jacobians(q, u, t, dq, du);
    }

    fn energy(&self, q: &[f64], u: &[f64], t: f64) -> Energy {
        (**self).energy(q, u, t)
    }

    fn power(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        (**self).power(q, u, t)
    }
}
