//! Wall-clock time per stage of a step.

use std::time::{Duration, Instant};
use stickslip::run::{Stage, Stopwatch};

/// Adds up the time of each stage, by one look at the clock per stage.
#[derive(Clone, Debug)]
pub struct StageTimer {
    start: Instant,
    last: Instant,
    stages: [Duration; Stage::ALL.len()],
}

impl Default for StageTimer {
    fn default() -> Self {
        let now = Instant::now();
        Self { start: now, last: now, stages: [Duration::ZERO; Stage::ALL.len()] }
    }
}

impl StageTimer {
    /// The time of each stage so far.
    pub fn stages(&self) -> impl Iterator<Item = (Stage, Duration)> {
        Stage::ALL.into_iter().zip(self.stages)
    }

    /// The time since the timer was made.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.start.elapsed()
    }
}

impl Stopwatch for StageTimer {
    fn lap(&mut self, stage: Stage) {
        let now = Instant::now();
        self.stages[stage as usize] += now - self.last;
        self.last = now;
    }
}
