//! Spheres that settled in a box.

use super::{Mix, Vec3, World, unit};
use stickslip_contact::ContactProblem;
use stickslip_studies::Draw;

/// Steps in which the spheres settle.
const SETTLING: usize = 400;
/// Spheres touch if the gap is below this part of the radius.
const TOUCHING: f64 = 0.02;

/// `count` spheres of slightly different radii that fell into a box about as wide as the pile is high.
pub fn sphere_pile(count: usize, mix: Mix) -> ContactProblem {
    let mut d = Draw::new("sphere_pile", count, mix.seed);
    let radii: Vec<f64> = (0..count).map(|_| d.between(0.45, 0.55)).collect();
    let width = (count as f64).cbrt().max(2.0);
    let centres = settle(&mut d, &radii, width);
    let mut world = World::default();
    for &r in &radii {
        let mass =
            if mix.mass_ratio > 1.0 { d.log_between(1.0, mix.mass_ratio) } else { r.powi(3) };
        let mut v: [f64; 6] = std::array::from_fn(|_| mix.motion * d.normal());
        v[2] -= 1.0;
        world.body(mass, [0.4 * mass * r * r; 3], v);
    }
    let reach = |r: f64| r * (1.0 + TOUCHING);
    for (i, (c, &r)) in centres.iter().zip(&radii).enumerate() {
        for (normal, gap) in walls(c, width) {
            if gap < reach(r) {
                world.contact((i, normal.map(|x| -r * x)), None, normal, mix.mu);
            }
        }
    }
    for (i, j) in near_pairs(&centres, width) {
        let between = difference(centres[i], centres[j]);
        if length(between) < reach(radii[i] + radii[j]) {
            let n = unit(between);
            let (on, against) = (n.map(|x| -radii[i] * x), n.map(|x| radii[j] * x));
            world.contact((i, on), Some((j, against)), n, mix.mu);
        }
    }
    world.pose()
}

/// Normals of the walls and the floor, with the distance from them.
fn walls(c: &Vec3, width: f64) -> [(Vec3, f64); 5] {
    [
        ([0.0, 0.0, 1.0], c[2]),
        ([1.0, 0.0, 0.0], c[0]),
        ([-1.0, 0.0, 0.0], width - c[0]),
        ([0.0, 1.0, 0.0], c[1]),
        ([0.0, -1.0, 0.0], width - c[1]),
    ]
}

/// Lets spheres sink and pushes them apart, again and again.
fn settle(d: &mut Draw, radii: &[f64], width: f64) -> Vec<Vec3> {
    let per_layer = (width.floor() as usize).pow(2).max(1);
    let side = width.floor() as usize;
    let mut centres: Vec<Vec3> = (0..radii.len())
        .map(|i| {
            let (layer, place) = (i / per_layer, i % per_layer);
            let mut jitter = || 0.5 + 0.1 * d.normal();
            [
                (place % side) as f64 + jitter(),
                (place / side) as f64 + jitter(),
                1.1 * layer as f64 + jitter(),
            ]
        })
        .collect();
    for step in 0..SETTLING {
        // Large steps first; in the last quarter none, so that overlaps vanish.
        let sink = if step < 3 * SETTLING / 4 { 0.03 } else { 0.002 };
        centres.iter_mut().for_each(|c| c[2] -= sink);
        let pairs = near_pairs(&centres, width);
        for _ in 0..4 {
            for &(i, j) in &pairs {
                let between = difference(centres[i], centres[j]);
                let overlap = radii[i] + radii[j] - length(between);
                if overlap > 0.0 {
                    let n = unit(between);
                    for x in 0..3 {
                        centres[i][x] += 0.5 * overlap * n[x];
                        centres[j][x] -= 0.5 * overlap * n[x];
                    }
                }
            }
            for (c, r) in centres.iter_mut().zip(radii) {
                for (normal, gap) in walls(c, width) {
                    let push = (r - gap).max(0.0);
                    c.iter_mut().zip(normal).for_each(|(x, n)| *x += push * n);
                }
            }
        }
    }
    centres
}

/// Pairs in neighbouring cells of a grid, in a fixed order.
fn near_pairs(centres: &[Vec3], width: f64) -> Vec<(usize, usize)> {
    const CELL: f64 = 1.2;
    let cells = (width / CELL) as i64 + 2;
    let key = |c: &Vec3| c.map(|x| (x / CELL).floor() as i64);
    let code = |k: [i64; 3]| (k[2] * cells + k[1]) * cells + k[0];
    let mut sorted: Vec<(i64, usize)> =
        centres.iter().enumerate().map(|(i, c)| (code(key(c)), i)).collect();
    sorted.sort_unstable();
    let mut pairs = Vec::new();
    for (i, c) in centres.iter().enumerate() {
        let k = key(c);
        for (dz, dy) in
            [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1)]
        {
            let first = code([k[0] - 1, k[1] + dy, k[2] + dz]);
            let at = sorted.partition_point(|s| s.0 < first);
            for &(cell, j) in &sorted[at..] {
                if cell > first + 2 {
                    break;
                }
                if j < i && length(difference(*c, centres[j])) < CELL {
                    pairs.push((i, j));
                }
            }
        }
    }
    pairs
}

fn difference(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|x| a[x] - b[x])
}

fn length(a: Vec3) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}
