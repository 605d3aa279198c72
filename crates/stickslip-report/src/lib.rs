#![doc = include_str!("../README.md")]
#![warn(clippy::must_use_candidate)]

mod error;
mod film;
mod gltf;
pub mod live;
mod mesh;
mod page;
mod picture;

pub use error::ReportError;
pub use film::{write_film, write_strip};
pub use gltf::write_gltf;
pub use page::{Page, page, read_replay, write_report};

use std::path::{Path, PathBuf};

/// The directory and the name of a file that is to be written.
fn place(path: &Path) -> Result<(PathBuf, String), ReportError> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| ReportError::file(path, "this is no name for a file"))?;
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((dir.to_owned(), name.to_owned()))
}
