//! Friction of polygons over the heading.

use super::super::{LINES, Strength, breakaway, sliding, support_formula};
use super::check_lines;
use crate::plot::{Panel, Polar};
use crate::{Error, Study, StudyReport};
use serde_json::json;
use std::f64::consts::PI;
use stickslip::contact::solve::Formulation;

/// How strong the friction of polygons is, over the direction of slip, beside that of the disc.
#[derive(Clone, Debug)]
pub struct PolygonStudy {
    /// Numbers of lines k; polygons have 2 k corners.
    pub lines: Vec<usize>,
    /// Directions of slip.
    pub headings: usize,
}

impl Default for PolygonStudy {
    fn default() -> Self {
        // Quarters of a degree: the extremes of all polygons are among them.
        Self { lines: LINES.to_vec(), headings: 1440 }
    }
}

const POLYGONS: [(&str, Formulation); 2] = [
    ("circumscribed (phantom inertia)", Formulation::PhantomInertia),
    ("inscribed (Stewart-Trinkle)", Formulation::StewartTrinkle),
];

impl Study for PolygonStudy {
    fn run(&self, report: &mut StudyReport<'_>) -> Result<(), Error> {
        check_lines(&self.lines)?;
        Error::unless_within(self.headings, (4, 1_000_000), "headings")?;
        report.section("phantom_strength");
        report.line("| polygon | k | headings certified | while sliding: weakest, strongest | largest difference from the support function | friction aside of the slip by up to | holds a push: weakest, strongest | formula |")?;
        report.line("|---|---:|---:|---|---:|---:|---|---|")?;
        let mut curves = vec![Vec::new(); self.lines.len()];
        for (name, formulation) in POLYGONS {
            for (i, &k) in self.lines.iter().enumerate() {
                let slides = sliding(formulation, k, self.headings)?;
                self.row(report, name, formulation, k, &slides)?;
                curves[i].push(slides.iter().map(|s| (s.heading, s.against)).collect());
            }
        }
        report.picture("phantom_inertia_strength.svg", self.picture(curves));
        Ok(())
    }
}

impl PolygonStudy {
    fn row(
        &self,
        report: &mut StudyReport<'_>,
        name: &str,
        formulation: Formulation,
        k: usize,
        slides: &[Strength],
    ) -> Result<(), Error> {
        let (headings, holds) = (self.headings, breakaway(formulation, k, self.headings)?);
        let off =
            slides.iter().map(|s| (s.against - support_formula(formulation, k, s.heading)).abs());
        let off = off.fold(0.0, f64::max);
        let aside = slides.iter().map(|s| s.aside.to_degrees()).fold(0.0, f64::max);
        let extreme = (0.5 * PI / k as f64).cos();
        let (formula, ends) = if formulation == Formulation::PhantomInertia {
            let strongest = extreme.recip();
            (format!("1 to 1/cos(π/{}) = {strongest:.4}", 2 * k), [1.0, strongest])
        } else {
            (format!("cos(π/{}) = {extreme:.4} to 1", 2 * k), [extreme, 1.0])
        };
        let (sliding, holding) = (extremes(slides), extremes(&holds));
        report.row(
            "polygons",
            json!({
                "polygon": name, "k": k, "headings": headings, "certified": slides.len(),
                "sliding": sliding, "off_support_function": off, "aside_degrees": aside,
                "holding": holding, "formula": ends,
            }),
        );
        report.line(&format!(
            "| {name} | {k} | {} of {headings} | {} | {off:.0e} | {aside:.1}° | {} | {formula} |",
            slides.len(),
            text(sliding),
            text(holding)
        ))
    }

    /// A panel for each number of lines, with a curve for each polygon.
    fn picture(&self, curves: Vec<Vec<Vec<(f64, f64)>>>) -> String {
        let panel = |(k, curves): (&usize, _)| Panel {
            title: format!("k = {k} lines, {} sides", 2 * k),
            curves,
        };
        Polar {
            title: "Friction against the slip, over μ Λ_N".to_owned(),
            names: POLYGONS.map(|p| p.0.to_owned()).to_vec(),
            circle: "disc".to_owned(),
            panels: self.lines.iter().zip(curves).map(panel).collect(),
            scale: vec![0.5, 1.0, 1.5],
            largest: 1.5,
        }
        .to_svg()
    }
}

/// The weakest and the strongest.
fn extremes(all: &[Strength]) -> [f64; 2] {
    all.iter().fold([f64::INFINITY, 0.0_f64], |[a, b], s| [a.min(s.against), b.max(s.against)])
}

fn text([low, high]: [f64; 2]) -> String {
    format!("{low:.4}, {high:.4}")
}
