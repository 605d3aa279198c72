//! Free rotation and a falling box, with rigid bodies and with four point masses per body (paper 5).
//!
//! Free rotation is held against elliptic functions, which a Taylor series of order 24 confirms. The box that falls has
//! impacts, so that its error is the root of the mean square over shifted grids, against the finest run.

mod fall;
mod scene;

use super::{Errors, FreeRotor, Variant, nanoseconds_per_step, run_free, taylor};
use crate::plot::LogLog;
use crate::{Error, Study, StudyReport, slope};
use glam::{DQuat, DVec3};
use serde_json::json;
use stickslip::bodies::SpinUpdate;
use stickslip::bodies::point_masses::DistanceStep;

/// For the table of cost: the angle that a run may be off, rad.
const WANTED: f64 = 1e-3;
/// All methods are of first order at least; a line that falls less shows steps that are too large for it.
const LEAST_ORDER: f64 = 0.5;
/// The motion is compared at so many times, so that steps come in multiples of it.
const TIMES: usize = 16;
/// Moments closer than this share are equal, and an angular velocity nearer than it to a principal axis is steady: the elliptic
/// functions degenerate there.
const APART: f64 = 1e-9;

/// A free rotation.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeMotion {
    /// For file names.
    pub file: String,
    /// Its heading.
    pub title: String,
    /// Angular velocity in body axes, rad/s.
    pub velocity: DVec3,
    /// How long, s.
    pub t_end: f64,
}

/// A fall of a box.
#[derive(Clone, Debug, PartialEq)]
pub struct Fall {
    /// For file names.
    pub file: String,
    /// For its heading.
    pub name: String,
    /// The coefficient of friction.
    pub mu: f64,
    /// How long, s.
    pub t_end: f64,
}

impl Fall {
    /// With what it does in words.
    pub fn new(file: &str, mu: f64, t_end: f64, what: &str) -> Self {
        let friction = if mu == 0.0 { "frictionless".to_owned() } else { format!("μ = {mu}") };
        Self { file: file.to_owned(), name: format!("{friction}, for {t_end} s{what}"), mu, t_end }
    }
}

/// What updates of rigid bodies and steps of point masses make of free rotation, and of a fall.
#[derive(Clone, Debug)]
pub struct TumbleStudy {
    /// Principal moments over the mass, m².
    pub moments: DVec3,
    /// Free rotations.
    pub motions: Vec<FreeMotion>,
    /// Falls of a box with edges of 0.4, 0.25 and 0.1 m.
    pub falls: Vec<Fall>,
    /// Steps of the coarsest run of a free rotation; a multiple of 16.
    pub steps: usize,
    /// Step sizes, each half of the one before; at most 7 are used for falls.
    pub sizes: usize,
    /// Shifted grids for falls.
    pub shifts: usize,
    /// Whether steps of free rotations are timed.
    pub cost: bool,
    /// Whether the flip of the scene `tumbling_box` is made with every model that scenes have.
    pub scene: bool,
}

impl Default for TumbleStudy {
    fn default() -> Self {
        let motion = |file: &str, title: &str, velocity| FreeMotion {
            file: file.to_owned(),
            title: title.to_owned(),
            velocity,
            t_end: 4.0,
        };
        Self {
            // Of a box with edges 0.4, 0.25, 0.1 m.
            moments: DVec3::new(
                (0.0625 + 0.01) / 12.0,
                (0.16 + 0.01) / 12.0,
                (0.16 + 0.0625) / 12.0,
            ),
            motions: vec![
                motion("flip", "Flip about the middle axis", DVec3::new(0.01, 6.0, 0.01)),
                motion("general", "General tumble", DVec3::new(3.0, 2.0, 4.0)),
            ],
            falls: vec![
                Fall::new("fall", 0.0, 0.8, ""),
                Fall::new("fall_corner", 0.3, 0.2, ": on its first corner"),
                Fall::new("fall_rest", 0.3, 0.8, ": until it rests"),
            ],
            steps: 256,
            sizes: 8,
            shifts: 8,
            cost: true,
            scene: true,
        }
    }
}

/// The errors of one model over step sizes; sizes that it refuses are left out.
type Series = Vec<(f64, Errors)>;

impl Study for TumbleStudy {
    fn run(&self, report: &mut StudyReport<'_>) -> Result<(), Error> {
        self.check()?;
        if self.scene {
            scene::flip(report)?;
        }
        if self.motions.is_empty() && self.falls.is_empty() {
            return Ok(());
        }
        report.section("tumble");
        for motion in &self.motions {
            let series = self.free_rotation(motion, report)?;
            let picture = plot(&motion.title, &series).to_svg();
            report.picture(format!("tumble_{}.svg", motion.file), picture);
        }
        self.falls.iter().try_for_each(|fall| fall::falling(self, fall, report))
    }
}

impl TumbleStudy {
    fn check(&self) -> Result<(), Error> {
        let moments = self.moments.to_array();
        Error::unless_positive(&moments, "moments")?;
        let apart = |a: f64, b: f64| (a - b).abs() > APART * a.max(b);
        let [a, b, c] = moments;
        Error::unless(apart(a, b) && apart(b, c) && apart(c, a), "moments", || {
            format!("{a}, {b}, {c} are not all different, as the closed form needs")
        })?;
        Error::unless(a + b >= c && b + c >= a && c + a >= b, "moments", || {
            format!("{a}, {b}, {c}: no body has a moment larger than the sum of the other two")
        })?;
        for motion in &self.motions {
            Error::unless_positive(&[motion.t_end], "duration")?;
            let [x, y, z] = motion.velocity.to_array();
            let size = motion.velocity.length();
            let parts = [x, y, z].iter().filter(|w| w.abs() > APART * size).count();
            Error::unless(size.is_finite() && parts > 1, "omega", || {
                format!("({x}, {y}, {z}) is no tumble; at least two components must not be 0")
            })?;
        }
        for fall in &self.falls {
            Error::unless_positive(&[fall.t_end], "duration")?;
            let good = fall.mu >= 0.0 && fall.mu.is_finite();
            Error::unless(good, "mu", || format!("{} is not 0 or a positive number", fall.mu))?;
        }
        Error::unless(self.steps.is_multiple_of(TIMES), "steps", || {
            format!("{} is not a multiple of {TIMES}", self.steps)
        })?;
        Error::unless_within(self.steps, (TIMES, 1 << 20), "steps")?;
        Error::unless_within(self.sizes, (2, 14), "sizes")?;
        Error::unless_within(self.shifts, (1, 1000), "shifts")
    }

    fn free_rotation(
        &self,
        motion: &FreeMotion,
        report: &mut StudyReport<'_>,
    ) -> Result<Vec<Series>, Error> {
        let FreeMotion { title, velocity, t_end, .. } = motion;
        let exact = FreeRotor::new(self.moments, DQuat::IDENTITY, *velocity);
        let (rotation, last) = taylor(self.moments, DQuat::IDENTITY, *velocity, *t_end);
        let between = angle(rotation, exact.rotation(*t_end));
        let slower = (last - exact.velocity(*t_end)).length();
        report.line(&format!(
            "### {title}\n\nΩ = ({}, {}, {}) rad/s in body axes, over {t_end} s. The two references differ by \
             {between:.1e} rad and {slower:.1e} rad/s at the end.\n",
            velocity.x, velocity.y, velocity.z
        ))?;
        let mut all = Vec::new();
        for model in Variant::ALL {
            let mut series = Series::new();
            for k in 0..self.sizes {
                let steps = self.steps << k;
                if let Some(e) = run_free(model, self.moments, *velocity, *t_end, steps)? {
                    let dt = t_end / steps as f64;
                    series.push((dt, e));
                    report.row(
                        "rotations",
                        json!({
                            "motion": motion.file, "model": model.name(), "dt": dt,
                            "angle": e.rotation, "energy": e.energy, "momentum": e.momentum,
                        }),
                    );
                }
            }
            all.push(series);
        }
        self.errors(&all, *t_end, report)?;
        if self.cost {
            self.cost(motion, &all, report)?;
        }
        Ok(all)
    }

    fn errors(
        &self,
        all: &[Series],
        t_end: f64,
        report: &mut StudyReport<'_>,
    ) -> Result<(), Error> {
        report.titles(
            "| model | angle at the coarsest step, rad | at the finest | order | energy at the finest | order | \
             momentum at the finest | order |",
            1,
        )?;
        for (model, series) in Variant::ALL.into_iter().zip(all) {
            let (Some(first), Some(last)) = (series.first(), series.last()) else { continue };
            let order = |pick: &dyn Fn(&Errors) -> f64| order_text(series, pick);
            report.line(&format!(
                "| {} | {:.1e} | {:.1e} | {} | {:.1e} | {} | {:.1e} | {} |",
                model.name(),
                first.1.rotation,
                last.1.rotation,
                order(&|e| e.rotation),
                last.1.energy,
                order(&|e| e.energy),
                last.1.momentum,
                order(&|e| e.momentum),
            ))?;
        }
        let finest = t_end / (self.steps << (self.sizes - 1)) as f64;
        let coarsest = t_end / self.steps as f64;
        report.line(&format!("\nSteps from {coarsest:.1e} s to {finest:.1e} s.\n"))
    }

    fn cost(
        &self,
        motion: &FreeMotion,
        all: &[Series],
        report: &mut StudyReport<'_>,
    ) -> Result<(), Error> {
        report.titles(&format!(
            "| model | ns per step | angle × that of `rigid, semi_implicit` at the same step | step for an angle of {WANTED:e}, s | \
             µs of computing per second of motion at that step |"
        ), 1)?;
        let base = &all[0];
        for (model, series) in Variant::ALL.into_iter().zip(all) {
            let time = nanoseconds_per_step(model, self.moments, motion.velocity, 2e-3)?;
            let (Some((_, error)), Some((_, other))) = (series.last(), base.last()) else {
                continue;
            };
            let step = step_for(series, WANTED).or_else(|| beyond(series, WANTED));
            report.row(
                "cost",
                json!({
                    "motion": motion.file, "model": model.name(), "nanoseconds_per_step": time,
                    "angle_over_semi_implicit": error.rotation / other.rotation,
                    "step_for_milliradian": step,
                }),
            );
            let cells = step.map_or("– | –".to_owned(), |step| {
                format!("{step:.1e} | {:.0}", 1e-3 * time / step)
            });
            report.line(&format!(
                "| {} | {time:.0} | {:.2e} | {cells} |",
                model.name(),
                error.rotation / other.rotation,
            ))?;
        }
        report.line("")
    }
}

/// The order of the finer half, or a word if the error is rounding all along.
fn order_text(series: &Series, pick: &dyn Fn(&Errors) -> f64) -> String {
    let finer = &series[series.len() / 2..];
    if finer.iter().all(|(_, e)| pick(e) < 1e-10) {
        return "rounding".to_owned();
    }
    // Below this, rounding bends the line.
    let clean: Vec<_> = finer.iter().filter(|(_, e)| pick(e) > 1e-11).collect();
    if clean.len() < 2 {
        return "–".to_owned();
    }
    format!("**{:.2}**", slope(clean.into_iter().map(|(dt, e)| (*dt, pick(e)))))
}

/// The largest step from which on the angle stays within a bound, between two sizes by their logarithms.
fn step_for(series: &Series, bound: f64) -> Option<f64> {
    let first = series.iter().position(|(_, e)| e.rotation <= bound)?;
    let (dt, e) = series[first];
    let Some((before, larger)) = first.checked_sub(1).map(|i| series[i]) else { return Some(dt) };
    let share = (bound / e.rotation).ln() / (larger.rotation / e.rotation).ln();
    Some(dt * (before / dt).powf(share))
}

/// The same beyond the finest size, along the line through the last three; none where they show no order.
fn beyond(series: &Series, bound: f64) -> Option<f64> {
    let (dt, error) = series.last()?;
    let order = slope(series.iter().rev().take(3).map(|(dt, e)| (*dt, e.rotation)));
    (order > LEAST_ORDER).then(|| dt * (bound / error.rotation).powf(1.0 / order))
}

fn angle(a: DQuat, b: DQuat) -> f64 {
    let off = a.conjugate() * b;
    2.0 * DVec3::new(off.x, off.y, off.z).length().atan2(off.w.abs())
}

fn plot(title: &str, all: &[Series]) -> LogLog {
    // Two curves that lie on each other are drawn as one.
    let (same, with) = (Variant::Masses(DistanceStep::Shake, true), SpinUpdate::Variational);
    let name = |model: Variant| match model {
        Variant::Rigid(update) if update == with => format!("{}; {}", model.name(), same.name()),
        _ => model.name(),
    };
    let drawn = Variant::ALL.into_iter().zip(all).filter(|(model, _)| *model != same);
    let curves: Vec<(String, Vec<(f64, f64)>)> = drawn
        .map(|(model, s)| (name(model), s.iter().map(|(dt, e)| (*dt, e.rotation)).collect()))
        .collect();
    let middle = all[0].get(all[0].len() / 2).map_or(1e-3, |x| x.0);
    LogLog {
        title: format!("{title}: angle to the exact rotation"),
        x: "dt, s".to_owned(),
        y: "largest angle, rad".to_owned(),
        curves,
        slopes: vec![
            ("order 1".to_owned(), 1.0, (middle, 0.3)),
            ("order 2".to_owned(), 2.0, (middle, 1e-6)),
        ],
        ..LogLog::default()
    }
}
