//! Structures: stacks, pyramids, wedges. Most of them touch at more points than they need, so W is
//! singular; none has restitution, so b = Hᵀv and a solution exists.

use super::{Builder, System, friction_coefficients, planar_body, spatial_body};
use stickslip_studies::Draw;

/// One coefficient for all contacts, or one for each.
fn coefficients(d: &mut Draw, k: usize) -> Vec<f64> {
    if d.chance(0.5) {
        vec![friction_coefficients(d, 1)[0]; k]
    } else {
        friction_coefficients(d, k)
    }
}

/// Masses: equal, or over four decades with no order, so that heavy stands on light.
fn masses(d: &mut Draw, count: usize) -> Vec<f64> {
    let equal = d.chance(0.4);
    (0..count).map(|_| if equal { 1.0 } else { d.log_between(0.1, 1000.0) }).collect()
}

/// The motion on top of gravity: none (all ties), or a push.
fn push(d: &mut Draw) -> f64 {
    if d.chance(0.4) { 0.0 } else { 0.5 }
}

/// `k` contacts (rounded up to two per box): boxes in the plane, each on two corners.
pub(crate) fn planar_stack(d: &mut Draw, k: usize) -> System {
    let boxes = k.div_ceil(2).max(1);
    let mut builder = Builder::planar();
    let (a, h) = (0.5, 0.5);
    for (i, mass) in masses(d, boxes).into_iter().enumerate() {
        builder.body(planar_body(mass, mass * (a * a + h * h) / 3.0));
        for x in [-a, a] {
            let below = (i > 0).then(|| (i - 1, [x, h, 0.0]));
            builder.contact((i, [x, -h, 0.0]), below, [0.0, 1.0, 0.0]);
        }
    }
    let spread = push(d);
    let v = builder.falling(d, 1, spread);
    let mu = coefficients(d, builder.contacts());
    builder.pose(&v, mu)
}

/// `k` contacts (rounded up to four per box): boxes in space, each on four corners.
pub(crate) fn box_stack(d: &mut Draw, k: usize) -> System {
    let boxes = k.div_ceil(4).max(1);
    let mut builder = Builder::spatial();
    let a = 0.5;
    for (i, mass) in masses(d, boxes).into_iter().enumerate() {
        builder.body(spatial_body(mass, [mass / 6.0; 3]));
        for (x, y) in [(-a, -a), (a, -a), (a, a), (-a, a)] {
            let below = (i > 0).then(|| (i - 1, [x, y, a]));
            builder.contact((i, [x, y, -a]), below, [0.0, 0.0, 1.0]);
        }
    }
    let spread = push(d);
    let v = builder.falling(d, 2, spread);
    let mu = coefficients(d, builder.contacts());
    builder.pose(&v, mu)
}

/// A pyramid of boxes in the plane with about `k` contacts: each box on two others, with two
/// points on each of them.
pub(crate) fn planar_pyramid(d: &mut Draw, k: usize) -> System {
    let contacts = |base: usize| 2 * base + 4 * (base * (base - 1) / 2);
    let base = (1..).find(|&b| contacts(b + 1) > k).expect("contacts grow");
    let mut builder = Builder::planar();
    let (a, h) = (0.5, 0.5);
    let mut below: Vec<usize> = Vec::new();
    let mut mass = masses(d, base * (base + 1) / 2).into_iter();
    for level in 0..base {
        let row: Vec<usize> = mass
            .by_ref()
            .take(base - level)
            .map(|m| builder.body(planar_body(m, m * (a * a + h * h) / 3.0)))
            .collect();
        for (i, &body) in row.iter().enumerate() {
            if level == 0 {
                for x in [-a, a] {
                    builder.contact((body, [x, -h, 0.0]), None, [0.0, 1.0, 0.0]);
                }
                continue;
            }
            // The centre of this box lies over the gap: its left half rests on one, its right
            // half on the other.
            for (x, under, x_under) in
                [(-a, i, 0.0), (-0.05, i, 0.45), (0.05, i + 1, -0.45), (a, i + 1, 0.0)]
            {
                let side = Some((below[under], [x_under, h, 0.0]));
                builder.contact((body, [x, -h, 0.0]), side, [0.0, 1.0, 0.0]);
            }
        }
        below = row;
    }
    let spread = push(d);
    let v = builder.falling(d, 1, spread);
    let mu = coefficients(d, builder.contacts());
    builder.pose(&v, mu)
}

/// `k` contacts (rounded up to three per wedge): wedges driven into a slot between two walls, each
/// pressed by the one above. With enough friction they jam: self-stress within the cones.
pub(crate) fn wedges(d: &mut Draw, k: usize) -> System {
    let count = k.div_ceil(3).max(1);
    let mut builder = Builder::planar();
    let angle = d.between(0.05, 0.7);
    let (sin, cos) = angle.sin_cos();
    for (i, mass) in masses(d, count).into_iter().enumerate() {
        builder.body(planar_body(mass, 0.2 * mass));
        builder.contact((i, [-0.5, 0.0, 0.0]), None, [cos, sin, 0.0]);
        builder.contact((i, [0.5, 0.0, 0.0]), None, [-cos, sin, 0.0]);
        if i > 0 {
            builder.contact((i, [0.0, -0.5, 0.0]), Some((i - 1, [0.0, 0.5, 0.0])), [0.0, 1.0, 0.0]);
        }
    }
    let spread = push(d);
    let v = builder.falling(d, 1, spread);
    let mu = coefficients(d, builder.contacts());
    builder.pose(&v, mu)
}

/// A chain of `links` bars with pin joints (two rows each) that lies on the ground with one
/// contact per bar; with `loops` the ends are pinned to the ground as well, one of them twice.
pub(crate) fn jointed_chain(d: &mut Draw, links: usize, loops: bool) -> System {
    let mut builder = Builder::planar();
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    for (i, mass) in masses(d, links).into_iter().enumerate() {
        builder.body(planar_body(mass, mass / 12.0));
        builder.contact((i, [0.1, -0.1, 0.0]), None, [0.0, 1.0, 0.0]);
        if i > 0 {
            for dir in axes {
                builder.join((i, [-0.5, 0.0, 0.0]), Some((i - 1, [0.5, 0.0, 0.0])), dir);
            }
        }
    }
    if loops {
        for end in [-0.5, -0.5, 0.5] {
            let body = if end < 0.0 { 0 } else { links - 1 };
            for dir in axes {
                builder.join((body, [end, 0.0, 0.0]), None, dir);
            }
        }
    }
    let spread = push(d);
    let v = builder.falling(d, 1, spread);
    let mu = coefficients(d, builder.contacts());
    builder.pose(&v, mu)
}
