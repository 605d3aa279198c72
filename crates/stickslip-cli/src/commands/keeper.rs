//! Checkpoints of a run while it goes on.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickslip::run::{Flow, Memory};
use stickslip_scene::recording::{Checkpoint, Identity, RecordError, Recorder};

/// Writes checkpoints now and then.
pub(crate) struct Keeper {
    dir: PathBuf,
    identity: Identity,
    every: Duration,
    last: Instant,
    /// The time of the run at the newest checkpoint.
    t: Option<f64>,
    failure: Option<RecordError>,
}

impl Keeper {
    /// For the run of a directory, whose newest checkpoint is of this time of the run.
    pub(crate) fn new(dir: &Path, identity: Identity, every: Duration, t: Option<f64>) -> Self {
        Self { dir: dir.to_owned(), identity, every, last: Instant::now(), t, failure: None }
    }

    /// Writes a checkpoint if it is due, or has to be. A run whose checkpoints cannot be written is stopped.
    pub(crate) fn keep(&mut self, memory: &Memory, must: bool, recorder: &mut Recorder) -> Flow {
        if !must && self.last.elapsed() < self.every {
            return Flow::Continue;
        }
        let written = recorder.memory().and_then(|recording| {
            let (identity, t) = (self.identity.clone(), memory.t());
            Checkpoint { identity, t, run: memory.to_bytes(), recording }.write(&self.dir)
        });
        self.last = Instant::now();
        match written {
            Ok(_) => {
                self.t = Some(memory.t());
                Flow::Continue
            }
            Err(failure) => {
                self.failure = Some(failure);
                Flow::Stop
            }
        }
    }

    /// Says why checkpoints could not be written.
    pub(crate) fn check(&mut self) -> Result<(), RecordError> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Says what was kept of a run that did not come to its end.
    pub(crate) fn say_how_to_resume(&self, quiet: bool) {
        let dir = self.dir.display();
        match self.t {
            _ if quiet => {}
            Some(t) => eprintln!(
                "stickslip: the run is kept up to t = {t}; `stickslip run --resume {dir}` goes on from there"
            ),
            None => eprintln!("stickslip: there was no checkpoint yet; the run cannot be resumed"),
        }
    }
}
