//! The solvers for cone problems, one line each; tests and tables pick them up by themselves.

use stickslip_contact::Error;
use stickslip_contact::solvers::{
    Admm, Alternating, Cascade, ConeInteriorPoint, ConeNewton, Method, Nsgs, SplitInteriorPoint,
    admm, alternating, cascade, interior_point, newton, nsgs, split_point,
};

/// The name of the solver that must solve everything that has a solution.
pub const CONE_AUTO: &str = "auto";

/// All solvers with this tolerance and their other settings as they come.
///
/// # Errors
/// If the tolerance is out of its range.
pub fn cone_solvers(tolerance: f64) -> Result<Vec<Box<dyn Method>>, Error> {
    Ok(vec![
        Box::new(Cascade::new(cascade::Settings { tolerance, ..Default::default() })?),
        Box::new(Nsgs::new(nsgs::Settings { tolerance, ..Default::default() })?),
        Box::new(ConeInteriorPoint::new(interior_point::Settings {
            tolerance,
            ..Default::default()
        })?),
        Box::new(SplitInteriorPoint::new(split_point::Settings {
            tolerance,
            ..Default::default()
        })?),
        Box::new(ConeNewton::new(newton::Settings { tolerance, ..Default::default() })?),
        Box::new(Admm::new(admm::Settings { tolerance, ..Default::default() })?),
        Box::new(Alternating::new(alternating::Settings { tolerance, ..Default::default() })?),
    ])
}
