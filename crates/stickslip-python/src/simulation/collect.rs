//! What is kept of a run: columns of numbers, modes, events, and the contacts that a model finds itself.

use crate::error::{Raise, misuse, raised_in_run};
use crate::patience::{Failure, Lookout};
use crate::simulation::run::{LastSample, flow};
use crate::simulation::source::Source;
use crate::simulation::system::Control;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use stickslip::contact::Mode;
use stickslip::run::{Event, Flow, Memory, Observer, PassedStep, Sample};
use stickslip::{State, SystemInfo};
use stickslip_scene::recording::{Cells, Column, Track, trajectory_columns};
use stickslip_scene::{SampleFunction, Scene, SceneModel, SensorBank};

/// Functions of Python that are called at every step.
#[derive(Default)]
pub(crate) struct Calls {
    /// Returns the forces of the coordinates.
    pub(crate) control: Option<(Py<PyAny>, Arc<Control>)>,
    /// Ends the run where it returns `False`, of Python or of NumPy.
    pub(crate) callback: Option<Py<PyAny>>,
}

/// Collects a run.
pub(crate) struct Collector<'a> {
    source: &'a Source,
    plain: bool,
    columns: Vec<(Column, Vec<f64>)>,
    modes: Vec<Vec<u8>>,
    energies: [Vec<f64>; 2],
    forces: Vec<Vec<f64>>,
    outputs: Vec<SampleFunction>,
    sensors: Option<SensorBank>,
    track: Track,
    events: Events,
    found: Option<Found>,
    calls: Calls,
    lookout: Lookout,
    pub(crate) last: LastSample,
    /// Where a system of Python functions is, which a run that a function ended does not report.
    pub(crate) reached: Option<State>,
    /// An exception: of Ctrl-C, or of a function of Python.
    pub(crate) error: Option<PyErr>,
    /// Whether the run is to end at this step.
    pub(crate) stop: bool,
}

#[derive(Default)]
struct Events {
    t: Vec<f64>,
    contact: Vec<String>,
    event: Vec<&'static str>,
    numbers: [Vec<f64>; 3],
}

/// Contacts that the model found, one after the other.
#[derive(Default)]
struct Found {
    sample: Vec<i64>,
    bodies: [Vec<i64>; 2],
    gap: Vec<f64>,
    mode: Vec<u8>,
    /// Position, normal, tangent and impulse.
    vectors: [Vec<f64>; 4],
}

fn number_of(mode: Mode) -> u8 {
    let found = Mode::ALL.iter().position(|m| *m == mode);
    found.and_then(|i| u8::try_from(i).ok()).unwrap_or(u8::MAX)
}

impl<'a> Collector<'a> {
    pub(crate) fn new(source: &'a Source, calls: Calls, failure: &Failure) -> PyResult<Self> {
        let (info, scene) = (source.info(), source.as_scene());
        let sensors = scene.and_then(Scene::sensors);
        let mut columns = trajectory_columns(info, &source.units());
        columns.retain(|column| column.cells == Cells::Numbers);
        let sensed = sensors.iter().flat_map(SensorBank::columns);
        columns.extend(sensed.map(|(name, unit)| Column::number(name, unit, "sensor")));
        let mut outputs = Vec::new();
        for (scene, output) in scene.iter().flat_map(|s| s.outputs.iter().map(move |o| (s, o))) {
            outputs.push(scene.output(&output.value).raise()?);
            let unit = output.unit.as_deref().unwrap_or_default();
            columns.push(Column::number(&output.name, unit, &output.value));
        }
        let model = scene.map(Scene::model);
        let components = info.contacts.iter().map(|c| c.law.components()).sum();
        Ok(Self {
            source,
            plain: matches!(model, None | Some(SceneModel::Generalised(_))),
            columns: columns.into_iter().map(|column| (column, Vec::new())).collect(),
            modes: vec![Vec::new(); info.contacts.len()],
            energies: Default::default(),
            forces: vec![Vec::new(); components],
            outputs,
            sensors,
            track: Track::new(info),
            events: Events::default(),
            found: model.is_some_and(SceneModel::finds_contacts).then(Found::default),
            calls,
            lookout: Lookout::new(failure),
            last: LastSample::default(),
            reached: None,
            error: None,
            stop: false,
        })
    }

    pub(crate) fn samples(&self) -> usize {
        self.energies[0].len()
    }

    /// Looks for Ctrl-C and for exceptions of the system's functions; true if the run is to end.
    pub(crate) fn interrupted(&mut self) -> bool {
        if self.lookout.interrupted() {
            self.stop = true;
            if let Err(error) = self.lookout.raised() {
                self.fail(error);
            }
        }
        self.stop
    }

    /// Keeps a state that a run has reached, where its functions may fail.
    pub(crate) fn reach(&mut self, q: &[f64], u: &[f64], t: f64) {
        if self.source.as_scene().is_none() {
            self.reached = Some(State { t, q: q.to_vec(), u: u.to_vec() });
        }
    }

    fn fail(&mut self, error: PyErr) {
        self.stop = true;
        self.error.get_or_insert(error);
    }

    /// Calls the functions of Python at a state.
    pub(crate) fn call(&mut self, state: &State) {
        if self.error.is_some() {
            return;
        }
        let called =
            Python::attach(|py| self.calls.at(py, state).map_err(|error| raised_in_run(py, error)));
        match called {
            Ok(true) => {}
            Ok(false) => self.stop = true,
            Err(error) => self.fail(error),
        }
    }

    fn push(&mut self, sample: &Sample<'_>, values: &[f64]) {
        let info = self.source.info();
        let rows = cells(info, sample).chain(values.iter().copied());
        self.columns.iter_mut().zip(rows).for_each(|((_, column), x)| column.push(x));
        for (i, modes) in self.modes.iter_mut().enumerate() {
            modes.push(sample.modes.get(i).map_or(0, |mode| number_of(*mode)));
        }
        self.energies[0].push(sample.energy.kinetic);
        self.energies[1].push(sample.energy.potential);
        let number = self.samples() as i64 - 1;
        if let Some(found) = &mut self.found {
            found.push(number, info, sample);
        }
    }

    /// Everything as arrays.
    pub(crate) fn finish<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = self.source.info();
        let (columns, units) = (PyDict::new(py), PyDict::new(py));
        for (column, numbers) in self.columns {
            units.set_item(&column.name, column.unit)?;
            columns.set_item(column.name, numbers.into_pyarray(py))?;
        }
        let (modes, forces) = (PyDict::new(py), PyDict::new(py));
        let mut numbers = self.forces.into_iter();
        let of_forces = self.source.units().forces;
        for (i, (contact, own)) in info.contacts.iter().zip(self.modes).enumerate() {
            modes.set_item(&contact.name, own.into_pyarray(py))?;
            for component in stickslip_scene::answers::components(&contact.law) {
                let name = format!("{}.{component}", contact.name);
                units.set_item(&name, of_forces.get(i).map_or("", String::as_str))?;
                forces.set_item(name, numbers.next().unwrap_or_default().into_pyarray(py))?;
            }
        }
        let [kinetic, potential] = self.energies;
        let answer = PyDict::new(py);
        answer.set_item("columns", columns)?;
        answer.set_item("units", units)?;
        answer.set_item("modes", modes)?;
        answer.set_item("forces", forces)?;
        answer.set_item("kinetic", kinetic.into_pyarray(py))?;
        answer.set_item("potential", potential.into_pyarray(py))?;
        answer.set_item("events", self.events.finish(py)?)?;
        answer.set_item("found", self.found.map(|found| found.finish(py, info)).transpose()?)?;
        Ok(answer)
    }
}

/// A line of the trajectory without modes: t, q, u, and of each contact its gap, if it has one, and its impulses.
fn cells<'a>(info: &'a SystemInfo, s: &'a Sample<'_>) -> impl Iterator<Item = f64> + 'a {
    let mut row = 0;
    let contacts = info.contacts.iter().enumerate().flat_map(move |(i, contact)| {
        let normals = contact.law.kind.normals();
        let own = row..row + contact.law.components();
        row = own.end;
        let gap = (normals == 1).then(|| s.gaps.get(i).copied().unwrap_or(f64::NAN));
        gap.into_iter().chain(own.map(|k| s.impulses.get(k).copied().unwrap_or(f64::NAN)))
    });
    std::iter::once(s.t).chain(s.q.iter().copied()).chain(s.u.iter().copied()).chain(contacts)
}

impl Observer for Collector<'_> {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.last.sample(sample);
        self.reach(sample.q, sample.u, sample.t);
        let force = self.track.mean_force(sample.t);
        let forces: Vec<f64> = sample.impulses.iter().map(|x| force(*x)).collect();
        for (i, column) in self.forces.iter_mut().enumerate() {
            column.push(forces.get(i).copied().unwrap_or(f64::NAN));
        }
        if let Some(sensors) = &mut self.sensors {
            sensors.sample(sample);
        }
        let sensed = self.sensors.as_ref().map_or(&[][..], SensorBank::values);
        let outputs = self.outputs.iter().map(|o| o.value(sample, &forces, sensed));
        let values: Vec<f64> = sensed.iter().copied().chain(outputs).collect();
        self.track.push(sample);
        if self.plain {
            self.push(sample, &values);
        } else {
            let own = State { t: sample.t, q: sample.q.to_vec(), u: sample.u.to_vec() };
            let State { q, u, .. } = self.source.observe(&own);
            self.push(&Sample { q: &q, u: &u, ..*sample }, &values);
        }
        flow(self.interrupted())
    }

    fn event(&mut self, event: &Event) {
        self.track.note(event);
        let events = &mut self.events;
        events.t.push(event.t);
        events.contact.push(self.source.info().contact_name(event.contact, event.bodies));
        events.event.push(event.kind.name());
        let [normal, tangential, energy] = &mut events.numbers;
        normal.push(event.impulse[0]);
        tangential.push(event.impulse[1]);
        energy.push(event.energy);
    }

    fn watches_steps(&self) -> bool {
        let sensed = self.sensors.as_ref().is_some_and(SensorBank::watches_steps);
        sensed || self.calls.control.is_some() || self.calls.callback.is_some()
    }

    fn step(&mut self, step: &PassedStep<'_>) {
        if let Some(sensors) = &mut self.sensors {
            sensors.step(step);
        }
        if self.calls.control.is_some() || self.calls.callback.is_some() {
            self.call(step.to);
        }
    }

    fn leg(&mut self, _: &Memory) -> Flow {
        flow(self.interrupted())
    }
}

impl Calls {
    /// Calls both; false if the run is to end.
    fn at(&self, py: Python<'_>, state: &State) -> PyResult<bool> {
        let array = |x: &[f64]| PyArray1::from_slice(py, x);
        let go_on = match &self.callback {
            None => true,
            Some(callback) => {
                let answer = callback.call1(py, (state.t, array(&state.q), array(&state.u)))?;
                // Of Python or of NumPy; what is no truth value lets the run go on.
                !answer.extract::<bool>(py).is_ok_and(|go_on| !go_on)
            }
        };
        if let Some((control, force)) = &self.control {
            let answer = control.call1(py, (state.t, array(&state.q), array(&state.u)))?;
            force.set(&forces(answer.bind(py), state.u.len())?);
        }
        Ok(go_on)
    }
}

/// The forces that a controller returned.
fn forces(answer: &Bound<'_, PyAny>, expected: usize) -> PyResult<Vec<f64>> {
    let arrays = answer.py().import("stickslip._arrays")?;
    let array = arrays.call_method1("numbers", (answer, "the answer of the controller"))?;
    let array: PyReadonlyArray1<'_, f64> = array.call_method1("reshape", (-1,))?.extract()?;
    let force = crate::arrays::vector(&array)?;
    if force.len() != expected {
        let found = force.len();
        return Err(misuse(format!(
            "the controller returned {found} forces; there are {expected} velocities, and each has one"
        )));
    }
    match force.iter().position(|f| !f.is_finite()) {
        Some(i) => {
            Err(misuse(format!("force {i} of the controller is {}; it must be finite", force[i])))
        }
        None => Ok(force),
    }
}

impl Events {
    fn finish<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let [normal, tangential, energy] = self.numbers;
        let events = PyDict::new(py);
        events.set_item("t", self.t.into_pyarray(py))?;
        events.set_item("contact", self.contact)?;
        events.set_item("event", self.event)?;
        events.set_item("impulse_n", normal.into_pyarray(py))?;
        events.set_item("impulse_t", tangential.into_pyarray(py))?;
        events.set_item("energy", energy.into_pyarray(py))?;
        Ok(events)
    }
}

impl Found {
    /// The contacts of a sample after those that have names.
    fn push(&mut self, number: i64, info: &SystemInfo, sample: &Sample<'_>) {
        let mut row: usize = info.contacts.iter().map(|c| c.law.components()).sum();
        let from = info.contacts.len();
        for (i, point) in sample.points.iter().enumerate().skip(from) {
            let Some(point) = point else { continue };
            let own = sample.impulses.get(row..row + point.components).unwrap_or_default();
            row += point.components;
            self.sample.push(number);
            self.bodies.iter_mut().zip(point.bodies).for_each(|(list, b)| list.push(b as i64));
            self.gap.push(sample.gaps.get(i).copied().unwrap_or(f64::NAN));
            self.mode.push(sample.modes.get(i).map_or(0, |mode| number_of(*mode)));
            let [position, normal, tangent, impulse] = &mut self.vectors;
            position.extend(point.position);
            normal.extend(point.normal);
            tangent.extend(point.tangent);
            impulse.extend(point.spread(own));
        }
    }

    fn finish<'py>(self, py: Python<'py>, info: &SystemInfo) -> PyResult<Bound<'py, PyDict>> {
        let [first, second] = self.bodies;
        let [position, normal, tangent, impulse] = self.vectors;
        let found = PyDict::new(py);
        found.set_item("sample", self.sample.into_pyarray(py))?;
        found.set_item("first", first.into_pyarray(py))?;
        found.set_item("second", second.into_pyarray(py))?;
        found.set_item("gap", self.gap.into_pyarray(py))?;
        found.set_item("mode", self.mode.into_pyarray(py))?;
        for (name, list) in [("position", position), ("normal", normal), ("tangent", tangent)] {
            found.set_item(name, list.into_pyarray(py).call_method1("reshape", (-1, 3))?)?;
        }
        let impulse = impulse.into_pyarray(py).call_method1("reshape", (-1, 4))?;
        found.set_item("impulse", impulse)?;
        found.set_item("bodies", info.bodies.clone())?;
        Ok(found)
    }
}
