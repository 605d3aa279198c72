//! Runs of all models with halved steps, and how far they are apart.

use super::build::Part;
use super::{MODELS, Plan, Variant};
use std::collections::BTreeMap;
use stickslip::bodies::{Pose, Twist};
use stickslip::step;
use stickslip_studies::slope;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Centres of mass, m.
    Place,
    /// Rotations, rad.
    Turn,
    /// Velocities of the centres, m/s.
    Velocity,
    /// Angular velocities, rad/s.
    Spin,
    /// The sum of the impulses of all contacts over the run, in their frames, and those of stops, N s: how contacts of one body
    /// share their load is not determined.
    Contact,
    /// Impulses of joints over the run, in their frames, N s and N m s; of models that have them in the contact problem.
    Joint,
}

/// All of them, with their names and units.
pub const QUANTITIES: [(Quantity, &str); 6] = [
    (Quantity::Place, "place, m"),
    (Quantity::Turn, "turn, rad"),
    (Quantity::Velocity, "velocity, m/s"),
    (Quantity::Spin, "spin, rad/s"),
    (Quantity::Contact, "contact, N s"),
    (Quantity::Joint, "joint, N s"),
];

/// Differences of each quantity; none where one of the two does not have it.
pub type Differences = [Option<f64>; QUANTITIES.len()];

/// What two models, or one and the reference, differ by.
#[derive(Clone, Debug)]
pub struct Row {
    /// Which.
    pub name: String,
    /// For each step size, the largest first.
    pub differences: Vec<Differences>,
}

/// The result for one plan.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// Step sizes, the largest first.
    pub sizes: Vec<f64>,
    /// Each model against the reference.
    pub to_reference: Vec<Row>,
    /// The worst of all pairs of models, each pair on the same grids.
    pub between: Row,
    /// The worst certificate of any step.
    pub worst: f64,
}

impl Row {
    /// The slope of a quantity over the step sizes at which it is more than rounding; none if these are less than two.
    pub fn order(&self, sizes: &[f64], quantity: usize) -> Option<f64> {
        let all = sizes.iter().zip(&self.differences);
        let points = all.filter_map(|(dt, d)| Some((*dt, d[quantity]?)));
        let points: Vec<(f64, f64)> = points.filter(|p| p.1 > ROUNDING).collect();
        (points.len() > 1).then(|| slope(points.into_iter()))
    }
}

/// Differences below this are those of rounding and of the tolerance of the solver.
const ROUNDING: f64 = 1e-8;

/// How much finer the reference is than the finest run.
const FINER: usize = 16;

/// The end of a run.
struct Ended {
    motions: Vec<(Pose, Twist)>,
    impulses: BTreeMap<Part, Vec<f64>>,
    worst: f64,
}

/// Runs every model of a plan with `halvings` + 1 step sizes, and the articulated model with much smaller ones as reference.
///
/// # Errors
/// What stopped a run, with the names of model and plan.
pub fn agreement(plan: &Plan, halvings: u32) -> Result<Agreement, String> {
    let shares: Vec<f64> = (1..=plan.shifts).map(|k| k as f64 / plan.shifts as f64).collect();
    let finest = plan.steps << halvings;
    let reference = run(plan, &MODELS[2], FINER * finest, 1.0)?;
    let mut sizes = Vec::new();
    let mut to_reference: Vec<Row> =
        MODELS.iter().map(|m| Row { name: m.name.to_owned(), differences: Vec::new() }).collect();
    let mut between = Row { name: "worst pair of models".to_owned(), differences: Vec::new() };
    let mut worst = reference.worst;
    for halving in 0..=halvings {
        let steps = plan.steps << halving;
        sizes.push(plan.t_end / steps as f64);
        let mut ends: Vec<Vec<Ended>> = Vec::new();
        for model in &MODELS {
            let runs: Result<Vec<_>, _> =
                shares.iter().map(|share| run(plan, model, steps, *share)).collect();
            ends.push(runs?);
        }
        worst = ends.iter().flatten().fold(worst, |w, e| w.max(e.worst));
        for (row, runs) in to_reference.iter_mut().zip(&ends) {
            let each: Vec<_> = runs.iter().map(|e| apart(plan, e, &reference)).collect();
            row.differences.push(mean(&each));
        }
        let mut pairs: Differences = [None; QUANTITIES.len()];
        for (i, a) in ends.iter().enumerate() {
            for b in &ends[..i] {
                let each: Vec<_> = a.iter().zip(b).map(|(a, b)| apart(plan, a, b)).collect();
                for (worst, x) in pairs.iter_mut().zip(mean(&each)) {
                    // None is less than every number.
                    if x > *worst {
                        *worst = x;
                    }
                }
            }
        }
        between.differences.push(pairs);
    }
    Ok(Agreement { sizes, to_reference, between, worst })
}

/// One run whose first step is a share of the others, and the last what is left.
fn run(plan: &Plan, model: &Variant, steps: usize, share: f64) -> Result<Ended, String> {
    let named = |e: &dyn std::fmt::Display| format!("{}, {}: {e}", plan.name, model.name);
    let mut moving = (model.build)(plan).map_err(|e| named(&e))?;
    let settings = step::Settings { margin: plan.margin, ..step::Settings::default() };
    let model = &*moving.model;
    let mut stepper = model.steps(settings).map_err(|e| named(&e))?;
    let dt = plan.t_end / steps as f64;
    let (mut impulses, mut worst) = (BTreeMap::<Part, Vec<f64>>::new(), 0.0_f64);
    let shifted = share < 1.0;
    for k in 0..steps + usize::from(shifted) {
        let length = match k {
            0 if shifted => share * dt,
            k if k == steps => (1.0 - share) * dt,
            _ => dt,
        };
        let step = stepper.step(&mut moving.state, length);
        step.map_err(|e| named(&e))?.done().map_err(|e| named(&format!("{e:?}")))?;
        let o = stepper.outcome();
        worst = worst.max(o.certificate.worst);
        let mut row = 0;
        for &i in &o.active {
            let candidate = &o.candidates[i];
            let size = stepper.components(i);
            let part = moving.parts.iter().find(|(identity, _)| *identity == candidate.identity);
            if let Some((_, part)) = part {
                let part = if let Part::Contact(_) = part { &Part::Contact(0) } else { part };
                let sum = impulses.entry(*part).or_insert_with(|| vec![0.0; size]);
                sum.iter_mut().zip(&o.impulse[row..row + size]).for_each(|(s, x)| *s += x);
            }
            row += size;
        }
    }
    let motions = model.motions(&moving.state).map_err(|e| named(&e))?;
    Ok(Ended { motions, impulses, worst })
}

/// The worst of all links, contacts and joints.
fn apart(plan: &Plan, a: &Ended, b: &Ended) -> Differences {
    let links = || a.motions.iter().zip(&b.motions);
    let most = |f: fn(&(Pose, Twist), &(Pose, Twist)) -> f64| {
        Some(links().map(|(a, b)| f(a, b)).fold(0.0, f64::max))
    };
    let joint = |p: &Part| matches!(p, Part::Joint(_));
    let has_joints = |e: &Ended| e.impulses.keys().any(joint);
    let impulses = |joints: bool| {
        let keys = a.impulses.keys().chain(b.impulses.keys()).filter(|p| joint(p) == joints);
        keys.map(|part| off(a.impulses.get(part), b.impulses.get(part))).fold(None, f64_max)
    };
    let joints = plan.determinate() && has_joints(a) && has_joints(b);
    [
        most(|a, b| (a.0.position - b.0.position).length()),
        most(|a, b| {
            let turn = a.0.rotation * b.0.rotation.conjugate();
            2.0 * turn.xyz().length()
        }),
        most(|a, b| (a.1.linear - b.1.linear).length()),
        most(|a, b| (a.1.angular - b.1.angular).length()),
        impulses(false),
        joints.then(|| impulses(true)).flatten(),
    ]
}

fn f64_max(a: Option<f64>, b: f64) -> Option<f64> {
    Some(a.map_or(b, |a| a.max(b)))
}

/// The length of the difference of two impulses, of which one may be none.
fn off(a: Option<&Vec<f64>>, b: Option<&Vec<f64>>) -> f64 {
    let size = a.or(b).map_or(0, Vec::len);
    let at = |x: Option<&Vec<f64>>, i: usize| x.and_then(|x| x.get(i)).copied().unwrap_or(0.0);
    (0..size).map(|i| (at(a, i) - at(b, i)).powi(2)).sum::<f64>().sqrt()
}

/// Roots of the mean squares.
fn mean(each: &[Differences]) -> Differences {
    std::array::from_fn(|q| {
        let squares: Option<Vec<f64>> = each.iter().map(|d| d[q].map(|x| x * x)).collect();
        squares.map(|s| (s.iter().sum::<f64>() / s.len() as f64).sqrt())
    })
}
