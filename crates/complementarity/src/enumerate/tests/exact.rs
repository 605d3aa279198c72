//! All solutions by exhaustion in rational arithmetic, for integer problems.
//!
//! Every choice α (z_i = 0 for i outside, w_i = 0 for i inside) gives a polyhedron P_α. Its
//! vertices and extreme rays are found by trying every set of active inequalities.

use crate::Lcp;
use std::collections::BTreeSet;

/// A fraction in lowest terms with positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fraction(i128, i128);

impl Fraction {
    const ZERO: Self = Self(0, 1);

    fn new(a: i128, b: i128) -> Self {
        let (mut x, mut y) = (a.abs(), b.abs());
        while y != 0 {
            (x, y) = (y, x % y);
        }
        let sign = if b < 0 { -1 } else { 1 };
        Self(sign * a / x, sign * b / x)
    }

    fn minus_times(self, a: Self, b: Self) -> Self {
        let product = Self::new(a.0 * b.0, a.1 * b.1);
        Self::new(self.0 * product.1 - product.0 * self.1, self.1 * product.1)
    }

    fn over(self, a: Self) -> Self {
        Self::new(self.0 * a.1, self.1 * a.0)
    }

    pub(super) fn value(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }
}

/// A polyhedron P_α that is not empty.
pub(super) struct Exact {
    pub(super) vertices: BTreeSet<Vec<Fraction>>,
    pub(super) rays: BTreeSet<Vec<Fraction>>,
    /// Variables (z_j as j, w_i as n + i) that are positive somewhere on it.
    pub(super) positive: u64,
}

/// The P_α that are maximal, each once.
pub(super) fn maximal_faces(problem: &Lcp) -> Vec<Exact> {
    let n = problem.len();
    let mut found: Vec<Exact> = (0..1u64 << n).filter_map(|a| polyhedron(problem, a)).collect();
    found.sort_by_key(|f| (std::cmp::Reverse(f.positive.count_ones()), f.positive));
    let mut kept: Vec<Exact> = Vec::new();
    for face in found {
        if kept.iter().all(|k| face.positive & !k.positive != 0) {
            kept.push(face);
        }
    }
    kept
}

fn polyhedron(problem: &Lcp, alpha: u64) -> Option<Exact> {
    let n = problem.len();
    let mut face = Exact { vertices: BTreeSet::new(), rays: BTreeSet::new(), positive: 0 };
    let zeros = (0..n).map(|i| if alpha >> i & 1 == 1 { n + i } else { i });
    let base: u64 = zeros.fold(0, |b, v| b | 1 << v);
    for active in (0..1u64 << (2 * n)).filter(|a| a & base == base) {
        for homogeneous in [false, true] {
            let Some((z, w)) = only_point(problem, active, homogeneous) else {
                continue;
            };
            if z.iter().chain(&w).any(|v| *v < Fraction::ZERO) {
                continue;
            }
            let values = z.iter().chain(&w).enumerate();
            let positive = values.filter(|(_, v)| **v > Fraction::ZERO);
            face.positive |= positive.fold(0, |b, (v, _)| b | 1 << v);
            if homogeneous { &mut face.rays } else { &mut face.vertices }.insert(z);
        }
    }
    (!face.vertices.is_empty()).then_some(face)
}

/// The point (z, w) where exactly the variables `active` are set to zero, if there is only one;
/// for the homogeneous system, with q = 0, the direction whose entries add up to one.
fn only_point(
    problem: &Lcp,
    active: u64,
    homogeneous: bool,
) -> Option<(Vec<Fraction>, Vec<Fraction>)> {
    let n = problem.len();
    let whole = |v: f64| Fraction(v as i128, 1);
    let constant = |i: usize| {
        if homogeneous { Fraction::ZERO } else { whole(problem.q()[i]) }
    };
    let support: Vec<usize> = (0..n).filter(|j| active >> j & 1 == 0).collect();
    let mut rows: Vec<Vec<Fraction>> = (0..n)
        .filter(|i| active >> (n + i) & 1 == 1)
        .map(|i| {
            let entries = support.iter().map(|&j| whole(problem.m()[(i, j)]));
            let right = Fraction::ZERO.minus_times(constant(i), whole(1.0));
            entries.chain([right]).collect()
        })
        .collect();
    if homogeneous {
        rows.push(vec![whole(1.0); support.len() + 1]);
    }
    let x = unique_solution(rows, support.len())?;
    let mut z = vec![Fraction::ZERO; n];
    support.iter().zip(x).for_each(|(&j, x)| z[j] = x);
    let w = (0..n)
        .map(|i| (0..n).fold(constant(i), |w, j| w.minus_times(whole(-problem.m()[(i, j)]), z[j])));
    let w = w.collect();
    Some((z, w))
}

/// Gauss-Jordan on [A | b]; `None` if there is no solution or more than one.
fn unique_solution(mut rows: Vec<Vec<Fraction>>, k: usize) -> Option<Vec<Fraction>> {
    for c in 0..k {
        let p = (c..rows.len()).find(|&r| rows[r][c] != Fraction::ZERO)?;
        rows.swap(c, p);
        let pivot = rows[c][c];
        rows[c].iter_mut().for_each(|v| *v = v.over(pivot));
        let row = rows[c].clone();
        for r in (0..rows.len()).filter(|&r| r != c) {
            let factor = rows[r][c];
            for (v, p) in rows[r].iter_mut().zip(&row) {
                *v = v.minus_times(factor, *p);
            }
        }
    }
    let consistent = rows[k..].iter().all(|r| r[k] == Fraction::ZERO);
    consistent.then(|| rows[..k].iter().map(|r| r[k]).collect())
}
