//! One description of a mechanism, every body model of it, and how far their motions are apart.
//!
//! A new mechanism is one entry of [`plans`], a new model one entry of [`MODELS`].

mod build;
mod measure;
mod plans;

pub use build::{Bodies, MODELS, Moving, Part, Steps, Variant, steps};
pub use measure::{Agreement, Differences, QUANTITIES, Quantity, Row, agreement};
pub use plans::plans;

use glam::DVec3;
use stickslip::bodies::articulated::{Closure, TreeJoint};
use stickslip::bodies::{MassProperties, Pose, Shape};
use stickslip::contact::Law;

/// A link, how it hangs on another, and how it starts.
#[derive(Clone, Debug)]
pub struct Link {
    /// The link that it hangs on, an earlier one; none is the ground.
    pub parent: Option<usize>,
    /// By what.
    pub joint: TreeJoint,
    /// The joint's frame in the parent, from its centre of mass.
    pub on_parent: Pose,
    /// The joint's frame in the link.
    pub on_link: Pose,
    /// Mass and inertia.
    pub mass: MassProperties,
    /// Coordinates of the joint at the start, as [`TreeJoint`] has them.
    pub q: Vec<f64>,
    /// Its velocities.
    pub u: Vec<f64>,
}

/// Two frames that a loop holds together.
#[derive(Clone, Debug)]
pub struct Loop {
    /// What they have in common.
    pub closure: Closure,
    /// Links, or the ground, with the frames in them.
    pub ends: [(Option<usize>, Pose); 2],
}

/// A contact of a link with another, or with the ground.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Links, or the ground.
    pub links: [Option<usize>; 2],
    /// Shapes on them.
    pub shapes: [Shape; 2],
    /// The law.
    pub law: Law,
}

/// A mechanism, its start, and how it is run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its name in tables.
    pub name: &'static str,
    /// Acceleration.
    pub gravity: DVec3,
    /// Links, each after the one that it hangs on.
    pub links: Vec<Link>,
    /// Loops.
    pub loops: Vec<Loop>,
    /// Contacts.
    pub contacts: Vec<Contact>,
    /// Links whose joint's first coordinate has stops, with these bounds.
    pub stops: Vec<(usize, [f64; 2])>,
    /// Seconds.
    pub t_end: f64,
    /// Steps of the coarsest run.
    pub steps: usize,
    /// The order that the method has for such a motion.
    pub order: f64,
    /// Over how many shifted grids differences are taken: impacts fall anywhere in a step. 1 for motions without them.
    pub shifts: usize,
    /// Contacts take part while their gap is at most this.
    pub margin: f64,
}

impl Plan {
    /// The order that a quantity has. Impulses of joints are as steps report them, without what the projection of velocities
    /// onto the joints adds at their ends, of the size dt² in each.
    pub fn order_of(&self, quantity: Quantity) -> f64 {
        if quantity == Quantity::Joint { self.order.min(1.0) } else { self.order }
    }

    /// Whether reactions of joints are determined: loops of hinges share their load in many ways.
    pub fn determinate(&self) -> bool {
        self.loops.is_empty()
    }
}
