//! Rank and condition of the matrix of phantom inertia, beside others.

use super::super::{Form, LINES, Lead, RANK, lead_matrix, singular_rhos};
use super::{check_lines, named};
use crate::{Error, Study, StudyReport};
use serde_json::json;
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::{Formulation, Rho};

/// Rank and condition of the matrices of phantom inertia and of Stewart and Trinkle.
#[derive(Clone, Debug)]
pub struct RankStudy {
    /// Numbers of lines k; polygons have 2 k corners.
    pub lines: Vec<usize>,
    /// The phantom inertia in kg, none for the one that is chosen by default.
    pub rho: Option<f64>,
    /// Names and contact problems in space.
    pub systems: Vec<(String, ContactProblem)>,
}

impl Default for RankStudy {
    fn default() -> Self {
        Self { lines: LINES.to_vec(), rho: None, systems: named() }
    }
}

/// A matrix that is looked at.
struct Candidate {
    name: &'static str,
    formulation: Formulation,
    rho: Option<f64>,
    form: Form,
}

/// The smallest singular value that counts in any matrix, and the largest that does not.
struct Margin {
    counted: f64,
    neglected: f64,
}

impl Study for RankStudy {
    fn run(&self, report: &mut StudyReport<'_>) -> Result<(), Error> {
        self.check()?;
        report.section("phantom_rank");
        let titles = self.lines.iter().map(|k| format!("k = {k}")).collect::<Vec<_>>().join(" | ");
        report.titles(&format!("| system | W | matrix | {titles} |"), 3)?;
        let mut margin = Margin { counted: f64::INFINITY, neglected: 0.0 };
        for (system, problem) in &self.systems {
            self.same_matrices(problem)?;
            for candidate in &self.candidates() {
                self.row(report, system, problem, candidate, &mut margin)?;
            }
        }
        let Margin { counted, neglected } = margin;
        report.fact("smallest_counted", counted);
        report.fact("largest_neglected", neglected);
        report.line(&format!(
            "\nA singular value counts if it is above {RANK:.0e} of the largest. The smallest that counts in this table is {counted:.0e}, the largest that does not {neglected:.0e}.",
        ))
    }
}

impl RankStudy {
    fn check(&self) -> Result<(), Error> {
        check_lines(&self.lines)?;
        let none = || "at least one system is needed".to_owned();
        Error::unless(!self.systems.is_empty(), "systems", none)?;
        self.rho.map_or(Ok(()), |rho| Error::unless_positive(&[rho], "rho"))
    }

    fn candidates(&self) -> [Candidate; 5] {
        let phantom = Formulation::PhantomInertia;
        [
            ("phantom inertia, Schur form", phantom, self.rho, Form::Schur),
            ("phantom inertia, mixed form", phantom, self.rho, Form::Mixed),
            ("the same with ρ = 0, Schur form", phantom, Some(0.0), Form::Schur),
            ("the same with ρ = 0, mixed form", phantom, Some(0.0), Form::Mixed),
            ("Stewart-Trinkle, Anitescu-Potra", Formulation::StewartTrinkle, None, Form::Mixed),
        ]
        .map(|(name, formulation, rho, form)| Candidate { name, formulation, rho, form })
    }

    fn row(
        &self,
        report: &mut StudyReport<'_>,
        system: &str,
        problem: &ContactProblem,
        candidate: &Candidate,
        margin: &mut Margin,
    ) -> Result<(), Error> {
        let Candidate { name, formulation, rho, form } = candidate;
        let n = problem.bias().len();
        let definite = singular_rhos(problem, 2).is_some();
        let mut cells = Vec::new();
        for &k in &self.lines {
            let matrix = lead_matrix(problem, *formulation, k, *rho, *form)?;
            let lead = matrix.map(|m| Lead::of(&m));
            report.row(
                "matrices",
                json!({
                    "system": system, "rows": n, "definite": definite, "matrix": name, "k": k,
                    "rank": lead.map(|l| l.rank), "size": lead.map(|l| l.size),
                    "condition": lead.filter(Lead::is_full).map(|l| l.condition),
                }),
            );
            let Some(lead) = lead else {
                cells.push("impossible".to_owned());
                continue;
            };
            margin.counted = margin.counted.min(lead.counted);
            margin.neglected = margin.neglected.max(lead.neglected);
            cells.push(if lead.is_full() {
                format!("**{} of {}**, {:.0}", lead.rank, lead.size, lead.condition)
            } else {
                format!("{} of {}", lead.rank, lead.size)
            });
        }
        let w = if definite { "definite" } else { "singular" };
        report.line(&format!("| {system} | {n}, {w} | {name} | {} |", cells.join(" | ")))
    }

    /// Whether the formulations of Stewart and Trinkle and of Anitescu and Potra have one matrix in the contact problem.
    fn same_matrices(&self, problem: &ContactProblem) -> Result<(), Error> {
        for &k in &self.lines {
            let of = |f| lead_matrix(problem, f, k, Rho::Chosen, Form::Mixed);
            if of(Formulation::StewartTrinkle)? != of(Formulation::AnitescuPotra)? {
                let text = "stewart_trinkle and anitescu_potra have different matrices";
                return Err(Error::Unsolved(text.to_owned()));
            }
        }
        Ok(())
    }
}
