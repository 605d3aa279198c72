//! Coefficients of friction that depend on the slip speed: the implicit law against closed forms, which of several solutions is taken,
//! the certificate, the text, and what is refused.

use complementarity::Matrix;
use proptest::prelude::*;
use stickslip_contact::set::ConvexSet;
use stickslip_contact::solve::{ContactSolver, Formulation, Settings};
use stickslip_contact::{ContactProblem, FrictionCurve, Law, Mode, Stribeck};

/// A particle of mass 1 pressed with an impulse of 1 and pushed along the ground.
fn pushed(law: Law, push: f64) -> ContactProblem {
    let n = law.components();
    let mut bias = vec![0.0; n];
    (bias[0], bias[1]) = (-1.0, push);
    ContactProblem::new(Matrix::identity(n), bias, vec![law]).unwrap()
}

/// Falls from 0.6 at rest to 0.2 at the speed 2.
fn falling() -> FrictionCurve {
    FrictionCurve::table(&[[0.0, 0.6], [2.0, 0.2]])
}

fn steep() -> FrictionCurve {
    Stribeck { rest: 0.6, kinetic: 0.2, speed: 0.05, exponent: 1.0, viscous: 0.0 }.curve()
}

fn laws(curve: &FrictionCurve) -> Vec<Law> {
    let set = ConvexSet::Ellipsoid(vec![1.0, 0.5, 0.1]);
    let all = [Law::coulomb(0.0), Law::disc(0.0), Law::with_set(0.0, set)];
    all.map(|law| law.with_curve(curve.clone())).into()
}

#[test]
fn friction_is_that_of_the_slip_at_the_end() {
    for law in laws(&falling()) {
        // The first direction is a corner and a facet of every polygon; polyhedra in space have others.
        let all = if law.tangents() == 3 { &[Formulation::Cone][..] } else { &Formulation::ALL };
        for &formulation in all {
            let mut solver =
                ContactSolver::new(Settings { formulation, ..Settings::default() }).unwrap();
            for push in [0.0, 0.3, 0.599, 0.601, 1.0, 1.7, 5.0] {
                let problem = pushed(law.clone(), push);
                let answer = solver.solve(&problem);
                let place = format!("{law:?} {formulation} {push}");
                assert!(answer.is_solved(), "{place}: {answer:?}");
                // s = push − μ(s): on the table's line s = (push − 0.6)/0.8, beyond it push − 0.2.
                let slip = match push {
                    p if p <= 0.6 => 0.0,
                    p if p <= 2.2 => (p - 0.6) / 0.8,
                    p => p - 0.2,
                };
                assert!((answer.velocity[1] - slip).abs() < 1e-9, "{place}: {answer:?}");
                let sticks = matches!(answer.mode(&problem, 0), Mode::Stick);
                assert_eq!(sticks, push <= 0.6, "{place}");
            }
        }
    }
}

#[test]
fn friction_that_grows_with_the_slip_however_fast_has_one_answer() {
    let viscous = Stribeck { rest: 0.0, kinetic: 0.0, speed: 1.0, exponent: 1.0, viscous: 10.0 };
    for law in laws(&viscous.curve()) {
        let problem = pushed(law, 2.2);
        let mut solver = ContactSolver::default();
        let answer = solver.solve(&problem);
        assert!(answer.is_solved(), "{answer:?}");
        assert!((answer.velocity[1] - 0.2).abs() < 1e-9, "{answer:?}");
    }
}

#[test]
fn of_several_solutions_it_sticks_or_slips_the_slowest() {
    for law in laws(&steep()) {
        // At a push of 0.5 the contact sticks, or slips at 0.0 < s < 0.05, or at s near 0.3; all three obey the law.
        let problem = pushed(law.clone(), 0.5);
        let mut solver = ContactSolver::default();
        let answer = solver.solve(&problem).clone();
        assert!(answer.is_solved() && answer.velocity[1].abs() < 1e-9, "{answer:?}");
        let balance = |s: f64| s - 0.5 + law.coefficient(s);
        let mut slips = Vec::new();
        for (from, to) in [(1e-9, 0.1), (0.1, 0.5)] {
            let (mut low, mut high) = (from, to);
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if balance(middle) * balance(from) > 0.0 { low = middle } else { high = middle }
            }
            slips.push(low);
        }
        for slip in slips {
            let mut impulse = vec![0.0; law.components()];
            (impulse[0], impulse[1]) = (1.0, -law.coefficient(slip));
            let worst = problem.certificate(&impulse).unwrap().worst;
            assert!(worst < 1e-12, "slip {slip}: {worst:.1e}");
        }
        let problem = pushed(law, 0.601);
        let answer = solver.solve(&problem);
        assert!(answer.is_solved() && answer.velocity[1] > 0.1, "{answer:?}");
    }
}

#[test]
fn the_certificate_judges_the_law_of_the_end() {
    for law in laws(&falling()) {
        let judge = |push: f64, friction: f64| {
            let mut impulse = vec![0.0; law.components()];
            (impulse[0], impulse[1]) = (1.0, -friction);
            pushed(law.clone(), push).certificate(&impulse).unwrap().worst
        };
        assert!(judge(1.0, 0.5) < 1e-12, "s = 0.5, μ = 0.5");
        assert!(judge(1.0, 0.6) > 1e-2, "friction of rest while it slips");
        assert!(judge(1.0, 0.4) > 1e-2, "friction of the slip without friction");
        assert!(judge(1.0, 0.5 + 1e-8) > 1e-10, "an error of 1e-8");
        assert!(judge(0.3, 0.3) < 1e-12 && judge(0.7, 0.7) > 1e-2, "stick");
    }
}

/// The slip speeds of one planar contact, by a fine grid: where S(μ(s)) − s changes its sign; 0 for stick.
fn by_grid(problem: &ContactProblem) -> Vec<f64> {
    let (law, b) = (&problem.laws()[0], problem.bias());
    let w = problem.delassus().as_dense().unwrap();
    let det = w[(0, 0)] * w[(1, 1)] - w[(0, 1)] * w[(1, 0)];
    let normal = (b[1] * w[(0, 1)] - b[0] * w[(1, 1)]) / det;
    let friction = (b[0] * w[(1, 0)] - b[1] * w[(0, 0)]) / det;
    let mut found = Vec::new();
    if normal >= 0.0 && friction.abs() <= law.mu * normal {
        found.push(0.0);
    }
    for side in [1.0, -1.0] {
        let off = |s: f64| {
            let mu = law.coefficient(s);
            let n = -b[0] / (w[(0, 0)] - side * mu * w[(0, 1)]);
            side * (b[1] + w[(1, 0)] * n) - w[(1, 1)] * mu * n - s
        };
        let grid = |i: usize| 1e-4 * i as f64;
        let cross = |i: &usize| off(grid(*i)) * off(grid(*i + 1)) < 0.0;
        found.extend((0..60_000).filter(cross).map(grid));
    }
    found.sort_by(f64::total_cmp);
    found
}

/// Speeds beside the solution lead to others that are sixteen times as far from it.
#[test]
fn friction_that_rises_steeply_from_rest_has_its_slip_found() {
    let (rest, kinetic) = (0.10837090551201804, 0.4519088861835155);
    let curve = Stribeck { rest, kinetic, speed: 0.02, exponent: 0.6, viscous: 0.0 }.curve();
    let coupling = 0.05537485924112591;
    let w = Matrix::from_rows(&[[1.0, coupling], [coupling, 1.5]]).unwrap();
    let law = Law::coulomb(0.0).with_curve(curve);
    let bias = vec![-1.5578040095874257, -0.7226651022874625];
    let problem = ContactProblem::new(w, bias, vec![law]).unwrap();
    let mut solver = ContactSolver::default();
    let answer = solver.solve(&problem);
    assert!(answer.is_solved(), "{answer:?}");
    assert!((answer.velocity[1].abs() - by_grid(&problem)[0]).abs() < 1e-4, "{answer:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_slower_slip_is_missed(
        rest in 0.1..0.8_f64, kinetic in 0.05..0.6_f64, speed in 0.02..0.5_f64, exponent in 0.6..2.0_f64,
        coupling in -0.5..0.5_f64, push in -3.0..3.0_f64, press in 0.2..2.0_f64,
    ) {
        let curve = Stribeck { rest, kinetic, speed, exponent, viscous: 0.0 }.curve();
        let w = Matrix::from_rows(&[[1.0, coupling], [coupling, 1.5]]).unwrap();
        let same = curve.clone();
        let user = FrictionCurve::from_fn(move |s| same.coefficient(s));
        for curve in [curve, user] {
            let law = Law::coulomb(0.0).with_curve(curve);
            let problem = ContactProblem::new(w.clone(), vec![-press, push], vec![law]).unwrap();
            let all = by_grid(&problem);
            let mut solver = ContactSolver::default();
            let answer = solver.solve(&problem);
            prop_assert!(answer.is_solved(), "{answer:?}, slips {all:?}");
            if answer.impulse[0] == 0.0 { continue; }
            let slip = answer.velocity[1].abs();
            let slower = all.iter().copied().find(|s| s + 2e-4 < slip);
            prop_assert_eq!(slower, None, "{:?}, slips {:?}", answer, all);
        }
    }

    #[test]
    fn several_contacts_obey_their_curves_or_say_that_they_do_not(
        rest in prop::collection::vec(0.1..0.9_f64, 3), kinetic in prop::collection::vec(0.05..0.6_f64, 3),
        speed in 0.05..1.0_f64, b in prop::collection::vec(-1.0..1.0_f64, 9), a in prop::collection::vec(-0.3..0.3_f64, 81),
        spatial in any::<bool>(),
    ) {
        let law = |i: usize| {
            let curve = Stribeck { rest: rest[i], kinetic: kinetic[i], speed, exponent: 1.0, viscous: 0.05 };
            if spatial { Law::disc(0.0) } else { Law::coulomb(0.0) }.with_curve(curve.curve())
        };
        let laws: Vec<Law> = (0..3).map(law).collect();
        let n = laws.iter().map(Law::components).sum::<usize>();
        let w = Matrix::from_fn(n, n, |i, j| {
            (0..9).map(|k| a[9 * i + k] * a[9 * j + k]).sum::<f64>() + f64::from(u8::from(i == j))
        });
        let problem = ContactProblem::new(w, b[..n].to_vec(), laws).unwrap();
        let mut solver = ContactSolver::default();
        let answer = solver.solve(&problem).clone();
        prop_assert!(answer.is_solved(), "{:?}", answer);
        prop_assert!(problem.certificate(&answer.impulse).unwrap().worst <= 1e-10);
    }
}

#[test]
fn the_text_keeps_curves_and_refuses_what_has_none() {
    for curve in [falling(), steep()] {
        for law in laws(&curve) {
            let problem = pushed(law, 0.5);
            let text = problem.to_json().unwrap();
            assert_eq!(ContactProblem::from_json(&text).unwrap(), problem, "{text}");
        }
    }
    let own = pushed(Law::coulomb(0.0).with_curve(FrictionCurve::from_fn(|_| 0.5)), 1.0);
    assert!(own.to_json().unwrap_err().to_string().contains("write it as a table"));
    let text = |mu: &str| {
        let contact = format!(r#"{{"mu":{mu}}}"#);
        format!(
            r#"{{"kind":"contact","delassus":[[1,0],[0,1]],"bias":[-1,0],"contacts":[{contact}]}}"#
        )
    };
    for (mu, message) in [
        (r#"{"table":[[0.1,0.4]]}"#, "the first point of a table of friction is that of rest"),
        (r#"{"table":[[0,0.4],[0,0.2]]}"#, "larger than the one before it"),
        (r#"{"table":[[0,0.4],[1,-0.2]]}"#, ">= 0"),
        (r#"{"table":[]}"#, "first point"),
        (r#"{"stribeck":{"static":0.4,"kinetic":0.2,"speed":0}}"#, "> 0"),
        (r#"{"stribeck":{"kinetic":0.2,"speed":0.1}}"#, "mu must be"),
        (r#""fast""#, "mu must be"),
        (r#"{"table":[[0,0.4]]},"mu_static":0.5"#, "mu_static"),
        (r#"{"table":[[0,0.4]]},"eps_t":0.5"#, "eps_t"),
        (r#"{"table":[[0,0.4]]},"sliding":0.5"#, "sliding"),
    ] {
        let refused = ContactProblem::from_json(&text(mu)).unwrap_err().to_string();
        assert!(refused.contains(message), "{mu}: {refused}");
    }
}

#[test]
fn what_knows_one_coefficient_refuses_a_curve_by_name() {
    use stickslip_contact::analysis::{sensitivity, solutions, theorem};
    let problem = pushed(Law::coulomb(0.0).with_curve(falling()), 0.5);
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
        assert!(error.to_string().contains("depends on the slip speed"), "{error}");
    }
}

#[test]
fn a_curve_that_is_no_number_is_not_solved() {
    let law = Law::coulomb(0.0)
        .with_curve(FrictionCurve::from_fn(|s| if s > 0.0 { f64::NAN } else { 0.1 }));
    let mut solver = ContactSolver::default();
    assert!(!solver.solve(&pushed(law, 1.0)).is_solved());
}

#[test]
fn a_second_solve_allocates_nothing() {
    let problems = [
        pushed(Law::coulomb(0.0).with_curve(steep()), 1.0),
        ContactProblem::new(
            Matrix::identity(4),
            vec![-1.0, 1.0, -1.0, -2.0],
            vec![Law::coulomb(0.0).with_curve(steep()); 2],
        )
        .unwrap(),
    ];
    for problem in problems {
        let mut solver = ContactSolver::default();
        assert!(solver.solve(&problem).is_solved());
        let info = allocation_counter::measure(|| {
            solver.solve(&problem);
        });
        assert_eq!(info.count_total, 0);
    }
}
