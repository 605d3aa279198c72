//! R0: the problem with q = 0 has no solution but zero.
//!
//! Notation: 0 ≤ w = M z ⊥ z ≥ 0 with z ≠ 0 is what is searched for.

use super::forms::{pad, unit};
use super::{Class, Evidence, Finding, Settings};
use crate::Matrix;
use crate::exact::elimination::{Budget, Cone, ray};
use crate::exact::number::{Number, integers, intervals};
use crate::exact::wide::{WIDE_COST, wide};

/// Decides R0.
///
/// A tree over the choice z_i = 0 or w_i = 0, cut where the cone of the choices so far holds only
/// zero: at worst 2^n linear programs.
pub(super) fn r0(m: &Matrix, settings: &Settings) -> Finding {
    let n = m.rows();
    for k in 0..n {
        if m[(k, k)] == 0.0 && (0..n).all(|i| m[(i, k)] >= 0.0) {
            return Finding::checked(m, Class::R0, Evidence::Kernel { z: unit(n, k) });
        }
    }
    if n > settings.max_unknowns {
        return Finding::TooLarge;
    }
    if let Some(entries) = integers(m) {
        return Search::new(m, &entries, settings.max_work).run();
    }
    let found = Search::new(m, &intervals(m), settings.max_work).run();
    match wide(m) {
        Some(entries) if matches!(found, Finding::TooClose) => {
            Search::new(m, &entries, settings.max_work / WIDE_COST).run()
        }
        _ => found,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Zero {
    Neither,
    Z,
    W,
}

enum Branch {
    Done,
    Found(Evidence),
    Spent,
}

struct Search<'a, N> {
    m: &'a Matrix,
    entries: &'a [N],
    n: usize,
    budget: Budget,
    zeros: Vec<Zero>,
    unsure: bool,
}

impl<'a, N: Number> Search<'a, N> {
    fn new(m: &'a Matrix, entries: &'a [N], work: u64) -> Self {
        Self {
            m,
            entries,
            n: m.rows(),
            budget: Budget(work),
            zeros: vec![Zero::Neither; m.rows()],
            unsure: false,
        }
    }

    fn run(mut self) -> Finding {
        match self.branch() {
            Branch::Found(evidence) => Finding::No(evidence),
            Branch::Spent => Finding::TooLarge,
            Branch::Done if self.unsure => Finding::TooClose,
            Branch::Done => Finding::yes("search over complementary cones"),
        }
    }

    fn branch(&mut self) -> Branch {
        let free: Vec<usize> = (0..self.n).filter(|&i| self.zeros[i] != Zero::Z).collect();
        let conflict = match self.point(&free) {
            Cone::Empty => return Branch::Done,
            Cone::Spent => return Branch::Spent,
            Cone::Unsure => None,
            Cone::Ray(u) => {
                let z = pad(&u, &free, self.n);
                if let Some(evidence) = self.refutation(&z) {
                    return Branch::Found(evidence);
                }
                self.conflict(&z)
            }
        };
        let undecided = |i: &usize| self.zeros[*i] == Zero::Neither;
        let Some(i) = conflict.or_else(|| (0..self.n).find(undecided)) else {
            self.unsure = true;
            return Branch::Done;
        };
        for zero in [Zero::Z, Zero::W] {
            self.zeros[i] = zero;
            match self.branch() {
                Branch::Done => {}
                end => return end,
            }
        }
        self.zeros[i] = Zero::Neither;
        Branch::Done
    }

    /// A point other than zero with z ≥ 0, w ≥ 0 and the zeros chosen so far.
    fn point(&mut self, free: &[usize]) -> Cone<N> {
        let (entries, n) = (self.entries, self.n);
        let row = |i: usize| free.iter().map(move |&j| entries[i * n + j]);
        let mut g: Vec<Vec<N>> = Vec::with_capacity(2 * self.n);
        for i in 0..self.n {
            g.push(row(i).map(N::negate).collect());
            if self.zeros[i] == Zero::W {
                g.push(row(i).collect());
            }
        }
        ray(&g, &vec![N::ONE; free.len()], &mut self.budget)
    }

    fn refutation(&self, z: &[f64]) -> Option<Evidence> {
        match Finding::checked(self.m, Class::R0, Evidence::Kernel { z: z.to_vec() }) {
            Finding::No(evidence) => Some(evidence),
            _ => None,
        }
    }

    /// The undecided pair with the largest product.
    fn conflict(&self, z: &[f64]) -> Option<usize> {
        let product = |i: usize| z[i] * crate::matrix::dot(self.m.row(i), z);
        let largest = (0..self.n)
            .filter(|&i| self.zeros[i] == Zero::Neither)
            .max_by(|&i, &j| product(i).total_cmp(&product(j)).then(j.cmp(&i)))?;
        (product(largest) > 0.0).then_some(largest)
    }
}
