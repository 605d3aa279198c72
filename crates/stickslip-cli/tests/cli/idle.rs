//! Settings that do nothing with the others: refused on the command line, warned about in a file, judged by what is used.

use crate::common::{Scratch, stdout, stickslip};

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_setting_of_the_file_that_does_nothing_is_a_warning_that_names_both() {
    let scratch = Scratch::new("idle-file");
    let path = scratch.file("theta.toml");
    let text = stickslip_scene::gallery_entry("sliding_block").unwrap().text;
    std::fs::write(&path, text.replace("[run]\n", "[run]\ntheta = 0.8\n")).unwrap();
    let (path, out) = (path.to_str().unwrap(), scratch.file("out"));
    let run = ["run", path, "--t-end", "0.01", "--out", out.to_str().unwrap()];
    let warned = stickslip(&run);
    let message = stderr(&warned);
    assert_eq!(warned.status.code(), Some(0), "{message}");
    assert!(message.contains("warning"), "{message}");
    assert!(message.contains("`theta` does nothing with the integrator"), "{message}");
    let used = stickslip(&[&run[..], &["--integrator", "moreau_jean"]].concat());
    assert_eq!((used.status.code(), stderr(&used)), (Some(0), String::new()));
    let quiet = stickslip(&[&run[..], &["-q"]].concat());
    assert_eq!((quiet.status.code(), stderr(&quiet)), (Some(0), String::new()));
    assert!(stderr(&stickslip(&["check", path])).contains("`theta` does nothing"));
}

#[test]
fn a_choice_on_the_command_line_that_makes_the_file_idle_is_said() {
    let scratch = Scratch::new("idle-choice");
    let run = ["run", "polygon_push", "--t-end", "0.01", "--out", scratch.path()];
    assert_eq!(stderr(&stickslip(&run)), "");
    let message = stderr(&stickslip(&[&run[..], &["--formulation", "cone"]].concat()));
    for key in ["directions", "rho"] {
        let both = format!(
            "`{key}` does nothing with the formulation cone, which was chosen instead of phantom_inertia of the file"
        );
        assert!(message.contains(&both), "{message}");
    }
}

#[test]
fn what_is_typed_and_does_nothing_or_contradicts_is_refused() {
    let cases: [(&[&str], &str); 6] = [
        (&["sliding_block", "--theta", "0.6"], "--theta does nothing with the integrator"),
        (
            &["sliding_block", "--rho", "0.1"],
            "--rho does nothing with the formulation glocker_studer",
        ),
        (
            &["polygon_push", "--formulation", "cone", "--directions", "8"],
            "--directions does nothing with the formulation cone",
        ),
        (
            &["bouncing_ball", "--correction"],
            "--correction does nothing with the integrator event_driven",
        ),
        (
            &["bouncing_ball", "--relaxation", "0.1"],
            "integrator event_driven cannot be used with relaxation",
        ),
        (
            &["rolling_ball", "--solver", "alternating"],
            "integrator event_driven cannot be used with solver alternating",
        ),
    ];
    for (args, words) in cases {
        let refused = stickslip(&[&["run"], args].concat());
        let message = stderr(&refused);
        assert_eq!(refused.status.code(), Some(2), "{args:?}: {message}");
        assert!(message.contains(words), "{args:?}: {message}");
    }
}

/// A solver of cones gets cones, as with `stickslip solve`.
#[test]
fn a_solver_of_cones_in_the_plane_uses_the_cone() {
    let scratch = Scratch::new("cone-in-the-plane");
    for solver in ["nsgs", "admm", "alternating"] {
        let run = ["run", "sliding_block", "--t-end", "0.1", "--json", "--out", scratch.path()];
        let out = stickslip(&[&run[..], &["--solver", solver]].concat());
        let found: serde_json::Value = serde_json::from_str(&stdout(&out)).unwrap();
        assert_eq!(found["settings"]["formulation"], "cone", "{solver}: {found}");
        assert_eq!(found["end"]["status"], "finished", "{solver}: {found}");
    }
}

#[test]
fn what_event_driven_does_not_know_is_said_with_the_names_and_keys_of_the_scene() {
    let refused = stickslip(&["run", "motor_rod", "--integrator", "event_driven"]);
    let message = stderr(&refused);
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(message.contains("`hinge.motor` has a motor or friction of a joint"), "{message}");
    let refused = stickslip(&["run", "uniform_disc", "--integrator", "event_driven"]);
    let message = stderr(&refused);
    assert!(message.contains("has a friction set other than the disc"), "{message}");
    assert!(message.contains("write friction = \"disc\""), "{message}");
}

/// Lines of a cycle are never empty: coordinates that all come back are said to.
#[test]
fn a_cycle_without_cyclic_coordinates_says_so() {
    let text = stdout(&stickslip(&["cycle", "stick_slip_belt"]));
    assert!(text.contains("change per period  none: every coordinate comes back"), "{text}");
}
