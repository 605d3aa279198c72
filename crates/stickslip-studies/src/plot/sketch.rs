//! Sketches of bodies, walls, contacts and forces, in panels side by side, as SVG.

use super::svg::{begin, escaped};
use std::fmt::Write as _;

/// The width of a panel, and the margins around what is drawn.
const PANEL: f64 = 300.0;
const MARGIN: f64 = 14.0;
const TOP: f64 = 44.0;
const HEADING: f64 = 26.0;
const LINE: f64 = 16.0;
/// Between the strokes of a hatched wall.
const HATCH: f64 = 9.0;
/// Arrows shorter than this are left out.
const LEAST: f64 = 2.0;

/// A point of the plane, in the units of the picture's window.
pub type Point = (f64, f64);

/// What an arrow stands for, told apart by colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// A force of a contact.
    Force,
    /// A load that is given.
    Load,
    /// A velocity or an acceleration.
    Motion,
}

impl Ink {
    fn colour(self) -> &'static str {
        match self {
            Self::Force => "#d55e00",
            Self::Load => "#555555",
            Self::Motion => "#0072b2",
        }
    }
}

/// One thing in a panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A body: a closed polygon.
    Body(Vec<Point>),
    /// A fixed wall along a line; it is hatched on the right of the way from the first point to the last.
    Wall(Vec<Point>),
    /// Where bodies touch.
    Contact(Point),
    /// A cone of friction: its tip, the direction of its axis in radians, half its angle, its length.
    Cone(Point, f64, f64, f64),
    /// From a point along a vector.
    Arrow(Ink, Point, Point),
    /// The graph of a map, or a rod: a thick line.
    Line(Vec<Point>),
    /// A dashed line.
    Dashed(Point, Point),
    /// Words centred at a point.
    Words(Point, String),
}

/// One panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Above the panel.
    pub title: String,
    /// In the order in which they are drawn.
    pub shapes: Vec<Shape>,
    /// Lines below the panel.
    pub notes: Vec<String>,
}

/// Panels side by side that show the same window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sketch {
    /// Above everything.
    pub title: String,
    /// The lower left and the upper right corner of every panel.
    pub window: (Point, Point),
    /// Panels in a row.
    pub columns: usize,
    /// The panels.
    pub views: Vec<View>,
}

impl Sketch {
    /// The picture as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        let columns = self.columns.clamp(1, self.views.len().max(1));
        let lines = self.views.iter().map(|v| v.notes.len()).max().unwrap_or(0);
        let row = HEADING + self.high() + LINE * lines as f64 + 18.0;
        let rows = self.views.len().div_ceil(columns);
        let (width, height) = (PANEL * columns as f64, TOP + row * rows as f64);
        let title = escaped(&self.title);
        let mut out = begin(width, height);
        let _ = writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"27\" font-size=\"16\" fill=\"#282828\">{title}</text>"
        );
        for (i, view) in self.views.iter().enumerate() {
            let x = (i % columns) as f64 * PANEL;
            let y = TOP + (i / columns) as f64 * row;
            self.view(&mut out, view, (x, y), i);
        }
        out.push_str("</svg>\n");
        out
    }

    /// Pixels per unit.
    fn scale(&self) -> f64 {
        let wide = self.window.1.0 - self.window.0.0;
        if wide > 0.0 { (PANEL - 2.0 * MARGIN) / wide } else { 1.0 }
    }

    fn high(&self) -> f64 {
        (self.window.1.1 - self.window.0.1).max(0.0) * self.scale()
    }

    fn view(&self, out: &mut String, view: &View, (left, top): Point, index: usize) {
        let (scale, high) = (self.scale(), self.high());
        let (x0, y0) = (left + MARGIN, top + HEADING);
        let place = |p: &Point| {
            let x = x0 + (p.0 - self.window.0.0) * scale;
            (x, y0 + (self.window.1.1 - p.1) * scale)
        };
        let wide = PANEL - 2.0 * MARGIN;
        let _ = writeln!(
            out,
            "<text x=\"{x0}\" y=\"{:.1}\" font-size=\"13\" font-weight=\"bold\" fill=\"#282828\">{}</text>\n\
             <clipPath id=\"v{index}\"><rect x=\"{x0}\" y=\"{y0}\" width=\"{wide}\" height=\"{high:.1}\"/></clipPath>\n\
             <g clip-path=\"url(#v{index})\">",
            top + 16.0,
            escaped(&view.title)
        );
        for shape in &view.shapes {
            draw(out, shape, &place, scale);
        }
        out.push_str("</g>\n");
        for (i, note) in view.notes.iter().enumerate() {
            let y = y0 + high + LINE * (i + 1) as f64;
            let text = escaped(note);
            let _ = writeln!(out, "<text x=\"{x0}\" y=\"{y:.1}\" fill=\"#282828\">{text}</text>");
        }
    }
}

fn draw(out: &mut String, shape: &Shape, place: &dyn Fn(&Point) -> Point, scale: f64) {
    let _ = match shape {
        Shape::Body(corners) => {
            let points = corners.iter().map(|p| text(place(p))).collect::<Vec<_>>().join(" ");
            writeln!(
                out,
                "<polygon points=\"{points}\" fill=\"#dbe9f4\" stroke=\"#31617f\" stroke-width=\"1.5\"/>"
            )
        }
        Shape::Wall(points) => {
            wall(out, &points.iter().map(place).collect::<Vec<_>>());
            Ok(())
        }
        Shape::Contact(p) => {
            let (x, y) = place(p);
            writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" fill=\"#282828\"/>")
        }
        Shape::Cone(tip, axis, half, length) => {
            let end = |angle: f64| {
                let (s, c) = angle.sin_cos();
                text(place(&(tip.0 + length * c, tip.1 + length * s)))
            };
            let tip = text(place(tip));
            writeln!(
                out,
                "<polygon points=\"{tip} {} {}\" fill=\"#009e73\" fill-opacity=\"0.18\" stroke=\"#009e73\" stroke-width=\"0.8\"/>",
                end(axis - half),
                end(axis + half)
            )
        }
        Shape::Arrow(ink, from, along) => {
            let to = (from.0 + along.0, from.1 + along.1);
            if along.0.hypot(along.1) * scale >= LEAST {
                arrow(out, place(from), place(&to), ink.colour());
            }
            Ok(())
        }
        Shape::Line(points) => {
            let points = points.iter().map(|p| text(place(p))).collect::<Vec<_>>().join(" ");
            writeln!(
                out,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"#d55e00\" stroke-width=\"2.6\"/>"
            )
        }
        Shape::Dashed(from, to) => {
            let ((x1, y1), (x2, y2)) = (place(from), place(to));
            writeln!(
                out,
                "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#777777\" stroke-dasharray=\"5 4\"/>"
            )
        }
        Shape::Words(p, words) => {
            let (x, y) = place(p);
            writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#282828\">{}</text>",
                y + 4.0,
                escaped(words)
            )
        }
    };
}

/// A line with strokes on its right, by pixels, where y points down.
fn wall(out: &mut String, points: &[Point]) {
    let line = points.iter().map(|&p| text(p)).collect::<Vec<_>>().join(" ");
    let _ = writeln!(
        out,
        "<polyline points=\"{line}\" fill=\"none\" stroke=\"#282828\" stroke-width=\"1.8\"/>"
    );
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy);
        let strokes = (length / HATCH).min(1000.0) as usize;
        let (tx, ty) = (dx / length, dy / length);
        for i in 0..strokes {
            let s = HATCH * (i as f64 + 0.5);
            let (x, y) = (a.0 + s * tx, a.1 + s * ty);
            // Right of the way, with y down, and a little backwards.
            let (ex, ey) = (x + HATCH * (-ty - 0.7 * tx), y + HATCH * (tx - 0.7 * ty));
            let _ = writeln!(
                out,
                "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{ex:.1}\" y2=\"{ey:.1}\" stroke=\"#282828\" stroke-width=\"0.8\"/>"
            );
        }
    }
}

fn arrow(out: &mut String, from: Point, to: Point, colour: &str) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    let (tx, ty) = (dx / length, dy / length);
    let head = (0.45 * length).min(9.0);
    let neck = (to.0 - head * tx, to.1 - head * ty);
    let side = |s: f64| text((neck.0 - s * 0.42 * head * ty, neck.1 + s * 0.42 * head * tx));
    let _ = writeln!(
        out,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" stroke-width=\"2.2\"/>\n\
         <polygon points=\"{} {} {}\" fill=\"{colour}\"/>",
        from.0,
        from.1,
        neck.0,
        neck.1,
        text(to),
        side(1.0),
        side(-1.0)
    );
}

fn text((x, y): Point) -> String {
    format!("{x:.1},{y:.1}")
}

/// The corners of a rectangle around a centre, turned by an angle.
pub fn rectangle(centre: Point, width: f64, height: f64, angle: f64) -> Vec<Point> {
    let (s, c) = angle.sin_cos();
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
    corners
        .map(|(a, b)| (a * width, b * height))
        .map(|(x, y)| (centre.0 + c * x - s * y, centre.1 + s * x + c * y))
        .to_vec()
}

/// An ellipse as a polygon.
pub fn ellipse(centre: Point, a: f64, b: f64) -> Vec<Point> {
    (0..72)
        .map(|i| f64::from(i) * std::f64::consts::TAU / 72.0)
        .map(|t| (centre.0 + a * t.cos(), centre.1 + b * t.sin()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(shape: Shape) -> String {
        let view = View { title: "a < b".into(), shapes: vec![shape], notes: vec!["n".into()] };
        let window = ((-1.0, -1.0), (1.0, 1.0));
        Sketch { title: "t".into(), window, columns: 1, views: vec![view] }.to_svg()
    }

    #[test]
    fn the_window_fills_the_panel_and_y_points_up() {
        let svg = one(Shape::Contact((1.0, 1.0)));
        let (x, y) = (PANEL - MARGIN, TOP + HEADING);
        assert!(svg.contains(&format!("cx=\"{x:.1}\" cy=\"{y:.1}\"")), "{svg}");
        assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn arrows_too_short_to_see_are_left_out() {
        assert!(!one(Shape::Arrow(Ink::Force, (0.0, 0.0), (1e-9, 0.0))).contains("<line"));
        assert!(one(Shape::Arrow(Ink::Force, (0.0, 0.0), (0.5, 0.0))).contains("<line"));
    }

    #[test]
    fn walls_are_hatched_on_their_right() {
        // From left to right: the ground is below, where y is larger.
        let svg = one(Shape::Wall(vec![(-1.0, 0.0), (1.0, 0.0)]));
        let level = TOP + HEADING + 0.5 * (PANEL - 2.0 * MARGIN);
        let stroke = svg.lines().find(|l| l.starts_with("<line")).unwrap();
        let y2 = stroke.split("y2=\"").nth(1).unwrap().split('"').next().unwrap();
        assert!(y2.parse::<f64>().unwrap() > level, "{stroke}");
    }
}
