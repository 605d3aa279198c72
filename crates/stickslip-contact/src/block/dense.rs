//! Dense kernels on row-major fronts.
//!
//! Every entry is a sum of products in a fixed order, without fused operations, so that its bits do
//! not depend on the width of the machine's vectors.

use super::{DEPTH, KEEP_PIVOT, TILE, TILE_ROWS};

/// Rows of U, as wide as a tile.
type Packed = [[f64; TILE]; DEPTH];

/// Eliminates the first `pivots` rows and columns of an m × m matrix, in place: LU with row exchanges
/// among the first `pivots` rows, which are noted in `swaps`; then rows of L to the left below, rows
/// of U to the right above, the Schur complement at the lower right. False if a pivot vanishes.
pub(super) fn partial_lu(a: &mut [f64], m: usize, pivots: usize, swaps: &mut [usize]) -> bool {
    // The widest vectors that the machine has; what is computed is the same.
    pulp::Arch::new().dispatch(Elimination { a, m, pivots, swaps })
}

/// Eliminates the first `pivots` rows and columns of a symmetric m × m matrix, in place, of which the lower triangle is read:
/// L Lᵀ; then rows of L to the left, the lower triangle of the Schur complement at the lower right. What stands above
/// the diagonal is unspecified. False if a pivot is not positive.
pub(super) fn partial_llt(a: &mut [f64], m: usize, pivots: usize) -> bool {
    pulp::Arch::new().dispatch(Symmetric { a, m, pivots })
}

struct Symmetric<'a> {
    a: &'a mut [f64],
    m: usize,
    pivots: usize,
}

impl pulp::WithSimd for Symmetric<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> bool {
        eliminate_symmetric(self.a, self.m, self.pivots)
    }
}

#[inline(always)]
fn eliminate_symmetric(a: &mut [f64], m: usize, pivots: usize) -> bool {
    let mut packed = [[0.0; TILE]; DEPTH];
    for outer in (0..pivots).step_by(DEPTH) {
        let stop = (outer + DEPTH).min(pivots);
        for first in (outer..stop).step_by(TILE) {
            let end = (first + TILE).min(stop);
            if !symmetric_panel(a, m, (first, end)) {
                return false;
            }
            update_lower(a, m, (first, end), (end, stop), &mut packed);
        }
        update_lower(a, m, (outer, stop), (stop, m), &mut packed);
    }
    true
}

/// Columns `first..end`, all rows below.
#[inline(always)]
fn symmetric_panel(a: &mut [f64], m: usize, (first, end): (usize, usize)) -> bool {
    for k in first..end {
        let pivot = a[k * m + k];
        if !(pivot > 0.0) || !pivot.is_finite() {
            return false;
        }
        let root = pivot.sqrt();
        let inverse = 1.0 / root;
        a[k * m + k] = root;
        // Column k of L in the panel's other rows, with zeros where nothing is to change.
        let mut column = [0.0; TILE];
        for c in k + 1..end {
            column[c - first] = a[c * m + k] * inverse;
        }
        for r in a[(k + 1) * m..].chunks_exact_mut(m) {
            let factor = r[k] * inverse;
            if let Some(x) = r[first..].first_chunk_mut::<TILE>() {
                x.iter_mut().zip(&column).for_each(|(x, l)| *x -= factor * l);
            } else {
                r[first..].iter_mut().zip(&column).for_each(|(x, l)| *x -= factor * l);
            }
            r[k] = factor;
        }
    }
    true
}

/// Some columns, from their diagonal down: A −= L Lᵀ by the pivots `first..end`, tile by tile.
#[inline(always)]
fn update_lower(
    a: &mut [f64],
    m: usize,
    (first, end): (usize, usize),
    (mut column, stop): (usize, usize),
    packed: &mut Packed,
) {
    let packed = &mut packed[..end - first];
    while column < stop {
        let width = TILE.min(stop - column);
        let below = &mut a[column * m..];
        packed.iter_mut().for_each(|to| to[width..].fill(0.0));
        for (c, row) in below.chunks_exact(m).take(width).enumerate() {
            packed.iter_mut().zip(&row[first..end]).for_each(|(to, l)| to[c] = *l);
        }
        subtract(below, m, first, column, packed);
        column += width;
    }
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
    let mut packed = [[0.0; TILE]; DEPTH];
    for outer in (0..pivots).step_by(DEPTH) {
        let stop = (outer + DEPTH).min(pivots);
        for first in (outer..stop).step_by(TILE) {
            let end = (first + TILE).min(stop);
            if !panel(a, m, (first, end), pivots, swaps) {
                return false;
            }
            solve_rows(a, m, (first, end), stop);
            update(a, m, (first, end), (end, stop), &mut packed);
        }
        solve_rows_beyond(a, m, (outer, stop), &mut packed);
        update(a, m, (outer, stop), (stop, m), &mut packed);
    }
    true
}

/// Columns `first..end`, all rows below: elimination with exchanges of whole rows.
#[inline(always)]
fn panel(
    a: &mut [f64],
    m: usize,
    (first, end): (usize, usize),
    pivots: usize,
    swaps: &mut [usize],
) -> bool {
    for k in first..end {
        let best = pivot_row(a, m, k, pivots);
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
        // The row of U with zeros where nothing is to change, so that all loops have one length.
        let mut u = [0.0; TILE];
        u[k + 1 - first..end - first].copy_from_slice(&top[k * m + k + 1..k * m + end]);
        for r in below.chunks_exact_mut(m) {
            let factor = r[k] * inverse;
            if let Some(x) = r[first..].first_chunk_mut::<TILE>() {
                for (x, u) in x.iter_mut().zip(&u) {
                    *x -= factor * u;
                }
            } else {
                for (x, u) in r[first..].iter_mut().zip(&u) {
                    *x -= factor * u;
                }
            }
            r[k] = factor;
        }
    }
    true
}

/// The row of the largest entry of column k, but k itself where that is not much smaller: exchanges
/// destroy what symmetry there is.
#[inline(always)]
fn pivot_row(a: &[f64], m: usize, k: usize, pivots: usize) -> usize {
    let (mut best, mut largest) = (k, a[k * m + k].abs());
    let own = largest;
    for r in k + 1..pivots {
        let size = a[r * m + k].abs();
        if size > largest {
            (best, largest) = (r, size);
        }
    }
    if own >= KEEP_PIVOT * largest { k } else { best }
}

/// Rows `first..end` in the columns from `end` to `stop`: U = L⁻¹ A.
#[inline(always)]
fn solve_rows(a: &mut [f64], m: usize, (first, end): (usize, usize), stop: usize) {
    for k in first..end {
        let (top, below) = a.split_at_mut((k + 1) * m);
        let row = &top[k * m + end..k * m + stop];
        for r in below.chunks_exact_mut(m).take(end - k - 1) {
            let factor = r[k];
            for (x, u) in r[end..stop].iter_mut().zip(row) {
                *x -= factor * u;
            }
        }
    }
}

/// The same in the columns to the right of `end`, by panels: each is solved, and then taken from the rows
/// below it that are still to be solved.
#[inline(always)]
fn solve_rows_beyond(a: &mut [f64], m: usize, (first, end): (usize, usize), packed: &mut Packed) {
    for start in (first..end).step_by(TILE) {
        let stop = (start + TILE).min(end);
        for k in start..stop {
            let (top, below) = a.split_at_mut((k + 1) * m);
            let row = &top[k * m + end..];
            for r in below.chunks_exact_mut(m).take(stop - k - 1) {
                let factor = r[k];
                for (x, u) in r[end..].iter_mut().zip(row) {
                    *x -= factor * u;
                }
            }
        }
        update(&mut a[..end * m], m, (start, stop), (end, m), packed);
    }
}

/// The rows below the pivots `first..end`, in some columns: A −= L U, tile by tile.
#[inline(always)]
fn update(
    a: &mut [f64],
    m: usize,
    (first, end): (usize, usize),
    (mut column, stop): (usize, usize),
    packed: &mut Packed,
) {
    let (top, below) = a.split_at_mut(end * m);
    let top = &top[first * m..];
    let packed = &mut packed[..end - first];
    while column < stop && !below.is_empty() {
        let width = TILE.min(stop - column);
        for (to, row) in packed.iter_mut().zip(top.chunks_exact(m)) {
            to[width..].fill(0.0);
            to[..width].copy_from_slice(&row[column..column + width]);
        }
        subtract(below, m, first, column, packed);
        column += width;
    }
}

/// Takes L U from one column of tiles: L in the columns from `first` on, U packed.
#[inline(always)]
fn subtract(below: &mut [f64], m: usize, first: usize, column: usize, packed: &[[f64; TILE]]) {
    for rows in below.chunks_mut(TILE_ROWS * m) {
        match rows.len() / m {
            1 => tile::<1>(rows, m, first, column, packed),
            2 => tile::<2>(rows, m, first, column, packed),
            3 => tile::<3>(rows, m, first, column, packed),
            4 => tile::<4>(rows, m, first, column, packed),
            5 => tile::<5>(rows, m, first, column, packed),
            _ => tile::<TILE_ROWS>(rows, m, first, column, packed),
        }
    }
}

#[inline(always)]
fn tile<const R: usize>(
    rows: &mut [f64],
    m: usize,
    first: usize,
    column: usize,
    u: &[[f64; TILE]],
) {
    let depth = u.len();
    let mut sum = [[0.0; TILE]; R];
    let l: [&[f64]; R] = std::array::from_fn(|r| &rows[r * m + first..][..depth]);
    for k in 0..depth {
        for r in 0..R {
            let factor = l[r][k];
            for c in 0..TILE {
                sum[r][c] += factor * u[k][c];
            }
        }
    }
    for (row, sum) in rows.chunks_exact_mut(m).zip(&sum) {
        // Beyond the columns that are meant, the sums are zero.
        if let Some(x) = row[column..].first_chunk_mut::<TILE>() {
            x.iter_mut().zip(sum).for_each(|(x, s)| *x -= s);
        } else {
            row[column..].iter_mut().zip(sum).for_each(|(x, s)| *x -= s);
        }
    }
}
