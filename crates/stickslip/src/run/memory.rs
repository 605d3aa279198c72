//! What a run has to remember so that it goes on as if it had not been interrupted.
//!
//! A run is made of legs of a fixed number of steps. Between two legs all that the rest depends on is a [`Memory`], and a run that is not
//! interrupted goes through it as well: the integrator of the next leg is made anew from it. What solvers, places and storage know
//! beside that is gone at the end of a leg in both cases, so that a run that is resumed has the same bits whatever they
//! keep. The number of steps in a leg depends on the model alone, never on the clock.

use super::contact_list::ContactList;
use super::log::Log;
use super::{Drift, Report, StartMoved};
use crate::error::Error;
use crate::events;
use crate::memory::{self, Archive, Archived, Unreadable};
use crate::model::Model;
use crate::step::StepMemory;
use crate::system::State;

/// Steps of a leg of a small model: what is made anew costs less than a hundredth of them.
const LONGEST: usize = 1024;
/// Those of a large one, whose steps may take seconds each.
const SHORTEST: usize = 32;
/// In between the work of a leg is that of this many velocities.
const VELOCITIES: usize = 8192;

/// The number of steps of a leg.
pub(super) fn leg<M: Model>(model: &M) -> u64 {
    (VELOCITIES / model.velocities().max(1)).clamp(SHORTEST, LONGEST) as u64
}

/// All that the rest of a run depends on, beside its model and settings: see [`Observer::leg`](super::Observer::leg) and
/// [`resume_until`](super::resume_until).
#[derive(Clone, Debug)]
pub struct Memory(pub(crate) Kept);

#[derive(Clone, Debug)]
pub(crate) enum Kept {
    Stepping(Box<Stepping>),
    Events(Box<events::Memory>),
}

/// Between two steps of a time-stepping run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stepping {
    /// The time of the start, the number of the next step, and when the last regular sample was taken.
    pub(super) start: f64,
    pub(super) next: u64,
    pub(super) sampled: f64,
    pub(super) state: State,
    pub(super) stepper: StepMemory,
    pub(super) log: LogMemory,
}

/// What a log has added up.
#[derive(Clone, Debug, Default)]
pub(super) struct LogMemory {
    pub(super) sums: Sums,
    pub(super) added: Option<[f64; 2]>,
    pub(super) contacts: ContactList,
    pub(super) last_sample: f64,
    pub(super) worst: f64,
}

/// A report of a run that goes on.
#[derive(Clone, Debug)]
pub(super) struct Sums(pub(super) Report);

impl Default for Sums {
    fn default() -> Self {
        Self(Report::start(&State::default(), Default::default()))
    }
}

impl Memory {
    /// The time that the run has come to.
    #[must_use]
    pub fn t(&self) -> f64 {
        match &self.0 {
            Kept::Stepping(kept) => kept.state.t,
            Kept::Events(kept) => kept.t(),
        }
    }

    /// As bytes, for a file. They are for this version of the crate.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (kind, mut bytes) = match self.0.clone() {
            Kept::Stepping(mut kept) => (0, memory::to_bytes(&mut *kept)),
            Kept::Events(mut kept) => (1, memory::to_bytes(&mut *kept)),
        };
        bytes.push(kind);
        bytes
    }

    /// From such bytes.
    ///
    /// # Errors
    /// If they are others.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Unreadable> {
        let kept = match bytes.split_last() {
            Some((0, rest)) => Kept::Stepping(Box::new(memory::from_bytes(rest)?)),
            Some((1, rest)) => Kept::Events(Box::new(memory::from_bytes(rest)?)),
            _ => return Err(Unreadable { what: "no memory of a run", at: bytes.len() }),
        };
        Ok(Self(kept))
    }
}

impl Log {
    pub(super) fn memory(&self) -> LogMemory {
        LogMemory {
            sums: Sums(self.report.clone()),
            added: self.added,
            contacts: self.contacts.clone(),
            last_sample: self.last_sample,
            worst: self.worst,
        }
    }

    /// Takes over what was added up.
    ///
    /// # Errors
    /// If the lists do not go together.
    pub(super) fn recall(&mut self, kept: &LogMemory) -> Result<(), Error> {
        let LogMemory { sums, added, contacts, last_sample, worst } = kept;
        if let Some((expected, found)) = contacts.mismatch() {
            return Err(Error::Size { what: "a list of a memory of a run", expected, found });
        }
        self.report = sums.0.clone();
        (self.added, self.last_sample, self.worst) = (*added, *last_sample, *worst);
        self.contacts.clone_from(contacts);
        Ok(())
    }
}

impl Archived for Stepping {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { start, next, sampled, state, stepper, log } = self;
        start.pass(archive)?;
        next.pass(archive)?;
        sampled.pass(archive)?;
        state.pass(archive)?;
        stepper.pass(archive)?;
        log.pass(archive)
    }
}

impl Archived for LogMemory {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { sums, added, contacts, last_sample, worst } = self;
        sums.pass(archive)?;
        added.pass(archive)?;
        contacts.pass(archive)?;
        last_sample.pass(archive)?;
        worst.pass(archive)
    }
}

impl Archived for Sums {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        // How a run ends, its state and energy then are not known while it goes on.
        let Report {
            end: _,
            state: _,
            steps,
            split_steps,
            plastic_steps,
            missed_steps,
            swept_steps,
            contact_steps,
            asleep,
            woken,
            sleep_energy,
            impacts,
            events,
            iterations,
            certificate,
            certificate_t,
            certificate_bodies,
            energy_start,
            energy_end: _,
            contact_work,
            force_work,
            energy_created,
            drift,
            constraint_drift,
            settling,
            redundancy,
            start_moved,
        } = &mut self.0;
        let counts = [
            steps,
            split_steps,
            plastic_steps,
            missed_steps,
            swept_steps,
            contact_steps,
            asleep,
            woken,
            impacts,
            events,
            iterations,
            redundancy,
        ];
        counts.into_iter().try_for_each(|count| count.pass(archive))?;
        certificate.pass(archive)?;
        certificate_bodies.pass(archive)?;
        energy_start.pass(archive)?;
        energy_created.pass(archive)?;
        drift.pass(archive)?;
        start_moved.pass(archive)?;
        let numbers =
            [certificate_t, contact_work, force_work, constraint_drift, settling, sleep_energy];
        numbers.into_iter().try_for_each(|number| number.pass(archive))
    }
}

impl Archived for Drift {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { depth, contact, bodies, t } = self;
        depth.pass(archive)?;
        contact.pass(archive)?;
        bodies.pass(archive)?;
        t.pass(archive)
    }
}

impl Archived for StartMoved {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { coordinate, velocity } = self;
        coordinate.pass(archive)?;
        velocity.pass(archive)
    }
}
