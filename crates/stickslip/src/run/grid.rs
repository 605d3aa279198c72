//! The times at which steps end.

/// Times start + n Δt. Where Δt is a decimal number, as people give it, they are the numbers nearest to the decimals n Δt: 22685 steps of
/// 10⁻⁵ end at 0.22685, not at 0.22685000000000002.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    start: f64,
    /// Δt as a quotient of whole numbers, as far as it is one.
    above: f64,
    below: f64,
}

/// Whole numbers up to here have no rounding.
const WHOLE: f64 = 9_007_199_254_740_992.0;

impl Grid {
    pub(super) fn new(start: f64, dt: f64) -> Self {
        let mut below = 1.0;
        while below < 1e15 {
            let above = (dt * below).round();
            if above >= 1.0 && above / below == dt {
                return Self { start, above, below };
            }
            below *= 10.0;
        }
        Self { start, above: dt, below: 1.0 }
    }

    /// When the first n steps have ended.
    pub(super) fn time(&self, n: u64) -> f64 {
        let steps = n as f64;
        let above = steps * self.above;
        if above < WHOLE {
            self.start + above / self.below
        } else {
            self.start + steps * (self.above / self.below)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_the_decimals_that_they_stand_for() {
        for (dt, n, text) in [
            (1e-5, 22685, "0.22685"),
            (8e-5, 98, "0.00784"),
            (3e-4, 3, "0.0009"),
            (0.1, 3, "0.3"),
            (2.5, 3, "7.5"),
        ] {
            assert_eq!(Grid::new(0.0, dt).time(n).to_string(), text);
        }
    }

    #[test]
    fn steps_that_are_no_decimals_add_up() {
        let dt = 1.0 / 3.0;
        assert_eq!(Grid::new(1.0, dt).time(2), 1.0 + 2.0 * dt);
        assert_eq!(Grid::new(0.0, f64::MIN_POSITIVE).time(5), 5.0 * f64::MIN_POSITIVE);
        assert_eq!(Grid::new(0.0, 1e300).time(5), 5e300);
    }
}
