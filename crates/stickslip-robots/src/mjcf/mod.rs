//! MJCF, the format of MuJoCo.

mod actuators;
mod assets;
mod bodies;
mod compiler;
mod contacts;
mod defaults;
mod equalities;
mod finish;
mod geoms;
mod include;
mod joints;
mod masses;
mod orientation;
mod schema;
mod schema_sensors;
mod sensors;

use crate::error::{Error, Place, Problem, Warning, WarningKind};
use crate::files::Files;
use crate::mesh::MeshMass;
use crate::model::{Format, ModelOptions, RobotModel};
use crate::names::Names;
use crate::xml::{self, Element};
use compiler::Compiler;
use defaults::Defaults;
use glam::DVec3;

/// Reads an MJCF file. Included files and meshes are asked of `files`.
///
/// # Errors
///
/// For everything that is not MJCF or that no mechanical system has; see [`Problem`].
pub fn read_mjcf(bytes: &[u8], file: &str, files: &dyn Files) -> Result<RobotModel, Error> {
    let mut root = xml::parse(bytes, file)?;
    if root.name != "mujoco" {
        let (found, expected, format) = (root.name.clone(), "mujoco", "MJCF");
        return Err(root.error(Problem::WrongRoot { found, expected, format }));
    }
    include::expand(&mut root, file, files)?;
    let mut warnings = Vec::new();
    xml::schema::check(&mut root, &schema::MUJOCO, &mut warnings)?;
    let compiler = Compiler::read(&root)?;
    let defaults = Defaults::read(&root)?;
    let mut reader = Reader::new(files, compiler, defaults, empty(&root, warnings)?);
    reader.read(&root)?;
    reader.model.check_finite()?;
    Ok(reader.model)
}

fn empty(root: &Element, warnings: Vec<Warning>) -> Result<RobotModel, Error> {
    let name = root.attribute("model").map_or("MuJoCo Model", |model| &model.value).to_owned();
    Ok(RobotModel {
        name,
        format: Format::Mjcf,
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
        options: options(root)?,
        warnings,
    })
}

/// Gravity, step, and what flags say about them.
fn options(root: &Element) -> Result<ModelOptions, Error> {
    let mut options = ModelOptions {
        gravity: DVec3::new(0.0, 0.0, -9.81),
        timestep: None,
        parent_contacts: false,
    };
    let mut weightless = false;
    for option in root.children_named("option") {
        options.gravity = option.vector("gravity")?.unwrap_or(options.gravity);
        options.timestep = option.positive("timestep")?;
        for flag in option.children_named("flag") {
            let switch = [("enable", true), ("disable", false)];
            weightless = flag.word("gravity", &switch)?.map_or(weightless, |on| !on);
            let parents = flag.word("filterparent", &switch)?;
            options.parent_contacts = parents.map_or(options.parent_contacts, |on| !on);
        }
    }
    if weightless {
        options.gravity = DVec3::ZERO;
    }
    Ok(options)
}

/// What is known while a file is read.
struct Reader<'a> {
    files: &'a dyn Files,
    compiler: Compiler,
    defaults: Defaults,
    model: RobotModel,
    bodies: Names,
    joints: Names,
    geoms: Names,
    sites: Names,
    meshes: Names,
    fields: Names,
    materials: Names,
    actuators: Names,
    /// Colours of the materials, by index.
    colours: Vec<Option<[f64; 4]>>,
    /// What the assets say about meshes, by index.
    mesh_rules: Vec<assets::MeshRule>,
    /// Mass properties of meshes that were needed already.
    mesh_masses: Vec<Option<MeshMass>>,
    /// How geometries count for the mass of their bodies, by index.
    weights: Vec<masses::Weight>,
    /// Mass properties that the file gives, by body.
    given: Vec<Option<masses::Given>>,
    /// The actuators in the order of the file, none where one is not supported.
    controls: Vec<Option<usize>>,
}

impl<'a> Reader<'a> {
    fn new(
        files: &'a dyn Files,
        compiler: Compiler,
        defaults: Defaults,
        model: RobotModel,
    ) -> Self {
        Self {
            files,
            compiler,
            defaults,
            model,
            bodies: Names::new("body"),
            joints: Names::new("joint"),
            geoms: Names::new("geom"),
            sites: Names::new("site"),
            meshes: Names::new("mesh"),
            fields: Names::new("height field"),
            materials: Names::new("material"),
            actuators: Names::new("actuator"),
            colours: Vec::new(),
            mesh_rules: Vec::new(),
            mesh_masses: Vec::new(),
            weights: Vec::new(),
            given: Vec::new(),
            controls: Vec::new(),
        }
    }

    fn read(&mut self, root: &Element) -> Result<(), Error> {
        self.read_assets(root)?;
        self.read_bodies(root)?;
        self.set_masses()?;
        self.read_contacts(root)?;
        self.read_equalities(root)?;
        self.read_actuators(root)?;
        self.read_sensors(root)?;
        self.read_keyframes(root)?;
        self.finish();
        Ok(())
    }

    fn note(&mut self, place: &Place, text: String) {
        self.model.warnings.push(Warning { place: place.clone(), kind: WarningKind::Note(text) });
    }

    /// Reports an element that the neutral model has no place for.
    fn leave_out(&mut self, element: &Element, parent: &str) {
        self.model.warnings.push(xml::schema::left_out(element, parent));
    }
}

/// Enters the name of an element, if it has one, and gives it back; empty names are filled in at the end.
fn register(names: &mut Names, element: &Element, index: usize) -> Result<String, Error> {
    let Some(name) = element.attribute("name").filter(|name| !name.value.is_empty()) else {
        return Ok(String::new());
    };
    names.insert(&name.value, index, &name.place)?;
    Ok(name.value.clone())
}

/// How an element is called in a message.
fn label(element: &Element) -> String {
    let name = element.attribute("name").filter(|name| !name.value.is_empty());
    name.map_or_else(|| format!("<{}> without a name", element.name), |name| name.value.clone())
}
