//! A system with a constant mass matrix, constant directions and linear springs and dampers: the smallest thing
//! that has contacts.

use crate::contact::Law;
use crate::dynamics::dot;
use crate::error::Error;
use crate::system::{ContactInfo, Directions, Energy, System, SystemInfo};
use complementarity::Matrix;

/// A contact of a [`Linear`] system: g = offset + w_Nᵀ q + rate t, γ_T = w_Tᵀ u + belt.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearContact {
    /// w_N.
    pub normal: Vec<f64>,
    /// w_T.
    pub tangent: Vec<f64>,
    /// The gap at q = 0 and t = 0.
    pub offset: f64,
    /// How fast the gap grows by itself.
    pub rate: f64,
    /// Slip without motion: that of a belt.
    pub belt: f64,
    /// The law.
    pub law: Law,
}

impl LinearContact {
    /// A contact at rest that is closed at q = 0.
    #[must_use]
    pub fn new(normal: Vec<f64>, tangent: Vec<f64>, law: Law) -> Self {
        Self { normal, tangent, offset: 0.0, rate: 0.0, belt: 0.0, law }
    }
}

/// M u̇ = p − K q − C u with contacts in fixed directions.
///
/// ```
/// use stickslip::contact::Law;
/// use stickslip::models::{Linear, LinearContact};
///
/// // A point mass of 2 kg above a floor, under gravity: coordinates x, y.
/// let floor = LinearContact::new(vec![0.0, 1.0], vec![1.0, 0.0], Law::coulomb(0.3));
/// let point = Linear::diagonal(&[2.0, 2.0], &[0.0, -2.0 * 9.81], vec![floor])?;
/// # Ok::<(), stickslip::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    mass: Matrix,
    load: Vec<f64>,
    stiffness: Matrix,
    damping: Matrix,
    contacts: Vec<LinearContact>,
    info: SystemInfo,
}

impl Linear {
    /// A system with this mass matrix and constant forces, without springs and dampers.
    ///
    /// # Errors
    /// If sizes do not fit.
    pub fn new(mass: Matrix, load: Vec<f64>, contacts: Vec<LinearContact>) -> Result<Self, Error> {
        let f = load.len();
        check_square("the mass matrix", &mass, f)?;
        for c in &contacts {
            for (what, w) in [("normal", &c.normal), ("tangent", &c.tangent)] {
                if w.len() != f {
                    return Err(Error::Size { what, expected: f, found: w.len() });
                }
            }
        }
        let names = |letter: &str| (1..=f).map(|i| format!("{letter}{i}")).collect();
        let contact = |(i, c): (usize, &LinearContact)| ContactInfo {
            name: format!("contact {}", i + 1),
            law: c.law.clone(),
        };
        let info = SystemInfo {
            coordinates: names("q"),
            velocities: names("u"),
            contacts: contacts.iter().enumerate().map(contact).collect(),
            bodies: Vec::new(),
            constant_mass: true,
        };
        let zero = || Matrix::zeros(f, f);
        Ok(Self { mass, load, stiffness: zero(), damping: zero(), contacts, info })
    }

    /// As [`new`](Self::new), with masses on the diagonal.
    ///
    /// # Errors
    /// If sizes do not fit.
    pub fn diagonal(
        masses: &[f64],
        load: &[f64],
        contacts: Vec<LinearContact>,
    ) -> Result<Self, Error> {
        let n = masses.len();
        let mass = Matrix::from_fn(n, n, |i, j| if i == j { masses[i] } else { 0.0 });
        Self::new(mass, load.to_vec(), contacts)
    }

    /// The same system with springs and dampers, K and C symmetric.
    ///
    /// # Errors
    /// If sizes do not fit.
    pub fn with_springs(self, stiffness: Matrix, damping: Matrix) -> Result<Self, Error> {
        check_square("the stiffness matrix", &stiffness, self.load.len())?;
        check_square("the damping matrix", &damping, self.load.len())?;
        Ok(Self { stiffness, damping, ..self })
    }
}

fn check_square(what: &'static str, m: &Matrix, f: usize) -> Result<(), Error> {
    for found in [m.rows(), m.cols()] {
        if found != f {
            return Err(Error::Size { what, expected: f, found });
        }
    }
    Ok(())
}

impl System for Linear {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn mass(&self, _q: &[f64], _t: f64, m: &mut Matrix) {
        m.as_mut_slice().copy_from_slice(self.mass.as_slice());
    }

    fn forces(&self, q: &[f64], u: &[f64], _t: f64, h: &mut [f64]) {
        for (i, h) in h.iter_mut().enumerate() {
            *h = self.load[i] - dot(self.stiffness.row(i), q) - dot(self.damping.row(i), u);
        }
    }

    fn gaps(&self, q: &[f64], t: f64, gaps: &mut [f64]) {
        for (g, c) in gaps.iter_mut().zip(&self.contacts) {
            *g = c.offset + dot(&c.normal, q) + c.rate * t;
        }
    }

    fn directions(&self, contact: usize, _q: &[f64], _t: f64, out: &mut Directions<'_>) {
        let c = &self.contacts[contact];
        out.normal.copy_from_slice(&c.normal);
        out.tangent.copy_from_slice(&c.tangent);
        (out.normal_drive, out.tangent_drive) = (c.rate, c.belt);
    }

    fn convective(&self, _contact: usize, _q: &[f64], _u: &[f64], _t: f64) -> [f64; 2] {
        [0.0, 0.0]
    }

    fn force_jacobians(&self, _q: &[f64], _u: &[f64], _t: f64, dq: &mut Matrix, du: &mut Matrix) {
        for (to, from) in [(dq, &self.stiffness), (du, &self.damping)] {
            for (t, f) in to.as_mut_slice().iter_mut().zip(from.as_slice()) {
                *t = -f;
            }
        }
    }

    fn energy(&self, q: &[f64], u: &[f64], _t: f64) -> Energy {
        let form = |m: &Matrix, x: &[f64]| {
            (0..x.len()).map(|i| 0.5 * x[i] * dot(m.row(i), x)).sum::<f64>()
        };
        let potential = form(&self.stiffness, q) - dot(&self.load, q);
        Energy { kinetic: form(&self.mass, u), potential }
    }
}
