//! Bodies in motion as glTF 2.0, which Blender and others open.

use crate::ReportError;
use crate::mesh::{Triangles, pose, triangles};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stickslip_scene::recording::WholeFile;
use stickslip_scene::recording::replay::{BodyFile, ReplayError, ReplayFile};

/// Colours of bodies, as linear red, green and blue; the ground is the first.
const COLOURS: [[f64; 3]; 5] =
    [[0.5, 0.5, 0.5], [0.02, 0.17, 0.45], [0.67, 0.11, 0.01], [0.01, 0.34, 0.17], [0.42, 0.1, 0.3]];

/// Writes the motion of the bodies as `.glb`, or as `.gltf` with its numbers in it. A second of the animation is `speed` seconds of the run.
///
/// # Errors
/// If the scene has no bodies, the name has another ending, or the file cannot be written.
pub fn write_gltf(replay: &ReplayFile, path: &Path, speed: f64) -> Result<PathBuf, ReportError> {
    let refuse = |reason: &str| ReportError::file(path, reason);
    if replay.bodies.is_empty() {
        return Err(refuse(
            "this scene has no bodies, and glTF has nothing else; use --strip, --mp4 or --gif",
        ));
    }
    let (dir, name) = crate::place(path)?;
    let made = build(replay, speed)
        .map_err(|source| ReportError::Replay { path: path.to_owned(), source })?;
    let bytes = match path.extension().and_then(|e| e.to_str()) {
        Some("gltf") => made.text(),
        Some("glb") => made.binary(),
        _ => return Err(refuse("the name of a glTF file ends in .gltf or .glb")),
    };
    Ok(WholeFile::of(&dir, &name, &bytes)?.commit()?)
}

/// A document and its bytes.
#[derive(Default)]
struct Document {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// Meshes by their shape and colour.
    known: BTreeMap<String, usize>,
}

/// Component types and targets of glTF.
const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

fn build(replay: &ReplayFile, speed: f64) -> Result<Document, ReplayError> {
    let (times, numbers) = (replay.frame_times()?, replay.numbers()?);
    // Times must increase; of the two frames of an impact the second is kept.
    let later = |f: &usize| times.get(f + 1).is_none_or(|next| next > &times[*f]);
    let frames: Vec<usize> = (0..times.len()).filter(later).collect();
    let mut made = Document::default();
    let start = times.first().copied().unwrap_or(0.0);
    let seconds: Vec<f32> = frames.iter().map(|&f| ((times[f] - start) / speed) as f32).collect();
    let input = made.floats(&seconds, 1, None, true);
    let reach = extent(replay, &numbers);
    for (i, body) in replay.bodies.iter().enumerate() {
        let parts = made.parts(i, body, reach);
        let (p, r) = pose(body.pose.0);
        let node =
            json!({ "name": body.name, "translation": p.to_array(), "rotation": r.to_array() });
        let at = made.nodes.len();
        made.nodes.push(node);
        if !parts.is_empty() {
            made.nodes[at]["children"] = json!(parts);
        }
        let Some(first) = body.channel.filter(|_| !frames.is_empty()) else { continue };
        let at_frame = |f: usize| moved(replay.in_plane, &numbers, first, f);
        let all: Vec<(DVec3, DQuat)> = frames.iter().map(|&f| at_frame(f)).collect();
        let places: Vec<f32> =
            all.iter().flat_map(|(p, _)| p.to_array()).map(|x| x as f32).collect();
        let turns: Vec<f32> =
            all.iter().flat_map(|(_, r)| r.to_array()).map(|x| x as f32).collect();
        for (path, values, width) in [("translation", &places, 3), ("rotation", &turns, 4)] {
            let output = made.floats(values, width, None, false);
            let sampler = made.samplers.len();
            made.samplers
                .push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
            let target = json!({ "node": at, "path": path });
            made.channels.push(json!({ "sampler": sampler, "target": target }));
        }
    }
    made.title(replay);
    Ok(made)
}

/// The pose of a body in a frame.
pub(crate) fn moved(
    in_plane: bool,
    numbers: &[Vec<f64>],
    first: usize,
    f: usize,
) -> (DVec3, DQuat) {
    let at = |k: usize| numbers[first + k][f];
    if in_plane {
        return (DVec3::new(at(0), at(1), 0.0), DQuat::from_rotation_z(at(2)));
    }
    pose([0, 1, 2, 3, 4, 5, 6].map(at))
}

/// How far bodies move, by which the ground is as large as it has to be.
pub(crate) fn extent(replay: &ReplayFile, numbers: &[Vec<f64>]) -> f64 {
    let ways = replay.bodies.iter().filter_map(|b| b.channel).flat_map(|c| c..c + 2);
    let most = ways.flat_map(|c| &numbers[c]).filter(|x| x.is_finite());
    most.fold(0.5, |m: f64, x| m.max(2.0 * x.abs()))
}

impl Document {
    /// The nodes of the shapes of a body.
    fn parts(&mut self, i: usize, body: &BodyFile, reach: f64) -> Vec<usize> {
        let mut children = Vec::with_capacity(body.parts.len());
        for (at, shape) in &body.parts {
            let colour = if body.channel.is_none() { 0 } else { 1 + i % (COLOURS.len() - 1) };
            let key = format!("{colour} {shape:?}");
            let mesh = match self.known.get(&key) {
                Some(mesh) => *mesh,
                None => {
                    let mesh = self.mesh(&triangles(shape, reach), colour);
                    self.known.insert(key, mesh);
                    mesh
                }
            };
            let (p, r) = pose(at.0);
            children.push(self.nodes.len());
            self.nodes.push(
                json!({ "mesh": mesh, "translation": p.to_array(), "rotation": r.to_array() }),
            );
        }
        children
    }

    /// A mesh with flat faces.
    fn mesh(&mut self, of: &Triangles, colour: usize) -> usize {
        let (mut points, mut normals) = (Vec::new(), Vec::new());
        for t in &of.triangles {
            let corners = t.map(|v| of.vertices[v]);
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let normal = normal.normalize_or(DVec3::Z).to_array().map(|x| x as f32);
            for corner in corners {
                points.extend(corner.to_array().map(|x| x as f32));
                normals.extend(normal);
            }
        }
        let indices: Vec<u8> = (0..points.len() as u32 / 3).flat_map(|i| i.to_le_bytes()).collect();
        let position = self.floats(&points, 3, Some(VERTICES), true);
        let normal = self.floats(&normals, 3, Some(VERTICES), false);
        let view = self.view(&indices, Some(INDICES));
        let count = indices.len() / 4;
        self.accessors.push(
            json!({ "bufferView": view, "componentType": UNSIGNED, "count": count, "type": "SCALAR" }),
        );
        let attributes = json!({ "POSITION": position, "NORMAL": normal });
        let indices = self.accessors.len() - 1;
        self.meshes.push(
            json!({ "primitives": [{ "attributes": attributes, "indices": indices, "material": colour }] }),
        );
        self.meshes.len() - 1
    }

    /// An accessor of vectors of this many numbers, with their bounds where they are asked for.
    fn floats(&mut self, values: &[f32], width: usize, target: Option<u32>, bounds: bool) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes, target);
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1];
        let count = values.len() / width;
        let mut accessor =
            json!({ "bufferView": view, "componentType": FLOAT, "count": count, "type": kind });
        if bounds {
            let of = |k: usize, start: f32, pick: fn(f32, f32) -> f32| {
                values.iter().skip(k).step_by(width).copied().fold(start, pick)
            };
            let least: Vec<f32> = (0..width).map(|k| of(k, f32::INFINITY, f32::min)).collect();
            let most: Vec<f32> = (0..width).map(|k| of(k, f32::NEG_INFINITY, f32::max)).collect();
            accessor["min"] = json!(least);
            accessor["max"] = json!(most);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// The root, which turns z up to y up.
    fn title(&mut self, replay: &ReplayFile) {
        let inner: Vec<usize> = {
            let children = self.nodes.iter().filter_map(|n| n["children"].as_array());
            children.flatten().filter_map(Value::as_u64).map(|i| i as usize).collect()
        };
        let outer: Vec<usize> = (0..self.nodes.len()).filter(|i| !inner.contains(i)).collect();
        let rotation = match replay.in_plane {
            true => DQuat::IDENTITY,
            false => DQuat::from_rotation_x(-0.5 * std::f64::consts::PI),
        };
        self.nodes.push(
            json!({ "name": replay.title, "children": outer, "rotation": rotation.to_array() }),
        );
    }

    fn json(&self, uri: Option<String>) -> Value {
        let material = |[r, g, b]: &[f64; 3]| {
            json!({ "doubleSided": true, "pbrMetallicRoughness":
                { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7 } })
        };
        let mut buffer = json!({ "byteLength": self.bytes.len() });
        if let Some(uri) = uri {
            buffer["uri"] = json!(uri);
        }
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "stickslip" },
            "scene": 0,
            "scenes": [{ "nodes": [self.nodes.len() - 1] }],
            "nodes": self.nodes,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [buffer],
            "materials": COLOURS.iter().map(material).collect::<Vec<_>>(),
        });
        // Empty lists are not allowed.
        if !self.meshes.is_empty() {
            document["meshes"] = json!(self.meshes);
        }
        if !self.channels.is_empty() {
            document["animations"] =
                json!([{ "name": "run", "channels": self.channels, "samplers": self.samplers }]);
        }
        document
    }

    fn text(&self) -> Vec<u8> {
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&self.bytes));
        self.json(Some(uri)).to_string().into_bytes()
    }

    /// Header, text and numbers, each filled up to four bytes.
    fn binary(&self) -> Vec<u8> {
        let mut text = self.json(None).to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut numbers = self.bytes.clone();
        numbers.resize(numbers.len().next_multiple_of(4), 0);
        let total = 12 + 8 + text.len() + 8 + numbers.len();
        let mut all = b"glTF".to_vec();
        all.extend(2_u32.to_le_bytes());
        all.extend((total as u32).to_le_bytes());
        for (kind, chunk) in [(b"JSON", text), (b"BIN\0", numbers)] {
            all.extend((chunk.len() as u32).to_le_bytes());
            all.extend(kind);
            all.extend(chunk);
        }
        all
    }
}
