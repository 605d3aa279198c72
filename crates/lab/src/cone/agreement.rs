//! Every solver on one problem, and whether those that solved it found the same velocities.
//!
//! An answer with a small residual is near a solution, but how near depends on the problem: at mass
//! ratios of 10⁶ a residual of 10⁻⁹ can leave the velocity uncertain by much more. So answers that
//! differ are sharpened first, each by itself, and compared again. With friction and large μ the exact law
//! can have several solutions: two sharp answers that differ still are two of them.

use complementarity::{Failure, Status};
use std::time::Instant;
use stickslip_contact::ContactProblem;
use stickslip_contact::Error;
use stickslip_contact::solvers::{ConeNewton, Method, Nsgs, newton, nsgs};

/// Velocities that differ by less than this, over the largest entry of b, agree.
pub const AGREEMENT: f64 = 1e-6;
/// The residual that an answer must have to count as another solution.
pub const SHARP: f64 = 1e-10;
/// The residual at which sharpening ends.
const SHARPEST: f64 = 1e-13;
/// Solves faster than this are timed again, and the best time counts.
const SHORT: f64 = 1e-3;
const REPEATS: usize = 3;

/// How a solver fared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// The residual, computed from the problem alone, meets the tolerance.
    Solved,
    /// It does not, and the solver says so.
    Failed(Status),
    /// The solver does not take laws of this kind.
    NotTaken,
    /// The solver says solved, and the residual does not bear it out.
    Lied,
}

/// One solver on one problem.
#[derive(Clone, Debug)]
pub struct Run {
    /// The solver's name.
    pub solver: &'static str,
    /// How it fared.
    pub outcome: Outcome,
    /// The scaled residual of its answer.
    pub residual: f64,
    /// Wall time; of short solves the best of some.
    pub seconds: f64,
    /// Its impulses.
    pub impulse: Vec<f64>,
    /// Its velocities.
    pub velocity: Vec<f64>,
}

/// Runs each solver on a problem and has its answer judged.
///
/// # Errors
/// If the problem's own residual refuses an answer: a fault of the solver.
pub fn run_all(
    problem: &ContactProblem,
    solvers: &mut [Box<dyn Method>],
    tolerance: f64,
) -> Result<Vec<Run>, Error> {
    solvers.iter_mut().map(|s| run(problem, s.as_mut(), tolerance)).collect()
}

fn run(problem: &ContactProblem, solver: &mut dyn Method, tolerance: f64) -> Result<Run, Error> {
    let name = solver.name();
    let mut seconds = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        solver.solve(problem);
        seconds = seconds.min(start.elapsed().as_secs_f64());
        if seconds > SHORT {
            break;
        }
    }
    let found = solver.solve(problem).clone();
    let residual = problem.certificate(&found.impulse)?.worst;
    let outcome = match found.status {
        Status::Failed(Failure::WrongClass) => Outcome::NotTaken,
        Status::Solved if residual <= tolerance => Outcome::Solved,
        Status::Solved => Outcome::Lied,
        status => Outcome::Failed(status),
    };
    let (impulse, velocity) = (found.impulse, found.velocity);
    Ok(Run { solver: name, outcome, residual, seconds, impulse, velocity })
}

/// What the answers of one problem have in common. Numbers are the largest difference of two velocities
/// over the largest entry of b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Fewer than two solvers solved it.
    Alone,
    /// All agree as they stand.
    Agree(f64),
    /// They agree once they are sharpened: the difference as they stood.
    AgreeSharpened(f64),
    /// Answers with residuals below [`SHARP`] differ: the problem has several solutions.
    Several(f64),
    /// They differ, and could not be sharpened.
    Undecided(f64),
}

/// Compares the answers of all solvers that solved the problem.
pub fn compare(problem: &ContactProblem, runs: &[Run]) -> Verdict {
    let solved: Vec<&Run> = runs.iter().filter(|r| r.outcome == Outcome::Solved).collect();
    if solved.len() < 2 {
        return Verdict::Alone;
    }
    let scale = problem.bias().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let velocities: Vec<&[f64]> = solved.iter().map(|r| &r.velocity[..]).collect();
    let before = spread(&velocities, scale);
    if before <= AGREEMENT {
        return Verdict::Agree(before);
    }
    let sharp: Vec<(f64, Vec<f64>)> =
        solved.iter().map(|r| sharpened(problem, &r.impulse)).collect();
    let velocities: Vec<&[f64]> = sharp.iter().map(|(_, v)| &v[..]).collect();
    let after = spread(&velocities, scale);
    if after <= AGREEMENT {
        Verdict::AgreeSharpened(before)
    } else if sharp.iter().all(|(residual, _)| *residual <= SHARP) {
        Verdict::Several(after)
    } else {
        Verdict::Undecided(after)
    }
}

fn spread(velocities: &[&[f64]], scale: f64) -> f64 {
    let mut worst: f64 = 0.0;
    for (n, a) in velocities.iter().enumerate() {
        for b in &velocities[..n] {
            worst = a.iter().zip(*b).fold(worst, |m, (x, y)| m.max((x - y).abs()));
        }
    }
    if scale > 0.0 { worst / scale } else { worst }
}

/// The residual and the velocity of an answer after Newton's method and sweeps from where it stands.
pub fn sharpened(problem: &ContactProblem, impulse: &[f64]) -> (f64, Vec<f64>) {
    let newton = newton::Settings {
        tolerance: SHARPEST,
        first_sweeps: 0,
        max_steps: 40,
        regularisation: 1e-14,
        ..Default::default()
    };
    let sweeps = nsgs::Settings { tolerance: SHARPEST, max_sweeps: 4000, ..Default::default() };
    let mut best = (f64::INFINITY, impulse.to_vec(), vec![0.0; impulse.len()]);
    let solvers: [Option<Box<dyn Method>>; 2] = [
        ConeNewton::new(newton).ok().map(|s| Box::new(s) as Box<dyn Method>),
        Nsgs::new(sweeps).ok().map(|s| Box::new(s) as Box<dyn Method>),
    ];
    for mut solver in solvers.into_iter().flatten() {
        if let Ok(found) = solver.solve_from(problem, &best.1)
            && found.certificate.worst < best.0
        {
            best = (found.certificate.worst, found.impulse.clone(), found.velocity.clone());
        }
        if best.0 <= 10.0 * SHARPEST {
            break;
        }
    }
    (best.0, best.2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use complementarity::Matrix;
    use stickslip_contact::Law;

    fn answer(problem: &ContactProblem, impulse: Vec<f64>) -> Run {
        let residual = problem.certificate(&impulse).unwrap().worst;
        let mut velocity = vec![0.0; impulse.len()];
        problem.velocity_into(&impulse, &mut velocity);
        let outcome = Outcome::Solved;
        Run { solver: "given", outcome, residual, seconds: 0.0, impulse, velocity }
    }

    /// μ W_NT > W_NN: with b = (0.1, 0.3) the contact may open, slide with Λ = (2 b_N, −2 μ b_N), or
    /// stick with Λ = −W⁻¹b = (1.8, −2.8).
    #[test]
    fn two_certified_answers_that_differ_are_several_solutions() {
        let w = Matrix::from_rows(&[[1.5, 1.0], [1.0, 0.75]]).unwrap();
        let problem =
            ContactProblem::new(w.clone(), vec![0.1, 0.3], vec![Law::coulomb(2.0)]).unwrap();
        let [open, slide, stick] =
            [[0.0, 0.0], [0.2, -0.4], [1.8, -2.8]].map(|x| answer(&problem, x.to_vec()));
        for run in [&open, &slide, &stick] {
            assert!(run.residual <= 1e-12, "{run:?}");
        }
        assert_eq!(compare(&problem, std::slice::from_ref(&open)), Verdict::Alone);
        assert_eq!(compare(&problem, &[open.clone(), open.clone()]), Verdict::Agree(0.0));
        let Verdict::Several(difference) = compare(&problem, &[open, stick]) else {
            panic!("open and stick agree");
        };
        assert!((difference - 1.0).abs() < 1e-9, "{difference}");
    }

    #[test]
    fn answers_that_are_only_blunt_agree_once_they_are_sharpened() {
        let w = Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
        let problem =
            ContactProblem::new(w.clone(), vec![-1.0, 0.5], vec![Law::coulomb(0.1)]).unwrap();
        let runs = [[1.0, -0.1], [1.0 + 1e-5, -0.1]].map(|x| answer(&problem, x.to_vec()));
        let verdict = compare(&problem, &runs);
        assert!(matches!(verdict, Verdict::AgreeSharpened(d) if d > 9e-6), "{verdict:?}");
    }
}
