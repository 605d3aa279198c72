//! Friction laws drawn at random, one function per kind.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;
use stickslip_contact::Law;
use stickslip_contact::set::ConvexSet;
use stickslip_contact::set::{Polyhedron, UniformDisc};
use stickslip_studies::Draw;

/// A kind of law of which problems are drawn.
#[derive(Clone, Copy, Debug)]
pub struct LawFamily {
    /// Its name in tables and options.
    pub name: &'static str,
    /// Whether ξ is the same in all solutions: the problem is a convex one.
    pub unique: bool,
    /// A law; its constant radius is in units of the impulse that turns a unit velocity round.
    pub draw: fn(&mut Draw) -> Law,
}

/// All kinds of law, the mixture of all of them last.
pub const LAW_FAMILIES: &[LawFamily] = &[
    LawFamily { name: "frictionless", unique: true, draw: |_| Law::frictionless() },
    LawFamily { name: "planar", unique: false, draw: |d| friction(d, |_| ConvexSet::Interval) },
    LawFamily { name: "disc", unique: false, draw: |d| friction(d, |_| ConvexSet::Disc) },
    LawFamily { name: "ellipse", unique: false, draw: |d| friction(d, ellipse) },
    LawFamily { name: "ellipsoid", unique: false, draw: |d| friction(d, ellipsoid) },
    LawFamily { name: "polygon", unique: false, draw: |d| friction(d, polygon) },
    LawFamily { name: "polyhedron", unique: false, draw: |d| friction(d, polyhedron) },
    LawFamily { name: "mixed", unique: false, draw: |d| friction(d, mixed) },
    LawFamily { name: "constant_radius", unique: true, draw: constant_radius },
    LawFamily { name: "uniform_disc", unique: false, draw: |d| friction(d, uniform_disc) },
    LawFamily { name: "bilateral", unique: false, draw: bilateral },
    LawFamily { name: "mixture", unique: false, draw: mixture },
];

/// The kind of law of this name.
pub fn law_family(name: &str) -> Option<&'static LawFamily> {
    LAW_FAMILIES.iter().find(|f| f.name == name)
}

fn friction(d: &mut Draw, set: fn(&mut Draw) -> ConvexSet) -> Law {
    let mu = if d.chance(0.1) { 0.0 } else { d.between(0.0, 2.0) };
    Law::with_set(mu, set(d))
}

fn ellipse(d: &mut Draw) -> ConvexSet {
    ConvexSet::Ellipsoid(vec![1.0, d.between(0.2, 1.0)])
}

fn ellipsoid(d: &mut Draw) -> ConvexSet {
    ConvexSet::Ellipsoid(vec![1.0, d.between(0.3, 1.0), d.log_between(0.05, 1.0)])
}

fn mixed(d: &mut Draw) -> ConvexSet {
    ConvexSet::Mixed { ellipse: [1.0, d.between(0.3, 1.0)], spin: d.log_between(0.05, 1.0) }
}

/// Corners on the unit circle, evenly spaced or anywhere.
fn polygon(d: &mut Draw) -> ConvexSet {
    let (corners, turn) = (d.whole(3, 10) as usize, d.between(0.0, TAU));
    // Gaps between corners stay below half a turn: 120° · 1.4 at most.
    let uneven = if d.chance(0.5) { 0.0 } else { 0.2 };
    let mut corner = |j: usize| {
        let angle = turn + TAU * (j as f64 + uneven * d.between(-1.0, 1.0)) / corners as f64;
        [angle.cos(), angle.sin()]
    };
    let points: Vec<_> = (0..corners).map(&mut corner).collect();
    ConvexSet::Polyhedron(Polyhedron::hull(&points).expect("corners all around the origin"))
}

/// A double pyramid over a polygon, a prism over it, or an approximation of an ellipsoid.
fn polyhedron(d: &mut Draw) -> ConvexSet {
    let spin = d.log_between(0.1, 1.0);
    let (corners, turn) = (d.whole(3, 7) as usize, d.between(0.0, PI));
    let angle = |j: usize| turn + TAU * j as f64 / corners as f64;
    let made = match d.index(3) {
        0 => {
            let rim = (0..corners).map(|j| [angle(j).cos(), angle(j).sin(), 0.0]);
            Polyhedron::hull(&rim.chain([[0.0, 0.0, spin], [0.0, 0.0, -spin]]).collect::<Vec<_>>())
        }
        1 => {
            let layer =
                |z: f64| (0..corners).map(move |j| [0.9 * angle(j).cos(), 0.9 * angle(j).sin(), z]);
            Polyhedron::hull(&layer(spin).chain(layer(-spin)).collect::<Vec<_>>())
        }
        _ => ConvexSet::Ellipsoid(vec![1.0, 1.0, spin]).polyhedron_inside(24),
    };
    ConvexSet::Polyhedron(made.expect("corners all around the origin"))
}

fn uniform_disc(d: &mut Draw) -> ConvexSet {
    let radius = d.log_between(0.05, 1.0);
    ConvexSet::Custom(Arc::new(UniformDisc::new(radius).expect("a positive radius")))
}

/// A bound that does not depend on the normal force, on every kind of set.
fn constant_radius(d: &mut Draw) -> Law {
    let set = any_set(d);
    Law { radius: d.log_between(0.01, 1.0), ..Law::with_set(0.0, set) }
}

fn any_set(d: &mut Draw) -> ConvexSet {
    match d.index(7) {
        0 => ConvexSet::Interval,
        1 => ConvexSet::Disc,
        2 => ellipse(d),
        3 => ellipsoid(d),
        4 => polygon(d),
        5 => mixed(d),
        _ => polyhedron(d),
    }
}

/// Joints and contacts, half and half.
fn bilateral(d: &mut Draw) -> Law {
    if d.chance(0.5) {
        Law::bilateral(d.whole(1, 5) as usize)
    } else {
        Law::disc(d.between(0.0, 2.0))
    }
}

/// Any of the others; now and then with both parts of the bound.
fn mixture(d: &mut Draw) -> Law {
    let others = &LAW_FAMILIES[..LAW_FAMILIES.len() - 1];
    let mut law = (others[d.index(others.len())].draw)(d);
    if law.kind.set().is_some() && d.chance(0.1) {
        law.radius = d.log_between(0.01, 1.0);
    }
    law
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The strict feasibility of heaps (see `random`) rests on it.
    #[test]
    fn drawn_friction_sets_lie_in_the_unit_ball_or_nearly() {
        let mut d = Draw::new("sets", 1, 1);
        for family in LAW_FAMILIES {
            for _ in 0..40 {
                let law = (family.draw)(&mut d);
                let (mu, Some(set)) = (law.mu, law.kind.set()) else { continue };
                assert!((0.0..=2.0).contains(&mu));
                let n = set.dimension();
                for _ in 0..20 {
                    let mut x = d.normals(n);
                    // Spin does not take part in the tangential velocity of a heap.
                    x[2.min(n - 1)..].iter_mut().for_each(|x| *x *= if n == 3 { 0.0 } else { 1.0 });
                    let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
                    assert!(set.support(&x) <= 1.1 * length, "{}: {set:?}", family.name);
                }
            }
        }
    }
}
