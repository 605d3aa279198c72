//! Robots by the command: run like scenes, with what is left out said, and mistakes shown with their lines.

use crate::common::{Scratch, stdout, stickslip};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A model of the crate of robots.
fn model(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../stickslip-robots/models");
    folder.join(name).display().to_string()
}

#[test]
fn a_robot_runs_like_a_scene_and_the_summary_says_what_is_left_out() {
    let dir = Scratch::new("robot");
    let furuta = model("furuta.xml");
    let out = stickslip(&["run", &furuta, "--t-end", "0.05", "--out", dir.path(), "--json"]);
    let errors = String::from_utf8(out.stderr.clone()).unwrap();
    assert_eq!(out.status.code(), Some(0), "{errors}");
    let summary: Value = serde_json::from_str(&stdout(&out)).unwrap();
    let warnings = summary["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].as_str().unwrap().ends_with(
        "furuta.xml:22:5: the sensor `pendulum_rate` (jointvel) is recorded without the noise that it is given"
    ), "{warnings:?}");
    for warning in warnings {
        assert!(errors.contains(&format!("stickslip: warning: {}", warning.as_str().unwrap())));
    }
    let file: Value =
        serde_json::from_str(&fs::read_to_string(dir.file("summary.json")).unwrap()).unwrap();
    assert_eq!(file["warnings"], summary["warnings"]);
    assert!(stdout(&stickslip(&["check", &furuta])).contains("pendulum.x"));
}

#[test]
fn mistakes_in_robots_are_shown_with_file_line_and_column() {
    let dir = Scratch::new("bad-robot");
    let link = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>";
    let robot = |inside: &str| {
        format!("<robot name=\"r\">\n  <link name=\"a\">{inside}</link>\n</robot>\n")
    };
    let cases = [
        ("misspelt.urdf", robot(&link.replace("<mass", "<mas")), "misspelt.urdf:2:28: "),
        ("negative.urdf", robot(&link.replace("value=\"1\"", "value=\"-1\"")), "negative.urdf:2:"),
        ("open.xml", "<mujoco>\n  <worldbody>\n</mujoco>\n".to_owned(), "open.xml:3:"),
    ];
    for (name, text, place) in cases {
        fs::write(dir.file(name), text).unwrap();
        let path = dir.file(name).display().to_string();
        let out = stickslip(&["run", &path, "--out", dir.path()]);
        let errors = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{errors}");
        assert!(errors.contains(place) && errors.contains(" | "), "{errors}");
        let scene = format!("[[robot]]\nfile = \"{name}\"\n");
        fs::write(dir.file("scene.toml"), scene).unwrap();
        let out = stickslip(&["check", &dir.file("scene.toml").display().to_string()]);
        assert_eq!(out.status.code(), Some(2));
        assert_eq!(String::from_utf8(out.stderr).unwrap(), errors, "the same through a scene");
    }
}
