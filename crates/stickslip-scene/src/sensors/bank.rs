//! Sensors in a run: what is added up between samples, and the values of a sample.

use super::measure::Measure;
use super::reaction::Wrench;
use super::{Probe, Sensors};
use glam::DVec3;
use std::sync::Arc;
use stickslip::memory::{Archive, Archived, Unreadable};
use stickslip::model::ContactImpulse;
use stickslip::run::{PassedStep, Sample};
use stickslip::system::State;

/// The sensors of a scene in a run.
#[derive(Clone, Debug)]
pub struct SensorBank {
    sensors: Arc<Sensors>,
    /// Impulses since the last sample, by sensor: of contacts x, y, z and normal, of reactions force and torque.
    impulses: Vec<[f64; 6]>,
    /// The last sample.
    last: Option<State>,
    /// Steps were shown since then: they tell more than samples.
    stepped: bool,
    values: Vec<f64>,
}

impl SensorBank {
    pub(crate) fn new(sensors: Arc<Sensors>) -> Self {
        let impulses = vec![[0.0; 6]; sensors.list.len()];
        let values = vec![f64::NAN; sensors.columns.len()];
        Self { sensors, impulses, last: None, stepped: false, values }
    }

    /// Whether it has to see every step.
    #[must_use]
    pub fn watches_steps(&self) -> bool {
        self.sensors.list.iter().any(|sensor| !sensor.measure.is_of_state())
    }

    /// The names of its columns, each with its unit.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.sensors.columns()
    }

    /// Its values at the last sample, in the order of the columns. Forces are means since the sample before, and not numbers where no time
    /// has passed since then.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Takes a step.
    pub fn step(&mut self, step: &PassedStep<'_>) {
        self.stepped = true;
        self.add([step.from, step.to], step.contacts);
    }

    /// Takes a sample, and finds the values there.
    pub fn sample(&mut self, sample: &Sample<'_>) {
        let state = State { t: sample.t, q: sample.q.to_vec(), u: sample.u.to_vec() };
        let last = self.last.take();
        // Runs without steps show their impulses in samples alone.
        if let (Some(last), false, true) = (&last, self.stepped, self.watches_steps()) {
            self.add([last, &state], &acted(sample, &self.sensors.components));
        }
        self.show(&state, last.map_or(0.0, |last| state.t - last.t));
        self.impulses.fill([0.0; 6]);
        (self.last, self.stepped) = (Some(state), false);
    }

    /// Adds the impulses between two states.
    fn add(&mut self, [from, to]: [&State; 2], contacts: &[ContactImpulse]) {
        let sensors = self.sensors.clone();
        let numbered = |c: &ContactImpulse| {
            let [a, b] = c.point.bodies.map(|body| sensors.bodies.of_model(body));
            Some(([a?, b?], *c))
        };
        let contacts: Vec<([usize; 2], ContactImpulse)> =
            contacts.iter().filter_map(numbered).collect();
        let mut ends = None;
        for (sensor, sum) in sensors.list.iter().zip(&mut self.impulses) {
            match (&sensor.measure, &sensor.probe) {
                (Measure::Contact { body, against, .. }, _) => {
                    contacts.iter().for_each(|c| add_contact(c, (*body, *against), sum));
                }
                (_, Probe::Cut(cut)) => {
                    let both =
                        || Some((sensors.bodies.motions(from)?, sensors.bodies.motions(to)?));
                    let Some((before, after)) = ends.get_or_insert_with(both) else { continue };
                    let all = contacts.iter().copied();
                    let passed = cut.transmitted([before, after], [from.t, to.t], all);
                    let parts = passed.force.to_array().into_iter().chain(passed.torque.to_array());
                    sum.iter_mut().zip(parts).for_each(|(sum, x)| *sum += x);
                }
                _ => {}
            }
        }
    }

    /// Fills the values at a state, this long after the last sample.
    fn show(&mut self, state: &State, passed: f64) {
        let sensors = &self.sensors;
        self.values.clear();
        let Some(motions) = sensors.bodies.motions(state) else {
            self.values.resize(sensors.columns.len(), f64::NAN);
            return;
        };
        let mean = |x: f64| if passed > 0.0 { x / passed } else { f64::NAN };
        for (sensor, sum) in sensors.list.iter().zip(&self.impulses) {
            let sum = sum.map(mean);
            match (&sensor.measure, &sensor.probe) {
                (Measure::Contact { normal_only: true, .. }, _) => self.values.push(sum[3]),
                (Measure::Contact { .. }, _) => self.values.extend(&sum[..4]),
                (Measure::Reaction { shows, axes, .. }, Probe::Cut(cut)) => {
                    let [force, torque] = [&sum[..3], &sum[3..]].map(DVec3::from_slice);
                    let mut wrench = Wrench { force, torque };
                    if let Some(point) = axes.point(&motions) {
                        wrench = wrench.about(point - cut.point(&motions));
                    }
                    let turn = axes.turn(&motions);
                    let parts = [(shows.force, wrench.force), (shows.torque, wrench.torque)];
                    for (_, part) in parts.into_iter().filter(|(shown, _)| *shown) {
                        self.values.extend((turn * part).to_array());
                    }
                }
                _ => sensor.of_state(&sensors.bodies, &motions, state, &mut self.values),
            }
        }
    }
}

/// Adds the impulse of a contact on a body, unless it is with another than the one asked for.
fn add_contact(
    ([first, second], contact): &([usize; 2], ContactImpulse),
    (body, against): (usize, Option<usize>),
    sum: &mut [f64; 6],
) {
    let (other, sign) = match body {
        body if body == *first => (*second, 1.0),
        body if body == *second => (*first, -1.0),
        _ => return,
    };
    if against.is_some_and(|against| against != other) {
        return;
    }
    let vector = contact.point.vector(&contact.impulse);
    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += sign * x);
    sum[3] += contact.impulse[0];
}

/// The contacts of a sample with their impulses; those that the model always has come first, with so many components each.
fn acted(sample: &Sample<'_>, components: &[usize]) -> Vec<ContactImpulse> {
    let mut row = 0;
    let mut all = Vec::new();
    for (k, point) in sample.points.iter().enumerate() {
        let own = components.get(k).copied();
        let rows = own.or(point.map(|p| p.components)).unwrap_or(0);
        let from = sample.impulses.get(row..row + rows).unwrap_or_default();
        all.extend(point.map(|point| ContactImpulse { point, impulse: point.spread(from) }));
        row += rows;
    }
    all
}

impl Archived for SensorBank {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { impulses, last, stepped, .. } = self;
        for x in impulses.iter_mut().flatten() {
            x.pass(archive)?;
        }
        last.pass(archive)?;
        stepped.pass(archive)
    }
}
