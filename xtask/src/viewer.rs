//! The viewer: its bundle, which must be the one that its sources give, and its tests in a browser.

use crate::Outcome;
use crate::stages::{cargo, check, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The sources, and where their bundle is embedded from.
const FOLDER: &str = "viewer";
const BUNDLE: &str = "crates/stickslip-report/assets/viewer.html";
/// A hash of the sources from which the bundle was built, which can be checked without npm.
const HASH: &str = "crates/stickslip-report/assets/viewer.sources";
/// What the bundle is built from.
const SOURCES: [&str; 5] =
    ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.mjs"];

/// `cargo xtask viewer`: everything; with `--check` the bundle alone, with `--write` builds and embeds it, with `--screens` takes the pictures of
/// the guide.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => test(),
        ["--check"] => check_bundle(),
        ["--write"] => write(),
        ["--screens"] => in_browser("tests/screens.mjs"),
        _ => Err("`viewer` takes --check, --write, --screens or nothing".to_owned()),
    }
}

/// The bundle, and the page in a browser.
pub(crate) fn test() -> Outcome {
    check_bundle()?;
    in_browser("tests/run.mjs")
}

/// Runs a script that opens pages of the command in a browser.
fn in_browser(script: &str) -> Outcome {
    // As the tests built it, so that nothing is built anew.
    cargo("build --workspace --bins")?;
    browser()?;
    let program = fs::canonicalize(target().join("debug/stickslip"))
        .map_err(|e| format!("the command that was built is not there: {e}"))?;
    check(Command::new("node").arg(script).current_dir(FOLDER).env("STICKSLIP", program))
}

fn write() -> Outcome {
    let built = build()?;
    fs::copy(&built, BUNDLE).map_err(|e| format!("{BUNDLE} cannot be written: {e}"))?;
    fs::write(HASH, hash_of_sources()?).map_err(|e| format!("{HASH} cannot be written: {e}"))
}

/// Whether the bundle in the tree is the one that the sources give, byte for byte.
fn check_bundle() -> Outcome {
    const CURE: &str = "`cargo xtask viewer --write` builds and embeds it";
    let kept = fs::read_to_string(HASH).map_err(|e| format!("{HASH}: {e}; {CURE}"))?;
    if kept != hash_of_sources()? {
        return Err(format!("the sources in {FOLDER} are not those of {BUNDLE}; {CURE}"));
    }
    let read = |path: &Path| fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
    if read(&build()?)? != read(Path::new(BUNDLE))? {
        return Err(format!("{BUNDLE} is not what the sources in {FOLDER} give; {CURE}"));
    }
    Ok(())
}

/// Builds the bundle; npm installs what the lock file names, unless it is there.
fn build() -> Result<PathBuf, String> {
    let found = Command::new("npm").arg("--version").stdout(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        return Err(
            "npm is not on the PATH, and the viewer is built with it; install Node.js 20 or later"
                .to_owned(),
        );
    }
    let npm = |arguments: &[&str]| check(Command::new("npm").args(arguments).current_dir(FOLDER));
    if !is_installed() {
        npm(&["ci", "--no-audit", "--no-fund"])?;
    }
    npm(&["run", "--silent", "build"])?;
    Ok(Path::new(FOLDER).join("dist/index.html"))
}

/// Whether the packages of the lock file are installed: npm keeps a copy of it beside them.
fn is_installed() -> bool {
    let time = |path: PathBuf| fs::metadata(path).and_then(|m| m.modified()).ok();
    let folder = Path::new(FOLDER);
    let installed = time(folder.join("node_modules/.package-lock.json"));
    installed.zip(time(folder.join("package-lock.json"))).is_some_and(|(there, lock)| there >= lock)
}

/// Makes sure that there is a Chromium, by apt where that is the way.
fn browser() -> Outcome {
    let there = || {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        names
            .iter()
            .any(|name| Command::new(name).arg("--version").stdout(Stdio::null()).status().is_ok())
    };
    if there() || std::env::var_os("CHROMIUM").is_some() {
        return Ok(());
    }
    eprintln!("$ apt-get install -y chromium");
    // An old list of packages may do.
    let _ = check(Command::new("apt-get").args(["update", "-q"]));
    let installed = check(Command::new("apt-get").args(["install", "-y", "-q", "chromium"]));
    match (installed, there()) {
        (_, true) => Ok(()),
        (outcome, false) => Err(format!(
            "the tests of the viewer need Chromium, and it cannot be installed ({}); install it, or give its path in CHROMIUM",
            outcome.err().unwrap_or_else(|| "it is still not on the PATH".to_owned())
        )),
    }
}

/// FNV-1a over names and contents of the sources, as one line of text.
fn hash_of_sources() -> Result<String, String> {
    let folder = Path::new(FOLDER);
    let mut files: Vec<PathBuf> = SOURCES.iter().map(|name| folder.join(name)).collect();
    let listed = fs::read_dir(folder.join("src")).map_err(|e| format!("{FOLDER}/src: {e}"))?;
    files.extend(listed.flatten().map(|entry| entry.path()));
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        let bytes = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = file.display().to_string().replace('\\', "/");
        for byte in name.bytes().chain([0]).chain(bytes) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    Ok(format!("{hash:016x}\n"))
}
