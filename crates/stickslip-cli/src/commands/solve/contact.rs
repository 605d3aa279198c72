//! Contact problems.

use super::{Answer, ContactValues, Values};
use crate::args::SolveArgs;
use crate::error::CliError;
use std::time::Instant;
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::ContactSolver;
use stickslip::contact::{Certificate, Proof};
use stickslip_scene::answers::solve::{SolvedRedundancy, asymmetry, status_of};
use stickslip_scene::answers::{components, proof};
use stickslip_scene::recording::CertificateText;

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
        redundancy: SolvedRedundancy::of(&solver, problem),
        asymmetry: asymmetry(problem),
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
