//! Ranges, ticks and their labels.

use super::Axis;

/// An axis with its range, ticks and labels, all for values multiplied by `factor`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    pub(super) title: String,
    /// The ends, in shown numbers.
    pub(super) low: f64,
    pub(super) high: f64,
    factor: f64,
    /// Ticks in shown numbers, with their labels.
    pub(super) ticks: Vec<(f64, String)>,
}

impl Scale {
    /// A scale over these values with about `count` ticks. Half a margin is left at each end for
    /// `margin > 0`.
    pub(super) fn new(
        axis: &Axis,
        values: impl Iterator<Item = f64>,
        margin: f64,
        count: usize,
    ) -> Self {
        let (low, high) = range(values);
        let (title, factor) = title_and_factor(axis, low.abs().max(high.abs()));
        let room = 0.5 * margin * (high - low);
        let (low, high) = ((low - room) * factor, (high + room) * factor);
        Self { title, low, high, factor, ticks: ticks(low, high, count) }
    }

    /// Where a value lies: 0 at the low end, 1 at the high end.
    pub(super) fn share(&self, value: f64) -> f64 {
        self.share_shown(value * self.factor)
    }

    /// The same for a number as shown.
    pub(super) fn share_shown(&self, shown: f64) -> f64 {
        (shown - self.low) / (self.high - self.low)
    }
}

/// The least and largest finite value, spread where they are equal to rounding.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|v| v.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return (0.0, 1.0);
    }
    // Far outside of what a picture can show, and safe from overflow.
    let (low, high) = (low.max(-1e300), high.min(1e300));
    let size = low.abs().max(high.abs());
    if high - low > 1e-12 * size && size > 1e-290 {
        (low, high)
    } else {
        let spread = if size > 1e-290 { 0.5 * size } else { 1.0 };
        (low - spread, high + spread)
    }
}

const PREFIXES: [(i32, &str); 11] = [
    (-15, "f"),
    (-12, "p"),
    (-9, "n"),
    (-6, "µ"),
    (-3, "m"),
    (0, ""),
    (3, "k"),
    (6, "M"),
    (9, "G"),
    (12, "T"),
    (15, "P"),
];

/// `name / unit` with a prefix or a power of ten, and the factor that goes with it.
fn title_and_factor(axis: &Axis, largest: f64) -> (String, f64) {
    // From 0.02 to 20,000 numbers are readable as they are.
    let exponent = match largest {
        x if !(x > 0.0) || (0.02..2e4).contains(&x) => 0,
        x => 3 * ((x.log10() + 0.7).floor() as i32).div_euclid(3),
    };
    let prefix = PREFIXES.iter().find(|(e, _)| *e == exponent).map(|(_, p)| *p);
    let unit = match (exponent, prefix) {
        (0, _) => axis.unit.clone(),
        // The kilogram has a prefix already.
        (_, Some(prefix)) if !axis.unit.is_empty() && !axis.unit.starts_with("kg") => {
            format!("{prefix}{}", axis.unit)
        }
        _ => format!("10{} {}", superscript(exponent), axis.unit).trim_end().to_owned(),
    };
    let title = if unit.is_empty() { axis.name.clone() } else { format!("{} / {unit}", axis.name) };
    (title, 10_f64.powi(-exponent))
}

fn superscript(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize]);
    exponent.to_string().chars().map(digit).collect()
}

/// Round numbers between the ends: steps of 1, 2 or 5 times a power of ten.
fn ticks(low: f64, high: f64, count: usize) -> Vec<(f64, String)> {
    let rough = (high - low) / count.max(1) as f64;
    let power = rough.log10().floor();
    let unit = 10_f64.powf(power);
    let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * unit).into_iter().find(|s| *s >= rough * 0.999);
    let Some(step) = step.filter(|s| s.is_finite() && *s > 0.0) else { return Vec::new() };
    let decimals = (-(step * 1.0001).log10().floor()).clamp(0.0, 12.0) as usize;
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    let number = ((last - first) as usize).min(50);
    let value = |i: usize| (first + i as f64) * step;
    let label = |v: f64| {
        let text = format!("{v:.decimals$}");
        let zero = text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.');
        // A true minus sign is as wide as a plus; zero has none.
        if zero { text.trim_start_matches('-').to_owned() } else { text.replace('-', "−") }
    };
    (0..=number).map(|i| (value(i), label(value(i)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        Scale::new(&Axis::new("x", "m"), [low, high].into_iter(), 0.0, 5)
            .ticks
            .into_iter()
            .map(|t| t.1)
            .collect()
    }

    #[test]
    fn ticks_are_round_and_have_equal_decimals() {
        assert_eq!(labels(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-10.0, 10.0), ["−10", "−5", "0", "5", "10"]);
        assert_eq!(labels(99.5, 100.0), ["99.5", "99.6", "99.7", "99.8", "99.9", "100.0"]);
    }

    #[test]
    fn small_and_large_numbers_get_a_prefix() {
        let title = |unit: &str, v: f64| {
            Scale::new(&Axis::new("x", unit), [0.0, v].into_iter(), 0.0, 5).title
        };
        assert_eq!(title("m", 0.0012), "x / mm");
        assert_eq!(title("m", 0.5), "x / m");
        assert_eq!(title("J", 3e-6), "x / µJ");
        assert_eq!(title("J", 3e-20), "x / 10⁻²¹ J");
        assert_eq!(title("", 3e7), "x / 10⁶");
        assert_eq!(title("kg m/s", 3e-7), "x / 10⁻⁶ kg m/s");
        assert_eq!(labels(0.0, 0.0012), labels(0.0, 1.2));
    }

    proptest! {
        #[test]
        fn every_range_has_ticks_inside(
            a in prop_oneof![-1e3..1e3, Just(0.0), Just(f64::NAN), Just(1e308), Just(-1e308), Just(1e-310)],
            b in prop_oneof![-1e3..1e3, Just(0.0), Just(f64::INFINITY), Just(1e-300)],
        ) {
            let scale = Scale::new(&Axis::new("x", "m"), [a, b].into_iter(), 0.1, 5);
            prop_assert!(scale.low < scale.high, "{:?}", scale);
            prop_assert!(!scale.ticks.is_empty() && scale.ticks.len() < 20, "{:?}", scale);
            for (v, _) in &scale.ticks {
                let share = scale.share_shown(*v);
                prop_assert!((-1e-9..=1.0 + 1e-9).contains(&share), "{} {:?}", share, scale);
            }
            if a.is_finite() && a.abs() < 1e300 {
                prop_assert!((-1e-9..=1.0 + 1e-9).contains(&scale.share(a)), "{} {:?}", a, scale);
            }
        }
    }
}
