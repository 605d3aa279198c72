//! Problems of planar contacts with a dense W: the definition with two rows per contact and F = [−1, 1].
//!
//! Planar steps spend much of their time here, so that this is the general evaluation written out; a test holds them together.

use super::{BiasCheck, Certificate, ROUNDING, Scale, norm};
use crate::ContactProblem;
use complementarity::Matrix;

#[inline(always)]
pub(super) fn certificate(
    problem: &ContactProblem,
    w: &Matrix,
    impulse: &[f64],
    terms: f64,
    mut store: impl FnMut(usize, &[f64]),
) -> Certificate {
    let (mut c, mut bias) = (Certificate::default(), BiasCheck::default());
    let rows = w.as_slice().chunks_exact(2 * w.cols().max(1));
    let contacts = problem.laws().iter().zip(problem.bias().chunks_exact(2)).zip(rows);
    for (i, ((law, b), pair)) in (0_u32..).zip(contacts) {
        let n = 2 * i as usize;
        let (row_n, row_t) = pair.split_at(w.cols());
        let (lam_n, lam_t) = (impulse[n], impulse[n + 1]);
        // Velocities, |W||Λ| + |b|, and the terms of the scale, in one pass.
        let (mut xi_n, mut xi_t) = (0.0, 0.0);
        let (mut size_n, mut size_t) = (b[0].abs().max(terms), b[1].abs().max(terms));
        let [bias_n, bias_t] = [size_n, size_t];
        let mut reach = norm(&[bias_n, bias_t]);
        let blocks = row_n.chunks_exact(2).zip(row_t.chunks_exact(2)).zip(impulse.chunks_exact(2));
        for ((wn, wt), lam) in blocks {
            let (nn, nt) = (wn[0] * lam[0], wn[1] * lam[1]);
            let (tn, tt) = (wt[0] * lam[0], wt[1] * lam[1]);
            let (by_n, by_t) = (nn + nt, tn + tt);
            xi_n += by_n;
            xi_t += by_t;
            size_n += nn.abs() + nt.abs();
            size_t += tn.abs() + tt.abs();
            reach += norm(&[by_n, by_t]);
        }
        xi_n += b[0];
        xi_t += b[1];
        store(n, &[xi_n, xi_t]);
        bias.take(bias_n, size_n, i);
        bias.take(bias_t, size_t, i);

        let scale = Scale::new(2.0, row_n[n] + row_t[n + 1], norm(&[lam_n, lam_t]), reach);
        let limit = law.mu * lam_n.max(0.0) + law.radius;
        if !(scale.is_sound() && limit >= 0.0 && (xi_n + xi_t + limit).is_finite()) {
            c.refuse(i);
            continue;
        }
        c.take_normal(&scale, lam_n, [xi_n, ROUNDING * size_n], i);
        if let Some(slip) = law.slip() {
            let off = (lam_t + slip.sign() * limit).abs();
            c.take_friction(&scale, off, off, i);
        } else {
            let aim = lam_t - scale.rho * xi_t;
            let map = (lam_t - aim.max(-limit).min(limit)).abs();
            let left = map - scale.rho * (ROUNDING * size_t);
            let outside = (lam_t.abs() - limit).max(0.0);
            // The product μ Λ_N is rounded.
            let outside = if outside > ROUNDING * limit { outside } else { 0.0 };
            c.take_friction(&scale, left.max(outside), outside, i);
        }
    }
    c.finished(bias)
}
