//! The problems: data, validation, the JSON format.
//!
//! Notation: w = M z + q throughout; n unknowns; `lower` and `upper` are the l and u of a box.

#[cfg(feature = "serde")]
mod json;
mod lcp;
mod mlcp;

#[cfg(feature = "serde")]
pub use json::Problem;
pub use lcp::{Lcp, SparseLcp};
pub use mlcp::Mlcp;

use crate::{Error, Matrix};

fn check_square(m: &Matrix, q: &[f64]) -> Result<(), Error> {
    if m.rows() != m.cols() {
        return Err(Error::NotSquare { rows: m.rows(), cols: m.cols() });
    }
    check_len("q", m.rows(), q)?;
    m.check_finite()?;
    check_finite("q", q)
}

pub(crate) fn check_len(what: &'static str, expected: usize, v: &[f64]) -> Result<(), Error> {
    if v.len() == expected {
        Ok(())
    } else {
        Err(Error::SizeMismatch { what, expected, found: v.len() })
    }
}

pub(crate) fn check_finite(what: &'static str, v: &[f64]) -> Result<(), Error> {
    match v.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Error::NotFinite { what, index, value: v[index] }),
    }
}
