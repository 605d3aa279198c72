//! Friction problems made from contact systems. For existence see `contact`.

use crate::contact::{self, System, glocker_studer, phantom_inertia, stewart_trinkle};
use crate::dense::{cholesky, cholesky_solve};
use crate::instance::Plain;
use complementarity::Matrix;
use stickslip_studies::Draw;

/// How many contacts give about `n` unknowns at `per` each.
fn contacts(n: usize, per: usize) -> usize {
    (n / per).max(1)
}

pub(super) fn planar_glocker_studer(d: &mut Draw, n: usize) -> Plain {
    glocker_studer(&contact::random(d, 1, contacts(n, 3)))
}

pub(super) fn planar_stewart_trinkle(d: &mut Draw, n: usize) -> Plain {
    stewart_trinkle(&contact::random(d, 1, contacts(n, 4)), 2)
}

pub(super) fn spatial_stewart_trinkle(d: &mut Draw, n: usize) -> Plain {
    let m = [4, 6, 8][d.index(3)];
    stewart_trinkle(&contact::random(d, 2, contacts(n, m + 2)), m)
}

pub(super) fn spatial_phantom_inertia(d: &mut Draw, n: usize) -> Plain {
    let lines = [2, 3, 4][d.index(3)];
    let system = contact::definite(d, 2, contacts(n, 1 + 2 * lines));
    // Far above every value that makes the matrix singular; at two lines zero will do as well.
    let rho = match d.index(3) {
        0 if lines == 2 => 0.0,
        1 => d.log_between(0.1, 100.0),
        _ => 10.0 * lines as f64 * largest_tangential_inertia(&system),
    };
    phantom_inertia(&system, lines, rho)
}

/// A bound on the largest eigenvalue of the tangential block of W⁻¹: its row sums.
fn largest_tangential_inertia(s: &System) -> f64 {
    let l = cholesky(&s.w, 1e-12).expect("the system is definite");
    let inverse = cholesky_solve(&l, &Matrix::identity(s.w.rows()));
    let sum = |i: usize| inverse.row(i)[s.contacts..].iter().map(|x| x.abs()).sum();
    (s.contacts..s.w.rows()).map(sum).fold(0.0, f64::max)
}

fn planar_structure(d: &mut Draw, k: usize) -> System {
    match d.index(3) {
        0 => contact::planar_stack(d, k),
        1 => contact::planar_pyramid(d, k),
        _ => contact::wedges(d, k),
    }
}

pub(super) fn stack_glocker_studer(d: &mut Draw, n: usize) -> Plain {
    glocker_studer(&planar_structure(d, contacts(n, 3)))
}

pub(super) fn stack_stewart_trinkle(d: &mut Draw, n: usize) -> Plain {
    stewart_trinkle(&planar_structure(d, contacts(n, 4)), 2)
}

pub(super) fn stack_boxes(d: &mut Draw, n: usize) -> Plain {
    let m = [4, 6, 8][d.index(3)];
    stewart_trinkle(&contact::box_stack(d, contacts(n, m + 2)), m)
}
