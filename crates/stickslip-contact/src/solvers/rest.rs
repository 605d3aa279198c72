//! Impulses of what stands still, sharpened in the velocities of bodies.
//!
//! Where every contact is open or holds, the laws ask for ξ = 0 in the rows that hold, and what is left of it is taken away by the least impulses
//! that do so. With r what is left, G the inverse of W in each row by itself and K = σ 1 + A G Aᵀ,
//!
//! K v = −A G r,   K q = v,   d = G Aᵀ q:
//!
//! v is the change of the bodies' velocities, and d the least impulses that make it. A contact whose friction is at its limit keeps its
//! direction: G is p pᵀ / pᵀ W p there, with p the impulse that it has. σ keeps K regular where bodies can move though their contacts hold; a second round
//! takes away what σ and rounding leave. Six unknowns per body in place of three per contact, and one factorisation.

use super::BlockForm;
use super::body_matrix::BodyMatrix;
use crate::block::BlockLlt;
use crate::body_rows::{BodyRows, Six};
use crate::law::{Friction, Kind, Rule};

/// Friction that has this share of its limit at most holds its contact: impulses are known to some 10⁻⁹ of themselves.
const INSIDE: f64 = 1.0 - 1e-6;
/// σ: large beside rounding, small beside the eigenvalues of what contacts hold, which are some 10⁻⁴ in tall stacks.
const SIGMA: f64 = 1e-10;
/// A contact at its limit that is slower than this share of the velocities of the problem does not slip.
const STILL: f64 = 1e-9;
/// Rounds with one factorisation.
const ROUNDS: usize = 2;

/// What becomes of the velocities of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hold {
    /// They are held row by row, some perhaps not.
    Rows,
    /// All are held by others; its own impulse keeps its direction.
    Limit,
}

/// The storage of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    matrix: BodyMatrix,
    factors: BlockLlt,
    holds: Vec<Hold>,
    /// G of a row is its square; of a contact at its limit it is the product of two of them.
    units: Vec<f64>,
    velocity: Vec<Six>,
    unknowns: Vec<f64>,
    scaled: Vec<f64>,
    zero: Vec<f64>,
}

impl Rest {
    /// Takes away what of ξ is left in the rows that hold. Returns false where a contact slips.
    pub(super) fn sharpen(
        &mut self,
        problem: &BlockForm,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> bool {
        let Some(rows) = problem.bodies() else { return false };
        if !self.hold(problem, rows, (impulse, velocity)) {
            return false;
        }
        self.matrix.prepare(rows);
        let (units, holds) = (&self.units, &self.holds);
        self.matrix.fill(rows, SIGMA, |i| {
            let (mut weights, own) = ([[0.0; 6]; 6], &units[rows.range(i)]);
            for (c, x) in own.iter().enumerate() {
                for (r, y) in own.iter().enumerate().filter(|y| y.0 == c || holds[i] == Hold::Limit)
                {
                    weights[c][r] = x * y;
                }
            }
            (weights, own.len())
        });
        let graph = &self.matrix.graph;
        if !self.factors.factorise(&graph.tree, &graph.offsets, &self.matrix) {
            return false;
        }
        for _ in 0..ROUNDS {
            rows.multiply_add(impulse, problem.b(), velocity);
            self.add(rows, impulse, velocity);
        }
        true
    }

    /// Finds out which rows hold, and puts friction that is beyond its limit by rounding on it; false if a contact slips, or may slip.
    fn hold(
        &mut self,
        problem: &BlockForm,
        rows: &BodyRows,
        (impulse, velocity): (&mut [f64], &[f64]),
    ) -> bool {
        let still = STILL * problem.reference();
        self.units.clear();
        self.holds.clear();
        for (i, law) in problem.laws().iter().enumerate() {
            let (range, normals) = (problem.rows(i), law.kind.normals());
            let lam = &mut impulse[range.clone()];
            let open = normals > 0 && !(lam[0] > 0.0);
            let bilateral = matches!(law.kind, Kind::Bilateral(_));
            let smooth = !bilateral && law.mu == 0.0 && !law.has_free_friction();
            let limit = !(open || smooth || law.holds(lam, INSIDE));
            if limit {
                let slips = velocity[range.clone()].iter().skip(normals).any(|x| x.abs() > still);
                let Rule::Friction(Friction { mu, radius: 0.0, set, normals: 1 }) = law.rule()
                else {
                    return false;
                };
                if slips || law.curve().is_some() {
                    return false;
                }
                let share = mu * lam[0] / set.gauge(&lam[1..]);
                lam[1..].iter_mut().for_each(|x| *x *= share);
                let made = energy(rows, i, lam);
                self.units.extend(lam.iter().map(|x| x / made));
            } else {
                self.units.extend(range.enumerate().map(|(r, row)| {
                    let held = !open && (r < normals || !smooth);
                    let own = if held { rows.own(row) } else { 0.0 };
                    if own > 0.0 { own.sqrt().recip() } else { 0.0 }
                }));
            }
            self.holds.push(if limit { Hold::Limit } else { Hold::Rows });
        }
        self.zero.clear();
        self.zero.resize(impulse.len(), 0.0);
        true
    }

    /// Adds the least impulses that take these velocities away.
    fn add(&mut self, rows: &BodyRows, impulse: &mut [f64], xi: &[f64]) {
        self.scaled.clear();
        self.scaled.extend(xi.iter().map(|xi| -xi));
        self.weigh(rows);
        let Self { factors, velocity, unknowns, scaled, zero, .. } = self;
        rows.bodies_into(scaled, velocity);
        unknowns.clear();
        unknowns.extend(velocity.iter().flatten());
        factors.solve(unknowns);
        factors.solve(unknowns);
        velocity.iter_mut().zip(unknowns.chunks_exact(6)).for_each(|(v, x)| v.copy_from_slice(x));
        rows.contacts_into(velocity, zero, scaled);
        self.weigh(rows);
        impulse.iter_mut().zip(&self.scaled).for_each(|(lam, d)| *lam += d);
    }

    /// G times what is in `scaled`.
    fn weigh(&mut self, rows: &BodyRows) {
        for (i, hold) in self.holds.iter().enumerate() {
            let (x, units) = (&mut self.scaled[rows.range(i)], &self.units[rows.range(i)]);
            let sum: f64 = x.iter().zip(units).map(|(x, unit)| x * unit).sum();
            for (x, unit) in x.iter_mut().zip(units) {
                *x = unit * if *hold == Hold::Limit { sum } else { *x * unit };
            }
        }
    }
}

/// The square root of the energy that an impulse of a contact has by itself, twice.
fn energy(rows: &BodyRows, i: usize, lam: &[f64]) -> f64 {
    let (n, own) = (lam.len(), rows.diagonal(i));
    let product = |r: usize| -> f64 { (0..n).map(|c| own[n * r + c] * lam[c]).sum() };
    let sum: f64 = (0..n).map(|r| lam[r] * product(r)).sum();
    if sum > 0.0 { sum.sqrt() } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::super::sweeps::tests::wall;
    use super::super::{Cascade, Method};
    use crate::ContactProblem;

    /// The answer, and the same with every impulse off by up to this share of itself, in its normal and its friction alike.
    fn answer(problem: &ContactProblem, off: f64) -> (Vec<f64>, Vec<f64>) {
        let right = Cascade::default().solve(problem).impulse.clone();
        let wrong =
            |(r, lam): (usize, &f64)| lam * (1.0 + off * ((7 * (r / 3)) % 11) as f64 / 11.0);
        let near = right.iter().enumerate().map(wrong).collect();
        (right, near)
    }

    #[test]
    fn a_good_guess_of_what_rests_is_sharpened_by_one_factorisation() {
        let problem = wall(8, 0.5, 0.0);
        let (_, near) = answer(&problem, 1e-10);
        assert!(problem.certificate(&near).unwrap().worst > 1e-11);
        let mut solver = Cascade::default();
        let found = solver.solve_from(&problem, &near).unwrap().clone();
        let methods: Vec<_> = solver.attempts().iter().map(|a| a.method).collect();
        assert_eq!(methods, ["warm start", "at rest"], "{:?}", solver.attempts());
        assert_eq!(found.factorisations, 1);
        assert!(found.certificate.worst < 1e-14, "{:?}", found.certificate);
        // The least impulses that do it: none is larger than what was off.
        let moved = found.impulse.iter().zip(&near).map(|(a, b)| (a - b).abs());
        let size = near.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(moved.fold(0.0, f64::max) < 1e-9 * size);
    }

    #[test]
    fn friction_at_its_limit_keeps_its_direction() {
        let problem = wall(8, 0.5, 0.0);
        let (right, near) = answer(&problem, 1e-10);
        // The least friction with which the same impulses are admissible: one contact is at its limit.
        let slope = |lam: &[f64]| if lam[0] > 1e-3 { lam[1].hypot(lam[2]) / lam[0] } else { 0.0 };
        let (at, mu) =
            right.chunks(3).map(slope).enumerate().fold((0, 0.0), |most: (usize, f64), (i, x)| {
                if x > most.1 { (i, x) } else { most }
            });
        assert!(mu > 1e-3, "{mu}");
        let laws = problem.laws().iter().map(|law| crate::Law { mu, ..law.clone() }).collect();
        let bias = problem.bias().to_vec();
        let problem = ContactProblem::new(problem.delassus().clone(), bias, laws).unwrap();
        let mut solver = Cascade::default();
        let found = solver.solve_from(&problem, &near).unwrap().clone();
        assert!(found.certificate.worst < 1e-13, "{:?}", found.certificate);
        assert_eq!(solver.attempts()[1].method, "at rest");
        let [old, new] = [&near, &found.impulse].map(|x| &x[3 * at..3 * at + 3]);
        assert!((new[1] * old[2] - new[2] * old[1]).abs() < 1e-13 * mu * mu * old[0] * old[0]);
        assert!((slope(new) / mu - 1.0).abs() < 1e-12, "{} for {mu}", slope(new));
    }

    #[test]
    fn what_slips_is_left_to_newtons_method() {
        let problem = wall(8, 0.1, 2.0);
        let (_, near) = answer(&problem, 1e-10);
        let mut solver = Cascade::default();
        let found = solver.solve_from(&problem, &near).unwrap();
        assert!(found.is_solved(), "{:?}", found.certificate);
        assert!(solver.attempts().iter().all(|a| a.method != "at rest"), "{:?}", solver.attempts());
    }
}
