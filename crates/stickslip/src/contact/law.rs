//! The law of one planar contact, and the state a contact is in.

use crate::error::{Error, check};
use crate::set_valued::{Interval, sgn, upr};

/// The direction in which a contact slides: the sign of its tangential velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slip {
    /// γ_T > 0.
    Positive,
    /// γ_T < 0.
    Negative,
}

impl Slip {
    /// +1 or −1.
    pub fn sign(self) -> f64 {
        match self {
            Self::Positive => 1.0,
            Self::Negative => -1.0,
        }
    }

    /// The direction of a velocity that is not zero.
    pub fn of(velocity: f64) -> Option<Self> {
        if velocity > 0.0 {
            Some(Self::Positive)
        } else if velocity < 0.0 {
            Some(Self::Negative)
        } else {
            None
        }
    }
}

/// What a contact does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// It transmits nothing.
    #[default]
    Open,
    /// Closed, without slip.
    Stick,
    /// Closed and sliding.
    Slide(Slip),
}

impl Mode {
    /// The word used in files: `open`, `stick`, `slip+`, `slip-`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Stick => "stick",
            Self::Slide(Slip::Positive) => "slip+",
            Self::Slide(Slip::Negative) => "slip-",
        }
    }
}

/// The law of a planar contact. With ξ = γ⁺ + ε γ⁻, \[3\] eqs. (11) and (12):
/// 0 ≤ ξ_N ⊥ Λ_N ≥ 0 and −Λ_T ∈ (μ Λ_N + a) Sgn(ξ_T).
///
/// The radius a (friction that does not depend on the load) is a force in a system and is turned
/// into an impulse a Δt in a step; in a [`ContactProblem`](super::ContactProblem) it has the
/// unit of Λ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// Coefficient of friction μ ≥ 0.
    pub mu: f64,
    /// Friction a ≥ 0 that does not depend on the normal load.
    pub radius: f64,
    /// Normal restitution ε_N in [0, 1].
    pub eps_n: f64,
    /// Tangential restitution ε_T in [0, 1].
    pub eps_t: f64,
    /// On the level of accelerations: the contact slides, so that its friction is known,
    /// Λ_T = −sign (μ Λ_N + a). Then ξ_T is not restricted.
    pub sliding: Option<Slip>,
}

impl Law {
    /// Coulomb friction without restitution.
    pub fn coulomb(mu: f64) -> Self {
        Self { mu, radius: 0.0, eps_n: 0.0, eps_t: 0.0, sliding: None }
    }

    /// Friction of a constant size, without restitution.
    pub fn constant(radius: f64) -> Self {
        Self { radius, ..Self::coulomb(0.0) }
    }

    /// The same law with restitution.
    pub fn with_restitution(self, eps_n: f64, eps_t: f64) -> Self {
        Self { eps_n, eps_t, ..self }
    }

    /// Whether the friction impulse is an unknown of its own: neither zero nor fixed by sliding.
    pub fn has_free_friction(&self) -> bool {
        self.sliding.is_none() && (self.mu > 0.0 || self.radius > 0.0)
    }

    /// The largest friction at a normal impulse.
    pub fn limit(&self, normal: f64) -> f64 {
        self.mu * normal + self.radius
    }

    /// The normal impulses that ξ_N allows: −Upr(ξ_N), \[3\] eq. (12).
    pub fn normal_impulses(&self, xi_n: f64) -> Interval {
        upr(xi_n).negated()
    }

    /// The friction impulses that Λ_N and ξ_T allow: −(μ Λ_N + a) Sgn(ξ_T), \[3\] eq. (12); for a contact that slides
    /// the sign is that of its slip.
    pub fn friction_impulses(&self, normal: f64, xi_t: f64) -> Interval {
        let direction = self.sliding.map_or(xi_t, Slip::sign);
        sgn(direction).scaled(self.limit(normal), 0.0).negated()
    }

    /// Whether impulses obey the law at ξ, to the last bit: the two inclusions of \[3\] eq. (12).
    pub fn admits(&self, [xi_n, xi_t]: [f64; 2], [lam_n, lam_t]: [f64; 2]) -> bool {
        self.normal_impulses(xi_n).contains(lam_n)
            && self.friction_impulses(lam_n, xi_t).contains(lam_t)
    }

    /// Refuses a negative or infinite friction and a restitution outside of [0, 1].
    pub fn validate(&self, contact: usize) -> Result<(), Error> {
        let place = |what: &str| format!("{what} of contact {contact}");
        check(|| place("mu"), self.mu, self.mu >= 0.0, "a finite number >= 0")?;
        check(|| place("radius"), self.radius, self.radius >= 0.0, "a finite number >= 0")?;
        let unit = |e: f64| (0.0..=1.0).contains(&e);
        check(|| place("eps_n"), self.eps_n, unit(self.eps_n), "between 0 and 1")?;
        check(|| place("eps_t"), self.eps_t, unit(self.eps_t), "between 0 and 1")
    }
}
