//! Sliding contacts, the law without De Saxcé's correction, and Newton's method for every law.

use super::*;
use crate::projection::FrictionCone;
use crate::set::samples;
use complementarity::{Failure, Status};

/// A contact whose friction is along these components, against its slip.
fn sliding(mu: f64, radius: f64, friction: &[f64]) -> Law {
    let mut slip = [0.0; MAX_TANGENTS];
    slip.iter_mut().zip(friction).for_each(|(s, f)| *s = -f);
    let law = if friction.len() == 1 { Law::coulomb(mu) } else { Law::disc(mu) };
    Law { radius, ..law.sliding_with(slip) }
}

/// One planar contact that slides, with W_NN = 1, W_NT = `coupling`.
fn rod(mu: f64, radius: f64, coupling: f64, b_n: f64) -> ContactProblem {
    let w = Matrix::from_rows(&[[1.0, coupling], [coupling, 4.0]]).unwrap();
    ContactProblem::new(w.clone(), vec![b_n, 0.3], vec![sliding(mu, radius, &[-1.0])]).unwrap()
}

fn sliding_solvers() -> Vec<Box<dyn Method>> {
    vec![Box::new(Cascade::default()), Box::new(Nsgs::default()), Box::new(ConeNewton::default())]
}

#[test]
fn a_contact_that_slides_has_its_closed_form() {
    for (mu, radius, coupling, b_n) in [
        (0.5, 0.0, 0.8, -1.0),
        (0.5, 0.3, 0.8, -1.0),
        (0.5, 0.3, -1.5, -1.0),
        (0.5, 0.3, -1.5, 0.2),
    ] {
        let problem = rod(mu, radius, coupling, b_n);
        let normal = (-(b_n - radius * coupling) / (1.0 - mu * coupling)).max(0.0);
        for solver in &mut sliding_solvers() {
            let s = solver.solve(&problem);
            assert!(s.is_solved(), "{:?}", s.certificate);
            assert!((s.impulse[0] - normal).abs() < 1e-8, "{:?}", s.impulse);
            assert!((s.impulse[1] + mu * normal + radius).abs() < 1e-8, "{:?}", s.impulse);
        }
    }
}

#[test]
fn painleves_contact_without_a_solution_is_not_called_solved() {
    // W_NN + μ W_NT f = 1 − 2 · 0.8 < 0.
    for solver in &mut sliding_solvers() {
        assert!(!solver.solve(&rod(2.0, 0.0, 0.8, -1.0)).is_solved());
    }
    // With b_N > 0 there are two: the open contact, and Λ_N = b_N / 0.6.
    let two = rod(2.0, 0.0, 0.8, 1.0);
    for solver in &mut sliding_solvers() {
        let s = solver.solve(&two);
        assert!(s.is_solved());
        assert!(s.impulse[0] == 0.0 || (s.impulse[0] - 1.0 / 0.6).abs() < 1e-8, "{:?}", s.impulse);
    }
    let pressed = [1.0 / 0.6, -2.0 / 0.6];
    assert!(two.certificate(&pressed).unwrap().worst < 1e-15);
}

#[test]
fn friction_off_the_ray_of_a_sliding_contact_is_named() {
    let problem = rod(0.5, 0.0, 0.0, -1.0);
    assert_eq!(problem.certificate(&[1.0, -0.5]).unwrap().worst, 0.0);
    for wrong in [-0.4, -0.6, 0.5] {
        let r = problem.certificate(&[1.0, wrong]).unwrap();
        assert!(r.cone.value > 0.05 * f64::abs(wrong + 0.5), "{r:?}");
        assert_eq!((r.worst, r.dissipation.value), (r.cone.value, 0.0));
    }
}

#[test]
fn methods_of_cones_decline_a_sliding_contact_which_auto_takes_out() {
    let problem = rod(0.5, 0.0, 0.3, -1.0);
    for solver in [&mut Admm::default() as &mut dyn Method, &mut ConeInteriorPoint::default()] {
        assert_eq!(solver.solve(&problem).status, Status::Failed(Failure::WrongClass));
    }
    let mut auto = Cascade::default();
    assert!(!auto.solve(&rod(2.0, 0.0, 0.8, -1.0)).is_solved());
    let reduced = auto.attempts().iter().position(|a| a.method == "reduced").unwrap();
    let inside = |name| auto.attempts()[..reduced].iter().any(|a| a.method == name);
    assert!(inside("admm") && inside("interior_point"), "{:?}", auto.attempts());
}

#[test]
fn bad_sliding_laws_are_refused() {
    let try_law = |law: Law| {
        let n = 2;
        ContactProblem::new(Matrix::identity(n), vec![0.0; n], vec![law])
    };
    assert!(try_law(sliding(0.5, 0.0, &[1.0])).is_ok());
    for law in [
        sliding(0.5, 0.0, &[0.0]),
        sliding(0.5, 0.0, &[1.0, 0.0]),
        sliding(0.5, 0.0, &[f64::NAN]),
        sliding(-0.5, 0.0, &[1.0]),
        sliding(0.5, f64::INFINITY, &[1.0]),
    ] {
        assert!(matches!(try_law(law), Err(Error::Range { .. }) | Err(Error::Size { .. })));
    }
}

/// W = 1 + a coupling, so that every law has one solution and nothing is hard but the law.
fn gentle(n: usize, numbers: &mut samples::Numbers) -> (Matrix, Vec<f64>) {
    let h: Vec<f64> = (0..n * n).map(|_| numbers.next()).collect();
    let w = Matrix::from_fn(n, n, |i, j| {
        let sum: f64 = (0..n).map(|k| h[i * n + k] * h[j * n + k]).sum();
        0.5 * sum / n as f64 + if i == j { 1.0 } else { 0.0 }
    });
    let b = (0..n).map(|_| numbers.next() - 0.3).collect();
    (w, b)
}

fn laws_of_set(set: &ConvexSet, radius: f64) -> Vec<Law> {
    let friction = |mu| Law { radius, ..Law::with_set(mu, set.clone()) };
    vec![friction(0.4), Law::frictionless(), friction(0.9), Law::bilateral(2), friction(0.1)]
}

#[test]
fn without_the_correction_a_mass_point_is_projected() {
    for (name, set, _) in samples::all() {
        let mut numbers = samples::Numbers(5);
        let n = 1 + set.dimension();
        for round in 0..20 {
            let (mu, radius) = ([0.0, 0.3, 1.2][round % 3], [0.0, 0.4][round % 2]);
            let b: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
            let law = Law { radius, ..Law::with_set(mu, set.clone()) };
            let problem = ContactProblem::new(Matrix::identity(n), b.clone(), vec![law]);
            let problem = problem.unwrap().associated();
            let mut expected = vec![0.0; n];
            let back: Vec<f64> = b.iter().map(|b| -b).collect();
            FrictionCone { set, mu, radius }.project(&back, &mut expected);
            assert!(problem.certificate(&expected).unwrap().worst < 1e-10, "{name} {mu} {radius}");
            let s = Nsgs::default().solve(&problem).clone();
            assert!(s.is_solved(), "{name} {mu} {radius}: {:?}", s.certificate);
            for (x, e) in s.impulse.iter().zip(&expected) {
                assert!((x - e).abs() < 1e-9, "{name} {mu} {radius}: {:?} {expected:?}", s.impulse);
            }
        }
    }
}

#[test]
fn without_the_correction_every_solver_finds_the_same_velocities() {
    for (name, set, _) in samples::all() {
        // A set of 10⁻³ by 10³ has no common scale; its own test is the projection's.
        if *name == "needle" {
            continue;
        }
        let mut numbers = samples::Numbers(77);
        for radius in [0.0, 0.2] {
            let laws = laws_of_set(set, radius);
            let n = laws.iter().map(Law::components).sum();
            let (w, b) = gentle(n, &mut numbers);
            let problem = ContactProblem::new(w.clone(), b, laws).unwrap().associated();
            let reference = Cascade::default().solve(&problem).clone();
            assert!(reference.is_solved(), "{name} {radius}: {:?}", reference.certificate);
            for solver in &mut every_solver() {
                let s = solver.solve(&problem).clone();
                let takes = problem.laws().iter().all(interior_point::takes);
                if solver.name() == "interior_point" && !takes {
                    assert_eq!(s.status, Status::Failed(Failure::WrongClass));
                    continue;
                }
                assert!(s.is_solved(), "{name} {radius} {}: {:?}", solver.name(), s);
                for (x, e) in s.velocity.iter().zip(&reference.velocity) {
                    assert!((x - e).abs() < 1e-7, "{name} {radius} {}", solver.name());
                }
            }
        }
    }
}

#[test]
fn the_correction_shows_where_a_contact_slides() {
    let exact = mass_point(0.5, [-0.1, 1.0, 0.0]);
    let impulse = Cascade::default().solve(&exact).impulse.clone();
    let convex = exact.clone().associated();
    assert!(convex.is_associated() && !exact.is_associated());
    assert!(convex.certificate(&impulse).unwrap().penetration.value > 0.1);
    let lifted = Cascade::default().solve(&convex).clone();
    assert!(lifted.velocity[0] > 0.1);
    assert!(exact.certificate(&lifted.impulse).unwrap().complementarity.value > 0.1);
}

#[test]
fn newton_and_auto_take_every_law() {
    for (name, set, _) in samples::all() {
        if *name == "needle" {
            continue;
        }
        let mut numbers = samples::Numbers(9);
        for radius in [0.0, 0.2] {
            let mut laws = laws_of_set(set, radius);
            laws.push(sliding(0.3, radius, &[0.6, -0.8]));
            let n = laws.iter().map(Law::components).sum();
            let (w, b) = gentle(n, &mut numbers);
            let problem = ContactProblem::new(w.clone(), b, laws).unwrap();
            let settings =
                newton::Settings { first_sweeps: 0, rescue_sweeps: 2, ..Default::default() };
            let newton = ConeNewton::new(settings).unwrap().solve(&problem).clone();
            assert!(newton.is_solved(), "{name} {radius}: {newton:?}");
            assert!(newton.iterations <= 30, "{name} {radius}: {:?}", newton.iterations);
            let auto = Cascade::default().solve(&problem).clone();
            assert!(auto.is_solved(), "{name} {radius}: {auto:?}");
            let sweeps = Nsgs::default().solve(&problem).clone();
            assert!(sweeps.is_solved(), "{name} {radius}: {sweeps:?}");
            for (x, e) in newton.velocity.iter().zip(&sweeps.velocity) {
                assert!((x - e).abs() < 1e-7, "{name} {radius}");
            }
        }
    }
}
