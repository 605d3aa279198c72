//! Bodies that touch wherever their shapes meet: `[collision]`, `[[material]]` and `[[material_pair]]`.

use super::draft::{BodyDraft, LawDraft, ShapeDraft, ShapeKind, SpaceDraft};
use super::plan::Plan;
use super::plane::{self, Ambient};
use super::read::{law as read_law, name, reference};
use super::values::{Values, refused};
use super::{friction, solids};
use crate::document::{Entry, Problem, Table};
use crate::keys::known;
use crate::read::optional;
use crate::tree::Site;
use glam::{DQuat, DVec3};
use stickslip::bodies::articulated::LinkId;
use stickslip::bodies::{
    Body, Collider, Geometry, Material, Materials, PointMassWorld, Pose, Tree, World,
};
use stickslip::contact::Law;
use stickslip::expression::{Definition, nearest};

/// What a scene says of collisions.
#[derive(Clone, Debug)]
pub(crate) struct CollisionDraft {
    path: String,
    /// Of bodies without a material.
    law: LawDraft,
    /// Whether the half-space below z = 0 is there.
    ground: bool,
    materials: Vec<MaterialDraft>,
    pairs: Vec<MaterialPairDraft>,
}

#[derive(Clone, Debug)]
struct MaterialDraft {
    path: String,
    name: String,
    law: LawDraft,
}

#[derive(Clone, Debug)]
struct MaterialPairDraft {
    path: String,
    between: [(String, Site); 2],
    law: LawDraft,
}

/// Reads the tables; none without `[collision]`.
pub(super) fn read(root: &Table<'_>) -> Result<Option<CollisionDraft>, Problem> {
    let tables = |key| root.get(key).map_or(Ok(vec![]), Entry::tables);
    let Some(entry) = root.get("collision") else {
        return match ["material", "material_pair"].iter().find_map(|key| root.get(key)) {
            Some(entry) => {
                let reason = format!("`{}` does nothing without collision detection", entry.key);
                Err(Problem::at(entry.span(), reason).cure("add a table [collision]"))
            }
            None => Ok(None),
        };
    };
    let table = entry.table("a table [collision]")?;
    table.refuse_others(&known("collision"))?;
    let mut draft = CollisionDraft {
        path: "collision".into(),
        law: read_law(&table)?,
        ground: optional(&table, "ground", Entry::truth)?.unwrap_or(true),
        materials: Vec::new(),
        pairs: Vec::new(),
    };
    for table in tables("material")? {
        table.refuse_others(&known("material"))?;
        let named = table.need("name", "name = \"rubber\"")?;
        let name = name(named)?;
        if draft.materials.iter().any(|other| other.name == name) {
            let reason = format!("there are two materials `{name}`");
            return Err(Problem::at(named.span(), reason).cure("choose another name"));
        }
        let (path, law) = (table.path().to_owned(), read_law(&table)?);
        draft.materials.push(MaterialDraft { path, name, law });
    }
    for table in tables("material_pair")? {
        table.refuse_others(&known("material_pair"))?;
        let entry = table.need("between", "between = [\"rubber\", \"steel\"]")?;
        let names = entry.items("a list of two materials")?;
        let [a, b] = &names[..] else {
            let reason = format!("a pair has two materials; here are {}", names.len());
            return Err(Problem::at(entry.span(), reason));
        };
        let between = [reference(a)?, reference(b)?];
        let (path, law) = (table.path().to_owned(), read_law(&table)?);
        draft.pairs.push(MaterialPairDraft { path, between, law });
    }
    Ok(Some(draft))
}

/// Collisions as numbers.
pub(crate) struct PlannedCollision {
    /// The first is that of bodies without one.
    pub(super) materials: Vec<(String, Law)>,
    pub(super) pairs: Vec<(String, [usize; 2], Law)>,
    pub(crate) colliders: Vec<PlannedCollider>,
    pub(super) passes: Vec<[usize; 2]>,
}

pub(crate) struct PlannedCollider {
    pub(super) path: String,
    pub(crate) body: usize,
    pub(super) material: usize,
    pub(crate) collider: Collider,
}

/// Evaluates what a scene says of collisions.
pub(super) fn plan(
    (values, definition): (&Values, &Definition),
    draft: &SpaceDraft,
    plan: &Plan,
) -> Result<Option<PlannedCollision>, Problem> {
    let Some(collision) = &draft.collision else {
        return refuse_idle(draft).map(|()| None);
    };
    let law = |path: &str, of: &LawDraft| {
        let law = constant_law(values, definition, path, of)?;
        if draft.ambient.is_plane() { plane::law(path, law) } else { Ok(law) }
    };
    let mut planned = PlannedCollision {
        materials: vec![(collision.path.clone(), law(&collision.path, &collision.law)?)],
        pairs: Vec::new(),
        colliders: Vec::new(),
        passes: Vec::new(),
    };
    for material in &collision.materials {
        planned.materials.push((material.path.clone(), law(&material.path, &material.law)?));
    }
    let find = |(name, place): &(String, Site)| find_material(collision, name, place);
    for pair in &collision.pairs {
        let [a, b] = &pair.between;
        let both = [find(a)?, find(b)?];
        planned.pairs.push((pair.path.clone(), both, law(&pair.path, &pair.law)?));
    }
    if collision.ground {
        let (geometry, pose) = match draft.ambient {
            Ambient::Plane => plane::ground(),
            Ambient::Space => (Geometry::HalfSpace, Pose::default()),
        };
        let collider = Collider::new(0, geometry).with_pose(pose);
        let path = collision.path.clone();
        planned.colliders.push(PlannedCollider { path, body: 0, material: 0, collider });
    }
    for (i, body) in draft.bodies.iter().enumerate() {
        let material = body.material.as_ref().map_or(Ok(0), find)?;
        for other in &body.passes {
            planned.passes.push([i + 1, plan.find((&other.0, &other.1))?]);
        }
        if body.collides == Some(false) {
            refuse_idle_patch(body, "leave it out, or let the body collide")?;
        }
        if let Some((path, geometry, pose)) = geometry(values, body, draft.ambient)? {
            let patch = body.shape.as_ref().and_then(|shape| shape.patch).unwrap_or(false);
            let collider = Collider { patch, ..Collider::new(0, geometry).with_pose(pose) };
            planned.colliders.push(PlannedCollider { path, body: i + 1, material, collider });
        }
    }
    Ok(Some(planned))
}

/// Refuses keys of bodies that do nothing without collision detection.
fn refuse_idle(draft: &SpaceDraft) -> Result<(), Problem> {
    for body in &draft.bodies {
        let idle = [
            ("material", body.material.is_some()),
            ("collides", body.collides.is_some()),
            ("passes", !body.passes.is_empty()),
        ];
        if let Some((key, _)) = idle.into_iter().find(|(_, given)| *given) {
            let reason = format!("`{key}` does nothing without collision detection");
            return Err(Problem::of(format!("{}.{key}", body.path), reason)
                .cure("add a table [collision], or leave it out"));
        }
        refuse_idle_patch(body, "add a table [collision], or leave it out")?;
    }
    Ok(())
}

/// Refuses a patch of a body that does not collide.
fn refuse_idle_patch(body: &BodyDraft, cure: &str) -> Result<(), Problem> {
    match &body.shape {
        Some(ShapeDraft { patch: Some(_), numbers, .. }) => {
            let reason = "`patch` does nothing without collision detection";
            Err(Problem::of(format!("{}.patch", numbers.path), reason).cure(cure))
        }
        _ => Ok(()),
    }
}

fn find_material(collision: &CollisionDraft, name: &str, place: &Site) -> Result<usize, Problem> {
    let names = || collision.materials.iter().map(|m| m.name.as_str());
    names().position(|n| n == name).map(|i| i + 1).ok_or_else(|| {
        let cure = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("add [[material]] with name = \"{name}\""),
        };
        Problem::at(place.clone(), format!("there is no material `{name}`")).cure(cure)
    })
}

/// A law whose coefficient of friction does not depend on places: contacts that are found have none of their own.
fn constant_law(
    values: &Values,
    definition: &Definition,
    path: &str,
    draft: &LawDraft,
) -> Result<Law, Problem> {
    match friction::law(values, definition, draft)? {
        (law, None) => Ok(law),
        (_, Some(_)) => {
            let reason = "the friction of a material cannot depend on coordinates or time";
            Err(Problem::of(format!("{path}.mu"), reason)
                .cure("let it depend on `slip` alone, or give the contact as a [[contact]]"))
        }
    }
}

/// What a body touches with, and where it is in its axes; none if it does not collide.
fn geometry(
    values: &Values,
    body: &BodyDraft,
    ambient: Ambient,
) -> Result<Option<(String, Geometry, Pose)>, Problem> {
    if ambient.is_plane() && !body.shapes.is_empty() {
        return if body.collides == Some(false) { Ok(None) } else { plane::geometry(values, body) };
    }
    let Some(shape) = body.shape.as_ref().filter(|_| body.collides != Some(false)) else {
        if body.collides == Some(true) {
            let reason = format!("the body `{}` has no shape to collide with", body.name);
            return Err(Problem::of(format!("{}.collides", body.path), reason).cure(ambient.pick(
                "add e.g. `shape = { box = [0.2, 0.1, 0.05] }`",
                "add e.g. `shape = { box = [0.2, 0.1] }`",
            )));
        }
        return Ok(None);
    };
    let (geometry, pose) = of_shape(values, shape, body.moves_freely())?;
    if let Err(error) = geometry.validate() {
        return Err(Problem::of(shape.numbers.path.clone(), error.to_string()));
    }
    Ok(Some((shape.numbers.path.clone(), geometry, pose)))
}

/// The shape of a body in its axes, whether it collides or not.
pub(crate) fn shape_of(
    values: &Values,
    body: &BodyDraft,
) -> Result<Option<(Geometry, Pose)>, Problem> {
    body.shape.as_ref().map(|shape| of_shape(values, shape, body.moves_freely())).transpose()
}

/// What about the shape of a body is worth a warning.
pub(super) fn shape_warning(values: &Values, body: &BodyDraft) -> Result<Option<String>, Problem> {
    let Some((shape, solid)) = body.shape.as_ref().and_then(|s| Some((s, s.solid.as_ref()?)))
    else {
        return Ok(None);
    };
    let solid = solids::solid(values, (&shape.numbers.path, solid), body.moves_freely())?;
    Ok(solid.warning.map(|text| format!("the body `{}`: {text}", body.name)))
}

pub(super) fn of_shape(
    values: &Values,
    shape: &ShapeDraft,
    moves: bool,
) -> Result<(Geometry, Pose), Problem> {
    if let Some(solid) = &shape.solid {
        let path = &shape.numbers.path;
        let solid = solids::solid(values, (path, solid), moves)?;
        // The centre of mass of a body that moves is its origin.
        let center = if moves { solid.properties(path)?.center } else { DVec3::ZERO };
        return Ok((solid.geometry, Pose { position: -center, ..Pose::default() }));
    }
    let sizes = values.list(&shape.numbers)?;
    let geometry = match (shape.kind, &sizes[..]) {
        (ShapeKind::Box, [a, b, c]) => Geometry::Box { half_lengths: 0.5 * DVec3::new(*a, *b, *c) },
        (ShapeKind::Sphere, [radius]) => Geometry::Sphere { radius: *radius },
        (ShapeKind::Cylinder, [radius, height]) => {
            Geometry::Cylinder { half_height: 0.5 * height, radius: *radius }
        }
        (ShapeKind::Capsule, [radius, length]) => {
            Geometry::Capsule { half_length: 0.5 * length, radius: *radius }
        }
        (ShapeKind::Plane, _) => {
            let rotation = DQuat::from_rotation_arc(DVec3::Z, values.direction(&shape.numbers)?);
            return Ok((Geometry::HalfSpace, Pose { rotation, ..Pose::default() }));
        }
        _ => {
            let reason = "collision detection does not know ellipsoids";
            return Err(Problem::of(shape.numbers.path.clone(), reason)
                .cure("add `collides = false`, and give its contacts as [[contact]]"));
        }
    };
    Ok((geometry, Pose::default()))
}

/// A model that takes colliders.
pub(super) trait Colliding {
    /// Its bodies.
    type Id: Copy;
    fn materials(&mut self) -> &mut Materials;
    fn collider(
        &mut self,
        body: Self::Id,
        material: Material,
        collider: &Collider,
    ) -> Result<usize, stickslip::Error>;
    fn pass_through(&mut self, first: Self::Id, second: Self::Id);
}

macro_rules! colliding {
    ($model:ty, $id:ty) => {
        impl Colliding for $model {
            type Id = $id;

            fn materials(&mut self) -> &mut Materials {
                self.materials()
            }

            fn collider(
                &mut self,
                body: $id,
                material: Material,
                collider: &Collider,
            ) -> Result<usize, stickslip::Error> {
                self.collider(body, material, collider)
            }

            fn pass_through(&mut self, first: $id, second: $id) {
                self.pass_through(first, second);
            }
        }
    };
}

colliding!(World, Body);
colliding!(PointMassWorld, Body);
colliding!(Tree, LinkId);

/// Adds what was planned to a model with these bodies, the ground first.
pub(super) fn add<C: Colliding>(
    plan: &PlannedCollision,
    model: &mut C,
    ids: &[C::Id],
) -> Result<(), Problem> {
    let mut materials = Vec::with_capacity(plan.materials.len());
    for (path, law) in &plan.materials {
        materials.push(model.materials().add(law.clone()).map_err(refused(path))?);
    }
    for (path, [a, b], law) in &plan.pairs {
        let set = model.materials().set_pair(materials[*a], materials[*b], law.clone());
        set.map_err(refused(path))?;
    }
    for PlannedCollider { path, body, material, collider } in &plan.colliders {
        let added = model.collider(ids[*body], materials[*material], collider);
        added.map_err(refused(path))?;
    }
    for [a, b] in &plan.passes {
        model.pass_through(ids[*a], ids[*b]);
    }
    Ok(())
}
