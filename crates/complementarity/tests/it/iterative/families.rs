//! Families of problems: each is solved, by each method that should.

use super::making::*;
use complementarity::newton::{self, NcpFunction};
use complementarity::{InteriorPoint, Lcp, Matrix, MixedSolver, Mlcp, Newton, Pgs, Solver};

#[test]
fn one_unknown_has_its_closed_form() {
    for mut solver in all() {
        for (m, q) in [(2.0, -3.0), (2.0, 3.0), (1e-9, -1e9), (1e200, -1.0), (0.5, 0.0)] {
            let p = Lcp::new(Matrix::from_fn(1, 1, |_, _| m), vec![q]).unwrap();
            let s = solver.solve(&p);
            assert!(s.is_solved(), "{m} {q}: {s:?}");
            let expected = (-q / m).max(0.0);
            assert!((s.z[0] - expected).abs() <= 1e-15 * expected.abs(), "{m} {q}: {s:?}");
        }
    }
}

#[test]
fn a_diagonal_problem_has_its_closed_form() {
    let n = 12;
    let m = Matrix::from_fn(n, n, |i, j| if i == j { 2f64.powi(i as i32 - 6) } else { 0.0 });
    let q: Vec<f64> =
        (0..n).map(|i| (i as f64 - 5.0) * if i % 2 == 0 { 1.0 } else { -2.0 }).collect();
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
            assert!((s.z[i] - expected).abs() < 1e-11, "{i}: {} {expected}", s.z[i]);
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
            assert!(s.is_solved(), "{name} {seed}: {:?} {:?}", s.status, s.residual);
            assert!(s.residual.scaled < 1e-13, "{name} {seed}: {:?}", s.residual);
            counts[k].push(s.statistics.iterations);
            let first = first.get_or_insert_with(|| s.z.clone());
            for (a, b) in first.iter().zip(&s.z) {
                assert!((a - b).abs() < 1e-11, "{name} {seed}: {a} {b}");
            }
        }
    }
    for (name, c) in ["pgs", "newton", "newton min", "interior_point"].iter().zip(&counts) {
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
        for (k, function) in
            [NcpFunction::FischerBurmeister, NcpFunction::Penalised].into_iter().enumerate()
        {
            let settings = newton::Settings { function, ..Default::default() };
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
        assert!(s.is_solved(), "{seed} n {n}: {:?} {:?} {:?}", s.status, s.residual, s.statistics);
        counts[0].push(s.statistics.iterations);
        let mut newton = Newton::default();
        let s = newton.solve(&p);
        assert!(s.is_solved(), "{seed} n {n}: {:?} {:?} {:?}", s.status, s.residual, s.statistics);
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
        for (k, mut solver) in
            [Box::new(InteriorPoint::default()) as Box<dyn Solver>, Box::new(Newton::default())]
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
        assert!(s.is_solved(), "{seed}: {:?} {:?} {:?}", s.status, s.residual, s.statistics);
        let s = Newton::default().solve_mixed(&p).clone();
        assert!(s.is_solved(), "{seed}: {:?} {:?} {:?}", s.status, s.residual, s.statistics);
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
        let d: Vec<f64> = (0..n).map(|_| 2f64.powi((26.99 * r.signed()) as i32)).collect();
        let bad = Matrix::from_fn(n, n, |i, j| m[(i, j)] * d[i] * d[j]);
        let p = Lcp::new(bad, (0..n).map(|i| q[i] * d[i]).collect()).unwrap();
        let mut solver = InteriorPoint::default();
        let s = solver.solve(&p);
        assert!(s.is_solved(), "{seed}: {:?} {:?}", s.status, s.residual);
        counts.push(s.statistics.iterations);
    }
    report("badly scaled, interior_point", &counts);
}
