//! The observer that writes a run to disk.

use super::plot::{Axis, FIGURES, Figure, RunPlots};
use super::portrait::{Points, Portrait};
use super::{RecordError, Summary, Track, Units, WholeFile};
use crate::view::{SampleFunction, SceneModel};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use stickslip::SystemInfo;
use stickslip::contact::{Kind, Law};
use stickslip::run::{Event, Flow, Observer, Sample};
use stickslip::system::State;

/// Streams samples and events to disk while a run goes on, and keeps what the plots need.
///
/// Dropped without [`finish`](Self::finish), it leaves no file. If a file cannot be written it stops
/// the run, and `finish` says why. A sample costs about a microsecond, most of it for the text.
#[derive(Debug)]
pub struct Recorder {
    dir: PathBuf,
    title: String,
    info: SystemInfo,
    units: Units,
    trajectory: WholeFile,
    events: WholeFile,
    track: Track,
    portraits: Vec<Portrait>,
    outputs: Vec<OutputColumn>,
    /// Contact forces at the last sample.
    forces: Vec<f64>,
    /// Outputs at the last sample.
    values: Vec<f64>,
    /// What turns states of the model into what is recorded; none where they are the same.
    model: Option<SceneModel>,
    samples: usize,
    line: Vec<u8>,
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
    /// If the directory cannot be made or written to: so a run does not begin in vain.
    pub fn create(
        dir: &Path,
        title: &str,
        info: &SystemInfo,
        units: Units,
    ) -> Result<Self, RecordError> {
        let mut recorder = Self {
            dir: dir.to_owned(),
            title: title.to_owned(),
            info: info.clone(),
            units,
            trajectory: WholeFile::create(dir, "trajectory.csv")?,
            events: WholeFile::create(dir, "events.csv")?,
            track: Track::new(info),
            portraits: Vec::new(),
            outputs: Vec::new(),
            forces: Vec::new(),
            values: Vec::new(),
            model: None,
            samples: 0,
            line: Vec::new(),
            failure: None,
        };
        let header = b"t,contact,event,impulse_n,impulse_t,energy\n";
        recorder.write(|r| r.events.write_all(header));
        match recorder.failure.take() {
            Some(failure) => Err(failure),
            None => Ok(recorder),
        }
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

    /// Puts the tables and `summary.json` in their places, and then draws the plots, one after the other: should that fail or be killed, the
    /// numbers are there.
    ///
    /// # Errors
    /// If a file could not be written, now or during the run. Then no table has been put in its place, unless giving the names itself
    /// failed half-way, or a plot could not be drawn.
    pub fn finish(mut self, summary: &Summary) -> Result<Recording, RecordError> {
        if self.samples == 0 {
            self.write_header();
        }
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut text = serde_json::to_string_pretty(summary)
            .map_err(|e| RecordError::file(&self.dir.join("summary.json"), io::Error::from(e)))?;
        text.push('\n');
        let summary = WholeFile::of(&self.dir, "summary.json", text.as_bytes())?;
        self.trajectory.stage()?;
        self.events.stage()?;
        // What an earlier run left must not stand beside newer tables, should anything go wrong from here on.
        self.remove_old()?;
        let outputs = self.output_figure();
        let Self { dir, title, info, units, trajectory, events, track, portraits, .. } = self;
        let mut files = Vec::new();
        for file in [trajectory, events, summary] {
            files.push(file.commit()?);
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

    /// Removes the summary and the plots of an earlier run.
    fn remove_old(&self) -> Result<(), RecordError> {
        let names = FIGURES.iter().chain(&["outputs"]).map(|name| (*name).to_owned());
        let portraits = (0..self.portraits.len()).map(|i| format!("portrait-{}", i + 1));
        let plots = names.chain(portraits).flat_map(|n| [format!("{n}.svg"), format!("{n}.png")]);
        for name in std::iter::once("summary.json".to_owned()).chain(plots) {
            let old = self.dir.join(name);
            match std::fs::remove_file(&old) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    return Err(RecordError::file(&old, e));
                }
                _ => {}
            }
        }
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

    /// Writes the first line of the trajectory, which names its columns.
    fn write_header(&mut self) {
        let mut cells = vec!["t".to_owned()];
        let names = self.info.coordinates.iter().chain(&self.info.velocities);
        cells.extend(names.map(|name| cell(name)));
        for contact in &self.info.contacts {
            let gap = (contact.law.kind.normals() == 1).then(|| "gap".to_owned());
            let columns = gap.into_iter().chain(impulses(&contact.law)).chain(["mode".to_owned()]);
            cells.extend(columns.map(|column| cell(&format!("{}.{column}", contact.name))));
        }
        cells.extend(self.outputs.iter().map(|output| cell(&output.name)));
        let header = cells.join(",") + "\n";
        self.write(|r| r.trajectory.write_all(header.as_bytes()));
    }

    /// Contact forces between the last sample and this one.
    fn find_forces(&mut self, sample: &Sample<'_>) {
        let mean = self.track.mean_force(sample.t);
        self.forces.clear();
        self.forces.extend(sample.impulses.iter().map(|&impulse| mean(impulse)));
    }

    /// Keeps the first error. The path that it names is that of the file which is being written.
    fn write(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) {
        if let Err(e) = write(self) {
            let path = self.trajectory.path().to_owned();
            self.failure.get_or_insert(RecordError::file(&path, e));
        }
    }
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
        if self.samples == 0 {
            self.write_header();
        }
        self.samples += 1;
        self.find_forces(sample);
        for portrait in &mut self.portraits {
            portrait.push(sample, &self.forces);
        }
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        for (i, output) in self.outputs.iter_mut().enumerate() {
            let value = output.value.value(sample, &self.forces);
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
        let mut line = std::mem::take(&mut self.line);
        sample_line(&self.info, sample, &mut line);
        for &value in &values {
            line.push(b',');
            number(value, &mut line);
        }
        line.push(b'\n');
        self.values = values;
        self.write(|r| r.trajectory.write_all(&line));
        self.line = line;
        if self.failure.is_some() { Flow::Stop } else { Flow::Continue }
    }

    fn event(&mut self, event: &Event) {
        self.track.note(event);
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        number(event.t, &mut line);
        line.push(b',');
        let contact = self.info.contacts.get(event.contact);
        line.extend(contact.map_or(String::new(), |c| cell(&c.name)).bytes());
        line.push(b',');
        line.extend(event.kind.name().bytes());
        for v in [event.impulse[0], event.impulse[1], event.energy] {
            line.push(b',');
            number(v, &mut line);
        }
        line.push(b'\n');
        self.write(|r| r.events.write_all(&line));
        self.line = line;
    }
}

/// The columns of the components of a contact's impulse.
fn impulses(law: &Law) -> Vec<String> {
    let letters = ["n", "t", "o", "r"];
    let from = match law.kind {
        Kind::Bilateral(rows) => return (1..=rows).map(|i| format!("impulse_{i}")).collect(),
        _ => 1 - law.kind.normals(),
    };
    let letters = letters.iter().skip(from).take(law.components());
    letters.map(|letter| format!("impulse_{letter}")).collect()
}

/// A line of the trajectory, but for outputs.
fn sample_line(info: &SystemInfo, sample: &Sample<'_>, line: &mut Vec<u8>) {
    line.clear();
    number(sample.t, line);
    for &v in sample.q.iter().chain(sample.u) {
        line.push(b',');
        number(v, line);
    }
    let mut row = 0;
    for (i, contact) in info.contacts.iter().enumerate() {
        if contact.law.kind.normals() == 1 {
            line.push(b',');
            number(sample.gaps.get(i).copied().unwrap_or(f64::NAN), line);
        }
        for _ in 0..contact.law.components() {
            line.push(b',');
            number(sample.impulses.get(row).copied().unwrap_or(0.0), line);
            row += 1;
        }
        line.push(b',');
        line.extend(sample.modes.get(i).copied().unwrap_or_default().name().bytes());
    }
}

/// The shortest text that reads as the same number.
fn number(v: f64, line: &mut Vec<u8>) {
    line.extend(zmij::Buffer::new().format(v).bytes());
}

/// A cell of a table: in quotes where a comma, a quote or a line end would split it.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
