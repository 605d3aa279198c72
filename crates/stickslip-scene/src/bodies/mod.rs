//! Bodies in space in scene files: tables `[[body]]`, `[[robot]]`, `[[contact]]`, `[[joint]]`, `[[force]]` and those of collisions.
//!
//! Tables are read to a [`SpaceDraft`] whose numbers may be expressions, the draft is evaluated to a [`plan::Plan`] of numbers, and
//! the plan is built as one of the body models, behind [`SceneModel`](crate::SceneModel).

mod articulated;
mod build;
mod collision;
mod compound;
pub(crate) mod draft;
mod forces;
mod friction;
mod joints;
pub(crate) mod keys;
mod motion;
mod orientation;
mod parts;
mod placed;
pub(crate) mod plan;
pub(crate) mod plane;
pub(crate) mod read;
mod robot;
mod solids;
mod values;

pub(crate) use build::{Built, build, moved};
pub(crate) use collision::shape_of;
pub(crate) use draft::SpaceDraft;
pub(crate) use parts::shape as shape_of_part;
pub(crate) use plan::plan;
pub(crate) use plane::Ambient;
pub(crate) use read::space;
pub(crate) use robot::is_robot;
pub(crate) use values::Values;

use stickslip::expression::{Coordinate, Definition, Dimension, Helper};

/// Which of the body models a scene asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BodyModel {
    /// Positions and quaternions.
    #[default]
    Rigid,
    /// Coordinates of joints.
    Articulated,
    /// Four point masses per body.
    PointMasses,
}

impl BodyModel {
    pub(crate) const ALL: [Self; 3] = [Self::Rigid, Self::Articulated, Self::PointMasses];

    /// The word in files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rigid => "rigid",
            Self::Articulated => "articulated",
            Self::PointMasses => "point_masses",
        }
    }
}

/// The coordinates of a body as expressions name them, each with its unit.
const COORDINATES: [(&str, &str); 7] =
    [("x", "m"), ("y", "m"), ("z", "m"), ("qw", ""), ("qx", ""), ("qy", ""), ("qz", "")];

/// Its velocities.
const VELOCITIES: [(&str, &str); 6] = [
    ("vx", "m/s"),
    ("vy", "m/s"),
    ("vz", "m/s"),
    ("wx", "rad/s"),
    ("wy", "rad/s"),
    ("wz", "rad/s"),
];

/// The names of the coordinates of a body, each with its unit.
pub(crate) fn coordinates(ambient: Ambient) -> &'static [(&'static str, &'static str)] {
    if ambient.is_plane() { &plane::COORDINATES } else { &COORDINATES }
}

/// Those of its velocities.
pub(crate) fn velocities(ambient: Ambient) -> &'static [(&'static str, &'static str)] {
    if ambient.is_plane() { &plane::VELOCITIES } else { &VELOCITIES }
}

/// Makes the names of a body in the plane known to expressions, with their units.
pub(crate) fn introduce_in_plane(body: &str, definition: &mut Definition) {
    for ((name, unit), (velocity, _)) in plane::COORDINATES.into_iter().zip(plane::VELOCITIES) {
        let dimension = if unit == "m" { Dimension::LENGTH } else { Dimension::NONE };
        let [name, velocity] = [name, velocity].map(|letters| format!("{body}.{letters}"));
        definition.units.insert(name.clone(), dimension);
        definition.coordinates.push(Coordinate { name, velocity });
    }
}

/// Makes the names of a body known to expressions, with their units: coordinates with their rates, and the angular velocity, ω = 2 q̇ q*.
pub(crate) fn introduce(body: &str, definition: &mut Definition) {
    for (name, unit) in COORDINATES {
        let dimension = if unit == "m" { Dimension::LENGTH } else { Dimension::NONE };
        definition.units.insert(format!("{body}.{name}"), dimension);
        let velocity = match name {
            "x" | "y" | "z" => format!("{body}.v{name}"),
            _ => format!("{body}.{name}_rate"),
        };
        definition.coordinates.push(Coordinate { name: format!("{body}.{name}"), velocity });
    }
    for (i, [a, b, c]) in [["x", "y", "z"], ["y", "z", "x"], ["z", "x", "y"]].iter().enumerate() {
        let q = |letter: &str| format!("{body}.q{letter}");
        let (w, a, b, c) = (q("w"), q(a), q(b), q(c));
        let expression = format!("2*({w}*{a}_rate - {w}_rate*{a} + {b}*{c}_rate - {c}*{b}_rate)");
        let name = format!("{body}.{}", VELOCITIES[3 + i].0);
        definition.definitions.push(Helper { name, expression });
    }
}
