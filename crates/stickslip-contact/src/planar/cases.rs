//! One or two planar contacts by their cases: open, slip one way or the other, stick. From W, b and the laws directly,
//! on the stack; most steps of most planar runs need no more.
//!
//! Floating point decides here, so that what is found has to be certified; [`decide`](crate::proof::decide) decides
//! in exact arithmetic where that fails.
//!
//! # Notation
//! K contacts with impulses Λ_N, Λ_T and velocities ξ_N = NN Λ_N + NT Λ_T + b_N, ξ_T = TN Λ_N + TT Λ_T + b_T. The law is
//! 0 ≤ Λ_N ⊥ ξ_N ≥ 0 and low Λ_N ≤ Λ_T ≤ high Λ_N with ξ_T ≥ 0 at the lower bound, ≤ 0 at the upper, = 0 between. Where
//! friction is known (a contact that slides, or none), low = high and ξ_T is not restricted. A *case* gives each contact one of
//! four states, two bits each; within a case the problem is linear.

use crate::{ContactProblem, Delassus, Slip};

/// Λ_N = Λ_T = 0.
const OPEN: u32 = 0;
/// ξ_N = 0 and Λ_T = low Λ_N.
const LOW: u32 = 1;
/// ξ_N = 0 and Λ_T = high Λ_N.
const HIGH: u32 = 2;
/// ξ_N = ξ_T = 0.
const STICK: u32 = 3;

/// No case: a bit that counts as tried.
const NONE: u32 = 31;

/// A velocity below this share of the largest entry of b is rounding.
const VELOCITY_ROUNDING: f64 = 1e-13;
/// A friction beyond its bound by less than this share of it is rounding.
const FRICTION_ROUNDING: f64 = 1e-14;
/// A determinant below this share of its terms is rounding.
const SINGULAR: f64 = 1e-10;

/// Impulses of one or two planar contacts that obey the laws but for rounding, and how many cases were tried. `None` for
/// other problems, for free friction with a part that does not depend on the load (its open contacts have cases of
/// their own), and where no case is found.
///
/// If several cases are possible, it is the first on a path that starts at contacts that close and slip as b says.
#[inline]
pub(crate) fn solve(problem: &ContactProblem, impulse: &mut Vec<f64>) -> Option<usize> {
    match problem.contacts() {
        1 => Contacts::<1>::of(problem)?.solve(impulse),
        2 => Contacts::<2>::of(problem)?.solve(impulse),
        _ => None,
    }
}

/// The problem in impulses.
struct Contacts<const K: usize> {
    nn: [[f64; K]; K],
    nt: [[f64; K]; K],
    tn: [[f64; K]; K],
    tt: [[f64; K]; K],
    bn: [f64; K],
    bt: [f64; K],
    low: [f64; K],
    high: [f64; K],
    /// Whether friction is an unknown.
    free: [bool; K],
    /// The part of a known friction that does not depend on the load; its velocities are in b.
    shift: [f64; K],
}

/// Impulses and velocities of a case.
struct Motion<const K: usize> {
    /// Λ_N.
    normal: [f64; K],
    /// Λ_T.
    tangential: [f64; K],
    /// ξ_N.
    approach: [f64; K],
    /// ξ_T.
    slip: [f64; K],
}

impl<const K: usize> Contacts<K> {
    #[inline]
    fn of(problem: &ContactProblem) -> Option<Self> {
        let mut s = Self::ZERO;
        for (i, law) in problem.laws().iter().enumerate().take(K) {
            let (mu, a) = (law.mu, law.radius);
            (s.low[i], s.high[i], s.free[i]) = (-mu, mu, law.has_free_friction());
            if s.free[i] && a != 0.0 {
                return None;
            }
            if let Some(slip) = law.slip() {
                let side = -Slip::sign(slip);
                (s.low[i], s.high[i], s.shift[i]) = (side * mu, side * mu, side * a);
            }
        }
        match problem.delassus() {
            Delassus::Dense(w) => s.fill(w.as_slice()),
            w => s.fill(w.to_dense().as_slice()),
        }
        let b = problem.bias();
        for i in 0..K {
            (s.bn[i], s.bt[i]) = (*b.get(2 * i)?, *b.get(2 * i + 1)?);
            for j in 0..K {
                s.bn[i] += s.nt[i][j] * s.shift[j];
                s.bt[i] += s.tt[i][j] * s.shift[j];
            }
        }
        Some(s)
    }

    /// W by rows, two for each contact.
    #[inline(always)]
    fn fill(&mut self, w: &[f64]) {
        for (i, rows) in w.chunks_exact(4 * K).enumerate().take(K) {
            let (n, t) = rows.split_at(2 * K);
            for j in 0..K {
                (self.nn[i][j], self.nt[i][j]) = (n[2 * j], n[2 * j + 1]);
                (self.tn[i][j], self.tt[i][j]) = (t[2 * j], t[2 * j + 1]);
            }
        }
    }

    #[inline]
    fn solve(&self, impulse: &mut Vec<f64>) -> Option<usize> {
        let (motion, tried) = self.search();
        let x = motion?;
        impulse.resize(2 * K, 0.0);
        for (i, out) in impulse.chunks_exact_mut(2).enumerate().take(K) {
            out[0] = x.normal[i];
            out[1] = x.tangential[i] + self.shift[i];
        }
        Some(tried)
    }

    const ZERO: Self = {
        let (matrix, vector) = ([[0.0; K]; K], [0.0; K]);
        Self {
            nn: matrix,
            nt: matrix,
            tn: matrix,
            tt: matrix,
            bn: vector,
            bt: vector,
            low: vector,
            high: vector,
            free: [false; K],
            shift: vector,
        }
    };

    /// Goes from case to case by the signs that are wrong, and where that leads back, to one that was
    /// not tried. Also tells how many were.
    #[inline]
    fn search(&self) -> (Option<Motion<K>>, usize) {
        let cases = 1_usize << (2 * K);
        let mut largest = 0.0;
        for i in 0..K {
            largest = larger(larger(largest, self.bn[i].abs()), self.bt[i].abs());
        }
        let rounding = -VELOCITY_ROUNDING * largest;
        let mut case = self.first_case();
        // One bit per case; those beyond the last one count as tried.
        let mut tried = !0_u32 << 1 << (cases - 1);
        for round in 1..=cases {
            tried |= 1 << case;
            let (next, motion) = self.step(case, rounding);
            if next == case {
                return (Some(motion), round);
            }
            case = if tried >> next & 1 == 0 { next } else { untried(next, tried) };
        }
        (None, cases)
    }

    /// Closed where the normal velocity without impulses is negative; there as each contact would do alone.
    #[inline]
    fn first_case(&self) -> u32 {
        (0..K).fold(0, |case, i| case | self.first_state(i) << (2 * i))
    }

    /// By the impulse that would stop the contact alone, times the determinant of its block.
    #[inline(always)]
    fn first_state(&self, i: usize) -> u32 {
        let (nn, nt, tn, tt) = (self.nn[i][i], self.nt[i][i], self.tn[i][i], self.tt[i][i]);
        let (n, t) = (nt * self.bt[i] - tt * self.bn[i], tn * self.bn[i] - nn * self.bt[i]);
        if !(self.bn[i] < 0.0) {
            OPEN
        } else if !(nn * tt > nt * tn && n > 0.0) {
            slipping(self.bt[i])
        } else if t < self.low[i] * n {
            LOW
        } else if t > self.high[i] * n {
            HIGH
        } else {
            STICK
        }
    }

    /// The motion of a case, and the case itself if it obeys the law, else another; `NONE` if the motion
    /// is not determined.
    ///
    /// Not to be inlined: the compiler would compute all cases ahead of the loop.
    #[inline(never)]
    fn step(&self, case: u32, rounding: f64) -> (u32, Motion<K>) {
        match case {
            0 => self.step_from::<0>(rounding),
            1 => self.step_from::<1>(rounding),
            2 => self.step_from::<2>(rounding),
            3 => self.step_from::<3>(rounding),
            4 => self.step_from::<4>(rounding),
            5 => self.step_from::<5>(rounding),
            6 => self.step_from::<6>(rounding),
            7 => self.step_from::<7>(rounding),
            8 => self.step_from::<8>(rounding),
            9 => self.step_from::<9>(rounding),
            10 => self.step_from::<10>(rounding),
            11 => self.step_from::<11>(rounding),
            12 => self.step_from::<12>(rounding),
            13 => self.step_from::<13>(rounding),
            14 => self.step_from::<14>(rounding),
            _ => self.step_from::<15>(rounding),
        }
    }

    #[inline(always)]
    fn step_from<const CASE: u32>(&self, rounding: f64) -> (u32, Motion<K>) {
        let x = self.motion::<CASE>();
        let determined = x.normal.iter().sum::<f64>().is_finite();
        (if determined { self.next_case::<CASE>(&x, rounding) } else { NONE }, x)
    }

    /// The case itself if its motion obeys the law, else with the offending states changed.
    #[inline(always)]
    fn next_case<const CASE: u32>(&self, x: &Motion<K>, rounding: f64) -> u32 {
        let mut next = 0;
        for i in 0..K {
            let (n, t, slip) = (x.normal[i], x.tangential[i], x.slip[i]);
            let slack = FRICTION_ROUNDING * t.abs();
            let state = match state_of(CASE, i) {
                OPEN if x.approach[i] >= rounding => OPEN,
                OPEN => slipping(slip),
                STICK if !self.free[i] => LOW,
                // An approach that only an impulse stops: what pulls while it sticks may push while it slips.
                STICK if n < 0.0 && self.bn[i] < 0.0 => slipping(-t),
                _ if n < 0.0 => OPEN,
                same if !self.free[i] => same,
                STICK if t < self.low[i] * n - slack => LOW,
                STICK if t > self.high[i] * n + slack => HIGH,
                LOW if slip < rounding => STICK,
                HIGH if -slip < rounding => STICK,
                same => same,
            };
            next |= state << (2 * i);
        }
        next
    }

    /// Impulses and velocities in a case; not finite if they are not determined.
    ///
    /// Λ_T of the contacts that stick is eliminated first, since TT is definite unless contacts are
    /// redundant, whatever friction makes of the rest.
    #[inline(always)]
    fn motion<const CASE: u32>(&self) -> Motion<K> {
        let Self { mut nn, mut nt, mut tn, mut tt, bn: mut rn, bt: mut rt, .. } = *self;
        for j in 0..K {
            for i in 0..K {
                match state_of(CASE, j) {
                    LOW => {
                        nn[i][j] += self.low[j] * nt[i][j];
                        tn[i][j] += self.low[j] * tt[i][j];
                    }
                    HIGH => {
                        nn[i][j] += self.high[j] * nt[i][j];
                        tn[i][j] += self.high[j] * tt[i][j];
                    }
                    _ => {}
                }
            }
        }
        let mut inverse = [0.0; K];
        for p in 0..K {
            if state_of(CASE, p) != STICK {
                continue;
            }
            inverse[p] = 1.0 / tt[p][p];
            for i in 0..K {
                let f = nt[i][p] * inverse[p];
                for j in 0..K {
                    nn[i][j] -= f * tn[p][j];
                }
                for j in p + 1..K {
                    nt[i][j] -= f * tt[p][j];
                }
                rn[i] -= f * rt[p];
            }
            for i in p + 1..K {
                let f = tt[i][p] * inverse[p];
                for j in 0..K {
                    tn[i][j] -= f * tn[p][j];
                }
                for j in p + 1..K {
                    tt[i][j] -= f * tt[p][j];
                }
                rt[i] -= f * rt[p];
            }
        }
        let normal = solve_closed::<K, CASE>(&nn, &rn);
        let mut tangential = [0.0; K];
        for p in (0..K).rev() {
            tangential[p] = match state_of(CASE, p) {
                OPEN => 0.0,
                LOW => self.low[p] * normal[p],
                HIGH => self.high[p] * normal[p],
                _ => {
                    let mut r = rt[p];
                    for j in (0..K).filter(|&j| state_of(CASE, j) != OPEN) {
                        r += tn[p][j] * normal[j];
                    }
                    for j in (p + 1..K).filter(|&j| state_of(CASE, j) == STICK) {
                        r += tt[p][j] * tangential[j];
                    }
                    -r * inverse[p]
                }
            };
        }
        self.velocities::<CASE>(normal, tangential)
    }

    /// The velocities that the case does not set to zero.
    #[inline(always)]
    fn velocities<const CASE: u32>(&self, normal: [f64; K], tangential: [f64; K]) -> Motion<K> {
        let (mut approach, mut slip) = ([0.0; K], [0.0; K]);
        for i in 0..K {
            if state_of(CASE, i) == OPEN {
                approach[i] = self.bn[i];
            }
            if state_of(CASE, i) != STICK {
                slip[i] = self.bt[i];
            }
            for j in (0..K).filter(|&j| state_of(CASE, j) != OPEN) {
                if state_of(CASE, i) == OPEN {
                    approach[i] += self.nn[i][j] * normal[j] + self.nt[i][j] * tangential[j];
                }
                if state_of(CASE, i) != STICK {
                    slip[i] += self.tn[i][j] * normal[j] + self.tt[i][j] * tangential[j];
                }
            }
        }
        Motion { normal, tangential, approach, slip }
    }
}

/// x with A x + b = 0 in the rows of closed contacts, and x = 0 at the others; not a number where it is
/// not determined.
#[inline(always)]
fn solve_closed<const K: usize, const CASE: u32>(a: &[[f64; K]; K], b: &[f64; K]) -> [f64; K] {
    let mut x = [0.0; K];
    let (i, j) = (0, K - 1);
    let (first, last) = (state_of(CASE, i) != OPEN, state_of(CASE, j) != OPEN);
    if i != j && first && last {
        let (ad, bc) = (a[i][i] * a[j][j], a[i][j] * a[j][i]);
        let determinant = ad - bc;
        let singular = determinant.abs() <= SINGULAR * (ad.abs() + bc.abs());
        let inverse = 1.0 / if singular { f64::NAN } else { determinant };
        x[i] = (a[i][j] * b[j] - a[j][j] * b[i]) * inverse;
        x[j] = (a[j][i] * b[i] - a[i][i] * b[j]) * inverse;
    } else if first {
        x[i] = -b[i] / a[i][i];
    } else if last {
        x[j] = -b[j] / a[j][j];
    }
    x
}

/// A case near to one that was tried already; after none, the one with the most stick.
#[cold]
fn untried(next: u32, tried: u32) -> u32 {
    let near = (1..16).map(|change| next ^ change).find(|case| tried >> case & 1 == 0);
    near.or((!tried).checked_ilog2()).unwrap_or(0)
}

/// At which bound a contact is that slips with this velocity.
#[inline]
fn slipping(velocity: f64) -> u32 {
    if velocity > 0.0 { LOW } else { HIGH }
}

#[inline]
fn state_of(case: u32, i: usize) -> u32 {
    case >> (2 * i) & 3
}

#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Law;
    use complementarity::Matrix;
    use proptest::prelude::*;

    fn problem(w: Matrix, b: &[f64], mu: &[f64]) -> ContactProblem {
        let laws = mu.iter().map(|&mu| Law::coulomb(mu)).collect();
        ContactProblem::new(w, b.to_vec(), laws).unwrap()
    }

    proptest! {
        // With W definite a solution exists whatever b and μ.
        #[test]
        fn definite_problems_are_solved_within_all_cases(
            k in 1..3_usize,
            g in prop::array::uniform16(-1.0..1.0_f64),
            b in prop::array::uniform4(-1.0..1.0_f64),
            mu in prop::array::uniform2(prop_oneof![Just(0.0), 0.0..1.0, 1.0..10.0]),
        ) {
            let n = 2 * k;
            let w = Matrix::from_fn(n, n, |i, j| {
                let ridge = if i == j { 0.1 } else { 0.0 };
                ridge + (0..4).map(|r| g[4 * r + i] * g[4 * r + j]).sum::<f64>()
            });
            let p = problem(w, &b[..n], &mu[..k]);
            let mut impulse = Vec::new();
            let tried = solve(&p, &mut impulse);
            prop_assert!(tried.is_some_and(|tried| tried <= 1 << n), "{:?}", p);
            prop_assert!(p.certificate(&impulse).unwrap().worst < 1e-10);
        }
    }

    #[test]
    fn all_cases_are_tried_before_it_gives_up() {
        // Nothing stops the approach: W = 0.
        let p = problem(Matrix::zeros(4, 4), &[-1.0, 0.0, -1.0, 0.0], &[0.5; 2]);
        let (found, tried) = Contacts::<2>::of(&p).unwrap().search();
        assert!(found.is_none() && tried == 16);
        let p = problem(Matrix::zeros(2, 2), &[-1.0, 0.0], &[0.5]);
        let (found, tried) = Contacts::<1>::of(&p).unwrap().search();
        assert!(found.is_none() && tried == 4);
    }

    #[test]
    fn known_friction_acts_whatever_the_slip_and_constant_friction_on_an_open_contact() {
        let w = || Matrix::from_rows(&[[1.0, 0.5], [0.5, 2.0]]).unwrap();
        let mut impulse = Vec::new();
        for side in [1.0, -1.0] {
            let law = Law { radius: 0.25, ..Law::coulomb(0.5) }.sliding_with([side, 0.0, 0.0]);
            // ξ_N = Λ_N (1 − side μ / 2) − side a / 2 + b_N.
            let (open, closed) = (1.0, -1.0);
            let p = ContactProblem::new(w(), vec![open, 0.0], vec![law.clone()]).unwrap();
            assert!(solve(&p, &mut impulse).is_some());
            assert_eq!(impulse, [0.0, -side * 0.25]);
            let p = ContactProblem::new(w(), vec![closed, 0.0], vec![law]).unwrap();
            assert!(solve(&p, &mut impulse).is_some());
            let normal = (1.0 + side * 0.125) / (1.0 - side * 0.25);
            assert!((impulse[0] - normal).abs() < 1e-15);
            assert!((impulse[1] + side * (0.5 * normal + 0.25)).abs() < 1e-15);
        }
    }
}
