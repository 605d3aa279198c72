//! Links in motion: velocities, what they add to the equations, accelerations, and the step without contacts.

use super::place::{StepWork, TreePlace, Work};
use super::placement::{Bias, Placement};
use super::spatial::{Motion, Wrench};
use super::tree::{Link, Tree};
use crate::bodies::{Pose, Twist};
use crate::error::{Error, check};
use crate::model::{Span, ThetaStep};
use crate::system::Energy;
use glam::DVec3;

/// The velocity of a step is iterated at most as often.
const ITERATIONS: usize = 100;
/// It is found when it changes by this share of itself; the iteration contracts, so that what is left is far less.
const FOUND: f64 = 1e-12;
/// Changes that rounding keeps from getting smaller count as found below this share.
const GOOD: f64 = 1e-9;

/// Velocities, and what follows from them.
#[derive(Clone, Debug, Default)]
pub(super) struct Moving {
    /// Of the links' centres, in world axes.
    pub(super) v: Vec<Motion>,
    c: Vec<Motion>,
    /// Accelerations where no velocity of a joint changes.
    pub(super) coasting: Vec<Motion>,
    p: Vec<Wrench>,
    tau: Vec<f64>,
    /// The forces that hold joints without acceleration, and none.
    held: Vec<f64>,
    still: Vec<f64>,
}

impl Moving {
    pub(super) fn velocities(&mut self, links: &[Link], place: &Placement, u: &[f64]) {
        self.v.clear();
        for (i, link) in links.iter().enumerate() {
            let from = link.parent.map_or(Motion::default(), |p| self.v[p]);
            let mut v = from.outward(place.reach(i));
            let own = place.s[link.u.clone()].iter().zip(&u[link.u.clone()]);
            own.for_each(|(s, u)| v.add_scaled(*u, *s));
            if link.moved.is_some() {
                let Twist { linear, angular } = place.twists[i];
                v = Motion { angular, linear };
            }
            self.v.push(v);
        }
    }

    pub(super) fn bias(&self, gravity: DVec3) -> Bias<'_> {
        Bias { c: &self.c, p: &self.p, ground: -gravity }
    }

    /// Of a link: its part of [`coasting`](Self::coasting).
    pub(super) fn convected(&self, link: usize) -> Motion {
        self.c[link]
    }

    /// What acceleration a link has without those of its parent's and its own joint, and the force of its spin.
    fn convection(&mut self, links: &[Link], place: &Placement, q: &[f64], u: &[f64]) {
        self.c.clear();
        self.p.clear();
        for (i, link) in links.iter().enumerate() {
            let spin = link.parent.map_or(DVec3::ZERO, |p| self.v[p].angular);
            let (own_q, own_u) = (&q[link.q.clone()], &u[link.u.clone()]);
            let (frame, [inner, outer]) = (place.frames[i], place.levers[i]);
            let (mut turn, mut shift) = (DVec3::ZERO, DVec3::ZERO);
            for (j, u) in own_u.iter().enumerate() {
                let column = link.joint.column(own_q, j);
                turn += *u * column.turn;
                shift += *u * column.shift;
            }
            let (turn, shift) = (frame * turn, frame * shift);
            let angular = spin.cross(turn) + frame * link.joint.convective(own_q, own_u);
            let own = self.v[i].angular;
            let linear = spin.cross(spin.cross(inner) + 2.0 * shift)
                + angular.cross(outer)
                + own.cross(own.cross(outer));
            self.c.push(Motion { angular, linear });
            let torque = own.cross(place.moments[i] * own);
            self.p.push(Wrench { torque, force: DVec3::ZERO });
        }
    }
}

/// q after the displacement u dt.
pub(super) fn displace(links: &[Link], q: &mut [f64], u: &[f64], dt: f64) {
    for link in links {
        link.joint.displace(&mut q[link.q.clone()], &u[link.u.clone()], dt);
    }
}

/// The ground and all links, as forces see them.
pub(super) fn show(at: &Placement, v: &[Motion], bodies: &mut Vec<(Pose, Twist)>) {
    let twist = |v: &Motion| Twist { linear: v.linear, angular: v.angular };
    bodies.clear();
    bodies.push(Default::default());
    bodies.extend(at.poses.iter().zip(v).map(|(pose, v)| (*pose, twist(v))));
}

impl Tree {
    /// The links at a state, with their velocities.
    pub(super) fn move_links(&self, work: &mut Work, (q, u, t): (&[f64], &[f64], f64)) {
        work.at.locate(&self.links, q, t);
        work.moving.velocities(&self.links, &work.at, u);
    }

    /// Takes the velocities u of links that are located at q, and the biases of their equations.
    pub(super) fn bias(&self, work: &mut Work, (q, u, t): (&[f64], &[f64], f64)) {
        let Work { at, moving, acting, .. } = work;
        moving.velocities(&self.links, at, u);
        moving.convection(&self.links, at, q, u);
        if self.forces.is_empty() {
            return;
        }
        show(at, &moving.v, &mut acting.bodies);
        self.forces.act(acting, t);
        for (p, load) in moving.p.iter_mut().zip(acting.loads.iter().skip(1)) {
            p.add_scaled(-1.0, Wrench { torque: load.torque, force: load.force });
        }
    }

    /// The forces in the coordinates of joints.
    fn joint_loads(&self, (q, u, t): (&[f64], &[f64], f64), tau: &mut Vec<f64>) {
        tau.clear();
        tau.resize(u.len(), 0.0);
        for force in &self.joint_forces {
            force(q, u, t, tau);
        }
    }

    /// u̇ of links that are placed at q.
    pub(super) fn accelerate(
        &self,
        work: &mut Work,
        state: (&[f64], &[f64], f64),
        out: &mut [f64],
    ) {
        self.bias(work, state);
        let Work { at, moving, sweep, .. } = work;
        self.joint_loads(state, &mut moving.tau);
        at.solve(&self.links, Some(moving.bias(self.gravity)), &moving.tau, sweep, out);
    }

    /// u⁺ = u + Δt u̇(q + Δt u / 2, (u + u⁺) / 2, t + Δt / 2): with a configuration that moves by half a step before and half
    /// a step after it, a step that is its own reverse, of second order. The articulated inertias are factorised once; the
    /// mean velocity is found by iteration, each of the cost of one sweep out, in and out. Where there are loops, the mean is
    /// that with their reactions, which are no part of the result: the contact problem adds them.
    pub(super) fn step_velocity(
        &self,
        place: &mut TreePlace,
        step: &Span<'_>,
        out: &mut [f64],
    ) -> Result<(), Error> {
        let Span { q, u, t, dt } = *step;
        self.begin(place, (q, u, t), dt, None);
        let TreePlace { work, loops, redundancy, step, .. } = place;
        let StepWork { middle, mean, rate, iterations } = step;
        middle.clear();
        middle.extend_from_slice(q);
        displace(&self.links, middle, u, 0.5 * dt);
        rate.clear();
        rate.resize(u.len(), 0.0);
        out.copy_from_slice(u);
        work.at.place(&self.links, middle, t + 0.5 * dt)?;
        if self.connections() > 0 {
            loops.refresh(self, work, 0..self.connections());
            *redundancy = loops.redundancy;
        }
        let (mut last, mut share) = (f64::INFINITY, f64::INFINITY);
        *iterations = 0;
        for _ in 0..ITERATIONS {
            *iterations += 1;
            mean.clear();
            mean.extend(u.iter().zip(&*out).map(|(a, b)| 0.5 * (a + b)));
            if self.connections() > 0 {
                loops.hold(mean);
            }
            self.accelerate(work, (middle, mean, t + 0.5 * dt), rate);
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for ((o, u), a) in out.iter_mut().zip(u).zip(&*rate) {
                let next = u + dt * a;
                change = change.max((next - *o).abs());
                size = size.max(next.abs());
                *o = next;
            }
            share = if change > 0.0 { change / size } else { 0.0 };
            let stalled = share >= last && share < GOOD;
            if share <= FOUND || stalled || !share.is_finite() {
                break;
            }
            last = share;
        }
        if !out.iter().all(|x| x.is_finite()) {
            return Err(Error::NotFinite { what: "the acceleration of a joint", t });
        }
        let what =
            || format!("the change of the velocity of a step in its last iteration at t = {t}");
        check(what, share, share < GOOD, "below 1e-9 of its size; take a smaller step")
    }

    /// u + Δt M⁻¹ (θ h⁺ + (1 − θ) h) with M of the place.
    pub(super) fn theta_velocity(
        &self,
        place: &mut TreePlace,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        let weights = Some([step.forces, step.motion]);
        self.begin(place, (step.q, step.u, step.t), step.dt, weights);
        let TreePlace { work, step: StepWork { middle: there, mean, rate: sum, .. }, .. } = place;
        sum.clear();
        sum.resize(step.u.len(), 0.0);
        if step.forces < 1.0 {
            self.add_forces(work, (step.q, step.u, step.t), 1.0 - step.forces, sum);
        }
        if step.forces > 0.0 {
            step.mean(end, mean);
            there.clear();
            there.extend_from_slice(step.q);
            displace(&self.links, there, mean, step.dt);
            self.add_forces(work, (there, end, step.t + step.dt), step.forces, sum);
        }
        work.at.place(&self.links, &place.q, place.t)?;
        work.solve(&self.links, sum, out);
        out.iter_mut().zip(step.u).for_each(|(o, u)| *o = u + step.dt * *o);
        let finite = out.iter().all(|x| x.is_finite());
        let what = "the acceleration of a joint";
        if finite { Ok(()) } else { Err(Error::NotFinite { what, t: step.t }) }
    }

    /// Adds a share of h(q, u, t): the forces of joints that would be left without accelerations.
    fn add_forces(
        &self,
        work: &mut Work,
        state: (&[f64], &[f64], f64),
        share: f64,
        sum: &mut [f64],
    ) {
        let (q, u, t) = state;
        work.at.locate(&self.links, q, t);
        self.bias(work, state);
        let Work { at, moving, sweep, .. } = work;
        self.joint_loads(state, &mut moving.tau);
        moving.held.resize(u.len(), 0.0);
        moving.still.resize(u.len(), 0.0);
        let bias = Bias { c: &moving.c, p: &moving.p, ground: -self.gravity };
        at.inverse(&self.links, Some(bias), &moving.still, sweep, &mut moving.held);
        for ((s, tau), held) in sum.iter_mut().zip(&moving.tau).zip(&moving.held) {
            *s += share * (tau - held);
        }
    }

    /// Of the links at a state.
    pub(super) fn link_energy(&self, state: (&[f64], &[f64], f64)) -> Energy {
        let (mut work, mut energy) = (Work::default(), Energy::default());
        self.move_links(&mut work, state);
        let Work { at, moving, acting, .. } = &mut work;
        if !self.forces.is_empty() {
            show(at, &moving.v, &mut acting.bodies);
            energy.potential = self.forces.potential(&acting.bodies, state.2);
        }
        let free = self.links.iter().enumerate().filter(|(_, l)| l.moved.is_none());
        for (i, link) in free {
            let (v, m) = (moving.v[i], link.mass.mass());
            let spin = v.angular.dot(at.moments[i] * v.angular);
            let drive: f64 = state.1[link.u.clone()].iter().map(|u| link.armature * u * u).sum();
            energy.kinetic += 0.5 * (m * v.linear.length_squared() + spin + drive);
            energy.potential -= m * self.gravity.dot(at.poses[i].position);
        }
        energy
    }

    /// How fast forces change the energy.
    pub(super) fn force_power(&self, state: (&[f64], &[f64], f64)) -> f64 {
        if self.forces.is_empty() {
            return 0.0;
        }
        let mut work = Work::default();
        self.move_links(&mut work, state);
        let Work { at, moving, acting, .. } = &mut work;
        show(at, &moving.v, &mut acting.bodies);
        self.forces.power(acting, state.2, |i| i > 0 && self.links[i - 1].moved.is_none())
    }
}
