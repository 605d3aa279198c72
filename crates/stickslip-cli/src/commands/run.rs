//! `stickslip run`: a scene from its start to its end, and what is left of it on the disk.

use crate::args::{Args, Command, RunArgs};
use crate::commands::keeper::Keeper;
use crate::commands::report;
use crate::error::{CliError, Outcome};
use crate::progress::Progress;
use crate::scene::{self, Loaded};
use crate::{interrupt, output, table};
use clap::Parser;
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickslip::events::Section;
use stickslip::model::Model;
use stickslip::run::{
    End, Event, Flow, Memory, Observer, PassedStep, Report, Sample, resume_until, run_until,
};
use stickslip::step::Integrator;
use stickslip_scene::recording::replay::Replay;
use stickslip_scene::recording::{
    Checkpoint, Facts, Identity, RecordError, Recorder, Recording, StageTimer, Summary, Timing,
    versions,
};
use stickslip_scene::{Visitor, settings_json};

/// Seconds between checkpoints: what they cost is then not to be seen, and what a crash costs is little.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// A run that was asked to stop waits for the end of its leg no longer than this.
const PATIENCE: Duration = Duration::from_secs(5);

/// `--json`: the summary, and where the files are.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    directory: &'a Path,
    files: &'a [PathBuf],
}

pub(crate) fn run(args: &RunArgs) -> Result<Outcome, CliError> {
    if let Some(dir) = &args.resume {
        return resume(dir, args);
    }
    let scene = load(args)?;
    let dir = args.out.clone().unwrap_or_else(|| Path::new("out").join(&scene.name));
    let open = Recorder::create;
    let (title, info, units) = (&scene.scene.title, scene.scene.info(), scene.units.clone());
    let recorder = open(&dir, title, info, units, args.format).map_err(CliError::Place)?;
    if Checkpoint::remove(&dir).map_err(CliError::Place)? && !args.quiet {
        let dir = dir.display();
        eprintln!("stickslip: the run that was interrupted in {dir} is replaced by this one");
    }
    let recorder = furnish(recorder, &scene)?;
    let identity = identity(&scene);
    carry_out(args, scene, (dir, identity, recorder), None)
}

/// Goes on with a run that left a checkpoint.
fn resume(dir: &Path, args: &RunArgs) -> Result<Outcome, CliError> {
    let (kept, fallen_back) = Checkpoint::read(dir).map_err(CliError::Place)?;
    let refuse =
        |reason: String| CliError::Place(RecordError::Checkpoint { path: dir.to_owned(), reason });
    if let Some(why) = fallen_back {
        eprintln!("stickslip: the newest checkpoint cannot be used ({why}); the one before is");
    }
    let typed = Args::try_parse_from(&kept.identity.arguments);
    let typed = typed.map_err(|e| refuse(format!("what was typed is refused: {e}")))?;
    let Command::Run(mut old) = typed.command.unwrap_or_else(Command::woodpecker) else {
        return Err(refuse("it is no run".to_owned()));
    };
    old.scene = old.scene.map(|scene| from_folder(&scene, &kept.identity.folder));
    let scene = load(&old)?;
    kept.identity.check(&identity(&scene)).map_err(refuse)?;
    let (title, info, units) = (&scene.scene.title, scene.scene.info(), scene.units.clone());
    let recorder = Recorder::reopen(dir, title, info, units, old.format);
    let mut recorder = furnish(recorder.map_err(CliError::Place)?, &scene)?;
    recorder.recall(&kept.recording).map_err(CliError::Place)?;
    let memory = Memory::from_bytes(&kept.run).map_err(|e| refuse(e.to_string()))?;
    let args = RunArgs {
        json: args.json,
        quiet: args.quiet,
        open: args.open,
        checkpoint_every: args.checkpoint_every.or(old.checkpoint_every),
        ..old
    };
    // What was typed is what the run began with, however often it is resumed.
    carry_out(&args, scene, (dir.to_owned(), kept.identity, recorder), Some(memory))
}

/// The path of a scene that was typed in a folder, as seen from here.
fn from_folder(scene: &str, folder: &str) -> String {
    let there = Path::new(folder).join(scene);
    let here = std::env::current_dir().is_ok_and(|here| here == Path::new(folder));
    if here || !there.is_file() { scene.to_owned() } else { there.display().to_string() }
}

/// The scene with its settings, found in order.
fn load(args: &RunArgs) -> Result<Loaded, CliError> {
    let name = args.scene.as_deref().unwrap_or_default();
    let mut scene = scene::load(name, &args.settings)?;
    if let (Some(threads), Some(solve)) = (args.threads, &mut scene.settings.step.solve) {
        solve.threads = threads.into();
    }
    let settings = &mut scene.settings;
    if let Some(t_end) = args.t_end {
        // As many samples as the scene asks for, whatever the end.
        (settings.sample_dt, settings.t_end) = (settings.sample_dt * t_end / settings.t_end, t_end);
    }
    if let Some(sample_dt) = args.sample_dt {
        scene.settings.sample_dt = sample_dt;
    }
    scene::validate(&scene)?;
    if !args.quiet {
        scene::note_idle(&scene);
        scene::note_step(&scene, &args.settings);
    }
    Ok(scene)
}

/// Which run it is.
fn identity(scene: &Loaded) -> Identity {
    let text = |path: std::io::Result<PathBuf>| path.unwrap_or_default().display().to_string();
    Identity {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        arguments: std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect(),
        folder: text(std::env::current_dir()),
        scene: scene.scene.sources(),
        parameters: json!(scene.parameters).to_string(),
        settings: settings_json(&scene.settings).to_string(),
    }
}

/// Tells the recorder what the scene wants recorded and drawn, and what its tables say about themselves.
fn furnish(recorder: Recorder, scene: &Loaded) -> Result<Recorder, CliError> {
    let mut recorder = recorder.of_model(scene.scene.model());
    if scene.scene.model().finds_contacts() {
        let bodies = &scene.scene.info().bodies;
        recorder.record_found_contacts(bodies).map_err(CliError::Place)?;
    }
    let of = |text: &str| scene.scene.output(text).map_err(|e| CliError::Scene(Box::new(e)));
    for output in &scene.scene.outputs {
        let unit = output.unit.as_deref().unwrap_or_default();
        recorder.add_output(&output.name, unit, of(&output.value)?);
    }
    if let Some(sensors) = scene.scene.sensors() {
        recorder.add_sensors(sensors);
    }
    for plot in &scene.scene.plots {
        let (x, y) = (of(&plot.x)?, of(&plot.y)?);
        recorder.add_portrait(plot.title.as_deref(), (&plot.x, x), (&plot.y, y));
    }
    recorder.add_replay(Replay::new(&scene.scene, &scene.units));
    recorder.describe("title", &scene.scene.title);
    recorder.describe("scene", &scene.name);
    recorder.describe("parameters", &json!(scene.parameters).to_string());
    recorder.describe("settings", &settings_json(&scene.settings).to_string());
    recorder.describe("versions", &json!(versions()).to_string());
    Ok(recorder)
}

/// Runs to the end, from the start or from a memory, and writes what is left to write.
fn carry_out(
    args: &RunArgs,
    scene: Loaded,
    (dir, identity, recorder): (PathBuf, Identity, Recorder),
    memory: Option<Memory>,
) -> Result<Outcome, CliError> {
    interrupt::listen();
    let every = args.checkpoint_every.unwrap_or(CHECKPOINT_EVERY);
    let mut watched = Watched {
        recorder,
        progress: Progress::new(&scene.name, args.quiet),
        begin: scene.start.t,
        t_end: scene.settings.t_end,
        keeper: Keeper::new(&dir, identity, every, memory.as_ref().map(Memory::t)),
        asked: None,
    };
    let mut timer = StageTimer::default();
    let start = Instant::now();
    let motion = Motion { scene: &scene, memory, observer: &mut watched, timer: &mut timer };
    let report = scene.scene.model().visit(motion);
    let total = start.elapsed().as_secs_f64();
    let Watched { recorder, progress, mut keeper, .. } = watched;
    progress.finish();
    let mut report = report?;
    report.state = scene.scene.observe(&report.state);

    let outcome = match report.end {
        End::Finished | End::Condition if report.missed_steps == 0 => Outcome::Good,
        End::Stopped if interrupt::asked() => Outcome::Interrupted,
        _ => Outcome::NoAnswer,
    };
    let summary = summarise(&scene, recorder.samples(), &report, Timing::of(&timer, total));
    let recording = keeper.check().and_then(|()| recorder.finish(&summary));
    let recording = recording.map_err(|e| {
        keeper.say_how_to_resume(false);
        CliError::Write(e)
    })?;
    if report.end != End::Stopped {
        Checkpoint::remove(&dir).map_err(CliError::Write)?;
    }
    show(args, &summary, &recording)?;
    if args.open {
        let page = stickslip_report::write_report(&dir)?;
        if !args.quiet {
            eprintln!("stickslip: the report is {}", page.display());
        }
        report::open(page);
    }
    if report.end == End::Stopped {
        keeper.say_how_to_resume(args.quiet);
    }
    if let (End::Failed(reason), true) = (&report.end, args.quiet && !args.json) {
        eprintln!("stickslip: {reason}");
    }
    Ok(outcome)
}

fn summarise(scene: &Loaded, samples: usize, report: &Report, timing: Timing) -> Summary {
    let facts = Facts {
        scene: scene.name.clone(),
        source: scene.source.clone(),
        parameters: scene.parameters.clone(),
        settings: settings_json(&scene.settings),
        samples,
        joined: scene.scene.joined(),
    };
    let mut summary = Summary::new(facts, scene.scene.info(), report, timing);
    summary.warnings = scene.scene.warnings().to_vec();
    if let (End::Condition, Some(when)) = (&report.end, &scene.scene.stop) {
        let found = match scene.settings.step.integrator {
            Integrator::EventDriven => "found as an event",
            _ => "found at the end of a step, so that it became true during that step",
        };
        summary.end.reason = Some(format!("{when}: {found}"));
    }
    summary
}

/// The run itself.
struct Motion<'a> {
    scene: &'a Loaded,
    memory: Option<Memory>,
    observer: &'a mut Watched,
    timer: &'a mut StageTimer,
}

impl Visitor for Motion<'_> {
    type Output = Result<Report, stickslip::Error>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        let Loaded { scene, start, settings, .. } = self.scene;
        let margin = scene.stop_margin();
        let mut stop = margin.map(|m| move |q: &[f64], u: &[f64], t: f64| m.value(q, u, t));
        let stop = stop.as_mut().map(|stop| stop as &mut dyn Section);
        match &self.memory {
            Some(memory) => resume_until(model, memory, settings, stop, self.observer, self.timer),
            None => run_until(model, start, settings, stop, self.observer, self.timer),
        }
    }
}

fn show(args: &RunArgs, summary: &Summary, recording: &Recording) -> Result<(), CliError> {
    if args.json {
        let Recording { dir, files } = recording;
        output::print_json(&Printed { summary, directory: dir, files })
    } else if args.quiet {
        Ok(())
    } else {
        output::print(&table::of_run(summary, Some(recording)))
    }
}

/// Records, shows progress, keeps checkpoints, and stops on Ctrl-C.
struct Watched {
    recorder: Recorder,
    progress: Progress,
    begin: f64,
    t_end: f64,
    keeper: Keeper,
    /// When it was first seen that someone asked to stop.
    asked: Option<Instant>,
}

impl Observer for Watched {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        let done = sample.t - self.begin;
        self.progress.show(done, self.t_end - self.begin, |seconds| {
            format!("t = {:.4}, {:.2e} per s", sample.t, done / seconds.max(1e-9))
        });
        let flow = self.recorder.sample(sample);
        if !interrupt::asked() {
            return flow;
        }
        // At the end of the leg there will be a checkpoint.
        let waited = self.asked.get_or_insert_with(Instant::now).elapsed();
        if waited > PATIENCE { Flow::Stop } else { flow }
    }

    fn event(&mut self, event: &Event) {
        self.recorder.event(event);
    }

    fn watches_steps(&self) -> bool {
        self.recorder.watches_steps()
    }

    fn step(&mut self, step: &PassedStep<'_>) {
        self.recorder.step(step);
    }

    fn leg(&mut self, memory: &Memory) -> Flow {
        let asked = interrupt::asked();
        let kept = self.keeper.keep(memory, asked, &mut self.recorder);
        if asked { Flow::Stop } else { kept }
    }
}
