//! The two planar formulations as linear complementarity problems, on storage that is kept: what every step of a planar
//! system goes through.
//!
//! Both are exact. They differ in the matrix: Lemke's method ends on rays of Glocker and Studer's
//! that prove nothing, while Stewart and Trinkle's is copositive, for one more unknown per contact.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | k | contacts; full contacts are those whose friction is an unknown of its own |
//! | kappa, shift | Λ_T = kappa Λ_N + shift (+ the friction unknowns of a full contact) |
//! | w, b | W and b of the contact problem |
//! | m, q | matrix and vector of the complementarity problem |

use super::{ContactSolver, Formulation, UnknownKind};
use crate::error::Error;
use crate::{ContactProblem, Law};
use complementarity::{Lcp, Matrix};

/// Fills the complementarity problem's matrix and vector, and how its unknowns are laid out. The problem is planar, its W
/// is `w`.
pub(super) fn encode(
    formulation: Formulation,
    problem: &ContactProblem,
    w: &Matrix,
    layout: &mut Layout,
    m: &mut Matrix,
    q: &mut Vec<f64>,
) {
    layout.of(problem.laws(), formulation);
    let unknowns = if formulation == Formulation::GlockerStuder { 2 } else { 3 };
    let n = problem.contacts() + layout.full.len() * unknowns;
    m.reshape(n, n);
    m.as_mut_slice().fill(0.0);
    q.clear();
    q.resize(n, 0.0);
    match formulation {
        Formulation::GlockerStuder => encode_glocker_studer(problem, w, layout, m, q),
        _ => encode_stewart_trinkle(problem, w, layout, m, q),
    }
}

/// The impulses Λ from the unknowns.
pub(super) fn decode(formulation: Formulation, layout: &Layout, z: &[f64], impulse: &mut [f64]) {
    let (k, f) = (layout.kappa.len(), layout.full.len());
    for i in 0..k {
        impulse[2 * i] = z[i];
        impulse[2 * i + 1] = layout.kappa[i] * z[i] + layout.shift[i];
    }
    for (j, &i) in layout.full.iter().enumerate() {
        impulse[2 * i + 1] += match formulation {
            Formulation::GlockerStuder => z[k + j],
            _ => z[k + j] - z[k + f + j],
        };
    }
}

/// Which contacts have friction unknowns, and what is known of the friction of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    full: Vec<usize>,
    kappa: Vec<f64>,
    shift: Vec<f64>,
}

impl Layout {
    pub(super) fn of(&mut self, laws: &[Law], formulation: Formulation) {
        self.full.clear();
        self.kappa.clear();
        self.shift.clear();
        for (i, law) in laws.iter().enumerate() {
            let full = law.has_free_friction();
            if full {
                self.full.push(i);
            }
            let sign = match (law.slip(), formulation) {
                (Some(slip), _) => -slip.sign(),
                // [3] eq. (24): Λ_T = Λ_R − μ Λ_N.
                (None, Formulation::GlockerStuder) if full => -1.0,
                _ => 0.0,
            };
            self.kappa.push(sign * law.mu);
            self.shift.push(sign * law.radius);
        }
    }

    /// What the unknowns stand for: N of all contacts, then block by block those of contacts with free friction.
    pub(super) fn unknowns(&self, formulation: Formulation) -> Vec<(usize, UnknownKind)> {
        let blocks: &[UnknownKind] = match formulation {
            Formulation::GlockerStuder => &[UnknownKind::Right, UnknownKind::Left],
            _ => &[UnknownKind::Beta(0), UnknownKind::Beta(1), UnknownKind::Slack],
        };
        let normals = (0..self.kappa.len()).map(|i| (i, UnknownKind::Normal));
        let friction = blocks.iter().flat_map(|&of| self.full.iter().map(move |&i| (i, of)));
        normals.chain(friction).collect()
    }
}

/// One row of ξ = W Λ + b with Λ_T = kappa Λ_N + shift; returns the constant part.
fn normal_part(w: &[f64], b: f64, layout: &Layout, out: &mut [f64], sign: f64) -> f64 {
    let mut constant = b;
    for (j, o) in out.iter_mut().enumerate().take(layout.kappa.len()) {
        *o = sign * (w[2 * j] + layout.kappa[j] * w[2 * j + 1]);
        constant += w[2 * j + 1] * layout.shift[j];
    }
    sign * constant
}

// [3] eq. (33), with the constant part of the friction moved into the vector.
fn encode_glocker_studer(
    p: &ContactProblem,
    w: &Matrix,
    layout: &Layout,
    m: &mut Matrix,
    q: &mut [f64],
) {
    let (k, f) = (p.contacts(), layout.full.len());
    let b = p.bias();
    let rows = (0..k).map(|i| (i, 2 * i));
    let rows = rows.chain(layout.full.iter().enumerate().map(|(j, &i)| (k + j, 2 * i + 1)));
    for (row, r) in rows {
        let out = m.row_mut(row);
        q[row] = normal_part(w.row(r), b[r], layout, out, 1.0);
        for (j, &i) in layout.full.iter().enumerate() {
            out[k + j] = w.row(r)[2 * i + 1];
        }
        if row >= k {
            out[row + f] = 1.0;
        }
    }
    for (j, &i) in layout.full.iter().enumerate() {
        let law = &p.laws()[i];
        let row = k + f + j;
        m.row_mut(row)[i] = 2.0 * law.mu;
        m.row_mut(row)[k + j] = -1.0;
        q[row] = 2.0 * law.radius;
    }
}

// [4], and DESIGN's slip-slack matrix.
fn encode_stewart_trinkle(
    p: &ContactProblem,
    w: &Matrix,
    layout: &Layout,
    m: &mut Matrix,
    q: &mut [f64],
) {
    let (k, f) = (p.contacts(), layout.full.len());
    let b = p.bias();
    let mut fill = |row: usize, r: usize, sign: f64| {
        let out = m.row_mut(row);
        q[row] = normal_part(w.row(r), b[r], layout, out, sign);
        for (j, &i) in layout.full.iter().enumerate() {
            out[k + j] = sign * w.row(r)[2 * i + 1];
            out[k + f + j] = -sign * w.row(r)[2 * i + 1];
        }
        if row >= k {
            out[k + 2 * f + (row - k) % f] = 1.0;
        }
    };
    for i in 0..k {
        fill(i, 2 * i, 1.0);
    }
    for (j, &i) in layout.full.iter().enumerate() {
        fill(k + j, 2 * i + 1, 1.0);
        fill(k + f + j, 2 * i + 1, -1.0);
    }
    for (j, &i) in layout.full.iter().enumerate() {
        let law = &p.laws()[i];
        let row = k + 2 * f + j;
        let out = m.row_mut(row);
        out[i] = law.mu;
        (out[k + j], out[k + f + j]) = (-1.0, -1.0);
        q[row] = law.radius;
    }
}

impl ContactSolver {
    /// The complementarity problem of a planar formulation, to look at or to save.
    ///
    /// # Errors
    /// If the formulation is not one of [`Formulation::PLANAR`] or the problem is not planar; see [`Encoding`](super::Encoding) for those.
    pub fn encode(problem: &ContactProblem, formulation: Formulation) -> Result<Lcp, Error> {
        let w = planar_matrix(problem, formulation)?;
        let (mut m, mut q) = (Matrix::zeros(0, 0), Vec::new());
        encode(formulation, problem, w, &mut Layout::default(), &mut m, &mut q);
        Ok(Lcp::new(m, q)?)
    }

    /// What each unknown of a planar formulation stands for, and of which contact.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn unknowns(
        problem: &ContactProblem,
        formulation: Formulation,
    ) -> Result<Vec<(usize, UnknownKind)>, Error> {
        planar_matrix(problem, formulation)?;
        let mut layout = Layout::default();
        layout.of(problem.laws(), formulation);
        Ok(layout.unknowns(formulation))
    }

    /// The impulses that unknowns of a planar formulation stand for.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    ///
    /// # Panics
    /// If `z` has fewer entries than the formulation has unknowns.
    pub fn decode(
        problem: &ContactProblem,
        formulation: Formulation,
        z: &[f64],
    ) -> Result<Vec<f64>, Error> {
        planar_matrix(problem, formulation)?;
        let mut layout = Layout::default();
        layout.of(problem.laws(), formulation);
        let mut impulse = vec![0.0; problem.bias().len()];
        decode(formulation, &layout, z, &mut impulse);
        Ok(impulse)
    }
}

/// W of a planar problem, for a planar formulation.
fn planar_matrix(problem: &ContactProblem, formulation: Formulation) -> Result<&Matrix, Error> {
    let (part, other) = (formulation.name(), "the planar complementarity problem");
    let refuse = |reason| Err(Error::Combination { part, other, reason });
    if !Formulation::PLANAR.contains(&formulation) {
        return refuse("it is made by `Encoding`");
    }
    match problem.delassus().as_dense() {
        Some(w) if problem.is_planar() => Ok(w),
        _ => refuse("contacts in space and sparse W are encoded by `Encoding`"),
    }
}
