//! How far a vector is from a solution, in numbers without units.
//!
//! This is the independent check: no solver shares this code, and every solver's status is
//! decided by it.
//!
//! Notation: w = M z + q;  s_i = |q_i| + Σ_j |M_ij| |z_j|, the size of the terms that make up w_i;
//! 1/t_j = max_i |M_ij| / s_i, so that a change of t_j in z_j alters some row by its whole size.
//! A row without terms of its own is measured against the rest of the problem, and terms that dwarf
//! q count only up to a limit: see [`floor`].
//! ω_i = w_i / s_i and ζ_j = z_j / t_j have no unit: if the rows of the problem are multiplied by
//! r_i > 0 and its unknowns by c_j > 0, neither changes.

mod floor;
mod precise;
mod tiny;

use crate::linalg::Entries;
use crate::tolerance::{RESIDUAL_GLANCE, RESIDUAL_GROWTH, RESIDUAL_NO_FAULT};
use crate::{Matrix, SparseMatrix};
use floor::Floor;
pub(crate) use tiny::Terms;

/// How far a vector is from a solution.
///
/// All but [`natural`](Self::natural) are invariant under a change of units, that is under a
/// positive scaling of any row and of any unknown. A scaled residual of 10⁻¹⁰ means that the
/// vector solves a problem whose entries differ from the given ones by that relative amount
/// (numbers that are rounding beside the rest of the problem are forgiven, and a vector so large that q
/// is lost beside M z is not).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Residual {
    /// The verdict: max_i |min(ζ_i, ω_i)|, the natural map in scaled quantities.
    pub scaled: f64,
    /// How far outside of z ≥ 0 and w ≥ 0 (of the box, for a mixed problem), scaled.
    pub feasibility: f64,
    /// max_i |ζ_i ω_i|, scaled, where ζ_i counts up to one.
    pub complementarity: f64,
    /// max_i |min(z_i, w_i)| in the units of the problem.
    pub natural: f64,
    /// The index at which `scaled` is attained.
    pub worst: usize,
}

impl Residual {
    /// The residual of something that is not even a vector of finite numbers.
    pub const INFINITE: Self = Self {
        scaled: f64::INFINITY,
        feasibility: f64::INFINITY,
        complementarity: f64::INFINITY,
        natural: f64::INFINITY,
        worst: 0,
    };

    const ZERO: Self =
        Self { scaled: 0.0, feasibility: 0.0, complementarity: 0.0, natural: 0.0, worst: 0 };
}

/// Storage that a residual needs, kept from one evaluation to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// What the sums of w lose to rounding.
    rest: Vec<f64>,
    pub(crate) w: Vec<f64>,
    /// s_i.
    size: Vec<f64>,
    inverse_size: Vec<f64>,
    floor: Floor,
    /// Whether the terms seem, at a glance, to dwarf q.
    grown: bool,
    /// By how much they do, in balanced units; 1 where a glance showed nothing.
    pub(crate) growth: f64,
}

impl Scratch {
    /// Makes room for n unknowns, so that no later evaluation of that size allocates.
    fn fit(&mut self, n: usize) {
        if self.w.len() != n {
            self.w.resize(n, 0.0);
            self.size.resize(n, 0.0);
            self.inverse_size.clear();
            self.inverse_size.reserve(n);
            self.rest.clear();
            self.rest.reserve(n);
            self.floor.reserve(n);
        }
    }
}

pub(crate) fn lcp(m: &Matrix, q: &[f64], z: &[f64]) -> Residual {
    lcp_into(m, q, z, &mut Scratch::default())
}

pub(crate) fn mlcp(m: &Matrix, q: &[f64], lower: &[f64], upper: &[f64], z: &[f64]) -> Residual {
    mlcp_into(m, q, lower, upper, z, &mut Scratch::default())
}

/// The residual of an [`Lcp`](crate::Lcp); leaves w in `scratch.w`.
pub(crate) fn lcp_into(m: &Matrix, q: &[f64], z: &[f64], scratch: &mut Scratch) -> Residual {
    if let Some(clean) = lcp_if_clean(m, q, z, scratch) {
        return clean;
    }
    if !dense_rows(m, q, z, scratch) {
        return Residual::INFINITE;
    }
    evaluate(m, q, |_| (0.0, f64::INFINITY), z, scratch)
}

/// The residual of an [`Lcp`](crate::Lcp) if it is rounding: what [`natural_map`] would find, at the
/// cost of one product and without branches. Leaves w in `scratch.w` either way.
pub(crate) fn lcp_if_clean(
    m: &Matrix,
    q: &[f64],
    z: &[f64],
    scratch: &mut Scratch,
) -> Option<Residual> {
    let n = q.len();
    scratch.fit(n);
    if z.len() != n {
        return None;
    }
    let m = m.as_slice();
    let clean = match n {
        1 => clean_fixed::<1>(m, q, z, scratch),
        2 => clean_fixed::<2>(m, q, z, scratch),
        3 => clean_fixed::<3>(m, q, z, scratch),
        4 => clean_fixed::<4>(m, q, z, scratch),
        5 => clean_fixed::<5>(m, q, z, scratch),
        6 => clean_fixed::<6>(m, q, z, scratch),
        7 => clean_fixed::<7>(m, q, z, scratch),
        8 => clean_fixed::<8>(m, q, z, scratch),
        _ => clean(m.chunks_exact(n.max(1)), q, z, &mut scratch.w, |row, q| long_row(row, z, q)),
    };
    scratch.growth = 1.0;
    clean
}

/// Very short rows, whose length the compiler knows.
fn clean_fixed<const N: usize>(
    m: &[f64],
    q: &[f64],
    z: &[f64],
    scratch: &mut Scratch,
) -> Option<Residual> {
    let rows = m.as_chunks::<N>().0.first_chunk::<N>()?;
    let (q, z) = (q.first_chunk::<N>()?, z.first_chunk::<N>()?);
    let terms = Terms::of(rows, q, z);
    *scratch.w.first_chunk_mut::<N>()? = terms.w;
    terms.if_clean(q, z)
}

#[inline(always)]
fn clean<R>(
    rows: impl Iterator<Item = R>,
    q: &[f64],
    z: &[f64],
    w: &mut [f64],
    product: impl Fn(R, f64) -> (f64, f64),
) -> Option<Residual> {
    let mut r = Residual::ZERO;
    let (mut least, mut sum, mut growth) = (0.0, 0.0, Growth::default());
    for (i, (((row, &q), &z), w)) in rows.zip(q).zip(z).zip(w).enumerate() {
        let s;
        (*w, s) = product(row, q);
        let map = if *w < z { *w } else { z };
        // With z = 0 only a negative w is a fault. A row of zeros gives NaN, which is no larger.
        let omega = (if z == 0.0 { map } else { *w } / s).abs();
        least = if z < least { z } else { least };
        sum += s;
        growth.add(q, s);
        r.natural = if map.abs() > r.natural { map.abs() } else { r.natural };
        r.worst = if omega > r.scaled { i } else { r.worst };
        r.scaled = if omega > r.scaled { omega } else { r.scaled };
    }
    (r.scaled <= RESIDUAL_NO_FAULT && least >= 0.0 && sum.is_finite() && !growth.seen())
        .then_some(r)
}

/// The residual of an [`Mlcp`](crate::Mlcp); leaves w in `scratch.w`.
pub(crate) fn mlcp_into(
    m: &Matrix,
    q: &[f64],
    lower: &[f64],
    upper: &[f64],
    z: &[f64],
    scratch: &mut Scratch,
) -> Residual {
    if !dense_rows(m, q, z, scratch) {
        return Residual::INFINITE;
    }
    evaluate(m, q, |i| (lower[i], upper[i]), z, scratch)
}

pub(crate) fn sparse_lcp(m: &SparseMatrix, q: &[f64], z: &[f64]) -> Residual {
    sparse_lcp_into(m, q, z, &mut Scratch::default())
}

/// The residual of a [`SparseLcp`](crate::SparseLcp); leaves w in `scratch.w`.
pub(crate) fn sparse_lcp_into(
    m: &SparseMatrix,
    q: &[f64],
    z: &[f64],
    scratch: &mut Scratch,
) -> Residual {
    if !sparse_rows(m, q, z, scratch) {
        return Residual::INFINITE;
    }
    evaluate(m, q, |_| (0.0, f64::INFINITY), z, scratch)
}

/// What the residual needs of a matrix.
trait Columns: Entries {
    /// max_i |M_ij| / s_i for one j. A row of size zero with an entry here gives ∞.
    fn largest_effect(&self, j: usize, inverse_size: &[f64]) -> f64;
}

impl Columns for Matrix {
    fn largest_effect(&self, j: usize, inverse_size: &[f64]) -> f64 {
        let mut t = 0.0;
        for (i, &inv) in inverse_size.iter().enumerate() {
            let effect = self[(i, j)].abs() * inv;
            if effect > t {
                t = effect;
            }
        }
        t
    }
}

/// The natural map, first against each row's own size; where that finds a fault, or where the terms
/// dwarf q, once more with the sizes adjusted, and w in twice the precision if rounding could decide.
fn evaluate(
    m: &impl Columns,
    q: &[f64],
    bounds: impl Fn(usize) -> (f64, f64),
    z: &[f64],
    scratch: &mut Scratch,
) -> Residual {
    scratch.growth = 1.0;
    let strict = natural_map(m, z, &bounds, scratch);
    if strict.scaled <= RESIDUAL_NO_FAULT && !scratch.grown {
        return strict;
    }
    scratch.growth = scratch.floor.adjust(m, q, &bounds, z, &mut scratch.size);
    let Scratch { w, size, floor, rest, .. } = scratch;
    if floor.hidden.iter().zip(&*size).any(|(hidden, size)| *hidden > RESIDUAL_NO_FAULT * size) {
        precise::rows(m, q, z, w, &mut floor.hidden, rest);
    }
    let mut adjusted = natural_map(m, z, &bounds, scratch);
    for i in 0..z.len() {
        // Where z rests at a bound, and w clearly has the sign for it, rounding hides nothing.
        let (l, u) = bounds(i);
        let (w, hidden) = (scratch.w[i], scratch.floor.hidden[i]);
        let clear = z[i] == l && w > hidden || z[i] == u && w < -hidden;
        let share = hidden / scratch.size[i];
        if !clear && share > RESIDUAL_NO_FAULT {
            record(&mut adjusted, share, i);
        }
    }
    adjusted
}

/// Fills w and s; false if anything is not finite or does not fit.
fn dense_rows(m: &Matrix, q: &[f64], z: &[f64], scratch: &mut Scratch) -> bool {
    let n = q.len();
    scratch.fit(n);
    if z.len() != n {
        return false;
    }
    // Stays zero unless a number is not finite.
    let mut finite = 0.0;
    let mut growth = Growth::default();
    for i in 0..n {
        let (w, s) = long_row(m.row(i), z, q[i]);
        scratch.w[i] = w;
        scratch.size[i] = s;
        finite += (s + z[i]) * 0.0;
        growth.add(q[i], s);
    }
    scratch.grown = growth.seen();
    finite == 0.0
}

/// Whether the terms of a problem dwarf its q, by a first glance that no problem of ordinary numbers
/// fails: as a whole, or in a row.
#[derive(Clone, Copy, Default)]
struct Growth {
    largest_q: f64,
    largest_s: f64,
    in_a_row: bool,
}

impl Growth {
    #[inline(always)]
    fn add(&mut self, q: f64, s: f64) {
        self.largest_q = if q.abs() > self.largest_q { q.abs() } else { self.largest_q };
        self.largest_s = if s > self.largest_s { s } else { self.largest_s };
        self.in_a_row |= (s > RESIDUAL_GLANCE * q.abs()) & (q != 0.0);
    }

    fn seen(self) -> bool {
        self.in_a_row || self.largest_s > RESIDUAL_GROWTH * self.largest_q
    }
}

/// q + mᵀz and the sum of the absolute values of its terms, in four lanes, which the compiler turns into
/// vector registers.
#[inline]
fn long_row(m: &[f64], z: &[f64], q: f64) -> (f64, f64) {
    let (mut w, mut s) = ([0.0; 4], [0.0; 4]);
    let (rows, zs) = (m.chunks_exact(4), z.chunks_exact(4));
    let (mut w_tail, mut s_tail) = (q, q.abs());
    for (a, b) in rows.remainder().iter().zip(zs.remainder()) {
        w_tail += a * b;
        s_tail += (a * b).abs();
    }
    for (a, b) in rows.zip(zs) {
        for l in 0..4 {
            let term = a[l] * b[l];
            w[l] += term;
            s[l] += term.abs();
        }
    }
    (w_tail + ((w[0] + w[1]) + (w[2] + w[3])), s_tail + ((s[0] + s[1]) + (s[2] + s[3])))
}

impl Columns for SparseMatrix {
    fn largest_effect(&self, j: usize, inverse_size: &[f64]) -> f64 {
        let mut t = 0.0;
        for (i, v) in self.column(j) {
            let effect = v.abs() * inverse_size[i];
            if effect > t {
                t = effect;
            }
        }
        t
    }
}

/// As [`dense_rows`].
fn sparse_rows(m: &SparseMatrix, q: &[f64], z: &[f64], scratch: &mut Scratch) -> bool {
    scratch.fit(q.len());
    if z.len() != q.len() {
        return false;
    }
    let (mut finite, mut growth) = (true, Growth::default());
    for i in 0..q.len() {
        let (mut w, mut s) = (q[i], q[i].abs());
        for (j, v) in m.row(i) {
            w += v * z[j];
            s += (v * z[j]).abs();
        }
        finite &= s.is_finite() && z[i].is_finite();
        growth.add(q[i], s);
        scratch.w[i] = w;
        scratch.size[i] = s;
    }
    scratch.grown = growth.seen();
    finite
}

/// The natural map z − mid(l, u, z − w), written as min(z − l, max(w, z − u)) in scaled terms.
#[inline]
fn natural_map(
    m: &impl Columns,
    z: &[f64],
    bounds: impl Fn(usize) -> (f64, f64),
    scratch: &mut Scratch,
) -> Residual {
    let Scratch { w, size, inverse_size, .. } = scratch;
    inverse_size.clear();
    inverse_size.extend(size.iter().map(|s| 1.0 / s));
    let mut r = Residual::ZERO;
    for i in 0..z.len() {
        let (l, u) = bounds(i);
        let (above, below) = (z[i] - l, u - z[i]);
        let omega = if w[i] == 0.0 { 0.0 } else { w[i] * inverse_size[i] };
        r.natural = r.natural.max(w[i].max(-below).min(above).abs());
        if above == 0.0 && omega >= 0.0 || below == 0.0 && omega <= 0.0 {
            continue;
        }
        if above >= 0.0 && below >= 0.0 && omega.abs() <= RESIDUAL_NO_FAULT {
            record(&mut r, omega, i);
            continue;
        }
        if inverse_size.is_empty() {
            inverse_size.extend(size.iter().map(|s| 1.0 / s));
        }
        let mut inv_t = m.largest_effect(i, inverse_size);
        if inv_t == 0.0 {
            // No row feels this unknown: its own size, or that of its bounds, is the only scale.
            let finite_or_zero = |b: f64| if b.is_finite() { b.abs() } else { 0.0 };
            inv_t = 1.0 / z[i].abs().max(finite_or_zero(l)).max(finite_or_zero(u));
        }
        let scaled = |d: f64| if d == 0.0 { 0.0 } else { d * inv_t };
        let (a, b) = (scaled(above), scaled(below));
        record(&mut r, omega.max(-b).min(a), i);
        r.feasibility = r.feasibility.max(-a).max(-b);
        if u == f64::INFINITY && l == 0.0 {
            r.feasibility = r.feasibility.max(-omega);
        }
        let product = if omega > 0.0 { a.min(1.0) * omega } else { b.min(1.0) * -omega };
        r.complementarity = r.complementarity.max(product.abs());
    }
    r
}

#[inline]
fn record(r: &mut Residual, value: f64, index: usize) {
    if value.abs() > r.scaled {
        r.scaled = value.abs();
        r.worst = index;
    }
}

#[cfg(test)]
mod tests {
    use crate::{Lcp, Matrix, Mlcp, SparseLcp, SparseMatrix};
    use proptest::prelude::*;

    fn example() -> (Matrix, Vec<f64>) {
        let m = Matrix::from_rows(&[[4.0, -1.0, 0.5], [0.3, 2.0, 1.0], [-1.0, 0.2, 3.0]]).unwrap();
        (m, vec![-1.0, 2.0, -0.5])
    }

    proptest! {
        #[test]
        fn a_change_of_units_does_not_change_the_verdict(
            z in prop::collection::vec(-1.0..2.0, 3),
            r in prop::collection::vec(-20i32..20, 3),
            c in prop::collection::vec(-20i32..20, 3),
        ) {
            let (m, q) = example();
            let two = |e: i32| 2f64.powi(e);
            let scaled_m = Matrix::from_fn(3, 3, |i, j| m[(i, j)] * two(r[i]) * two(c[j]));
            let scaled_q = (0..3).map(|i| q[i] * two(r[i])).collect();
            let scaled_z: Vec<f64> = (0..3).map(|j| z[j] / two(c[j])).collect();
            let a = Lcp::new(m, q).unwrap().residual(&z);
            let b = Lcp::new(scaled_m, scaled_q).unwrap().residual(&scaled_z);
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a;
            prop_assert!(close(a.scaled, b.scaled), "{a:?} {b:?}");
            prop_assert!(close(a.feasibility, b.feasibility), "{a:?} {b:?}");
            prop_assert!(close(a.complementarity, b.complementarity), "{a:?} {b:?}");
            prop_assert_eq!(a.worst, b.worst);
        }

        #[test]
        fn dense_sparse_and_mixed_say_the_same(z in prop::collection::vec(-1.0..2.0, 3)) {
            let (m, q) = example();
            let dense = Lcp::new(m.clone(), q.clone()).unwrap();
            let sparse = SparseLcp::new(SparseMatrix::from_dense(&m), q).unwrap();
            let (a, b) = (dense.residual(&z), sparse.residual(&z));
            prop_assert!((a.scaled - b.scaled).abs() < 1e-15);
            prop_assert_eq!(a, dense.to_mlcp().residual(&z));
        }
    }

    proptest! {
        // The plain problem is judged on the stack, the mixed one in the general way.
        #[test]
        fn few_unknowns_are_judged_as_many_are(
            n in 1..=8_usize,
            m in prop::collection::vec(-1.0..1.0, 64),
            x in prop::collection::vec(-1.0..1.0, 8),
            fault in prop_oneof![Just(0.0), Just(1e-15), Just(1e-6), Just(-1e-6)],
        ) {
            let m = Matrix::from_fn(n, n, |i, j| m[8 * i + j]);
            let z: Vec<f64> = x[..n].iter().map(|x: &f64| x.max(0.0)).collect();
            let w = m.mul_vec(&z);
            let q = (0..n).map(|i| (-x[i]).max(0.0) - w[i] + fault).collect();
            let p = Lcp::new(m, q).unwrap();
            let (a, b) = (p.residual(&z), p.to_mlcp().residual(&z));
            prop_assert!((a.scaled - b.scaled).abs() <= 1e-15, "{a:?} {b:?}");
            prop_assert!((a.natural - b.natural).abs() <= 1e-15, "{a:?} {b:?}");
        }
    }

    #[test]
    fn each_kind_of_fault_is_seen() {
        let p = Lcp::new(Matrix::identity(2), vec![-1.0, 1.0]).unwrap();
        assert_eq!(p.residual(&[1.0, 0.0]).scaled, 0.0);
        let negative_w = p.residual(&[0.5, 0.0]);
        assert!(negative_w.feasibility > 0.3 && negative_w.worst == 0);
        let negative_z = p.residual(&[1.0, -0.5]);
        assert!(negative_z.feasibility > 0.3 && negative_z.worst == 1);
        let both_positive = p.residual(&[1.0, 0.5]);
        assert!(both_positive.complementarity > 0.3 && both_positive.feasibility == 0.0);
        assert_eq!(p.residual(&[f64::NAN, 0.0]).scaled, f64::INFINITY);
        assert_eq!(p.residual(&[1.0]).scaled, f64::INFINITY);
    }

    #[test]
    fn rounding_in_a_row_without_terms_of_its_own_is_forgiven_and_a_fault_is_not() {
        // The second row reads w = z1 - z2 and vanishes at the solution (0, 0, 2).
        let m = Matrix::from_rows(&[[1.0, 0.5, 1.0], [1.0, -1.0, 0.0], [1.0, 0.0, 1.0]]).unwrap();
        let p = Lcp::new(m, vec![3.0, 0.0, -2.0]).unwrap();
        assert_eq!(p.residual(&[0.0, 0.0, 2.0]).scaled, 0.0);
        assert!(p.residual(&[0.0, 1e-16, 2.0]).scaled < 1e-10);
        assert!(p.residual(&[0.0, 1e-12, 2.0]).scaled > 1e-10);
    }

    #[test]
    fn a_huge_vector_does_not_hide_q() {
        // w = (z1 - z2 - 1, z2 - z1 - 1): the sum of both is -2, whatever z.
        let m = Matrix::from_rows(&[[1.0, -1.0], [-1.0, 1.0]]).unwrap();
        let p = Lcp::new(m, vec![-1.0, -1.0]).unwrap();
        for e in 0..300 {
            let z = 10f64.powi(e);
            assert!(p.residual(&[z, z]).scaled > 1e-8, "{e}");
        }
        // A large solution is one all the same, as far as its rounding lets it be told.
        let m = Matrix::from_rows(&[[1.0, -1.0], [-1.0, 1.0 + 1e-8]]).unwrap();
        let p = Lcp::new(m, vec![-1.0, 0.0]).unwrap();
        let z2 = 1.0 / (p.m()[(1, 1)] - 1.0);
        assert!(p.residual(&[1.0 + z2, z2]).scaled < 1e-10);
    }

    #[test]
    fn a_box_wants_w_of_the_right_sign_at_each_bound() {
        let inf = f64::INFINITY;
        let p = Mlcp::new(
            Matrix::identity(4),
            vec![-5.0, 5.0, 2.0, 1.0],
            vec![0.0, 0.0, -inf, 3.0],
            vec![1.0, 1.0, inf, 3.0],
        )
        .unwrap();
        assert_eq!(p.residual(&[1.0, 0.0, -2.0, 3.0]).scaled, 0.0);
        for (i, wrong) in [(0, 0.0), (1, 1.0), (2, 0.0), (3, 2.0)] {
            let mut z = [1.0, 0.0, -2.0, 3.0];
            z[i] = wrong;
            let r = p.residual(&z);
            assert!(r.scaled > 0.1 && r.worst == i, "{i}: {r:?}");
        }
    }

    #[test]
    fn an_unknown_that_no_row_feels_must_still_be_complementary() {
        let p = Lcp::new(Matrix::zeros(1, 1), vec![1.0]).unwrap();
        assert_eq!(p.residual(&[0.0]).scaled, 0.0);
        assert!(p.residual(&[1e-30]).scaled > 0.9);
        assert!(p.residual(&[-1e-30]).scaled > 0.9);
        let any = Lcp::new(Matrix::zeros(1, 1), vec![0.0]).unwrap();
        assert_eq!(any.residual(&[7.0]).scaled, 0.0);
    }
}
