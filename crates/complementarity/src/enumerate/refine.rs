//! Vertices and rays to full precision, from the equations that determine them.
//!
//! Notation: S is the support (z_j > 0), I the rows with w_i = 0. A vertex solves
//! M_IS z_S = −q_I; a ray scaled to z_p = 1 solves M_IR z_R = −M_Ip with R = S without p.

use crate::Matrix;
use crate::linalg::Lu;
use crate::matrix::dot;
use crate::tolerance::DEPENDENT_EQUATIONS;

const STEPS: usize = 3;

/// Storage for refinements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refiner {
    lu: Lu,
    support: Vec<usize>,
    rows: Vec<usize>,
    work: Matrix,
    right: Vec<f64>,
}

impl Refiner {
    /// Improves the vertex `z` in place. `zero_w` tells the rows that hold with equality.
    pub(crate) fn vertex(
        &mut self,
        m: &Matrix,
        q: &[f64],
        z: &mut [f64],
        zero_w: impl Fn(usize) -> bool,
    ) {
        self.support.clear();
        self.support.extend((0..z.len()).filter(|&j| z[j] != 0.0));
        self.solve(m, z, zero_w, |i| q[i]);
    }

    /// Improves the ray `z` in place; its largest entry becomes one.
    pub(crate) fn ray(&mut self, m: &Matrix, z: &mut [f64], zero_w: impl Fn(usize) -> bool) {
        let largest = (0..z.len()).max_by(|&i, &j| z[i].total_cmp(&z[j]));
        let Some(p) = largest.filter(|&p| z[p] > 0.0) else {
            return;
        };
        let size = z[p];
        z.iter_mut().for_each(|z| *z /= size);
        self.support.clear();
        self.support.extend((0..z.len()).filter(|&j| z[j] != 0.0 && j != p));
        self.solve(m, z, zero_w, |i| m[(i, p)]);
    }

    /// Solves M_IS z_S = −c_I by LU and iterative refinement, if the columns are independent.
    fn solve(
        &mut self,
        m: &Matrix,
        z: &mut [f64],
        zero_w: impl Fn(usize) -> bool,
        c: impl Fn(usize) -> f64,
    ) {
        self.rows.clear();
        self.rows.extend((0..m.rows()).filter(|&i| zero_w(i)));
        if !self.choose_rows(m) {
            return;
        }
        let Self { lu, support, rows, right, .. } = self;
        let k = support.len();
        let fill = |i: usize, row: &mut [f64]| {
            for (to, &j) in row.iter_mut().zip(&*support) {
                *to = m[(rows[i], j)];
            }
        };
        if k == 0 || !lu.factor(k, 0.0, fill) {
            return;
        }
        let mut x = vec![0.0; k];
        for _ in 0..STEPS {
            right.clear();
            for &i in &*rows {
                let terms: f64 = support.iter().zip(&x).map(|(&j, x)| m[(i, j)] * x).sum();
                right.push(-c(i) - terms);
            }
            lu.solve(right);
            x.iter_mut().zip(&*right).for_each(|(x, d)| *x += d);
        }
        if x.iter().all(|x| x.is_finite()) {
            support.iter().zip(&x).for_each(|(&j, &x)| z[j] = x);
        }
    }

    /// Keeps as many independent rows as there are columns, by elimination with complete pivoting;
    /// false if there are not that many.
    fn choose_rows(&mut self, m: &Matrix) -> bool {
        let (r, k) = (self.rows.len(), self.support.len());
        if r < k {
            return false;
        }
        self.work.reshape(r, k);
        for (a, &i) in self.rows.iter().enumerate() {
            for (b, &j) in self.support.iter().enumerate() {
                self.work[(a, b)] = m[(i, j)];
            }
        }
        for step in 0..k {
            let (mut best, mut at) = (0.0, (step, step));
            for a in step..r {
                for b in step..k {
                    if self.work[(a, b)].abs() > best {
                        (best, at) = (self.work[(a, b)].abs(), (a, b));
                    }
                }
            }
            if best <= DEPENDENT_EQUATIONS {
                return false;
            }
            self.bring_to(step, at);
            for a in step + 1..r {
                let factor = self.work[(a, step)] / self.work[(step, step)];
                for b in step + 1..k {
                    let change = factor * self.work[(step, b)];
                    self.work[(a, b)] -= change;
                }
            }
        }
        self.rows.truncate(k);
        true
    }

    fn bring_to(&mut self, step: usize, (a, b): (usize, usize)) {
        let (r, k) = (self.rows.len(), self.support.len());
        self.rows.swap(step, a);
        for c in 0..k {
            let (x, y) = (self.work[(step, c)], self.work[(a, c)]);
            (self.work[(step, c)], self.work[(a, c)]) = (y, x);
        }
        self.support.swap(step, b);
        for c in 0..r {
            let (x, y) = (self.work[(c, step)], self.work[(c, b)]);
            (self.work[(c, step)], self.work[(c, b)]) = (y, x);
        }
    }
}

/// Which z_j and w_i are positive, as bits j and n + i: more than `tolerance` of the size of what
/// they are made of, as in [`Residual`](crate::Residual). With q absent, for a ray.
pub(super) fn positive(m: &Matrix, q: Option<&[f64]>, z: &[f64], tolerance: f64) -> u64 {
    let n = z.len();
    let mut bits = 0;
    let mut inverse_size = Vec::with_capacity(n);
    for i in 0..n {
        let constant = q.map_or(0.0, |q| q[i]);
        let w = dot(m.row(i), z) + constant;
        let terms = m.row(i).iter().zip(z).map(|(m, z)| (m * z).abs());
        let size = terms.sum::<f64>() + constant.abs();
        bits |= u64::from(w > tolerance * size) << (n + i);
        inverse_size.push(1.0 / size);
    }
    for j in 0..n {
        let effects = (0..n).map(|i| m[(i, j)].abs() * inverse_size[i]);
        // An unknown that no row feels, or one that a row of size zero feels, has no other scale.
        let inverse = effects.filter(|e| !e.is_nan()).fold(0.0, f64::max);
        let is = if inverse == 0.0 || !inverse.is_finite() {
            z[j] > 0.0
        } else {
            z[j] * inverse > tolerance
        };
        bits |= u64::from(is) << j;
    }
    bits
}
