//! What is refused, and how: no panic, no endless loop.

use super::systems::{Parts, point};
use stickslip::contact::Law;
use stickslip::events::{Settings, run_event_driven};
use stickslip::model::Generalised;
use stickslip::models::{Linear, LinearContact};
use stickslip::run::End;
use stickslip::{Error, State};

#[test]
fn settings_starts_and_models_out_of_range_are_errors() {
    let fresh = || point(1.0, 9.81, Law::coulomb(0.3), |_, _, _| 0.0, |_| 0.0);
    let good = State::new(vec![0.0, 1.0], vec![0.0, 0.0]);
    let run = |system: &Parts, start: &State, settings: Settings| {
        run_event_driven(&Generalised::new(system)?, start, &settings, &mut ())
    };
    let bad = [
        Settings { tolerance: 0.0, ..Settings::default() },
        Settings { tolerance: f64::NAN, ..Settings::default() },
        Settings { max_step: 0.0, ..Settings::default() },
        Settings { sample_every: -1.0, ..Settings::default() },
        Settings { t_end: f64::INFINITY, ..Settings::default() },
    ];
    for settings in bad {
        let refused = run(&mut fresh(), &good, settings.clone());
        assert!(matches!(refused, Err(Error::Range { .. })), "{settings:?} {refused:?}");
    }
    let short = State::new(vec![0.0], vec![0.0, 0.0]);
    assert!(matches!(run(&mut fresh(), &short, Settings::default()), Err(Error::Size { .. })));
    let nan = State::new(vec![0.0, f64::NAN], vec![0.0, 0.0]);
    assert!(matches!(run(&mut fresh(), &nan, Settings::default()), Err(Error::NotFinite { .. })));
    let mut empty = Parts::new(&[], |_, _, _| vec![], |_, _| 0.0);
    let nothing = State::new(vec![], vec![]);
    assert!(matches!(run(&mut empty, &nothing, Settings::default()), Err(Error::Size { .. })));
    let mut wrong = Parts::new(&[1.0], |_, _, _| vec![f64::NAN], |_, _| 0.0);
    let one = State::new(vec![0.0], vec![0.0]);
    assert!(matches!(run(&mut wrong, &one, Settings::default()), Err(Error::NotFinite { .. })));
}

#[test]
fn a_force_that_is_no_number_from_some_time_on_is_named_with_that_time() {
    // The square root is not a number beyond t = 0.5.
    let system = Parts::new(&[1.0], |_, _, t| vec![(0.5 - t).sqrt()], |_, _| 0.0);
    let settings = Settings { max_steps: 10_000, ..Settings::default() };
    let start = State::new(vec![0.0], vec![0.0]);
    // What was computed until then is kept, so this is the end of a run and not an error.
    let report =
        run_event_driven(&Generalised::new(&system).unwrap(), &start, &settings, &mut ()).unwrap();
    assert!((report.state.t - 0.5).abs() < 1e-6, "{}", report.state.t);
    match report.end {
        End::Failed(why) => assert!(why.contains("not finite at t = 0.5"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn limits_on_events_hold() {
    let law = Law::coulomb(0.0).with_restitution(1.0, 0.0);
    let ball = point(1.0, 9.81, law, |_, _, _| 0.0, |_| 0.0);
    let settings = Settings { t_end: 1e6, max_events: 100, ..Settings::default() };
    let start = State::new(vec![0.0, 1.0], vec![0.0, 0.0]);
    let report =
        run_event_driven(&Generalised::new(&ball).unwrap(), &start, &settings, &mut ()).unwrap();
    assert!(matches!(report.end, End::Failed(_)) && report.impacts == 101, "{report:?}");
}

/// A point between two walls without play.
fn between_walls(eps: f64) -> Linear {
    let law = Law::coulomb(0.0).with_restitution(eps, 0.0);
    let wall = |side: f64| LinearContact::new(vec![side], vec![0.0], law.clone());
    Linear::diagonal(&[1.0], &[0.0], vec![wall(1.0), wall(-1.0)]).unwrap()
}

#[test]
fn impacts_in_turn_at_one_instant_are_followed_or_refused_and_never_dropped() {
    let start = State::new(vec![0.0], vec![1.0]);
    // Without loss they never end.
    let endless = run_event_driven(
        &Generalised::new(&between_walls(1.0)).unwrap(),
        &start,
        &Settings::default(),
        &mut (),
    );
    assert!(matches!(&endless.unwrap().end, End::Failed(why) if why.contains("no end")));
    // With loss the energy is accounted for to the last.
    let report = run_event_driven(
        &Generalised::new(&between_walls(0.5)).unwrap(),
        &start,
        &Settings::default(),
        &mut (),
    )
    .unwrap();
    assert_eq!(report.end, End::Finished);
    let change = report.energy_end.total() - report.energy_start.total();
    assert!(
        (change + 0.5).abs() < 1e-12 && (report.contact_work - change).abs() < 1e-12,
        "{report:?}"
    );
}
