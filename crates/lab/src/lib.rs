//! Measurements, comparisons with other programs, and the studies behind the book.
//!
//! `cargo run --release -p stickslip-lab` lists the commands, each with the question that it answers;
//! `cargo bench -p stickslip-lab` times solves and steps.
//!
//! *Solvers.* A family makes a problem from a size and a seed, and says what a theorem knows about it. A solver is
//! one line in `solvers.rs`, a family one function and one line in `families/mod.rs`; tests, tables
//! and benchmarks pick both up by themselves.
//!
//! *Mechanics.* Motions and states beside closed forms, other programs and each other; each study has its module here
//! and its command in `commands/`. What a user of the command may want to ask as well is `stickslip_studies`.
//!
//! `compare`, `cone_compare` and `siconos` need a C or C++ compiler and Siconos' headers for the other side,
//! `cone_compare` also Python with `pin` and `scipy`, `peers` with what its help names, and do without them; `counts` and `step_counts` need valgrind.
//! `cargo xtask bench` and `cargo xtask measure` run those that write tables of the book.
//! Fuzzing needs `cargo install cargo-fuzz` and has the targets `lcp_solve`, `mlcp_solve`, `cone_solve` and `json`:
//! `RUSTC_BOOTSTRAP=1 cargo fuzz run lcp_solve -- -max_total_time=60`.
//!
//! ```
//! use stickslip_lab::{Reference, Verdict, plain_family, run};
//!
//! let instance = plain_family("planar_glocker_studer").unwrap().instance(3, 7);
//! let record = run(&mut Reference::default(), &instance);
//! assert_eq!(record.verdict, Verdict::Solved);
//! ```

mod agreement;
pub mod analysis;
pub mod boxes;
pub mod campaign;
pub mod classics;
pub mod cone;
mod contact;
mod dense;
mod event_driven;
pub mod every_mode;
pub mod existence;
mod families;
pub mod gauntlet;
mod instance;
mod march;
pub mod matrix;
pub mod models;
pub mod peers;
pub mod piles;
mod random;
mod reference;
mod run;
pub mod schemes;
mod solvers;
mod tables;

pub use agreement::{Agreement, Pair};
pub use event_driven::{event_driven_period, event_driven_state, start_on_contact};
pub use families::{mixed_families, mixed_family, plain_families, plain_family};
pub use instance::{Expected, Family, Instance, Mixed, MixedFamily, MixedInstance, Plain};
pub use march::{JEAN, March, Stopped};
pub use random::Kind;
pub use reference::Reference;
pub use run::{Lie, Record, TOLERANCE, Verdict, run, run_mixed};
pub use solvers::{
    ALLOCATION_FREE, AUTO, Analysis, analyses, auto_path, mixed_solvers, plain_solver,
    plain_solvers,
};
pub use tables::{Tables, median, spread};

/// About how long a limit cycle of the woodpecker lasts, in seconds.
pub const CYCLE: f64 = 0.146;

/// The code of the README of the whole is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
