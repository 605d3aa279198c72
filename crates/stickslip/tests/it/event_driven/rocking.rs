//! A block on two corners: rocking after Housner, and rest on redundant contacts.

use super::systems::{Log, Parts};
use stickslip::State;
use stickslip::contact::{Law, Mode};
use stickslip::events::{Settings, run_event_driven};
use stickslip::model::Generalised;
use stickslip::run::{End, EventKind};

const G: f64 = 9.81;

/// A block of 2b × 2h and mass m with coordinates x, y, θ of its centre; contacts at the lower left and right
/// corners of a plane tilted by `slope`.
pub(crate) fn block(m: f64, b: f64, h: f64, law: Law, slope: f64) -> Parts {
    let inertia = m * (b * b + h * h) / 3.0;
    let (along, down) = (m * G * slope.sin(), m * G * slope.cos());
    let corner = |system: Parts, side: f64| {
        system.contact(
            law.clone(),
            move |q, _| q[1] + side * b * q[2].sin() - h * q[2].cos(),
            move |q, u, _| {
                let (s, c) = q[2].sin_cos();
                let (n, t) = (side * b * c + h * s, -side * b * s + h * c);
                let w2 = u[2] * u[2];
                (vec![0.0, 1.0, n], vec![1.0, 0.0, t], [0.0; 2], [t * w2, -n * w2])
            },
        )
    };
    let plain = Parts::new(
        &[m, m, inertia],
        move |_, _, _| vec![along, -down, 0.0],
        move |q, _| down * q[1] - along * q[0],
    );
    corner(corner(plain, -1.0), 1.0)
}

#[test]
fn a_rocking_block_loses_speed_by_housners_ratio_and_comes_to_rest() {
    let (m, b, h) = (3.0, 0.1_f64, 0.4_f64);
    let alpha = (b / h).atan();
    let r = 1.0 - 1.5 * alpha.sin().powi(2);
    let tilt = 0.5 * alpha;
    let radius = b.hypot(h);
    // Tilted about the right corner, which stays at the origin.
    let (x, y) = (-radius * (alpha - tilt).sin(), radius * (alpha - tilt).cos());
    let energy = m * G * (y - h);
    let mut log = Log::default();
    let settings = Settings { t_end: 8.0, ..Settings::default() };
    let start = State::new(vec![x, y, -tilt], vec![0.0; 3]);
    let system = block(m, b, h, Law::coulomb(2.0), 0.0);
    let report =
        run_event_driven(&Generalised::new(&system).unwrap(), &start, &settings, &mut log).unwrap();
    assert_eq!(report.end, End::Finished);

    let mut impacts: Vec<(f64, f64)> = Vec::new();
    for e in log.events.iter().filter(|e| e.kind == EventKind::Impact) {
        match impacts.last_mut() {
            Some(last) if last.0 == e.t => last.1 += e.energy,
            _ => impacts.push((e.t, e.energy)),
        }
    }
    for (k, (_, lost)) in impacts.iter().enumerate().take(20) {
        let exact = -(1.0 - r * r) * r.powi(2 * k as i32) * energy;
        assert!((lost / exact - 1.0).abs() < 1e-10, "{k} {lost} {exact}");
    }
    // In the end small flights shrink by r, and their sum is finite.
    let ends: Vec<_> = log.events.iter().filter(|e| e.kind == EventKind::Accumulation).collect();
    assert_eq!(ends.len(), 1, "{ends:?}");
    assert!((report.contact_work / -energy - 1.0).abs() < 1e-11);
    assert_eq!(log.samples.last().unwrap().3, [Mode::Stick, Mode::Stick]);
    assert!(report.state.u.iter().all(|u| u.abs() < 1e-12), "{:?}", report.state);
}

#[test]
fn a_block_on_an_incline_sticks_without_creep_or_slides() {
    let (m, b, h, slope) = (2.0, 0.3, 0.2, 0.4_f64);
    for (mu, moves) in [(0.45, false), (0.40, true)] {
        let mut log = Log::default();
        let settings = Settings { t_end: 10.0, ..Settings::default() };
        let start = State::new(vec![0.0, h, 0.0], vec![0.0; 3]);
        let system = block(m, b, h, Law::coulomb(mu), slope);
        let report =
            run_event_driven(&Generalised::new(&system).unwrap(), &start, &settings, &mut log)
                .unwrap();
        assert_eq!(report.end, End::Finished);
        let a = G * (slope.sin() - mu * slope.cos());
        let exact = if moves { 0.5 * a * 100.0 } else { 0.0 };
        assert!((report.state.q[0] - exact).abs() < 1e-11, "{} {exact}", report.state.q[0]);
        assert!((report.state.q[1] - h).abs() < 1e-12 && report.state.q[2].abs() < 1e-12);
        assert!(report.certificate.worst <= 1e-10, "{:?}", report.certificate);
    }
}
