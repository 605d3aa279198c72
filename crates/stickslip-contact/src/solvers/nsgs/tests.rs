//! Order, threads, relaxation and extrapolation lead to the same answer.

use super::*;
use crate::block::BlockMatrix;
use crate::solvers::Method;
use crate::{ContactProblem, Law};

/// A wide lattice of contacts, each coupled to four neighbours; large enough that threads share a colour.
fn lattice(side: usize) -> ContactProblem {
    let at = |x: usize, y: usize| y * side + x;
    let mut blocks = Vec::new();
    let couple = |c: f64| vec![c, 0.02, 0.0, 0.01, c, 0.03, 0.0, 0.0, c];
    for y in 0..side {
        for x in 0..side {
            let own = vec![1.0, 0.1, 0.0, 0.1, 1.2, 0.0, 0.0, 0.0, 0.9];
            blocks.push((at(x, y), at(x, y), own));
            if x > 0 {
                blocks.push((at(x, y), at(x - 1, y), couple(0.15)));
            }
            if y > 0 {
                blocks.push((at(x, y), at(x, y - 1), couple(-0.12)));
            }
        }
    }
    let k = side * side;
    let b = (0..3 * k).map(|i| ((i * 7919) % 17) as f64 / 8.0 - 1.3).collect();
    let w = BlockMatrix::from_one_triangle(&vec![3; k], blocks).unwrap();
    ContactProblem::new(w, b, vec![Law::disc(0.4); k]).unwrap()
}

fn solved(problem: &ContactProblem, settings: Settings) -> ContactSolution {
    let solution = Nsgs::new(settings).unwrap().solve(problem).clone();
    assert!(solution.is_solved(), "{settings:?}: {:?}", solution.certificate);
    solution
}

#[test]
fn every_order_relaxation_and_memory_finds_the_same_impulses() {
    let problem = lattice(6);
    let expected = solved(&problem, Settings::default()).impulse;
    for order in [Order::Given, Order::Coloured] {
        for (relaxation, memory) in [(1.0, 0), (1.2, 0), (0.8, 0), (1.0, 5), (1.1, 20)] {
            let settings = Settings { order, relaxation, memory, ..Default::default() };
            let found = solved(&problem, settings).impulse;
            for (x, y) in found.iter().zip(&expected) {
                assert!((x - y).abs() < 1e-7, "{settings:?}: {x} {y}");
            }
        }
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let ok = Settings::default();
    let wrong = [
        Settings { relaxation: 2.0, ..ok },
        Settings { relaxation: 0.0, ..ok },
        Settings { memory: 21, ..ok },
        Settings { threads: 0, ..ok },
        Settings { threads: 2, ..ok },
        Settings { tolerance: 0.0, ..ok },
    ];
    for settings in wrong {
        assert!(Nsgs::new(settings).is_err(), "{settings:?}");
    }
    let two = Settings { threads: 2, order: Order::Coloured, ..ok };
    assert_eq!(Nsgs::new(two).is_ok(), cfg!(feature = "parallel"));
}

#[cfg(feature = "parallel")]
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let problem = lattice(24);
    let with = |threads: usize| {
        let order = Order::Coloured;
        solved(&problem, Settings { order, threads, memory: 4, ..Default::default() })
    };
    let one = with(1);
    for threads in [2, 3, 4] {
        let more = with(threads);
        assert_eq!(one, more, "{threads} threads");
        let bits = |s: &ContactSolution| s.impulse.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&one), bits(&more), "{threads} threads");
    }
}
