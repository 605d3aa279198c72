//! Contact problems of a system that is given by its matrices: contacts of any kind, at every level.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | n, c | velocities, components of all contacts | |
//! | h | directions H, with γ = Hᵀ u | n × c |
//! | y | M⁻¹ H, column by column | c × n |

use super::{Level, posed_at};
use crate::contact::{ContactProblem, Law};
use crate::dynamics::{cholesky, dot, solve_lower};
use crate::error::{Error, check};
use complementarity::Matrix;

/// Entries of M and their mirror images may differ by this share of the largest entry.
const SYMMETRY: f64 = 1e-9;

/// A system at an instant: M u̇ = f + H λ and γ = Hᵀ u. Its contacts are of any kind, and their components stand in H one
/// contact after the other, N first.
///
/// ```
/// use complementarity::Matrix;
/// use stickslip::contact::Law;
/// use stickslip::contact::set::ConvexSet;
/// use stickslip::contact::solve::ContactSolver;
/// use stickslip::level::{Level, Snapshot};
///
/// // A box of 2 kg and 0.1 kg m² on one patch of contact, pulled and twisted: z, x, y and the turn about z.
/// let mass = Matrix::from_fn(4, 4, |i, j| if i == j { [2.0, 2.0, 2.0, 0.1][i] } else { 0.0 });
/// let patch = Law::with_set(0.5, ConvexSet::Ellipsoid(vec![1.0, 1.0, 0.2]));
/// let at_rest = Snapshot::new(mass, Matrix::identity(4), vec![-20.0, 6.0, 0.0, 1.5], vec![0.0; 4])?;
/// let problem = at_rest.pose(&[patch], Level::Acceleration(0.0))?;
/// let mut solver = ContactSolver::default();
/// let answer = solver.solve(&problem);
/// // 6² + (1.5 / 0.2)² is less than (0.5 · 20)²: it stays.
/// assert!(answer.is_solved() && (answer.impulse[1] + 6.0).abs() < 1e-9);
/// # Ok::<(), stickslip::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub(super) h: Matrix,
    /// The Cholesky factor of M with the diagonal inverted.
    pub(super) factor: Matrix,
    pub(super) y: Matrix,
    /// f: all forces but those of contacts, n. May be changed between problems.
    pub forces: Vec<f64>,
    /// u, n. May be changed between problems.
    pub velocity: Vec<f64>,
    /// Ḣᵀ u, what is left of γ̇ at u̇ = 0; c, zeros at first.
    pub convective: Vec<f64>,
}

impl Snapshot {
    /// A system with mass matrix M (n × n), directions H (n × c), forces and velocities (n). Factorises M: n³/3 + n² c.
    ///
    /// # Errors
    /// If sizes do not fit, or M is not symmetric and positive definite.
    pub fn new(
        mass: Matrix,
        directions: Matrix,
        forces: Vec<f64>,
        velocity: Vec<f64>,
    ) -> Result<Self, Error> {
        let n = mass.rows();
        if n == 0 {
            return Err(Error::Size { what: "the mass matrix", expected: 1, found: 0 });
        }
        for (what, found) in [
            ("the mass matrix (columns)", mass.cols()),
            ("the directions H (rows: one per velocity)", directions.rows()),
            ("the forces", forces.len()),
            ("the velocities", velocity.len()),
        ] {
            if found != n {
                return Err(Error::Size { what, expected: n, found });
            }
        }
        check_symmetric(&mass)?;
        let mut factor = mass;
        cholesky(&mut factor).map_err(|(i, value)| Error::Range {
            place: format!("the pivot of row {i} of the mass matrix"),
            value,
            requirement: "positive: give every velocity a mass or inertia",
        })?;
        let mut y = Matrix::from_fn(directions.cols(), n, |c, i| directions.row(i)[c]);
        solve_lower(&factor, y.as_mut_slice());
        let convective = vec![0.0; directions.cols()];
        Ok(Self { h: directions, factor, y, forces, velocity, convective })
    }

    /// γ = Hᵀ u.
    #[must_use]
    pub fn rel_velocity(&self) -> Vec<f64> {
        let row = |c| (0..self.h.rows()).map(|i| self.h.row(i)[c] * self.velocity[i]).sum();
        (0..self.h.cols()).map(row).collect()
    }

    /// The contact problem at a level, \[2\] (i) to (iv), with impulses in place of forces where the level is one of
    /// impulses.
    ///
    /// On the level of accelerations a contact rolls if h_F(−γ_T), its slip as a velocity (which counts spin with the
    /// lever that F gives it), is at most the threshold; else its friction is fixed by γ_T. Where γ_T is normal to a face of F
    /// (a mixed set that spins without sliding, a polyhedron) every point of the face takes the same power, and (iv) does
    /// not determine the friction: the problem has that of
    /// [`support_point`](crate::contact::set::ConvexSet::support_point). The level of steps has no such gap.
    ///
    /// Cost: n c² for W.
    ///
    /// # Errors
    /// If the laws do not have as many components as H has columns, or a law or a number is out of range.
    pub fn pose(&self, laws: &[Law], level: Level) -> Result<ContactProblem, Error> {
        let (n, c) = (self.h.rows(), self.h.cols());
        for (what, x, expected) in [
            ("the forces", &self.forces, n),
            ("the velocities", &self.velocity, n),
            ("the convective accelerations", &self.convective, c),
        ] {
            if x.len() != expected {
                return Err(Error::Size { what, expected, found: x.len() });
            }
        }
        for (i, &u) in self.velocity.iter().enumerate() {
            check(|| format!("velocity[{i}]"), u, true, "a finite number")?;
        }
        level.validate()?;
        let components: usize = laws.iter().map(Law::components).sum();
        if components != c {
            let what = "the list of components (of all laws together: one per column of H)";
            return Err(Error::Size { what, expected: c, found: components });
        }
        for (i, law) in laws.iter().enumerate() {
            law.validate(i)?;
        }
        let gamma = self.rel_velocity();
        let rate: Vec<f64> =
            (0..c).map(|row| dot(self.y.row(row), &self.forces) + self.convective[row]).collect();
        let (bias, posed) = posed_at(level, laws, &gamma, &rate);
        let mut w = Matrix::zeros(c, c);
        for i in 0..c {
            for j in 0..=i {
                let value = (0..n).map(|k| self.y.row(i)[k] * self.h.row(k)[j]).sum();
                w.row_mut(i)[j] = value;
                w.row_mut(j)[i] = value;
            }
        }
        Ok(ContactProblem::new(w, bias, posed)?)
    }

    /// M⁻¹ (f dt + H Λ): the change of u over a step of length dt with impulses Λ; with dt = 1 and forces in place of
    /// impulses the acceleration u̇.
    ///
    /// # Errors
    /// If there is not one impulse per column of H.
    pub fn change(&self, impulse: &[f64], dt: f64) -> Result<Vec<f64>, Error> {
        let (expected, found) = (self.h.cols(), impulse.len());
        if expected != found {
            return Err(Error::Size { what: "impulse", expected, found });
        }
        let mut out: Vec<f64> = self.forces.iter().map(|f| dt * f).collect();
        for (i, out) in out.iter_mut().enumerate() {
            *out += dot(self.h.row(i), impulse);
        }
        solve_lower(&self.factor, &mut out);
        Ok(out)
    }
}

fn check_symmetric(mass: &Matrix) -> Result<(), Error> {
    let largest = mass.as_slice().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for i in 0..mass.rows() {
        for j in 0..mass.cols() {
            let (value, mirrored) = (mass.row(i)[j], mass.row(j)[i]);
            let symmetric = (value - mirrored).abs() <= SYMMETRY * largest;
            let wanted = "finite and equal to its mirror image";
            check(|| format!("mass[{i}][{j}]"), value, symmetric || i <= j, wanted)?;
        }
    }
    Ok(())
}
