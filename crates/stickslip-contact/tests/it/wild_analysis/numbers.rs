//! Arbitrary numbers.

use super::made::{Random, gram, holds, problem, solutions_of};
use complementarity::Matrix;
use proptest::prelude::*;
use stickslip_contact::Error;
use stickslip_contact::analysis::report::{self, Analysis};
use stickslip_contact::analysis::sensitivity::{Sensitivity, Unknown, Variation};
use stickslip_contact::analysis::solutions::{Count, Settings};
use stickslip_contact::analysis::theorem::Theorem;
use stickslip_contact::set::ConvexSet;
use stickslip_contact::solve::ContactSolver;
use stickslip_contact::{ContactProblem, Law};

fn answers_are_honest(problem: &ContactProblem, tame: bool) {
    let settings = Settings { max_work: 30_000_000, ..Settings::default() };
    let Some(found) = solutions_of(problem, &settings) else { return };
    let mut solver = ContactSolver::default();
    let solved = solver.solve(problem);
    if tame && solved.is_solved() && problem.certificate(&solved.impulse).unwrap().worst <= 1e-12 {
        assert!(found.proof.is_none(), "{problem:?} has the solution {:?}", solved.impulse);
        let listed = holds(problem, &found, &solved.impulse, 1e-5);
        assert!(listed || !found.is_complete(), "{problem:?}\n{:?}\n{found:?}", solved.impulse);
    }
    let settings = report::Settings { solutions: settings, ..report::Settings::default() };
    let _ = Analysis::of(problem, &settings);
    for s in found.solutions.iter().take(4) {
        let Ok(sensitivity) = Sensitivity::of(problem, &s.impulse) else { continue };
        let mut v = Variation::none(problem);
        v.bias.iter_mut().enumerate().for_each(|(i, b)| *b = 1.0 - 0.7 * i as f64);
        let slope = sensitivity.along(&v).unwrap();
        for d in &slope.derivatives {
            assert!(d.impulse.iter().chain(&d.velocity).all(|v| v.is_finite()), "{problem:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_problem_is_answered_honestly(seed in any::<u64>()) {
        if let Some((problem, tame)) = problem(seed) {
            answers_are_honest(&problem, tame);
        }
    }
}

/// Two discs whose friction sets and coefficients overflow where they are multiplied.
#[test]
fn friction_that_overflows_leaves_no_bound_and_no_panic() {
    let w = Matrix::from_fn(6, 6, |i, j| if i == j { 1.0 } else { 0.1 });
    for mu in [1e160, 1e300] {
        let laws = vec![Law::disc(mu), Law::with_set(mu, ConvexSet::Ellipsoid(vec![1e10, 1.0]))];
        let p = ContactProblem::new(w.clone(), vec![-1.0; 6], laws).unwrap();
        let bounds = Theorem::of(&p).unwrap().bounds;
        assert!(!bounds.best_uniqueness().holds(), "{bounds:?}");
    }
}

/// The impulses are a solution to seven digits, but the second contact bears a load and opens.
#[test]
fn a_solution_that_is_too_coarse_for_a_contact_has_no_derivative() {
    let laws = vec![Law::frictionless(), Law::frictionless()];
    let p = ContactProblem::new(Matrix::identity(2), vec![-1e12, 1.0], laws).unwrap();
    let coarse = [1e12, 1e-7];
    assert!(p.certificate(&coarse).unwrap().worst <= 1e-6);
    let why = Sensitivity::of(&p, &coarse).unwrap_err();
    assert!(matches!(why, Error::NoDerivative { contact: 1, why: Unknown::Inexact }), "{why}");
}

#[test]
fn no_contacts_have_one_solution_and_contradicting_connections_none() {
    let p = ContactProblem::new(Matrix::zeros(0, 0), Vec::new(), Vec::new()).unwrap();
    assert_eq!(solutions_of(&p, &Settings::default()).unwrap().count(), Count::Exactly(1));
    let h = [1.0, 2.0, -1.0];
    let w = Matrix::from_fn(3, 3, |i, j| h[i] * h[j]);
    for (b, count) in [(vec![1.0, 2.0, -1.0], Count::Infinite), (vec![1.0; 3], Count::Exactly(0))] {
        let p = ContactProblem::new(w.clone(), b, vec![Law::bilateral(3)]).unwrap();
        assert_eq!(solutions_of(&p, &Settings::default()).unwrap().count(), count);
    }
}

/// Rows that the null direction of a connection does not touch are rounding there, not a sign of a wrong W.
#[test]
fn a_semidefinite_matrix_with_redundant_connections_is_not_refused() {
    let mut random = Random(3);
    for _ in 0..300 {
        let cells: Vec<f64> = (0..21).map(|_| random.whole()).collect();
        let mut cells = cells.into_iter();
        let w = gram(7, 3, || cells.next().unwrap_or(0.0), || 1.0);
        let laws = vec![
            Law::disc(0.5).sliding_with([0.6, -0.8, 0.0]),
            Law::bilateral(2),
            Law::bilateral(2),
        ];
        let p = ContactProblem::new(w, (0..7).map(|_| random.whole()).collect(), laws).unwrap();
        assert!(solutions_of(&p, &Settings::default()).is_some(), "{p:?}");
    }
}
