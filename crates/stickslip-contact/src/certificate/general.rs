//! The certificate of any contact problem.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | v_ref | reference velocity: the largest of \|b_N\| and h_F(±b_T) |
//! | lam_ref | reference impulse: the largest of Λ_N, the gauge of Λ_T, and \|b_N\| / W_NN |
//! | limit | μ Λ_N + a |
//!
//! Friction without a normal (`dry`) has references of its own: a, and the terms of its rows.
//!
//! Components of one contact may differ in unit (sliding and spin); the support function and the gauge of F turn them into
//! velocities and impulses along the normal.

use super::{Certificate, ContactProblem, per};
use crate::set::ConvexSet;
use crate::{Delassus, Kind, Law};

/// A bilateral row that nothing acts on has only rounding for its terms. They count for no less than this share of the velocity
/// that the largest b² / W of the problem, an energy, would give the row: 1e-14 of it then measures 1e-10. So do the velocities
/// of contacts that connections and drives press together, though nothing else moves them: a stop that a motor holds.
const FLOOR: f64 = 1e-4;

pub(super) fn certificate(
    problem: &ContactProblem,
    impulse: &[f64],
    terms: f64,
    convexified: bool,
) -> Certificate {
    let mut xi = vec![0.0; impulse.len()];
    problem.velocity_into(impulse, &mut xi);
    certificate_at(problem, [impulse, &xi], terms, convexified)
}

pub(super) fn certificate_at(
    problem: &ContactProblem,
    [impulse, xi]: [&[f64]; 2],
    terms: f64,
    convexified: bool,
) -> Certificate {
    let (v_ref, lam_ref) = references(problem, impulse, terms);
    let (per_v, per_lam) = (per(v_ref), per(lam_ref));
    let energy = reference_energy(problem, |_| true);
    let others = reference_energy(problem, |kind| kind.normals() == 0);
    let mut c = Certificate::default();
    for (i, law) in (0_u32..).zip(problem.laws()) {
        let rows = problem.rows(i as usize);
        let (first, xi, lam) = (rows.start, &xi[rows.clone()], &impulse[rows]);
        if let Kind::Bilateral(_) = law.kind {
            for (r, xi) in xi.iter().enumerate() {
                let scale = terms_of(problem, (i as usize, first + r), impulse).max(terms);
                let diagonal = problem.delassus().diagonal_entry(i as usize, first + r);
                let share = (energy * diagonal.max(0.0)).sqrt();
                c.bilateral.take(xi.abs() * per(scale.max(FLOOR * share)), i);
            }
            continue;
        }
        if let Kind::Dry(set) = &law.kind {
            let scale = |r: usize| terms_of(problem, (i as usize, first + r), impulse).max(terms);
            let diagonal = |r: usize| problem.delassus().diagonal_entry(i as usize, first + r);
            dry(&mut c, i, law, set, [xi, lam], scale, diagonal);
            continue;
        }
        let (per_v, per_lam) = {
            let d = problem.delassus().diagonal_entry(i as usize, first).max(0.0);
            let floor = FLOOR * (others * d).sqrt();
            if floor > v_ref { (per(floor), per(lam_ref.max(floor / d))) } else { (per_v, per_lam) }
        };
        let lift = if convexified { law.mu * slip_power(law, &xi[1..]) } else { 0.0 };
        let (xi_n, lam_n) = ((xi[0] - lift) * per_v, lam[0] * per_lam);
        c.penetration.take(-xi_n, i);
        c.tension.take(-lam_n, i);
        c.complementarity.take((xi_n * lam_n).abs(), i);
        let Some(set) = law.kind.set() else { continue };
        let limit = law.mu * lam_n.max(0.0) + law.radius * per_lam;
        if let Some(f) = law.sliding_friction() {
            let mut off = [0.0; 3];
            for ((o, l), f) in off.iter_mut().zip(&lam[1..]).zip(f) {
                *o = l * per_lam - limit * f;
            }
            c.cone.take(set.gauge(&off[..set.dimension()]), i);
        } else {
            let (size, speed) = (set.gauge(&lam[1..]) * per_lam, slip_power(law, &xi[1..]) * per_v);
            let power: f64 = xi[1..].iter().zip(&lam[1..]).map(|(x, l)| x * l).sum();
            let lost = limit * speed + power * per_v * per_lam;
            let static_limit =
                law.distinct_static().map(|mu| mu * lam_n.max(0.0) + law.radius * per_lam);
            let stick = static_limit.map(|limit| [size - limit, speed]);
            c.take_friction([size - limit, lost.abs()], stick, i);
        }
    }
    c.settle();
    c
}

/// Friction of constant size, over its own velocity (the largest that the terms of a row of ξ stand for) and impulse (a,
/// or the larger one that would stop this velocity).
fn dry(
    c: &mut Certificate,
    i: u32,
    law: &Law,
    set: &ConvexSet,
    [xi, lam]: [&[f64]; 2],
    scale: impl Fn(usize) -> f64,
    diagonal: impl Fn(usize) -> f64,
) {
    let (mut v_ref, mut lam_ref) = (0.0_f64, law.radius);
    for r in 0..xi.len() {
        let mut along = [0.0; 3];
        along[r] = scale(r);
        v_ref = v_ref.max(set.support(&along[..xi.len()]));
        let d = diagonal(r);
        if d > 0.0 {
            along[r] /= d;
            lam_ref = lam_ref.max(set.gauge(&along[..xi.len()]));
        }
    }
    let (per_v, per_lam) = (per(v_ref), per(lam_ref));
    if let Some(f) = law.sliding_friction() {
        let mut off = [0.0; 3];
        off.iter_mut().zip(lam).zip(f).for_each(|((o, l), f)| *o = l - law.radius * f);
        c.cone.take(set.gauge(&off[..lam.len()]) * per_lam, i);
    } else {
        c.cone.take((set.gauge(lam) - law.radius) * per_lam, i);
        let power: f64 = xi.iter().zip(lam).map(|(x, l)| x * l).sum();
        let lost = (law.radius * support_against(set, xi) + power) * per_v * per_lam;
        c.dissipation.take(lost.abs(), i);
    }
}

/// h_F(−ξ_T).
fn slip_power(law: &Law, xi_t: &[f64]) -> f64 {
    law.kind.set().map_or(0.0, |set| support_against(set, xi_t))
}

fn support_against(set: &ConvexSet, xi_t: &[f64]) -> f64 {
    let mut against = [0.0; 3];
    for (a, x) in against.iter_mut().zip(xi_t) {
        *a = -x;
    }
    set.support(&against[..set.dimension().min(3)])
}

/// The largest b² / W of a row of such contacts: twice an energy, whatever the unit of the row.
fn reference_energy(problem: &ContactProblem, counts: impl Fn(&Kind) -> bool) -> f64 {
    let mut most = 0.0_f64;
    for (i, law) in problem.laws().iter().enumerate() {
        if !counts(&law.kind) {
            continue;
        }
        for row in problem.rows(i) {
            let (b, d) = (problem.bias()[row], problem.delassus().diagonal_entry(i, row));
            most = if d > 0.0 { most.max(b * (b / d)) } else { most };
        }
    }
    most.min(f64::MAX)
}

fn references(problem: &ContactProblem, impulse: &[f64], terms: f64) -> (f64, f64) {
    let (mut v_ref, mut lam_ref) = (terms, 0.0_f64);
    for (i, law) in problem.laws().iter().enumerate() {
        if law.kind.normals() == 0 {
            continue;
        }
        let rows = problem.rows(i);
        let d = problem.delassus().diagonal_entry(i, rows.start);
        let (b, lam) = (&problem.bias()[rows.clone()], &impulse[rows]);
        let mut asked = b[0].abs().max(terms);
        lam_ref = lam_ref.max(lam[0].abs());
        if let Some(set) = law.kind.set() {
            asked = asked.max(set.support(&b[1..])).max(support_against(set, &b[1..]));
            lam_ref = lam_ref.max(set.gauge(&lam[1..]));
        }
        v_ref = v_ref.max(asked);
        if d > 0.0 {
            lam_ref = lam_ref.max(asked / d);
        }
    }
    (v_ref, lam_ref)
}

/// The largest term of one row of W Λ + b, a row of the given contact.
fn terms_of(problem: &ContactProblem, (contact, row): (usize, usize), impulse: &[f64]) -> f64 {
    let b = problem.bias()[row].abs();
    let largest = |m: f64, (w, x): (&f64, &f64)| m.max((w * x).abs());
    match problem.delassus() {
        Delassus::Dense(w) => w.row(row).iter().zip(impulse).fold(b, largest),
        Delassus::Sparse(w) => w.row(contact).fold(b, |m, (j, block)| {
            let n = w.size(j);
            let entries = &block[(row - w.offset(contact)) * n..][..n];
            entries.iter().zip(&impulse[w.offset(j)..]).fold(m, largest)
        }),
    }
}
