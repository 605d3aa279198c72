//! The smooth motion of the event-driven integrator allocates nothing, however long it is.

use glam::{DQuat, DVec3};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{Joint, JointKind, MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;
use stickslip::events::{EventDriven, Settings};
use stickslip::model::Generalised;
use stickslip::models::Woodpecker;
use stickslip::system::State;

/// Allocations and evaluations in a motion without events.
fn count(system: Woodpecker, start: &State) -> (u64, usize) {
    let model = Generalised::new(system.system()).unwrap();
    let mut motion = EventDriven::new(&model, start, &Settings::default()).unwrap();
    motion.advance(0.05, None, &mut ()).unwrap();
    let (modes, before) = (motion.modes().to_vec(), motion.evaluations());
    let made = allocation_counter::measure(|| {
        motion.advance(20.0, None, &mut ()).unwrap();
    });
    assert_eq!(motion.modes(), modes, "the test is about a motion without events");
    (made.count_total, motion.evaluations() - before)
}

#[test]
fn steps_of_a_free_motion_allocate_nothing() {
    // A sleeve too wide and a beak too short to touch.
    let free = Woodpecker { r_m: 1.0, l_s: -1.0, ..Woodpecker::default() };
    let (allocations, evaluations) = count(free, &Woodpecker::start());
    assert!(evaluations > 100_000, "{evaluations}");
    assert_eq!(allocations, 0);
}

#[test]
fn steps_of_a_sticking_motion_allocate_where_rounding_is_projected_away() {
    // The sleeve clamped on its lower edge, the bird at a small swing: it sticks for ever.
    let clamped = Woodpecker { mu: 5.0, ..Woodpecker::default() };
    let start = State::new(vec![0.0, -0.6e-3 / 5.8e-3, -0.25], vec![0.0, 0.0, 0.5]);
    let (allocations, evaluations) = count(clamped, &start);
    assert!(evaluations > 10_000, "{evaluations}");
    assert!(allocations < evaluations as u64 / 100, "{allocations} {evaluations}");
}

#[test]
fn steps_of_a_body_that_rolls_in_space_allocate_where_rounding_is_projected_away() {
    // A disc that rolls straight on, for ever.
    let r = 0.2;
    let mut world = World::new(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    let body = world.body(MassProperties::cylinder(0.7, r, 0.0).unwrap());
    let edge = Shape::Disc(DVec3::ZERO, DVec3::Z, r);
    let touching = pair(edge, Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
    world.contact(body, World::GROUND, touching, Law::disc(1.0)).unwrap();
    let pose = Pose {
        position: DVec3::new(0.0, 0.0, r),
        rotation: DQuat::from_rotation_arc(DVec3::Z, DVec3::Y),
    };
    let twist = Twist { linear: 3.0 * DVec3::X, angular: 3.0 / r * DVec3::Y };
    let start = world.state(&[(pose, twist)]).unwrap();
    let mut motion = EventDriven::new(&world, &start, &Settings::default()).unwrap();
    motion.advance(0.5, None, &mut ()).unwrap();
    let before = motion.evaluations();
    let made = allocation_counter::measure(|| {
        motion.advance(10.0, None, &mut ()).unwrap();
    });
    let evaluations = (motion.evaluations() - before) as u64;
    assert!(evaluations > 3000, "{evaluations}");
    assert!(made.count_total < evaluations / 10, "{} {evaluations}", made.count_total);
}

#[test]
fn steps_of_joined_bodies_allocate_nothing() {
    // Three rods that hang on each other by ball joints.
    let mut world = World::new(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    let mass = MassProperties::cuboid(1.0, DVec3::new(0.1, 0.1, 0.4)).unwrap();
    let (mut last, mut motions) = (World::GROUND, Vec::new());
    for i in 0..3 {
        let body = world.body(mass);
        let on_first = Pose::at(if i == 0 { DVec3::ZERO } else { 0.2 * DVec3::X });
        let on_second = Pose::at(-0.2 * DVec3::X);
        let joint = Joint { kind: JointKind::Spherical, on_first, on_second };
        world.joint(last, body, joint).unwrap();
        let position = (0.4 * f64::from(i) + 0.2) * DVec3::X;
        motions.push((Pose::at(position), Twist::default()));
        last = body;
    }
    let start = world.state(&motions).unwrap();
    let mut motion = EventDriven::new(&world, &start, &Settings::default()).unwrap();
    motion.advance(1.5, None, &mut ()).unwrap();
    let before = motion.evaluations();
    let made = allocation_counter::measure(|| {
        motion.advance(3.0, None, &mut ()).unwrap();
    });
    let evaluations = motion.evaluations() - before;
    assert!(evaluations > 1000, "{evaluations}");
    assert_eq!(made.count_total, 0);
}
