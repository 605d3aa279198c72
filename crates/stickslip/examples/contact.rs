//! A contact problem: posed, solved, judged, saved.

use complementarity::Matrix;
use stickslip::contact::solve::ContactSolver;
use stickslip::contact::{ContactProblem, Law};

fn main() -> Result<(), stickslip::Error> {
    // ANCHOR: solve
    // A rod that is pressed onto rough ground: normal and tangential directions are coupled.
    let w = Matrix::from_rows(&[[1.5, 1.0], [1.0, 0.75]])?;
    let problem = ContactProblem::new(w, vec![-0.5, 0.0], vec![Law::coulomb(2.0)])?;

    // The solver keeps its storage: use it for the next problem too.
    let mut solver = ContactSolver::default();
    let answer = solver.solve(&problem);
    println!("{}: impulse {:?}, velocity {:?}", answer.status, answer.impulse, answer.velocity);

    // The judge shares no code with the solver, and you can ask it about any impulse.
    let wrong = problem.certificate(&[1.0, 0.0])?;
    println!("certificate {:.1e}; of a guess {:.2}", answer.certificate.worst, wrong.worst);

    // As text, and back, to the same bits.
    let text = problem.to_json()?;
    assert_eq!(ContactProblem::from_json(&text)?, problem);
    // ANCHOR_END: solve
    Ok(())
}
