//! The tables.

use super::judge::JUDGES;
use super::peer::METHODS;
use super::{Run, TOLERANCE};
use std::fmt::Write as _;
use stickslip_contact::ContactProblem;

/// What was printed so far, and the score by each judge.
#[derive(Default)]
pub(crate) struct Report {
    text: String,
    scores: [Score; 2],
}

#[derive(Default)]
struct Score {
    problems: usize,
    ours: usize,
    theirs: usize,
    only_ours: usize,
    only_theirs: usize,
    /// Best peer over ours, where both solve.
    ratios: Vec<f64>,
}

impl Score {
    fn count(&mut self, ours: Option<f64>, theirs: Option<f64>) {
        self.problems += 1;
        self.ours += usize::from(ours.is_some());
        self.theirs += usize::from(theirs.is_some());
        match (ours, theirs) {
            (Some(o), Some(t)) => self.ratios.push(t / o),
            (Some(_), None) => self.only_ours += 1,
            (None, Some(_)) => self.only_theirs += 1,
            (None, None) => {}
        }
    }
}

impl Report {
    /// Prints a line at once, since a run takes minutes, and keeps it.
    pub(crate) fn add(&mut self, line: &str) {
        println!("{line}");
        let _ = writeln!(self.text, "{line}");
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn head(&mut self) {
        let columns = columns();
        self.add(&format!(
            "| problem | contacts | `auto` | best peer | its time | ratio | {} |",
            columns.join(" | ")
        ));
        self.add(&format!("|---|---:|---:|---|---:|---:|{}", "---:|".repeat(columns.len())));
    }

    /// Times by our residual; both judges are counted.
    pub(crate) fn row(&mut self, name: &str, problem: &ContactProblem, runs: &[Run]) {
        let Some((ours, peers)) = runs.split_first() else { return };
        for (judge, score) in self.scores.iter_mut().enumerate() {
            score.count(ours.seconds(judge), fastest(peers, judge).map(|f| f.0));
        }
        let best = fastest(peers, 0);
        let ratio = ours.seconds(0).zip(best).map(|(o, (t, _))| format!("{:.1}", t / o));
        let cells: Vec<String> = columns().iter().map(|c| cell(peers, c)).collect();
        self.add(&format!(
            "| {name} | {} | {} | {} | {} | {} | {} |",
            problem.contacts(),
            cell_of(&[ours]),
            best.map_or("none", |(_, name)| name),
            best.map_or("–".to_owned(), |(t, _)| time(t)),
            ratio.unwrap_or("–".to_owned()),
            cells.join(" | "),
        ));
    }

    pub(crate) fn summary(&mut self) {
        let scores = std::mem::take(&mut self.scores);
        self.add("\n| judge | problems | solved by `auto` | by a peer | by `auto` alone | by a peer alone | best peer over `auto`, geometric mean | least |");
        self.add("|---|---:|---:|---:|---:|---:|---:|---:|");
        for (name, s) in JUDGES.iter().zip(scores) {
            let least = s.ratios.iter().copied().min_by(f64::total_cmp);
            self.add(&format!(
                "| {name} ≤ {TOLERANCE:e} | {} | {} | {} | {} | {} | {} | {} |",
                s.problems,
                s.ours,
                s.theirs,
                s.only_ours,
                s.only_theirs,
                geometric_mean(&s.ratios).map_or("–".to_owned(), |m| format!("{m:.2}")),
                least.map_or("–".to_owned(), |m| format!("{m:.2}")),
            ));
        }
    }
}

/// The peers' columns, each once.
fn columns() -> Vec<&'static str> {
    let mut columns: Vec<&str> = METHODS.iter().map(|m| m.column).collect();
    columns.dedup();
    columns
}

fn fastest(peers: &[Run], judge: usize) -> Option<(f64, &'static str)> {
    let timed = peers.iter().filter_map(|r| Some((r.seconds(judge)?, r.method?.name)));
    timed.min_by(|a, b| a.0.total_cmp(&b.0))
}

fn cell(peers: &[Run], column: &str) -> String {
    let of_column = |r: &&Run| r.method.is_some_and(|m| m.column == column);
    cell_of(&peers.iter().filter(of_column).collect::<Vec<_>>())
}

/// The best time by our residual, or the longest wait in vain, or how near it came.
fn cell_of(runs: &[&Run]) -> String {
    if let Some(t) = runs.iter().filter_map(|r| r.seconds(0)).min_by(f64::total_cmp) {
        return time(t);
    }
    if let Some(t) = runs.iter().filter_map(|r| r.late).max_by(f64::total_cmp) {
        return format!("> {}", time(t));
    }
    let residuals = runs.iter().flat_map(|r| &r.rungs).map(|r| r.judged[0]);
    residuals.min_by(f64::total_cmp).map_or("–".to_owned(), |r| format!("({r:.0e})"))
}

fn time(seconds: f64) -> String {
    match seconds {
        t if t < 1e-3 => format!("{:.0} µs", 1e6 * t),
        t if t < 0.1 => format!("{:.2} ms", 1e3 * t),
        t if t < 1.0 => format!("{:.0} ms", 1e3 * t),
        t => format!("{t:.1} s"),
    }
}

fn geometric_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|v| v.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_that_a_peer_alone_solves_is_counted_against_us() {
        let mut score = Score::default();
        score.count(Some(1.0), Some(4.0));
        score.count(Some(1.0), Some(1.0));
        score.count(None, Some(1.0));
        score.count(Some(1.0), None);
        score.count(None, None);
        assert_eq!((score.only_ours, score.only_theirs), (1, 1));
        assert_eq!((score.problems, score.ours, score.theirs), (5, 3, 3));
        assert!((geometric_mean(&score.ratios).unwrap() - 2.0).abs() < 1e-12);
    }
}
