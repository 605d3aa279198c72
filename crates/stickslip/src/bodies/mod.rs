//! Bodies in space, each model behind the trait [`Mechanism`](crate::mechanism::Mechanism).
//!
//! | model | coordinates | when |
//! |---|---|---|
//! | [`World`] | position and unit quaternion per body | any bodies, contacts and joints |
//! | [`Tree`] | those of the joints | mechanisms, chains, robots: joints that cannot drift |

pub mod articulated;
pub mod inertia;
pub mod joint;
pub mod pose;
mod psd;
pub mod spin;
pub mod touch;
pub mod world;

pub use articulated::Tree;
pub use inertia::MassProperties;
pub use joint::JointKind;
pub use pose::{Pose, Twist};
pub use spin::SpinUpdate;
pub use touch::{Pair, Shape};
pub use world::{Body, Joint, Reaction, World};
