//! Settings, warm starts, repeated and wild use.

use super::making::*;
use complementarity::{
    InteriorPoint, Lcp, Matrix, MixedSolver, Mlcp, Newton, Pgs, Solver, SparseLcp, SparseMatrix,
    Status, interior_point, newton, pgs,
};
use proptest::prelude::*;

#[test]
fn sparse_and_dense_sweeps_agree_without_polish() {
    let n = 30;
    let m = laplacian(n);
    let q: Vec<f64> = (0..n).map(|i| ((i * i) as f64).sin()).collect();
    for (relaxation, symmetric) in [(1.0, false), (1.7, false), (1.5, true)] {
        let settings =
            pgs::Settings { relaxation, symmetric, polish_up_to: 0, ..Default::default() };
        let mut solver = Pgs::new(settings).unwrap();
        let sparse = SparseLcp::new(SparseMatrix::from_dense(&m), q.clone()).unwrap();
        let a = solver.solve_sparse(&sparse).clone();
        let b = solver.solve(&sparse.to_dense()).clone();
        assert!(a.is_solved() && b.is_solved());
        println!("omega {relaxation} symmetric {symmetric}: {} sweeps", a.statistics.iterations);
        for (a, b) in a.z.iter().zip(&b.z) {
            assert!((a - b).abs() < 1e-8);
        }
        for (a, b) in a.w.iter().zip(sparse.to_dense().m().mul_vec(&a.z).iter().zip(&q)) {
            assert!((a - (b.0 + b.1)).abs() < 1e-12);
        }
        let again = solver.solve_sparse_from(&sparse, &a.z).unwrap();
        assert_eq!(again.statistics.iterations, 0);
    }
}

#[test]
fn over_relaxation_saves_sweeps_on_the_string() {
    let n = 60;
    let p = Lcp::new(laplacian(n), vec![-1e-2; n]).unwrap();
    let sweeps = |relaxation| {
        let settings =
            pgs::Settings { relaxation, polish_up_to: 0, max_sweeps: 20_000, ..Default::default() };
        let s = Pgs::new(settings).unwrap().solve(&p).clone();
        assert!(s.is_solved(), "{:?} {:?}", s.status, s.residual);
        s.statistics.iterations
    };
    let (plain, over) = (sweeps(1.0), sweeps(1.9));
    println!("Laplacian of 60: {plain} sweeps with omega 1, {over} with 1.9");
    assert!(over * 5 < plain);
}

#[test]
fn a_warm_start_at_the_solution_needs_no_iteration() {
    let mut r = Random::new(9);
    let m = semidefinite(&mut r, 20, 20, 2.0, 0.0);
    let p = Lcp::new(m, r.vector(20)).unwrap();
    for mut solver in all() {
        let z = solver.solve(&p).z.clone();
        let s = solver.solve_from(&p, &z).unwrap();
        assert!(s.is_solved());
        assert_eq!(s.statistics.iterations, 0);
        let near: Vec<f64> = z.iter().map(|v| v + 1e-3).collect();
        assert!(solver.solve_from(&p, &near).unwrap().is_solved());
        assert!(solver.solve_from(&p, &[0.0]).is_err());
        assert!(solver.solve_from(&p, &[f64::NAN; 20]).is_err());
    }
}

#[test]
fn a_second_solve_gives_the_same_bits() {
    let mut r = Random::new(10);
    let m = semidefinite(&mut r, 25, 12, 0.0, 0.1);
    let q = q_for_known_pair(&mut r, &m);
    let p = Lcp::new(m, q).unwrap();
    let other = Lcp::new(laplacian(7), vec![-1.0; 7]).unwrap();
    for mut solver in all() {
        let a = solver.solve(&p).clone();
        solver.solve(&other);
        assert_eq!(&a, solver.solve(&p));
    }
}

#[test]
fn settings_outside_of_their_ranges_are_refused() {
    for relaxation in [0.0, 2.0, -1.0, f64::NAN] {
        assert!(Pgs::new(pgs::Settings { relaxation, ..Default::default() }).is_err());
    }
    for tolerance in [0.0, 2.0, f64::NAN] {
        assert!(Pgs::new(pgs::Settings { tolerance, ..Default::default() }).is_err());
        assert!(Newton::new(newton::Settings { tolerance, ..Default::default() }).is_err());
        let settings = interior_point::Settings { tolerance, ..Default::default() };
        assert!(InteriorPoint::new(settings).is_err());
    }
    let settings = interior_point::Settings { step_share: 1.0, ..Default::default() };
    assert!(InteriorPoint::new(settings).is_err());
    assert!(Newton::new(newton::Settings { max_steps: 0, ..Default::default() }).is_err());
}

#[test]
fn no_unknowns_are_no_problem() {
    let p = Lcp::new(Matrix::zeros(0, 0), vec![]).unwrap();
    for mut solver in all() {
        assert!(solver.solve(&p).is_solved());
    }
}

fn wild() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(1.0),
        Just(-1.0),
        Just(1e308),
        Just(-1e308),
        Just(5e-324),
        Just(-5e-324),
        Just(1e-300),
        -2.0..2.0,
        prop::num::f64::NORMAL,
        prop::num::f64::SUBNORMAL,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn wild_numbers_end_without_panic_and_a_solved_status_is_true(
        n in 0usize..5,
        numbers in prop::collection::vec(wild(), 5 * 5 + 5 * 3 + 5),
        kinds in prop::collection::vec(0usize..5, 5),
    ) {
        let m = Matrix::from_fn(n, n, |i, j| numbers[5 * i + j]);
        let q = numbers[25..25 + n].to_vec();
        let (mut lower, mut upper) = (vec![-INF; n], vec![INF; n]);
        for i in 0..n {
            let (a, b) = (numbers[30 + i], numbers[35 + i]);
            match kinds[i] {
                0 => {}
                1 => lower[i] = a,
                2 => upper[i] = b,
                3 => (lower[i], upper[i]) = (a.min(b), a.max(b)),
                _ => (lower[i], upper[i]) = (a, a),
            }
        }
        let guess = &numbers[40..40 + n];
        let p = Lcp::new(m.clone(), q.clone()).unwrap();
        let mixed = Mlcp::new(m, q, lower, upper).unwrap();
        for mut solver in all() {
            let s = solver.solve(&p);
            prop_assert!(!s.is_solved() || p.residual(&s.z).scaled <= 1e-10);
            prop_assert!(s.status != Status::NoSolution || s.proof.is_some());
            let s = solver.solve_from(&p, guess).unwrap();
            prop_assert!(!s.is_solved() || p.residual(&s.z).scaled <= 1e-10);
        }
        let mut solvers: [Box<dyn MixedSolver>; 3] = [
            Box::new(Pgs::default()),
            Box::new(Newton::default()),
            Box::new(InteriorPoint::default()),
        ];
        for solver in &mut solvers {
            let s = solver.solve_mixed(&mixed);
            prop_assert!(!s.is_solved() || mixed.residual(&s.z).scaled <= 1e-10);
            let s = solver.solve_mixed_from(&mixed, guess).unwrap();
            prop_assert!(!s.is_solved() || mixed.residual(&s.z).scaled <= 1e-10);
        }
    }
}
