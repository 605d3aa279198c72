//! All solutions of a small problem.
//!
//! The solutions of an [`Lcp`] are a union of polyhedra, each a face of {z ≥ 0, M z + q ≥ 0} on
//! which every pair has z_i = 0 throughout or w_i = 0 throughout (Cottle, Pang, Stone 1992,
//! section 1.4). [`enumerate`] returns the maximal ones, each once, by its vertices and rays.
//!
//! ```
//! use complementarity::enumerate::{Count, Settings, enumerate};
//! use complementarity::{Lcp, Matrix};
//!
//! // Each unknown is 0 or 1: w = 1 - z.
//! let minus = Matrix::from_rows(&[[-1.0, 0.0], [0.0, -1.0]])?;
//! let all = enumerate(&Lcp::new(minus, vec![1.0, 1.0])?, &Settings::default())?;
//! assert_eq!(all.count(), Count::Exactly(4));
//!
//! // w = z1 - z2 for both: the solutions are the ray z1 = z2 and nothing else.
//! let flat = Matrix::from_rows(&[[1.0, -1.0], [1.0, -1.0]])?;
//! let all = enumerate(&Lcp::new(flat, vec![0.0, 0.0])?, &Settings::default())?;
//! assert_eq!(all.count(), Count::Infinite);
//! assert_eq!(all.solutions[0].rays, [[1.0, 1.0]]);
//! # Ok::<(), complementarity::Error>(())
//! ```

mod exact;
pub(crate) mod polyhedron;
pub(crate) mod refine;
#[cfg(test)]
mod tests;
mod tree;

use crate::solvers::check_setting;
use crate::tolerance::SOLVED;
use crate::{Error, Lcp, Proof};

/// Limits and the tolerance of [`enumerate`].
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The most unknowns that are accepted; more are refused as [`Error::TooLarge`]. Default 20, at
    /// most 30: the work can double with each.
    pub max_unknowns: usize,
    /// Nodes of the case distinction after which the search ends incomplete. Default 2 000 000.
    pub max_nodes: usize,
    /// Faces after which the search ends incomplete. Default 100 000.
    pub max_solutions: usize,
    /// Vertices and rays of one face after which the search ends incomplete. Default 10 000.
    pub max_vertices: usize,
    /// The scaled residual that a vertex must meet to be called a solution, and the relative size
    /// below which a value counts as zero. Default 1e-10.
    pub tolerance: f64,
    /// Whether to keep what a proof needs when there is no solution. Default true.
    pub proof: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_unknowns: 20,
            max_nodes: 2_000_000,
            max_solutions: 100_000,
            max_vertices: 10_000,
            tolerance: SOLVED,
            proof: true,
        }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    ///
    /// # Errors
    /// [`Error::BadSetting`], which names the field.
    pub fn validate(&self) -> Result<(), Error> {
        let check = |name, value: usize, high: f64, requirement| {
            check_setting(METHOD, name, value as f64, (0.0, high), requirement)
        };
        check("max_unknowns", self.max_unknowns, 30.0, "between 1 and 30")?;
        check("max_nodes", self.max_nodes, f64::INFINITY, "at least 1")?;
        check("max_solutions", self.max_solutions, f64::INFINITY, "at least 1")?;
        check("max_vertices", self.max_vertices, f64::INFINITY, "at least 1")?;
        check_setting(METHOD, "tolerance", self.tolerance, (0.0, 1e-3), "in (0, 1e-3]")
    }
}

const METHOD: &str = "enumerate";

/// All solutions of a problem, as far as the limits allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    /// The maximal faces of the solution set, each once, in the order they were found.
    pub solutions: Vec<Face>,
    /// Why the list may lack something; `None` if it is complete.
    pub incomplete: Option<Incomplete>,
    /// If there is no solution: why. Present if and only if the list is empty, complete, and
    /// [`Settings::proof`] is set; it passes [`Proof::check`].
    pub proof: Option<Proof>,
    /// What the search took.
    pub statistics: Statistics,
}

/// Why a list of solutions may lack some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Incomplete {
    /// [`Settings::max_nodes`] was reached.
    Nodes,
    /// [`Settings::max_solutions`] was reached.
    Solutions,
    /// A face has more than [`Settings::max_vertices`] vertices and rays, and was left out.
    Vertices,
    /// Exact arithmetic would take too long to decide a case, or a solution can't be written in
    /// floating-point numbers to the tolerance.
    Numerical,
}

/// How many solutions there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// So many, and no more.
    Exactly(usize),
    /// The search was incomplete: these, and perhaps more.
    AtLeast(usize),
    /// Some face is more than a point.
    Infinite,
}

/// Work that an enumeration took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Nodes of the case distinction.
    pub nodes: usize,
    /// Linear programs solved.
    pub programs: usize,
    /// Pivots of all linear programs.
    pub pivots: usize,
}

/// A polyhedron of solutions: every convex combination of its vertices plus any non-negative
/// combination of its rays is a solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// The vertices; at least one.
    pub vertices: Vec<Vec<f64>>,
    /// The extreme rays, each with largest entry one. None if the face is bounded.
    pub rays: Vec<Vec<f64>>,
    /// The dimension: 0 for an isolated solution.
    pub dimension: usize,
    /// The worst [`scaled`](crate::Residual::scaled) residual over the vertices, sums of a vertex
    /// and a ray in which each occurs, and [`interior_point`](Self::interior_point).
    pub residual: f64,
}

impl Face {
    /// Whether the face is a single point.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.dimension == 0
    }

    /// Whether the face has no ray.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.rays.is_empty()
    }

    /// A point in the relative interior: the mean of the vertices plus the sum of the rays.
    pub fn interior_point(&self) -> Vec<f64> {
        let n = self.vertices.first().map_or(0, Vec::len);
        let mut z = vec![0.0; n];
        let share = 1.0 / self.vertices.len() as f64;
        for v in &self.vertices {
            crate::matrix::axpy(share, v, &mut z);
        }
        for r in &self.rays {
            crate::matrix::axpy(1.0, r, &mut z);
        }
        z
    }
}

impl Enumeration {
    /// Whether every solution is on the list.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.incomplete.is_none()
    }

    /// The isolated solutions.
    pub fn isolated(&self) -> impl Iterator<Item = &[f64]> {
        let points = self.solutions.iter().filter(|f| f.is_isolated());
        points.map(|f| f.vertices[0].as_slice())
    }

    /// The number of solutions.
    #[must_use]
    pub fn count(&self) -> Count {
        if self.solutions.iter().any(|f| !f.is_isolated()) {
            Count::Infinite
        } else if self.is_complete() {
            Count::Exactly(self.solutions.len())
        } else {
            Count::AtLeast(self.solutions.len())
        }
    }
}

/// Finds all solutions of a small problem.
///
/// The case distinction z_i = 0 or w_i = 0 is followed pair by pair, and a branch ends where a
/// linear program shows that its inequalities contradict each other. The worst case is 2^n
/// branches, and a problem can have that many solutions; random problems with 20 unknowns take
/// about a thousand nodes and some milliseconds.
///
/// A branch is given up only by a Farkas vector that was checked in [exact](crate::exact) arithmetic, and
/// exact arithmetic decides what floating point leaves open. Where that takes too much work, or a
/// solution is none any more once it is rounded, [`Enumeration::incomplete`] says
/// [`Incomplete::Numerical`].
///
/// # Errors
/// [`Error::TooLarge`] beyond [`Settings::max_unknowns`], [`Error::BadSetting`].
pub fn enumerate(problem: &Lcp, settings: &Settings) -> Result<Enumeration, Error> {
    settings.validate()?;
    if problem.len() > settings.max_unknowns {
        return Err(Error::TooLarge {
            method: METHOD,
            limit: settings.max_unknowns,
            found: problem.len(),
            cure: "raise `max_unknowns` (up to 30), or look for one solution with a solver",
        });
    }
    Ok(tree::search(problem, settings))
}
