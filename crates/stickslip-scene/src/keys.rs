//! The keys of a scene file, in one list: what the reader accepts, what the schema says, and the table in the book.

use crate::bodies;
use crate::drawing;
use stickslip::contact::solve::{Formulation, SolverChoice};
use stickslip::impact::ImpactLaw;
use stickslip::step::Integrator;

/// What a value may be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Text,
    Truth,
    /// A whole number from the first to the second.
    Count(usize, usize),
    /// A number, or an expression in parameters.
    Scalar,
    /// An expression, or a number.
    Expression,
    /// A condition.
    Condition,
    /// A list of strings.
    Texts,
    /// A list of numbers or expressions in parameters.
    Numbers,
    /// A list of this many of them.
    Vector(usize),
    /// A list of values of a kind.
    List(&'static Kind),
    /// A table with these keys.
    Table(&'static [Key]),
    /// A table with one of these keys.
    Single(&'static [Key]),
    /// Names of the user's own, each with a value of a kind.
    Names(&'static Kind),
    /// Of several kinds.
    Either(&'static [Kind]),
    /// One of several words.
    Word(fn() -> Vec<&'static str>),
}

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    pub(crate) meaning: &'static str,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `[run]`: one table.
    One,
    /// `[[contact]]`: a list of tables.
    List,
    /// `[coordinates]`: names, each with a table.
    Named,
    /// `[parameters]`: names, each with its `value`, or with a table.
    Values,
}

/// A table of a scene file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableKeys {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    /// Of which of these lists all keys must be there, beside those that always must.
    pub(crate) either: &'static [&'static [&'static str]],
    pub(crate) meaning: &'static str,
    pub(crate) keys: &'static [Key],
}

pub(crate) const fn key(name: &'static str, kind: Kind, meaning: &'static str) -> Key {
    Key { name, kind, required: false, meaning }
}

pub(crate) const fn need(name: &'static str, kind: Kind, meaning: &'static str) -> Key {
    Key { name, kind, required: true, meaning }
}

/// The most samples a run may keep.
pub const MOST_SAMPLES: usize = 10_000_000;

const UNIT: &str = "an SI unit without prefix, e.g. `m`, `rad/s`, `kg*m^2`";

/// The keys that stand outside of tables.
pub(crate) const TOP: &[Key] = &[
    key("title", Kind::Text, "for people"),
    key("description", Kind::Text, "for people"),
    key("include", Kind::Texts, "files whose tables are added to those of this one"),
];

/// All tables, in the order of the book.
pub(crate) const TABLES: &[TableKeys] = &[
    TableKeys {
        name: "parameters",
        form: Form::Values,
        either: &[],
        meaning: "names with a number, or an expression in other parameters, in any order",
        keys: &[
            need("value", Kind::Scalar, "the number or expression"),
            key("unit", Kind::Text, UNIT),
        ],
    },
    TableKeys {
        name: "coordinates",
        form: Form::Named,
        either: &[],
        meaning: "coordinates; the order of the file is the order everywhere",
        keys: &[
            need("velocity", Kind::Text, "the name of its velocity"),
            key("start", Kind::Scalar, "where it begins, default 0"),
            key("start_velocity", Kind::Scalar, "its velocity there, default 0"),
            key("unit", Kind::Text, UNIT),
        ],
    },
    TableKeys {
        name: "definitions",
        form: Form::Values,
        either: &[],
        meaning: "names for expressions that others can use",
        keys: &[need("value", Kind::Expression, "the expression"), key("unit", Kind::Text, UNIT)],
    },
    TableKeys {
        name: "functions",
        form: Form::Values,
        either: &[],
        meaning: "functions with arguments, e.g. `\"smooth(x, a)\" = \"x/sqrt(x^2 + a^2)\"`",
        keys: &[need("value", Kind::Expression, "the expression in its arguments and all names")],
    },
    TableKeys {
        name: "tables",
        form: Form::Named,
        either: &[],
        meaning: "functions of one argument, through the points of a CSV file",
        keys: &[
            need(
                "file",
                Kind::Text,
                "its path, relative to the scene; the first line names the columns",
            ),
            need("x", Kind::Text, "the column of the argument, which increases"),
            need("y", Kind::Text, "the column of the value"),
            key(
                "interpolation",
                Kind::Word(|| INTERPOLATIONS.to_vec()),
                "between points: straight lines (the default) or the natural cubic spline",
            ),
            key(
                "outside",
                Kind::Word(|| OUTSIDES.to_vec()),
                "beyond them: not a number, which ends a run (the default), or the last value",
            ),
        ],
    },
    TableKeys {
        name: "energy",
        form: Form::One,
        either: &[],
        meaning: "energies",
        keys: &[
            need("kinetic", Kind::Expression, "T, at most quadratic in the velocities"),
            key("potential", Kind::Expression, "V, of coordinates and time, default 0"),
        ],
    },
    TableKeys {
        name: "forces",
        form: Form::Values,
        either: &[],
        meaning: "names of coordinates, each with a generalised force beside that of the potential",
        keys: &[need("value", Kind::Expression, "the force")],
    },
    TableKeys {
        name: "contact",
        form: Form::List,
        either: &[&["name", "gap"], &["between"]],
        meaning: "contacts",
        keys: &[
            key(
                "name",
                Kind::Text,
                "its name in files and reports; between bodies it may be left out",
            ),
            key(
                "gap",
                Kind::Expression,
                "g, of coordinates and time: positive where the contact is open",
            ),
            key(
                "slip",
                Kind::Expression,
                "the tangential velocity, affine in the velocities; without it there is no friction",
            ),
            key(
                "between",
                bodies::keys::SIDES,
                "of scenes with bodies, instead of gap and slip: two sides, of which a plane is the second. A side is `\"ball\"` (a sphere or plane), `\"box.corners\"`, `\"box.bottom\"`, `\"box.corner1\"`, `\"cylinder.rims\"`, `\"capsule.ends\"`, a part by its name, `\"ground\"` (z = 0), or `{ body = \"box\", point = [..] }`. Several parts make several contacts, `floor.corner1` and so on",
            ),
            key(
                "friction",
                bodies::keys::FRICTION,
                "of scenes with bodies: the friction set, `\"disc\"` (the default), `\"none\"`, `{ ellipse = [a, b] }`, `{ ellipsoid = [a, b, spin] }`, `{ polygon = [[t, o], ..] }`, `{ polyhedron = [[..], ..] }`, `{ mixed = { ellipse, spin } }`, `{ uniform_disc = R }`",
            ),
            key(
                "mu",
                Kind::Expression,
                "coefficient of friction: the limit is μ Λ_N + a; it may depend on the slip speed `slip`, on coordinates and time",
            ),
            key("mu_static", Kind::Scalar, "the coefficient at rest, default `mu`"),
            key("radius", Kind::Scalar, "a, friction that does not depend on the load"),
            key("eps_n", Kind::Scalar, "normal restitution, from 0 to 1"),
            key("eps_t", Kind::Scalar, "tangential restitution, from 0 to 1"),
            key(
                "rho",
                Kind::Scalar,
                "ρ of this contact in `phantom_inertia`, instead of that of `[run]`",
            ),
        ],
    },
    TableKeys {
        name: "constraint",
        form: Form::List,
        either: &[],
        meaning: "bilateral constraints between coordinates",
        keys: &[
            need("name", Kind::Text, "its name in files and reports"),
            need("zero", Kind::Expression, "an expression of coordinates and time that stays zero"),
        ],
    },
    TableKeys {
        name: "run",
        form: Form::One,
        either: &[],
        meaning: "how to run",
        keys: &[
            key("t_end", Kind::Scalar, "end time; at most 10⁹ steps"),
            key("dt", Kind::Scalar, "length of a step"),
            key(
                "integrator",
                Kind::Word(|| Integrator::ALL.map(Integrator::name).to_vec()),
                "the integrator",
            ),
            key(
                "formulation",
                Kind::Word(|| Formulation::ALL.map(Formulation::name).to_vec()),
                "the formulation of contact problems; `glocker_studer` or `stewart_trinkle` in the plane",
            ),
            key(
                "solver",
                Kind::Word(|| SolverChoice::ALL.map(SolverChoice::name).to_vec()),
                "the solver of complementarity problems",
            ),
            key(
                "directions",
                Kind::Count(3, 1000),
                "of polygons for friction, in `stewart_trinkle`, `anitescu_potra` and `phantom_inertia`",
            ),
            key("rho", Kind::Scalar, "ρ of `phantom_inertia`, chosen by default"),
            key("relaxation", Kind::Scalar, "compliance, as a share of W, from 0 to 1"),
            key("minimum_norm", Kind::Truth, "whether redundant contacts get the least impulses"),
            key("theta", Kind::Scalar, "θ of `moreau_jean`, from 0.5 to 1"),
            key(
                "impact",
                Kind::Word(|| ImpactLaw::ALL.map(ImpactLaw::name).to_vec()),
                "the law of impacts",
            ),
            key("correction", Kind::Truth, "whether positions inside contacts are corrected"),
            key(
                "sleep",
                Kind::Truth,
                "whether rigid bodies that are still are put to sleep, which is not exact; false by default",
            ),
            key(
                "still_for",
                Kind::Scalar,
                "how long all bodies of an island must have been still before they sleep, in seconds, 0.5 by default",
            ),
            key(
                "slower_than",
                Kind::Scalar,
                "the speed below which a body is still, of its fastest point, in m/s, 0.001 by default",
            ),
            key(
                "samples",
                Kind::Count(2, MOST_SAMPLES),
                "how many samples of the motion are kept, at regular times; impacts add one just before and one just after them",
            ),
        ],
    },
    TableKeys {
        name: "stop",
        form: Form::One,
        either: &[],
        meaning: "what ends a run before its end time",
        keys: &[need(
            "when",
            Kind::Condition,
            "a condition of the state, e.g. `y < -1`: the run ends where it becomes true",
        )],
    },
    TableKeys {
        name: "cycle",
        form: Form::One,
        either: &[],
        meaning: "where to look for a limit cycle",
        keys: &[
            key(
                "section",
                Kind::Expression,
                "an expression of the state that is zero on the Poincaré section",
            ),
            key(
                "direction",
                Kind::Word(|| DIRECTIONS.to_vec()),
                "how the section is crossed, default `rising`",
            ),
            key(
                "period",
                Kind::Scalar,
                "instead of a section, for systems that are driven: the time after which the motion is looked at, e.g. `\"2*pi/w\"`",
            ),
            key("cyclic", Kind::Texts, "coordinates that need not come back"),
        ],
    },
    TableKeys {
        name: "output",
        form: Form::List,
        either: &[],
        meaning: "columns of trajectory.csv and plots over time beside those that every run has",
        keys: &[
            need("name", Kind::Text, "the name of the column"),
            need(
                "value",
                Kind::Expression,
                "an expression of the state, energies and contact forces",
            ),
            key("unit", Kind::Text, UNIT),
        ],
    },
    TableKeys {
        name: "plot",
        form: Form::List,
        either: &[],
        meaning: "phase portraits, and plots over time, beside those that every run draws",
        keys: &[
            key("x", Kind::Expression, "what is drawn to the right, default time `t`"),
            need("y", Kind::Expression, "what is drawn upwards"),
            key("title", Kind::Text, "the title"),
        ],
    },
];

/// Ways between the points of a table.
pub(crate) const INTERPOLATIONS: &[&str] = &["linear", "cubic"];
/// What a table is beyond its points.
pub(crate) const OUTSIDES: &[&str] = &["error", "hold"];
/// How a section is crossed.
pub(crate) const DIRECTIONS: &[&str] = &["rising", "falling"];

/// All keys outside of tables.
pub(crate) fn all_top() -> impl Iterator<Item = &'static Key> {
    TOP.iter().chain(bodies::keys::TOP)
}

/// All tables.
pub(crate) fn all_tables() -> impl Iterator<Item = &'static TableKeys> {
    TABLES.iter().chain([&drawing::KEYS]).chain(&bodies::keys::TABLES)
}

/// The names of the keys of a table; those outside of tables and the tables themselves for the name "".
pub(crate) fn known(table: &str) -> Vec<&'static str> {
    if table.is_empty() {
        return all_top().map(|key| key.name).chain(all_tables().map(|t| t.name)).collect();
    }
    let tables = all_tables().filter(|t| t.name == table);
    tables.flat_map(|t| t.keys).map(|key| key.name).collect()
}

/// The same but for some, which are for scenes of the other kind.
pub(crate) fn known_without(table: &str, others: &[&str]) -> Vec<&'static str> {
    known(table).into_iter().filter(|name| !others.contains(name)).collect()
}
