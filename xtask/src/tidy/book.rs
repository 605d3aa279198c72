//! The book is whole: pages linked, links alive, code taken from compiled examples.

use super::page::Page;
use super::{Finding, SUMMARY};
use crate::formulas;
use crate::workspace::Tree;
use std::collections::BTreeSet;

const BOOK: &str = "book/src/";

/// Every page is in the summary; the links of the summary itself are checked with all others.
pub(super) fn check_summary(tree: &Tree) -> Vec<Finding> {
    let Ok(summary) = tree.text(SUMMARY) else {
        return vec![Finding::new(SUMMARY, "the book has no summary")];
    };
    let page = Page::parse(summary);
    let mut linked = BTreeSet::new();
    let mut findings = Vec::new();
    for (line, target) in &page.links {
        if !linked.insert(resolve(SUMMARY, target)) {
            let message = format!("`{target}` is linked twice");
            findings.push(Finding::at(SUMMARY, *line, message));
        }
    }
    for (path, _) in tree.under(BOOK, "md").filter(|(path, _)| *path != SUMMARY) {
        if !linked.contains(path) {
            findings.push(Finding::new(path, "the page is not in the summary"));
        }
    }
    findings
}

/// Relative links of every page resolve, and those of the book stay inside of it.
pub(super) fn check_links(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.under("", "md") {
        for (line, link) in Page::parse(text).links {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, place) = link.split_once('#').unwrap_or((&link, ""));
            let here = file.is_empty() && !link.is_empty();
            let target = if here { path.to_owned() } else { resolve(path, file) };
            if link.is_empty() || !tree.has(&target) {
                let message = format!("the link `{link}` leads nowhere");
                findings.push(Finding::at(path, line, message));
            } else if path.starts_with(BOOK) && !target.starts_with(BOOK) {
                let message = format!("the link `{link}` leaves the book, which is read alone");
                findings.push(Finding::at(path, line, message));
            } else if !place.is_empty() && !has_place(tree, &target, place) {
                let message = format!("`{target}` has no heading for the link `{link}`");
                findings.push(Finding::at(path, line, message));
            }
        }
    }
    findings
}

/// Whether a page has a heading of this name, as mdBook makes names of headings.
fn has_place(tree: &Tree, target: &str, place: &str) -> bool {
    let Ok(text) = tree.text(target) else { return false };
    let name = |heading: &String| -> String {
        let kept = heading.trim().to_lowercase();
        let kept = kept.chars().map(|c| if c.is_whitespace() { '-' } else { c });
        kept.filter(|c| c.is_alphanumeric() || *c == '-' || *c == '_').collect()
    };
    Page::parse(text).headings.iter().any(|heading| name(heading) == place)
}

/// Rust code of the book is included, and what is included exists.
pub(super) fn check_code(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.under(BOOK, "md") {
        for (number, line) in text.lines().enumerate() {
            if let Some(Err(message)) =
                include(line).map(|target| check_include(tree, path, target))
            {
                findings.push(Finding::at(path, number + 1, message));
            }
        }
        for fence in Page::parse(text).fences {
            let is_rust = fence.info.split(',').next() == Some("rust");
            if is_rust && fence.text.lines().any(|line| include(line).is_none()) {
                let message = "Rust code must be `{{#include}}`d from a compiled example";
                findings.push(Finding::at(path, fence.line, message));
            }
        }
    }
    findings
}

/// Every formula of the book can be set.
pub(super) fn check_formulas(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.under(BOOK, "md") {
        let unset = formulas::set(text).err().unwrap_or_default();
        findings.extend(unset.into_iter().map(|(line, why)| Finding::at(path, line, why)));
    }
    findings
}

/// Every picture of the book is shown on a page.
pub(super) fn check_pictures(tree: &Tree) -> Vec<Finding> {
    let mut shown = BTreeSet::new();
    for (path, text) in tree.under(BOOK, "md") {
        shown.extend(Page::parse(text).links.iter().map(|(_, link)| resolve(path, link)));
    }
    let pictures = ["svg", "png"].into_iter().flat_map(|kind| tree.under(BOOK, kind));
    let lost = pictures.filter(|(path, _)| !shown.contains(*path));
    lost.map(|(path, _)| Finding::new(path, "the picture is on no page")).collect()
}

/// The target of a line that is `{{#include target}}` and nothing else.
fn include(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix("{{#")?.strip_suffix("}}")?;
    let target =
        inner.strip_prefix("include ").or_else(|| inner.strip_prefix("rustdoc_include "))?;
    Some(target.trim())
}

fn check_include(tree: &Tree, page: &str, target: &str) -> Result<(), String> {
    let (file, anchor) = target.split_once(':').unwrap_or((target, ""));
    let file = resolve(page, file);
    let text = tree.text(&file).map_err(|_| format!("`{file}` is included but does not exist"))?;
    if anchor.is_empty() || anchor.starts_with(|c: char| c.is_ascii_digit() || c == ':') {
        return Ok(());
    }
    for mark in ["ANCHOR", "ANCHOR_END"] {
        let wanted = format!("// {mark}: {anchor}");
        if !text.lines().any(|line| line.trim() == wanted) {
            return Err(format!("`{file}` has no line `{wanted}`"));
        }
    }
    Ok(())
}

/// The path from the root that `link` means on the page at `page`.
fn resolve(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." if !parts.is_empty() && parts.last() != Some(&"..") => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(findings: Vec<Finding>) -> Vec<String> {
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn links_resolve_from_their_page() {
        assert_eq!(resolve("book/src/a/b.md", "../c.md"), "book/src/c.md");
        assert_eq!(resolve("README.md", "docs/"), "docs");
        assert_eq!(resolve("README.md", "../x"), "../x");
        assert_eq!(resolve("a/b.md", "./c.md"), "a/c.md");
    }

    #[test]
    fn a_page_that_is_not_in_the_summary_is_found() {
        let tree = Tree::of(&[
            (SUMMARY, "- [a](a.md)\n- [again](a.md)\n"),
            ("book/src/a.md", ""),
            ("book/src/b/c.md", ""),
        ]);
        assert_eq!(
            strings(check_summary(&tree)),
            [
                "book/src/SUMMARY.md:2: `a.md` is linked twice",
                "book/src/b/c.md: the page is not in the summary",
            ]
        );
        let none = strings(check_summary(&Tree::default()));
        assert_eq!(none, ["book/src/SUMMARY.md: the book has no summary"]);
    }

    #[test]
    fn a_dead_link_and_one_that_leaves_the_book_are_found() {
        let tree = Tree::of(&[
            (
                "README.md",
                "# The top\n[docs](docs/), [web](https://x.org), [top](#the-top), [not](#end)",
            ),
            ("docs/a.md", "[up](../README.md#the-top), [gone](b.md), [draft]()"),
            ("book/src/c.md", "\n[out](../../README.md) and ![drawn](d.svg)"),
        ]);
        assert_eq!(
            strings(check_links(&tree)),
            [
                "README.md:2: `README.md` has no heading for the link `#end`",
                "book/src/c.md:2: the link `../../README.md` leaves the book, which is read alone",
                "book/src/c.md:2: the link `d.svg` leads nowhere",
                "docs/a.md:1: the link `b.md` leads nowhere",
                "docs/a.md:1: the link `` leads nowhere",
            ]
        );
    }

    #[test]
    fn code_that_is_not_compiled_and_dead_includes_are_found() {
        let page = "```rust\n{{#include ../../x/e.rs:build}}\n```\n\
                    ```rust\n{{#include ../../x/e.rs:solve}}\n```\n\
                    ```rust\n{{#include ../../x/gone.rs}}\n```\n\
                    ```rust,ignore\nlet by_hand = 1;\n```\n\
                    ```json\n{\"kind\": \"lcp\"}\n```\n";
        let example = "// ANCHOR: build\nlet x = 1;\n// ANCHOR_END: build\n";
        let tree = Tree::of(&[("book/src/p.md", page), ("x/e.rs", example)]);
        assert_eq!(
            strings(check_code(&tree)),
            [
                "book/src/p.md:5: `x/e.rs` has no line `// ANCHOR: solve`",
                "book/src/p.md:8: `x/gone.rs` is included but does not exist",
                "book/src/p.md:10: Rust code must be `{{#include}}`d from a compiled example",
            ]
        );
    }

    #[test]
    fn formulas_that_cannot_be_set_and_pictures_that_nobody_sees_are_found() {
        let tree = Tree::of(&[
            ("book/src/p.md", "fine $x^2$\n\n$\\frac{1}$ ![seen](seen.svg)\n"),
            ("book/src/seen.svg", ""),
            ("book/src/lost.png", ""),
        ]);
        let formulas = strings(check_formulas(&tree));
        assert!(
            formulas.len() == 1 && formulas[0].starts_with("book/src/p.md:3: "),
            "{formulas:?}"
        );
        let pictures = strings(check_pictures(&tree));
        assert_eq!(pictures, ["book/src/lost.png: the picture is on no page"]);
    }
}
