//! Methods that weigh the forces of both ends of a step: Moreau and Jean's, Stewart and Trinkle's.

use super::{SpaceMethod, SpaceStepper};
use crate::error::Error;
use crate::integrators::Unsolved;
use crate::mechanism::{Mechanism, Weighted};
use crate::run::{Stage, Stopwatch};
use crate::system::State;
use complementarity::{Failure, Status};

/// Most iterations for the velocity at the end.
const ITERATIONS: usize = 100;
/// It is found when it changes by this share of itself.
const FOUND: f64 = 1e-13;
/// Changes that rounding or the tolerance of the contact problem keep from getting smaller count as found below this share.
const GOOD: f64 = 1e-9;

impl SpaceStepper {
    pub(super) fn weighted<M: Mechanism + ?Sized, W: Stopwatch>(
        &mut self,
        mechanism: &mut M,
        state: &mut State,
        dt: f64,
        watch: &mut W,
    ) -> Result<Result<(), Unsolved>, Error> {
        let method = self.settings.method;
        let (motion, forces) = match method {
            SpaceMethod::StewartTrinkle => (method.motion(), 0.0),
            _ => (method.motion(), method.motion()),
        };
        let State { t, q, u } = &*state;
        let step = Weighted { q, u, t: *t, dt, forces, motion };
        self.end.copy_from_slice(u);
        if method == SpaceMethod::StewartTrinkle {
            self.reach(mechanism, &step)?;
        } else {
            mechanism.advance(q, u, u, 0.5 * dt, &mut self.middle);
            self.detect(mechanism, *t + 0.5 * dt)?;
        }
        watch.lap(Stage::Detect);
        self.no_contact();
        if !self.outcome.active.is_empty() {
            mechanism.collect(&self.outcome.active);
            self.look(mechanism, (q, u, *t), dt);
        }
        if let Err(unsolved) = self.iterate(mechanism, &step, watch)? {
            return Ok(Err(unsolved));
        }
        watch.lap(Stage::Certify);
        self.displace(mechanism, &step, false);
        self.last.clear();
        self.last.extend_from_slice(&self.end);
        self.outcome.drift = 0.0;
        if self.settings.stabilise {
            self.outcome.drift = mechanism.stabilise(&mut self.q, &mut self.end, state.t + dt)?;
        }
        self.compare_ends(mechanism);
        self.end_step(state, dt);
        watch.lap(Stage::Advance);
        Ok(Ok(()))
    }

    /// u⁺ = u + Δt M⁻¹ (θ h(q⁺, u⁺, t⁺) + (1 − θ) h(q, u, t)) + M⁻¹ H Λ, with a contact problem in each iteration.
    fn iterate<M: Mechanism + ?Sized, W: Stopwatch>(
        &mut self,
        mechanism: &mut M,
        step: &Weighted<'_>,
        watch: &mut W,
    ) -> Result<Result<(), Unsolved>, Error> {
        let (mut last, mut iterations) = (f64::INFINITY, 0);
        for _ in 0..ITERATIONS {
            self.last.clear();
            self.last.extend_from_slice(&self.end);
            mechanism.weighted(step, &self.last, &mut self.free)?;
            watch.lap(Stage::Free);
            if self.outcome.active.is_empty() {
                self.end.copy_from_slice(&self.free);
            } else {
                mechanism.collect(&self.outcome.active);
                if let Err(unsolved) = self.contact(mechanism, step.dt, watch)? {
                    return Ok(Err(unsolved));
                }
                iterations += self.outcome.iterations;
                self.outcome.iterations = iterations;
            }
            let share = self.change(step.u);
            if step.forces == 0.0 || share <= FOUND || (share >= last && share < GOOD) {
                return Ok(Ok(()));
            }
            last = share;
        }
        let status = Status::Failed(Failure::IterationLimit);
        Ok(Err(Unsolved { status, worst: last }))
    }

    /// How much the velocity at the end changed in an iteration, as a share of the velocities that it is made of.
    fn change(&self, u: &[f64]) -> f64 {
        let (mut change, mut size) = (0.0_f64, 0.0_f64);
        let parts = self.free.iter().zip(u).map(|(a, b)| a.abs().max(b.abs()));
        for ((a, b), part) in self.end.iter().zip(&self.last).zip(parts) {
            change = change.max((a - b).abs());
            size = size.max(a.abs().max(b.abs()).max(part));
        }
        if change > 0.0 { change / size } else { change }
    }

    /// The contacts of the beginning: those within the margin, and those that the motion without contact reaches.
    fn reach<M: Mechanism + ?Sized>(
        &mut self,
        mechanism: &mut M,
        step: &Weighted<'_>,
    ) -> Result<(), Error> {
        self.middle.copy_from_slice(step.q);
        self.detect(mechanism, step.t)?;
        mechanism.weighted(step, step.u, &mut self.free)?;
        self.displace(mechanism, step, true);
        self.middle.copy_from_slice(&self.q);
        self.detect(mechanism, step.t + step.dt)?;
        self.gaps.clear();
        self.gaps.extend(self.outcome.candidates.iter().map(|c| c.gap));
        self.middle.copy_from_slice(step.q);
        self.detect(mechanism, step.t)?;
        let o = &mut self.outcome;
        o.active.clear();
        for (i, (c, then)) in o.candidates.iter().zip(&self.gaps).enumerate() {
            let restitution = c.gap.is_some() && (c.law.eps_n != 0.0 || c.law.eps_t != 0.0);
            if restitution {
                return Err(Error::Combination {
                    part: "stewart_trinkle",
                    other: "a contact with restitution",
                    reason: "its contacts close at the level of positions, where restitution has no meaning; set eps_n \
                             and eps_t to 0, or use moreau_midpoint or moreau_jean",
                });
            }
            let near = |gap: Option<f64>| gap.is_none_or(|g| g <= self.settings.margin);
            if near(c.gap) || near(*then) {
                o.active.push(i);
            }
        }
        Ok(())
    }

    /// The coordinates at the end, by the weighted velocity with that of the end, or with that without contact.
    fn displace<M: Mechanism + ?Sized>(&mut self, mechanism: &M, step: &Weighted<'_>, free: bool) {
        let end = if free { &self.free } else { &self.end };
        self.last.clear();
        let mean = |(a, b): (&f64, &f64)| step.motion * b + (1.0 - step.motion) * a;
        self.last.extend(step.u.iter().zip(end).map(mean));
        mechanism.advance(step.q, &self.last, &self.last, step.dt, &mut self.q);
    }
}
