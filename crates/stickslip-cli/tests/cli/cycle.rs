//! `stickslip cycle`: the woodpecker's limit cycle, and searches that end without one.

use crate::common::{stdout, stickslip};
use serde_json::Value;

fn cycle(args: &[&str]) -> (Option<i32>, Value) {
    let out = stickslip(&[&["cycle"], args, &["--json"]].concat());
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    (out.status.code(), serde_json::from_str(&stdout(&out)).unwrap_or(Value::String(error)))
}

#[test]
fn the_woodpecker_has_a_stable_cycle_whose_energy_balances() {
    let (code, answer) = cycle(&["woodpecker"]);
    assert_eq!(code, Some(0), "{answer}");
    assert_eq!(answer["status"], "found");
    let period = answer["period"].as_f64().unwrap();
    assert!((period - 0.145_976_065_144).abs() < 1e-11, "{period}");
    assert!((answer["drop"]["y"].as_f64().unwrap() + 0.019_445_379).abs() < 1e-8);
    assert!(answer["energy"]["relative"].as_f64().unwrap() < 1e-12);
    assert_eq!(answer["stable"], true);
    let largest = answer["multipliers"][0]["abs"].as_f64().unwrap();
    assert!(largest < 1.0 && largest > 0.5, "{largest}");
    // m g times the drop is what friction and impacts take.
    let lost = 0.0048 * 9.81 * answer["drop"]["y"].as_f64().unwrap();
    let change = answer["energy"]["change"]["potential"].as_f64().unwrap();
    assert!((lost - change).abs() < 1e-12, "{lost} {change}");
    assert!(answer["modes"].as_array().unwrap().len() > 4);
    for phase in answer["modes"].as_array().unwrap() {
        assert!(phase["t"].is_f64() && phase["modes"]["beak"].is_string());
    }
    assert!(answer["state"]["coordinates"]["phi_S"].as_f64().unwrap().abs() < 1e-12);
}

#[test]
fn the_work_of_forces_is_part_of_the_energy_of_a_cycle() {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenes/impact_oscillator.toml");
    // With the stop out of reach, what the drive gives the damper takes.
    for set in ["s=0", "s=-9"] {
        let (code, answer) = cycle(&[scene, "--set", set]);
        assert_eq!(code, Some(0), "{answer}");
        let energy = &answer["energy"];
        assert!(energy["relative"].as_f64().unwrap() < 1e-12, "{energy}");
        let works =
            energy["forces"].as_f64().unwrap() + energy["impacts"]["stop"].as_f64().unwrap();
        // As well as the state returns.
        assert!(works.abs() < 1e-10, "{energy}");
    }
}

#[test]
fn the_period_does_not_depend_on_tolerances_or_section() {
    let period = |args: &[&str]| cycle(args).1["period"].as_f64().unwrap();
    let first = period(&["woodpecker"]);
    for other in [
        &["woodpecker", "--tol", "1e-9", "--motion-tol", "1e-11"][..],
        &["woodpecker", "--section", "omega_S"],
    ] {
        let second = period(other);
        assert!((first - second).abs() < 1e-11, "{first} {second} {other:?}");
    }
}

#[test]
fn a_block_on_a_belt_has_the_cycle_of_quadrature() {
    let (code, facts) = cycle(&["stick_slip_belt", "--set", "c=0.1"]);
    assert_eq!(code, Some(0), "{facts}");
    assert_eq!(facts["stable"], true);
    let (code, facts) = cycle(&["stick_slip_belt"]);
    assert_eq!(code, Some(0), "{facts}");
    let period = facts["period"].as_f64().unwrap();
    assert!((period - 0.882_885_093_632).abs() < 1e-9, "{period}");
}

#[test]
fn a_motion_without_a_cycle_is_lost_with_a_reason() {
    let (code, answer) = cycle(&["woodpecker", "--set", "mu=0.05"]);
    assert_eq!(code, Some(1), "{answer}");
    assert_eq!(answer["status"], "lost");
    assert!(!answer["reason"].as_str().unwrap().is_empty());
    assert!(answer.get("period").is_none() && answer["state"]["t"].is_f64());
}

#[test]
fn misuse_of_a_cycle_is_named() {
    for (args, word) in [
        (&["sliding_block"][..], "--section"),
        (&["woodpecker", "--section", "beak"], "expression"),
        (&["woodpecker", "--section", "phi_X"], "phi_X"),
        (&["woodpecker", "--period", "-1"], "above 0"),
        (&["woodpecker", "--period", "2*pi/w"], "unknown name `w`"),
        (&["woodpecker", "--period", "0.1", "--longest", "1"], "--longest"),
        (&["woodpecker", "--tol", "2"], "tolerance"),
    ] {
        let (code, answer) = cycle(args);
        assert_eq!(code, Some(2), "{args:?}: {answer}");
        assert!(answer.as_str().unwrap().contains(word), "{args:?}: {answer}");
    }
}

#[test]
fn without_json_people_get_a_table_with_a_timeline() {
    let text = stdout(&stickslip(&["cycle", "woodpecker"]));
    for word in ["0.1459760651", "stable", "impact at beak", "lower stick", "balance"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}
