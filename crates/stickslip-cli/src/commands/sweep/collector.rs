//! States at a section, and after how many of them a motion repeats.

use crate::interrupt;
use crate::section::{Kind, Section};
use stickslip::run::{Event, Flow, Observer, Sample};

/// Crossings kept of one run.
pub(super) const MOST: usize = 10_000;

/// Motions that repeat after more crossings than this count as not repeating.
const MOST_RETURNS: usize = 16;

/// A state at the section.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Crossing {
    pub(super) t: f64,
    /// The time since the crossing before; none for the first of a run.
    pub(super) since: Option<f64>,
    pub(super) q: Vec<f64>,
    pub(super) u: Vec<f64>,
    pub(super) gaps: Vec<f64>,
}

/// Collects crossings after the transient.
#[derive(Debug)]
pub(super) struct Collector {
    kind: Kind,
    transient: f64,
    /// The event that the next sample belongs to.
    pending: Option<f64>,
    /// The sample before, with the value of the surface.
    before: Option<(f64, Crossing)>,
    last: Option<f64>,
    pub(super) crossings: Vec<Crossing>,
    /// The first sample after the transient: time and coordinates.
    pub(super) settled: Option<(f64, Vec<f64>)>,
    /// The largest size of every gap and velocity after the transient.
    pub(super) sizes: Vec<f64>,
}

impl Collector {
    pub(super) fn new(section: &Section, transient: f64) -> Self {
        Self {
            kind: section.kind.clone(),
            transient,
            pending: None,
            before: None,
            last: None,
            crossings: Vec::new(),
            settled: None,
            sizes: Vec::new(),
        }
    }

    /// Takes a state at the section, unless it belongs to the transient.
    pub(super) fn take(&mut self, mut crossing: Crossing) {
        crossing.since = self.last.map(|last| crossing.t - last);
        self.last = Some(crossing.t);
        if crossing.t >= self.transient && self.crossings.len() < MOST {
            self.crossings.push(crossing);
        }
    }

    /// What is seen at every sample, whoever finds the crossings.
    fn measure(&mut self, sample: &Sample<'_>) {
        if sample.t < self.transient {
            return;
        }
        self.settled.get_or_insert_with(|| (sample.t, sample.q.to_vec()));
        self.sizes.resize(sample.gaps.len() + sample.u.len(), 0.0);
        for (size, v) in self.sizes.iter_mut().zip(sample.gaps.iter().chain(sample.u)) {
            *size = size.max(v.abs());
        }
    }
}

impl Observer for Collector {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.measure(sample);
        if let Some(t) = self.pending.take() {
            self.take(Crossing { t, ..state(sample) });
        }
        if let Kind::Surface(surface) = &mut self.kind {
            let after = surface.value(sample.q, sample.u, sample.t);
            let here = state(sample);
            if let Some((before, from)) = self.before.replace((after, here.clone()))
                && before < 0.0
                && after >= 0.0
            {
                self.take(between(&from, &here, before / (before - after)));
            }
        }
        if interrupt::asked() { Flow::Stop } else { Flow::Continue }
    }

    fn event(&mut self, event: &Event) {
        if let Kind::Event(contact, kind) = self.kind
            && event.contact == contact
            && event.kind == kind
        {
            // Of several before the next sample the first counts.
            self.pending.get_or_insert(event.t);
        }
    }
}

/// Only what every sample shows: for a run whose crossings are found by the integrator.
pub(super) struct Bystander<'a>(pub(super) &'a mut Collector);

impl Observer for Bystander<'_> {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.0.measure(sample);
        if interrupt::asked() { Flow::Stop } else { Flow::Continue }
    }

    fn event(&mut self, _: &Event) {}
}

fn state(s: &Sample<'_>) -> Crossing {
    let (q, u, gaps) = (s.q.to_vec(), s.u.to_vec(), s.gaps.to_vec());
    Crossing { t: s.t, since: None, q, u, gaps }
}

/// The state at a share of the way from one to the other.
fn between(a: &Crossing, b: &Crossing, share: f64) -> Crossing {
    let mix = |x: f64, y: f64| x + share * (y - x);
    let all = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(&x, &y)| mix(x, y)).collect();
    Crossing {
        t: mix(a.t, b.t),
        since: None,
        q: all(&a.q, &b.q),
        u: all(&a.u, &b.u),
        gaps: all(&a.gaps, &b.gaps),
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
