//! The tests of the readers, as one executable.

mod mjcf_models;
mod mujoco;
mod shared;
mod urdf_models;
