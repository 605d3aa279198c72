//! Settings by the names that Python gives them.

use crate::error::Raise;
use pyo3::prelude::*;
use stickslip_scene::{ContactChoices, RunChoices};

/// Settings by name, all of them optional.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Choices {
    dt: Option<f64>,
    integrator: Option<String>,
    formulation: Option<String>,
    solver: Option<String>,
    impact: Option<String>,
    tol: Option<f64>,
    accept: Option<f64>,
    theta: Option<f64>,
    correction: bool,
    sleep: bool,
    directions: Option<usize>,
    pub(crate) rho: Vec<f64>,
    relaxation: Option<f64>,
    minimum_norm: bool,
    pub(crate) threads: Option<usize>,
}

impl Choices {
    pub(crate) fn read(self) -> PyResult<RunChoices> {
        fn named<T: std::str::FromStr>(name: Option<String>) -> PyResult<Option<T>>
        where
            Result<Option<T>, T::Err>: Raise<Option<T>>,
        {
            name.map(|name| name.parse()).transpose().raise()
        }
        Ok(RunChoices {
            dt: self.dt,
            integrator: named(self.integrator)?,
            formulation: named(self.formulation)?,
            solver: named(self.solver)?,
            impact: named(self.impact)?,
            tol: self.tol,
            accept: self.accept,
            theta: self.theta,
            correction: self.correction,
            sleep: self.sleep,
            contact: ContactChoices {
                directions: self.directions,
                rho: self.rho,
                relaxation: self.relaxation,
                minimum_norm: self.minimum_norm,
            },
        })
    }
}
