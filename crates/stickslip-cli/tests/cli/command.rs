//! The command as its users see it: exit codes, what is printed, what is left on the disk.

use crate::common::{Scratch, stdout, stickslip};
use serde_json::Value;
use std::fs;

const FILES: [&str; 22] = [
    "coordinates.png",
    "coordinates.svg",
    "energy.png",
    "energy.svg",
    "events.csv",
    "forces.png",
    "forces.svg",
    "gaps.png",
    "gaps.svg",
    "modes.png",
    "modes.svg",
    "phase.png",
    "phase.svg",
    "portrait-1.png",
    "portrait-1.svg",
    "portrait-2.png",
    "portrait-2.svg",
    "replay.json",
    "summary.json",
    "trajectory.csv",
    "velocities.png",
    "velocities.svg",
];

#[test]
fn a_run_leaves_all_files_and_nothing_else() {
    let dir = Scratch::new("all-files");
    let out =
        stickslip(&["run", "woodpecker", "--t-end", "0.3", "--dt", "1e-4", "--out", dir.path()]);
    assert_eq!(out.status.code(), Some(0));
    let text = stdout(&out);
    for word in ["steps", "impacts", "worst certificate", "wall time", dir.path()] {
        assert!(text.contains(word), "{word} in {text}");
    }
    assert_eq!(dir.names(), FILES);
    for name in FILES.iter().filter(|n| n.ends_with(".svg")) {
        let svg = fs::read_to_string(dir.file(name)).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
        assert!(svg.contains("polyline") || svg.contains("rect"), "{name}");
    }
}

#[test]
fn the_tables_have_the_documented_columns_and_round_trip() {
    let dir = Scratch::new("columns");
    let json = ["--t-end", "0.2", "--dt", "1e-4", "--sample-dt", "0", "--json"];
    let args = [&["run", "woodpecker", "--out", dir.path()][..], &json].concat();
    let out = stickslip(&args);
    let summary: Value = serde_json::from_str(&stdout(&out)).unwrap();
    let text = fs::read_to_string(dir.file("trajectory.csv")).unwrap();
    let mut lines = text.lines();
    let expected = "t,y,phi_M,phi_S,v,omega_M,omega_S,\
        beak.gap,beak.impulse_n,beak.impulse_t,beak.mode,\
        lower.gap,lower.impulse_n,lower.impulse_t,lower.mode,\
        upper.gap,upper.impulse_n,upper.impulse_t,upper.mode";
    assert_eq!(lines.next(), Some(expected));
    assert_eq!(lines.clone().count(), 2001);
    assert_eq!(summary["counts"]["samples"], 2001);
    let last: Vec<&str> = lines.next_back().unwrap().split(',').collect();
    // The last line is the last state, to the bit.
    for (column, name) in [(1, "y"), (2, "phi_M"), (3, "phi_S")] {
        let value = summary["state"]["coordinates"][name].as_f64().unwrap();
        assert_eq!(last[column].parse::<f64>().unwrap().to_bits(), value.to_bits(), "{name}");
    }
    let events = fs::read_to_string(dir.file("events.csv")).unwrap();
    assert!(events.starts_with("t,contact,event,impulse_n,impulse_t,energy\n"));
    assert_eq!(events.lines().count() - 1, summary["counts"]["events"].as_u64().unwrap() as usize);
}

#[test]
fn the_summary_has_its_documented_keys() {
    let dir = Scratch::new("keys");
    let args =
        ["run", "woodpecker", "--t-end", "0.1", "--set", "mu=0.35", "--json", "--out", dir.path()];
    let out = stickslip(&args);
    let printed: Value = serde_json::from_str(&stdout(&out)).unwrap();
    let text = fs::read_to_string(dir.file("summary.json")).unwrap();
    let written: Value = serde_json::from_str(&text).unwrap();
    for key in [
        "scene",
        "source",
        "end",
        "parameters",
        "settings",
        "counts",
        "energy",
        "certificate",
        "drift",
        "state",
        "timing",
        "versions",
    ] {
        assert!(written.get(key).is_some(), "{key}");
        assert_eq!(written[key], printed[key], "{key}");
    }
    assert_eq!(written["parameters"]["mu"], 0.35);
    assert_eq!(written["end"]["status"], "finished");
    assert_eq!(written["end"]["t"], 0.1);
    for measure in ["penetration", "tension", "complementarity", "cone", "dissipation"] {
        assert!(written["certificate"][measure].get("value").is_some(), "{measure}");
        assert!(written["certificate"][measure].get("contact").is_some(), "{measure}");
    }
    assert!(written["certificate"]["worst"].as_f64().unwrap() <= 1e-10);
    assert!(written["timing"]["stages"]["solve"].as_f64().unwrap() > 0.0);
    assert_eq!(printed["files"].as_array().unwrap().len(), FILES.len());
}

#[test]
fn quiet_is_quiet() {
    let dir = Scratch::new("quiet");
    let out = stickslip(&["run", "woodpecker", "--t-end", "0.01", "-q", "--out", dir.path()]);
    assert_eq!((out.status.code(), out.stdout.len(), out.stderr.len()), (Some(0), 0, 0));
}

#[test]
fn misuse_ends_with_2_names_the_mistake_and_leaves_no_files() {
    let dir = Scratch::new("misuse");
    let cases: [(&[&str], &str); 17] = [
        (
            &["run", "bouncing_ball", "--dt", "1e-3"],
            "--dt does nothing with the integrator event_driven",
        ),
        (&["run", "bouncing_ball", "--correction"], "--correction does nothing"),
        (&["analyze", "woodpecker", "--at", "-1"], "--at is -1, before the start"),
        (&["analyze", "woodpecker", "--level", "step"], "--map"),
        (&["analyze", "woodpecker", "--map", "-1:1:5"], "NAME=FROM:TO:COUNT"),
        (&["run", "no-such-scene"], "no-such-scene"),
        (&["run", "no-such-file.toml"], "no-such-file.toml"),
        (&["run", "woodpeker"], "did you mean `woodpecker`"),
        (&["run", "woodpecker", "--set", "nu=1"], "nu"),
        (&["run", "woodpecker", "--set", "mu=-1"], "mu"),
        (&["run", "woodpecker", "--set", "eps_N1=2"], "eps"),
        (&["run", "woodpecker", "--dt", "-1"], "dt is -1"),
        (&["run", "woodpecker", "--t-end", "nan"], "finite"),
        (&["run", "woodpecker", "--t-end", "1e12"], "steps"),
        (&["run", "woodpecker", "--solver", "magic"], "principal_pivoting"),
        (&["run", "woodpecker", "--tol", "1"], "tolerance"),
        (&["fly"], "fly"),
    ];
    for (args, word) in cases {
        let place = ["--out", dir.path()];
        let args = if args[0] == "run" { [args, &place].concat() } else { args.to_vec() };
        let out = stickslip(&args);
        let text = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(word), "{args:?}: {text}");
        assert!(out.stdout.is_empty(), "{args:?}");
        assert!(dir.names().is_empty(), "{args:?}: {:?}", dir.names());
    }
}

#[test]
fn a_directory_that_cannot_be_made_is_found_before_the_run() {
    let dir = Scratch::new("in-the-way");
    fs::write(dir.file("taken"), "").unwrap();
    let taken = dir.file("taken");
    let out = stickslip(&["run", "woodpecker", "--t-end", "1e4", "--out", taken.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2));
    assert!(text.contains("taken") && text.contains("choose another"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_with_its_path_and_leaves_tables_that_are_called_partial() {
    let dir = Scratch::new("full-disk");
    // No file may grow beyond 64 blocks of 512 bytes: as good as a full disk, for any user.
    let script = format!(
        "trap '' XFSZ; ulimit -f 64; exec {} run woodpecker --sample-dt 0 --out {}",
        env!("CARGO_BIN_EXE_stickslip"),
        dir.path()
    );
    let out = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(text.contains("trajectory.csv") && text.contains("space"), "{text}");
    // What was computed is not lost, and nothing looks like the files of a whole run.
    assert_eq!(dir.names(), ["events.csv.partial", "trajectory.csv.partial"]);
    let table = dir.file("trajectory.csv.partial").display().to_string();
    let whole = dir.file("whole.arrows").display().to_string();
    let out = stickslip(&["convert", &table, "--to", "arrow", "--partial", "--out", &whole]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_printed_is_an_error() {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_stickslip"))
        .args(["gallery", "--json"])
        .stdout(full)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1));
    assert!(text.contains("cannot be printed"), "{text}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_complete_files() {
    let dir = Scratch::new("ctrl-c");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_stickslip"))
        .args(["run", "woodpecker", "--t-end", "1e5", "--dt", "1e-4", "-q", "--out", dir.path()])
        .spawn()
        .unwrap();
    // Only once the run has begun can it be interrupted.
    let begun = || fs::read_dir(dir.path()).is_ok_and(|d| d.count() == 2);
    for _ in 0..1000 {
        if begun() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let (kept, files): (Vec<_>, Vec<_>) =
        dir.names().into_iter().partition(|name| name.starts_with("checkpoint"));
    assert_eq!(
        (kept, files),
        (vec!["checkpoint.bin".to_owned()], FILES.map(String::from).to_vec())
    );
    let text = fs::read_to_string(dir.file("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(summary["end"]["status"], "stopped");
    let table = fs::read_to_string(dir.file("trajectory.csv")).unwrap();
    let lines = table.lines().count() - 1;
    assert_eq!(lines, summary["counts"]["samples"].as_u64().unwrap() as usize);
    assert!(table.ends_with('\n'));
}

#[test]
fn a_scene_file_runs_and_its_mistakes_are_shown_with_their_line() {
    let dir = Scratch::new("scene-file");
    let file = dir.file("ball.toml");
    let text = "[parameters]\ng = 9.81\n[coordinates]\n\
        y = { velocity = \"v\", start = 1.0, unit = \"m\" }\n[energy]\n\
        kinetic = \"v^2/2\"\npotential = \"g*y\"\n[[contact]]\nname = \"floor\"\ngap = \"y\"\neps_n = 0.5\n";
    fs::write(&file, text).unwrap();
    let place = dir.file("out");
    let args = ["run", file.to_str().unwrap(), "--json", "--out", place.to_str().unwrap()];
    let out = stickslip(&args);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let summary: Value = serde_json::from_str(&stdout(&out)).unwrap();
    assert_eq!(summary["scene"], "ball");
    assert_eq!(summary["source"], file.to_str().unwrap());
    assert!(summary["counts"]["impacts"].as_u64().unwrap() >= 1);
    fs::write(&file, text.replace("g*y", "g*h")).unwrap();
    let out = stickslip(&args);
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2));
    assert!(error.contains("ball.toml:7:") && error.contains("^"), "{error}");
}

#[test]
fn an_event_driven_run_leaves_the_same_files() {
    let dir = Scratch::new("event-driven");
    let args = [
        "run",
        "woodpecker",
        "--integrator",
        "event_driven",
        "--t-end",
        "0.2",
        "-q",
        "--out",
        dir.path(),
    ];
    assert_eq!(stickslip(&args).status.code(), Some(0));
    assert_eq!(dir.names(), FILES);
}

#[test]
fn a_start_that_was_moved_onto_its_contacts_shows_in_the_table_and_in_the_summary() {
    // The published start of the woodpecker has four digits, and lies inside of a contact by what they round off.
    let args = ["run", "woodpecker", "--integrator", "event_driven", "--t-end", "0.01"];
    let dir = Scratch::new("start-moved");
    let out = stickslip(&[&args[..], &["--out", dir.path()]].concat());
    assert!(stdout(&out).contains("START MOVED"), "{}", stdout(&out));
    let text = fs::read_to_string(format!("{}/summary.json", dir.path())).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    let moved = summary["start_moved"]["coordinate"].as_f64().unwrap();
    assert!(moved > 1e-5 && moved < 1e-3, "{moved}");
    let dir = Scratch::new("start-kept");
    let stepped = ["run", "woodpecker", "--t-end", "0.01"];
    let out = stickslip(&[&stepped[..], &["--out", dir.path()]].concat());
    assert!(!stdout(&out).contains("START MOVED"), "{}", stdout(&out));
}

#[test]
fn every_scene_of_the_gallery_runs_and_every_step_is_certified() {
    let list: Value = serde_json::from_str(&stdout(&stickslip(&["gallery", "--json"]))).unwrap();
    for entry in list.as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let dir = Scratch::new(&format!("gallery-{name}"));
        let out = stickslip(&["run", name, "--json", "--out", dir.path()]);
        assert_eq!(out.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&out.stderr));
        let summary: Value = serde_json::from_str(&stdout(&out)).unwrap();
        let wanted = if name == "pendulum_load" { "condition" } else { "finished" };
        assert_eq!(summary["end"]["status"], wanted, "{name}");
        // Contact problems of bodies in space are solved to 1e-9, planar ones to 1e-10.
        let first = entry["coordinates"][0].as_str().unwrap();
        let tolerance = if first.contains('.') { 1e-9 } else { 1e-10 };
        assert!(summary["certificate"]["worst"].as_f64().unwrap() <= tolerance, "{name}");
    }
}

#[test]
fn the_text_of_a_scene_of_the_gallery_is_printed() {
    let text = stdout(&stickslip(&["gallery", "bouncing_ball"]));
    assert_eq!(text, stickslip_scene::gallery_entry("bouncing_ball").unwrap().text);
    let output = stickslip(&["gallery", "bouncing_bal"]);
    assert!(
        !output.status.success()
            && String::from_utf8_lossy(&output.stderr).contains("bouncing_ball")
    );
}

#[test]
fn the_gallery_lists_what_runs() {
    let text = stdout(&stickslip(&["gallery"]));
    assert!(text.contains("woodpecker"));
    let list: Value = serde_json::from_str(&stdout(&stickslip(&["gallery", "--json"]))).unwrap();
    let names: Vec<&str> =
        list.as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"woodpecker"));
    for entry in list.as_array().unwrap() {
        for key in ["title", "coordinates", "velocities", "contacts", "parameters"] {
            assert!(entry.get(key).is_some(), "{key}");
        }
    }
}

#[test]
fn every_command_teaches_by_an_example_and_tells_its_exit_codes() {
    let text = stdout(&stickslip(&["--help"]));
    assert!(text.contains("Examples:") && text.contains("130"), "{text}");
    for command in ["run", "solve", "analyze", "cycle", "sweep", "gallery"] {
        let text = stdout(&stickslip(&[command, "--help"]));
        assert!(text.contains(&format!("stickslip {command}")), "{command}: {text}");
    }
}

#[test]
fn theta_of_the_scene_stays_and_theta_of_another_integrator_is_refused() {
    let text = stickslip_scene::gallery_entry("sliding_block").unwrap().text;
    assert!(text.contains("[run]\n"), "{text}");
    let scratch = Scratch::new("theta");
    let path = scratch.file("theta.toml");
    std::fs::write(&path, text.replace("[run]\n", "[run]\ntheta = 0.8\n")).unwrap();
    let (path, out) = (path.to_str().unwrap(), scratch.path());
    let jean =
        ["run", path, "--out", out, "--json", "--t-end", "0.01", "--integrator", "moreau_jean"];
    let found: serde_json::Value = serde_json::from_str(&stdout(&stickslip(&jean))).unwrap();
    assert_eq!(found["settings"]["theta"], 0.8, "{found}");
    let refused = stickslip(&["run", "sliding_block", "--theta", "0.8"]);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(message.contains("add --integrator moreau_jean"), "{message}");
}

#[test]
fn a_contact_at_rest_that_is_released_has_a_good_certificate_and_the_work_of_forces_is_counted() {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenes/impact_oscillator.toml");
    for (eps, w) in [("0", "2.2"), ("0", "0.5"), ("0.3", "1.1")] {
        for integrator in ["event_driven", "moreau_midpoint"] {
            let dir = Scratch::new("release");
            let set = [format!("eps={eps}"), format!("w={w}")];
            let out = stickslip(&[
                "run",
                scene,
                "--set",
                &set[0],
                "--set",
                &set[1],
                "--set",
                "s=0.2",
                "--integrator",
                integrator,
                "--json",
                "-q",
                "--out",
                dir.path(),
            ]);
            let found: Value = serde_json::from_str(&stdout(&out)).unwrap();
            assert_eq!(out.status.code(), Some(0), "{found}");
            assert!(found["certificate"]["worst"].as_f64().unwrap() < 1e-10, "{found}");
            let energy = |key: &str| found["energy"][key].as_f64().unwrap();
            let rest = energy("change") - energy("contact_work") - energy("force_work");
            let exact = if integrator == "event_driven" { 1e-11 } else { 1e-3 };
            assert!(rest.abs() < exact * energy("force_work").abs(), "{rest} {found}");
        }
    }
}

#[test]
fn a_negative_parameter_is_set() {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenes/impact_oscillator.toml");
    let dir = Scratch::new("negative");
    let out = stickslip(&["run", scene, "--set", "s=-1", "--json", "--out", dir.path()]);
    let found: Value = serde_json::from_str(&stdout(&out)).unwrap();
    assert_eq!(found["parameters"]["s"], -1.0);
}

/// A chain of masses whose last one hits a wall.
fn chain(masses: usize) -> String {
    use std::fmt::Write;
    let list =
        |term: &dyn Fn(usize) -> String, n: usize| (0..n).map(term).collect::<Vec<_>>().join(" + ");
    let mut text = String::from("[coordinates]\n");
    for i in 0..masses {
        writeln!(text, "x{i} = {{ velocity = \"v{i}\", start_velocity = 1.0 }}").unwrap();
    }
    let kinetic = list(&|i| format!("v{i}^2"), masses);
    let potential = list(&|i| format!("(x{} - x{i})^2", i + 1), masses - 1);
    writeln!(text, "[energy]\nkinetic = \"1/2*({kinetic})\"\npotential = \"50*({potential})\"")
        .unwrap();
    let last = masses - 1;
    writeln!(text, "[[contact]]\nname = \"wall\"\ngap = \"0.05 - x{last}\"").unwrap();
    text.push_str("[run]\nt_end = 0.2\ndt = 1e-3\nsamples = 200\n");
    text
}

#[test]
#[cfg(target_os = "linux")]
fn many_coordinates_need_little_memory_and_plots_come_after_the_tables() {
    let dir = Scratch::new("chain");
    let scene = dir.file("chain.toml");
    fs::write(&scene, chain(400)).unwrap();
    let out = dir.file("out");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_stickslip"))
        .args(["run", scene.to_str().unwrap(), "-q", "--out", out.to_str().unwrap()])
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let code = loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(kilobytes.unwrap_or(0_u64));
        let drawn = out.join("coordinates.svg").exists();
        assert!(!drawn || out.join("summary.json").exists(), "a plot came before the summary");
        if let Some(code) = child.try_wait().unwrap() {
            break code;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    assert!(code.success());
    assert!(peak > 10_000 && peak < 300_000, "{peak} kB");
    let svg = fs::read_to_string(out.join("coordinates.svg")).unwrap();
    assert!(svg.contains("the first 24 of 400"));
}

#[test]
fn a_new_scene_is_in_order_and_runs_and_is_never_written_over() {
    let dir = Scratch::new("new");
    let name = dir.file("mine");
    let path = dir.file("mine.toml");
    let (name, path) = (name.to_str().unwrap(), path.to_str().unwrap());
    assert_eq!(stickslip(&["new", name]).status.code(), Some(0));
    let checked = stickslip(&["check", path]);
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stderr));
    assert!(stdout(&checked).contains("in order") && stdout(&checked).contains("w = 60"));
    let out = dir.file("out");
    let run = stickslip(&["run", path, "--t-end", "0.2", "-q", "--out", out.to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let again = stickslip(&["new", name]);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("exists already"));
    let bad = stickslip(&["check", path, "--set", "mu=-1"]);
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&bad.stderr).contains("at least 0"));
}
