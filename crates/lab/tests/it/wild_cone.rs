//! Wild cone problems: a typed error or an honest status, in bounded time.

use complementarity::{Matrix, Status};
use proptest::prelude::*;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use stickslip_contact::set::ConvexSet;
use stickslip_contact::set::{Polyhedron, UniformDisc};
use stickslip_contact::{ContactProblem, Law};
use stickslip_lab::cone::cone_solvers;

/// Far more than any of these tiny problems needs, far less than an endless loop.
const BOUND: Duration = Duration::from_secs(60);
const TOLERANCE: f64 = 1e-9;

/// Any finite number, with the nasty ones often.
fn finite() -> BoxedStrategy<f64> {
    prop_oneof![
        4 => -3.0..3.0,
        2 => (-3i32..=3).prop_map(f64::from),
        2 => prop::sample::select(vec![
            0.0, -0.0, 1e308, -1e308, f64::MAX, f64::MIN, f64::MIN_POSITIVE, -f64::MIN_POSITIVE,
            5e-324, -5e-324, 1e-310, 1e300, -1e300, 1e-200, 1e160, -1e-160, f64::EPSILON,
        ]),
        1 => prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
    ]
    .boxed()
}

/// Any number at all.
fn any_float() -> BoxedStrategy<f64> {
    prop_oneof![
        9 => finite(),
        1 => prop::sample::select(vec![f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
    ]
    .boxed()
}

/// Numbers that laws take, often, and others.
fn size() -> BoxedStrategy<f64> {
    prop_oneof![
        6 => 0.0..2.0,
        2 => Just(0.0),
        2 => finite().prop_map(f64::abs),
        1 => any_float(),
    ]
    .boxed()
}

fn set() -> BoxedStrategy<ConvexSet> {
    let square = Polyhedron::symmetric(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let ball = ConvexSet::Ellipsoid(vec![1.0; 3]).polyhedron_inside(20).unwrap();
    let uniform: Arc<UniformDisc> = Arc::new(UniformDisc::new(0.4).unwrap());
    prop_oneof![
        4 => Just(ConvexSet::Interval),
        4 => Just(ConvexSet::Disc),
        4 => prop::collection::vec(prop_oneof![3 => 0.01..2.0, 1 => size()], 0..5)
            .prop_map(ConvexSet::Ellipsoid),
        2 => Just(ConvexSet::Polyhedron(square)),
        2 => Just(ConvexSet::Polyhedron(ball)),
        2 => (size(), size(), size())
            .prop_map(|(a, b, spin)| ConvexSet::Mixed { ellipse: [a, b], spin }),
        1 => Just(ConvexSet::Custom(uniform)),
    ]
    .boxed()
}

fn law() -> BoxedStrategy<Law> {
    prop_oneof![
        2 => Just(Law::frictionless()),
        1 => (0usize..8).prop_map(Law::bilateral),
        6 => (size(), size(), set()).prop_map(|(mu, radius, set)| Law { radius, ..Law::with_set(mu, set) }),
        6 => (size(), set()).prop_map(|(mu, set)| Law::with_set(mu, set)),
    ]
    .boxed()
}

/// W, b, laws: W as it comes, or its symmetric part, or HᵀH.
fn data(entry: BoxedStrategy<f64>) -> impl Strategy<Value = (Matrix, Vec<f64>, Vec<Law>)> {
    prop::collection::vec(law(), 0..4).prop_flat_map(move |laws| {
        let n: usize = laws.iter().map(Law::components).sum();
        let w = prop::collection::vec(entry.clone(), n * n);
        let b = prop::collection::vec(entry.clone(), n);
        (w, b, 0..5u8).prop_map(move |(w, b, kind)| (matrix(n, &w, kind), b, laws.clone()))
    })
}

fn matrix(n: usize, w: &[f64], kind: u8) -> Matrix {
    let entry = |i: usize, j: usize| w[i * n + j];
    match kind {
        0 => Matrix::from_fn(n, n, entry),
        1 | 2 => Matrix::from_fn(n, n, |i, j| entry(i.min(j), i.max(j))),
        _ => Matrix::from_fn(n, n, |i, j| (0..n).map(|k| entry(k, i) * entry(k, j)).sum()),
    }
}

/// Runs `work` on a thread of its own and fails if it does not come back, or panics.
fn within_bound(what: String, work: impl FnOnce() + Send + 'static) {
    let (done, wait) = mpsc::channel();
    let handle = std::thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    if wait.recv_timeout(BOUND) == Err(mpsc::RecvTimeoutError::Timeout) {
        panic!("{what} did not end within {BOUND:?}");
    }
    if let Err(panic) = handle.join() {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied());
        panic!("{what}: {}", text.unwrap_or("a panic without words"));
    }
}

fn check(problem: &ContactProblem, guess: &[f64]) {
    for mut solver in cone_solvers(TOLERANCE).unwrap() {
        let name = solver.name();
        let honest = |s: &stickslip_contact::solve::ContactSolution| {
            assert_eq!(s.impulse.len(), problem.bias().len(), "{name}");
            let scaled = problem.certificate(&s.impulse).unwrap().worst;
            match s.status {
                Status::Solved => assert!(scaled <= TOLERANCE, "{name}: solved with {scaled:e}"),
                Status::NoSolution => panic!("{name}: no cone solver proves that"),
                Status::Failed(_) => {}
            }
        };
        honest(solver.solve(problem));
        let fits = guess.len() == problem.bias().len() && guess.iter().all(|g| g.is_finite());
        match solver.solve_from(problem, guess) {
            Ok(s) => {
                assert!(fits, "{name} took the guess {guess:?}");
                honest(s);
            }
            Err(e) => assert!(!fits, "{name} refused {guess:?}: {e}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_that_are_not_finite_are_refused_where_they_enter(
        (w, b, laws) in data(any_float()),
        short in any::<bool>(),
    ) {
        let bad = w.as_slice().iter().chain(&b).any(|x| !x.is_finite());
        let mut b = b;
        let cut = short && b.pop().is_some();
        let made = ContactProblem::new(w.clone(), b, laws);
        prop_assert!(!(bad || cut) || made.is_err());
        if let Err(e) = made {
            prop_assert!(!e.to_string().is_empty());
        }
    }

    #[test]
    fn a_residual_of_anything_is_a_number_or_infinity(
        (w, b, laws) in data(finite()),
        impulse in prop::collection::vec(any_float(), 0..12),
    ) {
        if let Ok(problem) = ContactProblem::new(w.clone(), b, laws) {
            let fits = impulse.len() == problem.bias().len();
            match problem.certificate(&impulse) {
                Err(_) => prop_assert!(!fits),
                Ok(r) => {
                    prop_assert!(fits && r.worst >= 0.0);
                    let usable = impulse.iter().all(|x| x.is_finite());
                    prop_assert!(usable || r.worst == f64::INFINITY);
                }
            }
        }
    }

    #[test]
    fn every_solver_is_honest_about_wild_numbers(
        (w, b, laws) in data(finite()),
        guess in prop::collection::vec(any_float(), 0..12),
    ) {
        if let Ok(problem) = ContactProblem::new(w.clone(), b, laws) {
            let what = format!("{:?} {:?} {:?}", w.as_slice(), problem.bias(), problem.laws());
            within_bound(what, move || check(&problem, &guess));
        }
    }

    #[test]
    fn every_solver_is_honest_about_tame_numbers_and_any_matrix(
        (w, b, laws) in data((-3.0..3.0).boxed()),
    ) {
        if let Ok(problem) = ContactProblem::new(w.clone(), b, laws) {
            let what = format!("{:?} {:?} {:?}", w.as_slice(), problem.bias(), problem.laws());
            within_bound(what, move || check(&problem, &[]));
        }
    }
}
