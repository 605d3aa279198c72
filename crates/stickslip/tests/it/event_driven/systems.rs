//! Small systems with known motions, and an observer that writes everything down.

use complementarity::Matrix;
use stickslip::contact::{Law, Mode};
use stickslip::run::{Event, EventKind, Flow, Observer, Sample};
use stickslip::system::{ContactInfo, Directions, Energy, System, SystemInfo};

/// t, q, u and the modes of a sample.
pub(crate) type Shown = (f64, Vec<f64>, Vec<f64>, Vec<Mode>);

/// Everything a run showed.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) events: Vec<Event>,
    pub(crate) samples: Vec<Shown>,
    pub(crate) impulses: Vec<f64>,
}

impl Observer for Log {
    fn sample(&mut self, s: &Sample<'_>) -> Flow {
        self.samples.push((s.t, s.q.to_vec(), s.u.to_vec(), s.modes.to_vec()));
        self.impulses.resize(s.impulses.len(), 0.0);
        for (sum, i) in self.impulses.iter_mut().zip(s.impulses) {
            *sum += i;
        }
        Flow::Continue
    }

    fn event(&mut self, e: &Event) {
        self.events.push(*e);
    }
}

impl Log {
    /// The times of the events of a kind at a contact.
    pub(crate) fn times(&self, contact: usize, kind: EventKind) -> Vec<f64> {
        let chosen = self.events.iter().filter(|e| e.contact == contact && e.kind == kind);
        chosen.map(|e| e.t).collect()
    }
}

type Forces = Box<dyn Fn(&[f64], &[f64], f64) -> Vec<f64>>;
/// A number that depends on (q, t).
type Gap = Box<dyn Fn(&[f64], f64) -> f64>;
/// (q, u, t) to w_N, w_T, ŵ_N, ŵ_T and the two convective terms.
type Kinematics = Box<dyn Fn(&[f64], &[f64], f64) -> (Vec<f64>, Vec<f64>, [f64; 2], [f64; 2])>;

/// A system with constant masses, put together from functions.
pub(crate) struct Parts {
    info: SystemInfo,
    mass: Vec<f64>,
    forces: Forces,
    potential: Gap,
    contacts: Vec<(Gap, Kinematics)>,
}

impl Parts {
    pub(crate) fn new(
        mass: &[f64],
        forces: impl Fn(&[f64], &[f64], f64) -> Vec<f64> + 'static,
        potential: impl Fn(&[f64], f64) -> f64 + 'static,
    ) -> Self {
        let names = |p: &str| (0..mass.len()).map(|i| format!("{p}{i}")).collect();
        let info = SystemInfo {
            coordinates: names("q"),
            velocities: names("u"),
            contacts: Vec::new(),
            bodies: Vec::new(),
            constant_mass: true,
        };
        Self {
            info,
            mass: mass.to_vec(),
            forces: Box::new(forces),
            potential: Box::new(potential),
            contacts: Vec::new(),
        }
    }

    pub(crate) fn contact(
        mut self,
        law: Law,
        gap: impl Fn(&[f64], f64) -> f64 + 'static,
        kinematics: impl Fn(&[f64], &[f64], f64) -> (Vec<f64>, Vec<f64>, [f64; 2], [f64; 2]) + 'static,
    ) -> Self {
        let name = format!("contact {}", self.contacts.len());
        self.info.contacts.push(ContactInfo { name, law });
        self.contacts.push((Box::new(gap), Box::new(kinematics)));
        self
    }
}

impl System for Parts {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn mass(&self, _q: &[f64], _t: f64, m: &mut Matrix) {
        m.as_mut_slice().fill(0.0);
        for (i, v) in self.mass.iter().enumerate() {
            m[(i, i)] = *v;
        }
    }

    fn forces(&self, q: &[f64], u: &[f64], t: f64, h: &mut [f64]) {
        h.copy_from_slice(&(self.forces)(q, u, t));
    }

    fn gaps(&self, q: &[f64], t: f64, gaps: &mut [f64]) {
        for (g, c) in gaps.iter_mut().zip(&self.contacts) {
            *g = (c.0)(q, t);
        }
    }

    fn directions(&self, contact: usize, q: &[f64], t: f64, out: &mut Directions<'_>) {
        let zero = vec![0.0; q.len()];
        let (n, t, drive, _) = (self.contacts[contact].1)(q, &zero, t);
        out.normal.copy_from_slice(&n);
        out.tangent.copy_from_slice(&t);
        (out.normal_drive, out.tangent_drive) = (drive[0], drive[1]);
    }

    fn convective(&self, contact: usize, q: &[f64], u: &[f64], t: f64) -> [f64; 2] {
        (self.contacts[contact].1)(q, u, t).3
    }

    fn force_jacobians(&self, _: &[f64], _: &[f64], _: f64, dq: &mut Matrix, du: &mut Matrix) {
        dq.as_mut_slice().fill(0.0);
        du.as_mut_slice().fill(0.0);
    }

    fn energy(&self, q: &[f64], u: &[f64], t: f64) -> Energy {
        let kinetic = self.mass.iter().zip(u).map(|(m, u)| 0.5 * m * u * u).sum();
        Energy { kinetic, potential: (self.potential)(q, t) }
    }
}

/// A point mass with coordinates x, y above the line y = 0, with a force along x.
pub(crate) fn point(
    mass: f64,
    g: f64,
    law: Law,
    force: impl Fn(f64, f64, f64) -> f64 + 'static,
    potential: impl Fn(f64) -> f64 + 'static,
) -> Parts {
    Parts::new(
        &[mass, mass],
        move |q, u, t| vec![force(q[0], u[0], t), -mass * g],
        move |q, _| potential(q[0]) + mass * g * q[1],
    )
    .contact(law, |q, _| q[1], |_, _, _| (vec![0.0, 1.0], vec![1.0, 0.0], [0.0; 2], [0.0; 2]))
}
