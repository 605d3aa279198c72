//! What happens at an event: impacts, then the contact problem on the level of accelerations, which decides
//! the next mode.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | touching | contacts with g = 0, in the order of `local` |
//! | slip | of each touching contact: its direction, none where γ_T = 0 |
//! | γ⁻, γ⁺ | relative velocities before and after an impact |

use super::flow::EventDriven;
use super::motion::pose;
use super::slip::direction;
use super::tolerance::{CREATED, NO_APPROACH, ROUNDING, ZERO};
use super::watch::Subject;
use crate::contact::{ContactProblem, Law, Mode};
use crate::dynamics::dot;
use crate::error::Error;
use crate::model::Model;
use crate::run::{Event, EventKind, Observer};
use crate::system::State;
use complementarity::Matrix;
use std::ops::Range;

/// Impacts at one instant after which the run fails.
const ROUNDS: usize = 10_000;

/// A touching contact while an event is resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClosedContact {
    pub(super) contact: usize,
    /// How many components it has.
    pub(super) rows: usize,
    /// The direction of slip, as [`Law::sliding`] has it; none where γ_T = 0.
    pub(super) slip: Option<[f64; 3]>,
    /// It leaves: γ_N > 0, or its force has just vanished.
    pub(super) leaves: bool,
    /// The end of a series of impacts that is closed ahead of its time.
    pub(super) series: Option<f64>,
}

/// The rows of touching contacts, one contact after the other.
pub(super) fn spans(closed: &[ClosedContact]) -> impl Iterator<Item = Range<usize>> + '_ {
    closed.iter().scan(0, |next, c| {
        let start = *next;
        *next += c.rows;
        Some(start..*next)
    })
}

/// The impulse of an event: the normal one and the friction, its size where it has several components.
pub(super) fn normal_and_friction(impulse: &[f64]) -> [f64; 2] {
    let friction = match &impulse[1..] {
        [signed] => *signed,
        several => several.iter().fold(0.0, |s, x| s + x * x).sqrt(),
    };
    [impulse[0], friction]
}

impl<M: Model> EventDriven<'_, M> {
    /// The first mode: contacts with g ≤ 0 touch.
    pub(super) fn touching(&mut self) -> Result<(), Error> {
        self.measure_noise()?;
        let touching = |c: &usize| self.gaps[*c] <= self.watch.gap_noise[*c];
        let contacts: Vec<usize> = self.all.iter().copied().filter(touching).collect();
        self.watch.fired.clear();
        self.touches = !contacts.is_empty();
        self.mode_chosen();
        self.watch.fired.extend(contacts.into_iter().map(Subject::Gap));
        let closed = self.touched()?;
        self.check_start(&closed)?;
        self.project_position(&closed)
    }

    /// Resolves an event at the state. `Err` inside says why the motion cannot go on.
    pub(super) fn transition<O: Observer + ?Sized>(
        &mut self,
        observer: &mut O,
    ) -> Result<Result<(), String>, Error> {
        self.counts.transitions += 1;
        let before = (self.counts.steps == 0).then(|| self.state.clone());
        self.measure_noise()?;
        let mut closed = self.touched()?;
        self.project_position(&closed)?;
        let impact = match self.collide(&mut closed, observer)? {
            Ok(impact) => impact,
            Err(why) => return Ok(Err(why)),
        };
        self.project_velocity(&closed)?;
        if impact {
            self.reread_slips(&mut closed)?;
        }
        if let Some(start) = before.filter(|_| !impact) {
            self.note_start(&start);
        }
        let old = self.modes.clone();
        if let Err(why) = self.choose(&mut closed, impact, observer)? {
            return Ok(Err(why));
        }
        self.mode_chosen();
        self.show_changes(&old, &closed, observer);
        self.sample_after_impact(observer)?;
        Ok(Ok(()))
    }

    /// Gaps, and what rounding makes of them and of the slips.
    pub(super) fn measure_noise(&mut self) -> Result<(), Error> {
        self.take_gaps()?;
        let State { t, q, u } = &self.state;
        if self.gaps.iter().any(|g| !g.is_finite()) {
            return Err(Error::NotFinite { what: "a gap", t: *t });
        }
        self.model.accelerations(&mut self.place, (q, u, *t), &self.all, &mut self.local)?;
        let mut sizes = vec![0.0; u.len()];
        self.model.sizes(q, &mut sizes);
        let at = &self.local;
        let mut first = 0;
        for &contact in &self.all {
            let rows = first..first + self.motion.laws[contact].components();
            let mut slip: f64 = at.drive[rows.clone()].iter().map(|d| d.abs()).sum();
            // Where a wall is at a time is known as well as the time is.
            let mut gap = at.drive.get(first).map_or(0.0, |wall| (wall * t).abs());
            for i in 0..u.len() {
                // A velocity is rounded as a sum of what accelerations made of it.
                let speed = self.step.size_u[i].max(u[i].abs()) + self.h * self.motion.parts[i];
                let largest = rows.clone().fold(0.0_f64, |m, r| m.max(at.direction(r)[i].abs()));
                slip += largest * speed;
                // So is the way that accelerations make of rounding of the time: all that is left of it after bounces that pile up.
                let way = ROUNDING * t * t * at.free[i].abs();
                gap += at.direction(first)[i].abs() * (sizes[i] + way);
            }
            self.watch.gap_noise[contact] = ROUNDING * gap;
            self.watch.slip_noise[contact] = ROUNDING * slip;
            first = rows.end;
        }
        Ok(())
    }

    /// The contacts with g = 0, with the slips that their modes and the event say.
    pub(super) fn touched(&mut self) -> Result<Vec<ClosedContact>, Error> {
        let fired = |s: Subject| self.watch.fired.contains(&s);
        let apart = |c: usize| self.gaps[c] > self.watch.gap_noise[c];
        let mut closed = Vec::new();
        for (contact, mode) in self.modes.iter().enumerate() {
            let slip = match *mode {
                Mode::Fixed => continue,
                Mode::Open if apart(contact) && !fired(Subject::Gap(contact)) => continue,
                Mode::Slide(slip) if !fired(Subject::Slip(contact)) => Some(slip.velocity()),
                Mode::Slip => Some(self.slips[contact]),
                _ => None,
            };
            let rows = self.motion.laws[contact].components();
            closed.push(ClosedContact { contact, rows, slip, leaves: false, series: None });
        }
        if self.modes.contains(&Mode::Slip) {
            self.follow_slips(&mut closed)?;
        }
        Ok(closed)
    }

    /// The directions of slips in space at the state, and which of these have ended: where a slip vanishes along the direction
    /// that it had, it may have turned.
    fn follow_slips(&mut self, closed: &mut [ClosedContact]) -> Result<(), Error> {
        self.collect(closed)?;
        let mut gamma = Vec::new();
        self.local.relative_velocity(&self.state.u, &mut gamma);
        let ends = self.watch.fired.iter().any(|s| matches!(s, Subject::Slip(_)));
        let rows: Vec<_> = spans(closed).collect();
        for (span, c) in rows.into_iter().zip(closed) {
            if self.modes[c.contact] != Mode::Slip {
                continue;
            }
            let noise = self.watch.slip_noise[c.contact];
            // 64 ε of the velocities is their rounding.
            let still = if ends { (ZERO / ROUNDING) * noise } else { noise };
            match direction(&gamma[span.start + 1..span.end], still) {
                Some(along) => c.slip = Some(along),
                None if ends && self.motion.laws[c.contact].has_free_friction() => c.slip = None,
                None => {}
            }
        }
        Ok(())
    }

    /// The slips after an impact and the projection that follows it: where a series of impacts is closed ahead of its time the
    /// projection takes γ_N > 0 away, and may turn a slip as slow as that round.
    fn reread_slips(&mut self, closed: &mut [ClosedContact]) -> Result<(), Error> {
        self.collect(closed)?;
        let mut gamma = Vec::new();
        self.local.relative_velocity(&self.state.u, &mut gamma);
        let rows: Vec<_> = spans(closed).collect();
        for (span, c) in rows.into_iter().zip(closed).filter(|(_, c)| c.slip.is_some()) {
            let noise = self.watch.slip_noise[c.contact];
            c.slip = direction(&gamma[span.start + 1..span.end], noise);
        }
        Ok(())
    }

    /// The contacts that are closed.
    pub(super) fn closed(&mut self) -> Result<Vec<ClosedContact>, Error> {
        let mut closed = self.touched()?;
        closed.retain(|c| self.modes[c.contact] != Mode::Open);
        Ok(closed)
    }

    /// Takes the rows of touching contacts into `local`.
    pub(super) fn collect(&mut self, closed: &[ClosedContact]) -> Result<(), Error> {
        let contacts: Vec<usize> = closed.iter().map(|c| c.contact).collect();
        let State { t, q, u } = &self.state;
        self.model.accelerations(&mut self.place, (q, u, *t), &contacts, &mut self.local)
    }

    /// An impact, if a touching contact approaches. Fills slips and what leaves; says whether there was one.
    fn collide<O: Observer + ?Sized>(
        &mut self,
        closed: &mut [ClosedContact],
        observer: &mut O,
    ) -> Result<Result<bool, String>, Error> {
        self.collect(closed)?;
        let mut gamma = Vec::new();
        self.local.relative_velocity(&self.state.u, &mut gamma);
        let largest = gamma.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let noise = |c: &ClosedContact| self.watch.slip_noise[c.contact].max(NO_APPROACH * largest);
        let rows: Vec<_> = spans(closed).collect();
        let approaches = |(span, c): (&Range<usize>, &ClosedContact)| {
            self.modes[c.contact] == Mode::Open && gamma[span.start] < -noise(c)
        };
        if !rows.iter().zip(&*closed).any(approaches) {
            for (span, c) in rows.into_iter().zip(closed) {
                if self.modes[c.contact] == Mode::Open {
                    c.slip = direction(&gamma[span.start + 1..span.end], noise(c));
                    c.leaves = gamma[span.start] > noise(c);
                }
            }
            return Ok(Ok(false));
        }
        self.sample_before_impact(observer)?;
        let t = self.state.t;
        for round in 0..ROUNDS {
            if !self.resolve_impact(closed)? {
                let (law, status) = (self.settings.impact, self.impact.status);
                let why =
                    format!("the impact at t = {t} has no answer by the law `{law}` ({status})");
                return Ok(Err(why));
            }
            self.after_impact(closed, round == 0, observer);
            // Newton's law lets a contact that was separating approach: then it is struck in turn.
            let slow = -ZERO * largest;
            if rows.iter().all(|span| self.impact.after[span.start] >= slow) {
                return Ok(Ok(true));
            }
        }
        Ok(Err(format!(
            "the impacts at t = {t} have no end: contacts that closed strike each other in turn; give them play, or less restitution"
        )))
    }

    fn resolve_impact(&mut self, closed: &[ClosedContact]) -> Result<bool, Error> {
        let (law, at, all) = (self.settings.impact, &self.local, &self.motion.laws);
        let laws = closed.iter().map(|c| all[c.contact].clone());
        at.relative_velocity(&self.state.u, &mut self.before);
        let mut w = Matrix::zeros(at.rows(), at.rows());
        at.delassus(w.as_mut_slice());
        let posed = |bias: &[f64], laws: &[Law], problem: &mut ContactProblem| {
            pose(w.as_slice(), bias, laws, problem)
        };
        let solved = self.impact.resolve(law, &self.before, laws, &mut self.solver, posed)?;
        if solved {
            self.local.apply(&self.impact.impulse, &mut self.state.u);
            let reactions: Vec<_> = self.local.inside.of(&self.impact.impulse, false).collect();
            for (i, (candidate, lam)) in reactions.into_iter().enumerate() {
                // The work of the impulse is that of what moves the constraint, wᵀu = −ŵ before and after.
                self.book(candidate, &[lam], -lam * self.local.inside.drive[i]);
            }
        }
        self.counts.iterations += self.impact.iterations;
        if solved {
            let numbers: Vec<usize> = closed.iter().map(|c| c.contact).collect();
            self.certify(self.impact.certificate.numbered(&numbers));
        }
        Ok(solved)
    }

    /// Books the impact and reads from it what the contacts do.
    fn after_impact<O: Observer + ?Sized>(
        &mut self,
        closed: &mut [ClosedContact],
        first: bool,
        observer: &mut O,
    ) {
        let impact = std::mem::take(&mut self.impact);
        let largest = impact.before.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let t = self.state.t;
        let rows: Vec<_> = spans(closed).collect();
        let apart = rows.iter().fold(0.0_f64, |m, span| m.max(impact.after[span.start]));
        for (i, c) in closed.iter_mut().enumerate() {
            let (n, span) = (rows[i].start, rows[i].clone());
            let lam = &impact.impulse[span.clone()];
            if lam.iter().any(|x| *x != 0.0) {
                self.book(c.contact, lam, impact.energy[i]);
                // γ⁺ = Hᵀu⁺ + ŵ.
                for r in span.clone() {
                    let moved = dot(self.local.direction(r), &self.state.u);
                    self.totals.drive[c.contact] -= impact.impulse[r] * (impact.after[r] - moved);
                }
                let (kind, impulse) = (EventKind::Impact, normal_and_friction(lam));
                let (contact, energy) = (c.contact, impact.energy[i]);
                self.show(Event { bodies: None, t, contact, kind, impulse, energy }, observer);
            }
            c.leaves = impact.after[n] > ZERO * largest;
            c.slip = direction(&impact.after[n + 1..span.end], ZERO * largest);
            if lam[0] > 0.0 && impact.before[n] < 0.0 {
                self.counts.impacts += 1;
                if first && apart > ZERO * largest {
                    let (share, noise) =
                        (self.settings.accumulation, self.watch.gap_noise[c.contact]);
                    c.series = self.accumulation.note(c.contact, (t, apart), share, noise);
                }
            }
        }
        let added: f64 = impact.energy.iter().sum();
        let size: f64 = impact.energy.iter().map(|e| e.abs()).sum();
        if added > CREATED * size {
            self.counts.created.0 += 1;
            self.counts.created.1 += added;
        }
        self.impact = impact;
        self.close_series(closed);
    }

    pub(super) fn book(&mut self, contact: usize, impulse: &[f64], energy: f64) {
        let start = self.starts[contact];
        self.totals.impulse[start..].iter_mut().zip(impulse).for_each(|(s, i)| *s += i);
        self.totals.impacts[contact] += energy;
        self.sampling.add(start, impulse);
    }

    /// Closes all touching contacts if their bounces have become too low to follow.
    fn close_series(&mut self, closed: &mut [ClosedContact]) {
        let Some(end) = closed.iter().filter_map(|c| c.series).reduce(f64::max) else { return };
        for c in closed {
            c.leaves = false;
            if c.series.is_some() {
                self.accumulation.wait(c.contact, end);
            }
            self.accumulation.end(c.contact);
        }
    }

    /// Shows what has changed at the contacts.
    pub(super) fn show_changes<O: Observer + ?Sized>(
        &mut self,
        old: &[Mode],
        closed: &[ClosedContact],
        observer: &mut O,
    ) {
        let t = self.state.t;
        for (contact, &before) in old.iter().enumerate() {
            let now = self.modes[contact];
            let silent = closed.iter().any(|c| c.contact == contact && c.series.is_some());
            let friction = self.motion.laws[contact].has_free_friction();
            let kind = match (before, now) {
                (a, b) if a == b => continue,
                (Mode::Open, _) => EventKind::Closes,
                (_, Mode::Open) => EventKind::Opens,
                _ if !friction => continue,
                (_, Mode::Stick) => EventKind::Sticks,
                (_, Mode::Slide(slip)) => EventKind::Slides(slip),
                (_, Mode::Slip) => EventKind::Slips,
                (_, Mode::Closed | Mode::Fixed) => continue,
            };
            // The end of a series of impacts is shown when it is reached.
            if !(silent && kind == EventKind::Closes) {
                self.show(Event::change(t, contact, kind), observer);
            }
        }
    }
}
