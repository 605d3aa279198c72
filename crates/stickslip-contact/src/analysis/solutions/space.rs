//! The unknowns of the search: x ≥ 0, from which Λ and ξ follow linearly.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | x | Λ_N of a contact; Λ_t + limit h_F(−e_t) of a friction component, which no cell lets be negative |
//! | B, C | bilateral components, and all others |
//! | lam, lam0 | Λ = lam x + lam0 |
//! | xi, xi0 | ξ = xi x + xi0 |
//!
//! Λ_B = −W_BB⁺ (W_BC Λ_C + b_B) makes ξ_B zero. Directions in which W_BB is singular move nothing, as W is positive
//! semidefinite: they are lines of the solution set, and b_B must not act along them.

use crate::error::Error;
use crate::proof::cells::{Row, known_share};
use crate::tolerance::BILATERAL_RANK;
use crate::tolerance::BILATERAL_ROUNDING;
use crate::{ContactProblem, Kind};
use complementarity::Matrix;
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// A velocity that cancels to less than this share of its terms is zero.
const CANCELLED: f64 = 1e-12;

/// Λ and ξ as functions of x.
#[derive(Clone, Debug)]
pub(super) struct Space {
    pub(super) lam: Matrix,
    pub(super) lam0: Vec<f64>,
    pub(super) xi: Matrix,
    pub(super) xi0: Vec<f64>,
    /// The component of Λ that each x belongs to.
    pub(super) own: Vec<usize>,
    /// Directions of Λ that change nothing else.
    pub(super) lines: Vec<Vec<f64>>,
    /// The bilateral components, and the pseudo-inverse of their block.
    pub(super) bilateral: Vec<usize>,
    inverse: DMatrix<f64>,
    /// A combination of bilateral equations that no Λ can meet.
    pub(super) contradiction: Option<Vec<f64>>,
}

impl Space {
    /// # Errors
    /// If there are bilateral rows and W is not symmetric, or they show that it is not positive semidefinite.
    pub(super) fn new(problem: &ContactProblem, w: &Matrix) -> Result<Self, Error> {
        let n = problem.bias().len();
        let (columns, lam0, bilateral) = free_components(problem);
        let mut lam = Matrix::zeros(n, columns.len());
        for (j, column) in columns.iter().enumerate() {
            column.iter().for_each(|&(i, v)| lam[(i, j)] += v);
        }
        let own = columns.iter().map(|c| c.first().map_or(0, |&(i, _)| i)).collect();
        let inverse = DMatrix::zeros(0, 0);
        let (lines, contradiction) = (Vec::new(), None);
        let (xi, xi0) = (Matrix::zeros(0, 0), Vec::new());
        let mut space = Self { lam, lam0, xi, xi0, own, lines, bilateral, inverse, contradiction };
        if !space.bilateral.is_empty() {
            problem.delassus().needs_symmetry("the elimination of bilateral rows")?;
            space.eliminate(problem, w)?;
        }
        space.fill_velocities(problem, w);
        Ok(space)
    }

    /// The number of unknowns.
    pub(super) fn len(&self) -> usize {
        self.lam.cols()
    }

    pub(super) fn impulse(&self, x: &[f64]) -> Vec<f64> {
        let mut out = self.lam.mul_vec(x);
        out.iter_mut().zip(&self.lam0).for_each(|(o, c)| *o += c);
        out
    }

    /// A row as coefficients of x, added to `out`; returns the constant.
    pub(super) fn coefficients(&self, first: usize, row: &Row, out: &mut [f64]) -> f64 {
        let mut constant = row.constant;
        for c in 0..4 {
            let r = first + c;
            if row.lam[c] != 0.0 {
                axpy(row.lam[c], self.lam.row(r), out);
                constant += row.lam[c] * self.lam0[r];
            }
            if row.xi[c] != 0.0 {
                axpy(row.xi[c], self.xi.row(r), out);
                constant += row.xi[c] * self.xi0[r];
            }
        }
        constant
    }

    /// The multipliers of the bilateral equations that take Λ_B out of a linear function with these coefficients.
    pub(super) fn bilateral_multipliers(&self, coefficients: &[f64]) -> Vec<f64> {
        let r = DVector::from_iterator(
            self.bilateral.len(),
            self.bilateral.iter().map(|&i| -coefficients[i]),
        );
        (&self.inverse * r).iter().copied().collect()
    }

    fn eliminate(&mut self, problem: &ContactProblem, w: &Matrix) -> Result<(), Error> {
        let rows = self.bilateral.clone();
        let k = rows.len();
        let size: Vec<f64> = rows.iter().map(|&i| w.row(i)[i].max(0.0).sqrt()).collect();
        let per = |i: usize| if size[i] > 0.0 { 1.0 / size[i] } else { 1.0 };
        let scaled = DMatrix::from_fn(k, k, |i, j| per(i) * w.row(rows[i])[rows[j]] * per(j));
        let overflow = || Error::Overflow { what: "the bilateral block of the Delassus matrix" };
        if !scaled.iter().all(|v| v.is_finite()) {
            return Err(overflow());
        }
        let eigen = SymmetricEigen::try_new(scaled, f64::EPSILON, 100 * k + 100);
        let eigen = eigen.ok_or_else(overflow)?;
        let largest = eigen.eigenvalues.amax();
        let mut inverse = DMatrix::zeros(k, k);
        for (v, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            if v.abs() > BILATERAL_RANK * largest {
                inverse += vector * vector.transpose() / *v;
                continue;
            }
            let line: Vec<f64> = vector.iter().enumerate().map(|(i, x)| x * per(i)).collect();
            let reach: Vec<f64> = (0..k).map(per).collect();
            self.add_line(problem, w, &line, &reach)?;
        }
        self.inverse = DMatrix::from_fn(k, k, |i, j| per(i) * inverse[(i, j)] * per(j));
        self.bind(problem, w);
        Ok(())
    }

    /// Takes in a null direction of W_BB, whose entries are off by rounding of `reach`.
    fn add_line(
        &mut self,
        problem: &ContactProblem,
        w: &Matrix,
        line: &[f64],
        reach: &[f64],
    ) -> Result<(), Error> {
        let rows = &self.bilateral;
        for i in 0..w.rows() {
            let value: f64 = rows.iter().zip(line).map(|(&j, l)| w.row(i)[j] * l).sum();
            let size: f64 = rows.iter().zip(reach).map(|(&j, l)| (w.row(i)[j] * l).abs()).sum();
            if value.abs() > BILATERAL_ROUNDING.sqrt() * size {
                return Err(Error::Range {
                    place: format!(
                        "row {i} of delassus along a null direction of its bilateral block"
                    ),
                    value,
                    requirement: "0: a Delassus matrix is positive semidefinite",
                });
            }
        }
        let b = problem.bias();
        let value: f64 = rows.iter().zip(line).map(|(&i, l)| b[i] * l).sum();
        let size: f64 = rows.iter().zip(reach).map(|(&i, l)| (b[i] * l).abs()).sum();
        if value.abs() > BILATERAL_ROUNDING * size {
            let side = -value.signum();
            self.contradiction = Some(line.iter().map(|l| side * l).collect());
        }
        let mut direction = vec![0.0; w.rows()];
        rows.iter().zip(line).for_each(|(&i, l)| direction[i] = *l);
        self.lines.push(direction);
        Ok(())
    }

    /// Writes Λ_B as a function of x, with one step of refinement.
    fn bind(&mut self, problem: &ContactProblem, w: &Matrix) {
        let rows = self.bilateral.clone();
        for column in 0..=self.lam.cols() {
            for _ in 0..2 {
                let value = |i: usize| {
                    if column < self.lam.cols() { self.lam[(i, column)] } else { self.lam0[i] }
                };
                let velocity = |i: usize| {
                    let b = if column < self.lam.cols() { 0.0 } else { problem.bias()[i] };
                    (0..w.cols()).fold(b, |sum, j| sum + w.row(i)[j] * value(j))
                };
                let off = DVector::from_iterator(rows.len(), rows.iter().map(|&i| velocity(i)));
                let change = &self.inverse * off;
                for (&i, d) in rows.iter().zip(change.iter()) {
                    if column < self.lam.cols() {
                        self.lam[(i, column)] -= d;
                    } else {
                        self.lam0[i] -= d;
                    }
                }
            }
        }
    }

    fn fill_velocities(&mut self, problem: &ContactProblem, w: &Matrix) {
        let (n, columns) = (self.lam.rows(), self.lam.cols());
        self.xi = Matrix::zeros(n, columns);
        self.xi0 = problem.bias().to_vec();
        for i in 0..n {
            for k in 0..n {
                let factor = w.row(i)[k];
                if factor != 0.0 {
                    axpy(factor, self.lam.row(k), self.xi.row_mut(i));
                    self.xi0[i] += factor * self.lam0[k];
                }
            }
        }
        self.drop_rounding(problem, w);
    }

    /// Sets to zero what bilateral impulses or known friction take away but for rounding: no equation may hang on what is
    /// left there.
    fn drop_rounding(&mut self, problem: &ContactProblem, w: &Matrix) {
        let sum = |i: usize, value: &dyn Fn(usize) -> f64| -> f64 {
            (0..w.cols()).map(|k| (w.row(i)[k] * value(k)).abs()).sum()
        };
        for i in 0..self.lam.rows() {
            for j in 0..self.lam.cols() {
                let size = sum(i, &|k| self.lam[(k, j)]);
                if self.xi[(i, j)].abs() <= CANCELLED * size {
                    self.xi[(i, j)] = 0.0;
                }
            }
            let size = sum(i, &|k| self.lam0[k]) + problem.bias()[i].abs();
            if self.xi0[i].abs() <= CANCELLED * size {
                self.xi0[i] = 0.0;
            }
        }
    }
}

/// Terms (component, factor) of a column.
type Column = Vec<(usize, f64)>;

/// The columns of Λ_C over x, the constants, and the bilateral components.
fn free_components(problem: &ContactProblem) -> (Vec<Column>, Vec<f64>, Vec<usize>) {
    let mut columns: Vec<Column> = Vec::new();
    let mut constants = vec![0.0; problem.bias().len()];
    let mut bilateral = Vec::new();
    for (i, law) in problem.laws().iter().enumerate() {
        let rows = problem.rows(i);
        if let Kind::Bilateral(_) = law.kind {
            bilateral.extend(rows);
            continue;
        }
        let normals = law.kind.normals();
        let mut normal: Column = Vec::new();
        if normals == 1 {
            normal.push((rows.start, 1.0));
        }
        for (t, r) in (rows.start + normals..rows.end).enumerate() {
            // Λ_t = share (μ Λ_N + a), plus x_t where the friction is free.
            let share = known_share(law, t);
            constants[r] = share * law.radius;
            if normals == 1 && share * law.mu != 0.0 {
                normal.push((r, share * law.mu));
            }
        }
        if normals == 1 {
            columns.push(normal);
        }
        if law.has_free_friction() {
            columns.extend((rows.start + normals..rows.end).map(|r| vec![(r, 1.0)]));
        }
    }
    (columns, constants, bilateral)
}

pub(super) fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}
