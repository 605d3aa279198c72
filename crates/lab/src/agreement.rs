//! Whether the two formulations say the same of a contact problem.

use complementarity::Status;
use complementarity::enumerate::{self, Enumeration};
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::{ContactSolution, ContactSolver, Formulation, Settings};

/// Velocities that differ by less than this share of the largest are the same.
const SAME: f64 = 1e-7;

/// What came out for one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Agreement {
    /// The same velocities from the same impulses.
    Same,
    /// The same velocities from different impulses: W is singular, and forces are not unique.
    SameVelocities,
    /// Different velocities, each certified, and each among all solutions of either formulation.
    Several,
    /// Different velocities, each certified, but not found by a complete enumeration.
    Unlisted,
    /// No solution, proved in both formulations.
    NoSolution,
    /// A solution by one, and none, proved, by the other: one of them lies.
    Contradiction,
    /// `glocker_studer` gave no answer.
    GlockerStuderFailed,
    /// `stewart_trinkle` gave no answer.
    StewartTrinkleFailed,
    /// Neither gave an answer.
    BothFailed,
}

impl Agreement {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Same,
        Self::SameVelocities,
        Self::Several,
        Self::Unlisted,
        Self::NoSolution,
        Self::Contradiction,
        Self::GlockerStuderFailed,
        Self::StewartTrinkleFailed,
        Self::BothFailed,
    ];

    /// Whether the formulations are at odds.
    pub fn is_wrong(self) -> bool {
        matches!(self, Self::Unlisted | Self::Contradiction)
    }

    /// Whether an answer is missing.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::GlockerStuderFailed | Self::StewartTrinkleFailed | Self::BothFailed)
    }
}

/// The two formulations, each alone, with their solvers.
#[derive(Clone, Debug)]
pub struct Pair([ContactSolver; 2]);

impl Default for Pair {
    fn default() -> Self {
        Self(Formulation::PLANAR.map(|formulation| {
            let settings =
                Settings { formulation, fall_back: false, cases: false, ..Settings::default() };
            ContactSolver::new(settings).expect("the default settings are in range")
        }))
    }
}

impl Pair {
    /// Solves a problem in both formulations and compares.
    pub fn compare(&mut self, problem: &ContactProblem) -> Agreement {
        let [a, b] = &mut self.0;
        let (a, b) = (a.solve(problem), b.solve(problem));
        match (settled(a), settled(b)) {
            (Some(true), Some(true)) => compare_solved(problem, a, b),
            (Some(false), Some(false)) => Agreement::NoSolution,
            (Some(_), Some(_)) => Agreement::Contradiction,
            (None, Some(_)) => Agreement::GlockerStuderFailed,
            (Some(_), None) => Agreement::StewartTrinkleFailed,
            (None, None) => Agreement::BothFailed,
        }
    }
}

/// Whether there is a solution, if that is known.
fn settled(s: &ContactSolution) -> Option<bool> {
    match s.status {
        Status::Solved => Some(true),
        Status::NoSolution => Some(false),
        Status::Failed(_) => None,
    }
}

fn compare_solved(p: &ContactProblem, a: &ContactSolution, b: &ContactSolution) -> Agreement {
    let size = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let v_ref = size(p.bias()).max(size(&a.velocity)).max(size(&b.velocity));
    if distance(&a.velocity, &b.velocity) <= SAME * v_ref {
        let lam_ref = size(&a.impulse).max(size(&b.impulse));
        let same = distance(&a.impulse, &b.impulse) <= 1e2 * SAME * lam_ref;
        return if same { Agreement::Same } else { Agreement::SameVelocities };
    }
    let listed = Formulation::PLANAR
        .iter()
        .all(|&form| [a, b].iter().all(|s| is_listed(p, form, &s.velocity, SAME * v_ref)));
    if listed { Agreement::Several } else { Agreement::Unlisted }
}

/// Whether velocities belong to a vertex of the set of all solutions; an enumeration that is refused or incomplete
/// lists nothing.
fn is_listed(p: &ContactProblem, form: Formulation, velocity: &[f64], tolerance: f64) -> bool {
    let Some(all) = all_solutions(p, form) else { return false };
    let mut found = vec![0.0; velocity.len()];
    let mut vertices = all.solutions.iter().flat_map(|face| &face.vertices);
    vertices.any(|z| {
        let Ok(impulse) = ContactSolver::decode(p, form, z) else { return false };
        p.velocity_into(&impulse, &mut found);
        distance(&found, velocity) <= 10.0 * tolerance
    })
}

fn all_solutions(p: &ContactProblem, form: Formulation) -> Option<Enumeration> {
    let lcp = ContactSolver::encode(p, form).ok()?;
    enumerate::enumerate(&lcp, &enumerate::Settings::default()).ok()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use complementarity::Matrix;
    use stickslip::contact::Law;

    #[test]
    fn velocities_that_solve_nothing_are_not_listed() {
        let w = Matrix::from_rows(&[[1.5, 1.0], [1.0, 0.75]]).unwrap();
        let p = ContactProblem::new(w, vec![-0.5, 0.0], vec![Law::coulomb(2.0)]).unwrap();
        assert_eq!(Pair::default().compare(&p), Agreement::Same);
        for form in Formulation::PLANAR {
            assert!(is_listed(&p, form, &[0.0, 0.0], 1e-7));
            assert!(!is_listed(&p, form, &[0.0, 0.1], 1e-7));
        }
    }
}
