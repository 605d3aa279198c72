//! `stickslip analyze`: which solutions a state or a problem has, and why.

mod map;
mod words;

use crate::args::{AnalyzeArgs, LimitArgs, SettingArgs};
use crate::commands::solve::{Input, problem, read};
use crate::error::{CliError, Outcome};
use crate::output;
use crate::scene::{self, Loaded};
use std::path::Path;
use stickslip::State;
use stickslip::analysis::state::{Settings, StateAnalysis};
use stickslip::contact::ContactProblem;
use stickslip::contact::analysis::report::{self, Analysis};
use stickslip::model::Model;
use stickslip::run::{End, Report};
use stickslip_scene::Visitor;
use stickslip_scene::answers::analysis::{Facts, LevelFacts, levels};
use stickslip_scene::answers::slopes;

pub(crate) fn run(args: &AnalyzeArgs) -> Result<Outcome, CliError> {
    if is_problem(&args.input) {
        return of_problem(args);
    }
    if !args.map.is_empty() {
        return map::run(args);
    }
    of_scene(args)
}

fn is_problem(input: &str) -> bool {
    let extension = Path::new(input).extension().and_then(|e| e.to_str());
    input == "-" || matches!(extension, Some("json" | "hdf5" | "h5"))
}

fn of_problem(args: &AnalyzeArgs) -> Result<Outcome, CliError> {
    let only_scenes =
        !args.set.is_empty() || !args.state.is_empty() || !args.map.is_empty() || args.at.is_some();
    if only_scenes {
        return Err(CliError::misuse(
            "--at, --set, --state and --map are for scenes; a problem file has no time, parameters or state",
        ));
    }
    let path = Path::new(&args.input);
    let problem: ContactProblem = match problem(path, read(path)?)? {
        Input::Contact(problem) => problem,
        Input::Linear(_) => {
            return Err(CliError::misuse(
                "analyze is for contact problems and scenes; an LCP or MLCP has no contacts",
            ));
        }
    };
    let settings = settings(&args.limits, None);
    settings.validate()?;
    let analysis = Analysis::of(&problem, &settings.report)?;
    let names: Vec<String> = (0..problem.contacts()).map(|i| i.to_string()).collect();
    let mut level = LevelFacts::of_problem(&problem, &analysis, &names);
    level.sensitivity = slopes::of_problem(&problem, &analysis, &args.sensitivity)?;
    let facts = Facts::of_problem(&args.input, level);
    show(args, &facts)
}

fn of_scene(args: &AnalyzeArgs) -> Result<Outcome, CliError> {
    let mut loaded = load(args, &[])?;
    scene::note_idle(&loaded);
    if args.at.is_some() {
        scene::note_stop(&loaded.scene);
    }
    let settings = settings(&args.limits, Some(&loaded));
    let state = state(args, &mut loaded)?;
    let analysis = loaded.scene.model().visit(Analyse { state: &state, settings: &settings })?;
    let mut facts = Facts::of_state(&loaded.scene.title, loaded.scene.info(), &analysis);
    for (level, posed) in facts.levels.iter_mut().zip(levels(&analysis)) {
        level.sensitivity = slopes::of_scene(&loaded.scene, &state, posed, &args.sensitivity)?;
    }
    show(args, &facts)
}

/// The analysis itself.
struct Analyse<'a> {
    state: &'a State,
    settings: &'a Settings,
}

impl Visitor for Analyse<'_> {
    type Output = Result<StateAnalysis, stickslip::Error>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        StateAnalysis::of(model, self.state, self.settings)
    }
}

/// The run to a state.
struct Reach<'a> {
    start: &'a State,
    settings: &'a stickslip::run::Settings,
}

impl Visitor for Reach<'_> {
    type Output = Result<Report, stickslip::Error>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        stickslip::run::run(model, self.start, self.settings, &mut (), &mut ())
    }
}

fn show(args: &AnalyzeArgs, facts: &Facts) -> Result<Outcome, CliError> {
    if args.json {
        output::print_json(facts)?;
    } else if !args.quiet {
        output::print(&words::of(facts))?;
    }
    let complete = facts.levels.iter().all(|l| l.complete && l.left_out.is_empty());
    Ok(if complete { Outcome::Good } else { Outcome::NoAnswer })
}

/// The scene with its parameters, those of `over` last.
fn load(args: &AnalyzeArgs, over: &[(String, f64)]) -> Result<Loaded, CliError> {
    let set = args.set.iter().chain(over).cloned().collect();
    let mut loaded = scene::load(&args.input, &SettingArgs { set, ..SettingArgs::default() })?;
    loaded.settings.dt = args.limits.dt.unwrap_or(loaded.settings.dt);
    Ok(loaded)
}

/// The state to be analysed: the start, or what is reached at a time, with what --state changes.
fn state(args: &AnalyzeArgs, loaded: &mut Loaded) -> Result<State, CliError> {
    let mut state = loaded.start.clone();
    if let Some(t) = args.at.filter(|&t| t != state.t) {
        if t < state.t {
            let start = state.t;
            return Err(CliError::misuse(format!(
                "--at is {t}, before the start of the scene at t = {start}; choose a later time"
            )));
        }
        let Loaded { scene, settings, .. } = loaded;
        settings.t_end = t;
        settings.sample_dt = settings.sample_dt.min(t.abs());
        let report = scene.model().visit(Reach { start: &state, settings })?;
        if let End::Failed(reason) = report.end {
            let at = report.state.t;
            return Err(CliError::misuse(format!(
                "the run to t = {t} ends at t = {at}: {reason}; choose a time before it"
            )));
        }
        state = report.state;
    }
    for (name, value) in &args.state {
        *loaded.scene.entry(&mut state, name)? = *value;
    }
    Ok(state)
}

fn settings(limits: &LimitArgs, loaded: Option<&Loaded>) -> Settings {
    let default = Settings::default();
    let dt = loaded.map_or(default.dt, |l| l.settings.dt);
    let mut report = report::Settings::default();
    let s = &mut report.solutions;
    s.max_contacts = limits.max_contacts.unwrap_or(s.max_contacts);
    s.max_nodes = limits.max_nodes.unwrap_or(s.max_nodes);
    s.tolerance = limits.tol.unwrap_or(s.tolerance);
    Settings {
        gap: limits.gap.unwrap_or(default.gap),
        speed: limits.speed.unwrap_or(default.speed),
        dt: limits.dt.unwrap_or(dt),
        still: default.still,
        report,
    }
}
