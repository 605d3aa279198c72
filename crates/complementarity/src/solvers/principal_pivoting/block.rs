//! Exchanges of whole blocks: each round solves M_αα z_α = −q_α for a guess α of the support.

use super::{Rule, Settings};
use crate::linalg::Lu;
use crate::{Failure, Lcp};

/// Rounds before the other rule takes over.
const BLOCK_ROUNDS: usize = 50;

#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    lu: Lu,
    active: Vec<bool>,
    support: Vec<usize>,
    rhs: Vec<f64>,
    pub(super) rounds: usize,
}

impl Block {
    /// Exchanges until no sign is wrong; returns the failure that the result has if it is not one.
    pub(super) fn follow(
        &mut self,
        problem: &Lcp,
        start: impl Fn(usize) -> bool,
        settings: &Settings,
        limit: usize,
        z: &mut [f64],
    ) -> Failure {
        /// Rounds in a row that may exchange blocks without reducing the number of wrong signs.
        const PATIENCE: usize = 3;
        let n = problem.len();
        self.rounds = 0;
        self.active.clear();
        self.active.extend((0..n).map(start));
        let (mut fewest, mut patience) = (n + 1, PATIENCE);
        // Each round factorises: where blocks fail, single exchanges are cheaper on a dictionary.
        let limit = if settings.fall_back { limit.min(BLOCK_ROUNDS) } else { limit };
        while self.rounds < limit {
            self.rounds += 1;
            if !self.solve(problem, settings.pivot_tolerance * 1e-3, z) {
                return Failure::Numerical;
            }
            let wrong = (0..n).filter(|&i| self.is_wrong(problem, z, i)).count();
            if wrong == 0 {
                for v in z.iter_mut() {
                    *v = v.max(0.0);
                }
                return Failure::Numerical;
            }
            if wrong < fewest {
                (fewest, patience) = (wrong, PATIENCE);
            } else {
                patience = patience.saturating_sub(1);
            }
            if settings.rule == Rule::Block && patience > 0 {
                for i in 0..n {
                    self.active[i] ^= self.is_wrong(problem, z, i);
                }
            } else if let Some(i) = (0..n).find(|&i| self.is_wrong(problem, z, i)) {
                self.active[i] ^= true;
            }
        }
        Failure::IterationLimit
    }

    /// Makes room for n unknowns.
    pub(super) fn reserve(&mut self, n: usize) {
        self.lu.reserve(n);
        self.active.clear();
        self.active.reserve(n);
        self.support.clear();
        self.support.reserve(n);
        self.rhs.clear();
        self.rhs.reserve(n);
    }

    /// Solves afresh for the support of z.
    pub(super) fn resolve(&mut self, problem: &Lcp, z: &mut [f64]) {
        self.active.clear();
        self.active.extend(z.iter().map(|&v| v > 0.0));
        self.solve(problem, 1e-14, z);
        for v in z.iter_mut() {
            *v = v.max(0.0);
        }
    }

    fn is_wrong(&self, problem: &Lcp, z: &[f64], i: usize) -> bool {
        if self.active[i] {
            return z[i] < 0.0;
        }
        // Its own terms decide what is rounding.
        let (mut w, mut size) = (problem.q()[i], problem.q()[i].abs());
        for &j in &self.support {
            let term = problem.m()[(i, j)] * z[j];
            w += term;
            size += term.abs();
        }
        w < -1e-14 * size
    }

    /// z = −M_αα⁻¹ q_α, with one step of iterative refinement, and zero elsewhere.
    fn solve(&mut self, problem: &Lcp, pivot_tolerance: f64, z: &mut [f64]) -> bool {
        let (m, q) = (problem.m(), problem.q());
        self.support.clear();
        self.support.extend((0..q.len()).filter(|&i| self.active[i]));
        let Self { lu, support, rhs, .. } = self;
        let fits = lu.factor(support.len(), pivot_tolerance, |at, row| {
            let entries = m.row(support[at]);
            for (v, &j) in row.iter_mut().zip(&*support) {
                *v = entries[j];
            }
        });
        z.fill(0.0);
        if !fits {
            return false;
        }
        for _ in 0..2 {
            rhs.clear();
            rhs.extend(support.iter().map(|&i| {
                let row = m.row(i);
                support.iter().fold(-q[i], |a, &j| a - row[j] * z[j])
            }));
            lu.solve(rhs);
            for (&j, d) in support.iter().zip(&*rhs) {
                z[j] += d;
            }
        }
        z.iter().all(|v| v.is_finite())
    }
}
