//! A run with a time-stepping method.

use super::{
    Drift, End, Event, EventKind, Flow, Observer, Report, Sample, Settings, Stage, Stopwatch,
};
use crate::contact::Mode;
use crate::error::Error;
use crate::integrators::{Integrator, Stepper, Unsolved};
use crate::system::{State, System, SystemInfo};

/// A contact that approaches faster than this share of the velocities of its problem takes an impact.
pub(super) const APPROACH: f64 = 1e-6;

/// Impacts create energy where they add more than this share of the works of their parts; less is rounding.
pub(super) const CREATED: f64 = 1e-12;

pub(super) fn run<S: System + ?Sized, O: Observer, W: Stopwatch>(
    system: &mut S,
    start: &State,
    settings: &Settings,
    observer: &mut O,
    watch: &mut W,
) -> Result<Report, Error> {
    let mut stepper = stepper(system.info(), settings)?;
    let mut state = start.clone();
    let mut log = Log::new(system, &state);
    let steps = steps(settings.t_end - start.t, settings.dt);
    let mut flow = log.sample(system, &state, observer);
    let mut end = End::Finished;
    for i in 0..steps {
        if flow == Flow::Stop {
            end = End::Stopped;
            break;
        }
        let t_next =
            if i + 1 == steps { settings.t_end } else { start.t + (i + 1) as f64 * settings.dt };
        let dt = t_next - state.t;
        let failed = match stepper.step(system, &mut state, dt, watch) {
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
        log.record(system, &state, &stepper, observer);
        if state.t - log.last_sample >= settings.sample_dt * (1.0 - 1e-9) || i + 1 == steps {
            flow = log.sample(system, &state, observer);
        }
        watch.lap(Stage::Observe);
    }
    Ok(log.finish(system, state, end))
}

fn stepper(info: &SystemInfo, s: &Settings) -> Result<Stepper, Error> {
    let stepper = match s.integrator {
        Integrator::MoreauJean => Stepper::jean(info, s.jean, s.solve.clone(), s.impact)?,
        _ => Stepper::midpoint(info, s.solve.clone(), s.impact)?,
    };
    Ok(if s.correction { stepper.with_correction(info) } else { stepper })
}

/// Steps of length dt, the last one shortened; a share of 1e-9 of a step is rounding.
pub(super) fn steps(duration: f64, dt: f64) -> u64 {
    ((duration / dt - 1e-9).ceil() as u64).max(1)
}

pub(super) fn unsolved_text(state: &State, unsolved: &Unsolved) -> String {
    format!(
        "the step from t = {} has no certified answer: {} (worst measure {:.1e}); try a smaller dt, another formulation or solver",
        state.t, unsolved.status, unsolved.worst
    )
}

/// What a run adds up.
struct Log {
    report: Report,
    modes: Vec<Mode>,
    next: Vec<Mode>,
    impulses: Vec<f64>,
    gaps: Vec<f64>,
    last_sample: f64,
}

impl Log {
    fn new<S: System + ?Sized>(system: &mut S, state: &State) -> Self {
        let k = system.info().contacts.len();
        let energy = system.energy(&state.q, &state.u, state.t);
        Self {
            report: Report::start(state, energy),
            modes: vec![Mode::Open; k],
            next: vec![Mode::Open; k],
            impulses: vec![0.0; 2 * k],
            gaps: vec![0.0; k],
            last_sample: state.t,
        }
    }

    /// Adds up the last step and shows its events.
    fn record<S: System + ?Sized, O: Observer>(
        &mut self,
        system: &mut S,
        state: &State,
        stepper: &Stepper,
        observer: &mut O,
    ) {
        let o = stepper.outcome();
        let r = &mut self.report;
        r.steps += 1;
        r.iterations += o.iterations;
        r.contact_steps += usize::from(!o.active.is_empty());
        if o.certificate.worst > r.certificate.worst {
            (r.certificate, r.certificate_t) = (o.certificate, state.t);
        }
        self.next.fill(Mode::Open);
        let v_ref = stepper.problem().bias().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let (mut work, mut lost, mut size, mut impacts) = (0.0, 0.0, 0.0, 0);
        for (i, &c) in o.active.iter().enumerate() {
            self.next[c] = o.modes[i];
            let lam = [o.impulse[2 * i], o.impulse[2 * i + 1]];
            let part = |r: usize| 0.5 * o.impulse[r] * (o.before[r] + o.after[r]);
            let energy = part(2 * i) + part(2 * i + 1);
            lost += energy;
            let terms =
                |r: usize| 0.5 * o.impulse[r].abs() * (o.before[r].abs() + o.after[r].abs());
            size += terms(2 * i) + terms(2 * i + 1);
            // A wall that moves does work of its own: the system feels w·u, not γ.
            let drive = &stepper.drive()[2 * i..2 * i + 2];
            work += energy - lam[0] * drive[0] - lam[1] * drive[1];
            self.impulses[2 * c] += lam[0];
            self.impulses[2 * c + 1] += lam[1];
            if lam[0] > 0.0 && o.before[2 * i] < -APPROACH * v_ref {
                impacts += 1;
                let kind = EventKind::Impact;
                show(observer, r, &Event { t: state.t, contact: c, kind, impulse: lam, energy });
            }
        }
        r.impacts += impacts;
        r.contact_work += work;
        if impacts > 0 && lost > CREATED * size {
            r.energy_created.0 += 1;
            r.energy_created.1 += lost;
        }
        for c in 0..self.modes.len() {
            if let Some(kind) = change(self.modes[c], self.next[c]) {
                show(observer, r, &Event::change(state.t, c, kind));
            }
        }
        std::mem::swap(&mut self.modes, &mut self.next);
        self.depth(system, state);
    }

    /// Keeps the deepest interpenetration.
    fn depth<S: System + ?Sized>(&mut self, system: &mut S, state: &State) {
        system.gaps(&state.q, state.t, &mut self.gaps);
        for c in 0..self.gaps.len() {
            if -self.gaps[c] > self.report.drift.depth {
                self.report.drift = Drift { depth: -self.gaps[c], contact: Some(c), t: state.t };
            }
        }
    }

    fn sample<S: System + ?Sized, O: Observer>(
        &mut self,
        system: &mut S,
        state: &State,
        observer: &mut O,
    ) -> Flow {
        system.gaps(&state.q, state.t, &mut self.gaps);
        let flow = observer.sample(&Sample {
            t: state.t,
            q: &state.q,
            u: &state.u,
            gaps: &self.gaps,
            impulses: &self.impulses,
            modes: &self.modes,
            energy: system.energy(&state.q, &state.u, state.t),
        });
        self.impulses.fill(0.0);
        self.last_sample = state.t;
        flow
    }

    fn finish<S: System + ?Sized>(mut self, system: &mut S, state: State, end: End) -> Report {
        self.report.energy_end = system.energy(&state.q, &state.u, state.t);
        self.report.end = end;
        self.report.state = state;
        self.report
    }
}

pub(super) fn show<O: Observer>(observer: &mut O, report: &mut Report, event: &Event) {
    report.events += 1;
    observer.event(event);
}

/// What a change of mode is called.
pub(super) fn change(from: Mode, to: Mode) -> Option<EventKind> {
    match (from, to) {
        (a, b) if a == b => None,
        (_, Mode::Open) => Some(EventKind::Opens),
        (Mode::Open, _) => Some(EventKind::Closes),
        (_, Mode::Stick) => Some(EventKind::Sticks),
        (_, Mode::Slide(slip)) => Some(EventKind::Slides(slip)),
        (_, Mode::Slip | Mode::Closed | Mode::Fixed) => None,
    }
}
