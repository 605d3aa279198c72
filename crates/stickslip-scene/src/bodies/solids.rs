//! Shapes whose centre of mass is worked out: cones, hulls, meshes of files, height fields, compounds.

use super::compound::{self, CompoundPart};
use super::draft::Numbers;
use super::read::{list, number, numbers, two_and, vector};
use super::robot::{mesh_file, read_file};
use super::values::Values;
use crate::document::{Entry, Problem, Table};
use crate::include::Document;
use crate::keys::{Key, Kind, key, need};
use crate::read::{expression, optional};
use glam::{DMat3, DVec3};
use std::sync::Arc;
use stickslip::bodies::Geometry;
use stickslip_robots::TriangleMesh;

/// The most heights of a field.
const MOST_HEIGHTS: usize = 1_000_000;
/// The most points of a hull in a scene file; files of meshes have room for more.
const MOST_POINTS: usize = 10_000;

/// How a mesh touches.
const FORMS: &[&str] = &["hull", "surface"];

const MESH: &[Key] = &[
    need(
        "file",
        Kind::Text,
        "an OBJ, STL or glTF file (`.obj`, `.stl`, `.gltf`, `.glb`), beside the scene",
    ),
    key(
        "scale",
        Kind::Either(&[Kind::Scalar, Kind::Vector(3)]),
        "by which its coordinates are multiplied, default 1",
    ),
    key(
        "as",
        Kind::Word(|| FORMS.to_vec()),
        "`hull`, its convex hull, or `surface`, its triangles, which is the default of bodies that do not move freely and for them alone",
    ),
];
const HEIGHTS: &[Key] = &[
    key(
        "file",
        Kind::Text,
        "a CSV file of heights: a line for each y, upwards, with as many numbers along x",
    ),
    key("z", Kind::Expression, "instead of a file: the height, an expression of x and y"),
    key("cells", Kind::Vector(2), "with an expression: how many cells there are along x and y"),
    need(
        "size",
        Kind::Vector(2),
        "its lengths along x and y; the middle is the origin of the body",
    ),
    key("scale", Kind::Scalar, "by which heights are multiplied, default 1"),
];

/// The keys of such shapes.
pub(super) const HULL_KEY: Key =
    key("hull", Kind::List(&Kind::Vector(3)), "points: their convex hull");
pub(super) const MESH_KEY: Key =
    key("mesh", Kind::Either(&[Kind::Text, Kind::Table(MESH)]), "a file");
pub(super) const HEIGHTS_KEY: Key = key(
    "height_field",
    Kind::Table(HEIGHTS),
    "a surface over x and y, of bodies that do not move freely",
);

/// Such a shape, as it is written.
#[derive(Clone, Debug)]
pub(crate) enum SolidDraft {
    /// Radius and height.
    Cone(Numbers),
    Compound(Vec<CompoundPart>),
    Hull(Vec<Numbers>),
    Mesh {
        mesh: Arc<TriangleMesh>,
        scale: Option<Numbers>,
        form: Option<&'static str>,
    },
    Heights {
        source: Heights,
        size: Numbers,
        scale: Option<Numbers>,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum Heights {
    /// Columns, and all heights line by line.
    Table(usize, Arc<Vec<f64>>),
    /// An expression with its path, and the numbers of cells.
    Expression((String, String), Numbers),
}

/// Such a shape, as numbers, in the axes of its file.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    pub(super) geometry: Geometry,
    /// What is filled with mass, if it differs from what touches.
    pub(super) filled: Option<Geometry>,
    /// What is worth a warning.
    pub(super) warning: Option<String>,
}

/// Reads such a shape.
pub(super) fn read(entry: &Entry<'_>, document: &Document) -> Result<SolidDraft, Problem> {
    match entry.key {
        "cone" => Ok(SolidDraft::Cone(two_and(entry, ["radius", "height"], &["patch"])?)),
        "compound" => Ok(SolidDraft::Compound(compound::read(entry, document)?)),
        "hull" => hull(entry),
        "mesh" => mesh(entry, document),
        _ => heights(entry, document),
    }
}

fn hull(entry: &Entry<'_>) -> Result<SolidDraft, Problem> {
    let what = "a list of points, e.g. [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    let points = entry.items(what)?;
    if !(4..=MOST_POINTS).contains(&points.len()) {
        let reason = format!("a hull has 4 to {MOST_POINTS} points; here are {}", points.len());
        return Err(Problem::at(entry.span(), reason));
    }
    Ok(SolidDraft::Hull(points.iter().map(vector).collect::<Result<_, _>>()?))
}

fn mesh(entry: &Entry<'_>, document: &Document) -> Result<SolidDraft, Problem> {
    if !entry.is_table() {
        entry.text("a path in quotes, or { file = \"rock.stl\", scale = 0.001 }")?;
        let mesh = Arc::new(mesh_file(entry, document)?);
        return Ok(SolidDraft::Mesh { mesh, scale: None, form: None });
    }
    let table = entry.table("")?;
    table.refuse_others(&["file", "scale", "as"])?;
    let scale = |e: &Entry<'_>| match e.is_list() {
        true => vector(e),
        false => number(e),
    };
    Ok(SolidDraft::Mesh {
        mesh: Arc::new(mesh_file(table.need("file", "file = \"rock.stl\"")?, document)?),
        scale: optional(&table, "scale", scale)?,
        form: optional(&table, "as", |e| e.choice(FORMS))?,
    })
}

fn heights(entry: &Entry<'_>, document: &Document) -> Result<SolidDraft, Problem> {
    let table = entry.table("`{ z = \"0.1*sin(3*x)\", size = [4, 4], cells = [40, 40] }`")?;
    table.refuse_others(&["file", "z", "cells", "size", "scale"])?;
    let size = numbers(table.need("size", "size = [4, 4]")?, 2)?;
    let scale = optional(&table, "scale", number)?;
    let source = match (table.get("file"), table.get("z")) {
        (Some(file), None) => {
            refuse_cells(&table)?;
            let (columns, heights) = height_table(file, document)?;
            Heights::Table(columns, Arc::new(heights))
        }
        (None, Some(z)) => {
            let cells = list(table.need("cells", "cells = [40, 40]")?, "two whole numbers")?;
            Heights::Expression((z.path.clone(), expression(z)?), cells)
        }
        (Some(_), Some(z)) => {
            let reason = "a height field has a file or an expression, not both";
            return Err(Problem::at(z.key_span(), reason).cure("leave one of them out"));
        }
        (None, None) => {
            let reason = "a height field needs heights";
            return Err(Problem::at(entry.span(), reason).cure(
                "add `z = \"0.1*sin(3*x)\"` and `cells = [40, 40]`, or `file = \"ground.csv\"`",
            ));
        }
    };
    Ok(SolidDraft::Heights { source, size, scale })
}

fn refuse_cells(table: &Table<'_>) -> Result<(), Problem> {
    let Some(cells) = table.get("cells") else { return Ok(()) };
    Err(Problem::at(cells.key_span(), "the file says how many cells there are")
        .cure("leave it out"))
}

/// The numbers of a CSV file without a header.
fn height_table(file: &Entry<'_>, document: &Document) -> Result<(usize, Vec<f64>), Problem> {
    let path = file.text("a path in quotes")?;
    let wrong = |reason: String| Problem::at(file.span(), reason);
    let (_, bytes) = read_file(file, document)?;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(bytes.as_slice());
    let (mut columns, mut heights) = (None, Vec::new());
    for row in reader.records() {
        let row = row.map_err(|e| wrong(format!("`{path}` is not a CSV file: {e}")))?;
        let line = row.position().map_or(0, csv::Position::line);
        let expected = *columns.get_or_insert(row.len());
        if row.len() != expected {
            let found = row.len();
            let reason =
                format!("{path}, line {line}: {found} heights; the lines before have {expected}");
            return Err(wrong(reason).cure("every line has one height for each x"));
        }
        for cell in &row {
            let height = cell.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| {
                wrong(format!("{path}, line {line}: `{cell}` is not a height"))
                    .cure("write finite numbers, without a header; comments begin with #")
            })?;
            heights.push(height);
        }
        if heights.len() > MOST_HEIGHTS {
            return Err(wrong(format!("`{path}` has more than {MOST_HEIGHTS} heights")));
        }
    }
    let columns = columns.unwrap_or(0);
    if columns < 2 || heights.len() < 2 * columns {
        return Err(wrong(format!("`{path}` is not a grid of 2 by 2 heights or more"))
            .cure("give two lines of two numbers at least"));
    }
    Ok((columns, heights))
}

/// What a solid is at the density 1.
pub(super) struct Filling {
    pub(super) volume: f64,
    pub(super) center: DVec3,
    pub(super) inertia: DMat3,
}

impl Solid {
    /// Volume, centre, and the inertia at the density 1.
    pub(super) fn properties(&self, path: &str) -> Result<Filling, Problem> {
        let filled = self.filled.as_ref().unwrap_or(&self.geometry);
        let found = filled.mass_properties(1.0);
        let found = found.map_err(|error| Problem::of(path, error.to_string()))?;
        Ok(Filling { volume: found.volume, center: found.centre, inertia: found.inertia })
    }
}

/// Evaluates such a shape of a body that moves freely or does not.
pub(super) fn solid(
    values: &Values,
    (path, draft): (&str, &SolidDraft),
    moves: bool,
) -> Result<Solid, Problem> {
    let plain = |geometry| Solid { geometry, filled: None, warning: None };
    let made = match draft {
        SolidDraft::Cone(numbers) => {
            let [radius, height] = <[f64; 2]>::try_from(values.list(numbers)?).unwrap_or_default();
            plain(Geometry::Cone { half_height: 0.5 * height, radius })
        }
        SolidDraft::Compound(parts) => plain(compound::geometry(values, parts)?),
        SolidDraft::Hull(points) => {
            let points = points.iter().map(|p| values.vector(&Some(p.clone())));
            plain(Geometry::Hull { points: points.collect::<Result<_, _>>()? })
        }
        SolidDraft::Mesh { mesh, scale, form } => {
            let mesh = (**mesh).clone().scaled(scale_of(values, scale)?);
            of_mesh(path, mesh, *form, moves)?
        }
        SolidDraft::Heights { .. } if moves => {
            let reason = "a height field is for bodies that do not move freely";
            return Err(Problem::of(path, reason)
                .cure("add `fixed = true`, or give the body a hull or a mesh"));
        }
        SolidDraft::Heights { source, size, scale } => {
            let scale = values.optional(scale)?.unwrap_or(1.0);
            plain(height_field(values, source, size, scale)?)
        }
    };
    made.geometry.validate().map_err(|error| Problem::of(path, error.to_string()))?;
    Ok(made)
}

fn scale_of(values: &Values, scale: &Option<Numbers>) -> Result<DVec3, Problem> {
    let Some(numbers) = scale else { return Ok(DVec3::ONE) };
    let scale = match values.list(numbers)?[..] {
        [x] => DVec3::splat(x),
        [x, y, z] => DVec3::new(x, y, z),
        _ => DVec3::ONE,
    };
    if scale.is_finite() && scale.to_array().iter().all(|x| *x != 0.0) {
        return Ok(scale);
    }
    Err(Problem::of(numbers.path.clone(), format!("the scale is {scale}"))
        .cure("give finite numbers other than 0"))
}

fn of_mesh(
    path: &str,
    mesh: TriangleMesh,
    form: Option<&'static str>,
    moves: bool,
) -> Result<Solid, Problem> {
    let surface = form.map_or(!moves, |form| form == "surface");
    if surface && moves {
        let reason = "a body that moves freely touches with a convex hull";
        return Err(Problem::of(path, reason).cure("write as = \"hull\", or leave `as` out"));
    }
    let triangles = mesh.triangles.iter().map(|t| t.map(|v| v as usize)).collect();
    let whole = Geometry::Mesh { vertices: mesh.vertices.clone(), triangles };
    if surface {
        return Ok(Solid { geometry: whole, filled: None, warning: None });
    }
    let open = mesh.open_edges();
    let warning = (moves && open > 0)
        .then(|| format!("the mesh has {open} open edges: its mass is that of its convex hull"));
    let filled = (open == 0).then_some(whole);
    Ok(Solid { geometry: Geometry::Hull { points: mesh.vertices }, filled, warning })
}

fn height_field(
    values: &Values,
    source: &Heights,
    size: &Numbers,
    scale: f64,
) -> Result<Geometry, Problem> {
    let lengths = values.list(size)?;
    if let Some(bad) = lengths.iter().find(|x| !(x.is_finite() && **x > 0.0)) {
        let reason = format!("a length of a height field is {bad}; it must be above 0");
        return Err(Problem::of(size.path.clone(), reason));
    }
    let (columns, heights) = match source {
        Heights::Table(columns, heights) => (*columns, heights.iter().map(|h| scale * h).collect()),
        Heights::Expression(text, cells) => {
            let (columns, heights) = evaluated(values, text, cells, &lengths)?;
            (columns, heights.into_iter().map(|h| scale * h).collect())
        }
    };
    let heights: Vec<f64> = heights;
    let rows = heights.len() / columns.max(1);
    let between = |length: f64, count: usize| length / count.saturating_sub(1).max(1) as f64;
    let spacing = [between(lengths[0], columns), between(lengths[1], rows)];
    Ok(Geometry::HeightField { columns, heights, spacing })
}

/// The heights of an expression of x and y on a grid.
fn evaluated(
    values: &Values,
    (path, text): &(String, String),
    cells: &Numbers,
    lengths: &[f64],
) -> Result<(usize, Vec<f64>), Problem> {
    let counts = values.list(cells)?;
    let whole = |x: &f64| x.fract() == 0.0 && (1.0..=MOST_HEIGHTS as f64).contains(x);
    let ([nx, ny], true) = (
        <[f64; 2]>::try_from(counts.clone()).unwrap_or([0.0; 2]),
        counts.iter().all(whole) && counts.len() == 2,
    ) else {
        return Err(Problem::of(
            cells.path.clone(),
            "`cells` is a list of two whole numbers, 1 or more",
        ));
    };
    let (columns, rows) = (nx as usize + 1, ny as usize + 1);
    if columns.saturating_mul(rows) > MOST_HEIGHTS {
        let reason = format!("a height field has {MOST_HEIGHTS} heights at most");
        return Err(Problem::of(cells.path.clone(), reason).cure("take fewer cells"));
    }
    let function = values.of_plane(path, text)?;
    let place = |i: usize, cells: f64, length: f64| length * (i as f64 / cells - 0.5);
    let mut heights = Vec::with_capacity(columns * rows);
    for j in 0..rows {
        for i in 0..columns {
            let at = [place(i, nx, lengths[0]), place(j, ny, lengths[1])];
            let height = function.value(&at, &[0.0; 2], 0.0);
            if !height.is_finite() {
                let [x, y] = at;
                let reason = format!("the height is {height} at x = {x}, y = {y}");
                return Err(Problem::of(path.clone(), reason));
            }
            heights.push(height);
        }
    }
    Ok((columns, heights))
}
