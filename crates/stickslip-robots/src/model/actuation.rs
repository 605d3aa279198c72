//! Actuators, sensors and named states.

use crate::error::Place;

/// An actuator.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelActuator {
    /// Its name.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// What the file calls it.
    pub kind: ActuatorKind,
    /// What it acts on.
    pub target: ActuatorTarget,
    /// The ratio between the length of the actuator and the coordinate of its target, in up to six directions.
    pub gear: [f64; 6],
    /// The force that it makes.
    pub law: ActuatorLaw,
    /// The range of the control.
    pub control_range: Option<[f64; 2]>,
    /// The range of the force.
    pub force_range: Option<[f64; 2]>,
}

/// What a file calls an actuator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActuatorKind {
    /// A force.
    Motor,
    /// A servo for the position.
    Position,
    /// A servo for the velocity.
    Velocity,
    /// A servo for the position whose aim is the integral of the control.
    IntegratedVelocity,
    /// Damping with a coefficient that is controlled.
    Damper,
    /// A pneumatic or hydraulic cylinder.
    Cylinder,
    /// Given by its law alone.
    General,
}

/// What an actuator acts on.
#[derive(Clone, Debug, PartialEq)]
pub enum ActuatorTarget {
    /// The coordinate of a joint.
    Joint(usize),
    /// A ball or a free joint, with its torques in the frame of the parent.
    JointInParent(usize),
    /// A site, with the force in its frame or in that of another site.
    Site {
        /// The site.
        site: usize,
        /// The frame in which `gear` is meant.
        reference: Option<usize>,
    },
}

/// force = (g₀ + g₁ length + g₂ speed) × input + b₀ + b₁ length + b₂ speed, where length = gear × coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActuatorLaw {
    /// g.
    pub gain: [f64; 3],
    /// b.
    pub bias: [f64; 3],
    /// How the input follows the control.
    pub dynamics: ActuatorDynamics,
    /// The range of the state of the dynamics.
    pub state_range: Option<[f64; 2]>,
    /// The damping ratio from which b₂ is to be found once the inertia at the joint is known (MJCF `dampratio`); b₂ is zero then.
    pub damping_ratio: Option<f64>,
}

/// How the input of an actuator follows its control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ActuatorDynamics {
    /// It is the control.
    Direct,
    /// Its rate is the control.
    Integrator,
    /// It approaches the control with a time constant, in s.
    Filter(f64),
    /// The same, integrated exactly over a step.
    ExactFilter(f64),
}

/// A sensor: its kind is the word of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSensor {
    /// Its name.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// Its kind, such as `gyro` or `jointpos`.
    pub kind: String,
    /// What it is on, and what it refers to, in the order of the file.
    pub targets: Vec<SensorTarget>,
    /// The standard deviation of its noise.
    pub noise: f64,
    /// Beyond which its values are cut off; zero: never.
    pub cutoff: f64,
}

/// Something that a sensor is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SensorTarget {
    /// A body, in its own frame.
    Body(usize),
    /// A body, at its centre of mass and along its principal axes.
    Inertial(usize),
    /// A joint.
    Joint(usize),
    /// A geometry.
    Geometry(usize),
    /// A site.
    Site(usize),
    /// An actuator.
    Actuator(usize),
    /// Something that the neutral model does not have, by its kind and name.
    Other {
        /// The word of the file, such as `tendon`.
        kind: String,
        /// The name.
        name: String,
    },
}

/// A named state.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelKeyframe {
    /// Its name.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// The time in s.
    pub time: f64,
    /// Positions of all joints in the order of `joints`: free joints as position and quaternion (w first), balls as quaternion. Empty if
    /// not given.
    pub positions: Vec<f64>,
    /// Velocities. Empty if not given.
    pub velocities: Vec<f64>,
    /// Controls of the actuators. Empty if not given.
    pub controls: Vec<f64>,
}
