//! Numbers far beyond those of everyday: every run ends, and says how.

use crate::common::{Scratch, stdout, stickslip};
use serde_json::Value;

const STEPPING: [&str; 4] = ["moreau_midpoint", "moreau_jean", "gap_level", "paoli_schatzman"];

/// The summary of a run, and its exit code.
fn summary(args: &[&str]) -> (Value, Option<i32>) {
    let dir = Scratch::new(&format!("huge-{}", args.join("-").replace(['/', '.', '='], "_")));
    let out = stickslip(&[&["run"], args, &["--json", "--quiet", "--out", dir.path()]].concat());
    let text = stdout(&out);
    (serde_json::from_str(&text).unwrap_or(Value::Null), out.status.code())
}

/// What a refused command says.
fn refusal(args: &[&str]) -> (String, Option<i32>) {
    let dir = Scratch::new(&format!("huge-no-{}", args.join("-").replace(['/', '.', '='], "_")));
    let out = stickslip(&[args, &["--out", dir.path()]].concat());
    (String::from_utf8(out.stderr).unwrap(), out.status.code())
}

/// A ball that falls 1 m: it comes to rest, however short its fall is beside the run.
#[test]
fn event_driven_motion_finds_the_first_impact_however_soon_it_is_in_the_run() {
    for args in [
        &["bouncing_ball", "--set", "g=1e18", "--t-end", "1e-7"][..],
        &["bouncing_ball", "--t-end", "1e12"],
        &["bouncing_ball", "--t-end", "1e300"],
    ] {
        let (found, code) = summary(args);
        assert_eq!(code, Some(0), "{args:?}: {found}");
        assert_eq!(found["end"]["status"], "finished", "{args:?}");
        let number = |group: &str, key: &str| found[group][key].as_f64().unwrap();
        assert!(number("counts", "impacts") >= 10.0, "{args:?}: {found}");
        assert!(number("drift", "depth") <= 1e-12, "{args:?}: {found}");
        let start = found["energy"]["start"]["total"].as_f64().unwrap();
        assert!((number("energy", "change") / start + 1.0).abs() <= 1e-9, "{args:?}: {found}");
    }
}

/// At 10¹⁸ m/s² the last digit of the force on a ball at rest moves it by 100 m in a second.
#[test]
fn a_ball_at_rest_stays_where_it_is_however_large_the_forces_on_it() {
    for g in ["g=1e12", "g=1e18"] {
        let (found, code) = summary(&["bouncing_ball", "--set", g]);
        assert_eq!(code, Some(0), "{g}: {found}");
        assert_eq!(found["end"]["status"], "finished", "{g}");
        let number = |group: &str, key: &str| found[group][key].as_f64().unwrap();
        assert!(number("drift", "depth") <= 1e-7, "{g}: {found}");
        let start = found["energy"]["start"]["total"].as_f64().unwrap();
        assert!((number("energy", "change") / start + 1.0).abs() <= 1e-9, "{g}: {found}");
    }
}

#[test]
fn more_steps_than_can_be_made_are_refused_with_their_number() {
    for integrator in STEPPING {
        let args = ["run", "sliding_block", "--integrator", integrator, "--t-end", "1e300"];
        let (text, code) = refusal(&args);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("t_end / dt") && text.contains("at most 1e10 steps"), "{text}");
    }
    let out = stickslip(&["analyze", "woodpecker", "--at", "1e12"]);
    let text = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2), "{text}");
    assert!(text.contains("t_end / dt"), "{text}");
}

#[test]
fn a_motion_that_leaves_the_range_of_numbers_has_not_finished() {
    let fall = ["bouncing_ball", "--integrator", "moreau_midpoint"];
    for (more, what) in [
        (&["--set", "g=1e300"][..], "the energy is not finite"),
        (&["--t-end", "1e300", "--dt", "1e298"], "is not finite"),
    ] {
        let (found, code) = summary(&[&fall[..], more].concat());
        assert_eq!(code, Some(1), "{more:?}: {found}");
        assert_eq!(found["end"]["status"], "failed", "{more:?}");
        let reason = found["end"]["reason"].as_str().unwrap();
        assert!(reason.contains(what), "{more:?}: {reason}");
    }
}

/// A block on a light one on the floor, each held by its contact.
const HEAVY_ON_LIGHT: &str = r#"
title = "A heavy block on a light one"
[parameters]
r = 1.0
g = 9.81
[coordinates]
y = { velocity = "v", unit = "m" }
z = { velocity = "w", unit = "m" }
[energy]
kinetic = "1/2*v^2 + r/2*w^2"
potential = "g*y + r*g*z"
[[contact]]
name = "floor"
gap = "y"
[[contact]]
name = "block"
gap = "z - y"
[run]
t_end = 0.5
dt = 1e-3
"#;

/// Rounding of W is 10⁻¹⁶ of what impulses do to the light block, 10⁹ times what gravity does: that much of its velocity is not known,
/// and with 10¹² no answer can be told from a wrong one.
#[test]
fn a_heavy_block_stays_on_a_light_one_or_the_step_is_named_that_has_no_answer() {
    let dir = Scratch::new("heavy-on-light");
    let file = dir.file("heavy.toml");
    std::fs::write(&file, HEAVY_ON_LIGHT).unwrap();
    let run = |ratio: &str, integrator: &str| {
        let file = file.to_str().unwrap();
        summary(&[file, "--set", ratio, "--integrator", integrator])
    };
    for integrator in [&STEPPING[..], &["event_driven"]].concat() {
        let (found, code) = run("r=1e9", integrator);
        assert_eq!(code, Some(0), "{integrator}: {found}");
        for (name, y) in found["state"]["coordinates"].as_object().unwrap() {
            assert!(y.as_f64().unwrap().abs() <= 1e-6, "{integrator}, {name}: {y}");
        }
        let (found, code) = run("r=1e12", integrator);
        assert_eq!(code, Some(1), "{integrator}: {found}");
        let reason = found["end"]["reason"].as_str().unwrap();
        let named = ["has no certified answer", "no contact forces obey the laws"];
        assert!(named.iter().any(|words| reason.contains(words)), "{integrator}: {reason}");
    }
}
