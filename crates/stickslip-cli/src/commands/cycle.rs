//! `stickslip cycle`: a limit cycle and what happens in it.

use crate::args::{CycleArgs, SettingArgs};
use crate::error::{CliError, Outcome};
use crate::{output, scene, table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;
use stickslip_scene::answers::cycle::{
    CycleAnswer, CycleQuestion, EventText, Found, Multiplier, find,
};

/// What is printed.
#[derive(Debug, Serialize)]
struct Answer {
    #[serde(flatten)]
    cycle: CycleAnswer,
    scene: String,
    parameters: BTreeMap<String, f64>,
    seconds: f64,
}

pub(crate) fn run(args: &CycleArgs) -> Result<Outcome, CliError> {
    let typed =
        SettingArgs { set: args.set.clone(), impact: args.impact, ..SettingArgs::default() };
    let loaded = scene::load(&args.scene, &typed)?;
    scene::note_stop(&loaded.scene);
    scene::validate(&loaded)?;
    scene::note_idle(&loaded);
    let start = Instant::now();
    let question = CycleQuestion {
        section: args.section.clone(),
        period: args.period.clone(),
        longest: args.longest,
        tol: args.tol,
        motion_tol: args.motion_tol,
        settle: args.settle,
    };
    let cycle = find(&loaded.scene, &loaded.start, &loaded.settings, &question)?;
    let seconds = start.elapsed().as_secs_f64();
    let (scene, parameters) = (loaded.name, loaded.parameters);
    let answer = Answer { cycle, scene, parameters, seconds };
    let outcome = if answer.cycle.found.is_some() { Outcome::Good } else { Outcome::NoAnswer };
    if args.json {
        output::print_json(&answer)?
    } else {
        output::print(&in_words(&answer))?
    }
    Ok(outcome)
}

fn in_words(a: &Answer) -> String {
    let head = [("scene", a.scene.clone()), ("section", a.cycle.section.clone())];
    let Some(f) = &a.cycle.found else {
        let reason = a.cycle.reason.clone().unwrap_or_default();
        let made = format!("{} in {:.3} s", a.cycle.returns, a.seconds);
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
    let times = if a.cycle.returns == 1 { "return" } else { "returns" };
    let multipliers = f.multipliers.iter().map(multiplier).collect::<Vec<_>>().join(", ");
    let stable = if f.stable { "stable" } else { "unstable" };
    let mut rows = head.to_vec();
    rows.extend([
        ("period", format!("{:.15} s, {} {times}", f.period, a.cycle.returns)),
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
