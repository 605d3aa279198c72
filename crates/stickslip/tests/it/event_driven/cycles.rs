//! Cycles of driven systems with known multipliers.

use super::systems::Parts;
use nalgebra::Complex;
use stickslip::State;
use stickslip::analysis::{Cycle, Search, Surface, cycle, find_cycle};
use stickslip::contact::Law;
use stickslip::model::Generalised;

const G: f64 = 9.81;

fn driven(system: &Parts, start: &State, period: f64) -> Cycle {
    let settings = cycle::Settings::default();
    match find_cycle(
        &Generalised::new(system).unwrap(),
        start,
        Surface::Period(period),
        &[],
        &settings,
    )
    .unwrap()
    {
        Search::Found(cycle) => *cycle,
        Search::Lost(lost) => panic!("{lost:?}"),
    }
}

#[test]
fn a_driven_oscillator_has_the_multipliers_of_its_free_motion() {
    let (k, d, omega) = (4.0_f64, 0.3, 1.7_f64);
    let system = Parts::new(
        &[1.0],
        move |q, u, t| vec![-k * q[0] - d * u[0] + (omega * t).cos()],
        move |q, _| 0.5 * k * q[0] * q[0],
    );
    let period = std::f64::consts::TAU / omega;
    let c = driven(&system, &State::new(vec![1.0], vec![0.0]), period);
    let decay = (-0.5 * d * period).exp();
    let turn = (k - 0.25 * d * d).sqrt() * period;
    let exact = Complex::new(decay * turn.cos(), (decay * turn.sin()).abs());
    assert!((c.multipliers[0].re - exact.re).abs() < 1e-10, "{:?} {exact:?}", c.multipliers);
    assert!((c.multipliers[0].im - exact.im).abs() < 1e-10);
    // The amplitude of the answer to the drive, at t = 0 in phase.
    let (a, b) = (k - omega * omega, d * omega);
    let x = a / (a * a + b * b);
    assert!((c.state.q[0] - x).abs() < 1e-11, "{} {x}", c.state.q[0]);
    assert!(c.stable);
}

#[test]
fn a_ball_on_a_vibrating_table_jumps_in_step_with_it() {
    // One jump per period T of the table: the ball leaves with g T / 2, and the table moves with
    // g T (1 − e) / (2 (1 + e)) at the impact. The determinant of the map is e².
    let (eps, omega) = (0.6, 40.0_f64);
    let period = std::f64::consts::TAU / omega;
    let table_speed = G * period * (1.0 - eps) / (2.0 * (1.0 + eps));
    let amplitude = 1.1 * table_speed / omega;
    let phase = (table_speed / (amplitude * omega)).acos();
    let height = move |t: f64| amplitude * (omega * t).sin();
    let system = Parts::new(&[0.3], |_, _, _| vec![-0.3 * G], |q, _| 0.3 * G * q[0]).contact(
        Law::coulomb(0.0).with_restitution(eps, 0.0),
        move |q, t| q[0] - height(t),
        move |_, _, t| {
            let (s, c) = (omega * t).sin_cos();
            let drive = -amplitude * omega * c;
            (vec![1.0], vec![0.0], [drive, 0.0], [amplitude * omega * omega * s, 0.0])
        },
    );
    // At t = 0 the ball is `late` after the impact of phase `phase − 2π`.
    let late = period - phase / omega;
    let exact = [
        height(phase / omega) + 0.5 * G * period * late - 0.5 * G * late * late,
        0.5 * G * period - G * late,
    ];
    let start = State::new(vec![exact[0] + 1e-4], vec![exact[1] - 1e-3]);
    let c = driven(&system, &start, period);
    assert!((c.state.q[0] - exact[0]).abs() < 1e-12, "{:?} {exact:?}", c.state);
    assert!((c.state.u[0] - exact[1]).abs() < 1e-11);
    let (a, b) = (c.multipliers[0], c.multipliers[1]);
    let product = a.re * b.re - a.im * b.im;
    assert!((product - eps * eps).abs() < 1e-8, "{a:?} {b:?}");
    assert!(c.energy.relative < 1e-12, "{:?}", c.energy);
    assert_eq!(c.events.len(), 1);
}
