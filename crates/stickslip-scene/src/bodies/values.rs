//! Numbers of bodies, evaluated.

use super::draft::Numbers;
use crate::document::Problem;
use glam::DVec3;
use stickslip::expression::{Coordinate, Definition, Friction, Function};

/// A direction shorter than this has none.
const SHORTEST: f64 = 1e-12;

/// What expressions in parameters and time are evaluated with.
pub(crate) struct Values {
    /// Without coordinates, whose names cannot be used there.
    definition: Definition,
}

impl Values {
    pub(crate) fn new(definition: &Definition) -> Self {
        let mut definition = definition.clone();
        definition.coordinates.clear();
        definition.definitions.clear();
        Self { definition }
    }

    /// All numbers of a list.
    pub(crate) fn list(&self, numbers: &Numbers) -> Result<Vec<f64>, Problem> {
        let each = numbers.list.iter().map(|x| self.definition.constant(&numbers.path, x));
        Ok(each.collect::<Result<_, _>>()?)
    }

    /// The first number of a list, which has one.
    pub(crate) fn number(&self, numbers: &Numbers) -> Result<f64, Problem> {
        Ok(self.list(numbers)?.first().copied().unwrap_or_default())
    }

    pub(crate) fn optional(&self, numbers: &Option<Numbers>) -> Result<Option<f64>, Problem> {
        numbers.as_ref().map(|n| self.number(n)).transpose()
    }

    /// A coefficient of friction: a number, or an expression of the slip speed, of coordinates and of time.
    pub(crate) fn friction(
        &self,
        numbers: &Numbers,
        all: &Definition,
    ) -> Result<Friction, Problem> {
        let Some(value) = numbers.list.first() else { return Ok(Friction::Constant(0.0)) };
        // Most depend on no coordinate, and are read faster without the names of all.
        let found = self.definition.friction(&numbers.path, value);
        Ok(found.or_else(|_| all.friction(&numbers.path, value))?)
    }

    /// A vector, 0 if it is not given.
    pub(crate) fn vector(&self, numbers: &Option<Numbers>) -> Result<DVec3, Problem> {
        let Some(numbers) = numbers else { return Ok(DVec3::ZERO) };
        match self.list(numbers)?[..] {
            [x, y, z] => Ok(DVec3::new(x, y, z)),
            ref other => Err(Problem::of(
                numbers.path.clone(),
                format!("this has {} numbers; a vector has 3", other.len()),
            )),
        }
    }

    /// A vector of length 1 along the one given.
    pub(crate) fn direction(&self, numbers: &Numbers) -> Result<DVec3, Problem> {
        let vector = self.vector(&Some(numbers.clone()))?;
        let length = vector.length();
        if length > SHORTEST {
            return Ok(vector / length);
        }
        Err(Problem::of(numbers.path.clone(), "this direction has no length")
            .cure("give a vector other than 0; its length does not matter"))
    }

    /// A function of x and y, with parameters.
    pub(crate) fn of_plane(&self, path: &str, text: &str) -> Result<Function, Problem> {
        let mut plane = self.definition.clone();
        for name in ["x", "y"] {
            let coordinate = Coordinate { name: name.into(), velocity: format!("{name}_rate") };
            plane.coordinates.push(coordinate);
        }
        Ok(plane.function(path, text)?)
    }

    /// A function of time alone.
    pub(crate) fn of_time(&self, path: &str, text: &str) -> Result<Function, Problem> {
        Ok(self.definition.function(path, text)?)
    }
}

/// A refusal of the library, about the value at a path.
pub(crate) fn refused(path: &str) -> impl Fn(stickslip::Error) -> Problem + '_ {
    move |error| Problem::of(path, error.to_string())
}

/// A refusal of the library about a joint, which it knows by number.
pub(crate) fn refused_joint<'j>(
    path: &'j str,
    name: &'j str,
) -> impl Fn(stickslip::Error) -> Problem + 'j {
    move |error| Problem::of(path, format!("the joint `{name}` is refused: {error}"))
}
