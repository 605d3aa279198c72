//! Derivatives of the solution of a contact problem, as arrays.

use crate::arrays::{MatrixLike, check_filled, vector};
use crate::error::{Raise, misuse};
use crate::patience::by_size;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use stickslip::contact::ContactProblem;
use stickslip::contact::analysis::sensitivity::{Derivative, Sensitivity, Variation};
use stickslip_scene::answers::slopes::why_none;

/// How W, b, μ and the radii of the contacts change.
pub(crate) type Rates<'py> = (
    Option<MatrixLike<'py>>,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
);

/// The derivative of the solution as the problem changes; one-sided at a change of mode.
pub(crate) fn along<'py>(
    py: Python<'py>,
    problem: Arc<ContactProblem>,
    impulse: Vec<f64>,
    (w, b, mu, radius): &Rates<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let unknowns = problem.bias().len();
    check_filled(unknowns, unknowns, "")?;
    let mut variation = Variation::none(&problem);
    if let Some(w) = w {
        variation.delassus = w.dense("")?;
    }
    (variation.bias, variation.mu) = (vector(b)?, vector(mu)?);
    variation.radius = vector(radius)?;
    let found = by_size(py, unknowns, move || {
        let sensitivity = Sensitivity::of(&problem, &impulse)?;
        let changes = sensitivity.at_change();
        Ok::<_, stickslip::contact::Error>((sensitivity.along(&variation)?, changes))
    })?;
    let (slope, changes) = found.raise()?;
    let Some(derivative) = slope.unique() else {
        return Err(misuse(format!("there is no single derivative: {}", why_none(&slope))));
    };
    let answer = PyDict::new(py);
    answer.set_item("impulse", derivative.impulse.clone().into_pyarray(py))?;
    answer.set_item("velocity", derivative.velocity.clone().into_pyarray(py))?;
    answer.set_item("both_sides", derivative.both_sides)?;
    answer.set_item("impulses_unique", derivative.impulses_unique)?;
    answer.set_item("at_change", changes)?;
    Ok(answer)
}

/// All derivatives with respect to the entries of b, to μ and to the radii; refused at a change of mode, where they do not exist.
pub(crate) fn jacobian<'py>(
    py: Python<'py>,
    problem: Arc<ContactProblem>,
    impulse: Vec<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let unknowns = problem.bias().len();
    check_filled(unknowns, unknowns, "")?;
    let columns = by_size(py, unknowns, move || columns(&problem, &impulse))?;
    let answer = PyDict::new(py);
    for (name, columns) in ["b", "mu", "radius"].into_iter().zip(columns.map_err(misuse)?) {
        let impulse = columns.iter().flat_map(|d| d.impulse.iter().copied());
        answer.set_item(format!("impulse_{name}"), transposed(py, impulse, columns.len())?)?;
        let velocity = columns.iter().flat_map(|d| d.velocity.iter().copied());
        answer.set_item(format!("velocity_{name}"), transposed(py, velocity, columns.len())?)?;
    }
    Ok(answer)
}

/// The derivatives themselves, a list for each kind of number.
fn columns(problem: &ContactProblem, impulse: &[f64]) -> Result<[Vec<Derivative>; 3], String> {
    let sensitivity = Sensitivity::of(problem, impulse).map_err(|e| e.to_string())?;
    if let [contact, ..] = sensitivity.at_change()[..] {
        return Err(format!(
            "contact {contact} is at a change of mode, where there are derivatives to either side only; ask for derivative along a direction"
        ));
    }
    let (n, k) = (problem.bias().len(), problem.contacts());
    let one = |kind: usize, i: usize| {
        let mut variation = Variation::none(problem);
        match kind {
            0 => variation.bias[i] = 1.0,
            1 => variation.mu[i] = 1.0,
            _ => variation.radius[i] = 1.0,
        }
        let slope = sensitivity.along(&variation).map_err(|e| e.to_string())?;
        let reason = || format!("there is no single derivative: {}", why_none(&slope));
        slope.unique().cloned().ok_or_else(reason)
    };
    let all = |kind: usize, count: usize| (0..count).map(|i| one(kind, i)).collect();
    let [b, mu, radius]: [Result<Vec<Derivative>, String>; 3] = [all(0, n), all(1, k), all(2, k)];
    Ok([b?, mu?, radius?])
}

/// Columns one after the other as a matrix.
fn transposed<'py>(
    py: Python<'py>,
    numbers: impl Iterator<Item = f64>,
    columns: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let array = PyArray1::from_vec(py, numbers.collect());
    array.call_method1("reshape", (columns, -1))?.getattr("T")
}
