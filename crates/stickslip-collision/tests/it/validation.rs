//! Geometries that are refused, with the place and the cure.

use glam::{DQuat, DVec3};
use stickslip_collision::{Collider, Detector, Error, Geometry, Pose};

fn message(geometry: Geometry) -> String {
    geometry.validate().unwrap_err().to_string()
}

#[test]
fn sizes_must_be_positive_and_finite() {
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Geometry::Sphere { radius }.validate().is_err());
        assert!(Geometry::Cylinder { half_height: 1.0, radius }.validate().is_err());
        assert!(Geometry::Cone { half_height: radius, radius: 1.0 }.validate().is_err());
        assert!(Geometry::Capsule { half_length: radius, radius: 1.0 }.validate().is_err());
        assert!(Geometry::Box { half_lengths: DVec3::new(1.0, radius, 1.0) }.validate().is_err());
    }
    let expected = "the radius of a sphere is -1; it must be a finite number > 0";
    assert_eq!(message(Geometry::Sphere { radius: -1.0 }), expected);
}

#[test]
fn hulls_without_volume_are_refused() {
    let flat: Vec<DVec3> =
        (0..9).map(|k| DVec3::new(f64::from(k % 3), f64::from(k / 3), 0.0)).collect();
    let line = vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X, 3.0 * DVec3::X];
    for points in [vec![], vec![DVec3::ZERO; 8], line, flat] {
        assert!(matches!(Geometry::Hull { points }.validate(), Err(Error::Degenerate { .. })));
    }
    let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.0, f64::NAN, 1.0)];
    assert!(matches!(Geometry::Hull { points }.validate(), Err(Error::Range { .. })));
}

#[test]
fn meshes_must_point_at_their_vertices() {
    let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, 2.0 * DVec3::X];
    let mesh = |triangles| Geometry::Mesh { vertices: vertices.clone(), triangles };
    assert!(mesh(vec![[0, 1, 2]]).validate().is_ok());
    let expected = "a vertex of triangle 1 of a mesh is 7; it must be less than 4";
    assert_eq!(message(mesh(vec![[0, 1, 2], [0, 1, 7]])), expected);
    assert!(message(mesh(vec![[0, 1, 3]])).starts_with("triangle 0 of a mesh has no area"));
    assert!(message(mesh(vec![])).starts_with("a mesh has no triangles"));
}

#[test]
fn height_fields_must_be_grids() {
    let field = |columns, heights| Geometry::HeightField { columns, heights, spacing: [1.0, 1.0] };
    assert!(field(2, vec![0.0; 4]).validate().is_ok());
    for (columns, count) in [(0, 4), (1, 4), (3, 4), (4, 4), (2, 0)] {
        assert!(field(columns, vec![0.0; count]).validate().is_err());
    }
    assert!(field(2, vec![0.0, 1.0, f64::NAN, 0.0]).validate().is_err());
}

#[test]
fn the_place_in_a_compound_and_the_collider_are_named() {
    let compound = Geometry::Compound {
        parts: vec![(Pose::default(), Geometry::Sphere { radius: f64::NAN })],
    };
    let mut detector = Detector::new();
    let error = detector.add(&Collider::new(0, compound)).unwrap_err().to_string();
    let expected = "the radius of a sphere, part 0 of a compound, collider 0 is NaN; it must be a finite number > 0";
    assert_eq!(error, expected);
    let pose = Pose { position: DVec3::ZERO, rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0) };
    let collider = Collider::new(0, Geometry::HalfSpace).with_pose(pose);
    assert!(detector.add(&collider).unwrap_err().to_string().ends_with("normalise it"));
    assert_eq!(detector.colliders(), 0);
}
