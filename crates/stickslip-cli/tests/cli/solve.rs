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

#[test]
fn that_there_is_no_solution_is_told_apart_from_failure() {
    let (code, answer) = solve(r#"{"kind":"lcp","m":[[0.0]],"q":[-1.0]}"#, &[]);
    assert_eq!((code, answer["status"].as_str()), (Some(1), Some("no_solution")));
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
