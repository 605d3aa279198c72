//! Recordings: what a run leaves on the disk.
//!
//! A [`Recorder`] observes a run and [`Recorder::finish`] writes, into one directory:
//!
//! | file | what is in it |
//! |---|---|
//! | `trajectory.csv`, `trajectory.arrows` | one line per sample: `t`, every coordinate and velocity by its name, and per contact `<name>.gap`, `<name>.impulse_n`, `<name>.impulse_t` (since the sample before) and `<name>.mode` (`open`, `stick`, `slip+`, `slip-`) |
//! | `events.csv`, `events.arrows` | one line per event: `t`, `contact`, `event`, `impulse_n`, `impulse_t`, `energy` (added by an impact; negative if lost) |
//! | `contacts.csv`, `contacts.arrows` | of models that find contacts themselves: one line per such contact and sample, with bodies, position, normal, tangent, gap, impulses and mode |
//! | `summary.json` | what the run amounted to: see [`Summary`] |
//! | `coordinates`, `velocities`, `phase`, `gaps`, `forces`, `modes`, `energy` | plots, each as `.svg` and `.png`; those that would be empty are left out |
//! | `portrait-1` and so on | the plots that the scene asks for |
//! | `replay.json` | the motion as reports and exports draw it: see [`replay`] |
//!
//! Numbers are written so that reading them gives the same bits. Tables are text or Apache Arrow streams ([`Format`]), and [`arrow_to_csv`] and
//! [`csv_to_arrow`] make the one of the other. While a run goes on they grow under their names with `.partial` added, and can be
//! read there; when it ends the tables and the summary are brought to the disk and get their names, `summary.json` last, and then plots
//! are drawn one by one, each whole or not at all ([`WholeFile`]). A [`Checkpoint`] lets a run that was killed go on.

mod arrow;
mod checkpoint;
mod column;
mod convert;
mod error;
pub mod plot;
mod portrait;
mod recorder;
pub mod replay;
mod stream;
mod summary;
mod table;
mod text;
mod timer;
mod track;
mod units;
mod whole;

pub use arrow::Tail;
pub use checkpoint::{Checkpoint, Identity};
pub use column::{Cells, Column, Header, of_samples as trajectory_columns};
pub use convert::{Converted, arrow_to_csv, csv_to_arrow};
pub use error::RecordError;
pub use recorder::{Recorder, Recording, write_figure};
pub use summary::{
    CertificateText, Counts, Created, DriftText, Ending, EnergyText, EnergyTexts, Facts,
    MeasureText, MovedText, StateText, Summary, Timing, versions,
};
pub use table::Format;
pub use timer::StageTimer;
pub use track::Track;
pub use units::Units;
pub use whole::WholeFile;
