//! Instances: a problem, where it comes from, and what is known about it beforehand.

use complementarity::{Lcp, Matrix, Mlcp};
use stickslip_studies::Draw;

/// What a theorem says about an instance before anybody solves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A solution exists.
    Solvable,
    /// No solution exists.
    Unsolvable,
    /// Nobody knows.
    Unknown,
}

impl Expected {
    /// `Solvable` if the hypothesis of an existence theorem holds, else `Unknown`.
    pub fn solvable_if(hypothesis: bool) -> Self {
        if hypothesis { Self::Solvable } else { Self::Unknown }
    }
}

/// A plain problem with its origin.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Name of the family.
    pub family: &'static str,
    /// The size asked for; `problem.len()` is the nearest that the family can make.
    pub n: usize,
    /// The seed.
    pub seed: u64,
    /// The problem.
    pub problem: Lcp,
    /// What is known about it.
    pub expected: Expected,
    /// A solution, where the problem was built around one.
    pub solution: Option<Vec<f64>>,
}

/// A mixed problem with its origin.
#[derive(Clone, Debug)]
pub struct MixedInstance {
    /// Name of the family.
    pub family: &'static str,
    /// The size asked for; `problem.len()` is the nearest that the family can make.
    pub n: usize,
    /// The seed.
    pub seed: u64,
    /// The problem.
    pub problem: Mlcp,
    /// What is known about it.
    pub expected: Expected,
}

/// The data of a plain instance, before it is named.
#[derive(Clone, Debug)]
pub struct Plain {
    /// The matrix.
    pub m: Matrix,
    /// The vector.
    pub q: Vec<f64>,
    /// What is known.
    pub expected: Expected,
    /// A solution, where one was planted.
    pub solution: Option<Vec<f64>>,
}

impl Plain {
    /// A problem about which `expected` is known.
    pub fn new(m: Matrix, q: Vec<f64>, expected: Expected) -> Self {
        Self { m, q, expected, solution: None }
    }

    /// The problem with matrix `m` that (z, w) solves: q = w − M z.
    ///
    /// z and w must be complementary; the problem is then solvable whatever the matrix.
    pub fn planted(m: Matrix, z: Vec<f64>, w: &[f64]) -> Self {
        let q = m.mul_vec(&z).iter().zip(w).map(|(mz, w)| w - mz).collect();
        Self { m, q, expected: Expected::Solvable, solution: Some(z) }
    }
}

/// The data of a mixed instance, before it is named.
#[derive(Clone, Debug)]
pub struct Mixed {
    /// The matrix.
    pub m: Matrix,
    /// The vector.
    pub q: Vec<f64>,
    /// Lower bounds.
    pub lower: Vec<f64>,
    /// Upper bounds.
    pub upper: Vec<f64>,
    /// What is known.
    pub expected: Expected,
}

/// A family of plain problems: one line in the list of [`plain_families`](crate::plain_families).
#[derive(Clone, Copy)]
pub struct Family {
    /// The name.
    pub name: &'static str,
    /// The group it is reported under.
    pub group: &'static str,
    /// Whether `auto` must solve every solvable instance; false for families that are NP-hard.
    pub demanded: bool,
    /// Makes the data for a size.
    pub make: fn(&mut Draw, usize) -> Plain,
}

impl Family {
    /// The instance of a size and a seed.
    ///
    /// # Panics
    /// If the family makes data that are not a problem: a mistake of the family.
    pub fn instance(&self, n: usize, seed: u64) -> Instance {
        let plain = (self.make)(&mut Draw::new(self.name, n, seed), n);
        let problem = Lcp::new(plain.m, plain.q).expect("a family makes valid problems");
        Instance {
            family: self.name,
            n,
            seed,
            problem,
            expected: plain.expected,
            solution: plain.solution,
        }
    }
}

/// A family of mixed problems.
#[derive(Clone, Copy)]
pub struct MixedFamily {
    /// The name.
    pub name: &'static str,
    /// The group it is reported under.
    pub group: &'static str,
    /// Whether `auto` must solve every solvable instance; false for families that are NP-hard.
    pub demanded: bool,
    /// Makes the data for a size.
    pub make: fn(&mut Draw, usize) -> Mixed,
}

impl MixedFamily {
    /// The instance of a size and a seed.
    ///
    /// # Panics
    /// If the family makes data that are not a problem: a mistake of the family.
    pub fn instance(&self, n: usize, seed: u64) -> MixedInstance {
        let mixed = (self.make)(&mut Draw::new(self.name, n, seed), n);
        let problem = Mlcp::new(mixed.m, mixed.q, mixed.lower, mixed.upper)
            .expect("a family makes valid problems");
        MixedInstance { family: self.name, n, seed, problem, expected: mixed.expected }
    }
}
