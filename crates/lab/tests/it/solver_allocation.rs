//! A second solve of the same size allocates nothing.

use allocation_counter::measure;
use stickslip_lab::{ALLOCATION_FREE, plain_family, plain_solver};

/// Families and sizes on which solves end with a solution rather than with a ray or a proof, which
/// are handed out in storage of their own.
/// Badly scaled problems are left out: solves of them allocate a little.
const PLACES: &[(&str, &[usize])] = &[
    ("pd_symmetric", &[1, 3, 6, 30, 80]),
    ("pd_unsymmetric", &[6, 30]),
    ("psd_symmetric", &[6, 30]),
    ("p_m_matrix", &[6, 30, 80]),
    ("p_triangular", &[6]),
    ("planar_stewart_trinkle", &[4, 24]),
    ("planar_glocker_studer", &[3, 24]),
    ("degenerate_identity", &[6, 30]),
    ("degenerate_duplicates", &[6, 30]),
];

#[test]
fn the_counter_counts() {
    let info = measure(|| drop(std::hint::black_box(vec![1.0; 100])));
    assert_eq!(info.count_total, 1);
}

#[test]
fn a_second_solve_of_the_same_size_allocates_nothing() {
    let mut wrong = Vec::new();
    for name in ALLOCATION_FREE {
        let mut counted = 0;
        for &(family, sizes) in PLACES {
            let family = plain_family(family).expect("the family exists");
            for &n in sizes {
                let mut solver = plain_solver(name).expect("the solver is listed");
                let problems = [1, 2, 3].map(|seed| family.instance(n, seed).problem);
                // Instances of one size may differ in the number of pivots, but not in storage.
                if !solver.solve(&problems[0]).is_solved() {
                    continue;
                }
                for problem in &problems {
                    let mut solved = false;
                    let info = measure(|| solved = solver.solve(problem).is_solved());
                    if solved && problem.len() == problems[0].len() {
                        counted += 1;
                        if info.count_total > 0 {
                            let bytes = info.bytes_total;
                            wrong.push(format!("{name} on {} n={n}: {bytes} bytes", family.name));
                        }
                    }
                }
            }
        }
        assert!(counted >= 10, "{name} solved only {counted} problems");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
