//! Every solver over every family: nobody lies, and `auto` settles what can be settled.

use proptest::prelude::*;
use stickslip_lab::{
    AUTO, Expected, Record, Verdict, mixed_families, mixed_solvers, plain_families, plain_family,
    plain_solver, plain_solvers, run, run_mixed,
};

const SIZES: [usize; 8] = [1, 2, 3, 5, 8, 13, 30, 60];
const SEEDS: std::ops::Range<u64> = 0..3;

/// Whether `auto` had to settle this problem and did not.
fn auto_failed(record: &Record, demanded: bool) -> bool {
    let settled = match record.expected {
        Expected::Solvable => record.verdict == Verdict::Solved,
        Expected::Unsolvable => record.verdict == Verdict::Proved,
        Expected::Unknown => true,
    };
    record.solver == AUTO && demanded && !settled
}

/// Fails with a list of everything that is wrong.
fn demand(records: Vec<(Record, bool)>) {
    let wrong: Vec<String> = records
        .iter()
        .filter(|(record, demanded)| record.verdict.is_lie() || auto_failed(record, *demanded))
        .map(|(record, _)| record.to_string())
        .collect();
    assert!(wrong.is_empty(), "{} of {} solves:\n{}", wrong.len(), records.len(), wrong.join("\n"));
}

#[test]
fn nobody_lies_about_plain_problems_and_auto_settles_them() {
    let mut records = Vec::new();
    for family in plain_families() {
        for (n, seed) in SIZES.iter().flat_map(|&n| SEEDS.map(move |seed| (n, seed))) {
            let instance = family.instance(n, seed);
            for mut solver in plain_solvers() {
                records.push((run(solver.as_mut(), &instance), family.demanded));
            }
        }
    }
    demand(records);
}

#[test]
fn nobody_lies_about_mixed_problems_and_auto_settles_them() {
    let mut records = Vec::new();
    for family in mixed_families() {
        for (n, seed) in SIZES.iter().flat_map(|&n| SEEDS.map(move |seed| (n, seed))) {
            let instance = family.instance(n, seed);
            for (name, mut solver) in mixed_solvers() {
                records.push((run_mixed(name, solver.as_mut(), &instance), family.demanded));
            }
        }
    }
    demand(records);
}

#[test]
fn auto_settles_large_problems() {
    const LARGE: [(&str, usize); 7] = [
        ("pd_symmetric", 500),
        ("p_m_matrix", 500),
        ("planar_glocker_studer", 200),
        ("planar_stewart_trinkle", 200),
        ("spatial_stewart_trinkle", 200),
        ("stack_boxes", 500),
        ("scaled_friction", 150),
    ];
    let mut auto = plain_solver(AUTO).expect("auto is listed");
    let record = |(family, n): (&str, usize)| {
        let family = plain_family(family).expect("the family exists");
        (run(auto.as_mut(), &family.instance(n, 1)), family.demanded)
    };
    demand(LARGE.into_iter().map(record).collect());
}

/// Found among thousands: negligible entries, or independent parts, in bad units. See `Balance::units_of`.
#[test]
fn auto_settles_problems_in_the_worst_units() {
    const WORST: [(&str, usize, u64); 5] = [
        ("scaled_friction", 90, 16),
        ("scaled_friction", 75, 1840),
        ("scaled_friction", 75, 1957),
        ("scaled_friction", 90, 1739),
        ("scaled_infeasible", 90, 5190),
    ];
    let mut auto = plain_solver(AUTO).expect("auto is listed");
    let record = |(family, n, seed): (&str, usize, u64)| {
        let family = plain_family(family).expect("the family exists");
        (run(auto.as_mut(), &family.instance(n, seed)), family.demanded)
    };
    demand(WORST.into_iter().map(record).collect());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_seed_of_any_plain_family_will_do(
        family in 0..plain_families().len(),
        n in 1usize..=20,
        seed in any::<u64>(),
    ) {
        let family = &plain_families()[family];
        let instance = family.instance(n, seed);
        let records = plain_solvers().iter_mut().map(|s| run(s.as_mut(), &instance)).collect::<Vec<_>>();
        demand(records.into_iter().map(|r| (r, family.demanded)).collect());
    }

    #[test]
    fn any_seed_of_any_mixed_family_will_do(
        family in 0..mixed_families().len(),
        n in 1usize..=20,
        seed in any::<u64>(),
    ) {
        let family = &mixed_families()[family];
        let instance = family.instance(n, seed);
        let mut records = Vec::new();
        for (name, mut solver) in mixed_solvers() {
            records.push((run_mixed(name, solver.as_mut(), &instance), family.demanded));
        }
        demand(records);
    }
}
