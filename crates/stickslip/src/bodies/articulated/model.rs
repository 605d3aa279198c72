//! How integrators see a tree.

use super::contacts::Source;
use super::motion::displace;
use super::place::{Momenta, StepWork, TreePlace, Work};
use super::spatial::Motion;
use super::tree::{Link, Tree};
use crate::bodies::Twist;
use crate::contact::{ContactProblem, Law};
use crate::dynamics::dot;
use crate::error::{Error, check};
use crate::model::{
    Accelerations, Candidate, ContactPoint, FrictionLimit, Meeting, Model, Span, ThetaStep,
    check_sizes,
};
use crate::system::Energy;
use glam::{DQuat, DVec3};

impl Model for Tree {
    type Place = TreePlace;

    fn kind(&self) -> &'static str {
        if self.is_in_plane() { "bodies in the plane" } else { "an articulated tree" }
    }

    fn is_planar(&self) -> bool {
        self.is_in_plane()
            && self.closures.is_empty()
            && self.frictions.is_empty()
            && self.load_frictions.is_empty()
            && self.limits.is_empty()
    }

    fn redundancy(&self, place: &TreePlace) -> usize {
        place.redundancy
    }

    fn free_theta(
        &self,
        place: &mut TreePlace,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.theta_velocity(place, step, end, out)
    }

    fn coordinates(&self) -> usize {
        self.links.last().map_or(0, |l| l.q.end)
    }

    fn velocities(&self) -> usize {
        self.links.last().map_or(0, |l| l.u.end)
    }

    fn validate(&self, q: &[f64], u: &[f64]) -> Result<(), Error> {
        check_sizes(self, q, u)?;
        for (i, link) in self.links.iter().enumerate() {
            let Some(at) = link.joint.quaternion() else { continue };
            let length = quaternion_length(link, q, at);
            let place = || format!("the length of the quaternion of link {}", i + 1);
            check(place, length, (length - 1.0).abs() < 1e-6, "1; normalise it")?;
        }
        Ok(())
    }

    fn detect(
        &self,
        place: &mut TreePlace,
        at: &Span<'_>,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        self.find_candidates(place, at)?;
        out.extend_from_slice(&place.candidates);
        Ok(())
    }

    fn first_meeting(&self, place: &mut TreePlace, step: &Span<'_>, whole: f64) -> Option<Meeting> {
        let Span { q, u, t, dt } = *step;
        let TreePlace { work: Work { moving, .. }, ahead, found, .. } = place;
        let (mut there, mut located) = (Vec::new(), None);
        self.contacts.first_meeting(found, (t, dt, whole), |number, s| {
            if located.replace(s) != Some(s) {
                there.resize(q.len(), 0.0);
                self.advance(q, u, u, s, &mut there);
                ahead.locate(&self.links, &there, t + s);
                moving.velocities(&self.links, ahead, u);
            }
            let v = number.checked_sub(1).map_or_else(Motion::default, |link| moving.v[link]);
            (ahead.pose(number), Twist { linear: v.linear, angular: v.angular })
        })
    }

    fn is_fast(&self, place: &mut TreePlace, u: &[f64], dt: f64) -> bool {
        let Work { at, moving, .. } = &mut place.work;
        moving.velocities(&self.links, at, u);
        let twists = moving.v.iter().map(|v| Twist { linear: v.linear, angular: v.angular });
        self.contacts.is_fast(std::iter::once(Twist::default()).chain(twists), dt)
    }

    fn law<'a>(&'a self, place: &'a TreePlace, candidate: usize) -> &'a Law {
        let Some(contact) = candidate.checked_sub(place.laws.len()) else {
            return &place.laws[candidate];
        };
        match contact.checked_sub(self.contacts.pairs.len()) {
            None => place.contact_laws.law(&self.contacts.pairs, contact),
            Some(found) => self.contacts.found_law(&place.found.list[found]),
        }
    }

    fn laws_vary(&self) -> bool {
        self.contacts.friction_varies()
    }

    fn finds_contacts(&self) -> bool {
        self.contacts.are_found()
    }

    fn contact_point(&self, place: &TreePlace, candidate: usize) -> Option<ContactPoint> {
        match place.sources.get(candidate)? {
            Source::Contact(contact) => Some(contact.point(self.law(place, candidate).mu)),
            _ => None,
        }
    }

    fn free(&self, place: &mut TreePlace, step: &Span<'_>, out: &mut [f64]) -> Result<(), Error> {
        self.step_velocity(place, step, out)
    }

    fn collect(&self, place: &mut TreePlace, active: &[usize]) {
        place.rows.clear();
        place.responses.clear();
        place.drive.clear();
        place.collected.clear();
        if place.put_back(&self.links).is_err() {
            return;
        }
        let n = self.velocities().max(1);
        let TreePlace { work, sources, collected, rows, responses, drive, .. } = place;
        for &i in active {
            collected.push(sources[i]);
            self.append(&work.at, sources[i], rows);
            let start = drive.len();
            drive.resize(rows.len() / n, 0.0);
            self.drive_of(&work.at, sources[i], &mut drive[start..]);
        }
        responses.resize(rows.len(), 0.0);
        let both = rows.chunks_exact(n).zip(responses.chunks_exact_mut(n));
        both.for_each(|(h, y)| work.solve(&self.links, h, y));
    }

    fn relative_velocity(&self, place: &TreePlace, u: &[f64], gamma: &mut Vec<f64>) {
        gamma.clear();
        let rows = place.rows.chunks_exact(u.len().max(1)).zip(&place.drive);
        gamma.extend(rows.map(|(h, drive)| dot(h, u) + drive));
    }

    fn relative_velocity_ahead(
        &self,
        place: &mut TreePlace,
        step: &Span<'_>,
        end: &[f64],
        there: &mut [f64],
        gamma: &mut Vec<f64>,
    ) {
        self.advance(step.q, step.u, end, step.dt, there);
        self.relative_velocity(place, end, gamma);
        let TreePlace { work: Work { moving, .. }, ahead, collected, found, .. } = place;
        if !collected.iter().any(|s| matches!(s, Source::Contact(_))) {
            return;
        }
        ahead.locate(&self.links, there, step.t + step.dt);
        moving.velocities(&self.links, ahead, end);
        let motion = |number: usize| {
            let v = number.checked_sub(1).map_or_else(Motion::default, |link| moving.v[link]);
            (ahead.pose(number), Twist { linear: v.linear, angular: v.angular })
        };
        let mut row = 0;
        for source in collected.iter() {
            if let Source::Contact(contact) = source {
                let [first, second] = contact.bodies.map(motion);
                let of = (&self.contacts, &found.list[..]);
                contact.velocity_at(of, first, second, &mut gamma[row..]);
            }
            row += self.components(*source);
        }
    }

    /// The mean velocity of the step is then that with the impulses.
    fn correct_free(
        &self,
        place: &mut TreePlace,
        step: &Span<'_>,
        asked: bool,
        end: &[f64],
        free: &mut [f64],
    ) -> Result<f64, Error> {
        if !asked {
            return Ok(0.0);
        }
        place.put_back(&self.links)?;
        let Span { u, t, dt, .. } = *step;
        let TreePlace { work, q, step: StepWork { mean, rate, .. }, .. } = place;
        mean.clear();
        mean.extend(u.iter().zip(end).map(|(a, b)| 0.5 * (a + b)));
        rate.clear();
        rate.resize(u.len(), 0.0);
        self.accelerate(work, (q, mean, t + 0.5 * dt), rate);
        let (mut change, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        for ((free, u), a) in free.iter_mut().zip(u).zip(&*rate) {
            let next = u + dt * a;
            change = change.max((next - *free).abs());
            size = size.max(next.abs());
            *free = next;
        }
        Ok(change / size)
    }

    fn drive<'a>(&self, place: &'a TreePlace) -> &'a [f64] {
        &place.drive
    }

    fn pose(
        &self,
        place: &mut TreePlace,
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error> {
        let n = self.velocities();
        let TreePlace { rows, responses, moved, .. } = place;
        Ok(problem.refill(bias, laws, |w| {
            let w = w.dense_mut(bias.len());
            for i in 0..bias.len() {
                let row = &rows[i * n..][..n];
                // Where many bodies do not hang on each other, a row moves few of them.
                moved.clear();
                moved.extend((0..n).filter(|k| row[*k] != 0.0));
                let few = 2 * moved.len() < n;
                for j in 0..=i {
                    let response = &responses[j * n..][..n];
                    let value = match few {
                        true => moved.iter().map(|k| row[*k] * response[*k]).sum(),
                        false => dot(row, response),
                    };
                    w.row_mut(i)[j] = value;
                    w.row_mut(j)[i] = value;
                }
            }
            Ok(())
        })?)
    }

    fn friction_limits(
        &self,
        place: &mut TreePlace,
        impulse: &[f64],
        end: &[f64],
        limits: &mut Vec<Option<FrictionLimit>>,
    ) {
        self.rub_limits(place, impulse, end, limits);
    }

    fn apply(&self, place: &TreePlace, impulse: &[f64], u: &mut [f64]) {
        let n = u.len().max(1);
        for (y, lam) in place.responses.chunks_exact(n).zip(impulse) {
            u.iter_mut().zip(y).for_each(|(u, y)| *u += lam * y);
        }
    }

    /// Both parts are measured by the energies of the impulses that they are: the same unit for every joint.
    fn momentum_error(
        &self,
        place: &mut TreePlace,
        free: &[f64],
        after: &[f64],
        impulse: &[f64],
    ) -> f64 {
        let n = free.len();
        let TreePlace { work, rows, responses, momenta, .. } = place;
        let Momenta { change, off, after: momentum } = momenta;
        change.clear();
        change.extend(after.iter().zip(free).map(|(a, b)| a - b));
        for store in [&mut *off, &mut *momentum] {
            store.clear();
            store.resize(n, 0.0);
        }
        work.times_mass(&self.links, change, off);
        work.times_mass(&self.links, after, momentum);
        let mut size = dot(after, momentum).max(0.0).sqrt() + dot(change, off).max(0.0).sqrt();
        let columns = rows.chunks_exact(n.max(1)).zip(responses.chunks_exact(n.max(1)));
        for ((h, y), lam) in columns.zip(impulse) {
            off.iter_mut().zip(h).for_each(|(o, h)| *o -= lam * h);
            size += lam.abs() * dot(h, y).max(0.0).sqrt();
        }
        work.solve(&self.links, off, momentum);
        let error = dot(off, momentum).max(0.0).sqrt();
        if size > 0.0 { error / size } else { error }
    }

    fn advance(&self, q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]) {
        out.copy_from_slice(q);
        displace(&self.links, out, before, 0.5 * dt);
        displace(&self.links, out, after, 0.5 * dt);
    }

    fn stabilise(
        &self,
        place: &mut TreePlace,
        q: &mut [f64],
        u: &mut [f64],
        t: f64,
    ) -> Result<f64, Error> {
        self.close_loops(place, q, u, t)
    }

    fn energy(&self, q: &[f64], u: &[f64], t: f64) -> Energy {
        self.link_energy((q, u, t))
    }

    fn power(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        self.force_power((q, u, t))
    }

    fn accelerations(
        &self,
        place: &mut TreePlace,
        at: (&[f64], &[f64], f64),
        candidates: &[usize],
        out: &mut Accelerations,
    ) -> Result<(), Error> {
        self.equations(place, at, candidates, out)
    }

    fn displace(&self, q: &[f64], xi: &[f64], out: &mut [f64]) {
        out.copy_from_slice(q);
        displace(&self.links, out, xi, 1.0);
    }

    fn local(&self, q: &[f64], there: &[f64], out: &mut [f64]) {
        for link in &self.links {
            let (q, there) = (&q[link.q.clone()], &there[link.q.clone()]);
            link.joint.local(q, there, &mut out[link.u.clone()]);
        }
    }

    fn chart_rate(&self, xi: &[f64], u: &[f64], out: &mut [f64]) -> bool {
        self.turn_rates(xi, u, out)
    }

    fn turn(&self, xi: &[f64]) -> f64 {
        let turns = self.rotations().map(|at| DVec3::from_slice(&xi[at..]).length());
        turns.fold(0.0, f64::max)
    }

    fn sizes(&self, q: &[f64], out: &mut [f64]) {
        self.coordinate_sizes(q, out);
    }

    fn pool(&self, sizes: &mut [f64]) {
        self.pool_vectors(sizes);
    }
}

fn quaternion_length(link: &Link, q: &[f64], at: usize) -> f64 {
    let r = &q[link.q.start + at..];
    DQuat::from_xyzw(r[1], r[2], r[3], r[0]).length()
}
