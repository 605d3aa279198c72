//! Systems and bodies with a force that Python sets between steps.

use crate::patience::cancelled;
use complementarity::Matrix;
use glam::DVec3;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use stickslip::SystemInfo;
use stickslip::bodies::forces::{Force, Load};
use stickslip::bodies::{Pose, Twist};
use stickslip::system::{Directions, Energy, PlacedFriction, System};

/// A force of every coordinate, held until another is set.
#[derive(Debug, Default)]
pub(crate) struct Control {
    /// Whether there is one: a motion without it does not pay for it.
    acts: AtomicBool,
    force: Mutex<Vec<f64>>,
}

impl Control {
    /// Sets the force; no numbers for none.
    pub(crate) fn set(&self, force: &[f64]) {
        let mut own = self.lock();
        own.clear();
        own.extend_from_slice(force);
        self.acts.store(force.iter().any(|f| *f != 0.0), Ordering::Release);
    }

    /// The force.
    pub(crate) fn get(&self) -> Vec<f64> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<f64>> {
        // Numbers are whole whoever panicked.
        self.force.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the force to others.
    pub(crate) fn add(&self, h: &mut [f64]) {
        if self.acts.load(Ordering::Acquire) {
            h.iter_mut().zip(self.lock().iter()).for_each(|(h, f)| *h += f);
        }
    }

    /// Its power at these velocities.
    fn power(&self, u: &[f64]) -> f64 {
        if !self.acts.load(Ordering::Acquire) {
            return 0.0;
        }
        self.lock().iter().zip(u).map(|(f, u)| f * u).sum()
    }
}

/// The same for free bodies: of each a force, and a torque about its centre of mass, in world axes.
#[derive(Debug)]
pub(crate) struct ControlledBodies {
    /// Their numbers in the model, in the order of their velocities.
    pub(crate) bodies: Vec<usize>,
    pub(crate) control: Arc<Control>,
}

impl Force for ControlledBodies {
    fn validate(&self, _: usize) -> Result<(), stickslip::Error> {
        Ok(())
    }

    fn act(&self, _: &[(Pose, Twist)], _: f64, loads: &mut [Load]) {
        if !self.control.acts.load(Ordering::Acquire) {
            return;
        }
        let force = self.control.lock();
        for (&body, [x, y, z, a, b, c]) in self.bodies.iter().zip(force.as_chunks().0) {
            loads[body].force += DVec3::new(*x, *y, *z);
            loads[body].torque += DVec3::new(*a, *b, *c);
        }
    }

    fn follows_velocity(&self) -> bool {
        false
    }
}

/// A system, and the force.
#[derive(Debug)]
pub(crate) struct Controlled<S> {
    pub(crate) system: S,
    pub(crate) control: Arc<Control>,
}

impl<S: System> System for Controlled<S> {
    fn info(&self) -> &SystemInfo {
        self.system.info()
    }

    fn mass(&self, q: &[f64], t: f64, m: &mut Matrix) {
        self.system.mass(q, t, m);
    }

    fn forces(&self, q: &[f64], u: &[f64], t: f64, h: &mut [f64]) {
        if cancelled() {
            // A motion that nobody waits for ends at forces that are not finite.
            return h.fill(f64::NAN);
        }
        self.system.forces(q, u, t, h);
        self.control.add(h);
    }

    fn gaps(&self, q: &[f64], t: f64, gaps: &mut [f64]) {
        self.system.gaps(q, t, gaps);
    }

    fn directions(&self, contact: usize, q: &[f64], t: f64, out: &mut Directions<'_>) {
        self.system.directions(contact, q, t, out);
    }

    fn friction(&self, contact: usize) -> Option<&Arc<dyn PlacedFriction>> {
        self.system.friction(contact)
    }

    fn convective(&self, contact: usize, q: &[f64], u: &[f64], t: f64) -> [f64; 2] {
        self.system.convective(contact, q, u, t)
    }

    fn force_jacobians(&self, q: &[f64], u: &[f64], t: f64, dq: &mut Matrix, du: &mut Matrix) {
        // A force that is held depends on nothing.
        self.system.force_jacobians(q, u, t, dq, du);
    }

    fn energy(&self, q: &[f64], u: &[f64], t: f64) -> Energy {
        self.system.energy(q, u, t)
    }

    fn power(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        self.system.power(q, u, t) + self.control.power(u)
    }
}
