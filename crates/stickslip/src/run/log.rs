//! What a run adds up, and what it shows its observer.

use super::contact_list::{ContactList, Shown};
use super::{End, Event, EventKind, Flow, Observer, PassedStep, Report, Sample};
use crate::contact::{ContactProblem, Mode};
use crate::error::Error;
use crate::model::{Candidate, ContactImpulse, Model, Span};
use crate::step::{Integrator, StepOutcome};
use crate::system::State;

/// A contact that approaches faster than this share of the velocities of its problem takes an impact.
const APPROACH: f64 = 1e-6;

/// Impacts create energy where they add more than this share of the works of their parts; less is rounding.
const CREATED: f64 = 1e-12;

/// Contacts that were closed create energy where more than this share of the energies is added. The work of their impulses is known to
/// this share of what they would do at the fastest velocity of their problem, the tolerance of its solution.
const RESOLVED: f64 = 1e-9;

/// Whether contacts added energy in a step.
#[derive(Clone, Copy)]
enum Gain {
    None,
    /// Their work is positive, by no more than this; whether by more than rounding, the energies say.
    Perhaps(f64),
    /// Their impulses did, this much by their work, and with what rotation and rounding make of it no more than the second number.
    Work(f64, f64),
    /// The step misses its tolerance, so that the work of impulses says nothing: the energies say all.
    Missed,
}

/// What a run adds up.
pub(super) struct Log {
    pub(super) report: Report,
    /// Whether ½ Λ (γ⁻ + γ⁺) is the energy that contacts add in a step: it is where the velocity of the displacement is the mean of those at its ends.
    balanced: bool,
    /// Of the last step, and whether contacts alone did work in it.
    gain: Gain,
    alone: bool,
    /// By a scheme whose impacts take two steps: the energy that contacts have added so far, and the works that it is made of. The second
    /// step of an impact gives back of what the first took; all of them together add none.
    pub(super) added: Option<[f64; 2]>,
    /// The candidates of the last step.
    pub(super) contacts: ContactList,
    next: Vec<Mode>,
    /// Contacts that were closed before the last step and are no candidates in it.
    opened: Vec<(usize, Option<[usize; 2]>)>,
    /// Of a sample.
    candidates: Vec<Candidate>,
    shown: Shown,
    acted: Vec<ContactImpulse>,
    /// The middle of a step.
    middle: State,
    pub(super) last_sample: f64,
    /// The worst certificate since the last sample.
    pub(super) worst: f64,
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
            gain: Gain::None,
            alone: true,
            added: (integrator == Integrator::PaoliSchatzman).then_some([0.0; 2]),
            contacts: ContactList::default(),
            next: Vec::new(),
            opened: Vec::new(),
            candidates: Vec::new(),
            shown: Shown::default(),
            acted: Vec::new(),
            middle: state.clone(),
            last_sample: state.t,
            worst: 0.0,
        };
        model.detect(place, &Span::still(state), &mut log.candidates)?;
        let candidates = std::mem::take(&mut log.candidates);
        log.make_room(model, place, &candidates);
        log.candidates = candidates;
        Ok(log)
    }

    /// Makes room for these candidates of a step at a place.
    pub(super) fn make_room<M: Model>(
        &mut self,
        model: &M,
        place: &M::Place,
        candidates: &[Candidate],
    ) {
        self.contacts.update(model, place, candidates, &mut self.opened);
    }

    /// Counts a step that was made in parts.
    pub(super) fn count_split(&mut self, split: bool, swept: bool) {
        self.report.split_steps += usize::from(split);
        self.report.swept_steps += usize::from(swept);
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
            self.contacts.modes[c] == Mode::Open && is_impact(o, (c, n), fastest)
        })
    }

    /// Adds the work of forces without a potential in a step between these states: their power in its middle, with the mean velocity.
    /// Returns it.
    pub(super) fn add_force_work<M: Model>(&mut self, model: &M, from: &State, to: &State) -> f64 {
        let State { t, q, u } = &mut self.middle;
        *t = 0.5 * (from.t + to.t);
        let mean = |out: &mut [f64], a: &[f64], b: &[f64]| {
            out.iter_mut().zip(a.iter().zip(b)).for_each(|(m, (a, b))| *m = 0.5 * (a + b));
        };
        mean(q, &from.q, &to.q);
        mean(u, &from.u, &to.u);
        let work = (to.t - from.t) * model.power(q, u, *t);
        self.report.force_work += work;
        work
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
        r.plastic_steps += usize::from(o.plastic);
        r.missed_steps += usize::from(o.missed);
        r.contact_steps += usize::from(!o.active.is_empty());
        (r.asleep, r.woken) = (o.asleep_bodies, r.woken + o.woken);
        r.sleep_energy += o.sleep_energy;
        self.worst = self.worst.max(o.certificate.worst);
        if o.certificate.worst > r.certificate.worst {
            (r.certificate, r.certificate_t) = (o.certificate.numbered(&o.active), t);
            r.certificate_bodies = r.certificate.worst_contact().and_then(&bodies);
        }
        for (contact, bodies) in self.opened.drain(..) {
            let event = Event { bodies, ..Event::change(t, contact, EventKind::Opens) };
            show(observer, r, &event);
        }
        self.next.clear();
        self.next.resize(self.contacts.modes.len(), Mode::Open);
        let (mut row, mut impacts, mut lost, mut size, mut most) = (0, 0, 0.0, 0.0, 0.0);
        let mut alone = true;
        for (i, &c) in o.active.iter().enumerate() {
            self.next[c] = o.modes[i];
            let candidate = &o.candidates[c];
            let rows = row..row + problem.rows(i).len();
            row = rows.end;
            // What motors and joints do is no impact; the friction of a patch, which has no gap, is one of its rim.
            let (mut energy, strikes) = (0.0, candidate.gap.is_some() || bodies(c).is_some());
            for (k, j) in rows.clone().enumerate() {
                let part = 0.5 * o.impulse[j] * (o.before[j] + o.after[j]);
                energy += part;
                if strikes {
                    size += 0.5 * o.impulse[j].abs() * (o.before[j].abs() + o.after[j].abs());
                    most += o.impulse[j].abs() * fastest;
                }
                // A body that is moved does work of its own: the system feels Hᵀ u, not γ.
                let driven = o.impulse[j] * o.drive[j];
                r.contact_work += part - driven;
                alone &= driven == 0.0 && (strikes || part == 0.0);
                self.contacts.impulses[self.contacts.starts[c] + k] += o.impulse[j];
            }
            self.contacts.see((model, place), c, candidate.gap.unwrap_or(0.0));
            lost += if strikes { energy } else { 0.0 };
            let n = rows.start;
            if self.contacts.modes[c] == Mode::Open && is_impact(o, (c, n), fastest) {
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
        }
        // Newton's law also does it to contacts that have been closed for long, between bodies that others strike. Where motors, joints and
        // moved bodies do work too, the energies do not tell it from theirs.
        let limit = RESOLVED * most;
        self.gain = if self.added.is_some() {
            Gain::None
        } else if o.missed {
            Gain::Missed
        } else if (impacts > 0 && lost > CREATED * size) || (self.balanced && lost > limit) {
            Gain::Work(lost, 2.0 * lost + limit)
        } else if self.balanced && alone && lost > CREATED * r.energy_start.total().abs() {
            Gain::Perhaps(lost + limit)
        } else {
            Gain::None
        };
        self.alone = alone;
        self.add_asleep((model, place), o);
        self.changes(t, &o.candidates, &bodies, observer);
    }

    /// Contacts that hold bodies asleep go on with what they did and with their impulses, which do no work.
    fn add_asleep<M: Model>(&mut self, (model, place): (&M, &M::Place), o: &StepOutcome) {
        for contact in &o.asleep {
            let c = contact.candidate;
            self.next[c] = contact.mode;
            let sums = &mut self.contacts.impulses[self.contacts.starts[c]..];
            let own = &o.asleep_impulse[contact.rows.clone()];
            sums.iter_mut().zip(own).for_each(|(sum, impulse)| *sum += impulse);
            self.contacts.see((model, place), c, o.candidates[c].gap.unwrap_or(0.0));
        }
    }

    /// Adds the energy that contacts created in the last step, in which forces did this work. The work of impulses that are far larger than
    /// what is left of them does not say how much it was: the energies of the ends of the step do.
    pub(super) fn add_gain<M: Model>(&mut self, model: &M, from: &State, to: &State, work: f64) {
        if matches!(self.gain, Gain::None) {
            return;
        }
        let [before, after] = [from, to].map(|s| model.energy(&s.q, &s.u, s.t));
        let rise = after.total() - before.total() - work;
        let size = [before, after].map(|e| e.kinetic + e.potential.abs());
        let risen = self.alone && rise > RESOLVED * (size[0] + size[1]);
        let told = self.balanced && risen;
        let created = match self.gain {
            Gain::Missed if risen => rise,
            Gain::Work(lost, most) if told => lost.max(rise.min(most)),
            Gain::Work(lost, _) => lost,
            Gain::Perhaps(most) if told => rise.min(most),
            _ => return,
        };
        self.report.energy_created.0 += 1;
        self.report.energy_created.1 += created;
    }

    /// Shows the last step to an observer who watches them.
    pub(super) fn show_step<M: Model, O: Observer + ?Sized>(
        &mut self,
        (model, place): (&M, &M::Place),
        (o, problem): (&StepOutcome, &ContactProblem),
        [from, to]: [&State; 2],
        observer: &mut O,
    ) {
        if !observer.watches_steps() {
            return;
        }
        self.acted.clear();
        for (i, &c) in o.active.iter().enumerate() {
            let Some(point) = model.contact_point(place, c) else { continue };
            let impulse = point.spread(&o.impulse[problem.rows(i)]);
            self.acted.push(ContactImpulse { point, impulse });
        }
        for contact in &o.asleep {
            let Some(point) = model.contact_point(place, contact.candidate) else { continue };
            let impulse = point.spread(&o.asleep_impulse[contact.rows.clone()]);
            self.acted.push(ContactImpulse { point, impulse });
        }
        observer.step(&PassedStep { from, to, contacts: &self.acted });
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
            if let Some(kind) = change(self.contacts.modes[c], self.next[c]) {
                let event = Event { bodies: bodies(c), ..Event::change(t, c, kind) };
                show(observer, &mut self.report, &event);
            }
            if -gap > self.report.drift.depth {
                self.report.drift.deepen(-gap, (c, bodies(c)), t);
            }
        }
        std::mem::swap(&mut self.contacts.modes, &mut self.next);
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
        self.contacts.show((model, place), &candidates, &mut self.shown);
        let Shown { gaps, modes, impulses, points } = &self.shown;
        for (c, gap) in gaps.iter().take(candidates.len()).enumerate() {
            let bodies = points[c].map(|p| p.bodies);
            self.report.drift.deepen(-gap, (c, bodies), state.t);
        }
        self.candidates = candidates;
        let flow = observer.sample(&Sample {
            t: state.t,
            q: &state.q,
            u: &state.u,
            gaps,
            impulses,
            modes,
            points,
            energy: model.energy(&state.q, &state.u, state.t),
            certificate: std::mem::take(&mut self.worst),
        });
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

/// Whether a contact that was open takes an impact, by its candidate and row: one that was closed approaches by no more than its curved path in a step.
fn is_impact(o: &StepOutcome, (candidate, n): (usize, usize), fastest: f64) -> bool {
    let bend = o.bend.get(n).copied().unwrap_or(0.0);
    let fast = o.before[n] - bend < -APPROACH * fastest - bend.abs();
    o.candidates[candidate].gap.is_some() && fast && o.impulse[n] > 0.0
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
