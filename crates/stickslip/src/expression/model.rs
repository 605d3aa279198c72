//! From a definition to expressions: names are bound, and what must not depend on velocities is checked.

use super::arena::{Arena, Id, depends};
use super::conditions::WORDS;
use super::constraint::{constraint, refuse_equal_names};
use super::definition::{Contact, Coordinate, Definition, Scalar};
use super::derive::Direction;
use super::error::{DefinitionError, Fault};
use super::friction::{self, Mu};
use super::lexer::is_name;
use super::names::{Allow, Called, Kind, Names, nearest};
use super::ops::function as builtin;
use super::order::{Entry, in_order};
use super::parser::{Inside, Term, parse, parse_with};
use super::units::{Dim, Dimension};
use crate::contact::{self, Law};
use crate::system::ContactInfo;
use std::collections::BTreeMap;

/// The names of a definition, with parameters and definitions bound to what they stand for.
pub(super) struct Scope {
    pub(super) arena: Arena,
    pub(super) names: Names,
    units: BTreeMap<String, Dimension>,
}

impl Scope {
    pub(super) fn new(definition: &Definition) -> Result<Self, DefinitionError> {
        let mut arena = Arena::new(definition.coordinates.len());
        let units = definition.units.clone();
        let names = Names::new(&mut arena, !units.is_empty());
        let mut scope = Self { arena, names, units };
        for (i, Coordinate { name, velocity }) in definition.coordinates.iter().enumerate() {
            let (q, u) = (scope.arena.coordinate(i), scope.arena.velocity(i));
            let dim = scope.declared(name);
            let (q, u) =
                (Term { id: q, dim }, Term { id: u, dim: dim.over(Dim::Known(Dimension::TIME)) });
            scope.introduce(format!("coordinates.{name}"), name, Kind::Coordinate, Some(q))?;
            let place = format!("coordinates.{name}.velocity");
            scope.introduce(place, velocity, Kind::Velocity, Some(u))?;
        }
        scope.introduce_calls(definition)?;
        let entries = entries(definition);
        for entry in &entries {
            scope.introduce(entry.place(), entry.name, entry.kind, None)?;
        }
        for entry in in_order(&entries, &definition.functions)? {
            scope.bind(entry)?;
        }
        scope.check_functions(definition)?;
        Ok(scope)
    }

    /// Functions and tables.
    fn introduce_calls(&mut self, definition: &Definition) -> Result<(), DefinitionError> {
        for function in &definition.functions {
            let place = format!("functions.{}", function.declared);
            self.introduce(place.clone(), &function.name, Kind::Function, None)?;
            for (i, argument) in function.arguments.iter().enumerate() {
                let twice = function.arguments[..i].contains(argument);
                let reason = match () {
                    () if !is_name(argument) => "cannot be used as a name",
                    () if WORDS.contains(&argument.as_str()) || builtin(argument).is_some() => {
                        "is taken"
                    }
                    () if twice => "is there twice",
                    () => continue,
                };
                let reason = format!("the argument `{argument}` {reason}");
                return Err(DefinitionError::name(place, reason)
                    .cure("write e.g. \"smooth(x, a)\" = \"x/sqrt(x^2 + a^2)\""));
            }
            let called = Called::Function(function.arguments.clone(), function.expression.clone());
            self.names.set_called(&function.name, called);
        }
        for table in &definition.tables {
            let place = format!("tables.{}", table.name);
            self.introduce(place, &table.name, Kind::Table, None)?;
            let index = self.arena.add_table(table.points.clone());
            self.names.set_called(&table.name, Called::Table(index));
        }
        Ok(())
    }

    /// Reads the body of every function, also of those that nothing calls.
    fn check_functions(&mut self, definition: &Definition) -> Result<(), DefinitionError> {
        for function in &definition.functions {
            let place = format!("functions.{}", function.declared);
            let arguments = function.arguments.iter().enumerate();
            // Stand-ins that nothing is known of.
            let locals = arguments.map(|(i, name)| {
                (name.clone(), Term { id: self.arena.other(i), dim: Dim::Unknown })
            });
            let inside =
                Inside { locals: locals.collect(), calls: vec![function.name.clone()], depth: 0 };
            let names = (&self.names, Allow::Results);
            parse_with(&function.expression, names, &mut self.arena, inside)
                .map_err(|fault| fault.at(place))?;
        }
        Ok(())
    }

    /// The dimension that was given for a name.
    fn declared(&self, name: &str) -> Dim {
        self.units.get(name).map_or(Dim::Unknown, |unit| Dim::Known(*unit))
    }

    pub(super) fn introduce(
        &mut self,
        place: String,
        name: &str,
        kind: Kind,
        term: Option<Term>,
    ) -> Result<(), DefinitionError> {
        // Points join words to one name, as in `box.x`.
        if !name.split('.').all(is_name) {
            let error = DefinitionError::name(place, format!("`{name}` cannot be used as a name"));
            return Err(error.cure("a name has letters, digits and `_`, and no digit in front"));
        }
        if WORDS.contains(&name) {
            return Err(DefinitionError::name(place, format!("`{name}` joins conditions"))
                .cure("choose another name"));
        }
        if builtin(name).is_some() {
            return Err(DefinitionError::name(place, format!("`{name}` is a function"))
                .cure("choose another name"));
        }
        self.names.introduce(name, kind, term).map_err(|taken| {
            let reason = format!("the name `{name}` is taken: it is {}", taken.noun());
            DefinitionError::name(place, reason).cure("choose another name")
        })
    }

    fn bind(&mut self, entry: &Entry<'_>) -> Result<(), DefinitionError> {
        let place = entry.place();
        let declared = self.declared(entry.name);
        let term = match (entry.kind, entry.number) {
            (Kind::Parameter, Some(x)) => {
                let value = self.constant(&place, &Scalar::Number(x))?;
                Term { id: self.arena.constant(value), dim: declared }
            }
            (Kind::Parameter, None) => {
                let term = self.parse(&place, entry.text, Allow::Constants)?;
                let value = self.number_of(&place, entry.text, term)?;
                Term { id: self.arena.constant(value), dim: term.dim }
            }
            _ => self.parse(&place, entry.text, Allow::State)?,
        };
        let term = match declared {
            Dim::Known(unit) => self.in_unit(&place, entry.text, term, unit)?,
            _ => term,
        };
        self.names.set(entry.name, term);
        Ok(())
    }

    /// Refuses an expression of another dimension.
    pub(super) fn in_unit(
        &self,
        place: &str,
        text: &str,
        term: Term,
        unit: Dimension,
    ) -> Result<Term, DefinitionError> {
        match term.dim {
            Dim::Known(found) if !self.units.is_empty() && !found.is(unit) => {
                let reason = format!("this is in {found}; it must be in {unit}");
                Err(Fault::new(0..text.len(), reason)
                    .cure("check the units of the names in it")
                    .at(place))
            }
            _ => Ok(Term { dim: Dim::Known(unit), ..term }),
        }
    }

    pub(super) fn parse(
        &mut self,
        place: &str,
        text: &str,
        allow: Allow,
    ) -> Result<Term, DefinitionError> {
        parse(text, &self.names, allow, &mut self.arena).map_err(|fault| fault.at(place))
    }

    /// The value of a parameter that has been bound.
    pub(super) fn value(&self, name: &str) -> f64 {
        let bound = self.names.get(name).and_then(|(_, term)| self.arena.number(term?.id));
        bound.unwrap_or(f64::NAN)
    }

    pub(super) fn constant(&mut self, place: &str, value: &Scalar) -> Result<f64, DefinitionError> {
        match value {
            Scalar::Number(x) if x.is_finite() => Ok(*x),
            Scalar::Number(x) => {
                let reason = format!("{x} is not a finite number");
                Err(DefinitionError::whole(place, reason).cure("give a number"))
            }
            Scalar::Expression(text) => {
                let term = self.parse(place, text, Allow::Constants)?;
                self.number_of(place, text, term)
            }
        }
    }

    fn number_of(&self, place: &str, text: &str, term: Term) -> Result<f64, DefinitionError> {
        let whole = || Fault::new(0..text.len(), "this has no value").at(place);
        self.arena.number(term.id).ok_or_else(whole)
    }

    pub(super) fn refuse_overflow(&self, place: &str) -> Result<(), DefinitionError> {
        if !self.arena.is_full() {
            return Ok(());
        }
        let most = super::arena::MOST_NODES;
        let reason = format!("its derivatives have more than {most} terms");
        Err(DefinitionError::whole(place, reason).cure("write a model in Rust for such a system"))
    }
}

/// Parameters and definitions.
fn entries(definition: &Definition) -> Vec<Entry<'_>> {
    let parameters = definition.parameters.iter().map(|p| match &p.value {
        Scalar::Number(x) => {
            Entry { kind: Kind::Parameter, name: &p.name, number: Some(*x), text: "" }
        }
        Scalar::Expression(text) => {
            Entry { kind: Kind::Parameter, name: &p.name, number: None, text }
        }
    });
    let helpers = definition.definitions.iter().map(|d| Entry {
        kind: Kind::Definition,
        name: &d.name,
        number: None,
        text: &d.expression,
    });
    parameters.chain(helpers).collect()
}

/// A contact as expressions.
pub(super) struct ContactModel {
    pub(super) gap: Id,
    pub(super) dim: Dim,
    /// Zero where there is no friction.
    pub(super) slip: Id,
    /// Where it is no number.
    pub(super) mu: Option<Mu>,
    pub(super) info: ContactInfo,
}

/// A definition as expressions.
pub(super) struct Model {
    pub(super) scope: Scope,
    pub(super) kinetic: Id,
    pub(super) potential: Id,
    /// One per coordinate, zero where none is given.
    pub(super) applied: Vec<Id>,
    pub(super) contacts: Vec<ContactModel>,
    pub(super) constraints: Vec<Term>,
    pub(super) constraint_names: Vec<String>,
}

impl Model {
    pub(super) fn new(definition: &Definition) -> Result<Self, DefinitionError> {
        if definition.coordinates.is_empty() {
            let error = DefinitionError::whole("coordinates", "a system needs a coordinate");
            return Err(error.cure("declare one, e.g. `y = { velocity = \"v\" }`"));
        }
        let mut scope = Scope::new(definition)?;
        let (place, text) = ("energy.kinetic", &definition.kinetic);
        let kinetic = scope.parse(place, text, Allow::State)?;
        let kinetic = scope.in_unit(place, text, kinetic, Dimension::ENERGY)?.id;
        let potential = match &definition.potential {
            Some(text) => {
                let place = "energy.potential";
                let potential = scope.parse(place, text, Allow::Configuration)?;
                scope.in_unit(place, text, potential, Dimension::ENERGY)?.id
            }
            None => Arena::ZERO,
        };
        let applied = applied_forces(definition, &mut scope)?;
        refuse_equal_names(definition)?;
        let mut contacts = vec![];
        for (i, contact) in definition.contacts.iter().enumerate() {
            contacts.push(contact_model(i, contact, &mut scope)?);
        }
        refuse_curved_slips(definition, &mut scope, &contacts)?;
        let constraints = definition.constraints.iter().enumerate();
        let constraints =
            constraints.map(|(i, c)| constraint(i, c, &mut scope)).collect::<Result<_, _>>()?;
        let constraint_names = definition.constraints.iter().map(|c| c.name.clone()).collect();
        Ok(Self { scope, kinetic, potential, applied, contacts, constraints, constraint_names })
    }
}

fn applied_forces(definition: &Definition, scope: &mut Scope) -> Result<Vec<Id>, DefinitionError> {
    let mut applied = vec![None; definition.coordinates.len()];
    for force in &definition.forces {
        let place = format!("forces.{}", force.coordinate);
        let known = || definition.coordinates.iter().map(|c| c.name.as_str());
        let Some(i) = known().position(|name| name == force.coordinate) else {
            let reason = format!("there is no coordinate `{}`", force.coordinate);
            let error = DefinitionError::name(place, reason);
            return Err(match nearest(&force.coordinate, known()) {
                Some(near) => error.cure(format!("did you mean `{near}`?")),
                None => error.cure("a force is given under the name of its coordinate"),
            });
        };
        if applied[i].is_some() {
            return Err(DefinitionError::name(place, "this coordinate has a force already")
                .cure("add the two"));
        }
        let term = scope.parse(&place, &force.expression, Allow::State)?;
        // A generalised force times its coordinate is work.
        if let Dim::Known(unit) = scope.declared(&force.coordinate) {
            scope.in_unit(&place, &force.expression, term, Dimension::ENERGY.over(unit))?;
        }
        applied[i] = Some(term.id);
    }
    Ok(applied.into_iter().map(|force| force.unwrap_or(Arena::ZERO)).collect())
}

fn contact_model(
    i: usize,
    contact: &Contact,
    scope: &mut Scope,
) -> Result<ContactModel, DefinitionError> {
    let place = |field: &str| format!("contact[{i}].{field}");
    let Term { id: gap, dim } = scope.parse(&place("gap"), &contact.gap, Allow::Configuration)?;
    refuse_gap_unit(&place("gap"), contact, scope, dim)?;
    if scope.arena.depends(gap) & depends::COORDINATES == 0 {
        let reason = "the gap depends on no coordinate";
        return Err(Fault::new(0..contact.gap.len(), reason).at(place("gap")));
    }
    let slip = match &contact.slip {
        None => Arena::ZERO,
        Some(text) => {
            let slip = scope.parse(&place("slip"), text, Allow::State)?;
            if let Dim::Known(unit) = dim {
                scope.in_unit(&place("slip"), text, slip, unit.over(Dimension::TIME))?;
            }
            slip.id
        }
    };
    let (law, mu) = law(contact, scope, &place)?;
    if let contact::SlipDependence::Static(mu_static) = law.slip_dependence
        && mu_static < law.mu
    {
        let reason =
            format!("mu_static is {mu_static}; it must be at least mu, which is {}", law.mu);
        return Err(DefinitionError::whole(place("mu_static"), reason));
    }
    if contact.slip.is_none() && (mu.is_some() || law.has_free_friction()) {
        let reason = "friction needs to know the tangential velocity";
        let field = if mu.is_some() || law.mu > 0.0 { "mu" } else { "radius" };
        return Err(DefinitionError::whole(place(field), reason)
            .cure("give the contact a `slip`, or leave friction out"));
    }
    if law.rho.is_some() && !contact.has_friction() {
        let reason = "rho does nothing without friction";
        return Err(DefinitionError::whole(place("rho"), reason).cure("leave it out"));
    }
    if let Some(mu) = mu {
        friction::check(mu, scope, &law, &place)?;
    }
    Ok(ContactModel { gap, dim, slip, mu, info: ContactInfo { name: contact.name.clone(), law } })
}

/// A gap is a length, or the angle up to a stop.
fn refuse_gap_unit(
    place: &str,
    contact: &Contact,
    scope: &Scope,
    dim: Dim,
) -> Result<(), DefinitionError> {
    match dim {
        Dim::Known(unit)
            if !scope.units.is_empty()
                && !unit.is(Dimension::LENGTH)
                && !unit.is(Dimension::NONE) =>
        {
            let reason = format!("the gap is in {unit}; it must be a length or an angle");
            Err(Fault::new(0..contact.gap.len(), reason)
                .cure("check the units of the names in it")
                .at(place))
        }
        _ => Ok(()),
    }
}

/// γ_T = w_Tᵀ u + ŵ_T: its derivatives by velocities depend on no velocity.
fn refuse_curved_slips(
    definition: &Definition,
    scope: &mut Scope,
    contacts: &[ContactModel],
) -> Result<(), DefinitionError> {
    let arena = &mut scope.arena;
    let slips: Vec<Id> = contacts.iter().map(|c| c.slip).collect();
    let fault = |i: usize, reason: String| {
        let length = definition.contacts[i].slip.as_ref().map_or(0, String::len);
        Fault::new(0..length, reason)
    };
    for (j, coordinate) in definition.coordinates.iter().enumerate() {
        for (i, slope) in arena.derive(&slips, Direction::Velocity(j)).into_iter().enumerate() {
            let Some(k) = arena.first_velocity(slope) else { continue };
            let (u, v) = (&coordinate.velocity, &definition.coordinates[k].velocity);
            let reason = format!(
                "the slip velocity is not affine in the velocities: its derivative by `{u}` depends on `{v}`"
            );
            let cure =
                "a tangential velocity is w·u + ŵ, where w and ŵ depend on the configuration only";
            return Err(fault(i, reason).cure(cure).at(format!("contact[{i}].slip")));
        }
    }
    for (i, &slip) in slips.iter().enumerate() {
        let rest = arena.at_rest(slip);
        if arena.number(rest).is_some_and(|x| !x.is_finite()) {
            let reason = "the slip velocity has no value at zero velocities".to_owned();
            return Err(fault(i, reason).at(format!("contact[{i}].slip")));
        }
    }
    Ok(())
}

fn law(
    contact: &Contact,
    scope: &mut Scope,
    place: &dyn Fn(&str) -> String,
) -> Result<(Law, Option<Mu>), DefinitionError> {
    let read = match &contact.mu {
        Some(value) => scope.coefficient(&place("mu"), value)?,
        None => Ok(0.0),
    };
    let mut number = |field: &str, value: &Option<Scalar>, inside: fn(f64) -> bool, range: &str| {
        let Some(value) = value else { return Ok(0.0) };
        let place = place(field);
        let x = scope.constant(&place, value)?;
        if inside(x) {
            return Ok(x);
        }
        let shown = match value {
            Scalar::Number(_) => format!("{field} is {x}"),
            Scalar::Expression(text) => format!("{field} = `{text}` is {x}"),
        };
        Err(DefinitionError::whole(place, format!("{shown}; it must be {range}")))
    };
    let unit: fn(f64) -> bool = |x| (0.0..=1.0).contains(&x);
    let slip_dependence = match &contact.mu_static {
        None => contact::SlipDependence::None,
        given => contact::SlipDependence::Static(number(
            "mu_static",
            given,
            |x| x >= 0.0,
            "at least mu",
        )?),
    };
    let mu = match read {
        Ok(_) => number("mu", &contact.mu, |x| x >= 0.0, "at least 0")?,
        Err(_) => 0.0,
    };
    let law = Law {
        kind: contact::Kind::Planar,
        mu,
        slip_dependence,
        radius: number("radius", &contact.radius, |x| x >= 0.0, "at least 0")?,
        eps_n: number("eps_n", &contact.eps_n, unit, "between 0 and 1")?,
        eps_t: number("eps_t", &contact.eps_t, unit, "between 0 and 1")?,
        sliding: None,
        rho: match &contact.rho {
            None => None,
            given => Some(number("rho", given, |x| x >= 0.0, "at least 0")?),
        },
    };
    Ok((law, read.err()))
}
