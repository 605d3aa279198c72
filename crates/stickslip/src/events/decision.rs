//! How the motion goes on: the contact problem on the level of accelerations decides the next mode. Where it
//! has no answer (Painlevé), an impact without collision.

use super::flow::EventDriven;
use super::motion::{Trouble, accelerations, closed_mode, pose};
use super::slip::direction;
use super::tolerance::{CALL, JUMP, LESS, RATE, ZERO};
use super::transition::{ClosedContact, normal_and_friction, spans};
use super::watch::Subject;
use crate::contact::{ContactProblem, Law, Mode, Slip};
use crate::dynamics::dot;
use crate::error::Error;
use crate::model::Model;
use crate::run::{Event, EventKind, Observer};
use crate::system::State;
use complementarity::Matrix;
use std::ops::Range;

impl<M: Model> EventDriven<'_, M> {
    /// The next mode. Where forces alone cannot hold the contact law (Painlevé), an impact without collision.
    pub(super) fn choose<O: Observer + ?Sized>(
        &mut self,
        closed: &mut [ClosedContact],
        impact: bool,
        observer: &mut O,
    ) -> Result<Result<(), String>, Error> {
        if self.decide(closed, impact)? {
            return Ok(Ok(()));
        }
        let t = self.state.t;
        let status = self.solver.solution().status;
        if self.impact_without_collision(closed, observer)? {
            self.project_velocity(closed)?;
            if self.decide(closed, true)? {
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
        let mut closed = self.closed()?;
        if !closed.iter().any(|c| c.slip.is_some())
            || !self.impact_without_collision(&mut closed, observer)?
        {
            return Ok(false);
        }
        self.project_velocity(&closed)?;
        let old = self.modes.clone();
        if !self.decide(&closed, true)? {
            return Ok(false);
        }
        self.mode_chosen();
        self.show_changes(&old, &closed, observer);
        self.sample_after_impact(observer)?;
        Ok(true)
    }

    /// Solves the problem of accelerations and takes the modes from it; false if it has no answer.
    fn decide(&mut self, closed: &[ClosedContact], impact: bool) -> Result<bool, Error> {
        let fired = |s: Subject| !impact && self.watch.fired.contains(&s);
        let stays: Vec<ClosedContact> = closed.iter().copied().filter(|c| !c.leaves).collect();
        // At the event itself the force that vanishes and the acceleration it held back are both zero; the
        // event says which of them grows.
        let opens = |c: &ClosedContact| {
            fired(Subject::Force(c.contact)) || fired(Subject::Share(c.contact))
        };
        let slides = self.watch.fired.iter().any(|s| matches!(s, Subject::Reserve(_, None)));
        let guided: Vec<ClosedContact> = stays
            .iter()
            .filter(|c| !opens(c))
            .map(|c| {
                let breaks = |s: Option<Slip>| fired(Subject::Reserve(c.contact, s));
                let joins = !impact && slides && self.motion.joins_slip(c.contact);
                let slip = match c.slip {
                    None if breaks(Some(Slip::Positive)) => Some(Slip::Positive.velocity()),
                    None if breaks(Some(Slip::Negative)) => Some(Slip::Negative.velocity()),
                    None if breaks(None) || joins => self.against_friction(c.contact),
                    slip => slip,
                };
                ClosedContact { slip, ..*c }
            })
            .collect();
        let by_event = guided != stays;
        let constant = |c: &&ClosedContact| self.motion.laws[c.contact].radius > 0.0;
        let lost: Vec<ClosedContact> =
            stays.iter().filter(|c| opens(c)).filter(constant).copied().collect();
        if by_event && self.solve_accelerations(&guided)? {
            if self.agrees(&stays, &guided)? {
                self.take_modes(&guided);
                if self.slips_hold(&stays, &guided)? {
                    return Ok(true);
                }
            }
            if !lost.is_empty() && self.skim(&guided, &lost)? {
                return Ok(true);
            }
        }
        if !self.solve_accelerations(&stays)? {
            return Ok(false);
        }
        let lost = self.unloaded(&stays);
        if !lost.is_empty() {
            let rest: Vec<ClosedContact> =
                stays.into_iter().filter(|c| !lost.contains(c)).collect();
            return self.skim(&rest, &lost);
        }
        self.take_modes(&stays);
        Ok(true)
    }

    /// Whether slips that an event has begun hold in the modes just taken; else those that do are taken. Where friction has used up its
    /// limit, the slip begins with the acceleration −ρ times what a unit more of friction takes away from it, and ρ < 0 is what the
    /// friction lacks. Where more friction speeds the slip up (Painlevé), sticking and sliding forces meet at this event and neither
    /// goes on: the forces jump to others that obey the laws. In the plane these are none, since D Λ_N + b_N = 0 with D < 0 says
    /// b_N > 0: the contact opens. In space it may also begin to slide in another direction; a little less friction, with which it
    /// cannot stick, shows that.
    fn slips_hold(
        &mut self,
        stays: &[ClosedContact],
        guided: &[ClosedContact],
    ) -> Result<bool, Error> {
        let rests = |g: &ClosedContact| {
            stays.iter().any(|c| c.contact == g.contact && c.slip.is_none() && g.slip.is_some())
        };
        if !guided.iter().any(rests) {
            return Ok(true);
        }
        let noise = &self.watch.slip_noise;
        self.motion.set_modes(&self.modes, &self.skims, &self.slips, noise);
        let State { t, q, u } = &self.state;
        match self.motion.evaluate((self.model, &mut self.place), q, u, *t, &mut self.sampling.acc)
        {
            Ok(()) => {}
            Err(Trouble::Model(error)) => return Err(error),
            Err(Trouble::Singular) => return Ok(true),
        }
        let mut folds = Vec::new();
        for c in guided.iter().filter(|c| rests(c)) {
            if self.motion.slips_the_faster(c.contact) {
                folds.push(c.contact);
            }
        }
        if folds.is_empty() {
            return Ok(true);
        }
        let left: Vec<ClosedContact> =
            guided.iter().filter(|c| !folds.contains(&c.contact)).copied().collect();
        if self.solve_accelerations(&left)? && self.agrees(stays, &left)? {
            self.take_modes(&left);
            return Ok(true);
        }
        if !self.solve_with(stays, |c| if folds.contains(&c) { 1.0 - LESS } else { 1.0 })? {
            return Ok(false);
        }
        self.take_modes(stays);
        Ok(folds.iter().all(|&c| self.modes[c] != Mode::Stick))
    }

    /// The direction against the friction of the last evaluation, in which a contact in space begins to slide.
    fn against_friction(&self, contact: usize) -> Option<[f64; 3]> {
        let c = self.motion.find(contact)?;
        Some(direction(&self.motion.lam[c.tangents()], 0.0)?.map(|x| -x))
    }

    /// Poses and solves W Λ + b with accelerations, sliding contacts with their direction.
    fn solve_accelerations(&mut self, closed: &[ClosedContact]) -> Result<bool, Error> {
        self.solve_with(closed, |_| 1.0)
    }

    /// The same with a share of the friction of each contact.
    fn solve_with(
        &mut self,
        closed: &[ClosedContact],
        share: impl Fn(usize) -> f64,
    ) -> Result<bool, Error> {
        self.collect(closed)?;
        let t = self.state.t;
        let mut bias = Vec::new();
        accelerations(&self.local, &self.local.free, &mut bias);
        if !bias.iter().all(|v| v.is_finite()) {
            return Err(Error::NotFinite { what: "a contact's acceleration", t });
        }
        let mut laws = self.posed_laws(closed);
        for (law, c) in laws.iter_mut().zip(closed) {
            let share = share(c.contact);
            (law.mu, law.radius) = (share * law.mu, share * law.radius);
        }
        let mut w = Matrix::zeros(bias.len(), bias.len());
        self.local.delassus(w.as_mut_slice());
        pose(w.as_slice(), &bias, &laws, &mut self.problem)?;
        let solution = self.solver.solve(&self.problem);
        self.counts.iterations += solution.iterations;
        let (solved, certificate) = (solution.is_solved(), solution.certificate);
        if solved {
            self.certify(certificate);
        }
        Ok(solved)
    }

    /// The laws of the contacts collected on the level of accelerations: sliding ones with their direction and the coefficient at
    /// their speed, the others with that at rest.
    pub(super) fn posed_laws(&self, closed: &[ClosedContact]) -> Vec<Law> {
        let mut gamma = Vec::new();
        self.local.relative_velocity(&self.state.u, &mut gamma);
        let law = |(span, c): (Range<usize>, &ClosedContact)| {
            let law = self.motion.laws[c.contact].clone();
            let slides = c.slip.is_some() && law.curve().is_some();
            let speed =
                if slides { Law::slip_speed(&gamma[span.start + 1..span.end]) } else { 0.0 };
            let mu = law.coefficient(speed);
            Law { sliding: c.slip, ..law.at_coefficient(mu) }
        };
        spans(closed).zip(closed).map(law).collect()
    }

    /// Whether accelerations bear out what the event said: contacts left out do not approach, slips begun
    /// do not reverse.
    fn agrees(&mut self, stays: &[ClosedContact], guided: &[ClosedContact]) -> Result<bool, Error> {
        let mut acc = self.local.free.clone();
        self.local.apply(&self.solver.solution().impulse, &mut acc);
        self.collect(stays)?;
        let mut rates = Vec::new();
        accelerations(&self.local, &acc, &mut rates);
        let noise =
            |r: usize| self.rate_noise(dot(self.local.direction(r), self.local.response(r)));
        let mut good = true;
        for (span, c) in spans(stays).zip(stays) {
            let n = span.start;
            match guided.iter().find(|g| g.contact == c.contact) {
                None => good &= rates[n] >= -noise(n),
                Some(g) => {
                    if let (None, Some(slip)) = (c.slip, g.slip) {
                        let rate = &rates[n + 1..span.end];
                        let along: f64 = slip.iter().zip(rate).map(|(d, r)| d * r).sum();
                        good &= along >= -noise(n + 1);
                        // In space a slip must begin in its direction.
                        if let [x, y] = rate {
                            let across = slip[0] * y - slip[1] * x;
                            good &= across.abs() <= noise(n + 1).max(noise(n + 2));
                        }
                    }
                }
            }
        }
        Ok(good)
    }

    /// What rounding makes of the rate of one component, given its W_rr.
    pub(super) fn rate_noise(&self, inverse_mass: f64) -> f64 {
        RATE * self.motion.load() * inverse_mass.max(0.0).sqrt()
    }

    /// Whether the contact whose first row this is separates in the last solution.
    pub(super) fn separates(&self, n: usize) -> bool {
        let (lam, xi) = (&self.solver.solution().impulse, &self.solver.solution().velocity);
        let size = |all: &[f64]| all.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        xi[n] > ZERO * size(self.problem.bias()) && lam[n] <= ZERO * size(lam)
    }

    /// The modes of all contacts from the last solution, which is about the closed contacts.
    pub(super) fn take_modes(&mut self, closed: &[ClosedContact]) {
        self.all.iter().for_each(|&contact| self.modes[contact] = Mode::Open);
        self.skims.fill(false);
        let solution = self.solver.solution();
        let largest = self.problem.bias().iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        for (span, c) in spans(closed).zip(closed) {
            let (xi, n) = (&solution.velocity, span.start);
            if self.separates(n) {
                continue;
            }
            let law = &self.motion.laws[c.contact];
            let begins = direction(&xi[n + 1..span.end], ZERO * largest);
            let slip = match c.slip.or(begins) {
                // Without friction there is nothing to stick by.
                None if !law.has_free_friction() => Some(Slip::Positive.velocity()),
                slip => slip,
            };
            self.modes[c.contact] = closed_mode(law, slip);
            self.slips[c.contact] = slip.unwrap_or_default();
        }
    }

    /// An impact without collision: the step on the level of velocities in the limit of no time, where the
    /// problem of accelerations has no answer but impulses have.
    fn impact_without_collision<O: Observer + ?Sized>(
        &mut self,
        closed: &mut [ClosedContact],
        observer: &mut O,
    ) -> Result<bool, Error> {
        self.collect(closed)?;
        let mut before = Vec::new();
        self.local.relative_velocity(&self.state.u, &mut before);
        let largest = before.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let rows: Vec<_> = spans(closed).collect();
        // Any approach, however small, calls for the impulse; its size does not depend on the approach.
        let mut bias = before.clone();
        rows.iter().for_each(|span| bias[span.start] = -CALL * largest);
        let mut w = Matrix::zeros(bias.len(), bias.len());
        self.local.delassus(w.as_mut_slice());
        let law = |c: &ClosedContact| Law { radius: 0.0, ..self.motion.laws[c.contact].clone() };
        let laws: Vec<Law> = closed.iter().map(law).collect();
        let mut problem = ContactProblem::default();
        pose(w.as_slice(), &bias, &laws, &mut problem)?;
        let solution = self.solver.solve(&problem);
        self.counts.iterations += solution.iterations;
        if !solution.is_solved() {
            return Ok(false);
        }
        let lam = solution.impulse.clone();
        let small =
            solution.velocity.iter().zip(&before).all(|(a, b)| (a - b).abs() <= JUMP * largest);
        if small {
            return Ok(false);
        }
        self.sample_before_impact(observer)?;
        let mut u = vec![0.0; self.state.u.len()];
        self.local.apply(&lam, &mut u);
        self.state.u.iter_mut().zip(&u).for_each(|(u, by)| *u += by);
        let mut after = Vec::new();
        self.local.relative_velocity(&self.state.u, &mut after);
        for (span, c) in rows.into_iter().zip(closed) {
            let part = |r: usize| lam[r] * (before[r] + after[r]);
            let energy = 0.5 * span.clone().map(part).sum::<f64>();
            self.book(c.contact, &lam[span.clone()], energy);
            let impulse = normal_and_friction(&lam[span.clone()]);
            let (t, contact, kind) = (self.state.t, c.contact, EventKind::Impact);
            self.show(Event { bodies: None, t, contact, kind, impulse, energy }, observer);
            c.leaves = after[span.start] > JUMP * largest;
            c.slip = direction(&after[span.start + 1..span.end], JUMP * largest);
        }
        Ok(true)
    }
}
