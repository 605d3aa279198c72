//! The θ-method of Moreau and Jean: implicit in stiffness and damping.
//!
//! With q⁺ = q + Δt (θ u⁺ + (1 − θ) u) the velocity at the end solves
//! M (u⁺ − u) = Δt (θ h(q⁺, u⁺, t⁺) + (1 − θ) h(q, u, t)) + H Λ by Newton's method, each step with a contact
//! problem for the matrix A = M − Δt θ ∂h/∂u − Δt² θ² ∂h/∂q. M, the gaps and the directions are those of the
//! predicted configuration q + ½ Δt u. A is symmetrised, which changes the path of the iteration but not its limit.

use super::stepping::{Stepper, Unsolved, check_forces};
use crate::dynamics::{add_scaled, dot};
use crate::error::{Error, check};
use crate::run::{Stage, Stopwatch};
use crate::system::{State, System};
use complementarity::{Failure, Matrix, Status};

/// Settings of the θ-method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JeanSettings {
    /// θ in [½, 1]; ½ is of second order between impacts, 1 damps. Default 0.5.
    pub theta: f64,
    /// Newton steps per time step. Default 20.
    pub max_iterations: usize,
    /// The change of momentum that is left, as a share of the forces' own. Default 1e-12.
    pub tolerance: f64,
}

impl Default for JeanSettings {
    fn default() -> Self {
        Self { theta: 0.5, max_iterations: 20, tolerance: 1e-12 }
    }
}

impl JeanSettings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        let theta = self.theta;
        check(|| "theta".into(), theta, (0.5..=1.0).contains(&theta), "between 0.5 and 1")?;
        let n = self.max_iterations;
        check(|| "max_iterations".into(), n as f64, (1..=1000).contains(&n), "between 1 and 1000")?;
        let t = self.tolerance;
        let inside = t > 0.0 && t <= 1e-3;
        check(|| "tolerance".into(), t, inside, "greater than 0 and at most 0.001")
    }
}

#[derive(Debug)]
pub(super) struct Workspace {
    settings: JeanSettings,
    mass: Matrix,
    a: Matrix,
    dq: Matrix,
    du: Matrix,
    start_forces: Vec<f64>,
    residual: Vec<f64>,
    q_end: Vec<f64>,
}

impl Workspace {
    pub(super) fn new(f: usize, settings: JeanSettings) -> Self {
        let square = || Matrix::zeros(f, f);
        let vector = || vec![0.0; f];
        Self {
            settings,
            mass: square(),
            a: square(),
            dq: square(),
            du: square(),
            start_forces: vector(),
            residual: vector(),
            q_end: vector(),
        }
    }
}

pub(super) fn step<S: System + ?Sized, W: Stopwatch>(
    s: &mut Stepper,
    system: &mut S,
    state: &mut State,
    dt: f64,
    watch: &mut W,
) -> Result<Result<(), Unsolved>, Error> {
    let Some(mut w) = s.jean.take() else { return Ok(Ok(())) };
    let done = solve(s, &mut w, system, state, dt, watch);
    s.jean = Some(w);
    done
}

fn solve<S: System + ?Sized, W: Stopwatch>(
    s: &mut Stepper,
    w: &mut Workspace,
    system: &mut S,
    state: &mut State,
    dt: f64,
    watch: &mut W,
) -> Result<Result<(), Unsolved>, Error> {
    let JeanSettings { theta, max_iterations, tolerance } = w.settings;
    let t_mid = state.t + 0.5 * dt;
    s.q.copy_from_slice(&state.q);
    add_scaled(&mut s.q, 0.5 * dt, &state.u);
    s.u.copy_from_slice(&state.u);
    s.detect(system, t_mid)?;
    watch.lap(Stage::Detect);

    system.mass(&s.q, t_mid, &mut w.mass);
    if s.has_active() {
        // The relative velocities at the beginning, and Poisson's impact, which acts through M alone.
        s.assembly.factorize(system, &s.q, t_mid)?;
        if let Err(unsolved) = s.collect(system, t_mid) {
            return Ok(Err(unsolved));
        }
    }
    system.forces(&state.q, &s.u, state.t, &mut w.start_forces);
    check_forces(&w.start_forces, state.t)?;

    s.end.copy_from_slice(&s.u);
    for iteration in 0..=max_iterations {
        let left = residual(s, w, system, state, dt)?;
        if iteration > 0 && left <= tolerance {
            state.q.copy_from_slice(&w.q_end);
            state.u.copy_from_slice(&s.end);
            state.t += dt;
            return Ok(Ok(()));
        }
        linearize(s, w, system, (state.t, dt, theta))?;
        watch.lap(Stage::Free);
        if s.has_active() {
            s.assembly.collect(system, &s.outcome.active, &s.q, t_mid);
            if let Err(unsolved) = s.contact(system.info(), dt, t_mid, watch)? {
                return Ok(Err(unsolved));
            }
        } else {
            s.no_contact();
        }
    }
    let status = Status::Failed(Failure::IterationLimit);
    Ok(Err(Unsolved { status, worst: s.outcome.certificate.worst }))
}

/// M (v − u) − Δt (θ h⁺ + (1 − θ) h) − H Λ for v = `end`; returns its size as a share of its terms'.
fn residual<S: System + ?Sized>(
    s: &mut Stepper,
    w: &mut Workspace,
    system: &mut S,
    state: &State,
    dt: f64,
) -> Result<f64, Error> {
    let theta = w.settings.theta;
    w.q_end.copy_from_slice(&state.q);
    add_scaled(&mut w.q_end, dt * theta, &s.end);
    add_scaled(&mut w.q_end, dt * (1.0 - theta), &s.u);
    system.forces(&w.q_end, &s.end, state.t + dt, &mut s.forces);
    check_forces(&s.forces, state.t + dt)?;
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for i in 0..s.u.len() {
        let row = w.mass.row(i);
        let inertia = dot(row, &s.end) - dot(row, &s.u);
        let force = dt * (theta * s.forces[i] + (1.0 - theta) * w.start_forces[i]);
        w.residual[i] = inertia - force;
        let reaction = s.reaction(i);
        let unit = row[i].abs().sqrt();
        worst = worst.max((w.residual[i] - reaction).abs() / unit);
        // Forces are known to the rounding of what they are made of: stiffness times coordinates.
        let mut terms = force.abs() + reaction.abs();
        for j in 0..s.u.len() {
            let (q, dq) = (w.q_end[j].abs() + state.q[j].abs(), w.dq.row(i)[j].abs());
            terms += row[j].abs() * (s.end[j].abs() + s.u[j].abs()) + dt * theta * dq * q;
        }
        largest = largest.max(terms / unit);
    }
    Ok(if largest > 0.0 { worst / largest } else { worst })
}

/// Factorises A and leaves in `free` the velocity that solves the linearised step without contact.
fn linearize<S: System + ?Sized>(
    s: &mut Stepper,
    w: &mut Workspace,
    system: &mut S,
    (t, dt, theta): (f64, f64, f64),
) -> Result<(), Error> {
    system.force_jacobians(&w.q_end, &s.end, t + dt, &mut w.dq, &mut w.du);
    let f = s.u.len();
    for i in 0..f {
        for j in 0..=i {
            let half = |m: &Matrix| 0.5 * (m.row(i)[j] + m.row(j)[i]);
            let value = w.mass.row(i)[j] - dt * theta * (half(&w.du) + dt * theta * half(&w.dq));
            w.a.row_mut(i)[j] = value;
            w.a.row_mut(j)[i] = value;
        }
    }
    s.assembly.factorize_matrix(&w.a).map_err(|(i, pivot)| {
        let coordinate = system.info().coordinates[i].clone();
        Error::ImplicitStep { t, coordinate, pivot }
    })?;
    s.free.copy_from_slice(&w.residual);
    s.assembly.solve_mass(&mut s.free);
    for (free, v) in s.free.iter_mut().zip(&s.end) {
        *free = v - *free;
    }
    Ok(())
}
