//! Exact arithmetic: signs that are true, and linear systems decided without rounding.
//!
//! Every finite floating-point number is an integer times a power of two, a [`Dyadic`] number, and so
//! are sums and products of them. A [`ExactSystem`] of linear inequalities with such data either has a
//! solution or a Farkas vector, and both can be written down exactly.
//!
//! ```
//! use complementarity::Matrix;
//! use complementarity::exact::{Decision, ExactSystem};
//!
//! // x ≥ 0 with x₁ / 3 − x₂ / 3 = 0 to the last bit, x₁ − x₂ − 1 ≥ 0: there is none.
//! let third = 1.0 / 3.0;
//! let a = Matrix::from_rows(&[[third, -third], [1.0, -1.0]])?;
//! let mut system = ExactSystem::new(&a, &[0.0, -1.0])?;
//! system.fix_row(0);
//! let Decision::Infeasible(y) = system.decide(&mut 1_000_000) else { panic!() };
//! assert_eq!(system.check(&y), Ok(()));
//! # Ok::<(), complementarity::Error>(())
//! ```

mod dyadic;
pub(crate) mod elimination;
mod near;
pub(crate) mod number;
mod prime;
mod program;
mod system;
pub(crate) mod wide;

pub use dyadic::{Dyadic, dot};
pub(crate) use near::Hint;
pub use system::{Decision, ExactSystem, Flaw, Point, Row};
