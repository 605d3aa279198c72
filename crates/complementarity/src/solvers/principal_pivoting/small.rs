//! A few block exchanges on the stack: the quickest way through a very small problem.
//!
//! Not a method of its own: it gives up early, and what it finds has to be certified.
//!
//! Notation: α the support, K its size, x = z_α. K is known to the compiler in every step, so that the
//! few operations that a step has are all there is to it.

use crate::Lcp;

/// The most unknowns.
pub(crate) const CAPACITY: usize = 8;

/// Rounds before it gives up. Where block exchanges work at all, two or three are enough.
const ROUNDS: usize = 3;

/// Writes a candidate solution to `z`, starting from the support `active` (bit i for z_i > 0).
/// False if none was found; the number of rounds stands beside it.
pub(crate) fn follow(problem: &Lcp, mut active: u32, z: &mut [f64]) -> (bool, usize) {
    let (m, q) = (problem.m().as_slice(), problem.q());
    if q.len() > CAPACITY || z.len() != q.len() {
        return (false, 0);
    }
    let largest = q.iter().fold(0.0, |a, q| if q.abs() > a { q.abs() } else { a });
    let rounding = -1e-13 * largest;
    for round in 1..=ROUNDS {
        let wrong = match active.count_ones() {
            0 => exchange::<0>(m, q, active, rounding, z),
            1 => exchange::<1>(m, q, active, rounding, z),
            2 => exchange::<2>(m, q, active, rounding, z),
            3 => exchange::<3>(m, q, active, rounding, z),
            4 => exchange::<4>(m, q, active, rounding, z),
            5 => exchange::<5>(m, q, active, rounding, z),
            6 => exchange::<6>(m, q, active, rounding, z),
            7 => exchange::<7>(m, q, active, rounding, z),
            _ => exchange::<8>(m, q, active, rounding, z),
        };
        match wrong {
            Some(0) => return (true, round),
            Some(wrong) => active ^= wrong,
            None => return (false, round),
        }
    }
    (false, ROUNDS)
}

/// Solves for the support `active` of K unknowns, writes z and returns the pairs of wrong sign;
/// `None` if a pivot is too small to go without a pivot search.
fn exchange<const K: usize>(
    m: &[f64],
    q: &[f64],
    mut active: u32,
    rounding: f64,
    z: &mut [f64],
) -> Option<u32> {
    let n = q.len();
    let mut inactive = !active & ((1 << n) - 1);
    let mut support = [0; K];
    for s in &mut support {
        *s = active.trailing_zeros() as usize;
        active &= active.wrapping_sub(1);
    }
    if support.iter().any(|&i| i >= n) {
        return None;
    }
    let mut x = solve(m, q, &support)?;
    // What is rounding beside the rest is zero, and not of either sign.
    let largest = x.iter().fold(0.0, |a, x| if x.abs() > a { x.abs() } else { a });
    for x in &mut x {
        *x = if x.abs() <= 1e-14 * largest { 0.0 } else { *x };
    }
    let mut wrong = 0;
    for (&x, &j) in x.iter().zip(&support) {
        wrong |= u32::from(x < 0.0) << j;
    }
    while inactive != 0 {
        let i = inactive.trailing_zeros() as usize;
        inactive &= inactive - 1;
        let row = &m[i * n..(i + 1) * n];
        let mut w = q[i];
        for (&x, &j) in x.iter().zip(&support) {
            w += row[j] * x;
        }
        wrong |= u32::from(w < rounding) << i;
    }
    if wrong == 0 {
        for z in z.iter_mut() {
            *z = 0.0;
        }
        for (&x, &j) in x.iter().zip(&support) {
            z[j] = x;
        }
    }
    Some(wrong)
}

/// −M_αα⁻¹ q_α by elimination in the given order.
#[inline]
fn solve<const K: usize>(m: &[f64], q: &[f64], support: &[usize; K]) -> Option<[f64; K]> {
    let n = q.len();
    let mut a = [[0.0; K]; K];
    let mut x = [0.0; K];
    for (r, &i) in support.iter().enumerate() {
        let row = &m[i * n..(i + 1) * n];
        for (entry, &j) in a[r].iter_mut().zip(support) {
            *entry = row[j];
        }
        x[r] = -q[i];
    }
    let mut inverse = [0.0; K];
    let mut growth = 0.0;
    for p in 0..K {
        inverse[p] = 1.0 / a[p][p];
        for r in p + 1..K {
            let f = a[r][p] * inverse[p];
            growth = if f.abs() > growth { f.abs() } else { growth };
            for c in p + 1..K {
                a[r][c] -= f * a[p][c];
            }
            x[r] -= f * x[p];
        }
    }
    for p in (0..K).rev() {
        for c in p + 1..K {
            x[p] -= a[p][c] * x[c];
        }
        x[p] *= inverse[p];
    }
    // Beyond this growth the answer has lost digits that a pivot search keeps; a NaN fails too.
    let sum: f64 = x.iter().sum();
    (growth < 1e6 && sum.is_finite()).then_some(x)
}
