//! Everyday motions with known ends, by every stepping integrator with default settings: what must stand still, what must
//! not lift, creep or sink, and how far it does.

mod scenes;
mod thrown;

pub use scenes::{Case, cases, pyramid, stack};
pub use thrown::{Thrown, lost_problem, throw};

use glam::DVec3;
use stickslip::State;
use stickslip::bodies::World;
use stickslip::run::{self, End};
use stickslip::step::{self, Integrator};

/// How a case went.
#[derive(Clone, Debug)]
pub struct Went {
    /// The value that is measured.
    pub found: f64,
    /// The time that was reached, and why not more.
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
    let (world, start) = (case.build)()?;
    let step = step::Settings { integrator, ..step::Settings::default() };
    let sample_dt = case.t_end;
    let settings = run::Settings { t_end: case.t_end, dt: case.dt, sample_dt, step };
    let report = run::run(&world, &start, &settings, &mut (), &mut ())?;
    let lost = match &report.end {
        End::Finished => None,
        end => Some(format!("{end:?}")),
    };
    Ok(Went {
        found: (case.measure)(&start, &report.state),
        t: report.state.t,
        lost,
        depth: report.drift.depth,
        created: report.energy_created.1,
        worst: report.certificate.worst,
    })
}

/// The largest displacement of any body.
pub fn moved(start: &State, end: &State) -> f64 {
    let bodies = start.q.chunks_exact(7).zip(end.q.chunks_exact(7));
    let shift = |(a, b): (&[f64], &[f64])| (DVec3::from_slice(a) - DVec3::from_slice(b)).length();
    bodies.map(shift).fold(0.0, f64::max)
}

/// What is measured, from the start and the end.
pub type Measured = Box<dyn Fn(&State, &State) -> f64>;

/// A case as it is built.
pub type Built = Result<(World, State), stickslip::Error>;
