//! Bodies, contacts, joints and forces as they are written: numbers may be expressions.

use super::BodyModel;
use super::collision::CollisionDraft;
use super::plane::Ambient;
use super::robot::RobotDraft;
use super::solids::SolidDraft;
use crate::sensors::SensorDraft;
use crate::tree::Site;
use stickslip::bodies::point_masses::DistanceStep;
use stickslip::expression::Scalar;

/// What a scene says of bodies in space.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpaceDraft {
    pub(crate) ambient: Ambient,
    pub(crate) model: BodyModel,
    pub(crate) variant: Option<DistanceStep>,
    pub(crate) gravity: Option<Vec<Scalar>>,
    pub(crate) bodies: Vec<BodyDraft>,
    pub(crate) contacts: Vec<ContactDraft>,
    pub(crate) joints: Vec<JointDraft>,
    pub(crate) forces: Vec<ForceDraft>,
    pub(crate) collision: Option<CollisionDraft>,
    pub(crate) robots: Vec<RobotDraft>,
    pub(crate) sensors: Vec<SensorDraft>,
}

/// A number of a file, or several, with the path that errors name.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    pub(crate) path: String,
    pub(crate) list: Vec<Scalar>,
}

/// A `[[body]]`.
#[derive(Clone, Debug)]
pub(crate) struct BodyDraft {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) fixed: bool,
    pub(crate) mass: Option<Numbers>,
    pub(crate) density: Option<Numbers>,
    pub(crate) inertia: Option<Numbers>,
    /// In space.
    pub(crate) shape: Option<ShapeDraft>,
    /// In the plane.
    pub(crate) shapes: Vec<PlaneShapeDraft>,
    /// Shapes of the body by name.
    pub(crate) parts: Vec<(String, PartDraft)>,
    pub(crate) position: Option<Numbers>,
    pub(crate) orientation: Option<OrientationDraft>,
    /// In the plane: the same turn with all its turns.
    pub(crate) angle: Option<Numbers>,
    pub(crate) velocity: Option<Numbers>,
    /// In world axes.
    pub(crate) angular_velocity: Option<Numbers>,
    /// In the axes of the body.
    pub(crate) spin: Option<Numbers>,
    pub(crate) motion: Option<MotionDraft>,
    /// The name of its material, with its place.
    pub(crate) material: Option<(String, Site)>,
    /// Whether its shape collides, if the file says so.
    pub(crate) collides: Option<bool>,
    /// Bodies that it passes through.
    pub(crate) passes: Vec<(String, Site)>,
}

impl BodyDraft {
    /// Whether forces move it.
    pub(crate) fn moves_freely(&self) -> bool {
        !self.fixed && self.motion.is_none()
    }
}

impl ContactDraft {
    /// Gives it a phantom inertia, if it has friction.
    pub(crate) fn set_rho(&mut self, rho: f64) {
        let LawDraft { mu, mu_static, radius, friction, .. } = &self.law;
        let rubs = mu.is_some() || mu_static.is_some() || radius.is_some();
        let set = friction.as_ref().is_none_or(|f| !matches!(f.kind, FrictionKind::None));
        let numbers = Numbers { path: self.path.clone(), list: vec![Scalar::Number(rho)] };
        self.law.rho = (rubs && set).then_some(numbers);
    }
}

/// The shape of a body.
#[derive(Clone, Debug)]
pub(crate) struct ShapeDraft {
    pub(crate) kind: ShapeKind,
    /// Its lengths in the order of the kind.
    pub(crate) numbers: Numbers,
    /// If its centre of mass is to be worked out.
    pub(crate) solid: Option<SolidDraft>,
    /// Of a cylinder or cone: whether its flat ends touch planes as patches, if the file says so.
    pub(crate) patch: Option<bool>,
}

/// A shape in the plane, where it is and how it is turned.
#[derive(Clone, Debug)]
pub(crate) struct PlaneShapeDraft {
    pub(crate) shape: ShapeDraft,
    pub(crate) at: Option<Numbers>,
    pub(crate) angle: Option<Numbers>,
}

/// The kinds of shapes; each with what its numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShapeKind {
    /// Three edges.
    Box,
    /// The radius.
    Sphere,
    /// Three semi-axes.
    Ellipsoid,
    /// Radius and height; the axis is z.
    Cylinder,
    /// Radius, and length between the centres of the two half-spheres; the axis is z.
    Capsule,
    /// The normal of a half-space through the origin of the body.
    Plane,
    /// Given by points, without numbers of its own.
    Solid,
    /// In the plane: two edges.
    Rectangle,
    /// The radius.
    Disc,
    /// Radius, and length between the centres of the two half-discs; the axis is x.
    PlaneCapsule,
    /// The points, one after the other.
    Polygon,
    /// The points.
    Chain,
    /// The normal of a half-plane through the origin of the body.
    HalfPlane,
}

/// Where a body is turned to.
#[derive(Clone, Debug)]
pub(crate) enum OrientationDraft {
    /// w, x, y, z.
    Quaternion(Numbers),
    /// Turns about axes fixed in the world, one after the other.
    Turns(Vec<TurnDraft>),
}

/// A turn about an axis.
#[derive(Clone, Debug)]
pub(crate) struct TurnDraft {
    pub(crate) axis: Numbers,
    pub(crate) angle: Numbers,
}

/// A motion by expressions of time.
#[derive(Clone, Debug)]
pub(crate) struct MotionDraft {
    /// Three expressions, each with the path of the list.
    pub(crate) position: Option<(String, Vec<String>)>,
    /// The axis, which is constant, and the angle, an expression of time.
    pub(crate) turn: Option<(Numbers, (String, String))>,
}

/// A shape that may touch others.
#[derive(Clone, Debug)]
pub(crate) struct PartDraft {
    pub(crate) kind: PartKind,
    /// Centre or point, then axis, half axes or normal.
    pub(crate) vectors: Vec<Numbers>,
    pub(crate) radius: Option<Numbers>,
}

/// The kinds of shapes that touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    Point,
    Sphere,
    Disc,
    Ellipsoid,
    Plane,
}

/// One side of a contact.
#[derive(Clone, Debug)]
pub(crate) enum SideDraft {
    /// `box`, `box.corners`, `box.tip`, with its place in the file.
    Named(String, Site),
    /// A body, with its place, and a shape on it.
    Given(String, Site, PartDraft),
}

/// A `[[contact]]`.
#[derive(Clone, Debug)]
pub(crate) struct ContactDraft {
    pub(crate) path: String,
    pub(crate) name: Option<String>,
    pub(crate) sides: [SideDraft; 2],
    pub(crate) law: LawDraft,
}

/// The law of a contact.
#[derive(Clone, Debug, Default)]
pub(crate) struct LawDraft {
    pub(crate) mu: Option<Numbers>,
    pub(crate) mu_static: Option<Numbers>,
    pub(crate) radius: Option<Numbers>,
    pub(crate) eps_n: Option<Numbers>,
    pub(crate) eps_t: Option<Numbers>,
    pub(crate) rho: Option<Numbers>,
    pub(crate) friction: Option<FrictionDraft>,
}

/// A friction set.
#[derive(Clone, Debug)]
pub(crate) struct FrictionDraft {
    pub(crate) path: String,
    pub(crate) kind: FrictionKind,
    /// Its numbers, row by row.
    pub(crate) rows: Vec<Numbers>,
}

/// The kinds of friction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrictionKind {
    None,
    Disc,
    /// Two semi-axes.
    Ellipse,
    /// Three semi-axes, the last of spin.
    Ellipsoid,
    /// Corners.
    Polygon,
    /// The rows a of a·c ≤ 1.
    Polyhedron,
    /// Two semi-axes, and then the bound on spin.
    Mixed,
    /// The radius of the disc.
    UniformDisc,
}

/// A `[[joint]]`.
#[derive(Clone, Debug)]
pub(crate) struct JointDraft {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) bodies: [(String, Site); 2],
    pub(crate) at: Option<Numbers>,
    pub(crate) to: Option<Numbers>,
    pub(crate) axis: Option<Numbers>,
    /// The axis on the second body, of universal joints and gears.
    pub(crate) second_axis: Option<Numbers>,
    pub(crate) length: Option<Numbers>,
    pub(crate) ratio: Option<Numbers>,
    /// The coordinate and its velocity at the start.
    pub(crate) start: Option<Numbers>,
    pub(crate) speed: Option<Numbers>,
    pub(crate) limits: Option<Numbers>,
    /// Target velocity, and the most that it can do.
    pub(crate) motor: Option<[Numbers; 2]>,
    /// Stiffness, and the coordinate without force.
    pub(crate) spring: Option<(Numbers, Option<Numbers>)>,
    pub(crate) damping: Option<Numbers>,
    /// A force or torque of constant size.
    pub(crate) dry: Option<Numbers>,
    /// Coefficient of friction, and the radius of a pin.
    pub(crate) load_friction: Option<(Numbers, Option<Numbers>)>,
}

/// A `[[force]]`.
#[derive(Clone, Debug)]
pub(crate) struct ForceDraft {
    pub(crate) path: String,
    pub(crate) kind: ForceKind,
}

/// What a force is.
#[derive(Clone, Debug)]
pub(crate) enum ForceKind {
    /// Three expressions of the state each, at a point of a body.
    Load {
        body: (String, Site),
        at: Option<Numbers>,
        /// In the axes of the body.
        turns: bool,
        force: Option<(String, Vec<String>)>,
        torque: Option<(String, Vec<String>)>,
    },
    /// A spring and damper between two points of two bodies.
    Line {
        ends: [((String, Site), Option<Numbers>); 2],
        stiffness: Option<Numbers>,
        length: Option<Numbers>,
        damping: Option<Numbers>,
    },
}
