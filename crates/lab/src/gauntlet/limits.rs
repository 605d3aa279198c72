//! What stands on one side of a critical number and falls on the other: row G.

use super::arch::{arch, critical_thickness};
use super::build::{BOTH, at, floor, ground, stand, top, touch};
use super::{Built, Case, Goal, Span};
use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, TAU};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{Body, MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;

/// How far from the critical number a case is, as a share.
const SHARE: f64 = 1e-3;
/// What moved farther than this has fallen, in m.
const FALLEN: f64 = 1e-3;

/// All of them.
pub(super) fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let voussoirs = 11;
    let critical = critical_thickness(voussoirs);
    let name = format!("arch of {voussoirs} voussoirs, critical t/R {critical:.6}");
    all.extend(both(&name, move |share| arch(critical * share, voussoirs)));
    all.extend(both("5 bricks that overhang by ½ Σ 1/i", |share| overhang(5, 2.0 - share)));
    let name = format!("ladder, critical angle {:.4}°", critical_angle().to_degrees());
    all.extend(both(&name, |share| ladder(critical_angle() * share)));
    let (plane, space) = (critical_friction(0.5), critical_friction(3f64.sqrt().recip()));
    let name = format!("one cylinder on two, critical μ {plane:.6}");
    all.extend(both(&name, move |share| cylinders(plane * share)));
    let name = format!("one ball on three, critical μ {space:.6}");
    all.extend(both(&name, move |share| balls(space * share)));
    all
}

/// The case with a share of its critical number that is a little more than 1, with which it stands, and the one with a little less.
fn both(name: &str, build: impl Fn(f64) -> Built + Copy + 'static) -> [Case; 2] {
    let span = Span { t_end: 5.0, dt: 1e-3 };
    let stands = move || build(1.0 + SHARE);
    let falls = move || build(1.0 - SHARE);
    [
        Case { span, ..Case::still('G', format!("{name}: stands by 0.1 %"), stands) },
        Case {
            span,
            goal: Goal::More(FALLEN),
            ..Case::still('G', format!("{name}: falls by 0.1 %"), falls)
        },
    ]
}

/// Bricks of 0.2 m at the edge of a table. The i-th from above protrudes by 1/(2i) of its length over what is below it, times this
/// share: the centre of mass of the i upper ones then lies on the edge, so that together they overhang by ½ Σ 1/i.
fn overhang(bricks: usize, share: f64) -> Built {
    let mut world = ground()?;
    let (edges, law) = (DVec3::new(0.2, 0.1, 0.05), Law::disc(0.6));
    let under = Shape::Plane(DVec3::Z * -0.5 * edges.z, DVec3::NEG_Z);
    let edge = |z: f64, x: f64| BOTH.map(|y| DVec3::new(x, y * edges.y, z));
    // The front of what is below, in its own axes, and where this is.
    let mut below = (World::GROUND, floor(), edge(0.0, 0.0));
    let (mut front, mut poses) = (0.0, Vec::new());
    for i in (1..=bricks).rev() {
        let brick = world.body(MassProperties::cuboid(1.0, edges)?);
        stand(&mut world, (brick, edges), below.0, below.1, &law, &[-0.5])?;
        touch(&mut world, (below.0, &below.2), (brick, under), &law)?;
        front += share * edges.x / (2 * i) as f64;
        let height = edges.z * ((bricks - i) as f64 + 0.5);
        poses.push(at(DVec3::new(front - 0.5 * edges.x, 0.0, height)));
        below = (brick, top(edges.z), edge(0.5 * edges.z, 0.5 * edges.x));
    }
    let start = world.state(&poses)?;
    Ok((world, start))
}

/// Friction of the ladder with floor and wall.
const LADDER: f64 = 0.4;

/// The angle with the floor below which a ladder slips. With N and μN on the floor, the wall has μN and μ²N, and N (1 + μ²) is the
/// weight; moments about the foot are then in balance for tan φ = (1 − μ²) / 2μ.
fn critical_angle() -> f64 {
    (1.0 - LADDER * LADDER).atan2(2.0 * LADDER)
}

/// A ladder of 4 m on two feet, that leans on a wall with both ends, at this angle with the floor.
fn ladder(angle: f64) -> Built {
    let mut world = ground()?;
    let (edges, law) = (DVec3::new(0.05, 0.4, 4.0), Law::disc(LADDER));
    let body = world.body(MassProperties::cuboid(10.0, edges)?);
    let ends = |z: f64| BOTH.map(|y| edges * DVec3::new(0.0, y, z));
    let wall = Shape::Plane(DVec3::X * edges.z * angle.cos(), DVec3::NEG_X);
    touch(&mut world, (body, &ends(-0.5)), (World::GROUND, floor()), &law)?;
    touch(&mut world, (body, &ends(0.5)), (World::GROUND, wall), &law)?;
    let rotation = DQuat::from_rotation_y(FRAC_PI_2 - angle);
    let position = rotation * DVec3::Z * 0.5 * edges.z;
    let start = world.state(&[(Pose { position, rotation }, Twist::default())])?;
    Ok((world, start))
}

/// The friction with which a pile holds whose upper body is seen from the lower ones at an angle with this sine from the vertical.
/// A lower body has friction F with the floor and with the upper one, equal as their moments about its centre are in balance;
/// along the floor N sin α = F cos α + F, so that F/N = sin α / (1 + cos α) = tan α/2. The floor has more than N, and needs less.
fn critical_friction(sine: f64) -> f64 {
    (0.5 * sine.asin()).tan()
}

const RADIUS: f64 = 0.1;

/// Two cylinders that touch and one on them: tan 15°. Two spheres at the ends of each axis stand for their lines of contact.
fn cylinders(mu: f64) -> Built {
    let along = [-0.2, 0.2].map(|y| DVec3::Z * y);
    let across = DVec3::X * RADIUS;
    let above = DVec3::Z * RADIUS * 3f64.sqrt();
    let rotation = DQuat::from_rotation_x(-FRAC_PI_2);
    pile(
        mu,
        &along,
        rotation,
        MassProperties::cylinder(1.0, RADIUS, 0.4)?,
        &[-across, across],
        above,
    )
}

/// Three balls that touch and one on them: the sine is 1/√3, as their centres are the corners of a tetrahedron.
fn balls(mu: f64) -> Built {
    let far = 2.0 * RADIUS / 3f64.sqrt();
    let corner = |k: i32| DQuat::from_rotation_z(f64::from(k) * TAU / 3.0) * DVec3::X * far;
    let above = DVec3::Z * 2.0 * RADIUS * (2.0_f64 / 3.0).sqrt();
    let properties = MassProperties::sphere(1.0, RADIUS)?;
    pile(mu, &[DVec3::ZERO], DQuat::IDENTITY, properties, &[0, 1, 2].map(corner), above)
}

/// Equal bodies at these places on the floor and one above them, with spheres at these points of each.
fn pile(
    mu: f64,
    spheres: &[DVec3],
    rotation: DQuat,
    properties: MassProperties,
    lower: &[DVec3],
    above: DVec3,
) -> Built {
    let mut world = ground()?;
    let law = Law::disc(mu);
    let (mut bodies, mut poses): (Vec<Body>, _) = (Vec::new(), Vec::new());
    for (i, &place) in lower.iter().chain([&above]).enumerate() {
        let body = world.body(properties);
        for &centre in spheres {
            let sphere = Shape::Sphere(centre, RADIUS);
            if i < lower.len() {
                world.contact(body, World::GROUND, pair(sphere, floor())?, law.clone())?;
            }
            for &other in &bodies {
                world.contact(body, other, pair(sphere, sphere)?, law.clone())?;
            }
        }
        bodies.push(body);
        poses.push((Pose { position: place + DVec3::Z * RADIUS, rotation }, Twist::default()));
    }
    let start = world.state(&poses)?;
    Ok((world, start))
}
