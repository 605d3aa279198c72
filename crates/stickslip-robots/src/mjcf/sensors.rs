//! `<sensor>` and `<keyframe>`.

use super::{Reader, register};
use crate::error::{Error, Problem, WarningKind};
use crate::model::{ModelKeyframe, ModelSensor, SensorTarget};
use crate::names::Names;
use crate::xml::{Attribute, Element};

/// Elements whose bodies are not in the model, so that states have other lengths.
const WITH_BODIES: [&str; 4] = ["attach", "composite", "flexcomp", "replicate"];

impl Reader<'_> {
    pub(super) fn read_sensors(&mut self, root: &Element) -> Result<(), Error> {
        let mut names = Names::new("sensor");
        for element in root.children_named("sensor").flat_map(|section| &section.children) {
            for attribute in needed(&element.name) {
                element.required(attribute)?;
            }
            let sensor = ModelSensor {
                name: register(&mut names, element, self.model.sensors.len())?,
                place: element.place.clone(),
                kind: element.name.clone(),
                targets: self.sensor_targets(element)?,
                noise: element.non_negative("noise")?.unwrap_or(0.0),
                cutoff: element.non_negative("cutoff")?.unwrap_or(0.0),
            };
            self.model.sensors.push(sensor);
        }
        Ok(())
    }

    fn sensor_targets(&self, element: &Element) -> Result<Vec<SensorTarget>, Error> {
        let mut targets = Vec::new();
        for attribute in &element.attributes {
            let kind = match attribute.name.as_str() {
                "objname" | "refname" => {
                    let word = if attribute.name == "objname" { "objtype" } else { "reftype" };
                    let kind = element.required(word)?.value.as_str();
                    if kind == "body" {
                        targets.push(SensorTarget::Inertial(self.bodies.find(attribute)?));
                        continue;
                    }
                    kind
                }
                "name" | "noise" | "cutoff" | "objtype" | "reftype" => continue,
                other => other.trim_end_matches(['1', '2']),
            };
            targets.push(self.sensor_target(kind, attribute)?);
        }
        Ok(targets)
    }

    fn sensor_target(&self, kind: &str, attribute: &Attribute) -> Result<SensorTarget, Error> {
        Ok(match kind {
            "body" | "xbody" | "subtree" => SensorTarget::Body(self.bodies.find(attribute)?),
            "joint" => SensorTarget::Joint(self.joints.find(attribute)?),
            "geom" => SensorTarget::Geometry(self.geoms.find(attribute)?),
            "site" => SensorTarget::Site(self.sites.find(attribute)?),
            "actuator" if self.actuators.get(&attribute.value).is_some() => {
                SensorTarget::Actuator(self.actuators.find(attribute)?)
            }
            "actuator" if self.controls.iter().all(Option::is_some) => {
                SensorTarget::Actuator(self.actuators.find(attribute)?)
            }
            other => SensorTarget::Other { kind: other.to_owned(), name: attribute.value.clone() },
        })
    }

    pub(super) fn read_keyframes(&mut self, root: &Element) -> Result<(), Error> {
        let mut names = Names::new("keyframe");
        let foreign = self.model.warnings.iter().any(|warning| match &warning.kind {
            WarningKind::UnsupportedElement { element, .. } => {
                WITH_BODIES.contains(&element.as_str())
            }
            _ => false,
        });
        for element in root.children_named("keyframe").flat_map(|section| &section.children) {
            if foreign {
                self.note(
                    &element.place,
                    "the keyframe is left out, as some bodies are".to_owned(),
                );
                continue;
            }
            let controls = list(element, "ctrl", self.controls.len())?;
            let kept = controls.iter().zip(&self.controls).filter(|(_, index)| index.is_some());
            let keyframe = ModelKeyframe {
                name: register(&mut names, element, self.model.keyframes.len())?,
                place: element.place.clone(),
                time: element.number_or("time", 0.0)?,
                positions: list(element, "qpos", self.model.coordinates())?,
                velocities: list(element, "qvel", self.model.freedoms())?,
                controls: kept.map(|(value, _)| *value).collect(),
            };
            self.model.keyframes.push(keyframe);
        }
        Ok(())
    }
}

/// The attributes that a sensor of a kind cannot be without.
fn needed(kind: &str) -> &'static [&'static str] {
    match kind {
        "touch" | "accelerometer" | "velocimeter" | "gyro" | "force" | "torque"
        | "magnetometer" => &["site"],
        "jointpos" | "jointvel" | "ballquat" | "ballangvel" => &["joint"],
        "framepos" | "framequat" | "framelinvel" | "frameangvel" => &["objtype", "objname"],
        _ => &[],
    }
}

/// As many numbers as the model has coordinates, or none.
fn list(element: &Element, name: &str, count: usize) -> Result<Vec<f64>, Error> {
    let values = element.numbers(name, 0..=usize::MAX)?.unwrap_or_default();
    if values.is_empty() || values.len() == count {
        return Ok(values);
    }
    Err(element.place_of(name).error(Problem::WrongCount {
        attribute: name.to_owned(),
        expected: format!("of length {count}, as in the model"),
        found: format!("{} numbers", values.len()),
    }))
}
