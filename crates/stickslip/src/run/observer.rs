//! What a run shows while it goes on: samples, events, and a chance to stop it.

use super::Memory;
use crate::contact::{Mode, Slip};
use crate::model::{ContactImpulse, ContactPoint};
use crate::system::{Energy, State};

/// The state of a run at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// Time.
    pub t: f64,
    /// Coordinates.
    pub q: &'a [f64],
    /// Velocities.
    pub u: &'a [f64],
    /// The gap of every contact.
    pub gaps: &'a [f64],
    /// The impulse of every contact since the last sample, its components in turn: N and T in the plane. Those of loops of bodies
    /// are 0 in event-driven runs, where their reactions act inside the model and are not told.
    pub impulses: &'a [f64],
    /// What every contact does.
    pub modes: &'a [Mode],
    /// Where every contact is, if the model knows. Contacts that a model finds itself come after those that it always has, and may be others
    /// at every sample. Last come those that are no longer found and transmitted impulses since the last sample, with the gap and the place
    /// that they had when they did.
    pub points: &'a [Option<ContactPoint>],
    /// Kinetic and potential energy.
    pub energy: Energy,
    /// The worst certificate of the steps since the last sample; 0 where nothing had to be solved.
    pub certificate: f64,
}

/// What happened at a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventKind {
    /// It closed and stays closed.
    Closes,
    /// It opened.
    Opens,
    /// Its slip stopped.
    Sticks,
    /// It began to slide, or turned round.
    Slides(Slip),
    /// It began to slide in space, in a direction that its velocity tells.
    Slips,
    /// It transmitted an impulse in no time.
    Impact,
    /// Infinitely many impacts in finite time came to an end here.
    Accumulation,
}

impl EventKind {
    /// The word used in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Closes => "closes",
            Self::Opens => "opens",
            Self::Sticks => "sticks",
            Self::Slides(Slip::Positive) => "slips+",
            Self::Slides(Slip::Negative) => "slips-",
            Self::Slips => "slips",
            Self::Impact => "impact",
            Self::Accumulation => "accumulation",
        }
    }
}

/// An event at a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Time.
    pub t: f64,
    /// The contact, by its number in the step; of one that opens and is no longer found, that in the step before.
    pub contact: usize,
    /// Its bodies, if the model knows them.
    pub bodies: Option<[usize; 2]>,
    /// What happened.
    pub kind: EventKind,
    /// The impulse of an impact, N and T; zero for other events.
    pub impulse: [f64; 2],
    /// The energy that an impact added at this contact, ½ Λᵀ(γ⁺ + γ⁻): negative if it was lost.
    pub energy: f64,
}

impl Event {
    /// An event without an impulse.
    #[must_use]
    pub fn change(t: f64, contact: usize, kind: EventKind) -> Self {
        Self { t, contact, bodies: None, kind, impulse: [0.0; 2], energy: 0.0 }
    }
}

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Yes.
    Continue,
    /// No: it ends here, with a complete report.
    Stop,
}

impl Flow {
    /// On only if both go on.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self == Self::Stop { self } else { other }
    }
}

/// A step that was made, whole or in part.
#[derive(Clone, Copy, Debug)]
pub struct PassedStep<'a> {
    /// Where it began.
    pub from: &'a State,
    /// Where it ended.
    pub to: &'a State,
    /// The contacts that took part, as far as the model knows where they are, with their impulses: where the step has them.
    pub contacts: &'a [ContactImpulse],
}

/// Receives samples and events of a run.
pub trait Observer {
    /// The start, then every sample as often as the settings ask and before and after impacts, and the end.
    fn sample(&mut self, sample: &Sample<'_>) -> Flow;

    /// Every event, in order of time.
    fn event(&mut self, event: &Event);

    /// Whether [`step`](Self::step) is called, which costs time. By default not.
    fn watches_steps(&self) -> bool {
        false
    }

    /// Every step, before the sample at its end, for those who add up what acts between samples. Event-driven runs have no such steps, and
    /// show samples alone.
    fn step(&mut self, _step: &PassedStep<'_>) {}

    /// A leg of the run has ended, of a number of steps that the model alone decides: `memory` is all that the rest depends on, beside model
    /// and settings, and [`resume_until`](super::resume_until) goes on from it to the same bits. By default the run goes on.
    fn leg(&mut self, _memory: &Memory) -> Flow {
        Flow::Continue
    }
}

/// Ignores everything.
impl Observer for () {
    fn sample(&mut self, _: &Sample<'_>) -> Flow {
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}
}

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Gaps, and which contacts take part.
    Detect,
    /// The velocity without contact.
    Free,
    /// The contact problem.
    Pose,
    /// Formulation and solver.
    Solve,
    /// The certificate.
    Certify,
    /// Velocities and configuration.
    Advance,
    /// Samples and events.
    Observe,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 7] = [
        Self::Detect,
        Self::Free,
        Self::Pose,
        Self::Solve,
        Self::Certify,
        Self::Advance,
        Self::Observe,
    ];

    /// The word used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Detect => "detect",
            Self::Free => "free",
            Self::Pose => "pose",
            Self::Solve => "solve",
            Self::Certify => "certify",
            Self::Advance => "advance",
            Self::Observe => "observe",
        }
    }
}

/// Is told when a stage ends. The library itself reads no clock.
pub trait Stopwatch {
    /// The stage has just ended.
    fn lap(&mut self, stage: Stage);
}

/// Measures nothing, and costs nothing.
impl Stopwatch for () {
    #[inline(always)]
    fn lap(&mut self, _: Stage) {}
}
