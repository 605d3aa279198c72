//! Integers of 1024 bits, for the exact treatment of small matrices of arbitrary floating-point
//! numbers, each of which is an integer times a power of two.
//!
//! Two's complement, so that sums and products are those of the residues modulo 2^1024. Minors are
//! kept below 2^490: then the difference of two products fits, and an exact quotient is found from
//! its residue alone, limb by limb from below (Jebelean 1993).

use super::number::{Number, Sign, common_unit, hadamard_bits, times_two_to};
use crate::Matrix;

const LIMBS: usize = 16;
/// Quotients are computed to this many limbs, enough for 490 bits and a sign.
const QUOTIENT: usize = 8;
const MINOR_BITS: f64 = 488.0;

/// What an operation costs, with one on intervals as the unit.
pub(crate) const WIDE_COST: u64 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wide([u64; LIMBS]);

/// The entries of a square matrix as integers over a common power of two, if its minors fit.
pub(crate) fn wide(m: &Matrix) -> Option<Vec<Wide>> {
    let (unit, span) = common_unit(m);
    if f64::from(span) > MINOR_BITS || hadamard_bits(m, unit) > MINOR_BITS {
        return None;
    }
    Some(m.as_slice().iter().map(|&v| Wide::from_f64(v, unit)).collect())
}

impl Wide {
    /// v / 2^unit, which must be an integer below 2^1023.
    fn from_f64(v: f64, unit: i32) -> Self {
        if v == 0.0 {
            return Self::ZERO;
        }
        let bits = v.to_bits();
        let biased = ((bits >> 52) & 0x7ff) as i32;
        let mantissa = bits & ((1 << 52) - 1);
        let (mantissa, exponent) =
            if biased == 0 { (mantissa, -1074) } else { (mantissa | 1 << 52, biased - 1075) };
        // Bits below the unit are zero.
        let shift = exponent - unit;
        let (mantissa, shift) =
            if shift < 0 { (mantissa >> -shift, 0) } else { (mantissa, shift as usize) };
        let mut limbs = [0; LIMBS];
        limbs[shift / 64] = mantissa << (shift % 64);
        if shift % 64 > 0 && shift / 64 + 1 < LIMBS {
            limbs[shift / 64 + 1] = mantissa >> (64 - shift % 64);
        }
        let size = Self(limbs);
        if v < 0.0 { size.negate() } else { size }
    }

    fn is_negative(self) -> bool {
        self.0[LIMBS - 1] >> 63 == 1
    }

    fn is_zero(self) -> bool {
        self.0 == [0; LIMBS]
    }

    fn abs(self) -> Self {
        if self.is_negative() { self.negate() } else { self }
    }

    /// The number of bits of the absolute value.
    fn bits(self) -> i32 {
        let limbs = self.abs().0;
        let top = limbs.iter().rposition(|&l| l != 0);
        top.map_or(0, |k| 64 * k as i32 + 64 - limbs[k].leading_zeros() as i32)
    }

    /// The value over 2^exponent, rounded.
    fn over_two_to(self, exponent: i32) -> f64 {
        let limbs = self.abs().0;
        let top = limbs.iter().rposition(|&l| l != 0).unwrap_or(0);
        let mut value = 0.0;
        for k in top.saturating_sub(2)..=top {
            value += times_two_to(limbs[k] as f64, 64 * k as i32 - exponent);
        }
        if self.is_negative() { -value } else { value }
    }

    fn times(self, other: Self) -> Self {
        let mut out = [0u64; LIMBS];
        if self.is_zero() || other.is_zero() {
            return Self(out);
        }
        for i in 0..LIMBS {
            let mut carry = 0u128;
            for j in 0..LIMBS - i {
                let sum =
                    u128::from(self.0[i]) * u128::from(other.0[j]) + u128::from(out[i + j]) + carry;
                out[i + j] = sum as u64;
                carry = sum >> 64;
            }
        }
        Self(out)
    }

    fn shifted_down(self, bits: usize) -> Self {
        let fill = if self.is_negative() { u64::MAX } else { 0 };
        let at = |k: usize| if k < LIMBS { self.0[k] } else { fill };
        let (limbs, bits) = (bits / 64, bits % 64);
        Self(std::array::from_fn(|k| {
            let low = at(k + limbs);
            if bits == 0 { low } else { low >> bits | at(k + limbs + 1) << (64 - bits) }
        }))
    }

    /// self / divisor, which must be exact and not too large.
    fn exactly_over(self, divisor: Self) -> Self {
        let zeros = divisor.0.iter().position(|&l| l != 0).unwrap_or(0);
        let zeros = 64 * zeros + divisor.0[zeros].trailing_zeros() as usize;
        let (mut rest, odd) = (self.shifted_down(zeros).0, divisor.shifted_down(zeros).0);
        // The inverse of the lowest limb modulo 2^64, by Newton's iteration from three right bits.
        let mut inverse = odd[0];
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd[0].wrapping_mul(inverse)));
        }
        let mut quotient = [0; LIMBS];
        for k in 0..QUOTIENT {
            let q = rest[k].wrapping_mul(inverse);
            quotient[k] = q;
            let (mut carry, mut borrow) = (0u128, false);
            for j in k..QUOTIENT {
                let product = u128::from(q) * u128::from(odd[j - k]) + carry;
                carry = product >> 64;
                let (less, first) = rest[j].overflowing_sub(product as u64);
                let (less, second) = less.overflowing_sub(u64::from(borrow));
                (rest[j], borrow) = (less, first || second);
            }
        }
        if quotient[QUOTIENT - 1] >> 63 == 1 {
            quotient[QUOTIENT..].fill(u64::MAX);
        }
        Self(quotient)
    }
}

impl Number for Wide {
    const ZERO: Self = Self([0; LIMBS]);
    const ONE: Self = {
        let mut limbs = [0; LIMBS];
        limbs[0] = 1;
        Self(limbs)
    };
    const FRACTION_FREE: bool = true;

    fn sign(self) -> Sign {
        if self.is_zero() {
            Sign::Zero
        } else if self.is_negative() {
            Sign::Negative
        } else {
            Sign::Positive
        }
    }

    fn negate(self) -> Self {
        let mut carry = true;
        Self(self.0.map(|limb| {
            let (sum, over) = (!limb).overflowing_add(u64::from(carry));
            carry = over;
            sum
        }))
    }

    fn plus(self, other: Self) -> Self {
        let mut carry = false;
        Self(std::array::from_fn(|k| {
            let (sum, first) = self.0[k].overflowing_add(other.0[k]);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            sum
        }))
    }

    fn size(self) -> f64 {
        self.over_two_to(0).abs()
    }

    fn eliminate(a: Self, b: Self, c: Self, p: Self, previous: Self) -> Self {
        p.times(a).plus(b.times(c).negate()).exactly_over(previous)
    }

    fn over(self, p: Self) -> Self {
        if p.is_negative() { self.negate() } else { self }
    }

    fn direction(v: &[Self]) -> Vec<f64> {
        let largest = v.iter().map(|x| x.bits()).max().unwrap_or(0);
        v.iter().map(|x| x.over_two_to(largest)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(v: i128) -> Wide {
        let chunk = |k: u32| Wide::from_f64((v.unsigned_abs() >> (32 * k) & 0xffff_ffff) as f64, 0);
        let size = (0..4)
            .rev()
            .fold(Wide::ZERO, |sum, k| sum.times(Wide::from_f64(2f64.powi(32), 0)).plus(chunk(k)));
        if v < 0 { size.negate() } else { size }
    }

    proptest! {
        #[test]
        fn wide_integers_calculate_like_short_ones(
            a in -(1i128 << 60)..1 << 60, b in -(1i128 << 60)..1 << 60, shift in 0u32..30,
        ) {
            prop_assert_eq!(of(a).times(of(b)), of(a * b));
            prop_assert_eq!(of(a).plus(of(b)), of(a + b));
            prop_assert_eq!(of(a).negate(), of(-a));
            prop_assert_eq!(of(a).sign(), a.sign());
            prop_assert_eq!(of(a).over_two_to(0), a as f64);
            let divisor = (b | 1) << shift;
            prop_assert_eq!(of(a).times(of(divisor)).exactly_over(of(divisor)), of(a));
        }

        #[test]
        fn elimination_is_exact_on_arbitrary_numbers(
            e in prop::collection::vec((-1.0..1.0f64, -20i32..20), 9),
        ) {
            // Bareiss' division leaves no rest: the determinant of a matrix with two equal rows.
            let entries: Vec<f64> = e.iter().map(|(m, e)| m * 2f64.powi(*e)).collect();
            let m = Matrix::from_fn(4, 4, |i, j| entries[(i % 3) * 3 + j % 3] * [1.0, 1.0, 1.0, 0.7][j]);
            let a = wide(&m).expect("short enough");
            let linear = super::super::elimination::solve(a, vec![Wide::ZERO; 4]);
            prop_assert!(matches!(linear, super::super::elimination::Linear::Singular));
        }
    }
}
