//! The studies of phantom inertia.

mod polygons;
mod rank;
mod rho;

pub use polygons::PolygonStudy;
pub use rank::RankStudy;
pub use rho::RhoStudy;

use super::systems;
use crate::Error;
use stickslip::contact::ContactProblem;

/// The coefficient of friction of the named systems.
const MU: f64 = 0.5;
/// Polygons of the solver have at most 1000 corners.
const MOST_LINES: usize = 500;

fn check_lines(lines: &[usize]) -> Result<(), Error> {
    Error::unless(!lines.is_empty(), "k", || "at least one number of lines is needed".to_owned())?;
    lines.iter().try_for_each(|&k| Error::unless_within(k, (2, MOST_LINES), "k"))
}

/// Systems whose matrices are looked at.
fn named() -> Vec<(String, ContactProblem)> {
    [
        ("particle", systems::particle(1.0, MU, 1.0, [0.8, 0.3])),
        ("tripod on elastic legs", systems::tripod(MU)),
        ("block on three points", systems::block_on_three(MU)),
        ("block on four corners", systems::block_on_four(MU, 0.0)),
    ]
    .map(|(name, problem)| (name.to_owned(), problem))
    .to_vec()
}
