//! Answers of the library as dictionaries, lists and numbers of Python.

use crate::error::Raise;
use numpy::IntoPyArray;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::Serialize;
use serde_json::Value;

/// Anything with names, as Python sees its JSON. Lists of numbers are arrays.
pub(crate) fn python<'py, T: Serialize>(
    py: Python<'py>,
    answer: &T,
) -> PyResult<Bound<'py, PyAny>> {
    of(py, &serde_json::to_value(answer).raise()?)
}

fn of<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(b) => b.into_bound_py_any(py),
        Value::String(s) => s.into_bound_py_any(py),
        Value::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(i), _) => i.into_bound_py_any(py),
            (_, Some(u)) => u.into_bound_py_any(py),
            _ => n.as_f64().into_bound_py_any(py),
        },
        Value::Array(list) => match numbers(list) {
            Some(numbers) => numbers.into_pyarray(py).into_bound_py_any(py),
            None => {
                let all = list.iter().map(|v| of(py, v)).collect::<PyResult<Vec<_>>>()?;
                PyList::new(py, all)?.into_bound_py_any(py)
            }
        },
        Value::Object(map) => {
            let dict = PyDict::new(py);
            for (name, v) in map {
                dict.set_item(name, of(py, v)?)?;
            }
            dict.into_bound_py_any(py)
        }
    }
}

/// The numbers of a list of nothing but numbers with a fractional part in their type.
fn numbers(list: &[Value]) -> Option<Vec<f64>> {
    let float = |v: &Value| v.as_number().filter(|n| n.is_f64()).and_then(|n| n.as_f64());
    if list.is_empty() { None } else { list.iter().map(float).collect() }
}
