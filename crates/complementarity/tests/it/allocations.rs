//! After the first solve, a second of the same size allocates nothing.

use allocation_counter::measure;
use complementarity::{InteriorPoint, Lcp, Matrix, MixedSolver, Newton, Pgs, Solver};

/// Allocations on this thread, so that other tests may run at the same time.
fn allocations(work: impl FnOnce()) -> u64 {
    measure(work).count_total
}

fn problem(n: usize, shift: f64, sign: f64) -> Lcp {
    let m = Matrix::from_fn(n, n, |i, j| {
        1.0 / (1.0 + i.abs_diff(j) as f64) + if i == j { shift } else { 0.0 }
    });
    Lcp::new(m, (0..n).map(|i| sign * ((3 * i) as f64).sin()).collect()).unwrap()
}

#[test]
fn pgs_allocates_nothing_the_second_time() {
    let n = 40;
    // The first problem is solved by z = 0, so that nothing but its size prepares for the others.
    let easy = Lcp::new(Matrix::identity(n), vec![1.0; n]).unwrap();
    let singular = Lcp::new(Matrix::from_fn(n, n, |_, _| 1.0), vec![-1.0; n]).unwrap();
    let hard = problem(n, 1.0, 1.0);
    let mixed = hard.to_mlcp();
    let mut pgs = Pgs::default();
    assert!(allocations(|| assert!(pgs.solve(&easy).is_solved())) > 0);
    let count = allocations(|| {
        assert!(pgs.solve(&hard).is_solved());
        assert!(pgs.solve_mixed(&mixed).is_solved());
        assert!(pgs.solve(&singular).is_solved());
    });
    assert_eq!(count, 0);
}

#[test]
fn newton_and_the_interior_point_allocate_nothing_the_second_time() {
    let n = 30;
    let easy = Lcp::new(Matrix::identity(n), vec![1.0; n]).unwrap();
    let p = problem(n, 0.5, -1.0);
    let solvers: [Box<dyn Solver>; 2] =
        [Box::new(Newton::default()), Box::new(InteriorPoint::default())];
    for mut solver in solvers {
        assert!(solver.solve(&easy).is_solved());
        assert_eq!(allocations(|| assert!(solver.solve(&p).is_solved())), 0);
    }
}
