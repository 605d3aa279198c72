//! A concept exists once: no two public types of the libraries have the same name.
//!
//! A reader who meets `Law` should not have to ask which one. Names that belong to a module, as `Settings` does, are
//! listed with the reason; an entry that is no longer needed is a finding too.

use super::Finding;
use crate::workspace::Tree;
use std::collections::BTreeMap;

/// The libraries whose public names are seen side by side.
const LIBRARIES: [&str; 3] =
    ["crates/complementarity/src/", "crates/stickslip-contact/src/", "crates/stickslip/src/"];

/// What everything above and below meets in: there is one of each, and there is one.
const ONE: [&str; 3] = ["ContactProblem", "Law", "Certificate"];

/// Names that may exist several times, each with the reason.
const SEVERAL: [(&str, &str); 6] = [
    ("Error", "each crate has its own"),
    ("Settings", "each method has its own, named by its module"),
    ("Solution", "of a complementarity problem, and one of all those of a contact problem"),
    ("Statistics", "of a solve, and of a search for all solutions"),
    ("Proof", "that a complementarity problem, or a contact problem, has no solution"),
    ("ProofError", "why such a proof does not hold"),
];

/// Names that were given up, each with the one to use.
const GONE: [(&str, &str); 19] = [
    ("ConeProblem", "ContactProblem"),
    ("ConeCertificate", "Certificate"),
    ("ConeLaw", "Law"),
    ("Mechanism", "Model"),
    ("SpaceStepper", "Stepper"),
    ("SpaceOutcome", "StepOutcome"),
    ("SpaceSettings", "Settings"),
    ("SpaceMethod", "Integrator"),
    ("SpaceRun", "Report"),
    ("JeanSettings", "Settings"),
    ("Closeness", "Proximity"),
    ("Touch", "ContactPair"),
    ("Rub", "LoadFriction"),
    ("Mark", "Anchor"),
    ("Part", "BodyIndex"),
    ("Posed", "LevelAnalysis"),
    ("Weighted", "ThetaStep"),
    ("Cover", "CoveringVector"),
    ("Why", "a name that says of what"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let declared = declarations(tree);
    let allowed = || SEVERAL.iter().map(|(name, _)| *name);
    let mut findings = Vec::new();
    for (name, places) in declared.iter().filter(|(_, places)| places.len() > 1) {
        if allowed().all(|other| other != *name) {
            let message = format!("`{name}` is also declared at {}", places[0]);
            findings.extend(places[1..].iter().map(|place| Finding::new(place, &message)));
        }
    }
    for (name, instead) in GONE {
        let Some(places) = declared.get(name) else { continue };
        let message = format!("`{name}` was given up; use {instead}");
        findings.extend(places.iter().map(|place| Finding::new(place, &message)));
    }
    let count = |name: &str| declared.get(name).map_or(0, Vec::len);
    for name in allowed().filter(|name| count(name) < 2) {
        let message = format!("`{name}` exists once at most and needs no exception");
        findings.push(Finding::new("xtask/src/tidy/names.rs", message));
    }
    for name in ONE.iter().filter(|name| count(name) == 0) {
        findings.push(Finding::new(LIBRARIES[1], format!("there is no public type `{name}`")));
    }
    findings
}

/// The places of each public type at the top of a file or module.
fn declarations(tree: &Tree) -> BTreeMap<&str, Vec<String>> {
    let mut declared: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for library in LIBRARIES {
        for (path, text) in tree.under(library, "rs") {
            for (number, line) in text.lines().enumerate() {
                if let Some(name) = declared_name(line) {
                    declared.entry(name).or_default().push(format!("{path}:{}", number + 1));
                }
            }
        }
    }
    declared
}

fn declared_name(line: &str) -> Option<&str> {
    let (kind, rest) = line.strip_prefix("pub ")?.split_once(' ')?;
    let known = ["struct", "enum", "trait", "type", "union"].contains(&kind);
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    known.then_some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that must be there, once or several times.
    fn tree_with(extra: &str) -> Vec<String> {
        let twice: String = SEVERAL
            .iter()
            .map(|(name, _)| *name)
            .map(|name| format!("pub struct {name};\n"))
            .collect();
        let once = "pub struct ContactProblem {\n}\npub enum Certificate<T> {}\npub struct Law;\n";
        let tree = Tree::of(&[
            ("crates/complementarity/src/a.rs", &twice),
            ("crates/stickslip/src/b.rs", &twice),
            ("crates/stickslip-contact/src/c.rs", once),
            ("crates/stickslip/src/d.rs", extra),
            ("crates/stickslip-scene/src/e.rs", "pub struct ContactProblem;\n"),
        ]);
        check(&tree).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn names_that_exist_once_or_with_a_reason_pass() {
        assert_eq!(
            tree_with("pub(crate) struct Certificate;\n    pub struct Certificate;\n"),
            [""; 0]
        );
    }

    #[test]
    fn a_name_that_is_gone_does_not_come_back() {
        let found = tree_with("pub trait Mechanism {}\n");
        let [finding] = &found[..] else { panic!("{found:?}") };
        assert!(finding.contains("`Mechanism` was given up; use Model"), "{finding}");
    }

    #[test]
    fn a_second_type_of_a_name_is_found_with_both_places() {
        let found = tree_with("\npub type ContactProblem = u8;\n");
        let [finding] = &found[..] else { panic!("{found:?}") };
        assert!(finding.contains("`ContactProblem`"), "{finding}");
        assert!(finding.contains("crates/stickslip/src/d.rs:2"), "{finding}");
        assert!(finding.contains("crates/stickslip-contact/src/c.rs:1"), "{finding}");
    }

    #[test]
    fn an_exception_that_is_not_needed_and_a_missing_type_are_found() {
        let found = check(&Tree::default());
        assert_eq!(found.len(), SEVERAL.len() + ONE.len());
    }
}
