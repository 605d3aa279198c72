//! `stickslip sweep`: the grid, its files, threads, resuming.

use crate::common::{Scratch, stdout, stickslip};
use serde_json::Value;
use std::fs;

const SHORT: [&str; 8] =
    ["--returns", "5", "--longest", "0.5", "--dt", "2e-4", "--section", "beak:impact"];

/// A driven oscillator with a stop.
const OSCILLATOR: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenes/impact_oscillator.toml");

/// The lines of sweep.csv, cell by cell.
fn rows(dir: &Scratch) -> Vec<Vec<String>> {
    let text = fs::read_to_string(dir.file("sweep.csv")).unwrap();
    text.lines().skip(1).map(|l| l.split(',').map(str::to_owned).collect()).collect()
}

/// Status, returns and period of every line.
fn motions(dir: &Scratch) -> Vec<(String, Option<usize>, f64)> {
    let motion = |row: Vec<String>| {
        (row[1].clone(), row[3].parse().ok(), row[4].parse().unwrap_or(f64::NAN))
    };
    rows(dir).into_iter().map(motion).collect()
}

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
    // Every run is left after five returns: it has not settled, and all its crossings are kept.
    assert_eq!(summary["counts"]["not_settled"], 9);
    assert_eq!(crossings.lines().count() - 1, 9 * 6);
    assert_eq!(summary["counts"]["crossings"], 9 * 6);
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
fn the_woodpecker_has_period_one_before_its_flip_and_two_after_it_as_cycle_says() {
    let dir = Scratch::new("flip");
    let args = ["--integrator", "event_driven", "--json", "-q", "--out", dir.path()];
    let vary = ["sweep", "woodpecker", "--vary", "mu=0.30:0.40:6"];
    let out = stickslip(&[&vary[..], &args].concat());
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let found = motions(&dir);
    assert_eq!(found.iter().map(|m| m.1).collect::<Vec<_>>(), [1, 2, 2, 2, 2, 2].map(Some));
    for (row, (status, returns, period)) in rows(&dir).iter().zip(found) {
        let set = format!("mu={}", row[0]);
        let out = stickslip(&["cycle", "woodpecker", "--set", &set, "--json"]);
        let cycle: Value = serde_json::from_str(&stdout(&out)).unwrap();
        assert_eq!((status.as_str(), cycle["stable"].as_bool()), ("settled", Some(true)));
        assert_eq!(cycle["returns"].as_u64().map(|n| n as usize), returns, "{set}");
        assert!((cycle["period"].as_f64().unwrap() / period - 1.0).abs() < 1e-4, "{set} {period}");
        // The mean velocity is the fall of a cycle over its period.
        let rate: f64 = row[7].parse().unwrap();
        let expected = cycle["drop"]["y"].as_f64().unwrap() / period;
        assert!((rate / expected - 1.0).abs() < 1e-3, "{set} {rate} {expected}");
    }
}

#[test]
fn the_section_of_a_run_has_the_parameters_of_the_run() {
    for section in [["--section", "sin(w*t)"], ["--period", "2*pi/w"]] {
        for integrator in ["event_driven", "moreau_midpoint"] {
            let dir = Scratch::new("own-section");
            let args = ["sweep", OSCILLATOR, "--vary", "w=2.2:2.4:3", "--returns", "3", "-q"];
            let more = ["--integrator", integrator, "--out", dir.path()];
            assert_eq!(stickslip(&[&args[..], &section, &more].concat()).status.code(), Some(0));
            let text = fs::read_to_string(dir.file("crossings.csv")).unwrap();
            let mut seen = 0;
            for line in text.lines().skip(1) {
                let cells: Vec<&str> = line.split(',').collect();
                let w: f64 = cells[0].parse().unwrap();
                let Ok(since) = cells[2].parse::<f64>() else { continue };
                let period = std::f64::consts::TAU / w;
                assert!((since - period).abs() < 1e-5, "{section:?} {w} {since} {period}");
                seen += 1;
            }
            assert_eq!(seen, 9, "{section:?} {integrator}");
        }
    }
}

#[test]
fn every_integrator_sees_the_same_motion_at_every_kind_of_section() {
    let period = std::f64::consts::TAU / 2.2;
    for integrator in ["event_driven", "moreau_midpoint", "moreau_jean", "gap_level"] {
        for section in [&[][..], &["--section", "stop:impact"], &["--section", "-v"]] {
            let dir = Scratch::new("sections");
            // gap_level has no restitution, and its velocity at the end of the step of an impact is what closed the gap: any part of the
            // approach, which beats with the drive.
            let by_gap = integrator == "gap_level";
            if by_gap && section.contains(&"stop:impact") {
                continue;
            }
            let eps = if by_gap { "eps=0" } else { "eps=0.6" };
            let args = ["sweep", OSCILLATOR, "--vary", "w=2.2:2.2:1", "--integrator", integrator];
            let more = ["--set", eps, "-q", "--out", dir.path()];
            let out = stickslip(&[&args[..], section, &more].concat());
            assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
            let found = &motions(&dir)[0];
            assert_eq!(
                (found.0.as_str(), found.1),
                ("settled", Some(1)),
                "{integrator} {section:?}"
            );
            assert!((found.2 - period).abs() < 5e-3, "{integrator} {section:?} {}", found.2);
        }
    }
}

#[test]
fn a_motion_without_a_period_is_not_settled_and_a_fall_does_not_return() {
    let dir = Scratch::new("not-settled");
    let args = ["sweep", OSCILLATOR, "--vary", "w=3.1:3.1:1", "--returns", "200"];
    assert_eq!(
        stickslip(&[&args[..], &["-q", "--out", dir.path()]].concat()).status.code(),
        Some(0)
    );
    assert_eq!(motions(&dir)[0].0, "not settled");
    // Without friction the sleeve never jams.
    let args = ["sweep", "woodpecker", "--vary", "mu=0.25:0.26:2", "--integrator", "event_driven"];
    assert_eq!(
        stickslip(&[&args[..], &["-q", "--out", dir.path()]].concat()).status.code(),
        Some(0)
    );
    assert!(motions(&dir).iter().all(|m| m.0 == "no return"));
}

#[test]
fn misuse_of_a_sweep_is_named() {
    let dir = Scratch::new("sweep-misuse");
    let cases: [(&[&str], &str); 12] = [
        (&["--vary", "mu=0.1:0.2:3", "--dt", "1e-4", "--integrator", "event_driven"], "--dt"),
        (&["--vary", "mu=0.1:0.2:3", "--period", "2*pi/w"], "unknown name `w`"),
        (&["--vary", "mu=0.1:0.2:3", "--period", "-1"], "above 0"),
        (&["--vary", "mu=0.1:0.2:3", "--period", "0.1", "--longest", "1"], "--longest"),
        (&["--vary", "-1:1:5"], "NAME=FROM:TO:COUNT"),
        (&["--vary", "nu=0:1:3"], "nu"),
        (&["--vary", "mu=0:1"], "NAME=FROM:TO:COUNT"),
        (&["--vary", "mu=0:1:3", "--vary", "mu=0:1:3"], "twice"),
        (&["--vary", "mu=0.1:0.2:3", "--section", "tail"], "beak, lower, upper"),
        (&["--vary", "mu=0.1:0.2:3", "--section", "beak:flies"], "sticks"),
        (&["--vary", "mu=0.1:0.2:3", "--longest", "0"], "above 0"),
        (&["--vary", "mu=-1:0.2:3"], "mu"),
    ];
    for (args, word) in cases {
        let all = [&["sweep", "woodpecker", "--out", dir.path()], args].concat();
        let out = stickslip(&all);
        let text = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(word), "{args:?}: {text}");
        assert!(dir.names().is_empty(), "{args:?}");
    }
}

/// Bounces on a table that shakes become so low that the gap is known no better than the time: they end there, and the ball rests until
/// the table throws it again.
#[test]
fn bounces_that_pile_up_on_a_moving_table_end() {
    let dir = Scratch::new("sweep-table");
    let scene = dir.file("ball.toml");
    let scene = scene.to_str().unwrap();
    assert_eq!(stickslip(&["new", scene.trim_end_matches(".toml")]).status.code(), Some(0));
    let values = ["--vary", "a=0.001:0.006:51", "--integrator", "event_driven"];
    let out = stickslip(&[&["sweep", scene, "--out", dir.path(), "--json"], &values[..]].concat());
    let summary: Value = serde_json::from_str(&stdout(&out)).unwrap();
    assert_eq!(
        (out.status.code(), &summary["counts"]["failed"]),
        (Some(0), &0.into()),
        "{summary}"
    );
}
