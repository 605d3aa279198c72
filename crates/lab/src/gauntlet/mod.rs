//! Things thrown at random, beside the everyday motions of [`stickslip_studies::gauntlet`].

mod given;
mod thrown;

pub use given::{pyramid, stack};
pub use thrown::{Kind, Tally, Thrown, lost_problem, throw, throw_all};
