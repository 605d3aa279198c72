//! The mechanics measured: beside Siconos, over step sizes, formulation against formulation.
//!
//! | question | command |
//! |---|---|
//! | does an independent program get the same motion, and how fast? | `cargo run --release -p stickslip-harness --bin siconos` |
//! | with which order does time stepping converge? | `cargo run --release -p stickslip-harness --bin convergence` |
//! | do the formulations agree? | `cargo run --release -p stickslip-harness --bin formulations` |
//! | what do limit surfaces do to a body that slides and spins? | `cargo run --release -p stickslip-harness --bin limit_surfaces` |
//! | does phantom inertia do what its paper says? | `cargo run --release -p stickslip-harness --bin phantom_inertia` |
//! | is a step of a box on its corners lost, by any formulation with any friction set? | `cargo run --release -p stickslip-harness --bin boxes` |
//! | does a step of an articulated tree cost in proportion to its links? | `cargo run --release -p stickslip-harness --bin body_cost` |
//! | do rigid, articulated and point-mass models of a mechanism agree? | `cargo run --release -p stickslip-harness --bin model_agreement` |
//! | what do rigid bodies and point masses make of free rotation? | `cargo run --release -p stickslip-harness --bin tumble` |
//! | do tops, balls, discs and linkages move by their closed forms? | `cargo run --release -p stickslip-harness --bin classics` |
//! | do the bounds of theorem 1 hold, and how sharp are they? | `cargo run --release -p stickslip-harness --bin existence` |
//! | does the search for all solutions find what every mode tried one by one gives? | `cargo run --release -p stickslip-harness --bin every_mode` |
//! | how many solutions do the examples of the pages on analysis have? | `cargo run --release -p stickslip-harness --bin analysis_pictures` |
//! | how fast is a step? | `cargo bench -p stickslip-harness` |
//! | how many instructions is a step? | `cargo run --release -p stickslip-harness --bin step_counts` |
//!
//! `siconos` needs g++ and Siconos' headers for the other side and does without them; `step_counts` needs
//! valgrind. `cargo xtask measure` runs the first four and writes their tables into the book.

mod agreement;
pub mod analysis;
pub mod boxes;
pub mod classics;
pub mod every_mode;
pub mod existence;
pub mod limit_surfaces;
mod lines;
mod loglog;
mod march;
pub mod models;
pub mod phantom;
mod polar;
mod random;
mod reference;
pub mod sketch;
mod tables;
pub mod tumble;

pub use agreement::{Agreement, Pair};
pub use lines::Lines;
pub use loglog::LogLog;
pub use march::{March, Stopped};
pub use polar::{Panel, Polar};
pub use random::Kind;
pub use reference::{event_driven_period, event_driven_state, start_on_contact};
pub use tables::{Tables, median, spread};

/// About how long a limit cycle of the woodpecker lasts, in seconds.
pub const CYCLE: f64 = 0.146;
