//! Errors and warnings: typed, with the place in the file, what is wrong and what would be right.

use std::fmt;
use std::sync::Arc;

/// Where something stands: a file and a position in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the file, as the caller or the model names it.
    pub file: Arc<str>,
    /// Where in the file.
    pub position: Position,
}

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The file as a whole.
    Whole,
    /// A line and a column, both counted from 1, columns in characters.
    Text {
        /// The line.
        line: u32,
        /// The column.
        column: u32,
    },
    /// A byte of a binary file, counted from 0.
    Byte(u64),
}

impl Place {
    /// The file as a whole.
    pub(crate) fn whole(file: &str) -> Self {
        Self { file: file.into(), position: Position::Whole }
    }

    /// A line and a column of a text file.
    pub(crate) fn text(file: &Arc<str>, line: usize, column: usize) -> Self {
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let position = Position::Text { line: narrow(line), column: narrow(column) };
        Self { file: file.clone(), position }
    }

    /// A byte of a binary file.
    pub(crate) fn byte(file: &Arc<str>, byte: usize) -> Self {
        Self { file: file.clone(), position: Position::Byte(byte as u64) }
    }

    pub(crate) fn error(&self, problem: Problem) -> Error {
        Error { place: self.clone(), problem: Box::new(problem) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Position::Whole => write!(f, "{}", self.file),
            Position::Text { line, column } => write!(f, "{}:{line}:{column}", self.file),
            Position::Byte(byte) => write!(f, "{}: byte {byte}", self.file),
        }
    }
}

/// Why a file is refused, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct Error {
    /// Where.
    pub place: Place,
    /// What is wrong and what would be right.
    pub problem: Box<Problem>,
}

/// Something that was read but is not in the model, or is there in another form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub kind: WarningKind,
}

/// What a warning is about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// An element that the neutral model has no place for.
    #[error("<{element}>{} in <{parent}> is not supported and is left out{}", quoted(name), with_contents(*inside))]
    UnsupportedElement {
        /// The element.
        element: String,
        /// Its name, if it has one.
        name: Option<String>,
        /// The element that it stands in.
        parent: String,
        /// How many elements it has inside of it, which are left out too.
        inside: usize,
    },
    /// An attribute that the neutral model has no place for.
    #[error("`{attribute}` of <{element}> is not supported and has no effect")]
    UnsupportedAttribute {
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
    },
    /// Anything else that a reader of the model should know.
    #[error("{0}")]
    Note(String),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.kind)
    }
}

fn quoted(name: &Option<String>) -> String {
    name.as_ref().map_or(String::new(), |name| format!(" `{name}`"))
}

fn with_contents(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => ", with the element inside of it".to_owned(),
        n => format!(", with the {n} elements inside of it"),
    }
}

/// What is wrong with a file and what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file is not well-formed XML.
    #[error("the file is not well-formed XML: {0}")]
    Xml(String),
    /// The bytes are not text.
    #[error("the file is not text in UTF-8; save it in that encoding")]
    NotText,
    /// Elements are nested deeper than any model needs.
    #[error("elements are nested deeper than {limit}; a model needs no more")]
    TooDeep {
        /// The deepest that is read.
        limit: usize,
    },
    /// More attributes in one element than are read.
    #[error("the element has more than {limit} attributes; no format has so many")]
    TooManyAttributes {
        /// The most that are read.
        limit: usize,
    },
    /// More elements than are read.
    #[error("the model has more than {limit} elements; split it")]
    TooMany {
        /// The most that are read.
        limit: usize,
    },
    /// The outermost element is another one.
    #[error("the outermost element is <{found}>; {format} begins with <{expected}>")]
    WrongRoot {
        /// What is there.
        found: String,
        /// What should be there.
        expected: &'static str,
        /// The name of the format.
        format: &'static str,
    },
    /// An element that the format does not have there.
    #[error("<{parent}> has no element <{element}>; {}", suggest(nearest, known))]
    UnknownElement {
        /// The element.
        element: String,
        /// The element that it stands in.
        parent: String,
        /// The known element with the nearest name.
        nearest: Option<String>,
        /// All known elements, where none is near.
        known: String,
    },
    /// An attribute that the format does not have there.
    #[error("<{element}> has no attribute `{attribute}`; {}", suggest(nearest, known))]
    UnknownAttribute {
        /// The attribute.
        attribute: String,
        /// The element.
        element: String,
        /// The known attribute with the nearest name.
        nearest: Option<String>,
        /// All known attributes, where none is near.
        known: String,
    },
    /// An attribute must be there.
    #[error("<{element}> lacks `{attribute}`; add {attribute}=\"…\"")]
    MissingAttribute {
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
    },
    /// An element must be there.
    #[error("<{parent}> lacks <{element}>; add it")]
    MissingElement {
        /// The element that is not there.
        element: &'static str,
        /// Where it should be.
        parent: String,
    },
    /// An element may be there once.
    #[error("<{parent}> has <{element}> twice; keep one")]
    Repeated {
        /// The element.
        element: String,
        /// Where it stands.
        parent: String,
    },
    /// Attributes or elements that exclude each other.
    #[error("`{first}` and `{second}` exclude each other in <{element}>; keep one")]
    Conflict {
        /// The element.
        element: String,
        /// The one.
        first: String,
        /// The other.
        second: String,
    },
    /// A word where a number must be.
    #[error("`{attribute}` has `{text}`, which is not a number")]
    NotANumber {
        /// The attribute.
        attribute: String,
        /// What stands there.
        text: String,
    },
    /// A comma in a number or between numbers.
    #[error(
        "`{attribute}` has `{text}` with a comma; separate numbers by spaces and decimals by a point"
    )]
    Comma {
        /// The attribute.
        attribute: String,
        /// What stands there.
        text: String,
    },
    /// NaN, infinity, or beyond the largest number.
    #[error("`{attribute}` has `{text}`; it must be a finite number")]
    NotFinite {
        /// The attribute.
        attribute: String,
        /// What stands there.
        text: String,
    },
    /// Too few or too many numbers.
    #[error("`{attribute}` has {found}; it must be {expected}")]
    WrongCount {
        /// The attribute.
        attribute: String,
        /// How many numbers there should be.
        expected: String,
        /// How many there are.
        found: String,
    },
    /// A word that is not among those of the format.
    #[error("`{attribute}` is `{text}`; {}", suggest(nearest, known))]
    UnknownWord {
        /// The attribute.
        attribute: String,
        /// What stands there.
        text: String,
        /// The known word with the nearest spelling.
        nearest: Option<String>,
        /// All known words.
        known: String,
    },
    /// A number outside of what it may be.
    #[error("`{attribute}` is {value}; it must be {expected}")]
    OutOfRange {
        /// The attribute.
        attribute: String,
        /// What stands there.
        value: String,
        /// What would be right.
        expected: String,
    },
    /// Two things of a kind with one name.
    #[error("the {kind} `{name}` exists already, at {first}; rename one")]
    Duplicate {
        /// What kind of thing.
        kind: &'static str,
        /// The name.
        name: String,
        /// Where the first stands.
        first: Place,
    },
    /// A name of something that does not exist.
    #[error("there is no {kind} `{name}`{}", did_you_mean(nearest))]
    UnknownName {
        /// What kind of thing.
        kind: &'static str,
        /// The name.
        name: String,
        /// The nearest name of that kind.
        nearest: Option<String>,
    },
    /// A mass that is zero or negative.
    #[error("the mass of `{owner}` is {mass} kg; it must be positive")]
    Mass {
        /// The body.
        owner: String,
        /// Its mass.
        mass: f64,
    },
    /// A body that moves has no mass.
    #[error("`{owner}` moves but has no mass; give it <inertial> or geometry with density")]
    NoMass {
        /// The body.
        owner: String,
    },
    /// A tensor of inertia that is not positive definite.
    #[error(
        "the inertia of `{owner}` has the principal moments {}; all must be positive",
        numbers(moments)
    )]
    NotPositive {
        /// The body.
        owner: String,
        /// The principal moments in kg m², ascending.
        moments: [f64; 3],
    },
    /// Principal moments that no distribution of mass has.
    #[error(
        "the inertia of `{owner}` has the principal moments {}; no rigid body has one that exceeds the sum of the other two",
        numbers(moments)
    )]
    Triangle {
        /// The body.
        owner: String,
        /// The principal moments in kg m², ascending.
        moments: [f64; 3],
    },
    /// Numbers whose products are beyond the largest.
    #[error(
        "the numbers of {owner} are so large that what follows from them is not finite; check the units"
    )]
    Overflow {
        /// What they belong to.
        owner: String,
    },
    /// A direction without length.
    #[error("`{attribute}` of `{owner}` has length zero; give a direction")]
    ZeroAxis {
        /// The attribute.
        attribute: String,
        /// Whose direction.
        owner: String,
    },
    /// Directions that do not span a frame.
    #[error("`{attribute}` of `{owner}` has parallel axes; give two that span a plane")]
    ParallelAxes {
        /// The attribute.
        attribute: String,
        /// Whose directions.
        owner: String,
    },
    /// A lower limit above the upper one.
    #[error(
        "`{attribute}` of `{owner}` goes from {lower} to {upper}; the lower limit must be less than the upper"
    )]
    CrossedLimits {
        /// The attribute.
        attribute: String,
        /// Whose limits.
        owner: String,
        /// The lower limit as written.
        lower: f64,
        /// The upper limit as written.
        upper: f64,
    },
    /// Links that are their own ancestors.
    #[error("the links {} form a loop; URDF describes trees, so remove one of the joints", list(.0))]
    Loop(Vec<String>),
    /// No link, or several links, without a parent.
    #[error("the links {} are all without a parent; join them to one root", list(.0))]
    Roots(Vec<String>),
    /// A link with two joints above it.
    #[error("the link `{link}` is already the child of the joint `{joint}`; a link has one parent")]
    TwoParents {
        /// The link.
        link: String,
        /// The joint that has it already.
        joint: String,
    },
    /// Joints of one body that no mechanics has.
    #[error("`{body}` cannot have the joint `{joint}`: {reason}")]
    JointCombination {
        /// The body.
        body: String,
        /// The joint that is too much.
        joint: String,
        /// Why.
        reason: &'static str,
    },
    /// A file that the model names cannot be read.
    #[error("the file `{name}` cannot be read: {reason}")]
    MissingFile {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// A file is included twice, or by itself.
    #[error("the file `{0}` is included a second time; names would repeat, include it once")]
    IncludedTwice(String),
    /// A kind of file that is not read.
    #[error("`{name}` is in a format that is not read; convert it to STL, OBJ or glTF")]
    MeshFormat {
        /// The name of the file.
        name: String,
    },
    /// A mesh file that breaks its format.
    #[error("{0}")]
    Mesh(MeshProblem),
    /// Something that cannot be left out without changing the mechanics.
    #[error("{what} is not supported; {cure}")]
    Unsupported {
        /// What.
        what: String,
        /// What to do instead.
        cure: &'static str,
    },
}

/// What is wrong with a mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshProblem {
    /// The file ends too early.
    #[error("the file has {found} bytes where {expected} are needed; it is truncated")]
    Truncated {
        /// How many are needed.
        expected: u64,
        /// How many are there.
        found: u64,
    },
    /// The file goes on after its end.
    #[error("{0} bytes follow after the last triangle; the count in the header is wrong")]
    Trailing(u64),
    /// A line or a value that the format does not have.
    #[error("{found}; expected {expected}")]
    Syntax {
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// A vertex that is not finite.
    #[error("a coordinate is {0}; all must be finite numbers")]
    NotFinite(String),
    /// An index of a vertex that does not exist.
    #[error("a face refers to vertex {index}, but there are {count} vertices")]
    Index {
        /// The index as written.
        index: i64,
        /// How many vertices there are.
        count: usize,
    },
    /// No triangles.
    #[error("the mesh has no triangles")]
    Empty,
    /// Edges with one triangle, or with triangles that go round in contrary directions.
    #[error(
        "the mesh is not closed ({open} open edges), so that it has no mass; close it, or give masses in <inertial>"
    )]
    Open {
        /// The number of open edges.
        open: usize,
    },
    /// Coordinates whose products are beyond the largest number.
    #[error("the mesh is so large that its volume is not finite; check the units")]
    TooLarge,
    /// A closed mesh whose volume is not positive.
    #[error(
        "the mesh encloses a volume of {volume:.3e} m³; its faces must go anticlockwise seen from outside"
    )]
    Volume {
        /// The signed volume.
        volume: f64,
    },
}

impl Place {
    pub(crate) fn mesh(&self, problem: MeshProblem) -> Error {
        self.error(Problem::Mesh(problem))
    }
}

fn suggest(nearest: &Option<String>, known: &str) -> String {
    match nearest {
        Some(name) => format!("did you mean `{name}`?"),
        None if known.is_empty() => "remove it".to_owned(),
        None => format!("known are {known}"),
    }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

fn numbers(values: &[f64]) -> String {
    let shown: Vec<String> = values.iter().map(|&x| short(x)).collect();
    shown.join(", ")
}

fn list(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    shown.join(", ")
}

/// Six digits, without zeros at the end.
pub(crate) fn short(x: f64) -> String {
    if x != 0.0 && x.is_finite() && !(1e-4..1e6).contains(&x.abs()) {
        let text = format!("{x:.5e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'));
    }
    let text = format!("{x:.9}");
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    let text = if x == 0.0 { text } else { format!("{rounded:.9}") };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
