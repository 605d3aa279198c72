//! Where meshes and included files come from: this crate reads no files itself.

use crate::error::{Error, Place, Problem};

/// Gives the bytes of a file that a model names.
///
/// A function `Fn(&str) -> Result<Vec<u8>, String>` is one. Names of meshes arrive as the model writes them, for MJCF with `meshdir`
/// in front: `package://arm/meshes/base.stl`, `meshes/base.stl`. The text of an error is shown to the user.
pub trait Files {
    /// The bytes of a file, or why it cannot be read.
    ///
    /// # Errors
    ///
    /// In words for the user.
    fn read(&self, name: &str) -> Result<Vec<u8>, String>;
}

impl<F: Fn(&str) -> Result<Vec<u8>, String>> Files for F {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        self(name)
    }
}

/// For models that name no files.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Err("no folder was given for the files of the model".to_owned())
    }
}

/// Reads a file that is named at a place.
pub(crate) fn read_at(files: &dyn Files, name: &str, place: &Place) -> Result<Vec<u8>, Error> {
    files
        .read(name)
        .map_err(|reason| place.error(Problem::MissingFile { name: name.to_owned(), reason }))
}
