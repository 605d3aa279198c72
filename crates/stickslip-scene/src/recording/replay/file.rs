//! `replay.json`: all that a viewer needs.

use super::contacts::ContactsFile;
use super::frames::{KeptEvent, Replay};
use super::layout::{Channel, ChannelGroup, pose_channels};
use super::packing::{PackedRow, Packer, unpack};
use super::{ReplayError, packing};
use crate::drawing::{DrawingKind, DrawnNumber};
use crate::looks::LookShape;
use serde::{Deserialize, Serialize};
use stickslip::bodies::Pose;
use stickslip::contact::Mode;

/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// Positions are rounded to this share of the extent of the motion, far less than a pixel,
const POSITION: f64 = 1.0 / (1 << 18) as f64;
/// components of quaternions and angles to this,
const ROTATION: f64 = 1.0 / (1 << 13) as f64;
/// and other numbers to this share of their range.
const OTHER: f64 = 1.0 / (1 << 16) as f64;

/// The content of `replay.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayFile {
    /// The version of the format.
    pub version: u32,
    /// The name of the scene.
    pub scene: String,
    /// Its title.
    pub title: String,
    /// What it shows.
    pub description: String,
    /// Whether bodies move in the plane z = 0.
    pub in_plane: bool,
    /// Names and values, in the order of the scene.
    pub parameters: Vec<(String, f64)>,
    /// Their units, each empty where the scene does not say it.
    #[serde(default)]
    pub parameter_units: Vec<String>,
    /// The unit of time.
    pub time_unit: String,
    /// How many frames there are.
    pub frames: usize,
    /// Samples of the run, and how many of them there are to a frame.
    pub samples: usize,
    /// See `samples`.
    pub stride: usize,
    /// The times of frames: f64 little-endian, deflate, base64.
    pub times: String,
    /// What the numbers of frames are.
    pub channels: Vec<ChannelFile>,
    /// The numbers: channel after channel, each as second differences of rounded numbers in zigzag and seven bits a byte; deflate, base64.
    pub data: String,
    /// The bodies, the ground first.
    pub bodies: Vec<BodyFile>,
    /// The parts of the drawing.
    pub drawing: Vec<DrawnFile>,
    /// The names of modes, by which contacts number them.
    pub modes: Vec<String>,
    /// Contacts where the model knows where they are.
    pub contacts: ContactsFile,
    /// The coefficients of friction of the contacts that have channels.
    pub coefficients: Vec<f64>,
    /// Plots that the scene asks for.
    pub plots: Vec<PlotFile>,
    /// The first events.
    pub events: Vec<EventFile>,
    /// How many there were.
    pub event_count: usize,
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelFile {
    /// Its name.
    pub name: String,
    /// Its unit, or nothing.
    pub unit: String,
    /// What it is about.
    pub group: ChannelGroup,
    /// How its numbers are packed.
    pub row: PackedRow,
}

/// A pose: x, y, z, and the quaternion w, x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoseFile(pub [f64; 7]);

impl From<Pose> for PoseFile {
    fn from(pose: Pose) -> Self {
        let (p, r) = (pose.position, pose.rotation);
        Self([p.x, p.y, p.z, r.w, r.x, r.y, r.z])
    }
}

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyFile {
    /// Its name.
    pub name: String,
    /// Its pose where it does not move.
    pub pose: PoseFile,
    /// The first channel of its pose: x, y, z, quaternion w, x, y, z, or x, y and angle in the plane; none if it does not move.
    pub channel: Option<usize>,
    /// Whether forces move it.
    pub free: bool,
    /// Its shapes with their poses in its axes.
    pub parts: Vec<(PoseFile, LookShape)>,
}

/// A number of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrawnValue {
    /// One that does not change.
    Constant(f64),
    /// The number of a channel.
    Channel(usize),
}

/// A part of the drawing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrawnFile {
    /// What it is.
    pub kind: DrawingKind,
    /// Its numbers in the order of the kind.
    pub numbers: Vec<DrawnValue>,
    /// A word of the palette, or `#rrggbb`.
    pub colour: String,
    /// Whether it is filled.
    pub fill: bool,
    /// Whether a line is closed.
    pub closed: bool,
    /// Whether it is smooth.
    pub smooth: bool,
    /// Of a contact: the first of its channels gap, normal force, friction and mode, and its coefficient of friction.
    pub contact: Option<(usize, f64)>,
}

/// A plot of one channel over another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlotFile {
    /// The title, or nothing.
    pub title: String,
    /// The channels to the right and upwards.
    pub channels: [usize; 2],
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventFile {
    /// When.
    pub t: f64,
    /// Of which contact.
    pub contact: String,
    /// What happened.
    pub event: String,
    /// Normal and tangential impulse of an impact.
    pub impulse: [f64; 2],
    /// The energy added by it.
    pub energy: f64,
}

impl From<&KeptEvent> for EventFile {
    fn from(e: &KeptEvent) -> Self {
        let (contact, event) = (e.contact.clone(), e.event.clone());
        Self { t: e.t, contact, event, impulse: e.impulse, energy: e.energy }
    }
}

impl Replay {
    /// What is written of it.
    #[must_use]
    pub fn file(&self) -> ReplayFile {
        let (scene, layout) = (&self.scene, &self.layout);
        let (channels, data) = self.packed();
        let times: Vec<u8> = self.t.iter().flat_map(|t| t.to_le_bytes()).collect();
        let bodies = layout.looks.iter().zip(&layout.poses).map(|(look, &channel)| BodyFile {
            name: look.name.clone(),
            pose: look.pose.into(),
            channel,
            free: look.free,
            parts: look.parts.iter().map(|p| (p.pose.into(), p.shape.clone())).collect(),
        });
        let known = &scene.definition().units;
        let unit = |name: &String| known.get(name).map_or_else(String::new, ToString::to_string);
        let coefficients = scene.info().contacts.iter().take(layout.contacts);
        ReplayFile {
            version: VERSION,
            scene: scene.name.clone(),
            title: scene.title.clone(),
            description: scene.description.trim().to_owned(),
            in_plane: layout.in_plane,
            parameters: scene.parameters.clone(),
            parameter_units: scene.parameters.iter().map(|(name, _)| unit(name)).collect(),
            time_unit: "s".into(),
            frames: self.t.len(),
            samples: self.samples,
            stride: self.stride,
            times: packing::compress(&times),
            channels,
            data,
            bodies: bodies.collect(),
            drawing: self.drawn(),
            modes: Mode::ALL.iter().map(|mode| mode.name().to_owned()).collect(),
            contacts: ContactsFile::of(self.every, &self.contacts),
            coefficients: coefficients.map(|contact| contact.law.mu).collect(),
            plots: self.plots(),
            events: self.events.iter().map(EventFile::from).collect(),
            event_count: self.event_count,
        }
    }

    /// The numbers of the last frame, in the order of the channels; empty without frames.
    #[must_use]
    pub fn last_frame(&self) -> &[f32] {
        let channels = self.layout.channels.len();
        let begin = self.values.len().saturating_sub(channels);
        &self.values[begin..]
    }

    /// How many numbers a frame has.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.layout.channels.len()
    }

    /// The time of the last frame.
    #[must_use]
    pub fn last_time(&self) -> Option<f64> {
        self.t.last().copied()
    }

    /// The events that are kept, which it then forgets.
    pub fn take_events(&mut self) -> Vec<EventFile> {
        std::mem::take(&mut self.events).iter().map(EventFile::from).collect()
    }

    /// The contacts of the last frame.
    #[must_use]
    pub fn last_contacts(&self) -> &[super::ContactFrame] {
        let last = self.t.len().saturating_sub(1) as u32;
        let begin = self.contacts.partition_point(|c| c.frame < last);
        &self.contacts[begin..]
    }

    fn packed(&self) -> (Vec<ChannelFile>, String) {
        let all = &self.layout.channels;
        let row = |c: usize| self.values.iter().skip(c).step_by(all.len()).map(|&v| f64::from(v));
        let range = |c: usize| {
            let finite = row(c).filter(|v| v.is_finite());
            let (least, most) = finite.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
            (most - least).max(0.0)
        };
        let of = |channel: &Channel, group| channel.group == group;
        let positions = (0..all.len()).filter(|&c| of(&all[c], ChannelGroup::Position));
        let extent = positions.map(range).fold(0.0, f64::max);
        let mut packer = Packer::default();
        for (c, channel) in all.iter().enumerate() {
            packer.row(
                row(c),
                match channel.group {
                    ChannelGroup::Position => POSITION * extent,
                    ChannelGroup::Rotation => ROTATION,
                    ChannelGroup::Mode => 1.0,
                    _ => OTHER * range(c),
                },
            );
        }
        let (rows, data) = packer.finish();
        let channel = |(channel, row): (&Channel, PackedRow)| {
            let Channel { name, unit, group } = channel.clone();
            ChannelFile { name, unit, group, row }
        };
        (all.iter().zip(rows).map(channel).collect(), data)
    }

    fn drawn(&self) -> Vec<DrawnFile> {
        let layout = &self.layout;
        let mut next = layout.channels.iter().position(|c| c.group == ChannelGroup::Drawing);
        let contacts = &self.scene.info().contacts;
        let mut value = |number: &DrawnNumber| match (number, &mut next) {
            (DrawnNumber::Function(_), Some(next)) => {
                *next += 1;
                DrawnValue::Channel(*next - 1)
            }
            (DrawnNumber::Constant(x), _) => DrawnValue::Constant(*x),
            (DrawnNumber::Function(_), None) => DrawnValue::Constant(0.0),
        };
        let part = |(spec, numbers): &(crate::drawing::DrawingSpec, Vec<DrawnNumber>)| {
            let named = |name: &String| contacts.iter().position(|c| c.name == *name);
            let contact = spec.contact.as_ref().and_then(named).filter(|i| *i < layout.contacts);
            DrawnFile {
                kind: spec.kind,
                numbers: numbers.iter().map(&mut value).collect(),
                colour: spec.colour.clone(),
                fill: spec.fill,
                closed: spec.closed,
                smooth: spec.smooth,
                contact: contact.map(|i| (layout.first_contact + 4 * i, contacts[i].law.mu)),
            }
        };
        layout.drawing.iter().map(part).collect()
    }

    fn plots(&self) -> Vec<PlotFile> {
        let layout = &self.layout;
        let first = layout.channels.len() - 2 * layout.plots.len();
        let plot = |(i, (title, _)): (usize, &(String, _))| PlotFile {
            title: title.clone(),
            channels: [first + 2 * i, first + 2 * i + 1],
        };
        layout.plots.iter().enumerate().map(plot).collect()
    }
}

impl ReplayFile {
    /// As text.
    ///
    /// # Errors
    /// If a number cannot be written.
    pub fn to_json(&self) -> Result<String, ReplayError> {
        serde_json::to_string(self).map_err(|e| ReplayError::Json(e.to_string()))
    }

    /// From such a text.
    ///
    /// # Errors
    /// If it is another text, or of another version.
    pub fn from_json(text: &str) -> Result<Self, ReplayError> {
        let file: Self =
            serde_json::from_str(text).map_err(|e| ReplayError::Json(e.to_string()))?;
        if file.version != VERSION {
            return Err(ReplayError::Version(file.version));
        }
        let width = pose_channels(file.in_plane).len();
        let fits =
            |first: usize| first.checked_add(width).is_some_and(|end| end <= file.channels.len());
        if !file.bodies.iter().filter_map(|body| body.channel).all(fits) {
            return Err(ReplayError::Json("a body has channels that are not there".into()));
        }
        Ok(file)
    }

    /// The times of all frames.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn frame_times(&self) -> Result<Vec<f64>, ReplayError> {
        let bytes = packing::decompress(&self.times)?;
        let (words, rest) = bytes.as_chunks::<8>();
        if words.len() != self.frames || !rest.is_empty() {
            return Err(ReplayError::Short);
        }
        Ok(words.iter().map(|word| f64::from_le_bytes(*word)).collect())
    }

    /// The numbers of all channels, each over all frames.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn numbers(&self) -> Result<Vec<Vec<f64>>, ReplayError> {
        let rows: Vec<PackedRow> = self.channels.iter().map(|c| c.row.clone()).collect();
        unpack(&rows, self.frames, &self.data)
    }
}
