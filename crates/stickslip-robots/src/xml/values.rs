//! Values of attributes: numbers, vectors, words.

use super::{Attribute, Element};
use crate::error::{Error, Problem};
use crate::nearest::nearest;
use glam::DVec3;
use std::ops::RangeInclusive;

/// The most numbers of one attribute: those of a mesh or a height field written in the model.
const MOST_NUMBERS: usize = 10_000_000;

impl Element {
    pub(crate) fn required(&self, name: &str) -> Result<&Attribute, Error> {
        self.attribute(name).ok_or_else(|| {
            let (element, attribute) = (self.name.clone(), name.to_owned());
            self.error(Problem::MissingAttribute { element, attribute })
        })
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, Error> {
        Ok(self.numbers(name, 1..=1)?.map(|values| values[0]))
    }

    pub(crate) fn number_or(&self, name: &str, default: f64) -> Result<f64, Error> {
        Ok(self.number(name)?.unwrap_or(default))
    }

    pub(crate) fn required_number(&self, name: &str) -> Result<f64, Error> {
        let attribute = self.required(name)?;
        Ok(attribute.numbers(1..=1)?[0])
    }

    /// Numbers, if they are there, as many as allowed.
    pub(crate) fn numbers(
        &self,
        name: &str,
        count: RangeInclusive<usize>,
    ) -> Result<Option<Vec<f64>>, Error> {
        self.attribute(name).map(|attribute| attribute.numbers(count)).transpose()
    }

    pub(crate) fn vector(&self, name: &str) -> Result<Option<DVec3>, Error> {
        Ok(self.numbers(name, 3..=3)?.map(|v| DVec3::new(v[0], v[1], v[2])))
    }

    /// A number that must not be negative.
    pub(crate) fn non_negative(&self, name: &str) -> Result<Option<f64>, Error> {
        let value = self.number(name)?;
        match value {
            Some(x) if x < 0.0 => Err(self.out_of_range(name, "zero or positive")),
            value => Ok(value),
        }
    }

    pub(crate) fn positive(&self, name: &str) -> Result<Option<f64>, Error> {
        let value = self.number(name)?;
        match value {
            Some(x) if !(x > 0.0) => Err(self.out_of_range(name, "positive")),
            value => Ok(value),
        }
    }

    pub(crate) fn required_positive(&self, name: &str) -> Result<f64, Error> {
        self.required(name)?;
        Ok(self.positive(name)?.unwrap_or_default())
    }

    /// An integer in a range.
    pub(crate) fn integer(
        &self,
        name: &str,
        range: RangeInclusive<i64>,
    ) -> Result<Option<i64>, Error> {
        let Some(value) = self.number(name)? else { return Ok(None) };
        let whole = value.fract() == 0.0 && value.abs() <= 9e15;
        let value = if whole { value as i64 } else { i64::MIN };
        if range.contains(&value) {
            return Ok(Some(value));
        }
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        Err(self.out_of_range(name, &expected))
    }

    pub(crate) fn boolean(&self, name: &str) -> Result<Option<bool>, Error> {
        self.word(name, &[("true", true), ("false", false)])
    }

    /// One of several words.
    pub(crate) fn word<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, Error> {
        let Some(attribute) = self.attribute(name) else { return Ok(None) };
        let text = attribute.value.trim();
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Ok(Some(*value));
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        Err(attribute.place.error(Problem::UnknownWord {
            attribute: name.to_owned(),
            text: text.to_owned(),
            nearest: nearest(text, known.iter().copied()),
            known: known.join(", "),
        }))
    }

    /// The error of a value that is not what it must be, at the place of the attribute.
    pub(crate) fn out_of_range(&self, name: &str, expected: &str) -> Error {
        let (value, place) = match self.attribute(name) {
            Some(attribute) => (attribute.value.trim().to_owned(), &attribute.place),
            None => (String::new(), &self.place),
        };
        place.error(Problem::OutOfRange {
            attribute: name.to_owned(),
            value,
            expected: expected.to_owned(),
        })
    }

    /// The place of an attribute, else of the element.
    pub(crate) fn place_of(&self, name: &str) -> &crate::error::Place {
        self.attribute(name).map_or(&self.place, |attribute| &attribute.place)
    }
}

impl Attribute {
    pub(crate) fn numbers(&self, count: RangeInclusive<usize>) -> Result<Vec<f64>, Error> {
        let mut values = Vec::new();
        for word in self.value.split_whitespace() {
            if values.len() >= MOST_NUMBERS {
                return Err(self.place.error(Problem::TooMany { limit: MOST_NUMBERS }));
            }
            values.push(self.parse(word)?);
        }
        if count.contains(&values.len()) {
            return Ok(values);
        }
        let expected = match (*count.start(), *count.end()) {
            (1, 1) => "1 number".to_owned(),
            (a, b) if a == b => format!("{a} numbers"),
            (a, usize::MAX) => format!("at least {a} numbers"),
            (a, b) => format!("{a} to {b} numbers"),
        };
        let found = match values.len() {
            1 => "1 number".to_owned(),
            n => format!("{n} numbers"),
        };
        let attribute = self.name.clone();
        Err(self.place.error(Problem::WrongCount { attribute, expected, found }))
    }

    fn parse(&self, word: &str) -> Result<f64, Error> {
        let (attribute, text) = (self.name.clone(), word.to_owned());
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(self.place.error(Problem::NotFinite { attribute, text })),
            Err(_) if word.contains(',') => {
                Err(self.place.error(Problem::Comma { attribute, text }))
            }
            Err(_) => Err(self.place.error(Problem::NotANumber { attribute, text })),
        }
    }
}
