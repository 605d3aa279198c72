//! How integrators see bodies of point masses.

use super::DistanceStep;
use super::block::{Posing, Source, dot, power};
use super::tetrahedron::{Bars, Quad, centre, largest, unit_momentum};
use super::world::{MOST_COMPONENTS, OFF, PointMassWorld, Role, read, write};
use crate::bodies::{Joint, Pose, Twist, joint, roles};
use crate::contact::{ContactProblem, Law};
use crate::error::{Error, check};
use crate::model::{Candidate, Model, ThetaStep, check_sizes};
use crate::system::Energy;
use complementarity::Matrix;
use glam::DVec3;

/// Most passes in which bars answer the reactions of joints, and the change below which no more are made.
const PASSES: usize = 20;
const SETTLED: f64 = 4.0 * f64::EPSILON;
/// Most passes for the mean velocity that forces follow, and the change below which it is found where rounding has its say.
const FORCE_PASSES: usize = 100;
const MEAN: f64 = 1e-9;
/// Changes that are larger than this and do not fall will not.
const DIVERGED: f64 = 0.5;

impl Model for PointMassWorld {
    fn kind(&self) -> &'static str {
        "bodies of point masses"
    }

    fn has_theta(&self) -> bool {
        true
    }

    fn redundancy(&self) -> usize {
        self.reactions.redundancy()
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

    fn detect(&mut self, q: &[f64], t: f64, out: &mut Vec<Candidate>) -> Result<(), Error> {
        self.place(q, t)?;
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
        (0..self.joints.len()).for_each(|i| self.detect_joint(i, out));
        if self.is_held() {
            self.refresh_reactions();
        }
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
        self.load((q, u), t + 0.5 * dt, 0.5 * dt, u);
        for (i, load) in self.loads.iter().enumerate() {
            let end = self.one_body(i, (q, u, t), *load, dt)?;
            write(&end, &mut out[12 * i..12 * i + 12]);
        }
        self.base.clear();
        self.base.extend_from_slice(out);
        if self.is_held() {
            self.reactions.hold(Some((u, 1.0)), out);
        }
        self.find_mean((q, u, t), dt, out)
    }

    /// The impulses are given to the bodies as forces over the step, so that the bars answer them too; forces that follow
    /// velocities are those of the mean velocity with the impulses.
    fn correct_free(
        &mut self,
        q: &[f64],
        u: &[f64],
        t: f64,
        dt: f64,
        end: &[f64],
        free: &mut [f64],
    ) -> Result<f64, Error> {
        let (printed, follows) =
            (self.step == DistanceStep::AsPrinted, self.forces.follow_velocity());
        if printed && !follows {
            return Ok(0.0);
        }
        if follows {
            self.load((q, u), t + 0.5 * dt, 0.5 * dt, end);
        }
        let (mut worst, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        for i in 0..self.bodies.len() {
            let at = 12 * i..12 * i + 12;
            let (base, end) = (read(&self.base[at.clone()]), read(&end[at.clone()]));
            // Bars as printed do not answer impulses.
            let change: Quad =
                std::array::from_fn(|k| if printed { DVec3::ZERO } else { end[k] - base[k] });
            let mass = self.bodies[i].properties().mass();
            let (force, torque) = self.loads[i];
            let push = mass * centre(&change) / dt;
            let twist = 0.25 * mass * unit_momentum(&self.masses[i], &change) / dt;
            let after = self.one_body(i, (q, u, t), (force + push, torque + twist), dt)?;
            let next: Quad = std::array::from_fn(|k| after[k] - change[k]);
            for k in 0..4 {
                worst = worst.max((next[k] - base[k]).length());
                size = size.max(after[k].length());
            }
            write(&next, &mut self.base[at]);
        }
        free.copy_from_slice(&self.base);
        if self.is_held() {
            self.reactions.hold(Some((u, 1.0)), free);
        }
        Ok(worst / size)
    }

    fn collect(&mut self, active: &[usize]) {
        let mut rows = std::mem::take(&mut self.collected);
        rows.clear();
        self.active.clear();
        for &i in active {
            self.active.push(self.sources[i]);
            rows.push(self, self.sources[i]);
        }
        self.collected = rows;
        self.hold_rows();
    }

    fn relative_velocity(&self, u: &[f64], gamma: &mut Vec<f64>) {
        self.collected.velocities(u, gamma);
    }

    /// Rows that take the velocities of the masses where they are then follow a point of the body by themselves; what is left is
    /// what the motion of the contact over the body and the turn of its frame add, and that masses that turn about a place
    /// half a step away seem to turn more slowly.
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
        self.collected.velocities(u, gamma);
        for (source, link) in self.active.iter().zip(&self.collected.links) {
            let Some(bodies) = self.bodies_of(*source) else { continue };
            let motions = bodies.map(|body| self.motion_at(body, (q, t, u)));
            let mut there = [0.0; MOST_COMPONENTS];
            self.velocity_at(*source, &motions, &mut there);
            for r in link.start..link.end {
                let mut stays = self.collected.drive[r];
                for (k, free) in link.bodies.iter().enumerate() {
                    let Some(free) = free else { continue };
                    let (_, v) = self.bodies[*free].masses(&motions[k].0, &motions[k].1);
                    stays += dot(&self.collected.values[r][k], &v);
                }
                gamma[r] += there[r - link.start] - stays;
            }
        }
    }

    fn drive(&self) -> &[f64] {
        &self.collected.drive
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
                let w = w.dense_mut(self.collected.values.len());
                self.dense_delassus(&mut posing.gamma, w);
                Ok(())
            })
        } else {
            self.collected.list_blocks(self.bodies.len(), laws, &mut posing);
            let Posing { sizes, list, .. } = &mut posing;
            problem.refill(bias, laws, |w| w.sparse_mut().refill_one_triangle(sizes, list))
        };
        self.posing = posing;
        Ok(result?)
    }

    fn apply(&self, impulse: &[f64], u: &mut [f64]) {
        if !self.is_held() {
            return self.collected.add_response(impulse, u);
        }
        for (row, lam) in self.held.chunks_exact(u.len().max(1)).zip(impulse) {
            u.iter_mut().zip(row).for_each(|(u, r)| *u += lam * r);
        }
    }

    fn momentum_error(&mut self, free: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        let mut reaction = std::mem::take(&mut self.posing.reaction);
        reaction.clear();
        reaction.resize(free.len(), 0.0);
        if self.is_held() {
            // What the joints add is M times the change that they make.
            self.apply(impulse, &mut reaction);
            for (body, r) in self.bodies.iter().zip(reaction.chunks_exact_mut(12)) {
                r.iter_mut().for_each(|r| *r *= 0.25 * body.properties().mass());
            }
        } else {
            self.collected.add_forces(impulse, &mut reaction);
        }
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for (i, body) in self.bodies.iter().enumerate() {
            let (a, b) = (read(&after[12 * i..]), read(&free[12 * i..]));
            let r = read(&reaction[12 * i..]);
            let (q, mass) = (&self.masses[i], body.properties().mass());
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
        self.posing.reaction = reaction;
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

    fn stabilise(&mut self, q: &mut [f64], u: &mut [f64], t: f64) -> Result<f64, Error> {
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
            drift = drift.max(self.close_joints(q, t)?);
        }
        for i in 0..self.bodies.len() {
            let at = 12 * i..12 * i + 12;
            let mut v = read(&u[at.clone()]);
            Bars::new(&read(&q[at.clone()])).ok_or_else(lost)?.hold(&mut v, [0.0; 6]);
            write(&v, &mut u[at]);
        }
        if !self.joints.is_empty() {
            self.reactions.hold(None, u);
        }
        Ok(drift)
    }

    fn energy(&mut self, q: &[f64], u: &[f64], t: f64) -> Energy {
        let mut energy = Energy { potential: self.potential(q, u, t), ..Energy::default() };
        for (i, body) in self.bodies.iter().enumerate() {
            let (x, v) = (read(&q[12 * i..]), read(&u[12 * i..]));
            let mass = body.properties().mass();
            energy.kinetic += 0.125 * mass * v.iter().map(|v| v.length_squared()).sum::<f64>();
            energy.potential -= mass * self.gravity.dot(centre(&x));
        }
        energy
    }
}

impl PointMassWorld {
    /// The velocities at the end of a step without candidates, in `out`, become those that the bars' answer to the reactions of
    /// joints and the forces at their mean with the velocities of the beginning lead to.
    fn find_mean(
        &mut self,
        (q, u, t): (&[f64], &[f64], f64),
        dt: f64,
        out: &mut [f64],
    ) -> Result<(), Error> {
        let follows = self.forces.follow_velocity();
        if !(self.is_held() || follows) {
            return Ok(());
        }
        let mut end = std::mem::take(&mut self.end);
        let (mut change, mut last) = (0.0, f64::INFINITY);
        for _ in 0..if follows { FORCE_PASSES } else { PASSES } {
            end.clear();
            end.extend_from_slice(out);
            change = self.correct_free(q, u, t, dt, &end, out)?;
            let stalled = change >= 0.5 * last && (!follows || change < MEAN);
            let diverges = follows && change >= last && change > DIVERGED;
            if change <= SETTLED || stalled || diverges || !change.is_finite() {
                break;
            }
            last = change;
        }
        self.end = end;
        let place = || format!("the change of the mean velocity that forces follow at t = {t}");
        let wanted = "below 1e-9 of its size after 100 passes; take a smaller step";
        check(place, change, !follows || change < MEAN, wanted)
    }

    /// The velocities of a body at the end of a step under a load, by its own bars alone.
    fn one_body(
        &self,
        i: usize,
        (q, u, t): (&[f64], &[f64], f64),
        load: (DVec3, DVec3),
        dt: f64,
    ) -> Result<Quad, Error> {
        let (x, v) = (read(&q[12 * i..]), read(&u[12 * i..]));
        let end = self.step.free(&self.bodies[i], &x, &v, load, dt);
        let what = "the velocity of a body of point masses after one step";
        end.filter(|v| v.iter().all(|x| x.is_finite())).ok_or(Error::NotFinite { what, t })
    }

    /// The bodies of a contact, stop or drive.
    fn bodies_of(&self, source: Source) -> Option<[usize; 2]> {
        match source {
            Source::ContactPair(i, _) => {
                Some([self.contact_pairs[i].first, self.contact_pairs[i].second])
            }
            Source::Stop(i, _) | Source::Drive(i, _) => Some(self.joints[i].bodies),
            // Joints ask for the mean velocity, in which this cancels.
            Source::Joint(_) => None,
        }
    }

    /// A body at q with the velocities that its masses have where they were seen last.
    fn motion_at(&self, body: usize, (q, t, u): (&[f64], f64, &[f64])) -> (Pose, Twist) {
        match &self.roles[body] {
            Role::Free(i, ()) => {
                let (x, v) = (read(&q[12 * i..]), read(&u[12 * i..]));
                (self.bodies[*i].pose(&x), self.bodies[*i].twist(&self.masses[*i], &v))
            }
            Role::Prescribed(motion) => motion(t),
        }
    }

    /// The relative velocity of a contact, stop or drive between bodies that move so.
    fn velocity_at(&self, source: Source, motions: &[(Pose, Twist); 2], out: &mut [f64]) {
        let [first, second] = *motions;
        let coordinate = |i: usize| {
            let Joint { kind, on_first, on_second } = &self.joints[i].joint;
            let rows = joint::motion(*kind, (&first.0, on_first), (&second.0, on_second)).1;
            rows.iter().zip(motions).map(|(row, (_, twist))| power(row, twist)).sum::<f64>()
        };
        match source {
            Source::ContactPair(i, then) => {
                self.contact_pairs[i].velocity_at(first, second, &then, out)
            }
            Source::Stop(i, sign) => out[0] = sign * coordinate(i),
            Source::Drive(i, target) => out[0] = coordinate(i) - target,
            Source::Joint(_) => {}
        }
    }

    fn dense_delassus(&self, gamma: &mut Vec<f64>, w: &mut Matrix) {
        let rows = &self.collected;
        let (n, f) = (rows.values.len(), 12 * self.bodies.len());
        for (c, row) in self.held.chunks_exact(f.max(1)).enumerate().take(n) {
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
