//! All solutions of a planar contact problem by brute force: every mode of every contact, a plain linear system for each.

use complementarity::Matrix;
use nalgebra::{DMatrix, DVector};
use stickslip::contact::analysis::solutions::{Settings, all_solutions};
use stickslip::contact::{ContactProblem, Law};
use stickslip_studies::Draw;

/// A kind of random problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Contacts that roll, μ up to 1.
    Rolling,
    /// Contacts that roll, μ up to 4, masses over decades.
    Rough,
    /// Contacts that slide or roll, as on the level of accelerations.
    Sliding,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Rolling, Self::Rough, Self::Sliding];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rolling => "roll, μ ≤ 1",
            Self::Rough => "roll, μ ≤ 4",
            Self::Sliding => "slide or roll, μ ≤ 4",
        }
    }

    /// The problem of this seed; W is positive definite.
    pub fn problem(self, contacts: usize, seed: u64) -> ContactProblem {
        let mut draw = Draw::new(self.name(), contacts, seed);
        let n = 2 * contacts;
        let decades = if self == Self::Rolling { 0.0 } else { 1.5 };
        let coordinates = n + draw.index(n);
        let mass: Vec<f64> =
            (0..coordinates).map(|_| 10.0_f64.powf(draw.between(-decades, decades))).collect();
        let h = Matrix::from_fn(coordinates, n, |_, _| draw.between(-1.0, 1.0));
        let w = Matrix::from_fn(n, n, |i, j| {
            (0..coordinates).map(|k| h.row(k)[i] * h.row(k)[j] / mass[k]).sum()
        });
        let largest = if self == Self::Rolling { 1.0 } else { 4.0 };
        let laws = (0..contacts).map(|_| {
            let law = Law::coulomb(draw.between(0.0, largest));
            match self == Self::Sliding && draw.index(2) == 0 {
                true => law.sliding_with([draw.between(-1.0, 1.0), 0.0, 0.0]),
                false => law,
            }
        });
        let laws: Vec<Law> = laws.collect();
        let b = (0..n).map(|_| draw.between(-1.0, 1.0)).collect();
        ContactProblem::new(w, b, laws).expect("a random problem is in order")
    }
}

/// What a comparison found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Solutions by brute force.
    pub solutions: usize,
    /// Whether both lists are the same.
    pub agree: bool,
    /// Whether the search called its list complete, and proved an empty one.
    pub complete: bool,
}

/// Compares [`all_solutions`] with every mode tried one by one.
pub fn compare(problem: &ContactProblem) -> Verdict {
    let brute = every_mode(problem);
    let Ok(found) = all_solutions(problem, &Settings::default()) else {
        return Verdict { solutions: brute.len(), ..Verdict::default() };
    };
    let has = |x: &[f64]| found.solutions.iter().any(|s| near(&s.impulse, x));
    let agree = found.solutions.len() == brute.len() && brute.iter().all(|x| has(x));
    let proved = found.proof.as_ref().is_some_and(|p| p.check(problem).is_ok());
    let complete = found.is_complete() && (!found.solutions.is_empty() || proved);
    Verdict { solutions: brute.len(), agree, complete }
}

/// The impulses of all solutions: 4^k linear systems with 2 k rows, 2 in place of 4 for a contact that slides.
pub fn every_mode(problem: &ContactProblem) -> Vec<Vec<f64>> {
    let k = problem.contacts();
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut modes = vec![0_usize; k];
    loop {
        if let Some(x) = of_mode(problem, &modes).filter(|x| !found.iter().any(|f| near(f, x))) {
            found.push(x);
        }
        let advance = (0..k).find(|&i| {
            let most = if problem.laws()[i].sliding.is_some() { 2 } else { 4 };
            modes[i] = (modes[i] + 1) % most;
            modes[i] != 0
        });
        if advance.is_none() {
            return found;
        }
    }
}

/// Open, stick (or closed, for a contact that slides), slip to either side.
fn of_mode(problem: &ContactProblem, modes: &[usize]) -> Option<Vec<f64>> {
    let (w, b) = (problem.delassus().to_dense(), problem.bias());
    let n = b.len();
    let mut a = DMatrix::zeros(n, n);
    let mut r = DVector::zeros(n);
    let side = |i: usize| match (problem.laws()[i].slip(), modes[i]) {
        (_, 0) => Some(0.0),
        (Some(slip), _) => Some(-slip.sign()),
        (None, 1) => None,
        (None, 2) => Some(-1.0),
        (None, _) => Some(1.0),
    };
    for i in 0..modes.len() {
        let (nn, t) = (2 * i, 2 * i + 1);
        let mut held = |row: usize| {
            (0..n).for_each(|j| a[(row, j)] = w.row(row)[j]);
            r[row] = -b[row];
        };
        if modes[i] != 0 {
            held(nn);
        }
        match side(i) {
            None => held(t),
            Some(s) => {
                a[(t, t)] = 1.0;
                a[(t, nn)] = -s * problem.laws()[i].mu;
            }
        }
        if modes[i] == 0 {
            a[(nn, nn)] = 1.0;
        }
    }
    let x: Vec<f64> = a.lu().solve(&r)?.iter().copied().collect();
    let xi: Vec<f64> = w.mul_vec(&x).iter().zip(b).map(|(x, b)| x + b).collect();
    let holds = (0..modes.len()).all(|i| {
        let (nn, t, law) = (2 * i, 2 * i + 1, &problem.laws()[i]);
        match (modes[i], side(i)) {
            (0, _) => xi[nn] >= 0.0,
            (_, None) => x[nn] >= 0.0 && x[t].abs() <= law.mu * x[nn],
            (_, Some(_)) if law.sliding.is_some() => x[nn] >= 0.0,
            (_, Some(s)) => x[nn] >= 0.0 && s * xi[t] <= 0.0,
        }
    });
    holds.then_some(x)
}

fn near(a: &[f64], b: &[f64]) -> bool {
    let size = a.iter().chain(b).fold(0.0_f64, |m, v| m.max(v.abs()));
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-7 * size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_finds_what_every_mode_tried_one_by_one_gives() {
        let mut several = 0;
        for family in Family::ALL {
            for contacts in 1..=4 {
                for seed in 0..40 {
                    let problem = family.problem(contacts, seed);
                    let verdict = compare(&problem);
                    assert!(verdict.agree && verdict.complete, "{family:?} {contacts} {seed}");
                    several += usize::from(verdict.solutions != 1);
                }
            }
        }
        assert!(several > 20, "{several}");
    }
}
