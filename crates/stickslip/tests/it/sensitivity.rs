//! Derivatives of solutions: against closed forms, against differences of solutions, one-sided at changes of mode.

use complementarity::Matrix;
use stickslip::contact::analysis::sensitivity::{Change, Sensitivity, Unknown, Variation};
use stickslip::contact::set::ConvexSet;
use stickslip::contact::set::Polyhedron;
use stickslip::contact::solve;
use stickslip::contact::solve::{ContactSolver, Formulation, Settings};
use stickslip::contact::{ContactProblem, Law};
use stickslip::level::{Level, Snapshot};
use stickslip::{Error, contact};

fn solver() -> ContactSolver {
    let settings =
        Settings { formulation: Formulation::Cone, tolerance: 1e-12, ..solve::Settings::default() };
    ContactSolver::new(settings).unwrap()
}

fn solved(problem: &ContactProblem) -> Option<Vec<f64>> {
    let mut solver = solver();
    let answer = solver.solve(problem);
    answer.is_solved().then(|| answer.impulse.clone())
}

/// The problem with the parameter at p.
fn moved(problem: &ContactProblem, v: &Variation, p: f64) -> ContactProblem {
    let w = problem.delassus().to_dense();
    let n = w.rows();
    let w = Matrix::from_fn(n, n, |i, j| w.row(i)[j] + p * v.delassus.row(i)[j]);
    let b = problem.bias().iter().zip(&v.bias).map(|(b, d)| b + p * d).collect();
    let laws = problem.laws().iter().enumerate();
    let laws = laws.map(|(i, l)| Law {
        mu: l.mu + p * v.mu[i],
        radius: l.radius + p * v.radius[i],
        ..l.clone()
    });
    ContactProblem::new(w, b, laws.collect()).unwrap()
}

fn near(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    let size = a.iter().chain(b).fold(1.0_f64, |m, v| m.max(v.abs()));
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance * size, "{a:?} and {b:?}");
    }
}

fn laws() -> Vec<Law> {
    let square = Polyhedron::new(&[[1.0, 0.2], [-1.0, 0.1], [0.3, 1.0], [0.1, -1.0]]).unwrap();
    vec![
        Law::frictionless(),
        Law::coulomb(0.4),
        Law::coulomb(1.2).with_restitution(0.0, 0.0),
        Law { radius: 0.3, ..Law::coulomb(0.2) },
        Law::disc(0.6),
        Law::with_set(0.5, ConvexSet::Ellipsoid(vec![1.0, 0.4])),
        Law::with_set(0.5, ConvexSet::Ellipsoid(vec![1.0, 0.7, 0.3])),
        Law::with_set(0.7, ConvexSet::Mixed { ellipse: [1.0, 0.8], spin: 0.2 }),
        Law::with_set(0.7, ConvexSet::Polyhedron(square)),
        Law::bilateral(2),
        Law::dry(0.4, ConvexSet::Interval),
        Law::disc(0.3).sliding_with([0.4, -0.8, 0.0]),
    ]
}

/// A random positive definite W = Hᵀ H + small, a bias and a variation.
fn problem(chosen: &[usize], x: &[f64]) -> (ContactProblem, Variation) {
    let all = laws();
    let laws: Vec<Law> = chosen.iter().map(|&i| all[i].clone()).collect();
    let n: usize = laws.iter().map(Law::components).sum();
    let at = |k: usize| x[k % x.len()];
    let h = Matrix::from_fn(n, n, |i, j| at(7 * i + 3 * j + 1) + if i == j { 1.5 } else { 0.0 });
    let product =
        |m: &Matrix, i: usize, j: usize| -> f64 { (0..n).map(|k| m.row(i)[k] * m.row(j)[k]).sum() };
    let w = Matrix::from_fn(n, n, |i, j| product(&h, i, j) + if i == j { 0.2 } else { 0.0 });
    let b = (0..n).map(|i| 2.0 * at(5 * i + 2)).collect();
    let problem = ContactProblem::new(w, b, laws).unwrap();
    let mut v = Variation::none(&problem);
    for i in 0..n {
        for j in 0..=i {
            v.delassus.row_mut(i)[j] = 0.3 * at(11 * i + 2 * j);
            v.delassus.row_mut(j)[i] = v.delassus.row(i)[j];
        }
        v.bias[i] = at(13 * i + 4);
    }
    for (i, law) in problem.laws().iter().enumerate() {
        if law.tangents() > 0 && law.mu > 0.0 {
            v.mu[i] = at(17 * i);
        }
        if law.radius > 0.0 {
            v.radius[i] = at(19 * i + 3);
        }
    }
    (problem, v)
}

/// Compares the derivative with differences of solutions; false if these do not converge there, or the solution is not
/// regular.
fn agrees_with_differences(chosen: &[usize], x: &[f64]) -> bool {
    let (problem, v) = problem(chosen, x);
    let Some(impulse) = solved(&problem) else { return false };
    let Ok(sensitivity) = Sensitivity::of(&problem, &impulse) else { return false };
    if !sensitivity.at_change().is_empty() {
        return false;
    }
    let slope = sensitivity.along(&v).unwrap();
    let derivative = slope.unique().expect("a regular solution has one");
    assert!(derivative.both_sides);
    let difference = |p: f64| -> Option<Vec<f64>> {
        let (a, b) = (solved(&moved(&problem, &v, -p))?, solved(&moved(&problem, &v, p))?);
        Some(a.iter().zip(&b).map(|(a, b)| (b - a) / (2.0 * p)).collect())
    };
    let (Some(wide), Some(fine)) = (difference(2e-4), difference(1e-4)) else { return false };
    let size = fine.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
    if wide.iter().zip(&fine).any(|(a, b)| (a - b).abs() > 1e-5 * size) {
        return false;
    }
    for (d, f) in derivative.impulse.iter().zip(&fine) {
        assert!((d - f).abs() <= 1e-5 * size, "{:?} and {fine:?}", derivative.impulse);
    }
    true
}

#[test]
fn derivatives_are_the_limits_of_differences_for_every_law() {
    let mut seed = 1_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for first in 0..laws().len() {
        let mut compared = 0;
        for round in 0..120 {
            let x: Vec<f64> = (0..41).map(|_| random()).collect();
            let others = [(first + round) % 12, (first + 5 * round + 1) % 12];
            let chosen = [&[first][..], &others[..round % 3]].concat();
            compared += usize::from(agrees_with_differences(&chosen, &x));
        }
        assert!(compared >= 80, "law {first}: only {compared} of 120 could be compared");
    }
}

/// A body in the plane (x, y, turn) touching the floor at two points, the second one without friction.
fn bench(mass: f64, left: f64, pull: f64) -> (Matrix, Matrix, Vec<f64>) {
    let m =
        Matrix::from_rows(&[[mass, 0.0, 0.0], [0.0, mass, 0.0], [0.0, 0.0, 0.4 * mass]]).unwrap();
    // Columns N, T of contact 1, N of contact 2; the centre is 0.5 above the floor.
    let h = Matrix::from_rows(&[[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [-left, 0.5, 0.7]]).unwrap();
    (m, h, vec![pull, -9.81 * mass, 0.3])
}

fn bench_problem(p: [f64; 3], slip: f64, level: Level) -> (Snapshot, ContactProblem) {
    let (m, h, f) = bench(p[0], p[1], p[2]);
    let snapshot = Snapshot::new(m, h, f, vec![slip, 0.0, 0.0]).unwrap();
    let laws = [Law::coulomb(0.7), Law::frictionless()];
    let problem = snapshot.pose(&laws, level).unwrap();
    (snapshot, problem)
}

#[test]
fn masses_positions_and_forces_move_accelerations_and_velocities_as_differences_say() {
    let one = |i: usize, j: usize| {
        Matrix::from_fn(3, 3, |a, b| if (a, b) == (i, j) { -1.0 } else { 0.0 })
    };
    let changes = [
        Change {
            mass: Some(Matrix::from_fn(3, 3, |i, j| if i == j { [1.0, 1.0, 0.4][i] } else { 0.0 })),
            forces: Some(vec![0.0, -9.81, 0.0]),
            ..Change::default()
        },
        Change { directions: Some(one(2, 0)), ..Change::default() },
        Change { forces: Some(vec![1.0, 0.0, 0.0]), ..Change::default() },
    ];
    let laws = [Law::coulomb(0.7), Law::frictionless()];
    for (level, slip) in [
        (Level::Acceleration(0.0), 0.5),
        (Level::Acceleration(0.0), 0.0),
        (Level::Step(0.01), 0.02),
    ] {
        let at = [2.0, 0.6, 4.0];
        let dt = if let Level::Step(dt) = level { dt } else { 1.0 };
        let (snapshot, problem) = bench_problem(at, slip, level);
        let impulse = solved(&problem).unwrap();
        let sensitivity = Sensitivity::of(&problem, &impulse).unwrap();
        for (which, change) in changes.iter().enumerate() {
            let exact = snapshot.vary(change, &laws, level).unwrap();
            let pose = |p: f64| {
                let mut q = at;
                q[which] = p;
                Ok::<_, Error>(bench_problem(q, slip, level).1)
            };
            let (numeric, error) = Variation::by_differences(at[which], 1e-2, pose).unwrap();
            assert!(error < 1e-8, "{error}");
            near(exact.delassus.as_slice(), numeric.delassus.as_slice(), 1e-9);
            near(&exact.bias, &numeric.bias, 1e-9);
            let slope = sensitivity.along(&exact).unwrap();
            let derivative = slope.unique().unwrap();
            let motion = |p: f64| {
                let mut q = at;
                q[which] = p;
                let (snapshot, problem) = bench_problem(q, slip, level);
                snapshot.change(&solved(&problem).unwrap(), dt).unwrap()
            };
            let (a, b) = (motion(at[which] - 1e-4), motion(at[which] + 1e-4));
            let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (b - a) / 2e-4).collect();
            let rate = snapshot.change_rate(change, &impulse, &derivative.impulse, dt).unwrap();
            near(&rate, &differences, 1e-6);
        }
    }
}

#[test]
fn the_friction_of_a_sliding_contact_turns_with_its_slip() {
    let law = Law::disc(0.5);
    let make = |vx: f64| {
        Snapshot::new(
            Matrix::identity(3),
            Matrix::identity(3),
            vec![-9.0, 1.0, 0.0],
            vec![0.0, vx, 0.7],
        )
        .unwrap()
    };
    let level = Level::Acceleration(0.0);
    let change = Change { velocity: Some(vec![0.0, 1.0, 0.0]), ..Change::default() };
    let snapshot = make(0.4);
    let problem = snapshot.pose(std::slice::from_ref(&law), level).unwrap();
    let variation = snapshot.vary(&change, std::slice::from_ref(&law), level).unwrap();
    let impulse = solved(&problem).unwrap();
    let slope = Sensitivity::of(&problem, &impulse).unwrap().along(&variation).unwrap();
    // Λ_T = −μ N v/|v|: its derivative is −μ N (1 − e eᵀ)/|v| e_x.
    let (v, n) = ([0.4, 0.7], 9.0);
    let speed2: f64 = v[0] * v[0] + v[1] * v[1];
    let wanted = [
        0.0,
        -0.5 * n * (1.0 - v[0] * v[0] / speed2) / speed2.sqrt(),
        0.5 * n * v[0] * v[1] / speed2 / speed2.sqrt(),
    ];
    near(&slope.unique().unwrap().impulse, &wanted, 1e-12);
}

#[test]
fn at_the_limit_of_friction_more_pull_slips_and_less_sticks() {
    // A block of 2 kg, pulled with just μ m g.
    for law in [Law::coulomb(0.5), Law::disc(0.5)] {
        let d = law.components();
        let w = Matrix::from_fn(d, d, |i, j| if i == j { 0.5 } else { 0.0 });
        let mut bias = vec![0.0; d];
        (bias[0], bias[1]) = (-10.0, 5.0);
        let problem = ContactProblem::new(w, bias, vec![law]).unwrap();
        let mut impulse = vec![0.0; d];
        (impulse[0], impulse[1]) = (20.0, -10.0);
        let sensitivity = Sensitivity::of(&problem, &impulse).unwrap();
        assert_eq!(sensitivity.at_change(), [0]);
        let mut pull = Variation::none(&problem);
        pull.bias[1] = 0.5; // 1 N more.
        let right = sensitivity.along(&pull).unwrap();
        let left = sensitivity.along(&pull.reversed()).unwrap();
        let (right, left) = (right.unique().unwrap(), left.unique().unwrap());
        assert!(!right.both_sides && !left.both_sides);
        assert!((right.velocity[1] - 0.5).abs() < 1e-12 && right.impulse[1].abs() < 1e-12);
        assert!(left.velocity[1].abs() < 1e-12 && (left.impulse[1] - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_contact_about_to_open_opens_to_one_side_and_bears_to_the_other() {
    let w = Matrix::from_rows(&[[0.5, 0.0], [0.0, 0.5]]).unwrap();
    let problem = ContactProblem::new(w, vec![0.0, 1.0], vec![Law::coulomb(0.4)]).unwrap();
    let sensitivity = Sensitivity::of(&problem, &[0.0, 0.0]).unwrap();
    let mut lift = Variation::none(&problem);
    lift.bias[0] = 1.0;
    let up = sensitivity.along(&lift).unwrap();
    near(&up.unique().unwrap().velocity, &[1.0, 0.0], 1e-12);
    let down = sensitivity.along(&lift.reversed()).unwrap();
    near(&down.unique().unwrap().impulse, &[2.0, -0.8], 1e-12);
    // Without slip the whole law decides: pressed and pulled below the limit it sticks, above it slips.
    let w = Matrix::from_rows(&[[0.5, 0.0], [0.0, 0.5]]).unwrap();
    let problem = ContactProblem::new(w, vec![0.0, 0.0], vec![Law::coulomb(0.4)]).unwrap();
    let sensitivity = Sensitivity::of(&problem, &[0.0, 0.0]).unwrap();
    for (pull, wanted) in [(0.3, [2.0, -0.6]), (0.7, [2.0, -0.8]), (-0.7, [2.0, 0.8])] {
        let mut press = Variation::none(&problem);
        (press.bias[0], press.bias[1]) = (-1.0, pull);
        let slope = sensitivity.along(&press).unwrap();
        near(&slope.unique().unwrap().impulse, &wanted, 1e-12);
    }
}

#[test]
fn where_a_painleve_branch_ends_there_is_no_derivative_to_one_side_and_two_to_the_other() {
    // Effective inverse mass W_NN − μ W_NT < 0: bias 0 is the fold of the two solutions.
    let w = Matrix::from_rows(&[[1.0, 1.0], [1.0, 2.0]]).unwrap();
    let law = Law::coulomb(1.5).sliding_with([1.0, 0.0, 0.0]);
    let problem = ContactProblem::new(w, vec![0.0, 1.0], vec![law]).unwrap();
    let sensitivity = Sensitivity::of(&problem, &[0.0, 0.0]).unwrap();
    let mut lift = Variation::none(&problem);
    lift.bias[0] = 1.0;
    assert_eq!(sensitivity.along(&lift).unwrap().derivatives.len(), 2);
    let none = sensitivity.along(&lift.reversed()).unwrap();
    assert!(none.derivatives.is_empty() && none.complete && none.unique().is_none());
}

#[test]
fn velocities_of_redundant_contacts_have_derivatives_though_impulses_are_not_unique() {
    // One mass held by the same contact twice.
    let w = Matrix::from_fn(2, 2, |_, _| 0.5);
    let laws = vec![Law::frictionless(), Law::frictionless()];
    let problem = ContactProblem::new(w, vec![-1.0, -1.0], laws).unwrap();
    let sensitivity = Sensitivity::of(&problem, &[1.0, 1.0]).unwrap();
    let mut press = Variation::none(&problem);
    press.bias = vec![-1.0, -1.0];
    let slope = sensitivity.along(&press).unwrap();
    let derivative = slope.unique().unwrap();
    assert!(!derivative.impulses_unique);
    near(&derivative.velocity, &[0.0, 0.0], 1e-12);
    near(&derivative.impulse, &[1.0, 1.0], 1e-12);
}

#[test]
fn what_has_no_derivative_is_refused_by_name() {
    let w = Matrix::identity(3);
    let problem = ContactProblem::new(w, vec![0.0; 3], vec![Law::disc(0.5)]).unwrap();
    let refused = Sensitivity::of(&problem, &[0.0; 3]).unwrap_err();
    assert_eq!(refused, contact::Error::NoDerivative { contact: 0, why: Unknown::Apex });
    assert!(Sensitivity::of(&problem, &[1.0, 0.0, 0.0]).is_err(), "not a solution");
    let open = ContactProblem::new(Matrix::identity(3), vec![1.0, 0.0, 0.0], vec![Law::disc(0.5)])
        .unwrap();
    let sensitivity = Sensitivity::of(&open, &[0.0; 3]).unwrap();
    let mut wrong = Variation::none(&open);
    wrong.bias.push(0.0);
    assert!(matches!(sensitivity.along(&wrong), Err(contact::Error::Size { .. })));
    let mut wrong = Variation::none(&open);
    wrong.mu[0] = f64::NAN;
    assert!(matches!(sensitivity.along(&wrong), Err(contact::Error::Overflow { .. })));
}
