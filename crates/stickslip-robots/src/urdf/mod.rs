//! URDF: links and joints in a tree.

mod joints;
mod links;
mod schema;
mod transmissions;
mod tree;

use crate::error::{Error, Place, Problem, Warning};
use crate::files::Files;
use crate::model::{Format, ModelOptions, ModelPose, RobotModel};
use crate::names::Names;
use crate::xml::{self, Element};
use glam::{DQuat, DVec3, EulerRot};
use std::collections::BTreeMap;

/// How the root link stands in the world, which URDF does not say. A root that is called `world` is the world in either case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UrdfBase {
    /// It is fixed to the world: arms on a table.
    #[default]
    Fixed,
    /// It moves freely: robots that walk, drive or fly.
    Free,
}

/// The gravity that URDF does not say.
const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// Reads a URDF file.
///
/// # Errors
///
/// For everything that is not URDF or that no mechanical system has; see [`Problem`].
pub fn read_urdf(
    bytes: &[u8],
    file: &str,
    base: UrdfBase,
    files: &dyn Files,
) -> Result<RobotModel, Error> {
    let mut root = xml::parse(bytes, file)?;
    if root.name != "robot" {
        let (found, expected, format) = (root.name.clone(), "robot", "URDF");
        return Err(root.error(Problem::WrongRoot { found, expected, format }));
    }
    let mut warnings = Vec::new();
    xml::schema::check(&mut root, &schema::ROBOT, &mut warnings)?;
    root.word("version", &[("1.0", ()), ("1.1", ()), ("1.2", ())])?;
    let name = root.required("name")?.value.clone();
    let options = ModelOptions { gravity: GRAVITY, timestep: None, parent_contacts: false };
    let model = empty(name, options, warnings);
    let mut reader = Reader {
        files,
        model,
        links: Names::new("link"),
        joints: Names::new("joint"),
        geometries: Names::new("geometry"),
        materials: BTreeMap::new(),
    };
    reader.read(&root, base)?;
    reader.model.check_finite()?;
    Ok(reader.model)
}

fn empty(name: String, options: ModelOptions, warnings: Vec<Warning>) -> RobotModel {
    RobotModel {
        name,
        format: Format::Urdf,
        bodies: Vec::new(),
        joints: Vec::new(),
        geometries: Vec::new(),
        sites: Vec::new(),
        meshes: Vec::new(),
        height_fields: Vec::new(),
        excluded: Vec::new(),
        pairs: Vec::new(),
        equalities: Vec::new(),
        actuators: Vec::new(),
        sensors: Vec::new(),
        keyframes: Vec::new(),
        options,
        warnings,
    }
}

/// What is known while a file is read.
struct Reader<'a> {
    files: &'a dyn Files,
    model: RobotModel,
    links: Names,
    joints: Names,
    geometries: Names,
    materials: BTreeMap<String, Option<[f64; 4]>>,
}

impl Reader<'_> {
    fn read(&mut self, root: &Element, base: UrdfBase) -> Result<(), Error> {
        self.collect_materials(root)?;
        let tree = tree::Tree::new(root, &mut self.links)?;
        self.add_bodies(&tree, base, &root.place)?;
        self.link_mimics(&tree)?;
        self.add_transmissions(root)?;
        self.note_massless();
        Ok(())
    }

    fn note(&mut self, place: &Place, text: String) {
        let kind = crate::error::WarningKind::Note(text);
        self.model.warnings.push(Warning { place: place.clone(), kind });
    }
}

/// The pose of `<origin>`, if there is one.
fn origin(parent: &Element) -> Result<ModelPose, Error> {
    let Some(element) = parent.child("origin")? else { return Ok(ModelPose::default()) };
    let position = element.vector("xyz")?.unwrap_or_default();
    if element.has("rpy") && element.has("quat_xyzw") {
        return Err(element.error(Problem::Conflict {
            element: "origin".to_owned(),
            first: "rpy".to_owned(),
            second: "quat_xyzw".to_owned(),
        }));
    }
    let rotation = match element.numbers("quat_xyzw", 4..=4)? {
        Some(q) => {
            let q = DQuat::from_xyzw(q[0], q[1], q[2], q[3]);
            let unit = q.normalize();
            if !(q.length() > 0.0) || !unit.is_finite() {
                return Err(element.place_of("quat_xyzw").error(Problem::ZeroAxis {
                    attribute: "quat_xyzw".to_owned(),
                    owner: parent.name.clone(),
                }));
            }
            unit
        }
        None => {
            let v = element.vector("rpy")?.unwrap_or_default();
            // Roll about x, then pitch about y, then yaw about z, all fixed axes.
            DQuat::from_euler(EulerRot::ZYX, v.z, v.y, v.x)
        }
    };
    Ok(ModelPose { position, rotation })
}
