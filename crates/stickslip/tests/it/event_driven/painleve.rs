//! Painlevé's rod: where the problem of accelerations has no solution.

use super::systems::{Log, Parts};
use stickslip::State;
use stickslip::contact::Law;
use stickslip::events::{Settings, run_event_driven};
use stickslip::model::Generalised;
use stickslip::run::{End, EventKind};

const G: f64 = 9.81;

/// A thin rod of length 2 and mass 1, coordinates x, y, θ of its centre; its lower end touches the line y = 0.
/// θ is the angle of the rod to the line.
fn rod(mu: f64) -> Parts {
    Parts::new(&[1.0, 1.0, 1.0 / 3.0], |_, _, _| vec![0.0, -G, 0.0], |q, _| G * q[1]).contact(
        Law::coulomb(mu),
        |q, _| q[1] - q[2].sin(),
        |q, u, _| {
            let (s, c) = q[2].sin_cos();
            let w2 = u[2] * u[2];
            (vec![0.0, 1.0, -c], vec![1.0, 0.0, s], [0.0; 2], [s * w2, c * w2])
        },
    )
}

/// W_NN − μ W_NT for a tip that slides towards −x: what a normal force does to the tip's normal acceleration.
fn effective(mu: f64, angle: f64, slip: f64) -> f64 {
    let (s, c) = angle.sin_cos();
    1.0 + 3.0 * c * c - slip * mu * (-3.0 * s * c)
}

fn slide(mu: f64, angle: f64, speed: f64, spin: f64) -> (stickslip::run::Report, Log) {
    let (s, c) = (angle.sin(), angle.cos());
    // The tip moves with `speed` along the line and stays on it.
    let start = State::new(vec![0.0, s, angle], vec![speed - s * spin, c * spin, spin]);
    let mut log = Log::default();
    let settings = Settings { t_end: 0.05, ..Settings::default() };
    let report =
        run_event_driven(&Generalised::new(&rod(mu)).unwrap(), &start, &settings, &mut log)
            .unwrap();
    (report, log)
}

#[test]
fn below_the_critical_friction_no_rod_jams() {
    // The least critical μ is 4/3 at tan θ = 2.
    let angle = 2.0_f64.atan();
    assert!(effective(4.0 / 3.0, angle, -1.0).abs() < 1e-15);
    for speed in [-3.0, 3.0] {
        let (report, log) = slide(1.3, angle, speed, 0.0);
        assert_eq!(report.end, End::Finished);
        assert!(log.times(0, EventKind::Impact).is_empty(), "{:?}", log.events);
        let change = report.energy_end.total() - report.energy_start.total();
        assert!((change - report.contact_work).abs() < 1e-13 * report.energy_start.total());
    }
}

#[test]
fn a_rod_without_a_force_that_holds_it_is_stopped_by_an_impact_without_collision() {
    let (mu, angle) = (2.0, 2.0_f64.atan());
    assert!(effective(mu, angle, -1.0) < 0.0);
    let (report, log) = slide(mu, angle, -3.0, 0.0);
    assert_eq!(report.end, End::Finished, "{:?}", log.events);
    // Gravity presses the tip down and every normal force would press it further: only an impulse that stops
    // the tip obeys the laws.
    let first = log.events.iter().find(|e| e.kind == EventKind::Impact).unwrap();
    assert_eq!(first.t, 0.0);
    assert!(first.impulse[0] > 0.0 && first.energy < 0.0, "{first:?}");
    assert!(first.impulse[1].abs() <= mu * first.impulse[0] * (1.0 + 1e-9));
    let change = report.energy_end.total() - report.energy_start.total();
    assert!((change - report.contact_work).abs() < 1e-12 * report.energy_start.total());
}

#[test]
fn a_rod_that_turns_fast_enough_leaves_the_line_instead() {
    // The centrifugal term lifts the tip: the same μ and angle have the solution without force.
    let (mu, angle) = (2.0, 2.0_f64.atan());
    let spin = 2.0 * (G / angle.sin()).sqrt();
    let (report, log) = slide(mu, angle, -3.0, spin);
    assert_eq!(report.end, End::Finished);
    assert!(log.times(0, EventKind::Impact).is_empty(), "{:?}", log.events);
    assert_eq!(report.contact_work, 0.0);
}
