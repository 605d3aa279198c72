//! `stickslip run`: a scene from its start to its end, and what is left of it on the disk.

use crate::args::RunArgs;
use crate::error::{CliError, Outcome};
use crate::progress::Progress;
use crate::scene::{self, Loaded};
use crate::{interrupt, output, table};
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stickslip::contact::solve::Rho;
use stickslip::events::Section;
use stickslip::model::Model;
use stickslip::run::{End, Event, Flow, Observer, Report, Sample, Settings, run_until};
use stickslip::step::Integrator;
use stickslip_scene::Visitor;
use stickslip_scene::recording::{Facts, Recorder, Recording, StageTimer, Summary, Timing};

/// `--json`: the summary, and where the files are.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    directory: &'a Path,
    files: &'a [PathBuf],
}

pub(crate) fn run(args: &RunArgs) -> Result<Outcome, CliError> {
    let mut scene = scene::load(&args.scene, &args.settings)?;
    let settings = &mut scene.settings;
    if let Some(t_end) = args.t_end {
        // As many samples as the scene asks for, whatever the end.
        (settings.sample_dt, settings.t_end) = (settings.sample_dt * t_end / settings.t_end, t_end);
    }
    if let Some(sample_dt) = args.sample_dt {
        scene.settings.sample_dt = sample_dt;
    }
    let info = scene.scene.info().clone();
    scene::validate(&scene)?;
    if !args.quiet {
        scene::note_idle(&scene);
    }
    let dir = args.out.clone().unwrap_or_else(|| Path::new("out").join(&scene.name));
    let mut recorder = Recorder::create(&dir, &scene.scene.title, &info, scene.units.clone())
        .map_err(CliError::Place)?
        .of_model(scene.scene.model());
    let of = |text: &str| scene.scene.output(text).map_err(|e| CliError::Scene(Box::new(e)));
    for output in &scene.scene.outputs {
        let unit = output.unit.as_deref().unwrap_or_default();
        recorder.add_output(&output.name, unit, of(&output.value)?);
    }
    for plot in &scene.scene.plots {
        let (x, y) = (of(&plot.x)?, of(&plot.y)?);
        recorder.add_portrait(plot.title.as_deref(), (&plot.x, x), (&plot.y, y));
    }

    interrupt::listen();
    let quiet = args.quiet;
    let mut watched = Watched {
        recorder,
        progress: Progress::new(&scene.name, quiet),
        begin: scene.start.t,
        t_end: scene.settings.t_end,
    };
    let mut timer = StageTimer::default();
    let start = Instant::now();
    let motion = Motion { scene: &scene, observer: &mut watched, timer: &mut timer };
    let report = scene.scene.model().visit(motion);
    let total = start.elapsed().as_secs_f64();
    let Watched { recorder, progress, .. } = watched;
    progress.finish();
    let mut report = report?;
    report.state = scene.scene.observe(&report.state);

    let outcome = match report.end {
        End::Finished | End::Condition => Outcome::Good,
        End::Stopped if interrupt::asked() => Outcome::Interrupted,
        _ => Outcome::NoAnswer,
    };
    let facts = Facts {
        scene: scene.name,
        source: scene.source,
        parameters: scene.parameters,
        settings: settings_json(&scene.settings),
        samples: recorder.samples(),
        joined: scene.scene.joined(),
    };
    let mut summary = Summary::new(facts, &info, &report, Timing::of(&timer, total));
    summary.warnings = scene.scene.warnings().to_vec();
    if let (End::Condition, Some(when)) = (&report.end, &scene.scene.stop) {
        let found = match scene.settings.step.integrator {
            Integrator::EventDriven => "found as an event",
            _ => "found at the end of a step, so that it became true during that step",
        };
        summary.end.reason = Some(format!("{when}: {found}"));
    }
    let recording = recorder.finish(&summary).map_err(CliError::Write)?;
    show(args, &summary, &recording)?;
    if let (End::Failed(reason), true) = (&report.end, args.quiet && !args.json) {
        eprintln!("stickslip: {reason}");
    }
    Ok(outcome)
}

/// The run itself.
struct Motion<'a> {
    scene: &'a Loaded,
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
        run_until(model, start, settings, stop, self.observer, self.timer)
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

/// The settings with the names of the command line.
pub(crate) fn settings_json(s: &Settings) -> serde_json::Value {
    let (step, solve) = (&s.step, s.step.solve.clone().unwrap_or_default());
    let theta = match step.integrator {
        Integrator::MoreauJean { theta } => Some(theta),
        _ => None,
    };
    let rho = match &solve.rho {
        Rho::Uniform(rho) => json!(rho),
        Rho::PerContact(list) => json!(list),
        _ => json!("chosen"),
    };
    json!({
        "integrator": step.integrator.name(),
        "t_end": s.t_end,
        "dt": s.dt,
        "sample_dt": s.sample_dt,
        "formulation": solve.formulation.name(),
        "solver": solve.solver.name(),
        "directions": solve.directions,
        "rho": rho,
        "relaxation": solve.relaxation,
        "minimum_norm": solve.minimum_norm,
        "tol": solve.tolerance,
        "cases": solve.cases,
        "fall_back": solve.fall_back,
        "impact": step.impact.name(),
        "correction": step.correction,
        "theta": theta,
    })
}

/// Records, shows progress, and stops on Ctrl-C.
struct Watched {
    recorder: Recorder,
    progress: Progress,
    begin: f64,
    t_end: f64,
}

impl Observer for Watched {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        let done = sample.t - self.begin;
        self.progress.show(done, self.t_end - self.begin, |seconds| {
            format!("t = {:.4}, {:.2e} per s", sample.t, done / seconds.max(1e-9))
        });
        let flow = self.recorder.sample(sample);
        if interrupt::asked() { Flow::Stop } else { flow }
    }

    fn event(&mut self, event: &Event) {
        self.recorder.event(event);
    }
}
