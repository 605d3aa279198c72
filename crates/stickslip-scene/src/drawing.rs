//! How a mechanism in generalised coordinates looks: the tables `[[drawing]]` of a scene.
//!
//! Coordinates say nothing about where things are, so the scene says it with a few lines, circles, rectangles and springs whose
//! points are expressions of the coordinates. A drawing changes nothing about the motion.

use crate::document::{Entry, Problem, Table};
use crate::keys::{Form, Key, Kind, TableKeys, key, known, need};
use crate::read::{expression, optional};
use serde::{Deserialize, Serialize};
use stickslip::expression::{Definition, Function, Scalar};

/// What is drawn; each with what its numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrawingKind {
    /// x and y of each point.
    Line,
    /// Centre, two half-axes, angle.
    Ellipse,
    /// Centre, width, height, angle.
    Rectangle,
    /// Both ends, number of coils, width.
    Spring,
    /// Where a contact is drawn: the point, the direction of its normal force on the mechanism, and that of its friction.
    Contact,
}

/// A part of a drawing, as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawingSpec {
    /// What it is.
    pub kind: DrawingKind,
    /// Its numbers, as expressions in coordinates, parameters and time.
    pub numbers: Vec<String>,
    /// A word of the palette, or `#rrggbb`.
    pub colour: String,
    /// Whether it is filled.
    pub fill: bool,
    /// Whether a line goes back to its first point.
    pub closed: bool,
    /// Whether a line is smooth through its points.
    pub smooth: bool,
    /// The contact whose forces are drawn.
    pub contact: Option<String>,
    /// Where it stands in the file.
    pub(crate) path: String,
}

/// A number of a drawing.
#[derive(Clone, Debug)]
pub enum DrawnNumber {
    /// One that does not change.
    Constant(f64),
    /// A function of coordinates, velocities and time.
    Function(Box<Function>),
}

/// The colours that have a name; a viewer gives them values that can be told apart in light and dark.
pub const COLOURS: &[&str] =
    &["ink", "ground", "wood", "metal", "body", "second", "third", "spring", "red"];

const CIRCLE: &[Key] = &[
    need("centre", POINT, "its centre"),
    need("radius", Kind::Expression, "its radius"),
    key("angle", Kind::Expression, "by which its mark is turned, in radians"),
];
const ELLIPSE: &[Key] = &[
    need("centre", POINT, "its centre"),
    need("half_axes", POINT, "its half-axes"),
    key("angle", Kind::Expression, "by which it is turned, in radians"),
];
const RECTANGLE: &[Key] = &[
    need("centre", POINT, "its centre"),
    need("size", POINT, "width and height"),
    key("angle", Kind::Expression, "by which it is turned, in radians"),
];
const SPRING: &[Key] = &[
    need("from", POINT, "one end"),
    need("to", POINT, "the other end"),
    key("coils", Kind::Expression, "how many there are, default 6"),
    key("width", Kind::Expression, "how wide they are, default a fifth of the length"),
];
/// Two expressions.
const POINT: Kind = Kind::List(&Kind::Expression);

pub(crate) const KEYS: TableKeys = TableKeys {
    name: "drawing",
    form: Form::List,
    either: &[&["line"], &["circle"], &["ellipse"], &["rectangle"], &["spring"], &["contact"]],
    meaning: "of scenes in generalised coordinates: how the mechanism looks in reports; x to the right, y up",
    keys: &[
        key("line", Kind::List(&POINT), "points, `[[x, y], ..]`, joined by straight lines"),
        key("circle", Kind::Table(CIRCLE), "a circle; with an angle it has a spoke that shows it"),
        key("ellipse", Kind::Table(ELLIPSE), "an ellipse"),
        key("rectangle", Kind::Table(RECTANGLE), "a rectangle"),
        key("spring", Kind::Table(SPRING), "a spring"),
        key("contact", Kind::Text, "the name of a contact whose force is drawn as an arrow"),
        key("at", POINT, "where the contact is"),
        key("normal", POINT, "the direction of its normal force"),
        key(
            "tangent",
            POINT,
            "the direction of positive friction, default the normal turned by -90 degrees",
        ),
        key("closed", Kind::Truth, "whether a line goes back to its first point"),
        key("smooth", Kind::Truth, "whether a line is smooth through its points"),
        key("fill", Kind::Truth, "whether it is filled, default false"),
        key(
            "colour",
            Kind::Text,
            "`ink` (the default), `ground`, `wood`, `metal`, `body`, `second`, `third`, `spring`, `red`, or `#rrggbb`",
        ),
    ],
};

/// Reads the tables.
pub(crate) fn read(root: &Table<'_>, in_space: bool) -> Result<Vec<DrawingSpec>, Problem> {
    let Some(entry) = root.get("drawing") else { return Ok(Vec::new()) };
    if in_space {
        let reason =
            "bodies are drawn by their shapes; `drawing` is for scenes in generalised coordinates";
        return Err(Problem::at(entry.key_span(), reason)
            .cure("leave it out, and give the bodies a `shape`"));
    }
    entry.tables()?.iter().map(part).collect()
}

fn part(table: &Table<'_>) -> Result<DrawingSpec, Problem> {
    table.refuse_others(&known("drawing"))?;
    let kinds = ["line", "circle", "ellipse", "rectangle", "spring", "contact"];
    let mut given = kinds.iter().filter_map(|key| table.get(key));
    let (Some(one), None) = (given.next(), given.next()) else {
        let reason = format!("a drawing is one of {}", kinds.join(", "));
        return Err(Problem::at(table.span.clone(), reason)
            .cure("write e.g. `circle = { centre = [\"x\", \"y\"], radius = \"r\" }`"));
    };
    let inner = || one.table("{ centre = [\"x\", \"y\"], .. }");
    let (kind, numbers) = match one.key {
        "line" => (DrawingKind::Line, line(one)?),
        "circle" => (DrawingKind::Ellipse, circle(&inner()?)?),
        "ellipse" => (DrawingKind::Ellipse, centred(&inner()?, "half_axes", ELLIPSE)?),
        "rectangle" => (DrawingKind::Rectangle, centred(&inner()?, "size", RECTANGLE)?),
        "spring" => (DrawingKind::Spring, spring(&inner()?)?),
        _ => (DrawingKind::Contact, contact(table)?),
    };
    refuse_idle(table, kind)?;
    let truth = |key: &str| Ok::<_, Problem>(optional(table, key, Entry::truth)?.unwrap_or(false));
    Ok(DrawingSpec {
        kind,
        numbers,
        colour: optional(table, "colour", colour)?.unwrap_or("ink").to_owned(),
        fill: truth("fill")?,
        closed: truth("closed")?,
        smooth: truth("smooth")?,
        contact: optional(table, "contact", |e| e.text("the name of a contact"))?.map(Into::into),
        path: table.path().to_owned(),
    })
}

/// Refuses keys that belong to another kind.
fn refuse_idle(table: &Table<'_>, kind: DrawingKind) -> Result<(), Problem> {
    let of_lines = ["closed", "smooth"];
    let of_contacts = ["at", "normal", "tangent"];
    let idle: &[&str] = match kind {
        DrawingKind::Line => &of_contacts,
        DrawingKind::Contact => &["closed", "smooth", "fill", "colour"],
        _ => &["closed", "smooth", "at", "normal", "tangent"],
    };
    let Some(entry) = idle.iter().find_map(|key| table.get(key)) else { return Ok(()) };
    let owner = if of_lines.contains(&entry.key) {
        "line"
    } else if of_contacts.contains(&entry.key) {
        "contact"
    } else {
        "shape"
    };
    let reason = format!("`{}` does nothing here; it belongs to a {owner}", entry.key);
    Err(Problem::at(entry.key_span(), reason).cure("leave it out"))
}

fn colour<'a>(entry: &Entry<'a>) -> Result<&'a str, Problem> {
    let text = entry.text("a word or \"#rrggbb\"")?;
    let hex = |digits: &str| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    match COLOURS.contains(&text) || text.strip_prefix('#').is_some_and(hex) {
        true => Ok(text),
        false => Err(Problem::at(entry.span(), format!("`{text}` is not a colour"))
            .cure(format!("write one of {}, or \"#rrggbb\"", COLOURS.join(", ")))),
    }
}

fn line(entry: &Entry<'_>) -> Result<Vec<String>, Problem> {
    const WHAT: &str = "a list of points, e.g. [[0, 0], [\"x\", \"y\"]]";
    let points = entry.items(WHAT)?;
    if points.len() < 2 {
        return Err(Problem::at(entry.span(), "a line has two points or more").cure(WHAT));
    }
    let all: Result<Vec<Vec<String>>, Problem> = points.iter().map(point).collect();
    Ok(all?.concat())
}

fn point(entry: &Entry<'_>) -> Result<Vec<String>, Problem> {
    const WHAT: &str = "a point, e.g. [\"x\", \"y\"]";
    let items = entry.items(WHAT)?;
    if items.len() != 2 {
        let reason = format!("`{}` has {} numbers; it must have 2", entry.key, items.len());
        return Err(Problem::at(entry.span(), reason).cure(format!("write {WHAT}")));
    }
    items.iter().map(expression).collect()
}

fn needed(table: &Table<'_>, key: &str, example: &str) -> Result<Vec<String>, Problem> {
    point(table.need(key, example)?)
}

fn refuse_keys(table: &Table<'_>, keys: &[Key]) -> Result<(), Problem> {
    table.refuse_others(&keys.iter().map(|key| key.name).collect::<Vec<_>>())
}

/// A circle is an ellipse; without an angle it has no spoke, which a viewer sees by the missing number.
fn circle(table: &Table<'_>) -> Result<Vec<String>, Problem> {
    refuse_keys(table, CIRCLE)?;
    let mut numbers = needed(table, "centre", "centre = [\"x\", \"y\"]")?;
    let radius = expression(table.need("radius", "radius = \"r\"")?)?;
    numbers.extend([radius.clone(), radius]);
    numbers.extend(optional(table, "angle", expression)?);
    Ok(numbers)
}

fn centred(table: &Table<'_>, sizes: &str, keys: &[Key]) -> Result<Vec<String>, Problem> {
    refuse_keys(table, keys)?;
    let mut numbers = needed(table, "centre", "centre = [\"x\", \"y\"]")?;
    numbers.extend(needed(table, sizes, &format!("{sizes} = [0.2, 0.1]"))?);
    numbers.push(optional(table, "angle", expression)?.unwrap_or_else(|| "0".into()));
    Ok(numbers)
}

fn spring(table: &Table<'_>) -> Result<Vec<String>, Problem> {
    refuse_keys(table, SPRING)?;
    let mut numbers = needed(table, "from", "from = [0, 0]")?;
    numbers.extend(needed(table, "to", "to = [\"x\", 0]")?);
    numbers.push(optional(table, "coils", expression)?.unwrap_or_else(|| "6".into()));
    numbers.extend(optional(table, "width", expression)?);
    Ok(numbers)
}

fn contact(table: &Table<'_>) -> Result<Vec<String>, Problem> {
    let mut numbers = needed(table, "at", "at = [\"x\", 0]")?;
    let normal = needed(table, "normal", "normal = [0, 1]")?;
    let turned = vec![normal[1].clone(), format!("-({})", normal[0])];
    numbers.extend(normal);
    numbers.extend(optional(table, "tangent", point)?.unwrap_or(turned));
    Ok(numbers)
}

/// The numbers of a part, ready to be evaluated.
pub(crate) fn functions(
    definition: &Definition,
    spec: &DrawingSpec,
) -> Result<Vec<DrawnNumber>, Problem> {
    let number = |text: &String| {
        let value = Scalar::Expression(text.clone());
        match definition.constant(&spec.path, &value) {
            Ok(x) => Ok(DrawnNumber::Constant(x)),
            Err(_) => Ok(DrawnNumber::Function(Box::new(definition.function(&spec.path, text)?))),
        }
    };
    spec.numbers.iter().map(number).collect()
}

/// Refuses a contact that is not there, and numbers without a value at the start.
pub(crate) fn check(
    (definition, contacts): (&Definition, &[&str]),
    specs: &[DrawingSpec],
    (q, u, t): (&[f64], &[f64], f64),
) -> Result<(), Problem> {
    for spec in specs {
        if let Some(name) = spec.contact.as_deref().filter(|name| !contacts.contains(name)) {
            let problem = Problem::of(
                format!("{}.contact", spec.path),
                format!("there is no contact `{name}`"),
            );
            return Err(problem.cure(format!("there are {}", contacts.join(", "))));
        }
        for (number, text) in functions(definition, spec)?.iter().zip(&spec.numbers) {
            let value = match number {
                DrawnNumber::Constant(x) => *x,
                DrawnNumber::Function(function) => function.value(q, u, t),
            };
            if !value.is_finite() {
                let reason = format!("`{text}` is {value} at the start");
                return Err(Problem::of(spec.path.clone(), reason));
            }
        }
    }
    Ok(())
}
