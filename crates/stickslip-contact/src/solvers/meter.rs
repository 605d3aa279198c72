//! The bound on work of the default solver: operations are counted, never measured by a clock.

use super::BlockForm;
use super::cascade::is_swept;
use crate::Law;
use crate::block::FrontTree;

/// Operations of one block of W in a sweep, and of one contact, in units of an operation of a factorisation; measured. A user's set
/// is projected on some twenty times.
const BLOCK_WORK: f64 = 40.0;
pub(super) const CONTACT_WORK: f64 = 300.0;
const USER_SET_WORK: f64 = 5e4;

/// The bound where none is set: operations, factorisations of W, sweeps without the projections on users' sets, and these.
const WORK: [f64; 4] = [3e8, 2_000.0, 20_000.0, 4_000.0];
/// The same where sweeps over bodies came first: what is not found soon among so many contacts is hardly found at all.
const SWEPT_WORK: [f64; 4] = [1e8, 50.0, 2_000.0, 400.0];

/// What is left of the bound on work.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meter {
    /// Operations of a factorisation of W, and of a sweep; 0 before the start.
    pub(super) factorisation: f64,
    pub(super) sweep: f64,
    pub(super) left: f64,
}

impl Meter {
    /// Finds out what factorisations and sweeps cost and how much may be spent on them, once for a solve.
    pub(super) fn start(&mut self, problem: &BlockForm, tree: &FrontTree, work: Option<f64>) {
        if self.factorisation > 0.0 {
            return;
        }
        self.factorisation = tree.work(|i| problem.w().size(i)).max(1.0);
        self.sweep = sweep_work(problem);
        let plain = BLOCK_WORK * problem.w().stored_blocks() as f64
            + CONTACT_WORK * problem.laws().len() as f64;
        let [operations, factorisations, sweeps, projections] =
            if is_swept(problem) { SWEPT_WORK } else { WORK };
        let most = operations
            + factorisations * self.factorisation
            + sweeps * plain
            + projections * (self.sweep - plain);
        self.left = work.unwrap_or(most);
    }

    /// How many steps can be afforded that cost so many factorisations and sweeps each, at least one.
    pub(super) fn most(&self, factorisations: f64, sweeps: f64, limit: usize) -> usize {
        let step = factorisations * self.factorisation + sweeps * self.sweep;
        ((self.left / step) as usize).clamp(1, limit.max(1))
    }
}

/// Operations of a sweep over all contacts.
pub(super) fn sweep_work(problem: &BlockForm) -> f64 {
    let contact = |law: &Law| if law.has_user_set() { USER_SET_WORK } else { CONTACT_WORK };
    let contacts: f64 = problem.laws().iter().map(contact).sum();
    BLOCK_WORK * problem.w().stored_blocks() as f64 + contacts
}
