//! Residues modulo the prime 2⁶¹ − 1, for a quick look at ranks.

/// 2⁶¹ − 1.
pub(super) const PRIME: u64 = (1 << 61) - 1;

pub(super) fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

pub(super) fn minus(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + PRIME - b }
}

/// 1 / a for a ≠ 0, by Fermat.
pub(super) fn inverse(a: u64) -> u64 {
    let (mut power, mut result, mut exponent) = (a, 1, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, power);
        }
        power = times(power, power);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn residues_calculate_like_integers(a in 1..PRIME, b in 0..PRIME) {
            let exact = (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64;
            prop_assert_eq!(times(a, b), exact);
            prop_assert_eq!(times(a, inverse(a)), 1);
            prop_assert_eq!(minus(minus(a, b), minus(0, b)), a);
        }
    }
}
