//! Transmissions of URDF as motors at joints.

use super::Reader;
use crate::error::{Error, Problem};
use crate::model::{ActuatorDynamics, ActuatorKind, ActuatorLaw, ActuatorTarget, ModelActuator};
use crate::names::Names;
use crate::xml::Element;

impl Reader<'_> {
    pub(super) fn add_transmissions(&mut self, root: &Element) -> Result<(), Error> {
        let mut names = Names::new("transmission");
        for element in root.children_named("transmission") {
            let label = element.required("name")?;
            names.insert(&label.value, 0, &label.place)?;
            if let Some(kind) = element.child("type")?.filter(|kind| !kind.text.contains("Simple"))
            {
                let text = format!("the transmission `{}` is read as a simple one", kind.text);
                self.note(&kind.place, text);
            }
            for driven in element.children_named("joint") {
                self.add_motor(element, driven)?;
            }
        }
        Ok(())
    }

    fn add_motor(&mut self, element: &Element, driven: &Element) -> Result<(), Error> {
        let joint = self.joints.find(driven.required("name")?)?;
        let motor = element.child("actuator")?;
        let ratio = motor.and_then(|motor| motor.children_named("mechanicalReduction").next());
        let ratio = ratio.or_else(|| element.children_named("mechanicalReduction").next());
        let reduction = ratio.map_or(Ok(1.0), reduction)?;
        let interface = [Some(driven), motor].into_iter().flatten();
        let interface = interface.flat_map(|e| e.children_named("hardwareInterface")).next();
        if let Some(interface) = interface
            && !interface.text.contains("Effort")
        {
            let text = format!(
                "the interface `{}` says no gains; the transmission is read as a motor",
                interface.text
            );
            self.note(&interface.place, text);
        }
        let name = motor.and_then(|motor| motor.attribute("name")).or(element.attribute("name"));
        let effort = self.model.joints[joint].effort;
        self.model.actuators.push(ModelActuator {
            name: name.map_or(String::new(), |name| name.value.clone()),
            place: element.place.clone(),
            kind: ActuatorKind::Motor,
            target: ActuatorTarget::Joint(joint),
            gear: [reduction, 0.0, 0.0, 0.0, 0.0, 0.0],
            law: ActuatorLaw {
                gain: [1.0, 0.0, 0.0],
                bias: [0.0; 3],
                dynamics: ActuatorDynamics::Direct,
                state_range: None,
                damping_ratio: None,
            },
            control_range: None,
            force_range: effort.map(|e| [-e / reduction.abs(), e / reduction.abs()]),
        });
        Ok(())
    }
}

/// The number in the text of an element, which must not be zero.
fn reduction(element: &Element) -> Result<f64, Error> {
    match element.text.parse::<f64>() {
        Ok(value) if value.is_finite() && value != 0.0 => Ok(value),
        _ => Err(element.error(Problem::OutOfRange {
            attribute: "mechanicalReduction".to_owned(),
            value: element.text.clone(),
            expected: "a number other than zero".to_owned(),
        })),
    }
}
