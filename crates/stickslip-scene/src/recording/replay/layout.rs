//! What the numbers of a frame are.

use crate::drawing::{DrawingSpec, DrawnNumber};
use crate::looks::BodyLook;
use crate::recording::Units;
use crate::scene::Scene;
use crate::view::{SampleFunction, SceneModel};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a channel is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChannelGroup {
    /// Position of a body.
    Position,
    /// A component of its quaternion, or its angle in the plane.
    Rotation,
    /// A generalised coordinate.
    Coordinate,
    /// A velocity.
    Velocity,
    /// A gap.
    Gap,
    /// The normal force of a contact.
    NormalForce,
    /// Its friction.
    Friction,
    /// What it does, as its number among the names of modes.
    Mode,
    /// An energy.
    Energy,
    /// The decimal logarithm of the worst certificate since the frame before.
    Certificate,
    /// A number of the drawing.
    Drawing,
    /// An axis of a plot that the scene asks for.
    Plot,
}

/// A channel: a number in every frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Channel {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) group: ChannelGroup,
}

/// Bodies that move freely beyond which velocities are left to the table, and contacts beyond which forces are.
pub(super) const MOST_BODIES: usize = 24;
pub(super) const MOST_CONTACTS: usize = 48;

/// The channels of a scene, in the order of frames.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) channels: Vec<Channel>,
    pub(super) looks: Vec<BodyLook>,
    /// Of each body where its pose is; none for those that do not move.
    pub(super) poses: Vec<Option<usize>>,
    pub(super) in_plane: bool,
    pub(super) coordinates: Range<usize>,
    pub(super) velocities: Range<usize>,
    /// Of each contact that has channels: gap, normal force, friction, mode.
    pub(super) contacts: usize,
    pub(super) first_contact: usize,
    pub(super) drawing: Vec<(DrawingSpec, Vec<DrawnNumber>)>,
    pub(super) plots: Vec<(String, [SampleFunction; 2])>,
}

impl Layout {
    pub(super) fn of(scene: &Scene, units: &Units) -> Self {
        let (info, looks) = (scene.info(), scene.looks());
        let own = matches!(scene.model(), SceneModel::Generalised(_));
        let in_plane = scene.is_in_plane();
        let mut all = Vec::new();
        let mut add = |name: String, unit: &str, group| {
            all.push(Channel { name, unit: unit.to_owned(), group });
            all.len()
        };
        let mut poses = Vec::with_capacity(looks.len());
        let mut next = 0;
        for look in &looks {
            poses.push(look.moves.then_some(next));
            for (letters, unit, group) in pose_channels(in_plane).iter().filter(|_| look.moves) {
                next = add(format!("{}.{letters}", look.name), unit, *group);
            }
        }
        let named = |i: usize, list: &[String]| list.get(i).cloned().unwrap_or_default();
        let first = next;
        for (i, name) in info.coordinates.iter().enumerate().filter(|_| own) {
            next = add(name.clone(), &named(i, &units.coordinates), ChannelGroup::Coordinate);
        }
        let coordinates = first..next;
        let few = own || looks.iter().filter(|look| look.free).count() <= MOST_BODIES;
        for (i, name) in info.velocities.iter().enumerate().filter(|_| few) {
            next = add(name.clone(), &named(i, &units.velocities), ChannelGroup::Velocity);
        }
        let velocities = coordinates.end..next;
        let (contacts, first_contact) = (info.contacts.len().min(MOST_CONTACTS), next);
        for (i, contact) in info.contacts.iter().take(contacts).enumerate() {
            let (name, force) = (&contact.name, named(i, &units.forces));
            add(format!("{name}.gap"), &named(i, &units.gaps), ChannelGroup::Gap);
            add(format!("{name} normal"), &force, ChannelGroup::NormalForce);
            add(format!("{name} friction"), &force, ChannelGroup::Friction);
            add(name.clone(), "", ChannelGroup::Mode);
        }
        for name in ["kinetic", "potential", "total"] {
            add(name.into(), &units.energy, ChannelGroup::Energy);
        }
        add("certificate".into(), "", ChannelGroup::Certificate);
        let drawing = scene.drawing();
        for (k, (_, numbers)) in drawing.iter().enumerate() {
            let moving = numbers.iter().enumerate();
            for (i, _) in moving.filter(|(_, n)| matches!(n, DrawnNumber::Function(_))) {
                add(format!("drawing {k}.{i}"), "", ChannelGroup::Drawing);
            }
        }
        let mut plots = Vec::new();
        for plot in &scene.plots {
            let (Ok(x), Ok(y)) = (scene.output(&plot.x), scene.output(&plot.y)) else { continue };
            let unit = |text: &str| units.of_name(info, text);
            add(plot.x.clone(), &unit(&plot.x), ChannelGroup::Plot);
            add(plot.y.clone(), &unit(&plot.y), ChannelGroup::Plot);
            plots.push((plot.title.clone().unwrap_or_default(), [x, y]));
        }
        Self {
            channels: all,
            looks,
            poses,
            in_plane,
            coordinates,
            velocities,
            contacts,
            first_contact,
            drawing,
            plots,
        }
    }
}

/// The channels of the pose of a body.
pub(super) fn pose_channels(
    in_plane: bool,
) -> &'static [(&'static str, &'static str, ChannelGroup)] {
    use ChannelGroup::{Position, Rotation};
    if in_plane {
        return &[("x", "m", Position), ("y", "m", Position), ("angle", "rad", Rotation)];
    }
    &[
        ("x", "m", Position),
        ("y", "m", Position),
        ("z", "m", Position),
        ("qw", "", Rotation),
        ("qx", "", Rotation),
        ("qy", "", Rotation),
        ("qz", "", Rotation),
    ]
}
