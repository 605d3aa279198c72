//! Positive definite and positive semidefinite: the quadratic form xᵀMx.
//!
//! Notation: S = M + Mᵀ, twice the symmetric part;  A = D S D with D of powers of two such that the
//! diagonal of A lies in [1, 4); c bounds what rounding does to a Cholesky factorisation of A.

use super::{Class, Evidence, Finding, Settings};
use crate::Matrix;
use crate::exact::elimination::{Definiteness, Linear, definiteness, principal, solve};
use crate::exact::number::{Interval, Number, highest_bit, integers, times_two_to};
use crate::matrix::dot;

/// Findings about a closed class and its interior.
pub(super) struct Pair {
    /// Positive definite, P, strictly copositive.
    pub(super) strict: Finding,
    /// Positive semidefinite, P0, copositive.
    pub(super) weak: Finding,
}

impl Pair {
    pub(super) fn both(finding: Finding) -> Self {
        Self { strict: finding.clone(), weak: finding }
    }
}

/// Decides positive definite and positive semidefinite. A few factorisations, O(n³).
///
/// The Cholesky factorisation of A − cI runs to its end only if A is positive definite (Rump 2006);
/// that of A + cI stops early only if A is not semidefinite, and where it stops there is a vector
/// that shows it. What lies between is decided exactly for small integers, and else called
/// semidefinite to rounding.
pub(super) fn definite(m: &Matrix, settings: &Settings) -> Pair {
    let n = m.rows();
    let s = symmetric_part(m);
    let mut strict_fails = None;
    let mut ids = Vec::with_capacity(n);
    for i in 0..n {
        if s[(i, i)] < 0.0 {
            return Pair::both(Finding::No(form(unit(n, i))));
        }
        if s[(i, i)] > 0.0 {
            ids.push(i);
            continue;
        }
        strict_fails = Some(unit(n, i));
        if let Some(j) = (0..n).find(|&j| s[(i, j)] != 0.0) {
            return no_or_close(m, zero_on_the_diagonal(&s, i, j));
        }
    }
    let pair = definite_with_diagonal(m, &Scaled::new(&s, ids), settings);
    match strict_fails {
        None => pair,
        Some(x) => Pair {
            strict: Finding::No(form(x)),
            weak: match pair.strict {
                Finding::Yes { .. } => pair.strict,
                _ => pair.weak,
            },
        },
    }
}

fn definite_with_diagonal(m: &Matrix, a: &Scaled, settings: &Settings) -> Pair {
    let n = a.ids.len();
    if let Some((i, j)) = a.too_large_off_diagonal() {
        return no_or_close(m, a.pair(i, j));
    }
    let c = 4.0 * (n * (n + 3)) as f64 * f64::EPSILON;
    let mut work = Cholesky::default();
    if work.factor(&a.matrix, -c).is_none() {
        return Pair::both(Finding::yes("Cholesky factorisation"));
    }
    if let Some(pair) = definite_integers(m) {
        return pair;
    }
    let rounding = c.max(settings.rounding);
    if work.factor(&a.matrix, rounding).is_none() {
        return Pair {
            strict: Finding::TooClose,
            weak: Finding::Yes { by: "Cholesky factorisation", within: rounding },
        };
    }
    no_or_close(m, a.unscaled(&steepest(&mut work, &a.matrix, rounding)))
}

/// A vector x with xᵀ(A + shift I)x ≤ 0 for a large shift: the larger, the clearer it is.
fn steepest(work: &mut Cholesky, a: &Matrix, failing: f64) -> Vec<f64> {
    let (mut low, mut high) = (failing.log2().floor() as i32, a.rows().ilog2() as i32 + 4);
    let mut best = work.factor(a, failing).unwrap_or_default();
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match work.factor(a, 2f64.powi(middle)) {
            Some(x) => (low, best) = (middle, x),
            None => high = middle,
        }
    }
    best
}

/// The exact verdict for small matrices of integers.
fn definite_integers(m: &Matrix) -> Option<Pair> {
    let n = m.rows();
    if n > 40 {
        return None;
    }
    let s = integers(&twice_symmetric_part(m)?)?;
    match definiteness(s.clone(), n) {
        Definiteness::Definite => Some(Pair::both(Finding::yes("exact elimination"))),
        Definiteness::Semidefinite => Some(Pair {
            strict: Finding::checked(m, Class::PositiveDefinite, form(kernel_vector(&s, n)?)),
            weak: Finding::yes("exact elimination"),
        }),
        _ => None,
    }
}

/// A vector with S x = 0 for a singular positive semidefinite S.
fn kernel_vector(s: &[i128], n: usize) -> Option<Vec<f64>> {
    let mut definite: Vec<usize> = Vec::new();
    for k in 0..n {
        definite.push(k);
        if definiteness(principal(s, n, &definite), definite.len()) == Definiteness::Definite {
            continue;
        }
        let before = &definite[..definite.len() - 1];
        let b = before.iter().map(|&i| s[i * n + k]).collect();
        let x = dependence(principal(s, n, before), b)?;
        return Some(pad(&x, &definite, n));
    }
    None
}

/// The x with A x_α + b x_k = 0 and x_k > 0, in the order α, k, up to a positive factor.
pub(super) fn dependence<N: Number>(a: Vec<N>, b: Vec<N>) -> Option<Vec<N>> {
    // [A b; 0 1] x = e_k, of the same determinant as A.
    let r = b.len() + 1;
    let mut bordered = vec![N::ZERO; r * r];
    for i in 0..r - 1 {
        bordered[i * r..i * r + r - 1].copy_from_slice(&a[i * (r - 1)..(i + 1) * (r - 1)]);
        bordered[i * r + r - 1] = b[i];
    }
    bordered[r * r - 1] = N::ONE;
    let mut right = vec![N::ZERO; r];
    right[r - 1] = N::ONE;
    match solve(bordered, right) {
        Linear::Regular { x, .. } => Some(x),
        _ => None,
    }
}

/// The direction of x at the indices `ids`, zero elsewhere.
pub(super) fn pad<N: Number>(x: &[N], ids: &[usize], n: usize) -> Vec<f64> {
    let mut full = vec![0.0; n];
    for (&i, v) in ids.iter().zip(N::direction(x)) {
        full[i] = v;
    }
    full
}

fn form(x: Vec<f64>) -> Evidence {
    Evidence::Form { x }
}

fn no_or_close(m: &Matrix, x: Vec<f64>) -> Pair {
    Pair {
        strict: Finding::checked(m, Class::PositiveDefinite, form(x.clone())),
        weak: Finding::checked(m, Class::PositiveSemidefinite, form(x)),
    }
}

pub(super) fn unit(n: usize, i: usize) -> Vec<f64> {
    let mut x = vec![0.0; n];
    x[i] = 1.0;
    x
}

/// S = M + Mᵀ, or half of that where it would overflow.
pub(super) fn symmetric_part(m: &Matrix) -> Matrix {
    let largest = m.as_slice().iter().fold(0.0, |a: f64, v| a.max(v.abs()));
    let half = if largest > f64::MAX / 4.0 { 0.5 } else { 1.0 };
    Matrix::from_fn(m.rows(), m.rows(), |i, j| half * m[(i, j)] + half * m[(j, i)])
}

/// M + Mᵀ, if no sum is rounded.
pub(super) fn twice_symmetric_part(m: &Matrix) -> Option<Matrix> {
    let sum = |i: usize, j: usize| Interval::point(m[(i, j)]).add(Interval::point(m[(j, i)]));
    let n = m.rows();
    let exact = (0..n * n).all(|k| sum(k / n, k % n).is_point());
    exact.then(|| Matrix::from_fn(n, n, |i, j| sum(i, j).lo))
}

/// With s_ii = 0 and s_ij ≠ 0 the form is negative at a multiple of e_i away from e_j.
pub(super) fn zero_on_the_diagonal(s: &Matrix, i: usize, j: usize) -> Vec<f64> {
    let (b, d) = (s[(i, j)], s[(j, j)]);
    let mut x = unit(s.rows(), j);
    let step = if d > 0.0 { d / b.abs() } else { 1.0 };
    if step.is_finite() {
        x[i] = -b.signum() * step.max(f64::MIN_POSITIVE);
    } else {
        x[i] = -b.signum();
        x[j] = 0.5 * (b.abs() / d);
    }
    x
}

/// A = D S D on the indices whose diagonal entry is positive.
pub(super) struct Scaled {
    n: usize,
    pub(super) ids: Vec<usize>,
    exponents: Vec<i32>,
    pub(super) matrix: Matrix,
}

impl Scaled {
    pub(super) fn new(s: &Matrix, ids: Vec<usize>) -> Self {
        let exponents: Vec<i32> =
            ids.iter().map(|&i| -(highest_bit(s[(i, i)]).div_euclid(2))).collect();
        let matrix = Matrix::from_fn(ids.len(), ids.len(), |i, j| {
            times_two_to(s[(ids[i], ids[j])], exponents[i] + exponents[j])
        });
        Self { n: s.rows(), ids, exponents, matrix }
    }

    /// Two indices whose 2 x 2 block is not semidefinite by far.
    fn too_large_off_diagonal(&self) -> Option<(usize, usize)> {
        let n = self.ids.len();
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs.into_iter().find(|&(i, j)| {
            // An overflow is one too.
            self.matrix[(i, j)].abs() >= 8.0
        })
    }

    /// The vector that is ±1 at two scaled indices, of signs that make the form small.
    fn pair(&self, i: usize, j: usize) -> Vec<f64> {
        let mut x = vec![0.0; self.ids.len()];
        x[i] = 1.0;
        x[j] = -self.matrix[(i, j)].signum();
        self.unscaled(&x)
    }

    /// D x, padded with zeros.
    pub(super) fn unscaled(&self, x: &[f64]) -> Vec<f64> {
        let mut full = vec![0.0; self.n];
        for (k, &i) in self.ids.iter().enumerate().take(x.len()) {
            full[i] = times_two_to(x[k], self.exponents[k]);
        }
        full
    }
}

/// L Lᵀ = A + shift·I, on storage that is kept.
#[derive(Default)]
struct Cholesky {
    /// Rows of L, each of length n.
    l: Vec<f64>,
}

impl Cholesky {
    /// None if the factorisation runs to its end; else a vector x with xᵀ(A + shift I)x ≤ 0 to
    /// rounding, which ends at the row where it stopped.
    fn factor(&mut self, a: &Matrix, shift: f64) -> Option<Vec<f64>> {
        let n = a.rows();
        self.l.clear();
        self.l.resize(n * n, 0.0);
        for i in 0..n {
            let (done, rest) = self.l.split_at_mut(i * n);
            let row = &mut rest[..n];
            for j in 0..i {
                let above = &done[j * n..j * n + j + 1];
                row[j] = (a[(i, j)] - dot(&row[..j], &above[..j])) / above[j];
            }
            let pivot = a[(i, i)] + shift - dot(&row[..i], &row[..i]);
            if pivot <= 0.0 || !pivot.is_finite() {
                return Some(self.stop(n, i));
            }
            row[i] = pivot.sqrt();
        }
        None
    }

    /// x with x_i = 1 and L Lᵀ x = −(row i) on the rows before i: the minimiser of the form.
    fn stop(&self, n: usize, i: usize) -> Vec<f64> {
        let mut x = vec![0.0; n];
        x[i] = 1.0;
        for j in (0..i).rev() {
            let mut sum = -self.l[i * n + j];
            for k in j + 1..i {
                sum -= self.l[k * n + j] * x[k];
            }
            x[j] = sum / self.l[j * n + j];
        }
        x
    }
}
