//! What a run adds up, and what it shows its observer.

use super::{End, Event, EventKind, Flow, Observer, Parts, Report, Sample};
use crate::contact::{ContactProblem, Mode};
use crate::error::Error;
use crate::model::{Candidate, ContactPoint, Model, Span};
use crate::step::{Integrator, StepOutcome};
use crate::system::State;

/// A contact that approaches faster than this share of the velocities of its problem takes an impact.
const APPROACH: f64 = 1e-6;

/// Impacts create energy where they add more than this share of the works of their parts; less is rounding.
const CREATED: f64 = 1e-12;

/// Contacts that were closed create energy where they add more than this share of what their impulses would do at the fastest velocity of
/// their problem; less is left open by the tolerance of its solution.
const RESOLVED: f64 = 1e-9;

/// Room for what is known of candidates.
#[derive(Default)]
struct Room {
    by_identity: Vec<(u64, usize)>,
    modes: Vec<Mode>,
    starts: Vec<usize>,
    impulses: Vec<f64>,
}

/// What a run adds up.
pub(super) struct Log {
    pub(super) report: Report,
    /// Whether ½ Λ (γ⁻ + γ⁺) is the energy that contacts add in a step: it is where the velocity of the displacement is the mean of those at its ends.
    balanced: bool,
    /// By a scheme whose impacts take two steps: the energy that contacts have added so far, and the works that it is made of. The second
    /// step of an impact gives back of what the first took; all of them together add none.
    pub(super) added: Option<[f64; 2]>,
    /// The candidates that there is room for, and what they do.
    pub(super) identities: Vec<u64>,
    pub(super) modes: Vec<Mode>,
    next: Vec<Mode>,
    /// Where the impulses of each candidate begin, and all of them.
    pub(super) starts: Vec<usize>,
    pub(super) impulses: Vec<f64>,
    /// Storage of the room of other candidates.
    other: Room,
    candidates: Vec<Candidate>,
    points: Vec<Option<ContactPoint>>,
    gaps: Vec<f64>,
    /// The middle of a step.
    middle: State,
    pub(super) last_sample: f64,
}

impl Log {
    pub(super) fn new<M: Model>(
        model: &M,
        place: &mut M::Place,
        state: &State,
        integrator: Integrator,
    ) -> Result<Self, Error> {
        let energy = model.energy(&state.q, &state.u, state.t);
        let mut log = Self {
            report: Report::start(state, energy),
            balanced: integrator.motion() == 0.5,
            added: (integrator == Integrator::PaoliSchatzman).then_some([0.0; 2]),
            identities: Vec::new(),
            modes: Vec::new(),
            next: Vec::new(),
            starts: Vec::new(),
            impulses: Vec::new(),
            other: Room::default(),
            candidates: Vec::new(),
            points: Vec::new(),
            gaps: Vec::new(),
            middle: state.clone(),
            last_sample: state.t,
        };
        model.detect(place, &Span::still(state), &mut log.candidates)?;
        let candidates = std::mem::take(&mut log.candidates);
        log.make_room(model, place, &candidates);
        log.candidates = candidates;
        Ok(log)
    }

    /// Makes room for these candidates of a place. What is known of those that were there before moves along with their identities; new ones
    /// were open, and the impulses of those that are gone since the last sample are no longer shown.
    pub(super) fn make_room<M: Model>(
        &mut self,
        model: &M,
        place: &M::Place,
        candidates: &[Candidate],
    ) {
        let identities = candidates.iter().map(|c| c.identity);
        if identities.clone().eq(self.identities.iter().copied()) {
            return;
        }
        let Room { by_identity, modes, starts, impulses } = &mut self.other;
        by_identity.clear();
        by_identity.extend(self.identities.iter().copied().zip(0..));
        by_identity.sort_unstable();
        starts.clear();
        modes.clear();
        impulses.clear();
        for (i, identity) in identities.clone().enumerate() {
            let start = impulses.len();
            starts.push(start);
            impulses.resize(start + model.law(place, i).components(), 0.0);
            let before = by_identity.binary_search_by_key(&identity, |known| known.0);
            modes.push(before.map_or(Mode::Open, |at| self.modes[by_identity[at].1]));
            if let Ok(at) = before {
                let from = &self.impulses[self.starts[by_identity[at].1]..];
                impulses[start..].iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            }
        }
        self.identities.clear();
        self.identities.extend(identities);
        std::mem::swap(&mut self.modes, modes);
        std::mem::swap(&mut self.starts, starts);
        std::mem::swap(&mut self.impulses, impulses);
    }

    /// Counts a step that was made in parts.
    pub(super) fn count_split(&mut self, parts: &Parts) {
        self.report.split_steps += usize::from(parts.is_split());
    }

    /// When the last sample was taken.
    pub(super) fn last_sample(&self) -> f64 {
        self.last_sample
    }

    /// Whether a contact took an impact in the last step, which is yet to be recorded. There is room for its candidates.
    pub(super) fn is_struck(&self, o: &StepOutcome, problem: &ContactProblem) -> bool {
        if o.active.is_empty() {
            return false;
        }
        let fastest = fastest(problem);
        o.active.iter().enumerate().any(|(i, &c)| {
            let n = problem.rows(i).start;
            self.modes[c] == Mode::Open
                && is_impact(&o.candidates[c], o.before[n], o.impulse[n], fastest)
        })
    }

    /// Adds the work of forces without a potential in a step between these states: their power in its middle, with the mean velocity.
    pub(super) fn add_force_work<M: Model>(&mut self, model: &M, from: &State, to: &State) {
        let State { t, q, u } = &mut self.middle;
        *t = 0.5 * (from.t + to.t);
        let mean = |out: &mut [f64], a: &[f64], b: &[f64]| {
            out.iter_mut().zip(a.iter().zip(b)).for_each(|(m, (a, b))| *m = 0.5 * (a + b));
        };
        mean(q, &from.q, &to.q);
        mean(u, &from.u, &to.u);
        self.report.force_work += (to.t - from.t) * model.power(q, u, *t);
    }

    /// Adds up the last step, which ended at this time, and shows its events. There is room for its candidates.
    pub(super) fn record<M: Model, O: Observer + ?Sized>(
        &mut self,
        t: f64,
        (model, place): (&M, &M::Place),
        (o, problem): (&StepOutcome, &ContactProblem),
        observer: &mut O,
    ) {
        let bodies = |c: usize| model.contact_point(place, c).map(|p| p.bodies);
        let fastest = fastest(problem);
        let r = &mut self.report;
        r.redundancy = r.redundancy.max(o.redundancy);
        r.constraint_drift = r.constraint_drift.max(o.drift);
        r.settling = r.settling.max(o.settling);
        r.steps += 1;
        r.iterations += o.iterations;
        r.contact_steps += usize::from(!o.active.is_empty());
        if o.certificate.worst > r.certificate.worst {
            (r.certificate, r.certificate_t) = (o.certificate.numbered(&o.active), t);
            r.certificate_bodies = r.certificate.worst_contact().and_then(&bodies);
        }
        self.next.clear();
        self.next.resize(self.modes.len(), Mode::Open);
        let (mut row, mut impacts, mut lost, mut size, mut most) = (0, 0, 0.0, 0.0, 0.0);
        for (i, &c) in o.active.iter().enumerate() {
            self.next[c] = o.modes[i];
            let candidate = &o.candidates[c];
            let rows = row..row + problem.rows(i).len();
            row = rows.end;
            // What motors and joints do is no impact.
            let (mut energy, strikes) = (0.0, candidate.gap.is_some());
            for (k, j) in rows.clone().enumerate() {
                let part = 0.5 * o.impulse[j] * (o.before[j] + o.after[j]);
                energy += part;
                if strikes {
                    size += 0.5 * o.impulse[j].abs() * (o.before[j].abs() + o.after[j].abs());
                    most += o.impulse[j].abs() * fastest;
                }
                // A body that is moved does work of its own: the system feels Hᵀ u, not γ.
                r.contact_work += part - o.impulse[j] * o.drive[j];
                self.impulses[self.starts[c] + k] += o.impulse[j];
            }
            lost += if strikes { energy } else { 0.0 };
            let n = rows.start;
            if self.modes[c] == Mode::Open
                && is_impact(candidate, o.before[n], o.impulse[n], fastest)
            {
                impacts += 1;
                let friction = match &o.impulse[n + 1..rows.end] {
                    [signed] => *signed,
                    several => several.iter().map(|x| x * x).sum::<f64>().sqrt(),
                };
                let (kind, impulse) = (EventKind::Impact, [o.impulse[n], friction]);
                let bodies = bodies(c);
                show(observer, r, &Event { t, contact: c, bodies, kind, impulse, energy });
            }
        }
        r.impacts += impacts;
        if let Some([added, sizes]) = &mut self.added {
            (*added, *sizes) = (*added + lost, *sizes + size);
            if *added > RESOLVED * *sizes {
                r.energy_created.0 += 1;
                r.energy_created.1 += std::mem::take(added);
            }
        // Newton's law also does it to contacts that have been closed for long, between bodies that others strike.
        } else if (impacts > 0 && lost > CREATED * size)
            || (self.balanced && lost > RESOLVED * most)
        {
            r.energy_created.0 += 1;
            r.energy_created.1 += lost;
        }
        self.changes(t, &o.candidates, &bodies, observer);
    }

    /// Shows what contacts began to do, and keeps the deepest interpenetration. Connections neither open nor close.
    fn changes<O: Observer + ?Sized>(
        &mut self,
        t: f64,
        candidates: &[Candidate],
        bodies: &impl Fn(usize) -> Option<[usize; 2]>,
        observer: &mut O,
    ) {
        for (c, candidate) in candidates.iter().enumerate() {
            let Some(gap) = candidate.gap else { continue };
            if let Some(kind) = change(self.modes[c], self.next[c]) {
                let event = Event { bodies: bodies(c), ..Event::change(t, c, kind) };
                show(observer, &mut self.report, &event);
            }
            if -gap > self.report.drift.depth {
                self.report.drift.deepen(-gap, (c, bodies(c)), t);
            }
        }
        std::mem::swap(&mut self.modes, &mut self.next);
    }

    /// Shows a state, at which the place then is.
    pub(super) fn sample<M: Model, O: Observer + ?Sized>(
        &mut self,
        model: &M,
        place: &mut M::Place,
        state: &State,
        observer: &mut O,
    ) -> Result<Flow, Error> {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        model.detect(place, &Span::still(state), &mut candidates)?;
        self.make_room(model, place, &candidates);
        self.candidates = candidates;
        self.gaps.clear();
        self.gaps.extend(self.candidates.iter().map(|c| c.gap.unwrap_or(0.0)));
        self.points.clear();
        self.points.extend((0..self.gaps.len()).map(|c| model.contact_point(place, c)));
        for (c, gap) in self.gaps.iter().enumerate() {
            let bodies = self.points[c].map(|p| p.bodies);
            self.report.drift.deepen(-gap, (c, bodies), state.t);
        }
        let flow = observer.sample(&Sample {
            t: state.t,
            q: &state.q,
            u: &state.u,
            gaps: &self.gaps,
            impulses: &self.impulses,
            modes: &self.modes,
            points: &self.points,
            energy: model.energy(&state.q, &state.u, state.t),
        });
        self.impulses.fill(0.0);
        self.last_sample = state.t;
        Ok(flow)
    }

    pub(super) fn finish<M: Model>(mut self, model: &M, state: State, end: End) -> Report {
        self.report.energy_end = model.energy(&state.q, &state.u, state.t);
        self.report.end = end;
        self.report.state = state;
        self.report.judged()
    }
}

/// Whether a contact that was open takes an impact: one that was closed approaches by no more than its curved path in a step.
fn is_impact(candidate: &Candidate, before: f64, impulse: f64, fastest: f64) -> bool {
    candidate.gap.is_some() && before < -APPROACH * fastest && impulse > 0.0
}

/// The largest velocity of the last contact problem.
fn fastest(problem: &ContactProblem) -> f64 {
    problem.bias().iter().fold(0.0, |m, v| m.max(v.abs()))
}

fn show<O: Observer + ?Sized>(observer: &mut O, report: &mut Report, event: &Event) {
    report.events += 1;
    observer.event(event);
}

/// What a change of mode is called.
fn change(from: Mode, to: Mode) -> Option<EventKind> {
    match (from, to) {
        (a, b) if a == b => None,
        (_, Mode::Open) => Some(EventKind::Opens),
        (Mode::Open, _) => Some(EventKind::Closes),
        (_, Mode::Stick) => Some(EventKind::Sticks),
        (_, Mode::Slide(slip)) => Some(EventKind::Slides(slip)),
        (_, Mode::Slip | Mode::Closed | Mode::Fixed) => None,
    }
}
