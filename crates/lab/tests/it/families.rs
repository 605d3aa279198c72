//! What the families claim about their instances is true.

use stickslip_lab::{Expected, Reference, Verdict, mixed_families, plain_families, run, run_mixed};

#[test]
fn what_is_said_to_be_solvable_is_solved_by_the_reference_and_nothing_else_is() {
    let mut wrong = Vec::new();
    for family in plain_families() {
        for n in 1..=7 {
            for seed in 0..4 {
                let instance = family.instance(n, seed);
                if instance.problem.len() > 7 {
                    continue;
                }
                let record = run(&mut Reference::default(), &instance);
                let fits = match instance.expected {
                    Expected::Solvable => record.verdict == Verdict::Solved,
                    Expected::Unsolvable => matches!(record.verdict, Verdict::Failed(_)),
                    Expected::Unknown => !record.verdict.is_lie(),
                };
                if !fits {
                    wrong.push(record.to_string());
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_said_of_mixed_problems_is_so() {
    let mut wrong = Vec::new();
    for family in mixed_families() {
        for n in 1..=7 {
            for seed in 0..4 {
                let instance = family.instance(n, seed);
                if instance.problem.len() > 7 {
                    continue;
                }
                let record = run_mixed("reference", &mut Reference::default(), &instance);
                let fits = match instance.expected {
                    Expected::Solvable => record.verdict == Verdict::Solved,
                    Expected::Unsolvable => matches!(record.verdict, Verdict::Failed(_)),
                    Expected::Unknown => !record.verdict.is_lie(),
                };
                if !fits {
                    wrong.push(record.to_string());
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn planted_solutions_are_solutions() {
    for family in plain_families() {
        for n in [1, 5, 40] {
            let instance = family.instance(n, 3);
            if let Some(z) = &instance.solution {
                let r = instance.problem.residual(z).scaled;
                assert!(r < 1e-13, "{} n={n}: {r:e}", family.name);
            }
        }
    }
}

#[test]
fn instances_are_the_same_from_call_to_call_and_differ_by_seed() {
    for family in plain_families() {
        let [a, b, c] = [1, 1, 2].map(|seed| family.instance(9, seed).problem);
        assert_eq!(a, b);
        let fixed = ["p_murty", "p_fathi", "degenerate_identity"];
        assert!(a != c || fixed.contains(&family.name), "{}", family.name);
    }
    for family in mixed_families() {
        let [a, b, c] = [1, 1, 2].map(|seed| family.instance(9, seed).problem);
        assert_eq!(a, b);
        assert_ne!(a, c, "{}", family.name);
    }
}

#[test]
fn sizes_are_met_within_a_contact() {
    for family in plain_families() {
        for n in [1, 3, 12, 100] {
            let found = family.instance(n, 1).problem.len();
            let slack = 40.max(n / 5);
            assert!(found.abs_diff(n) <= slack, "{}: {found} for {n}", family.name);
        }
    }
}
