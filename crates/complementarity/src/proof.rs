//! Proofs that a problem has no solution, which a caller can check with a few products.
//!
//! Notation: Farkas' lemma. If z ≥ 0 and w = M z + q ≥ 0 then yᵀw = (Mᵀy)ᵀz + qᵀy for every y;
//! a y ≥ 0 with Mᵀy ≤ 0 and qᵀy < 0 makes the left side non-negative and the right side negative.

use crate::linalg::Balance;
use crate::{Lcp, Matrix, Mlcp};
use thiserror::Error;

/// Why a problem has no solution.
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
        y: Vec<f64>,
    },
    /// The inequalities can be met but not complementarity: every way to choose z_i = 0 or w_i = 0
    /// ends in a contradiction.
    Exhausted {
        /// The case distinction.
        cases: Cases,
    },
}

/// A case distinction: each end is a Farkas vector for the system with its zeros.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Cases {
    /// Either z_index = 0 or w_index = 0.
    Split {
        /// The complementary pair that is decided here.
        index: usize,
        /// The case z_index = 0.
        zero_z: Box<Cases>,
        /// The case w_index = 0.
        zero_w: Box<Cases>,
    },
    /// The system with the zeros chosen so far cannot be met. `y` is a Farkas vector: y_i ≥ 0 unless
    /// w_i = 0 was chosen, (Mᵀy)_j ≤ 0 unless z_j = 0 was chosen, qᵀy < 0.
    Contradiction {
        /// The Farkas vector.
        y: Vec<f64>,
    },
}

/// Why a proof does not hold.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ProofError {
    /// A vector has the wrong size or holds NaN or ∞.
    #[error("a vector of the proof is not {expected} finite numbers")]
    Malformed {
        /// The size of the problem.
        expected: usize,
    },
    /// A component of y has the wrong sign.
    #[error("y[{index}] is {value}, which has the wrong sign")]
    Sign {
        /// Index of the component.
        index: usize,
        /// The component.
        value: f64,
    },
    /// A component of Mᵀy has the wrong sign by more than rounding.
    #[error("(Mᵀy)[{index}] is {relative:.1e} of its terms' size, which has the wrong sign")]
    Product {
        /// Index of the component.
        index: usize,
        /// The component over the sum of the absolute values of its terms.
        relative: f64,
    },
    /// The value that must be negative is not clearly so.
    #[error("the value that must be negative is {relative:.1e} of its terms' size")]
    Value {
        /// The value over the sum of the absolute values of its terms.
        relative: f64,
    },
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

/// A sum of the wrong sign that is smaller than this times the sum of its terms' absolute values is
/// rounding: the proof then holds for a problem whose entries differ by that relative amount.
pub const PROOF_ROUNDING: f64 = 1e-12;

/// A proof excludes every z up to this times the size that q calls for: beyond it the rounding of its
/// sums could let one escape.
pub const PROOF_REACH: f64 = 1e9;

/// The decisive negative value must be at least this times the sum of its terms' absolute values.
pub const PROOF_MARGIN: f64 = 1e-9;

impl Proof {
    /// Checks the proof for a plain problem, by products alone.
    pub fn check(&self, problem: &Lcp) -> Result<(), ProofError> {
        match self {
            Self::Infeasible { y } => check_farkas(problem, y),
            Self::Exhausted { cases } => {
                check_cases(problem, cases, &mut vec![Zero::Neither; problem.len()])
            }
        }
    }

    /// Checks the proof for a mixed problem, by products alone.
    pub fn check_mixed(&self, problem: &Mlcp) -> Result<(), ProofError> {
        match self {
            Self::Infeasible { y } => check_box(problem, y),
            Self::Exhausted { cases } => match problem.to_lcp() {
                Some(lcp) => check_cases(&lcp, cases, &mut vec![Zero::Neither; lcp.len()]),
                None => Err(ProofError::WrongProblem),
            },
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Zero {
    Neither,
    Z,
    W,
}

/// Whether `y` proves a plain problem infeasible.
pub(crate) fn check_farkas(problem: &Lcp, y: &[f64]) -> Result<(), ProofError> {
    check_case(problem, y, |_| Zero::Neither)
}

fn check_cases(problem: &Lcp, cases: &Cases, fixed: &mut Vec<Zero>) -> Result<(), ProofError> {
    match cases {
        Cases::Contradiction { y } => check_case(problem, y, |i| fixed[i]),
        Cases::Split { index, zero_z, zero_w } => {
            if fixed.get(*index) != Some(&Zero::Neither) {
                return Err(ProofError::BadSplit { index: *index });
            }
            fixed[*index] = Zero::Z;
            check_cases(problem, zero_z, fixed)?;
            fixed[*index] = Zero::W;
            check_cases(problem, zero_w, fixed)?;
            fixed[*index] = Zero::Neither;
            Ok(())
        }
    }
}

fn check_case(problem: &Lcp, y: &[f64], fixed: impl Fn(usize) -> Zero) -> Result<(), ProofError> {
    check_shape(y, problem.len())?;
    for (index, &value) in y.iter().enumerate() {
        if value < 0.0 && fixed(index) != Zero::W {
            return Err(ProofError::Sign { index, value });
        }
    }
    let checked = |j: usize| fixed(j) != Zero::Z;
    for j in (0..problem.len()).filter(|&j| checked(j)) {
        let (value, size) = column_product(problem.m(), j, y);
        check_excess(j, value, size)?;
    }
    let slack = slack(
        problem.m(),
        problem.q(),
        y,
        |j, value| {
            if checked(j) { value.max(0.0) } else { 0.0 }
        },
    )?;
    let weight = weights(problem.m(), y, checked);
    conclude(constant_terms(problem.q(), y, &weight), slack)
}

fn check_box(problem: &Mlcp, y: &[f64]) -> Result<(), ProofError> {
    check_shape(y, problem.len())?;
    let mut support = Vec::with_capacity(2 * problem.len());
    for j in 0..problem.len() {
        let (l, u) = (problem.lower()[j], problem.upper()[j]);
        let wrong = match (l.is_finite(), u.is_finite()) {
            (true, true) => y[j] != 0.0,
            (true, false) => y[j] < 0.0,
            (false, true) => y[j] > 0.0,
            (false, false) => false,
        };
        if wrong {
            return Err(ProofError::Sign { index: j, value: y[j] });
        }
        // max over l ≤ z ≤ u of (Mᵀy)_j z, with (Mᵀy)_j known to rounding only
        let (value, size) = column_product(problem.m(), j, y);
        let bound = if value > 0.0 { u } else { l };
        if bound.is_finite() {
            check_excess(j, 0.0, size)?;
            support.push((value * bound, true));
            support.push((PROOF_ROUNDING * size * bound.abs(), true));
        } else {
            check_excess(j, value.abs(), size)?;
        }
    }
    let weight = weights(problem.m(), y, |_| true);
    let constant = constant_terms(problem.q(), y, &weight);
    let slack = slack(problem.m(), problem.q(), y, |j, value| {
        let bound = if value > 0.0 { problem.upper()[j] } else { problem.lower()[j] };
        if bound.is_finite() { 0.0 } else { value.abs() }
    })?;
    conclude(support.into_iter().chain(constant), slack)
}

fn check_shape(y: &[f64], expected: usize) -> Result<(), ProofError> {
    if y.len() == expected && y.iter().all(|v| v.is_finite()) {
        Ok(())
    } else {
        Err(ProofError::Malformed { expected })
    }
}

/// (Mᵀy)_j and the sum of the absolute values of its terms.
fn column_product(m: &Matrix, j: usize, y: &[f64]) -> (f64, f64) {
    let terms = y.iter().enumerate().map(|(i, y)| m[(i, j)] * y);
    terms.fold((0.0, 0.0), |(v, s), t| (v + t, s + t.abs()))
}

/// The largest part that the term of each row has in the sum of a column that is checked.
fn weights(m: &Matrix, y: &[f64], checked: impl Fn(usize) -> bool) -> Vec<f64> {
    let mut weight = vec![UNSEEN; y.len()];
    for j in (0..y.len()).filter(|&j| checked(j)) {
        let (_, size) = column_product(m, j, y);
        for (i, weight) in weight.iter_mut().enumerate() {
            let term = (m[(i, j)] * y[i]).abs();
            if term > 0.0 {
                *weight = weight.max(term / size);
            }
        }
    }
    weight
}

/// The terms of qᵀy, each with whether it can bear a proof. An entry of y that is lost in the rounding
/// of every column it occurs in was not checked there, so the conclusion must not rest on it.
fn constant_terms<'a>(
    q: &'a [f64],
    y: &'a [f64],
    weight: &'a [f64],
) -> impl Iterator<Item = (f64, bool)> + 'a {
    const LOST: f64 = 1e3 * PROOF_ROUNDING;
    (0..y.len()).map(move |i| (q[i] * y[i], weight[i] == UNSEEN || weight[i] > LOST))
}

/// The weight of a row that has no entry in any column that is checked.
const UNSEEN: f64 = -1.0;

/// Refuses a product that has the wrong sign by more than rounding, or that overflowed.
fn check_excess(index: usize, excess: f64, size: f64) -> Result<(), ProofError> {
    if excess <= PROOF_ROUNDING * size && size.is_finite() {
        Ok(())
    } else {
        Err(ProofError::Product { index, relative: excess / size })
    }
}

/// Σ_j excess_j t_j, where t_j is the size of z_j that q calls for, in balanced units.
///
/// An excess of (Mᵀy)_j over zero, though it is rounding, would let a z_j of size −qᵀy / excess escape
/// the contradiction. That must be remote.
fn slack(
    m: &Matrix,
    q: &[f64],
    y: &[f64],
    excess: impl Fn(usize, f64) -> f64,
) -> Result<f64, ProofError> {
    let mut balance = Balance::default();
    balance.compute(m, q.len());
    let mut slack = 0.0;
    for j in 0..q.len() {
        let (value, size) = column_product(m, j, y);
        let excess = excess(j, value);
        // The rounding of the sum itself cannot be told from zero.
        if excess > 8.0 * f64::EPSILON * q.len() as f64 * size {
            let rows = (0..q.len()).filter(|&i| m[(i, j)] != 0.0);
            let t = rows.map(|i| q[i].abs() * (balance.row[i] + balance.column[j]).exp2());
            let t = t.fold(0.0, f64::max);
            if t == 0.0 {
                return Err(ProofError::Product { index: j, relative: excess / size });
            }
            slack += excess * t;
        }
    }
    Ok(slack)
}

/// Whether the terms that can bear a proof add up to a clearly negative number, beyond the slack.
fn conclude(terms: impl Iterator<Item = (f64, bool)>, slack: f64) -> Result<(), ProofError> {
    let add = |(v, s): (f64, f64), (t, bears): (f64, bool)| {
        (v + if bears { t } else { t.max(0.0) }, s + t.abs())
    };
    let (value, size) = terms.fold((0.0, 0.0), add);
    if value.is_finite() && size > 0.0 && value < -(PROOF_MARGIN * size + PROOF_REACH * slack) {
        Ok(())
    } else {
        let relative = if size > 0.0 { value / size } else { 0.0 };
        Err(ProofError::Value { relative })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let y = vec![1.0, 1.0, 1.0, 1e-16];
        assert!(Proof::Infeasible { y }.check(&p).is_err());
    }

    /// w1 = -z2 - 1 ≥ 0 cannot be.
    fn infeasible() -> Lcp {
        let m = Matrix::from_rows(&[[0.0, -1.0], [1.0, 0.0]]).unwrap();
        Lcp::new(m, vec![-1.0, 1.0]).unwrap()
    }

    #[test]
    fn a_farkas_vector_is_accepted_and_a_wrong_one_refused() {
        let check = |y: Vec<f64>| Proof::Infeasible { y }.check(&infeasible());
        assert_eq!(check(vec![1.0, 0.0]), Ok(()));
        assert!(matches!(check(vec![0.0, 1.0]), Err(ProofError::Product { index: 0, .. })));
        assert!(matches!(check(vec![1.0, -1.0]), Err(ProofError::Sign { index: 1, .. })));
        assert!(matches!(check(vec![0.0, 0.0]), Err(ProofError::Value { .. })));
        assert!(matches!(check(vec![1.0]), Err(ProofError::Malformed { .. })));
        assert!(matches!(check(vec![f64::NAN, 0.0]), Err(ProofError::Malformed { .. })));
    }

    #[test]
    fn a_case_distinction_must_cover_every_case() {
        // w1 = z2 − 1 and w2 = z1 + 1: feasible, but w2 > 0 forces z2 = 0 and then w1 = −1.
        let m = Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0]]).unwrap();
        let p = Lcp::new(m, vec![-1.0, 1.0]).unwrap();
        let contradiction = |y: [f64; 2]| Box::new(Cases::Contradiction { y: y.to_vec() });
        let cases = Cases::Split {
            index: 1,
            zero_z: contradiction([1.0, 0.0]),
            zero_w: contradiction([0.0, -1.0]),
        };
        assert_eq!(Proof::Exhausted { cases: cases.clone() }.check(&p), Ok(()));
        let unsplit = Proof::Exhausted { cases: *contradiction([1.0, 0.0]) };
        assert!(matches!(unsplit.check(&p), Err(ProofError::Product { index: 1, .. })));
        let twice = Cases::Split {
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
    fn a_sum_that_overflows_proves_nothing_in_either_form() {
        let m = Matrix::from_rows(&[[-1e308, 0.0], [-1e308, 0.0]]).unwrap();
        let p = Lcp::new(m, vec![-1.0, -1.0]).unwrap();
        let proof = Proof::Infeasible { y: vec![1.0, 1.0] };
        assert!(matches!(proof.check(&p), Err(ProofError::Product { index: 0, .. })));
        assert_eq!(proof.check(&p).is_ok(), proof.check_mixed(&p.to_mlcp()).is_ok());
    }

    #[test]
    fn a_box_proof_knows_the_bounds() {
        // A free row that reads 0·z + 1 = 0, and one that would need z = 3 within [0, 2].
        let inf = f64::INFINITY;
        let m = Matrix::from_rows(&[[0.0, 1.0], [0.0, 0.0]]).unwrap();
        let p = Mlcp::new(m, vec![-3.0, 0.0], vec![-inf, 0.0], vec![inf, 2.0]).unwrap();
        let check = |y: Vec<f64>| Proof::Infeasible { y }.check_mixed(&p);
        assert_eq!(check(vec![1.0, 0.0]), Ok(()));
        assert!(matches!(check(vec![-1.0, 0.0]), Err(ProofError::Value { .. })));
        assert!(matches!(check(vec![1.0, 1.0]), Err(ProofError::Sign { index: 1, .. })));
    }
}
