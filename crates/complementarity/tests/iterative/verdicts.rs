//! What is said of problems that are not solved.

use crate::making::*;
use complementarity::{
    Failure, InteriorPoint, Lcp, Matrix, MixedSolver, Newton, Pgs, Solver, Status, pgs,
};

/// B Bᵀ with n / 2 columns, and q, such that yᵀM = 0 and yᵀq = −1/2, both up to rounding.
fn infeasible_up_to_rounding(r: &mut Random, n: usize) -> Lcp {
    let y: Vec<f64> = r.vector(n).iter().map(|v| v.abs()).collect();
    let norm: f64 = y.iter().map(|v| v * v).sum();
    let mut b = r.matrix(n, n / 2);
    for k in 0..n / 2 {
        let along = (0..n).map(|i| b[(i, k)] * y[i]).sum::<f64>() / norm;
        for i in 0..n {
            b[(i, k)] -= along * y[i];
        }
    }
    let m = product(&b, &b.transposed());
    let mut q = r.vector(n);
    let value: f64 = q.iter().zip(&y).map(|(q, y)| q * y).sum();
    for i in 0..n {
        q[i] -= (value + 0.5) * y[i] / norm;
    }
    Lcp::new(m, q).unwrap()
}

/// The same with integers for M, so that yᵀM = 0 holds for an integer y > 0.
fn infeasible(r: &mut Random, n: usize) -> Lcp {
    let whole = |v: f64, most: f64| (v * most).round();
    let mut y: Vec<f64> = r.vector(n).iter().map(|v| whole(v.abs(), 9.0) + 1.0).collect();
    y[n - 1] = 1.0;
    let mut b = Matrix::from_fn(n, n / 2, |_, _| whole(r.signed(), 9.0));
    for k in 0..n / 2 {
        b[(n - 1, k)] = -(0..n - 1).map(|i| b[(i, k)] * y[i]).sum::<f64>();
    }
    let mut q = r.vector(n);
    q[n - 1] -= q.iter().zip(&y).map(|(q, y)| q * y).sum::<f64>() + 0.5;
    Lcp::new(product(&b, &b.transposed()), q).unwrap()
}

#[test]
fn infeasible_monotone_problems_end_with_a_proof() {
    for seed in 0..40 {
        let mut r = Random::new(7000 + seed);
        let n = 2 + seed as usize % 30;
        let p = infeasible(&mut r, n);
        let s = InteriorPoint::default().solve(&p).clone();
        let facts = format!("{seed} n {n}: {:?} {:?}", s.residual, s.statistics);
        assert_eq!(s.status, Status::NoSolution, "{facts}");
        assert_eq!(s.proof.unwrap().check(&p), Ok(()));
        let s = Newton::default().solve(&p).clone();
        assert!(!s.is_solved(), "{seed}: {:?}", s.residual);
        let s = Pgs::default().solve(&p).clone();
        assert!(!s.is_solved(), "{seed}: {:?}", s.residual);
        let mixed = p.to_mlcp();
        let s = InteriorPoint::default().solve_mixed(&mixed).clone();
        assert_eq!(s.proof.unwrap().check_mixed(&mixed), Ok(()));
    }
}

#[test]
fn what_is_infeasible_only_up_to_rounding_is_neither_solved_nor_proved_wrongly() {
    for seed in 0..40 {
        let p = infeasible_up_to_rounding(&mut Random::new(7000 + seed), 2 + seed as usize % 30);
        for mut solver in all() {
            let s = solver.solve(&p);
            assert!(!s.is_solved(), "{seed}: {:?}", s.residual);
            let holds = s.proof.as_ref().map(|proof| proof.check(&p));
            assert!(holds.is_none_or(|holds| holds == Ok(())), "{seed}");
        }
    }
}

#[test]
fn a_solution_far_out_is_not_taken_for_infeasibility() {
    // det M = δ: z = (2 + δ, 2) / δ, while y = (1, 1) is a Farkas vector up to δ.
    for delta in [1e-3, 1e-6, 1e-9, 1e-12] {
        let m = Matrix::from_rows(&[[1.0, -1.0], [-1.0, 1.0 + delta]]).unwrap();
        let p = Lcp::new(m, vec![-1.0, -1.0]).unwrap();
        for mut solver in all() {
            let name = solver.name();
            let s = solver.solve(&p);
            assert_ne!(s.status, Status::NoSolution, "{name} {delta}");
            println!("{name} delta {delta:e}: {:?} {:?}", s.status, s.z);
        }
    }
}

#[test]
fn random_linear_programs_are_solved_or_proved_to_have_no_solution() {
    let mut proved = 0;
    for seed in 0..60 {
        let mut r = Random::new(8000 + seed);
        let n = 1 + seed as usize % 12;
        let a = r.matrix(n, n);
        let m = Matrix::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
            (true, false) => -a[(j - n, i)],
            (false, true) => a[(i - n, j)],
            _ => 0.0,
        });
        let p = Lcp::new(m, r.vector(2 * n)).unwrap();
        let s = InteriorPoint::default().solve(&p).clone();
        match s.status {
            Status::Solved => {}
            Status::NoSolution => {
                proved += 1;
                assert_eq!(s.proof.unwrap().check(&p), Ok(()));
            }
            Status::Failed(_) => panic!("{seed}: {s:?}"),
        }
    }
    println!("{proved} of 60 linear programs proved to have no solution");
    assert!(proved > 10 && proved < 60);
}

#[test]
fn a_feasible_problem_without_a_solution_is_not_called_infeasible() {
    // w1 = z2 − 1, w2 = z1 + 1: feasible, no solution, not monotone.
    let m = Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0]]).unwrap();
    let p = Lcp::new(m, vec![-1.0, 1.0]).unwrap();
    let s = InteriorPoint::default().solve(&p).clone();
    assert_eq!(s.status, Status::Failed(Failure::WrongClass));
    assert!(matches!(Newton::default().solve(&p).status, Status::Failed(_)));
    assert_eq!(Pgs::default().solve(&p).status, Status::Failed(Failure::WrongClass));
}

#[test]
fn pgs_names_the_diagonal_only_when_it_is_to_blame() {
    let rows = |m: [[f64; 2]; 2], q: [f64; 2]| {
        let p = Lcp::new(Matrix::from_rows(&m).unwrap(), q.to_vec()).unwrap();
        Pgs::default().solve(&p).clone()
    };
    // An empty row whose q is not negative asks for nothing.
    let s = rows([[0.0, 0.0], [0.0, 2.0]], [1.0, -4.0]);
    assert!(s.is_solved());
    assert_eq!(s.z, [0.0, 2.0]);
    // One whose q is negative cannot be met.
    let s = rows([[0.0, 0.0], [0.0, 2.0]], [-1.0, -4.0]);
    assert_eq!(s.status, Status::Failed(Failure::WrongClass));
    assert!(s.statistics.iterations < 50);
    // A zero diagonal met by the other unknown.
    let s = rows([[0.0, 1.0], [0.0, 1.0]], [-1.0, -2.0]);
    assert!(s.is_solved());
    // A dominant diagonal that is too small to converge is not of the wrong class.
    let s = {
        let m = Matrix::from_rows(&[[1.0, 3.0], [-3.0, 1.0]]).unwrap();
        let settings = pgs::Settings { polish_up_to: 0, ..Default::default() };
        let p = Lcp::new(m, vec![-5.0, 1.0]).unwrap();
        Pgs::new(settings).unwrap().solve(&p).clone()
    };
    assert!(matches!(s.status, Status::Failed(Failure::Stalled | Failure::Numerical)), "{s:?}");
}
