//! Frames, while a run goes on.

use super::contacts::ContactFrame;
use super::layout::{Layout, MOST_CONTACTS};
use crate::drawing::DrawnNumber;
use crate::recording::Units;
use crate::scene::Scene;
use std::f64::consts::{PI, TAU};
use stickslip::bodies::Pose;
use stickslip::contact::Mode;
use stickslip::memory::{Archive, Archived, Unreadable};
use stickslip::run::{Event, EventKind, Sample};
use stickslip::system::State;

/// Every second frame is dropped when there are this many,
const MOST_FRAMES: usize = 16_384;
/// or as many as have this many bytes,
const MEMORY: usize = 128 << 20;
/// but not fewer than these.
const LEAST_FRAMES: usize = 256;
/// Contacts are kept at every second of the frames that had them when there are this many.
const MOST_CONTACT_LINES: usize = 200_000;
/// The first events are kept.
const MOST_EVENTS: usize = 5_000;
/// Certificates below this count as this.
const LEAST_CERTIFICATE: f64 = 1e-20;

/// The frames of a run, as far as they are kept.
#[derive(Debug)]
pub struct Replay {
    pub(super) scene: Scene,
    pub(super) layout: Layout,
    most: usize,
    /// Samples per frame, and samples since the last one.
    pub(super) stride: usize,
    waited: usize,
    pub(super) samples: usize,
    pub(super) t: Vec<f64>,
    pub(super) values: Vec<f32>,
    /// The worst certificate since the last frame.
    worst: f64,
    /// Contacts of models that know where they are: of frames whose number this divides.
    pub(super) every: usize,
    pub(super) contacts: Vec<ContactFrame>,
    /// Pairs of bodies that struck since the last sample, as the model numbers them.
    struck: Vec<[usize; 2]>,
    pub(super) events: Vec<KeptEvent>,
    pub(super) event_count: usize,
}

/// An event with the name of its contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct KeptEvent {
    pub(super) t: f64,
    pub(super) contact: String,
    pub(super) event: String,
    pub(super) impulse: [f64; 2],
    pub(super) energy: f64,
}

impl Replay {
    /// Without frames yet, for runs of this scene.
    #[must_use]
    pub fn new(scene: &Scene, units: &Units) -> Self {
        let layout = Layout::of(scene, units);
        let frame = (layout.channels.len() * size_of::<f32>()).max(1);
        Self {
            most: (MEMORY / frame).clamp(LEAST_FRAMES, MOST_FRAMES) / 2 * 2,
            scene: scene.clone(),
            layout,
            stride: 1,
            waited: 0,
            samples: 0,
            t: Vec::new(),
            values: Vec::new(),
            worst: 0.0,
            every: 1,
            contacts: Vec::new(),
            struck: Vec::new(),
            events: Vec::new(),
            event_count: 0,
        }
    }

    /// Takes a sample of the model, with the mean forces of all components of contacts, which are no numbers at impacts, and the values of
    /// sensors.
    pub fn push(&mut self, sample: &Sample<'_>, forces: &[f64], sensors: &[f64]) {
        self.samples += 1;
        self.worst = self.worst.max(sample.certificate);
        let struck = std::mem::take(&mut self.struck);
        if self.waited > 0 {
            self.waited -= 1;
            return;
        }
        if self.t.len() >= self.most {
            self.halve();
        }
        self.waited = self.stride - 1;
        let frame = self.t.len();
        self.t.push(sample.t);
        let begin = self.values.len();
        self.push_poses(sample);
        let own = !self.layout.coordinates.is_empty();
        let state = State { t: sample.t, q: sample.q.to_vec(), u: sample.u.to_vec() };
        let observed = if own { state } else { self.scene.observe(&state) };
        let add = |values: &mut Vec<f32>, all: &[f64]| values.extend(all.iter().map(|&x| x as f32));
        if own {
            add(&mut self.values, &observed.q);
        }
        if !self.layout.velocities.is_empty() {
            add(&mut self.values, &observed.u);
        }
        self.push_contacts(sample, forces);
        let energy = sample.energy;
        let worst = std::mem::take(&mut self.worst).max(LEAST_CERTIFICATE).log10();
        add(&mut self.values, &[energy.kinetic, energy.potential, energy.total(), worst]);
        for (_, numbers) in &self.layout.drawing {
            for number in numbers {
                if let DrawnNumber::Function(f) = number {
                    self.values.push(f.value(sample.q, sample.u, sample.t) as f32);
                }
            }
        }
        for (_, axes) in &self.layout.plots {
            let values = axes.each_ref().map(|f| f.value(sample, forces, sensors) as f32);
            self.values.extend(values);
        }
        // A state that the model does not know leaves numbers out.
        self.values.resize(begin + self.layout.channels.len(), f32::NAN);
        if frame.is_multiple_of(self.every) {
            self.find_contacts(frame, sample, forces, &struck);
        }
    }

    /// The poses of bodies that move. A quaternion has the sign, and an angle the turns, that are nearest to those of the frame before.
    fn push_poses(&mut self, sample: &Sample<'_>) {
        if self.layout.poses.iter().all(Option::is_none) {
            return;
        }
        let state = State { t: sample.t, q: sample.q.to_vec(), u: sample.u.to_vec() };
        let motions = self.scene.body_motions(&state).unwrap_or_default();
        let before = self.values.len().checked_sub(self.layout.channels.len());
        for (i, at) in self.layout.poses.iter().enumerate() {
            let Some(at) = at else { continue };
            let pose = motions.get(i).map_or(Pose::default(), |motion| motion.0);
            let last = |k: usize| before.map(|b| f64::from(self.values[b + at + k]));
            let (p, mut r) = (pose.position, pose.rotation);
            if self.layout.in_plane {
                let angle = 2.0 * r.z.atan2(r.w);
                let turns = last(2).map_or(0.0, |old| ((old - angle + PI) / TAU).floor());
                self.values.extend([p.x, p.y, angle + turns * TAU].map(|x| x as f32));
                continue;
            }
            let old = [3, 4, 5, 6].map(|k| last(k).unwrap_or(0.0));
            if old[0] * r.w + old[1] * r.x + old[2] * r.y + old[3] * r.z < 0.0 {
                r = -r;
            }
            self.values.extend([p.x, p.y, p.z, r.w, r.x, r.y, r.z].map(|x| x as f32));
        }
    }

    /// Gap, forces and mode of the contacts that the model always has.
    fn push_contacts(&mut self, sample: &Sample<'_>, forces: &[f64]) {
        let mut row = 0;
        for (i, contact) in self.scene.info().contacts.iter().take(MOST_CONTACTS).enumerate() {
            let (normals, all) = (contact.law.kind.normals(), contact.law.components());
            let own = forces.get(row..row + all).unwrap_or_default();
            row += all;
            let (normal, friction) = own.split_at(normals.min(own.len()));
            let size = match friction {
                [signed] => *signed,
                several => several.iter().take(2).map(|x| x * x).sum::<f64>().sqrt(),
            };
            let gap = sample.gaps.get(i).copied().unwrap_or(f64::NAN);
            let normal = normal.first().copied().unwrap_or(0.0);
            let mode = number_of(sample.modes.get(i).copied().unwrap_or_default());
            let numbers = [gap, normal, size, f64::from(mode)];
            self.values.extend(numbers.map(|x| x as f32));
        }
    }

    /// The contacts that are closed or transmit, where the model knows where they are, given the pairs of bodies that struck.
    fn find_contacts(
        &mut self,
        frame: usize,
        sample: &Sample<'_>,
        forces: &[f64],
        pairs: &[[usize; 2]],
    ) {
        let laws = &self.scene.info().contacts;
        let mut row = 0;
        for (k, point) in sample.points.iter().enumerate() {
            let known = laws.get(k).map(|contact| contact.law.components());
            let components = known.or(point.map(|p| p.components)).unwrap_or(0);
            let own = forces.get(row..row + components).unwrap_or_default();
            row += components;
            let Some(point) = point else { continue };
            let mode = sample.modes.get(k).copied().unwrap_or_default();
            if mode == Mode::Open && own.iter().all(|x| *x == 0.0) {
                continue;
            }
            let spread = point.spread(own);
            let struck = pairs.contains(&point.bodies) || spread.iter().any(|x| !x.is_finite());
            let force = if struck { [0.0; 3] } else { point.vector(&spread[..3]) };
            let body = |n: usize| self.scene.body_of_model(n).unwrap_or(0) as u32;
            self.contacts.push(ContactFrame {
                frame: frame as u32,
                bodies: point.bodies.map(body),
                mode: number_of(mode),
                struck,
                position: point.position.map(|x| x as f32),
                normal: point.normal.map(|x| x as f32),
                force: force.map(|x| x as f32),
                mu: point.mu as f32,
            });
        }
        while self.contacts.len() > MOST_CONTACT_LINES {
            self.every *= 2;
            self.contacts.retain(|c| (c.frame as usize).is_multiple_of(self.every));
        }
    }

    /// Takes an event of the run.
    pub fn note(&mut self, event: &Event) {
        if event.kind == EventKind::Impact {
            self.struck.extend(event.bodies);
        }
        self.event_count += 1;
        if self.events.len() < MOST_EVENTS {
            self.events.push(KeptEvent {
                t: event.t,
                contact: self.scene.info().contact_name(event.contact, event.bodies),
                event: event.kind.name().to_owned(),
                impulse: event.impulse,
                energy: event.energy,
            });
        }
    }

    /// Drops every second frame.
    fn halve(&mut self) {
        let channels = self.layout.channels.len();
        let kept = self.t.len().div_ceil(2);
        for frame in 1..kept {
            self.t[frame] = self.t[2 * frame];
            let from = 2 * frame * channels;
            self.values.copy_within(from..from + channels, frame * channels);
        }
        self.t.truncate(kept);
        self.values.truncate(kept * channels);
        self.contacts.retain(|c| c.frame.is_multiple_of(2));
        self.contacts.iter_mut().for_each(|c| c.frame /= 2);
        self.every = (self.every / 2).max(1);
        self.stride *= 2;
    }

    /// Forgets all frames, contacts and events, but not who struck since the last sample.
    pub fn clear(&mut self) {
        (self.stride, self.every) = (1, 1);
        (self.waited, self.samples, self.event_count, self.worst) = (0, 0, 0, 0.0);
        self.t.clear();
        self.values.clear();
        self.contacts.clear();
        self.events.clear();
    }

    /// Frames so far.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.t.len()
    }
}

/// The number of a mode among [`Mode::ALL`].
fn number_of(mode: Mode) -> u8 {
    Mode::ALL.iter().position(|m| *m == mode).unwrap_or(0) as u8
}

/// What a replay holds, for checkpoints; its channels are those of the scene.
impl Archived for Replay {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let counts = [&mut self.stride, &mut self.waited, &mut self.samples, &mut self.every];
        counts.into_iter().try_for_each(|count| count.pass(archive))?;
        // They are divided by.
        (self.stride, self.every) = (self.stride.max(1), self.every.max(1));
        self.t.pass(archive)?;
        archive.list(&mut self.values)?;
        self.worst.pass(archive)?;
        archive.list(&mut self.contacts)?;
        archive.list(&mut self.events)?;
        self.event_count.pass(archive)?;
        let fits = self.values.len() == self.t.len() * self.layout.channels.len();
        let what = "a replay of another scene";
        if fits { Ok(()) } else { Err(Unreadable { what, at: 0 }) }
    }
}

impl Archived for KeptEvent {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { t, contact, event, impulse, energy } = self;
        t.pass(archive)?;
        archive.text(contact)?;
        archive.text(event)?;
        impulse.pass(archive)?;
        energy.pass(archive)
    }
}
