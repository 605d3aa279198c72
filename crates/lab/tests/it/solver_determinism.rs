//! The same problem gives the same bits, from a new solver and from one with a past.

use complementarity::Solution;
use stickslip_lab::{mixed_families, mixed_solvers, plain_families, plain_solvers};

/// Everything in a solution, bit by bit.
fn bits(s: &Solution) -> (Vec<u64>, Vec<u64>, String) {
    let of = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect();
    let rest =
        format!("{:?} {:?} {:?} {:?} {:?}", s.status, s.residual, s.statistics, s.ray, s.proof);
    (of(&s.z), of(&s.w), rest)
}

#[test]
fn plain_solvers_repeat_themselves_to_the_last_bit() {
    let mut used = plain_solvers();
    for family in plain_families() {
        for n in [1, 4, 17] {
            let problem = family.instance(n, 5).problem;
            for (i, mut first) in plain_solvers().into_iter().enumerate() {
                let name = first.name();
                let place = format!("{name} on {} n={n}", family.name);
                let once = bits(first.solve(&problem));
                let mut second = plain_solvers().swap_remove(i);
                assert_eq!(once, bits(second.solve(&problem)), "{place}, another solver");
                assert_eq!(once, bits(first.solve(&problem)), "{place}, again");
                assert_eq!(once, bits(used[i].solve(&problem)), "{place}, with a past");
            }
        }
    }
}

#[test]
fn mixed_solvers_repeat_themselves_to_the_last_bit() {
    let mut used = mixed_solvers();
    for family in mixed_families() {
        for n in [2, 6, 17] {
            let problem = family.instance(n, 5).problem;
            for (i, (name, mut first)) in mixed_solvers().into_iter().enumerate() {
                let place = format!("{name} on {} n={n}", family.name);
                let once = bits(first.solve_mixed(&problem));
                let mut second = mixed_solvers().swap_remove(i).1;
                assert_eq!(once, bits(second.solve_mixed(&problem)), "{place}, another solver");
                assert_eq!(once, bits(first.solve_mixed(&problem)), "{place}, again");
                assert_eq!(once, bits(used[i].1.solve_mixed(&problem)), "{place}, with a past");
            }
        }
    }
}
