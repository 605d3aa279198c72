//! A rectangle in the vertical plane, with a contact at each of its corners.

use complementarity::Matrix;
use stickslip::contact::Law;
use stickslip::system::{ContactInfo, Directions, Energy, System, SystemInfo};

const GRAVITY: f64 = 9.81;

/// Coordinates x, z of the centre and the angle about y, which turns z towards x; the ground is z = 0.
#[derive(Clone, Debug)]
pub struct PlanarBox {
    edges: [f64; 2],
    mass: f64,
    info: SystemInfo,
}

impl PlanarBox {
    /// A box with these edges and mass, with the same law at its four corners.
    pub fn new(edges: [f64; 2], mass: f64, law: Law) -> Self {
        let names = |list: [&str; 3]| list.map(str::to_owned).to_vec();
        let contacts =
            (0..4).map(|i| ContactInfo { name: format!("corner {i}"), law: law.clone() }).collect();
        let info = SystemInfo {
            coordinates: names(["x", "z", "angle"]),
            velocities: names(["vx", "vz", "omega"]),
            contacts,
            bodies: Vec::new(),
            constant_mass: true,
        };
        Self { edges, mass, info }
    }

    fn inertia(&self) -> f64 {
        self.mass * (self.edges[0].powi(2) + self.edges[1].powi(2)) / 12.0
    }

    /// A corner from the centre of mass, in the directions of the world.
    fn corner(&self, contact: usize, q: &[f64]) -> [f64; 2] {
        let side = |bit: usize| if contact >> bit & 1 == 1 { 0.5 } else { -0.5 };
        let (x, z) = (side(0) * self.edges[0], side(1) * self.edges[1]);
        let (s, c) = q[2].sin_cos();
        [c * x + s * z, c * z - s * x]
    }
}

impl System for PlanarBox {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn mass(&self, _q: &[f64], _t: f64, m: &mut Matrix) {
        m.as_mut_slice().fill(0.0);
        for (i, mass) in [self.mass, self.mass, self.inertia()].into_iter().enumerate() {
            m.row_mut(i)[i] = mass;
        }
    }

    fn forces(&self, _q: &[f64], _u: &[f64], _t: f64, h: &mut [f64]) {
        h.copy_from_slice(&[0.0, -self.mass * GRAVITY, 0.0]);
    }

    fn gaps(&self, q: &[f64], _t: f64, gaps: &mut [f64]) {
        for (i, gap) in gaps.iter_mut().enumerate() {
            *gap = q[1] + self.corner(i, q)[1];
        }
    }

    fn directions(&self, contact: usize, q: &[f64], _t: f64, out: &mut Directions<'_>) {
        let [x, z] = self.corner(contact, q);
        out.normal.copy_from_slice(&[0.0, 1.0, -x]);
        out.tangent.copy_from_slice(&[1.0, 0.0, z]);
        (out.normal_drive, out.tangent_drive) = (0.0, 0.0);
    }

    fn convective(&self, contact: usize, q: &[f64], u: &[f64], _t: f64) -> [f64; 2] {
        let [x, z] = self.corner(contact, q);
        [-z * u[2] * u[2], -x * u[2] * u[2]]
    }

    fn force_jacobians(&self, _: &[f64], _: &[f64], _: f64, dq: &mut Matrix, du: &mut Matrix) {
        dq.as_mut_slice().fill(0.0);
        du.as_mut_slice().fill(0.0);
    }

    fn energy(&self, q: &[f64], u: &[f64], _t: f64) -> Energy {
        let kinetic =
            0.5 * self.mass * (u[0] * u[0] + u[1] * u[1]) + 0.5 * self.inertia() * u[2] * u[2];
        Energy { kinetic, potential: self.mass * GRAVITY * q[1] }
    }
}
