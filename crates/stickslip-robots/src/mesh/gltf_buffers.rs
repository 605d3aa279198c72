//! Buffers of glTF, and numbers out of them.

use super::base64;
use crate::error::{Error, MeshProblem, Place, Problem};
use crate::files::{Files, read_at};
use glam::DVec3;
use serde_json::Value;

/// The file of glTF: its JSON and the bytes of its buffers.
pub(super) struct Asset<'a> {
    pub(super) json: Value,
    pub(super) buffers: Vec<Vec<u8>>,
    pub(super) place: &'a Place,
}

/// Codes of the types of numbers.
const BYTE: u64 = 5121;
const SHORT: u64 = 5123;
const INT: u64 = 5125;
const FLOAT: u64 = 5126;

impl Asset<'_> {
    pub(super) fn syntax(&self, found: String, expected: &str) -> Error {
        self.place.mesh(MeshProblem::Syntax { found, expected: expected.to_owned() })
    }

    /// An entry of a list at the top of the file.
    pub(super) fn entry(&self, list: &str, index: u64) -> Result<&Value, Error> {
        let entry = usize::try_from(index).ok().and_then(|i| self.json.get(list)?.get(i));
        entry.ok_or_else(|| {
            let count = self.json.get(list).and_then(Value::as_array).map_or(0, Vec::len);
            self.syntax(format!("a reference to {list}[{index}]"), &format!("one of {count}"))
        })
    }

    /// A whole number at a key, or a default where the key is absent.
    pub(super) fn whole(&self, of: &Value, key: &str, default: Option<u64>) -> Result<u64, Error> {
        match (of.get(key), default) {
            (None, Some(value)) => Ok(value),
            (None, None) => Err(self.syntax(format!("`{key}` is absent"), "a whole number")),
            (Some(value), _) => value.as_u64().ok_or_else(|| {
                let text: String = value.to_string().chars().take(40).collect();
                self.syntax(format!("`{key}` is {text}"), "a whole number")
            }),
        }
    }

    /// The buffers, from inside of the file, from its second chunk, or from beside it.
    pub(super) fn load(&mut self, chunk: Option<&[u8]>, files: &dyn Files) -> Result<(), Error> {
        let list = self.json.get("buffers").and_then(Value::as_array).cloned().unwrap_or_default();
        for (n, buffer) in list.iter().enumerate() {
            let bytes = match (buffer.get("uri").and_then(Value::as_str), chunk) {
                (Some(uri), _) => self.resource(uri, files)?,
                (None, Some(chunk)) if n == 0 => chunk.to_vec(),
                _ => return Err(self.syntax(format!("buffers[{n}] has no uri"), "bytes")),
            };
            let expected = self.whole(buffer, "byteLength", None)?;
            let found = bytes.len() as u64;
            if found < expected {
                return Err(self.place.mesh(MeshProblem::Truncated { expected, found }));
            }
            self.buffers.push(bytes);
        }
        Ok(())
    }

    fn resource(&self, uri: &str, files: &dyn Files) -> Result<Vec<u8>, Error> {
        if let Some(data) = uri.strip_prefix("data:") {
            let text = data.split_once(";base64,").map(|(_, text)| text);
            let short: String = uri.chars().take(40).collect();
            return text
                .and_then(base64::decode)
                .ok_or_else(|| self.syntax(format!("the data `{short}…`"), "bytes in Base64"));
        }
        let folder = self.place.file.rfind(['/', '\\']).map_or("", |at| &self.place.file[..=at]);
        read_at(files, &format!("{folder}{uri}"), self.place)
    }

    /// The bytes of an accessor: where each of its elements begins, of a size.
    fn elements(&self, accessor: &Value, size: u64) -> Result<Vec<&[u8]>, Error> {
        if accessor.get("sparse").is_some() {
            return Err(self.unsupported("a sparse accessor"));
        }
        let view = self.entry("bufferViews", self.whole(accessor, "bufferView", None)?)?;
        let index = self.whole(view, "buffer", None)?;
        let buffer = usize::try_from(index).ok().and_then(|i| self.buffers.get(i));
        let buffer = buffer.ok_or_else(|| {
            self.syntax(format!("a reference to buffers[{index}]"), "a buffer that exists")
        })?;
        let (start, length) =
            (self.whole(view, "byteOffset", Some(0))?, self.whole(view, "byteLength", None)?);
        let stride = self.whole(view, "byteStride", Some(size))?;
        let offset = self.whole(accessor, "byteOffset", Some(0))?;
        let count = self.whole(accessor, "count", None)?;
        if stride < size || count == 0 {
            return Err(self.syntax(
                format!("an accessor of {count} elements with stride {stride}"),
                "at least one element and a stride that holds it",
            ));
        }
        let needed =
            (count - 1).checked_mul(stride).and_then(|n| n.checked_add(size)?.checked_add(offset));
        let end = start.checked_add(length).filter(|end| *end <= buffer.len() as u64);
        let needed = needed.unwrap_or(u64::MAX);
        let Some(end) = end else {
            let (expected, found) = (start.saturating_add(length), buffer.len() as u64);
            return Err(self.place.mesh(MeshProblem::Truncated { expected, found }));
        };
        if needed > length {
            return Err(self
                .place
                .mesh(MeshProblem::Truncated { expected: needed, found: length }));
        }
        // All fits into the buffer, so that it fits into usize.
        let slice = &buffer[(start + offset) as usize..end as usize];
        Ok(slice
            .chunks(stride as usize)
            .take(count as usize)
            .map(|c| &c[..size as usize])
            .collect())
    }

    pub(super) fn unsupported(&self, what: &str) -> Error {
        let cure = "export the mesh again without it";
        self.place.error(Problem::Unsupported { what: what.to_owned(), cure })
    }

    fn typed(&self, accessor: &Value, kind: &str) -> Result<u64, Error> {
        let found = accessor.get("type").and_then(Value::as_str).unwrap_or("absent");
        if found != kind {
            return Err(self.syntax(format!("the type of an accessor is {found}"), kind));
        }
        self.whole(accessor, "componentType", None)
    }

    /// Points in single precision.
    pub(super) fn points(&self, index: u64) -> Result<Vec<DVec3>, Error> {
        let accessor = self.entry("accessors", index)?;
        if self.typed(accessor, "VEC3")? != FLOAT {
            return Err(self.unsupported("positions that are not in single precision"));
        }
        let mut points = Vec::new();
        for bytes in self.elements(accessor, 12)? {
            let number = |k: usize| {
                let b = &bytes[4 * k..];
                f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            };
            let point = DVec3::new(number(0), number(1), number(2));
            if !point.is_finite() {
                return Err(self.place.mesh(MeshProblem::NotFinite(point.to_string())));
            }
            points.push(point);
        }
        Ok(points)
    }

    pub(super) fn indices(&self, index: u64) -> Result<Vec<u32>, Error> {
        let accessor = self.entry("accessors", index)?;
        let size = match self.typed(accessor, "SCALAR")? {
            BYTE => 1,
            SHORT => 2,
            INT => 4,
            other => {
                return Err(self.syntax(
                    format!("indices have the component type {other}"),
                    "5121, 5123 or 5125",
                ));
            }
        };
        let elements = self.elements(accessor, size)?;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, b| sum << 8 | u32::from(*b));
        Ok(elements.into_iter().map(number).collect())
    }
}
