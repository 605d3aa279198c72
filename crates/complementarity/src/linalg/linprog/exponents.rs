//! Powers of two that bring a system A x + b to entries of order one, without rounding.
//!
//! Notation: the scaled system is 2^(r_i + c_j) A_ij and 2^(r_i − shift) b_i, so that
//! x_j = 2^(c_j + shift) times the scaled one.

use crate::Matrix;

/// The exponents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exponents {
    rows: Vec<i32>,
    cols: Vec<i32>,
    shift: i32,
}

impl Exponents {
    /// Chooses the exponents for a system and writes the scaled one. Each row that is not zero then
    /// has its largest entry in [1/2, 1), and so has b.
    pub(crate) fn choose(&mut self, a: &Matrix, b: &[f64], to_a: &mut Matrix, to_b: &mut Vec<f64>) {
        let (m, n) = (a.rows(), a.cols());
        let Self { rows, cols, shift } = self;
        rows.clear();
        rows.resize(m, 0);
        cols.clear();
        cols.resize(n, 0);
        for _ in 0..3 {
            for i in 0..m {
                rows[i] = -middle((0..n).map(|j| (a[(i, j)], cols[j])));
            }
            for j in 0..n {
                cols[j] = -middle((0..m).map(|i| (a[(i, j)], rows[i])));
            }
        }
        for i in 0..m {
            rows[i] = match range((0..n).map(|j| (a[(i, j)], cols[j]))) {
                Some((_, highest)) => -highest,
                None => -exponent(b[i]),
            };
        }
        *shift = range((0..m).map(|i| (b[i], rows[i]))).map_or(0, |(_, highest)| highest);
        to_a.reshape(m, n);
        to_b.clear();
        for i in 0..m {
            for j in 0..n {
                to_a[(i, j)] = times_two_to(a[(i, j)], rows[i] + cols[j]);
            }
            to_b.push(times_two_to(b[i], rows[i] - *shift));
        }
    }

    /// x_j of the given system from that of the scaled one.
    pub(crate) fn point(&self, j: usize, scaled: f64) -> f64 {
        times_two_to(scaled, self.cols[j] + self.shift)
    }

    /// A direction of x, up to a factor: its largest entry has size [1/2, 1).
    pub(crate) fn direction(&self, scaled: &[f64], to: &mut [f64]) {
        unscale(scaled, &self.cols, to);
    }

    /// A combination of rows, up to a factor: its largest entry has size [1/2, 1).
    pub(crate) fn combination(&self, scaled: &[f64], to: &mut [f64]) {
        unscale(scaled, &self.rows, to);
    }

    /// A linear function of x in scaled terms, up to a factor: its largest entry has size [1/2, 1).
    pub(super) fn objective(&self, c: &[f64], to: &mut [f64]) {
        unscale(c, &self.cols, to);
    }
}

fn unscale(v: &[f64], exponents: &[i32], to: &mut [f64]) {
    let pairs = v.iter().copied().zip(exponents.iter().copied());
    let largest = range(pairs).map_or(0, |(_, highest)| highest);
    for ((to, &v), e) in to.iter_mut().zip(v).zip(exponents) {
        *to = times_two_to(v, e - largest);
    }
}

/// The least and greatest exponent of the non-zero values, each with its own shift.
fn range(values: impl Iterator<Item = (f64, i32)>) -> Option<(i32, i32)> {
    values.filter(|(v, _)| *v != 0.0).map(|(v, shift)| exponent(v) + shift).fold(
        None,
        |range, e| match range {
            None => Some((e, e)),
            Some((low, high)) => Some((e.min(low), e.max(high))),
        },
    )
}

fn middle(values: impl Iterator<Item = (f64, i32)>) -> i32 {
    range(values).map_or(0, |(low, high)| (low + high) / 2)
}

/// The e with 2^(e−1) ≤ |v| < 2^e; 0 for zero.
fn exponent(v: f64) -> i32 {
    let bits = |v: f64| ((v.to_bits() >> 52) & 0x7ff) as i32;
    match bits(v) {
        _ if v == 0.0 => 0,
        0 => bits(v * 2f64.powi(64)) - 1022 - 64,
        e => e - 1022,
    }
}

/// v·2^e, also where 2^e itself overflows.
fn times_two_to(v: f64, e: i32) -> f64 {
    let half = (e / 2).clamp(-1000, 1000);
    v * 2f64.powi(half) * 2f64.powi((e - half).clamp(-1000, 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_exact_over_the_whole_range() {
        for e in [-1074, -1060, -1022, -1, 0, 1, 52, 1023] {
            let v = times_two_to(1.0, e);
            assert_eq!(exponent(v), e + 1, "2^{e}");
            assert_eq!(times_two_to(v, -e), 1.0);
        }
        assert_eq!(exponent(f64::MAX), 1024);
    }

    #[test]
    fn a_scaled_solution_solves_the_given_system() {
        let a = Matrix::from_rows(&[[1e8, 3e-7], [-2e3, 4e-12]]).unwrap();
        let b = [5e4, -7e9];
        let (mut sa, mut sb) = (Matrix::default(), Vec::new());
        let mut scaling = Exponents::default();
        scaling.choose(&a, &b, &mut sa, &mut sb);
        assert!(sa.as_slice().iter().all(|v| v.abs() < 1.0));
        let scaled = [0.3, 0.7];
        let x = [scaling.point(0, 0.3), scaling.point(1, 0.7)];
        for i in 0..2 {
            let given = a[(i, 0)] * x[0] + a[(i, 1)] * x[1] + b[i];
            let there = sa[(i, 0)] * scaled[0] + sa[(i, 1)] * scaled[1] + sb[i];
            assert!((given / b[i] - there / sb[i]).abs() < 1e-13);
        }
    }
}
