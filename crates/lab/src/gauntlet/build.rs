//! What the worlds of the gauntlet are put together from.

use glam::DVec3;
use stickslip::Error;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{Body, Pose, Shape, Twist, World};
use stickslip::contact::Law;

/// The acceleration of gravity, in m/s².
pub(super) const G: f64 = 9.81;

/// Both ends of a box along x, as shares of its edge.
pub(super) const BOTH: [f64; 2] = [-0.5, 0.5];

/// A world with gravity along −z.
pub(super) fn ground() -> Result<World, Error> {
    World::new(DVec3::new(0.0, 0.0, -G))
}

/// The ground's surface.
pub(super) fn floor() -> Shape {
    Shape::Plane(DVec3::ZERO, DVec3::Z)
}

/// The upper face of a box of this height, as a plane without edges.
pub(super) fn top(height: f64) -> Shape {
    Shape::Plane(DVec3::Z * 0.5 * height, DVec3::Z)
}

/// At rest at this place.
pub(super) fn at(position: DVec3) -> (Pose, Twist) {
    (Pose::at(position), Twist::default())
}

/// The lower corners of a box of these edges, at these ends along x, on the plane of another body.
pub(super) fn stand(
    world: &mut World,
    (upper, edges): (Body, DVec3),
    lower: Body,
    plane: Shape,
    law: &Law,
    ends: &[f64],
) -> Result<(), Error> {
    for &x in ends {
        for y in BOTH {
            let corner = Shape::Point(edges * DVec3::new(x, y, -0.5));
            world.contact(upper, lower, pair(corner, plane)?, law.clone())?;
        }
    }
    Ok(())
}

/// Points of one body on a plane of another.
pub(super) fn touch(
    world: &mut World,
    (upper, points): (Body, &[DVec3]),
    (lower, plane): (Body, Shape),
    law: &Law,
) -> Result<(), Error> {
    for &point in points {
        world.contact(upper, lower, pair(Shape::Point(point), plane)?, law.clone())?;
    }
    Ok(())
}
