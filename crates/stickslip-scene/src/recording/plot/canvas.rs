//! Lines, boxes and text on a picture, in points of the picture whatever the number of pixels.

use super::Rgb;
use super::render::PlotError;
use plotters::backend::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, FontTransform, RGBColor, TextStyle, register_font};
use std::sync::OnceLock;

/// How an SVG names its font: the first that the viewer's machine has. The same name is registered for
/// pixels, with the font that is built in.
const FONT: &str = "DejaVu Sans, Verdana, Arial, sans-serif";

/// plotters takes the height of a line for the size of a font.
const LINE_HEIGHT: f64 = 1.24;

/// A picture that is being drawn.
pub(super) struct Canvas<'a, B: DrawingBackend> {
    pub(super) backend: &'a mut B,
    /// Pixels per point.
    pub(super) scale: f64,
    /// Whether lines are filled pixel by pixel here, because the backend has no joints.
    pub(super) pixels: bool,
}

/// Where a text stands beside its point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Centre,
    Right,
}

impl<B: DrawingBackend> Canvas<'_, B> {
    fn px(&self, (x, y): (f64, f64)) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    /// A line through points, with round ends.
    pub(super) fn line(
        &mut self,
        points: &[(f64, f64)],
        colour: Rgb,
        width: f64,
    ) -> Result<(), PlotError> {
        let width = (width * self.scale).max(1.0);
        if self.pixels {
            for pair in points.windows(2) {
                self.stroke(pair[0], pair[1], 0.5 * width, colour)?;
            }
            return Ok(());
        }
        let style = rgb(colour).stroke_width(width.round() as u32);
        let pixels: Vec<_> = points.iter().map(|&p| self.px(p)).collect();
        self.backend.draw_path(pixels, &style).map_err(PlotError::of)
    }

    /// Every pixel within `radius` of a segment.
    fn stroke(
        &mut self,
        a: (f64, f64),
        b: (f64, f64),
        radius: f64,
        colour: Rgb,
    ) -> Result<(), PlotError> {
        let s = self.scale;
        let ((x0, y0), (x1, y1)) = ((a.0 * s, a.1 * s), (b.0 * s, b.1 * s));
        let (dx, dy) = (x1 - x0, y1 - y0);
        let length2 = dx * dx + dy * dy;
        let (w, h) = self.backend.get_size();
        let ink = rgb(colour).to_backend_color();
        let rows = clip(y0.min(y1) - radius, y0.max(y1) + radius, h);
        for row in rows {
            let y = f64::from(row);
            // The part of the segment that this row can touch.
            let (mut low, mut high) = (x0.min(x1), x0.max(x1));
            if dy.abs() > 1e-9 {
                let at = |y: f64| x0 + ((y - y0) / dy).clamp(0.0, 1.0) * dx;
                let (p, q) = (at(y - radius), at(y + radius));
                (low, high) = (p.min(q), p.max(q));
            }
            for col in clip(low - radius, high + radius, w) {
                let (px, py) = (f64::from(col) - x0, y - y0);
                let share = if length2 > 0.0 { (px * dx + py * dy) / length2 } else { 0.0 };
                let share = share.clamp(0.0, 1.0);
                let (ex, ey) = (px - share * dx, py - share * dy);
                if ex * ex + ey * ey <= radius * radius {
                    self.backend.draw_pixel((col, row), ink).map_err(PlotError::of)?;
                }
            }
        }
        Ok(())
    }

    /// A filled box between two corners.
    pub(super) fn fill(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        colour: Rgb,
    ) -> Result<(), PlotError> {
        let (a, mut b) = (self.px(from), self.px(to));
        // At least one pixel.
        b = (b.0.max(a.0 + 1), b.1.max(a.1 + 1));
        self.backend.draw_rect(a, b, &rgb(colour), true).map_err(PlotError::of)
    }

    /// A filled circle.
    pub(super) fn dot(
        &mut self,
        centre: (f64, f64),
        radius: f64,
        colour: Rgb,
    ) -> Result<(), PlotError> {
        let (at, radius) = (self.px(centre), (radius * self.scale).round().max(1.0) as u32);
        self.backend.draw_circle(at, radius, &rgb(colour), true).map_err(PlotError::of)
    }

    /// A text whose middle line goes through the point.
    pub(super) fn text(
        &mut self,
        text: &str,
        at: (f64, f64),
        size: f64,
        align: Align,
        colour: Rgb,
    ) -> Result<(), PlotError> {
        self.write(text, at, size, align, colour, false)
    }

    /// A text from bottom to top, centred on the point.
    pub(super) fn text_upwards(
        &mut self,
        text: &str,
        at: (f64, f64),
        size: f64,
        colour: Rgb,
    ) -> Result<(), PlotError> {
        self.write(text, at, size, Align::Centre, colour, true)
    }

    fn write(
        &mut self,
        text: &str,
        at: (f64, f64),
        size: f64,
        align: Align,
        colour: Rgb,
        upwards: bool,
    ) -> Result<(), PlotError> {
        font()?;
        let h = match align {
            Align::Left => HPos::Left,
            Align::Centre => HPos::Center,
            Align::Right => HPos::Right,
        };
        let colour = rgb(colour);
        let style = TextStyle::from((FONT, size * LINE_HEIGHT * self.scale))
            .color(&colour)
            .pos(Pos::new(h, VPos::Center))
            .transform(if upwards { FontTransform::Rotate270 } else { FontTransform::None });
        let mut at = self.px(at);
        if self.pixels {
            // The pixels' middle of a line lies above that of its letters.
            let down = (0.2 * size * self.scale).round() as i32;
            if upwards { at.0 += down } else { at.1 += down }
        }
        self.backend.draw_text(text, &style, at).map_err(PlotError::of)
    }
}

/// The width of a text, in points.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    // DejaVu Sans: a digit is 0.64 em wide, and few characters are wider.
    0.64 * size * text.chars().count() as f64
}

fn rgb(colour: Rgb) -> RGBColor {
    RGBColor(colour.0, colour.1, colour.2)
}

/// Whole numbers between two ends and inside of a picture.
fn clip(low: f64, high: f64, size: u32) -> std::ops::RangeInclusive<i32> {
    let last = i32::try_from(size).unwrap_or(i32::MAX) - 1;
    (low.ceil().max(0.0) as i32)..=(high.floor().min(f64::from(last)) as i32)
}

/// Registers the font that is built in, once.
fn font() -> Result<(), PlotError> {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    let registered = *REGISTERED
        .get_or_init(|| register_font(FONT, FontStyle::Normal, dejavu::sans::regular()).is_ok());
    if registered { Ok(()) } else { Err(PlotError("the font cannot be read".to_owned())) }
}
