//! Reports and animations of runs.

use crate::common::{Scratch, stdout, stickslip};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// Runs a scene into a directory.
fn run(scene: &str, name: &str) -> Scratch {
    let dir = Scratch::new(name);
    let out = stickslip(&["run", scene, "--quiet", "--out", dir.path()]);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    dir
}

fn stderr(out: &std::process::Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

#[test]
fn a_report_is_one_page_with_the_run_in_it() {
    let dir = run("dominoes", "report");
    let out = stickslip(&["report", dir.path()]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert!(stdout(&out).contains("report.html"));
    let page = fs::read_to_string(dir.file("report.html")).unwrap();
    assert!(page.contains("Row of dominoes") && page.contains("\"drawing\":[{"));
    // A run that is made again does not leave the page of the old one.
    stickslip(&["run", "dominoes", "--quiet", "--out", dir.path()]);
    assert!(!dir.file("report.html").exists());
}

#[test]
fn a_gltf_file_has_times_that_increase_and_numbers_where_it_says() {
    let dir = run("plane_pile", "gltf");
    let file = dir.file("pile.glb");
    let out = stickslip(&["report", dir.path(), "--gltf", file.to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let bytes = fs::read(file).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let length = word(12);
    let document: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let numbers = &bytes[20 + length + 8..];
    assert_eq!(document["animations"][0]["channels"].as_array().unwrap().len(), 6);
    for view in document["bufferViews"].as_array().unwrap() {
        let of = |key: &str| view[key].as_u64().unwrap() as usize;
        assert!(of("byteOffset") + of("byteLength") <= numbers.len());
    }
    let input = document["animations"][0]["samplers"][0]["input"].as_u64().unwrap() as usize;
    let view = document["accessors"][input]["bufferView"].as_u64().unwrap() as usize;
    let count = document["accessors"][input]["count"].as_u64().unwrap() as usize;
    let at = document["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
    let times: Vec<f32> = numbers[at..at + 4 * count]
        .chunks(4)
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
        .collect();
    assert!(times.len() > 100 && times.windows(2).all(|w| w[0] < w[1]));
    assert!((times[count - 1] - 1.0).abs() < 1e-6, "{}", times[count - 1]);
}

#[test]
fn a_strip_has_as_many_frames_as_are_asked_for() {
    let dir = run("woodpecker", "strip");
    let file = dir.file("strip.svg");
    let path = file.to_str().unwrap();
    let out = stickslip(&["report", dir.path(), "--strip", path, "--frames", "5"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let svg = fs::read_to_string(file).unwrap();
    assert_eq!(svg.matches("<svg").count(), 6);
    for t in ["t = 0.0000 s", "t = 0.5000 s", "t = 1.0000 s"] {
        assert!(svg.contains(t), "{t}");
    }
}

#[test]
fn what_cannot_be_written_is_refused_with_a_cure() {
    let dir = run("bouncing_ball", "refused");
    let file = |name: &str| dir.file(name).to_str().unwrap().to_owned();
    let cases = [
        (["--gltf".to_owned(), file("a.glb")], "--strip"),
        (["--mp4".to_owned(), file("a.avi")], ".mp4"),
        (["--speed".to_owned(), "0".to_owned()], "above 0"),
    ];
    for ([option, value], said) in cases {
        let out = stickslip(&["report", dir.path(), &option, &value]);
        assert_eq!(out.status.code(), Some(2), "{option}");
        assert!(stderr(&out).contains(said), "{option}: {}", stderr(&out));
    }
    let out = Command::new(env!("CARGO_BIN_EXE_stickslip"))
        .args(["report", dir.path(), "--mp4", &file("a.mp4")])
        .env("PATH", dir.path())
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("ffmpeg"), "{}", stderr(&out));
    assert!(!dir.file("a.mp4").exists());
}
