//! The matrix as a Markdown table.

use super::{Cell, Outcome};
use stickslip::contact::solve::Formulation;

/// Errors below this are written as such: their digits are those of rounding.
const LEAST: f64 = 1e-9;

/// One row per model, integrator and impact law, one column per formulation; below it the reasons of refusals and failures by their numbers.
/// A cell has the largest error of the motions that were made, and the numbers of the reasons why others were not.
#[must_use]
pub fn table(cells: &[Cell]) -> String {
    let mut notes = Vec::new();
    let names: Vec<_> = Formulation::ALL.iter().map(|f| format!("`{f}`")).collect();
    let mut text = format!("| model | integrator | impact law | {} |\n", names.join(" | "));
    text.push_str(&format!("|---|---|---|{}\n", "---:|".repeat(names.len())));
    for row in cells.chunks(Formulation::ALL.len()) {
        let Some(Cell { choice, .. }) = row.first() else { continue };
        let texts: Vec<_> = row.iter().map(|c| written(c, &mut notes)).collect();
        let (model, integrator, impact) = (choice.model.name(), choice.integrator, choice.impact);
        let line = format!("| {model} | `{integrator}` | `{impact}` | {} |\n", texts.join(" | "));
        text.push_str(&line);
    }
    text.push('\n');
    for (i, note) in notes.iter().enumerate() {
        text.push_str(&format!("{}. {note}\n", i + 1));
    }
    text
}

fn written(cell: &Cell, notes: &mut Vec<String>) -> String {
    let (mut worst, mut numbers) = (None, Vec::new());
    for (motion, outcome) in &cell.outcomes {
        let note = match outcome {
            Outcome::Finished(error) => {
                worst = Some(error.max(worst.unwrap_or(0.0)));
                continue;
            }
            Outcome::Refused(error) => error.to_string(),
            Outcome::Failed(why) => format!("failed ({}): {why}", motion.name()),
        };
        let number = notes.iter().position(|n| *n == note).unwrap_or_else(|| {
            notes.push(note);
            notes.len() - 1
        });
        let number = format!("[{}]", number + 1);
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    let error = worst.map(|e| if e < LEAST { format!("< {LEAST:e}") } else { format!("{e:.0e}") });
    error.into_iter().chain(numbers).collect::<Vec<_>>().join(" ")
}
