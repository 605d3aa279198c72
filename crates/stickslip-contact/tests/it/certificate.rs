//! A right answer made wrong in one way is named by the measure of that way, and bad problems are refused.

use complementarity::Matrix;
use proptest::prelude::*;
use stickslip_contact::Error;
use stickslip_contact::solve::ContactSolver;
use stickslip_contact::{Certificate, ContactProblem, Law, Slip};

/// Contact 0 sticks, 1 slides, 2 is open.
fn problem() -> ContactProblem {
    let b = vec![-1.0, 0.1, -1.0, 2.0, 1.0, 0.5];
    ContactProblem::new(Matrix::identity(6), b, vec![Law::coulomb(0.5); 3]).unwrap()
}

#[test]
fn each_measure_names_its_own_fault() {
    let p = problem();
    let right = [1.0, -0.1, 1.0, -0.5, 0.0, 0.0];
    let solved = ContactSolver::default().solve(&p).impulse.clone();
    assert!(solved.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-15));
    assert_eq!(p.certificate(&right).unwrap().worst, 0.0);
    let wrong = |entry: usize, change: f64| {
        let mut lam = right;
        lam[entry] += change;
        p.certificate(&lam).unwrap()
    };
    // Each over the terms of its own contact: |b| + |Λ| of the larger row.
    let is = |found: f64, expected: f64| (found - expected).abs() < 1e-14;
    let c = wrong(0, -0.2);
    assert!(is(c.penetration.value, 0.2 / 1.8) && c.penetration.contact == Some(0));
    let c = wrong(4, -0.2);
    assert!(is(c.tension.value, 0.2 / 1.2) && c.tension.contact == Some(2));
    let c = wrong(4, 0.2);
    assert!(is(c.complementarity.value, 0.2 / 1.2) && c.complementarity.contact == Some(2));
    let c = wrong(3, -0.2);
    assert!(is(c.cone.value, 0.2 / 2.7) && c.cone.contact == Some(1));
    let c = wrong(3, 0.2);
    assert_eq!((c.cone.value, c.dissipation.contact), (0.0, Some(1)));
    assert!(is(c.dissipation.value, 0.2 / 2.3));
    // Friction inside of its bound that lets the contact creep.
    let c = wrong(1, 0.05);
    assert_eq!((c.cone.value, c.dissipation.contact), (0.0, Some(0)));
    let mut c = p.certificate(&right).unwrap();
    c.set_momentum(0.25);
    assert_eq!(c.worst, 0.25);
}

/// Numbers that make ties likely.
fn quarter() -> impl Strategy<Value = f64> {
    (-4..=4_i32).prop_map(|i| 0.25 * f64::from(i))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn the_certificate_is_zero_where_the_inclusions_hold_and_nowhere_else(
        xi in [quarter(), quarter()], lam in [quarter(), quarter()],
        mu in prop_oneof![Just(0.0), Just(0.5), Just(1.0)], radius in prop_oneof![Just(0.0), Just(0.5)],
        sliding in prop_oneof![Just(None), Just(Some(Slip::Positive)), Just(Some(Slip::Negative))]
    ) {
        // W = 1 and b = ξ − Λ: all numbers are exact.
        let sliding = sliding.map(Slip::velocity);
        let law = Law { radius, sliding, ..Law::coulomb(mu) };
        let b = vec![xi[0] - lam[0], xi[1] - lam[1]];
        let p = ContactProblem::new(Matrix::identity(2), b, vec![law.clone()]).unwrap();
        let c = p.certificate(&lam).unwrap();
        prop_assert_eq!(c.worst == 0.0, law.admits(xi, lam), "{:?}", c);
    }
}

#[test]
fn a_sliding_contact_has_the_friction_of_its_direction() {
    let law = Law { sliding: Some(Slip::Negative.velocity()), radius: 0.25, ..Law::coulomb(0.5) };
    let p = ContactProblem::new(Matrix::identity(2), vec![-1.0, 0.0], vec![law]).unwrap();
    assert_eq!(p.certificate(&[1.0, 0.75]).unwrap().worst, 0.0);
    assert!(p.certificate(&[1.0, -0.75]).unwrap().cone.value > 0.5);
    assert_eq!(ContactSolver::default().solve(&p).impulse, [1.0, 0.75]);
}

#[test]
fn units_do_not_change_the_verdict() {
    let (lam, b) = ([1.0, -0.1, 1.1, -0.4, 0.0, 0.1], problem().bias().to_vec());
    let worst = problem().certificate(&lam).unwrap();
    // Velocities in other units and impulses in others: W scales with their ratio.
    let (v, i) = (1e3, 1e-6);
    let w = Matrix::from_fn(6, 6, |r, c| if r == c { v / i } else { 0.0 });
    let b = b.iter().map(|x| x * v).collect();
    let scaled = ContactProblem::new(w, b, vec![Law::coulomb(0.5); 3]).unwrap();
    let other = scaled.certificate(&lam.map(|x| x * i)).unwrap();
    for ((name, a), (_, b)) in worst.measures().into_iter().zip(other.measures()) {
        assert!((a.value - b.value).abs() < 1e-14, "{name}: {a:?} {b:?}");
    }
}

#[test]
fn not_a_number_is_the_worst_of_all() {
    let c = problem().certificate(&[f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
    assert!(c.worst.is_infinite() && c.penetration.contact.is_some());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308] {
        for at in 0..6 {
            let mut lam = [1.0, -0.1, 1.0, -0.5, 0.0, 0.0];
            lam[at] = bad;
            assert!(problem().certificate(&lam).unwrap().worst > 0.1, "{bad} {at}");
        }
        // Numbers that no validation has seen.
        for law in [Law::coulomb(bad), Law::constant(bad), Law::coulomb(-1.0)] {
            let mut p = problem();
            p.planar_parts_mut().2[1] = law.clone();
            let c = p.certificate(&[1.0, -0.1, 1.0, -0.5, 0.0, 0.0]).unwrap();
            assert!(c.worst > 0.1, "{law:?} {c:?}");
        }
        let mut p = problem();
        p.planar_parts_mut().0[(2, 2)] = bad;
        assert!(p.certificate(&[1.0, -0.1, 1.0, -0.5, 0.0, 0.0]).unwrap().worst > 0.1, "{bad}");
    }
    let sized = problem().certificate(&[0.0; 4]);
    assert!(matches!(sized, Err(Error::Size { expected: 6, found: 4, .. })));
}

#[test]
fn bad_problems_are_refused_with_the_place() {
    let text = |delassus: &str, bias: &str, contacts: &str| {
        let json = format!(
            r#"{{"kind":"contact","dimension":2,"delassus":{delassus},"bias":{bias},"contacts":{contacts}}}"#
        );
        ContactProblem::from_json(&json).unwrap_err().to_string()
    };
    let (w, b, c) = ("[[1,0],[0,1]]", "[-1,0]", r#"[{"mu":0.3}]"#);
    let cases = [
        (
            text(w, b, r#"[{"mu":-0.3}]"#),
            "mu of contact 0 is -0.3; it must be a finite number >= 0",
        ),
        (text(w, b, r#"[{"eps_n":1.5}]"#), "eps_n of contact 0 is 1.5; it must be between 0 and 1"),
        (
            text(w, b, r#"[{"sliding":0}]"#),
            "sliding of contact 0 is 0; it must be a velocity other than 0",
        ),
        (text(w, b, r#"[{"my":2}]"#), "unknown field `my`"),
        (
            text(w, b, "[]"),
            "bias (one per component of each contact) has 2 entries where 0 are needed",
        ),
        (text("[[1,0],[0]]", b, c), "delassus[1] has 1 entries"),
        (text(w, "[-1,1e999]", c), "number out of range"),
        (text(w, "[-1", c), "line 1 column"),
    ];
    for (message, wanted) in cases {
        assert!(message.contains(wanted), "{message}");
    }
    let three = r#"{"kind":"contact","dimension":4,"delassus":[],"bias":[],"contacts":[]}"#;
    assert!(ContactProblem::from_json(three).unwrap_err().to_string().contains("dimension is 4"));
}

#[test]
fn a_matrix_that_is_not_symmetric_is_accepted_and_judged_as_it_is() {
    let json =
        r#"{"kind":"contact","delassus":[[1,0.5],[0,1]],"bias":[-1,0],"contacts":[{"mu":0.3}]}"#;
    let problem = ContactProblem::from_json(json).unwrap();
    assert_eq!(problem.delassus().asymmetry(), 0.5);
    // Sticks: ξ = 0 at Λ = (1, 0), by rows; by columns it would be (0, ½).
    assert_eq!(problem.certificate(&[1.0, 0.0]).unwrap().worst, 0.0);
}

#[test]
fn impulses_beside_which_the_bias_is_rounding_answer_nothing() {
    // a − μ c = 0: a contact that slides towards +T has no impulse; one of 1e16 N s leaves ξ_N to the rounding of itself.
    let law = Law { sliding: Some(Slip::Positive.velocity()), ..Law::coulomb(0.5) };
    let w = || Matrix::from_rows(&[[1.0, 2.0], [2.0, 4.0]]).unwrap();
    let p = ContactProblem::new(w(), vec![-1.0, 0.0], vec![law.clone()]).unwrap();
    assert!(p.certificate(&[1e17, -0.5e17]).unwrap().worst.is_infinite());
    // Without a bias, any impulse along it is right.
    let p = ContactProblem::new(w(), vec![0.0, 0.0], vec![law]).unwrap();
    assert_eq!(p.certificate(&[1e17, -0.5e17]).unwrap().worst, 0.0);
}

#[test]
fn what_nothing_moves_is_judged_all_the_same() {
    let p = |b: f64| {
        let laws = vec![Law::frictionless(), Law::bilateral(1)];
        ContactProblem::new(Matrix::zeros(2, 2), vec![b, 0.0], laws).unwrap()
    };
    for lam in [0.0, 1e-9, 1.0, 1e30] {
        let c = p(-1.0).certificate(&[lam, 0.0]).unwrap();
        assert!((c.penetration.value - 1.0).abs() < 1e-14, "{lam}: {c:?}");
        assert_eq!(p(0.0).certificate(&[lam, lam]).unwrap().worst, 0.0, "{lam}");
    }
    assert_eq!(p(1.0).certificate(&[0.0, 0.0]).unwrap().worst, 0.0);
    let c = p(1.0).certificate(&[1e-9, 0.0]).unwrap();
    assert!((c.complementarity.value - 1.0).abs() < 1e-14, "{c:?}");
}

/// The examples of the book.
#[test]
fn a_value_of_1e_10_is_two_piconewton_seconds_at_a_resting_kilogram() {
    for (mass, speed, impulse_error, velocity_error) in
        [(1.0, 9.81e-3, 1.962e-12, 1.962e-12), (1e-3, 10.0, 2e-12, 2e-9)]
    {
        // Beside a block of 1e6 kg, which does not matter.
        let diagonal = [1.0 / mass, 1.0 / mass, 1e-6, 1e-6];
        let w = Matrix::from_fn(4, 4, |i, j| if i == j { diagonal[i] } else { 0.0 });
        let b = vec![-speed, 0.0, -1.0, 0.0];
        let p = ContactProblem::new(w, b, vec![Law::coulomb(0.5); 2]).unwrap();
        let c = |off: f64| p.certificate(&[mass * speed + off, 0.0, 1e6, 0.0]).unwrap();
        for off in [impulse_error, -impulse_error] {
            assert!((c(off).worst - 1e-10).abs() < 1e-14, "{:?}", c(off));
            assert!((off.abs() / mass - velocity_error).abs() < 1e-3 * velocity_error);
        }
    }
}

#[test]
fn a_bias_that_is_left_of_larger_terms_counts_with_their_rounding() {
    // What is left of terms of 10 m/s that cancel: whether the contact approaches is rounding.
    let p = |b: f64| {
        ContactProblem::new(Matrix::identity(2), vec![b, 0.0], vec![Law::coulomb(0.5)]).unwrap()
    };
    let worst = |b: f64, lam: f64, terms: f64| {
        Certificate::with_terms(&p(b), &[lam, 0.0], terms, &mut Vec::new()).worst
    };
    assert!(worst(-1e-15, 0.0, 0.0) > 0.9);
    assert_eq!(worst(-1e-15, 0.0, 10.0), 0.0);
    assert!(worst(-1e-9, 0.0, 10.0) > 1e-11);
    assert!((worst(-20.0, 0.0, 1e-3) - worst(-20.0, 0.0, 0.0)).abs() < 1e-6);
}

#[test]
fn one_planar_contact_is_solved_with_its_matrix_as_it_is() {
    for (bias, mu) in [([-1.0, 0.2], 0.8), ([-1.0, 3.0], 0.3), ([-1.0, -3.0], 0.3)] {
        let w = Matrix::from_rows(&[[2.0, 0.7], [-0.4, 1.0]]).unwrap();
        let problem = ContactProblem::new(w, bias.to_vec(), vec![Law::coulomb(mu)]).unwrap();
        let solution = ContactSolver::default().solve(&problem).clone();
        assert!(solution.is_solved(), "{bias:?}: {solution:?}");
        assert!(problem.certificate(&solution.impulse).unwrap().worst < 1e-12);
    }
}
