//! A system as plain data: names, numbers and texts.

use super::error::DefinitionError;
use super::function::Function;
use super::model::Scope;
use super::names::{Allow, nearest};
use super::parser::names_in;
use super::table::Interpolation;
use super::units::Dimension;
use std::collections::{BTreeMap, BTreeSet};

/// A number, or the text of an expression in parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A number.
    Number(f64),
    /// An expression in numbers and parameters.
    Expression(String),
}

impl Default for Scalar {
    fn default() -> Self {
        Self::Number(0.0)
    }
}

impl From<f64> for Scalar {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Self {
        Self::Expression(text.into())
    }
}

/// A coordinate q_i and the velocity u_i = q̇_i.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coordinate {
    /// The name of q_i.
    pub name: String,
    /// The name of u_i.
    pub velocity: String,
}

/// A name for a number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// Its value, which may be computed from other parameters.
    pub value: Scalar,
}

/// A name for an expression.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Helper {
    /// The name.
    pub name: String,
    /// The expression; it may use other helpers.
    pub expression: String,
}

/// A function with arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnFunction {
    /// The name.
    pub name: String,
    /// The names of its arguments.
    pub arguments: Vec<String>,
    /// Its value, an expression in its arguments and in everything else.
    pub expression: String,
    /// What an error names: how the function was declared, e.g. `smooth(x, a)`.
    pub declared: String,
}

/// A function of one argument given by points.
#[derive(Clone, Debug, PartialEq)]
pub struct TableFunction {
    /// The name.
    pub name: String,
    /// The points.
    pub points: Interpolation,
}

/// A generalised force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForceExpression {
    /// The coordinate it belongs to.
    pub coordinate: String,
    /// Its value, an expression in everything.
    pub expression: String,
}

/// A contact and its law; see [`Law`](crate::contact::Law) for the numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contact {
    /// The name in files and reports.
    pub name: String,
    /// The gap g_N, an expression in coordinates and time.
    pub gap: String,
    /// The tangential velocity γ_T, affine in the velocities. Without it the contact has no friction.
    pub slip: Option<String>,
    /// Coefficient of friction, default 0.
    pub mu: Option<Scalar>,
    /// Static coefficient of friction, default `mu`.
    pub mu_static: Option<Scalar>,
    /// Friction that does not depend on the load, default 0.
    pub radius: Option<Scalar>,
    /// Normal restitution, default 0.
    pub eps_n: Option<Scalar>,
    /// Tangential restitution, default 0.
    pub eps_t: Option<Scalar>,
    /// Phantom inertia of this contact, for the formulation that has it.
    pub rho: Option<Scalar>,
}

impl Contact {
    /// Whether it says anything of friction.
    #[must_use]
    pub fn has_friction(&self) -> bool {
        self.mu.is_some() || self.mu_static.is_some() || self.radius.is_some()
    }
}

/// A bilateral constraint between coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraint {
    /// The name in files and reports.
    pub name: String,
    /// φ, an expression in coordinates and time that stays zero.
    pub zero: String,
}

/// A system described by expressions. Plain data: nothing is checked before
/// [`ExpressionSystem::new`](super::ExpressionSystem::new).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definition {
    /// The coordinates and velocities, in order.
    pub coordinates: Vec<Coordinate>,
    /// Named numbers.
    pub parameters: Vec<Parameter>,
    /// Named expressions.
    pub definitions: Vec<Helper>,
    /// Functions with arguments.
    pub functions: Vec<OwnFunction>,
    /// Functions given by points.
    pub tables: Vec<TableFunction>,
    /// The dimensions of coordinates, parameters and definitions, by name. If there are any, expressions are checked for their
    /// dimensions as far as these are known.
    pub units: BTreeMap<String, Dimension>,
    /// The kinetic energy, at most quadratic in the velocities.
    pub kinetic: String,
    /// The potential energy, if there is any: an expression in coordinates and time.
    pub potential: Option<String>,
    /// Generalised forces beside the potential's, at most one per coordinate.
    pub forces: Vec<ForceExpression>,
    /// The contacts, in order.
    pub contacts: Vec<Contact>,
    /// The constraints, in order.
    pub constraints: Vec<Constraint>,
}

impl Definition {
    /// Gives a parameter another value.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), DefinitionError> {
        let Some(parameter) = self.parameters.iter_mut().find(|p| p.name == name) else {
            return Err(self.unknown_parameter(name));
        };
        parameter.value = Scalar::Number(value);
        Ok(())
    }

    fn unknown_parameter(&self, name: &str) -> DefinitionError {
        let known = || self.parameters.iter().map(|p| p.name.as_str());
        let place = format!("parameters.{name}");
        let error = DefinitionError::whole(place, format!("there is no parameter `{name}`"));
        match nearest(name, known()) {
            Some(near) => error.cure(format!("did you mean `{near}`?")),
            None if self.parameters.is_empty() => error.cure("this system has no parameters"),
            None => {
                let list: Vec<String> = known().map(|k| format!("`{k}`")).collect();
                error.cure(format!("there are {}", list.join(", ")))
            }
        }
    }

    /// The parameters with their values, in order.
    pub fn parameter_values(&self) -> Result<Vec<(String, f64)>, DefinitionError> {
        let scope = Scope::new(self)?;
        Ok(self.parameters.iter().map(|p| (p.name.clone(), scope.value(&p.name))).collect())
    }

    /// This definition with only those parameters, functions and tables on which the names in a text depend, and nothing else: enough
    /// for the value of the text where it is an expression in parameters.
    #[must_use]
    pub fn needed_for(&self, text: &str) -> Self {
        let mut needed: BTreeSet<&str> = BTreeSet::new();
        let mut open = vec![text];
        while let Some(text) = open.pop() {
            for (name, _) in names_in(text).unwrap_or_default() {
                if !needed.insert(name) {
                    continue;
                }
                let parameter = self.parameters.iter().find(|p| p.name == name);
                if let Some(Parameter { value: Scalar::Expression(text), .. }) = parameter {
                    open.push(text);
                }
                let function = self.functions.iter().find(|f| f.name == name);
                open.extend(function.map(|f| f.expression.as_str()));
            }
        }
        let with = |name: &String| needed.contains(name.as_str());
        Self {
            parameters: self.parameters.iter().filter(|p| with(&p.name)).cloned().collect(),
            functions: self.functions.iter().filter(|f| with(&f.name)).cloned().collect(),
            tables: self.tables.iter().filter(|t| with(&t.name)).cloned().collect(),
            ..Self::default()
        }
    }

    /// The value of an expression in parameters. `place` is what an error names.
    pub fn constant(&self, place: &str, value: &Scalar) -> Result<f64, DefinitionError> {
        match value {
            Scalar::Number(x) if x.is_finite() => Ok(*x),
            _ => Scope::new(self)?.constant(place, value),
        }
    }

    /// The values of expressions in parameters, each given with the place that an error names.
    pub fn constants<'a>(
        &self,
        values: impl IntoIterator<Item = (String, &'a Scalar)>,
    ) -> Result<Vec<f64>, DefinitionError> {
        let mut scope = Scope::new(self)?;
        values.into_iter().map(|(place, value)| scope.constant(&place, value)).collect()
    }

    /// A function of the state, such as the section of a Poincaré map. `place` says in an error
    /// where it stands.
    pub fn function(&self, place: &str, text: &str) -> Result<Function, DefinitionError> {
        let mut scope = Scope::new(self)?;
        let id = scope.parse(place, text, Allow::State)?.id;
        scope.refuse_overflow(place)?;
        Ok(Function::new(&mut scope.arena, id))
    }
}
