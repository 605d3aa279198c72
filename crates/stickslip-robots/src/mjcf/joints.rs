//! `<joint>` and `<freejoint>`.

use super::{Reader, bodies::Context, label, register};
use crate::error::{Error, Place, Problem};
use crate::model::{JointLimits, ModelJoint, ModelJointKind};
use crate::xml::Element;
use glam::DVec3;

const TYPES: [(&str, ModelJointKind); 4] = [
    ("hinge", ModelJointKind::Hinge),
    ("slide", ModelJointKind::Slide),
    ("ball", ModelJointKind::Ball),
    ("free", ModelJointKind::Free),
];

impl Reader<'_> {
    pub(super) fn read_joint(
        &mut self,
        element: &Element,
        context: Context<'_>,
    ) -> Result<(), Error> {
        let full = self.defaults.apply(element, context.class, "joint")?;
        let kind = full.word("type", &TYPES)?.unwrap_or(ModelJointKind::Hinge);
        let index = self.model.joints.len();
        let name = register(&mut self.joints, element, index)?;
        let mut joint = blank(name, &element.place, context.body, kind);
        if kind != ModelJointKind::Free {
            joint.anchor = context.frame.apply(full.vector("pos")?.unwrap_or_default());
        }
        if matches!(kind, ModelJointKind::Hinge | ModelJointKind::Slide) {
            let axis =
                full.vector("axis")?.unwrap_or(DVec3::Z).try_normalize().ok_or_else(|| {
                    let (attribute, owner) = ("axis".to_owned(), label(element));
                    full.place_of("axis").error(Problem::ZeroAxis { attribute, owner })
                })?;
            joint.axis = context.frame.rotation * axis;
        }
        self.read_limits(&full, &mut joint)?;
        self.read_forces(&full, &mut joint)?;
        self.push_joint(joint, label(element))
    }

    pub(super) fn read_free_joint(
        &mut self,
        element: &Element,
        context: Context<'_>,
    ) -> Result<(), Error> {
        let name = register(&mut self.joints, element, self.model.joints.len())?;
        let joint = blank(name, &element.place, context.body, ModelJointKind::Free);
        self.push_joint(joint, label(element))
    }

    /// The joints of a body must leave it at most the freedom of a rigid body.
    fn push_joint(&mut self, joint: ModelJoint, label: String) -> Result<(), Error> {
        let body = &self.model.bodies[joint.body];
        let kinds: Vec<ModelJointKind> =
            body.joints.iter().map(|&j| self.model.joints[j].kind).chain([joint.kind]).collect();
        let count = |kind| kinds.iter().filter(|k| **k == kind).count();
        let free = count(ModelJointKind::Free);
        let freedoms: usize = kinds.iter().map(|kind| kind.freedoms()).sum();
        let turned =
            |kind: &ModelJointKind| matches!(kind, ModelJointKind::Hinge | ModelJointKind::Ball);
        let ball = kinds.iter().position(|kind| *kind == ModelJointKind::Ball);
        let reason = if body.prescribed {
            Some("a body that is prescribed by mocap has no joints")
        } else if free > 0 && body.parent != Some(0) {
            Some("only children of the world move freely")
        } else if free > 0 && kinds.len() > 1 {
            Some("a free joint leaves nothing for another joint")
        } else if ball.is_some_and(|at| kinds[at + 1..].iter().any(turned)) {
            Some("a ball leaves no rotation for joints after it")
        } else if freedoms > 6 {
            Some("a body has at most six degrees of freedom")
        } else {
            None
        };
        if let Some(reason) = reason {
            let body = body.name.clone();
            return Err(joint.place.error(Problem::JointCombination {
                body,
                joint: label,
                reason,
            }));
        }
        self.model.bodies[joint.body].joints.push(self.model.joints.len());
        self.model.joints.push(joint);
        Ok(())
    }

    fn read_limits(&self, full: &Element, joint: &mut ModelJoint) -> Result<(), Error> {
        let angular = matches!(joint.kind, ModelJointKind::Hinge | ModelJointKind::Ball);
        let unit = |x: f64| if angular { self.compiler.angle(x) } else { x };
        if joint.kind != ModelJointKind::Free {
            let range = self.range(full, "range", "limited")?;
            if let Some([lower, upper]) = range {
                if joint.kind == ModelJointKind::Ball && lower != 0.0 {
                    return Err(full.out_of_range("range", "0 and the largest angle, for a ball"));
                }
                joint.limits = Some(JointLimits { lower: unit(lower), upper: unit(upper) });
            }
        }
        joint.effort_range = self.range(full, "actuatorfrcrange", "actuatorfrclimited")?;
        joint.effort = joint.effort_range.map(|[lower, upper]| upper.max(-lower));
        if joint.kind == ModelJointKind::Hinge {
            joint.reference = self.compiler.angle(full.number_or("ref", 0.0)?);
            joint.spring_reference = self.compiler.angle(full.number_or("springref", 0.0)?);
        } else if joint.kind == ModelJointKind::Slide {
            joint.reference = full.number_or("ref", 0.0)?;
            joint.spring_reference = full.number_or("springref", 0.0)?;
        }
        Ok(())
    }

    fn read_forces(&self, full: &Element, joint: &mut ModelJoint) -> Result<(), Error> {
        joint.damping = linear(full, "damping")?;
        joint.friction = full.non_negative("frictionloss")?.unwrap_or(0.0);
        joint.armature = full.non_negative("armature")?.unwrap_or(0.0);
        joint.stiffness = linear(full, "stiffness")?;
        if let Some(pair) = full.numbers("springdamper", 2..=2)? {
            if pair[0] > 0.0 && pair[1] > 0.0 {
                joint.spring_damper = Some([pair[0], pair[1]]);
            } else if pair != [0.0, 0.0] {
                return Err(full.out_of_range("springdamper", "two positive numbers"));
            }
        }
        Ok(())
    }

    /// A range that holds, by `limited` or because it is there.
    pub(super) fn range(
        &self,
        full: &Element,
        name: &str,
        switch: &str,
    ) -> Result<Option<[f64; 2]>, Error> {
        let words = [("true", Some(true)), ("false", Some(false)), ("auto", None)];
        let limited = full.word(switch, &words)?.flatten();
        let range = full.numbers(name, 2..=2)?;
        let holds = match limited {
            Some(limited) => limited,
            None if !self.compiler.auto_limits && range.is_some() => {
                return Err(full.error(Problem::MissingAttribute {
                    element: full.name.clone(),
                    attribute: switch.to_owned(),
                }));
            }
            None => range.is_some(),
        };
        match (holds, range) {
            (false, _) => Ok(None),
            (true, None) => Err(full.error(Problem::MissingAttribute {
                element: full.name.clone(),
                attribute: name.to_owned(),
            })),
            (true, Some(range)) => {
                let (lower, upper) = (range[0], range[1]);
                if !(lower < upper) {
                    let (attribute, owner) = (name.to_owned(), label(full));
                    let problem = Problem::CrossedLimits { attribute, owner, lower, upper };
                    return Err(full.place_of(name).error(problem));
                }
                Ok(Some([lower, upper]))
            }
        }
    }
}

/// The coefficient of a linear law. MJCF allows higher powers after it.
fn linear(full: &Element, name: &str) -> Result<f64, Error> {
    let Some(values) = full.numbers(name, 1..=3)? else { return Ok(0.0) };
    if values[0] < 0.0 {
        return Err(full.out_of_range(name, "zero or positive"));
    }
    if values[1..].iter().any(|x| *x != 0.0) {
        let what = format!("`{name}` with powers of the coordinate beyond the first");
        let cure = "give one number";
        return Err(full.place_of(name).error(Problem::Unsupported { what, cure }));
    }
    Ok(values[0])
}

fn blank(name: String, place: &Place, body: usize, kind: ModelJointKind) -> ModelJoint {
    ModelJoint {
        name,
        place: place.clone(),
        body,
        kind,
        anchor: DVec3::ZERO,
        axis: DVec3::Z,
        limits: None,
        effort: None,
        effort_range: None,
        speed: None,
        damping: 0.0,
        friction: 0.0,
        armature: 0.0,
        stiffness: 0.0,
        spring_reference: 0.0,
        spring_damper: None,
        reference: 0.0,
        mimic: None,
    }
}
