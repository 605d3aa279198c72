//! `stickslip sweep`: the grid, its files, threads, resuming.

use crate::common::{Scratch, stdout, stickslip};
use serde_json::Value;
use std::fs;

const SHORT: [&str; 8] =
    ["--t-end", "0.5", "--transient", "0.1", "--dt", "2e-4", "--section", "beak:impact"];

fn sweep(dir: &Scratch, args: &[&str]) -> (Option<i32>, Value) {
    let all = [&["sweep", "woodpecker", "--out", dir.path(), "--json"], &SHORT[..], args].concat();
    let out = stickslip(&all);
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    (out.status.code(), serde_json::from_str(&stdout(&out)).unwrap_or(Value::String(error)))
}

#[test]
fn a_sweep_has_a_line_per_value_and_the_same_bytes_on_any_number_of_threads() {
    let (one, many) = (Scratch::new("one-thread"), Scratch::new("many-threads"));
    let (code, summary) = sweep(&one, &["--vary", "mu=0.28:0.36:9", "--threads", "1"]);
    assert_eq!(code, Some(0), "{summary}");
    assert_eq!(summary["counts"]["runs"], 9);
    assert_eq!(summary["status"], "finished");
    let (code, _) = sweep(&many, &["--vary", "mu=0.28:0.36:9", "--threads", "5"]);
    assert_eq!(code, Some(0));
    assert_eq!(
        one.names(),
        ["bifurcation.png", "bifurcation.svg", "crossings.csv", "summary.json", "sweep.csv"]
    );
    for name in ["sweep.csv", "crossings.csv", "bifurcation.svg"] {
        assert_eq!(fs::read(one.file(name)).unwrap(), fs::read(many.file(name)).unwrap(), "{name}");
    }
    let table = fs::read_to_string(one.file("sweep.csv")).unwrap();
    let values: Vec<f64> =
        table.lines().skip(1).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!((values.len(), values[0], values[8]), (9, 0.28, 0.36));
    let crossings = fs::read_to_string(one.file("crossings.csv")).unwrap();
    assert_eq!(
        crossings.lines().count() - 1,
        summary["counts"]["crossings"].as_u64().unwrap() as usize
    );
}

#[test]
fn a_grid_of_two_parameters_is_complete_also_when_continued() {
    for extra in [&[][..], &["--continue"]] {
        let dir = Scratch::new("grid");
        let args = [&["--vary", "mu=0.3:0.34:3", "--vary", "eps_N1=0.4:0.5:2"], extra].concat();
        let (code, summary) = sweep(&dir, &args);
        assert_eq!(code, Some(0), "{summary}");
        assert_eq!(summary["counts"]["runs"], 6);
        assert_eq!(fs::read_to_string(dir.file("sweep.csv")).unwrap().lines().count(), 7);
    }
}

#[test]
fn a_continued_run_starts_where_the_one_before_it_ended() {
    let (alone, chained) = (Scratch::new("alone"), Scratch::new("chained"));
    sweep(&alone, &["--vary", "mu=0.3:0.31:2"]);
    sweep(&chained, &["--vary", "mu=0.3:0.31:2", "--continue"]);
    let lines = |dir: &Scratch| -> Vec<String> {
        let text = fs::read_to_string(dir.file("sweep.csv")).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    let (alone, chained) = (lines(&alone), lines(&chained));
    assert_eq!(alone[1], chained[1]);
    assert_ne!(alone[2], chained[2]);
}

#[test]
fn a_sweep_that_is_resumed_is_as_if_it_had_never_stopped() {
    let (whole, parts) = (Scratch::new("whole"), Scratch::new("parts"));
    sweep(&whole, &["--vary", "mu=0.28:0.36:5"]);
    sweep(&parts, &["--vary", "mu=0.28:0.36:3"]);
    let (code, summary) = sweep(&parts, &["--vary", "mu=0.28:0.36:5", "--resume"]);
    assert_eq!(code, Some(0), "{summary}");
    assert_eq!(summary["counts"]["resumed"], 3);
    for name in ["sweep.csv", "crossings.csv", "bifurcation.svg"] {
        assert_eq!(
            fs::read(whole.file(name)).unwrap(),
            fs::read(parts.file(name)).unwrap(),
            "{name}"
        );
    }
    let (code, error) =
        sweep(&parts, &["--vary", "mu=0.28:0.36:5", "--resume", "--set", "eps_N1=0.1"]);
    assert_eq!(code, Some(2));
    assert!(error.as_str().unwrap().contains("other settings"), "{error}");
}

#[test]
fn an_event_driven_sweep_meets_the_section_once_per_cycle() {
    let dir = Scratch::new("event-driven-sweep");
    let args = [
        "sweep",
        "woodpecker",
        "--vary",
        "mu=0.3:0.3:1",
        "--integrator",
        "event_driven",
        "--t-end",
        "8",
        "--transient",
        "6",
        "--json",
        "--out",
        dir.path(),
    ];
    let out = stickslip(&args);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let table = fs::read_to_string(dir.file("sweep.csv")).unwrap();
    let row: Vec<&str> = table.lines().nth(1).unwrap().split(',').collect();
    let (crossings, returns, period): (f64, usize, f64) =
        (row[2].parse().unwrap(), row[3].parse().unwrap(), row[4].parse().unwrap());
    assert_eq!(returns, 1);
    assert!((period - 0.145976).abs() < 1e-5, "{period}");
    assert!((crossings - 2.0 / 0.145976).abs() <= 1.0, "{crossings}");
}

#[test]
fn a_fall_without_end_does_not_stop_a_sweep() {
    // Without friction the sleeve never jams, and the surface is met in free fall.
    let dir = Scratch::new("free-fall");
    let args = [
        "sweep",
        "woodpecker",
        "--vary",
        "mu=0.25:0.26:2",
        "--integrator",
        "event_driven",
        "--t-end",
        "10",
        "-q",
        "--out",
        dir.path(),
    ];
    assert_eq!(stickslip(&args).status.code(), Some(0));
}

#[test]
fn misuse_of_a_sweep_is_named() {
    let dir = Scratch::new("sweep-misuse");
    let cases: [(&[&str], &str); 8] = [
        (
            &["--vary", "mu=0.1:0.2:3", "--section", "beak", "--integrator", "event_driven"],
            "expression",
        ),
        (&["--vary", "nu=0:1:3"], "nu"),
        (&["--vary", "mu=0:1"], "NAME=FROM:TO:COUNT"),
        (&["--vary", "mu=0:1:3", "--vary", "mu=0:1:3"], "twice"),
        (&["--vary", "mu=0.1:0.2:3", "--section", "tail"], "beak, lower, upper"),
        (&["--vary", "mu=0.1:0.2:3", "--section", "beak:flies"], "sticks"),
        (&["--vary", "mu=0.1:0.2:3", "--transient", "9"], "transient"),
        (&["--vary", "mu=-1:0.2:3"], "mu"),
    ];
    for (args, word) in cases {
        let all = [&["sweep", "woodpecker", "--t-end", "0.5", "--out", dir.path()], args].concat();
        let out = stickslip(&all);
        let text = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(word), "{args:?}: {text}");
        assert!(dir.names().is_empty(), "{args:?}");
    }
}
