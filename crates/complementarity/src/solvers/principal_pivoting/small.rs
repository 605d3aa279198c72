//! A few block exchanges on the stack: the quickest way through a very small problem.
//!
//! Not a method of its own: it gives up early, and what it finds has to be certified.

use crate::Lcp;

/// The most unknowns.
pub(crate) const CAPACITY: usize = 8;

/// Rounds before it gives up. Where block exchanges work at all, two or three are enough.
const ROUNDS: usize = 5;

type Row = [f64; CAPACITY];

/// Writes a candidate solution to `z`, starting from the support `active` (bit i for z_i > 0).
/// False if none was found; returns the number of rounds beside it.
pub(crate) fn follow(problem: &Lcp, mut active: u32, z: &mut [f64]) -> (bool, usize) {
    let q = problem.q();
    let n = q.len();
    if n > CAPACITY {
        return (false, 0);
    }
    let largest = q
        .iter()
        .fold(0.0, |a, q| if q.abs() > a { q.abs() } else { a });
    let rounding = -1e-13 * largest;
    for round in 1..=ROUNDS {
        let mut support = [0; CAPACITY];
        let mut k = 0;
        for i in 0..n {
            support[k] = i;
            k += (active >> i & 1) as usize;
        }
        let support = &support[..k];
        let Some(x) = solve(problem, support) else {
            return (false, round);
        };
        let mut wrong = 0_u32;
        for (&x, &j) in x[..k].iter().zip(support) {
            wrong |= u32::from(x < 0.0) << j;
        }
        for i in 0..n {
            let row = problem.m().row(i);
            let w = support
                .iter()
                .zip(&x)
                .fold(q[i], |w, (&j, x)| w + row[j] * x);
            wrong |= (u32::from(w < rounding) & !(active >> i) & 1) << i;
        }
        if wrong == 0 {
            z.fill(0.0);
            for (&x, &j) in x[..k].iter().zip(support) {
                z[j] = x;
            }
            return (true, round);
        }
        active ^= wrong;
    }
    (false, ROUNDS)
}

/// −M_αα⁻¹ q_α by elimination in the given order; `None` if a pivot is too small for that.
#[inline]
fn solve(problem: &Lcp, support: &[usize]) -> Option<Row> {
    let k = support.len();
    let mut a = [[0.0; CAPACITY]; CAPACITY];
    let mut x = [0.0; CAPACITY];
    for (r, &i) in support.iter().enumerate() {
        let row = problem.m().row(i);
        for (c, &j) in support.iter().enumerate() {
            a[r][c] = row[j];
        }
        x[r] = -problem.q()[i];
    }
    let mut inverse = [0.0; CAPACITY];
    for p in 0..k {
        let pivot_row = a[p];
        let pivot = pivot_row[p];
        inverse[p] = 1.0 / pivot;
        for r in p + 1..k {
            // A growth beyond this would cost digits that a pivot search keeps.
            let f = a[r][p] * inverse[p];
            if !(f.abs() < 1e6) {
                return None;
            }
            for c in p + 1..k {
                a[r][c] -= f * pivot_row[c];
            }
            x[r] -= f * x[p];
        }
    }
    for p in (0..k).rev() {
        for c in p + 1..k {
            x[p] -= a[p][c] * x[c];
        }
        x[p] *= inverse[p];
    }
    x[..k].iter().all(|v| v.is_finite()).then_some(x)
}
