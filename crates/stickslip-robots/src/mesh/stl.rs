//! STL, as text and binary. The normals in the file are not used: the order of the vertices says where outside is.

use super::{Builder, TriangleMesh};
use crate::error::{Error, MeshProblem, Place, Problem};
use glam::DVec3;

/// Bytes before the first triangle: a comment of 80 bytes and the number of triangles.
const HEADER: usize = 84;

/// Bytes of a triangle: a normal, three vertices, an attribute.
const TRIANGLE: usize = 50;

pub(super) fn read(bytes: &[u8], place: &Place) -> Result<TriangleMesh, Error> {
    let promised = count(bytes).map(|n| HEADER as u64 + TRIANGLE as u64 * u64::from(n));
    let is_text = bytes.trim_ascii_start().starts_with(b"solid") && !bytes.contains(&0);
    if is_text && promised != Some(bytes.len() as u64) {
        let text = std::str::from_utf8(bytes).map_err(|_| place.error(Problem::NotText))?;
        return read_text(text, place);
    }
    read_binary(bytes, promised, place)
}

fn count(bytes: &[u8]) -> Option<u32> {
    let field = bytes.get(HEADER - 4..HEADER)?;
    Some(u32::from_le_bytes(field.try_into().ok()?))
}

fn read_binary(bytes: &[u8], promised: Option<u64>, place: &Place) -> Result<TriangleMesh, Error> {
    let found = bytes.len() as u64;
    let expected = promised.unwrap_or(HEADER as u64);
    let end = Place::byte(&place.file, bytes.len());
    if found < expected {
        return Err(end.mesh(MeshProblem::Truncated { expected, found }));
    }
    if found > expected {
        return Err(end.mesh(MeshProblem::Trailing(found - expected)));
    }
    let mut builder = Builder::default();
    for (n, triangle) in bytes[HEADER..].chunks_exact(TRIANGLE).enumerate() {
        let mut corners = [0; 3];
        for (k, corner) in corners.iter_mut().enumerate() {
            let offset = 12 + 12 * k;
            let point = vertex(&triangle[offset..offset + 12]);
            if !point.is_finite() {
                let at = Place::byte(&place.file, HEADER + TRIANGLE * n + offset);
                return Err(at.mesh(MeshProblem::NotFinite(point.to_string())));
            }
            *corner = builder.corner(point);
        }
        builder.triangles.push(corners);
    }
    Ok(builder.finish())
}

/// Three numbers in single precision.
fn vertex(bytes: &[u8]) -> DVec3 {
    let number = |k: usize| {
        let b = &bytes[4 * k..];
        f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    };
    DVec3::new(number(0), number(1), number(2))
}

/// What the next line must be.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Solid,
    FacetOrEnd,
    Loop,
    Vertex(usize),
    EndLoop,
    EndFacet,
}

fn read_text(text: &str, place: &Place) -> Result<TriangleMesh, Error> {
    let mut builder = Builder::default();
    let (mut next, mut corners) = (Next::Solid, [0; 3]);
    let mut last = 1;
    for (line, number) in text.lines().zip(1..) {
        last = number;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let Some(first) = words.first() else { continue };
        let column = line.chars().take_while(|c| c.is_whitespace()).count() + 1;
        let at = Place::text(&place.file, number, column);
        let first = first.to_ascii_lowercase();
        next = match (next, first.as_str()) {
            (Next::Solid, "solid") => Next::FacetOrEnd,
            (Next::FacetOrEnd, "facet") => Next::Loop,
            (Next::FacetOrEnd, "endsolid") => Next::Solid,
            (Next::Loop, "outer") => Next::Vertex(0),
            (Next::Vertex(k), "vertex") => {
                corners[k] = builder.corner(numbers(&words[1..], &at)?);
                if k == 2 { Next::EndLoop } else { Next::Vertex(k + 1) }
            }
            (Next::EndLoop, "endloop") => Next::EndFacet,
            (Next::EndFacet, "endfacet") => {
                builder.triangles.push(corners);
                Next::FacetOrEnd
            }
            _ => return Err(unexpected(&first, next, &at)),
        };
    }
    if next != Next::Solid {
        let at = Place::text(&place.file, last, 1);
        return Err(unexpected("the end of the file", next, &at));
    }
    Ok(builder.finish())
}

fn numbers(words: &[&str], at: &Place) -> Result<DVec3, Error> {
    let &[x, y, z] = words else {
        let found = format!("a vertex with {} coordinates", words.len());
        return Err(at.mesh(MeshProblem::Syntax { found, expected: "`vertex x y z`".to_owned() }));
    };
    let mut values = [0.0; 3];
    for (value, word) in values.iter_mut().zip([x, y, z]) {
        *value = super::obj::number(word, at)?;
    }
    Ok(DVec3::from_array(values))
}

fn unexpected(found: &str, next: Next, at: &Place) -> Error {
    let expected = match next {
        Next::Solid => "`solid name`",
        Next::FacetOrEnd => "`facet normal x y z` or `endsolid`",
        Next::Loop => "`outer loop`",
        Next::Vertex(_) => "`vertex x y z`",
        Next::EndLoop => "`endloop`",
        Next::EndFacet => "`endfacet`",
    };
    let found = match found.contains(' ') {
        true => found.to_owned(),
        false => format!("found `{}`", found.chars().take(40).collect::<String>()),
    };
    at.mesh(MeshProblem::Syntax { found, expected: expected.to_owned() })
}
