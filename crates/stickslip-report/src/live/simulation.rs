//! The simulation behind a live page.

use super::drag::{Drag, pull};
use super::protocol::{Command, Message};
use super::watch::{Left, Length, Watch};
use crate::{ReportError, write_report};
use glam::DVec3;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use stickslip::model::Model;
use stickslip::run::{End, Report, Sample, Settings, run};
use stickslip::step::Integrator;
use stickslip::system::State;
use stickslip_scene::recording::replay::{BodyFile, DrawnFile, Replay};
use stickslip_scene::recording::{Units, WholeFile};
use stickslip_scene::{Scene, Visitor};

/// Frames in a second.
const RATE: f64 = 30.0;
/// A run is begun anew after this many steps, which nobody sees.
const STEPS: f64 = 1e6;
/// The replay that frames are made by begins anew after this many of them: before it has so many contacts that it would leave those of
/// some frames out.
const MOST_FRAMES: usize = 50;
/// The most events that are sent to a page between two frames; the last ones are.
const MOST_EVENTS: usize = 50;
/// Speeds that can be chosen, in seconds of the run per second.
const SPEEDS: RangeInclusive<f64> = 1e-6..=1e3;
/// A live run lasts about this many seconds to the end time of its scene, unless a speed is chosen.
const USUAL: f64 = 8.0;

/// The simulation with all that the page may change.
pub(super) struct Simulation<'a> {
    pub(super) scene: Scene,
    settings: Settings,
    state: State,
    running: bool,
    pub(super) speed: f64,
    pub(super) drag: Option<Drag>,
    pub(super) shown: Replay,
    pub(super) recording: Option<Replay>,
    /// What the page draws, as it was told last.
    looks: (Vec<DrawnFile>, Vec<BodyFile>),
    out: PathBuf,
    text: String,
    pub(super) commands: Receiver<Command>,
    send: &'a dyn Fn(&Message<'_>),
}

impl<'a> Simulation<'a> {
    pub(super) fn new(
        (scene, settings): (Scene, Settings),
        out: PathBuf,
        commands: Receiver<Command>,
        send: &'a dyn Fn(&Message<'_>),
    ) -> Self {
        let shown = Replay::new(&scene, &Units::of_scene(&scene));
        Self {
            state: scene.start(),
            looks: looks(&shown),
            shown,
            speed: (settings.t_end / USUAL).min(1.0),
            scene,
            settings,
            running: true,
            drag: None,
            recording: None,
            out,
            text: String::new(),
            commands,
            send,
        }
    }

    /// Runs until the command to end arrives; returns the report of a recording that was in progress.
    ///
    /// # Errors
    /// If that report cannot be written.
    pub(super) fn go_on(mut self) -> Result<Option<PathBuf>, ReportError> {
        self.tell();
        loop {
            let left = if self.running {
                self.run(Length::Free)
            } else {
                self.commands.recv().map_or(Some(Left::Ended), |command| Some(Left::For(command)))
            };
            match left {
                Some(Left::Ended | Left::For(Command::End)) => return self.finish_recording(),
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
        let mut settings =
            Settings { t_end: self.state.t + length, sample_dt, ..self.settings.clone() };
        // A pull is a change of velocities between two steps: a body that it presses into another moves for half a step before contacts
        // answer.
        let midway = matches!(
            settings.step.integrator,
            Integrator::MoreauMidpoint | Integrator::MoreauJean { .. }
        );
        settings.step.correction |= midway && self.drag.is_some();
        let start = self.state.clone();
        let mut watch = Watch::new(self, start.t, far);
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
                // Times begin anew, which are of another recording.
                if self.recording.is_some() {
                    self.record();
                }
                self.state = self.scene.start();
                (self.send)(&Message::Clear);
                self.shown.clear();
                if !self.running {
                    self.run(Length::Look);
                }
            }
            Command::Record => self.record(),
            Command::Speed { value } if SPEEDS.contains(&value) => self.speed = value,
            Command::Speed { value } => {
                let (least, most) = (SPEEDS.start(), SPEEDS.end());
                self.text = format!("a speed is from {least:e} to {most}, not {value:e}");
            }
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
            Command::Hello => self.welcome(),
            Command::End => {}
        }
        self.tell();
    }

    /// Gives a parameter another value; the motion goes on from where it is, if the scene still has the same coordinates.
    fn set(&mut self, name: &str, value: f64) {
        match self.scene.with_overrides(&[(name, value)]) {
            Ok(scene) => {
                let shown = Replay::new(&scene, &Units::of_scene(&scene));
                let sizes = |s: &State| (s.q.len(), s.u.len());
                let alike = sizes(&scene.start()) == sizes(&self.state);
                if !alike || shown.channels() != self.shown.channels() {
                    self.text = format!(
                        "{name} changes how many coordinates there are; start again with --set {name}={value}"
                    );
                    return;
                }
                self.shown = shown;
                self.scene = scene;
                let looks = looks(&self.shown);
                if looks != self.looks {
                    self.looks = looks;
                    self.tell_looks();
                }
                if !self.running {
                    self.run(Length::Look);
                }
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
        if self.recording.is_none() {
            self.recording = Some(Replay::new(&self.scene, &Units::of_scene(&self.scene)));
            return;
        }
        self.text = match self.finish_recording() {
            Ok(path) => {
                path.map_or_else(String::new, |path| format!("written: {}", path.display()))
            }
            Err(error) => error.to_string(),
        };
    }

    /// Writes what was recorded, under the first number that is free.
    fn finish_recording(&mut self) -> Result<Option<PathBuf>, ReportError> {
        let Some(replay) = self.recording.take() else { return Ok(None) };
        let mut numbered = (1..).map(|i: u32| self.out.join(format!("recording-{i}")));
        let Some(dir) = numbered.find(|dir| !dir.exists()) else { return Ok(None) };
        let text = replay.file().to_json();
        let text = text.map_err(|source| ReportError::Replay { path: dir.clone(), source })?;
        WholeFile::of(&dir, "replay.json", text.as_bytes())?.commit()?;
        write_report(&dir).map(Some)
    }

    /// Tells a page that was just opened what others have seen.
    fn welcome(&mut self) {
        self.tell_looks();
        if self.running {
            return;
        }
        if self.shown.frames() > 0 {
            self.tell_frame();
        } else {
            self.run(Length::Look);
        }
    }

    fn tell_looks(&self) {
        let (drawing, bodies) = &self.looks;
        (self.send)(&Message::Looks { drawing, bodies });
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

    pub(super) fn show(&mut self, sample: &Sample<'_>, forces: &[f64]) {
        // A run that begins anew shows its start again.
        let later = |recording: &&mut Replay| recording.last_time().is_none_or(|t| t < sample.t);
        if let Some(recording) = self.recording.as_mut().filter(later) {
            recording.push(sample, forces, &[]);
        }
        let mut events = self.shown.take_events();
        if self.shown.frames() >= MOST_FRAMES {
            self.shown.clear();
        }
        self.shown.push(sample, forces, &[]);
        self.tell_frame();
        let last = events.split_off(events.len().saturating_sub(MOST_EVENTS));
        if !last.is_empty() {
            (self.send)(&Message::Events { events: last });
        }
    }

    /// Sends the last frame.
    fn tell_frame(&self) {
        let number = |&x: &f32| x.is_finite().then_some(x);
        let values = self.shown.last_frame().iter().map(number).collect();
        let contacts = self.shown.last_contacts().iter().map(|c| {
            let [a, b] = c.bodies;
            (a, b, c.mode, c.struck, c.position, c.normal, c.force, c.mu)
        });
        let t = self.shown.last_time().unwrap_or(self.state.t);
        (self.send)(&Message::Frame { t, values, contacts: contacts.collect() });
    }
}

/// What the page draws of a scene: its drawing and its bodies.
fn looks(replay: &Replay) -> (Vec<DrawnFile>, Vec<BodyFile>) {
    let file = replay.file();
    (file.drawing, file.bodies)
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::cell::RefCell;
    use std::sync::mpsc::channel;

    /// The messages of a simulation of spring_block that is given these commands at once and then ends, and what it leaves.
    fn told(out: &str, commands: &[Command]) -> (Vec<Value>, Option<PathBuf>) {
        let scene = Scene::from_gallery("spring_block").unwrap();
        let settings = scene.settings();
        let (sender, received) = channel();
        commands.iter().chain([&Command::End]).for_each(|c| sender.send(c.clone()).unwrap());
        let messages = RefCell::new(Vec::new());
        let send = |message: &Message<'_>| {
            messages.borrow_mut().push(serde_json::to_value(message).unwrap());
        };
        let written = Simulation::new((scene, settings), out.into(), received, &send).go_on();
        (messages.into_inner(), written.unwrap())
    }

    fn of<'a>(messages: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
        messages.iter().filter(move |m| m["kind"] == kind)
    }

    fn folder(name: &str) -> String {
        let path = std::env::temp_dir().join(format!("stickslip-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        path.display().to_string()
    }

    #[test]
    fn a_parameter_that_the_drawing_shows_changes_the_picture() {
        let set = |name: &str, value| Command::Set { name: name.into(), value };
        let (messages, _) = told("", &[Command::Pause, set("mu", 0.7), set("g", 5.0)]);
        let mu = |m: &Value| m["drawing"][4]["contact"][1].as_f64();
        let seen: Vec<_> = of(&messages, "looks").map(mu).collect();
        assert_eq!(seen, [Some(0.7)], "once, for mu alone");
        let last = of(&messages, "state").last().unwrap();
        assert!(last["parameters"].as_array().unwrap().contains(&serde_json::json!(["g", 5.0])));
    }

    #[test]
    fn a_page_that_is_opened_while_the_run_stands_gets_a_frame() {
        let (messages, _) = told("", &[Command::Pause, Command::Step, Command::Hello]);
        let times: Vec<_> = of(&messages, "frame").map(|m| m["t"].as_f64().unwrap()).collect();
        let [.., step, again] = times[..] else { panic!("{times:?}") };
        assert_eq!(step, again);
        assert_eq!(of(&messages, "looks").count(), 1);
    }

    #[test]
    fn recordings_end_at_a_reset_and_at_the_end_and_overwrite_nothing() {
        let out = folder("recordings");
        let commands = [Command::Pause, Command::Record, Command::Step, Command::Reset];
        let (messages, last) = told(&out, &commands);
        let text = of(&messages, "state").last().unwrap()["text"].as_str().unwrap();
        assert!(text.contains("recording-1") && last.is_none(), "{text}");
        let (_, last) = told(&out, &commands[..3]);
        let dir = PathBuf::from(&out).join("recording-2");
        assert_eq!(last, Some(dir.join("report.html")));
        let times = crate::read_replay(&dir).unwrap().frame_times().unwrap();
        assert!(!times.is_empty() && times.is_sorted_by(|a, b| a < b), "{times:?}");
        std::fs::remove_dir_all(&out).unwrap();
    }

    #[test]
    fn speeds_that_would_never_come_to_a_frame_are_refused() {
        for value in [0.0, 1e-22, -1.0, 1e9, f64::NAN] {
            let (messages, _) = told("", &[Command::Pause, Command::Speed { value }]);
            let last = of(&messages, "state").last().unwrap();
            assert!(last["text"].as_str().unwrap().contains("speed"), "{value}");
            assert_eq!(last["speed"], 0.25);
        }
    }

    #[test]
    fn events_reach_the_page() {
        let steps = vec![Command::Step; 30];
        let (messages, _) = told("", &[&[Command::Pause][..], &steps].concat());
        let event = of(&messages, "events").next().unwrap();
        assert_eq!(event["events"][0]["contact"], "floor");
    }

    #[test]
    fn a_body_that_lies_on_the_floor_is_lifted_by_a_drag_and_not_pressed_into_it() {
        let text = include_str!("../../../../viewer/tests/scenes/box.toml");
        let scene = Scene::from_str(text, "box.toml").unwrap();
        let settings = scene.settings();
        let (_keep, received) = channel();
        let mut simulation = Simulation::new((scene, settings), "".into(), received, &|_| {});
        // By a point of its side, pulled once in a frame of some steps.
        let point = DVec3::new(0.05, -0.1, 0.02);
        let mut moved = |target: Option<f64>| {
            let lowest = |_| {
                simulation.drag = target.map(|z| Drag { body: 1, point, target: point.with_z(z) });
                simulation.pull();
                (0..8).for_each(|_| drop(simulation.run(Length::Step)));
                assert!(simulation.text.is_empty(), "{}", simulation.text);
                simulation.state.q[2]
            };
            (0..100).map(lowest).collect::<Vec<_>>()
        };
        let rest = *moved(None).last().unwrap();
        assert!((rest - 0.075).abs() < 1e-3, "{rest}");
        let lifted = *moved(Some(0.5)).last().unwrap();
        assert!(lifted > 0.3, "{lifted}");
        moved(None);
        let pressed = moved(Some(-0.5)).into_iter().fold(f64::INFINITY, f64::min);
        assert!(pressed > 0.074, "{pressed}");
    }
}
