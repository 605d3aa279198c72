//! What the tests share: pairs of geometries, random poses, and distances by another method.

use glam::{DQuat, DVec3};
use parry3d_f64::shape::SharedShape;
use proptest::prelude::*;
use stickslip_collision::{Cache, Collider, Contact, Detector, Geometry, Pose, Proximity};

/// The contacts of two geometries at these poses, with their proximities.
pub(crate) fn contacts(
    [a, b]: [&Geometry; 2],
    poses: [Pose; 2],
    reach: f64,
) -> Vec<(Contact, Proximity)> {
    let mut detector = Detector::new();
    detector.add(&Collider::new(0, a.clone())).unwrap();
    detector.add(&Collider::new(1, b.clone())).unwrap();
    let mut found = Vec::new();
    let reaches = [0.5 * reach, 0.5 * reach];
    detector.detect(&mut Cache::default(), &poses, &reaches, &mut found).unwrap();
    found.into_iter().map(|c| (c, c.proximity(&poses))).collect()
}

/// The contact with the least gap.
pub(crate) fn nearest(found: &[(Contact, Proximity)]) -> Option<Proximity> {
    found.iter().map(|c| c.1).min_by(|a, b| a.gap.total_cmp(&b.gap))
}

pub(crate) fn cube(half: f64) -> Geometry {
    Geometry::Box { half_lengths: DVec3::splat(half) }
}

pub(crate) fn slab(x: f64, y: f64, z: f64) -> Geometry {
    Geometry::Box { half_lengths: DVec3::new(x, y, z) }
}

/// The same geometry for parry, as an independent measure of distance.
pub(crate) fn peer(geometry: &Geometry) -> SharedShape {
    let upright =
        parry3d_f64::math::Pose::from_rotation(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    match geometry {
        Geometry::Sphere { radius } => SharedShape::ball(*radius),
        Geometry::Box { half_lengths: h } => SharedShape::cuboid(h.x, h.y, h.z),
        Geometry::Capsule { half_length, radius } => SharedShape::capsule_z(*half_length, *radius),
        Geometry::Hull { points } => SharedShape::convex_hull(points).unwrap(),
        // Parry's axes are along y.
        Geometry::Cylinder { half_height, radius } => {
            SharedShape::compound(vec![(upright, SharedShape::cylinder(*half_height, *radius))])
        }
        Geometry::Cone { half_height, radius } => {
            SharedShape::compound(vec![(upright, SharedShape::cone(*half_height, *radius))])
        }
        Geometry::HalfSpace => SharedShape::halfspace(DVec3::Z),
        other => panic!("no peer of {}", other.name()),
    }
}

pub(crate) fn peer_pose(pose: &Pose) -> parry3d_f64::math::Pose {
    parry3d_f64::math::Pose::from_parts(pose.position, pose.rotation)
}

/// The distance by parry; 0 where they overlap.
pub(crate) fn distance(geometries: [&Geometry; 2], poses: &[Pose; 2]) -> f64 {
    let [a, b] = geometries.map(peer);
    let [p, q] = [peer_pose(&poses[0]), peer_pose(&poses[1])];
    parry3d_f64::query::distance(&p, &*a, &q, &*b).unwrap().distance
}

/// The farthest extent of a geometry along a direction.
fn extent(geometry: &Geometry, pose: &Pose, direction: DVec3) -> f64 {
    let d = pose.rotation.conjugate() * direction;
    let across = d.truncate().length();
    pose.position.dot(direction)
        + match geometry {
            Geometry::Sphere { radius } => *radius,
            Geometry::Box { half_lengths } => half_lengths.dot(d.abs()),
            Geometry::Capsule { half_length, radius } => half_length * d.z.abs() + radius,
            Geometry::Cylinder { half_height, radius } => half_height * d.z.abs() + radius * across,
            Geometry::Cone { half_height, radius } => {
                (half_height * d.z).max(radius * across - half_height * d.z)
            }
            Geometry::Hull { points } => {
                points.iter().map(|p| p.dot(d)).fold(f64::NEG_INFINITY, f64::max)
            }
            other => panic!("no extent of {}", other.name()),
        }
}

/// The distance along a normal from the second to the first: never more than the true distance.
pub(crate) fn separation([a, b]: [&Geometry; 2], poses: &[Pose; 2], normal: DVec3) -> f64 {
    -extent(a, &poses[0], -normal) - extent(b, &poses[1], normal)
}

/// How far a point is from the surface of a geometry.
pub(crate) fn off_surface(geometry: &Geometry, pose: &Pose, point: DVec3) -> f64 {
    let shape = peer(geometry);
    let projected = shape.project_point(&peer_pose(pose), point, false);
    (projected.point - point).length()
}

pub(crate) fn unit() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0_f64, 0.0..std::f64::consts::TAU).prop_map(|(z, phi)| {
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * phi.cos(), r * phi.sin(), z)
    })
}

pub(crate) fn rotation() -> impl Strategy<Value = DQuat> {
    (unit(), 0.0..std::f64::consts::PI)
        .prop_map(|(axis, angle)| DQuat::from_axis_angle(axis, angle))
}

/// A pose within a distance of the origin.
pub(crate) fn pose(within: f64) -> impl Strategy<Value = Pose> {
    (unit(), 0.0..within, rotation())
        .prop_map(|(way, length, rotation)| Pose { position: length * way, rotation })
}

/// A pose of which the geometry is moved by the same motion.
pub(crate) fn moved(motion: &Pose, pose: &Pose) -> Pose {
    Pose { position: motion.point(pose.position), rotation: motion.rotation * pose.rotation }
}

pub(crate) fn shifted(pose: &Pose, by: DVec3) -> Pose {
    Pose { position: pose.position + by, ..*pose }
}
