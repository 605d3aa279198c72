//! Runs of scenes as the columns of their sensors.

use std::path::Path;
use stickslip::events::Section;
use stickslip::model::Model;
use stickslip::run::{Event, Flow, Observer, PassedStep, Report, Sample, run_until};
use stickslip_scene::{Scene, SensorBank, Visitor};

/// Keeps the values of sensors at every sample.
struct Values {
    bank: SensorBank,
    rows: Vec<(f64, Vec<f64>)>,
}

impl Observer for Values {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.bank.sample(sample);
        self.rows.push((sample.t, self.bank.values().to_vec()));
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}

    fn watches_steps(&self) -> bool {
        self.bank.watches_steps()
    }

    fn step(&mut self, step: &PassedStep<'_>) {
        self.bank.step(step);
    }
}

struct Whole<'s>(&'s Scene, &'s mut Values);

impl Visitor for Whole<'_> {
    type Output = Report;

    fn visit<M: Model>(self, model: &M) -> Report {
        let (start, settings, margin) = (self.0.start(), self.0.settings(), self.0.stop_margin());
        let mut stop = margin.map(|m| move |q: &[f64], u: &[f64], t: f64| m.value(q, u, t));
        let stop = stop.as_mut().map(|stop| stop as &mut dyn Section);
        run_until(model, &start, &settings, stop, self.1, &mut ()).unwrap()
    }
}

/// The columns of a run, by name.
pub(crate) struct Run {
    names: Vec<String>,
    pub(crate) rows: Vec<(f64, Vec<f64>)>,
}

impl Run {
    pub(crate) fn of(text: &str) -> Self {
        Self::of_scene(&Scene::from_str(text, "scene").unwrap_or_else(|e| panic!("{e}")))
    }

    /// A scene whose files are in a folder.
    pub(crate) fn within(folder: &Path, text: &str) -> Self {
        let scene = Scene::from_str_in(text, "scene", folder);
        Self::of_scene(&scene.unwrap_or_else(|e| panic!("{e}")))
    }

    fn of_scene(scene: &Scene) -> Self {
        let bank = scene.sensors().unwrap();
        let names = bank.columns().map(|(name, _)| name.to_owned()).collect();
        let mut values = Values { bank, rows: Vec::new() };
        scene.model().visit(Whole(scene, &mut values));
        Self { names, rows: values.rows }
    }

    fn at(&self, name: &str) -> usize {
        let found = self.names.iter().position(|n| n == name);
        found.unwrap_or_else(|| panic!("{name} is not among {:?}", self.names))
    }

    pub(crate) fn column(&self, name: &str) -> Vec<f64> {
        let at = self.at(name);
        self.rows.iter().map(|(_, row)| row[at]).collect()
    }

    #[track_caller]
    pub(crate) fn last(&self, name: &str, expected: f64, tolerance: f64) {
        let found = *self.column(name).last().unwrap();
        assert!((found - expected).abs() <= tolerance, "{name}: {found} is not {expected}");
    }
}
