//! Iteration counts, written down: a change of an algorithm shows here even where answers do not.
//!
//! After a deliberate change, run with `UPDATE=1` and read the difference.

use std::fmt::Write as _;
use std::path::Path;
use stickslip_lab::{plain_family, plain_solvers};

const CASES: &[(&str, usize)] = &[
    ("pd_symmetric", 6),
    ("pd_symmetric", 60),
    ("psd_unsymmetric", 30),
    ("p_h_matrix", 30),
    ("copositive_strict", 30),
    ("planar_glocker_studer", 30),
    ("planar_stewart_trinkle", 60),
    ("spatial_stewart_trinkle", 60),
    ("spatial_phantom_inertia", 30),
    ("stack_boxes", 60),
    ("degenerate_transport", 30),
    ("scaled_friction", 30),
];

#[test]
fn iteration_counts_are_as_written_down() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/iterations.txt");
    let counts = counts();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &counts).expect("the file can be written");
    }
    let written = std::fs::read_to_string(&path).expect("the file exists");
    assert_eq!(counts, written);
}

fn counts() -> String {
    let mut text = String::new();
    for &(family, n) in CASES {
        let instance = plain_family(family).expect("the family exists").instance(n, 1);
        write!(text, "{family} {}:", instance.problem.len()).expect("a string takes all");
        for mut solver in plain_solvers() {
            let solution = solver.solve(&instance.problem).clone();
            let mark = if solution.is_solved() { "" } else { "?" };
            let iterations = solution.statistics.iterations;
            write!(text, " {} {iterations}{mark}", solver.name()).expect("a string takes all");
        }
        text.push('\n');
    }
    text
}
