//! Joints: read, and placed on their bodies.

use super::draft::{JointDraft, Numbers};
use super::plan::Plan;
use super::plane::Ambient;
use super::read::{name, number, numbers, reference, vector};
use super::robot::PlannedDrive;
use super::values::Values;
use crate::document::{Entry, Problem, Table};
use crate::keys::known;
use crate::read::optional;
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::TAU;
use stickslip::bodies::forces::Freedom;
use stickslip::bodies::{JointKind, Pose};

/// Two axes of a universal joint are perpendicular to this.
const PERPENDICULAR: f64 = 1e-9;

/// A joint of a plan, on its bodies by their numbers.
pub(crate) struct PlannedJoint {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) kind: JointKind,
    pub(crate) bodies: [usize; 2],
    /// Its frames in the world, at the start.
    pub(crate) frames: [Pose; 2],
    /// The coordinate at the start and its velocity.
    pub(crate) start: f64,
    pub(crate) speed: f64,
    pub(crate) limits: Option<[f64; 2]>,
    pub(crate) motor: Option<[f64; 2]>,
    /// A force or torque of constant size against motion.
    pub(crate) dry: Option<f64>,
    /// μ, and the radius of a pin.
    pub(crate) load_friction: Option<(f64, Option<f64>)>,
    /// Stiffness and the coordinate without force.
    pub(crate) spring: Option<[f64; 2]>,
    pub(crate) damping: Option<f64>,
    /// The inertia of its drive as seen at the joint; of the model `articulated`.
    pub(crate) armature: f64,
    pub(crate) drives: Vec<PlannedDrive>,
}

impl PlannedJoint {
    /// Its frame on a body that is at this pose.
    pub(crate) fn on(&self, side: usize, pose: &Pose) -> Pose {
        let (back, frame) = (pose.rotation.conjugate(), &self.frames[side]);
        Pose {
            position: back * (frame.position - pose.position),
            rotation: (back * frame.rotation).normalize(),
        }
    }

    /// The motion that it leaves, if it is one.
    pub(crate) fn freedom(&self) -> Option<Freedom> {
        match self.kind {
            JointKind::Revolute => Some(Freedom::Turn),
            JointKind::Prismatic => Some(Freedom::Shift),
            _ => None,
        }
    }
}

pub(super) const KINDS: [&str; 9] = [
    "fixed",
    "revolute",
    "prismatic",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "distance",
    "gear",
];

/// Reads a `[[joint]]`.
pub(super) fn read(table: &Table<'_>, ambient: Ambient) -> Result<JointDraft, Problem> {
    table.refuse_others(&known("joint"))?;
    let entry = table.need("between", "between = [\"ground\", \"rod\"]")?;
    let names = entry.items("a list of two bodies")?;
    let [first, second] = &names[..] else {
        let reason = format!("a joint is between two bodies; here are {}", names.len());
        return Err(Problem::at(entry.span(), reason));
    };
    let kind = table.need("kind", "kind = \"revolute\"")?.choice(&KINDS)?;
    if ambient.is_plane() {
        refuse_spatial(table, kind)?;
    }
    refuse_idle(table, kind, ambient)?;
    let (dry, load_friction) = optional(table, "friction", friction)?.unwrap_or_default();
    if let (Some(entry), true) =
        (table.get("friction"), dry.is_some() && table.get("motor").is_some())
    {
        let reason = "a joint has a motor or friction of constant size, not both";
        return Err(Problem::at(entry.span(), reason).cure("leave one of them out"));
    }
    Ok(JointDraft {
        path: table.path().to_owned(),
        name: name(table.need("name", "name = \"hinge\"")?)?,
        kind,
        bodies: [reference(first)?, reference(second)?],
        at: optional(table, "at", |e| ambient.vector(e))?,
        to: optional(table, "to", |e| ambient.vector(e))?,
        axis: optional(table, "axis", |e| ambient.vector(e))?,
        second_axis: optional(table, "second_axis", vector)?,
        length: optional(table, "length", number)?,
        ratio: optional(table, "ratio", number)?,
        start: optional(table, "start", number)?,
        speed: optional(table, "speed", number)?,
        limits: optional(table, "limits", |e| numbers(e, 2))?,
        motor: optional(table, "motor", motor)?,
        spring: optional(table, "spring", spring)?,
        damping: optional(table, "damping", number)?,
        dry,
        load_friction,
    })
}

/// Refuses what joints in the plane do not have.
fn refuse_spatial(table: &Table<'_>, kind: &'static str) -> Result<(), Problem> {
    const KINDS: [&str; 3] = ["revolute", "prismatic", "fixed"];
    if !KINDS.contains(&kind) {
        let reason = format!("a joint of the kind `{kind}` is for bodies in space");
        let place = table.need("kind", "kind = \"revolute\"")?.span();
        return Err(Problem::at(place, reason).cure(format!("choose one of {}", KINDS.join(", "))));
    }
    match table.get("axis") {
        Some(axis) if kind != "prismatic" => {
            let reason = format!("in the plane a joint of the kind `{kind}` has no `axis`");
            Err(Problem::at(axis.span(), reason).cure("leave it out"))
        }
        _ => Ok(()),
    }
}

/// Refuses keys that a joint of this kind has no use for, and asks for those it needs.
fn refuse_idle(table: &Table<'_>, kind: &'static str, ambient: Ambient) -> Result<(), Problem> {
    let one = ["revolute", "prismatic"];
    let used: [(&str, &[&str]); 10] = [
        ("to", &["distance"]),
        ("length", &["distance"]),
        ("ratio", &["gear"]),
        ("second_axis", &["universal", "gear"]),
        ("start", &one),
        ("speed", &one),
        ("limits", &one),
        ("motor", &one),
        ("spring", &one),
        ("damping", &one),
    ];
    for (key, kinds) in used {
        if let (Some(entry), false) = (table.get(key), kinds.contains(&kind)) {
            let reason = format!("a joint of the kind `{kind}` has no `{key}`");
            return Err(Problem::at(entry.span(), reason)
                .cure(format!("leave it out; it is for {}", kinds.join(" and "))));
        }
    }
    for (key, example, kinds) in [
        ("to", "to = [1, 0, 0]", &["distance"][..]),
        ("ratio", "ratio = 2", &["gear"]),
        (
            "axis",
            ambient.pick("axis = [0, 0, 1]", "axis = [1, 0]"),
            &["revolute", "prismatic", "cylindrical", "universal", "planar", "gear"],
        ),
        ("second_axis", "second_axis = [1, 0, 0]", &["universal"]),
    ] {
        // In the plane joints turn about z.
        let plain = ambient.is_plane() && kind == "revolute";
        if kinds.contains(&kind) && !plain {
            table.need(key, example)?;
        }
    }
    if !["gear"].contains(&kind) {
        table.need("at", ambient.pick("at = [0, 0, 0]", "at = [0, 0]"))?;
    }
    Ok(())
}

fn motor(entry: &Entry<'_>) -> Result<[Numbers; 2], Problem> {
    let table = entry.table("`{ speed = 2, most = 10 }`")?;
    table.refuse_others(&["speed", "most"])?;
    Ok([number(table.need("speed", "speed = 2")?)?, number(table.need("most", "most = 10")?)?])
}

fn spring(entry: &Entry<'_>) -> Result<(Numbers, Option<Numbers>), Problem> {
    let table = entry.table("`{ stiffness = 40, rest = 0 }`")?;
    table.refuse_others(&["stiffness", "rest"])?;
    let stiffness = number(table.need("stiffness", "stiffness = 40")?)?;
    Ok((stiffness, optional(&table, "rest", number)?))
}

type Friction = (Option<Numbers>, Option<(Numbers, Option<Numbers>)>);

/// A number is friction of constant size, a table is load-dependent friction.
fn friction(entry: &Entry<'_>) -> Result<Friction, Problem> {
    if !entry.is_table() {
        return Ok((Some(number(entry)?), None));
    }
    let table = entry.table("")?;
    table.refuse_others(&["mu", "radius"])?;
    let mu = number(table.need("mu", "mu = 0.1")?)?;
    Ok((None, Some((mu, optional(&table, "radius", number)?))))
}

/// Puts a joint on its bodies where they are at the start.
pub(super) fn plan(
    values: &Values,
    draft: &JointDraft,
    plan: &Plan,
) -> Result<PlannedJoint, Problem> {
    let bodies = [
        plan.find((&draft.bodies[0].0, &draft.bodies[0].1))?,
        plan.find((&draft.bodies[1].0, &draft.bodies[1].1))?,
    ];
    refuse_bodies(draft, plan, bodies)?;
    if plan.joints.iter().any(|j| j.name == draft.name) {
        let reason = format!("there are two joints `{}`", draft.name);
        return Err(Problem::of(format!("{}.name", draft.path), reason).cure("choose another name"));
    }
    let start = values.optional(&draft.start)?.unwrap_or_default();
    let (kind, frames) = place(values, draft, plan, bodies, start)?;
    let limits = match &draft.limits {
        Some(numbers) => {
            let found: Option<[f64; 2]> = values.list(numbers)?.try_into().ok();
            found.iter().try_for_each(|limits| check_limits(draft, (numbers, kind), limits))?;
            let outside =
                |[least, most]: &[f64; 2]| least <= most && (start < *least || start > *most);
            if let Some([least, most]) = found.filter(outside) {
                let reason = format!(
                    "the joint `{}` starts at {start}, outside its limits {least} and {most}",
                    draft.name
                );
                return Err(
                    Problem::of(numbers.path.clone(), reason).cure("change `start` or the limits")
                );
            }
            found
        }
        None => None,
    };
    Ok(PlannedJoint {
        path: draft.path.clone(),
        name: draft.name.clone(),
        kind,
        bodies,
        frames,
        start,
        speed: values.optional(&draft.speed)?.unwrap_or_default(),
        limits,
        motor: match &draft.motor {
            Some([speed, most]) => {
                Some([values.number(speed)?, not_negative(draft, values, "motor's `most`", most)?])
            }
            None => None,
        },
        dry: match &draft.dry {
            Some(most) => Some(not_negative(draft, values, "friction", most)?),
            None => None,
        },
        load_friction: load_friction(draft, values)?,
        spring: match &draft.spring {
            Some((k, rest)) => {
                let stiffness = not_negative(draft, values, "stiffness", k)?;
                Some([stiffness, values.optional(rest)?.unwrap_or_default()])
            }
            None => None,
        },
        damping: match &draft.damping {
            Some(damping) => Some(not_negative(draft, values, "damping", damping)?),
            None => None,
        },
        armature: 0.0,
        drives: Vec::new(),
    })
}

/// μ of friction by the load, and the radius of a pin: for joints that have a pin or a guide.
fn load_friction(
    draft: &JointDraft,
    values: &Values,
) -> Result<Option<(f64, Option<f64>)>, Problem> {
    let Some((mu, radius)) = &draft.load_friction else { return Ok(None) };
    let (kinds, cure) = match radius {
        Some(_) => (&["revolute", "spherical"][..], "a prismatic joint has `friction = { mu }`"),
        None => {
            (&["prismatic"][..], "revolute and spherical joints have `friction = { mu, radius }`")
        }
    };
    if !kinds.contains(&draft.kind) {
        let with = if radius.is_some() { "with" } else { "without" };
        let reason = format!(
            "the joint `{}` is {}; friction by the load {with} a radius is for joints that are {}",
            draft.name,
            draft.kind,
            kinds.join(" or ")
        );
        return Err(Problem::of(format!("{}.friction", draft.path), reason).cure(cure));
    }
    let mu = not_negative(draft, values, "coefficient of friction", mu)?;
    let radius = radius.as_ref().map(|r| not_negative(draft, values, "radius of the pin", r));
    Ok(Some((mu, radius.transpose()?)))
}

/// A number of a joint that must not be negative.
fn not_negative(
    draft: &JointDraft,
    values: &Values,
    what: &str,
    numbers: &Numbers,
) -> Result<f64, Problem> {
    let x = values.number(numbers)?;
    let good = x.is_finite() && x >= 0.0;
    in_range(draft, what, numbers, (x, good), "a finite number, 0 or more")
}

/// Refuses a number out of range, by the name of the joint.
fn in_range(
    draft: &JointDraft,
    what: &str,
    numbers: &Numbers,
    (x, good): (f64, bool),
    range: &str,
) -> Result<f64, Problem> {
    if good {
        return Ok(x);
    }
    let reason = format!("the {what} of the joint `{}` is {x}; it must be {range}", draft.name);
    Err(Problem::of(numbers.path.clone(), reason))
}

/// A joint is between two bodies of which at least one moves freely.
fn refuse_bodies(draft: &JointDraft, plan: &Plan, bodies: [usize; 2]) -> Result<(), Problem> {
    let path = format!("{}.between", draft.path);
    let free = |b: usize| b.checked_sub(1).is_some_and(|i| plan.bodies[i].is_free());
    let (first, second) = (&draft.bodies[0].0, &draft.bodies[1].0);
    if bodies[0] == bodies[1] {
        let reason = format!("the joint `{}` is between `{first}` and itself", draft.name);
        return Err(
            Problem::of(path, reason).cure("name two bodies; `ground` is one that does not move")
        );
    }
    if !bodies.into_iter().any(free) {
        let reason = format!(
            "the joint `{}` is between `{first}` and `{second}`, which forces do not move",
            draft.name
        );
        return Err(Problem::of(path, reason)
            .cure("leave it out, or let one of them move: give it a mass, and neither `fixed` nor `motion`"));
    }
    Ok(())
}

/// The kind of a joint, and its frames in the world at the start.
fn place(
    values: &Values,
    draft: &JointDraft,
    plan: &Plan,
    bodies: [usize; 2],
    start: f64,
) -> Result<(JointKind, [Pose; 2]), Problem> {
    let at = values.vector(&draft.at)?;
    let axis = draft.axis.as_ref().map_or(Ok(DVec3::Z), |n| values.direction(n))?;
    let frame = Pose { position: at, rotation: DQuat::from_rotation_arc(DVec3::Z, axis) };
    let turned =
        |angle: f64| Pose { rotation: frame.rotation * DQuat::from_rotation_z(angle), ..frame };
    Ok(match draft.kind {
        "fixed" => (JointKind::Fixed, [frame; 2]),
        "revolute" => (JointKind::Revolute, [frame, turned(start)]),
        "prismatic" => {
            (JointKind::Prismatic, [frame, Pose { position: at + start * axis, ..frame }])
        }
        "cylindrical" => (JointKind::Cylindrical, [frame; 2]),
        "spherical" => (JointKind::Spherical, [frame; 2]),
        "planar" => (JointKind::Planar, [frame; 2]),
        "universal" => {
            let second =
                draft.second_axis.as_ref().map_or(Ok(DVec3::X), |n| values.direction(n))?;
            if second.dot(axis).abs() > PERPENDICULAR {
                let reason = format!("the axes of `{}` are not perpendicular", draft.name);
                return Err(Problem::of(format!("{}.second_axis", draft.path), reason));
            }
            let axes = DMat3::from_cols(second, axis.cross(second), axis);
            (
                JointKind::Universal,
                [Pose { rotation: DQuat::from_mat3(&axes).normalize(), ..frame }; 2],
            )
        }
        "distance" => {
            let to = values.vector(&draft.to)?;
            let length = match &draft.length {
                Some(numbers) => {
                    let x = values.number(numbers)?;
                    let good = x.is_finite() && x > 0.0;
                    in_range(draft, "length", numbers, (x, good), "a finite number above 0")?
                }
                None => (to - at).length(),
            };
            (JointKind::Distance(length), [frame, Pose { position: to, ..frame }])
        }
        _ => {
            let ratio = match &draft.ratio {
                Some(numbers) => {
                    let x = values.number(numbers)?;
                    let good = x.is_finite() && x != 0.0;
                    in_range(draft, "ratio", numbers, (x, good), "a finite number other than 0")?
                }
                None => 1.0,
            };
            let second = draft.second_axis.as_ref().map_or(Ok(axis), |n| values.direction(n))?;
            let on = |body: usize, axis: DVec3| Pose {
                position: plan.pose(body).position,
                rotation: DQuat::from_rotation_arc(DVec3::Z, axis),
            };
            (JointKind::Gear(ratio), [on(bodies[0], axis), on(bodies[1], second)])
        }
    })
}

/// Refuses limits in the wrong order, and angles that cannot be told apart.
fn check_limits(
    draft: &JointDraft,
    (numbers, kind): (&Numbers, JointKind),
    [least, most]: &[f64; 2],
) -> Result<(), Problem> {
    let name = &draft.name;
    if !(least.is_finite() && most.is_finite()) {
        let reason = format!("the limits of the joint `{name}` are {least} and {most}");
        return Err(Problem::of(numbers.path.clone(), reason).cure("give two finite numbers"));
    }
    if !(least < most) {
        let reason = format!(
            "the lower limit of the joint `{name}`, {least}, is not below the upper, {most}"
        );
        return Err(Problem::of(numbers.path.clone(), reason)
            .cure("write the lower limit first, e.g. `limits = [-1, 1]`"));
    }
    if kind == JointKind::Revolute && most - least >= TAU {
        let between = most - least;
        let reason = format!(
            "the limits of the joint `{name}` are {between} rad apart; they must be less than a full turn apart: poses do not count turns"
        );
        return Err(Problem::of(numbers.path.clone(), reason)
            .cure("angles are in radians: 60 degrees are \"pi/3\""));
    }
    Ok(())
}
