//! Repetition: a table with `repeat = { i = "0:n-1" }` stands for one table for every i, with the number of i in its names and
//! expressions. Several indices are nested, the first outermost, and a range may use the indices before it.

use crate::document::Problem;
use crate::substitute::{Index, Text};
use crate::tree::{Field, Node, Site, Value};
use std::collections::BTreeSet;
use std::sync::Arc;
use stickslip::expression::{Definition, Scalar, is_name};

/// The most values that a scene may have, repetitions written out; a long text counts as several.
const MOST_VALUES: usize = 200_000;

/// Bytes of a text that count as one value.
const TEXT_OF_A_VALUE: usize = 64;

/// Writes out all repetitions of a document. `numbers` has the parameters that ranges may use.
pub(crate) fn expand(fields: &[Field], numbers: &Definition) -> Result<Vec<Field>, Problem> {
    Expansion { numbers, taken: taken(fields), left: MOST_VALUES }.fields(fields, &[])
}

/// Whether a value is to be repeated.
pub(crate) fn is_repeated(node: &Node) -> bool {
    node.get("repeat").is_some()
}

/// The names that an index cannot have.
fn taken(fields: &[Field]) -> BTreeSet<String> {
    let tables = ["parameters", "coordinates", "definitions", "functions", "tables"];
    let named = fields.iter().filter(|field| tables.contains(&field.key.as_str()));
    let mut taken: BTreeSet<String> = ["t", "pi"].map(String::from).into();
    for entry in named.flat_map(|table| table.node.fields().unwrap_or_default()) {
        let name = entry.key.split('(').next().unwrap_or_default();
        taken.insert(name.trim().to_owned());
        if let Some(Field { node: Node { value: Value::Text(name), .. }, .. }) =
            entry.node.get("velocity")
        {
            taken.insert(name.plain.clone());
        }
    }
    taken
}

struct Expansion<'a> {
    numbers: &'a Definition,
    taken: BTreeSet<String>,
    /// Values that may still be made.
    left: usize,
}

impl Expansion<'_> {
    fn fields(&mut self, fields: &[Field], indices: &[Index]) -> Result<Vec<Field>, Problem> {
        let mut made: Vec<Field> = Vec::with_capacity(fields.len());
        for field in fields {
            for inner in self.combinations(&field.node, indices)? {
                let key = self.key(field, &inner)?;
                if inner.len() > indices.len() && key == field.key {
                    return Err(no_index(field, &inner));
                }
                let node = self.copy(&field.node, &inner)?;
                made.push(Field { key, key_site: noted(&field.key_site, &inner), node });
            }
        }
        let mut seen = BTreeSet::new();
        match made.iter().find(|field| !seen.insert(field.key.as_str())) {
            Some(twice) => {
                let reason = format!("`{}` is made a second time", twice.key);
                Err(Problem::at(twice.key_site.clone(), reason)
                    .cure("choose other names or ranges"))
            }
            None => Ok(made),
        }
    }

    fn key(&self, field: &Field, indices: &[Index]) -> Result<String, Problem> {
        if indices.is_empty() {
            return Ok(field.key.clone());
        }
        let key = self.with_indices(&Text::new(&field.key, None), indices).plain;
        match key.contains('{') {
            true => Err(open_braces(&key, noted(&field.key_site, indices))),
            false => Ok(key),
        }
    }

    fn with_indices(&self, text: &Text, indices: &[Index]) -> Text {
        text.with_indices(indices, &|inner| {
            inner.parse().ok().or_else(|| {
                let value = Scalar::Expression(inner.to_owned());
                self.numbers.needed_for(inner).constant("", &value).ok()
            })
        })
    }

    /// A copy of a value with the indices put in, without its `repeat`.
    fn copy(&mut self, node: &Node, indices: &[Index]) -> Result<Node, Problem> {
        let site = noted(&node.site, indices);
        let cost = match &node.value {
            Value::Text(text) => 1 + text.plain.len() / TEXT_OF_A_VALUE,
            _ => 1,
        };
        self.left = self.left.checked_sub(cost).ok_or_else(|| too_many(site.clone()))?;
        let value = match &node.value {
            Value::Text(text) if !indices.is_empty() => {
                Value::Text(self.with_indices(text, indices))
            }
            Value::List(list) => {
                let mut made = Vec::with_capacity(list.len());
                for element in list {
                    for inner in self.combinations(element, indices)? {
                        made.push(self.copy(element, &inner)?);
                    }
                }
                Value::List(made)
            }
            Value::Table(fields) => {
                let mut made = self.fields(fields, indices)?;
                made.retain(|field| field.key != "repeat");
                if let (Some(name), false) = (name(&made), indices.is_empty())
                    && name.contains('{')
                {
                    return Err(open_braces(name, site));
                }
                Value::Table(made)
            }
            other => other.clone(),
        };
        Ok(Node { value, site })
    }

    /// The sets of indices of a value: those around it, and all values of its own.
    fn combinations(&self, node: &Node, indices: &[Index]) -> Result<Vec<Vec<Index>>, Problem> {
        let mut all = vec![indices.to_vec()];
        let Some(repeat) = node.get("repeat") else { return Ok(all) };
        let wrong = || {
            let problem = Problem::at(
                repeat.node.site.clone(),
                "`repeat` must be a table of indices with their ranges",
            );
            problem.cure("write e.g. repeat = { i = \"0:n-1\" }")
        };
        let ranges = repeat.node.fields().filter(|ranges| !ranges.is_empty()).ok_or_else(wrong)?;
        for range in ranges {
            self.check_index(range, indices)?;
            let mut longer = vec![];
            for set in all {
                let (first, last) = self.range(range, &set)?;
                if last.saturating_sub(first) >= (self.left.saturating_sub(longer.len())) as i64 {
                    return Err(too_many(noted(&range.node.site, &set)));
                }
                for k in first..=last {
                    let own = [(range.key.clone(), k)];
                    longer.push(set.iter().cloned().chain(own).collect());
                }
            }
            all = longer;
        }
        Ok(all)
    }

    fn check_index(&self, range: &Field, indices: &[Index]) -> Result<(), Problem> {
        let name = &range.key;
        let reason = match () {
            () if !is_name(name) => format!("`{name}` cannot be used as a name"),
            () if self.taken.contains(name) => format!("the name `{name}` of this index is taken"),
            () if indices.iter().any(|(taken, _)| taken == name) => {
                format!("the index `{name}` is used around this table already")
            }
            () => return Ok(()),
        };
        Err(Problem::at(range.key_site.clone(), reason).cure("choose another name"))
    }

    /// The first and the last value of a range such as `0:n-1`.
    fn range(&self, range: &Field, indices: &[Index]) -> Result<(i64, i64), Problem> {
        let site = noted(&range.node.site, indices);
        let wrong = |reason: String| Problem::at(site.clone(), reason);
        let Value::Text(text) = &range.node.value else {
            let reason = "a range is a string with its first and its last value".to_owned();
            return Err(wrong(reason).cure("write e.g. \"0:n-1\""));
        };
        let text = self.with_indices(text, indices);
        let parts: Vec<&str> = text.expression().split(':').collect();
        let [first, last] = parts[..] else {
            let reason = format!("`{}` is not a range", text.plain);
            return Err(wrong(reason).cure("write its first and its last value, e.g. \"0:n-1\""));
        };
        let whole = |text: &str| {
            let value = Scalar::Expression(text.to_owned());
            let x =
                self.numbers.needed_for(text).constant("", &value).map_err(|error| match error
                    .place
                    .is_empty()
                {
                    true => wrong(format!("in a range: {}", error.reason)).cure(
                        "a range has numbers, parameters and the indices before it, e.g. \"0:n-1\"",
                    ),
                    false => Problem::from(error),
                })?;
            if x.fract() == 0.0 && x.abs() <= 1e9 {
                return Ok(x as i64);
            }
            let reason =
                format!("a range goes from one whole number to another; `{}` is {x}", text.trim());
            Err(wrong(reason))
        };
        Ok((whole(first)?, whole(last)?))
    }
}

/// The text of `name`.
fn name(fields: &[Field]) -> Option<&str> {
    match &fields.iter().find(|field| field.key == "name")?.node.value {
        Value::Text(text) => Some(&text.plain),
        _ => None,
    }
}

fn no_index(field: &Field, indices: &[Index]) -> Problem {
    let key = &field.key;
    let problem = Problem::at(
        field.key_site.clone(),
        format!("the repeated entry `{key}` has no index in its name"),
    );
    let index = indices.last().map_or("i", |(name, _)| name);
    problem.cure(format!("write e.g. \"{key}{{{index}}}\" = ..."))
}

fn open_braces(name: &str, site: Site) -> Problem {
    let problem = Problem::at(site, format!("the braces in `{name}` hold no number"));
    problem.cure("they hold an expression in the indices of `repeat`, e.g. \"x{i+1}\"")
}

fn too_many(site: Site) -> Problem {
    let reason = format!("the scene has more than {MOST_VALUES} values, repetitions written out");
    Problem::at(site, reason).cure("choose shorter ranges")
}

/// A place, with the indices for which it is meant.
fn noted(site: &Site, indices: &[Index]) -> Site {
    if indices.is_empty() {
        return site.clone();
    }
    let list: Vec<String> = indices.iter().map(|(name, k)| format!("{name} = {k}")).collect();
    Site { note: Some(Arc::from(list.join(", "))), ..site.clone() }
}
