//! A run as a viewer replays it: `replay.json`.
//!
//! A [`Replay`] keeps a bounded number of frames: when all are in use every second one is dropped, and from then on only every
//! second sample becomes a frame. A frame has the poses of the bodies or the numbers of the drawing, coordinates, velocities, energies, what
//! contacts do and transmit, and the worst certificate since the frame before. [`ReplayFile`] is what is written: the frames, the shapes of
//! the bodies, the parameters and the events, in one file that needs nothing else.

mod contacts;
mod file;
mod frames;
mod layout;
mod packing;

pub use contacts::{ContactFrame, ContactsFile};
pub use file::{
    BodyFile, ChannelFile, DrawnFile, DrawnValue, EventFile, PlotFile, PoseFile, ReplayFile,
};
pub use frames::Replay;
pub use layout::ChannelGroup;
pub use packing::PackedRow;

/// A replay that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The packed numbers end too early.
    #[error("the numbers of the replay end too early; write it again with `stickslip run`")]
    Short,
    /// The packed numbers are none.
    #[error("the numbers of the replay cannot be read: {0}")]
    Text(String),
    /// The file is none.
    #[error("this is not a replay: {0}")]
    Json(String),
    /// One of another version of the program.
    #[error(
        "this replay has the version {0}, which this program does not read; run the scene again"
    )]
    Version(u32),
}
