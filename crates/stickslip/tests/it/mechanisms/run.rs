//! Runs of bodies in space: what is shown, added up and refused, and how they end.

use super::AnyModel;
use glam::{DQuat, DVec3};
use std::sync::Arc;
use stickslip::bodies::forces::Custom;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, Pose, Shape, Twist};
use stickslip::contact::Law;
use stickslip::contact::solve;
use stickslip::impact::ImpactLaw;
use stickslip::run::{End, Event, EventKind, Flow, Observer, Sample, Settings, run};
use stickslip::step::{self, Integrator};
use stickslip::system::State;

const G: f64 = 9.81;

fn ball(model: &mut AnyModel, height: f64, law: Law) -> State {
    model.body(MassProperties::sphere(1.0, 0.1).unwrap());
    let shapes = (Shape::Sphere(DVec3::ZERO, 0.1), Shape::Plane(DVec3::ZERO, DVec3::Z));
    model.contact(pair(shapes.0, shapes.1).unwrap(), law);
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
        let report = model.run(&start, &settings, &mut notes).unwrap();
        assert_eq!((&report.end, report.steps, report.impacts), (&End::Finished, 450, 1));
        // Ten at their regular times, and one just before and one just after the impact.
        let regular = |t: &&f64| (**t / 0.05 - (**t / 0.05).round()).abs() < 1e-9;
        let between: Vec<f64> = notes.times.iter().filter(|t| !regular(t)).copied().collect();
        assert_eq!((notes.times.len(), between.len()), (12, 2));
        assert!((between[1] - between[0] - 1e-3).abs() < 1e-12, "{between:?}");
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
        let report = model.run(&start, &settings, &mut notes).unwrap();
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
            let error = model.run(&start, &settings, &mut ());
            let error = error.unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
        let wrong = State { u: vec![0.0], ..start };
        let settings = Settings::default();
        assert!(model.run(&wrong, &settings, &mut ()).is_err());
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
        let report = model.run(&start, &settings, &mut ()).unwrap();
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
                let report = model.run(&start, &settings, &mut ()).unwrap();
                assert!(report.impacts > 0 && report.end == End::Finished, "{report:?}");
                let State { q, u, .. } = report.state;
                bits.push(q.into_iter().chain(u).map(f64::to_bits).collect::<Vec<_>>());
            }
        }
        assert!(bits.iter().all(|b| *b == bits[0]), "{bits:?}");
    }
}

/// A box of unequal edges on its corners, turned a little about the vertical.
fn cuboid(model: &mut AnyModel, height: f64, law: &Law) -> State {
    let edges = DVec3::new(0.4, 0.3, 0.2);
    model.body(MassProperties::cuboid(2.0, edges).unwrap());
    for (x, y) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] {
        let corner = Shape::Point(edges * DVec3::new(x, y, -0.5));
        let plane = Shape::Plane(DVec3::ZERO, DVec3::Z);
        model.contact(pair(corner, plane).unwrap(), law.clone());
    }
    let rotation = DQuat::from_rotation_z(0.3);
    let pose = Pose { position: DVec3::Z * (0.1 + height), rotation };
    model.state(&[(pose, Twist::default())])
}

#[test]
fn poissons_law_bounces_a_box_as_newtons_does_in_every_model() {
    for integrator in [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }] {
        for which in 0..3 {
            let rise = |impact| {
                let mut model = AnyModel::all(DVec3::Z * -G).into_iter().nth(which).unwrap();
                let law = Law::disc(0.5).with_restitution(0.5, 0.0);
                let start = cuboid(&mut model, 0.2, &law);
                let step = step::Settings { integrator, impact, ..step::Settings::default() };
                let settings = Settings { t_end: 0.3, step, ..Settings::default() };
                let report = model.run(&start, &settings, &mut ()).unwrap();
                assert_eq!(report.end, End::Finished, "{which} {integrator} {impact}");
                assert_eq!(report.energy_created.0, 0, "{which} {integrator} {impact}");
                model.motion(0, &report.state).1.linear.z
            };
            // It falls for √(2h/g) = 0.202 s and leaves with ε √(2gh).
            let exact = 0.5 * (2.0 * G * 0.2_f64).sqrt() - G * (0.3 - (0.4 / G).sqrt());
            let found = [rise(ImpactLaw::Newton), rise(ImpactLaw::Poisson)];
            for v in found {
                assert!((v - exact).abs() < 2e-2, "{which} {integrator}: {found:?} {exact}");
            }
        }
    }
}

#[test]
fn poissons_law_refuses_tangential_restitution_in_every_model() {
    for mut model in AnyModel::all(DVec3::Z * -G) {
        let start = ball(&mut model, 0.5, Law::disc(0.4).with_restitution(0.5, 0.3));
        let step = step::Settings { impact: ImpactLaw::Poisson, ..step::Settings::default() };
        let settings = Settings { step, ..Settings::default() };
        let error = model.run(&start, &settings, &mut ()).unwrap_err();
        assert!(error.to_string().contains("eps_t"), "{error}");
    }
}

#[test]
fn gap_level_gives_the_same_motion_by_both_impact_laws_since_it_has_no_restitution() {
    for which in 0..3 {
        let end = |impact| {
            let mut model = AnyModel::all(DVec3::Z * -G).into_iter().nth(which).unwrap();
            let start = cuboid(&mut model, 0.02, &Law::disc(0.5));
            let step = step::Settings {
                integrator: Integrator::GapLevel,
                impact,
                ..step::Settings::default()
            };
            let settings = Settings { t_end: 0.1, step, ..Settings::default() };
            model.run(&start, &settings, &mut ()).unwrap().state
        };
        assert_eq!(end(ImpactLaw::Newton), end(ImpactLaw::Poisson), "{which}");
    }
}

#[test]
fn the_formulation_of_planar_contacts_is_refused_for_bodies_by_every_integrator() {
    for integrator in Integrator::ALL {
        for mut model in AnyModel::all(DVec3::Z * -G) {
            let start = ball(&mut model, 0.5, Law::disc(0.4));
            let solve = Some(solve::Settings::default());
            let step = step::Settings { integrator, solve, ..step::Settings::default() };
            let settings = Settings { step, ..Settings::default() };
            let error = model.run(&start, &settings, &mut ()).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("glocker_studer cannot be used with"), "{integrator}: {text}");
        }
    }
}

#[test]
fn correction_moves_a_fallen_box_out_of_the_ground_in_every_model() {
    for which in 0..3 {
        let height = |correction| {
            let mut model = AnyModel::all(DVec3::Z * -G).into_iter().nth(which).unwrap();
            let start = cuboid(&mut model, 0.2, &Law::disc(0.5));
            let step = step::Settings { correction, ..step::Settings::default() };
            let settings = Settings { t_end: 0.5, dt: 5e-3, step, ..Settings::default() };
            let report = model.run(&start, &settings, &mut ()).unwrap();
            assert_eq!(report.end, End::Finished, "{which}");
            let (pose, twist) = model.motion(0, &report.state);
            assert!(twist.linear.length() < 1e-9 && twist.angular.length() < 1e-9, "{twist:?}");
            pose.position.z - 0.1
        };
        let [plain, corrected] = [false, true].map(height);
        assert!(plain < -1e-4, "{which}: {plain}");
        assert!(corrected.abs() < 1e-9, "{which}: {corrected}");
    }
}

#[test]
fn a_stepper_forgets_resting_contacts_of_a_state_that_it_did_not_leave() {
    for mut model in AnyModel::all(DVec3::Z * -G) {
        let rests = ball(&mut model, 0.1, Law::disc(0.4));
        let mut stepper = model.stepper(step::Settings::default()).unwrap();
        let mut state = rests.clone();
        stepper.step(&model, &mut state, 1e-2).unwrap().done().unwrap();
        assert_eq!(stepper.outcome().active, [0]);
        // One micrometre above the ground: at rest it would still take part.
        let mut lifted = rests.clone();
        lifted
            .q
            .iter_mut()
            .skip(2)
            .step_by(if model.velocities() == 12 { 3 } else { 100 })
            .for_each(|z| *z += 1e-6);
        lifted
            .u
            .iter_mut()
            .step_by(if model.velocities() == 12 { 3 } else { 100 })
            .for_each(|x| *x = 0.5);
        stepper.step(&model, &mut lifted, 1e-6).unwrap().done().unwrap();
        assert!(stepper.outcome().active.is_empty());
    }
}

/// The contact of a disc that rolls on its edge moves along a curve: that it approaches by as much in every step is no impact.
#[test]
fn a_disc_that_rolls_round_has_no_impacts_and_no_samples_of_them() {
    use stickslip::bodies::{MassProperties, Pose, Shape, Twist, World, proximity};
    let (r, lean) = (0.1, 0.6_f64);
    let mut world = World::new(DVec3::new(0.0, 0.0, -G)).unwrap();
    let disc = world.body(MassProperties::cylinder(0.4, r, 0.0).unwrap());
    let edge = Shape::Disc(DVec3::ZERO, DVec3::Z, r);
    let pair = proximity::pair(edge, Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
    world.contact(disc, World::GROUND, pair, Law::disc(5.0)).unwrap();
    let lowest = r * DVec3::new(lean.cos(), 0.0, -lean.sin());
    let angular = 9.0 * DVec3::Z;
    let rotation = glam::DQuat::from_rotation_y(lean);
    let pose = Pose { position: -lowest.z * DVec3::Z, rotation };
    let start = world.state(&[(pose, Twist { linear: -angular.cross(lowest), angular })]).unwrap();
    let settings = Settings { t_end: 0.09, dt: 1e-4, sample_dt: 0.01, ..Settings::default() };
    let mut notes = Notes::default();
    let report = run(&world, &start, &settings, &mut notes, &mut ()).unwrap();
    assert_eq!((&report.end, report.impacts, notes.times.len()), (&End::Finished, 0, 10));
}
