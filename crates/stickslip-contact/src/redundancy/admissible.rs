//! The impulses that the laws allow at given velocities: for each contact a convex cone, and linear equations.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | s | scales: x = s Λ, with s² the diagonal of W; T and O of a contact share their mean, so that the choice of the
//! tangential directions does not matter |
//! | f | a point of F; the friction of a contact that slips is (μ Λ_N + a) f |
//!
//! | contact | cone | equations |
//! |---|---|---|
//! | bilateral | all | |
//! | open | all | Λ = 0 (Λ_T = a f where friction does not depend on the load) |
//! | slips, F has one farthest point against ξ_T | Λ_N ≥ 0 | Λ_T = (μ Λ_N + a) f |
//! | slips, F has a face of them | Λ_N ≥ 0, Λ_T ∈ (μ Λ_N + a) F | u·Λ_T = (μ Λ_N + a) u·f for each u across the face |
//! | sticks | the same | |
//! | dry | as one that slips or sticks, without Λ_N | |

use super::face::{Face, face};
use crate::projection::FrictionCone;
use crate::set::{ConvexSet, stretched};
use crate::{ContactProblem, Kind, Law};
use std::ops::Range;

/// A sum over the components of one contact, from `first` on, that keeps its value; of length one.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    pub(super) first: usize,
    pub(super) row: Vec<f64>,
}

/// Where the impulse of one contact may lie, in scaled units.
#[derive(Clone, Debug)]
pub(super) struct Cone {
    pub(super) rows: Range<usize>,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    Free,
    /// The first component is not negative.
    Half,
    Friction {
        mu: f64,
        radius: f64,
        set: ConvexSet,
    },
    /// No normal.
    Dry {
        radius: f64,
        set: ConvexSet,
    },
}

impl Cone {
    /// The nearest point.
    pub(super) fn project(&self, x: &[f64], out: &mut [f64]) {
        match &self.shape {
            Shape::Friction { mu, radius, set } => {
                FrictionCone { set, mu: *mu, radius: *radius }.project(x, out);
            }
            Shape::Dry { radius, set } => set.project(*radius, x, out),
            shape => {
                out.copy_from_slice(x);
                if let (Shape::Half, Some(n)) = (shape, out.first_mut()) {
                    *n = n.max(0.0);
                }
            }
        }
    }

    /// A derivative of the projection, by rows; the identity where none can be told.
    pub(super) fn derivative(&self, x: &[f64], out: &mut [f64]) {
        let n = x.len();
        out.fill(0.0);
        (0..n).for_each(|i| out[i * (n + 1)] = 1.0);
        match &self.shape {
            Shape::Free => {}
            Shape::Half if x[0] < 0.0 => out[0] = 0.0,
            Shape::Half => {}
            Shape::Friction { mu, radius, set } => {
                // Where it returns false the identity stays: a step along it is damped by the search.
                let _ = FrictionCone { set, mu: *mu, radius: *radius }.jacobian(x, out);
            }
            Shape::Dry { radius, set } => {
                // The tangential part of the cone that does not depend on a load.
                let mut with_normal = [0.0; 16];
                let mut at = [0.0; 4];
                at[1..=n].copy_from_slice(x);
                let cone = FrictionCone { set, mu: 0.0, radius: *radius };
                if cone.jacobian(&at[..=n], &mut with_normal[..(n + 1) * (n + 1)]) {
                    for r in 0..n {
                        let from = &with_normal[(r + 1) * (n + 1) + 1..][..n];
                        out[r * n..(r + 1) * n].copy_from_slice(from);
                    }
                }
            }
        }
    }

    /// How far x is inside; negative outside, infinite where there is no bound.
    pub(super) fn depth(&self, x: &[f64]) -> f64 {
        match &self.shape {
            Shape::Free => f64::INFINITY,
            Shape::Half => x[0],
            Shape::Friction { mu, radius, set } => {
                x[0].min(mu * x[0].max(0.0) + radius - set.gauge(&x[1..]))
            }
            Shape::Dry { radius, set } => radius - set.gauge(x),
        }
    }
}

/// What the laws allow at the velocities of an answer.
#[derive(Clone, Debug)]
pub(super) struct Admissible {
    pub(super) cones: Vec<Cone>,
    pub(super) equations: Vec<Equation>,
    /// s.
    pub(super) scale: Vec<f64>,
    /// The answer in scaled units, on its cones.
    pub(super) start: Vec<f64>,
    /// The size of impulses in scaled units.
    pub(super) reference: f64,
}

impl Admissible {
    /// Velocities and impulses below `zero` of their references count as none.
    pub(super) fn new(problem: &ContactProblem, impulse: &[f64], zero: f64) -> Self {
        let scale = scales(problem);
        let mut xi = vec![0.0; impulse.len()];
        problem.velocity_into(impulse, &mut xi);
        let terms = || problem.delassus().diagonal().into_iter().zip(impulse).map(|(w, l)| w * l);
        let v_ref = match reference_velocity(problem) {
            // At b = 0 velocities are what W Λ leaves of its terms.
            0.0 => terms().fold(0.0_f64, |m, v| m.max(v.abs())),
            v => v,
        };
        let asked = problem.bias().iter().zip(&scale).map(|(b, s)| b / s);
        let scaled = impulse.iter().zip(&scale).map(|(x, s)| x * s);
        let reference = scaled.chain(asked).fold(0.0_f64, |m, x| m.max(x.abs()));
        // Where there is nothing to compare with, numbers count as they are.
        let reference = if reference > 0.0 { reference } else { 1.0 };
        let mut new = Self {
            cones: Vec::new(),
            equations: Vec::new(),
            scale,
            start: vec![0.0; impulse.len()],
            reference,
        };
        for (i, law) in problem.laws().iter().enumerate() {
            let rows = problem.rows(i);
            let contact = Contact {
                law,
                xi: &xi[rows.clone()],
                lam: &impulse[rows.clone()],
                smallest_velocity: zero * v_ref,
                zero,
                v_ref,
                associated: problem.is_associated(),
            };
            new.add(&contact, rows);
        }
        new
    }

    /// What the laws allow at velocities of zero, without an answer to start at; none where a law does not let its contact stick.
    pub(super) fn of_held(problem: &ContactProblem) -> Option<Self> {
        let scale = scales(problem);
        let mut cones = Vec::new();
        for (i, law) in problem.laws().iter().enumerate() {
            let rows = problem.rows(i);
            let shape = match law.kind {
                Kind::Bilateral(_) => Shape::Free,
                _ if law.tangents() == 0 => Shape::Half,
                _ if !law.has_free_friction() || law.curve().is_some() => return None,
                _ => friction(law, &scale[rows.clone()]),
            };
            cones.push(Cone { rows, shape });
        }
        let start = vec![0.0; scale.len()];
        Some(Self { cones, equations: Vec::new(), scale, start, reference: 1.0 })
    }

    fn add(&mut self, c: &Contact<'_>, rows: Range<usize>) {
        let s = &self.scale[rows.clone()];
        let normals = c.law.kind.normals();
        let (open, face) = (c.is_open(s[0], self.reference), c.face(s, self.reference));
        let mut equations: Vec<Vec<f64>> = Vec::new();
        let start = &mut self.start[rows.clone()];
        start.copy_from_slice(c.lam);
        let unit = |j: usize| (0..rows.len()).map(|i| f64::from(u8::from(i == j))).collect();
        if let Kind::Bilateral(_) = c.law.kind {
            self.cones.push(Cone { rows: rows.clone(), shape: Shape::Free });
        } else {
            if normals == 1 {
                start[0] = if open { 0.0 } else { c.lam[0].max(0.0) };
            }
            if open {
                equations.push(unit(0));
            }
            let limit = if normals == 1 { c.law.limit(start[0]) } else { c.law.radius };
            let shape = match face {
                Face::Point(f) => {
                    for (t, f) in f.iter().enumerate().take(rows.len() - normals) {
                        let mut row: Vec<f64> = unit(t + normals);
                        row[..normals].fill(-c.law.mu * f);
                        equations.push(row);
                        start[t + normals] = limit * f;
                    }
                    if open || normals == 0 { Shape::Free } else { Shape::Half }
                }
                Face::Whole => friction(c.law, s),
                Face::Part(across) => {
                    for (u, value) in across {
                        let mut row = vec![-c.law.mu * value; normals];
                        row.extend(u);
                        equations.push(row);
                    }
                    friction(c.law, s)
                }
            };
            self.cones.push(Cone { rows: rows.clone(), shape });
        }
        for mut row in equations {
            row.iter_mut().zip(s).for_each(|(r, s)| *r /= s);
            let length = row.iter().map(|r| r * r).sum::<f64>().sqrt();
            row.iter_mut().for_each(|r| *r /= length);
            self.equations.push(Equation { first: rows.start, row });
        }
        start.iter_mut().zip(s).for_each(|(x, s)| *x *= s);
        if let Some(cone) = self.cones.last() {
            let x = start.to_vec();
            cone.project(&x, start);
        }
    }

    /// Whether x is inside of every cone by this much.
    pub(super) fn is_inside(&self, x: &[f64], depth: f64) -> bool {
        self.cones.iter().all(|c| c.depth(&x[c.rows.clone()]) > depth)
    }

    /// The impulses of a point.
    pub(super) fn impulse(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&self.scale).map(|(x, s)| x / s).collect()
    }
}

/// One contact of the answer.
struct Contact<'a> {
    law: &'a Law,
    xi: &'a [f64],
    lam: &'a [f64],
    smallest_velocity: f64,
    zero: f64,
    v_ref: f64,
    associated: bool,
}

impl Contact<'_> {
    /// ξ_N is above what counts as none, and the contact does not rather push: where both are small, as at a contact about
    /// to open, the larger share decides.
    fn is_open(&self, s: f64, reference: f64) -> bool {
        if self.law.kind.normals() == 0 {
            return false;
        }
        let lift = match self.law.kind.set() {
            Some(set) if self.associated => {
                let against: Vec<f64> = self.xi[1..].iter().map(|x| -x).collect();
                self.law.mu * set.support(&against)
            }
            _ => 0.0,
        };
        self.xi[0] - lift > self.zero.max(self.lam[0] * s / reference) * self.v_ref
    }

    fn face(&self, s: &[f64], reference: f64) -> Face {
        let Some(set) = self.law.kind.set() else { return Face::Point([0.0; 3]) };
        if let Some(f) = self.law.sliding_friction() {
            return Face::Point(f);
        }
        let open = self.is_open(s[0], reference);
        if !self.law.has_free_friction() || (open && self.law.radius == 0.0) {
            return Face::Point([0.0; 3]);
        }
        // The friction itself tells the direction of slip better than a small velocity does.
        let n = self.law.kind.normals();
        let limit = if n == 1 { self.law.limit(self.lam[0]) } else { self.law.radius };
        let known = limit * s[n] > 1e-4 * reference;
        let given = known.then(|| self.lam[n..].iter().map(|t| t / limit).collect::<Vec<_>>());
        face(set, &self.xi[n..], given.as_deref(), self.smallest_velocity)
    }
}

/// The cone in scaled units: Λ_T ∈ (μ Λ_N + a) F is x_T ∈ (μ x_N s_T / s_N + a s_T) F', with F' stretched along R.
fn friction(law: &Law, s: &[f64]) -> Shape {
    let n = law.kind.normals();
    let stretch = s.get(n + 2).map_or(1.0, |r| r / s[n]);
    let set = law.kind.set().map(|set| stretched(set, stretch));
    match set {
        Some(set) if n == 0 => Shape::Dry { radius: law.radius * s[0], set },
        Some(set) => Shape::Friction { mu: law.mu * s[1] / s[0], radius: law.radius * s[1], set },
        None => Shape::Half,
    }
}

/// s of every component. Where the diagonal is not positive, that of the largest entry.
fn scales(problem: &ContactProblem) -> Vec<f64> {
    let mut d = problem.delassus().diagonal();
    let largest = d.iter().fold(0.0_f64, |m, x| m.max(*x));
    let largest = if largest > 0.0 { largest } else { 1.0 };
    d.iter_mut().filter(|d| !(**d > 0.0)).for_each(|d| *d = largest);
    for (i, law) in problem.laws().iter().enumerate() {
        let t = problem.rows(i).start + law.kind.normals();
        if law.tangents() >= 2 {
            let mean = 0.5 * (d[t] + d[t + 1]);
            (d[t], d[t + 1]) = (mean, mean);
        }
    }
    d.into_iter().map(f64::sqrt).collect()
}

/// The largest of |b_N|, h_F(±b_T) and the entries of bilateral rows.
fn reference_velocity(problem: &ContactProblem) -> f64 {
    let mut v = 0.0_f64;
    for (i, law) in problem.laws().iter().enumerate() {
        let b = &problem.bias()[problem.rows(i)];
        match law.kind.set() {
            None => v = b.iter().fold(v, |m, b| m.max(b.abs())),
            Some(set) => {
                let (normal, b) = b.split_at(law.kind.normals());
                let against: Vec<f64> = b.iter().map(|b| -b).collect();
                v = normal.iter().fold(v, |m, b| m.max(b.abs()));
                v = v.max(set.support(b)).max(set.support(&against));
            }
        }
    }
    v
}
