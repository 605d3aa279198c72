//! Checks that keep the pages true to the tree. Each is a pure function from data to findings.

mod book;
mod dependencies;
mod direction;
mod literals;
mod map;
mod names;
mod page;
mod sources;

use crate::Outcome;
use crate::workspace::{Tree, Workspace};
use page::Page;
use std::fmt;

const ARCHITECTURE: &str = "docs/ARCHITECTURE.md";
const SUMMARY: &str = "book/src/SUMMARY.md";

/// Something that is not as it should be, and where.
#[derive(Debug, PartialEq)]
struct Finding {
    place: String,
    message: String,
}

impl Finding {
    fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        let (place, message) = (place.into(), message.into());
        Self { place, message }
    }

    fn at(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self::new(format!("{path}:{line}"), message)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Runs every check and prints what was found.
pub(crate) fn run(workspace: &Workspace) -> Outcome {
    let tree = &workspace.tree;
    let architecture = Page::parse(tree.text(ARCHITECTURE)?);
    let checks = [
        ("map", map::check(&architecture, tree)),
        ("dependency direction", direction::check(&architecture, &workspace.members)),
        ("dependency table", dependencies::check(&architecture, &manifests(tree)?)),
        ("book", book::check_summary(tree)),
        ("book code", book::check_code(tree)),
        ("book formulas", book::check_formulas(tree)),
        ("book pictures", book::check_pictures(tree)),
        ("links", book::check_links(tree)),
        ("sources", sources::check(tree)),
        ("one name once", names::check(tree)),
        ("wide integers", literals::check(tree)),
    ];
    for (name, findings) in &checks {
        let verdict = if findings.is_empty() { "ok" } else { "FAILED" };
        eprintln!("{name:<22} {verdict}");
        for finding in findings {
            eprintln!("  {finding}");
        }
    }
    match checks.iter().map(|(_, findings)| findings.len()).sum() {
        0 => Ok(()),
        1 => Err("1 finding".to_owned()),
        n => Err(format!("{n} findings")),
    }
}

/// Every manifest by path; the root's is `Cargo.toml`.
fn manifests(tree: &Tree) -> Result<Vec<(String, toml::Table)>, String> {
    let files = tree.under("", "toml").filter(|(path, _)| {
        let name = path.rsplit('/').next();
        name == Some("Cargo.toml")
    });
    files
        .map(|(path, text)| match text.parse() {
            Ok(table) => Ok((path.to_owned(), table)),
            Err(e) => Err(format!("{path}: {e}")),
        })
        .collect()
}
