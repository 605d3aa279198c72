//! The facts as text for a person.

use crate::table::{largest, number};
use std::fmt::Write;
use stickslip_scene::answers::analysis::{Facts, LevelFacts, SolutionFacts};
use stickslip_scene::answers::slopes::SlopeFacts;

/// Solutions, contacts and slopes of a level that are shown.
const SHOWN: usize = 12;

pub(super) fn of(facts: &Facts) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match facts.t {
        Some(t) => writeln!(text, "{} at t = {t}", facts.scene),
        None => writeln!(text, "{}", facts.scene),
    };
    for line in wrapped(&facts.verdict, 96) {
        let _ = writeln!(text, "{line}");
    }
    if let Some(touching) = &facts.touching {
        let _ = writeln!(text, "\nContacts that touch");
        for t in touching {
            let _ = writeln!(
                text,
                "  {:<12} gap {:>11.3e}   opens at {:>11.3e}   slips at {:>11.3e}",
                t.name, t.gap, t.opening, t.slip
            );
        }
        if touching.is_empty() {
            let _ = writeln!(text, "  none");
        }
    }
    for level in &facts.levels {
        of_level(level, &mut text);
    }
    text
}

fn of_level(level: &LevelFacts, text: &mut String) {
    let title = match level.level {
        "acceleration" => "Forces and accelerations",
        "step" => "Impulses and velocities of a step",
        "impact" => "The impact",
        _ => "The problem",
    };
    let _ = writeln!(text, "\n{title}");
    if level.rows == 0 {
        let _ = writeln!(text, "  no contact takes part");
        return;
    }
    let many = match level.count.as_str() {
        "0" => match level.contradictions {
            Some(1) => "none: what holds for every contact contradicts itself".to_owned(),
            Some(n) => format!("none: proved by {n} cases, each of which contradicts itself"),
            None => "none".to_owned(),
        },
        "at least 0" => "none found".to_owned(),
        count => count.to_owned(),
    };
    let _ = writeln!(text, "  solutions           {many}");
    if let Some(why) = &level.because {
        let _ = writeln!(text, "  because             {why}");
    }
    if let Some(why) = &level.incomplete {
        let _ = writeln!(text, "  perhaps not all     {why}");
    }
    for (i, s) in level.solutions.iter().take(SHOWN).enumerate() {
        of_solution(level, i, s, text);
    }
    if level.solutions.len() > SHOWN {
        let all = level.solutions.len();
        let _ = writeln!(text, "  …                   {all} in all; --json prints them");
    }
    if let Some(rank) = level.rank {
        let free = level.rows - rank;
        let more = match free {
            0 => "forces follow from the motion".to_owned(),
            n => format!("{n} of {} dimensions of forces do not move anything", level.rows),
        };
        let _ = writeln!(text, "  rank of W           {rank} of {}: {more}", level.rows);
    }
    if let Some(matrix) = &level.matrix {
        let _ = writeln!(text, "  matrix              {}", matrix.name);
        for (class, verdict) in &matrix.classes {
            let _ = writeln!(text, "    {class:<22} {verdict}");
        }
        for line in &matrix.consequences {
            let _ = writeln!(text, "    for every b: {line}");
        }
    }
    if let Some(theorem) = &level.theorem {
        let _ = writeln!(text, "  theorem 1");
        for line in &theorem.text {
            let _ = writeln!(text, "    {line}");
        }
    }
    for slope in level.sensitivity.iter().take(SHOWN) {
        of_slope(level, slope, text);
    }
    for line in &level.left_out {
        let _ = writeln!(text, "  left out            {line}");
    }
}

fn of_solution(level: &LevelFacts, i: usize, s: &SolutionFacts, text: &mut String) {
    let _ = write!(text, "  solution {:<10} ", i + 1);
    let _ = match (s.dimension, s.velocity_unique) {
        (0, _) => writeln!(text, "certificate {:.1e}", s.certificate),
        (d, true) => writeln!(
            text,
            "one of a continuum of dimension {d}, all with the same motion; certificate {:.1e}",
            s.certificate
        ),
        (d, false) => writeln!(
            text,
            "one of a continuum of dimension {d} with different motions; certificate {:.1e}",
            s.certificate
        ),
    };
    let mut first = 0;
    for (c, (name, parts)) in level.contacts.iter().zip(&level.components).enumerate() {
        let range = first..first + parts.len();
        first = range.end;
        if c == SHOWN {
            let all = level.contacts.len();
            let _ = writeln!(text, "    …                 {all} contacts; --json prints them");
        }
        if c >= SHOWN {
            continue;
        }
        let list = |v: &[f64], scale: f64| {
            let pairs = parts.iter().zip(v).map(|(n, x)| format!("{n} {}", number(*x, 6, scale)));
            pairs.collect::<Vec<_>>().join("  ")
        };
        let (force, motion) = match level.level {
            "acceleration" => ("force", "acceleration"),
            _ => ("impulse", "velocity"),
        };
        let _ = writeln!(
            text,
            "    {name:<12} {:<6}  {force} {}   {motion} {}",
            s.modes[c],
            list(&s.impulse[range.clone()], largest(&s.impulse)),
            list(&s.velocity[range], level.bias.max(largest(&s.velocity)))
        );
    }
    if let Some(motion) = &s.motion {
        let scale = largest(motion.values());
        let pair = |(n, v): (&String, &f64)| format!("{n} {}", number(*v, 6, scale));
        let pairs: Vec<String> = motion.iter().map(pair).collect();
        let what = if level.level == "acceleration" { "rates of" } else { "changes of" };
        let _ = writeln!(text, "    {what} {}", pairs.join("  "));
    }
    if let Some(energy) = s.energy {
        let note = if energy > 0.0 { " (created)" } else { "" };
        let _ = writeln!(text, "    energy {energy:+.9}{note}");
    }
    if let Some(r) = s.redundancy.as_ref().filter(|r| r.dimension > 0) {
        let least = if r.decided { "" } else { "at least " };
        let _ = writeln!(text, "    forces not unique in {least}{} dimensions", r.dimension);
    }
}

fn of_slope(level: &LevelFacts, slope: &SlopeFacts, text: &mut String) {
    let side = match slope.side {
        "both" => String::new(),
        side => format!(" ({side})"),
    };
    let _ = write!(text, "  d/d{}{side}, solution {}: ", slope.of, slope.solution);
    if let Some(why) = &slope.none {
        let _ = writeln!(text, "{why}");
        return;
    }
    let list = |v: &[f64]| {
        let scale = largest(v);
        v.iter().map(|x| number(*x, 6, scale)).collect::<Vec<_>>().join("  ")
    };
    let (force, motion) = match level.level {
        "acceleration" => ("forces", "accelerations"),
        _ => ("impulses", "velocities"),
    };
    let note = if slope.impulses_unique { "" } else { " (the least)" };
    let _ = writeln!(
        text,
        "{force}{note} {}   {motion} {}",
        list(&slope.impulse),
        list(&slope.velocity)
    );
    if let Some(motion) = &slope.motion {
        let scale = largest(motion.values());
        let pair = |(n, v): (&String, &f64)| format!("{n} {}", number(*v, 6, scale));
        let pairs: Vec<String> = motion.iter().map(pair).collect();
        let what = if level.level == "acceleration" { "rates of" } else { "changes of" };
        let _ = writeln!(text, "    {what} {}", pairs.join("  "));
    }
}

/// Lines of at most `width` characters, broken between words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > width
        {
            lines.push(word.to_owned());
            continue;
        }
        if !lines[last].is_empty() {
            lines[last].push(' ');
        }
        lines[last].push_str(word);
    }
    lines
}
