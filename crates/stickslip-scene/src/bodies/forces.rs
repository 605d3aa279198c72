//! Forces on bodies: springs and dampers between points, and forces by expressions of the state.

use super::draft::{ForceDraft, ForceKind, Numbers};
use super::keys::AXES;
use super::plan::Plan;
use super::plane::{self, Ambient};
use super::read::{number, reference};
use super::values::Values;
use crate::document::{Entry, Problem, Table};
use crate::keys::known;
use crate::read::optional;
use crate::view::expand;
use glam::DVec3;
use std::sync::Arc;
use stickslip::bodies::forces::{Anchor, BodyIndex, Constant, Custom, Damper, Force, Load, Spring};
use stickslip::bodies::{Pose, Twist};
use stickslip::expression::{Definition, Function, Scalar};

/// A force of a plan.
pub(crate) struct PlannedForce {
    pub(crate) path: String,
    kind: Kind,
}

enum Kind {
    Line {
        ends: [(usize, DVec3); 2],
        stiffness: Option<[f64; 2]>,
        damping: Option<f64>,
    },
    /// In numbers: a force and a torque at a point of a body.
    Constant {
        body: usize,
        at: DVec3,
        turns: bool,
        force: DVec3,
        torque: DVec3,
    },
    Load(Arc<Expressions>),
}

/// Forces by expressions at a point of a body.
struct Expressions {
    body: usize,
    at: DVec3,
    turns: bool,
    force: Vec<Function>,
    torque: Vec<Function>,
    /// Which bodies of the plan are free, in the order of their coordinates.
    free: Vec<usize>,
    ambient: Ambient,
}

/// Reads a `[[force]]`.
pub(super) fn read(table: &Table<'_>, ambient: Ambient) -> Result<ForceDraft, Problem> {
    table.refuse_others(&known("force"))?;
    let path = table.path().to_owned();
    let Some(between) = table.get("between") else {
        let body = reference(table.need("body", "body = \"box\"")?)?;
        for key in ["points", "stiffness", "length", "damping"] {
            if let Some(entry) = table.get(key) {
                let reason =
                    format!("`{key}` is for springs and dampers, which are `between` two bodies");
                return Err(Problem::at(entry.span(), reason));
            }
        }
        let turns = optional(table, "axes", |e| e.choice(AXES))? == Some("body");
        let force = optional(table, "force", |e| ambient.expressions(e))?;
        let torque = optional(table, "torque", |e| ambient.torque(e))?;
        if force.is_none() && torque.is_none() {
            table.need("force", ambient.pick("force = [1, 0, 0]", "force = [1, 0]"))?;
        }
        let at = optional(table, "at", |e| ambient.vector(e))?;
        return Ok(ForceDraft { path, kind: ForceKind::Load { body, at, turns, force, torque } });
    };
    for key in ["body", "at", "axes", "force", "torque"] {
        if let Some(entry) = table.get(key) {
            let reason = format!("`{key}` is for forces on one `body`; this one is between two");
            return Err(Problem::at(entry.span(), reason));
        }
    }
    let bodies = between.items("a list of two bodies")?;
    let [a, b] = &bodies[..] else {
        let reason = format!("a spring is between two bodies; here are {}", bodies.len());
        return Err(Problem::at(between.span(), reason));
    };
    let points =
        optional(table, "points", |e| e.items("a list of two points"))?.unwrap_or_default();
    if !points.is_empty() && points.len() != 2 {
        let reason = format!("`points` has {} points; it must have 2", points.len());
        return Err(Problem::at(table.need("points", "")?.span(), reason));
    }
    let point = |i: usize| points.get(i).map(|e: &Entry<'_>| ambient.vector(e)).transpose();
    let ends = [(reference(a)?, point(0)?), (reference(b)?, point(1)?)];
    let (stiffness, length) =
        (optional(table, "stiffness", number)?, optional(table, "length", number)?);
    let damping = optional(table, "damping", number)?;
    if let (Some(entry), None) = (table.get("length"), &stiffness) {
        let reason = "`length` is that of a spring, and there is none";
        return Err(Problem::at(entry.span(), reason).cure("give it a stiffness, or leave it out"));
    }
    if stiffness.is_none() && damping.is_none() {
        table.need("stiffness", "stiffness = 40")?;
    }
    Ok(ForceDraft { path, kind: ForceKind::Line { ends, stiffness, length, damping } })
}

/// Evaluates a force.
pub(super) fn plan(
    values: &Values,
    definition: &Definition,
    draft: &ForceDraft,
    plan: &Plan,
) -> Result<PlannedForce, Problem> {
    let find = |(name, place): &(String, crate::tree::Site)| plan.find((name, place));
    if let ForceKind::Load { body, .. } = &draft.kind {
        let moves = find(body)?.checked_sub(1).is_some_and(|i| plan.bodies[i].is_free());
        if !moves {
            let reason = format!("`{}` does not move freely, so that a force does nothing", body.0);
            return Err(Problem::at(body.1.clone(), reason).cure("leave the force out"));
        }
    }
    let kind = match &draft.kind {
        ForceKind::Line { ends: [(a, p), (b, q)], stiffness, length, damping } => Kind::Line {
            ends: [(find(a)?, values.vector(p)?), (find(b)?, values.vector(q)?)],
            stiffness: match stiffness {
                Some(k) => Some([values.number(k)?, values.optional(length)?.unwrap_or_default()]),
                None => None,
            },
            damping: values.optional(damping)?,
        },
        ForceKind::Load { body, at, turns, force, torque } => {
            let functions =
                |texts: &Option<(String, Vec<String>)>| -> Result<Vec<Function>, Problem> {
                    let Some((path, texts)) = texts else { return Ok(Vec::new()) };
                    let each = texts.iter().map(|text| definition.function(path, text));
                    Ok(each.collect::<Result<_, _>>()?)
                };
            if let (Some(force), Some(torque)) = (constant(values, force), constant(values, torque))
            {
                let (body, at, turns) = (find(body)?, values.vector(at)?, *turns);
                let kind = Kind::Constant { body, at, turns, force, torque };
                return Ok(PlannedForce { path: draft.path.clone(), kind });
            }
            let all = plan.bodies.iter().enumerate();
            let free = all.filter(|(_, b)| b.is_free()).map(|(i, _)| i + 1).collect();
            Kind::Load(Arc::new(Expressions {
                body: find(body)?,
                at: values.vector(at)?,
                turns: *turns,
                force: functions(force)?,
                torque: functions(torque)?,
                free,
                ambient: plan.ambient,
            }))
        }
    };
    Ok(PlannedForce { path: draft.path.clone(), kind })
}

/// A vector that depends on parameters alone; 0 if it is not given.
fn constant(values: &Values, texts: &Option<(String, Vec<String>)>) -> Option<DVec3> {
    let Some((path, texts)) = texts else { return Some(DVec3::ZERO) };
    let list = texts.iter().map(|text| Scalar::Expression(text.clone())).collect();
    values.vector(&Some(Numbers { path: path.clone(), list })).ok()
}

impl PlannedForce {
    /// A force in world axes at a point of a body.
    pub(super) fn constant(path: &str, body: usize, at: DVec3, force: DVec3) -> Self {
        let kind = Kind::Constant { body, at, turns: false, force, torque: DVec3::ZERO };
        Self { path: path.to_owned(), kind }
    }

    /// Refuses a force that has no value at the start, where the bodies that move freely have these motions.
    pub(crate) fn check_start(&self, motions: &[(Pose, Twist)]) -> Result<(), Problem> {
        let Kind::Load(load) = &self.kind else { return Ok(()) };
        let (q, u) = load.see(motions);
        for (key, list) in [("force", &load.force), ("torque", &load.torque)] {
            for (i, function) in list.iter().enumerate() {
                let value = function.value(&q, &u, 0.0);
                if !value.is_finite() {
                    let letter = ["x", "y", "z"][i.min(2)];
                    let reason =
                        format!("the component {letter} of this {key} is {value} at the start");
                    return Err(Problem::of(format!("{}.{key}", self.path), reason).cure(
                        "check for a division by zero, the root of a negative number, or a table beyond its points there",
                    ));
                }
            }
        }
        Ok(())
    }

    /// The forces of a model that numbers the bodies of the plan, the ground first, in this way.
    pub(crate) fn forces(&self, numbers: &[BodyIndex]) -> Vec<Arc<dyn Force>> {
        match &self.kind {
            Kind::Line { ends, stiffness, damping } => {
                let [from, to] = ends.map(|(body, point)| Anchor::on(numbers[body], point));
                let mut all: Vec<Arc<dyn Force>> = Vec::new();
                if let Some([stiffness, length]) = *stiffness {
                    all.push(Arc::new(Spring { from, to, stiffness, length }));
                }
                if let Some(damping) = *damping {
                    all.push(Arc::new(Damper { from, to, damping }));
                }
                all
            }
            Kind::Constant { body, at, turns, force, torque } => {
                let at = Anchor::on(numbers[*body], *at);
                let (force, torque, turns) = (*force, *torque, *turns);
                vec![Arc::new(Constant { at, force, torque, turns })]
            }
            Kind::Load(expressions) => {
                let (given, numbers) = (expressions.clone(), numbers.to_vec());
                vec![Arc::new(Custom::new(
                    move |bodies: &[(Pose, Twist)], t: f64, loads: &mut [Load]| {
                        given.act(&numbers, bodies, t, loads);
                    },
                ))]
            }
        }
    }
}

impl Expressions {
    /// What expressions see of the bodies that are free.
    fn see(&self, motions: &[(Pose, Twist)]) -> (Vec<f64>, Vec<f64>) {
        if self.ambient.is_plane() { plane::expand(motions, None) } else { expand(motions) }
    }

    fn act(&self, numbers: &[BodyIndex], bodies: &[(Pose, Twist)], t: f64, loads: &mut [Load]) {
        let motions: Vec<(Pose, Twist)> =
            self.free.iter().map(|&body| bodies[numbers[body].index()]).collect();
        let (q, u) = self.see(&motions);
        let vector = |list: &[Function]| match list {
            [x, y, z] => DVec3::new(x.value(&q, &u, t), y.value(&q, &u, t), z.value(&q, &u, t)),
            _ => DVec3::ZERO,
        };
        let body = numbers[self.body].index();
        let rotation = bodies[body].0.rotation;
        let turned = |v: DVec3| if self.turns { rotation * v } else { v };
        loads[body].push(rotation * self.at, turned(vector(&self.force)));
        loads[body].torque += turned(vector(&self.torque));
    }
}
