//! Closed forms for each shape of set, on the way of long steps and on the path followed.

use super::*;
use crate::ContactProblem;
use crate::set::Polyhedron;
use crate::solvers::Method;
use complementarity::Matrix;

/// A unit mass pressed to the ground at speed 2, that slides along x at speed 3 and spins about the normal at −1.
fn slider(radius: f64, set: ConvexSet) -> ContactProblem {
    let n = 1 + set.dimension();
    let b = [-2.0, 3.0, 0.0, -1.0][..n].to_vec();
    let law = Law { radius, ..Law::with_set(0.25, set) };
    ContactProblem::new(Matrix::identity(n), b, vec![law]).unwrap()
}

fn cube() -> ConvexSet {
    let normals = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.5]];
    ConvexSet::Polyhedron(Polyhedron::symmetric(&normals).unwrap())
}

fn check(problem: &ContactProblem, expected: &[f64]) {
    for (trace, path) in [(false, 0), (true, 0), (true, 7)] {
        let settings = Settings { trace, path, max_steps: 300, ..Default::default() };
        let mut solver = SplitInteriorPoint::new(settings).unwrap();
        let found = solver.solve(problem);
        assert!(found.is_solved(), "trace {trace}: {:?}", found.certificate);
        for (x, y) in found.impulse.iter().zip(expected) {
            assert!((x - y).abs() < 1e-7, "trace {trace}, path {path}: {:?}", found.impulse);
        }
    }
}

#[test]
fn a_slider_gets_the_extreme_point_of_its_set() {
    check(&slider(0.0, ConvexSet::Interval), &[2.0, -0.5]);
    check(&slider(0.0, ConvexSet::Disc), &[2.0, -0.5, 0.0]);
    check(&slider(0.0, cube()), &[2.0, -0.5, 0.0, 1.0]);
    let mixed = ConvexSet::Mixed { ellipse: [1.0, 1.0], spin: 0.5 };
    check(&slider(0.0, mixed), &[2.0, -0.5, 0.0, 0.25]);
}

#[test]
fn a_constant_radius_adds_to_friction() {
    check(&slider(0.5, cube()), &[2.0, -1.0, 0.0, 1.0]);
}

#[test]
fn without_friction_only_the_normal_row_takes_part() {
    let law = Law::with_set(0.0, ConvexSet::Disc);
    let problem = ContactProblem::new(Matrix::identity(3), vec![-2.0, 3.0, 0.0], vec![law]);
    check(&problem.unwrap(), &[2.0, 0.0, 0.0]);
}

#[test]
fn sliding_laws_are_another_class() {
    let law = Law::coulomb(0.5).sliding_with([1.0, 0.0, 0.0]);
    let problem = ContactProblem::new(Matrix::identity(2), vec![-1.0, 1.0], vec![law]);
    let mut solver = SplitInteriorPoint::default();
    let found = solver.solve(&problem.unwrap());
    assert_eq!(found.status, complementarity::Status::Failed(Failure::WrongClass));
}

#[test]
fn settings_out_of_range_are_refused() {
    for settings in [
        Settings { tolerance: 0.0, ..Default::default() },
        Settings { centring: -1.0, ..Default::default() },
        Settings { boundary: 1.0, ..Default::default() },
    ] {
        assert!(SplitInteriorPoint::new(settings).is_err());
    }
}
