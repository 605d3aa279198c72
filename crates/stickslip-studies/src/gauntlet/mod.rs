//! Everyday motions with known ends, with default settings: what must stand still, what must not lift, creep or sink, what must
//! fall, and how far it does. Contacts are those that collision detection finds.

mod arch;
mod build;
mod capstan;
mod cards;
mod grip;
mod impacts;
mod limits;
mod peg;
mod rolling;
mod runs;
mod scenes;

pub use arch::critical_thickness;
pub use build::{Description, Part, Yard};
use runs::largest_of;
pub use runs::{Peak, Span, first_unsolved, loss, run_world};
pub use scenes::{columns, pyramid, stack};

use glam::DVec3;
use stickslip::State;
use stickslip::bodies::World;
use stickslip::run::Sample;
use stickslip::step::Integrator;

/// What a measured value should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// This, to within the tolerance.
    Near(f64, f64),
    /// 0, to within the tolerance.
    Zero(f64),
    /// More than this: it falls.
    More(f64),
}

impl Goal {
    /// The exact value and the tolerance; of what is to fall the least way, and none.
    pub fn numbers(self) -> (f64, Option<f64>) {
        match self {
            Self::Near(exact, tolerance) => (exact, Some(tolerance)),
            Self::Zero(tolerance) => (0.0, Some(tolerance)),
            Self::More(least) => (least, None),
        }
    }

    /// Whether a value is what it should be.
    pub fn met(self, found: f64) -> bool {
        match self {
            Self::Near(exact, tolerance) => (found - exact).abs() <= tolerance,
            Self::Zero(tolerance) => found.abs() <= tolerance,
            Self::More(least) => found > least,
        }
    }
}

/// A value of the start and the end.
pub type OfEnds = Box<dyn Fn(&State, &State) -> f64>;

/// How a value is measured.
pub enum Measure {
    /// From the start and the end.
    Ends(OfEnds),
    /// The value of largest size among those of samples at every step.
    Samples(Box<dyn Fn(&Sample<'_>) -> f64>),
}

/// A world with its start.
pub type Built = Result<(World, State), stickslip::Error>;

/// One motion with a known end.
pub struct Case {
    /// Its row of the list, A to I.
    pub row: char,
    /// Its name in tables.
    pub name: String,
    /// What is measured.
    pub quantity: &'static str,
    /// What it should be.
    pub goal: Goal,
    /// What a displacement by the velocity at the end of each step, as that of `gap_level`, adds to it.
    pub late: f64,
    /// Step and end time.
    pub span: Span,
    /// Whether its contacts have restitution, which `gap_level` refuses.
    pub bounces: bool,
    /// Whether it takes minutes.
    pub long: bool,
    /// The world and its start.
    pub build: Box<dyn Fn() -> Result<Yard, stickslip::Error>>,
    /// How its value is measured.
    pub measure: Measure,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.row, self.name)
    }
}

impl Measure {
    fn ends(value: impl Fn(&State, &State) -> f64 + 'static) -> Self {
        Self::Ends(Box::new(value))
    }

    fn samples(value: impl Fn(&Sample<'_>) -> f64 + 'static) -> Self {
        Self::Samples(Box::new(value))
    }
}

impl Case {
    /// A world that is to stand still for 10 s with steps of 1 ms.
    fn still(
        row: char,
        name: impl Into<String>,
        build: impl Fn() -> Result<Yard, stickslip::Error> + 'static,
    ) -> Self {
        Self {
            row,
            name: name.into(),
            quantity: "largest displacement, m",
            goal: Goal::Zero(1e-9),
            late: 0.0,
            span: Span { t_end: 10.0, dt: 1e-3 },
            bounces: false,
            long: false,
            build: Box::new(build),
            measure: Measure::ends(moved),
        }
    }

    /// Whether an integrator takes it.
    pub fn takes(&self, integrator: Integrator) -> bool {
        !(self.bounces && integrator == Integrator::GapLevel)
    }

    /// What an integrator should find.
    pub fn goal_of(&self, integrator: Integrator) -> Goal {
        match self.goal {
            Goal::Near(exact, tolerance) if integrator == Integrator::GapLevel => {
                Goal::Near(exact + self.late, tolerance)
            }
            goal => goal,
        }
    }
}

/// The integrators that everyday motions are given to. That of Paoli and Schatzman is for comparison: bodies are inside of each other
/// between the two steps of an impact, from which they turn.
pub const INTEGRATORS: [Integrator; 3] =
    [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }, Integrator::GapLevel];

/// The cases, those that take minutes only if asked for.
pub fn cases(long: bool) -> Vec<Case> {
    let mut all = scenes::cases();
    all.extend(limits::cases());
    all.extend(rolling::cases());
    all.extend(impacts::cases());
    all.extend(capstan::cases());
    all.extend(peg::cases());
    all.extend(cards::cases());
    all.extend(grip::cases());
    all.sort_by_key(|case| case.row);
    all.retain(|case| long || !case.long);
    all
}

/// How a case went.
#[derive(Clone, Debug)]
pub struct Went {
    /// The value that is measured.
    pub found: f64,
    /// Whether it is what it should be, at the end time.
    pub pass: bool,
    /// The time that was reached.
    pub t: f64,
    /// Why it ended before its time.
    pub lost: Option<String>,
    /// The deepest penetration.
    pub depth: f64,
    /// The energy that impacts created.
    pub created: f64,
    /// The worst certificate.
    pub worst: f64,
}

/// Takes a case to its end.
///
/// # Errors
/// If the case is refused.
pub fn go(case: &Case, integrator: Integrator) -> Result<Went, stickslip::Error> {
    let (world, start) = (case.build)()?.built()?;
    let (report, found) = match &case.measure {
        Measure::Ends(value) => {
            let (report, _) = run_world(&world, &start, case.span, integrator)?;
            let found = value(&start, &report.state);
            (report, found)
        }
        Measure::Samples(value) => largest_of(&world, &start, case.span, integrator, value)?,
    };
    let lost = loss(&report);
    Ok(Went {
        found,
        pass: lost.is_none() && case.goal_of(integrator).met(found),
        t: report.state.t,
        lost,
        depth: report.drift.depth,
        created: report.energy_created.1,
        worst: report.certificate.worst,
    })
}

/// The position of a body, by its number among the free ones.
fn place(state: &State, body: usize) -> DVec3 {
    DVec3::from_slice(&state.q[7 * body..])
}

/// The velocity of the centre of a body, by its number among the free ones.
fn velocity(state: &State, body: usize) -> DVec3 {
    DVec3::from_slice(&state.u[6 * body..])
}

/// The largest displacement of any body.
fn moved(start: &State, end: &State) -> f64 {
    let shift = |i: usize| (place(end, i) - place(start, i)).length();
    (0..start.q.len() / 7).map(shift).fold(0.0, f64::max)
}
