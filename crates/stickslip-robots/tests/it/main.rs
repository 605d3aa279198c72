//! The tests of the readers, as one executable.

mod mujoco;
mod shared;
