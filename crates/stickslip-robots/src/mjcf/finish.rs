//! What is left when all is read: names for what has none, and shapes that are not wanted.

use super::Reader;
use crate::model::{GeometryRole, SensorTarget};
use crate::names::Names;

impl Reader<'_> {
    pub(super) fn finish(&mut self) {
        let model = &mut self.model;
        for (index, body) in
            model.bodies.iter_mut().enumerate().filter(|(_, body)| body.name.is_empty())
        {
            body.name = self.bodies.invent("body", index, &body.place);
        }
        for (index, joint) in model.joints.iter_mut().enumerate().filter(|(_, j)| j.name.is_empty())
        {
            joint.name = self.joints.invent("joint", index, &joint.place);
        }
        for (index, geometry) in
            model.geometries.iter_mut().enumerate().filter(|(_, g)| g.name.is_empty())
        {
            geometry.name = self.geoms.invent("geometry", index, &geometry.place);
        }
        for (index, site) in model.sites.iter_mut().enumerate().filter(|(_, s)| s.name.is_empty()) {
            site.name = self.sites.invent("site", index, &site.place);
        }
        for (index, actuator) in
            model.actuators.iter_mut().enumerate().filter(|(_, a)| a.name.is_empty())
        {
            actuator.name = self.actuators.invent("actuator", index, &actuator.place);
        }
        self.name_others();
        if self.compiler.discard_visual {
            self.discard_visual();
        }
    }

    fn name_others(&mut self) {
        let mut names = Names::new("equality");
        for (index, equality) in self.model.equalities.iter_mut().enumerate() {
            if equality.name.is_empty() {
                equality.name = names.invent("equality", index, &equality.place);
            }
        }
        let mut names = Names::new("sensor");
        for (index, sensor) in self.model.sensors.iter_mut().enumerate() {
            if sensor.name.is_empty() {
                sensor.name = names.invent("sensor", index, &sensor.place);
            }
        }
    }

    /// Removes geometries that are drawn alone, except where something refers to them.
    fn discard_visual(&mut self) {
        let model = &mut self.model;
        let mut keep: Vec<bool> =
            model.geometries.iter().map(|geometry| geometry.role != GeometryRole::Visual).collect();
        for pair in &model.pairs {
            (keep[pair.first], keep[pair.second]) = (true, true);
        }
        for target in model.sensors.iter().flat_map(|sensor| &sensor.targets) {
            if let SensorTarget::Geometry(index) = target {
                keep[*index] = true;
            }
        }
        let mut next = 0;
        let renumbered: Vec<usize> = keep
            .iter()
            .map(|kept| {
                next += usize::from(*kept);
                next.saturating_sub(1)
            })
            .collect();
        let mut kept = keep.iter();
        model.geometries.retain(|_| kept.next() == Some(&true));
        for body in &mut model.bodies {
            body.geometries.retain(|&index| keep[index]);
            body.geometries.iter_mut().for_each(|index| *index = renumbered[*index]);
        }
        for pair in &mut model.pairs {
            (pair.first, pair.second) = (renumbered[pair.first], renumbered[pair.second]);
        }
        for target in model.sensors.iter_mut().flat_map(|sensor| &mut sensor.targets) {
            if let SensorTarget::Geometry(index) = target {
                *index = renumbered[*index];
            }
        }
    }
}
