//! One run of a sweep, by any integrator and to any kind of section.

use super::collector::{Bystander, Collector, Over};
use crate::error::CliError;
use crate::interrupt;
use crate::scene::Loaded;
use std::cell::Cell;
use stickslip::events::{self, EventDriven, Reached};
use stickslip::model::{Candidate, Model};
use stickslip::run::{End, Report};
use stickslip::step::Integrator;
use stickslip_scene::Visitor;
use stickslip_scene::section::{Kind, Section};

/// Crossings of a surface are at least this share of the longest return apart: rounding may leave a state on either side of the surface.
const PAUSE: f64 = 1e-7;

/// How often an event-driven run is looked at in the longest return, for the sizes of coordinates and velocities.
const LOOKS: f64 = 1000.0;

/// Runs a scene until the collector has seen enough.
pub(super) fn simulate(
    scene: &mut Loaded,
    section: &Section,
    collector: &mut Collector,
) -> Result<Report, CliError> {
    let model = scene.scene.model().clone();
    model.visit(Simulate { scene, section, collector })
}

struct Simulate<'a> {
    scene: &'a mut Loaded,
    section: &'a Section,
    collector: &'a mut Collector,
}

impl Visitor for Simulate<'_> {
    type Output = Result<Report, CliError>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        simulate_model(model, self.scene, self.section, self.collector)
    }
}

fn simulate_model<M: Model>(
    model: &M,
    scene: &mut Loaded,
    section: &Section,
    collector: &mut Collector,
) -> Result<Report, CliError> {
    let Loaded { start, settings, .. } = scene;
    if settings.step.integrator != Integrator::EventDriven {
        // Every step is shown to the collector.
        settings.sample_dt = 0.0;
        return Ok(stickslip::run::run(model, start, settings, collector, &mut ())?);
    }
    let longest = collector.latest() - start.t;
    let motion = events::Settings { sample_every: longest / LOOKS, ..settings.event_driven() };
    let mut motion = EventDriven::new(model, start, &motion)?;
    let (mut place, mut candidates) = (M::Place::default(), Vec::new());
    let happened = Cell::new(false);
    let mut resume = start.t;
    loop {
        let reached = match motion.advance(resume, None, &mut watching(collector, &happened))? {
            Reached::Time => to_section(&mut motion, section, collector, &happened)?,
            other => other,
        };
        let at_section = match section.kind {
            Kind::Period(_) => reached == Reached::Time,
            _ => reached == Reached::Section,
        };
        let end = match reached {
            _ if at_section && !interrupt::asked() => {
                let state = motion.state().clone();
                let t = state.t;
                candidates.clear();
                model.gaps(&mut place, &state.q, t, &mut candidates)?;
                let gaps = candidates.iter().map(|c: &Candidate| c.gap.unwrap_or(0.0)).collect();
                collector.take(collector.crossing(state, gaps));
                if collector.over.is_none() {
                    resume = if matches!(section.kind, Kind::Surface(_)) {
                        t + PAUSE * longest
                    } else {
                        t
                    };
                    continue;
                }
                End::Finished
            }
            Reached::Failed(why) => End::Failed(why),
            Reached::Time => {
                collector.over = Some(Over::NoReturn);
                End::Finished
            }
            Reached::Section | Reached::Stopped => {
                collector.over = Some(Over::Interrupted);
                End::Stopped
            }
        };
        return Ok(motion.report(end));
    }
}

fn watching<'a>(collector: &'a mut Collector, happened: &'a Cell<bool>) -> Bystander<'a> {
    Bystander { collector, happened }
}

/// Goes on to the next crossing, or as long as a return may take.
fn to_section<M: Model>(
    motion: &mut EventDriven<'_, M>,
    section: &Section,
    collector: &mut Collector,
    happened: &Cell<bool>,
) -> Result<Reached, CliError> {
    let latest = collector.latest();
    happened.set(false);
    Ok(match &section.kind {
        Kind::Surface(surface) => {
            let mut surface = surface.clone();
            let mut sigma = |q: &[f64], u: &[f64], t: f64| surface.value(q, u, t);
            motion.advance(latest, Some(&mut sigma), &mut watching(collector, happened))?
        }
        // A surface that the event itself takes the motion over.
        Kind::Event(..) => {
            let mut sigma = |_: &[f64], _: &[f64], _: f64| if happened.get() { 1.0 } else { -1.0 };
            motion.advance(latest, Some(&mut sigma), &mut watching(collector, happened))?
        }
        Kind::Period(period) => {
            let next = motion.state().t + period;
            motion.advance(next, None, &mut watching(collector, happened))?
        }
    })
}
