//! Limit surfaces against closed forms: a box that is pulled and twisted, a disc that slides and spins, polyhedra.

mod dragged;
mod polyhedra;
mod spinning;
mod uniform;

use super::Rig;
use crate::{Error, Study, StudyReport};

/// What of the study is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A box on one patch, pulled and twisted: where it begins to slip, and how it leaves.
    Dragged,
    /// A disc on ellipsoids slides and spins until it stops.
    Ellipsoid,
    /// The same on the mixed set.
    Mixed,
    /// Polyhedra in place of the ellipsoid.
    Polyhedra,
    /// The exact limit surface of uniform pressure.
    Uniform,
}

impl Part {
    /// All, in the order of the page.
    pub const ALL: [Self; 5] =
        [Self::Dragged, Self::Ellipsoid, Self::Mixed, Self::Polyhedra, Self::Uniform];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dragged => "dragged",
            Self::Ellipsoid => "ellipsoid",
            Self::Mixed => "mixed",
            Self::Polyhedra => "polyhedra",
            Self::Uniform => "uniform",
        }
    }
}

/// What friction that couples sliding and spinning does to a body on one patch, against closed forms.
#[derive(Clone, Debug)]
pub struct LimitSurfaceStudy {
    /// What is wanted, in the order of [`Part::ALL`].
    pub parts: Vec<Part>,
    /// The shape of the patch: axes e_t, e_o and e_r (m) of its ellipsoid, in `Dragged` and `Polyhedra`; none for those of the page.
    pub axes: Option<[f64; 3]>,
    /// μ of the disc.
    pub mu: f64,
    /// v (m/s) and ω (rad/s) of the disc at the start; `Mixed` and `Uniform` choose ω themselves.
    pub start: [f64; 2],
    /// J (kg m²) and e_r (m) of discs of 1 kg, in `Ellipsoid`: v falls with the power J/e_r² of ω.
    pub discs: Vec<[f64; 2]>,
    /// Steps in the time in which a particle stops, in `Ellipsoid`.
    pub steps: Vec<usize>,
    /// The most facets of a polyhedron.
    pub facets: usize,
}

impl Default for LimitSurfaceStudy {
    fn default() -> Self {
        let third = 2.0 / 3.0;
        Self {
            parts: Part::ALL.to_vec(),
            axes: None,
            mu: 0.3,
            start: [1.0, 2.0],
            discs: vec![[0.5, 1.0], [0.2, 0.5], [0.25, 0.5], [0.5, third], [0.5, 0.5], [0.32, 0.4]],
            steps: vec![64, 256, 1024, 4096, 16384],
            facets: 2048,
        }
    }
}

/// What the parts share: options, the solver, the report.
struct Page<'p, 'r> {
    study: &'p LimitSurfaceStudy,
    rig: Rig,
    report: &'p mut StudyReport<'r>,
}

impl Study for LimitSurfaceStudy {
    fn run(&self, report: &mut StudyReport<'_>) -> Result<(), Error> {
        self.check()?;
        report.section("limit-surfaces");
        let mut page = Page { study: self, rig: Rig::default(), report };
        for part in Part::ALL.into_iter().filter(|part| self.parts.contains(part)) {
            match part {
                Part::Dragged => dragged::section(&mut page)?,
                Part::Ellipsoid => spinning::ellipsoids(&mut page)?,
                Part::Mixed => spinning::mixed(&mut page)?,
                Part::Polyhedra => polyhedra::section(&mut page)?,
                Part::Uniform => uniform::section(&mut page)?,
            }
        }
        let Rig { solved, worst, .. } = page.rig;
        report.fact("problems", solved);
        report.fact("worst_certificate", worst);
        report.line(&format!(
            "All {solved} contact problems of this page have a certificate of at most {worst:.0e}."
        ))
    }
}

impl LimitSurfaceStudy {
    fn check(&self) -> Result<(), Error> {
        let names = || Part::ALL.map(Part::name).join(", ");
        Error::unless(!self.parts.is_empty(), "part", || format!("at least one of {}", names()))?;
        Error::unless_positive(&self.axes.unwrap_or([1.0; 3]), "axes")?;
        Error::unless_positive(&[self.mu], "mu")?;
        Error::unless_positive(&self.start[..1], "v")?;
        Error::unless_positive(&self.start[1..], "omega")?;
        Error::unless(!self.discs.is_empty(), "disc", || "at least one is needed".to_owned())?;
        Error::unless_positive(self.discs.as_flattened(), "disc")?;
        let steps = || "at least two numbers are needed for an order".to_owned();
        Error::unless(self.steps.len() > 1, "steps", steps)?;
        self.steps.iter().try_for_each(|&n| Error::unless_within(n, (8, 1 << 20), "steps"))?;
        Error::unless_within(self.facets, (64, 4096), "facets")
    }
}
