//! `stickslip solve`: one problem, judged.

mod contact;
mod words;

use crate::args::{ContactArgs, SolveArgs};
use crate::error::{CliError, Outcome};
use crate::output;
use complementarity::{Problem, Solution};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;
use std::time::Instant;
use stickslip::contact::ContactProblem;
use stickslip_scene::answers::proof;
use stickslip_scene::answers::solve::{self, ResidualText, SolvedRedundancy, status_of};
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
    redundancy: Option<SolvedRedundancy>,
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

fn linear(problem: &Problem, args: &SolveArgs) -> Result<Answer, CliError> {
    let start = Instant::now();
    let (name, solution) = solve::linear(problem, args.solver, args.tol)?;
    Ok(answer(problem, solution, name, start.elapsed().as_secs_f64()))
}

fn answer(problem: &Problem, s: Solution, solver: &'static str, seconds: f64) -> Answer {
    let (status, reason) = status_of(s.status);
    let kind = match problem {
        Problem::Lcp(_) => "lcp",
        Problem::Mlcp(_) => "mlcp",
    };
    let certificate = s.residual.into();
    let values = Values::Linear { z: s.z, w: s.w, certificate, proof: s.proof };
    let iterations = s.statistics.iterations;
    Answer { status, reason, kind, values, solver, formulation: None, iterations, seconds }
}

fn lcp_proof<S: serde::Serializer>(
    proof: &Option<complementarity::Proof>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    proof.as_ref().map(proof::of_lcp).serialize(serializer)
}
