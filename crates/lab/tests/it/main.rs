//! The integration tests of this crate, in one executable.

mod analysis_examples;
mod boxes;
mod classics;
mod cone_agreement;
mod convex_reference;
mod existence;
mod families;
mod formulations;
mod gauntlet;
mod iterations;
mod matrix;
mod model_agreement;
mod papers;
mod schemes;
mod self_stress_reference;
mod solver_allocation;
mod solver_determinism;
mod step_allocation;
mod step_determinism;
mod verdicts;
mod wild;
mod wild_cone;
