//! Constraints between coordinates, as expressions.

use super::arena::depends;
use super::definition::{Constraint, Definition};
use super::error::{DefinitionError, Fault};
use super::model::Scope;
use super::names::Allow;
use super::parser::Term;
use std::collections::BTreeMap;

/// Contacts and constraints have names of their own.
pub(super) fn refuse_equal_names(definition: &Definition) -> Result<(), DefinitionError> {
    let contacts = definition.contacts.iter().enumerate().map(|(i, c)| ("contact", i, &c.name));
    let constraints = definition.constraints.iter().enumerate();
    let constraints = constraints.map(|(i, c)| ("constraint", i, &c.name));
    let mut taken = BTreeMap::new();
    for (what, i, name) in contacts.chain(constraints) {
        if let Some((first, number)) = taken.insert(name, (what, i)) {
            let reason = format!("the name `{name}` is taken by {first} {number}");
            let error = DefinitionError::whole(format!("{what}[{i}].name"), reason);
            return Err(error.cure("choose another name"));
        }
    }
    Ok(())
}

/// φ of a constraint, which depends on coordinates.
pub(super) fn constraint(
    i: usize,
    c: &Constraint,
    scope: &mut Scope,
) -> Result<Term, DefinitionError> {
    let place = format!("constraint[{i}].zero");
    let term = scope.parse(&place, &c.zero, Allow::Configuration)?;
    if scope.arena.depends(term.id) & depends::COORDINATES == 0 {
        let reason = "the constraint depends on no coordinate";
        return Err(Fault::new(0..c.zero.len(), reason)
            .cure("write an expression of coordinates that stays zero, e.g. `x^2 + y^2 - l^2`")
            .at(place));
    }
    Ok(term)
}
