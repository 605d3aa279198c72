//! Steps of the smooth motion: their lengths, and where in them the first event is.

use super::flow::EventDriven;
use super::gauss::STAGES;
use super::motion::Trouble;
use super::step::channel;
use super::tolerance::{FORCES, HELD};
use super::watch::{Scene, Section, Sight, Subject};
use crate::error::Error;
use crate::model::Model;
use crate::system::State;

/// Attempts at one step, and corrections of an event's time.
const ATTEMPTS: usize = 60;
const CORRECTIONS: usize = 4;

/// A step is not shortened below this share of its first length to see how functions leave zero.
const SHORTEST: f64 = 1e-8;

/// An event in this first share of a step is looked for again in a step of this much times ten: rounding of what the whole step amounts to
/// hides where it is.
const NEAR_START: f64 = 1e-3;

/// The first step moves no coordinate by more than this times the coordinates and gaps, however long the run.
const FAR: f64 = 1e8;

/// How often in a mode. A function that rounding hides for longer than that has fallen.
const AT_ONCE: usize = 8;

/// The largest rotation of a body in a step, in radians: local coordinates end at a whole turn.
const TURN: f64 = 1.0;

/// What one step came to.
pub(super) enum Progress {
    Smooth,
    Event,
    Failed(String),
}

impl<M: Model> EventDriven<'_, M> {
    /// One step towards `limit`, or to the first event before it. On return the step is solved and its end
    /// is to be accepted.
    pub(super) fn smooth(
        &mut self,
        limit: f64,
        section: &mut Option<&mut dyn Section>,
    ) -> Result<Progress, Error> {
        let mut guess = self.begin_step(section)?;
        let room = limit - self.step.t;
        let mut h = if self.h > 0.0 { self.h } else { self.first_length(1e-3 * room) };
        h = h.min(self.settings.max_step).min(TURN / self.model.turn(&self.step.u0));
        let shortest = (SHORTEST * h).max(8.0 * f64::EPSILON * self.step.t.abs());
        let mut sight = Sight::TooLong;
        for _ in 0..ATTEMPTS {
            // A last crumb would be a step of its own.
            let length = if 1.1 * h > room { room } else { h };
            let (next, seen) = self.attempt(length, guess, section)?;
            sight = seen;
            match sight {
                Sight::Nothing => {
                    self.h = next.max(if length < h { self.h } else { 0.0 });
                    return Ok(Progress::Smooth);
                }
                Sight::Event(tau) if tau < NEAR_START && length > shortest => {
                    h = 10.0 * NEAR_START * length;
                }
                Sight::Event(tau) => {
                    self.h = next.min(h.max(self.h));
                    if self.locate(tau, section)? {
                        self.counts.idle = 0;
                        return Ok(Progress::Event);
                    }
                    h = 0.5 * length;
                }
                Sight::TooLong => h = next,
                Sight::AtOnce if length <= shortest || self.at_once >= AT_ONCE => {
                    self.stay();
                    return Ok(Progress::Event);
                }
                Sight::AtOnce => {
                    self.at_once += 1;
                    h = 0.05 * length;
                }
            }
            if h < 0.01 * shortest {
                break;
            }
            guess = (0.0, 0.0);
        }
        Ok(Progress::Failed(self.stuck(sight)))
    }

    /// At most `longest`, and so short that velocities and accelerations of the start do not take coordinates far beyond what is there.
    fn first_length(&self, longest: f64) -> f64 {
        let (step, acc) = (&self.step, &self.sampling.acc);
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let size = largest(&step.q0).max(largest(&self.gaps));
        if size == 0.0 {
            return longest;
        }
        let by_velocity = FAR * size / largest(&step.u0);
        let by_acceleration = (2.0 * FAR * size / largest(acc)).sqrt();
        longest.min(by_velocity).min(by_acceleration)
    }

    fn stuck(&self, sight: Sight) -> String {
        let t = self.step.t;
        match sight {
            Sight::AtOnce => format!("the motion leaves every mode at once at t = {t}"),
            _ if self.step.unheld > HELD => format!(
                "closed contacts are not held at t = {t}: the last digit of the forces on them moves them by more than {HELD:.0e} of \
                 the motion, however short the step; take units or forces of fewer orders of magnitude"
            ),
            _ => format!(
                "the step size vanishes at t = {t}: forces grow without bound there (a Painlevé \
                 singularity or a stiff force)"
            ),
        }
    }

    /// Puts the step at the state; returns where the series of accelerations at hand belongs.
    fn begin_step(&mut self, section: &mut Option<&mut dyn Section>) -> Result<(f64, f64), Error> {
        if !self.fresh {
            let length = self.step.h;
            self.step.follow(self.model);
            self.watch.follow();
            if self.motion.followers().next().is_some() {
                let (step, acc) = (&self.step, &mut self.sampling.acc);
                let at = self.motion.evaluate(
                    (self.model, &mut self.place),
                    &step.q0,
                    &step.u0,
                    step.t,
                    acc,
                );
                if let Err(Trouble::Model(error)) = at {
                    return Err(error);
                }
                self.motion.turn_slips();
                self.watch.restart_slips(&self.motion);
            }
            return Ok((-length, length));
        }
        let State { t, q, u } = &self.state;
        let acc = &mut self.sampling.acc;
        match self.motion.evaluate((self.model, &mut self.place), q, u, *t, acc) {
            Ok(()) => {}
            Err(Trouble::Model(error)) => return Err(error),
            Err(Trouble::Singular) => acc.fill(0.0),
        }
        // Once every closed contact has had its turn without progress, redundant forces that lie on the limits of the laws are taken, so
        // that all contacts at their limits begin to slide together.
        let in_vain = self.counts.idle > self.motion.closed.len();
        if self.counts.idle > 0 && self.motion.centre_redundant(in_vain) {
            // The state is the one just evaluated, and the accelerations are the same but for those of redundant slips.
            let again = self.motion.evaluate((self.model, &mut self.place), q, u, *t, acc);
            if let Err(Trouble::Model(error)) = again {
                return Err(error);
            }
        }
        self.motion.turn_slips();
        self.motion.keep_sizes(self.model);
        self.step.restart(self.model, (q, u, *t), acc);
        let (model, motion, step) = ((self.model, &mut self.place), &mut self.motion, &self.step);
        let section = reborrow(section);
        self.watch.start(&mut Scene { model, motion, step, section })?;
        self.fresh = false;
        Ok((0.0, 0.0))
    }

    /// Tries a step: the length to go on with, and what it shows.
    fn attempt(
        &mut self,
        h: f64,
        guess: (f64, f64),
        section: &mut Option<&mut dyn Section>,
    ) -> Result<(f64, Sight), Error> {
        let shorter = 0.3 * h;
        match self.step.attempt((self.model, &mut self.place), &mut self.motion, h, guess) {
            Ok(true) => {}
            // A trial that runs out of the model's domain is a step too long, unless it is at its start.
            Err(Trouble::Model(error)) if h <= 1e-12 * self.step.t.abs() => return Err(error),
            Ok(false) | Err(_) => return Ok((shorter, Sight::TooLong)),
        }
        let (velocity, forces) = self.step.error(&self.motion);
        let error = velocity.max(forces / FORCES) / self.settings.tolerance;
        let factor = 0.9 * error.max(1e-30).powf(-1.0 / STAGES as f64);
        if error > 1.0 {
            return Ok((h * factor.clamp(0.2, 0.9), Sight::TooLong));
        }
        let (unheld, accurate) = (self.step.unheld, FORCES * self.settings.tolerance);
        if unheld > accurate && !self.motion.refine {
            self.motion.refine = true;
            return Ok((h, Sight::TooLong));
        }
        // Where nothing has moved yet there is nothing to compare with.
        if unheld > HELD.max(accurate) && unheld.is_finite() {
            return Ok((shorter, Sight::TooLong));
        }
        // Many sweeps say that a longer step would not converge, or cost more than it gains.
        let growth = match self.step.sweeps {
            0..=14 => 4.0,
            15..=20 => 1.0,
            _ => 0.7,
        };
        let next = h * factor.clamp(0.5, growth);
        let (model, motion, step) = ((self.model, &mut self.place), &mut self.motion, &self.step);
        let section = reborrow(section);
        match self.watch.look(&mut Scene { model, motion, step, section }) {
            Ok(Sight::TooLong) => Ok((shorter, Sight::TooLong)),
            Ok(sight) => Ok((next, sight)),
            Err(_) => Ok((shorter, Sight::TooLong)),
        }
    }

    /// Makes the step end at the event: the polynomial's zero is corrected by steps of just that length.
    fn locate(&mut self, tau: f64, section: &mut Option<&mut dyn Section>) -> Result<bool, Error> {
        let Some(&subject) = self.watch.fired.first() else { return Ok(false) };
        let Some(slope) = self.slope(subject, tau, section) else { return Ok(false) };
        let whole = self.step.h;
        let (mut h, mut guess) = (tau * whole, (0.0, whole));
        for _ in 0..CORRECTIONS {
            let solved =
                self.step.attempt((self.model, &mut self.place), &mut self.motion, h, guess);
            if !matches!(solved, Ok(true)) {
                return Ok(false);
            }
            let (model, motion, step) =
                ((self.model, &mut self.place), &mut self.motion, &self.step);
            let section = reborrow(section);
            let mut scene = Scene { model, motion, step, section };
            let Ok(value) = self.watch.value_at_end(&mut scene, subject) else { return Ok(false) };
            let correction = value / slope;
            let rounding = 2.0 * f64::EPSILON * self.step.t.abs().max(h);
            // At a grazing zero the slope vanishes and the polynomial's zero is as good as any.
            if !(correction.abs() > rounding) || correction.abs() > 1e-6 * whole {
                return Ok(true);
            }
            guess = (0.0, h);
            h = (h - correction).clamp(0.0, whole);
        }
        Ok(matches!(
            self.step.attempt((self.model, &mut self.place), &mut self.motion, h, guess),
            Ok(true)
        ))
    }

    /// The rate of a function in time near the share τ of the step.
    fn slope(
        &mut self,
        subject: Subject,
        tau: f64,
        section: &mut Option<&mut dyn Section>,
    ) -> Option<f64> {
        let (model, motion, step) = ((self.model, &mut self.place), &mut self.motion, &self.step);
        let mut scene = Scene { model, motion, step, section: reborrow(section) };
        let (left, right) = ((tau - 1e-4).max(0.0), (tau + 1e-4).min(1.0));
        let low = self.watch.value_at(&mut scene, subject, left).ok()?;
        let high = self.watch.value_at(&mut scene, subject, right).ok()?;
        Some((high - low) / ((right - left) * self.step.h))
    }

    /// An event at the start of the step.
    fn stay(&mut self) {
        self.step.stay();
        self.counts.idle += 1;
    }

    /// Takes the end of the step as the state and adds up what its forces did.
    pub(super) fn accept(&mut self) -> Result<(), Error> {
        let step = &self.step;
        self.state.q.copy_from_slice(&step.q1);
        self.state.u.copy_from_slice(&step.u1);
        self.state.t = step.t + step.h;
        if step.h == 0.0 {
            return Ok(());
        }
        self.counts.steps += 1;
        self.motion.keep_sizes(self.model);
        for (i, c) in self.motion.closed.iter().enumerate() {
            let part = |r: usize| step.integral(channel(c, i) + r, 1.0);
            let to = &mut self.totals.impulse[self.starts[c.contact]..];
            (0..c.rows).for_each(|r| to[r] += part(r));
            self.totals.friction[c.contact] += part(c.rows);
            self.totals.drive[c.contact] += part(c.rows + 1);
        }
        let first = step.reaction_channel(&self.motion);
        for (i, &candidate) in self.motion.at.inside.candidates.iter().enumerate() {
            self.totals.impulse[self.starts[candidate]] += step.integral(first + 2 * i, 1.0);
            self.totals.drive[candidate] += step.integral(first + 2 * i + 1, 1.0);
        }
        self.totals.forces += step.integral(step.power_channel(), 1.0);
        self.step.cover(&self.motion.parts);
        if !self.motion.closed.is_empty() {
            let certificate = self.motion.certificate(&self.step.peak)?;
            self.certify(certificate);
        }
        Ok(())
    }
}

/// Lends a section for a while.
fn reborrow<'a>(section: &'a mut Option<&mut dyn Section>) -> Option<&'a mut dyn Section> {
    match section {
        Some(s) => Some(&mut **s),
        None => None,
    }
}
