//! Proofs that a problem has no solution, which are checked in exact arithmetic.
//!
//! Notation: Farkas' lemma. If z ≥ 0 and w = M z + q ≥ 0 then yᵀw = (Mᵀy)ᵀz + qᵀy for every y;
//! a y ≥ 0 with Mᵀy ≤ 0 and qᵀy < 0 makes the left side non-negative and the right side negative.

use crate::exact::{Dyadic, ExactSystem, Flaw, Row};
use crate::tolerance::EXACT_WORK;
use crate::{Lcp, Mlcp};
use thiserror::Error;

/// Why a problem has no solution.
///
/// The vectors are exact: [`Proof::infeasible`] makes them from floating-point numbers, and the solvers
/// give longer ones where no vector of floating-point numbers meets its conditions to the last bit.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Proof {
    /// No z satisfies even the inequalities: `y` is a Farkas vector.
    ///
    /// For an [`Lcp`], y ≥ 0, Mᵀy ≤ 0, qᵀy < 0. For an [`Mlcp`], y_i ≥ 0 where only a lower bound
    /// exists, y_i ≤ 0 where only an upper one, y_i = 0 where both, and
    /// max over the box of (Mᵀy)ᵀz + qᵀy is negative.
    Infeasible {
        /// The Farkas vector.
        y: Vec<Dyadic>,
    },
    /// The inequalities can be met but not complementarity: every way to choose z_i = 0 or w_i = 0
    /// ends in a contradiction.
    Exhausted {
        /// The case distinction.
        cases: LcpCases,
    },
}

/// A case distinction: each end is a Farkas vector for the system with its zeros.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum LcpCases {
    /// Either z_index = 0 or w_index = 0.
    Split {
        /// The complementary pair that is decided here.
        index: usize,
        /// The case z_index = 0.
        zero_z: Box<LcpCases>,
        /// The case w_index = 0.
        zero_w: Box<LcpCases>,
    },
    /// The system with the zeros chosen so far cannot be met. `y` is a Farkas vector: y_i ≥ 0 unless
    /// w_i = 0 was chosen, (Mᵀy)_j ≤ 0 unless z_j = 0 was chosen, qᵀy < 0.
    Contradiction {
        /// The Farkas vector.
        y: Vec<Dyadic>,
    },
}

/// Why a proof does not hold.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ProofError {
    /// A vector holds NaN or ∞.
    #[error("y[{index}] is not a finite number")]
    NotFinite {
        /// Index of the component.
        index: usize,
    },
    /// A vector does not show what it should.
    #[error(transparent)]
    Vector(#[from] Flaw),
    /// A case distinction names a pair twice or one that does not exist.
    #[error("the case distinction splits pair {index}, which does not exist or is decided already")]
    BadSplit {
        /// The pair.
        index: usize,
    },
    /// This kind of proof is not for this kind of problem.
    #[error("a case distinction is for problems without bounds other than 0 and infinity")]
    WrongProblem,
}

impl Proof {
    /// A proof by a Farkas vector of floating-point numbers.
    ///
    /// # Errors
    /// [`ProofError::NotFinite`] if one is NaN or ∞. Whether it proves anything is for
    /// [`check`](Self::check) to say.
    pub fn infeasible(y: &[f64]) -> Result<Self, ProofError> {
        Ok(Self::Infeasible { y: exact(y)? })
    }

    /// Checks the proof for a plain problem, in exact arithmetic.
    ///
    /// # Errors
    /// Says where it fails.
    pub fn check(&self, problem: &Lcp) -> Result<(), ProofError> {
        let mut system = ExactSystem::of_finite(problem.m(), problem.q());
        match self {
            Self::Infeasible { y } => Ok(system.check(y)?),
            Self::Exhausted { cases } => {
                check_cases(&mut system, cases, &mut vec![false; problem.len()])
            }
        }
    }

    /// Checks the proof for a mixed problem, in exact arithmetic.
    ///
    /// # Errors
    /// Says where it fails.
    pub fn check_mixed(&self, problem: &Mlcp) -> Result<(), ProofError> {
        match self {
            Self::Infeasible { y } => Ok(mixed_system(problem).check(y)?),
            Self::Exhausted { .. } => match problem.to_lcp() {
                Some(lcp) => self.check(&lcp),
                None => Err(ProofError::WrongProblem),
            },
        }
    }
}

impl LcpCases {
    /// The end of a case by a Farkas vector of floating-point numbers.
    ///
    /// # Errors
    /// [`ProofError::NotFinite`] if one is NaN or ∞.
    pub fn contradiction(y: &[f64]) -> Result<Self, ProofError> {
        Ok(Self::Contradiction { y: exact(y)? })
    }
}

fn exact(y: &[f64]) -> Result<Vec<Dyadic>, ProofError> {
    let number = |(index, &v)| Dyadic::from_f64(v).ok_or(ProofError::NotFinite { index });
    y.iter().enumerate().map(number).collect()
}

/// A proof by a Farkas vector near to `y`, if there is one.
pub(crate) fn prove(problem: &Lcp, y: &[f64]) -> Option<Proof> {
    let y = ExactSystem::of_finite(problem.m(), problem.q()).farkas_near(y, EXACT_WORK)?;
    Some(Proof::Infeasible { y })
}

/// As [`prove`], for a mixed problem.
pub(crate) fn prove_mixed(problem: &Mlcp, y: &[f64]) -> Option<Proof> {
    let y = mixed_system(problem).farkas_near(y, EXACT_WORK)?;
    Some(Proof::Infeasible { y })
}

/// The inequalities of a mixed problem: w_i ≥ 0 where z_i has no upper bound, ≤ 0 where it has no lower
/// one, and nothing where it has both.
fn mixed_system(problem: &Mlcp) -> ExactSystem<'_> {
    let mut system = ExactSystem::of_finite(problem.m(), problem.q());
    for (i, (&l, &u)) in problem.lower().iter().zip(problem.upper()).enumerate() {
        system.set_bounds(i, l, u);
        system.set_row(
            i,
            match (l.is_finite(), u.is_finite()) {
                (true, true) => Row::Free,
                (true, false) => Row::NonNegative,
                (false, true) => Row::NonPositive,
                (false, false) => Row::Zero,
            },
        );
    }
    system
}

fn check_cases(
    system: &mut ExactSystem<'_>,
    cases: &LcpCases,
    decided: &mut [bool],
) -> Result<(), ProofError> {
    match cases {
        LcpCases::Contradiction { y } => Ok(system.check(y)?),
        LcpCases::Split { index, zero_z, zero_w } => {
            let index = *index;
            if decided.get(index) != Some(&false) {
                return Err(ProofError::BadSplit { index });
            }
            decided[index] = true;
            system.fix_variable(index);
            check_cases(system, zero_z, decided)?;
            system.set_bounds(index, 0.0, f64::INFINITY);
            system.fix_row(index);
            check_cases(system, zero_w, decided)?;
            system.set_row(index, Row::NonNegative);
            decided[index] = false;
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;

    #[test]
    fn a_conclusion_does_not_rest_on_an_entry_that_the_check_cannot_see() {
        // Rows 1 to 3 cancel; row 4 has the solution z4 = 1, and its y of 1e-16 drowns in column 1.
        let m = Matrix::from_rows(&[
            [1.0, 1.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0, 0.0],
            [0.0, -1.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 1.0],
        ]);
        let p = Lcp::new(m.unwrap(), vec![0.0, 0.0, 0.0, -1.0]).unwrap();
        assert!(p.residual(&[0.0, 0.0, 0.0, 1.0]).scaled == 0.0);
        let y = [1.0, 1.0, 1.0, 1e-16];
        assert!(Proof::infeasible(&y).unwrap().check(&p).is_err());
    }

    /// w1 = -z2 - 1 ≥ 0 cannot be.
    fn infeasible() -> Lcp {
        let m = Matrix::from_rows(&[[0.0, -1.0], [1.0, 0.0]]).unwrap();
        Lcp::new(m, vec![-1.0, 1.0]).unwrap()
    }

    #[test]
    fn a_farkas_vector_is_accepted_and_a_wrong_one_refused() {
        let check = |y: &[f64]| Proof::infeasible(y)?.check(&infeasible());
        let flaw = |y: &[f64]| match check(y) {
            Err(ProofError::Vector(flaw)) => flaw,
            other => panic!("{other:?}"),
        };
        assert_eq!(check(&[1.0, 0.0]), Ok(()));
        assert_eq!(flaw(&[0.0, 1.0]), Flaw::Product { index: 0, value: 1.0 });
        assert_eq!(flaw(&[1.0, -1.0]), Flaw::Sign { index: 1, value: -1.0 });
        assert_eq!(flaw(&[0.0, 0.0]), Flaw::Value { value: 0.0 });
        assert_eq!(flaw(&[1.0]), Flaw::Size { expected: 2 });
        assert_eq!(check(&[f64::NAN, 0.0]), Err(ProofError::NotFinite { index: 0 }));
    }

    #[test]
    fn a_case_distinction_must_cover_every_case() {
        // w1 = z2 − 1 and w2 = z1 + 1: feasible, but w2 > 0 forces z2 = 0 and then w1 = −1.
        let m = Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0]]).unwrap();
        let p = Lcp::new(m, vec![-1.0, 1.0]).unwrap();
        let contradiction = |y: [f64; 2]| Box::new(LcpCases::contradiction(&y).unwrap());
        let cases = LcpCases::Split {
            index: 1,
            zero_z: contradiction([1.0, 0.0]),
            zero_w: contradiction([0.0, -1.0]),
        };
        assert_eq!(Proof::Exhausted { cases: cases.clone() }.check(&p), Ok(()));
        let unsplit = Proof::Exhausted { cases: *contradiction([1.0, 0.0]) };
        let flaw = Flaw::Product { index: 1, value: 1.0 };
        assert_eq!(unsplit.check(&p), Err(ProofError::Vector(flaw)));
        let twice = LcpCases::Split {
            index: 1,
            zero_z: Box::new(cases.clone()),
            zero_w: contradiction([0.0, -1.0]),
        };
        assert_eq!(
            Proof::Exhausted { cases: twice }.check(&p),
            Err(ProofError::BadSplit { index: 1 })
        );
    }

    #[test]
    fn sums_beyond_the_range_of_floating_point_are_exact_in_either_form() {
        let m = Matrix::from_rows(&[[-1e308, 0.0], [-1e308, 0.0]]).unwrap();
        let p = Lcp::new(m, vec![-1.0, -1.0]).unwrap();
        let proof = Proof::infeasible(&[1.0, 1.0]).unwrap();
        assert_eq!(proof.check(&p), Ok(()));
        assert_eq!(proof.check_mixed(&p.to_mlcp()), Ok(()));
    }

    #[test]
    fn a_box_proof_knows_the_bounds() {
        // A free row that reads 0·z + 1 = 0, and one that would need z = 3 within [0, 2].
        let inf = f64::INFINITY;
        let m = Matrix::from_rows(&[[0.0, 1.0], [0.0, 0.0]]).unwrap();
        let p = Mlcp::new(m, vec![-3.0, 0.0], vec![-inf, 0.0], vec![inf, 2.0]).unwrap();
        let check = |y: &[f64]| Proof::infeasible(y)?.check_mixed(&p);
        assert_eq!(check(&[1.0, 0.0]), Ok(()));
        let refused = |y: &[f64], flaw| assert_eq!(check(y), Err(ProofError::Vector(flaw)));
        refused(&[-1.0, 0.0], Flaw::Value { value: 3.0 });
        refused(&[1.0, 1.0], Flaw::Sign { index: 1, value: 1.0 });
    }
}
