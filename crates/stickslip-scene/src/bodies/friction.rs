//! Laws of contacts in space: coefficients, restitution, friction sets.

use super::draft::{FrictionDraft, FrictionKind, LawDraft};
use super::placed::PlannedFriction;
use super::read::{list, number, numbers};
use super::values::Values;
use crate::document::{Entry, Problem};
use std::sync::Arc;
use stickslip::contact::set::{ConvexSet, Polyhedron, UniformDisc};
use stickslip::contact::{Kind, Law, SlipDependence};
use stickslip::expression::{Definition, Friction};
use stickslip::system::PlacedFriction;

/// Reads a friction set.
pub(super) fn read(entry: &Entry<'_>) -> Result<FrictionDraft, Problem> {
    const KINDS: [&str; 6] =
        ["ellipse", "ellipsoid", "polygon", "polyhedron", "mixed", "uniform_disc"];
    let draft = |kind, rows| FrictionDraft { path: entry.path.clone(), kind, rows };
    if entry.is_text() {
        let word = entry.choice(&["none", "disc"])?;
        let kind = if word == "none" { FrictionKind::None } else { FrictionKind::Disc };
        return Ok(draft(kind, Vec::new()));
    }
    let one = super::read::only(entry, &KINDS, "friction = { ellipsoid = [1, 1, 0.3] }")?;
    Ok(match one.key {
        "ellipse" => draft(FrictionKind::Ellipse, vec![numbers(&one, 2)?]),
        "ellipsoid" => draft(FrictionKind::Ellipsoid, vec![numbers(&one, 3)?]),
        "polygon" => draft(FrictionKind::Polygon, rows(&one, "a list of corners [t, o]")?),
        "polyhedron" => draft(FrictionKind::Polyhedron, rows(&one, "a list of rows a of a·c ≤ 1")?),
        "uniform_disc" => draft(FrictionKind::UniformDisc, vec![number(&one)?]),
        _ => {
            let table = one.table("`{ ellipse = [1, 1], spin = 0.3 }`")?;
            table.refuse_others(&["ellipse", "spin"])?;
            let ellipse = numbers(table.need("ellipse", "ellipse = [1, 1]")?, 2)?;
            let spin = number(table.need("spin", "spin = 0.3")?)?;
            draft(FrictionKind::Mixed, vec![ellipse, spin])
        }
    })
}

fn rows(entry: &Entry<'_>, what: &str) -> Result<Vec<super::draft::Numbers>, Problem> {
    entry.items(what)?.iter().map(|row| list(row, what)).collect()
}

/// The law. Without a coefficient, a radius and a set there is no friction.
pub(super) fn law(
    values: &Values,
    definition: &Definition,
    draft: &LawDraft,
) -> Result<(Law, Option<PlannedFriction>), Problem> {
    let number = |n| values.optional(n);
    let mu = draft.mu.as_ref().map(|mu| values.friction(mu, definition)).transpose()?;
    let (radius, mu_static) = (number(&draft.radius)?, number(&draft.mu_static)?);
    let plain = mu.is_none() && radius.is_none() && mu_static.is_none();
    let kind = match &draft.friction {
        None if plain => Kind::Frictionless,
        None => Kind::Disc,
        Some(friction) => {
            let kind = kind(values, friction)?;
            if kind == Kind::Frictionless && !plain {
                let reason = "without friction there is neither mu nor radius";
                return Err(Problem::of(friction.path.clone(), reason).cure("leave them out"));
            }
            kind
        }
    };
    let law = Law {
        kind,
        radius: radius.unwrap_or_default(),
        eps_n: number(&draft.eps_n)?.unwrap_or_default(),
        eps_t: number(&draft.eps_t)?.unwrap_or_default(),
        rho: number(&draft.rho)?,
        ..Law::default()
    };
    let varies = !matches!(mu, None | Some(Friction::Constant(_)));
    if let (true, Some(numbers)) = (varies, &draft.mu_static) {
        let reason = "mu_static stands beside a mu that varies";
        return Err(Problem::of(numbers.path.clone(), reason)
            .cure("leave it out: the static coefficient is that of `mu` at slip = 0"));
    }
    let mut placed = None;
    let law = match (mu, mu_static) {
        (Some(Friction::Curve(curve)), _) => law.with_curve(curve),
        (Some(Friction::Placed(mu)), _) => {
            refuse_tangential(&mu, &law, draft)?;
            let path = draft.mu.as_ref().map(|n| n.path.clone()).unwrap_or_default();
            placed = Some(PlannedFriction { path, mu });
            law
        }
        (Some(Friction::Constant(mu)), None) => Law { mu, ..law },
        (Some(Friction::Constant(mu)), Some(at_rest)) => Law { mu, ..law }.with_static(at_rest),
        (_, Some(at_rest)) => law.with_static(at_rest),
        _ => law,
    };
    check(&law, draft)?;
    Ok((law, placed))
}

/// Friction of the slip speed is about the slip at the end of an impact alone.
fn refuse_tangential(
    mu: &Arc<dyn PlacedFriction>,
    law: &Law,
    draft: &LawDraft,
) -> Result<(), Problem> {
    match &draft.eps_t {
        Some(numbers) if mu.by_speed() && law.eps_t != 0.0 => {
            let reason = "eps_t > 0 cannot be used with a `mu` of the slip speed: the law of friction is about the slip at the end of an impact alone";
            Err(Problem::of(numbers.path.clone(), reason).cure("set eps_t to 0"))
        }
        _ => Ok(()),
    }
}

/// Refuses numbers out of range, each at its own place.
fn check(law: &Law, draft: &LawDraft) -> Result<(), Problem> {
    let unit = |x: f64| (0.0..=1.0).contains(&x);
    let all = [
        (&draft.mu, "mu", law.mu, law.mu >= 0.0, "at least 0"),
        (&draft.radius, "radius", law.radius, law.radius >= 0.0, "at least 0"),
        (&draft.eps_n, "eps_n", law.eps_n, unit(law.eps_n), "between 0 and 1"),
        (&draft.eps_t, "eps_t", law.eps_t, unit(law.eps_t), "between 0 and 1"),
        (&draft.rho, "rho", law.rho.unwrap_or_default(), law.rho >= Some(0.0), "at least 0"),
    ];
    for (numbers, name, x, good, range) in all {
        if let (Some(numbers), false) = (numbers, good) {
            return Err(Problem::of(
                numbers.path.clone(),
                format!("{name} is {x}; it must be {range}"),
            ));
        }
    }
    if let (Some(numbers), true) = (&draft.rho, law.kind.set().is_none()) {
        let reason = "rho does nothing without friction";
        return Err(Problem::of(numbers.path.clone(), reason).cure("leave it out"));
    }
    match (&draft.mu_static, &law.slip_dependence) {
        (Some(numbers), SlipDependence::Static(x)) if !(*x >= law.mu) => {
            let reason = format!("mu_static is {x}; it must be at least mu, {}", law.mu);
            Err(Problem::of(numbers.path.clone(), reason))
        }
        _ => Ok(()),
    }
}

fn kind(values: &Values, draft: &FrictionDraft) -> Result<Kind, Problem> {
    let refused = |e: stickslip::contact::Error| Problem::of(draft.path.clone(), e.to_string());
    let rows = draft.rows.iter().map(|row| values.list(row)).collect::<Result<Vec<_>, _>>()?;
    let first = || rows.first().cloned().unwrap_or_default();
    let set = match draft.kind {
        FrictionKind::None => return Ok(Kind::Frictionless),
        FrictionKind::Disc => return Ok(Kind::Disc),
        FrictionKind::Ellipse | FrictionKind::Ellipsoid => ConvexSet::Ellipsoid(first()),
        FrictionKind::Polygon => ConvexSet::Polyhedron(Polyhedron::hull(&rows).map_err(refused)?),
        FrictionKind::Polyhedron => ConvexSet::Polyhedron(Polyhedron::new(&rows).map_err(refused)?),
        FrictionKind::Mixed => match (&first()[..], rows.get(1).map(Vec::as_slice)) {
            (&[a, b], Some(&[spin])) => ConvexSet::Mixed { ellipse: [a, b], spin },
            _ => {
                return Err(Problem::of(
                    draft.path.clone(),
                    "this set needs an ellipse and a spin",
                ));
            }
        },
        FrictionKind::UniformDisc => {
            let radius = first().first().copied().unwrap_or_default();
            ConvexSet::Custom(Arc::new(UniformDisc::new(radius).map_err(refused)?))
        }
    };
    set.validate().map_err(refused)?;
    if !(2..=3).contains(&set.dimension()) {
        let reason = format!("this set has {} dimensions", set.dimension());
        return Err(Problem::of(draft.path.clone(), reason).cure(
            "friction in space has two directions of slip, and spin as the third if it has one",
        ));
    }
    Ok(Kind::Set(Arc::new(set)))
}
