//! The page: the viewer with a run in it.

use crate::ReportError;
use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use stickslip_scene::recording::WholeFile;
use stickslip_scene::recording::replay::ReplayFile;

/// The viewer, as `viewer/` of the repository builds it.
const VIEWER: &str = include_str!("../assets/viewer.html");

/// Where the run goes.
const PLACE: &str = "__STICKSLIP_RUN__";

/// What stands in a page.
#[derive(Debug, Serialize)]
pub struct Page<'a> {
    /// The run.
    pub replay: &'a ReplayFile,
    /// What its summary says, if there is one.
    pub summary: Option<&'a Value>,
    /// Whether the run goes on, and the page is to ask for it.
    pub live: bool,
}

/// The text of a page that needs nothing else. Names and titles of the run cannot end the element that they stand in: no `<` is written.
///
/// # Errors
/// If a number cannot be written.
pub fn page(content: &Page<'_>) -> Result<String, serde_json::Error> {
    let run = serde_json::to_string(content)?.replace('<', "\\u003c");
    Ok(VIEWER.replacen(PLACE, &run, 1))
}

/// Reads the replay of a directory that `stickslip run` wrote.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn read_replay(dir: &Path) -> Result<ReplayFile, ReportError> {
    let path = dir.join("replay.json");
    let text = fs::read_to_string(&path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => ReportError::NoReplay { dir: dir.to_owned() },
        _ => ReportError::file(&path, e),
    })?;
    ReplayFile::from_json(&text).map_err(|source| ReportError::Replay { path, source })
}

/// Writes `report.html` into a directory that `stickslip run` wrote, whole or not at all; returns its path.
///
/// # Errors
/// If the directory has no replay, or the page cannot be written.
pub fn write_report(dir: &Path) -> Result<PathBuf, ReportError> {
    let replay = read_replay(dir)?;
    let path = dir.join("summary.json");
    let summary: Option<Value> = match fs::read_to_string(&path) {
        Ok(text) => Some(serde_json::from_str(&text).map_err(|e| ReportError::file(&path, e))?),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(ReportError::file(&path, e)),
    };
    let content = Page { replay: &replay, summary: summary.as_ref(), live: false };
    let text = page(&content).map_err(|e| ReportError::file(&dir.join("report.html"), e))?;
    Ok(WholeFile::of(dir, "report.html", text.as_bytes())?.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_scene::Scene;
    use stickslip_scene::recording::Units;
    use stickslip_scene::recording::replay::Replay;

    #[test]
    fn a_name_cannot_end_the_element_that_holds_the_run() {
        let mut scene = Scene::from_gallery("bouncing_ball").unwrap();
        scene.title = "</script><script>alert(1)</script><!--".into();
        let replay = Replay::new(&scene, &Units::of_scene(&scene)).file();
        let text = page(&Page { replay: &replay, summary: None, live: false }).unwrap();
        assert!(!text.contains("<script>alert"));
        assert!(text.contains("\\u003c/script>\\u003cscript>alert(1)"));
        assert!(!text.contains(PLACE));
    }

    #[test]
    fn the_viewer_has_one_place_for_a_run_and_asks_for_nothing_else() {
        assert_eq!(VIEWER.matches(PLACE).count(), 1);
        assert!(VIEWER.contains("default-src 'none'"));
        for outside in ["src=\"http", "href=\"http", "@import"] {
            assert!(!VIEWER.contains(outside), "{outside}");
        }
    }

    #[test]
    fn a_directory_without_a_run_is_refused_with_a_cure() {
        let error = write_report(Path::new("no/such/place")).unwrap_err().to_string();
        assert!(error.contains("stickslip run"), "{error}");
    }
}
