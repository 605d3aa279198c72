//! Shares in bins, as SVG.

use super::svg::{
    BOTTOM, COLOURS, HEIGHT, LEFT, RIGHT, TOP, WIDTH, begin, legend, polyline, segment, words,
};
use std::fmt::Write as _;

/// Stepped curves of how many numbers between 0 and 1 fall into each of equal bins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Above the plot.
    pub title: String,
    /// Below the horizontal axis.
    pub x: String,
    /// Beside the vertical axis.
    pub y: String,
    /// Names and numbers.
    pub series: Vec<(String, Vec<f64>)>,
}

const BINS: usize = 25;

impl Histogram {
    /// The picture as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        let shares: Vec<Vec<f64>> = self.series.iter().map(|(_, v)| shares(v)).collect();
        let top = shares.iter().flatten().fold(0.1_f64, |m, v| m.max(*v));
        let at = |x: f64, y: f64| {
            let across = LEFT + x * (WIDTH - LEFT - RIGHT);
            (across, HEIGHT - BOTTOM - y / (1.05 * top) * (HEIGHT - TOP - BOTTOM))
        };
        let mut out = begin(WIDTH, HEIGHT);
        for i in 0..=5 {
            let x = 0.2 * f64::from(i);
            segment(&mut out, at(x, 0.0), at(x, 1.05 * top), "#dddddd");
            let (a, b) = at(x, 0.0);
            let b = b + 18.0;
            let _ = writeln!(
                out,
                "<text x=\"{a:.1}\" y=\"{b:.1}\" text-anchor=\"middle\">{x:.1}</text>"
            );
        }
        for i in 0..10 {
            let y = 0.1 * f64::from(i);
            if y <= 1.05 * top {
                segment(&mut out, at(0.0, y), at(1.0, y), "#dddddd");
                let (a, b) = at(0.0, y);
                let (a, b, y) = (a - 8.0, b + 4.0, 100.0 * y);
                let _ = writeln!(
                    out,
                    "<text x=\"{a:.1}\" y=\"{b:.1}\" text-anchor=\"end\">{y:.0} %</text>"
                );
            }
        }
        words(&mut out, [&self.title, &self.x, &self.y]);
        for (i, ((name, _), shares)) in self.series.iter().zip(&shares).enumerate() {
            let style = format!("stroke=\"{}\" stroke-width=\"1.8\"", COLOURS[i % COLOURS.len()]);
            let steps = shares.iter().enumerate().flat_map(|(b, share)| {
                [b, b + 1].map(|edge| at(edge as f64 / BINS as f64, *share))
            });
            polyline(&mut out, &steps.collect::<Vec<_>>(), &style);
            legend(&mut out, i, name, &style, None);
        }
        out.push_str("</svg>\n");
        out
    }
}

fn shares(values: &[f64]) -> Vec<f64> {
    let mut bins = vec![0.0; BINS];
    for v in values.iter().filter(|v| v.is_finite()) {
        let bin = (v * BINS as f64) as usize;
        bins[bin.min(BINS - 1)] += 1.0 / values.len() as f64;
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_all_bins_sum_to_one_and_one_is_in_the_last() {
        let s = shares(&[0.0, 0.5, 0.999, 1.0]);
        assert!((s.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((s[0] - 0.25).abs() < 1e-12 && (s[BINS - 1] - 0.5).abs() < 1e-12);
        let plot = Histogram { series: vec![("a < b".into(), vec![0.5])], ..Histogram::default() };
        assert!(plot.to_svg().contains("a &lt; b"));
    }
}
