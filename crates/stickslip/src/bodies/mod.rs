//! Bodies in space, each model behind the trait [`Mechanism`](crate::mechanism::Mechanism).
//!
//! | model | coordinates | when |
//! |---|---|---|
//! | [`World`] | position and unit quaternion per body | any bodies, contacts and joints |
//! | [`PointMassWorld`] | places of four point masses per body | bodies that are not flat, without rotations (paper 5) |

pub mod inertia;
pub mod point_masses;
pub mod pose;
pub mod spin;
pub mod touch;
pub mod world;

pub use inertia::MassProperties;
pub use point_masses::PointMassWorld;
pub use pose::{Pose, Twist};
pub use spin::SpinUpdate;
pub use touch::{Pair, Shape};
pub use world::{Body, World};
