//! The integration tests of this crate, in one executable.

mod alternating;
mod certificate;
mod certificate_space;
mod contradictions;
mod dry;
mod formulations;
mod planar;
mod redundancy;
mod slip_speed;
mod solutions;
mod space;
mod static_friction;
mod theorem;
mod wild_analysis;
