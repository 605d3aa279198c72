//! The contact problem of a state, at each of the levels at which there is one: to look at it, save it, or
//! enumerate its solutions. Integrators pose theirs on storage that they keep.

mod equations;
mod snapshot;
mod vary;

pub(crate) use equations::Equations;
pub use snapshot::Snapshot;

use crate::contact::{ContactProblem, Kind, Law};
use crate::error::{Error, check};
use crate::model::Model;
use crate::system::State;

/// The level at which a contact problem is posed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// Impulses over a step of this length from the state, with restitution. W is that of the state; γ at the end of the step has
    /// the convective part Δt Ḣᵀu, without which a rod that turns while it slides would not lift off.
    Step(f64),
    /// Impulses in no time, with restitution.
    Impact,
    /// Forces and accelerations. A contact whose slip is larger than this velocity has its friction fixed; the others
    /// roll, \[2\] (iv).
    Acceleration(f64),
}

impl Level {
    /// Refuses a threshold that no slip can be compared with.
    fn validate(self) -> Result<(), Error> {
        match self {
            Self::Acceleration(still) => {
                check(|| "the slip of a rolling contact".into(), still, still >= 0.0, "at least 0")
            }
            Self::Step(_) | Self::Impact => Ok(()),
        }
    }

    /// The time that forces act over: that of a step, none in an impact, 1 for accelerations.
    #[must_use]
    pub fn dt(self) -> f64 {
        match self {
            Self::Step(dt) => dt,
            Self::Impact => 0.0,
            Self::Acceleration(_) => 1.0,
        }
    }
}

/// γ of the given candidates of a model, the components of each in turn, N first. Candidates are those of
/// [`Model::detect`], by index.
///
/// # Errors
/// As [`pose`].
pub fn rel_velocity<M: Model>(
    model: &M,
    state: &State,
    candidates: &[usize],
) -> Result<Vec<f64>, Error> {
    Ok(Equations::of(model, state, candidates)?.gamma)
}

/// u̇ dt + M⁻¹ H Λ, with u̇ the accelerations if no candidate acts: the change of u over a step of length `dt` with impulses Λ at
/// the given candidates; with `dt` = 1 and forces in place of impulses the acceleration.
///
/// # Errors
/// As [`pose`], and if there is not one impulse per component.
pub fn change<M: Model>(
    model: &M,
    state: &State,
    candidates: &[usize],
    impulse: &[f64],
    dt: f64,
) -> Result<Vec<f64>, Error> {
    Equations::of(model, state, candidates)?.change(impulse, dt)
}

/// Poses the problem of `state` for the given candidates of a model, which are those of [`Model::detect`], by index. Joints and loops that
/// are not among them act inside the model ([`Model::accelerations`]). A [`System`](crate::System) is a model as
/// [`Generalised`](crate::model::Generalised).
///
/// ```
/// use stickslip::bodies::proximity::pair;
/// use stickslip::bodies::{MassProperties, Pose, Shape, Twist, World};
/// use stickslip::contact::{Law, solve::ContactSolver};
/// use stickslip::glam::DVec3;
/// use stickslip::level::{Level, pose};
///
/// // A ball of 2 kg slides on the ground: 0.2 times its weight acts against the slip.
/// let mut world = World::new(DVec3::new(0.0, 0.0, -10.0))?;
/// let ball = world.body(MassProperties::sphere(2.0, 0.5)?);
/// let ground = Shape::Plane(DVec3::ZERO, DVec3::Z);
/// let touching = pair(Shape::Sphere(DVec3::ZERO, 0.5), ground)?;
/// world.contact(ball, World::GROUND, touching, Law::disc(0.2))?;
/// let slides = Twist { linear: DVec3::X, angular: DVec3::ZERO };
/// let state = world.state(&[(Pose::at(0.5 * DVec3::Z), slides)])?;
/// let problem = pose(&world, &state, &[0], Level::Acceleration(1e-9))?;
/// let mut solver = ContactSolver::default();
/// let force = &solver.solve(&problem).impulse;
/// assert!((force[0] - 20.0).abs() < 1e-9 && (force[1].hypot(force[2]) - 4.0).abs() < 1e-9);
/// # Ok::<(), stickslip::Error>(())
/// ```
///
/// # Errors
/// If the model has no equations on the level of accelerations ([`Model::accelerations`]), its mass matrix cannot be factorised, a
/// candidate does not exist, or a number is not finite.
pub fn pose<M: Model>(
    model: &M,
    state: &State,
    candidates: &[usize],
    level: Level,
) -> Result<ContactProblem, Error> {
    Equations::of(model, state, candidates)?.pose(level)
}

/// b and the laws of contacts in the units of a level, from γ and from γ̇ where no contact acts.
fn posed_at(level: Level, laws: &[Law], gamma: &[f64], rate: &[f64]) -> (Vec<f64>, Vec<Law>) {
    let mut bias = Vec::with_capacity(gamma.len());
    let mut posed = Vec::with_capacity(laws.len());
    for law in laws {
        let first = bias.len();
        for component in 0..law.components() {
            let row = first + component;
            bias.push(bias_at(level, restitution(law, component), gamma[row], rate[row]));
        }
        posed.push(law_at(level, law, &gamma[first..bias.len()]));
    }
    (bias, posed)
}

/// The restitution of one component of a contact.
fn restitution(law: &Law, component: usize) -> f64 {
    match (&law.kind, component) {
        (Kind::Bilateral(_), _) => 0.0,
        (kind, 0) if kind.normals() == 1 => law.eps_n,
        _ => law.eps_t,
    }
}

/// b of a row with relative velocity γ, and with this γ̇ where no contact acts.
fn bias_at(level: Level, eps: f64, gamma: f64, rate: f64) -> f64 {
    match level {
        Level::Step(dt) => (1.0 + eps) * gamma + dt * rate,
        Level::Impact => (1.0 + eps) * gamma,
        Level::Acceleration(_) => rate,
    }
}

/// The law of a contact with relative velocity γ, in the units of the level.
fn law_at(level: Level, law: &Law, gamma: &[f64]) -> Law {
    match level {
        Level::Step(dt) => Law { radius: law.radius * dt, ..law.clone() },
        Level::Impact => Law { radius: 0.0, ..law.clone() },
        Level::Acceleration(still) => {
            let Some(set) = law.kind.set() else { return law.clone() };
            let mut slip = [0.0; 3];
            for (s, g) in slip.iter_mut().zip(gamma.iter().skip(law.kind.normals())) {
                *s = *g;
            }
            let against = slip.map(|v| -v);
            let moves = set.support(&against[..set.dimension().min(3)]) > still;
            let sliding = moves.then_some(slip);
            if law.curve().is_none() {
                return Law { sliding, ..law.clone() };
            }
            let speed = if moves { Law::slip_speed(&slip[..set.dimension().min(3)]) } else { 0.0 };
            Law { sliding, ..law.clone().at_coefficient(law.coefficient(speed)) }
        }
    }
}
