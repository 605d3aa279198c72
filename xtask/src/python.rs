//! The Python module: its wheel in a fresh virtual environment, its tests there, and its types.

use crate::Outcome;
use crate::stages::{check, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the tests need beside the wheel; from binary wheels alone, so that nothing is built.
const PACKAGES: [&str; 7] = ["maturin", "numpy", "scipy", "matplotlib", "pytest", "mypy", "sympy"];

/// What some of the tests need, which are skipped where there are no binary wheels of it.
const OPTIONAL: [&str; 3] = ["ray", "dask[distributed]", "jax"];

const SOURCES: &str = "crates/stickslip-python/python/stickslip";

/// Builds the wheel with the profile of the tests, whose libraries it takes, and tests it; without Python it is skipped.
pub(crate) fn test() -> Outcome {
    let found = Command::new("python3").arg("--version").stdout(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no python3 on the PATH");
        return Ok(());
    }
    let folder = target().join("python");
    clear(&folder)?;
    check(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))?;
    let python = program(&folder, "python");
    let pip = |arguments: &[&str]| {
        let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        check(Command::new(&python).args(quiet).args(["--only-binary", ":all:"]).args(arguments))
    };
    pip(&PACKAGES)?;
    if let Err(reason) = pip(&OPTIONAL) {
        eprintln!("skipped: what {} are for: {reason}", OPTIONAL.join(", "));
    }
    let wheels = folder.join("wheels").display().to_string();
    check(
        Command::new(program(&folder, "maturin"))
            .args(["build", "--locked", "--profile", "dev", "--out", &wheels, "--interpreter"])
            .arg(&python),
    )?;
    pip(&["--no-index", "--find-links", &wheels, "stickslip"])?;
    check(Command::new(&python).args(["-m", "pytest", "-p", "no:cacheprovider"]))?;
    check(
        Command::new(program(&folder, "mypy"))
            .args(["--strict", "--cache-dir"])
            .arg(folder.join("mypy"))
            .arg(SOURCES),
    )
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

/// A program of the virtual environment.
fn program(folder: &Path, name: &str) -> PathBuf {
    let programs = if cfg!(windows) { "Scripts" } else { "bin" };
    folder.join("venv").join(programs).join(name)
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
