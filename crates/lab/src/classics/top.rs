//! The heavy symmetric top on a fixed point.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | A, C | moments of inertia about the fixed point, across and along the axis |
//! | θ, φ | lean of the axis, precession |
//! | u | cos θ |
//! | a, b, β | C ω₃ / A, L_z / A, 2 m g l / A |

use super::{G, Measure, Outcome, Ride, elliptic_k};
use glam::{DQuat, DVec3};
use stickslip::bodies::{Joint, JointKind, MassProperties, Pose, SpinUpdate, Twist, World};

/// A disc on a light stem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Top {
    /// Mass, kg.
    pub mass: f64,
    /// Radius and height of the cylinder, m.
    pub size: [f64; 2],
    /// From the fixed point to the centre of mass, m.
    pub arm: f64,
    /// Lean at the start, rad.
    pub lean: f64,
    /// Angular velocity about its own axis, rad/s.
    pub spin: f64,
    /// How free rotation is taken.
    pub update: SpinUpdate,
}

impl Default for Top {
    fn default() -> Self {
        let (mass, size, arm) = (0.5, [0.1, 0.02], 0.12);
        Self { mass, size, arm, lean: 0.5, spin: 120.0, update: SpinUpdate::default() }
    }
}

impl Top {
    fn properties(&self) -> Result<MassProperties, stickslip::Error> {
        MassProperties::cylinder(self.mass, self.size[0], self.size[1])
    }

    /// A and C.
    fn moments(&self) -> Result<[f64; 2], stickslip::Error> {
        let inertia = self.properties()?.inertia();
        Ok([inertia.x_axis.x + self.mass * self.arm * self.arm, inertia.z_axis.z])
    }

    fn weight(&self) -> f64 {
        self.mass * G * self.arm
    }

    /// The slow rate of regular precession: A φ̇² cos θ − C ω₃ φ̇ + m g l = 0.
    fn precession(&self) -> Result<f64, stickslip::Error> {
        let [a, c] = self.moments()?;
        let (l3, u) = (c * self.spin, self.lean.cos());
        // The form without a difference of nearly equal numbers.
        Ok(2.0 * self.weight() / (l3 + (l3 * l3 - 4.0 * a * u * self.weight()).sqrt()))
    }

    /// On its way with this rate of precession.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn ride(&self, rate: f64) -> Result<Ride, stickslip::Error> {
        let mut world = World::new(DVec3::new(0.0, 0.0, -G))?.with_update(self.update);
        let body = world.body(self.properties()?);
        let kind = JointKind::Spherical;
        let on_second = Pose::at(DVec3::new(0.0, 0.0, -self.arm));
        world.joint(World::GROUND, body, Joint { kind, on_first: Pose::default(), on_second })?;
        let rotation = DQuat::from_rotation_y(self.lean);
        let axis = rotation * DVec3::Z;
        let angular = self.spin * axis + rate * (DVec3::Z - self.lean.cos() * axis);
        let position = self.arm * axis;
        let twist = Twist { linear: angular.cross(position), angular };
        let state = world.state(&[(Pose { position, rotation }, twist)])?;
        Ride::new(world, state, self.weight())
    }
}

/// The direction of the top's axis.
fn axis(ride: &Ride) -> DVec3 {
    let q = &ride.state.q;
    DVec3::new(q[0], q[1], q[2]).normalize()
}

/// L_z and L₃ over their values at the start, less 1.
fn momenta(ride: &Ride, start: [f64; 2]) -> [f64; 2] {
    let l = ride.world.momentum(&ride.state).1;
    [l.z / start[0] - 1.0, l.dot(axis(ride)) / start[1] - 1.0]
}

/// Regular precession over two seconds: its rate, and how far the lean wanders.
///
/// # Errors
/// If a step has no answer.
pub fn precession(top: &Top, sizes: &[f64]) -> Outcome<Vec<Measure>> {
    const CASE: &str = "top, regular precession";
    let rate = top.precession()?;
    let mut angle = Measure::new(CASE, "rate of precession, rad/s", rate);
    let mut lean = Measure::new(CASE, "largest change of the lean, rad", 0.0);
    for &dt in sizes {
        let mut ride = top.ride(rate)?;
        let (mut turned, mut last, mut off) = (0.0, 0.0_f64, 0.0_f64);
        ride.go(2.0, dt, |ride| {
            let axis = axis(ride);
            let now = axis.y.atan2(axis.x);
            turned += (now - last).sin().asin();
            last = now;
            off = off.max((axis.z.acos() - top.lean).abs());
        })?;
        angle.add(dt, turned / 2.0, &ride);
        lean.add(dt, off, &ride);
    }
    Ok(vec![angle, lean])
}

/// Nutation of a top that is let go without precession: lowest lean, phase, and what is kept over ten periods.
///
/// # Errors
/// If a step has no answer.
pub fn nutation(top: &Top, sizes: &[f64]) -> Outcome<Vec<Measure>> {
    const CASE: &str = "top, nutation";
    let [big_a, c] = top.moments()?;
    let (a, beta, u0) = (c * top.spin / big_a, 2.0 * top.weight() / big_a, top.lean.cos());
    // u̇² = (u₀ − u) (β (1 − u²) − a² (u₀ − u)): the other roots of the cubic.
    let root = (a.powi(4) - 4.0 * beta * (a * a * u0 - beta)).sqrt();
    let (u1, u3) = ((a * a - root) / (2.0 * beta), (a * a + root) / (2.0 * beta));
    let k = ((u0 - u1) / (u3 - u1)).sqrt();
    let period = 4.0 * elliptic_k(k) / (beta * (u3 - u1)).sqrt();
    // sn² at half of a quarter period is 1 / (1 + k').
    let quarter = u1 + (u0 - u1) / (1.0 + (1.0 - k * k).sqrt());
    let mut phase = Measure::new(CASE, "cos θ after 9¼ periods", quarter);
    let mut lowest = Measure::new(CASE, "cos θ at its lowest", u1);
    let mut energy = Measure::new(CASE, "change of energy / m g l", 0.0);
    let mut l_z = Measure::new(CASE, "change of L_z, share", 0.0);
    let mut l_3 = Measure::new(CASE, "change of L₃, share", 0.0);
    for &dt in sizes {
        let mut ride = top.ride(0.0)?;
        let start = [c * top.spin * u0, c * top.spin];
        let (before, mut least, mut off) = (ride.energy(), f64::INFINITY, [0.0_f64; 2]);
        ride.go(9.25 * period, period / (period / dt).round(), |ride| {
            least = least.min(axis(ride).z);
            let now = momenta(ride, start);
            off = [off[0].max(now[0].abs()), off[1].max(now[1].abs())];
        })?;
        phase.add(dt, axis(&ride).z, &ride);
        lowest.add(dt, least, &ride);
        let change = (ride.energy() - before).abs().max(ride.risen);
        energy.add(dt, change / top.weight(), &ride);
        l_z.add(dt, off[0], &ride);
        l_3.add(dt, off[1], &ride);
    }
    Ok(vec![phase, lowest, energy, l_z, l_3])
}
