//! From the tables of a document to the draft of bodies.

use super::BodyModel;
use super::draft::*;
use super::plane::{self, Ambient};
use super::{collision, forces, friction, joints, keys, robot, solids};
use crate::document::{Entry, Problem, Table};
use crate::include::Document;
use crate::keys::{known, known_without};
use crate::read::{expression, named, optional};
use crate::tree::Site;
use stickslip::bodies::point_masses::DistanceStep;

/// Reads what a scene says of bodies; none if it has neither `[[body]]` nor `[[robot]]`.
pub(crate) fn space(root: &Table<'_>, document: &Document) -> Result<Option<SpaceDraft>, Problem> {
    if root.get("body").is_none() && root.get("robot").is_none() {
        let tables = keys::TABLES.iter().map(|table| table.name);
        let mut names = keys::TOP.iter().map(|key| key.name).chain(tables);
        return match names.find_map(|name| root.get(name)) {
            Some(entry) => {
                let reason =
                    format!("`{}` is for scenes with bodies, and there is none", entry.key);
                Err(Problem::at(entry.span(), reason).cure("add a [[body]]"))
            }
            None => Ok(None),
        };
    }
    let mut robots = Vec::new();
    for table in root.get("robot").map_or(Ok(vec![]), Entry::tables)? {
        robots.push(robot::read(&table, document)?);
    }
    // Robots are trees of joints, and have what only that model has.
    let usual = if robots.is_empty() { BodyModel::Rigid } else { BodyModel::Articulated };
    for (key, cure) in [
        ("coordinates", "leave it out; bodies have coordinates of their own"),
        ("energy", "leave it out; forces on bodies are tables [[force]]"),
        ("forces", "leave it out; forces on bodies are tables [[force]]"),
        ("constraint", "leave it out; constraints between bodies are tables [[joint]]"),
    ] {
        if let Some(entry) = root.get(key) {
            let reason = format!("a scene has bodies or `{key}`, not both");
            return Err(Problem::at(entry.span(), reason).cure(cure));
        }
    }
    let ambient = Ambient::read(root)?;
    if ambient.is_plane() {
        let leave = "leave it out: bodies in the plane have the coordinates x, y and angle";
        let found = "add `[collision]`: contacts of bodies in the plane are found by their shapes";
        let shown = "leave it out: sensors are for bodies in space; `[[output]]` takes names such as `wheel.x`";
        let keys = [
            ("model", leave),
            ("variant", leave),
            ("robot", "leave it out"),
            ("contact", found),
            ("sensor", shown),
        ];
        ambient.refuse_keys(root, &keys)?;
    }
    let usual = if ambient.is_plane() { BodyModel::Articulated } else { usual };
    let mut space = SpaceDraft {
        ambient,
        model: named(root, "model", &BodyModel::ALL, BodyModel::name)?.unwrap_or(usual),
        variant: named(root, "variant", &DistanceStep::ALL, DistanceStep::name)?,
        gravity: optional(root, "gravity", |e| ambient.vector(e))?.map(|n| n.list),
        robots,
        ..SpaceDraft::default()
    };
    if let (Some(entry), true) = (root.get("variant"), space.model != BodyModel::PointMasses) {
        let reason = format!("the model `{}` has no variants", space.model.name());
        return Err(
            Problem::at(entry.span(), reason).cure("leave it out, or set model = \"point_masses\"")
        );
    }
    for table in root.get("body").map_or(Ok(vec![]), Entry::tables)? {
        space.bodies.push(body(&table, (ambient, document))?);
    }
    for table in root.get("contact").map_or(Ok(vec![]), Entry::tables)? {
        space.contacts.push(contact(&table)?);
    }
    for table in root.get("joint").map_or(Ok(vec![]), Entry::tables)? {
        space.joints.push(joints::read(&table, ambient)?);
    }
    for table in root.get("force").map_or(Ok(vec![]), Entry::tables)? {
        space.forces.push(forces::read(&table, ambient)?);
    }
    for table in root.get("sensor").map_or(Ok(vec![]), Entry::tables)? {
        space.sensors.push(crate::sensors::read(&table)?);
    }
    space.collision = collision::read(root)?;
    Ok(Some(space))
}

/// A list of this many numbers, each of which may be an expression.
pub(crate) fn numbers(entry: &Entry<'_>, count: usize) -> Result<Numbers, Problem> {
    let found = list(entry, &format!("a list of {count} numbers"))?;
    if found.list.len() == count {
        return Ok(found);
    }
    let reason = format!("`{}` has {} numbers; it must have {count}", entry.key, found.list.len());
    Err(Problem::at(entry.span(), reason))
}

/// A list of numbers, each of which may be an expression.
pub(crate) fn list(entry: &Entry<'_>, what: &str) -> Result<Numbers, Problem> {
    let list = entry.items(what)?.iter().map(Entry::scalar).collect::<Result<_, _>>()?;
    Ok(Numbers { path: entry.path.clone(), list })
}

/// One number, which may be an expression.
pub(crate) fn number(entry: &Entry<'_>) -> Result<Numbers, Problem> {
    Ok(Numbers { path: entry.path.clone(), list: vec![entry.scalar()?] })
}

pub(crate) fn vector(entry: &Entry<'_>) -> Result<Numbers, Problem> {
    numbers(entry, 3)
}

/// The name of a body, a part or a joint: expressions and files use it.
pub(crate) fn name(entry: &Entry<'_>) -> Result<String, Problem> {
    let text = entry.text("a name in quotes")?;
    let letter = |c: char| c.is_alphabetic() || c == '_';
    let good = text.starts_with(letter) && text.chars().all(|c| letter(c) || c.is_numeric());
    if good {
        return Ok(text.to_owned());
    }
    Err(Problem::at(entry.span(), format!("{text:?} cannot be used as a name"))
        .cure("a name has letters, digits and `_`, and no digit in front"))
}

/// The name of something of another table, with its place.
pub(crate) fn reference(entry: &Entry<'_>) -> Result<(String, Site), Problem> {
    Ok((entry.text("a name in quotes")?.to_owned(), entry.span()))
}

/// The names of several things of another table.
fn references(entry: &Entry<'_>) -> Result<Vec<(String, Site)>, Problem> {
    entry.items("a list of names in quotes")?.iter().map(reference).collect()
}

/// The only entry of a table such as `{ sphere = 0.1 }`.
pub(crate) fn only<'a>(
    entry: &Entry<'a>,
    known: &[&'static str],
    example: &str,
) -> Result<Entry<'a>, Problem> {
    let table = entry.table(&format!("`{example}`"))?;
    table.refuse_others(known)?;
    match &table.entries[..] {
        [one] => Ok(one.clone()),
        _ => {
            let reason = format!("`{}` needs one of {}", entry.key, known.join(", "));
            Err(Problem::at(entry.span(), reason).cure(format!("write e.g. `{example}`")))
        }
    }
}

fn body(
    table: &Table<'_>,
    (ambient, document): (Ambient, &Document),
) -> Result<BodyDraft, Problem> {
    table.refuse_others(&known("body"))?;
    let named = table.need("name", "name = \"box\"")?;
    let body = BodyDraft {
        path: table.path().to_owned(),
        name: name(named)?,
        fixed: optional(table, "fixed", Entry::truth)?.unwrap_or(false),
        mass: optional(table, "mass", number)?,
        density: optional(table, "density", number)?,
        inertia: None,
        shape: None,
        shapes: Vec::new(),
        parts: Vec::new(),
        position: optional(table, "position", |e| ambient.vector(e))?,
        orientation: None,
        angle: None,
        velocity: optional(table, "velocity", |e| ambient.vector(e))?,
        angular_velocity: None,
        spin: None,
        motion: optional(table, "motion", if ambient.is_plane() { plane::motion } else { motion })?,
        material: optional(table, "material", reference)?,
        collides: optional(table, "collides", Entry::truth)?,
        passes: optional(table, "passes", references)?.unwrap_or_default(),
    };
    if body.name == "ground" {
        return Err(Problem::at(named.span(), "`ground` is the name of what does not move")
            .cure("choose another name"));
    }
    let body = match ambient {
        Ambient::Plane => plane::body(table, body)?,
        Ambient::Space => in_space(table, document, body)?,
    };
    refuse_together(table, &body)?;
    Ok(body)
}

/// What is written in another way in the plane.
fn in_space(table: &Table<'_>, document: &Document, body: BodyDraft) -> Result<BodyDraft, Problem> {
    let turn = "write `orientation = { axis = [0, 0, 1], angle = 0.3 }`, or set `dimension = 2`";
    Ambient::Space.refuse_keys(table, &[("angle", turn)])?;
    Ok(BodyDraft {
        inertia: optional(table, "inertia", |e| {
            Ambient::Space.refuse_single(e)?;
            list(e, "a list of 3, 6 or 9 numbers")
        })?,
        shape: optional(table, "shape", |e| shape(e, document))?,
        parts: optional(table, "parts", parts)?.unwrap_or_default(),
        orientation: optional(table, "orientation", orientation)?,
        angular_velocity: optional(table, "angular_velocity", vector)?,
        spin: optional(table, "spin", |e| {
            Ambient::Space.refuse_single(e)?;
            vector(e)
        })?,
        ..body
    })
}

/// Refuses keys that contradict each other.
fn refuse_together(table: &Table<'_>, body: &BodyDraft) -> Result<(), Problem> {
    let moved = body.motion.is_some();
    let held = if body.fixed { "a fixed body" } else { "a body with a motion" };
    let mut pairs: Vec<(&str, String, bool)> = Vec::new();
    for key in ["mass", "density", "inertia", "velocity", "angular_velocity", "spin"] {
        pairs.push((key, format!("{held} has no `{key}`: no force moves it"), body.fixed || moved));
    }
    for key in ["position", "orientation", "fixed"] {
        let reason = format!("a body with a motion has no `{key}` beside it");
        pairs.push((key, reason, moved));
    }
    pairs.push(("density", "a body has a mass or a density, not both".into(), body.mass.is_some()));
    let both = "angular_velocity is in world axes and spin in those of the body; give one of them";
    pairs.push(("spin", both.into(), table.get("angular_velocity").is_some()));
    for (key, reason, wrong) in pairs {
        if let (Some(entry), true) = (table.get(key), wrong) {
            return Err(Problem::at(entry.span(), reason).cure("leave it out"));
        }
    }
    Ok(())
}

fn shape(entry: &Entry<'_>, document: &Document) -> Result<ShapeDraft, Problem> {
    const KINDS: [&str; 11] = [
        "box",
        "sphere",
        "ellipsoid",
        "cylinder",
        "capsule",
        "cone",
        "plane",
        "hull",
        "mesh",
        "height_field",
        "compound",
    ];
    shape_of(&only(entry, &KINDS, "shape = { box = [0.2, 0.1, 0.05] }")?, document)
}

/// The shape of this key.
pub(super) fn shape_of(one: &Entry<'_>, document: &Document) -> Result<ShapeDraft, Problem> {
    let patch = match one.key {
        "cylinder" | "cone" => {
            let table = one.table("`{ radius = 0.1, height = 0.2 }`")?;
            optional(&table, "patch", Entry::truth)?
        }
        _ => None,
    };
    let (kind, numbers) = match one.key {
        "box" => (ShapeKind::Box, Ambient::Space.vector(one)?),
        "sphere" => (ShapeKind::Sphere, number(one)?),
        "ellipsoid" => (ShapeKind::Ellipsoid, vector(one)?),
        "cylinder" => (ShapeKind::Cylinder, two_and(one, ["radius", "height"], &["patch"])?),
        "capsule" => (ShapeKind::Capsule, two(one, ["radius", "length"])?),
        "plane" => (ShapeKind::Plane, vector(one)?),
        _ => {
            let numbers = Numbers { path: one.path.clone(), list: Vec::new() };
            let solid = Some(solids::read(one, document)?);
            return Ok(ShapeDraft { kind: ShapeKind::Solid, numbers, solid, patch });
        }
    };
    Ok(ShapeDraft { kind, numbers, solid: None, patch })
}

/// Two numbers of a table, by these keys.
pub(super) fn two(entry: &Entry<'_>, keys: [&'static str; 2]) -> Result<Numbers, Problem> {
    two_and(entry, keys, &[])
}

/// The same of a table that may have these keys too.
pub(super) fn two_and(
    entry: &Entry<'_>,
    keys: [&'static str; 2],
    others: &[&'static str],
) -> Result<Numbers, Problem> {
    let example = format!("{{ {} = 0.1, {} = 0.2 }}", keys[0], keys[1]);
    let table = entry.table(&format!("`{example}`"))?;
    table.refuse_others(&[&keys, others].concat())?;
    let list = keys.map(|key| table.need(key, &format!("{key} = 0.1"))?.scalar());
    Ok(Numbers { path: entry.path.clone(), list: list.into_iter().collect::<Result<_, _>>()? })
}

fn parts(entry: &Entry<'_>) -> Result<Vec<(String, PartDraft)>, Problem> {
    let table = entry.table("`parts.tip = { point = [0, 0, 0.1] }`")?;
    let part = |e: &Entry<'_>| Ok((e.key.to_owned(), part(&e.table("`{ point = [0, 0, 0] }`")?)?));
    table.entries.iter().map(part).collect()
}

/// Keys of a shape that touches others.
const PART: [&str; 6] = ["point", "sphere", "disc", "ellipsoid", "plane", "body"];

/// A shape that touches others; `body` beside it belongs to the one who asks.
fn part(table: &Table<'_>) -> Result<PartDraft, Problem> {
    table.refuse_others(&PART)?;
    let mut kinds = PART[..5].iter().filter_map(|key| table.get(key));
    let (Some(entry), None) = (kinds.next(), kinds.next()) else {
        let reason = "a part is one of point, sphere, disc, ellipsoid, plane";
        return Err(
            Problem::at(table.span.clone(), reason).cure("write e.g. `{ point = [0, 0, 0.1] }`")
        );
    };
    let inner = |known: &[&'static str]| {
        let table = entry.table("`{ center = [0, 0, 0], radius = 0.1 }`")?;
        table.refuse_others(known)?;
        Ok::<_, Problem>(table)
    };
    let origin = || Numbers { path: entry.path.clone(), list: vec![0.0.into(); 3] };
    let centre = |t: &Table<'_>, key: &str| {
        Ok::<_, Problem>(optional(t, key, vector)?.unwrap_or_else(origin))
    };
    let need =
        |t: &Table<'_>,
         key: &str,
         example: &str,
         read: fn(&Entry<'_>) -> Result<Numbers, Problem>| { read(t.need(key, example)?) };
    Ok(match entry.key {
        "point" => PartDraft { kind: PartKind::Point, vectors: vec![vector(entry)?], radius: None },
        "sphere" => {
            let t = inner(&["center", "radius"])?;
            let radius = Some(need(&t, "radius", "radius = 0.1", number)?);
            PartDraft { kind: PartKind::Sphere, vectors: vec![centre(&t, "center")?], radius }
        }
        "disc" => {
            let t = inner(&["center", "axis", "radius"])?;
            let radius = Some(need(&t, "radius", "radius = 0.1", number)?);
            let axis = need(&t, "axis", "axis = [0, 0, 1]", vector)?;
            PartDraft { kind: PartKind::Disc, vectors: vec![centre(&t, "center")?, axis], radius }
        }
        "ellipsoid" => {
            let t = inner(&["center", "axes"])?;
            let axes = need(&t, "axes", "axes = [0.2, 0.1, 0.1]", vector)?;
            let vectors = vec![centre(&t, "center")?, axes];
            PartDraft { kind: PartKind::Ellipsoid, vectors, radius: None }
        }
        _ => {
            let t = inner(&["point", "normal"])?;
            let normal = need(&t, "normal", "normal = [0, 0, 1]", vector)?;
            PartDraft {
                kind: PartKind::Plane,
                vectors: vec![centre(&t, "point")?, normal],
                radius: None,
            }
        }
    })
}

pub(crate) fn orientation(entry: &Entry<'_>) -> Result<OrientationDraft, Problem> {
    const WHAT: &str = "a quaternion [w, x, y, z], or { axis = [0, 0, 1], angle = \"pi/4\" }, or a list of such turns";
    if entry.is_table() {
        return Ok(OrientationDraft::Turns(vec![turn(entry)?]));
    }
    let items = entry.items(WHAT)?;
    if items.first().is_some_and(Entry::is_table) {
        return Ok(OrientationDraft::Turns(items.iter().map(turn).collect::<Result<_, _>>()?));
    }
    Ok(OrientationDraft::Quaternion(list(entry, WHAT)?))
}

fn turn(entry: &Entry<'_>) -> Result<TurnDraft, Problem> {
    let table = entry.table("`{ axis = [0, 0, 1], angle = \"pi/4\" }`")?;
    table.refuse_others(&["axis", "angle"])?;
    let mut axis = vector(table.need("axis", "axis = [0, 0, 1]")?)?;
    let mut angle = number(table.need("angle", "angle = \"pi/4\"")?)?;
    // Tables in lists have no place of their own.
    axis.path.clone_from(&entry.path);
    angle.path.clone_from(&entry.path);
    Ok(TurnDraft { axis, angle })
}

fn motion(entry: &Entry<'_>) -> Result<MotionDraft, Problem> {
    let table = entry.table("`{ position = [\"0.1*sin(t)\", 0, 0] }`")?;
    table.refuse_others(&["position", "axis", "angle"])?;
    let position = optional(&table, "position", |e| Ambient::Space.expressions(e))?;
    let turn = match (table.get("axis"), table.get("angle")) {
        (Some(axis), Some(angle)) => {
            Some((vector(axis)?, (angle.path.clone(), expression(angle)?)))
        }
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) => {
            return Err(Problem::at(one.span(), "a turn needs `axis` and `angle`")
                .cure("write e.g. `axis = [0, 0, 1], angle = \"2*t\"`"));
        }
    };
    if position.is_none() && turn.is_none() {
        return Err(Problem::at(entry.span(), "this motion moves nothing")
            .cure("give it a position, or an axis and an angle, or set `fixed = true` instead"));
    }
    Ok(MotionDraft { position, turn })
}

fn contact(table: &Table<'_>) -> Result<ContactDraft, Problem> {
    table.refuse_others(&known_without("contact", &["gap", "slip"]))?;
    let entry = table.need("between", "between = [\"box.corners\", \"ground\"]")?;
    let sides = entry.items("a list of two sides, e.g. [\"box.corners\", \"ground\"]")?;
    let [first, second] = &sides[..] else {
        let reason = format!("a contact is between two sides; here are {}", sides.len());
        return Err(Problem::at(entry.span(), reason));
    };
    let law = law(table)?;
    let name = optional(table, "name", crate::read::contact_name)?;
    let sides = [side(first)?, side(second)?];
    Ok(ContactDraft { path: table.path().to_owned(), name, sides, law })
}

/// The law of a contact or material.
pub(crate) fn law(table: &Table<'_>) -> Result<LawDraft, Problem> {
    Ok(LawDraft {
        mu: optional(table, "mu", number)?,
        mu_static: optional(table, "mu_static", number)?,
        radius: optional(table, "radius", number)?,
        eps_n: optional(table, "eps_n", number)?,
        eps_t: optional(table, "eps_t", number)?,
        rho: optional(table, "rho", number)?,
        friction: optional(table, "friction", friction::read)?,
    })
}

fn side(entry: &Entry<'_>) -> Result<SideDraft, Problem> {
    if !entry.is_table() {
        let what = "a name such as \"box.corners\", or { body = \"box\", point = [0, 0, 0] }";
        return Ok(SideDraft::Named(entry.text(what)?.to_owned(), entry.span()));
    }
    let table = entry.table("")?;
    let body = table.need("body", "body = \"box\"")?;
    let mut part = part(&table)?;
    for numbers in part.vectors.iter_mut().chain(&mut part.radius) {
        numbers.path.clone_from(&entry.path);
    }
    Ok(SideDraft::Given(body.text("a name in quotes")?.to_owned(), body.span(), part))
}
