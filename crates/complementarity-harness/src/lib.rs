//! Families of complementarity problems, and every solver run over all of them.
//!
//! ```text
//! cargo run --release -p complementarity-harness --bin table
//! cargo run --release -p complementarity-harness --bin compare
//! cargo bench -p complementarity-harness
//! ```

mod contact;
mod dense;
mod draw;
mod families;
mod instance;
mod reference;
mod run;
mod solvers;

pub use draw::Draw;
pub use families::{mixed_families, mixed_family, plain_families, plain_family};
pub use instance::{Expected, Family, Instance, Mixed, MixedFamily, MixedInstance, Plain};
pub use reference::Reference;
pub use run::{Lie, Record, TOLERANCE, Verdict, run, run_mixed};
pub use solvers::{
    ALLOCATION_FREE, AUTO, analyses, auto_path, mixed_solvers, plain_solver, plain_solvers,
};
