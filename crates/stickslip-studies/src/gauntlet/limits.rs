//! What stands on one side of a critical number and falls on the other: row G.

use super::arch::{arch, critical_thickness};
use super::build::{G, at};
use super::{Case, Goal, Span, Yard};
use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, TAU};
use stickslip::Error;
use stickslip::bodies::{Geometry, MassProperties, Pose, Twist};
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
    all.extend(both('G', &name, move |share| arch(critical * share, voussoirs)));
    all.extend(both('G', "5 bricks that overhang by ½ Σ 1/i", |share| overhang(5, 2.0 - share)));
    let name = format!("ladder, critical angle {:.4}°", critical_angle().to_degrees());
    all.extend(both('G', &name, |share| ladder(critical_angle() * share)));
    let (plane, space) = (critical_friction(0.5), critical_friction(3f64.sqrt().recip()));
    let name = format!("one capsule on two, critical μ {plane:.6}");
    all.extend(both('G', &name, move |share| capsules(plane * share)));
    let name = format!("one ball on three, critical μ {space:.6}");
    all.extend(both('G', &name, move |share| balls(space * share)));
    all
}

/// The case with a share of its critical number that is a little more than 1, with which it stands, and the one with a little less.
pub(super) fn both(
    row: char,
    name: &str,
    build: impl Fn(f64) -> Result<Yard, Error> + Copy + 'static,
) -> [Case; 2] {
    let span = Span { t_end: 5.0, dt: 1e-3 };
    let stands = move || build(1.0 + SHARE);
    let falls = move || build(1.0 - SHARE);
    [
        Case { span, ..Case::still(row, format!("{name}: stands by 0.1 %"), stands) },
        Case {
            span,
            goal: Goal::More(FALLEN),
            ..Case::still(row, format!("{name}: falls by 0.1 %"), falls)
        },
    ]
}

/// Bricks of 0.2 m at the edge of a table. The i-th from above protrudes by 1/(2i) of its length over what is below it, times this
/// share: the centre of mass of the i upper ones then lies on the edge, so that together they overhang by ½ Σ 1/i.
fn overhang(bricks: usize, share: f64) -> Result<Yard, Error> {
    let mut yard = Yard::without_ground(DVec3::NEG_Z * G, Law::disc(0.6))?;
    let table = DVec3::new(0.5, 0.2, 0.1);
    yard.fix(Geometry::Box { half_lengths: table }, Pose::at(-DVec3::new(table.x, 0.0, table.z)))?;
    let edges = DVec3::new(0.2, 0.1, 0.05);
    let mut front = 0.0;
    for i in (1..=bricks).rev() {
        front += share * edges.x / (2 * i) as f64;
        let height = edges.z * ((bricks - i) as f64 + 0.5);
        yard.cuboid(1.0, edges, at(DVec3::new(front - 0.5 * edges.x, 0.0, height)))?;
    }
    Ok(yard)
}

/// Friction of the ladder with floor and wall.
const LADDER: f64 = 0.4;
/// Its thickness, width and length, in m.
const RAILS: DVec3 = DVec3::new(0.05, 0.4, 4.0);

/// The angle with the floor below which a ladder slips. With N and μN on the floor, the wall has μN and μ²N, and N (1 + μ²) is the
/// weight. It touches with edges that are half its thickness t away from its middle: moments about the foot are in balance for
/// tan φ = (1 − μ²) / (2μ + (1 + μ²) t/l).
fn critical_angle() -> f64 {
    let square = LADDER * LADDER;
    (1.0 - square).atan2(2.0 * LADDER + (1.0 + square) * RAILS.x / RAILS.z)
}

/// A ladder of 4 m on the floor that leans on a wall, at this angle with the floor.
fn ladder(angle: f64) -> Result<Yard, Error> {
    let mut yard = Yard::new(Law::disc(LADDER))?;
    let rotation = DQuat::from_rotation_y(FRAC_PI_2 - angle);
    // The edge on the floor is below and behind the middle, that on the wall above and before it.
    let foot = rotation * DVec3::new(0.5 * RAILS.x, 0.0, -0.5 * RAILS.z);
    let head = rotation * DVec3::new(0.5 * RAILS.x, 0.0, 0.5 * RAILS.z);
    let position = DVec3::new(0.0, 0.0, -foot.z);
    let wall = Pose {
        position: DVec3::X * head.x,
        rotation: DQuat::from_rotation_arc(DVec3::Z, DVec3::NEG_X),
    };
    yard.fix(Geometry::HalfSpace, wall)?;
    yard.cuboid(10.0, RAILS, (Pose { position, rotation }, Twist::default()))?;
    Ok(yard)
}

/// The friction with which a pile holds whose upper body is seen from the lower ones at an angle with this sine from the vertical.
/// A lower body has friction F with the floor and with the upper one, equal as their moments about its centre are in balance;
/// along the floor N sin α = F cos α + F, so that F/N = sin α / (1 + cos α) = tan α/2. The floor has more than N, and needs less.
fn critical_friction(sine: f64) -> f64 {
    (0.5 * sine.asin()).tan()
}

const RADIUS: f64 = 0.1;

/// Two capsules that lie side by side and one on them: tan 15°.
fn capsules(mu: f64) -> Result<Yard, Error> {
    let across = DVec3::X * RADIUS;
    let above = DVec3::Z * RADIUS * 3f64.sqrt();
    let geometry = Geometry::Capsule { half_length: 0.2, radius: RADIUS };
    let properties = MassProperties::cylinder(1.0, RADIUS, 0.4)?;
    let lying = DQuat::from_rotation_x(-FRAC_PI_2);
    pile(mu, (properties, geometry, lying), &[-across, across, above])
}

/// Three balls that touch and one on them: the sine is 1/√3, as their centres are the corners of a tetrahedron.
fn balls(mu: f64) -> Result<Yard, Error> {
    let far = 2.0 * RADIUS / 3f64.sqrt();
    let corner = |k: i32| DQuat::from_rotation_z(f64::from(k) * TAU / 3.0) * DVec3::X * far;
    let above = DVec3::Z * 2.0 * RADIUS * (2.0_f64 / 3.0).sqrt();
    let sphere = (
        MassProperties::sphere(1.0, RADIUS)?,
        Geometry::Sphere { radius: RADIUS },
        DQuat::IDENTITY,
    );
    pile(mu, sphere, &[corner(0), corner(1), corner(2), above])
}

/// Equal bodies at these places, in which the lowest are on the floor.
fn pile(
    mu: f64,
    (properties, geometry, rotation): (MassProperties, Geometry, DQuat),
    places: &[DVec3],
) -> Result<Yard, Error> {
    let mut yard = Yard::new(Law::disc(mu))?;
    for &place in places {
        let pose = Pose { position: place + DVec3::Z * RADIUS, rotation };
        yard.add(properties, geometry.clone(), (pose, Twist::default()))?;
    }
    Ok(yard)
}
