//! What happens at an event: impacts, then the contact problem on the level of accelerations, which decides
//! the next mode.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | touching | contacts with g = 0, in the order of `motion.assembly` |
//! | slips | of each touching contact: none where γ_T = 0 |
//! | γ⁻, γ⁺ | relative velocities before and after an impact |

use super::flow::EventDriven;
use super::watch::Subject;
use crate::contact::{ContactProblem, Law, Mode, Slip};
use crate::dynamics::dot;
use crate::error::Error;
use crate::run::{Event, EventKind, Observer};
use crate::system::{Directions, State, System};

/// Impacts at one instant after which the run fails.
const ROUNDS: usize = 10_000;

/// Relative velocities and accelerations below this share of the largest at the event count as zero.
pub(super) const ZERO: f64 = 1e-9;

/// Rounding of a sum of terms, relative to the largest of them.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A touching contact while an event is resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Touch {
    pub(super) contact: usize,
    /// None where γ_T = 0.
    pub(super) slip: Option<Slip>,
    /// It leaves: γ_N > 0, or its force has just vanished.
    pub(super) leaves: bool,
    /// The end of a series of impacts that is closed ahead of its time.
    pub(super) series: Option<f64>,
}

impl<S: System + ?Sized> EventDriven<'_, S> {
    /// The first mode: contacts with g ≤ 0 touch.
    pub(super) fn touching(&mut self) -> Result<(), Error> {
        self.measure_noise()?;
        let touching = |(c, g): (usize, &f64)| (*g <= self.watch.gap_noise[c]).then_some(c);
        let contacts: Vec<usize> = self.gaps.iter().enumerate().filter_map(touching).collect();
        self.watch.fired.clear();
        self.touches = !contacts.is_empty();
        self.mode_chosen();
        self.watch.fired.extend(contacts.into_iter().map(Subject::Gap));
        let touch = self.touched();
        self.project_position(&touch)
    }

    /// Resolves an event at the state. `Err` inside says why the motion cannot go on.
    pub(super) fn transition<O: Observer + ?Sized>(
        &mut self,
        observer: &mut O,
    ) -> Result<Result<(), String>, Error> {
        self.counts.transitions += 1;
        self.measure_noise()?;
        let mut touch = self.touched();
        self.project_position(&touch)?;
        let impact = match self.collide(&mut touch, observer)? {
            Ok(impact) => impact,
            Err(why) => return Ok(Err(why)),
        };
        self.project_velocity(&touch)?;
        let old = self.modes.clone();
        if let Err(why) = self.choose(&mut touch, impact, observer)? {
            return Ok(Err(why));
        }
        self.mode_chosen();
        self.show_changes(&old, &touch, observer);
        Ok(Ok(()))
    }

    /// Gaps, and what rounding makes of them and of the slips.
    pub(super) fn measure_noise(&mut self) -> Result<(), Error> {
        let State { t, q, u } = &self.state;
        self.system.gaps(q, *t, &mut self.gaps);
        let (mut normal, mut tangent) = (vec![0.0; q.len()], vec![0.0; q.len()]);
        for contact in 0..self.gaps.len() {
            let mut out = Directions {
                normal: &mut normal,
                tangent: &mut tangent,
                normal_drive: 0.0,
                tangent_drive: 0.0,
            };
            self.system.directions(contact, q, *t, &mut out);
            let mut slip = out.normal_drive.abs() + out.tangent_drive.abs();
            let mut gap = 0.0;
            for i in 0..q.len() {
                // A velocity is rounded as a sum of what accelerations made of it.
                let speed = self.step.size_u[i].max(u[i].abs()) + self.h * self.motion.parts[i];
                slip += tangent[i].abs().max(normal[i].abs()) * speed;
                gap += (normal[i] * q[i]).abs();
            }
            self.watch.gap_noise[contact] = ROUNDING * gap;
            self.watch.slip_noise[contact] = ROUNDING * slip;
        }
        if self.gaps.iter().all(|g| g.is_finite()) {
            Ok(())
        } else {
            Err(Error::NotFinite { what: "a gap", t: *t })
        }
    }

    /// The contacts with g = 0, with the slips that their modes and the event say.
    pub(super) fn touched(&self) -> Vec<Touch> {
        let fired = |s: Subject| self.watch.fired.contains(&s);
        let apart = |c: usize| self.gaps[c] > self.watch.gap_noise[c];
        let mut touch = Vec::new();
        for (contact, mode) in self.modes.iter().enumerate() {
            let slip = match *mode {
                Mode::Open if apart(contact) && !fired(Subject::Gap(contact)) => continue,
                Mode::Slide(slip) if !fired(Subject::Slip(contact, slip)) => Some(slip),
                _ => None,
            };
            touch.push(Touch { contact, slip, leaves: false, series: None });
        }
        touch
    }

    /// The contacts that are closed.
    pub(super) fn closed(&self) -> Vec<Touch> {
        let mut touch = self.touched();
        touch.retain(|c| self.modes[c.contact] != Mode::Open);
        touch
    }

    pub(super) fn collect(&mut self, touch: &[Touch]) -> Result<(), Error> {
        let contacts: Vec<usize> = touch.iter().map(|c| c.contact).collect();
        let (q, t) = (&self.state.q, self.state.t);
        self.motion.assembly.factorize(self.system, q, t)?;
        self.motion.assembly.collect(self.system, &contacts, q, t);
        Ok(())
    }

    /// An impact, if a touching contact approaches. Fills slips and what leaves; says whether there was one.
    fn collide<O: Observer + ?Sized>(
        &mut self,
        touch: &mut [Touch],
        observer: &mut O,
    ) -> Result<Result<bool, String>, Error> {
        self.collect(touch)?;
        let mut gamma = Vec::new();
        self.motion.assembly.relative_velocity(&self.state.u, &mut gamma);
        let largest = gamma.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let noise = |c: &Touch| self.watch.slip_noise[c.contact].max(1e-14 * largest);
        let approaches = |(i, c): (usize, &Touch)| {
            self.modes[c.contact] == Mode::Open && gamma[2 * i] < -noise(c)
        };
        if !touch.iter().enumerate().any(approaches) {
            for (i, c) in touch.iter_mut().enumerate() {
                if self.modes[c.contact] == Mode::Open {
                    let slides = gamma[2 * i + 1].abs() > noise(c);
                    c.slip = if slides { Slip::of(gamma[2 * i + 1]) } else { None };
                    c.leaves = gamma[2 * i] > noise(c);
                }
            }
            return Ok(Ok(false));
        }
        let t = self.state.t;
        for round in 0..ROUNDS {
            if !self.resolve_impact()? {
                let (law, status) = (self.settings.impact, self.impact.status);
                let why =
                    format!("the impact at t = {t} has no answer by the law `{law}` ({status})");
                return Ok(Err(why));
            }
            self.after_impact(touch, round == 0, observer);
            // Newton's law lets a contact that was separating approach: then it is struck in turn.
            let slow = -ZERO * largest;
            if self.impact.after.iter().step_by(2).all(|g| *g >= slow) {
                return Ok(Ok(true));
            }
        }
        Ok(Err(format!(
            "the impacts at t = {t} have no end: contacts that touch strike each other in turn; give them play, or less restitution"
        )))
    }

    fn resolve_impact(&mut self) -> Result<bool, Error> {
        let (law, assembly) = (self.settings.impact, &self.motion.assembly);
        let laws = assembly.laws(&self.info);
        assembly.relative_velocity(&self.state.u, &mut self.before);
        let pose = |bias: &[f64], laws: &[Law], problem: &mut ContactProblem| {
            assembly.pose(bias, laws.iter().cloned(), problem);
            Ok(())
        };
        let solved = self.impact.resolve(law, &self.before, laws, &mut self.solver, pose)?;
        if solved {
            assembly.apply(&self.impact.impulse, &mut self.state.u);
        }
        self.counts.iterations += self.impact.iterations;
        if solved {
            self.certify(self.impact.certificate);
        }
        Ok(solved)
    }

    /// Books the impact and reads from it what the contacts do.
    fn after_impact<O: Observer + ?Sized>(
        &mut self,
        touch: &mut [Touch],
        first: bool,
        observer: &mut O,
    ) {
        let impact = std::mem::take(&mut self.impact);
        let largest = impact.before.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let t = self.state.t;
        let apart = (0..touch.len()).fold(0.0_f64, |m, i| m.max(impact.after[2 * i]));
        for (i, c) in touch.iter_mut().enumerate() {
            let (n, s) = (2 * i, 2 * i + 1);
            let lam = [impact.impulse[n], impact.impulse[s]];
            if lam != [0.0; 2] {
                self.book(c.contact, lam, impact.energy[i]);
                // γ⁺ = Hᵀu⁺ + ŵ.
                for r in [n, s] {
                    let moved = dot(self.motion.assembly.direction(r), &self.state.u);
                    self.totals.drive[c.contact] -= impact.impulse[r] * (impact.after[r] - moved);
                }
                let kind = EventKind::Impact;
                let (contact, energy) = (c.contact, impact.energy[i]);
                self.show(Event { t, contact, kind, impulse: lam, energy }, observer);
            }
            c.leaves = impact.after[n] > ZERO * largest;
            let slides = impact.after[s].abs() > ZERO * largest;
            c.slip = if slides { Slip::of(impact.after[s]) } else { None };
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
        if added > 1e-12 * size {
            self.counts.created.0 += 1;
            self.counts.created.1 += added;
        }
        self.impact = impact;
        self.close_series(touch);
    }

    pub(super) fn book(&mut self, contact: usize, impulse: [f64; 2], energy: f64) {
        self.totals.impulse[2 * contact] += impulse[0];
        self.totals.impulse[2 * contact + 1] += impulse[1];
        self.totals.impacts[contact] += energy;
        self.sampling.add(contact, impulse);
    }

    /// Closes all touching contacts if their bounces have become too low to follow.
    fn close_series(&mut self, touch: &mut [Touch]) {
        let Some(end) = touch.iter().filter_map(|c| c.series).reduce(f64::max) else { return };
        for c in touch {
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
        touch: &[Touch],
        observer: &mut O,
    ) {
        let t = self.state.t;
        for (contact, &before) in old.iter().enumerate() {
            let now = self.modes[contact];
            let silent = touch.iter().any(|c| c.contact == contact && c.series.is_some());
            let friction = self.info.contacts[contact].law.has_free_friction();
            let kind = match (before, now) {
                (a, b) if a == b => continue,
                (Mode::Open, _) => EventKind::Closes,
                (_, Mode::Open) => EventKind::Opens,
                _ if !friction => continue,
                (_, Mode::Stick) => EventKind::Sticks,
                (_, Mode::Slide(slip)) => EventKind::Slides(slip),
                (_, Mode::Slip | Mode::Closed | Mode::Fixed) => continue,
            };
            // The end of a series of impacts is shown when it is reached.
            if !(silent && kind == EventKind::Closes) {
                self.show(Event::change(t, contact, kind), observer);
            }
        }
    }
}
