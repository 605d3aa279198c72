//! The matrix of a step, D + Qᵀ W P, block by block.
//!
//! Notation as in the solver.

use super::cell::{Cell, N};
use crate::block::BlockMatrix;
use crate::block::Blocks;

/// The matrix of a step.
pub(super) struct System<'a> {
    pub(super) w: &'a BlockMatrix,
    pub(super) cells: &'a [Cell],
    /// ε, relative to the diagonal of W.
    pub(super) regularisation: f64,
}

impl Blocks for System<'_> {
    #[inline]
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> {
        self.w.row(i)
    }

    #[inline]
    fn add(&self, i: usize, j: usize, w: &[f64], to: &mut [f64], stride: usize) {
        let (a, b) = (&self.cells[i], &self.cells[j]);
        // Loops of known length for the contacts that are by far the most frequent.
        match *w {
            [x0, x1, x2, y0, y1, y2, z0, z1, z2] if a.n == 3 => {
                add_three(a, b, [[x0, x1, x2], [y0, y1, y2], [z0, z1, z2]], to, stride);
            }
            _ => add_any(a, b, |r, s| w[r * b.n + s], to, stride),
        }
        if i == j {
            self.add_diagonal(a, to, stride);
        }
    }

    fn unlike_mirror(&self, i: usize, j: usize) -> Option<&[f64]> {
        self.w.unlike_mirror(i, j)
    }

    #[inline]
    fn add_mirrored(&self, i: usize, j: usize, w: &[f64], to: &mut [f64], stride: usize) {
        let (a, b) = (&self.cells[i], &self.cells[j]);
        match *w {
            [x0, x1, x2, y0, y1, y2, z0, z1, z2] if a.n == 3 => {
                add_three(b, a, [[x0, y0, z0], [x1, y1, z1], [x2, y2, z2]], to, stride);
            }
            _ => add_any(b, a, |r, s| w[s * b.n + r], to, stride),
        }
    }
}

impl System<'_> {
    /// D, and ε diag W.
    fn add_diagonal(&self, a: &Cell, to: &mut [f64], stride: usize) {
        for (d, to) in to.chunks_mut(stride).take(a.columns).enumerate() {
            for (c, to) in to.iter_mut().take(a.columns).enumerate() {
                let inner = |r: usize| a.q[d][r] * a.p[c][r] / a.steps[r];
                *to += self.regularisation * (0..a.n).map(inner).sum::<f64>();
            }
            to[d] += a.d[d];
            if d > 0 {
                to[0] += a.coupling[d];
            }
        }
    }
}

/// Adds Q_aᵀ W P_b of two contacts with three rows.
#[inline(always)]
fn add_three(a: &Cell, b: &Cell, w: [[f64; 3]; 3], to: &mut [f64], stride: usize) {
    let mut x = [[0.0; 4]; 3];
    if b.plain {
        for r in 0..3 {
            x[r][..3].copy_from_slice(&w[r]);
        }
    } else {
        for r in 0..3 {
            x[r] = combine(&w[r], &b.right);
        }
    }
    if !a.plain {
        x = [combine(&a.left[0], &x), combine(&a.left[1], &x), combine(&a.left[2], &x)];
    }
    for (d, x) in x.iter().enumerate().take(a.columns) {
        let to = &mut to[d * stride..];
        if let ([to0, to1, to2, ..], 3) = (&mut *to, b.columns) {
            *to0 += x[0];
            *to1 += x[1];
            *to2 += x[2];
        } else {
            to.iter_mut().zip(x).take(b.columns).for_each(|(to, x)| *to += x);
        }
    }
}

/// The row f X.
#[inline(always)]
fn combine(f: &[f64; 3], x: &[[f64; 4]; 3]) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for c in 0..4 {
        sum[c] = f[0] * x[0][c] + f[1] * x[1][c] + f[2] * x[2][c];
    }
    sum
}

/// The same for blocks of any size.
fn add_any(a: &Cell, b: &Cell, w: impl Fn(usize, usize) -> f64, to: &mut [f64], stride: usize) {
    for c in 0..b.columns {
        let mut column = [0.0; N];
        for (r, x) in column.iter_mut().enumerate().take(a.n) {
            *x = a.axes[r] * (0..b.n).map(|s| w(r, s) * b.axes[s] * b.p[c][s]).sum::<f64>();
        }
        for (to, q) in to.chunks_mut(stride).zip(&a.q).take(a.columns) {
            to[c] += q.iter().zip(&column).take(a.n).map(|(q, x)| q * x).sum::<f64>();
        }
    }
}
