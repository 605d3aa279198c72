//! `<actuator>`: forces as affine functions of control, length and speed.

use super::defaults::ACTUATORS;
use super::{Reader, register};
use crate::error::{Error, Problem};
use crate::model::{
    ActuatorDynamics, ActuatorKind, ActuatorLaw, ActuatorTarget, JointLimits, ModelActuator,
};
use crate::xml::Element;
use std::f64::consts::PI;

/// The kinds of gain, bias and dynamics; none for those that are not affine.
const GAINS: [(&str, Option<usize>); 4] =
    [("fixed", Some(1)), ("affine", Some(3)), ("muscle", None), ("user", None)];
const BIASES: [(&str, Option<usize>); 4] =
    [("none", Some(0)), ("affine", Some(3)), ("muscle", None), ("user", None)];

impl Reader<'_> {
    pub(super) fn read_actuators(&mut self, root: &Element) -> Result<(), Error> {
        for element in root.children_named("actuator").flat_map(|section| &section.children) {
            let index = self.model.actuators.len();
            let actuator = self.actuator(element)?;
            if actuator.is_none() {
                self.leave_out(element, "actuator");
            }
            self.controls.push(actuator.as_ref().map(|_| index));
            self.model.actuators.extend(actuator);
        }
        Ok(())
    }

    /// None where the kind, the law or the target has no place in the neutral model.
    fn actuator(&mut self, element: &Element) -> Result<Option<ModelActuator>, Error> {
        if !ACTUATORS.contains(&element.name.as_str()) {
            return Ok(None);
        }
        let full = self.defaults.apply(element, None, &element.name)?;
        let Some(target) = self.target(&full)? else { return Ok(None) };
        let Some((kind, mut law)) = self.law(&full)? else { return Ok(None) };
        let mut gear = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        if let Some(given) = full.numbers("gear", 1..=6)? {
            gear[..given.len()].copy_from_slice(&given);
        }
        let mut control_range = self.range(&full, "ctrlrange", "ctrllimited")?;
        law.state_range = self.range(&full, "actrange", "actlimited")?;
        if let Some(share) = full.non_negative("inheritrange")?.filter(|share| *share > 0.0) {
            let range = Some(self.inherited(&full, &target, share)?);
            let slot = if kind == ActuatorKind::IntegratedVelocity {
                &mut law.state_range
            } else {
                &mut control_range
            };
            *slot = range;
        }
        Ok(Some(ModelActuator {
            name: register(&mut self.actuators, element, self.model.actuators.len())?,
            place: element.place.clone(),
            kind,
            target,
            gear,
            law,
            control_range,
            force_range: self.range(&full, "forcerange", "forcelimited")?,
        }))
    }

    fn target(&self, full: &Element) -> Result<Option<ActuatorTarget>, Error> {
        if let Some(joint) = full.attribute("joint") {
            return Ok(Some(ActuatorTarget::Joint(self.joints.find(joint)?)));
        }
        if let Some(joint) = full.attribute("jointinparent") {
            return Ok(Some(ActuatorTarget::JointInParent(self.joints.find(joint)?)));
        }
        if let Some(site) = full.attribute("site") {
            let reference =
                full.attribute("refsite").map(|site| self.sites.find(site)).transpose()?;
            return Ok(Some(ActuatorTarget::Site { site: self.sites.find(site)?, reference }));
        }
        if ["tendon", "cranksite", "body"].iter().any(|name| full.has(name)) {
            return Ok(None);
        }
        full.required("joint")?;
        Ok(None)
    }

    /// The range of the joint about its middle, as a range of the control.
    fn inherited(
        &self,
        full: &Element,
        target: &ActuatorTarget,
        share: f64,
    ) -> Result<[f64; 2], Error> {
        let limits = match target {
            ActuatorTarget::Joint(joint) => self.model.joints[*joint].limits,
            _ => None,
        };
        let Some(JointLimits { lower, upper }) = limits else {
            let expected = "0 or absent, as the actuator has no joint with a range";
            return Err(full.out_of_range("inheritrange", expected));
        };
        let (middle, half) = ((lower + upper) / 2.0, (upper - lower) / 2.0 * share);
        Ok([middle - half, middle + half])
    }

    fn law(&self, full: &Element) -> Result<Option<(ActuatorKind, ActuatorLaw)>, Error> {
        let mut law = ActuatorLaw {
            gain: [1.0, 0.0, 0.0],
            bias: [0.0; 3],
            dynamics: ActuatorDynamics::Direct,
            state_range: None,
            damping_ratio: None,
        };
        let kind = match full.name.as_str() {
            "motor" => ActuatorKind::Motor,
            "position" | "intvelocity" => servo(full, &mut law)?,
            "velocity" => {
                let kv = full.non_negative("kv")?.unwrap_or(1.0);
                (law.gain[0], law.bias[2]) = (kv, -kv);
                ActuatorKind::Velocity
            }
            "damper" => {
                law.gain = [0.0, 0.0, -full.non_negative("kv")?.unwrap_or(1.0)];
                ActuatorKind::Damper
            }
            "cylinder" => {
                cylinder(full, &mut law)?;
                ActuatorKind::Cylinder
            }
            _ => match general(full, &mut law)? {
                true => ActuatorKind::General,
                false => return Ok(None),
            },
        };
        Ok(Some((kind, law)))
    }
}

/// A spring and damper towards the control, or towards its integral.
fn servo(full: &Element, law: &mut ActuatorLaw) -> Result<ActuatorKind, Error> {
    let kp = full.non_negative("kp")?.unwrap_or(1.0);
    let kv = full.non_negative("kv")?;
    law.damping_ratio = full.non_negative("dampratio")?.filter(|ratio| *ratio > 0.0);
    if let (Some(kv), Some(_)) = (kv, law.damping_ratio)
        && kv > 0.0
    {
        return Err(full.error(Problem::Conflict {
            element: full.name.clone(),
            first: "kv".to_owned(),
            second: "dampratio".to_owned(),
        }));
    }
    law.gain[0] = kp;
    law.bias = [0.0, -kp, -kv.unwrap_or(0.0)];
    if full.name == "intvelocity" {
        law.dynamics = ActuatorDynamics::Integrator;
        return Ok(ActuatorKind::IntegratedVelocity);
    }
    if let Some(time) = full.non_negative("timeconst")?.filter(|time| *time > 0.0) {
        law.dynamics = ActuatorDynamics::ExactFilter(time);
    }
    Ok(ActuatorKind::Position)
}

/// A pressure that follows the control, on an area.
fn cylinder(full: &Element, law: &mut ActuatorLaw) -> Result<(), Error> {
    let area = full.non_negative("area")?.unwrap_or(1.0);
    law.gain[0] = full.positive("diameter")?.map_or(area, |d| PI / 4.0 * d * d);
    if let Some(bias) = full.numbers("bias", 3..=3)? {
        law.bias = [bias[0], bias[1], bias[2]];
    }
    law.dynamics = ActuatorDynamics::Filter(full.positive("timeconst")?.unwrap_or(1.0));
    Ok(())
}

/// Whether the law is affine; if so, it is filled in.
fn general(full: &Element, law: &mut ActuatorLaw) -> Result<bool, Error> {
    let dynamics = full.word(
        "dyntype",
        &[
            ("none", 0),
            ("integrator", 1),
            ("filter", 2),
            ("filterexact", 3),
            ("muscle", 4),
            ("user", 4),
        ],
    )?;
    let gains = full.word("gaintype", &GAINS)?.unwrap_or(Some(1));
    let biases = full.word("biastype", &BIASES)?.unwrap_or(Some(0));
    let (Some(gains), Some(biases), true) = (gains, biases, dynamics != Some(4)) else {
        return Ok(false);
    };
    let parameters = |name: &str, default: [f64; 3], count: usize| -> Result<[f64; 3], Error> {
        let mut values = default;
        for (slot, value) in values.iter_mut().zip(full.numbers(name, 0..=10)?.unwrap_or_default())
        {
            *slot = value;
        }
        values[count..].fill(0.0);
        Ok(values)
    };
    law.gain = parameters("gainprm", [1.0, 0.0, 0.0], gains)?;
    law.bias = parameters("biasprm", [0.0; 3], biases)?;
    let time = parameters("dynprm", [1.0, 0.0, 0.0], 1)?[0];
    if dynamics >= Some(2) && !(time > 0.0) {
        return Err(full.out_of_range("dynprm", "a positive time constant"));
    }
    law.dynamics = match dynamics {
        Some(1) => ActuatorDynamics::Integrator,
        Some(2) => ActuatorDynamics::Filter(time),
        Some(3) => ActuatorDynamics::ExactFilter(time),
        _ => ActuatorDynamics::Direct,
    };
    Ok(true)
}
