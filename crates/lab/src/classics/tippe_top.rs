//! The tippe top: a ball whose centre of mass lies below its centre turns over while it slips.
//!
//! With r from the centre of mass to the contact, L · r is kept by every force at the contact, since L̇ = r × F and r changes
//! only by the turn of the axis, which is perpendicular to L in the plane of axis and ω (Jellett).

use super::{G, Measure, Outcome, Ride};
use glam::{DMat3, DQuat, DVec3};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;
use stickslip::contact::set::ConvexSet;

/// Numbers of a toy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TippeTop {
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia across and along the axis, kg m².
    pub moments: [f64; 2],
    /// Radius of the ball, m.
    pub radius: f64,
    /// How far the centre of mass is below the ball's centre, m.
    pub depth: f64,
    /// Friction coefficient.
    pub mu: f64,
    /// Lever of the friction against spinning at the contact, m; 0 for Coulomb friction at a point.
    pub patch: f64,
    /// Lean at the start, rad.
    pub lean: f64,
    /// Spin about its axis, rad/s.
    pub spin: f64,
}

impl Default for TippeTop {
    fn default() -> Self {
        Self {
            mass: 6e-3,
            moments: [8e-7, 7e-7],
            radius: 1.5e-2,
            depth: 3e-3,
            mu: 0.3,
            patch: 5e-4,
            lean: 0.1,
            spin: 180.0,
        }
    }
}

impl TippeTop {
    /// On its way.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn ride(&self) -> Result<Ride, stickslip::Error> {
        let mut world = World::new(DVec3::new(0.0, 0.0, -G))?;
        let [a, c] = self.moments;
        let inertia = DMat3::from_diagonal(DVec3::new(a, a, c));
        let body = world.body(MassProperties::new(self.mass, inertia)?);
        let ball = Shape::Sphere(DVec3::new(0.0, 0.0, self.depth), self.radius);
        let shapes = pair(ball, Shape::Plane(DVec3::ZERO, DVec3::Z))?;
        let law = if self.patch > 0.0 {
            Law::with_set(self.mu, ConvexSet::Ellipsoid(vec![1.0, 1.0, self.patch]))
        } else {
            Law::disc(self.mu)
        };
        world.contact(body, World::GROUND, shapes, law)?;
        let rotation = DQuat::from_rotation_y(self.lean);
        let axis = rotation * DVec3::Z;
        let position = DVec3::new(0.0, 0.0, self.radius - self.depth * axis.z);
        let angular = self.spin * axis;
        let state = world
            .state(&[(Pose { position, rotation }, Twist { linear: DVec3::ZERO, angular })])?;
        Ride::new(world, state, self.mass * G * self.depth)
    }

    /// Cosine of the lean.
    pub fn upright(&self, ride: &Ride) -> f64 {
        self.axis(ride).z
    }

    fn axis(&self, ride: &Ride) -> DVec3 {
        let q = &ride.state.q;
        DQuat::from_xyzw(q[4], q[5], q[6], q[3]) * DVec3::Z
    }

    /// L · (R z − h e₃).
    pub fn jellett(&self, ride: &Ride) -> f64 {
        let q = &ride.state.q;
        let u = &ride.state.u;
        let (x, v) = (DVec3::new(q[0], q[1], q[2]), DVec3::new(u[0], u[1], u[2]));
        let about_centre = ride.world.momentum(&ride.state).1 - self.mass * x.cross(v);
        about_centre.dot(self.radius * DVec3::Z - self.depth * self.axis(ride))
    }
}

/// Turning over for a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurningOver {
    /// Time, lean, spin about the vertical, change of Jellett's invariant as a share.
    pub samples: Vec<[f64; 4]>,
    /// The largest difference between that change and what the torque of friction against spinning makes of it.
    pub unexplained: f64,
    /// The worst certificate.
    pub worst: f64,
    /// The largest rise of the energy over m g h.
    pub rise: f64,
}

impl TippeTop {
    /// Runs it.
    ///
    /// # Errors
    /// If a step has no answer.
    pub fn run(&self, time: f64, dt: f64) -> Outcome<TurningOver> {
        let mut ride = self.ride()?;
        let start = self.jellett(&ride);
        let (mut found, mut drilled, mut last) = (TurningOver::default(), 0.0, self.upright(&ride));
        ride.go(time, dt, |ride| {
            let u = self.upright(ride);
            // L̇ · r: forces at the contact have no part in it, a torque M along the vertical has M (R − h cos θ).
            let torque = ride.outcome().impulse.get(3).copied().unwrap_or(0.0);
            drilled += torque * (self.radius - self.depth * 0.5 * (u + last)) / start;
            last = u;
            let change = self.jellett(ride) / start - 1.0;
            found.unexplained = found.unexplained.max((change - drilled).abs());
            let lean = u.clamp(-1.0, 1.0).acos();
            found.samples.push([ride.state.t, lean, ride.state.u[5], change]);
        })?;
        (found.worst, found.rise) = (ride.worst, ride.rise());
        Ok(found)
    }
}

/// Jellett's invariant with Coulomb friction at a point, and its balance with friction against spinning.
///
/// # Errors
/// If a step has no answer.
pub fn tippe_top(sizes: &[f64]) -> Outcome<Vec<Measure>> {
    const CASE: &str = "tippe top";
    let point = TippeTop { patch: 0.0, lean: 0.5, mu: 0.05, ..TippeTop::default() };
    let mut kept = Measure::new(CASE, "Jellett's invariant, friction at a point, share", 0.0);
    let mut balance = Measure::new(CASE, "its balance with a patch, share", 0.0);
    let add = |m: &mut Measure, dt: f64, x: f64, run: &TurningOver| {
        m.sizes.push(dt);
        m.computed.push(x);
        (m.worst, m.rise) = (m.worst.max(run.worst), m.rise.max(run.rise));
    };
    for &dt in sizes {
        let run = point.run(3.0, dt)?;
        let off = run.samples.iter().fold(0.0_f64, |m, s| m.max(s[3].abs()));
        add(&mut kept, dt, off, &run);
        let run = TippeTop::default().run(3.0, dt)?;
        add(&mut balance, dt, run.unexplained, &run);
    }
    Ok(vec![kept, balance])
}
