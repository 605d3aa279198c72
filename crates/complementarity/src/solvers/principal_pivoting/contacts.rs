//! One or two contacts with dry friction in the plane: a search over open, slip and stick.
//!
//! Not a method of its own: it knows two ways to write such a problem, leaves any other alone, and
//! what it finds has to be certified.
//!
//! Notation: K contacts with impulses Λ_N, Λ_T and velocities
//! ξ_N = NN Λ_N + NT Λ_T + b_N,  ξ_T = TN Λ_N + TT Λ_T + b_T. The law is 0 ≤ Λ_N ⊥ ξ_N ≥ 0 and
//! low Λ_N ≤ Λ_T ≤ high Λ_N with ξ_T ≥ 0 at the lower bound, ≤ 0 at the upper, = 0 between. A *case*
//! gives each contact one of four states, two bits each; within a case the problem is linear.

/// Λ_N = Λ_T = 0.
const OPEN: u32 = 0;
/// ξ_N = 0 and Λ_T = low Λ_N.
const LOW: u32 = 1;
/// ξ_N = 0 and Λ_T = high Λ_N.
const HIGH: u32 = 2;
/// ξ_N = ξ_T = 0.
const STICK: u32 = 3;

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

/// A candidate, and the number of cases tried; `None` instead of the candidate if there is none.
type Outcome<const N: usize> = (Option<[f64; N]>, usize);

/// Solves the form of Glocker and Studer 2005, eq. (33): z = (Λ_N, Λ_R, ξ_L), where Λ_R plays the part
/// of Λ_T. `None` if the problem has another form.
#[inline]
pub(super) fn bound_pairs<const K: usize, const N: usize>(
    m: &[[f64; N]; N],
    q: &[f64; N],
    guess: Option<&[f64; N]>,
) -> Option<Outcome<N>> {
    if N != 3 * K || m[N - 1][N - 1] != 0.0 {
        return None;
    }
    let contacts = Contacts::<K>::from_bound_pairs(m, q)?;
    let start = guess.map(|z| {
        let state = |i| match (z[i] > 0.0, z[K + i] > 0.0, z[2 * K + i] > 0.0) {
            (false, ..) => OPEN,
            (_, _, true) => HIGH,
            (_, true, _) => STICK,
            _ => LOW,
        };
        (0..K).fold(0, |case, i| case | state(i) << (2 * i))
    });
    let (found, tried) = contacts.search(start);
    let z = found.map(|(case, x)| {
        let mut z = [0.0; N];
        for i in 0..K {
            let state = state_of(case, i);
            z[i] = x.normal[i];
            z[K + i] = positive(x.tangential[i]);
            z[2 * K + i] = if state == OPEN || state == HIGH { positive(-x.slip[i]) } else { 0.0 };
        }
        z
    });
    Some((z, tried))
}

/// Solves the form of Stewart and Trinkle 1996: z = (Λ_N, β, s) with Λ_T = β₁ − β₂ at each contact.
/// `None` if the problem has another form.
#[inline]
pub(super) fn slip_slack<const K: usize, const N: usize>(
    m: &[[f64; N]; N],
    q: &[f64; N],
    guess: Option<&[f64; N]>,
) -> Option<Outcome<N>> {
    if N != 4 * K || m[N - 1][N - 1] != 0.0 {
        return None;
    }
    let contacts = Contacts::<K>::from_slip_slack(m, q)?;
    let start = guess.map(|z| {
        let state = |i| match (z[i] > 0.0, z[3 * K + i] > 0.0) {
            (false, _) => OPEN,
            (_, false) => STICK,
            _ if z[K + 2 * i] > z[K + 2 * i + 1] => HIGH,
            _ => LOW,
        };
        (0..K).fold(0, |case, i| case | state(i) << (2 * i))
    });
    let (found, tried) = contacts.search(start);
    let z = found.map(|(case, x)| {
        let mut z = [0.0; N];
        for i in 0..K {
            z[i] = x.normal[i];
            z[K + 2 * i] = positive(x.tangential[i]);
            z[K + 2 * i + 1] = positive(-x.tangential[i]);
            z[3 * K + i] = if state_of(case, i) == STICK { 0.0 } else { x.slip[i].abs() };
        }
        z
    });
    Some((z, tried))
}

impl<const K: usize> Contacts<K> {
    #[inline]
    fn from_bound_pairs<const N: usize>(m: &[[f64; N]; N], q: &[f64; N]) -> Option<Self> {
        let mut s = Self::ZERO;
        // Vanishes if the entries that make the form what it is are as they should be.
        let mut other = 0.0;
        for i in 0..K {
            let (n, r, l) = (&m[i], &m[K + i], &m[2 * K + i]);
            for j in 0..K {
                s.nn[i][j] = n[j];
                s.nt[i][j] = n[K + j];
                s.tn[i][j] = r[j];
                s.tt[i][j] = r[K + j];
                let one = if i == j { 1.0 } else { 0.0 };
                other += n[2 * K + j].abs() + l[2 * K + j].abs();
                other += (r[2 * K + j] - one).abs() + (l[K + j] + one).abs();
                other += if i == j { negative_part(l[j]) } else { l[j].abs() };
            }
            s.bn[i] = q[i];
            s.bt[i] = q[K + i];
            s.high[i] = l[i];
            other += q[2 * K + i].abs();
        }
        (other == 0.0).then_some(s)
    }

    #[inline]
    fn from_slip_slack<const N: usize>(m: &[[f64; N]; N], q: &[f64; N]) -> Option<Self> {
        let mut s = Self::ZERO;
        // As above.
        let mut other = 0.0;
        for i in 0..K {
            let t = K + 2 * i;
            let (n, a, b, l) = (&m[i], &m[t], &m[t + 1], &m[3 * K + i]);
            for j in 0..K {
                let (u, v) = (K + 2 * j, 3 * K + j);
                s.nn[i][j] = n[j];
                s.nt[i][j] = n[u];
                s.tn[i][j] = a[j];
                s.tt[i][j] = a[u];
                let one = if i == j { 1.0 } else { 0.0 };
                other += (n[u] + n[u + 1]).abs() + (a[j] + b[j]).abs();
                other += (a[u] + a[u + 1]).abs() + (a[u] + b[u]).abs() + (a[u] - b[u + 1]).abs();
                other += n[v].abs() + (a[v] - one).abs() + (b[v] - one).abs() + l[v].abs();
                other += (l[u] + one).abs() + (l[u + 1] + one).abs();
                other += if i == j { negative_part(l[j]) } else { l[j].abs() };
            }
            s.bn[i] = q[i];
            s.bt[i] = q[t];
            s.high[i] = l[i];
            s.low[i] = -l[i];
            other += (q[t] + q[t + 1]).abs() + q[3 * K + i].abs();
        }
        (other == 0.0).then_some(s)
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
        }
    };

    /// Goes from case to case by the signs that are wrong, and where that leads back, to one that was
    /// not tried. Also tells how many were.
    #[inline]
    fn search(&self, start: Option<u32>) -> (Option<(u32, Motion<K>)>, usize) {
        let cases = 1_usize << (2 * K);
        let largest = self.bn.iter().chain(&self.bt).fold(0.0, |a, b| larger(a, b.abs()));
        let rounding = -1e-13 * largest;
        let mut case = start.unwrap_or_else(|| self.first_case());
        // One bit per case; those beyond the last one count as tried.
        let mut tried = !0_u32 << 1 << (cases - 1);
        for round in 1..=cases {
            tried |= 1 << case;
            let mut next = case;
            if let Some(motion) = self.motion(case) {
                next = self.next_case(case, &motion, rounding);
                if next == case {
                    return (Some((case, motion)), round);
                }
            }
            // Of the cases that are left, the one with the most stick has the best prospects.
            case =
                if tried >> next & 1 == 0 { next } else { (!tried).checked_ilog2().unwrap_or(0) };
        }
        (None, cases)
    }

    /// Closed where the normal velocity without impulses is negative, slipping as without impulses.
    #[inline]
    fn first_case(&self) -> u32 {
        let state = |i: usize| if self.bn[i] < 0.0 { slipping(self.bt[i]) } else { OPEN };
        (0..K).fold(0, |case, i| case | state(i) << (2 * i))
    }

    /// The case itself if its motion obeys the law, else with the offending states changed.
    #[inline]
    fn next_case(&self, case: u32, x: &Motion<K>, rounding: f64) -> u32 {
        let mut next = 0;
        for i in 0..K {
            let (n, t, slip) = (x.normal[i], x.tangential[i], x.slip[i]);
            let (low, high) = (self.low[i] * n, self.high[i] * n);
            let slack = 1e-14 * t.abs();
            let state = match state_of(case, i) {
                OPEN if x.approach[i] < rounding => slipping(slip),
                OPEN => OPEN,
                _ if n < 0.0 => OPEN,
                STICK if t < low - slack => LOW,
                STICK if t > high + slack => HIGH,
                LOW if slip < rounding => STICK,
                HIGH if -slip < rounding => STICK,
                same => same,
            };
            next |= state << (2 * i);
        }
        next
    }

    /// Impulses and velocities in a case; `None` if they are not determined.
    ///
    /// Λ_T of the contacts that stick is eliminated first, since TT is definite unless contacts are
    /// redundant, whatever friction makes of the rest.
    #[inline]
    fn motion(&self, case: u32) -> Option<Motion<K>> {
        let Self { mut nn, mut nt, mut tn, mut tt, bn: mut rn, bt: mut rt, .. } = *self;
        let mut ratio = [0.0; K];
        for j in 0..K {
            let state = state_of(case, j);
            let bound = if state == LOW { self.low[j] } else { self.high[j] };
            ratio[j] = if state == LOW || state == HIGH { bound } else { 0.0 };
            for i in 0..K {
                nn[i][j] += ratio[j] * nt[i][j];
                tn[i][j] += ratio[j] * tt[i][j];
            }
        }
        for p in (0..K).filter(|&p| state_of(case, p) == STICK) {
            let inverse = 1.0 / tt[p][p];
            for i in 0..K {
                let f = nt[i][p] * inverse;
                for j in 0..K {
                    nn[i][j] -= f * tn[p][j];
                    nt[i][j] -= if j > p { f * tt[p][j] } else { 0.0 };
                }
                rn[i] -= f * rt[p];
            }
            for i in p + 1..K {
                let f = tt[i][p] * inverse;
                for j in 0..K {
                    tn[i][j] -= f * tn[p][j];
                    tt[i][j] -= if j > p { f * tt[p][j] } else { 0.0 };
                }
                rt[i] -= f * rt[p];
            }
        }
        let normal = solve_closed(&nn, &rn, case)?;
        let mut tangential = [0.0; K];
        for p in (0..K).rev() {
            tangential[p] = ratio[p] * normal[p];
            if state_of(case, p) == STICK {
                let mut r = rt[p];
                for j in 0..K {
                    r += tn[p][j] * normal[j];
                    // The others are part of TN.
                    r += if j > p && state_of(case, j) == STICK {
                        tt[p][j] * tangential[j]
                    } else {
                        0.0
                    };
                }
                tangential[p] = -r / tt[p][p];
            }
        }
        Some(self.velocities(normal, tangential))
    }

    #[inline]
    fn velocities(&self, normal: [f64; K], tangential: [f64; K]) -> Motion<K> {
        let (mut approach, mut slip) = (self.bn, self.bt);
        for i in 0..K {
            for j in 0..K {
                approach[i] += self.nn[i][j] * normal[j] + self.nt[i][j] * tangential[j];
                slip[i] += self.tn[i][j] * normal[j] + self.tt[i][j] * tangential[j];
            }
        }
        Motion { normal, tangential, approach, slip }
    }
}

/// x with A x + b = 0 in the rows of closed contacts, and x = 0 at the others.
#[inline]
fn solve_closed<const K: usize>(a: &[[f64; K]; K], b: &[f64; K], case: u32) -> Option<[f64; K]> {
    /// Of a determinant, beside its terms, that is rounding.
    const SINGULAR: f64 = 1e-10;
    let mut x = [0.0; K];
    let (i, j) = (0, K - 1);
    let (first, last) = (state_of(case, i) != OPEN, state_of(case, j) != OPEN);
    if i != j && first && last {
        let (ad, bc) = (a[i][i] * a[j][j], a[i][j] * a[j][i]);
        let determinant = ad - bc;
        if !(determinant.abs() > SINGULAR * (ad.abs() + bc.abs())) {
            return None;
        }
        let inverse = 1.0 / determinant;
        x[i] = (a[i][j] * b[j] - a[j][j] * b[i]) * inverse;
        x[j] = (a[j][i] * b[i] - a[i][i] * b[j]) * inverse;
    } else if first {
        x[i] = -b[i] / a[i][i];
    } else if last {
        x[j] = -b[j] / a[j][j];
    }
    let sum: f64 = x.iter().sum();
    sum.is_finite().then_some(x)
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
fn positive(x: f64) -> f64 {
    larger(0.0, x)
}

#[inline]
fn negative_part(x: f64) -> f64 {
    larger(0.0, -x)
}

#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}
