//! The bounds of theorem 1 held against random systems: below them no problem without a solution, or with several.

mod count;
mod stress;
mod verify;

pub use count::{Count, count};
pub use stress::{MEANINGS, Outcome, self_stress};
pub use verify::{BOUNDS, Report, Sharpness, sharpness, verify};

use complementarity::Matrix;
use stickslip::contact::set::{ConvexSet, Polyhedron};
use stickslip::contact::{ContactProblem, Law};
use stickslip_studies::Draw;

/// A family of random systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Planar contacts that roll or slide.
    Planar,
    /// Contacts of every kind, all of which slide.
    Sliding,
    /// Contacts of every kind, some of which roll.
    Space,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Planar, Self::Sliding, Self::Space];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Planar => "planar",
            Self::Sliding => "all slide",
            Self::Space => "in space",
        }
    }
}

/// A system without b: W and laws, with masses over decades.
#[derive(Clone, Debug)]
pub struct Draft {
    /// W.
    pub w: Matrix,
    /// The laws, with coefficients between 0.2 and 1.
    pub laws: Vec<Law>,
    /// Its family.
    pub family: Family,
}

impl Draft {
    /// The system of this seed. W is positive definite: there are at least as many coordinates as rows.
    pub fn new(family: Family, contacts: usize, seed: u64) -> (Self, Draw) {
        let mut draw = Draw::new(family.name(), contacts, seed);
        let laws: Vec<Law> = (0..contacts).map(|_| law(family, &mut draw)).collect();
        let rows: usize = laws.iter().map(Law::components).sum();
        let coordinates = rows + draw.index(2 * rows + 1);
        let w = gram(&directions(rows, coordinates, &mut draw));
        (Self { w, laws, family }, draw)
    }

    /// A system in which no contact slides, with fewer coordinates than rows, and its directions M^(-1/2) H, row by row.
    pub fn redundant(family: Family, contacts: usize, seed: u64) -> (Self, Vec<Vec<f64>>, Draw) {
        let mut draw = Draw::new(&format!("{} redundant", family.name()), contacts, seed);
        let still = |draw: &mut Draw| Law { sliding: None, ..law(family, draw) };
        let laws: Vec<Law> = (0..contacts).map(|_| still(&mut draw)).collect();
        let rows: usize = laws.iter().map(Law::components).sum();
        let coordinates = 1 + draw.index(rows.max(2) - 1);
        let h = directions(rows, coordinates, &mut draw);
        (Self { w: gram(&h), laws, family }, h, draw)
    }

    /// The problem with these coefficients times a factor.
    pub fn problem(&self, factor: f64, bias: Vec<f64>) -> ContactProblem {
        let laws = self.laws.iter().map(|l| Law { mu: factor * l.mu, ..l.clone() }).collect();
        ContactProblem::new(self.w.clone(), bias, laws).expect("a Gram matrix and laws in range")
    }

    /// The same system with other contacts sliding, and in other directions.
    pub fn with_other_slips(&self, draw: &mut Draw) -> Self {
        let laws = self.laws.iter().map(|law| {
            let slip = [draw.normal(), draw.normal(), draw.normal()];
            let slides = law.tangents() > 0 && (self.family == Family::Sliding || draw.chance(0.5));
            Law { sliding: slides.then_some(slip), ..law.clone() }
        });
        Self { laws: laws.collect(), ..self.clone() }
    }

    /// b at random; in every second case such that some forces of the law's signs solve the problem.
    pub fn bias(&self, factor: f64, draw: &mut Draw) -> Vec<f64> {
        let rows = self.w.rows();
        let unit: Vec<f64> = (0..rows).map(|i| self.w[(i, i)].sqrt()).collect();
        let mut b: Vec<f64> = (0..rows).map(|i| unit[i] * draw.normal()).collect();
        let solved = draw.chance(0.5);
        let mut force = vec![0.0; rows];
        let mut n = 0;
        for law in &self.laws {
            let end = n + law.components();
            if solved {
                self.solved_contact(factor, draw, (n, end), law, &mut force, &mut b);
            } else if draw.chance(0.7) {
                b[n] = -b[n].abs();
            }
            n = end;
        }
        let moved = self.w.mul_vec(&force);
        b.iter().zip(moved).map(|(b, m)| b - m).collect()
    }

    /// Forces and accelerations of one contact that obey its law: open, sticking or slipping.
    fn solved_contact(
        &self,
        factor: f64,
        draw: &mut Draw,
        (n, end): (usize, usize),
        law: &Law,
        force: &mut [f64],
        moved: &mut [f64],
    ) {
        moved[n] = moved[n].abs();
        if draw.chance(0.3) {
            return;
        }
        moved[n] = 0.0;
        let pressed = draw.unit() / self.w[(n, n)].sqrt();
        force[n] = pressed;
        let Some(set) = law.kind.set() else { return };
        let limit = factor * law.mu * pressed;
        let mut f = [0.0; 3];
        let d = end - n - 1;
        if let Some(known) = law.sliding_friction() {
            f = known;
        } else {
            let against: Vec<f64> = moved[n + 1..end].iter().map(|v| -v).collect();
            set.support_point(&against, &mut f[..d]);
            if draw.chance(0.5) {
                let share = draw.unit();
                f = f.map(|v| share * v);
                moved[n + 1..end].fill(0.0);
            }
        }
        for (to, f) in force[n + 1..end].iter_mut().zip(f) {
            *to = limit * f;
        }
    }
}

/// Rows of directions over coordinates with masses over decades.
fn directions(rows: usize, coordinates: usize, draw: &mut Draw) -> Vec<Vec<f64>> {
    let root: Vec<f64> = (0..coordinates).map(|_| draw.log_between(0.1, 10.0)).collect();
    let row =
        |draw: &mut Draw| draw.normals(coordinates).iter().zip(&root).map(|(h, r)| h * r).collect();
    (0..rows).map(|_| row(draw)).collect()
}

fn gram(h: &[Vec<f64>]) -> Matrix {
    let dot = |i: usize, j: usize| h[i].iter().zip(&h[j]).map(|(a, b)| a * b).sum();
    Matrix::from_fn(h.len(), h.len(), dot)
}

fn law(family: Family, draw: &mut Draw) -> Law {
    let mu = draw.between(0.2, 1.0);
    let axis = |draw: &mut Draw| draw.log_between(0.2, 2.0);
    let law = match (family, draw.index(8)) {
        (Family::Planar, 0) => Law::with_set(mu, ConvexSet::Ellipsoid(vec![axis(draw)])),
        (Family::Planar, _) => Law::coulomb(mu),
        (_, 0) => Law::frictionless(),
        (_, 1) => Law::coulomb(mu),
        (_, 2 | 3) => Law::disc(mu),
        (_, 4) => Law::with_set(mu, ConvexSet::Ellipsoid(vec![axis(draw), axis(draw)])),
        (_, 5) => {
            let axes = vec![axis(draw), axis(draw), 0.3 * axis(draw)];
            Law::with_set(mu, ConvexSet::Ellipsoid(axes))
        }
        (_, 6) => {
            let (ellipse, spin) = ([axis(draw), axis(draw)], 0.3 * axis(draw));
            Law::with_set(mu, ConvexSet::Mixed { ellipse, spin })
        }
        _ => {
            let corner = |k: f64| {
                let (s, c) = (std::f64::consts::TAU * k / 5.0).sin_cos();
                [c, 0.7 * s]
            };
            let corners: Vec<[f64; 2]> = (0..5).map(|k| corner(f64::from(k))).collect();
            let hull = Polyhedron::hull(&corners).expect("five corners around the origin");
            Law::with_set(mu, ConvexSet::Polyhedron(hull))
        }
    };
    let slides = law.tangents() > 0 && (family == Family::Sliding || draw.chance(0.5));
    let slip = [draw.normal(), draw.normal(), draw.normal()];
    Law { sliding: slides.then_some(slip), ..law }
}
