//! Starts inside contacts: moved by what rounding explains, and the report says so; refused beyond.

use super::space::{on_ground, place};
use super::systems::point;
use glam::DVec3;
use stickslip::bodies::{MassProperties, Shape};
use stickslip::contact::Law;
use stickslip::events::{Settings, run_event_driven};
use stickslip::model::Generalised;
use stickslip::run::{End, StartMoved};
use stickslip::{Error, State};

#[test]
fn a_start_inside_by_rounding_is_moved_and_the_report_says_by_how_much() {
    let (radius, depth) = (0.5, 1e-8);
    let mass = MassProperties::sphere(2.0, radius).unwrap();
    let world = on_ground(mass, &[Shape::Sphere(DVec3::ZERO, radius)], &Law::disc(0.3));
    let start = place(&world, (radius - depth) * DVec3::Z, DVec3::X, DVec3::ZERO);
    let report = run_event_driven(&world, &start, &Settings::default(), &mut ()).unwrap();
    let moved = report.start_moved.unwrap();
    assert_eq!(report.end, End::Finished);
    assert!((moved.coordinate - depth).abs() < 1e-15 && moved.velocity == 0.0, "{moved:?}");
    assert!((report.drift.depth - depth).abs() < 1e-15, "{:?}", report.drift);
    let on_it = place(&world, radius * DVec3::Z, DVec3::X, DVec3::ZERO);
    let report = run_event_driven(&world, &on_it, &Settings::default(), &mut ()).unwrap();
    assert_eq!(report.start_moved, None);
}

#[test]
fn an_impact_at_the_start_does_not_count_as_a_move() {
    let ball = point(1.0, 9.81, Law::coulomb(0.3), |_, _, _| 0.0, |_| 0.0);
    let start = State::new(vec![1.0, 0.0], vec![0.5, -1.0]);
    let model = Generalised::new(&ball).unwrap();
    let report = run_event_driven(&model, &start, &Settings::default(), &mut ()).unwrap();
    assert_eq!((report.impacts, report.start_moved), (1, None));
}

#[test]
fn a_velocity_off_a_contact_that_is_rounding_is_removed_and_the_report_says_so() {
    let ball = point(1.0, 9.81, Law::coulomb(0.3), |_, _, _| 0.0, |_| 0.0);
    let start = State::new(vec![1.0, 0.0], vec![1.0, 1e-15]);
    let model = Generalised::new(&ball).unwrap();
    let report = run_event_driven(&model, &start, &Settings::default(), &mut ()).unwrap();
    let moved = StartMoved { coordinate: 0.0, velocity: 1e-15 };
    assert_eq!((report.impacts, report.start_moved), (0, Some(moved)));
}

#[test]
fn a_start_deep_inside_a_contact_is_refused_with_contact_depth_and_cure() {
    let mass = MassProperties::sphere(2.0, 0.5).unwrap();
    let ball = Shape::Sphere(DVec3::ZERO, 0.5);
    let world = on_ground(mass, &[ball], &Law::disc(0.3));
    let start = place(&world, 0.49 * DVec3::Z, DVec3::X, DVec3::ZERO);
    let refused = run_event_driven(&world, &start, &Settings::default(), &mut ());
    let Err(error @ Error::StartInside { contact: 0, depth, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert!((depth - 0.01).abs() < 1e-15, "{depth}");
    let text = error.to_string();
    for part in ["contact 0", "0.01", "gap of 0 or more", "time-stepping"] {
        assert!(text.contains(part), "{text}");
    }
}
