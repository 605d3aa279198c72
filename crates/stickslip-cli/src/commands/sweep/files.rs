//! The files of a sweep, and reading them back to resume it.

use super::collector::Crossing;
use super::figure::{Shown, figure};
use super::{Identity, Point, Status, SweepSummary};
use crate::args::Vary;
use crate::error::CliError;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stickslip::SystemInfo;
use stickslip_scene::recording::{RecordError, WholeFile, write_figure};

/// The tables of a sweep.
pub(super) struct Sheet {
    dir: PathBuf,
    sweep: String,
    crossings: String,
}

impl Sheet {
    /// Makes the directory, and sees that it can be written to.
    pub(super) fn create(
        dir: &Path,
        vary: &[Vary],
        info: &SystemInfo,
    ) -> Result<Self, RecordError> {
        drop(WholeFile::of(dir, "sweep.csv", b"")?);
        let (sweep, crossings) = headers(vary, info);
        Ok(Self { dir: dir.to_owned(), sweep, crossings })
    }

    pub(super) fn add(&mut self, point: &Point) {
        let values = cells(point.values.iter().copied());
        let (returns, period) = match point.repeats {
            Some((returns, period)) => (returns.to_string(), number(period)),
            None => (String::new(), String::new()),
        };
        let (status, n, impacts) = (point.status.name(), point.made, point.impacts);
        let worst = number(point.worst);
        let rates = cells(point.rates.iter().copied());
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.sweep,
            "{values},{status},{n},{returns},{period},{impacts},{worst},{rates}"
        );
        for c in &point.crossings {
            let since = c.since.map(number).unwrap_or_default();
            let rest = c.q.iter().chain(&c.u).chain(&c.gaps);
            let rest = cells(rest.copied());
            let _ = writeln!(self.crossings, "{values},{},{since},{rest}", number(c.t));
        }
    }

    /// Puts every file in its place, `summary.json` last.
    pub(super) fn finish(
        self,
        vary: &[Vary],
        points: &[Point],
        summary: &SweepSummary,
        shown: &Shown<'_>,
    ) -> Result<Vec<PathBuf>, CliError> {
        let figure = figure(&summary.identity, vary, points, shown);
        let mut text = serde_json::to_string_pretty(summary).map_err(std::io::Error::from)?;
        text.push('\n');
        let files = || -> Result<Vec<PathBuf>, RecordError> {
            let tables = [
                WholeFile::of(&self.dir, "sweep.csv", self.sweep.as_bytes())?,
                WholeFile::of(&self.dir, "crossings.csv", self.crossings.as_bytes())?,
            ];
            let plots = write_figure(&self.dir, "bifurcation", &figure)?;
            let summary = WholeFile::of(&self.dir, "summary.json", text.as_bytes())?;
            tables.into_iter().chain(plots).chain([summary]).map(WholeFile::commit).collect()
        };
        files().map_err(CliError::Write)
    }
}

fn headers(vary: &[Vary], info: &SystemInfo) -> (String, String) {
    let join = |parts: Vec<String>| parts.join(",") + "\n";
    let own = |names: &[&str]| names.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    let parameters = || vary.iter().map(|v| v.name.clone());
    let rates = info.coordinates.iter().map(|c| format!("{c}.rate"));
    let sweep = parameters()
        .chain(own(&["status", "crossings", "returns", "period", "impacts", "worst_certificate"]))
        .chain(rates);
    let gaps = info.contacts.iter().map(|c| format!("{}.gap", c.name));
    let crossings = parameters()
        .chain(own(&["t", "since"]))
        .chain(info.coordinates.iter().chain(&info.velocities).cloned())
        .chain(gaps);
    (join(sweep.collect()), join(crossings.collect()))
}

fn number(v: f64) -> String {
    format!("{v:?}")
}

fn cells(values: impl Iterator<Item = f64>) -> String {
    values.map(number).collect::<Vec<_>>().join(",")
}

/// Points of an earlier sweep, by the bits of their values.
#[derive(Debug, Default)]
pub(super) struct Known {
    points: std::collections::BTreeMap<Vec<u64>, Point>,
}

impl Known {
    pub(super) fn get(&self, values: &[f64]) -> Option<&Point> {
        self.points.get(&bits(values))
    }

    /// Reads the tables in `dir`; none if there are none.
    ///
    /// # Errors
    /// If they are of another sweep or cannot be read.
    pub(super) fn read(
        dir: &Path,
        vary: &[Vary],
        info: &SystemInfo,
        identity: &Identity,
    ) -> Result<Self, CliError> {
        let path = dir.join("sweep.csv");
        if !path.exists() {
            return Ok(Self::default());
        }
        same_sweep(&dir.join("summary.json"), identity)?;
        let (sweep_header, crossings_header) = headers(vary, info);
        let sweep = Table::read(&path, &sweep_header)?;
        let crossings = Table::read(&dir.join("crossings.csv"), &crossings_header)?;
        let p = vary.len();
        let mut known = Self::default();
        for row in &sweep.rows {
            let values = sweep.numbers(&row[..p])?;
            let repeats = match (row[p + 2].as_str(), &row[p + 3]) {
                ("", _) => None,
                (returns, period) => Some((sweep.count(returns)?, sweep.number(period)?)),
            };
            let status = Status::ALL.into_iter().find(|s| s.name() == row[p]);
            let point = Point {
                values: values.clone(),
                status: status.unwrap_or(Status::Failed),
                crossings: Vec::new(),
                made: sweep.count(&row[p + 1])?,
                repeats,
                rates: sweep.numbers(&row[p + 6..])?,
                impacts: sweep.count(&row[p + 4])?,
                worst: sweep.number(&row[p + 5])?,
            };
            known.points.insert(bits(&values), point);
        }
        let (f, m) = (info.coordinates.len(), info.coordinates.len() + info.velocities.len());
        for row in &crossings.rows {
            let key = bits(&crossings.numbers(&row[..p])?);
            let since = &row[p + 1];
            let since = if since.is_empty() { None } else { Some(crossings.number(since)?) };
            let rest = crossings.numbers(&row[p + 2..])?;
            if let Some(point) = known.points.get_mut(&key) {
                point.crossings.push(Crossing {
                    t: crossings.number(&row[p])?,
                    since,
                    q: rest[..f].to_vec(),
                    u: rest[f..m].to_vec(),
                    gaps: rest[m..].to_vec(),
                    own: Default::default(),
                });
            }
        }
        // A run that failed is tried again.
        known.points.retain(|_, point| point.status != Status::Failed);
        Ok(known)
    }
}

fn same_sweep(path: &Path, identity: &Identity) -> Result<(), CliError> {
    let failed = |reason: String| CliError::File { path: path.to_owned(), reason };
    let text = std::fs::read_to_string(path).map_err(|e| failed(format!("cannot be read: {e}")))?;
    let found: Identity = serde_json::from_str(&text).map_err(|e| failed(e.to_string()))?;
    if found == *identity {
        return Ok(());
    }
    let reason =
        "belongs to a sweep with other settings; give the same ones or choose another directory";
    Err(failed(reason.to_owned()))
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// A table that was read, every row as long as its header.
struct Table {
    path: PathBuf,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(path: &Path, header: &str) -> Result<Self, CliError> {
        let failed = |reason: String| CliError::File { path: path.to_owned(), reason };
        let text =
            std::fs::read_to_string(path).map_err(|e| failed(format!("cannot be read: {e}")))?;
        let mut lines = text.lines();
        if lines.next() != Some(header.trim_end()) {
            return Err(failed("belongs to another sweep; choose another directory".to_owned()));
        }
        let columns = header.split(',').count();
        let rows: Vec<Vec<String>> =
            lines.map(|line| line.split(',').map(str::to_owned).collect()).collect();
        match rows.iter().position(|row| row.len() != columns) {
            Some(i) => Err(failed(format!("line {} has not {columns} cells", i + 2))),
            None => Ok(Self { path: path.to_owned(), rows }),
        }
    }

    fn bad(&self, cell: &str) -> CliError {
        CliError::File { path: self.path.clone(), reason: format!("`{cell}` is not a number") }
    }

    fn number(&self, cell: &str) -> Result<f64, CliError> {
        cell.parse().map_err(|_| self.bad(cell))
    }

    fn count(&self, cell: &str) -> Result<usize, CliError> {
        cell.parse().map_err(|_| self.bad(cell))
    }

    fn numbers(&self, cells: &[String]) -> Result<Vec<f64>, CliError> {
        cells.iter().map(|c| self.number(c)).collect()
    }
}
