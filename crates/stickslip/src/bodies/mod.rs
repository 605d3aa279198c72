//! Bodies in space, each model behind the trait [`Model`](crate::model::Model).
//!
//! | model | coordinates | when |
//! |---|---|---|
//! | [`World`] | position and unit quaternion per body | any bodies, contacts and joints |
//! | [`Tree`] | those of the joints | mechanisms, chains, robots: joints that cannot drift |
//! | [`PointMassWorld`] | places of four point masses per body | bodies that are not flat, without rotations (paper 5) |

mod acting;
pub mod articulated;
mod contact_pair;
mod ellipsoid;
pub mod forces;
pub mod inertia;
pub mod joint;
mod joint_rate;
pub mod point_masses;
pub mod pose;
pub mod proximity;
mod proximity_rate;
pub(crate) mod psd;
mod roles;
pub mod spin;
mod tolerance;
pub mod world;

pub use articulated::Tree;
pub use forces::Force;
pub use inertia::MassProperties;
pub use joint::JointKind;
pub use point_masses::PointMassWorld;
pub use pose::{Pose, Twist};
pub use proximity::{Pair, Shape};
pub use spin::SpinUpdate;
pub use world::{Body, Joint, Reaction, World};
