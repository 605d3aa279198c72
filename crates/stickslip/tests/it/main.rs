//! The integration tests of this crate, in one executable.

mod accelerations;
mod articulated;
mod bodies;
mod bullets;
mod collisions;
mod event_driven;
mod event_driven_allocations;
mod expression;
mod impacts;
mod joints;
mod levels;
mod mechanisms;
mod painleve;
mod paoli_schatzman;
mod patches;
mod places;
mod planar_bodies;
mod point_mass_joints;
mod point_masses;
mod sensitivity;
mod slip_speed;
mod snapshot;
mod space_allocations;
mod spin;
mod static_friction;
mod time_stepping;
