//! Plots with two logarithmic axes, as SVG.

use super::svg::{
    BOTTOM, COLOURS, HEIGHT, LEFT, RIGHT, TOP, WIDTH, begin, dot, legend, polyline, segment, words,
};
use std::fmt::Write as _;

const MARKS: [&str; 2] = ["#222222", "#aa0000"];
/// Curves with more points than this are drawn without dots.
const MOST_DOTS: usize = 60;

/// Curves over logarithmic axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogLog {
    /// Above the plot.
    pub title: String,
    /// Below the horizontal axis, with its unit.
    pub x: String,
    /// Beside the vertical axis, with its unit.
    pub y: String,
    /// Names and points; points with a coordinate that is not positive are left out.
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
    /// Dashed lines of these slopes through a point, with their names.
    pub slopes: Vec<(String, f64, (f64, f64))>,
    /// Dotted vertical lines at these places, with their common name.
    pub marks: Vec<(String, Vec<f64>)>,
}

/// Where numbers stand on the picture.
struct Frame {
    /// Decimal logarithms of the ends.
    x: (f64, f64),
    y: (f64, f64),
}

impl LogLog {
    /// The picture as the text of an SVG file; empty axes if there are no points.
    pub fn to_svg(&self) -> String {
        let frame = Frame::of(self.curves.iter().flat_map(|(_, points)| points));
        let mut out = begin(WIDTH, HEIGHT);
        frame.axes(&mut out);
        words(&mut out, [&self.title, &self.x, &self.y]);
        for (i, (name, slope, through)) in self.slopes.iter().enumerate() {
            let style = "stroke=\"#777777\" stroke-dasharray=\"6 4\"";
            polyline(&mut out, &frame.clipped_line(*slope, *through), style);
            legend(&mut out, self.curves.len() + i, name, style, None);
        }
        for (i, (name, places)) in self.marks.iter().enumerate() {
            let colour = MARKS[i % MARKS.len()];
            let style = format!("stroke=\"{colour}\" stroke-dasharray=\"2 3\"");
            for &place in places {
                polyline(&mut out, &frame.clipped_upright(place), &style);
            }
            legend(&mut out, self.curves.len() + self.slopes.len() + i, name, &style, None);
        }
        for (i, (name, points)) in self.curves.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            let style = format!("stroke=\"{colour}\" stroke-width=\"1.8\"");
            let at: Vec<_> = points.iter().filter_map(|&p| frame.at(p)).collect();
            polyline(&mut out, &at, &style);
            let dotted = at.len() <= MOST_DOTS;
            for p in at.iter().filter(|_| dotted) {
                dot(&mut out, *p, colour);
            }
            legend(&mut out, i, name, &style, dotted.then_some(colour));
        }
        out.push_str("</svg>\n");
        out
    }
}

impl Frame {
    /// Axes that hold all points, with whole decades on the vertical one.
    fn of<'a>(points: impl Iterator<Item = &'a (f64, f64)> + Clone) -> Self {
        let ends = |pick: fn(&(f64, f64)) -> f64| {
            let logs = points.clone().map(pick).filter(|v| *v > 0.0 && v.is_finite());
            logs.map(f64::log10)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
        };
        let sane = |(a, b): (f64, f64)| if a <= b { (a, b) } else { (0.0, 1.0) };
        let (x, y) = (sane(ends(|p| p.0)), sane(ends(|p| p.1)));
        let y = (y.0.floor(), y.1.ceil().max(y.0.floor() + 1.0));
        Self { x: (x.0 - 0.08, x.1 + 0.08), y }
    }

    fn at(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let positive = x > 0.0 && y > 0.0 && x.is_finite() && y.is_finite();
        positive.then(|| self.logs_at(x.log10(), y.log10()))
    }

    fn logs_at(&self, x: f64, y: f64) -> (f64, f64) {
        let share = |v: f64, (a, b): (f64, f64)| (v - a) / (b - a);
        let across = LEFT + share(x, self.x) * (WIDTH - LEFT - RIGHT);
        (across, HEIGHT - BOTTOM - share(y, self.y) * (HEIGHT - TOP - BOTTOM))
    }

    /// The part inside of the axes of a line with a slope through a point.
    fn clipped_line(&self, slope: f64, (x, y): (f64, f64)) -> Vec<(f64, f64)> {
        if !(x > 0.0 && y > 0.0 && slope != 0.0) {
            return Vec::new();
        }
        let height = |v: f64| y.log10() + slope * (v - x.log10());
        let place = |h: f64| x.log10() + (h - y.log10()) / slope;
        let (a, b) = (place(self.y.0), place(self.y.1));
        let (low, high) = (self.x.0.max(a.min(b)), self.x.1.min(a.max(b)));
        if low >= high {
            return Vec::new();
        }
        vec![self.logs_at(low, height(low)), self.logs_at(high, height(high))]
    }

    /// The vertical line at a place, if that is inside of the axes.
    fn clipped_upright(&self, x: f64) -> Vec<(f64, f64)> {
        let log = x.log10();
        if !(self.x.0..=self.x.1).contains(&log) {
            return Vec::new();
        }
        vec![self.logs_at(log, self.y.0), self.logs_at(log, self.y.1)]
    }

    fn axes(&self, out: &mut String) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for (exponent, digit) in ticks(self.x) {
            let (x, _) = self.logs_at(exponent + digit.log10(), 0.0);
            let strong = if digit == 1.0 { "#cccccc" } else { "#eeeeee" };
            segment(out, (x, TOP), (x, bottom), strong);
            if digit == 1.0 {
                label(out, (x, bottom + 18.0), "middle", exponent);
            }
        }
        for (exponent, digit) in ticks(self.y).into_iter().filter(|t| t.1 == 1.0) {
            let (_, y) = self.logs_at(0.0, exponent + digit.log10());
            segment(out, (LEFT, y), (right, y), "#cccccc");
            label(out, (LEFT - 8.0, y + 4.0), "end", exponent);
        }
        let (w, h) = (right - LEFT, bottom - TOP);
        let _ = writeln!(
            out,
            "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"#666666\"/>"
        );
    }
}

/// Exponents and digits 1 to 9 inside of an axis.
fn ticks((low, high): (f64, f64)) -> Vec<(f64, f64)> {
    let decades = (low.floor() as i32..=high.ceil() as i32).take(64).map(f64::from);
    let all = decades.flat_map(|e| (1..=9).map(move |d| (e, f64::from(d))));
    let inside = |t: &(f64, f64)| (low - 1e-9..=high + 1e-9).contains(&(t.0 + t.1.log10()));
    all.filter(inside).collect()
}

fn label(out: &mut String, (x, y): (f64, f64), anchor: &str, exponent: f64) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">10<tspan dy=\"-5\" font-size=\"9\">{exponent}</tspan></text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> LogLog {
        let points = vec![(1e-3, 1e-2), (1e-2, 1e-1), (0.0, 1.0), (1.0, f64::NAN)];
        LogLog {
            title: "a < b".to_owned(),
            curves: vec![("c".to_owned(), points)],
            slopes: vec![("order 1".to_owned(), 1.0, (1e-3, 1e-2))],
            ..LogLog::default()
        }
    }

    #[test]
    fn a_line_of_slope_one_goes_through_points_of_slope_one() {
        let frame = Frame::of(plot().curves[0].1[..2].iter());
        let line = frame.clipped_line(1.0, (1e-3, 1e-2));
        for p in &plot().curves[0].1[..2] {
            let (x, y) = frame.at(*p).unwrap();
            let share = (x - line[0].0) / (line[1].0 - line[0].0);
            let on_line = line[0].1 + share * (line[1].1 - line[0].1);
            assert!((y - on_line).abs() < 1e-9, "{y} {on_line}");
        }
    }

    #[test]
    fn only_points_with_logarithms_are_drawn_and_words_are_escaped() {
        let svg = plot().to_svg();
        assert_eq!(svg.matches("<circle").count(), 2 + 1, "two points and the legend's");
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN") && !svg.contains("inf"));
        assert!(!LogLog::default().to_svg().contains("NaN"));
    }
}
