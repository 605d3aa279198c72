//! The cases: worlds of boxes and balls that stand, slide, roll and bounce.

use super::{Built, Measured, moved};
use glam::DVec3;
use stickslip::Error;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{Body, MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;

const G: f64 = 9.81;

/// One motion with a known end.
pub struct Case {
    /// Its name in tables.
    pub name: &'static str,
    /// What is measured.
    pub quantity: &'static str,
    /// What it should be.
    pub exact: f64,
    /// Step and end time, in seconds.
    pub dt: f64,
    /// The end time.
    pub t_end: f64,
    /// Whether its contacts have restitution, which `gap_level` refuses.
    pub bounces: bool,
    /// The world and its start.
    pub build: Box<dyn Fn() -> Built>,
    /// The value from start and end.
    pub measure: Measured,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The cases; those that take long only if asked for.
pub fn cases(long: bool) -> Vec<Case> {
    let case = |name, quantity, build: Box<dyn Fn() -> Built>| Case {
        name,
        quantity,
        exact: 0.0,
        dt: 1e-3,
        t_end: 10.0,
        bounces: false,
        build,
        measure: Box::new(moved),
    };
    let mut all = vec![
        case("box at rest on a slope of 25°, μ 0.5", "creep, m", Box::new(|| slope(25.0, 0.5))),
        Case {
            exact: 0.5 * G * (sin(30.0) - 0.3 * cos(30.0)),
            t_end: 1.0,
            ..case("box on a slope of 30°, μ 0.3", "way in 1 s, m", Box::new(|| slope(30.0, 0.3)))
        },
        Case {
            t_end: 0.2,
            measure: Box::new(|a, b| (b.q[2] - a.q[2]).abs()),
            ..case("box that slides at 3 m/s, μ 0.5", "lift, m", Box::new(|| sliding(3.0)))
        },
        case("stack of 10 cubes", "largest displacement, m", Box::new(|| stack(10, |_| 1.0))),
        case("stack of 20 cubes", "largest displacement, m", Box::new(|| stack(20, |_| 1.0))),
        case("1,000 kg on 1 kg", "largest displacement, m", Box::new(|| stack(2, heavy(1e3)))),
        case("10⁶ kg on 1 kg", "largest displacement, m", Box::new(|| stack(2, heavy(1e6)))),
        case("pyramid of 15 bricks", "largest displacement, m", Box::new(|| pyramid(5))),
        Case {
            exact: 5.0 / 7.0 * 2.0,
            t_end: 2.0,
            measure: Box::new(|_, b| b.u[0]),
            ..case("ball at 2 m/s that comes to roll", "velocity, m/s", Box::new(|| rolling(2.0)))
        },
        Case {
            exact: 1.0,
            dt: 1e-3,
            t_end: bounces(1.0, 5),
            bounces: true,
            measure: Box::new(|_, b| b.q[2] - 0.1),
            ..case("ball with ε 1, five bounces from 1 m", "height, m", Box::new(|| ball(1.0)))
        },
    ];
    if long {
        let moves = "largest displacement, m";
        all.push(case("10⁹ kg on 1 kg", moves, Box::new(|| stack(2, heavy(1e9)))));
        all.push(case("pyramid of 55 bricks", moves, Box::new(|| pyramid(10))));
        all.push(case("pyramid of 210 bricks", moves, Box::new(|| pyramid(20))));
    }
    all
}

fn sin(degrees: f64) -> f64 {
    degrees.to_radians().sin()
}

fn cos(degrees: f64) -> f64 {
    degrees.to_radians().cos()
}

fn heavy(mass: f64) -> fn(usize) -> f64 {
    match mass {
        1e3 => |i| if i == 1 { 1e3 } else { 1.0 },
        1e6 => |i| if i == 1 { 1e6 } else { 1.0 },
        _ => |i| if i == 1 { 1e9 } else { 1.0 },
    }
}

/// The time after which a ball that loses nothing is at the top of its flight again.
fn bounces(height: f64, count: u32) -> f64 {
    2.0 * f64::from(count) * (2.0 * height / G).sqrt()
}

/// The four lower corners of a box of these edges on the plane of another body.
pub(super) fn stand(
    world: &mut World,
    (upper, edges): (Body, DVec3),
    lower: Body,
    plane: Shape,
    law: &Law,
    sides: &[f64],
) -> Result<(), Error> {
    for &x in sides {
        for y in [-0.5, 0.5] {
            let corner = Shape::Point(edges * DVec3::new(x, y, -0.5));
            world.contact(upper, lower, pair(corner, plane)?, law.clone())?;
        }
    }
    Ok(())
}

fn floor() -> Shape {
    Shape::Plane(DVec3::ZERO, DVec3::Z)
}

fn at(x: f64, z: f64) -> (Pose, Twist) {
    (Pose::at(DVec3::new(x, 0.0, z)), Twist::default())
}

fn slope(degrees: f64, mu: f64) -> Built {
    let mut world = World::new(G * DVec3::new(sin(degrees), 0.0, -cos(degrees)))?;
    let edges = DVec3::new(0.4, 0.3, 0.2);
    let cuboid = world.body(MassProperties::cuboid(2.0, edges)?);
    stand(&mut world, (cuboid, edges), World::GROUND, floor(), &Law::disc(mu), &[-0.5, 0.5])?;
    let start = world.state(&[at(0.0, 0.1)])?;
    Ok((world, start))
}

fn sliding(speed: f64) -> Built {
    let (world, mut start) = slope(0.0, 0.5)?;
    start.u[0] = speed;
    Ok((world, start))
}

/// Cubes on each other, the lowest on the ground.
///
/// # Errors
/// None for positive masses.
pub fn stack(count: usize, mass: fn(usize) -> f64) -> Built {
    let mut world = World::new(DVec3::new(0.0, 0.0, -G))?;
    let (edges, law) = (DVec3::splat(0.2), Law::disc(0.5));
    let mut below = (World::GROUND, floor());
    let mut poses = Vec::new();
    for i in 0..count {
        let cube = world.body(MassProperties::cuboid(mass(i), edges)?);
        stand(&mut world, (cube, edges), below.0, below.1, &law, &[-0.5, 0.5])?;
        below = (cube, Shape::Plane(DVec3::Z * 0.1, DVec3::Z));
        poses.push(at(0.0, 0.1 + 0.2 * i as f64));
    }
    let start = world.state(&poses)?;
    Ok((world, start))
}

/// Rows of bricks, each on two of the row below.
///
/// # Errors
/// None.
pub fn pyramid(rows: usize) -> Built {
    let mut world = World::new(DVec3::new(0.0, 0.0, -G))?;
    let (edges, law) = (DVec3::new(0.4, 0.2, 0.2), Law::disc(0.5));
    let top = Shape::Plane(DVec3::Z * 0.1, DVec3::Z);
    let (mut below, mut poses): (Vec<Body>, _) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let mut here = Vec::new();
        for i in 0..rows - row {
            let brick = (world.body(MassProperties::cuboid(1.0, edges)?), edges);
            if row == 0 {
                stand(&mut world, brick, World::GROUND, floor(), &law, &[-0.5, 0.5])?;
            } else {
                stand(&mut world, brick, below[i], top, &law, &[-0.5])?;
                stand(&mut world, brick, below[i + 1], top, &law, &[0.5])?;
            }
            here.push(brick.0);
            poses.push(at(0.42 * i as f64 + 0.21 * row as f64, 0.1 + 0.2 * row as f64));
        }
        below = here;
    }
    let start = world.state(&poses)?;
    Ok((world, start))
}

fn sphere(law: Law, height: f64, speed: f64) -> Built {
    let mut world = World::new(DVec3::new(0.0, 0.0, -G))?;
    let ball = world.body(MassProperties::sphere(1.0, 0.1)?);
    world.contact(ball, World::GROUND, pair(Shape::Sphere(DVec3::ZERO, 0.1), floor())?, law)?;
    let mut start = world.state(&[at(0.0, height + 0.1)])?;
    start.u[0] = speed;
    Ok((world, start))
}

fn rolling(speed: f64) -> Built {
    sphere(Law::disc(0.3), 0.0, speed)
}

fn ball(eps: f64) -> Built {
    sphere(Law::disc(0.3).with_restitution(eps, 0.0), 1.0, 0.0)
}
