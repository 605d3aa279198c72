//! What a run amounted to, as `summary.json` says it.

use super::StageTimer;
use serde::Serialize;
use std::collections::BTreeMap;
use stickslip::SystemInfo;
use stickslip::contact::Certificate;
use stickslip::run::{End, Report, StartMoved};
use stickslip::system::{Energy, State};

/// The content of `summary.json`, and of `stickslip run --json`. Fields are its keys, in this order,
/// and stay as they are; new ones may be added. Contacts are named. A number that is not finite is
/// written as null.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The name of the scene.
    pub scene: String,
    /// The file that it comes from; null if it is built in.
    pub source: Option<String>,
    /// How the run ended.
    pub end: Ending,
    /// Every parameter with its value in this run.
    pub parameters: BTreeMap<String, f64>,
    /// The settings of the run: `integrator`, `dt`, `t_end`, `formulation`, `solver` and more.
    pub settings: serde_json::Value,
    /// Counts.
    pub counts: Counts,
    /// Energies, in the unit of the scene.
    pub energy: EnergyTexts,
    /// The worst certificate of all steps.
    pub certificate: CertificateText,
    /// The deepest interpenetration.
    pub drift: DriftText,
    /// How far the velocities at the ends of steps are from those that the laws were solved for, at worst, as a share of the largest velocity.
    pub settling: f64,
    /// By how much the start was moved onto contacts that touch there; left out if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_moved: Option<MovedText>,
    /// By how much coordinates and velocities of the file were changed so that joints and constraints fit; left out if they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_joined: Option<MovedText>,
    /// What of the files of robots has no place in the scene, each with its file, line and column; left out if there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The last state.
    pub state: StateText,
    /// Wall-clock seconds.
    pub timing: Timing,
    /// Versions of the crates.
    pub versions: BTreeMap<&'static str, &'static str>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ending {
    /// `finished`, `condition` (the one that ends the run became true), `stopped` (interrupted) or `failed` (a step has no answer that meets the tolerance).
    pub status: &'static str,
    /// Why, for a failed run, and where the condition was found; else null.
    pub reason: Option<String>,
    /// The time reached.
    pub t: f64,
}

/// Counts of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counts {
    /// Steps made.
    pub steps: usize,
    /// Steps for which no answer was found that meets the tolerance, and which were made in shorter parts.
    pub split_steps: usize,
    /// Steps in which contacts were without restitution, because friction jams bodies.
    pub plastic_steps: usize,
    /// Steps whose certificate misses the tolerance, since no better answer was found.
    pub missed_steps: usize,
    /// Steps that were made in parts because fast bodies meet in them.
    pub swept_steps: usize,
    /// Bodies that are asleep at the end.
    pub asleep: usize,
    /// How many times an island of sleeping bodies woke.
    pub woken: usize,
    /// Steps in which a contact took part.
    pub contact_steps: usize,
    /// Impacts.
    pub impacts: usize,
    /// Lines of `events.csv`.
    pub events: usize,
    /// Lines of `trajectory.csv`.
    pub samples: usize,
    /// Pivots or iterations of the solvers.
    pub iterations: usize,
}

/// Energies of a state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EnergyText {
    /// Kinetic.
    pub kinetic: f64,
    /// Potential.
    pub potential: f64,
    /// Their sum.
    pub total: f64,
}

/// Energies of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EnergyTexts {
    /// At the start.
    pub start: EnergyText,
    /// At the end.
    pub end: EnergyText,
    /// Total at the end less total at the start.
    pub change: f64,
    /// Work of all contact impulses; negative where they dissipate.
    pub contact_work: f64,
    /// Work of forces that have no potential, and of a potential that changes with time.
    pub force_work: f64,
    /// The kinetic energy that was taken from bodies when they fell asleep.
    pub sleep: f64,
    /// What of the change these three do not explain: what steps are too long for, and what is put in by motions that are given as functions
    /// of time.
    pub unexplained: f64,
    /// Impacts that added energy.
    pub created: Created,
}

/// Impacts that added energy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Created {
    /// How many.
    pub impacts: usize,
    /// How much in total.
    pub energy: f64,
}

/// One measure of the certificate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasureText {
    /// Its size, without unit.
    pub value: f64,
    /// The contact where it is worst; null if it is 0 everywhere.
    pub contact: Option<String>,
}

/// The worst certificate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CertificateText {
    /// The largest of the measures.
    pub worst: f64,
    /// When; null where there is no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<f64>,
    /// `penetration`, `tension`, `complementarity`, `cone`, `dissipation`.
    #[serde(flatten)]
    pub measures: BTreeMap<&'static str, MeasureText>,
    /// The momentum balance of the step.
    pub momentum: f64,
}

/// The deepest interpenetration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DriftText {
    /// The depth, in the unit of the gap.
    pub depth: f64,
    /// The contact; null if there was none.
    pub contact: Option<String>,
    /// When.
    pub t: f64,
}

/// By how much a start was moved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MovedText {
    /// The largest change of a coordinate.
    pub coordinate: f64,
    /// The largest change of a velocity.
    pub velocity: f64,
}

/// A state by names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StateText {
    /// Time.
    pub t: f64,
    /// Coordinates by name.
    pub coordinates: BTreeMap<String, f64>,
    /// Velocities by name.
    pub velocities: BTreeMap<String, f64>,
}

/// Wall-clock seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Timing {
    /// The whole run, without the plots.
    pub total: f64,
    /// Per stage of a step; empty if nobody measured.
    pub stages: BTreeMap<&'static str, f64>,
}

/// What a report does not know about a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The name of the scene.
    pub scene: String,
    /// The file that it comes from.
    pub source: Option<String>,
    /// Parameters.
    pub parameters: BTreeMap<String, f64>,
    /// Settings.
    pub settings: serde_json::Value,
    /// Samples taken.
    pub samples: usize,
    /// By how much coordinates and velocities of the scene were changed so that joints and constraints fit.
    pub joined: Option<StartMoved>,
}

impl Summary {
    /// A summary from a report and what the report does not know.
    #[must_use]
    pub fn new(facts: Facts, info: &SystemInfo, report: &Report, timing: Timing) -> Self {
        let Facts { scene, source, parameters, settings, samples, joined } = facts;
        let (status, reason) = match &report.end {
            End::Finished => ("finished", None),
            End::Stopped => ("stopped", None),
            End::Condition => ("condition", None),
            End::Failed(reason) => ("failed", Some(reason.clone())),
        };
        let mut certificate = CertificateText::new(&report.certificate, &|i| {
            let worst = report.certificate.worst_contact() == Some(i);
            info.contact_name(i, report.certificate_bodies.filter(|_| worst))
        });
        certificate.t = Some(report.certificate_t);
        let (start, end) = (report.energy_start, report.energy_end);
        let (impacts, energy) = report.energy_created;
        Self {
            scene,
            source,
            end: Ending { status, reason, t: report.state.t },
            parameters,
            settings,
            counts: Counts {
                steps: report.steps,
                split_steps: report.split_steps,
                plastic_steps: report.plastic_steps,
                missed_steps: report.missed_steps,
                swept_steps: report.swept_steps,
                asleep: report.asleep,
                woken: report.woken,
                contact_steps: report.contact_steps,
                impacts: report.impacts,
                events: report.events,
                samples,
                iterations: report.iterations,
            },
            energy: EnergyTexts {
                start: start.into(),
                end: end.into(),
                change: end.total() - start.total(),
                contact_work: report.contact_work,
                force_work: report.force_work,
                sleep: report.sleep_energy,
                unexplained: end.total() - start.total() - report.contact_work - report.force_work
                    + report.sleep_energy,
                created: Created { impacts, energy },
            },
            certificate,
            drift: DriftText {
                depth: report.drift.depth,
                contact: report.drift.contact.map(|i| info.contact_name(i, report.drift.bodies)),
                t: report.drift.t,
            },
            settling: report.settling,
            start_moved: report.start_moved.map(MovedText::from),
            start_joined: joined.map(MovedText::from),
            warnings: Vec::new(),
            state: StateText::new(info, &report.state),
            timing,
            versions: versions(),
        }
    }
}

impl From<StartMoved> for MovedText {
    fn from(m: StartMoved) -> Self {
        Self { coordinate: m.coordinate, velocity: m.velocity }
    }
}

impl From<Energy> for EnergyText {
    fn from(e: Energy) -> Self {
        Self { kinetic: e.kinetic, potential: e.potential, total: e.total() }
    }
}

impl CertificateText {
    /// The measures with the names of contacts.
    pub fn new(certificate: &Certificate, name: &dyn Fn(usize) -> String) -> Self {
        let text = |m: stickslip::contact::Measure| MeasureText {
            value: m.value,
            contact: m.contact.map(|c| name(c as usize)),
        };
        Self {
            worst: certificate.worst,
            t: None,
            measures: certificate.measures().into_iter().map(|(n, m)| (n, text(m))).collect(),
            momentum: certificate.momentum,
        }
    }
}

impl StateText {
    /// A state by the names of a system.
    #[must_use]
    pub fn new(info: &SystemInfo, state: &State) -> Self {
        let by_name = |names: &[String], values: &[f64]| {
            names.iter().cloned().zip(values.iter().copied()).collect()
        };
        Self {
            t: state.t,
            coordinates: by_name(&info.coordinates, &state.q),
            velocities: by_name(&info.velocities, &state.u),
        }
    }
}

impl Timing {
    /// What a timer measured.
    #[must_use]
    pub fn of(timer: &StageTimer, total: f64) -> Self {
        let stages = timer.stages().map(|(stage, time)| (stage.name(), time.as_secs_f64()));
        Self { total, stages: stages.collect() }
    }
}

/// The name of a contact, or its number if it has none.
/// The versions of the crates that make a run.
#[must_use]
pub fn versions() -> BTreeMap<&'static str, &'static str> {
    // One version for the whole workspace.
    let version = env!("CARGO_PKG_VERSION");
    ["complementarity", "stickslip", "stickslip-scene"].map(|name| (name, version)).into()
}
