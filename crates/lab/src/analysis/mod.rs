//! The examples of the book's pages on analysis: their problems, and what is known of them on paper.

pub mod closed_forms;
pub mod problems;

use stickslip::analysis::state::{Settings, StateAnalysis};
use stickslip::contact::analysis::report;
use stickslip::contact::analysis::solutions;
use stickslip::expression::ExpressionSystem;
use stickslip::model::Generalised;
use stickslip::{State, System};
use stickslip_scene::{Scene, SceneError};

/// A scene of the gallery with parameters and entries of its state set.
///
/// # Errors
/// If there is no such scene or parameter, or its start is refused.
pub fn scene(
    name: &str,
    parameters: &[(&str, f64)],
    state: &[(&str, f64)],
) -> Result<(ExpressionSystem, State), SceneError> {
    let scene = Scene::from_gallery(name)?.with_overrides(parameters)?;
    let in_space = || {
        SceneError::unplaced(name, "this scene has bodies in space, and no coordinates of its own")
    };
    let (system, mut start) = (scene.system().ok_or_else(in_space)?, scene.start());
    let info = system.info();
    for (name, value) in state {
        if let Some(i) = info.coordinates.iter().position(|c| c == name) {
            start.q[i] = *value;
        } else if let Some(i) = info.velocities.iter().position(|v| v == name) {
            start.u[i] = *value;
        }
    }
    Ok((system, start))
}

/// The analysis of such a state.
///
/// # Errors
/// As [`scene`] and [`StateAnalysis::of`].
pub fn analyse(
    name: &str,
    parameters: &[(&str, f64)],
    state: &[(&str, f64)],
) -> Result<StateAnalysis, Box<dyn std::error::Error>> {
    let (system, start) = scene(name, parameters, state)?;
    Ok(StateAnalysis::of(&Generalised::new(system)?, &start, &Settings::default())?)
}

/// The settings of a search for which no proof is kept, as for maps.
pub fn only_count() -> solutions::Settings {
    solutions::Settings { proof: false, ..report::Settings::default().solutions }
}
