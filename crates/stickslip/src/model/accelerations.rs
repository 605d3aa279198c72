//! The equations of motion at a state, on the level of accelerations.

use crate::dynamics::{add_rows, gram_rows, row_products};

/// What models without these equations are refused for, in messages.
pub(crate) const LEVEL: &str = "the level of accelerations (which the integrator event_driven and the analysis of states need)";

/// What [`Model::accelerations`](super::Model::accelerations) says of a state and some candidates. Rows are those of the candidates'
/// components, one after the other, each with one number per velocity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accelerations {
    /// u̇ = M⁻¹ h: the accelerations if no candidate acts.
    pub free: Vec<f64>,
    /// The columns of H, row after row.
    pub directions: Vec<f64>,
    /// Those of M⁻¹ H.
    pub responses: Vec<f64>,
    /// ŵ: what of each relative velocity γ = Hᵀ u + ŵ does not come from u.
    pub drive: Vec<f64>,
    /// What is left of γ̇ at u̇ = 0: d/dt of γ along the motion is Hᵀ u̇ plus this, in co-moving frames.
    pub convective: Vec<f64>,
}

impl Accelerations {
    /// Makes room for this many velocities, and none for rows. What `free` holds is old.
    pub fn begin(&mut self, velocities: usize) {
        self.free.resize(velocities, 0.0);
        for rows in
            [&mut self.directions, &mut self.responses, &mut self.drive, &mut self.convective]
        {
            rows.clear();
        }
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.drive.len()
    }

    /// One row of H.
    #[must_use]
    pub fn direction(&self, row: usize) -> &[f64] {
        &self.directions[row * self.free.len()..(row + 1) * self.free.len()]
    }

    /// One row of M⁻¹ H.
    #[must_use]
    pub fn response(&self, row: usize) -> &[f64] {
        &self.responses[row * self.free.len()..(row + 1) * self.free.len()]
    }

    /// γ = Hᵀ u + ŵ.
    pub fn relative_velocity(&self, u: &[f64], gamma: &mut Vec<f64>) {
        gamma.resize(self.drive.len(), 0.0);
        row_products(&self.directions, u, &self.drive, gamma);
    }

    /// x += M⁻¹ H Λ.
    pub fn apply(&self, impulse: &[f64], x: &mut [f64]) {
        add_rows(&self.responses, impulse, x);
    }

    /// W = Hᵀ M⁻¹ H, row by row.
    pub fn delassus(&self, w: &mut [f64]) {
        gram_rows((self.free.len(), self.rows()), &self.directions, &self.responses, w);
    }
}
