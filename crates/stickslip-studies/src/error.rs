//! What ends a study.

use std::io;

/// Why a study has no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An option is out of range.
    #[error("{option}: {reason}")]
    Option {
        /// Its name.
        option: &'static str,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// A system is refused.
    #[error(transparent)]
    Model(#[from] stickslip::Error),
    /// A contact problem or its settings are refused.
    #[error(transparent)]
    Contact(#[from] stickslip::contact::Error),
    /// A friction set is refused.
    #[error(transparent)]
    Set(#[from] stickslip::contact::set::SetError),
    /// A complementarity problem is refused.
    #[error(transparent)]
    Problem(#[from] complementarity::Error),
    /// A problem has no certified answer.
    #[error("{0}")]
    Unsolved(String),
    /// What was found cannot be shown.
    #[error("the findings cannot be shown: {0}")]
    Show(#[from] io::Error),
}

impl Error {
    /// Refuses an option unless it is in order.
    pub(crate) fn unless(
        good: bool,
        option: &'static str,
        reason: impl FnOnce() -> String,
    ) -> Result<(), Self> {
        if good { Ok(()) } else { Err(Self::Option { option, reason: reason() }) }
    }

    /// Refuses numbers that are not positive and finite.
    pub(crate) fn unless_positive(values: &[f64], option: &'static str) -> Result<(), Self> {
        match values.iter().find(|v| !(**v > 0.0 && v.is_finite())) {
            Some(v) => Self::unless(false, option, || format!("{v} is not a positive number")),
            None => Ok(()),
        }
    }

    /// Refuses a count outside of a range.
    pub(crate) fn unless_within(
        value: usize,
        (least, most): (usize, usize),
        option: &'static str,
    ) -> Result<(), Self> {
        Self::unless((least..=most).contains(&value), option, || {
            format!("{value} is not between {least} and {most}")
        })
    }
}
