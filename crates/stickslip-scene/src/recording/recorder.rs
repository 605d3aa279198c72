//! The observer that writes a run to disk.

use super::column::{self, Column, Header};
use super::plot::{Axis, FIGURES, Figure, RunPlots};
use super::portrait::{Points, Portrait};
use super::replay::Replay;
use super::table::{Format, Table};
use super::{RecordError, Summary, Track, Units, WholeFile};
use crate::sensors::SensorBank;
use crate::view::{SampleFunction, SceneModel};
use std::io;
use std::path::{Path, PathBuf};
use stickslip::SystemInfo;
use stickslip::memory::{Archive, Archived};
use stickslip::run::{Event, Flow, Observer, PassedStep, Sample};
use stickslip::system::State;

/// Streams samples and events to disk while a run goes on, and keeps what the plots need.
///
/// Dropped without [`finish`](Self::finish), it leaves no file, unless a checkpoint was taken of it. If a file cannot be written it stops
/// the run, `finish` says why, and what was written stays. A sample costs about a microsecond, most of it for the text.
#[derive(Debug)]
pub struct Recorder {
    dir: PathBuf,
    title: String,
    info: SystemInfo,
    units: Units,
    format: Format,
    trajectory: Table,
    events: Table,
    /// Contacts that the model finds, with the names of its bodies.
    contacts: Option<(Table, Vec<String>)>,
    /// What is said about the tables as a whole.
    facts: Vec<(String, String)>,
    /// The tables have their headers.
    begun: bool,
    track: Track,
    portraits: Vec<Portrait>,
    outputs: Vec<OutputColumn>,
    sensors: Option<SensorBank>,
    /// Contact forces at the last sample.
    forces: Vec<f64>,
    /// Outputs at the last sample.
    values: Vec<f64>,
    /// What turns states of the model into what is recorded; none where they are the same.
    model: Option<SceneModel>,
    /// What a viewer needs, if it is asked for.
    replay: Option<Replay>,
    samples: usize,
    failure: Option<RecordError>,
}

/// A column of the trajectory beside those that every run has.
#[derive(Debug)]
struct OutputColumn {
    axis: Axis,
    name: String,
    value: SampleFunction,
    points: Points,
}

/// More outputs than these are not drawn: the table has all.
const MOST_DRAWN: usize = 24;

/// More panels than these in one column do not fit on a screen.
const COLUMN: usize = 6;

/// The names of the tables.
const TRAJECTORY: &str = "trajectory";
const EVENTS: &str = "events";
const CONTACTS: &str = "contacts";
/// The name of the replay.
const REPLAY: &str = "replay.json";

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The directory.
    pub dir: PathBuf,
    /// Every file.
    pub files: Vec<PathBuf>,
}

impl Recorder {
    /// Makes the directory if it is missing, and begins the two tables. `title` heads the plots.
    ///
    /// # Errors
    /// If the directory cannot be made or written to: so a run does not begin in vain. If another run writes there.
    pub fn create(
        dir: &Path,
        title: &str,
        info: &SystemInfo,
        units: Units,
        format: Format,
    ) -> Result<Self, RecordError> {
        let trajectory = Table::create(dir, TRAJECTORY, format)?;
        let events = Table::create(dir, EVENTS, format)?;
        Ok(Self::with((dir, format), title, info, units, (trajectory, events)))
    }

    /// The recorder of a run that was interrupted, with the tables that it left. Outputs and plots are added as they were, and then
    /// [`recall`](Self::recall) takes it to where its checkpoint was taken.
    ///
    /// # Errors
    /// If a table is missing, or another run writes to it.
    pub fn reopen(
        dir: &Path,
        title: &str,
        info: &SystemInfo,
        units: Units,
        format: Format,
    ) -> Result<Self, RecordError> {
        let trajectory = Table::reopen(dir, TRAJECTORY, format)?;
        let events = Table::reopen(dir, EVENTS, format)?;
        let recorder = Self::with((dir, format), title, info, units, (trajectory, events));
        Ok(Self { begun: true, ..recorder })
    }

    fn with(
        (dir, format): (&Path, Format),
        title: &str,
        info: &SystemInfo,
        units: Units,
        (trajectory, events): (Table, Table),
    ) -> Self {
        Self {
            dir: dir.to_owned(),
            title: title.to_owned(),
            info: info.clone(),
            units,
            format,
            trajectory,
            events,
            contacts: None,
            facts: Vec::new(),
            begun: false,
            track: Track::new(info),
            portraits: Vec::new(),
            outputs: Vec::new(),
            sensors: None,
            forces: Vec::new(),
            values: Vec::new(),
            model: None,
            replay: None,
            samples: 0,
            failure: None,
        }
    }

    /// Says something about the tables as a whole, where their format has a place for it. To be called before the first sample.
    pub fn describe(&mut self, what: &str, text: &str) {
        self.facts.push((what.to_owned(), text.to_owned()));
    }

    /// Records the contacts that the model finds itself, in a table of their own; those that it always has are those of its system. Bodies
    /// without a name are numbered. To be called before the first sample.
    ///
    /// # Errors
    /// If the table cannot be written.
    pub fn record_found_contacts(&mut self, bodies: &[String]) -> Result<(), RecordError> {
        let open = if self.begun { Table::reopen } else { Table::create };
        self.contacts = Some((open(&self.dir, CONTACTS, self.format)?, bodies.to_vec()));
        Ok(())
    }

    /// Records states of this model by the names of its scene: those of bodies, whatever their model.
    #[must_use]
    pub fn of_model(mut self, model: &SceneModel) -> Self {
        let own = matches!(model, SceneModel::Generalised(_));
        self.model = (!own).then(|| model.clone());
        self
    }

    /// Draws another phase portrait, as `portrait-1` and so on: an axis is its text and the function.
    pub fn add_portrait(
        &mut self,
        title: Option<&str>,
        x: (&str, SampleFunction),
        y: (&str, SampleFunction),
    ) {
        let axis = |text: &str| Axis::new(text, self.units.of_name(&self.info, text));
        let (x_axis, y_axis) = (axis(x.0), axis(y.0));
        let title = title.map_or_else(|| self.title.clone(), |t| format!("{}: {t}", self.title));
        self.portraits.push(Portrait::new(title, (x_axis, x.1), (y_axis, y.1)));
    }

    /// Adds a column to the trajectory, and a plot over time. To be called before the first sample.
    pub fn add_output(&mut self, name: &str, unit: &str, value: SampleFunction) {
        let (axis, name) = (Axis::new(name, unit.to_owned()), name.to_owned());
        self.outputs.push(OutputColumn { axis, name, value, points: Points::new() });
    }

    /// Adds the columns of sensors to the trajectory, before those of outputs. To be called before the first sample.
    pub fn add_sensors(&mut self, sensors: SensorBank) {
        self.sensors = Some(sensors);
    }

    /// Writes `replay.json` beside the tables, from which reports are made. To be called before the first sample.
    pub fn add_replay(&mut self, replay: Replay) {
        self.replay = Some(replay);
    }

    /// Samples taken so far.
    #[must_use]
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The decimated history.
    #[must_use]
    pub fn track(&self) -> &Track {
        &self.track
    }

    /// All that the recording has to remember, with its tables on the disk as far as that: for a checkpoint. From now on the tables stay if the
    /// recorder is dropped.
    ///
    /// # Errors
    /// If a table cannot be written, now or before.
    pub fn memory(&mut self) -> Result<Vec<u8>, RecordError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.keep();
        let mut bytes = Vec::new();
        self.pass(&mut Archive::to(&mut bytes))?;
        Ok(bytes)
    }

    /// Goes back to where the memory was taken: tables are cut off there.
    ///
    /// # Errors
    /// If the tables are not those of the memory, or it is not one of such a recording.
    pub fn recall(&mut self, memory: &[u8]) -> Result<(), RecordError> {
        for (table, header) in self.tables() {
            table.go_on(&header).map_err(|e| RecordError::checkpoint(table.path(), e))?;
        }
        self.pass(&mut Archive::from(memory))
    }

    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), RecordError> {
        for (table, _) in self.tables() {
            table.pass(archive)?;
        }
        let Self { samples, track, portraits, outputs, sensors, replay, .. } = self;
        let portraits = portraits.iter_mut().map(|p| &mut p.points);
        let mut points = portraits.chain(outputs.iter_mut().map(|o| &mut o.points));
        let passed = samples
            .pass(archive)
            .and_then(|()| track.pass(archive))
            .and_then(|()| points.try_for_each(|points| points.pass(archive)))
            .and_then(|()| sensors.iter_mut().try_for_each(|sensors| sensors.pass(archive)))
            .and_then(|()| replay.iter_mut().try_for_each(|replay| replay.pass(archive)));
        passed.map_err(|e| RecordError::checkpoint(&self.dir, e))
    }

    /// The tables, with what their headers say.
    fn tables(&mut self) -> impl Iterator<Item = (&mut Table, Header)> {
        let mut columns = column::of_samples(&self.info, &self.units);
        let sensors = self.sensors.iter().flat_map(SensorBank::columns);
        columns.extend(sensors.map(|(name, unit)| Column::number(name, unit, "sensor")));
        columns
            .extend(self.outputs.iter().map(|o| Column::number(&o.name, &o.axis.unit, "output")));
        let facts = self.facts.clone();
        let header = move |columns: Vec<Column>, table: &str| {
            let named = ("table".to_owned(), table.to_owned());
            Header { columns, facts: facts.iter().cloned().chain([named]).collect() }
        };
        let samples = (&mut self.trajectory, header(columns, TRAJECTORY));
        let events = (&mut self.events, header(column::of_events(&self.units), EVENTS));
        let found = header(column::of_found_contacts(&self.units), CONTACTS);
        let contacts = self.contacts.as_mut().map(|(table, _)| (table, found));
        [samples, events].into_iter().chain(contacts)
    }

    fn keep(&mut self) {
        self.trajectory.keep();
        self.events.keep();
        if let Some((table, _)) = &mut self.contacts {
            table.keep();
        }
    }

    /// Writes the headers, if they are not there yet.
    fn begin(&mut self) {
        if std::mem::replace(&mut self.begun, true) {
            return;
        }
        let written = |(table, header): (&mut Table, Header)| {
            table.begin(&header).map_err(|e| RecordError::file(table.path(), e))
        };
        let begun = self.tables().try_for_each(written);
        if let Err(failure) = begun {
            self.fail(failure);
        }
    }

    /// Keeps the first failure, and the tables up to there.
    fn fail(&mut self, failure: RecordError) {
        self.keep();
        self.failure.get_or_insert(failure);
    }

    /// Puts the tables and `summary.json` in their places, and then draws the plots, one after the other: should that fail or be killed, the
    /// numbers are there.
    ///
    /// # Errors
    /// If a file could not be written, now or during the run. Then tables keep their names with `.partial`, unless giving the names itself
    /// failed half-way, or a plot could not be drawn.
    pub fn finish(mut self, summary: &Summary) -> Result<Recording, RecordError> {
        self.begin();
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut text = serde_json::to_string_pretty(summary)
            .map_err(|e| RecordError::file(&self.dir.join("summary.json"), io::Error::from(e)))?;
        text.push('\n');
        let finished = self.tables().try_for_each(|(table, _)| table.finish());
        if let Err(failure) = finished {
            self.keep();
            return Err(failure);
        }
        // What an earlier run left must not stand beside newer tables, should anything go wrong from here on.
        self.remove_old()?;
        let summary = WholeFile::of(&self.dir, "summary.json", text.as_bytes())?;
        let outputs = self.output_figure();
        let Self {
            dir,
            title,
            info,
            units,
            trajectory,
            events,
            contacts,
            track,
            portraits,
            replay,
            ..
        } = self;
        let mut files = Vec::new();
        for table in [trajectory, events].into_iter().chain(contacts.map(|(table, _)| table)) {
            files.extend(table.commit()?);
        }
        files.push(summary.commit()?);
        if let Some(replay) = &replay {
            files.push(write_replay(&dir, replay)?);
        }
        let plots = RunPlots { title: &title, info: &info, units: &units, track: &track };
        let of_run = FIGURES.iter().map(|name| ((*name).to_owned(), plots.figure(name)));
        let of_scene = portraits.iter().enumerate();
        let of_scene = of_scene.map(|(i, p)| (format!("portrait-{}", i + 1), p.figure()));
        let outputs = std::iter::once(("outputs".to_owned(), outputs));
        for (name, figure) in of_run.chain(outputs).chain(of_scene) {
            let Some(figure) = figure else { continue };
            for file in write_figure(&dir, &name, &figure)? {
                files.push(file.commit()?);
            }
        }
        Ok(Recording { dir, files })
    }

    /// Removes the summary and the plots of an earlier run, and what a run that was killed had begun of them.
    fn remove_old(&self) -> Result<(), RecordError> {
        let names = FIGURES.iter().chain(&["outputs"]).map(|name| (*name).to_owned());
        let portraits = (0..self.portraits.len()).map(|i| format!("portrait-{}", i + 1));
        let plots = names.chain(portraits).flat_map(|n| [format!("{n}.svg"), format!("{n}.png")]);
        let whole = ["summary.json", REPLAY, "report.html"].map(str::to_owned);
        let names: Vec<String> = whole.into_iter().chain(plots).collect();
        for name in &names {
            let old = self.dir.join(name);
            match std::fs::remove_file(&old) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    return Err(RecordError::file(&old, e));
                }
                _ => {}
            }
        }
        WholeFile::remove_begun(&self.dir, &names);
        Ok(())
    }

    /// The outputs over time; none if there are none.
    fn output_figure(&self) -> Option<Figure> {
        let time = Axis::new("t", self.units.time.clone());
        let drawn = self.outputs.iter().take(MOST_DRAWN).enumerate();
        let panels: Vec<_> =
            drawn.filter_map(|(i, o)| o.points.panel(&time, &o.axis, i % 4)).collect();
        let columns = panels.len().div_ceil(COLUMN);
        let title = format!("{}: outputs", self.title);
        (!panels.is_empty()).then_some(Figure { title, columns, panels })
    }

    /// Contact forces between the last sample and this one.
    fn find_forces(&mut self, sample: &Sample<'_>) {
        let mean = self.track.mean_force(sample.t);
        self.forces.clear();
        self.forces.extend(sample.impulses.iter().map(|&impulse| mean(impulse)));
    }

    /// The contacts of a sample beyond those of the system.
    fn write_found_contacts(&mut self, sample: &Sample<'_>) -> io::Result<()> {
        let Some((table, bodies)) = &mut self.contacts else { return Ok(()) };
        let (fixed, laws) = (self.info.contacts.len(), self.info.contacts.iter());
        let mut row: usize = laws.map(|contact| contact.law.components()).sum();
        for (k, point) in sample.points.iter().enumerate().skip(fixed) {
            let Some(point) = point else { continue };
            table.number(sample.t);
            point.bodies.iter().for_each(|&body| table.text(&body_name(bodies, body)));
            let vectors = [point.position, point.normal, point.tangent];
            vectors.into_iter().flatten().for_each(|x| table.number(x));
            table.number(sample.gaps.get(k).copied().unwrap_or(f64::NAN));
            let own = sample.impulses.get(row..row + point.components).unwrap_or_default();
            row += point.components;
            point.spread(own).into_iter().for_each(|x| table.number(x));
            table.text(sample.modes.get(k).copied().unwrap_or_default().name());
            table.end_line()?;
        }
        Ok(())
    }
}

fn write_replay(dir: &Path, replay: &Replay) -> Result<PathBuf, RecordError> {
    let failed = |e: super::replay::ReplayError| {
        RecordError::file(&dir.join(REPLAY), io::Error::other(e.to_string()))
    };
    let text = replay.file().to_json().map_err(failed)?;
    WholeFile::of(dir, REPLAY, text.as_bytes())?.commit()
}

fn body_name(bodies: &[String], body: usize) -> String {
    bodies.get(body).cloned().unwrap_or_else(|| body.to_string())
}

/// Draws a figure as `<name>.svg` and `<name>.png`, staged but not yet under these names.
///
/// # Errors
/// If it cannot be drawn or written.
pub fn write_figure(
    dir: &Path,
    name: &str,
    figure: &Figure,
) -> Result<[WholeFile; 2], RecordError> {
    let failed = |file: &str, reason: String| RecordError::Plot { path: dir.join(file), reason };
    let (svg, png) = (format!("{name}.svg"), format!("{name}.png"));
    let text = figure.to_svg().map_err(|e| failed(&svg, e.to_string()))?;
    let bytes = figure.to_png().map_err(|e| failed(&png, e.to_string()))?;
    Ok([WholeFile::of(dir, &svg, text.as_bytes())?, WholeFile::of(dir, &png, &bytes)?])
}

impl Observer for Recorder {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.begin();
        self.samples += 1;
        self.find_forces(sample);
        if let Some(sensors) = &mut self.sensors {
            sensors.sample(sample);
        }
        let sensed = self.sensors.as_ref().map_or(&[][..], SensorBank::values);
        for portrait in &mut self.portraits {
            portrait.push(sample, &self.forces, sensed);
        }
        if let Some(replay) = &mut self.replay {
            replay.push(sample, &self.forces, sensed);
        }
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        for (i, output) in self.outputs.iter_mut().enumerate() {
            let value = output.value.value(sample, &self.forces, sensed);
            values.push(value);
            if i < MOST_DRAWN {
                output.points.push(|| (sample.t, value));
            }
        }
        let observed = self.model.as_ref().map(|model| {
            model.observe(&State { t: sample.t, q: sample.q.to_vec(), u: sample.u.to_vec() })
        });
        let sample = match &observed {
            Some(state) => &Sample { q: &state.q, u: &state.u, ..*sample },
            None => sample,
        };
        self.track.push(sample);
        write_sample(&self.info, sample, &mut self.trajectory);
        let sensed = self.sensors.as_ref().map_or(&[][..], SensorBank::values);
        sensed.iter().chain(&values).for_each(|&value| self.trajectory.number(value));
        self.values = values;
        if let Err(e) = self.trajectory.end_line() {
            self.fail(RecordError::file(self.trajectory.path(), e));
        }
        if let (Err(e), Some((table, _))) = (self.write_found_contacts(sample), &self.contacts) {
            self.fail(RecordError::file(table.path(), e));
        }
        if self.failure.is_some() { Flow::Stop } else { Flow::Continue }
    }

    fn watches_steps(&self) -> bool {
        self.sensors.as_ref().is_some_and(SensorBank::watches_steps)
    }

    fn step(&mut self, step: &PassedStep<'_>) {
        if let Some(sensors) = &mut self.sensors {
            sensors.step(step);
        }
    }

    fn event(&mut self, event: &Event) {
        self.begin();
        self.track.note(event);
        if let Some(replay) = &mut self.replay {
            replay.note(event);
        }
        let contact = self.info.contact_name(event.contact, event.bodies);
        let table = &mut self.events;
        table.number(event.t);
        table.text(&contact);
        table.text(event.kind.name());
        let numbers = [event.impulse[0], event.impulse[1], event.energy];
        numbers.into_iter().for_each(|v| table.number(v));
        if let Err(e) = table.end_line() {
            self.fail(RecordError::file(self.events.path(), e));
        }
    }
}

/// A line of the trajectory, but for outputs.
fn write_sample(info: &SystemInfo, sample: &Sample<'_>, table: &mut Table) {
    table.number(sample.t);
    sample.q.iter().chain(sample.u).for_each(|&v| table.number(v));
    let mut row = 0;
    for (i, contact) in info.contacts.iter().enumerate() {
        if contact.law.kind.normals() == 1 {
            table.number(sample.gaps.get(i).copied().unwrap_or(f64::NAN));
        }
        for _ in 0..contact.law.components() {
            table.number(sample.impulses.get(row).copied().unwrap_or(0.0));
            row += 1;
        }
        table.text(sample.modes.get(i).copied().unwrap_or_default().name());
    }
}
