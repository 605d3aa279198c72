//! Contacts in space: laws of every kind, all formulations, both certificates, against closed forms.

use complementarity::{Failure, Matrix, Status};
use std::sync::Arc;
use stickslip_contact::Error;
use stickslip_contact::block::BlockMatrix;
use stickslip_contact::set::ConvexSet;
use stickslip_contact::set::{Polyhedron, UniformDisc};
use stickslip_contact::solve::{ContactSolver, Formulation, Settings, SolverChoice};
use stickslip_contact::{ContactProblem, Delassus, Kind, Law, Mode};

/// A unit mass pressed to the ground at speed `press`, sliding with (x, y).
fn particle(law: Law, press: f64, x: f64, y: f64) -> ContactProblem {
    ContactProblem::new(Matrix::identity(3), vec![-press, x, y], vec![law]).unwrap()
}

/// A disc of mass 1 and moment of inertia `inertia` on one distributed contact.
fn disc(law: Law, inertia: f64, bias: [f64; 4]) -> ContactProblem {
    let mut w = Matrix::identity(4);
    w.row_mut(3)[3] = 1.0 / inertia;
    ContactProblem::new(w, bias.to_vec(), vec![law]).unwrap()
}

fn with(formulation: Formulation, directions: usize) -> ContactSolver {
    let settings = Settings { formulation, directions, fall_back: false, ..Settings::default() };
    ContactSolver::new(settings).unwrap()
}

fn near(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance, "{a:?} and {b:?}");
    }
}

#[test]
fn friction_of_a_disc_is_opposite_to_the_slip_whatever_the_heading() {
    for i in 0..32 {
        let angle = f64::from(i) * 0.2;
        let (c, s) = (angle.cos(), angle.sin());
        let problem = particle(Law::disc(0.25), 2.0, c, s);
        let mut solver = with(Formulation::Cone, 8);
        let answer = solver.solve(&problem);
        assert!(answer.is_solved() && answer.model.is_none());
        near(&answer.impulse, &[2.0, -0.5 * c, -0.5 * s], 1e-10);
        near(&answer.velocity, &[0.0, 0.5 * c, 0.5 * s], 1e-10);
        assert_eq!(answer.mode(&problem, 0), Mode::Slip);
    }
}

#[test]
fn polyhedral_formulations_are_too_weak_inside_and_too_strong_outside_by_the_cosine() {
    let eighth = std::f64::consts::PI / 8.0;
    // Half-way between two corners of the inner polygon is a corner of the outer one; towards a corner both agree.
    for (m, heading, inside, outside) in [
        (4, 2.0 * eighth, 0.5_f64.sqrt(), 2.0_f64.sqrt()),
        (4, 0.0, 1.0, 1.0),
        (8, eighth, eighth.cos(), 1.0 / eighth.cos()),
    ] {
        let (c, s) = (heading.cos(), heading.sin());
        let problem = particle(Law::disc(0.25), 2.0, c, s);
        for (formulation, strength) in
            [(Formulation::StewartTrinkle, inside), (Formulation::PhantomInertia, outside)]
        {
            let mut solver = with(formulation, m);
            let answer = solver.solve(&problem);
            assert!(answer.is_solved(), "{formulation} {m}: {:?}", answer.status);
            let power = -(answer.impulse[1] * c + answer.impulse[2] * s);
            assert!((power - 0.5 * strength).abs() < 1e-9, "{formulation} {m}: {power}");
            let model = answer.model.expect("a polygon is a model");
            assert!(answer.certificate.worst <= 1e-10);
            assert!(model.worst >= answer.certificate.worst);
        }
    }
}

#[test]
fn every_formulation_gives_the_same_planar_answer() {
    let w = Matrix::from_rows(&[[1.5, 1.0], [1.0, 0.75]]).unwrap();
    let problem = ContactProblem::new(w, vec![-0.5, 0.0], vec![Law::coulomb(2.0)]).unwrap();
    for formulation in Formulation::ALL {
        let settings = Settings { formulation, cases: false, ..Settings::default() };
        let mut solver = ContactSolver::new(settings).unwrap();
        let answer = solver.solve(&problem);
        assert!(answer.is_solved(), "{formulation}: {:?}", answer.status);
        if formulation == Formulation::ConvexifiedCone {
            assert!(answer.model.is_some());
        } else {
            assert!(answer.model.is_none(), "{formulation}");
            near(&answer.impulse, &[3.0, -4.0], 1e-7);
        }
    }
}

#[test]
fn the_convexified_cone_lifts_a_sliding_block_and_its_certificate_says_by_how_much() {
    let problem = particle(Law::disc(0.5), 1.0, 4.0, 0.0);
    let mut solver = with(Formulation::ConvexifiedCone, 8);
    let answer = solver.solve(&problem);
    assert!(answer.is_solved(), "{:?}", answer);
    // ξ_N = μ |ξ_T|: with Λ_T = −½ Λ_N, Λ_N − 1 = ½ (4 − ½ Λ_N) gives Λ_N = 2.4.
    near(&answer.impulse, &[2.4, -1.2, 0.0], 1e-9);
    near(&answer.velocity, &[1.4, 2.8, 0.0], 1e-9);
    let model = answer.model.unwrap();
    assert!(model.complementarity.value > 0.1, "{model:?}");
}

#[test]
fn an_ellipsoid_shares_friction_between_sliding_and_spinning() {
    // Friction of (N, T, O, R) with F the ellipsoid: −λ_T = r E² ξ_T / |E ξ_T|.
    let axes = [1.0, 1.0, 0.3];
    let law = Law::with_set(0.4, ConvexSet::Ellipsoid(axes.to_vec()));
    let problem = disc(law, 0.5, [-1.0, 3.0, 0.0, 4.0]);
    let mut solver = ContactSolver::default();
    let answer = solver.solve(&problem);
    assert!(answer.is_solved() && answer.formulation == Formulation::Cone);
    let xi = &answer.velocity[1..];
    let size = xi.iter().zip(axes).map(|(x, e)| (x * e).powi(2)).sum::<f64>().sqrt();
    for ((lam, x), e) in answer.impulse[1..].iter().zip(xi).zip(axes) {
        assert!((lam + 0.4 * e * e * x / size).abs() < 1e-9);
    }
}

#[test]
fn contacts_of_every_kind_stand_in_one_problem() {
    let square = Polyhedron::hull(&[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]).unwrap();
    let uniform = ConvexSet::Custom(Arc::new(UniformDisc::new(1.0).unwrap()));
    let laws = vec![
        Law::frictionless(),
        Law::coulomb(0.3),
        Law::disc(0.5),
        Law::with_set(0.5, ConvexSet::Ellipsoid(vec![1.0, 1.0, 0.3])),
        Law::with_set(0.5, ConvexSet::Polyhedron(square)),
        Law::with_set(0.5, ConvexSet::Mixed { ellipse: [1.0, 0.5], spin: 0.2 }),
        Law::with_set(0.5, uniform),
        Law::bilateral(2),
        Law { radius: 0.2, ..Law::disc(0.1) },
    ];
    let n: usize = laws.iter().map(Law::components).sum();
    // Coupled, diagonally dominant.
    let w = Matrix::from_fn(n, n, |i, j| {
        if i == j { 2.0 } else { 0.5 / (1.0 + i.abs_diff(j) as f64).powi(2) }
    });
    let bias = (0..n).map(|i| ((i * 7) % 5) as f64 - 2.5).collect();
    let problem = ContactProblem::new(w, bias, laws).unwrap();
    let mut exact = ContactSolver::default();
    let answer = exact.solve(&problem).clone();
    assert!(answer.is_solved(), "{:?}", answer.certificate);
    for formulation in [Formulation::StewartTrinkle, Formulation::PhantomInertia] {
        let mut last = f64::INFINITY;
        for directions in [8, 32] {
            let mut solver = with(formulation, directions);
            let found = solver.solve(&problem);
            assert!(found.is_solved(), "{formulation} {directions} {:?}", found.status);
            let off = found.velocity.iter().zip(&answer.velocity);
            let off = off.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(off < last, "{formulation} {directions}: {off} after {last}");
            last = off;
        }
        assert!(last < 0.2, "{formulation}: {last}");
    }
    // The text keeps every bit.
    let text = problem.to_json().unwrap();
    let read = ContactProblem::from_json(&text).unwrap();
    assert_eq!(read.to_json().unwrap(), text);
    assert_eq!((read.bias(), read.delassus()), (problem.bias(), problem.delassus()));
}

#[test]
fn sparse_and_dense_matrices_pose_the_same_problem() {
    let block =
        |x: f64| Matrix::from_fn(3, 3, |i, j| if i == j { x } else { 0.1 }).as_slice().to_vec();
    let w = BlockMatrix::from_one_triangle(
        &[3, 3, 3],
        vec![(0, 0, block(2.0)), (1, 1, block(3.0)), (2, 2, block(1.0)), (0, 1, block(0.3))],
    )
    .unwrap();
    let bias = vec![-1.0, 0.4, 0.2, -2.0, 0.1, 0.3, -1.0, 2.0, 0.0];
    let laws = vec![Law::disc(0.5), Law::disc(0.2), Law::disc(0.0)];
    let dense = ContactProblem::new(w.to_dense(), bias.clone(), laws.clone()).unwrap();
    let sparse = ContactProblem::new(w, bias, laws).unwrap();
    let text = sparse.to_json().unwrap();
    assert!(text.contains("\"rows\""));
    assert_eq!(ContactProblem::from_json(&text).unwrap(), sparse);
    for formulation in [Formulation::Cone, Formulation::StewartTrinkle, Formulation::PhantomInertia]
    {
        let (mut a, mut b) = (with(formulation, 8), with(formulation, 8));
        let (a, b) = (a.solve(&dense), b.solve(&sparse));
        assert!(a.is_solved() && b.is_solved());
        near(&a.velocity, &b.velocity, 1e-9);
    }
}

#[test]
fn a_sparse_planar_problem_takes_the_formulation_that_was_asked_for() {
    // Lemke's method ends on a ray of Glocker and Studer's matrix, and solves the slip-slack form.
    let w = BlockMatrix::from_one_triangle(&[2], vec![(0, 0, vec![1.5, 1.0, 1.0, 0.75])]).unwrap();
    let problem = ContactProblem::new(w, vec![-0.5, 0.0], vec![Law::coulomb(2.0)]).unwrap();
    let lemke = |formulation, fall_back| {
        let solver = SolverChoice::Lemke;
        let settings = Settings { formulation, solver, fall_back, ..Settings::default() };
        ContactSolver::new(settings).unwrap().solve(&problem).clone()
    };
    assert!(!lemke(Formulation::GlockerStuder, false).is_solved());
    assert!(lemke(Formulation::StewartTrinkle, false).is_solved());
    let answer = lemke(Formulation::GlockerStuder, true);
    assert!(answer.is_solved() && answer.formulation == Formulation::StewartTrinkle);
}

#[test]
fn a_sliding_contact_has_the_friction_of_its_slip_at_the_level_of_accelerations() {
    let law = Law::disc(0.5).sliding_with([3.0, 4.0, 0.0]);
    let problem = particle(law, 2.0, 7.0, -1.0);
    for formulation in [Formulation::Cone, Formulation::StewartTrinkle, Formulation::PhantomInertia]
    {
        let mut solver = with(formulation, 8);
        let answer = solver.solve(&problem);
        assert!(answer.is_solved(), "{formulation} {:?}", answer.status);
        near(&answer.impulse, &[2.0, -0.6, -0.8], 1e-10);
    }
}

#[test]
fn a_known_contact_starts_where_it_was_and_order_does_not_matter() {
    let w = Matrix::from_fn(6, 6, |i, j| if i == j { 1.0 } else { 0.2 });
    let bias = vec![-1.0, 0.3, 0.0, -1.0, 2.0, 1.0];
    let laws = vec![Law::disc(0.5), Law::disc(0.5)];
    let problem = ContactProblem::new(w.clone(), bias.clone(), laws.clone()).unwrap();
    let turn: Vec<usize> = vec![3, 4, 5, 0, 1, 2];
    let turned = ContactProblem::new(
        Matrix::from_fn(6, 6, |i, j| w.row(turn[i])[turn[j]]),
        turn.iter().map(|&i| bias[i]).collect(),
        laws,
    )
    .unwrap();
    let settings = Settings {
        formulation: Formulation::Cone,
        solver: SolverChoice::Nsgs,
        ..Settings::default()
    };
    let mut solver = ContactSolver::new(settings).unwrap();
    let first = solver.solve_identified(&problem, &[7, 9]).unwrap().clone();
    let again = solver.solve_identified(&turned, &[9, 7]).unwrap();
    assert!(first.is_solved() && again.is_solved());
    assert!(again.iterations < first.iterations, "{} {}", again.iterations, first.iterations);
    near(&again.impulse[..3], &first.impulse[3..], 1e-9);
    assert!(matches!(solver.solve_identified(&problem, &[1]), Err(Error::Size { .. })));
}

#[test]
fn relaxation_is_a_model_whose_error_is_told() {
    let problem = particle(Law::disc(0.5), 1.0, 0.1, 0.0);
    let settings = Settings { relaxation: 0.01, ..Settings::default() };
    let mut solver = ContactSolver::new(settings).unwrap();
    let answer = solver.solve(&problem);
    assert!(answer.is_solved());
    let model = answer.model.unwrap();
    assert!(model.worst > 1e-3 && answer.certificate.worst < 1e-10, "{model:?}");
}

#[test]
fn pairs_that_make_no_sense_are_refused_by_name() {
    let settings = |formulation, solver| Settings { formulation, solver, ..Settings::default() };
    let error = ContactSolver::new(settings(Formulation::Cone, SolverChoice::Lemke)).unwrap_err();
    assert!(error.to_string().contains("cone cannot be used with lemke"), "{error}");
    let error =
        ContactSolver::new(settings(Formulation::StewartTrinkle, SolverChoice::Admm)).unwrap_err();
    assert!(error.to_string().contains("stewart_trinkle cannot be used with admm"), "{error}");
    let problem = particle(Law::disc(0.5), 1.0, 1.0, 0.0);
    let mut solver = with(Formulation::GlockerStuder, 8);
    assert!(solver.check(&problem).unwrap_err().to_string().contains("planar contacts"));
    assert_eq!(solver.solve(&problem).status, Status::Failed(Failure::WrongClass));
    let triangle = Polyhedron::hull(&[[1.0, 0.0], [-0.5, 0.9], [-0.5, -0.9]]).unwrap();
    let problem = particle(Law::with_set(0.5, ConvexSet::Polyhedron(triangle)), 1.0, 1.0, 0.0);
    let solver = with(Formulation::PhantomInertia, 8);
    assert!(solver.check(&problem).unwrap_err().to_string().contains("symmetric"));
}

#[test]
fn bad_problems_name_the_place() {
    let text = |delassus: &str, bias: &str, contacts: &str| {
        format!(r#"{{"kind":"contact","delassus":{delassus},"bias":{bias},"contacts":{contacts}}}"#)
    };
    let i3 = "[[1,0,0],[0,1,0],[0,0,1]]";
    for (text, expected) in [
        (text(i3, "[1,2]", r#"[{"friction":"disc"}]"#), "delassus[0] has 3 entries"),
        (text(i3, "[1,2,3]", r#"[{"friction":"planar"}]"#), "bias (one per component"),
        (text(i3, "[1,2,3]", r#"[{"friction":"dics"}]"#), "unknown variant `dics`"),
        (text(i3, "[1,2,3]", r#"[{"friction":{"ellipsoid":[1,-1]}}]"#), "friction of contact 0"),
        (
            text(i3, "[1,2,3]", r#"[{"friction":{"polygon":[[1,0],[2,0],[3,1]]}}]"#),
            "friction of contact 0",
        ),
        (text(i3, "[1,2,3]", r#"[{"friction":"disc","sliding":[0,0]}]"#), "sliding of contact 0"),
        (text(i3, "[1,2,3]", r#"[{"friction":"disc","sliding":[1]}]"#), "2 tangential components"),
        (
            text(i3, "[1,2,3]", r#"[{"friction":{"bilateral":7}}]"#),
            "number of components of contact 0 is 7",
        ),
        (
            text(
                r#"{"n":3,"rows":[0],"cols":[0,1],"values":[1]}"#,
                "[1,2,3]",
                r#"[{"friction":"disc"}]"#,
            ),
            "delassus.cols has 2",
        ),
        (
            text(
                r#"{"n":3,"rows":[0],"cols":[3],"values":[1]}"#,
                "[1,2,3]",
                r#"[{"friction":"disc"}]"#,
            ),
            "3",
        ),
        (
            text(
                r#"{"n":4,"rows":[],"cols":[],"values":[]}"#,
                "[1,2,3]",
                r#"[{"friction":"disc"}]"#,
            ),
            "delassus (n",
        ),
        (text(r#"{"n":3}"#, "[1,2,3]", r#"[{"friction":"disc"}]"#), "list of rows"),
    ] {
        let error = ContactProblem::from_json(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}\n{expected}");
    }
    let blocks = BlockMatrix::from_one_triangle(&[2, 1], vec![]).unwrap();
    let error = ContactProblem::new(blocks, vec![0.0; 3], vec![Law::disc(0.1)]).unwrap_err();
    assert!(matches!(error, Error::Size { .. }), "{error}");
    assert_eq!(Kind::Bilateral(6).components(), 6);
    assert!(Delassus::from(Matrix::identity(2)).as_dense().is_some());
}
