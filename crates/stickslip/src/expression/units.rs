//! Units of measurement, as far as their dimensions go. Numbers are in SI units, so that a unit never changes a number.

use super::names::nearest;
use std::fmt;

/// The base units, in the order in which they are printed.
const BASE: [&str; 5] = ["kg", "m", "s", "A", "K"];

/// Units with their dimensions, as powers of the base units.
const UNITS: [(&str, [f64; 5]); 20] = [
    ("1", [0.0, 0.0, 0.0, 0.0, 0.0]),
    ("rad", [0.0, 0.0, 0.0, 0.0, 0.0]),
    ("kg", [1.0, 0.0, 0.0, 0.0, 0.0]),
    ("m", [0.0, 1.0, 0.0, 0.0, 0.0]),
    ("s", [0.0, 0.0, 1.0, 0.0, 0.0]),
    ("A", [0.0, 0.0, 0.0, 1.0, 0.0]),
    ("K", [0.0, 0.0, 0.0, 0.0, 1.0]),
    ("N", [1.0, 1.0, -2.0, 0.0, 0.0]),
    ("J", [1.0, 2.0, -2.0, 0.0, 0.0]),
    ("W", [1.0, 2.0, -3.0, 0.0, 0.0]),
    ("Pa", [1.0, -1.0, -2.0, 0.0, 0.0]),
    ("Hz", [0.0, 0.0, -1.0, 0.0, 0.0]),
    ("C", [0.0, 0.0, 1.0, 1.0, 0.0]),
    ("V", [1.0, 2.0, -3.0, -1.0, 0.0]),
    ("ohm", [1.0, 2.0, -3.0, -2.0, 0.0]),
    ("H", [1.0, 2.0, -2.0, -2.0, 0.0]),
    ("F", [-1.0, -2.0, 4.0, 2.0, 0.0]),
    ("Wb", [1.0, 2.0, -2.0, -1.0, 0.0]),
    ("T", [1.0, 0.0, -2.0, -1.0, 0.0]),
    ("sr", [0.0, 0.0, 0.0, 0.0, 0.0]),
];

/// Units that people write and that are no SI units, each with what to write.
const OTHERS: [(&str, &str); 12] = [
    ("g", "write `kg`, and the number times 1e-3"),
    ("t", "write `kg`, and the number times 1e3"),
    ("deg", "write `rad`, and the number as an expression, e.g. \"30*pi/180\""),
    ("°", "write `rad`, and the number as an expression, e.g. \"30*pi/180\""),
    ("min", "write `s`, and the number times 60"),
    ("h", "write `s`, and the number times 3600"),
    ("rpm", "write `rad/s`, and the number as an expression, e.g. \"3000*2*pi/60\""),
    ("bar", "write `Pa`, and the number times 1e5"),
    ("in", "write `m`, and the number times 0.0254"),
    ("ft", "write `m`, and the number times 0.3048"),
    ("lb", "write `kg`, and the number times 0.45359237"),
    ("L", "write `m^3`, and the number times 1e-3"),
];

/// Prefixes of units, with their factors.
const PREFIXES: [(&str, &str); 10] = [
    ("m", "1e-3"),
    ("c", "1e-2"),
    ("d", "1e-1"),
    ("u", "1e-6"),
    ("µ", "1e-6"),
    ("μ", "1e-6"),
    ("n", "1e-9"),
    ("k", "1e3"),
    ("M", "1e6"),
    ("G", "1e9"),
];

/// A dimension: powers of kg, m, s, A and K.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dimension([f64; 5]);

impl Dimension {
    /// That of a pure number, and of an angle.
    pub const NONE: Self = Self([0.0; 5]);
    /// That of a length.
    pub const LENGTH: Self = Self([0.0, 1.0, 0.0, 0.0, 0.0]);
    /// That of time.
    pub const TIME: Self = Self([0.0, 0.0, 1.0, 0.0, 0.0]);
    /// That of energy and of work.
    pub const ENERGY: Self = Self([1.0, 2.0, -2.0, 0.0, 0.0]);

    /// The dimension of a product.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        self.combine(other, 1.0)
    }

    /// The dimension of a quotient.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        self.combine(other, -1.0)
    }

    /// The dimension of a power.
    #[must_use]
    pub fn power(self, n: f64) -> Self {
        Self(self.0.map(|x| if x == 0.0 { 0.0 } else { x * n }))
    }

    /// The same dimension, up to the rounding of fractional powers.
    #[must_use]
    pub fn is(self, other: Self) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + b.abs()))
    }

    fn combine(mut self, other: Self, sign: f64) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += sign * b);
        self
    }

    /// Reads a unit such as `m`, `kg*m^2`, `N s/m` or `1/s`: factors with whole or decimal powers, separated by `*`, `·`, a space or `/`.
    /// What stands behind a `/` divides, up to the next sign.
    ///
    /// # Errors
    /// What is wrong with it, and what would be right.
    pub fn of_unit(text: &str) -> Result<Self, UnitError> {
        let mut all = Self::NONE;
        let (mut divide, mut expected) = (false, true);
        for piece in pieces(text) {
            match piece {
                "*" | "·" | "/" if expected => {
                    return Err(UnitError::new(format!(
                        "`{text}`: a unit is missing at `{piece}`"
                    )));
                }
                "*" | "·" => expected = true,
                "/" => (divide, expected) = (true, true),
                factor => {
                    let found = factor_of(text, factor)?;
                    all = if divide { all.over(found) } else { all.times(found) };
                    (divide, expected) = (false, false);
                }
            }
        }
        match expected {
            true if text.trim().is_empty() => Err(UnitError::new("the unit is empty")
                .cure("leave it out, or write `1` for a pure number")),
            true => Err(UnitError::new(format!("`{text}` ends where a unit is expected"))),
            false => Ok(all),
        }
    }
}

/// The factors of a unit and the signs between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut found = vec![];
    for word in text.split_whitespace() {
        let mut rest = word;
        while !rest.is_empty() {
            let sign = |c: char| matches!(c, '*' | '·' | '/');
            let length = match rest.find(sign) {
                Some(0) => rest.chars().next().map_or(1, char::len_utf8),
                Some(at) => at,
                None => rest.len(),
            };
            found.push(&rest[..length]);
            rest = &rest[length..];
        }
    }
    found
}

fn factor_of(text: &str, factor: &str) -> Result<Dimension, UnitError> {
    let (name, exponent) = factor.split_once('^').unwrap_or((factor, "1"));
    let exponent = exponent.trim_start_matches('(').trim_end_matches(')');
    let Some(exponent) = exponent.parse::<f64>().ok().filter(|x| x.abs() <= 100.0) else {
        return Err(UnitError::new(format!(
            "`{exponent}` in the unit `{text}` is not an exponent"
        ))
        .cure("a power is written e.g. `m^2` or `s^-1`"));
    };
    match UNITS.iter().find(|(unit, _)| *unit == name) {
        Some((_, powers)) => Ok(Dimension(*powers).power(exponent)),
        None => Err(unknown(text.trim(), name)),
    }
}

fn unknown(text: &str, name: &str) -> UnitError {
    let of = if text == name { String::new() } else { format!(" in `{text}`") };
    let error = UnitError::new(format!("unknown unit `{name}`{of}"));
    if let Some((_, cure)) = OTHERS.iter().find(|(unit, _)| *unit == name) {
        let reason = format!("`{name}` is not an SI unit; numbers are in SI units");
        return UnitError::new(reason).cure(*cure);
    }
    let prefixed = PREFIXES.iter().find_map(|(prefix, factor)| {
        let rest = name.strip_prefix(prefix)?;
        UNITS
            .iter()
            .find(|(unit, _)| *unit == rest && rest != "1")
            .map(|(unit, _)| (*unit, *factor))
    });
    if let Some((unit, factor)) = prefixed {
        let reason = format!("`{name}` has a prefix; numbers are in SI units without prefixes");
        return UnitError::new(reason).cure(format!(
            "write `{unit}` in the place of `{name}`, and the number times {factor}"
        ));
    }
    match nearest(name, UNITS.iter().map(|(unit, _)| *unit)) {
        Some(near) => error.cure(format!("did you mean `{near}`?")),
        None => {
            let all: Vec<&str> = UNITS.iter().map(|(unit, _)| *unit).collect();
            error.cure(format!("units are products and powers of {}", all.join(", ")))
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = UNITS.iter().skip(2).find(|(_, powers)| self.is(Self(*powers)));
        if self.is(Self::NONE) {
            return write!(f, "1");
        }
        if let Some((name, _)) = named {
            return write!(f, "{name}");
        }
        let factor = |(unit, power): (&&str, f64)| match power {
            1.0 => (*unit).to_owned(),
            _ => format!("{unit}^{}", (power * 1e6).round() / 1e6),
        };
        let factors = BASE.iter().zip(self.0).filter(|(_, power)| *power != 0.0);
        write!(f, "{}", factors.map(factor).collect::<Vec<_>>().join(" "))
    }
}

/// What is wrong with a unit, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// What is wrong.
    pub reason: String,
    /// What would be right, if that can be said.
    pub cure: Option<String>,
}

impl UnitError {
    fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), cure: None }
    }

    fn cure(self, cure: impl Into<String>) -> Self {
        Self { cure: Some(cure.into()), ..self }
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.reason)?;
        self.cure.as_ref().map_or(Ok(()), |cure| write!(f, "; {cure}"))
    }
}

impl std::error::Error for UnitError {}

/// What is known of the dimension of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dim {
    /// It contains a name without a unit.
    Unknown,
    /// A number as it is written, which may have any unit where it is added or compared.
    Number,
    Known(Dimension),
}

impl Dim {
    pub(super) fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Number, x) | (x, Self::Number) => x,
            (Self::Known(a), Self::Known(b)) => Self::Known(a.times(b)),
        }
    }

    pub(super) fn over(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (x, Self::Number) => x,
            (Self::Number, Self::Known(b)) => Self::Known(Dimension::NONE.over(b)),
            (Self::Known(a), Self::Known(b)) => Self::Known(a.over(b)),
        }
    }

    /// What a sum, a minimum or a choice of the two has; the two dimensions if they contradict each other.
    pub(super) fn joined(self, other: Self) -> Result<Self, (Dimension, Dimension)> {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) if a.is(b) => Ok(self),
            (Self::Known(a), Self::Known(b)) => Err((a, b)),
            (Self::Unknown, _) | (_, Self::Unknown) => Ok(Self::Unknown),
            (Self::Number, x) | (x, Self::Number) => Ok(x),
        }
    }

    /// Of a power, whose exponent is this number, if it is one.
    pub(super) fn power(self, exponent: Option<f64>) -> Self {
        match (self, exponent) {
            (Self::Known(a), Some(n)) => Self::Known(a.power(n)),
            (Self::Known(a), None) if !a.is(Dimension::NONE) => Self::Unknown,
            (x, _) => x,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(text: &str) -> Dimension {
        Dimension::of_unit(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn units_that_mean_the_same_have_the_same_dimension() {
        for (a, b) in [
            ("N", "kg*m/s^2"),
            ("J", "N m"),
            ("J/rad", "N·m"),
            ("W", "J/s"),
            ("1/s", "Hz"),
            ("rad/s", "s^-1"),
            ("kg m^2", "J*s^2"),
            ("Pa", "N/m/m"),
            ("V", "W/A"),
            ("ohm", "V/A"),
            ("m^0.5", "m^2/m^1.5"),
            ("T*m^2", "Wb"),
            ("C/V", "F"),
            ("H", "Wb/A"),
        ] {
            assert!(unit(a).is(unit(b)), "{a}, {b}");
        }
        assert!(!unit("N").is(unit("J")));
        assert_eq!(unit("N*m").to_string(), "J");
        assert_eq!(unit("m/s^2").to_string(), "m s^-2");
    }

    #[test]
    fn what_is_not_si_is_refused_with_what_to_write() {
        for (text, words) in [
            ("mm", "write `m` in the place of `mm`, and the number times 1e-3"),
            ("ms", "write `s` in the place of `ms`, and the number times 1e-3"),
            ("kN/m", "write `N` in the place of `kN`, and the number times 1e3"),
            ("deg", "write `rad`"),
            ("rpm", "write `rad/s`"),
            ("g", "write `kg`"),
            ("Kg", "did you mean `kg`?"),
            ("metre", "units are products"),
            ("", "write `1`"),
            ("m/", "ends where a unit is expected"),
            ("*m", "a unit is missing"),
            ("m^x", "not an exponent"),
            ("m^1e9", "not an exponent"),
        ] {
            let found = Dimension::of_unit(text).unwrap_err().to_string();
            assert!(found.contains(words), "{text}: {found}");
        }
    }
}
