//! Fewer points for the same picture. Points are (x, y) in pixels.

/// Of every column of width 1 the first, least, largest and last point: at most four per column,
/// and the picture of a line over growing x is the same.
pub(super) fn columns(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    let mut column: Option<Column> = None;
    for (x, y) in points {
        match &mut column {
            Some(c) if c.index == x.floor() => c.take(x, y),
            _ => {
                column.take().into_iter().for_each(|c| c.flush(&mut kept));
                column = Some(Column::new(x, y));
            }
        }
    }
    column.into_iter().for_each(|c| c.flush(&mut kept));
    kept
}

struct Column {
    index: f64,
    count: usize,
    first: (f64, f64),
    last: (f64, f64),
    /// With its place in the order of points.
    least: (usize, (f64, f64)),
    largest: (usize, (f64, f64)),
}

impl Column {
    fn new(x: f64, y: f64) -> Self {
        let p = (x, y);
        Self { index: x.floor(), count: 1, first: p, last: p, least: (0, p), largest: (0, p) }
    }

    fn take(&mut self, x: f64, y: f64) {
        if y < self.least.1.1 {
            self.least = (self.count, (x, y));
        }
        if y > self.largest.1.1 {
            self.largest = (self.count, (x, y));
        }
        self.last = (x, y);
        self.count += 1;
    }

    fn flush(self, kept: &mut Vec<(f64, f64)>) {
        let (one, other) = if self.least.0 <= self.largest.0 {
            (self.least.1, self.largest.1)
        } else {
            (self.largest.1, self.least.1)
        };
        for p in [self.first, one, other, self.last] {
            if kept.last() != Some(&p) {
                kept.push(p);
            }
        }
    }
}

/// A path without points that lie within `distance` of the last one kept, and with at most `most`
/// points: beyond that they are thinned evenly.
pub(super) fn path(
    points: impl Iterator<Item = (f64, f64)>,
    distance: f64,
    most: usize,
) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let mut end = None;
    for p in points {
        let far = kept.last().is_none_or(|k| (p.0 - k.0).hypot(p.1 - k.1) >= distance);
        if far {
            kept.push(p);
        }
        end = if far { None } else { Some(p) };
    }
    kept.extend(end);
    let stride = kept.len().div_ceil(most.max(2)).max(1);
    let last = kept.len().saturating_sub(1);
    let thin = kept.iter().enumerate().filter(|(i, _)| i % stride == 0 || *i == last);
    if stride == 1 { kept } else { thin.map(|(_, p)| *p).collect() }
}

/// One point per cell of this width.
pub(super) fn cells(points: impl Iterator<Item = (f64, f64)>, width: f64) -> Vec<(f64, f64)> {
    let mut kept: Vec<(i64, i64)> =
        points.map(|(x, y)| ((x / width).round() as i64, (y / width).round() as i64)).collect();
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|(x, y)| (x as f64 * width, y as f64 * width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_points_leave_four_per_column_and_every_extreme() {
        let y = |i: usize| if i == 345_678 { 99.0 } else { (i % 17) as f64 };
        let kept = columns((0..1_000_000).map(|i| (i as f64 / 1000.0, y(i))));
        assert!(kept.len() <= 4000 && kept.len() > 2000);
        assert_eq!(kept.iter().filter(|p| p.1 == 99.0).count(), 1);
        assert!(kept.windows(2).all(|w| w[0].0 <= w[1].0));
        assert_eq!((kept[0].0, kept[kept.len() - 1].0), (0.0, 999.999));
    }

    #[test]
    fn a_path_keeps_its_ends_and_its_limit() {
        let mut circle = (0..100_001).map(|i| {
            let a = i as f64 * 1e-3;
            (100.0 * a.cos(), 100.0 * a.sin())
        });
        let kept = path(circle.clone(), 0.5, 2000);
        assert!(kept.len() <= 2001 && kept.len() > 900, "{}", kept.len());
        assert_eq!((kept[0], kept.last().copied()), ((100.0, 0.0), circle.next_back()));
        assert!(path(std::iter::empty(), 1.0, 5).is_empty());
    }

    #[test]
    fn dots_on_the_same_spot_are_drawn_once() {
        let dots = cells((0..1000).map(|i| ((i % 10) as f64, 0.1)), 0.5);
        assert_eq!(dots.len(), 10);
    }
}
