//! The number of solutions over two parameters, coordinates or velocities.

use super::{load, settings, state};
use crate::args::{AnalyzeArgs, SettingArgs, Vary};
use crate::error::{CliError, Outcome};
use crate::progress::Progress;
use crate::scene::Loaded;
use crate::{interrupt, output, table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickslip::State;
use stickslip::analysis::state::{Settings, touching};
use stickslip::contact::ContactProblem;
use stickslip::contact::analysis::solutions::{self, Count, all_solutions};
use stickslip::level::{Level, pose};
use stickslip::model::Model;
use stickslip_scene::Visitor;
use stickslip_scene::recording::WholeFile;
use stickslip_scene::recording::plot::{Axis, Figure, Map, Panel, Series};

/// The most cells of a map.
const MOST_CELLS: usize = 4_000_000;

/// The colours of 0, 1, 2, 3, 4 and more, infinitely many, and undecided.
const COLOURS: [(&str, (u8, u8, u8)); 7] = [
    ("none", (213, 94, 0)),
    ("1", (225, 236, 244)),
    ("2", (86, 180, 233)),
    ("3", (0, 158, 115)),
    ("4 or more", (204, 121, 167)),
    ("infinite", (240, 228, 66)),
    ("not decided", (120, 120, 120)),
];

/// `map.json`, and what --json prints.
#[derive(Debug, Serialize)]
struct Summary {
    /// `finished` or `stopped`.
    status: &'static str,
    scene: String,
    level: String,
    axes: Vec<AxisFacts>,
    /// Cells by the number of solutions.
    counts: BTreeMap<&'static str, usize>,
    boundary: Option<String>,
    seconds: f64,
    files: Vec<PathBuf>,
}

#[derive(Debug, Serialize)]
struct AxisFacts {
    name: String,
    from: f64,
    to: f64,
    count: usize,
}

/// One row of the map: of each cell the index into `COLOURS`, and the value of the boundary's expression.
type Line = Vec<(usize, f64)>;

pub(super) fn run(args: &AnalyzeArgs) -> Result<Outcome, CliError> {
    let [x, y] = axes(args)?;
    let start = std::time::Instant::now();
    let mut first = load(args, &[])?;
    crate::scene::note_idle(&first);
    if args.at.is_some() {
        crate::scene::note_stop(&first.scene);
    }
    // Misuse is found before any work is done.
    cell(args, &mut first, [x, y], [x.from, y.from])?;
    let dir =
        args.out.clone().unwrap_or_else(|| Path::new("out").join(format!("{}-map", first.name)));
    std::fs::create_dir_all(&dir).map_err(|e| CliError::File {
        path: dir.clone(),
        reason: format!("cannot be made: {e}"),
    })?;
    interrupt::listen();
    let lines = work(args, [x, y])?;
    let stopped = lines.iter().any(Option::is_none);
    let mut counts = BTreeMap::new();
    for (index, _) in lines.iter().flatten().flatten() {
        *counts.entry(COLOURS[*index].0).or_insert(0) += 1;
    }
    let facts =
        |v: &Vary| AxisFacts { name: v.name.clone(), from: v.from, to: v.to, count: v.count };
    let mut summary = Summary {
        status: if stopped { "stopped" } else { "finished" },
        scene: first.scene.title.clone(),
        level: args.level.clone(),
        axes: vec![facts(x), facts(y)],
        counts,
        boundary: args.boundary.clone(),
        seconds: start.elapsed().as_secs_f64(),
        files: Vec::new(),
    };
    write(args, &first, [x, y], &lines, &dir, &mut summary)?;
    if args.json {
        output::print_json(&summary)?;
    } else if !args.quiet {
        let counts: Vec<String> =
            summary.counts.iter().map(|(name, n)| format!("{name}: {n}")).collect();
        output::print(&table::lines(&[
            ("scene", summary.scene.clone()),
            (
                "map",
                format!("{} × {}, {} × {} cells, {}", x.name, y.name, x.count, y.count, args.level),
            ),
            ("solutions", counts.join(", ")),
            ("wall time", format!("{:.2} s", summary.seconds)),
            ("files", format!("{} in {}", summary.files.len(), dir.display())),
        ]))?;
    }
    Ok(match (stopped, summary.counts.contains_key(COLOURS[6].0)) {
        (true, _) => Outcome::Interrupted,
        (false, true) => Outcome::NoAnswer,
        (false, false) => Outcome::Good,
    })
}

fn axes(args: &AnalyzeArgs) -> Result<[&Vary; 2], CliError> {
    let [x, y] = args.map.as_slice() else {
        return Err(CliError::misuse("--map is given twice, once for each axis"));
    };
    if x.name == y.name {
        return Err(CliError::misuse("the two --map name the same thing"));
    }
    if x.count < 2 || y.count < 2 {
        return Err(CliError::misuse("a map has at least 2 values along each axis"));
    }
    if x.count.saturating_mul(y.count) > MOST_CELLS {
        return Err(CliError::misuse(format!("a map has at most {MOST_CELLS} cells")));
    }
    Ok([x, y])
}

/// All rows, each `None` if Ctrl-C came before it.
fn work(args: &AnalyzeArgs, [x, y]: [&Vary; 2]) -> Result<Vec<Option<Line>>, CliError> {
    let rows: Vec<f64> = y.values().collect();
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Line>>> = Mutex::new(vec![None; rows.len()]);
    let failure: Mutex<Option<CliError>> = Mutex::new(None);
    let progress = Mutex::new(Progress::new("map", args.quiet));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(rows.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let row = next.fetch_add(1, Ordering::Relaxed);
                    if row >= rows.len() || interrupt::asked() {
                        return;
                    }
                    match line(args, [x, y], rows[row]) {
                        Ok(cells) => {
                            if let Ok(mut all) = results.lock() {
                                all[row] = Some(cells);
                            }
                        }
                        Err(error) => {
                            if let Ok(mut failure) = failure.lock() {
                                failure.get_or_insert(error);
                            }
                            next.store(rows.len(), Ordering::Relaxed);
                            return;
                        }
                    }
                    if let Ok(mut progress) = progress.try_lock() {
                        let all = rows.len();
                        progress.show(row as f64 + 1.0, all as f64, |s| {
                            format!(
                                "{:.0} cells/s",
                                (row + 1) as f64 * x.count as f64 / s.max(1e-9)
                            )
                        });
                    }
                }
            });
        }
    });
    if let Ok(progress) = progress.into_inner() {
        progress.finish();
    }
    if let Ok(Some(error)) = failure.into_inner() {
        return Err(error);
    }
    Ok(results.into_inner().unwrap_or_default())
}

fn line(args: &AnalyzeArgs, axes: [&Vary; 2], second: f64) -> Result<Line, CliError> {
    let base = load(args, &[])?;
    let mut out = Vec::with_capacity(axes[0].count);
    for first in axes[0].values() {
        let mut loaded = base_with(args, &base, axes, [first, second])?;
        out.push(cell(args, &mut loaded, axes, [first, second])?);
    }
    Ok(out)
}

/// The scene with those axes that are parameters at their values.
fn base_with(
    args: &AnalyzeArgs,
    base: &Loaded,
    axes: [&Vary; 2],
    values: [f64; 2],
) -> Result<Loaded, CliError> {
    let over: Vec<(String, f64)> = axes
        .iter()
        .zip(values)
        .filter(|(axis, _)| base.parameters.contains_key(&axis.name))
        .map(|(axis, v)| (axis.name.clone(), v))
        .collect();
    let set = SettingArgs { set: over, dt: args.limits.dt, ..SettingArgs::default() };
    crate::scene::prepare(&base.scene, &args.input, &set)
}

/// The number of solutions of one cell, as an index into `COLOURS`, and the boundary's value there.
fn cell(
    args: &AnalyzeArgs,
    loaded: &mut Loaded,
    axes: [&Vary; 2],
    values: [f64; 2],
) -> Result<(usize, f64), CliError> {
    let mut at = state(args, loaded)?;
    for (axis, value) in axes.iter().zip(values) {
        if loaded.parameters.contains_key(&axis.name) {
            continue;
        }
        *loaded
            .scene
            .entry(&mut at, &axis.name)
            .map_err(|unknown| CliError::misuse(format!("{unknown}; nor is it a parameter")))? =
            value;
    }
    let limits = settings(&args.limits, Some(loaded));
    limits.validate()?;
    let count = count(args, loaded, &at, &limits)?;
    let boundary = match &args.boundary {
        Some(text) => {
            let f = loaded.scene.function(text).map_err(|e| CliError::Scene(Box::new(e)))?;
            f.value(&at.q, &at.u, at.t)
        }
        None => f64::NAN,
    };
    Ok((count, boundary))
}

/// The problem of the contacts that touch.
struct Touching<'a> {
    at: &'a State,
    limits: &'a Settings,
    level: Level,
}

impl Visitor for Touching<'_> {
    type Output = Result<ContactProblem, stickslip::Error>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        let Self { at, limits, level } = self;
        let mut touching = touching(model, at, limits.gap)?;
        if matches!(level, Level::Acceleration(_)) {
            touching.retain(|t| t.opening().is_none_or(|speed| speed <= limits.speed));
        }
        let contacts: Vec<usize> = touching.iter().map(|t| t.contact).collect();
        pose(model, at, &contacts, level)
    }
}

/// Contacts that touch take part, and on the level of accelerations those that rest.
fn count(
    args: &AnalyzeArgs,
    loaded: &mut Loaded,
    at: &State,
    limits: &Settings,
) -> Result<usize, CliError> {
    let level = match args.level.as_str() {
        "step" => Level::Step(limits.dt),
        "impact" => Level::Impact,
        _ => Level::Acceleration(limits.still),
    };
    let problem = loaded.scene.model().visit(Touching { at, limits, level })?;
    let search = solutions::Settings { proof: false, ..limits.report.solutions.clone() };
    Ok(match all_solutions(&problem, &search)?.count() {
        Count::Exactly(n) => n.min(4),
        Count::Infinite => 5,
        Count::AtLeast(_) => 6,
    })
}

fn write(
    args: &AnalyzeArgs,
    first: &Loaded,
    [x, y]: [&Vary; 2],
    lines: &[Option<Line>],
    dir: &Path,
    summary: &mut Summary,
) -> Result<(), CliError> {
    let figure = figure(args, first, [x, y], lines);
    let drawn = |e: &dyn std::fmt::Display| CliError::File {
        path: dir.to_owned(),
        reason: format!("the map cannot be drawn: {e}"),
    };
    let svg = figure.to_svg().map_err(|e| drawn(&e))?;
    let png = figure.to_png().map_err(|e| drawn(&e))?;
    let mut csv = format!("{},{},solutions\n", x.name, y.name);
    for (second, line) in y.values().zip(lines) {
        for (first, (index, _)) in x.values().zip(line.iter().flatten()) {
            csv += &format!("{first},{second},{}\n", COLOURS[*index].0);
        }
    }
    let mut put = |name: &str, bytes: &[u8]| -> Result<(), CliError> {
        let file = WholeFile::of(dir, name, bytes).map_err(CliError::Write)?;
        summary.files.push(file.commit().map_err(CliError::Write)?);
        Ok(())
    };
    put("map.csv", csv.as_bytes())?;
    put("map.svg", svg.as_bytes())?;
    put("map.png", &png)?;
    summary.files.push(dir.join("map.json"));
    let text = serde_json::to_string_pretty(summary).map_err(std::io::Error::from)?;
    let file = WholeFile::of(dir, "map.json", text.as_bytes()).map_err(CliError::Write)?;
    file.commit().map(drop).map_err(CliError::Write)
}

fn figure(
    args: &AnalyzeArgs,
    first: &Loaded,
    [x, y]: [&Vary; 2],
    lines: &[Option<Line>],
) -> Figure {
    let used: Vec<usize> = {
        let seen = |i: &usize| lines.iter().flatten().flatten().any(|c| c.0 == *i);
        (0..COLOURS.len()).filter(seen).collect()
    };
    let shown = |i: usize| used.iter().position(|&u| u == i).unwrap_or(usize::MAX);
    let cells = lines
        .iter()
        .flat_map(|line| match line {
            Some(line) => line.iter().map(|c| shown(c.0)).collect::<Vec<_>>(),
            None => vec![usize::MAX; x.count],
        })
        .collect();
    let curves = match &args.boundary {
        Some(text) => {
            vec![Series::path(format!("{text} = 0"), 6, zero_line([x, y], lines))]
        }
        None => Vec::new(),
    };
    // Cells lie around their values.
    let half = |v: &Vary| 0.5 * (v.to - v.from) / (v.count - 1) as f64;
    let range = |v: &Vary| (v.from - half(v), v.to + half(v));
    let map = Map {
        x: Axis::new(x.name.clone(), ""),
        y: Axis::new(y.name.clone(), ""),
        x_range: range(x),
        y_range: range(y),
        columns: x.count,
        cells,
        legend: used.iter().map(|&i| (COLOURS[i].0.to_owned(), COLOURS[i].1)).collect(),
        curves,
    };
    let title = format!("{}: number of solutions, {}", first.scene.title, args.level);
    Figure { title, columns: 1, panels: vec![Panel::Map(map)] }
}

/// Where the boundary's value changes its sign between neighbours, along both directions of the grid; points that are not
/// neighbours are kept apart by one that is not finite.
fn zero_line([x, y]: [&Vary; 2], lines: &[Option<Line>]) -> Vec<(f64, f64)> {
    let (xs, ys): (Vec<f64>, Vec<f64>) = (x.values().collect(), y.values().collect());
    let value = |i: usize, j: usize| {
        lines.get(j).and_then(Option::as_ref).and_then(|l| l.get(i)).map_or(f64::NAN, |c| c.1)
    };
    let mut points = Vec::new();
    let gap = (f64::NAN, f64::NAN);
    for j in 0..ys.len() - 1 {
        for i in 0..xs.len() - 1 {
            let corner = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
            let mut cut = Vec::new();
            for k in 0..4 {
                let (a, b) = (corner[k], corner[(k + 1) % 4]);
                let (fa, fb) = (value(a.0, a.1), value(b.0, b.1));
                // A pole changes its sign as well, with large values on both sides.
                let crosses = fa.is_finite() && fb.is_finite() && (fa < 0.0) != (fb < 0.0);
                if crosses {
                    let s = fa / (fa - fb);
                    let between = |p: f64, q: f64| p + s * (q - p);
                    cut.push((between(xs[a.0], xs[b.0]), between(ys[a.1], ys[b.1])));
                }
            }
            if let [a, b] = cut[..] {
                points.extend([a, b, gap]);
            }
        }
    }
    points
}
