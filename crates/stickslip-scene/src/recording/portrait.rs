//! Plots that a scene asks for: of two functions of what a run shows, and of its outputs over time.

use super::plot::{Axis, Curves, Figure, Panel, Series};
use crate::view::SampleFunction;
use stickslip::memory::{Archive, Archived, Unreadable};
use stickslip::run::Sample;

/// Beyond this many points every other one is dropped.
const MOST: usize = 32_768;

/// Points of a curve, of bounded number.
#[derive(Debug)]
pub(super) struct Points {
    points: Vec<(f64, f64)>,
    /// Samples per point, and samples seen.
    stride: usize,
    seen: usize,
}

impl Points {
    pub(super) fn new() -> Self {
        Self { points: Vec::new(), stride: 1, seen: 0 }
    }

    /// Takes a point, unless it is left out; one that is not finite leaves no trace.
    pub(super) fn push(&mut self, point: impl FnOnce() -> (f64, f64)) {
        if self.seen.is_multiple_of(self.stride) {
            if self.points.len() >= MOST {
                let mut keep = false;
                self.points.retain(|_| {
                    keep = !keep;
                    keep
                });
                self.stride *= 2;
            }
            let point = point();
            if point.0.is_finite() && point.1.is_finite() {
                self.points.push(point);
            }
        }
        self.seen += 1;
    }

    /// A panel with these points as its curve; none if there are none.
    pub(super) fn panel(&self, x: &Axis, y: &Axis, colour: usize) -> Option<Panel> {
        if self.points.is_empty() {
            return None;
        }
        let series = vec![Series::path("", colour, self.points.clone())];
        Some(Panel::Curves(Curves { x: x.clone(), y: y.clone(), series }))
    }
}

impl Archived for Points {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { points, stride, seen } = self;
        points.pass(archive)?;
        stride.pass(archive)?;
        // It is divided by.
        *stride = (*stride).max(1);
        seen.pass(archive)
    }
}

#[derive(Debug)]
pub(super) struct Portrait {
    title: String,
    x: (Axis, SampleFunction),
    y: (Axis, SampleFunction),
    pub(super) points: Points,
}

impl Portrait {
    pub(super) fn new(title: String, x: (Axis, SampleFunction), y: (Axis, SampleFunction)) -> Self {
        Self { title, x, y, points: Points::new() }
    }

    /// `forces` are those of all components of all contacts, `sensors` the values of all sensors.
    pub(super) fn push(&mut self, sample: &Sample<'_>, forces: &[f64], sensors: &[f64]) {
        let value = |axis: &SampleFunction| axis.value(sample, forces, sensors);
        self.points.push(|| (value(&self.x.1), value(&self.y.1)));
    }

    /// None if it would be empty.
    pub(super) fn figure(&self) -> Option<Figure> {
        let panel = self.points.panel(&self.x.0, &self.y.0, 0)?;
        Some(Figure { title: self.title.clone(), columns: 1, panels: vec![panel] })
    }
}
