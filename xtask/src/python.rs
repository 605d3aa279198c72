//! The Python module: its wheel in a fresh virtual environment, its tests there, and its types.

use crate::Outcome;
use crate::stages::{check, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the tests need beside the wheel; from binary wheels alone, so that nothing is built.
const PACKAGES: [&str; 7] = ["maturin", "numpy", "scipy", "matplotlib", "pytest", "mypy", "sympy"];

/// What some of the tests need, which are skipped where there is no binary wheel of it. PyTorch is not among them: it takes minutes to fetch.
const OPTIONAL: [&str; 4] = ["ray", "dask[distributed]", "jax", "pandas"];

/// What the wheel must do under another Python than the one that it was built for.
const TRIAL: &str = "import numpy, stickslip
assert stickslip.solve_lcp(2.0 * numpy.eye(3), -numpy.ones(3)).solved
assert stickslip.Simulation('woodpecker', dt=1e-4).step() == 1e-4";

const SOURCES: &str = "crates/stickslip-python/python/stickslip";

/// Makes a fresh virtual environment with what the tests need; its interpreter. None without Python.
pub(crate) fn prepare() -> Result<Option<PathBuf>, String> {
    let found = Command::new("python3").arg("--version").stdout(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        return Ok(None);
    }
    let folder = folder();
    clear(&folder)?;
    let python = environment("python3".as_ref(), &folder.join("venv"))?;
    pip(&python, &PACKAGES)?;
    if pip(&python, &OPTIONAL).is_err() {
        // One that is missing does not take the others with it.
        for package in OPTIONAL {
            if let Err(reason) = pip(&python, &[package]) {
                eprintln!("skipped: what {package} is for: {reason}");
            }
        }
    }
    Ok(Some(python))
}

/// Builds the wheel with the profile of the tests, whose libraries it takes, and tests it; without Python it is skipped.
pub(crate) fn test(prepared: Result<Option<PathBuf>, String>) -> Outcome {
    let Some(python) = prepared? else {
        eprintln!("skipped: there is no python3 on the PATH");
        return Ok(());
    };
    let folder = folder();
    let wheels = folder.join("wheels").display().to_string();
    let wheel = ["--no-index", "--find-links", &wheels, "stickslip"];
    check(
        Command::new(beside(&python, "maturin"))
            .args(["build", "--locked", "--profile", "dev", "--out", &wheels, "--interpreter"])
            .arg(&python),
    )?;
    pip(&python, &wheel)?;
    check(Command::new(&python).args(["-m", "pytest", "-p", "no:cacheprovider", "-rs"]))?;
    check(
        Command::new(beside(&python, "mypy"))
            .args(["--strict", "--cache-dir"])
            .arg(folder.join("mypy"))
            .arg(SOURCES),
    )?;
    // The order of memory in classes is no part of their types.
    let stubs = ["-m", "mypy.stubtest", "--ignore-disjoint-bases", "stickslip._native"];
    check(Command::new(&python).args(stubs))?;
    let Some((version, other)) = another_python(&python) else {
        eprintln!("skipped: the wheel under another Python, since there is none");
        return Ok(());
    };
    eprintln!("the wheel under Python {version}");
    let other = environment(&other, &folder.join("other"))?;
    pip(&other, &["numpy"])?;
    pip(&other, &wheel)?;
    check(Command::new(&other).args(["-c", TRIAL]))
}

fn folder() -> PathBuf {
    target().join("python")
}

/// A fresh virtual environment; its interpreter.
fn environment(python: &Path, folder: &Path) -> Result<PathBuf, String> {
    check(Command::new(python).args(["-m", "venv"]).arg(folder))?;
    Ok(folder.join(if cfg!(windows) { "Scripts" } else { "bin" }).join("python"))
}

/// Installs packages beside an interpreter.
fn pip(python: &Path, packages: &[&str]) -> Outcome {
    let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    check(Command::new(python).args(quiet).args(["--only-binary", ":all:"]).args(packages))
}

/// A program that was installed beside an interpreter.
fn beside(python: &Path, name: &str) -> PathBuf {
    python.with_file_name(name)
}

/// The oldest Python of this machine that the wheel is for and that did not build it, from the PATH or from pyenv; its minor version.
fn another_python(built: &Path) -> Option<(String, PathBuf)> {
    let mut all: Vec<PathBuf> = (9..20).map(|minor| format!("python3.{minor}").into()).collect();
    let versions = std::env::home_dir().map(|home| home.join(".pyenv/versions"));
    let folders = versions.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten();
    all.extend(folders.flatten().map(|folder| folder.path().join("bin/python3")));
    let own = minor_version(built)?;
    let found = all.into_iter().filter_map(|python| Some((minor_version(&python)?, python)));
    let (minor, python) = found.filter(|(minor, _)| *minor >= 9 && *minor != own).min()?;
    Some((format!("3.{minor}"), python))
}

/// Of a Python 3 that can make virtual environments.
fn minor_version(python: &Path) -> Option<u32> {
    let ask =
        "import sys, venv, ensurepip; print(sys.version_info[1] * (sys.version_info[0] == 3))";
    let answer = Command::new(python).args(["-c", ask]).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(answer.stdout).ok()?;
    text.trim().parse().ok().filter(|_| answer.status.success())
}

/// Removes what an earlier test left.
fn clear(folder: &Path) -> Outcome {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{} cannot be removed: {e}", folder.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_cleared_and_a_file_in_its_place_is_an_error() {
        let folder = std::env::temp_dir().join(format!("stickslip-clear-{}", std::process::id()));
        assert_eq!(clear(&folder), Ok(()));
        fs::create_dir_all(folder.join("venv")).unwrap();
        assert_eq!(clear(&folder), Ok(()));
        assert!(!folder.exists());
        fs::write(&folder, "").unwrap();
        assert!(clear(&folder).is_err());
        fs::remove_file(&folder).unwrap();
    }
}
