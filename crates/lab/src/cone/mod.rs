//! Spatial contact problems: at scale, stacks and pyramids of boxes and packings of spheres; of every law,
//! random ones (`random`), with every solver against every other (`agreement`).
//!
//! Notation: per contact the frame (N, T, O) and, for each body that it touches, a 3 × 6 block of
//! Hᵀ; W = HᵀM⁻¹H has a block for each pair of contacts that share a body; b = Hᵀv, where v is
//! the velocity after a step of gravity without contact. Since b is in the range of Hᵀ a solution
//! exists (see `contact`), and it is hyperstatic where bodies touch at more points than they need.

mod agreement;
mod boxes;
mod discs;
mod laws;
mod profile;
mod random;
mod solvers;
mod spheres;

pub use agreement::{AGREEMENT, Outcome, Run, SHARP, Verdict, compare, run_all, sharpened};
pub use boxes::{box_pyramid, box_stack};
pub use discs::disc_pile;
pub use laws::{LAW_FAMILIES, LawFamily, law_family};
pub use profile::{Profile, TAUS, percent};
pub use random::{ConeInstance, SHAPES, Shape, cone_instance};
pub use solvers::{CONE_AUTO, cone_solvers};
pub use spheres::sphere_pile;

use stickslip_contact::block::BlockMatrix;
use stickslip_contact::{BodyRows, ContactProblem, Delassus, Law};

type Vec3 = [f64; 3];

/// What a generated problem is to be like.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// The coefficient of friction.
    pub mu: f64,
    /// Masses are drawn over this ratio; 1 for equal masses.
    pub mass_ratio: f64,
    /// Size of the random motion, where the step of gravity is 1.
    pub motion: f64,
    /// Seed of what is drawn.
    pub seed: u64,
}

impl Default for Mix {
    fn default() -> Self {
        Self { mu: 0.5, mass_ratio: 1.0, motion: 0.0, seed: 1 }
    }
}

/// Bodies and contacts, from which W and b are made.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    /// Per body the inverse mass and the inverse moment of inertia about each axis.
    inverse: Vec<(f64, Vec3)>,
    velocity: Vec<[f64; 6]>,
    contacts: Vec<Touch>,
}

/// A contact: up to two bodies, each with its rows of Hᵀ.
#[derive(Clone, Debug)]
struct Touch {
    sides: Vec<(usize, [[f64; 6]; 3])>,
    mu: f64,
}

impl World {
    pub(crate) fn body(&mut self, mass: f64, inertia: Vec3, velocity: [f64; 6]) -> usize {
        self.inverse.push((1.0 / mass, inertia.map(|x| 1.0 / x)));
        self.velocity.push(velocity);
        self.inverse.len() - 1
    }

    /// A contact that pushes `on` along `normal`, away from `against` or from what does not move. Levers
    /// go from the centre of a body to the contact.
    pub(crate) fn contact(
        &mut self,
        on: (usize, Vec3),
        against: Option<(usize, Vec3)>,
        normal: Vec3,
        mu: f64,
    ) {
        let (t, o) = tangents(normal);
        let mut sides = Vec::new();
        for ((body, lever), sign) in [(Some(on), 1.0), (against, -1.0)]
            .into_iter()
            .filter_map(|(side, sign)| side.map(|s| (s, sign)))
        {
            let row = |d: Vec3| {
                let turn = cross(lever, d);
                [d[0], d[1], d[2], turn[0], turn[1], turn[2]].map(|x| sign * x)
            };
            sides.push((body, [row(normal), row(t), row(o)]));
        }
        self.contacts.push(Touch { sides, mu });
    }

    fn by_bodies(&self) -> BodyRows {
        let mut w = BodyRows::default();
        w.start(self.inverse.len());
        for contact in &self.contacts {
            let scaled = |side: usize, r: usize| {
                contact.sides.get(side).map_or([0.0; 6], |(body, rows)| {
                    let (m, inertia) = self.inverse[*body];
                    let inverse = [m, m, m, inertia[0], inertia[1], inertia[2]];
                    std::array::from_fn(|x| inverse[x].sqrt() * rows[r][x])
                })
            };
            let body = |side: usize| contact.sides.get(side).map(|s| s.0);
            w.push([body(0), body(1)], (0..3).map(|r| [scaled(0, r), scaled(1, r)]));
        }
        w.finish().expect("rows of contacts are sound");
        w
    }

    /// W by blocks, from the contacts of each body with the side on which it is.
    fn by_blocks(&self, at_body: &[Vec<(usize, usize)>]) -> BlockMatrix {
        let mut blocks = Vec::new();
        for (body, list) in at_body.iter().enumerate() {
            let (m, inertia) = self.inverse[body];
            let inverse = [m, m, m, inertia[0], inertia[1], inertia[2]];
            for (n, &(i, side)) in list.iter().enumerate() {
                for &(j, other) in &list[..=n] {
                    let (a, c) =
                        (&self.contacts[i].sides[side].1, &self.contacts[j].sides[other].1);
                    let entry = |r: usize, s: usize| -> f64 {
                        (0..6).map(|x| a[r][x] * inverse[x] * c[s][x]).sum()
                    };
                    let entries = (0..9).map(|e| entry(e / 3, e % 3)).collect();
                    blocks.push((i, j, entries));
                }
            }
        }
        BlockMatrix::from_one_triangle(&vec![3; self.contacts.len()], blocks)
            .expect("blocks of contacts are sound")
    }

    pub(crate) fn pose(&self) -> ContactProblem {
        let k = self.contacts.len();
        let mut at_body: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.inverse.len()];
        let mut b = Vec::with_capacity(3 * k);
        for (i, contact) in self.contacts.iter().enumerate() {
            let mut velocity = [0.0; 3];
            for (side, (body, rows)) in contact.sides.iter().enumerate() {
                at_body[*body].push((i, side));
                for (v, row) in velocity.iter_mut().zip(rows) {
                    *v += row.iter().zip(&self.velocity[*body]).map(|(a, x)| a * x).sum::<f64>();
                }
            }
            b.extend(velocity);
        }
        let laws = self.contacts.iter().map(|c| Law::disc(c.mu)).collect();
        // As worlds of bodies do.
        let w: Delassus = match k > BodyRows::MANY {
            true => self.by_bodies().into(),
            false => self.by_blocks(&at_body).into(),
        };
        ContactProblem::new(w, b, laws).expect("a world poses a sound problem")
    }
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Vec3) -> Vec3 {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / length)
}

fn tangents(n: Vec3) -> (Vec3, Vec3) {
    let helper = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let o = unit(cross(n, helper));
    (cross(o, n), o)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_problems_have_the_contacts_that_are_asked_for() {
        assert_eq!(box_stack(20, Mix::default()).contacts(), 80);
        assert_eq!(box_pyramid(10, Mix::default()).contacts(), 400);
        let pile = sphere_pile(100, Mix::default());
        assert!((150..500).contains(&pile.contacts()), "{}", pile.contacts());
    }

    #[test]
    fn auto_solves_stacks_pyramids_and_piles_and_does_so_twice_alike() {
        use stickslip_contact::solvers::{Cascade, Method};
        let mix = Mix { motion: 0.3, ..Mix::default() };
        let heavy = Mix { mass_ratio: 1e6, motion: 0.1, ..Mix::default() };
        let problems =
            [box_stack(20, mix), box_stack(20, heavy), box_pyramid(4, heavy), sphere_pile(40, mix)];
        for problem in problems {
            let solution = Cascade::default().solve(&problem).clone();
            assert!(solution.is_solved(), "{:?}", solution.certificate);
            assert!(problem.certificate(&solution.impulse).unwrap().worst <= 1e-9);
            assert_eq!(&solution, Cascade::default().solve(&problem));
        }
    }

    /// One unit cube on the ground: W_NN of two corners is 1/m ± what turning adds.
    #[test]
    fn the_delassus_matrix_of_a_cube_is_the_textbook_one() {
        let problem = box_stack(1, Mix::default());
        let w = problem.delassus().to_dense();
        // Lever (±½, ±½), inertia 1/6: two axes add 6/4 each.
        assert!((w[(0, 0)] - (1.0 + 3.0)).abs() < 1e-14);
        assert!((w[(0, 6)] - (1.0 - 3.0)).abs() < 1e-14);
        assert_eq!(problem.bias()[0], -1.0);
    }
}
