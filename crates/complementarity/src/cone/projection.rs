//! Projections onto the cone over a set, and onto its polar.
