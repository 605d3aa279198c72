//! A ball on a turntable: its centre goes round a circle at 2/7 of the table's angular velocity.

use super::{G, Measure, Outcome, Ride};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;
use stickslip::step;

const RADIUS: f64 = 0.1;
const TABLE: f64 = 7.0;
const SPEED: f64 = 0.6;

fn ride() -> Result<Ride, stickslip::Error> {
    let mut world = World::new(DVec3::new(0.0, 0.0, -G))?;
    let angular = DVec3::new(0.0, 0.0, TABLE);
    let table = world.prescribed(move |t| {
        let rotation = DQuat::from_rotation_z(TABLE * t);
        (Pose { position: DVec3::ZERO, rotation }, Twist { linear: DVec3::ZERO, angular })
    });
    let body = world.body(MassProperties::sphere(1.0, RADIUS)?);
    let shapes = pair(Shape::Sphere(DVec3::ZERO, RADIUS), Shape::Plane(DVec3::ZERO, DVec3::Z))?;
    world.contact(body, table, shapes, Law::disc(0.8))?;
    let (x, v) = (DVec3::new(0.5, 0.0, RADIUS), DVec3::new(0.0, SPEED, 0.0));
    // Without slip: v + ω × (−r z) is the velocity of the table.
    let spin = DVec3::new(TABLE * x.x - v.y, TABLE * x.y + v.x, 0.0) / RADIUS;
    let state = world.state(&[(Pose::at(x), Twist { linear: v, angular: spin })])?;
    Ride::new(world, state, G * RADIUS)
}

/// Two rounds of the orbit: where it ends, its radius and how the speed grows.
///
/// # Errors
/// If a step has no answer.
pub fn turntable(settings: &step::Settings, sizes: &[f64]) -> Outcome<Vec<Measure>> {
    const CASE: &str = "ball on a turntable";
    let rate = 2.0 / 7.0 * TABLE;
    let round = TAU / rate;
    let mut radius = Measure::new(CASE, "radius of the orbit, m", SPEED / rate);
    let mut turning = Measure::new(CASE, "angular velocity of the orbit, rad/s", rate);
    let mut closing = Measure::new(CASE, "gap of the orbit after two rounds, m", 0.0);
    for &dt in sizes {
        let mut ride = ride()?.with(settings)?;
        let at = |ride: &Ride| DVec3::new(ride.state.q[0], ride.state.q[1], 0.0);
        let start = at(&ride);
        let (mut last, mut length) = (start, 0.0);
        let (mut heading, mut turned) = (DVec3::Y, 0.0);
        ride.go(2.0 * round, round / (round / dt).round(), |ride| {
            let v = DVec3::new(ride.state.u[0], ride.state.u[1], 0.0).normalize();
            turned += heading.cross(v).z.asin();
            heading = v;
            length += (at(ride) - last).length();
            last = at(ride);
        })?;
        radius.add(dt, length / turned, &ride);
        turning.add(dt, turned / ride.state.t, &ride);
        closing.add(dt, (at(&ride) - start).length(), &ride);
    }
    // The table works on the ball: its energy may rise.
    for measure in [&mut radius, &mut turning, &mut closing] {
        measure.driven = true;
    }
    Ok(vec![radius, turning, closing])
}
