//! Bodies that are moved by expressions of time.

use super::draft::MotionDraft;
use super::values::Values;
use crate::document::Problem;
use glam::{DQuat, DVec3};
use std::sync::Arc;
use stickslip::bodies::world::Motion;
use stickslip::bodies::{Pose, Twist};
use stickslip::expression::Function;

/// The motion with its velocities, which are the derivatives of the expressions.
pub(super) fn prescribed(values: &Values, draft: &MotionDraft) -> Result<Motion, Problem> {
    let mut position = Vec::new();
    if let Some((path, texts)) = &draft.position {
        for text in texts {
            position.push(finite(values, path, text)?);
        }
    }
    let turn = match &draft.turn {
        Some((axis, (path, text))) => Some((values.direction(axis)?, finite(values, path, text)?)),
        None => None,
    };
    Ok(Arc::new(move |t| {
        let (mut pose, mut twist) = (Pose::default(), Twist::default());
        for (i, f) in position.iter().enumerate() {
            (pose.position[i], twist.linear[i]) = at(f, t);
        }
        if let Some((axis, f)) = &turn {
            let (angle, rate) = at(f, t);
            let axis: DVec3 = *axis;
            pose.rotation = DQuat::from_axis_angle(axis, angle);
            twist.angular = rate * axis;
        }
        (pose, twist)
    }))
}

/// A function of time that has a value at the start.
fn finite(values: &Values, path: &str, text: &str) -> Result<Function, Problem> {
    let f = values.of_time(path, text)?;
    let (value, rate) = at(&f, 0.0);
    if value.is_finite() && rate.is_finite() {
        return Ok(f);
    }
    Err(Problem::of(path, format!("this is {value} at the start, and its rate {rate}"))
        .cure("check for a division by zero or the root of a negative number there"))
}

/// Value and derivative at a time.
fn at(f: &Function, t: f64) -> (f64, f64) {
    let mut slope = [0.0];
    f.gradient(&[], &[], t, &mut slope);
    (f.value(&[], &[], t), slope[0])
}
