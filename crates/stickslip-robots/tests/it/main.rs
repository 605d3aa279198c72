//! The tests of the readers, as one executable.

mod malformed;
mod mjcf_models;
mod mujoco;
mod mutations;
mod shared;
mod unsupported;
mod urdf_models;
