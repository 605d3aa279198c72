//! Bodies thrown at random: masses, sizes, friction, restitution and motions of many orders.

mod corner;
mod draws;
mod tally;

pub use tally::{Tally, throw_all};

use stickslip::contact::ContactProblem;
use stickslip::step::Integrator;
use stickslip::{Error, State, bodies::World};
use stickslip_studies::Draw;
use stickslip_studies::gauntlet::{Span, first_unsolved, loss, run_world};

/// How long a throw lasts, in seconds.
const TIME: f64 = 2.0;

/// What is thrown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A box with a spin, or two or three that stand on each other and are pushed.
    Boxes,
    /// One to three bodies, each of two or three spheres in a row.
    Capsules,
    /// Two to five boxes that fall on each other.
    Stacks,
    /// Two to six links on spherical or revolute joints.
    Chains,
}

impl Kind {
    /// All of them, in the order in which seeds go round.
    pub const ALL: [Self; 4] = [Self::Boxes, Self::Capsules, Self::Stacks, Self::Chains];

    /// The kind that a seed of mixed throws has.
    pub fn of(seed: u64) -> Self {
        Self::ALL[(seed % 4) as usize]
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Boxes => "boxes",
            Self::Capsules => "capsules",
            Self::Stacks => "stacks",
            Self::Chains => "chains",
        }
    }
}

/// A world that is thrown, with its start.
struct Thing {
    world: World,
    start: State,
    /// The size of its bodies, the least that any has, in m.
    size: f64,
    /// The energy of the fall of all bodies by the size of one, beside which energies are measured.
    scale: f64,
}

/// The distance of a corner from the centre of its body, at most, over the size of the smallest body: edges are up to four times as long.
const FARTHEST: f64 = 3.5;

/// How a throw ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Thrown {
    /// Why it ended before its time.
    pub lost: Option<String>,
    /// Steps that were made in shorter parts.
    pub split: usize,
    /// Steps in which contacts were without restitution.
    pub plastic: usize,
    /// Steps whose certificate misses the tolerance.
    pub missed: usize,
    /// The worst certificate of a step.
    pub worst: f64,
    /// By how much the energy rose above that of the start, less what impacts were said to create, as a share of that of the start.
    pub unsaid: f64,
    /// The energy that impacts were said to create, as a share of that of the start.
    pub created: f64,
    /// The deepest penetration over the size of the smallest body.
    pub depth: f64,
    /// The deepest penetration, in m.
    pub metres: f64,
    /// How far two points of the bodies can approach each other in a step, over the size: as deep as a contact that was open at its
    /// beginning can be at its end.
    pub approach: f64,
}

/// Throws things onto the ground, 2 s, with default settings.
///
/// # Errors
/// If the world is refused.
pub fn throw(kind: Kind, seed: u64, integrator: Integrator, dt: f64) -> Result<Thrown, Error> {
    let Thing { world, start, size, scale } = draw(kind, seed, integrator)?;
    let (report, peak) = run_world(&world, &start, Span { t_end: TIME, dt }, integrator)?;
    let before = report.energy_start.total();
    let scale = before.abs() + scale;
    let created = report.energy_created.1;
    Ok(Thrown {
        lost: loss(&report),
        split: report.split_steps,
        plastic: report.plastic_steps,
        missed: report.missed_steps,
        worst: report.certificate.worst,
        unsaid: (peak.energy - before - created) / scale,
        created: created / scale,
        depth: report.drift.depth / size,
        metres: report.drift.depth,
        approach: 2.0 * dt * (peak.speed / size + FARTHEST * peak.spin),
    })
}

/// The contact problem of the first step of a throw that has no answer as a whole.
///
/// # Errors
/// If the world is refused.
pub fn lost_problem(
    kind: Kind,
    seed: u64,
    integrator: Integrator,
    dt: f64,
) -> Result<Option<ContactProblem>, Error> {
    let Thing { world, start, .. } = draw(kind, seed, integrator)?;
    first_unsolved(&world, start, Span { t_end: TIME, dt }, integrator)
}

/// What a seed stands for. `gap_level` has no restitution, and is given the same throw without it.
fn draw(kind: Kind, seed: u64, integrator: Integrator) -> Result<Thing, Error> {
    let plastic = integrator == Integrator::GapLevel;
    let name = format!("thrown {}", kind.name());
    let draw = &mut Draw::new(&name, 0, seed);
    match kind {
        Kind::Boxes => draws::boxes(draw, plastic),
        Kind::Capsules => draws::capsules(draw, plastic),
        Kind::Stacks => draws::stacks(draw, plastic),
        Kind::Chains => draws::chains(draw, plastic),
    }
}
