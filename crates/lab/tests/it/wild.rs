//! Wild input at every entry point: a typed error or an honest status, in bounded time.

use complementarity::{Lcp, Matrix, Mlcp, Pgs, Problem, Solution, SparseLcp, SparseMatrix, Status};
use proptest::prelude::*;
use std::sync::mpsc;
use std::time::Duration;
use stickslip_lab::{analyses, mixed_solvers, plain_solvers};

/// Far more than any of these tiny problems needs, far less than an endless loop.
const BOUND: Duration = Duration::from_secs(20);

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

/// Any finite number, with the nasty ones often.
fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -3.0..3.0,
        2 => (-3i32..=3).prop_map(f64::from),
        2 => prop::sample::select(vec![
            0.0, -0.0, 1e308, -1e308, f64::MAX, f64::MIN, f64::MIN_POSITIVE, -f64::MIN_POSITIVE,
            5e-324, -5e-324, 1e-310, 1e200, -1e200, 1e-200, 1e160, -1e-160, f64::EPSILON,
        ]),
        2 => prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
    ]
}

/// Any number at all.
fn any_float() -> impl Strategy<Value = f64> {
    prop_oneof![
        9 => finite(),
        1 => prop::sample::select(vec![f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
    ]
}

fn data(
    entry: impl Strategy<Value = f64> + Clone,
) -> impl Strategy<Value = (usize, Vec<f64>, Vec<f64>)> {
    (0usize..=5).prop_flat_map(move |n| {
        let m = prop::collection::vec(entry.clone(), n * n);
        let q = prop::collection::vec(entry.clone(), n);
        (Just(n), m, q)
    })
}

fn problem() -> impl Strategy<Value = Lcp> {
    data(finite().boxed())
        .prop_map(|(n, m, q)| Lcp::new(Matrix::from_vec(n, n, m).unwrap(), q).unwrap())
}

fn mixed_problem() -> impl Strategy<Value = Mlcp> {
    let bound = prop_oneof![
        2 => finite(),
        1 => Just(f64::NEG_INFINITY),
        1 => Just(f64::INFINITY),
        1 => Just(0.0),
    ];
    let pair = (bound.clone(), bound).prop_map(|(a, b)| {
        let (l, u) = (a.min(b), a.max(b));
        (if l == f64::INFINITY { 0.0 } else { l }, if u == f64::NEG_INFINITY { 0.0 } else { u })
    });
    (data(finite().boxed()), prop::collection::vec(pair, 5)).prop_map(|((n, m, q), bounds)| {
        let (lower, upper) = bounds.into_iter().take(n).unzip();
        Mlcp::new(Matrix::from_vec(n, n, m).unwrap(), q, lower, upper).unwrap()
    })
}

/// Checks a solution against the problem's own judgement.
fn assert_honest(name: &str, n: usize, solution: &Solution, scaled: f64, proof_holds: bool) {
    assert_eq!(solution.z.len(), n, "{name}");
    assert_eq!(solution.w.len(), n, "{name}");
    match solution.status {
        Status::Solved => assert!(scaled <= 1e-10, "{name}: solved with residual {scaled:e}"),
        Status::NoSolution => assert!(proof_holds, "{name}: {:?}", solution.proof),
        Status::Failed(_) => {}
    }
    assert_eq!(solution.proof.is_some(), solution.status == Status::NoSolution, "{name}");
}

fn check_plain(p: &Lcp, guess: &[f64]) {
    for mut solver in plain_solvers() {
        let name = solver.name();
        let check = |s: &Solution| {
            let proof = s.proof.as_ref().is_some_and(|x| x.check(p).is_ok());
            assert_honest(name, p.len(), s, p.residual(&s.z).scaled, proof);
        };
        check(solver.solve(p));
        let fits = guess.len() == p.len() && guess.iter().all(|g| g.is_finite());
        match solver.solve_from(p, guess) {
            Ok(s) => {
                assert!(fits, "{name} took the guess {guess:?}");
                check(s);
            }
            Err(e) => assert!(!fits, "{name} refused {guess:?}: {e}"),
        }
    }
    if let Ok(sparse) = SparseLcp::new(SparseMatrix::from_dense(p.m()), p.q().to_vec()) {
        let mut pgs = Pgs::default();
        let s = pgs.solve_sparse(&sparse);
        assert_honest("pgs, sparse", p.len(), s, sparse.residual(&s.z).scaled, false);
    }
    for (_, analysis) in analyses() {
        analysis(p);
    }
}

fn check_mixed(p: &Mlcp, guess: &[f64]) {
    for (name, mut solver) in mixed_solvers() {
        let check = |s: &Solution| {
            let proof = s.proof.as_ref().is_some_and(|x| x.check_mixed(p).is_ok());
            assert_honest(name, p.len(), s, p.residual(&s.z).scaled, proof);
        };
        check(solver.solve_mixed(p));
        let fits = guess.len() == p.len() && guess.iter().all(|g| g.is_finite());
        match solver.solve_mixed_from(p, guess) {
            Ok(s) => {
                assert!(fits, "{name} took the guess {guess:?}");
                check(s);
            }
            Err(e) => assert!(!fits, "{name} refused {guess:?}: {e}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_that_are_not_finite_are_refused_where_they_enter(
        (n, m, q) in data(any_float().boxed()),
        bounds in prop::collection::vec((any_float(), any_float()), 0..6),
        rows in 0usize..4,
        cols in 0usize..4,
    ) {
        let finite = m.iter().chain(&q).all(|x| x.is_finite());
        let matrix = Matrix::from_vec(n, n, m.clone()).unwrap();
        prop_assert_eq!(Lcp::new(matrix.clone(), q.clone()).is_ok(), finite);
        let sparse = SparseMatrix::from_dense(&matrix);
        prop_assert_eq!(SparseLcp::new(sparse, q.clone()).is_ok(), finite);
        let (lower, upper): (Vec<f64>, Vec<f64>) = bounds.into_iter().unzip();
        if let Ok(p) = Mlcp::new(matrix, q.clone(), lower, upper) {
            prop_assert!(finite && p.lower().iter().zip(p.upper()).all(|(l, u)| l <= u));
        }
        let _ = Matrix::from_vec(rows, cols, m).map(|m| Lcp::new(m, q));
    }

    #[test]
    fn a_residual_of_anything_is_a_number_or_infinity(
        p in problem(),
        mixed in mixed_problem(),
        z in prop::collection::vec(any_float(), 0..6),
    ) {
        for r in [p.residual(&z), mixed.residual(&z)] {
            prop_assert!(!r.scaled.is_nan() && r.scaled >= 0.0);
            let usable = z.iter().all(|x| x.is_finite());
            prop_assert!(usable || r.scaled == f64::INFINITY);
        }
    }

    #[test]
    fn every_plain_solver_is_honest_about_wild_numbers(
        p in problem(),
        guess in prop::collection::vec(any_float(), 0..6),
    ) {
        within_bound(p.to_json(), move || check_plain(&p, &guess));
    }

    #[test]
    fn every_mixed_solver_is_honest_about_wild_numbers(
        p in mixed_problem(),
        guess in prop::collection::vec(any_float(), 0..6),
    ) {
        within_bound(p.to_json(), move || check_mixed(&p, &guess));
    }

    #[test]
    fn any_text_is_a_problem_or_a_mistake_with_its_place(text in ".{0,80}") {
        let _ = Problem::from_json(&text);
    }

    #[test]
    fn a_damaged_file_is_a_problem_or_a_mistake(
        p in mixed_problem(),
        at in any::<prop::sample::Index>(),
        with in prop::sample::select(vec!["", "\"", "[", "]", "{", ",", "null", "1e999", "-", "NaN", "\u{fffd}"]),
    ) {
        let text = p.to_json();
        let back = Problem::from_json(&text);
        prop_assert_eq!(back, Ok(Problem::Mlcp(p)));
        let at = at.index(text.len());
        let damaged = format!("{}{with}{}", &text[..at], &text[at + 1..]);
        if let Err(e) = Problem::from_json(&damaged) {
            prop_assert!(!e.to_string().is_empty());
        }
    }
}
