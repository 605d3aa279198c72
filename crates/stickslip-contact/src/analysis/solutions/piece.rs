//! Polyhedra of solutions, and what is said of each.

use super::space::Space;
use super::{Settings, Solution};
use crate::solve::ContactSolution;
use crate::tolerance::ROW_MET;
use crate::{ContactProblem, Mode};
use complementarity::Matrix;
use complementarity::linear::Generators;

/// What is left of a direction after the projection on others, relative to it, if it depends on them.
const DEPENDENT: f64 = 1e-7;
/// A contact's velocities are compared in units of at least this share of the largest: [`ROW_MET`] of that is rounding.
const FLOOR: f64 = 1e-8;

/// A polyhedron { x ≥ 0, a x + b ≥ 0 or = 0 } all of whose points are solutions.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) generators: Generators,
    pub(super) a: Matrix,
    pub(super) b: Vec<f64>,
    pub(super) equations: Vec<bool>,
    /// Those x that are zero.
    pub(super) zeros: Vec<usize>,
}

impl Piece {
    /// Whether another's vertices and rays all lie in this one.
    pub(super) fn contains(&self, other: &Generators) -> bool {
        other.dimension <= self.generators.dimension
            && other.vertices.iter().all(|x| self.admits(x, 1.0))
            && other.rays.iter().all(|x| self.admits(x, 0.0))
    }

    fn admits(&self, x: &[f64], weight: f64) -> bool {
        let unseen = |j: &usize| (0..self.a.rows()).all(|i| self.a.row(i)[*j] == 0.0);
        if self.zeros.iter().any(|j| x[*j] != 0.0 && unseen(j)) {
            return false;
        }
        (0..self.a.rows()).all(|i| {
            let row = self.a.row(i);
            let terms = row.iter().zip(x).map(|(a, x)| a * x);
            let b = weight * self.b[i];
            let (value, size) = terms.fold((b, b.abs()), |(v, s), t| (v + t, s + t.abs()));
            // What x_j itself is compared with is what else acts where it acts: contacts can be of very different sizes.
            let vanish = self.zeros.iter().all(|&j| (row[j] * x[j]).abs() <= ROW_MET * size);
            vanish && value >= -ROW_MET * size && (!self.equations[i] || value <= ROW_MET * size)
        })
    }

    /// The solutions in it, if they meet the tolerance.
    pub(super) fn solution(
        &self,
        problem: &ContactProblem,
        space: &Space,
        settings: &Settings,
    ) -> Option<Solution> {
        let vertices: Vec<Vec<f64>> =
            self.generators.vertices.iter().map(|x| space.impulse(x)).collect();
        let mut rays: Vec<Vec<f64>> =
            self.generators.rays.iter().map(|x| space.lam.mul_vec(x)).collect();
        for line in &space.lines {
            rays.push(line.clone());
            rays.push(line.iter().map(|l| -l).collect());
        }
        let dimension = self.generators.dimension + space.lines.len();
        if dimension == 0 {
            let impulse = vertices.into_iter().next()?;
            return isolated(problem, settings, impulse, true);
        }
        let size = impulse_size(problem, &vertices);
        for ray in &mut rays {
            let largest = ray.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            ray.iter_mut().for_each(|v| *v *= size / largest);
        }
        let mut impulse = mean(&vertices)?;
        rays.iter().take(self.generators.rays.len()).for_each(|r| add(&mut impulse, r));
        let mut worst = problem.certificate(&impulse).ok()?.worst;
        for (i, v) in vertices.iter().enumerate() {
            worst = worst.max(problem.certificate(v).ok()?.worst);
            if !rays.is_empty() {
                let mut sum = v.clone();
                add(&mut sum, &rays[i % rays.len()]);
                worst = worst.max(problem.certificate(&sum).ok()?.worst);
            }
        }
        let basis = basis(&vertices, &rays);
        let mut found = describe(problem, impulse)?;
        found.velocity_unique = moves_nothing(problem, &found, &vertices, &rays);
        Some(Solution { worst, dimension, vertices, rays, basis, proved: true, ..found })
            .filter(|s| s.worst <= settings.tolerance)
    }
}

/// A solution that is a point, if it meets the tolerance.
pub(super) fn isolated(
    problem: &ContactProblem,
    settings: &Settings,
    impulse: Vec<f64>,
    proved: bool,
) -> Option<Solution> {
    let mut found = describe(problem, impulse)?;
    if !(found.worst <= settings.tolerance) {
        return None;
    }
    found.proved = proved;
    found.vertices = vec![found.impulse.clone()];
    Some(found)
}

/// Velocities, modes and certificate of impulses.
pub(super) fn describe(problem: &ContactProblem, impulse: Vec<f64>) -> Option<Solution> {
    let mut velocity = vec![0.0; impulse.len()];
    problem.velocity_into(&impulse, &mut velocity);
    let certificate = problem.certificate(&impulse).ok()?;
    let (impulse, velocity, modes) = modes(problem, impulse, velocity);
    Some(Solution {
        impulse,
        velocity,
        modes,
        certificate,
        worst: certificate.worst,
        dimension: 0,
        vertices: Vec::new(),
        rays: Vec::new(),
        basis: Vec::new(),
        velocity_unique: true,
        proved: false,
    })
}

fn modes(
    problem: &ContactProblem,
    impulse: Vec<f64>,
    velocity: Vec<f64>,
) -> (Vec<f64>, Vec<f64>, Vec<Mode>) {
    let as_solved = ContactSolution { impulse, velocity, ..ContactSolution::default() };
    let modes = (0..problem.contacts()).map(|i| as_solved.mode(problem, i)).collect();
    (as_solved.impulse, as_solved.velocity, modes)
}

/// The size of impulses to compare rays with.
fn impulse_size(problem: &ContactProblem, vertices: &[Vec<f64>]) -> f64 {
    let largest = vertices.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
    let asked = problem.bias().iter().zip(problem.delassus().diagonal());
    let asked = asked.filter(|(_, d)| *d > 0.0).map(|(b, d)| b.abs() / d).fold(0.0, f64::max);
    let size = largest.max(asked);
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}

fn mean(vertices: &[Vec<f64>]) -> Option<Vec<f64>> {
    let mut sum = vec![0.0; vertices.first()?.len()];
    vertices.iter().for_each(|v| add(&mut sum, v));
    sum.iter_mut().for_each(|s| *s /= vertices.len() as f64);
    Some(sum)
}

fn add(to: &mut [f64], v: &[f64]) {
    to.iter_mut().zip(v).for_each(|(t, v)| *t += v);
}

/// An orthonormal basis of the directions between vertices and along rays.
pub(super) fn basis(vertices: &[Vec<f64>], rays: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let between = vertices.iter().skip(1).map(|v| v.iter().zip(&vertices[0]).map(|(a, b)| a - b));
    let directions = between.map(Iterator::collect::<Vec<f64>>).chain(rays.iter().cloned());
    for mut d in directions {
        let size = normalise(&mut d);
        for b in basis.iter().chain(&basis.clone()) {
            let along: f64 = b.iter().zip(&d).map(|(b, d)| b * d).sum();
            d.iter_mut().zip(b).for_each(|(d, b)| *d -= along * b);
        }
        if size > 0.0 && normalise(&mut d) > DEPENDENT {
            basis.push(d);
        }
    }
    basis
}

fn normalise(v: &mut [f64]) -> f64 {
    let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    if size > 0.0 {
        v.iter_mut().for_each(|x| *x /= size);
    }
    size
}

/// Whether ξ is the same at all vertices and along all rays, to rounding.
fn moves_nothing(
    problem: &ContactProblem,
    found: &Solution,
    vertices: &[Vec<f64>],
    rays: &[Vec<f64>],
) -> bool {
    let (w, velocity) = (problem.delassus(), &found.velocity);
    let inside = velocity_sizes(problem, &found.impulse);
    let zeros = vec![0.0; velocity.len()];
    let mut out = zeros.clone();
    let ends = vertices.iter().map(|v| (v, true)).chain(rays.iter().map(|r| (r, false)));
    for (end, is_vertex) in ends {
        w.multiply_add(end, if is_vertex { problem.bias() } else { &zeros }, &mut out);
        let sizes = velocity_sizes(problem, end);
        let off = |(o, v): (&f64, &f64)| (o - if is_vertex { *v } else { 0.0 }).abs();
        let mut pairs = out.iter().zip(velocity).map(off).zip(sizes.iter().zip(&inside));
        if !pairs.all(|(off, (size, inside))| off <= ROW_MET * size.max(*inside)) {
            return false;
        }
    }
    true
}

/// What the velocities of each contact are made of at impulses: the largest of |b| + Σ |W Λ| over its components, for each of
/// them, and at least what rounding of the largest makes. Velocities are compared in these units, since contacts can be of
/// very different sizes.
pub(super) fn velocity_sizes(problem: &ContactProblem, impulse: &[f64]) -> Vec<f64> {
    let w = problem.delassus();
    let dense = w
        .as_dense()
        .map_or_else(|| std::borrow::Cow::Owned(w.to_dense()), std::borrow::Cow::Borrowed);
    let size = |r: usize| {
        let terms = dense.row(r).iter().zip(impulse).map(|(w, l)| (w * l).abs());
        problem.bias()[r].abs() + terms.sum::<f64>()
    };
    let mut sizes = vec![0.0; impulse.len()];
    for contact in 0..problem.contacts() {
        let largest = problem.rows(contact).map(size).fold(0.0, f64::max);
        sizes[problem.rows(contact)].fill(largest);
    }
    let least = FLOOR * sizes.iter().copied().fold(0.0, f64::max);
    sizes.iter_mut().for_each(|size| *size = size.max(least));
    sizes
}
