//! Accumulation points: infinitely many impacts of a contact in finite time.
//!
//! A series of bounces whose flights shrink by a constant ratio ends at the limit of a geometric series. Once
//! the bounces are lower than a share of the first, the contact is closed at once and the event is shown at
//! the limit: the state errs by the height of one bounce. Where several contacts strike in turn, and each
//! of their series may be one of series, there is no one ratio; then the height alone decides.

use super::flow::EventDriven;
use crate::model::Model;
use crate::run::{Event, EventKind, Observer};

/// Flights that must shrink before a series is believed.
const FLIGHTS: usize = 4;

/// Ratios of flights beyond this are no series that ends.
const SLOWEST: f64 = 0.9999;

/// The last impacts of one contact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Series {
    /// Times, the newest last.
    pub(super) times: [f64; FLIGHTS + 1],
    /// How many of them there are.
    pub(super) count: usize,
    /// v T of the first flight of the series: four times the height of its bounce.
    pub(super) first: f64,
    /// The velocity of separation after the last impact.
    pub(super) velocity: f64,
    /// The largest of them, and how many impacts have followed it.
    pub(super) fastest: f64,
    pub(super) followers: usize,
}

impl Series {
    fn flight(&self, i: usize) -> f64 {
        self.times[i + 1] - self.times[i]
    }

    /// Takes an impact; a flight that does not shrink begins a new series.
    fn take(&mut self, t: f64, velocity: f64) {
        let known = self.count.min(FLIGHTS + 1);
        let last = self.times[FLIGHTS];
        let shrinks = known < 2 || t - last < SLOWEST * self.flight(FLIGHTS - 1);
        self.times.copy_within(1.., 0);
        self.times[FLIGHTS] = t;
        self.count = if known == 0 { 1 } else { known + 1 };
        if !shrinks || self.count == 2 {
            self.count = 2;
            self.first = self.velocity * self.flight(FLIGHTS - 1);
        }
        self.velocity = velocity;
        self.followers += 1;
        if velocity > self.fastest {
            (self.fastest, self.followers) = (velocity, 0);
        }
    }

    /// The limit of the series by its last three impacts, if all of its flights shrink.
    fn limit(&self) -> Option<f64> {
        if self.count <= FLIGHTS {
            return None;
        }
        let (last, before) = (self.flight(FLIGHTS - 1), self.flight(FLIGHTS - 2));
        let ratio = last / before;
        (ratio < SLOWEST).then(|| self.times[FLIGHTS] + last * ratio / (1.0 - ratio))
    }
}

/// The series of all contacts, and the end that is awaited.
#[derive(Clone, Debug)]
pub(super) struct Accumulation {
    pub(super) series: Vec<Series>,
    /// Contacts that were closed before their series ended, and when it ends.
    pub(super) waiting: Vec<(usize, f64)>,
}

impl Accumulation {
    pub(super) fn new(contacts: usize) -> Self {
        Self { series: vec![Series::default(); contacts], waiting: Vec::with_capacity(contacts) }
    }

    pub(super) fn reset(&mut self) {
        self.series.fill(Series::default());
        self.waiting.clear();
    }

    /// Moves all times.
    pub(super) fn shift(&mut self, by: f64) {
        self.series.iter_mut().flat_map(|s| &mut s.times).for_each(|t| *t += by);
        self.waiting.iter_mut().for_each(|w| w.1 += by);
    }

    /// The next end that is awaited.
    pub(super) fn pending(&self) -> f64 {
        self.waiting.iter().fold(f64::INFINITY, |m, w| m.min(w.1))
    }

    /// Notes an impact at a contact after which it, or another that touches, separates with this velocity.
    /// Returns the end of the series if bounces have become lower than `share` of the highest before, or so low
    /// that rounding of the gap, `noise`, spoils them.
    pub(super) fn note(
        &mut self,
        contact: usize,
        (t, velocity): (f64, f64),
        share: f64,
        noise: f64,
    ) -> Option<f64> {
        let series = &mut self.series[contact];
        series.take(t, velocity);
        let limit = series.limit();
        let low = limit.is_some_and(|end| velocity * (end - t) <= share * series.first);
        // Several contacts that strike in turn have no series of one ratio; heights go with the square.
        let slow = series.followers >= FLIGHTS && velocity <= share.sqrt() * series.fastest;
        let height = velocity * (t - series.times[FLIGHTS - 1]);
        let hidden = series.followers >= 2 && height <= 64.0 * noise;
        (low || slow || hidden).then(|| limit.unwrap_or(t))
    }

    /// A contact was closed: what it did before is no series any more.
    pub(super) fn end(&mut self, contact: usize) {
        self.series[contact] = Series::default();
    }

    /// Waits for the end of a series.
    pub(super) fn wait(&mut self, contact: usize, end: f64) {
        self.waiting.push((contact, end));
    }
}

impl<M: Model> EventDriven<'_, M> {
    /// Shows the accumulation points that have been reached.
    pub(super) fn settle_accumulation<O: Observer + ?Sized>(&mut self, observer: &mut O) {
        while let Some(i) =
            self.accumulation.waiting.iter().position(|&(_, end)| end <= self.state.t)
        {
            let (contact, end) = self.accumulation.waiting.remove(i);
            self.show(Event::change(end, contact, EventKind::Accumulation), observer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_geometric_series_ends_at_its_limit() {
        let mut a = Accumulation::new(1);
        let (mut t, mut flight) = (0.3, 1.0);
        let limit = t + 1.0 / (1.0 - 0.6);
        let mut end = None;
        for _ in 0..60 {
            end = a.note(0, (t, flight), 1e-12, 0.0);
            if end.is_some() {
                break;
            }
            t += flight;
            flight *= 0.6;
        }
        assert!(flight > 1e-7 && flight < 1e-5, "{flight}");
        assert!((end.unwrap() - limit).abs() < 1e-14);
    }

    #[test]
    fn bounces_that_do_not_shrink_are_no_series() {
        let mut a = Accumulation::new(1);
        assert!((0..1000).all(|i| a.note(0, (1e-9 * i as f64, 1e-9), 1e-2, 0.0).is_none()));
    }
}
