//! All bodies of a scene in any model, by their numbers in the plan.

use std::sync::Arc;
use stickslip::bodies::articulated::LinkId;
use stickslip::bodies::forces::BodyIndex;
use stickslip::bodies::{Body, PointMassWorld, Pose, Tree, Twist, World};
use stickslip::model::Model;
use stickslip::system::State;

/// A model, and which of its bodies are those of the plan, the ground first.
#[derive(Clone, Debug)]
pub(crate) enum NumberedBodies {
    /// None.
    Without,
    Rigid(Arc<World>, Vec<Body>),
    Articulated(Arc<Tree>, Vec<LinkId>),
    PointMasses(Arc<PointMassWorld>, Vec<Body>),
}

impl NumberedBodies {
    /// The motions of all bodies; none if the state is not one of the model.
    pub(super) fn motions(&self, state: &State) -> Option<Vec<(Pose, Twist)>> {
        match self {
            Self::Without => None,
            Self::Rigid(world, bodies) => {
                world.validate(&state.q, &state.u).ok()?;
                Some(bodies.iter().map(|&body| world.motion(body, state)).collect())
            }
            Self::Articulated(tree, links) => {
                let all = tree.motions(state).ok()?;
                let of = |link: &LinkId| match link.number().checked_sub(1) {
                    Some(i) => all.get(i).copied(),
                    None => Some(Default::default()),
                };
                links.iter().map(of).collect()
            }
            Self::PointMasses(world, bodies) => {
                let fits =
                    state.q.len() == world.coordinates() && state.u.len() == world.velocities();
                fits.then(|| bodies.iter().map(|&body| world.motion(body, state)).collect())
            }
        }
    }

    /// The numbers that the model itself gives the bodies.
    pub(super) fn numbers(&self) -> Vec<BodyIndex> {
        match self {
            Self::Without => Vec::new(),
            Self::Rigid(_, bodies) | Self::PointMasses(_, bodies) => {
                bodies.iter().map(|&body| body.into()).collect()
            }
            Self::Articulated(_, links) => links.iter().map(|&link| link.into()).collect(),
        }
    }

    /// Motions of the bodies of the plan, in the places that the model itself gives them.
    pub(super) fn by_model(&self, motions: &[(Pose, Twist)]) -> Vec<(Pose, Twist)> {
        let numbers = self.numbers();
        let most = numbers.iter().map(|n| n.index()).max().unwrap_or(0);
        let mut all = vec![(Pose::default(), Twist::default()); most + 1];
        numbers.iter().zip(motions).for_each(|(n, motion)| all[n.index()] = *motion);
        all
    }

    /// The number in the plan of a body by that of the model.
    pub(super) fn of_model(&self, number: usize) -> Option<usize> {
        match self {
            Self::Without => None,
            Self::Rigid(_, bodies) | Self::PointMasses(_, bodies) => {
                bodies.iter().position(|&body| BodyIndex::from(body).index() == number)
            }
            Self::Articulated(_, links) => links.iter().position(|link| link.number() == number),
        }
    }
}
