//! Solutions in integers, planted in matrices whose rows nearly depend on each other.

use super::families::{Random, lcp};
use crate::enumerate::{Enumeration, Settings, enumerate};
use crate::{Lcp, Matrix};

/// A problem of order n with entries up to about `most` that z, of integers up to 4, solves exactly. Half of
/// the rows are multiples of others but for a digit.
fn planted(random: &mut Random, n: usize, most: i64) -> (Lcp, Vec<f64>) {
    let mut m = Matrix::from_fn(n, n, |_, _| random.whole(-most, most) as f64);
    for i in 1..n {
        if random.whole(0, 1) == 1 {
            let (other, factor) = (random.whole(0, i as i64 - 1) as usize, random.whole(-2, 2));
            for j in 0..n {
                m[(i, j)] = factor as f64 * m[(other, j)] + random.whole(-1, 1) as f64;
            }
        }
    }
    let z: Vec<f64> = (0..n).map(|_| random.whole(0, 4) as f64).collect();
    let w: Vec<f64> =
        z.iter().map(|&z| if z == 0.0 { random.whole(0, 3) as f64 } else { 0.0 }).collect();
    let q = m.mul_vec(&z).iter().zip(&w).map(|(v, w)| w - v).collect();
    (lcp(m, q), z)
}

/// Whether a face has z: the point itself, or a face on which all is positive that is so at z.
fn lists(found: &Enumeration, problem: &Lcp, z: &[f64]) -> bool {
    found.solutions.iter().any(|face| {
        let inside = face.interior_point();
        let (w, w_inside) = (problem.m().mul_vec(z), problem.m().mul_vec(&inside));
        let q = problem.q();
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (a.abs() + b.abs());
        if face.is_isolated() {
            return z.iter().zip(&inside).all(|(&a, &b)| near(a, b));
        }
        let covers = |i: usize| {
            let size = problem.m().row(i).iter().zip(&inside).map(|(m, z)| (m * z).abs());
            let size = size.sum::<f64>() + q[i].abs();
            (z[i] == 0.0 || inside[i] > 0.0)
                && (w[i] + q[i] <= 0.0 || w_inside[i] + q[i] > 1e-13 * size)
        };
        (0..z.len()).all(covers)
    })
}

#[test]
fn a_list_that_is_called_complete_holds_every_planted_solution() {
    let (mut complete, mut total) = (0, 0);
    for seed in 0..1500_u64 {
        let mut random = Random((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64));
        let n = 1 + seed as usize % 6;
        let most = [10, 1000, 60_000, 100_000][seed as usize / 6 % 4];
        let (problem, z) = planted(&mut random, n, most);
        let found = enumerate(&problem, &Settings::default()).unwrap();
        assert_eq!(found.proof, None, "{problem:?} {z:?}");
        let there = lists(&found, &problem, &z);
        assert!(there || !found.is_complete(), "{problem:?} {z:?} {found:?}");
        complete += usize::from(found.is_complete());
        total += 1;
    }
    assert!(complete * 100 >= 95 * total, "{complete} of {total} were complete");
}
