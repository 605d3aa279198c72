//! The contact problem.

use super::{Certificate, Delassus, Kind, Law};
use crate::error::{Error, check};
use complementarity::Matrix;
use std::ops::Range;

/// Find impulses Λ such that with ξ = W Λ + b every contact obeys its [`Law`].
///
/// Contacts stand one after the other, each with the components of its [`Kind`]: N first, then the tangential ones T, O,
/// and R, the spin about the normal.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactProblem {
    delassus: Delassus,
    bias: Vec<f64>,
    laws: Vec<Law>,
    /// The first row of each contact, and the number of rows; empty if all contacts are planar.
    offsets: Vec<usize>,
    associated: bool,
}

impl Default for ContactProblem {
    fn default() -> Self {
        let delassus = Delassus::Dense(Matrix::zeros(0, 0));
        Self {
            delassus,
            bias: Vec::new(),
            laws: Vec::new(),
            offsets: Vec::new(),
            associated: false,
        }
    }
}

impl ContactProblem {
    /// A problem from W = Hᵀ M⁻¹ H (a dense [`Matrix`] or a
    /// [`BlockMatrix`](crate::block::BlockMatrix)), b and one law per contact.
    ///
    /// # Errors
    /// If sizes do not fit, a number is not finite, or a law is out of range. W need not be symmetric
    /// ([`Delassus::asymmetry`]).
    pub fn new(
        delassus: impl Into<Delassus>,
        bias: Vec<f64>,
        laws: Vec<Law>,
    ) -> Result<Self, Error> {
        let delassus = delassus.into();
        let mut problem = Self { delassus, bias, laws, offsets: Vec::new(), associated: false };
        problem.validate()?;
        problem.lay_out();
        Ok(problem)
    }

    /// The same on the storage of this problem, of which `fill` makes the matrix: steps of one model allocate nothing once
    /// there were as many contacts before. After an error the problem is empty.
    ///
    /// # Errors
    /// As [`new`](Self::new), and what `fill` returns.
    pub fn refill(
        &mut self,
        bias: &[f64],
        laws: &[Law],
        fill: impl FnOnce(&mut Delassus) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.bias.clear();
        self.bias.extend_from_slice(bias);
        self.laws.clear();
        self.laws.extend_from_slice(laws);
        if let Err(error) = fill(&mut self.delassus).and_then(|()| self.validate()) {
            *self = Self::default();
            return Err(error);
        }
        self.lay_out();
        Ok(())
    }

    /// Refuses what [`new`](Self::new) refuses; for a problem that was filled in place.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn validate(&self) -> Result<(), Error> {
        for (i, law) in self.laws.iter().enumerate() {
            law.validate(i)?;
        }
        let expected = self.laws.iter().map(Law::components).sum();
        if self.bias.len() != expected {
            let (what, found) = ("bias (one per component of each contact)", self.bias.len());
            return Err(Error::Size { what, expected, found });
        }
        for (i, &b) in self.bias.iter().enumerate() {
            check(|| format!("bias[{i}]"), b, true, "a finite number")?;
        }
        self.delassus.validate(self.laws.iter().map(Law::components))
    }

    fn lay_out(&mut self) {
        self.offsets.clear();
        if self.laws.iter().any(|l| !matches!(l.kind, Kind::Planar)) {
            self.offsets.push(0);
            self.offsets.extend(self.laws.iter().scan(0, |end, law| {
                *end += law.components();
                Some(*end)
            }));
        }
    }

    /// The parts of a planar problem with a dense W, to fill them again without allocation. What is filled in is not checked: NaN
    /// or laws out of range make answers that no certificate passes; [`validate`](Self::validate) tells.
    pub fn planar_parts_mut(&mut self) -> (&mut Matrix, &mut Vec<f64>, &mut Vec<Law>) {
        self.offsets.clear();
        if self.delassus.as_dense().is_none() {
            self.delassus = Delassus::Dense(Matrix::zeros(0, 0));
        }
        let Delassus::Dense(w) = &mut self.delassus else { unreachable!("made dense above") };
        (w, &mut self.bias, &mut self.laws)
    }

    /// W of a problem that was filled through [`planar_parts_mut`](Self::planar_parts_mut).
    ///
    /// # Panics
    /// If W is sparse.
    #[must_use]
    pub fn planar_delassus(&self) -> &Matrix {
        let Delassus::Dense(w) = &self.delassus else { unreachable!("planar parts are dense") };
        w
    }

    /// The same problem without De Saxcé's correction: every contact with friction obeys K ∋ Λ ⊥ ξ ∈ K* (with a radius:
    /// −ξ in the normal cone to K at Λ) instead of the exact law.
    ///
    /// Without sliding contacts this is the convex program min ½ ΛᵀWΛ + bᵀΛ over K. A contact that slides then also lifts,
    /// ξ_N = μ h_F(−ξ_T): for comparison with programs that solve this, not for use.
    ///
    /// ```
    /// use complementarity::Matrix;
    /// use stickslip_contact::solvers::{Cascade, Method};
    /// use stickslip_contact::{ContactProblem, Law};
    ///
    /// let laws = vec![Law::coulomb(0.5)];
    /// let problem = ContactProblem::new(Matrix::identity(2), vec![0.0, 1.0], laws)?.associated();
    /// let mut solver = Cascade::default();
    /// let solution = solver.solve(&problem);
    /// assert!((solution.velocity[0] - 0.5 * solution.velocity[1]).abs() < 1e-9);
    /// # Ok::<(), stickslip_contact::Error>(())
    /// ```
    #[must_use]
    pub fn associated(self) -> Self {
        Self { associated: true, ..self }
    }

    /// Whether De Saxcé's correction is left out; see [`associated`](Self::associated).
    #[must_use]
    pub fn is_associated(&self) -> bool {
        self.associated
    }

    /// The number of contacts k.
    #[must_use]
    pub fn contacts(&self) -> usize {
        self.laws.len()
    }

    /// Whether all contacts are planar: contact i has rows 2 i and 2 i + 1.
    #[inline]
    #[must_use]
    pub fn is_planar(&self) -> bool {
        self.offsets.is_empty()
    }

    /// W.
    #[must_use]
    pub fn delassus(&self) -> &Delassus {
        &self.delassus
    }

    /// b.
    #[must_use]
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// The laws of the contacts.
    #[must_use]
    pub fn laws(&self) -> &[Law] {
        &self.laws
    }

    /// Whether the coefficient of friction of a contact depends on slip: a static one, or a curve over the slip speed.
    #[inline]
    #[must_use]
    pub fn has_varying_friction(&self) -> bool {
        self.laws.iter().any(Law::varies)
    }

    /// Refuses laws whose coefficient of friction depends on slip, for what knows one coefficient only.
    pub(crate) fn refuse_varying_friction(&self, other: &'static str) -> Result<(), Error> {
        if self.laws.iter().any(|l| l.distinct_static().is_some()) {
            let part = "a law with a static coefficient of friction (mu_static)";
            let reason =
                "it knows one coefficient of friction; leave mu_static out, or set it to mu";
            return Err(Error::Combination { part, other, reason });
        }
        if !self.has_varying_friction() {
            return Ok(());
        }
        let part = "a coefficient of friction that depends on the slip speed";
        let reason = "it knows one coefficient of friction; give a number, or take the level of accelerations, where the speed is known";
        Err(Error::Combination { part, other, reason })
    }

    /// Refuses the convexified law, for what knows Coulomb's only.
    pub(crate) fn refuse_associated(&self, other: &'static str) -> Result<(), Error> {
        if !self.associated {
            return Ok(());
        }
        let part = "a problem with the convexified law (associated)";
        let reason = "it knows Coulomb's law only; give it the problem that this one was made from";
        Err(Error::Combination { part, other, reason })
    }

    /// Takes over another problem, on the storage of this one.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.bias.clone_from(&other.bias);
        self.laws.clone_from(&other.laws);
        self.offsets.clone_from(&other.offsets);
        self.associated = other.associated;
        match (&mut self.delassus, &other.delassus) {
            (Delassus::Dense(to), Delassus::Dense(from)) => {
                to.reshape(from.rows(), from.cols());
                to.as_mut_slice().copy_from_slice(from.as_slice());
            }
            (to, from) => *to = from.clone(),
        }
    }

    /// Another b, in place. False if it has a number that is not finite.
    pub(crate) fn set_bias(&mut self, bias: &[f64]) -> bool {
        self.bias.copy_from_slice(bias);
        bias.iter().all(|b| b.is_finite())
    }

    /// Other laws of the same kinds, in place.
    pub(crate) fn laws_mut(&mut self) -> &mut [Law] {
        &mut self.laws
    }

    /// The rows of a contact.
    ///
    /// # Panics
    /// If there is no such contact.
    #[inline]
    #[must_use]
    pub fn rows(&self, contact: usize) -> Range<usize> {
        if self.is_planar() {
            return 2 * contact..2 * contact + 2;
        }
        self.offsets[contact]..self.offsets[contact + 1]
    }

    /// The same problem with other laws, which must have the same components.
    pub(crate) fn with_laws(
        &self,
        law: impl Fn(&Law) -> Result<Law, Error>,
    ) -> Result<Self, Error> {
        let laws = self.laws.iter().map(law).collect::<Result<_, _>>()?;
        let other = Self::new(self.delassus.clone(), self.bias.clone(), laws)?;
        Ok(Self { associated: self.associated, ..other })
    }

    /// The same problem with this share of each diagonal entry of W added to it: compliant contacts.
    pub(crate) fn relaxed(&self, share: f64) -> Self {
        let mut relaxed = self.clone();
        relaxed.delassus.relax(share);
        relaxed
    }

    /// ξ = W Λ + b.
    ///
    /// # Panics
    /// If a slice does not have as many entries as b.
    pub fn velocity_into(&self, impulse: &[f64], out: &mut [f64]) {
        self.delassus.multiply_add(impulse, &self.bias, out);
    }

    /// The same as [`certificate`](Self::certificate) on storage that is kept; ξ = W Λ + b is left in `velocity`.
    ///
    /// # Errors
    /// If `impulse` does not have as many entries as b.
    pub fn certificate_into(
        &self,
        impulse: &[f64],
        velocity: &mut Vec<f64>,
    ) -> Result<Certificate, Error> {
        if impulse.len() != self.bias.len() {
            let (expected, found) = (self.bias.len(), impulse.len());
            return Err(Error::Size { what: "impulse", expected, found });
        }
        velocity.resize(impulse.len(), 0.0);
        Ok(Certificate::judge(self, impulse, velocity))
    }

    /// How far Λ is from the laws, computed from this problem and Λ alone.
    ///
    /// # Errors
    /// If `impulse` does not have as many entries as b.
    pub fn certificate(&self, impulse: &[f64]) -> Result<Certificate, Error> {
        self.certificate_into(impulse, &mut Vec::new())
    }
}
