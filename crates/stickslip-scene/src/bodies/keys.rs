//! The keys of the tables of bodies, for the list of all keys of a scene.

use super::BodyModel;
use super::joints;
use crate::keys::{Form, Key, Kind, TableKeys, key, need};
use stickslip::bodies::point_masses::DistanceStep;

/// The keys of bodies outside of tables.
pub(crate) const TOP: &[Key] = &[
    key(
        "model",
        Kind::Word(|| BodyModel::ALL.map(BodyModel::name).to_vec()),
        "of scenes with bodies: what they are made of, default `rigid`",
    ),
    key(
        "variant",
        Kind::Word(|| DistanceStep::ALL.map(DistanceStep::name).to_vec()),
        "of `point_masses`: how a step keeps distances",
    ),
    key("gravity", Kind::Numbers, "of scenes with bodies: three numbers, none if left out"),
];

/// The tables of bodies.
pub(crate) const TABLES: [TableKeys; 3] = [
    TableKeys {
        name: "body",
        form: Form::List,
        either: &[],
        meaning: "bodies in space; such a scene has no coordinates, energies and generalised forces",
        keys: &[
            need("name", Kind::Text, "its name in expressions, files and reports"),
            key("fixed", Kind::Truth, "whether it is held"),
            key("mass", Kind::Scalar, "its mass"),
            key("density", Kind::Scalar, "instead of a mass, with a shape"),
            key(
                "inertia",
                Kind::Numbers,
                "principal moments of inertia, or the six or nine entries of the matrix; follows from a shape",
            ),
            key("shape", Kind::Any, "e.g. `{ box = [0.2, 0.1, 0.05] }`"),
            key("parts", Kind::Any, "what touches others beside the shape, by names"),
            key("position", Kind::Numbers, "where it begins"),
            key(
                "orientation",
                Kind::Any,
                "a quaternion w, x, y, z, or one turn or several, `{ axis, angle }`",
            ),
            key("velocity", Kind::Numbers, "of its centre of mass at the start"),
            key("angular_velocity", Kind::Numbers, "at the start, in world axes"),
            key("spin", Kind::Numbers, "the same in the axes of the body"),
            key("motion", Kind::Any, "of a body that is moved: expressions of time"),
        ],
    },
    TableKeys {
        name: "joint",
        form: Form::List,
        either: &[],
        meaning: "joints between bodies",
        keys: &[
            key("name", Kind::Text, "its name in files and reports"),
            need("kind", Kind::Word(|| joints::KINDS.to_vec()), "the kind"),
            need("between", Kind::Texts, "two bodies"),
            key("at", Kind::Numbers, "its point, in world axes at the start"),
            key("to", Kind::Numbers, "the point of the second body, of distances"),
            key("axis", Kind::Numbers, "its axis, in world axes at the start"),
            key("second_axis", Kind::Numbers, "of universal joints"),
            key("length", Kind::Scalar, "of distances"),
            key("ratio", Kind::Scalar, "of gears"),
            key("start", Kind::Scalar, "the angle or way at the start"),
            key("speed", Kind::Scalar, "its rate at the start"),
            key("limits", Kind::Numbers, "the least and the largest angle or way"),
            key("motor", Kind::Any, "`{ speed, most }`: a speed, and the force or torque for it"),
            key("spring", Kind::Any, "`{ stiffness, rest }`"),
            key("damping", Kind::Scalar, "force or torque per speed"),
            key("friction", Kind::Any, "a force or torque, or `{ mu, radius }` by the load"),
        ],
    },
    TableKeys {
        name: "force",
        form: Form::List,
        either: &[],
        meaning: "forces on bodies, and springs and dampers between them",
        keys: &[
            key("body", Kind::Text, "the body that it acts on"),
            key("at", Kind::Numbers, "where, in the axes of the body"),
            key(
                "axes",
                Kind::Word(|| AXES.to_vec()),
                "of which its components are, default `world`",
            ),
            key("force", Kind::Any, "three expressions"),
            key("torque", Kind::Any, "three expressions"),
            key("between", Kind::Texts, "two bodies, of springs and dampers"),
            key("points", Kind::Any, "where on them"),
            key("stiffness", Kind::Scalar, "of the spring"),
            key("length", Kind::Scalar, "at which it is not stretched"),
            key("damping", Kind::Scalar, "force per speed"),
        ],
    },
];

/// The axes of a force.
pub(super) const AXES: &[&str] = &["world", "body"];
