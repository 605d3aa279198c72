//! Vectors that prove a matrix to lie outside of a class.
//!
//! Notation: x is the vector, y = M x (or Mᵀ x); products are enclosed in intervals, so that a
//! witness which passes its check is a proof for the matrix as given, rounding included.

use super::Class;
use crate::Matrix;
use crate::exact::number::{Interval, Number, Sign};
use std::fmt;

/// A proof that a matrix is not in a class, which a caller can check with products alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The class that the matrix is not in.
    pub class: Class,
    /// What shows it.
    pub evidence: Evidence,
}

/// What shows that a matrix is not in a class.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Evidence {
    /// An entry that differs from its mirror image (symmetric), or a positive one off the diagonal
    /// (Z and M).
    Entry {
        /// Its row.
        row: usize,
        /// Its column.
        col: usize,
    },
    /// A vector x with xᵀMx < 0 (positive semidefinite) or ≤ 0 (definite); non-negative for the
    /// copositive classes. For copositive-plus xᵀMx = 0 but (M + Mᵀ)x ≠ 0 also serves.
    Form {
        /// The vector.
        x: Vec<f64>,
    },
    /// A vector whose signs M reverses: x_i (Mx)_i ≤ 0 for all i refutes P and M; < 0 where
    /// x_i ≠ 0 refutes P0; ≤ 0 for all and < 0 for some refutes column sufficiency, and row
    /// sufficiency if it holds for Mᵀ.
    Reversal {
        /// The vector.
        x: Vec<f64>,
        /// Whether it is Mᵀ that reverses the signs (M is P or P0 if and only if Mᵀ is).
        transposed: bool,
    },
    /// A solution z ≠ 0 of the problem with q = 0: z ≥ 0, Mz ≥ 0, zᵀMz = 0. Refutes R0.
    Kernel {
        /// The solution.
        z: Vec<f64>,
    },
}

impl Witness {
    /// Whether this proves that `m` is not in the class. O(n²).
    ///
    /// The products are enclosed in intervals: `true` means that the strict inequalities hold and
    /// that what must be zero is, for the matrix exactly as given.
    #[must_use]
    pub fn check(&self, m: &Matrix) -> bool {
        let n = m.rows();
        if m.cols() != n {
            return false;
        }
        match &self.evidence {
            &Evidence::Entry { row, col } => {
                let wrong = match self.class {
                    Class::Symmetric => |m: &Matrix, i, j| m[(i, j)] != m[(j, i)],
                    Class::Z | Class::M => |m: &Matrix, i, j| m[(i, j)] > 0.0,
                    _ => return false,
                };
                row < n && col < n && row != col && wrong(m, row, col)
            }
            Evidence::Form { x } => is_direction(x, n) && self.check_form(m, x),
            Evidence::Reversal { x, transposed } => {
                is_direction(x, n) && self.check_reversal(m, x, *transposed)
            }
            Evidence::Kernel { z } => {
                self.class == Class::R0 && is_direction(z, n) && check_kernel(m, z)
            }
        }
    }

    fn check_form(&self, m: &Matrix, x: &[f64]) -> bool {
        let nonnegative = x.iter().all(|&v| v >= 0.0);
        let value = form(m, x);
        let negative = value.sign() == Sign::Negative;
        match self.class {
            Class::PositiveSemidefinite => negative,
            Class::PositiveDefinite => value.hi <= 0.0,
            Class::Copositive => nonnegative && negative,
            Class::StrictlyCopositive => nonnegative && value.hi <= 0.0,
            Class::CopositivePlus => {
                nonnegative && (negative || value.sign() == Sign::Zero && moves(m, x))
            }
            _ => false,
        }
    }

    fn check_reversal(&self, m: &Matrix, x: &[f64], transposed: bool) -> bool {
        let mut some = false;
        let (mut all_reversed, mut all_strict) = (true, true);
        for (i, &xi) in x.iter().enumerate() {
            if xi != 0.0 {
                let y = product(m, x, i, transposed);
                let y = if xi > 0.0 { y } else { y.negate() };
                all_reversed &= y.hi <= 0.0;
                all_strict &= y.hi < 0.0;
                some |= y.hi < 0.0;
            }
        }
        match self.class {
            Class::P | Class::M => all_reversed,
            Class::P0 => all_strict,
            Class::ColumnSufficient => !transposed && all_reversed && some,
            Class::RowSufficient => transposed && all_reversed && some,
            Class::Sufficient => all_reversed && some,
            _ => false,
        }
    }
}

/// Finite, of size n, not zero.
fn is_direction(x: &[f64], n: usize) -> bool {
    x.len() == n && x.iter().all(|v| v.is_finite()) && x.iter().any(|&v| v != 0.0)
}

fn check_kernel(m: &Matrix, z: &[f64]) -> bool {
    z.iter().enumerate().all(|(i, &zi)| {
        let w = product(m, z, i, false);
        zi == 0.0 && w.lo >= 0.0 || zi > 0.0 && w.sign() == Sign::Zero
    })
}

/// (Mx)_i, or (Mᵀx)_i.
fn product(m: &Matrix, x: &[f64], i: usize, transposed: bool) -> Interval {
    let mut sum = Interval::ZERO;
    for (j, &xj) in x.iter().enumerate() {
        let entry = if transposed { m[(j, i)] } else { m[(i, j)] };
        if entry != 0.0 && xj != 0.0 {
            sum = sum.add(Interval::point(entry).mul(Interval::point(xj)));
        }
    }
    sum
}

/// xᵀMx = Σ x_i (Mx)_i.
pub(super) fn form(m: &Matrix, x: &[f64]) -> Interval {
    let mut sum = Interval::ZERO;
    for (i, &xi) in x.iter().enumerate() {
        if xi != 0.0 {
            sum = sum.add(Interval::point(xi).mul(product(m, x, i, false)));
        }
    }
    sum
}

/// Whether (M + Mᵀ)x is surely not zero.
fn moves(m: &Matrix, x: &[f64]) -> bool {
    (0..x.len()).any(|i| {
        let y = product(m, x, i, false).add(product(m, x, i, true));
        matches!(y.sign(), Sign::Negative | Sign::Positive)
    })
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.evidence {
            Evidence::Entry { row, col } if self.class == Class::Symmetric => {
                write!(f, "m[{row}][{col}] ≠ m[{col}][{row}]")
            }
            Evidence::Entry { row, col } => write!(f, "m[{row}][{col}] > 0"),
            Evidence::Form { x } => {
                let relation = match self.class {
                    Class::PositiveDefinite | Class::StrictlyCopositive => "xᵀMx ≤ 0",
                    Class::CopositivePlus => "xᵀMx ≤ 0, (M + Mᵀ)x ≠ 0",
                    _ => "xᵀMx < 0",
                };
                write!(f, "{relation} for x = {}", Vector(x))
            }
            Evidence::Reversal { x, transposed } => {
                let t = if *transposed { "ᵀ" } else { "" };
                let relation = match self.class {
                    Class::P0 => "< 0 where x_i ≠ 0",
                    Class::P | Class::M => "≤ 0",
                    _ => "≤ 0, not all = 0",
                };
                write!(f, "x_i(M{t}x)_i {relation}, for x = {}", Vector(x))
            }
            Evidence::Kernel { z } => write!(f, "LCP(0, M) is solved by z = {}", Vector(z)),
        }
    }
}

/// A vector, with its middle left out if it is long.
struct Vector<'a>(&'a [f64]);

impl fmt::Display for Vector<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        f.write_str("(")?;
        for (i, v) in self.0.iter().take(SHOWN).enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let rounded = format!("{v:.4}");
            if rounded.parse() == Ok(*v) {
                write!(f, "{comma}{v}")?;
            } else if v.abs() >= 1e-3 && v.abs() < 1e6 {
                write!(f, "{comma}{rounded}")?;
            } else {
                write!(f, "{comma}{v:.3e}")?;
            }
        }
        let rest = self.0.len().saturating_sub(SHOWN);
        if rest > 0 {
            write!(f, ", … {rest} more")?;
        }
        f.write_str(")")
    }
}
