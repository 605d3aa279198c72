//! The motions of the matrix, with their closed forms.

use glam::DVec2;
use stickslip::contact::Law;
use stickslip::impact::ImpactLaw;

/// The size of gravity, in m/s².
pub(super) const G: f64 = 9.81;
/// The coefficient of friction.
const MU: f64 = 0.3;
/// How high above the ground a fall begins, in metres.
const HEIGHT: f64 = 5e-3;
/// The velocity along the ground at the start, in m/s.
pub(super) const SPEED: f64 = 0.5;
/// The tangent of the slope: less than the coefficient of friction.
const SLOPE: f64 = 0.2;
/// A flight shorter than this is none, in seconds: the sum of all that follow it is of that size too.
const SHORTEST_FLIGHT: f64 = 1e-14;

/// A motion of a body that does not rotate, in a vertical plane: x along the ground and z along its normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// It falls, bounces with ε_N = 0.5, slides, and comes to rest.
    Bounces,
    /// It falls, stays on the ground at once (ε_N = 0), slides, and comes to rest.
    Lands,
    /// It rests on a slope below the angle of friction.
    Rests,
}

/// Position and velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// Along the ground and above it, in metres.
    pub position: DVec2,
    /// In m/s.
    pub velocity: DVec2,
}

/// The law that a formulation stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Friction {
    /// Coulomb's.
    Coulomb,
    /// That of the convexified cone, posed for velocities: a contact that slides at γ_T leaves the ground with μ |γ_T|.
    Convexified,
}

impl Motion {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bounces, Self::Lands, Self::Rests];

    /// When states are compared, in seconds: in the first flight, while it slides, at rest.
    pub const INSTANTS: [f64; 3] = [0.05, 0.13, 0.2];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bounces => "bounces",
            Self::Lands => "lands",
            Self::Rests => "rests",
        }
    }

    /// The law of its contact, from the law of friction alone.
    pub(super) fn law(self, friction: fn(f64) -> Law) -> Law {
        Law { eps_n: self.restitution(), ..friction(MU) }
    }

    /// Gravity in the plane of the motion.
    pub(super) fn gravity(self) -> DVec2 {
        let tangent = if self == Self::Rests { SLOPE } else { 0.0 };
        G * DVec2::new(tangent, -1.0).normalize()
    }

    /// The start.
    #[must_use]
    pub fn start(self) -> Place {
        match self {
            Self::Rests => Place::default(),
            Self::Bounces | Self::Lands => {
                Place { position: DVec2::new(0.0, HEIGHT), velocity: DVec2::new(SPEED, 0.0) }
            }
        }
    }

    /// The closed form at a time: flights between impacts, whose number may be infinite, then sliding, then rest.
    #[must_use]
    pub fn exact(self, friction: Friction, impact: ImpactLaw, t: f64) -> Place {
        let (mut at, mut left) = (self.start(), t);
        if self == Self::Rests {
            return at;
        }
        loop {
            let (z, w) = (at.position.y, at.velocity.y);
            let flight = (w + (w * w + 2.0 * G * z).sqrt()) / G;
            if flight < SHORTEST_FLIGHT {
                return slide(at, left);
            }
            if flight >= left {
                return fly(at, left);
            }
            left -= flight;
            at = fly(at, flight);
            at.position.y = 0.0;
            at.velocity = self.strike(friction, impact, at.velocity.x, -at.velocity.y);
        }
    }

    fn restitution(self) -> f64 {
        if self == Self::Bounces { 0.5 } else { 0.0 }
    }

    /// The velocity after an impact with the velocities `v` along the ground and `w` towards it.
    fn strike(self, friction: Friction, impact: ImpactLaw, v: f64, w: f64) -> DVec2 {
        let eps = self.restitution();
        match (friction, impact) {
            // Both laws of impacts say the same of one contact at a body that does not rotate.
            (Friction::Coulomb, _) => DVec2::new((v - MU * (1.0 + eps) * w).max(0.0), eps * w),
            (Friction::Convexified, ImpactLaw::Newton) => {
                let slip = ((v - MU * (1.0 + eps) * w) / (1.0 + MU * MU)).max(0.0);
                DVec2::new(slip, eps * w + MU * slip)
            }
            (Friction::Convexified, ImpactLaw::Poisson) => {
                let slip = ((v - MU * w) / (1.0 + MU * MU)).max(0.0);
                let back = eps * (w + MU * slip);
                DVec2::new((slip - MU * back).max(0.0), MU * slip + back)
            }
        }
    }
}

fn fly(at: Place, t: f64) -> Place {
    let fall = DVec2::new(0.0, -G);
    Place {
        position: at.position + t * at.velocity + 0.5 * t * t * fall,
        velocity: at.velocity + t * fall,
    }
}

fn slide(at: Place, t: f64) -> Place {
    let v = at.velocity.x;
    let stop = v / (MU * G);
    let t = t.min(stop);
    let position = DVec2::new(at.position.x + v * t - 0.5 * MU * G * t * t, 0.0);
    Place { position, velocity: DVec2::new(MU * G * (stop - t), 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinitely_many_bounces_end_when_their_sum_says_and_momentum_is_balanced() {
        let fall = (2.0 * HEIGHT / G).sqrt();
        // 1 + 2 ε / (1 − ε) times the fall.
        let last = 3.0 * fall;
        let exact = |t| Motion::Bounces.exact(Friction::Coulomb, ImpactLaw::Newton, t);
        assert!(exact(last - 1e-6).position.y > 0.0 || exact(last - 1e-6).velocity.y != 0.0);
        let at = exact(last + 1e-9);
        assert_eq!((at.position.y, at.velocity.y), (0.0, 0.0));
        // The normal impulse is the weight times the time, whatever the impacts.
        let lost = MU * G * (last + 1e-9);
        assert!((at.velocity.x - (SPEED - lost)).abs() < 1e-9, "{at:?} {lost}");
        let end = SPEED / (MU * G);
        assert!(exact(end - 1e-6).velocity.x > 0.0 && exact(end + 1e-6).velocity.x == 0.0);
    }

    #[test]
    fn the_convexified_cone_hops_where_coulomb_slides_and_ends_at_rest_too() {
        for impact in ImpactLaw::ALL {
            let exact = |friction, t| Motion::Lands.exact(friction, impact, t);
            let [flight, _, end] = Motion::INSTANTS;
            assert_eq!(exact(Friction::Coulomb, flight).position.y, 0.0);
            assert!(exact(Friction::Convexified, flight).position.y > 1e-4);
            assert!(exact(Friction::Convexified, end).velocity.length() < 0.01);
        }
    }
}
