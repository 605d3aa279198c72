//! A run of a simulation, from its state to an end time.

use super::Simulation;
use super::collect::Collector;
use std::cell::RefCell;
use stickslip::events::Section;
use stickslip::run::{Event, Flow, Observer, PassedStep, Report, Sample, Settings};
use stickslip::step::Integrator;
use stickslip_scene::recording::{Facts, Summary, Timing};
use stickslip_scene::{Scene, settings_json};

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
            let interrupted = shared.borrow_mut().interrupted();
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
