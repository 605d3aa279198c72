//! Systems described by expressions: names and texts in, exact equations of motion out.
//!
//! A [`Definition`] holds coordinates, parameters, energies, forces and contacts as text. An
//! [`ExpressionSystem`] is made from it: M = ∂²T/∂u∂u, h by Lagrange's equations, w_N and ŵ_N from
//! the gap, w_T and ŵ_T from the slip velocity, and the derivatives of these. All are derived
//! symbolically, simplified with the parameters put in as numbers, and compiled.
//!
//! An expression has numbers (`2`, `0.5`, `1e-3`), names, `+ - * / ^`, parentheses, the constant `pi`,
//! time `t`, and the functions `sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign
//! min max hypot if sum`, and those of the system's own. `sum(i, from, to, term)` adds up; in names `x{i+1}` has the number of the index.
//! `-x^2` is −(x²) and `2^3^2` is 2⁹. `rate(x)` is the derivative of x with respect to
//! time along the motion, Σ ∂x/∂q_i u_i + ∂x/∂t, so that velocities need not be written out.
//! Derivatives at a corner: zero for `abs` and `sign` at zero, the first argument's for `min` and
//! `max` of equal numbers.
//!
//! ```
//! use stickslip::expression::{Coordinate, Definition, ExpressionSystem, Parameter};
//! use stickslip::system::System;
//!
//! let pendulum = Definition {
//!     coordinates: vec![Coordinate { name: "phi".into(), velocity: "omega".into() }],
//!     parameters: vec![
//!         Parameter { name: "m".into(), value: 2.0.into() },
//!         Parameter { name: "l".into(), value: 0.5.into() },
//!         Parameter { name: "w".into(), value: "m*9.81".into() },
//!     ],
//!     kinetic: "m/2*(rate(l*sin(phi))^2 + rate(l*cos(phi))^2)".into(),
//!     potential: Some("-w*l*cos(phi)".into()),
//!     ..Definition::default()
//! };
//! let mut system = ExpressionSystem::new(&pendulum)?;
//! assert!(system.info().constant_mass); // sin² + cos² was recognised.
//! let mut h = [0.0];
//! system.forces(&[0.3], &[1.0], 0.0, &mut h);
//! assert!((h[0] + 2.0 * 9.81 * 0.5 * 0.3_f64.sin()).abs() < 1e-15);
//! # Ok::<(), stickslip::expression::DefinitionError>(())
//! ```

mod arena;
mod calls;
mod conditions;
mod constraint;
mod definition;
mod derive;
mod error;
mod friction;
mod function;
mod lexer;
mod model;
mod names;
mod ops;
mod order;
mod parser;
mod results;
mod simplify;
mod system;
mod table;
mod tape;
mod units;

pub use definition::{
    Constraint, Contact, Coordinate, Definition, ForceExpression, Helper, OwnFunction, Parameter,
    Scalar, TableFunction,
};
pub use error::DefinitionError;
pub use friction::Friction;
pub use function::Function;
pub use lexer::is_name;
pub use names::nearest;
pub use results::{Output, OutputText};
pub use system::ExpressionSystem;
pub use table::{Between, Interpolation, Outside, TableError};
pub use units::{Dimension, UnitError};
