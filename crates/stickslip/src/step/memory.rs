//! What a stepper keeps from step to step that the next one depends on.

use super::Stepper;
use super::activation::Resting;
use super::patience::Patience;
use super::sleep::Sleeping;
use crate::error::Error;
use crate::memory::{Archive, Archived, Unreadable};
use crate::model::Model;

/// Which contacts rest, the impulses that contacts start at, for how long jammed ones and long searches are left alone, and which bodies sleep. What else a stepper keeps is storage, or the work of solvers that is dropped
/// between the legs of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepMemory {
    resting: Resting,
    /// Identities of contacts with the number of their impulses, and these.
    contacts: Vec<(u64, usize)>,
    impulses: Vec<f64>,
    /// Of the answer that they are from.
    error: f64,
    patience: Patience,
    searches: Patience,
    sleeping: Sleeping,
}

impl<M: Model> Stepper<M> {
    pub(crate) fn memory(&self) -> StepMemory {
        let (mut contacts, mut impulses) = (Vec::new(), Vec::new());
        for (identity, impulse) in self.solver.warm_start() {
            contacts.push((identity, impulse.len()));
            impulses.extend_from_slice(impulse);
        }
        let error = self.solver.warm_start_error();
        let (resting, patience, searches) = (self.resting.clone(), self.patience, self.searches);
        let sleeping = self.sleeping.clone();
        StepMemory { resting, contacts, impulses, error, patience, searches, sleeping }
    }

    /// Takes over what another stepper kept.
    ///
    /// # Errors
    /// If the lists do not go together.
    pub(crate) fn recall(&mut self, kept: &StepMemory) -> Result<(), Error> {
        self.begun = true;
        self.resting.clone_from(&kept.resting);
        (self.patience, self.searches) = (kept.patience, kept.searches);
        if self.settings.sleep.is_some() {
            self.sleeping.clone_from(&kept.sleeping);
        }
        let mut impulses = kept.impulses.as_slice();
        let mut start = Vec::with_capacity(kept.contacts.len());
        for &(identity, n) in &kept.contacts {
            let Some((own, rest)) = impulses.split_at_checked(n) else {
                let (expected, found) = (n, impulses.len());
                return Err(Error::Size { what: "the impulses of a memory", expected, found });
            };
            start.push((identity, own));
            impulses = rest;
        }
        Ok(self.solver.set_warm_start(&start, kept.error)?)
    }
}

impl Archived for StepMemory {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { resting, contacts, impulses, error, patience, searches, sleeping } = self;
        let Resting { identities, gap, end } = resting;
        identities.pass(archive)?;
        gap.pass(archive)?;
        end.pass(archive)?;
        contacts.pass(archive)?;
        impulses.pass(archive)?;
        error.pass(archive)?;
        for Patience { left, last } in [patience, searches] {
            left.pass(archive)?;
            last.pass(archive)?;
        }
        sleeping.pass(archive)
    }
}
