//! From what was typed to something that runs.

use crate::args::SettingArgs;
use crate::error::CliError;
use std::collections::BTreeMap;
use std::path::Path;
use stickslip::State;
use stickslip::model::Model;
use stickslip::run::Settings;
use stickslip::step::Integrator;
use stickslip_scene::recording::Units;
use stickslip_scene::{Scene, Visitor, gallery_entry};

/// A scene with its parameters set, ready to run.
pub(crate) struct Loaded {
    pub(crate) scene: Scene,
    /// A short name, for files.
    pub(crate) name: String,
    /// The file, unless the scene is built in.
    pub(crate) source: Option<String>,
    pub(crate) start: State,
    pub(crate) settings: Settings,
    pub(crate) parameters: BTreeMap<String, f64>,
    pub(crate) units: Units,
}

impl Loaded {
    /// The coordinates that need not come back, by their numbers in [`Scene::local`].
    pub(crate) fn cyclic(&self) -> Vec<usize> {
        self.scene.cyclic(&self.start)
    }

    /// The same in the model's own coordinates.
    pub(crate) fn cyclic_own(&self) -> Vec<usize> {
        self.cyclic().iter().flat_map(|&i| self.scene.local()[i].own.clone()).collect()
    }

    /// The same among the coordinates of [`Scene::info`], as far as they have a place there.
    pub(crate) fn cyclic_shown(&self) -> Vec<usize> {
        let cyclic = self.cyclic();
        let names = || cyclic.iter().map(|&i| &self.scene.local()[i].name);
        let shown = self.scene.info().coordinates.iter().enumerate();
        shown.filter(|(_, name)| names().any(|n| n == *name)).map(|(i, _)| i).collect()
    }
}

/// Says that a condition that ends runs is not used.
pub(crate) fn note_stop(scene: &Scene) {
    if let Some(when) = &scene.stop {
        eprintln!(
            "stickslip: the condition of [stop], {when}, is not used: only `stickslip run` ends there"
        );
    }
}

/// Says what of the files of robots has no place, and which settings of the file do nothing with those that are used.
pub(crate) fn note_idle(loaded: &Loaded) {
    for warning in loaded.scene.warnings() {
        eprintln!("stickslip: warning: {warning}");
    }
    for warning in loaded.scene.idle(&loaded.settings) {
        eprintln!("stickslip: warning: {warning}");
    }
}

/// Says where the step comes from, if the file of a robot gives it.
pub(crate) fn note_step(loaded: &Loaded, args: &SettingArgs) {
    let given = args.dt.is_some() || loaded.scene.run.dt.is_some();
    let steps = loaded.settings.step.integrator != Integrator::EventDriven;
    if let (Some((dt, file)), false, true) = (loaded.scene.file_dt(), given, steps) {
        eprintln!("stickslip: dt = {dt} s is the timestep of {file}; --dt gives another");
    }
}

/// Loads a scene, gives its parameters the values of `set`, and applies the settings that were typed.
pub(crate) fn load(scene: &str, args: &SettingArgs) -> Result<Loaded, CliError> {
    let base = read(scene)?;
    prepare(&base, scene, args)
}

/// Reads a file, or a scene of the gallery.
pub(crate) fn read(scene: &str) -> Result<Scene, CliError> {
    Scene::open(scene).map_err(|e| CliError::Scene(Box::new(e)))
}

/// Gives the parameters of a scene that was read their values, and applies the settings.
pub(crate) fn prepare(base: &Scene, name: &str, args: &SettingArgs) -> Result<Loaded, CliError> {
    let values: Vec<(&str, f64)> = args.set.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let scene = match values[..] {
        [] => base.clone(),
        _ => base.with_overrides(&values).map_err(|e| CliError::Scene(Box::new(e)))?,
    };
    let scene = match &args.contact.rho[..] {
        [] => scene,
        rho => scene.with_rho(rho).map_err(|e| CliError::Scene(Box::new(e)))?,
    };
    let stem = Path::new(name).file_stem().map(|s| s.to_string_lossy().into_owned());
    let built_in = !Path::new(name).is_file() && gallery_entry(name).is_some();
    Ok(Loaded {
        name: stem.unwrap_or_else(|| name.to_owned()),
        source: (!built_in).then(|| name.to_owned()),
        start: scene.start(),
        settings: scene.settings_for(&args.choices())?,
        parameters: scene.parameters.iter().cloned().collect(),
        units: Units::of_scene(&scene),
        scene,
    })
}

/// Refuses what a run would refuse, before any file is made.
pub(crate) fn validate(loaded: &Loaded) -> Result<(), CliError> {
    loaded.scene.model().visit(Check(loaded)).map_err(|e| refused(&loaded.scene, e))
}

/// A refusal of the library, in the words of the scene where there are any.
pub(crate) fn refused(scene: &Scene, error: stickslip::Error) -> CliError {
    scene.refused(error).into()
}

struct Check<'a>(&'a Loaded);

impl Visitor for Check<'_> {
    type Output = Result<(), stickslip::Error>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        stickslip::run::check(model, &self.0.start, &self.0.settings)
    }
}
