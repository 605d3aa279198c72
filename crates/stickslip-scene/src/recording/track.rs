//! A run as plots need it: a bounded number of buckets, each with the extremes of its samples.
//!
//! When all buckets are in use, neighbours are merged two by two and every later bucket takes twice
//! as many samples. So a run of any length costs the same memory, and no peak is lost.

use stickslip::SystemInfo;
use stickslip::contact::{Mode, Slip};
use stickslip::memory::{Archive, Archived, Unreadable};
use stickslip::run::{Event, EventKind, Sample};

/// Buckets are merged when there are this many: some twenty per pixel of a plot.
const MOST: usize = 32_768;

/// The memory of all buckets, in bytes: with many channels there are fewer buckets,
const MEMORY: usize = 64 << 20;

/// but not fewer than these, some columns of a panel beside others.
const LEAST: usize = 512;

/// Energies shown: kinetic, potential, total.
const ENERGIES: usize = 3;

/// Forces of a contact: normal, tangential.
const FORCES: usize = 2;

/// The decimated history of a run.
#[derive(Clone, Debug)]
pub struct Track {
    /// Coordinates and velocities.
    sizes: [usize; 2],
    contacts: usize,
    /// Of each contact where its impulses begin, how many of them are normal (1 or none), and how many there are.
    rows: Vec<[usize; 3]>,
    /// Buckets are merged when there are this many.
    most: usize,
    /// Samples per bucket.
    stride: usize,
    /// Samples in the last bucket.
    filled: usize,
    /// The time of the first sample of each bucket.
    t: Vec<f64>,
    /// Per bucket and channel the first, least and largest value.
    values: Vec<[f64; 3]>,
    /// Per bucket and contact the modes seen, a bit for each, and a bit for an impact.
    seen: Vec<u8>,
    /// Impacts since the last sample.
    pending: Vec<u8>,
    last_t: f64,
}

/// A quantity of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Channel {
    Coordinate(usize),
    Velocity(usize),
    Gap(usize),
    /// The mean force between samples: of a contact, normal (0) or tangential (1).
    Force(usize, usize),
    Kinetic,
    Potential,
    Total,
}

/// The bit of an impact.
const IMPACT: u8 = 1 << 7;

fn bit(mode: Mode) -> u8 {
    match mode {
        Mode::Open => 1,
        Mode::Stick => 2,
        Mode::Slide(Slip::Positive) => 4,
        Mode::Slide(Slip::Negative) => 8,
        Mode::Slip => 16,
        Mode::Closed => 32,
        Mode::Fixed => 64,
    }
}

impl Track {
    /// An empty history.
    #[must_use]
    pub fn new(info: &SystemInfo) -> Self {
        let sizes = [info.coordinates.len(), info.velocities.len()];
        let contacts = info.contacts.len();
        let mut begin = 0;
        let rows = info.contacts.iter().map(|contact| {
            let rows = [begin, contact.law.kind.normals(), contact.law.components()];
            begin += rows[2];
            rows
        });
        let bucket = channels(sizes, contacts) * size_of::<[f64; 3]>();
        Self {
            sizes,
            contacts,
            rows: rows.collect(),
            // An even number, since they are merged two by two.
            most: (MEMORY / bucket).clamp(LEAST, MOST) / 2 * 2,
            stride: 1,
            filled: 0,
            t: Vec::new(),
            values: Vec::new(),
            seen: Vec::new(),
            pending: vec![0; contacts],
            last_t: 0.0,
        }
    }

    /// Adds a sample. Entries beyond the sizes of the system are left out, missing ones count as 0.
    pub fn push(&mut self, sample: &Sample<'_>) {
        if self.filled == 0 && self.t.len() >= self.most {
            self.merge();
        }
        let fresh = self.filled == 0;
        if fresh {
            self.t.push(sample.t);
            self.values.resize(self.values.len() + self.channels(), [0.0; 3]);
            self.seen.resize(self.seen.len() + self.contacts, 0);
        }
        let energy = sample.energy;
        let force = self.mean_force(sample.t);
        let numbers = fit(sample.q, self.sizes[0])
            .chain(fit(sample.u, self.sizes[1]))
            .chain(fit(sample.gaps, self.contacts))
            .chain(self.rows.iter().flat_map(|rows| parts(rows, sample.impulses)).map(force))
            .chain([energy.kinetic, energy.potential, energy.total()]);
        let begin = self.values.len() - self.channels();
        for (slot, v) in self.values[begin..].iter_mut().zip(numbers) {
            *slot = if fresh { [v; 3] } else { [slot[0], slot[1].min(v), slot[2].max(v)] };
        }
        let begin = self.seen.len() - self.contacts;
        for (i, seen) in self.seen[begin..].iter_mut().enumerate() {
            *seen |= sample.modes.get(i).map_or(0, |&mode| bit(mode)) | self.pending[i];
        }
        self.pending.fill(0);
        self.last_t = sample.t;
        self.filled = (self.filled + 1) % self.stride;
    }

    /// From the impulse of a contact since the last sample to its mean force. Impulses that act in no time are no forces: there it is
    /// not a number, nor at the first sample.
    pub fn mean_force(&self, t: f64) -> impl Fn(f64) -> f64 + use<> {
        let passed = t - self.last_t;
        let struck = self.pending.iter().any(|&seen| seen & IMPACT != 0);
        let smooth = passed > 0.0 && !struck && !self.values.is_empty();
        move |impulse| if smooth { impulse / passed } else { f64::NAN }
    }

    /// Takes note of an event; it is drawn with the next sample.
    pub fn note(&mut self, event: &Event) {
        if let (EventKind::Impact, Some(pending)) =
            (event.kind, self.pending.get_mut(event.contact))
        {
            *pending |= IMPACT;
        }
    }

    /// Two buckets into one, throughout.
    fn merge(&mut self) {
        let (channels, contacts) = (self.channels(), self.contacts);
        let half = self.t.len() / 2;
        for b in 0..half {
            self.t[b] = self.t[2 * b];
            for c in 0..channels {
                let (one, other) =
                    (self.values[2 * b * channels + c], self.values[(2 * b + 1) * channels + c]);
                self.values[b * channels + c] =
                    [one[0], one[1].min(other[1]), one[2].max(other[2])];
            }
            for k in 0..contacts {
                self.seen[b * contacts + k] =
                    self.seen[2 * b * contacts + k] | self.seen[(2 * b + 1) * contacts + k];
            }
        }
        self.t.truncate(half);
        self.values.truncate(half * channels);
        self.seen.truncate(half * contacts);
        self.stride *= 2;
    }

    /// The time of the first and of the last sample; none without samples.
    #[must_use]
    pub fn span(&self) -> Option<(f64, f64)> {
        self.t.first().map(|&first| (first, self.last_t))
    }

    fn channels(&self) -> usize {
        channels(self.sizes, self.contacts)
    }

    fn index(&self, channel: Channel) -> usize {
        let contacts = self.sizes[0] + self.sizes[1];
        let energies = contacts + (1 + FORCES) * self.contacts;
        match channel {
            Channel::Coordinate(i) => i,
            Channel::Velocity(i) => self.sizes[0] + i,
            Channel::Gap(k) => contacts + k,
            Channel::Force(k, component) => contacts + self.contacts + FORCES * k + component,
            Channel::Kinetic => energies,
            Channel::Potential => energies + 1,
            Channel::Total => energies + 2,
        }
    }

    /// The curve of a mean between samples: level from each sample to the next, and vertical where it changes.
    pub(crate) fn steps(&self, channel: Channel) -> Vec<(f64, f64)> {
        let index = self.index(channel);
        let mut points = Vec::with_capacity(2 * self.t.len());
        for b in 1..self.t.len() {
            let [first, least, largest] = self.values[b * self.channels() + index];
            let (from, to) = (self.t[b - 1], self.t[b]);
            let all = [(from, first), (to, least), (to, largest), (to, first)];
            points.extend(all.into_iter().filter(|p| p.1.is_finite()));
        }
        points.dedup();
        points
    }

    /// The curve of a channel over time, with every extreme value.
    pub(crate) fn curve(&self, channel: Channel) -> Vec<(f64, f64)> {
        let index = self.index(channel);
        let mut points = Vec::with_capacity(2 * self.t.len());
        for (b, &t) in self.t.iter().enumerate() {
            let [first, least, largest] = self.values[b * self.channels() + index];
            points.push((t, first));
            points.extend([least, largest].into_iter().filter(|&v| v != first).map(|v| (t, v)));
        }
        points
    }

    /// The curve of one channel over another, through the first sample of each bucket.
    pub(crate) fn portrait(&self, x: Channel, y: Channel) -> Vec<(f64, f64)> {
        let (x, y, channels) = (self.index(x), self.index(y), self.channels());
        let first = |b: usize, c: usize| self.values[b * channels + c][0];
        (0..self.t.len()).map(|b| (first(b, x), first(b, y))).collect()
    }

    /// What a contact did over time in at most `columns` columns: bars (from, to, which of [`Mode::ALL`])
    /// and the times of impacts. A column in which it was closed at any time counts as closed.
    pub(crate) fn strip(
        &self,
        contact: usize,
        columns: usize,
    ) -> (Vec<(f64, f64, usize)>, Vec<f64>) {
        let (mut bars, mut marks) = (Vec::<(f64, f64, usize)>::new(), Vec::new());
        let per_column = self.t.len().div_ceil(columns.max(1)).max(1);
        for begin in (0..self.t.len()).step_by(per_column) {
            let end = (begin + per_column).min(self.t.len());
            let mut counts = [0_usize; Mode::ALL.len()];
            let mut impact = false;
            for b in begin..end {
                let seen = self.seen[b * self.contacts + contact];
                impact |= seen & IMPACT != 0;
                for (m, count) in counts.iter_mut().enumerate() {
                    *count += usize::from(seen >> m & 1);
                }
            }
            let closed = (1..Mode::ALL.len()).rev().max_by_key(|&m| counts[m]).unwrap_or(0);
            let mode = if counts[closed] > 0 { closed } else { 0 };
            let (from, to) = (self.t[begin], self.t.get(end).copied().unwrap_or(self.last_t));
            match bars.last_mut() {
                Some(bar) if bar.2 == mode => bar.1 = to,
                _ => bars.push((from, to, mode)),
            }
            if impact {
                marks.push(from);
            }
        }
        (bars, marks)
    }
}

/// What a track holds, for checkpoints; its sizes are those of the system.
impl Archived for Track {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { stride, filled, t, values, seen, pending, last_t, .. } = self;
        stride.pass(archive)?;
        // It is divided by.
        *stride = (*stride).max(1);
        filled.pass(archive)?;
        t.pass(archive)?;
        values.pass(archive)?;
        seen.pass(archive)?;
        pending.pass(archive)?;
        last_t.pass(archive)?;
        let fits = self.pending.len() == self.contacts
            && self.values.len() == self.t.len() * self.channels()
            && self.seen.len() == self.t.len() * self.contacts;
        let what = "a history of another system";
        if fits { Ok(()) } else { Err(Unreadable { what, at: 0 }) }
    }
}

/// The channels of a system.
fn channels(sizes: [usize; 2], contacts: usize) -> usize {
    sizes[0] + sizes[1] + (1 + FORCES) * contacts + ENERGIES
}

/// The normal part of an impulse, and the friction: its size, with a sign where it has one component.
fn parts(&[begin, normals, all]: &[usize; 3], impulses: &[f64]) -> [f64; FORCES] {
    let of = impulses.get(begin..begin + all).unwrap_or_default();
    let (normal, friction) = of.split_at(normals.min(of.len()));
    let size = match friction {
        [signed] => *signed,
        // Of friction with spin the third component is a torque.
        [t, o, _] if normals == 1 => t.hypot(*o),
        several => several.iter().map(|x| x * x).sum::<f64>().sqrt(),
    };
    [normal.first().copied().unwrap_or(0.0), size]
}

fn fit(values: &[f64], n: usize) -> impl Iterator<Item = f64> {
    (0..n).map(|i| values.get(i).copied().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::contact::Law;
    use stickslip::system::{ContactInfo, Energy};

    fn info() -> SystemInfo {
        SystemInfo {
            coordinates: vec!["x".into()],
            velocities: vec!["v".into()],
            contacts: vec![ContactInfo { name: "floor".into(), law: Law::coulomb(0.0) }],
            bodies: Vec::new(),
            constant_mass: true,
        }
    }

    fn push(track: &mut Track, t: f64, x: f64, mode: Mode) {
        track.push(&Sample {
            t,
            q: &[x],
            u: &[-x],
            gaps: &[0.0],
            impulses: &[0.0, 0.0],
            modes: &[mode],
            points: &[],
            energy: Energy { kinetic: 1.0, potential: x },
            certificate: 0.0,
        });
    }

    #[test]
    fn memory_is_bounded_and_no_peak_is_lost() {
        let mut track = Track::new(&info());
        let n = 5 * MOST + 17;
        for i in 0..n {
            let x = if i == 70_001 { 9.0 } else { 0.25 };
            push(&mut track, i as f64, x, Mode::Open);
        }
        assert!(track.t.len() <= MOST && track.values.len() == track.t.len() * 8);
        let curve = track.curve(Channel::Coordinate(0));
        assert_eq!(curve.iter().filter(|p| p.1 == 9.0).count(), 1);
        assert!(track.curve(Channel::Velocity(0)).iter().any(|p| p.1 == -9.0));
        assert_eq!(track.span(), Some((0.0, (n - 1) as f64)));
        assert!(curve.windows(2).all(|w| w[0].0 <= w[1].0));
    }

    #[test]
    fn a_thousand_coordinates_need_no_more_memory_than_one() {
        let names = |letter: &str| (0..1000).map(|i| format!("{letter}{i}")).collect::<Vec<_>>();
        let (coordinates, velocities) = (names("x"), names("v"));
        let mut track = Track::new(&SystemInfo { coordinates, velocities, ..info() });
        let q = vec![1.0; 1000];
        for i in 0..5000 {
            let t = f64::from(i);
            let (gaps, impulses, modes) = (&[0.0][..], &[0.0, 0.0][..], &[Mode::Open][..]);
            let energy = Energy::default();
            let (points, certificate) = (&[][..], 0.0);
            track.push(&Sample {
                t,
                q: &q,
                u: &q,
                gaps,
                impulses,
                modes,
                points,
                energy,
                certificate,
            });
        }
        assert!(track.values.capacity() * size_of::<[f64; 3]>() <= 2 * MEMORY);
        assert!(track.t.len() >= LEAST / 2);
    }

    #[test]
    fn forces_are_means_between_samples_without_impacts() {
        let mut track = Track::new(&info());
        for (t, impulse, struck) in
            [(0.0, 0.0, false), (0.5, 1.0, false), (0.5, 7.0, true), (1.0, 2.0, false)]
        {
            if struck {
                track.note(&Event::change(t, 0, EventKind::Impact));
            }
            track.push(&Sample {
                t,
                q: &[0.0],
                u: &[0.0],
                gaps: &[0.0],
                impulses: &[impulse, 0.0],
                modes: &[Mode::Stick],
                points: &[],
                energy: Energy::default(),
                certificate: 0.0,
            });
        }
        let expected = [(0.0, 2.0), (0.5, 2.0), (0.5, 4.0), (1.0, 4.0)];
        assert_eq!(track.steps(Channel::Force(0, 0)), expected);
    }

    #[test]
    fn a_short_contact_and_its_impact_are_seen_in_a_long_strip() {
        let mut track = Track::new(&info());
        for i in 0..100_000 {
            if i == 50_000 {
                let mut event = Event::change(i as f64, 0, EventKind::Impact);
                event.impulse = [1.0, 0.0];
                track.note(&event);
            }
            let mode = if i == 50_000 { Mode::Stick } else { Mode::Open };
            push(&mut track, i as f64, 0.0, mode);
        }
        let (bars, marks) = track.strip(0, 500);
        assert_eq!(bars.iter().map(|b| b.2).collect::<Vec<_>>(), [0, 1, 0]);
        assert!(marks.len() == 1 && (marks[0] - 50_000.0).abs() < 300.0);
        assert!(bars.windows(2).all(|w| w[0].1 == w[1].0));
    }

    #[test]
    fn few_samples_are_kept_as_they_are() {
        let mut track = Track::new(&info());
        for i in 0..10 {
            push(&mut track, i as f64, (i * i) as f64, Mode::Slide(Slip::Negative));
        }
        let expected: Vec<_> = (0..10).map(|i| (i as f64, (i * i) as f64)).collect();
        assert_eq!(track.curve(Channel::Coordinate(0)), expected);
        assert_eq!(track.curve(Channel::Total)[3], (3.0, 10.0));
        assert_eq!(track.portrait(Channel::Coordinate(0), Channel::Velocity(0))[3], (9.0, -9.0));
        assert_eq!(track.strip(0, 5).0, [(0.0, 9.0, 3)]);
    }
}
