//! Small systems of linear inequalities: whether they can be met, why not, and all their vertices and rays.
//!
//! A [`LinearSystem`] is x ≥ 0, A x + b ≥ 0, where any row may be an equation. It keeps its storage, so that a case
//! distinction can load one system after the other. Dense; meant for up to about a hundred rows.
//!
//! ```
//! use complementarity::Matrix;
//! use complementarity::linear::{Feasibility, LinearSystem};
//!
//! // x1 + x2 <= 1, x1 = x2.
//! let a = Matrix::from_rows(&[[-1.0, -1.0], [1.0, -1.0]])?;
//! let mut system = LinearSystem::default();
//! system.load(&a, &[1.0, 0.0], |row| row == 1)?;
//! assert_eq!(system.feasible(), Feasibility::Feasible);
//! let all = system.generators(100).ok_or("too many")?;
//! assert_eq!(all.vertices, [[0.0, 0.0], [0.5, 0.5]]);
//! assert_eq!((all.rays.len(), all.dimension), (0, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::enumerate::polyhedron::{dimension, generators};
use crate::enumerate::refine::Refiner;
use crate::linalg::LinearProgram;
use crate::{Error, Matrix};

pub use crate::linalg::{Feasibility, Maximum};

/// x ≥ 0, A x + b ≥ 0, with some rows equations.
#[derive(Clone, Debug, Default)]
pub struct LinearSystem {
    program: LinearProgram,
    rows: usize,
    columns: usize,
    refiner: Refiner,
}

/// The vertices and extreme rays of the set of solutions: every solution is a mean of the vertices plus a non-negative
/// combination of the rays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Generators {
    /// The vertices.
    pub vertices: Vec<Vec<f64>>,
    /// The extreme rays, each with its largest entry of size between 1/2 and 1.
    pub rays: Vec<Vec<f64>>,
    /// The dimension of the set.
    pub dimension: usize,
}

impl LinearSystem {
    /// Takes in a system; `is_equation` tells the rows that are equations.
    ///
    /// # Errors
    /// If A and b differ in size, or a number is not finite.
    pub fn load(
        &mut self,
        a: &Matrix,
        b: &[f64],
        is_equation: impl Fn(usize) -> bool,
    ) -> Result<(), Error> {
        if b.len() != a.rows() {
            let (expected, found) = (a.rows(), b.len());
            return Err(Error::SizeMismatch { what: "b", expected, found });
        }
        a.check_finite()?;
        if let Some(index) = b.iter().position(|v| !v.is_finite()) {
            return Err(Error::NotFinite { what: "b", index, value: b[index] });
        }
        (self.rows, self.columns) = (a.rows(), a.cols());
        self.program.load(a, b);
        (0..a.rows()).filter(|&i| is_equation(i)).for_each(|i| self.program.fix_row(i));
        Ok(())
    }

    /// Fixes x_j to zero: (Aᵀy)_j of a Farkas vector may then have any sign.
    ///
    /// # Panics
    /// If A has no column j.
    pub fn fix_variable(&mut self, j: usize) {
        assert!(j < self.columns, "the system has {} unknowns", self.columns);
        self.program.fix_variable(j);
    }

    /// Looks for a vertex by the simplex method. Cost: some pivots of rows × columns each.
    pub fn feasible(&mut self) -> Feasibility {
        self.program.feasible()
    }

    /// The vertex at hand, once the system is known to be feasible.
    ///
    /// # Panics
    /// If `x` does not have as many entries as A has columns.
    pub fn point(&self, x: &mut [f64]) {
        self.program.point(x);
    }

    /// Why the last [`feasible`](Self::feasible) said no: y with y_i ≥ 0 unless row i is an equation, (Aᵀy)_j ≤ 0 unless
    /// x_j is fixed, and bᵀy < 0.
    ///
    /// # Panics
    /// If `y` does not have as many entries as A has rows.
    pub fn farkas(&self, y: &mut [f64]) {
        self.program.farkas(y);
    }

    /// Maximises cᵀx from the vertex at hand, once the system is known to be feasible.
    ///
    /// # Panics
    /// If `c` does not have as many entries as A has columns.
    pub fn maximize(&mut self, c: &[f64]) -> Maximum {
        self.program.maximize(c)
    }

    /// All vertices and rays, once the system is known to be feasible, each to full precision; `None` if there are more than
    /// the limit, on the way or in the end, or more than 127 inequalities. Cost: between the square and the cube of their
    /// number for each inequality, but never more than 40 times the square of the limit.
    pub fn generators(&mut self, limit: usize) -> Option<Generators> {
        let list = generators(&self.program, limit)?;
        let (a, b, units) = self.program.scaled();
        let (mut vertices, mut rays) = (Vec::new(), Vec::new());
        for g in &list {
            let zero = |i: usize| g.values[self.columns + i] == 0.0;
            let mut x = g.values[..self.columns].to_vec();
            let weight = g.weight();
            if weight > 0.0 {
                x.iter_mut().for_each(|x| *x /= weight);
                self.refiner.vertex(a, b, &mut x, zero);
                vertices.push(x);
            } else if x.iter().any(|&x| x != 0.0) {
                self.refiner.ray(a, &mut x, zero);
                rays.push(x);
            }
        }
        let dimension = dimension(&vertices, &rays);
        for x in &mut vertices {
            x.iter_mut().enumerate().for_each(|(j, x)| *x = units.point(j, *x));
        }
        for x in &mut rays {
            let scaled = x.clone();
            units.direction(&scaled, x);
        }
        Some(Generators { vertices, rays, dimension })
    }

    /// Pivots since the storage was made.
    #[must_use]
    pub fn pivots(&self) -> usize {
        self.program.pivots()
    }
}
