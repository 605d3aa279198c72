//! Classical motions of bodies in space that have closed forms: how each is set up, and what is known of it.
//!
//! Each case is a function from step sizes to [`Measure`]s, for tests and for the command `classics` alike.

mod chain;
mod disc;
mod euler_disc;
mod linkage;
mod slider_crank;
mod sphere;
mod tippe_top;
mod top;
mod turntable;

pub use chain::{Chain, LINKS, Start, chain};
pub use disc::{Rolling, rolling, wobble};
pub use euler_disc::{EulerDisc, Loss, falling, quasi_steady, spinning};
pub use linkage::four_bar;
pub use slider_crank::{Clearance, Knocks, loose_slider_crank, slider_crank};
pub use sphere::{critical_friction, slide_to_roll, slope};
pub use tippe_top::{TippeTop, TurningOver, tippe_top};
pub use top::{Top, nutation, precession};
pub use turntable::turntable;

use stickslip::bodies::World;
use stickslip::model::Model;
use stickslip::step::{self, Stepper};
use stickslip::{Error, State};

/// The acceleration of gravity in all of them, m/s².
pub const G: f64 = 9.81;

/// One number with a closed form, over step sizes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measure {
    /// The motion.
    pub case: &'static str,
    /// What is compared, with its unit.
    pub quantity: &'static str,
    /// What it should be.
    pub exact: f64,
    /// Step sizes, falling.
    pub sizes: Vec<f64>,
    /// What came out with each.
    pub computed: Vec<f64>,
    /// The worst certificate of all steps.
    pub worst: f64,
    /// By how much the energy ever rose above what it had been before, as a share of its scale; infinite if it was not a number.
    pub rise: f64,
    /// Whether something works on the bodies, so that their energy may rise.
    pub driven: bool,
}

impl Measure {
    /// A quantity without results yet.
    pub fn new(case: &'static str, quantity: &'static str, exact: f64) -> Self {
        Self { case, quantity, exact, ..Self::default() }
    }

    /// Adds a result.
    pub fn add(&mut self, dt: f64, computed: f64, ride: &Ride) {
        self.sizes.push(dt);
        self.computed.push(computed);
        self.worst = self.worst.max(ride.worst);
        self.rise = self.rise.max(ride.rise());
    }

    /// Differences from the closed form, as shares of it unless it is 0.
    pub fn errors(&self) -> Vec<f64> {
        let scale = if self.exact == 0.0 { 1.0 } else { self.exact.abs() };
        self.computed.iter().map(|c| (c - self.exact).abs() / scale).collect()
    }

    /// The error with the smallest step.
    pub fn error(&self) -> f64 {
        self.errors().last().copied().unwrap_or(f64::NAN)
    }

    /// The exponent of the step size in the error, from the largest step to the smallest; None where errors are rounding.
    pub fn order(&self) -> Option<f64> {
        let errors = self.errors();
        let (first, last) = (errors.first()?, errors.last()?);
        let sizes = self.sizes.first()? / self.sizes.last()?;
        let seen = errors.len() > 1 && *last > ROUNDING && *first > ROUNDING;
        seen.then(|| (first / last).ln() / sizes.ln())
    }
}

/// Errors below this say nothing about an order.
const ROUNDING: f64 = 1e-11;

/// A world on its way, with what is watched at every step.
#[derive(Debug)]
pub struct Ride {
    /// The bodies.
    pub world: World,
    /// Where they are.
    pub state: State,
    stepper: Stepper<World>,
    /// The worst certificate so far.
    pub worst: f64,
    /// The energies that rises are shares of, and the lowest and the largest rise from it so far.
    scale: f64,
    lowest: f64,
    risen: f64,
}

impl Ride {
    /// A world at a state. Rises of its energy are reported as shares of `scale`.
    ///
    /// # Errors
    /// Never with the default settings.
    pub fn new(world: World, state: State, scale: f64) -> Result<Self, Error> {
        let stepper = Stepper::new(&world, step::Settings::default())?;
        let lowest = world.energy(&state.q, &state.u, state.t).total();
        Ok(Self { world, state, stepper, worst: 0.0, scale, lowest, risen: 0.0 })
    }

    /// The same with other settings of the steps.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn with(mut self, settings: &step::Settings) -> Result<Self, Error> {
        self.stepper = Stepper::new(&self.world, settings.clone())?;
        Ok(self)
    }

    /// One step.
    ///
    /// # Errors
    /// If the step has no answer or the world refuses.
    pub fn step(&mut self, dt: f64) -> Result<(), Box<dyn std::error::Error>> {
        let unsolved = self.stepper.step(&self.world, &mut self.state, dt, &mut ())?;
        if let Err(unsolved) = unsolved.done() {
            return Err(format!("at t = {}: {unsolved:?}", self.state.t).into());
        }
        self.worst = self.worst.max(self.stepper.outcome().certificate.worst);
        let energy = self.energy();
        let risen = energy - self.lowest;
        self.risen = if risen.is_nan() { f64::INFINITY } else { self.risen.max(risen) };
        self.lowest = self.lowest.min(energy);
        Ok(())
    }

    /// Steps of about `dt` that end after `time`, with a look after each.
    ///
    /// # Errors
    /// If a step has no answer or the world refuses.
    pub fn go(
        &mut self,
        time: f64,
        dt: f64,
        mut look: impl FnMut(&Self),
    ) -> Result<(), Box<dyn std::error::Error>> {
        let steps = (time / dt).round().max(1.0);
        for _ in 0..steps as usize {
            self.step(time / steps)?;
            look(self);
        }
        Ok(())
    }

    /// Kinetic and potential energy.
    #[must_use]
    pub fn energy(&self) -> f64 {
        self.world.energy(&self.state.q, &self.state.u, self.state.t).total()
    }

    /// In how many parts joints had the last step made.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.stepper.place().parts()
    }

    /// The largest rise of the energy above an earlier value, as a share of the scale.
    pub fn rise(&self) -> f64 {
        self.risen / self.scale
    }

    /// What the last step did.
    pub fn outcome(&self) -> &stickslip::step::StepOutcome {
        self.stepper.outcome()
    }
}

/// What a case comes to.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The complete elliptic integral of the first kind, by the mean of Gauss.
pub(crate) fn elliptic_k(k: f64) -> f64 {
    let (mut a, mut b) = (1.0_f64, (1.0 - k * k).sqrt());
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::PI / (2.0 * a)
}
