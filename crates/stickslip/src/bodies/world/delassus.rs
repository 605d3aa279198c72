//! W = Hᵀ M⁻¹ H of the candidates collected.

use super::World;
use super::place::{Posing, WorldPlace};
use super::rows::Rows;
use crate::contact::{self, BodyRows, Law};
use complementarity::Matrix;
use glam::{DMat3, DVec3};

impl World {
    /// W by blocks, one per pair of candidates that share a body.
    pub(super) fn list_blocks(&self, rows: &Rows, laws: &[Law], posing: &mut Posing) {
        let Posing { sizes, at_body, list, .. } = posing;
        sizes.clear();
        sizes.extend(laws.iter().map(Law::components));
        at_body.resize(self.free, Vec::new());
        at_body.iter_mut().for_each(Vec::clear);
        for (i, link) in rows.links.iter().enumerate() {
            link.bodies.iter().flatten().for_each(|&b| at_body[b].push(i));
        }
        list.clear();
        for (body, near) in at_body.iter().enumerate() {
            for (n, &i) in near.iter().enumerate() {
                for &j in &near[..=n] {
                    let (a, b) = (&rows.links[i], &rows.links[j]);
                    // Two that share both bodies are met at the first of them, with all their terms.
                    let met = |x: &usize| *x < body && b.bodies.contains(&Some(*x));
                    if a.bodies.iter().flatten().any(met) {
                        continue;
                    }
                    rows.list_block((i, a), (j, b), list);
                }
            }
        }
    }

    /// W by bodies, for many contacts between bodies without joints.
    pub(super) fn fill_bodies(
        &self,
        place: &mut WorldPlace,
        to: &mut BodyRows,
    ) -> Result<(), contact::Error> {
        let WorldPlace { rows, bodies, posing: Posing { factors, .. }, .. } = place;
        factors.clear();
        factors.extend(bodies.inverse.iter().map(|(m, i)| (m.sqrt(), lower_factor(i))));
        to.start(self.free);
        for link in &rows.links {
            let scaled = |row: &[[f64; 6]; 2]| {
                std::array::from_fn(|side| match link.bodies[side] {
                    None => [0.0; 6],
                    Some(body) => {
                        let ((m, factor), r) = (factors[body], &row[side]);
                        let turn = factor.transpose() * DVec3::new(r[3], r[4], r[5]);
                        [m * r[0], m * r[1], m * r[2], turn.x, turn.y, turn.z]
                    }
                })
            };
            let own = &rows.values[link.start..link.start + link.rows];
            to.push(link.bodies, own.iter().map(scaled));
        }
        to.finish()
    }

    pub(super) fn dense_delassus(&self, place: &mut WorldPlace, w: &mut Matrix) {
        let WorldPlace { rows, held, posing, .. } = place;
        let (n, f) = (rows.values.len(), 6 * self.free);
        for (c, row) in held.chunks_exact(f.max(1)).enumerate().take(n) {
            rows.velocities(row, &mut posing.gamma);
            for r in 0..n {
                w.row_mut(r)[c] = posing.gamma[r] - rows.drive[r];
            }
        }
        // Symmetric but for rounding.
        for i in 0..n {
            for j in 0..i {
                let mean = 0.5 * (w.row(i)[j] + w.row(j)[i]);
                w.row_mut(i)[j] = mean;
                w.row_mut(j)[i] = mean;
            }
        }
    }
}

/// L with L Lᵀ = the matrix, which is symmetric and not negative.
fn lower_factor(m: &DMat3) -> DMat3 {
    let mut l = [[0.0_f64; 3]; 3];
    for c in 0..3 {
        for r in c..3 {
            let known: f64 = (0..c).map(|k| l[r][k] * l[c][k]).sum();
            let rest = m.col(c)[r] - known;
            l[r][c] = match (r == c, l[c][c] > 0.0) {
                (true, _) => rest.max(0.0).sqrt(),
                (false, true) => rest / l[c][c],
                (false, false) => 0.0,
            };
        }
    }
    DMat3::from_cols_array_2d(&std::array::from_fn(|c| std::array::from_fn(|r| l[r][c])))
}
