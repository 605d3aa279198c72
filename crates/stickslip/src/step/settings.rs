//! Which method steps a model, and its settings.

use super::paoli_schatzman;
use super::sleep::Sleep;
use crate::contact::Law;
use crate::contact::solve::{self, Formulation, choose};
use crate::error::{Error, check};
use crate::impact::ImpactLaw;
use crate::model::Model;
use std::fmt;
use std::str::FromStr;

/// How a model is taken through time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Integrator {
    /// Moreau's midpoint rule, as in \[3\] section 5, with the contacts of the predicted midpoint: explicit, one contact problem
    /// per step where rotation and forces do not answer its impulses.
    #[default]
    MoreauMidpoint,
    /// Moreau and Jean's θ-method with the contacts of the predicted midpoint: forces θ h⁺ + (1 − θ) h, and a displacement by
    /// θ u⁺ + (1 − θ) u. Second order between impacts at θ = ½; more damps. The velocity at the end is found by iteration, so
    /// forces must not be too stiff for the step (systems of [`Generalised`](crate::model::Generalised) have Newton's method and
    /// may be).
    MoreauJean {
        /// θ in [½, 1].
        theta: f64,
    },
    /// The method of Stewart and Trinkle 1996: forces and contacts of the beginning, a displacement by u⁺, and gaps that are not
    /// negative at the end to first order, 0 ≤ g + Δt γ_N⁺ ⊥ Λ_N ≥ 0. Contacts participate that lie within the margin, or
    /// within twice the way that gaps change without contact or bodies are pushed out of contacts. What is inside comes out no faster than
    /// it approaches, or than forces move bodies in a step, so that no energy is made of depth. Impulses act at the beginning, and free
    /// motion follows. First order;
    /// without restitution, which is refused, so that Newton's and Poisson's impact law are the same.
    GapLevel,
    /// The scheme of Paoli and Schatzman 2002, of two steps at the level of positions: forces and contacts of the beginning, a displacement
    /// by u⁺, and contacts that hold for the weighted mean of the positions at the end and at the end of the step before,
    /// 0 ≤ g((q⁺ + ε q⁻) / (1 + ε)) ⊥ Λ_N ≥ 0 to first order. Restitution comes from that mean: an impact takes two steps, after
    /// which γ_N⁺ = −ε γ_N⁻, and bodies are inside of contacts in between. First order, and
    /// with friction not always to Newton's law. Steps are of one size; without tangential restitution, Poisson's law with ε > 0 and position correction, which are refused.
    PaoliSchatzman,
    /// High-order integration from event to event; it has no steps of a given size.
    EventDriven,
}

impl Integrator {
    /// One of each; θ is ½.
    pub const ALL: [Self; 5] = [
        Self::MoreauMidpoint,
        Self::MoreauJean { theta: 0.5 },
        Self::GapLevel,
        Self::PaoliSchatzman,
        Self::EventDriven,
    ];

    /// Those with steps of a given size.
    pub const STEPPING: [Self; 4] = [
        Self::MoreauMidpoint,
        Self::MoreauJean { theta: 0.5 },
        Self::GapLevel,
        Self::PaoliSchatzman,
    ];

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MoreauMidpoint => "moreau_midpoint",
            Self::MoreauJean { .. } => "moreau_jean",
            Self::GapLevel => "gap_level",
            Self::PaoliSchatzman => "paoli_schatzman",
            Self::EventDriven => "event_driven",
        }
    }

    /// The same with this θ, where it has one.
    #[must_use]
    pub fn with_theta(self, theta: f64) -> Self {
        if let Self::MoreauJean { .. } = self { Self::MoreauJean { theta } } else { self }
    }

    /// Refuses a θ out of range.
    pub fn validate(self) -> Result<(), Error> {
        let Self::MoreauJean { theta } = self else { return Ok(()) };
        check(|| "theta".into(), theta, (0.5..=1.0).contains(&theta), "between 0.5 and 1")
    }

    /// θ of the displacement.
    pub(crate) fn motion(self) -> f64 {
        match self {
            Self::MoreauMidpoint | Self::EventDriven => 0.5,
            Self::MoreauJean { theta } => theta,
            Self::GapLevel | Self::PaoliSchatzman => 1.0,
        }
    }

    /// Whether contacts are asked for gaps rather than velocities, with the forces and contacts of the beginning of a step.
    pub(crate) fn at_positions(self) -> bool {
        matches!(self, Self::GapLevel | Self::PaoliSchatzman)
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

/// The most passes that can be asked for.
const MOST_PASSES: usize = 100;

/// Settings of a [`Stepper`](super::Stepper).
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The method. Default Moreau's midpoint rule.
    pub integrator: Integrator,
    /// Formulation, solver, tolerance. Default none: the exact law, by [`exact`].
    pub solve: Option<solve::Settings>,
    /// The law of impacts. Default Newton's.
    pub impact: ImpactLaw,
    /// Whether the configuration is moved out of contacts at the end of each step, by the shortest way in the metric of the mass
    /// matrix; velocities stay as they are. Default false.
    pub correction: bool,
    /// Whether contacts start at the impulses of the last step, where the solver can use them. Default true.
    pub warm_start: bool,
    /// A contact takes part while its gap is at most this. Contacts at rest take part beyond it: see [`Stepper`](super::Stepper).
    /// Default 0.
    pub margin: f64,
    /// Whether contact laws ask for the velocity at the end of the step, with contact points and normals where they are then,
    /// rather than where they are at the midpoint. Second order for contacts that stay and move; false is Moreau's rule as
    /// it stands. `gap_level` and `paoli_schatzman` do not ask. Default true.
    pub follow: bool,
    /// How often the contact problem of a step is posed by the midpoint rule: again with the answer of rotation and of forces
    /// that follow velocities to the impulses of the last time. Rotation of rigid bodies without joints has none to give. From 1 to 100; 2 keeps second
    /// order. Default 2.
    pub passes: usize,
    /// Whether coordinates and velocities are put back on the constraints of the model after each step. Default true.
    pub stabilise: bool,
    /// The worst certificate of an answer with which a step is made that no method solves to the tolerance, counted in the velocities of the contact
    /// problem, where shorter parts of it have none either, or where there are more than [`BodyRows::MANY`](crate::contact::BodyRows::MANY) contacts.
    /// In a part of a step they count as often as the whole is longer. Such steps are marked and counted:
    /// [`StepOutcome::missed`](super::StepOutcome::missed). 0 for none: a run ends there. At most 0.01. Default 10⁻³.
    pub accept: f64,
    /// When islands of bodies that are still are put to sleep, which is not exact; for rigid bodies. Default none: never.
    pub sleep: Option<Sleep>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            integrator: Integrator::default(),
            solve: None,
            impact: ImpactLaw::default(),
            correction: false,
            warm_start: true,
            margin: 0.0,
            follow: true,
            passes: 2,
            stabilise: true,
            accept: 1e-3,
            sleep: None,
        }
    }
}

/// The settings of the exact law of a model's contacts, by `auto`: \[3\] eq. (33) to 10⁻¹⁰ where all are planar, the cone to 10⁻⁹
/// where they are not.
#[must_use]
pub fn exact<M: Model>(model: &M) -> solve::Settings {
    let default = solve::Settings::default();
    if model.is_planar() {
        return default;
    }
    solve::Settings { formulation: Formulation::Cone, tolerance: 1e-9, ..default }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        self.integrator.validate()?;
        self.solve.as_ref().map_or(Ok(()), solve::Settings::validate)?;
        let (m, passes) = (self.margin, self.passes);
        let few = (1..=MOST_PASSES).contains(&passes);
        check(|| "passes".into(), passes as f64, few, "a whole number from 1 to 100")?;
        check(|| "margin".into(), m, m >= 0.0, "a finite number >= 0")?;
        let inside = (0.0..=1e-2).contains(&self.accept);
        check(|| "accept".into(), self.accept, inside, "between 0 and 0.01")?;
        let Some(sleep) = &self.sleep else { return Ok(()) };
        if self.integrator == Integrator::EventDriven {
            return Err(Error::Combination {
                part: "sleep",
                other: "event_driven",
                reason: "it has no steps that bodies could sleep through; leave sleep out, or use an integrator that steps",
            });
        }
        sleep.validate()
    }

    /// The settings of the solver for a model.
    #[must_use]
    pub fn solve_for<M: Model>(&self, model: &M) -> solve::Settings {
        self.solve.clone().unwrap_or_else(|| exact(model))
    }

    /// Refuses what does not go together with a model.
    pub(crate) fn fits<M: Model>(&self, model: &M) -> Result<(), Error> {
        if self.integrator == Integrator::EventDriven {
            return Err(Error::Combination {
                part: "event_driven",
                other: "steps of a given size",
                reason: "it goes from event to event; use run, or an integrator that steps",
            });
        }
        if self.integrator == Integrator::PaoliSchatzman {
            paoli_schatzman::fits(self)?;
        }
        if self.sleep.is_some() {
            Sleep::fits(model)?;
        }
        self.poses(model)
    }

    /// Refuses a formulation that cannot pose the contacts of a model.
    pub(crate) fn poses<M: Model>(&self, model: &M) -> Result<(), Error> {
        let formulation = self.solve_for(model).formulation;
        if formulation == Formulation::GlockerStuder && !model.is_planar() {
            return Err(Error::Combination {
                part: "glocker_studer",
                other: model.kind(),
                reason: "it is a formulation of planar contacts; use cone, stewart_trinkle or phantom_inertia",
            });
        }
        Ok(())
    }

    /// Refuses a law of a contact that the integrator or the law of impacts excludes.
    pub(crate) fn takes(&self, formulation: Formulation, law: &Law) -> Result<(), Error> {
        let bounces = law.eps_n != 0.0 || law.eps_t != 0.0;
        if self.integrator == Integrator::GapLevel && bounces {
            return Err(Error::Combination {
                part: "gap_level",
                other: "a contact with restitution",
                reason: "its contacts close at the level of positions, where restitution has no meaning; set eps_n \
                         and eps_t to 0, or use moreau_midpoint or moreau_jean",
            });
        }
        if self.integrator == Integrator::PaoliSchatzman {
            paoli_schatzman::takes(self.impact, formulation, law)?;
        }
        self.impact.takes(formulation, law)
    }
}
