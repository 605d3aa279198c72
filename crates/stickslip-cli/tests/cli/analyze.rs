//! `stickslip analyze`: text, JSON, maps, misuse; and the pages of the book that show what it prints.

use crate::common::{Scratch, stdout, stickslip, stickslip_on};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn json(args: &[&str]) -> (Option<i32>, Value) {
    let out = stickslip(&[&["analyze", "--json"], args].concat());
    (out.status.code(), serde_json::from_str(&stdout(&out)).unwrap())
}

#[test]
fn a_state_without_accelerations_is_told_with_its_proof() {
    let out = stickslip(&["analyze", "painleve_rod"]);
    let text = stdout(&out);
    assert_eq!(out.status.code(), Some(0));
    assert!(text.contains("no solution, which is proved"), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("impact without a collision"), "{text}");
    assert!(words.contains("because ξ_N of tip is negative"), "{text}");
    let (_, facts) = json(&["painleve_rod"]);
    let level = &facts["levels"][0];
    assert_eq!((&level["level"], &level["count"]), (&"acceleration".into(), &"0".into()));
    let theorem = &level["theorem"];
    for key in ["unique_at_any_velocity", "exists_at_any_velocity", "exists", "unique"] {
        assert!(theorem[key]["holds"].is_boolean(), "{key}: {theorem}");
    }
    assert!(theorem["exists"]["factor"].as_f64().unwrap() < 1.0, "{theorem}");
    assert!(theorem["definiteness"]["definite"].is_boolean() && theorem["text"].is_array());
    assert!(level["proof"]["cases"]["contradiction"][0]["row"]["kind"].is_string(), "{level}");
    assert_eq!(level["proof"]["contradictions"], 1);
}

/// The end slides at 1 m/s along the floor while the rod turns: its own motion lifts the end faster than gravity lowers it.
#[test]
fn a_step_of_a_turning_rod_opens_slides_or_sticks() {
    let (sin, cos) = (2.0 / 5.0_f64.sqrt(), 1.0 / 5.0_f64.sqrt());
    let v = format!("v={}", -1.0 - 5.0 * sin);
    let w = format!("w={}", 5.0 * cos);
    let set = ["--set", "l=1", "--set", "mu=2", "--state", "omega=5", "--state", &v, "--state", &w];
    let (_, facts) = json(&[&["painleve_rod"], &set[..]].concat());
    let counts: Vec<_> = facts["levels"].as_array().unwrap().iter().map(|l| &l["count"]).collect();
    assert_eq!(counts, ["2", "3"], "{facts}");
}

#[test]
fn what_cannot_go_on_is_not_called_an_impact() {
    let text = stdout(&stickslip(&["analyze", "pressed_box", "--set", "c=1"]));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("cannot go on") && !words.contains("without a collision"), "{text}");
}

#[test]
fn json_has_the_keys_of_the_book() {
    let (code, facts) = json(&["two_footed_bar", "--sensitivity", "mu_2"]);
    assert_eq!(code, Some(0));
    for key in ["kind", "scene", "t", "state", "touching", "verdict", "levels"] {
        assert!(facts.get(key).is_some(), "{key}");
    }
    let page = fs::read_to_string(root().join("book/src/analysis/index.md")).unwrap();
    for level in facts["levels"].as_array().unwrap() {
        for key in level.as_object().unwrap().keys() {
            assert!(page.contains(&format!("`{key}`")), "{key} is not in the book");
        }
        let solutions = level["solutions"].as_array().unwrap();
        assert_eq!((level["count"].as_str(), solutions.len()), (Some("3"), 3));
        for key in solutions[0].as_object().unwrap().keys() {
            assert!(page.contains(&format!("`{key}`")), "{key} is not in the book");
        }
        assert_eq!(level["sensitivity"].as_array().unwrap().len(), 3);
    }
}

/// All numbers of one key of solution 0 on a level.
fn numbers(level: &Value, key: &str) -> Vec<f64> {
    match &level["solutions"][0][key] {
        Value::Array(list) => list.iter().map(|v| v.as_f64().unwrap()).collect(),
        Value::Object(map) => map.values().map(|v| v.as_f64().unwrap()).collect(),
        other => panic!("{other}"),
    }
}

#[test]
fn derivatives_are_what_another_analysis_nearby_gives() {
    let (scene, h) = ("two_footed_bar", 1e-5);
    let parameters = json(&[scene, "--gap", "1e-3", "--sensitivity", "mu_2,m,g,theta"]).1;
    let mut compared = 0;
    for (l, level) in parameters["levels"].as_array().unwrap().iter().enumerate() {
        for slope in level["sensitivity"].as_array().unwrap() {
            if slope["solution"] != 1 || !slope["none"].is_null() {
                continue;
            }
            let name = slope["of"].as_str().unwrap();
            let base = match name {
                "theta" => 0.0,
                _ => {
                    let text = stickslip_scene::gallery_entry(scene).unwrap().text;
                    let scene = stickslip_scene::Scene::from_str(text, scene).unwrap();
                    scene.parameters.iter().find(|p| p.0 == name).unwrap().1
                }
            };
            let flag = if name == "theta" { "--state" } else { "--set" };
            let at = |v: f64| {
                // Feet that the turn lifts by 1e-5 still touch.
                let value = format!("{name}={v}");
                json(&[scene, "--gap", "1e-3", flag, &value]).1["levels"][l].clone()
            };
            let (high, low) = (at(base + h), at(base - h));
            for key in ["impulse", "velocity", "motion"] {
                let (high, low) = (numbers(&high, key), numbers(&low, key));
                let slopes: Vec<f64> = match &slope[key] {
                    Value::Array(list) => list.iter().map(|v| v.as_f64().unwrap()).collect(),
                    Value::Object(map) => map.values().map(|v| v.as_f64().unwrap()).collect(),
                    other => panic!("{name} {key}: {other}"),
                };
                for ((high, low), slope) in high.iter().zip(&low).zip(&slopes) {
                    let quotient = (high - low) / (2.0 * h);
                    let off = (quotient - slope).abs();
                    assert!(
                        off <= 1e-5 * (1.0 + slope.abs()),
                        "{l} {name} {key}: {quotient} {slope}"
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared >= 50, "{compared}");
}

#[test]
fn the_state_at_a_time_is_that_of_a_run() {
    let (_, facts) = json(&["sliding_block", "--at", "0.05"]);
    assert!((facts["t"].as_f64().unwrap() - 0.05).abs() < 1e-12);
    let (_, start) = json(&["sliding_block"]);
    assert_ne!(facts["state"], start["state"]);
    let (_, moved) = json(&["painleve_rod", "--state", "omega=8"]);
    assert_eq!(moved["state"]["omega"], 8.0);
}

#[test]
fn a_problem_beyond_the_limits_gets_a_part_of_an_answer() {
    let file = root().join("problems/grasp.json");
    let (code, facts) = json(&[file.to_str().unwrap(), "--max-contacts", "2"]);
    assert_eq!(code, Some(1));
    let level = &facts["levels"][0];
    assert_eq!((&level["complete"], &level["count"]), (&false.into(), &"at least 1".into()));
    assert!(level["incomplete"].as_str().unwrap().contains("limit of 2"));
}

#[test]
fn a_map_has_its_files_and_the_boundary_of_the_closed_form() {
    let dir = Scratch::new("analyze-map");
    let args = [
        "analyze",
        "painleve_rod",
        "--map",
        "theta_0=0.1:1.5:15",
        "--map",
        "mu=0.1:3:12",
        "--boundary",
        "mu - (4 + tan(theta_0)^2)/(3*tan(theta_0))",
        "--json",
        "--out",
        dir.path(),
    ];
    let out = stickslip(&args);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(dir.names(), ["map.csv", "map.json", "map.png", "map.svg"]);
    let summary: Value = serde_json::from_str(&stdout(&out)).unwrap();
    assert_eq!(summary["status"], "finished");
    let table = fs::read_to_string(dir.file("map.csv")).unwrap();
    let mut none = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let (theta, mu): (f64, f64) = (cells[0].parse().unwrap(), cells[1].parse().unwrap());
        let jams = mu > (4.0 + theta.tan().powi(2)) / (3.0 * theta.tan());
        assert_eq!(cells[2], if jams { "none" } else { "1" }, "{line}");
        none += usize::from(jams);
    }
    assert_eq!(table.lines().count(), 1 + 15 * 12);
    assert_eq!(summary["counts"]["none"].as_u64().unwrap() as usize, none);
    assert!(none > 10);
}

#[test]
fn misuse_of_analyze_is_named() {
    let dir = Scratch::new("analyze-misuse");
    let lcp = dir.file("lcp.json");
    fs::write(&lcp, r#"{"kind":"lcp","m":[[1]],"q":[-1]}"#).unwrap();
    let failing = dir.file("closing.toml");
    let text =
        fs::read_to_string(root().join("crates/stickslip-scene/scenes/pressed_box.toml")).unwrap();
    fs::write(&failing, text.replace("c = -1.0", "c = 1.0")).unwrap();
    let (lcp, failing) = (lcp.to_str().unwrap(), failing.to_str().unwrap());
    let grasp = root().join("problems/grasp.json");
    let cases: [(&[&str], &str); 10] = [
        (&["no_such_scene"], "no_such_scene"),
        (&["no_such_file.json"], "no_such_file.json"),
        (&["painleve_rod", "--set", "nu=1"], "nu"),
        (&["painleve_rod", "--state", "phi=1"], "theta"),
        (&["painleve_rod", "--sensitivity", "nu"], "nu"),
        (&["painleve_rod", "--map", "mu=0:1:3"], "twice"),
        (&["painleve_rod", "--map", "mu=0:1:3", "--map", "nu=0:1:3"], "nu"),
        (&[lcp], "contact problems"),
        (&[grasp.to_str().unwrap(), "--at", "1"], "--at"),
        (&[failing, "--at", "0.3"], "choose a time before"),
    ];
    for (args, wanted) in cases {
        let place = ["--out", dir.path()];
        let place = if args.contains(&"--map") { &place[..] } else { &[] };
        let out = stickslip(&[&["analyze"], args, place].concat());
        let error = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(wanted), "{args:?}: {error}");
    }
    let out = stickslip_on("{", &["analyze", "-"]);
    assert_eq!(out.status.code(), Some(2));
}

/// The commands of a page with the lines it shows of their output.
fn shown(page: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let mut all = Vec::new();
    for block in page.split("```text\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let mut lines = block.lines();
        let Some(command) = lines.next().and_then(|l| l.strip_prefix("$ stickslip ")) else {
            continue;
        };
        let args = command.split_whitespace().map(str::to_owned).collect();
        all.push((args, lines.map(str::to_owned).collect()));
    }
    all
}

/// −0 is 0.
fn unsigned(line: &str) -> String {
    line.replace("-0.000000", "0.000000")
}

#[test]
fn what_the_pages_show_is_what_the_command_prints() {
    let mut blocks = 0;
    for page in ["rod", "walls", "peg", "bar", "disc", "grasp"] {
        let text = fs::read_to_string(root().join(format!("book/src/analysis/{page}.md"))).unwrap();
        for (args, lines) in shown(&text) {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let out = std::process::Command::new(env!("CARGO_BIN_EXE_stickslip"))
                .args(&args)
                .current_dir(root())
                .output()
                .unwrap();
            let printed = stdout(&out);
            let mut rest = printed.lines().map(unsigned);
            for line in lines.iter().filter(|l| *l != "…").map(|l| unsigned(l)) {
                assert!(
                    rest.any(|l| l.starts_with(&line)),
                    "{page}: {args:?} does not print, in its place:\n{line}\n\n{printed}"
                );
            }
            blocks += 1;
        }
    }
    assert!(blocks >= 12, "{blocks}");
}
