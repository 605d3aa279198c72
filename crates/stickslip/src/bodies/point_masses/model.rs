//! How integrators see bodies of point masses.

use super::DistanceStep;
use super::block::{Posing, Source, dot, power};
use super::place::{Bodies, PointMassPlace};
use super::tetrahedron::{Bars, Quad, centre, largest, unit_momentum};
use super::world::{MOST_COMPONENTS, OFF, PointMassWorld, Role, read, write};
use crate::bodies::tolerance::{DIVERGED, FORCE_PASSES, MEAN, SETTLED};
use crate::bodies::{Joint, Pose, Twist, joint};
use crate::contact::{ContactProblem, Law};
use crate::error::{Error, check};
use crate::model::{
    Accelerations, Candidate, ContactPoint, Meeting, Model, Span, ThetaStep, check_sizes,
};
use crate::system::Energy;
use complementarity::Matrix;
use glam::DVec3;
use stickslip_collision::Contact;

/// Most passes in which bars answer the reactions of joints.
const PASSES: usize = 20;

impl Model for PointMassWorld {
    type Place = PointMassPlace;

    fn kind(&self) -> &'static str {
        "bodies of point masses"
    }

    fn redundancy(&self, place: &PointMassPlace) -> usize {
        place.reactions.redundancy()
    }

    fn free_theta(
        &self,
        place: &mut PointMassPlace,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.theta_velocity(place, step, end, out)
    }

    fn coordinates(&self) -> usize {
        12 * self.bodies.len()
    }

    fn velocities(&self) -> usize {
        12 * self.bodies.len()
    }

    fn validate(&self, q: &[f64], u: &[f64]) -> Result<(), Error> {
        check_sizes(self, q, u)?;
        for (i, body) in self.bodies.iter().enumerate() {
            let x = read(&q[12 * i..]);
            let off = largest(&body.excess(&x)) / body.longest();
            let place = || format!("the distances of the masses of body {}, less theirs", i + 1);
            check(place, off, off < OFF, "0; make states with PointMassWorld::state")?;
            let side = super::tetrahedron::corner_map(&x).determinant();
            let place = || format!("the volume of the masses of body {}", i + 1);
            check(place, side, side > 0.0, "> 0: the masses are mirrored")?;
        }
        Ok(())
    }

    fn detect(
        &self,
        place: &mut PointMassPlace,
        at: &Span<'_>,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        self.locate(at.q, at.t, &mut place.bodies)?;
        self.find_candidates(place, at, out)?;
        if self.is_held() {
            place.reactions.refresh(self, &place.bodies, 0..self.joints.len());
        }
        Ok(())
    }

    fn first_meeting(
        &self,
        place: &mut PointMassPlace,
        step: &Span<'_>,
        whole: f64,
    ) -> Option<Meeting> {
        let Span { q, u, t, dt } = *step;
        self.contacts.first_meeting(&mut place.found, (t, dt, whole), |number, s| {
            let i = match &self.roles[number] {
                Role::Free(i, ()) => *i,
                Role::Prescribed(motion) => return motion(t + s),
            };
            let (body, x, v) = (&self.bodies[i], read(&q[12 * i..]), read(&u[12 * i..]));
            let there = if s > 0.0 { self.step.advance(body, &x, &v, &v, s) } else { x };
            (body.pose(&there), body.twist(&there, &v))
        })
    }

    fn is_fast(&self, place: &mut PointMassPlace, u: &[f64], dt: f64) -> bool {
        let Bodies { poses, masses, .. } = &place.bodies;
        let twists = self.roles.iter().zip(poses).map(|(role, (_, moved))| match role.free() {
            Some(i) => self.bodies[i].twist(&masses[i], &read(&u[12 * i..])),
            None => *moved,
        });
        self.contacts.is_fast(twists, dt)
    }

    fn law<'a>(&'a self, place: &'a PointMassPlace, candidate: usize) -> &'a Law {
        let Some(of_joints) = candidate.checked_sub(self.contacts.pairs.len()) else {
            return place.contact_laws.law(&self.contacts.pairs, candidate);
        };
        match of_joints.checked_sub(place.joint_laws.len()) {
            None => &place.joint_laws[of_joints],
            Some(found) => self.contacts.found_law(&place.found.list[found]),
        }
    }

    fn laws_vary(&self) -> bool {
        self.contacts.friction_varies()
    }

    fn finds_contacts(&self) -> bool {
        self.contacts.are_found()
    }

    fn contact_point(&self, place: &PointMassPlace, candidate: usize) -> Option<ContactPoint> {
        match place.sources.get(candidate)? {
            Source::Contact(contact) => Some(contact.point(self.law(place, candidate).mu)),
            _ => None,
        }
    }

    fn free(
        &self,
        place: &mut PointMassPlace,
        step: &Span<'_>,
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.load_middle(&mut place.loads, step, step.u);
        for (i, load) in place.loads.sums.iter().enumerate() {
            let end = self.one_body(i, step, *load)?;
            write(&end, &mut out[12 * i..12 * i + 12]);
        }
        place.base.clear();
        place.base.extend_from_slice(out);
        if self.is_held() {
            place.reactions.hold(Some((step.u, 1.0)), out);
        }
        self.find_mean(place, step, out)
    }

    /// The impulses are given to the bodies as forces over the step, so that the bars answer them too; forces that follow
    /// velocities are those of the mean velocity with the impulses.
    fn correct_free(
        &self,
        place: &mut PointMassPlace,
        step: &Span<'_>,
        asked: bool,
        end: &[f64],
        free: &mut [f64],
    ) -> Result<f64, Error> {
        let deaf = self.step == DistanceStep::AsPrinted && !self.forces.follow_velocity();
        if deaf || !asked {
            return Ok(0.0);
        }
        free.copy_from_slice(end);
        self.answer(place, step, free)
    }

    fn collect(&self, place: &mut PointMassPlace, active: &[usize]) {
        place.collected.clear();
        place.active.clear();
        for &i in active {
            place.active.push(place.sources[i]);
            place.collected.push(self, &place.bodies, place.sources[i]);
        }
        self.hold_rows(place);
    }

    fn relative_velocity(&self, place: &PointMassPlace, u: &[f64], gamma: &mut Vec<f64>) {
        place.collected.velocities(u, gamma);
    }

    /// Rows that take the velocities of the masses where they are then follow a point of the body by themselves; what is left is
    /// what the motion of the contact over the body and the turn of its frame add, and that masses that turn about a place
    /// half a step away seem to turn more slowly.
    fn relative_velocity_ahead(
        &self,
        place: &mut PointMassPlace,
        step: &Span<'_>,
        end: &[f64],
        there: &mut [f64],
        gamma: &mut Vec<f64>,
    ) {
        self.advance(step.q, step.u, end, step.dt, there);
        let (q, u, t) = (&*there, end, step.t + step.dt);
        let PointMassPlace { bodies, active, collected, found, .. } = &*place;
        collected.velocities(u, gamma);
        for (source, link) in active.iter().zip(&collected.links) {
            let Some(pair) = self.bodies_of(*source) else { continue };
            let motions = pair.map(|body| self.motion_at(bodies, body, (q, t, u)));
            let mut there = [0.0; MOST_COMPONENTS];
            self.velocity_at((*source, &found.list), &motions, &mut there);
            for r in link.start..link.end {
                let mut stays = collected.drive[r];
                for (k, free) in link.bodies.iter().enumerate() {
                    let Some(free) = free else { continue };
                    let (_, v) = self.bodies[*free].masses(&motions[k].0, &motions[k].1);
                    stays += dot(&collected.values[r][k], &v);
                }
                gamma[r] += there[r - link.start] - stays;
            }
        }
    }

    fn drive<'a>(&self, place: &'a PointMassPlace) -> &'a [f64] {
        &place.collected.drive
    }

    fn pose(
        &self,
        place: &mut PointMassPlace,
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error> {
        if self.is_held() {
            return Ok(problem.refill(bias, laws, |w| {
                let rows = place.collected.values.len();
                self.dense_delassus(place, w.dense_mut(rows));
                Ok(())
            })?);
        }
        place.collected.list_blocks(self.bodies.len(), laws, &mut place.posing);
        let Posing { sizes, list, .. } = &mut place.posing;
        Ok(problem.refill(bias, laws, |w| w.sparse_mut().refill_one_triangle(sizes, list))?)
    }

    fn apply(&self, place: &PointMassPlace, impulse: &[f64], u: &mut [f64]) {
        if !self.is_held() {
            return place.collected.add_response(impulse, u);
        }
        add_held(&place.held, impulse, u);
    }

    fn momentum_error(
        &self,
        place: &mut PointMassPlace,
        free: &[f64],
        after: &[f64],
        impulse: &[f64],
    ) -> f64 {
        let PointMassPlace { bodies, collected, held, posing: Posing { reaction, .. }, .. } = place;
        reaction.clear();
        reaction.resize(free.len(), 0.0);
        if self.is_held() {
            // What the joints add is M times the change that they make.
            add_held(held, impulse, reaction);
            for (body, r) in self.bodies.iter().zip(reaction.chunks_exact_mut(12)) {
                r.iter_mut().for_each(|r| *r *= 0.25 * body.properties().mass());
            }
        } else {
            collected.add_forces(impulse, reaction);
        }
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for (i, body) in self.bodies.iter().enumerate() {
            let (a, b) = (read(&after[12 * i..]), read(&free[12 * i..]));
            let r = read(&reaction[12 * i..]);
            let (q, mass) = (&bodies.masses[i], body.properties().mass());
            let inertia = body.properties().inertia();
            let turn = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z).sqrt();
            // The bars have neither force nor moment: what is left is that of a rigid body.
            let change: Quad = std::array::from_fn(|k| 0.25 * mass * (a[k] - b[k]) - r[k]);
            let (push, twist) = (4.0 * centre(&change), unit_momentum(q, &change));
            worst = worst.max(push.length() / mass.sqrt()).max(twist.length() / turn);
            let momentum = a.map(|v| 0.25 * mass * v);
            for p in [&momentum, &r] {
                let size = (4.0 * centre(p)).length() / mass.sqrt();
                largest = largest.max(size).max(unit_momentum(q, p).length() / turn);
            }
        }
        if largest > 0.0 { worst / largest } else { worst }
    }

    fn advance(&self, q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]) {
        for (i, body) in self.bodies.iter().enumerate() {
            let at = 12 * i..12 * i + 12;
            let (x, a, b) =
                (read(&q[at.clone()]), read(&before[at.clone()]), read(&after[at.clone()]));
            write(&self.step.advance(body, &x, &a, &b, dt), &mut out[at]);
        }
    }

    fn stabilise(
        &self,
        place: &mut PointMassPlace,
        q: &mut [f64],
        u: &mut [f64],
        t: f64,
    ) -> Result<f64, Error> {
        let mut drift = 0.0_f64;
        let lost = || Error::NotFinite { what: "the distances of point masses, put back,", t };
        for (i, body) in self.bodies.iter().enumerate() {
            let at = 12 * i..12 * i + 12;
            let mut x = read(&q[at.clone()]);
            drift = drift.max(largest(&body.excess(&x)));
            body.restore(&mut x).ok_or_else(lost)?;
            write(&x, &mut q[at]);
        }
        if !self.joints.is_empty() {
            drift = drift.max(self.close_joints(place, q, t)?);
        }
        for i in 0..self.bodies.len() {
            let at = 12 * i..12 * i + 12;
            let mut v = read(&u[at.clone()]);
            Bars::new(&read(&q[at.clone()])).ok_or_else(lost)?.hold(&mut v, [0.0; 6]);
            write(&v, &mut u[at]);
        }
        if !self.joints.is_empty() {
            place.reactions.hold(None, u);
        }
        Ok(drift)
    }

    fn energy(&self, q: &[f64], u: &[f64], t: f64) -> Energy {
        let mut energy = Energy { potential: self.potential(q, u, t), ..Energy::default() };
        for (i, body) in self.bodies.iter().enumerate() {
            let (x, v) = (read(&q[12 * i..]), read(&u[12 * i..]));
            let mass = body.properties().mass();
            energy.kinetic += 0.125 * mass * v.iter().map(|v| v.length_squared()).sum::<f64>();
            energy.potential -= mass * self.gravity.dot(centre(&x));
        }
        energy
    }

    fn power(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        self.force_power(q, u, t)
    }

    fn gaps(
        &self,
        place: &mut PointMassPlace,
        q: &[f64],
        t: f64,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        self.locate(q, t, &mut place.bodies)?;
        self.find_candidates(place, &Span { q, u: &[], t, dt: 0.0 }, out)
    }

    fn accelerations(
        &self,
        place: &mut PointMassPlace,
        at: (&[f64], &[f64], f64),
        candidates: &[usize],
        out: &mut Accelerations,
    ) -> Result<(), Error> {
        self.equations(place, at, candidates, out)
    }

    fn displace(&self, q: &[f64], xi: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(q.iter().zip(xi)).for_each(|(out, (q, xi))| *out = q + xi);
    }

    /// Bars tie the masses of a body to each other, and their rounding with them.
    fn sizes(&self, q: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(q).for_each(|(s, q)| *s = q.abs());
        self.pool(out);
    }

    fn pool(&self, sizes: &mut [f64]) {
        for body in sizes.chunks_exact_mut(12) {
            let largest = body.iter().fold(0.0, |m: f64, x| m.max(*x));
            body.fill(largest);
        }
    }
}

impl PointMassWorld {
    /// The velocities at the end of a step without candidates, in `out`, become those that the bars' answer to the reactions of
    /// joints and the forces at their mean with the velocities of the beginning lead to.
    fn find_mean(
        &self,
        place: &mut PointMassPlace,
        step: &Span<'_>,
        out: &mut [f64],
    ) -> Result<(), Error> {
        let follows = self.forces.follow_velocity();
        let answers = self.is_held() && self.step != DistanceStep::AsPrinted;
        if !(answers || follows) {
            return Ok(());
        }
        let (mut change, mut last) = (0.0, f64::INFINITY);
        for _ in 0..if follows { FORCE_PASSES } else { PASSES } {
            change = self.answer(place, step, out)?;
            let stalled = change >= 0.5 * last && (!follows || change < MEAN);
            let diverges = follows && change >= last && change > DIVERGED;
            if change <= SETTLED || stalled || diverges || !change.is_finite() {
                break;
            }
            last = change;
        }
        let t = step.t;
        let what = || format!("the change of the mean velocity that forces follow at t = {t}");
        let wanted = "below 1e-9 of its size after 100 passes; take a smaller step";
        check(what, change, !follows || change < MEAN, wanted)
    }

    /// From the velocity at the end, in `free`, to the one that the impulses which led there have to be added to. Returns the largest
    /// change, as a share of the velocities.
    fn answer(
        &self,
        place: &mut PointMassPlace,
        step: &Span<'_>,
        free: &mut [f64],
    ) -> Result<f64, Error> {
        let PointMassPlace { bodies, loads, base: bases, reactions, .. } = place;
        if self.forces.follow_velocity() {
            self.load_middle(loads, step, free);
        }
        let printed = self.step == DistanceStep::AsPrinted;
        let (mut worst, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        for i in 0..self.bodies.len() {
            let at = 12 * i..12 * i + 12;
            let (base, end) = (read(&bases[at.clone()]), read(&free[at.clone()]));
            // Bars as printed do not answer impulses.
            let change: Quad =
                std::array::from_fn(|k| if printed { DVec3::ZERO } else { end[k] - base[k] });
            let mass = self.bodies[i].properties().mass();
            let (force, torque) = loads.sums[i];
            let push = mass * centre(&change) / step.dt;
            let twist = 0.25 * mass * unit_momentum(&bodies.masses[i], &change) / step.dt;
            let after = self.one_body(i, step, (force + push, torque + twist))?;
            let next: Quad = std::array::from_fn(|k| after[k] - change[k]);
            for k in 0..4 {
                worst = worst.max((next[k] - base[k]).length());
                size = size.max(after[k].length());
            }
            write(&next, &mut bases[at]);
        }
        free.copy_from_slice(bases);
        if self.is_held() {
            reactions.hold(Some((step.u, 1.0)), free);
        }
        Ok(worst / size)
    }

    /// The velocities of a body at the end of a step under a load, by its own bars alone.
    fn one_body(&self, i: usize, step: &Span<'_>, load: (DVec3, DVec3)) -> Result<Quad, Error> {
        let (x, v) = (read(&step.q[12 * i..]), read(&step.u[12 * i..]));
        let end = self.step.free(&self.bodies[i], &x, &v, load, step.dt);
        let what = "the velocity of a body of point masses after one step";
        end.filter(|v| v.iter().all(|x| x.is_finite())).ok_or(Error::NotFinite { what, t: step.t })
    }

    /// The bodies of a contact, stop or drive.
    fn bodies_of(&self, source: Source) -> Option<[usize; 2]> {
        match source {
            Source::Contact(contact) => Some(contact.bodies),
            Source::Stop(i, _) | Source::Drive(i, _) => Some(self.joints[i].bodies),
            // Joints ask for the mean velocity, in which this cancels.
            Source::Joint(_) => None,
        }
    }

    /// A body at q with the velocities that its masses have where they were seen last.
    fn motion_at(
        &self,
        seen: &Bodies,
        body: usize,
        (q, t, u): (&[f64], f64, &[f64]),
    ) -> (Pose, Twist) {
        match &self.roles[body] {
            Role::Free(i, ()) => {
                let (x, v) = (read(&q[12 * i..]), read(&u[12 * i..]));
                (self.bodies[*i].pose(&x), self.bodies[*i].twist(&seen.masses[*i], &v))
            }
            Role::Prescribed(motion) => motion(t),
        }
    }

    /// The relative velocity of a contact, stop or drive between bodies that move so.
    fn velocity_at(
        &self,
        (source, found): (Source, &[Contact]),
        motions: &[(Pose, Twist); 2],
        out: &mut [f64],
    ) {
        let [first, second] = *motions;
        let coordinate = |i: usize| {
            let Joint { kind, on_first, on_second } = &self.joints[i].joint;
            let rows = joint::motion(*kind, (&first.0, on_first), (&second.0, on_second)).1;
            rows.iter().zip(motions).map(|(row, (_, twist))| power(row, twist)).sum::<f64>()
        };
        match source {
            Source::Contact(contact) => {
                contact.velocity_at((&self.contacts, found), first, second, out)
            }
            Source::Stop(i, sign) => out[0] = sign * coordinate(i),
            Source::Drive(i, target) => out[0] = coordinate(i) - target,
            Source::Joint(_) => {}
        }
    }

    fn dense_delassus(&self, place: &mut PointMassPlace, w: &mut Matrix) {
        let PointMassPlace { collected: rows, held, posing: Posing { gamma, .. }, .. } = place;
        let (n, f) = (rows.values.len(), 12 * self.bodies.len());
        for (c, row) in held.chunks_exact(f.max(1)).enumerate().take(n) {
            rows.velocities(row, gamma);
            for r in 0..n {
                w.row_mut(r)[c] = gamma[r] - rows.drive[r];
            }
        }
        // Symmetric but for rounding.
        for i in 0..n {
            for j in 0..i {
                let mean = 0.5 * (w.row(i)[j] + w.row(j)[i]);
                w.row_mut(i)[j] = mean;
                w.row_mut(j)[i] = mean;
            }
        }
    }
}

/// u += M⁻¹ H Λ by rows with the reactions of joints.
fn add_held(held: &[f64], impulse: &[f64], u: &mut [f64]) {
    for (row, lam) in held.chunks_exact(u.len().max(1)).zip(impulse) {
        u.iter_mut().zip(row).for_each(|(u, r)| *u += lam * r);
    }
}
