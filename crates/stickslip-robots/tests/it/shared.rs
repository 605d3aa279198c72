//! Models of the folder, read.

use glam::DVec3;
use std::path::{Path, PathBuf};
use stickslip_robots::{Error, RobotModel, UrdfBase, read_mjcf, read_urdf};

/// The folder of the models.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models")
}

/// A file of the folder, as the models name it.
pub(crate) fn file(name: &str) -> Result<Vec<u8>, String> {
    std::fs::read(folder().join(name)).map_err(|_| "there is no such file".to_owned())
}

/// Reads a model by its name; URDF by its ending.
pub(crate) fn try_read(name: &str, base: UrdfBase) -> Result<RobotModel, Error> {
    let bytes = file(name).unwrap();
    match name.ends_with(".urdf") {
        true => read_urdf(&bytes, name, base, &file),
        false => read_mjcf(&bytes, name, &file),
    }
}

/// Reads a model that is right.
pub(crate) fn read(name: &str) -> RobotModel {
    try_read(name, UrdfBase::Fixed).unwrap_or_else(|error| panic!("{error}"))
}

/// Refuses a difference larger than `bound`.
#[track_caller]
pub(crate) fn near(found: f64, expected: f64, bound: f64) {
    assert!(
        (found - expected).abs() <= bound,
        "{found} beside {expected}, more than {bound:e} apart"
    );
}

/// The same for each component.
#[track_caller]
pub(crate) fn near_vector(found: DVec3, expected: DVec3, bound: f64) {
    let worst = (found - expected).abs().max_element();
    assert!(worst <= bound, "{found} beside {expected}, {worst:e} apart");
}
