//! A semicircular arch of voussoirs with radial joints: the least thickness with which it stands, and the arch as a world.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | R, t | radius of the middle line, which is 1, and thickness |
//! | θ | angle of a joint from the crown |
//! | W, M | weight of the part from the crown to θ, and its moment about the centre, for unit specific weight |
//! | H, K | thrust at the crown, which is horizontal, and its moment about the centre |

use super::Yard;
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};
use stickslip::Error;
use stickslip::bodies::{Geometry, MassProperties, Pose, Twist};
use stickslip::contact::Law;

/// The width of the arch, in m.
const WIDTH: f64 = 0.4;
/// Friction that keeps joints from sliding: at the critical thickness the springings need H/W = 0.4.
const MU: f64 = 0.8;

/// The critical thickness over the radius, for this many voussoirs that do not slide.
///
/// The arch stands if a line of thrust lies within every joint (Heyman 1966, The stone skeleton). By symmetry there is then one with a
/// horizontal thrust H at the crown. The part from there to the joint θ is in balance if the thrust goes through the joint at the
/// radius ρ with ρ (W sin θ + H cos θ) = K + M, so that
/// (R − t/2) (W sin θ + H cos θ) ≤ K + M ≤ (R + t/2) (W sin θ + H cos θ): linear in H and K. Parts of a ring of uniform density have W = R t θ and
/// M = ((R + t/2)³ − (R − t/2)³) / 3 (1 − cos θ). With joints everywhere this is Milankovitch's problem (1907), whose value is
/// 0.1075.
pub fn critical_thickness(voussoirs: usize) -> f64 {
    let (mut low, mut high) = (1e-3, 0.5);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if room(middle, voussoirs) >= 0.0 { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

/// By how much the bounds on K leave room for it, for the best H; a concave function of H, so that its maximum is bracketed.
fn room(thickness: f64, voussoirs: usize) -> f64 {
    let room = |thrust: f64| {
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        for theta in joints(voussoirs) {
            let (inner, outer) = radii(thickness);
            let across = thickness * theta * theta.sin() + thrust * theta.cos();
            let moment = (outer.powi(3) - inner.powi(3)) / 3.0 * (1.0 - theta.cos());
            least = least.max(inner * across - moment);
            most = most.min(outer * across - moment);
        }
        most - least
    };
    let (mut low, mut high) = (0.0, thickness * PI);
    for _ in 0..100 {
        let third = (high - low) / 3.0;
        if room(low + third) < room(high - third) { low += third } else { high -= third }
    }
    room(0.5 * (low + high))
}

/// The joints of one half, from the crown on; an odd number of voussoirs has a keystone there.
fn joints(voussoirs: usize) -> impl Iterator<Item = f64> {
    let step = PI / voussoirs as f64;
    let first = if voussoirs.is_multiple_of(2) { 0.0 } else { 0.5 * step };
    (0..=voussoirs / 2).map(move |k| (first + k as f64 * step).min(FRAC_PI_2))
}

fn radii(thickness: f64) -> (f64, f64) {
    (1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness)
}

/// One voussoir in its own axes: x along the arch, y across it, z outwards.
struct Voussoir {
    half: f64,
    inner: f64,
    outer: f64,
    /// The distance of its centre of mass from the centre of the arch.
    centre: f64,
}

impl Voussoir {
    fn new(thickness: f64, voussoirs: usize) -> Self {
        let (inner, outer) = radii(thickness);
        let half = 0.5 * PI / voussoirs as f64;
        let area = (outer * outer - inner * inner) * half;
        let centre = (outer.powi(3) - inner.powi(3)) / 3.0 * 2.0 * half.sin() / area;
        Self { half, inner, outer, centre }
    }

    /// A ring sector of 2,000 kg/m³.
    fn properties(&self) -> Result<MassProperties, Error> {
        let Self { half, inner, outer, centre } = *self;
        let area = (outer * outer - inner * inner) * half;
        let fourth = 0.25 * (outer.powi(4) - inner.powi(4)) / area;
        let (x, z) =
            (fourth * (half - half.sin() * half.cos()), fourth * (half + half.sin() * half.cos()));
        let (y, z) = (WIDTH * WIDTH / 12.0, z - centre * centre);
        let mass = 2e3 * area * WIDTH;
        MassProperties::new(mass, mass * DMat3::from_diagonal(DVec3::new(y + z, x + z, x + y)))
    }

    /// The corners of both its faces, of which it is the hull: what is missing of the ring beyond them touches nothing.
    fn corners(&self) -> Vec<DVec3> {
        let mut all = Vec::with_capacity(8);
        for (sin, cos) in [-self.half, self.half].map(f64::sin_cos) {
            for r in [self.inner, self.outer] {
                for y in [-0.5 * WIDTH, 0.5 * WIDTH] {
                    all.push(DVec3::new(r * sin, y, r * cos - self.centre));
                }
            }
        }
        all
    }
}

/// The arch, of radius 1 m, at rest on the ground.
pub(super) fn arch(thickness: f64, voussoirs: usize) -> Result<Yard, Error> {
    let mut yard = Yard::new(Law::disc(MU))?;
    let stone = Voussoir::new(thickness, voussoirs);
    for k in 0..voussoirs {
        let rotation = DQuat::from_rotation_y(stone.half * (2 * k + 1) as f64 - FRAC_PI_2);
        let position = rotation * DVec3::Z * stone.centre;
        let pose = Pose { position, rotation };
        let geometry = Geometry::Hull { points: stone.corners() };
        yard.add(stone.properties()?, geometry, (pose, Twist::default()))?;
    }
    Ok(yard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_voussoirs_have_the_thickness_of_milankovitch_and_few_need_less() {
        let many = critical_thickness(2000);
        assert!((many - 0.10748).abs() < 2e-5, "{many}");
        assert!(critical_thickness(11) < many);
    }

    /// Voussoirs of a thin ring are rods along the middle line; those of half a disc have its centre at 4/3π.
    #[test]
    fn a_voussoir_has_the_centre_of_its_ring() {
        let rod = Voussoir::new(1e-6, 2);
        assert!((rod.centre - 0.5f64.sqrt() * 4.0 / PI).abs() < 1e-9);
        let disc = Voussoir::new(2.0, 1);
        assert!((disc.centre - 8.0 / (3.0 * PI)).abs() < 1e-12);
    }
}
