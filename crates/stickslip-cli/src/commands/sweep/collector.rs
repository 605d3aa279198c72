//! States at a section, return by return, until the motion has settled.

use crate::interrupt;
use crate::scene::Loaded;
use std::collections::VecDeque;
use stickslip::State;
use stickslip::analysis::settling::{
    Criterion, MOST_RETURNS, MOST_VISITS, Repeats, Visit, repeats,
};
use stickslip::run::{Event, Flow, Observer, Sample};
use stickslip_scene::SceneModel;
use stickslip_scene::section::{Kind, Section};

/// A state at the section.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Crossing {
    pub(super) t: f64,
    /// The time since the crossing before; none for the first of a run.
    pub(super) since: Option<f64>,
    /// By the names of the scene.
    pub(super) q: Vec<f64>,
    pub(super) u: Vec<f64>,
    pub(super) gaps: Vec<f64>,
    /// Coordinates and velocities of the model itself, which are compared; empty where they are read from a file.
    pub(super) own: [Vec<f64>; 2],
}

/// When a run is over.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    /// The most returns.
    pub(super) returns: usize,
    /// A return that takes longer than this is none.
    pub(super) longest: f64,
    pub(super) settled: Criterion,
    /// Crossings kept of a motion that has not settled.
    pub(super) keep: usize,
}

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Over {
    /// The motion repeats.
    Settled(Repeats),
    /// Not after the most returns.
    NotSettled,
    /// It does not come back to the section.
    NoReturn,
    /// Ctrl-C.
    Interrupted,
}

/// What is left of a run.
#[derive(Clone, Debug)]
pub(super) struct Collected {
    pub(super) crossings: Vec<Crossing>,
    /// The mean velocity of each coordinate over these; empty where they take no time.
    pub(super) rates: Vec<f64>,
    /// How often the section was crossed.
    pub(super) made: usize,
    pub(super) over: Option<Over>,
}

/// Collects crossings.
#[derive(Debug)]
pub(super) struct Collector {
    kind: Kind,
    model: SceneModel,
    limits: Limits,
    /// Which of the model's own coordinates need not come back.
    cyclic: Vec<bool>,
    /// The event that the next sample belongs to.
    pending: Option<f64>,
    /// The sample before, with the value of the surface.
    before: Option<(f64, Crossing)>,
    /// The time of the start, then of the last crossing.
    last: f64,
    made: usize,
    crossings: VecDeque<Crossing>,
    visits: VecDeque<Visit>,
    /// Of the return on its way: the least and largest coordinates, and the largest velocities.
    extent: Extent,
    pub(super) over: Option<Over>,
}

/// How far a motion has gone.
#[derive(Clone, Debug, Default)]
struct Extent {
    least: Vec<f64>,
    largest: Vec<f64>,
    fastest: Vec<f64>,
}

impl Extent {
    fn take(&mut self, q: &[f64], u: &[f64]) {
        self.least.resize(q.len(), f64::INFINITY);
        self.largest.resize(q.len(), f64::NEG_INFINITY);
        self.fastest.resize(u.len(), 0.0);
        self.least.iter_mut().zip(q).for_each(|(m, q)| *m = m.min(*q));
        self.largest.iter_mut().zip(q).for_each(|(m, q)| *m = m.max(*q));
        self.fastest.iter_mut().zip(u).for_each(|(m, u)| *m = m.max(u.abs()));
    }
}

impl Collector {
    /// For a run of a scene; `cyclic` are the coordinates of its model that need not come back.
    pub(super) fn new(
        section: &Section,
        limits: &Limits,
        scene: &Loaded,
        cyclic: &[usize],
    ) -> Self {
        let last = cyclic.iter().max().map_or(0, |c| c + 1);
        Self {
            kind: section.kind.clone(),
            model: scene.scene.model().clone(),
            limits: limits.clone(),
            cyclic: (0..last).map(|i| cyclic.contains(&i)).collect(),
            pending: None,
            before: None,
            last: scene.start.t,
            made: 0,
            crossings: VecDeque::new(),
            visits: VecDeque::new(),
            extent: Extent::default(),
            over: None,
        }
    }

    /// When the motion has to be back at the section.
    pub(super) fn latest(&self) -> f64 {
        self.last + self.limits.longest
    }

    /// Takes a state at the section.
    pub(super) fn take(&mut self, mut crossing: Crossing) {
        crossing.since = (self.made > 0).then_some(crossing.t - self.last);
        self.extent.take(&crossing.own[0], &crossing.own[1]);
        self.last = crossing.t;
        self.made += 1;
        self.visit(&crossing);
        self.crossings.push_back(crossing);
        if self.crossings.len() > self.limits.keep.max(MOST_RETURNS + 1) {
            self.crossings.pop_front();
        }
        self.over = match repeats(self.visits.make_contiguous(), self.limits.settled) {
            Some(repeats) => Some(Over::Settled(repeats)),
            None if self.made > self.limits.returns => Some(Over::NotSettled),
            None => None,
        };
    }

    fn visit(&mut self, crossing: &Crossing) {
        let Extent { least, largest, fastest } = std::mem::take(&mut self.extent);
        let [q, u] = &crossing.own;
        self.extent.take(q, u);
        let Some(time) = crossing.since else { return };
        let comes_back = |i: &usize| !self.cyclic.get(*i).copied().unwrap_or(false);
        let coordinates: Vec<usize> = (0..q.len()).filter(comes_back).collect();
        let point = coordinates.iter().map(|&i| q[i]).chain(u.iter().copied());
        let ranges = coordinates.iter().map(|&i| largest[i] - least[i]);
        let (point, sizes) = (point.collect(), ranges.chain(fastest).collect());
        self.visits.push_back(Visit { time, point, sizes });
        if self.visits.len() > MOST_VISITS {
            self.visits.pop_front();
        }
    }

    /// The end of a run: of a motion that has settled one cycle is kept, of another what `keep` says.
    pub(super) fn finish(self) -> Collected {
        let mut crossings = Vec::from(self.crossings);
        let keep = match self.over {
            Some(Over::Settled(repeats)) => repeats.returns,
            _ => self.limits.keep,
        };
        let first = crossings.len().saturating_sub(keep);
        let rates = match (crossings.get(first.saturating_sub(1)), crossings.last()) {
            (Some(a), Some(b)) if b.t > a.t => {
                a.q.iter().zip(&b.q).map(|(a_q, b_q)| (b_q - a_q) / (b.t - a.t)).collect()
            }
            _ => Vec::new(),
        };
        let crossings = crossings.split_off(first);
        Collected { crossings, rates, made: self.made, over: self.over }
    }

    /// What is seen at every sample, whoever finds the crossings.
    fn measure(&mut self, sample: &Sample<'_>) -> Flow {
        self.extent.take(sample.q, sample.u);
        if interrupt::asked() {
            self.over = Some(Over::Interrupted);
        }
        if self.over.is_some() { Flow::Stop } else { Flow::Continue }
    }

    fn state(&self, s: &Sample<'_>) -> Crossing {
        let state = State { t: s.t, q: s.q.to_vec(), u: s.u.to_vec() };
        self.crossing(state, s.gaps.to_vec())
    }

    /// A state of the model, with the names of the scene beside it.
    pub(super) fn crossing(&self, state: State, gaps: Vec<f64>) -> Crossing {
        let State { t, q, u } = self.model.observe(&state);
        Crossing { t, since: None, q, u, gaps, own: [state.q, state.u] }
    }

    /// The crossing between two samples, if there is one.
    fn between(&mut self, sample: &Sample<'_>) -> Option<Crossing> {
        let after = match &mut self.kind {
            Kind::Surface(surface) => surface.value(sample.q, sample.u, sample.t),
            Kind::Period(period) => sample.t - (self.last + *period),
            Kind::Event(..) => return None,
        };
        let here = self.state(sample);
        let (before, from) = self.before.replace((after, here.clone()))?;
        // The drive has moved on by a period at the crossing before.
        let before = match self.kind {
            Kind::Period(period) => from.t - (self.last + period),
            _ => before,
        };
        (before < 0.0 && after >= 0.0).then(|| mixed(&from, &here, before / (before - after)))
    }
}

impl Observer for Collector {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        if let Some(t) = self.pending.take() {
            let here = self.state(sample);
            self.take(Crossing { t, ..here });
        }
        if let Some(crossing) = self.between(sample) {
            self.take(crossing);
        }
        if self.over.is_none() && sample.t > self.latest() {
            self.over = Some(Over::NoReturn);
        }
        self.measure(sample)
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

/// Only what every sample shows: for a run whose crossings are found by the integrator. Says whether the event of the section has happened.
pub(super) struct Bystander<'a> {
    pub(super) collector: &'a mut Collector,
    pub(super) happened: &'a std::cell::Cell<bool>,
}

impl Observer for Bystander<'_> {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.collector.measure(sample)
    }

    fn event(&mut self, event: &Event) {
        if let Kind::Event(contact, kind) = self.collector.kind {
            let is_it = event.contact == contact && event.kind == kind;
            self.happened.set(self.happened.get() || is_it);
        }
    }
}

/// The state at a share of the way from one to the other.
fn mixed(a: &Crossing, b: &Crossing, share: f64) -> Crossing {
    let mix = |x: f64, y: f64| x + share * (y - x);
    let all = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(&x, &y)| mix(x, y)).collect();
    Crossing {
        t: mix(a.t, b.t),
        since: None,
        q: all(&a.q, &b.q),
        u: all(&a.u, &b.u),
        gaps: all(&a.gaps, &b.gaps),
        own: [0, 1].map(|i| all(&a.own[i], &b.own[i])),
    }
}
