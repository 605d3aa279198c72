//! What a format knows: elements, their attributes, and which of them have no place in the neutral model.

use super::Element;
use crate::error::{Error, Place, Problem, Warning, WarningKind};
use crate::nearest::nearest;

/// An element of a format as it may stand in another.
pub(crate) struct Known {
    pub(crate) name: &'static str,
    /// Attributes that are read, separated by spaces.
    pub(crate) read: &'static str,
    /// Attributes that the format has but the neutral model has no place for.
    pub(crate) unsupported: &'static str,
    /// Elements that may stand inside of it.
    pub(crate) children: &'static [&'static Known],
    /// Names of elements inside of it that are left out with all that they contain.
    pub(crate) left_out: &'static str,
}

/// Checks an element and all inside of it, removes what is not supported and reports it.
pub(crate) fn check(
    element: &mut Element,
    known: &Known,
    warnings: &mut Vec<Warning>,
) -> Result<(), Error> {
    for attribute in &element.attributes {
        let name = attribute.name.as_str();
        if words(known.read).any(|word| word == name) || name.starts_with("xmlns") {
            continue;
        }
        if words(known.unsupported).any(|word| word == name) {
            let (element, attribute_name) = (element.name.clone(), attribute.name.clone());
            let kind = WarningKind::UnsupportedAttribute { element, attribute: attribute_name };
            warnings.push(Warning { place: attribute.place.clone(), kind });
            continue;
        }
        return Err(unknown_attribute(&attribute.place, name, &element.name, known));
    }
    element.attributes.retain(|attribute| words(known.read).any(|word| word == attribute.name));
    let mut kept = Vec::with_capacity(element.children.len());
    for mut child in std::mem::take(&mut element.children) {
        if let Some(next) = known.children.iter().find(|next| next.name == child.name) {
            check(&mut child, next, warnings)?;
            kept.push(child);
        } else if words(known.left_out).any(|word| word == child.name) {
            warnings.push(left_out(&child, &element.name));
        } else {
            return Err(unknown_element(&child, &element.name, known));
        }
    }
    element.children = kept;
    Ok(())
}

/// The report of an element that the neutral model has no place for.
pub(crate) fn left_out(element: &Element, parent: &str) -> Warning {
    let kind = WarningKind::UnsupportedElement {
        element: element.name.clone(),
        name: element.attribute("name").map(|name| name.value.clone()),
        parent: parent.to_owned(),
        inside: element.count_inside(),
    };
    Warning { place: element.place.clone(), kind }
}

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split_ascii_whitespace()
}

fn unknown_attribute(place: &Place, name: &str, element: &str, known: &Known) -> Error {
    let mut all: Vec<&str> = words(known.read).chain(words(known.unsupported)).collect();
    all.sort_unstable();
    place.error(Problem::UnknownAttribute {
        attribute: name.to_owned(),
        element: element.to_owned(),
        nearest: nearest(name, all.iter().copied()),
        known: all.join(", "),
    })
}

fn unknown_element(child: &Element, parent: &str, known: &Known) -> Error {
    if child.name.starts_with("xacro:") {
        return child.error(Problem::Unsupported {
            what: format!("the macro <{}>", child.name),
            cure: "expand the file with xacro first",
        });
    }
    let mut all: Vec<&str> =
        known.children.iter().map(|next| next.name).chain(words(known.left_out)).collect();
    all.sort_unstable();
    child.error(Problem::UnknownElement {
        element: child.name.clone(),
        parent: parent.to_owned(),
        nearest: nearest(&child.name, all.iter().copied()),
        known: all.join(", "),
    })
}
