//! Contact problems.

use crate::arrays::{MatrixLike, vector};
use crate::derivative::{self, Rates};
use crate::error::{Raise, misuse};
use crate::patience::{by_size, patiently};
use crate::value::python;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use std::time::Instant;
use stickslip::contact::analysis::report::{Analysis, Settings as ReportSettings};
use stickslip::contact::block::BlockMatrix;
use stickslip::contact::solve::{ContactSolution, ContactSolver, Formulation, SolverChoice};
use stickslip::contact::{Certificate, ContactProblem as Problem, Delassus, Law, Proof};
use stickslip_scene::ContactChoices;
use stickslip_scene::answers::analysis::{Facts, LevelFacts};
use stickslip_scene::answers::solve::{MOST_ROWS, SolvedRedundancy, asymmetry, status_of};
use stickslip_scene::answers::{components, proof, slopes};
use stickslip_scene::recording::CertificateText;

/// W, b and laws.
#[pyclass(subclass, frozen, name = "NativeContactProblem")]
pub(crate) struct ContactProblem(Arc<Problem>);

/// How a problem is solved, in the order of the Python side.
type Choices = (Option<usize>, Vec<f64>, Option<f64>, bool);

#[pymethods]
impl ContactProblem {
    #[new]
    fn new(
        py: Python<'_>,
        w: MatrixLike<'_>,
        b: PyReadonlyArray1<'_, f64>,
        contacts: &str,
        dimension: u32,
    ) -> PyResult<Self> {
        let laws = Problem::laws_from_json(contacts, dimension).raise()?;
        let expected: usize = laws.iter().map(Law::components).sum();
        let b = vector(&b)?;
        if b.len() != expected {
            let found = b.len();
            return Err(misuse(format!(
                "b has {found} entries; with dimension={dimension} the contacts have {expected} components, and each has one"
            )));
        }
        let delassus: Delassus = match w.is_sparse() {
            false => w.dense("")?.into(),
            true => blocks(&w, &laws)?.into(),
        };
        Ok(Self(Arc::new(py.detach(|| Problem::new(delassus, b, laws)).raise()?)))
    }

    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        Ok(Self(Arc::new(py.detach(|| Problem::from_json(text)).raise()?)))
    }

    fn to_json(&self) -> PyResult<String> {
        self.0.to_json().raise()
    }

    #[getter]
    fn contacts(&self) -> usize {
        self.0.contacts()
    }

    #[getter]
    fn b<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.bias())
    }

    #[getter]
    fn components(&self) -> Vec<Vec<String>> {
        self.0.laws().iter().map(components).collect()
    }

    fn solve_native<'py>(
        &self,
        py: Python<'py>,
        solver: &str,
        formulation: Option<&str>,
        tol: f64,
        choices: Choices,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (start, problem) = (Instant::now(), self.0.clone());
        let mut solver = self.solver(solver, formulation, tol, choices)?;
        let (solution, seconds, asymmetry) = by_size(py, problem.bias().len(), move || {
            let solution = solver.solve(&problem).clone();
            let seconds = start.elapsed().as_secs_f64();
            drop(solver);
            (solution, seconds, asymmetry(&problem))
        })?;
        let answer = self.answer(py, solution, seconds)?;
        answer.set_item("asymmetry", asymmetry)?;
        Ok(answer)
    }

    /// How far the impulses of the same solve are not unique, which takes many times longer than the solve: none where it is not reported.
    fn solved_redundancy_native<'py>(
        &self,
        py: Python<'py>,
        solver: &str,
        formulation: Option<&str>,
        tol: f64,
        choices: Choices,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.0.bias().len() > MOST_ROWS {
            return Ok(py.None().into_bound(py));
        }
        let mut solver = self.solver(solver, formulation, tol, choices)?;
        let problem = self.0.clone();
        let found = patiently(py, move || {
            solver.solve(&problem);
            SolvedRedundancy::of(&solver, &problem)
        })?;
        python(py, &found)
    }

    fn certificate_native<'py>(
        &self,
        py: Python<'py>,
        impulse: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let impulse = vector(&impulse)?;
        let certificate = py.detach(|| self.0.certificate(&impulse)).raise()?;
        python(py, &text(&certificate))
    }

    fn derivative_native<'py>(
        &self,
        py: Python<'py>,
        impulse: PyReadonlyArray1<'_, f64>,
        rates: Rates<'_>,
    ) -> PyResult<Bound<'py, PyDict>> {
        derivative::along(py, self.0.clone(), vector(&impulse)?, &rates)
    }

    fn jacobian_native<'py>(
        &self,
        py: Python<'py>,
        impulse: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        derivative::jacobian(py, self.0.clone(), vector(&impulse)?)
    }

    fn redundancy_native<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let problem = self.0.clone();
        let found = patiently(py, move || {
            let mut solver = ContactSolver::default();
            let solved = solver.solve(&problem).is_solved();
            solved.then(|| solver.redundancy(&problem))
        })?;
        let Some(found) = found else {
            return Err(misuse("the problem is not solved, so that no impulses can be compared"));
        };
        let r = found.raise()?;
        let answer = PyDict::new(py);
        answer.set_item("rank", r.rank)?;
        answer.set_item("rows", r.components)?;
        answer.set_item("dimension", r.dimension)?;
        answer.set_item("decided", r.decided)?;
        Ok(answer)
    }

    fn analyze_native<'py>(
        &self,
        py: Python<'py>,
        sensitivity: Vec<String>,
        max_contacts: Option<usize>,
        max_nodes: Option<usize>,
        tol: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut settings = ReportSettings::default();
        let s = &mut settings.solutions;
        s.max_contacts = max_contacts.unwrap_or(s.max_contacts);
        s.max_nodes = max_nodes.unwrap_or(s.max_nodes);
        s.tolerance = tol.unwrap_or(s.tolerance);
        let problem = self.0.clone();
        let facts = patiently(py, move || {
            let analysis = Analysis::of(&problem, &settings)?;
            let names: Vec<String> = (0..problem.contacts()).map(|i| i.to_string()).collect();
            let mut level = LevelFacts::of_problem(&problem, &analysis, &names);
            level.sensitivity = slopes::of_problem(&problem, &analysis, &sensitivity)?;
            Ok::<_, stickslip_scene::answers::AnswerError>(Facts::of_problem("problem", level))
        })?;
        python(py, &facts.raise()?)
    }
}

impl ContactProblem {
    /// A solver for this problem, by the names of its parts.
    fn solver(
        &self,
        solver: &str,
        formulation: Option<&str>,
        tol: f64,
        (directions, rho, relaxation, minimum_norm): Choices,
    ) -> PyResult<ContactSolver> {
        let solver: SolverChoice = solver.parse().raise()?;
        let formulation: Option<Formulation> = formulation.map(str::parse).transpose().raise()?;
        let choices = ContactChoices { directions, rho, relaxation, minimum_norm };
        let settings = choices.settings(solver, formulation, tol).raise()?;
        let solver = ContactSolver::new(settings).raise()?;
        solver.check(&self.0).raise()?;
        Ok(solver)
    }

    fn answer<'py>(
        &self,
        py: Python<'py>,
        s: ContactSolution,
        seconds: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (status, reason) = status_of(s.status);
        let mut modes = Vec::new();
        s.modes(&self.0, &mut modes);
        let answer = PyDict::new(py);
        answer.set_item("status", status)?;
        answer.set_item("reason", reason)?;
        answer.set_item("kind", "contact")?;
        answer.set_item("modes", modes.iter().map(|m| m.name()).collect::<Vec<_>>())?;
        answer.set_item("certificate", python(py, &text(&s.certificate))?)?;
        answer.set_item("model", python(py, &s.model.as_ref().map(text))?)?;
        answer.set_item("contradictions", s.proof.as_ref().map(Proof::contradictions))?;
        answer.set_item("proof", python(py, &s.proof.as_ref().map(proof::of_contact))?)?;
        answer.set_item("impulse", s.impulse.into_pyarray(py))?;
        answer.set_item("velocity", s.velocity.into_pyarray(py))?;
        answer.set_item("solver", s.method)?;
        answer.set_item("formulation", s.formulation.name())?;
        answer.set_item("iterations", s.iterations)?;
        answer.set_item("seconds", seconds)?;
        Ok(answer)
    }
}

fn text(certificate: &Certificate) -> CertificateText {
    CertificateText::new(certificate, &|i| i.to_string())
}

/// W by blocks, one row per component of each contact.
fn blocks(w: &MatrixLike<'_>, laws: &[Law]) -> PyResult<BlockMatrix> {
    let sizes: Vec<usize> = laws.iter().map(Law::components).collect();
    let expected: usize = sizes.iter().sum();
    if let MatrixLike::Sparse((rows, cols, ..)) = w
        && (*rows, *cols) != (expected, expected)
    {
        return Err(misuse(format!(
            "W is {rows} x {cols}; the contacts have {expected} components, so that it must be {expected} x {expected}"
        )));
    }
    BlockMatrix::from_triplets(&sizes, w.triplets()?).raise()
}
