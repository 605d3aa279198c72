//! What a run amounted to.

use crate::contact::Certificate;
use crate::error::Error;
use crate::system::{Energy, State};

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// It reached its end time.
    Finished,
    /// The observer stopped it.
    Stopped,
    /// The condition that ends it became true.
    Condition,
    /// A step has no answer that meets the tolerance; the state is the last good one.
    Failed(String),
}

/// How far a configuration lay inside a contact, at worst.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// The depth, in the unit of the gap.
    pub depth: f64,
    /// The contact.
    pub contact: Option<usize>,
    /// Its bodies, if the model knows them.
    pub bodies: Option<[usize; 2]>,
    /// When.
    pub t: f64,
}

impl Drift {
    /// Takes a depth that is more.
    pub(super) fn deepen(
        &mut self,
        depth: f64,
        (contact, bodies): (usize, Option<[usize; 2]>),
        t: f64,
    ) {
        if depth > self.depth {
            *self = Self { depth, contact: Some(contact), bodies, t };
        }
    }
}

/// By how much a start was moved onto the contacts that touch there, and onto joints and loops.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StartMoved {
    /// The largest change of a coordinate.
    pub coordinate: f64,
    /// The largest change of a velocity; that of an impact at the start is none of it.
    pub velocity: f64,
}

impl StartMoved {
    /// What lies between two states; none if they are the same.
    pub(crate) fn between(from: &State, to: &State) -> Option<Self> {
        let largest =
            |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        let moved = Self { coordinate: largest(&from.q, &to.q), velocity: largest(&from.u, &to.u) };
        (moved != Self::default()).then_some(moved)
    }
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How it ended.
    pub end: End,
    /// The last state.
    pub state: State,
    /// Steps made.
    pub steps: usize,
    /// Steps for which no answer was found that meets the tolerance, and which were made in shorter parts.
    pub split_steps: usize,
    /// Steps in which contacts were without restitution, because friction jams bodies: [`StepOutcome::plastic`](crate::step::StepOutcome::plastic).
    pub plastic_steps: usize,
    /// Steps whose certificate misses the tolerance, since no better answer was found: [`StepOutcome::missed`](crate::step::StepOutcome::missed). The
    /// worst certificate says by how much.
    pub missed_steps: usize,
    /// Steps that were made in parts because bodies meet in them that would otherwise have passed through each other, or nearly so.
    pub swept_steps: usize,
    /// Steps in which at least one contact took part; for event-driven runs, evaluations with a closed contact.
    pub contact_steps: usize,
    /// Bodies that are asleep at the end: [`Settings::sleep`](crate::step::Settings::sleep).
    pub asleep: usize,
    /// How many times an island of sleeping bodies woke.
    pub woken: usize,
    /// The kinetic energy that was taken from bodies when they fell asleep.
    pub sleep_energy: f64,
    /// Impacts: contacts that took an impulse from an approaching velocity.
    pub impacts: usize,
    /// Events shown to the observer.
    pub events: usize,
    /// Pivots or iterations of the solvers.
    pub iterations: usize,
    /// The worst certificate, and when.
    pub certificate: Certificate,
    /// When the certificate was worst.
    pub certificate_t: f64,
    /// The bodies of the contact where it was worst, if the model knows them.
    pub certificate_bodies: Option<[usize; 2]>,
    /// Energy at the start.
    pub energy_start: Energy,
    /// Energy at the end.
    pub energy_end: Energy,
    /// Work of all contact impulses on the system: negative where they dissipate, and positive where moving walls drive.
    pub contact_work: f64,
    /// Work of forces that have no potential and of a potential that changes with time, as [`Model::power`](crate::model::Model::power) has it.
    pub force_work: f64,
    /// Impacts that added energy, and how much in total.
    pub energy_created: (usize, f64),
    /// The deepest penetration, at samples and where steps detect contacts.
    pub drift: Drift,
    /// How far bodies were off the joints, loops or bars that their model keeps itself, at worst, before they were put back after a step:
    /// a length or an angle, for loops of a tree as a share of its longest link, for constraints of generalised coordinates as a share of the
    /// terms that they are made up of.
    pub constraint_drift: f64,
    /// How far the velocities at the ends of steps are from those that the laws were solved for, at worst:
    /// [`StepOutcome::settling`](crate::step::StepOutcome::settling).
    pub settling: f64,
    /// The most motions that joints or loops of bodies excluded twice in any step: their equations less the rank of these.
    pub redundancy: usize,
    /// By how much an event-driven run moved its start onto contacts that touch there and onto joints and loops; none if it did not. Time stepping never does.
    pub start_moved: Option<StartMoved>,
}

impl Report {
    /// The same, finished only if its energy is a number: where it is none, velocities or coordinates have left the range of numbers.
    pub(crate) fn judged(mut self) -> Self {
        if self.end == End::Finished && !self.energy_end.total().is_finite() {
            let error = Error::NotFinite { what: "the energy", t: self.state.t };
            self.end = End::Failed(error.to_string());
        }
        self
    }

    /// The report of a run that has not begun.
    pub(crate) fn start(state: &State, energy: Energy) -> Self {
        Self {
            end: End::Finished,
            state: state.clone(),
            steps: 0,
            split_steps: 0,
            plastic_steps: 0,
            missed_steps: 0,
            swept_steps: 0,
            contact_steps: 0,
            asleep: 0,
            woken: 0,
            sleep_energy: 0.0,
            impacts: 0,
            events: 0,
            iterations: 0,
            certificate: Certificate::default(),
            certificate_t: state.t,
            certificate_bodies: None,
            energy_start: energy,
            energy_end: energy,
            contact_work: 0.0,
            force_work: 0.0,
            energy_created: (0, 0.0),
            drift: Drift::default(),
            constraint_drift: 0.0,
            settling: 0.0,
            redundancy: 0,
            start_moved: None,
        }
    }
}
