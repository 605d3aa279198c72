//! Runs of bodies in space: what is shown, added up and refused, and how they end.

use super::AnyModel;
use glam::DVec3;
use std::sync::Arc;
use stickslip::bodies::forces::Custom;
use stickslip::bodies::touch::pair;
use stickslip::bodies::{MassProperties, Pose, Shape, Twist};
use stickslip::contact::Law;
use stickslip::run::{End, Event, EventKind, Flow, Observer, Sample, Settings, run};
use stickslip::system::State;

const G: f64 = 9.81;

fn ball(model: &mut AnyModel, height: f64, law: Law) -> State {
    model.body(MassProperties::sphere(1.0, 0.1).unwrap());
    let shapes = (Shape::Sphere(DVec3::ZERO, 0.1), Shape::Plane(DVec3::ZERO, DVec3::Z));
    model.touch(pair(shapes.0, shapes.1).unwrap(), law);
    model.state(&[(Pose::at(DVec3::new(0.0, 0.0, height)), Twist::default())])
}

#[derive(Default)]
struct Notes {
    times: Vec<f64>,
    gaps: Vec<f64>,
    pushed: f64,
    events: Vec<EventKind>,
    stop_at: Option<f64>,
}

impl Observer for Notes {
    fn sample(&mut self, s: &Sample<'_>) -> Flow {
        self.times.push(s.t);
        self.gaps.push(s.gaps[0]);
        self.pushed += s.impulses[0];
        assert_eq!((s.impulses.len(), s.modes.len()), (3, 1));
        if self.stop_at.is_some_and(|t| s.t >= t) { Flow::Stop } else { Flow::Continue }
    }

    fn event(&mut self, event: &Event) {
        self.events.push(event.kind);
    }
}

#[test]
fn a_ball_that_bounces_once_is_told_by_samples_events_and_the_report() {
    for mut model in AnyModel::all(DVec3::new(0.0, 0.0, -G)) {
        let start = ball(&mut model, 0.6, Law::disc(0.3).with_restitution(0.5, 0.0));
        let settings = Settings { t_end: 0.45, sample_dt: 0.05, ..Settings::default() };
        let mut notes = Notes::default();
        let report = run(model.mechanism(), &start, &settings, &mut notes, &mut ()).unwrap();
        assert_eq!((&report.end, report.steps, report.impacts), (&End::Finished, 450, 1));
        assert_eq!(notes.times.len(), 10);
        assert!((notes.gaps[0] - 0.5).abs() < 1e-12 && notes.times[0] == 0.0);
        assert!(notes.events.contains(&EventKind::Impact), "{:?}", notes.events);
        assert!(report.events == notes.events.len() && report.certificate.worst < 1e-9);
        // The impulse is (1 + ε) v, and what it takes is what is missing of the energy.
        let v = (2.0 * G * 0.5_f64).sqrt();
        assert!((notes.pushed - 1.5 * v).abs() < 0.03 * v, "{}", notes.pushed);
        let lost = report.energy_end.total() - report.energy_start.total();
        assert!((lost - report.contact_work).abs() < 0.02 * lost.abs(), "{lost} {report:?}");
        assert!((lost + 0.375 * v * v).abs() < 0.02 * lost.abs(), "{lost}");
        assert!(report.state.t == 0.45 && report.drift.depth < 0.01);
    }
}

#[test]
fn the_observer_stops_a_run_and_bad_times_are_refused() {
    for mut model in AnyModel::all(DVec3::ZERO) {
        let start = ball(&mut model, 0.6, Law::disc(0.3));
        let mut notes = Notes { stop_at: Some(0.2), ..Notes::default() };
        let settings = Settings { dt: 1e-2, ..Settings::default() };
        let report = run(model.mechanism(), &start, &settings, &mut notes, &mut ()).unwrap();
        assert!(report.end == End::Stopped && (report.state.t - 0.2).abs() < 1e-12, "{report:?}");
        for (dt, t_end, sample_dt, what) in [
            (0.0, 1.0, 0.0, "dt is 0"),
            (-1.0, 1.0, 0.0, "dt is -1"),
            (f64::NAN, 1.0, 0.0, "dt is NaN"),
            (0.1, -1.0, 0.0, "t_end is -1"),
            (0.1, 1.0, -2.0, "sample_dt is -2"),
            (1e-12, 1.0, 0.0, "at most 1e10 steps"),
        ] {
            let settings = Settings { dt, t_end, sample_dt, ..Settings::default() };
            let error = run(model.mechanism(), &start, &settings, &mut (), &mut ());
            let error = error.unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
        let wrong = State { u: vec![0.0], ..start };
        let settings = Settings::default();
        assert!(run(model.mechanism(), &wrong, &settings, &mut (), &mut ()).is_err());
    }
}

#[test]
fn a_run_whose_model_fails_ends_at_its_last_good_state_and_says_when() {
    for mut model in AnyModel::all(DVec3::ZERO) {
        let start = ball(&mut model, 0.6, Law::disc(0.3));
        let broken = Custom::new(|_, t, loads| {
            if t > 0.5 {
                loads[1].force.x = f64::NAN;
            }
        });
        model.force(Arc::new(broken)).unwrap();
        let settings = Settings { dt: 1e-2, ..Settings::default() };
        let report = run(model.mechanism(), &start, &settings, &mut (), &mut ()).unwrap();
        let End::Failed(reason) = &report.end else { panic!("{report:?}") };
        assert!(reason.contains("t = 0.5"), "{reason}");
        assert_eq!(report.steps, 50);
        assert!((report.state.t - 0.5).abs() < 1e-12 && report.state.q == start.q);
    }
}

#[test]
fn a_run_repeats_itself_to_the_last_bit_in_a_new_model_and_in_one_with_a_past() {
    for which in 0..3 {
        let mut bits = Vec::new();
        let settings = Settings { dt: 1e-2, ..Settings::default() };
        for _ in 0..2 {
            let mut model =
                AnyModel::all(DVec3::new(1.0, 0.5, -9.81)).into_iter().nth(which).unwrap();
            let start = ball(&mut model, 0.6, Law::disc(0.3).with_restitution(0.5, 0.0));
            for _ in 0..2 {
                let report = run(model.mechanism(), &start, &settings, &mut (), &mut ()).unwrap();
                assert!(report.impacts > 0 && report.end == End::Finished, "{report:?}");
                let State { q, u, .. } = report.state;
                bits.push(q.into_iter().chain(u).map(f64::to_bits).collect::<Vec<_>>());
            }
        }
        assert!(bits.iter().all(|b| *b == bits[0]), "{bits:?}");
    }
}
