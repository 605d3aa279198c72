//! Contact problems as JSON text:
//! `{"kind":"contact","dimension":2,"delassus":[[…]],"bias":[…],"contacts":[{"mu":0.3}, …]}`, the
//! components of each contact in the order N, T. A contact may also have `radius`, `eps_n`, `eps_t`
//! (default 0) and, on the level of accelerations, `sliding` (1 or −1).
//!
//! Numbers are written so that reading them gives the same bits.

use super::{ContactProblem, Law, Slip};
use crate::Error;
use complementarity::Matrix;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    kind: Kind,
    #[serde(default = "planar")]
    dimension: u32,
    delassus: Vec<Vec<f64>>,
    bias: Vec<f64>,
    contacts: Vec<LawText>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Contact,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LawText {
    #[serde(default)]
    mu: f64,
    #[serde(default, skip_serializing_if = "is_zero")]
    radius: f64,
    #[serde(default, skip_serializing_if = "is_zero")]
    eps_n: f64,
    #[serde(default, skip_serializing_if = "is_zero")]
    eps_t: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sliding: Option<i8>,
}

fn planar() -> u32 {
    2
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl ContactProblem {
    /// Reads a problem; a mistake is reported with its line and column, bad numbers by index.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let text: Text = serde_json::from_str(text).map_err(|e| Error::Json(e.to_string()))?;
        if text.dimension != 2 {
            let reason = format!("dimension is {}; planar problems have 2", text.dimension);
            return Err(Error::Json(reason));
        }
        let n = text.bias.len();
        for (i, row) in text.delassus.iter().enumerate() {
            if row.len() != n {
                let (found, rows) = (row.len(), text.delassus.len());
                let reason = format!(
                    "delassus[{i}] has {found} entries; with {n} entries of bias (and {rows} rows) it needs {n}"
                );
                return Err(Error::Json(reason));
            }
        }
        let laws = text.contacts.iter().enumerate().map(law).collect::<Result<Vec<_>, _>>()?;
        let delassus = Matrix::from_rows(&text.delassus)?;
        Self::new(delassus, text.bias, laws)
    }

    /// Writes the problem as one line of JSON.
    pub fn to_json(&self) -> String {
        let law = |l: &Law| LawText {
            mu: l.mu,
            radius: l.radius,
            eps_n: l.eps_n,
            eps_t: l.eps_t,
            sliding: l.sliding.map(|s| if s == Slip::Positive { 1 } else { -1 }),
        };
        let text = Text {
            kind: Kind::Contact,
            dimension: 2,
            delassus: (0..self.bias().len()).map(|i| self.delassus().row(i).to_vec()).collect(),
            bias: self.bias().to_vec(),
            contacts: self.laws().iter().map(law).collect(),
        };
        // A plain structure of finite numbers always has a text.
        serde_json::to_string(&text).unwrap_or_default()
    }
}

fn law((i, text): (usize, &LawText)) -> Result<Law, Error> {
    let sliding = match text.sliding {
        None => None,
        Some(1) => Some(Slip::Positive),
        Some(-1) => Some(Slip::Negative),
        Some(other) => {
            let reason = format!("sliding of contact {i} is {other}; it must be 1 or -1");
            return Err(Error::Json(reason));
        }
    };
    let LawText { mu, radius, eps_n, eps_t, .. } = *text;
    Ok(Law { mu, radius, eps_n, eps_t, sliding })
}
