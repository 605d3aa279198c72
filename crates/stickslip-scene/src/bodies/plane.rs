//! Bodies in the plane: what `dimension = 2` changes of the tables of bodies.
//!
//! Their drafts are those of bodies in space with z = 0: positions, velocities and forces have a third number 0, angles are turns about z.
//! What is left is their shapes and masses, their laws, and the names of their coordinates.

use super::draft::{
    BodyDraft, MotionDraft, Numbers, OrientationDraft, PlaneShapeDraft, ShapeDraft, ShapeKind,
    TurnDraft,
};
use super::read::{list, number, numbers, only, two};
use super::values::{Values, refused};
use crate::document::{Entry, Problem, Table};
use crate::read::{expression, optional};
use glam::{DMat3, DQuat, DVec2, DVec3};
use stickslip::bodies::articulated::LinkId;
use stickslip::bodies::{Geometry, MassProperties, Pose, Tree, Twist};
use stickslip::contact::{Kind, Law};
use stickslip::expression::Scalar;
use stickslip::system::State;

/// The coordinates of a body in the plane as expressions name them, each with its unit.
pub(crate) const COORDINATES: [(&str, &str); 3] = [("x", "m"), ("y", "m"), ("angle", "rad")];

/// Its velocities.
pub(crate) const VELOCITIES: [(&str, &str); 3] = [("vx", "m/s"), ("vy", "m/s"), ("spin", "rad/s")];

/// How far the centre of mass of a shape may be off the origin of its body, as a share of the size.
const CENTRED: f64 = 1e-9;

/// Places in messages are rounded to one part in this of a metre.
const SHOWN: f64 = 1e12;

/// Where bodies are: what a vector of the file has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ambient {
    /// Three numbers.
    #[default]
    Space,
    /// Two, to which a 0 is added.
    Plane,
}

impl Ambient {
    /// By the number of dimensions.
    pub(super) fn read(root: &Table<'_>) -> Result<Self, Problem> {
        let Some(entry) = root.get("dimension") else { return Ok(Self::Space) };
        match entry.scalar()? {
            Scalar::Number(2.0) => Ok(Self::Plane),
            Scalar::Number(3.0) => Ok(Self::Space),
            _ => Err(Problem::at(entry.span(), "bodies are in 2 or 3 dimensions")
                .cure("write `dimension = 2` for bodies in the plane, or leave it out")),
        }
    }

    pub(crate) fn is_plane(self) -> bool {
        self == Self::Plane
    }

    /// How many numbers a vector has, and where.
    fn vectors(self) -> (usize, &'static str) {
        match self {
            Self::Space => (3, "in space"),
            Self::Plane => (2, "in the plane"),
        }
    }

    /// Refuses a vector as it is written in the other number of dimensions.
    fn refuse_other(self, entry: &Entry<'_>, found: usize, what: &str) -> Result<(), Problem> {
        let (count, here) = self.vectors();
        if found == count || !(2..=3).contains(&found) {
            return Ok(());
        }
        let reason = format!("`{}` has {found} {what}; {here} it has {count}", entry.key);
        Err(Problem::at(entry.span(), reason).cure(self.cure()))
    }

    fn cure(self) -> &'static str {
        match self {
            Self::Space => "give x, y and z, or write `dimension = 2` for bodies in the plane",
            Self::Plane => "give x and y, or leave `dimension = 2` out for bodies in space",
        }
    }

    /// A vector of numbers.
    pub(super) fn vector(self, entry: &Entry<'_>) -> Result<Numbers, Problem> {
        let (count, _) = self.vectors();
        let items = entry.items(&format!("a list of {count} numbers"))?;
        self.refuse_other(entry, items.len(), "numbers")?;
        let mut found = numbers(entry, count)?;
        found.list.resize_with(3, || 0.0.into());
        Ok(found)
    }

    /// A vector of expressions.
    pub(super) fn expressions(self, entry: &Entry<'_>) -> Result<(String, Vec<String>), Problem> {
        let (count, _) = self.vectors();
        let what = self.pick("a list of three expressions", "a list of two expressions");
        let items = entry.items(what)?;
        self.refuse_other(entry, items.len(), "expressions")?;
        if items.len() != count {
            let reason =
                format!("`{}` has {} expressions; it must have {count}", entry.key, items.len());
            return Err(Problem::at(entry.span(), reason));
        }
        let mut texts: Vec<String> = items.iter().map(expression).collect::<Result<_, _>>()?;
        texts.resize_with(3, || "0".into());
        Ok((entry.path.clone(), texts))
    }

    /// A torque: three expressions, or one in the plane.
    pub(super) fn torque(self, entry: &Entry<'_>) -> Result<(String, Vec<String>), Problem> {
        self.refuse_single(entry)?;
        match self {
            Self::Space => self.expressions(entry),
            Self::Plane => {
                let zero = || "0".to_owned();
                let example = "write e.g. `torque = \"0.1*sin(t)\"`";
                let text = expression(entry).map_err(|p| p.cure(example))?;
                Ok((entry.path.clone(), vec![zero(), zero(), text]))
            }
        }
    }

    /// Refuses one number in space where it is a list there.
    pub(super) fn refuse_single(self, entry: &Entry<'_>) -> Result<(), Problem> {
        if self.is_plane() || entry.scalar().is_err() {
            return Ok(());
        }
        let reason = format!("`{}` is one number; in space it is a list", entry.key);
        Err(Problem::at(entry.span(), reason).cure(self.cure()))
    }

    /// One of two texts.
    pub(super) fn pick(self, in_space: &'static str, in_plane: &'static str) -> &'static str {
        if self.is_plane() { in_plane } else { in_space }
    }

    /// Refuses keys that are for the other number of dimensions.
    pub(super) fn refuse_keys(
        self,
        table: &Table<'_>,
        keys: &[(&str, &str)],
    ) -> Result<(), Problem> {
        let others = if self.is_plane() { "space" } else { "the plane" };
        for (key, cure) in keys {
            if let Some(entry) = table.get(key) {
                let reason = format!("`{key}` is for bodies in {others}");
                return Err(Problem::at(entry.span(), reason).cure(*cure));
            }
        }
        Ok(())
    }
}

/// Two numbers.
fn pair(entry: &Entry<'_>) -> Result<Numbers, Problem> {
    let mut found = Ambient::Plane.vector(entry)?;
    found.list.truncate(2);
    Ok(found)
}

/// A turn by an angle about z.
fn turn(angle: Numbers) -> OrientationDraft {
    let axis = about_z(&angle.path);
    OrientationDraft::Turns(vec![TurnDraft { axis, angle }])
}

fn about_z(path: &str) -> Numbers {
    Numbers { path: path.to_owned(), list: vec![0.0.into(), 0.0.into(), 1.0.into()] }
}

/// Of a `[[body]]` what is written in another way than in space.
pub(super) fn body(table: &Table<'_>, body: BodyDraft) -> Result<BodyDraft, Problem> {
    Ambient::Plane.refuse_keys(
        table,
        &[
            ("orientation", "write `angle = 0.3`, in radians"),
            ("angular_velocity", "write `spin = 2`, in rad/s"),
            ("parts", "leave them out: contacts are found, by `[collision]`"),
        ],
    )?;
    let one = |key: &str| optional(table, key, |e| number(e).map_err(|p| one_number(e, p)));
    let angle = one("angle")?;
    let spin = one("spin")?.map(|Numbers { path, mut list }| {
        list.splice(0..0, [0.0.into(), 0.0.into()]);
        Numbers { path, list }
    });
    if let (Some(entry), true) = (table.get("angle"), body.motion.is_some()) {
        let reason = "a body with a motion has no `angle` beside it";
        return Err(Problem::at(entry.span(), reason)
            .cure("write it into the motion, `motion = { angle = \"2*t\" }`"));
    }
    let shapes = optional(table, "shape", shapes)?.unwrap_or_default();
    let inertia = one("inertia")?;
    let orientation = angle.clone().map(turn);
    Ok(BodyDraft { angle, orientation, angular_velocity: spin, shapes, inertia, ..body })
}

fn one_number(entry: &Entry<'_>, problem: Problem) -> Problem {
    let example = match entry.key {
        "spin" => "write `spin = 2`, in rad/s",
        "inertia" => "write the moment about the centre of mass, `inertia = 0.02`, in kg m²",
        _ => "write `angle = 0.3`, in radians",
    };
    problem.cure(example)
}

/// A motion by expressions of time.
pub(super) fn motion(entry: &Entry<'_>) -> Result<MotionDraft, Problem> {
    let table = entry.table("`{ position = [\"0.1*sin(t)\", 0] }`")?;
    Ambient::Plane.refuse_keys(&table, &[("axis", "leave it out: angles turn about z")])?;
    table.refuse_others(&["position", "angle"])?;
    let position = optional(&table, "position", |e| Ambient::Plane.expressions(e))?;
    let turn = match table.get("angle") {
        Some(angle) => Some((about_z(&entry.path), (angle.path.clone(), expression(angle)?))),
        None => None,
    };
    if position.is_none() && turn.is_none() {
        return Err(Problem::at(entry.span(), "this motion moves nothing")
            .cure("give it a position or an angle, or set `fixed = true` instead"));
    }
    Ok(MotionDraft { position, turn })
}

const KINDS: [&str; 7] = ["box", "disc", "capsule", "polygon", "half_plane", "chain", "compound"];

/// A shape, or those of a compound.
fn shapes(entry: &Entry<'_>) -> Result<Vec<PlaneShapeDraft>, Problem> {
    let table = entry.table("`{ box = [0.2, 0.1] }`")?;
    if let Some(solid) =
        ["sphere", "cylinder", "ellipsoid", "plane"].iter().find_map(|k| table.get(k))
    {
        let reason = format!("`{}` is a shape in space", solid.key);
        let cure = match solid.key {
            "plane" => "write `{ half_plane = [0, 1] }`, with the normal",
            _ => {
                "write `{ disc = 0.1 }`, or another of box, capsule, polygon, half_plane, chain, compound"
            }
        };
        return Err(Problem::at(solid.span(), reason).cure(cure));
    }
    let one = only(entry, &KINDS, "shape = { box = [0.2, 0.1] }")?;
    if one.key != "compound" {
        return Ok(vec![PlaneShapeDraft { shape: shape(&one)?, at: None, angle: None }]);
    }
    let parts = one.items("a list of shapes")?;
    if parts.is_empty() {
        return Err(Problem::at(one.span(), "this compound has no parts")
            .cure("write e.g. `[{ box = [0.2, 0.1] }, { disc = 0.1, at = [0.1, 0] }]`"));
    }
    parts.iter().map(part).collect()
}

/// A part of a compound: a shape, where it is and how it is turned.
fn part(entry: &Entry<'_>) -> Result<PlaneShapeDraft, Problem> {
    const EXAMPLE: &str = "`{ disc = 0.1, at = [0.1, 0] }`";
    let table = entry.table(EXAMPLE)?;
    let simple = [&KINDS[..4], &KINDS[5..6]].concat();
    table.refuse_others(&[&simple[..], &["at", "angle"]].concat())?;
    let mut kinds = simple.iter().filter_map(|key| table.get(key));
    let (Some(one), None) = (kinds.next(), kinds.next()) else {
        let reason = format!("a part of a compound is one of {}", simple.join(", "));
        return Err(Problem::at(entry.span(), reason).cure(format!("write e.g. {EXAMPLE}")));
    };
    Ok(PlaneShapeDraft {
        shape: shape(one)?,
        at: optional(&table, "at", |e| Ambient::Plane.vector(e))?,
        angle: optional(&table, "angle", number)?,
    })
}

fn shape(one: &Entry<'_>) -> Result<ShapeDraft, Problem> {
    let (kind, numbers) = match one.key {
        "box" => (ShapeKind::Rectangle, pair(one)?),
        "disc" => (ShapeKind::Disc, number(one)?),
        "capsule" => (ShapeKind::PlaneCapsule, two(one, ["radius", "length"])?),
        "half_plane" => (ShapeKind::HalfPlane, pair(one)?),
        "polygon" => (ShapeKind::Polygon, points(one)?),
        _ => (ShapeKind::Chain, points(one)?),
    };
    Ok(ShapeDraft { kind, numbers, solid: None, patch: None })
}

/// Points, one after the other.
fn points(entry: &Entry<'_>) -> Result<Numbers, Problem> {
    let what = "a list of points, e.g. [[0, 0], [1, 0], [0, 1]]";
    let mut all = Numbers { path: entry.path.clone(), list: Vec::new() };
    for point in entry.items(what)? {
        let found = list(&point, "a point [x, y]")?;
        if found.list.len() != 2 {
            let reason = format!("this point has {} numbers; it must have 2", found.list.len());
            return Err(Problem::at(point.span(), reason).cure(format!("write {what}")));
        }
        all.list.extend(found.list);
    }
    Ok(all)
}

/// What a body touches with, and where it is in its axes; none if it has no shape.
pub(crate) fn geometry(
    values: &Values,
    body: &BodyDraft,
) -> Result<Option<(String, Geometry, Pose)>, Problem> {
    let Some(first) = body.shapes.first() else { return Ok(None) };
    let path = first.shape.numbers.path.clone();
    let mut parts = Vec::with_capacity(body.shapes.len());
    for part in &body.shapes {
        let (geometry, mut pose) = of_shape(values, &part.shape)?;
        geometry
            .validate()
            .map_err(|e| Problem::of(part.shape.numbers.path.clone(), e.to_string()))?;
        if part.at.is_some() || part.angle.is_some() {
            let angle = values.optional(&part.angle)?.unwrap_or_default();
            let rotation = DQuat::from_rotation_z(angle);
            pose = Pose { position: values.vector(&part.at)?, rotation };
        }
        parts.push((pose, geometry));
    }
    Ok(Some(match parts.len() {
        1 => {
            let (pose, geometry) = parts.remove(0);
            (path, geometry, pose)
        }
        _ => (path, Geometry::Compound { parts }, Pose::default()),
    }))
}

fn of_shape(values: &Values, shape: &ShapeDraft) -> Result<(Geometry, Pose), Problem> {
    let sizes = values.list(&shape.numbers)?;
    let points = || sizes.chunks_exact(2).map(DVec2::from_slice).collect::<Vec<_>>();
    let not_positive = || sizes.iter().find(|x| !(**x > 0.0)).copied();
    let lengths =
        matches!(shape.kind, ShapeKind::Rectangle | ShapeKind::PlaneCapsule | ShapeKind::Disc);
    if let Some(x) = not_positive().filter(|_| lengths) {
        let reason = format!("a length of a shape is {x}; it must be above 0");
        return Err(Problem::of(shape.numbers.path.clone(), reason));
    }
    let geometry = match (shape.kind, &sizes[..]) {
        (ShapeKind::Rectangle, [a, b]) => Geometry::rectangle(DVec2::new(*a, *b)),
        (ShapeKind::Disc, [radius]) => Geometry::disc(*radius),
        (ShapeKind::PlaneCapsule, [radius, length]) => {
            let end = DVec2::new(0.5 * length, 0.0);
            Geometry::Polygon { points: vec![-end, end], radius: *radius }
        }
        (ShapeKind::HalfPlane, [x, y]) => {
            let numbers = Numbers {
                path: shape.numbers.path.clone(),
                list: vec![(*x).into(), (*y).into(), 0.0.into()],
            };
            let rotation = DQuat::from_rotation_arc(DVec3::Z, values.direction(&numbers)?);
            return Ok((Geometry::HalfSpace, Pose { rotation, ..Pose::default() }));
        }
        (ShapeKind::Chain, _) => Geometry::Chain { points: points() },
        _ => Geometry::Polygon { points: points(), radius: 0.0 },
    };
    Ok((geometry, Pose::default()))
}

/// The half-space below y = 0.
pub(super) fn ground() -> (Geometry, Pose) {
    let rotation = DQuat::from_rotation_arc(DVec3::Z, DVec3::Y);
    (Geometry::HalfSpace, Pose { rotation, ..Pose::default() })
}

/// Mass and moment of inertia: given, or those of the shape.
pub(super) fn mass(
    values: &Values,
    draft: &BodyDraft,
    (given, density): (Option<f64>, Option<f64>),
) -> Result<MassProperties, Problem> {
    if let Some(inertia) = &draft.inertia {
        let Some(mass) = given else {
            return Err(Problem::of(inertia.path.clone(), "an inertia needs the mass beside it")
                .cure("add e.g. `mass = 1.0`"));
        };
        let moment = values.number(inertia)?;
        // A body of the plane does not turn about its other axes; a thin plate may have these moments.
        let tensor = DMat3::from_diagonal(DVec3::new(0.5 * moment, 0.5 * moment, moment));
        return MassProperties::new(mass, tensor).map_err(refused(&inertia.path));
    }
    let Some((path, geometry, pose)) = geometry(values, draft)? else {
        let reason = format!("the body `{}` has neither inertia nor shape", draft.name);
        return Err(Problem::of(draft.path.clone(), reason)
            .cure("add `shape = { box = [0.2, 0.1] }`, or mass and inertia"));
    };
    let unit = geometry.mass_properties(1.0).map_err(|_| {
        let reason = format!("the shape of `{}` has no area, and with it no mass", draft.name);
        Problem::of(path.clone(), reason).cure("add `fixed = true`, or give mass and inertia")
    })?;
    let density = match (given, density) {
        (Some(mass), _) => mass / unit.volume,
        (None, Some(density)) => density,
        (None, None) => {
            let reason = format!("the body `{}` has neither mass nor density", draft.name);
            return Err(Problem::of(draft.path.clone(), reason).cure("add e.g. `mass = 1.0`"));
        }
    };
    let centre = pose.point(unit.centre);
    if centre.length() > CENTRED * unit.volume.sqrt() {
        let [x, y] = [centre.x, centre.y].map(|x| (x * SHOWN).round() / SHOWN);
        let reason = format!(
            "the centre of mass of the shape of `{}` is at [{x}, {y}]; it is the origin of a body",
            draft.name
        );
        return Err(Problem::of(path, reason)
            .cure("take it from all points, or give mass and inertia beside the shape"));
    }
    MassProperties::new(density * unit.volume, density * unit.inertia).map_err(refused(&path))
}

/// A law as contacts in the plane have it.
pub(super) fn law(path: &str, law: Law) -> Result<Law, Problem> {
    match law.kind {
        Kind::Frictionless | Kind::Disc => Ok(Law { kind: Kind::Planar, ..law }),
        _ => Err(Problem::of(
            format!("{path}.friction"),
            "in the plane friction has one direction, and no set",
        )
        .cure("leave it out; `mu` says all")),
    }
}

/// Coordinates and velocities of bodies by their names: x, y, the angle, and their rates. Angles from motions alone are within half a turn.
pub(crate) fn expand(motions: &[(Pose, Twist)], angles: Option<&[f64]>) -> (Vec<f64>, Vec<f64>) {
    let (mut q, mut u) = (Vec::new(), Vec::new());
    for (i, (pose, twist)) in motions.iter().enumerate() {
        let r = pose.rotation;
        let principal = 2.0 * r.z.atan2(r.w);
        let angle = angles.map_or_else(|| turn_of(principal), |angles| angles[i]);
        q.extend([pose.position.x, pose.position.y, angle]);
        u.extend([twist.linear.x, twist.linear.y, twist.angular.z]);
    }
    (q, u)
}

/// An angle within half a turn.
fn turn_of(angle: f64) -> f64 {
    use std::f64::consts::TAU;
    angle - TAU * (angle / TAU).round()
}

/// The angles of links at a state of their tree, with all their turns.
pub(crate) fn angles(tree: &Tree, links: &[LinkId], state: &State) -> Option<Vec<f64>> {
    links.iter().map(|link| tree.angle(*link, &state.q).ok()).collect()
}
