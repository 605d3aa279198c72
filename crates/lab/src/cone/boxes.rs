//! Stacks and pyramids of unit cubes.

use super::{Mix, World};
use stickslip_contact::ContactProblem;
use stickslip_studies::Draw;

const HALF: f64 = 0.5;
const UP: [f64; 3] = [0.0, 0.0, 1.0];

fn add_cube(world: &mut World, d: &mut Draw, mix: &Mix) -> usize {
    let mass = if mix.mass_ratio > 1.0 { d.log_between(1.0, mix.mass_ratio) } else { 1.0 };
    let mut v: [f64; 6] = std::array::from_fn(|_| mix.motion * d.normal());
    v[2] -= 1.0;
    world.body(mass, [mass / 6.0; 3], v)
}

/// `levels` cubes, each on the four corners of the one below: 4 contacts per cube.
pub fn box_stack(levels: usize, mix: Mix) -> ContactProblem {
    let mut d = Draw::new("box_stack", levels, mix.seed);
    let mut world = World::default();
    for level in 0..levels {
        let cube = add_cube(&mut world, &mut d, &mix);
        for (x, y) in [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)] {
            let below = (level > 0).then(|| (cube - 1, [x, y, HALF]));
            world.contact((cube, [x, y, -HALF]), below, UP, mix.mu);
        }
    }
    world.pose()
}

/// A wall of cubes in rows of `base`, `base` − 1, …, 1: each cube stands on two, with four contacts on
/// each of them; those of the lowest row on four corners.
pub fn box_pyramid(base: usize, mix: Mix) -> ContactProblem {
    let mut d = Draw::new("box_pyramid", base, mix.seed);
    let mut world = World::default();
    let mut below: Vec<usize> = Vec::new();
    // Cubes of a row stand this far apart, so that they do not touch each other.
    let gap = 0.1;
    let inner = 0.5 * gap;
    for level in 0..base {
        let row: Vec<usize> = (level..base).map(|_| add_cube(&mut world, &mut d, &mix)).collect();
        for (i, &cube) in row.iter().enumerate() {
            for y in [-HALF, HALF] {
                if level == 0 {
                    for x in [-HALF, HALF] {
                        world.contact((cube, [x, y, -HALF]), None, UP, mix.mu);
                    }
                    continue;
                }
                // The cube below on the left has its centre at −(HALF + inner), the right one at +.
                for (x, under, centre) in [
                    (-HALF, i, -HALF - inner),
                    (-inner, i, -HALF - inner),
                    (inner, i + 1, HALF + inner),
                    (HALF, i + 1, HALF + inner),
                ] {
                    let side = Some((below[under], [x - centre, y, HALF]));
                    world.contact((cube, [x, y, -HALF]), side, UP, mix.mu);
                }
            }
        }
        below = row;
    }
    world.pose()
}
