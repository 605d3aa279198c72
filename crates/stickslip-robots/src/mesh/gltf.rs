//! glTF 2.0, as JSON and binary: the triangles of all meshes of the scene, placed by its nodes.

use super::TriangleMesh;
use super::gltf_buffers::Asset;
use crate::error::{Error, MeshProblem, Place, Problem};
use crate::files::Files;
use glam::{DMat4, DQuat, DVec3};
use serde_json::Value;

/// The deepest tree of nodes.
const DEEPEST: usize = 256;

/// The most triangles: nodes may use one mesh many times.
const MOST_TRIANGLES: usize = 20_000_000;

/// Extensions that change how a mesh looks and not its shape.
const HARMLESS: [&str; 3] = ["KHR_texture_transform", "KHR_materials_", "KHR_lights_"];

pub(super) fn read(bytes: &[u8], place: &Place, files: &dyn Files) -> Result<TriangleMesh, Error> {
    let (text, chunk) = chunks(bytes, place)?;
    let json: Value = serde_json::from_slice(text).map_err(|e| {
        let place = Place::text(&place.file, e.line(), e.column());
        let sentence = e.to_string();
        let end = sentence.rfind(" at line").unwrap_or(sentence.len());
        let found = format!("not JSON: {}", &sentence[..end]);
        place.mesh(MeshProblem::Syntax { found, expected: "a glTF file".to_owned() })
    })?;
    let mut asset = Asset { json, buffers: Vec::new(), place };
    check_version(&asset)?;
    asset.load(chunk, files)?;
    let mut walk = Walk {
        asset: &asset,
        visited: 0,
        mesh: TriangleMesh { vertices: Vec::new(), triangles: Vec::new() },
    };
    for node in roots(&asset)? {
        walk.node(node, DMat4::IDENTITY, 0)?;
    }
    Ok(walk.mesh)
}

/// The JSON and, in binary files, the chunk of bytes.
fn chunks<'a>(bytes: &'a [u8], place: &Place) -> Result<(&'a [u8], Option<&'a [u8]>), Error> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let word = |at: usize| -> Option<u32> {
        Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
    };
    let truncated = |expected: u64| {
        let found = bytes.len() as u64;
        Place::byte(&place.file, bytes.len()).mesh(MeshProblem::Truncated { expected, found })
    };
    let mut parts: [Option<&[u8]>; 2] = [None, None];
    let mut at = 12;
    for (slot, kind) in parts.iter_mut().zip([0x4E4F_534A, 0x004E_4942]) {
        let (Some(length), Some(found)) = (word(at), word(at + 4)) else { break };
        if found != kind {
            break;
        }
        let end = (at as u64 + 8).saturating_add(u64::from(length));
        let chunk = usize::try_from(end).ok().and_then(|end| bytes.get(at + 8..end));
        *slot = Some(chunk.ok_or_else(|| truncated(end))?);
        at = end as usize;
    }
    match parts {
        [Some(json), chunk] => Ok((json, chunk)),
        _ => Err(truncated(20)),
    }
}

fn check_version(asset: &Asset<'_>) -> Result<(), Error> {
    let version = asset.json.get("asset").and_then(|a| a.get("version")).and_then(Value::as_str);
    if !version.is_some_and(|v| v.starts_with("2.")) {
        let found = format!("asset.version is {}", version.unwrap_or("absent"));
        return Err(asset.syntax(found, "2.0"));
    }
    let required = asset.json.get("extensionsRequired").and_then(Value::as_array);
    for extension in required.into_iter().flatten().filter_map(Value::as_str) {
        if !HARMLESS.iter().any(|begin| extension.starts_with(begin)) {
            let short: String = extension.chars().take(60).collect();
            return Err(asset.unsupported(&format!("the extension {short}")));
        }
    }
    Ok(())
}

/// The nodes of the scene; without scenes, those that are nobody's children.
fn roots(asset: &Asset<'_>) -> Result<Vec<u64>, Error> {
    let list = |value: &Value, key: &str| -> Vec<u64> {
        let nodes = value.get(key).and_then(Value::as_array);
        nodes.into_iter().flatten().filter_map(Value::as_u64).collect()
    };
    if asset.json.get("scenes").is_some() {
        let scene = asset.entry("scenes", asset.whole(&asset.json, "scene", Some(0))?)?;
        return Ok(list(scene, "nodes"));
    }
    let empty = Vec::new();
    let nodes = asset.json.get("nodes").and_then(Value::as_array).unwrap_or(&empty);
    let mut child = vec![false; nodes.len()];
    for index in nodes.iter().flat_map(|node| list(node, "children")) {
        if let Some(slot) = usize::try_from(index).ok().and_then(|i| child.get_mut(i)) {
            *slot = true;
        }
    }
    Ok((0..).zip(child).filter(|(_, child)| !child).map(|(index, _)| index).collect())
}

struct Walk<'a> {
    asset: &'a Asset<'a>,
    visited: usize,
    mesh: TriangleMesh,
}

impl Walk<'_> {
    fn node(&mut self, index: u64, outer: DMat4, depth: usize) -> Result<(), Error> {
        let node = self.asset.entry("nodes", index)?;
        self.visited += 1;
        // A tree visits each node once; more visits are a loop or a node with two parents.
        let count = self.asset.json.get("nodes").and_then(Value::as_array).map_or(0, Vec::len);
        if depth > DEEPEST || self.visited > count {
            return Err(self
                .asset
                .syntax(format!("nodes[{index}] is reached twice"), "a tree of nodes"));
        }
        if node.get("skin").is_some() {
            return Err(self.asset.unsupported("a mesh with a skin"));
        }
        let matrix = outer * transform(self.asset, node)?;
        if node.get("mesh").is_some() {
            let mesh = self.asset.entry("meshes", self.asset.whole(node, "mesh", None)?)?;
            let primitives = mesh.get("primitives").and_then(Value::as_array);
            for primitive in primitives.into_iter().flatten() {
                self.primitive(primitive, &matrix)?;
            }
        }
        let children = node.get("children").and_then(Value::as_array);
        for child in children.into_iter().flatten() {
            let index = child.as_u64().unwrap_or(u64::MAX);
            self.node(index, matrix, depth + 1)?;
        }
        Ok(())
    }

    fn primitive(&mut self, primitive: &Value, matrix: &DMat4) -> Result<(), Error> {
        let asset = self.asset;
        let empty = Value::Null;
        let attributes = primitive.get("attributes").unwrap_or(&empty);
        let points = asset.points(asset.whole(attributes, "POSITION", None)?)?;
        let base = self.mesh.vertices.len();
        let count = points.len();
        let corners = match primitive.get("indices") {
            Some(_) => asset.indices(asset.whole(primitive, "indices", None)?)?,
            None => (0..u32::try_from(count).unwrap_or(u32::MAX)).collect(),
        };
        if base + count > u32::MAX as usize
            || self.mesh.triangles.len() + corners.len() > MOST_TRIANGLES
        {
            return Err(asset.place.error(Problem::TooMany { limit: MOST_TRIANGLES }));
        }
        if let Some(index) = corners.iter().find(|i| **i as usize >= count) {
            return Err(asset.place.mesh(MeshProblem::Index { index: i64::from(*index), count }));
        }
        let flipped = matrix.determinant() < 0.0;
        for mut triangle in triangles(asset, primitive, &corners)? {
            if flipped {
                triangle.swap(1, 2);
            }
            self.mesh.triangles.push(triangle.map(|i| base as u32 + i));
        }
        self.mesh.vertices.extend(points.iter().map(|p| matrix.transform_point3(*p)));
        Ok(())
    }
}

fn triangles(
    asset: &Asset<'_>,
    primitive: &Value,
    corners: &[u32],
) -> Result<Vec<[u32; 3]>, Error> {
    let mode = asset.whole(primitive, "mode", Some(4))?;
    let windows = corners.windows(3);
    Ok(match mode {
        4 if !corners.len().is_multiple_of(3) => {
            return Err(asset.syntax(format!("{} indices", corners.len()), "three per triangle"));
        }
        4 => corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect(),
        5 => (0..)
            .zip(windows)
            .map(|(n, w)| if n % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })
            .collect(),
        6 => corners
            .get(1..)
            .unwrap_or_default()
            .windows(2)
            .map(|w| [corners[0], w[0], w[1]])
            .collect(),
        mode => {
            return Err(
                asset.syntax(format!("a primitive of mode {mode}"), "triangles (4, 5 or 6)")
            );
        }
    })
}

/// The matrix of a node, or its scale, rotation and translation.
fn transform(asset: &Asset<'_>, node: &Value) -> Result<DMat4, Error> {
    let numbers = |key: &str, count: usize| -> Result<Option<Vec<f64>>, Error> {
        let Some(value) = node.get(key) else { return Ok(None) };
        let list: Option<Vec<f64>> =
            value.as_array().map(|list| list.iter().filter_map(Value::as_f64).collect());
        match list {
            Some(list) if list.len() == count => Ok(Some(list)),
            _ => Err(asset.syntax(format!("`{key}` of a node"), &format!("{count} numbers"))),
        }
    };
    if let Some(m) = numbers("matrix", 16)? {
        let mut columns = [0.0; 16];
        columns.copy_from_slice(&m);
        return Ok(DMat4::from_cols_array(&columns));
    }
    let vector = |v: Vec<f64>| DVec3::new(v[0], v[1], v[2]);
    let translation = numbers("translation", 3)?.map_or(DVec3::ZERO, vector);
    let scale = numbers("scale", 3)?.map_or(DVec3::ONE, vector);
    let rotation = match numbers("rotation", 4)? {
        None => DQuat::IDENTITY,
        Some(q) => {
            let q = DQuat::from_xyzw(q[0], q[1], q[2], q[3]);
            // glTF demands a unit quaternion; writers round to single precision.
            if !((q.length() - 1.0).abs() < 1e-3) {
                return Err(
                    asset.syntax("a rotation that is not a unit quaternion".to_owned(), "length 1")
                );
            }
            q.normalize()
        }
    };
    Ok(DMat4::from_scale_rotation_translation(scale, rotation, translation))
}
