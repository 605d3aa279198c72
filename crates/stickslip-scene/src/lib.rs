//! Scene files: a mechanical system with contacts, described without code.
//!
//! A scene is a TOML file with coordinates, parameters, energies, forces, gaps and slip velocities
//! as expressions; see [`stickslip::expression`] for their language. The equations of motion follow
//! from it exactly. A mistake is reported with its line and column, and with what would be right.
//!
//! ```
//! use stickslip::system::System;
//! use stickslip_scene::Scene;
//!
//! let scene = Scene::from_str(
//!     r#"
//!     [parameters]
//!     g = 9.81
//!     [coordinates]
//!     y = { velocity = "v", start = 1.0, unit = "m" }
//!     [energy]
//!     kinetic = "v^2/2"
//!     potential = "g*y"
//!     [[contact]]
//!     name = "floor"
//!     gap = "y"
//!     eps_n = 0.5
//!     "#,
//!     "ball",
//! )?;
//! let mut h = [0.0];
//! scene.system().unwrap().forces(&scene.start().q, &scene.start().u, 0.0, &mut h);
//! assert_eq!(h, [-9.81]);
//!
//! let moon = scene.with_overrides(&[("g", 1.62)])?;
//! assert_eq!(moon.parameters, [("g".to_owned(), 1.62)]);
//! # Ok::<(), stickslip_scene::SceneError>(())
//! ```
//!
//! # The format
//!
//! [`key_table`] lists all tables and keys; the chapter on scene files of the book explains them.
//!
//! Every other key is refused. So is a start at which the mass matrix is not positive definite, a value
//! is not finite, or a gap is negative by more than 1 % of the lengths it is made of
//! (Σ|∂g/∂q_i q_i| and the rest) and more than 1e-9.
#![warn(clippy::must_use_candidate)]

pub mod answers;
mod bodies;
mod check;
mod choices;
mod document;
mod drawing;
mod error;
mod evaluate;
mod explain;
mod fclib;
mod gallery;
mod idle;
mod include;
mod keys;
mod looks;
mod lookup;
mod points;
mod read;
pub mod recording;
mod repeat;
mod scene;
mod schema;
pub mod section;
mod sensors;
mod settings;
mod spec;
mod substitute;
mod tree;
mod view;

pub use choices::{ContactChoices, RunChoices, settings_json};
pub use drawing::{COLOURS, DrawingKind, DrawingSpec, DrawnNumber};
pub use error::{Position, SceneError};
pub use fclib::{FclibError, from_fclib, is_hdf5, read_fclib, to_fclib, write_fclib};
pub use gallery::{GalleryEntry, gallery, gallery_entry};
pub use idle::Idle;
pub use keys::MOST_SAMPLES;
pub use looks::{BodyLook, LookPart, LookShape};
pub use scene::Scene;
pub use schema::{key_table, schema};
pub use sensors::SensorBank;
pub use spec::{Crossing, CycleSpec, MOST_STEPS, OutputSpec, PlotSpec, RunSpec};
pub use view::{LocalCoordinate, SampleFunction, SceneModel, StateFunction, Visitor};

/// The code of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
