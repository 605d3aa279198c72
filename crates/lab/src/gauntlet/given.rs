//! Bodies whose contacts are given one by one: what is thrown, and stacks and pyramids without the cost of finding contacts.

use glam::DVec3;
use stickslip::Error;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{Body, MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;
use stickslip_studies::gauntlet::Built;

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
fn top(height: f64) -> Shape {
    Shape::Plane(DVec3::Z * 0.5 * height, DVec3::Z)
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

/// Cubes of 0.2 m and 1 kg on each other.
///
/// # Errors
/// None that is expected.
pub fn stack(cubes: usize) -> Built {
    let mut world = ground()?;
    let (edges, law) = (DVec3::splat(0.2), Law::disc(0.5));
    let mut below = (World::GROUND, floor());
    let mut poses = Vec::new();
    for i in 0..cubes {
        let cube = world.body(MassProperties::cuboid(1.0, edges)?);
        stand(&mut world, (cube, edges), below.0, below.1, &law, &BOTH)?;
        below = (cube, top(edges.z));
        poses.push((Pose::at(DVec3::Z * (0.1 + 0.2 * i as f64)), Twist::default()));
    }
    let start = world.state(&poses)?;
    Ok((world, start))
}

/// Rows of such cubes, 10 mm apart, each on two of the row below with half of its corners.
///
/// # Errors
/// None that is expected.
pub fn pyramid(rows: usize) -> Built {
    let mut world = ground()?;
    let (edges, law) = (DVec3::splat(0.2), Law::disc(0.5));
    let (mut below, mut poses): (Vec<Body>, _) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let mut here = Vec::new();
        for i in 0..rows - row {
            let cube = (world.body(MassProperties::cuboid(1.0, edges)?), edges);
            if row == 0 {
                stand(&mut world, cube, World::GROUND, floor(), &law, &BOTH)?;
            } else {
                stand(&mut world, cube, below[i], top(edges.z), &law, &[-0.5])?;
                stand(&mut world, cube, below[i + 1], top(edges.z), &law, &[0.5])?;
            }
            here.push(cube.0);
            let x = 0.21 * (i as f64 + 0.5 * row as f64);
            let position = DVec3::new(x, 0.0, 0.1 + 0.2 * row as f64);
            poses.push((Pose::at(position), Twist::default()));
        }
        below = here;
    }
    let start = world.state(&poses)?;
    Ok((world, start))
}
