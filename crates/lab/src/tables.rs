//! Tables that are printed at once and kept for a page, and the numbers in them.

use std::fmt::Write as _;

/// What was printed so far.
#[derive(Clone, Debug, Default)]
pub struct Tables(String);

impl Tables {
    /// Prints a line at once, since a run takes minutes, and keeps it.
    pub fn add(&mut self, line: &str) {
        println!("{line}");
        let _ = writeln!(self.0, "{line}");
    }

    /// Everything.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// The middle one, the upper of the two where there are two; NaN of nothing.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The median with the smallest and the largest, `–` of nothing.
pub fn spread(values: &[f64], digits: usize) -> String {
    if values.is_empty() {
        return "–".to_owned();
    }
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{:.digits$} ({low:.digits$} to {high:.digits$})", median(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_stands_with_its_ends() {
        assert_eq!(spread(&[3.0, 1.0, 2.0], 1), "2.0 (1.0 to 3.0)");
        assert_eq!(spread(&[], 1), "–");
        assert!(median(&[]).is_nan());
    }
}
