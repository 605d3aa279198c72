//! Discs in the plane, packed in a box: a granular flow with planar contacts.

use super::Mix;
use stickslip_contact::block::BlockMatrix;
use stickslip_contact::{ContactProblem, Law};
use stickslip_studies::Draw;

/// Rows of Hᵀ of one side of a contact, for the three velocities of a disc.
type Rows = [[f64; 3]; 2];

/// A contact: the discs that it touches, with its rows for each.
type Touch = Vec<(usize, Rows)>;

/// About `count` discs in rows, each on two of the row below and beside its neighbours, with normals that are a little off.
pub fn disc_pile(count: usize, mix: Mix) -> ContactProblem {
    let mut d = Draw::new("disc_pile", count, mix.seed);
    let side = (count as f64).sqrt().ceil() as usize;
    let place = |row: usize, column: usize| row * side + column;
    let mut contacts: Vec<Touch> = Vec::new();
    for row in 0..side {
        for column in 0..side {
            let i = place(row, column);
            let mut touch = |angle: f64, other: Option<usize>| {
                contacts.push(sides(i, other, angle + 0.05 * d.normal()));
            };
            let (up, right) = (std::f64::consts::FRAC_PI_2, 0.0);
            if column + 1 < side {
                touch(right + std::f64::consts::PI, Some(i + 1));
            } else {
                touch(right + std::f64::consts::PI, None);
            }
            if column == 0 {
                touch(right, None);
            }
            if row == 0 {
                touch(up, None);
                continue;
            }
            // Every second row is shifted to the right.
            let below =
                if row % 2 == 1 { [column, column + 1] } else { [column.wrapping_sub(1), column] };
            for (other, angle) in below.into_iter().zip([up - 0.52, up + 0.52]) {
                if other < side {
                    touch(angle, Some(place(row - 1, other)));
                }
            }
        }
    }
    let bodies = side * side;
    let inverse: Vec<[f64; 3]> = (0..bodies)
        .map(|_| {
            let m = if mix.mass_ratio > 1.0 { d.log_between(1.0, mix.mass_ratio) } else { 1.0 };
            [1.0 / m, 1.0 / m, 2.0 / m]
        })
        .collect();
    let velocity: Vec<[f64; 3]> = (0..bodies)
        .map(|_| [mix.motion * d.normal(), mix.motion * d.normal() - 1.0, mix.motion * d.normal()])
        .collect();
    pose(&contacts, &inverse, &velocity, mix.mu)
}

/// A contact that pushes disc i, of radius 1, in a direction, away from another one or from a wall.
fn sides(i: usize, other: Option<usize>, angle: f64) -> Touch {
    let (s, c) = angle.sin_cos();
    // The lever of the tangent (−s, c) at the point −n of one disc and n of the other turns both the same way.
    let rows = |sign: f64| [[sign * c, sign * s, 0.0], [-sign * s, sign * c, -1.0]];
    let mut touch = vec![(i, rows(1.0))];
    touch.extend(other.map(|j| (j, rows(-1.0))));
    touch
}

fn pose(
    contacts: &[Touch],
    inverse: &[[f64; 3]],
    velocity: &[[f64; 3]],
    mu: f64,
) -> ContactProblem {
    let mut at_body: Vec<Vec<(usize, Rows)>> = vec![Vec::new(); inverse.len()];
    let mut b = vec![0.0; 2 * contacts.len()];
    for (i, touch) in contacts.iter().enumerate() {
        for (body, rows) in touch {
            at_body[*body].push((i, *rows));
            for (r, row) in rows.iter().enumerate() {
                b[2 * i + r] += row.iter().zip(&velocity[*body]).map(|(a, v)| a * v).sum::<f64>();
            }
        }
    }
    let mut blocks = Vec::new();
    for (list, inverse) in at_body.iter().zip(inverse) {
        for (n, (i, a)) in list.iter().enumerate() {
            for (j, c) in &list[..=n] {
                let entry = |e: usize| -> f64 {
                    (0..3).map(|x| a[e / 2][x] * inverse[x] * c[e % 2][x]).sum()
                };
                blocks.push((*i, *j, (0..4).map(entry).collect()));
            }
        }
    }
    let laws = vec![Law::coulomb(mu); contacts.len()];
    let w = BlockMatrix::from_one_triangle(&vec![2; contacts.len()], blocks)
        .expect("blocks of contacts are sound");
    ContactProblem::new(w, b, laws).expect("discs pose a sound problem")
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_contact::solve::ContactSolver;

    #[test]
    fn a_thousand_planar_contacts_are_solved_by_blocks_whatever_they_do() {
        for motion in [0.0, 0.3] {
            let problem = disc_pile(360, Mix { motion, ..Mix::default() });
            assert!(problem.is_planar() && problem.contacts() > 1000);
            let mut solver = ContactSolver::default();
            let answer = solver.solve(&problem);
            assert!(answer.is_solved(), "{} {:?}", answer.status, answer.certificate);
            assert!(answer.iterations < 3000, "{} {}", answer.method, answer.iterations);
        }
    }
}
