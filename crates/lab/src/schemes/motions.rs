//! The motions on which schemes are compared, with their closed forms.

use super::NoNumber;
use crate::{March, start_on_contact};
use stickslip::State;
use stickslip::contact::Law;
use stickslip::model::Generalised;
use stickslip::models::{Linear, LinearContact, Woodpecker};
use stickslip::run::{End, Settings, run};
use stickslip::step::{self, Integrator};

const G: f64 = 9.81;
/// φ_S of the woodpecker.
const PHI_S: usize = 2;
/// The coefficient of friction, the speed and the height of the block.
const MU: f64 = 0.3;
const SPEED: f64 = 1.0;
const HEIGHT: f64 = 0.05;

/// A motion, and one number of it at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// A ball falls from 1 m and bounces with ε_N = ½: its height after two impacts.
    Ball,
    /// A hard ball falls from 1 m at 1 m/s without spin, with ε_N = 1 and ε_T = 1: its way after an impact.
    Superball,
    /// The same with ε_T = 0, which rolls after the impact.
    RollingBall,
    /// A block falls from 5 cm at 1 m/s, stays on the floor and slides with μ = 0.3: its way while it slides.
    Block,
    /// The woodpecker of Table I (ε = ½ at the beak, μ = 0.3): φ_S after five impacts.
    Woodpecker,
    /// The same without restitution.
    PlasticWoodpecker,
    /// The same with restitution and μ = 0.01.
    SlipperyWoodpecker,
}

impl Motion {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Ball,
        Self::Superball,
        Self::RollingBall,
        Self::Block,
        Self::Woodpecker,
        Self::PlasticWoodpecker,
        Self::SlipperyWoodpecker,
    ];

    /// Its name and the number that is compared.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ball => "bouncing ball, ε_N = 0.5: y at 1 s, m",
            Self::Superball => "superball, ε_N = ε_T = 1: x at 1.2 s, m",
            Self::RollingBall => "superball, ε_N = 1, ε_T = 0: x at 1.2 s, m",
            Self::Block => "block that lands and slides, ε = 0: x at 0.2 s, m",
            Self::Woodpecker => "woodpecker, ε_N = 0.5 at the beak, μ = 0.3: φ_S at 0.14 s, rad",
            Self::PlasticWoodpecker => "woodpecker, ε = 0, μ = 0.3: φ_S at 0.14 s, rad",
            Self::SlipperyWoodpecker => {
                "woodpecker, ε_N = 0.5 at the beak, μ = 0.01: φ_S at 0.14 s, rad"
            }
        }
    }

    /// When it ends, in seconds.
    #[must_use]
    pub fn time(self) -> f64 {
        match self {
            Self::Ball => 1.0,
            Self::Superball | Self::RollingBall => 1.2,
            Self::Block => 0.2,
            Self::Woodpecker | Self::PlasticWoodpecker | Self::SlipperyWoodpecker => 0.14,
        }
    }

    /// The number by its closed form; of the woodpecker by events.
    ///
    /// # Errors
    /// If the run by events fails.
    pub fn exact(self) -> Result<f64, NoNumber> {
        let (t, fall) = (self.time(), (2.0 / G).sqrt());
        Ok(match self {
            Self::Ball => {
                // Up with g t₁/4 after the second impact, at 2 t₁.
                let left = t - 2.0 * fall;
                0.25 * G * fall * left - 0.5 * G * left * left
            }
            Self::Superball => fall + 3.0 / 7.0 * (t - fall),
            Self::RollingBall => fall + 5.0 / 7.0 * (t - fall),
            Self::Block => {
                let fall = (2.0 * HEIGHT / G).sqrt();
                let (speed, left) = (SPEED - MU * G * fall, t - fall);
                SPEED * fall + speed * left - 0.5 * MU * G * left * left
            }
            Self::Woodpecker => by_events(Woodpecker::default(), t)?,
            Self::PlasticWoodpecker => by_events(plastic(), t)?,
            Self::SlipperyWoodpecker => by_events(slippery(), t)?,
        })
    }

    /// Whether a scheme at the level of positions divides impacts of this motion between two steps with different friction, so that
    /// their sum is not the impact of Newton's law.
    #[must_use]
    pub fn splits_impacts(self, scheme: Integrator) -> bool {
        let positions = matches!(scheme, Integrator::GapLevel | Integrator::PaoliSchatzman);
        positions && matches!(self, Self::Woodpecker | Self::PlasticWoodpecker)
    }

    /// The number by a scheme with `steps` equal steps.
    ///
    /// # Errors
    /// If the scheme refuses the motion, or a step has no answer.
    pub fn end(self, scheme: Integrator, steps: usize) -> Result<f64, NoNumber> {
        let dt = self.time() / steps as f64;
        let bird = match self {
            Self::Woodpecker => Some(Woodpecker::default()),
            Self::PlasticWoodpecker => Some(plastic()),
            Self::SlipperyWoodpecker => Some(slippery()),
            _ => None,
        };
        if let Some(bird) = bird {
            let mut march = March::new(bird.system(), start_on_contact(), scheme)?;
            march.steps(steps, dt)?;
            return Ok(march.state.q[PHI_S]);
        }
        let (system, start, shown) = self.system()?;
        let mut march = March::new(system, start, scheme)?;
        march.steps(steps, dt)?;
        Ok(march.state.q[shown])
    }

    /// The deepest penetration of the bouncing ball as a multiple of the way that it falls in a step before the first impact.
    ///
    /// # Errors
    /// As [`end`](Self::end).
    pub fn depth_of_ball(scheme: Integrator, steps: usize) -> Result<f64, NoNumber> {
        let dt = Self::Ball.time() / steps as f64;
        let (system, start, shown) = Self::Ball.system()?;
        let mut march = March::new(system, start, scheme)?;
        let mut deepest = 0.0_f64;
        for _ in 0..steps {
            march.step(dt)?;
            deepest = deepest.max(-march.state.q[shown]);
        }
        Ok(deepest / (dt * (2.0 * G).sqrt()))
    }

    /// The system, its start, and the coordinate that is compared.
    fn system(self) -> Result<(Linear, State, usize), NoNumber> {
        let ball = |eps_t: f64| {
            let law = Law::coulomb(2.0).with_restitution(1.0, eps_t);
            let floor = LinearContact::new(vec![0.0, 1.0, 0.0], vec![1.0, 0.0, 1.0], law);
            // x, y, and r φ with 2/5 of the mass.
            let system = Linear::diagonal(&[1.0, 1.0, 0.4], &[0.0, -G, 0.0], vec![floor])?;
            Ok((system, State::new(vec![0.0, 1.0, 0.0], vec![1.0, 0.0, 0.0]), 0))
        };
        match self {
            Self::Ball => {
                let law = Law::coulomb(0.0).with_restitution(0.5, 0.0);
                let floor = LinearContact::new(vec![1.0], vec![0.0], law);
                let system = Linear::diagonal(&[1.0], &[-G], vec![floor])?;
                Ok((system, State::new(vec![1.0], vec![0.0]), 0))
            }
            Self::Superball => ball(1.0),
            Self::RollingBall => ball(0.0),
            _ => {
                let floor = LinearContact::new(vec![0.0, 1.0], vec![1.0, 0.0], Law::coulomb(MU));
                let system = Linear::diagonal(&[1.0, 1.0], &[0.0, -G], vec![floor])?;
                Ok((system, State::new(vec![0.0, HEIGHT], vec![SPEED, 0.0]), 0))
            }
        }
    }
}

fn plastic() -> Woodpecker {
    Woodpecker { eps_n: [0.0; 3], ..Woodpecker::default() }
}

fn slippery() -> Woodpecker {
    Woodpecker { mu: 0.01, ..Woodpecker::default() }
}

/// φ_S of a bird at a time, by events.
fn by_events(bird: Woodpecker, t_end: f64) -> Result<f64, NoNumber> {
    let step = step::Settings { integrator: Integrator::EventDriven, ..Default::default() };
    let settings = Settings { t_end, step, ..Settings::default() };
    let model = Generalised::new(bird.system())?;
    let report = run(&model, &start_on_contact(), &settings, &mut (), &mut ())?;
    match report.end {
        End::Finished => Ok(report.state.q[PHI_S]),
        other => Err(NoNumber(format!("by events: {other:?}"))),
    }
}
