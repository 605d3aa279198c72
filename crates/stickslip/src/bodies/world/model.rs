//! How integrators see a world.

use super::place::{Posing, WorldPlace};
use super::rows::Source;
use super::{Role, World};
use crate::bodies::pose::Coordinates;
use crate::bodies::pose::{exponential, logarithm, turn_rate};
use crate::bodies::spin::in_world;
use crate::bodies::{Pose, SpinUpdate, Twist, roles};
use crate::contact::{BodyRows, ContactProblem, Delassus, Law};
use crate::error::{Error, check};
use crate::model::{
    Accelerations, Candidate, ContactPoint, FrictionLimit, Meeting, Model, Sleepers, Span,
    ThetaStep, check_sizes,
};
use crate::system::Energy;
use glam::DVec3;

impl Model for World {
    type Place = WorldPlace;

    fn kind(&self) -> &'static str {
        "rigid bodies in maximal coordinates"
    }

    fn parts(&self, place: &WorldPlace) -> usize {
        if self.is_held() { place.ends.parts } else { 1 }
    }

    fn redundancy(&self, place: &WorldPlace) -> usize {
        place.redundancy
    }

    fn free_theta(
        &self,
        place: &mut WorldPlace,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.theta_velocity(place, step, end, out)
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

    fn detect(
        &self,
        place: &mut WorldPlace,
        at: &Span<'_>,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        self.move_to(place, at.q, at.t);
        self.find_candidates(place, at)?;
        out.extend_from_slice(&place.candidates);
        Ok(())
    }

    fn place_at(
        &self,
        place: &mut WorldPlace,
        at: &Span<'_>,
        _: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        self.move_to(place, at.q, at.t);
        roles::check_motions(&self.roles, &place.bodies.poses, at.t)
    }

    fn first_half(
        &self,
        place: &mut WorldPlace,
        step: &Span<'_>,
        q: &mut [f64],
        u: &mut Vec<f64>,
    ) -> Result<(), Error> {
        if self.has_halves() {
            return self.drift_to_middle(place, step, q, u);
        }
        self.advance(step.q, step.u, step.u, 0.5 * step.dt, q);
        Ok(())
    }

    fn first_meeting(
        &self,
        place: &mut WorldPlace,
        step: &Span<'_>,
        whole: f64,
    ) -> Option<Meeting> {
        let Span { q, u, t, dt } = *step;
        self.contacts.first_meeting(&mut place.found, (t, dt, whole), |body, s| {
            match &self.roles[body] {
                Role::Free(i, p) => {
                    let (pose, twist) = (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..]));
                    let (v, w) = (twist.linear, twist.angular);
                    let rotation = self.update.turn(p, pose.rotation, w, w, s);
                    (Pose { position: pose.position + s * v, rotation }, twist)
                }
                Role::Prescribed(motion) => motion(t + s),
            }
        })
    }

    fn is_fast(&self, place: &mut WorldPlace, u: &[f64], dt: f64) -> bool {
        let twists = self
            .roles
            .iter()
            .zip(&place.bodies.poses)
            .map(|(role, (_, moved))| role.free().map_or(*moved, |i| Twist::read(&u[6 * i..])));
        self.contacts.is_fast(twists, dt)
    }

    fn law<'a>(&'a self, place: &'a WorldPlace, candidate: usize) -> &'a Law {
        let Some(of_joints) = candidate.checked_sub(self.contacts.pairs.len()) else {
            return place.contact_laws.law(&self.contacts.pairs, candidate);
        };
        match of_joints.checked_sub(place.joint_laws.len()) {
            None => &place.joint_laws[of_joints],
            Some(found) => place.found.law(&self.contacts.materials, found),
        }
    }

    fn retain_active(&self, place: &mut WorldPlace, active: &mut Vec<usize>) {
        if !place.found.patches.is_empty() {
            let start = self.contacts.pairs.len() + place.joint_laws.len();
            let WorldPlace { found, sources, .. } = place;
            found.patches.retain(start, active, |k| match sources.get(start + k)? {
                Source::Contact(contact) => Some(&contact.close),
                _ => None,
            });
        }
    }

    fn sleepers(&self) -> Option<&dyn Sleepers<WorldPlace>> {
        Some(self)
    }

    fn laws_vary(&self) -> bool {
        self.contacts.friction_varies()
    }

    fn finds_contacts(&self) -> bool {
        self.contacts.are_found()
    }

    fn contact_point(&self, place: &WorldPlace, candidate: usize) -> Option<ContactPoint> {
        match place.sources.get(candidate)? {
            Source::Contact(contact) => Some(contact.point(self.law(place, candidate).mu)),
            _ => None,
        }
    }

    fn free(&self, place: &mut WorldPlace, step: &Span<'_>, out: &mut [f64]) -> Result<(), Error> {
        let Span { q, u, t, dt } = *step;
        self.begin(place, (q, u, t), dt, None);
        if !place.middle.is_empty() {
            self.load_middle(place, t + 0.5 * dt);
            self.kick(place, step, out)?;
            place.base.clear();
            place.base.extend_from_slice(out);
            return self.find_mean(place, step, out);
        }
        // Forces at the midpoint, to keep the order of the update.
        place.loads.set((0..self.free).map(|i| {
            let (pose, twist) = (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..]));
            let position = pose.position + 0.5 * dt * twist.linear;
            let rotation = exponential(0.5 * dt * twist.angular) * pose.rotation;
            (Pose { position, rotation }, twist)
        }));
        self.load(&mut place.loads, t + 0.5 * dt);
        if self.is_held() {
            self.set_push(place, &[]);
            self.rattle(place, step)?;
            out.copy_from_slice(&place.ends.part.u);
        } else {
            self.fly_free(place, step, out)?;
        }
        place.base.clear();
        place.base.extend_from_slice(out);
        self.find_mean(place, step, out)
    }

    fn correct_free(
        &self,
        place: &mut WorldPlace,
        step: &Span<'_>,
        asked: bool,
        end: &[f64],
        free: &mut [f64],
    ) -> Result<f64, Error> {
        // Rotation answers no impulses in a step of halves, nor by the cheapest update.
        let turns = place.middle.is_empty() && self.update != SpinUpdate::SemiImplicit;
        if !self.is_held() && !(asked && (turns || self.forces.follow_velocity())) {
            return Ok(0.0);
        }
        free.copy_from_slice(end);
        self.answer(place, step, free)
    }

    fn collect(&self, place: &mut WorldPlace, active: &[usize]) {
        let WorldPlace { bodies, sources, collected, rows, .. } = &mut *place;
        rows.clear();
        collected.clear();
        for &i in active {
            collected.push(sources[i]);
            rows.push(self, bodies, sources[i]);
        }
        self.hold_rows(place);
    }

    fn relative_velocity(&self, place: &WorldPlace, u: &[f64], gamma: &mut Vec<f64>) {
        place.rows.velocities(u, gamma);
    }

    fn relative_velocity_ahead(
        &self,
        place: &mut WorldPlace,
        step: &Span<'_>,
        end: &[f64],
        there: &mut [f64],
        gamma: &mut Vec<f64>,
    ) {
        let mut after = std::mem::take(&mut place.mean);
        after.clear();
        after.extend_from_slice(end);
        gamma.clear();
        if place.middle.is_empty() {
            self.advance(step.q, step.u, end, step.dt, there);
        } else if self.drift((&place.middle, end), step.dt, there, &mut after).is_none() {
            // The step itself will refuse.
            place.mean = after;
            return;
        }
        let (q, u, t) = (&*there, &*after, step.t + step.dt);
        gamma.extend_from_slice(&place.rows.drive);
        for (source, link) in place.collected.iter().zip(&place.rows.links) {
            let Source::Contact(contact) = source else {
                place.rows.add_velocities(link, u, gamma);
                continue;
            };
            let out = &mut gamma[link.start..link.start + link.rows];
            self.contact_velocity_at((q, t, u), (contact, &place.found.list), out);
        }
        place.mean = after;
    }

    fn drive<'a>(&self, place: &'a WorldPlace) -> &'a [f64] {
        &place.rows.drive
    }

    fn pose(
        &self,
        place: &mut WorldPlace,
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error> {
        if self.is_held() {
            return Ok(problem.refill(bias, laws, |w| {
                let rows = place.rows.values.len();
                self.dense_delassus(place, w.dense_mut(rows));
                Ok(())
            })?);
        }
        if laws.len() > BodyRows::FEW {
            let fill = |w: &mut Delassus| self.fill_bodies(place, w.bodies_mut());
            return Ok(problem.refill(bias, laws, fill)?);
        }
        self.list_blocks(&place.rows, laws, &mut place.posing);
        let Posing { sizes, list, .. } = &mut place.posing;
        Ok(problem.refill(bias, laws, |w| w.sparse_mut().refill_one_triangle(sizes, list))?)
    }

    fn friction_limits(
        &self,
        place: &mut WorldPlace,
        impulse: &[f64],
        end: &[f64],
        limits: &mut Vec<Option<FrictionLimit>>,
    ) {
        self.load_limits(place, impulse, end, limits);
    }

    fn apply(&self, place: &WorldPlace, impulse: &[f64], u: &mut [f64]) {
        if !self.is_held() {
            return place.rows.add_response(impulse, u);
        }
        for (row, lam) in place.held.chunks_exact(u.len()).zip(impulse) {
            u.iter_mut().zip(row).for_each(|(u, r)| *u += lam * r);
        }
    }

    fn momentum_error(
        &self,
        place: &mut WorldPlace,
        free: &[f64],
        after: &[f64],
        impulse: &[f64],
    ) -> f64 {
        let WorldPlace { bodies, rows, held, posing: Posing { reaction, .. }, .. } = place;
        reaction.clear();
        reaction.resize(free.len(), 0.0);
        if self.is_held() {
            // What the joints add is M times the change that they make.
            for (row, lam) in held.chunks_exact(free.len()).zip(impulse) {
                reaction.iter_mut().zip(row).for_each(|(t, r)| *t += lam * r);
            }
            bodies.times_mass(reaction);
        } else {
            rows.add_forces(impulse, reaction);
        }
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for (i, (m, inertia)) in bodies.masses.iter().enumerate() {
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

    fn finish_theta(
        &self,
        step: &ThetaStep<'_>,
        end: &mut [f64],
        _mean: &mut Vec<f64>,
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.displace_theta(step, end, out)
    }

    fn finish_step(
        &self,
        place: &mut WorldPlace,
        step: &Span<'_>,
        impulse: &[f64],
        stabilise: bool,
        end: &mut [f64],
        out: &mut [f64],
    ) -> Result<f64, Error> {
        if !place.middle.is_empty() {
            place.mean.clear();
            place.mean.extend_from_slice(end);
            let middle = (&*place.middle, &*place.mean);
            return match self.drift(middle, step.dt, out, end) {
                Some(()) => Ok(0.0),
                None => Err(Error::Turn { t: step.t }),
            };
        }
        if self.joints.is_empty() || !(self.is_held() || stabilise) {
            self.advance(step.q, step.u, end, step.dt, out);
            return Ok(0.0);
        }
        // `free` has ended the step without impulses.
        if !(self.is_held() && impulse.is_empty()) {
            self.set_push(place, impulse);
            self.rattle(place, step)?;
        }
        out.copy_from_slice(&place.ends.part.q);
        end.copy_from_slice(&place.ends.part.u);
        Ok(place.ends.off)
    }

    fn stabilise(
        &self,
        place: &mut WorldPlace,
        q: &mut [f64],
        u: &mut [f64],
        t: f64,
    ) -> Result<f64, Error> {
        if self.joints.is_empty() {
            return Ok(0.0);
        }
        let off = self.close_joints(place, q, t)?;
        place.reactions.hold(u);
        Ok(off)
    }

    fn energy(&self, q: &[f64], u: &[f64], t: f64) -> Energy {
        let free = |i: usize| (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..]));
        let mut energy = Energy::default();
        if !self.forces.is_empty() {
            let bodies: Vec<_> = self.show(t, free).collect();
            energy.potential = self.forces.potential(&bodies, t);
        }
        for (i, p) in self.free_bodies() {
            let (pose, twist) = free(i);
            let l = in_world(p.inertia(), pose.rotation) * twist.angular;
            energy.kinetic +=
                0.5 * (p.mass() * twist.linear.length_squared() + twist.angular.dot(l));
            energy.potential -= p.mass() * self.gravity.dot(pose.position);
        }
        energy
    }

    fn power(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        self.force_power(q, u, t)
    }

    fn accelerations(
        &self,
        place: &mut WorldPlace,
        at: (&[f64], &[f64], f64),
        candidates: &[usize],
        out: &mut Accelerations,
    ) -> Result<(), Error> {
        self.equations(place, at, candidates, out)
    }

    fn displace(&self, q: &[f64], xi: &[f64], out: &mut [f64]) {
        for i in 0..self.free {
            let (pose, by) = (Pose::read(&q[7 * i..]), Twist::read(&xi[6 * i..]));
            let rotation = (exponential(by.angular) * pose.rotation).normalize();
            Pose { position: pose.position + by.linear, rotation }.write(&mut out[7 * i..]);
        }
    }

    fn local(&self, q: &[f64], there: &[f64], out: &mut [f64]) {
        for i in 0..self.free {
            let [from, to] = [q, there].map(|q| Pose::read(&q[7 * i..]));
            let angular = logarithm(to.rotation * from.rotation.conjugate());
            Twist { linear: to.position - from.position, angular }.write(&mut out[6 * i..]);
        }
    }

    fn chart_rate(&self, xi: &[f64], u: &[f64], out: &mut [f64]) -> bool {
        for i in 0..self.free {
            let (by, twist) = (Twist::read(&xi[6 * i..]), Twist::read(&u[6 * i..]));
            let angular = turn_rate(by.angular, twist.angular);
            Twist { linear: twist.linear, angular }.write(&mut out[6 * i..]);
        }
        true
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
    /// The velocities of free bodies at the end of a step, under the loads in store.
    fn fly_free(&self, place: &WorldPlace, step: &Span<'_>, out: &mut [f64]) -> Result<(), Error> {
        let Span { q, t, dt, .. } = *step;
        for (i, p) in self.free_bodies() {
            let ((force, torque), twist) = (place.loads.sums[i], place.loads.twists[i]);
            let rotation = Pose::read(&q[7 * i..]).rotation;
            let linear = twist.linear + dt / p.mass() * force;
            let Some(angular) = self.update.free(p, rotation, twist.angular, torque, dt) else {
                return Err(Error::Turn { t });
            };
            if !(linear.is_finite() && angular.is_finite()) {
                return Err(Error::NotFinite { what: "a force", t });
            }
            Twist { linear, angular }.write(&mut out[6 * i..]);
        }
        Ok(())
    }

    /// From the velocity at the end, in `free`, to the one that the impulses which led there have to be added to: what forces at the
    /// mean velocity, rotation and joints answer. Returns the largest change, as a share of the velocities.
    pub(super) fn answer(
        &self,
        place: &mut WorldPlace,
        step: &Span<'_>,
        free: &mut [f64],
    ) -> Result<f64, Error> {
        let Span { q, u, t, dt } = *step;
        if !place.middle.is_empty() {
            return self.follow_in_middle(place, step, free);
        }
        if self.is_held() {
            if self.forces.follow_velocity() {
                self.load_at_mean(&mut place.loads, step, free);
            }
            return self.settle_held(place, step, free);
        }
        let (mut largest, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        let explicit = self.update == SpinUpdate::SemiImplicit;
        let pushed =
            if self.forces.follow_velocity() { self.follow(place, step, free) } else { 0.0 };
        let WorldPlace { bodies, loads, base: bases, .. } = place;
        for (i, p) in self.free_bodies() {
            let range = 6 * i + 3..6 * i + 6;
            let read = |x: &[f64]| DVec3::from_slice(&x[range.clone()]);
            let base = read(bases);
            let change = if explicit { DVec3::ZERO } else { read(free) - base };
            let torque = loads.sums[i].1 + bodies.masses[i].1 * change / dt;
            let rotation = Pose::read(&q[7 * i..]).rotation;
            let Some(after) = self.update.free(p, rotation, read(u), torque, dt) else {
                return Err(Error::Turn { t });
            };
            let next = after - change;
            largest = largest.max((next - base).length());
            size = size.max(after.length() + read(u).length());
            next.write_to_slice(&mut bases[range]);
        }
        free.copy_from_slice(bases);
        Ok((largest / size).max(pushed))
    }
}
