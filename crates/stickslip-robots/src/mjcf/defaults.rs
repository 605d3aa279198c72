//! `<default>`: classes of values that elements inherit.

use super::orientation::ORIENTATIONS;
use crate::error::{Error, Problem};
use crate::names::Names;
use crate::xml::{Attribute, Element};
use std::collections::BTreeMap;

/// The class of everything that has no other.
const MAIN: &str = "main";

/// Lists of which an element may give the first numbers and inherit the others.
const PARTIAL: [&str; 6] = ["friction", "size", "gear", "gainprm", "biasprm", "dynprm"];

/// Actuators of all kinds inherit these from each other.
pub(super) const ACTUATORS: [&str; 7] =
    ["general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder"];

/// Attributes that belong to one kind of actuator alone.
const OWN: [&str; 9] =
    ["kp", "kv", "dampratio", "timeconst", "inheritrange", "area", "diameter", "bias", "actrange"];

/// A class: its parent, and what it says itself about each kind of element.
#[derive(Default)]
struct Class {
    parent: Option<usize>,
    given: BTreeMap<String, Vec<Attribute>>,
}

/// All classes. A class is joined with its parents where it is used, so that memory does not grow with their number times their size.
pub(super) struct Defaults {
    names: Names,
    classes: Vec<Class>,
}

impl Defaults {
    pub(super) fn read(root: &Element) -> Result<Self, Error> {
        let mut defaults =
            Self { names: Names::new("default class"), classes: vec![Class::default()] };
        let main = root.children_named("default").find_map(|element| element.attribute("class"));
        let place = main.map_or(&root.place, |class| &class.place);
        defaults.names.insert(main.map_or(MAIN, |class| &class.value), 0, place)?;
        for element in root.children_named("default") {
            if let Some(class) = element.attribute("class") {
                let first = main.is_some_and(|main| main.value == class.value);
                if !first && class.value != MAIN {
                    return Err(class.place.error(Problem::Unsupported {
                        what: format!("a second outermost class `{}`", class.value),
                        cure: "put it inside of the first <default>",
                    }));
                }
            }
            defaults.read_class(element, 0)?;
        }
        Ok(defaults)
    }

    /// The depth is bounded by that of the XML.
    fn read_class(&mut self, element: &Element, class: usize) -> Result<(), Error> {
        for child in element.children.iter().filter(|child| child.name != "default") {
            for forbidden in ["name", "class"] {
                if let Some(attribute) = child.attribute(forbidden) {
                    return Err(attribute.place.error(Problem::UnknownAttribute {
                        attribute: forbidden.to_owned(),
                        element: format!("{} in default", child.name),
                        nearest: None,
                        known: String::new(),
                    }));
                }
            }
            self.merge_child(child, class);
        }
        for child in element.children_named("default") {
            let name = child.required("class")?;
            let index = self.classes.len();
            self.names.insert(&name.value, index, &name.place)?;
            self.classes.push(Class { parent: Some(class), ..Class::default() });
            self.read_class(child, index)?;
        }
        Ok(())
    }

    fn merge_child(&mut self, child: &Element, class: usize) {
        let kinds: &[&str] =
            if ACTUATORS.contains(&child.name.as_str()) { &ACTUATORS } else { &[] };
        let shared: Vec<Attribute> =
            child.attributes.iter().filter(|a| !OWN.contains(&a.name.as_str())).cloned().collect();
        for kind in kinds.iter().filter(|kind| **kind != child.name) {
            let slot = self.classes[class].given.entry((*kind).to_owned()).or_default();
            *slot = merged(slot, &shared);
        }
        let slot = self.classes[class].given.entry(child.name.clone()).or_default();
        *slot = merged(slot, &child.attributes);
    }

    /// The element with all that it inherits by its own class, else by that of the bodies around it.
    pub(super) fn apply(
        &self,
        element: &Element,
        around: Option<&Attribute>,
        kind: &str,
    ) -> Result<Element, Error> {
        let class = match element.attribute("class").or(around) {
            Some(class) => self.names.find(class)?,
            None => 0,
        };
        let mut attributes = element.attributes.clone();
        let mut next = Some(class);
        while let Some(class) = next {
            if let Some(given) = self.classes[class].given.get(kind) {
                attributes = merged(given, &attributes);
            }
            next = self.classes[class].parent;
        }
        Ok(Element {
            name: element.name.clone(),
            place: element.place.clone(),
            attributes,
            children: Vec::new(),
            text: String::new(),
        })
    }

    /// Refuses a class that does not exist.
    pub(super) fn check(&self, class: &Attribute) -> Result<(), Error> {
        self.names.find(class).map(|_| ())
    }
}

/// What is inherited, with what is given in its place.
fn merged(inherited: &[Attribute], given: &[Attribute]) -> Vec<Attribute> {
    let is_orientation = |attribute: &Attribute| ORIENTATIONS.contains(&attribute.name.as_str());
    let turned = given.iter().any(is_orientation);
    let mut all: Vec<Attribute> = given.to_vec();
    for old in inherited {
        if turned && is_orientation(old) {
            continue;
        }
        match all.iter_mut().find(|new| new.name == old.name) {
            None => all.push(old.clone()),
            Some(new) if PARTIAL.contains(&new.name.as_str()) => complete(new, &old.value),
            Some(_) => {}
        }
    }
    all
}

/// Fills up a list with the numbers of another that are beyond its end.
fn complete(list: &mut Attribute, longer: &str) {
    let count = list.value.split_whitespace().count();
    for word in longer.split_whitespace().skip(count) {
        list.value.push(' ');
        list.value.push_str(word);
    }
}
