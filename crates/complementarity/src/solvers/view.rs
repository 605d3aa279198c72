//! One view of plain and mixed problems, for the methods that treat both alike.

use super::{certify, certify_mixed};
use crate::linalg::{Balance, Scaling, power_of_two};
use crate::residual::{self, Scratch};
use crate::tolerance::REMOTE;
use crate::{Failure, Lcp, Matrix, Mlcp, Residual, Solution};

/// A problem of either kind.
#[derive(Clone, Copy)]
pub(crate) enum View<'a> {
    Plain(&'a Lcp),
    Mixed(&'a Mlcp),
}

impl<'a> View<'a> {
    pub(crate) fn len(self) -> usize {
        self.q().len()
    }

    pub(crate) fn m(self) -> &'a Matrix {
        match self {
            Self::Plain(p) => p.m(),
            Self::Mixed(p) => p.m(),
        }
    }

    pub(crate) fn q(self) -> &'a [f64] {
        match self {
            Self::Plain(p) => p.q(),
            Self::Mixed(p) => p.q(),
        }
    }

    #[inline]
    pub(crate) fn bounds(self, i: usize) -> (f64, f64) {
        match self {
            Self::Plain(_) => (0.0, f64::INFINITY),
            Self::Mixed(p) => (p.lower()[i], p.upper()[i]),
        }
    }

    pub(crate) fn residual(self, z: &[f64], scratch: &mut Scratch) -> Residual {
        match self {
            Self::Plain(p) => residual::lcp_into(p.m(), p.q(), z, scratch),
            Self::Mixed(p) => residual::mlcp_into(p.m(), p.q(), p.lower(), p.upper(), z, scratch),
        }
    }

    pub(crate) fn certify(
        self,
        tolerance: f64,
        reason: Failure,
        solution: &mut Solution,
        scratch: &mut Scratch,
    ) {
        match self {
            Self::Plain(p) => certify(p, tolerance, reason, solution, scratch),
            Self::Mixed(p) => certify_mixed(p, tolerance, reason, solution, scratch),
        }
    }
}

impl<'a> From<&'a Lcp> for View<'a> {
    fn from(p: &'a Lcp) -> Self {
        Self::Plain(p)
    }
}

impl<'a> From<&'a Mlcp> for View<'a> {
    fn from(p: &'a Mlcp) -> Self {
        Self::Mixed(p)
    }
}

/// Passes of equilibration.
const PASSES: usize = 6;

/// The problem in units of its own: R M C and R q / σ with bounds C⁻¹ l / σ and C⁻¹ u / σ, where
/// R, C and σ are powers of two; z = σ C ẑ takes a solution back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scaled {
    pub(crate) m: Matrix,
    pub(crate) q: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    scaling: Scaling,
    sigma: f64,
}

impl Scaled {
    /// Takes a problem over; `symmetric` asks for R = C, which keeps M + Mᵀ semidefinite.
    ///
    /// False if a number overflowed: then there is nothing to work on.
    pub(crate) fn load(&mut self, view: View<'_>, symmetric: bool) -> bool {
        let m = view.m();
        self.scaling.equilibrate(view.len(), PASSES, symmetric, |i, j| m[(i, j)]);
        self.apply(view)
    }

    /// As [`load`](Self::load), in balanced units.
    pub(crate) fn load_balanced(&mut self, view: View<'_>) -> bool {
        Balance::default().units_of(view.m(), view.q(), PASSES, &mut self.scaling);
        self.apply(view)
    }

    fn apply(&mut self, view: View<'_>) -> bool {
        let (n, m, q) = (view.len(), view.m(), view.q());
        let Scaling { row, col, .. } = &self.scaling;
        self.m.reshape(n, n);
        let mut largest: f64 = 0.0;
        for i in 0..n {
            for (to, (from, c)) in self.m.row_mut(i).iter_mut().zip(m.row(i).iter().zip(col)) {
                *to = from * row[i] * c;
            }
            largest = largest.max((q[i] * row[i]).abs());
            let (l, u) = view.bounds(i);
            for near_zero in [l, -u] {
                if near_zero > 0.0 {
                    largest = largest.max(near_zero / col[i]);
                }
            }
        }
        self.sigma = power_of_two(largest);
        for v in [&mut self.q, &mut self.lower, &mut self.upper] {
            v.clear();
        }
        for i in 0..n {
            let (l, u) = view.bounds(i);
            self.q.push(q[i] * row[i] / self.sigma);
            self.lower.push(l / col[i] / self.sigma);
            self.upper.push(u / col[i] / self.sigma);
        }
        let finite = |v: &[f64]| v.iter().all(|x| x.is_finite());
        finite(self.m.as_slice())
            && finite(&self.q)
            && self.lower.iter().all(|&l| l < f64::INFINITY)
            && self.upper.iter().all(|&u| u > f64::NEG_INFINITY)
    }

    /// z = σ C ẑ, put exactly on a bound that rounding would miss.
    pub(crate) fn to_original(&self, view: View<'_>, scaled: &[f64], z: &mut [f64]) {
        for i in 0..z.len() {
            let (l, u) = view.bounds(i);
            z[i] = (self.sigma * (self.scaling.col[i] * scaled[i])).clamp(l, u);
        }
    }

    /// ẑ = C⁻¹ z / σ.
    pub(crate) fn to_scaled(&self, z: &[f64], scaled: &mut [f64]) {
        for i in 0..z.len() {
            scaled[i] = z[i] / self.scaling.col[i] / self.sigma;
        }
    }

    /// Whether `z`, in original units, lies so far out that a small residual may be that of a
    /// problem without a solution: relative residuals vanish along the null space of M.
    pub(crate) fn is_remote(&self, z: &[f64]) -> bool {
        let size = |(z, c): (&f64, &f64)| (z / c / self.sigma).abs();
        z.iter().zip(&self.scaling.col).map(size).any(|v| v > REMOTE)
    }

    /// The factor of row i, by which a multiplier of the scaled problem is to be multiplied.
    pub(crate) fn row_factor(&self, i: usize) -> f64 {
        self.scaling.row[i]
    }
}

/// Implements both traits of solvers for a method whose `run`, which takes a [`View`] and perhaps a
/// guess, treats plain and mixed problems alike and leaves its answer in `self.solution`.
macro_rules! solve_by_view {
    ($method:ty, $name:literal) => {
        impl $crate::Solver for $method {
            fn name(&self) -> &'static str {
                $name
            }

            fn solve(&mut self, problem: &$crate::Lcp) -> &$crate::Solution {
                self.run(problem.into(), None);
                &self.solution
            }

            fn solve_from(
                &mut self,
                problem: &$crate::Lcp,
                guess: &[f64],
            ) -> Result<&$crate::Solution, $crate::Error> {
                $crate::solvers::check_guess(problem.len(), guess)?;
                self.run(problem.into(), Some(guess));
                Ok(&self.solution)
            }
        }

        impl $crate::MixedSolver for $method {
            fn solve_mixed(&mut self, problem: &$crate::Mlcp) -> &$crate::Solution {
                self.run(problem.into(), None);
                &self.solution
            }

            fn solve_mixed_from(
                &mut self,
                problem: &$crate::Mlcp,
                guess: &[f64],
            ) -> Result<&$crate::Solution, $crate::Error> {
                $crate::solvers::check_guess(problem.len(), guess)?;
                self.run(problem.into(), Some(guess));
                Ok(&self.solution)
            }
        }
    };
}

pub(crate) use solve_by_view;
