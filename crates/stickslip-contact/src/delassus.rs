//! W = Hᵀ M⁻¹ H: dense, sparse by blocks, or by the bodies of the contacts.

use crate::BodyRows;
use crate::block::{BlockList, BlockMatrix, SYMMETRIC, pair_asymmetry};
use crate::error::{Error, check};
use complementarity::Matrix;

/// The matrix of a contact problem: square, one row per component. Models make it symmetric; the laws do not need that,
/// and other programs write matrices that are not (implicit schemes with gyroscopic terms, for one).
#[derive(Clone, Debug, PartialEq)]
pub enum Delassus {
    /// All entries: for systems whose contacts all touch each other's bodies, and small ones.
    Dense(Matrix),
    /// One block per pair of contacts that share a body: storage grows with the contacts.
    Sparse(BlockMatrix),
    /// Per contact its rows of the bodies that it touches: for many contacts, of which methods need few products or none of the
    /// blocks.
    Bodies(Box<BodyRows>),
}

impl From<BodyRows> for Delassus {
    fn from(m: BodyRows) -> Self {
        Self::Bodies(Box::new(m))
    }
}

impl From<Matrix> for Delassus {
    fn from(m: Matrix) -> Self {
        Self::Dense(m)
    }
}

impl From<BlockMatrix> for Delassus {
    fn from(m: BlockMatrix) -> Self {
        Self::Sparse(m)
    }
}

impl Delassus {
    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(m) => m.rows(),
            Self::Sparse(m) => m.rows(),
            Self::Bodies(m) => m.rows(),
        }
    }

    /// The dense matrix, if it is one.
    #[must_use]
    pub fn as_dense(&self) -> Option<&Matrix> {
        match self {
            Self::Dense(m) => Some(m),
            Self::Sparse(_) | Self::Bodies(_) => None,
        }
    }

    /// The blocks, unless all entries are stored.
    #[must_use]
    pub fn as_blocks(&self) -> Option<&BlockMatrix> {
        match self {
            Self::Dense(_) => None,
            Self::Sparse(m) => Some(m),
            Self::Bodies(m) => Some(m.blocks()),
        }
    }

    /// The rows by bodies, if it is made of them.
    #[must_use]
    pub fn as_bodies(&self) -> Option<&BodyRows> {
        match self {
            Self::Bodies(m) => Some(m),
            _ => None,
        }
    }

    /// The blocks that are not zero, as a copy, for contacts with these laws.
    pub fn to_blocks(&self, laws: &[crate::Law]) -> BlockMatrix {
        let sizes: Vec<usize> = laws.iter().map(crate::Law::components).collect();
        let mut to = BlockMatrix::default();
        self.blocks_into(&sizes, &mut BlockList::default(), &mut to);
        to
    }

    /// All entries, as a copy. Storage: the square of the rows.
    #[must_use]
    pub fn to_dense(&self) -> Matrix {
        match self {
            Self::Dense(m) => m.clone(),
            Self::Sparse(m) => m.to_dense(),
            Self::Bodies(m) => m.blocks().to_dense(),
        }
    }

    /// The blocks that are not zero, as a copy on the storage of `to`, for contacts with these numbers of components.
    pub(crate) fn blocks_into(&self, sizes: &[usize], list: &mut BlockList, to: &mut BlockMatrix) {
        match self {
            Self::Dense(m) => {
                let _ = to.refill_dense(sizes, m, list);
            }
            Self::Sparse(m) => to.assign(m),
            Self::Bodies(m) => m.blocks_into(list, to),
        }
    }

    /// A dense matrix of this size, with unspecified entries, on the storage of this one if it is dense.
    pub fn dense_mut(&mut self, rows: usize) -> &mut Matrix {
        if !matches!(self, Self::Dense(_)) {
            *self = Self::Dense(Matrix::zeros(0, 0));
        }
        let Self::Dense(m) = self else { unreachable!("made dense above") };
        m.reshape(rows, rows);
        m
    }

    /// A matrix of blocks to be filled again, on the storage of this one if it is sparse.
    pub fn sparse_mut(&mut self) -> &mut BlockMatrix {
        if !matches!(self, Self::Sparse(_)) {
            *self = Self::Sparse(BlockMatrix::default());
        }
        let Self::Sparse(m) = self else { unreachable!("made sparse above") };
        m
    }

    /// Rows by bodies to be filled again, on the storage of these if it is made of them.
    pub fn bodies_mut(&mut self) -> &mut BodyRows {
        if !matches!(self, Self::Bodies(_)) {
            *self = Self::Bodies(Box::default());
        }
        let Self::Bodies(m) = self else { unreachable!("made of bodies above") };
        m
    }

    /// An entry: of a row and a column, which belong to these contacts.
    pub(crate) fn entry(&self, row: usize, col: usize, (i, j): (usize, usize)) -> f64 {
        match self {
            Self::Dense(m) => m.row(row)[col],
            Self::Bodies(m) => m.entry(row, col, (i, j)),
            Self::Sparse(m) => {
                let at = (row - m.offset(i)) * m.size(j) + col - m.offset(j);
                m.block(i, j).get(at).copied().unwrap_or(0.0)
            }
        }
    }

    /// The entry of a row and a column.
    pub(crate) fn at(&self, row: usize, col: usize) -> f64 {
        let run =
            self.row_runs(row).find(|(first, run)| (*first..first + run.len()).contains(&col));
        run.map_or(0.0, |(first, run)| run[col - first])
    }

    /// One row: the first column of each run of entries, and these. What is left out is zero.
    pub(crate) fn row_runs(&self, row: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let (dense, sparse) = match self {
            Self::Dense(w) => (Some((0, w.row(row))), None),
            Self::Sparse(w) => (None, Some(w.scalar_row(row))),
            Self::Bodies(w) => (None, Some(w.blocks().scalar_row(row))),
        };
        dense.into_iter().chain(sparse.into_iter().flatten())
    }

    /// The columns of one row whose entries are not zero, with these.
    pub(crate) fn row_entries(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        self.row_runs(row).flat_map(|(first, run)| {
            let entries = run.iter().enumerate().filter(|(_, w)| **w != 0.0);
            entries.map(move |(k, w)| (first + k, *w))
        })
    }

    /// Copies one row.
    pub(crate) fn copy_row(&self, row: usize, out: &mut [f64]) {
        out.fill(0.0);
        for (first, run) in self.row_runs(row) {
            out[first..first + run.len()].copy_from_slice(run);
        }
    }

    /// The diagonal entries.
    #[must_use]
    pub fn diagonal(&self) -> Vec<f64> {
        self.diagonal_entries().collect()
    }

    /// The diagonal entries, on storage that is kept.
    pub fn diagonal_into(&self, out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.diagonal_entries());
    }

    /// The diagonal entries, one after the other.
    pub fn diagonal_entries(&self) -> impl Iterator<Item = f64> {
        let (dense, sparse, bodies) = match self {
            Self::Dense(m) => (Some((0..m.rows()).map(|i| m.row(i)[i])), None, None),
            Self::Sparse(m) => (None, Some((0..m.len()).map(|i| (m.size(i), m.diagonal(i)))), None),
            Self::Bodies(m) => (None, None, Some((0..m.rows()).map(|r| m.own(r)))),
        };
        let sparse = sparse.into_iter().flatten();
        let sparse = sparse.flat_map(|(n, block)| (0..n).map(move |r| block[r * (n + 1)]));
        dense.into_iter().flatten().chain(sparse).chain(bodies.into_iter().flatten())
    }

    /// Multiplies the diagonal by 1 + share.
    pub(super) fn relax(&mut self, share: f64) {
        match self {
            Self::Dense(m) => (0..m.rows()).for_each(|i| m.row_mut(i)[i] *= 1.0 + share),
            Self::Sparse(m) => m.scale_diagonal(1.0 + share),
            Self::Bodies(m) => {
                let mut blocks = m.blocks().clone();
                blocks.scale_diagonal(1.0 + share);
                *self = Self::Sparse(blocks);
            }
        }
    }

    /// out = W x + b.
    ///
    /// # Panics
    /// If a slice does not have as many entries as W has rows.
    pub fn multiply_add(&self, x: &[f64], b: &[f64], out: &mut [f64]) {
        match self {
            Self::Dense(m) => {
                m.mul_vec_into(x, out);
                for (o, b) in out.iter_mut().zip(b) {
                    *o += b;
                }
            }
            Self::Sparse(m) => m.multiply_add(x, b, out),
            Self::Bodies(m) => m.multiply_add(x, b, out),
        }
    }

    /// How far W is from symmetric: the largest |w_rc − w_cr|, relative to √(w_rr w_cc) or to the entries themselves where
    /// these are larger. A sparse W knows it; one by bodies is symmetric; a dense one is read through once.
    #[must_use]
    pub fn asymmetry(&self) -> f64 {
        match self {
            Self::Dense(m) => dense_asymmetry(m),
            Self::Sparse(m) => m.asymmetry(),
            Self::Bodies(_) => 0.0,
        }
    }

    /// Whether W is symmetric but for rounding: its [`asymmetry`](Self::asymmetry) is at most
    /// [`SYMMETRIC`].
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.asymmetry() <= SYMMETRIC
    }

    /// Refuses a W that is not symmetric, for what needs it.
    pub(crate) fn needs_symmetry(&self, what: &'static str) -> Result<(), Error> {
        match self.asymmetry() {
            asymmetry if asymmetry <= SYMMETRIC => Ok(()),
            asymmetry => Err(Error::NotSymmetric { what, asymmetry }),
        }
    }

    /// Refuses a matrix of another size, or not finite. Blocks must be those of the contacts.
    pub(super) fn validate(
        &self,
        sizes: impl ExactSizeIterator<Item = usize>,
    ) -> Result<(), Error> {
        let size = |what, expected, found| Err(Error::Size { what, expected, found });
        match self {
            Self::Dense(m) => {
                let n: usize = sizes.sum();
                if m.rows() != n {
                    return size("delassus (rows: one per component of each contact)", n, m.rows());
                }
                if m.cols() != n {
                    return size(
                        "delassus (columns: one per component of each contact)",
                        n,
                        m.cols(),
                    );
                }
                check_finite(m)
            }
            Self::Sparse(m) => {
                if m.len() != sizes.len() {
                    return size("delassus (blocks: one per contact)", sizes.len(), m.len());
                }
                for (i, expected) in sizes.enumerate() {
                    if m.size(i) != expected {
                        return size("a diagonal block of delassus", expected, m.size(i));
                    }
                }
                Ok(())
            }
            Self::Bodies(m) => {
                if m.len() != sizes.len() {
                    return size("delassus (contacts)", sizes.len(), m.len());
                }
                for (i, expected) in sizes.enumerate() {
                    if m.range(i).len() != expected {
                        return size("the rows of a contact", expected, m.range(i).len());
                    }
                }
                Ok(())
            }
        }
    }
}

fn check_finite(w: &Matrix) -> Result<(), Error> {
    let Some(at) = w.as_slice().iter().position(|x| !x.is_finite()) else { return Ok(()) };
    let (row, col) = (at / w.cols(), at % w.cols());
    check(|| format!("delassus[{row}][{col}]"), w.as_slice()[at], false, "a finite number")
}

fn dense_asymmetry(w: &Matrix) -> f64 {
    /// Rows and columns that are compared together: a column is read across lines of memory, each of which then serves several rows.
    const TILE: usize = 8;
    let n = w.rows();
    let mut largest = 0.0_f64;
    for below in (0..n).step_by(TILE) {
        for left in (0..=below).step_by(TILE) {
            for r in below..(below + TILE).min(n) {
                for c in left..(left + TILE).min(r) {
                    let pair = (w.row(r)[c], w.row(c)[r]);
                    if pair.0 != pair.1 {
                        let own = (w.row(r)[r], w.row(c)[c]);
                        largest = largest.max(pair_asymmetry(pair, own));
                    }
                }
            }
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_a_dense_matrix_is_compared() {
        for n in [1, 2, 7, 8, 9, 17, 24] {
            let even = Matrix::from_fn(n, n, |r, c| if r == c { 4.0 } else { 1.0 });
            assert_eq!(Delassus::from(even.clone()).asymmetry(), 0.0);
            for r in 0..n {
                for c in (0..n).filter(|c| *c != r) {
                    let mut odd = even.clone();
                    odd.row_mut(r)[c] = 1.5;
                    assert_eq!(Delassus::from(odd).asymmetry(), 0.125, "{r}, {c} of {n}");
                }
            }
        }
    }
}
