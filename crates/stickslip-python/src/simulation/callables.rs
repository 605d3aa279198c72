//! A system whose mass matrix, forces, gaps and directions are functions of Python.

use crate::arrays;
use crate::error::{misuse, raised_in_run};
use crate::patience::{Failure, cancelled};
use complementarity::Matrix;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use stickslip::SystemInfo;
use stickslip::system::{Directions, Energy, System};

/// Differences are taken over this share of a number, or of 1: where rounding and the curvature of a smooth function cost the same.
const DIFFERENCE: f64 = 6e-6;

/// The functions. Each takes arrays, and returns something that NumPy makes an array of.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Functions {
    /// M(q, t), f x f.
    mass: Py<PyAny>,
    /// h(q, u, t), f.
    forces: Py<PyAny>,
    /// g(q, t), k.
    gaps: Py<PyAny>,
    /// Of (q, t), in a row: of each contact w_N, w_T, ŵ_N, ŵ_T.
    directions: Py<PyAny>,
    /// V(q, t).
    potential: Py<PyAny>,
}

/// The numbers of a function of arrays and the time.
fn called(
    what: &str,
    function: &Py<PyAny>,
    (x, t): (&[&[f64]], f64),
    out: &mut [f64],
) -> PyResult<()> {
    Python::attach(|py| {
        let mut arguments = Vec::with_capacity(x.len() + 1);
        for x in x {
            arguments.push(PyArray1::from_slice(py, x).into_any());
        }
        arguments.push(pyo3::types::PyFloat::new(py, t).into_any());
        let answer = function.bind(py).call1(pyo3::types::PyTuple::new(py, arguments)?)?;
        if let [number] = out
            && let Ok(found) = answer.extract()
        {
            *number = found;
            return Ok(());
        }
        let array: PyReadonlyArray1<'_, f64> = answer.extract()?;
        let numbers = arrays::vector(&array)?;
        if numbers.len() != out.len() {
            let (found, expected) = (numbers.len(), out.len());
            return Err(misuse(format!(
                "{what} returned {found} numbers; there must be {expected}"
            )));
        }
        out.copy_from_slice(&numbers);
        Ok(())
    })
}

/// Calls a function, and keeps its exception unless nobody waits for it. The numbers are not finite then, and once there is an exception
/// no function is called any more.
fn guarded(
    failure: &Failure,
    what: &str,
    function: &Py<PyAny>,
    at: (&[&[f64]], f64),
    out: &mut [f64],
) {
    if cancelled() || failure.is_kept() {
        return out.fill(f64::NAN);
    }
    if let Err(error) = called(what, function, at, out) {
        out.fill(f64::NAN);
        if !cancelled() {
            failure.keep(Python::attach(|py| raised_in_run(py, error)));
        }
    }
}

/// The value of a section.
pub(crate) fn number(failure: &Failure, function: &Py<PyAny>, at: (&[&[f64]], f64)) -> f64 {
    let mut value = [0.0];
    guarded(failure, "section", function, at, &mut value);
    value[0]
}

/// The system.
pub(crate) struct PySystem {
    pub(crate) info: SystemInfo,
    pub(crate) functions: Functions,
    pub(crate) failure: Failure,
    /// The directions of all contacts where they were asked for last: q and t, and the numbers.
    kept: Mutex<(Vec<f64>, Vec<f64>)>,
}

impl PySystem {
    pub(crate) fn new(info: SystemInfo, functions: Functions) -> Self {
        Self { info, functions, failure: Failure::default(), kept: Mutex::default() }
    }

    /// Calls a function with arrays and the time, and puts its numbers into `out`; not a number where it fails.
    fn call(&self, what: &str, function: &Py<PyAny>, (x, t): (&[&[f64]], f64), out: &mut [f64]) {
        guarded(&self.failure, what, function, (x, t), out);
    }

    /// Of all contacts w_N, w_T, ŵ_N, ŵ_T, one after the other.
    fn all_directions(&self, q: &[f64], t: f64, use_them: impl FnOnce(&[f64])) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, numbers) = &mut *kept;
        let same = at.len() == q.len() + 1 && at[..q.len()] == *q && at[q.len()] == t;
        if !same {
            numbers.resize(self.info.contacts.len() * (2 * q.len() + 2), 0.0);
            self.call("directions", &self.functions.directions, (&[q], t), numbers);
            at.clear();
            // Numbers that are not finite stand for an exception or for work that was ended, and are asked for again.
            if numbers.iter().all(|x| x.is_finite()) {
                at.extend(q.iter().chain([&t]));
            }
        }
        use_them(numbers);
    }

    fn potential(&self, q: &[f64], t: f64) -> f64 {
        let mut v = [0.0];
        self.call("potential", &self.functions.potential, (&[q], t), &mut v);
        v[0]
    }

    /// uᵀ M u / 2.
    fn kinetic(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        let mut m = Matrix::zeros(u.len(), u.len());
        self.mass(q, t, &mut m);
        0.5 * m.mul_vec(u).iter().zip(u).map(|(p, u)| p * u).sum::<f64>()
    }

    /// The derivative along the motion, with the velocity fixed.
    fn along(&self, q: &[f64], u: &[f64], t: f64, mut f: impl FnMut(&[f64], f64) -> f64) -> f64 {
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let step = DIFFERENCE * (1.0 + largest(q)) / largest(u).max(1.0);
        let mut at = |s: f64| {
            let there: Vec<f64> = q.iter().zip(u).map(|(q, u)| q + s * u).collect();
            f(&there, t + s)
        };
        (at(step) - at(-step)) / (2.0 * step)
    }
}

impl System for PySystem {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn mass(&self, q: &[f64], t: f64, m: &mut Matrix) {
        self.call("mass", &self.functions.mass, (&[q], t), m.as_mut_slice());
    }

    fn forces(&self, q: &[f64], u: &[f64], t: f64, h: &mut [f64]) {
        self.call("forces", &self.functions.forces, (&[q, u], t), h);
    }

    fn gaps(&self, q: &[f64], t: f64, gaps: &mut [f64]) {
        self.call("gaps", &self.functions.gaps, (&[q], t), gaps);
    }

    fn directions(&self, contact: usize, q: &[f64], t: f64, out: &mut Directions<'_>) {
        let f = q.len();
        self.all_directions(q, t, |all| {
            let own = &all[contact * (2 * f + 2)..(contact + 1) * (2 * f + 2)];
            out.normal.copy_from_slice(&own[..f]);
            out.tangent.copy_from_slice(&own[f..2 * f]);
            (out.normal_drive, out.tangent_drive) = (own[2 * f], own[2 * f + 1]);
        });
    }

    fn convective(&self, contact: usize, q: &[f64], u: &[f64], t: f64) -> [f64; 2] {
        let f = q.len();
        let velocity = |row: usize| {
            move |all: &[f64]| {
                let own = &all[contact * (2 * f + 2)..(contact + 1) * (2 * f + 2)];
                let w = &own[row * f..(row + 1) * f];
                w.iter().zip(u).map(|(w, u)| w * u).sum::<f64>() + own[2 * f + row]
            }
        };
        [0, 1].map(|row| {
            self.along(q, u, t, |q, t| {
                let mut gamma = f64::NAN;
                self.all_directions(q, t, |all| gamma = velocity(row)(all));
                gamma
            })
        })
    }

    fn force_jacobians(&self, q: &[f64], u: &[f64], t: f64, dq: &mut Matrix, du: &mut Matrix) {
        let f = q.len();
        let (mut high, mut low) = (vec![0.0; f], vec![0.0; f]);
        for j in 0..2 * f {
            let (mut moved_q, mut moved_u) = (q.to_vec(), u.to_vec());
            let x = if j < f { q[j] } else { u[j - f] };
            let step = DIFFERENCE * x.abs().max(1.0);
            for (out, value) in [(&mut high, x + step), (&mut low, x - step)] {
                *if j < f { &mut moved_q[j] } else { &mut moved_u[j - f] } = value;
                self.forces(&moved_q, &moved_u, t, out);
            }
            let matrix = if j < f { &mut *dq } else { &mut *du };
            for i in 0..f {
                matrix.row_mut(i)[j % f] = (high[i] - low[i]) / (2.0 * step);
            }
        }
    }

    fn energy(&self, q: &[f64], u: &[f64], t: f64) -> Energy {
        Energy { kinetic: self.kinetic(q, u, t), potential: self.potential(q, t) }
    }

    /// What forces do beyond their potential: the change of both energies along a motion without contact.
    fn power(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        let mut h = vec![0.0; u.len()];
        self.forces(q, u, t, &mut h);
        let work: f64 = h.iter().zip(u).map(|(h, u)| h * u).sum();
        work + self.along(q, u, t, |q, t| self.kinetic(q, u, t) + self.potential(q, t))
    }
}
