//! Lemke's method for mixed problems: free unknowns are eliminated, boxes are followed directly.

use super::{Lemke, PathEnd, choose_units, failure};
use crate::solvers::lemke::path::Guess;
use crate::solvers::{MixedSolver, certify_mixed, check_guess};
use crate::tolerance::REFINE_ABOVE;
use crate::{Error, Failure, Mlcp, Solution, Status};

impl Lemke {
    fn run_mixed(&mut self, problem: &Mlcp, guess: Option<&[f64]>) -> &Solution {
        self.solution.reset(problem.len());
        if let Err(proof) = self.reduction.reduce(problem) {
            self.solution.z.copy_from_slice(&clamped_zero(problem));
            self.certify_mixed(problem, Failure::Numerical);
            self.solution.status = Status::NoSolution;
            self.solution.proof = Some(proof);
            return &self.solution;
        }
        let end = self.follow_reduced(guess);
        self.expand(problem);
        self.certify_mixed(problem, failure(end));
        self.solution.statistics.iterations = self.path.pivots;
        if end == PathEnd::Solution && self.solution.residual.scaled > REFINE_ABOVE {
            self.refine_reduced(problem);
        }
        if end == PathEnd::Solution && self.solution.residual.scaled > REFINE_ABOVE {
            // In the given unknowns, which do not suffer from remote bounds.
            self.polisher.polish(problem, &mut self.solution.z);
            self.certify_mixed(problem, Failure::Numerical);
        }
        self.solution.statistics.factorizations = self.path.basis.factorizations;
        if let PathEnd::Ray { entering } = end {
            self.prove_by_mixed_ray(problem, entering);
        }
        &self.solution
    }

    fn follow_reduced(&mut self, guess: Option<&[f64]>) -> PathEnd {
        let Self { path, scale, balance, reduction, settings, .. } = self;
        let (m, q) = (&reduction.m, &reduction.q);
        choose_units(settings, m, q, scale, balance);
        path.load(m, q, Some(&reduction.upper), &scale.row, &scale.col);
        if let Some(guess) = guess {
            let x = reduction.restrict(guess);
            path.warm(|i| {
                if x[i] <= 0.0 {
                    Guess::Lower
                } else if x[i] >= reduction.upper[i] {
                    Guess::Upper
                } else {
                    Guess::Between
                }
            });
        }
        let largest = q.iter().zip(&scale.row).map(|(q, r)| (q * r).abs());
        let tol = settings.tolerances_for(largest.fold(0.0, f64::max));
        path.follow(&tol, settings.limit(q.len()), |i| settings.cover.entry(i))
    }

    /// Writes z from the path's values.
    fn expand(&mut self, problem: &Mlcp) {
        self.scaled.resize(self.reduction.q.len(), 0.0);
        self.path.values(&mut self.scaled);
        self.expand_scaled(problem);
    }

    fn expand_scaled(&mut self, problem: &Mlcp) {
        let x: Vec<f64> = self.scaled.iter().zip(&self.scale.col).map(|(s, c)| s * c).collect();
        self.reduction.expand(&x, problem, &mut self.solution.z);
    }

    /// Iterative refinement within the reduced problem, kept if the mixed residual improves.
    fn refine_reduced(&mut self, problem: &Mlcp) {
        for round in 0..2 {
            let before = self.solution.clone();
            if before.residual.scaled <= REFINE_ABOVE || (round == 1 && !self.path.refactor()) {
                return;
            }
            let x = self.scaled.iter().zip(&self.scale.col).map(|(s, c)| s * c);
            let x: Vec<f64> = x.collect();
            let mut w = self.reduction.m.mul_vec(&x);
            for ((w, q), r) in w.iter_mut().zip(&self.reduction.q).zip(&self.scale.row) {
                *w = (*w + q) * r;
            }
            self.path.refine(&w, &mut self.scaled);
            self.expand_scaled(problem);
            self.certify_mixed(problem, Failure::Numerical);
            self.solution.statistics.refinements += 1;
            if self.solution.residual.scaled > before.residual.scaled {
                self.solution = before;
            }
        }
    }

    fn prove_by_mixed_ray(&mut self, problem: &Mlcp, entering: usize) {
        let mut direction = vec![0.0; self.scaled.len()];
        self.path.direction(entering, &mut direction);
        let largest = direction.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
        let y: Vec<f64> = direction
            .iter()
            .zip(&self.scale.col)
            .map(|(d, c)| (d / largest).max(0.0) * c)
            .collect();
        if let Some(proof) = self.reduction.lift(&y, problem) {
            self.solution.status = Status::NoSolution;
            self.solution.proof = Some(proof);
        }
    }

    fn certify_mixed(&mut self, problem: &Mlcp, reason: Failure) {
        let Self { solution, scratch, settings, .. } = self;
        certify_mixed(problem, settings.tolerance, reason, solution, scratch);
    }
}

/// Zero, or the bound next to it.
fn clamped_zero(problem: &Mlcp) -> Vec<f64> {
    problem.lower().iter().zip(problem.upper()).map(|(&l, &u)| 0.0_f64.clamp(l, u)).collect()
}

impl MixedSolver for Lemke {
    fn solve_mixed(&mut self, problem: &Mlcp) -> &Solution {
        self.run_mixed(problem, None)
    }

    fn solve_mixed_from(&mut self, problem: &Mlcp, guess: &[f64]) -> Result<&Solution, Error> {
        check_guess(problem.len(), guess)?;
        Ok(self.run_mixed(problem, Some(guess)))
    }
}
