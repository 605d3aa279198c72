//! Numbers m·2^e with an integer m of any length: what sums and products of floating-point numbers are.

use super::prime::{self, PRIME};
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg};

/// A number m·2^e with integers m and e.
///
/// Every finite floating-point number is one, and sums and products of them stay so. The sign is
/// therefore always the true one.
///
/// ```
/// use complementarity::exact::Dyadic;
/// use std::cmp::Ordering;
///
/// let [a, b] = [1e300, 1e-300].map(|v| Dyadic::from_f64(v).unwrap());
/// let rest = &(&(&a + &b) + &-&a) + &-&b;
/// assert_eq!(rest.sign(), Ordering::Equal);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Dyadic {
    /// Odd, or zero.
    mantissa: BigInt,
    /// Zero for zero.
    exponent: i64,
}

impl Dyadic {
    /// A floating-point number; `None` for NaN and ∞.
    #[must_use]
    pub fn from_f64(v: f64) -> Option<Self> {
        if !v.is_finite() {
            return None;
        }
        let (mantissa, exponent) = parts(v);
        Some(Self::new(BigInt::from(mantissa), exponent))
    }

    pub(crate) fn new(mantissa: BigInt, exponent: i64) -> Self {
        match mantissa.trailing_zeros() {
            None => Self::default(),
            Some(0) => Self { mantissa, exponent },
            Some(zeros) => Self { mantissa: mantissa >> zeros, exponent: exponent + zeros as i64 },
        }
    }

    /// How the number compares with zero.
    #[must_use]
    pub fn sign(&self) -> Ordering {
        sign(&self.mantissa)
    }

    /// The exponent of the lowest bit that is set; `None` for zero.
    pub(crate) fn lowest_bit(&self) -> Option<i64> {
        (self.sign() != Ordering::Equal).then_some(self.exponent)
    }

    /// The number over 2^unit, which must be an integer.
    pub(crate) fn over_two_to(&self, unit: i64) -> BigInt {
        &self.mantissa << u64::try_from(self.exponent - unit).unwrap_or(0)
    }

    /// The number times 2^e.
    pub(crate) fn times_two_to(&self, e: i64) -> Self {
        Self::new(self.mantissa.clone(), self.exponent + e)
    }

    /// The residue modulo the prime of [`prime`].
    pub(super) fn modulo_prime(&self) -> u64 {
        let residue = (&self.mantissa % BigInt::from(PRIME)).to_u64_digits();
        let size = residue.1.first().copied().unwrap_or(0);
        // 2^61 = 1.
        let power = 1u64 << self.exponent.rem_euclid(61);
        let size = prime::times(size, power);
        if residue.0 == Sign::Minus { prime::minus(0, size) } else { size }
    }

    /// The floating-point number that is the same, if there is one of ordinary size.
    pub(super) fn as_f64(&self) -> Option<f64> {
        let digits = self.mantissa.iter_u64_digits();
        if digits.len() > 1 || self.mantissa.bits() > 53 || self.exponent.abs() > 900 {
            return None;
        }
        let size = digits.last().unwrap_or(0) as f64 * 2f64.powi(self.exponent as i32);
        Some(if self.mantissa.sign() == Sign::Minus { -size } else { size })
    }

    /// The floating-point number near it, to a unit in the last place; ±∞ beyond the range.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        if let Some(same) = self.as_f64() {
            return same;
        }
        quotient(self, &Self { mantissa: BigInt::from(1), exponent: 0 })
    }
}

/// a / b as a floating-point number, to a unit in the last place; 0 for b = 0.
pub(crate) fn quotient(a: &Dyadic, b: &Dyadic) -> f64 {
    if a.sign() == Ordering::Equal || b.sign() == Ordering::Equal {
        return 0.0;
    }
    // Enough bits of a that the quotient of the integers has at least 64.
    let shift = 64 + b.mantissa.bits() as i64 - a.mantissa.bits() as i64;
    let (top, bottom) = if shift >= 0 {
        (&a.mantissa << shift as u64, b.mantissa.clone())
    } else {
        (a.mantissa.clone(), &b.mantissa << (-shift) as u64)
    };
    let ratio = top / bottom;
    let (sign, digits) = ratio.to_u64_digits();
    let value = digits.iter().rev().fold(0.0, |sum, &d| sum * 2f64.powi(64) + d as f64);
    let exponent = (a.exponent - b.exponent - shift).clamp(-4000, 4000) as i32;
    let value = [exponent / 4; 3].iter().fold(value, |v, &e| v * 2f64.powi(e));
    let value = value * 2f64.powi(exponent - 3 * (exponent / 4));
    if sign == Sign::Minus { -value } else { value }
}

/// The mantissa and exponent of a finite floating-point number.
fn parts(v: f64) -> (i64, i64) {
    let bits = v.to_bits();
    let biased = ((bits >> 52) & 0x7ff) as i64;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (size, exponent) =
        if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    (if v < 0.0 { -size } else { size }, exponent)
}

/// How an integer compares with zero.
pub(crate) fn sign(v: &BigInt) -> Ordering {
    match v.sign() {
        Sign::Minus => Ordering::Less,
        Sign::NoSign => Ordering::Equal,
        Sign::Plus => Ordering::Greater,
    }
}

/// Σ aᵢ bᵢ, exactly.
///
/// ```
/// use complementarity::exact::{Dyadic, dot};
///
/// let [big, one] = [1e20, 1.0].map(|v| Dyadic::from_f64(v).unwrap());
/// let terms = [(&big, &one), (&one, &one), (&-&big, &one)];
/// assert_eq!(dot(terms), one);
/// ```
pub fn dot<'a>(terms: impl IntoIterator<Item = (&'a Dyadic, &'a Dyadic)>) -> Dyadic {
    terms.into_iter().fold(Dyadic::default(), |sum, (a, b)| &sum + &(a * b))
}

impl Add for &Dyadic {
    type Output = Dyadic;

    fn add(self, other: Self) -> Dyadic {
        if self.sign() == Ordering::Equal {
            return other.clone();
        }
        if other.sign() == Ordering::Equal {
            return self.clone();
        }
        let unit = self.exponent.min(other.exponent);
        Dyadic::new(self.over_two_to(unit) + other.over_two_to(unit), unit)
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;

    fn mul(self, other: Self) -> Dyadic {
        Dyadic::new(&self.mantissa * &other.mantissa, self.exponent + other.exponent)
    }
}

impl Neg for &Dyadic {
    type Output = Dyadic;

    fn neg(self) -> Dyadic {
        Dyadic { mantissa: -&self.mantissa, exponent: self.exponent }
    }
}

/// The number near it that is shortest to write; the digits are those of `f64`.
impl fmt::Display for Dyadic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_f64(), f)
    }
}

impl fmt::Debug for Dyadic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = self.to_f64();
        if Self::from_f64(short).as_ref() == Some(self) {
            write!(f, "{short:?}")
        } else {
            write!(f, "{}·2^{}", self.mantissa, self.exponent)
        }
    }
}

/// A number where that is exact, else the text `m*2^e`.
#[cfg(feature = "serde")]
impl serde::Serialize for Dyadic {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let near = self.to_f64();
        if Self::from_f64(near).as_ref() == Some(self) {
            return serializer.serialize_f64(near);
        }
        serializer.collect_str(&format_args!("{}*2^{}", self.mantissa, self.exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_without_a_value_are_refused_and_the_extremes_are_kept() {
        for v in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Dyadic::from_f64(v), None);
        }
        for v in [0.0, -0.0, 5e-324, -1.5e-323, f64::MIN_POSITIVE, f64::MAX, f64::MIN, 0.1] {
            assert_eq!(Dyadic::from_f64(v).unwrap().to_f64(), v);
        }
        let largest = Dyadic::from_f64(f64::MAX).unwrap();
        assert_eq!((&largest * &largest).to_f64(), f64::INFINITY);
        assert_eq!(quotient(&(&largest * &largest), &-&largest), f64::MIN);
        assert_eq!(format!("{:?} {}", Dyadic::from_f64(0.1).unwrap(), -&largest), {
            format!("0.1 {}", f64::MIN)
        });
    }

    proptest! {
        #[test]
        fn sums_and_products_are_those_of_integers(
            a in -(1i64 << 53)..1 << 53, b in -(1i64 << 53)..1 << 53, e in -300i32..300,
        ) {
            let [x, y] = [a, b].map(|v| Dyadic::from_f64(v as f64 * 2f64.powi(e)).unwrap());
            let of = |v: i128, e: i32| Dyadic::new(BigInt::from(v), e.into());
            prop_assert_eq!(&x + &y, of(i128::from(a) + i128::from(b), e));
            prop_assert_eq!(&x * &y, of(i128::from(a) * i128::from(b), 2 * e));
            prop_assert_eq!(x.sign(), a.cmp(&0));
            prop_assert_eq!(dot([(&x, &y), (&-&x, &y)]).sign(), Ordering::Equal);
            if b != 0 {
                let ratio = a as f64 / b as f64;
                prop_assert!((quotient(&x, &y) - ratio).abs() <= 3e-16 * ratio.abs());
            }
        }
    }
}
