//! Contact problems.

use super::{Answer, ContactValues, Values};
use crate::args::SolveArgs;
use crate::error::CliError;
use serde::Serialize;
use std::time::Instant;
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::ContactSolver;
use stickslip::contact::{Certificate, Proof};
use stickslip_scene::answers::solve::status_of;
use stickslip_scene::answers::{components, proof};
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
    let choices = args.contact.choices();
    let mut solver =
        ContactSolver::new(choices.settings(args.solver, args.formulation, args.tol)?)?;
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
        proof: s.proof.as_ref().map(proof::of_contact),
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

fn redundancy(solver: &ContactSolver, problem: &ContactProblem) -> Option<Redundancy> {
    if problem.bias().len() > MOST_ROWS {
        return None;
    }
    let r = solver.redundancy(problem).ok()?;
    let (rank, rows, dimension, decided) = (r.rank, r.components, r.dimension, r.decided);
    Some(Redundancy { rank, rows, dimension, decided })
}
