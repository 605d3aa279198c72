//! Leaves with smooth sets.

use super::Why;
use super::tree::{Outcome, Search};

impl Search<'_> {
    pub(super) fn smooth_leaf(&mut self) -> Outcome {
        self.incomplete.get_or_insert(Why::Regions);
        Outcome::Open
    }
}
