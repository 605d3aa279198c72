//! Sensitivity: how a solution of a contact problem moves with what the problem is made of.
//!
//! Where every contact is away from a change of mode the laws are equations, and the derivative solves a linear system. At
//! a change of mode (a contact about to open or to close, to slip or to stick) there are derivatives to either side only:
//! each is found among the *branches* of the laws, all of which are tried, so that a missing or an ambiguous derivative
//! is seen.
//!
//! ```
//! use stickslip_contact::analysis::sensitivity::{Sensitivity, Variation};
//! use stickslip_contact::Law;
//! use stickslip_contact::solve::ContactSolver;
//! use stickslip_contact::ContactProblem;
//! use complementarity::Matrix;
//!
//! // A block of 2 kg pushed over the floor: Λ_T = −μ Λ_N, and one more of μ is 20 N less.
//! let w = Matrix::from_rows(&[[0.5, 0.0], [0.0, 0.5]])?;
//! let problem = ContactProblem::new(w, vec![-10.0, 8.0], vec![Law::coulomb(0.3)])?;
//! let mut solver = ContactSolver::default();
//! let sensitivity = Sensitivity::of(&problem, &solver.solve(&problem).impulse)?;
//! let mut friction = Variation::none(&problem);
//! friction.mu[0] = 1.0;
//! let slope = sensitivity.along(&friction)?;
//! let derivative = slope.unique().expect("away from a change of mode");
//! assert!((derivative.impulse[1] + 20.0).abs() < 1e-9 && derivative.both_sides);
//! # Ok::<(), stickslip_contact::Error>(())
//! ```

mod branches;
mod variation;

pub use branches::Unknown;
pub use branches::turned;
pub use variation::{Change, Variation};

use crate::ContactProblem;
use crate::error::{Error, check};
use crate::tolerance::CERTIFIED;
use crate::tolerance::NO_CHANGE;
use branches::{Branch, Place, Row, branches, smallest};
use complementarity::Matrix;
use nalgebra::{DMatrix, DVector, SVD};

/// Singular values below this share of the largest are zero.
const RANK: f64 = 1e-11;
/// A derivative may miss an equation or inequality by this share of what it adds up.
const MISS: f64 = 1e-9;
/// The most combinations of branches that are tried.
pub const MOST_BRANCHES: usize = 4096;

/// A solution, ready to be differentiated.
#[derive(Debug)]
pub struct Sensitivity<'a> {
    problem: &'a ContactProblem,
    w: Matrix,
    impulse: Vec<f64>,
    branches: Vec<Vec<Branch>>,
}

/// The derivative of a solution with respect to a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivative {
    /// Λ'.
    pub impulse: Vec<f64>,
    /// ξ'.
    pub velocity: Vec<f64>,
    /// Whether Λ' is the only one that gives ξ'; if not, it is the least of them.
    pub impulses_unique: bool,
    /// Whether it holds to both sides of the solution; if not, only for a parameter that grows.
    pub both_sides: bool,
}

/// All derivatives of a solution along a variation of its problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Slope {
    /// The derivatives: one at a regular solution; none or several where the solution ends or branches.
    pub derivatives: Vec<Derivative>,
    /// Whether every branch was decided.
    pub complete: bool,
}

impl Slope {
    /// The derivative, if there is one and no other.
    #[must_use]
    pub fn unique(&self) -> Option<&Derivative> {
        match self.derivatives.as_slice() {
            [one] if self.complete => Some(one),
            _ => None,
        }
    }
}

impl<'a> Sensitivity<'a> {
    /// Looks at a solution. Cost: the square of the number of components.
    ///
    /// # Errors
    /// If the impulses do not solve the problem (a certificate above 1e-6), a contact is where no derivative is known
    /// ([`Unknown`]), or there are more than [`MOST_BRANCHES`] combinations.
    pub fn of(problem: &'a ContactProblem, impulse: &[f64]) -> Result<Self, Error> {
        problem.refuse_varying_friction("the sensitivity of a solution")?;
        problem.refuse_associated("the sensitivity of a solution")?;
        let worst = problem.certificate(impulse)?.worst;
        let wanted = "at most 1e-6: only a solution can be differentiated";
        check(|| "the certificate of the impulses".into(), worst, worst <= CERTIFIED, wanted)?;
        let w = problem.delassus().to_dense();
        let mut xi = vec![0.0; impulse.len()];
        problem.velocity_into(impulse, &mut xi);
        let mut all = Vec::with_capacity(problem.contacts());
        let mut combinations = 1_usize;
        for (contact, law) in problem.laws().iter().enumerate() {
            let rows = problem.rows(contact);
            let (still, idle) = smallest(problem, &w, impulse, contact, NO_CHANGE);
            let (lam, xi) = (&impulse[rows.clone()], &xi[rows]);
            let place = Place { law, lam, xi, still, idle, zero: NO_CHANGE };
            let cases = branches(&place).map_err(|why| Error::NoDerivative { contact, why })?;
            combinations = combinations.saturating_mul(cases.len());
            all.push(cases);
        }
        let few = combinations <= MOST_BRANCHES;
        let wanted = "at most 4096: fewer contacts at a change of mode";
        check(|| "the number of branches".into(), combinations as f64, few, wanted)?;
        Ok(Self { problem, w, impulse: impulse.to_vec(), branches: all })
    }

    /// The contacts that are at a change of mode, where only one-sided derivatives exist.
    #[must_use]
    pub fn at_change(&self) -> Vec<usize> {
        (0..self.branches.len()).filter(|&c| self.branches[c].len() > 1).collect()
    }

    /// The derivatives with respect to a parameter that changes the problem as `variation` says; for one that falls,
    /// [`Variation::reversed`], and the derivative from that side is the negative of what is returned.
    ///
    /// Cost: a singular value decomposition with as many rows as components, for every combination of branches.
    ///
    /// # Errors
    /// If sizes do not fit the problem or a number is not finite.
    pub fn along(&self, variation: &Variation) -> Result<Slope, Error> {
        variation.validate(self.problem)?;
        // ξ' = W Λ' + g.
        let mut g = variation.delassus.mul_vec(&self.impulse);
        g.iter_mut().zip(&variation.bias).for_each(|(g, b)| *g += b);
        let regular = self.branches.iter().all(|b| b.len() == 1);
        let mut slope = Slope { derivatives: Vec::new(), complete: true };
        let mut choice = vec![0; self.branches.len()];
        loop {
            match self.solve(&choice, &g, variation) {
                Solved::Holds(derivative) => {
                    slope.add(Derivative { both_sides: regular, ..derivative });
                }
                Solved::Fails => {}
                Solved::Undecided => slope.complete = false,
            }
            if !self.next(&mut choice) {
                return Ok(slope);
            }
        }
    }

    fn next(&self, choice: &mut [usize]) -> bool {
        for (c, branches) in choice.iter_mut().zip(&self.branches) {
            *c += 1;
            if *c < branches.len() {
                return true;
            }
            *c = 0;
        }
        false
    }

    /// The derivative of one combination of branches.
    fn solve(&self, choice: &[usize], g: &[f64], variation: &Variation) -> Solved {
        let n = g.len();
        let scale: Vec<f64> = (0..n).map(|i| unit(self.w.row(i)[i])).collect();
        let mut system = System { j: DMatrix::zeros(n, n), rhs: DVector::zeros(n) };
        let mut at = 0;
        for (contact, &c) in choice.iter().enumerate() {
            for row in &self.branches[contact][c].equations {
                let flat = self.flat(contact, row, g, variation);
                system.set(at, &flat, &scale);
                at += 1;
            }
        }
        let Some((x, null)) = system.least() else { return Solved::Undecided };
        let unique = null.ncols() == 0;
        if !self.silent(&null, &scale) {
            return Solved::Undecided;
        }
        let impulse: Vec<f64> = x.iter().zip(&scale).map(|(x, s)| x * s).collect();
        let mut velocity = self.w.mul_vec(&impulse);
        velocity.iter_mut().zip(g).for_each(|(v, g)| *v += g);
        let derivative =
            Derivative { impulse, velocity, impulses_unique: unique, both_sides: false };
        let holds = |row: &Row, contact: usize, equal: bool| {
            let flat = self.flat(contact, row, g, variation);
            let terms = flat.lam.iter().zip(&derivative.impulse).map(|(a, l)| a * l);
            let size = flat.largest(&scale) * x.amax() + flat.rhs.abs() + flat.size;
            let miss = terms.sum::<f64>() - flat.rhs;
            if equal { miss.abs() <= MISS * size } else { miss >= -MISS * size }
        };
        let mut inside = true;
        for (contact, &c) in choice.iter().enumerate() {
            let branch = &self.branches[contact][c];
            if !branch.equations.iter().all(|row| holds(row, contact, true)) {
                return if unique { Solved::Undecided } else { Solved::Fails };
            }
            inside &= branch.inequalities.iter().all(|row| holds(row, contact, false));
        }
        match (inside, unique) {
            (true, _) => Solved::Holds(derivative),
            (false, true) => Solved::Fails,
            (false, false) => Solved::Undecided,
        }
    }

    /// Whether these scaled impulses change no velocity.
    fn silent(&self, null: &DMatrix<f64>, scale: &[f64]) -> bool {
        null.column_iter().all(|v| {
            let impulse: Vec<f64> = v.iter().zip(scale).map(|(x, s)| x * s).collect();
            let gamma = self.w.mul_vec(&impulse);
            gamma.iter().zip(scale).all(|(g, s)| (g * s).abs() <= NO_CHANGE)
        })
    }

    /// A row of a branch as one in Λ' alone.
    fn flat(&self, contact: usize, row: &Row, g: &[f64], variation: &Variation) -> Flat {
        let rows = self.problem.rows(contact);
        let first = rows.start;
        let normal = match self.problem.laws()[contact].kind.normals() {
            0 => 0.0,
            _ => self.impulse[first].max(0.0),
        };
        let drift = variation.mu[contact] * normal + variation.radius[contact];
        let turn = &variation.friction[contact];
        let mut rhs = row.drift * drift + (0..3).map(|r| row.turn[r] * turn[r]).sum::<f64>();
        let mut lam = vec![0.0; g.len()];
        let mut size = 0.0;
        for (k, r) in rows.enumerate() {
            lam[r] += row.lam[k];
            if row.xi[k] != 0.0 {
                for (l, w) in lam.iter_mut().zip(self.w.row(r)) {
                    *l += row.xi[k] * w;
                }
                rhs -= row.xi[k] * g[r];
                size += (row.xi[k] * g[r]).abs();
            }
        }
        Flat { lam, rhs, size }
    }
}

enum Solved {
    Holds(Derivative),
    Fails,
    Undecided,
}

/// lam·Λ' = rhs, with the size of the terms of rhs.
struct Flat {
    lam: Vec<f64>,
    rhs: f64,
    size: f64,
}

impl Flat {
    /// The largest coefficient, in the units of the scaled impulses.
    fn largest(&self, scale: &[f64]) -> f64 {
        self.lam.iter().zip(scale).fold(0.0_f64, |m, (l, s)| m.max((l * s).abs()))
    }
}

struct System {
    j: DMatrix<f64>,
    rhs: DVector<f64>,
}

impl System {
    fn set(&mut self, at: usize, row: &Flat, scale: &[f64]) {
        let largest = row.largest(scale);
        let over = if largest > 0.0 { 1.0 / largest } else { 1.0 };
        for (i, (l, s)) in row.lam.iter().zip(scale).enumerate() {
            self.j[(at, i)] = l * s * over;
        }
        self.rhs[at] = row.rhs * over;
    }

    /// The least solution in the sense of least squares, and a basis of what the matrix does not see.
    fn least(self) -> Option<(DVector<f64>, DMatrix<f64>)> {
        let n = self.j.nrows();
        if n == 0 {
            return Some((self.rhs, DMatrix::zeros(0, 0)));
        }
        if !self.j.iter().chain(self.rhs.iter()).all(|v| v.is_finite()) {
            return None;
        }
        let svd = SVD::try_new(self.j, true, true, f64::EPSILON, 100 * n + 100)?;
        let smallest = RANK * svd.singular_values.max();
        let x = svd.solve(&self.rhs, smallest).ok()?;
        let blind: Vec<usize> = (0..n).filter(|&i| svd.singular_values[i] <= smallest).collect();
        let null = svd.v_t?.transpose().select_columns(&blind);
        x.iter().all(|v| v.is_finite()).then_some((x, null))
    }
}

impl Slope {
    /// Branches meet where their inequalities are equalities: the same derivative counts once.
    fn add(&mut self, new: Derivative) {
        let size = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let near = |a: &[f64], b: &[f64]| {
            let largest = size(a).max(size(b));
            a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e3 * MISS * largest)
        };
        let same = |old: &Derivative| {
            near(&old.velocity, &new.velocity)
                && (near(&old.impulse, &new.impulse)
                    || !(old.impulses_unique && new.impulses_unique))
        };
        if !self.derivatives.iter().any(same) {
            self.derivatives.push(new);
        }
    }
}

/// 1/√W_ii: impulses of components in units in which they give the same energy.
fn unit(w: f64) -> f64 {
    if w > 0.0 { 1.0 / w.sqrt() } else { 1.0 }
}
