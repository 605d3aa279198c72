//! A run by steps of a given size, leg by leg.

use super::grid::Grid;
use super::log::Log;
use super::memory::{Kept, Memory, Stepping, leg};
use super::parts::{StepEnd, step_to};
use super::{End, Flow, Observer, Report, Settings, Stage, Stopwatch, steps};
use crate::error::Error;
use crate::events::Section;
use crate::model::{Model, check_sizes};
use crate::step::Stepper;
use crate::system::State;

/// A run between two steps.
pub(super) struct SteppingRun<'a, M: Model> {
    model: &'a M,
    settings: &'a Settings,
    start: f64,
    steps: u64,
    grid: Grid,
    /// Whether impacts are sampled apart from the regular samples.
    coarse: bool,
    /// The number of the next step.
    next: u64,
    state: State,
    before: State,
    sampled: f64,
    flow: Flow,
    stepper: Stepper<M>,
    /// Samples are taken elsewhere than where contacts of steps are.
    place: M::Place,
    log: Log,
}

impl<'a, M: Model> SteppingRun<'a, M> {
    /// Before the first step, at a state whose sample is taken.
    pub(super) fn begin<O: Observer + ?Sized>(
        model: &'a M,
        start: &State,
        settings: &'a Settings,
        observer: &mut O,
    ) -> Result<Self, Error> {
        let mut run = Self::at(model, start, settings, start.t)?;
        run.flow = run.log.sample(model, &mut run.place, start, observer)?;
        Ok(run)
    }

    /// Where a memory was taken.
    pub(super) fn recall(
        model: &'a M,
        settings: &'a Settings,
        kept: &Stepping,
    ) -> Result<Self, Error> {
        check_sizes(model, &kept.state.q, &kept.state.u)?;
        let mut run = Self::at(model, &kept.state, settings, kept.start)?;
        run.stepper.recall(&kept.stepper)?;
        run.log.recall(&kept.log)?;
        (run.next, run.sampled) = (kept.next, kept.sampled);
        Ok(run)
    }

    fn at(model: &'a M, state: &State, settings: &'a Settings, start: f64) -> Result<Self, Error> {
        let stepper = Stepper::new(model, settings.step.clone())?;
        let mut place = M::Place::default();
        Ok(Self {
            log: Log::new(model, &mut place, state, settings.step.integrator)?,
            model,
            settings,
            start,
            steps: steps(settings.t_end - start, settings.dt),
            grid: Grid::new(start, settings.dt),
            coarse: settings.sample_dt > settings.dt * (1.0 + 1e-9),
            next: 0,
            state: state.clone(),
            before: state.clone(),
            sampled: state.t,
            flow: Flow::Continue,
            stepper,
            place,
        })
    }

    fn memory(&self) -> Stepping {
        Stepping {
            start: self.start,
            next: self.next,
            sampled: self.sampled,
            state: self.state.clone(),
            stepper: self.stepper.memory(),
            log: self.log.memory(),
        }
    }

    /// Goes on to the end.
    pub(super) fn finish<O: Observer + ?Sized, W: Stopwatch>(
        mut self,
        condition: &mut Option<&mut dyn Section>,
        observer: &mut O,
        watch: &mut W,
    ) -> Result<Report, Error> {
        let leg = leg(self.model);
        let end = loop {
            if self.flow == Flow::Stop {
                break End::Stopped;
            }
            if let Some(end) = self.step(condition, observer, watch)? {
                break end;
            }
            if self.next.is_multiple_of(leg) && self.flow == Flow::Continue {
                let memory = Memory(Kept::Stepping(Box::new(self.memory())));
                if observer.leg(&memory) == Flow::Stop {
                    self.sample_end(observer)?;
                    break End::Stopped;
                }
                let Memory(Kept::Stepping(kept)) = memory else { continue };
                self = Self::recall(self.model, self.settings, &kept)?;
            }
        };
        Ok(self.log.finish(self.model, self.state, end))
    }

    /// The next step, whole or in parts; how the run ended, if it did.
    fn step<O: Observer + ?Sized, W: Stopwatch>(
        &mut self,
        condition: &mut Option<&mut dyn Section>,
        observer: &mut O,
        watch: &mut W,
    ) -> Result<Option<End>, Error> {
        let i = self.next;
        self.next += 1;
        let last = self.next == self.steps;
        let t_next = if last { self.settings.t_end } else { self.grid.time(i + 1) };
        let Self { model, stepper, state, before, log, place, flow, coarse, .. } = self;
        let mut recorder = PartRecorder { model: *model, log, place, flow, coarse: *coarse };
        let end = step_to(stepper, *model, (state, before), t_next, watch, |stepper, from, to| {
            recorder.record(stepper, from, to, observer)
        });
        match end {
            Ok(StepEnd::Done { split, swept }) => self.log.count_split(split, swept),
            Ok(StepEnd::Failed(reason)) => return Ok(Some(End::Failed(reason))),
            // What has been computed is not lost with the step that cannot be.
            Err(error) if i > 0 => return Ok(Some(End::Failed(error.to_string()))),
            Err(error) => return Err(error),
        }
        let State { t, q, u } = &self.state;
        let met = condition.as_mut().is_some_and(|c| c.value(q, u, *t) >= 0.0);
        if t - self.sampled >= self.settings.sample_dt * (1.0 - 1e-9) || last || met {
            self.sampled = *t;
            self.sample_end(observer)?;
        }
        watch.lap(Stage::Observe);
        Ok(match (met, last) {
            (true, _) => Some(End::Condition),
            (false, true) => Some(End::Finished),
            _ => None,
        })
    }

    /// The sample of the state, unless it was taken.
    fn sample_end<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Result<(), Error> {
        if self.state.t > self.log.last_sample() {
            let flow = self.log.sample(self.model, &mut self.place, &self.state, observer)?;
            self.flow = self.flow.and(flow);
        }
        Ok(())
    }
}

/// What parts of steps are written down with.
struct PartRecorder<'a, M: Model> {
    model: &'a M,
    log: &'a mut Log,
    place: &'a mut M::Place,
    flow: &'a mut Flow,
    coarse: bool,
}

impl<M: Model> PartRecorder<'_, M> {
    /// Adds up the part of a step between two states, with samples before and after an impact.
    fn record<O: Observer + ?Sized>(
        &mut self,
        stepper: &Stepper<M>,
        before: &State,
        after: &State,
        observer: &mut O,
    ) -> Result<(), Error> {
        let Self { model, log, place, flow, coarse } = self;
        let work = log.add_force_work(*model, before, after);
        let (outcome, problem) = (stepper.outcome(), stepper.problem());
        log.make_room(*model, stepper.place(), &outcome.candidates);
        let jumps = *coarse && log.is_struck(outcome, problem);
        if jumps && before.t > log.last_sample() {
            **flow = flow.and(log.sample(*model, place, before, observer)?);
        }
        log.record(after.t, (*model, stepper.place()), (outcome, problem), observer);
        log.add_gain(*model, before, after, work);
        log.show_step((*model, stepper.place()), (outcome, problem), [before, after], observer);
        if jumps {
            **flow = flow.and(log.sample(*model, place, after, observer)?);
        }
        Ok(())
    }
}
