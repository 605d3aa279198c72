//! A coloured grid: cells of one colour side by side are drawn as one box.

use super::axis::Scale;
use super::canvas::Canvas;
use super::render::{Area, PlotError, legend};
use super::{Map, PALETTE, Rgb, reduce};
use plotters::backend::DrawingBackend;

/// The most points of a curve over a map.
const CURVE_POINTS: usize = 4000;
/// Pixels by which boxes overlap.
const SEAM: f64 = 0.7;

pub(super) fn scales(map: &Map) -> (Scale, Scale) {
    let ends = |(low, high): (f64, f64)| [low, high].into_iter();
    let x = Scale::new(&map.x, ends(map.x_range), 0.0, 8);
    (x, Scale::new(&map.y, ends(map.y_range), 0.0, 8))
}

pub(super) fn draw<B: DrawingBackend>(
    canvas: &mut Canvas<'_, B>,
    area: Area,
    map: &Map,
    x: &Scale,
    y: &Scale,
) -> Result<(), PlotError> {
    let columns = map.columns.max(1);
    let rows = map.cells.len() / columns;
    let wide = (area.x1 - area.x0) / columns as f64;
    let high = (area.y1 - area.y0) / rows.max(1) as f64;
    for (r, row) in map.cells.chunks_exact(columns).enumerate() {
        let bottom = area.y1 - r as f64 * high;
        let mut from = 0;
        for run in row.chunk_by(|a, b| a == b) {
            let to = from + run.len();
            if let Some((_, colour)) = map.legend.get(run[0]) {
                let left = area.x0 + from as f64 * wide;
                // Boxes reach under the next ones, so that no seam shows where edges are smoothed.
                let right = (area.x0 + to as f64 * wide + SEAM).min(area.x1);
                let top = (bottom - high - SEAM).max(area.y0);
                canvas.fill((left, top), (right, bottom), *colour)?;
            }
            from = to;
        }
    }
    for curve in &map.curves {
        let place = |&(px, py): &(f64, f64)| {
            let across = area.x0 + x.share(px) * (area.x1 - area.x0);
            (across, area.y1 - y.share(py) * (area.y1 - area.y0))
        };
        let inside = |p: &(f64, f64)| {
            (area.x0..=area.x1).contains(&p.0) && (area.y0..=area.y1).contains(&p.1)
        };
        // A curve that leaves the box is broken there.
        let points: Vec<(f64, f64)> = curve.points.iter().map(place).collect();
        for part in points.split(|p| !inside(p)) {
            let part = reduce::path(part.iter().copied(), 0.3, CURVE_POINTS);
            canvas.line(&part, colour_of(curve.colour), 1.6)?;
        }
    }
    let cells = map.legend.iter().map(|(name, colour)| (name.as_str(), *colour));
    let curves = map.curves.iter().map(|c| (c.name.as_str(), colour_of(c.colour)));
    legend(canvas, area, &cells.chain(curves).collect::<Vec<_>>(), 4.0)?;
    Ok(())
}

fn colour_of(index: usize) -> Rgb {
    PALETTE[index % PALETTE.len()]
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Figure, Map, Panel, Series};

    #[test]
    fn runs_of_one_colour_are_one_box_and_unknown_cells_stay_white() {
        let map = |cells: Vec<usize>| Map {
            x: Axis::new("a", ""),
            y: Axis::new("b", ""),
            x_range: (0.0, 1.0),
            y_range: (0.0, 1.0),
            columns: 3,
            cells,
            legend: vec![("one".into(), (1, 2, 3)), ("two".into(), (4, 5, 6))],
            curves: vec![Series::path("edge", 6, vec![(0.0, 0.0), (0.5, 0.5), (2.0, 2.0)])],
        };
        let boxes = |cells| {
            let panels = vec![Panel::Map(map(cells))];
            let figure = Figure { title: "map".into(), columns: 1, panels };
            figure.to_svg().unwrap().matches("<rect").count()
        };
        let split = boxes(vec![0, 1, 0, 1, 1, 1]);
        assert_eq!(split, boxes(vec![0, 0, 0, 1, 1, 1]) + 2);
        assert_eq!(split, boxes(vec![0, 9, 0, 1, 1, 1]) + 1);
    }
}
