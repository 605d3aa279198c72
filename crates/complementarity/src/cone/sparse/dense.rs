//! Dense kernels on row-major fronts.
//!
//! Every entry is a sum of products in a fixed order, without fused operations, so that its bits do
//! not depend on the width of the machine's vectors.

/// Rows and columns of the tile that is held in registers.
const TILE_ROWS: usize = 6;
const TILE: usize = 8;
/// Pivots that are eliminated before the rest of the front is updated.
const PANEL: usize = 32;

/// Eliminates the first `pivots` rows and columns of an m × m matrix, in place: LU with row exchanges
/// among the first `pivots` rows, which are noted in `swaps`; then rows of L to the left below, rows
/// of U to the right above, the Schur complement at the lower right. False if a pivot vanishes.
pub(super) fn partial_lu(a: &mut [f64], m: usize, pivots: usize, swaps: &mut [usize]) -> bool {
    // The widest vectors that the machine has; what is computed is the same.
    pulp::Arch::new().dispatch(Elimination { a, m, pivots, swaps })
}

struct Elimination<'a> {
    a: &'a mut [f64],
    m: usize,
    pivots: usize,
    swaps: &'a mut [usize],
}

impl pulp::WithSimd for Elimination<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> bool {
        eliminate(self.a, self.m, self.pivots, self.swaps)
    }
}

#[inline(always)]
fn eliminate(a: &mut [f64], m: usize, pivots: usize, swaps: &mut [usize]) -> bool {
    let mut packed = [0.0; PANEL * TILE];
    for first in (0..pivots).step_by(PANEL) {
        let end = (first + PANEL).min(pivots);
        if !panel(a, m, first, end, pivots, swaps) {
            return false;
        }
        solve_rows(a, m, first, end);
        let (top, below) = a.split_at_mut(end * m);
        update(&top[first * m..], below, m, first, end, &mut packed);
    }
    true
}

/// Columns `first..end`, all rows below: unblocked elimination with exchanges of whole rows.
#[inline(always)]
fn panel(
    a: &mut [f64],
    m: usize,
    first: usize,
    end: usize,
    pivots: usize,
    swaps: &mut [usize],
) -> bool {
    for k in first..end {
        let size = |r: usize| a[r * m + k].abs();
        let Some(best) = (k..pivots).max_by(|&x, &y| size(x).total_cmp(&size(y)).then(y.cmp(&x)))
        else {
            return false;
        };
        // Exchanges only where they matter: they destroy what symmetry there is.
        let best = if size(k) >= 0.1 * size(best) { k } else { best };
        swaps[k] = best;
        if best != k {
            let (x, y) = a.split_at_mut(best * m);
            x[k * m..(k + 1) * m].swap_with_slice(&mut y[..m]);
        }
        let pivot = a[k * m + k];
        if !(pivot.abs() > 0.0) || !pivot.is_finite() {
            return false;
        }
        let inverse = 1.0 / pivot;
        let (top, below) = a.split_at_mut((k + 1) * m);
        let row = &top[k * m + k + 1..k * m + end];
        for r in below.chunks_exact_mut(m) {
            let factor = r[k] * inverse;
            r[k] = factor;
            if factor != 0.0 {
                for (x, u) in r[k + 1..end].iter_mut().zip(row) {
                    *x -= factor * u;
                }
            }
        }
    }
    true
}

/// The rows of the panel to the right of it: U = L⁻¹ A.
#[inline(always)]
fn solve_rows(a: &mut [f64], m: usize, first: usize, end: usize) {
    for k in first..end {
        let (top, below) = a.split_at_mut((k + 1) * m);
        let row = &top[k * m + end..];
        for r in below.chunks_exact_mut(m).take(end - k - 1) {
            let factor = r[k];
            for (x, u) in r[end..].iter_mut().zip(row) {
                *x -= factor * u;
            }
        }
    }
}

/// Below and to the right of the panel: A −= L U, tile by tile.
#[inline(always)]
fn update(
    top: &[f64],
    below: &mut [f64],
    m: usize,
    first: usize,
    end: usize,
    packed: &mut [f64; PANEL * TILE],
) {
    let depth = end - first;
    let mut column = end;
    while column < m {
        let width = TILE.min(m - column);
        for k in 0..depth {
            let to = &mut packed[k * TILE..(k + 1) * TILE];
            to.fill(0.0);
            to[..width].copy_from_slice(&top[k * m + column..k * m + column + width]);
        }
        for rows in below.chunks_mut(TILE_ROWS * m) {
            if rows.len() == TILE_ROWS * m {
                full_tile(rows, m, first, column, width, &packed[..depth * TILE]);
            } else {
                for row in rows.chunks_exact_mut(m) {
                    one_row(row, first, column, width, &packed[..depth * TILE]);
                }
            }
        }
        column += width;
    }
}

#[inline(always)]
fn full_tile(rows: &mut [f64], m: usize, first: usize, column: usize, width: usize, u: &[f64]) {
    let depth = u.len() / TILE;
    let mut sum = [[0.0; TILE]; TILE_ROWS];
    {
        let l: [&[f64]; TILE_ROWS] =
            std::array::from_fn(|r| &rows[r * m + first..r * m + first + depth]);
        for (k, u) in u.chunks_exact(TILE).enumerate() {
            for (s, l) in sum.iter_mut().zip(l) {
                let factor = l[k];
                for (s, u) in s.iter_mut().zip(u) {
                    *s += factor * u;
                }
            }
        }
    }
    for (row, sum) in rows.chunks_exact_mut(m).zip(&sum) {
        row[column..column + width].iter_mut().zip(sum).for_each(|(x, s)| *x -= s);
    }
}

#[inline(always)]
fn one_row(row: &mut [f64], first: usize, column: usize, width: usize, u: &[f64]) {
    let mut sum = [0.0; TILE];
    for (k, u) in u.chunks_exact(TILE).enumerate() {
        let factor = row[first + k];
        for (s, u) in sum.iter_mut().zip(u) {
            *s += factor * u;
        }
    }
    row[column..column + width].iter_mut().zip(&sum).for_each(|(x, s)| *x -= s);
}
