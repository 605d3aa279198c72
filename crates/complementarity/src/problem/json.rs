//! Problems as JSON text: `{"kind":"lcp","m":[[…]],"q":[…]}` and
//! `{"kind":"mlcp","m":…,"q":…,"lower":[…],"upper":[…]}` with null for an infinite bound.
//!
//! Numbers are written so that reading them gives the same bits.

use super::{Lcp, Mlcp};
use crate::{Error, Matrix};
use serde::{Deserialize, Serialize};

/// Any problem that a JSON text can hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// A plain problem.
    Lcp(Lcp),
    /// A mixed one.
    Mlcp(Mlcp),
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Text {
    Lcp { m: Vec<Vec<f64>>, q: Vec<f64> },
    Mlcp { m: Vec<Vec<f64>>, q: Vec<f64>, lower: Vec<Option<f64>>, upper: Vec<Option<f64>> },
}

impl Problem {
    /// Reads a problem; a mistake is reported with its line and column, bad numbers by index.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let text = serde_json::from_str(text).map_err(|e| Error::Json {
            line: e.line(),
            column: e.column(),
            reason: reason_of(&e),
        })?;
        match text {
            Text::Lcp { m, q } => Ok(Self::Lcp(Lcp::new(matrix(&m, q.len())?, q)?)),
            Text::Mlcp { m, q, lower, upper } => {
                let lower = lower.into_iter().map(|l| l.unwrap_or(f64::NEG_INFINITY)).collect();
                let upper = upper.into_iter().map(|u| u.unwrap_or(f64::INFINITY)).collect();
                Ok(Self::Mlcp(Mlcp::new(matrix(&m, q.len())?, q, lower, upper)?))
            }
        }
    }

    /// Writes the problem as one line of JSON.
    pub fn to_json(&self) -> String {
        let text = match self {
            Self::Lcp(p) => Text::Lcp { m: rows(p.m()), q: p.q().to_vec() },
            Self::Mlcp(p) => Text::Mlcp {
                m: rows(p.m()),
                q: p.q().to_vec(),
                lower: finite_or_none(p.lower()),
                upper: finite_or_none(p.upper()),
            },
        };
        serde_json::to_string(&text).expect("finite numbers and vectors always serialise")
    }
}

impl Lcp {
    /// Reads a problem of kind `lcp`.
    ///
    /// ```
    /// use complementarity::Lcp;
    ///
    /// let problem = Lcp::from_json(r#"{"kind":"lcp","m":[[2.0]],"q":[-1.0]}"#)?;
    /// assert_eq!(Lcp::from_json(&problem.to_json())?, problem);
    /// # Ok::<(), complementarity::Error>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, Error> {
        match Problem::from_json(text)? {
            Problem::Lcp(p) => Ok(p),
            Problem::Mlcp(_) => Err(wrong_kind("mlcp", "lcp")),
        }
    }

    /// Writes the problem as one line of JSON.
    pub fn to_json(&self) -> String {
        Problem::Lcp(self.clone()).to_json()
    }
}

impl Mlcp {
    /// Reads a problem of kind `mlcp`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        match Problem::from_json(text)? {
            Problem::Mlcp(p) => Ok(p),
            Problem::Lcp(_) => Err(wrong_kind("lcp", "mlcp")),
        }
    }

    /// Writes the problem as one line of JSON.
    pub fn to_json(&self) -> String {
        Problem::Mlcp(self.clone()).to_json()
    }
}

fn wrong_kind(found: &str, wanted: &str) -> Error {
    Error::Json {
        line: 0,
        column: 0,
        reason: format!(
            "the text holds a problem of kind \"{found}\", not \"{wanted}\"; Problem::from_json reads both"
        ),
    }
}

/// serde_json's message without the position, which our error carries itself.
fn reason_of(e: &serde_json::Error) -> String {
    let text = e.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

fn matrix(rows: &[Vec<f64>], n: usize) -> Result<Matrix, Error> {
    if rows.is_empty() && n == 0 { Ok(Matrix::zeros(0, 0)) } else { Matrix::from_rows(rows) }
}

fn rows(m: &Matrix) -> Vec<Vec<f64>> {
    (0..m.rows()).map(|i| m.row(i).to_vec()).collect()
}

fn finite_or_none(bounds: &[f64]) -> Vec<Option<f64>> {
    bounds.iter().map(|&b| b.is_finite().then_some(b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_of_the_design_is_read_and_written() {
        let text = r#"{"kind":"mlcp","m":[[1.0,0.0],[0.0,2.5]],"q":[-1.0,0.1],"lower":[null,0.0],"upper":[null,3.0]}"#;
        let Ok(Problem::Mlcp(p)) = Problem::from_json(text) else { panic!("not an mlcp") };
        assert_eq!(p.lower(), &[f64::NEG_INFINITY, 0.0]);
        assert_eq!(p.upper(), &[f64::INFINITY, 3.0]);
        assert_eq!(p.to_json(), text);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let at = |text: &str| Problem::from_json(text).unwrap_err().to_string();
        assert_eq!(
            at("{\"kind\":\"lcp\",\n\"m\":[[1.0]],\"q\":[oops]}"),
            "line 2, column 18: expected value"
        );
        assert_eq!(
            at(r#"{"kind":"lcp","m":[[1,2]],"q":[1]}"#),
            "the matrix is 1 x 2; a complementarity problem needs a square one"
        );
        assert_eq!(at(r#"{"kind":"lcp","m":[[1]],"q":[1,2]}"#), "q has 2 entries but 1 are needed");
        assert!(at(r#"{"kind":"lcp","m":[[1e999]],"q":[1]}"#).contains("number out of range"));
        assert!(at(r#"{"kind":"qp"}"#).contains("unknown variant `qp`"));
        assert!(at(r#"{"kind":"lcp","m":[[1]],"q":[1],"colour":1}"#).contains("unknown field"));
        assert!(at("").contains("EOF"));
        let crossed = r#"{"kind":"mlcp","m":[[1]],"q":[1],"lower":[2],"upper":[1]}"#;
        assert!(at(crossed).contains("lower bound 2 above its upper bound 1"));
    }
}
