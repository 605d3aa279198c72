//! Colours of blocks: blocks that share an entry of W have different ones, so that those of one colour
//! do not see each other and may be solved at the same time.

use super::super::local::Local;
use super::super::{BlockForm, MAX_ROWS};
use crate::block::BlockMatrix;

/// Blocks sorted by colour, and by number within a colour.
#[derive(Clone, Debug, Default)]
pub(super) struct Colours {
    /// The blocks, colour by colour.
    pub(super) order: Vec<usize>,
    /// Where each colour begins in `order`, and the number of blocks at the end.
    pub(super) starts: Vec<usize>,
}

/// The new impulse of a block, and by how much it changed.
pub(super) type Fresh = ([f64; MAX_ROWS], f64);

impl Colours {
    /// One colour per block, in the order given: nothing may be solved at the same time.
    pub(super) fn give(&mut self, blocks: usize) {
        self.order.clear();
        self.order.extend(0..blocks);
        self.starts.clear();
        self.starts.extend(0..=blocks);
    }

    /// Each block in turn gets the first colour that none of its neighbours has. Cost: one pass over the
    /// pattern of W.
    pub(super) fn greedy(w: &BlockMatrix) -> Self {
        let k = w.len();
        let mut colour = vec![usize::MAX; k];
        // Which block last ruled a colour out.
        let mut ruled_out: Vec<usize> = Vec::new();
        for i in 0..k {
            for &j in w.row_arrays(i).0 {
                if let Some(out) = ruled_out.get_mut(colour[j]) {
                    *out = i;
                }
            }
            let free = ruled_out.iter().position(|&out| out != i).unwrap_or(ruled_out.len());
            if free == ruled_out.len() {
                ruled_out.push(usize::MAX);
            }
            colour[i] = free;
        }
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by_key(|&i| colour[i]);
        let starts = (0..=ruled_out.len()).map(|c| order.partition_point(|&i| colour[i] < c));
        Self { starts: starts.collect(), order }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}

/// The new impulse of block i from the impulses of all others: reads what no block of its colour writes.
pub(super) fn fresh(problem: &BlockForm, i: usize, local: &mut Local, impulse: &[f64]) -> Fresh {
    let rows = problem.rows(i);
    let n = rows.len();
    let (mut xi, mut lam) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
    let old = &impulse[rows.clone()];
    xi[..n].copy_from_slice(&problem.b()[rows]);
    lam[..n].copy_from_slice(old);
    problem.w().add_row(i, impulse, &mut xi[..n]);
    let (law, w) = (&problem.laws()[i], problem.w().diagonal(i));
    if !local.solve(law, w, &xi[..n], &mut lam[..n]) {
        lam[..n].copy_from_slice(old);
    }
    let change = lam.iter().zip(old).fold(0.0, |m: f64, (l, o)| m.max((l - o).abs()));
    // A maximum passes over what is not a number.
    let finite = lam.iter().all(|x| x.is_finite());
    (lam, if finite { change } else { f64::NAN })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_one_colour_share_no_entry_and_all_blocks_have_one() {
        // A ring of seven blocks needs three colours.
        let one = || vec![1.0];
        let ring = (0..7).map(|i| (i, (i + 1) % 7, one())).collect();
        let w = BlockMatrix::from_one_triangle(&[1; 7], ring).unwrap();
        let colours = Colours::greedy(&w);
        assert_eq!(colours.len(), 3);
        let mut all = colours.order.clone();
        all.sort_unstable();
        assert_eq!(all, (0..7).collect::<Vec<_>>());
        for c in 0..3 {
            let of = &colours.order[colours.starts[c]..colours.starts[c + 1]];
            for &i in of {
                assert!(w.row(i).all(|(j, _)| j == i || !of.contains(&j)), "{colours:?}");
            }
        }
    }
}
