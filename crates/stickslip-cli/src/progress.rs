//! How far the work is: a bar with rate and time left on a terminal, a line now and then elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Lines elsewhere than on a terminal come at most this often.
const QUIET: Duration = Duration::from_secs(5);

/// Longer names are cut, so that a bar fits into 80 columns.
const LONGEST: usize = 20;

/// The bar shows thousandths of the whole.
const PARTS: u64 = 1000;

/// Progress of one piece of work, shown on the standard error output.
pub(crate) struct Progress {
    what: String,
    bar: Option<ProgressBar>,
    quiet: bool,
    start: Instant,
    last: Instant,
}

impl Progress {
    /// Shows nothing if `quiet`.
    pub(crate) fn new(what: &str, quiet: bool) -> Self {
        let bar = (!quiet && stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(PARTS);
            // What does not fit into the line is cut off at its end.
            let style = "{prefix} [{bar:20}] {percent:>3} %, {elapsed} / left {eta}, {wide_msg}";
            bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| {
                // Only a template that cannot be read comes here.
                ProgressStyle::default_bar()
            }));
            bar.set_prefix(what.chars().take(LONGEST).collect::<String>());
            bar
        });
        let now = Instant::now();
        Self { what: what.to_owned(), bar, quiet, start: now, last: now }
    }

    /// `done` of `all` is done; `rate` says how fast, e.g. `2.1e6 steps/s`.
    pub(crate) fn show(&mut self, done: f64, all: f64, rate: impl FnOnce(f64) -> String) {
        let share = if all > 0.0 { (done / all).clamp(0.0, 1.0) } else { 0.0 };
        if let Some(bar) = &self.bar {
            let position = (share * PARTS as f64) as u64;
            if bar.position() != position {
                bar.set_message(rate(self.seconds()));
                bar.set_position(position);
            }
        } else if !self.quiet && self.last.elapsed() >= QUIET {
            let seconds = self.seconds();
            let left = if share > 0.0 { seconds * (1.0 - share) / share } else { f64::NAN };
            let percent = 100.0 * share;
            let rate = rate(seconds);
            eprintln!(
                "{}: {percent:.0} % after {seconds:.0} s, {left:.0} s left, {rate}",
                self.what
            );
            self.last = Instant::now();
        }
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
