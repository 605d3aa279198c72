//! Sensors as numbers: bodies and joints found, shapes of distances taken.

use super::measure::{Axes, Measure, PoseParts, ReactionParts};
use super::read::{DraftKind, Named, SensorDraft};
use crate::bodies::plan::Plan;
use crate::bodies::{SpaceDraft, Values, shape_of};
use crate::document::{Mark, Problem};
use stickslip::bodies::{Geometry, Pose};
use stickslip::expression::{Definition, nearest};

/// A sensor of a plan.
#[derive(Clone, Debug)]
pub(crate) struct PlannedSensor {
    /// Where it stands, for errors.
    pub(crate) mark: Mark,
    pub(crate) name: String,
    pub(crate) measure: Measure,
    /// Whether it is left out with a warning where it cannot be: those of robots are.
    pub(crate) dispensable: bool,
}

impl PlannedSensor {
    pub(super) fn problem(&self, reason: String) -> Problem {
        Problem { mark: self.mark.clone(), reason, cure: None }
    }
}

/// Adds the sensors of a scene to its plan, which has all else.
pub(crate) fn plan(
    (values, definition): (&Values, &Definition),
    draft: &SpaceDraft,
    plan: &mut Plan,
) -> Result<(), Problem> {
    for sensor in &draft.sensors {
        let measure = measure(values, draft, sensor, plan)?;
        let mark = Mark::Value(sensor.path.clone(), None);
        let name = sensor.name.clone();
        plan.sensors.push(PlannedSensor { mark, name, measure, dispensable: false });
    }
    refuse_same_names(draft, plan)?;
    let names = draft.sensors.iter().map(|s| (format!("{}.name", s.path), s.name.as_str()));
    Ok(definition.refuse_taken(names)?)
}

fn refuse_same_names(draft: &SpaceDraft, plan: &Plan) -> Result<(), Problem> {
    let bodies = || plan.bodies.iter().map(|body| ("body", &body.name));
    let joints = plan.joints.iter().map(|joint| ("joint", &joint.name));
    let contacts = plan.contacts.iter().map(|contact| ("contact", &contact.name));
    let others: Vec<(&str, &String)> = bodies().chain(joints).chain(contacts).collect();
    for (i, sensor) in draft.sensors.iter().enumerate() {
        let earlier = draft.sensors[..i].iter().map(|other| ("sensor", &other.name));
        let taken = others.iter().copied().chain(earlier).find(|(_, name)| **name == sensor.name);
        if let Some((what, name)) = taken {
            let reason = format!("there is a {what} `{name}` already");
            return Err(Problem::of(format!("{}.name", sensor.path), reason)
                .cure("choose another name: it stands in columns"));
        }
    }
    Ok(())
}

fn measure(
    values: &Values,
    draft: &SpaceDraft,
    sensor: &SensorDraft,
    plan: &Plan,
) -> Result<Measure, Problem> {
    let find = |(name, site): &Named| plan.find((name, site));
    Ok(match &sensor.kind {
        DraftKind::Contact { body, against } => {
            let number = find(body)?;
            let against = against.as_ref().map(find).transpose()?;
            if against == Some(number) {
                let reason = format!("`{}` has no contacts with itself", body.0);
                return Err(Problem::at(body.1.clone(), reason).cure("name another body"));
            }
            refuse_untouched(plan, (number, body), against)?;
            Measure::Contact { body: number, against, normal_only: false }
        }
        DraftKind::Reaction(joint) => {
            let shows = ReactionParts { force: true, torque: true };
            Measure::Reaction { joint: find_joint(plan, joint)?, shows, axes: Axes::World }
        }
        DraftKind::Pose { body, at } => Measure::Pose {
            body: find(body)?,
            frame: Pose { position: values.vector(at)?, ..Pose::default() },
            shows: PoseParts::ALL,
            axes: Axes::World,
        },
        DraftKind::Coordinate(joint) => {
            let number = find_joint(plan, joint)?;
            let Some(freedom) = plan.joints[number].freedom() else {
                let reason = format!("the joint `{}` has not one coordinate", joint.0);
                return Err(Problem::at(joint.1.clone(), reason)
                    .cure("name a revolute or a prismatic joint"));
            };
            Measure::Coordinate { joint: number, freedom, shows: [true; 2] }
        }
        DraftKind::Distance([a, b]) => {
            let bodies = [find(a)?, find(b)?];
            if bodies[0] == bodies[1] {
                let reason = format!("this is the distance of `{}` from itself", b.0);
                return Err(Problem::at(b.1.clone(), reason).cure("name two bodies"));
            }
            let shapes = [shapes(values, draft, plan, a)?, shapes(values, draft, plan, b)?];
            refuse_distance(plan, bodies, &shapes, &b.1)?;
            Measure::Distance { bodies, shapes }
        }
    })
}

/// Refuses a body that nothing can touch: its force would be 0 without a word.
fn refuse_untouched(
    plan: &Plan,
    (number, named): (usize, &Named),
    against: Option<usize>,
) -> Result<(), Problem> {
    let given = plan.contacts.iter().any(|contact| {
        let [a, b] = contact.bodies;
        let other = if a == number { b } else { a };
        (a == number || b == number) && against.is_none_or(|against| against == other)
    });
    let collides = |body: usize| {
        plan.collision.as_ref().is_some_and(|c| c.colliders.iter().any(|c| c.body == body))
    };
    let found = collides(number) && against.is_none_or(collides);
    if given || found {
        return Ok(());
    }
    let reason = match against {
        None => format!("nothing can touch `{}`", named.0),
        Some(_) => format!("`{}` and the body that it is measured against cannot touch", named.0),
    };
    Err(Problem::at(named.1.clone(), reason)
        .cure("add a table [collision] and shapes, or a [[contact]]"))
}

fn find_joint(plan: &Plan, (name, site): &Named) -> Result<usize, Problem> {
    let names = || plan.joints.iter().map(|joint| joint.name.as_str());
    names().position(|n| n == name).ok_or_else(|| {
        let cure = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if plan.joints.is_empty() => "there are no joints".to_owned(),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        };
        Problem::at(site.clone(), format!("there is no joint `{name}`")).cure(cure)
    })
}

/// The shapes of a body: its own, or those that a robot touches with.
fn shapes(
    values: &Values,
    draft: &SpaceDraft,
    plan: &Plan,
    named: &Named,
) -> Result<Vec<(Geometry, Pose)>, Problem> {
    let number = plan.find((&named.0, &named.1))?;
    if number == 0 {
        return Ok(vec![(Geometry::HalfSpace, Pose::default())]);
    }
    let mut all = Vec::new();
    if let Some(body) = draft.bodies.get(number - 1) {
        all.extend(shape_of(values, body)?);
    } else if let Some(collision) = &plan.collision {
        let own = collision.colliders.iter().filter(|c| c.body == number);
        all.extend(own.map(|c| (c.collider.geometry.clone(), c.collider.pose)));
    }
    if all.is_empty() {
        let reason = format!("`{}` has no shape whose distance could be measured", named.0);
        return Err(Problem::at(named.1.clone(), reason)
            .cure("give it one, e.g. `shape = { sphere = 0.1 }`"));
    }
    Ok(all)
}

/// Refuses two bodies whose distance cannot be found where they start.
fn refuse_distance(
    plan: &Plan,
    [a, b]: [usize; 2],
    [first, second]: &[Vec<(Geometry, Pose)>; 2],
    site: &crate::tree::Site,
) -> Result<(), Problem> {
    let (at, there) = (plan.pose(a), plan.pose(b));
    for (one, on_a) in first {
        for (other, on_b) in second {
            one.distance(&at.then(on_a), other, &there.then(on_b))
                .map_err(|error| Problem::at(site.clone(), error.to_string()))?;
        }
    }
    Ok(())
}
