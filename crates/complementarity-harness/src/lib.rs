//! Families of complementarity problems, and every solver run over all of them.
//!
//! A family makes a problem from a size and a seed, and says what a theorem knows about it. A solver is
//! one line in `solvers.rs`, a family one function and one line in `families/mod.rs`; tests, tables
//! and benchmarks pick both up by themselves.
//!
//! | question | command |
//! |---|---|
//! | which solver settles what? | `cargo run --release -p complementarity-harness --bin table` |
//! | how fast beside Siconos? | `cargo run --release -p complementarity-harness --bin compare` |
//! | which solver for cone problems, how fast? | `cargo run --release -p complementarity-harness --bin cone_table` |
//! | do solvers of cone problems agree? | `cargo run --release -p complementarity-harness --bin cone_agreement` |
//! | how fast beside Siconos and Pinocchio? | `cargo run --release -p complementarity-harness --bin cone_compare` |
//! | how long do all solutions take? | `cargo run --release -p complementarity-harness --bin enumerate_timing` |
//! | how fast? | `cargo bench -p complementarity-harness` |
//! | how many instructions? | `cargo run --release -p complementarity-harness --bin counts` |
//! | does anything break it? | `RUSTC_BOOTSTRAP=1 cargo fuzz run lcp_solve -- -max_total_time=60` |
//!
//! `compare` and `cone_compare` need gcc and Siconos' headers for the other side, the latter also Python
//! with `pin` and `scipy`, and do without them; `counts` needs
//! valgrind; fuzzing needs `cargo install cargo-fuzz` and has the targets `lcp_solve`,
//! `mlcp_solve`, `cone_solve` and `json`.
//!
//! ```
//! use complementarity_harness::{Reference, Verdict, plain_family, run};
//!
//! let instance = plain_family("planar_glocker_studer").unwrap().instance(3, 7);
//! let record = run(&mut Reference::default(), &instance);
//! assert_eq!(record.verdict, Verdict::Solved);
//! ```

pub mod cone;
mod contact;
mod dense;
mod draw;
mod families;
mod instance;
mod page;
mod reference;
mod run;
mod solvers;

pub use draw::Draw;
pub use families::{mixed_families, mixed_family, plain_families, plain_family};
pub use instance::{Expected, Family, Instance, Mixed, MixedFamily, MixedInstance, Plain};
pub use page::write_between_markers;
pub use reference::Reference;
pub use run::{Lie, Record, TOLERANCE, Verdict, run, run_mixed};
pub use solvers::{
    ALLOCATION_FREE, AUTO, Analysis, analyses, auto_path, mixed_solvers, plain_solver,
    plain_solvers,
};
