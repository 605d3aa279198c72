//! A few block exchanges on the stack: the quickest way through a very small problem.
//!
//! Not a method of its own: it gives up early, and what it finds has to be certified. Planar friction
//! at one or two contacts, on which exchanges often fail, is recognised and searched case by case.
//!
//! Notation: N unknowns, α the support, K its size, x = z_α. N and K are known to the compiler in every
//! step, so that the few operations that a step has are all there is to it.

use super::contacts;
use crate::residual::Terms;
use crate::{Lcp, Solution};

/// The most unknowns.
pub(crate) const CAPACITY: usize = 8;

/// Rounds before it gives up. Where block exchanges work at all, two or three are enough.
const ROUNDS: usize = 3;

/// What came of it.
pub(crate) struct Outcome {
    /// What was tried.
    pub(crate) method: &'static str,
    /// Rounds of exchanges, or cases.
    pub(crate) iterations: usize,
    /// Whether z holds a candidate.
    pub(crate) found: bool,
    /// Whether its residual is rounding; then w and the residual are in place as well.
    pub(crate) clean: bool,
}

/// The names under which the two ways are reported.
pub(crate) const EXCHANGES: &str = "block exchanges";
pub(crate) const CONTACTS: &str = "contact cases";

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
    let friction = match N {
        3 => contacts::bound_pairs::<1, N>(m, q, guess),
        4 => contacts::slip_slack::<1, N>(m, q, guess),
        6 => contacts::bound_pairs::<2, N>(m, q, guess),
        8 => contacts::slip_slack::<2, N>(m, q, guess),
        _ => None,
    };
    let (method, candidate, iterations) = match friction {
        Some((z, cases)) => (CONTACTS, z.map(|z| (z, Terms::of(m, q, &z))), cases),
        None => {
            let (candidate, rounds) = exchanges(m, q, guess);
            (EXCHANGES, candidate, rounds)
        }
    };
    let mut outcome = Outcome { method, iterations, found: false, clean: false };
    if let Some((z, terms)) = candidate {
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
) -> (Option<([f64; N], Terms<N>)>, usize) {
    let mut active = guess.map_or_else(|| negative(q, 0.0), |g| negative(&g.map(|g| -g), 0.0));
    let largest = q.iter().fold(0.0, |a, q| if q.abs() > a { q.abs() } else { a });
    let rounding = -1e-13 * largest;
    for round in 1..=ROUNDS {
        let z = match active.count_ones() {
            0 => Some([0.0; N]),
            1 => point::<1, N>(m, q, active),
            2 => point::<2, N>(m, q, active),
            3 => point::<3, N>(m, q, active),
            4 => point::<4, N>(m, q, active),
            5 => point::<5, N>(m, q, active),
            6 => point::<6, N>(m, q, active),
            7 => point::<7, N>(m, q, active),
            _ => point::<8, N>(m, q, active),
        };
        let Some(z) = z else { return (None, round) };
        let terms = Terms::of(m, q, &z);
        let wrong = negative(&z, 0.0) | negative(&terms.w, rounding) & !active;
        if wrong == 0 {
            return (Some((z, terms)), round);
        }
        active ^= wrong;
    }
    (None, ROUNDS)
}

/// The entries below a limit, as a set of bits.
#[inline]
fn negative<const N: usize>(x: &[f64; N], limit: f64) -> u32 {
    let mut set = 0;
    for i in 0..N {
        set |= u32::from(x[i] < limit) << i;
    }
    set
}

/// z with the support `active` of K unknowns and w = 0 there; `None` if a pivot is too small to go
/// without a pivot search.
#[inline]
fn point<const K: usize, const N: usize>(
    m: &[[f64; N]; N],
    q: &[f64; N],
    mut active: u32,
) -> Option<[f64; N]> {
    if K > N {
        return None;
    }
    let mut support = [0; K];
    for s in &mut support {
        *s = active.trailing_zeros() as usize;
        active &= active.wrapping_sub(1);
    }
    if support.iter().any(|&i| i >= N) {
        return None;
    }
    let x = solve(m, q, &support)?;
    // What is rounding beside the rest is zero, and not of either sign.
    let largest = x.iter().fold(0.0, |a, x| if x.abs() > a { x.abs() } else { a });
    let mut z = [0.0; N];
    for (&x, &j) in x.iter().zip(&support) {
        z[j] = if x.abs() <= 1e-14 * largest { 0.0 } else { x };
    }
    Some(z)
}

/// −M_αα⁻¹ q_α by elimination in the given order.
#[inline]
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
