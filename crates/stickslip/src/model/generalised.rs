//! A system in generalised coordinates as a model, so that every integrator, formulation and solver takes it.
//!
//! A constraint φ(q, t) = 0 is a connection of the contact problem with ε = 1, as a loop of a tree is: the mean velocity of a step, which
//! moves the coordinates, stays on it, and the projection after the step leaves the method of second order.

use super::placed::{LawsThere, Placed};
use super::{Accelerations, Candidate, DenseReactions, Model, Span, ThetaStep};
use crate::contact::{ContactProblem, Law};
use crate::dynamics::{Assembly, Factor, advance, copy, dot, set_sum};
use crate::error::Error;
use crate::system::{Directions, Energy, System};
use complementarity::Matrix;
use std::sync::Arc;

/// A [`System`] with its planar contacts and constraints, behind the trait [`Model`]. Identities are the numbers of contacts and constraints. The θ-method has Newton's
/// matrix M − Δt θ ∂h/∂u − Δt² θ² ∂h/∂q.
#[derive(Debug)]
pub struct Generalised<S> {
    pub(super) system: S,
    pub(super) laws: Vec<Law>,
    /// The number of contacts: laws from here on are those of constraints.
    pub(super) contacts: usize,
    placed: Placed,
    /// Of a mass matrix that is constant: factorised once for all places.
    factor: Option<Arc<Factor>>,
}

/// A [`Generalised`] system at a configuration, with the contacts collected there.
#[derive(Debug, Default)]
pub struct GeneralisedPlace {
    pub(super) assembly: Assembly,
    q: Vec<f64>,
    t: f64,
    pub(super) gaps: Vec<f64>,
    forces: Vec<f64>,
    start: Vec<f64>,
    there: Vec<f64>,
    newton: Newton,
    laws: LawsThere,
    /// Of constraints.
    pub(super) reactions: DenseReactions,
    pub(super) redundancy: usize,
}

/// The matrices of an implicit step.
#[derive(Debug, Default)]
struct Newton {
    mass: Matrix,
    matrix: Matrix,
    dq: Matrix,
    du: Matrix,
}

impl<S: System> Generalised<S> {
    /// # Errors
    /// If the system's names or laws are refused by [`SystemInfo::validate`](crate::system::SystemInfo::validate).
    pub fn new(system: S) -> Result<Self, Error> {
        let info = system.info();
        info.validate()?;
        let laws = info.contacts.iter().map(|c| c.law.clone()).collect();
        let factor = Factor::constant(&system).map(Arc::new);
        let placed = Placed::of(&system);
        Ok(Self { contacts: info.first_constraint(), system, laws, placed, factor })
    }

    /// The system.
    pub fn inner(&self) -> &S {
        &self.system
    }

    /// Makes room for this system where there is none.
    #[inline(always)]
    pub(super) fn fit(&self, place: &mut GeneralisedPlace) {
        let (f, k) = (self.coordinates(), self.laws.len());
        if place.q.len() != f || place.gaps.len() != k {
            self.make_room(place, (f, k));
        }
    }

    #[cold]
    fn make_room(&self, place: &mut GeneralisedPlace, (f, k): (usize, usize)) {
        place.assembly = Assembly::new(self.system.info());
        place.gaps.resize(k, 0.0);
        for list in [&mut place.q, &mut place.forces, &mut place.start, &mut place.there] {
            list.resize(f, 0.0);
        }
        let Newton { mass, matrix, dq, du } = &mut place.newton;
        for m in [mass, matrix, dq, du] {
            m.reshape(f, f);
        }
    }

    #[inline(always)]
    pub(super) fn factorize(
        &self,
        assembly: &mut Assembly,
        q: &[f64],
        t: f64,
    ) -> Result<(), Error> {
        match &self.factor {
            Some(factor) => {
                assembly.share(factor);
                Ok(())
            }
            None => assembly.factorize(&self.system, q, t),
        }
    }

    fn list_gaps(&self, place: &mut GeneralisedPlace, q: &[f64], t: f64, out: &mut Vec<Candidate>) {
        self.system.gaps(q, t, &mut place.gaps);
        let gaps = place.gaps.iter().enumerate();
        let gap = |i: usize, gap: f64| (i < self.contacts).then_some(gap);
        out.extend(gaps.map(|(i, g)| Candidate { identity: i as u64, gap: gap(i, *g) }));
    }

    #[inline]
    fn evaluate(&self, (q, u, t): (&[f64], &[f64], f64), out: &mut [f64]) -> Result<(), Error> {
        self.system.forces(q, u, t, out);
        finite("a force", out, t)
    }

    /// M − Δt θ_h (∂h/∂u + Δt θ_q ∂h/∂q) at the end, made symmetric: the path of the iteration changes, not its limit.
    fn linearize(&self, newton: &mut Newton, step: &ThetaStep<'_>, (q, end): (&[f64], &[f64])) {
        let Newton { mass, matrix, dq, du } = newton;
        self.system.force_jacobians(q, end, step.t + step.dt, dq, du);
        for i in 0..end.len() {
            for j in 0..=i {
                let half = |m: &Matrix| 0.5 * (m.row(i)[j] + m.row(j)[i]);
                let stiff = half(du) + step.dt * step.motion * half(dq);
                let value = mass.row(i)[j] - step.dt * step.forces * stiff;
                matrix.row_mut(i)[j] = value;
                matrix.row_mut(j)[i] = value;
            }
        }
    }
}

impl<S: System> Model for Generalised<S> {
    type Place = GeneralisedPlace;

    fn kind(&self) -> &'static str {
        if self.is_planar() {
            "a system in generalised coordinates"
        } else {
            "a system in generalised coordinates with constraints"
        }
    }

    fn is_planar(&self) -> bool {
        self.contacts == self.laws.len()
    }

    fn redundancy(&self, place: &GeneralisedPlace) -> usize {
        place.redundancy
    }

    fn coordinates(&self) -> usize {
        self.system.info().dof()
    }

    fn velocities(&self) -> usize {
        self.coordinates()
    }

    fn detect(
        &self,
        place: &mut GeneralisedPlace,
        at: &Span<'_>,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        let Span { q, t, .. } = *at;
        self.fit(place);
        copy(&mut place.q, q);
        place.t = t;
        self.factorize(&mut place.assembly, q, t)?;
        if !self.placed.is_empty() {
            self.placed.update(&self.laws, &mut place.laws, (q, t))?;
        }
        self.list_gaps(place, q, t, out);
        Ok(())
    }

    #[inline]
    fn law<'a>(&'a self, place: &'a GeneralisedPlace, candidate: usize) -> &'a Law {
        if self.placed.is_empty() { &self.laws[candidate] } else { place.laws.law(candidate) }
    }

    fn laws_vary(&self) -> bool {
        !self.placed.is_empty()
    }

    fn free(
        &self,
        place: &mut GeneralisedPlace,
        step: &Span<'_>,
        out: &mut [f64],
    ) -> Result<(), Error> {
        // The midpoint is where contacts were detected, [3] section 5, step 3.
        let GeneralisedPlace { assembly, q, forces, .. } = place;
        self.evaluate((q, step.u, step.t + 0.5 * step.dt), forces)?;
        assembly.solve_mass(forces);
        set_sum(out, step.u, step.dt, forces);
        Ok(())
    }

    fn collect(&self, place: &mut GeneralisedPlace, active: &[usize]) {
        place.assembly.collect(&self.system, active, &place.q, place.t);
    }

    fn relative_velocity(&self, place: &GeneralisedPlace, u: &[f64], gamma: &mut Vec<f64>) {
        place.assembly.relative_velocity(u, gamma);
    }

    fn free_theta(
        &self,
        place: &mut GeneralisedPlace,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        let GeneralisedPlace { assembly, q, t, forces, start, there, newton, .. } = place;
        self.evaluate((step.q, step.u, step.t), start)?;
        if step.forces == 0.0 {
            assembly.solve_mass(start);
            set_sum(out, step.u, step.dt, start);
            return Ok(());
        }
        // The weighted velocity, then the coordinates that it leads to.
        step.mean(end, there);
        there.iter_mut().zip(step.q).for_each(|(x, q)| *x = q + step.dt * *x);
        self.evaluate((there, end, step.t + step.dt), forces)?;
        self.system.mass(q, *t, &mut newton.mass);
        self.linearize(newton, step, (there, end));
        assembly.factorize_matrix(&newton.matrix).map_err(|(i, pivot)| {
            let coordinate = self.system.info().coordinates[i].clone();
            Error::ImplicitStep { t: step.t, coordinate, pivot }
        })?;
        // v − A⁻¹ (M (v − u) − Δt h) for the velocity v = `end` of the last iteration, whose impulses are found anew.
        for (i, out) in out.iter_mut().enumerate() {
            let row = newton.mass.row(i);
            let force = step.forces * forces[i] + (1.0 - step.forces) * start[i];
            *out = dot(row, end) - dot(row, step.u) - step.dt * force;
        }
        assembly.solve_mass(out);
        out.iter_mut().zip(end).for_each(|(o, v)| *o = v - *o);
        Ok(())
    }

    fn drive<'a>(&self, place: &'a GeneralisedPlace) -> &'a [f64] {
        place.assembly.drive()
    }

    fn pose(
        &self,
        place: &mut GeneralisedPlace,
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error> {
        if !self.is_planar() {
            return place.assembly.pose_mixed(bias, laws, problem);
        }
        place.assembly.pose(bias, laws, problem);
        finite("W", problem.planar_delassus().as_slice(), place.t)?;
        finite("a relative velocity", problem.bias(), place.t)?;
        Ok(())
    }

    fn apply(&self, place: &GeneralisedPlace, impulse: &[f64], u: &mut [f64]) {
        place.assembly.apply(impulse, u);
    }

    fn momentum_error(
        &self,
        place: &mut GeneralisedPlace,
        free: &[f64],
        after: &[f64],
        impulse: &[f64],
    ) -> f64 {
        place.assembly.momentum_error(free, after, impulse)
    }

    fn advance(&self, q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]) {
        advance(q, before, after, dt, out);
    }

    #[inline]
    fn stabilise(
        &self,
        place: &mut GeneralisedPlace,
        q: &mut [f64],
        u: &mut [f64],
        t: f64,
    ) -> Result<f64, Error> {
        if self.is_planar() { Ok(0.0) } else { self.meet_constraints(place, (q, u, t)) }
    }

    fn energy(&self, q: &[f64], u: &[f64], t: f64) -> Energy {
        self.system.energy(q, u, t)
    }

    fn power(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        self.system.power(q, u, t)
    }

    fn gaps(
        &self,
        place: &mut GeneralisedPlace,
        q: &[f64],
        t: f64,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        self.fit(place);
        self.list_gaps(place, q, t, out);
        Ok(())
    }

    fn accelerations(
        &self,
        place: &mut GeneralisedPlace,
        (q, u, t): (&[f64], &[f64], f64),
        candidates: &[usize],
        out: &mut Accelerations,
    ) -> Result<(), Error> {
        self.fit(place);
        let (f, assembly) = (q.len(), &mut place.assembly);
        out.begin(f);
        self.factorize(assembly, q, t)?;
        self.system.forces(q, u, t, &mut out.free);
        finite("the force vector h", &out.free, t)?;
        assembly.solve_mass(&mut out.free);
        out.directions.resize(2 * candidates.len() * f, 0.0);
        for &contact in candidates {
            let row = out.drive.len();
            let (normal, tangent) = out.directions[row * f..(row + 2) * f].split_at_mut(f);
            let mut at = Directions { normal, tangent, normal_drive: 0.0, tangent_drive: 0.0 };
            self.system.directions(contact, q, t, &mut at);
            let components = self.laws[contact].components();
            let convective = self.system.convective(contact, q, u, t);
            out.drive.extend(&[at.normal_drive, at.tangent_drive][..components]);
            out.convective.extend(&convective[..components]);
        }
        out.directions.truncate(out.drive.len() * f);
        out.responses.extend_from_slice(&out.directions);
        assembly.solve_mass_rows(&mut out.responses);
        if !self.is_planar() {
            self.constrain(place, (q, u, t), candidates, out);
        }
        Ok(())
    }
}

#[inline]
fn finite(what: &'static str, x: &[f64], t: f64) -> Result<(), Error> {
    // 0 times what is not finite is NaN, and sums take no branches.
    let zero: f64 = x.iter().map(|v| 0.0 * v).sum();
    if zero == 0.0 { Ok(()) } else { Err(Error::NotFinite { what, t }) }
}
