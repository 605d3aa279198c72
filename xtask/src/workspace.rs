//! Facts about the workspace, gathered once: packages, manifests, files.

use crate::stages::cargo_path;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What the checks look at.
pub(crate) struct Workspace {
    /// Members with the packages that they need to build: (member, packages).
    pub(crate) members: BTreeMap<String, Vec<String>>,
    /// Every example.
    pub(crate) examples: Vec<String>,
    /// The files of the repository.
    pub(crate) tree: Tree,
}

/// The files of the repository by path from its root with `/`; the text is empty for files that no
/// check reads.
#[derive(Default)]
pub(crate) struct Tree {
    pub(crate) files: BTreeMap<String, String>,
}

/// Files with these endings are read.
const READ: [&str; 4] = ["rs", "md", "toml", "py"];

/// Names of folders that hold what tools made or fetched.
const SKIPPED: [&str; 5] = ["target", ".git", "__pycache__", ".venv", "node_modules"];

/// The same, as paths from the root.
const SKIPPED_PATHS: [&str; 2] = ["out", "book/build"];

impl Workspace {
    /// Asks cargo for the packages and reads the files.
    pub(crate) fn read() -> Result<Self, String> {
        let output = Command::new(cargo_path())
            .args(["metadata", "--format-version", "1", "--no-deps"])
            .output()
            .map_err(|e| format!("cargo metadata could not be started: {e}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)
            .map_err(|e| format!("cargo metadata wrote something else than JSON: {e}"))?;
        let root = metadata["workspace_root"].as_str().unwrap_or(".");
        let mut tree = Tree::default();
        tree.collect(Path::new(root), "")
            .map_err(|e| format!("the files under {root} could not be read: {e}"))?;
        Ok(Self { members: build_dependencies(&metadata), examples: examples(&metadata), tree })
    }
}

/// Normal and build dependencies of each member; dev-dependencies may point anywhere.
fn build_dependencies(metadata: &Value) -> BTreeMap<String, Vec<String>> {
    let of = |package: &Value| {
        list(&package["dependencies"])
            .filter(|dependency| dependency["kind"] != "dev")
            .map(|dependency| text(&dependency["name"]))
            .collect()
    };
    list(&metadata["packages"]).map(|package| (text(&package["name"]), of(package))).collect()
}

fn examples(metadata: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for package in list(&metadata["packages"]) {
        for target in list(&package["targets"]) {
            if list(&target["kind"]).any(|kind| kind == "example") {
                found.push(text(&target["name"]));
            }
        }
    }
    found.sort();
    found
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Tree {
    fn collect(&mut self, root: &Path, folder: &str) -> std::io::Result<()> {
        for entry in fs::read_dir(root.join(folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = match folder {
                "" => name.clone(),
                _ => format!("{folder}/{name}"),
            };
            if entry.file_type()?.is_dir() {
                let skipped = SKIPPED.contains(&&*name) || SKIPPED_PATHS.contains(&&*path);
                if !skipped {
                    self.collect(root, &path)?;
                }
            } else if READ.contains(&extension(&path)) {
                self.files.insert(path, fs::read_to_string(entry.path())?);
            } else {
                self.files.insert(path, String::new());
            }
        }
        Ok(())
    }

    /// Whether the path is a file, or a folder with a file in it. A trailing `/` asks for a folder.
    pub(crate) fn has(&self, path: &str) -> bool {
        match path.strip_suffix('/') {
            Some(folder) => self.has_folder(folder),
            None => self.files.contains_key(path) || self.has_folder(path),
        }
    }

    fn has_folder(&self, folder: &str) -> bool {
        let prefix = format!("{folder}/");
        let next = self.files.range(prefix.clone()..).next();
        next.is_some_and(|(path, _)| path.starts_with(&prefix))
    }

    /// The text of a file that must be there.
    pub(crate) fn text(&self, path: &str) -> Result<&str, String> {
        match self.files.get(path) {
            Some(text) => Ok(text),
            None => Err(format!("{path} is missing")),
        }
    }

    /// Files under `folder` (with its trailing `/`) whose name has this extension.
    pub(crate) fn under<'a>(
        &'a self,
        folder: &'a str,
        wanted: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let files = self.files.iter().map(|(p, t)| (p.as_str(), t.as_str()));
        files.filter(move |(path, _)| path.starts_with(folder) && extension(path) == wanted)
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter();
        Self { files: files.map(|&(p, t)| (p.to_owned(), t.to_owned())).collect() }
    }
}

/// What follows the last dot of a file name; empty if there is none or nothing before it.
pub(crate) fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_exists_only_by_its_files() {
        let tree = Tree::of(&[("a/b/c.rs", ""), ("a/bc.rs", "")]);
        assert!(tree.has("a/b/") && tree.has("a/b") && tree.has("a/b/c.rs"));
        assert!(!tree.has("a/bc/") && !tree.has("a/b/c.rs/") && !tree.has("c.rs"));
        assert_eq!(tree.under("a/b/", "rs").count(), 1);
    }

    #[test]
    fn dev_dependencies_do_not_count_and_examples_are_found() {
        let metadata: Value = serde_json::from_str(
            r#"{"packages":[{"name":"a",
                "dependencies":[{"name":"b","kind":null},{"name":"c","kind":"dev"},
                                {"name":"d","kind":"build"}],
                "targets":[{"name":"tour","kind":["example"]},{"name":"a","kind":["lib"]}]}]}"#,
        )
        .unwrap();
        let members = build_dependencies(&metadata);
        assert_eq!(members["a"], ["b", "d"]);
        assert_eq!(examples(&metadata), ["tour"]);
    }

    #[test]
    fn extensions_are_what_follows_the_last_dot_of_the_name() {
        assert_eq!(extension("a.b/c.tar.gz"), "gz");
        assert_eq!(extension("a.b/c"), "");
        assert_eq!(extension(".ci"), "");
    }
}
