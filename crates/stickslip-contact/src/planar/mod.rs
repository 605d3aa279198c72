//! Planar contacts, solved from W, b and the laws as they are.

pub(crate) mod cases;
pub(crate) mod slip_roots;
