//! Equilibration by powers of two, so that the scaling itself rounds nothing.
//!
//! Ruiz 2001: dividing rows and columns by the square roots of their largest entries, again and
//! again, brings all of these to one.

use super::Balance;

/// Row factors r and column factors c such that the largest entries of the rows and columns of
/// r_i A_ij c_j are near one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scaling {
    pub(crate) row: Vec<f64>,
    pub(crate) col: Vec<f64>,
    largest: Vec<f64>,
}

/// Factors stay within 2^±LIMIT, so that a product of two of them is finite.
const LIMIT: f64 = 500.0;

impl Scaling {
    /// Makes room for n rows and columns, so that fewer allocate nothing.
    pub(crate) fn reserve(&mut self, n: usize) {
        for (v, len) in [(&mut self.row, n), (&mut self.col, n), (&mut self.largest, 2 * n)] {
            v.reserve(len.saturating_sub(v.len()));
        }
    }

    /// Equilibrates the n x n matrix with the given entries in at most `passes` passes of n² work each.
    ///
    /// With `symmetric`, r = c, which keeps a matrix symmetric or monotone.
    pub(crate) fn equilibrate(
        &mut self,
        n: usize,
        passes: usize,
        symmetric: bool,
        entry: impl Fn(usize, usize) -> f64,
    ) {
        for v in [&mut self.row, &mut self.col] {
            v.clear();
            v.resize(n, 1.0);
        }
        for _ in 0..passes {
            self.largest.clear();
            self.largest.resize(2 * n, 0.0);
            let (rows, cols) = self.largest.split_at_mut(n);
            for i in 0..n {
                let (r, mut in_row) = (self.row[i], 0.0);
                for (j, (c, in_col)) in self.col.iter().zip(&mut *cols).enumerate() {
                    let v = (entry(i, j) * r * c).abs();
                    in_row = if v > in_row { v } else { in_row };
                    *in_col = if v > *in_col { v } else { *in_col };
                }
                rows[i] = in_row;
            }
            // Powers of two cannot come closer.
            if self.largest.iter().all(|&v| v == 0.0 || (0.5..=2.0).contains(&v)) {
                break;
            }
            let (rows, cols) = self.largest.split_at(n);
            for i in 0..n {
                let (r, c) = (rows[i], cols[i]);
                let (r, c) = if symmetric { (r.max(c), r.max(c)) } else { (r, c) };
                self.row[i] = bounded(self.row[i] * power_of_two(1.0 / r.sqrt()));
                self.col[i] = bounded(self.col[i] * power_of_two(1.0 / c.sqrt()));
            }
        }
    }
}

impl Scaling {
    /// Takes the units of a balance, rounded to powers of two.
    pub(crate) fn take(&mut self, balance: &Balance) {
        self.row.clear();
        self.row.extend(balance.row.iter().map(|e| power_of_two(e.exp2())));
        self.col.clear();
        self.col.extend(balance.column.iter().map(|e| power_of_two(e.exp2())));
    }
}

/// The power of two nearest to `x` in ratio; one if `x` is not a positive finite number.
pub(crate) fn power_of_two(x: f64) -> f64 {
    if !(x > 0.0 && x.is_finite()) {
        return 1.0;
    }
    let exponent = x.log2().round().clamp(-LIMIT, LIMIT) as i64;
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

fn bounded(x: f64) -> f64 {
    let largest = power_of_two(f64::MAX);
    x.clamp(1.0 / largest, largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;

    #[test]
    fn factors_are_powers_of_two_and_undo_a_bad_scaling() {
        let n = 5;
        let bad = |i: usize, j: usize| {
            (1.0 + (i * j) as f64) * 2f64.powi(10 * i as i32 - 20) * 2f64.powi(26 - 13 * j as i32)
        };
        let a = Matrix::from_fn(n, n, bad);
        let mut s = Scaling::default();
        s.equilibrate(n, 6, false, |i, j| a[(i, j)]);
        for i in 0..n {
            let row = (0..n).map(|j| (s.row[i] * a[(i, j)] * s.col[j]).abs());
            let largest = row.fold(0.0, f64::max);
            assert!((0.4..=2.5).contains(&largest), "{largest}");
            assert_eq!(s.row[i].log2().fract(), 0.0);
        }
    }

    #[test]
    fn odd_numbers_give_a_factor_of_one_or_a_bounded_one() {
        for x in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(power_of_two(x), 1.0);
        }
        assert_eq!(power_of_two(f64::MAX), 2f64.powi(500));
        assert_eq!(power_of_two(5e-324), 2f64.powi(-500));
        assert_eq!(power_of_two(3.0), 4.0);
    }
}
