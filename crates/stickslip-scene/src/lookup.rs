//! Scenes, and entries of their states, by what a person calls them.

use crate::answers::AnswerError;
use crate::error::SceneError;
use crate::scene::Scene;
use std::path::Path;
use stickslip::analysis::cyclic_coordinates;
use stickslip::{State, SystemInfo};

impl Scene {
    /// Reads a file, or a scene of the gallery: what has an extension or a folder is a file.
    ///
    /// # Errors
    /// If there is neither, or the file is not in order.
    pub fn open(name: &str) -> Result<Self, SceneError> {
        let path = Path::new(name);
        let is_path = path.is_file() || path.extension().is_some() || name.contains(['/', '\\']);
        if is_path { Self::load(path) } else { Self::from_gallery(name) }
    }

    /// The coordinate or velocity of this name in a state of the model.
    ///
    /// # Errors
    /// If there is none; the error lists the names.
    pub fn entry<'a>(&self, state: &'a mut State, name: &str) -> Result<&'a mut f64, AnswerError> {
        Self::entry_of(self.own_info(), state, name)
    }

    /// The same in a state of any system with these names.
    ///
    /// # Errors
    /// If there is none; the error lists the names.
    pub fn entry_of<'a>(
        info: &SystemInfo,
        state: &'a mut State,
        name: &str,
    ) -> Result<&'a mut f64, AnswerError> {
        let coordinate = info.coordinates.iter().position(|c| c == name);
        let velocity = info.velocities.iter().position(|v| v == name);
        let entry = match (coordinate, velocity) {
            (Some(i), _) => state.q.get_mut(i),
            (_, Some(i)) => state.u.get_mut(i),
            _ => None,
        };
        entry.ok_or_else(|| {
            let names = info.coordinates.iter().chain(&info.velocities);
            let names: Vec<&str> = names.map(String::as_str).collect();
            AnswerError::misuse(format!(
                "`{name}` is neither a coordinate nor a velocity of the scene; these are {}",
                names.join(", ")
            ))
        })
    }

    /// The coordinates that need not come back in a limit cycle, by their numbers in [`local`](Self::local): those that the scene names,
    /// else those that nothing depends on at a state.
    #[must_use]
    pub fn cyclic(&self, state: &State) -> Vec<usize> {
        let named = self.cycle.as_ref().map(|cycle| cycle.cyclic.clone());
        let named = named.filter(|cyclic| !cyclic.is_empty());
        let system = || self.system();
        named.or_else(|| Some(cyclic_coordinates(&system()?, state))).unwrap_or_default()
    }

    /// A refusal of the library, in the words of the scene where there are any.
    #[must_use]
    pub fn refused(&self, error: stickslip::Error) -> AnswerError {
        match self.explain(&error) {
            Some(explained) => explained.into(),
            None => AnswerError::Model(error),
        }
    }
}
