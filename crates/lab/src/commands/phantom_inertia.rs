//! What \[1\] says of phantom inertia, measured: rank and condition, ρ over twelve decades, singular ρ, friction strength.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- phantom_inertia
//! cargo run --release -p stickslip-lab -- phantom_inertia --count 20
//! cargo run --release -p stickslip-lab -- phantom_inertia --write book/src/mechanics/phantom_inertia.md
//! ```

use std::error::Error;
use std::path::PathBuf;
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::{ContactSolver, Formulation, Rho, Settings, SolverChoice};
use stickslip_lab::Tables;
use stickslip_lab::phantom::{
    Comparison, Form, LINES, Lead, RANK, Strength, breakaway, chosen_rho, dips, lead_matrix,
    relative_sigma, singular_rhos, sliding, solver, support_formula, systems,
};
use stickslip_lab::plot::{LogLog, Panel, Polar};
use stickslip_lab::write_between_markers;

const HELP: &str = "\
Phantom inertia: rank and condition of its matrix beside others, what rho does, friction over the heading.

Usage: lab phantom_inertia [options]

  --count COUNT  random problems per number of contacts and of lines   [200]
  --write FILE   put the tables between the markers <!-- phantom_rank:begin -->, <!-- phantom_rho:begin -->,
                 <!-- phantom_singular:begin -->, <!-- phantom_solvers:begin -->, <!-- phantom_strength:begin -->
                 and their ends, and the plots beside the file, as phantom_inertia_*.svg

Example: lab phantom_inertia --count 20
";

type Outcome<T> = Result<T, Box<dyn Error>>;

const MU: f64 = 0.5;
const MOST_CONTACTS: usize = 4;
/// ρ over the default.
const DECADES: [f64; 9] = [1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6];
/// Quarters of a degree: the extremes of all polygons are among them.
const HEADINGS: usize = 1440;
/// Points of a scan over ρ.
const SCAN: usize = 1200;

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome<()> {
    use lexopt::prelude::*;
    let (mut count, mut write): (u64, Option<PathBuf>) = (200, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("count") => count = args.value()?.parse()?,
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let parts = [
        ("phantom_rank", ranks()?),
        ("phantom_rho", independence(count)?),
        ("phantom_singular", singular(count)?),
        ("phantom_solvers", solvers(count)?),
        ("phantom_strength", strengths()?),
    ];
    let Some(path) = write else { return Ok(()) };
    for (name, tables) in &parts {
        write_between_markers(&path, name, tables.text())?;
    }
    for (name, svg) in
        [("particle", particle_plot()?), ("tripod", tripod_plot()?), ("strength", polar_plot()?)]
    {
        let picture = path.with_file_name(format!("phantom_inertia_{name}.svg"));
        std::fs::write(&picture, svg)?;
        println!("wrote {}", picture.display());
    }
    println!("wrote {}", path.display());
    Ok(())
}

/// The systems whose matrices are looked at.
fn named() -> [(&'static str, ContactProblem); 4] {
    [
        ("particle", systems::particle(1.0, MU, 1.0, [0.8, 0.3])),
        ("tripod on elastic legs", systems::tripod(MU)),
        ("block on three points", systems::block_on_three(MU)),
        ("block on four corners", systems::block_on_four(MU, 0.0)),
    ]
}

/// (a) Rank and condition.
fn ranks() -> Outcome<Tables> {
    let mut tables = Tables::default();
    let titles = LINES.map(|k| format!("k = {k}")).join(" | ");
    tables.add(&format!("| system | W | matrix | {titles} |"));
    tables.add("|---|---|---|---:|---:|---:|---:|");
    let phantom = Formulation::PhantomInertia;
    let matrices = [
        ("phantom inertia, Schur form", phantom, None, Form::Schur),
        ("phantom inertia, mixed form", phantom, None, Form::Mixed),
        ("the same with ρ = 0, Schur form", phantom, Some(0.0), Form::Schur),
        ("the same with ρ = 0, mixed form", phantom, Some(0.0), Form::Mixed),
        ("Stewart-Trinkle, Anitescu-Potra", Formulation::StewartTrinkle, None, Form::Mixed),
    ];
    let (mut counted, mut neglected) = (f64::INFINITY, 0.0_f64);
    for (system, problem) in named() {
        let n = problem.bias().len();
        same_matrices(&problem)?;
        let w = if singular_rhos(&problem, 2).is_some() { "definite" } else { "singular" };
        for (name, formulation, rho, form) in matrices {
            let mut cells = Vec::new();
            for k in LINES {
                let matrix = lead_matrix(&problem, formulation, k, rho, form)?;
                let Some(lead) = matrix.map(|m| Lead::of(&m)) else {
                    cells.push("impossible".to_owned());
                    continue;
                };
                counted = counted.min(lead.counted);
                neglected = neglected.max(lead.neglected);
                cells.push(if lead.is_full() {
                    format!("**{} of {}**, {:.0}", lead.rank, lead.size, lead.condition)
                } else {
                    format!("{} of {}", lead.rank, lead.size)
                });
            }
            tables.add(&format!("| {system} | {n}, {w} | {name} | {} |", cells.join(" | ")));
        }
    }
    tables.add(&format!(
        "\nA singular value counts if it is above {RANK:.0e} of the largest. The smallest that counts in this table is {counted:.0e}, the largest that does not {neglected:.0e}.",
    ));
    Ok(tables)
}

/// in the contact problem the formulations of Stewart and Trinkle and of Anitescu and Potra have one matrix.
fn same_matrices(problem: &ContactProblem) -> Outcome<()> {
    for k in LINES {
        let of = |f| lead_matrix(problem, f, k, Rho::Chosen, Form::Mixed);
        if of(Formulation::StewartTrinkle)? != of(Formulation::AnitescuPotra)? {
            return Err("stewart_trinkle and anitescu_potra have different matrices".into());
        }
    }
    Ok(())
}

/// Random problems and the answers with the default ρ; those without an answer are counted.
struct References {
    problems: Vec<(ContactProblem, usize, stickslip::contact::solve::ContactSolution)>,
    failed: usize,
}

fn references(count: u64, redundant: bool, mu: f64) -> Outcome<References> {
    let mut out = References { problems: Vec::new(), failed: 0 };
    for lines in LINES {
        for contacts in 1..=MOST_CONTACTS {
            for seed in 0..count {
                let problem = systems::random(contacts, redundant, mu, seed);
                let mut solver = solver(Formulation::PhantomInertia, lines, Rho::Chosen)?;
                let answer = solver.solve(&problem);
                out.failed += usize::from(!answer.is_solved());
                out.problems.push((problem, lines, answer.clone()));
            }
        }
    }
    Ok(out)
}

/// (b) ρ over twelve decades.
fn independence(count: u64) -> Outcome<Tables> {
    let mut tables = Tables::default();
    for (redundant, mu) in [(false, 0.3), (false, 2.0), (true, 0.3)] {
        let references = references(count, redundant, mu)?;
        let w = if redundant { "singular" } else { "positive definite" };
        tables.add(&format!(
            "W {w}, μ from 0 to {mu}, {} problems, {} without an answer at the default ρ:\n",
            references.problems.len(),
            references.failed
        ));
        tables.add("| ρ over the default | certified | another certified solution | velocities differ by | impulses differ by |");
        tables.add("|---:|---:|---:|---:|---:|");
        for factor in [0.0].into_iter().chain(DECADES) {
            let mut c = Comparison::default();
            for (problem, lines, reference) in &references.problems {
                if reference.is_solved() {
                    let rho = chosen_rho(problem, *lines)?.iter().map(|r| r * factor).collect();
                    c.take(problem, *lines, Rho::PerContact(rho), reference)?;
                }
            }
            tables.add(&format!(
                "| {} | {} of {} | {} | {:.0e} | {:.0e} |",
                if factor == 0.0 { "0".to_owned() } else { format!("{factor:.0e}") },
                c.certified,
                c.problems,
                c.others,
                c.velocity,
                c.impulse
            ));
        }
        tables.add("");
    }
    Ok(tables)
}

/// (c) The singular values of ρ: where they are, and what a solver does there.
fn singular(count: u64) -> Outcome<Tables> {
    let mut tables = Tables::default();
    tables.add("| system | k | k · eig([W⁻¹]_TT), kg | dips of σ_min found | farthest from its value | σ_min/σ_max there, at most | the default ρ, kg | σ_min/σ_max |");
    tables.add("|---|---:|---|---:|---:|---:|---:|---:|");
    for (system, problem) in named() {
        for k in LINES {
            let Some(rhos) = singular_rhos(&problem, k) else { continue };
            tables.add(&singular_row(system, &problem, k, &rhos)?);
        }
    }
    let mut at_singular = Comparison::default();
    let references = references(count, false, 0.3)?;
    let solved = references.problems.iter().filter(|(_, _, answer)| answer.is_solved());
    for (problem, lines, reference) in solved {
        for rho in singular_rhos(problem, *lines).unwrap_or_default() {
            at_singular.take(problem, *lines, rho, reference)?;
        }
    }
    let c = at_singular;
    tables.add(&format!(
        "\nSolved *at* singular values of ρ (every one of {} random problems, W positive definite, μ up to 0.3): {} of {} certified, {} with another certified solution; velocities differ by {:.0e} from those at the default ρ, impulses by {:.0e}.",
        references.problems.len(), c.certified, c.problems, c.others, c.velocity, c.impulse
    ));
    Ok(tables)
}

fn singular_row(system: &str, problem: &ContactProblem, k: usize, rhos: &[f64]) -> Outcome<String> {
    let mut distinct: Vec<f64> = rhos.to_vec();
    distinct.dedup_by(|a, b| (*a - *b).abs() <= 1e-9 * *b);
    let ends = (0.3 * distinct[0], 3.0 * distinct[distinct.len() - 1]);
    let found = dips(problem, k, ends, SCAN)?;
    let from_nearest = |rho: &f64| {
        let off = |p: &f64| (rho - p).abs() / p;
        distinct.iter().map(off).fold(f64::INFINITY, f64::min)
    };
    let farthest = found.iter().map(from_nearest).fold(0.0, f64::max);
    let mut worst = 0.0_f64;
    for rho in &distinct {
        worst = worst.max(relative_sigma(problem, k, *rho)?);
    }
    let chosen = chosen_rho(problem, k)?;
    let ends = |pick: fn(f64, f64) -> f64| chosen.iter().copied().reduce(pick).unwrap_or(f64::NAN);
    let rho = match (ends(f64::min), ends(f64::max)) {
        (low, high) if high - low <= 1e-9 * high => format!("{high:.4}"),
        (low, high) => format!("{low:.4} to {high:.4}"),
    };
    let list: Vec<String> = distinct.iter().map(|r| format!("{r:.4}")).collect();
    Ok(format!(
        "| {system} | {k} | {} | {} of {} | {farthest:.0e} | {:.0e} | {rho} | {:.0e} |",
        list.join(", "),
        found.len(),
        distinct.len(),
        worst.max(f64::EPSILON),
        relative_sigma(problem, k, Rho::Chosen)?
    ))
}

/// What a full rank is worth: methods, each alone, on the same problems in each form.
fn solvers(count: u64) -> Outcome<Tables> {
    let mut tables = Tables::default();
    let below: RhoOf = |problem, k| Some(0.1 * singular_rhos(problem, k)?.first()?);
    let forms: [(&str, Formulation, RhoOf); 4] = [
        ("the default ρ", Formulation::PhantomInertia, |_, _| None),
        ("ρ a tenth of the least singular value", Formulation::PhantomInertia, below),
        ("ρ = 0", Formulation::PhantomInertia, |_, _| Some(0.0)),
        ("Stewart-Trinkle", Formulation::StewartTrinkle, |_, _| None),
    ];
    tables.add(&format!("| method alone | {} |", forms.map(|f| f.0).join(" | ")));
    tables.add("|---|---:|---:|---:|---:|");
    for choice in METHODS {
        let mut cells = Vec::new();
        for (_, formulation, rho) in forms {
            let (mut solved, mut all) = (0, 0);
            for k in LINES {
                for (contacts, seed) in
                    (1..=MOST_CONTACTS).flat_map(|c| (0..count).map(move |seed| (c, seed)))
                {
                    let problem = systems::random(contacts, false, 0.3, seed);
                    let chosen = solver(formulation, k, rho(&problem, k))?;
                    let settings = Settings { solver: choice, ..chosen.settings().clone() };
                    let mut solver = ContactSolver::new(settings)?;
                    solved += usize::from(solver.solve(&problem).is_solved());
                    all += 1;
                }
            }
            cells.push(format!("{solved} of {all}"));
        }
        tables.add(&format!("| `{choice}` | {} |", cells.join(" | ")));
    }
    Ok(tables)
}

type RhoOf = fn(&ContactProblem, usize) -> Option<f64>;

const METHODS: [SolverChoice; 5] = [
    SolverChoice::Lemke,
    SolverChoice::PrincipalPivoting,
    SolverChoice::Newton,
    SolverChoice::InteriorPoint,
    SolverChoice::Pgs,
];

/// (d) Friction over the heading.
fn strengths() -> Outcome<Tables> {
    let mut tables = Tables::default();
    tables.add("| polygon | k | headings certified | while sliding: weakest, strongest | largest difference from the support function | friction aside of the slip by up to | holds a push: weakest, strongest | formula |");
    tables.add("|---|---:|---:|---|---:|---:|---|---|");
    for (name, formulation) in POLYGONS {
        for k in LINES {
            let slides = sliding(formulation, k, HEADINGS)?;
            let holds = breakaway(formulation, k, HEADINGS)?;
            let off = slides
                .iter()
                .map(|s| (s.against - support_formula(formulation, k, s.heading)).abs());
            let aside = slides.iter().map(|s| s.aside.to_degrees()).fold(0.0, f64::max);
            let extreme = (0.5 * std::f64::consts::PI / k as f64).cos();
            let formula = if formulation == Formulation::PhantomInertia {
                format!("1 to 1/cos(π/{}) = {:.4}", 2 * k, extreme.recip())
            } else {
                format!("cos(π/{}) = {extreme:.4} to 1", 2 * k)
            };
            tables.add(&format!(
                "| {name} | {k} | {} of {HEADINGS} | {} | {:.0e} | {aside:.1}° | {} | {formula} |",
                slides.len(),
                ends(&slides),
                off.fold(0.0, f64::max),
                ends(&holds)
            ));
        }
    }
    Ok(tables)
}

const POLYGONS: [(&str, Formulation); 2] = [
    ("circumscribed (phantom inertia)", Formulation::PhantomInertia),
    ("inscribed (Stewart-Trinkle)", Formulation::StewartTrinkle),
];

fn ends(all: &[Strength]) -> String {
    let (low, high) =
        all.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), s| (a.min(s.against), b.max(s.against)));
    format!("{low:.4}, {high:.4}")
}

fn polar_plot() -> Outcome<String> {
    let mut panels = Vec::new();
    for k in LINES {
        let mut curves = Vec::new();
        for (_, formulation) in POLYGONS {
            let curve = sliding(formulation, k, HEADINGS)?;
            curves.push(curve.iter().map(|s| (s.heading, s.against)).collect());
        }
        panels.push(Panel { title: format!("k = {k} lines, {} sides", 2 * k), curves });
    }
    let plot = Polar {
        title: "Friction against the slip, over μ Λ_N".to_owned(),
        names: POLYGONS.map(|p| p.0.to_owned()).to_vec(),
        circle: "disc".to_owned(),
        panels,
        scale: vec![0.5, 1.0, 1.5],
        largest: 1.5,
    };
    Ok(plot.to_svg())
}

/// σ_min over ρ, with points that close in on the singular values.
fn sigma_curve(problem: &ContactProblem, k: usize, ends: (f64, f64)) -> Outcome<Vec<(f64, f64)>> {
    let mut rhos: Vec<f64> =
        (0..400).map(|i| ends.0 * (ends.1 / ends.0).powf(f64::from(i) / 399.0)).collect();
    for rho in singular_rhos(problem, k).unwrap_or_default() {
        for i in 4..20 {
            let aside = 10.0_f64.powf(-0.5 * f64::from(i));
            rhos.extend([rho * (1.0 - aside), rho * (1.0 + aside)]);
        }
    }
    rhos.sort_by(f64::total_cmp);
    let mut curve = Vec::with_capacity(rhos.len());
    for rho in rhos {
        curve.push((rho, relative_sigma(problem, k, rho)?));
    }
    Ok(curve)
}

fn particle_plot() -> Outcome<String> {
    let mut plot = LogLog {
        title: "A particle of 1 kg: the matrix is singular at ρ = k m".to_owned(),
        x: "ρ, kg".to_owned(),
        y: "σ_min / σ_max".to_owned(),
        ..LogLog::default()
    };
    let problem = systems::particle(1.0, MU, 1.0, [0.8, 0.3]);
    for k in LINES {
        let curve = sigma_curve(&problem, k, (1e-3, 1e2))?;
        plot.curves.push((
            format!("k = {k} (dip at {k}, chosen {:.3})", chosen_rho(&problem, k)?[0]),
            curve,
        ));
    }
    Ok(plot.to_svg())
}

fn tripod_plot() -> Outcome<String> {
    let (problem, k) = (systems::tripod(MU), 4);
    let rhos = singular_rhos(&problem, k).unwrap_or_default();
    let plot = LogLog {
        title: "Three feet on elastic legs, k = 4".to_owned(),
        x: "ρ, kg".to_owned(),
        y: "σ_min / σ_max".to_owned(),
        curves: vec![("phantom inertia".to_owned(), sigma_curve(&problem, k, (1e-3, 1e2))?)],
        marks: vec![
            ("k · eig([W⁻¹]_TT)".to_owned(), rhos),
            ("the chosen ones".to_owned(), chosen_rho(&problem, k)?),
        ],
        ..LogLog::default()
    };
    Ok(plot.to_svg())
}
