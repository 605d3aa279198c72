//! Links in motion: velocities, what they add to the equations, accelerations, and the step without contacts.

use super::closure::Reaction;
use super::placement::{Bias, Placement};
use super::spatial::{Motion, Wrench};
use super::tree::{Link, Tree};
use crate::bodies::Twist;
use crate::error::{Error, check};
use crate::model::ThetaStep;
use crate::system::Energy;
use glam::DVec3;

/// The velocity of a step is iterated at most as often.
const ITERATIONS: usize = 100;
/// It is found when it changes by this share of itself; the iteration contracts, so that what is left is far less.
const FOUND: f64 = 1e-12;
/// Changes that rounding keeps from getting smaller count as found below this share.
const GOOD: f64 = 1e-9;

/// Velocities, and the storage of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Moving {
    /// Of the links' centres, in world axes.
    pub(super) v: Vec<Motion>,
    c: Vec<Motion>,
    /// Accelerations where no velocity of a joint changes.
    pub(super) coasting: Vec<Motion>,
    p: Vec<Wrench>,
    tau: Vec<f64>,
    middle: Vec<f64>,
    mean: Vec<f64>,
    rate: Vec<f64>,
    /// The forces that hold joints without acceleration, and none.
    held: Vec<f64>,
    still: Vec<f64>,
    pub(super) iterations: usize,
}

impl Moving {
    pub(super) fn velocities(&mut self, links: &[Link], place: &Placement, u: &[f64]) {
        self.v.clear();
        for (i, link) in links.iter().enumerate() {
            let from = link.parent.map_or(Motion::default(), |p| self.v[p]);
            let mut v = from.outward(place.reach(i));
            let own = place.s[link.u.clone()].iter().zip(&u[link.u.clone()]);
            own.for_each(|(s, u)| v.add_scaled(*u, *s));
            if let Some(moved) = &link.moved {
                let Twist { linear, angular } = moved.now.1;
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

/// Takes the velocities u at the tree's placement, which is that of q, and the biases of its equations.
pub(super) fn bias(tree: &mut Tree, q: &[f64], u: &[f64], t: f64) {
    let (m, place) = (&mut tree.moving, &tree.place);
    m.velocities(&tree.links, place, u);
    m.convection(&tree.links, place, q, u);
    if tree.forces.is_empty() {
        return;
    }
    show(tree);
    tree.forces.act(t);
    for (p, load) in tree.moving.p.iter_mut().zip(tree.forces.loads.iter().skip(1)) {
        p.add_scaled(-1.0, Wrench { torque: load.torque, force: load.force });
    }
}

/// Shows the forces the ground and all links at the tree's placement, with the velocities last taken.
pub(super) fn show(tree: &mut Tree) {
    let motions = tree.place.poses.iter().zip(&tree.moving.v);
    let twist = |v: &Motion| Twist { linear: v.linear, angular: v.angular };
    tree.forces.bodies.clear();
    tree.forces.bodies.push(Default::default());
    tree.forces.bodies.extend(motions.map(|(pose, v)| (*pose, twist(v))));
}

/// u̇ at the tree's placement, which is that of q.
pub(super) fn accelerate(tree: &mut Tree, q: &[f64], u: &[f64], t: f64, out: &mut [f64]) {
    bias(tree, q, u, t);
    let mut tau = std::mem::take(&mut tree.moving.tau);
    tau.clear();
    tau.resize(out.len(), 0.0);
    for force in &tree.joint_forces {
        force(q, u, t, &mut tau);
    }
    let bias = tree.moving.bias(tree.gravity);
    tree.place.solve(&tree.links, Some(bias), &tau, &mut tree.sweep, out);
    tree.moving.tau = tau;
}

/// q after the displacement u dt.
pub(super) fn displace(links: &[Link], q: &mut [f64], u: &[f64], dt: f64) {
    for link in links {
        link.joint.displace(&mut q[link.q.clone()], &u[link.u.clone()], dt);
    }
}

/// u⁺ = u + Δt u̇(q + Δt u / 2, (u + u⁺) / 2, t + Δt / 2): with a configuration that moves by half a step before and half
/// a step after it, a step that is its own reverse, of second order. The articulated inertias are factorised once; the
/// mean velocity is found by iteration, each of the cost of one sweep out, in and out. Where there are loops, the mean is
/// that with their reactions, which are no part of the result: the contact problem adds them.
pub(super) fn step(
    tree: &mut Tree,
    q: &[f64],
    u: &[f64],
    t: f64,
    dt: f64,
    out: &mut [f64],
) -> Result<(), Error> {
    tree.begin((q, u, t), dt, None);
    let mut middle = std::mem::take(&mut tree.moving.middle);
    let mut mean = std::mem::take(&mut tree.moving.mean);
    let mut rate = std::mem::take(&mut tree.moving.rate);
    middle.clear();
    middle.extend_from_slice(q);
    displace(&tree.links, &mut middle, u, 0.5 * dt);
    rate.clear();
    rate.resize(u.len(), 0.0);
    out.copy_from_slice(u);
    tree.set_time(t + 0.5 * dt);
    let placed = tree.place.place(&tree.links, &middle, t + 0.5 * dt);
    let (mut last, mut share) = (f64::INFINITY, f64::INFINITY);
    tree.moving.iterations = 0;
    if placed.is_ok() {
        let loops = (!tree.closures.is_empty()).then(|| Reaction::new(tree));
        for _ in 0..ITERATIONS {
            tree.moving.iterations += 1;
            mean.clear();
            mean.extend(u.iter().zip(&*out).map(|(a, b)| 0.5 * (a + b)));
            if let Some(loops) = &loops {
                let held = loops.least(&loops.rates(&mean));
                mean.iter_mut().zip(held).for_each(|(m, h)| *m -= h);
            }
            accelerate(tree, &middle, &mean, t + 0.5 * dt, &mut rate);
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for ((o, u), a) in out.iter_mut().zip(u).zip(&rate) {
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
    }
    let m = &mut tree.moving;
    (m.middle, m.mean, m.rate) = (middle, mean, rate);
    placed?;
    if !out.iter().all(|x| x.is_finite()) {
        return Err(Error::NotFinite { what: "the acceleration of a joint", t });
    }
    let place = || format!("the change of the velocity of a step in its last iteration at t = {t}");
    check(place, share, share < GOOD, "below 1e-9 of its size; take a smaller step")
}

/// u + Δt M⁻¹ (θ h⁺ + (1 − θ) h) with M at the coordinates and the time `at`.
pub(super) fn theta_velocity(
    tree: &mut Tree,
    step: &ThetaStep<'_>,
    end: &[f64],
    at: (&[f64], f64),
    out: &mut [f64],
) -> Result<(), Error> {
    tree.begin((step.q, step.u, step.t), step.dt, Some([step.forces, step.motion]));
    let mut sum = std::mem::take(&mut tree.moving.rate);
    sum.clear();
    sum.resize(step.u.len(), 0.0);
    if step.forces < 1.0 {
        add_forces(tree, (step.q, step.u), step.t, 1.0 - step.forces, &mut sum);
    }
    if step.forces > 0.0 {
        let mut mean = std::mem::take(&mut tree.moving.mean);
        let mut there = std::mem::take(&mut tree.moving.middle);
        step.mean(end, &mut mean);
        there.clear();
        there.extend_from_slice(step.q);
        displace(&tree.links, &mut there, &mean, step.dt);
        add_forces(tree, (&there, end), step.t + step.dt, step.forces, &mut sum);
        (tree.moving.mean, tree.moving.middle) = (mean, there);
    }
    tree.set_time(at.1);
    let placed = tree.place.place(&tree.links, at.0, at.1);
    if placed.is_ok() {
        tree.place.solve(&tree.links, None, &sum, &mut tree.sweep, out);
    }
    tree.moving.rate = sum;
    placed?;
    out.iter_mut().zip(step.u).for_each(|(o, u)| *o = u + step.dt * *o);
    let finite = out.iter().all(|x| x.is_finite());
    let what = "the acceleration of a joint";
    if finite { Ok(()) } else { Err(Error::NotFinite { what, t: step.t }) }
}

/// Adds a share of h(q, u, t): the forces of joints that would be left without accelerations.
fn add_forces(tree: &mut Tree, (q, u): (&[f64], &[f64]), t: f64, share: f64, sum: &mut [f64]) {
    tree.set_time(t);
    tree.place.locate(&tree.links, q);
    bias(tree, q, u, t);
    let mut tau = std::mem::take(&mut tree.moving.tau);
    tau.clear();
    tau.resize(u.len(), 0.0);
    for force in &tree.joint_forces {
        force(q, u, t, &mut tau);
    }
    let (mut held, mut still) =
        (std::mem::take(&mut tree.moving.held), std::mem::take(&mut tree.moving.still));
    held.resize(u.len(), 0.0);
    still.resize(u.len(), 0.0);
    let bias = tree.moving.bias(tree.gravity);
    tree.place.inverse(&tree.links, Some(bias), &still, &mut tree.sweep, &mut held);
    for ((s, tau), held) in sum.iter_mut().zip(&tau).zip(&held) {
        *s += share * (tau - held);
    }
    (tree.moving.tau, tree.moving.held, tree.moving.still) = (tau, held, still);
}

/// Of the links at the tree's placement with the velocities last taken.
pub(super) fn energy(tree: &mut Tree, t: f64) -> Energy {
    let mut energy = Energy::default();
    if !tree.forces.is_empty() {
        show(tree);
        energy.potential = tree.forces.potential(t);
    }
    let free = tree.links.iter().enumerate().filter(|(_, l)| l.moved.is_none());
    for (i, link) in free {
        let (v, m) = (tree.moving.v[i], link.mass.mass());
        let spin = v.angular.dot(tree.place.moments[i] * v.angular);
        energy.kinetic += 0.5 * (m * v.linear.length_squared() + spin);
        energy.potential -= m * tree.gravity.dot(tree.place.poses[i].position);
    }
    energy
}
