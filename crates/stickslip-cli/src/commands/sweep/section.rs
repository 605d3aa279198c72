//! The section: states at an event of a contact, and after how many of them a motion repeats.

use crate::error::CliError;
use crate::interrupt;
use stickslip::SystemInfo;
use stickslip::contact::Slip;
use stickslip::run::{Event, EventKind, Flow, Observer, Sample};

/// Crossings kept of one run.
const MOST: usize = 10_000;

/// Motions that repeat after more crossings than this count as not repeating.
const MOST_RETURNS: usize = 16;

/// Which events of which contact.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Section {
    pub(super) contact: usize,
    pub(super) name: String,
    kind: EventKind,
}

impl Section {
    /// `CONTACT[:EVENT]`, or impacts of the first contact.
    pub(super) fn parse(text: Option<&str>, info: &SystemInfo) -> Result<Self, CliError> {
        let first = info.contacts.first().ok_or_else(|| {
            CliError::misuse("the scene has no contacts, and so no section for a sweep")
        })?;
        let text = text.unwrap_or(&first.name);
        let (contact, event) = text.split_once(':').unwrap_or((text, "impact"));
        let Some(index) = info.contacts.iter().position(|c| c.name == contact) else {
            let names =
                info.contacts.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(CliError::misuse(format!(
                "--section: the scene has no contact `{contact}`; it has {names}"
            )));
        };
        let kinds = [
            EventKind::Impact,
            EventKind::Closes,
            EventKind::Opens,
            EventKind::Sticks,
            EventKind::Slides(Slip::Positive),
            EventKind::Slides(Slip::Negative),
        ];
        let Some(kind) = kinds.into_iter().find(|k| k.name() == event) else {
            let names = kinds.map(EventKind::name).join(", ");
            return Err(CliError::misuse(format!("--section: `{event}` is none of {names}")));
        };
        Ok(Self { contact: index, name: format!("{contact}:{event}"), kind })
    }
}

/// A state at the section.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Crossing {
    pub(super) t: f64,
    /// The time since the crossing before; none for the first of a run.
    pub(super) since: Option<f64>,
    pub(super) q: Vec<f64>,
    pub(super) u: Vec<f64>,
    pub(super) gaps: Vec<f64>,
    pub(super) impulse: [f64; 2],
}

/// Collects crossings after the transient.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    section: &'a Section,
    transient: f64,
    pending: Option<Event>,
    last: Option<f64>,
    pub(super) crossings: Vec<Crossing>,
    /// The first sample after the transient: time and coordinates.
    pub(super) settled: Option<(f64, Vec<f64>)>,
    /// The largest size of every gap and velocity after the transient.
    pub(super) sizes: Vec<f64>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(section: &'a Section, transient: f64) -> Self {
        Self {
            section,
            transient,
            pending: None,
            last: None,
            crossings: Vec::new(),
            settled: None,
            sizes: Vec::new(),
        }
    }
}

impl Observer for Collector<'_> {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        if self.settled.is_none() && sample.t >= self.transient {
            self.settled = Some((sample.t, sample.q.to_vec()));
        }
        if self.settled.is_some() {
            self.sizes.resize(sample.gaps.len() + sample.u.len(), 0.0);
            for (size, v) in self.sizes.iter_mut().zip(sample.gaps.iter().chain(sample.u)) {
                *size = size.max(v.abs());
            }
        }
        if let Some(event) = self.pending.take() {
            let since = self.last.map(|last| event.t - last);
            self.last = Some(event.t);
            if event.t >= self.transient && self.crossings.len() < MOST {
                self.crossings.push(Crossing {
                    t: event.t,
                    since,
                    q: sample.q.to_vec(),
                    u: sample.u.to_vec(),
                    gaps: sample.gaps.to_vec(),
                    impulse: event.impulse,
                });
            }
        }
        if interrupt::asked() { Flow::Stop } else { Flow::Continue }
    }

    fn event(&mut self, event: &Event) {
        if event.contact == self.section.contact && event.kind == self.section.kind {
            // Of several before the next sample the first counts.
            self.pending.get_or_insert(*event);
        }
    }
}

/// After how many crossings the motion repeats, and the time that takes; none if it does not. Coordinates do
/// not count, as a motion may repeat further down the pole; gaps, velocities and times between crossings do,
/// each beside its size over the whole run.
pub(super) fn returns(crossings: &[Crossing], sizes: &[f64], same: f64) -> Option<(usize, f64)> {
    let n = crossings.len();
    let longest = crossings.iter().filter_map(|c| c.since).fold(0.0, f64::max);
    let equal = |a: &Crossing, b: &Crossing| {
        let state = |c: &Crossing| c.gaps.iter().chain(&c.u).copied().collect::<Vec<_>>();
        let near = |((x, y), s): ((f64, f64), &f64)| (x - y).abs() <= same * s;
        let times = (a.since.unwrap_or(longest) - b.since.unwrap_or(longest)).abs();
        times <= same * longest && state(a).into_iter().zip(state(b)).zip(sizes).all(near)
    };
    // Half of what is left after the transient, so that a slow approach is not taken for rest.
    let late = |p: usize| (n / 2).max(p)..n;
    let repeats = |p: usize| late(p).all(|i| equal(&crossings[i], &crossings[i - p]));
    let p = (1..=MOST_RETURNS).find(|&p| n > 2 * p && repeats(p))?;
    Some((p, crossings[n - 1].t - crossings[n - 1 - p].t))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crossings(speeds: impl Iterator<Item = f64>) -> Vec<Crossing> {
        let one = |(i, u): (usize, f64)| Crossing {
            t: i as f64,
            since: Some(1.0),
            q: vec![-(i as f64)],
            u: vec![u],
            gaps: vec![0.0],
            impulse: [0.0; 2],
        };
        speeds.enumerate().map(one).collect()
    }

    #[test]
    fn periods_are_counted_while_the_toy_moves_down() {
        let one = crossings((0..20).map(|_| 3.0));
        assert_eq!(returns(&one, &[1.0, 3.0], 1e-3), Some((1, 1.0)));
        let two = crossings((0..20).map(|i| [3.0, 2.0][i % 2]));
        assert_eq!(returns(&two, &[1.0, 3.0], 1e-3), Some((2, 2.0)));
        let three = crossings((0..20).map(|i| [3.0, 2.0, 1.0][i % 3]));
        assert_eq!(returns(&three, &[1.0, 3.0], 1e-3), Some((3, 3.0)));
        let none = crossings((0..40).map(|i| ((i * i) as f64).sin()));
        assert_eq!(returns(&none, &[1.0, 1.0], 1e-3), None);
        assert_eq!(returns(&[], &[], 1e-3), None);
        assert_eq!(returns(&one[..2], &[1.0, 3.0], 1e-3), None);
    }
}
