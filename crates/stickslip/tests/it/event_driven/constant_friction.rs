//! Friction of constant size at contacts that lose their load.
//!
//! A point of mass 1 with coordinates x and z above z = 0, whose friction also lifts it: w_T = (1, κ), so that W_NT = κ. Without friction
//! z̈ = −α(t). It slides with ẋ < 0 and friction of the size a > α/κ pushes it open; without friction it would close. It skims with friction
//! α/κ.

use super::systems::{Log, Parts};
use stickslip::State;
use stickslip::contact::Law;
use stickslip::events::{Settings, run_event_driven};
use stickslip::model::Generalised;
use stickslip::run::{self, End, EventKind, Report};

const KAPPA: f64 = 0.5;

/// The point with the force along x and α, both by time.
fn lifted(a: f64, force: fn(f64) -> f64, alpha: fn(f64) -> f64) -> Parts {
    Parts::new(&[1.0, 1.0], move |_, _, t| vec![force(t), -alpha(t)], |_, _| 0.0).contact(
        Law::constant(a),
        |q, _| q[1],
        |_, _, _| (vec![0.0, 1.0], vec![1.0, KAPPA], [0.0; 2], [0.0; 2]),
    )
}

fn go(system: Parts, velocity: f64, t_end: f64) -> (Report, Log) {
    let start = State::new(vec![0.0, 0.0], vec![velocity, 0.0]);
    let settings = Settings { t_end, ..Settings::default() };
    let model = Generalised::new(&system).unwrap();
    let mut log = Log::default();
    let report = run_event_driven(&model, &start, &settings, &mut log).unwrap();
    assert_eq!(report.end, End::Finished);
    assert!(report.certificate.worst <= 1e-10, "{:?}", report.certificate);
    (report, log)
}

fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1e-12, "found {found}, wanted {wanted}");
}

#[test]
fn a_contact_that_its_friction_opens_skims_with_the_friction_that_holds_it() {
    // r = α/κ = 6 < a: it stops after 1/3 s and sticks, with the load α.
    let (report, log) = go(lifted(10.0, |_| 0.0, |_| 3.0), -2.0, 1.0);
    near(log.times(0, EventKind::Sticks)[0], 1.0 / 3.0);
    assert!(log.times(0, EventKind::Opens).is_empty());
    near(report.state.q[0], -1.0 / 3.0);
    near(report.state.q[1], 0.0);
    near(log.impulses[0], 3.0 * (1.0 - 1.0 / 3.0));
    near(log.impulses[1], 2.0);
    near(report.contact_work, -2.0);
}

#[test]
fn a_contact_that_skims_takes_up_load_when_its_friction_is_exhausted() {
    // α = 1 + 4 t reaches κ a = 3 after 0.5 s.
    let (report, log) = go(lifted(6.0, |_| 0.0, |t| 1.0 + 4.0 * t), -10.0, 1.0);
    near(report.state.u[0], -5.0);
    near(log.impulses[0], 0.5);
    near(log.impulses[1], 5.0);
}

#[test]
fn a_contact_that_loses_its_load_skims_until_its_friction_vanishes_and_then_opens() {
    // α = 4 − 2 t passes κ a = 3 after 0.5 s and 0 after 2 s; then z̈ = 2 (t − 2).
    let (report, log) = go(lifted(6.0, |_| 0.0, |t| 4.0 - 2.0 * t), -20.0, 3.0);
    near(log.times(0, EventKind::Opens)[0], 2.0);
    near(log.impulses[0], 0.25);
    // a / 2, then ∫ (4 − 2 t) / κ dt.
    near(log.impulses[1], 3.0 + 2.0 * (6.0 - 3.75));
    near(report.state.q[1], 1.0 / 3.0);
}

#[test]
fn a_contact_that_its_friction_pulls_shut_stays_until_its_load_vanishes() {
    // Λ_N = κ a + α = 4 − 2 t, though without friction it would open after 0.5 s; it leaves with the acceleration κ a = 3.
    let (report, log) = go(lifted(6.0, |_| 0.0, |t| 1.0 - 2.0 * t), 20.0, 3.0);
    near(log.times(0, EventKind::Opens)[0], 2.0);
    near(log.impulses[0], 4.0);
    near(report.state.u[0], 20.0 - 12.0);
    near(report.state.q[1], 0.5 * 3.0 + 1.0 / 3.0);
}

#[test]
fn a_contact_that_sticks_and_loses_its_load_begins_to_skim() {
    // Stick: Λ_T = 4 t, Λ_N = 2 − κ 4 t until t = 1. Then r = α/κ = 4 and ẍ = −4 (t − 1).
    let (report, log) = go(lifted(6.0, |t| -4.0 * t, |_| 2.0), 0.0, 2.0);
    let begins = log.events.iter().find(|e| matches!(e.kind, EventKind::Slides(_))).unwrap();
    near(begins.t, 1.0);
    near(report.state.q[0], -4.0 / 6.0);
    near(report.state.q[1], 0.0);
    near(log.impulses[0], 1.0);
    near(log.impulses[1], 2.0 + 4.0);
}

#[test]
fn two_contacts_skim_on_each_others_friction() {
    // κ r₁ + δ r₂ = α₁, δ r₁ + κ r₂ = α₂.
    let (delta, alpha) = (0.1, [3.0, 2.0]);
    let forces = move |_: &[f64], _: &[f64], _: f64| vec![0.0, -alpha[0], -alpha[1]];
    let system = Parts::new(&[1.0; 3], forces, |_, _| 0.0)
        .contact(
            Law::constant(8.0),
            |q, _| q[1],
            move |_, _, _| (vec![0.0, 1.0, 0.0], vec![1.0, KAPPA, delta], [0.0; 2], [0.0; 2]),
        )
        .contact(
            Law::constant(8.0),
            |q, _| q[2],
            move |_, _, _| (vec![0.0, 0.0, 1.0], vec![1.0, delta, KAPPA], [0.0; 2], [0.0; 2]),
        );
    let start = State::new(vec![0.0; 3], vec![-20.0, 0.0, 0.0]);
    let model = Generalised::new(&system).unwrap();
    let mut log = Log::default();
    let report = run_event_driven(&model, &start, &Settings::default(), &mut log).unwrap();
    assert_eq!(report.end, End::Finished);
    let det = KAPPA * KAPPA - delta * delta;
    near(log.impulses[1], (KAPPA * alpha[0] - delta * alpha[1]) / det);
    near(log.impulses[3], (KAPPA * alpha[1] - delta * alpha[0]) / det);
    near(report.state.q[1], 0.0);
    near(report.state.q[2], 0.0);
}

/// x after 0.3 s of skimming by time stepping, less the one that skimming has.
fn time_stepping_less_skimming(a: f64, dt: f64) -> f64 {
    let system = lifted(a, |_| 0.0, |_| 3.0);
    let start = State::new(vec![0.0, 0.0], vec![-2.0, 0.0]);
    let settings = run::Settings { t_end: 0.3, dt, ..run::Settings::default() };
    let model = Generalised::new(&system).unwrap();
    let report = run::run(&model, &start, &settings, &mut (), &mut ()).unwrap();
    report.state.q[0] - (-2.0 * 0.3 + 3.0 * 0.09)
}

#[test]
fn time_stepping_skims_too_but_for_the_impulses_of_its_steps() {
    // The contact opens and closes in turn. Let γ̇_N be −α while it is open and β = κ a − α while it is closed. Where 2 β/α is a whole number
    // (here 2) it falls back on just the velocity that one step with friction takes away.
    for dt in [1e-3, 1e-4, 1e-5] {
        let off = time_stepping_less_skimming(12.0, dt);
        assert!(off.abs() < 1e-12, "{dt} {off}");
    }
    // Where it is not (4/3), impacts add a normal force that does not vanish with Δt. Here every other step is closed: the friction is
    // a/2 = 5 in place of α/κ = 6, and the normal force 0.5.
    for dt in [1e-3, 1e-4, 1e-5] {
        let off = time_stepping_less_skimming(10.0, dt);
        assert!((off + 0.5 * 0.09).abs() < dt, "{dt} {off}");
    }
}
