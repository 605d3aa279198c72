//! Polyhedral formulations of any contact problem as mixed complementarity problems.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | z | the unknowns; Λ = C z + shift |
//! | d_j, e_j | corners of the friction polyhedron, and its normals up to sign |
//! | m, q | matrix and vector of the complementarity problem |
//!
//! Bilateral components, and the friction of phantom inertia, are free unknowns, whose rows are equations.

use super::Formulation;
use crate::error::Error;
use crate::set::ConvexSet;
use crate::set::Polyhedron;
use crate::{ContactProblem, Kind, Law};
use complementarity::{Matrix, Mlcp};
use std::fmt;

/// Terms (index, factor).
type Terms = Vec<(usize, f64)>;

/// What an unknown of a complementarity problem stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownKind {
    /// Λ_N; its row is ξ_N.
    Normal,
    /// A component of a connection or of friction, by index within the contact, that is free; its row is an equation.
    Free(usize),
    /// Λ_R = Λ_T + μ Λ_N + a of Glocker and Studer; its row is ξ_R.
    Right,
    /// ξ_L of Glocker and Studer; its row is Λ_L = μ Λ_N + a − Λ_T.
    Left,
    /// Friction along a direction, by number; its row is the slip against it.
    Beta(usize),
    /// The slip indicator s, the slip speed where Λ_N > 0; its row is what friction has left.
    Slack,
    /// Slip along a line of phantom inertia, by number; its row is what friction has left.
    KappaPlus(usize),
    /// The same the other way.
    KappaMinus(usize),
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Normal => f.write_str("impulse_n"),
            Self::Free(i) => write!(f, "impulse_{i}"),
            Self::Right => f.write_str("impulse_r"),
            Self::Left => f.write_str("slip_l"),
            Self::Beta(j) => write!(f, "beta_{}", j + 1),
            Self::Slack => f.write_str("slip"),
            Self::KappaPlus(j) => write!(f, "kappa+_{}", j + 1),
            Self::KappaMinus(j) => write!(f, "kappa-_{}", j + 1),
        }
    }
}

/// A row of the complementarity problem: w = Σ velocity ξ + Σ unknowns z + constant, and what its unknown means.
#[derive(Clone, Debug)]
struct Row {
    unknown: UnknownKind,
    velocity: Terms,
    unknowns: Terms,
    constant: f64,
    /// The impulses that this row's unknown stands for.
    impulse: Terms,
    free: bool,
}

impl Row {
    fn of(unknown: UnknownKind) -> Self {
        let (velocity, unknowns, impulse) = (Vec::new(), Vec::new(), Vec::new());
        Self { unknown, velocity, unknowns, constant: 0.0, impulse, free: false }
    }
}

/// How a contact problem is laid out as a mixed complementarity problem.
#[derive(Clone, Debug)]
pub struct Encoding {
    rows: Vec<Row>,
    shift: Vec<f64>,
    /// The first unknown of each contact, and how many there are.
    starts: Vec<usize>,
}

impl Encoding {
    /// The layout of a formulation with friction sets that are polyhedral. `rho` is the phantom inertia of each contact;
    /// other formulations do not have it.
    ///
    /// # Errors
    /// If phantom inertia is asked for with a set that is not symmetric to the origin.
    pub(super) fn new(
        formulation: Formulation,
        problem: &ContactProblem,
        rho: &[f64],
    ) -> Result<Self, Error> {
        let (rows, starts) = (Vec::new(), Vec::new());
        let mut encoding = Self { rows, shift: vec![0.0; problem.bias().len()], starts };
        for (i, law) in problem.laws().iter().enumerate() {
            let first = problem.rows(i).start;
            encoding.starts.push(encoding.rows.len());
            match (&law.kind, law.kind.set()) {
                (Kind::Bilateral(rows), _) => (first..first + rows).for_each(|r| {
                    encoding.equation(r, (r - first, Vec::new()));
                }),
                (_, Some(set)) if law.has_free_friction() => {
                    let polyhedron = as_polyhedron(set)?;
                    if formulation == Formulation::PhantomInertia {
                        encoding.phantom(first, law, &lines(&polyhedron)?, rho[i]);
                    } else {
                        encoding.slip_slack(first, law, &polyhedron);
                    }
                }
                _ => encoding.normal(first, law),
            }
        }
        Ok(encoding)
    }

    /// A contact without friction or with known friction: one unknown, none if there is no normal.
    fn normal(&mut self, first: usize, law: &Law) {
        let mut impulse = vec![(first, 1.0)];
        let tangents = first + law.kind.normals();
        if let Some(f) = law.sliding_friction() {
            for (t, f) in f.into_iter().enumerate().take(law.tangents()) {
                impulse.push((tangents + t, law.mu * f));
                self.shift[tangents + t] = law.radius * f;
            }
        }
        if law.kind.normals() == 0 {
            return;
        }
        self.rows.push(Row {
            velocity: vec![(first, 1.0)],
            impulse,
            ..Row::of(UnknownKind::Normal)
        });
    }

    /// ξ_r + Σ unknowns = 0, for a free Λ_r, the component of this index of its contact.
    fn equation(&mut self, r: usize, (component, unknowns): (usize, Terms)) {
        let (velocity, impulse) = (vec![(r, 1.0)], vec![(r, 1.0)]);
        let row = Row::of(UnknownKind::Free(component));
        self.rows.push(Row { velocity, unknowns, impulse, free: true, ..row });
    }

    // [4], and DESIGN's slip-slack matrix: (Λ_N, β, s).
    fn slip_slack(&mut self, first: usize, law: &Law, polyhedron: &Polyhedron) {
        let n = self.rows.len();
        let normals = law.kind.normals();
        let (beta, tangents) = (n + normals, first + normals);
        let s = beta + polyhedron.vertices().len();
        self.normal(first, law);
        for (j, corner) in polyhedron.vertices().enumerate() {
            let along: Terms = corner.iter().enumerate().map(|(t, &d)| (tangents + t, d)).collect();
            let (velocity, unknowns, impulse) = (along.clone(), vec![(s, 1.0)], along);
            self.rows.push(Row { velocity, unknowns, impulse, ..Row::of(UnknownKind::Beta(j)) });
        }
        let mut unknowns = vec![(n, law.mu); normals];
        unknowns.extend((beta..s).map(|j| (j, -1.0)));
        self.rows.push(Row { unknowns, constant: law.radius, ..Row::of(UnknownKind::Slack) });
    }

    // [1] eq. (8) with the accelerations eliminated: (Λ_N, Λ_T, κ₊, κ₋).
    fn phantom(&mut self, first: usize, law: &Law, lines: &[Vec<f64>], rho: f64) {
        let n = self.rows.len();
        let (d, k) = (law.tangents(), lines.len());
        let normals = law.kind.normals();
        let tangents = n + normals;
        let (plus, minus) = (tangents + d, tangents + d + k);
        self.normal(first, law);
        for t in 0..d {
            let mut unknowns = Terms::new();
            for (j, e) in lines.iter().enumerate() {
                unknowns.extend([(plus + j, -e[t]), (minus + j, e[t])]);
            }
            self.equation(first + normals + t, (normals + t, unknowns));
        }
        for (sign, other) in [(1.0, minus), (-1.0, plus)] {
            let kind = if sign > 0.0 { UnknownKind::KappaPlus } else { UnknownKind::KappaMinus };
            for (j, e) in lines.iter().enumerate() {
                let mut unknowns = vec![(n, law.mu); normals];
                unknowns.push((other + j, rho));
                unknowns.extend(e.iter().enumerate().map(|(t, e)| (tangents + t, sign * e)));
                self.rows.push(Row { unknowns, constant: law.radius, ..Row::of(kind(j)) });
            }
        }
    }

    /// What each unknown stands for, and of which contact.
    pub fn unknowns(&self) -> impl Iterator<Item = (usize, UnknownKind)> + '_ {
        let contact = |i: usize| self.starts.partition_point(|start| *start <= i).saturating_sub(1);
        self.rows.iter().enumerate().map(move |(i, row)| (contact(i), row.unknown))
    }

    /// The mixed complementarity problem.
    ///
    /// # Errors
    /// If a product of μ and W overflows.
    pub fn mixed(&self, problem: &ContactProblem) -> Result<Mlcp, Error> {
        let n = self.rows.len();
        let w = problem.delassus().to_dense();
        let mut m = Matrix::zeros(n, n);
        let mut q = vec![0.0; n];
        let mut shifted = vec![0.0; problem.bias().len()];
        problem.velocity_into(&self.shift, &mut shifted);
        for (i, row) in self.rows.iter().enumerate() {
            let out = m.row_mut(i);
            q[i] = row.constant;
            for &(r, factor) in &row.velocity {
                q[i] += factor * shifted[r];
                let w = w.row(r);
                for (o, column) in out.iter_mut().zip(&self.rows) {
                    *o += column.impulse.iter().map(|&(c, x)| factor * w[c] * x).sum::<f64>();
                }
            }
            for &(j, factor) in &row.unknowns {
                out[j] += factor;
            }
        }
        let lower = self.rows.iter().map(|r| if r.free { f64::NEG_INFINITY } else { 0.0 });
        Ok(Mlcp::new(m, q, lower.collect(), vec![f64::INFINITY; n])?)
    }

    /// The impulses that unknowns stand for.
    pub fn decode(&self, z: &[f64], impulse: &mut [f64]) {
        impulse.copy_from_slice(&self.shift);
        for (row, z) in self.rows.iter().zip(z) {
            for &(c, x) in &row.impulse {
                impulse[c] += x * z;
            }
        }
    }
}

/// An interval or a polyhedron, as a polyhedron.
pub(super) fn as_polyhedron(set: &ConvexSet) -> Result<Polyhedron, Error> {
    set.polyhedron_inside(2)
}

/// The normals of a polyhedron, one of each pair ±e.
pub(super) fn lines(polyhedron: &Polyhedron) -> Result<Vec<Vec<f64>>, Error> {
    let mut left: Vec<&[f64]> = polyhedron.normals().collect();
    let mut lines = Vec::new();
    while let Some(e) = left.pop() {
        let size = e.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let opposite = |a: &&[f64]| a.iter().zip(e).all(|(a, e)| (a + e).abs() <= 1e-12 * size);
        let Some(at) = left.iter().position(opposite) else {
            return Err(Error::Combination {
                part: "phantom_inertia",
                other: "a friction set that is not symmetric to the origin",
                reason: "its unknowns stand for pairs of opposite directions; choose stewart_trinkle or cone",
            });
        };
        left.swap_remove(at);
        lines.push(e.to_vec());
    }
    lines.reverse();
    Ok(lines)
}
