//! The law of one contact.

use crate::curve::{FrictionCurve, SlipDependence};
use crate::error::{Error, check};
use crate::mode::Slip;
use crate::set::ConvexSet;
use crate::set_valued::{Interval, sgn, upr};
use std::sync::Arc;

/// What kind of contact it is: which components it has, and the friction set F.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Kind {
    /// N alone.
    Frictionless,
    /// N, T with F = [−1, 1].
    #[default]
    Planar,
    /// N, T, O with the unit disc: Coulomb's isotropic friction in space.
    Disc,
    /// N and as many tangential components as F has: an ellipse (N, T, O), the limit surface of a distributed contact
    /// (N, T, O, R), any other set.
    Set(Arc<ConvexSet>),
    /// This many components, 1 to 6, with ξ = 0 and Λ free.
    Bilateral(usize),
    /// No normal, and as many tangential components as F has: Λ_T ∈ a F, friction of constant size, as in a joint or a
    /// motor that can be overpowered.
    Dry(Arc<ConvexSet>),
}

impl Kind {
    /// A contact with a normal and this friction set.
    #[must_use]
    pub fn of(set: ConvexSet) -> Self {
        match set {
            ConvexSet::Interval => Self::Planar,
            ConvexSet::Disc => Self::Disc,
            set => Self::Set(Arc::new(set)),
        }
    }

    /// The number of components.
    #[inline]
    #[must_use]
    pub fn components(&self) -> usize {
        match self {
            Self::Frictionless => 1,
            Self::Planar => 2,
            Self::Disc => 3,
            Self::Set(set) => 1 + set.dimension(),
            Self::Bilateral(rows) => *rows,
            Self::Dry(set) => set.dimension(),
        }
    }

    /// The number of components before the tangential ones: 1, or none for connections and [`Kind::Dry`].
    #[inline]
    #[must_use]
    pub fn normals(&self) -> usize {
        usize::from(!matches!(self, Self::Bilateral(_) | Self::Dry(_)))
    }

    /// The friction set, if there is one.
    #[must_use]
    pub fn set(&self) -> Option<&ConvexSet> {
        match self {
            Self::Frictionless | Self::Bilateral(_) => None,
            Self::Planar => Some(&ConvexSet::Interval),
            Self::Disc => Some(&ConvexSet::Disc),
            Self::Set(set) | Self::Dry(set) => Some(set),
        }
    }
}

/// Sets are equal if they are given by the same data; those of a user's own if they are the same object.
impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bilateral(a), Self::Bilateral(b)) => a == b,
            (Self::Set(a), Self::Set(b)) | (Self::Dry(a), Self::Dry(b)) => {
                Arc::ptr_eq(a, b) || same_set(a, b)
            }
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

fn same_set(a: &ConvexSet, b: &ConvexSet) -> bool {
    use ConvexSet::{Custom, Disc, Ellipsoid, Interval, Mixed, Polyhedron};
    match (a, b) {
        (Interval, Interval) | (Disc, Disc) => true,
        (Ellipsoid(a), Ellipsoid(b)) => a == b,
        (Polyhedron(a), Polyhedron(b)) => a.normals().eq(b.normals()),
        (Mixed { ellipse, spin }, Mixed { ellipse: e, spin: s }) => ellipse == e && spin == s,
        (Custom(a), Custom(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

/// What a law asks of the components of its contact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule<'a> {
    /// One row, 0 ≤ ξ ⊥ Λ ≥ 0.
    Normal,
    /// All rows ξ = 0, Λ free.
    Bilateral,
    /// A normal row, if there is one, and then Λ_T ∈ r F with −ξ_T in the normal cone to r F at Λ_T.
    Friction(Friction<'a>),
    /// A normal row, if there is one, and then Λ_T = r f, where ξ_T is free.
    Sliding(Sliding),
}

/// Friction that is an unknown of its own; r = μ Λ_N + a.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Friction<'a> {
    pub(crate) mu: f64,
    pub(crate) radius: f64,
    pub(crate) set: &'a ConvexSet,
    /// Rows before the tangential ones: 1, or 0 for dry friction.
    pub(crate) normals: usize,
}

/// Friction that is known up to its size r = μ Λ_N + a.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sliding {
    pub(crate) mu: f64,
    pub(crate) radius: f64,
    pub(crate) f: [f64; 3],
    pub(crate) normals: usize,
}

/// The law of a contact. With ξ = γ⁺ + ε γ⁻: 0 ≤ ξ_N ⊥ Λ_N ≥ 0, the friction Λ_T lies in (μ Λ_N + a) F, and of all
/// points of that set it is the one that takes most power from ξ_T. In the plane these are
/// \[3\] eqs. (11) and (12), −Λ_T ∈ (μ Λ_N + a) Sgn(ξ_T).
///
/// The radius a (friction that does not depend on the load) is a force in a system and is turned
/// into an impulse a Δt in a step; in a [`ContactProblem`](super::ContactProblem) it has the
/// unit of Λ.
///
/// With a static coefficient μ_s ≥ μ the law is the union of two: that above, and stick, ξ_T = 0 with Λ_T in
/// (μ_s Λ_N + a) F. Such a law is not monotone, and a problem may have a solution that sticks beside one that slips; the
/// one that [`ContactSolver`](crate::solve::ContactSolver) finds sticks as long as μ_s holds it.
///
/// With a curve μ(s) the coefficient is that of the slip speed s of the answer, the Euclidean norm of the sliding components T and O of
/// ξ_T (spin does not count). Where μ falls steeply there may be several solutions, or none.
#[derive(Debug, PartialEq)]
pub struct Law {
    /// Components and friction set.
    pub kind: Kind,
    /// Coefficient of friction μ ≥ 0; where there is a static one, that of slip; where it depends on the slip speed, that at rest.
    pub mu: f64,
    /// How it depends on slip. With a static coefficient μ_s: without slip, ξ_T = 0, the friction lies in (μ_s Λ_N + a) F; with
    /// slip the law is that of μ.
    pub slip_dependence: SlipDependence,
    /// Friction a ≥ 0 that does not depend on the normal load.
    pub radius: f64,
    /// Normal restitution ε_N in [0, 1].
    pub eps_n: f64,
    /// Tangential restitution ε_T in [0, 1].
    pub eps_t: f64,
    /// On the level of accelerations: the contact slides with this velocity γ_T (its length does not matter), so that
    /// its friction is known, Λ_T = (μ Λ_N + a) f with f the point of F farthest against γ_T. Then ξ_T is not
    /// restricted.
    pub sliding: Option<[f64; 3]>,
    /// The phantom inertia ρ ≥ 0 of this contact in the formulation `phantom_inertia`, where it is given for this one: the law does not depend on
    /// it. Default none: that of the settings of the solver.
    pub rho: Option<f64>,
}

impl Clone for Law {
    fn clone(&self) -> Self {
        let Self { mu, radius, eps_n, eps_t, sliding, rho, .. } = *self;
        let (kind, slip_dependence) = (self.kind.clone(), self.slip_dependence.clone());
        Self { kind, mu, slip_dependence, radius, eps_n, eps_t, sliding, rho }
    }

    /// Part by part: every step copies its laws, most of which share nothing that would have to be counted.
    #[inline]
    fn clone_from(&mut self, from: &Self) {
        if !matches!((&self.kind, &from.kind), (Kind::Planar, Kind::Planar)) {
            self.kind = from.kind.clone();
        }
        if !matches!(
            (&self.slip_dependence, &from.slip_dependence),
            (SlipDependence::None, SlipDependence::None)
        ) {
            self.slip_dependence = from.slip_dependence.clone();
        }
        let Self { mu, radius, eps_n, eps_t, sliding, rho, .. } = *from;
        (self.mu, self.radius, self.eps_n, self.eps_t) = (mu, radius, eps_n, eps_t);
        (self.sliding, self.rho) = (sliding, rho);
    }
}

impl Default for Law {
    fn default() -> Self {
        Self::coulomb(0.0)
    }
}

impl Law {
    /// Coulomb friction in the plane, without restitution.
    #[must_use]
    pub fn coulomb(mu: f64) -> Self {
        Self {
            kind: Kind::Planar,
            mu,
            slip_dependence: SlipDependence::None,
            radius: 0.0,
            eps_n: 0.0,
            eps_t: 0.0,
            sliding: None,
            rho: None,
        }
    }

    /// Coulomb friction in the plane with a static and a kinetic coefficient, without restitution.
    #[must_use]
    pub fn coulomb_static(mu_static: f64, mu_kinetic: f64) -> Self {
        Self::coulomb(mu_kinetic).with_static(mu_static)
    }

    /// Coulomb friction in space, without restitution.
    #[must_use]
    pub fn disc(mu: f64) -> Self {
        Self { kind: Kind::Disc, ..Self::coulomb(mu) }
    }

    /// Friction with a set of its own, without restitution.
    #[must_use]
    pub fn with_set(mu: f64, set: ConvexSet) -> Self {
        Self { kind: Kind::of(set), ..Self::coulomb(mu) }
    }

    /// One component without friction.
    #[must_use]
    pub fn frictionless() -> Self {
        Self { kind: Kind::Frictionless, ..Self::coulomb(0.0) }
    }

    /// A connection of this many components.
    #[must_use]
    pub fn bilateral(components: usize) -> Self {
        Self { kind: Kind::Bilateral(components), ..Self::coulomb(0.0) }
    }

    /// Friction of a constant size in the plane, without restitution.
    #[must_use]
    pub fn constant(radius: f64) -> Self {
        Self { radius, ..Self::coulomb(0.0) }
    }

    /// Friction of a constant size in a set of its own, without a normal: a joint, a motor with a largest force.
    #[must_use]
    pub fn dry(radius: f64, set: ConvexSet) -> Self {
        Self { kind: Kind::Dry(Arc::new(set)), radius, ..Self::coulomb(0.0) }
    }

    /// The same law with restitution.
    #[must_use]
    pub fn with_restitution(self, eps_n: f64, eps_t: f64) -> Self {
        Self { eps_n, eps_t, ..self }
    }

    /// The same law with this coefficient of friction where the contact does not slip.
    #[must_use]
    pub fn with_static(self, mu_static: f64) -> Self {
        Self { slip_dependence: SlipDependence::Static(mu_static), ..self }
    }

    /// The same law with a coefficient of friction that depends on the slip speed.
    #[must_use]
    pub fn with_curve(self, curve: FrictionCurve) -> Self {
        let mu = curve.coefficient(0.0);
        Self { mu, slip_dependence: SlipDependence::Speed(curve), ..self }
    }

    /// The same law for a contact that slides with this velocity; only the components that the contact has count.
    #[must_use]
    pub fn sliding_with(self, slip: [f64; 3]) -> Self {
        Self { sliding: Some(slip), ..self }
    }

    /// The number of components.
    #[inline]
    #[must_use]
    pub fn components(&self) -> usize {
        self.kind.components()
    }

    /// The number of tangential components.
    pub fn tangents(&self) -> usize {
        self.kind.set().map_or(0, ConvexSet::dimension)
    }

    /// Whether the friction impulse is an unknown of its own: neither zero nor fixed by sliding.
    #[must_use]
    pub fn has_free_friction(&self) -> bool {
        let grows = match self.slip_dependence {
            SlipDependence::None => false,
            SlipDependence::Static(mu) => mu > 0.0,
            SlipDependence::Speed(_) => true,
        };
        self.sliding.is_none() && (self.mu > 0.0 || self.radius > 0.0 || grows)
    }

    /// Whether these impulses hold the contact: it is bilateral, or its friction is no more than this share of its limit. Friction that depends on
    /// the slip speed is not said to hold.
    #[must_use]
    pub fn holds(&self, impulse: &[f64], share: f64) -> bool {
        let normals = self.kind.normals();
        match self.kind.set() {
            None => matches!(self.kind, Kind::Bilateral(_)),
            Some(_) if !self.has_free_friction() || self.curve().is_some() => false,
            Some(set) => {
                let pressure = impulse[..normals].first().map_or(0.0, |n| n.max(0.0));
                set.gauge(&impulse[normals..]) <= share * (self.mu * pressure + self.radius)
            }
        }
    }

    /// Whether the friction set is one of the user's own, of which nothing is known but what it computes.
    #[must_use]
    pub fn has_user_set(&self) -> bool {
        matches!(self.kind.set(), Some(ConvexSet::Custom(_)))
    }

    /// The static coefficient of friction, where it makes a difference: not for a contact that is said to slide, nor for
    /// one without friction, nor if it is the kinetic one.
    #[must_use]
    pub fn distinct_static(&self) -> Option<f64> {
        match self.slip_dependence {
            SlipDependence::Static(s) if s > self.mu && self.may_stick() => Some(s),
            _ => None,
        }
    }

    /// The coefficient of friction over the slip speed, where it makes a difference: not for a contact that is said to slide, nor
    /// for one without friction.
    #[inline]
    #[must_use]
    pub fn curve(&self) -> Option<&FrictionCurve> {
        match &self.slip_dependence {
            SlipDependence::Speed(curve) if self.may_stick() => Some(curve),
            _ => None,
        }
    }

    /// Whether the coefficient of friction depends on slip.
    #[inline]
    #[must_use]
    pub fn varies(&self) -> bool {
        match self.slip_dependence {
            SlipDependence::None => false,
            _ => self.distinct_static().is_some() || self.curve().is_some(),
        }
    }

    /// The coefficient of friction of a contact that slips with this speed.
    #[must_use]
    pub fn coefficient(&self, speed: f64) -> f64 {
        match &self.slip_dependence {
            SlipDependence::Speed(curve) => curve.coefficient(speed),
            _ => self.mu,
        }
    }

    /// The slip speed of tangential velocities: the norm of the sliding components, T and O; spin does not count.
    #[must_use]
    pub fn slip_speed(tangential: &[f64]) -> f64 {
        match tangential {
            [] => 0.0,
            [x] => x.abs(),
            [x, y, ..] => x.hypot(*y),
        }
    }

    /// The same law with a coefficient of friction that is known.
    #[must_use]
    pub fn at_coefficient(self, mu: f64) -> Self {
        Self { mu, slip_dependence: SlipDependence::None, ..self }
    }

    /// A contact with friction by its load that is not said to slide.
    fn may_stick(&self) -> bool {
        self.sliding.is_none() && self.kind.normals() == 1 && self.kind.set().is_some()
    }

    /// The direction in which a planar contact slides, if it is said to.
    #[must_use]
    pub fn slip(&self) -> Option<Slip> {
        self.sliding.and_then(|v| Slip::of(v[0]))
    }

    /// For a contact that slides: the friction at the limit 1, a point f of F with −γ_Tᵀf = h_F(−γ_T).
    #[must_use]
    pub fn sliding_friction(&self) -> Option<[f64; 3]> {
        let (slip, set) = (self.sliding?, self.kind.set()?);
        let mut f = [0.0; 3];
        let d = set.dimension().min(3);
        set.support_point(&slip.map(|v| -v)[..d], &mut f[..d]);
        Some(f)
    }

    /// What the law asks, as methods tell laws apart.
    pub(crate) fn rule(&self) -> Rule<'_> {
        let normals = self.kind.normals();
        match (self.kind.set(), self.sliding_friction()) {
            (None, _) if normals == 0 => Rule::Bilateral,
            (None, _) => Rule::Normal,
            (Some(_), Some(f)) => {
                Rule::Sliding(Sliding { mu: self.mu, radius: self.radius, f, normals })
            }
            (Some(set), None) => {
                Rule::Friction(Friction { mu: self.mu, radius: self.radius, set, normals })
            }
        }
    }

    /// The largest friction at a normal impulse, while the contact slips.
    #[must_use]
    pub fn limit(&self, normal: f64) -> f64 {
        self.mu * normal + self.radius
    }

    /// The normal impulses that ξ_N allows: −Upr(ξ_N), \[3\] eq. (12).
    #[must_use]
    pub fn normal_impulses(&self, xi_n: f64) -> Interval {
        upr(xi_n).negated()
    }

    /// The friction impulses that Λ_N and ξ_T allow at a planar contact: −(μ Λ_N + a) Sgn(ξ_T), \[3\] eq. (12); for a
    /// contact that slides the sign is that of its slip. A static coefficient counts where ξ_T = 0, a curve at |ξ_T|.
    pub fn friction_impulses(&self, normal: f64, xi_t: f64) -> Interval {
        let direction = self.slip().map_or(xi_t, Slip::sign);
        let mu = match (self.distinct_static(), self.curve()) {
            (Some(mu), _) if direction == 0.0 => mu,
            (_, Some(curve)) => curve.coefficient(xi_t.abs()),
            _ => self.mu,
        };
        let limit = mu * normal + self.radius;
        sgn(direction).scaled(limit, 0.0).negated()
    }

    /// Whether planar impulses obey the law at ξ, to the last bit: the two inclusions of \[3\] eq. (12).
    #[must_use]
    pub fn admits(&self, [xi_n, xi_t]: [f64; 2], [lam_n, lam_t]: [f64; 2]) -> bool {
        self.normal_impulses(xi_n).contains(lam_n)
            && self.friction_impulses(lam_n, xi_t).contains(lam_t)
    }

    /// Refuses a negative or infinite friction, a restitution outside of [0, 1], and an invalid set.
    pub fn validate(&self, contact: usize) -> Result<(), Error> {
        let place = |what: &str| format!("{what} of contact {contact}");
        self.validate_dependence(&place)?;
        check(|| place("mu"), self.mu, self.mu >= 0.0, "a finite number >= 0")?;
        check(|| place("radius"), self.radius, self.radius >= 0.0, "a finite number >= 0")?;
        if let Some(rho) = self.rho {
            check(|| place("rho"), rho, rho >= 0.0, "a finite number >= 0")?;
        }
        let unit = |e: f64| (0.0..=1.0).contains(&e);
        check(|| place("eps_n"), self.eps_n, unit(self.eps_n), "between 0 and 1")?;
        check(|| place("eps_t"), self.eps_t, unit(self.eps_t), "between 0 and 1")?;
        match &self.kind {
            Kind::Set(set) => set.validate()?,
            Kind::Dry(set) => {
                set.validate()?;
                let wanted = "0: dry friction has no normal load; its size is the radius";
                check(|| place("mu"), self.mu, self.mu == 0.0, wanted)?;
                let none = matches!(
                    self.slip_dependence,
                    SlipDependence::None | SlipDependence::Static(0.0)
                );
                let most = if none { 0.0 } else { self.coefficient(0.0) };
                check(|| place("mu_static or a curve of mu"), most, none, wanted)?;
            }
            Kind::Bilateral(rows) => {
                let inside = (1..=6).contains(rows);
                check(|| place("the number of components"), *rows as f64, inside, "from 1 to 6")?;
            }
            _ => {}
        }
        let Some(slip) = self.sliding else { return Ok(()) };
        for (i, v) in slip.into_iter().enumerate() {
            check(|| place(&format!("sliding[{i}]")), v, true, "a finite number")?;
        }
        let moves = slip[..self.tangents()].iter().any(|&v| v != 0.0);
        let wanted = "a velocity other than 0 in a tangential component of the contact";
        check(|| place("sliding"), slip[0], moves, wanted)
    }

    fn validate_dependence(&self, place: &dyn Fn(&str) -> String) -> Result<(), Error> {
        match &self.slip_dependence {
            SlipDependence::None => Ok(()),
            SlipDependence::Static(mu_static) => {
                let wanted = "a finite number >= mu, the coefficient of slip";
                check(|| place("mu_static"), *mu_static, *mu_static >= self.mu, wanted)
            }
            SlipDependence::Speed(curve) => {
                curve.validate(place)?;
                let rest = curve.coefficient(0.0);
                let wanted =
                    "mu(0) where it depends on the slip speed; make such laws by Law::with_curve";
                check(|| place("mu"), self.mu, self.mu == rest, wanted)?;
                let wanted = "0 where mu depends on the slip speed: the slip at the end of an impact is not the ξ_T of its law then";
                check(|| place("eps_t"), self.eps_t, self.eps_t == 0.0, wanted)?;
                let wanted = "left out where mu depends on the slip speed; give the coefficient at that speed";
                check(|| place("sliding"), 1.0, self.sliding.is_none(), wanted)
            }
        }
    }
}
