//! Which ρ are singular, and what ρ does to the answer.

use super::{Form, lead_matrix, solver};
use complementarity::{Auto, MixedSolver, Solver};
use nalgebra::DMatrix;
use stickslip::Error;
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::{ContactSolution, Formulation, Rho, eliminate_free};

/// Answers that differ by less, as a share of the largest entry, are the same: certificates of 1e-10 allow for no
/// less where W is badly conditioned.
const SAME: f64 = 1e-6;
/// Steps of the golden section: 0.618⁷⁰ is below rounding.
const SECTIONS: usize = 70;

/// The values of ρ at which the matrix of \[1\] is singular, besides 0: k times the eigenvalues of [W⁻¹]_TT, in
/// ascending order; none if W is singular.
pub fn singular_rhos(problem: &ContactProblem, lines: usize) -> Option<Vec<f64>> {
    let n = problem.bias().len();
    let w = DMatrix::from_row_slice(n, n, problem.delassus().to_dense().as_slice());
    let inverse = w.cholesky()?.inverse();
    let tangential: Vec<usize> =
        (0..problem.contacts()).flat_map(|i| problem.rows(i).skip(1)).collect();
    let block = inverse.select_rows(&tangential).select_columns(&tangential);
    let mut rhos: Vec<f64> =
        block.symmetric_eigenvalues().iter().map(|e| lines as f64 * e).collect();
    rhos.sort_by(f64::total_cmp);
    Some(rhos)
}

/// The smallest singular value of the matrix of \[1\] over the largest, at a ρ. In the Schur form where there is one.
///
/// # Errors
/// If ρ is negative.
pub fn relative_sigma(
    problem: &ContactProblem,
    lines: usize,
    rho: impl Into<Rho>,
) -> Result<f64, Error> {
    let rho = rho.into();
    let lead = |form| lead_matrix(problem, Formulation::PhantomInertia, lines, rho.clone(), form);
    let Some(matrix) = lead(Form::Schur)?.map_or_else(|| lead(Form::Mixed), |m| Ok(Some(m)))?
    else {
        return Ok(0.0);
    };
    let sigma = matrix.singular_values();
    Ok(sigma.min() / sigma.max())
}

/// The places between `from` and `to` where [`relative_sigma`] falls to rounding, found by a scan of so many
/// points and a golden section around each minimum; knows nothing of [`singular_rhos`].
///
/// # Errors
/// If `from` is negative.
pub fn dips(
    problem: &ContactProblem,
    lines: usize,
    (from, to): (f64, f64),
    points: usize,
) -> Result<Vec<f64>, Error> {
    let at = |i: usize| from * (to / from).powf(i as f64 / (points - 1) as f64);
    let scan: Vec<f64> =
        (0..points).map(|i| relative_sigma(problem, lines, at(i))).collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for i in 1..points.saturating_sub(1) {
        if scan[i] > scan[i - 1] || scan[i] >= scan[i + 1] {
            continue;
        }
        let rho = golden((at(i - 1), at(i + 1)), |rho| relative_sigma(problem, lines, rho))?;
        if relative_sigma(problem, lines, rho)? < 1e-13 {
            found.push(rho);
        }
    }
    Ok(found)
}

/// Where a function with one minimum between a and b has it.
fn golden((mut a, mut b): (f64, f64), f: impl Fn(f64) -> Result<f64, Error>) -> Result<f64, Error> {
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..SECTIONS {
        let (left, right) = (b - ratio * (b - a), a + ratio * (b - a));
        if f(left)? < f(right)? {
            b = right;
        } else {
            a = left;
        }
    }
    Ok(0.5 * (a + b))
}

/// Answers to the same problems with one ρ held against those with another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Problems.
    pub problems: usize,
    /// Those whose certificate meets the tolerance.
    pub certified: usize,
    /// Those with other velocities than the reference, though certified: the problem has several solutions.
    pub others: usize,
    /// The largest difference of velocities among the rest, as a share of the largest |b|.
    pub velocity: f64,
    /// The largest difference of impulses among the rest, as a share of the largest |Λ|.
    pub impulse: f64,
}

impl Comparison {
    /// Solves a problem with this ρ, in [`one_attempt`], and compares.
    ///
    /// # Errors
    /// If ρ is negative.
    pub fn take(
        &mut self,
        problem: &ContactProblem,
        lines: usize,
        rho: impl Into<Rho>,
        reference: &ContactSolution,
    ) -> Result<(), Error> {
        self.problems += 1;
        let Some(found) = one_attempt(problem, lines, rho)? else { return Ok(()) };
        self.certified += 1;
        let mut velocity = vec![0.0; found.len()];
        problem.velocity_into(&found, &mut velocity);
        let velocity = apart(&velocity, &reference.velocity) / largest(problem.bias());
        if velocity > SAME {
            self.others += 1;
            return Ok(());
        }
        self.velocity = self.velocity.max(velocity);
        let size = largest(&reference.impulse);
        if size > 0.0 {
            self.impulse = self.impulse.max(apart(&found, &reference.impulse) / size);
        }
        Ok(())
    }
}

/// The impulses that the methods of `auto` find with this ρ and no other, in the Schur form where there is one and else in the
/// mixed form, if they are certified.
///
/// # Errors
/// If ρ is negative.
pub fn one_attempt(
    problem: &ContactProblem,
    lines: usize,
    rho: impl Into<Rho>,
) -> Result<Option<Vec<f64>>, Error> {
    let solver = solver(Formulation::PhantomInertia, lines, rho)?;
    let (encoding, model) = solver.encoding(problem)?;
    let own = model.as_ref().unwrap_or(problem);
    let mixed = encoding.mixed(own)?;
    let mut auto = Auto::default();
    let z = match eliminate_free(&mixed)? {
        Some(eliminated) => eliminated.expand(&auto.solve(&eliminated.lcp).z),
        None => auto.solve_mixed(&mixed).z.clone(),
    };
    let mut impulse = vec![0.0; problem.bias().len()];
    encoding.decode(&z, &mut impulse);
    let worst = own.certificate(&impulse)?.worst;
    Ok((worst <= solver.settings().tolerance).then_some(impulse))
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}
