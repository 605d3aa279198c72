//! Problems of a body on its contacts for every coefficient of friction, by the alternating iteration and by other solvers.

use crate::{Draw, median};
use complementarity::Matrix;
use glam::DVec3;
use stickslip::contact::solve::SolverChoice;
use stickslip::contact::solve::{ContactSolver, Formulation, Settings};
use stickslip::contact::{ContactProblem, Error, Law};

/// The families: names, and the height of the centre of mass over half the width, none for contacts anywhere.
pub const FAMILIES: [(&str, Option<f64>); 3] = [
    ("flat box on four corners", Some(0.2)),
    ("tall box on four corners", Some(2.0)),
    ("four contacts anywhere", None),
];

/// How a solver did on the problems of a family at one coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tally {
    /// The share of them that it solved.
    pub solved: f64,
    /// The median of the iterations on these; NaN if there are none.
    pub iterations: f64,
}

/// A solver on `count` problems of a family at a coefficient of friction.
///
/// # Errors
/// If the coefficient is out of range.
pub fn tally(
    family: Option<f64>,
    solver: SolverChoice,
    mu: f64,
    count: u64,
) -> Result<Tally, Error> {
    let tolerance = 1e-9;
    let settings =
        Settings { formulation: Formulation::Cone, solver, tolerance, ..Settings::default() };
    let mut solver = ContactSolver::new(settings)?;
    let mut iterations = Vec::new();
    for seed in 0..count {
        let problem = problem(family, mu, seed)?;
        let answer = solver.solve(&problem);
        if answer.is_solved() {
            iterations.push(answer.iterations as f64);
        }
    }
    let solved = iterations.len() as f64 / count as f64;
    Ok(Tally { solved, iterations: median(&iterations) })
}

/// A body of unit mass whose contacts approach, and which slides and turns at random.
fn problem(family: Option<f64>, mu: f64, seed: u64) -> Result<ContactProblem, Error> {
    let mut draw = Draw::new("alternation", usize::from(family.is_none()), seed);
    let mut contacts = Vec::new();
    for (x, y) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] {
        contacts.push(match family {
            Some(height) => (DVec3::new(x, y, -0.5 * height), DVec3::Z),
            None => {
                let mut any = || draw.between(-1.0, 1.0);
                let at = DVec3::new(any(), any(), any());
                (at, DVec3::new(any(), any(), 1.5).normalize())
            }
        });
    }
    let side = family.unwrap_or(1.0);
    // Of a cuboid with sides 1, 1 and the height.
    let inertia = DVec3::new(1.0 + side * side, 1.0 + side * side, 2.0) / 12.0;
    let velocity = DVec3::new(draw.between(-3.0, 3.0), draw.between(-3.0, 3.0), -1.0);
    let turn = DVec3::new(0.0, 0.0, draw.between(-1.0, 1.0));
    let mut rows = Vec::new();
    for (at, normal) in contacts {
        let (t, o) = normal.any_orthonormal_pair();
        rows.extend([normal, t, o].map(|e| (e, at.cross(e))));
    }
    let of = |i: usize, j: usize| {
        let ((a, c), (b, d)): ((DVec3, DVec3), (DVec3, DVec3)) = (rows[i], rows[j]);
        a.dot(b) + c.dot(d / inertia)
    };
    let w = Matrix::from_fn(rows.len(), rows.len(), of);
    let b = rows.iter().map(|(e, m)| e.dot(velocity) + m.dot(turn)).collect();
    ContactProblem::new(w, b, vec![Law::disc(mu); 4])
}
