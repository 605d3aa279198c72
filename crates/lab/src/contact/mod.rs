//! Contact systems: bodies, contacts, and the matrices W and b that they pose.
//!
//! Notation: d bodies with inverse mass blocks M⁻¹; k contacts; H (degrees of freedom x rows) maps
//! impulses to generalised forces; rows are ordered N for all contacts, then the tangential
//! ones contact by contact (T, or T and O). W = HᵀM⁻¹H, b = Hᵀv + ε γ⁻.
//!
//! Existence. With v ≥ 0 in the kernel of the slip-slack form and HΛ = 0 its impulse, vᵀq = Λᵀb. A
//! copositive problem is solvable if vᵀq ≥ 0 for all of those (Cottle-Pang-Stone, theorem 3.8.6).
//! So it is solvable if b = Hᵀv for any v, since then Λᵀb = (HΛ)ᵀv = 0, and if W is positive
//! definite, since then Λ = 0. This is the theorem of Stewart and Trinkle 1996 and of Anitescu and
//! Potra 1997, and it holds for every polygon of friction.

mod encode;
mod random;
mod stacks;

pub(crate) use encode::{
    box_friction, glocker_studer, phantom_inertia, stewart_trinkle, stewart_trinkle_mixed,
};
pub(crate) use random::{definite, random, with_joints};
pub(crate) use stacks::{box_stack, jointed_chain, planar_pyramid, planar_stack, wedges};

use crate::Expected;
use crate::dense::{cholesky, transposed_product};
use complementarity::Matrix;
use stickslip_studies::Draw;

/// A posed contact system.
#[derive(Clone, Debug)]
pub(crate) struct System {
    /// Number of contacts.
    pub(crate) contacts: usize,
    /// Tangential directions per contact: 1 in the plane, 2 in space.
    pub(crate) tangents: usize,
    /// Number of joint rows, which come before all contact rows.
    pub(crate) joints: usize,
    /// The Delassus matrix W.
    pub(crate) w: Matrix,
    /// The bias b.
    pub(crate) b: Vec<f64>,
    /// Friction coefficients.
    pub(crate) mu: Vec<f64>,
    /// Whether b = Hᵀv for some v.
    pub(crate) in_range: bool,
}

impl System {
    /// Whether W is safely positive definite.
    pub(crate) fn is_definite(&self) -> bool {
        cholesky(&self.w, 1e-9).is_some()
    }

    /// What the existence theorem above says.
    pub(crate) fn expected(&self) -> Expected {
        Expected::solvable_if(self.in_range || self.is_definite())
    }
}

/// Puts bodies and contacts together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Builder {
    tangents: usize,
    starts: Vec<usize>,
    inverse_mass: Vec<Matrix>,
    /// Per row, its entries in H as (body, coefficients); per contact 1 + tangents rows.
    contact_rows: Vec<Vec<(usize, Vec<f64>)>>,
    joint_rows: Vec<Vec<(usize, Vec<f64>)>>,
}

/// One side of a contact: a body and the lever from its centre to the contact point.
pub(crate) type Side = (usize, [f64; 3]);

impl Builder {
    pub(crate) fn planar() -> Self {
        Self { tangents: 1, ..Self::default() }
    }

    pub(crate) fn spatial() -> Self {
        Self { tangents: 2, ..Self::default() }
    }

    /// Adds a body with this inverse mass matrix and returns its index.
    pub(crate) fn body(&mut self, inverse_mass: Matrix) -> usize {
        let end = self.degrees_of_freedom();
        self.starts.push(end);
        self.inverse_mass.push(inverse_mass);
        self.starts.len() - 1
    }

    fn degrees_of_freedom(&self) -> usize {
        self.inverse_mass.iter().map(Matrix::rows).sum()
    }

    /// The generalised direction of a force along `dir` at `lever` on a body.
    fn force(&self, (body, lever): Side, dir: [f64; 3]) -> (usize, Vec<f64>) {
        let dof = self.inverse_mass[body].rows();
        let turn = cross(lever, dir);
        let coefficients = match (self.tangents, dof) {
            (1, 2) => vec![dir[0], dir[1]],
            (1, _) => vec![dir[0], dir[1], turn[2]],
            (_, 3) => dir.to_vec(),
            _ => dir.into_iter().chain(turn).collect(),
        };
        (body, coefficients)
    }

    fn row(&self, on: Side, against: Option<Side>, dir: [f64; 3]) -> Vec<(usize, Vec<f64>)> {
        let mut row = vec![self.force(on, dir)];
        row.extend(against.map(|side| self.force(side, dir.map(|x| -x))));
        row
    }

    /// A contact that pushes body `on` along `normal`, away from `against` or from the ground.
    pub(crate) fn contact(&mut self, on: Side, against: Option<Side>, normal: [f64; 3]) {
        let (t, o) = frame(normal, self.tangents);
        let dirs = [normal, t, o];
        for dir in &dirs[..1 + self.tangents] {
            let row = self.row(on, against, *dir);
            self.contact_rows.push(row);
        }
    }

    /// A contact with rows of any kind.
    pub(crate) fn touch_rows(&mut self, rows: Vec<Vec<(usize, Vec<f64>)>>) {
        self.contact_rows.extend(rows);
    }

    /// A bilateral constraint along `dir`.
    pub(crate) fn join(&mut self, on: Side, against: Option<Side>, dir: [f64; 3]) {
        let row = self.row(on, against, dir);
        self.joint_rows.push(row);
    }

    /// Poses the problem for free velocities `v` (all bodies in one vector) and coefficients `mu`.
    pub(crate) fn pose(&self, v: &[f64], mu: Vec<f64>) -> System {
        let h = self.directions();
        let mut mass_h = Matrix::zeros(h.rows(), h.cols());
        for (start, block) in self.starts.iter().zip(&self.inverse_mass) {
            for i in 0..block.rows() {
                for j in 0..block.rows() {
                    let (a, from) = (block[(i, j)], h.row(start + j));
                    for (out, x) in mass_h.row_mut(start + i).iter_mut().zip(from) {
                        *out += a * x;
                    }
                }
            }
        }
        let mut w = transposed_product(&h, &mass_h);
        symmetrize(&mut w);
        System {
            contacts: self.contacts(),
            tangents: self.tangents,
            joints: self.joint_rows.len(),
            w,
            b: h.transposed().mul_vec(v),
            mu,
            in_range: true,
        }
    }

    pub(crate) fn contacts(&self) -> usize {
        self.contact_rows.len() / (1 + self.tangents)
    }

    /// H, with the columns in the order of the notation.
    fn directions(&self) -> Matrix {
        let (k, per) = (self.contacts(), 1 + self.tangents);
        let normal = (0..k).map(|c| &self.contact_rows[c * per]);
        let tangential = (0..k).flat_map(|c| &self.contact_rows[c * per + 1..(c + 1) * per]);
        let rows: Vec<_> = self.joint_rows.iter().chain(normal).chain(tangential).collect();
        let mut h = Matrix::zeros(self.degrees_of_freedom(), rows.len());
        for (c, row) in rows.iter().enumerate() {
            for (body, coefficients) in row.iter() {
                for (i, x) in coefficients.iter().enumerate() {
                    h[(self.starts[*body] + i, c)] += x;
                }
            }
        }
        h
    }

    /// Free velocities: a step of gravity along −`up`, and a random motion of size `spread`.
    pub(crate) fn falling(&self, d: &mut Draw, up: usize, spread: f64) -> Vec<f64> {
        let mut v: Vec<f64> = (0..self.degrees_of_freedom()).map(|_| spread * d.normal()).collect();
        for &start in &self.starts {
            v[start + up] -= 1.0;
        }
        v
    }
}

/// The inverse mass of a rigid body in the plane.
pub(crate) fn planar_body(mass: f64, inertia: f64) -> Matrix {
    Matrix::from_fn(3, 3, |i, j| match (i == j, i) {
        (false, _) => 0.0,
        (true, 2) => 1.0 / inertia,
        (true, _) => 1.0 / mass,
    })
}

/// The inverse mass of a rigid body in space, in the axes of its inertia.
pub(crate) fn spatial_body(mass: f64, inertia: [f64; 3]) -> Matrix {
    Matrix::from_fn(6, 6, |i, j| match (i == j, i) {
        (false, _) => 0.0,
        (true, 0..3) => 1.0 / mass,
        (true, _) => 1.0 / inertia[i - 3],
    })
}

/// The inverse mass of a point.
pub(crate) fn point(dof: usize, mass: f64) -> Matrix {
    Matrix::from_fn(dof, dof, |i, j| if i == j { 1.0 / mass } else { 0.0 })
}

/// Coefficients from 0 to 10: log-uniform over three decades, and 0 now and then.
pub(crate) fn friction_coefficients(d: &mut Draw, k: usize) -> Vec<f64> {
    let mut one = || {
        if d.chance(0.15) { 0.0 } else { d.log_between(0.01, 10.0) }
    };
    (0..k).map(|_| one()).collect()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / length)
}

/// Tangents to a unit normal; in the plane the first is the normal turned by −90°.
fn frame(n: [f64; 3], tangents: usize) -> ([f64; 3], [f64; 3]) {
    if tangents == 1 {
        return ([n[1], -n[0], 0.0], [0.0; 3]);
    }
    let helper = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let o = unit(cross(n, helper));
    (cross(o, n), o)
}

/// Copies the lower triangle to the upper, so that W is symmetric to the last bit.
fn symmetrize(w: &mut Matrix) {
    for i in 0..w.rows() {
        for j in 0..i {
            w[(j, i)] = w[(i, j)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rod of unit mass and inertia 1/12·12, standing on its end: closed form of W.
    #[test]
    fn the_delassus_matrix_of_a_rod_on_its_end_is_the_textbook_one() {
        let mut builder = Builder::planar();
        let rod = builder.body(planar_body(2.0, 4.0));
        let (x, y) = (0.5, -1.5);
        builder.contact((rod, [x, y, 0.0]), None, [0.0, 1.0, 0.0]);
        let s = builder.pose(&[0.25, -1.0, 0.0], vec![0.3]);
        let expected = [[0.5 + x * x / 4.0, -x * y / 4.0], [-x * y / 4.0, 0.5 + y * y / 4.0]];
        assert_eq!(s.w, Matrix::from_rows(&expected).unwrap());
        assert_eq!(s.b, vec![-1.0, 0.25]);
    }

    #[test]
    fn tangents_are_orthonormal() {
        let mut d = Draw::new("frame", 1, 1);
        for _ in 0..20 {
            let n = unit([d.normal(), d.normal(), d.normal()]);
            let (t, o) = frame(n, 2);
            let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| a[i] * b[i]).sum::<f64>();
            for (a, b, expected) in
                [(n, t, 0.0), (n, o, 0.0), (t, o, 0.0), (t, t, 1.0), (o, o, 1.0)]
            {
                assert!((dot(a, b) - expected).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_box_on_four_corners_is_redundant_and_a_point_is_not() {
        let mut d = Draw::new("redundant", 1, 1);
        assert!(!box_stack(&mut d, 1).is_definite());
        assert!(!planar_stack(&mut d, 2).is_definite());
        assert!(definite(&mut d, 2, 5).is_definite());
    }
}
