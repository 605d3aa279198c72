//! The short table at the end of a run.

use std::fmt::Write;
use stickslip::step::Integrator;
use stickslip_scene::recording::{EnergyTexts, Recording, Summary};

/// Beside a number this many times larger another one is rounding.
const ROUNDING: f64 = 1e-12;

/// What the iteration of a step is said to have left open, as a share of the velocities: more than the tolerance of its contact problems.
const SETTLED: f64 = 1e-9;

/// A number with this many decimals, or with an exponent where these would hide it. What is rounding beside `scale` is 0.
pub(crate) fn number(x: f64, decimals: usize, scale: f64) -> String {
    let plain = (1e-4..1e7).contains(&x.abs()) || x.abs() <= ROUNDING * scale || x == 0.0;
    if plain { format!("{x:.decimals$}") } else { format!("{x:.decimals$e}") }
}

/// The size of the largest of these.
pub(crate) fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(0.0, |m, v| v.abs().max(m))
}

/// Lines `name  value`, the values below each other.
pub(crate) fn lines(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, value) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<width$}  {value}");
    }
    text
}

/// What was simulated, how it went, where the files are.
pub(crate) fn of_run(summary: &Summary, recording: Option<&Recording>) -> String {
    let setting = |name: &str| summary.settings.get(name).map_or(String::new(), text_of);
    let c = &summary.counts;
    let end = match &summary.end.reason {
        Some(reason) => {
            let met = if summary.end.status == "condition" { " met" } else { "" };
            format!("{}{met} at t = {}: {reason}", summary.end.status, summary.end.t)
        }
        None => format!("{} at t = {}", summary.end.status, summary.end.t),
    };
    let per_step = 1e6 * summary.timing.total / c.steps.max(1) as f64;
    let event_driven = setting("integrator") == "event_driven";
    let integrator = match event_driven {
        true => setting("integrator"),
        false => format!("{}, dt = {}", setting("integrator"), setting("dt")),
    };
    let evaluations = if event_driven { "evaluations" } else { "of them" };
    let e = &summary.energy;
    let mut rows = vec![
        ("scene", summary.scene.clone()),
        ("integrator", integrator),
        ("contact problem", format!("{}, {}", setting("formulation"), setting("solver"))),
        ("end", end),
        ("steps", format!("{}, {} {evaluations} with contact", c.steps, c.contact_steps)),
        ("impacts", format!("{}, {} events", c.impacts, c.events)),
        (
            "energy",
            format!(
                "{:.6e} → {:.6e}, contacts {:+.6e}{}",
                e.start.total,
                e.end.total,
                e.contact_work,
                if e.force_work == 0.0 {
                    String::new()
                } else {
                    format!(", forces {:+.6e}", e.force_work)
                },
            ),
        ),
        ("worst certificate", worst(summary)),
        ("deepest penetration", depth(summary)),
        ("wall time", format!("{:.3} s, {per_step:.2} µs per step", summary.timing.total)),
    ];
    if let Some(text) = unexplained(e) {
        rows.insert(7, ("ENERGY UNEXPLAINED", text));
    }
    if e.created.impacts > 0 {
        let steps = summary.settings["integrator"] != Integrator::EventDriven.name();
        let (count, energy) = (e.created.impacts, e.created.energy);
        let text = match steps {
            true => format!("by the contacts of {count} steps, {energy:.3e} in total"),
            false => format!("by {count} impacts, {energy:.3e} in total"),
        };
        rows.insert(7, ("ENERGY CREATED", text));
    }
    if c.split_steps > 0 {
        let text = format!("{}: no certified answer for their full length", c.split_steps);
        rows.insert(5, ("STEPS SPLIT", text));
    }
    if c.missed_steps > 0 {
        let text = format!("in {} steps: no better answer was found", c.missed_steps);
        rows.insert(5, ("TOLERANCE MISSED", text));
    }
    if c.plastic_steps > 0 {
        let text = format!(
            "{}: by Newton's law jammed bodies make energy or have no answer",
            c.plastic_steps
        );
        rows.insert(5, ("NO RESTITUTION", text));
    }
    if let Some(text) = sleeping(summary) {
        rows.insert(5, ("SLEEP", text));
    }
    if c.swept_steps > 0 {
        let text = format!("{}: fast bodies meet in them", c.swept_steps);
        rows.insert(5, ("steps in parts", text));
    }
    if summary.settling > SETTLED {
        let text =
            format!("by up to {:.1e} of the largest velocity within a step", summary.settling);
        rows.insert(5, ("NOT SETTLED", text));
    }
    if let Some(moved) = &summary.start_moved {
        let (q, u) = (moved.coordinate, moved.velocity);
        let text = format!("onto its contacts, coordinates by {q:.1e}, velocities by {u:.1e}");
        rows.insert(3, ("START MOVED", text));
    }
    if let Some(moved) = &summary.start_joined {
        let (q, u) = (moved.coordinate, moved.velocity);
        rows.insert(3, ("START CHANGED", joined(q, u)));
    }
    if let Some(recording) = recording {
        rows.push(("files", format!("{} in {}", recording.files.len(), recording.dir.display())));
    }
    lines(&rows)
}

/// How many bodies sleep and how often islands woke, where sleeping was asked for: what is not exact is said.
fn sleeping(summary: &Summary) -> Option<String> {
    let (c, e) = (&summary.counts, summary.energy.sleep);
    let asked = !summary.settings["sleep"].is_null();
    asked.then(|| {
        format!(
            "{} bodies asleep at the end, islands woke {} times, {e:.1e} of kinetic energy taken: not exact",
            c.asleep, c.woken
        )
    })
}

fn text_of(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn worst(summary: &Summary) -> String {
    let c = &summary.certificate;
    let named = c.measures.iter().max_by(|a, b| a.1.value.total_cmp(&b.1.value));
    match named {
        Some((name, m)) if c.worst > 0.0 && m.value >= c.momentum => {
            let contact = m.contact.as_deref().unwrap_or("?");
            format!("{:.1e} ({name} at {contact})", c.worst)
        }
        _ if c.worst > 0.0 => format!("{:.1e} (momentum)", c.worst),
        _ => "0".to_owned(),
    }
}

fn depth(summary: &Summary) -> String {
    let d = &summary.drift;
    match &d.contact {
        Some(contact) => format!("{:.3e} ({contact}, t = {})", d.depth, d.t),
        None => "none".to_owned(),
    }
}

/// How a start was changed so that joints and constraints fit.
pub(crate) fn joined(coordinate: f64, velocity: f64) -> String {
    format!(
        "so that joints and constraints fit, coordinates by {coordinate:.1e}, velocities by {velocity:.1e}"
    )
}

/// Energy that neither contacts nor forces explain is worth a line above this share of the largest of the energies and works.
const UNEXPLAINED: f64 = 0.05;

fn unexplained(e: &EnergyTexts) -> Option<String> {
    let sizes = [e.start.total, e.start.kinetic, e.end.total, e.end.kinetic, e.contact_work];
    let size = sizes.iter().fold(e.force_work.abs(), |m, x| m.max(x.abs()));
    (e.unexplained.abs() > UNEXPLAINED * size).then(|| {
        format!(
            "{:+.3e}, by neither contacts nor forces: steps are too long, or something is moved from outside",
            e.unexplained
        )
    })
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn small_numbers_keep_their_digits_and_rounding_is_zero() {
        for (x, scale, text) in [
            (0.0, 0.0, "0.000"),
            (1.25e-8, 1.0, "1.250e-8"),
            (-1.25e-13, 1.25e-13, "-1.250e-13"),
            (1e-16, 1.0, "0.000"),
            (0.25, 1e9, "0.250"),
            (1e9, 1e9, "1.000e9"),
            (f64::INFINITY, 1.0, "inf"),
        ] {
            assert_eq!(number(x, 3, scale), text);
        }
    }
}
