//! w = M z + q where its terms cancel: as if in twice the precision (Ogita, Rump, Oishi 2005).

use crate::linalg::Entries;

/// Computes w afresh, and bounds in `hidden`, which comes as ε times the size of the terms, what rounding may
/// still hide in it.
pub(super) fn rows(
    m: &impl Entries,
    q: &[f64],
    z: &[f64],
    w: &mut [f64],
    hidden: &mut [f64],
    rest: &mut Vec<f64>,
) {
    // The error of each sum so far.
    rest.clear();
    rest.resize(q.len(), 0.0);
    w.copy_from_slice(q);
    m.each(|i, j, v| {
        let product = v * z[j];
        let product_error = v.mul_add(z[j], -product);
        let sum = w[i] + product;
        let part = sum - w[i];
        let sum_error = (w[i] - (sum - part)) + (product - part);
        w[i] = sum;
        rest[i] += product_error + sum_error;
    });
    let terms = (q.len() + 1) as f64;
    for ((w, rest), hidden) in w.iter_mut().zip(&*rest).zip(hidden) {
        *w += rest;
        *hidden = f64::EPSILON * (w.abs() + terms * terms * *hidden);
    }
}
