//! Distances against closed forms.

use glam::{DQuat, DVec3};
use stickslip_collision::{Geometry, Pose};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::at(DVec3::new(x, y, z))
}

fn cube(edge: f64) -> Geometry {
    Geometry::Box { half_lengths: DVec3::splat(0.5 * edge) }
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

#[test]
fn spheres_are_apart_by_the_distance_of_their_centres_less_their_radii() {
    let (a, b) = (Geometry::Sphere { radius: 0.5 }, Geometry::Sphere { radius: 0.25 });
    let far = at(1e6, 2.0, 0.0);
    let there = Pose { position: far.position + DVec3::new(3.0, 4.0, 0.0), ..far };
    near(a.distance(&far, &b, &there).unwrap(), 4.25, 1e-15);
    assert_eq!(a.distance(&far, &b, &far).unwrap(), 0.0);
}

#[test]
fn boxes_are_apart_by_corners_edges_and_faces() {
    let (a, b) = (cube(1.0), cube(2.0));
    // Corner to corner, edge to edge, face to face: 1.5 along each axis is taken by the halves.
    for (shift, expected) in [
        (DVec3::new(2.5, 3.5, 3.5), 3.0),
        (DVec3::new(4.5, 5.5, 0.3), 5.0),
        (DVec3::new(2.0, 0.2, -0.4), 0.5),
    ] {
        near(a.distance(&Pose::default(), &b, &Pose::at(shift)).unwrap(), expected, 1e-14);
    }
    // Turned by an eighth about z, an edge faces the other box.
    let turned = Pose {
        position: DVec3::new(3.0, 0.0, 0.0),
        rotation: DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4),
    };
    near(a.distance(&Pose::default(), &b, &turned).unwrap(), 2.5 - 2.0_f64.sqrt(), 1e-13);
    assert_eq!(a.distance(&Pose::default(), &b, &at(1.4, 0.0, 0.0)).unwrap(), 0.0);
}

#[test]
fn round_bodies_half_spaces_and_surfaces() {
    let capsule = Geometry::Capsule { half_length: 1.0, radius: 0.2 };
    let ball = Geometry::Sphere { radius: 0.1 };
    near(capsule.distance(&Pose::default(), &ball, &at(3.0, 0.0, 5.0)).unwrap(), 4.7, 1e-14);
    let ground = Geometry::HalfSpace;
    let tilted =
        Pose { position: DVec3::new(0.0, 0.0, 3.0), rotation: DQuat::from_rotation_x(0.5) };
    let expected = 3.0 - 0.5f64.cos() - 0.2;
    near(ground.distance(&Pose::default(), &capsule, &tilted).unwrap(), expected, 1e-14);
    let cylinder = Geometry::Cylinder { half_height: 0.5, radius: 0.3 };
    // From a rim point (0.3, 0, 0.5) to the ball's centre.
    let expected = (0.7_f64.powi(2) + 1.5_f64.powi(2)).sqrt() - 0.1;
    near(cylinder.distance(&Pose::default(), &ball, &at(1.0, 0.0, 2.0)).unwrap(), expected, 1e-7);
    let field = Geometry::HeightField { columns: 3, heights: vec![0.0; 9], spacing: [1.0, 1.0] };
    near(field.distance(&Pose::default(), &ball, &at(0.3, 0.2, 2.0)).unwrap(), 1.9, 1e-14);
    near(field.distance(&Pose::default(), &ball, &at(4.0, 0.0, 4.0)).unwrap(), 4.9, 1e-14);
}

#[test]
fn two_half_spaces_have_no_distance() {
    let refused =
        Geometry::HalfSpace.distance(&Pose::default(), &Geometry::HalfSpace, &at(0.0, 0.0, 1.0));
    assert!(refused.unwrap_err().to_string().contains("two half-spaces"));
}
