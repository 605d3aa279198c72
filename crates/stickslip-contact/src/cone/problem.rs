//! The cone complementarity problem, as data.

use super::{BlockMatrix, ConvexSet};
use crate::Error;
use crate::error::{check_finite, check_len};
use complementarity::Matrix;

/// Most rows that a block may have.
pub const MAX_BLOCK: usize = 6;
/// Most tangential rows that a block may have.
pub const MAX_TANGENTS: usize = 3;

/// The law of one block of unknowns.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Law {
    /// One row: 0 ≤ ξ ⊥ Λ ≥ 0.
    Frictionless,
    /// This many rows with ξ = 0 and Λ free.
    Bilateral(usize),
    /// A normal row, 0 ≤ ξ_N ⊥ Λ_N ≥ 0, and then the tangential ones: Λ_T ∈ r F with r = `mu` Λ_N +
    /// `radius`, and −ξ_T in the normal cone to r F at Λ_T.
    Friction {
        /// The coefficient of friction, at least 0.
        mu: f64,
        /// The part of the bound that does not depend on Λ_N, at least 0.
        radius: f64,
        /// The friction set F.
        set: ConvexSet,
    },
    /// A contact that slides, on the level of accelerations: a normal row, 0 ≤ ξ_N ⊥ Λ_N ≥ 0, and
    /// then the tangential ones, Λ_T = (`mu` Λ_N + `radius`) f, where ξ_T is free. f is the point
    /// of the friction set that opposes the slip.
    ///
    /// Where W_NN + μ W_NT f ≤ 0 (Painlevé) one contact alone may have no solution, or two.
    Sliding {
        /// The coefficient of friction, at least 0.
        mu: f64,
        /// The part of the friction force that does not depend on Λ_N, at least 0.
        radius: f64,
        /// f; only the first `tangents` numbers count.
        friction: [f64; MAX_TANGENTS],
        /// Number of tangential rows, 1 to 3.
        tangents: usize,
    },
}

impl Law {
    /// Coulomb's law in space.
    pub fn disc(mu: f64) -> Self {
        Self::Friction { mu, radius: 0.0, set: ConvexSet::Disc }
    }

    /// Coulomb's law in the plane.
    pub fn planar(mu: f64) -> Self {
        Self::Friction { mu, radius: 0.0, set: ConvexSet::Interval }
    }

    /// Number of rows.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Frictionless => 1,
            Self::Bilateral(rows) => *rows,
            Self::Friction { set, .. } => 1 + set.dimension(),
            Self::Sliding { tangents, .. } => tangents.saturating_add(1),
        }
    }

    fn validate(&self, block: usize) -> Result<(), Error> {
        let refuse = |what: &str, value, requirement| {
            Err(Error::Range { place: format!("{what} of contact {block}"), value, requirement })
        };
        match self {
            Self::Frictionless => Ok(()),
            Self::Bilateral(rows) if (1..=MAX_BLOCK).contains(rows) => Ok(()),
            Self::Bilateral(rows) => {
                refuse("the number of bilateral rows", *rows as f64, "from 1 to 6")
            }
            Self::Friction { mu, radius, set } => {
                set.validate()?;
                let d = set.dimension();
                if !(1..=MAX_TANGENTS).contains(&d) {
                    return refuse("the dimension of the friction set", d as f64, "from 1 to 3");
                }
                validate_bound(block, *mu, *radius)
            }
            Self::Sliding { mu, radius, friction, tangents } => {
                if !(1..=MAX_TANGENTS).contains(tangents) {
                    return refuse("the number of tangents", *tangents as f64, "from 1 to 3");
                }
                if let Some(&bad) = friction[..*tangents].iter().find(|f| !f.is_finite()) {
                    return refuse("friction", bad, "finite");
                }
                validate_bound(block, *mu, *radius)
            }
        }
    }
}

fn validate_bound(block: usize, mu: f64, radius: f64) -> Result<(), Error> {
    for (what, value) in [("mu", mu), ("radius", radius)] {
        if !(value >= 0.0 && value.is_finite()) {
            let requirement = "finite and at least 0";
            return Err(Error::Range {
                place: format!("{what} of contact {block}"),
                value,
                requirement,
            });
        }
    }
    Ok(())
}

/// Find Λ with ξ = W Λ + b such that each block obeys its law.
///
/// With friction a block is K ∋ Λ ⊥ ξ + μ h_F(−ξ_T) e_N ∈ K*, K = { Λ_N ≥ 0, Λ_T ∈ μ Λ_N F }, which is
/// De Saxcé's form of Coulomb's law for any set F; h_F is its support function.
///
/// ```
/// use stickslip_contact::cone::{Auto, ConeProblem, ConeSolver, Law};
/// use stickslip_contact::block::BlockMatrix;
///
/// // A unit mass that slides at speed 1 while it is pressed to the ground at speed 2.
/// let w = BlockMatrix::from_one_triangle(&[3], vec![(0, 0, vec![1., 0., 0., 0., 1., 0., 0., 0., 1.])])?;
/// let problem = ConeProblem::new(w, vec![-2.0, 1.0, 0.0], vec![Law::disc(0.25)])?;
/// let mut solver = Auto::default();
/// let solution = solver.solve(&problem);
/// assert!(solution.is_solved());
/// assert!((solution.impulse[1] + 0.5).abs() < 1e-9);
/// # Ok::<(), stickslip_contact::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConeProblem {
    w: BlockMatrix,
    b: Vec<f64>,
    laws: Vec<Law>,
    associated: bool,
}

impl ConeProblem {
    /// A problem with one law per block of W.
    ///
    /// # Errors
    /// If sizes do not fit, a number is not finite, or a law is out of its range.
    pub fn new(w: BlockMatrix, b: Vec<f64>, laws: Vec<Law>) -> Result<Self, Error> {
        check_len("b", w.rows(), &b)?;
        check_finite("b", &b)?;
        if laws.len() != w.len() {
            let (expected, found) = (w.len(), laws.len());
            return Err(Error::Size { what: "the list of laws", expected, found });
        }
        for (i, law) in laws.iter().enumerate() {
            law.validate(i)?;
            if law.dimension() != w.size(i) {
                let (value, requirement) = (law.dimension() as f64, "the size of its block of W");
                let what = "the number of rows";
                return Err(Error::Range {
                    place: format!("{what} of contact {i}"),
                    value,
                    requirement,
                });
            }
        }
        Ok(Self { w, b, laws, associated: false })
    }

    /// W, b and the laws, to fill them again.
    pub fn into_parts(self) -> (BlockMatrix, Vec<f64>, Vec<Law>) {
        (self.w, self.b, self.laws)
    }

    /// A problem with a dense W, of which the blocks that are zero are dropped.
    ///
    /// # Errors
    /// As [`ConeProblem::new`].
    pub fn from_dense(w: &Matrix, b: Vec<f64>, laws: Vec<Law>) -> Result<Self, Error> {
        let sizes: Vec<usize> = laws.iter().map(Law::dimension).collect();
        Self::new(BlockMatrix::from_dense(&sizes, w)?, b, laws)
    }

    /// The same problem without De Saxcé's correction: every block with friction obeys
    /// K ∋ Λ ⊥ ξ ∈ K* (with a radius: −ξ in the normal cone to K at Λ) instead of the exact law.
    ///
    /// Without sliding contacts this is the convex program min ½ ΛᵀWΛ + bᵀΛ over K. A contact that
    /// slides then also lifts, ξ_N = μ h_F(−ξ_T): for comparison with solvers that solve this,
    /// not for use. The laws of other blocks stay as they are.
    ///
    /// ```
    /// use complementarity::Matrix;
    /// use stickslip_contact::cone::{Auto, ConeProblem, ConeSolver, Law};
    ///
    /// let (w, b) = (Matrix::identity(2), vec![0.0, 1.0]);
    /// let problem = ConeProblem::from_dense(&w, b, vec![Law::planar(0.5)])?.associated();
    /// let mut solver = Auto::default();
    /// let solution = solver.solve(&problem);
    /// assert!((solution.velocity[0] - 0.5 * solution.velocity[1]).abs() < 1e-9);
    /// # Ok::<(), stickslip_contact::Error>(())
    /// ```
    pub fn associated(self) -> Self {
        Self { associated: true, ..self }
    }

    /// Whether De Saxcé's correction is left out; see [`associated`](Self::associated).
    pub fn is_associated(&self) -> bool {
        self.associated
    }

    /// The matrix W.
    pub fn w(&self) -> &BlockMatrix {
        &self.w
    }

    /// The bias b.
    pub fn b(&self) -> &[f64] {
        &self.b
    }

    /// The law of each block.
    pub fn laws(&self) -> &[Law] {
        &self.laws
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.laws.len()
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.b.len()
    }

    /// Whether there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.b.is_empty()
    }

    /// The scalar rows of block `i`.
    pub fn rows(&self, i: usize) -> std::ops::Range<usize> {
        self.w.offset(i)..self.w.offset(i + 1)
    }

    /// How far `impulse` is from a solution; see [`ConeResidual`](super::ConeResidual).
    ///
    /// # Errors
    /// If the vector has the wrong size. One with numbers that are not finite has residual ∞.
    pub fn residual(&self, impulse: &[f64]) -> Result<super::ConeResidual, Error> {
        self.residual_into(impulse, &mut Vec::new())
    }

    /// The same, with ξ = W Λ + b left in a vector whose storage is kept.
    ///
    /// # Errors
    /// As [`residual`](Self::residual).
    pub fn residual_into(
        &self,
        impulse: &[f64],
        velocity: &mut Vec<f64>,
    ) -> Result<super::ConeResidual, Error> {
        check_len("the impulse", self.len(), impulse)?;
        velocity.clear();
        velocity.resize(self.len(), 0.0);
        Ok(super::residual::judge(self, impulse, velocity))
    }
}
