//! The function of Fischer and Burmeister, penalised.

/// λ (a + b − √(a² + b²)) + (1 − λ) a₊ b₊ and its derivatives; at the origin, where there is none,
/// an element of the generalised gradient.
pub(super) fn fischer(a: f64, b: f64, lambda: f64) -> (f64, f64, f64) {
    let r = a.hypot(b);
    let (cos, sin) = if r > 0.0 {
        (a / r, b / r)
    } else {
        (std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2)
    };
    // a + b − r without cancellation where both are positive.
    let value = if a > 0.0 && b > 0.0 { 2.0 * a * (b / (a + b + r)) } else { a + b - r };
    let (mut phi, mut by_a, mut by_b) =
        (lambda * value, lambda * (1.0 - cos), lambda * (1.0 - sin));
    if a > 0.0 && b > 0.0 {
        phi += (1.0 - lambda) * a * b;
        by_a += (1.0 - lambda) * b;
        by_b += (1.0 - lambda) * a;
    }
    (phi, by_a, by_b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_derivatives_of_the_function_are_those_of_differences() {
        for lambda in [1.0, 0.95] {
            for (a, b) in [(0.3, 2.0), (-0.5, 0.7), (1.0, -2.0), (-1.0, -3.0), (4.0, 1e-3)] {
                let (_, by_a, by_b) = fischer(a, b, lambda);
                let h = 1e-6;
                let value = |a, b| fischer(a, b, lambda).0;
                let da = (value(a + h, b) - value(a - h, b)) / (2.0 * h);
                let db = (value(a, b + h) - value(a, b - h)) / (2.0 * h);
                assert!((by_a - da).abs() < 1e-6 && (by_b - db).abs() < 1e-6, "{a} {b}");
            }
        }
    }

    #[test]
    fn the_function_vanishes_exactly_on_complementary_pairs() {
        for lambda in [1.0, 0.95] {
            assert_eq!(fischer(0.0, 3.0, lambda).0, 0.0);
            assert_eq!(fischer(2.0, 0.0, lambda).0, 0.0);
            assert_eq!(fischer(0.0, 0.0, lambda).0, 0.0);
            assert!(fischer(1e-12, 1.0, lambda).0 > 0.0);
            assert!(fischer(-1e-3, 1.0, lambda).0 < 0.0);
        }
    }
}
