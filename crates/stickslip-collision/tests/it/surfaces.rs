//! Meshes and height fields: no contact with internal edges, none lost at the seams.

use crate::support::*;
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use stickslip_collision::{Geometry, Pose};

/// A flat surface of n by n cells of size 1 about the origin.
fn flat(n: usize) -> Geometry {
    Geometry::HeightField {
        columns: n + 1,
        heights: vec![0.0; (n + 1) * (n + 1)],
        spacing: [1.0, 1.0],
    }
}

/// The surface of a cube as twelve triangles.
fn cube_mesh(half: f64) -> Geometry {
    let sign = |bit: usize| if bit == 1 { half } else { -half };
    let vertices =
        (0..8).map(|k| DVec3::new(sign(k & 1), sign(k >> 1 & 1), sign(k >> 2))).collect();
    let quads =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Geometry::Mesh { vertices, triangles }
}

fn at(x: f64, y: f64, z: f64) -> [Pose; 2] {
    [Pose::at(DVec3::new(x, y, z)), Pose::default()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_sphere_rolls_over_a_flat_surface_as_over_a_plane(
        x in -1.9..1.9_f64, y in -1.9..1.9_f64, gap in -0.1..0.1_f64
    ) {
        let ball = Geometry::Sphere { radius: 0.5 };
        let found = contacts([&ball, &flat(4)], at(x, y, 0.5 + gap), 0.2);
        prop_assert_eq!(found.len(), 1);
        prop_assert!((found[0].1.gap - gap).abs() < 1e-15);
        prop_assert_eq!(found[0].1.normal, DVec3::Z);
    }

    #[test]
    fn a_box_slides_over_a_flat_surface_on_its_corners(
        x in -1.0..1.0_f64, y in -1.0..1.0_f64, angle in 0.0..6.3_f64, gap in -1e-3..1e-3_f64
    ) {
        let poses = [
            Pose { position: DVec3::new(x, y, 0.5 + gap), rotation: DQuat::from_rotation_z(angle) },
            Pose::default(),
        ];
        let found = contacts([&cube(0.5), &flat(4)], poses, 0.01);
        prop_assert_eq!(found.len(), 4);
        for (_, p) in found {
            prop_assert!((p.gap - gap).abs() < 1e-15 && p.normal == DVec3::Z);
        }
    }

    #[test]
    fn a_cylinder_stands_on_a_flat_surface_on_its_rim(
        x in -1.0..1.0_f64, y in -1.0..1.0_f64, gap in -1e-3..1e-3_f64
    ) {
        let cylinder = Geometry::Cylinder { half_height: 0.5, radius: 0.4 };
        let found = contacts([&cylinder, &flat(4)], at(x, y, 0.5 + gap), 0.01);
        prop_assert_eq!(found.len(), 4);
        for (_, p) in found {
            prop_assert!((p.gap - gap).abs() < 1e-15 && p.normal == DVec3::Z);
        }
    }

    #[test]
    fn outside_of_a_closed_mesh_the_distance_is_that_of_the_solid(
        first in pose(2.0), pick in 0..3_usize
    ) {
        let shapes = [
            Geometry::Sphere { radius: 0.3 },
            Geometry::Capsule { half_length: 0.4, radius: 0.2 },
            slab(0.3, 0.2, 0.4),
        ];
        let shape = &shapes[pick];
        let poses = [first, Pose::default()];
        let solid = nearest(&contacts([shape, &cube(0.5)], poses, 0.5));
        let mesh = nearest(&contacts([shape, &cube_mesh(0.5)], poses, 0.5));
        if let Some(solid) = solid.filter(|s| s.gap > 0.0 && s.gap < 0.499) {
            let mesh = mesh.expect("a contact with the mesh");
            prop_assert!((mesh.gap - solid.gap).abs() < 1e-12, "{} is not {}", mesh.gap, solid.gap);
            prop_assert!((mesh.normal - solid.normal).length() < 1e-9);
        }
    }
}

#[test]
fn seams_of_a_flat_surface_lose_no_contact() {
    let ball = Geometry::Sphere { radius: 0.5 };
    // On vertices, edges and diagonals, exactly and beside them by rounding.
    for x in [-1.0, -0.5, 0.0, 0.25, 1.0] {
        for y in [-1.0, -0.5, 0.0, 0.25, 1.0] {
            for off in [0.0, 1e-16, -1e-16, 1e-12, -1e-12] {
                let found = contacts([&ball, &flat(4)], at(x + off, y - off, 0.5), 0.01);
                assert_eq!(found.len(), 1, "at {x} {y} {off}");
                assert_eq!(found[0].1.normal, DVec3::Z);
            }
        }
    }
}

#[test]
fn a_surface_is_touched_from_outside_alone() {
    let ball = Geometry::Sphere { radius: 0.1 };
    assert!(contacts([&ball, &cube_mesh(1.0)], at(0.0, 0.0, 0.7), 0.5).is_empty());
    assert_eq!(contacts([&ball, &cube_mesh(1.0)], at(0.0, 0.0, 1.2), 0.5).len(), 1);
}

#[test]
fn a_sphere_in_a_valley_touches_both_sides() {
    let heights = vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
    let valley = Geometry::HeightField { columns: 3, heights, spacing: [1.0, 1.0] };
    let radius = 0.25;
    let ball = Geometry::Sphere { radius };
    let z = radius * 2.0_f64.sqrt();
    let found = contacts([&ball, &valley], at(0.0, 0.1, z), 1e-3);
    assert_eq!(found.len(), 2);
    for (_, p) in found {
        assert!(p.gap.abs() < 1e-15 && (p.normal.z - 0.5_f64.sqrt()).abs() < 1e-15);
    }
}
