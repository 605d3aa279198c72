//! From a figure to a picture: where everything stands, and in which order it is drawn.

use super::axis::Scale;
use super::canvas::{Align, Canvas, text_width};
use super::{Curves, Figure, Mark, PALETTE, Panel, Rgb, Strip, map, reduce};
use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};

/// A plot that cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct PlotError(pub(super) String);

impl PlotError {
    pub(super) fn of(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// Pixels per point: of a PNG file, and of the picture that is drawn first and then averaged.
const PNG_SCALE: u32 = 2;
const AVERAGED: u32 = 2;
/// A picture with more pixels than these, before they are averaged, has one pixel per point: memory is bounded.
const MOST_PIXELS: u32 = 40_000_000;
/// Coordinates of an SVG are whole numbers of this share of a point.
const SVG_SCALE: u32 = 5;

const INK: Rgb = (40, 40, 40);
const FRAME: Rgb = (150, 150, 150);
const GRID: Rgb = (232, 232, 232);
const PAPER: Rgb = (255, 255, 255);

const TITLE_HEIGHT: f64 = 40.0;
const LEGEND_HEIGHT: f64 = 22.0;
const TITLE_SIZE: f64 = 16.0;
const LABEL_SIZE: f64 = 12.0;
const ROW_HEIGHT: f64 = 46.0;

/// Points of all paths of one figure: an SVG of these has less than a megabyte.
const PATH_POINTS: usize = 40_000;
const DOT_POINTS: usize = 8_000;

impl Figure {
    /// The picture as SVG text.
    pub fn to_svg(&self) -> Result<String, PlotError> {
        let layout = Layout::of(self);
        let (w, h) = layout.size();
        let mut text = String::new();
        {
            let mut backend = SVGBackend::with_string(&mut text, (w * SVG_SCALE, h * SVG_SCALE));
            let scale = f64::from(SVG_SCALE);
            draw(self, &layout, &mut Canvas { backend: &mut backend, scale, pixels: false })?;
            backend.present().map_err(PlotError::of)?;
        }
        // Shown at the size of its points, whatever its coordinates; corners without spikes.
        let size = |w: u32, h: u32| format!("width=\"{w}\" height=\"{h}\"");
        let shown = format!("{} stroke-linejoin=\"round\"", size(w, h));
        Ok(text.replacen(&size(w * SVG_SCALE, h * SVG_SCALE), &shown, 1))
    }

    /// The picture as the bytes of a PNG file.
    pub fn to_png(&self) -> Result<Vec<u8>, PlotError> {
        let layout = Layout::of(self);
        let (w, h) = layout.size();
        let large = w * h * (PNG_SCALE * AVERAGED).pow(2) > MOST_PIXELS;
        let scale = if large { 1 } else { PNG_SCALE };
        let (w, h) = (w * scale, h * scale);
        let fine = (w * AVERAGED, h * AVERAGED);
        let mut pixels = vec![255; 3 * fine.0 as usize * fine.1 as usize];
        {
            let mut backend = BitMapBackend::with_buffer(&mut pixels, fine);
            let scale = f64::from(scale * AVERAGED);
            draw(self, &layout, &mut Canvas { backend: &mut backend, scale, pixels: true })?;
            backend.present().map_err(PlotError::of)?;
        }
        encode(&averaged(&pixels, w as usize, h as usize), w, h)
    }
}

fn encode(pixels: &[u8], w: u32, h: u32) -> Result<Vec<u8>, PlotError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, w, h);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(PlotError::of)?;
    writer.write_image_data(pixels).map_err(PlotError::of)?;
    writer.finish().map_err(PlotError::of)?;
    Ok(bytes)
}

/// The mean of each block of `AVERAGED` by `AVERAGED` pixels.
fn averaged(fine: &[u8], w: usize, h: usize) -> Vec<u8> {
    let n = AVERAGED as usize;
    let mut out = Vec::with_capacity(3 * w * h);
    for row in 0..h {
        for col in 0..w {
            for c in 0..3 {
                let mut sum = 0_usize;
                for y in 0..n {
                    for x in 0..n {
                        sum += usize::from(fine[3 * ((row * n + y) * w * n + col * n + x) + c]);
                    }
                }
                out.push((sum / (n * n)) as u8);
            }
        }
    }
    out
}

/// Where the panels stand, in points.
struct Layout {
    width: f64,
    height: f64,
    columns: usize,
    /// The height of each row of panels, axis labels included.
    rows: Vec<f64>,
    /// Whether only the lowest panel of a column has labels on its horizontal axis.
    shared: bool,
    /// Room for labels on the left of each panel.
    left: f64,
    scales: Vec<(Scale, Scale)>,
}

/// The box of a panel's data.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) x0: f64,
    pub(super) y0: f64,
    pub(super) x1: f64,
    pub(super) y1: f64,
}

impl Layout {
    fn of(figure: &Figure) -> Self {
        let columns = figure.columns.max(1);
        let wide = figure.panels.iter().all(|p| !is_portrait(p));
        let width = match (columns, wide) {
            (1, true) => 1000.0,
            (1, false) => 720.0,
            (2, _) => 1000.0,
            (n, true) => 480.0 * n as f64,
            (n, false) => 400.0 * n as f64,
        };
        let x_of = |p: &Panel| match p {
            Panel::Curves(c) => c.x.clone(),
            Panel::Strip(s) => s.x.clone(),
            Panel::Map(m) => m.x.clone(),
        };
        let same = figure.panels.windows(2).all(|w| x_of(&w[0]) == x_of(&w[1]));
        let shared = wide && same;
        let rows_of_panels: Vec<&[Panel]> = figure.panels.chunks(columns).collect();
        let height = |i: usize, row: &&[Panel]| {
            let tallest =
                row.iter().map(|p| body_height(p, rows_of_panels.len())).fold(0.0, f64::max);
            let legend = if row.iter().any(has_legend) { LEGEND_HEIGHT } else { 0.0 };
            let labels = !shared || i + 1 == rows_of_panels.len();
            tallest + legend + if labels { 58.0 } else { 16.0 }
        };
        let rows: Vec<f64> = rows_of_panels.iter().enumerate().map(|(i, r)| height(i, r)).collect();
        let scales: Vec<_> = figure.panels.iter().map(scales_of).collect();
        let widest = figure.panels.iter().zip(&scales).map(|(p, s)| label_width(p, &s.1));
        let left = 44.0 + widest.fold(0.0, f64::max);
        let height = TITLE_HEIGHT + rows.iter().sum::<f64>() + 6.0;
        Self { width, height, columns, rows, shared, left, scales }
    }

    fn size(&self) -> (u32, u32) {
        (self.width.ceil() as u32, self.height.ceil() as u32)
    }

    /// The data's box of panel `i`, and whether its horizontal axis has labels.
    fn area(&self, i: usize, panel: &Panel) -> (Area, bool) {
        let (row, col) = (i / self.columns, i % self.columns);
        let above: f64 = self.rows[..row].iter().sum();
        let labels = !self.shared || row + 1 == self.rows.len();
        let top = TITLE_HEIGHT + above;
        let legend = if has_legend(panel) { LEGEND_HEIGHT } else { 0.0 };
        let cell = self.width / self.columns as f64;
        let area = Area {
            x0: col as f64 * cell + self.left,
            y0: top + legend + 4.0,
            x1: (col + 1) as f64 * cell - 22.0,
            y1: top + self.rows[row] - if labels { 54.0 } else { 12.0 },
        };
        (area, labels)
    }
}

fn is_portrait(panel: &Panel) -> bool {
    match panel {
        Panel::Curves(c) => c.series.iter().any(|s| s.mark != Mark::Line),
        Panel::Strip(_) => false,
        Panel::Map(_) => true,
    }
}

fn has_legend(panel: &Panel) -> bool {
    match panel {
        Panel::Curves(c) => c.series.len() > 1,
        Panel::Strip(_) | Panel::Map(_) => true,
    }
}

fn body_height(panel: &Panel, rows: usize) -> f64 {
    match panel {
        Panel::Strip(strip) => ROW_HEIGHT * strip.rows.len().max(1) as f64,
        Panel::Map(_) if rows == 1 => 520.0,
        Panel::Map(_) => 400.0,
        Panel::Curves(_) if is_portrait(panel) => {
            if rows == 1 {
                400.0
            } else {
                300.0
            }
        }
        Panel::Curves(_) => match rows {
            1 => 380.0,
            2 => 240.0,
            _ => 150.0,
        },
    }
}

fn scales_of(panel: &Panel) -> (Scale, Scale) {
    match panel {
        Panel::Curves(c) => {
            let points = || c.series.iter().flat_map(|s| &s.points);
            let portrait = is_portrait(panel);
            let (margin, ticks) = if portrait { (0.1, 7) } else { (0.0, 10) };
            let x = Scale::new(&c.x, points().map(|p| p.0), margin, ticks);
            let y = Scale::new(&c.y, points().map(|p| p.1), 0.12, if portrait { 9 } else { 7 });
            (x, y)
        }
        Panel::Map(m) => map::scales(m),
        Panel::Strip(s) => {
            let bars = s.rows.iter().flat_map(|r| &r.bars);
            let x = Scale::new(&s.x, bars.flat_map(|b| [b.0, b.1]), 0.0, 10);
            let y = Scale::new(&s.x, [0.0, 1.0].into_iter(), 0.0, 1);
            (x, y)
        }
    }
}

fn label_width(panel: &Panel, y: &Scale) -> f64 {
    let width = |label: &str| text_width(label, LABEL_SIZE);
    match panel {
        Panel::Curves(_) | Panel::Map(_) => y.ticks.iter().map(|t| width(&t.1)).fold(0.0, f64::max),
        // Without an axis title beside them.
        Panel::Strip(s) => s.rows.iter().map(|r| width(&r.name) - 20.0).fold(0.0, f64::max),
    }
}

fn draw<B: DrawingBackend>(
    figure: &Figure,
    layout: &Layout,
    canvas: &mut Canvas<'_, B>,
) -> Result<(), PlotError> {
    canvas.fill((0.0, 0.0), (layout.width, layout.height), PAPER)?;
    let title_at = (0.5 * layout.width, 0.5 * TITLE_HEIGHT);
    canvas.text(&figure.title, title_at, TITLE_SIZE, Align::Centre, INK)?;
    let paths = figure.panels.len().max(1);
    for (i, (panel, (x, y))) in figure.panels.iter().zip(&layout.scales).enumerate() {
        let (area, labels) = layout.area(i, panel);
        match panel {
            Panel::Curves(curves) => {
                horizontal(canvas, area, x, labels, true)?;
                vertical(canvas, area, y, area.x0 - layout.left + 17.0)?;
                draw_curves(canvas, area, curves, x, y, paths)?;
                frame(canvas, area)?;
            }
            Panel::Map(cells) => {
                horizontal(canvas, area, x, labels, false)?;
                vertical(canvas, area, y, area.x0 - layout.left + 17.0)?;
                map::draw(canvas, area, cells, x, y)?;
                frame(canvas, area)?;
            }
            Panel::Strip(strip) => {
                draw_strip(canvas, area, strip, x)?;
                horizontal(canvas, area, x, labels, false)?;
                let base = [(area.x0, area.y1), (area.x1, area.y1)];
                canvas.line(&base, FRAME, 1.0)?;
            }
        }
    }
    Ok(())
}

fn frame<B: DrawingBackend>(canvas: &mut Canvas<'_, B>, a: Area) -> Result<(), PlotError> {
    let corners = [(a.x0, a.y0), (a.x1, a.y0), (a.x1, a.y1), (a.x0, a.y1), (a.x0, a.y0)];
    canvas.line(&corners, FRAME, 1.0)
}

fn horizontal<B: DrawingBackend>(
    canvas: &mut Canvas<'_, B>,
    area: Area,
    scale: &Scale,
    labels: bool,
    grid: bool,
) -> Result<(), PlotError> {
    for (value, label) in &scale.ticks {
        let x = area.x0 + scale.share_shown(*value) * (area.x1 - area.x0);
        if grid {
            canvas.line(&[(x, area.y0), (x, area.y1)], GRID, 0.8)?;
        }
        if labels {
            canvas.line(&[(x, area.y1), (x, area.y1 + 4.0)], FRAME, 1.0)?;
            canvas.text(label, (x, area.y1 + 14.0), LABEL_SIZE, Align::Centre, INK)?;
        }
    }
    if labels {
        let at = (0.5 * (area.x0 + area.x1), area.y1 + 34.0);
        canvas.text(&scale.title, at, LABEL_SIZE + 1.0, Align::Centre, INK)?;
    }
    Ok(())
}

fn vertical<B: DrawingBackend>(
    canvas: &mut Canvas<'_, B>,
    area: Area,
    scale: &Scale,
    title_x: f64,
) -> Result<(), PlotError> {
    for (value, label) in &scale.ticks {
        let y = area.y1 - scale.share_shown(*value) * (area.y1 - area.y0);
        let colour = if *value == 0.0 { FRAME } else { GRID };
        canvas.line(&[(area.x0, y), (area.x1, y)], colour, 0.8)?;
        canvas.line(&[(area.x0 - 4.0, y), (area.x0, y)], FRAME, 1.0)?;
        canvas.text(label, (area.x0 - 7.0, y), LABEL_SIZE, Align::Right, INK)?;
    }
    let at = (title_x, 0.5 * (area.y0 + area.y1));
    canvas.text_upwards(&scale.title, at, LABEL_SIZE + 1.0, INK)
}

fn draw_curves<B: DrawingBackend>(
    canvas: &mut Canvas<'_, B>,
    area: Area,
    curves: &Curves,
    x: &Scale,
    y: &Scale,
    panels: usize,
) -> Result<(), PlotError> {
    let share = panels * curves.series.len().max(1);
    let spots = || curves.series.iter().filter(|s| s.mark == Mark::Spots);
    let count: usize = spots().map(|s| s.points.len()).sum();
    // As if all spots filled a square.
    let spot = 0.38 * (area.y1 - area.y0) / (count.max(1) as f64).sqrt();
    for series in &curves.series {
        let radius = if series.mark == Mark::Spots { spot.clamp(0.9, 6.0) } else { 0.9 };
        let colour = PALETTE[series.colour % PALETTE.len()];
        let points = series.points.iter().filter(|p| p.0.is_finite() && p.1.is_finite());
        let points = points.map(|&(px, py)| {
            let across = area.x0 + x.share(px) * (area.x1 - area.x0);
            (across, area.y1 - y.share(py) * (area.y1 - area.y0))
        });
        match series.mark {
            Mark::Line => canvas.line(&reduce::columns(points), colour, 1.3)?,
            Mark::Path => {
                let path = reduce::path(points, 0.5, PATH_POINTS / share);
                canvas.line(&path, colour, 1.0)?;
            }
            Mark::Dots | Mark::Spots => {
                let cells = reduce::cells(points, 0.5);
                let dots = reduce::path(cells.into_iter(), 0.0, DOT_POINTS / share);
                for dot in dots {
                    canvas.dot(dot, radius, colour)?;
                }
            }
        }
    }
    if curves.series.len() > 1 {
        let entries =
            curves.series.iter().map(|s| (s.name.as_str(), PALETTE[s.colour % PALETTE.len()]));
        let half = if count > 0 { 4.0 } else { 1.0 };
        legend(canvas, area, &entries.collect::<Vec<_>>(), half)?;
    }
    Ok(())
}

/// Names with a swatch each, above the box and from its right end; returns where they begin.
pub(super) fn legend<B: DrawingBackend>(
    canvas: &mut Canvas<'_, B>,
    area: Area,
    entries: &[(&str, Rgb)],
    half: f64,
) -> Result<f64, PlotError> {
    let y = area.y0 - 0.5 * LEGEND_HEIGHT - 2.0;
    let mut x = area.x1;
    for (name, colour) in entries.iter().rev() {
        x -= text_width(name, LABEL_SIZE);
        canvas.text(name, (x, y), LABEL_SIZE, Align::Left, INK)?;
        x -= 24.0;
        canvas.fill((x, y - half), (x + 18.0, y + half), *colour)?;
        x -= 16.0;
    }
    Ok(x)
}

fn draw_strip<B: DrawingBackend>(
    canvas: &mut Canvas<'_, B>,
    area: Area,
    strip: &Strip,
    x: &Scale,
) -> Result<(), PlotError> {
    let height = (area.y1 - area.y0) / strip.rows.len().max(1) as f64;
    let across = |v: f64| area.x0 + x.share(v).clamp(0.0, 1.0) * (area.x1 - area.x0);
    for (i, row) in strip.rows.iter().enumerate() {
        let top = area.y0 + i as f64 * height;
        let (bar_top, bar_bottom) = (top + 0.32 * height, top + 0.84 * height);
        // Short bars are drawn last and never thinner than a line, so that none is lost.
        let short = |bar: &&(f64, f64, Rgb)| across(bar.1) - across(bar.0) < 1.0;
        for &(from, to, colour) in row.bars.iter().filter(|b| !short(b)) {
            canvas.fill((across(from), bar_top), (across(to), bar_bottom), colour)?;
        }
        for &(from, to, colour) in row.bars.iter().filter(short) {
            let middle = 0.5 * (across(from) + across(to));
            canvas.fill((middle - 0.5, bar_top), (middle + 0.5, bar_bottom), colour)?;
        }
        for &tick in &row.ticks {
            let at = across(tick);
            canvas.line(&[(at, top + 0.08 * height), (at, bar_top - 2.0)], INK, 1.0)?;
        }
        let middle = 0.5 * (bar_top + bar_bottom);
        canvas.text(&row.name, (area.x0 - 10.0, middle), LABEL_SIZE + 1.0, Align::Right, INK)?;
    }
    let entries: Vec<(&str, Rgb)> = strip.legend.iter().map(|(n, c)| (n.as_str(), *c)).collect();
    let begin = legend(canvas, area, &entries, 5.0)?;
    let y = area.y0 - 0.5 * LEGEND_HEIGHT - 2.0;
    let x = begin - text_width(&strip.tick, LABEL_SIZE);
    canvas.text(&strip.tick, (x, y), LABEL_SIZE, Align::Left, INK)?;
    canvas.line(&[(x - 8.0, y - 5.0), (x - 8.0, y + 5.0)], INK, 1.0)
}
