//! Problems of a body on its contacts for every coefficient of friction, by the alternating iteration and by other solvers.

use crate::median;
use complementarity::Matrix;
use glam::DVec3;
use stickslip::contact::solve::SolverChoice;
use stickslip::contact::solve::{ContactSolver, Formulation, Settings};
use stickslip::contact::{ContactProblem, Error, Law};
use stickslip_studies::Draw;

/// How fast bodies slide at most, beside the unit speed with which they approach.
const FASTEST: f64 = 10.0;

/// A family of problems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    /// One planar contact with W = (1, 3/2; 3/2, 4) that slides so that friction unloads it: the factor per round is 3/2 μ.
    Contact,
    /// A box on four corners, whose height is this many times its width.
    Box(f64),
    /// A body with four contacts anywhere, whose normals differ.
    Anywhere,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Contact, Self::Box(0.2), Self::Box(4.0), Self::Anywhere];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Contact => "one contact with W_NT = 3/2 W_NN".to_owned(),
            Self::Box(height) => format!("box {height} times as high as wide, on four corners"),
            Self::Anywhere => "body with four contacts anywhere".to_owned(),
        }
    }

    fn problem(self, mu: f64, seed: u64) -> Result<ContactProblem, Error> {
        let mut draw = Draw::new("alternation", 0, seed);
        let slide = DVec3::new(draw.between(-1.0, 1.0), draw.between(-1.0, 1.0), 0.0) * FASTEST;
        if self == Self::Contact {
            let w = Matrix::from_fn(2, 2, |i, j| [[1.0, 1.5], [1.5, 4.0]][i][j]);
            let bias = vec![-1.0, -5.0 - slide.length()];
            return ContactProblem::new(w, bias, vec![Law::coulomb(mu)]);
        }
        let (velocity, turn) = (slide - DVec3::Z, DVec3::Z * draw.between(-1.0, 1.0));
        let mut rows = Vec::new();
        for (x, y) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] {
            let (at, normal) = match self {
                Self::Box(height) => (DVec3::new(x, y, -0.5 * height), DVec3::Z),
                _ => {
                    let mut any = || draw.between(-1.0, 1.0);
                    let at = DVec3::new(any(), any(), any());
                    (at, DVec3::new(any(), any(), 1.5).normalize())
                }
            };
            let (t, o) = normal.any_orthonormal_pair();
            rows.extend([normal, t, o].map(|e| (e, at.cross(e))));
        }
        // Of a cuboid of unit mass with sides 1, 1 and the height.
        let height = if let Self::Box(height) = self { height } else { 1.0 };
        let across = 1.0 + height * height;
        let inertia = DVec3::new(across, across, 2.0) / 12.0;
        let of = |i: usize, j: usize| {
            let ((a, c), (b, d)): ((DVec3, DVec3), (DVec3, DVec3)) = (rows[i], rows[j]);
            a.dot(b) + c.dot(d / inertia)
        };
        let w = Matrix::from_fn(rows.len(), rows.len(), of);
        let b = rows.iter().map(|(e, m)| e.dot(velocity) + m.dot(turn)).collect();
        ContactProblem::new(w, b, vec![Law::disc(mu); 4])
    }
}

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
pub fn tally(family: Family, solver: SolverChoice, mu: f64, count: u64) -> Result<Tally, Error> {
    let tolerance = 1e-9;
    let settings =
        Settings { formulation: Formulation::Cone, solver, tolerance, ..Settings::default() };
    let mut solver = ContactSolver::new(settings)?;
    let mut iterations = Vec::new();
    for seed in 0..count {
        let problem = family.problem(mu, seed)?;
        let answer = solver.solve(&problem);
        if answer.is_solved() {
            iterations.push(answer.iterations as f64);
        }
    }
    let solved = iterations.len() as f64 / count as f64;
    Ok(Tally { solved, iterations: median(&iterations) })
}
