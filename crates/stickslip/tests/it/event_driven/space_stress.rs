//! Boxes thrown on the ground in all ways.

use super::space::on_ground;
use glam::{DQuat, DVec3};
use stickslip::bodies::{MassProperties, Pose, Shape, Twist};
use stickslip::contact::Law;
use stickslip::events::{Settings, run_event_driven};
use stickslip::run::{End, Flow, Observer, Sample};

/// The deepest gap of all samples.
#[derive(Default)]
struct Deepest(f64);

impl Observer for Deepest {
    fn sample(&mut self, s: &Sample<'_>) -> Flow {
        self.0 = s.gaps.iter().fold(self.0, |m, g| m.min(*g));
        Flow::Continue
    }

    fn event(&mut self, _: &stickslip::run::Event) {}
}

/// The number-th start of a sequence that covers all of them evenly: a rotation vector, velocity and angular velocity.
fn start(number: u32) -> [DVec3; 3] {
    let mut seed = 0.5_f64;
    let mut next = || {
        seed = (seed + 0.618_033_988_749_895).fract();
        2.0 * seed - 1.0
    };
    (0..9 * number).for_each(|_| {
        next();
    });
    [3.0, 2.0, 4.0].map(|size| size * DVec3::new(next(), next(), next()))
}

/// Throws a box; what is wrong with its motion.
fn throw(number: u32, mu: f64) -> Option<String> {
    let edges = DVec3::new(0.5, 0.4, 0.3);
    let mass = MassProperties::cuboid(1.0, edges).unwrap();
    let mut corners = Vec::new();
    for i in 0..8 {
        let side = |bit: usize| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
        corners.push(Shape::Point(edges * DVec3::new(side(0), side(1), side(2))));
    }
    let [turn, linear, angular] = start(number);
    let law = Law::disc(mu).with_restitution(0.1 * f64::from(number % 4), 0.0);
    let world = on_ground(mass, &corners, &law);
    let pose = Pose { position: 0.8 * DVec3::Z, rotation: DQuat::from_scaled_axis(turn) };
    let start = world.state(&[(pose, Twist { linear, angular })]).unwrap();
    let settings = Settings {
        t_end: 3.0,
        sample_every: 0.01,
        max_steps: 10_000,
        max_events: 1000,
        ..Settings::default()
    };
    let mut deepest = Deepest::default();
    let report = run_event_driven(&world, &start, &settings, &mut deepest).unwrap();
    let change = report.energy_end.total() - report.energy_start.total();
    let off = (change - report.contact_work).abs() / report.energy_start.total();
    let speed = report.state.u.iter().fold(0.0_f64, |m, u| m.max(u.abs()));
    let good = report.end == End::Finished && off < 1e-11 && speed < 1e-9 && deepest.0 > -1e-9;
    (!good).then(|| {
        format!(
            "{number}: {:?} energy {off:e} speed {speed:e} depth {:e} steps {} events {}",
            report.end, deepest.0, report.steps, report.events
        )
    })
}

fn all_come_to_rest(throws: impl Iterator<Item = (u32, f64)>) {
    let failures: Vec<String> = throws.filter_map(|(number, mu)| throw(number, mu)).collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn boxes_thrown_on_the_ground_tumble_slide_and_come_to_rest() {
    all_come_to_rest((0..40).map(|i| (i, 0.2 + 0.01 * f64::from(i))));
}

#[test]
fn boxes_that_stick_by_redundant_forces_come_to_rest() {
    // Edges whose two ends stick: the friction along the edge is not unique, and even shares of it violate the law.
    all_come_to_rest([58, 101, 137].map(|i| (i, 0.2 + 0.01 * f64::from(i % 40))).into_iter());
}

#[test]
fn boxes_that_slip_as_slowly_as_rounding_lets_them_come_to_rest() {
    // Slips of 1e-7 and less of the velocities, whose directions are small differences, at coefficients of friction beyond 1.
    let slow = [104, 120, 133, 135, 140, 148, 149];
    all_come_to_rest(slow.map(|i| (i, 0.2 + 0.01 * f64::from(i))).into_iter());
}

#[test]
fn a_box_whose_stick_ends_where_no_slip_can_begin_goes_on() {
    // More friction would speed the slip up: sticking and sliding forces meet, and forces jump.
    all_come_to_rest([(136, 1.56)].into_iter());
}

#[test]
fn a_series_of_impacts_that_is_closed_ahead_of_its_time_may_turn_a_slip_round() {
    all_come_to_rest([(156, 1.76)].into_iter());
}
