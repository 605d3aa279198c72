//! How the contact problem of a [`Snapshot`], and the motion that its solution gives, change with a parameter.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | y | M⁻¹ H, column by column |
//! | ′ | the derivative with respect to the parameter |
//!
//! W′ = H′ᵀ M⁻¹ H + Hᵀ M⁻¹ H′ − Hᵀ M⁻¹ M′ M⁻¹ H, and the like for what forces give.

use super::{Level, Snapshot, bias_at, law_at, restitution};
use crate::contact::Law;
use crate::contact::analysis::sensitivity::{Change, Variation, turned};
use crate::dynamics::{dot, solve_lower};
use crate::error::Error;
use complementarity::Matrix;

impl Snapshot {
    /// The variation of the problem that [`pose`](Self::pose) gives with the same arguments. Cost: n² c + n c².
    ///
    /// # Errors
    /// As `pose`; if sizes do not fit, or the friction of a contact that slides has no derivative.
    pub fn vary(&self, change: &Change, laws: &[Law], level: Level) -> Result<Variation, Error> {
        self.check_change(change)?;
        if laws.iter().any(|law| law.curve().is_some()) {
            return Err(Error::Combination {
                part: "derivatives of a contact problem",
                other: "a coefficient of friction that depends on the slip speed",
                reason: "they know one coefficient of friction; give a number",
            });
        }
        let mut out = Variation::none(&self.pose(laws, level)?);
        let (n, c) = (self.h.rows(), self.h.cols());
        let mut given = self.forces.clone();
        solve_lower(&self.factor, &mut given);
        // M′ y and H′, column by column.
        let heavier: Vec<Vec<f64>> =
            (0..c).map(|r| times(&change.mass, n, self.y.row(r))).collect();
        let column = |r: usize| -> Vec<f64> {
            let h = change.directions.as_ref();
            (0..n).map(|i| h.map_or(0.0, |h| h.row(i)[r])).collect()
        };
        let turned_h: Vec<Vec<f64>> = (0..c).map(column).collect();
        for i in 0..c {
            for j in 0..c {
                let turn = dot(&turned_h[i], self.y.row(j)) + dot(self.y.row(i), &turned_h[j]);
                out.delassus.row_mut(i)[j] = turn - dot(self.y.row(i), &heavier[j]);
            }
        }
        let gamma = self.rel_velocity();
        let part = |v: &Option<Vec<f64>>, row: &[f64]| v.as_ref().map_or(0.0, |v| dot(row, v));
        let mut rate = vec![0.0; c];
        let mut row = 0;
        for (k, law) in laws.iter().enumerate() {
            let first = row;
            for r in 0..law.components() {
                let h: Vec<f64> = (0..n).map(|i| self.h.row(i)[row]).collect();
                rate[row] = dot(&turned_h[row], &self.velocity) + part(&change.velocity, &h);
                let pull = dot(&turned_h[row], &given) + part(&change.forces, self.y.row(row))
                    - dot(&heavier[row], &given);
                let eps = restitution(law, r);
                let convective = change.convective.as_ref().map_or(0.0, |v| v[row]);
                out.bias[row] = bias_at(level, eps, rate[row], pull + convective);
                row += 1;
            }
            let posed = law_at(level, law, &gamma[first..row]);
            out.friction[k] = turned(&posed, &rate[first + law.kind.normals()..row])
                .map_err(|why| crate::contact::Error::NoDerivative { contact: k, why })?;
        }
        Ok(out)
    }

    /// The derivative of [`change`](Self::change): M⁻¹ (f′ dt + H′ Λ + H Λ′ − M′ Δu), from the impulses and their
    /// derivative.
    ///
    /// # Errors
    /// If sizes do not fit.
    pub fn change_rate(
        &self,
        change: &Change,
        impulse: &[f64],
        impulse_rate: &[f64],
        dt: f64,
    ) -> Result<Vec<f64>, Error> {
        self.check_change(change)?;
        let (expected, found) = (self.h.cols(), impulse_rate.len());
        if expected != found {
            return Err(Error::Size { what: "the derivative of the impulse", expected, found });
        }
        let moved = self.change(impulse, dt)?;
        let heavier = times(&change.mass, self.h.rows(), &moved);
        let turn = times(&change.directions, self.h.rows(), impulse);
        let pull = |i: usize| change.forces.as_ref().map_or(0.0, |f| f[i]);
        let mut out: Vec<f64> = (0..self.h.rows())
            .map(|i| dt * pull(i) + turn[i] + dot(self.h.row(i), impulse_rate) - heavier[i])
            .collect();
        solve_lower(&self.factor, &mut out);
        Ok(out)
    }

    fn check_change(&self, change: &Change) -> Result<(), Error> {
        let (n, c) = (self.h.rows(), self.h.cols());
        let length = |v: &Option<Vec<f64>>, n| v.as_ref().map_or(n, Vec::len);
        let rows = |m: &Option<Matrix>, n| m.as_ref().map_or(n, Matrix::rows);
        let cols = |m: &Option<Matrix>, n| m.as_ref().map_or(n, Matrix::cols);
        for (what, found, expected) in [
            ("the change of M (rows)", rows(&change.mass, n), n),
            ("the change of M (columns)", cols(&change.mass, n), n),
            ("the change of H (rows)", rows(&change.directions, n), n),
            ("the change of H (columns)", cols(&change.directions, c), c),
            ("the change of the forces", length(&change.forces, n), n),
            ("the change of the velocities", length(&change.velocity, n), n),
            ("the change of the convective accelerations", length(&change.convective, c), c),
        ] {
            if found != expected {
                return Err(Error::Size { what, expected, found });
            }
        }
        Ok(())
    }
}

/// The product with a matrix that may be left out, which is zero.
fn times(m: &Option<Matrix>, rows: usize, x: &[f64]) -> Vec<f64> {
    m.as_ref().map_or_else(|| vec![0.0; rows], |m| m.mul_vec(x))
}
