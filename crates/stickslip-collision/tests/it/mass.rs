//! Mass properties: closed forms against the same bodies as meshes.

use crate::support::*;
use glam::{DMat3, DQuat, DVec3};
use stickslip_collision::{Error, Geometry, Pose, VolumeProperties};

fn close(a: &VolumeProperties, b: &VolumeProperties, tolerance: f64) {
    let off = |x: DMat3, y: DMat3| {
        (x - y).to_cols_array().into_iter().fold(0.0, |m: f64, x| m.max(x.abs()))
    };
    assert!(
        (a.mass - b.mass).abs() < tolerance && (a.volume - b.volume).abs() < tolerance,
        "{a:?} {b:?}"
    );
    assert!((a.centre - b.centre).length() < tolerance, "{a:?} {b:?}");
    assert!(off(a.inertia, b.inertia) < tolerance, "{a:?} {b:?}");
}

/// Points on rings about the z axis, for hulls that come near to round bodies.
fn turned(profile: &[(f64, f64)]) -> Geometry {
    let mut points = Vec::new();
    for &(r, z) in profile {
        for k in 0..100 {
            let angle = std::f64::consts::TAU * f64::from(k) / 100.0;
            points.push(DVec3::new(r * angle.cos(), r * angle.sin(), z));
        }
    }
    Geometry::Hull { points }
}

#[test]
fn a_box_is_its_hull_and_has_the_textbook_inertia() {
    let half = DVec3::new(0.5, 0.25, 1.0);
    let found = slab(half.x, half.y, half.z).mass_properties(3.0).unwrap();
    let mass = 3.0;
    assert_eq!(found.mass, mass);
    let expected = mass / 3.0 * DVec3::new(0.0625 + 1.0, 0.25 + 1.0, 0.25 + 0.0625);
    close(&found, &VolumeProperties { inertia: DMat3::from_diagonal(expected), ..found }, 1e-14);
    let sign = |bit: usize| if bit == 1 { 1.0 } else { -1.0 };
    let points =
        (0..8).map(|k| half * DVec3::new(sign(k & 1), sign(k >> 1 & 1), sign(k >> 2))).collect();
    close(&found, &Geometry::Hull { points }.mass_properties(3.0).unwrap(), 1e-14);
}

#[test]
fn round_bodies_are_what_fine_hulls_come_near_to() {
    let (h, r) = (0.4, 0.5);
    let cases = [
        (Geometry::Cylinder { half_height: h, radius: r }, turned(&[(r, -h), (r, h)])),
        (Geometry::Cone { half_height: h, radius: r }, turned(&[(r, -h), (1e-6, h)])),
    ];
    for (round, hull) in cases {
        close(&round.mass_properties(2.0).unwrap(), &hull.mass_properties(2.0).unwrap(), 3e-3);
    }
    let arc = |k: i32| std::f64::consts::PI * (f64::from(k) + 0.5) / 24.0;
    let profile: Vec<(f64, f64)> = (0..24)
        .map(|k| (0.3 * arc(k).sin(), 0.3 * arc(k).cos() + if k < 12 { h } else { -h }))
        .collect();
    let capsule = Geometry::Capsule { half_length: h, radius: 0.3 };
    close(
        &capsule.mass_properties(1.0).unwrap(),
        &turned(&profile).mass_properties(1.0).unwrap(),
        3e-3,
    );
}

#[test]
fn two_halves_make_a_whole_wherever_they_are() {
    let pose = Pose { position: DVec3::new(1.0, 2.0, 3.0), rotation: DQuat::from_rotation_y(0.7) };
    let at = |x: f64| pose.then(&Pose::at(DVec3::X * x));
    let halves = Geometry::Compound { parts: vec![(at(-0.5), cube(0.5)), (at(0.5), cube(0.5))] };
    let whole = Geometry::Compound { parts: vec![(pose, slab(1.0, 0.5, 0.5))] };
    let whole = whole.mass_properties(1.0).unwrap();
    close(&halves.mass_properties(1.0).unwrap(), &whole, 1e-12);
    let alone = slab(1.0, 0.5, 0.5).mass_properties(1.0).unwrap();
    let axes = DMat3::from_quat(pose.rotation);
    let inertia = axes * alone.inertia * axes.transpose();
    close(&whole, &VolumeProperties { centre: pose.position, inertia, ..alone }, 1e-12);
}

#[test]
fn what_has_no_volume_is_refused_by_name() {
    let open = Geometry::Mesh {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
        triangles: vec![[0, 1, 2]],
    };
    for (geometry, name) in [(Geometry::HalfSpace, "a half-space"), (open, "a mesh")] {
        let error = geometry.mass_properties(1.0).unwrap_err();
        assert!(matches!(error, Error::NoVolume { .. }) && error.to_string().starts_with(name));
    }
    assert!(matches!(cube(1.0).mass_properties(0.0), Err(Error::Range { .. })));
}
