//! The native part of the Python module `stickslip`. Docstrings, result classes and types are on the Python side, in `python/stickslip`;
//! here arrays become problems, answers become dictionaries, and work is done with the interpreter released.

mod arrays;
mod contact;
mod derivative;
mod error;
mod linear;
mod patience;
mod simulation;
mod value;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::contact::ContactProblem;
    #[pymodule_export]
    use crate::error::{Error, StepError};
    #[pymodule_export]
    use crate::linear::{classify, enumerate_lcp, solve_lcp, solve_mlcp};
    #[pymodule_export]
    use crate::patience::Cancellation;
    #[pymodule_export]
    use crate::simulation::{Simulation, gallery, mode_names};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
