//! Files of robots.

use super::Source;
use crate::document::{Entry, Foreign, Mark, Problem};
use crate::include::Document;
use std::cell::RefCell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use stickslip_robots::{
    Error, Place, Position, RobotModel, TriangleMesh, UrdfBase, read_mesh, read_mjcf, read_urdf,
};

/// The largest file of a robot, in bytes.
const LARGEST: u64 = 256 << 20;

/// The formats, by the endings of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Urdf,
    Mjcf,
}

/// The format of a file.
pub(super) fn ending(path: &str) -> Option<Ending> {
    let ending = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "urdf" => Some(Ending::Urdf),
        "xml" | "mjcf" => Some(Ending::Mjcf),
        _ => None,
    }
}

/// Whether a path is that of a robot, by its ending.
pub(crate) fn is_robot(path: &str) -> bool {
    ending(path).is_some()
}

/// Reads the file that an entry names.
pub(super) fn load(
    file: &Entry<'_>,
    base: UrdfBase,
    document: &Document,
) -> Result<Source, Problem> {
    let path = file.text("a path in quotes")?;
    let wrong = |reason: String| Problem::at(file.span(), reason);
    let Some(format) = ending(path) else {
        return Err(wrong(format!("`{path}` is no robot that can be read"))
            .cure("name a file that ends in .urdf (URDF), or in .xml (MJCF)"));
    };
    let Some(full) = document.path(file.file(), path) else {
        return Err(wrong("a scene that is no file cannot read robots".into())
            .cure("save it, and name the file"));
    };
    let bytes = read(&full).map_err(|reason| {
        wrong(format!("`{path}` cannot be read: {reason}"))
            .cure("the path is relative to the file in which it stands")
    })?;
    let scene = document.files.get(file.file()).map_or("", |f| &f.name);
    let name = match Path::new(scene).parent() {
        Some(parent) => parent.join(path).display().to_string(),
        None => path.to_owned(),
    };
    let texts = RefCell::new(vec![(name.clone(), String::from_utf8_lossy(&bytes).into_owned())]);
    let folder = full.parent().map_or_else(PathBuf::new, Path::to_owned);
    let files = |asked: &str| {
        let bytes = find(&folder, asked)?;
        if let Ok(text) = std::str::from_utf8(&bytes) {
            texts.borrow_mut().push((asked.to_owned(), text.to_owned()));
        }
        Ok(bytes)
    };
    let made: Result<RobotModel, Error> = match format {
        Ending::Urdf => read_urdf(&bytes, &name, base, &files),
        Ending::Mjcf => read_mjcf(&bytes, &name, &files),
    };
    let texts = texts.into_inner();
    match made {
        Ok(model) => Ok(Source { model, texts }),
        Err(error) => Err(at_place(&texts, &error.place, error.problem.to_string())),
    }
}

/// The bytes of the file that an entry names, with its path.
pub(in crate::bodies) fn read_file(
    file: &Entry<'_>,
    document: &Document,
) -> Result<(PathBuf, Vec<u8>), Problem> {
    let path = file.text("a path in quotes")?;
    let Some(full) = document.path(file.file(), path) else {
        return Err(Problem::at(file.span(), "a scene that is no file cannot read others")
            .cure("save it, and name the file"));
    };
    match read(&full) {
        Ok(bytes) => Ok((full, bytes)),
        Err(reason) => Err(Problem::at(file.span(), format!("`{path}` cannot be read: {reason}"))
            .cure("the path is relative to the file in which it stands")),
    }
}

/// The mesh of the file that an entry names.
pub(in crate::bodies) fn mesh_file(
    file: &Entry<'_>,
    document: &Document,
) -> Result<TriangleMesh, Problem> {
    let (full, bytes) = read_file(file, document)?;
    let name = file.text("a path in quotes")?;
    let folder = full.parent().map_or_else(PathBuf::new, Path::to_owned);
    let files = |asked: &str| find(&folder, asked);
    // Not all of these files have lines: the scene is shown, and the message has the place.
    read_mesh(&bytes, name, &files).map_err(|error| Problem::at(file.span(), error.to_string()))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let kind = |e: std::io::Error| e.kind().to_string();
    let size = std::fs::metadata(path).map_err(kind)?.len();
    if size > LARGEST {
        return Err(format!("it has {size} bytes; {LARGEST} is the most"));
    }
    std::fs::read(path).map_err(kind)
}

/// The bytes of a file that a model names: beside the model, or for `package://NAME/PATH` in a folder NAME, or at PATH, above it.
fn find(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let plain = name.strip_prefix("file://").unwrap_or(name);
    let Some(inner) = plain.strip_prefix("package://") else { return read(&folder.join(plain)) };
    let rest = inner.split_once('/').map_or("", |(_, rest)| rest);
    let above = || folder.ancestors().take(8);
    let places = above().map(|at| at.join(inner)).chain(above().map(|at| at.join(rest)));
    match { places }.find(|path| path.is_file()) {
        Some(path) => read(&path),
        None => Err(format!("{}: no folder above the model has it", ErrorKind::NotFound)),
    }
}

/// A problem at a place of a file that is not a scene.
pub(super) fn at_place(
    texts: &[(String, String)],
    place: &Place,
    reason: impl Into<String>,
) -> Problem {
    let text = texts.iter().find(|(name, _)| **name == *place.file).map(|(_, text)| text);
    let at = match (place.position, text) {
        (Position::Text { line, column }, Some(text)) => {
            Some((text.clone(), byte(text, line as usize, column as usize)))
        }
        _ => None,
    };
    let reason = match (place.position, &at) {
        (Position::Byte(byte), _) => format!("byte {byte}: {}", reason.into()),
        (Position::Text { line, column }, None) => {
            format!("line {line}, column {column}: {}", reason.into())
        }
        _ => reason.into(),
    };
    let mark = Mark::Foreign(Foreign { file: place.file.to_string(), at });
    Problem { mark, reason, cure: None }
}

/// The byte of a line and a column, both counted from 1.
fn byte(text: &str, line: usize, column: usize) -> usize {
    let start = match line {
        0 | 1 => 0,
        line => text.match_indices('\n').nth(line - 2).map_or(text.len(), |(k, _)| k + 1),
    };
    let rest = &text[start..];
    let within = rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(k, _)| k);
    start + within
}
