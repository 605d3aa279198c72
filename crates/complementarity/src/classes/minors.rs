//! P and P0: the signs of the principal minors.
//!
//! Notation: α, γ sets of indices; M[α] a principal submatrix; M/M[α] its Schur complement in M,
//! whose diagonal entry k is det M[α ∪ k] / det M[α].

use super::forms::{Pair, dependence, pad, unit};
use super::{Class, Evidence, Finding, Settings};
use crate::Matrix;
use crate::exact::elimination::{Budget, Linear, principal, solve};
use crate::exact::number::{Interval, Number, Sign, integers, intervals};
use crate::exact::wide::{WIDE_COST, wide};
use crate::linalg::Lu;
use crate::tolerance::DOMINANCE_SLACK;

/// Decides P and P0: first by what large matrices allow, then by all principal minors.
pub(super) fn minors(m: &Matrix, settings: &Settings) -> Pair {
    if dominant(m) {
        return Pair::both(Finding::yes(DOMINANT));
    }
    let pair = if m.rows() > settings.max_unknowns {
        cheap(m)
    } else if let Some(entries) = integers(m) {
        Search::new(m, settings.max_work).run(&entries)
    } else {
        search_in_intervals(m, settings)
    };
    match pair.weak {
        Finding::No(evidence) => Pair::both(Finding::No(evidence)),
        _ => pair,
    }
}

const DOMINANT: &str = "diagonal dominance after scaling of the columns";

/// Whether some d > 0 makes m_ii d_i > Σ |m_ij| d_j: an H-matrix with positive diagonal, which is
/// P (Cottle, Pang and Stone, section 3.3), and for a Z-matrix the mark of class M (3.11). O(n³).
pub(super) fn dominant(m: &Matrix) -> bool {
    let n = m.rows();
    // A little less than the diagonal, so that rounding does not hide that d dominates.
    let mut lu = Lu::default();
    let comparison = |i: usize, row: &mut [f64]| {
        for (v, x) in row.iter_mut().zip(m.row(i)) {
            *v = -x.abs();
        }
        row[i] = m[(i, i)] * (1.0 - DOMINANCE_SLACK);
    };
    if !lu.factor(n, f64::EPSILON, comparison) {
        return false;
    }
    let mut d: Vec<f64> = (0..n).map(|i| m[(i, i)]).collect();
    lu.solve(&mut d);
    let dominates = |i: usize| {
        let terms = (0..n).map(|j| {
            let entry = if i == j { m[(i, i)] } else { -m[(i, j)].abs() };
            Interval::point(entry).mul(Interval::point(d[j]))
        });
        terms.fold(Interval::ZERO, Interval::add).sign() == Sign::Positive
    };
    d.iter().all(|&v| v > 0.0 && v.is_finite()) && (0..n).all(dominates)
}

/// Minors of order one and two, and the leading ones: enough to say no to many a large matrix.
fn cheap(m: &Matrix) -> Pair {
    let n = m.rows();
    let mut found = Found::default();
    let negative = |i: usize, j: usize| m[(i, i)] * m[(j, j)] < m[(i, j)] * m[(j, i)];
    for i in 0..n {
        if m[(i, i)] < 0.0 {
            found.refute_p0(m, &[i]);
        } else if m[(i, i)] == 0.0 {
            found.p = Some(reversal(unit(n, i)));
        }
        if found.p0.is_none()
            && let Some(j) = (0..i).find(|&j| negative(i, j))
        {
            found.refute_p0(m, &[j, i]);
        }
    }
    if found.p0.is_none()
        && let Some(k) = first_negative_pivot(m)
    {
        found.refute_p0(m, &(0..=k).collect::<Vec<_>>());
    }
    found.conclude(Finding::TooLarge, Finding::TooLarge)
}

/// The first k whose leading minor of order k + 1 is negative, all before it being positive. For a
/// Z-matrix that is not in class M there is one, or one of zero (Fiedler and Pták 1962).
fn first_negative_pivot(m: &Matrix) -> Option<usize> {
    let n = m.rows();
    let mut a = m.clone();
    for k in 0..n {
        let p = a[(k, k)];
        if p <= 0.0 || p.is_nan() {
            return (p < 0.0).then_some(k);
        }
        let pivot_row = a.row(k)[k..].to_vec();
        for i in k + 1..n {
            let f = a[(i, k)] / p;
            if f != 0.0 {
                crate::matrix::axpy(-f, &pivot_row, &mut a.row_mut(i)[k..]);
            }
        }
    }
    None
}

/// In intervals; where a minor is too close to zero, P0 is asked of M with a raised diagonal.
fn search_in_intervals(m: &Matrix, settings: &Settings) -> Pair {
    let n = m.rows();
    let entries = intervals(m);
    let mut pair = Search::new(m, settings.max_work).run(&entries);
    if !matches!((&pair.strict, &pair.weak), (Finding::TooClose, _) | (_, Finding::TooClose)) {
        return pair;
    }
    if let Some(entries) = wide(m) {
        pair = Search::new(m, settings.max_work / WIDE_COST).run(&entries);
        if !pair.weak.is_open() {
            return pair;
        }
    }
    let mut raised = entries;
    for (i, size) in reaches(m, &(0..n).collect::<Vec<_>>()).iter().enumerate() {
        raised[i * n + i] = Interval::point(m[(i, i)] + settings.rounding * size);
    }
    let weak = match Search::new(m, settings.max_work).run(&raised).strict {
        Finding::Yes { by, .. } => Finding::Yes { by, within: settings.rounding },
        _ => Finding::TooClose,
    };
    Pair { weak, ..pair }
}

/// Sizes for the diagonal entries of M[γ], which scale with them when rows and columns are scaled
/// alike; all positive.
fn reaches(m: &Matrix, gamma: &[usize]) -> Vec<f64> {
    let beside = |i: usize, j: usize| m[(i, j)].abs().sqrt() * m[(j, i)].abs().sqrt();
    let reach = |&i: &usize| gamma.iter().map(|&j| beside(i, j)).fold(0.0, f64::max);
    let mut d: Vec<f64> = gamma.iter().map(reach).collect();
    let largest = d.iter().copied().fold(0.0, f64::max);
    let fallback = if largest > 0.0 { largest } else { 1.0 };
    d.iter_mut().filter(|v| **v == 0.0).for_each(|v| *v = fallback);
    d
}

fn reversal(x: Vec<f64>) -> Evidence {
    Evidence::Reversal { x, transposed: false }
}

/// What refutes P and P0.
#[derive(Default)]
struct Found {
    p: Option<Evidence>,
    p0: Option<Evidence>,
}

impl Found {
    /// Looks for a vector that M[γ] reverses strictly, where det M[γ] < 0.
    fn refute_p0(&mut self, m: &Matrix, gamma: &[usize]) {
        if self.p0.is_none() {
            self.p0 = strict_reversal(m, gamma, false);
        }
    }

    fn conclude(self, p: Finding, p0: Finding) -> Pair {
        Pair { strict: self.p.map_or(p, Finding::No), weak: self.p0.map_or(p0, Finding::No) }
    }
}

/// A vector on γ with x_i (Mx)_i < 0 for all i where x_i ≠ 0; exists if det M[γ] < 0.
///
/// With y = (M[γ] + εD)⁻¹ e_k: (My)_i = −ε d_i y_i for i ≠ k, and if y_k < 0 the same holds for k.
/// By Cramer's rule y_k = det(M[γ∖k] + εD) / det(M[γ] + εD), which is negative for small ε if
/// M[γ∖k] is P0. The larger ε, the clearer the signs.
pub(super) fn strict_reversal(m: &Matrix, gamma: &[usize], transposed: bool) -> Option<Evidence> {
    let at = |i: usize, j: usize| if transposed { m[(j, i)] } else { m[(i, j)] };
    let r = gamma.len();
    let d = reaches(m, gamma);
    let mut lu = Lu::default();
    let last_first = (0..r).rev().take(if r > 32 { 2 } else { r });
    let order: Vec<usize> = last_first.collect();
    for step in 0..12 {
        let epsilon = 0.25f64.powi(step * step / 4);
        let fill = |i: usize, row: &mut [f64]| {
            for (v, &j) in row.iter_mut().zip(gamma) {
                *v = at(gamma[i], j);
            }
            row[i] += epsilon * d[i];
        };
        if !lu.factor(r, 0.0, fill) {
            continue;
        }
        for &k in &order {
            let mut y = unit(r, k);
            lu.solve(&mut y);
            if y[k] >= 0.0 || y[k].is_nan() {
                continue;
            }
            let points: Vec<Interval> = y.iter().map(|&v| Interval::point(v)).collect();
            let x = pad(&points, gamma, m.rows());
            let evidence = Evidence::Reversal { x, transposed };
            if let Finding::No(evidence) = Finding::checked(m, Class::P0, evidence) {
                return Some(evidence);
            }
        }
    }
    None
}

/// All principal minors by a tree of Schur complements (Tsatsomeros and Li 2000): about 6·2^n
/// operations while the pivots are positive; O(n³) for each minor that contains one of zero.
struct Search<'a> {
    m: &'a Matrix,
    budget: Budget,
    found: Found,
    unsure_p: bool,
    unsure_p0: bool,
}

impl<'a> Search<'a> {
    fn new(m: &'a Matrix, work: u64) -> Self {
        Self { m, budget: Budget(work), found: Found::default(), unsure_p: false, unsure_p0: false }
    }

    fn run<N: Number>(mut self, entries: &[N]) -> Pair {
        let all: Vec<usize> = (0..self.m.rows()).collect();
        let finished = self.descend(entries, entries, &all, &mut Vec::new(), N::ONE);
        let open = |unsure: bool| match (finished, unsure) {
            (false, _) => Finding::TooLarge,
            (true, true) => Finding::TooClose,
            (true, false) => Finding::yes("all principal minors"),
        };
        let (p, p0) = (open(self.unsure_p || self.unsure_p0), open(self.unsure_p0));
        self.found.conclude(p, p0)
    }

    /// Visits every set α ∪ δ with δ ⊆ `rest`; `schur` is M/M[α] on `rest`, and det M[α] > 0.
    /// False when P0 is refuted or the budget is spent.
    fn descend<N: Number>(
        &mut self,
        all: &[N],
        schur: &[N],
        rest: &[usize],
        alpha: &mut Vec<usize>,
        previous: N,
    ) -> bool {
        let r = rest.len();
        if r == 0 {
            return true;
        }
        if !self.budget.spend(r * r) {
            return false;
        }
        let p = schur[0];
        alpha.push(rest[0]);
        let on = match p.sign() {
            Sign::Positive => {
                let mut next = Vec::with_capacity((r - 1) * (r - 1));
                for i in 1..r {
                    let f = schur[i * r];
                    for j in 1..r {
                        next.push(N::eliminate(schur[i * r + j], f, schur[j], p, previous));
                    }
                }
                self.descend(all, &next, &rest[1..], alpha, p)
            }
            Sign::Negative => self.negative(alpha) && self.supersets(all, &rest[1..], alpha),
            sign => {
                self.singular(all, alpha, sign);
                self.supersets(all, &rest[1..], alpha)
            }
        };
        alpha.pop();
        if !on {
            return false;
        }
        let without: Vec<usize> = (1..r).collect();
        self.descend(all, &principal(schur, r, &without), &rest[1..], alpha, previous)
    }

    /// det M[γ] < 0. False if a vector shows it.
    fn negative(&mut self, gamma: &[usize]) -> bool {
        self.found.refute_p0(self.m, gamma);
        self.unsure_p0 |= self.found.p0.is_none();
        self.found.p0.is_none()
    }

    /// det M[α] is zero or may be, for α whose last index made it so.
    fn singular<N: Number>(&mut self, all: &[N], alpha: &[usize], sign: Sign) {
        self.unsure_p0 |= sign == Sign::Unsure;
        if self.found.p.is_some() {
            return;
        }
        let n = self.m.rows();
        let (&k, beta) = alpha.split_last().expect("α holds at least its last index");
        let b = beta.iter().map(|&i| all[i * n + k]).collect();
        if let Some(x) = dependence(principal(all, n, beta), b) {
            let evidence = reversal(pad(&x, alpha, n));
            if let Finding::No(evidence) = Finding::checked(self.m, Class::P, evidence) {
                self.found.p = Some(evidence);
                return;
            }
        }
        self.unsure_p = true;
    }

    /// The minors of all γ = α ∪ δ, δ ⊆ `rest` not empty, each from scratch. False when P0 is
    /// refuted or the budget is spent.
    fn supersets<N: Number>(&mut self, all: &[N], rest: &[usize], alpha: &mut Vec<usize>) -> bool {
        for (position, &k) in rest.iter().enumerate() {
            alpha.push(k);
            let r = alpha.len();
            let on = self.budget.spend(r * r * r)
                && match solve(principal(all, self.m.rows(), alpha), vec![N::ZERO; r]) {
                    Linear::Regular { determinant: Sign::Negative, .. } => self.negative(alpha),
                    Linear::Unsure => {
                        self.unsure_p0 = true;
                        true
                    }
                    _ => true,
                }
                && self.supersets(all, &rest[position + 1..], alpha);
            alpha.pop();
            if !on {
                return false;
            }
        }
        true
    }
}
