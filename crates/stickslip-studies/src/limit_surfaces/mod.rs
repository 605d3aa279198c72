//! Bodies on one distributed contact, which distinguish limit surfaces: paper 2 through the contact problem.
//!
//! Each of these is a [`Snapshot`](stickslip::level::Snapshot) (M, H, forces, velocity) whose contact problem is posed at the level of steps or of
//! accelerations, and solved and judged like any other.

mod closed_forms;
mod facets;
mod patch;
mod spin;
mod study;

pub use closed_forms::{
    Ellipsoidal, final_ratio, integral, mixed_stops, onset, sliding_acceleration,
};
pub use facets::{Facets, Side, facets};
pub use patch::{Patch, Rig};
pub use spin::{Disc, Motion, Sample};
pub use study::{LimitSurfaceStudy, Part};

/// Gravity, m/s².
pub const GRAVITY: f64 = 9.81;
