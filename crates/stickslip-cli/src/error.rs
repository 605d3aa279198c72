//! How a command ends: exit codes and errors.

use std::io;
use std::path::PathBuf;
use stickslip_report::ReportError;
use stickslip_scene::answers::AnswerError;
use stickslip_scene::recording::RecordError;
use stickslip_scene::{Idle, SceneError};

/// How a command that did its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything asked for, to the tolerance.
    Good,
    /// No answer met the tolerance, or a run ended early.
    NoAnswer,
    /// Ctrl-C; the files are complete.
    Interrupted,
}

impl Outcome {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::NoAnswer => 1,
            Self::Interrupted => 130,
        }
    }
}

/// A command that could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error("{0}")]
    Misuse(String),
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error("{0}")]
    Scene(Box<SceneError>),
    #[error(transparent)]
    Model(#[from] stickslip::Error),
    #[error(transparent)]
    Contact(#[from] stickslip::contact::Error),
    #[error(transparent)]
    Problem(#[from] complementarity::Error),
    /// The directory for the output cannot be used: known before any work is done.
    #[error("{0}")]
    Place(RecordError),
    /// A step without a certified answer.
    #[error("{0}")]
    NoAnswer(String),
    /// A file could not be written in the end.
    #[error("{0}")]
    Write(RecordError),
    /// A report or an export could not be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error("the result cannot be printed: {0}")]
    Print(io::Error),
    #[error("the output was closed")]
    Closed,
}

impl CliError {
    pub(crate) fn misuse(reason: impl Into<String>) -> Self {
        Self::Misuse(reason.into())
    }

    /// 2 for what the user can put right on the command line, 1 for work that could not be finished.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Report(ReportError::Write(_) | ReportError::Film { .. }) => 1,
            Self::Write(_) | Self::NoAnswer(_) | Self::Print(_) | Self::Closed => 1,
            _ => 2,
        }
    }
}

/// With the names of options as they are typed.
impl From<AnswerError> for CliError {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Misuse(reason) => Self::Misuse(reason),
            AnswerError::Option { option, reason } => Self::Misuse(format!("--{option}{reason}")),
            AnswerError::Idle(Idle { key, choice, chosen, needed, .. }) => {
                let needed = needed.join(" or ");
                Self::Misuse(format!(
                    "--{key} does nothing with the {choice} {chosen}; leave it out, or add --{choice} {needed}"
                ))
            }
            AnswerError::Unused { key, choice, needed } => {
                let needed = needed.join(" or ");
                Self::Misuse(format!("--{key} does nothing without --{choice} {needed}"))
            }
            AnswerError::Scene(error) => Self::Scene(error),
            AnswerError::Model(error) => Self::Model(error),
            AnswerError::Contact(error) => Self::Contact(error),
            AnswerError::Problem(error) => Self::Problem(error),
        }
    }
}

impl From<io::Error> for CliError {
    fn from(e: io::Error) -> Self {
        if e.kind() == io::ErrorKind::BrokenPipe { Self::Closed } else { Self::Print(e) }
    }
}
