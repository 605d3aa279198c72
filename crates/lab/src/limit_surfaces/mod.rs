//! Bodies on one distributed contact, which distinguish limit surfaces: paper 2 through the contact problem.
//!
//! Each of these is a [`Snapshot`](stickslip::level::Snapshot) (M, H, forces, velocity) whose contact problem is posed at the level of steps or of
//! accelerations, and solved and judged like any other.

mod closed_forms;
mod facets;
mod patch;
mod spin;

pub use closed_forms::{
    Ellipsoidal, final_ratio, integral, mixed_stops, onset, sliding_acceleration,
};
pub use facets::{Facets, Side, facets};
pub use patch::{Patch, Rig};
pub use spin::{Disc, Motion, Sample, slope};

/// What a contact problem without a certified answer, or one that cannot be posed, ends a measurement with.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Gravity, m/s².
pub const GRAVITY: f64 = 9.81;
