//! The integration tests of this crate, in one executable.

mod curved;
mod detector;
mod distance;
mod features;
mod manifolds;
mod mass;
mod pairs;
mod planar;
mod support;
mod surfaces;
mod validation;
