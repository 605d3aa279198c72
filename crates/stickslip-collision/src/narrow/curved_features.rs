//! Features of cylinders and cones.
