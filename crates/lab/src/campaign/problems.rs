//! Problems of which an answer is known: chosen impulses and velocities that obey the laws, W of a chain of bodies with masses over
//! twelve decades, and the bias that makes them belong together, rounded once.

use super::extended::x;
#[cfg(test)]
use super::reference::{Data, Judged};
use complementarity::Matrix;
use std::sync::Arc;
#[cfg(test)]
use stickslip_contact::ContactProblem;
use stickslip_contact::set::{ConvexSet, Polyhedron, UniformDisc};
use stickslip_contact::{Kind, Law};

/// SplitMix64: numbers in [0, 1).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }

    pub(super) fn decades(&mut self, from: f64, to: f64) -> f64 {
        10.0_f64.powf(from + (to - from) * self.unit())
    }
}

pub(super) fn set(r: &mut Random) -> ConvexSet {
    let patch = r.decades(-3.0, 1.0);
    match r.below(8) {
        0 => ConvexSet::Interval,
        1 => ConvexSet::Disc,
        2 => ConvexSet::Ellipsoid(vec![1.0, 0.3 + r.unit()]),
        3 => ConvexSet::Ellipsoid(vec![0.5 + r.unit(), 1.0, patch]),
        4 => ConvexSet::Mixed { ellipse: [1.0, 0.3 + r.unit()], spin: patch },
        5 => {
            let corner = |i: usize| {
                let angle = (i as f64 + 0.3 * r.unit()) * std::f64::consts::TAU / 5.0;
                [angle.cos(), 0.8 * angle.sin()]
            };
            let corners: Vec<[f64; 2]> = (0..5).map(corner).collect();
            ConvexSet::Polyhedron(Polyhedron::hull(&corners).unwrap())
        }
        6 => {
            let facets = [
                [1.0, 0.2, 0.0],
                [-0.9, 0.0, 0.1 / patch],
                [0.1, 1.1, 0.0],
                [0.0, -1.0, -0.2 / patch],
                [0.2, 0.0, 1.0 / patch],
                [0.0, 0.1, -1.2 / patch],
            ];
            ConvexSet::Polyhedron(Polyhedron::new(&facets).unwrap())
        }
        _ => ConvexSet::Custom(Arc::new(UniformDisc::new(patch).unwrap())),
    }
}

pub(super) fn law(r: &mut Random) -> Law {
    match r.below(8) {
        0 => Law::frictionless(),
        1 => Law::bilateral(1 + r.below(6)),
        2 => Law::dry(r.decades(-12.0, 3.0), set(r)),
        3 => Law { radius: r.decades(-12.0, 3.0), ..Law::with_set(r.unit(), set(r)) },
        4 => {
            let slip = [r.signed(), r.signed(), r.signed()];
            Law::with_set(r.unit(), set(r)).sliding_with(slip)
        }
        5 => Law::coulomb(r.decades(-2.0, 8.0)),
        _ => Law::with_set(r.decades(-2.0, 1.0), set(r)),
    }
}

/// What a contact does, with a share of its speed or impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum State {
    Open,
    Stick,
    Slip,
}

/// Laws, a matrix, and for each contact its impulses and velocities.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) laws: Vec<Law>,
    pub(super) w: Matrix,
    pub(super) states: Vec<State>,
    pub(super) lam: Vec<Vec<f64>>,
    pub(super) xi: Vec<Vec<f64>>,
}

impl Known {
    pub(super) fn random(r: &mut Random, contacts: usize) -> Self {
        let laws: Vec<Law> = (0..contacts).map(|_| law(r)).collect();
        Self::with_laws(r, laws)
    }

    pub(super) fn with_laws(r: &mut Random, laws: Vec<Law>) -> Self {
        let masses: Vec<f64> = (0..=laws.len()).map(|_| r.decades(-6.0, 6.0)).collect();
        let w = chain(r, &laws, &masses);
        let mut known =
            Self { w, states: Vec::new(), lam: Vec::new(), xi: Vec::new(), laws: laws.clone() };
        for (i, law) in laws.iter().enumerate() {
            let speed = r.decades(-12.0, 0.0);
            let impulse = speed * masses[i].min(masses[i + 1]) * (0.1 + r.unit());
            known.choose(r, law, speed, impulse);
        }
        known
    }

    fn choose(&mut self, r: &mut Random, law: &Law, speed: f64, impulse: f64) {
        let d = law.components();
        let (mut lam, mut xi) = (vec![0.0; d], vec![0.0; d]);
        let mut state = [State::Open, State::Stick, State::Slip][r.below(3)];
        if let Kind::Bilateral(_) = law.kind {
            state = State::Stick;
            lam.iter_mut().for_each(|l| *l = impulse * r.signed());
        } else {
            let n = law.kind.normals();
            if n == 0 && state == State::Open {
                state = State::Slip;
            }
            if state == State::Open {
                xi[0] = speed * r.unit();
            } else if n == 1 {
                lam[0] = impulse;
            }
            if state != State::Stick || law.sliding.is_some() {
                xi[n..].iter_mut().for_each(|x| *x = speed * r.signed());
            }
            let limit = if n == 1 { law.limit(lam[0]) } else { law.radius };
            let inside = state == State::Stick && law.sliding.is_none();
            let f = match (law.sliding_friction(), inside) {
                (Some(f), _) => f.to_vec(),
                (None, true) => farthest(law, &[r.signed(), r.signed(), r.signed()]),
                (None, false) => farthest(law, &xi[n..]),
            };
            let share = if inside { 0.5 } else { 1.0 };
            lam[n..].iter_mut().zip(f).for_each(|(l, f)| *l = share * limit * f);
        }
        self.states.push(state);
        self.lam.push(lam);
        self.xi.push(xi);
    }

    pub(super) fn impulse(&self) -> Vec<f64> {
        self.lam.concat()
    }

    /// b = ξ − W Λ, in extended precision and rounded.
    pub(super) fn bias(&self) -> Vec<f64> {
        let lam = self.impulse();
        let row = |(r, xi): (usize, f64)| {
            let terms = self.w.row(r).iter().zip(&lam);
            terms.fold(x(xi), |sum, (w, l)| sum - x(*w) * x(*l)).value()
        };
        self.xi.concat().into_iter().enumerate().map(row).collect()
    }

    #[cfg(test)]
    pub(super) fn problem(&self) -> ContactProblem {
        ContactProblem::new(self.w.clone(), self.bias(), self.laws.clone()).unwrap()
    }

    #[cfg(test)]
    pub(super) fn reference(&self) -> Vec<Judged> {
        let b = self.bias();
        Data { w: &self.w, b: &b, laws: &self.laws }.judge(&self.impulse())
    }
}

/// The point of F farthest against a velocity.
pub(super) fn farthest(law: &Law, slip: &[f64]) -> Vec<f64> {
    let Some(set) = law.kind.set() else { return Vec::new() };
    let against: Vec<f64> = slip[..set.dimension()].iter().map(|v| -v).collect();
    let mut f = vec![0.0; set.dimension()];
    set.support_point(&against, &mut f);
    f
}

/// W of bodies in a row, each with six coordinates of its own mass, with a contact between neighbours.
fn chain(r: &mut Random, laws: &[Law], masses: &[f64]) -> Matrix {
    // (contact, directions on the body before, on the body after), row by row.
    let mut rows: Vec<(usize, [f64; 6], [f64; 6])> = Vec::new();
    for (i, law) in laws.iter().enumerate() {
        let n = law.kind.normals();
        for c in 0..law.components() {
            // Units of spin: directions grow as the patch shrinks.
            let per = match law.kind.set() {
                Some(set) if c >= n => {
                    let mut axis = vec![0.0; set.dimension()];
                    axis[c - n] = 1.0;
                    1.0 / set.support(&axis)
                }
                _ => 1.0,
            };
            rows.push((i, [0.0; 6].map(|_| r.signed() * per), [0.0; 6].map(|_| r.signed() * per)));
        }
    }
    let shared = |(i, a, b): &(usize, [f64; 6], [f64; 6]),
                  (j, c, d): &(usize, [f64; 6], [f64; 6])| {
        let dot = |u: &[f64; 6], v: &[f64; 6]| u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>();
        let (before, after) = (1.0 / masses[*i], 1.0 / masses[*i + 1]);
        match (*j as i64) - (*i as i64) {
            0 => dot(a, c) * before + dot(b, d) * after,
            1 => dot(b, c) * after,
            -1 => dot(a, d) * before,
            _ => 0.0,
        }
    };
    let entry = |i: usize, j: usize| shared(&rows[i.min(j)], &rows[i.max(j)]);
    Matrix::from_fn(rows.len(), rows.len(), entry)
}
