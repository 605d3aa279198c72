//! From a system to the numbers of a contact problem: the factor of M, the directions H, W = Hᵀ M⁻¹ H.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | f, k | coordinates, contacts taken part | |
//! | l | Cholesky factor of M, lower triangle, with 1/l_ii on the diagonal | f × f |
//! | units | 1/√m_ii: what makes momenta comparable | f |
//! | h | directions, one row per component: w_N, w_T of each contact in turn | 2k × f |
//! | y | M⁻¹ h, row by row | 2k × f |
//!
//! Systems have few coordinates, and loops of three turns cost more than their work: the kernels at the end take
//! the size as a constant where it is small.

use crate::contact::{ContactProblem, Kind, Law};
use crate::error::Error;
use crate::system::{Directions, System, SystemInfo};
use complementarity::Matrix;
use std::sync::Arc;

/// M, or what an implicit method has in its place, with its factor.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    mass: Matrix,
    l: Matrix,
    units: Vec<f64>,
}

impl Factor {
    fn new(f: usize) -> Self {
        Self { mass: Matrix::zeros(f, f), l: Matrix::zeros(f, f), units: vec![0.0; f] }
    }

    /// Of a mass matrix that is constant; none if it is not, or not positive definite.
    pub(crate) fn constant<S: System + ?Sized>(system: &S) -> Option<Self> {
        let info = system.info();
        if !info.constant_mass {
            return None;
        }
        let mut factor = Self::new(info.dof());
        system.mass(&vec![0.0; info.dof()], 0.0, &mut factor.mass);
        factor.decompose().is_ok().then_some(factor)
    }

    fn decompose(&mut self) -> Result<(), (usize, f64)> {
        self.l.as_mut_slice().copy_from_slice(self.mass.as_slice());
        cholesky(&mut self.l)?;
        for (i, unit) in self.units.iter_mut().enumerate() {
            *unit = self.mass.row(i)[i].sqrt().recip();
        }
        Ok(())
    }
}

/// What a system amounts to at one configuration, for the contacts that take part.
#[derive(Clone, Debug)]
pub struct Assembly {
    own: Factor,
    /// That of a constant mass matrix, unless another matrix stands in for it.
    shared: Option<Arc<Factor>>,
    contacts: Vec<usize>,
    h: Vec<f64>,
    y: Vec<f64>,
    drive: Vec<f64>,
    work: Vec<f64>,
}

/// Without coordinates and contacts.
impl Default for Assembly {
    fn default() -> Self {
        Self::with_sizes(0, 0)
    }
}

impl Assembly {
    /// Storage for a system.
    #[must_use]
    pub fn new(info: &SystemInfo) -> Self {
        Self::with_sizes(info.dof(), info.contacts.len())
    }

    fn with_sizes(f: usize, contacts: usize) -> Self {
        Self {
            own: Factor::new(f),
            shared: None,
            contacts: Vec::with_capacity(contacts),
            h: Vec::new(),
            y: Vec::new(),
            drive: Vec::new(),
            work: vec![0.0; f],
        }
    }

    /// Takes the factor of a mass matrix that is constant.
    #[inline]
    pub(crate) fn share(&mut self, factor: &Arc<Factor>) {
        if !self.shared.as_ref().is_some_and(|shared| Arc::ptr_eq(shared, factor)) {
            self.shared = Some(factor.clone());
        }
    }

    #[inline]
    fn factor(&self) -> &Factor {
        self.shared.as_deref().unwrap_or(&self.own)
    }

    /// Factorises M(q, t).
    ///
    /// # Errors
    /// If M is not positive definite.
    pub fn factorize<S: System + ?Sized>(
        &mut self,
        system: &S,
        q: &[f64],
        t: f64,
    ) -> Result<(), Error> {
        self.shared = None;
        system.mass(q, t, &mut self.own.mass);
        self.own.decompose().map_err(|(i, pivot)| {
            let coordinate = system.info().coordinates[i].clone();
            Error::Mass { t, coordinate, pivot }
        })
    }

    /// Factorises another matrix in place of M: for implicit methods, M with the Jacobians of the forces.
    ///
    /// # Errors
    /// The row and the pivot at which it is not positive definite.
    pub(crate) fn factorize_matrix(&mut self, m: &Matrix) -> Result<(), (usize, f64)> {
        self.shared = None;
        self.own.mass.as_mut_slice().copy_from_slice(m.as_slice());
        self.own.decompose()
    }

    /// Takes the directions of these contacts and M⁻¹ times them. M must have been factorised.
    pub fn collect<S: System + ?Sized>(
        &mut self,
        system: &S,
        contacts: &[usize],
        q: &[f64],
        t: f64,
    ) {
        let f = self.dof();
        self.contacts.clear();
        self.contacts.extend_from_slice(contacts);
        self.drive.clear();
        fit(&mut self.h, 2 * contacts.len() * f);
        for &contact in contacts {
            let row = self.drive.len();
            let (normal, tangent) = self.h[row * f..(row + 2) * f].split_at_mut(f);
            let mut out = Directions { normal, tangent, normal_drive: 0.0, tangent_drive: 0.0 };
            system.directions(contact, q, t, &mut out);
            self.drive.push(out.normal_drive);
            // Constraints have one component.
            if matches!(system.info().contacts[contact].law.kind, Kind::Planar) {
                self.drive.push(out.tangent_drive);
            }
        }
        self.h.truncate(self.drive.len() * f);
        fit(&mut self.y, self.h.len());
        let l = self.shared.as_deref().unwrap_or(&self.own).l.as_slice();
        sized!(f, responses(f, l, &self.h, &mut self.y));
    }

    fn dof(&self) -> usize {
        self.work.len()
    }

    /// The contacts that take part.
    #[must_use]
    pub fn contacts(&self) -> &[usize] {
        &self.contacts
    }

    /// M.
    #[must_use]
    pub fn mass(&self) -> &Matrix {
        &self.factor().mass
    }

    /// The direction of component `r`, counted over the contacts taken part: N and T of each, one of a constraint.
    #[must_use]
    pub fn direction(&self, r: usize) -> &[f64] {
        &self.h[r * self.dof()..(r + 1) * self.dof()]
    }

    /// ŵ: the part of each relative velocity that does not come from u.
    #[must_use]
    pub fn drive(&self) -> &[f64] {
        &self.drive
    }

    /// M⁻¹ times the direction of component `r`.
    #[must_use]
    pub fn response(&self, r: usize) -> &[f64] {
        &self.y[r * self.dof()..(r + 1) * self.dof()]
    }

    /// x becomes M⁻¹ x.
    pub fn solve_mass(&self, x: &mut [f64]) {
        sized!(self.dof(), solve_row(x.len(), self.factor().l.as_slice(), x));
    }

    /// Every row of `rows` becomes M⁻¹ times itself.
    pub(crate) fn solve_mass_rows(&self, rows: &mut [f64]) {
        sized!(self.dof(), solve_rows(self.dof(), self.factor().l.as_slice(), rows));
    }

    /// γ = Hᵀ u + ŵ.
    pub fn relative_velocity(&self, u: &[f64], gamma: &mut Vec<f64>) {
        fit(gamma, self.drive.len());
        sized!(self.dof(), products(u.len(), &self.h, u, &self.drive, gamma));
    }

    /// u += M⁻¹ H Λ.
    pub fn apply(&self, impulse: &[f64], u: &mut [f64]) {
        sized!(self.dof(), add_combination(u.len(), &self.y, impulse, u));
    }

    /// Fills W = Hᵀ M⁻¹ H, the bias and the laws, one for each of the contacts taken part, of which all are planar.
    pub fn pose(&self, bias: &[f64], laws: &[Law], problem: &mut ContactProblem) {
        let n = self.drive.len();
        let (w, b, to) = problem.planar_parts_mut();
        w.reshape(n, n);
        sized!(self.dof(), gram(self.dof(), n, &self.h, &self.y, w.as_mut_slice()));
        assign(b, bias);
        laws.clone_into(to);
    }

    /// The same where constraints take part too.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn pose_mixed(
        &self,
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error> {
        let n = self.drive.len();
        Ok(problem.refill(bias, laws, |w| {
            let w = w.dense_mut(n);
            sized!(self.dof(), gram(self.dof(), n, &self.h, &self.y, w.as_mut_slice()));
            Ok(())
        })?)
    }

    /// ‖M (u⁺ − u_f) − H Λ‖ as a share of the momenta that it balances, |M| |u⁺| + |H Λ|; each entry i over √m_ii.
    pub fn momentum_error(&mut self, free: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        let f = free.len();
        let factor = self.shared.as_deref().unwrap_or(&self.own);
        let (m, h) = ((factor.mass.as_slice(), &factor.units[..]), &self.h);
        let (worst, largest) = sized!(f, momentum(f, m, h, impulse, (free, after), &mut self.work));
        if largest > 0.0 { worst / largest } else { worst }
    }
}

/// The lower factor of a symmetric positive definite matrix, in place, its diagonal inverted; else row and pivot of the failure.
pub(crate) fn cholesky(m: &mut Matrix) -> Result<(), (usize, f64)> {
    for i in 0..m.rows() {
        for j in 0..=i {
            let s = m.row(i)[j] - dot(&m.row(i)[..j], &m.row(j)[..j]);
            if i == j {
                // Rounding leaves a pivot of this size on a singular matrix.
                if !(s > 1e-14 * m.row(i)[i].abs()) || !s.is_finite() {
                    return Err((i, s));
                }
                m.row_mut(i)[i] = s.sqrt().recip();
            } else {
                let value = s * m.row(j)[j];
                m.row_mut(i)[j] = value;
            }
        }
    }
    Ok(())
}

/// Solves with the factor of [`cholesky`], row after row of `rows`, in place.
pub(crate) fn solve_lower(factor: &Matrix, rows: &mut [f64]) {
    sized!(factor.rows(), solve_rows(factor.rows(), factor.as_slice(), rows));
}

/// Calls a kernel with its size as a constant, where there is one for it; 0 stands for any size.
macro_rules! sized {
    ($f:expr, $kernel:ident($($arg:expr),*)) => {
        match $f {
            1 => $kernel::<1>($($arg),*),
            2 => $kernel::<2>($($arg),*),
            3 => $kernel::<3>($($arg),*),
            4 => $kernel::<4>($($arg),*),
            6 => $kernel::<6>($($arg),*),
            _ => $kernel::<0>($($arg),*),
        }
    };
}
use sized;

/// The size of a kernel: a constant to the compiler unless F is 0.
#[inline(always)]
fn size<const F: usize>(f: usize) -> usize {
    if F > 0 { F } else { f }
}

/// Copies a vector of coordinates. For a few numbers a call costs more than the copy.
#[inline(always)]
pub(crate) fn copy(to: &mut [f64], from: &[f64]) {
    sized!(from.len(), copy_sized(from.len(), to, from));
}

#[inline(always)]
fn copy_sized<const F: usize>(f: usize, to: &mut [f64], from: &[f64]) {
    let f = size::<F>(f);
    to[..f].copy_from_slice(&from[..f]);
}

/// A vector becomes another one, on its storage.
#[inline(always)]
pub(crate) fn assign(to: &mut Vec<f64>, from: &[f64]) {
    fit(to, from.len());
    copy(to, from);
}

/// Gives a vector a length that it mostly has already.
#[inline(always)]
fn fit(x: &mut Vec<f64>, len: usize) {
    #[cold]
    #[inline(never)]
    fn resize(x: &mut Vec<f64>, len: usize) {
        x.resize(len, 0.0);
    }
    if x.len() != len {
        resize(x, len);
    }
}

/// The largest size of an entry; what is not a number does not count.
#[inline(always)]
pub(crate) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| if x.abs() > m { x.abs() } else { m })
}

/// out = q + ½ Δt (before + after).
pub(crate) fn advance(q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]) {
    sized!(q.len(), advance_sized(q.len(), q, (before, after), 0.5 * dt, out));
}

#[inline(always)]
fn advance_sized<const F: usize>(
    f: usize,
    q: &[f64],
    (before, after): (&[f64], &[f64]),
    half: f64,
    out: &mut [f64],
) {
    let f = size::<F>(f);
    let (q, before, after, out) = (&q[..f], &before[..f], &after[..f], &mut out[..f]);
    for i in 0..f {
        out[i] = q[i] + half * (before[i] + after[i]);
    }
}

/// out_r = row_r · u + shift_r, for rows of the length of u.
pub(crate) fn row_products(rows: &[f64], u: &[f64], shift: &[f64], out: &mut [f64]) {
    sized!(u.len(), products(u.len(), rows, u, shift, out));
}

/// u += Σ_r factor_r row_r, for rows of the length of u.
pub(crate) fn add_rows(rows: &[f64], factors: &[f64], u: &mut [f64]) {
    sized!(u.len(), add_combination(u.len(), rows, factors, u));
}

/// W = H Yᵀ for n rows of length f, symmetric by construction.
pub(crate) fn gram_rows((f, n): (usize, usize), h: &[f64], y: &[f64], w: &mut [f64]) {
    sized!(f, gram(f, n, h, y, w));
}

/// Every row x of `rows` becomes (L Lᵀ)⁻¹ x.
fn solve_rows<const F: usize>(f: usize, l: &[f64], rows: &mut [f64]) {
    let f = size::<F>(f);
    rows.chunks_exact_mut(f).for_each(|x| solve_row::<F>(f, l, x));
}

/// Every row of `to` becomes (L Lᵀ)⁻¹ times that of `rows`.
fn responses<const F: usize>(f: usize, l: &[f64], rows: &[f64], to: &mut [f64]) {
    let f = size::<F>(f);
    for (x, row) in to.chunks_exact_mut(f).zip(rows.chunks_exact(f)) {
        x.copy_from_slice(row);
        solve_row::<F>(f, l, x);
    }
}

/// x becomes (L Lᵀ)⁻¹ x.
#[inline(always)]
fn solve_row<const F: usize>(f: usize, l: &[f64], x: &mut [f64]) {
    let f = size::<F>(f);
    let (l, x) = (&l[..f * f], &mut x[..f]);
    for i in 0..f {
        let mut s = x[i];
        for j in 0..i {
            s -= l[i * f + j] * x[j];
        }
        x[i] = s * l[i * f + i];
    }
    for i in (0..f).rev() {
        let mut s = x[i];
        for j in i + 1..f {
            s -= l[j * f + i] * x[j];
        }
        x[i] = s * l[i * f + i];
    }
}

/// out_r = row_r · u + shift_r.
fn products<const F: usize>(f: usize, rows: &[f64], u: &[f64], shift: &[f64], out: &mut [f64]) {
    let f = size::<F>(f);
    let (u, mut rest) = (&u[..f], rows);
    for (shift, o) in shift.iter().zip(out) {
        let Some((row, after)) = rest.split_at_checked(f) else { break };
        rest = after;
        let mut s = *shift;
        for i in 0..f {
            s += row[i] * u[i];
        }
        *o = s;
    }
}

/// u += Σ_r factor_r row_r.
fn add_combination<const F: usize>(f: usize, rows: &[f64], factors: &[f64], u: &mut [f64]) {
    let f = size::<F>(f);
    let (u, mut rest) = (&mut u[..f], rows);
    for factor in factors {
        let Some((row, after)) = rest.split_at_checked(f) else { break };
        rest = after;
        for i in 0..f {
            u[i] += factor * row[i];
        }
    }
}

/// W = H Yᵀ, n × n, symmetric by construction.
fn gram<const F: usize>(f: usize, n: usize, h: &[f64], y: &[f64], w: &mut [f64]) {
    let f = size::<F>(f);
    for (r, h) in h.chunks_exact(f).enumerate() {
        for (c, y) in y.chunks_exact(f).enumerate().take(r + 1) {
            let mut s = 0.0;
            for i in 0..f {
                s += h[i] * y[i];
            }
            w[r * n + c] = s;
            w[c * n + r] = s;
        }
    }
}

/// The largest entries of M (u⁺ − u_f) − H Λ and of |M u⁺| + |H Λ|, over √m_ii.
fn momentum<const F: usize>(
    f: usize,
    (m, units): (&[f64], &[f64]),
    h: &[f64],
    impulse: &[f64],
    (free, after): (&[f64], &[f64]),
    reaction: &mut [f64],
) -> (f64, f64) {
    let f = size::<F>(f);
    let (free, after, reaction) = (&free[..f], &after[..f], &mut reaction[..f]);
    reaction.fill(0.0);
    add_combination::<F>(f, h, impulse, reaction);
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for i in 0..f {
        let row = &m[i * f..][..f];
        let (mut change, mut size) = (-reaction[i], reaction[i].abs());
        for j in 0..f {
            change += row[j] * (after[j] - free[j]);
            size += (row[j] * after[j]).abs();
        }
        let (off, scale) = (change.abs() * units[i], size * units[i]);
        worst = if off > worst { off } else { worst };
        largest = if scale > largest { scale } else { largest };
    }
    (worst, largest)
}

#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// to = a + factor b.
#[inline]
pub(crate) fn set_sum(to: &mut [f64], a: &[f64], factor: f64, b: &[f64]) {
    for (t, (a, b)) in to.iter_mut().zip(a.iter().zip(b)) {
        *t = a + factor * b;
    }
}
