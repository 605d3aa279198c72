//! Plots as data, drawn to SVG and PNG without any font or library of the machine.
//!
//! ```
//! use stickslip_scene::recording::plot::{Axis, Curves, Figure, Panel, Series};
//!
//! let points = (0..1000).map(|i| (i as f64 * 0.01, (i as f64 * 0.01).sin())).collect();
//! let panel = Panel::Curves(Curves {
//!     x: Axis::new("t", "s"),
//!     y: Axis::new("x", "m"),
//!     series: vec![Series::line("x", 0, points)],
//! });
//! let figure = Figure { title: "a sine".into(), columns: 1, panels: vec![panel] };
//! assert!(figure.to_svg()?.starts_with("<svg"));
//! assert_eq!(&figure.to_png()?[1..4], b"PNG");
//! # Ok::<(), stickslip_scene::recording::plot::PlotError>(())
//! ```

mod axis;
mod canvas;
mod map;
mod reduce;
mod render;
mod run;

pub use render::PlotError;
pub(crate) use run::{FIGURES, RunPlots};

/// A picture: panels in a grid, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The line above all panels.
    pub title: String,
    /// Panels side by side; 0 counts as 1.
    pub columns: usize,
    /// The panels.
    pub panels: Vec<Panel>,
}

/// One panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Panel {
    /// Curves or dots in a coordinate system.
    Curves(Curves),
    /// Coloured bars along an axis.
    Strip(Strip),
    /// A coloured grid over two axes.
    Map(Map),
}

/// Curves in one coordinate system. A legend is drawn if there is more than one.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves, the first at the bottom.
    pub series: Vec<Series>,
}

/// The name and unit of an axis. Numbers too large or too small to read are shown with a prefix of the
/// unit (mm, kJ) or a power of ten.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is shown.
    pub name: String,
    /// In which unit; empty for none.
    pub unit: String,
}

impl Axis {
    /// An axis.
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { name: name.into(), unit: unit.into() }
    }
}

/// A curve. Points that are not finite are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its colour: an index into a palette that also colour-blind people can read.
    pub colour: usize,
    /// How it is drawn.
    pub mark: Mark,
    /// The points.
    pub points: Vec<(f64, f64)>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line over x that grows: of every pixel column the extremes are drawn.
    Line,
    /// A line that may turn back.
    Path,
    /// Dots, one per pixel.
    Dots,
    /// Spots on a grid, so large that they nearly touch.
    Spots,
}

impl Series {
    /// A line over growing x.
    pub fn line(name: impl Into<String>, colour: usize, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), colour, mark: Mark::Line, points }
    }

    /// A line that may turn back, as in a phase portrait.
    pub fn path(name: impl Into<String>, colour: usize, points: Vec<(f64, f64)>) -> Self {
        Self { mark: Mark::Path, ..Self::line(name, colour, points) }
    }

    /// Dots.
    pub fn dots(name: impl Into<String>, colour: usize, points: Vec<(f64, f64)>) -> Self {
        Self { mark: Mark::Dots, ..Self::line(name, colour, points) }
    }

    /// Spots on a grid.
    pub fn spots(name: impl Into<String>, colour: usize, points: Vec<(f64, f64)>) -> Self {
        Self { mark: Mark::Spots, ..Self::line(name, colour, points) }
    }
}

/// A grid of coloured cells over two axes, with curves over it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The ends of the horizontal axis: the outer edges of the first and last column.
    pub x_range: (f64, f64),
    /// The ends of the vertical axis: the lower edge of the first row and the upper edge of the last.
    pub y_range: (f64, f64),
    /// The number of columns.
    pub columns: usize,
    /// Of each cell an index into the legend, row by row from below, each row from the left; cells that the legend does not
    /// have are left white.
    pub cells: Vec<usize>,
    /// What the colours mean: (name, colour).
    pub legend: Vec<(String, Rgb)>,
    /// Curves drawn over the cells, each with its name in the legend.
    pub curves: Vec<Series>,
}

/// Bars along an axis, in rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// The horizontal axis.
    pub x: Axis,
    /// The rows, from the top.
    pub rows: Vec<Row>,
    /// What the colours mean: (name, colour).
    pub legend: Vec<(String, Rgb)>,
    /// What the ticks above a row mean.
    pub tick: String,
}

/// A row of a strip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Bars: from, to, colour.
    pub bars: Vec<(f64, f64, Rgb)>,
    /// Ticks above the row.
    pub ticks: Vec<f64>,
}

/// A colour: red, green, blue.
pub type Rgb = (u8, u8, u8);

/// The palette of Okabe and Ito, without its yellow and with two greys.
pub(crate) const PALETTE: [Rgb; 8] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (60, 60, 60),
    (205, 205, 205),
];
