//! Every dependency has a reason on the architecture page and its version in the root manifest.

use super::page::{Page, Table};
use super::{ARCHITECTURE, Finding};
use std::collections::BTreeMap;
use toml::{Table as Toml, Value};

const ROOT: &str = "Cargo.toml";

/// `manifests` are the manifests of the repository by path.
pub(super) fn check(page: &Page, manifests: &[(String, Toml)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let versions = manifests
        .iter()
        .find(|(path, _)| path == ROOT)
        .map(|(_, root)| third_party(root.get("workspace").and_then(Value::as_table)))
        .unwrap_or_default();
    let reasons = reasons(page, &mut findings);
    for name in versions.iter().filter(|name| !reasons.contains_key(**name)) {
        let message = format!("dependency `{name}` of {ROOT} is not in the table");
        findings.push(Finding::new(ARCHITECTURE, message));
    }
    for (name, (line, reason)) in &reasons {
        if !versions.contains(&name.as_str()) {
            let message = format!("`{name}` is in the table but not in {ROOT}");
            findings.push(Finding::at(ARCHITECTURE, *line, message));
        }
        if reason.trim().is_empty() {
            let message = format!("dependency `{name}` has no reason");
            findings.push(Finding::at(ARCHITECTURE, *line, message));
        }
    }
    for (path, manifest) in manifests {
        findings.extend(own_versions(path, manifest));
    }
    findings
}

/// Dependencies of the workspace that come from elsewhere.
fn third_party(workspace: Option<&Toml>) -> Vec<&str> {
    let table = workspace.and_then(|w| w.get("dependencies")?.as_table());
    let entries = table.into_iter().flatten();
    entries
        .filter(|(_, value)| value.get("path").is_none())
        .map(|(name, _)| name.as_str())
        .collect()
}

/// The table whose first column is `dependency`: name to line and reason (the last column).
fn reasons(page: &Page, findings: &mut Vec<Finding>) -> BTreeMap<String, (usize, String)> {
    let is_ours = |table: &&Table| table.header.first().is_some_and(|cell| cell == "dependency");
    let Some(table) = page.tables.iter().find(is_ours) else {
        let message = "the page needs a table whose first column is `dependency`";
        findings.push(Finding::new(ARCHITECTURE, message));
        return BTreeMap::new();
    };
    let rows = table.rows.iter().filter_map(|(line, cells)| {
        let (name, reason) = (cells.first()?.clone(), cells.last()?.clone());
        Some((name, (*line, reason)))
    });
    rows.collect()
}

/// Dependencies that a member does not take from the workspace.
fn own_versions(path: &str, manifest: &Toml) -> Vec<Finding> {
    let mut findings = Vec::new();
    if path == ROOT || manifest.contains_key("workspace") {
        return findings;
    }
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let table = manifest.get(section).and_then(Value::as_table);
        for (name, value) in table.into_iter().flatten() {
            if value.get("workspace") != Some(&Value::Boolean(true)) {
                let message =
                    format!("`{name}` must say `workspace = true`; versions are in {ROOT}");
                findings.push(Finding::new(path, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "| dependency | used by | reason |\n|---|---|---|\n\
                        | `serde` | a | JSON |\n| `toml` | xtask | manifests |\n";
    const MANIFEST: &str = "[workspace.dependencies]\n\
                            own = { path = \"crates/own\" }\nserde = \"1\"\ntoml = { version = \"1\" }";

    fn findings(page: &str, manifests: &[(&str, &str)]) -> Vec<String> {
        let parsed = manifests.iter();
        let parsed: Vec<(String, Toml)> =
            parsed.map(|(path, text)| ((*path).to_owned(), text.parse().unwrap())).collect();
        let findings = check(&Page::parse(page), &parsed);
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_table_that_matches_passes() {
        let member = "[dependencies]\nserde = { workspace = true }\n[dev-dependencies]\ntoml.workspace = true";
        let manifests = [("Cargo.toml", MANIFEST), ("crates/a/Cargo.toml", member)];
        assert_eq!(findings(PAGE, &manifests), [""; 0]);
    }

    #[test]
    fn a_dependency_without_a_row_and_a_row_without_a_dependency_are_found() {
        let manifest = MANIFEST.replace("toml", "faer");
        assert_eq!(
            findings(PAGE, &[("Cargo.toml", &manifest)]),
            [
                "docs/ARCHITECTURE.md: dependency `faer` of Cargo.toml is not in the table",
                "docs/ARCHITECTURE.md:4: `toml` is in the table but not in Cargo.toml",
            ]
        );
    }

    #[test]
    fn a_missing_reason_and_a_missing_table_are_found() {
        let page = PAGE.replace("manifests", "");
        let found = findings(&page, &[("Cargo.toml", MANIFEST)]);
        assert_eq!(found, ["docs/ARCHITECTURE.md:4: dependency `toml` has no reason"]);
        let found = findings("No table.", &[("Cargo.toml", MANIFEST)]);
        assert!(found[0].contains("needs a table"));
    }

    #[test]
    fn a_version_of_a_members_own_is_found() {
        let member = "[build-dependencies]\nserde = \"1\"";
        let manifests = [("Cargo.toml", MANIFEST), ("crates/a/Cargo.toml", member)];
        assert_eq!(
            findings(PAGE, &manifests),
            [
                "crates/a/Cargo.toml: `serde` must say `workspace = true`; versions are in Cargo.toml"
            ]
        );
    }
}
