//! A system whose equations come from expressions.

use super::arena::{Arena, Id};
use super::definition::{Constraint, Definition};
use super::derive::Direction;
use super::error::{DefinitionError, Fault};
use super::model::{ContactModel, Model};
use super::tape::Tape;
use crate::system::{ContactInfo, Directions, Energy, PlacedFriction, System, SystemInfo};
use complementarity::Matrix;
use std::sync::Arc;

/// A system described by expressions: M, h, gaps, directions and all their derivatives are exact.
///
/// Making one differentiates and compiles the expressions. Evaluating one runs only the
/// instructions that the quantity asked for needs, allocates nothing (beyond 4,000 operations: once), and
/// costs about a nanosecond per operation beside the functions.
#[derive(Clone, Debug)]
pub struct ExpressionSystem {
    info: SystemInfo,
    mass: Tape,
    forces: Tape,
    gaps: Tape,
    contacts: Vec<ContactTapes>,
    /// Of contacts whose coefficient of friction depends on the configuration or on time.
    friction: Vec<Option<Arc<dyn PlacedFriction>>>,
    jacobians: Tape,
    energy: Tape,
    power: Tape,
}

#[derive(Clone, Debug)]
struct ContactTapes {
    /// w_N, w_T, ŵ_N, ŵ_T.
    directions: Tape,
    convective: Tape,
}

impl ExpressionSystem {
    /// Derives the equations of motion of a definition.
    pub fn new(definition: &Definition) -> Result<Self, DefinitionError> {
        let mut model = Model::new(definition)?;
        let kinetic = [model.kinetic];
        let momenta = by_velocities(&mut model.scope.arena, &kinetic).concat();
        let mass = mass_matrix(definition, &mut model.scope.arena, &momenta)?;
        let forces = force_vector(&mut model, &momenta);
        let power = power(&mut model);
        let arena = &mut model.scope.arena;
        let columns = [by_coordinates(arena, &forces), by_velocities(arena, &forces)];
        let jacobians = columns.map(|columns| transposed(&columns)).concat();
        // Constraints are contacts without slip as far as derivatives go.
        let gaps: Vec<Id> = model
            .contacts
            .iter()
            .map(|c| c.gap)
            .chain(model.constraints.iter().map(|c| c.id))
            .collect();
        let mut slips: Vec<Id> = model.contacts.iter().map(|c| c.slip).collect();
        slips.resize(gaps.len(), Arena::ZERO);
        let contacts = contact_tapes(arena, &gaps, &slips);
        let compile = |c: &mut ContactModel| c.mu.and_then(|mu| mu.compile(arena, &mut c.info.law));
        let mut friction: Vec<_> = model.contacts.iter_mut().map(compile).collect();
        friction.resize(gaps.len(), None);
        let constraint =
            |c: &Constraint| ContactInfo { name: c.name.clone(), law: SystemInfo::constraint() };
        let constraints = definition.constraints.iter().map(constraint);
        let system = Self {
            info: SystemInfo {
                coordinates: definition.coordinates.iter().map(|c| c.name.clone()).collect(),
                velocities: definition.coordinates.iter().map(|c| c.velocity.clone()).collect(),
                bodies: Vec::new(),
                constant_mass: mass.iter().all(|&id| arena.number(id).is_some()),
                contacts: model.contacts.into_iter().map(|c| c.info).chain(constraints).collect(),
            },
            mass: Tape::new(arena, &mass),
            forces: Tape::new(arena, &forces),
            gaps: Tape::new(arena, &gaps),
            contacts,
            friction,
            jacobians: Tape::new(arena, &jacobians),
            energy: Tape::new(arena, &[model.kinetic, model.potential]),
            power: Tape::new(arena, &[power]),
        };
        model.scope.refuse_overflow("energy.kinetic")?;
        Ok(system)
    }

    /// How many operations M, h, the gaps and the directions of all contacts take.
    #[must_use]
    pub fn operations(&self) -> [usize; 4] {
        let directions = self.contacts.iter().map(|c| c.directions.len()).sum();
        [self.mass.len(), self.forces.len(), self.gaps.len(), directions]
    }
}

/// ∂/∂q of all roots: one list per coordinate.
fn by_coordinates(arena: &mut Arena, roots: &[Id]) -> Vec<Vec<Id>> {
    (0..arena.dof()).map(|j| arena.derive(roots, Direction::Coordinate(j))).collect()
}

/// ∂/∂u of all roots: one list per velocity.
fn by_velocities(arena: &mut Arena, roots: &[Id]) -> Vec<Vec<Id>> {
    (0..arena.dof()).map(|j| arena.derive(roots, Direction::Velocity(j))).collect()
}

/// Columns as rows, one after the other.
fn transposed(columns: &[Vec<Id>]) -> Vec<Id> {
    let rows = columns.first().map_or(0, Vec::len);
    (0..rows).flat_map(|i| columns.iter().map(move |column| column[i])).collect()
}

/// M = ∂²T/∂u∂u, row-major, from the momenta ∂T/∂u.
fn mass_matrix(
    definition: &Definition,
    arena: &mut Arena,
    momenta: &[Id],
) -> Result<Vec<Id>, DefinitionError> {
    let dof = momenta.len();
    let mut mass = vec![Arena::ZERO; dof * dof];
    for j in 0..dof {
        let column = arena.derive(&momenta[j..], Direction::Velocity(j));
        for (i, entry) in (j..).zip(column) {
            if let Some(k) = arena.first_velocity(entry) {
                let name = |i: usize| &definition.coordinates[i].velocity;
                let reason = format!(
                    "the kinetic energy is not quadratic in the velocities: its second derivative by `{}` and `{}` \
                     depends on `{}`",
                    name(j),
                    name(i),
                    name(k)
                );
                let fault = Fault::new(0..definition.kinetic.len(), reason);
                return Err(fault.at("energy.kinetic"));
            }
            (mass[i * dof + j], mass[j * dof + i]) = (entry, entry);
        }
    }
    Ok(mass)
}

/// Lagrange's equations of the second kind, solved for what M u̇ is:
/// h = ∂T/∂q − ∂V/∂q + Q − (∂²T/∂u∂q) u − ∂²T/∂u∂t.
fn force_vector(model: &mut Model, momenta: &[Id]) -> Vec<Id> {
    let arena = &mut model.scope.arena;
    let lagrangian = arena.sub(model.kinetic, model.potential);
    let slopes = by_coordinates(arena, &[lagrangian]).concat();
    let momentum_rates = arena.derive(momenta, Direction::Motion);
    let mut forces = vec![];
    for ((slope, rate), &applied) in slopes.into_iter().zip(momentum_rates).zip(&model.applied) {
        let inertial = arena.sub(slope, rate);
        forces.push(arena.add(inertial, applied));
    }
    forces
}

/// What changes the energy beside contacts: Qᵀ u + ∂V/∂t.
fn power(model: &mut Model) -> Id {
    let arena = &mut model.scope.arena;
    let by_time = arena.derive(&[model.potential], Direction::Time);
    let mut sum = by_time.first().copied().unwrap_or(Arena::ZERO);
    for (i, &applied) in model.applied.iter().enumerate() {
        let velocity = arena.velocity(i);
        let part = arena.mul(applied, velocity);
        sum = arena.add(sum, part);
    }
    sum
}

/// With D the derivative along a motion at u̇ = 0: γ_N = D g, and what is left of γ̇ is D γ.
fn contact_tapes(arena: &mut Arena, gaps: &[Id], slips: &[Id]) -> Vec<ContactTapes> {
    let (normals, tangents) = (by_coordinates(arena, gaps), by_velocities(arena, slips));
    let normal_drives = arena.derive(gaps, Direction::Time);
    let gap_rates = arena.derive(gaps, Direction::Motion);
    let normal_rest = arena.derive(&gap_rates, Direction::Motion);
    let tangent_rest = arena.derive(slips, Direction::Motion);
    let mut contacts = vec![];
    for (i, &slip) in slips.iter().enumerate() {
        let vectors = normals.iter().chain(&tangents).map(|column| column[i]);
        let drives = [normal_drives[i], arena.at_rest(slip)];
        let directions: Vec<Id> = vectors.chain(drives).collect();
        contacts.push(ContactTapes {
            directions: Tape::new(arena, &directions),
            convective: Tape::new(arena, &[normal_rest[i], tangent_rest[i]]),
        });
    }
    contacts
}

impl System for ExpressionSystem {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn mass(&self, q: &[f64], t: f64, m: &mut Matrix) {
        self.mass.evaluate((q, &[], t), m.as_mut_slice());
    }

    fn forces(&self, q: &[f64], u: &[f64], t: f64, h: &mut [f64]) {
        self.forces.evaluate((q, u, t), h);
    }

    fn gaps(&self, q: &[f64], t: f64, gaps: &mut [f64]) {
        self.gaps.evaluate((q, &[], t), gaps);
    }

    fn directions(&self, contact: usize, q: &[f64], t: f64, out: &mut Directions<'_>) {
        let vectors = out.normal.iter_mut().chain(out.tangent.iter_mut());
        let all = vectors.chain([&mut out.normal_drive, &mut out.tangent_drive]);
        self.contacts[contact].directions.evaluate((q, &[], t), all);
    }

    fn friction(&self, contact: usize) -> Option<&Arc<dyn PlacedFriction>> {
        self.friction[contact].as_ref()
    }

    fn convective(&self, contact: usize, q: &[f64], u: &[f64], t: f64) -> [f64; 2] {
        let mut rates = [0.0; 2];
        self.contacts[contact].convective.evaluate((q, u, t), &mut rates);
        rates
    }

    fn force_jacobians(&self, q: &[f64], u: &[f64], t: f64, dq: &mut Matrix, du: &mut Matrix) {
        let all = dq.as_mut_slice().iter_mut().chain(du.as_mut_slice());
        self.jacobians.evaluate((q, u, t), all);
    }

    fn energy(&self, q: &[f64], u: &[f64], t: f64) -> Energy {
        let mut energy = [0.0; 2];
        self.energy.evaluate((q, u, t), &mut energy);
        Energy { kinetic: energy[0], potential: energy[1] }
    }

    fn power(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        let mut power = [0.0];
        self.power.evaluate((q, u, t), &mut power);
        power[0]
    }
}
