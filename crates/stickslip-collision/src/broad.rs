//! The broad phase: pairs of shapes whose bounding boxes overlap.

use crate::pose::{Pose, matrix};
use crate::shape::{Part, Shape};
use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

/// The tree of bounding boxes. Its shape depends on its history, the set of overlapping leaves does not.
#[derive(Default)]
pub(crate) struct Broad {
    tree: Bvh,
    workspace: BvhWorkspace,
    boxes: Vec<Aabb>,
}

impl Broad {
    /// Appends all pairs of bounded parts that meet and whose boxes, each grown by the reach of its body, overlap.
    pub(crate) fn pairs<'a>(
        &mut self,
        bounded: &[u32],
        place: impl Fn(u32) -> (&'a Part, &'a Pose, f64),
        meet: impl Fn(u32, u32) -> bool,
        pairs: &mut Vec<[u32; 2]>,
    ) {
        let fresh = self.boxes.len() != bounded.len();
        if fresh {
            self.tree = Bvh::new();
        }
        self.boxes.clear();
        self.boxes.extend(bounded.iter().map(|&k| bounding_box(place(k))));
        for (leaf, aabb) in self.boxes.iter().enumerate() {
            self.tree.insert_or_update_partially(*aabb, leaf as u32, 0.0);
        }
        if fresh {
            self.tree.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |i, j| {
            let (a, b) = (bounded[i as usize], bounded[j as usize]);
            if meet(a, b) {
                pairs.push([a.min(b), a.max(b)]);
            }
        });
    }

    /// Appends all pairs of a half-space with a bounded part whose box reaches below its surface.
    pub(crate) fn below<'a>(
        &self,
        bounded: &[u32],
        half_space: u32,
        place: impl Fn(u32) -> (&'a Part, &'a Pose, f64),
        meet: impl Fn(u32, u32) -> bool,
        pairs: &mut Vec<[u32; 2]>,
    ) {
        let (part, pose, reach) = place(half_space);
        let Shape::HalfSpace { origin, normal } = part.shape else { return };
        let (origin, normal) = (pose.point(origin), matrix(pose.rotation) * normal);
        for (&k, aabb) in bounded.iter().zip(&self.boxes) {
            let lowest = (aabb.center() - origin).dot(normal)
                - (0.5 * (aabb.maxs - aabb.mins)).dot(normal.abs());
            if lowest <= reach && meet(half_space, k) {
                pairs.push([half_space.min(k), half_space.max(k)]);
            }
        }
    }
}

/// The box in world axes, grown by the reach and by what rounding may take from it.
fn bounding_box((part, pose, reach): (&Part, &Pose, f64)) -> Aabb {
    let axes = matrix(pose.rotation);
    let middle = pose.position + axes * part.middle;
    let half = axes.x_axis.abs() * part.half.x
        + axes.y_axis.abs() * part.half.y
        + axes.z_axis.abs() * part.half.z;
    let rounding = 8.0 * f64::EPSILON * (middle.abs() + half + DVec3::splat(reach)).max_element();
    let half = half + DVec3::splat(reach + rounding);
    Aabb::new(middle - half, middle + half)
}
