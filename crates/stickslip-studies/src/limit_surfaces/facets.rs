//! How fast polyhedral friction sets approach the ellipsoid as their facets grow.

use super::{GRAVITY, Patch, Rig};
use crate::Error;
use std::f64::consts::TAU;
use stickslip::contact::Law;
use stickslip::contact::set::ConvexSet;
use stickslip::contact::set::Sandwich;
use stickslip::level::Level;

/// Whether a polyhedron has its corners on the ellipsoid or its facets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Corners: too weak.
    Inside,
    /// Facets: too strong.
    Outside,
}

/// The errors of one polyhedron, as roots of the mean square over directions.
#[derive(Clone, Copy, Debug)]
pub struct Facets {
    /// Facets it has.
    pub count: usize,
    /// Between which multiples of the ellipsoid it lies.
    pub sandwich: Sandwich,
    /// Of the power that friction takes from a sliding contact (its strength), as a share; level of accelerations.
    pub power: f64,
    /// Of the friction itself, in units of the limit surface.
    pub friction: f64,
    /// Of the velocity after a step that halves the slip or so, as a share of the slip; level of steps.
    pub step: f64,
}

/// A polyhedron with about this many facets for the ellipsoid of a patch, against the ellipsoid, over `directions`
/// directions of slip.
///
/// # Errors
/// If the polyhedron cannot be made, or a problem has no certified answer.
pub fn facets(
    rig: &mut Rig,
    axes: [f64; 3],
    side: Side,
    count: usize,
    directions: usize,
) -> Result<Facets, Error> {
    let (mu, mass, inertia) = (0.5, 1.0, 0.05);
    let smooth = ConvexSet::Ellipsoid(axes.to_vec());
    let polyhedron = match side {
        Side::Inside => smooth.polyhedron_inside(count)?,
        Side::Outside => smooth.polyhedron_outside(count)?,
    };
    let sandwich = smooth.sandwich(&polyhedron);
    let count = polyhedron.normals().count();
    let round = Law::with_set(mu, smooth.clone());
    let flat = Law::with_set(mu, ConvexSet::Polyhedron(polyhedron));
    let patch = Patch { mass, inertia, middle: [0.0; 2], law: round.clone() };
    let limit = mu * mass * GRAVITY;
    let mut squares = [0.0; 3];
    for k in 0..directions {
        let slip = direction(axes, k, directions);
        let speed = smooth.support(&slip);
        let body = patch.snapshot([0.0; 3], 0.0, [0.0, slip[0], slip[1], slip[2]])?;
        let level = Level::Acceleration(0.0);
        let exact = rig.solve(&body, &round, level)?.1.impulse;
        let found = rig.solve(&body, &flat, level)?.1.impulse;
        let power = |f: &[f64]| f[1..].iter().zip(slip).map(|(f, v)| f * v).sum::<f64>();
        squares[0] += (power(&found) / power(&exact) - 1.0).powi(2);
        let off: Vec<f64> = (1..4).map(|i| (found[i] - exact[i]) / limit).collect();
        squares[1] += smooth.gauge(&off).powi(2);
        let level = Level::Step(0.5 * speed / (mu * GRAVITY));
        let exact = rig.solve(&body, &round, level)?.1.velocity;
        let found = rig.solve(&body, &flat, level)?.1.velocity;
        let off: Vec<f64> = (1..4).map(|i| found[i] - exact[i]).collect();
        squares[2] += (smooth.support(&off) / speed).powi(2);
    }
    let [power, friction, step] = squares.map(|s| (s / directions as f64).sqrt());
    Ok(Facets { count, sandwich, power, friction, step })
}

/// Slips whose friction is spread evenly over the ellipsoid, on a spiral that is not that of the polyhedra.
fn direction(axes: [f64; 3], k: usize, count: usize) -> [f64; 3] {
    let height = 1.0 - 2.0 * (k as f64 + 0.37) / count as f64;
    let width = (1.0 - height * height).sqrt();
    let (sin, cos) = (TAU * (0.324_717_957 * k as f64 + 0.21)).sin_cos();
    [width * cos / axes[0], width * sin / axes[1], height / axes[2]]
}
