//! Analysis of motions (limit cycles, their multipliers and what happens in them) and of single states; that of one contact
//! problem is in [`contact::analysis`](crate::contact::analysis).
//!
//! ```
//! use stickslip::analysis::{Search, Surface, cycle, cyclic_coordinates, find_cycle};
//! use stickslip::model::Generalised;
//! use stickslip::models::Woodpecker;
//!
//! let (bird, start) = (Woodpecker::default().system(), Woodpecker::start());
//! let cyclic = cyclic_coordinates(&bird, &start);
//! assert_eq!(cyclic, [0]); // Nothing depends on the height y.
//! // The bird turns round below: ω_S rises through zero.
//! let mut section = |_q: &[f64], u: &[f64], _t: f64| u[2];
//! let surface = Surface::Section(&mut section, 1.0);
//! let settings = cycle::Settings::default();
//! let Search::Found(cycle) = find_cycle(&Generalised::new(bird)?, &start, surface, &cyclic, &settings)? else {
//!     panic!("the woodpecker hammers")
//! };
//! assert!(cycle.stable && (cycle.period - 0.145_976_065_144).abs() < 1e-12);
//! assert!(cycle.energy.relative < 1e-12);
//! # Ok::<(), stickslip::Error>(())
//! ```

pub mod cycle;
mod returns;
pub mod settling;
pub mod state;

pub use cycle::{Cycle, Lost, Search, find_cycle};
pub use returns::{Return, ReturnMap, Surface, cyclic_coordinates};
