//! The residual of a very small problem that is rounding, on the stack.
//!
//! What [`clean`](super::clean) finds, one step for all rows after the other, which the compiler turns into
//! vector registers. Whatever is not rounding is left to the general way.
//!
//! Notation: as in the module above; N the number of unknowns.

use super::Residual;
use crate::tolerance::{RESIDUAL_GLANCE, RESIDUAL_GROWTH, RESIDUAL_NO_FAULT};

/// w = M z + q of a very small problem and the size of its terms, on the stack.
pub(crate) struct Terms<const N: usize> {
    pub(crate) w: [f64; N],
    /// s_i.
    size: [f64; N],
}

impl<const N: usize> Terms<N> {
    /// Evaluates M z + q.
    #[inline]
    pub(crate) fn of(m: &[[f64; N]; N], q: &[f64; N], z: &[f64; N]) -> Self {
        let (mut w, mut size) = ([0.0; N], [0.0; N]);
        for i in 0..N {
            (w[i], size[i]) = short_row(&m[i], z, q[i]);
        }
        Self { w, size }
    }

    /// The residual if it is rounding.
    #[inline]
    pub(crate) fn if_clean(&self, q: &[f64; N], z: &[f64; N]) -> Option<Residual> {
        let Self { w, size } = self;
        let mut map = [0.0; N];
        for i in 0..N {
            map[i] = if w[i] < z[i] { w[i] } else { z[i] };
        }
        let mut omega = [0.0; N];
        for i in 0..N {
            omega[i] = if z[i] == 0.0 { map[i] } else { w[i] };
        }
        for i in 0..N {
            // A row of zeros gives NaN, which is no larger than any.
            omega[i] = (omega[i] / size[i]).abs();
        }
        let mut excess = [0.0; N];
        for i in 0..N {
            let e = size[i] - RESIDUAL_GLANCE * q[i].abs();
            excess[i] = if q[i] == 0.0 { 0.0 } else { e };
        }
        let mut least = [0.0; 2];
        for i in 0..N {
            least[i % 2] = if z[i] < least[i % 2] { z[i] } else { least[i % 2] };
        }
        let scaled = largest(&omega);
        let sum = size.iter().sum::<f64>();
        // At least what `Growth` sees.
        let grown = largest(&excess) > 0.0 || sum > RESIDUAL_GROWTH * largest(&q.map(f64::abs));
        let negative = least[0] + least[1] < 0.0;
        // A sum that is not a number fails, too.
        let clean = scaled <= RESIDUAL_NO_FAULT && !negative && sum < f64::INFINITY && !grown;
        if !clean {
            return None;
        }
        let mut worst = 0;
        for i in (0..N).rev() {
            worst = if omega[i] >= scaled { i } else { worst };
        }
        let worst = if scaled == 0.0 { 0 } else { worst };
        Some(Residual { scaled, natural: largest(&map.map(f64::abs)), worst, ..Residual::ZERO })
    }
}

/// The largest entry, or zero, in two lanes; NaN is passed over.
#[inline(always)]
fn largest<const N: usize>(x: &[f64; N]) -> f64 {
    let mut lanes = [0.0; 2];
    for i in 0..N {
        lanes[i % 2] = if x[i] > lanes[i % 2] { x[i] } else { lanes[i % 2] };
    }
    if lanes[1] > lanes[0] { lanes[1] } else { lanes[0] }
}

/// q + mᵀz and the sum of the absolute values of its terms, in two lanes.
#[inline(always)]
fn short_row<const N: usize>(m: &[f64; N], z: &[f64; N], q: f64) -> (f64, f64) {
    let (mut w, mut s) = ([q, 0.0], [q.abs(), 0.0]);
    for i in 0..N {
        let term = m[i] * z[i];
        w[i % 2] += term;
        s[i % 2] += term.abs();
    }
    (w[0] + w[1], s[0] + s[1])
}
