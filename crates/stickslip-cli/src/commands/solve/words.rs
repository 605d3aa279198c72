//! The answer as a table.

use super::{Answer, ContactValues, Values};
use crate::table;
use stickslip_scene::answers::proof::lcp_ends;
use stickslip_scene::answers::solve::MOST_ROWS;
use stickslip_scene::recording::CertificateText;

/// Numbers of a list, or contacts, that are shown.
const SHOWN: usize = 12;

pub(super) fn of(a: &Answer) -> String {
    let mut rows = vec![("status".to_owned(), a.reason.clone())];
    rows.push(("kind".to_owned(), a.kind.to_owned()));
    match &a.values {
        Values::Linear { z, w, certificate: c, proof, .. } => {
            rows.push(("z".to_owned(), list(z)));
            rows.push(("w".to_owned(), list(w)));
            let worst = format!("{:.1e} (unknown {})", c.worst, c.index);
            rows.push(("worst certificate".to_owned(), worst));
            if let Some(proof) = proof {
                rows.push(("proof".to_owned(), of_proof(proof)));
            }
        }
        Values::Contact(values) => of_contacts(values, &mut rows),
    }
    let by = match a.formulation {
        Some(formulation) => format!("{}, {formulation}", a.solver),
        None => a.solver.to_owned(),
    };
    let by = format!("{by}, {} iterations, {:.1e} s", a.iterations, a.seconds);
    rows.push(("solver".to_owned(), by));
    let rows: Vec<(&str, String)> = rows.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
    table::lines(&rows)
}

fn of_proof(proof: &complementarity::Proof) -> String {
    match proof {
        complementarity::Proof::Infeasible { .. } => {
            "the inequalities contradict each other; --json has the Farkas vector".to_owned()
        }
        complementarity::Proof::Exhausted { cases } => {
            format!("a case distinction with {} contradictions; --json has it", lcp_ends(cases))
        }
    }
}

fn list(v: &[f64]) -> String {
    let mut text: Vec<String> =
        v.iter().take(SHOWN).map(|x| table::number(*x, 10, table::largest(v))).collect();
    if v.len() > SHOWN {
        text.push(format!("… ({} in all; --json prints them)", v.len()));
    }
    text.join("  ")
}

fn of_contacts(v: &ContactValues, rows: &mut Vec<(String, String)>) {
    let mut first = 0;
    for (i, (names, mode)) in v.components.iter().zip(&v.modes).enumerate() {
        let range = first..first + names.len();
        first = range.end;
        if i == SHOWN {
            let all = v.modes.len();
            rows.push(("…".to_owned(), format!("{all} contacts in all; --json prints them")));
        }
        if i >= SHOWN {
            continue;
        }
        let named = |values: &[f64], scale: f64| {
            let pair = |(n, x): (&String, &f64)| format!("{n} {}", table::number(*x, 10, scale));
            names.iter().zip(values).map(pair).collect::<Vec<_>>().join("  ")
        };
        rows.push((format!("contact {i}"), (*mode).to_owned()));
        rows.push((
            "  impulse".to_owned(),
            named(&v.impulse[range.clone()], table::largest(&v.impulse)),
        ));
        rows.push((
            "  velocity".to_owned(),
            named(&v.velocity[range], v.bias.max(table::largest(&v.velocity))),
        ));
    }
    rows.push(("worst certificate".to_owned(), worst(&v.certificate)));
    if let Some(model) = &v.model {
        rows.push(("error of the model".to_owned(), worst(model)));
    }
    if v.asymmetry > 0.0 {
        let text = format!("W differs from its transpose by {:.1e} of its entries", v.asymmetry);
        rows.push(("unsymmetric".to_owned(), format!("{text}; judged as given")));
    }
    if let Some(contradictions) = v.contradictions {
        let text = match contradictions {
            1 => "a contradiction".to_owned(),
            many => format!("a case distinction with {many} contradictions"),
        };
        rows.push((
            "proof".to_owned(),
            format!("{text}, checked in exact arithmetic; --json has it"),
        ));
        return;
    }
    let unique = match &v.redundancy {
        Some(r) if r.dimension == 0 && r.decided => {
            format!("unique (rank {} of {})", r.rank, r.rows)
        }
        Some(r) => {
            let least = if r.decided { "" } else { "at least " };
            let (d, rank, rows) = (r.dimension, r.rank, r.rows);
            format!("not unique, in {least}{d} dimensions (rank {rank} of {rows})")
        }
        None if v.impulse.len() > MOST_ROWS => {
            format!("uniqueness not looked at: more than {MOST_ROWS} rows")
        }
        None => "uniqueness not known".to_owned(),
    };
    rows.push(("impulses".to_owned(), unique));
}

fn worst(c: &CertificateText) -> String {
    let named = c.measures.iter().max_by(|a, b| a.1.value.total_cmp(&b.1.value));
    match named {
        Some((name, m)) if m.value > 0.0 => {
            let contact = m.contact.as_deref().unwrap_or("?");
            format!("{:.1e} ({name} at contact {contact})", c.worst)
        }
        _ => "0".to_owned(),
    }
}
