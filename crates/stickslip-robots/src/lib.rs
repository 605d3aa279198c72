#![doc = include_str!("../README.md")]

mod error;
mod files;
mod mesh;
mod mjcf;
mod model;
mod names;
mod nearest;
mod urdf;
mod xml;

pub use error::{Error, MeshProblem, Place, Position, Problem, Warning, WarningKind};
pub use files::{Files, NoFiles};
pub use mesh::{MeshMass, TriangleMesh, read_mesh};
pub use mjcf::read_mjcf;
pub use model::*;
pub use urdf::{UrdfBase, read_urdf};
