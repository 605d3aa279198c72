//! How integrators see a world.

use super::{Posing, Reaction, Role, Source, World, friction};
use crate::bodies::pose::{exponential, turn_rate};
use crate::bodies::spin::in_world;
use crate::bodies::{Pose, SpinUpdate, Twist};
use crate::bodies::{joint, roles};
use crate::contact::set::ConvexSet;
use crate::contact::{ContactProblem, Law};
use crate::error::{Error, check};
use crate::model::{Accelerations, Candidate, FrictionLimit, Model, ThetaStep, check_sizes};
use crate::system::Energy;
use glam::DVec3;

/// Identities: contacts by number, then those of joints, four each, as those of bodies of point masses; then friction by load.
const JOINTS: u64 = 1 << 40;
const LOAD_FRICTIONS: u64 = 1 << 41;
/// The change of the mean velocity below which no more passes are made for the forces that follow it.
const SETTLED: f64 = 4.0 * f64::EPSILON;
/// Most passes for it, and the change below which it is found where rounding has its say.
const PASSES: usize = 100;
const MEAN: f64 = 1e-9;
/// Changes that are larger than this and do not fall will not.
const DIVERGED: f64 = 0.5;

impl Model for World {
    fn kind(&self) -> &'static str {
        "rigid bodies in maximal coordinates"
    }

    fn has_theta(&self) -> bool {
        true
    }

    fn redundancy(&self) -> usize {
        self.redundancy
    }

    fn free_theta(
        &mut self,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.theta_velocity(step, end, out)
    }

    fn coordinates(&self) -> usize {
        7 * self.free
    }

    fn velocities(&self) -> usize {
        6 * self.free
    }

    fn validate(&self, q: &[f64], u: &[f64]) -> Result<(), Error> {
        check_sizes(self, q, u)?;
        for i in 0..self.free {
            let length = Pose::read(&q[7 * i..]).rotation.length();
            let place = || format!("the length of the quaternion of body {}", i + 1);
            check(place, length, (length - 1.0).abs() < 1e-6, "1; normalise it")?;
        }
        Ok(())
    }

    fn detect(&mut self, q: &[f64], t: f64, out: &mut Vec<Candidate>) -> Result<(), Error> {
        self.place(q, t);
        roles::check_motions(&self.roles, &self.poses, t)?;
        self.sources.clear();
        self.laws.clear();
        for (index, pair) in self.contact_pairs.iter().enumerate() {
            let (a, b) = (&self.poses[pair.first].0, &self.poses[pair.second].0);
            let (close, candidate) = pair.detect(index as u64, a, b);
            self.sources.push(Source::ContactPair(index, close));
            self.laws.push(pair.law.clone());
            out.push(candidate);
        }
        for i in 0..self.joints.len() {
            self.detect_joint(i, out);
        }
        self.fresh = false;
        Ok(())
    }

    fn law(&self, candidate: usize) -> &Law {
        &self.laws[candidate]
    }

    fn free(
        &mut self,
        q: &[f64],
        u: &[f64],
        t: f64,
        dt: f64,
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.begin(q, u, t + dt, dt, None);
        self.twists.clear();
        self.middle.clear();
        for i in 0..self.free {
            // Forces at the midpoint, to keep the order of the update.
            let (pose, twist) = (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..]));
            let position = pose.position + 0.5 * dt * twist.linear;
            let rotation = exponential(0.5 * dt * twist.angular) * pose.rotation;
            self.middle.push(Pose { position, rotation });
            self.twists.push(twist);
        }
        self.load(t + 0.5 * dt);
        if self.is_held() {
            self.set_push(&[]);
            self.rattle((q, u, t), dt)?;
            out.copy_from_slice(&self.ends.u);
            self.base.clear();
            self.base.extend_from_slice(out);
            return self.find_mean((q, u, t), dt, out);
        }
        for (i, p) in self.free_bodies() {
            let (force, torque) = self.loads[i];
            let twist = self.twists[i];
            let rotation = Pose::read(&q[7 * i..]).rotation;
            let linear = twist.linear + dt / p.mass() * force;
            let Some(angular) = self.update.free(p, rotation, twist.angular, torque, dt) else {
                return Err(Error::Turn { t });
            };
            let end = Twist { linear, angular };
            if !(linear.is_finite() && angular.is_finite()) {
                return Err(Error::NotFinite { what: "a force", t });
            }
            end.write(&mut out[6 * i..]);
        }
        self.base.clear();
        self.base.extend_from_slice(out);
        self.find_mean((q, u, t), dt, out)
    }

    fn correct_free(
        &mut self,
        q: &[f64],
        u: &[f64],
        t: f64,
        dt: f64,
        end: &[f64],
        free: &mut [f64],
    ) -> Result<f64, Error> {
        if self.is_held() {
            if self.forces.follow_velocity() {
                self.load_at_mean(u, end, t, dt);
            }
            return self.settle_held((q, u, t), dt, end, free);
        }
        let (mut largest, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        let explicit = self.update == SpinUpdate::SemiImplicit;
        let pushed = self.forces.follow_velocity().then(|| self.follow(u, end, t, dt));
        if explicit && pushed.is_none() {
            return Ok(0.0);
        }
        for role in &self.roles {
            let Role::Free(i, p) = role else { continue };
            let range = 6 * i + 3..6 * i + 6;
            let read = |x: &[f64]| DVec3::from_slice(&x[range.clone()]);
            let base = read(&self.base);
            // The cheapest update does not let rotation answer impulses.
            let change = if explicit { DVec3::ZERO } else { read(end) - base };
            let torque = self.loads[*i].1 + self.masses[*i].1 * change / dt;
            let rotation = Pose::read(&q[7 * i..]).rotation;
            let Some(after) = self.update.free(p, rotation, read(u), torque, dt) else {
                return Err(Error::Turn { t });
            };
            let next = after - change;
            largest = largest.max((next - base).length());
            size = size.max(after.length() + read(u).length());
            next.write_to_slice(&mut self.base[range]);
        }
        free.copy_from_slice(&self.base);
        Ok((largest / size).max(pushed.unwrap_or(0.0)))
    }

    fn ends_settled(&self) -> bool {
        self.is_held()
    }

    fn collect(&mut self, active: &[usize]) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        self.collected.clear();
        for &i in active {
            self.collected.push(self.sources[i]);
            rows.push(self, self.sources[i]);
        }
        self.rows = rows;
        self.hold_rows();
    }

    fn relative_velocity(&self, u: &[f64], gamma: &mut Vec<f64>) {
        self.rows.velocities(u, gamma);
    }

    fn relative_velocity_ahead(
        &mut self,
        (q, u, t): (&[f64], &[f64], f64),
        dt: f64,
        end: &[f64],
        there: &mut [f64],
        gamma: &mut Vec<f64>,
    ) {
        self.advance(q, u, end, dt, there);
        let (q, u, t) = (&*there, end, t + dt);
        self.rows.velocities(u, gamma);
        for (source, link) in self.collected.iter().zip(&self.rows.links) {
            let Source::ContactPair(pair, then) = source else { continue };
            let out = &mut gamma[link.start..link.start + link.rows];
            self.touch_velocity_at((q, t, u), *pair, then, out);
        }
    }

    fn drive(&self) -> &[f64] {
        &self.rows.drive
    }

    fn pose(
        &mut self,
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error> {
        let mut posing = std::mem::take(&mut self.posing);
        let result = if self.is_held() {
            problem.refill(bias, laws, |w| {
                self.dense_delassus(&mut posing, w.dense_mut(self.rows.values.len()));
                Ok(())
            })
        } else {
            self.list_blocks(laws, &mut posing);
            let Posing { sizes, list, .. } = &mut posing;
            problem.refill(bias, laws, |w| w.sparse_mut().refill_one_triangle(sizes, list))
        };
        self.posing = posing;
        Ok(result?)
    }

    fn friction_limits(
        &mut self,
        impulse: &[f64],
        end: &[f64],
        limits: &mut Vec<Option<FrictionLimit>>,
    ) {
        self.rub_limits(impulse, end, limits);
    }

    fn apply(&self, impulse: &[f64], u: &mut [f64]) {
        if !self.is_held() {
            return self.rows.add_response(impulse, u);
        }
        for (row, lam) in self.held.chunks_exact(u.len()).zip(impulse) {
            u.iter_mut().zip(row).for_each(|(u, r)| *u += lam * r);
        }
    }

    fn momentum_error(&mut self, free: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        let mut reaction = std::mem::take(&mut self.posing.reaction);
        reaction.clear();
        reaction.resize(free.len(), 0.0);
        if self.is_held() {
            // What the joints add is M times the change that they make.
            for (row, lam) in self.held.chunks_exact(free.len()).zip(impulse) {
                reaction.iter_mut().zip(row).for_each(|(t, r)| *t += lam * r);
            }
            self.times_mass(&mut reaction);
        } else {
            self.rows.add_forces(impulse, &mut reaction);
        }
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for (i, (m, inertia)) in self.masses.iter().enumerate() {
            let range = 6 * i..6 * i + 6;
            let (a, b) = (Twist::read(&after[range.clone()]), Twist::read(&free[range.clone()]));
            let r = Twist::read(&reaction[range]);
            // Over the square roots of mass and inertia, so that both kinds of momentum compare.
            let columns = [inertia.x_axis, inertia.y_axis, inertia.z_axis];
            let turn = columns.iter().map(|c| c.length()).sum::<f64>().sqrt();
            let linear = (*m * (a.linear - b.linear) - r.linear) / m.sqrt();
            let angular = (*inertia * (a.angular - b.angular) - r.angular) / turn;
            worst = worst.max(linear.length()).max(angular.length());
            largest = largest
                .max(m.sqrt() * a.linear.length() + r.linear.length() / m.sqrt())
                .max((*inertia * a.angular).length() / turn + r.angular.length() / turn);
        }
        self.posing.reaction = reaction;
        if largest > 0.0 { worst / largest } else { worst }
    }

    fn advance(&self, q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]) {
        for (i, p) in self.free_bodies() {
            let pose = Pose::read(&q[7 * i..]);
            let (a, b) = (Twist::read(&before[6 * i..]), Twist::read(&after[6 * i..]));
            let position = pose.position + 0.5 * dt * (a.linear + b.linear);
            let rotation = self.update.turn(p, pose.rotation, a.angular, b.angular, dt);
            Pose { position, rotation }.write(&mut out[7 * i..]);
        }
    }

    fn finish_step(
        &mut self,
        (q, u, t): (&[f64], &[f64], f64),
        dt: f64,
        impulse: &[f64],
        stabilise: bool,
        end: &mut [f64],
        out: &mut [f64],
    ) -> Result<f64, Error> {
        if self.joints.is_empty() || !(self.is_held() || stabilise) {
            self.advance(q, u, end, dt, out);
            return Ok(0.0);
        }
        // `free` has ended the step without impulses.
        if !(self.is_held() && impulse.is_empty()) {
            self.set_push(impulse);
            self.rattle((q, u, t), dt)?;
        }
        out.copy_from_slice(&self.ends.q);
        end.copy_from_slice(&self.ends.u);
        Ok(self.ends.off)
    }

    fn stabilise(&mut self, q: &mut [f64], u: &mut [f64], t: f64) -> Result<f64, Error> {
        if self.joints.is_empty() {
            return Ok(0.0);
        }
        let off = self.close_joints(q, t)?;
        self.hold(u);
        Ok(off)
    }

    fn energy(&mut self, q: &[f64], u: &[f64], t: f64) -> Energy {
        let mut energy = Energy::default();
        if !self.forces.is_empty() {
            self.show(t, |i| (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..])));
            energy.potential = self.forces.potential(t);
        }
        for (i, p) in self.free_bodies() {
            let (pose, twist) = (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..]));
            let l = in_world(p.inertia(), pose.rotation) * twist.angular;
            energy.kinetic +=
                0.5 * (p.mass() * twist.linear.length_squared() + twist.angular.dot(l));
            energy.potential -= p.mass() * self.gravity.dot(pose.position);
        }
        energy
    }

    fn accelerations(
        &mut self,
        at: (&[f64], &[f64], f64),
        candidates: &[usize],
        out: &mut Accelerations,
    ) -> Result<(), Error> {
        self.equations(at, candidates, out)
    }

    fn is_curved(&self) -> bool {
        true
    }

    fn displace(&self, q: &[f64], xi: &[f64], out: &mut [f64]) {
        for i in 0..self.free {
            let (pose, by) = (Pose::read(&q[7 * i..]), Twist::read(&xi[6 * i..]));
            let rotation = (exponential(by.angular) * pose.rotation).normalize();
            Pose { position: pose.position + by.linear, rotation }.write(&mut out[7 * i..]);
        }
    }

    fn chart_rate(&self, xi: &[f64], u: &[f64], out: &mut [f64]) {
        for i in 0..self.free {
            let (by, twist) = (Twist::read(&xi[6 * i..]), Twist::read(&u[6 * i..]));
            let angular = turn_rate(by.angular, twist.angular);
            Twist { linear: twist.linear, angular }.write(&mut out[6 * i..]);
        }
    }

    fn turn(&self, xi: &[f64]) -> f64 {
        let turns = xi.chunks_exact(6).map(|by| DVec3::from_slice(&by[3..]).length());
        turns.fold(0.0, f64::max)
    }

    fn sizes(&self, q: &[f64], out: &mut [f64]) {
        for (out, q) in out.chunks_exact_mut(6).zip(q.chunks_exact(7)) {
            let far = q[..3].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            out.copy_from_slice(&[far, far, far, 1.0, 1.0, 1.0]);
        }
    }

    fn pool(&self, sizes: &mut [f64]) {
        for vector in sizes.chunks_exact_mut(3) {
            let largest = vector.iter().fold(0.0, |m: f64, x| m.max(*x));
            vector.fill(largest);
        }
    }
}

impl World {
    /// Shows the forces all bodies, those that are free by their number.
    fn show(&mut self, t: f64, free: impl Fn(usize) -> (Pose, Twist)) {
        self.forces.bodies.clear();
        self.forces.bodies.extend(self.roles.iter().map(|role| match role {
            Role::Free(i, _) => free(*i),
            Role::Prescribed(motion) => motion(t),
        }));
    }

    /// Gravity and forces on the free bodies at the poses and twists in store.
    pub(super) fn load(&mut self, t: f64) {
        let mut loads = std::mem::take(&mut self.loads);
        loads.clear();
        loads.extend(self.free_bodies().map(|(_, p)| (p.mass() * self.gravity, DVec3::ZERO)));
        if !self.forces.is_empty() {
            let (middle, twists) =
                (std::mem::take(&mut self.middle), std::mem::take(&mut self.twists));
            self.show(t, |i| (middle[i], twists[i]));
            (self.middle, self.twists) = (middle, twists);
            self.forces.act(t);
            for (role, load) in self.roles.iter().zip(&self.forces.loads) {
                if let Role::Free(i, _) = role {
                    loads[*i].0 += load.force;
                    loads[*i].1 += load.torque;
                }
            }
        }
        self.loads = loads;
    }

    /// The velocities at the end of a step without candidates, in `out`, become those under the forces at their mean with the
    /// velocities of the beginning, where forces follow velocities.
    fn find_mean(
        &mut self,
        (q, u, t): (&[f64], &[f64], f64),
        dt: f64,
        out: &mut [f64],
    ) -> Result<(), Error> {
        if !self.forces.follow_velocity() {
            return Ok(());
        }
        let mut end = std::mem::take(&mut self.base_end);
        let (mut change, mut last) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..PASSES {
            end.clear();
            end.extend_from_slice(out);
            change = self.correct_free(q, u, t, dt, &end, out)?;
            let stalled = change >= 0.5 * last && change < MEAN;
            let diverges = change >= last && change > DIVERGED;
            if change <= SETTLED || stalled || diverges || !change.is_finite() {
                break;
            }
            last = change;
        }
        self.base_end = end;
        let place = || format!("the change of the mean velocity that forces follow at t = {t}");
        let wanted = "below 1e-9 of its size after 100 passes; take a smaller step";
        check(place, change, change < MEAN, wanted)
    }

    /// Takes the loads at the mean of the velocities u and `end`.
    fn load_at_mean(&mut self, u: &[f64], end: &[f64], t: f64, dt: f64) {
        for (i, twist) in self.twists.iter_mut().enumerate() {
            let (a, b) = (Twist::read(&u[6 * i..]), Twist::read(&end[6 * i..]));
            *twist = Twist {
                linear: 0.5 * (a.linear + b.linear),
                angular: 0.5 * (a.angular + b.angular),
            };
        }
        self.load(t + 0.5 * dt);
    }

    /// The same, and the linear velocities that the loads lead to; returns how much these changed, as a share of the largest.
    fn follow(&mut self, u: &[f64], end: &[f64], t: f64, dt: f64) -> f64 {
        self.load_at_mean(u, end, t, dt);
        let (mut largest, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        for role in &self.roles {
            let Role::Free(i, p) = role else { continue };
            let range = 6 * i..6 * i + 3;
            let before = DVec3::from_slice(&u[range.clone()]);
            let next = before + dt / p.mass() * self.loads[*i].0;
            largest = largest.max((next - DVec3::from_slice(&self.base[range.clone()])).length());
            size = size.max(next.length() + before.length());
            next.write_to_slice(&mut self.base[range]);
        }
        largest / size
    }

    /// Poses, masses and inverse masses at a configuration.
    pub(super) fn place(&mut self, q: &[f64], t: f64) {
        self.poses.clear();
        self.masses.clear();
        self.inverse.clear();
        for role in &self.roles {
            self.poses.push(match role {
                Role::Free(i, p) => {
                    let pose = Pose::read(&q[7 * i..]);
                    self.masses.push((p.mass(), in_world(p.inertia(), pose.rotation)));
                    let inverse = in_world(p.inverse_inertia(), pose.rotation);
                    self.inverse.push((1.0 / p.mass(), inverse));
                    (pose, Twist::default())
                }
                Role::Prescribed(motion) => motion(t),
            });
        }
    }

    /// The candidates of a joint: its rows in the contact problem, its stops, its drive.
    fn detect_joint(&mut self, i: usize, out: &mut Vec<Candidate>) {
        let j = &self.joints[i];
        let identity = JOINTS + 4 * i as u64;
        if self.reaction == Reaction::InProblem {
            self.sources.push(Source::Joint(i));
            let law = Law::bilateral(j.kind.rows()).with_restitution(1.0, 1.0);
            self.laws.push(law);
            out.push(Candidate { identity, gap: None });
        }
        if j.load_friction.is_some() {
            self.sources.push(Source::LoadFriction(i));
            let law = Law::dry(0.0, friction::set(j.kind));
            self.laws.push(law);
            out.push(Candidate { identity: LOAD_FRICTIONS + i as u64, gap: None });
        }
        if j.limits.is_none() && j.drive.is_none() {
            return;
        }
        let (a, b) = (&self.poses[j.first].0, &self.poses[j.second].0);
        let (x, _) = joint::motion(j.kind, (a, &j.on_first), (b, &j.on_second));
        if let Some([low, high]) = j.limits {
            let x = j.kind.between_limits(x, [low, high]);
            for (k, sign, gap) in [(1, 1.0, x - low), (2, -1.0, high - x)] {
                self.sources.push(Source::Stop(i, sign));
                let (identity, gap) = (identity + k, Some(gap));
                self.laws.push(Law::frictionless());
                out.push(Candidate { identity, gap });
            }
        }
        if let Some((target, most)) = j.drive {
            self.sources.push(Source::Drive(i, target));
            self.laws.push(Law::dry(most, ConvexSet::Interval));
            out.push(Candidate { identity: identity + 3, gap: None });
        }
    }

    fn times_mass(&self, u: &mut [f64]) {
        for (i, (m, inertia)) in self.masses.iter().enumerate() {
            let x = Twist::read(&u[6 * i..]);
            let momentum = Twist { linear: *m * x.linear, angular: *inertia * x.angular };
            momentum.write(&mut u[6 * i..]);
        }
    }
}
