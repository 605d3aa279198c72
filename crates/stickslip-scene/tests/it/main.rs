//! The integration tests of this crate, in one executable.

mod bad;
mod fclib;
mod gallery;
mod generalised;
mod recording;
mod scenes;
mod space;
