//! The solvers for cone problems, one line each; tests and tables pick them up by themselves.

use stickslip_contact::Error;
use stickslip_contact::cone::{
    Admm, Auto, ConeSolver, InteriorPoint, Newton, Nsgs, SplitPoint, admm, auto, interior_point,
    newton, nsgs, split_point,
};

/// The name of the solver that must solve everything that has a solution.
pub const CONE_AUTO: &str = "auto";

/// All solvers with this tolerance and their other settings as they come.
///
/// # Errors
/// If the tolerance is out of its range.
pub fn cone_solvers(tolerance: f64) -> Result<Vec<Box<dyn ConeSolver>>, Error> {
    Ok(vec![
        Box::new(Auto::new(auto::Settings { tolerance, ..Default::default() })?),
        Box::new(Nsgs::new(nsgs::Settings { tolerance, ..Default::default() })?),
        Box::new(InteriorPoint::new(interior_point::Settings { tolerance, ..Default::default() })?),
        Box::new(SplitPoint::new(split_point::Settings { tolerance, ..Default::default() })?),
        Box::new(Newton::new(newton::Settings { tolerance, ..Default::default() })?),
        Box::new(Admm::new(admm::Settings { tolerance, ..Default::default() })?),
    ])
}
