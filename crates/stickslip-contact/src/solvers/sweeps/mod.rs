//! Sweeps over contacts in the velocities of bodies, with conjugate extrapolation: for many contacts.
//!
//! Block Gauss-Seidel with an exact solver per contact, as [`Nsgs`](super::Nsgs), but in place of ξ at all contacts the velocities
//! u = A Λ of the bodies are kept (W = AᵀA): a contact reads and writes two bodies, however many others touch them, and W is not
//! needed. One sweep forth and one back are a step g towards the solution; steps are extrapolated as those of nonlinear conjugate gradients
//! (Fletcher and Reeves; Silcowitz-Hansen, Niebe, Erleben 2010):
//!
//! Λ ← P(Λ + β d), d ← β d + g, β = |g|²/|g₋|², where the norm weighs each contact with its W_NN,
//!
//! anew from d = g where β > 1; P projects on the cones. Since u is linear in Λ, the extrapolation of Λ is that of u, but for
//! what P moves.

mod packed;

use super::{BlockForm, FormBuffer, check_tolerance, method};
use crate::Error;
use crate::body_rows::Six;
use crate::solve::ContactSolution;
use complementarity::Failure;
use packed::{Packed, ROWS, Vector};

/// Settings of [`Sweeps`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The certificate that counts as solved. Default 10⁻⁹.
    pub tolerance: f64,
    /// The most pairs of sweeps, forth and back. Default 10 000.
    pub max_pairs: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-9, max_pairs: 10_000 }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    ///
    /// # Errors
    /// Names the setting.
    pub fn validate(&self) -> Result<(), Error> {
        check_tolerance("sweeps", self.tolerance)
    }
}

/// The change of a pair of sweeps, over the tolerance, at which the certificate is first asked: mostly it is less than the change.
const FIRST_ASKED: f64 = 30.0;
/// Pairs from one computation of u from scratch to the next, which keeps rounding from adding up.
const REFRESH_EVERY: usize = 100;

/// Sweeps in the velocities of bodies; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Sweeps {
    settings: Settings,
    packed: Packed,
    direction: Direction,
    buffer: FormBuffer,
    pub(crate) solution: ContactSolution,
}

/// The conjugate direction d, in impulses and in velocities, and the point from which the last pair of sweeps set out.
#[derive(Clone, Debug, Default)]
struct Direction {
    impulse: Vec<Vector>,
    velocity: Vec<Six>,
    from: Vec<Vector>,
    from_velocity: Vec<Six>,
    /// |g|² of the last pair; infinite before the first.
    last: f64,
}

/// Whether sweeps over bodies take a problem.
pub(crate) fn takes(problem: &BlockForm) -> bool {
    problem.bodies().is_some()
        && !problem.is_associated()
        && problem.laws().iter().all(packed::takes)
}

impl Sweeps {
    /// A solver with these settings.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        Ok(Self { settings, ..Self::default() })
    }

    /// The solution of the last solve.
    #[must_use]
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    pub(super) fn run(&mut self, problem: &BlockForm, guess: Option<&[f64]>) {
        self.solution.reset(problem.len(), guess);
        let reason = if self.start(problem) {
            self.sweep_until_done(problem)
        } else {
            Failure::WrongClass
        };
        self.solution.certify(problem, self.settings.tolerance, reason);
    }

    /// Makes ready to sweep from the impulses in the solution. False for a problem of another form.
    fn start(&mut self, problem: &BlockForm) -> bool {
        let Some(rows) = problem.bodies().filter(|_| takes(problem)) else { return false };
        self.packed.fill(problem, rows, &self.solution.impulse);
        self.direction.start(&self.packed);
        true
    }

    fn sweep_until_done(&mut self, problem: &BlockForm) -> Failure {
        let tolerance = self.settings.tolerance;
        let mut ask_at = FIRST_ASKED * tolerance;
        for pair in 1..=self.settings.max_pairs {
            let Some(change) = self.pair(problem) else { return Failure::Numerical };
            if change <= ask_at {
                if self.certify(problem) {
                    return Failure::Stalled;
                }
                // The certificate falls as the change does.
                let worst = self.solution.certificate.worst;
                ask_at = change * (tolerance / worst).clamp(0.1, 0.7);
            }
            self.direction.extrapolate(&mut self.packed);
            if pair % REFRESH_EVERY == 0 {
                self.packed.store(problem, &mut self.solution.impulse);
                self.packed.set_impulse(problem, &self.solution.impulse);
            }
        }
        Failure::IterationLimit
    }

    /// Has the impulses after a pair of sweeps judged.
    fn certify(&mut self, problem: &BlockForm) -> bool {
        self.packed.store(problem, &mut self.solution.impulse);
        self.solution.certify(problem, self.settings.tolerance, Failure::IterationLimit)
    }

    /// One sweep forth and one back; returns the largest change of a contact in the second as a velocity over the reference. `None`
    /// if a number overflowed.
    fn pair(&mut self, problem: &BlockForm) -> Option<f64> {
        let laws = problem.laws();
        let (packed, from) = (&mut self.packed, &mut self.direction);
        from.from.copy_from_slice(&packed.impulse);
        from.from_velocity.copy_from_slice(&packed.velocity);
        let k = packed.contacts.len();
        for i in 0..k {
            packed.solve(laws, i);
        }
        let mut largest: f64 = 0.0;
        for i in (0..k).rev() {
            let change = packed.solve(laws, i);
            let size = change.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            largest = largest.max(size * packed.contacts[i].scale);
        }
        self.solution.iterations += 2;
        (largest.is_finite() && packed.velocity.iter().flatten().all(|u| u.is_finite()))
            .then(|| largest / problem.reference())
    }
}

impl Direction {
    fn start(&mut self, packed: &Packed) {
        self.last = f64::INFINITY;
        let (k, bodies) = (packed.impulse.len(), packed.velocity.len());
        for v in [&mut self.impulse, &mut self.from] {
            v.clear();
            v.resize(k, [0.0; ROWS]);
        }
        for v in [&mut self.velocity, &mut self.from_velocity] {
            v.clear();
            v.resize(bodies, [0.0; 6]);
        }
    }

    /// Goes on from where the last pair of sweeps came to, along the conjugate direction.
    fn extrapolate(&mut self, packed: &mut Packed) {
        let Packed { contacts, impulse, velocity, .. } = packed;
        let mut size = 0.0;
        for ((contact, new), old) in contacts.iter().zip(&*impulse).zip(&self.from) {
            let square: f64 = new.iter().zip(old).map(|(a, b)| (a - b) * (a - b)).sum();
            size += contact.scale * square;
        }
        let beta = size / self.last;
        self.last = size;
        // Also where one of them is zero or not a number: the direction is then that of the last pair.
        let beta = if beta <= 1.0 { beta } else { 0.0 };
        for ((d, new), old) in self.velocity.iter_mut().zip(&mut *velocity).zip(&self.from_velocity) {
            for x in 0..6 {
                let (along, step) = (beta * d[x], new[x] - old[x]);
                d[x] = along + step;
                new[x] += along;
            }
        }
        for (i, (lam, old)) in impulse.iter_mut().zip(&self.from).enumerate() {
            let d = &mut self.impulse[i];
            for r in 0..ROWS {
                let (along, step) = (beta * d[r], lam[r] - old[r]);
                d[r] = along + step;
                lam[r] += along;
            }
            if let Some(inside) = contacts[i].project(lam) {
                contacts[i].add(&std::array::from_fn(|r| inside[r] - lam[r]), velocity);
                *lam = inside;
            }
        }
    }
}

method!(Sweeps, "sweeps");
