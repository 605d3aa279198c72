//! One body that touches the ground at its centre of mass, in every model.

use super::{Motion, Place};
use crate::models::{Bodies, Steps, steps};
use complementarity::Matrix;
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::FRAC_PI_2;
use stickslip::Error;
use stickslip::bodies::articulated::TreeJoint;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, PointMassWorld, Pose, Shape, Tree, Twist, World};
use stickslip::contact::Law;
use stickslip::model::Generalised;
use stickslip::run::{self, Observer, Report};
use stickslip::step;
use stickslip::system::{ContactInfo, Directions, Energy, State, System, SystemInfo};

/// The mass, in kilograms, and the radius that gives the inertia, in metres.
const MASS: f64 = 2.0;
const RADIUS: f64 = 0.1;

/// A way to build the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two generalised coordinates and a planar contact.
    Generalised,
    /// A rigid body in maximal coordinates.
    World,
    /// A link on a planar joint, which holds it in the plane of its motion.
    Tree,
    /// Four point masses.
    PointMasses,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Generalised, Self::World, Self::Tree, Self::PointMasses];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Generalised => "generalised coordinates",
            Self::World => "rigid bodies",
            Self::Tree => "articulated",
            Self::PointMasses => "point masses",
        }
    }

    /// The model of a motion, and its start.
    pub(super) fn build(self, motion: Motion) -> Result<(Box<dyn Bodies>, State), Error> {
        let Place { position, velocity } = motion.start();
        let law = motion.law(if self == Self::Generalised { Law::coulomb } else { Law::disc });
        if self == Self::Generalised {
            let model = Generalised::new(Particle::new(motion.gravity(), law))?;
            let start = State::new(position.to_array().into(), velocity.to_array().into());
            return Ok((Box::new(model), start));
        }
        let gravity = in_space(motion.gravity());
        let mass = MassProperties::sphere(MASS, RADIUS)?;
        let point = pair(Shape::Point(DVec3::ZERO), Shape::Plane(DVec3::ZERO, DVec3::Z))?;
        let twist = Twist { linear: in_space(velocity), angular: DVec3::ZERO };
        let motions = [(Pose::at(in_space(position)), twist)];
        Ok(match self {
            Self::Generalised | Self::World => {
                let mut world = World::new(gravity)?;
                let body = world.body(mass);
                world.contact(body, World::GROUND, point, law)?;
                let start = world.state(&motions)?;
                (Box::new((world, vec![body])), start)
            }
            Self::PointMasses => {
                let mut world = PointMassWorld::new(gravity)?;
                let body = world.body(mass)?;
                world.contact(body, PointMassWorld::GROUND, point, law)?;
                let start = world.state(&motions)?;
                (Box::new((world, vec![body])), start)
            }
            Self::Tree => {
                let mut tree = Tree::new(gravity)?;
                // The plane of the joint, x and y of its frame, is x and z of the ground.
                let upright =
                    Pose { rotation: DQuat::from_rotation_x(FRAC_PI_2), ..Pose::default() };
                let link = tree.link(Tree::GROUND, TreeJoint::Planar, upright, upright, mass)?;
                tree.contact(link, Tree::GROUND, point, law)?;
                let with_angle = |x: DVec2| [x.x, x.y, 0.0];
                let start = tree.state(&with_angle(position), &with_angle(velocity))?;
                (Box::new((tree, vec![link])), start)
            }
        })
    }
}

/// From the plane of the motion into space.
fn in_space(x: DVec2) -> DVec3 {
    DVec3::new(x.x, 0.0, x.y)
}

/// A particle with the coordinates x along the ground and z above it.
#[derive(Clone, Debug)]
struct Particle {
    gravity: DVec2,
    info: SystemInfo,
}

impl Particle {
    fn new(gravity: DVec2, law: Law) -> Self {
        let names = |list: [&str; 2]| list.map(str::to_owned).to_vec();
        let info = SystemInfo {
            coordinates: names(["x", "z"]),
            velocities: names(["vx", "vz"]),
            contacts: vec![ContactInfo { name: "ground".to_owned(), law }],
            bodies: Vec::new(),
            constant_mass: true,
        };
        Self { gravity, info }
    }
}

impl System for Particle {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn mass(&self, _: &[f64], _: f64, m: &mut Matrix) {
        m.as_mut_slice().copy_from_slice(&[MASS, 0.0, 0.0, MASS]);
    }

    fn forces(&self, _: &[f64], _: &[f64], _: f64, h: &mut [f64]) {
        h.copy_from_slice(&(MASS * self.gravity).to_array());
    }

    fn gaps(&self, q: &[f64], _: f64, gaps: &mut [f64]) {
        gaps[0] = q[1];
    }

    fn directions(&self, _: usize, _: &[f64], _: f64, out: &mut Directions<'_>) {
        out.normal.copy_from_slice(&[0.0, 1.0]);
        out.tangent.copy_from_slice(&[1.0, 0.0]);
        (out.normal_drive, out.tangent_drive) = (0.0, 0.0);
    }

    fn convective(&self, _: usize, _: &[f64], _: &[f64], _: f64) -> [f64; 2] {
        [0.0, 0.0]
    }

    fn force_jacobians(&self, _: &[f64], _: &[f64], _: f64, dq: &mut Matrix, du: &mut Matrix) {
        dq.as_mut_slice().fill(0.0);
        du.as_mut_slice().fill(0.0);
    }

    fn energy(&self, q: &[f64], u: &[f64], _: f64) -> Energy {
        let [q, u] = [q, u].map(DVec2::from_slice);
        Energy { kinetic: 0.5 * MASS * u.length_squared(), potential: -MASS * self.gravity.dot(q) }
    }
}

impl Bodies for Generalised<Particle> {
    fn run(
        &self,
        start: &State,
        settings: &run::Settings,
        observer: &mut dyn Observer,
    ) -> Result<Report, Error> {
        run::run(self, start, settings, observer, &mut ())
    }

    fn steps(&self, settings: step::Settings) -> Result<Box<dyn Steps + '_>, Error> {
        steps(self, settings)
    }

    fn motions(&self, state: &State) -> Result<Vec<(Pose, Twist)>, Error> {
        let [position, linear] = [&state.q, &state.u].map(|x| in_space(DVec2::from_slice(x)));
        Ok(vec![(Pose::at(position), Twist { linear, angular: DVec3::ZERO })])
    }
}
