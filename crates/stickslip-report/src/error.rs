//! What can go wrong.

use std::path::{Path, PathBuf};
use stickslip_scene::recording::RecordError;
use stickslip_scene::recording::replay::ReplayError;

/// A report, an export or a live run that could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// There is no replay in a directory.
    #[error("{} has no replay.json; `stickslip run SCENE --out {}` writes one", dir.display(), dir.display())]
    NoReplay {
        /// The directory.
        dir: PathBuf,
    },
    /// A file that cannot be read or written.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file that is not what it should be.
    #[error("{}: {source}", path.display())]
    Replay {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ReplayError,
    },
    /// A film could not be finished.
    #[error("{}: {reason}", path.display())]
    Film {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file could not be written whole.
    #[error(transparent)]
    Write(#[from] RecordError),
}

impl ReportError {
    pub(crate) fn file(path: &Path, reason: impl ToString) -> Self {
        Self::File { path: path.to_owned(), reason: reason.to_string() }
    }
}
