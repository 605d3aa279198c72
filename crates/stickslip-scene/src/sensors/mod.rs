//! Sensors: what is measured while a run goes on, as named columns of the recording and names in outputs, plots and conditions.
//!
//! | sensor | what it shows | where it comes from |
//! |---|---|---|
//! | `contact` | the force of contacts on a body | impulses of steps, [`bank`] |
//! | `reaction` | what passes through a joint | the balance of momentum beyond it, [`reaction`] |
//! | `pose` | position, orientation and velocity of a point | the state |
//! | `coordinate` | angle or way of a joint, and its rate | the state |
//! | `distance` | between the shapes of two bodies | the state |
//!
//! Forces are means over the time since the sample before: impulses over that time.

mod bank;
mod bodies;
mod measure;
mod plan;
mod reaction;
mod read;

pub use bank::SensorBank;
pub(crate) use bodies::NumberedBodies;
pub(crate) use measure::{Axes, Measure, PoseParts, ReactionParts};
pub(crate) use plan::{PlannedSensor, plan};
pub(crate) use read::{KEYS, SensorDraft, read};

use crate::bodies::plan::Plan;
use crate::document::Problem;
use glam::DVec3;
use measure::Column;
use reaction::Cut;
use stickslip::bodies::forces::{Axis, Freedom};
use stickslip::bodies::{Geometry, Pose, Twist};
use stickslip::expression::DefinitionError;
use stickslip::system::{State, SystemInfo};

/// All sensors of a scene.
#[derive(Debug)]
pub(crate) struct Sensors {
    bodies: NumberedBodies,
    list: Vec<Sensor>,
    columns: Vec<Column>,
    /// Of the contacts and connections that the model always has: how many components their impulses have.
    components: Vec<usize>,
}

/// A sensor in a model.
#[derive(Debug)]
struct Sensor {
    measure: Measure,
    probe: Probe,
    /// Where its columns begin, and how many they are.
    start: usize,
    count: usize,
}

/// What measuring needs of the model.
#[derive(Debug)]
enum Probe {
    Nothing,
    Cut(Cut),
    /// The axis of a joint, and the places of its coordinate and velocity among the model's own, which count turns.
    Axis(Axis, Option<[usize; 2]>),
}

impl Sensors {
    /// Makes the sensors of a plan for a model whose bodies, contacts and own coordinates are these.
    pub(crate) fn new(
        plan: &Plan,
        bodies: NumberedBodies,
        own: &SystemInfo,
        warnings: &mut Vec<String>,
    ) -> Result<Self, Problem> {
        let components = own.contacts.iter().map(|c| c.law.components()).collect();
        let mut made = Self { components, ..Self::none(bodies) };
        for planned in &plan.sensors {
            let probe = match &planned.measure {
                Measure::Reaction { joint, .. } => match Cut::new(plan, *joint, &made.bodies) {
                    Ok(cut) => Probe::Cut(cut),
                    Err((reason, _)) if planned.dispensable => {
                        let text = format!("the sensor `{}` is left out: {reason}", planned.name);
                        warnings.push(text);
                        continue;
                    }
                    Err((reason, cure)) => return Err(planned.problem(reason).cure(cure)),
                },
                Measure::Coordinate { joint, freedom, .. } => {
                    made.axis(plan, *joint, *freedom, own)
                }
                _ => Probe::Nothing,
            };
            let (start, columns) = (made.columns.len(), planned.measure.columns(&planned.name));
            let (measure, count) = (planned.measure.clone(), columns.len());
            made.columns.extend(columns);
            made.list.push(Sensor { measure, probe, start, count });
        }
        Ok(made)
    }

    /// Where all bodies of the plan are, the ground first.
    pub(crate) fn motions(&self, state: &State) -> Option<Vec<(Pose, Twist)>> {
        self.bodies.motions(state)
    }

    /// The number in the plan of a body by that of the model.
    pub(crate) fn body_of_model(&self, number: usize) -> Option<usize> {
        self.bodies.of_model(number)
    }

    /// No sensors.
    pub(crate) fn none(bodies: NumberedBodies) -> Self {
        Self { bodies, list: Vec::new(), columns: Vec::new(), components: Vec::new() }
    }

    fn axis(&self, plan: &Plan, joint: usize, freedom: Freedom, own: &SystemInfo) -> Probe {
        let (planned, numbers) = (&plan.joints[joint], self.bodies.numbers());
        let on = |side: usize| {
            let body = planned.bodies[side];
            (numbers[body], planned.on(side, &plan.pose(body)))
        };
        let letters = match freedom {
            Freedom::Turn => ["angle", "rate"],
            Freedom::Shift => ["shift", "speed"],
        };
        let [q, u] = letters.map(|letter| format!("{}.{letter}", planned.name));
        let q = own.coordinates.iter().position(|name| *name == q);
        let u = own.velocities.iter().position(|name| *name == u);
        Probe::Axis(Axis::new(freedom, on(0), on(1)), q.zip(u).map(|(q, u)| [q, u]))
    }

    /// The names of all columns, each with its unit.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.columns.iter().map(|column| (column.name.as_str(), column.unit))
    }

    /// The names of all columns, in the order of their values.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.columns.iter().map(|column| column.name.clone())
    }

    /// Names that functions of the state can use: not those of forces.
    pub(crate) fn names_of_state(&self) -> Vec<String> {
        let known = |sensor: &&Sensor| sensor.measure.is_of_state();
        let of = |sensor: &Sensor| sensor.start..sensor.start + sensor.count;
        let all = self.list.iter().filter(known).flat_map(of);
        all.map(|i| self.columns[i].name.clone()).collect()
    }

    /// The values of these names at a state; not numbers where it is none of the model.
    pub(crate) fn values_of_state(&self, state: &State) -> Vec<f64> {
        let mut values = Vec::new();
        let motions = self.bodies.motions(state);
        for sensor in self.list.iter().filter(|sensor| sensor.measure.is_of_state()) {
            match &motions {
                Some(motions) => sensor.of_state(&self.bodies, motions, state, &mut values),
                None => values.resize(values.len() + sensor.count, f64::NAN),
            }
        }
        values
    }

    /// A refusal of a function of the state, which does not know the forces of sensors.
    pub(crate) fn explain(&self, mut error: DefinitionError) -> DefinitionError {
        let unknown = |name: &str| error.reason == format!("unknown name `{name}`");
        if let Some(column) = self.columns.iter().find(|column| unknown(&column.name)) {
            error.reason = format!("`{}` is a force, which the state does not tell", column.name);
            error.cure = Some("forces of sensors are for [[output]] and [[plot]]".to_owned());
        }
        error
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl Sensor {
    /// Appends its values at a state at which all bodies move so; nothing for forces.
    fn of_state(
        &self,
        bodies: &NumberedBodies,
        motions: &[(Pose, Twist)],
        state: &State,
        out: &mut Vec<f64>,
    ) {
        match (&self.measure, &self.probe) {
            (Measure::Pose { body, frame, shows, axes }, _) => {
                let turned = |v: DVec3| axes.turn(motions) * v;
                let (pose, twist) = &motions[*body];
                let lever = pose.rotation * frame.position;
                if shows.position {
                    out.extend((pose.position + lever).to_array());
                }
                if shows.orientation {
                    let q = (pose.rotation * frame.rotation).normalize();
                    out.extend([q.w, q.x, q.y, q.z]);
                }
                if shows.velocity {
                    out.extend(turned(twist.at(lever)).to_array());
                }
                if shows.angular_velocity {
                    out.extend(turned(twist.angular).to_array());
                }
            }
            (Measure::Coordinate { shows, .. }, Probe::Axis(axis, own)) => {
                let number = |list: &[f64], i: usize| list.get(i).copied().unwrap_or(f64::NAN);
                let both = match own {
                    Some([q, u]) => [number(&state.q, *q), number(&state.u, *u)],
                    None => <[f64; 2]>::from(axis.motion(&bodies.by_model(motions))),
                };
                let shown = both.into_iter().zip(shows).filter(|(_, shown)| **shown);
                out.extend(shown.map(|(x, _)| x));
            }
            (Measure::Distance { bodies: [a, b], shapes }, _) => {
                out.push(distance(&motions[*a].0, &motions[*b].0, shapes));
            }
            _ => {}
        }
    }
}

/// The least distance of a shape of one body from a shape of the other.
fn distance(a: &Pose, b: &Pose, [first, second]: &[Vec<(Geometry, Pose)>; 2]) -> f64 {
    let all = first.iter().flat_map(|one| second.iter().map(move |other| (one, other)));
    let each = all.map(|((one, on_a), (other, on_b))| {
        one.distance(&a.then(on_a), other, &b.then(on_b)).unwrap_or(f64::NAN)
    });
    each.fold(f64::INFINITY, |least, x| if x.is_nan() { x } else { least.min(x) })
}
