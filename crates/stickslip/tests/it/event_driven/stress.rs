//! Many motions: none fails, and all balance their energy.

use super::rocking::block;
use super::systems::Log;
use stickslip::State;
use stickslip::contact::Law;
use stickslip::events::{Settings, run_event_driven};
use stickslip::model::Generalised;
use stickslip::models::Woodpecker;
use stickslip::run::{End, EventKind};

#[test]
fn woodpeckers_of_all_kinds_run_and_balance() {
    for i in 0..12 {
        for j in 0..6 {
            let mu = 0.05 + 0.07 * f64::from(i);
            let edges = if (i + j) % 3 == 0 { (0.3, 0.2) } else { (0.0, 0.0) };
            let eps_n = [0.18 * f64::from(j), edges.0, edges.1];
            let system = Woodpecker { mu, eps_n, ..Woodpecker::default() }.system();
            let settings = Settings { t_end: 1.0, max_events: 2_000, ..Settings::default() };
            let report = run_event_driven(
                &Generalised::new(&system).unwrap(),
                &Woodpecker::start(),
                &settings,
                &mut (),
            )
            .unwrap();
            assert_eq!(report.end, End::Finished, "{mu} {eps_n:?}");
            let change = report.energy_end.total() - report.energy_start.total();
            let size = change.abs().max(report.energy_start.kinetic);
            assert!((change - report.contact_work).abs() < 1e-12 * size, "{mu} {eps_n:?}");
            assert!(report.certificate.worst < 1e-10, "{mu} {eps_n:?} {:?}", report.certificate);
        }
    }
}

/// Numbers between 0 and 1 that are the same in every run.
fn numbers() -> impl FnMut() -> f64 {
    let mut seed = 12345_u64;
    move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn blocks_thrown_at_a_slope_bounce_rock_slide_and_come_to_rest() {
    let mut random = numbers();
    let (mut accumulations, mut at_rest) = (0, 0);
    for case in 0..300 {
        let (b, h) = (0.05 + 0.3 * random(), 0.05 + 0.3 * random());
        let eps = if case % 3 == 0 { 0.0 } else { 0.8 * random() };
        let law = Law::coulomb(random()).with_restitution(eps, 0.0);
        let slope = if case % 2 == 0 { 0.0 } else { 0.5 * random() };
        let system = block(1.0, b, h, law, slope);
        let tilt = 0.6 * (random() - 0.5);
        let start = State::new(
            vec![0.0, h + b + 0.3 * random(), tilt],
            vec![2.0 * (random() - 0.5), 0.0, 2.0 * (random() - 0.5)],
        );
        let mut log = Log::default();
        let settings = Settings { t_end: 2.0, max_events: 5_000, ..Settings::default() };
        let report =
            run_event_driven(&Generalised::new(&system).unwrap(), &start, &settings, &mut log)
                .unwrap();
        assert_eq!(report.end, End::Finished, "{case}");
        let change = report.energy_end.total() - report.energy_start.total();
        let size = report.energy_start.total().max(report.energy_end.kinetic);
        // Gaps here are not linear: contacts drift off by shares of the tolerance, and are put back.
        assert!(report.drift.depth < 1e-12, "{case} {:?}", report.drift);
        assert!((change - report.contact_work).abs() < 1e-11 * size, "{case} {report:?}");
        assert!(report.certificate.worst < 1e-10, "{case} {:?}", report.certificate);
        assert_eq!(report.energy_created.0, 0, "{case}");
        accumulations += log.events.iter().filter(|e| e.kind == EventKind::Accumulation).count();
        at_rest += usize::from(report.energy_end.kinetic < 1e-20);
    }
    // Both ends are common, so that the test is about them too.
    assert!(accumulations > 100 && at_rest > 50, "{accumulations} {at_rest}");
}
