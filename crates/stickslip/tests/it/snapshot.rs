//! Systems given by M, H and forces: paper 2's (i) to (iv) at the level of accelerations, and steps that agree with them.

use complementarity::Matrix;
use stickslip::contact::set::ConvexSet;
use stickslip::contact::solve::ContactSolver;
use stickslip::contact::{Kind, Law, Mode};
use stickslip::level::{Level, Snapshot};

const AXES: [f64; 3] = [1.0, 0.8, 0.3];
const MASS: [f64; 4] = [2.0, 2.0, 2.0, 0.15];

fn patch() -> Law {
    Law::with_set(0.4, ConvexSet::Ellipsoid(AXES.to_vec()))
}

fn diagonal(d: &[f64]) -> Matrix {
    Matrix::from_fn(d.len(), d.len(), |i, j| if i == j { d[i] } else { 0.0 })
}

/// A body on one patch: velocities z, x, y and the turn; 20 N of weight.
fn body(pull: [f64; 3], velocity: [f64; 3]) -> Snapshot {
    let forces = vec![-20.0, pull[0], pull[1], pull[2]];
    let velocity = vec![0.0, velocity[0], velocity[1], velocity[2]];
    Snapshot::new(diagonal(&MASS), Matrix::identity(4), forces, velocity).unwrap()
}

#[test]
fn a_contact_rolls_up_to_the_threshold_and_its_slip_counts_spin_with_the_lever_of_the_set() {
    let level = Level::Acceleration(1e-3);
    let sliding = |v: [f64; 3]| {
        body([0.0; 3], v).pose(&[patch()], level).unwrap().laws()[0].sliding.is_some()
    };
    assert!(!sliding([0.9e-3, 0.0, 0.0]) && sliding([1.1e-3, 0.0, 0.0]));
    // e_r = 0.3: a spin of 3.3e-3 is a slip of 0.99e-3.
    assert!(!sliding([0.0, 0.0, 3.3e-3]) && sliding([0.0, 0.0, -3.4e-3]));
}

#[test]
fn friction_of_a_sliding_contact_takes_most_power_from_its_velocity_whatever_the_pull() {
    let v = [0.3, -0.2, 1.5];
    let size = v.iter().zip(AXES).map(|(v, e)| (v * e).powi(2)).sum::<f64>().sqrt();
    for pull in [[0.0; 3], [30.0, -4.0, 2.0], [-3.0, 8.0, -7.0]] {
        let snapshot = body(pull, v);
        let problem = snapshot.pose(&[patch()], Level::Acceleration(0.0)).unwrap();
        let mut solver = ContactSolver::default();
        let answer = solver.solve(&problem);
        assert!(answer.is_solved());
        assert_eq!(answer.mode(&problem, 0), Mode::Slip);
        let change = snapshot.change(&answer.impulse, 1.0).unwrap();
        for i in 0..3 {
            // [2] the equations of (iv) with σ = v.
            let friction = -0.4 * 20.0 * AXES[i].powi(2) * v[i] / size;
            assert!((answer.impulse[1 + i] - friction).abs() < 1e-9);
            assert!((change[1 + i] - (pull[i] + friction) / MASS[1 + i]).abs() < 1e-9);
        }
    }
}

#[test]
fn a_rolling_contact_stays_or_leaves_by_the_limit_surface() {
    for (pull, mode) in [([5.0, 2.0, 1.4], Mode::Stick), ([5.0, 2.0, 1.9], Mode::Slip)] {
        let gauge = pull.iter().zip(AXES).map(|(p, e)| (p / e / 8.0).powi(2)).sum::<f64>();
        assert_eq!(gauge < 1.0, mode == Mode::Stick);
        let problem = body(pull, [0.0; 3]).pose(&[patch()], Level::Acceleration(0.0)).unwrap();
        let mut solver = ContactSolver::default();
        let answer = solver.solve(&problem);
        assert!(answer.is_solved());
        assert_eq!(answer.mode(&problem, 0), mode);
    }
}

#[test]
fn short_steps_agree_with_accelerations_to_first_order() {
    let snapshot = body([3.0, -1.0, 0.2], [0.3, -0.2, 1.5]);
    let mut solver = ContactSolver::default();
    let problem = snapshot.pose(&[patch()], Level::Acceleration(0.0)).unwrap();
    let force = solver.solve(&problem).impulse.clone();
    let mut last = f64::INFINITY;
    for dt in [1e-2, 1e-3, 1e-4] {
        let problem = snapshot.pose(&[patch()], Level::Step(dt)).unwrap();
        let answer = solver.solve(&problem);
        assert!(answer.is_solved());
        let off = |(i, f): (f64, f64)| (i / dt - f).abs();
        let off = answer.impulse.iter().copied().zip(force.iter().copied()).map(off);
        let off = off.fold(0.0, f64::max);
        assert!(off < 0.11 * last, "{dt}: {off} after {last}");
        last = off;
    }
}

#[test]
fn every_level_has_its_own_bias_and_radius() {
    // A planar contact, a frictionless one and a connection, coupled by M.
    let mass = Matrix::from_rows(&[
        [2.0, 0.5, 0.0, 0.0],
        [0.5, 3.0, 0.0, 0.2],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.2, 0.0, 4.0],
    ])
    .unwrap();
    let laws = [
        Law { radius: 0.7, ..Law::coulomb(0.3).with_restitution(0.5, 0.25) },
        Law::frictionless().with_restitution(0.5, 0.0),
        Law { eps_n: 0.5, ..Law::bilateral(1) },
    ];
    let (force, u) = (vec![1.0, -2.0, 3.0, 0.5], vec![-1.0, 2.0, -3.0, 4.0]);
    let mut snapshot = Snapshot::new(mass, Matrix::identity(4), force, u.clone()).unwrap();
    snapshot.convective = vec![0.1, 0.2, 0.3, 0.4];
    let free = snapshot.change(&[0.0; 4], 1.0).unwrap();
    let pose = |level| snapshot.pose(&laws, level).unwrap();
    let eps = [0.5, 0.25, 0.5, 0.0];
    let (step, impact, acceleration) =
        (pose(Level::Step(0.1)), pose(Level::Impact), pose(Level::Acceleration(0.0)));
    for r in 0..4 {
        let before = (1.0 + eps[r]) * u[r];
        let convective = 0.1 * (r + 1) as f64;
        assert!((step.bias()[r] - before - 0.1 * (free[r] + convective)).abs() < 1e-14);
        assert!((impact.bias()[r] - before).abs() < 1e-14);
        assert!((acceleration.bias()[r] - free[r] - convective).abs() < 1e-14);
    }
    let radii = [&step, &impact, &acceleration].map(|p| p.laws()[0].radius);
    assert!((radii[0] - 0.07).abs() < 1e-15 && radii[1] == 0.0 && radii[2] == 0.7);
    assert!(step.laws()[0].sliding.is_none());
    assert_eq!(acceleration.laws()[0].sliding, Some([2.0, 0.0, 0.0]));
    assert!(acceleration.laws()[1].sliding.is_none() && acceleration.laws()[2].sliding.is_none());
    // W M = 1 for H = 1, and M is not diagonal.
    assert!(acceleration.delassus().to_dense().row(0)[1] < 0.0);
    assert_eq!(laws[2].kind, Kind::Bilateral(1));
}

#[test]
fn misuse_names_the_place() {
    let new = |mass, h, f: usize, u: usize| Snapshot::new(mass, h, vec![0.0; f], vec![0.0; u]);
    let text = |r: Result<Snapshot, stickslip::Error>| r.unwrap_err().to_string();
    let eye = Matrix::identity;
    assert!(text(new(eye(3), eye(2), 3, 3)).contains("directions H"));
    assert!(text(new(eye(3), eye(3), 2, 3)).contains("forces has 2"));
    assert!(text(new(Matrix::zeros(0, 0), eye(0), 0, 0)).contains("mass matrix"));
    assert!(text(new(diagonal(&[1.0, -1.0, 1.0]), eye(3), 3, 3)).contains("pivot of row 1"));
    let tilted = Matrix::from_rows(&[[1.0, 0.5], [0.0, 1.0]]).unwrap();
    assert!(text(new(tilted, eye(2), 2, 2)).contains("mass[1][0]"));
    let mut good = new(eye(3), eye(3), 3, 3).unwrap();
    let law = [Law::disc(0.5)];
    assert!(good.pose(&[Law::coulomb(0.5)], Level::Impact).is_err());
    assert!(good.pose(&law, Level::Acceleration(f64::NAN)).is_err());
    assert!(good.change(&[0.0], 1.0).is_err());
    good.velocity[1] = f64::NAN;
    assert!(good.pose(&law, Level::Acceleration(0.0)).is_err());
    good.velocity.pop();
    assert!(good.pose(&law, Level::Impact).is_err());
}
