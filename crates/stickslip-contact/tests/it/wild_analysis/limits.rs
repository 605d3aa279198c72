//! Problems that are as much work as settings allow.

use super::made::{Random, gem, gram, polygon, solutions_of};
use complementarity::Matrix;
use stickslip_contact::analysis::solutions::Settings;
use stickslip_contact::{ContactProblem, Law};

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
fn a_search_ends_at_its_limit_on_work_and_says_so() {
    let polygons = [polygon(64, 1.0), polygon(64, 1e-9), gem(3)];
    let laws = polygons.map(|set| Law::with_set(0.7, set)).into_iter().chain([Law::disc(0.7)]);
    for (what, problem) in laws.flat_map(|law| problems(&law, 3)) {
        let settings = Settings { max_work: 2_000_000, max_vertices: 100, ..Settings::default() };
        let found = solutions_of(&problem, &settings).unwrap();
        let most = 3 * settings.max_work;
        assert!(found.statistics.work <= most, "{what}: {}", found.statistics.work);
        if found.statistics.work >= settings.max_work {
            assert!(found.incomplete.is_some(), "{what}");
        }
    }
}
