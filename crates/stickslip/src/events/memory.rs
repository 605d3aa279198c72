//! What an event-driven motion has to remember between two legs of a run.
//!
//! The next leg begins as the motion does after an event: the first step has no polynomial to continue, and event functions are armed by their
//! values. Its length and all sizes that rounding is measured by go on.

use super::Settings;
use super::accumulation::Series;
use super::flow::{Counts, EventDriven, Totals};
use crate::contact::Mode;
use crate::error::Error;
use crate::memory::{Archive, Archived, Unreadable};
use crate::model::Model;
use crate::system::{Energy, State};

/// The steps of a leg: the one that begins anew costs less than a hundredth of them.
pub(super) const LEG: usize = 128;

/// A motion between two steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    state: State,
    modes: Vec<Mode>,
    skims: Vec<bool>,
    slips: Vec<[f64; 3]>,
    /// Of each closed contact the direction of its slip now, and the slip that rounding makes of none.
    along: Vec<([f64; 3], f64)>,
    h: f64,
    at_once: usize,
    energy_start: Energy,
    totals: Totals,
    counts: Counts,
    evaluations: [usize; 2],
    series: Vec<Series>,
    waiting: Vec<(usize, f64)>,
    sampling: Samples,
    noise: Noise,
    reference: Option<Vec<f64>>,
}

/// Where the samples stand.
#[derive(Clone, Debug, Default)]
struct Samples {
    start: f64,
    next: usize,
    last: f64,
    struck: bool,
    since: Vec<f64>,
}

/// What rounding is measured by.
#[derive(Clone, Debug, Default)]
struct Noise {
    gaps: Vec<f64>,
    slips: Vec<f64>,
    section: f64,
    speeds: Vec<f64>,
    parts: Vec<f64>,
    load: f64,
    /// What coordinates have covered.
    reach: Vec<f64>,
}

impl Memory {
    pub(crate) fn t(&self) -> f64 {
        self.state.t
    }
}

impl<'a, M: Model> EventDriven<'a, M> {
    pub(super) fn memory(&self) -> Memory {
        let (motion, watch, s) = (&self.motion, &self.watch, &self.sampling);
        let (start, next, last, struck) = (s.start, s.next, s.last, s.struck);
        Memory {
            state: self.state.clone(),
            modes: self.modes.clone(),
            skims: self.skims.clone(),
            slips: self.slips.clone(),
            along: motion.closed.iter().map(|c| (c.along, c.noise)).collect(),
            h: self.h,
            at_once: self.at_once,
            energy_start: self.energy_start,
            totals: self.totals.clone(),
            counts: self.counts.clone(),
            evaluations: [motion.evaluations, motion.contact_evaluations],
            series: self.accumulation.series.clone(),
            waiting: self.accumulation.waiting.clone(),
            sampling: Samples { start, next, last, struck, since: s.since.clone() },
            noise: Noise {
                gaps: watch.gap_noise.clone(),
                slips: watch.slip_noise.clone(),
                section: watch.section_size,
                speeds: self.step.size_u.clone(),
                parts: motion.parts.clone(),
                load: motion.load,
                reach: self.step.reach.clone(),
            },
            reference: motion.reference.clone(),
        }
    }

    /// A motion that goes on from a memory.
    ///
    /// # Errors
    /// If the memory is not one of this model, or as [`new`](Self::new).
    pub(super) fn recall(model: &'a M, settings: &Settings, kept: &Memory) -> Result<Self, Error> {
        let mut motion = Self::at(model, &kept.state, settings)?;
        motion.check_memory(kept)?;
        motion.modes.clone_from(&kept.modes);
        motion.skims.clone_from(&kept.skims);
        motion.slips.clone_from(&kept.slips);
        motion.watch.gap_noise.clone_from(&kept.noise.gaps);
        motion.watch.slip_noise.clone_from(&kept.noise.slips);
        motion.watch.section_size = kept.noise.section;
        motion.mode_chosen();
        for (closed, (along, noise)) in motion.motion.closed.iter_mut().zip(&kept.along) {
            (closed.along, closed.now, closed.noise) = (*along, *along, *noise);
            closed.friction = along.map(|x| -x);
        }
        motion.motion.parts.clone_from(&kept.noise.parts);
        motion.motion.load = kept.noise.load;
        motion.motion.reference.clone_from(&kept.reference);
        [motion.motion.evaluations, motion.motion.contact_evaluations] = kept.evaluations;
        motion.step.size_u.clone_from(&kept.noise.speeds);
        motion.step.reach.clone_from(&kept.noise.reach);
        (motion.h, motion.at_once) = (kept.h, kept.at_once);
        motion.energy_start = kept.energy_start;
        motion.totals.clone_from(&kept.totals);
        motion.counts.clone_from(&kept.counts);
        motion.accumulation.series.clone_from(&kept.series);
        motion.accumulation.waiting.clone_from(&kept.waiting);
        let (s, from) = (&mut motion.sampling, &kept.sampling);
        (s.start, s.next, s.last, s.struck) = (from.start, from.next, from.last, from.struck);
        s.since.clone_from(&from.since);
        motion.take_gaps()?;
        Ok(motion)
    }

    /// Refuses a memory whose lists are not of the sizes of the model.
    fn check_memory(&self, kept: &Memory) -> Result<(), Error> {
        let (n, rows, dof) = (self.modes.len(), self.totals.impulse.len(), self.state.u.len());
        let open = |m: &&Mode| matches!(m, Mode::Open | Mode::Fixed);
        let closed = kept.modes.len() - kept.modes.iter().filter(open).count();
        let (totals, noise) = (&kept.totals, &kept.noise);
        let sizes = [
            (kept.modes.len(), n),
            (kept.skims.len(), n),
            (kept.slips.len(), n),
            (kept.along.len(), closed),
            (totals.impulse.len(), rows),
            (totals.friction.len(), n),
            (totals.impacts.len(), n),
            (totals.drive.len(), n),
            (kept.series.len(), n),
            (kept.waiting.iter().map(|w| w.0 + 1).max().unwrap_or(n).max(n), n),
            (kept.sampling.since.len(), rows),
            (noise.gaps.len(), n),
            (noise.slips.len(), n),
            (noise.speeds.len(), dof),
            (noise.parts.len(), dof),
            (noise.reach.len(), dof),
        ];
        match sizes.into_iter().find(|(found, expected)| found != expected) {
            Some((found, expected)) => {
                Err(Error::Size { what: "a list of a memory of a run", expected, found })
            }
            None => Ok(()),
        }
    }
}

impl Archived for Memory {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self {
            state,
            modes,
            skims,
            slips,
            along,
            h,
            at_once,
            energy_start,
            totals,
            counts,
            evaluations,
            series,
            waiting,
            sampling: Samples { start, next, last, struck, since },
            noise: Noise { gaps, slips: slip_noise, section, speeds, parts, load, reach },
            reference,
        } = self;
        state.pass(archive)?;
        modes.pass(archive)?;
        skims.pass(archive)?;
        slips.pass(archive)?;
        along.pass(archive)?;
        energy_start.pass(archive)?;
        totals.pass(archive)?;
        counts.pass(archive)?;
        evaluations.pass(archive)?;
        series.pass(archive)?;
        waiting.pass(archive)?;
        struck.pass(archive)?;
        reference.pass(archive)?;
        for number in [h, start, last, section, load] {
            number.pass(archive)?;
        }
        for count in [at_once, next] {
            count.pass(archive)?;
        }
        for list in [since, gaps, slip_noise, speeds, parts, reach] {
            list.pass(archive)?;
        }
        Ok(())
    }
}

impl Archived for Totals {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { impulse, friction, impacts, drive, forces } = self;
        for list in [impulse, friction, impacts, drive] {
            list.pass(archive)?;
        }
        forces.pass(archive)
    }
}

impl Archived for Counts {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self {
            steps,
            impacts,
            events,
            transitions,
            iterations,
            certificate,
            certificate_t,
            worst,
            created,
            drift,
            constraint_drift,
            redundancy,
            start_moved,
            idle,
        } = self;
        for count in [steps, impacts, events, transitions, iterations, redundancy, idle] {
            count.pass(archive)?;
        }
        certificate.pass(archive)?;
        certificate_t.pass(archive)?;
        worst.pass(archive)?;
        created.pass(archive)?;
        drift.pass(archive)?;
        constraint_drift.pass(archive)?;
        start_moved.pass(archive)
    }
}

impl Archived for Series {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { times, count, first, velocity, fastest, followers } = self;
        times.pass(archive)?;
        count.pass(archive)?;
        first.pass(archive)?;
        velocity.pass(archive)?;
        fastest.pass(archive)?;
        followers.pass(archive)
    }
}
