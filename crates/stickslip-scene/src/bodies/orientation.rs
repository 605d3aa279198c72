//! Orientations: quaternions, or turns about axes.

use super::draft::OrientationDraft;
use super::values::Values;
use crate::document::Problem;
use glam::DQuat;

/// How far the length of a quaternion may be off 1: digits that were left out.
const ROUNDED: f64 = 1e-3;

/// The rotation from the axes of a body to those of the world.
pub(super) fn rotation(
    values: &Values,
    orientation: &Option<OrientationDraft>,
) -> Result<DQuat, Problem> {
    match orientation {
        None => Ok(DQuat::IDENTITY),
        Some(OrientationDraft::Quaternion(numbers)) => {
            let list = values.list(numbers)?;
            let [w, x, y, z] = list[..] else {
                let reason = format!("this has {} numbers; a quaternion has 4", list.len());
                return Err(Problem::of(numbers.path.clone(), reason)
                    .cure("write w, x, y, z, or { axis = [0, 0, 1], angle = \"pi/4\" }"));
            };
            let q = DQuat::from_xyzw(x, y, z, w);
            let length = q.length();
            if (length - 1.0).abs() > ROUNDED {
                let reason = format!("the length of this quaternion is {length}; it must be 1");
                return Err(Problem::of(numbers.path.clone(), reason));
            }
            Ok(q / length)
        }
        // Axes are fixed in the world, so that later turns stand in front.
        Some(OrientationDraft::Turns(turns)) => {
            turns.iter().try_fold(DQuat::IDENTITY, |so_far, turn| {
                let (axis, angle) = (values.direction(&turn.axis)?, values.number(&turn.angle)?);
                Ok((DQuat::from_axis_angle(axis, angle) * so_far).normalize())
            })
        }
    }
}
