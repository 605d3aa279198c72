//! `stickslip cycle`: a limit cycle and what happens in it.

use crate::args::{CycleArgs, SettingArgs};
use crate::error::{CliError, Outcome};
use crate::scene::{self, Loaded};
use crate::section::{Kind, Section};
use crate::{output, table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;
use stickslip::analysis::{self, Search, Surface, find_cycle};
use stickslip::model::Model;
use stickslip::run::Event;
use stickslip::{State, SystemInfo};
use stickslip_scene::recording::{EnergyText, StateText};
use stickslip_scene::{LocalCoordinate, Visitor};

/// What is printed. Keys that a lost search does not have are left out.
#[derive(Debug, Serialize)]
struct Answer {
    /// `found` or `lost`.
    status: &'static str,
    /// Why it was lost; else null.
    reason: Option<String>,
    #[serde(flatten)]
    found: Option<Found>,
    /// On the section: of the cycle, or where the search ended.
    state: StateText,
    /// Returns in one period, or made in vain.
    returns: usize,
    scene: String,
    parameters: BTreeMap<String, f64>,
    section: String,
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct Found {
    period: f64,
    stable: bool,
    multipliers: Vec<Multiplier>,
    drop: BTreeMap<String, f64>,
    energy: Balance,
    modes: Vec<PhaseText>,
    events: Vec<EventText>,
    residual: f64,
    settling: usize,
}

#[derive(Debug, Serialize)]
struct Multiplier {
    re: f64,
    im: f64,
    abs: f64,
}

#[derive(Debug, Serialize)]
struct Balance {
    change: EnergyText,
    friction: BTreeMap<String, f64>,
    impacts: BTreeMap<String, f64>,
    drive: BTreeMap<String, f64>,
    forces: f64,
    rest: f64,
    relative: f64,
}

#[derive(Debug, Serialize)]
struct PhaseText {
    t: f64,
    modes: BTreeMap<String, &'static str>,
}

#[derive(Debug, Serialize)]
struct EventText {
    t: f64,
    contact: String,
    event: &'static str,
    impulse_n: f64,
    impulse_t: f64,
    energy: f64,
}

pub(crate) fn run(args: &CycleArgs) -> Result<Outcome, CliError> {
    let typed =
        SettingArgs { set: args.set.clone(), impact: args.impact, ..SettingArgs::default() };
    let loaded = scene::load(&args.scene, &typed)?;
    scene::note_stop(&loaded.scene);
    scene::validate(&loaded)?;
    scene::note_idle(&loaded);
    let start = Instant::now();
    let (section, search) = search(args, &loaded)?;
    let answer = answer(loaded, section, search, start.elapsed().as_secs_f64());
    let outcome = if answer.found.is_some() { Outcome::Good } else { Outcome::NoAnswer };
    if args.json {
        output::print_json(&answer)?
    } else {
        output::print(&in_words(&answer))?
    }
    Ok(outcome)
}

fn search(args: &CycleArgs, loaded: &Loaded) -> Result<(String, Search), CliError> {
    let Loaded { scene, start, settings, .. } = loaded;
    let mut motion = settings.event_driven();
    (motion.tolerance, motion.sample_every) = (args.motion_tol, 0.0);
    let settings = analysis::cycle::Settings {
        motion,
        settle: args.settle,
        tolerance: args.tol,
        ..analysis::cycle::Settings::default()
    };
    let longest = args.longest.or(scene.run.t_end).unwrap_or(1.0);
    let cyclic = loaded.cyclic();
    let given = args.section.is_some() || args.period.is_some();
    if !given && scene.cycle.is_none() {
        let reason =
            "the scene has no [cycle] and so no section; give --section an expression, or --period";
        return Err(CliError::misuse(reason));
    }
    let section = Section::parse(args.section.as_deref(), args.period.as_deref(), scene)?;
    if let (Kind::Period(_), true) = (&section.kind, args.longest.is_some()) {
        let reason = "--longest is for sections; after a period the motion always returns";
        return Err(CliError::misuse(reason));
    }
    let find = Find { start, kind: section.kind, longest, cyclic: &cyclic, settings: &settings };
    let found = scene.model().visit(find).map_err(|error| match error {
        CliError::Model(error) => scene::refused(&loaded.scene, error),
        other => other,
    })?;
    Ok((section.name, found))
}

/// The search itself.
struct Find<'a> {
    start: &'a State,
    kind: Kind,
    longest: f64,
    cyclic: &'a [usize],
    settings: &'a analysis::cycle::Settings,
}

impl Visitor for Find<'_> {
    type Output = Result<Search, CliError>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        let Self { start, kind, longest, cyclic, settings } = self;
        Ok(match kind {
            Kind::Surface(mut surface) => {
                let mut sigma = |q: &[f64], u: &[f64], t: f64| surface.value(q, u, t);
                let surface = Surface::Section(&mut sigma, longest);
                find_cycle(model, start, surface, cyclic, settings)?
            }
            Kind::Period(period) => {
                find_cycle(model, start, Surface::Period(period), cyclic, settings)?
            }
            Kind::Event(..) => {
                let reason = "--section of a cycle is an expression, not a contact";
                return Err(CliError::misuse(reason));
            }
        })
    }
}

fn answer(loaded: Loaded, section: String, search: Search, seconds: f64) -> Answer {
    let info = loaded.scene.info();
    let (status, reason, found, state, returns) = match search {
        Search::Found(cycle) => {
            let state = StateText::new(info, &loaded.scene.observe(&cycle.state));
            (
                "found",
                None,
                Some(Found::new(info, loaded.scene.local(), &cycle)),
                state,
                cycle.returns,
            )
        }
        Search::Lost(lost) => (
            "lost",
            Some(lost.reason),
            None,
            StateText::new(info, &loaded.scene.observe(&lost.state)),
            lost.returns,
        ),
    };
    let (scene, parameters) = (loaded.name, loaded.parameters);
    Answer { status, reason, found, state, returns, scene, parameters, section, seconds }
}

impl Found {
    fn new(info: &SystemInfo, local: &[LocalCoordinate], cycle: &analysis::Cycle) -> Self {
        let names = || info.contacts.iter().map(|c| c.name.clone());
        let by_name = |values: &[f64]| names().zip(values.iter().copied()).collect();
        let e = &cycle.energy;
        let event = |e: &Event| EventText {
            t: e.t,
            contact: info.contacts.get(e.contact).map(|c| c.name.clone()).unwrap_or_default(),
            event: e.kind.name(),
            impulse_n: e.impulse[0],
            impulse_t: e.impulse[1],
            energy: e.energy,
        };
        let phase = |p: &stickslip::events::Phase| PhaseText {
            t: p.t,
            modes: names().zip(p.modes.iter().map(|m| m.name())).collect(),
        };
        let drop = |&(i, change): &(usize, f64)| Some((local.get(i)?.name.clone(), change));
        Self {
            period: cycle.period,
            stable: cycle.stable,
            multipliers: cycle
                .multipliers
                .iter()
                .map(|m| Multiplier { re: m.re, im: m.im, abs: m.re.hypot(m.im) })
                .collect(),
            drop: cycle.drop.iter().filter_map(drop).collect(),
            energy: Balance {
                change: e.change.into(),
                friction: by_name(&e.friction),
                impacts: by_name(&e.impacts),
                drive: by_name(&e.drive),
                forces: e.forces,
                rest: e.rest,
                relative: e.relative,
            },
            modes: cycle.phases.iter().map(phase).collect(),
            events: cycle.events.iter().map(event).collect(),
            residual: cycle.residual,
            settling: cycle.settling,
        }
    }
}

fn in_words(a: &Answer) -> String {
    let head = [("scene", a.scene.clone()), ("section", a.section.clone())];
    let Some(f) = &a.found else {
        let reason = a.reason.clone().unwrap_or_default();
        let made = format!("{} in {:.3} s", a.returns, a.seconds);
        return table::lines(&[&head[..], &[("no cycle", reason), ("returns", made)]].concat());
    };
    let list = |values: &BTreeMap<String, f64>, none: &str| match values.is_empty() {
        true => none.to_owned(),
        false => {
            let each = values.iter().map(|(name, v)| format!("{name} {v:+.6e}"));
            each.collect::<Vec<_>>().join(", ")
        }
    };
    let multiplier = |m: &Multiplier| match m.im {
        _ if m.abs < 1e-9 => "0".to_owned(),
        0.0 => format!("{:.6}", m.re),
        im => format!("{:.6} {im:+.6} i", m.re),
    };
    let times = if a.returns == 1 { "return" } else { "returns" };
    let multipliers = f.multipliers.iter().map(multiplier).collect::<Vec<_>>().join(", ");
    let stable = if f.stable { "stable" } else { "unstable" };
    let mut rows = head.to_vec();
    rows.extend([
        ("period", format!("{:.15} s, {} {times}", f.period, a.returns)),
        ("multipliers", format!("{multipliers} ({stable})")),
        ("change per period", list(&f.drop, "none: every coordinate comes back")),
        ("energy", format!("{:+.12e} per period", f.energy.change.total)),
        ("  friction", list(&f.energy.friction, "no contacts")),
        ("  impacts", list(&f.energy.impacts, "no contacts")),
        ("  balance", format!("{:.1e} relative", f.energy.relative)),
        ("returns to", format!("{:.1e} after {} returns to settle", f.residual, f.settling)),
        ("wall time", format!("{:.3} s", a.seconds)),
    ]);
    if f.energy.drive.values().any(|v| *v != 0.0) {
        rows.insert(8, ("  drive", list(&f.energy.drive, "no contacts")));
    }
    if f.energy.forces != 0.0 {
        rows.insert(8, ("  forces", format!("{:+.6e}", f.energy.forces)));
    }
    table::lines(&rows) + "\n" + &timeline(f)
}

/// Modes and impacts in the order of time.
fn timeline(f: &Found) -> String {
    let mut lines: Vec<(f64, String)> = Vec::new();
    // An impact comes before the modes that it leads to.
    for event in f.events.iter().filter(|e| e.event == "impact") {
        let EventText { contact, impulse_n, impulse_t, .. } = event;
        lines.push((
            event.t,
            format!("impact at {contact}, impulse {impulse_n:.3e} {impulse_t:+.3e}"),
        ));
    }
    for phase in &f.modes {
        let modes = phase.modes.iter().map(|(name, mode)| format!("{name} {mode:<6}"));
        lines.push((phase.t, modes.collect::<Vec<_>>().join("  ").trim_end().to_owned()));
    }
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut text = String::from("  t             what\n");
    for (t, what) in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {t:.10}  {what}");
    }
    text
}
