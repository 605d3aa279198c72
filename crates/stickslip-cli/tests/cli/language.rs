//! The scene language from the command line: files beside the scene, repetition by `--set`, outputs, conditions that end a run, the schema.

use crate::common::{Scratch, stdout, stickslip};
use serde_json::Value;
use std::fs;

const FALL: &str = r#"
include = ["earth.toml"]
[parameters]
n = 2
m = { value = 2.0, unit = "kg" }
[coordinates]
"y{i}" = { repeat = { i = "1:n" }, velocity = "v{i}", start = "1 + i", unit = "m" }
[energy]
kinetic = "sum(i, 1, n, m/2*v{i}^2)"
potential = "sum(i, 1, n, m*g*y{i})"
[forces]
"y{i}" = { repeat = { i = "1:n" }, value = "push(t)" }
[tables.push]
file = "push.csv"
x = "t"
y = "F"
outside = "hold"
[[contact]]
repeat = { i = "1:n" }
name = "floor{i}"
gap = "y{i}"
[run]
t_end = 3.0
dt = 1e-3
[stop]
when = "y1 < 1"
[[output]]
name = "total"
value = "energy"
unit = "J"
[[plot]]
y = "kinetic"
title = "over time"
"#;

fn files(name: &str) -> (Scratch, String) {
    let dir = Scratch::new(name);
    fs::write(dir.file("fall.toml"), FALL).unwrap();
    fs::write(dir.file("earth.toml"), "[parameters]\ng = { value = 9.81, unit = \"m/s^2\" }\n")
        .unwrap();
    fs::write(dir.file("push.csv"), "t,F\n0,0\n1,0\n").unwrap();
    let path = dir.file("fall.toml").display().to_string();
    (dir, path)
}

fn summary(args: &[&str]) -> Value {
    let out = stickslip(args);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_str(&stdout(&out)).unwrap()
}

/// y1 = 2 − g t²/2 is 1 at t = √(2/g).
#[test]
fn a_run_that_a_condition_ends_says_so_and_how_its_time_was_found() {
    let (dir, scene) = files("stop");
    let out = dir.file("out").display().to_string();
    let exact = (2.0 / 9.81_f64).sqrt();
    let found = summary(&["run", &scene, "--integrator", "event_driven", "--out", &out, "--json"]);
    assert_eq!(found["end"]["status"], "condition");
    assert!((found["end"]["t"].as_f64().unwrap() - exact).abs() < 1e-12, "{}", found["end"]);
    assert_eq!(found["end"]["reason"], "y1 < 1: found as an event");
    let found = summary(&["run", &scene, "--out", &out, "--json"]);
    let t = found["end"]["t"].as_f64().unwrap();
    assert!(t >= exact && t <= exact + 1e-3, "{t} {exact}");
    assert!(found["end"]["reason"].as_str().unwrap().contains("at the end of a step"));
    let table = fs::read_to_string(dir.file("out/trajectory.csv")).unwrap();
    let (header, rows) = table.split_once('\n').unwrap();
    assert!(header.ends_with(",total"), "{header}");
    for row in rows.lines() {
        let total: f64 = row.rsplit(',').next().unwrap().parse().unwrap();
        assert!((total - 2.0 * 9.81 * 5.0).abs() < 1e-9, "{row}");
    }
    for file in ["outputs.svg", "outputs.png", "portrait-1.svg"] {
        assert!(dir.file("out").join(file).is_file(), "{file}");
    }
}

#[test]
fn a_repetition_follows_what_is_set() {
    let (_dir, scene) = files("repeat");
    let out = stickslip(&["check", &scene, "--set", "n=4"]);
    let text = stdout(&out);
    assert!(text.contains("y1, y2, y3, y4") && text.contains("floor4"), "{text}");
    assert!(text.contains("checked, but for terms with n, which have no unit"), "{text}");
    let text = stdout(&stickslip(&["check", "bouncing_ball"]));
    assert!(text.contains("not checked: no parameter has a unit"), "{text}");
    let out = stickslip(&["check", &scene, "--set", "n=-1"]);
    assert_eq!(out.status.code(), Some(2));
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(error.contains("a scene needs at least one coordinate"), "{error}");
}

#[test]
fn a_mistake_in_an_included_file_is_shown_in_that_file() {
    let (dir, scene) = files("include");
    fs::write(dir.file("earth.toml"), "[parameters]\ng = { value = 9.81, unit = \"mm/s^2\" }\n")
        .unwrap();
    let out = stickslip(&["check", &scene]);
    assert_eq!(out.status.code(), Some(2));
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(error.contains("earth.toml:2:28: `mm` has a prefix"), "{error}");
}

/// A table that is left ends the run, and is not continued silently.
#[test]
fn a_table_that_is_left_ends_the_run() {
    let (dir, scene) = files("table");
    fs::write(&scene, FALL.replace("outside = \"hold\"\n", "").replace("y1 < 1", "y1 < -9"))
        .unwrap();
    fs::write(dir.file("push.csv"), "t,F\n0,0\n0.2,0\n").unwrap();
    let out_dir = dir.file("out").display().to_string();
    let out = stickslip(&["run", &scene, "--out", &out_dir, "--json"]);
    assert_eq!(out.status.code(), Some(1));
    let found: Value = serde_json::from_str(&stdout(&out)).unwrap();
    assert_eq!(found["end"]["status"], "failed");
    assert!((found["end"]["t"].as_f64().unwrap() - 0.2).abs() < 2e-3, "{}", found["end"]);
}

#[test]
fn schema_is_printed() {
    let out = stickslip(&["schema"]);
    let schema: Value = serde_json::from_str(&stdout(&out)).unwrap();
    assert_eq!(schema["properties"]["contact"]["items"]["additionalProperties"], false);
}
