//! Bodies in space: a rod on a hinge knocks a box off its place; both come to rest by friction alone.

use glam::{DQuat, DVec3};
use stickslip::bodies::forces::{Anchor, Spring};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{Joint, JointKind, MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;
use stickslip::run::{Event, EventKind, Flow, Observer, Sample, Settings, run};

/// Prints impacts as they happen.
struct Listener;

impl Observer for Listener {
    fn sample(&mut self, _: &Sample<'_>) -> Flow {
        Flow::Continue
    }

    fn event(&mut self, event: &Event) {
        if event.kind == EventKind::Impact && event.contact == 0 {
            let (t, [normal, _]) = (event.t, event.impulse);
            println!("t = {t:.3} s: the rod hits the box with {normal:.3} N s");
        }
    }
}

fn main() -> Result<(), stickslip::Error> {
    // ANCHOR: world
    let mut world = World::new(DVec3::new(0.0, 0.0, -9.81))?;
    // A rod of 0.5 m along x, and a box with edges of 0.2 m.
    let rod = world.body(MassProperties::cuboid(1.0, DVec3::new(0.5, 0.02, 0.02))?);
    let cube = world.body(MassProperties::cuboid(2.0, DVec3::splat(0.2))?);

    // The rod hangs from a point 0.6 m above the ground; the axis of its hinge, z of the joint's frames, is y of the world.
    let axis = DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    let at = |position| Pose { position, rotation: axis };
    let hinge = Joint {
        kind: JointKind::Revolute,
        on_first: at(DVec3::new(0.0, 0.0, 0.6)),
        on_second: at(DVec3::new(-0.25, 0.0, 0.0)),
    };
    let hinge = world.joint(World::GROUND, rod, hinge)?;
    // Dry friction in a pin of 10 mm, by the load that it bears.
    world.pin_friction(hinge, 0.2, 0.01)?;
    // ANCHOR_END: world

    // ANCHOR: contacts
    // The tip of the rod is a ball that meets the face x = −0.1 m of the box.
    let face = Shape::Plane(DVec3::new(-0.1, 0.0, 0.0), DVec3::NEG_X);
    let tip = Shape::Sphere(DVec3::new(0.25, 0.0, 0.0), 0.02);
    world.contact(rod, cube, pair(tip, face)?, Law::disc(0.2).with_restitution(0.3, 0.0))?;
    // The box stands on its four lower corners.
    let floor = Shape::Plane(DVec3::ZERO, DVec3::Z);
    for (x, y) in [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)] {
        let corner = Shape::Point(DVec3::new(x, y, -0.1));
        world.contact(cube, World::GROUND, pair(corner, floor)?, Law::disc(0.4))?;
    }
    // A soft spring ties the box to the post.
    let (from, to) = (Anchor::world(DVec3::new(0.0, 0.0, 0.1)), Anchor::on(cube, DVec3::ZERO));
    world.force(Spring { from, to, stiffness: 5.0, length: 0.12 })?;
    // ANCHOR_END: contacts

    // ANCHOR: run
    // The rod starts level, to the left; the box rests where the rod will hang.
    let level = DQuat::from_rotation_y(std::f64::consts::PI);
    let start = world.state(&[
        (Pose { position: DVec3::new(-0.25, 0.0, 0.6), rotation: level }, Twist::default()),
        (Pose::at(DVec3::new(0.12, 0.0, 0.1)), Twist::default()),
    ])?;
    let settings = Settings { t_end: 2.0, dt: 1e-3, ..Settings::default() };
    let report = run(&world, &start, &settings, &mut Listener, &mut ())?;
    let (pose, twist) = world.motion(cube, &report.state);
    println!(
        "the box slid to x = {:.4} m and moves with {:.1e} m/s",
        pose.position.x,
        twist.linear.length()
    );
    println!("worst certificate of {} steps: {:.1e}", report.steps, report.certificate.worst);
    // ANCHOR_END: run
    Ok(())
}
