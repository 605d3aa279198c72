#![doc = include_str!("../README.md")]
#![warn(clippy::must_use_candidate)]

mod broad;
mod detector;
mod distance;
mod dual;
mod error;
mod feature;
mod geometry;
mod mass;
mod narrow;
mod outline;
mod patch;
mod polytope;
mod pose;
mod shape;
mod surface;
mod sweep;
mod tolerance;
mod triangles;

pub use detector::{Cache, Collider, ColliderIndex, Contact, Detector, THROWN};
pub use error::Error;
pub use feature::{FeaturePair, Features, Proximity, ProximityRate};
pub use geometry::Geometry;
pub use mass::VolumeProperties;
pub use patch::Patch;
pub use pose::Pose;
pub use sweep::{BodyMotion, Meeting};
