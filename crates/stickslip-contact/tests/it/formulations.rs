//! The two formulations of a planar contact problem have the same solutions, and the certificate agrees.

use complementarity::{Lcp, Matrix, Solver, enumerate};
use proptest::prelude::*;
use stickslip_contact::solve::{
    ContactSolution, ContactSolver, Formulation, Settings, SolverChoice,
};
use stickslip_contact::{ContactProblem, Law, Mode, Slip};

/// W = H Hᵀ for random directions: positive definite if there are enough coordinates.
fn problem(
    contacts: usize,
    coordinates: usize,
    law: impl Strategy<Value = Law>,
) -> impl Strategy<Value = ContactProblem> {
    let n = 2 * contacts;
    let h = prop::collection::vec(-1.0..1.0, n * coordinates);
    let b = prop::collection::vec(-1.0..1.0, n);
    let laws = prop::collection::vec(law, contacts);
    (h, b, laws).prop_map(move |(h, b, laws)| {
        let row = |i: usize| &h[i * coordinates..(i + 1) * coordinates];
        let entry = |i, j| row(i).iter().zip(row(j)).map(|(x, y): (&f64, &f64)| x * y).sum();
        ContactProblem::new(Matrix::from_fn(n, n, entry), b, laws).unwrap()
    })
}

fn coulomb() -> impl Strategy<Value = Law> {
    (0.0..1.5_f64).prop_map(|mu| Law::coulomb(if mu < 0.1 { 0.0 } else { mu }))
}

/// Friction of every kind, sliding contacts among them.
fn any_law() -> impl Strategy<Value = Law> {
    let sliding = prop_oneof![
        4 => Just(None),
        1 => Just(Some(Slip::Positive)),
        1 => Just(Some(Slip::Negative))
    ];
    (0.0..0.6_f64, prop_oneof![Just(0.0), 0.0..1.0_f64], sliding).prop_map(|(mu, radius, slip)| {
        Law { radius, sliding: slip.map(Slip::velocity), ..Law::coulomb(mu) }
    })
}

fn solver(formulation: Formulation, solver: SolverChoice) -> ContactSolver {
    ContactSolver::new(Settings { formulation, solver, cases: false, ..Settings::default() })
        .unwrap()
}

/// Every solution of a small problem, as impulses, by enumeration of one formulation.
fn all_impulses(p: &ContactProblem, formulation: Formulation) -> Vec<Vec<f64>> {
    let lcp = ContactSolver::encode(p, formulation).unwrap();
    let all = enumerate::enumerate(&lcp, &enumerate::Settings::default()).unwrap();
    let vertices = all.solutions.iter().flat_map(|f| f.vertices.iter());
    vertices.map(|z| ContactSolver::decode(p, formulation, z).unwrap()).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn both_formulations_give_the_same_velocities(p in problem(2, 6, coulomb())) {
        let mut a = solver(Formulation::GlockerStuder, SolverChoice::Auto);
        let mut b = solver(Formulation::StewartTrinkle, SolverChoice::Auto);
        let (a, b) = (a.solve(&p).clone(), b.solve(&p).clone());
        prop_assert!(a.is_solved(), "{:?} {:?}", a, p);
        prop_assert!(b.is_solved(), "{:?} {:?}", b, p);
        let scale = a.velocity.iter().chain(&b.velocity).fold(1.0_f64, |m, v| m.max(v.abs()));
        if distance(&a.velocity, &b.velocity) > 1e-8 * scale {
            // Two answers: then there are several, and both are among them in either form.
            for form in Formulation::PLANAR {
                let all = all_impulses(&p, form);
                prop_assert!(all.len() > 1);
                for mine in [&a.impulse, &b.impulse] {
                    let nearest = all.iter().map(|z| distance(z, mine)).fold(f64::INFINITY, f64::min);
                    prop_assert!(nearest < 1e-6, "{} {:?} {:?}", nearest, mine, all);
                }
            }
        }
    }

    #[test]
    fn every_kind_of_law_is_certified(p in problem(3, 8, any_law())) {
        for form in Formulation::PLANAR {
            let mut s = solver(form, SolverChoice::Auto);
            let answer = s.solve(&p);
            if answer.is_solved() {
                prop_assert!(p.certificate(&answer.impulse).unwrap().worst <= 1e-10);
            } else {
                // Sliding friction is not symmetric: no solution is possible, and is then proved.
                let slides = p.laws().iter().any(|l| l.sliding.is_some());
                prop_assert!(slides && answer.proof.is_some(), "{:?} {:?}", answer, p);
            }
        }
    }

    #[test]
    fn constant_friction_is_a_quadratic_program(
        p in problem(3, 8, (0.0..1.0_f64).prop_map(Law::constant))
    ) {
        let lcp = ContactSolver::encode(&p, Formulation::GlockerStuder).unwrap();
        prop_assert!(is_bisymmetric(&lcp, 6));
        let mut s = solver(Formulation::GlockerStuder, SolverChoice::Auto);
        let answer = s.solve(&p).clone();
        prop_assert!(answer.is_solved());
        // No feasible impulse has a smaller ½ ΛᵀWΛ + bᵀΛ.
        let value = |lam: &[f64]| {
            let mut v = vec![0.0; 6];
            p.delassus().multiply_add(lam, &vec![0.0; lam.len()], &mut v);
            (0..6).map(|i| lam[i] * (0.5 * v[i] + p.bias()[i])).sum::<f64>()
        };
        let best = value(&answer.impulse);
        for i in 0..6 {
            for step in [1e-3, -1e-3, 0.1, -0.1] {
                let mut other = answer.impulse.clone();
                let radius = p.laws()[i / 2].radius;
                let (low, high) = if i % 2 == 0 { (0.0, f64::INFINITY) } else { (-radius, radius) };
                other[i] = (other[i] + step).clamp(low, high);
                prop_assert!(value(&other) >= best - 1e-12 * (1.0 + best.abs()));
            }
        }
    }

    #[test]
    fn saving_and_loading_keeps_every_bit(p in problem(3, 4, any_law())) {
        prop_assert_eq!(ContactProblem::from_json(&p.to_json().unwrap()).unwrap(), p);
    }
}

/// Blocks [[G, B], [−Bᵀ, 0]] with G symmetric, the first block of `n` unknowns.
fn is_bisymmetric(lcp: &Lcp, n: usize) -> bool {
    let m = lcp.m();
    (0..lcp.len()).all(|i| {
        (0..lcp.len()).all(|j| {
            let sign = if (i < n) == (j < n) { 1.0 } else { -1.0 };
            (m.row(i)[j] - sign * m.row(j)[i]).abs() < 1e-15
        })
    })
}

fn single(w: [[f64; 2]; 2], b: [f64; 2], mu: f64) -> ContactProblem {
    let w = Matrix::from_rows(&w).unwrap();
    ContactProblem::new(w, b.to_vec(), vec![Law::coulomb(mu)]).unwrap()
}

#[test]
fn where_lemke_ends_on_a_ray_the_slip_slack_form_answers() {
    let p = single([[1.5, 1.0], [1.0, 0.75]], [-0.5, 0.0], 2.0);
    let lcp = ContactSolver::encode(&p, Formulation::GlockerStuder).unwrap();
    assert!(!complementarity::Lemke::default().solve(&lcp).is_solved());

    let mut s = solver(Formulation::GlockerStuder, SolverChoice::Lemke);
    let answer = s.solve(&p);
    assert_eq!((answer.formulation, answer.method), (Formulation::StewartTrinkle, "lemke"));
    assert!(answer.is_solved() && distance(&answer.impulse, &[3.0, -4.0]) < 1e-12);

    let settings =
        Settings { solver: SolverChoice::Lemke, fall_back: false, ..Settings::default() };
    assert!(!ContactSolver::new(settings).unwrap().solve(&p).is_solved());
}

#[test]
fn a_block_that_sticks_slides_and_leaves_is_told_apart() {
    let w = [[1.0, 0.0], [0.0, 1.0]];
    let mut s = ContactSolver::default();
    let mut mode = |b: [f64; 2]| {
        let p = single(w, b, 0.5);
        let answer = s.solve(&p);
        assert!(answer.is_solved());
        (answer.mode(&p, 0), answer.impulse.clone())
    };
    assert_eq!(mode([-1.0, 0.25]), (Mode::Stick, vec![1.0, -0.25]));
    assert_eq!(mode([-1.0, 2.0]), (Mode::Slide(Slip::Positive), vec![1.0, -0.5]));
    assert_eq!(mode([-1.0, -2.0]), (Mode::Slide(Slip::Negative), vec![1.0, 0.5]));
    assert_eq!(mode([1.0, 2.0]), (Mode::Open, vec![0.0, 0.0]));
}

/// Rounding lets a heavy body creep on a light one; friction far below its limit says that it does not slip.
#[test]
fn a_slow_slip_is_one_if_friction_is_near_its_limit() {
    let laws = [(Law::coulomb(0.5), Mode::Slide(Slip::Positive)), (Law::disc(0.5), Mode::Slip)];
    for (law, slip) in laws {
        let n = law.components();
        let w = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
        let rest = |x: f64, y: f64| [x, y, 0.0][..n].to_vec();
        let p = ContactProblem::new(w, rest(-1.0, 0.0), vec![law]).unwrap();
        let mode = |friction: f64, slip: f64| {
            let (impulse, velocity) = (rest(1.0, -friction), rest(0.0, slip));
            ContactSolution { impulse, velocity, ..ContactSolution::default() }.mode(&p, 0)
        };
        assert_eq!(mode(0.001, 1e-8), Mode::Stick);
        assert_eq!(mode(0.5, 1e-8), slip);
        assert_eq!(mode(0.001, 1e-3), slip);
        assert_eq!(mode(0.5, 1e-12), Mode::Stick);
    }
}

#[test]
fn every_solver_that_claims_an_answer_has_the_answer() {
    let p = single([[2.0, 0.3], [0.3, 1.0]], [-1.0, 0.4], 0.3);
    let truth = ContactSolver::default().solve(&p).clone();
    let mut solved = 0;
    for solver in SolverChoice::ALL {
        for formulation in Formulation::ALL.into_iter().filter(|f| f.takes_solver(solver).is_ok()) {
            if formulation == Formulation::ConvexifiedCone {
                continue;
            }
            let settings = Settings {
                formulation,
                solver,
                tolerance: 1e-9,
                cases: false,
                ..Settings::default()
            };
            let mut s = ContactSolver::new(settings).unwrap();
            let answer = s.solve(&p);
            if answer.is_solved() {
                solved += 1;
                assert!(distance(&answer.impulse, &truth.impulse) < 1e-7, "{solver} {formulation}");
            }
        }
    }
    assert!(solved >= 22, "{solved} of 29");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_cases_of_one_contact_give_a_solution_of_the_formulations(p in problem(1, 3, coulomb())) {
        let mut quick = ContactSolver::default();
        let quick = quick.solve(&p);
        prop_assert!(quick.is_solved() && quick.method == "cases", "{:?} {:?}", quick, p);
        let mut slow = solver(Formulation::StewartTrinkle, SolverChoice::Auto);
        let slow = slow.solve(&p);
        let scale = slow.velocity.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        if distance(&quick.velocity, &slow.velocity) > 1e-8 * scale {
            let all = all_impulses(&p, Formulation::StewartTrinkle);
            let nearest = all.iter().map(|z| distance(z, &quick.impulse)).fold(f64::INFINITY, f64::min);
            prop_assert!(all.len() > 1 && nearest < 1e-6, "{:?} {:?}", quick, all);
        }
    }
}
