//! Contact problems.

use super::{Answer, ContactValues, Values, status_of};
use crate::args::SolveArgs;
use crate::error::CliError;
use serde::Serialize;
use std::time::Instant;
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::{ContactSolver, Formulation, Settings};
use stickslip::contact::{Certificate, Kind, Law, Proof};
use stickslip_scene::recording::CertificateText;

/// How far impulses are not unique is reported for problems with at most this many rows.
pub(super) const MOST_ROWS: usize = 300;

/// How far the impulses are not unique.
#[derive(Debug, Serialize)]
pub(super) struct Redundancy {
    /// The rank of W, and its rows.
    pub(super) rank: usize,
    pub(super) rows: usize,
    /// The dimension of the impulses that give the same velocities and obey the laws.
    pub(super) dimension: usize,
    /// Whether the dimension is certain; if not, it is a lower bound.
    pub(super) decided: bool,
}

pub(super) fn solve(problem: &ContactProblem, args: &SolveArgs) -> Result<Answer, CliError> {
    let mut solver = ContactSolver::new(settings(args))?;
    args.contact.refuse_idle(args.formulation)?;
    solver.check(problem)?;
    let start = Instant::now();
    let s = solver.solve(problem).clone();
    let seconds = start.elapsed().as_secs_f64();
    let text = |c: &Certificate| CertificateText::new(c, &|i| i.to_string());
    let (status, reason) = status_of(s.status);
    let values = ContactValues {
        components: problem.laws().iter().map(components).collect(),
        modes: (0..problem.contacts()).map(|i| s.mode(problem, i).name()).collect(),
        certificate: text(&s.certificate),
        model: s.model.as_ref().map(text),
        redundancy: if s.is_solved() { redundancy(&solver, problem) } else { None },
        asymmetry: if problem.delassus().is_symmetric() {
            0.0
        } else {
            problem.delassus().asymmetry()
        },
        contradictions: s.proof.as_ref().map(Proof::contradictions),
        proof: s.proof.as_ref().map(crate::commands::proof::of_contact),
        bias: crate::table::largest(problem.bias()),
        impulse: s.impulse,
        velocity: s.velocity,
    };
    Ok(Answer {
        status,
        reason,
        kind: "contact",
        values: Values::Contact(Box::new(values)),
        solver: s.method,
        formulation: Some(s.formulation.name()),
        iterations: s.iterations,
        seconds,
    })
}

fn settings(args: &SolveArgs) -> Settings {
    let default = Settings::default();
    let given = args.formulation;
    let formulation = match given {
        None if !args.solver.takes_lcps() => Formulation::Cone,
        _ => given.unwrap_or_default(),
    };
    Settings {
        solver: args.solver,
        tolerance: args.tol,
        formulation,
        // A formulation that was asked for is not exchanged for another.
        fall_back: given.is_none(),
        // What is reported as the formulation is what was used.
        cases: false,
        directions: args.contact.directions.unwrap_or(default.directions),
        rho: args.contact.rho().unwrap_or_default(),
        relaxation: args.contact.relaxation.unwrap_or(default.relaxation),
        minimum_norm: args.contact.minimum_norm,
        threads: default.threads,
    }
}

fn redundancy(solver: &ContactSolver, problem: &ContactProblem) -> Option<Redundancy> {
    if problem.bias().len() > MOST_ROWS {
        return None;
    }
    let r = solver.redundancy(problem).ok()?;
    let (rank, rows, dimension, decided) = (r.rank, r.components, r.dimension, r.decided);
    Some(Redundancy { rank, rows, dimension, decided })
}

/// The names of the components of a contact.
pub(in crate::commands) fn components(law: &Law) -> Vec<String> {
    match law.kind {
        Kind::Bilateral(rows) => (1..=rows).map(|i| format!("B{i}")).collect(),
        Kind::Dry(_) => {
            ["T", "O", "R"][..law.components()].iter().map(ToString::to_string).collect()
        }
        _ => ["N", "T", "O", "R"][..law.components()].iter().map(ToString::to_string).collect(),
    }
}
