//! The short table at the end of a run.

use std::fmt::Write;
use stickslip_scene::recording::{Recording, Summary};

/// A number with this many significant digits, as people write it: 0.25, 1.6e-7, 0.
pub(crate) fn number(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.abs().to_string();
    }
    let exponent = x.abs().log10().floor();
    if (-4.0..6.0).contains(&exponent) {
        let decimals = (digits as f64 - 1.0 - exponent).max(0.0) as usize;
        let text = format!("{x:.decimals$}");
        return match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
    }
    let text = format!("{x:.*e}", digits - 1);
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'))
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
        Some(reason) => format!("{} at t = {}: {reason}", summary.end.status, summary.end.t),
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
    if e.created.impacts > 0 {
        let text = format!("by {} impacts, {:.3e} in total", e.created.impacts, e.created.energy);
        rows.insert(7, ("ENERGY CREATED", text));
    }
    if c.split_steps > 0 {
        let text = format!("{}: no certified answer for their full length", c.split_steps);
        rows.insert(5, ("STEPS SPLIT", text));
    }
    if let Some(moved) = &summary.start_moved {
        let (q, u) = (moved.coordinate, moved.velocity);
        let text = format!("onto its contacts, coordinates by {q:.1e}, velocities by {u:.1e}");
        rows.insert(3, ("START MOVED", text));
    }
    if let Some(recording) = recording {
        rows.push(("files", format!("{} in {}", recording.files.len(), recording.dir.display())));
    }
    lines(&rows)
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

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn small_numbers_keep_their_digits_and_plain_ones_their_form() {
        for (x, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1e-8, "1e-8"),
            (-1.5e-7, "-1.5e-7"),
            (0.25, "0.25"),
            (-1.0 / 3.0, "-0.3333333"),
            (1234.5, "1234.5"),
            (100.0, "100"),
            (1e9, "1e9"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(x, 7), text);
        }
        assert_eq!(number(9.81, 10), "9.81");
    }
}
