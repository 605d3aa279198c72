//! Against independent brute force: exact rational arithmetic for integers, all supports else.

mod exact;
mod families;
mod planted;

use super::*;
use crate::Matrix;
use families::{Random, lcp};
use proptest::prelude::*;

fn all(problem: &Lcp) -> Enumeration {
    enumerate(problem, &Settings::default()).unwrap()
}

fn negative(m: &Matrix) -> Matrix {
    Matrix::from_fn(m.rows(), m.cols(), |i, j| -m[(i, j)])
}

fn rows(rows: &[&[f64]]) -> Matrix {
    Matrix::from_rows(rows).unwrap()
}

/// Checks what must hold of any result: residuals, points of faces, proof.
fn check(problem: &Lcp, found: &Enumeration, random: &mut Random) {
    assert_eq!(found.incomplete, None, "{problem:?}");
    assert_eq!(found.proof.is_some(), found.solutions.is_empty());
    if let Some(proof) = &found.proof {
        assert_eq!(proof.check(problem), Ok(()));
    }
    for face in &found.solutions {
        assert!(face.residual <= rounding(face), "{problem:?} {face:?}");
        assert_eq!(face.is_isolated(), face.vertices.len() == 1 && face.is_bounded());
        for _ in 0..5 {
            let z = random_point(face, random);
            assert!(problem.residual(&z).scaled <= rounding(face), "{problem:?} {face:?} {z:?}");
        }
    }
}

/// 1e-12, or what rounding may hide where the unknowns are large.
fn rounding(face: &Face) -> f64 {
    let entries = face.vertices.iter().chain(&face.rays).flatten();
    1e-12 + 1e-17 * entries.fold(0.0, |a: f64, z| a.max(*z))
}

fn random_point(face: &Face, random: &mut Random) -> Vec<f64> {
    let mut z = vec![0.0; face.vertices[0].len()];
    let weights: Vec<f64> = face.vertices.iter().map(|_| random.unit() + 1e-3).collect();
    let total: f64 = weights.iter().sum();
    for (v, weight) in face.vertices.iter().zip(&weights) {
        crate::matrix::axpy(weight / total, v, &mut z);
    }
    for r in &face.rays {
        crate::matrix::axpy(3.0 * random.unit(), r, &mut z);
    }
    z
}

/// Compares faces, vertices and rays with the exact ones.
fn compare_exactly(problem: &Lcp) -> usize {
    let found = all(problem);
    check(problem, &found, &mut Random(7));
    let expected = exact::maximal_faces(problem);
    assert_eq!(found.solutions.len(), expected.len(), "{problem:?} {found:?}");
    for face in &expected {
        let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12);
        let numbers = |set: &std::collections::BTreeSet<Vec<exact::Fraction>>| {
            let list = set.iter().map(|v| v.iter().map(|f| f.value()).collect());
            list.collect::<Vec<Vec<f64>>>()
        };
        let with_largest_one = |r: &Vec<f64>| {
            let largest = r.iter().copied().fold(0.0, f64::max);
            r.iter().map(|v| v / largest).collect::<Vec<f64>>()
        };
        let vertices = numbers(&face.vertices);
        let rays: Vec<Vec<f64>> = numbers(&face.rays).iter().map(with_largest_one).collect();
        let agrees = |f: &&Face| {
            let each = |a: &[Vec<f64>], b: &[Vec<f64>]| {
                a.len() == b.len() && a.iter().all(|x| b.iter().any(|y| same(x, y)))
            };
            each(&f.vertices, &vertices) && each(&f.rays, &rays)
        };
        let count = found.solutions.iter().filter(agrees).count();
        assert_eq!(count, 1, "{problem:?}\n{vertices:?} {rays:?}\n{:?}", found.solutions);
    }
    expected.len()
}

#[test]
fn integer_problems_have_exactly_the_faces_of_rational_arithmetic() {
    let mut r = Random(42);
    let mut seen = [0; 4];
    for (n, cases) in [(1, 50), (2, 600), (3, 600), (4, 150), (5, 12)] {
        for _ in 0..cases {
            let m = Matrix::from_fn(n, n, |_, _| r.whole(-2, 2) as f64);
            let q = (0..n).map(|_| r.whole(-2, 2) as f64).collect();
            seen[compare_exactly(&lcp(m, q)).min(3)] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
}

/// Entries −1, 0, 1 with q mostly zero: nearly every vertex is degenerate.
#[test]
fn very_degenerate_problems_have_exactly_the_faces_of_rational_arithmetic() {
    let mut r = Random(4242);
    for (n, cases) in [(2, 300), (3, 500), (4, 150), (5, 12)] {
        for _ in 0..cases {
            let m = Matrix::from_fn(n, n, |_, _| r.whole(-1, 1) as f64);
            let q = (0..n).map(|_| (r.whole(-1, 4) / 3) as f64).collect();
            compare_exactly(&lcp(m, q));
        }
    }
}

/// All supports with a regular matrix; the solutions of generic problems.
fn all_supports(problem: &Lcp) -> Vec<Vec<f64>> {
    let n = problem.len();
    let solve = |alpha: usize| {
        let support: Vec<usize> = (0..n).filter(|i| alpha >> i & 1 == 1).collect();
        let mut lu = crate::linalg::Lu::default();
        let fill = |i: usize, row: &mut [f64]| {
            for (to, &j) in row.iter_mut().zip(&support) {
                *to = problem.m()[(support[i], j)];
            }
        };
        let mut x: Vec<f64> = support.iter().map(|&i| -problem.q()[i]).collect();
        if !lu.factor(x.len(), 1e-13, fill) {
            return None;
        }
        lu.solve(&mut x);
        let mut z = vec![0.0; n];
        support.iter().zip(&x).for_each(|(&j, &x)| z[j] = x);
        let positive = x.iter().all(|&x| x >= 0.0);
        (positive && problem.residual(&z).scaled <= 1e-10).then_some(z)
    };
    (0..1 << n).filter_map(solve).collect()
}

#[test]
fn generic_problems_have_exactly_the_solutions_of_all_supports() {
    let mut r = Random(2024);
    let mut counts = std::collections::BTreeSet::new();
    for n in 1..=8 {
        for case in 0..120 {
            let mut m = r.gaussian(n, n);
            let mut q = r.vector(n);
            if case % 4 == 1 {
                m = families::gram(&m);
            } else if case % 4 == 2 {
                m = negative(&families::gram(&m));
                q.iter_mut().for_each(|q| *q = q.abs());
            }
            let mut expected = all_supports(&lcp(m.clone(), q.clone()));
            if case % 4 == 3 {
                let mut unit = || 10f64.powi(r.whole(-8, 8) as i32);
                let (row, col): (Vec<f64>, Vec<f64>) = (0..n).map(|_| (unit(), unit())).unzip();
                m = Matrix::from_fn(n, n, |i, j| m[(i, j)] * row[i] * col[j]);
                q.iter_mut().zip(&row).for_each(|(q, r)| *q *= r);
                for z in &mut expected {
                    z.iter_mut().zip(&col).for_each(|(z, c)| *z /= c);
                }
            }
            let problem = lcp(m, q);
            let found = all(&problem);
            check(&problem, &found, &mut r);
            assert_eq!(found.count(), Count::Exactly(expected.len()), "{problem:?}");
            counts.insert(expected.len());
            for z in &expected {
                let same = |v: &[f64]| v.iter().zip(z).all(|(a, b)| (*a > 0.0) == (*b > 0.0));
                assert_eq!(found.isolated().filter(|v| same(v)).count(), 1, "{problem:?}");
            }
        }
    }
    assert!(counts.len() > 8 && counts.contains(&0), "{counts:?}");
}

#[test]
fn minus_identity_has_every_corner_of_the_cube() {
    for n in [1, 5, 10] {
        let m = negative(&Matrix::identity(n));
        let found = all(&lcp(m, vec![1.0; n]));
        assert_eq!(found.count(), Count::Exactly(1 << n));
        let corner = |z: &[f64]| z.iter().all(|&z| z == 0.0 || z == 1.0);
        assert!(found.isolated().all(corner));
    }
}

#[test]
fn identity_with_zero_q_has_the_origin_alone_and_few_nodes() {
    let found = all(&lcp(Matrix::identity(20), vec![0.0; 20]));
    assert_eq!(found.count(), Count::Exactly(1));
    assert_eq!(found.solutions[0].vertices, [vec![0.0; 20]]);
    assert!(found.statistics.nodes < 100);
}

#[test]
fn the_zero_matrix_has_an_orthant_where_q_is_zero() {
    let q: Vec<f64> = (0..12).map(|i| (i % 3) as f64).collect();
    let found = all(&lcp(Matrix::zeros(12, 12), q));
    assert_eq!(found.count(), Count::Infinite);
    let [face] = &found.solutions[..] else { panic!("{found:?}") };
    assert_eq!((face.dimension, face.vertices.len(), face.rays.len()), (4, 1, 4));
    let found = all(&lcp(Matrix::zeros(2, 2), vec![1.0, -1.0]));
    assert_eq!(found.count(), Count::Exactly(0));
    assert!(matches!(found.proof, Some(Proof::Infeasible { .. })));
}

#[test]
fn murty_and_fathi_have_one_solution_at_twenty() {
    let murty = families::murty(20);
    for m in [families::gram(&murty), murty] {
        let found = all(&lcp(m, vec![-1.0; 20]));
        assert_eq!(found.count(), Count::Exactly(1));
        assert!(found.solutions[0].residual <= 1e-12);
    }
}

#[test]
fn a_bounded_face_has_all_its_vertices() {
    let k = 6;
    let found = all(&families::cube(k));
    let cube = found.solutions.iter().find(|f| f.is_bounded()).unwrap();
    assert_eq!((cube.dimension, cube.vertices.len()), (k, 1 << k));
}

#[test]
fn feasible_problems_without_solution_get_a_case_distinction() {
    let mut r = Random(99);
    let (mut infeasible, mut exhausted) = (0, 0);
    for _ in 0..400 {
        let n = 6;
        let problem = lcp(r.gaussian(n, n), r.vector(n).iter().map(|q| -q.abs()).collect());
        let found = all(&problem);
        check(&problem, &found, &mut Random(1));
        match &found.proof {
            Some(Proof::Infeasible { .. }) => infeasible += 1,
            Some(Proof::Exhausted { .. }) => exhausted += 1,
            None => {}
        }
    }
    assert!(infeasible > 20 && exhausted > 20, "{infeasible} {exhausted}");
}

/// Planar friction that Lemke's method fails on: the only solution is Λ = (3, −4).
#[test]
fn the_planar_problem_on_which_lemke_ends_on_a_ray_has_one_solution() {
    let (w, mu, b) = ([[1.5, 1.0], [1.0, 0.75]], 2.0, [-0.5, 0.0]);
    let m = rows(&[
        &[w[0][0] - w[0][1] * mu, w[0][1], 0.0],
        &[w[1][0] - w[1][1] * mu, w[1][1], 1.0],
        &[2.0 * mu, -1.0, 0.0],
    ]);
    let found = all(&lcp(m, vec![b[0], b[1], 0.0]));
    assert_eq!(found.count(), Count::Exactly(1));
    let z = found.isolated().next().unwrap();
    let (normal, tangent) = (z[0], z[1] - mu * z[0]);
    assert!((normal - 3.0).abs() < 1e-12 && (tangent + 4.0).abs() < 1e-12);
}

/// The contact may open, stick (W λ = −b) or slide (λ_t = μ λ_n, ξ_n = 0), each in one way.
#[test]
fn the_phantom_inertia_example_has_three_impulses() {
    let (problem, decode) = families::phantom_inertia();
    let found = all(&problem);
    check(&problem, &found, &mut Random(3));
    assert_eq!(found.count(), Count::Exactly(3));
    for expected in [[0.0, 0.0, 0.0], [0.35, 1.3, 0.0], [5.0 / 22.0, 25.0 / 22.0, 0.0]] {
        let same = |z: &&[f64]| (0..3).all(|i| (decode(z)[i] - expected[i]).abs() < 1e-14);
        assert_eq!(found.isolated().filter(same).count(), 1, "{expected:?}");
    }
}

/// The solution set does not depend on ρ, though the matrix does.
#[test]
fn the_phantom_inertia_example_has_the_same_impulses_for_every_rho() {
    for rho in [0.0, 1.0, 100.0] {
        let (problem, decode) = families::phantom_inertia_with(rho);
        let mut normal: Vec<f64> = all(&problem)
            .solutions
            .iter()
            .flat_map(|f| f.vertices.iter().map(|z| decode(z)[0]))
            .collect();
        normal.sort_by(f64::total_cmp);
        normal.dedup_by(|a, b| (*a - *b).abs() < 1e-12);
        let expected = [0.0, 5.0 / 22.0, 0.35];
        assert_eq!(normal.len(), 3, "{rho} {normal:?}");
        assert!((0..3).all(|i| (normal[i] - expected[i]).abs() < 1e-13), "{rho}");
    }
}

#[test]
fn limits_are_kept_and_told() {
    let problem = lcp(negative(&Matrix::identity(8)), vec![1.0; 8]);
    let with = |settings: Settings| enumerate(&problem, &settings);
    let few = with(Settings { max_solutions: 10, ..Settings::default() }).unwrap();
    assert_eq!(few.incomplete, Some(Incomplete::Solutions));
    assert_eq!(few.count(), Count::AtLeast(10));
    let few = with(Settings { max_nodes: 10, ..Settings::default() }).unwrap();
    assert_eq!(few.incomplete, Some(Incomplete::Nodes));
    assert_eq!(few.statistics.nodes, 10);
    let refused = with(Settings { max_unknowns: 7, ..Settings::default() });
    assert!(matches!(refused, Err(Error::TooLarge { limit: 7, found: 8, .. })));
    assert!(with(Settings { max_unknowns: 31, ..Settings::default() }).is_err());
    assert!(with(Settings { tolerance: f64::NAN, ..Settings::default() }).is_err());
}

#[test]
fn the_empty_problem_has_one_solution() {
    let found = all(&lcp(Matrix::zeros(0, 0), vec![]));
    assert_eq!(found.count(), Count::Exactly(1));
}

/// Faces by dimension, vertices and rays.
fn shapes(found: &Enumeration) -> Vec<(usize, usize, usize)> {
    let shape = |f: &Face| (f.dimension, f.vertices.len(), f.rays.len());
    let mut list: Vec<_> = found.solutions.iter().map(shape).collect();
    list.sort_unstable();
    list
}

/// Too large for exhaustion: another order of the unknowns makes another search.
#[test]
fn another_order_of_the_unknowns_gives_the_same_faces() {
    let mut r = Random(31);
    let mut seen = 0;
    for case in 0..600 {
        let n = 6 + case % 7;
        let high = if case % 2 == 0 { 2 } else { 1 };
        let m = Matrix::from_fn(n, n, |_, _| r.whole(-high, 2) as f64);
        let q: Vec<f64> = (0..n).map(|_| r.whole(-1, 1) as f64).collect();
        let mut order: Vec<usize> = (0..n).collect();
        for k in 1..n {
            order.swap(k, r.whole(0, k as i64) as usize);
        }
        let other_m = Matrix::from_fn(n, n, |i, j| m[(order[i], order[j])]);
        let other_q = order.iter().map(|&i| q[i]).collect();
        let (a, b) = (lcp(m, q), lcp(other_m, other_q));
        let (found, other) = (all(&a), all(&b));
        check(&a, &found, &mut r);
        check(&b, &other, &mut r);
        assert_eq!(shapes(&found), shapes(&other), "{a:?}");
        seen += found.solutions.len();
    }
    assert!(seen > 300, "{seen}");
}

/// Rounding in the column of the ray, after many pivots, must not cut it off.
#[test]
fn a_ray_survives_the_rounding_of_its_search() {
    #[rustfmt::skip]
    let m = [
        [0.0, 1.0, 2.0, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 2.0, -1.0],
        [1.0, 0.0, 0.0, 1.0, 1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 2.0, 1.0],
        [2.0, -1.0, 0.0, -1.0, 1.0, 0.0, 0.0, -1.0, -1.0, 2.0, -1.0, 2.0],
        [2.0, 2.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1.0],
        [1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 0.0],
        [0.0, 0.0, 2.0, 1.0, 2.0, 1.0, 2.0, 0.0, 1.0, 2.0, 2.0, 0.0],
        [1.0, 2.0, -1.0, 0.0, 2.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 0.0],
        [0.0, 2.0, -1.0, 2.0, 0.0, -1.0, -1.0, 2.0, 0.0, 2.0, 0.0, -1.0],
        [-1.0, 1.0, 1.0, 2.0, 2.0, -1.0, 1.0, -1.0, -1.0, 2.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 1.0, 2.0, 0.0, -1.0, 0.0, 2.0],
        [-1.0, -1.0, -1.0, -1.0, 0.0, 0.0, -1.0, 2.0, 1.0, 2.0, 0.0, 0.0],
        [2.0, -1.0, 2.0, 0.0, 1.0, 2.0, 2.0, 0.0, -1.0, 0.0, 1.0, -1.0],
    ];
    let q = [0.0, -1.0, -1.0, -1.0, 1.0, -1.0, -1.0, -1.0, 0.0, 0.0, -1.0, 1.0];
    let found = all(&lcp(Matrix::from_rows(&m).unwrap(), q.to_vec()));
    assert_eq!(shapes(&found), [(0, 1, 0), (1, 1, 1)]);
}

/// Integers with a little noise: nearly singular, so that a proof needs refinement.
#[test]
fn nearly_degenerate_problems_are_decided() {
    let mut r = Random(1005);
    for case in 0..1000 {
        let (n, noise) = (3 + case % 6, [1e-3, 1e-4, 1e-5][case % 3]);
        let m = Matrix::from_fn(n, n, |_, _| r.whole(-2, 2) as f64 + noise * r.gauss());
        let q = (0..n).map(|_| r.whole(-1, 2) as f64 + noise * r.gauss());
        let problem = lcp(m, q.collect());
        check(&problem, &all(&problem), &mut Random(1));
    }
}

/// Lemke and Howson (1964): a game without ties has an odd number of equilibria.
#[test]
fn bimatrix_games_have_an_odd_number_of_equilibria() {
    let mut r = Random(64);
    let mut counts = std::collections::BTreeSet::new();
    for _ in 0..60 {
        let problem = families::bimatrix_game(12, &mut r);
        let found = all(&problem);
        check(&problem, &found, &mut r);
        assert!(matches!(found.count(), Count::Exactly(k) if k % 2 == 1));
        counts.insert(found.solutions.len());
    }
    assert!(counts.len() > 3, "{counts:?}");
}

fn wild() -> impl Strategy<Value = f64> {
    use prop::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![
        POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO,
        Just(f64::MAX),
        Just(-f64::MAX),
        Just(f64::MIN_POSITIVE),
        -2.0..2.0,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn wild_numbers_end_and_what_is_called_a_solution_is_one(
        m in prop::collection::vec(wild(), 25),
        q in prop::collection::vec(wild(), 5),
    ) {
        let problem = lcp(Matrix::from_vec(5, 5, m).unwrap(), q);
        let found = all(&problem);
        for z in found.solutions.iter().flat_map(|f| &f.vertices) {
            prop_assert!(problem.residual(z).scaled <= 1e-10);
        }
        if let Some(proof) = &found.proof {
            prop_assert_eq!(proof.check(&problem), Ok(()));
            prop_assert!(found.solutions.is_empty());
        }
    }

    #[test]
    fn a_change_of_units_changes_no_face(
        entries in prop::collection::vec(-2i32..3, 20),
        exponents in prop::collection::vec(-30i32..30, 8),
    ) {
        let two = |k: usize| 2f64.powi(exponents[k]);
        let m = Matrix::from_fn(4, 4, |i, j| f64::from(entries[4 * i + j]));
        let q: Vec<f64> = entries[16..].iter().map(|&q| f64::from(q)).collect();
        let scaled = Matrix::from_fn(4, 4, |i, j| m[(i, j)] * two(i) * two(4 + j));
        let scaled_q = (0..4).map(|i| q[i] * two(i)).collect();
        let (a, b) = (all(&lcp(m, q)), all(&lcp(scaled, scaled_q)));
        prop_assert_eq!(shapes(&a), shapes(&b));
    }
}

/// Slip-slack friction of two contacts with rounding in the place of zeros: without the negligible entries a few
/// cases, with them thousands that no linear program can decide.
#[test]
fn negligible_entries_make_no_cases() {
    let clean = [
        [2.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 3.0, -3.0, 0.0, 0.0, 1.0],
        [0.0, -3.0, 3.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, 1.0, 0.5, 0.0],
        [0.0, 0.0, 0.0, 0.5, 1.0, 0.0],
        [0.5, -1.0, -1.0, 0.0, 0.0, 0.0],
    ];
    let q = vec![-1.0, -2.0, 2.0, -1.0, -1.0, 0.0];
    let noisy = |i: usize, j: usize| clean[i][j] + if clean[i][j] == 0.0 { 3e-17 } else { 0.0 };
    let exact = all(&lcp(Matrix::from_fn(6, 6, |i, j| clean[i][j]), q.clone()));
    let problem = lcp(Matrix::from_fn(6, 6, noisy), q);
    let found = all(&problem);
    check(&problem, &found, &mut Random(3));
    assert_eq!(found.count(), exact.count());
}
