//! Gauss collocation with twelve stages: coefficients from first principles, and series of Legendre
//! polynomials for what happens inside a step.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | x | position in a step, −1 at its start and 1 at its end | |
//! | c, b | nodes and weights on [0, 1] | S |
//! | a, a2 | integrals and double integrals of the Lagrange polynomials from 0 to the nodes | S × S |
//! | b2 | double integrals over the whole step | S |
//! | p | Legendre polynomials P_k at the nodes, times the weights: values to coefficients | S × S |

/// The number of stages S. The order is 2 S at the ends of steps and S + 1 inside of them.
pub(super) const STAGES: usize = 12;

/// The coefficients of the method.
#[derive(Clone, Debug)]
pub(super) struct Gauss {
    pub(super) c: [f64; STAGES],
    pub(super) b: [f64; STAGES],
    pub(super) b2: [f64; STAGES],
    pub(super) a: [[f64; STAGES]; STAGES],
    pub(super) a2: [[f64; STAGES]; STAGES],
    p: [[f64; STAGES]; STAGES],
}

impl Gauss {
    pub(super) fn new() -> Self {
        let x = nodes();
        let mut g = Self {
            c: x.map(|x| 0.5 * (1.0 + x)),
            b: [0.0; STAGES],
            b2: [0.0; STAGES],
            a: [[0.0; STAGES]; STAGES],
            a2: [[0.0; STAGES]; STAGES],
            p: [[0.0; STAGES]; STAGES],
        };
        for j in 0..STAGES {
            let (value, slope) = legendre_with_slope(STAGES, x[j]);
            debug_assert!(value.abs() < 1e-14);
            g.b[j] = 1.0 / ((1.0 - x[j] * x[j]) * slope * slope);
            let values = legendre(x[j]);
            for k in 0..STAGES {
                g.p[k][j] = (2 * k + 1) as f64 * g.b[j] * values[k];
            }
        }
        for i in 0..STAGES {
            // ∫ P_k = (P_{k+1} − P_{k−1}) / (2k + 1), here on [0, 1].
            let values = legendre(x[i]);
            for j in 0..STAGES {
                g.a[i][j] = 0.5 * g.p[0][j] * (values[1] + 1.0);
                for k in 1..STAGES {
                    let integral = (values[k + 1] - values[k - 1]) / (2 * k + 1) as f64;
                    g.a[i][j] += 0.5 * g.p[k][j] * integral;
                }
            }
        }
        for j in 0..STAGES {
            g.b2[j] = (0..STAGES).map(|i| g.b[i] * g.a[i][j]).sum();
            for i in 0..STAGES {
                g.a2[i][j] = (0..STAGES).map(|l| g.a[i][l] * g.a[l][j]).sum();
            }
        }
        g
    }

    /// The coefficient of P_k of the polynomial through the values `at(j)` at the nodes.
    pub(super) fn coefficient(&self, k: usize, at: impl Fn(usize) -> f64) -> f64 {
        (0..STAGES).map(|j| self.p[k][j] * at(j)).sum()
    }

    /// The larger of the highest two coefficients.
    pub(super) fn tail(&self, at: impl Fn(usize) -> f64) -> f64 {
        let size = |k: usize| self.coefficient(k, &at).abs();
        size(STAGES - 1).max(size(STAGES - 2))
    }
}

/// P_0 … P_{S+1} at x.
pub(super) fn legendre(x: f64) -> [f64; STAGES + 2] {
    let mut p = [1.0; STAGES + 2];
    p[1] = x;
    for k in 1..=STAGES {
        let n = k as f64;
        p[k + 1] = ((2.0 * n + 1.0) * x * p[k] - n * p[k - 1]) / (n + 1.0);
    }
    p
}

/// The series of ∫ from the start of the step: `from` with n coefficients, `to` with n + 1; `half` is half
/// the length of the step.
pub(super) fn integrate(from: &[f64], half: f64, to: &mut [f64]) {
    to.fill(0.0);
    for (k, &c) in from.iter().enumerate() {
        let part = half * c / (2 * k + 1) as f64;
        to[k + 1] += part;
        // P_{−1} stands for −P_0: the integral of P_0 is x + 1.
        if k == 0 {
            to[0] += part;
        } else {
            to[k - 1] -= part;
        }
    }
}

/// The zeros of P_S, from −1 to 1, by Newton's method from Chebyshev's points.
fn nodes() -> [f64; STAGES] {
    let mut x = [0.0; STAGES];
    for (i, x) in x.iter_mut().enumerate() {
        let angle = std::f64::consts::PI * (i as f64 + 0.75) / (STAGES as f64 + 0.5);
        *x = -angle.cos();
        for _ in 0..8 {
            let (value, slope) = legendre_with_slope(STAGES, *x);
            *x -= value / slope;
        }
    }
    x
}

fn legendre_with_slope(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut now) = (1.0, x);
    for k in 1..n {
        let m = k as f64;
        (before, now) = (now, ((2.0 * m + 1.0) * x * now - m * before) / (m + 1.0));
    }
    (now, n as f64 * (x * now - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_integrate_polynomials_up_to_degree_2s_minus_1() {
        let g = Gauss::new();
        for n in 0..2 * STAGES {
            let sum: f64 = (0..STAGES).map(|j| g.b[j] * g.c[j].powi(n as i32)).sum();
            assert!((sum - 1.0 / (n + 1) as f64).abs() < 4e-16, "{n}: {sum}");
        }
    }

    #[test]
    fn stage_sums_integrate_polynomials_of_the_stage_degree() {
        let g = Gauss::new();
        for i in 0..STAGES {
            for n in 0..STAGES {
                let m = n as f64;
                let value = |j: usize| g.c[j].powi(n as i32);
                let once: f64 = (0..STAGES).map(|j| g.a[i][j] * value(j)).sum();
                let twice: f64 = (0..STAGES).map(|j| g.a2[i][j] * value(j)).sum();
                assert!((once - g.c[i].powf(m + 1.0) / (m + 1.0)).abs() < 1e-15);
                if n + 1 < STAGES {
                    let exact = g.c[i].powf(m + 2.0) / ((m + 1.0) * (m + 2.0));
                    assert!((twice - exact).abs() < 1e-15);
                }
            }
        }
    }

    #[test]
    fn series_reproduce_values_and_integrals() {
        let g = Gauss::new();
        let f = |c: f64| (0.9 * c).sin();
        let series: Vec<f64> = (0..STAGES).map(|k| g.coefficient(k, |j| f(g.c[j]))).collect();
        let mut integral = [0.0; STAGES + 1];
        integrate(&series, 0.5, &mut integral);
        for x in [-1.0, -0.37, 0.0, 0.61, 1.0] {
            let (c, p) = (0.5 * (1.0 + x), legendre(x));
            let sum = |s: &[f64]| s.iter().zip(&p).map(|(a, b)| a * b).sum::<f64>();
            assert!((sum(&series) - f(c)).abs() < 1e-14);
            assert!((sum(&integral) - (1.0 - (0.9 * c).cos()) / 0.9).abs() < 1e-15);
        }
    }
}
