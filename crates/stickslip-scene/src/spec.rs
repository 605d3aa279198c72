//! What a scene says about running it.

use stickslip::contact::solve::{Formulation, Rho, SolverChoice};
use stickslip::impact::ImpactLaw;
use stickslip::step::{Integrator, Sleep};

/// How to run. What a file leaves open is none, and is chosen by the one who runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSpec {
    /// End time, above 0.
    pub t_end: Option<f64>,
    /// Length of a step, above 0; of the stepping integrators.
    pub dt: Option<f64>,
    /// The integrator.
    pub integrator: Option<Integrator>,
    /// The formulation.
    pub formulation: Option<Formulation>,
    /// The solver of the complementarity problems.
    pub solver: Option<SolverChoice>,
    /// θ of `moreau_jean`, from 0.5 to 1.
    pub theta: Option<f64>,
    /// Corners or facets of the polygon that stands for a round friction set, in formulations that have one.
    pub directions: Option<usize>,
    /// The phantom inertia ρ, of the formulation `phantom_inertia`.
    pub rho: Option<Rho>,
    /// Compliance added to W, as a share of each diagonal entry.
    pub relaxation: Option<f64>,
    /// Whether of all impulses that do the same the least are taken.
    pub minimum_norm: Option<bool>,
    /// The law of impacts.
    pub impact: Option<ImpactLaw>,
    /// Whether positions inside contacts are corrected.
    pub correction: Option<bool>,
    /// Whether bodies that are still are put to sleep.
    pub sleep: Option<bool>,
    /// How long they must have been still, in seconds.
    pub still_for: Option<f64>,
    /// Below which speed they are still, in m/s.
    pub slower_than: Option<f64>,
    /// How many samples of the motion are kept, from 2 to 10 million.
    pub samples: Option<usize>,
}

impl RunSpec {
    /// When bodies sleep, if they do.
    pub(crate) fn sleeps(&self) -> Sleep {
        let usual = Sleep::default();
        Sleep {
            still_for: self.still_for.unwrap_or(usual.still_for),
            slower_than: self.slower_than.unwrap_or(usual.slower_than),
        }
    }
}

/// The most steps a scene may ask for.
pub const MOST_STEPS: f64 = 1e9;

/// In which direction a motion crosses a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crossing {
    /// The section's expression grows through zero.
    #[default]
    Rising,
    /// It falls through zero.
    Falling,
}

/// Where and how to look for a limit cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CycleSpec {
    /// An expression in coordinates, velocities and `t` that is zero on the Poincaré section; none if the scene gives a period.
    pub section: Option<String>,
    /// The period of what drives the system, above 0: the motion is looked at after each. None if the scene gives a section.
    pub period: Option<f64>,
    /// How the section is crossed.
    pub direction: Crossing,
    /// The coordinates that need not come back, by their numbers in [`Scene::local`](crate::Scene::local): their change over a period
    /// is reported.
    pub cyclic: Vec<usize>,
}

/// A column of the trajectory beside those that every run has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutputSpec {
    /// The name of the column.
    pub name: String,
    /// An expression of the state, energies and contact forces.
    pub value: String,
    /// Its unit, if it is given.
    pub unit: Option<String>,
}

/// A phase portrait, or a plot over time, beside those that every run draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotSpec {
    /// The title, if it has one.
    pub title: Option<String>,
    /// What is drawn to the right, an expression of the state.
    pub x: String,
    /// What is drawn upwards.
    pub y: String,
}
