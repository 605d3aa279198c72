//! The alternating iteration: closed forms, agreement with the default solver, where it does not converge, what it refuses.

use complementarity::{Failure, Matrix, Status};
use stickslip_contact::set::ConvexSet;
use stickslip_contact::solve::{ContactSolver, Formulation, Settings, SolverChoice};
use stickslip_contact::solvers::{Alternating, Cascade, Method, alternating};
use stickslip_contact::{ContactProblem, Error, Law};

/// One planar contact with W = (1, 3/2; 3/2, 4) that slides against e_T: Λ_N (1 + 3/2 μ) = 1, and a factor of 3/2 μ per round.
fn sliding(mu: f64) -> ContactProblem {
    let w = Matrix::from_rows(&[[1.0, 1.5], [1.5, 4.0]]).unwrap();
    ContactProblem::new(w, vec![-1.0, -5.0], vec![Law::coulomb(mu)]).unwrap()
}

#[test]
fn it_converges_at_its_factor_to_the_closed_form_of_a_contact_that_slides() {
    let mut solver = Alternating::default();
    let mut rounds = Vec::new();
    for mu in [0.0, 0.1, 0.2, 0.4, 0.6] {
        let s = solver.solve(&sliding(mu));
        assert!(s.is_solved(), "{mu}: {:?}", s.certificate);
        let normal = 1.0 / (1.0 + 1.5 * mu);
        assert!((s.impulse[0] - normal).abs() < 1e-8, "{mu}: {:?}", s.impulse);
        assert!((s.impulse[1] - mu * normal).abs() < 1e-8, "{mu}: {:?}", s.impulse);
        rounds.push(s.iterations);
    }
    // About ln 10⁻⁹ / ln (3/2 μ).
    assert_eq!(rounds, [1, 10, 16, 37, 179]);
}

#[test]
fn beyond_its_factor_it_goes_round_and_says_so_though_there_is_a_solution() {
    for mu in [0.7, 1.0, 3.0] {
        let problem = sliding(mu);
        let found = Alternating::default().solve(&problem).clone();
        assert_eq!(found.status, Status::Failed(Failure::Stalled), "{mu}");
        assert!(found.certificate.worst > 1e-3, "{mu}: {:?}", found.certificate);
        // What it hands back is what was judged.
        assert_eq!(problem.certificate(&found.impulse).unwrap().worst, found.certificate.worst);
        let mut others = Cascade::default();
        let truth = others.solve(&problem);
        assert!(truth.is_solved() && (truth.impulse[0] - 1.0 / (1.0 + 1.5 * mu)).abs() < 1e-8);
    }
    let few = alternating::Settings { max_rounds: 5, ..Default::default() };
    let mut few = Alternating::new(few).unwrap();
    assert_eq!(few.solve(&sliding(0.6)).status, Status::Failed(Failure::IterationLimit));
}

/// W = H Hᵀ and b = W v, from a stream of numbers.
fn problem(laws: Vec<Law>, seed: usize) -> ContactProblem {
    let number = |i: usize| ((i * 7919 + seed * 104_729 + 31) % 1000) as f64 / 500.0 - 1.0;
    let n: usize = laws.iter().map(Law::components).sum();
    let h = Matrix::from_fn(n, n + 2, |i, j| number(i * i + 13 * i * j + 5 * j + 3));
    let w = Matrix::from_fn(n, n, |i, j| (0..n + 2).map(|k| h.row(i)[k] * h.row(j)[k]).sum());
    let b = w.mul_vec(&(0..n).map(|i| number(17 * i + 2)).collect::<Vec<_>>());
    ContactProblem::new(w, b, laws).unwrap()
}

#[test]
fn with_little_friction_it_agrees_with_the_default_solver_for_laws_of_every_kind() {
    let laws = vec![
        Law::disc(0.05),
        Law::bilateral(2),
        Law { radius: 0.02, ..Law::coulomb(0.03) },
        Law::frictionless(),
        Law::dry(0.1, ConvexSet::Disc),
        Law::with_set(0.04, ConvexSet::Ellipsoid(vec![1.0, 0.5, 0.2])),
    ];
    for seed in 0..6 {
        let problem = problem(laws.clone(), seed);
        let truth = Cascade::default().solve(&problem).clone();
        let mut solver = Alternating::default();
        let found = solver.solve(&problem).clone();
        assert!(truth.is_solved() && found.is_solved(), "{seed}: {:?}", found.certificate);
        for (a, b) in truth.velocity.iter().zip(&found.velocity) {
            assert!((a - b).abs() < 1e-6, "{seed}: {:?} {:?}", truth.velocity, found.velocity);
        }
        // From its own answer it is done in a round.
        let again = solver.solve_from(&problem, &found.impulse).unwrap();
        assert!(again.is_solved() && again.iterations == 1, "{seed}: {}", again.iterations);
    }
}

#[test]
fn it_is_chosen_by_name_and_refuses_what_it_cannot_take() {
    assert_eq!("alternating".parse::<SolverChoice>().unwrap(), SolverChoice::Alternating);
    let with = |formulation| {
        let solver = SolverChoice::Alternating;
        ContactSolver::new(Settings { formulation, solver, ..Settings::default() })
    };
    let mut solver = with(Formulation::Cone).unwrap();
    let answer = solver.solve(&sliding(0.2));
    assert!(answer.is_solved() && answer.method == "alternating", "{answer:?}");
    let answer = solver.solve(&sliding(1.0));
    assert!(!answer.is_solved() && answer.proof.is_none(), "{answer:?}");
    for formulation in [Formulation::ConvexifiedCone, Formulation::StewartTrinkle] {
        let error = with(formulation).unwrap_err();
        assert!(matches!(error, Error::Combination { other: "alternating", .. }), "{error}");
    }
    // Friction that is known up to its size couples both problems.
    let slides = Law::coulomb(0.2).sliding_with([1.0, 0.0, 0.0]);
    let known = ContactProblem::new(Matrix::identity(2), vec![-1.0, 0.0], vec![slides]).unwrap();
    for problem in [known, sliding(0.2).associated()] {
        let status = Alternating::default().solve(&problem).status;
        assert_eq!(status, Status::Failed(Failure::WrongClass));
    }
    for (settings, name) in [
        (alternating::Settings { tolerance: 0.0, ..Default::default() }, "tolerance"),
        (alternating::Settings { inner: 2.0, ..Default::default() }, "inner"),
        (alternating::Settings { max_rounds: 0, ..Default::default() }, "max_rounds"),
        (alternating::Settings { patience: 0, ..Default::default() }, "patience"),
    ] {
        let error = Alternating::new(settings).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn normals_that_friction_drives_into_each_other_end_with_a_status() {
    // Two opposed normals on one coordinate, which only friction of a third row can move apart: the normal problem has no solution.
    let w = Matrix::from_rows(&[[1.0, -1.0], [-1.0, 1.0]]).unwrap();
    let laws = vec![Law::frictionless(), Law::frictionless()];
    let problem = ContactProblem::new(w, vec![-1.0, -1.0], laws).unwrap();
    let mut solver = Alternating::default();
    let found = solver.solve(&problem);
    assert!(matches!(found.status, Status::Failed(_)) && found.certificate.worst > 0.1);
}
