//! What \[1\] says of its matrix, as numbers: rank and condition, which ρ are singular, what ρ does to the answer, and
//! how strong the friction of its polygon is.

mod lead;
mod rho;
mod strength;
mod study;
pub mod systems;

pub use lead::{Form, Lead, RANK, lead_matrix};
pub use rho::{Comparison, dips, one_attempt, relative_sigma, singular_rhos};
pub use strength::{Strength, breakaway, sliding, support_formula};
pub use study::{PolygonStudy, RankStudy, RhoStudy};

use stickslip::Error;
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::{ContactSolver, Formulation, Rho, Settings, default_rho};

/// Numbers of lines k that are looked at: polygons with 2 k corners or facets.
pub const LINES: [usize; 4] = [2, 3, 4, 8];

/// A solver that stays with its formulation, with 2 k corners or facets.
///
/// # Errors
/// If ρ is out of range.
pub fn solver(
    formulation: Formulation,
    lines: usize,
    rho: impl Into<Rho>,
) -> Result<ContactSolver, Error> {
    let directions = 2 * lines;
    let (fall_back, rho) = (false, rho.into());
    let settings = Settings { formulation, directions, rho, fall_back, ..Settings::default() };
    Ok(ContactSolver::new(settings)?)
}

/// The phantom inertia that is chosen for each contact, with polygons of 2 k facets.
///
/// # Errors
/// If the formulation cannot pose the problem.
pub fn chosen_rho(problem: &ContactProblem, lines: usize) -> Result<Vec<f64>, Error> {
    let (_, model) = solver(Formulation::PhantomInertia, lines, Rho::Chosen)?.encoding(problem)?;
    Ok(default_rho(model.as_ref().unwrap_or(problem))?)
}
