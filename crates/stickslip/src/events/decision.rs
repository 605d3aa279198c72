//! How the motion goes on: the contact problem on the level of accelerations decides the next mode. Where it
//! has no answer (Painlevé), an impact without collision.

use super::flow::EventDriven;
use super::motion::{accelerations, closed_mode, pose};
use super::slip::direction;
use super::transition::{ClosedContact, ZERO, normal_and_friction, spans};
use super::watch::Subject;
use crate::contact::{ContactProblem, Law, Mode, Slip};
use crate::dynamics::dot;
use crate::error::Error;
use crate::model::Model;
use crate::run::{Event, EventKind, Observer};
use complementarity::Matrix;

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
        let opens = |c: &ClosedContact| fired(Subject::Force(c.contact));
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

    /// The direction against the friction of the last evaluation, in which a contact in space begins to slide.
    fn against_friction(&self, contact: usize) -> Option<[f64; 3]> {
        let c = self.motion.find(contact)?;
        Some(direction(&self.motion.lam[c.tangents()], 0.0)?.map(|x| -x))
    }

    /// Poses and solves W Λ + b with accelerations, sliding contacts with their direction.
    fn solve_accelerations(&mut self, closed: &[ClosedContact]) -> Result<bool, Error> {
        self.collect(closed)?;
        let t = self.state.t;
        let mut bias = Vec::new();
        accelerations(&self.local, &self.local.free, &mut bias);
        if !bias.iter().all(|v| v.is_finite()) {
            return Err(Error::NotFinite { what: "a contact's acceleration", t });
        }
        let law =
            |c: &ClosedContact| Law { sliding: c.slip, ..self.motion.laws[c.contact].clone() };
        let laws: Vec<Law> = closed.iter().map(law).collect();
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

    /// Whether accelerations bear out what the event said: contacts left out do not approach, slips begun
    /// do not reverse.
    fn agrees(&mut self, stays: &[ClosedContact], guided: &[ClosedContact]) -> Result<bool, Error> {
        let mut acc = self.local.free.clone();
        self.local.apply(&self.solver.solution().impulse, &mut acc);
        self.collect(stays)?;
        let mut rates = Vec::new();
        accelerations(&self.local, &acc, &mut rates);
        // What rounding makes of the rate of one component.
        let noise = |r: usize| {
            let inverse_mass = dot(self.local.direction(r), self.local.response(r));
            1e-7 * self.motion.load() * inverse_mass.max(0.0).sqrt()
        };
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

    /// The modes of all contacts from the last solution, which is about the closed contacts.
    fn take_modes(&mut self, closed: &[ClosedContact]) {
        self.modes.fill(Mode::Open);
        let solution = self.solver.solution();
        let largest = self.problem.bias().iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        for (span, c) in spans(closed).zip(closed) {
            let (lam, xi, n) = (&solution.impulse, &solution.velocity, span.start);
            let load = lam.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            if xi[n] > ZERO * largest && lam[n] <= ZERO * load {
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
        rows.iter().for_each(|span| bias[span.start] = -1e-9 * largest);
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
            solution.velocity.iter().zip(&before).all(|(a, b)| (a - b).abs() <= 1e-6 * largest);
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
            self.show(Event { t, contact, kind, impulse, energy }, observer);
            c.leaves = after[span.start] > 1e-6 * largest;
            c.slip = direction(&after[span.start + 1..span.end], 1e-6 * largest);
        }
        Ok(true)
    }
}
