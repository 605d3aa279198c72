//! What touches: the parts of a body's shape, and shapes that a file gives.

use super::draft::{BodyDraft, PartDraft, PartKind, ShapeKind, SideDraft, SpaceDraft};
use super::plan::Plan;
use super::values::Values;
use crate::document::Problem;
use crate::tree::Site;
use glam::DVec3;
use stickslip::bodies::Shape;

/// A side of a contact.
pub(super) struct Side {
    /// The number of the body.
    pub(super) body: usize,
    /// Its name.
    pub(super) name: String,
    /// Shapes by the names of the parts.
    pub(super) shapes: Vec<(String, Shape)>,
}

/// The shapes that a side stands for.
pub(super) fn resolve(
    values: &Values,
    draft: &SpaceDraft,
    plan: &Plan,
    side: &SideDraft,
) -> Result<Side, Problem> {
    match side {
        SideDraft::Given(name, place, part) => {
            let body = plan.find((name, place))?;
            Ok(Side {
                body,
                name: name.clone(),
                shapes: vec![(String::new(), shape(values, part)?)],
            })
        }
        SideDraft::Named(text, place) => {
            let (name, part) = text.split_once('.').unwrap_or((text, ""));
            let body = plan.find((name, place))?;
            let shapes = named(values, draft, body, (part, place))?;
            Ok(Side { body, name: name.to_owned(), shapes })
        }
    }
}

/// The shape that a part gives.
pub(crate) fn shape(values: &Values, part: &PartDraft) -> Result<Shape, Problem> {
    let vector = |i: usize| values.vector(&part.vectors.get(i).cloned());
    let direction = |i: usize| part.vectors.get(i).map_or(Ok(DVec3::Z), |n| values.direction(n));
    let radius = values.optional(&part.radius)?.unwrap_or_default();
    Ok(match part.kind {
        PartKind::Point => Shape::Point(vector(0)?),
        PartKind::Sphere => Shape::Sphere(vector(0)?, radius),
        PartKind::Disc => Shape::Disc(vector(0)?, direction(1)?, radius),
        PartKind::Ellipsoid => Shape::Ellipsoid(vector(0)?, vector(1)?),
        PartKind::Plane => Shape::Plane(vector(0)?, direction(1)?),
    })
}

/// The shapes of a part of a body by its name, or of the whole body.
fn named(
    values: &Values,
    draft: &SpaceDraft,
    body: usize,
    (part, place): (&str, &Site),
) -> Result<Vec<(String, Shape)>, Problem> {
    if body > draft.bodies.len() {
        return Err(Problem::at(place.clone(), "links of robots have no parts to name").cure(
            "give the part with its body, e.g. { body = \"arm_hand\", point = [0, 0, 0.1] }, or add [collision]",
        ));
    }
    let Some(body) = body.checked_sub(1).map(|i| &draft.bodies[i]) else {
        // The half-space below z = 0.
        return match part {
            "" => Ok(vec![(String::new(), Shape::Plane(DVec3::ZERO, DVec3::Z))]),
            part => Err(Problem::at(place.clone(), format!("the ground has no part `{part}`"))
                .cure("write `ground` for the plane z = 0, or { body = \"ground\", plane = { point = [0, 0, 1], normal = [0, 0, 1] } }")),
        };
    };
    if let Some((name, given)) = body.parts.iter().find(|(name, _)| name == part) {
        return Ok(vec![(name.clone(), shape(values, given)?)]);
    }
    let all = match &body.shape {
        Some(of) => {
            if of.kind == ShapeKind::Plane {
                values.direction(&of.numbers)?;
            }
            parts(of.kind, &values.list(&of.numbers)?)
        }
        None => Vec::new(),
    };
    let group = |name: &str| {
        let inside = all.iter().filter(|p| p.groups.contains(&name) || p.name == name);
        inside.map(|p| (p.name.clone(), p.shape)).collect::<Vec<_>>()
    };
    let found = group(part);
    if !found.is_empty() {
        return Ok(found);
    }
    let mut known: Vec<&str> = body.parts.iter().map(|(name, _)| name.as_str()).collect();
    for p in &all {
        let names = p.groups.iter().copied().chain([p.name.as_str()]);
        known.extend(names.filter(|n| !n.is_empty()).collect::<Vec<_>>());
    }
    known.sort_unstable();
    known.dedup();
    let reason = match part {
        "" => format!("the body `{}` needs a part to touch with", body.name),
        part => format!("the body `{}` has no part `{part}`", body.name),
    };
    let names: Vec<String> = known.iter().map(|part| format!("`{}.{part}`", body.name)).collect();
    Err(Problem::at(place.clone(), reason).cure(match names.is_empty() {
        true => {
            format!("add e.g. `parts.tip = {{ point = [0, 0, 0] }}` to the body `{}`", body.name)
        }
        false => format!("choose one of {}", names.join(", ")),
    }))
}

/// Refuses parts of the user's own with names that parts of the shape have.
pub(super) fn refuse_taken(values: &Values, body: &BodyDraft) -> Result<(), Problem> {
    let Some(shape) = body.shape.as_ref().filter(|_| !body.parts.is_empty()) else { return Ok(()) };
    let own = parts(shape.kind, &values.list(&shape.numbers)?);
    for (name, _) in &body.parts {
        if own.iter().any(|p| p.name == *name || p.groups.contains(&name.as_str())) {
            let reason = format!("the shape of `{}` has a part `{name}` already", body.name);
            return Err(Problem::of(format!("{}.parts.{name}", body.path), reason)
                .cure("choose another name"));
        }
    }
    Ok(())
}

/// A part of a shape: its name, and the groups that it belongs to; the empty group is the whole body.
struct Named {
    name: String,
    groups: Vec<&'static str>,
    shape: Shape,
}

/// The parts of a shape. What a whole box or cylinder touches with is found by collision detection, which scenes do not have: corners
/// and rims are named.
fn parts(kind: ShapeKind, sizes: &[f64]) -> Vec<Named> {
    let named = |name: &str, groups: &[&'static str], shape| Named {
        name: name.to_owned(),
        groups: groups.to_vec(),
        shape,
    };
    match (kind, sizes) {
        (ShapeKind::Sphere, [r]) => vec![named("", &[""], Shape::Sphere(DVec3::ZERO, *r))],
        (ShapeKind::Ellipsoid, [a, b, c]) => {
            vec![named("", &[""], Shape::Ellipsoid(DVec3::ZERO, DVec3::new(*a, *b, *c)))]
        }
        (ShapeKind::Plane, [x, y, z]) => {
            let normal = DVec3::new(*x, *y, *z).normalize();
            vec![named("", &[""], Shape::Plane(DVec3::ZERO, normal))]
        }
        (ShapeKind::Box, [a, b, c]) => corners(0.5 * DVec3::new(*a, *b, *c)),
        (ShapeKind::Cylinder, [r, h]) => {
            let disc = |sign: f64| Shape::Disc(DVec3::new(0.0, 0.0, sign * 0.5 * h), DVec3::Z, *r);
            vec![
                named("bottom", &["rims"], disc(-1.0)),
                named("top", &["rims"], disc(1.0)),
                named("middle", &[], Shape::Disc(DVec3::ZERO, DVec3::Z, *r)),
            ]
        }
        (ShapeKind::Capsule, [r, l]) => {
            let end = |sign: f64| Shape::Sphere(DVec3::new(0.0, 0.0, sign * 0.5 * l), *r);
            vec![named("bottom", &["ends"], end(-1.0)), named("top", &["ends"], end(1.0))]
        }
        _ => Vec::new(),
    }
}

/// Corner 1 is at (−, −, −), 2 at (+, −, −), 3 at (−, +, −), and so on; those at the bottom come first.
fn corners(half: DVec3) -> Vec<Named> {
    let sign = |i: usize, bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |i: usize| Named {
        name: format!("corner{}", i + 1),
        groups: vec!["corners", if i < 4 { "bottom" } else { "top" }],
        shape: Shape::Point(half * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2))),
    };
    (0..8).map(corner).collect()
}
