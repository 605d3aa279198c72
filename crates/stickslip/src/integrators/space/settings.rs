//! Which method steps bodies in space, and its settings.

use crate::contact::solve::{self, Formulation, choose};
use crate::error::{Error, check};
use crate::integrators::Integrator;
use crate::mechanism::Mechanism;
use std::fmt;
use std::str::FromStr;

/// A time-stepping method for bodies in space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SpaceMethod {
    /// Moreau's midpoint rule with the contacts of the predicted midpoint.
    #[default]
    MoreauMidpoint,
    /// Moreau and Jean's θ-method with the contacts of the predicted midpoint: forces θ h⁺ + (1 − θ) h, and a displacement by
    /// θ u⁺ + (1 − θ) u. Second order at θ = ½; more damps. The velocity at the end is found by iteration, so forces must not be
    /// too stiff for the step (systems of [`Generalised`](crate::mechanism::Generalised) have Newton's method and may be).
    MoreauJean {
        /// θ in [½, 1].
        theta: f64,
    },
    /// Stewart and Trinkle's method: forces and contacts of the beginning, a displacement by u⁺, and gaps that are not
    /// negative at the end to first order, 0 ≤ g + Δt γ_N⁺ ⊥ Λ_N ≥ 0. Contacts participate that lie within the margin, or what the
    /// motion without contact would reach. First order; without restitution, which is refused.
    StewartTrinkle,
}

impl SpaceMethod {
    /// One of each; θ is ½.
    pub const ALL: [Self; 3] =
        [Self::MoreauMidpoint, Self::MoreauJean { theta: 0.5 }, Self::StewartTrinkle];

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MoreauMidpoint => "moreau_midpoint",
            Self::MoreauJean { .. } => "moreau_jean",
            Self::StewartTrinkle => "stewart_trinkle",
        }
    }

    /// The method of this name for a model of this kind, see [`Mechanism::kind`]; θ is ½.
    ///
    /// # Errors
    /// If there is none: an integrator that bodies do not have, or an unknown name.
    pub fn named(name: &str, kind: &'static str) -> Result<Self, Error> {
        if name == Integrator::EventDriven.name() {
            return Err(Error::Combination {
                part: Integrator::EventDriven.name(),
                other: kind,
                reason: "it follows planar systems in generalised coordinates; use moreau_midpoint, moreau_jean or \
                         stewart_trinkle",
            });
        }
        Ok(choose("integrator of bodies", name, &Self::ALL, Self::name)?)
    }

    /// Refuses a θ out of range.
    pub fn validate(self) -> Result<(), Error> {
        let Self::MoreauJean { theta } = self else { return Ok(()) };
        check(|| "theta".into(), theta, (0.5..=1.0).contains(&theta), "between 0.5 and 1")
    }

    /// θ of the displacement.
    pub(super) fn motion(self) -> f64 {
        match self {
            Self::MoreauMidpoint => 0.5,
            Self::MoreauJean { theta } => theta,
            Self::StewartTrinkle => 1.0,
        }
    }
}

impl fmt::Display for SpaceMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SpaceMethod {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self, Error> {
        Self::named(s, "bodies in space")
    }
}

/// The most passes that can be asked for.
const MOST_PASSES: usize = 100;

/// Settings of a [`SpaceStepper`](super::SpaceStepper).
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceSettings {
    /// The method. Default Moreau's midpoint rule.
    pub method: SpaceMethod,
    /// Formulation, solver, tolerance. Default: the exact cone, `auto`, 1e-9.
    pub solve: solve::Settings,
    /// Whether contacts start at the impulses of the last step. Default true.
    pub warm_start: bool,
    /// A contact takes part while its gap is at most this. Default 0.
    pub margin: f64,
    /// Whether contact laws ask for the velocity at the end of the step, with contact points and normals where they are then,
    /// rather than where they are at the midpoint. Second order for contacts that stay and move; false is Moreau's rule as
    /// it stands. Stewart and Trinkle's method does not ask. Default true.
    pub follow: bool,
    /// How often the contact problem of a step is posed by the midpoint rule: again with the answer of rotation and of forces
    /// that follow velocities to the impulses of the last time. From 1 to 100; 2 keeps second order. Default 2.
    pub passes: usize,
    /// Whether coordinates and velocities are put back on the constraints of the model after each step. Default true.
    pub stabilise: bool,
}

impl Default for SpaceSettings {
    fn default() -> Self {
        let solve = solve::Settings {
            formulation: Formulation::Cone,
            tolerance: 1e-9,
            ..solve::Settings::default()
        };
        Self {
            method: SpaceMethod::default(),
            solve,
            warm_start: true,
            margin: 0.0,
            follow: true,
            passes: 2,
            stabilise: true,
        }
    }
}

impl SpaceSettings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        self.method.validate()?;
        self.solve.validate()?;
        let (m, passes) = (self.margin, self.passes);
        let few = (1..=MOST_PASSES).contains(&passes);
        check(|| "passes".into(), passes as f64, few, "a whole number from 1 to 100")?;
        check(|| "margin".into(), m, m >= 0.0, "a finite number >= 0")
    }

    /// Refuses what does not go together with a model.
    pub(super) fn fits<M: Mechanism + ?Sized>(&self, mechanism: &M) -> Result<(), Error> {
        if self.method != SpaceMethod::MoreauMidpoint && !mechanism.has_weighted() {
            return Err(Error::Combination {
                part: self.method.name(),
                other: mechanism.kind(),
                reason: "this model does not evaluate forces at both ends of a step (Mechanism::weighted); use \
                         moreau_midpoint",
            });
        }
        if self.solve.formulation == Formulation::GlockerStuder && !mechanism.is_planar() {
            return Err(Error::Combination {
                part: "glocker_studer",
                other: mechanism.kind(),
                reason: "it is a formulation of planar contacts; use cone, stewart_trinkle or phantom_inertia",
            });
        }
        Ok(())
    }
}
