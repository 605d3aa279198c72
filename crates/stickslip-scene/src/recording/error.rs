//! What can go wrong while files are written.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A file that could not be written. Whatever was begun under a temporary name has been removed.
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
