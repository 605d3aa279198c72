//! From a system to the numbers of a contact problem: the factor of M, the directions H, W = Hᵀ M⁻¹ H.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | f, k | coordinates, contacts taken part | |
//! | l | Cholesky factor of M, lower triangle | f × f |
//! | h | directions, one row per component: w_N, w_T of each contact in turn | 2k × f |
//! | y | M⁻¹ h, row by row | 2k × f |

use crate::contact::{ContactProblem, Law};
use crate::error::Error;
use crate::system::{Directions, System, SystemInfo};
use complementarity::Matrix;

/// What a system amounts to at one configuration, for the contacts that take part. Belongs to one
/// system: a constant mass matrix is factorised once.
#[derive(Clone, Debug)]
pub struct Assembly {
    mass: Matrix,
    l: Matrix,
    ready: bool,
    contacts: Vec<usize>,
    h: Matrix,
    y: Matrix,
    drive: Vec<f64>,
    work: Vec<f64>,
}

impl Assembly {
    /// Storage for a system.
    pub fn new(info: &SystemInfo) -> Self {
        let f = info.dof();
        Self {
            mass: Matrix::zeros(f, f),
            l: Matrix::zeros(f, f),
            ready: false,
            contacts: Vec::with_capacity(info.contacts.len()),
            h: Matrix::zeros(0, f),
            y: Matrix::zeros(0, f),
            drive: Vec::new(),
            work: vec![0.0; f],
        }
    }

    /// Factorises M(q, t), unless it is constant and was factorised before.
    ///
    /// # Errors
    /// If M is not positive definite.
    pub fn factorize<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        q: &[f64],
        t: f64,
    ) -> Result<(), Error> {
        if self.ready && system.info().constant_mass {
            return Ok(());
        }
        system.mass(q, t, &mut self.mass);
        self.l.as_mut_slice().copy_from_slice(self.mass.as_slice());
        self.ready = true;
        cholesky(&mut self.l).map_err(|(i, pivot)| {
            let coordinate = system.info().coordinates[i].clone();
            Error::Mass { t, coordinate, pivot }
        })
    }

    /// Factorises another matrix in place of M: for implicit methods, M with the Jacobians of the forces.
    ///
    /// # Errors
    /// The row and the pivot at which it is not positive definite.
    pub(crate) fn factorize_matrix(&mut self, m: &Matrix) -> Result<(), (usize, f64)> {
        self.mass.as_mut_slice().copy_from_slice(m.as_slice());
        self.l.as_mut_slice().copy_from_slice(m.as_slice());
        self.ready = false;
        cholesky(&mut self.l)
    }

    /// Takes the directions of these contacts and M⁻¹ times them. M must have been factorised.
    pub fn collect<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        contacts: &[usize],
        q: &[f64],
        t: f64,
    ) {
        let f = self.work.len();
        self.contacts.clear();
        self.contacts.extend_from_slice(contacts);
        self.drive.clear();
        self.h.reshape(2 * contacts.len(), f);
        self.y.reshape(2 * contacts.len(), f);
        for (i, &contact) in contacts.iter().enumerate() {
            let rows = &mut self.h.as_mut_slice()[2 * i * f..2 * (i + 1) * f];
            let (normal, tangent) = rows.split_at_mut(f);
            let mut out = Directions { normal, tangent, normal_drive: 0.0, tangent_drive: 0.0 };
            system.directions(contact, q, t, &mut out);
            self.drive.extend([out.normal_drive, out.tangent_drive]);
        }
        self.y.as_mut_slice().copy_from_slice(self.h.as_slice());
        for r in 0..2 * contacts.len() {
            solve_cholesky(&self.l, self.y.row_mut(r));
        }
    }

    /// The contacts that take part.
    pub fn contacts(&self) -> &[usize] {
        &self.contacts
    }

    /// M.
    pub fn mass(&self) -> &Matrix {
        &self.mass
    }

    /// The direction of component `r` (2i for N, 2i + 1 for T of the i-th contact taken part).
    pub fn direction(&self, r: usize) -> &[f64] {
        self.h.row(r)
    }

    /// M⁻¹ times the direction of component `r`.
    pub fn response(&self, r: usize) -> &[f64] {
        self.y.row(r)
    }

    /// x becomes M⁻¹ x.
    pub fn solve_mass(&self, x: &mut [f64]) {
        solve_cholesky(&self.l, x);
    }

    /// γ = Hᵀ u + ŵ.
    pub fn relative_velocity(&self, u: &[f64], gamma: &mut Vec<f64>) {
        gamma.clear();
        gamma.extend((0..self.drive.len()).map(|r| dot(self.h.row(r), u) + self.drive[r]));
    }

    /// u += M⁻¹ H Λ.
    pub fn apply(&self, impulse: &[f64], u: &mut [f64]) {
        for (r, &lam) in impulse.iter().enumerate() {
            if lam != 0.0 {
                add_scaled(u, lam, self.y.row(r));
            }
        }
    }

    /// Fills W = Hᵀ M⁻¹ H, the bias and the laws of the contacts taken part.
    pub fn pose(
        &self,
        info: &SystemInfo,
        bias: impl Iterator<Item = f64>,
        law: impl Fn(&Law) -> Law,
        problem: &mut ContactProblem,
    ) {
        let n = self.drive.len();
        let (w, b, laws) = problem.parts_mut();
        w.reshape(n, n);
        for r in 0..n {
            for c in 0..=r {
                let value = dot(self.h.row(r), self.y.row(c));
                w.row_mut(r)[c] = value;
                w.row_mut(c)[r] = value;
            }
        }
        b.clear();
        b.extend(bias);
        laws.clear();
        laws.extend(self.contacts.iter().map(|&c| law(&info.contacts[c].law)));
    }

    /// ‖M (u⁺ − u_f) − H Λ‖ as a share of the momenta that it balances, |M| |u⁺| + |H Λ|; each entry i over √m_ii.
    pub fn momentum_error(&mut self, free: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        self.work.fill(0.0);
        for (r, &lam) in impulse.iter().enumerate() {
            add_scaled(&mut self.work, lam, self.h.row(r));
        }
        for i in 0..self.work.len() {
            let row = self.mass.row(i);
            let unit = row[i].sqrt();
            let (mut change, mut size) = (-self.work[i], self.work[i].abs());
            for (m, (a, b)) in row.iter().zip(after.iter().zip(free)) {
                change += m * (a - b);
                size += (m * a).abs();
            }
            worst = worst.max(change.abs() / unit);
            largest = largest.max(size / unit);
        }
        if largest > 0.0 { worst / largest } else { worst }
    }
}

/// The lower factor of a symmetric positive definite matrix, in place; else row and pivot of the failure.
fn cholesky(m: &mut Matrix) -> Result<(), (usize, f64)> {
    for i in 0..m.rows() {
        for j in 0..=i {
            let s = m.row(i)[j] - dot(&m.row(i)[..j], &m.row(j)[..j]);
            if i == j {
                // Rounding leaves a pivot of this size on a singular matrix.
                if !(s > 1e-14 * m.row(i)[i].abs()) || !s.is_finite() {
                    return Err((i, s));
                }
                m.row_mut(i)[i] = s.sqrt();
            } else {
                let value = s / m.row(j)[j];
                m.row_mut(i)[j] = value;
            }
        }
    }
    Ok(())
}

fn solve_cholesky(l: &Matrix, x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        x[i] = (x[i] - dot(&l.row(i)[..i], &x[..i])) / l.row(i)[i];
    }
    for i in (0..n).rev() {
        x[i] /= l.row(i)[i];
        let (head, tail) = x.split_at_mut(i);
        add_scaled(head, -tail[0], &l.row(i)[..i]);
    }
}

#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[inline]
pub(crate) fn add_scaled(to: &mut [f64], factor: f64, from: &[f64]) {
    for (t, f) in to.iter_mut().zip(from) {
        *t += factor * f;
    }
}
