//! A system in generalised coordinates as a model, so that every integrator, formulation and solver takes it.

use super::{Accelerations, Candidate, Model, ThetaStep};
use crate::contact::{ContactProblem, Law};
use crate::dynamics::{Assembly, advance, dot, set_sum};
use crate::error::Error;
use crate::system::{Directions, Energy, System};
use complementarity::Matrix;

/// A [`System`] with its planar contacts, behind the trait [`Model`]. Identities are the numbers of contacts. The θ-method has Newton's
/// matrix M − Δt θ ∂h/∂u − Δt² θ² ∂h/∂q.
#[derive(Debug)]
pub struct Generalised<S> {
    system: S,
    assembly: Assembly,
    laws: Vec<Law>,
    gaps: Vec<f64>,
    q: Vec<f64>,
    t: f64,
    forces: Vec<f64>,
    start: Vec<f64>,
    there: Vec<f64>,
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
        let (f, k) = (info.dof(), info.contacts.len());
        let (vector, square) = (|| vec![0.0; f], || Matrix::zeros(f, f));
        Ok(Self {
            assembly: Assembly::new(info),
            laws: info.contacts.iter().map(|c| c.law.clone()).collect(),
            gaps: vec![0.0; k],
            q: vector(),
            t: 0.0,
            forces: vector(),
            start: vector(),
            there: vector(),
            mass: square(),
            matrix: square(),
            dq: square(),
            du: square(),
            system,
        })
    }

    /// The system.
    pub fn inner(&mut self) -> &mut S {
        &mut self.system
    }

    fn evaluate(&mut self, q: &[f64], u: &[f64], t: f64) -> Result<(), Error> {
        self.system.forces(q, u, t, &mut self.forces);
        finite("a force", &self.forces, t)
    }

    /// M − Δt θ_h (∂h/∂u + Δt θ_q ∂h/∂q) at the end, made symmetric: the path of the iteration changes, not its limit.
    fn linearize(&mut self, step: &ThetaStep<'_>, q: &[f64], end: &[f64]) -> Result<(), Error> {
        let t = step.t + step.dt;
        self.system.force_jacobians(q, end, t, &mut self.dq, &mut self.du);
        for i in 0..end.len() {
            for j in 0..=i {
                let half = |m: &Matrix| 0.5 * (m.row(i)[j] + m.row(j)[i]);
                let stiff = half(&self.du) + step.dt * step.motion * half(&self.dq);
                let value = self.mass.row(i)[j] - step.dt * step.forces * stiff;
                self.matrix.row_mut(i)[j] = value;
                self.matrix.row_mut(j)[i] = value;
            }
        }
        self.assembly.factorize_matrix(&self.matrix).map_err(|(i, pivot)| {
            let coordinate = self.system.info().coordinates[i].clone();
            Error::ImplicitStep { t: step.t, coordinate, pivot }
        })
    }
}

impl<S: System> Model for Generalised<S> {
    fn kind(&self) -> &'static str {
        "a system in generalised coordinates"
    }

    fn is_planar(&self) -> bool {
        true
    }

    fn coordinates(&self) -> usize {
        self.q.len()
    }

    fn velocities(&self) -> usize {
        self.q.len()
    }

    fn detect(&mut self, q: &[f64], t: f64, out: &mut Vec<Candidate>) -> Result<(), Error> {
        self.q.copy_from_slice(q);
        self.t = t;
        self.assembly.factorize(&mut self.system, q, t)?;
        self.system.gaps(q, t, &mut self.gaps);
        let gaps = self.gaps.iter().enumerate();
        out.extend(gaps.map(|(i, gap)| Candidate { identity: i as u64, gap: Some(*gap) }));
        Ok(())
    }

    fn law(&self, candidate: usize) -> &Law {
        &self.laws[candidate]
    }

    fn free(
        &mut self,
        _: &[f64],
        u: &[f64],
        t: f64,
        dt: f64,
        out: &mut [f64],
    ) -> Result<(), Error> {
        // The midpoint is where contacts were detected, [3] section 5, step 3.
        let q = std::mem::take(&mut self.q);
        let done = self.evaluate(&q, u, t + 0.5 * dt);
        self.q = q;
        done?;
        self.assembly.solve_mass(&mut self.forces);
        set_sum(out, u, dt, &self.forces);
        Ok(())
    }

    fn collect(&mut self, active: &[usize]) {
        self.assembly.collect(&mut self.system, active, &self.q, self.t);
    }

    fn relative_velocity(&self, u: &[f64], gamma: &mut Vec<f64>) {
        self.assembly.relative_velocity(u, gamma);
    }

    fn has_theta(&self) -> bool {
        true
    }

    fn free_theta(
        &mut self,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.evaluate(step.q, step.u, step.t)?;
        self.start.copy_from_slice(&self.forces);
        if step.forces == 0.0 {
            self.assembly.solve_mass(&mut self.start);
            set_sum(out, step.u, step.dt, &self.start);
            return Ok(());
        }
        // The weighted velocity, then the coordinates that it leads to.
        let mut there = std::mem::take(&mut self.there);
        step.mean(end, &mut there);
        there.iter_mut().zip(step.q).for_each(|(x, q)| *x = q + step.dt * *x);
        self.evaluate(&there, end, step.t + step.dt)?;
        self.system.mass(&self.q, self.t, &mut self.mass);
        self.linearize(step, &there, end)?;
        self.there = there;
        // v − A⁻¹ (M (v − u) − Δt h) for the velocity v = `end` of the last iteration, whose impulses are found anew.
        for (i, out) in out.iter_mut().enumerate() {
            let row = self.mass.row(i);
            let force = step.forces * self.forces[i] + (1.0 - step.forces) * self.start[i];
            *out = dot(row, end) - dot(row, step.u) - step.dt * force;
        }
        self.assembly.solve_mass(out);
        out.iter_mut().zip(end).for_each(|(o, v)| *o = v - *o);
        Ok(())
    }

    fn drive(&self) -> &[f64] {
        self.assembly.drive()
    }

    fn pose(
        &mut self,
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error> {
        self.assembly.pose(bias, laws.iter().cloned(), problem);
        finite("W", problem.planar_delassus().as_slice(), self.t)?;
        finite("a relative velocity", problem.bias(), self.t)?;
        Ok(())
    }

    fn apply(&self, impulse: &[f64], u: &mut [f64]) {
        self.assembly.apply(impulse, u);
    }

    fn momentum_error(&mut self, free: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        self.assembly.momentum_error(free, after, impulse)
    }

    fn advance(&self, q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]) {
        advance(q, before, after, dt, out);
    }

    fn energy(&mut self, q: &[f64], u: &[f64], t: f64) -> Energy {
        self.system.energy(q, u, t)
    }

    fn gaps(&mut self, q: &[f64], t: f64, out: &mut Vec<Candidate>) -> Result<(), Error> {
        self.system.gaps(q, t, &mut self.gaps);
        let gaps = self.gaps.iter().enumerate();
        out.extend(gaps.map(|(i, gap)| Candidate { identity: i as u64, gap: Some(*gap) }));
        Ok(())
    }

    fn accelerations(
        &mut self,
        (q, u, t): (&[f64], &[f64], f64),
        candidates: &[usize],
        out: &mut Accelerations,
    ) -> Result<(), Error> {
        let f = self.q.len();
        out.begin(f);
        self.assembly.factorize(&mut self.system, q, t)?;
        self.system.forces(q, u, t, &mut out.free);
        finite("the force vector h", &out.free, t)?;
        self.assembly.solve_mass(&mut out.free);
        out.directions.resize(2 * candidates.len() * f, 0.0);
        for (&contact, rows) in candidates.iter().zip(out.directions.chunks_exact_mut(2 * f)) {
            let (normal, tangent) = rows.split_at_mut(f);
            let mut at = Directions { normal, tangent, normal_drive: 0.0, tangent_drive: 0.0 };
            self.system.directions(contact, q, t, &mut at);
            out.drive.extend([at.normal_drive, at.tangent_drive]);
            out.convective.extend(self.system.convective(contact, q, u, t));
        }
        out.responses.extend_from_slice(&out.directions);
        self.assembly.solve_mass_rows(&mut out.responses);
        Ok(())
    }
}

fn finite(what: &'static str, x: &[f64], t: f64) -> Result<(), Error> {
    // 0 times what is not finite is NaN, and sums take no branches.
    let zero: f64 = x.iter().map(|v| 0.0 * v).sum();
    if zero == 0.0 { Ok(()) } else { Err(Error::NotFinite { what, t }) }
}
