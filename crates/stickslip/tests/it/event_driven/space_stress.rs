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

#[test]
fn boxes_thrown_on_the_ground_tumble_slide_and_come_to_rest() {
    let edges = DVec3::new(0.5, 0.4, 0.3);
    let mass = MassProperties::cuboid(1.0, edges).unwrap();
    let mut corners = Vec::new();
    for i in 0..8 {
        let side = |bit: usize| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
        corners.push(Shape::Point(edges * DVec3::new(side(0), side(1), side(2))));
    }
    // A sequence that covers (0, 1) evenly.
    let mut seed = 0.5_f64;
    let mut next = move || {
        seed = (seed + 0.618_033_988_749_895).fract();
        2.0 * seed - 1.0
    };
    let mut failures = Vec::new();
    for i in 0..40 {
        let mut vector = || DVec3::new(next(), next(), next());
        let (turn, v, w) = (3.0 * vector(), 2.0 * vector(), 4.0 * vector());
        let law =
            Law::disc(0.2 + 0.01 * f64::from(i)).with_restitution(0.1 * f64::from(i % 4), 0.0);
        let mut world = on_ground(mass, &corners, &law);
        let pose = Pose { position: 0.8 * DVec3::Z, rotation: DQuat::from_scaled_axis(turn) };
        let start = world.state(&[(pose, Twist { linear: v, angular: w })]).unwrap();
        let settings = Settings {
            t_end: 3.0,
            sample_every: 0.01,
            max_steps: 10_000,
            max_events: 1000,
            ..Settings::default()
        };
        let mut deepest = Deepest::default();
        let report = run_event_driven(&mut world, &start, &settings, &mut deepest).unwrap();
        let change = report.energy_end.total() - report.energy_start.total();
        let off = (change - report.contact_work).abs() / report.energy_start.total();
        let speed = report.state.u.iter().fold(0.0_f64, |m, u| m.max(u.abs()));
        let good = report.end == End::Finished && off < 1e-11 && speed < 1e-9 && deepest.0 > -1e-9;
        if !good {
            failures.push(format!(
                "{i}: {:?} energy {off:e} speed {speed:e} depth {:e} steps {} events {}",
                report.end, deepest.0, report.steps, report.events
            ));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
