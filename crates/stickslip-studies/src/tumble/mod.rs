//! Free rotation and a box that falls on a plane, with rigid bodies and with bodies of four point masses.

mod drop;
mod elliptic;
mod free;
mod study;
mod taylor;

pub use drop::{Landed, drop_box, edges};
pub use elliptic::{FreeRotor, jacobi};
pub use free::{Errors, Variant, nanoseconds_per_step, run_free};
pub use study::{Fall, FreeMotion, TumbleStudy};
pub use taylor::taylor;
