//! Errors as exceptions, with the words of the library.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyErr, create_exception};
use stickslip_scene::SceneError;
use stickslip_scene::answers::AnswerError;

create_exception!(
    stickslip,
    Error,
    PyValueError,
    "What was asked for cannot be done as it was asked: the message says what is wrong and what would be right."
);
create_exception!(
    stickslip,
    StepError,
    Error,
    "A step has no answer that meets the tolerance; the state of the simulation is the last good one."
);

/// Misuse in words of this module.
pub(crate) fn misuse(reason: impl Into<String>) -> PyErr {
    Error::new_err(reason.into())
}

/// What a function of Python raised while its simulation runs. Where it asked the simulation itself, the words say what is wrong with that.
pub(crate) fn raised_in_run(py: Python<'_>, error: PyErr) -> PyErr {
    let text = error.value(py).to_string();
    let borrowed = ["Already mutably borrowed", "Already borrowed"].contains(&text.as_str());
    if !(borrowed && error.is_instance_of::<PyRuntimeError>(py)) {
        return error;
    }
    misuse(
        "the simulation is running and can be neither asked nor changed; take its state from the arguments of the function",
    )
}

/// An error of the library.
pub(crate) trait Raise<T> {
    /// The same as an exception.
    fn raise(self) -> PyResult<T>;
}

impl<T, E: Into<Refusal>> Raise<T> for Result<T, E> {
    fn raise(self) -> PyResult<T> {
        self.map_err(|error| Error::new_err(error.into().0))
    }
}

/// The words of an error.
pub(crate) struct Refusal(String);

macro_rules! refusals {
    ($($error:ty),+) => {$(
        impl From<$error> for Refusal {
            fn from(error: $error) -> Self {
                Self(error.to_string())
            }
        }
    )+};
}

refusals!(
    AnswerError,
    SceneError,
    stickslip::Error,
    stickslip::contact::Error,
    complementarity::Error,
    serde_json::Error
);
