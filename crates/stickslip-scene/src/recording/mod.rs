//! Recordings: what a run leaves on the disk.
//!
//! A [`Recorder`] observes a run and [`Recorder::finish`] writes, into one directory:
//!
//! | file | what is in it |
//! |---|---|
//! | `trajectory.csv` | one line per sample: `t`, every coordinate and velocity by its name, and per contact `<name>.gap`, `<name>.impulse_n`, `<name>.impulse_t` (since the sample before) and `<name>.mode` (`open`, `stick`, `slip+`, `slip-`) |
//! | `events.csv` | one line per event: `t`, `contact`, `event`, `impulse_n`, `impulse_t`, `energy` (added by an impact; negative if lost) |
//! | `summary.json` | what the run amounted to: see [`Summary`] |
//! | `coordinates`, `velocities`, `phase`, `gaps`, `forces`, `modes`, `energy` | plots, each as `.svg` and `.png`; those that would be empty are left out |
//! | `portrait-1` and so on | the plots that the scene asks for |
//!
//! Numbers are written so that reading them gives the same bits. Every file appears whole or not at
//! all ([`WholeFile`]): samples are streamed to a temporary name, the tables and the summary are brought to the disk and get
//! their names, `summary.json` last, and then plots are drawn one by one.

mod error;
pub mod plot;
mod portrait;
mod recorder;
mod summary;
mod timer;
mod track;
mod units;
mod whole;

pub use error::RecordError;
pub use recorder::{Recorder, Recording, write_figure};
pub use summary::{
    CertificateText, Counts, Created, DriftText, Ending, EnergyText, EnergyTexts, Facts,
    MeasureText, MovedText, StateText, Summary, Timing, versions,
};
pub use timer::StageTimer;
pub use track::Track;
pub use units::Units;
pub use whole::WholeFile;
