//! Integrators: from a state to the next.

mod correction;
pub mod event_driven;
mod moreau_jean;
mod moreau_midpoint;
mod space;
mod stepping;

pub use moreau_jean::JeanSettings;
pub use space::{SpaceMethod, SpaceOutcome, SpaceSettings, SpaceStepper};
pub use stepping::{StepOutcome, Stepper, Unsolved};

use crate::contact::solve::choose;
use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// How a system is taken through time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Moreau's midpoint rule, exactly as in \[3\] section 5: explicit, one contact problem per step.
    #[default]
    MoreauMidpoint,
    /// Moreau and Jean's θ-method: implicit in stiffness and damping.
    MoreauJean,
    /// High-order integration from event to event.
    EventDriven,
}

impl Integrator {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::MoreauMidpoint, Self::MoreauJean, Self::EventDriven];

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MoreauMidpoint => "moreau_midpoint",
            Self::MoreauJean => "moreau_jean",
            Self::EventDriven => "event_driven",
        }
    }
}

impl fmt::Display for Integrator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Integrator {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self, Error> {
        Ok(choose("integrator", s, &Self::ALL, Self::name)?)
    }
}
