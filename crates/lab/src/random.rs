//! Random planar contact problems, as systems of unit masses make them.

use complementarity::Matrix;
use stickslip::contact::{ContactProblem, Law};
use stickslip_studies::Draw;

/// A kind of random problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Fewer coordinates than rows of W, which is then singular.
    pub redundant: bool,
    /// ε_N and ε_T above zero.
    pub restitution: bool,
    /// Friction that does not depend on the normal impulse, in place of Coulomb's.
    pub constant: bool,
}

impl Kind {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..8).map(|i| Self {
            constant: i & 4 != 0,
            redundant: i & 2 != 0,
            restitution: i & 1 != 0,
        })
    }

    /// W, in words.
    pub fn matrix(self) -> &'static str {
        if self.redundant { "singular" } else { "definite" }
    }

    /// Friction, in words.
    pub fn friction(self) -> &'static str {
        if self.constant { "constant" } else { "Coulomb" }
    }

    /// A problem with so many contacts, the same for the same seed. μ and the constant radius lie between 0 and
    /// 2 and are zero at every seventh contact or so; every contact approaches.
    pub fn problem(self, contacts: usize, seed: u64) -> ContactProblem {
        let draw = &mut Draw::new(&format!("{self:?}"), contacts, seed);
        let n = 2 * contacts;
        let f = if self.redundant {
            draw.whole(1, n as i64 - 1)
        } else {
            draw.whole(n as i64, n as i64 + 3)
        };
        let f = f as usize;
        let before = draw.normals(f);
        let push = draw.normals(f);
        let free: Vec<f64> = before.iter().zip(push).map(|(u, p)| u + 0.3 * p).collect();
        let rows: Vec<Vec<f64>> = (0..n).map(|i| direction(draw, &before, i % 2 == 0)).collect();
        let laws: Vec<Law> = (0..contacts).map(|_| self.law(draw)).collect();
        let bias = rows.iter().enumerate().map(|(i, row)| {
            let law = &laws[i / 2];
            dot(row, &free) + [law.eps_n, law.eps_t][i % 2] * dot(row, &before)
        });
        let bias = bias.collect();
        let w = Matrix::from_fn(n, n, |i, j| dot(&rows[i], &rows[j]));
        ContactProblem::new(w, bias, laws).expect("a Gram matrix and laws in range make a problem")
    }

    fn law(self, draw: &mut Draw) -> Law {
        let friction = if draw.chance(0.15) { 0.0 } else { draw.between(0.0, 2.0) };
        let law = if self.constant { Law::constant(friction) } else { Law::coulomb(friction) };
        if !self.restitution {
            return law;
        }
        let tangential = if draw.chance(0.5) { draw.unit() } else { 0.0 };
        law.with_restitution(draw.unit(), tangential)
    }
}

/// A row of H; a normal one is turned so that the contact approaches.
fn direction(draw: &mut Draw, before: &[f64], normal: bool) -> Vec<f64> {
    let row = draw.normals(before.len());
    if normal && dot(&row, before) > 0.0 { row.iter().map(|x| -x).collect() } else { row }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_what_they_say_and_problems_repeat() {
        assert_eq!(Kind::all().count(), 8);
        for kind in Kind::all() {
            let p = kind.problem(2, 3);
            assert_eq!(p, kind.problem(2, 3));
            assert_ne!(p, kind.problem(2, 4));
            assert!(p.laws().iter().all(|l| (l.mu == 0.0) | !kind.constant));
            assert!(p.laws().iter().all(|l| (l.eps_n > 0.0) == kind.restitution));
        }
    }
}
