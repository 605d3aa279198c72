//! Bodies, contacts, joints and forces as numbers, from which every body model is built.

use super::BodyModel;
use super::draft::{BodyDraft, ShapeDraft, ShapeKind, SpaceDraft};
use super::plane::{self, Ambient};
use super::solids::{self, SolidDraft};
use super::values::{Values, refused};
use super::{collision, forces, friction, joints, motion, orientation, parts, placed, robot};
use crate::document::Problem;
use crate::sensors::{self, PlannedSensor};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;
use std::sync::Arc;
use stickslip::bodies::point_masses::DistanceStep;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::world::Motion;
use stickslip::bodies::{MassProperties, Pair, Pose, Shape, Twist};
use stickslip::contact::Law;
use stickslip::expression::{Definition, nearest};

pub(crate) use collision::PlannedCollision;
pub(crate) use forces::PlannedForce;
pub(crate) use joints::PlannedJoint;
pub(crate) use placed::PlannedFriction;
pub(crate) use robot::PlannedCoupling;

/// A scene with bodies.
pub(crate) struct Plan {
    pub(crate) ambient: Ambient,
    pub(crate) model: BodyModel,
    pub(crate) variant: Option<DistanceStep>,
    pub(crate) gravity: DVec3,
    pub(crate) bodies: Vec<PlannedBody>,
    pub(crate) contacts: Vec<PlannedContact>,
    pub(crate) joints: Vec<PlannedJoint>,
    pub(crate) forces: Vec<PlannedForce>,
    pub(crate) collision: Option<PlannedCollision>,
    pub(crate) sensors: Vec<PlannedSensor>,
    pub(crate) couplings: Vec<PlannedCoupling>,
    /// Whether robots are in it: trees of joints whose coordinates fit from the start.
    pub(crate) has_robots: bool,
    /// What of robots has no place in the scene, each with its place in the file.
    pub(crate) warnings: Vec<String>,
}

/// A body of a plan. Others name it by its number in the list and one; 0 is the ground.
pub(crate) struct PlannedBody {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) pose: Pose,
    /// In the plane: that of the pose, with all its turns.
    pub(crate) angle: f64,
    /// Its motion at the start, if the file gives it.
    pub(crate) twist: Option<Twist>,
}

/// What moves a body.
pub(crate) enum Role {
    Free(MassProperties),
    /// Joints, and bodies that hang on it; of the model `articulated`.
    Massless,
    Fixed,
    Moved(Motion),
}

impl PlannedBody {
    pub(crate) fn is_free(&self) -> bool {
        matches!(self.role, Role::Free(_))
    }

    /// Whether it moves by its joints or freely.
    pub(crate) fn moves(&self) -> bool {
        matches!(self.role, Role::Free(_) | Role::Massless)
    }
}

/// A contact of a plan.
pub(crate) struct PlannedContact {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) bodies: [usize; 2],
    pub(crate) pair: Arc<dyn Pair>,
    pub(crate) law: Law,
    /// Where it depends on the bodies or on time.
    pub(crate) friction: Option<PlannedFriction>,
}

/// Evaluates a draft.
pub(crate) fn plan(draft: &SpaceDraft, definition: &Definition) -> Result<Plan, Problem> {
    let values = Values::new(definition);
    let gravity = draft
        .gravity
        .as_ref()
        .map(|list| super::draft::Numbers { path: "gravity".into(), list: list.clone() });
    let mut plan = Plan {
        ambient: draft.ambient,
        model: draft.model,
        variant: draft.variant,
        gravity: values.vector(&gravity)?,
        bodies: draft
            .bodies
            .iter()
            .map(|b| body(&values, b, draft.ambient))
            .collect::<Result<_, _>>()?,
        contacts: Vec::new(),
        joints: Vec::new(),
        forces: Vec::new(),
        collision: None,
        sensors: Vec::new(),
        couplings: Vec::new(),
        has_robots: !draft.robots.is_empty(),
        warnings: Vec::new(),
    };
    for body in &draft.bodies {
        plan.warnings.extend(collision::shape_warning(&values, body)?);
    }
    if gravity.is_none() {
        plan.gravity = gravity_of_robots(draft, &mut plan.warnings);
    }
    let mut robots = Vec::with_capacity(draft.robots.len());
    for draft in &draft.robots {
        robots.push(robot::plan(&values, draft, &mut plan)?);
    }
    refuse_same_names(&plan)?;
    let of_robots = draft.robots.iter().flat_map(|r| r.moving().map(|name| (r.path.clone(), name)));
    let names = draft.bodies.iter().map(|b| (format!("{}.name", b.path), b.name.as_str()));
    let names = names.chain(of_robots);
    definition.refuse_taken(names)?;
    draft.bodies.iter().try_for_each(|body| parts::refuse_taken(&values, body))?;
    if !plan.bodies.iter().any(PlannedBody::is_free) {
        return Err(Problem::of("body", "no body can move: all are fixed or have a motion")
            .cure("give one of them a mass, and neither `fixed` nor `motion`"));
    }
    contacts((&values, definition), draft, &mut plan)?;
    let collision = collision::plan((&values, definition), draft, &plan)?;
    plan.collision = robot::collide(&robots, &mut plan, collision)?;
    for joint in &draft.joints {
        let planned = joints::plan(&values, joint, &plan)?;
        plan.joints.push(planned);
    }
    for force in &draft.forces {
        let planned = forces::plan(&values, definition, force, &plan)?;
        plan.forces.push(planned);
    }
    sensors::plan((&values, definition), draft, &mut plan)?;
    Ok(plan)
}

/// Gravity where the scene gives none: that of the robots.
fn gravity_of_robots(draft: &SpaceDraft, warnings: &mut Vec<String>) -> DVec3 {
    let mut all = draft.robots.iter().map(|robot| (robot.gravity(), &robot.path));
    let Some((first, path)) = all.next() else { return DVec3::ZERO };
    if let Some((other, second)) = all.find(|(other, _)| *other != first) {
        warnings.push(format!(
            "{path} and {second} have the gravities {first} and {other}; the first holds, as the scene gives none"
        ));
    }
    first
}

impl Plan {
    /// The number of a body by its name, which stands at a place of the file.
    pub(crate) fn find(&self, (name, place): (&str, &crate::tree::Site)) -> Result<usize, Problem> {
        if name == "ground" {
            return Ok(0);
        }
        let names = || self.bodies.iter().map(|b| b.name.as_str());
        names().position(|n| n == name).map(|i| i + 1).ok_or_else(|| {
            let near = nearest(name, names().chain(["ground"]));
            Problem {
                cure: Some(match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are ground, {}", names().collect::<Vec<_>>().join(", ")),
                }),
                ..Problem::at(place.clone(), format!("there is no body `{name}`"))
            }
        })
    }

    /// Where a body is at the start.
    pub(crate) fn pose(&self, body: usize) -> Pose {
        body.checked_sub(1).map_or(Pose::default(), |i| self.bodies[i].pose)
    }
}

fn refuse_same_names(plan: &Plan) -> Result<(), Problem> {
    for (i, body) in plan.bodies.iter().enumerate() {
        if plan.bodies[..i].iter().any(|other| other.name == body.name) {
            let reason = format!("there are two bodies `{}`", body.name);
            return Err(
                Problem::of(format!("{}.name", body.path), reason).cure("choose another name")
            );
        }
    }
    Ok(())
}

fn body(values: &Values, draft: &BodyDraft, ambient: Ambient) -> Result<PlannedBody, Problem> {
    let pose = Pose {
        position: values.vector(&draft.position)?,
        rotation: orientation::rotation(values, &draft.orientation)?,
    };
    let (role, pose) = match &draft.motion {
        Some(moved) => {
            let motion = motion::prescribed(values, moved)?;
            let start = motion(0.0).0;
            (Role::Moved(motion), start)
        }
        None if draft.fixed => (Role::Fixed, pose),
        None => (Role::Free(mass(values, draft, ambient)?), pose),
    };
    let given = [&draft.velocity, &draft.angular_velocity, &draft.spin];
    let twist = given.iter().any(|x| x.is_some()).then_some(Twist {
        linear: values.vector(&draft.velocity)?,
        angular: values.vector(&draft.angular_velocity)?
            + pose.rotation * values.vector(&draft.spin)?,
    });
    let angle = values.optional(&draft.angle)?.unwrap_or_default();
    let (path, name) = (draft.path.clone(), draft.name.clone());
    Ok(PlannedBody { path, name, role, pose, angle, twist })
}

/// Mass and inertia: given, or those of the shape.
fn mass(values: &Values, draft: &BodyDraft, ambient: Ambient) -> Result<MassProperties, Problem> {
    let given = values.optional(&draft.mass)?;
    let density = values.optional(&draft.density)?;
    for (what, numbers, value) in
        [("mass", &draft.mass, given), ("density", &draft.density, density)]
    {
        if let (Some(numbers), Some(x)) = (numbers, value.filter(|x| !(*x > 0.0))) {
            let reason = format!("the {what} of `{}` is {x}; it must be above 0", draft.name);
            return Err(Problem::of(numbers.path.clone(), reason)
                .cure("a body that nothing moves has `fixed = true` and no mass"));
        }
    }
    if ambient.is_plane() {
        return plane::mass(values, draft, (given, density));
    }
    if let Some(inertia) = &draft.inertia {
        let Some(mass) = given else {
            return Err(Problem::of(inertia.path.clone(), "an inertia needs the mass beside it")
                .cure("add e.g. `mass = 1.0`"));
        };
        let tensor = tensor(&values.list(inertia)?, &inertia.path)?;
        return MassProperties::new(mass, tensor).map_err(refused(&inertia.path));
    }
    let Some(shape) = &draft.shape else {
        let reason = format!("the body `{}` has neither inertia nor shape", draft.name);
        return Err(Problem::of(draft.path.clone(), reason)
            .cure("add `shape = { box = [0.2, 0.1, 0.05] }`, or mass and inertia"));
    };
    if let Some(solid) = &shape.solid {
        return of_solid(values, (&shape.numbers.path, solid), draft, [given, density]);
    }
    let sizes = values.list(&shape.numbers)?;
    let mass = match (given, density) {
        (Some(mass), _) => mass,
        (None, Some(density)) => density * volume(shape.kind, &sizes),
        (None, None) => return Err(without_mass(draft)),
    };
    of_shape(shape, mass, &sizes)
}

fn without_mass(draft: &BodyDraft) -> Problem {
    let reason = format!("the body `{}` has neither mass nor density", draft.name);
    Problem::of(draft.path.clone(), reason).cure("add e.g. `mass = 1.0`")
}

/// Mass and inertia of a shape that is given by points.
fn of_solid(
    values: &Values,
    (path, solid): (&str, &SolidDraft),
    draft: &BodyDraft,
    [given, density]: [Option<f64>; 2],
) -> Result<MassProperties, Problem> {
    let solid = solids::solid(values, (path, solid), true)?;
    let unit = solid.properties(path)?;
    let mass = given.or(density.map(|density| density * unit.volume));
    let mass = mass.ok_or_else(|| without_mass(draft))?;
    MassProperties::new(mass, unit.inertia * (mass / unit.volume)).map_err(refused(path))
}

fn tensor(list: &[f64], path: &str) -> Result<DMat3, Problem> {
    match *list {
        [x, y, z] => Ok(DMat3::from_diagonal(DVec3::new(x, y, z))),
        [xx, yy, zz, xy, xz, yz] => {
            Ok(DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]))
        }
        [a, b, c, d, e, f, g, h, i] => Ok(DMat3::from_cols_array(&[a, d, g, b, e, h, c, f, i])),
        _ => {
            let reason = format!("this has {} numbers; an inertia has 3, 6 or 9", list.len());
            Err(Problem::of(path, reason).cure(
                "write the moments [xx, yy, zz], or [xx, yy, zz, xy, xz, yz], or the rows of the tensor",
            ))
        }
    }
}

fn volume(kind: ShapeKind, sizes: &[f64]) -> f64 {
    let ball = |r: f64| 4.0 / 3.0 * PI * r.powi(3);
    match (kind, sizes) {
        (ShapeKind::Box, [a, b, c]) => a * b * c,
        (ShapeKind::Sphere, [r]) => ball(*r),
        (ShapeKind::Ellipsoid, [a, b, c]) => 4.0 / 3.0 * PI * a * b * c,
        (ShapeKind::Cylinder, [r, h]) => PI * r * r * h,
        (ShapeKind::Capsule, [r, l]) => PI * r * r * l + ball(*r),
        _ => 0.0,
    }
}

fn of_shape(shape: &ShapeDraft, mass: f64, sizes: &[f64]) -> Result<MassProperties, Problem> {
    let path = &shape.numbers.path;
    let least = if shape.kind == ShapeKind::Plane { f64::NEG_INFINITY } else { 0.0 };
    if let Some(bad) = sizes.iter().find(|x| **x < least) {
        return Err(Problem::of(
            path.clone(),
            format!("a length of a shape is {bad}; it must not be negative"),
        ));
    }
    let made = match (shape.kind, sizes) {
        (ShapeKind::Box, [a, b, c]) => MassProperties::cuboid(mass, DVec3::new(*a, *b, *c)),
        (ShapeKind::Sphere, [r]) => MassProperties::sphere(mass, *r),
        (ShapeKind::Ellipsoid, [a, b, c]) => {
            let s = DVec3::new(a * a, b * b, c * c) * (0.2 * mass);
            MassProperties::new(
                mass,
                DMat3::from_diagonal(DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y)),
            )
        }
        (ShapeKind::Cylinder, [r, h]) => MassProperties::cylinder(mass, *r, *h),
        (ShapeKind::Capsule, [r, l]) => capsule(mass, *r, *l),
        _ => {
            let reason =
                "a half-space has no mass of its own; a body with it is fixed or has a motion";
            return Err(Problem::of(path.clone(), reason).cure("add `fixed = true`"));
        }
    };
    made.map_err(refused(path))
}

/// A cylinder of this length with a half-sphere at each end.
fn capsule(mass: f64, r: f64, l: f64) -> Result<MassProperties, stickslip::Error> {
    let (tube, ball) = (PI * r * r * l, 4.0 / 3.0 * PI * r.powi(3));
    let (tube, ball) = (mass * tube / (tube + ball), mass * ball / (tube + ball));
    let axial = 0.5 * tube * r * r + 0.4 * ball * r * r;
    // The two half-spheres together: 2/5 m r² about the centre of the ball, moved out by l/2 with centres 3/8 r farther.
    let across =
        tube * (0.25 * r * r + l * l / 12.0) + ball * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
    MassProperties::new(mass, DMat3::from_diagonal(DVec3::new(across, across, axial)))
}

fn contacts(
    (values, definition): (&Values, &Definition),
    draft: &SpaceDraft,
    plan: &mut Plan,
) -> Result<(), Problem> {
    for contact in &draft.contacts {
        let (law, friction) = friction::law(values, definition, &contact.law)?;
        let [a, b] = &contact.sides;
        let (first, second) =
            (parts::resolve(values, draft, plan, a)?, parts::resolve(values, draft, plan, b)?);
        let many = first.shapes.len() * second.shapes.len() > 1;
        for one in &first.shapes {
            for other in &second.shapes {
                let (shapes, path) = ([one.1, other.1], format!("{}.between", contact.path));
                let name = name(
                    contact.name.as_deref(),
                    many,
                    (&first.name, &one.0),
                    (&second.name, &other.0),
                );
                if first.body == second.body {
                    let reason = format!("this contact is between `{}` and itself", first.name);
                    return Err(Problem::of(path, reason).cure("name parts of two bodies"));
                }
                refuse_points(shapes, &path)?;
                let pair = pair_of(shapes).map_err(unpaired(shapes, &path))?;
                let bodies = [first.body, second.body];
                let (law, friction) = (law.clone(), friction.clone());
                plan.contacts.push(PlannedContact { path, name, bodies, pair, law, friction });
            }
        }
    }
    for (i, contact) in plan.contacts.iter().enumerate() {
        if plan.contacts[..i].iter().any(|other| other.name == contact.name) {
            let reason = format!("there are two contacts `{}`", contact.name);
            return Err(
                Problem::of(contact.path.clone(), reason).cure("give one of them another `name`")
            );
        }
    }
    Ok(())
}

/// Why two shapes do not touch: a plane stands second.
fn unpaired([first, second]: [Shape; 2], path: &str) -> impl Fn(stickslip::Error) -> Problem + '_ {
    move |error| {
        let plane = |shape| matches!(shape, Shape::Plane(..));
        match (plane(first), plane(second), &error) {
            (true, false, stickslip::Error::Combination { .. }) => {
                Problem::of(path, "a plane is the second side of a contact")
                    .cure("swap the two sides")
            }
            (true, true, stickslip::Error::Combination { .. }) => {
                Problem::of(path, "two planes do not touch in points").cure(
                    "write what touches the plane first: corners, rims, ends or a part, e.g. [\"box.corners\", \"ground\"]",
                )
            }
            (_, _, stickslip::Error::Combination { .. }) => Problem::of(
                path,
                "these two shapes cannot touch: points, spheres, discs and ellipsoids touch planes, spheres touch each other and points",
            )
            .cure("choose other parts, e.g. corners of a box, or spheres in the place of discs"),
            _ => Problem::of(path, error.to_string()),
        }
    }
}

fn pair_of([first, second]: [Shape; 2]) -> Result<Arc<dyn Pair>, stickslip::Error> {
    pair(first, second)
}

/// Refuses two points: their gap is a distance, which is never negative, so that they pass each other.
fn refuse_points([first, second]: [Shape; 2], path: &str) -> Result<(), Problem> {
    let point = |shape| matches!(shape, Shape::Point(_));
    if !(point(first) && point(second)) {
        return Ok(());
    }
    Err(Problem::of(path, "two points do not touch: corners and other points pass each other").cure(
        "let one side be a plane or a sphere, e.g. parts.lid = { plane = { point = [0, 0, 0.1], normal = [0, 0, 1] } }",
    ))
}

/// The name of a contact, or of one of several that a table stands for.
fn name(given: Option<&str>, many: bool, first: (&str, &str), second: (&str, &str)) -> String {
    let side = |(body, part): (&str, &str)| match part {
        "" => body.to_owned(),
        part => format!("{body}.{part}"),
    };
    match given {
        None => format!("{}-{}", side(first), side(second)),
        Some(name) if !many => name.to_owned(),
        Some(name) => {
            let parts = [first.1, second.1].into_iter().filter(|p| !p.is_empty());
            std::iter::once(name).chain(parts).collect::<Vec<_>>().join(".")
        }
    }
}
