//! Cone complementarity: friction sets, the cones over them, and projections onto both.

pub mod projection;
pub mod set;
