//! Contacts of very different sizes in one problem.

use super::made::solutions_of;
use complementarity::Matrix;
use stickslip_contact::analysis::solutions::{Count, Settings};
use stickslip_contact::{ContactProblem, Law};

/// Painlevé's two solutions beside a contact that has nothing to do with them and is `size` times as loaded.
fn beside(size: f64, jammed: Law, other: Law) -> ContactProblem {
    let (d, e) = (jammed.components(), other.components());
    let w = Matrix::from_fn(d + e, d + e, |i, j| match (i, j) {
        (0, 1) | (1, 0) => 0.9,
        _ if i == j => 1.0,
        _ => 0.0,
    });
    let mut b = vec![0.0; d + e];
    (b[0], b[d], b[d + 1]) = (1.0, -size, 2.0 * size);
    ContactProblem::new(w, b, vec![jammed, other]).unwrap()
}

#[test]
fn solutions_of_a_contact_do_not_depend_on_how_loaded_another_is() {
    let jammed = [
        Law::coulomb(2.0).sliding_with([1.0, 0.0, 0.0]),
        Law::disc(2.0).sliding_with([1.0, 0.0, 0.0]),
    ];
    for jammed in jammed {
        for other in [Law::coulomb(0.5), Law::disc(0.5)] {
            for size in [1.0, 1e3, 1e6, 1e9, 1e12, 1e-6, 1e-9, 1e-12] {
                let problem = beside(size, jammed.clone(), other.clone());
                let found = solutions_of(&problem, &Settings::default()).unwrap();
                assert_eq!(
                    found.count(),
                    Count::Exactly(2),
                    "{size} {jammed:?} {other:?} {}",
                    found.summary()
                );
            }
        }
    }
}
