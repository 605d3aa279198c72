//! A few block exchanges on the stack: the quickest way through a very small problem.
//!
//! Not a method of its own: it gives up early, and what it finds has to be certified.
//!
//! Notation: N unknowns, α the support, K its size, x = z_α. N and K are known to the compiler in every
//! step, so that the few operations that a step has are all there is to it.

use crate::residual::Terms;
use crate::{Lcp, Solution};

/// The most unknowns.
pub(crate) const CAPACITY: usize = 8;

/// Rounds before it gives up. Where block exchanges work at all, two or three are mostly enough.
const ROUNDS: usize = 4;

/// What came of it.
pub(crate) struct Outcome {
    /// Rounds of exchanges.
    pub(crate) iterations: usize,
    /// Whether z holds a candidate.
    pub(crate) found: bool,
    /// Whether its residual is rounding; then w and the residual are in place as well.
    pub(crate) clean: bool,
}

/// The name under which it is reported.
pub(crate) const EXCHANGES: &str = "block exchanges";

/// Looks for a solution, starting from the support of `guess`, else from where q is negative.
/// `None` if there are too many unknowns.
pub(crate) fn follow(
    problem: &Lcp,
    guess: Option<&[f64]>,
    solution: &mut Solution,
) -> Option<Outcome> {
    match problem.len() {
        1 => sized::<1>(problem, guess, solution),
        2 => sized::<2>(problem, guess, solution),
        3 => sized::<3>(problem, guess, solution),
        4 => sized::<4>(problem, guess, solution),
        5 => sized::<5>(problem, guess, solution),
        6 => sized::<6>(problem, guess, solution),
        7 => sized::<7>(problem, guess, solution),
        CAPACITY => sized::<CAPACITY>(problem, guess, solution),
        _ => None,
    }
}

fn sized<const N: usize>(
    problem: &Lcp,
    guess: Option<&[f64]>,
    solution: &mut Solution,
) -> Option<Outcome> {
    let m = problem.m().as_slice().as_chunks::<N>().0.first_chunk::<N>()?;
    let q = problem.q().first_chunk::<N>()?;
    let guess = guess.and_then(|g| g.first_chunk::<N>());
    let (candidate, iterations) = exchanges(m, q, guess);
    let mut outcome = Outcome { iterations, found: false, clean: false };
    if let Some(z) = candidate {
        let terms = Terms::of(m, q, &z);
        outcome.found = true;
        *solution.z.first_chunk_mut()? = z;
        if let Some(residual) = terms.if_clean(q, &z) {
            outcome.clean = true;
            *solution.w.first_chunk_mut()? = terms.w;
            solution.residual = residual;
        }
    }
    Some(outcome)
}

/// Exchanges all pairs of wrong sign until there are none; the number of rounds stands beside it.
#[inline]
fn exchanges<const N: usize>(
    m: &[[f64; N]; N],
    q: &[f64; N],
    guess: Option<&[f64; N]>,
) -> (Option<[f64; N]>, usize) {
    let mut active = 0;
    let mut largest = 0.0;
    for i in 0..N {
        let positive = guess.map_or(q[i] < 0.0, |g| g[i] > 0.0);
        active |= u32::from(positive) << i;
        largest = if q[i].abs() > largest { q[i].abs() } else { largest };
    }
    let rounding = -1e-13 * largest;
    let mut z = [0.0; N];
    for round in 1..=ROUNDS {
        let wrong = exchange(m, q, active, rounding, &mut z);
        if wrong == 0 {
            return (Some(z), round);
        }
        if wrong == UNDETERMINED {
            return (None, round);
        }
        active ^= wrong;
    }
    (None, ROUNDS)
}

/// Not a set of pairs.
const UNDETERMINED: u32 = !0;

/// Puts into z the point with the support `active` and w = 0 there. Returns the pairs of wrong sign;
/// `UNDETERMINED` if a pivot is too small to go without a pivot search.
#[inline]
fn exchange<const N: usize>(
    m: &[[f64; N]; N],
    q: &[f64; N],
    active: u32,
    rounding: f64,
    z: &mut [f64; N],
) -> u32 {
    /// A function for each support, in which every index is a constant.
    macro_rules! each {
        ($($support:literal)*) => {
            match active {
                $($support => with_support::<$support, N>(m, q, rounding, z),)*
                _ => with_any(m, q, active, rounding, z),
            }
        };
    }
    if N > 6 {
        return with_any(m, q, active, rounding, z);
    }
    each!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35
        36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63)
}

/// Not to be inlined: the compiler would compute much of all supports ahead of the choice.
#[inline(never)]
fn with_support<const SUPPORT: u32, const N: usize>(
    m: &[[f64; N]; N],
    q: &[f64; N],
    rounding: f64,
    z: &mut [f64; N],
) -> u32 {
    if SUPPORT >> N != 0 {
        return UNDETERMINED;
    }
    with_any(m, q, SUPPORT, rounding, z)
}

#[inline(always)]
fn with_any<const N: usize>(
    m: &[[f64; N]; N],
    q: &[f64; N],
    active: u32,
    rounding: f64,
    z: &mut [f64; N],
) -> u32 {
    match active.count_ones() {
        0 => with_count::<0, N>(m, q, active, rounding, z),
        1 => with_count::<1, N>(m, q, active, rounding, z),
        2 => with_count::<2, N>(m, q, active, rounding, z),
        3 => with_count::<3, N>(m, q, active, rounding, z),
        4 => with_count::<4, N>(m, q, active, rounding, z),
        5 => with_count::<5, N>(m, q, active, rounding, z),
        6 => with_count::<6, N>(m, q, active, rounding, z),
        7 => with_count::<7, N>(m, q, active, rounding, z),
        _ => with_count::<8, N>(m, q, active, rounding, z),
    }
}

#[inline(always)]
fn with_count<const K: usize, const N: usize>(
    m: &[[f64; N]; N],
    q: &[f64; N],
    mut active: u32,
    rounding: f64,
    z: &mut [f64; N],
) -> u32 {
    if K > N {
        return UNDETERMINED;
    }
    let mut inactive = !active & ((1 << N) - 1);
    let mut support = [0; K];
    for s in &mut support {
        *s = active.trailing_zeros() as usize;
        active &= active.wrapping_sub(1);
    }
    if support.iter().any(|&i| i >= N) {
        return UNDETERMINED;
    }
    let Some(x) = solve(m, q, &support) else {
        return UNDETERMINED;
    };
    // What is rounding beside the rest is zero, and not of either sign.
    let rest = x.iter().fold(0.0, |a, x| if x.abs() > a { x.abs() } else { a });
    *z = [0.0; N];
    let mut wrong = 0;
    for (&x, &j) in x.iter().zip(&support) {
        z[j] = if x.abs() <= 1e-14 * rest { 0.0 } else { x };
        wrong |= u32::from(z[j] < 0.0) << j;
    }
    for _ in K..N {
        let i = inactive.trailing_zeros() as usize;
        inactive &= inactive.wrapping_sub(1);
        if i >= N {
            return UNDETERMINED;
        }
        let mut w = q[i];
        for (&x, &j) in x.iter().zip(&support) {
            w += m[i][j] * x;
        }
        wrong |= u32::from(w < rounding) << i;
    }
    wrong
}

/// −M_αα⁻¹ q_α by elimination in the given order.
#[inline(always)]
fn solve<const K: usize, const N: usize>(
    m: &[[f64; N]; N],
    q: &[f64; N],
    support: &[usize; K],
) -> Option<[f64; K]> {
    let mut a = [[0.0; K]; K];
    let mut x = [0.0; K];
    for (r, &i) in support.iter().enumerate() {
        for (entry, &j) in a[r].iter_mut().zip(support) {
            *entry = m[i][j];
        }
        x[r] = -q[i];
    }
    let mut inverse = [0.0; K];
    let mut growth = 0.0;
    let last = K.saturating_sub(2);
    for p in 0..last {
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
    // The last two by Cramer's rule: a division takes as long as all the rest of a step.
    if K == 1 {
        x[0] /= a[0][0];
    } else if K > 1 {
        let (i, j) = (last, last + 1);
        let (down, up) = (a[i][i] * a[j][j], a[i][j] * a[j][i]);
        let inverse = 1.0 / (down - up);
        let f = (down.abs() + up.abs()) * inverse.abs();
        growth = if f > growth { f } else { growth };
        (x[i], x[j]) = (
            (a[j][j] * x[i] - a[i][j] * x[j]) * inverse,
            (a[i][i] * x[j] - a[j][i] * x[i]) * inverse,
        );
    }
    for p in (0..last).rev() {
        for c in p + 1..K {
            x[p] -= a[p][c] * x[c];
        }
        x[p] *= inverse[p];
    }
    // Beyond this growth the answer has lost digits that a pivot search keeps; a NaN fails too.
    let sum: f64 = x.iter().sum();
    (growth < 1e6 && sum.is_finite()).then_some(x)
}
