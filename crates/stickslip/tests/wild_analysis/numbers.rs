//! Arbitrary numbers.

use super::made::{holds, problem, solutions_of};
use proptest::prelude::*;
use stickslip::analysis::report::{self, Analysis};
use stickslip::analysis::sensitivity::{Sensitivity, Variation};
use stickslip::analysis::solutions::Settings;
use stickslip::contact::ContactProblem;
use stickslip::solve::ContactSolver;

fn answers_are_honest(problem: &ContactProblem, tame: bool) {
    let Some(found) = solutions_of(problem, &Settings::default()) else { return };
    let mut solver = ContactSolver::default();
    let solved = solver.solve(problem);
    if tame && solved.is_solved() && problem.certificate(&solved.impulse).unwrap().worst <= 1e-12 {
        assert!(found.proof.is_none(), "{problem:?} has the solution {:?}", solved.impulse);
        let listed = holds(problem, &found, &solved.impulse, 1e-5);
        assert!(listed || !found.is_complete(), "{problem:?}\n{:?}\n{found:?}", solved.impulse);
    }
    let _ = Analysis::of(problem, &report::Settings::default());
    for s in found.solutions.iter().take(4) {
        let Ok(sensitivity) = Sensitivity::of(problem, &s.impulse) else { continue };
        let mut v = Variation::none(problem);
        v.bias.iter_mut().enumerate().for_each(|(i, b)| *b = 1.0 - 0.7 * i as f64);
        let slope = sensitivity.along(&v).unwrap();
        for d in &slope.derivatives {
            assert!(d.impulse.iter().chain(&d.velocity).all(|v| v.is_finite()), "{problem:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_problem_is_answered_honestly(seed in any::<u64>()) {
        if let Some((problem, tame)) = problem(seed) {
            answers_are_honest(&problem, tame);
        }
    }
}

#[test]
fn zz_many() {
    let from: u64 = std::env::var("FROM").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let count: u64 = std::env::var("COUNT").ok().and_then(|s| s.parse().ok()).unwrap_or(100);
    let mut worst = 0.0_f64;
    let mut tally = std::collections::BTreeMap::new();
    let hook = std::panic::take_hook();
    if std::env::var("LOUD").is_err() {
        std::panic::set_hook(Box::new(|_| {}));
    } else {
        std::panic::set_hook(hook);
    }
    for i in from..from + count {
        let seed = i.wrapping_mul(0x9E3779B97F4A7C15) ^ 0x1234567;
        let Some((problem, tame)) = problem(seed) else {
            *tally.entry("refused".to_string()).or_insert(0) += 1;
            continue;
        };
        let start = std::time::Instant::now();
        if let Ok(f) = stickslip::analysis::solutions::all_solutions(&problem, &Settings::default())
        {
            let t = start.elapsed().as_secs_f64();
            if t > 0.5 {
                println!(
                    "SLOW solutions {i}: {t:.2} s {:?} {:?} {} regions",
                    f.incomplete,
                    f.statistics,
                    f.regions.len()
                );
            }
            *tally.entry(format!("{:?}", f.incomplete)).or_insert(0) += 1;
        }
        let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            answers_are_honest(&problem, tame)
        }));
        let t = start.elapsed().as_secs_f64();
        worst = worst.max(t);
        if t > 1.0 {
            println!("SLOW all {i}: {t:.2} s");
        }
        if let Err(e) = r {
            let text = e
                .downcast_ref::<String>()
                .cloned()
                .or(e.downcast_ref::<&str>().map(|s| s.to_string()))
                .unwrap_or_default();
            println!(
                "FAIL {i}: {}",
                if let Some(k) = text.find("laws: [") {
                    format!(
                        "{} {}",
                        problem.bias().len(),
                        text[k..].chars().take(2500).collect::<String>()
                    )
                } else {
                    text
                }
            );
        }
    }
    println!("worst {worst:.2} {tally:?}");
}
