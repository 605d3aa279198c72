//! Joints of URDF.

use super::{Reader, tree::Tree};
use crate::error::{Error, Place, Problem};
use crate::model::{JointLimits, Mimic, ModelJoint, ModelJointKind};
use crate::xml::Element;
use glam::DVec3;

/// The types of URDF, and whether they need `<limit>`.
const TYPES: [(&str, (ModelJointKind, bool)); 6] = [
    ("revolute", (ModelJointKind::Hinge, true)),
    ("continuous", (ModelJointKind::Hinge, false)),
    ("prismatic", (ModelJointKind::Slide, true)),
    ("fixed", (ModelJointKind::Fixed, false)),
    ("floating", (ModelJointKind::Free, false)),
    ("planar", (ModelJointKind::Planar, false)),
];

impl Reader<'_> {
    pub(super) fn add_joint(&mut self, element: &Element, body: usize) -> Result<(), Error> {
        let name = element.required("name")?;
        let index = self.model.joints.len();
        self.joints.insert(&name.value, index, &name.place)?;
        element.required("type")?;
        let (kind, needs_limit) =
            element.word("type", &TYPES)?.unwrap_or((ModelJointKind::Fixed, false));
        let mut joint = plain(name.value.clone(), &element.place, body, kind);
        if matches!(kind, ModelJointKind::Hinge | ModelJointKind::Slide | ModelJointKind::Planar) {
            joint.axis = axis(element, &name.value)?;
        } else if let Some(axis) = element.child("axis")? {
            axis.vector("xyz")?;
        }
        if let Some(dynamics) = element.child("dynamics")? {
            joint.damping = dynamics.non_negative("damping")?.unwrap_or(0.0);
            joint.friction = dynamics.non_negative("friction")?.unwrap_or(0.0);
        }
        if needs_limit {
            element.required_child("limit")?;
        }
        if let Some(limit) = element.child("limit")? {
            limits(limit, &mut joint, needs_limit)?;
            for unused in ["lower", "upper"].iter().filter(|_| !needs_limit) {
                if let Some(attribute) = limit.attribute(unused) {
                    let text = format!("`{unused}` has no effect in a joint of this type");
                    self.note(&attribute.place, text);
                }
            }
        }
        if let Some(mimic) = element.child("mimic")?
            && !matches!(kind, ModelJointKind::Hinge | ModelJointKind::Slide)
        {
            let what = "<mimic> in a joint that is not revolute, continuous or prismatic";
            return Err(
                mimic.error(Problem::Unsupported { what: what.to_owned(), cure: "remove it" })
            );
        }
        self.model.joints.push(joint);
        self.model.bodies[body].joints.push(index);
        Ok(())
    }

    /// The free joint of a root that is not fixed.
    pub(super) fn add_free_base(&mut self, body: usize, place: &Place) {
        let index = self.model.joints.len();
        let name = self.joints.invent("floating_base", index, place);
        self.model.joints.push(plain(name, place, body, ModelJointKind::Free));
        self.model.bodies[body].joints.push(index);
    }

    /// Which joint follows which, now that all are known.
    pub(super) fn link_mimics(&mut self, tree: &Tree<'_>) -> Result<(), Error> {
        for (_, joint, _) in &tree.order {
            let Some(element) = joint else { continue };
            let Some(mimic) = element.child("mimic")? else { continue };
            let follower = self.joints.find(element.required("name")?)?;
            let leader = mimic.required("joint")?;
            let index = self.joints.find(leader)?;
            let kind = self.model.joints[index].kind;
            if !matches!(kind, ModelJointKind::Hinge | ModelJointKind::Slide) {
                return Err(leader.place.error(Problem::Unsupported {
                    what: format!("to mimic `{}`, which has not one coordinate,", leader.value),
                    cure: "follow a revolute, continuous or prismatic joint",
                }));
            }
            let multiplier = mimic.number_or("multiplier", 1.0)?;
            let offset = mimic.number_or("offset", 0.0)?;
            self.model.joints[follower].mimic = Some(Mimic { joint: index, multiplier, offset });
        }
        self.check_circles()
    }

    /// Refuses joints that follow themselves, directly or through others. Each joint is visited once.
    fn check_circles(&self) -> Result<(), Error> {
        let joints = &self.model.joints;
        let mut visited = vec![None; joints.len()];
        for start in 0..joints.len() {
            let mut here = start;
            while visited[here].is_none() {
                visited[here] = Some(start);
                let Some(mimic) = joints[here].mimic else { break };
                here = mimic.joint;
                if visited[here] == Some(start) {
                    let name = &joints[here].name;
                    let what = format!("a circle of joints that mimic each other, with `{name}`,");
                    let cure = "let one of them be free";
                    return Err(joints[here].place.error(Problem::Unsupported { what, cure }));
                }
            }
        }
        Ok(())
    }
}

fn plain(name: String, place: &Place, body: usize, kind: ModelJointKind) -> ModelJoint {
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

/// The axis, x where the file says nothing.
fn axis(element: &Element, owner: &str) -> Result<DVec3, Error> {
    let Some(axis) = element.child("axis")? else { return Ok(DVec3::X) };
    axis.required("xyz")?;
    let vector = axis.vector("xyz")?.unwrap_or(DVec3::X);
    vector.try_normalize().ok_or_else(|| {
        let (attribute, owner) = ("xyz".to_owned(), owner.to_owned());
        axis.place_of("xyz").error(Problem::ZeroAxis { attribute, owner })
    })
}

fn limits(element: &Element, joint: &mut ModelJoint, needed: bool) -> Result<(), Error> {
    if needed {
        element.required("effort")?;
        element.required("velocity")?;
    }
    joint.effort = element.non_negative("effort")?;
    joint.speed = element.non_negative("velocity")?;
    let (lower, upper) = (element.number_or("lower", 0.0)?, element.number_or("upper", 0.0)?);
    if needed {
        if !(lower <= upper) {
            let (attribute, owner) = ("limit".to_owned(), joint.name.clone());
            return Err(element.error(Problem::CrossedLimits { attribute, owner, lower, upper }));
        }
        joint.limits = Some(JointLimits { lower, upper });
    }
    Ok(())
}
