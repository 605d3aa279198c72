//! What a simulation is of: a scene, or a system of Python functions.

use super::callables::{Functions, PySystem};
use crate::arrays::vector;
use crate::error::{Raise, misuse};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use stickslip::contact::ContactProblem;
use stickslip::system::ContactInfo;
use stickslip::{State, SystemInfo};
use stickslip_scene::Scene;
use stickslip_scene::answers::AnswerError;
use stickslip_scene::recording::Units;

/// Where names, start and model come from.
pub(crate) enum Source {
    Scene(Box<Scene>),
    System(Box<Described>),
}

/// A system as Python describes it.
pub(crate) struct Described {
    info: SystemInfo,
    units: Units,
}

/// The description, by the names of its fields.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Description<'py> {
    coordinates: Vec<String>,
    velocities: Vec<String>,
    units: Vec<String>,
    contact_names: Vec<String>,
    contacts: String,
    constant_mass: bool,
    functions: Functions,
    q: PyReadonlyArray1<'py, f64>,
    u: PyReadonlyArray1<'py, f64>,
}

impl Description<'_> {
    /// The system, its start, and what is known of it beside.
    pub(crate) fn read(self) -> PyResult<(PySystem, State, Source)> {
        let laws = ContactProblem::laws_from_json(&self.contacts, 2).raise()?;
        let names = self.contact_names.into_iter();
        let contacts = names.zip(laws).map(|(name, law)| ContactInfo { name, law }).collect();
        let info = SystemInfo {
            coordinates: self.coordinates,
            velocities: self.velocities,
            contacts,
            bodies: Vec::new(),
            constant_mass: self.constant_mass,
        };
        info.validate().raise()?;
        let start = State::new(vector(&self.q)?, vector(&self.u)?);
        start.validate(&info).raise()?;
        let units: Vec<&str> = self.units.iter().map(String::as_str).collect();
        let units = Units::si(&info, &units);
        let system = PySystem::new(info.clone(), self.functions);
        Ok((system, start, Source::System(Box::new(Described { info, units }))))
    }
}

impl Source {
    /// The scene, for what only scenes have.
    pub(crate) fn scene(&self, what: &str) -> PyResult<&Scene> {
        self.as_scene().ok_or_else(|| {
            misuse(format!("{what} is for scenes; a system of Python functions has none of it"))
        })
    }

    pub(crate) fn as_scene(&self) -> Option<&Scene> {
        match self {
            Self::Scene(scene) => Some(scene),
            Self::System(_) => None,
        }
    }

    /// Names and laws by which runs are shown.
    pub(crate) fn info(&self) -> &SystemInfo {
        match self {
            Self::Scene(scene) => scene.info(),
            Self::System(system) => &system.info,
        }
    }

    /// The names of the model's own coordinates and velocities.
    pub(crate) fn own_info(&self) -> &SystemInfo {
        match self {
            Self::Scene(scene) => scene.own_info(),
            Self::System(system) => &system.info,
        }
    }

    /// The names of the coordinates as limit cycles number them.
    pub(crate) fn local(&self) -> Vec<String> {
        match self {
            Self::Scene(scene) => scene.local().iter().map(|c| c.name.clone()).collect(),
            Self::System(system) => system.info.coordinates.clone(),
        }
    }

    pub(crate) fn units(&self) -> Units {
        match self {
            Self::Scene(scene) => Units::of_scene(scene),
            Self::System(system) => system.units.clone(),
        }
    }

    pub(crate) fn parameters(&self) -> BTreeMap<String, f64> {
        self.as_scene().map(|scene| scene.parameters.iter().cloned().collect()).unwrap_or_default()
    }

    /// A state by the names of [`info`](Self::info).
    pub(crate) fn observe(&self, state: &State) -> State {
        self.as_scene().map_or_else(|| state.clone(), |scene| scene.observe(state))
    }

    /// A refusal of the library, in the words of the scene where there are any.
    pub(crate) fn refused(&self, error: stickslip::Error) -> AnswerError {
        match self.as_scene() {
            Some(scene) => scene.refused(error),
            None => AnswerError::Model(error),
        }
    }

    /// The coordinate or velocity of this name.
    pub(crate) fn entry<'a>(&self, state: &'a mut State, name: &str) -> PyResult<&'a mut f64> {
        Scene::entry_of(self.own_info(), state, name).raise()
    }
}
