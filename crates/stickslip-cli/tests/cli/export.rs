//! `stickslip export`: what is written is read back and solved, and gives the impulses of the step.

use crate::common::{Scratch, stdout, stickslip, stickslip_on};
use serde_json::Value;

fn export(args: &[&str]) -> String {
    let out = stickslip(&[&["export"], args].concat());
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    stdout(&out)
}

fn solve(problem: &str) -> Value {
    let out = stickslip_on(problem, &["solve", "-", "--json"]);
    assert_eq!(out.status.code(), Some(0), "{problem}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_str(&stdout(&out)).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// The unknown of a name.
fn unknown(problem: &str, answer: &Value, name: &str) -> f64 {
    let problem: Value = serde_json::from_str(problem).unwrap();
    let names = problem["names"].as_array().unwrap();
    let at = names.iter().position(|n| n == name).unwrap_or_else(|| panic!("{name} of {names:?}"));
    numbers(&answer["z"])[at]
}

#[test]
fn every_form_of_the_problem_of_a_step_has_its_impulses() {
    for scene in [
        &["sliding_block", "--at", "0.1"][..],
        &["woodpecker", "--at", "0.13"],
        &["stick_slip_belt", "--at", "0.6"],
        &["stick_slip_belt", "--at", "1"],
    ] {
        let form = |args: &[&str]| export(&[scene, args].concat());
        let contact = form(&["--as", "contact"]);
        let direct = solve(&contact);
        let problem: Value = serde_json::from_str(&contact).unwrap();
        let impulse = numbers(&direct["impulse"]);
        let scale = impulse.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(scale > 0.0);
        let near = |found: f64, wanted: f64, what: &str| {
            assert!((found - wanted).abs() <= 1e-9 * scale, "{scene:?} {what}: {found} {wanted}");
        };
        for (i, law) in problem["contacts"].as_array().unwrap().iter().enumerate() {
            let (name, mu) = (law["name"].as_str().unwrap(), law["mu"].as_f64().unwrap());
            let of = |unknown: &str| format!("{name}.{unknown}");
            let (normal, friction) = (impulse[2 * i], impulse[2 * i + 1]);
            // [3] eq. (33): Λ_T = Λ_R − μ Λ_N.
            let text = form(&["--as", "lcp"]);
            let z = solve(&text);
            let found = unknown(&text, &z, &of("impulse_n"));
            near(found, normal, "(33)");
            near(unknown(&text, &z, &of("impulse_r")) - mu * found, friction, "(33)");
            let text = form(&["--as", "lcp", "--formulation", "stewart_trinkle"]);
            let z = solve(&text);
            near(unknown(&text, &z, &of("impulse_n")), normal, "slip slack");
            let along = unknown(&text, &z, &of("beta_1")) - unknown(&text, &z, &of("beta_2"));
            near(along, friction, "slip slack");
            // [1] eq. (8), friction free and eliminated.
            let text = form(&["--as", "mlcp", "--formulation", "phantom_inertia"]);
            let z = solve(&text);
            near(unknown(&text, &z, &of("impulse_n")), normal, "(8)");
            near(unknown(&text, &z, &of("impulse_1")), friction, "(8)");
            let text = form(&["--as", "lcp", "--formulation", "phantom_inertia"]);
            let z = solve(&text);
            near(unknown(&text, &z, &of("impulse_n")), normal, "(8), eliminated");
            let text = form(&["--as", "mlcp", "--formulation", "stewart_trinkle"]);
            let z = solve(&text);
            near(unknown(&text, &z, &of("impulse_n")), normal, "slip slack, mixed");
        }
    }
}

#[test]
fn the_problem_is_that_of_the_step() {
    // A block of 1 kg that slides: Λ_N = m g Δt, Λ_T = −μ m g Δt.
    let text = export(&[
        "sliding_block",
        "--at",
        "0.1",
        "--as",
        "contact",
        "--integrator",
        "moreau_midpoint",
        "--dt",
        "1e-3",
    ]);
    let answer = solve(&text);
    let impulse = numbers(&answer["impulse"]);
    let problem: Value = serde_json::from_str(&text).unwrap();
    let (mu, w) = (
        problem["contacts"][0]["mu"].as_f64().unwrap(),
        problem["delassus"][0][0].as_f64().unwrap(),
    );
    assert!((impulse[0] * w - 9.81e-3).abs() < 1e-15, "{impulse:?}");
    assert!((impulse[1] + mu * impulse[0]).abs() < 1e-15, "{impulse:?}");
}

#[test]
fn the_unknowns_of_all_steps_are_a_table_and_a_plot() {
    let scratch = Scratch::new("over-time");
    let dir = scratch.file("slack");
    let path = dir.to_str().unwrap();
    let args = ["--as", "lcp", "--formulation", "stewart_trinkle", "--over-time", path];
    export(&[&["sliding_block", "--set", "v_0=1"], &args[..]].concat());
    let table = std::fs::read_to_string(dir.join("unknowns.csv")).unwrap();
    let mut lines = table.lines();
    let header: Vec<_> = lines.next().unwrap().split(',').collect();
    assert_eq!(header[..3], ["t", "floor.impulse_n", "floor.impulse_n.complement"]);
    let of = |name: &str| header.iter().position(|n| *n == name).unwrap();
    let (beta, slip) = (of("floor.beta_2"), of("floor.slip"));
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 1000);
    for row in rows {
        // Friction falls to zero where the block stops.
        let (t, speed) = (row[0], 1.0 - 0.3 * 9.81 * row[0]);
        if speed.abs() > 0.01 {
            assert!((row[slip] - speed.max(0.0)).abs() < 1e-9, "{t}: {}", row[slip]);
            let friction = if speed > 0.0 { 0.3 * 9.81e-3 } else { 0.0 };
            assert!((row[beta] - friction).abs() < 1e-12, "{t}: {}", row[beta]);
        }
        for pair in row[1..].chunks(2) {
            assert!(pair[0] >= -1e-12 && pair[1] >= -1e-12 && pair[0] * pair[1] < 1e-12);
        }
    }
    assert!(dir.join("unknowns.svg").exists() && dir.join("unknowns.png").exists());
}

#[test]
fn a_file_is_written_where_it_is_asked_for() {
    let scratch = Scratch::new("export");
    let file = scratch.file("problem.json");
    let out =
        stickslip(&["export", "sliding_block", "--as", "lcp", "--out", file.to_str().unwrap()]);
    assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(0), ""));
    let out = stickslip(&["solve", file.to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(0));
}

#[test]
fn misuse_of_export_is_named() {
    for (args, message) in [
        (&["bouncing_ball", "--as", "lcp"][..], "no contact takes part"),
        (&["sliding_block", "--as", "qp"], "lcp"),
        (&["sliding_block", "--as", "contact", "--formulation", "cone"], "does nothing"),
        (&["sliding_block", "--as", "lcp", "--formulation", "cone"], "cone"),
        (&["sliding_block", "--as", "contact", "--over-time", "never"], "--as lcp or mlcp"),
        (&["sliding_block", "--as", "lcp", "--at", "0.1", "--over-time", "never"], "without --at"),
        (&["sliding_block", "--as", "mlcp", "--formulation", "glocker_studer"], "glocker_studer"),
        (&["sliding_block", "--as", "lcp", "--at", "-1"], "before the start"),
    ] {
        let out = stickslip(&[&["export"], args].concat());
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && text.contains(message), "{args:?}: {text}");
    }
}

#[test]
fn contacts_that_rest_take_part_as_they_do_in_the_run() {
    let scratch = Scratch::new("export-rest");
    let file = format!("{}/box.toml", scratch.path());
    let scene = "title = \"box\"\ngravity = [0, 0, -9.81]\n[collision]\nmu = 0.3\n[[body]]\nname = \"box\"\n\
                 shape = { box = [0.4, 0.3, 0.2] }\nmass = 2\nposition = [0, 0, 0.1]\nvelocity = [2, 0, 0]\n\
                 [run]\nt_end = 1.0\ndt = 1e-3\n";
    std::fs::write(&file, scene).unwrap();
    for at in ["0", "0.2", "0.2005", "0.9"] {
        let text = export(&[&file, "--as", "contact", "--at", at]);
        let problem: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(problem["contacts"].as_array().unwrap().len(), 4, "at {at}");
    }
}
