//! What all plots share: sizes, colours, and the shapes of SVG as text.

use std::fmt::Write as _;

pub(super) const WIDTH: f64 = 790.0;
pub(super) const HEIGHT: f64 = 480.0;
pub(super) const LEFT: f64 = 80.0;
pub(super) const RIGHT: f64 = 260.0;
pub(super) const TOP: f64 = 48.0;
pub(super) const BOTTOM: f64 = 56.0;
/// Told apart by people who see fewer colours.
pub(super) const COLOURS: [&str; 9] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#222222", "#882255",
    "#999933",
];

/// The first lines of a picture: its size and its ground.
pub(super) fn begin(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width} {height:.0}\" font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    )
}

/// Title and names of the axes.
pub(super) fn words(out: &mut String, texts: [&str; 3]) {
    let middle = 0.5 * (LEFT + WIDTH - RIGHT);
    let (low, height) = (HEIGHT - 14.0, 0.5 * (TOP + HEIGHT - BOTTOM));
    let [title, x, y] = texts.map(escaped);
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"26\" font-size=\"16\" fill=\"#282828\">{title}</text>\n\
         <text x=\"{middle}\" y=\"{low}\" text-anchor=\"middle\">{x}</text>\n\
         <text transform=\"translate(20 {height}) rotate(-90)\" text-anchor=\"middle\">{y}</text>"
    );
}

pub(super) fn segment(out: &mut String, a: (f64, f64), b: (f64, f64), colour: &str) {
    let ((x1, y1), (x2, y2)) = (a, b);
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>"
    );
}

pub(super) fn polyline(out: &mut String, points: &[(f64, f64)], style: &str) {
    let text: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(out, "<polyline points=\"{}\" fill=\"none\" {style}/>", text.join(" "));
}

pub(super) fn dot(out: &mut String, (x, y): (f64, f64), colour: &str) {
    let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
}

pub(super) fn legend(out: &mut String, row: usize, name: &str, style: &str, colour: Option<&str>) {
    let (x, y) = (WIDTH - RIGHT + 14.0, TOP + 12.0 + 22.0 * row as f64);
    polyline(out, &[(x, y), (x + 26.0, y)], style);
    if let Some(colour) = colour {
        dot(out, (x + 13.0, y), colour);
    }
    let (x, y, name) = (x + 34.0, y + 4.0, escaped(name));
    let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\">{name}</text>");
}

/// Text in which nothing is taken for a tag.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
