//! Static and kinetic coefficients of friction: which of the two holds, the certificate, the text, and what is refused.

use complementarity::Matrix;
use stickslip_contact::set::ConvexSet;
use stickslip_contact::solve::{ContactSolver, Formulation, Settings};
use stickslip_contact::{ContactProblem, Law, Mode};

const MU_STATIC: f64 = 0.6;
const MU_KINETIC: f64 = 0.3;

/// A particle of mass 1 pressed with an impulse of 1 and pushed along the ground.
fn pushed(law: Law, push: f64) -> ContactProblem {
    let n = law.components();
    let mut bias = vec![0.0; n];
    (bias[0], bias[1]) = (-1.0, push);
    ContactProblem::new(Matrix::identity(n), bias, vec![law]).unwrap()
}

fn laws() -> Vec<Law> {
    let with_static = |law: Law| law.with_static(MU_STATIC);
    vec![
        Law::coulomb_static(MU_STATIC, MU_KINETIC),
        with_static(Law::disc(MU_KINETIC)),
        with_static(Law::with_set(MU_KINETIC, ConvexSet::Ellipsoid(vec![1.0, 0.5, 0.1]))),
        with_static(Law::disc(0.0)),
    ]
}

#[test]
fn a_contact_holds_to_the_static_limit_and_slips_at_the_kinetic_one() {
    for law in laws() {
        // The first direction is a corner and a facet of every polygon; polyhedra in space have others.
        let all = if law.tangents() == 3 { &[Formulation::Cone] } else { &Formulation::ALL[..] };
        for &formulation in all {
            let settings = Settings { formulation, directions: 8, ..Settings::default() };
            let mut solver = ContactSolver::new(settings).unwrap();
            for push in [0.0, 0.2, 0.5, 0.599, 0.601, 2.0] {
                let problem = pushed(law.clone(), push);
                let answer = solver.solve(&problem);
                let place = format!("{law:?} {formulation} {push}");
                assert!(answer.is_solved(), "{place}: {:?}", answer.certificate);
                let friction = if push < MU_STATIC { push } else { law.mu };
                assert!((answer.impulse[1] + friction).abs() < 1e-9, "{place}: {answer:?}");
                let sticks = matches!(answer.mode(&problem, 0), Mode::Stick);
                assert_eq!(sticks, push < MU_STATIC, "{place}");
            }
        }
    }
}

#[test]
fn the_convexified_cone_is_refused_unless_another_formulation_may_take_its_place() {
    let formulation = Formulation::ConvexifiedCone;
    let settings = Settings { formulation, fall_back: false, ..Settings::default() };
    let problem = pushed(Law::coulomb_static(MU_STATIC, MU_KINETIC), 0.5);
    let mut solver = ContactSolver::new(settings).unwrap();
    let refused = solver.check(&problem).unwrap_err().to_string();
    assert!(refused.contains("mu_static"), "{refused}");
    assert!(!solver.solve(&problem).is_solved());
}

#[test]
fn a_contact_that_lets_go_leaves_its_load_to_its_neighbour() {
    // Two contacts of one body: the push of 1.1 is more than one holds, less than two do at μ_s = 0.6; with the second
    // slippery, neither the first can hold, and both slip.
    let w = Matrix::from_fn(4, 4, |i, j| match (i, j) {
        (0, 0) | (2, 2) => 1.0,
        (1 | 3, 1 | 3) => 0.5,
        _ => 0.0,
    });
    let solve = |second: Law| {
        let laws = vec![Law::coulomb_static(MU_STATIC, MU_KINETIC), second];
        let problem = ContactProblem::new(w.clone(), vec![-1.0, 0.55, -1.0, 0.55], laws).unwrap();
        let mut solver = ContactSolver::default();
        let answer = solver.solve(&problem);
        assert!(answer.is_solved(), "{answer:?}");
        (answer.impulse[1] + answer.impulse[3], answer.velocity[1])
    };
    let (friction, slip) = solve(Law::coulomb_static(MU_STATIC, MU_KINETIC));
    assert!((friction + 1.1).abs() < 1e-9 && slip.abs() < 1e-9, "{friction} {slip}");
    let (friction, slip) = solve(Law::coulomb(0.1));
    assert!((friction + 0.4).abs() < 1e-9 && (slip - 0.35).abs() < 1e-9, "{friction} {slip}");
}

#[test]
fn the_certificate_takes_stick_and_slip_and_nothing_between() {
    for law in laws() {
        let judge = |push: f64, friction: f64| {
            let problem = pushed(law.clone(), push);
            let mut impulse = vec![0.0; law.components()];
            (impulse[0], impulse[1]) = (1.0, -friction);
            problem.certificate(&impulse).unwrap().worst
        };
        assert!(judge(0.5, 0.5) < 1e-12, "stick above the kinetic limit");
        assert!(judge(0.5, law.mu) < 1e-12, "slip at the kinetic limit is a solution too");
        assert!(judge(2.0, law.mu) < 1e-12, "slip");
        assert!(judge(2.0, MU_STATIC) > 1e-2, "slip with static friction");
        assert!(judge(0.7, 0.7) > 1e-2, "stick beyond the static limit");
        assert!(judge(0.5, 0.45) > 1e-3, "slip between the limits");
        assert!(judge(0.5, 0.5 - 1e-8) > 1e-10, "stick that creeps");
    }
}

#[test]
fn the_planar_certificate_is_the_general_one() {
    let interval = Law::with_set(MU_KINETIC, ConvexSet::Interval).with_static(MU_STATIC);
    for (push, friction) in [(0.5, 0.5), (0.5, 0.45), (2.0, 0.3), (0.7, 0.7)] {
        let of = |law: Law| pushed(law, push).certificate(&[1.0, -friction]).unwrap().worst;
        let planar = of(Law::coulomb_static(MU_STATIC, MU_KINETIC));
        assert!((planar - of(interval.clone())).abs() < 1e-15);
    }
}

#[test]
fn the_text_keeps_the_static_coefficient() {
    for law in laws() {
        let problem = pushed(law, 0.5);
        let text = problem.to_json().unwrap();
        assert!(text.contains("\"mu_static\":0.6"), "{text}");
        assert_eq!(ContactProblem::from_json(&text).unwrap(), problem);
    }
    let less = r#"{"kind":"contact","delassus":[[1,0],[0,1]],"bias":[-1,0],"contacts":[{"mu":0.5,"mu_static":0.4}]}"#;
    let refused = ContactProblem::from_json(less).unwrap_err().to_string();
    assert!(refused.contains("mu_static of contact 0 is 0.4"), "{refused}");
}

#[test]
fn analysis_refuses_a_static_coefficient_by_name() {
    use stickslip_contact::analysis::{sensitivity, solutions, theorem};
    let problem = pushed(Law::coulomb_static(MU_STATIC, MU_KINETIC), 0.5);
    let impulse = [1.0, -0.5];
    let refused = [
        solutions::all_solutions(&problem, &solutions::Settings::default())
            .map(|_| ())
            .unwrap_err(),
        theorem::Theorem::of(&problem).map(|_| ()).unwrap_err(),
        sensitivity::Sensitivity::of(&problem, &impulse).map(|_| ()).unwrap_err(),
        stickslip_contact::redundancy::Redundancy::of(&problem, &impulse).map(|_| ()).unwrap_err(),
    ];
    for error in refused {
        assert!(error.to_string().contains("static coefficient of friction"), "{error}");
    }
    // Where both are the same, it is Coulomb's law.
    let same = pushed(Law::coulomb_static(MU_KINETIC, MU_KINETIC), 0.2);
    assert!(theorem::Theorem::of(&same).is_ok());
}
