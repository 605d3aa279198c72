//! Curves over a heading, in panels side by side, as SVG.

use super::svg::{begin, escaped};
use std::fmt::Write as _;

const PANEL: f64 = 340.0;
const RADIUS: f64 = 128.0;
const TOP: f64 = 48.0;
const LEGEND: f64 = 34.0;
/// Told apart by people who see fewer colours.
const COLOURS: [&str; 3] = ["#d55e00", "#0072b2", "#009e73"];

/// One panel: a title, and curves of (angle in radians, radius).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Above the panel.
    pub title: String,
    /// In the order of the names of the plot; closed. Points that are not finite are left out.
    pub curves: Vec<Vec<(f64, f64)>>,
}

/// Panels with the unit circle in each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polar {
    /// Above the plot.
    pub title: String,
    /// The names of the curves, the same in every panel.
    pub names: Vec<String>,
    /// What the unit circle stands for.
    pub circle: String,
    /// The panels, two in a row.
    pub panels: Vec<Panel>,
    /// Circles with their values at the edge: the radii of the scale.
    pub scale: Vec<f64>,
    /// The largest radius shown.
    pub largest: f64,
}

impl Polar {
    /// The picture as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        let rows = self.panels.len().div_ceil(2);
        let (width, height) = (2.0 * PANEL, TOP + LEGEND + rows as f64 * PANEL);
        let title = escaped(&self.title);
        let mut out = begin(width, height);
        let _ = writeln!(
            out,
            "<text x=\"24\" y=\"26\" font-size=\"16\" fill=\"#282828\">{title}</text>"
        );
        self.legend(&mut out);
        for (i, panel) in self.panels.iter().enumerate() {
            let x = (i % 2) as f64 * PANEL + 0.5 * PANEL;
            let y = TOP + LEGEND + (i / 2) as f64 * PANEL + 0.5 * PANEL + 8.0;
            self.panel(&mut out, panel, (x, y));
        }
        out.push_str("</svg>\n");
        out
    }

    fn legend(&self, out: &mut String) {
        let entries = self.names.iter().enumerate().map(|(i, n)| (n, stroke(i)));
        let circle = (&self.circle, "stroke=\"#444444\" stroke-dasharray=\"5 4\"".to_owned());
        let mut x = 24.0;
        for (name, style) in entries.chain([circle]) {
            let (end, text, y) = (x + 26.0, x + 32.0, TOP + 4.0);
            let name_text = escaped(name);
            let _ = writeln!(
                out,
                "<line x1=\"{x}\" y1=\"{y}\" x2=\"{end}\" y2=\"{y}\" {style}/>\n\
                 <text x=\"{text}\" y=\"{}\">{name_text}</text>",
                y + 4.0
            );
            x = text + 7.4 * name.chars().count() as f64 + 24.0;
        }
    }

    fn panel(&self, out: &mut String, panel: &Panel, (x, y): (f64, f64)) {
        let per = RADIUS / self.largest;
        let name = escaped(&panel.title);
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"14\">{name}</text>",
            y - RADIUS - 30.0
        );
        for degrees in (0..360).step_by(30) {
            let (s, c) = f64::from(degrees).to_radians().sin_cos();
            let (x2, y2) = (x + RADIUS * c, y - RADIUS * s);
            let (xt, yt) = (x + (RADIUS + 16.0) * c, y - (RADIUS + 14.0) * s + 4.0);
            let _ = writeln!(
                out,
                "<line x1=\"{x}\" y1=\"{y}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#e4e4e4\"/>\n\
                 <text x=\"{xt:.1}\" y=\"{yt:.1}\" text-anchor=\"middle\" font-size=\"10\" fill=\"#777777\">{degrees}°</text>"
            );
        }
        for (radius, style) in self.scale.iter().map(|&r| (r, "stroke=\"#d4d4d4\"")) {
            let r = radius * per;
            let _ =
                writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r:.1}\" fill=\"none\" {style}/>");
        }
        for (i, curve) in panel.curves.iter().enumerate() {
            let _ = writeln!(
                out,
                "<polygon points=\"{}\" fill=\"none\" {}/>",
                points(curve, (x, y), per),
                stroke(i)
            );
        }
        let _ = writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{per:.1}\" fill=\"none\" stroke=\"#444444\" stroke-dasharray=\"5 4\"/>"
        );
        for radius in &self.scale {
            let (xt, yt) = (x + 3.0, y - radius * per + 11.0);
            let _ = writeln!(
                out,
                "<text x=\"{xt:.1}\" y=\"{yt:.1}\" font-size=\"9\" fill=\"#777777\">{radius}</text>"
            );
        }
    }
}

fn points(curve: &[(f64, f64)], (x, y): (f64, f64), per: f64) -> String {
    let finite = curve.iter().filter(|p| p.0.is_finite() && p.1.is_finite());
    let at = finite.map(|&(angle, r)| {
        let (s, c) = angle.sin_cos();
        format!("{:.2},{:.2}", x + per * r * c, y - per * r * s)
    });
    at.collect::<Vec<_>>().join(" ")
}

fn stroke(curve: usize) -> String {
    format!("stroke=\"{}\" stroke-width=\"1.8\"", COLOURS[curve % COLOURS.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_of_radius_one_lies_on_the_unit_circle_and_bad_points_are_left_out() {
        let text = points(&[(0.0, 1.0), (0.0, f64::NAN), (0.5, 1.0)], (10.0, 20.0), 5.0);
        let read: Vec<Vec<f64>> =
            text.split(' ').map(|p| p.split(',').map(|v| v.parse().unwrap()).collect()).collect();
        assert_eq!(read.len(), 2);
        for p in read {
            assert!(((p[0] - 10.0).hypot(p[1] - 20.0) - 5.0).abs() < 0.02, "{p:?}");
        }
    }
}
