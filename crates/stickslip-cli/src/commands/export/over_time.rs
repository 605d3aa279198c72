//! The problems of all steps of a run, solved: every unknown and its complement over time.

use super::{made, posed, stepper};
use crate::args::ExportArgs;
use crate::error::{CliError, Outcome};
use crate::scene::Loaded;
use complementarity::{Auto, MixedSolver, Problem, Solution, Solver, Status};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use stickslip::model::Model;
use stickslip_scene::Visitor;
use stickslip_scene::recording::plot::{Axis, Curves, Figure, Panel, Series};
use stickslip_scene::recording::{RecordError, WholeFile, write_figure};

/// Unknowns that are drawn, as many as a run draws coordinates.
const DRAWN: usize = 24;

/// Steps from the start to the end of the scene, and writes `unknowns.csv` with its plot.
pub(super) fn write(args: &ExportArgs, loaded: &Loaded, dir: &Path) -> Result<Outcome, CliError> {
    if args.at.is_some() || args.out.is_some() || args.kind == "contact" {
        return Err(CliError::misuse(
            "--over-time solves the problems of all steps: it goes with --as lcp or mlcp, and without --at and --out",
        ));
    }
    drop(WholeFile::of(dir, "unknowns.csv", b"").map_err(CliError::Place)?);
    let history = loaded.scene.model().visit(Steps { args, loaded })?;
    if history.names.is_empty() {
        return Err(CliError::misuse(
            "no contact takes part in any step of this scene, so that there are no problems",
        ));
    }
    let files = || -> Result<(), RecordError> {
        WholeFile::of(dir, "unknowns.csv", history.table().as_bytes())?.commit()?;
        let figure = history.figure(&loaded.scene.title);
        for file in write_figure(dir, "unknowns", &figure)? {
            file.commit()?;
        }
        Ok(())
    };
    files().map_err(CliError::Write)?;
    crate::output::print(&format!("{} steps, {}\n", history.rows.len(), dir.display()))?;
    Ok(Outcome::Good)
}

/// Every unknown with its complement at the ends of steps.
#[derive(Default)]
struct History {
    /// In the order in which they appear.
    names: Vec<String>,
    rows: Vec<(f64, BTreeMap<String, [f64; 2]>)>,
}

impl History {
    fn add(&mut self, t: f64, names: Vec<String>, solution: &Solution) {
        let mut row = BTreeMap::new();
        for (name, (&z, &w)) in names.into_iter().zip(solution.z.iter().zip(&solution.w)) {
            if !self.names.contains(&name) {
                self.names.push(name.clone());
            }
            row.insert(name, [z, w]);
        }
        self.rows.push((t, row));
    }

    /// A line per step; cells of contacts that take no part in it are empty.
    fn table(&self) -> String {
        let mut text = "t".to_owned();
        // Writing to a string cannot fail.
        for name in &self.names {
            let _ = write!(text, ",{name},{name}.complement");
        }
        text.push('\n');
        for (t, row) in &self.rows {
            let _ = write!(text, "{t:?}");
            for name in &self.names {
                match row.get(name) {
                    Some([z, w]) => drop(write!(text, ",{z:?},{w:?}")),
                    None => text.push_str(",,"),
                }
            }
            text.push('\n');
        }
        text
    }

    /// Unknowns on the left, what they are complementary to on the right.
    fn figure(&self, title: &str) -> Figure {
        let panel = |name: &String, part: usize| {
            let value = |(t, row): &(f64, BTreeMap<String, [f64; 2]>)| {
                (*t, row.get(name).map_or(f64::NAN, |pair| pair[part]))
            };
            let points = self.rows.iter().map(value).collect();
            let label = if part == 0 { name.clone() } else { "its complement".to_owned() };
            let series = vec![Series::line("", part, points)];
            Panel::Curves(Curves { x: Axis::new("t", "s"), y: Axis::new(label, ""), series })
        };
        let pairs = self.names.iter().take(DRAWN).flat_map(|name| [panel(name, 0), panel(name, 1)]);
        Figure { title: format!("{title}: unknowns of steps"), columns: 2, panels: pairs.collect() }
    }
}

struct Steps<'a> {
    args: &'a ExportArgs,
    loaded: &'a Loaded,
}

impl Visitor for Steps<'_> {
    type Output = Result<History, CliError>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        let Self { args, loaded } = self;
        let mut stepper = stepper(model, loaded)?;
        let mut state = loaded.start.clone();
        let mut auto = Auto::default();
        let mut history = History::default();
        // A last step that would be a sliver of rounding is none.
        while state.t < loaded.settings.t_end - 0.5 * loaded.settings.dt {
            let from = state.t;
            let Some((problem, names)) = made(model, &mut stepper, loaded, &mut state)? else {
                history.rows.push((state.t, BTreeMap::new()));
                continue;
            };
            let (problem, names) = posed(args, loaded, &problem, &names)?;
            let solution = match &problem {
                Problem::Lcp(p) => auto.solve(p),
                Problem::Mlcp(p) => auto.solve_mixed(p),
            };
            if solution.status != Status::Solved {
                return Err(CliError::NoAnswer(format!(
                    "the problem of the step from t = {from} is not solved: {:?}; another --formulation has other problems",
                    solution.status
                )));
            }
            history.add(state.t, names, solution);
        }
        Ok(history)
    }
}
