//! What can only be told from numbers: the system at the start.

use crate::document::Problem;
use complementarity::Matrix;
use stickslip::expression::{Definition, ExpressionSystem};
use stickslip::system::{Directions, State, System};

/// How deep a contact may begin inside, relative to the lengths that make up its gap.
const DEEPEST: f64 = 0.01;

/// How deep it may begin in any case, in the unit of the gap: rounding of a start value.
const ROUNDING: f64 = 1e-9;

/// A pivot below this part of the diagonal is rounding.
const SINGULAR: f64 = 1e-13;

/// Refuses a start at which the system has no mass, no values, or lies inside itself.
pub(crate) fn check_start(
    definition: &Definition,
    system: &ExpressionSystem,
    start: &State,
) -> Result<(), Problem> {
    check_energy(system, start)?;
    check_mass(definition, system, start)?;
    check_forces(definition, system, start)?;
    check_contacts(definition, system, start)?;
    check_constraints(definition, system, start)
}

fn not_finite(path: &str, what: &str, value: f64) -> Problem {
    let problem = Problem::of(path, format!("{what} is {value} at the start"));
    problem.cure(
        "check for a division by zero, the root of a negative number, or a table beyond its points there",
    )
}

fn check_energy(system: &ExpressionSystem, start: &State) -> Result<(), Problem> {
    let energy = system.energy(&start.q, &start.u, start.t);
    let parts = [("kinetic", energy.kinetic), ("potential", energy.potential)];
    match parts.into_iter().find(|(_, value)| !value.is_finite()) {
        Some((part, value)) => {
            Err(not_finite(&format!("energy.{part}"), &format!("the {part} energy"), value))
        }
        None => Ok(()),
    }
}

/// By Cholesky's factorisation.
fn check_mass(
    definition: &Definition,
    system: &ExpressionSystem,
    start: &State,
) -> Result<(), Problem> {
    let f = start.q.len();
    let mut m = Matrix::zeros(f, f);
    system.mass(&start.q, start.t, &mut m);
    let name = |i: usize| &definition.coordinates[i].name;
    for i in 0..f {
        for j in 0..=i {
            if !m[(i, j)].is_finite() {
                let what =
                    format!("the entry of `{}` and `{}` in the mass matrix", name(i), name(j));
                return Err(not_finite("energy.kinetic", &what, m[(i, j)]));
            }
        }
    }
    let diagonal: Vec<f64> = (0..f).map(|i| m[(i, i)]).collect();
    for i in 0..f {
        let pivot = m[(i, i)];
        if !(pivot > SINGULAR * diagonal[i]) || !(diagonal[i] > 0.0) {
            return Err(no_mass(name(i), diagonal[i], pivot));
        }
        for r in i + 1..f {
            let factor = m[(r, i)] / pivot;
            for c in i + 1..f {
                m[(r, c)] -= factor * m[(i, c)];
            }
        }
    }
    Ok(())
}

fn no_mass(name: &str, diagonal: f64, pivot: f64) -> Problem {
    let reason = if diagonal == 0.0 {
        format!(
            "the mass matrix is singular: the kinetic energy does not contain the velocity of `{name}`"
        )
    } else if diagonal < 0.0 {
        format!("the mass of `{name}` is {diagonal}; the kinetic energy must not be negative")
    } else if pivot.abs() <= SINGULAR * diagonal {
        format!(
            "the mass matrix is singular at the start: `{name}` can move with others at no kinetic energy"
        )
    } else {
        format!("the kinetic energy of some motions of `{name}` is negative at the start")
    };
    Problem::of("energy.kinetic", reason).cure("every motion needs a positive kinetic energy")
}

fn check_forces(
    definition: &Definition,
    system: &ExpressionSystem,
    start: &State,
) -> Result<(), Problem> {
    let mut h = vec![0.0; start.q.len()];
    system.forces(&start.q, &start.u, start.t, &mut h);
    let Some(i) = h.iter().position(|x| !x.is_finite()) else { return Ok(()) };
    let name = &definition.coordinates[i].name;
    let path = match definition.forces.iter().any(|force| force.coordinate == *name) {
        true => format!("forces.{name}"),
        false if definition.potential.is_some() => "energy.potential".into(),
        false => "energy.kinetic".into(),
    };
    Err(not_finite(&path, &format!("the force on `{name}`"), h[i]))
}

fn check_contacts(
    definition: &Definition,
    system: &ExpressionSystem,
    start: &State,
) -> Result<(), Problem> {
    let f = start.q.len();
    let mut gaps = vec![0.0; system.info().contacts.len()];
    let (mut normal, mut tangent) = (vec![0.0; f], vec![0.0; f]);
    system.gaps(&start.q, start.t, &mut gaps);
    for (i, contact) in definition.contacts.iter().enumerate() {
        let (gap, path) = (gaps[i], |field: &str| format!("contact[{i}].{field}"));
        if !gap.is_finite() {
            return Err(not_finite(&path("gap"), &format!("the gap of `{}`", contact.name), gap));
        }
        let mut out = Directions {
            normal: &mut normal,
            tangent: &mut tangent,
            normal_drive: 0.0,
            tangent_drive: 0.0,
        };
        system.directions(i, &start.q, start.t, &mut out);
        let (normal_drive, tangent_drive) = (out.normal_drive, out.tangent_drive);
        if let Some(x) = normal.iter().chain([&normal_drive]).find(|x| !x.is_finite()) {
            return Err(not_finite(&path("gap"), "a derivative of the gap", *x));
        }
        if let Some(x) = tangent.iter().chain([&tangent_drive]).find(|x| !x.is_finite()) {
            return Err(not_finite(&path("slip"), "a derivative of the slip velocity", *x));
        }
        check_friction(system, i, start)?;
        if gap < -ROUNDING.max(DEEPEST * size_of(gap, &normal, &start.q)) {
            let reason =
                format!("`{}` starts inside the contact: its gap is {gap:e}", contact.name);
            let cure = "change the start so that no gap is negative";
            return Err(Problem::of(path("gap"), reason).cure(cure));
        }
    }
    Ok(())
}

/// The terms that a gap or constraint is made up of: |∂g/∂qᵢ qᵢ| summed, and what remains.
fn size_of(value: f64, row: &[f64], q: &[f64]) -> f64 {
    let terms: Vec<f64> = row.iter().zip(q).map(|(w, q)| w * q).collect();
    terms.iter().map(|x| x.abs()).sum::<f64>() + (value - terms.iter().sum::<f64>()).abs()
}

/// A start that is nearly on a constraint is put there; one that is not is refused.
fn check_constraints(
    definition: &Definition,
    system: &ExpressionSystem,
    start: &State,
) -> Result<(), Problem> {
    let (f, contacts) = (start.q.len(), definition.contacts.len());
    let mut values = vec![0.0; system.info().contacts.len()];
    let (mut row, mut tangent) = (vec![0.0; f], vec![0.0; f]);
    system.gaps(&start.q, start.t, &mut values);
    for (i, constraint) in definition.constraints.iter().enumerate() {
        let (value, path) = (values[contacts + i], format!("constraint[{i}].zero"));
        let name = &constraint.name;
        if !value.is_finite() {
            return Err(not_finite(&path, &format!("the constraint `{name}`"), value));
        }
        let (normal, tangent) = (&mut row[..], &mut tangent[..]);
        let mut out = Directions { normal, tangent, normal_drive: 0.0, tangent_drive: 0.0 };
        system.directions(contacts + i, &start.q, start.t, &mut out);
        let drive = out.normal_drive;
        if let Some(x) = row.iter().chain([&drive]).find(|x| !x.is_finite()) {
            return Err(not_finite(&path, "a derivative of the constraint", *x));
        }
        if row.iter().all(|x| *x == 0.0) {
            let reason = format!("all derivatives of the constraint `{name}` vanish at the start");
            return Err(Problem::of(path, reason).cure(
                "a constraint needs a direction in which it acts: write e.g. `x` instead of `x^2`, or start elsewhere",
            ));
        }
        if value.abs() > ROUNDING.max(DEEPEST * size_of(value, &row, &start.q)) {
            let reason = format!("the start breaks the constraint `{name}`: it is {value:e} there");
            return Err(Problem::of(path, reason).cure(
                "change the start so that it is 0; what is off by less is put right, and said",
            ));
        }
    }
    Ok(())
}

/// A coefficient of friction that depends on the configuration or on time.
fn check_friction(system: &ExpressionSystem, contact: usize, start: &State) -> Result<(), Problem> {
    let Some(friction) = system.friction(contact) else { return Ok(()) };
    let (mu, path) =
        (friction.coefficient(&start.q, start.t, 0.0), format!("contact[{contact}].mu"));
    if !mu.is_finite() {
        return Err(not_finite(&path, "mu", mu));
    }
    if mu < 0.0 {
        let reason = format!("mu is {mu} at the start; it must be at least 0");
        return Err(Problem::of(path, reason).cure("write e.g. `max(0, ...)`"));
    }
    Ok(())
}
