//! A disc that slides and spins until it stops: by steps, and by an accurate integration at the level of
//! accelerations.

use super::{GRAVITY, Patch, Rig};
use crate::{Error, slope};
use stickslip::contact::set::ConvexSet;
use stickslip::contact::{Law, Mode};
use stickslip::level::{Level, Snapshot};

/// A velocity below this share of the first one is none, where sliding and spinning end apart.
const STILL: f64 = 1e-8;
/// The accurate integration ends when the slip is this share of the first one: what is left of the time is below rounding.
const END: f64 = 1e-18;
/// The most turns of a loop.
const MOST: usize = 10_000_000;

/// A disc with its law and its start: v along x and ω.
#[derive(Clone, Debug)]
pub struct Disc {
    /// m, kg.
    pub mass: f64,
    /// J, kg m².
    pub inertia: f64,
    /// The law of its one contact, N, T, O, R.
    pub law: Law,
    /// m/s.
    pub v: f64,
    /// rad/s.
    pub omega: f64,
}

/// Where a motion is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// s.
    pub t: f64,
    /// m/s.
    pub v: f64,
    /// rad/s.
    pub omega: f64,
}

/// A motion until its end.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// From the start to the end.
    pub samples: Vec<Sample>,
    /// When sliding and when spinning ended.
    pub stops: [f64; 2],
}

impl Disc {
    fn snapshot(&self) -> Result<Snapshot, stickslip::Error> {
        let (mass, inertia, law) = (self.mass, self.inertia, self.law.clone());
        let patch = Patch { mass, inertia, middle: [0.0; 2], law };
        patch.snapshot([0.0; 3], 0.0, [0.0, self.v, 0.0, self.omega])
    }

    /// Steps of a given length until nothing moves. An end is placed within its step by the share of the
    /// friction that it took.
    ///
    /// # Errors
    /// If a step has no certified answer, or the disc does not come to rest.
    pub fn step(&self, rig: &mut Rig, dt: f64) -> Result<Motion, Error> {
        let mut body = self.snapshot()?;
        let (mut motion, mut ended) = (Motion::default(), [false; 2]);
        motion.samples.push(Sample { t: 0.0, v: self.v, omega: self.omega });
        for step in 0..MOST {
            let (problem, answer) = rig.solve(&body, &self.law, Level::Step(dt))?;
            let change = body.change(&answer.impulse, dt)?;
            for (u, change) in body.velocity.iter_mut().zip(change) {
                *u += change;
            }
            let t = dt * step as f64;
            let (v, omega) = (body.velocity[1].hypot(body.velocity[2]), body.velocity[3]);
            motion.samples.push(Sample { t: t + dt, v, omega });
            let stays = answer.mode(&problem, 0) == Mode::Stick;
            let still = [v <= STILL * self.v, omega.abs() <= STILL * self.omega.abs()];
            let now = still.map(|still| stays || (self.parts_end_apart() && still));
            let friction = &answer.impulse[1..];
            let parts = [[friction[0], friction[1], 0.0], [0.0, 0.0, friction[2]]];
            let together = stays && ended == [false; 2];
            for i in 0..2 {
                if now[i] && !ended[i] {
                    let used = if together { friction } else { &parts[i][..] };
                    let full = self.law.mu * answer.impulse[0];
                    let share = self.law.kind.set().map_or(1.0, |f| f.gauge(used) / full);
                    motion.stops[i] = t + dt * share;
                    ended[i] = true;
                }
            }
            if ended == [true; 2] {
                return Ok(motion);
            }
        }
        Err(Error::Unsolved("the disc does not come to rest".to_owned()))
    }

    /// The equations of motion, integrated to the end with the accelerations of the contact problem. In the time
    /// ds = dt / h_F(−γ_T) they have no singularity at rest: velocities decay like exponentials, and t
    /// converges. Runge and Kutta's method of fourth order, with steps over which nothing changes by more than the share
    /// `h`.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn slide(&self, rig: &mut Rig, h: f64) -> Result<Motion, Error> {
        let mut body = self.snapshot()?;
        let mut motion = Motion::default();
        let mut at = [0.0, self.v, self.omega];
        let mut first = None;
        for _ in 0..MOST {
            motion.samples.push(Sample { t: at[0], v: at[1], omega: at[2] });
            let k1 = self.rates(rig, &mut body, at)?;
            if k1[0] <= END * *first.get_or_insert(k1[0]) {
                motion.stops = [at[0]; 2];
                return Ok(motion);
            }
            let fastest = (k1[1] / at[1]).abs().max((k1[2] / at[2]).abs());
            let ds = h / fastest;
            let moved = |k: [f64; 3], ds: f64| std::array::from_fn(|i| at[i] + ds * k[i]);
            let k2 = self.rates(rig, &mut body, moved(k1, 0.5 * ds))?;
            let k3 = self.rates(rig, &mut body, moved(k2, 0.5 * ds))?;
            let k4 = self.rates(rig, &mut body, moved(k3, ds))?;
            for i in 0..3 {
                at[i] += ds / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
            }
        }
        Err(Error::Unsolved("the disc does not come to rest".to_owned()))
    }

    /// d/ds of (t, v, ω).
    fn rates(&self, rig: &mut Rig, body: &mut Snapshot, at: [f64; 3]) -> Result<[f64; 3], Error> {
        body.velocity.copy_from_slice(&[0.0, at[1], 0.0, at[2]]);
        let (_, answer) = rig.solve(body, &self.law, Level::Acceleration(0.0))?;
        let acceleration = body.change(&answer.impulse, 1.0)?;
        let slip = self.law.kind.set().map_or(0.0, |f| f.support(&[-at[1], 0.0, -at[2]]));
        Ok([slip, slip * acceleration[1], slip * acceleration[3]])
    }

    /// The motion on a set on which sliding and spinning slow down each at a rate of its own: from one end to the next with
    /// the accelerations of the contact problem. A component that has ended stays at rest.
    ///
    /// # Errors
    /// If a problem has no certified answer, or a component does not slow down.
    pub fn slide_by_events(&self, rig: &mut Rig) -> Result<Motion, Error> {
        let mut body = self.snapshot()?;
        let mut motion = Motion::default();
        let mut at = Sample { t: 0.0, v: self.v, omega: self.omega };
        motion.samples.push(at);
        while at.v > 0.0 || at.omega > 0.0 {
            body.velocity.copy_from_slice(&[0.0, at.v, 0.0, at.omega]);
            let (_, answer) = rig.solve(&body, &self.law, Level::Acceleration(0.0))?;
            let acceleration = body.change(&answer.impulse, 1.0)?;
            let left = |x: f64, a: f64| if x > 0.0 { -x / a } else { f64::INFINITY };
            let (slide, spin) = (left(at.v, acceleration[1]), left(at.omega, acceleration[3]));
            let dt = slide.min(spin);
            if !(dt > 0.0) {
                let text = format!("neither sliding nor spinning ends: {acceleration:?}");
                return Err(Error::Unsolved(text));
            }
            at.t += dt;
            let after = |x: f64, a: f64, left: f64| if left <= dt { 0.0 } else { x + dt * a };
            let (v, omega) = (at.v, at.omega);
            at.v = if v > 0.0 { after(v, acceleration[1], slide) } else { 0.0 };
            at.omega = if omega > 0.0 { after(omega, acceleration[3], spin) } else { 0.0 };
            if v > 0.0 && at.v == 0.0 {
                motion.stops[0] = at.t;
            }
            if omega > 0.0 && at.omega == 0.0 {
                motion.stops[1] = at.t;
            }
            motion.samples.push(at);
        }
        Ok(motion)
    }

    /// Whether sliding can end before spinning. On a set that is round it cannot: a spin without sliding has no friction
    /// sideways, which is what would have ended the sliding. A step ends both or none, however small they are.
    fn parts_end_apart(&self) -> bool {
        matches!(self.law.kind.set(), Some(ConvexSet::Mixed { .. }))
    }

    /// A time in which friction stops a particle as fast as the rim of the disc: the scale of step sizes.
    pub fn scale(&self) -> f64 {
        self.v / (self.law.mu * GRAVITY)
    }
}

impl Motion {
    /// p of v ∝ ω^p, fitted over the part of the motion in which ω is at least this share of its start.
    pub fn exponent(&self, share: f64) -> f64 {
        let least = self.samples.first().map_or(0.0, |s| share * s.omega);
        let part = self.samples.iter().take_while(|s| s.omega >= least && s.v > 0.0);
        slope(part.map(|s| (s.omega, s.v)))
    }

    /// v/ω where ω has fallen to this share of its start, between samples by powers; none if the motion ends before.
    pub fn ratio_at(&self, share: f64) -> Option<f64> {
        let target = share * self.samples.first()?.omega;
        let pair = self.samples.windows(2).find(|w| w[1].omega <= target)?;
        let (a, b) = (pair[0], pair[1]);
        if !(b.omega > 0.0 && b.v > 0.0) {
            return None;
        }
        let part = (target / a.omega).ln() / (b.omega / a.omega).ln();
        Some((a.v / a.omega) * ((b.v / b.omega) / (a.v / a.omega)).powf(part))
    }
}
