//! Plots with two linear axes, as SVG: curves and marks.

use super::svg::{
    BOTTOM, COLOURS, HEIGHT, LEFT, RIGHT, TOP, WIDTH, begin, dot, legend, polyline, segment, words,
};
use std::fmt::Write as _;

/// Curves and marks over linear axes that begin at zero; the vertical one below it where a value lies there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// Above the plot.
    pub title: String,
    /// Below the horizontal axis, with its unit.
    pub x: String,
    /// Beside the vertical axis, with its unit.
    pub y: String,
    /// Names and points of lines. A set of marks of the same name has its colour.
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
    /// Names and points of marks.
    pub marks: Vec<(String, Vec<(f64, f64)>)>,
}

impl Lines {
    /// The picture as the text of an SVG file; empty axes if there are no points.
    pub fn to_svg(&self) -> String {
        let all = || self.curves.iter().chain(&self.marks).flat_map(|(_, p)| p);
        let top = |pick: fn(&(f64, f64)) -> f64| {
            let values = all().map(pick).filter(|v| v.is_finite());
            let largest = values.fold(0.0, f64::max);
            if largest > 0.0 { 1.05 * largest } else { 1.0 }
        };
        let ends = (top(|p| p.0), top(|p| p.1));
        let low = 1.05 * all().map(|p| p.1).filter(|v| v.is_finite()).fold(0.0, f64::min);
        let at = |(x, y): (f64, f64)| {
            let across = LEFT + x / ends.0 * (WIDTH - LEFT - RIGHT);
            (across, HEIGHT - BOTTOM - (y - low) / (ends.1 - low) * (HEIGHT - TOP - BOTTOM))
        };
        let mut out = begin(WIDTH, HEIGHT);
        axes(&mut out, ends, low, &at);
        words(&mut out, [&self.title, &self.x, &self.y]);
        for (i, (name, points)) in self.curves.iter().enumerate() {
            let style = format!("stroke=\"{}\" stroke-width=\"1.8\"", COLOURS[i % COLOURS.len()]);
            let points: Vec<_> = points.iter().filter(finite).map(|&p| at(p)).collect();
            polyline(&mut out, &points, &style);
            let marked = self.marks.iter().any(|(n, _)| n == name);
            legend(&mut out, i, name, &style, marked.then_some(COLOURS[i % COLOURS.len()]));
        }
        for (name, points) in &self.marks {
            let i = self.curves.iter().position(|(n, _)| n == name);
            let colour = i.map_or("#444444", |i| COLOURS[i % COLOURS.len()]);
            for p in points.iter().filter(finite) {
                dot(&mut out, at(*p), colour);
            }
        }
        out.push_str("</svg>\n");
        out
    }
}

fn finite(p: &&(f64, f64)) -> bool {
    p.0.is_finite() && p.1.is_finite()
}

fn axes(out: &mut String, ends: (f64, f64), low: f64, at: &dyn Fn((f64, f64)) -> (f64, f64)) {
    let bottom = HEIGHT - BOTTOM;
    for tick in ticks(ends.0) {
        let (x, _) = at((tick, 0.0));
        segment(out, (x, TOP), (x, bottom), "#dddddd");
        let y = bottom + 18.0;
        let _ =
            writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{tick}</text>");
    }
    for tick in ticks_from(low, ends.1) {
        let (_, y) = at((0.0, tick));
        segment(out, (LEFT, y), (WIDTH - RIGHT, y), "#dddddd");
        let (x, y) = (LEFT - 8.0, y + 4.0);
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{tick}</text>");
    }
    let (w, h) = (WIDTH - RIGHT - LEFT, bottom - TOP);
    let _ = writeln!(
        out,
        "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"#666666\"/>"
    );
}

/// Round numbers from 0 to the end, five to ten of them.
fn ticks(end: f64) -> Vec<f64> {
    ticks_from(0.0, end)
}

/// Multiples of a round number between two ends with 0 between them, five to ten of them.
fn ticks_from(low: f64, high: f64) -> Vec<f64> {
    let span = high - low;
    let decade = 10.0_f64.powf(span.log10().floor());
    let step = [0.1, 0.2, 0.5, 1.0, 2.0].map(|s| s * decade);
    let step = step.into_iter().find(|s| span / s < 10.0).unwrap_or(span);
    // Through text, so that 3 · 0.1 is written 0.3.
    let round = |v: f64| format!("{v:.12}").parse().unwrap_or(v);
    let all = (-10..=10).map(|i| round(f64::from(i) * step));
    all.filter(|v| (low..=high).contains(v)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(1.05), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(ticks(0.31), [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]);
        assert_eq!(ticks(9.9).len(), 10);
    }

    #[test]
    fn values_below_zero_lie_inside_of_the_axes() {
        assert_eq!(ticks_from(-0.3, 0.9), [-0.2, 0.0, 0.2, 0.4, 0.6, 0.8]);
        let curves = vec![("a".to_owned(), vec![(0.0, 1.0), (1.0, -2.0)])];
        let svg = Lines { curves, ..Lines::default() }.to_svg();
        let line = svg.lines().find(|l| l.contains("polyline")).unwrap();
        let points = line.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        let heights = points.split_whitespace().map(|p| p.split(',').nth(1).unwrap());
        assert!(
            heights
                .map(|y| y.parse::<f64>().unwrap())
                .all(|y| (TOP..=HEIGHT - BOTTOM).contains(&y))
        );
    }

    #[test]
    fn marks_have_the_colour_of_their_curve_and_bad_numbers_are_left_out() {
        let points = vec![(0.0, 1.0), (1.0, 0.5), (f64::NAN, 1.0)];
        let curves = vec![("a".to_owned(), points.clone())];
        let svg = Lines { marks: curves.clone(), curves, ..Lines::default() }.to_svg();
        assert_eq!(svg.matches("<circle").count(), 2 + 1, "two points and the legend's");
        assert!(!svg.contains("NaN") && !Lines::default().to_svg().contains("NaN"));
    }
}
