//! Cone problems as JSON text, so that one that fails can be looked at apart from what drew it.
//!
//! ```text
//! {"kind":"contact","delassus":[[…],…],"bias":[…],
//!  "contacts":[{"mu":0.5,"friction":"disc"},{"mu":0.5,"radius":0.1,"friction":{"ellipsoid":[1,0.3]}},
//!              {"frictionless":true},{"bilateral":2}]}
//! ```
//!
//! Numbers are written so that reading them gives the same bits. Of users' sets only the disc under
//! uniform pressure has a name.

use complementarity::Matrix;
use serde_json::{Value, json};
use std::sync::Arc;
use stickslip_contact::cone::{ConeProblem, Law};
use stickslip_contact::set::ConvexSet;
use stickslip_contact::set::{Polyhedron, UniformDisc};

/// The text of a problem, or what of it has no name.
///
/// # Errors
/// If a friction set is a user's own that is not known here.
pub fn to_json(problem: &ConeProblem) -> Result<String, String> {
    let w = problem.w().to_dense();
    let rows: Vec<&[f64]> = (0..w.rows()).map(|r| w.row(r)).collect();
    let contacts = problem.laws().iter().map(law_to_json).collect::<Result<Vec<_>, _>>()?;
    let text = json!({
        "kind": "contact", "delassus": rows, "bias": problem.b(), "contacts": contacts
    });
    Ok(text.to_string())
}

fn law_to_json(law: &Law) -> Result<Value, String> {
    Ok(match law {
        Law::Frictionless => json!({"frictionless": true}),
        Law::Bilateral(rows) => json!({"bilateral": rows}),
        Law::Friction { mu, radius, set } => {
            json!({"mu": mu, "radius": radius, "friction": set_to_json(set)?})
        }
        other => return Err(format!("no name for the law {other:?}")),
    })
}

fn set_to_json(set: &ConvexSet) -> Result<Value, String> {
    Ok(match set {
        ConvexSet::Interval => json!("planar"),
        ConvexSet::Disc => json!("disc"),
        ConvexSet::Ellipsoid(axes) => json!({"ellipsoid": axes}),
        ConvexSet::Polyhedron(p) => json!({"polyhedron": p.normals().collect::<Vec<_>>()}),
        ConvexSet::Mixed { ellipse, spin } => json!({"mixed": {"ellipse": ellipse, "spin": spin}}),
        ConvexSet::Custom(set) => {
            // The support along the spin of the disc under uniform pressure is 2/3 of its radius.
            let radius = 1.5 * set.support(&[0.0, 0.0, 1.0]);
            if set.dimension() != 3 || !format!("{set:?}").starts_with("UniformDisc") {
                return Err(format!("no name for the set {set:?}"));
            }
            json!({"uniform_disc": radius})
        }
    })
}

/// Reads a problem.
///
/// # Errors
/// A message that says what is wrong.
pub fn from_json(text: &str) -> Result<ConeProblem, String> {
    let value: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let rows = list(&value["delassus"], "delassus", numbers)?;
    let bias = numbers(&value["bias"])?;
    let laws = list(&value["contacts"], "contacts", law_from_json)?;
    let w = if rows.is_empty() { Matrix::zeros(0, 0) } else { matrix(&rows)? };
    ConeProblem::from_dense(&w, bias, laws).map_err(|e| e.to_string())
}

fn matrix(rows: &[Vec<f64>]) -> Result<Matrix, String> {
    Matrix::from_rows(rows).map_err(|e| e.to_string())
}

fn law_from_json(value: &Value) -> Result<Law, String> {
    if let Some(rows) = value["bilateral"].as_u64() {
        return Ok(Law::Bilateral(rows as usize));
    }
    if value["frictionless"] == true {
        return Ok(Law::Frictionless);
    }
    let mu = value["mu"].as_f64().ok_or("a contact without mu")?;
    let radius = value["radius"].as_f64().unwrap_or(0.0);
    Ok(Law::Friction { mu, radius, set: set_from_json(&value["friction"])? })
}

fn set_from_json(value: &Value) -> Result<ConvexSet, String> {
    match value.as_str() {
        Some("planar") => return Ok(ConvexSet::Interval),
        Some("disc") => return Ok(ConvexSet::Disc),
        _ => {}
    }
    if value["ellipsoid"].is_array() {
        return Ok(ConvexSet::Ellipsoid(numbers(&value["ellipsoid"])?));
    }
    if value["polyhedron"].is_array() {
        let normals = list(&value["polyhedron"], "polyhedron", numbers)?;
        return Polyhedron::new(&normals).map(ConvexSet::Polyhedron).map_err(|e| e.to_string());
    }
    if let Some(radius) = value["uniform_disc"].as_f64() {
        let disc = UniformDisc::new(radius).map_err(|e| e.to_string())?;
        return Ok(ConvexSet::Custom(Arc::new(disc)));
    }
    match (&numbers(&value["mixed"]["ellipse"])?[..], value["mixed"]["spin"].as_f64()) {
        (&[a, b], Some(spin)) => Ok(ConvexSet::Mixed { ellipse: [a, b], spin }),
        _ => Err(format!("no friction set: {value}")),
    }
}

fn list<T>(
    value: &Value,
    what: &str,
    read: impl Fn(&Value) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let items = value.as_array().ok_or_else(|| format!("{what} is not a list"))?;
    items.iter().map(read).collect()
}

fn numbers(value: &Value) -> Result<Vec<f64>, String> {
    list(value, "a row of numbers", |x| x.as_f64().ok_or_else(|| format!("not a number: {x}")))
}

#[cfg(test)]
mod tests {
    use super::super::{LAW_FAMILIES, cone_instance};
    use super::*;

    #[test]
    fn a_problem_of_every_law_survives_the_way_to_text_and_back() {
        for family in LAW_FAMILIES {
            let problem = cone_instance(family, 6, 3).problem;
            let again = from_json(&to_json(&problem).unwrap()).unwrap();
            assert_eq!(again.b(), problem.b());
            assert_eq!(again.w(), problem.w(), "{}", family.name);
            let impulse: Vec<f64> = (0..problem.len()).map(|i| (i as f64).sin()).collect();
            let (a, b) = (problem.residual(&impulse).unwrap(), again.residual(&impulse).unwrap());
            let close = (a.scaled.value - b.scaled.value).abs() <= 1e-12 * a.scaled.value;
            assert!(close, "{}: {a:?} {b:?}", family.name);
        }
    }

    #[test]
    fn text_that_is_no_problem_is_refused_with_words() {
        for text in ["", "{}", "[1]", r#"{"delassus":[[1]],"bias":[1],"contacts":[{}]}"#] {
            assert!(!from_json(text).unwrap_err().is_empty());
        }
    }
}
