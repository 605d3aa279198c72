//! A run of bodies in space.

use super::settings::check_times;
use super::time_stepping::{APPROACH, CREATED, change, show, steps, unsolved_text};
use super::{Drift, End, Event, EventKind, Flow, Observer, Report, Sample, Stage, Stopwatch};
use crate::contact::Mode;
use crate::error::Error;
use crate::integrators::{SpaceOutcome, SpaceSettings, SpaceStepper};
use crate::mechanism::{Candidate, Mechanism};
use crate::system::State;

/// Settings of a run of bodies in space.
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceRun {
    /// The end time. Default 1.
    pub t_end: f64,
    /// The step. Default 1e-3.
    pub dt: f64,
    /// Between samples at least this much time passes; 0 for every step. Default 0.
    pub sample_dt: f64,
    /// Method, formulation, solver, tolerance.
    pub space: SpaceSettings,
}

impl Default for SpaceRun {
    fn default() -> Self {
        Self { t_end: 1.0, dt: 1e-3, sample_dt: 0.0, space: SpaceSettings::default() }
    }
}

impl SpaceRun {
    /// Refuses settings outside of their ranges, for a run that starts at `t`.
    pub fn validate(&self, t: f64) -> Result<(), Error> {
        self.space.validate()?;
        check_times(t, self.t_end, self.dt, self.sample_dt, true)
    }
}

/// Runs a mechanism from `start` to the end time of the settings, unless the observer stops it or a step has no certified
/// answer; the report says which, and its state is then the last good one.
///
/// Contacts in samples and events are the candidates of the mechanism, in their order. Their impulses stand one after the other,
/// each with all its components; gaps of connections are 0. The impulse of an event is the normal one and the size of the
/// friction. Penetration is reported where contacts are detected.
///
/// ```
/// use glam::DVec3;
/// use stickslip::bodies::{MassProperties, Pose, Twist, World};
/// use stickslip::run::{SpaceRun, run_space};
///
/// let mut world = World::new(DVec3::new(0.0, 0.0, -9.81))?;
/// world.body(MassProperties::sphere(1.0, 0.1)?);
/// let start = world.state(&[(Pose::default(), Twist::default())])?;
/// let settings = SpaceRun { t_end: 0.5, ..SpaceRun::default() };
/// let report = run_space(&mut world, &start, &settings, &mut (), &mut ())?;
/// assert!((report.state.q[2] + 0.5 * 9.81 * 0.25).abs() < 1e-12);
/// # Ok::<(), stickslip::Error>(())
/// ```
///
/// # Errors
/// If a setting or the start is out of range, does not go together with the model, or the first step cannot be made because the
/// model returns numbers that cannot be used.
pub fn run_space<M: Mechanism + ?Sized, O: Observer, W: Stopwatch>(
    mechanism: &mut M,
    start: &State,
    settings: &SpaceRun,
    observer: &mut O,
    watch: &mut W,
) -> Result<Report, Error> {
    if !start.t.is_finite() {
        return Err(Error::NotFinite { what: "the time of the start", t: start.t });
    }
    settings.validate(start.t)?;
    mechanism.validate(&start.q, &start.u)?;
    let mut stepper = SpaceStepper::new(mechanism, settings.space.clone())?;
    let mut state = start.clone();
    let mut log = Log::new(mechanism, &state)?;
    let steps = steps(settings.t_end - start.t, settings.dt);
    let mut flow = log.sample(mechanism, &state, observer)?;
    let mut end = End::Finished;
    for i in 0..steps {
        if flow == Flow::Stop {
            end = End::Stopped;
            break;
        }
        let t_next =
            if i + 1 == steps { settings.t_end } else { start.t + (i + 1) as f64 * settings.dt };
        let dt = t_next - state.t;
        let failed = match stepper.step(mechanism, &mut state, dt, watch) {
            Ok(Ok(())) => None,
            Ok(Err(unsolved)) => Some(unsolved_text(&state, &unsolved)),
            // What has been computed is not lost with the step that cannot be.
            Err(error) if i > 0 => Some(error.to_string()),
            Err(error) => return Err(error),
        };
        if let Some(reason) = failed {
            end = End::Failed(reason);
            break;
        }
        state.t = t_next;
        let fastest = stepper.problem().bias().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        log.record(&state, stepper.outcome(), mechanism.drive(), fastest, observer);
        log.report.redundancy = log.report.redundancy.max(mechanism.redundancy());
        if state.t - log.last_sample >= settings.sample_dt * (1.0 - 1e-9) || i + 1 == steps {
            flow = log.sample(mechanism, &state, observer)?;
        }
        watch.lap(Stage::Observe);
    }
    Ok(log.finish(mechanism, state, end))
}

/// What a run adds up.
struct Log {
    report: Report,
    modes: Vec<Mode>,
    next: Vec<Mode>,
    /// Where the impulses of each candidate begin, and all of them.
    starts: Vec<usize>,
    impulses: Vec<f64>,
    candidates: Vec<Candidate>,
    gaps: Vec<f64>,
    last_sample: f64,
}

impl Log {
    fn new<M: Mechanism + ?Sized>(mechanism: &mut M, state: &State) -> Result<Self, Error> {
        let energy = mechanism.energy(&state.q, &state.u, state.t);
        let mut log = Self {
            report: Report::start(state, energy),
            modes: Vec::new(),
            next: Vec::new(),
            starts: Vec::new(),
            impulses: Vec::new(),
            candidates: Vec::new(),
            gaps: Vec::new(),
            last_sample: state.t,
        };
        mechanism.detect(&state.q, state.t, &mut log.candidates)?;
        log.lay_out(&[]);
        Ok(log)
    }

    /// Room for all candidates: those seen last, or those of a step.
    fn lay_out(&mut self, seen: &[Candidate]) {
        let all = if seen.is_empty() { &self.candidates[..] } else { seen };
        self.modes.resize(all.len(), Mode::Open);
        self.starts.clear();
        let mut end = 0;
        for c in all {
            self.starts.push(end);
            end += c.law.components();
        }
        self.impulses.resize(end, 0.0);
    }

    /// Adds up the last step and shows its events.
    fn record<O: Observer>(
        &mut self,
        state: &State,
        o: &SpaceOutcome,
        drive: &[f64],
        fastest: f64,
        observer: &mut O,
    ) {
        self.lay_out(&o.candidates);
        let r = &mut self.report;
        r.steps += 1;
        r.iterations += o.iterations;
        r.contact_steps += usize::from(!o.active.is_empty());
        if o.certificate.worst > r.certificate.worst {
            (r.certificate, r.certificate_t) = (o.certificate, state.t);
        }
        self.next.clear();
        self.next.resize(self.modes.len(), Mode::Open);
        let (mut row, mut impacts, mut lost, mut size) = (0, 0, 0.0, 0.0);
        for (i, &c) in o.active.iter().enumerate() {
            self.next[c] = o.modes[i];
            let candidate = &o.candidates[c];
            let rows = row..row + candidate.law.components();
            row = rows.end;
            let mut energy = 0.0;
            for (k, j) in rows.clone().enumerate() {
                let part = 0.5 * o.impulse[j] * (o.before[j] + o.after[j]);
                energy += part;
                size += 0.5 * o.impulse[j].abs() * (o.before[j].abs() + o.after[j].abs());
                // A body that is moved does work of its own: the system feels Hᵀ u, not γ.
                r.contact_work += part - o.impulse[j] * drive.get(j).copied().unwrap_or(0.0);
                self.impulses[self.starts[c] + k] += o.impulse[j];
            }
            lost += energy;
            let n = rows.start;
            let struck = candidate.gap.is_some() && o.before[n] < -APPROACH * fastest;
            if struck && o.impulse[n] > 0.0 {
                impacts += 1;
                let friction = o.impulse[n + 1..rows.end].iter().map(|x| x * x).sum::<f64>().sqrt();
                let (kind, impulse) = (EventKind::Impact, [o.impulse[n], friction]);
                show(observer, r, &Event { t: state.t, contact: c, kind, impulse, energy });
            }
        }
        r.impacts += impacts;
        if impacts > 0 && lost > CREATED * size {
            r.energy_created.0 += 1;
            r.energy_created.1 += lost;
        }
        self.changes(state.t, &o.candidates, observer);
    }

    /// Shows what contacts began to do, and keeps the deepest interpenetration. Connections neither open nor close.
    fn changes<O: Observer>(&mut self, t: f64, candidates: &[Candidate], observer: &mut O) {
        for (c, candidate) in candidates.iter().enumerate() {
            let Some(gap) = candidate.gap else { continue };
            if let Some(kind) = change(self.modes[c], self.next[c]) {
                show(observer, &mut self.report, &Event::change(t, c, kind));
            }
            if -gap > self.report.drift.depth {
                self.report.drift = Drift { depth: -gap, contact: Some(c), t };
            }
        }
        std::mem::swap(&mut self.modes, &mut self.next);
    }

    fn sample<M: Mechanism + ?Sized, O: Observer>(
        &mut self,
        mechanism: &mut M,
        state: &State,
        observer: &mut O,
    ) -> Result<Flow, Error> {
        self.candidates.clear();
        mechanism.detect(&state.q, state.t, &mut self.candidates)?;
        self.lay_out(&[]);
        self.gaps.clear();
        self.gaps.extend(self.candidates.iter().map(|c| c.gap.unwrap_or(0.0)));
        let flow = observer.sample(&Sample {
            t: state.t,
            q: &state.q,
            u: &state.u,
            gaps: &self.gaps,
            impulses: &self.impulses,
            modes: &self.modes,
            energy: mechanism.energy(&state.q, &state.u, state.t),
        });
        self.impulses.fill(0.0);
        self.last_sample = state.t;
        Ok(flow)
    }

    fn finish<M: Mechanism + ?Sized>(
        mut self,
        mechanism: &mut M,
        state: State,
        end: End,
    ) -> Report {
        self.report.energy_end = mechanism.energy(&state.q, &state.u, state.t);
        self.report.end = end;
        self.report.state = state;
        self.report
    }
}
