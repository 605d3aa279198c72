//! Eigenvalues of small real matrices that need not be symmetric: QR with shifts, in complex arithmetic.

use complementarity::Matrix;
use std::ops::{Add, Mul, Sub};

/// Iterations per eigenvalue.
const LIMIT: usize = 200;

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    /// A complex number from its parts.
    pub fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    /// The absolute value.
    pub fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    fn conj(self) -> Self {
        Self::new(self.re, -self.im)
    }

    fn scaled(self, factor: f64) -> Self {
        Self::new(factor * self.re, factor * self.im)
    }

    fn sqrt(self) -> Self {
        let r = self.abs();
        let re = (0.5 * (r + self.re)).max(0.0).sqrt();
        let im = (0.5 * (r - self.re)).max(0.0).sqrt();
        Self::new(re, im.copysign(self.im))
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.re + o.re, self.im + o.im)
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::new(self.re - o.re, self.im - o.im)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
    }
}

/// The eigenvalues of a square matrix, the largest first; none if an entry is not finite or the iteration does
/// not end.
pub(super) fn eigenvalues(m: &Matrix) -> Option<Vec<Complex>> {
    let n = m.rows();
    if m.as_slice().iter().any(|v| !v.is_finite()) {
        return None;
    }
    let mut a: Vec<Vec<Complex>> =
        (0..n).map(|i| m.row(i).iter().map(|&v| Complex::new(v, 0.0)).collect()).collect();
    hessenberg(&mut a);
    let mut values = Vec::with_capacity(n);
    let mut size = n;
    let mut tries = 0;
    while size > 0 {
        let low = split(&mut a, size);
        if low + 1 == size {
            values.push(a[size - 1][size - 1]);
            size -= 1;
            tries = 0;
            continue;
        }
        tries += 1;
        if tries > LIMIT {
            return None;
        }
        let shift = if tries % 11 == 0 {
            // A shift that has led nowhere is replaced by one of the size of the neighbours.
            Complex::new(a[size - 1][size - 2].abs(), a[low + 1][low].abs())
        } else {
            wilkinson(&a, size)
        };
        sweep(&mut a, low, size, shift);
    }
    // Real eigenvalues of a real matrix, reached over complex shifts.
    let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for v in values.iter_mut().filter(|v| v.im.abs() <= 16.0 * f64::EPSILON * largest) {
        v.im = 0.0;
    }
    pair(&mut values);
    values.sort_by(|x, y| y.abs().total_cmp(&x.abs()).then(y.im.total_cmp(&x.im)));
    Some(values)
}

/// Makes conjugates of a real matrix equal to the last digit, so that their order does not hang on rounding.
fn pair(values: &mut [Complex]) {
    for i in 0..values.len() {
        if values[i].im <= 0.0 {
            continue;
        }
        let distance = |j: usize| (values[j].conj() - values[i]).abs();
        let others = (0..values.len()).filter(|&j| values[j].im < 0.0);
        if let Some(j) = others.min_by(|&a, &b| distance(a).total_cmp(&distance(b))) {
            let middle = (values[i] + values[j].conj()).scaled(0.5);
            (values[i], values[j]) = (middle, middle.conj());
        }
    }
}

/// Zeros below the first subdiagonal, by elementary similarity with pivoting.
fn hessenberg(a: &mut [Vec<Complex>]) {
    let n = a.len();
    for k in 1..n.saturating_sub(1) {
        let size = |i: usize| a[i][k - 1].abs();
        let p = (k..n).fold(k, |p, i| if size(i) > size(p) { i } else { p });
        let pivot = a[p][k - 1];
        if pivot.abs() == 0.0 {
            continue;
        }
        a.swap(p, k);
        for row in a.iter_mut() {
            row.swap(p, k);
        }
        let inverse = pivot.conj().scaled(1.0 / (pivot.abs() * pivot.abs()));
        for i in k + 1..n {
            let factor = a[i][k - 1] * inverse;
            if factor.abs() == 0.0 {
                continue;
            }
            for j in 0..n {
                let upper = a[k][j];
                a[i][j] = a[i][j] - factor * upper;
            }
            for row in a.iter_mut() {
                row[k] = row[k] + factor * row[i];
            }
        }
    }
}

/// The first row of the last block that does not fall apart.
fn split(a: &mut [Vec<Complex>], size: usize) -> usize {
    for k in (1..size).rev() {
        let neighbours = a[k][k].abs() + a[k - 1][k - 1].abs();
        let scale = if neighbours > 0.0 { neighbours } else { 1.0 };
        if a[k][k - 1].abs() <= f64::EPSILON * scale {
            a[k][k - 1] = Complex::default();
            return k;
        }
    }
    0
}

/// The eigenvalue of the last 2 × 2 block that is closer to its last entry.
fn wilkinson(a: &[Vec<Complex>], size: usize) -> Complex {
    let (i, j) = (size - 2, size - 1);
    let half = (a[i][i] - a[j][j]).scaled(0.5);
    let root = (half * half + a[i][j] * a[j][i]).sqrt();
    let middle = (a[i][i] + a[j][j]).scaled(0.5);
    let (x, y) = (middle + root, middle - root);
    if (x - a[j][j]).abs() < (y - a[j][j]).abs() { x } else { y }
}

/// One QR step with a shift on rows and columns `low..size`, by rotations.
fn sweep(a: &mut [Vec<Complex>], low: usize, size: usize, shift: Complex) {
    for k in low..size {
        a[k][k] = a[k][k] - shift;
    }
    let mut turns = Vec::with_capacity(size - low);
    for k in low..size - 1 {
        let (x, y) = (a[k][k], a[k + 1][k]);
        let r = x.abs().hypot(y.abs());
        let (c, s) = if r > 0.0 {
            (x.scaled(1.0 / r), y.scaled(1.0 / r))
        } else {
            (Complex::new(1.0, 0.0), Complex::default())
        };
        for j in k..size {
            let (u, v) = (a[k][j], a[k + 1][j]);
            a[k][j] = c.conj() * u + s.conj() * v;
            a[k + 1][j] = c * v - s * u;
        }
        turns.push((c, s));
    }
    for (k, (c, s)) in (low..).zip(turns) {
        for row in a.iter_mut().take(size.min(k + 2)).skip(low) {
            let (u, v) = (row[k], row[k + 1]);
            row[k] = u * c + v * s;
            row[k + 1] = v * c.conj() - u * s.conj();
        }
    }
    for k in low..size {
        a[k][k] = a[k][k] + shift;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_spectra() {
        let turn = Matrix::from_rows(&[[0.0, -2.0], [2.0, 0.0]]).unwrap();
        let v = eigenvalues(&turn).unwrap();
        assert!((v[0] - Complex::new(0.0, 2.0)).abs() < 1e-14, "{v:?}");
        // A companion matrix of (x − 1)(x − 2)(x + 3)(x² + 1).
        let m = Matrix::from_fn(5, 5, |i, j| {
            if i == 0 { [0.0, 6.0, -6.0, 7.0, -6.0][j] } else { f64::from(u8::from(i == j + 1)) }
        });
        let v = eigenvalues(&m).unwrap();
        for exact in [(-3.0, 0.0), (2.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
            let distance = |z: &Complex| (*z - Complex::new(exact.0, exact.1)).abs();
            assert!(v.iter().any(|z| distance(z) < 1e-12), "{exact:?} {v:?}");
        }
        let jordan = Matrix::from_rows(&[[0.0, 1.0], [0.0, 0.0]]).unwrap();
        assert!(eigenvalues(&jordan).unwrap().iter().all(|z| z.abs() == 0.0));
        assert_eq!(eigenvalues(&Matrix::from_rows(&[[f64::NAN]]).unwrap()), None);
    }

    proptest! {
        #[test]
        fn sum_and_product_are_trace_and_determinant(e in prop::collection::vec(-3.0..3.0_f64, 16)) {
            let m = Matrix::from_vec(4, 4, e).unwrap();
            let v = eigenvalues(&m).unwrap();
            let sum = v.iter().fold(Complex::default(), |s, z| s + *z);
            let trace: f64 = (0..4).map(|i| m[(i, i)]).sum();
            prop_assert!((sum - Complex::new(trace, 0.0)).abs() < 1e-11);
            let product = v.iter().fold(Complex::new(1.0, 0.0), |p, z| p * *z);
            prop_assert!((product.re - determinant(&m)).abs() < 1e-10 && product.im.abs() < 1e-10);
        }
    }

    fn determinant(m: &Matrix) -> f64 {
        if m.rows() == 1 {
            return m[(0, 0)];
        }
        let n = m.rows();
        (0..n)
            .map(|c| {
                let minor =
                    Matrix::from_fn(n - 1, n - 1, |i, j| m[(i + 1, if j < c { j } else { j + 1 })]);
                let sign = if c % 2 == 0 { 1.0 } else { -1.0 };
                sign * m[(0, c)] * determinant(&minor)
            })
            .sum()
    }
}
