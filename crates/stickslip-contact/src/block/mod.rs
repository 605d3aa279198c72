//! Matrices that are sparse by small dense blocks, and their factorisation, symmetric or not.
//!
//! An order by minimum degree, or for large ones by nested dissection, gives a tree of dense fronts; each front is factorised with dense
//! kernels (Duff and Reid 1983): LU with pivoting inside of it ([`BlockLu`]), or L Lᵀ of a matrix that is symmetric and
//! positive definite ([`BlockLlt`]), which is half of the work. The tree depends on the pattern alone and
//! is kept; blocks may have any size, also none, from one factorisation to the next.

/// What differs by at most this share (see [`BlockMatrix::asymmetry`]) is symmetric but for rounding: W from factors of a
/// mass matrix is off by some 10 ε times its condition, and one that is not meant to be symmetric by 10⁻⁶ and more.
pub const SYMMETRIC: f64 = 1e-12;
/// The same for a diagonal block of a matrix that its maker says is symmetric; the mean is then taken of it.
const BOTH_TRIANGLES_ALIKE: f64 = 1e-9;

/// Columns of the tile that is held in registers, and pivots of a panel: one vector of the widest kind, two of the next.
const TILE: usize = 8;
/// Rows of that tile: 6 × 8 sums fill 12 of 16 registers of four numbers each.
const TILE_ROWS: usize = 6;
/// Pivots that are eliminated, panel by panel, before the rest of the front is updated: 32 rows of a tile are 2 kB, and
/// stay in the nearest cache.
const DEPTH: usize = 32;
/// A pivot on the diagonal is kept if it is at least this share of the largest in its column: growth is then at most
/// 1 + 1/0.1 per pivot (threshold pivoting, Duff, Erisman and Reid 1986), and exchanges destroy what symmetry there is.
const KEEP_PIVOT: f64 = 0.1;

/// Fronts with together at most this many pivots are merged whatever zeros that adds: smaller ones cost more to
/// put together than to factorise.
const FEW_PIVOTS: usize = 4;
/// Others are merged if that adds at most one zero in this many entries of the child's columns.
const FEW_ZEROS: usize = 8;
/// Operations, of nodes with one unknown, above which nested dissection is tried as well: it finds
/// smaller factors in large packings only, and takes as long as some 10⁹ operations to find them.
const DISSECT_ABOVE: f64 = 3e8;
/// How many trees of patterns are kept: contacts that open and close in turn bring few patterns back.
const TREES_KEPT: usize = 16;

/// Nested dissection: parts with at most this many nodes are not divided; minimum degree does as well on them.
const LEAF: usize = 120;
/// The larger half has at most this share of the nodes; a closer balance has larger separators.
const BALANCE: f64 = 0.58;
/// Pairs of far ends that are tried per separator, and passes that make each smaller; more find little.
const TRIES: usize = 4;
const PASSES: usize = 6;
/// Moves without a smaller separator after which a pass ends.
const FRUITLESS: usize = 200;

mod dense;
mod dissection;
mod llt;
mod lu;
mod matrix;
mod ordering;
#[cfg(test)]
mod tests;

pub use llt::BlockLlt;
pub use lu::{BlockLu, Blocks};
pub use matrix::{BlockEntry, BlockList, BlockMatrix};
pub use ordering::{FrontTree, FrontTrees};

/// |w_rc − w_cr| over the larger of √(w_rr w_cc) and the entries themselves; `own` are w_rr and w_cc.
pub(crate) fn pair_asymmetry((a, b): (f64, f64), own: (f64, f64)) -> f64 {
    if a == b {
        return 0.0;
    }
    let scale = (own.0.abs().sqrt() * own.1.abs().sqrt()).max(a.abs()).max(b.abs());
    // Divided first: the difference of two finite numbers can overflow. Never 0: that means equal to the last bit.
    (a / scale - b / scale).abs().max(f64::MIN_POSITIVE)
}
