//! The bounds of theorem 1 on random systems: the fast part of the study.

use stickslip_lab::existence::{BOUNDS, Family, self_stress, sharpness, verify};

#[test]
fn below_the_bounds_there_is_no_counter_example() {
    let (mut posed, mut unknown) = ([0; 6], 0);
    for family in Family::ALL {
        for contacts in 1..=4 {
            for seed in 10_000..10_015 {
                let report = verify(family, contacts, seed, 2);
                assert_eq!(report.counter_examples, [0; 6], "{family:?} {contacts} {seed}");
                for k in 0..6 {
                    posed[k] += report.posed[k];
                    unknown += report.unknown[k];
                }
            }
        }
    }
    assert!(posed.iter().all(|&n| n > 100), "{BOUNDS:?} {posed:?}");
    assert!(unknown < 20, "{unknown}");
}

#[test]
fn just_above_the_bounds_by_modes_both_fail() {
    let (mut several, mut none) = ([0; 2], [0; 2]);
    for family in [Family::Planar, Family::Sliding] {
        for seed in 0..40 {
            let found = sharpness(family, 1, seed, 200);
            for (tally, found) in [(&mut several, found.several), (&mut none, found.none)] {
                tally[0] += usize::from(found.is_some());
                tally[1] += usize::from(found == Some(true));
            }
        }
    }
    // Random b do not hit every narrow set of those with several solutions.
    for [looked, found] in [several, none] {
        assert!(looked > 15 && 10 * found >= 9 * looked, "{several:?} {none:?}");
    }
}

#[test]
fn where_no_self_stress_works_against_b_there_is_a_solution() {
    for family in [Family::Planar, Family::Space] {
        for contacts in 1..=4 {
            for seed in 20_000..20_020 {
                for at_rest in [false, true] {
                    let outcome = self_stress(family, contacts, seed, at_rest);
                    assert!(!outcome.is_wrong(), "{family:?} {contacts} {seed}: {outcome:?}");
                    assert!(outcome.gap.abs() < 1e-6, "{family:?} {contacts} {seed}: {outcome:?}");
                }
            }
        }
    }
}
