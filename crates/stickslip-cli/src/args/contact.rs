//! How contact problems are solved, in `stickslip solve` and in runs.

use super::number;
use crate::error::CliError;
use stickslip::contact::solve::{Formulation, Rho};
use stickslip_scene::Idle;

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
    /// ρ, if it was given.
    pub(crate) fn rho(&self) -> Option<Rho> {
        match &self.rho[..] {
            [] => None,
            [one] => Some(Rho::Uniform(*one)),
            list => Some(Rho::PerContact(list.to_vec())),
        }
    }

    /// Refuses options that do nothing with this formulation, or without one.
    pub(crate) fn refuse_idle(&self, used: Option<Formulation>) -> Result<(), CliError> {
        // Without a formulation the exact law is solved, in one that has neither.
        let idle = Idle::with_formulation(used.unwrap_or(Formulation::Cone));
        let typed = |key: &str| match key {
            "directions" => self.directions.is_some(),
            _ => key == "rho" && !self.rho.is_empty(),
        };
        match idle.iter().find(|idle| typed(idle.key)) {
            Some(Idle { key, choice, needed, .. }) => Err(CliError::misuse(format!(
                "--{key} does nothing without --{choice} {}",
                needed.join(" or ")
            ))),
            None => Ok(()),
        }
    }
}
