//! Problems that are as much work as settings allow.

use super::made::{Random, gem, gram, laws, polygon, solutions_of};
use complementarity::Matrix;
use stickslip::analysis::report::{self, Analysis};
use stickslip::analysis::solutions::Settings;
use stickslip::contact::{ContactProblem, Law};

/// Problems with k contacts of one law: W = 0, of rank one, of few rows, definite, and with masses of all sizes.
fn problems(law: &Law, k: usize) -> Vec<(&'static str, ContactProblem)> {
    let laws = vec![law.clone(); k];
    let n = k * law.components();
    let mut random = Random(5);
    let zeros = Matrix::zeros(n, n);
    let one = gram(n, 1, || 1.0, || 1.0);
    let few = gram(n, 6, || random.unit(), || 1.0);
    let definite = gram(n, n + 2, || random.unit(), || 1.0);
    let mut weights = Random(6);
    let heavy = gram(n, n, || random.unit(), || 10.0_f64.powi(weights.below(13) as i32 - 6));
    let b: Vec<f64> = (0..n).map(|_| random.unit()).collect();
    let down: Vec<f64> = few.mul_vec(&b);
    let problem = |w: Matrix, b: Vec<f64>| ContactProblem::new(w, b, laws.clone()).unwrap();
    vec![
        ("nothing", problem(zeros.clone(), vec![0.0; n])),
        ("no mass", problem(zeros, b.clone())),
        ("one row, at rest", problem(one.clone(), vec![0.0; n])),
        ("one row", problem(one, b.clone())),
        ("few rows, at rest", problem(few.clone(), vec![0.0; n])),
        ("few rows", problem(few, down)),
        ("definite, at rest", problem(definite.clone(), vec![0.0; n])),
        ("definite", problem(definite, b.clone())),
        ("masses", problem(heavy, b)),
    ]
}

#[test]
fn zz_times() {
    let mut all: Vec<(String, Law)> = laws(0.7)
        .into_iter()
        .map(|l| {
            (
                format!("{:?}", l.kind).chars().take(12).collect::<String>()
                    + &format!(" r{} {}", l.radius, l.sliding.is_some()),
                l,
            )
        })
        .collect();
    all.push(("polygon64".into(), Law::with_set(0.7, polygon(64, 1.0))));
    all.push(("gem".into(), Law::with_set(0.7, gem(6))));
    all.push(("tiny".into(), Law::with_set(0.7, polygon(64, 1e-9))));
    let only = std::env::var("LAW").ok();
    let ks: Vec<usize> = std::env::var("K")
        .ok()
        .map(|s| s.split(',').map(|s| s.parse().unwrap()).collect())
        .unwrap_or(vec![3, 12]);
    for (name, law) in all {
        if only.as_ref().is_some_and(|o| !name.contains(o.as_str())) {
            continue;
        }
        for &k in &ks {
            for (what, p) in problems(&law, k) {
                let s = std::time::Instant::now();
                let f = solutions_of(&p, &Settings::default());
                let t = s.elapsed().as_secs_f64();
                let s = std::time::Instant::now();
                let t2 = if std::env::var("REPORT").is_ok() {
                    let _ = Analysis::of(&p, &report::Settings::default());
                    s.elapsed().as_secs_f64() - t
                } else {
                    0.0
                };
                if t > 1.0 || t2 > 1.0 {
                    println!(
                        "{name} x {k} {what}: {t:.2} s, report {t2:.2} {:?}",
                        f.map(|f| (f.incomplete, f.statistics, f.solutions.len(), f.regions.len()))
                    );
                }
            }
        }
    }
}

#[test]
fn a_search_ends_at_its_limit_on_work_and_says_so() {
    let law = Law::with_set(0.7, polygon(64, 1.0));
    for (what, problem) in problems(&law, 4) {
        let settings = Settings { max_work: 2_000_000, max_vertices: 100, ..Settings::default() };
        let found = solutions_of(&problem, &settings).unwrap();
        let most = 3 * settings.max_work;
        assert!(found.statistics.work <= most, "{what}: {}", found.statistics.work);
        if found.statistics.work >= settings.max_work {
            assert!(found.incomplete.is_some(), "{what}");
        }
    }
}
