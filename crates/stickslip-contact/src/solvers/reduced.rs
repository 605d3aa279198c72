//! A problem in a form that is easier to solve: without what is known, and in units of like size.
//!
//! - Of a contact that is known to slide Λ_T = (μ Λ_N + a) f, so that its unknown is Λ_N alone. Without a normal nothing is left.
//! - The moment of a small patch of contact is small beside its forces, and the matrix of its spin large. Where a
//!   friction set is not round, one projection is used for both, and methods converge as slowly as the units differ: the third
//!   axis is taken in units in which the set is as wide along it as along the first.
//!
//! Λ = E x + e with E = (1, μ f) and e = (0, a f) for sliding contacts, E = diag(1, 1, 1, 1/factor) for stretched ones;
//! W' = R W E and b' = R (W e + b), where R picks the normals of sliding contacts and is Eᵀ elsewhere. With sliding contacts W' is not
//! symmetric.

use super::BlockForm;
use crate::block::BlockMatrix;
use crate::law::{Kind, Rule, Sliding};
use crate::set::{ConvexSet, stretched};
use crate::{ContactProblem, Law};

/// Widths of a set that differ by less are left as they are.
const ALIKE: f64 = 2.0;

/// A problem that is easier than the given one, and how to come back.
pub(super) struct Reduced {
    pub(super) problem: ContactProblem,
    /// The contacts that are left, by their numbers in the given problem.
    kept: Vec<usize>,
    /// What the third axis of each contact of the given problem is multiplied by.
    factors: Vec<f64>,
}

impl Reduced {
    /// Whether there is anything to gain.
    pub(super) fn applies(given: &BlockForm) -> bool {
        given.laws().iter().any(|l| l.sliding.is_some() || factor(l) != 1.0)
    }

    /// `None` if no contact is left.
    pub(super) fn new(given: &BlockForm) -> Option<Self> {
        let gone = |law: &Law| law.sliding.is_some() && law.kind.normals() == 0;
        let kept: Vec<usize> = (0..given.contacts()).filter(|&i| !gone(&given.laws()[i])).collect();
        let factors: Vec<f64> = given.laws().iter().map(factor).collect();
        let laws: Vec<Law> =
            kept.iter().map(|&i| reduced_law(&given.laws()[i], factors[i])).collect();
        let shifted = shifted_bias(given);
        let mut bias = Vec::new();
        for (&i, law) in kept.iter().zip(&laws) {
            let units = units(law, factors[i]);
            bias.extend(given.rows(i).zip(units).map(|(row, unit)| unit * shifted[row]));
        }
        let w = reduced_matrix(given, &kept, &laws, &factors)?;
        let problem = ContactProblem::new(w, bias, laws).ok()?;
        let problem = if given.is_associated() { problem.associated() } else { problem };
        Some(Self { problem, kept, factors })
    }

    /// Λ = E x + e.
    pub(super) fn expand(&self, given: &BlockForm, x: &[f64], impulse: &mut [f64]) {
        for (i, law) in given.laws().iter().enumerate() {
            friction_into(law, 0.0, &mut impulse[given.rows(i)]);
        }
        for (k, &i) in self.kept.iter().enumerate() {
            let (from, to) = (&x[self.problem.rows(k)], &mut impulse[given.rows(i)]);
            let units = units(&self.problem.laws()[k], self.factors[i]);
            to.iter_mut().zip(from.iter().zip(units)).for_each(|(to, (x, unit))| *to = unit * x);
            friction_into(&given.laws()[i], from[0], to);
        }
    }
}

/// What the third axis of the friction set is multiplied by.
fn factor(law: &Law) -> f64 {
    let (None, Some(set)) = (law.sliding, law.kind.set()) else { return 1.0 };
    if set.dimension() < 3 || matches!(set, ConvexSet::Ellipsoid(_)) {
        return 1.0;
    }
    let factor = set.support(&[1.0, 0.0, 0.0]) / set.support(&[0.0, 0.0, 1.0]);
    let uneven = factor.is_finite() && !(1.0 / ALIKE..=ALIKE).contains(&factor);
    if uneven { factor } else { 1.0 }
}

fn reduced_law(law: &Law, factor: f64) -> Law {
    if law.sliding.is_some() {
        return Law::frictionless();
    }
    let mut law = law.clone();
    if let Kind::Set(set) | Kind::Dry(set) = &mut law.kind {
        *set = stretched(set, factor).into();
    }
    law
}

/// The units of the components of a reduced contact.
fn units(law: &Law, factor: f64) -> impl Iterator<Item = f64> + use<> {
    let last = law.kind.normals() + 2;
    (0..law.components()).map(move |c| if c == last { 1.0 / factor } else { 1.0 })
}

/// The friction of a contact that slides under a normal impulse; other contacts stay as they are.
fn friction_into(law: &Law, normal: f64, impulse: &mut [f64]) {
    if let Rule::Sliding(Sliding { mu, radius, f, .. }) = law.rule() {
        let (first, limit) = (law.kind.normals(), mu * normal + radius);
        impulse[first..].iter_mut().zip(f).for_each(|(l, f)| *l = limit * f);
    }
}

/// W e + b.
fn shifted_bias(given: &BlockForm) -> Vec<f64> {
    let (mut constant, mut shifted) = (vec![0.0; given.len()], vec![0.0; given.len()]);
    for (i, law) in given.laws().iter().enumerate() {
        friction_into(law, 0.0, &mut constant[given.rows(i)]);
    }
    given.w().multiply_add(&constant, given.b(), &mut shifted);
    shifted
}

/// R W E.
fn reduced_matrix(
    given: &BlockForm,
    kept: &[usize],
    laws: &[Law],
    factors: &[f64],
) -> Option<BlockMatrix> {
    let mut place = vec![usize::MAX; given.contacts()];
    kept.iter().enumerate().for_each(|(k, &i)| place[i] = k);
    let mut blocks = Vec::new();
    for (k, &i) in kept.iter().enumerate() {
        for (j, block) in given.w().row(i).filter(|(j, _)| place[*j] != usize::MAX) {
            let rows = block.chunks_exact(given.w().size(j)).zip(units(&laws[k], factors[i]));
            let entries = match given.laws()[j].rule() {
                Rule::Sliding(Sliding { mu, f, .. }) => {
                    let friction =
                        |row: &[f64]| row[1..].iter().zip(f).map(|(w, f)| w * f).sum::<f64>();
                    rows.map(|(row, unit)| unit * (row[0] + mu * friction(row))).collect()
                }
                _ => {
                    let columns = || units(&laws[place[j]], factors[j]);
                    let entry = |(row, unit): (&[f64], f64)| {
                        row.iter().zip(columns()).map(|(w, u)| w * unit * u).collect::<Vec<f64>>()
                    };
                    rows.flat_map(entry).collect()
                }
            };
            blocks.push((k, place[j], entries));
        }
    }
    let sizes: Vec<usize> = laws.iter().map(Law::components).collect();
    BlockMatrix::from_both_triangles(&sizes, blocks).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::{Polyhedron, UniformDisc};
    use crate::solvers::FormBuffer;
    use complementarity::Matrix;
    use std::sync::Arc;

    /// A connection, a sliding contact, dry friction that slides, a small patch, a small disc.
    fn laws() -> Vec<Law> {
        let patch = [[1.0, 0.0, 0.01], [-1.0, 0.5, -0.01], [0.0, -1.0, 0.02], [-0.5, 0.3, -0.03]];
        let patch = ConvexSet::Polyhedron(Polyhedron::hull(&patch).unwrap());
        let disc = ConvexSet::Custom(Arc::new(UniformDisc::new(1e-3).unwrap()));
        let sliding = Law { radius: 0.2, ..Law::with_set(0.5, ConvexSet::Disc) };
        vec![
            Law::bilateral(2),
            sliding.sliding_with([0.6, -0.8, 0.0]),
            Law::dry(0.7, ConvexSet::Disc).sliding_with([1.0, 0.0, 0.0]),
            Law::with_set(0.4, patch),
            Law { radius: 0.1, ..Law::dry(0.3, disc) },
        ]
    }

    fn number(i: usize) -> f64 {
        ((i * 7919 + 104_729) % 1000) as f64 / 500.0 - 1.0
    }

    #[test]
    fn velocities_of_the_easier_problem_are_those_of_the_given_one_in_its_units() {
        let laws = laws();
        let n: usize = laws.iter().map(Law::components).sum();
        let w = Matrix::from_fn(n, n, |i, j| number(31 * i + j));
        let b: Vec<f64> = (0..n).map(|i| number(3 * i + 1)).collect();
        let given = ContactProblem::new(w, b, laws).unwrap();
        let mut buffer = FormBuffer::default();
        let form = buffer.form(&given);
        assert!(Reduced::applies(&form));
        let easier = Reduced::new(&form).unwrap();
        assert_eq!(easier.kept, [0, 1, 3, 4]);
        let x: Vec<f64> = (0..easier.problem.bias().len()).map(|i| number(11 * i + 5)).collect();
        let (mut impulse, mut xi) = (vec![0.0; n], vec![0.0; n]);
        easier.expand(&form, &x, &mut impulse);
        given.velocity_into(&impulse, &mut xi);
        let mut own = vec![0.0; x.len()];
        easier.problem.velocity_into(&x, &mut own);
        for (k, &i) in easier.kept.iter().enumerate() {
            let units = units(&easier.problem.laws()[k], easier.factors[i]);
            let rows = easier.problem.rows(k).zip(given.rows(i)).zip(units);
            for ((own_row, row), unit) in rows {
                let scale = unit.abs().max(1.0) * 10.0 * n as f64;
                assert!((own[own_row] - unit * xi[row]).abs() < 1e-13 * scale, "{i} {row}");
            }
            // Friction keeps its place in the set.
            let law = &given.laws()[i];
            if let (None, Some(set)) = (law.sliding, law.kind.set()) {
                let (first, stretched) = (law.kind.normals(), &easier.problem.laws()[k]);
                let inside = set.gauge(&impulse[given.rows(i)][first..]);
                let own = stretched.kind.set().unwrap().gauge(&x[easier.problem.rows(k)][first..]);
                assert!((inside - own).abs() < 1e-9 * inside, "{i} {inside} {own}");
            }
        }
        // Sliding friction is (μ Λ_N + a) f, against the slip.
        let slid = &impulse[given.rows(1)];
        let limit = 0.5 * slid[0] + 0.2;
        assert!((slid[1] + 0.6 * limit).abs() < 1e-15 && (slid[2] - 0.8 * limit).abs() < 1e-15);
        assert_eq!(impulse[given.rows(2)], [-0.7, 0.0]);
    }

    #[test]
    fn round_sets_of_even_width_are_left_alone() {
        let laws = vec![Law::coulomb(0.5), Law::with_set(0.3, ConvexSet::Disc)];
        let problem = ContactProblem::new(Matrix::identity(5), vec![0.0; 5], laws).unwrap();
        assert!(!Reduced::applies(&FormBuffer::default().form(&problem)));
    }
}
