//! How the motion goes on: the contact problem on the level of accelerations decides the next mode. Where it
//! has no answer (Painlevé), an impact without collision.

use super::flow::EventDriven;
use super::motion::closed_mode;
use super::transition::{Touch, ZERO};
use super::watch::Subject;
use crate::contact::{ContactProblem, Law, Mode, Slip};
use crate::dynamics::{add_scaled, dot};
use crate::error::Error;
use crate::run::{Event, EventKind, Observer};
use crate::system::{State, System};

impl<S: System + ?Sized> EventDriven<'_, S> {
    /// The next mode. Where forces alone cannot hold the contact law (Painlevé), an impact without collision.
    pub(super) fn choose<O: Observer + ?Sized>(
        &mut self,
        touch: &mut [Touch],
        impact: bool,
        observer: &mut O,
    ) -> Result<Result<(), String>, Error> {
        if self.decide(touch, impact)? {
            return Ok(Ok(()));
        }
        let t = self.state.t;
        let status = self.solver.solution().status;
        if self.jam(touch, observer)? {
            self.project_velocity(touch)?;
            if self.decide(touch, true)? {
                return Ok(Ok(()));
            }
        }
        Ok(Err(format!(
            "no contact forces obey the laws at t = {t} ({status}), and no impact without collision resolves it"
        )))
    }

    /// Where forces grow without bound in the middle of a slide: an impact without collision, if there is one.
    pub(super) fn rescue<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Result<bool, Error> {
        self.watch.fired.clear();
        self.counts.idle += 1;
        self.counts.transitions += 1;
        let mut touch = self.closed();
        if !touch.iter().any(|c| c.slip.is_some()) || !self.jam(&mut touch, observer)? {
            return Ok(false);
        }
        self.project_velocity(&touch)?;
        let old = self.modes.clone();
        if !self.decide(&touch, true)? {
            return Ok(false);
        }
        self.mode_chosen();
        self.show_changes(&old, &touch, observer);
        Ok(true)
    }

    /// Solves the problem of accelerations and takes the modes from it; false if it has no answer.
    fn decide(&mut self, touch: &[Touch], impact: bool) -> Result<bool, Error> {
        let fired = |s: Subject| !impact && self.watch.fired.contains(&s);
        let stays: Vec<Touch> = touch.iter().copied().filter(|c| !c.leaves).collect();
        // At the event itself the force that vanishes and the acceleration it held back are both zero; the
        // event says which of them grows.
        let opens = |c: &Touch| fired(Subject::Force(c.contact));
        let guided: Vec<Touch> = stays
            .iter()
            .filter(|c| !opens(c))
            .map(|c| {
                let breaks = |s: Slip| fired(Subject::Reserve(c.contact, s));
                let slip = match c.slip {
                    None if breaks(Slip::Positive) => Some(Slip::Positive),
                    None if breaks(Slip::Negative) => Some(Slip::Negative),
                    slip => slip,
                };
                Touch { slip, ..*c }
            })
            .collect();
        let by_event = guided != stays;
        if by_event && self.solve_accelerations(&guided)? && self.agrees(&stays, &guided)? {
            self.take_modes(&guided);
            return Ok(true);
        }
        if !self.solve_accelerations(&stays)? {
            return Ok(false);
        }
        self.take_modes(&stays);
        Ok(true)
    }

    /// Poses and solves W Λ + b with accelerations, sliding contacts with their direction.
    fn solve_accelerations(&mut self, touch: &[Touch]) -> Result<bool, Error> {
        let mut acc = std::mem::take(&mut self.sampling.acc);
        let State { t, q, u } = &self.state;
        let free = self.motion.free(self.system, q, u, *t, &mut acc);
        let (q, u, t) = (q.clone(), u.clone(), *t);
        free?;
        self.collect(touch)?;
        let mut bias = Vec::with_capacity(2 * touch.len());
        for (i, c) in touch.iter().enumerate() {
            let convective = self.system.convective(c.contact, &q, &u, t);
            for (d, v) in convective.iter().enumerate() {
                bias.push(dot(self.motion.assembly.direction(2 * i + d), &acc) + v);
            }
        }
        self.sampling.acc = acc;
        if !bias.iter().all(|v| v.is_finite()) {
            return Err(Error::NotFinite { what: "a contact's acceleration", t });
        }
        let problem = &mut self.motion.problem;
        let assembly = &self.motion.assembly;
        assembly.pose(&bias, assembly.laws(&self.info), problem);
        let (_, _, laws) = problem.planar_parts_mut();
        for (law, c) in laws.iter_mut().zip(touch) {
            law.sliding = c.slip.map(Slip::velocity);
        }
        let solution = self.solver.solve(&self.motion.problem);
        self.counts.iterations += solution.iterations;
        let (solved, certificate) = (solution.is_solved(), solution.certificate);
        if solved {
            self.certify(certificate);
        }
        Ok(solved)
    }

    /// Whether accelerations bear out what the event said: contacts left out do not approach, slips begun
    /// do not reverse.
    fn agrees(&mut self, stays: &[Touch], guided: &[Touch]) -> Result<bool, Error> {
        let force = self.solver.solution().impulse.clone();
        let mut acc = self.sampling.acc.clone();
        self.motion.assembly.apply(&force, &mut acc);
        let (q, u, t) = (self.state.q.clone(), self.state.u.clone(), self.state.t);
        self.collect(stays)?;
        let mut good = true;
        for (i, c) in stays.iter().enumerate() {
            let convective = self.system.convective(c.contact, &q, &u, t);
            let rate = |d: usize| {
                let w = self.motion.assembly.direction(2 * i + d);
                let inverse_mass = dot(w, self.motion.assembly.response(2 * i + d));
                let size = self.motion.load() * inverse_mass.max(0.0).sqrt();
                (dot(w, &acc) + convective[d], 1e-7 * size)
            };
            match guided.iter().find(|g| g.contact == c.contact) {
                None => good &= rate(0).0 >= -rate(0).1,
                Some(g) => {
                    if let (None, Some(slip)) = (c.slip, g.slip) {
                        good &= slip.sign() * rate(1).0 >= -rate(1).1;
                    }
                }
            }
        }
        Ok(good)
    }

    /// The modes of all contacts from the last solution, which is about the contacts of `touch`.
    fn take_modes(&mut self, touch: &[Touch]) {
        self.modes.fill(Mode::Open);
        let solution = self.solver.solution();
        let problem = &self.motion.problem;
        let largest = problem.bias().iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        for (i, c) in touch.iter().enumerate() {
            let (lam, xi) = (&solution.impulse, &solution.velocity);
            let load = lam.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            if xi[2 * i] > ZERO * largest && lam[2 * i] <= ZERO * load {
                continue;
            }
            let rate = xi[2 * i + 1];
            let law = &self.info.contacts[c.contact].law;
            let begins = if rate.abs() > ZERO * largest { Slip::of(rate) } else { None };
            let slip = match c.slip.or(begins) {
                // Without friction there is nothing to stick by.
                None if !law.has_free_friction() => Some(Slip::Positive),
                slip => slip,
            };
            self.modes[c.contact] = closed_mode(slip);
        }
    }

    /// An impact without collision: the step on the level of velocities in the limit of no time, where the
    /// problem of accelerations has no answer but impulses have.
    fn jam<O: Observer + ?Sized>(
        &mut self,
        touch: &mut [Touch],
        observer: &mut O,
    ) -> Result<bool, Error> {
        self.collect(touch)?;
        let mut before = Vec::new();
        self.motion.assembly.relative_velocity(&self.state.u, &mut before);
        let largest = before.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        // Any approach, however small, calls for the impulse; its size does not depend on the approach.
        let mut bias = before.clone();
        for (i, _) in touch.iter().enumerate() {
            bias[2 * i] = -1e-9 * largest;
        }
        let mut problem = ContactProblem::default();
        let assembly = &self.motion.assembly;
        assembly.pose(
            &bias,
            assembly.laws(&self.info).map(|l| Law { radius: 0.0, ..l }),
            &mut problem,
        );
        let solution = self.solver.solve(&problem);
        self.counts.iterations += solution.iterations;
        if !solution.is_solved() {
            return Ok(false);
        }
        let lam = solution.impulse.clone();
        let small =
            solution.velocity.iter().zip(&before).all(|(a, b)| (a - b).abs() <= 1e-6 * largest);
        if small {
            return Ok(false);
        }
        let mut u = vec![0.0; self.state.u.len()];
        self.motion.assembly.apply(&lam, &mut u);
        add_scaled(&mut self.state.u, 1.0, &u);
        let mut after = Vec::new();
        self.motion.assembly.relative_velocity(&self.state.u, &mut after);
        for (i, c) in touch.iter_mut().enumerate() {
            let (n, s) = (2 * i, 2 * i + 1);
            let impulse = [lam[n], lam[s]];
            let energy = 0.5 * (lam[n] * (before[n] + after[n]) + lam[s] * (before[s] + after[s]));
            self.book(c.contact, impulse, energy);
            let (t, contact, kind) = (self.state.t, c.contact, EventKind::Impact);
            self.show(Event { t, contact, kind, impulse, energy }, observer);
            c.leaves = after[n] > 1e-6 * largest;
            c.slip = if after[s].abs() > 1e-6 * largest { Slip::of(after[s]) } else { None };
        }
        Ok(true)
    }
}
