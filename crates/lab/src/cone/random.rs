//! Cone problems drawn at random for any law: from 1 to some hundreds of contacts, W dense, positive
//! definite or singular, mass ratios up to 10⁶.
//!
//! Notation: H (degrees of freedom × rows), M diagonal, W = HᵀM⁻¹H, b = Hᵀv_f; K the cones of all
//! contacts (the whole space for bilateral rows), K* their polars with the sign changed; s ≥ 0 the
//! correction of De Saxcé.
//!
//! Existence. For given s let v(s) be the velocity nearest to v_f, in the norm of M, of those with
//! Hᵀv + s ∈ K*. There is one, since v = 0 is among them, and ‖v(s) − v_f‖ ≤ ‖v_f‖. It is continuous in s,
//! and so is s⁺ = μ h_F(−H_Tᵀv(s)), which stays in a box: by Brouwer's theorem some s = s⁺. There v
//! solves the problem if it has a multiplier Λ, that is, if H K is closed (Acary and Cadoux 2013). It is if
//! some v̂ has Hᵀv̂ inside of K*, with zeros on bilateral rows, and if K is polyhedral. A constant radius
//! adds the convex term a h_F(−H_Tᵀv) to the distance and changes nothing of this.
//!
//! The shapes `Abstract` and `Heap` have such a v̂ by construction. `Jammed` ones have none in general:
//! contacts press from all sides. H K is then closed but for exceptions of measure zero (either no
//! impulse of K is in equilibrium with itself, or one inside of K is and H K is a subspace).

use super::laws::LawFamily;
use super::{Vec3, cross, tangents, unit};
use crate::dense::transposed_product;
use complementarity::Matrix;
use stickslip_contact::{ContactProblem, Kind, Law};
use stickslip_studies::Draw;

/// How the contacts of a random problem hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Random directions in a space of so many dimensions that W is positive definite.
    AbstractDefinite,
    /// In one of fewer dimensions: W is singular.
    AbstractSingular,
    /// Rigid bodies on each other, each with one contact below: W is positive definite.
    HeapDefinite,
    /// Each with up to four contacts below: W is singular.
    HeapSingular,
    /// Rigid bodies with two to four contacts each, from any side: W is singular.
    Jammed,
}

/// All of them; problems take them in turn, by their seeds.
pub const SHAPES: [Shape; 5] = [
    Shape::AbstractDefinite,
    Shape::AbstractSingular,
    Shape::HeapDefinite,
    Shape::HeapSingular,
    Shape::Jammed,
];

/// Ratios of masses; problems take them in turn too.
const MASS_RATIOS: [f64; 3] = [1.0, 1e3, 1e6];

/// A random problem, and what is known of it. A solution exists.
#[derive(Clone, Debug)]
pub struct ConeInstance {
    /// The kind of law.
    pub law: &'static str,
    /// How the contacts hang together.
    pub shape: Shape,
    /// Largest mass over smallest.
    pub mass_ratio: f64,
    /// Number of blocks.
    pub contacts: usize,
    /// Seed of what was drawn.
    pub seed: u64,
    /// Whether ξ is the same in all solutions.
    pub unique: bool,
    /// The problem.
    pub problem: ContactProblem,
}

impl ConeInstance {
    /// Law, size and seed in one word, for messages and file names.
    pub fn name(&self) -> String {
        format!("{}-{}-{}", self.law, self.contacts, self.seed)
    }
}

/// The problem with this law, number of contacts and seed. Cost: a product of H with itself.
pub fn cone_instance(family: &LawFamily, contacts: usize, seed: u64) -> ConeInstance {
    let mut d = Draw::new(family.name, contacts, seed);
    let shape = SHAPES[(seed % SHAPES.len() as u64) as usize];
    let mass_ratio = MASS_RATIOS[(seed / SHAPES.len() as u64 % 3) as usize];
    let laws: Vec<Law> = (0..contacts).map(|_| (family.draw)(&mut d)).collect();
    let posed = match shape {
        Shape::AbstractDefinite => abstract_rows(&mut d, &laws, 1.3, mass_ratio),
        Shape::AbstractSingular => abstract_rows(&mut d, &laws, 0.6, mass_ratio),
        Shape::HeapDefinite => heap(&mut d, &laws, 1, mass_ratio),
        Shape::HeapSingular => heap(&mut d, &laws, 4, mass_ratio),
        Shape::Jammed => jammed(&mut d, &laws, mass_ratio),
    };
    let problem = posed.problem(laws);
    ConeInstance {
        law: family.name,
        shape,
        mass_ratio,
        contacts,
        seed,
        unique: family.unique,
        problem,
    }
}

/// H, the inverse of M and the free velocity.
struct Posed {
    h: Matrix,
    inverse: Vec<f64>,
    free: Vec<f64>,
}

impl Posed {
    fn problem(self, mut laws: Vec<Law>) -> ContactProblem {
        let Self { mut h, inverse, free } = self;
        let b = h.transposed().mul_vec(&free);
        for (r, x) in inverse.iter().enumerate() {
            let root = x.sqrt();
            h.row_mut(r).iter_mut().for_each(|h| *h *= root);
        }
        let w = transposed_product(&h, &h);
        let mut row = 0;
        for law in &mut laws {
            let next = row + law.components();
            law.radius /= w[(row, row)];
            row = next;
        }
        ContactProblem::new(w.clone(), b, laws).expect("a product of H with itself is symmetric")
    }
}

fn masses(d: &mut Draw, count: usize, ratio: f64) -> Vec<f64> {
    (0..count).map(|_| if ratio > 1.0 { d.log_between(1.0, ratio) } else { 1.0 }).collect()
}

fn rows_of(laws: &[Law]) -> usize {
    laws.iter().map(Law::components).sum()
}

/// Random directions; v̂ moves along all normals and across all other rows.
fn abstract_rows(d: &mut Draw, laws: &[Law], freedom: f64, ratio: f64) -> Posed {
    let dof = (freedom * rows_of(laws) as f64).ceil() as usize + 1;
    let apart = d.normals(dof);
    let square: f64 = apart.iter().map(|x| x * x).sum();
    let mut rows = Vec::new();
    for law in laws {
        for r in 0..law.components() {
            let mut row = d.normals(dof);
            let along: f64 = row.iter().zip(&apart).map(|(a, b)| a * b).sum();
            let normal = r == 0 && law.kind.normals() == 1;
            if !normal {
                row.iter_mut().zip(&apart).for_each(|(x, a)| *x -= along / square * a);
            } else if along < 0.0 {
                row.iter_mut().for_each(|x| *x = -*x);
            }
            rows.push(row);
        }
    }
    let h = Matrix::from_fn(dof, rows.len(), |i, j| rows[j][i]);
    let (fall, spread) = (square.sqrt(), d.log_between(0.1, 3.0));
    let free = apart.iter().map(|a| spread * d.normal() - a * (dof as f64).sqrt() / fall).collect();
    Posed { h, inverse: masses(d, dof, ratio).iter().map(|m| 1.0 / m).collect(), free }
}

/// Bodies of six degrees of freedom, and rows that act on them.
struct Bodies {
    inverse: Vec<f64>,
    rows: Vec<Vec<(usize, [f64; 6])>>,
}

/// A body and the lever from its centre to the contact.
type Side = (usize, Vec3);

impl Bodies {
    fn new(d: &mut Draw, count: usize, ratio: f64) -> Self {
        let mut inverse = Vec::new();
        for m in masses(d, count, ratio) {
            inverse.extend([1.0 / m; 3]);
            inverse.extend((0..3).map(|_| 1.0 / (m * d.log_between(0.05, 0.5))));
        }
        Self { inverse, rows: Vec::new() }
    }

    /// The relative velocity along `dir` and the relative spin about `turn`.
    fn row(&mut self, on: Side, against: Option<Side>, dir: Vec3, turn: Vec3) {
        let sides = [(Some(on), 1.0), (against, -1.0)];
        let row = sides.into_iter().filter_map(|(side, sign)| {
            let (body, lever) = side?;
            let t = cross(lever, dir);
            let entries = [dir[0], dir[1], dir[2], t[0] + turn[0], t[1] + turn[1], t[2] + turn[2]];
            Some((body, entries.map(|x| sign * x)))
        });
        self.rows.push(row.collect());
    }

    /// The rows of a law: normal, two tangents, spin; of a joint the two horizontal directions
    /// and the three spins, in an order of their own.
    fn contact(&mut self, d: &mut Draw, law: &Law, on: Side, against: Option<Side>, normal: Vec3) {
        const O: Vec3 = [0.0; 3];
        const AXES: [Vec3; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        if let Kind::Bilateral(rows) = law.kind {
            let all = [(AXES[0], O), (AXES[1], O), (O, AXES[0]), (O, AXES[1]), (O, AXES[2])];
            let order = d.permutation(all.len());
            for &place in order.iter().take(rows) {
                self.row(on, against, all[place].0, all[place].1);
            }
            return;
        }
        let (t, o) = tangents(normal);
        let all = [(normal, O), (t, O), (o, O), (O, normal)];
        for (dir, turn) in all.into_iter().take(law.components()) {
            self.row(on, against, dir, turn);
        }
    }

    /// Poses the problem for a step of gravity and a random motion.
    fn pose(self, d: &mut Draw) -> Posed {
        let dof = self.inverse.len();
        let mut h = Matrix::zeros(dof, self.rows.len());
        for (c, row) in self.rows.iter().enumerate() {
            for (body, entries) in row {
                for (i, x) in entries.iter().enumerate() {
                    h[(6 * body + i, c)] += x;
                }
            }
        }
        let spread = d.log_between(0.1, 3.0);
        let gravity = |i: usize| if i % 6 == 2 { 1.0 } else { 0.0 };
        let free = (0..dof).map(|i| spread * d.normal() - gravity(i)).collect();
        Posed { h, inverse: self.inverse, free }
    }
}

fn lever(d: &mut Draw) -> Vec3 {
    std::array::from_fn(|_| d.between(-1.0, 1.0))
}

/// Body i stands on bodies of smaller number or on the ground. Normals are less than 17° from the vertical:
/// for v̂ with body i rising at speed i + 1 the normal velocity is more than 2 · 1.1 times the
/// tangential one, which is inside of K* for every law that is drawn here.
fn heap(d: &mut Draw, laws: &[Law], per_body: usize, ratio: f64) -> Posed {
    let mut bodies = Bodies::new(d, laws.len().div_ceil(per_body), ratio);
    for (i, law) in laws.iter().enumerate() {
        let body = i / per_body;
        let below = (body > 0 && d.chance(0.7)).then(|| (d.index(body), lever(d)));
        let (tilt, heading) = (d.between(0.0, 0.3), d.between(0.0, std::f64::consts::TAU));
        let normal = unit([tilt * heading.cos(), tilt * heading.sin(), 1.0]);
        let on = (body, lever(d));
        bodies.contact(d, law, on, below, normal);
    }
    bodies.pose(d)
}

/// Contacts from any side.
fn jammed(d: &mut Draw, laws: &[Law], ratio: f64) -> Posed {
    let per_body = d.whole(2, 4) as usize;
    let mut bodies = Bodies::new(d, laws.len().div_ceil(per_body), ratio);
    for (i, law) in laws.iter().enumerate() {
        let body = i / per_body;
        let against = (body > 0 && d.chance(0.6)).then(|| (d.index(body), lever(d)));
        let normal = unit([d.normal(), d.normal() + 0.1, d.normal()]);
        let on = (body, lever(d));
        bodies.contact(d, law, on, against, normal);
    }
    bodies.pose(d)
}

#[cfg(test)]
mod tests {
    use super::super::laws::{LAW_FAMILIES, law_family};
    use super::*;
    use crate::dense::cholesky;

    #[test]
    fn shapes_are_definite_or_singular_as_they_say() {
        let disc = law_family("disc").unwrap();
        for seed in 0..5 {
            let instance = cone_instance(disc, 12, seed);
            let definite = cholesky(&instance.problem.delassus().to_dense(), 1e-9).is_some();
            let expected = matches!(instance.shape, Shape::AbstractDefinite | Shape::HeapDefinite);
            assert_eq!(definite, expected, "{:?}", instance.shape);
        }
    }

    #[test]
    fn every_law_is_posed_with_the_contacts_that_are_asked_for_and_twice_alike() {
        for family in LAW_FAMILIES {
            for seed in 0..5 {
                let instance = cone_instance(family, 7, seed);
                assert_eq!(instance.problem.contacts(), 7);
                let again = cone_instance(family, 7, seed).problem;
                assert_eq!(instance.problem.delassus(), again.delassus());
                assert_eq!(instance.problem.bias(), again.bias());
            }
        }
    }
}
