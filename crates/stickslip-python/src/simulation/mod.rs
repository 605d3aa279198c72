//! A scene that moves.

mod callables;
mod choices;
mod collect;
mod difference;
mod jacobian;
mod motion;
mod questions;
mod run;
mod source;
mod system;

use crate::arrays::{number, vector};
use crate::error::{Raise, StepError, misuse};
use crate::patience::{Failure, Lookout};
use crate::value::python;
use choices::Choices;
use collect::{Calls, Collector};
use difference::Side;
use jacobian::Question;
use motion::Motion;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use questions::{AnalysisLimits, GivenQuestion};
use source::{Description, Source};
use std::sync::Arc;
use std::time::Instant;
use stickslip::State;
use stickslip::contact::Mode;
use stickslip::contact::solve::Formulation;
use stickslip::run::{End, Observer, Settings, StepEnd};
use stickslip::step::Integrator;
use stickslip_scene::{Scene, SceneModel, settings_json};
use system::Control;

/// The step and the number of samples of systems of Python functions, where nobody says.
const DT: f64 = 1e-4;
const SAMPLES: f64 = 1000.0;

/// A scene or a system, and where its motion is.
#[pyclass(subclass, name = "NativeSimulation")]
pub(crate) struct Simulation {
    name: String,
    source: Source,
    settings: Settings,
    motion: Box<dyn Motion>,
    control: Option<Arc<Control>>,
    /// What a function of Python raised, if the system or a section is one.
    failure: Failure,
    /// The start, and the state of solvers there.
    begin: Vec<u8>,
}

#[pymethods]
impl Simulation {
    /// A name of the gallery or a path, unless there is a text.
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        text: Option<&str>,
        parameters: Vec<(String, f64)>,
        choices: Choices,
        system: Option<Description<'_>>,
    ) -> PyResult<Self> {
        match system {
            Some(system) => Self::of_system(name, system, choices),
            None => py.detach(|| Self::of_scene(name, text, &parameters, choices)),
        }
    }

    /// The name of the scene or system.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The title of the scene.
    #[getter]
    fn title(&self) -> &str {
        self.source.as_scene().map_or(&self.name, |scene| &scene.title)
    }

    /// What the scene shows.
    #[getter]
    fn description(&self) -> &str {
        self.source.as_scene().map_or("", |scene| &scene.description)
    }

    /// All parameters of the scene with their values.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, value) in self.source.as_scene().iter().flat_map(|s| &s.parameters) {
            all.set_item(name, value)?;
        }
        Ok(all)
    }

    /// The names of the coordinates of the model.
    #[getter]
    fn coordinates(&self) -> Vec<String> {
        self.source.own_info().coordinates.clone()
    }

    /// The names of the velocities of the model.
    #[getter]
    fn velocities(&self) -> Vec<String> {
        self.source.own_info().velocities.clone()
    }

    /// What of the scene has no effect: settings that do nothing, parts of robot files that have no place.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let Some(scene) = self.source.as_scene() else { return Vec::new() };
        let idle = scene.idle(&self.settings).into_iter().map(|warning| warning.to_string());
        scene.warnings().iter().cloned().chain(idle).collect()
    }

    /// The settings of runs, by name.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let settings = Settings { dt: self.motion.dt(), ..self.settings.clone() };
        python(py, &settings_json(&settings))
    }

    /// The time; assign a number to change it.
    #[getter]
    fn t(&self) -> f64 {
        self.motion.state().t
    }

    #[setter]
    fn set_t(&mut self, t: &Bound<'_, PyAny>) -> PyResult<()> {
        let t = number(t, "t")?;
        self.change(|state| state.t = t)
    }

    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.motion.state().q)
    }

    fn set_q_native(&mut self, q: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let q = vector(&q)?;
        self.change(|state| state.q = q)
    }

    #[getter]
    fn u<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.motion.state().u)
    }

    fn set_u_native(&mut self, u: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let u = vector(&u)?;
        self.change(|state| state.u = u)
    }

    /// The length of steps; assign a number to change it.
    #[getter]
    fn dt(&self) -> f64 {
        self.motion.dt()
    }

    #[setter]
    fn set_dt(&mut self, dt: &Bound<'_, PyAny>) -> PyResult<()> {
        self.motion.set_dt(number(dt, "dt")?).raise()
    }

    /// A coordinate or velocity by name.
    fn __getitem__(&self, name: &str) -> PyResult<f64> {
        let mut state = self.motion.state().clone();
        self.source.entry(&mut state, name).map(|value| *value)
    }

    /// Sets a coordinate or velocity by name.
    fn __setitem__(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut state = self.motion.state().clone();
        *self.source.entry(&mut state, name)? = number(value, name)?;
        let set = self.motion.set_state(&state);
        self.checked(set)
    }

    #[getter]
    fn force<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.check_controllable()?;
        let mut force = self.control.as_ref().map(|control| control.get()).unwrap_or_default();
        force.resize(self.motion.state().u.len(), 0.0);
        Ok(PyArray1::from_slice(py, &force))
    }

    /// Whether forces can be set: in generalised coordinates, in those of joints, and for rigid bodies.
    #[getter]
    fn controllable(&self) -> bool {
        let scene = self.source.as_scene();
        !scene.is_some_and(|scene| matches!(scene.model(), SceneModel::PointMasses(..)))
    }

    fn set_force_native(&mut self, force: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let (control, force) = (self.controlled()?, vector(&force)?);
        let (expected, found) = (self.motion.state().u.len(), force.len());
        if expected != found {
            return Err(misuse(format!(
                "force has {found} entries; there are {expected} velocities, and each has one"
            )));
        }
        if let Some(i) = force.iter().position(|f| !f.is_finite()) {
            return Err(misuse(format!("force[{i}] is {}; it must be finite", force[i])));
        }
        control.set(&force);
        Ok(())
    }

    /// Makes one step, whole or in shorter parts, and returns the time at its end.
    ///
    /// Raises `StepError` if no answer meets the tolerance; the state is then the last good one.
    fn step(&mut self, py: Python<'_>) -> PyResult<f64> {
        let (motion, mut lookout) = (&mut self.motion, Lookout::new(&self.failure));
        let end = py.detach(|| motion.step(&mut lookout));
        self.check_functions()?;
        lookout.raised()?;
        match end.map_err(|e| self.source.refused(e)).raise()? {
            StepEnd::Done { .. } => Ok(self.motion.state().t),
            StepEnd::Failed(reason) => Err(StepError::new_err(reason)),
        }
    }

    /// How long so many steps take without Python, in seconds.
    fn step_seconds_native(&mut self, steps: usize) -> PyResult<f64> {
        let time = self.motion.time_steps(steps);
        Ok(self.checked(time)?.as_secs_f64())
    }

    /// Back to the start, without a force that was set.
    fn reset(&mut self) -> PyResult<()> {
        if let Some(control) = &self.control {
            control.set(&[]);
        }
        let restored = self.motion.restore(&self.begin);
        self.checked(restored)
    }

    /// All that the next steps depend on, as bytes for this version of the library.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.motion.save())
    }

    /// Goes back to where `save` was called.
    fn restore(&mut self, saved: &[u8]) -> PyResult<()> {
        let restored = self.motion.restore(saved);
        self.checked(restored)
    }

    fn contacts_native<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let (info, list) = (self.source.info(), PyList::empty(py));
        let contacts = py.detach(|| self.motion.contacts());
        for (i, contact) in self.checked(contacts)?.into_iter().enumerate() {
            let bodies = contact.point.map(|point| point.bodies);
            let one = PyDict::new(py);
            one.set_item("name", info.contact_name(i, bodies))?;
            one.set_item("gap", contact.gap)?;
            let last = contact.last.as_ref();
            let array = |x: &Vec<f64>| PyArray1::from_slice(py, x);
            one.set_item("mode", last.map(|last| last.mode.name()))?;
            one.set_item("impulse", last.map(|last| array(&last.impulse)))?;
            one.set_item("force", last.map(|last| array(&last.force)))?;
            let names = bodies.map(|both| both.map(|b| info.bodies.get(b).cloned()));
            one.set_item("bodies", names)?;
            one.set_item("position", contact.point.map(|p| PyArray1::from_slice(py, &p.position)))?;
            one.set_item("normal", contact.point.map(|p| PyArray1::from_slice(py, &p.normal)))?;
            list.append(one)?;
        }
        Ok(list)
    }

    /// Kinetic and potential energy of the state.
    fn energy(&self) -> PyResult<(f64, f64)> {
        let energy = self.motion.energy();
        self.check_functions()?;
        Ok((energy.kinetic, energy.potential))
    }

    #[pyo3(signature = (t_end, sample_dt, control, callback))]
    fn run_native<'py>(
        &mut self,
        py: Python<'py>,
        t_end: Option<f64>,
        sample_dt: Option<f64>,
        control: Option<Py<PyAny>>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let settings = self.run_settings(t_end, sample_dt);
        self.check_samples(&settings)?;
        let event_driven = settings.step.integrator == Integrator::EventDriven;
        if event_driven && (control.is_some() || callback.is_some()) {
            return Err(misuse(
                "control and callback act at every step, and event_driven has none; choose a time-stepping integrator",
            ));
        }
        let control = control.map(|f| Ok::<_, PyErr>((f, self.controlled()?))).transpose()?;
        let held = control.as_ref().map(|(_, force)| force.get());
        let mut collector =
            Collector::new(&self.source, Calls { control, callback }, &self.failure)?;
        if collector.watches_steps() {
            collector.call(self.motion.state());
        }
        let start = Instant::now();
        let report = py.detach(|| self.go(&settings, &mut collector));
        if let (Some(held), Some(control)) = (held, &self.control) {
            control.set(&held);
        }
        // The functions are called again at the end of the run, which is where the simulation stays.
        let failed = self.check_functions();
        let ended = run::arrive(&mut *self.motion, &report, &collector, failed.is_err());
        failed.and(self.check_functions())?;
        let mut report = report.map_err(|e| self.source.refused(e)).raise()?;
        ended.raise()?;
        let (error, stopped) = (collector.error.take(), collector.stop);
        let samples = collector.samples();
        let answer = collector.finish(py)?;
        if let Some(error) = error {
            return Err(error);
        }
        if stopped {
            report.end = End::Stopped;
        }
        let seconds = start.elapsed().as_secs_f64();
        answer
            .set_item("summary", python(py, &self.summary(report, samples, &settings, seconds))?)?;
        Ok(answer)
    }

    /// The names of local coordinates and velocities: the rows of derivatives.
    #[getter]
    fn point_names_native(&self) -> Vec<String> {
        self.point_names()
    }

    fn jacobian_native<'py>(
        &mut self,
        py: Python<'py>,
        t_end: Option<f64>,
        by: (Vec<String>, bool),
        controls: Option<PyReadonlyArray2<'_, f64>>,
        side: &str,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (State { t, u, .. }, (parameters, state)) = (self.motion.state(), by);
        let t_end = t_end.unwrap_or(t + self.motion.dt());
        let side = match side {
            "both" => Side::Both,
            "up" => Side::Up,
            "down" => Side::Down,
            _ => return Err(misuse(format!("side is `{side}`; it is both, up or down"))),
        };
        let mut rows = Vec::new();
        if let Some(controls) = &controls {
            let array = controls.as_array();
            if array.ncols() != u.len() || array.nrows() == 0 {
                return Err(misuse(format!(
                    "controls has the shape {:?}; each row has a force of all {} velocities",
                    array.shape(),
                    u.len()
                )));
            }
            rows = array.rows().into_iter().map(|row| row.to_vec()).collect();
        }
        self.differentiate(py, &Question { t_end, state, parameters, controls: rows, side })
    }

    fn cycle_native<'py>(
        &self,
        py: Python<'py>,
        question: GivenQuestion,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.find_cycle(py, question)
    }

    fn analyze_native<'py>(
        &self,
        py: Python<'py>,
        sensitivity: Vec<String>,
        limits: AnalysisLimits,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.analyze_state(py, sensitivity, &limits)
    }
}

/// The names of modes, by their numbers in arrays.
#[pyfunction]
pub(crate) fn mode_names() -> Vec<&'static str> {
    Mode::ALL.iter().map(|mode| mode.name()).collect()
}

/// The scenes that come with the library: names and titles.
#[pyfunction]
pub(crate) fn gallery() -> Vec<(&'static str, String)> {
    let title = |text: &str, name: &str| Scene::from_str(text, name).map(|scene| scene.title);
    let entries = stickslip_scene::gallery().iter();
    entries.map(|e| (e.name, title(e.text, e.name).unwrap_or_default())).collect()
}

/// The threads of the solver, if somebody says how many.
fn use_threads(settings: &mut Settings, threads: Option<usize>) {
    if let (Some(threads), Some(solve)) = (threads, &mut settings.step.solve) {
        solve.threads = threads;
    }
}

impl Simulation {
    fn of_scene(
        name: &str,
        text: Option<&str>,
        parameters: &[(String, f64)],
        choices: Choices,
    ) -> PyResult<Self> {
        let base = match text {
            Some(text) => Scene::from_str(text, name),
            None => Scene::open(name),
        };
        let mut scene = base.raise()?;
        if !parameters.is_empty() {
            let values: Vec<_> = parameters.iter().map(|(n, v)| (n.as_str(), *v)).collect();
            scene = scene.with_overrides(&values).raise()?;
        }
        if !choices.rho.is_empty() {
            scene = scene.with_rho(&choices.rho).raise()?;
        }
        let threads = choices.threads;
        let mut settings = scene.settings_for(&choices.read()?).raise()?;
        use_threads(&mut settings, threads);
        let stem = std::path::Path::new(name).file_stem();
        let name = stem.map_or_else(|| name.to_owned(), |s| s.to_string_lossy().into_owned());
        let made = motion::of_scene(&scene, &settings, false);
        let (motion, control) = made.map_err(|e| scene.refused(e)).raise()?;
        let (source, begin) = (Source::Scene(Box::new(scene)), motion.save());
        let failure = Failure::default();
        Ok(Self { name, source, settings, motion, control, failure, begin })
    }

    fn of_system(name: &str, system: Description<'_>, choices: Choices) -> PyResult<Self> {
        let (system, start, source) = system.read()?;
        let (failure, threads, choices) =
            (system.failure.clone(), choices.threads, choices.read()?);
        let mut base = Settings { dt: DT, sample_dt: 1.0 / SAMPLES, ..Settings::default() };
        let solve = base.step.solve.get_or_insert_default();
        solve.solver = choices.solver.unwrap_or_default();
        if !solve.solver.takes_lcps() {
            solve.formulation = Formulation::Cone;
        }
        let mut settings = choices.over(base, &choices).raise()?;
        use_threads(&mut settings, threads);
        let made = motion::of_system(system, &start, &settings);
        failure.raised()?;
        let (motion, control) = made.raise()?;
        let (name, begin) = (name.to_owned(), motion.save());
        Ok(Self { name, source, settings, motion, control, failure, begin })
    }

    /// Raises what a function of Python raised.
    fn check_functions(&self) -> PyResult<()> {
        self.failure.raised()
    }

    /// A result of the library; what a function of Python raised comes before what was made of that.
    fn checked<T>(&self, result: Result<T, stickslip::Error>) -> PyResult<T> {
        self.check_functions()?;
        result.raise()
    }

    fn change(&mut self, change: impl FnOnce(&mut State)) -> PyResult<()> {
        let mut state = self.motion.state().clone();
        change(&mut state);
        let set = self.motion.set_state(&state);
        self.checked(set)
    }

    /// The force that Python sets. A motion of bodies goes on as one that has it.
    fn controlled(&mut self) -> PyResult<Arc<Control>> {
        self.check_controllable()?;
        if let (None, Source::Scene(scene)) = (&self.control, &self.source) {
            let made = motion::of_scene(scene, &self.settings, true);
            let (mut motion, control) = made.map_err(|e| scene.refused(e)).raise()?;
            motion.set_dt(self.motion.dt()).raise()?;
            motion.restore(&self.motion.save()).raise()?;
            (self.motion, self.control) = (motion, control);
        }
        self.control.clone().ok_or_else(|| misuse("no force can be set for this simulation"))
    }

    fn check_controllable(&self) -> PyResult<()> {
        if self.controllable() {
            return Ok(());
        }
        Err(misuse(
            "forces can be set in generalised coordinates, in those of joints, and for rigid bodies, not for point masses; \
             choose another model of the bodies",
        ))
    }
}
