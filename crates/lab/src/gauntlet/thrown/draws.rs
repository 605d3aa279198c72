//! What is thrown: worlds with a start, from random numbers.

use super::Thing;
use super::corner::Corner;
use crate::gauntlet::given::{BOTH, G, floor, ground, stand};
use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;
use stickslip::Error;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{Body, Joint, JointKind, MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;
use stickslip_studies::Draw;

/// Friction and restitution, which all contacts of a throw share.
fn law(draw: &mut Draw, plastic: bool) -> Law {
    let eps = if draw.chance(0.4) { 0.0 } else { draw.between(0.0, 0.9) };
    let mu = draw.between(0.0, 1.2);
    Law::disc(mu).with_restitution(if plastic { 0.0 } else { eps }, 0.0)
}

fn vector(draw: &mut Draw) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| draw.between(-1.0, 1.0)))
}

fn edges(draw: &mut Draw, size: f64) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| size * draw.between(0.5, 2.0)))
}

fn mass(draw: &mut Draw) -> f64 {
    draw.log_between(0.01, 1e3)
}

/// A twist of the velocities that a fall by the size has.
fn twist(draw: &mut Draw, size: f64) -> Twist {
    let speed = (G * size).sqrt();
    let linear = speed * vector(draw);
    Twist { linear, angular: speed / size * vector(draw) }
}

/// One box that spins, or two or three on each other that are pushed.
pub(super) fn boxes(draw: &mut Draw, plastic: bool) -> Result<Thing, Error> {
    let mut world = ground()?;
    let size = draw.log_between(0.01, 3.0);
    let law = law(draw, plastic);
    let count = draw.whole(1, 3);
    let (mut below, mut height, mut weight) = ((World::GROUND, floor()), 0.0, 0.0);
    let mut poses = Vec::new();
    for _ in 0..count {
        let edges = edges(draw, size);
        let mass = mass(draw);
        weight += mass * G;
        let cuboid = world.body(MassProperties::cuboid(mass, edges)?);
        if count == 1 {
            stand_on_all(&mut world, (cuboid, edges), below.0, below.1, &law)?;
        } else {
            stand(&mut world, (cuboid, edges), below.0, below.1, &law, &BOTH)?;
            below = (cuboid, Shape::Plane(DVec3::Z * 0.5 * edges.z, DVec3::Z));
        }
        let twist = twist(draw, size);
        let (rotation, twist, gap) = if count == 1 {
            (DQuat::from_scaled_axis(3.0 * vector(draw)), twist, 2.0 * size)
        } else {
            (DQuat::IDENTITY, Twist { linear: 0.1 * twist.linear, ..Twist::default() }, 0.0)
        };
        let position = DVec3::Z * (height + gap + 0.5 * edges.z);
        height += gap + edges.z;
        poses.push((Pose { position, rotation }, twist));
    }
    let start = world.state(&poses)?;
    Ok(Thing { world, start, size, scale: weight * size })
}

/// All eight corners of a box on a plane of another body.
fn stand_on_all(
    world: &mut World,
    (cuboid, edges): (Body, DVec3),
    lower: Body,
    plane: Shape,
    law: &Law,
) -> Result<(), Error> {
    stand(world, (cuboid, edges), lower, plane, law, &BOTH)?;
    for (x, y) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] {
        let corner = Shape::Point(edges * DVec3::new(x, y, 0.5));
        world.contact(cuboid, lower, pair(corner, plane)?, law.clone())?;
    }
    Ok(())
}

/// Boxes above each other, tilted a little, that fall on the ground and on each other.
pub(super) fn stacks(draw: &mut Draw, plastic: bool) -> Result<Thing, Error> {
    let mut world = ground()?;
    let size = draw.log_between(0.01, 3.0);
    let law = law(draw, plastic);
    let (mut height, mut weight) = (0.0, 0.0);
    let (mut boxes, mut poses): (Vec<(Body, DVec3)>, _) = (Vec::new(), Vec::new());
    for _ in 0..draw.whole(2, 5) {
        let edges = edges(draw, size);
        let mass = mass(draw);
        weight += mass * G;
        let cuboid = world.body(MassProperties::cuboid(mass, edges)?);
        stand_on_all(&mut world, (cuboid, edges), World::GROUND, floor(), &law)?;
        for &other in &boxes {
            corners_on_box(&mut world, (cuboid, edges), other, &law)?;
            corners_on_box(&mut world, other, (cuboid, edges), &law)?;
        }
        boxes.push((cuboid, edges));
        // Half of the diagonal: boxes do not touch at the start, however they are tilted.
        let reach = 0.5 * edges.length();
        height += reach;
        let rotation = DQuat::from_scaled_axis(0.2 * vector(draw));
        let Twist { linear, angular } = twist(draw, size);
        let twist = Twist { linear: 0.1 * linear, angular: 0.1 * angular };
        poses.push((Pose { position: DVec3::Z * height, rotation }, twist));
        height += reach + draw.between(0.0, 0.5) * size;
    }
    let start = world.state(&poses)?;
    // The shortest edge that a box may have.
    Ok(Thing { world, start, size: 0.5 * size, scale: weight * size })
}

/// The eight corners of a box, as shares of its edges.
fn corners() -> impl Iterator<Item = DVec3> {
    let side = |bit: usize| if bit == 0 { -0.5 } else { 0.5 };
    (0..8).map(move |i| DVec3::new(side(i & 1), side(i & 2), side(i & 4)))
}

/// All eight corners of a box against another one.
fn corners_on_box(
    world: &mut World,
    (first, edges): (Body, DVec3),
    (second, other): (Body, DVec3),
    law: &Law,
) -> Result<(), Error> {
    for corner in corners() {
        let touch = Corner { point: edges * corner, half: 0.5 * other };
        world.contact(first, second, Arc::new(touch), law.clone())?;
    }
    Ok(())
}

/// A body of spheres in a row along x: its centres and their radius.
struct Row {
    body: Body,
    spheres: Vec<DVec3>,
    radius: f64,
    half: f64,
    mass: f64,
}

impl Row {
    fn new(draw: &mut Draw, world: &mut World, size: f64, count: i64) -> Result<Self, Error> {
        let (radius, half) = (size * draw.between(0.15, 0.5), size * draw.between(0.5, 2.0));
        let mass = mass(draw);
        let body = world.body(spheres_in_a_row(mass, radius, half, count)?);
        let place = |i: i64| DVec3::X * half * (2.0 * i as f64 / (count - 1) as f64 - 1.0);
        Ok(Self { body, spheres: (0..count).map(place).collect(), radius, half, mass })
    }

    fn on_ground(&self, world: &mut World, law: &Law) -> Result<(), Error> {
        for &centre in &self.spheres {
            let touch = pair(Shape::Sphere(centre, self.radius), floor())?;
            world.contact(self.body, World::GROUND, touch, law.clone())?;
        }
        Ok(())
    }

    fn against(&self, other: &Self, world: &mut World, law: &Law) -> Result<(), Error> {
        for &a in &self.spheres {
            for &b in &other.spheres {
                let touch = pair(Shape::Sphere(a, self.radius), Shape::Sphere(b, other.radius))?;
                world.contact(self.body, other.body, touch, law.clone())?;
            }
        }
        Ok(())
    }

    /// The size beside which penetration is measured.
    fn size(&self) -> f64 {
        2.0 * self.radius
    }
}

/// Solid spheres of one mass at equal distances from −half to half on x.
fn spheres_in_a_row(
    mass: f64,
    radius: f64,
    half: f64,
    count: i64,
) -> Result<MassProperties, Error> {
    let each = mass / count as f64;
    let own = 0.4 * mass * radius * radius;
    let square = |i: i64| (half * (2.0 * i as f64 / (count - 1) as f64 - 1.0)).powi(2);
    let across = own + each * (0..count).map(square).sum::<f64>();
    MassProperties::new(mass, DMat3::from_diagonal(DVec3::new(own, across, across)))
}

/// One to three rows of spheres, above each other, that spin.
pub(super) fn capsules(draw: &mut Draw, plastic: bool) -> Result<Thing, Error> {
    let mut world = ground()?;
    let size = draw.log_between(0.01, 3.0);
    let law = law(draw, plastic);
    let (mut rows, mut poses): (Vec<Row>, _) = (Vec::new(), Vec::new());
    let mut height = 0.0;
    for _ in 0..draw.whole(1, 3) {
        let count = draw.whole(2, 3);
        let row = Row::new(draw, &mut world, size, count)?;
        row.on_ground(&mut world, &law)?;
        for other in &rows {
            row.against(other, &mut world, &law)?;
        }
        let reach = row.half + row.radius;
        height += reach + draw.between(0.0, 1.0) * size;
        let rotation = DQuat::from_scaled_axis(3.0 * vector(draw));
        poses.push((Pose { position: DVec3::Z * height, rotation }, twist(draw, size)));
        height += reach;
        rows.push(row);
    }
    let start = world.state(&poses)?;
    Ok(thing(world, start, &rows))
}

/// Links in a row, joined at their ends, that are thrown as one body.
pub(super) fn chains(draw: &mut Draw, plastic: bool) -> Result<Thing, Error> {
    let mut world = ground()?;
    let size = draw.log_between(0.01, 3.0);
    let law = law(draw, plastic);
    let rotation = DQuat::from_scaled_axis(3.0 * vector(draw));
    let Twist { linear, angular } = twist(draw, size);
    // Some radians per time of fall at the ends of a chain of several links.
    let angular = 0.3 * angular;
    let (mut rows, mut levers): (Vec<Row>, Vec<DVec3>) = (Vec::new(), Vec::new());
    let mut along = 0.0;
    for _ in 0..draw.whole(2, 6) {
        let row = Row::new(draw, &mut world, size, 2)?;
        row.on_ground(&mut world, &law)?;
        if let Some(last) = rows.last() {
            let turned = DQuat::from_rotation_x(draw.between(0.0, std::f64::consts::PI));
            let kind = if draw.chance(0.5) { JointKind::Spherical } else { JointKind::Revolute };
            let at = |x: f64| Pose { position: DVec3::X * x, rotation: turned };
            let joint = Joint { kind, on_first: at(last.half), on_second: at(-row.half) };
            world.joint(last.body, row.body, joint)?;
        }
        levers.push(rotation * DVec3::X * (along + row.half));
        along += 2.0 * row.half;
        rows.push(row);
    }
    let height = along + draw.between(0.5, 1.5) * size;
    let motion = |&lever: &DVec3| {
        let pose = Pose { position: DVec3::Z * height + lever, rotation };
        (pose, Twist { linear: linear + angular.cross(lever), angular })
    };
    let poses: Vec<_> = levers.iter().map(motion).collect();
    let mut start = world.state(&poses)?;
    world.assemble(&mut start)?;
    Ok(thing(world, start, &rows))
}

fn thing(world: World, start: stickslip::State, rows: &[Row]) -> Thing {
    let size = rows.iter().map(Row::size).fold(f64::INFINITY, f64::min);
    let weight: f64 = rows.iter().map(|row| row.mass * G).sum();
    Thing { world, start, size, scale: weight * size }
}
