//! What the search may rely on: decisions about a node in exact arithmetic.
//!
//! Notation: variable j < n is z_j, variable n + i is w_i; sets of variables are bits.

use super::tree::Outcome;
use crate::exact::elimination::{Linear, solve};
use crate::exact::number::{Interval, Number, Sign};
use crate::exact::{Decision, Dyadic, ExactSystem, Hint};
use crate::linalg::{Exponents, LinearProgram};
use crate::tolerance::ENUMERATE_WORK;
use crate::{Lcp, LcpCases};
use std::cmp::Ordering;

/// The given problem, for questions about nodes of the case distinction.
pub(super) struct Exact<'a> {
    problem: &'a Lcp,
}

/// What a node in which every pair is decided holds.
pub(super) enum Leaf {
    Empty,
    /// One solution, and the variables that are positive there.
    Point(Vec<f64>, u64),
    /// More than a point, or it takes too much work.
    Unknown,
}

impl<'a> Exact<'a> {
    pub(super) fn new(problem: &'a Lcp) -> Self {
        Self { problem }
    }

    /// A Farkas vector for the node of the linear program, which has tried to find one.
    pub(super) fn contradiction(
        &self,
        lp: &LinearProgram,
        scaling: &Exponents,
    ) -> Option<Vec<Dyadic>> {
        let n = self.problem.len();
        let system = self.system(lp);
        let (mut scaled, mut y) = (vec![0.0; n], vec![0.0; n]);
        lp.farkas(&mut scaled);
        scaling.combination(&scaled, &mut y);
        if let Some(y) = system.short_farkas_near(&y) {
            return Some(y);
        }
        match system.decide_from(&hint(lp), ENUMERATE_WORK) {
            Decision::Infeasible(y) => system.check(&y).is_ok().then_some(y),
            _ => None,
        }
    }

    /// The end of a branch by a Farkas vector, with the variables that have to be fixed for it. Those
    /// left out may be freed, and the system stays infeasible.
    pub(super) fn empty(&self, lp: &LinearProgram, y: Vec<Dyadic>) -> Outcome {
        let n = self.problem.len();
        let system = ExactSystem::of_finite(self.problem.m(), self.problem.q());
        let rows = (0..n).filter(|&i| y[i].sign() == Ordering::Less).map(|i| n + i);
        let fixed = (0..n).filter(|&j| lp.is_fixed(j));
        let signs = system.signs_of_products(&y, fixed);
        let columns = signs.filter(|(_, sign)| *sign == Ordering::Greater).map(|(j, _)| j);
        let needed = rows.chain(columns).fold(0, |bits, v| bits | 1 << v);
        Outcome::Empty { needed, cases: Some(LcpCases::Contradiction { y }) }
    }

    /// Whether variable v is zero all over the node.
    pub(super) fn stays_zero(&self, lp: &LinearProgram, v: usize) -> bool {
        let system = self.system(lp);
        let solved = system.solved(&hint(lp), ENUMERATE_WORK);
        solved.and_then(|mut s| s.can_be_positive(v)) == Some(false)
    }

    /// Whether every pair has a member that is zero all over the node.
    pub(super) fn is_complementary(&self, lp: &LinearProgram) -> bool {
        let n = self.problem.len();
        let system = self.system(lp);
        let Some(mut solved) = system.solved(&hint(lp), ENUMERATE_WORK) else { return false };
        let open = |i: &usize| !lp.is_fixed(*i) && !lp.is_fixed(n + i);
        (0..n).filter(open).all(|i| {
            solved.can_be_positive(i) == Some(false) || solved.can_be_positive(n + i) == Some(false)
        })
    }

    /// Where the solution of the node is, if intervals suffice to show that it is the only one and that each
    /// pair has exactly one positive member there; and which these are.
    pub(super) fn determined(&self, lp: &LinearProgram) -> Option<(Vec<Interval>, u64)> {
        let (m, q, n) = (self.problem.m(), self.problem.q(), self.problem.len());
        let (_, support) = lp.basis();
        let decided = |i: &usize| lp.is_fixed(n + i) == support.contains(i);
        if !(0..n).all(|i| decided(&i)) {
            return None;
        }
        let entries = support.iter().flat_map(|&i| support.iter().map(move |&j| m[(i, j)]));
        let right = support.iter().map(|&i| Interval::point(-q[i]));
        let linear = solve(entries.map(Interval::point).collect(), right.collect());
        let Linear::Regular { x, .. } = linear else { return None };
        let positive = |i: usize| {
            let terms = support.iter().zip(&x).filter(|(j, _)| m[(i, **j)] != 0.0);
            let w = terms.fold(Interval::point(q[i]), |sum, (&j, &x)| {
                sum.add(Interval::point(m[(i, j)]).mul(x))
            });
            w.sign() == Sign::Positive
        };
        let sure = x.iter().all(|x| x.sign() == Sign::Positive && x.is_narrow())
            && (0..n).filter(|i| !support.contains(i)).all(positive);
        let mut z = vec![Interval::ZERO; n];
        let mut key = ((1 << n) - 1) << n;
        for (&j, x) in support.iter().zip(&x) {
            z[j] = *x;
            key ^= 1 << j | 1 << (n + j);
        }
        sure.then_some((z, key))
    }

    /// The solution of a node in which every pair is decided.
    pub(super) fn only_point(&self, lp: &LinearProgram) -> Leaf {
        let n = self.problem.len();
        let system = self.system(lp);
        let Some(mut solved) = system.solved(&hint(lp), ENUMERATE_WORK) else {
            let decision = system.decide_from(&hint(lp), ENUMERATE_WORK);
            return if matches!(decision, Decision::Infeasible(_)) {
                Leaf::Empty
            } else {
                Leaf::Unknown
            };
        };
        let z = solved.point().to_f64();
        let key = solved.positive().into_iter().fold(0, |bits, v| bits | 1 << v);
        let complementary = key & key >> n & ((1 << n) - 1) == 0;
        if complementary && solved.is_only() == Some(true) && z.iter().all(|z| z.is_finite()) {
            Leaf::Point(z, key)
        } else {
            Leaf::Unknown
        }
    }

    /// The inequalities of a node.
    fn system(&self, lp: &LinearProgram) -> ExactSystem<'a> {
        let n = self.problem.len();
        let mut system = ExactSystem::of_finite(self.problem.m(), self.problem.q());
        for i in 0..n {
            if lp.is_fixed(i) {
                system.fix_variable(i);
            }
            if lp.is_fixed(n + i) {
                system.fix_row(i);
            }
        }
        system
    }
}

fn hint(lp: &LinearProgram) -> Hint {
    let (rows, columns) = lp.basis();
    Hint::basis(rows, columns)
}
