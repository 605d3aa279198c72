//! What single sensors measure.

use glam::{DQuat, DVec3};
use stickslip::bodies::forces::Freedom;
use stickslip::bodies::{Geometry, Pose, Twist};

/// What a sensor measures. Bodies and joints are numbers of the plan.
#[derive(Clone, Debug)]
pub(crate) enum Measure {
    /// The force of contacts on a body, of all or of those with another one.
    Contact {
        body: usize,
        against: Option<usize>,
        /// Whether only the sum of the normal forces is shown.
        normal_only: bool,
    },
    /// What a joint transmits to its second body.
    Reaction { joint: usize, shows: ReactionParts, axes: Axes },
    /// A frame on a body, from its centre of mass.
    Pose { body: usize, frame: Pose, shows: PoseParts, axes: Axes },
    /// The coordinate of a joint, and its rate.
    Coordinate { joint: usize, freedom: Freedom, shows: [bool; 2] },
    /// The distance between shapes of two bodies, each in the axes of its body.
    Distance { bodies: [usize; 2], shapes: [Vec<(Geometry, Pose)>; 2] },
}

/// The axes of vectors that a sensor shows: the world's, or those of a frame on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Axes {
    World,
    Own(usize, Pose),
}

/// Which parts of a reaction are shown: at the joint, or at a point of the frame of [`Axes::Own`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReactionParts {
    pub(crate) force: bool,
    pub(crate) torque: bool,
}

/// Which parts of a pose are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PoseParts {
    pub(crate) position: bool,
    pub(crate) orientation: bool,
    pub(crate) velocity: bool,
    pub(crate) angular_velocity: bool,
}

impl PoseParts {
    pub(crate) const ALL: Self =
        Self { position: true, orientation: true, velocity: true, angular_velocity: true };
}

/// A column of the recording.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) unit: &'static str,
}

impl Measure {
    /// Its columns, for a sensor of this name.
    pub(super) fn columns(&self, name: &str) -> Vec<Column> {
        let one = |end: &str, unit: &'static str| Column { name: format!("{name}{end}"), unit };
        let three = |letter: &'static str, unit: &'static str| {
            ["x", "y", "z"].map(|axis| one(&format!(".{letter}{axis}"), unit))
        };
        let (force, torque) = (three("f", "N"), three("t", "N m"));
        match self {
            Self::Contact { normal_only: true, .. } => vec![one(".normal", "N")],
            Self::Contact { .. } => force.into_iter().chain([one(".normal", "N")]).collect(),
            Self::Reaction { shows, .. } => {
                let parts = [(shows.force, force), (shows.torque, torque)];
                parts.into_iter().filter(|(shown, _)| *shown).flat_map(|(_, c)| c).collect()
            }
            Self::Pose { shows, .. } => {
                let q = ["w", "x", "y", "z"].map(|axis| one(&format!(".q{axis}"), ""));
                let mut all = Vec::new();
                all.extend(three("", "m").into_iter().filter(|_| shows.position));
                all.extend(q.into_iter().filter(|_| shows.orientation));
                all.extend(three("v", "m/s").into_iter().filter(|_| shows.velocity));
                all.extend(three("w", "rad/s").into_iter().filter(|_| shows.angular_velocity));
                all
            }
            Self::Coordinate { freedom, shows, .. } => {
                let both = match freedom {
                    Freedom::Turn => [(".angle", "rad"), (".rate", "rad/s")],
                    Freedom::Shift => [(".shift", "m"), (".speed", "m/s")],
                };
                let shown = both.into_iter().zip(shows).filter(|(_, shown)| **shown);
                shown.map(|((end, unit), _)| one(end, unit)).collect()
            }
            Self::Distance { .. } => vec![one("", "m")],
        }
    }

    /// Whether the state alone tells its values.
    pub(super) fn is_of_state(&self) -> bool {
        !matches!(self, Self::Contact { .. } | Self::Reaction { .. })
    }
}

impl Axes {
    /// The rotation that takes vectors of the world to these axes.
    pub(super) fn turn(&self, motions: &[(Pose, Twist)]) -> DQuat {
        match self {
            Self::World => DQuat::IDENTITY,
            Self::Own(body, frame) => (motions[*body].0.rotation * frame.rotation).conjugate(),
        }
    }

    /// The point of the frame in the world, if there is one.
    pub(super) fn point(&self, motions: &[(Pose, Twist)]) -> Option<DVec3> {
        match self {
            Self::World => None,
            Self::Own(body, frame) => Some(motions[*body].0.point(frame.position)),
        }
    }
}
