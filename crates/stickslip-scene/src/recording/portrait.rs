//! A phase portrait of two functions of the state.

use super::plot::{Axis, Curves, Figure, Panel, Series};
use crate::view::StateFunction;
use stickslip::run::Sample;

/// Beyond this many points every other one is dropped.
const MOST: usize = 32_768;

#[derive(Debug)]
pub(super) struct Portrait {
    title: String,
    x: (Axis, StateFunction),
    y: (Axis, StateFunction),
    points: Vec<(f64, f64)>,
    /// Samples per point, and samples seen.
    stride: usize,
    seen: usize,
}

impl Portrait {
    pub(super) fn new(title: String, x: (Axis, StateFunction), y: (Axis, StateFunction)) -> Self {
        Self { title, x, y, points: Vec::new(), stride: 1, seen: 0 }
    }

    pub(super) fn push(&mut self, sample: &Sample<'_>) {
        if self.seen.is_multiple_of(self.stride) {
            if self.points.len() >= MOST {
                let mut keep = false;
                self.points.retain(|_| {
                    keep = !keep;
                    keep
                });
                self.stride *= 2;
            }
            let (q, u, t) = (sample.q, sample.u, sample.t);
            self.points.push((self.x.1.value(q, u, t), self.y.1.value(q, u, t)));
        }
        self.seen += 1;
    }

    pub(super) fn figure(&self) -> Figure {
        let series = vec![Series::path("", 0, self.points.clone())];
        let curves = Curves { x: self.x.0.clone(), y: self.y.0.clone(), series };
        Figure { title: self.title.clone(), columns: 1, panels: vec![Panel::Curves(curves)] }
    }
}
