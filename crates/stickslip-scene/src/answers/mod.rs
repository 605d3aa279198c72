//! Answers by the names of the scene, as the command prints them and as other programs read them: solutions and
//! analyses of problems and states, limit cycles, proofs.

pub mod analysis;
pub mod cycle;
mod error;
pub mod proof;
pub mod slopes;
pub mod solve;
mod theorem;

pub use error::AnswerError;
pub use theorem::TheoremFacts;

use stickslip::contact::{Kind, Law};

/// The size of the largest of these.
fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(0.0, |m, v| v.abs().max(m))
}

/// The names of the components of a contact.
#[must_use]
pub fn components(law: &Law) -> Vec<String> {
    match law.kind {
        Kind::Bilateral(rows) => (1..=rows).map(|i| format!("B{i}")).collect(),
        Kind::Dry(_) => {
            ["T", "O", "R"][..law.components()].iter().map(ToString::to_string).collect()
        }
        _ => ["N", "T", "O", "R"][..law.components()].iter().map(ToString::to_string).collect(),
    }
}
