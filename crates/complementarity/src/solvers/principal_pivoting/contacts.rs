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

/// No case: a bit that counts as tried.
const NONE: u32 = 31;

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

/// Whether numbers are all zero, collected without branches.
struct Zeros(u64);

impl Zeros {
    #[inline(always)]
    fn add(&mut self, x: f64) {
        self.0 |= x.to_bits();
    }

    /// Of either sign.
    #[inline(always)]
    fn all(&self) -> bool {
        self.0 << 1 == 0
    }
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
    /// `None` if the entries that make the form are not as they should be.
    #[inline]
    fn from_bound_pairs<const N: usize>(m: &[[f64; N]; N], q: &[f64; N]) -> Option<Self> {
        let mut other = Zeros(0);
        for i in 0..K {
            let (n, r, l) = (&m[i], &m[K + i], &m[2 * K + i]);
            for j in 0..K {
                let one = if i == j { 1.0 } else { 0.0 };
                other.add(n[2 * K + j]);
                other.add(l[2 * K + j]);
                other.add(r[2 * K + j] - one);
                other.add(l[K + j] + one);
                other.add(if i == j { negative_part(l[j]) } else { l[j] });
            }
            other.add(q[2 * K + i]);
        }
        if !other.all() {
            return None;
        }
        let mut s = Self::ZERO;
        for i in 0..K {
            for j in 0..K {
                s.nn[i][j] = m[i][j];
                s.nt[i][j] = m[i][K + j];
                s.tn[i][j] = m[K + i][j];
                s.tt[i][j] = m[K + i][K + j];
            }
            s.bn[i] = q[i];
            s.bt[i] = q[K + i];
            s.high[i] = m[2 * K + i][i];
        }
        Some(s)
    }

    /// As above.
    #[inline]
    fn from_slip_slack<const N: usize>(m: &[[f64; N]; N], q: &[f64; N]) -> Option<Self> {
        let mut other = Zeros(0);
        for i in 0..K {
            let t = K + 2 * i;
            let (n, a, b, l) = (&m[i], &m[t], &m[t + 1], &m[3 * K + i]);
            for j in 0..K {
                let (u, v) = (K + 2 * j, 3 * K + j);
                let one = if i == j { 1.0 } else { 0.0 };
                other.add(n[u] + n[u + 1]);
                other.add(a[j] + b[j]);
                other.add(a[u] + a[u + 1]);
                other.add(a[u] + b[u]);
                other.add(a[u] - b[u + 1]);
                other.add(n[v]);
                other.add(a[v] - one);
                other.add(b[v] - one);
                other.add(l[v]);
                other.add(l[u] + one);
                other.add(l[u + 1] + one);
                other.add(if i == j { negative_part(l[j]) } else { l[j] });
            }
            other.add(q[t] + q[t + 1]);
            other.add(q[3 * K + i]);
        }
        if !other.all() {
            return None;
        }
        let mut s = Self::ZERO;
        for i in 0..K {
            let t = K + 2 * i;
            for j in 0..K {
                s.nn[i][j] = m[i][j];
                s.nt[i][j] = m[i][K + 2 * j];
                s.tn[i][j] = m[t][j];
                s.tt[i][j] = m[t][K + 2 * j];
            }
            s.bn[i] = q[i];
            s.bt[i] = q[t];
            s.high[i] = m[3 * K + i][i];
            s.low[i] = -s.high[i];
        }
        Some(s)
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
        let mut largest = 0.0;
        for i in 0..K {
            largest = larger(larger(largest, self.bn[i].abs()), self.bt[i].abs());
        }
        let rounding = -1e-13 * largest;
        let mut case = start.unwrap_or_else(|| self.first_case());
        // One bit per case; those beyond the last one count as tried.
        let mut tried = !0_u32 << 1 << (cases - 1);
        for round in 1..=cases {
            tried |= 1 << case;
            let (next, motion) = self.step(case, rounding);
            if next == case {
                return (Some((case, motion)), round);
            }
            case = if tried >> next & 1 == 0 { next } else { untried(next, tried) };
        }
        (None, cases)
    }

    /// Closed where the normal velocity without impulses is negative, slipping as without impulses.
    #[inline]
    fn first_case(&self) -> u32 {
        let state = |i: usize| if self.bn[i] < 0.0 { slipping(self.bt[i]) } else { OPEN };
        (0..K).fold(0, |case, i| case | state(i) << (2 * i))
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
            let slack = 1e-14 * t.abs();
            let state = match state_of(CASE, i) {
                OPEN if x.approach[i] >= rounding => OPEN,
                OPEN => slipping(slip),
                // An approach that only an impulse stops: what pulls while it sticks may push while it slips.
                STICK if n < 0.0 && self.bn[i] < 0.0 => slipping(-t),
                _ if n < 0.0 => OPEN,
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
    /// Of a determinant, beside its terms, that is rounding.
    const SINGULAR: f64 = 1e-10;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Auto, Lcp, Matrix, Solver};
    use proptest::prelude::*;

    /// W = GᵀG + 0.1 in the order (N, N, T, T), b and μ.
    fn systems() -> impl Strategy<Value = ([[f64; 4]; 4], [f64; 4], [f64; 2])> {
        let g = prop::array::uniform4(prop::array::uniform4(-1.0..1.0));
        let b = prop::array::uniform4(-1.0..1.0);
        let mu = prop::array::uniform2(prop_oneof![Just(0.0), 0.0..1.0, 1.0..10.0]);
        (g, b, mu).prop_map(|(g, b, mu): ([[f64; 4]; 4], _, _)| {
            let mut w = [[0.0; 4]; 4];
            for i in 0..4 {
                for j in 0..4 {
                    w[i][j] = (0..4).map(|k| g[k][i] * g[k][j]).sum();
                }
                w[i][i] += 0.1;
            }
            (w, b, mu)
        })
    }

    /// Glocker and Studer 2005, eq. (33).
    fn glocker_studer(w: &[[f64; 4]; 4], b: &[f64; 4], mu: &[f64; 2]) -> ([[f64; 6]; 6], [f64; 6]) {
        let mut m = [[0.0; 6]; 6];
        for i in 0..4 {
            for j in 0..2 {
                m[i][j] = w[i][j] - w[i][2 + j] * mu[j];
                m[i][2 + j] = w[i][2 + j];
            }
        }
        for i in 0..2 {
            m[2 + i][4 + i] = 1.0;
            m[4 + i][i] = 2.0 * mu[i];
            m[4 + i][2 + i] = -1.0;
        }
        (m, [b[0], b[1], b[2], b[3], 0.0, 0.0])
    }

    /// The slip-slack form of Stewart and Trinkle 1996.
    fn stewart_trinkle(
        w: &[[f64; 4]; 4],
        b: &[f64; 4],
        mu: &[f64; 2],
    ) -> ([[f64; 8]; 8], [f64; 8]) {
        // Impulse and sign of each unknown but the last two.
        let parts = [(0, 1.0), (1, 1.0), (2, 1.0), (2, -1.0), (3, 1.0), (3, -1.0)];
        let (mut m, mut q) = ([[0.0; 8]; 8], [0.0; 8]);
        for (i, (r, s)) in parts.into_iter().enumerate() {
            for (j, (c, t)) in parts.into_iter().enumerate() {
                m[i][j] = s * t * w[r][c];
            }
            q[i] = s * b[r];
        }
        for c in 0..2 {
            m[6 + c][c] = mu[c];
            for beta in [2 + 2 * c, 3 + 2 * c] {
                m[beta][6 + c] = 1.0;
                m[6 + c][beta] = -1.0;
            }
        }
        (m, q)
    }

    fn lcp<const N: usize>((m, q): &([[f64; N]; N], [f64; N])) -> Lcp {
        Lcp::new(Matrix::from_rows(m).unwrap(), q.to_vec()).unwrap()
    }

    proptest! {
        // With W definite a solution exists whatever b and μ.
        #[test]
        fn both_forms_are_recognised_and_solved((w, b, mu) in systems()) {
            let forms = [lcp(&glocker_studer(&w, &b, &mu)), lcp(&stewart_trinkle(&w, &b, &mu))];
            for problem in forms {
                let mut auto = Auto::default();
                let z = auto.solve(&problem).z.clone();
                let attempts = auto.attempts();
                prop_assert!(attempts.len() == 1 && attempts[0].method == "contact cases");
                prop_assert!(attempts[0].iterations <= 16);
                prop_assert!(problem.residual(&z).scaled < 1e-10);
                // From its own solution a search ends at once, but where a case has a twin.
                let again = auto.solve_from(&problem, &z).unwrap();
                prop_assert!(again.is_solved());
            }
        }

        #[test]
        fn an_entry_that_breaks_the_form_is_seen((w, b, mu) in systems(), i in 0..8_usize, j in 0..8_usize) {
            let (mut m, q) = glocker_studer(&w, &b, &mu);
            let (r, c) = (i % 6, j % 6);
            m[r][c] += 0.5;
            let free = r < 4 && c < 4 || r >= 4 && c == r - 4;
            prop_assert_eq!(bound_pairs::<2, 6>(&m, &q, None).is_some(), free);
            let (mut m, q) = stewart_trinkle(&w, &b, &mu);
            m[i][j] += 0.5;
            let free = i < 2 && j < 2 || i >= 6 && j == i - 6;
            prop_assert_eq!(slip_slack::<2, 8>(&m, &q, None).is_some(), free);
        }
    }

    #[test]
    fn all_cases_are_tried_before_it_gives_up() {
        // Nothing stops the approach: W = 0.
        let (w, b, mu) = ([[0.0; 4]; 4], [-1.0, -1.0, 0.0, 0.0], [0.5; 2]);
        let (m, q) = glocker_studer(&w, &b, &mu);
        assert_eq!(bound_pairs::<2, 6>(&m, &q, None), Some((None, 16)));
        let m = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, -1.0, 0.0]];
        assert_eq!(bound_pairs::<1, 3>(&m, &[-1.0, 0.0, 0.0], None), Some((None, 4)));
    }

    #[test]
    fn a_guess_is_where_the_search_starts() {
        // One contact that sticks; without a guess slip is tried first.
        let m = [[0.9, 0.1, 0.0], [-0.9, 1.0, 1.0], [2.0, -1.0, 0.0]];
        let q = [-1.0, -0.5, 0.0];
        let (z, tried) = bound_pairs::<1, 3>(&m, &q, None).unwrap();
        let z = z.unwrap();
        assert!(tried > 1 && z[1] > 0.0 && z[2] == 0.0, "{tried} {z:?}");
        assert_eq!(bound_pairs::<1, 3>(&m, &q, Some(&z)), Some((Some(z), 1)));
    }
}
