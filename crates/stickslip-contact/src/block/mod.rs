//! Matrices that are sparse by small dense blocks, and their factorisation, symmetric or not.
//!
//! An order by minimum degree, or for large ones by nested dissection, gives a tree of dense fronts; each front is factorised with dense
//! kernels, with pivoting inside of it (Duff and Reid 1983). The tree depends on the pattern alone and
//! is kept; blocks may have any size, also none, from one factorisation to the next.

mod dense;
mod dissection;
mod lu;
mod matrix;
mod ordering;

pub(crate) use lu::{BlockLu, Blocks};
pub use matrix::{BlockEntry, BlockList, BlockMatrix};
pub(crate) use ordering::{Tree, Trees};
