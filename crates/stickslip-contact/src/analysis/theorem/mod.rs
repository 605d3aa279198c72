//! Theorem 1 of paper 2 as numbers: up to which friction a solution is guaranteed, and up to which it is the only one.
//!
//! For a [`ContactProblem`] on the level of accelerations,
//! where contacts with [`Law::sliding`](crate::Law::sliding) slide and the others roll. The page
//! `analysis/theorem` of the book has the derivations and proofs.
//!
//! ```
//! use complementarity::Matrix;
//! use stickslip_contact::analysis::theorem::Theorem;
//! use stickslip_contact::{ContactProblem, Law};
//!
//! // Painlevé's rod at tan θ = 2, sliding so that friction drives it into the ground.
//! let w = Matrix::from_rows(&[[1.6, 1.2], [1.2, 3.4]])?;
//! let law = Law::coulomb(1.0).sliding_with([1.0, 0.0, 0.0]);
//! let problem = ContactProblem::new(w, vec![-9.81, 0.0], vec![law])?;
//! let theorem = Theorem::of(&problem)?;
//! assert!((theorem.bounds.existence.common - 4.0 / 3.0).abs() < 1e-9);
//! assert!(theorem.bounds.existence.holds());
//! println!("{theorem}");
//! # Ok::<(), stickslip_contact::Error>(())
//! ```

mod bounds;
mod definite;
mod effective;
mod form;
mod layout;
mod minors;
mod outer;
mod program;
mod words;

pub use bounds::{Bounds, Limit, Modes};
pub use definite::Definiteness;
pub use effective::Effective;
pub use program::{MAX_SELF_STRESSES, Meaning, Program};

use crate::ContactProblem;
use crate::error::{Error, check};
use layout::Layout;

/// The most rows of W: some dozens of factorisations of that size are made.
pub const MAX_ROWS: usize = 300;

/// What theorem 1 says of a contact problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Theorem {
    /// Part (A).
    pub bounds: Bounds,
    /// Part (B), if no contact slides.
    pub program: Option<Program>,
}

impl Theorem {
    /// Computes the bounds. Cost: eigenvalues of W and some hundred factorisations of the size of its normals; for planar
    /// problems and those that slide also up to 20,000 eigenvalue problems with one row per contact.
    ///
    /// # Errors
    /// If W has more than [`MAX_ROWS`] rows or is not symmetric, or numbers overflow.
    pub fn of(problem: &ContactProblem) -> Result<Self, Error> {
        problem.refuse_varying_friction("theorem 1")?;
        problem.refuse_associated("theorem 1")?;
        let rows = problem.bias().len();
        let place = || "the number of rows of W".into();
        check(place, rows as f64, rows <= MAX_ROWS, "at most 300 for theorem 1")?;
        // The proofs use W as a quadratic form and its null space from both sides.
        problem.delassus().needs_symmetry("theorem 1")?;
        let layout = Layout::of(problem);
        let bounds = Bounds::of(problem, &layout)?;
        Ok(Self { bounds, program: Program::of(problem, &layout) })
    }
}
