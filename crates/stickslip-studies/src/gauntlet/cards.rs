//! Houses of cards: row I.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | ℓ, ρ | distance of the axes of the round edges of a card, and their radius: half its thickness |
//! | α | angle of a leaning card from the vertical |
//! | W, H | weight of a card, and the force with which two cards lean against each other |

use super::limits::both;
use super::{Case, Span, Yard};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use stickslip::Error;
use stickslip::bodies::{Geometry, MassProperties, Pose, Twist};
use stickslip::contact::Law;

/// Length, width and thickness of a card, in m, and its mass, in kg.
const CARD: DVec3 = DVec3::new(0.088, 0.063, 3e-4);
const MASS: f64 = 1.8e-3;
/// ρ.
const EDGE: f64 = 0.5 * CARD.z;
/// ℓ.
const SPAN: f64 = CARD.x - CARD.z;
/// α in degrees.
const LEAN: f64 = 20.0;
/// The distance of neighbouring pairs of cards in a storey, in m: less than a card, so that one lies on both.
const PITCH: f64 = 0.085;

/// Two cards on both sides of their critical friction, and the house.
pub(super) fn cases() -> Vec<Case> {
    let critical = critical_friction();
    let name = format!("two cards that lean at {LEAN}°, critical μ {critical:.6}");
    let mut all: Vec<Case> = both('I', &name, move |share| leaning(critical * share)).into();
    all.push(Case {
        span: Span { t_end: 10.0, dt: 1e-3 },
        ..Case::still('I', "house of 15 cards, μ 0.6", house)
    });
    all
}

/// The friction with which two cards stand that lean against each other. Each has its weight W at its middle, N = W and friction H on the floor below the axis
/// of its lower edge, and H from the other card beside the axis of its upper edge; friction between the cards is 0, as they are
/// alike. Moments about the foot are in balance for W ℓ/2 sin α = H (ρ + ℓ cos α), and H/N is the friction.
fn critical_friction() -> f64 {
    let (sin, cos) = LEAN.to_radians().sin_cos();
    0.5 * SPAN * sin / (EDGE + SPAN * cos)
}

fn leaning(mu: f64) -> Result<Yard, Error> {
    let mut yard = Yard::new(Law::disc(mu))?;
    pair(&mut yard, 0.0, 0.0)?;
    Ok(yard)
}

/// Three pairs of leaning cards, two on them with a card between storeys below each, and one on these.
///
/// A pair that carries the load Q on each of its cards needs friction H/N = (W/2 + Q) / (W + Q) ℓ sin α / (ρ + ℓ cos α), which is less
/// than tan α = 0.364, however high the house.
fn house() -> Result<Yard, Error> {
    let mut yard = Yard::new(Law::disc(0.6))?;
    let storey = 2.0 * EDGE + SPAN * LEAN.to_radians().cos() + CARD.z;
    for level in 0..3 {
        let (pairs, floor) = (3 - level, storey * level as f64);
        let place = |k: usize| PITCH * (k as f64 - 0.5 * (pairs - 1) as f64);
        for k in 0..pairs {
            pair(&mut yard, place(k), floor)?;
        }
        for k in 0..pairs - 1 {
            // Cards end to end have their ends on the pair in the middle, each on one card of it, and reach over both cards of the outer pairs.
            let aside = match (pairs, k) {
                (3, 0) => -1.0,
                (3, _) => 1.0,
                _ => 0.0,
            };
            let x = 0.5 * (place(k) + place(k + 1)) + aside * (0.5 * (CARD.x - PITCH) + 0.3 * EDGE);
            let z = floor + storey - 0.5 * CARD.z;
            let start = (Pose::at(DVec3::new(x, 0.0, z)), Twist::default());
            yard.cuboid(MASS, CARD, start)?;
        }
    }
    Ok(yard)
}

/// Two cards that lean against each other at this place.
fn pair(yard: &mut Yard, x: f64, floor: f64) -> Result<(), Error> {
    let (sin, cos) = LEAN.to_radians().sin_cos();
    for side in [-1.0, 1.0] {
        let aside = EDGE + 0.5 * SPAN * sin;
        let position = DVec3::new(x + side * aside, 0.0, floor + EDGE + 0.5 * SPAN * cos);
        // The long axis of a card is x; upright is a quarter of a turn about y.
        let rotation = DQuat::from_rotation_y(-FRAC_PI_2 - side * LEAN.to_radians());
        let properties = MassProperties::cuboid(MASS, CARD)?;
        yard.add(properties, rounded(), (Pose { position, rotation }, Twist::default()))?;
    }
    Ok(())
}

/// A card whose short edges are round, so that it touches others along lines with one normal.
fn rounded() -> Geometry {
    let half_lengths = 0.5 * DVec3::new(SPAN, CARD.y, CARD.z);
    let along = DQuat::from_rotation_x(FRAC_PI_2);
    let edge = |x: f64| {
        let pose = Pose { position: DVec3::X * x, rotation: along };
        (pose, Geometry::Capsule { half_length: 0.5 * CARD.y - EDGE, radius: EDGE })
    };
    let flat = (Pose::default(), Geometry::Box { half_lengths });
    Geometry::Compound { parts: vec![flat, edge(-0.5 * SPAN), edge(0.5 * SPAN)] }
}
