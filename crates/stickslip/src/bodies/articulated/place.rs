//! A tree at a configuration and time, with the contacts collected there and the storage of a step.

use super::contacts::Source;
use super::friction::LoadFrictionWork;
use super::motion::Moving;
use super::placement::{Placement, Sweep};
use super::tree::Link;
use crate::bodies::acting::Acting;
use crate::bodies::contact_pair::ContactLaws;
use crate::bodies::contacts::FoundContacts;
use crate::contact::Law;
use crate::model::{Candidate, DenseReactions};

/// A [`Tree`](super::Tree) at coordinates and a time: its candidates there, the rows collected, and what a step from or to there has
/// found so far.
#[derive(Debug, Default)]
pub struct TreePlace {
    /// The coordinates and the time of the candidates.
    pub(super) q: Vec<f64>,
    pub(super) t: f64,
    pub(super) work: Work,
    /// The candidates, where they come from, and their laws; contacts are the last of them.
    pub(super) candidates: Vec<Candidate>,
    pub(super) sources: Vec<Source>,
    pub(super) laws: Vec<Law>,
    pub(super) contact_laws: ContactLaws,
    pub(super) found: FoundContacts,
    /// Those that were collected: the columns of H, one after the other, those of M⁻¹ H, and ŵ.
    pub(super) collected: Vec<Source>,
    pub(super) rows: Vec<f64>,
    pub(super) responses: Vec<f64>,
    pub(super) drive: Vec<f64>,
    /// The velocities that a row has entries for.
    pub(super) moved: Vec<usize>,
    pub(super) loops: DenseReactions,
    /// Equations of loops less their rank, where these were last factorised.
    pub(super) redundancy: usize,
    /// The links at the end of a step.
    pub(super) ahead: Placement,
    pub(super) load_friction: LoadFrictionWork,
    pub(super) step: StepWork,
    pub(super) momenta: Momenta,
}

impl TreePlace {
    /// How often the velocity of the last step was iterated; see [`Model::free`](crate::model::Model::free).
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.step.iterations
    }

    /// Takes the links to where the candidates are; they have been there before, and were factorised.
    pub(super) fn put_back(&mut self, links: &[Link]) -> Result<(), crate::error::Error> {
        self.work.at.place(links, &self.q, self.t)
    }
}

/// Links at coordinates, in motion, and the sweeps over them.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) at: Placement,
    pub(super) moving: Moving,
    pub(super) sweep: Sweep,
    pub(super) acting: Acting,
}

impl Work {
    /// `out` = M⁻¹ `x`.
    pub(super) fn solve(&mut self, links: &[Link], x: &[f64], out: &mut [f64]) {
        self.at.solve(links, None, x, &mut self.sweep, out);
    }

    /// `out` = M `x`.
    pub(super) fn times_mass(&mut self, links: &[Link], x: &[f64], out: &mut [f64]) {
        self.at.inverse(links, None, x, &mut self.sweep, out);
    }
}

/// Of the velocity at the end of a step.
#[derive(Debug, Default)]
pub(super) struct StepWork {
    pub(super) middle: Vec<f64>,
    pub(super) mean: Vec<f64>,
    pub(super) rate: Vec<f64>,
    pub(super) iterations: usize,
}

/// Of the balance of momenta.
#[derive(Debug, Default)]
pub(super) struct Momenta {
    pub(super) change: Vec<f64>,
    pub(super) off: Vec<f64>,
    pub(super) after: Vec<f64>,
}
