//! Names of things of one kind, and what they are the names of.

use crate::error::{Error, Place, Problem};
use crate::nearest::nearest;
use crate::xml::Attribute;
use std::collections::BTreeMap;

/// The names of one kind of thing, each with its index and place.
pub(crate) struct Names {
    kind: &'static str,
    known: BTreeMap<String, (usize, Place)>,
}

impl Names {
    pub(crate) fn new(kind: &'static str) -> Self {
        Self { kind, known: BTreeMap::new() }
    }

    /// Enters a name; a second of the same spelling is refused.
    pub(crate) fn insert(&mut self, name: &str, index: usize, place: &Place) -> Result<(), Error> {
        if let Some((_, first)) = self.known.get(name) {
            let (kind, name, first) = (self.kind, name.to_owned(), first.clone());
            return Err(place.error(Problem::Duplicate { kind, name, first }));
        }
        self.known.insert(name.to_owned(), (index, place.clone()));
        Ok(())
    }

    pub(crate) fn get(&self, name: &str) -> Option<usize> {
        self.known.get(name).map(|(index, _)| *index)
    }

    /// What an attribute refers to.
    pub(crate) fn find(&self, attribute: &Attribute) -> Result<usize, Error> {
        let name = attribute.value.as_str();
        self.get(name).ok_or_else(|| {
            attribute.place.error(Problem::UnknownName {
                kind: self.kind,
                name: name.to_owned(),
                nearest: nearest(name, self.known.keys().map(String::as_str)),
            })
        })
    }

    /// A name for something without one: its kind and index, which nothing else has.
    pub(crate) fn invent(&mut self, prefix: &str, index: usize, place: &Place) -> String {
        let mut name = format!("{prefix}_{index}");
        while self.known.contains_key(&name) {
            name.push('_');
        }
        self.known.insert(name.clone(), (index, place.clone()));
        name
    }
}
