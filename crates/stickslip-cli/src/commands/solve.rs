//! `stickslip solve`: one problem, judged.

use crate::args::SolveArgs;
use crate::error::{CliError, Outcome};
use crate::{output, table};
use complementarity::{
    Auto, InteriorPoint, Lcp, Lemke, MixedSolver, Mlcp, Newton, Pgs, PrincipalPivoting, Problem,
    Residual, Solution, Solver, Status, auto, interior_point, lemke, newton, pgs,
    principal_pivoting,
};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;
use std::time::Instant;
use stickslip::ContactProblem;
use stickslip::solve::{ContactSolver, Settings, SolverChoice};
use stickslip_scene::recording::CertificateText;

/// What is printed. Keys that a kind of problem does not have are left out.
#[derive(Debug, Serialize)]
struct Answer {
    status: &'static str,
    /// The status in words.
    reason: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    z: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    w: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impulse: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    velocity: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modes: Option<Vec<&'static str>>,
    certificate: Certificate,
    solver: &'static str,
    formulation: Option<&'static str>,
    iterations: usize,
    seconds: f64,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Certificate {
    Contact(CertificateText),
    Residual {
        /// The scaled residual.
        worst: f64,
        /// Where it is attained.
        index: usize,
        feasibility: f64,
        complementarity: f64,
        natural: f64,
    },
}

const CONES_ONLY: &str = "nsgs and admm are for contact problems with the formulation cone; choose another solver for an LCP or MLCP";

pub(crate) fn run(args: &SolveArgs) -> Result<Outcome, CliError> {
    let text = read(&args.problem)?;
    let answer = match kind_of(&text) {
        Some(kind) if kind == "contact" => {
            let problem = ContactProblem::from_json(&text).map_err(|e| at(&args.problem, e))?;
            contact(&problem, args)?
        }
        _ => {
            let problem = Problem::from_json(&text).map_err(|e| at(&args.problem, e))?;
            if args.formulation.is_some() {
                let reason = "--formulation is for contact problems; an LCP or MLCP has none";
                return Err(CliError::misuse(reason));
            }
            match problem {
                Problem::Lcp(p) => plain(&p, args)?,
                Problem::Mlcp(p) => mixed(&p, args)?,
            }
        }
    };
    let outcome = if answer.status == "solved" { Outcome::Good } else { Outcome::NoAnswer };
    if args.json {
        output::print_json(&answer)?
    } else {
        output::print(&in_words(&answer))?
    }
    Ok(outcome)
}

fn read(path: &Path) -> Result<String, CliError> {
    let failed = |e: std::io::Error| CliError::File {
        path: path.to_owned(),
        reason: format!("cannot be read: {e}"),
    };
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(failed)?;
        return Ok(text);
    }
    std::fs::read_to_string(path).map_err(failed)
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
        text if text.contains("unknown variant") => format!("{text}; {kinds}"),
        text => text,
    };
    CliError::File { path: path.to_owned(), reason }
}

fn contact(problem: &ContactProblem, args: &SolveArgs) -> Result<Answer, CliError> {
    let settings = Settings {
        solver: args.solver,
        tolerance: args.tol,
        formulation: args.formulation.unwrap_or_default(),
        // A formulation that was asked for is not exchanged for another.
        fall_back: args.formulation.is_none(),
        // What is reported as the formulation is what was used.
        cases: false,
        ..Settings::default()
    };
    let mut solver = ContactSolver::new(settings)?;
    solver.check(problem)?;
    let start = Instant::now();
    let s = solver.solve(problem);
    let seconds = start.elapsed().as_secs_f64();
    let (status, reason) = status_of(s.status);
    Ok(Answer {
        status,
        reason,
        kind: "contact",
        z: None,
        w: None,
        impulse: Some(s.impulse.clone()),
        velocity: Some(s.velocity.clone()),
        modes: Some((0..problem.contacts()).map(|i| s.mode(problem, i).name()).collect()),
        certificate: Certificate::Contact(CertificateText::new(&s.certificate, &|i| i.to_string())),
        solver: s.method,
        formulation: Some(s.formulation.name()),
        iterations: s.iterations,
        seconds,
    })
}

fn plain(problem: &Lcp, args: &SolveArgs) -> Result<Answer, CliError> {
    let tolerance = args.tol;
    let timed = |solver: &mut dyn Solver| {
        let start = Instant::now();
        let solution = solver.solve(problem).clone();
        of_solution("lcp", &solution, solver.name(), start)
    };
    Ok(match args.solver {
        SolverChoice::Auto => {
            let mut auto = Auto::new(auto::Settings { tolerance, ..Default::default() })?;
            let answer = timed(&mut auto);
            let method = auto.attempts().last().map_or(answer.solver, |a| a.method);
            Answer { solver: method, ..answer }
        }
        SolverChoice::Lemke => {
            timed(&mut Lemke::new(lemke::Settings { tolerance, ..Default::default() })?)
        }
        SolverChoice::PrincipalPivoting => {
            let settings = principal_pivoting::Settings { tolerance, ..Default::default() };
            timed(&mut PrincipalPivoting::new(settings)?)
        }
        SolverChoice::Pgs => {
            timed(&mut Pgs::new(pgs::Settings { tolerance, ..Default::default() })?)
        }
        SolverChoice::Newton => {
            timed(&mut Newton::new(newton::Settings { tolerance, ..Default::default() })?)
        }
        SolverChoice::InteriorPoint => {
            let settings = interior_point::Settings { tolerance, ..Default::default() };
            timed(&mut InteriorPoint::new(settings)?)
        }
        SolverChoice::Nsgs | SolverChoice::Admm => return Err(CliError::misuse(CONES_ONLY)),
    })
}

fn mixed(problem: &Mlcp, args: &SolveArgs) -> Result<Answer, CliError> {
    let tolerance = args.tol;
    let name = args.solver.name();
    let timed = |solver: &mut dyn MixedSolver| {
        let start = Instant::now();
        let solution = solver.solve_mixed(problem).clone();
        of_solution("mlcp", &solution, name, start)
    };
    Ok(match args.solver {
        SolverChoice::Auto => {
            let mut auto = Auto::new(auto::Settings { tolerance, ..Default::default() })?;
            let answer = timed(&mut auto);
            let method = auto.attempts().last().map_or(answer.solver, |a| a.method);
            Answer { solver: method, ..answer }
        }
        SolverChoice::Lemke => {
            timed(&mut Lemke::new(lemke::Settings { tolerance, ..Default::default() })?)
        }
        SolverChoice::Pgs => {
            timed(&mut Pgs::new(pgs::Settings { tolerance, ..Default::default() })?)
        }
        SolverChoice::Newton => {
            timed(&mut Newton::new(newton::Settings { tolerance, ..Default::default() })?)
        }
        SolverChoice::InteriorPoint => {
            let settings = interior_point::Settings { tolerance, ..Default::default() };
            timed(&mut InteriorPoint::new(settings)?)
        }
        SolverChoice::PrincipalPivoting => {
            let reason =
                "principal_pivoting is for plain problems; choose another solver for an MLCP";
            return Err(CliError::misuse(reason));
        }
        SolverChoice::Nsgs | SolverChoice::Admm => return Err(CliError::misuse(CONES_ONLY)),
    })
}

fn of_solution(kind: &'static str, s: &Solution, solver: &'static str, start: Instant) -> Answer {
    let seconds = start.elapsed().as_secs_f64();
    let (status, reason) = status_of(s.status);
    let Residual { scaled, feasibility, complementarity, natural, worst } = s.residual;
    Answer {
        status,
        reason,
        kind,
        z: Some(s.z.clone()),
        w: Some(s.w.clone()),
        impulse: None,
        velocity: None,
        modes: None,
        certificate: Certificate::Residual {
            worst: scaled,
            index: worst,
            feasibility,
            complementarity,
            natural,
        },
        solver,
        formulation: None,
        iterations: s.statistics.iterations,
        seconds,
    }
}

fn status_of(status: Status) -> (&'static str, String) {
    let word = match status {
        Status::Solved => "solved",
        Status::NoSolution => "no_solution",
        Status::Failed(_) => "failed",
    };
    (word, status.to_string())
}

fn in_words(a: &Answer) -> String {
    let list = |v: &[f64]| {
        const SHOWN: usize = 12;
        let mut text: Vec<String> = v.iter().take(SHOWN).map(|x| format!("{x:.10}")).collect();
        if v.len() > SHOWN {
            text.push(format!("… ({} in all; --json prints them)", v.len()));
        }
        text.join("  ")
    };
    let worst = match &a.certificate {
        Certificate::Contact(c) => format!("{:.1e}", c.worst),
        Certificate::Residual { worst, index, .. } => format!("{worst:.1e} (unknown {index})"),
    };
    let mut rows = vec![("status", a.reason.clone()), ("kind", a.kind.to_owned())];
    for (name, values) in
        [("z", &a.z), ("w", &a.w), ("impulse N, T", &a.impulse), ("velocity N, T", &a.velocity)]
    {
        if let Some(values) = values {
            rows.push((name, list(values)));
        }
    }
    if let Some(modes) = &a.modes {
        rows.push(("modes", modes.join("  ")));
    }
    rows.push(("worst certificate", worst));
    let by = match a.formulation {
        Some(formulation) => format!("{}, {formulation}", a.solver),
        None => a.solver.to_owned(),
    };
    rows.push(("solver", format!("{by}, {} iterations, {:.1e} s", a.iterations, a.seconds)));
    table::lines(&rows)
}
