//! A run of a simulation, from its state to an end time.

use super::Simulation;
use super::collect::Collector;
use super::motion::Motion;
use crate::error::misuse;
use crate::patience::Lookout;
use pyo3::PyResult;
use std::cell::RefCell;
use stickslip::contact::Mode;
use stickslip::events::Section;
use stickslip::run::{Event, Flow, Memory, Observer, PassedStep, Report, Sample, Settings};
use stickslip::step::Integrator;
use stickslip_scene::recording::{Facts, Summary, Timing};
use stickslip_scene::{MOST_SAMPLES, Scene, settings_json};

impl Simulation {
    /// As many samples as the scene asks for, whatever the end.
    pub(super) fn run_settings(&self, t_end: Option<f64>, sample_dt: Option<f64>) -> Settings {
        let t = self.motion.state().t;
        let samples = self.settings.t_end / self.settings.sample_dt;
        let t_end = t_end.unwrap_or(self.settings.t_end);
        Settings {
            t_end,
            dt: self.motion.dt(),
            sample_dt: sample_dt.unwrap_or((t_end - t) / samples),
            ..self.settings.clone()
        }
    }

    /// Refuses a run that would keep more samples than a scene may ask for.
    pub(super) fn check_samples(&self, settings: &Settings) -> PyResult<()> {
        let Settings { t_end, sample_dt, dt, .. } = *settings;
        let apart = match settings.step.integrator {
            Integrator::EventDriven => sample_dt,
            // There is at most one for each step.
            _ => sample_dt.max(dt),
        };
        let samples = (t_end - self.motion.state().t) / apart;
        if apart <= 0.0 || samples.is_nan() || samples <= MOST_SAMPLES as f64 {
            return Ok(());
        }
        let (key, given) = if apart == sample_dt { ("sample_dt", sample_dt) } else { ("dt", dt) };
        Err(misuse(format!(
            "{key} is {given}, with which a run to t = {t_end} would keep about {samples:.1e} samples; there may be at most {MOST_SAMPLES}: \
             give a larger sample_dt"
        )))
    }

    /// Runs from the state of the motion, with the condition that ends runs of the scene, and with an eye on Ctrl-C at every step.
    pub(super) fn go(
        &self,
        settings: &Settings,
        collector: &mut Collector<'_>,
    ) -> Result<Report, stickslip::Error> {
        let margin = self.source.as_scene().and_then(Scene::stop_margin);
        if settings.step.integrator == Integrator::EventDriven {
            let mut stop = margin.map(|m| move |q: &[f64], u: &[f64], t: f64| m.value(q, u, t));
            let stop = stop.as_mut().map(|stop| stop as &mut dyn Section);
            return self.motion.run(settings, stop, collector);
        }
        let shared = RefCell::new(collector);
        let mut stop = |q: &[f64], u: &[f64], t: f64| {
            let mut collector = shared.borrow_mut();
            collector.reach(q, u, t);
            let interrupted = collector.interrupted();
            match (&margin, interrupted) {
                (_, true) => 1.0,
                (Some(margin), false) => margin.value(q, u, t),
                (None, false) => -1.0,
            }
        };
        self.motion.run(settings, Some(&mut stop), &mut Shared(&shared))
    }

    pub(super) fn summary(
        &self,
        mut report: Report,
        samples: usize,
        settings: &Settings,
        seconds: f64,
    ) -> Summary {
        report.state = self.source.observe(&report.state);
        let facts = Facts {
            scene: self.name.clone(),
            source: None,
            parameters: self.source.parameters(),
            settings: settings_json(settings),
            samples,
            joined: self.source.as_scene().and_then(Scene::joined),
        };
        let timing = Timing { total: seconds, ..Timing::default() };
        let mut summary = Summary::new(facts, self.source.info(), &report, timing);
        summary.warnings = self.source.as_scene().map_or_else(Vec::new, |s| s.warnings().to_vec());
        summary
    }
}

/// Goes to the end of a run. One that a function ended is where it was seen last.
pub(super) fn arrive(
    motion: &mut dyn Motion,
    report: &Result<Report, stickslip::Error>,
    collector: &Collector<'_>,
    failed: bool,
) -> Result<(), stickslip::Error> {
    match (report, &collector.reached) {
        (Ok(report), _) => motion.end_run(&report.state, &collector.last),
        (Err(_), Some(state)) if failed => motion.set_state(state),
        _ => Ok(()),
    }
}

/// The collector while the condition that ends a run looks at it too.
struct Shared<'a, 'b, 'c>(&'a RefCell<&'b mut Collector<'c>>);

impl Observer for Shared<'_, '_, '_> {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.0.borrow_mut().sample(sample)
    }

    fn event(&mut self, event: &Event) {
        self.0.borrow_mut().event(event);
    }

    fn watches_steps(&self) -> bool {
        self.0.borrow().watches_steps()
    }

    fn step(&mut self, step: &PassedStep<'_>) {
        self.0.borrow_mut().step(step);
    }
}

/// An observer of a run that Ctrl-C ends.
pub(super) struct Watched<'a, O> {
    pub(super) observer: &'a mut O,
    pub(super) lookout: &'a mut Lookout,
}

impl<O: Observer> Observer for Watched<'_, O> {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.observer.sample(sample).and(flow(self.lookout.interrupted()))
    }

    fn event(&mut self, event: &Event) {
        self.observer.event(event);
    }

    fn leg(&mut self, _: &Memory) -> Flow {
        flow(self.lookout.interrupted())
    }
}

/// Whether a run goes on.
pub(super) fn flow(ends: bool) -> Flow {
    if ends { Flow::Stop } else { Flow::Continue }
}

/// What contacts did up to the last sample of a run.
#[derive(Default)]
pub(super) struct LastSample {
    t: f64,
    /// The time since the sample before, if there was one.
    pub(super) passed: Option<f64>,
    /// Of all contacts, in the order of the model.
    pub(super) modes: Vec<Mode>,
    /// Since the sample before, the components of each contact in turn.
    pub(super) impulses: Vec<f64>,
    begun: bool,
}

impl Observer for LastSample {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.passed = self.begun.then_some(sample.t - self.t);
        (self.t, self.begun) = (sample.t, true);
        self.modes.clear();
        self.modes.extend_from_slice(sample.modes);
        self.impulses.clear();
        self.impulses.extend_from_slice(sample.impulses);
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}
}
