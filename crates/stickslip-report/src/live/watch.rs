//! What leaves a live run: commands, and the time at which a sample is due.

use super::drag::Drag;
use super::protocol::Command;
use super::simulation::Simulation;
use glam::DVec3;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};
use stickslip::run::{Event, Flow, Observer, Sample};
use stickslip_scene::recording::Track;

/// How far a run goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// Until a command comes.
    Free,
    /// One step, or one sample of an event-driven run.
    Step,
    /// Nowhere: the state is shown.
    Look,
}

/// Why a run was left.
pub(super) enum Left {
    /// A command has to be carried out between runs.
    For(Command),
    /// The page drags a body, which is done between runs.
    Drag,
    /// Nobody sends commands any more.
    Ended,
}

/// Shows samples at their time, and leaves the run for commands.
pub(super) struct Watch<'w, 's> {
    begin: Instant,
    t: f64,
    far: Length,
    pub(super) left: Option<Left>,
    first: bool,
    /// For mean forces between samples.
    track: Track,
    of: &'w mut Simulation<'s>,
}

impl<'w, 's> Watch<'w, 's> {
    /// Of a run of the simulation that begins now, at this time of it.
    pub(super) fn new(of: &'w mut Simulation<'s>, t: f64, far: Length) -> Self {
        let track = Track::new(of.scene.info());
        Self { begin: Instant::now(), t, far, left: None, first: true, track, of }
    }

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
        self.of.shown.note(event);
        if let Some(recording) = &mut self.of.recording {
            recording.note(event);
        }
    }
}
