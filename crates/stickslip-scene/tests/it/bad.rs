//! Broken scenes: each file in `bad/` is refused with exactly the message that stands beside it.
//!
//! To write the messages anew after a change, run the test with `STICKSLIP_BLESS=1` and read what changed.

use std::path::{Path, PathBuf};
use stickslip_scene::Scene;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad")
}

fn broken_scenes() -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    let mut scenes: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    scenes.sort();
    scenes
}

#[test]
fn every_broken_scene_is_refused_with_its_message() {
    let scenes = broken_scenes();
    assert!(scenes.len() >= 220, "only {} broken scenes were found", scenes.len());
    let bless = std::env::var_os("STICKSLIP_BLESS").is_some();
    let mut wrong = vec![];
    for path in scenes {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let message = match Scene::from_str_in(&text, &name, &folder()) {
            Ok(_) => format!("{name} is accepted\n"),
            Err(error) => format!("{error}\n"),
        };
        let beside = path.with_extension("txt");
        if bless {
            std::fs::write(&beside, &message).unwrap();
        }
        let expected = std::fs::read_to_string(&beside).unwrap_or_default();
        if message != expected || message.ends_with("is accepted\n") {
            wrong.push(format!("{name}: expected\n{expected}found\n{message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every message points at a line, except where the file as a whole lacks something.
#[test]
fn messages_point_into_the_file() {
    for path in broken_scenes() {
        let text = std::fs::read_to_string(&path).unwrap();
        let error = Scene::from_str_in(&text, "scene", &folder()).unwrap_err();
        let position = error.position.unwrap_or_else(|| panic!("{}", path.display()));
        // In an included file, if not in this one.
        let text = match error.file.as_str() {
            "scene" => text,
            other => std::fs::read_to_string(folder().join(other)).unwrap(),
        };
        let line = text.lines().nth(position.line - 1).unwrap_or("");
        assert_eq!(position.text, line, "{}", path.display());
        let room = line.chars().count().max(1) + 1;
        assert!(position.column + position.width <= room + 1, "{}: {position:?}", path.display());
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let missing = folder().join("no_such_file.toml");
    let message = Scene::load(&missing).unwrap_err().to_string();
    assert!(message.contains("no_such_file.toml: the scene cannot be read"), "{message}");
    let message = Scene::load(folder()).unwrap_err().to_string();
    assert!(message.contains("the scene cannot be read"), "{message}");
}

#[test]
fn a_file_of_other_bytes_is_refused() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("latin.toml");
    std::fs::write(&path, b"title = \"W\xfcrfel\"\n").unwrap();
    let message = Scene::load(&path).unwrap_err().to_string();
    assert!(message.contains("byte 10 of the file is not UTF-8"), "{message}");
    let large = " ".repeat((1 << 20) + 1);
    let message = Scene::from_str(&large, "large").unwrap_err().to_string();
    assert_eq!(message, "large: the file has 1048577 bytes; 1048576 is the most");
}
