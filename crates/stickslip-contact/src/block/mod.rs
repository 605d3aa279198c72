//! Matrices that are sparse by small dense blocks, and their factorisation, symmetric or not.
//!
//! An order by minimum degree, or for large ones by nested dissection, gives a tree of dense fronts; each front is factorised with dense
//! kernels, with pivoting inside of it (Duff and Reid 1983). The tree depends on the pattern alone and
//! is kept; blocks may have any size, also none, from one factorisation to the next.

/// What differs by at most this share (see [`BlockMatrix::asymmetry`]) is symmetric but for rounding: W from factors of a
/// mass matrix is off by some 10 ε times its condition, and one that is not meant to be symmetric by 10⁻⁶ and more.
pub const SYMMETRIC: f64 = 1e-12;
/// The same for a diagonal block of a matrix that its maker says is symmetric; the mean is then taken of it.
const BOTH_TRIANGLES_ALIKE: f64 = 1e-9;

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
pub use ordering::{Tree, Trees};

/// |w_rc − w_cr| over the larger of √(w_rr w_cc) and the entries themselves; `own` are w_rr and w_cc.
pub(crate) fn pair_asymmetry((a, b): (f64, f64), own: (f64, f64)) -> f64 {
    if a == b {
        return 0.0;
    }
    let scale = (own.0.abs().sqrt() * own.1.abs().sqrt()).max(a.abs()).max(b.abs());
    // Divided first: the difference of two finite numbers can overflow. Never 0: that means equal to the last bit.
    (a / scale - b / scale).abs().max(f64::MIN_POSITIVE)
}
