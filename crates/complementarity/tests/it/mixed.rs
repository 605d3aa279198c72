//! Mixed problems by pivoting: free, boxed and fixed unknowns, redundancy, contradiction.

use complementarity::{Lemke, Matrix, MixedSolver, Mlcp, Status};
use proptest::prelude::*;

const INF: f64 = f64::INFINITY;

fn solve(p: &Mlcp) -> complementarity::Solution {
    Lemke::default().solve_mixed(p).clone()
}

/// Rows of a symmetric positive definite matrix made of small integers.
fn gram(n: usize, entries: &[i8], shift: f64) -> Matrix {
    let a = |i: usize, k: usize| f64::from(entries[(i * n + k) % entries.len()]) / 4.0;
    Matrix::from_fn(n, n, |i, j| {
        let s: f64 = (0..n).map(|k| a(i, k) * a(j, k)).sum();
        if i == j { s + shift } else { s }
    })
}

proptest! {
    #[test]
    fn positive_definite_problems_with_any_bounds_are_solved(
        n in 1usize..12,
        entries in prop::collection::vec(any::<i8>(), 144),
        q in prop::collection::vec(-50.0..50.0, 12),
        kinds in prop::collection::vec(0u8..5, 12),
        width in 0.0..3.0,
    ) {
        let (lower, upper): (Vec<f64>, Vec<f64>) = (0..n).map(|i| match kinds[i] {
            0 => (0.0, INF),
            1 => (-INF, INF),
            2 => (-1.0, -1.0 + width),
            3 => (-INF, 0.5),
            _ => (0.25, 0.25),
        }).unzip();
        let p = Mlcp::new(gram(n, &entries, 0.5), q[..n].to_vec(), lower, upper).unwrap();
        let s = solve(&p);
        prop_assert_eq!(s.status, Status::Solved, "{:?} {:?}", s.residual, p);
        prop_assert!(s.residual.scaled <= 1e-12, "{:?}", s.residual);
    }

    #[test]
    fn a_quadratic_program_with_equations_is_solved(
        n in 2usize..8,
        e in 1usize..3,
        entries in prop::collection::vec(any::<i8>(), 144),
        rows in prop::collection::vec(-3i32..4, 24),
        c in prop::collection::vec(-9.0..9.0, 8),
        x0 in prop::collection::vec(0.0..2.0, 8),
    ) {
        // min ½xᵀQx + cᵀx, A x = A x0, x ≥ 0: feasible by construction. Rows of A may repeat.
        let qq = gram(n, &entries, 0.5);
        let a = |i: usize, j: usize| f64::from(rows[i * 8 + j]);
        let m = Matrix::from_fn(n + e, n + e, |i, j| match (i < n, j < n) {
            (true, true) => qq[(i, j)],
            (true, false) => -a(j - n, i),
            (false, true) => a(i - n, j),
            (false, false) => 0.0,
        });
        let mut q = c[..n].to_vec();
        q.extend((0..e).map(|i| -(0..n).map(|j| a(i, j) * x0[j]).sum::<f64>()));
        let lower = (0..n + e).map(|i| if i < n { 0.0 } else { -INF }).collect();
        let p = Mlcp::new(m, q, lower, vec![INF; n + e]).unwrap();
        let s = solve(&p);
        prop_assert_eq!(s.status, Status::Solved, "{:?}", s);
    }
}

#[test]
fn a_box_is_crossed_without_a_change_of_basis() {
    let p = Mlcp::new(Matrix::identity(1), vec![-5.0], vec![-1.0], vec![2.0]).unwrap();
    let s = solve(&p);
    assert_eq!((s.status, s.z[0], s.w[0]), (Status::Solved, 2.0, -3.0));
}

#[test]
fn redundant_equations_are_recognised_and_contradictory_ones_proved() {
    let m = Matrix::from_rows(&[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    let free = |q: Vec<f64>| Mlcp::new(m.clone(), q, vec![-INF, -INF, 0.0], vec![INF; 3]).unwrap();
    let consistent = free(vec![2.0, 2.0, -1.0]);
    let s = solve(&consistent);
    assert_eq!(s.status, Status::Solved);
    assert!((s.z[0] + s.z[1] + 2.0).abs() < 1e-14 && s.z[2] == 1.0);
    let contradictory = free(vec![2.0, 3.0, -1.0]);
    let s = solve(&contradictory);
    assert_eq!(s.status, Status::NoSolution);
    assert_eq!(s.proof.unwrap().check_mixed(&contradictory), Ok(()));
}

#[test]
fn an_infeasible_program_comes_with_a_farkas_vector() {
    // x ≥ 0 with x1 + x2 = −1, in the KKT form of min ½|x|².
    let m = Matrix::from_rows(&[[1.0, 0.0, -1.0], [0.0, 1.0, -1.0], [1.0, 1.0, 0.0]]).unwrap();
    let p = Mlcp::new(m, vec![0.0, 0.0, 1.0], vec![0.0, 0.0, -INF], vec![INF; 3]).unwrap();
    let s = solve(&p);
    assert_eq!(s.status, Status::NoSolution, "{s:?}");
    assert_eq!(s.proof.unwrap().check_mixed(&p), Ok(()));
}

#[test]
fn a_solution_is_its_own_warm_start() {
    let p = Mlcp::new(
        gram(6, &[3, -7, 12, 5, -2, 9, 1, 1, -4, 8, 0, 6, -6], 0.5),
        vec![-9.0, 4.0, -3.0, 2.0, -8.0, 1.0],
        vec![0.0, -INF, 0.0, -1.0, 0.0, 0.0],
        vec![1.0, INF, INF, 1.0, INF, 2.0],
    )
    .unwrap();
    let mut lemke = Lemke::default();
    let cold = lemke.solve_mixed(&p).clone();
    assert!(cold.is_solved() && cold.statistics.iterations > 0);
    let warm = lemke.solve_mixed_from(&p, &cold.z).unwrap();
    assert!(warm.is_solved());
    assert_eq!(warm.statistics.iterations, 0);
}
