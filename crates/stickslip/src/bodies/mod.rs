//! Bodies in space and in the plane, each model behind the trait [`Model`](crate::model::Model).
//!
//! | model | coordinates | when |
//! |---|---|---|
//! | [`World`] | position and unit quaternion per body | any bodies, contacts and joints |
//! | [`Tree`] | those of the joints | mechanisms, chains, robots: joints that cannot drift; bodies in the plane, by x, y and an angle |
//! | [`PointMassWorld`] | places of four point masses per body | bodies that are not flat, without rotations (paper 5) |

mod acting;
pub mod articulated;
mod contact_pair;
mod contacts;
mod ellipsoid;
pub mod forces;
pub mod inertia;
pub mod joint;
mod joint_drive;
mod joint_rate;
mod material;
mod patch;
pub mod point_masses;
pub mod pose;
pub mod proximity;
mod proximity_rate;
pub(crate) mod psd;
mod roles;
mod seen_contact;
pub mod spin;
mod tolerance;
pub mod world;

pub use articulated::Tree;
pub use forces::Force;
pub use inertia::MassProperties;
pub use joint::JointKind;
pub use material::{Material, Materials};
pub use point_masses::PointMassWorld;
pub use pose::{Pose, Twist};
pub use proximity::{Pair, Shape};
pub use spin::SpinUpdate;
pub use stickslip_collision::{Collider, Geometry};
pub use world::{Body, Joint, Reaction, World};
