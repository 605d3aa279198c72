//! Friction of constant size without a normal: closed forms, every formulation, the certificate, JSON, redundancy.

use complementarity::{Failure, Matrix, Status};
use proptest::prelude::*;
use stickslip_contact::set::ConvexSet;
use stickslip_contact::set::Polyhedron;
use stickslip_contact::solve::{ContactSolver, Formulation, Redundancy, Settings, SolverChoice};
use stickslip_contact::{ContactProblem, Kind, Law, Mode, Slip};

fn brake(a: f64) -> Law {
    Law::dry(a, ConvexSet::Interval)
}

fn solver(formulation: Formulation, choice: SolverChoice) -> Option<ContactSolver> {
    let settings =
        Settings { formulation, solver: choice, fall_back: false, ..Settings::default() };
    ContactSolver::new(settings).ok()
}

/// All formulations that take contacts without a normal, with every solver that they take.
fn solvers() -> Vec<ContactSolver> {
    let formulations = Formulation::ALL.into_iter().filter(|f| *f != Formulation::GlockerStuder);
    formulations
        .flat_map(|f| SolverChoice::ALL.into_iter().filter_map(move |s| solver(f, s)))
        .collect()
}

/// The interior point method for cones takes no friction of constant size.
fn refuses(formulation: Formulation, solver: SolverChoice) -> bool {
    formulation.is_conic() && solver == SolverChoice::InteriorPoint
}

#[test]
fn a_brake_holds_up_to_its_size_and_then_opposes_the_slip_with_it() {
    for (b, lam, mode) in [
        (0.5, -1.0, Mode::Stick),
        (-0.9, 1.8, Mode::Stick),
        (1.5, -2.0, Mode::Slide(Slip::Positive)),
        (-3.0, 2.0, Mode::Slide(Slip::Negative)),
    ] {
        let w = Matrix::from_rows(&[[0.5]]).unwrap();
        let problem = ContactProblem::new(w, vec![b], vec![brake(2.0)]).unwrap();
        for mut s in solvers() {
            let name = (s.settings().formulation, s.settings().solver);
            let answer = s.solve(&problem);
            if refuses(name.0, name.1) {
                assert_eq!(answer.status, Status::Failed(Failure::WrongClass), "{name:?}");
                continue;
            }
            assert!(answer.is_solved(), "{name:?}: {answer:?}");
            assert!((answer.impulse[0] - lam).abs() < 1e-9, "{name:?}: {answer:?}");
            assert_eq!(answer.mode(&problem, 0), mode, "{name:?}");
        }
    }
}

#[test]
fn a_round_brake_opposes_the_slip_in_every_heading() {
    for i in 0..16 {
        let (s, c) = (0.4 * f64::from(i)).sin_cos();
        let law = Law::dry(0.3, ConvexSet::Disc);
        let problem = ContactProblem::new(Matrix::identity(2), vec![c, s], vec![law]).unwrap();
        for choice in SolverChoice::ALL {
            let Some(mut solver) = solver(Formulation::Cone, choice) else { continue };
            let answer = solver.solve(&problem);
            if refuses(Formulation::Cone, choice) {
                continue;
            }
            assert!(answer.is_solved(), "{choice}: {answer:?}");
            assert!((answer.impulse[0] + 0.3 * c).abs() < 1e-9, "{choice}: {answer:?}");
            assert!((answer.impulse[1] + 0.3 * s).abs() < 1e-9, "{choice}: {answer:?}");
            assert_eq!(answer.mode(&problem, 0), Mode::Slip);
        }
        let mut polygon = solver(Formulation::StewartTrinkle, SolverChoice::Auto).unwrap();
        let answer = polygon.solve(&problem);
        assert!(answer.is_solved() && answer.model.is_some(), "{answer:?}");
    }
}

#[test]
fn a_brake_of_size_zero_transmits_nothing() {
    let problem = ContactProblem::new(Matrix::identity(1), vec![1.0], vec![brake(0.0)]).unwrap();
    for formulation in [Formulation::Cone, Formulation::StewartTrinkle, Formulation::PhantomInertia]
    {
        let mut s = solver(formulation, SolverChoice::Auto).unwrap();
        let answer = s.solve(&problem);
        assert!(answer.is_solved(), "{formulation}: {answer:?}");
        assert_eq!(answer.impulse, [0.0]);
        assert_eq!(answer.mode(&problem, 0), Mode::Open);
    }
}

#[test]
fn a_brake_that_slides_has_its_friction_given() {
    let law = brake(2.0).sliding_with([-1.0, 0.0, 0.0]);
    let problem = ContactProblem::new(Matrix::identity(1), vec![5.0], vec![law]).unwrap();
    for formulation in [Formulation::Cone, Formulation::StewartTrinkle, Formulation::PhantomInertia]
    {
        let mut s = solver(formulation, SolverChoice::Auto).unwrap();
        let answer = s.solve(&problem);
        assert!(answer.is_solved(), "{formulation}: {answer:?}");
        assert!((answer.impulse[0] - 2.0).abs() < 1e-12);
        assert_eq!(answer.mode(&problem, 0), Mode::Slide(Slip::Negative));
    }
}

#[test]
fn the_certificate_names_what_is_wrong_in_any_units() {
    for unit in [1e-6, 1.0, 1e6] {
        let w = Matrix::from_rows(&[[0.5 / unit, 0.0], [0.0, 1.0]]).unwrap();
        let laws = vec![brake(2.0 * unit), Law::bilateral(1)];
        let problem = ContactProblem::new(w, vec![3.0, 0.0], laws).unwrap();
        let of = |lam: f64| problem.certificate(&[lam * unit, 0.0]).unwrap();
        assert!(of(-2.0).worst < 1e-12, "{:?}", of(-2.0));
        let (weak, strong) = (of(-1.9), of(-2.1));
        assert!(weak.dissipation.value > 1e-3 && weak.cone.value == 0.0, "{weak:?}");
        assert!(strong.cone.value > 1e-3 && strong.cone.contact == Some(0), "{strong:?}");
    }
}

#[test]
fn brakes_go_through_json_and_bad_ones_are_refused() {
    let square = Polyhedron::hull(&[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]).unwrap();
    for set in [
        ConvexSet::Interval,
        ConvexSet::Disc,
        ConvexSet::Ellipsoid(vec![1.0, 0.5, 0.25]),
        ConvexSet::Polyhedron(square),
    ] {
        let n = set.dimension();
        let law = Law::dry(0.7, set);
        let problem = ContactProblem::new(Matrix::identity(n), vec![1.0; n], vec![law]).unwrap();
        let text = problem.to_json().unwrap();
        assert!(text.contains("\"dry\""), "{text}");
        assert_eq!(ContactProblem::from_json(&text).unwrap(), problem);
    }
    let bad = r#"{"kind":"contact","delassus":[[1]],"bias":[1],"contacts":[{"friction":{"dry":"none"}}]}"#;
    let error = ContactProblem::from_json(bad).unwrap_err().to_string();
    assert!(error.contains("dry friction of contact 0 needs a friction set"), "{error}");
    let loaded = Law { mu: 0.2, ..brake(1.0) };
    let error = loaded.validate(3).unwrap_err().to_string();
    assert!(error.contains("mu of contact 3 is 0.2") && error.contains("radius"), "{error}");
    assert_eq!((brake(1.0).components(), Kind::normals(&brake(1.0).kind)), (1, 0));
}

#[test]
fn two_brakes_on_one_shaft_share_what_holds_it_in_many_ways_and_slip_in_one() {
    let w = || Matrix::from_rows(&[[1.0, 1.0], [1.0, 1.0]]).unwrap();
    for (b, dimension) in [(1.0, 1), (9.0, 0)] {
        let laws = vec![brake(2.0), brake(1.0)];
        let problem = ContactProblem::new(w(), vec![b, b], laws).unwrap();
        let settings =
            Settings { formulation: Formulation::Cone, minimum_norm: true, ..Settings::default() };
        let mut solver = ContactSolver::new(settings).unwrap();
        let answer = solver.solve(&problem);
        assert!(answer.is_solved(), "{answer:?}");
        let expected = if b < 3.0 { [-0.5, -0.5] } else { [-2.0, -1.0] };
        for (x, e) in answer.impulse.iter().zip(expected) {
            assert!((x - e).abs() < 1e-8, "{answer:?}");
        }
        let redundancy = Redundancy::of(&problem, &answer.impulse).unwrap();
        assert_eq!(redundancy.dimension, dimension, "{redundancy:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A planar contact that never closes has the same friction.
    #[test]
    fn a_brake_is_a_contact_of_constant_friction_that_stays_open(
        h in prop::collection::vec(-1.0..1.0_f64, 16),
        b in prop::collection::vec(-1.0..1.0_f64, 4),
        a in 0.01..2.0_f64,
        mu in 0.0..1.0_f64,
    ) {
        // Brake, planar contact, connection; in the second problem the brake has a normal of its own.
        let w = |i: usize, j: usize| {
            (0..4).map(|k| h[4 * i + k] * h[4 * j + k]).sum::<f64>() + f64::from(u8::from(i == j))
        };
        let first = ContactProblem::new(
            Matrix::from_fn(4, 4, w),
            b.clone(),
            vec![brake(a), Law::coulomb(mu), Law::bilateral(1)],
        ).unwrap();
        let wide = |i: usize, j: usize| match (i, j) {
            (0, 0) => 1.0,
            (0, _) | (_, 0) => 0.0,
            _ => w(i - 1, j - 1),
        };
        let second = ContactProblem::new(
            Matrix::from_fn(5, 5, wide),
            [vec![1.0], b].concat(),
            vec![Law::constant(a), Law::coulomb(mu), Law::bilateral(1)],
        ).unwrap();
        for formulation in [Formulation::Cone, Formulation::StewartTrinkle, Formulation::PhantomInertia] {
            let (mut s, mut t) = (solver(formulation, SolverChoice::Auto).unwrap(), solver(formulation, SolverChoice::Auto).unwrap());
            let (x, y) = (s.solve(&first), t.solve(&second));
            prop_assert!(x.is_solved(), "{formulation}: {x:?}");
            prop_assert!(y.is_solved(), "{formulation}: {y:?}");
            for (x, y) in x.impulse.iter().zip(&y.impulse[1..]) {
                prop_assert!((x - y).abs() < 1e-7, "{formulation}: {x} {y}");
            }
        }
    }
}
