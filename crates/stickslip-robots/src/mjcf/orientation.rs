//! The five ways to write an orientation, and `fromto`.

use super::compiler::Compiler;
use super::label;
use crate::error::{Error, Problem};
use crate::model::ModelPose;
use crate::xml::Element;
use glam::{DMat3, DQuat, DVec3};

/// The attributes that say an orientation; an element has one of them at most.
pub(super) const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

impl Compiler {
    /// The orientation of an element, if it says one.
    pub(super) fn rotation(&self, element: &Element) -> Result<Option<DQuat>, Error> {
        let mut present = ORIENTATIONS.iter().filter(|name| element.has(name));
        let Some(first) = present.next() else { return Ok(None) };
        if let Some(second) = present.next() {
            return Err(element.place_of(second).error(Problem::Conflict {
                element: element.name.clone(),
                first: (*first).to_owned(),
                second: (*second).to_owned(),
            }));
        }
        let values = element.required(first)?;
        let zero = || {
            let (attribute, owner) = ((*first).to_owned(), label(element));
            values.place.error(Problem::ZeroAxis { attribute, owner })
        };
        let rotation = match *first {
            "quat" => return quaternion(element, "quat"),
            "axisangle" => {
                let v = values.numbers(4..=4)?;
                let axis = DVec3::new(v[0], v[1], v[2]).try_normalize().ok_or_else(zero)?;
                DQuat::from_axis_angle(axis, self.angle(v[3]))
            }
            "euler" => self.euler_rotation(&values.numbers(3..=3)?),
            "xyaxes" => {
                let v = values.numbers(6..=6)?;
                let x = DVec3::new(v[0], v[1], v[2]).try_normalize().ok_or_else(zero)?;
                let y = DVec3::new(v[3], v[4], v[5]).try_normalize().ok_or_else(zero)?;
                let (attribute, owner) = ((*first).to_owned(), label(element));
                let parallel = || values.place.error(Problem::ParallelAxes { attribute, owner });
                let y = (y - x * x.dot(y)).try_normalize().ok_or_else(parallel)?;
                DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
            }
            _ => {
                let v = values.numbers(3..=3)?;
                let axis = DVec3::new(v[0], v[1], v[2]).try_normalize().ok_or_else(zero)?;
                from_z(axis)
            }
        };
        Ok(Some(rotation.normalize()))
    }

    /// Small letters turn about axes that move along, capitals about fixed ones.
    fn euler_rotation(&self, angles: &[f64]) -> DQuat {
        let mut rotation = DQuat::IDENTITY;
        for (letter, angle) in self.euler.iter().zip(angles) {
            let axis = match letter.to_ascii_lowercase() {
                'x' => DVec3::X,
                'y' => DVec3::Y,
                _ => DVec3::Z,
            };
            let turn = DQuat::from_axis_angle(axis, self.angle(*angle));
            rotation = if letter.is_lowercase() { rotation * turn } else { turn * rotation };
        }
        rotation
    }
}

/// A quaternion, w first, of any length but zero.
pub(super) fn quaternion(element: &Element, name: &str) -> Result<Option<DQuat>, Error> {
    let Some(v) = element.numbers(name, 4..=4)? else { return Ok(None) };
    let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if !(largest > 0.0) {
        let (attribute, owner) = (name.to_owned(), label(element));
        return Err(element.place_of(name).error(Problem::ZeroAxis { attribute, owner }));
    }
    let [w, x, y, z] = [v[0], v[1], v[2], v[3]].map(|c| c / largest);
    Ok(Some(DQuat::from_xyzw(x, y, z, w).normalize()))
}

/// The shortest rotation that takes z to a unit vector.
pub(super) fn from_z(axis: DVec3) -> DQuat {
    let cross = DVec3::Z.cross(axis);
    let about = cross.try_normalize().unwrap_or(DVec3::X);
    DQuat::from_axis_angle(about, cross.length().atan2(axis.z))
}

/// The frame and half the length between two points, if the element gives them.
pub(super) fn from_to(element: &Element) -> Result<Option<(ModelPose, f64)>, Error> {
    let Some(v) = element.numbers("fromto", 6..=6)? else { return Ok(None) };
    let (from, to) = (DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5]));
    let along = from - to;
    let Some(axis) = along.try_normalize() else {
        let (attribute, owner) = ("fromto".to_owned(), label(element));
        return Err(element.place_of("fromto").error(Problem::ZeroAxis { attribute, owner }));
    };
    let pose = ModelPose { position: (from + to) * 0.5, rotation: from_z(axis) };
    Ok(Some((pose, along.length() * 0.5)))
}
