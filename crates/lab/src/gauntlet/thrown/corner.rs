//! A corner of one body against a whole box of another.

use glam::DVec3;
use stickslip::bodies::proximity::Proximity;
use stickslip::bodies::{Pair, Pose};

/// A point of the first body and a box about the centre of mass of the second.
///
/// The gap is the signed distance: to the nearest point of the box outside of it, and to the nearest face inside. It is continuous, so that
/// nothing jumps where a corner goes round an edge; edges that cross without a corner inside are not seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// The point, in the axes of its body.
    pub(super) point: DVec3,
    /// Half the edges of the box.
    pub(super) half: DVec3,
}

impl Pair for Corner {
    fn proximity(&self, first: &Pose, second: &Pose) -> Proximity {
        let on_first = first.point(self.point);
        let seen = second.rotation.conjugate() * (on_first - second.position);
        let (gap, normal) = distance(seen, self.half);
        let normal = second.rotation * normal;
        Proximity { gap, on_first, on_second: on_first - gap * normal, normal }
    }
}

/// The signed distance of a point from a box, and the direction in which it grows.
fn distance(point: DVec3, half: DVec3) -> (f64, DVec3) {
    let beyond = point - point.clamp(-half, half);
    let outside = beyond.length();
    if outside > 0.0 {
        return (outside, beyond / outside);
    }
    let depth = point.abs() - half;
    let axis = if depth.x >= depth.y.max(depth.z) {
        DVec3::X
    } else if depth.y >= depth.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    (depth.dot(axis), axis * point.dot(axis).signum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_from_a_box_are_those_to_its_nearest_point() {
        let half = DVec3::new(1.0, 2.0, 3.0);
        let cases = [
            (DVec3::new(0.0, 0.0, 3.5), 0.5, DVec3::Z),
            (DVec3::new(0.5, -1.75, 0.0), -0.25, DVec3::NEG_Y),
            (DVec3::new(-0.875, 0.0, 2.0), -0.125, DVec3::NEG_X),
            (DVec3::new(4.0, 6.0, 0.0), 5.0, DVec3::new(0.6, 0.8, 0.0)),
        ];
        for (point, gap, normal) in cases {
            assert_eq!(distance(point, half), (gap, normal), "{point}");
        }
    }
}
