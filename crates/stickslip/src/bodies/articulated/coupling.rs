//! Coordinates of joints that follow others: mimic joints, gears between joints, cams.
//!
//! A coupling is q₁ = a + p(q₂ − b) with a polynomial p. In the contact problem it is a connection as a loop is: one row,
//! with ε = 1, and put back by projection after each step. Loops and couplings are numbered together, loops first.

use super::TreeJoint;
use super::closure::Closing;
use super::place::Work;
use super::placement::Placement;
use super::tree::{LinkId, Tree};
use crate::error::{Error, check};

/// How a coordinate follows another: q₁ = `offset` + Σ `coefficients[k]` (q₂ − `about`)ᵏ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coupling {
    /// a.
    pub offset: f64,
    /// b.
    pub about: f64,
    /// Those of the polynomial, the constant first.
    pub coefficients: [f64; 5],
}

impl Coupling {
    /// q₁ = ratio q₂ + offset.
    #[must_use]
    pub fn affine(ratio: f64, offset: f64) -> Self {
        Self { offset, about: 0.0, coefficients: [0.0, ratio, 0.0, 0.0, 0.0] }
    }

    /// p and its first two derivatives.
    fn values(&self, q: f64) -> [f64; 3] {
        let x = q - self.about;
        self.coefficients
            .iter()
            .rev()
            .fold([0.0; 3], |[p, d, s], c| [p * x + c, d * x + p, s * x + 2.0 * d])
    }
}

/// A coupling with the places of its coordinates and velocities.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coupled {
    first: (usize, usize),
    /// None if it follows nothing: the coordinate is held.
    second: Option<(usize, usize)>,
    coupling: Coupling,
    /// Whether the first coordinate is a length.
    is_length: bool,
}

impl Coupled {
    /// p, p′, p″ at coordinates.
    fn values(&self, q: &[f64]) -> [f64; 3] {
        self.coupling.values(self.second.map_or(self.coupling.about, |(i, _)| q[i]))
    }

    /// q₁ − a − p(q₂ − b), and whether it is a length.
    pub(super) fn gap(&self, q: &[f64]) -> (f64, bool) {
        (q[self.first.0] - self.coupling.offset - self.values(q)[0], self.is_length)
    }

    fn row(&self, q: &[f64], row: &mut [f64]) {
        row[self.first.1] = 1.0;
        if let Some((_, u)) = self.second {
            row[u] -= self.values(q)[1];
        }
    }

    /// Ḣᵀ u.
    fn rate(&self, q: &[f64], u: &[f64]) -> f64 {
        let speed = self.second.map_or(0.0, |(_, i)| u[i]);
        -self.values(q)[2] * speed * speed
    }
}

impl Tree {
    /// Lets the coordinate of a joint follow that of another, or holds it where its constant says.
    ///
    /// # Errors
    /// If a link is not of this tree, both are the same, a joint is neither revolute nor prismatic, or a number is not finite.
    pub fn couple(
        &mut self,
        first: LinkId,
        second: Option<LinkId>,
        coupling: Coupling,
    ) -> Result<(), Error> {
        let number = self.closures.len() + self.couplings.len();
        let one = |link: LinkId| {
            let l = self.jointed(link, || format!("a link of coupling {number}"))?;
            let scalar = matches!(l.joint, TreeJoint::Revolute | TreeJoint::Prismatic);
            let place = || format!("the number of coordinates of a joint of coupling {number}");
            check(place, l.q.len() as f64, scalar, "1: revolute and prismatic joints are coupled")?;
            Ok::<_, Error>(((l.q.start, l.u.start), l.joint == TreeJoint::Prismatic))
        };
        let (at, is_length) = one(first)?;
        let other = second.map(one).transpose()?.map(|(at, _)| at);
        let place = || format!("the second link of coupling {number}");
        check(place, first.0 as f64, second != Some(first), "another one than the first")?;
        let numbers = coupling.coefficients.into_iter().chain([coupling.offset, coupling.about]);
        for x in numbers {
            check(|| format!("a number of coupling {number}"), x, true, "a finite number")?;
        }
        self.couplings.push(Coupled { first: at, second: other, coupling, is_length });
        Ok(())
    }

    /// The number of loops and couplings.
    pub(super) fn connections(&self) -> usize {
        self.closures.len() + self.couplings.len()
    }

    /// A loop or a coupling by its number.
    pub(super) fn connection(&self, i: usize) -> Result<&Closing, &Coupled> {
        match i.checked_sub(self.closures.len()) {
            None => Ok(&self.closures[i]),
            Some(k) => Err(&self.couplings[k]),
        }
    }

    /// The number of its equations.
    pub(super) fn connection_size(&self, i: usize) -> usize {
        self.connection(i).map_or(1, |closing| closing.equations().len())
    }

    /// Appends its rows of Hᵀ where the links are.
    pub(super) fn connection_rows(&self, i: usize, at: &Placement, out: &mut Vec<f64>) {
        match self.connection(i) {
            Ok(closing) => closing.rows(&self.links, at, out),
            Err(coupled) => {
                let start = out.len();
                out.resize(start + at.s.len(), 0.0);
                coupled.row(at.coordinates(), &mut out[start..]);
            }
        }
    }

    /// Appends Ḣᵀ u of it.
    pub(super) fn connection_rates(
        &self,
        i: usize,
        work: &Work,
        (u, t): (&[f64], f64),
        out: &mut Vec<f64>,
    ) {
        match self.connection(i) {
            Ok(closing) => closing.rates(self, work, t, out),
            Err(coupled) => out.push(coupled.rate(work.at.coordinates(), u)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_has_its_derivatives() {
        let coupling =
            Coupling { offset: 0.0, about: 0.5, coefficients: [1.0, -2.0, 3.0, 0.25, -0.5] };
        // At x = 2: 1 − 4 + 12 + 2 − 8, −2 + 12 + 3 − 16, 6 + 3 − 24.
        assert_eq!(coupling.values(2.5), [3.0, -3.0, -15.0]);
    }
}
