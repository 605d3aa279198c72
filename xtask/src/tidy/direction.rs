//! Dependencies between our own crates point the way that the architecture page says.
//!
//! The page holds one fenced block with the info string `dependency-direction`. A line
//! `a <- b <- {c, d}` lets b depend on a, and c and d on a and b. A line `* <- {e, f}` lets e and
//! f depend on anything, and nothing on them.

use super::page::Page;
use super::{ARCHITECTURE, Finding};
use std::collections::{BTreeMap, BTreeSet};

const BLOCK: &str = "dependency-direction";

/// The order of the crates.
#[derive(Debug, Default)]
struct Order {
    /// For each crate, those it may depend on.
    below: BTreeMap<String, BTreeSet<String>>,
    /// Those that may depend on anything.
    tops: BTreeSet<String>,
}

/// `members` maps each crate of the workspace to all packages that it needs to build.
pub(super) fn check(page: &Page, members: &BTreeMap<String, Vec<String>>) -> Vec<Finding> {
    let order = match find_order(page) {
        Ok(order) => order,
        Err(finding) => return vec![finding],
    };
    let mut findings = Vec::new();
    for (member, packages) in members {
        if !order.below.contains_key(member) && !order.tops.contains(member) {
            let message = format!("crate `{member}` has no place in the block `{BLOCK}`");
            findings.push(Finding::new(ARCHITECTURE, message));
        }
        for other in packages.iter().filter(|p| members.contains_key(*p)) {
            if !order.allows(member, other) {
                let message = format!("`{member}` depends on `{other}`, against the direction");
                findings.push(Finding::new(format!("crate {member}"), message));
            }
        }
    }
    findings
}

fn find_order(page: &Page) -> Result<Order, Finding> {
    let mut blocks = page.fences.iter().filter(|fence| fence.info == BLOCK);
    let (Some(block), None) = (blocks.next(), blocks.next()) else {
        let message = format!("the page needs one fenced block `{BLOCK}`");
        return Err(Finding::new(ARCHITECTURE, message));
    };
    Order::parse(&block.text).map_err(|m| Finding::at(ARCHITECTURE, block.line, m))
}

impl Order {
    fn parse(text: &str) -> Result<Self, String> {
        let mut order = Self::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let groups: Vec<Vec<&str>> = line.split("<-").map(group).collect();
            if groups.len() < 2 || groups.iter().flatten().any(|name| name.is_empty()) {
                return Err(format!("`{line}` is not of the form `a <- b <- {{c, d}}`"));
            }
            let mut lower: Vec<&str> = Vec::new();
            for group in &groups {
                for &name in group.iter().filter(|&&name| name != "*") {
                    if lower == ["*"] {
                        order.tops.insert(name.to_owned());
                    } else {
                        let below = order.below.entry(name.to_owned()).or_default();
                        below.extend(lower.iter().map(|&n| n.to_owned()));
                    }
                }
                lower.extend(group);
            }
        }
        order.close();
        match order.below.iter().find(|(name, below)| below.contains(*name)) {
            Some((name, _)) => Err(format!("`{name}` stands below itself")),
            None => Ok(order),
        }
    }

    /// What is below something below is below.
    fn close(&mut self) {
        for _ in 0..self.below.len() {
            let once = self.below.clone();
            for below in self.below.values_mut() {
                let further = below.iter().filter_map(|name| once.get(name)).flatten();
                let further: Vec<String> = further.cloned().collect();
                below.extend(further);
            }
        }
    }

    fn allows(&self, from: &str, to: &str) -> bool {
        if self.tops.contains(from) {
            return true;
        }
        self.below.get(from).is_some_and(|below| below.contains(to))
    }
}

/// `a` or `{a, b}`.
fn group(text: &str) -> Vec<&str> {
    let text = text.trim();
    let inner = text.strip_prefix('{').and_then(|t| t.strip_suffix('}'));
    inner.unwrap_or(text).split(',').map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "```dependency-direction\n\
        complementarity <- stickslip <- stickslip-scene <- {stickslip-cli, stickslip-py}\n\
        * <- {lab, xtask}\n```\n";

    fn findings(page: &str, edges: &[(&str, &[&str])]) -> Vec<String> {
        let owned = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect();
        let members = edges.iter().map(|(n, d)| ((*n).to_owned(), owned(d)));
        let findings = check(&Page::parse(page), &members.collect());
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn dependencies_along_the_direction_pass() {
        let edges: [(&str, &[&str]); 5] = [
            ("complementarity", &["serde"]),
            ("stickslip", &["complementarity"]),
            ("stickslip-cli", &["stickslip-scene", "complementarity"]),
            ("stickslip-scene", &["stickslip"]),
            ("lab", &["stickslip", "complementarity"]),
        ];
        assert_eq!(findings(PAGE, &edges), [""; 0]);
    }

    #[test]
    fn a_reversed_dependency_is_found_with_both_names() {
        let edges: [(&str, &[&str]); 2] = [("complementarity", &["stickslip"]), ("stickslip", &[])];
        assert_eq!(
            findings(PAGE, &edges),
            [
                "crate complementarity: `complementarity` depends on `stickslip`, against the direction"
            ]
        );
    }

    #[test]
    fn neighbours_and_chores_must_not_be_depended_on() {
        let edges: [(&str, &[&str]); 4] = [
            ("stickslip-cli", &["stickslip-py", "xtask"]),
            ("stickslip-py", &[]),
            ("xtask", &["lab"]),
            ("lab", &[]),
        ];
        let found = findings(PAGE, &edges);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("`stickslip-cli` depends on `stickslip-py`"));
        assert!(found[1].contains("`stickslip-cli` depends on `xtask`"));
    }

    #[test]
    fn a_crate_without_a_place_is_found() {
        let found = findings(PAGE, &[("newcomer", &["complementarity"]), ("complementarity", &[])]);
        assert!(found[0].contains("crate `newcomer` has no place"));
        assert!(found[1].contains("`newcomer` depends on `complementarity`"));
    }

    #[test]
    fn a_block_that_is_missing_malformed_or_circular_is_found() {
        let block = |lines: &str| findings(&format!("```dependency-direction\n{lines}\n```"), &[]);
        assert!(findings("No block.", &[])[0].contains("needs one fenced block"));
        assert!(findings(&format!("{PAGE}\n{PAGE}"), &[])[0].contains("needs one fenced block"));
        assert!(block("alone")[0].contains("`alone` is not of the form"));
        assert!(block("a <- {b,}")[0].contains("is not of the form"));
        assert!(block("a <- b\nb <- c\nc <- a")[0].contains("`a` stands below itself"));
    }
}
