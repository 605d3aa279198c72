//! One side of the box: the distances to its bounds and their multipliers.
//!
//! Notation: that of the method; gap is a or b, dual is x or y, `step` is dz.

use crate::tolerance::POLISH_TIGHT;

/// The distances to one kind of bound and their multipliers.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    /// +1 for lower bounds, −1 for upper ones: the sign of z in the distance.
    sign: f64,
    /// Whether unknown i has this bound.
    present: Vec<bool>,
    /// a or b.
    gap: Vec<f64>,
    /// x or y.
    pub(super) dual: Vec<f64>,
    d_dual: Vec<f64>,
    /// What the product of gap and dual must change by.
    target: Vec<f64>,
}

impl Side {
    pub(super) fn reset(&mut self, sign: f64, n: usize) {
        self.sign = sign;
        self.present.clear();
        self.present.resize(n, false);
        for v in [&mut self.gap, &mut self.dual, &mut self.d_dual, &mut self.target] {
            v.clear();
            v.resize(n, 0.0);
        }
    }

    pub(super) fn place(&mut self, i: usize, present: bool, gap: f64) {
        self.present[i] = present;
        self.gap[i] = gap;
    }

    /// The part of w that the bound takes: x, or −y.
    pub(super) fn force(&self, i: usize) -> f64 {
        if self.present[i] { self.sign * self.dual[i] } else { 0.0 }
    }

    /// Whether the multiplier is so much larger than the gap that the bound must hold.
    pub(super) fn is_tight(&self, i: usize) -> bool {
        self.present[i] && self.gap[i] < POLISH_TIGHT * self.dual[i]
    }

    /// dual / gap.
    pub(super) fn stiffness(&self, i: usize) -> f64 {
        if self.present[i] { self.dual[i] / self.gap[i] } else { 0.0 }
    }

    /// target / gap, with the sign of the force.
    pub(super) fn push(&self, i: usize) -> f64 {
        if self.present[i] { self.sign * self.target[i] / self.gap[i] } else { 0.0 }
    }

    /// Targets that move every product to `centre`.
    pub(super) fn aim(&mut self, centre: f64) {
        for i in 0..self.gap.len() {
            self.target[i] = centre - self.gap[i] * self.dual[i];
        }
    }

    /// As [`aim`](Self::aim), with the product of the predictor's steps taken off.
    pub(super) fn correct(&mut self, centre: f64, step: &[f64]) {
        for i in 0..self.gap.len() {
            let second_order = self.sign * step[i] * self.d_dual[i];
            self.target[i] = centre - self.gap[i] * self.dual[i] - second_order;
        }
    }

    pub(super) fn fill_d_dual(&mut self, step: &[f64]) {
        for i in 0..self.gap.len() {
            if self.present[i] {
                let along = self.dual[i] * self.sign * step[i];
                self.d_dual[i] = (self.target[i] - along) / self.gap[i];
            }
        }
    }

    pub(super) fn longest(&self, step: &[f64]) -> f64 {
        let mut t = f64::INFINITY;
        for i in 0..self.gap.len() {
            if self.present[i] {
                let d_gap = self.sign * step[i];
                for (v, d) in [(self.gap[i], d_gap), (self.dual[i], self.d_dual[i])] {
                    if d < 0.0 {
                        t = t.min(v / -d);
                    }
                }
            }
        }
        t
    }

    /// The sum of the products after a step, and how many there are.
    pub(super) fn product_after(&self, t: f64, step: &[f64]) -> (f64, usize) {
        let (mut sum, mut count) = (0.0, 0);
        for i in 0..self.gap.len() {
            if self.present[i] {
                let gap = self.gap[i] + t * self.sign * step[i];
                sum += gap * (self.dual[i] + t * self.d_dual[i]);
                count += 1;
            }
        }
        (sum, count)
    }

    pub(super) fn advance(&mut self, t: f64, step: &[f64]) {
        for i in 0..self.gap.len() {
            if self.present[i] {
                // Rounding must not put an iterate on the boundary.
                let floor = f64::MIN_POSITIVE;
                self.gap[i] = (self.gap[i] + t * self.sign * step[i]).max(floor);
                self.dual[i] = (self.dual[i] + t * self.d_dual[i]).max(floor);
            }
        }
    }
}
