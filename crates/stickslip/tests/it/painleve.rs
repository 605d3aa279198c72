//! Painlevé's rod: the level of accelerations can have no solution, or two, where that of velocities has one.
//!
//! A uniform rod of mass 1 and half length 1 touches rough ground with its lower end and slides. θ is its angle to
//! the ground, and the end lies ahead of the centre.

use complementarity::enumerate::{self, enumerate};
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::{ContactSolver, Formulation};
use stickslip::expression::{Contact, Coordinate, Definition, ExpressionSystem, Parameter};
use stickslip::level::{Level, pose};
use stickslip::model::Generalised;
use stickslip::system::{State, System};

const G: f64 = 9.81;

fn rod(mu: f64) -> ExpressionSystem {
    let coordinate =
        |name: &str, velocity: &str| Coordinate { name: name.into(), velocity: velocity.into() };
    let definition = Definition {
        coordinates: vec![coordinate("x", "vx"), coordinate("y", "vy"), coordinate("th", "om")],
        parameters: vec![Parameter { name: "mu".into(), value: mu.into() }],
        kinetic: "(vx^2 + vy^2 + om^2/3)/2".into(),
        potential: Some(format!("{G}*y")),
        contacts: vec![Contact {
            name: "tip".into(),
            gap: "y - sin(th)".into(),
            slip: Some("rate(x - cos(th))".into()),
            mu: Some("mu".into()),
            ..Contact::default()
        }],
        ..Definition::default()
    };
    ExpressionSystem::new(&definition).unwrap()
}

fn model(mu: f64) -> Generalised<ExpressionSystem> {
    Generalised::new(rod(mu)).unwrap()
}

/// The rod at θ, its end sliding with `slip` along the ground, turning with `omega`.
fn state(theta: f64, slip: f64, omega: f64) -> State {
    let u = vec![slip - omega * theta.sin(), omega * theta.cos(), omega];
    State::new(vec![theta.cos(), theta.sin(), theta], u)
}

fn accelerations(theta: f64, mu: f64, slip: f64, omega: f64) -> ContactProblem {
    pose(&model(mu), &state(theta, slip, omega), &[0], Level::Acceleration(1e-12)).unwrap()
}

fn solutions(p: &ContactProblem) -> usize {
    let lcp = ContactSolver::encode(p, Formulation::GlockerStuder).unwrap();
    let all = enumerate(&lcp, &enumerate::Settings::default()).unwrap();
    assert!(all.incomplete.is_none());
    all.solutions.len()
}

/// W_NN − μ W_NT changes its sign here.
fn critical_mu(theta: f64) -> f64 {
    (1.0 + 3.0 * theta.cos().powi(2)) / (3.0 * theta.sin() * theta.cos())
}

/// The direction of slip in which friction drives the end into the ground.
const JAMMING: f64 = -1.0;

#[test]
fn the_number_of_solutions_is_that_of_the_closed_form() {
    let fast = 6.0; // ω² sin θ > g for the angles below: the end would lift by itself.
    let mut seen = [0; 3];
    for i in 1..40 {
        let theta = 0.3 + 1.2 * f64::from(i) / 40.0;
        for j in 1..40 {
            let mu = 3.0 * f64::from(j) / 40.0;
            for omega in [0.0, fast] {
                let lifts = omega * omega * theta.sin() > G;
                let jams = mu > critical_mu(theta);
                let wanted = match (jams, lifts) {
                    (false, _) => 1,
                    (true, false) => 0,
                    (true, true) => 2,
                };
                let found = solutions(&accelerations(theta, mu, JAMMING, omega));
                assert_eq!(found, wanted, "theta {theta} mu {mu} omega {omega}");
                seen[found] += 1;
                assert_eq!(solutions(&accelerations(theta, mu, -JAMMING, omega)), 1);
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 50), "{seen:?}");
}

#[test]
fn the_smallest_critical_friction_is_four_thirds_at_tangent_two() {
    let theta = 2.0_f64.atan();
    assert!((critical_mu(theta) - 4.0 / 3.0).abs() < 1e-15);
    assert!(critical_mu(theta + 1e-3) > 4.0 / 3.0 && critical_mu(theta - 1e-3) > 4.0 / 3.0);
    assert_eq!(solutions(&accelerations(theta, 4.0 / 3.0 + 1e-9, JAMMING, 0.0)), 0);
    assert_eq!(solutions(&accelerations(theta, 4.0 / 3.0 - 1e-9, JAMMING, 0.0)), 1);
}

#[test]
fn where_forces_have_no_solution_velocities_have_one() {
    // The jammed rod stops its slip at once: an impact without collision.
    let (theta, mu, slip) = (2.0_f64.atan(), 1.5, 0.3 * JAMMING);
    let forces = accelerations(theta, mu, slip, 0.0);
    let answer = ContactSolver::default().solve(&forces).clone();
    assert!(!answer.is_solved() && answer.proof.is_some());

    for level in [Level::Impact, Level::Step(1e-6)] {
        let p = pose(&model(mu), &state(theta, slip, 0.0), &[0], level).unwrap();
        let mut solver = ContactSolver::default();
        let answer = solver.solve(&p);
        assert!(answer.is_solved());
        if level == Level::Impact {
            // Doing nothing also solves the impact; only the step shows that it cannot last.
            assert!(solutions(&p) >= 2);
        } else {
            assert!(answer.velocity.iter().all(|v| v.abs() < 1e-12), "{answer:?}");
            // Λ = −W⁻¹ (0, slip), but for gravity over the step.
            assert!((answer.impulse[0] - 0.09).abs() < 1e-4, "{answer:?}");
        }
    }
}

#[test]
fn a_contact_that_does_not_exist_is_refused() {
    assert_eq!(rod(0.3).info().contacts.len(), 1);
    assert!(pose(&model(0.3), &state(1.0, 0.0, 0.0), &[1], Level::Impact).is_err());
}
