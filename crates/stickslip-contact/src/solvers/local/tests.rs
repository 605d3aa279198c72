//! One block against a search that is slow and plain, for every set.

use super::*;
use crate::ContactProblem;
use crate::block::BlockMatrix;
use crate::set::samples;
use complementarity::Matrix;
use proptest::prelude::*;

/// W = H Hᵀ of the size of the law, of this rank, with a diagonal at least `floor` times its largest entry.
fn block(n: usize, rank: usize, floor: f64, numbers: &[f64]) -> Matrix {
    let h = |i: usize, j: usize| numbers[(i * 5 + j) % numbers.len()];
    let w = Matrix::from_fn(n, n, |i, j| (0..rank).map(|k| h(i, k) * h(j, k)).sum());
    let largest = (0..n).fold(0.0, |m: f64, i| m.max(w[(i, i)]));
    Matrix::from_fn(n, n, |i, j| w[(i, j)] + if i == j { floor * largest } else { 0.0 })
}

/// The local solve repeated until it rests, judged.
fn residual_of(law: &Law, w: &Matrix, b: &[f64]) -> f64 {
    let blocks = BlockMatrix::from_dense(&[b.len()], w).unwrap();
    let problem = ContactProblem::new(blocks.clone(), b.to_vec(), vec![law.clone()]).unwrap();
    let diagonal = blocks.diagonal(0);
    let mut local = Local::new(law, diagonal, false);
    let mut lam = vec![0.0; b.len()];
    let mut xi = b.to_vec();
    for _ in 0..40 {
        local.solve(law, diagonal, &xi, &mut lam);
        blocks.multiply_add(&lam, b, &mut xi);
    }
    problem.certificate(&lam).unwrap().worst
}

/// The best residual that a plain search finds: steps of the natural map, each shorter than the last
/// where it does not help, from several starts.
fn searched(law: &Law, w: &Matrix, b: &[f64]) -> Vec<f64> {
    let Rule::Friction(Friction { mu, radius, set, .. }) = law.rule() else {
        return vec![0.0; b.len()];
    };
    let n = b.len();
    let trace: f64 = (0..n).map(|i| w[(i, i)]).sum();
    let mut lam = vec![0.0; n];
    for _ in 0..200_000 {
        let mut xi = w.mul_vec(&lam);
        xi.iter_mut().zip(b).for_each(|(x, b)| *x += b);
        let new = (lam[0] - 0.3 * xi[0] / trace).max(0.0);
        let from: Vec<f64> = (1..n).map(|j| lam[j] - 0.3 * xi[j] / trace).collect();
        let mut to = vec![0.0; n - 1];
        set.project(mu * new + radius, &from, &mut to);
        lam[0] = new;
        lam[1..].copy_from_slice(&to);
    }
    lam
}

#[test]
fn the_velocity_of_a_block_is_that_of_a_plain_search_for_every_set() {
    let numbers = [0.9, -0.3, 0.2, 0.7, -0.5, 0.1, 0.8, -0.6, 0.4, 0.35, -0.15, 0.75];
    for (name, set, _) in samples::all() {
        for (mu, radius) in [(0.3, 0.0), (0.2, 0.1), (0.0, 0.2)] {
            let law = Law { radius, ..Law::with_set(mu, set.clone()) };
            let n = law.components();
            let w = block(n, n + 1, 0.2, &numbers);
            let b: Vec<f64> = [-1.0, 0.8, -0.4, 0.6].into_iter().take(n).collect();
            let expected = searched(&law, &w, &b);
            let diagonal: Vec<f64> = (0..n * n).map(|e| w[(e / n, e % n)]).collect();
            let (mut local, mut lam) = (Local::new(&law, &diagonal, false), vec![0.0; n]);
            for _ in 0..20 {
                let mut xi = w.mul_vec(&lam);
                xi.iter_mut().zip(&b).for_each(|(x, b)| *x += b);
                local.solve(&law, &diagonal, &xi, &mut lam);
            }
            for (x, y) in lam.iter().zip(&expected) {
                assert!((x - y).abs() < 1e-6, "{name}, mu {mu}: {lam:?} {expected:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_round_block_is_solved_whatever_its_rank_and_units(
        numbers in prop::collection::vec(-1.0..1.0f64, 20), mu in prop_oneof![Just(0.0), 0.0..2.0f64],
        radius in prop_oneof![Just(0.0), 0.0..0.5f64], rank in 1..6usize, floor in prop_oneof![Just(0.0), Just(1e-9), Just(0.1)],
        kind in 0..4usize, mass in -100..100i32, speed in -100..100i32,
    ) {
        let set = [
            ConvexSet::Interval, ConvexSet::Disc, ConvexSet::Ellipsoid(vec![1.0, 0.3]),
            ConvexSet::Ellipsoid(vec![1.0, 0.6, 0.2]),
        ][kind].clone();
        let n = 1 + set.dimension();
        let w = block(n, rank, floor, &numbers);
        let guess: Vec<f64> = numbers[..n].iter().map(|x| x - 0.5).collect();
        let b = w.mul_vec(&guess);
        let (m, v) = (2f64.powi(mass), 2f64.powi(speed));
        let scaled = Matrix::from_fn(n, n, |i, j| w[(i, j)] / m);
        let b: Vec<f64> = b.iter().map(|b| b * v).collect();
        let law = Law { radius: radius * m * v, ..Law::with_set(mu, set) };
        let found = residual_of(&law, &scaled, &b);
        prop_assert!(found < 1e-9, "{found:e} of {law:?} {w:?}");
    }
}
