//! `stickslip solve`: what is printed about each kind of problem.

use crate::common::{Scratch, stdout, stickslip, stickslip_on};
use serde_json::Value;

/// W = [[1.5, 1], [1, 0.75]], μ = 2, b = (−0.5, 0): Lemke's method ends on a ray of Glocker and Studer's matrix.
const RAY: &str = r#"{"kind":"contact","dimension":2,"delassus":[[1.5,1.0],[1.0,0.75]],
    "bias":[-0.5,0.0],"contacts":[{"mu":2.0}]}"#;

fn solve(text: &str, args: &[&str]) -> (Option<i32>, Value) {
    let out = stickslip_on(text, &[&["solve", "-", "--json"], args].concat());
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    let value = serde_json::from_str(&stdout(&out)).unwrap_or(Value::String(error));
    (out.status.code(), value)
}

#[test]
fn an_lcp_is_solved_by_every_solver() {
    let text = r#"{"kind":"lcp","m":[[2.0,1.0],[1.0,2.0]],"q":[-1.0,-1.0]}"#;
    for solver in ["auto", "lemke", "principal_pivoting", "pgs", "newton", "interior_point"] {
        let (code, answer) = solve(text, &["--solver", solver]);
        assert_eq!(code, Some(0), "{solver}: {answer}");
        assert_eq!(answer["status"], "solved");
        for z in answer["z"].as_array().unwrap() {
            assert!((z.as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-9, "{solver}: {answer}");
        }
        assert!(answer["certificate"]["worst"].as_f64().unwrap() <= 1e-10);
        assert!(answer["iterations"].is_u64() && answer["seconds"].is_f64());
        assert!(answer["solver"].is_string() && answer["formulation"].is_null());
    }
}

#[test]
fn an_mlcp_is_solved_and_principal_pivoting_refuses_it() {
    let text = r#"{"kind":"mlcp","m":[[2.0,1.0],[1.0,2.0]],"q":[-3.0,-3.0],
        "lower":[null,0],"upper":[null,0.5]}"#;
    for solver in ["auto", "lemke", "pgs", "newton", "interior_point"] {
        let (code, answer) = solve(text, &["--solver", solver]);
        assert_eq!(code, Some(0), "{solver}: {answer}");
        let z: Vec<f64> =
            answer["z"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        assert!((z[0] - 1.25).abs() < 1e-9 && (z[1] - 0.5).abs() < 1e-9, "{solver}: {answer}");
    }
    let (code, answer) = solve(text, &["--solver", "principal_pivoting"]);
    assert_eq!(code, Some(2));
    assert!(answer.as_str().unwrap().contains("another solver"), "{answer}");
}

#[test]
fn a_contact_problem_is_solved_by_both_formulations() {
    for args in [&[][..], &["--formulation", "stewart_trinkle", "--solver", "lemke"]] {
        let (code, answer) = solve(RAY, args);
        assert_eq!(code, Some(0), "{answer}");
        let of = |key: &str, i: usize| answer[key][i].as_f64().unwrap();
        assert!((of("impulse", 0) - 3.0).abs() < 1e-9 && (of("impulse", 1) + 4.0).abs() < 1e-9);
        assert!(of("velocity", 0).abs() < 1e-9 && of("velocity", 1).abs() < 1e-9);
        assert!(answer["certificate"]["worst"].as_f64().unwrap() <= 1e-10);
        assert_eq!(answer["modes"][0], "stick");
        assert!(answer["formulation"].is_string());
    }
}

#[test]
fn an_answer_that_misses_the_tolerance_is_no_answer() {
    // A formulation that was asked for is not exchanged for another.
    let args = ["--formulation", "glocker_studer", "--solver", "lemke"];
    let (code, answer) = solve(RAY, &args);
    assert_eq!(code, Some(1), "{answer}");
    assert_eq!(answer["status"], "failed");
    assert!(answer["reason"].as_str().unwrap().contains("ray"));
    assert!(answer["certificate"]["worst"].as_f64().unwrap() > 1e-10);
}

/// Two sides of a body that both approach it.
const SQUEEZED: &str = r#"{"kind":"contact","delassus":[[1.0,0.0,-1.0,0.0],[0.0,1.0,0.0,-1.0],[-1.0,0.0,1.0,0.0],[0.0,-1.0,0.0,1.0]],
    "bias":[-1.0,0.0,-1.0,0.0],"contacts":[{"mu":0.3},{"mu":0.3}]}"#;

#[test]
fn contacts_that_contradict_each_other_have_no_solution_and_a_proof() {
    for args in [&[][..], &["--formulation", "cone"]] {
        let (code, answer) = solve(SQUEEZED, args);
        assert_eq!((code, answer["status"].as_str()), (Some(1), Some("no_solution")), "{answer}");
        assert!(answer["contradictions"].as_u64().unwrap() >= 1);
        // The two normal rows add up to a negative number.
        let terms = &answer["proof"]["cases"]["contradiction"];
        if let Some(terms) = terms.as_array() {
            let rows: Vec<_> =
                terms.iter().map(|t| (&t["row"]["kind"], &t["row"]["row"])).collect();
            assert!(rows.iter().all(|r| *r.0 == "velocity"), "{terms:?}");
            assert!(terms.iter().all(|t| t["multiplier"].as_f64().unwrap() > 0.0), "{terms:?}");
        } else {
            assert!(answer["proof"]["cases"]["part"].is_u64(), "{answer}");
        }
    }
}

#[test]
fn small_impulses_are_printed_with_their_digits_and_idle_options_are_refused() {
    let text = r#"{"kind":"contact","delassus":[[1,0],[0,1]],"bias":[-1.25e-13,0],"contacts":[{"mu":0.1}]}"#;
    let out = stickslip_on(text, &["solve", "-"]);
    assert!(stdout(&out).contains("N 1.2500000000e-13  T 0.0000000000\n"), "{}", stdout(&out));
    for (args, word) in [
        (["--directions", "16"], "--directions does nothing without --formulation stewart_trinkle"),
        (["--rho", "10"], "--rho does nothing without --formulation phantom_inertia"),
    ] {
        let out = stickslip_on(text, &[&["solve", "-"], &args[..]].concat());
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{error}");
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn how_unsymmetric_a_matrix_is_is_told() {
    let text = r#"{"kind":"contact","delassus":[[1.0,0.2],[0.2001,1.0]],"bias":[-1.0,0.5],"contacts":[{"mu":0.3}]}"#;
    let (code, answer) = solve(text, &[]);
    assert_eq!(code, Some(0), "{answer}");
    assert!((answer["asymmetry"].as_f64().unwrap() - 1e-4).abs() < 1e-8);
    assert_eq!(solve(RAY, &[]).1["asymmetry"], 0.0);
}

#[test]
fn that_there_is_no_solution_is_told_apart_from_failure() {
    let (code, answer) = solve(r#"{"kind":"lcp","m":[[0.0]],"q":[-1.0]}"#, &[]);
    assert_eq!((code, answer["status"].as_str()), (Some(1), Some("no_solution")));
    // Farkas: y ≥ 0 with Mᵀy ≤ 0 and qᵀy < 0.
    assert_eq!(answer["proof"]["kind"], "infeasible");
    assert!(answer["proof"]["y"][0].as_f64().unwrap() > 0.0, "{answer}");
    let (_, solved) = solve(r#"{"kind":"lcp","m":[[1.0]],"q":[-1.0]}"#, &[]);
    assert!(solved["proof"].is_null());
}

#[test]
fn mistakes_in_a_problem_are_named_with_their_place() {
    let cases = [
        ("{\"kind\":\"lcp\",\n\"m\":[[1.0]],\"q\":[oops]}", "line 2, column 18"),
        (r#"{"kind":"qp"}"#, "\"contact\""),
        (
            r#"{"kind":"contact","delassus":[[1,0],[0,1]],"bias":[0,0],"contacts":[{"mu":-1}]}"#,
            "mu of contact 0",
        ),
        (r#"{"kind":"contact","delassus":[[1,0]],"bias":[0,0],"contacts":[{}]}"#, "delassus"),
        (r#"{"kind":"contact","delassus":[[1,0],[0,1]],"bias":[0,0],"contacts":[{"nu":1}]}"#, "nu"),
        ("", "an object"),
    ];
    for (text, word) in cases {
        let (code, answer) = solve(text, &[]);
        assert_eq!(code, Some(2), "{text}");
        assert!(answer.as_str().unwrap().contains(word), "{text}: {answer}");
    }
    let (code, answer) =
        solve(r#"{"kind":"lcp","m":[[1]],"q":[1]}"#, &["--formulation", "glocker_studer"]);
    assert_eq!(code, Some(2));
    assert!(answer.as_str().unwrap().contains("contact problems"));
    let out = stickslip(&["solve", "no-such-file.json"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("no-such-file.json"));
}

/// The path of an example problem.
fn example(name: &str) -> String {
    format!("{}/../../problems/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn solve_file(path: &str, args: &[&str]) -> (Option<i32>, Value) {
    let out = stickslip(&[&["solve", path, "--json"], args].concat());
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    (out.status.code(), serde_json::from_str(&stdout(&out)).unwrap_or(Value::String(error)))
}

#[test]
fn the_box_on_four_corners_is_solved_by_every_formulation_and_solver() {
    let path = example("box_on_four_corners.json");
    for args in [
        &[][..],
        &["--solver", "nsgs"],
        &["--solver", "admm"],
        &["--solver", "newton", "--formulation", "cone"],
        &["--solver", "interior_point", "--formulation", "cone"],
        &["--formulation", "stewart_trinkle", "--directions", "16"],
        &["--formulation", "anitescu_potra"],
        &["--formulation", "phantom_inertia", "--rho", "1000"],
        &["--formulation", "convexified_cone"],
    ] {
        let (code, answer) = solve_file(&path, &[args, &["--minimum-norm"]].concat());
        assert_eq!(code, Some(0), "{args:?}: {answer}");
        // 2 kg that fall with 0.0981 m/s: a quarter of the impulse each, but for the moment of the push.
        let normals: Vec<f64> =
            (0..4).map(|i| answer["impulse"][3 * i].as_f64().unwrap()).collect();
        assert!((normals.iter().sum::<f64>() - 0.1962).abs() < 1e-9, "{args:?}: {answer}");
        assert!((normals[0] - normals[3]).abs() < 1e-9 && (normals[1] - normals[2]).abs() < 1e-9);
        assert_eq!(answer["components"][3], serde_json::json!(["N", "T", "O"]));
        assert_eq!(answer["modes"][0], "stick");
        assert_eq!(answer["redundancy"]["rank"], 6);
        assert_eq!(answer["redundancy"]["dimension"], 6, "{args:?}");
        let exact = args.is_empty()
            || args.contains(&"cone")
            || args.contains(&"nsgs")
            || args.contains(&"admm");
        assert_eq!(answer["model"].is_null(), exact, "{args:?}: {answer}");
    }
}

#[test]
fn a_relaxed_box_has_unique_impulses_and_an_error_of_its_model() {
    let (code, answer) =
        solve_file(&example("box_on_four_corners.json"), &["--relaxation", "0.01"]);
    assert_eq!(code, Some(0), "{answer}");
    assert_eq!(answer["redundancy"]["dimension"], 0);
    assert!(answer["model"]["worst"].as_f64().unwrap() > 1e-4);
    assert!(answer["certificate"]["worst"].as_f64().unwrap() <= 1e-10);
}

#[test]
fn every_kind_of_contact_is_solved_and_named() {
    let path = example("every_kind.json");
    let (code, answer) = solve_file(&path, &[]);
    assert_eq!(code, Some(0), "{answer}");
    let sizes: Vec<usize> = answer["components"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c.as_array().unwrap().len())
        .collect();
    assert_eq!(sizes, [1, 2, 3, 4, 3, 4, 4, 2]);
    assert_eq!(answer["components"][7], serde_json::json!(["B1", "B2"]));
    let text = stdout(&stickslip(&["solve", &path]));
    for word in ["contact 7", "B2 ", "R ", "unique (rank 23 of 23)"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let text = stdout(&stickslip(&["solve", &path, "--formulation", "stewart_trinkle"]));
    assert!(text.contains("error of the model"), "{text}");
}

#[test]
fn a_problem_in_hdf5_is_solved_as_the_same_in_json() {
    let dir = Scratch::new("solve-hdf5");
    let json = std::fs::read_to_string(example("box_on_four_corners.json")).unwrap();
    let problem = stickslip::contact::ContactProblem::from_json(&json).unwrap();
    let path = dir.file("box.hdf5");
    stickslip_scene::write_fclib(&problem, &path).unwrap();
    let (code, answer) = solve_file(path.to_str().unwrap(), &["--minimum-norm"]);
    assert_eq!(code, Some(0), "{answer}");
    let (_, same) = solve_file(&example("box_on_four_corners.json"), &["--minimum-norm"]);
    assert_eq!(answer["impulse"], same["impulse"]);
    // Cut in the middle.
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let (code, answer) = solve_file(path.to_str().unwrap(), &[]);
    assert_eq!(code, Some(2), "{answer}");
    assert!(answer.as_str().unwrap().contains("box.hdf5"), "{answer}");
}

#[test]
fn large_problems_are_solved_without_a_look_at_uniqueness() {
    let (n, k) = (303, 101);
    let list = |f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<Vec<_>>().join(",");
    let index = list(&|i| i.to_string());
    let text = format!(
        r#"{{"kind":"contact","dimension":3,"delassus":{{"n":{n},"rows":[{index}],"cols":[{index}],"values":[{}]}},"bias":[{}],"contacts":[{}]}}"#,
        list(&|_| "1".to_owned()),
        list(&|i| if i % 3 == 0 { "-1" } else { "0.1" }.to_owned()),
        vec![r#"{"mu":0.5}"#; k].join(","),
    );
    let (code, answer) = solve(&text, &[]);
    assert_eq!(code, Some(0), "{answer}");
    assert!(answer["redundancy"].is_null());
    let table = stdout(&stickslip_on(&text, &["solve", "-"]));
    assert!(
        table.contains("more than 300 rows") && table.contains("101 contacts in all"),
        "{table}"
    );
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let path = example("box_on_four_corners.json");
    for (args, word) in [
        (&["--formulation", "glocker_studer"][..], "planar contacts"),
        (&["--formulation", "cone", "--solver", "lemke"], "cone cannot be used with lemke"),
        (&["--formulation", "stewart_trinkle", "--solver", "admm"], "cannot be used with admm"),
        (&["--formulation", "phantom_inertia", "--directions", "7"], "directions is 7"),
        (&["--directions", "2"], "directions is 2"),
        (&["--rho=-1"], "rho is -1"),
        (&["--relaxation", "2"], "relaxation is 2"),
    ] {
        let (code, answer) = solve_file(&path, args);
        assert_eq!(code, Some(2), "{args:?}: {answer}");
        assert!(answer.as_str().unwrap().contains(word), "{args:?}: {answer}");
    }
    let lcp = r#"{"kind":"lcp","m":[[1]],"q":[1]}"#;
    for args in
        [&["--minimum-norm"][..], &["--rho", "1"], &["--solver", "nsgs"], &["--solver", "admm"]]
    {
        let (code, answer) = solve(lcp, args);
        assert_eq!(code, Some(2), "{args:?}");
        assert!(answer.as_str().unwrap().contains("contact problems"), "{answer}");
    }
    let (code, answer) = solve(
        r#"{"kind":"contact","delassus":[[1]],"bias":[0],"contacts":[{"friction":"sticky"}]}"#,
        &[],
    );
    assert_eq!(code, Some(2));
    let text = answer.as_str().unwrap();
    assert!(text.contains("sticky") && !text.contains("kinds of problem"), "{text}");
}

#[test]
fn without_json_people_get_a_table() {
    let dir = Scratch::new("solve-table");
    std::fs::write(dir.file("p.json"), RAY).unwrap();
    let out = stickslip(&["solve", dir.file("p.json").to_str().unwrap()]);
    let text = stdout(&out);
    for word in ["solved", "impulse", "stick", "worst certificate", "3.0000000000"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}
