//! How a contact problem changes with a parameter: exactly, from the matrices of a system, or by differences.

use crate::ContactProblem;
use crate::error::{Error, check};
use complementarity::Matrix;

/// The derivatives of all data of a contact problem with respect to a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// W', as many rows and columns as components.
    pub delassus: Matrix,
    /// b'.
    pub bias: Vec<f64>,
    /// μ' of each contact.
    pub mu: Vec<f64>,
    /// a' of each contact, the part of friction that does not depend on the load.
    pub radius: Vec<f64>,
    /// f' of each contact that slides on the level of accelerations: how the point of F that its slip chooses moves.
    pub friction: Vec<[f64; 3]>,
}

impl Variation {
    /// A variation that changes nothing, to be filled.
    #[must_use]
    pub fn none(problem: &ContactProblem) -> Self {
        let (n, k) = (problem.bias().len(), problem.contacts());
        Self {
            delassus: Matrix::zeros(n, n),
            bias: vec![0.0; n],
            mu: vec![0.0; k],
            radius: vec![0.0; k],
            friction: vec![[0.0; 3]; k],
        }
    }

    /// The same for a parameter that falls.
    #[must_use]
    pub fn reversed(&self) -> Self {
        self.combined(-1.0, self, 0.0)
    }

    /// The variation of a problem that `pose` builds for each value of a parameter, near `at`, from differences over
    /// `step`, `step`/2 and `step`/4, extrapolated: of sixth order. Also an estimate of its error as a share of its largest entry.
    ///
    /// Contacts and components must stay the same near `at`.
    ///
    /// # Errors
    /// What `pose` refuses, or if the problems differ in their sizes.
    pub fn by_differences<E: From<Error>>(
        at: f64,
        step: f64,
        mut pose: impl FnMut(f64) -> Result<ContactProblem, E>,
    ) -> Result<(Self, f64), E> {
        check(|| "the step of differences".into(), step, step > 0.0, "a finite number > 0")?;
        let mut difference = |step: f64| -> Result<Self, E> {
            let (high, low) = (pose(at + step)?, pose(at - step)?);
            Ok(Self::between(&low, &high, (at + step) - (at - step))?)
        };
        let wide = difference(step)?;
        let half = difference(0.5 * step)?;
        let quarter = difference(0.25 * step)?;
        // Errors in step², step⁴ removed in turn (Richardson).
        let first = half.combined(4.0 / 3.0, &wide, -1.0 / 3.0);
        let second = quarter.combined(4.0 / 3.0, &half, -1.0 / 3.0);
        let best = second.combined(16.0 / 15.0, &first, -1.0 / 15.0);
        let off = best.combined(1.0, &second, -1.0).largest();
        let error = off / best.largest().max(f64::MIN_POSITIVE);
        Ok((best, if off == 0.0 { 0.0 } else { error }))
    }

    fn between(low: &ContactProblem, high: &ContactProblem, over: f64) -> Result<Self, Error> {
        let (expected, found) = (low.bias().len(), high.bias().len());
        if expected != found || low.contacts() != high.contacts() {
            let what = "the problem on the other side of the parameter (components)";
            return Err(Error::Size { what, expected, found });
        }
        let rate = |a: f64, b: f64| (b - a) / over;
        let (a, b) = (low.delassus().to_dense(), high.delassus().to_dense());
        let laws = || low.laws().iter().zip(high.laws());
        let still = [0.0; 3];
        let friction = laws().map(|(a, b)| {
            let a = a.sliding_friction().unwrap_or(still);
            let b = b.sliding_friction().unwrap_or(still);
            [rate(a[0], b[0]), rate(a[1], b[1]), rate(a[2], b[2])]
        });
        Ok(Self {
            delassus: Matrix::from_fn(expected, expected, |i, j| rate(a.row(i)[j], b.row(i)[j])),
            bias: low.bias().iter().zip(high.bias()).map(|(a, b)| rate(*a, *b)).collect(),
            mu: laws().map(|(a, b)| rate(a.mu, b.mu)).collect(),
            radius: laws().map(|(a, b)| rate(a.radius, b.radius)).collect(),
            friction: friction.collect(),
        })
    }

    /// a self + b other.
    fn combined(&self, a: f64, other: &Self, b: f64) -> Self {
        let sum = |x: &[f64], y: &[f64]| -> Vec<f64> {
            x.iter().zip(y).map(|(x, y)| a * x + b * y).collect()
        };
        let (p, q) = (&self.delassus, &other.delassus);
        let friction = self.friction.iter().zip(&other.friction);
        Self {
            delassus: Matrix::from_fn(p.rows(), p.cols(), |i, j| a * p.row(i)[j] + b * q.row(i)[j]),
            bias: sum(&self.bias, &other.bias),
            mu: sum(&self.mu, &other.mu),
            radius: sum(&self.radius, &other.radius),
            friction: friction.map(|(x, y)| [0, 1, 2].map(|i| a * x[i] + b * y[i])).collect(),
        }
    }

    fn numbers(&self) -> impl Iterator<Item = f64> {
        let lists = self.delassus.as_slice().iter().chain(&self.bias).chain(&self.mu);
        lists.chain(&self.radius).chain(self.friction.iter().flatten()).copied()
    }

    fn largest(&self) -> f64 {
        self.numbers().fold(0.0_f64, |m, v| m.max(v.abs()))
    }

    pub(super) fn validate(&self, problem: &ContactProblem) -> Result<(), Error> {
        let (n, k) = (problem.bias().len(), problem.contacts());
        for (what, found, expected) in [
            ("the variation of W (rows)", self.delassus.rows(), n),
            ("the variation of W (columns)", self.delassus.cols(), n),
            ("the variation of b", self.bias.len(), n),
            ("the variation of mu", self.mu.len(), k),
            ("the variation of the radii", self.radius.len(), k),
            ("the variation of sliding friction", self.friction.len(), k),
        ] {
            if found != expected {
                return Err(Error::Size { what, expected, found });
            }
        }
        if self.numbers().all(f64::is_finite) {
            return Ok(());
        }
        Err(Error::Overflow { what: "the variation of a contact problem" })
    }
}

/// How a system that is given by its matrices (M, H, forces and velocity) changes with a parameter. Fields left
/// `None` do not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// M', symmetric.
    pub mass: Option<Matrix>,
    /// H'.
    pub directions: Option<Matrix>,
    /// f'.
    pub forces: Option<Vec<f64>>,
    /// u'.
    pub velocity: Option<Vec<f64>>,
    /// (Ḣᵀ u)'.
    pub convective: Option<Vec<f64>>,
}
