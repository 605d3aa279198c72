//! What can go wrong while files are written.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A file that could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The directory cannot be made.
    #[error("the directory {} cannot be made: {source}; {}", path.display(), cure(source.kind()))]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file cannot be created, written or put in its place.
    #[error("{} cannot be written: {source}; {}", path.display(), cure(source.kind()))]
    File {
        /// The file, by the name it would have had.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another run writes to the file.
    #[error("{} is written by another run; wait for its end, or choose another directory", path.display())]
    Busy {
        /// The file, by the name it will have.
        path: PathBuf,
    },
    /// A file cannot be read, or is not what it should be.
    #[error("{} cannot be read: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A table ends in the middle of a batch or a line.
    #[error(
        "{} is torn: only its first {complete} bytes are complete; --partial takes what these hold", path.display()
    )]
    Torn {
        /// The file.
        path: PathBuf,
        /// The bytes that are complete.
        complete: u64,
    },
    /// A checkpoint does not fit the run.
    #[error("{} cannot be resumed: {reason}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
    /// A plot cannot be drawn.
    #[error("{} cannot be drawn: {reason}", path.display())]
    Plot {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl RecordError {
    pub(crate) fn file(path: &Path, source: io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }

    pub(crate) fn read(path: &Path, reason: impl Into<String>) -> Self {
        Self::Read { path: path.to_owned(), reason: reason.into() }
    }

    pub(crate) fn checkpoint(path: &Path, reason: impl ToString) -> Self {
        Self::Checkpoint { path: path.to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn directory(path: &Path, source: io::Error) -> Self {
        Self::Directory { path: path.to_owned(), source }
    }
}

fn cure(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "choose a directory that you may write to"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "free some space, write to another disk, or take fewer samples"
        }
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            "a file is in the way: choose another directory"
        }
        ErrorKind::IsADirectory => "a directory is in the way: choose another place",
        _ => "choose another directory",
    }
}
