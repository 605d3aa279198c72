//! Problems as JSON text: `{"kind":"lcp","m":[[…]],"q":[…]}` and
//! `{"kind":"mlcp","m":…,"q":…,"lower":[…],"upper":[…]}` with null for an infinite bound.
//!
//! A problem may have `names`, one text per unknown, for people: they are read and not kept.
//!
//! Numbers are written so that reading them gives the same bits.

use super::{Lcp, Mlcp};
use crate::{Error, Matrix};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Any problem that a JSON text can hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Text", into = "Text")]
pub enum Problem {
    /// A plain problem.
    Lcp(Lcp),
    /// A mixed one.
    Mlcp(Mlcp),
}

/// The text as it stands. Not an enum with a tag, which would lose the place of a mistake.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    kind: Kind,
    m: Vec<Vec<f64>>,
    q: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lower: Option<Vec<Option<f64>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    upper: Option<Vec<Option<f64>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    names: Option<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Lcp,
    Mlcp,
}

impl Problem {
    /// Reads a problem; a mistake is reported with its line and column, bad numbers by index.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        if !text.trim_start().starts_with('{') {
            let reason = "a problem is an object, {\"kind\": …}".to_owned();
            return Err(Error::Json { line: 1, column: 1, reason });
        }
        let text: Text = serde_json::from_str(text).map_err(|e| Error::Json {
            line: e.line(),
            column: e.column(),
            reason: reason_of(&e),
        })?;
        Self::try_from(text)
    }

    /// Writes the problem as one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("finite numbers and vectors always serialise")
    }
}

impl TryFrom<Text> for Problem {
    type Error = Error;

    fn try_from(text: Text) -> Result<Self, Error> {
        let m = matrix(&text.m, text.q.len())?;
        if let Some(names) = text.names.filter(|names| names.len() != text.q.len()) {
            let (found, n) = (names.len(), text.q.len());
            return Err(as_a_whole(&format!(
                "`names` has {found} entries where there are {n} unknowns"
            )));
        }
        match (text.kind, text.lower, text.upper) {
            (Kind::Lcp, None, None) => Ok(Self::Lcp(Lcp::new(m, text.q)?)),
            (Kind::Lcp, ..) => {
                Err(as_a_whole("a problem of kind \"lcp\" has no bounds; use kind \"mlcp\""))
            }
            (Kind::Mlcp, Some(lower), Some(upper)) => {
                let lower = lower.into_iter().map(|l| l.unwrap_or(f64::NEG_INFINITY)).collect();
                let upper = upper.into_iter().map(|u| u.unwrap_or(f64::INFINITY)).collect();
                Ok(Self::Mlcp(Mlcp::new(m, text.q, lower, upper)?))
            }
            (Kind::Mlcp, ..) => {
                Err(as_a_whole("a problem of kind \"mlcp\" needs both `lower` and `upper`"))
            }
        }
    }
}

impl From<Problem> for Text {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Lcp(p) => Self {
                kind: Kind::Lcp,
                m: rows(p.m()),
                q: p.q().to_vec(),
                lower: None,
                upper: None,
                names: None,
            },
            Problem::Mlcp(p) => Self {
                kind: Kind::Mlcp,
                m: rows(p.m()),
                q: p.q().to_vec(),
                lower: Some(finite_or_none(p.lower())),
                upper: Some(finite_or_none(p.upper())),
                names: None,
            },
        }
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
    #[must_use]
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
    #[must_use]
    pub fn to_json(&self) -> String {
        Problem::Mlcp(self.clone()).to_json()
    }
}

/// In the form of [`Problem`], and refused where the text holds the other kind or no problem.
macro_rules! as_problem {
    ($kind:ident) => {
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Problem::$kind(self.clone()).serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match Problem::deserialize(deserializer)? {
                    Problem::$kind(p) => Ok(p),
                    _ => Err(D::Error::custom("the problem is of the other kind")),
                }
            }
        }
    };
}

as_problem!(Lcp);
as_problem!(Mlcp);

fn as_a_whole(reason: &str) -> Error {
    Error::Json { line: 0, column: 0, reason: reason.to_owned() }
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
        assert!(at("{").contains("EOF"));
        assert!(at("").contains("an object"));
        assert!(at(r#"{"kind":"lcp","m":[[1]],"q":[1],"lower":[0]}"#).contains("no bounds"));
        let crossed = r#"{"kind":"mlcp","m":[[1]],"q":[1],"lower":[2],"upper":[1]}"#;
        assert!(at(crossed).contains("lower bound 2 above its upper bound 1"));
    }

    #[test]
    fn a_problem_inside_of_other_data_comes_back_and_a_wrong_one_is_refused() {
        let m = Matrix::from_rows(&[[2.0, 0.1], [0.3, 1.0]]).unwrap();
        let plain = Lcp::new(m.clone(), vec![-1.0, 1.0 / 3.0]).unwrap();
        let mixed =
            Mlcp::new(m, vec![1.0, 2.0], vec![f64::NEG_INFINITY, 0.0], vec![0.5; 2]).unwrap();
        let text = serde_json::to_string(&(&plain, &mixed)).unwrap();
        let (p, q): (Lcp, Mlcp) = serde_json::from_str(&text).unwrap();
        assert_eq!((p, q), (plain, mixed));
        let swapped = serde_json::from_str::<(Mlcp, Lcp)>(&text).unwrap_err().to_string();
        assert!(swapped.contains("other kind"), "{swapped}");
        let sizes = r#"{"kind":"lcp","m":[[2.0]],"q":[-1.0, 2.0]}"#;
        assert!(serde_json::from_str::<Lcp>(sizes).is_err());
    }
}
