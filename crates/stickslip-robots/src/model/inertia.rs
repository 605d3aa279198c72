//! Mass, centre and tensor of inertia of a body.

use super::ModelPose;
use crate::error::{Error, Place, Problem};
use glam::{DMat3, DQuat, DVec3};

/// By how much the greatest principal moment may exceed the sum of the others, relative to it: moments of flat bodies obey with
/// equality, and files give six digits.
pub const TRIANGLE_SLACK: f64 = 1e-6;

/// Mass properties in the frame of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// The mass in kg.
    pub mass: f64,
    /// The centre of mass in m.
    pub center: DVec3,
    /// The tensor of inertia about the centre of mass, in the axes of the body, in kg m².
    pub tensor: DMat3,
}

impl Inertia {
    /// From principal moments and axes.
    #[must_use]
    pub fn from_principal(mass: f64, pose: &ModelPose, moments: DVec3) -> Self {
        Self {
            mass,
            center: pose.position,
            tensor: turned(DMat3::from_diagonal(moments), pose.rotation),
        }
    }

    /// Principal moments, ascending, and the rotation whose columns are the principal axes.
    #[must_use]
    pub fn principal(&self) -> (DVec3, DQuat) {
        principal_axes(self.tensor)
    }

    /// The same body in the frame that `pose` places it in.
    #[must_use]
    pub fn moved(&self, pose: &ModelPose) -> Self {
        let tensor = turned(self.tensor, pose.rotation);
        Self { mass: self.mass, center: pose.apply(self.center), tensor }
    }

    /// Several bodies as one; none if they have no mass.
    #[must_use]
    pub fn sum(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        Sum(parts.into_iter().collect()).total()
    }

    /// Refuses masses and moments that no body has.
    pub(crate) fn check(&self, owner: &str, place: &Place) -> Result<(), Error> {
        let owner = owner.to_owned();
        if !(self.mass > 0.0) {
            return Err(place.error(Problem::Mass { owner, mass: self.mass }));
        }
        let moments = self.principal().0.to_array();
        if !(moments[0] > 0.0) {
            return Err(place.error(Problem::NotPositive { owner, moments }));
        }
        if !(moments[2] - moments[0] - moments[1] <= TRIANGLE_SLACK * moments[2]) {
            return Err(place.error(Problem::Triangle { owner, moments }));
        }
        Ok(())
    }
}

fn turned(tensor: DMat3, rotation: DQuat) -> DMat3 {
    let r = DMat3::from_quat(rotation);
    symmetric(r * tensor * r.transpose())
}

fn symmetric(m: DMat3) -> DMat3 {
    (m + m.transpose()) * 0.5
}

/// The tensor of a point mass at `offset`: what a shift of the reference point adds (Steiner).
fn about(mass: f64, offset: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(offset * offset.x, offset * offset.y, offset * offset.z);
    (DMat3::from_diagonal(DVec3::splat(offset.length_squared())) - outer) * mass
}

/// Several bodies as one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum(Vec<Inertia>);

impl Sum {
    pub(crate) fn add(&mut self, part: Inertia) {
        self.0.push(part);
    }

    /// None if there is no mass.
    pub(crate) fn total(&self) -> Option<Inertia> {
        let mass: f64 = self.0.iter().map(|part| part.mass).sum();
        if !(mass > 0.0) {
            return None;
        }
        let center =
            self.0.iter().fold(DVec3::ZERO, |sum, part| sum + part.center * part.mass) / mass;
        let tensor = self.0.iter().fold(DMat3::ZERO, |sum, part| {
            sum + part.tensor + about(part.mass, part.center - center)
        });
        Some(Inertia { mass, center, tensor: symmetric(tensor) })
    }
}

/// Eigenvalues, ascending, and the rotation whose columns are the eigenvectors, by Jacobi's rotations.
#[must_use]
pub fn principal_axes(tensor: DMat3) -> (DVec3, DQuat) {
    /// Jacobi's method converges quadratically; a handful of sweeps reach rounding.
    const SWEEPS: usize = 32;
    let mut a = symmetric(tensor).to_cols_array_2d();
    let mut v = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..SWEEPS {
        let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if off == 0.0 || !off.is_finite() {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut v, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    let column = |i: usize| DVec3::from_array(v[order[i]]);
    let axes = DMat3::from_cols(column(0), column(1), column(0).cross(column(1)));
    let moments = DVec3::new(a[order[0]][order[0]], a[order[1]][order[1]], a[order[2]][order[2]]);
    (moments, DQuat::from_mat3(&axes).normalize())
}

/// One rotation that makes a[p][q] zero; `v` has the eigenvectors as rows of the array.
fn rotate(a: &mut [[f64; 3]; 3], v: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    let shift = t * a[p][q];
    let r = 3 - p - q;
    let (rp, rq) = (a[r][p], a[r][q]);
    a[p][p] -= shift;
    a[q][q] += shift;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    (a[r][p], a[p][r]) = (c * rp - s * rq, c * rp - s * rq);
    (a[r][q], a[q][r]) = (s * rp + c * rq, s * rp + c * rq);
    for k in 0..3 {
        let (vp, vq) = (v[p][k], v[q][k]);
        (v[p][k], v[q][k]) = (c * vp - s * vq, s * vp + c * vq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_reproduce_the_tensor() {
        let rotation = DQuat::from_xyzw(0.1, -0.5, 0.3, 0.8).normalize();
        let moments = DVec3::new(3.0, 1.0, 2.5);
        let body =
            Inertia::from_principal(1.0, &ModelPose { position: DVec3::X, rotation }, moments);
        let (found, axes) = body.principal();
        assert!((found - DVec3::new(1.0, 2.5, 3.0)).length() < 1e-14, "{found}");
        let again = turned(DMat3::from_diagonal(found), axes);
        let worst = (again - body.tensor).to_cols_array().map(f64::abs);
        assert!(worst.iter().all(|x| *x < 1e-14), "{worst:?}");
        let same = principal_axes(DMat3::from_diagonal(DVec3::splat(2.0)));
        assert_eq!(same, (DVec3::splat(2.0), DQuat::IDENTITY));
    }

    #[test]
    fn two_halves_of_a_rod_make_the_rod() {
        let half = |x: f64| Inertia {
            mass: 1.0,
            center: DVec3::new(x, 0.0, 0.0),
            tensor: DMat3::from_diagonal(DVec3::new(0.0, 1.0, 1.0) / 12.0),
        };
        let mut sum = Sum::default();
        sum.add(half(-0.5));
        sum.add(half(0.5));
        let rod = sum.total().unwrap();
        // m l² / 12 with m = 2 and l = 2.
        assert!((rod.tensor.col(1).y - 8.0 / 12.0).abs() < 1e-15);
        assert_eq!((rod.mass, rod.center), (2.0, DVec3::ZERO));
    }
}
