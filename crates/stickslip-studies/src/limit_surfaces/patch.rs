//! A rigid body that stands on one patch of contact.

use super::GRAVITY;
use crate::Error;
use complementarity::Matrix;
use stickslip::contact::solve::{ContactSolution, ContactSolver, Settings};
use stickslip::contact::{ContactProblem, Law};
use stickslip::level::{Level, Snapshot};

/// A body on one patch, which cannot tip over: velocities are those of the centre of mass, z, x, y, and the turn about
/// the vertical.
#[derive(Clone, Debug)]
pub struct Patch {
    /// kg.
    pub mass: f64,
    /// About the vertical through the centre of mass, kg m².
    pub inertia: f64,
    /// The middle of the patch seen from the centre of mass, m. Not zero: sliding and spinning are coupled by W.
    pub middle: [f64; 2],
    /// The law of the patch: N, T, O, R.
    pub law: Law,
}

impl Patch {
    /// The body under its weight, a pull (x, y, z) at the middle of the patch and a twist, with a velocity.
    pub fn snapshot(
        &self,
        pull: [f64; 3],
        twist: f64,
        velocity: [f64; 4],
    ) -> Result<Snapshot, stickslip::Error> {
        let masses = [self.mass, self.mass, self.mass, self.inertia];
        let mass = Matrix::from_fn(4, 4, |i, j| if i == j { masses[i] } else { 0.0 });
        let [x, y] = self.middle;
        let directions = Matrix::from_rows(&[
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
            [0.0, -y, x, 1.0],
        ])?;
        let moment = twist + x * pull[1] - y * pull[0];
        let forces = vec![pull[2] - self.mass * GRAVITY, pull[0], pull[1], moment];
        Snapshot::new(mass, directions, forces, velocity.to_vec())
    }

    /// The normal force under a pull.
    pub fn normal_force(&self, pull: [f64; 3]) -> f64 {
        self.mass * GRAVITY - pull[2]
    }
}

/// A solver whose answers are certified or refused.
#[derive(Clone, Debug, Default)]
pub struct Rig {
    solver: ContactSolver,
    /// The worst certificate so far.
    pub worst: f64,
    /// Problems solved so far.
    pub solved: usize,
}

impl Rig {
    /// A rig with these settings.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        Ok(Self { solver: ContactSolver::new(settings)?, worst: 0.0, solved: 0 })
    }

    /// Poses and solves; an error unless the certificate is met.
    ///
    /// # Errors
    /// If the problem cannot be posed, or has no certified answer.
    pub fn solve(
        &mut self,
        snapshot: &Snapshot,
        law: &Law,
        level: Level,
    ) -> Result<(ContactProblem, ContactSolution), Error> {
        let problem = snapshot.pose(std::slice::from_ref(law), level)?;
        let answer = self.solver.solve(&problem);
        if !answer.is_solved() {
            let worst = answer.certificate.worst;
            let text = format!("{}, certificate {worst:.1e}: {problem:?}", answer.status);
            return Err(Error::Unsolved(text));
        }
        self.worst = self.worst.max(answer.certificate.worst);
        self.solved += 1;
        Ok((problem, answer.clone()))
    }

    /// The load at which a patch at rest begins to slip, as a multiple of (t, o, r) = pull and twist, between 0 and
    /// `most`, by bisection on what the problem at this level answers.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn onset(
        &mut self,
        patch: &Patch,
        load: [f64; 3],
        lift: f64,
        most: f64,
        level: Level,
    ) -> Result<f64, Error> {
        let (mut low, mut high) = (0.0, most);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let [t, o, r] = load.map(|l| middle * l);
            let snapshot = patch.snapshot([t, o, lift], r, [0.0; 4])?;
            let (problem, answer) = self.solve(&snapshot, &patch.law, level)?;
            match answer.mode(&problem, 0) {
                stickslip::contact::Mode::Stick => low = middle,
                _ => high = middle,
            }
        }
        Ok(0.5 * (low + high))
    }
}
