//! The order in which names can be bound: each after those it uses.

use super::error::{DefinitionError, Fault};
use super::names::Kind;
use super::parser::names_in;
use std::collections::BTreeMap;
use std::ops::Range;

/// A parameter or a definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    pub(super) kind: Kind,
    pub(super) name: &'a str,
    /// The value, if it is given as a number.
    pub(super) number: Option<f64>,
    /// The text, if it is not.
    pub(super) text: &'a str,
}

impl Entry<'_> {
    pub(super) fn place(&self) -> String {
        let table = if self.kind == Kind::Parameter { "parameters" } else { "definitions" };
        format!("{table}.{}", self.name)
    }
}

/// The entries, each after those it uses; an error where entries use each other in a circle.
pub(super) fn in_order<'e, 'a>(
    entries: &'e [Entry<'a>],
) -> Result<Vec<&'e Entry<'a>>, DefinitionError> {
    let index: BTreeMap<&str, usize> = entries.iter().map(|e| e.name).zip(0..).collect();
    let mut uses: Vec<Vec<(usize, Range<usize>)>> = vec![];
    for entry in entries {
        let names = names_in(entry.text).map_err(|fault| fault.at(entry.place()))?;
        uses.push(names.into_iter().filter_map(|(n, span)| Some((*index.get(n)?, span))).collect());
    }
    let mut users = vec![vec![]; entries.len()];
    let mut waiting: Vec<usize> = uses.iter().map(Vec::len).collect();
    for (user, used) in uses.iter().enumerate() {
        used.iter().for_each(|(k, _)| users[*k].push(user));
    }
    let mut ready: Vec<usize> = (0..entries.len()).filter(|&i| waiting[i] == 0).collect();
    let mut done = 0;
    while let Some(&k) = ready.get(done) {
        done += 1;
        for &user in &users[k] {
            waiting[user] -= 1;
            if waiting[user] == 0 {
                ready.push(user);
            }
        }
    }
    match waiting.iter().position(|&left| left > 0) {
        None => Ok(ready.into_iter().map(|k| &entries[k]).collect()),
        Some(stuck) => Err(circle(entries, &uses, &waiting, stuck)),
    }
}

/// Follows entries that wait for each other until one comes again.
fn circle(
    entries: &[Entry<'_>],
    uses: &[Vec<(usize, Range<usize>)>],
    waiting: &[usize],
    start: usize,
) -> DefinitionError {
    let next = |k: usize| uses[k].iter().find(|(used, _)| waiting[*used] > 0);
    let mut path = vec![start];
    let mut seen = vec![false; entries.len()];
    seen[start] = true;
    while let Some(&(k, ref span)) = path.last().and_then(|&last| next(last)) {
        if seen[k] {
            let from = path.iter().position(|&p| p == k).unwrap_or(0);
            let names: Vec<&str> =
                path[from..].iter().chain([&k]).map(|&p| entries[p].name).collect();
            let entry = &entries[path.last().copied().unwrap_or(start)];
            let reason = format!("`{}` depends on itself: {}", entries[k].name, names.join(" → "));
            return Fault::new(span.clone(), reason).at(entry.place());
        }
        seen[k] = true;
        path.push(k);
    }
    DefinitionError::whole(entries[start].place(), "it depends on itself")
}
