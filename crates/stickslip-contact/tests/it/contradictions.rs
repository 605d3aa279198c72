//! Contacts that contradict each other: there is no solution, and the answer says so with a proof, however large the impulses that
//! a method may drive up.

use complementarity::{Failure, Matrix, Status};
use std::sync::Arc;
use stickslip_contact::set::{ConvexSet, UniformDisc};
use stickslip_contact::solve::{self, ContactSolver, Effort, Formulation};
use stickslip_contact::solvers::{Cascade, Method, cascade};
use stickslip_contact::{ContactProblem, Delassus, Law, ProofError};

/// W of rows that are directions in the space of one body of mass 1.
fn gram(rows: &[Vec<f64>]) -> Matrix {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum();
    Matrix::from_fn(rows.len(), rows.len(), |i, j| dot(&rows[i], &rows[j]))
}

/// A contact with friction and one more row for each of these multiples of its normal, at these speeds.
fn with_copies(law: Law, copies: &[(f64, f64)], copy: Law) -> ContactProblem {
    let unit = |k: usize| (0..4).map(|i| if i == k { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let mut rows: Vec<Vec<f64>> = (0..law.components()).map(unit).collect();
    let mut b = vec![0.25; rows.len()];
    for &(share, speed) in copies {
        rows.push(rows[0].iter().map(|x| share * x).collect());
        b.push(speed);
    }
    let mut laws = vec![law];
    laws.extend(copies.iter().map(|_| copy.clone()));
    ContactProblem::new(gram(&rows), b, laws).unwrap()
}

fn friction() -> Vec<Law> {
    let disc = ConvexSet::Custom(Arc::new(UniformDisc::new(0.1).unwrap()));
    vec![
        Law::frictionless(),
        Law::with_set(0.5, ConvexSet::Disc),
        Law::with_set(0.3, disc),
        Law::with_set(0.5, ConvexSet::Disc).sliding_with([1.0, 0.0, 0.0]),
    ]
}

fn is_refuted(problem: &ContactProblem) {
    let sparse = Delassus::Sparse(problem.delassus().to_blocks(problem.laws()));
    let sparse = ContactProblem::new(sparse, problem.bias().to_vec(), problem.laws().to_vec());
    for problem in [problem, &sparse.unwrap()] {
        let mut solver = ContactSolver::default();
        let answer = solver.solve(problem);
        assert_eq!(answer.status, Status::NoSolution, "{answer:?}");
        assert_eq!(answer.proof.as_ref().map(|p| p.check(problem)), Some(Ok(())));
    }
}

#[test]
fn a_body_between_two_sides_that_approach() {
    for law in friction() {
        let copies = [(1.0, -1.0), (-1.0, -1.0)];
        is_refuted(&with_copies(law, &copies, Law::frictionless()));
    }
}

#[test]
fn a_connection_that_is_there_twice_at_two_speeds() {
    for law in friction() {
        is_refuted(&with_copies(law, &[(1.0, 0.5), (1.0, -0.5)], Law::bilateral(1)));
    }
}

#[test]
fn a_contact_that_nothing_moves_and_that_approaches() {
    for law in friction() {
        is_refuted(&with_copies(law, &[(0.0, -1.0)], Law::frictionless()));
    }
}

#[test]
fn the_same_contacts_without_the_contradiction_are_solved() {
    for law in friction() {
        for (copies, copy) in [
            ([(1.0, -1.0), (-1.0, 1.0)], Law::frictionless()),
            ([(1.0, 0.125), (1.0, 0.125)], Law::bilateral(1)),
            ([(0.0, 1.0), (1.0, -1.0)], Law::frictionless()),
        ] {
            let problem = with_copies(law.clone(), &copies, copy);
            let mut solver = ContactSolver::default();
            let answer = solver.solve(&problem);
            assert!(answer.is_solved(), "{answer:?}");
            assert!(answer.proof.is_none());
        }
    }
}

/// A light body between a heavy one and the ground: impulses that cancel to a share of 10⁻⁹, and a solution.
#[test]
fn a_heavy_body_on_a_light_one_is_no_contradiction() {
    let heavy = 1e9_f64;
    let w = Matrix::from_rows(&[[1.0, -1.0], [-1.0, 1.0 + 1.0 / heavy]]).unwrap();
    let problem = ContactProblem::new(w, vec![-1.0, 0.0], vec![Law::frictionless(); 2]).unwrap();
    let mut solver = ContactSolver::default();
    let answer = solver.solve(&problem);
    assert!(answer.is_solved(), "{answer:?}");
    // v = 2·10⁹ is the unit of velocities: 8 ε v is rounding, and with b a share of 5·10⁻¹⁰ the tolerance leaves 5·10⁻¹⁶ v.
    assert!((answer.impulse[1] / heavy - 1.0).abs() < 5e-6, "{:?}", answer.impulse);
}

/// The convexified law lets a contact that slides lift: what contradicts Coulomb's law does not contradict it.
#[test]
fn there_are_no_proofs_about_the_convexified_law() {
    let problem = with_copies(Law::frictionless(), &[(0.0, -1.0)], Law::frictionless());
    let proof = ContactSolver::default().solve(&problem).proof.clone().unwrap();
    let problem = problem.associated();
    assert_eq!(proof.check(&problem), Err(ProofError::Associated));
    let mut solver = ContactSolver::default();
    assert!(matches!(solver.solve(&problem).status, Status::Failed(_)));
}

#[test]
fn the_bound_on_work_is_kept_and_named() {
    let problem = with_copies(friction()[1].clone(), &[(1.0, 0.5), (1.0, -0.5)], Law::bilateral(1));
    let settings = cascade::Settings { work: Some(1.0), tolerance: 1e-15, ..Default::default() };
    let mut cascade = Cascade::new(settings).unwrap();
    assert_eq!(cascade.solve(&problem).status, Status::Failed(Failure::WorkLimit));
    let few = cascade.attempts().len();
    let settings = cascade::Settings { tolerance: 1e-15, ..Default::default() };
    let mut cascade = Cascade::new(settings).unwrap();
    cascade.solve(&problem);
    assert!(few < cascade.attempts().len());
    assert!(Cascade::new(cascade::Settings { work: Some(f64::NAN), ..settings }).is_err());
}

/// A body that another one runs into is held by a connection that is there twice, with speeds that differ by rounding.
#[test]
fn rounding_of_the_data_is_no_contradiction() {
    let w = Matrix::from_rows(&[[2.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]).unwrap();
    let laws = vec![Law::frictionless(), Law::bilateral(1), Law::bilateral(1)];
    let problem = ContactProblem::new(w, vec![-1.0, 1e-17, -1e-17], laws).unwrap();
    let mut solver = ContactSolver::default();
    let answer = solver.solve(&problem);
    assert!(answer.is_solved(), "{answer:?}");
    assert!((answer.impulse[0] - 1.0).abs() < 1e-9, "{:?}", answer.impulse);
}

/// Who asks for compliance gets the impulses of the compliant model, and its error is reported.
#[test]
fn a_contradiction_is_solved_where_compliance_is_asked_for() {
    let problem = with_copies(Law::frictionless(), &[(1.0, 0.5), (1.0, -0.5)], Law::bilateral(1));
    let settings = solve::Settings { relaxation: 1e-3, ..solve::Settings::default() };
    let mut solver = ContactSolver::new(settings).unwrap();
    let answer = solver.solve(&problem);
    assert!(answer.is_solved(), "{answer:?}");
    assert!(answer.model.unwrap().worst > 1e-6);
}

/// W of rank 2 with a bias that restitution made contradict itself: impulses of 10¹³ would meet it to rounding of W Λ, which is a
/// hundredth of b.
#[test]
fn impulses_that_hide_b_in_their_last_digits_are_no_solution() {
    let text = include_str!("hidden_bias.json");
    let problem = ContactProblem::from_json(text).unwrap();
    for formulation in [Formulation::GlockerStuder, Formulation::StewartTrinkle] {
        let settings = solve::Settings { formulation, cases: false, ..solve::Settings::default() };
        let mut solver = ContactSolver::new(settings).unwrap();
        let answer = solver.solve(&problem);
        assert!(!answer.is_solved(), "{formulation}: {answer:?}");
    }
}

/// W is singular but for its last digits, so that the impulses of exact arithmetic are 10¹⁶ times b; a unit in their last place
/// moves the contact by more than b.
#[test]
fn a_solution_beyond_double_precision_is_told_from_a_failure_to_find_one() {
    let w = Matrix::from_rows(&[
        [0.5913943044571139, -0.5717983618920431],
        [-0.5717983618920431, 0.5528517339418063],
    ]);
    let law = Law::coulomb(1.1233181990603496);
    let bias = vec![-2.3780639931055254, 1.7240876442539936];
    let problem = ContactProblem::new(w.unwrap(), bias, vec![law]).unwrap();
    let mut solver = ContactSolver::default();
    let answer = solver.solve(&problem);
    assert_eq!(answer.status, Status::Failed(Failure::Precision), "{answer:?}");
    // By rational arithmetic elsewhere.
    assert!(
        (answer.impulse[0] / 1.431512415316973e+16 - 1.0).abs() < 1e-12,
        "{:?}",
        answer.impulse
    );
    assert!(
        (answer.impulse[1] / 1.4805713790029048e+16 - 1.0).abs() < 1e-12,
        "{:?}",
        answer.impulse
    );
}

#[test]
fn a_brief_search_finds_what_is_easily_found_and_ends_soon_where_nothing_is() {
    let law = Law::with_set(0.5, ConvexSet::Disc);
    let hopeless = with_copies(law.clone(), &[(1.0, -1.0), (-1.0, -1.0)], Law::frictionless());
    let easy = with_copies(law, &[(1.0, -1.0)], Law::frictionless());
    let [full, brief] = [Effort::Full, Effort::Brief].map(|effort| {
        let mut solver = ContactSolver::default();
        solver.set_effort(effort);
        assert!(solver.solve(&easy).is_solved());
        let answer = solver.solve(&hopeless);
        assert!(!answer.is_solved());
        answer.iterations + answer.factorisations
    });
    assert!(brief > 0 && 5 * brief < full, "{brief} and {full}");
}
