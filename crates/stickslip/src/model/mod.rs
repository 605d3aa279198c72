//! What the stepper asks of a model, whatever its coordinates.
//!
//! Coordinates and velocities may differ in number (a quaternion has four numbers for three velocities), contacts may be
//! of any kind, and the matrix W may be sparse. Systems in generalised coordinates with planar contacts are written with the
//! trait [`System`](crate::system::System); [`Generalised`] makes a model of them.

mod accelerations;
mod constraints;
mod generalised;
pub(crate) mod placed;
mod reactions;
mod sleepers;

pub(crate) use accelerations::LEVEL;
pub use accelerations::{Accelerations, Inside};
pub use generalised::{Generalised, GeneralisedPlace};
pub(crate) use reactions::DenseReactions;
pub use sleepers::{Sleepers, Surroundings};

use crate::contact::{ContactProblem, Law};
use crate::error::Error;
use crate::system::{Energy, State};
pub use stickslip_collision::Meeting;

/// A contact or connection that may take part in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The same from step to step: reports and warm starts go by it.
    pub identity: u64,
    /// The gap; connections have none, and always take part.
    pub gap: Option<f64>,
}

/// Where a contact is, for those who list or draw it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// The numbers of the two bodies in the model.
    pub bodies: [usize; 2],
    /// The point in the middle between the two that are nearest to each other, in world coordinates.
    pub position: [f64; 3],
    /// The unit normal, from the second body to the first.
    pub normal: [f64; 3],
    /// The unit tangent of the first component of friction; the second is normal × tangent.
    pub tangent: [f64; 3],
    /// The number of components of its impulse.
    pub components: usize,
    /// How many of these come before the tangential ones: 1, or 0 where it has friction alone, as the middle of a patch does.
    pub normals: usize,
    /// The coefficient of friction of its law.
    pub mu: f64,
}

impl ContactPoint {
    /// The components of its impulse as N, T, O and R; 0 where it has none.
    #[must_use]
    pub fn spread(&self, own: &[f64]) -> [f64; 4] {
        let mut all = [0.0; 4];
        let to = all.iter_mut().skip(1 - self.normals.min(1));
        to.zip(own.iter().take(self.components)).for_each(|(to, x)| *to = *x);
        all
    }

    /// The vector in world axes of an impulse on the first body, without the moment about the normal; the second body has its opposite.
    #[must_use]
    pub fn vector(&self, impulse: &[f64]) -> [f64; 3] {
        let ([n, t], part) =
            ([self.normal, self.tangent], |i: usize| impulse.get(i).copied().unwrap_or(0.0));
        let o = [n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]];
        [0, 1, 2].map(|i| part(0) * n[i] + part(1) * t[i] + part(2) * o[i])
    }
}

/// A contact with its impulse over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactImpulse {
    /// Where it is.
    pub point: ContactPoint,
    /// Along the normal and the two tangents, and the moment about the normal; 0 where it has none.
    pub impulse: [f64; 4],
}

/// The most that load-dependent friction may be, for [`Model::friction_limits`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionLimit {
    /// The impulse, in addition to the radius of the law.
    pub limit: f64,
    /// What its error is compared with: the limit itself, or more where the load is lost in the rounding of momenta.
    pub scale: f64,
}

/// A state, and how long it is followed: the beginning of a step and its length, or a state by itself with the length 0.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    /// Coordinates at the beginning.
    pub q: &'a [f64],
    /// Velocities at the beginning; of a configuration by itself there may be none.
    pub u: &'a [f64],
    /// The time of the beginning.
    pub t: f64,
    /// The length of the step.
    pub dt: f64,
}

impl<'a> Span<'a> {
    /// A state by itself.
    #[must_use]
    pub fn still(state: &'a State) -> Self {
        Self { q: &state.q, u: &state.u, t: state.t, dt: 0.0 }
    }
}

/// A step with the forces of both its ends, for [`Model::free_theta`].
#[derive(Clone, Copy, Debug)]
pub struct ThetaStep<'a> {
    /// Coordinates at the beginning.
    pub q: &'a [f64],
    /// Velocities at the beginning.
    pub u: &'a [f64],
    /// The time of the beginning.
    pub t: f64,
    /// The length of the step.
    pub dt: f64,
    /// θ of the forces: θ h⁺ + (1 − θ) h, from 0 to 1.
    pub forces: f64,
    /// θ of the displacement: q moves by Δt (θ u⁺ + (1 − θ) u), greater than 0 and at most 1.
    pub motion: f64,
}

impl ThetaStep<'_> {
    /// The integrators that make such steps, for messages: with the forces of the beginning alone they are those at the level of positions.
    fn method(&self) -> &'static str {
        if self.forces == 0.0 { "gap_level or paoli_schatzman" } else { "moreau_jean" }
    }

    /// θ u⁺ + (1 − θ) u of the displacement.
    pub(crate) fn mean(&self, end: &[f64], out: &mut Vec<f64>) {
        out.clear();
        let both = self.u.iter().zip(end);
        out.extend(both.map(|(a, b)| self.motion * b + (1.0 - self.motion) * a));
    }

    /// What constraints of that velocity ask of u: (1 − θ) / θ.
    pub(crate) fn past(&self) -> f64 {
        (1.0 - self.motion) / self.motion
    }
}

/// A model that a [`Stepper`](crate::step::Stepper) can move.
///
/// A model is what a person described, and stays as it is. What it is at a configuration and time, with the rows of the
/// contacts that take part there and the storage that a step needs, is its [`Place`](Self::Place): integrators own one and
/// hand it to the methods, so that what a method goes by is among its arguments. [`detect`](Self::detect) takes a place to
/// a configuration, [`collect`](Self::collect) puts the rows of contacts into it. Slices have the sizes of
/// [`coordinates`](Self::coordinates) and [`velocities`](Self::velocities).
pub trait Model {
    /// The model at a configuration and time, on storage that is kept from step to step; `()` for a model that needs none. A
    /// place belongs to one model and one motion.
    type Place: Default;

    /// What kind of model it is, for messages.
    fn kind(&self) -> &'static str {
        "a model of the user's own"
    }

    /// Whether all contacts are planar. By default they are not.
    fn is_planar(&self) -> bool {
        false
    }

    /// The number of coordinates q.
    fn coordinates(&self) -> usize;

    /// The number of velocities u.
    fn velocities(&self) -> usize;

    /// Refuses a state that the model cannot be in. By default one of the wrong size or with numbers that are not finite; a model may
    /// refuse more, such as a quaternion that is not of length 1.
    ///
    /// # Errors
    /// Which number, and what it should be.
    fn validate(&self, q: &[f64], u: &[f64]) -> Result<(), Error> {
        check_sizes(self, q, u)
    }

    /// Takes the place to (q, t) of the span, and appends the candidates there. Those that the model always has come first, in an order
    /// that is always the same; a model that looks for contacts itself appends those that are closed, or may close while it moves
    /// with u for dt.
    ///
    /// # Errors
    /// If a number is not finite.
    fn detect(
        &self,
        place: &mut Self::Place,
        at: &Span<'_>,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Error>;

    /// Takes the place to (q, t) of the span for those who do not ask for candidates: what is appended does not count. A model that looks for contacts itself
    /// need not look. By default [`detect`](Self::detect).
    ///
    /// # Errors
    /// If a number is not finite.
    fn place_at(
        &self,
        place: &mut Self::Place,
        at: &Span<'_>,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        self.detect(place, at, out)
    }

    /// The first half of a step by the midpoint rule, in which nothing acts: puts the coordinates in its middle, where contacts are looked
    /// for, into `q`. A model whose velocity changes by itself may have forces and impulses act in the middle alone, and puts the velocity
    /// before them into `u`: [`free`](Self::free) and impulses then lead to the velocity after them, from which
    /// [`finish_step`](Self::finish_step) goes on to the end, both with the same place. By default the velocity stays that of the beginning, and `u` empty.
    ///
    /// # Errors
    /// If a body turns too far for its update.
    fn first_half(
        &self,
        _place: &mut Self::Place,
        step: &Span<'_>,
        q: &mut [f64],
        _u: &mut Vec<f64>,
    ) -> Result<(), Error> {
        self.advance(step.q, step.u, step.u, 0.5 * step.dt, q);
        Ok(())
    }

    /// The first meeting, in a step that moves with the velocities of its beginning, of bodies so fast that they might pass through each other
    /// unseen in a `whole` step, of which this one may be a part. The place is the one in the middle of the step, where
    /// [`detect`](Self::detect) looked for contacts. Integrators that look there make the step in parts, so that they look where bodies have just met. By
    /// default no bodies are that fast: gaps are negative beyond a contact.
    fn first_meeting(
        &self,
        _place: &mut Self::Place,
        _step: &Span<'_>,
        _whole: f64,
    ) -> Option<Meeting> {
        None
    }

    /// Whether bodies with these velocities might pass through others unseen in a time dt; integrators look for meetings where they might.
    /// The place is one where contacts were looked for. By default never.
    fn is_fast(&self, _place: &mut Self::Place, _u: &[f64], _dt: f64) -> bool {
        false
    }

    /// Takes those out of the active candidates of the place, which are in ascending order, that take part only together with others
    /// which do not. Laws may depend on it: they are those of the candidates that are left. By default all of them take part.
    fn retain_active(&self, _place: &mut Self::Place, _active: &mut Vec<usize>) {}

    /// The law of a candidate of the place, by index. Its radius is a force.
    fn law<'a>(&'a self, place: &'a Self::Place, candidate: usize) -> &'a Law;

    /// Where a candidate of the place is in space, by index; none for connections, and by default.
    fn contact_point(&self, _place: &Self::Place, _candidate: usize) -> Option<ContactPoint> {
        None
    }

    /// Whether the model looks for contacts itself, so that the candidates change from place to place. By default it does not.
    fn finds_contacts(&self) -> bool {
        false
    }

    /// The bodies that can be put to sleep. By default there are none, and [`Sleep`](crate::step::Sleep) is refused.
    fn sleepers(&self) -> Option<&dyn Sleepers<Self::Place>> {
        None
    }

    /// Whether laws depend on the place: friction of the configuration or of time. By default they do not.
    fn laws_vary(&self) -> bool {
        false
    }

    /// The velocity at the end of a step if no candidate acts: forces, gyroscopic terms and the reactions that the model keeps
    /// inside. The place is where the contacts of the step are.
    ///
    /// # Errors
    /// If a number is not finite or a matrix cannot be factorised.
    fn free(&self, place: &mut Self::Place, step: &Span<'_>, out: &mut [f64]) -> Result<(), Error>;

    /// Puts the directions H of these candidates of the place, by index, and M⁻¹ H into it.
    fn collect(&self, place: &mut Self::Place, active: &[usize]);

    /// γ = Hᵀ u + ŵ of the candidates collected.
    fn relative_velocity(&self, place: &Self::Place, u: &[f64], gamma: &mut Vec<f64>);

    /// γ of the velocity `end` at the candidates collected if they were where a step leads to that ends with it, in co-moving frames:
    /// what the motion of contact points and normals adds over a step. `there` is storage for coordinates. By default they stay where
    /// they were collected, and `gamma` is left empty.
    fn relative_velocity_ahead(
        &self,
        _place: &mut Self::Place,
        _step: &Span<'_>,
        _end: &[f64],
        _there: &mut [f64],
        _gamma: &mut Vec<f64>,
    ) {
    }

    /// Given the velocity `end` that [`free`](Self::free) of this step and impulses led to, puts the velocity that these
    /// impulses have to be added to into `free`: rotation answers impulses over a step with gyroscopic terms that M⁻¹ does not
    /// have. Returns the largest change, as a share of the velocities; integrators pose the contact problem again unless it is 0.
    ///
    /// `asked` says whether the settings ask for another pass. Where they do not, a model answers only if
    /// [`finish_step`](Self::finish_step) ends steps with the velocity that is corrected for, rather than the one that impulses lead
    /// to: integrators then settle until these are the same to their tolerance. By default nothing changes.
    ///
    /// # Errors
    /// If a number is not finite.
    fn correct_free(
        &self,
        _place: &mut Self::Place,
        _step: &Span<'_>,
        _asked: bool,
        _end: &[f64],
        _free: &mut [f64],
    ) -> Result<f64, Error> {
        Ok(0.0)
    }

    /// The velocity at the end of a step if no candidate acts, u + Δt M⁻¹ (θ h⁺ + (1 − θ) h) with the reactions that the model
    /// keeps inside, where h⁺ is that of the end to which the velocity `end` leads. M and the directions of those reactions are
    /// those of the place. Integrators iterate: a model may take Newton's matrix instead of M, in which case
    /// [`collect`](Self::collect) and [`apply`](Self::apply) take it too until the next [`detect`](Self::detect). Integrators other
    /// than Moreau's midpoint rule need it; by default they are refused.
    ///
    /// # Errors
    /// If a number is not finite, a matrix cannot be factorised, or the model has no such step.
    fn free_theta(
        &self,
        _place: &mut Self::Place,
        step: &ThetaStep<'_>,
        _end: &[f64],
        _out: &mut [f64],
    ) -> Result<(), Error> {
        Err(Error::Combination {
            part: step.method(),
            other: self.kind(),
            reason: "this model does not evaluate forces at both ends of a step (Model::free_theta); use \
                     moreau_midpoint",
        })
    }

    /// Ends a step whose velocity, by [`free_theta`](Self::free_theta) and impulses, is `end`: puts the coordinates into `out`. With
    /// `forces` = 0 forces and impulses have acted at the beginning, and a model that has left gyroscopic terms out of `free_theta` lets
    /// its free motion follow, which changes `end`. By default [`advance`](Self::advance) by the mean velocity of the
    /// displacement, for which `mean` is storage.
    ///
    /// # Errors
    /// If a body turns too far for its update.
    fn finish_theta(
        &self,
        step: &ThetaStep<'_>,
        end: &mut [f64],
        mean: &mut Vec<f64>,
        out: &mut [f64],
    ) -> Result<(), Error> {
        step.mean(end, mean);
        self.advance(step.q, mean, mean, step.dt, out);
        Ok(())
    }

    /// The number of motions that joints or loops exclude twice: their equations less the rank of these, where reactions were last
    /// worked out. By default 0.
    fn redundancy(&self, _place: &Self::Place) -> usize {
        0
    }

    /// In how many parts the model made the last step by itself, where bodies turn too far for one. By default 1.
    fn parts(&self, _place: &Self::Place) -> usize {
        1
    }

    /// ŵ of the candidates collected: what of each relative velocity does not come from u. By default empty: nothing moves by itself.
    fn drive<'a>(&self, _place: &'a Self::Place) -> &'a [f64] {
        &[]
    }

    /// Poses the problem W = Hᵀ M⁻¹ H, b of the candidates collected.
    ///
    /// # Errors
    /// If a number is not finite or a law out of range.
    fn pose(
        &self,
        place: &mut Self::Place,
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error>;

    /// For each candidate collected whose friction depends on a reaction, the limit that follows from the impulses of all of them
    /// and the velocity at the end that they lead to; None for the others. Integrators pose the contact problem again until
    /// limits and loads agree. By default there are none, and the list stays empty.
    fn friction_limits(
        &self,
        _place: &mut Self::Place,
        _impulse: &[f64],
        _end: &[f64],
        _limits: &mut Vec<Option<FrictionLimit>>,
    ) {
    }

    /// u += M⁻¹ H Λ.
    fn apply(&self, place: &Self::Place, impulse: &[f64], u: &mut [f64]);

    /// ‖M (after − free) − H Λ‖ as a share of the momenta that it balances.
    fn momentum_error(
        &self,
        place: &mut Self::Place,
        free: &[f64],
        after: &[f64],
        impulse: &[f64],
    ) -> f64;

    /// The coordinates at the end of a step from q, with the velocities at its ends.
    fn advance(&self, q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]);

    /// Ends a step whose candidates have these impulses (none where none took part) and whose velocity `end` they led to: puts the
    /// coordinates into `out`, and changes `end` where the model has constraints of its own that velocities have to meet. Returns how
    /// far the coordinates are or were off these. By default [`advance`](Self::advance), and [`stabilise`](Self::stabilise) if that is
    /// asked for.
    ///
    /// # Errors
    /// If the constraints contradict each other.
    fn finish_step(
        &self,
        place: &mut Self::Place,
        step: &Span<'_>,
        _impulse: &[f64],
        stabilise: bool,
        end: &mut [f64],
        out: &mut [f64],
    ) -> Result<f64, Error> {
        self.advance(step.q, step.u, end, step.dt, out);
        if stabilise { self.stabilise(place, out, end, step.t + step.dt) } else { Ok(0.0) }
    }

    /// Removes what rounding and the order of the method left of the constraints that the model keeps itself, by the
    /// shortest way; returns how far the coordinates were off. By default there are no such constraints.
    ///
    /// # Errors
    /// If the constraints contradict each other.
    fn stabilise(
        &self,
        _place: &mut Self::Place,
        _q: &mut [f64],
        _u: &mut [f64],
        _t: f64,
    ) -> Result<f64, Error> {
        Ok(0.0)
    }

    /// Kinetic and potential energy.
    fn energy(&self, q: &[f64], u: &[f64], t: f64) -> Energy;

    /// The power of all that changes the energy and is neither a contact nor a reaction: forces that have no potential, and a potential that
    /// changes with time. Reports and limit cycles add it up; by default 0.
    fn power(&self, _q: &[f64], _u: &[f64], _t: f64) -> f64 {
        0.0
    }

    /// The candidates at (q, t) as [`detect`](Self::detect) gives them, for those who want gaps alone. By default `detect`.
    ///
    /// # Errors
    /// As [`detect`](Self::detect).
    fn gaps(
        &self,
        place: &mut Self::Place,
        q: &[f64],
        t: f64,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        self.detect(place, &Span { q, u: &[], t, dt: 0.0 }, out)
    }

    /// The equations of motion at a state with these candidates, by index in an order that is always the same, whatever place is
    /// given; the event-driven integrator follows them, and [`level`](crate::level) poses contact problems of a state by them. A
    /// connection (a candidate with a bilateral law) that is not among these candidates acts inside: its reactions are in u̇ and in
    /// M⁻¹ H, as those are that the model always keeps inside. By default there are no such equations, and both refuse the model.
    ///
    /// # Errors
    /// If a number is not finite, a matrix cannot be factorised, or the model has no such equations.
    fn accelerations(
        &self,
        _place: &mut Self::Place,
        (_q, _u, _t): (&[f64], &[f64], f64),
        _candidates: &[usize],
        _out: &mut Accelerations,
    ) -> Result<(), Error> {
        Err(Error::Combination {
            part: LEVEL,
            other: self.kind(),
            reason: "the model does not have its equations there (Model::accelerations); use moreau_midpoint, \
                     moreau_jean or gap_level",
        })
    }

    /// The coordinates at the local coordinates ξ about q, one per velocity, where ξ = 0 is q. By default q + ξ, as
    /// [`advance`](Self::advance) has it.
    fn displace(&self, q: &[f64], xi: &[f64], out: &mut [f64]) {
        self.advance(q, xi, xi, 1.0, out);
    }

    /// The local coordinates ξ about q of the coordinates `there`: the inverse of [`displace`](Self::displace). By default there − q.
    fn local(&self, q: &[f64], there: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(q.iter().zip(there)).for_each(|(xi, (q, there))| *xi = there - q);
    }

    /// ξ̇ at the local coordinates ξ and the velocities u, for a model whose local coordinates do not move with the velocities
    /// themselves; returns true. By default they do: `out` is left alone, and false is returned.
    fn chart_rate(&self, _xi: &[f64], _u: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    /// The largest rotation of a body in a displacement by the local coordinates ξ, in radians. By default 0.
    fn turn(&self, _xi: &[f64]) -> f64 {
        0.0
    }

    /// What coordinates are rounded with, one number per velocity: sizes of lengths, and 1 for rotations. By default |q|.
    fn sizes(&self, q: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(q).for_each(|(s, q)| *s = q.abs());
    }

    /// Raises the sizes of velocities that are components of one vector to the largest of them, so that what is zero but for
    /// rounding is measured by the vector. By default every velocity is for itself.
    fn pool(&self, _sizes: &mut [f64]) {}
}

/// Whether local coordinates of a model do not move with its velocities themselves; see [`Model::chart_rate`].
pub(crate) fn is_curved<M: Model>(model: &M) -> bool {
    let still = vec![0.0; model.velocities()];
    model.chart_rate(&still, &still, &mut still.clone())
}

/// Refuses coordinates and velocities of other numbers than the model has, and numbers that are not finite.
pub(crate) fn check_sizes<M: Model + ?Sized>(model: &M, q: &[f64], u: &[f64]) -> Result<(), Error> {
    for (what, x, expected) in
        [("the coordinates q", q, model.coordinates()), ("the velocities u", u, model.velocities())]
    {
        if x.len() != expected {
            return Err(Error::Size { what, expected, found: x.len() });
        }
        if !x.iter().all(|v| v.is_finite()) {
            return Err(Error::NotFinite { what: "the state", t: 0.0 });
        }
    }
    Ok(())
}
