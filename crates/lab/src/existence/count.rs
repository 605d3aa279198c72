//! How many solutions a problem has.

use complementarity::enumerate::{self, enumerate};
use complementarity::{Lcp, Matrix, Status};
use stickslip::contact::set::ConvexSet;
use stickslip::contact::solve::{ContactSolver, Formulation, Settings, SolverChoice};
use stickslip::contact::{ContactProblem, Kind, Law};

/// Forces that differ by less than this share of the largest (each in units of its row) are the same.
const SAME: f64 = 1e-6;
/// Forces with a worse certificate are not counted.
const CERTIFIED: f64 = 1e-8;

/// What is known of the number of solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// None: by a complete enumeration, or with a proof.
    None,
    /// One; the only one if it was enumerated.
    One,
    /// Different certified solutions.
    Several,
    /// Nothing was found or refuted.
    Unknown,
}

/// Counts the solutions: by enumeration where contacts are planar or all slide (then `effective` is the matrix of their
/// complementarity problem), else as far as different solvers find different ones.
pub fn count(problem: &ContactProblem, effective: Option<&Matrix>) -> Count {
    let flat = flattened(problem);
    let forces = if let Some(flat) = &flat {
        planar(flat)
    } else if let Some(matrix) = effective {
        sliding(problem, matrix)
    } else {
        return by_solvers(problem);
    };
    let Some(forces) = forces else { return Count::Unknown };
    if forces.is_empty() {
        return Count::None;
    }
    of_certified(problem, &forces)
}

/// The same problem with planar contacts: an interval [−a, a] with μ is [−1, 1] with a μ.
fn flattened(problem: &ContactProblem) -> Option<ContactProblem> {
    let laws = problem.laws().iter().map(|law| match law.kind.set()? {
        ConvexSet::Interval => Some(law.clone()),
        ConvexSet::Ellipsoid(axes) if axes.len() == 1 => {
            Some(Law { kind: Kind::Planar, mu: law.mu * axes[0], ..law.clone() })
        }
        _ => None,
    });
    let laws: Option<Vec<Law>> = laws.collect();
    let w = problem.delassus().to_dense();
    ContactProblem::new(w, problem.bias().to_vec(), laws?).ok()
}

/// The forces at the corners of the solution set; none if the enumeration is incomplete.
fn planar(problem: &ContactProblem) -> Option<Vec<Vec<f64>>> {
    let form = Formulation::GlockerStuder;
    let lcp = ContactSolver::encode(problem, form).ok()?;
    let all = enumerate(&lcp, &enumerate::Settings { proof: false, ..Default::default() }).ok()?;
    let corners = all.solutions.iter().flat_map(|f| &f.vertices);
    let forces: Result<Vec<_>, _> =
        corners.map(|z| ContactSolver::decode(problem, form, z)).collect();
    forces.ok().filter(|_| all.is_complete())
}

fn sliding(problem: &ContactProblem, matrix: &Matrix) -> Option<Vec<Vec<f64>>> {
    let normals: Vec<usize> = (0..problem.contacts()).map(|i| problem.rows(i).start).collect();
    let q = normals.iter().map(|&n| problem.bias()[n]).collect();
    let lcp = Lcp::new(matrix.clone(), q).ok()?;
    let all = enumerate(&lcp, &enumerate::Settings { proof: false, ..Default::default() }).ok()?;
    let forces = all.solutions.iter().flat_map(|f| &f.vertices).map(|z| {
        let mut force = vec![0.0; problem.bias().len()];
        for ((law, &n), &pressed) in problem.laws().iter().zip(&normals).zip(z) {
            force[n] = pressed;
            let f = law.sliding_friction().unwrap_or_default();
            for (k, f) in f.iter().enumerate().take(law.tangents()) {
                force[n + 1 + k] = law.mu * pressed * f;
            }
        }
        force
    });
    let forces = forces.collect();
    all.is_complete().then_some(forces)
}

fn by_solvers(problem: &ContactProblem) -> Count {
    let mut forces = Vec::new();
    for solver in [SolverChoice::Auto, SolverChoice::Newton, SolverChoice::Nsgs, SolverChoice::Admm]
    {
        let settings = Settings { formulation: Formulation::Cone, solver, ..Settings::default() };
        let Ok(mut solver) = ContactSolver::new(settings) else { continue };
        let answer = solver.solve(problem);
        match answer.status {
            Status::Solved => forces.push(answer.impulse.clone()),
            Status::NoSolution => return Count::None,
            Status::Failed(_) => {}
        }
    }
    // Certified forces of one solution can differ by what the condition of the problem makes of their errors; then the
    // mean of both is certified too.
    match of_certified(problem, &forces) {
        Count::Several if means_are_certified(problem, &forces) => Count::One,
        count => count,
    }
}

fn means_are_certified(problem: &ContactProblem, forces: &[Vec<f64>]) -> bool {
    let mut pairs = forces.iter().zip(forces.iter().skip(1));
    pairs.all(|(a, b)| {
        let mean: Vec<f64> = a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect();
        problem.certificate(&mean).is_ok_and(|c| c.worst <= CERTIFIED)
    })
}

fn of_certified(problem: &ContactProblem, forces: &[Vec<f64>]) -> Count {
    let certified: Vec<&Vec<f64>> = forces
        .iter()
        .filter(|f| problem.certificate(f).is_ok_and(|c| c.worst <= CERTIFIED))
        .collect();
    let Some((first, rest)) = certified.split_first() else { return Count::Unknown };
    let unit: Vec<f64> = problem.delassus().diagonal().iter().map(|w| w.sqrt()).collect();
    let size = |x: &[f64]| x.iter().zip(&unit).fold(0.0_f64, |m, (x, u)| m.max((x * u).abs()));
    let differs = |other: &&&Vec<f64>| {
        let gap: Vec<f64> = first.iter().zip(other.iter()).map(|(a, b)| a - b).collect();
        size(&gap) > SAME * size(first).max(size(other))
    };
    if rest.iter().any(|other| differs(&other)) { Count::Several } else { Count::One }
}
