//! The architecture page names what is there, all of the crates, and all of their sources.

use super::page::Page;
use super::{ARCHITECTURE, Finding};
use crate::workspace::{Tree, extension};
use std::collections::BTreeSet;

/// A code span with one of these endings is a path even without a `/`.
const FILES: [&str; 7] = ["rs", "md", "toml", "lock", "py", "json", "yml"];

pub(super) fn check(page: &Page, tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut named = BTreeSet::new();
    for (line, span) in page.code_spans.iter().filter(|(_, span)| is_path(span)) {
        if !tree.has(span) {
            let message = format!("`{span}` is named here but does not exist");
            findings.push(Finding::at(ARCHITECTURE, *line, message));
        }
        named.insert(span.as_str());
    }
    for path in crate_folders(tree).into_iter().chain(sources(tree)) {
        if !named.contains(path.as_str()) {
            let message = format!("`{path}` exists but is not named on the page");
            findings.push(Finding::new(ARCHITECTURE, message));
        }
    }
    findings
}

/// A path has a `/` or a known ending, and nothing that commands, types and formulas have.
fn is_path(span: &str) -> bool {
    let foreign = |c: char| c.is_whitespace() || "<>(){}:*=@".contains(c);
    !span.contains(foreign) && (span.contains('/') || FILES.contains(&extension(span)))
}

fn crate_folders(tree: &Tree) -> BTreeSet<String> {
    let inside = tree.files.keys().filter_map(|p| p.strip_prefix("crates/"));
    inside
        .filter_map(|path| path.split_once('/'))
        .map(|(name, _)| format!("crates/{name}/"))
        .collect()
}

/// The source files of every crate.
fn sources(tree: &Tree) -> impl Iterator<Item = String> {
    let files = tree.under("crates/", "rs").map(|(path, _)| path);
    files.filter(|path| path.split('/').nth(2) == Some("src")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(page: &str) -> Vec<String> {
        let tree = Tree::of(&[("crates/a/src/lib.rs", ""), (".ci/run", ""), ("b.md", "")]);
        let findings = check(&Page::parse(page), &tree);
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_page_that_names_what_is_there_passes() {
        let page = "`crates/a/`, `crates/a/src/lib.rs`, `.ci/run`, `b.md`, `cargo xtask test`, \
                    `a::b`, `Residual.scaled`, `https://x.org/y.md`";
        assert_eq!(findings(page), [""; 0]);
    }

    #[test]
    fn a_folder_or_file_that_is_gone_is_found() {
        let page = "`crates/a/` `crates/a/src/lib.rs`\n`crates/gone/`\n`lost.rs`\n`.ci/walk`\n`crates/a/src/lib.rs/`";
        assert_eq!(
            findings(page),
            [
                "docs/ARCHITECTURE.md:2: `crates/gone/` is named here but does not exist",
                "docs/ARCHITECTURE.md:3: `lost.rs` is named here but does not exist",
                "docs/ARCHITECTURE.md:4: `.ci/walk` is named here but does not exist",
                "docs/ARCHITECTURE.md:5: `crates/a/src/lib.rs/` is named here but does not exist",
            ]
        );
    }

    #[test]
    fn a_source_file_that_is_not_on_the_page_is_found() {
        assert_eq!(
            findings("`crates/a/`"),
            ["docs/ARCHITECTURE.md: `crates/a/src/lib.rs` exists but is not named on the page"]
        );
    }

    #[test]
    fn a_crate_that_is_not_on_the_page_is_found() {
        assert_eq!(
            findings("Nothing yet, but for `crates/a/src/lib.rs`."),
            ["docs/ARCHITECTURE.md: `crates/a/` exists but is not named on the page"]
        );
    }
}
