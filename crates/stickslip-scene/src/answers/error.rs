//! Why there is no answer.

use crate::error::SceneError;
use crate::idle::Idle;

/// A question that cannot be answered as it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AnswerError {
    /// What is wrong with the question, and what would be right.
    #[error("{0}")]
    Misuse(String),
    /// What is wrong with one option of it: the text goes on after the name of the option.
    #[error("{option}{reason}")]
    Option {
        /// The name of the option.
        option: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// An option that does nothing with the others.
    #[error(
        "{} does nothing with the {} {}; leave it out, or choose the {} {}",
        .0.key, .0.choice, .0.chosen, .0.choice, .0.needed.join(" or ")
    )]
    Idle(Idle),
    /// An option that does nothing without another.
    #[error("{key} does nothing without the {choice} {}", .needed.join(" or "))]
    Unused {
        /// The option.
        key: &'static str,
        /// What it depends on.
        choice: &'static str,
        /// What would have to be chosen there.
        needed: Vec<&'static str>,
    },
    /// The scene refuses it.
    #[error(transparent)]
    Scene(#[from] Box<SceneError>),
    /// The model refuses it.
    #[error(transparent)]
    Model(#[from] stickslip::Error),
    /// The contact problem refuses it.
    #[error(transparent)]
    Contact(#[from] stickslip::contact::Error),
    /// The complementarity problem refuses it.
    #[error(transparent)]
    Problem(#[from] complementarity::Error),
}

impl From<SceneError> for AnswerError {
    fn from(error: SceneError) -> Self {
        Self::Scene(Box::new(error))
    }
}

impl AnswerError {
    /// What is wrong with the question.
    pub fn misuse(reason: impl Into<String>) -> Self {
        Self::Misuse(reason.into())
    }

    /// What is wrong with one option of it.
    pub(crate) fn option(option: &'static str, reason: impl Into<String>) -> Self {
        Self::Option { option, reason: reason.into() }
    }
}
