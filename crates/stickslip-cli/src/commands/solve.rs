//! `stickslip solve`: one problem, judged.

mod contact;
mod words;

use crate::args::{ContactArgs, SolveArgs};
use crate::error::{CliError, Outcome};
use crate::output;
use complementarity::{
    Auto, InteriorPoint, Lemke, MixedSolver, Newton, Pgs, PrincipalPivoting, Problem, Residual,
    Solution, Solver, Status, auto, interior_point, lemke, newton, pgs, principal_pivoting,
};
use contact::Redundancy;
pub(super) use contact::components;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;
use std::time::Instant;
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::SolverChoice;
use stickslip_scene::recording::CertificateText;
use stickslip_scene::{from_fclib, is_hdf5};

/// What is printed. Keys that a kind of problem does not have are left out.
#[derive(Debug, Serialize)]
struct Answer {
    status: &'static str,
    /// The status in words.
    reason: String,
    kind: &'static str,
    #[serde(flatten)]
    values: Values,
    solver: &'static str,
    formulation: Option<&'static str>,
    iterations: usize,
    seconds: f64,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Values {
    Linear {
        z: Vec<f64>,
        w: Vec<f64>,
        certificate: ResidualText,
        /// Why there is no solution; null where that is not proved.
        #[serde(serialize_with = "lcp_proof")]
        proof: Option<complementarity::Proof>,
    },
    Contact(Box<ContactValues>),
}

#[derive(Debug, Serialize)]
struct ContactValues {
    /// The names of the components of each contact.
    components: Vec<Vec<String>>,
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    modes: Vec<&'static str>,
    /// The error of the solver.
    certificate: CertificateText,
    /// The error of the model; null if the formulation is exact.
    model: Option<CertificateText>,
    redundancy: Option<Redundancy>,
    /// How far W is from symmetric, relative to its entries; 0 if by no more than rounding.
    asymmetry: f64,
    /// The number of contradictions of the proof that there is no solution; null if there is no proof.
    contradictions: Option<usize>,
    /// The largest entry of b, beside which velocities may be rounding.
    #[serde(skip)]
    bias: f64,
    /// The proof itself.
    proof: Option<serde_json::Value>,
}

#[derive(Debug, Serialize)]
struct ResidualText {
    /// The scaled residual.
    worst: f64,
    /// Where it is attained.
    index: usize,
    feasibility: f64,
    complementarity: f64,
    natural: f64,
}

pub(crate) fn run(args: &SolveArgs) -> Result<Outcome, CliError> {
    let bytes = read(&args.problem)?;
    let answer = match problem(&args.problem, bytes)? {
        Input::Contact(problem) => contact::solve(&problem, args)?,
        Input::Linear(problem) => {
            if args.formulation.is_some() || args.contact != ContactArgs::default() {
                let reason = "--formulation, --directions, --rho, --relaxation and --minimum-norm are for contact problems; an LCP or MLCP has none of them";
                return Err(CliError::misuse(reason));
            }
            linear(&problem, args)?
        }
    };
    let outcome = if answer.status == "solved" { Outcome::Good } else { Outcome::NoAnswer };
    if args.json {
        output::print_json(&answer)?
    } else {
        output::print(&words::of(&answer))?
    }
    Ok(outcome)
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let failed = |e: std::io::Error| CliError::File {
        path: path.to_owned(),
        reason: format!("cannot be read: {e}"),
    };
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map_err(failed)?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(failed)
}

pub(super) enum Input {
    Contact(ContactProblem),
    Linear(Problem),
}

pub(super) fn problem(path: &Path, bytes: Vec<u8>) -> Result<Input, CliError> {
    if is_hdf5(&bytes) {
        return Ok(Input::Contact(from_fclib(bytes).map_err(|e| at(path, e))?));
    }
    let text = String::from_utf8(bytes).map_err(|_| at(path, "neither text nor HDF5"))?;
    match kind_of(&text) {
        Some(kind) if kind == "contact" => {
            Ok(Input::Contact(ContactProblem::from_json(&text).map_err(|e| at(path, e))?))
        }
        _ => Ok(Input::Linear(Problem::from_json(&text).map_err(|e| at(path, e))?)),
    }
}

/// The kind of a problem, if the text can be read that far.
fn kind_of(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        kind: String,
    }
    serde_json::from_str::<Head>(text).ok().map(|head| head.kind)
}

fn at(path: &Path, error: impl std::fmt::Display) -> CliError {
    let kinds = "the kinds of problem are \"lcp\", \"mlcp\" and \"contact\"";
    let reason = match error.to_string() {
        text if text.contains("unknown variant") && text.contains("`lcp`") => {
            format!("{text}; {kinds}")
        }
        text => text,
    };
    CliError::File { path: path.to_owned(), reason }
}

/// Whatever the kind of problem, a solver is named in one list.
fn linear(problem: &Problem, args: &SolveArgs) -> Result<Answer, CliError> {
    let tolerance = args.tol;
    let start = Instant::now();
    let (name, solution) = match args.solver {
        SolverChoice::Auto => {
            let mut auto = Auto::new(auto::Settings { tolerance, ..Default::default() })?;
            let solution = on(problem, &mut auto);
            (auto.attempts().last().map_or("auto", |a| a.method), solution)
        }
        SolverChoice::Lemke => {
            let settings = lemke::Settings { tolerance, ..Default::default() };
            ("lemke", on(problem, &mut Lemke::new(settings)?))
        }
        SolverChoice::Pgs => {
            let settings = pgs::Settings { tolerance, ..Default::default() };
            ("pgs", on(problem, &mut Pgs::new(settings)?))
        }
        SolverChoice::Newton => {
            let settings = newton::Settings { tolerance, ..Default::default() };
            ("newton", on(problem, &mut Newton::new(settings)?))
        }
        SolverChoice::InteriorPoint => {
            let settings = interior_point::Settings { tolerance, ..Default::default() };
            ("interior_point", on(problem, &mut InteriorPoint::new(settings)?))
        }
        SolverChoice::PrincipalPivoting => {
            let Problem::Lcp(problem) = problem else {
                let reason =
                    "principal_pivoting is for plain problems; choose another solver for an MLCP";
                return Err(CliError::misuse(reason));
            };
            let settings = principal_pivoting::Settings { tolerance, ..Default::default() };
            ("principal_pivoting", PrincipalPivoting::new(settings)?.solve(problem).clone())
        }
        other => {
            let reason = format!(
                "{other} is for contact problems with the formulation cone; choose another solver for an LCP or MLCP"
            );
            return Err(CliError::misuse(reason));
        }
    };
    Ok(answer(problem, solution, name, start.elapsed().as_secs_f64()))
}

fn on<S: Solver + MixedSolver>(problem: &Problem, solver: &mut S) -> Solution {
    match problem {
        Problem::Lcp(p) => solver.solve(p).clone(),
        Problem::Mlcp(p) => solver.solve_mixed(p).clone(),
    }
}

fn answer(problem: &Problem, s: Solution, solver: &'static str, seconds: f64) -> Answer {
    let (status, reason) = status_of(s.status);
    let kind = match problem {
        Problem::Lcp(_) => "lcp",
        Problem::Mlcp(_) => "mlcp",
    };
    let Residual { scaled, feasibility, complementarity, natural, worst } = s.residual;
    let certificate =
        ResidualText { worst: scaled, index: worst, feasibility, complementarity, natural };
    let values = Values::Linear { z: s.z, w: s.w, certificate, proof: s.proof };
    let iterations = s.statistics.iterations;
    Answer { status, reason, kind, values, solver, formulation: None, iterations, seconds }
}

fn lcp_proof<S: serde::Serializer>(
    proof: &Option<complementarity::Proof>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    proof.as_ref().map(super::proof::of_lcp).serialize(serializer)
}

fn status_of(status: Status) -> (&'static str, String) {
    let word = match status {
        Status::Solved => "solved",
        Status::NoSolution => "no_solution",
        Status::Failed(_) => "failed",
    };
    (word, status.to_string())
}
