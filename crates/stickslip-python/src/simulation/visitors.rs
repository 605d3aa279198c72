//! What is asked of a scene's model, whatever that is.

use stickslip::State;
use stickslip::analysis::state::{Settings, StateAnalysis};
use stickslip::model::Model;
use stickslip_scene::Visitor;

/// The analysis of a state.
pub(super) struct Analyse<'a> {
    pub(super) state: &'a State,
    pub(super) settings: &'a Settings,
}

impl Visitor for Analyse<'_> {
    type Output = Result<StateAnalysis, stickslip::Error>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        StateAnalysis::of(model, self.state, self.settings)
    }
}
