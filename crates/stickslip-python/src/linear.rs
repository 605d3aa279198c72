//! Linear complementarity problems: one solution, all of them, and the classes of their matrices.

use crate::arrays::{MatrixLike, vector};
use crate::error::{Raise, misuse};
use crate::patience::{by_size, patiently};
use crate::value::python;
use complementarity::classes::{self, Basis, Verdict, classify as classes_of};
use complementarity::enumerate::{self, Count, enumerate as all_of};
use complementarity::{Lcp, Mlcp, Pgs, Problem, Solution, SparseLcp, pgs};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::time::Instant;
use stickslip::contact::solve::SolverChoice;
use stickslip_scene::answers::proof;
use stickslip_scene::answers::solve::{ResidualText, linear, status_of};

/// What to do about a sparse matrix that is too large for a solver of dense ones.
const USE_PGS: &str = "; solver=\"pgs\" solves plain problems with sparse matrices";

type Answer = Result<(&'static str, Solution), stickslip_scene::answers::AnswerError>;

#[pyfunction]
pub(crate) fn solve_lcp<'py>(
    py: Python<'py>,
    m: MatrixLike<'_>,
    q: PyReadonlyArray1<'_, f64>,
    solver: &str,
    tol: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let (q, solver) = (vector(&q)?, solver.parse().raise()?);
    let unknowns = q.len();
    m.check_fits(&q)?;
    if m.is_sparse() && solver == SolverChoice::Pgs {
        let problem = SparseLcp::new(m.sparse()?, q).raise()?;
        let settings = pgs::Settings { tolerance: tol, ..Default::default() };
        let mut pgs = Pgs::new(settings).raise()?;
        return answer(py, ("lcp", unknowns), move || {
            Ok(("pgs", pgs.solve_sparse(&problem).clone()))
        });
    }
    let problem = Problem::Lcp(Lcp::new(m.dense(USE_PGS)?, q).raise()?);
    answer(py, ("lcp", unknowns), move || linear(&problem, solver, tol))
}

#[pyfunction]
pub(crate) fn solve_mlcp<'py>(
    py: Python<'py>,
    m: MatrixLike<'_>,
    q: PyReadonlyArray1<'_, f64>,
    bounds: (PyReadonlyArray1<'_, f64>, PyReadonlyArray1<'_, f64>),
    solver: &str,
    tol: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let (lower, upper) = (vector(&bounds.0)?, vector(&bounds.1)?);
    let (q, solver) = (vector(&q)?, solver.parse().raise()?);
    let unknowns = q.len();
    m.check_fits(&q)?;
    let problem = Problem::Mlcp(Mlcp::new(m.dense(USE_PGS)?, q, lower, upper).raise()?);
    answer(py, ("mlcp", unknowns), move || linear(&problem, solver, tol))
}

/// Solves with the interpreter released.
fn answer<'py>(
    py: Python<'py>,
    (kind, unknowns): (&str, usize),
    solve: impl FnOnce() -> Answer + Send + 'static,
) -> PyResult<Bound<'py, PyDict>> {
    let (answer, seconds) = by_size(py, unknowns, move || {
        let start = Instant::now();
        (solve(), start.elapsed().as_secs_f64())
    })?;
    let (method, s) = answer.raise()?;
    let (status, reason) = status_of(s.status);
    let answer = PyDict::new(py);
    answer.set_item("status", status)?;
    answer.set_item("reason", reason)?;
    answer.set_item("kind", kind)?;
    answer.set_item("z", s.z.into_pyarray(py))?;
    answer.set_item("w", s.w.into_pyarray(py))?;
    answer.set_item("certificate", python(py, &ResidualText::from(s.residual))?)?;
    answer.set_item("proof", python(py, &s.proof.as_ref().map(proof::of_lcp))?)?;
    answer.set_item("solver", method)?;
    answer.set_item("iterations", s.statistics.iterations)?;
    answer.set_item("seconds", seconds)?;
    Ok(answer)
}

#[pyfunction]
pub(crate) fn enumerate_lcp<'py>(
    py: Python<'py>,
    m: MatrixLike<'_>,
    q: PyReadonlyArray1<'_, f64>,
    max_unknowns: usize,
    max_nodes: usize,
    tol: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let q = vector(&q)?;
    m.check_fits(&q)?;
    let problem = Lcp::new(m.dense("")?, q).raise()?;
    let settings = enumerate::Settings {
        max_unknowns,
        max_nodes,
        tolerance: tol,
        ..enumerate::Settings::default()
    };
    let all = patiently(py, move || all_of(&problem, &settings))?.raise()?;
    let faces = PyList::empty(py);
    for face in &all.solutions {
        let one = PyDict::new(py);
        one.set_item("z", face.interior_point().into_pyarray(py))?;
        one.set_item("vertices", rows(py, &face.vertices)?)?;
        one.set_item("rays", rows(py, &face.rays)?)?;
        one.set_item("isolated", face.is_isolated())?;
        faces.append(one)?;
    }
    let answer = PyDict::new(py);
    answer.set_item("count", count(all.count()))?;
    answer.set_item("complete", all.is_complete())?;
    answer.set_item("incomplete", all.incomplete.map(|why| format!("{why:?}").to_lowercase()))?;
    answer.set_item("solutions", faces)?;
    answer.set_item("proof", python(py, &all.proof.as_ref().map(proof::of_lcp))?)?;
    Ok(answer)
}

fn rows<'py>(py: Python<'py>, list: &[Vec<f64>]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray2::from_vec2(py, list).map_err(|e| misuse(e.to_string()))
}

fn count(count: Count) -> String {
    match count {
        Count::Exactly(n) => n.to_string(),
        Count::AtLeast(n) => format!("at least {n}"),
        Count::Infinite => "infinite".to_owned(),
    }
}

#[pyfunction]
pub(crate) fn classify<'py>(
    py: Python<'py>,
    m: MatrixLike<'_>,
    max_unknowns: usize,
    max_work: u64,
    rounding: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let matrix = m.dense("")?;
    let settings = classes::Settings { max_unknowns, max_work, rounding };
    let found = patiently(py, move || classes_of(&matrix, &settings))?.raise()?;
    let verdicts = PyDict::new(py);
    for (class, verdict) in found.iter() {
        let one = PyDict::new(py);
        one.set_item("verdict", word(verdict))?;
        one.set_item("text", verdict.to_string())?;
        one.set_item("by", basis(verdict))?;
        verdicts.set_item(class.name(), one)?;
    }
    let consequences = found.consequences();
    let lines = consequences.iter().map(|c| format!("{} ({}; {})", c.text, c.class, c.source));
    let answer = PyDict::new(py);
    answer.set_item("classes", verdicts)?;
    answer.set_item("consequences", lines.collect::<Vec<_>>())?;
    Ok(answer)
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Yes(_) => "yes",
        Verdict::No(_) => "no",
        Verdict::Undecided(_) => "undecided",
    }
}

fn basis(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Yes(reason) => Some(match reason.basis {
            Basis::Test(test) => test.to_owned(),
            Basis::Class(class) => class.name().to_owned(),
        }),
        _ => None,
    }
}
