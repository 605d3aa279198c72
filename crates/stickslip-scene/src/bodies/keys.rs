//! The keys of the tables of bodies, for the list of all keys of a scene.

use super::BodyModel;
use super::joints;
use super::robot::BASES;
use super::solids;
use crate::keys::{Form, Key, Kind, TableKeys, key, need};
use stickslip::bodies::point_masses::DistanceStep;

/// The keys of bodies outside of tables.
pub(crate) const TOP: &[Key] = &[
    key(
        "model",
        Kind::Word(|| BodyModel::ALL.map(BodyModel::name).to_vec()),
        "of scenes with bodies: what they are made of, default `rigid`, with robots `articulated`",
    ),
    key(
        "variant",
        Kind::Word(|| DistanceStep::ALL.map(DistanceStep::name).to_vec()),
        "of `point_masses`: how a step keeps distances",
    ),
    key(
        "dimension",
        Kind::Count(2, 3),
        "of scenes with bodies: 2 for bodies in the plane, whose vectors have two numbers, default 3",
    ),
    key(
        "gravity",
        PLACE,
        "of scenes with bodies: three numbers, in the plane two; if left out that of the robots, or none",
    ),
];

/// A vector: three numbers, or two in the plane.
const PLACE: Kind = Kind::Either(&[Kind::Vector(3), Kind::Vector(2)]);

const CYLINDER: &[Key] = &[
    need("radius", Kind::Scalar, "its radius"),
    need("height", Kind::Scalar, "along its axis z"),
    key(
        "patch",
        Kind::Truth,
        "with `[collision]` and the model `rigid`: whether a flat end on a plane is one distributed contact, default false",
    ),
];
const CAPSULE: &[Key] = &[
    need("radius", Kind::Scalar, "its radius"),
    need("length", Kind::Scalar, "between the centres of its ends, along z"),
];
const SHAPE: Kind = Kind::Single(&[
    key("box", PLACE, "its lengths"),
    key("sphere", Kind::Scalar, "its radius"),
    key("ellipsoid", Kind::Vector(3), "its half-axes"),
    key("cylinder", Kind::Table(CYLINDER), "about z"),
    key("capsule", Kind::Table(CAPSULE), "about z"),
    key("cone", Kind::Table(CYLINDER), "about z, with its apex up"),
    key("plane", Kind::Vector(3), "its normal"),
    solids::HULL_KEY,
    solids::MESH_KEY,
    solids::HEIGHTS_KEY,
    DISC_SHAPE,
    POLYGON,
    CHAIN,
    key("half_plane", Kind::Vector(2), "in the plane: its normal"),
    key(
        "compound",
        Kind::List(&Kind::Table(COMPOUND)),
        "shapes that move as one; their masses add up",
    ),
]);

const DISC_SHAPE: Key = key("disc", Kind::Scalar, "in the plane: its radius");
const POLYGON: Key =
    key("polygon", Kind::List(&Kind::Vector(2)), "in the plane: its corners, which are convex");
const CHAIN: Key = key(
    "chain",
    Kind::List(&Kind::Vector(2)),
    "in the plane: a line of segments, touched from its left",
);
const COMPOUND: &[Key] = &[
    key("box", PLACE, "its lengths"),
    key("sphere", Kind::Scalar, "its radius"),
    key("cylinder", Kind::Table(CYLINDER), "about z"),
    key("capsule", Kind::Table(CAPSULE), "about z, in the plane about x"),
    key("cone", Kind::Table(CYLINDER), "about z"),
    solids::HULL_KEY,
    DISC_SHAPE,
    POLYGON,
    CHAIN,
    key("at", PLACE, "where, in the axes of the body"),
    key("orientation", ORIENTATION, "how it is turned in them, as of a `[[body]]`"),
    key("angle", Kind::Scalar, "in the plane: by which it is turned, in radians"),
];

const SPHERE: &[Key] = &[
    key("center", Kind::Vector(3), "where, in the axes of the body"),
    need("radius", Kind::Scalar, "its radius"),
];
const DISC: &[Key] = &[
    key("center", Kind::Vector(3), "where, in the axes of the body"),
    need("axis", Kind::Vector(3), "its axis"),
    need("radius", Kind::Scalar, "its radius"),
];
const PLANE: &[Key] = &[
    key("point", Kind::Vector(3), "a point of it, in the axes of the body"),
    need("normal", Kind::Vector(3), "its normal"),
];
/// An ellipsoid as a part.
const ELLIPSOID: &[Key] = &[
    key("center", Kind::Vector(3), "its centre, in the axes of the body"),
    need("axes", Kind::Vector(3), "its half-axes, along those of the body"),
];
const POINT: Key = key("point", Kind::Vector(3), "a point, in the axes of the body");
const PART: Kind = Kind::Single(&[
    POINT,
    key("sphere", Kind::Table(SPHERE), "a sphere"),
    key("disc", Kind::Table(DISC), "the rim of a disc"),
    key("ellipsoid", Kind::Table(ELLIPSOID), "an ellipsoid, against planes"),
    key("plane", Kind::Table(PLANE), "a half-space"),
]);

/// The two sides of a contact.
pub(crate) const SIDES: Kind = Kind::List(&Kind::Either(&[
    Kind::Text,
    Kind::Table(&[
        need("body", Kind::Text, "the body"),
        POINT,
        key("sphere", Kind::Table(SPHERE), "a sphere"),
        key("disc", Kind::Table(DISC), "the rim of a disc"),
        key("ellipsoid", Kind::Table(ELLIPSOID), "an ellipsoid, against planes"),
        key("plane", Kind::Table(PLANE), "a half-space"),
    ]),
]));

/// A friction set.
pub(crate) const FRICTION: Kind = Kind::Either(&[
    Kind::Word(|| vec!["disc", "none"]),
    Kind::Single(&[
        key("ellipse", Kind::Vector(2), "half-axes"),
        key("ellipsoid", Kind::Vector(3), "half-axes, the third of spin"),
        key("polygon", Kind::List(&Kind::Numbers), "corners"),
        key("polyhedron", Kind::List(&Kind::Numbers), "rows a of a·c ≤ 1"),
        key(
            "mixed",
            Kind::Table(&[
                need("ellipse", Kind::Vector(2), "half-axes"),
                need("spin", Kind::Scalar, "the most spin"),
            ]),
            "slip and spin apart",
        ),
        key("uniform_disc", Kind::Scalar, "radius of a disc under uniform pressure"),
    ]),
]);

const TURN: Kind = Kind::Table(&[
    need("axis", Kind::Vector(3), "in the world"),
    need("angle", Kind::Scalar, "in radians"),
]);
const ORIENTATION: Kind = Kind::Either(&[Kind::Vector(4), TURN, Kind::List(&TURN)]);
const MOTION: Kind = Kind::Table(&[
    key("position", PLACE, "expressions of time"),
    key("axis", Kind::Vector(3), "about which it turns; in the plane there is none"),
    key("angle", Kind::Expression, "an expression of time"),
]);
const MOTOR: Kind = Kind::Table(&[
    need("speed", Kind::Scalar, "that it keeps"),
    need("most", Kind::Scalar, "force or torque"),
]);
const SPRING: Kind = Kind::Table(&[
    need("stiffness", Kind::Scalar, "force or torque per way or angle"),
    key("rest", Kind::Scalar, "where it is not stretched"),
]);
const JOINT_FRICTION: Kind = Kind::Either(&[
    Kind::Scalar,
    Kind::Table(&[
        need("mu", Kind::Scalar, "of the load"),
        key("radius", Kind::Scalar, "of the pin"),
    ]),
]);

/// The tables of bodies.
pub(crate) const TABLES: [TableKeys; 8] = [
    TableKeys {
        name: "body",
        form: Form::List,
        either: &[],
        meaning: "bodies in space; such a scene has no coordinates, energies and generalised forces",
        keys: &[
            need(
                "name",
                Kind::Text,
                "its name in files, reports and expressions: `block.x`, `.y`, `.z`, quaternion `.qw` to `.qz`, `.vx` to `.vz`, angular velocity `.wx` to `.wz` in world axes; in the plane `block.x`, `.y`, `.angle`, `.vx`, `.vy`, `.spin`",
            ),
            key("fixed", Kind::Truth, "whether it is held"),
            key("mass", Kind::Scalar, "its mass"),
            key("density", Kind::Scalar, "instead of a mass, with a shape; in the plane in kg/m²"),
            key(
                "inertia",
                Kind::Either(&[Kind::Numbers, Kind::Scalar]),
                "3 moments, 6 entries xx yy zz xy xz yz, or 9, in the plane one number; without it that of the shape",
            ),
            key(
                "shape",
                SHAPE,
                "`{ box = [a, b, c] }`, `{ sphere = r }`, `{ ellipsoid = [a, b, c] }`, `{ cylinder = { radius, height, patch } }`, `{ capsule = { radius, length } }`, `{ cone = { radius, height, patch } }` (axis z), `{ hull = [[..], ..] }`, `{ mesh = \"rock.stl\" }`, `{ compound = [{ sphere = r, at = [x, y, z], orientation = .. }, ..] }`, and for bodies that do not move freely `{ plane = normal }` and `{ height_field = { z = \"..\", size, cells } }`; in the plane `{ box = [a, b] }`, `{ disc = r }`, `{ capsule = { radius, length } }` (axis x), `{ polygon = [[x, y], ..] }`, `{ half_plane = normal }`, `{ chain = [[x, y], ..] }`, `{ compound = [{ disc = r, at = [x, y], angle = .. }, ..] }`",
            ),
            key(
                "parts",
                Kind::Names(&PART),
                "parts to touch with, by names: `parts.tip = { point = [..] }`, `{ sphere = { center, radius } }`, `{ disc = { center, axis, radius } }`, `{ plane = { point, normal } }`",
            ),
            key("position", PLACE, "where its centre of mass begins"),
            key("angle", Kind::Scalar, "in the plane: by how much it is turned, in radians"),
            key(
                "orientation",
                ORIENTATION,
                "`[w, x, y, z]`, or `{ axis, angle }`, or a list of such turns about world axes, one after the other",
            ),
            key("velocity", PLACE, "of its centre of mass at the start"),
            key("angular_velocity", Kind::Vector(3), "at the start, in world axes"),
            key(
                "spin",
                Kind::Either(&[Kind::Vector(3), Kind::Scalar]),
                "the same in the axes of the body; in the plane one number",
            ),
            key(
                "motion",
                MOTION,
                "of a body that is moved, `{ position = [..], axis = [..], angle = \"..\" }`, in the plane without axis: expressions of `t`",
            ),
            key(
                "material",
                Kind::Text,
                "with `[collision]`: its material, default that of `[collision]`",
            ),
            key(
                "collides",
                Kind::Truth,
                "with `[collision]`: whether its shape touches others, default true",
            ),
            key(
                "passes",
                Kind::Texts,
                "with `[collision]`: names of bodies that it passes through",
            ),
        ],
    },
    TableKeys {
        name: "robot",
        form: Form::List,
        either: &[],
        meaning: "robots from files: their links are bodies, their joints joints of the scene",
        keys: &[
            need(
                "file",
                Kind::Text,
                "a model in URDF (`.urdf`) or MJCF (`.xml`), beside the scene",
            ),
            key("name", Kind::Text, "stands before the names of its links and joints, with `_`"),
            key("position", Kind::Vector(3), "where the origin of the file is"),
            key("orientation", ORIENTATION, "how it is turned, as of a `[[body]]`"),
            key(
                "base",
                Kind::Word(|| BASES.to_vec()),
                "of URDF: whether the first link is fixed, which is the default, or free",
            ),
            key("keyframe", Kind::Text, "of MJCF: the named state at the start, with its controls"),
            key(
                "joints",
                Kind::Names(&Kind::Scalar),
                "coordinates of hinges and slides at the start, by the names of the file",
            ),
            key("controls", Kind::Names(&Kind::Scalar), "controls of actuators, by their names"),
            key("collides", Kind::Truth, "whether it touches anything, default true"),
        ],
    },
    TableKeys {
        name: "collision",
        form: Form::One,
        either: &[],
        meaning: "bodies touch wherever their shapes meet, without a `[[contact]]`; the law is that of bodies without a material",
        keys: &[
            key(
                "ground",
                Kind::Truth,
                "whether the half-space below z = 0, in the plane the half-plane below y = 0, is there, default true",
            ),
            key(
                "mu",
                Kind::Expression,
                "coefficient of friction; it may depend on the slip speed `slip`",
            ),
            key("mu_static", Kind::Scalar, "the coefficient at rest, default `mu`"),
            key("radius", Kind::Scalar, "a, friction that does not depend on the load"),
            key("eps_n", Kind::Scalar, "normal restitution, from 0 to 1"),
            key("eps_t", Kind::Scalar, "tangential restitution, from 0 to 1"),
            key("rho", Kind::Scalar, "ρ of these contacts in `phantom_inertia`"),
            key("friction", FRICTION, "the friction set, as of a `[[contact]]`"),
        ],
    },
    TableKeys {
        name: "material",
        form: Form::List,
        either: &[],
        meaning: "materials of bodies, with `[collision]`; two of them have the geometric mean of mu and the larger eps between them",
        keys: &[
            need("name", Kind::Text, "its name"),
            key(
                "mu",
                Kind::Expression,
                "coefficient of friction; it may depend on the slip speed `slip`",
            ),
            key("mu_static", Kind::Scalar, "the coefficient at rest, default `mu`"),
            key("radius", Kind::Scalar, "a, friction that does not depend on the load"),
            key("eps_n", Kind::Scalar, "normal restitution, from 0 to 1"),
            key("eps_t", Kind::Scalar, "tangential restitution, from 0 to 1"),
            key("rho", Kind::Scalar, "ρ of these contacts in `phantom_inertia`"),
            key("friction", FRICTION, "the friction set, as of a `[[contact]]`"),
        ],
    },
    TableKeys {
        name: "material_pair",
        form: Form::List,
        either: &[],
        meaning: "the law between two materials, instead of the rule",
        keys: &[
            need("between", Kind::Texts, "two materials"),
            key(
                "mu",
                Kind::Expression,
                "coefficient of friction; it may depend on the slip speed `slip`",
            ),
            key("mu_static", Kind::Scalar, "the coefficient at rest, default `mu`"),
            key("radius", Kind::Scalar, "a, friction that does not depend on the load"),
            key("eps_n", Kind::Scalar, "normal restitution, from 0 to 1"),
            key("eps_t", Kind::Scalar, "tangential restitution, from 0 to 1"),
            key("rho", Kind::Scalar, "ρ of these contacts in `phantom_inertia`"),
            key("friction", FRICTION, "the friction set, as of a `[[contact]]`"),
        ],
    },
    TableKeys {
        name: "joint",
        form: Form::List,
        either: &[],
        meaning: "joints between bodies",
        keys: &[
            need("name", Kind::Text, "its name in files and reports"),
            need(
                "kind",
                Kind::Word(|| joints::KINDS.to_vec()),
                "the kind; `distance` and `gear` are for the models `rigid` and `point_masses`; in the plane there are revolute, prismatic and fixed ones",
            ),
            need("between", Kind::Texts, "two bodies"),
            key("at", PLACE, "its point, in world axes at the start"),
            key("to", Kind::Vector(3), "the point of the second body, of distances"),
            key(
                "axis",
                PLACE,
                "its axis, in world axes at the start; in the plane of prismatic joints alone",
            ),
            key("second_axis", Kind::Vector(3), "of universal joints"),
            key("length", Kind::Scalar, "of distances"),
            key("ratio", Kind::Scalar, "of the speeds of gears, first to second"),
            key(
                "start",
                Kind::Scalar,
                "the angle or way at the start, of revolute and prismatic joints, as all that follows",
            ),
            key("speed", Kind::Scalar, "its rate at the start"),
            key("limits", Kind::Vector(2), "the least and the largest angle or way"),
            key("motor", MOTOR, "`{ speed, most }`: a speed, and the force or torque for it"),
            key("spring", SPRING, "`{ stiffness, rest }`"),
            key("damping", Kind::Scalar, "force or torque per speed"),
            key("friction", JOINT_FRICTION, "a force or torque, or `{ mu, radius }` by the load"),
        ],
    },
    TableKeys {
        name: "force",
        form: Form::List,
        either: &[],
        meaning: "forces on bodies, and springs and dampers between them",
        keys: &[
            key("body", Kind::Text, "the body that it acts on"),
            key("at", PLACE, "where, in the axes of the body"),
            key(
                "axes",
                Kind::Word(|| AXES.to_vec()),
                "of which its components are, default `world`",
            ),
            key("force", PLACE, "three expressions of the state, in the plane two"),
            key(
                "torque",
                Kind::Either(&[Kind::Vector(3), Kind::Scalar]),
                "three expressions of the state, in the plane one",
            ),
            key("between", Kind::Texts, "two bodies, of springs and dampers"),
            key("points", Kind::List(&PLACE), "where on them"),
            key("stiffness", Kind::Scalar, "of the spring"),
            key("length", Kind::Scalar, "at which it is not stretched"),
            key("damping", Kind::Scalar, "force per speed"),
        ],
    },
    crate::sensors::KEYS,
];

/// The axes of a force.
pub(super) const AXES: &[&str] = &["world", "body"];
