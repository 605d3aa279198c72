//! Redundant contacts: how far impulses are not unique, and the least of those that do the same.
//!
//! Where W is singular (a box on four corners, a chain of connections that is closed) several impulses give the same
//! velocities. With ξ fixed, those that also obey the laws are a convex set S: the solutions of W Λ' = W Λ in a product
//! of cones, see `admissible`. Impulses are measured by |Λ|² = Σ W_ii Λ_i², the sum of the energies that each
//! component alone would give to the system at rest (twice): the same unit for forces and torques. T and O of a contact
//! have their mean weight, so that the answer does not depend on the tangential directions.
//!
//! Where contacts slip in several directions the velocities need not be unique either: the loads decide the friction.
//! The set is that of the velocities at hand.
//!
//! What counts as zero: a velocity below 10⁻⁸ of the largest that b holds, an angle between
//! slips below the same number, a null direction of W if its
//! eigenvalue (with W scaled to a diagonal of ones; its singular value where W is not symmetric) is below [`RANK`] of the largest, a width of S below [`WIDTH`] of the
//! size of the impulses.

mod admissible;
mod face;
mod held;
mod nearest;

use crate::error::{Error, check};
use crate::solve::ContactSolver;
use crate::tolerance::NO_VELOCITY;
use crate::{Certificate, ContactProblem};
use admissible::Admissible;
use complementarity::{Failure, Status};
pub(crate) use held::held;
use nalgebra::{DMatrix, DVector, SVD, SymmetricEigen};
use nearest::{FOUND, Nearest, Space, nearest};

/// Eigenvalues of the scaled W, or singular values if it is not symmetric, below this share of the largest count as zero.
pub const RANK: f64 = 1e-10;
/// The set of impulses is flat in a direction if it is thinner than this share of the size of the impulses.
pub const WIDTH: f64 = 1e-6;
/// Impulses with a worse certificate are not looked at.
const CERTIFIED: f64 = 1e-6;

/// How far the impulses of a contact problem are not unique.
#[derive(Clone, Debug, PartialEq)]
pub struct Redundancy {
    /// The rank of W: at most as many impulse components could be told apart by velocities.
    pub rank: usize,
    /// Rows of W.
    pub components: usize,
    /// The dimension of the set of impulses that give the same velocities and obey the laws: 0 if the impulses are
    /// unique.
    pub dimension: usize,
    /// As many directions along which the impulses can change; orthonormal in the norm Σ W_ii Λ_i² (T and O of a contact
    /// with their mean weight).
    pub basis: Vec<Vec<f64>>,
    /// Whether every direction was decided; if not, the dimension is at least the one told.
    pub decided: bool,
}

impl Redundancy {
    /// How far impulses that solve a problem are not unique.
    ///
    /// If a point strictly inside of all cones is found, the dimension is that of the null space of W, less what the
    /// equations of open and slipping contacts bind; else the set is explored from a point of it in every direction of
    /// that space. Cost: an eigenvalue problem with the rows of W; if the set has to be explored, two
    /// projections per direction, each of some factorisations.
    ///
    /// # Errors
    /// If the impulses do not solve the problem (a certificate above 1e-6), or numbers overflow.
    pub fn of(problem: &ContactProblem, impulse: &[f64]) -> Result<Self, Error> {
        problem.refuse_varying_friction("the count of redundant impulses")?;
        let worst = problem.certificate(impulse)?.worst;
        check(
            || "the certificate of the impulses".into(),
            worst,
            worst <= CERTIFIED,
            "at most 1e-6: only impulses that solve the problem can be compared with others that do",
        )?;
        Self::at(problem, impulse)
    }

    fn at(problem: &ContactProblem, impulse: &[f64]) -> Result<Self, Error> {
        let set = Admissible::new(problem, impulse, NO_VELOCITY);
        let (rank, space) = Space::of(problem, &set, NO_VELOCITY)?;
        let (directions, decided) = directions(&set, &space);
        let z = &space.z * directions;
        let basis = z.column_iter().map(|c| set.impulse(c.as_slice())).collect::<Vec<_>>();
        Ok(Self { rank, components: impulse.len(), dimension: basis.len(), basis, decided })
    }
}

impl Space {
    /// The rank of W, and the null space of W and of the equations of the laws.
    fn of(problem: &ContactProblem, set: &Admissible, zero: f64) -> Result<(usize, Self), Error> {
        let w = problem.delassus().to_dense();
        let (n, s) = (set.scale.len(), &set.scale);
        if n == 0 {
            return Ok((0, Self { a: DMatrix::zeros(0, 0), z: DMatrix::zeros(0, 0) }));
        }
        let overflow = || Error::Overflow { what: "the scaled Delassus matrix" };
        let scaled = DMatrix::from_fn(n, n, |i, j| w.row(i)[j] / (s[i] * s[j]));
        if !scaled.iter().all(|w| w.is_finite()) {
            return Err(overflow());
        }
        let (sizes, vectors) =
            spectrum(scaled, problem.delassus().is_symmetric()).ok_or_else(overflow)?;
        let largest = sizes.amax();
        let (null, range): (Vec<usize>, Vec<usize>) =
            (0..n).partition(|&i| sizes[i] <= RANK * largest);
        let z = vectors.select_columns(&null);
        let a = vectors.select_columns(&range);
        let (bound, free) = split(set, &z, zero).ok_or_else(overflow)?;
        let bound = &z * bound;
        let rows = DMatrix::from_fn(range.len() + bound.ncols(), n, |i, j| {
            if i < range.len() { a[(j, i)] } else { bound[(j, i - range.len())] }
        });
        Ok((range.len(), Self { a: rows, z: z * free }))
    }
}

/// Orthonormal directions and what W makes of each: |eigenvalues| with eigenvectors, or singular values with right singular
/// vectors, which is the same for a symmetric matrix and costs more.
fn spectrum(w: DMatrix<f64>, symmetric: bool) -> Option<(DVector<f64>, DMatrix<f64>)> {
    let most = 100 * w.nrows() + 100;
    if symmetric {
        let w = 0.5 * (&w + w.transpose());
        let eigen = SymmetricEigen::try_new(w, f64::EPSILON, most)?;
        return Some((eigen.eigenvalues.abs(), eigen.eigenvectors));
    }
    let svd = SVD::try_new(w, false, true, f64::EPSILON, most)?;
    Some((svd.singular_values, svd.v_t?.transpose()))
}

/// The directions of a space that the equations bind, and the others, along which they change by at most `zero`.
fn split(set: &Admissible, z: &DMatrix<f64>, zero: f64) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
    let p = z.ncols();
    // Rows of zeros make the decomposition give all p right vectors.
    let mut e = DMatrix::zeros(set.equations.len().max(p), p);
    for (i, equation) in set.equations.iter().enumerate() {
        for j in 0..p {
            let column = z.column(j);
            let entries = equation.row.iter().zip(column.iter().skip(equation.first));
            e[(i, j)] = entries.map(|(a, b)| a * b).sum();
        }
    }
    if p == 0 {
        return Some((DMatrix::zeros(0, 0), DMatrix::zeros(0, 0)));
    }
    let svd = SVD::try_new(e, false, true, f64::EPSILON, 100 * p + 100)?;
    let v = svd.v_t?.transpose();
    let (free, bound): (Vec<usize>, Vec<usize>) =
        (0..p).partition(|&i| svd.singular_values[i] <= zero);
    Some((v.select_columns(&bound), v.select_columns(&free)))
}

/// An orthonormal basis, in coordinates of `space.z`, of the directions in which the set extends, and whether all were
/// decided.
///
/// From a point of the set go far in a direction of the null space that is not yet in the basis, and take the nearest
/// point of the set: if the set extends in any such direction, one of these points is elsewhere.
fn directions(set: &Admissible, space: &Space) -> (DMatrix<f64>, bool) {
    let p = space.z.ncols();
    let width = WIDTH * set.reference;
    let all = || (DMatrix::identity(p, p), true);
    let mut decided = true;
    let start = DVector::from_column_slice(&set.start);
    if p == 0 || set.is_inside(start.as_slice(), width) {
        return all();
    }
    let mut points = vec![start];
    // The least one tends to be inside: it shares the load.
    points.extend(found(set, space, &DVector::zeros(set.start.len())));
    let mut basis: Vec<DVector<f64>> = Vec::new();
    // Each round finds a direction or is the last.
    for _ in 0..=p {
        let centre = mean(&points);
        if set.is_inside(centre.as_slice(), width) {
            return all();
        }
        let known = basis.len();
        decided = true;
        for point in &points {
            extend(&mut basis, space.z.tr_mul(&(point - &centre)), width);
        }
        for d in complement(&basis, p) {
            for sign in [1.0, -1.0] {
                let far = &centre + &space.z * &d * (sign * set.reference);
                let Some(point) = found(set, space, &far) else {
                    decided = false;
                    continue;
                };
                let before = basis.len();
                extend(&mut basis, space.z.tr_mul(&(&point - &centre)), width);
                if basis.len() > before {
                    points.push(point);
                }
            }
        }
        if basis.len() == known {
            break;
        }
    }
    let basis = if basis.is_empty() { DMatrix::zeros(p, 0) } else { DMatrix::from_columns(&basis) };
    (basis, decided)
}

/// The nearest point of the set, if it is found well enough to tell a width.
fn found(set: &Admissible, space: &Space, p: &DVector<f64>) -> Option<DVector<f64>> {
    nearest(set, space, p).filter(|n| n.residual <= 1e-3 * WIDTH).map(|n| n.x)
}

fn mean(points: &[DVector<f64>]) -> DVector<f64> {
    let n = points.first().map_or(0, DVector::len);
    points.iter().fold(DVector::zeros(n), |sum, p| sum + p) / points.len() as f64
}

/// Adds what is left of a vector beside an orthonormal basis, if it is longer than `least`.
fn extend(basis: &mut Vec<DVector<f64>>, mut v: DVector<f64>, least: f64) {
    for _ in 0..2 {
        for b in basis.iter() {
            v -= b * b.dot(&v);
        }
    }
    let length = v.norm();
    if length > least {
        basis.push(v / length);
    }
}

/// An orthonormal basis of what is beside an orthonormal basis in p dimensions.
fn complement(basis: &[DVector<f64>], p: usize) -> Vec<DVector<f64>> {
    let mut all = basis.to_vec();
    while all.len() < p {
        let rest = |j: usize| all.iter().map(|b| -b[j] * b[j]).sum::<f64>();
        let best = (0..p).max_by(|&a, &b| rest(a).total_cmp(&rest(b))).unwrap_or(0);
        extend(&mut all, DVector::from_fn(p, |i, _| f64::from(u8::from(i == best))), 0.0);
    }
    all.split_off(basis.len().min(all.len()))
}

/// Of all impulses that give the velocities of these and obey the laws, the least: see [`redundancy`](self) for the
/// norm. None where they are not found with a certificate within the tolerance, which is best about that of the given
/// ones.
///
/// The nearest point to 0 of a convex set, by Newton's method on its dual; a point that is found obeys the laws by
/// construction, and is the least by duality if the velocities are the same, which is what the method solves for.
///
/// # Errors
/// If the given impulses do not meet the tolerance.
pub fn minimum_norm(
    problem: &ContactProblem,
    impulse: &[f64],
    tolerance: f64,
) -> Result<Option<Vec<f64>>, Error> {
    let worst = problem.certificate(impulse)?.worst;
    let place = || "the certificate of the impulses".into();
    check(place, worst, worst <= tolerance, "at most the tolerance")?;
    let found = certified_least(problem, impulse, tolerance);
    Ok(found.map(|(least, _)| least.impulse))
}

/// Impulses of least norm, and the steps that it took to find them.
struct Least {
    impulse: Vec<f64>,
    steps: usize,
}

/// The least impulses that do the same; none where they are not found.
fn least(problem: &ContactProblem, impulse: &[f64], zero: f64) -> Option<Least> {
    let set = Admissible::new(problem, impulse, zero);
    let (_, space) = Space::of(problem, &set, zero).ok()?;
    if space.z.ncols() == 0 {
        return Some(Least { impulse: impulse.to_vec(), steps: 0 });
    }
    let Nearest { x, residual, steps } = nearest(&set, &space, &DVector::zeros(impulse.len()))?;
    (residual <= FOUND).then(|| Least { impulse: set.impulse(x.as_slice()), steps })
}

/// The least impulses that meet the tolerance, and their certificate.
fn certified_least(
    problem: &ContactProblem,
    impulse: &[f64],
    tolerance: f64,
) -> Option<(Least, Certificate)> {
    // With the second a velocity that is small but not zero opens a contact, and slips that are almost parallel are not.
    [NO_VELOCITY, tolerance].into_iter().find_map(|zero| {
        let least = least(problem, impulse, zero)?;
        let certificate = Certificate::of(problem, &least.impulse);
        (certificate.worst <= tolerance).then_some((least, certificate))
    })
}

impl ContactSolver {
    /// How far the impulses of the last answer, which must be to this problem, are not unique: within the laws that the
    /// formulation stands for. See [`Redundancy::of`] for what it costs.
    ///
    /// # Errors
    /// If the last answer is not one to this problem, or numbers overflow.
    pub fn redundancy(&self, problem: &ContactProblem) -> Result<Redundancy, Error> {
        let s = &self.solution;
        let (expected, found) = (problem.bias().len(), s.impulse.len());
        if expected != found {
            return Err(Error::Size { what: "the last answer", expected, found });
        }
        let model = self.model(problem, s.formulation)?;
        let own = model.as_ref().unwrap_or(problem);
        let worst = Certificate::of(own, &s.impulse).worst;
        check(
            || "the certificate of the last answer".into(),
            worst,
            worst <= CERTIFIED,
            "at most 1e-6: solve the problem first",
        )?;
        Redundancy::at(own, &s.impulse)
    }

    /// Puts the least impulses in place of those of an answer. The ones that are taken meet the tolerance; where none do,
    /// the answer stays and counts as failed.
    pub(crate) fn reduce(&mut self, problem: &ContactProblem, own: &ContactProblem) {
        if !self.solution.is_solved() {
            return;
        }
        let tolerance = self.settings.tolerance;
        let s = &mut self.solution;
        match certified_least(own, &s.impulse, tolerance) {
            Some((least, certificate)) => {
                s.iterations += least.steps;
                (s.impulse, s.certificate) = (least.impulse, certificate);
                problem.velocity_into(&s.impulse, &mut s.velocity);
            }
            None => s.status = Status::Failed(Failure::Stalled),
        }
    }
}
