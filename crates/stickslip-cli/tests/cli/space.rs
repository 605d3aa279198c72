//! Scenes with bodies in space through the command: what a cycle, a sweep, a check and a summary say of them.

use crate::common::{Scratch, stdout, stickslip};
use serde_json::Value;
use std::fs;

/// A wheel without a rim rolls down a slope of 0.08 rad: spokes of length 1, a mass of 1 and a moment of inertia of 1/4.
const WHEEL: &str = r#"
gravity = ["9.81*sin(slope)", 0, "-9.81*cos(slope)"]
[parameters]
slope = 0.08
[[body]]
name = "hub"
mass = 1
inertia = [0.25, 0.25, 0.25]
position = [0, 0, 1]
velocity = [1.3, 0, 0]
angular_velocity = [0, 1.3, 0]
[[joint]]
name = "plane"
kind = "planar"
between = ["ground", "hub"]
at = [0, 0, 0]
axis = [0, -1, 0]
[[contact]]
repeat = { i = "0:7" }
name = "spoke{i}"
between = [{ body = "hub", point = ["sin(i*pi/4)", 0, "-cos(i*pi/4)"] }, "ground"]
mu = 1
[cycle]
section = "sin(16*atan2(hub.qy, hub.qw))"
[run]
integrator = "event_driven"
t_end = 5
"#;

/// A scene in a file.
fn written(dir: &Scratch, text: &str) -> String {
    let path = dir.file("scene.toml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn json(args: &[&str]) -> Value {
    let out = stickslip(&[args, &["--json"]].concat());
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    serde_json::from_str(&stdout(&out)).unwrap_or_else(|_| panic!("{args:?}: {error}"))
}

#[test]
fn a_rimless_wheel_has_its_cycle_whose_place_and_turn_need_not_come_back() {
    let dir = Scratch::new("wheel");
    let step = 2.0 * (std::f64::consts::PI / 8.0).sin();
    // Coordinates of a tree are those of the joint's point, which comes back after a step if it is the hub.
    let tree = WHEEL.replace("at = [0, 0, 0]", "at = [0, 0, 1]");
    let tree = format!("model = \"articulated\"\n{tree}");
    let periods = [(WHEEL, "hub.x", "hub.wy"), (&tree, "plane.x", "plane.angle")];
    let periods = periods.map(|(text, along, turn)| {
        let cyclic = format!("[cycle]\ncyclic = [\"{along}\", \"{turn}\"]");
        let answer = json(&["cycle", &written(&dir, &text.replace("[cycle]", &cyclic))]);
        assert_eq!(answer["status"], "found", "{answer}");
        // Of a step: the distance of two tips, and an eighth of a turn.
        let drop = |name: &str| answer["drop"][name].as_f64().unwrap().abs();
        assert!((drop(along) - step).abs() < 1e-9, "{}", answer["drop"]);
        assert!((drop(turn) - std::f64::consts::FRAC_PI_4).abs() < 1e-9, "{}", answer["drop"]);
        assert!(answer["energy"]["relative"].as_f64().unwrap() < 1e-10, "{}", answer["energy"]);
        answer["period"].as_f64().unwrap()
    });
    assert!((periods[0] - periods[1]).abs() < 1e-10, "{periods:?}");
}

#[test]
fn the_simplest_walker_walks_as_published() {
    // The published numbers are those of feet without mass, from which a small mass is off in proportion.
    let [light, heavy] = ["beta=5e-4", "beta=1e-3"].map(|mass| {
        let answer = json(&["cycle", "walker", "--set", mass]);
        assert_eq!((&answer["status"], &answer["stable"]), (&"found".into(), &true.into()));
        // Two steps, each as long as the distance of two feet.
        let way = answer["drop"]["x"].as_f64().unwrap();
        [(way / 4.0).asin(), answer["period"].as_f64().unwrap() / 2.0]
    });
    let without = |i: usize| 2.0 * light[i] - heavy[i];
    assert!((without(0) - 0.200_310_900_544_287).abs() < 2e-7, "{}", without(0));
    assert!((without(1) - 3.88).abs() < 5e-3, "{}", without(1));
}

#[test]
fn a_sweep_has_the_columns_of_bodies_in_every_model() {
    let dir = Scratch::new("sweep-space");
    for model in ["rigid", "articulated"] {
        let text = format!("model = \"{model}\"\n{WHEEL}");
        let path = written(&dir, &text);
        let out = dir.file(model);
        let sweep = ["sweep", &path, "--vary", "slope=0.08:0.09:2", "--returns", "3"];
        json(&[&sweep[..], &["--out", out.to_str().unwrap()]].concat());
        let table = fs::read_to_string(out.join("crossings.csv")).unwrap();
        let mut lines = table.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        let column = |name: &str| names.iter().position(|n| *n == name).unwrap();
        let (z, qw, qy) = (column("hub.z"), column("hub.qw"), column("hub.qy"));
        let mut count = 0;
        for line in lines {
            let cells: Vec<f64> = line.split(',').map(|c| c.parse().unwrap_or(f64::NAN)).collect();
            assert_eq!(cells.len(), names.len(), "{model}: {line}");
            // On the section a spoke stands upright.
            assert!((cells[z] - 1.0).abs() < 1e-6, "{model}: {line}");
            assert!((cells[qw].hypot(cells[qy]) - 1.0).abs() < 1e-9, "{model}: {line}");
            count += 1;
        }
        assert!(count >= 6, "{model}: {table}");
        // The tables are read again without a run.
        let again = [&sweep[..], &["--out", out.to_str().unwrap(), "--resume"]].concat();
        assert_eq!(json(&again)["counts"]["resumed"], 2);
        assert_eq!(fs::read_to_string(out.join("crossings.csv")).unwrap(), table);
    }
}

/// A damped pendulum whose hinge has stops, and whose file gives a velocity along the hinge.
const PENDULUM: &str = r#"
gravity = [0, 0, -9.81]
[[body]]
name = "rod"
shape = { box = [1, 0.1, 0.1] }
mass = 2
position = [0.5, 0, 0]
velocity = [0, 0.25, 0]
[[joint]]
name = "hinge"
kind = "revolute"
between = ["ground", "rod"]
at = [0, 0, 0]
axis = [0, 1, 0]
damping = 0.3
limits = [-1, 4]
spring = { stiffness = 0.7, rest = 0.2 }
[[force]]
body = "rod"
at = [0.5, 0, 0]
force = ["-0.2*rod.vx", 0, "sin(3*t)"]
[[force]]
between = ["ground", "rod"]
points = [[0, 0.3, 1], [0.2, 0, 0]]
damping = 0.4
stiffness = 3
length = 0.2
[run]
t_end = 0.6
"#;

#[test]
fn energies_of_a_damped_pendulum_balance_in_every_model() {
    let dir = Scratch::new("balance");
    for (model, integrator) in [
        ("rigid", "event_driven"),
        ("articulated", "event_driven"),
        ("rigid", "moreau_midpoint"),
        ("articulated", "moreau_midpoint"),
        ("point_masses", "moreau_midpoint"),
    ] {
        let path = written(&dir, &format!("model = \"{model}\"\n{PENDULUM}"));
        let out = dir.file("out");
        let mut args = vec!["run", &path, "--integrator", integrator];
        args.extend(["--out", out.to_str().unwrap()]);
        if integrator != "event_driven" {
            args.extend(["--dt", "2e-4"]);
        }
        let summary = json(&args);
        let energy = &summary["energy"];
        let of = |name: &str| energy[name].as_f64().unwrap();
        let (work, change) = (of("force_work") + of("contact_work"), of("change"));
        assert!(of("force_work").abs() > 0.01, "{energy}");
        let tolerance = if integrator == "event_driven" { 1e-10 } else { 1e-6 };
        let swing = energy["end"]["kinetic"].as_f64().unwrap();
        assert!((work - change).abs() < tolerance * swing, "{model} {integrator}: {energy}");
    }
}

#[test]
fn a_velocity_that_a_joint_excludes_is_removed_and_said() {
    let dir = Scratch::new("joined");
    let path = written(&dir, PENDULUM);
    let text = stdout(&stickslip(&["check", &path]));
    assert!(text.contains("START CHANGED") && text.contains("velocities by 2.5e-1"), "{text}");
    let out = dir.file("out");
    let run = ["run", &path, "--out", out.to_str().unwrap(), "--integrator", "moreau_midpoint"];
    let summary = json(&run);
    assert!((summary["start_joined"]["velocity"].as_f64().unwrap() - 0.25).abs() < 1e-12);
    assert_eq!(summary["start_joined"]["coordinate"], 0.0);
    let text = stdout(&stickslip(&run));
    assert!(text.contains("START CHANGED"), "{text}");
    // Stops of a hinge are angles.
    let gaps = fs::read_to_string(out.join("gaps.svg")).unwrap();
    assert!(gaps.contains("hinge.lower gap / rad"), "{gaps}");
    // A start that fits is not mentioned.
    let path = written(&dir, &PENDULUM.replace("velocity = [0, 0.25, 0]", ""));
    let text = stdout(&stickslip(&["check", &path]));
    assert!(!text.contains("START CHANGED"), "{text}");
    assert!(json(&["run", &path, "--out", out.to_str().unwrap()]).get("start_joined").is_none());
}

#[test]
fn commands_that_do_not_stop_at_a_condition_say_so() {
    let dir = Scratch::new("stop-note");
    let path = written(&dir, &format!("{WHEEL}[stop]\nwhen = \"hub.x > 100\"\n"));
    let (out, map) = (dir.file("out"), ["--map", "slope=0.08:0.09:2"]);
    let sweep = ["sweep", &path, "--vary", "slope=0.08:0.09:2", "--returns", "2", "--out"];
    for (args, noted) in [
        (["cycle", &path].to_vec(), true),
        ([&sweep[..], &[out.to_str().unwrap()]].concat(), true),
        (["analyze", &path, "--at", "0.01"].to_vec(), true),
        (["export", &path, "--at", "0.01", "--as", "contact"].to_vec(), true),
        (["analyze", &path].to_vec(), false),
        ([&["analyze", &path][..], &map].concat(), false),
    ] {
        let out = stickslip(&args);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(error.contains("[stop], hub.x > 100, is not used"), noted, "{args:?}: {error}");
    }
}
