//! Proofs that there is no solution, as JSON that a program can check.

use complementarity::exact::Dyadic;
use complementarity::{LcpCases, Proof as LcpProof};
use serde_json::{Value, json};
use stickslip::contact::analysis::solutions::{Cases, Proof, Source, Term};

/// Proofs with more ends than these are counted but not printed: a gigabyte of JSON helps nobody.
const MOST_ENDS: usize = 100_000;

/// The proof of a complementarity problem: a Farkas vector, or a case distinction with one at each end.
#[must_use]
pub fn of_lcp(proof: &LcpProof) -> Value {
    match proof {
        LcpProof::Infeasible { y } => json!({ "kind": "infeasible", "y": exact(y) }),
        LcpProof::Exhausted { cases } => {
            let ends = lcp_ends(cases);
            match ends > MOST_ENDS {
                true => json!({ "kind": "exhausted", "contradictions": ends, "printed": false }),
                false => {
                    json!({ "kind": "exhausted", "contradictions": ends, "cases": lcp_cases(cases) })
                }
            }
        }
    }
}

/// The ends of a case distinction.
#[must_use]
pub fn lcp_ends(cases: &LcpCases) -> usize {
    match cases {
        LcpCases::Split { zero_z, zero_w, .. } => lcp_ends(zero_z) + lcp_ends(zero_w),
        LcpCases::Contradiction { .. } => 1,
    }
}

fn lcp_cases(cases: &LcpCases) -> Value {
    match cases {
        LcpCases::Split { index, zero_z, zero_w } => {
            json!({ "index": index, "zero_z": lcp_cases(zero_z), "zero_w": lcp_cases(zero_w) })
        }
        LcpCases::Contradiction { y } => json!({ "y": exact(y) }),
    }
}

/// A number where it is one, else a text such as `3*2^-1100`.
fn exact(y: &[Dyadic]) -> Value {
    json!(y)
}

/// The proof of a contact problem: splits by part, and at each end the rows with their multipliers.
#[must_use]
pub fn of_contact(proof: &Proof) -> Value {
    match proof.contradictions() {
        ends if ends > MOST_ENDS => json!({ "contradictions": ends, "printed": false }),
        ends => json!({ "contradictions": ends, "cases": contact_cases(&proof.cases) }),
    }
}

fn contact_cases(cases: &Cases) -> Value {
    match cases {
        Cases::Split { part, cases } => {
            json!({ "part": part, "cases": cases.iter().map(contact_cases).collect::<Vec<_>>() })
        }
        Cases::Contradiction { terms } => {
            let term = |t: &Term| json!({ "row": row(t.row), "multiplier": t.multiplier });
            json!({ "contradiction": terms.iter().map(term).collect::<Vec<_>>() })
        }
    }
}

fn row(source: Source) -> Value {
    match source {
        Source::Velocity { row } => json!({ "kind": "velocity", "row": row }),
        Source::Bound { contact, component } => {
            json!({ "kind": "bound", "contact": contact, "component": component })
        }
        Source::LowerBound { contact, component } => {
            json!({ "kind": "lower_bound", "contact": contact, "component": component })
        }
        Source::Known { contact, component } => {
            json!({ "kind": "known", "contact": contact, "component": component })
        }
        Source::Cell { part, index } => json!({ "kind": "cell", "part": part, "index": index }),
        Source::Tangent { part, direction } => {
            json!({ "kind": "tangent", "part": part, "direction": direction })
        }
        other => json!({ "kind": format!("{other:?}") }),
    }
}
