//! How contact problems are solved, in `stickslip solve` and in runs.

use super::{SettingArgs, number};
use stickslip_scene::{ContactChoices, RunChoices};

/// How a contact problem is solved; an LCP or MLCP has none of it.
#[derive(Clone, Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Contact problems")]
pub(crate) struct ContactArgs {
    /// Corners (stewart_trinkle, anitescu_potra) or facets (phantom_inertia) of the polygon that stands for a round
    /// friction set [default: 8].
    #[arg(long, value_name = "COUNT")]
    pub(crate) directions: Option<usize>,
    /// The phantom inertia of phantom_inertia: one number, or one per contact (of scenes: per table `[[contact]]`)
    /// with commas between them [default: below the
    /// values that are singular].
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = number)]
    pub(crate) rho: Vec<f64>,
    /// Add this share to each diagonal entry of W: compliant contacts, whose forces are unique [default: 0].
    #[arg(long, value_name = "SHARE", value_parser = number)]
    pub(crate) relaxation: Option<f64>,
    /// Of all impulses that give the same velocities and obey the laws, take the least.
    #[arg(long)]
    pub(crate) minimum_norm: bool,
}

impl ContactArgs {
    /// What was typed.
    pub(crate) fn choices(&self) -> ContactChoices {
        ContactChoices {
            directions: self.directions,
            rho: self.rho.clone(),
            relaxation: self.relaxation,
            minimum_norm: self.minimum_norm,
        }
    }
}

impl SettingArgs {
    /// What was typed, but for parameters.
    pub(crate) fn choices(&self) -> RunChoices {
        RunChoices {
            dt: self.dt,
            integrator: self.integrator,
            formulation: self.formulation,
            solver: self.solver,
            impact: self.impact,
            tol: self.tol,
            accept: self.accept,
            theta: self.theta,
            correction: self.correction,
            sleep: self.sleep,
            contact: self.contact.choices(),
        }
    }
}
