//! A model at a state with some of its candidates: what contact problems at every level are made of.

use super::{Level, posed_at};
use crate::contact::{ContactProblem, Law};
use crate::dynamics::dot;
use crate::error::Error;
use crate::model::{Accelerations, Model, Span};
use crate::system::State;
use complementarity::Matrix;

/// The equations of motion of a model at a state, with the rows and laws of some candidates.
#[derive(Clone, Debug)]
pub(crate) struct Equations {
    at: Accelerations,
    /// The laws of the candidates.
    pub(crate) laws: Vec<Law>,
    /// γ = Hᵀ u + ŵ.
    pub(crate) gamma: Vec<f64>,
}

impl Equations {
    /// # Errors
    /// As [`pose`](super::pose).
    pub(crate) fn of<M: Model>(
        model: &M,
        state: &State,
        candidates: &[usize],
    ) -> Result<Self, Error> {
        let State { t, q, u } = state;
        model.validate(q, u)?;
        if !t.is_finite() {
            return Err(Error::NotFinite { what: "the state", t: *t });
        }
        if u.is_empty() {
            return Err(Error::Size { what: "the velocities u", expected: 1, found: 0 });
        }
        let (mut place, mut seen) = (M::Place::default(), Vec::new());
        model.detect(&mut place, &Span::still(state), &mut seen)?;
        let available = seen.len();
        if let Some(&found) = candidates.iter().find(|&&c| c >= available) {
            return Err(Error::Size { what: "the list of contacts", expected: available, found });
        }
        let laws: Vec<Law> = candidates.iter().map(|&c| model.law(&place, c).clone()).collect();
        let mut at = Accelerations::default();
        model.accelerations(&mut place, (q, u, *t), candidates, &mut at)?;
        let (expected, found) = (laws.iter().map(Law::components).sum(), at.rows());
        if expected != found {
            let what = "the list of rows of a model (one per component of each candidate)";
            return Err(Error::Size { what, expected, found });
        }
        let mut gamma = Vec::new();
        at.relative_velocity(u, &mut gamma);
        Ok(Self { at, laws, gamma })
    }

    /// The contact problem at a level.
    ///
    /// # Errors
    /// If a law or a number is out of range.
    pub(crate) fn pose(&self, level: Level) -> Result<ContactProblem, Error> {
        level.validate()?;
        let n = self.at.rows();
        let rate: Vec<f64> = (0..n)
            .map(|r| dot(self.at.direction(r), &self.at.free) + self.at.convective[r])
            .collect();
        let (bias, laws) = posed_at(level, &self.laws, &self.gamma, &rate);
        let mut w = Matrix::zeros(n, n);
        self.at.delassus(w.as_mut_slice());
        Ok(ContactProblem::new(w, bias, laws)?)
    }

    /// u̇ dt + M⁻¹ H Λ.
    ///
    /// # Errors
    /// If there is not one impulse per component.
    pub(crate) fn change(&self, impulse: &[f64], dt: f64) -> Result<Vec<f64>, Error> {
        let (expected, found) = (self.at.rows(), impulse.len());
        if expected != found {
            return Err(Error::Size { what: "impulse", expected, found });
        }
        let given = |a: &f64| if dt == 0.0 { 0.0 } else { dt * a };
        let mut out: Vec<f64> = self.at.free.iter().map(given).collect();
        self.at.apply(impulse, &mut out);
        Ok(out)
    }
}
