//! The certificate of planar contacts with a dense W: the definition of the module above, written out, since every step of a
//! planar system asks for it.

use super::{Certificate, ROUNDING, impulse_unit, per};
use super::{coefficient, friction_size, is_bounded, share_of};
use crate::ContactProblem;
use complementarity::Matrix;

/// Judges all contacts; returns the largest share that b, or constant friction, has in the terms of a contact.
#[inline(always)]
pub(super) fn judge(
    c: &mut Certificate,
    problem: &ContactProblem,
    w: &Matrix,
    impulse: &[f64],
    velocity: &mut [f64],
    terms: f64,
) -> f64 {
    let (b, mut share) = (problem.bias(), if terms > 0.0 { 1.0 } else { 0.0 });
    for (i, law) in (0_u32..).zip(problem.laws()) {
        let (n, t) = (2 * i as usize, 2 * i as usize + 1);
        let (row_n, row_t) = (w.row(n), w.row(t));
        let (mut xi_n, mut xi_t) = (b[n], b[t]);
        let (mut sum_n, mut sum_t) = (larger(b[n].abs(), terms), larger(b[t].abs(), terms));
        for ((a, d), lam) in row_n.iter().zip(row_t).zip(impulse) {
            let (part_n, part_t) = (a * lam, d * lam);
            xi_n += part_n;
            xi_t += part_t;
            sum_n += part_n.abs();
            sum_t += part_t.abs();
        }
        (velocity[n], velocity[t]) = (xi_n, xi_t);
        let (lam_n, lam_t) = (impulse[n], impulse[t]);
        let v = larger(sum_n, sum_t);
        let per_v = per(v);
        share = larger(share, larger(b[n].abs(), b[t].abs()) * per_v);
        if is_bounded(law, [lam_n, lam_t]) {
            share = larger(share, share_of(row_t[t].abs() * law.radius, v));
        }
        let unit_n = impulse_unit(lam_n.abs(), row_n[n], v);
        let per_n = 1.0 / unit_n;
        let largest = friction_size(lam_t.abs(), row_t[t], || law.mu * unit_n + law.radius);
        let per_t = 1.0 / impulse_unit(largest, row_t[t], v);

        let (xi_n, xi_t, lam_t) = (xi_n * per_v, xi_t * per_v, lam_t * per_t);
        let push = lam_n * per_n;
        c.penetration.take(-xi_n - ROUNDING, i);
        c.tension.take(-push, i);
        c.complementarity.take(if xi_n < push { xi_n } else { push } - ROUNDING, i);
        let limit = (law.mu * lam_n.max(0.0) + law.radius) * per_t;
        if let Some(slip) = law.slip() {
            c.cone.take((lam_t + slip.sign() * limit).abs() - ROUNDING, i);
        } else {
            let limit = match law.curve() {
                None => limit,
                Some(curve) => {
                    let mu = coefficient(curve, velocity[t].abs());
                    (mu * lam_n.max(0.0) + law.radius) * per_t
                }
            };
            let mut outside = lam_t.abs() - limit;
            // Λ_T − P(Λ_T − ξ_T): ξ_T where that stays inside, the way to the boundary where it does not.
            let mut map = (lam_t - inside(lam_t - xi_t, limit)).abs();
            if let Some(mu) = law.distinct_static() {
                // Stick, within the static limit, is as good as the law of slip.
                let beyond = lam_t.abs() - (mu * lam_n.max(0.0) + law.radius) * per_t;
                let stick = if beyond > xi_t.abs() { beyond } else { xi_t.abs() };
                (map, outside) = if stick < map { (stick, beyond) } else { (map, outside) };
            }
            c.cone.take(outside - ROUNDING, i);
            c.dissipation.take(if map > outside { map - ROUNDING } else { 0.0 }, i);
        }
        if !(sum_n + sum_t < f64::INFINITY) {
            c.penetration.take(f64::INFINITY, i);
        }
    }
    share
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// x moved into [−limit, limit]; NaN for a limit that is NaN.
#[inline(always)]
fn inside(x: f64, limit: f64) -> f64 {
    let below = if x <= limit { x } else { limit };
    if below >= -limit { below } else { -limit }
}
