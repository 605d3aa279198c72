//! Contacts of any kind, dense or sparse.

use super::set::FrictionSet;
use super::{BiasCheck, Certificate, ROUNDING, Scale, norm};
use crate::{ContactProblem, Delassus, Law};

/// The most rows of one contact: those of a connection.
const MOST_ROWS: usize = 6;

type Rows = [f64; MOST_ROWS];

pub(super) fn certificate(
    problem: &ContactProblem,
    convexified: bool,
    impulse: &[f64],
    terms: f64,
    mut store: impl FnMut(usize, &[f64]),
) -> Certificate {
    let (mut c, mut bias) = (Certificate::default(), BiasCheck::default());
    for (i, law) in (0_u32..).zip(problem.laws()) {
        let set = law.kind.set().map(FrictionSet::new);
        let block = RowBlock::new(problem, i as usize, law, set.as_ref(), impulse, terms);
        store(problem.rows(i as usize).start, &block.xi[..block.rows]);
        for r in 0..block.rows {
            bias.take(block.bias[r], block.size[r], i);
        }
        match set {
            None if law.kind.normals() == 0 => connection(&mut c, &block, i),
            set => contact(&mut c, law, set.as_ref(), block.stretched(), convexified, i),
        }
    }
    c.finished(bias)
}

/// The rows of one contact.
struct RowBlock {
    rows: usize,
    /// What divides the impulses and multiplies the velocities of a row: 1 but for tangents.
    stretch: Rows,
    diagonal: Rows,
    /// |b|, or the terms it was summed from.
    bias: Rows,
    lam: Rows,
    xi: Rows,
    /// |W||Λ| + |b| of each row.
    size: Rows,
    /// |b| + Σ_j |W_ij Λ_j| of each row.
    reach: Rows,
    /// ‖b_i‖ + Σ_j ‖W_ij Λ_j‖, stretched.
    terms: f64,
}

impl RowBlock {
    fn new(
        problem: &ContactProblem,
        i: usize,
        law: &Law,
        set: Option<&FrictionSet>,
        impulse: &[f64],
        terms: f64,
    ) -> Self {
        let own = problem.rows(i);
        let rows = own.len().min(MOST_ROWS);
        let zero = [0.0; MOST_ROWS];
        let (mut stretch, mut b, mut diagonal) = ([1.0; MOST_ROWS], zero, zero);
        if let Some(set) = set {
            let tangents = stretch[law.kind.normals()..].iter_mut();
            tangents.zip(set.stretch).for_each(|(s, t)| *s = t);
        }
        for (r, row) in own.clone().take(rows).enumerate() {
            b[r] = problem.bias()[row];
            diagonal[r] = problem.delassus().diagonal_entry(i, row);
        }
        let bias = b.map(|b| b.abs().max(terms));
        let mut block = Self {
            rows,
            stretch,
            diagonal,
            bias,
            lam: zero,
            xi: zero,
            size: bias,
            reach: bias,
            terms: 0.0,
        };
        block.lam.iter_mut().zip(&impulse[own.clone()]).for_each(|(l, x)| *l = *x);
        block.count_terms(&bias);
        match problem.delassus() {
            Delassus::Dense(w) => {
                for j in 0..problem.contacts() {
                    let columns = problem.rows(j);
                    let entries = own.clone().map(|row| &w.row(row)[columns.clone()]);
                    block.add(entries, &impulse[columns.clone()]);
                }
            }
            Delassus::Sparse(w) => {
                for (j, entries) in w.row(i) {
                    let columns = problem.rows(j);
                    block.add(entries.chunks_exact(columns.len()), &impulse[columns]);
                }
            }
        }
        block.xi.iter_mut().zip(&b).for_each(|(xi, b)| *xi += b);
        block
    }

    /// Takes in W_ij Λ_j.
    #[inline(always)]
    fn add<'a>(&mut self, entries: impl Iterator<Item = &'a [f64]>, lam: &[f64]) {
        let mut product = [0.0; MOST_ROWS];
        for (r, row) in entries.take(MOST_ROWS).enumerate() {
            let (mut sum, mut size) = (0.0, 0.0_f64);
            for (w, l) in row.iter().zip(lam) {
                let term = w * l;
                sum += term;
                size += term.abs();
            }
            self.xi[r] += sum;
            self.size[r] += size;
            self.reach[r] += sum.abs();
            product[r] = sum;
        }
        self.count_terms(&product);
    }

    #[inline(always)]
    fn count_terms(&mut self, product: &Rows) {
        let mut stretched = *product;
        stretched.iter_mut().zip(&self.stretch).for_each(|(p, s)| *p *= s);
        self.terms += norm(&stretched[..self.rows]);
    }

    /// In the scaled coordinates of the friction set.
    fn stretched(mut self) -> Self {
        for (r, s) in self.stretch.into_iter().enumerate() {
            self.lam[r] /= s;
            self.xi[r] *= s;
            self.size[r] *= s;
            self.diagonal[r] *= s * s;
        }
        self
    }
}

/// ξ = 0, each row by itself: their units may differ.
fn connection(c: &mut Certificate, block: &RowBlock, i: u32) {
    for r in 0..block.rows {
        let scale = Scale::new(1.0, block.diagonal[r], block.lam[r].abs(), block.reach[r]);
        let off = scale.rho * (block.xi[r].abs() - ROUNDING * block.size[r]) * scale.per;
        let sound = scale.is_sound() && block.xi[r].is_finite();
        c.bilateral.take(if sound { off } else { f64::INFINITY }, i);
    }
}

fn contact(
    c: &mut Certificate,
    law: &Law,
    set: Option<&FrictionSet>,
    block: RowBlock,
    convexified: bool,
    i: u32,
) {
    let RowBlock { rows, lam, xi, size, diagonal, terms, .. } = block;
    let (normals, lam_n) = (law.kind.normals(), lam[0]);
    let trace = diagonal[..rows].iter().sum();
    let scale = Scale::new(rows as f64, trace, norm(&lam[..rows]), terms);
    let load = if normals == 1 { lam_n.max(0.0) } else { 0.0 };
    let limit = law.mu * load + law.radius;
    let finite = xi[..rows].iter().sum::<f64>() + limit;
    if !(scale.is_sound() && limit >= 0.0 && finite.is_finite()) {
        return c.refuse(i);
    }
    let tangents = Tangents {
        lam: three(&lam[normals..rows]),
        xi: three(&xi[normals..rows]),
        noise: ROUNDING * norm(&size[normals..rows]),
    };
    if normals == 1 {
        let lift = set.filter(|_| convexified && law.sliding.is_none());
        let [lift, noise] =
            lift.map_or([0.0; 2], |f| tangents.lift(f).map(|velocity| law.mu * velocity));
        c.take_normal(&scale, lam_n, [xi[0] - lift, ROUNDING * size[0] + noise], i);
    }
    if let Some(set) = set {
        let (map, outside) = friction(law, set, &tangents, limit, scale.rho);
        c.take_friction(&scale, map, outside, i);
    }
}

/// The tangential components of a contact, in scaled coordinates.
struct Tangents {
    lam: [f64; 3],
    xi: [f64; 3],
    /// The rounding of ξ_T.
    noise: f64,
}

impl Tangents {
    /// h_F(−ξ_T) and its rounding.
    fn lift(&self, set: &FrictionSet) -> [f64; 2] {
        [set.support(&self.xi.map(|x| -x)), set.largest() * self.noise]
    }
}

/// The friction map without rounding, and how much of it is distance from the friction set. One branch for each kind of law.
fn friction(law: &Law, set: &FrictionSet, tangents: &Tangents, limit: f64, rho: f64) -> (f64, f64) {
    if let Some(friction) = law.sliding_friction() {
        let (f, fault) = set.checked_direction(law.sliding.unwrap_or_default(), friction);
        let off = norm(&sub(&tangents.lam, &f.map(|f| limit * f))) + limit * fault;
        return (off, off);
    }
    let aim = sub(&tangents.lam, &tangents.xi.map(|x| rho * x));
    let (landed, fault) = set.project(limit, &aim);
    let map = norm(&sub(&tangents.lam, &landed));
    let left = map + fault - rho * tangents.noise;
    // The distance from the set is at most the map.
    let rounding = ROUNDING * limit * set.largest();
    if !(map + fault > rounding) {
        return (left, 0.0);
    }
    let (nearest, fault) = set.project(limit, &tangents.lam);
    let outside = norm(&sub(&tangents.lam, &nearest)) + fault;
    let outside = if outside > rounding { outside } else { 0.0 };
    (left.max(outside), outside)
}

fn three(v: &[f64]) -> [f64; 3] {
    let mut out = [0.0; 3];
    out.iter_mut().zip(v).for_each(|(o, x)| *o = *x);
    out
}

fn sub(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
