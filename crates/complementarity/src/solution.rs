//! What a solver returns: a vector, a status that says why, the residual, statistics.

use crate::{Proof, Residual};
use std::fmt;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Status {
    /// `z` meets the tolerance, by the independent [`Residual`].
    Solved,
    /// There is no solution, and [`Solution::proof`] shows it.
    NoSolution,
    /// Neither: `z` is the best vector found, and its residual says how good it is.
    Failed(Failure),
}

/// Why a solve failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Failure {
    /// A path of pivots ended on a ray, which proves nothing for this matrix.
    Ray,
    /// The limit on iterations or pivots was reached.
    IterationLimit,
    /// The limit on operations of all methods together was reached.
    WorkLimit,
    /// The iterates no longer improve.
    Stalled,
    /// A pivot or factorisation was too small to trust, or a number overflowed.
    Numerical,
    /// The method needs a property that the matrix lacks (a positive diagonal, say).
    WrongClass,
    /// Exact arithmetic found a solution, and rounded to double precision it does not meet the tolerance: the unknowns are so
    /// large that a unit of their last digit is more than the problem allows.
    Precision,
}

impl Status {
    /// Whether a solution was found.
    #[must_use]
    pub fn is_solved(self) -> bool {
        self == Self::Solved
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Solved => "solved",
            Self::NoSolution => "no solution, proved",
            Self::Failed(Failure::Ray) => "failed: ended on a ray, which proves nothing here",
            Self::Failed(Failure::IterationLimit) => "failed: iteration limit reached",
            Self::Failed(Failure::WorkLimit) => "failed: limit on work reached",
            Self::Failed(Failure::Stalled) => "failed: no more progress",
            Self::Failed(Failure::Numerical) => "failed: numerical trouble",
            Self::Failed(Failure::WrongClass) => "failed: the matrix lacks what the method needs",
            Self::Failed(Failure::Precision) => {
                "failed: a solution exists, too large for double precision to meet the tolerance"
            }
        })
    }
}

/// Work that a solve took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Statistics {
    /// Pivots of a pivoting method, sweeps of `pgs`, steps of `newton` and `interior_point`.
    pub iterations: usize,
    /// Matrices factorised from scratch.
    pub factorizations: usize,
    /// Steps of iterative refinement.
    pub refinements: usize,
}

/// A half-line on which a path of pivots ended: for every t ≥ 0 the point
/// z = `origin` + t `direction` with the auxiliary variable a = `origin_cover` + t `direction_cover`
/// satisfies w = M z + q + a `cover` ≥ 0, z ≥ 0, a ≥ 0 and zᵀw = 0.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Ray {
    /// z where the ray starts.
    pub origin: Vec<f64>,
    /// The auxiliary variable where the ray starts; positive, else `origin` is a solution.
    pub origin_cover: f64,
    /// Direction of z.
    pub direction: Vec<f64>,
    /// Direction of the auxiliary variable.
    pub direction_cover: f64,
    /// The vector that multiplies the auxiliary variable.
    pub cover: Vec<f64>,
}

/// The outcome of a solve.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Solution {
    /// The unknowns.
    pub z: Vec<f64>,
    /// w = M z + q, evaluated from the problem's own data.
    pub w: Vec<f64>,
    /// How the solve ended.
    pub status: Status,
    /// How far `z` is from a solution, computed apart from the solver.
    pub residual: Residual,
    /// What it took.
    pub statistics: Statistics,
    /// The ray on which `lemke` ended, for a plain problem; else `None`.
    pub ray: Option<Ray>,
    /// Why there is no solution; present if and only if the status is `NoSolution`.
    pub proof: Option<Proof>,
}

impl Default for Solution {
    fn default() -> Self {
        Self {
            z: Vec::new(),
            w: Vec::new(),
            status: Status::Failed(Failure::Stalled),
            residual: Residual::INFINITE,
            statistics: Statistics::default(),
            ray: None,
            proof: None,
        }
    }
}

impl Solution {
    /// Whether a solution was found.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.status.is_solved()
    }

    /// Makes ready for a problem with `n` unknowns, keeping the storage and whatever z and w held.
    pub(crate) fn reset(&mut self, n: usize) {
        self.z.resize(n, 0.0);
        self.w.resize(n, 0.0);
        self.status = Status::Failed(Failure::Stalled);
        self.residual = Residual::INFINITE;
        self.statistics = Statistics::default();
        self.ray = None;
        self.proof = None;
    }
}
