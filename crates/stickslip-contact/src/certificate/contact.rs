//! The certificate of contacts of any kind, one contact after the other, on the stack.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | e | extents of the rows: 1 for the normal, of F for the tangents; Λ' = Λ/e, ξ' = e ξ |
//! | t | the sum of the sizes of the terms of each row, in units of e |
//! | v | the unit of velocities, the largest of t; l the unit of impulses |

use super::set::FrictionSet;
use super::{
    Certificate, ROUNDING, coefficient, friction_size, impulse_unit, is_bounded, norm, per,
    share_of,
};
use crate::body_rows::Terms;
use crate::{ContactProblem, Delassus, Kind, Law};

/// The most rows that a contact has.
const ROWS: usize = 6;
type Rows = [f64; ROWS];
type Tangents = [f64; 3];

/// Judges all contacts; returns the largest share that b, or constant friction, has in the terms of a contact.
pub(super) fn judge(
    c: &mut Certificate,
    problem: &ContactProblem,
    impulse: &[f64],
    velocity: &mut [f64],
    terms: f64,
) -> f64 {
    let mut share = if terms > 0.0 { 1.0_f64 } else { 0.0 };
    let mut by_bodies = problem.delassus().as_bodies().map(|w| w.terms(impulse));
    for i in 0..problem.contacts() {
        let set = problem.laws()[i].kind.set().map(FrictionSet::new);
        let by_bodies = by_bodies.as_deref_mut();
        let contact = Judged::new(problem, (i, set.as_ref()), (impulse, terms), by_bodies);
        share = share.max(contact.judge(c, problem, (i, set.as_ref()), velocity));
    }
    share
}

/// One contact with what its rows amount to.
struct Judged {
    n: usize,
    e: Rows,
    lam: Rows,
    xi: Rows,
    diagonal: Rows,
    t: Rows,
    v: f64,
}

impl Judged {
    fn new(
        problem: &ContactProblem,
        (i, set): (usize, Option<&FrictionSet>),
        (impulse, terms): (&[f64], f64),
        by_bodies: Option<&mut Terms>,
    ) -> Self {
        let (rows, law) = (problem.rows(i), &problem.laws()[i]);
        let n = rows.len();
        let mut e = [1.0; ROWS];
        let normals = law.kind.normals();
        if let Some(set) = set {
            e[normals..n].copy_from_slice(&set.stretch[..n - normals]);
        }
        let (mut lam, mut xi, mut diagonal) = ([0.0; ROWS], [0.0; ROWS], [0.0; ROWS]);
        lam[..n].copy_from_slice(&impulse[rows.clone()]);
        xi[..n].copy_from_slice(&problem.bias()[rows]);
        let mut t: Rows = std::array::from_fn(|r| if r < n { xi[r].abs().max(terms) } else { 0.0 });
        add_terms(problem, i, (impulse, by_bodies), (&mut xi, &mut t));
        match problem.delassus() {
            Delassus::Sparse(w) => (0..n).for_each(|r| diagonal[r] = w.diagonal(i)[r * (n + 1)]),
            Delassus::Bodies(w) => {
                problem.rows(i).zip(&mut diagonal).for_each(|(r, d)| *d = w.own(r));
            }
            Delassus::Dense(w) => {
                problem.rows(i).zip(&mut diagonal).for_each(|(r, d)| *d = w.row(r)[r])
            }
        }
        let t: Rows = std::array::from_fn(|r| e[r] * t[r]);
        let v = t.iter().fold(0.0_f64, |m, t| m.max(*t));
        Self { n, e, lam, xi, diagonal, t, v }
    }

    /// Judges the contact, all others held; returns the share that b, or constant friction, has in its terms.
    fn judge(
        &self,
        c: &mut Certificate,
        problem: &ContactProblem,
        (i, set): (usize, Option<&FrictionSet>),
        velocity: &mut [f64],
    ) -> f64 {
        let law = &problem.laws()[i];
        let rows = problem.rows(i);
        velocity[rows.clone()].copy_from_slice(&self.xi[..rows.len()]);
        let bias = problem.bias()[rows].iter().enumerate().map(|(r, b)| self.e[r] * b.abs());
        let mut share = share_of(bias.fold(0.0, f64::max), self.v);
        if is_bounded(law, [self.lam[0], self.lam[1]]) {
            let own = |r: usize| self.e[r] * self.diagonal[r].abs() * law.radius * self.e[r];
            let own = (law.kind.normals()..self.n).map(own);
            share = share.max(share_of(own.fold(0.0, f64::max), self.v));
        }
        let number = u32::try_from(i).unwrap_or(u32::MAX);
        if !self.is_finite() {
            c.bilateral.take(f64::INFINITY, number);
            c.penetration.take(f64::INFINITY, number);
        } else if let Kind::Bilateral(_) = law.kind {
            self.bilateral(c, number);
        } else {
            self.unilateral(c, (law, set), number, problem.is_associated());
        }
        share
    }

    /// An impulse that is not finite shows in the terms of its own rows.
    fn is_finite(&self) -> bool {
        self.t.iter().chain(&self.xi).sum::<f64>().is_finite()
    }

    /// Rows of a connection may differ in unit; t²/W is an energy in each. A row is measured by its own terms, or by those that the
    /// largest energy of the connection would give it.
    fn bilateral(&self, c: &mut Certificate, number: u32) {
        let rows = || self.t.iter().zip(&self.diagonal).take(self.n);
        let largest =
            rows().fold(0.0_f64, |m, (t, w)| if *w > 0.0 { m.max(t / w.sqrt()) } else { m });
        for ((t, w), xi) in rows().zip(&self.xi) {
            let unit = if *w > 0.0 { t.max(largest * w.sqrt()) } else { *t };
            c.bilateral.take(xi.abs() * per(unit) - ROUNDING, number);
        }
    }

    fn unilateral(
        &self,
        c: &mut Certificate,
        (law, set): (&Law, Option<&FrictionSet>),
        number: u32,
        associated: bool,
    ) {
        let normals = law.kind.normals();
        let v = self.v;
        let xi: Rows = std::array::from_fn(|r| self.e[r] * self.xi[r] * per(v));
        let mut pressure = 0.0;
        if normals == 1 {
            let lift = match set {
                Some(set) if associated => law.mu * set.support(&against(&xi)),
                _ => 0.0,
            };
            let push = self.lam[0] / impulse_unit(self.lam[0].abs(), self.diagonal[0], v);
            // The lift is rounded as the velocities are that it is made of.
            let rounding = ROUNDING * (1.0 + lift);
            let xi_n = xi[0] - lift;
            c.penetration.take(-xi_n - rounding, number);
            c.tension.take(-push, number);
            c.complementarity.take(push.min(xi_n) - rounding, number);
            pressure = self.lam[0].max(0.0);
        }
        if let Some(set) = set {
            self.friction(c, law, set, number, (pressure, &xi, v));
        }
    }

    /// The norm of the velocities T and O; spin, the last of three, is no sliding.
    fn slip_speed(&self, normals: usize) -> f64 {
        let sliding = (self.n - normals).min(2);
        norm(&self.xi[normals..normals + sliding])
    }

    fn friction(
        &self,
        c: &mut Certificate,
        law: &Law,
        set: &FrictionSet,
        number: u32,
        (pressure, xi, v): (f64, &Rows, f64),
    ) {
        let normals = law.kind.normals();
        let d = self.n - normals;
        let tangents = |x: &dyn Fn(usize) -> f64| -> Tangents {
            std::array::from_fn(|t| if t < d { x(normals + t) } else { 0.0 })
        };
        let lam = tangents(&|r| self.lam[r] / self.e[r]);
        let diagonal = (normals..self.n).map(|r| self.e[r] * self.e[r] * self.diagonal[r]);
        let w = diagonal.sum::<f64>() / d as f64;
        let largest = friction_size(norm(&lam), w, || match normals {
            0 => law.radius,
            _ => law.mu * impulse_unit(self.lam[0].abs(), self.diagonal[0], v) + law.radius,
        });
        let unit = impulse_unit(largest, w, v);
        let lam = lam.map(|x| x / unit);
        let mu = law.curve().map_or(law.mu, |curve| coefficient(curve, self.slip_speed(normals)));
        let limit = (mu * pressure + law.radius) / unit;
        if let (Some(slip), Some(f)) = (law.sliding, law.sliding_friction()) {
            let (f, fault) = set.checked_direction(slip, f);
            let off = norm(&tangents(&|r| lam[r - normals] - limit * f[r - normals]));
            c.cone.take(off + limit * fault - ROUNDING, number);
            return;
        }
        let away = |(p, fault): (Tangents, f64)| {
            norm(&tangents(&|r| lam[r - normals] - p[r - normals])) + fault
        };
        let mut outside = away(set.project(limit, &lam));
        let mut map = away(set.project(limit, &tangents(&|r| lam[r - normals] - xi[r])));
        if let Some(mu) = law.distinct_static() {
            // Stick, within the static limit, is as good as the law of slip.
            let beyond = away(set.project((mu * pressure + law.radius) / unit, &lam));
            let stick = norm(&tangents(&|r| xi[r])).max(beyond);
            (map, outside) = if stick < map { (stick, beyond) } else { (map, outside) };
        }
        c.cone.take(outside - ROUNDING, number);
        // Equal but for rounding: what is outside is not counted twice.
        if !(map <= outside * (1.0 + 1e-9)) {
            c.dissipation.take(map - ROUNDING, number);
        }
    }
}

/// Adds the terms of W Λ of contact i to its velocities, and their sizes to `t`. Those of W by bodies are at hand.
fn add_terms(
    problem: &ContactProblem,
    i: usize,
    (impulse, by_bodies): (&[f64], Option<&mut Terms>),
    (xi, t): (&mut Rows, &mut Rows),
) {
    match problem.delassus() {
        Delassus::Sparse(w) if w.uniform() == 3 => {
            // Most contacts have three rows: the compiler unrolls what it knows.
            let (mut sum, mut size) = ([xi[0], xi[1], xi[2]], [t[0], t[1], t[2]]);
            let (columns, entries) = w.row_arrays(i);
            let (blocks, _) = entries.as_chunks::<9>();
            let (impulses, _) = impulse.as_chunks::<3>();
            for (&j, block) in columns.iter().zip(blocks) {
                let lam = &impulses[j];
                for r in 0..3 {
                    for c in 0..3 {
                        let part = block[3 * r + c] * lam[c];
                        sum[r] += part;
                        size[r] += part.abs();
                    }
                }
            }
            xi[..3].copy_from_slice(&sum);
            t[..3].copy_from_slice(&size);
        }
        Delassus::Sparse(w) => {
            for (j, block) in w.row(i) {
                let lam = &impulse[problem.rows(j)];
                let rows = block.chunks_exact(lam.len().max(1)).enumerate();
                rows.for_each(|(r, row)| add_products(row, lam, &mut xi[r], &mut t[r]));
            }
        }
        Delassus::Bodies(w) => by_bodies.into_iter().for_each(|terms| terms.add(w, i, xi, t)),
        Delassus::Dense(w) => {
            for (r, row) in problem.rows(i).enumerate() {
                add_products(w.row(row), impulse, &mut xi[r], &mut t[r]);
            }
        }
    }
}

fn add_products(row: &[f64], lam: &[f64], sum: &mut f64, size: &mut f64) {
    for (w, lam) in row.iter().zip(lam) {
        let part = w * lam;
        *sum += part;
        *size += part.abs();
    }
}

/// −ξ'_T of a contact with a normal.
fn against(xi: &Rows) -> Tangents {
    std::array::from_fn(|t| -xi[1 + t])
}
