//! Functions of one number given by points, with exact derivatives.

use std::fmt;
use std::sync::Arc;

/// How values between the points of a table are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Between {
    /// Straight lines. At a point the slope is that of the line to its right.
    #[default]
    Linear,
    /// The natural cubic spline: its first two derivatives are continuous, and the second vanishes at both ends.
    Cubic,
}

/// What a table is beyond its points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outside {
    /// Not a number: a motion that goes there ends with an error.
    #[default]
    Error,
    /// The value of the nearest point.
    Hold,
}

/// A function of one number through points. Its copies share the points.
///
/// ```
/// use stickslip::expression::{Between, Interpolation, Outside};
///
/// let table = Interpolation::new(&[0.0, 1.0, 3.0], &[0.0, 2.0, 0.0], Between::Linear, Outside::Hold)?;
/// assert_eq!(table.value(0.5, 0), 1.0);
/// assert_eq!(table.value(2.0, 1), -1.0);
/// assert_eq!(table.value(7.0, 0), 0.0);
/// # Ok::<(), stickslip::expression::TableError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Interpolation {
    /// Where each piece begins; the last is the end of the last piece.
    x: Arc<[f64]>,
    /// The polynomial of each piece in the distance from its beginning, lowest power first.
    pieces: Arc<[[f64; 4]]>,
    outside: Outside,
}

/// Points that no table can be made of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// Fewer than two points, or lists of different lengths.
    TooFew,
    /// This point is not finite.
    NotFinite(usize),
    /// This point is not to the right of the one before it.
    NotIncreasing(usize),
    /// The slope at this point is too large for a number.
    TooSteep(usize),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew => write!(f, "a table needs at least two points, each with x and y"),
            Self::NotFinite(i) => write!(f, "point {} is not finite", i + 1),
            Self::NotIncreasing(i) => {
                write!(f, "x of point {} is not larger than that of the point before it", i + 1)
            }
            Self::TooSteep(i) => write!(f, "the slope at point {} is not finite", i + 1),
        }
    }
}

impl std::error::Error for TableError {}

impl Interpolation {
    /// A function through the points (x, y), of which x must increase.
    ///
    /// # Errors
    /// If the points are too few, not finite, or do not increase.
    pub fn new(
        x: &[f64],
        y: &[f64],
        between: Between,
        outside: Outside,
    ) -> Result<Self, TableError> {
        if x.len() < 2 || x.len() != y.len() {
            return Err(TableError::TooFew);
        }
        if let Some(i) = (0..x.len()).find(|&i| !x[i].is_finite() || !y[i].is_finite()) {
            return Err(TableError::NotFinite(i));
        }
        if let Some(i) = (1..x.len()).find(|&i| !(x[i] > x[i - 1])) {
            return Err(TableError::NotIncreasing(i));
        }
        let bends = match between {
            Between::Linear => vec![0.0; x.len()],
            Between::Cubic => second_derivatives(x, y),
        };
        let piece = |i: usize| {
            let h = x[i + 1] - x[i];
            let slope = (y[i + 1] - y[i]) / h - h * (2.0 * bends[i] + bends[i + 1]) / 6.0;
            [y[i], slope, bends[i] / 2.0, (bends[i + 1] - bends[i]) / (6.0 * h)]
        };
        let pieces: Vec<[f64; 4]> = (0..x.len() - 1).map(piece).collect();
        if let Some(i) = pieces.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
            return Err(TableError::TooSteep(i));
        }
        Ok(Self { x: x.into(), pieces: pieces.into(), outside })
    }

    /// The derivative of this order, 0 for the value itself.
    #[must_use]
    pub fn value(&self, x: f64, order: u8) -> f64 {
        let last = self.x.len() - 1;
        if !(x >= self.x[0] && x <= self.x[last]) {
            return match self.outside {
                Outside::Hold if x < self.x[0] => self.held(0, order),
                Outside::Hold if x > self.x[last] => self.held(last, order),
                _ => f64::NAN,
            };
        }
        let after = self.x.partition_point(|start| *start <= x);
        let i = after.clamp(1, last) - 1;
        self.polynomial(i, x - self.x[i], order)
    }

    fn held(&self, point: usize, order: u8) -> f64 {
        if order == 0 { self.value(self.x[point], 0) } else { 0.0 }
    }

    fn polynomial(&self, i: usize, d: f64, order: u8) -> f64 {
        let [a, b, c, e] = self.pieces[i];
        match order {
            0 => a + d * (b + d * (c + d * e)),
            1 => b + d * (2.0 * c + d * 3.0 * e),
            2 => 2.0 * c + d * 6.0 * e,
            3 => 6.0 * e,
            _ => 0.0,
        }
    }

    /// The least and the largest x.
    #[must_use]
    pub fn range(&self) -> (f64, f64) {
        (self.x[0], self.x[self.x.len() - 1])
    }
}

/// Of the natural spline: the tridiagonal system, which is diagonally dominant, by elimination.
fn second_derivatives(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let (mut above, mut right) = (vec![0.0; n], vec![0.0; n]);
    for i in 1..n - 1 {
        let (left, next) = (x[i] - x[i - 1], x[i + 1] - x[i]);
        let jump = (y[i + 1] - y[i]) / next - (y[i] - y[i - 1]) / left;
        let pivot = 2.0 * (left + next) - left * above[i - 1];
        above[i] = next / pivot;
        right[i] = (6.0 * jump - left * right[i - 1]) / pivot;
    }
    let mut bends = vec![0.0; n];
    for i in (1..n - 1).rev() {
        bends[i] = right[i] - above[i] * bends[i + 1];
    }
    bends
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The spline goes through its points, and its value and first two derivatives are continuous; central differences
        /// agree with each derivative.
        #[test]
        fn derivatives_are_those_of_the_function(
            steps in prop::collection::vec(0.1..2.0_f64, 2..8), seed in 0.0..6.0_f64, share in 0.01..0.99_f64,
            cubic: bool
        ) {
            let mut x = vec![0.0];
            steps.iter().for_each(|h| x.push(x[x.len() - 1] + h));
            let y: Vec<f64> = x.iter().map(|x| (x + seed).sin()).collect();
            let between = if cubic { Between::Cubic } else { Between::Linear };
            let table = Interpolation::new(&x, &y, between, Outside::Error).unwrap();
            for (x, y) in x.iter().zip(&y) {
                prop_assert!((table.value(*x, 0) - y).abs() < 1e-13);
            }
            for i in 0..steps.len() {
                let (at, d) = (x[i] + share * steps[i], 1e-5 * share.min(1.0 - share) * steps[i]);
                for order in 0..3 {
                    let difference = (table.value(at + d, order) - table.value(at - d, order)) / (2.0 * d);
                    let slope = table.value(at, order + 1);
                    let allowed = 1e-7 * (1.0 + slope.abs()) / d * 1e-5 + 1e-6;
                    prop_assert!((difference - slope).abs() < allowed, "{} {}", difference, slope);
                }
            }
            if cubic {
                for i in 1..x.len() - 1 {
                    for order in 0..3 {
                        let h = x[i] - x[i - 1];
                        let left = table.polynomial(i - 1, h, order);
                        let right = table.value(x[i], order);
                        prop_assert!((left - right).abs() < 1e-10 * (1.0 + right.abs()));
                    }
                }
            }
        }
    }

    /// The natural spline through three points has a closed form: with unit steps the bend in the middle is 3/2 of the
    /// second difference.
    #[test]
    fn spline_through_three_points_is_the_known_one() {
        let table =
            Interpolation::new(&[0.0, 1.0, 2.0], &[0.0, 1.0, 0.0], Between::Cubic, Outside::Hold);
        let table = table.unwrap();
        assert_eq!(table.value(1.0, 2), -3.0);
        assert_eq!(table.value(0.5, 0), 0.6875);
        assert_eq!(table.value(0.0, 1), 1.5);
        assert_eq!((table.value(-1.0, 0), table.value(-1.0, 1)), (0.0, 0.0));
    }

    #[test]
    fn outside_of_its_points_a_table_has_no_value_unless_it_holds() {
        let [x, y] = [[1.0, 2.0], [3.0, 5.0]];
        let strict = Interpolation::new(&x, &y, Between::Linear, Outside::Error).unwrap();
        assert!(strict.value(0.999, 0).is_nan() && strict.value(2.001, 1).is_nan());
        assert_eq!((strict.value(2.0, 0), strict.value(1.0, 0)), (5.0, 3.0));
        let held = Interpolation::new(&x, &y, Between::Linear, Outside::Hold).unwrap();
        assert_eq!((held.value(9.0, 0), held.value(-9.0, 0), held.value(9.0, 1)), (5.0, 3.0, 0.0));
        assert!(held.value(f64::NAN, 0).is_nan());
    }

    #[test]
    fn points_that_make_no_function_are_refused() {
        let new = |x: &[f64], y: &[f64]| {
            Interpolation::new(x, y, Between::Cubic, Outside::Hold).unwrap_err()
        };
        assert_eq!(new(&[1.0], &[1.0]), TableError::TooFew);
        assert_eq!(new(&[1.0, 1.0], &[1.0, 2.0]), TableError::NotIncreasing(1));
        assert_eq!(new(&[1.0, f64::NAN], &[1.0, 2.0]), TableError::NotFinite(1));
        assert_eq!(new(&[0.0, 1e-300], &[0.0, 1e300]), TableError::TooSteep(0));
    }
}
