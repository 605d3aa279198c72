//! The woodpecker toy of \[3\], section 4: a sleeve with play on a pole, a spring, a bird.

use crate::contact::Law;
use crate::system::{ContactInfo, Directions, Energy, State, System, SystemInfo};
use complementarity::Matrix;

/// The woodpecker, with the parameters of \[3\], Table I, as its default. Coordinates y, φ_M, φ_S;
/// contacts: the beak and the lower and upper edge of the sleeve.
///
/// ```
/// use stickslip::models::Woodpecker;
/// use stickslip::system::System;
///
/// let bird = Woodpecker::default().system();
/// let mut gaps = [0.0; 3];
/// bird.gaps(&Woodpecker::start().q, 0.0, &mut gaps);
/// assert!(gaps[1].abs() < 1e-6); // The sleeve starts on its lower edge, 0.9 µm inside.
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Woodpecker {
    /// Radius of the pole, m.
    pub r_o: f64,
    /// Inner radius of the sleeve, m.
    pub r_m: f64,
    /// Half the height of the sleeve, m.
    pub h_m: f64,
    /// Distance M-G, m.
    pub l_m: f64,
    /// Distance G-S, m.
    pub l_g: f64,
    /// Distance S-P, m.
    pub h_s: f64,
    /// Length of the beak, m.
    pub l_s: f64,
    /// Mass of the sleeve, kg.
    pub m_m: f64,
    /// Mass of the bird, kg.
    pub m_s: f64,
    /// Moment of inertia of the sleeve, kg m².
    pub j_m: f64,
    /// Moment of inertia of the bird, kg m².
    pub j_s: f64,
    /// Stiffness of the spring, N m/rad.
    pub c_phi: f64,
    /// Gravity, m/s².
    pub g: f64,
    /// Normal restitution of the three contacts.
    pub eps_n: [f64; 3],
    /// Tangential restitution.
    pub eps_t: f64,
    /// Coefficient of friction.
    pub mu: f64,
}

impl Default for Woodpecker {
    fn default() -> Self {
        Self {
            r_o: 0.0025,
            r_m: 0.0031,
            h_m: 0.0058,
            l_m: 0.010,
            l_g: 0.015,
            h_s: 0.02,
            l_s: 0.0201,
            m_m: 0.0003,
            m_s: 0.0045,
            j_m: 5.0e-9,
            j_s: 7.0e-7,
            c_phi: 0.0056,
            g: 9.81,
            eps_n: [0.5, 0.0, 0.0],
            eps_t: 0.0,
            mu: 0.3,
        }
    }
}

impl Woodpecker {
    /// The initial state of Table I.
    #[must_use]
    pub fn start() -> State {
        State::new(vec![0.0, -0.1036, -0.2788], vec![-0.3411, 0.0, -7.4583])
    }

    /// The system of these parameters.
    pub fn system(self) -> WoodpeckerSystem {
        let law = |i: usize| Law::coulomb(self.mu).with_restitution(self.eps_n[i], self.eps_t);
        let contact = |i: usize, name: &str| ContactInfo { name: name.into(), law: law(i) };
        let info = SystemInfo {
            coordinates: ["y", "phi_M", "phi_S"].map(String::from).to_vec(),
            velocities: ["v", "omega_M", "omega_S"].map(String::from).to_vec(),
            contacts: vec![contact(0, "beak"), contact(1, "lower"), contact(2, "upper")],
            bodies: Vec::new(),
            constant_mass: true,
        };
        WoodpeckerSystem { p: self, info }
    }
}

/// The equations of motion of a [`Woodpecker`].
#[derive(Clone, Debug)]
pub struct WoodpeckerSystem {
    p: Woodpecker,
    info: SystemInfo,
}

impl System for WoodpeckerSystem {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    // [3] eq. (14).
    fn mass(&self, _q: &[f64], _t: f64, m: &mut Matrix) {
        let p = &self.p;
        m.row_mut(0).copy_from_slice(&[p.m_s + p.m_m, p.m_s * p.l_m, p.m_s * p.l_g]);
        let coupling = p.m_s * p.l_m * p.l_g;
        m.row_mut(1).copy_from_slice(&[p.m_s * p.l_m, p.j_m + p.m_s * p.l_m * p.l_m, coupling]);
        m.row_mut(2).copy_from_slice(&[p.m_s * p.l_g, coupling, p.j_s + p.m_s * p.l_g * p.l_g]);
    }

    fn forces(&self, q: &[f64], _u: &[f64], _t: f64, h: &mut [f64]) {
        let p = &self.p;
        let spring = p.c_phi * (q[1] - q[2]);
        h[0] = -(p.m_s + p.m_m) * p.g;
        h[1] = -spring - p.m_s * p.l_m * p.g;
        h[2] = spring - p.m_s * p.l_g * p.g;
    }

    // [3] eq. (15).
    fn gaps(&self, q: &[f64], _t: f64, gaps: &mut [f64]) {
        let p = &self.p;
        gaps[0] = (p.l_m + p.l_g - p.l_s - p.r_o) - p.h_s * q[2];
        gaps[1] = (p.r_m - p.r_o) + p.h_m * q[1];
        gaps[2] = (p.r_m - p.r_o) - p.h_m * q[1];
    }

    // [3] eq. (16).
    fn directions(&self, contact: usize, _q: &[f64], _t: f64, out: &mut Directions<'_>) {
        let p = &self.p;
        let (normal, tangent) = match contact {
            0 => ([0.0, 0.0, -p.h_s], [1.0, p.l_m, p.l_g - p.l_s]),
            1 => ([0.0, p.h_m, 0.0], [1.0, p.r_m, 0.0]),
            _ => ([0.0, -p.h_m, 0.0], [1.0, p.r_m, 0.0]),
        };
        out.normal.copy_from_slice(&normal);
        out.tangent.copy_from_slice(&tangent);
        (out.normal_drive, out.tangent_drive) = (0.0, 0.0);
    }

    fn convective(&self, _contact: usize, _q: &[f64], _u: &[f64], _t: f64) -> [f64; 2] {
        [0.0, 0.0]
    }

    fn force_jacobians(&self, _q: &[f64], _u: &[f64], _t: f64, dq: &mut Matrix, du: &mut Matrix) {
        let c = self.p.c_phi;
        dq.row_mut(0).fill(0.0);
        dq.row_mut(1).copy_from_slice(&[0.0, -c, c]);
        dq.row_mut(2).copy_from_slice(&[0.0, c, -c]);
        du.as_mut_slice().fill(0.0);
    }

    fn energy(&self, q: &[f64], u: &[f64], _t: f64) -> Energy {
        let p = &self.p;
        let bird = u[0] + p.l_m * u[1] + p.l_g * u[2];
        let kinetic = 0.5
            * (p.m_m * u[0] * u[0]
                + p.m_s * bird * bird
                + p.j_m * u[1] * u[1]
                + p.j_s * u[2] * u[2]);
        let height = p.m_m * q[0] + p.m_s * (q[0] + p.l_m * q[1] + p.l_g * q[2]);
        let twist = q[1] - q[2];
        Energy { kinetic, potential: p.g * height + 0.5 * p.c_phi * twist * twist }
    }
}
