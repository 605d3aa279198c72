//! Phantom inertia \[1\]: which ρ, the Schur complement that makes a plain problem of eq. (8), and what is tried where that
//! gives no certified answer.
//!
//! The set of solutions does not depend on ρ, nor on whether eq. (8) is solved as it stands or with Λ_T eliminated. What
//! depends on them is the path of a pivoting method and its rounding, so that one that fails is no reason to give up.

use super::general::take_answer;
use super::polyhedral::{as_polyhedron, lines};
use super::{ContactSolver, Encoding, Formulation, SolverChoice};
use crate::error::{Error, check};
use crate::{Certificate, ContactProblem, Law};
use complementarity::{Lcp, Matrix, Mlcp, Status};
use nalgebra::{Cholesky, DMatrix, DVector};

/// Below this reciprocal condition number the free unknowns are not eliminated: the Schur complement would carry its
/// inverse times rounding, 1e-12 of its entries, into a problem whose answers are judged to 1e-10.
const SCHUR_CONDITION: f64 = 1e-4;

/// The ρ that is chosen, as a share of a lower bound of its singular values.
const SHARE: f64 = 1e-2;

/// What `auto` tries where the given or chosen ρ leads to no certified answer: the chosen one times these factors.
const FACTORS: [f64; 5] = [1.0, 1e-2, 0.0, 10.0, 1e3];

/// The phantom inertia ρ ≥ 0 of a contact problem. 0 is allowed and is the formulation without it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Rho {
    /// [`default_rho`] of the problem.
    #[default]
    Chosen,
    /// The same for all contacts.
    Uniform(f64),
    /// One for each contact of the problem, also for those without friction, which do not use it. Only this comes before [`Law::rho`], by
    /// which contacts of a model have one of their own whatever others touch.
    PerContact(Vec<f64>),
}

impl From<f64> for Rho {
    fn from(rho: f64) -> Self {
        Self::Uniform(rho)
    }
}

impl From<Option<f64>> for Rho {
    fn from(rho: Option<f64>) -> Self {
        rho.map_or(Self::Chosen, Self::Uniform)
    }
}

impl Rho {
    /// Refuses what is negative or not finite.
    ///
    /// # Errors
    /// Which names the contact.
    pub fn validate(&self) -> Result<(), Error> {
        let wanted = "a finite number >= 0";
        match self {
            Self::Chosen => Ok(()),
            Self::Uniform(rho) => check(|| "rho".into(), *rho, *rho >= 0.0, wanted),
            Self::PerContact(list) => list.iter().enumerate().try_for_each(|(i, &rho)| {
                check(|| format!("rho of contact {i}"), rho, rho >= 0.0, wanted)
            }),
        }
    }

    /// That of each contact of a problem whose friction sets are polyhedra.
    ///
    /// # Errors
    /// If there is not one for each contact, or a friction set has no pairs of opposite facets.
    pub(super) fn of(&self, problem: &ContactProblem) -> Result<Vec<f64>, Error> {
        let (what, expected) = ("rho (one per contact)", problem.contacts());
        let mut all = match self {
            Self::Chosen => default_rho(problem)?,
            Self::Uniform(rho) => vec![*rho; expected],
            Self::PerContact(list) if list.len() == expected => return Ok(list.clone()),
            Self::PerContact(list) => {
                return Err(Error::Size { what, expected, found: list.len() });
            }
        };
        let own = problem.laws().iter().map(|law| law.rho);
        all.iter_mut().zip(own).for_each(|(rho, own)| *rho = own.unwrap_or(*rho));
        Ok(all)
    }
}

/// The phantom inertia that is chosen for each contact if none is given, for friction sets that are polyhedra
/// ([`ContactSolver::encoding`] has the problem with these).
///
/// The matrix of \[1\] eq. (8) is singular for ρ = 0 and where W − P is, with P_i = (2/ρ_i) E_i E_iᵀ on the tangential
/// components of contact i and the columns of E_i the normals of its lines. Nowhere is it if P > W_TT. With
/// 2 E_i E_iᵀ = L_i L_iᵀ that is so where 1/ρ_i > Σ_j ‖L_i⁻¹ W_ij L_j⁻ᵀ‖, by Gershgorin's theorem for blocks: the ρ chosen
/// are a hundredth of this bound. Large ρ have full rank too, but cost the matrix its non-negative principal minors and the
/// methods of solution their way.
///
/// # Errors
/// If a friction set has no pairs of opposite facets.
pub fn default_rho(problem: &ContactProblem) -> Result<Vec<f64>, Error> {
    let w = problem.delassus().to_dense();
    let scales = problem.laws().iter().map(normals_scale).collect::<Result<Vec<_>, _>>()?;
    let tangents = |i: usize| {
        let law = &problem.laws()[i];
        problem.rows(i).skip(law.kind.normals()).take(law.tangents())
    };
    let norm = |i: usize, j: usize| {
        let (Some(l_i), Some(l_j)) = (&scales[i], &scales[j]) else { return 0.0 };
        let (rows, cols): (Vec<_>, Vec<_>) = (tangents(i).collect(), tangents(j).collect());
        let block = DMatrix::from_fn(rows.len(), cols.len(), |r, c| w.row(rows[r])[cols[c]]);
        (l_i * block * l_j.transpose()).norm()
    };
    Ok((0..problem.contacts())
        .map(|i| {
            let rho = SHARE / (0..problem.contacts()).map(|j| norm(i, j)).sum::<f64>();
            if rho > 0.0 && rho.is_finite() { rho } else { 1.0 }
        })
        .collect())
}

/// L⁻¹ with L Lᵀ = 2 E Eᵀ, the sum of a aᵀ over the facets aᵀ f ≤ 1 of the friction polyhedron; none without friction.
fn normals_scale(law: &Law) -> Result<Option<DMatrix<f64>>, Error> {
    let Some(set) = law.kind.set().filter(|_| law.has_free_friction()) else { return Ok(None) };
    let d = set.dimension();
    let mut sum = DMatrix::zeros(d, d);
    for line in lines(&as_polyhedron(set)?)? {
        let e = DVector::from_vec(line);
        sum += 2.0 * &e * e.transpose();
    }
    Ok(Cholesky::new(sum).and_then(|c| c.l().solve_lower_triangular(&DMatrix::identity(d, d))))
}

impl ContactSolver {
    /// \[1\] eq. (8): in the Schur form where the condition of W_TT allows it, else as it stands; where that gives no
    /// certified answer, as it stands and with other ρ. A named method makes the first attempt alone.
    pub(super) fn attempt_phantom(&mut self, problem: &ContactProblem) -> Result<(), Error> {
        let rho = self.settings.rho.of(problem)?;
        if self.attempt_rho(problem, &rho)? || self.settings.solver != SolverChoice::Auto {
            return Ok(());
        }
        let mut best = self.solution.clone();
        let chosen = default_rho(problem)?;
        for factor in FACTORS {
            let other: Vec<f64> = chosen.iter().map(|r| r * factor).collect();
            if other != rho && self.attempt_rho(problem, &other)? {
                return Ok(());
            }
            if self.solution.certificate.worst < best.certificate.worst {
                best.clone_from(&self.solution);
            }
        }
        best.iterations = self.solution.iterations;
        self.solution = best;
        Ok(())
    }

    /// Both forms at one ρ; whether the answer is certified, or none exists.
    fn attempt_rho(&mut self, problem: &ContactProblem, rho: &[f64]) -> Result<bool, Error> {
        let solver = self.settings.solver;
        let encoding = Encoding::new(Formulation::PhantomInertia, problem, rho)?;
        let mixed = encoding.mixed(problem)?;
        if let Some(lcp) = mixed.to_lcp() {
            let answer = self.engine.solve(&lcp, false);
            let z = take_answer(&mut self.solution, solver, Some(answer));
            return Ok(self.certified(problem, &encoding, z));
        }
        if let Some(eliminated) = eliminate_free(&mixed)? {
            let answer = self.engine.solve(&eliminated.lcp, false);
            let z = take_answer(&mut self.solution, solver, Some(answer));
            let all = z.map(|z| eliminated.expand(&z));
            // A method for plain problems does not take the mixed form.
            let plain = solver == SolverChoice::PrincipalPivoting;
            if self.certified(problem, &encoding, all) || plain {
                return Ok(true);
            }
        }
        let answer = self.engine.solve_mixed(&mixed);
        let z = take_answer(&mut self.solution, solver, answer);
        Ok(self.certified(problem, &encoding, z))
    }

    /// Puts the impulses of unknowns into the solution, and judges them.
    fn certified(
        &mut self,
        problem: &ContactProblem,
        encoding: &Encoding,
        z: Option<Vec<f64>>,
    ) -> bool {
        let s = &mut self.solution;
        match z {
            Some(z) => encoding.decode(&z, &mut s.impulse),
            None => s.impulse.fill(0.0),
        }
        s.certificate = Certificate::of(problem, &s.impulse);
        s.certificate.worst <= self.settings.tolerance || s.status == Status::NoSolution
    }
}

/// A mixed problem whose free unknowns are eliminated by the Schur complement.
#[derive(Clone, Debug)]
pub struct Eliminated {
    /// The plain problem of the other unknowns.
    pub lcp: Lcp,
    kept: Vec<usize>,
    free: Vec<usize>,
    /// The free unknowns are `shift` + `slope` times the others.
    slope: DMatrix<f64>,
    shift: DVector<f64>,
}

impl Eliminated {
    /// Which unknowns of the mixed problem are left, in order.
    #[must_use]
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// All unknowns from those of the plain problem.
    #[must_use]
    pub fn expand(&self, z: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.kept.len() + self.free.len()];
        let kept = DVector::from_column_slice(z);
        let free = &self.shift + &self.slope * &kept;
        self.kept.iter().zip(kept.iter()).for_each(|(&i, x)| all[i] = *x);
        self.free.iter().zip(free.iter()).for_each(|(&i, x)| all[i] = *x);
        all
    }
}

/// Eliminates the free unknowns, whose block of the matrix must be symmetric; none if that block is not positive definite,
/// as it is not for redundant contacts, or its condition is too bad for its inverse to be used.
///
/// # Errors
/// If numbers overflow.
pub fn eliminate_free(problem: &Mlcp) -> Result<Option<Eliminated>, Error> {
    let (free, kept): (Vec<usize>, Vec<usize>) =
        (0..problem.len()).partition(|&i| problem.lower()[i] == f64::NEG_INFINITY);
    let block = |rows: &[usize], cols: &[usize]| {
        DMatrix::from_fn(rows.len(), cols.len(), |r, c| problem.m().row(rows[r])[cols[c]])
    };
    let part = |rows: &[usize]| DVector::from_fn(rows.len(), |r, _| problem.q()[rows[r]]);
    let Some(inverse) = well_conditioned_inverse(&block(&free, &free)) else { return Ok(None) };
    let slope = -(&inverse * block(&free, &kept));
    let shift = -(&inverse * part(&free));
    let outer = block(&kept, &free);
    let m = block(&kept, &kept) + &outer * &slope;
    let q = part(&kept) + &outer * &shift;
    let m = Matrix::from_vec(m.nrows(), m.ncols(), m.transpose().as_slice().to_vec())?;
    let lcp = Lcp::new(m, q.as_slice().to_vec())?;
    Ok(Some(Eliminated { lcp, kept, free, slope, shift }))
}

/// The inverse of a positive definite matrix whose reciprocal condition number, with its rows and columns scaled to a
/// diagonal of ones (components differ in unit) and in the norm of the largest sum of a row, is not below
/// [`SCHUR_CONDITION`].
fn well_conditioned_inverse(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let n = a.nrows();
    let scale = DVector::from_fn(n, |i, _| a[(i, i)].sqrt().recip());
    let scaled = |m: &DMatrix<f64>| DMatrix::from_fn(n, n, |r, c| scale[r] * m[(r, c)] * scale[c]);
    let unit = scaled(a);
    let inverse = Cholesky::new(unit.clone())?.inverse();
    let norm = |m: &DMatrix<f64>| {
        m.row_iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max)
    };
    (norm(&unit) * norm(&inverse) * SCHUR_CONDITION <= 1.0).then(|| scaled(&inverse))
}
