//! W = Hᵀ M⁻¹ H of the candidates collected.

use super::World;
use super::place::{Posing, WorldPlace};
use super::rows::Rows;
use crate::contact::Law;
use complementarity::Matrix;

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
