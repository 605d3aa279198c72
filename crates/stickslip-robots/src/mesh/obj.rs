//! Wavefront OBJ: vertices and faces. Texture coordinates, normals, groups and materials do not matter here.

use super::TriangleMesh;
use crate::error::{Error, MeshProblem, Place, Problem};
use crate::nearest::nearest;
use glam::DVec3;

/// Lines that say nothing about the shape.
const IGNORED: [&str; 13] = [
    "vt", "vn", "o", "g", "s", "usemtl", "mtllib", "mg", "bevel", "c_interp", "d_interp", "lod",
    "maplib",
];

/// Lines that describe other things than faces of straight edges.
const REFUSED: [&str; 14] = [
    "vp", "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv",
    "sp", "con",
];

pub(super) fn read(bytes: &[u8], place: &Place) -> Result<TriangleMesh, Error> {
    let text = std::str::from_utf8(bytes).map_err(|_| place.error(Problem::NotText))?;
    let mut mesh = TriangleMesh { vertices: Vec::new(), triangles: Vec::new() };
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let column = line.chars().take_while(|c| c.is_whitespace()).count() + 1;
        let at = Place::text(&place.file, number, column);
        let mut joined = String::new();
        let mut part = line.split('#').next().unwrap_or_default().trim_end();
        while let Some(begin) = part.strip_suffix('\\') {
            joined.push_str(begin);
            joined.push(' ');
            part = lines.next().map_or("", |(next, _)| next.trim_end());
        }
        let line = if joined.is_empty() { part } else { &(joined + part) };
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            None => {}
            Some("v") => mesh.vertices.push(vertex(&words.collect::<Vec<_>>(), &at)?),
            Some("f") => face(&words.collect::<Vec<_>>(), &mut mesh, &at)?,
            Some("l" | "p") => {}
            Some(word) if IGNORED.contains(&word) => {}
            Some(word) => return Err(unknown(word, &at)),
        }
    }
    Ok(mesh)
}

/// Three coordinates; a weight or a colour may follow.
fn vertex(words: &[&str], at: &Place) -> Result<DVec3, Error> {
    if !(3..=7).contains(&words.len()) {
        let found = format!("a vertex with {} numbers", words.len());
        return Err(at.mesh(MeshProblem::Syntax { found, expected: "`v x y z`".to_owned() }));
    }
    let mut values = [0.0; 3];
    for (value, word) in values.iter_mut().zip(words) {
        *value = number(word, at)?;
    }
    Ok(DVec3::from_array(values))
}

/// A polygon as a fan of triangles about its first vertex, which is right for convex ones.
fn face(words: &[&str], mesh: &mut TriangleMesh, at: &Place) -> Result<(), Error> {
    if words.len() < 3 {
        let found = format!("a face with {} vertices", words.len());
        return Err(at.mesh(MeshProblem::Syntax { found, expected: "at least 3".to_owned() }));
    }
    let mut corners = Vec::with_capacity(words.len());
    for word in words {
        corners.push(index(word, mesh.vertices.len(), at)?);
    }
    for pair in corners[1..].windows(2) {
        mesh.triangles.push([corners[0], pair[0], pair[1]]);
    }
    Ok(())
}

/// `7`, `7/1`, `7//2` or `7/1/2`, counted from 1; negative numbers count back from the last vertex.
fn index(word: &str, count: usize, at: &Place) -> Result<u32, Error> {
    let first = word.split('/').next().unwrap_or_default();
    let index: i64 = first.parse().map_err(|_| {
        let found = format!("found `{}`", word.chars().take(40).collect::<String>());
        at.mesh(MeshProblem::Syntax { found, expected: "the index of a vertex".to_owned() })
    })?;
    let from_zero = if index < 0 { count as i64 + index } else { index - 1 };
    match u32::try_from(from_zero) {
        Ok(found) if (found as usize) < count => Ok(found),
        _ => Err(at.mesh(MeshProblem::Index { index, count })),
    }
}

/// A finite number.
pub(super) fn number(word: &str, at: &Place) -> Result<f64, Error> {
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) => Err(at.mesh(MeshProblem::NotFinite(value.to_string()))),
        Err(_) => {
            let found = format!("found `{}`", word.chars().take(40).collect::<String>());
            Err(at.mesh(MeshProblem::Syntax { found, expected: "a number".to_owned() }))
        }
    }
}

fn unknown(word: &str, at: &Place) -> Error {
    if REFUSED.contains(&word) {
        return at.error(Problem::Unsupported {
            what: format!("the curved surface of `{word}`"),
            cure: "export the mesh with flat faces",
        });
    }
    let known = ["v", "f"].into_iter().chain(IGNORED);
    let expected = match nearest(word, known) {
        Some(name) => format!("perhaps `{name}`"),
        None => "`v`, `f` or another word of OBJ".to_owned(),
    };
    let found = format!("found `{}`", word.chars().take(40).collect::<String>());
    at.mesh(MeshProblem::Syntax { found, expected })
}
