//! The simulation behind a live page.

use super::drag::{Drag, pull};
use super::protocol::{Command, Message};
use crate::{ReportError, write_report};
use glam::DVec3;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};
use stickslip::model::Model;
use stickslip::run::{End, Event, Flow, Observer, Report, Sample, Settings, run};
use stickslip::system::State;
use stickslip_scene::recording::replay::Replay;
use stickslip_scene::recording::{Track, Units, WholeFile};
use stickslip_scene::{Scene, Visitor};

/// Frames in a second.
const RATE: f64 = 30.0;
/// A run is begun anew after this many steps, which nobody sees.
const STEPS: f64 = 1e6;
/// The replay that frames are made by begins anew after this many of them.
const MOST_FRAMES: usize = 1000;
/// A live run lasts about this many seconds to the end time of its scene, unless a speed is chosen.
const USUAL: f64 = 8.0;

/// The simulation with all that the page may change.
pub(super) struct Simulation<'a> {
    scene: Scene,
    settings: Settings,
    state: State,
    running: bool,
    speed: f64,
    drag: Option<Drag>,
    shown: Replay,
    recording: Option<Replay>,
    recorded: usize,
    out: PathBuf,
    text: String,
    commands: Receiver<Command>,
    send: &'a dyn Fn(&Message),
}

/// How far a run goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    /// Until a command comes.
    Free,
    /// One step, or one sample of an event-driven run.
    Step,
    /// Nowhere: the state is shown.
    Look,
}

/// Why a run was left.
enum Left {
    /// A command has to be carried out between runs.
    For(Command),
    /// The page drags a body, which is done between runs.
    Drag,
    /// Nobody sends commands any more.
    Ended,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(
        (scene, settings): (Scene, Settings),
        out: PathBuf,
        commands: Receiver<Command>,
        send: &'a dyn Fn(&Message),
    ) -> Self {
        let units = Units::of_scene(&scene);
        Self {
            state: scene.start(),
            shown: Replay::new(&scene, &units),
            speed: (settings.t_end / USUAL).min(1.0),
            scene,
            settings,
            running: true,
            drag: None,
            recording: None,
            recorded: 0,
            out,
            text: String::new(),
            commands,
            send,
        }
    }

    /// Goes on until nobody sends commands any more.
    pub(super) fn go_on(mut self) {
        self.tell();
        loop {
            let left = if self.running {
                self.run(Length::Free)
            } else {
                self.commands.recv().map_or(Some(Left::Ended), |command| Some(Left::For(command)))
            };
            match left {
                Some(Left::Ended) => return,
                Some(Left::For(command)) => self.obey(command),
                Some(Left::Drag) => self.pull(),
                None => {}
            }
        }
    }

    /// Runs from the state on, as far as it is asked to. None where it came to an end by itself.
    fn run(&mut self, far: Length) -> Option<Left> {
        let model = self.scene.model().clone();
        let sample_dt = (self.speed / RATE).max(self.settings.dt);
        let length = match far {
            Length::Free => (STEPS * self.settings.dt).max(sample_dt),
            Length::Step | Length::Look => self.settings.dt,
        };
        let settings =
            Settings { t_end: self.state.t + length, sample_dt, ..self.settings.clone() };
        let start = self.state.clone();
        let track = Track::new(self.scene.info());
        let mut watch = Watch {
            begin: Instant::now(),
            t: start.t,
            far,
            left: None,
            first: true,
            track,
            of: self,
        };
        let report = model.visit(Motion { start: &start, settings: &settings, watch: &mut watch });
        let left = watch.left.take();
        match report {
            Ok(Report { state, end, .. }) => {
                self.state = state;
                if let End::Failed(reason) = end {
                    self.stop(&format!("the run ended: {reason}"));
                }
            }
            Err(error) => self.stop(&format!("the run ended: {error}")),
        }
        left
    }

    fn stop(&mut self, text: &str) {
        self.running = false;
        self.text = text.to_owned();
        self.tell();
    }

    /// Pulls what is dragged, before the run goes on.
    fn pull(&mut self) {
        let Some(drag) = self.drag else { return };
        let mut state = self.state.clone();
        let model = self.scene.model().clone();
        match model.visit(Pull { scene: &self.scene, drag: &drag, state: &mut state }) {
            Ok(()) => self.state = state,
            Err(reason) => {
                self.drag = None;
                self.text = format!("this cannot be dragged: {reason}");
                self.tell();
            }
        }
    }

    fn obey(&mut self, command: Command) {
        self.text.clear();
        match command {
            Command::Pause => self.running = false,
            Command::Resume => self.running = true,
            Command::Step => {
                self.running = false;
                self.run(Length::Step);
            }
            Command::Reset => {
                self.state = self.scene.start();
                (self.send)(&Message::Clear);
                self.shown.clear();
                if !self.running {
                    self.run(Length::Look);
                }
            }
            Command::Record => self.record(),
            Command::Speed { value } if value > 0.0 && value <= 1000.0 => self.speed = value,
            Command::Speed { value } => self.text = format!("a speed of {value} is not possible"),
            Command::Set { name, value } => self.set(&name, value),
            Command::Drag { body, point, target } => {
                let [point, target] = [point, target].map(DVec3::from_array);
                self.drag = (point.is_finite() && target.is_finite()).then_some(Drag {
                    body,
                    point,
                    target,
                });
            }
            Command::Release => self.drag = None,
            Command::Hello => {}
        }
        self.tell();
    }

    /// Gives a parameter another value; the motion goes on from where it is, if the scene still has the same coordinates.
    fn set(&mut self, name: &str, value: f64) {
        match self.scene.with_overrides(&[(name, value)]) {
            Ok(scene) => {
                let sizes = |s: &State| (s.q.len(), s.u.len());
                if sizes(&scene.start()) != sizes(&self.state) {
                    self.text = format!(
                        "{name} changes how many coordinates there are; start again with --set {name}={value}"
                    );
                    return;
                }
                self.shown = Replay::new(&scene, &Units::of_scene(&scene));
                self.scene = scene;
                if self.recording.is_some() {
                    self.text =
                        "the report will list the parameters at the start of the recording".into();
                }
            }
            Err(error) => self.text = format!("{name} = {value} is refused: {}", error.reason),
        }
    }

    /// Begins to record, or writes what was recorded.
    fn record(&mut self) {
        let Some(replay) = self.recording.take() else {
            self.recording = Some(Replay::new(&self.scene, &Units::of_scene(&self.scene)));
            return;
        };
        self.recorded += 1;
        let dir = self.out.join(format!("recording-{}", self.recorded));
        let written = replay
            .file()
            .to_json()
            .map_err(|source| ReportError::Replay { path: dir.clone(), source })
            .and_then(|text| {
                WholeFile::of(&dir, "replay.json", text.as_bytes())?.commit()?;
                write_report(&dir)
            });
        self.text = match written {
            Ok(path) => format!("written: {}", path.display()),
            Err(error) => error.to_string(),
        };
    }

    fn tell(&self) {
        (self.send)(&Message::State {
            running: self.running,
            recording: self.recording.is_some(),
            speed: self.speed,
            parameters: self.scene.parameters.clone(),
            text: self.text.clone(),
        });
    }

    fn show(&mut self, sample: &Sample<'_>, forces: &[f64]) {
        if let Some(recording) = &mut self.recording {
            recording.push(sample, forces, &[]);
        }
        if self.shown.frames() >= MOST_FRAMES {
            self.shown.clear();
        }
        self.shown.push(sample, forces, &[]);
        let number = |&x: &f32| x.is_finite().then_some(x);
        let values = self.shown.last_frame().iter().map(number).collect();
        let contacts = self.shown.last_contacts().iter().map(|c| {
            let [a, b] = c.bodies;
            (a, b, c.mode, c.struck, c.position, c.normal, c.force, c.mu)
        });
        (self.send)(&Message::Frame { t: sample.t, values, contacts: contacts.collect() });
    }
}

struct Motion<'a, 'w, 's> {
    start: &'a State,
    settings: &'a Settings,
    watch: &'a mut Watch<'w, 's>,
}

impl Visitor for Motion<'_, '_, '_> {
    type Output = Result<Report, stickslip::Error>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        run(model, self.start, self.settings, self.watch, &mut ())
    }
}

struct Pull<'a> {
    scene: &'a Scene,
    drag: &'a Drag,
    state: &'a mut State,
}

impl Visitor for Pull<'_> {
    type Output = Result<(), String>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        pull(model, self.scene, self.drag, self.state)
    }
}

/// Shows samples at their time, and leaves the run for commands.
struct Watch<'w, 's> {
    begin: Instant,
    t: f64,
    far: Length,
    left: Option<Left>,
    first: bool,
    /// For mean forces between samples.
    track: Track,
    of: &'w mut Simulation<'s>,
}

impl Watch<'_, '_> {
    /// Waits until a time of the run is due, or a command comes.
    fn wait(&mut self, t: f64) -> Option<Left> {
        let due = Duration::try_from_secs_f64((t - self.t) / self.of.speed).unwrap_or_default();
        loop {
            let left = (self.begin + due).saturating_duration_since(Instant::now());
            let command = match left.is_zero() {
                true => self.of.commands.try_recv().map_err(|e| e == TryRecvError::Disconnected),
                false => {
                    let received = self.of.commands.recv_timeout(left);
                    received.map_err(|e| e == RecvTimeoutError::Disconnected)
                }
            };
            match command {
                // A drag that goes on is taken note of without leaving.
                Ok(Command::Drag { body, point, target }) if self.of.drag.is_some() => {
                    let [point, target] = [point, target].map(DVec3::from_array);
                    if point.is_finite() && target.is_finite() {
                        self.of.drag = Some(Drag { body, point, target });
                    }
                }
                Ok(command) => return Some(Left::For(command)),
                Err(true) => return Some(Left::Ended),
                Err(false) => return self.of.drag.is_some().then_some(Left::Drag),
            }
        }
    }
}

impl Observer for Watch<'_, '_> {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        let mean = self.track.mean_force(sample.t);
        let forces: Vec<f64> = sample.impulses.iter().map(|&x| mean(x)).collect();
        self.track.push(sample);
        // Where a run begins anew its start was shown as the last sample of the run before.
        let again = std::mem::take(&mut self.first) && self.of.shown.frames() > 0;
        if !again {
            self.of.show(sample, &forces);
        }
        match self.far {
            Length::Look => return Flow::Stop,
            // It ends by itself: what comes meanwhile waits for the next round.
            Length::Step => return Flow::Continue,
            Length::Free => {}
        }
        self.left = self.wait(sample.t);
        if again && matches!(self.left, Some(Left::Drag)) {
            self.left = None;
        }
        if self.left.is_some() { Flow::Stop } else { Flow::Continue }
    }

    fn event(&mut self, event: &Event) {
        self.track.note(event);
        if let Some(recording) = &mut self.of.recording {
            recording.note(event);
        }
    }
}
