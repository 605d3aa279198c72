//! What the size of phantom inertia does: the same solutions, singular values, methods.

use super::super::{
    Comparison, LINES, chosen_rho, dips, relative_sigma, singular_rhos, solver, systems,
};
use super::{MU, check_lines, named};
use crate::plot::LogLog;
use crate::{Error, Study, StudyReport};
use serde_json::json;
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::{
    ContactSolution, ContactSolver, Formulation, Rho, Settings, SolverChoice,
};

/// Whether answers depend on phantom inertia, where its matrix is singular, and which methods notice.
#[derive(Clone, Debug)]
pub struct RhoStudy {
    /// Numbers of lines k; polygons have 2 k corners.
    pub lines: Vec<usize>,
    /// Random problems per number of contacts and of lines.
    pub count: usize,
    /// The most contacts of a random problem.
    pub contacts: usize,
    /// ρ over the default.
    pub factors: Vec<f64>,
}

impl Default for RhoStudy {
    fn default() -> Self {
        let factors = vec![0.0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6];
        Self { lines: LINES.to_vec(), count: 200, contacts: 4, factors }
    }
}

/// Points of a scan over ρ.
const SCAN: usize = 1200;
/// Random problems: whether W is singular, and the largest μ.
const KINDS: [(bool, f64); 3] = [(false, 0.3), (false, 2.0), (true, 0.3)];

const METHODS: [SolverChoice; 5] = [
    SolverChoice::Lemke,
    SolverChoice::PrincipalPivoting,
    SolverChoice::Newton,
    SolverChoice::InteriorPoint,
    SolverChoice::Pgs,
];

/// Random problems and the answers with the default ρ; those without an answer are counted.
struct References {
    problems: Vec<(ContactProblem, usize, ContactSolution)>,
    failed: usize,
}

impl Study for RhoStudy {
    fn run(&self, report: &mut StudyReport<'_>) -> Result<(), Error> {
        self.check()?;
        self.independence(report)?;
        self.singular(report)?;
        self.methods(report)?;
        report.picture("phantom_inertia_particle.svg", self.particle_plot()?);
        report.picture("phantom_inertia_tripod.svg", tripod_plot()?);
        Ok(())
    }
}

impl RhoStudy {
    fn check(&self) -> Result<(), Error> {
        check_lines(&self.lines)?;
        Error::unless_within(self.count, (1, 1_000_000), "count")?;
        Error::unless_within(self.contacts, (1, 16), "contacts")?;
        let bad = self.factors.iter().find(|f| !(**f >= 0.0 && f.is_finite()));
        Error::unless(bad.is_none(), "factors", || {
            format!("{} is not a factor: 0 or a positive number", bad.unwrap_or(&f64::NAN))
        })
    }

    fn references(&self, redundant: bool, mu: f64) -> Result<References, Error> {
        let mut out = References { problems: Vec::new(), failed: 0 };
        for &lines in &self.lines {
            for contacts in 1..=self.contacts {
                for seed in 0..self.count as u64 {
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

    /// Answers over decades of ρ.
    fn independence(&self, report: &mut StudyReport<'_>) -> Result<(), Error> {
        report.section("phantom_rho");
        for (redundant, mu) in KINDS {
            let references = self.references(redundant, mu)?;
            let w = if redundant { "singular" } else { "positive definite" };
            report.line(&format!(
                "W {w}, μ from 0 to {mu}, {} problems, {} without an answer at the default ρ:\n",
                references.problems.len(),
                references.failed
            ))?;
            report.titles("| ρ over the default | certified | another certified solution | velocities differ by | impulses differ by |", 0)?;
            for &factor in &self.factors {
                let c = references.compared(factor)?;
                report.row(
                    "factors",
                    json!({
                        "singular": redundant, "mu_most": mu, "factor": factor,
                        "problems": c.problems, "certified": c.certified, "others": c.others,
                        "velocity": c.velocity, "impulse": c.impulse,
                    }),
                );
                report.line(&format!(
                    "| {} | {} of {} | {} | {:.0e} | {:.0e} |",
                    if factor == 0.0 { "0".to_owned() } else { format!("{factor:.0e}") },
                    c.certified,
                    c.problems,
                    c.others,
                    c.velocity,
                    c.impulse
                ))?;
            }
            report.line("")?;
        }
        Ok(())
    }

    /// The singular values of ρ: where they are, and what a solver does there.
    fn singular(&self, report: &mut StudyReport<'_>) -> Result<(), Error> {
        report.section("phantom_singular");
        report.line("| system | k | k · eig([W⁻¹]_TT), kg | dips of σ_min found | farthest from its value | σ_min/σ_max there, at most | the default ρ, kg | σ_min/σ_max |")?;
        report.line("|---|---:|---|---:|---:|---:|---:|---:|")?;
        for (system, problem) in named() {
            for &k in &self.lines {
                let Some(rhos) = singular_rhos(&problem, k) else { continue };
                singular_row(report, &system, &problem, k, &rhos)?;
            }
        }
        let mut c = Comparison::default();
        let references = self.references(false, 0.3)?;
        let solved = references.problems.iter().filter(|(_, _, answer)| answer.is_solved());
        for (problem, lines, reference) in solved {
            for rho in singular_rhos(problem, *lines).unwrap_or_default() {
                c.take(problem, *lines, rho, reference)?;
            }
        }
        report.fact(
            "at_singular",
            json!({
                "random_problems": references.problems.len(), "problems": c.problems,
                "certified": c.certified, "others": c.others, "velocity": c.velocity,
                "impulse": c.impulse,
            }),
        );
        report.line(&format!(
            "\nSolved *at* singular values of ρ (every one of {} random problems, W positive definite, μ up to 0.3): {} of {} certified, {} with another certified solution; velocities differ by {:.0e} from those at the default ρ, impulses by {:.0e}.",
            references.problems.len(), c.certified, c.problems, c.others, c.velocity, c.impulse
        ))
    }

    /// What a full rank is worth: methods, each alone, on the same problems in each form.
    fn methods(&self, report: &mut StudyReport<'_>) -> Result<(), Error> {
        report.section("phantom_solvers");
        let below: RhoOf = |problem, k| Some(0.1 * singular_rhos(problem, k)?.first()?);
        let forms: [(&str, Formulation, RhoOf); 4] = [
            ("the default ρ", Formulation::PhantomInertia, |_, _| None),
            ("ρ a tenth of the least singular value", Formulation::PhantomInertia, below),
            ("ρ = 0", Formulation::PhantomInertia, |_, _| Some(0.0)),
            ("Stewart-Trinkle", Formulation::StewartTrinkle, |_, _| None),
        ];
        report.titles(&format!("| method alone | {} |", forms.map(|f| f.0).join(" | ")), 1)?;
        for choice in METHODS {
            let mut cells = Vec::new();
            for (form, formulation, rho) in forms {
                let (solved, all) = self.solved_alone(choice, formulation, rho)?;
                let method = choice.name();
                let row =
                    json!({"method": method, "form": form, "solved": solved, "problems": all});
                report.row("methods", row);
                cells.push(format!("{solved} of {all}"));
            }
            report.line(&format!("| `{choice}` | {} |", cells.join(" | ")))?;
        }
        Ok(())
    }

    /// How many of all random problems one method solves by itself.
    fn solved_alone(
        &self,
        choice: SolverChoice,
        formulation: Formulation,
        rho: RhoOf,
    ) -> Result<(usize, usize), Error> {
        let (mut solved, mut all) = (0, 0);
        for &k in &self.lines {
            for contacts in 1..=self.contacts {
                for seed in 0..self.count as u64 {
                    let problem = systems::random(contacts, false, 0.3, seed);
                    let chosen = solver(formulation, k, rho(&problem, k))?;
                    let settings = Settings { solver: choice, ..chosen.settings().clone() };
                    let mut solver = ContactSolver::new(settings)?;
                    solved += usize::from(solver.solve(&problem).is_solved());
                    all += 1;
                }
            }
        }
        Ok((solved, all))
    }

    fn particle_plot(&self) -> Result<String, Error> {
        let mut plot = LogLog {
            title: "A particle of 1 kg: the matrix is singular at ρ = k m".to_owned(),
            x: "ρ, kg".to_owned(),
            y: "σ_min / σ_max".to_owned(),
            ..LogLog::default()
        };
        let problem = systems::particle(1.0, MU, 1.0, [0.8, 0.3]);
        for &k in &self.lines {
            let curve = sigma_curve(&problem, k, (1e-3, 1e2))?;
            plot.curves.push((
                format!("k = {k} (dip at {k}, chosen {:.3})", chosen_rho(&problem, k)?[0]),
                curve,
            ));
        }
        Ok(plot.to_svg())
    }
}

/// ρ for a problem with k lines; none for the default.
type RhoOf = fn(&ContactProblem, usize) -> Option<f64>;

impl References {
    /// The answers with a multiple of the default ρ held against those with the default.
    fn compared(&self, factor: f64) -> Result<Comparison, Error> {
        let mut c = Comparison::default();
        for (problem, lines, reference) in &self.problems {
            if reference.is_solved() {
                let rho = chosen_rho(problem, *lines)?.iter().map(|r| r * factor).collect();
                c.take(problem, *lines, Rho::PerContact(rho), reference)?;
            }
        }
        Ok(c)
    }
}

fn singular_row(
    report: &mut StudyReport<'_>,
    system: &str,
    problem: &ContactProblem,
    k: usize,
    rhos: &[f64],
) -> Result<(), Error> {
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
    let sigma = relative_sigma(problem, k, Rho::Chosen)?;
    report.row(
        "singular",
        json!({
            "system": system, "k": k, "rhos": distinct, "dips": found, "chosen": chosen,
            "sigma_at_singular": worst, "sigma_at_chosen": sigma,
        }),
    );
    let list: Vec<String> = distinct.iter().map(|r| format!("{r:.4}")).collect();
    report.line(&format!(
        "| {system} | {k} | {} | {} of {} | {farthest:.0e} | {:.0e} | {rho} | {sigma:.0e} |",
        list.join(", "),
        found.len(),
        distinct.len(),
        worst.max(f64::EPSILON),
    ))
}

/// σ_min over ρ, with points that close in on the singular values.
fn sigma_curve(
    problem: &ContactProblem,
    k: usize,
    ends: (f64, f64),
) -> Result<Vec<(f64, f64)>, Error> {
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

fn tripod_plot() -> Result<String, Error> {
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
