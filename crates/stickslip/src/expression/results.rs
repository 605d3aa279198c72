//! Functions of what a run shows: energies, gaps, slips and contact forces beside the state; and conditions that end a run.

use super::arena::{Arena, Id, Node};
use super::definition::Definition;
use super::error::{DefinitionError, Fault};
use super::function::Function;
use super::model::{Model, Scope};
use super::names::{Allow, Kind};
use super::ops::Binary;
use super::parser::Term;
use super::tape::Tape;
use super::units::{Dim, Dimension};

/// How deep conditions may be nested.
const DEEPEST: usize = 300;

/// A function of the state and of the forces of contacts, made by [`Definition::outputs`].
#[derive(Clone, Debug)]
pub struct Output(Tape);

impl Output {
    /// Its value. `forces` has the normal and the tangential force of every contact, in turn, then the force of every constraint; one that
    /// is missing is not a number.
    ///
    /// # Panics
    /// If q or u is too short.
    #[must_use]
    pub fn value(&self, q: &[f64], u: &[f64], t: f64, forces: &[f64]) -> f64 {
        let mut value = 0.0;
        self.0.evaluate_with((q, u, t, forces), [&mut value]);
        value
    }
}

/// The text of an output: the place that an error names, the expression, and its dimension, if it has to have one.
pub type OutputText<'a> = (String, &'a str, Option<Dimension>);

impl Definition {
    /// Functions of what a run shows. Beside all names of the system they have `kinetic`, `potential` and `energy`, and of each contact
    /// whose name has letters, digits and `_` only `gap.NAME`, `slip.NAME`, `force.NAME.normal` and `force.NAME.tangential`; of each
    /// constraint `force.NAME`, the λ of the generalised force ∂φ/∂q λ. A name that the system uses itself keeps its meaning.
    pub fn outputs(&self, texts: &[OutputText<'_>]) -> Result<Vec<Output>, DefinitionError> {
        if texts.is_empty() {
            return Ok(vec![]);
        }
        let mut model = Model::new(self)?;
        introduce_results(&mut model);
        compile(&mut model.scope, texts)
    }

    /// The same where energies and contacts are not those of expressions: beside the names of the system they have `results`, whose values
    /// are given to [`Output::value`] in place of forces.
    pub fn outputs_of(
        &self,
        results: &[String],
        texts: &[OutputText<'_>],
    ) -> Result<Vec<Output>, DefinitionError> {
        compile(&mut self.scope_with(results)?, texts)
    }

    /// A function of the state and of `results`, names with values that are given to [`Output::value`] in place of forces.
    pub fn function_of(
        &self,
        results: &[String],
        (place, text): (&str, &str),
    ) -> Result<Output, DefinitionError> {
        let mut scope = self.scope_with(results)?;
        let id = scope.parse(place, text, Allow::Results)?.id;
        scope.refuse_overflow(place)?;
        Ok(Output(Tape::new(&scope.arena, &[id])))
    }

    /// [`margin`](Self::margin) of a condition that may have `results` in it, as in [`function_of`](Self::function_of).
    pub fn margin_of(
        &self,
        results: &[String],
        (place, text): (&str, &str),
    ) -> Result<Output, DefinitionError> {
        let mut scope = self.scope_with(results)?;
        let id = scope.margin((place, text), Allow::Results)?;
        Ok(Output(Tape::new(&scope.arena, &[id])))
    }

    /// The names of the system, and of results by their numbers.
    fn scope_with(&self, results: &[String]) -> Result<Scope, DefinitionError> {
        let mut scope = Scope::new(self)?;
        for (i, name) in results.iter().enumerate() {
            let term = Term { id: scope.arena.other(i), dim: Dim::Unknown };
            // A name of the system keeps its meaning.
            let _ = scope.names.introduce(name, Kind::Result, Some(term));
        }
        Ok(scope)
    }

    /// Refuses names of other things, each with the place that an error names, that expressions have for something else: a function, a
    /// parameter, time.
    pub fn refuse_taken<'a>(
        &self,
        names: impl IntoIterator<Item = (String, &'a str)>,
    ) -> Result<(), DefinitionError> {
        let mut scope = Scope::new(self)?;
        names.into_iter().try_for_each(|(place, name)| {
            let refused = |e: DefinitionError| DefinitionError { name: false, ..e };
            scope.introduce(place, name, Kind::Result, None).map_err(refused)
        })
    }

    /// The dimensions of the gaps of contacts, then of the constraints; none where they are not known.
    pub fn gap_dimensions(&self) -> Result<Vec<Option<Dimension>>, DefinitionError> {
        let model = Model::new(self)?;
        let dims = model.contacts.iter().map(|c| c.dim);
        let dims = dims.chain(model.constraints.iter().map(|c| c.dim));
        let known = |dim| match dim {
            Dim::Known(unit) if !self.units.is_empty() => Some(unit),
            _ => None,
        };
        Ok(dims.map(known).collect())
    }

    /// A function of the state that is positive where a condition holds, negative where it does not, and passes zero where this
    /// changes: b − a of `a < b`, the least of those that `and` joins, the largest of those that `or` joins.
    pub fn margin(&self, place: &str, text: &str) -> Result<Function, DefinitionError> {
        let mut scope = Scope::new(self)?;
        let id = scope.margin((place, text), Allow::State)?;
        Ok(Function::new(&mut scope.arena, id))
    }
}

impl Scope {
    /// The margin of a condition.
    fn margin(&mut self, (place, text): (&str, &str), allow: Allow) -> Result<Id, DefinitionError> {
        let condition = self.parse(place, text, allow)?.id;
        let id = margin(&mut self.arena, condition, 0)
            .map_err(|(reason, cure)| Fault::new(0..text.len(), reason).cure(cure).at(place))?;
        self.refuse_overflow(place)?;
        Ok(id)
    }
}

fn compile(scope: &mut Scope, texts: &[OutputText<'_>]) -> Result<Vec<Output>, DefinitionError> {
    let mut outputs = vec![];
    for (place, text, unit) in texts {
        let term = scope.parse(place, text, Allow::Results)?;
        if let Some(unit) = unit {
            scope.in_unit(place, text, term, *unit)?;
        }
        scope.refuse_overflow(place)?;
        outputs.push(Output(Tape::new(&scope.arena, &[term.id])));
    }
    Ok(outputs)
}

fn introduce_results(model: &mut Model) {
    let (kinetic, potential) = (model.kinetic, model.potential);
    let arena = &mut model.scope.arena;
    let energy = arena.add(kinetic, potential);
    let joule = Dim::Known(Dimension::ENERGY);
    let energies = [("kinetic", kinetic), ("potential", potential), ("energy", energy)];
    let mut all: Vec<(String, Term)> =
        energies.into_iter().map(|(n, id)| (n.to_owned(), Term { id, dim: joule })).collect();
    for (i, contact) in model.contacts.iter().enumerate() {
        let name = &contact.info.name;
        let forces = [arena.other(2 * i), arena.other(2 * i + 1)];
        let of = |id| Term { id, dim: Dim::Unknown };
        all.push((format!("gap.{name}"), of(contact.gap)));
        all.push((format!("slip.{name}"), of(contact.slip)));
        all.push((format!("force.{name}.normal"), of(forces[0])));
        all.push((format!("force.{name}.tangential"), of(forces[1])));
    }
    let first = 2 * model.contacts.len();
    for (i, name) in model.constraint_names.iter().enumerate() {
        let force = Term { id: arena.other(first + i), dim: Dim::Unknown };
        all.push((format!("force.{name}"), force));
    }
    for (name, term) in all {
        // A name of the system keeps its meaning.
        let _ = model.scope.names.introduce(&name, Kind::Result, Some(term));
    }
}

type Refusal = (&'static str, &'static str);

fn margin(arena: &mut Arena, id: Id, depth: usize) -> Result<Id, Refusal> {
    if depth > DEEPEST {
        return Err(("the condition is nested too deep", "write a shorter one"));
    }
    let depth = depth + 1;
    match arena.node(id) {
        Node::Binary(Binary::Below | Binary::NotAbove, a, b) => Ok(arena.sub(b, a)),
        Node::Choose(c, Arena::ONE, Arena::ZERO) => margin(arena, c, depth),
        Node::Choose(c, Arena::ZERO, Arena::ONE) => {
            let inner = margin(arena, c, depth)?;
            Ok(arena.neg(inner))
        }
        Node::Choose(c, x, Arena::ZERO) => {
            let (first, second) = (margin(arena, c, depth)?, margin(arena, x, depth)?);
            Ok(arena.binary(Binary::Min, first, second))
        }
        Node::Choose(c, Arena::ONE, x) => {
            let (first, second) = (margin(arena, c, depth)?, margin(arena, x, depth)?);
            Ok(arena.binary(Binary::Max, first, second))
        }
        Node::Binary(Binary::Equal, ..) => Err((
            "two numbers of a motion are hardly ever equal",
            "compare by `<` or `>`: a run ends where this becomes true",
        )),
        Node::Number(_) => {
            Err(("this condition is always true or always false", "let it depend on the state"))
        }
        _ => Err(("this is not a condition", "compare, e.g. `y < -1` or `x > 2 and t > 1`")),
    }
}
