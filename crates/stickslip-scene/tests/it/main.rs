//! The integration tests of this crate, in one executable.

mod bad;
mod fclib;
mod gallery;
mod generalised;
mod language;
mod mutations;
mod recording;
mod scenes;
mod schema;
mod space;
