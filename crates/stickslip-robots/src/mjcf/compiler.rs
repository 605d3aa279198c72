//! `<compiler>`: how numbers and files in the model are meant.

use crate::error::{Error, Problem};
use crate::model::ModelPose;
use crate::xml::Element;

/// Whether masses come from geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FromGeometry {
    /// Where no `<inertial>` is given.
    Auto,
    Always,
    Never,
}

/// The settings, with MJCF's defaults.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    pub(super) degrees: bool,
    pub(super) euler: Vec<char>,
    pub(super) auto_limits: bool,
    pub(super) from_geometry: FromGeometry,
    pub(super) groups: (i64, i64),
    pub(super) bound_mass: f64,
    pub(super) bound_inertia: f64,
    pub(super) balance: bool,
    pub(super) total_mass: Option<f64>,
    pub(super) fit_box: bool,
    pub(super) mesh_folder: String,
    pub(super) strip_path: bool,
    pub(super) discard_visual: bool,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            degrees: true,
            euler: vec!['x', 'y', 'z'],
            auto_limits: true,
            from_geometry: FromGeometry::Auto,
            groups: (0, 5),
            bound_mass: 0.0,
            bound_inertia: 0.0,
            balance: false,
            total_mass: None,
            fit_box: false,
            mesh_folder: String::new(),
            strip_path: false,
            discard_visual: false,
        }
    }
}

impl Compiler {
    pub(super) fn read(root: &Element) -> Result<Self, Error> {
        let mut compiler = Self::default();
        for element in root.children_named("compiler") {
            compiler.read_angles(element)?;
            compiler.read_masses(element)?;
            compiler.read_files(element)?;
        }
        Ok(compiler)
    }

    fn read_angles(&mut self, element: &Element) -> Result<(), Error> {
        self.degrees =
            element.word("angle", &[("degree", true), ("radian", false)])?.unwrap_or(self.degrees);
        if let Some(sequence) = element.attribute("eulerseq") {
            self.euler = sequence.value.chars().collect();
            if self.euler.len() != 3 || self.euler.iter().any(|c| !"xyzXYZ".contains(*c)) {
                return Err(
                    element.out_of_range("eulerseq", "three of the letters x, y, z, X, Y, Z")
                );
            }
        }
        self.auto_limits = element.boolean("autolimits")?.unwrap_or(self.auto_limits);
        if element.word("coordinate", &[("local", false), ("global", true)])? == Some(true) {
            return Err(element.place_of("coordinate").error(Problem::Unsupported {
                what: "coordinate=\"global\"".to_owned(),
                cure: "save the model with an older MuJoCo, which makes it local",
            }));
        }
        Ok(())
    }

    fn read_masses(&mut self, element: &Element) -> Result<(), Error> {
        let words = [
            ("auto", FromGeometry::Auto),
            ("true", FromGeometry::Always),
            ("false", FromGeometry::Never),
        ];
        self.from_geometry = element.word("inertiafromgeom", &words)?.unwrap_or(self.from_geometry);
        if let Some(range) = element.numbers("inertiagrouprange", 2..=2)? {
            self.groups = (range[0] as i64, range[1] as i64);
        }
        self.bound_mass = element.non_negative("boundmass")?.unwrap_or(self.bound_mass);
        self.bound_inertia = element.non_negative("boundinertia")?.unwrap_or(self.bound_inertia);
        self.balance = element.boolean("balanceinertia")?.unwrap_or(self.balance);
        // Any number that is not positive means that masses stay as they are.
        self.total_mass = element
            .number("settotalmass")?
            .map_or(self.total_mass, |m| Some(m).filter(|m| *m > 0.0));
        self.fit_box = element.boolean("fitaabb")?.unwrap_or(self.fit_box);
        Ok(())
    }

    fn read_files(&mut self, element: &Element) -> Result<(), Error> {
        let folder = element.attribute("meshdir").or(element.attribute("assetdir"));
        if let Some(folder) = folder {
            self.mesh_folder = folder.value.clone();
        }
        self.strip_path = element.boolean("strippath")?.unwrap_or(self.strip_path);
        self.discard_visual = element.boolean("discardvisual")?.unwrap_or(self.discard_visual);
        Ok(())
    }

    /// An angle of the file in radians.
    pub(super) fn angle(&self, value: f64) -> f64 {
        if self.degrees { value.to_radians() } else { value }
    }

    /// The name of the file of an asset as it is asked for.
    pub(super) fn path(&self, file: &str) -> String {
        let file =
            if self.strip_path { file.rsplit(['/', '\\']).next().unwrap_or(file) } else { file };
        let folder = self.mesh_folder.trim_end_matches('/');
        if folder.is_empty() || file.starts_with('/') {
            return file.to_owned();
        }
        format!("{folder}/{file}")
    }

    /// Position and orientation of an element.
    pub(super) fn pose(&self, element: &Element) -> Result<ModelPose, Error> {
        let position = element.vector("pos")?.unwrap_or_default();
        let rotation = self.rotation(element)?.unwrap_or_default();
        Ok(ModelPose { position, rotation })
    }
}
