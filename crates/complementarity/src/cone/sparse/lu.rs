//! LU of a block-sparse matrix with a symmetric pattern, front by front.

use super::Tree;
use super::dense::partial_lu;

/// Where the factors of a front lie.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    pivots: usize,
    rows: usize,
    /// First of its scalar indices in `indices`: those of the pivots, then those of the rows.
    index: usize,
    swap: usize,
    value: usize,
}

/// The factors, on storage that is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockLu {
    places: Vec<Place>,
    indices: Vec<usize>,
    swaps: Vec<usize>,
    /// Per front its first rows, [L\U | U], and then the rows of L below, pivots wide.
    values: Vec<f64>,
    front: Vec<f64>,
    /// Schur complements that wait for their parents, and how many rows each has.
    waiting: Vec<f64>,
    waiting_fronts: Vec<usize>,
    /// Position in the present front of each scalar index.
    position: Vec<usize>,
    work: Vec<f64>,
}

impl BlockLu {
    /// Factorises. `offsets` are the first scalar indices of the nodes, and the number of scalars at
    /// the end; `entries(i, f)` calls f(j, a_ij, a_ji) for the blocks of row i, where a_ij is row-major
    /// and so is a_ji, as a block (j, i). False if a front is singular.
    pub(crate) fn factorise(
        &mut self,
        tree: &Tree,
        offsets: &[usize],
        mut entries: impl FnMut(usize, &mut dyn FnMut(usize, &[f64], &[f64])),
    ) -> bool {
        let n = offsets.last().copied().unwrap_or(0);
        self.places.clear();
        self.indices.clear();
        self.swaps.clear();
        self.values.clear();
        self.waiting.clear();
        self.waiting_fronts.clear();
        self.position.clear();
        self.position.resize(n, usize::MAX);
        let range = |node: usize| offsets[node]..offsets[node + 1];
        for f in &tree.fronts {
            let index = self.indices.len();
            self.indices.extend(f.pivots.iter().flat_map(|&v| range(v)));
            let pivots = self.indices.len() - index;
            self.indices.extend(f.rows.iter().flat_map(|&v| range(v)));
            let m = self.indices.len() - index;
            for (at, &i) in self.indices[index..].iter().enumerate() {
                self.position[i] = at;
            }
            self.front.clear();
            self.front.resize(m * m, 0.0);
            for &i in &f.pivots {
                let (front, position) = (&mut self.front, &self.position);
                entries(i, &mut |j, a_ij, a_ji| {
                    let places = (&position[range(i)], &position[range(j)]);
                    assemble(front, (m, pivots), places, (a_ij, a_ji));
                });
            }
            for _ in 0..f.children {
                self.add_child(index, m);
            }
            let swap = self.swaps.len();
            self.swaps.resize(swap + pivots, 0);
            if !partial_lu(&mut self.front, m, pivots, &mut self.swaps[swap..]) {
                return false;
            }
            for &i in &self.indices[index..] {
                self.position[i] = usize::MAX;
            }
            let place = Place { pivots, rows: m - pivots, index, swap, value: self.values.len() };
            self.keep(place);
        }
        true
    }

    /// Adds the Schur complement on top of the stack to the present front.
    fn add_child(&mut self, index: usize, m: usize) {
        let Some(child) = self.waiting_fronts.pop() else { return };
        let c = self.places[child];
        let n = c.rows;
        let start = self.waiting.len() - n * n;
        let ids = c.index + c.pivots..c.index + c.pivots + n;
        debug_assert!(index >= ids.end);
        for (row, r) in self.waiting[start..].chunks_exact(n.max(1)).zip(ids.clone()) {
            let r = self.position[self.indices[r]];
            let to = &mut self.front[r * m..(r + 1) * m];
            for (x, &id) in row.iter().zip(&self.indices[ids.clone()]) {
                to[self.position[id]] += x;
            }
        }
        self.waiting.truncate(start);
    }

    /// Stores the factors of the present front, and its Schur complement on the stack.
    fn keep(&mut self, place: Place) {
        let (p, m) = (place.pivots, place.pivots + place.rows);
        self.values.extend_from_slice(&self.front[..p * m]);
        for row in self.front[p * m..].chunks_exact(m.max(1)) {
            self.values.extend_from_slice(&row[..p]);
            self.waiting.extend_from_slice(&row[p..]);
        }
        self.waiting_fronts.push(self.places.len());
        self.places.push(place);
    }

    /// Solves A x = b in place.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let widest = self.places.iter().map(|p| p.pivots + p.rows).max().unwrap_or(0);
        self.work.clear();
        self.work.resize(widest, 0.0);
        for p in &self.places {
            let (m, ids) = (p.pivots + p.rows, &self.indices[p.index..]);
            let work = &mut self.work[..p.pivots];
            work.iter_mut().zip(ids).for_each(|(w, &i)| *w = x[i]);
            for (k, &s) in self.swaps[p.swap..p.swap + p.pivots].iter().enumerate() {
                work.swap(k, s);
            }
            for k in 1..p.pivots {
                let row = &self.values[p.value + k * m..p.value + k * m + k];
                work[k] -= row.iter().zip(&*work).map(|(l, w)| l * w).sum::<f64>();
            }
            work.iter().zip(ids).for_each(|(w, &i)| x[i] = *w);
            let below = &self.values[p.value + p.pivots * m..];
            for (r, row) in below.chunks_exact(p.pivots.max(1)).take(p.rows).enumerate() {
                x[ids[p.pivots + r]] -= row.iter().zip(&*work).map(|(l, w)| l * w).sum::<f64>();
            }
        }
        for p in self.places.iter().rev() {
            let (m, ids) = (p.pivots + p.rows, &self.indices[p.index..]);
            let work = &mut self.work[..m];
            work.iter_mut().zip(ids).for_each(|(w, &i)| *w = x[i]);
            for k in (0..p.pivots).rev() {
                let row = &self.values[p.value + k * m..p.value + (k + 1) * m];
                let sum: f64 = row[k + 1..].iter().zip(&work[k + 1..]).map(|(u, w)| u * w).sum();
                work[k] = (work[k] - sum) / row[k];
                x[ids[k]] = work[k];
            }
        }
    }
}

/// Adds the blocks (i, j) and (j, i), if j has not been eliminated in an earlier front. Pivots of one
/// front meet from both sides, so each side adds its own block only.
fn assemble(
    front: &mut [f64],
    (m, pivots): (usize, usize),
    (rows, cols): (&[usize], &[usize]),
    (a_ij, a_ji): (&[f64], &[f64]),
) {
    let (Some(&first), false) = (cols.first(), rows.is_empty()) else { return };
    if first == usize::MAX {
        return;
    }
    for (&r, line) in rows.iter().zip(a_ij.chunks_exact(cols.len())) {
        cols.iter().zip(line).for_each(|(&c, a)| front[r * m + c] += a);
    }
    if first >= pivots {
        for (&c, line) in cols.iter().zip(a_ji.chunks_exact(rows.len())) {
            rows.iter().zip(line).for_each(|(&r, a)| front[c * m + r] += a);
        }
    }
}
