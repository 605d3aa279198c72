//! Rigid bodies as four point masses each, after paper 5: no rotations, a constant mass matrix, no gyroscopic term.
//!
//! Four masses m/4 at the corners of a tetrahedron have the mass, the centre and the inertia of any body that is not
//! flat; six bars keep their distances, \[5\] eq. (1). [`PointMassWorld`] holds the reactions of the bars inside the model: they act
//! in `free` and in M⁻¹, so that the contact problem is that of rigid bodies. Joints are those of
//! [`World`](super::World), as rows over the masses.
//!
//! [`DistanceStep`] says how the bars act over a step, [`ContactRows`] how the velocity of a contact point
//! follows from those of the masses.

mod block;
mod joints;
mod loads;
mod model;
mod place;
mod reactions;
mod rows;
mod smooth;
mod step;
mod tetrahedron;
mod world;

pub use place::PointMassPlace;
pub use rows::{ContactRows, PointRow};
pub use tetrahedron::Tetrahedron;
pub use world::PointMassWorld;

use crate::contact::solve::choose;
use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// How the bars act over a step. Event-driven motion and the analysis of states know no steps: bars are rigid there, whatever is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistanceStep {
    /// \[5\] eq. (3): A v⁺ = −Δt Ȧ v, then q⁺ = q + Δt v⁺. First order; distances drift unless they are put back.
    AsPrinted,
    /// A v = −½ Δt Ȧ v⁻ for the velocity that moves the masses, with half of the forces' impulse; then the other half and
    /// a velocity that keeps the distances at the end. Second order; distances drift with second order.
    Half,
    /// As [`Half`](Self::Half), but with the distances themselves imposed at the end of the step (SHAKE for the places,
    /// RATTLE for the velocities). Second order, symplectic, momentum kept to rounding: the motion of
    /// [`SpinUpdate::Variational`](super::SpinUpdate::Variational).
    #[default]
    Shake,
}

impl DistanceStep {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::AsPrinted, Self::Half, Self::Shake];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AsPrinted => "as_printed",
            Self::Half => "half",
            Self::Shake => "shake",
        }
    }
}

impl fmt::Display for DistanceStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DistanceStep {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self, Error> {
        Ok(choose("distance step", s, &Self::ALL, Self::name)?)
    }
}
