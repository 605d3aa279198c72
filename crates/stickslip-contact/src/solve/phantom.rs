//! Phantom inertia \[1\]: which ρ, and the Schur complement that makes a plain problem of eq. (8).

use crate::error::Error;
use crate::set::ConvexSet;
use crate::{ContactProblem, Law};
use complementarity::{Lcp, Matrix, Mlcp};
use nalgebra::{Cholesky, DMatrix, DVector};

/// Pivots below this share of their diagonal entry are rounding: the free unknowns are not independent.
const PIVOT: f64 = 1e-10;

/// The phantom inertia that [`Settings::rho`](super::Settings::rho) stands for if it is not given.
///
/// The matrix of \[1\] eq. (8) is singular for ρ = 0 and where W − (2/ρ) E Eᵀ is, with E the normals of the friction
/// polyhedra: for k evenly spaced lines of length 1 where ρ is k times an eigenvalue of [W⁻¹]_TT. The default is at least
/// ten times the largest of these: 10 max(2 E Eᵀ) max([W⁻¹]_TT), the maxima being those of the eigenvalues. Round
/// friction sets count as `lines` such lines; where W is singular, [W⁻¹]_TT is taken on the range of W. Cost: eigenvalues
/// of a matrix of the size of W.
pub fn default_rho(problem: &ContactProblem, lines: usize) -> f64 {
    let n = problem.bias().len();
    let w = DMatrix::from_row_slice(n, n, problem.delassus().to_dense().as_slice());
    let eigen = w.symmetric_eigen();
    let largest = eigen.eigenvalues.amax();
    let tangential: Vec<usize> = (0..problem.contacts())
        .flat_map(|i| {
            let law = &problem.laws()[i];
            problem.rows(i).skip(law.kind.normals()).take(law.tangents())
        })
        .collect();
    // The pseudo-inverse of W between tangential components.
    let inverse = DMatrix::from_fn(tangential.len(), tangential.len(), |r, c| {
        let (r, c) = (tangential[r], tangential[c]);
        (0..n)
            .filter(|&e| eigen.eigenvalues[e] > PIVOT * largest)
            .map(|e| eigen.eigenvectors[(r, e)] * eigen.eigenvectors[(c, e)] / eigen.eigenvalues[e])
            .sum::<f64>()
    });
    let top = inverse.symmetric_eigenvalues().iter().fold(0.0_f64, |m, x| m.max(*x));
    let normals = problem.laws().iter().map(|law| normals_size(law, lines)).fold(0.0, f64::max);
    let rho = 10.0 * normals * top;
    if rho > 0.0 && rho.is_finite() { rho } else { 1.0 }
}

/// The largest eigenvalue of 2 E Eᵀ: the sum of a aᵀ over the facets aᵀ f ≤ 1 of the friction polyhedron.
fn normals_size(law: &Law, lines: usize) -> f64 {
    match law.kind.set() {
        None => 0.0,
        Some(ConvexSet::Polyhedron(p)) => {
            let d = p.dimension();
            let mut sum = DMatrix::zeros(d, d);
            for a in p.normals() {
                let a = DVector::from_column_slice(a);
                sum += &a * a.transpose();
            }
            sum.symmetric_eigenvalues().amax()
        }
        Some(ConvexSet::Interval) => 2.0,
        Some(_) => lines as f64,
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
    /// All unknowns from those of the plain problem.
    pub fn expand(&self, z: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.kept.len() + self.free.len()];
        let kept = DVector::from_column_slice(z);
        let free = &self.shift + &self.slope * &kept;
        self.kept.iter().zip(kept.iter()).for_each(|(&i, x)| all[i] = *x);
        self.free.iter().zip(free.iter()).for_each(|(&i, x)| all[i] = *x);
        all
    }
}

/// Eliminates the free unknowns, whose block of the matrix must be symmetric; none if that block is singular, as it is for
/// redundant contacts, or not positive definite.
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
    let inner = block(&free, &free);
    let Some(factor) = Cholesky::new(inner.clone()) else { return Ok(None) };
    let sound = |i: usize| factor.l_dirty()[(i, i)].powi(2) > PIVOT * inner[(i, i)];
    if !(0..free.len()).all(sound) {
        return Ok(None);
    }
    let slope = -factor.solve(&block(&free, &kept));
    let shift = -factor.solve(&part(&free));
    let outer = block(&kept, &free);
    let m = block(&kept, &kept) + &outer * &slope;
    let q = part(&kept) + &outer * &shift;
    let m = Matrix::from_vec(m.nrows(), m.ncols(), m.transpose().as_slice().to_vec())?;
    let lcp = Lcp::new(m, q.as_slice().to_vec())?;
    Ok(Some(Eliminated { lcp, kept, free, slope, shift }))
}
