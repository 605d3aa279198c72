//! Sparse factorisation L D Lᵀ of symmetric positive semidefinite matrices, with dependent rows dropped.
//!
//! A row whose pivot is rounding depends on those before it. Its unknown is set to 0, which solves every system that
//! can be solved at all: redundant joints share their load in one of the ways that are possible, and the rank is reported.
//!
//! A matrix with the same pattern whose symmetric part is positive semidefinite has factors L D U with the pattern of L in both; pivots
//! need no search.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | order | the row of the matrix that is eliminated k-th; `place` is its inverse |
//! | parent | the elimination tree |
//! | lp, li, lx | L by columns: starts, rows, values |
//! | ux | U by rows, which have the pattern of the columns of L |
//! | d | 1 over the pivots, 0 where a row was dropped |

use crate::contact::block::FrontTree;

/// A pivot below this share of its diagonal entry is rounding.
const DROP: f64 = 1e-11;

/// The factors of a matrix whose pattern stays while its values change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Psd {
    order: Vec<usize>,
    /// Entries of the upper triangle of the permuted matrix by columns: starts, rows, and where the values come from.
    ap: Vec<usize>,
    ai: Vec<usize>,
    source: Vec<usize>,
    /// Whether the entry's place, as it was given, is in the lower triangle of the permuted matrix.
    turned: Vec<bool>,
    parent: Vec<usize>,
    lp: Vec<usize>,
    li: Vec<usize>,
    lx: Vec<f64>,
    ux: Vec<f64>,
    d: Vec<f64>,
    filled: Vec<usize>,
    y: Vec<f64>,
    z: Vec<f64>,
    mark: Vec<usize>,
    stack: Vec<usize>,
    x: Vec<f64>,
}

const NONE: usize = usize::MAX;

impl Psd {
    /// Orders a matrix with entries at these places (each pair once, in either triangle, the diagonal included) by
    /// groups of rows that have the same pattern (minimum degree), and lays out its factors.
    pub(crate) fn new(n: usize, entries: &[(usize, usize)], group: &[usize]) -> Self {
        let order = by_groups(n, entries, group);
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(k, &row)| place[row] = k);
        let mut columns: Vec<Vec<(usize, usize)>> = vec![Vec::new(); n];
        for (e, &(i, j)) in entries.iter().enumerate() {
            let (i, j) = (place[i].min(place[j]), place[i].max(place[j]));
            columns[j].push((i, e));
        }
        let (mut ap, mut ai, mut source) = (vec![0], Vec::new(), Vec::new());
        let mut turned = Vec::new();
        for column in &mut columns {
            column.sort_unstable();
            for &(i, e) in column.iter() {
                ai.push(i);
                source.push(e);
                turned.push(place[entries[e].0] > place[entries[e].1]);
            }
            ap.push(ai.len());
        }
        let mut psd = Self { order, ap, ai, source, turned, ..Self::default() };
        psd.lay_out(n);
        psd
    }

    /// The elimination tree and the columns of L.
    fn lay_out(&mut self, n: usize) {
        self.parent = vec![NONE; n];
        self.mark = vec![NONE; n];
        let mut counts = vec![0_usize; n];
        for k in 0..n {
            self.mark[k] = k;
            for p in self.ap[k]..self.ap[k + 1] {
                let mut i = self.ai[p];
                while self.mark[i] != k {
                    if self.parent[i] == NONE {
                        self.parent[i] = k;
                    }
                    counts[i] += 1;
                    self.mark[i] = k;
                    i = self.parent[i];
                }
            }
        }
        self.lp = vec![0; n + 1];
        for k in 0..n {
            self.lp[k + 1] = self.lp[k] + counts[k];
        }
        self.li = vec![0; self.lp[n]];
        self.lx = vec![0.0; self.lp[n]];
        self.ux = vec![0.0; self.lp[n]];
        self.d = vec![0.0; n];
        self.y = vec![0.0; n];
        self.z = vec![0.0; n];
        self.x = vec![0.0; n];
        self.filled = vec![0; n];
        self.stack = Vec::with_capacity(n);
    }

    /// Factorises the matrix with these values, in the order in which its places were given; returns its rank.
    pub(crate) fn factorize(&mut self, values: &[f64]) -> usize {
        let n = self.order.len();
        self.mark.fill(NONE);
        self.filled.fill(0);
        let mut rank = 0;
        for k in 0..n {
            let (mut pivot, mut diagonal) = (0.0, 0.0_f64);
            self.mark[k] = k;
            self.stack.clear();
            for p in self.ap[k]..self.ap[k + 1] {
                let value = values[self.source[p]];
                let i = self.ai[p];
                if i == k {
                    (pivot, diagonal) = (value, value.abs());
                    continue;
                }
                self.y[i] += value;
                // The path to the root of the tree, each node after the nodes below it.
                let first = self.stack.len();
                let mut i = i;
                while self.mark[i] != k {
                    self.stack.push(i);
                    self.mark[i] = k;
                    i = self.parent[i];
                }
                self.stack[first..].reverse();
            }
            while let Some(i) = self.stack.pop() {
                let y = std::mem::take(&mut self.y[i]);
                let start = self.lp[i];
                for p in start..start + self.filled[i] {
                    self.y[self.li[p]] -= self.lx[p] * y;
                }
                let l = y * self.d[i];
                pivot -= l * y;
                let p = start + self.filled[i];
                (self.li[p], self.lx[p]) = (k, l);
                self.filled[i] += 1;
            }
            let sound = pivot > DROP * diagonal && pivot.is_finite();
            self.d[k] = if sound { 1.0 / pivot } else { 0.0 };
            rank += usize::from(sound);
        }
        rank
    }

    /// Factorises a matrix that is not symmetric: at each place (i, j) that was given, its entries (i, j) and (j, i). Returns its rank.
    pub(crate) fn factorize_general(&mut self, values: &[[f64; 2]]) -> usize {
        let n = self.order.len();
        self.mark.fill(NONE);
        self.filled.fill(0);
        let mut rank = 0;
        for k in 0..n {
            let (mut pivot, mut diagonal) = (0.0, 0.0_f64);
            self.mark[k] = k;
            self.stack.clear();
            for p in self.ap[k]..self.ap[k + 1] {
                let [value, mirrored] = values[self.source[p]];
                let i = self.ai[p];
                if i == k {
                    (pivot, diagonal) = (value, value.abs());
                    continue;
                }
                let (above, below) =
                    if self.turned[p] { (mirrored, value) } else { (value, mirrored) };
                self.y[i] += above;
                self.z[i] += below;
                let first = self.stack.len();
                let mut i = i;
                while self.mark[i] != k {
                    self.stack.push(i);
                    self.mark[i] = k;
                    i = self.parent[i];
                }
                self.stack[first..].reverse();
            }
            while let Some(i) = self.stack.pop() {
                let (y, z) = (std::mem::take(&mut self.y[i]), std::mem::take(&mut self.z[i]));
                let start = self.lp[i];
                for p in start..start + self.filled[i] {
                    self.y[self.li[p]] -= self.lx[p] * y;
                    self.z[self.li[p]] -= self.ux[p] * z;
                }
                let l = z * self.d[i];
                pivot -= l * y;
                let p = start + self.filled[i];
                (self.li[p], self.lx[p], self.ux[p]) = (k, l, y * self.d[i]);
                self.filled[i] += 1;
            }
            let sound = pivot.abs() > DROP * diagonal && pivot.is_finite();
            self.d[k] = if sound { 1.0 / pivot } else { 0.0 };
            rank += usize::from(sound);
        }
        rank
    }

    /// x becomes a solution of A x = b for the b that it holds, with the factors of `factorize`.
    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        self.forwards(b);
        self.backwards(false, b);
    }

    /// The same with those of `factorize_general`.
    pub(crate) fn solve_general(&mut self, b: &mut [f64]) {
        self.forwards(b);
        self.backwards(true, b);
    }

    fn forwards(&mut self, b: &[f64]) {
        let n = self.order.len();
        for k in 0..n {
            self.x[k] = b[self.order[k]];
        }
        for k in 0..n {
            let x = self.x[k];
            for p in self.lp[k]..self.lp[k + 1] {
                self.x[self.li[p]] -= self.lx[p] * x;
            }
        }
    }

    fn backwards(&mut self, general: bool, b: &mut [f64]) {
        let n = self.order.len();
        let upper = if general { &self.ux } else { &self.lx };
        for k in (0..n).rev() {
            let mut x = self.x[k] * self.d[k];
            // A row that was dropped has no unknown.
            if self.d[k] != 0.0 {
                for p in self.lp[k]..self.lp[k + 1] {
                    x -= upper[p] * self.x[self.li[p]];
                }
            }
            self.x[k] = x;
        }
        for k in 0..n {
            b[self.order[k]] = self.x[k];
        }
    }
}

/// Rows in the order of their groups in the tree that block-sparse matrices are eliminated by.
fn by_groups(n: usize, entries: &[(usize, usize)], group: &[usize]) -> Vec<usize> {
    let groups = group.iter().max().map_or(0, |g| g + 1);
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); groups];
    for &(i, j) in entries {
        let (a, b) = (group[i], group[j]);
        near[a].push(b);
        near[b].push(a);
    }
    for list in &mut near {
        list.sort_unstable();
        list.dedup();
    }
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); groups];
    (0..n).for_each(|i| rows[group[i]].push(i));
    let tree = FrontTree::new(groups, |g| near[g].as_slice());
    tree.order().flat_map(|g| std::mem::take(&mut rows[g])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(n: usize, seed: u64, rank: usize) -> Vec<Vec<f64>> {
        let mut s = seed;
        let mut draw = || {
            s = s
                .wrapping_mul(6_364_136_223_846_793_005_u64)
                .wrapping_add(1_442_695_040_888_963_407_u64);
            (s >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
        };
        let b: Vec<Vec<f64>> = (0..n).map(|_| (0..rank).map(|_| draw()).collect()).collect();
        let dot = |i: usize, j: usize| b[i].iter().zip(&b[j]).map(|(x, y)| x * y).sum::<f64>();
        (0..n).map(|i| (0..n).map(|j| dot(i, j)).collect()).collect()
    }

    #[test]
    fn systems_that_can_be_solved_are_solved_whatever_the_rank() {
        for (n, rank) in [(1, 1), (5, 5), (8, 3), (12, 12), (12, 7)] {
            let a = dense(n, 7 + n as u64, rank);
            let entries: Vec<(usize, usize)> =
                (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
            let values: Vec<f64> = entries.iter().map(|&(i, j)| a[i][j]).collect();
            let group: Vec<usize> = (0..n).collect();
            let mut psd = Psd::new(n, &entries, &group);
            assert_eq!(psd.factorize(&values), rank);
            let wanted: Vec<f64> = (0..n).map(|i| a[i].iter().sum()).collect();
            let mut x = wanted.clone();
            psd.solve(&mut x);
            for i in 0..n {
                let found: f64 = a[i].iter().zip(&x).map(|(a, x)| a * x).sum();
                assert!((found - wanted[i]).abs() < 1e-9, "{n} {rank}: {found} {}", wanted[i]);
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_symmetric_is_solved_too() {
        for n in [1, 4, 9, 15] {
            // Positive definite, and a skew part.
            let (a, b) = (dense(n, 3, n + 2), dense(n, 5, 2));
            let at = |i: usize, j: usize| a[i][j] + if i < j { b[i][j] } else { -b[i][j] };
            let entries: Vec<(usize, usize)> = (0..n)
                .flat_map(|i| (0..=i).map(move |j| if (i + j) % 3 == 0 { (i, j) } else { (j, i) }))
                .collect();
            let values: Vec<[f64; 2]> =
                entries.iter().map(|&(i, j)| [at(i, j), at(j, i)]).collect();
            let group: Vec<usize> = (0..n).collect();
            let mut psd = Psd::new(n, &entries, &group);
            assert_eq!(psd.factorize_general(&values), n);
            let wanted: Vec<f64> = (0..n).map(|i| (0..n).map(|j| at(i, j)).sum()).collect();
            let mut x = wanted;
            psd.solve_general(&mut x);
            assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-8), "{n}: {x:?}");
        }
    }

    #[test]
    fn a_chain_fills_nothing_in() {
        let n = 1000;
        let entries: Vec<(usize, usize)> = (0..n)
            .flat_map(|i| [(i, i), (i, (i + 1).min(n - 1))])
            .filter(|(i, j)| i != j || *i < n)
            .collect();
        let mut unique: Vec<(usize, usize)> = entries;
        unique.sort_unstable();
        unique.dedup();
        let group: Vec<usize> = (0..n).collect();
        let psd = Psd::new(n, &unique, &group);
        assert!(psd.lx.len() < n, "{}", psd.lx.len());
    }
}
