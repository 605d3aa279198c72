//! The order in which names can be bound: each after those it uses.

use super::definition::OwnFunction;
use super::error::{DefinitionError, Fault};
use super::names::Kind;
use super::parser::names_in;
use std::collections::{BTreeMap, BTreeSet};
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

/// The entries, each after those it uses, also through functions; an error where entries use each other in a circle. A name with
/// an index, such as `m{i}` in a sum, counts as all that it may become.
pub(super) fn in_order<'e, 'a>(
    entries: &'e [Entry<'a>],
    functions: &[OwnFunction],
) -> Result<Vec<&'e Entry<'a>>, DefinitionError> {
    let index: BTreeMap<&str, usize> = entries.iter().map(|e| e.name).zip(0..).collect();
    let bodies = names_in_bodies(functions)?;
    let may_be = |name: &str| -> Vec<usize> {
        match name.split_once('{') {
            None => index.get(name).copied().into_iter().collect(),
            Some((front, rest)) => {
                let back = rest.rsplit('}').next().unwrap_or("");
                let fits = |e: &Entry<'_>| {
                    let inner = e.name.strip_prefix(front).and_then(|n| n.strip_suffix(back));
                    inner.is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
                };
                (0..entries.len()).filter(|&k| fits(&entries[k])).collect()
            }
        }
    };
    let mut uses: Vec<Vec<(usize, Range<usize>)>> = vec![];
    for entry in entries {
        let names = names_in(entry.text).map_err(|fault| fault.at(entry.place()))?;
        let mut used = vec![];
        for (name, span) in names {
            used.extend(may_be(name).into_iter().map(|k| (k, span.clone())));
            for inner in bodies.get(name).into_iter().flatten() {
                used.extend(may_be(inner).into_iter().map(|k| (k, span.clone())));
            }
        }
        uses.push(used);
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

/// The names that each function uses, also through other functions, without those of its arguments; an error where functions call
/// each other in a circle.
fn names_in_bodies(
    functions: &[OwnFunction],
) -> Result<BTreeMap<&str, BTreeSet<&str>>, DefinitionError> {
    let mut direct: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for function in functions {
        let place = format!("functions.{}", function.declared);
        let names = names_in(&function.expression).map_err(|fault| fault.at(place))?;
        let own = |name: &str| function.arguments.iter().any(|argument| argument == name);
        let names = names.into_iter().map(|(name, _)| name).filter(|name| !own(name));
        direct.insert(&function.name, names.collect());
    }
    // As often as there are functions: then every chain of calls has been followed.
    for _ in 0..functions.len() {
        let before = direct.clone();
        for names in direct.values_mut() {
            let called: Vec<&str> =
                names.iter().copied().filter(|n| before.contains_key(n)).collect();
            names.extend(called.into_iter().flat_map(|n| before[n].iter().copied()));
        }
        if before == direct {
            break;
        }
    }
    match functions.iter().find(|f| direct[f.name.as_str()].contains(f.name.as_str())) {
        None => Ok(direct),
        Some(f) => {
            let reason = format!("`{}` calls itself, directly or through other functions", f.name);
            Err(DefinitionError::whole(format!("functions.{}", f.declared), reason))
        }
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
