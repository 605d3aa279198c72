//! The iterative methods over families of problems whose solutions are known or unique.

use complementarity::newton::Function;
use complementarity::{
    Failure, InteriorPoint, Lcp, Matrix, MixedSolver, Mlcp, Newton, Pgs, Solver, SparseLcp,
    SparseMatrix, Status, interior_point, newton, pgs,
};
use proptest::prelude::*;

const INF: f64 = f64::INFINITY;

/// A small generator with a fixed sequence (xorshift64*).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Uniform in [−1, 1).
    fn signed(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        bits as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.signed()).collect()
    }

    fn matrix(&mut self, rows: usize, cols: usize) -> Matrix {
        Matrix::from_fn(rows, cols, |_, _| self.signed())
    }
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), b.cols(), |i, j| {
        (0..a.cols()).map(|k| a[(i, k)] * b[(k, j)]).sum()
    })
}

/// B Bᵀ of the given rank, plus `shift` on the diagonal, plus `skew` times a skew matrix.
fn semidefinite(r: &mut Random, n: usize, rank: usize, shift: f64, skew: f64) -> Matrix {
    let b = r.matrix(n, rank);
    let s = r.matrix(n, n);
    let mut m = product(&b, &b.transposed());
    for i in 0..n {
        m[(i, i)] += shift;
        for j in 0..n {
            m[(i, j)] += skew * (s[(i, j)] - s[(j, i)]);
        }
    }
    m
}

/// q such that a random complementary pair (z, w) solves the problem; some pairs are degenerate.
fn q_for_known_pair(r: &mut Random, m: &Matrix) -> Vec<f64> {
    let n = m.rows();
    let (mut z, mut w) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        let v = r.signed();
        if v > 0.1 {
            z[i] = v;
        } else if v < -0.1 {
            w[i] = -v;
        }
    }
    let mz = m.mul_vec(&z);
    (0..n).map(|i| w[i] - mz[i]).collect()
}

/// Largest and mean of a list of counts, for the reports that `--nocapture` shows.
fn report(what: &str, counts: &[usize]) {
    let (sum, largest) = (counts.iter().sum::<usize>(), counts.iter().max().copied());
    let mean = sum as f64 / counts.len().max(1) as f64;
    println!(
        "{what}: {} solves, mean {mean:.1}, most {}",
        counts.len(),
        largest.unwrap_or(0)
    );
}

fn laplacian(n: usize) -> Matrix {
    Matrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    })
}

fn all() -> [Box<dyn Solver>; 4] {
    let min = newton::Settings {
        function: Function::Min,
        ..Default::default()
    };
    [
        Box::new(Pgs::default()),
        Box::new(Newton::default()),
        Box::new(Newton::new(min).unwrap()),
        Box::new(InteriorPoint::default()),
    ]
}

#[test]
fn one_unknown_has_its_closed_form() {
    for mut solver in all() {
        for (m, q) in [
            (2.0, -3.0),
            (2.0, 3.0),
            (1e-9, -1e9),
            (1e200, -1.0),
            (0.5, 0.0),
        ] {
            let p = Lcp::new(Matrix::from_fn(1, 1, |_, _| m), vec![q]).unwrap();
            let s = solver.solve(&p);
            assert!(s.is_solved(), "{m} {q}: {s:?}");
            let expected = (-q / m).max(0.0);
            assert!(
                (s.z[0] - expected).abs() <= 1e-15 * expected.abs(),
                "{m} {q}: {s:?}"
            );
        }
    }
}

#[test]
fn a_diagonal_problem_has_its_closed_form() {
    let n = 12;
    let m = Matrix::from_fn(
        n,
        n,
        |i, j| if i == j { 2f64.powi(i as i32 - 6) } else { 0.0 },
    );
    let q: Vec<f64> = (0..n)
        .map(|i| (i as f64 - 5.0) * if i % 2 == 0 { 1.0 } else { -2.0 })
        .collect();
    let p = Lcp::new(m.clone(), q.clone()).unwrap();
    for mut solver in all() {
        let s = solver.solve(&p);
        assert!(s.is_solved());
        for i in 0..n {
            assert_eq!(s.z[i], (-q[i] / m[(i, i)]).max(0.0), "{}", i);
        }
    }
}

/// Obstacle problem with load f: the contact set is the middle, and outside of it the string is
/// the parabola that starts at the wall and meets the floor at distance c with no slope left.
#[test]
fn a_string_on_a_floor_lifts_off_where_theory_says() {
    // u_0 = a at both walls, −u_{i−1} + 2 u_i − u_{i+1} = −g where u > 0. From the floor,
    // k points from the last touching one: u = g k (k+1) / 2 when the touching force there is zero.
    let (n, g, lift) = (41, 1.0 / 64.0, 10);
    let wall = g * (lift * (lift + 1)) as f64 / 2.0;
    let mut q = vec![g; n];
    q[0] -= wall;
    q[n - 1] -= wall;
    let p = Lcp::new(laplacian(n), q).unwrap();
    for mut solver in all() {
        let name = solver.name();
        let s = solver.solve(&p);
        assert!(s.is_solved(), "{}: {:?} {:?}", name, s.status, s.residual);
        println!("string by {} sweeps or steps", s.statistics.iterations);
        for i in 0..n {
            let from_wall = (i + 1).min(n - i);
            let k = lift - from_wall.min(lift);
            let expected = g * (k * (k + 1)) as f64 / 2.0;
            assert!(
                (s.z[i] - expected).abs() < 1e-11,
                "{i}: {} {expected}",
                s.z[i]
            );
        }
    }
}

#[test]
fn the_methods_agree_on_positive_definite_problems() {
    let mut counts = [const { Vec::new() }; 4];
    for seed in 0..60 {
        let mut r = Random::new(seed);
        let n = 1 + (seed as usize * 7) % 100;
        let m = semidefinite(&mut r, n, n, 0.1 * n as f64, 0.0);
        let p = Lcp::new(m, r.vector(n)).unwrap();
        let mut first: Option<Vec<f64>> = None;
        for (k, mut solver) in all().into_iter().enumerate() {
            let name = solver.name();
            let s = solver.solve(&p);
            assert!(
                s.is_solved(),
                "{name} {seed}: {:?} {:?}",
                s.status,
                s.residual
            );
            assert!(s.residual.scaled < 1e-13, "{name} {seed}: {:?}", s.residual);
            counts[k].push(s.statistics.iterations);
            let first = first.get_or_insert_with(|| s.z.clone());
            for (a, b) in first.iter().zip(&s.z) {
                assert!((a - b).abs() < 1e-11, "{name} {seed}: {a} {b}");
            }
        }
    }
    for (name, c) in ["pgs", "newton", "newton min", "interior_point"]
        .iter()
        .zip(&counts)
    {
        report(&format!("positive definite, {name}"), c);
    }
}

#[test]
fn unsymmetric_p_matrices_are_solved_by_newton() {
    let mut counts = [Vec::new(), Vec::new()];
    for seed in 0..60 {
        let mut r = Random::new(1000 + seed);
        let n = 1 + (seed as usize * 5) % 60;
        // Triangular with a positive diagonal: P, not monotone, and far from symmetric.
        let m = Matrix::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Equal => 1.0 + r.signed().abs(),
            std::cmp::Ordering::Greater => 3.0 * r.signed() / (n as f64).sqrt(),
            std::cmp::Ordering::Less => 0.0,
        });
        let p = Lcp::new(m, r.vector(n)).unwrap();
        for (k, function) in [Function::FischerBurmeister, Function::Penalised]
            .into_iter()
            .enumerate()
        {
            let settings = newton::Settings {
                function,
                ..Default::default()
            };
            let mut solver = Newton::new(settings).unwrap();
            let s = solver.solve(&p);
            assert!(s.is_solved(), "{seed}: {:?} {:?}", s.status, s.residual);
            counts[k].push(s.statistics.iterations);
        }
    }
    report("P unsymmetric, Fischer-Burmeister", &counts[0]);
    report("P unsymmetric, penalised", &counts[1]);
}

#[test]
fn semidefinite_problems_with_a_solution_are_solved() {
    let mut counts = [Vec::new(), Vec::new()];
    for seed in 0..60 {
        let mut r = Random::new(2000 + seed);
        let n = 2 + (seed as usize * 5) % 60;
        let m = semidefinite(&mut r, n, n / 2, 0.0, if seed % 2 == 0 { 0.0 } else { 0.3 });
        let q = q_for_known_pair(&mut r, &m);
        let p = Lcp::new(m, q).unwrap();
        let mut interior = InteriorPoint::default();
        let s = interior.solve(&p);
        assert!(
            s.is_solved(),
            "{seed} n {n}: {:?} {:?} {:?}",
            s.status,
            s.residual,
            s.statistics
        );
        counts[0].push(s.statistics.iterations);
        let mut newton = Newton::default();
        let s = newton.solve(&p);
        assert!(
            s.is_solved(),
            "{seed} n {n}: {:?} {:?} {:?}",
            s.status,
            s.residual,
            s.statistics
        );
        counts[1].push(s.statistics.iterations);
    }
    report("semidefinite, interior_point", &counts[0]);
    report("semidefinite, newton", &counts[1]);
}

/// min ½ xᵀHx + cᵀx with A x ≥ b, x ≥ 0: M = [[H, −Aᵀ], [A, 0]].
fn quadratic_program(r: &mut Random, n: usize, rows: usize, rank: usize) -> (Matrix, Vec<f64>) {
    let h = semidefinite(r, n, rank, 0.0, 0.0);
    let a = r.matrix(rows, n);
    let m = Matrix::from_fn(n + rows, n + rows, |i, j| match (i < n, j < n) {
        (true, true) => h[(i, j)],
        (true, false) => -a[(j - n, i)],
        (false, true) => a[(i - n, j)],
        (false, false) => 0.0,
    });
    let q = q_for_known_pair(r, &m);
    (m, q)
}

#[test]
fn optimality_systems_of_quadratic_programs_are_solved() {
    let mut counts = [Vec::new(), Vec::new()];
    for seed in 0..60 {
        let mut r = Random::new(3000 + seed);
        let (n, rows) = (2 + seed as usize % 30, 1 + (seed as usize * 3) % 20);
        let (m, q) = quadratic_program(&mut r, n, rows, 1 + n / 2);
        let p = Lcp::new(m, q).unwrap();
        for (k, mut solver) in [
            Box::new(InteriorPoint::default()) as Box<dyn Solver>,
            Box::new(Newton::default()),
        ]
        .into_iter()
        .enumerate()
        {
            let name = solver.name();
            let s = solver.solve(&p);
            assert!(
                s.is_solved(),
                "{name} {seed}: {:?} {:?} {:?}",
                s.status,
                s.residual,
                s.statistics
            );
            counts[k].push(s.statistics.iterations);
        }
    }
    report("quadratic programs, interior_point", &counts[0]);
    report("quadratic programs, newton", &counts[1]);
}

fn mixed_bounds(r: &mut Random, n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut lower, mut upper) = (vec![-INF; n], vec![INF; n]);
    for i in 0..n {
        let c = 0.3 * r.signed();
        match i % 5 {
            0 => {}
            1 => lower[i] = c,
            2 => upper[i] = c,
            3 => (lower[i], upper[i]) = (c, c + 0.2),
            _ => (lower[i], upper[i]) = (if c > 0.2 { c } else { -0.3 }, c.max(-0.3)),
        }
    }
    (lower, upper)
}

#[test]
fn mixed_problems_with_free_and_boxed_unknowns_have_one_solution_for_all() {
    let mut counts = [Vec::new(), Vec::new(), Vec::new()];
    for seed in 0..60 {
        let mut r = Random::new(4000 + seed);
        let n = 1 + (seed as usize * 3) % 50;
        let m = semidefinite(&mut r, n, n, 0.1 * n as f64, 0.2);
        let (lower, upper) = mixed_bounds(&mut r, n);
        let p = Mlcp::new(m, r.vector(n), lower, upper).unwrap();
        let mut solvers: [Box<dyn MixedSolver>; 3] = [
            Box::new(Pgs::default()),
            Box::new(Newton::default()),
            Box::new(InteriorPoint::default()),
        ];
        let mut first: Option<Vec<f64>> = None;
        for (k, solver) in solvers.iter_mut().enumerate() {
            let s = solver.solve_mixed(&p);
            assert!(
                s.is_solved(),
                "{k} {seed}: {:?} {:?} {:?}",
                s.status,
                s.residual,
                s.statistics
            );
            counts[k].push(s.statistics.iterations);
            let first = first.get_or_insert_with(|| s.z.clone());
            for (a, b) in first.iter().zip(&s.z) {
                assert!((a - b).abs() < 1e-10, "{k} {seed}: {a} {b}");
            }
        }
    }
    for (name, c) in ["pgs", "newton", "interior_point"].iter().zip(&counts) {
        report(&format!("mixed, {name}"), c);
    }
}

#[test]
fn equality_constraints_as_free_multipliers_are_solved() {
    for seed in 0..30 {
        let mut r = Random::new(5000 + seed);
        let (n, rows) = (4 + seed as usize % 20, 1 + seed as usize % 4);
        let h = semidefinite(&mut r, n, n / 2, 0.0, 0.0);
        let a = r.matrix(rows, n);
        let m = Matrix::from_fn(n + rows, n + rows, |i, j| match (i < n, j < n) {
            (true, true) => h[(i, j)],
            (true, false) => -a[(j - n, i)],
            (false, true) => a[(i - n, j)],
            (false, false) => 0.0,
        });
        // A x = A x₀ with x₀ inside of the box: feasible and bounded, hence solvable.
        let mut q = r.vector(n);
        let inside: Vec<f64> = (0..n).map(|_| 0.5 + 0.4 * r.signed()).collect();
        q.extend(a.mul_vec(&inside).iter().map(|v| -v));
        let (mut lower, mut upper) = (vec![0.0; n], vec![1.0; n]);
        lower.resize(n + rows, -INF);
        upper.resize(n + rows, INF);
        let p = Mlcp::new(m, q, lower, upper).unwrap();
        let s = InteriorPoint::default().solve_mixed(&p).clone();
        assert!(
            s.is_solved(),
            "{seed}: {:?} {:?} {:?}",
            s.status,
            s.residual,
            s.statistics
        );
        let s = Newton::default().solve_mixed(&p).clone();
        assert!(
            s.is_solved(),
            "{seed}: {:?} {:?} {:?}",
            s.status,
            s.residual,
            s.statistics
        );
    }
}

#[test]
fn rows_and_columns_over_many_powers_of_two_do_not_stop_newton() {
    let mut counts = Vec::new();
    for seed in 0..60 {
        let mut r = Random::new(6000 + seed);
        let n = 1 + (seed as usize * 3) % 40;
        let m = semidefinite(&mut r, n, n, 0.1 * n as f64, 0.5);
        let q = r.vector(n);
        let mut power = |_| 2f64.powi((26.99 * r.signed()) as i32);
        let rows: Vec<f64> = (0..n).map(&mut power).collect();
        let cols: Vec<f64> = (0..n).map(&mut power).collect();
        let bad = Matrix::from_fn(n, n, |i, j| m[(i, j)] * rows[i] * cols[j]);
        let p = Lcp::new(bad, (0..n).map(|i| q[i] * rows[i]).collect()).unwrap();
        let mut solver = Newton::default();
        let s = solver.solve(&p);
        assert!(
            s.is_solved() && s.residual.scaled < 1e-13,
            "{seed}: {:?} {:?}",
            s.status,
            s.residual
        );
        counts.push(s.statistics.iterations);
    }
    report("badly scaled, newton", &counts);
}

#[test]
fn symmetric_bad_scaling_does_not_stop_the_interior_point() {
    let mut counts = Vec::new();
    for seed in 0..40 {
        let mut r = Random::new(6500 + seed);
        let n = 1 + (seed as usize * 3) % 40;
        let m = semidefinite(&mut r, n, n / 2 + 1, 0.0, 0.2);
        let q = q_for_known_pair(&mut r, &m);
        let d: Vec<f64> = (0..n)
            .map(|_| 2f64.powi((26.99 * r.signed()) as i32))
            .collect();
        let bad = Matrix::from_fn(n, n, |i, j| m[(i, j)] * d[i] * d[j]);
        let p = Lcp::new(bad, (0..n).map(|i| q[i] * d[i]).collect()).unwrap();
        let mut solver = InteriorPoint::default();
        let s = solver.solve(&p);
        assert!(s.is_solved(), "{seed}: {:?} {:?}", s.status, s.residual);
        counts.push(s.statistics.iterations);
    }
    report("badly scaled, interior_point", &counts);
}

#[test]
fn infeasible_monotone_problems_end_with_a_proof() {
    let mut proved = 0;
    for seed in 0..40 {
        let mut r = Random::new(7000 + seed);
        let n = 2 + seed as usize % 30;
        // yᵀM = 0 and yᵀq < 0 for a random y ≥ 0.
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
        let p = Lcp::new(m, q).unwrap();
        let s = InteriorPoint::default().solve(&p).clone();
        assert_eq!(
            s.status,
            Status::NoSolution,
            "{seed} n {n}: {:?} {:?}",
            s.residual,
            s.statistics
        );
        assert_eq!(s.proof.unwrap().check(&p), Ok(()));
        proved += 1;
        let s = Newton::default().solve(&p).clone();
        assert!(!s.is_solved(), "{seed}: {:?}", s.residual);
        let s = Pgs::default().solve(&p).clone();
        assert!(!s.is_solved(), "{seed}: {:?}", s.residual);
        let mixed = p.to_mlcp();
        let s = InteriorPoint::default().solve_mixed(&mixed).clone();
        assert_eq!(s.proof.unwrap().check_mixed(&mixed), Ok(()));
    }
    println!("{proved} of 40 proved infeasible");
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
    assert!(matches!(
        Newton::default().solve(&p).status,
        Status::Failed(_)
    ));
    assert_eq!(
        Pgs::default().solve(&p).status,
        Status::Failed(Failure::WrongClass)
    );
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
        let settings = pgs::Settings {
            polish_up_to: 0,
            ..Default::default()
        };
        let p = Lcp::new(m, vec![-5.0, 1.0]).unwrap();
        Pgs::new(settings).unwrap().solve(&p).clone()
    };
    assert!(
        matches!(
            s.status,
            Status::Failed(Failure::Stalled | Failure::Numerical)
        ),
        "{s:?}"
    );
}

#[test]
fn sparse_and_dense_sweeps_agree_without_polish() {
    let n = 30;
    let m = laplacian(n);
    let q: Vec<f64> = (0..n).map(|i| ((i * i) as f64).sin()).collect();
    for (relaxation, symmetric) in [(1.0, false), (1.7, false), (1.5, true)] {
        let settings = pgs::Settings {
            relaxation,
            symmetric,
            polish_up_to: 0,
            ..Default::default()
        };
        let mut solver = Pgs::new(settings).unwrap();
        let sparse = SparseLcp::new(SparseMatrix::from_dense(&m), q.clone()).unwrap();
        let a = solver.solve_sparse(&sparse).clone();
        let b = solver.solve(&sparse.to_dense()).clone();
        assert!(a.is_solved() && b.is_solved());
        println!(
            "omega {relaxation} symmetric {symmetric}: {} sweeps",
            a.statistics.iterations
        );
        for (a, b) in a.z.iter().zip(&b.z) {
            assert!((a - b).abs() < 1e-8);
        }
        for (a, b) in
            a.w.iter()
                .zip(sparse.to_dense().m().mul_vec(&a.z).iter().zip(&q))
        {
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
        let settings = pgs::Settings {
            relaxation,
            polish_up_to: 0,
            max_sweeps: 20_000,
            ..Default::default()
        };
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
        assert!(
            Pgs::new(pgs::Settings {
                relaxation,
                ..Default::default()
            })
            .is_err()
        );
    }
    for tolerance in [0.0, 2.0, f64::NAN] {
        assert!(
            Pgs::new(pgs::Settings {
                tolerance,
                ..Default::default()
            })
            .is_err()
        );
        assert!(
            Newton::new(newton::Settings {
                tolerance,
                ..Default::default()
            })
            .is_err()
        );
        let settings = interior_point::Settings {
            tolerance,
            ..Default::default()
        };
        assert!(InteriorPoint::new(settings).is_err());
    }
    let settings = interior_point::Settings {
        step_share: 1.0,
        ..Default::default()
    };
    assert!(InteriorPoint::new(settings).is_err());
    assert!(
        Newton::new(newton::Settings {
            max_steps: 0,
            ..Default::default()
        })
        .is_err()
    );
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
