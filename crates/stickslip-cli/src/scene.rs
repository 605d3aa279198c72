//! From what was typed to something that runs.

use crate::args::SettingArgs;
use crate::error::CliError;
use std::collections::BTreeMap;
use stickslip::models::Woodpecker;
use stickslip::run::Settings;
use stickslip::{State, System};
use stickslip_scene::recording::Units;

/// A scene with its parameters set, ready to run.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) source: Option<String>,
    pub(crate) system: Box<dyn System + Send>,
    pub(crate) start: State,
    pub(crate) settings: Settings,
    pub(crate) parameters: BTreeMap<String, f64>,
    pub(crate) units: Units,
}

/// A scene that is built in.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
}

/// What `stickslip gallery` lists.
pub(crate) const GALLERY: [Entry; 1] = [Entry {
    name: "woodpecker",
    title: "The woodpecker toy: a bird, a spring and a sleeve with play on a pole",
}];

/// Loads a scene, gives its parameters the values of `set`, and applies the settings that were typed.
pub(crate) fn load(scene: &str, args: &SettingArgs) -> Result<Loaded, CliError> {
    if scene != "woodpecker" {
        let names = GALLERY.map(|e| e.name).join(", ");
        return Err(CliError::misuse(format!(
            "`{scene}` is neither a file nor in the gallery ({names})"
        )));
    }
    let mut model = Woodpecker::default();
    for (name, value) in &args.set {
        let names = parameters(&mut model).map(|(n, _)| n).join(", ");
        match parameters(&mut model).into_iter().find(|(n, _)| n == name) {
            Some((_, slot)) => *slot = *value,
            None => {
                return Err(CliError::misuse(format!(
                    "--set {name}: the scene has no such parameter; it has {names}"
                )));
            }
        }
    }
    let parameters = parameters(&mut model).map(|(n, v)| (n.to_owned(), *v)).into();
    let system = model.system();
    let units = Units::si(system.info(), &["m", "rad", "rad"]);
    let mut settings = Settings { t_end: 1.0, dt: 1e-4, ..Settings::default() };
    apply(args, &mut settings);
    Ok(Loaded {
        name: scene.to_owned(),
        source: None,
        system: Box::new(system),
        start: Woodpecker::start(),
        settings,
        parameters,
        units,
    })
}

/// Refuses what a run would refuse, before any file is made.
pub(crate) fn validate(scene: &Loaded) -> Result<(), CliError> {
    let info = scene.system.info();
    info.validate()?;
    scene.settings.validate(scene.start.t)?;
    scene.start.validate(info)?;
    Ok(scene.settings.impact.validate(info)?)
}

fn apply(args: &SettingArgs, settings: &mut Settings) {
    let set = |slot: &mut f64, value: Option<f64>| *slot = value.unwrap_or(*slot);
    set(&mut settings.t_end, args.t_end);
    set(&mut settings.dt, args.dt);
    set(&mut settings.solve.tolerance, args.tol);
    set(&mut settings.jean.theta, args.theta);
    settings.integrator = args.integrator.unwrap_or(settings.integrator);
    settings.solve.solver = args.solver.unwrap_or(settings.solve.solver);
    settings.impact = args.impact.unwrap_or(settings.impact);
    settings.correction |= args.correction;
    settings.solve.formulation = args.formulation.unwrap_or(settings.solve.formulation);
}

fn parameters(p: &mut Woodpecker) -> [(&'static str, &mut f64); 18] {
    let [e1, e2, e3] = &mut p.eps_n;
    [
        ("r_O", &mut p.r_o),
        ("r_M", &mut p.r_m),
        ("h_M", &mut p.h_m),
        ("l_M", &mut p.l_m),
        ("l_G", &mut p.l_g),
        ("h_S", &mut p.h_s),
        ("l_S", &mut p.l_s),
        ("m_M", &mut p.m_m),
        ("m_S", &mut p.m_s),
        ("J_M", &mut p.j_m),
        ("J_S", &mut p.j_s),
        ("c_phi", &mut p.c_phi),
        ("g", &mut p.g),
        ("eps_N1", e1),
        ("eps_N2", e2),
        ("eps_N3", e3),
        ("eps_T", &mut p.eps_t),
        ("mu", &mut p.mu),
    ]
}
