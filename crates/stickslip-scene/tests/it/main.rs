//! The integration tests of this crate, in one executable.

mod bad;
mod constraints;
mod fclib;
mod gallery;
mod gallery_classics;
mod gallery_patches;
mod gallery_polygons;
mod gallery_slack;
mod gallery_space;
mod generalised;
mod idle;
mod language;
mod mutations;
mod placed_friction;
mod recording;
mod resume;
mod robots;
mod scenes;
mod schema;
mod space;
mod space_parts;
mod tables;
