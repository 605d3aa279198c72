//! The forces of a model together: what they do to its bodies, and what they do to its energy.

use super::forces::{Force, Load};
use super::{Pose, Twist};
use crate::error::Error;
use std::sync::Arc;

/// The forces of a model.
#[derive(Clone, Default)]
pub(super) struct Forces {
    list: Vec<Arc<dyn Force>>,
}

/// Bodies as forces see them, and what forces do to them.
#[derive(Debug, Default)]
pub(super) struct Acting {
    /// All bodies, the ground first: filled by the model.
    pub(super) bodies: Vec<(Pose, Twist)>,
    /// One for each of them.
    pub(super) loads: Vec<Load>,
}

impl Forces {
    pub(super) fn add(&mut self, bodies: usize, force: impl Force + 'static) -> Result<(), Error> {
        force.validate(bodies)?;
        self.list.push(Arc::new(force));
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn follow_velocity(&self) -> bool {
        self.list.iter().any(|f| f.follows_velocity())
    }

    /// Fills the loads.
    pub(super) fn act(&self, Acting { bodies, loads }: &mut Acting, t: f64) {
        loads.clear();
        loads.resize(bodies.len(), Load::default());
        self.list.iter().for_each(|f| f.act(bodies, t, loads));
    }

    pub(super) fn potential(&self, bodies: &[(Pose, Twist)], t: f64) -> f64 {
        self.list.iter().map(|f| f.potential(bodies, t)).sum()
    }

    /// How fast the forces change the kinetic energy of the bodies that are free and the potential energy, together: what dampers take,
    /// and what those who move the other bodies do through springs.
    pub(super) fn power(&self, acting: &mut Acting, t: f64, free: impl Fn(usize) -> bool) -> f64 {
        self.act(acting, t);
        let Acting { bodies, loads } = acting;
        let all = bodies.iter().zip(loads).enumerate().filter(|(i, _)| free(*i));
        let kinetic = all.map(|(_, ((_, twist), load))| {
            load.force.dot(twist.linear) + load.torque.dot(twist.angular)
        });
        let potential = self.list.iter().map(|f| f.potential_rate(bodies, t));
        kinetic.chain(potential).sum()
    }
}
